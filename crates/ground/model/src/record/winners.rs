//! What a tune proved, taken together: which values won, and whether they were measured in place at the same time.

use super::Trial;
use crate::subject::Subject;
use serde::{Deserialize, Serialize};

/// A value of one knob that a trial of several had in place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetMember {
    /// Knob id.
    pub knob: String,
    /// Whose setting it is.
    pub subject: Subject,
    /// The value that won.
    pub value: String,
}

/// The values of a tune that won.
#[derive(Clone, Debug, PartialEq)]
pub enum Winners<'a> {
    /// None.
    Nothing,
    /// One, which needs no other.
    One(&'a Trial),
    /// Several, and the trial that proved them together.
    Together {
        /// The trial of all of them.
        set: &'a Trial,
        /// The trial of each: one that proved it alone, or one that selected it for the set.
        each: Vec<&'a Trial>,
    },
    /// Several that are no set.
    Apart {
        /// The trial of each.
        each: Vec<&'a Trial>,
        /// Why they are none.
        why: Apart<'a>,
    },
}

/// Why values that won one by one are not put in place together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Apart<'a> {
    /// They were never in place at the same time.
    NeverTogether,
    /// Together they were not proved to be better than what was found.
    NoGain,
    /// Together they give less than this one alone.
    LessThan(&'a Trial),
}

impl<'a> Winners<'a> {
    /// The winners among the trials of a tune.
    pub fn of(trials: &'a [Trial]) -> Winners<'a> {
        let won = || trials.iter().filter(|trial| trial.win().is_some());
        let each: Vec<&Trial> = won().filter(|trial| trial.set.is_empty()).collect();
        match each.as_slice() {
            [] => return selected(trials).unwrap_or(Winners::Nothing),
            [one] => return Winners::One(one),
            _ => {}
        }
        let of_all = |set: &&Trial| each.iter().all(|one| set.holds(one));
        let why = match trials
            .iter()
            .find(|trial| !trial.set.is_empty() && of_all(trial))
        {
            None => Apart::NeverTogether,
            Some(set) if set.win().is_none() => Apart::NoGain,
            Some(set) => match each.iter().find(|one| is_less(set, one)) {
                None => return Winners::Together { set, each },
                Some(one) => Apart::LessThan(one),
            },
        };
        Winners::Apart { each, why }
    }

    /// The trial of each value that won.
    pub fn each(&self) -> Vec<&'a Trial> {
        match self {
            Winners::Nothing => Vec::new(),
            Winners::One(one) => vec![one],
            Winners::Together { each, .. } | Winners::Apart { each, .. } => each.clone(),
        }
    }

    /// The trials that proved what won: that of the set alone, where there is one.
    pub fn proofs(&self) -> Vec<&'a Trial> {
        match self {
            Winners::Together { set, .. } => vec![set],
            _ => self.each(),
        }
    }
}

/// Values that were only selected one by one, and proved together.
fn selected(trials: &[Trial]) -> Option<Winners<'_>> {
    let set = trials
        .iter()
        .find(|trial| !trial.set.is_empty() && trial.win().is_some())?;
    let trial_of = |member: &SetMember| {
        trials.iter().find(|trial| {
            let is_its = trial.knob == member.knob && trial.subject() == member.subject;
            is_its
                && trial
                    .selection()
                    .is_some_and(|ahead| ahead.arm == member.value)
        })
    };
    let each = set.set.iter().map(trial_of).collect::<Option<Vec<_>>>()?;
    Some(Winners::Together { set, each })
}

impl Trial {
    /// Whether this trial of several values had the one in place that the other proved.
    fn holds(&self, one: &Trial) -> bool {
        self.set.iter().any(|member| {
            let is_its = member.knob == one.knob && member.subject == one.subject();
            is_its && one.win().is_some_and(|win| win.arm == member.value)
        })
    }
}

/// Whether a set gives less than one value alone, beyond chance.
fn is_less(set: &Trial, one: &Trial) -> bool {
    let of = |trial: &Trial| trial.win().and_then(|win| Some((win.low?, win.high?)));
    of(set)
        .zip(of(one))
        .is_some_and(|((_, set_high), (one_low, _))| set_high < one_low)
}
