//! The plan of an experiment of boots: what is tried, what was measured, and what the next boot is for.

use crate::command_line::{self, ArgumentError};
use experiment::{
    Ask, BIN_MS, Class, Experiment, ExperimentPlan, MEMORY_MAX_MS, PlanError, TellError,
    WindowReport,
};
use model::metric::ExperimentMetric;
use model::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// The document's schema.
pub const SCHEMA: &str = "iodyno.boots/1";
/// Fewer pairs of boots decide nothing.
pub const PAIRS_MIN: u64 = 8;
/// The most that are of use.
pub const PAIRS_MAX: u64 = 16;
/// What the command line that was found is called in a verdict.
const FOUND: &str = "as found";

/// A plan with all that was measured so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BootPlan {
    /// [`SCHEMA`].
    pub schema: String,
    /// The argument that is tried.
    pub argument: String,
    /// The command line that was found, without what the boot loader adds.
    pub found: String,
    /// The same with the argument.
    pub tried: String,
    /// Words of `iodyno run` that make the load of a boot.
    pub words: Vec<String>,
    /// Where they are meant, an absolute path.
    pub directory: String,
    /// The target among them.
    pub target: String,
    /// What tells the disks below it from others that may have their names at another boot; empty where nothing does.
    pub identity: String,
    /// The meter that the boots are judged by.
    pub meter: String,
    /// Its metric, of whole runs of the load.
    pub metric: ExperimentMetric,
    /// How long a boot is left alone before the load, ms.
    pub settle_ms: u64,
    /// How long the load runs, ms.
    pub load_ms: u64,
    /// Pairs of boots, from [`PAIRS_MIN`] to [`PAIRS_MAX`].
    pub pairs: u64,
    /// Differences up to this count as equal, ratio minus one.
    pub rope: f64,
    /// Error probability of a wrong win.
    pub alpha: f64,
    /// Seed of the order.
    pub seed: u64,
    /// The shell command that boots with the command line in `IODYNO_COMMAND_LINE`; none where somebody does it by hand.
    pub next_boot: Option<String>,
    /// Boots that were measured, in their order.
    pub boots: Vec<BootRun>,
    /// The boot that asked for the next one; none where nothing was asked for yet.
    pub asked_in: Option<String>,
    /// Boots in a row that had another command line than was asked for.
    pub strays: u32,
    /// The verdict, at the end.
    pub verdict: Option<Verdict>,
}

/// A boot that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BootRun {
    /// The kernel's own number of the boot.
    pub boot_id: String,
    /// 0 for the command line that was found, 1 for that with the argument.
    pub arm: usize,
    /// What was measured, in the metric's unit.
    pub value: f64,
    /// Number of the run's record in the store; none where it could not be kept.
    pub record: Option<i64>,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum NextBoot {
    /// A boot with this arm's command line.
    Measure(usize),
    /// Nothing: it is decided, or cannot be.
    Over(Box<Verdict>),
}

/// Why a plan cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// The argument cannot be tried.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// The experiment is impossible.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A value that was measured is none.
    #[error(transparent)]
    Value(#[from] TellError),
    /// The boots stand in another order than the seed gives.
    #[error("boot {0} is not the one that was due: the plan was edited")]
    Order(usize),
}

impl BootPlan {
    /// The command line of an arm.
    pub fn line(&self, arm: usize) -> &str {
        match arm {
            0 => &self.found,
            _ => &self.tried,
        }
    }

    /// Names of the arms, as a verdict has them.
    pub fn arms(&self) -> Vec<String> {
        vec![FOUND.into(), self.argument.clone()]
    }

    /// The arm whose command line a boot has; none for another one.
    pub fn arm_of(&self, line: &str) -> Option<usize> {
        (0..2).find(|arm| command_line::is_same(self.line(*arm), line))
    }

    /// Whether this boot was measured already.
    pub fn has(&self, boot_id: &str) -> bool {
        self.boots.iter().any(|boot| boot.boot_id == boot_id)
    }

    /// Boots in all.
    pub fn boots_wanted(&self) -> u64 {
        self.pairs.saturating_mul(2)
    }

    /// What the next boot is for.
    ///
    /// # Errors
    /// When the plan is impossible or does not belong to its values.
    pub fn next(&self) -> Result<NextBoot, BootError> {
        let mut experiment = Experiment::new(self.experiment())?;
        for (number, boot) in self.boots.iter().enumerate() {
            match experiment.ask() {
                Ask::Window(window) if window.arm == boot.arm => {
                    let bins = (self.metric.grain_ms / BIN_MS) as usize;
                    experiment.tell(WindowReport::Measured {
                        id: window.id,
                        rates: vec![boot.value; bins],
                        latency: None,
                        foreign: None,
                    })?;
                }
                _ => return Err(BootError::Order(number + 1)),
            }
        }
        Ok(match experiment.ask() {
            Ask::Window(window) => NextBoot::Measure(window.arm),
            Ask::Done(verdict) => NextBoot::Over(verdict),
        })
    }

    /// A boot forgets all that was before it, so that its memory is what a run can show by itself.
    fn experiment(&self) -> ExperimentPlan {
        let plan = ExperimentPlan::new(self.arms(), Class::Slow, self.seed).by(self.metric.clone());
        let whole_ms = self.boots_wanted().saturating_mul(self.metric.grain_ms);
        ExperimentPlan {
            rope: self.rope,
            alpha: self.alpha,
            memory_ms: (self.load_ms / 3).clamp(1, MEMORY_MAX_MS),
            ..plan.within(whole_ms)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::verdict::{Outcome, Reason};

    fn plan(seed: u64) -> BootPlan {
        let found = "root=/dev/vda quiet".to_string();
        BootPlan {
            schema: SCHEMA.into(),
            argument: "mitigations=off".into(),
            tried: command_line::with(&found, "mitigations=off").unwrap(),
            found,
            words: vec!["/dev/vdb".into()],
            directory: "/".into(),
            target: "/dev/vdb".into(),
            identity: "a serial number".into(),
            meter: "iops".into(),
            metric: ExperimentMetric::iops().of_runs(30_000),
            settle_ms: 30_000,
            load_ms: 30_000,
            pairs: PAIRS_MIN,
            rope: 0.02,
            alpha: 0.05,
            seed,
            next_boot: None,
            boots: Vec::new(),
            asked_in: None,
            strays: 0,
            verdict: None,
        }
    }

    /// Boots a machine that gives these rates, with noise of about a per cent, until the plan is over.
    fn boot(mut plan: BootPlan, rates: [f64; 2]) -> (BootPlan, Verdict) {
        loop {
            let arm = match plan.next().unwrap() {
                NextBoot::Measure(arm) => arm,
                NextBoot::Over(verdict) => return (plan, *verdict),
            };
            assert_eq!(
                plan.arm_of(&format!("BOOT_IMAGE=/x {}", plan.line(arm))),
                Some(arm)
            );
            let number = plan.boots.len();
            let noise = 0.01 * ((number * 7919 + plan.seed as usize * 31) % 11) as f64 / 5.5 - 0.01;
            plan.boots.push(BootRun {
                boot_id: number.to_string(),
                arm,
                value: rates[arm] * (1.0 + noise),
                record: None,
            });
            // What is on the disk is all that the next boot knows.
            plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
        }
    }

    #[test]
    fn a_gain_of_a_tenth_is_found_in_eight_pairs_of_boots() {
        for seed in 0..20 {
            let (plan, verdict) = boot(plan(seed), [10_000.0, 11_000.0]);
            assert_eq!(
                (verdict.outcome, verdict.arm.as_str()),
                (Outcome::Better, "mitigations=off")
            );
            assert_eq!(plan.boots.len() as u64, plan.boots_wanted());
            let effect = verdict.effect.unwrap();
            assert!((effect - 0.1).abs() < 0.02, "{effect}");
            assert!(
                !verdict.sentence.contains("not known"),
                "{}",
                verdict.sentence
            );
        }
    }

    #[test]
    fn what_changes_nothing_never_wins_and_what_is_worse_keeps_what_was_found() {
        for seed in 0..20 {
            let (_, verdict) = boot(plan(seed), [10_000.0, 10_000.0]);
            assert_ne!(verdict.outcome, Outcome::Better, "{}", verdict.sentence);
            let (_, verdict) = boot(plan(seed), [10_000.0, 8_000.0]);
            assert_eq!(verdict.reason, Reason::DefaultWins, "{}", verdict.sentence);
        }
    }

    #[test]
    fn the_order_is_random_and_its_own_whatever_is_edited() {
        let orders: std::collections::BTreeSet<Vec<usize>> = (0..8)
            .map(|seed| {
                boot(plan(seed), [1e4, 1e4])
                    .0
                    .boots
                    .iter()
                    .map(|boot| boot.arm)
                    .collect()
            })
            .collect();
        assert!(orders.len() > 4, "{orders:?}");
        let (mut edited, _) = boot(plan(1), [1e4, 1e4]);
        edited.boots[3].arm ^= 1;
        assert!(matches!(edited.next(), Err(BootError::Order(4))));
        let (mut edited, _) = boot(plan(1), [1e4, 1e4]);
        edited.boots[2].value = f64::NAN;
        assert!(matches!(edited.next(), Err(BootError::Value(_))));
    }
}
