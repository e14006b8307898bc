//! Which knobs are tried first where none is named: those that a short look at the target makes suspect.

use super::plan::{self, PlannedKnob};
use super::session::Session;
use crate::commands::check::look::Look;
use crate::commands::run::facts::target_facts;
use crate::exit::Failure;
use apply::Knob;
use host::signals::Stop;
use load::{Engine, Needs, Prepared};
use model::finding::Finding;

/// What the look showed.
#[derive(Default)]
pub(super) struct Suspects {
    /// What stands, the worst first; empty where nothing was looked at.
    pub(super) findings: Vec<Finding>,
    /// The knobs to try, in their order.
    pub(super) knobs: Vec<PlannedKnob>,
}

impl Session<'_> {
    /// Looks where knobs are selected and the load is one of ours. A simulated disk would only show what it was told to.
    pub(super) fn suspect(
        &self,
        prepared: Prepared,
        stop: &Stop,
    ) -> Result<(Prepared, Suspects), Failure> {
        let engine = Engine::find(&self.job.ioengine);
        let is_ours = engine
            .is_none_or(|engine| engine.does_what_the_job_says() && engine.needs == Needs::Files);
        let knobs = self.plan.knobs.clone();
        let is_rehearsed = self.context.host.rehearsal().is_some();
        if !self.plan.climbs || !is_ours || is_rehearsed {
            let findings = Vec::new();
            return Ok((prepared, Suspects { findings, knobs }));
        }
        let look = Look {
            context: self.context,
            path: self.path,
            job: self.job,
            target: target_facts(Some(self.target), self.path),
            is_scratch: self.plan.is_laid_out,
        };
        let (prepared, findings) = look.findings(prepared, stop);
        let knobs = self.in_order(knobs, &findings);
        Ok((prepared, Suspects { findings, knobs }))
    }

    /// What is suspect first, as far as no knob has to wait for one that disturbs it; and what else is suspect of the
    /// device and can be tried within its lock.
    fn in_order(&self, mut knobs: Vec<PlannedKnob>, findings: &[Finding]) -> Vec<PlannedKnob> {
        let named: Vec<(&str, &Finding)> = findings
            .iter()
            .filter_map(|finding| Some((finding.knob.as_deref()?, finding)))
            .collect();
        for (id, finding) in &named {
            let is_it = |planned: &PlannedKnob| planned.knob == **id;
            let is_left_out = self.plan.skipped.iter().any(|skipped| skipped.knob == **id);
            if is_left_out {
                continue;
            }
            let claim = finding.claim.trim_end_matches('.');
            match knobs.iter().any(is_it) {
                true => self.say(format!("suspect: {id} ({}): {claim}.", finding.rule)),
                false => match plan::suspect(id, self) {
                    Ok(planned) => {
                        self.say(format!("suspect: {id} ({}): {claim}.", finding.rule));
                        knobs.extend(planned);
                    }
                    Err(why) => self.say(format!(
                        "suspect, not tried: {id} ({}): {claim}. {why}",
                        finding.rule
                    )),
                },
            }
        }
        let place = |planned: &PlannedKnob| {
            let place = named.iter().position(|(id, _)| *id == planned.knob);
            place.unwrap_or(usize::MAX)
        };
        knobs.sort_by_key(|planned| (Knob::find(&planned.knob).map(apply::rank), place(planned)));
        knobs
    }

    fn say(&self, line: String) {
        self.context.out.say(line);
    }
}
