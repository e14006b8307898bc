//! The order in which settings are written and restored follows from what disturbs what: a scheduler comes before the
//! limits that its switch resets, a limit before the read-ahead that it recomputes.

use super::groups::{ALL_BFQ_WEIGHTS, BFQ_WEIGHT};
use super::{Knob, knobs};
use model::subject::SubjectKind;

/// The knob of a kind of subject that has this file; of a queue also one of its scheduler's, `iosched/slice_idle_us`.
pub fn on(kind: SubjectKind, attribute: &str) -> Option<&'static Knob> {
    let (kind, attribute) = match attribute.strip_prefix(OWN_FILES) {
        Some(file) if kind == SubjectKind::Queue => (SubjectKind::Scheduler, file),
        _ => (kind, attribute),
    };
    let mut all = knobs::ALL.iter().copied();
    all.find(|knob| knob.on == kind && knob.attribute == attribute)
}

/// Where a queue has its scheduler's files.
const OWN_FILES: &str = "iosched/";

/// A knob's place in the order of writing and restoring: behind every knob that disturbs it.
pub fn rank(knob: &Knob) -> u8 {
    rank_below(knob, knobs::ALL.len())
}

/// The same over chains of at most so many knobs.
fn rank_below(knob: &Knob, steps: usize) -> u8 {
    let Some(steps) = steps.checked_sub(1) else {
        return 0;
    };
    let disturbers = knobs::ALL
        .iter()
        .filter(|other| other.id != knob.id && disturbs(other, knob) && !exclude(other, knob));
    let ranks = disturbers.map(|other| rank_below(other, steps) + 1);
    ranks.max().unwrap_or(0)
}

/// Whether a write of one knob may change the other.
fn disturbs(one: &Knob, other: &Knob) -> bool {
    (one.on == other.on && one.disturbs.contains(&other.attribute))
        || (is_below(one, other) && one.disturbs.iter().any(|name| names(name, other)))
        || forgets(one, other)
}

/// Whether the kernel forgets the other's values, of every group, with a write of one.
fn forgets(one: &Knob, other: &Knob) -> bool {
    let is_weight = other.on == SubjectKind::Group && other.attribute == BFQ_WEIGHT;
    is_weight && one.disturbs.contains(&ALL_BFQ_WEIGHTS)
}

/// Whether two settings say one thing in two ways, so that a write of either sets the other to 0, as bytes and a share
/// of memory. They have no order: restoring goes on until both read what they did.
pub fn exclude(one: &Knob, other: &Knob) -> bool {
    disturbs(one, other) && disturbs(other, one)
}

/// Whether a write of one knob takes the other's file away, or makes it anew.
pub fn remakes(one: &Knob, other: &Knob) -> bool {
    forgets(one, other) || (is_below(one, other) && one.disturbs.iter().any(|name| is_all(name)))
}

/// A queue's scheduler has its files in a directory of the queue.
fn is_below(one: &Knob, other: &Knob) -> bool {
    one.on == SubjectKind::Queue && other.on == SubjectKind::Scheduler
}

/// Whether a name that a knob of a queue disturbs is this file of its scheduler.
fn names(disturbed: &str, scheduler: &Knob) -> bool {
    let file = disturbed.strip_prefix(OWN_FILES);
    is_all(disturbed) || file == Some(scheduler.attribute)
}

fn is_all(disturbed: &str) -> bool {
    disturbed.strip_prefix(OWN_FILES) == Some("*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_disturbs_another_comes_before_it() {
        for knob in knobs::ALL {
            let disturbed = knob.disturbs.iter().filter_map(|name| on(knob.on, name));
            for disturbed in disturbed.filter(|other| !exclude(knob, other)) {
                assert!(rank(knob) < rank(disturbed), "{} {}", knob.id, disturbed.id);
            }
        }
        let of = |id: &str| rank(Knob::find(id).unwrap());
        assert_eq!(
            (of("scheduler"), of("nr_requests"), of("read_ahead_kb")),
            (0, 1, 1)
        );
        assert_eq!(of("read_expire"), 1, "the scheduler's switch makes it anew");
        assert_eq!(of("bfq_weight"), 1, "the scheduler's switch forgets it");
        assert!(of("async_depth") > of("nr_requests"));
        let knob = |id: &str| Knob::find(id).unwrap();
        assert!(exclude(knob("dirty_bytes"), knob("dirty_ratio")));
        assert!(!exclude(
            knob("dirty_bytes"),
            knob("dirty_background_ratio")
        ));
    }
}
