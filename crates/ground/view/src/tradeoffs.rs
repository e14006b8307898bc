//! What each value gives and costs beside what it was judged by: where one goal wins and another loses, a person decides.

use model::figures::{ArmFigures, ArmValue};
use model::metric::Better;
use model::record::Trial;
use model::units;
use serde::Serialize;

/// Differences of less than so many errors are noise, and smaller ones than this share nobody's concern.
const ERRORS: f64 = 3.0;
const SMALL: f64 = 0.02;

/// Something that people want much or little of, by the figure that tells it.
struct Goal {
    figure: &'static str,
    name: &'static str,
    better: Better,
    words: fn(f64) -> String,
}

const GOALS: [Goal; 3] = [
    Goal {
        figure: "load.per_s",
        name: "IOPS",
        better: Better::Higher,
        words: units::count,
    },
    Goal {
        figure: "load.p99_us",
        name: "p99",
        better: Better::Lower,
        words: |us| units::duration_ns(us * 1e3),
    },
    Goal {
        figure: "cpu.all.us_per_io",
        name: "CPU per I/O",
        better: Better::Lower,
        words: |us| units::duration_ns(us * 1e3),
    },
];

/// The values of a knob by several goals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TradeOffs {
    /// What is compared: `IOPS`, `p99`.
    pub goals: Vec<&'static str>,
    /// The values, the one that was set first.
    pub rows: Vec<TradeOff>,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TradeOff {
    /// The value.
    pub arm: String,
    /// By goal: what the value that was set has, and how far the others are from it; `same` within the noise.
    pub cells: Vec<String>,
    /// Another value that is better in something and worse in nothing.
    pub beaten_by: Option<String>,
}

impl TradeOff {
    /// Why nobody should take it; none where somebody may.
    pub fn remark(&self) -> Option<String> {
        let other = self.beaten_by.as_ref()?;
        Some(format!("{other} is better, and worse in nothing"))
    }
}

impl TradeOffs {
    /// Of a trial; none where no value is better in one goal and worse in another than the one that was set.
    pub fn of(trial: &Trial) -> Option<TradeOffs> {
        let goals: Vec<(&Goal, &ArmFigures)> = GOALS
            .iter()
            .filter_map(|goal| {
                let is_it = |figure: &&ArmFigures| figure.name == goal.figure;
                let figure = trial.figures.iter().find(is_it)?;
                let is_whole = trial.arms.iter().all(|arm| is_told(figure, arm));
                is_whole.then_some((goal, figure))
            })
            .collect();
        let set = trial.arms.first()?;
        let gains = |from: &str, to: &str| -> Vec<f64> {
            let gain = |(goal, figure): &(&Goal, &ArmFigures)| gain(goal, figure, from, to);
            goals.iter().filter_map(gain).collect()
        };
        let is_mixed = |arm: &String| {
            let gains = gains(set, arm);
            gains.iter().any(|gain| *gain > 0.0) && gains.iter().any(|gain| *gain < 0.0)
        };
        if !trial.arms.iter().any(is_mixed) {
            return None;
        }
        let beats = |other: &&String, arm: &str| {
            let gains = gains(arm, other);
            gains.iter().any(|gain| *gain > 0.0) && gains.iter().all(|gain| *gain >= 0.0)
        };
        let row = |arm: &String| TradeOff {
            arm: arm.clone(),
            cells: goals
                .iter()
                .map(|(goal, figure)| cell(goal, figure, set, arm))
                .collect(),
            beaten_by: trial.arms.iter().find(|other| beats(other, arm)).cloned(),
        };
        Some(TradeOffs {
            goals: goals.iter().map(|(goal, _)| goal.name).collect(),
            rows: trial.arms.iter().map(row).collect(),
        })
    }
}

fn is_told(figure: &ArmFigures, arm: &str) -> bool {
    figure
        .of(arm)
        .is_some_and(|value| value.value > 0.0 && value.windows > 1)
}

/// How much better one arm is than another, on the logarithmic scale; 0 within the noise or where it is small.
fn gain(goal: &Goal, figure: &ArmFigures, from: &str, to: &str) -> Option<f64> {
    let (from, to) = (figure.of(from)?, figure.of(to)?);
    let error = |value: &ArmValue| value.spread / value.value / (value.windows as f64).sqrt();
    let ratio_ln = (to.value / from.value).ln();
    let is_noise = ratio_ln.abs() <= ERRORS * error(from).hypot(error(to));
    Some(match goal.better {
        _ if is_noise || ratio_ln.abs() < SMALL => 0.0,
        Better::Higher => ratio_ln,
        Better::Lower => -ratio_ln,
    })
}

fn cell(goal: &Goal, figure: &ArmFigures, set: &str, arm: &str) -> String {
    let value = |arm: &str| figure.of(arm).map_or(f64::NAN, |value| value.value);
    match gain(goal, figure, set, arm) {
        _ if set == arm => (goal.words)(value(set)),
        Some(gain) if gain != 0.0 => units::percent_signed(value(arm) / value(set) - 1.0),
        _ => "same".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(rates: [f64; 3], p99s: [f64; 3]) -> Trial {
        let arms = ["mq-deadline", "none", "bfq"];
        let figure = |name: &str, values: [f64; 3]| ArmFigures {
            name: name.into(),
            unit: String::new(),
            arms: arms
                .iter()
                .zip(values)
                .map(|(arm, value)| ArmValue {
                    arm: (*arm).into(),
                    value,
                    spread: value / 20.0,
                    windows: 25,
                })
                .collect(),
        };
        Trial {
            arms: arms.map(String::from).into(),
            figures: vec![figure("load.per_s", rates), figure("load.p99_us", p99s)],
            ..Trial::default()
        }
    }

    #[test]
    fn a_win_that_costs_something_else_is_shown_and_a_value_that_loses_all_named() {
        let shown = TradeOffs::of(&trial(
            [40_000.0, 60_000.0, 30_000.0],
            [900.0, 1_800.0, 2_000.0],
        ))
        .unwrap();
        assert_eq!(shown.goals, ["IOPS", "p99"]);
        assert_eq!(shown.rows[0].cells, ["40.0 k", "900 µs"]);
        assert_eq!(shown.rows[1].cells, ["+50 %", "+100 %"]);
        let beaten: Vec<Option<&str>> = shown
            .rows
            .iter()
            .map(|row| row.beaten_by.as_deref())
            .collect();
        assert_eq!(beaten, [None, None, Some("mq-deadline")]);
    }

    #[test]
    fn where_nothing_is_lost_there_is_nothing_to_decide() {
        let same = [900.0, 905.0, 895.0];
        assert_eq!(
            TradeOffs::of(&trial([40_000.0, 60_000.0, 40_100.0], same)),
            None
        );
        assert_eq!(TradeOffs::of(&trial([0.0; 3], same)), None);
        assert_eq!(TradeOffs::of(&Trial::default()), None);
    }
}
