//! A look at a target that is ready already: a few short loads like the job of somebody who wants to know which settings
//! can matter for it.

use super::ground::Ground;
use super::loads::Loads;
use super::plan::{CheckPlan, Mode, is_buffered, writes};
use super::{judge, machine_facts};
use crate::commands::layers_arg::{LayersArg, wish};
use crate::context::Context;
use crate::exit::Failure;
use crate::live::Teller;
use host::signals::Stop;
use load::Prepared;
use model::check::CheckResult;
use model::finding::Finding;
use model::iopath::IoPath;
use model::job::Job;
use model::target::TargetFacts;

/// What is looked at, and for whom.
pub struct Look<'a> {
    pub context: &'a Context,
    pub path: &'a IoPath,
    /// The job whose settings are in question.
    pub job: &'a Job,
    pub target: TargetFacts,
    /// Whether the target is scratch of ours, which may be written.
    pub is_scratch: bool,
}

impl Look<'_> {
    /// Makes the loads and judges what they showed: what stands, the worst first. Gives the target back. A load that fails
    /// is no failure here: the settings are judged without it.
    pub fn findings(&self, prepared: Prepared, stop: &Stop) -> (Prepared, Vec<Finding>) {
        let plan = self.plan();
        let line = Teller::new(self.context.out);
        let origin_ns = host::clock::monotonic_ns();
        let wish = wish(Some(LayersArg::Auto));
        let around = (self.context, self.path);
        let mut loads = Loads::start(around, &plan, wish, (stop, &line), origin_ns);
        let ground = Ground {
            prepared,
            is_scratch: self.is_scratch,
            has_direct: self.job.direct,
        };
        loads.idle();
        let made: Result<(), Failure> = loads.run(&ground);
        let done = loads.finish();
        if let Err(failure) = made {
            let why = failure.message;
            self.context.out.note(format!(
                "note: the look at what can matter ended early: {why}"
            ));
        }
        let mut check = CheckResult {
            mode: Mode::Quick.word().into(),
            target: self.target.clone(),
            machine: machine_facts(&self.context.host),
            probes: done.probes,
            ..CheckResult::default()
        };
        let mut findings = judge(self.path, &mut check, &done.sensors);
        findings.retain(|finding| finding.withdrawn.is_none());
        (ground.prepared, findings)
    }

    /// The shortest check, without loads that the job has nothing in common with.
    fn plan(&self) -> CheckPlan {
        let mut plan = CheckPlan::of(Mode::Quick, None);
        let is_like = |job: &Job, role| is_buffered(role) != job.direct;
        plan.steps.retain(|step| {
            is_like(self.job, step.role) && (self.job.rw.writes() || !writes(step.role))
        });
        plan
    }
}
