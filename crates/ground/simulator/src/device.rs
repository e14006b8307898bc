//! One simulated disk: time only moves forward, 10 ms at a step.

use crate::draw::Draw;
use crate::neighbour::NeighbourAtWork;
use crate::scenario::Scenario;

const STEP_S: f64 = 0.01;

/// A disk with its noise, its arms' true effects and its memory of the arm before.
#[derive(Clone, Debug)]
pub struct Device {
    scenario: Scenario,
    effects_ln: Vec<f64>,
    noise: Draw,
    steps: u64,
    arm: Option<usize>,
    fast: f64,
    slow: f64,
    walk: f64,
    layout: f64,
    trend_offset_s: f64,
    period_phase_s: f64,
    regime_down: bool,
    regime_left_s: f64,
    stall_left: u32,
    effect_ln: f64,
    debt_ln: f64,
    drain_left: u32,
    tokens_s: Option<f64>,
    neighbour: Option<NeighbourAtWork>,
    foreign: Vec<f64>,
}

impl Device {
    /// A disk of the given kind. `effects_ln[k]` is the true effect of arm `k` on the logarithm of the rate.
    pub fn new(scenario: &Scenario, effects_ln: &[f64], seed: u64) -> Self {
        let mut noise = Draw::new(seed);
        let s = scenario;
        let down_share = s.regime_down_s / (s.regime_up_s + s.regime_down_s);
        let regime_down = s.regime != 0.0 && noise.uniform() < down_share;
        let dwell_s = if regime_down {
            s.regime_down_s
        } else {
            s.regime_up_s
        };
        Device {
            fast: s.fast * noise.normal(),
            slow: s.slow * noise.normal(),
            walk: 0.0,
            layout: 0.0,
            trend_offset_s: 20.0 * noise.uniform(),
            period_phase_s: s.period_s * noise.uniform(),
            regime_down,
            regime_left_s: noise.exponential(dwell_s),
            stall_left: 0,
            tokens_s: (s.bucket_s > 0.0)
                .then(|| s.bucket_s * (0.4 * noise.normal()).exp() * (1.0 - s.bucket_floor)),
            neighbour: s
                .neighbour
                .map(|neighbour| NeighbourAtWork::new(neighbour, &mut noise)),
            foreign: Vec::new(),
            scenario: *scenario,
            effects_ln: effects_ln.to_vec(),
            noise,
            steps: 0,
            arm: None,
            effect_ln: 0.0,
            debt_ln: 0.0,
            drain_left: 0,
        }
    }

    /// Takes one more arm, and gives its index.
    pub fn add_arm(&mut self, effect_ln: f64) -> usize {
        self.effects_ln.push(effect_ln);
        self.effects_ln.len() - 1
    }

    /// Device time so far, in milliseconds.
    pub fn elapsed_ms(&self) -> u64 {
        self.steps * 10
    }

    /// Restarts the load on another region: the level changes a little, the arms' effects do not.
    pub fn restart(&mut self) {
        self.layout = self.scenario.restart * self.noise.normal();
    }

    /// Runs under an arm and returns the rate of each 10 ms, in units of the quiet rate of the default.
    pub fn run(&mut self, arm: usize, duration_ms: u64) -> Vec<f64> {
        self.switch(arm);
        self.foreign.clear();
        (0..duration_ms.div_ceil(10))
            .map(|_| self.step(arm))
            .collect()
    }

    /// What the neighbour did in each 10 ms of the last run, in the same unit; empty where there is none.
    pub fn foreign(&self) -> &[f64] {
        &self.foreign
    }

    fn switch(&mut self, arm: usize) {
        let before = self.arm.replace(arm);
        if before.is_none() {
            self.effect_ln = self.effects_ln[arm];
        }
        if before.is_some_and(|before| before != arm) {
            let hole_ms = if arm == 0 {
                self.scenario.drain_ms
            } else {
                self.scenario.drain_other_ms
            };
            self.drain_left = (hole_ms * (0.3 * self.noise.normal()).exp() / 10.0).round() as u32;
        }
    }

    fn step(&mut self, arm: usize) -> f64 {
        let (noise_ln, arm_ln) = (self.noise_ln(), self.arm_ln(arm));
        self.steps += 1;
        let rate = self.throttle((noise_ln + arm_ln).exp());
        let Some(neighbour) = &mut self.neighbour else {
            return rate;
        };
        let (own, others) = neighbour.split(rate, arm_ln, STEP_S, &mut self.noise);
        self.foreign.push(others);
        own
    }

    fn arm_ln(&mut self, arm: usize) -> f64 {
        let s = &self.scenario;
        let target = self.effects_ln[arm];
        let kept = if s.relax_s > 0.0 {
            (-STEP_S / s.relax_s).exp()
        } else {
            0.0
        };
        self.effect_ln = target + (self.effect_ln - target) * kept;
        let mut level = self.effect_ln;
        if s.debt > 0.0 {
            let borrowed = if arm == 0 { 0.0 } else { s.debt };
            self.debt_ln = borrowed + (self.debt_ln - borrowed) * (-STEP_S / s.debt_s).exp();
            level += borrowed - self.debt_ln;
        }
        if self.drain_left > 0 {
            self.drain_left -= 1;
            level -= 1.6;
        }
        level
    }

    fn noise_ln(&mut self) -> f64 {
        let s = self.scenario;
        let elapsed_s = self.steps as f64 * STEP_S;
        let mut level = match s.freedom {
            0 => s.white * self.noise.normal(),
            n => s.white * self.noise.student(n) / (f64::from(n) / (f64::from(n) - 2.0)).sqrt(),
        };
        self.fast = self.correlated(self.fast, s.fast, s.fast_s);
        self.slow = self.correlated(self.slow, s.slow, s.slow_s);
        if s.walk > 0.0 {
            self.walk += s.walk * STEP_S.sqrt() * self.noise.normal();
        }
        level += self.fast + self.slow + self.walk + self.layout;
        level += s.trend * (-(elapsed_s + self.trend_offset_s) / s.trend_s).exp();
        level + self.events_ln(&s, elapsed_s)
    }

    fn correlated(&mut self, value: f64, amplitude: f64, tau_s: f64) -> f64 {
        if amplitude == 0.0 {
            return 0.0;
        }
        let kept = (-STEP_S / tau_s).exp();
        kept * value + amplitude * (1.0 - kept * kept).sqrt() * self.noise.normal()
    }

    fn events_ln(&mut self, s: &Scenario, elapsed_s: f64) -> f64 {
        let mut level = 0.0;
        if s.regime != 0.0 {
            self.regime_left_s -= STEP_S;
            if self.regime_left_s <= 0.0 {
                self.regime_down = !self.regime_down;
                let dwell_s = if self.regime_down {
                    s.regime_down_s
                } else {
                    s.regime_up_s
                };
                self.regime_left_s = self.noise.exponential(dwell_s);
            }
            level += if self.regime_down { s.regime } else { 0.0 };
        }
        if s.stalls_per_s > 0.0 {
            if self.noise.uniform() < s.stalls_per_s * STEP_S {
                self.stall_left = self.stall_left.max(1 + self.noise.poisson(s.stall_bins));
            }
            level += if self.stall_left > 0 { s.stall } else { 0.0 };
            self.stall_left = self.stall_left.saturating_sub(1);
        }
        if s.period_s > 0.0 && (elapsed_s + self.period_phase_s) % s.period_s < s.dip_s {
            level += s.dip;
        }
        level
    }

    fn throttle(&mut self, rate: f64) -> f64 {
        let floor = self.scenario.bucket_floor;
        let Some(tokens_s) = &mut self.tokens_s else {
            return rate;
        };
        *tokens_s -= (rate - floor) * STEP_S;
        if *tokens_s > 0.0 {
            return rate;
        }
        *tokens_s = 0.0;
        rate.min(floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{carry, public};

    #[test]
    fn the_same_seed_gives_the_same_disk() {
        for scenario in public().iter().chain(&carry()) {
            let mut runs = [5u64, 5, 6].map(|seed| Device::new(scenario, &[0.0, 0.1], seed));
            let [a, b, c] = runs.each_mut().map(|device| device.run(1, 500));
            assert_eq!(a, b);
            assert_ne!(a, c, "{}", scenario.name);
        }
    }

    #[test]
    fn debt_is_paid_back_and_relaxation_arrives() {
        let quiet = Scenario {
            white: 0.0,
            fast: 0.0,
            ..Scenario::plain("still")
        };
        let mut debt = Device::new(
            &Scenario {
                debt: 0.15,
                debt_s: 1.0,
                ..quiet
            },
            &[0.0, 0.0],
            1,
        );
        debt.run(0, 100);
        let rates = debt.run(1, 10_000);
        assert!(rates[5].ln() > 0.13 && rates[999].ln().abs() < 0.001);
        let mut slow = Device::new(
            &Scenario {
                relax_s: 0.6,
                ..quiet
            },
            &[0.0, 0.1],
            1,
        );
        slow.run(0, 100);
        let rates = slow.run(1, 6_000);
        assert!(rates[5].ln() < 0.02 && (rates[599].ln() - 0.1).abs() < 0.001);
    }

    #[test]
    fn an_empty_bucket_pins_the_rate() {
        let scenario = public().pop().unwrap();
        let mut device = Device::new(&scenario, &[0.0], 3);
        let rates = device.run(0, 300_000);
        assert!(rates[..500].iter().sum::<f64>() > 450.0);
        assert!(
            rates[29_000..]
                .iter()
                .all(|&rate| rate <= scenario.bucket_floor)
        );
    }
}
