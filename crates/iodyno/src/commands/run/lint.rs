//! The lint around a run: what is said before it, and what is kept about its result.

use super::args::RunArgs;
use super::facts::{machine_facts, target_facts};
use super::stage::StageDone;
use crate::commands::job_args::Workload;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use diagnose::{Machine, RuleFacts, TargetFacts};
use host::Target;
use load::language;
use model::finding::{Finding, Level};
use model::iopath::IoPath;
use model::job::Section;
use model::record::SectionResult;
use model::sample::SensorLog;
use report::lint;

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
    /// Judges the sections on a target, and says nothing.
    pub fn of(
        sections: &[Section],
        (context, path): (&Context, &IoPath),
        target: Option<&Target>,
    ) -> Lint {
        let mut lint = Lint {
            sections: sections.to_vec(),
            target: target_facts(target, path),
            machine: machine_facts(&context.host),
            findings: Vec::new(),
        };
        lint.findings = diagnose::before(&lint.facts(path, &[], &[]));
        lint
    }

    /// Judges the job and says what was found, with the corrected job where it was given in fio's words.
    pub fn before(
        args: &RunArgs,
        context: &Context,
        workload: &Workload,
        (root, path): (&Target, &IoPath),
    ) -> Lint {
        let lint = Lint::of(&workload.sections, (context, path), Some(root));
        for line in lint::lint_lines(&lint.findings, &lint.corrected_words(args, workload, path)) {
            context.out.note(line);
        }
        lint
    }

    /// Judges every point of a sweep, each by itself: loads that follow each other are not one job. What is said of several points
    /// is told of the first.
    pub fn before_points(
        points: &[Section],
        context: &Context,
        (root, path): (&Target, &IoPath),
    ) -> Lint {
        let judged = |point: &Section| {
            Lint::of(std::slice::from_ref(point), (context, path), Some(root)).findings
        };
        let mut lint = Lint::of(&points[..1], (context, path), Some(root));
        lint.findings.clear();
        for finding in points.iter().flat_map(judged) {
            if lint.findings.iter().all(|one| one.rule != finding.rule) {
                lint.findings.push(finding);
            }
        }
        lint.findings
            .sort_by_key(|finding| std::cmp::Reverse(finding.level));
        for line in lint::lint_lines(&lint.findings, &[]) {
            context.out.note(line);
        }
        lint
    }

    /// Refuses to go on where the job would not measure what it says.
    pub fn refuse(&self) -> Result<(), Failure> {
        let wrong: Vec<&str> = self
            .findings
            .iter()
            .filter(|finding| finding.level == Level::Wrong)
            .map(|finding| finding.rule.as_str())
            .collect();
        if wrong.is_empty() {
            return Ok(());
        }
        Err(Failure::new(
            Exit::Refused,
            format!("refused by --strict: {}. Nothing was run", wrong.join(", ")),
        )
        .hint("Correct the job, or leave --strict out to run it as it stands."))
    }

    /// The sections with all fixes made. What is judged again and kept is the corrected job.
    pub fn correct(
        &mut self,
        args: &RunArgs,
        context: &Context,
        workload: &Workload,
        (root, path): (&Target, &IoPath),
    ) -> Vec<Section> {
        let sections = diagnose::corrected(&self.sections, &self.findings);
        if sections == self.sections {
            return sections;
        }
        context.out.note("running the corrected job");
        let is_fio = workload.is_fio;
        let corrected = Workload {
            sections: sections.clone(),
            notes: Vec::new(),
            is_fio,
            ceph: None,
        };
        *self = Lint::before(args, context, &corrected, (root, path));
        sections
    }

    /// The command line of the corrected job; empty where no fix would change it, and for a job in iodyno's own words,
    /// to which each finding says what to add.
    fn corrected_words(&self, args: &RunArgs, workload: &Workload, path: &IoPath) -> Vec<String> {
        let has_fixes = self
            .findings
            .iter()
            .any(|finding| !finding.fixes.is_empty());
        if !workload.is_fio || !has_fixes {
            return Vec::new();
        }
        let sections = diagnose::corrected(&self.sections, &self.findings);
        let mut words = own_words(&host::environment::arguments());
        if args.target.is_none() {
            words.push(path.target.clone());
        }
        words.push("--".into());
        for section in &sections {
            // A line of several jobs needs the names, which begin a new one each; one of dd or cp is told in fio's words.
            if sections.len() > 1 {
                words.push(format!("--name={}", section.name));
            }
            match section.job.ioengine == "stream" {
                true => words.extend(language::to_words(section)),
                false => words.extend(diagnose::words(std::slice::from_ref(section))),
            }
        }
        words
    }

    /// Judges the result as well, and gives all findings for the record, the worst first.
    pub fn after(self, path: &IoPath, done: &StageDone) -> Vec<Finding> {
        // The sensors know nothing of the devices below other targets.
        let here = done.sections.iter().filter(|one| one.elsewhere.is_empty());
        let here: Vec<SectionResult> = here.cloned().collect();
        let mut findings = diagnose::after(&self.facts(path, &here, &done.sensors));
        findings.extend(self.findings);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        findings
    }

    fn facts<'a>(
        &'a self,
        path: &'a IoPath,
        load: &'a [SectionResult],
        sensors: &'a [SensorLog],
    ) -> RuleFacts<'a> {
        RuleFacts {
            sections: &self.sections,
            target: self.target.clone(),
            path: Some(path),
            machine: self.machine.clone(),
            load,
            sensors,
        }
    }
}

/// What stands before a job in fio's words, as it was typed, without the job itself and what only chose it.
fn own_words(typed: &[String]) -> Vec<String> {
    const CHOOSES_THE_JOB: [&str; 3] = ["--job", "--section", "--corrected"];
    let mut words = vec!["iodyno".to_string()];
    let mut typed = typed.iter().skip(1).take_while(|word| *word != "--");
    while let Some(word) = typed.next() {
        match CHOOSES_THE_JOB
            .iter()
            .find(|option| word.split('=').next() == Some(option))
        {
            Some(&"--corrected") => {}
            Some(_) if !word.contains('=') => _ = typed.next(),
            Some(_) => {}
            None => words.push(word.clone()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::own_words;

    #[test]
    fn what_chose_the_job_is_left_out() {
        let typed = "/usr/bin/iodyno run /srv --engine fio --job x.fio --section=a --max-size 1g -- -rw=read";
        let typed: Vec<String> = typed.split(' ').map(Into::into).collect();
        assert_eq!(
            own_words(&typed).join(" "),
            "iodyno run /srv --engine fio --max-size 1g"
        );
    }
}
