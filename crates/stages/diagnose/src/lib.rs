//! Stage 5, diagnose: what a job would really measure, and what a load really measured. Pure: facts in, findings out.
//!
//! A rule is one file in `rules/`. [`before`] judges a job before anything is loaded, [`after`] judges what the load
//! gave. A finding carries the change of the job that helps, and [`corrected`] makes all of them.

mod acts;
pub mod causes;
mod causes_help_queue;
mod ceph_parts;
pub mod cloud;
mod corrected;
pub mod dataset;
pub mod difference;
#[cfg(test)]
mod examples;
mod expected;
mod experiment;
mod facts;
mod finding;
mod group_limits;
pub mod live;
mod measured;
mod medium;
mod parts;
mod profile;
pub mod profiles;
pub mod rules;
mod scene;
#[cfg(test)]
mod scene_examples;
mod seen;
pub mod sysctls;
#[cfg(test)]
mod tests;
mod verdict;

pub use acts::ActsOn;
pub use corrected::{corrected, words};
pub use expected::{expected, gives};
pub use experiment::Experiment;
pub use facts::{CgroupLimit, Machine, RuleFacts, TargetFacts, TargetKind};
pub use medium::Medium;
pub use profile::{Profile, Sysctl, Wanted};
pub use scene::{Scene, causes_of};
pub use verdict::{Around, verdict};

use analyse::fields::Frame;
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::time_account::TimePlace;

/// A problem that a job or a record can have.
#[derive(Debug)]
pub struct Rule {
    /// Name of its file: the problem, not the cure.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// What it finds, in half a sentence.
    pub summary: &'static str,
    /// The worst it gives. Only [`Level::Wrong`] makes a strict run refuse.
    pub level: Level,
    /// Whether it judges the job or what came of it.
    pub when: When,
    /// How much it weighs at most in a check, where it is a remark on the storage or on what any job would meet there. None for those
    /// that only say that a load was short, shallow or on scratch, which all loads of a check are.
    pub in_check: Option<Level>,
    /// Places of an I/O's time that are no riddle where it is found; what is spent there is what it costs.
    pub explains: &'static [TimePlace],
    /// What says the same and more: rules, live rules and causes beside which a check leaves it out.
    pub yields_to: &'static [&'static str],
    /// The findings. The name of the rule is put in by the caller.
    pub judge: fn(&RuleFacts<'_>) -> Vec<Finding>,
}

/// A problem that can be seen while anything runs, by the sensors alone.
#[derive(Debug)]
pub struct LiveRule {
    /// Name of its file.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// What it finds, in half a sentence.
    pub summary: &'static str,
    /// The worst it gives.
    pub level: Level,
    /// Loads of a check that do this to the machine by themselves, so that it is no news there; `Some(&[])` says that all do.
    pub our_doing: Option<&'static [Role]>,
    /// Places of an I/O's time that are no riddle where it is found; what is spent there is what it costs.
    pub explains: &'static [TimePlace],
    /// What says the same and more: rules, live rules and causes beside which a check leaves it out.
    pub yields_to: &'static [&'static str],
    /// The findings over the time of a frame. The name of the rule is put in by the caller; a finding's section is the
    /// device that it is about.
    pub judge: fn(&Frame) -> Vec<Finding>,
}

/// A reason why storage is slow, or will be: seen in the path and its settings, in short loads, or in what the sensors
/// show meanwhile.
#[derive(Debug)]
pub struct Cause {
    /// Name of its file: the problem, not the cure.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// What it finds, in half a sentence.
    pub summary: &'static str,
    /// The worst it gives. A warning is for what costs speed or safety now; what only might is a note.
    pub level: Level,
    /// What the cure can cost.
    pub risk: Risk,
    /// Other explanations of the same evidence, each with how to tell it apart, half a sentence each. Not empty.
    pub competing: &'static [&'static str],
    /// The cheapest experiment that tells them apart.
    pub experiment: Experiment,
    /// Two loads whose ratio decides, where no knob does: a check that proves runs them in turns.
    pub contrast: Option<Contrast>,
    /// The knob that it turns, where iodyno has it.
    pub knob: Option<&'static str>,
    /// Places of an I/O's time that are no riddle where it is found; what is spent there is what it costs, unless the finding says
    /// what it costs.
    pub explains: &'static [TimePlace],
    /// What says the same and more: rules, live rules and causes beside which a check leaves it out.
    pub yields_to: &'static [&'static str],
    /// The findings; a finding's section is the device or mount that it is about. Rule, risk, competing explanations,
    /// experiment and knob are put in by the caller unless the finding has its own.
    pub judge: fn(&Scene<'_>) -> Vec<Finding>,
}

/// A load and the same without what a cause blames, in fio's words. The experiment of the cause has both in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contrast {
    /// As the finding saw it.
    pub with: &'static str,
    /// Faster where the suspicion is right.
    pub without: &'static str,
    /// The difference, in a few words behind "a load".
    pub words: &'static str,
}

/// What the sensors of some seconds show, the worst first.
pub fn during(frame: &Frame) -> Vec<Finding> {
    let found = live::ALL.iter().flat_map(|rule| {
        (rule.judge)(frame).into_iter().map(|finding| Finding {
            rule: rule.id.into(),
            ..finding
        })
    });
    let mut findings: Vec<Finding> = found.collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}

/// What a rule needs to have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Nothing: it judges the job and the target.
    BeforeLoad,
    /// The load: it judges results and counters.
    AfterLoad,
}

/// What can be said about the jobs before they run, the worst first, then in the order of the sections.
pub fn before(facts: &RuleFacts<'_>) -> Vec<Finding> {
    judge(facts, When::BeforeLoad)
}

/// What can be said about the results, in the same order.
pub fn after(facts: &RuleFacts<'_>) -> Vec<Finding> {
    judge(facts, When::AfterLoad)
}

/// Whether a rule judges results, not jobs.
pub fn is_about_a_result(rule: &str) -> bool {
    rules::ALL
        .iter()
        .any(|one| one.id == rule && one.when == When::AfterLoad)
}

fn judge(facts: &RuleFacts<'_>, when: When) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for rule in rules::ALL.iter().filter(|rule| rule.when == when) {
        let found = (rule.judge)(facts).into_iter();
        findings.extend(found.map(|finding| Finding {
            rule: rule.id.into(),
            ..finding
        }));
    }
    let mut findings = verdict::without_explained(findings);
    let place = |finding: &Finding| {
        facts
            .sections
            .iter()
            .position(|one| one.name == finding.section)
    };
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.level), place(finding)));
    findings
}
