//! The order in which settings are written and restored follows from what disturbs what: a scheduler comes before the
//! limits that its switch resets, a limit before the read-ahead that it recomputes.

use super::{Knob, knobs};
use model::subject::SubjectKind;

/// The knob of a kind of subject that has this file.
pub fn on(kind: SubjectKind, attribute: &str) -> Option<&'static Knob> {
    let mut all = knobs::ALL.iter().copied();
    all.find(|knob| knob.on == kind && knob.attribute == attribute)
}

/// A knob's place in the order of writing and restoring: behind every knob that disturbs it.
pub fn rank(knob: &Knob) -> u8 {
    rank_below(knob, knobs::ALL.len())
}

/// The same over chains of at most so many knobs: two that disturb each other would have none.
fn rank_below(knob: &Knob, steps: usize) -> u8 {
    let Some(steps) = steps.checked_sub(1) else {
        return 0;
    };
    let disturbers = knobs::ALL.iter().filter(|other| {
        other.on == knob.on && other.id != knob.id && other.disturbs.contains(&knob.attribute)
    });
    let ranks = disturbers.map(|other| rank_below(other, steps) + 1);
    ranks.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_disturbs_another_comes_before_it() {
        for knob in knobs::ALL {
            for disturbed in knob.disturbs.iter().filter_map(|name| on(knob.on, name)) {
                assert!(rank(knob) < rank(disturbed), "{} {}", knob.id, disturbed.id);
            }
        }
        let of = |id: &str| rank(Knob::find(id).unwrap());
        assert_eq!(
            (of("scheduler"), of("nr_requests"), of("read_ahead_kb")),
            (0, 1, 1)
        );
    }
}
