//! How rules write findings down: what is the case, then what it rests on, what would refute it, and what to do.

use model::finding::{Cost, Evidence, Finding, Fix, Level};
use model::job::Section;
use model::proposal::TuneProposal;

/// The test does not measure what it says.
pub fn wrong(section: &str, claim: impl Into<String>) -> Finding {
    found(Level::Wrong, section, claim)
}

/// The result needs this beside it.
pub fn warning(section: &str, claim: impl Into<String>) -> Finding {
    found(Level::Warning, section, claim)
}

/// Worth knowing.
pub fn note(section: &str, claim: impl Into<String>) -> Finding {
    found(Level::Note, section, claim)
}

/// With a level that depends on the case.
pub fn found(level: Level, section: &str, claim: impl Into<String>) -> Finding {
    Finding {
        level,
        section: section.into(),
        claim: claim.into(),
        ..Finding::default()
    }
}

/// What takes less of a load is not told from noise: loads last a second or two.
const COST_LEAST: f64 = 0.05;

/// In place of the load's name where a rule does not know under which load it looks: the load's own is put in.
pub const UNDER_WHICH: &str = "";

/// The parts of a finding, one after the other.
pub trait With {
    /// A value that it rests on.
    fn shows(self, name: &str, value: impl ToString) -> Self;
    /// What would show it to be mistaken.
    fn refuted_by(self, what: &str) -> Self;
    /// By how much the cure is likely to help: 0.3 is 30 % more or faster.
    fn gains(self, share: f64) -> Self;
    /// What it takes from a load: the part that is lost of what the load could do, 0 to 1. Little is left out.
    fn costs(self, load: impl Into<String>, share: f64) -> Self;
    /// The tune that decides, in place of its cause's own experiment.
    fn tune(self, tune: TuneProposal) -> Self;
    /// The experiment that decides, where it is another than the cause's own.
    fn experiment(self, what: impl Into<String>) -> Self;
    /// What to try: a sentence, or a command with words about it behind a `#`.
    fn advise(self, what: impl Into<String>) -> Self;
    /// An option to set.
    fn set(self, option: &str, value: impl ToString) -> Self;
    /// An option to take away.
    fn drop_option(self, option: &str) -> Self;
    /// The place of the first of these options that was given.
    fn at(self, section: &Section, options: &[&str]) -> Self;
}

impl With for Finding {
    fn shows(mut self, name: &str, value: impl ToString) -> Self {
        self.evidence.push(Evidence {
            name: name.into(),
            value: value.to_string(),
        });
        self
    }

    fn refuted_by(mut self, what: &str) -> Self {
        self.refuted_by = what.into();
        self
    }

    fn gains(mut self, share: f64) -> Self {
        self.gain = share.max(0.0);
        self
    }

    fn costs(mut self, load: impl Into<String>, share: f64) -> Self {
        if share >= COST_LEAST {
            let (load, share) = (load.into(), share.min(1.0));
            self.costs.push(Cost { load, share });
            self.costs
                .sort_by(|one, other| other.share.total_cmp(&one.share));
        }
        self
    }

    fn tune(mut self, tune: TuneProposal) -> Self {
        self.tune = Some(tune);
        self
    }

    fn experiment(mut self, what: impl Into<String>) -> Self {
        self.experiment = what.into();
        self
    }

    fn advise(mut self, what: impl Into<String>) -> Self {
        self.advice = what.into();
        self
    }

    fn set(mut self, option: &str, value: impl ToString) -> Self {
        self.fixes.push(Fix {
            option: option.into(),
            value: Some(value.to_string()),
        });
        self
    }

    fn drop_option(mut self, option: &str) -> Self {
        self.fixes.push(Fix {
            option: option.into(),
            value: None,
        });
        self
    }

    fn at(mut self, section: &Section, options: &[&str]) -> Self {
        self.position = options
            .iter()
            .find_map(|name| Some(section.option(name)?.1.clone()));
        self
    }
}
