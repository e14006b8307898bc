//! A tune that names no knob: one knob after the other is selected, each on top of what was ahead before it, and what was
//! selected is proved once, all of it against what was found.

use super::live::Live;
use super::plan::{self, PlannedKnob};
use super::session::{Aim, Asked, Rig, Session, member, must_be_back};
use crate::exit::{Exit, Failure};
use apply::{CheckedValue, Knob};
use host::clock;
use model::record::Trial;
use tuner::drive::Turn;

/// Values of a set that are also left out one by one, so that none is kept that gives nothing beside the others.
const LEFT_OUT_MAX: usize = 4;

/// A value that was ahead.
struct Selected {
    /// Its knob, with the value that was found first.
    planned: PlannedKnob,
    value: CheckedValue,
}

/// How far a climb is.
#[derive(Default)]
struct Climb {
    selected: Vec<Selected>,
    trials: Vec<Trial>,
    is_over: bool,
}

impl Climb {
    fn values(&self) -> Vec<CheckedValue> {
        self.selected.iter().map(|one| one.value.clone()).collect()
    }
}

impl Session<'_> {
    /// Selects, and proves what was selected. The proof is told first.
    pub(super) fn climb(
        &self,
        rig: &Rig<'_>,
        knobs: &[PlannedKnob],
        live: &Live,
        end_ns: u64,
    ) -> Result<Vec<Trial>, Failure> {
        let mut climb = Climb::default();
        let select_ns = end_ns.saturating_sub(self.plan.proof_ms() * 1_000_000);
        for (index, planned) in knobs.iter().enumerate() {
            if climb.is_over {
                break;
            }
            let left = (
                (knobs.len() - index) as u64,
                select_ns.max(clock::monotonic_ns()),
            );
            climb = self.select(climb, (index, planned), left, rig, live)?;
        }
        if climb.is_over || climb.selected.is_empty() {
            return Ok(climb.trials);
        }
        let (planned, asked) = match climb.selected.as_slice() {
            [one] => self.proof_of_one(one),
            several => self.proof_of_set(several)?,
        };
        let next = (knobs.len(), &planned, asked);
        let (_, mut trials) = self.try_next(Vec::new(), next, (1, end_ns), rig, live)?;
        trials.extend(climb.trials);
        Ok(trials)
    }

    /// Tries one more knob on top of what is ahead, and takes its value along where that is ahead too.
    fn select(
        &self,
        climb: Climb,
        (index, planned): (usize, &PlannedKnob),
        left: (u64, u64),
        rig: &Rig<'_>,
        live: &Live,
    ) -> Result<Climb, Failure> {
        let base = apply::together(climb.values()).map_err(defect)?;
        for one in &base {
            apply::set(one.knob, rig.journal, &one.files, &one.value).map_err(defect)?;
        }
        let Climb {
            mut selected,
            mut trials,
            ..
        } = climb;
        let asked = self.asked_on(planned, &base);
        let (knob, turn) = match asked {
            Ok(asked) => asked,
            Err(why) => {
                must_be_back(&rig.journal.put_back())?;
                trials.push(self.not_tried(planned, Vec::new(), why));
                return Ok(Climb {
                    selected,
                    trials,
                    is_over: false,
                });
            }
        };
        let here = PlannedKnob {
            values: turn.values.clone(),
            ..planned.clone()
        };
        let files = turn.files.clone();
        let asked = Asked {
            turns: vec![turn],
            set: Vec::new(),
            base: base.iter().map(member).collect(),
            aim: Aim::Select,
        };
        let is_over;
        (is_over, trials) = self.try_next(trials, (index, &here, asked), left, rig, live)?;
        // Also where there was no time to try it: what comes next begins with what was found.
        must_be_back(&rig.journal.put_back())?;
        let ahead = trials.last().and_then(|trial| trial.selection());
        if let Some(verdict) = ahead {
            let value = CheckedValue {
                knob,
                files,
                value: verdict.arm.clone(),
            };
            let with: Vec<CheckedValue> = base.into_iter().chain([value.clone()]).collect();
            // Two values that cannot be in place together: the one that was ahead first stays.
            if apply::together(with).is_ok() {
                let planned = planned.clone();
                selected.push(Selected { planned, value });
            }
        }
        Ok(Climb {
            selected,
            trials,
            is_over,
        })
    }

    /// What is turned to try a knob on top of others: its values may be others than those on what was found.
    fn asked_on(
        &self,
        planned: &PlannedKnob,
        base: &[CheckedValue],
    ) -> Result<(&'static Knob, Turn), String> {
        let gone = || format!("{} has gone away", planned.subject);
        let knob = Knob::find(&planned.knob).ok_or_else(gone)?;
        let files = self.files(planned).ok_or_else(gone)?;
        let values = match base.is_empty() {
            true => planned.values.clone(),
            false => plan::choices_unasked(knob, &files, self.job)?,
        };
        let turn = Turn {
            knob,
            files,
            values,
        };
        Ok((knob, turn))
    }

    fn proof_of_one(&self, one: &Selected) -> (PlannedKnob, Asked) {
        let values = vec![one.planned.values[0].clone(), one.value.value.clone()];
        let turn = Turn {
            knob: one.value.knob,
            files: one.value.files.clone(),
            values: values.clone(),
        };
        let asked = Asked {
            turns: vec![turn],
            set: Vec::new(),
            base: Vec::new(),
            aim: Aim::Headline,
        };
        let planned = PlannedKnob {
            values,
            ..one.planned.clone()
        };
        (planned, asked)
    }

    /// What was found against all that was selected, and against all but one of it.
    fn proof_of_set(&self, several: &[Selected]) -> Result<(PlannedKnob, Asked), Failure> {
        let values: Vec<CheckedValue> = several.iter().map(|one| one.value.clone()).collect();
        let ordered = apply::together(values).map_err(defect)?;
        let each: Vec<&PlannedKnob> = several.iter().map(|one| &one.planned).collect();
        let mut planned = self
            .planned_together(&each)
            .ok_or_else(|| defect("a set without a knob"))?;
        let left_out = if ordered.len() <= LEFT_OUT_MAX {
            ordered.len()
        } else {
            0
        };
        let without = ordered[..left_out].iter();
        let without = without.map(|one| format!("without {}", one.knob.id));
        planned.values.extend(without);
        let found = |one: &CheckedValue| {
            let is_its = |other: &&Selected| member(&other.value) == member(one);
            several
                .iter()
                .find(is_its)
                .map(|one| one.planned.values[0].clone())
        };
        let mut turns = Vec::new();
        for (at, one) in ordered.iter().enumerate() {
            let found = found(one).ok_or_else(|| defect("a value that nobody selected"))?;
            let mut values = vec![found.clone(), one.value.clone()];
            values.extend((0..left_out).map(|out| match out == at {
                true => found.clone(),
                false => one.value.clone(),
            }));
            turns.push(Turn {
                knob: one.knob,
                files: one.files.clone(),
                values,
            });
        }
        let asked = Asked {
            turns,
            set: ordered.iter().map(member).collect(),
            base: Vec::new(),
            aim: Aim::Headline,
        };
        Ok((planned, asked))
    }
}

fn defect(why: impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Failed, format!("{why}."))
}
