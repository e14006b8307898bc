//! The one command to run after a check.

use crate::command::is_command;
use model::finding::{Finding, Level, ProofOutcome};
use model::shell_line::command_and_words;
use model::text::{shell_line, shell_word};

/// What was done and with which rights.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// What was checked, as words of a command ([`model::iopath::IoPath::as_words`]).
    pub target: &'a [String],
    /// How thorough, as `CheckResult::mode` has it.
    pub mode: &'a str,
    /// Whether this is the machine that was checked.
    pub is_live: bool,
    /// Whether it was root who checked.
    pub is_root: bool,
    /// Whether there is a device whose settings can be tried.
    pub has_queue: bool,
}

/// The command: what an experiment has proved is put in place, else the experiment that decides about the first finding, else what sees more, else the proof of the settings.
pub fn next(findings: &[Finding], situation: &Situation<'_>) -> String {
    let target = shell_line(situation.target);
    let first = findings
        .iter()
        .find(|one| one.withdrawn.is_none() && one.level >= Level::Warning);
    let experiment = first.and_then(|finding| {
        let knob = finding.knob.as_ref().filter(|_| situation.has_queue);
        let tune =
            knob.map(|knob| format!("sudo iodyno tune {target} --knob {}", shell_word(knob)));
        command(&finding.experiment)
            .or(tune)
            .or(Some(format!("iodyno explain {}", finding.rule)))
    });
    let sees_more = match situation {
        Situation { is_live: false, .. } => format!("iodyno check {target}"),
        Situation { is_root: false, .. } => format!("sudo iodyno check {target}"),
        Situation {
            mode: "no load" | "quick",
            ..
        } => format!("iodyno check {target}"),
        Situation {
            has_queue: true, ..
        } => format!("sudo iodyno tune {target}"),
        _ => format!("iodyno inspect {target} --all"),
    };
    applied(findings).or(experiment).unwrap_or(sees_more)
}

/// What puts the first thing in place that an experiment has proved.
fn applied(findings: &[Finding]) -> Option<String> {
    let proofs = findings.iter().filter_map(|finding| finding.proof.as_ref());
    let mut right = proofs.filter(|proof| proof.outcome == ProofOutcome::Confirmed);
    // Two loads that were compared put no setting to the proof, and have no record.
    let record = right.find_map(|proof| proof.record)?;
    Some(format!("sudo iodyno apply {record}"))
}

/// The command of an experiment, without the words about it; none where there is nothing for iodyno to do.
pub fn command(experiment: &str) -> Option<String> {
    let (command, _) = command_and_words(experiment);
    is_command(command).then(|| command.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    static SRV: LazyLock<[String; 1]> = LazyLock::new(|| ["/srv".into()]);
    static ROOT: LazyLock<Situation<'static>> = LazyLock::new(|| Situation {
        target: &*SRV,
        mode: "default",
        is_live: true,
        is_root: true,
        has_queue: true,
    });

    fn finding(experiment: &str, knob: Option<&str>) -> Finding {
        Finding {
            rule: "linear_volume".into(),
            level: Level::Warning,
            experiment: experiment.into(),
            knob: knob.map(Into::into),
            ..Finding::default()
        }
    }

    #[test]
    fn the_first_finding_decides() {
        let one = finding(
            "iodyno run /srv -- -rw=randread -bs=4k # with iodyno watch on the members",
            None,
        );
        assert_eq!(
            next(&[one], &ROOT),
            "iodyno run /srv -- -rw=randread -bs=4k"
        );
        let knob = finding("# change it and look", Some("scheduler"));
        assert_eq!(
            next(&[knob], &ROOT),
            "sudo iodyno tune /srv --knob scheduler"
        );
        assert_eq!(
            next(&[finding("# look at the cable", None)], &ROOT),
            "iodyno explain linear_volume"
        );
        let withdrawn = Finding {
            withdrawn: Some("no".into()),
            ..finding("sudo x", None)
        };
        assert_eq!(next(&[withdrawn], &ROOT), "sudo iodyno tune /srv");
    }

    #[test]
    fn without_findings_what_sees_more_comes_first() {
        assert_eq!(
            next(
                &[],
                &Situation {
                    is_root: false,
                    ..*ROOT
                }
            ),
            "sudo iodyno check /srv"
        );
        assert_eq!(
            next(
                &[],
                &Situation {
                    mode: "quick",
                    ..*ROOT
                }
            ),
            "iodyno check /srv"
        );
        assert_eq!(
            next(
                &[],
                &Situation {
                    target: &["/my data".into()],
                    mode: "no load",
                    ..*ROOT
                }
            ),
            "iodyno check '/my data'"
        );
        assert_eq!(
            next(
                &[],
                &Situation {
                    has_queue: false,
                    ..*ROOT
                }
            ),
            "iodyno inspect /srv --all"
        );
    }
}
