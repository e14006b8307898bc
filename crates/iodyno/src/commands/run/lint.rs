//! The lint around a run: what is said before it, and what is said about its result.

use super::facts::{machine_facts, target_facts};
use crate::commands::Context;
use model::finding::Finding;
use model::iopath::IoPath;
use model::job::{Job, Section};
use model::record::{LoadResult, SectionResult};
use model::sample::SensorLog;
use pipeline::diagnose::{self, Facts, Machine, TargetFacts};
use pipeline::report::lint;
use std::path::Path;

/// What the rules are given, kept from before the load until after it.
pub struct Lint {
    sections: Vec<Section>,
    target: TargetFacts,
    machine: Machine,
    findings: Vec<Finding>,
}

impl Lint {
    /// Judges a job in iodyno's own words and says what was found.
    pub fn before(context: &Context, target: &Path, path: &IoPath, job: &Job) -> Lint {
        let mut lint = Lint {
            sections: vec![Section::of(job.clone())],
            target: target_facts(&context.host, target, path),
            machine: machine_facts(&context.host),
            findings: Vec::new(),
        };
        lint.findings = diagnose::before(&lint.facts(path, &[], &[]));
        for line in lint::lint_lines(&lint.findings, &[]) {
            context.out.note(line);
        }
        lint
    }

    /// Judges the result as well, and gives all findings for the record.
    pub fn after(self, path: &IoPath, load: &LoadResult, sensors: &[SensorLog]) -> Vec<Finding> {
        let section = &self.sections[0];
        let result = SectionResult {
            name: section.name.clone(),
            stage: 0,
            start_ms: 0,
            job: section.job.clone(),
            load: load.clone(),
        };
        let mut findings = diagnose::after(&self.facts(path, &[result], sensors));
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
