//! What is done on each host: which verbs can be, and in which words the host is given them.

use crate::cli::{Cli, Verb};
use crate::commands::run::RunArgs;
use crate::exit::{Exit, Failure};
use clap::Parser;
use fleet::protocol::RECORD_WORD;
use model::text::clean_to;

/// Verbs that a fleet does, for messages.
const VERBS: &str = "inspect, check, run, status, apply, undo, diff, forget";

/// What is done on each host.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetVerb {
    /// Which of them.
    pub kind: FleetVerbKind,
    /// What the host is given.
    pub words: Vec<String>,
    /// Whether documents were asked for behind the verb.
    pub is_json: bool,
}

/// Which verb.
#[derive(Clone, Debug, PartialEq)]
pub enum FleetVerbKind {
    /// A load; whether all hosts begin it at one moment.
    Run {
        /// Whether they do. A series of loads, and one on a cluster, begins when it is ready.
        is_together: bool,
        /// What is loaded.
        target: String,
    },
    /// A check.
    Check,
    /// What is there.
    Inspect,
    /// The same, compared.
    Diff,
    /// What is changed.
    Status,
    /// Puts a record of the store here in place there.
    Apply {
        /// Its number here.
        record: i64,
    },
    /// Takes changes back.
    Undo,
    /// Removes the binary.
    Forget,
}

impl FleetVerb {
    /// Of the words behind the options of `fleet`. They are understood here first, so that no host is asked what no host
    /// could answer.
    ///
    /// # Errors
    /// When they make no sense, or are nothing for a fleet.
    pub fn of(words: &[String]) -> Result<FleetVerb, Failure> {
        let (words, is_json) = without_json(words);
        let Some(first) = words.first() else {
            return Err(Failure::usage(format!("which verb? {VERBS}")));
        };
        let (kind, words) = match first.as_str() {
            "forget" => forget(&words)?,
            "diff" => diff(&words)?,
            _ => known(&words)?,
        };
        Ok(FleetVerb {
            kind,
            words,
            is_json,
        })
    }

    /// Whether it can leave something behind on a host that is lost meanwhile. An undo leaves less than was there.
    pub fn can_change(&self) -> bool {
        use FleetVerbKind::{Apply, Check, Run};
        matches!(self.kind, Run { .. } | Check | Apply { .. })
    }

    /// Whether its hosts begin at one moment.
    pub fn is_together(&self) -> bool {
        matches!(
            self.kind,
            FleetVerbKind::Run {
                is_together: true,
                ..
            }
        )
    }

    /// Whether a host that has been reached makes room for the next one: what only looks, and what loads what is the host's own.
    pub fn is_light(&self) -> bool {
        use FleetVerbKind::{Check, Diff, Inspect, Status};
        matches!(self.kind, Check | Diff | Inspect | Status)
    }

    /// The same with the mark of a fleet, by which a change that stays is found again.
    pub fn marked(mut self, fleet: &str) -> FleetVerb {
        if matches!(self.kind, FleetVerbKind::Apply { .. }) {
            self.words.insert(1, fleet.into());
            self.words.insert(1, "--mark".into());
        }
        self
    }
}

/// Words up to `--` without `--json`, which every host is given anyway, and whether it was there.
fn without_json(words: &[String]) -> (Vec<String>, bool) {
    let behind = words.iter().position(|word| word == "--");
    let (own, others) = words.split_at(behind.unwrap_or(words.len()));
    let kept = own.iter().filter(|word| *word != "--json");
    let kept: Vec<String> = kept.chain(others).cloned().collect();
    let is_json = kept.len() < words.len();
    (kept, is_json)
}

fn forget(words: &[String]) -> Result<(FleetVerbKind, Vec<String>), Failure> {
    match words {
        [_] => Ok((FleetVerbKind::Forget, words.to_vec())),
        _ => Err(Failure::usage("`forget` takes no words")),
    }
}

fn diff(words: &[String]) -> Result<(FleetVerbKind, Vec<String>), Failure> {
    match words {
        [_, target] if !target.starts_with('-') => {
            Ok((FleetVerbKind::Diff, vec!["inspect".into(), target.clone()]))
        }
        _ => Err(Failure::usage(
            "between the hosts of a fleet `diff` compares one target: iodyno fleet --hosts LIST diff TARGET",
        )),
    }
}

fn known(words: &[String]) -> Result<(FleetVerbKind, Vec<String>), Failure> {
    let line = std::iter::once("iodyno").chain(words.iter().map(String::as_str));
    let cli = Cli::try_parse_from(line).map_err(|error| {
        let text = error.render().to_string();
        Failure::usage(text.trim().trim_start_matches("error: "))
    })?;
    match cli.verb {
        Verb::Inspect(_) => Ok((FleetVerbKind::Inspect, words.to_vec())),
        Verb::Check(_) => Ok((FleetVerbKind::Check, words.to_vec())),
        Verb::Status => Ok((FleetVerbKind::Status, words.to_vec())),
        Verb::Undo(_) => Ok((FleetVerbKind::Undo, words.to_vec())),
        Verb::Run(args) => run(&args, words),
        Verb::Apply(args) => {
            if args.confirm.is_some() || args.form.is_some() {
                return Err(Failure::usage(
                    "on a fleet `apply` takes neither --confirm, which asks somebody at a terminal, nor --as",
                ));
            }
            let is_number = |word: &String| word.parse() == Ok(args.record);
            let at = words.iter().position(is_number);
            let at = at.ok_or_else(|| Failure::usage("`apply` needs a record's number"))?;
            let mut words = words.to_vec();
            words[at] = RECORD_WORD.into();
            let record = args.record;
            Ok((FleetVerbKind::Apply { record }, words))
        }
        _ => Err(Failure::usage(format!(
            "`{}` is nothing that a fleet does; it does {VERBS}",
            clean_to(&words[0], 40)
        ))),
    }
}

fn run(args: &RunArgs, words: &[String]) -> Result<(FleetVerbKind, Vec<String>), Failure> {
    let consent = args.job.consent();
    if consent.destroy_data || consent.overwrite {
        let what = "a fleet gives up no data: the same name is another disk on another host.";
        return Err(Failure::new(Exit::Refused, what).hint("Name a directory, or log in there."));
    }
    let Some(target) = &args.target else {
        return Err(Failure::usage(
            "on a fleet `run` needs a target: iodyno fleet --hosts LIST run TARGET",
        ));
    };
    let target = target.to_string_lossy().into_owned();
    let is_cluster = target.starts_with("rados://") || target.starts_with("rbd://");
    let study = &args.study;
    let is_series = !study.sweep.is_empty() || study.find_max || study.interference || study.steady;
    let is_together = !is_cluster && !is_series && !args.dry_run;
    let mut words = words.to_vec();
    if is_together {
        words.insert(1, "--hold".into());
        if !args.stream {
            words.insert(1, "--stream".into());
        }
    }
    let kind = FleetVerbKind::Run {
        is_together,
        target,
    };
    Ok((kind, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<FleetVerb, String> {
        let words: Vec<String> = line.split(' ').map(Into::into).collect();
        FleetVerb::of(&words).map_err(|failure| failure.message)
    }

    #[test]
    fn a_load_begins_together_unless_it_cannot() {
        let verb = of("run /srv --rw randread --json -- -bs=4k --json").unwrap();
        assert!(verb.is_together() && verb.is_json && verb.can_change());
        assert_eq!(
            verb.words.join(" "),
            "run --stream --hold /srv --rw randread -- -bs=4k --json"
        );
        for line in [
            "run /srv --sweep iodepth=1,2",
            "run rados://pool",
            "run /srv --dry-run",
        ] {
            let verb = of(line).unwrap();
            assert!(!verb.is_together(), "{line}");
            assert_eq!(verb.words.join(" "), line);
        }
    }

    #[test]
    fn other_verbs_go_as_they_are_and_diff_looks() {
        assert_eq!(of("diff /srv").unwrap().words, ["inspect", "/srv"]);
        let apply = of("apply 7 --from-elsewhere").unwrap();
        assert_eq!(apply.words, ["apply", RECORD_WORD, "--from-elsewhere"]);
        assert_eq!(apply.kind, FleetVerbKind::Apply { record: 7 });
        let marked = apply.marked("a1");
        assert_eq!(marked.words[..3], ["apply", "--mark", "a1"]);
        assert!(!of("status").unwrap().can_change());
        assert_eq!(of("forget").unwrap().kind, FleetVerbKind::Forget);
    }

    #[test]
    fn what_no_host_could_do_is_said_before_any_is_asked() {
        for (line, why) in [
            ("frobnicate", "unrecognized subcommand"),
            ("inspect --al", "--al"),
            ("serve", "nothing that a fleet does"),
            ("run", "needs a target"),
            ("run /dev/sdb --destroy-data", "gives up no data"),
            ("run /srv/file --rw write --overwrite", "gives up no data"),
            ("diff a b", "compares one target"),
            ("forget it", "takes no words"),
            ("apply 7 --confirm 5m", "neither --confirm"),
        ] {
            let said = of(line).unwrap_err();
            assert!(said.contains(why), "{line}: {said}");
        }
    }
}
