//! The lint around a run: what is said before it, and what is kept about its result.

use super::Args;
use super::facts::{machine_facts, target_facts};
use super::stage::Done;
use crate::commands::Context;
use crate::commands::job_args::Workload;
use model::finding::Finding;
use model::iopath::IoPath;
use model::job::Section;
use model::record::SectionResult;
use model::sample::SensorLog;
use pipeline::diagnose::{self, Facts, Machine, TargetFacts};
use pipeline::report::lint;
use std::path::Path;

/// What the rules are given, kept from before the load until after it.
#[derive(Debug)]
pub struct Lint {
    sections: Vec<Section>,
    target: TargetFacts,
    machine: Machine,
    /// What was found before the load.
    pub findings: Vec<Finding>,
}

impl Lint {
    /// Judges the job and says what was found, with the corrected job where it was given in fio's words.
    pub fn before(args: &Args, context: &Context, workload: &Workload, path: &IoPath) -> Lint {
        let mut lint = Lint {
            sections: workload.sections.clone(),
            target: target_facts(&context.host, Path::new(&path.target), path),
            machine: machine_facts(&context.host),
            findings: Vec::new(),
        };
        lint.findings = diagnose::before(&lint.facts(path, &[], &[]));
        for line in lint::lint_lines(&lint.findings, &lint.corrected_words(args, workload, path)) {
            context.out.note(line);
        }
        lint
    }

    /// The command line of the corrected job; empty where no fix would change it, and for a job in iodyno's own words,
    /// to which each finding says what to add.
    fn corrected_words(&self, args: &Args, workload: &Workload, path: &IoPath) -> Vec<String> {
        let has_fixes = self.findings.iter().any(|finding| !finding.fixes.is_empty());
        if !workload.is_fio || !has_fixes {
            return Vec::new();
        }
        let target = args.target.as_ref().map_or(path.target.clone(), |target| target.display().to_string());
        let start = ["iodyno".to_string(), "run".into(), target, "--".into()];
        let sections = diagnose::corrected(&self.sections, &self.findings);
        start.into_iter().chain(diagnose::words(&sections)).collect()
    }

    /// Judges the result as well, and gives all findings for the record, the worst first.
    pub fn after(self, path: &IoPath, done: &Done) -> Vec<Finding> {
        let mut findings = diagnose::after(&self.facts(path, &done.sections, &done.sensors));
        findings.extend(self.findings);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        findings
    }

    fn facts<'a>(
        &'a self,
        path: &'a IoPath,
        load: &'a [SectionResult],
        sensors: &'a [SensorLog],
    ) -> Facts<'a> {
        Facts {
            sections: &self.sections,
            target: self.target.clone(),
            path: Some(path),
            machine: self.machine.clone(),
            load,
            sensors,
        }
    }
}
