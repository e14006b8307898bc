//! `check --prove`: makes the experiments that decide about the first findings, so that a suspicion becomes a fact or goes.

use super::contrast;
use crate::cli::{Cli, Verb};
use crate::commands::tune::{self, TuneArgs};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use clap::Parser;
use diagnose::{Contrast, causes};
use model::finding::{Finding, FindingProof, Level, ProofOutcome};
use model::record::{Record, Trial};
use model::text::shell_words;
use model::units::span_ms;
use model::verdict::{Outcome, Verdict};
use report::check as report;

/// So many findings are put to the proof: what stands behind them seldom decides.
const PROVED_MOST: usize = 3;

/// What is proved, and in which time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proofs<'a> {
    pub(super) context: &'a Context,
    /// As it was named on the command line.
    pub(super) target: &'a str,
    /// For each experiment, ms.
    pub(super) budget_ms: u64,
    /// Size of the scratch file that fitted into the target; none where nothing was made in it.
    pub(super) scratch_bytes: Option<u64>,
}

/// What decides about a finding.
enum Decider {
    /// A knob, turned.
    Tune(Box<TuneArgs>),
    /// A load with and without what the finding blames.
    Contrast(&'static Contrast),
}

impl Proofs<'_> {
    /// Puts the first findings that a knob or two loads decide about to the proof. What is refuted is withdrawn and stands last.
    ///
    /// # Errors
    /// Somebody stopped it, or a result could not be stored: what was found until then stands in the findings.
    pub(super) fn make(&self, findings: &mut [Finding]) -> Result<(), Failure> {
        let made = self.make_each(findings);
        findings.sort_by_key(|finding| finding.withdrawn.is_some());
        made
    }

    fn make_each(&self, findings: &mut [Finding]) -> Result<(), Failure> {
        let experiments = self.experiments(findings);
        let count = experiments.len();
        if count == 0 {
            let why =
                "no warning here is decided by a setting that iodyno can turn, or by two loads";
            self.context
                .out
                .note(format!("Nothing is put to the proof: {why}."));
        }
        for (done, (place, decider)) in experiments.into_iter().enumerate() {
            let finding = &mut findings[place];
            self.context.out.note(format!(
                "Proof {} of {count}, up to {}: {}",
                done + 1,
                span_ms(self.budget_ms),
                finding.claim
            ));
            judge(finding, self.proof(&decider)?);
        }
        Ok(())
    }

    /// The places of what is put to the proof, each with its experiment. Two findings never make the same one.
    fn experiments(&self, findings: &[Finding]) -> Vec<(usize, Decider)> {
        let mut made: Vec<String> = Vec::new();
        let mut experiments = Vec::new();
        for (place, finding) in findings.iter().enumerate() {
            let stands = finding.withdrawn.is_none() && finding.level >= Level::Warning;
            let command = report::command(&finding.experiment).filter(|_| stands);
            let is_new =
                |command: &String| experiments.len() < PROVED_MOST && !made.contains(command);
            let Some(command) = command.filter(is_new) else {
                continue;
            };
            if let Some(decider) = self.decider(&finding.rule, &command) {
                experiments.push((place, decider));
                made.push(command);
            }
        }
        experiments
    }

    /// Two loads write, so that they need a directory for their scratch.
    fn decider(&self, rule: &str, command: &str) -> Option<Decider> {
        let cause = causes::ALL.iter().find(|cause| cause.id == rule);
        let contrast = cause.and_then(|cause| cause.contrast.as_ref());
        if let Some(contrast) = contrast.filter(|_| self.scratch_bytes.is_some()) {
            return Some(Decider::Contrast(contrast));
        }
        let mut tune = tune_of(&self.sized(command))?;
        tune.target = self.target.into();
        tune.budget = self.budget_ms;
        Some(Decider::Tune(Box::new(tune)))
    }

    /// The command, with a scratch file that is known to fit where it makes one.
    fn sized(&self, command: &str) -> String {
        let own = self
            .scratch_bytes
            .filter(|_| !command.contains(" --size ") && !command.contains(" -- "));
        own.map_or(command.to_string(), |bytes| {
            format!("{command} --size {bytes}")
        })
    }

    /// Makes one. Where it cannot be made that is what came of it; whoever stops it stops the others, too.
    fn proof(&self, decider: &Decider) -> Result<FindingProof, Failure> {
        let made = match decider {
            Decider::Tune(tune) => self.tuned(tune),
            Decider::Contrast(contrast) => {
                contrast::proof(contrast, self.context, self.target, self.budget_ms)
            }
        };
        match made {
            Err(failure) if failure.exit == Exit::Interrupted => Err(failure),
            Err(failure) => Ok(undecided(format!("not made: {}", failure.message))),
            Ok(proof) => Ok(proof),
        }
    }

    fn tuned(&self, tune: &TuneArgs) -> Result<FindingProof, Failure> {
        let made = tune::prove(tune, &self.context.aside())?;
        if made.interrupted {
            let message = "stopped in the middle of a proof; every setting is back as it was.";
            return Err(Failure::new(Exit::Interrupted, message).on(self.target));
        }
        let proof = proof_of(&made.record, made.kept.id);
        made.kept.must_be_stored()?;
        Ok(proof)
    }
}

/// The arguments of a command that is a tune.
fn tune_of(command: &str) -> Option<TuneArgs> {
    let words = shell_words(command.trim_start_matches("sudo "));
    match Cli::try_parse_from(words).ok()?.verb {
        Verb::Tune(tune) if !tune.knobs.is_empty() => Some(tune),
        _ => None,
    }
}

pub(super) fn undecided(words: String) -> FindingProof {
    FindingProof {
        outcome: ProofOutcome::Undecided,
        words,
        effect: None,
        low: None,
        high: None,
        record: None,
    }
}

/// What a tune decided: that another value is better, or of every trial that none is.
fn proof_of(record: &Record, id: Option<i64>) -> FindingProof {
    let trials = record.trials();
    let won = trials.iter().find(|trial| trial.win().is_some());
    let is_settled = |trial: &Trial| trial.verdict.as_ref().is_some_and(keeps_what_is_set);
    let is_refuted = !trials.is_empty() && trials.iter().all(is_settled);
    let outcome = match (won, is_refuted) {
        (Some(_), _) => ProofOutcome::Confirmed,
        (None, true) => ProofOutcome::Refuted,
        (None, false) => ProofOutcome::Undecided,
    };
    let told = won.or(trials.first());
    let verdict = won.and_then(Trial::win);
    FindingProof {
        outcome,
        effect: verdict.and_then(|verdict| verdict.effect),
        low: verdict.and_then(|verdict| verdict.low),
        high: verdict.and_then(|verdict| verdict.high),
        record: id,
        ..undecided(told.map_or(String::new(), |trial| trial.summary.clone()))
    }
}

/// Whether it is decided that no other value is better.
fn keeps_what_is_set(verdict: &Verdict) -> bool {
    matches!(verdict.outcome, Outcome::Better | Outcome::Equal)
}

fn judge(finding: &mut Finding, proof: FindingProof) {
    if proof.outcome == ProofOutcome::Refuted {
        finding.withdrawn = Some(format!("the experiment speaks against it: {}", proof.words));
    }
    finding.proof = Some(proof);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_experiments_of_the_catalogue_that_turn_knobs_are_tunes() {
        let tunes = diagnose::causes::ALL
            .iter()
            .filter(|cause| cause.experiment.starts_with("iodyno tune "));
        for cause in tunes {
            let text = cause.experiment.replace("{target}", "/srv/a b's");
            let text = text.replace("/srv/a b's", &model::text::shell_word("/srv/a b's"));
            let command = report::command(&text.replace("{device}", "vda")).unwrap();
            let tune = tune_of(&command).unwrap_or_else(|| panic!("{}: {command}", cause.id));
            assert_eq!(tune.target.to_str(), Some("/srv/a b's"), "{}", cause.id);
        }
        assert!(tune_of("iodyno watch vda").is_none());
        assert!(tune_of("iodyno tune /srv").is_none(), "it names no knob");
    }

    /// Each is pasted whole: a shell reads it, and what iodyno is asked there is something that it does.
    #[test]
    fn the_experiments_of_the_catalogue_can_be_pasted() {
        for cause in diagnose::causes::ALL {
            let target = model::text::shell_word("/srv/a b's");
            let line = cause.experiment.replace("{target}", &target);
            let line = line.replace("{device}", "vda");
            let read = host::spawn::run("sh", &["-n", "-c", &line]).unwrap();
            assert_eq!(read.status, Some(0), "{}: {line}", cause.id);
            let (command, words) = model::shell_line::command_and_words(&line);
            assert!(!(command.is_empty() && words.is_empty()), "{}", cause.id);
            for part in command.split("; ") {
                let asked = shell_words(part);
                let Some(at) = asked.iter().position(|word| word == "iodyno") else {
                    continue;
                };
                let parsed = Cli::try_parse_from(&asked[at..]);
                assert!(parsed.is_ok(), "{}: {part}", cause.id);
                let job = asked.iter().skip_while(|word| *word != "--").skip(1);
                for word in job {
                    assert!(word.starts_with('-'), "{}: {word}", cause.id);
                }
            }
        }
    }

    #[test]
    fn what_the_experiment_speaks_against_is_taken_back() {
        let mut finding = Finding::default();
        let proof = |outcome| FindingProof {
            outcome,
            ..undecided("256 is equal.".into())
        };
        judge(&mut finding, proof(ProofOutcome::Undecided));
        assert_eq!(finding.withdrawn, None);
        judge(&mut finding, proof(ProofOutcome::Refuted));
        assert!(finding.withdrawn.unwrap().ends_with("256 is equal."));
    }
}
