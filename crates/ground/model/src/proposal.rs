//! An experiment that a finding proposes, as a value: what iodyno makes itself and what it prints for a person both come from it,
//! and nothing is read back from what was printed.

use crate::text::{shell_line, shell_word};
use serde::{Deserialize, Serialize};

/// Values of settings in turns under a load.
///
/// ```
/// use model::proposal::TuneProposal;
/// let tune = TuneProposal::new("nomerges=0,2").rw("write").bs("4k");
/// let target = ["/srv/a b".to_string()];
/// assert_eq!(tune.command(&target), "sudo iodyno tune '/srv/a b' --rw write --bs 4k --knob nomerges=0,2");
/// assert_eq!(tune.options(), ["--rw=write", "--bs=4k", "--knob=nomerges=0,2"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TuneProposal {
    /// Each as `--knob` takes it: `scheduler=none,mq-deadline`. Not empty.
    pub knobs: Vec<String>,
    /// Which I/O, in fio's word; none: what a tune does by itself. So with the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rw: Option<String>,
    /// Block size: `4k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bs: Option<String>,
    /// I/Os in flight for each job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iodepth: Option<u32>,
    /// Threads that each run the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numjobs: Option<u32>,
    /// Whether it goes through the page cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub buffered: bool,
    /// The load as a job in fio's words: `-rw=read`. What stands above is none then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub job: Vec<String>,
    /// Time that it takes where the usual time is too short: `20m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
}

impl TuneProposal {
    /// Of one knob, under the usual load.
    pub fn new(knob: impl Into<String>) -> Self {
        TuneProposal {
            knobs: vec![knob.into()],
            ..TuneProposal::default()
        }
    }

    /// And of another one.
    pub fn knob(mut self, knob: &str) -> Self {
        self.knobs.push(knob.into());
        self
    }

    /// Under such I/O.
    pub fn rw(mut self, rw: &str) -> Self {
        self.rw = Some(rw.into());
        self
    }

    /// In blocks of this size.
    pub fn bs(mut self, bs: &str) -> Self {
        self.bs = Some(bs.into());
        self
    }

    /// With so many I/Os in flight.
    pub fn iodepth(mut self, iodepth: u32) -> Self {
        self.iodepth = Some(iodepth);
        self
    }

    /// In so many threads.
    pub fn numjobs(mut self, numjobs: u32) -> Self {
        self.numjobs = Some(numjobs);
        self
    }

    /// Through the page cache.
    pub fn buffered(mut self) -> Self {
        self.buffered = true;
        self
    }

    /// In at most this time.
    pub fn budget(mut self, budget: &str) -> Self {
        self.budget = Some(budget.into());
        self
    }

    /// Under this job of fio.
    pub fn job(mut self, words: &[&str]) -> Self {
        self.job = words.iter().map(|word| (*word).into()).collect();
        self
    }

    /// The options and their values, in their order on a command line.
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let text = |value: &Option<String>| value.clone();
        let number = |value: Option<u32>| value.map(|value| value.to_string());
        let load = [
            ("--rw", text(&self.rw)),
            ("--bs", text(&self.bs)),
            ("--iodepth", number(self.iodepth)),
            ("--numjobs", number(self.numjobs)),
            ("--direct", self.buffered.then(|| "0".into())),
            ("--budget", text(&self.budget)),
        ];
        let load = load
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        load.chain(self.knobs.iter().map(|knob| ("--knob", knob.clone())))
            .collect()
    }

    /// The words behind `iodyno tune TARGET`: each option in one word with its value, so that no value becomes an option.
    pub fn options(&self) -> Vec<String> {
        let pairs = self.pairs().into_iter();
        let mut words: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if !self.job.is_empty() {
            words.push("--".into());
            words.extend(self.job.iter().cloned());
        }
        words
    }

    /// The command for a person, of a target's words ([`crate::iopath::IoPath::as_words`]). Changing a setting takes root.
    pub fn command(&self, target: &[String]) -> String {
        let mut line = format!("sudo iodyno tune {}", shell_line(target));
        for (name, value) in self.pairs() {
            line += &format!(" {name} {}", shell_word(&value));
        }
        if !self.job.is_empty() {
            line += &format!(" -- {}", shell_line(&self.job));
        }
        line
    }
}
