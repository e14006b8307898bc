//! `check --prove`: makes the experiments that decide about the first findings, so that a suspicion becomes a fact or goes.

use super::{contrast, rehearsed};
use crate::cli::{Cli, Verb};
use crate::commands::tune::{self, TuneArgs};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use clap::Parser;
use diagnose::{Contrast, causes};
use model::finding::{Finding, FindingProof, Level, ProofOutcome};
use model::proposal::TuneProposal;
use model::record::{Record, Trial};
use model::units::span_ms;
use model::verdict::{Outcome, Verdict};

/// So many findings are put to the proof: what stands behind them seldom decides.
const PROVED_MOST: usize = 3;

/// What is proved, and in which time.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Proofs<'a> {
    pub(in crate::commands) context: &'a Context,
    /// As it was named on the command line.
    pub(in crate::commands) target: &'a str,
    /// For each experiment, ms.
    pub(in crate::commands) budget_ms: u64,
    /// Size of the scratch file that fitted into the target; none where nothing was made in it.
    pub(in crate::commands) scratch_bytes: Option<u64>,
}

/// What decides about a finding.
#[derive(PartialEq)]
enum Decider {
    /// A knob, turned.
    Tune(TuneProposal),
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
        let mut experiments: Vec<(usize, Decider)> = Vec::new();
        let stands =
            |finding: &Finding| finding.withdrawn.is_none() && finding.level >= Level::Warning;
        for (place, finding) in findings.iter().enumerate().filter(|(_, one)| stands(one)) {
            let decider = self.decider(finding);
            let is_made = |made: &Decider| decider.as_ref() == Some(made);
            if experiments.iter().any(|(_, made)| is_made(made)) {
                continue;
            }
            experiments.extend(decider.map(|decider| (place, decider)));
        }
        experiments.truncate(PROVED_MOST);
        experiments
    }

    /// Two loads write, so that they need a directory for their scratch.
    fn decider(&self, finding: &Finding) -> Option<Decider> {
        let cause = causes::ALL.iter().find(|cause| cause.id == finding.rule);
        let contrast = cause.and_then(|cause| cause.contrast.as_ref());
        let contrast = contrast.filter(|_| self.scratch_bytes.is_some());
        let tune = || finding.tune.clone().map(Decider::Tune);
        contrast.map(Decider::Contrast).or_else(tune)
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

    fn tuned(&self, proposal: &TuneProposal) -> Result<FindingProof, Failure> {
        self.tuned_by(&proposal.options(), proposal.job.is_empty())
    }

    /// What a tune with these options decides; `has_own_size` tells whether it makes a scratch file of its own size.
    ///
    /// # Errors
    /// It could not be made, or somebody stopped it: every setting is back as it was.
    pub(in crate::commands) fn tuned_by(
        &self,
        options: &[String],
        has_own_size: bool,
    ) -> Result<FindingProof, Failure> {
        let scratch_bytes = self.scratch_bytes.filter(|_| has_own_size);
        let mut args = tune_args(options, self.target, self.budget_ms, scratch_bytes)?;
        args.seed = rehearsed::seed(&self.context.host);
        let made = tune::prove(&args, &self.context.aside())?;
        if made.interrupted {
            let message = "stopped in the middle of a proof; every setting is back as it was.";
            return Err(Failure::new(Exit::Interrupted, message).on(self.target));
        }
        let proof = proof_of(&made.record, made.kept.id);
        made.kept.must_be_stored()?;
        Ok(proof)
    }
}

/// The arguments of a tune: each option and its value is one word, and the target is no word at all. A scratch file that a load
/// without a size makes has one that is known to fit.
///
/// # Errors
/// An option of the proposal is none of a tune, which a test rules out for the catalogue.
fn tune_args(
    options: &[String],
    target: &str,
    budget_ms: u64,
    scratch_bytes: Option<u64>,
) -> Result<TuneArgs, Failure> {
    let size = scratch_bytes.map(|bytes| format!("--size={bytes}"));
    let words = ["iodyno", "tune", "."].map(String::from).into_iter();
    let words = words.chain(size).chain(options.iter().cloned());
    let cli = Cli::try_parse_from(words).map_err(|error| Failure::usage(error.to_string()))?;
    let Verb::Tune(mut tune) = cli.verb else {
        return Err(Failure::usage("the experiment is no tune"));
    };
    tune.target = target.into();
    tune.budget = budget_ms;
    Ok(tune)
}

pub(in crate::commands) fn undecided(words: String) -> FindingProof {
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
    use diagnose::Experiment;
    use model::text::shell_words;

    /// What a check makes is what it prints.
    #[test]
    fn the_tunes_of_the_catalogue_are_made_as_they_are_printed() {
        let tunes = causes::ALL
            .iter()
            .filter_map(|cause| match cause.experiment {
                Experiment::Tune(tune) => Some((cause.id, tune())),
                Experiment::Line(_) => None,
            });
        let mut seen = 0;
        for (id, proposal) in tunes {
            let target = "/srv/a b's";
            let printed = shell_words(&proposal.command(&[target.into()]));
            assert_eq!(printed[0], "sudo", "{id}");
            let Verb::Tune(pasted) = Cli::try_parse_from(&printed[1..]).unwrap().verb else {
                panic!("{id}: {printed:?}");
            };
            let made = tune_args(&proposal.options(), target, pasted.budget, None).unwrap();
            assert_eq!(format!("{made:?}"), format!("{pasted:?}"), "{id}");
            seen += 1;
        }
        assert!(seen > 20, "{seen}");
    }

    /// A name is a value: whatever it holds, no word of it becomes an option.
    #[test]
    fn a_name_decides_nothing_but_the_target() {
        let proposal = TuneProposal::new("nr_requests=4,256");
        for name in [
            "a\u{200b}' --beside=id>x;:#",
            "--beside=id",
            "a --destroy-data -- -rw=write",
            "$'\\' --command=id #",
            "{target} {device}\n--sql-client=id",
        ] {
            let made = tune_args(&proposal.options(), name, 30_000, Some(1 << 20)).unwrap();
            let mut expected =
                tune_args(&proposal.options(), "/srv", 30_000, Some(1 << 20)).unwrap();
            expected.target = name.into();
            assert_eq!(format!("{made:?}"), format!("{expected:?}"), "{name}");
        }
    }

    /// Each is pasted whole: a shell reads it, and what iodyno is asked there is something that it does.
    #[test]
    fn the_experiments_of_the_catalogue_can_be_pasted() {
        for cause in diagnose::causes::ALL {
            let target = model::text::shell_word("/srv/a b's");
            let line = cause.experiment.template().replace("{target}", &target);
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
