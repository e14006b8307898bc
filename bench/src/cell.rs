//! The cells of the proof: which simulated device, which true effects, and what counts as right.

use experiment::{Class, ExperimentPlan};
use simulator::{Draw, Scenario, carry, public, robbed, shared};

/// The tables of the report, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// No arm differs in the long run; any win is wrong.
    Null,
    /// One arm differs by a known effect.
    Power,
    /// One arm differs, and the device has carry-over.
    Carry,
    /// Six and twelve arms.
    Race,
    /// Slow debt under the slow class.
    Slow,
    /// Another program uses the device too.
    Shared,
    /// What an arm gains it takes from another program; any win is wrong.
    Robbed,
    /// Debt of other sizes and on noisier devices, within the memory that the knob declares; any win is wrong.
    Debt,
    /// The same debt of a knob that declares a memory of a second; any win is wrong, and none is promised.
    Beyond,
}

/// True effects of the arms.
#[derive(Clone, Copy, Debug)]
pub enum Arms {
    /// The default and one arm with this effect, ratio minus one.
    Two(f64),
    /// So many arms with effects drawn anew for each run.
    Drawn(usize, Kind),
}

/// How the effects of many arms are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Normal with a deviation of 12 %.
    Spread,
    /// All within 2 %, one of them 25 % ahead.
    OneWinner,
    /// Three near ties ahead of the rest.
    Ties,
    /// All equal.
    Equal,
}

/// One row of a table.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The table it belongs to.
    pub table: Table,
    /// The device.
    pub scenario: Scenario,
    /// The arms.
    pub arms: Arms,
    /// The class the knob is declared as.
    pub class: Class,
    /// How long a switch may go on acting, as the knob declares it, ms; 0 for the class's own.
    pub memory_ms: u64,
}

impl Cell {
    /// Name of the row.
    pub fn label(&self) -> String {
        match self.arms {
            _ if matches!(self.table, Table::Debt | Table::Beyond) => {
                let Scenario {
                    name, debt, debt_s, ..
                } = self.scenario;
                format!(
                    "{name}, {:.0} % paid back in {debt_s:.0} s",
                    100.0 * debt.exp_m1()
                )
            }
            Arms::Two(0.0) => self.device(),
            Arms::Two(effect) => format!("{} {:+.0} %", self.device(), effect * 100.0),
            Arms::Drawn(arms, kind) => format!("{} K={arms} {kind:?}", self.scenario.name),
        }
    }

    fn device(&self) -> String {
        let Scenario {
            name, neighbour, ..
        } = &self.scenario;
        match neighbour {
            Some(neighbour) => format!("{name} {:.0} %", 100.0 * neighbour.share),
            None => (*name).to_owned(),
        }
    }

    /// True effects of run `run` on what the device does, on the logarithmic scale.
    pub fn effects_ln(&self, run: u64) -> Vec<f64> {
        match self.arms {
            Arms::Two(effect) => vec![0.0, effect.ln_1p()],
            Arms::Drawn(arms, kind) => drawn(arms, kind, &mut Draw::new(!self.seed(run))),
        }
    }

    /// A seed of run `run` that no other row shares, so that rows can be pooled as independent (FNV-1a).
    pub fn seed(&self, run: u64) -> u64 {
        let name = format!("{:?} {}", self.table, self.label());
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        name.bytes()
            .chain(run.to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325, mix)
    }

    /// The plan of run `run`.
    pub fn plan(&self, run: u64) -> ExperimentPlan {
        let arms = match self.arms {
            Arms::Two(_) => 2,
            Arms::Drawn(arms, _) => arms,
        };
        let plan = ExperimentPlan::new(
            (0..arms).map(|arm| format!("arm{arm}")).collect(),
            self.class,
            self.seed(run) >> 1,
        );
        ExperimentPlan {
            memory_ms: self.memory_ms.max(plan.memory_ms),
            ..plan
        }
    }
}

fn drawn(arms: usize, kind: Kind, draw: &mut Draw) -> Vec<f64> {
    let mut effects: Vec<f64> = match kind {
        Kind::Spread => (0..arms).map(|_| 0.12 * draw.normal()).collect(),
        Kind::OneWinner => (0..arms).map(|_| 0.02 * draw.normal()).collect(),
        Kind::Ties => (0..arms).map(|_| -0.08 + 0.05 * draw.normal()).collect(),
        Kind::Equal => vec![0.0; arms],
    };
    match kind {
        Kind::OneWinner => effects[draw.below(arms)] += 0.25,
        Kind::Ties => {
            let mut places: Vec<usize> = (0..arms).collect();
            for _ in 0..3 {
                let place = places.swap_remove(draw.below(places.len()));
                effects[place] = 0.05 + 0.004 * draw.normal();
            }
        }
        Kind::Spread | Kind::Equal => {}
    }
    effects
}

/// All rows.
pub fn all() -> Vec<Cell> {
    let fast = |table, scenario, arms| Cell {
        table,
        scenario,
        arms,
        class: Class::Fast,
        memory_ms: match table {
            Table::Beyond => 0,
            _ if scenario.debt > 0.0 => (1e3 * scenario.debt_s) as u64,
            _ => 0,
        },
    };
    let mut cells = Vec::new();
    cells.extend(
        public()
            .into_iter()
            .chain(carry())
            .map(|s| fast(Table::Null, s, Arms::Two(0.0))),
    );
    for scenario in public() {
        let effects = [0.03, 0.05, 0.10, 0.30, 1.0, 9.0, -0.05];
        cells.extend(effects.map(|effect| fast(Table::Power, scenario, Arms::Two(effect))));
    }
    cells.extend(
        carry()
            .into_iter()
            .map(|s| fast(Table::Carry, s, Arms::Two(0.10))),
    );
    let raced = ["quiet_nvme", "ar_ssd", "drift", "gc_regime", "cloud"];
    for scenario in public().into_iter().filter(|s| raced.contains(&s.name)) {
        for arms in [6, 12] {
            for kind in [Kind::Spread, Kind::OneWinner, Kind::Ties, Kind::Equal] {
                cells.push(fast(Table::Race, scenario, Arms::Drawn(arms, kind)));
            }
        }
    }
    for scenario in shared() {
        let effects = [0.0, 0.10, 0.30, -0.10];
        cells.extend(effects.map(|effect| fast(Table::Shared, scenario, Arms::Two(effect))));
    }
    let robbed = robbed().into_iter();
    cells.extend(robbed.map(|s| fast(Table::Robbed, s, Arms::Two(0.10))));
    for table in [Table::Debt, Table::Beyond] {
        cells.extend(debts().into_iter().map(|s| fast(table, s, Arms::Two(0.0))));
    }
    for scenario in carry().into_iter().filter(|s| s.debt > 0.0) {
        for effect in [0.0, 0.10] {
            let arms = Arms::Two(effect);
            cells.push(Cell {
                table: Table::Slow,
                scenario,
                arms,
                class: Class::Slow,
                memory_ms: 0,
            });
        }
    }
    cells
}

fn debts() -> Vec<Scenario> {
    let owing = |device: Scenario, gain: f64, debt_s: f64| Scenario {
        debt: gain.ln_1p(),
        debt_s,
        ..device
    };
    let mut devices = Vec::new();
    for gain in [0.05, 0.3, 1.0] {
        let plain = Scenario::plain("plain");
        devices.extend([1.0, 3.0, 10.0, 30.0].map(|debt_s| owing(plain, gain, debt_s)));
    }
    for device in public()
        .into_iter()
        .filter(|s| ["ar_ssd", "gc_regime", "cloud"].contains(&s.name))
    {
        devices.extend([1.0, 3.0, 10.0, 30.0].map(|debt_s| owing(device, 0.15, debt_s)));
    }
    devices
}
