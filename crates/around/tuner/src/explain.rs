//! Stage 8, after the verdict: traced windows that show where a difference comes from.
//!
//! Tracing costs some time of every I/O. So the proof is measured without it, and these windows, which have it, prove
//! nothing. Two arms take turns in an order that a steady drift does not favour, in windows that are short, because
//! many of them show better than a few long ones how much a layer varies by itself.

use model::change::Class;
use model::verdict::{Outcome, Reason, Verdict, VerdictStage};

use experiment::Window;

/// Both arms alike often in every half, and first alike often.
const ORDER: [usize; 8] = [0, 1, 1, 0, 1, 0, 0, 1];
/// Least length of a window of a fast knob.
const WINDOW_MS: u64 = 500;
/// What attaching the programs may take, ms.
const ATTACH_MS: u64 = 1_000;

/// The arm that a verdict compares with the one found, when there is a difference to explain. A run that changes
/// nothing is a check of the explanation too, which must find none.
pub(super) fn compared(verdict: &Verdict, arms: &[String], aa: bool) -> Option<usize> {
    let is_broken = matches!(
        verdict.reason,
        Reason::ApplyFailed | Reason::BoundCrossed | Reason::WindowFailed | Reason::NoIo
    );
    let is_wanted = verdict.outcome == Outcome::Better || (aa && !is_broken);
    let named = verdict.compared.as_ref().unwrap_or(&verdict.arm);
    let index = arms
        .iter()
        .position(|arm| arm == named)
        .filter(|index| *index > 0);
    is_wanted
        .then(|| index.unwrap_or(1))
        .filter(|index| *index < arms.len())
}

/// The windows for two arms, in their order.
pub(super) fn windows(verdict: &Verdict, class: Class, arm: usize) -> Vec<Window> {
    let (rounds, duration_ms) = match class {
        Class::Fast => (2, WINDOW_MS.max(verdict.washout_ms * 5 / 2)),
        Class::Learned | Class::Slow => (1, verdict.window_ms),
    };
    let order = ORDER.iter().cycle().take(rounds * ORDER.len());
    let window = |(index, turn): (usize, &usize)| Window {
        id: index as u64 + 1,
        arm: turn * arm,
        duration_ms: verdict.metric.whole_grains_ms(duration_ms),
        discard_ms: verdict.metric.whole_grains_ms(verdict.washout_ms),
        stage: VerdictStage::Explain,
        fresh: false,
        half_depth: false,
    };
    order.enumerate().map(window).collect()
}

/// Whether so many of the windows are enough: both arms had their turns, first and last alike often.
pub(super) fn is_balanced(windows: usize) -> bool {
    windows > 0 && windows.is_multiple_of(ORDER.len())
}

/// What the windows take, with attaching the programs, in milliseconds.
pub(super) fn takes_ms(windows: &[Window]) -> u64 {
    windows.iter().map(|window| window.duration_ms).sum::<u64>() + ATTACH_MS
}

/// What is set aside for them when a budget is planned, in milliseconds.
pub fn reserve_ms(class: Class) -> u64 {
    let window_ms = match class {
        Class::Fast => 2 * WINDOW_MS,
        Class::Learned => experiment::class_window_ms(class),
        // As long as the proof itself: only where time is left over.
        Class::Slow => return 0,
    };
    ORDER.len() as u64 * window_ms + ATTACH_MS
}

#[cfg(test)]
mod tests {
    use super::*;
    fn verdict(outcome: Outcome, arm: &str, compared: Option<&str>) -> Verdict {
        Verdict {
            outcome,
            arm: arm.into(),
            reason: Reason::Confirmed,
            sentence: String::new(),
            metric: model::metric::ExperimentMetric::iops(),
            effect: None,
            low: None,
            high: None,
            estimated_in: None,
            compared: compared.map(String::from),
            windows: 0,
            device_ms: 0,
            seed: 7,
            alpha: 0.05,
            rope: 0.02,
            window_ms: 120,
            washout_ms: 40,
            horizon_ms: 0,
            memory_ms: 0,
            raw_effect: None,
            lives_in_tail: false,
            smallest_detectable: None,
            p99: None,
            arms: vec![],
            foreign: vec![],
            stages: vec![],
            pairs: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn a_difference_is_explained_whichever_arm_is_better() {
        let arms = ["bfq", "none", "kyber"].map(String::from);
        let of = |verdict: &Verdict, aa| compared(verdict, &arms, aa);
        assert_eq!(
            of(&verdict(Outcome::Better, "kyber", Some("kyber")), false),
            Some(2)
        );
        assert_eq!(
            of(&verdict(Outcome::Better, "bfq", Some("none")), false),
            Some(1),
            "the default wins"
        );
        assert_eq!(of(&verdict(Outcome::Better, "bfq", None), false), Some(1));
        assert_eq!(
            of(&verdict(Outcome::Equal, "bfq", Some("none")), false),
            None
        );
        assert_eq!(
            of(&verdict(Outcome::Equal, "bfq", Some("none")), true),
            Some(1)
        );
        assert_eq!(of(&verdict(Outcome::Refused, "bfq", None), true), Some(1));
        let broken = Verdict {
            reason: Reason::ApplyFailed,
            ..verdict(Outcome::Refused, "bfq", None)
        };
        assert_eq!(of(&broken, true), None);
    }

    #[test]
    fn both_arms_get_as_many_windows_and_their_places_balance() {
        let mut verdict = verdict(Outcome::Better, "kyber", Some("kyber"));
        for class in [Class::Fast, Class::Learned, Class::Slow] {
            let windows = windows(&verdict, class, 2);
            let places = |arm: usize| {
                windows
                    .iter()
                    .filter(move |w| w.arm == arm)
                    .map(|w| w.id)
                    .sum::<u64>()
            };
            assert_eq!(
                windows.iter().filter(|window| window.arm == 0).count() * 2,
                windows.len()
            );
            assert_eq!(places(0), places(2), "a steady drift favours neither");
            assert!(
                windows
                    .iter()
                    .all(|window| window.discard_ms * 2 < window.duration_ms),
                "{class:?}"
            );
        }
        assert_eq!(
            takes_ms(&windows(&verdict, Class::Fast, 1)),
            reserve_ms(Class::Fast)
        );
        verdict.washout_ms = 2_000;
        assert_eq!(windows(&verdict, Class::Fast, 1)[0].duration_ms, 5_000);
    }
}
