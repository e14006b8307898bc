//! What differs between two paths, ranked by how likely it matters for a job.
//!
//! [`align`] lays one path over the other, layer by layer, and gives everything that is not the same; [`weigh`] says how
//! likely each matters, and why; [`origin`] says where two values come from; [`schedulers`] knows which word of one kernel is
//! which of another.

mod align;
mod clusters;
mod origin;
mod schedulers;
mod weigh;

use model::difference::{DIFF_SCHEMA, Difference, DifferenceSide, DifferenceWhat, Differences};
use model::iopath::IoPath;
use model::job::Job;
use model::text::{as_target, shell_line, shell_word};

/// From this weight on a difference is worth a reader's time without being asked for. A proposal of this project.
pub const WEIGHT_MIN: f64 = 0.2;
/// Of two words for one choice: the code behind them is another one, and a line is enough for that.
const CORRESPONDING_WEIGHT: f64 = 0.25;

/// A setting whose two values an experiment on the second side could compare.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The knob.
    pub knob: &'static str,
    /// Whose setting it is, as the second side names it.
    pub place: &'a str,
    /// The value of the second side.
    pub now: &'a str,
    /// The value of the first side, in the second side's words.
    pub other: &'a str,
}

/// The words of the load under which an experiment decides, for the command that makes it; or why the second side cannot
/// make it.
pub type LoadOf<'a> = dyn Fn(&Candidate<'_>) -> Result<Vec<String>, String> + 'a;

/// What differs. `names` are what the user called the two; without a job every kind of load counts alike.
pub fn differences(a: &IoPath, b: &IoPath, names: [&str; 2], job: Option<&Job>) -> Differences {
    with_experiments(a, b, names, job, &|_| Ok(Vec::new()))
}

/// The same, with the load of each experiment in its command.
pub fn with_experiments(
    a: &IoPath,
    b: &IoPath,
    names: [&str; 2],
    job: Option<&Job>,
    load: &LoadOf<'_>,
) -> Differences {
    let side = |path: &IoPath, name: &str| DifferenceSide {
        name: name.into(),
        target: path.target.clone(),
        kernel: path.machine_fact("kernel").map(Into::into),
    };
    let sides = [side(a, names[0]), side(b, names[1])];
    let aligned = align::all(a, b);
    let mut differences: Vec<Difference> = Vec::new();
    for pair in aligned.pairs {
        let found = judged(&pair, &sides, job, load);
        // Members of an array mostly differ alike: one line with their number says it.
        let twin = differences.iter_mut().find(|one| {
            one.name == found.name && one.a == found.a && one.b == found.b && pair.is_member
        });
        match twin {
            Some(twin) => twin.also_in += 1,
            None => differences.push(found),
        }
    }
    differences.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    let [a, b] = sides;
    let job = job.map(Job::phrase);
    Differences {
        schema: DIFF_SCHEMA.into(),
        a,
        b,
        job,
        differences,
        same: aligned.same,
    }
}

fn judged(
    pair: &align::Pair<'_>,
    sides: &[DifferenceSide; 2],
    job: Option<&Job>,
    load: &LoadOf<'_>,
) -> Difference {
    if let Some(why) = schedulers::correspondence(pair) {
        return corresponding(pair, why);
    }
    let judgement = weigh::judge(pair, job);
    let origin = origin::of(pair, sides);
    let tried = judgement
        .knob
        .and_then(|knob| tried(pair, knob, &sides[1].target, load));
    let (knob, experiment, why) = match tried {
        Some(Ok(command)) => (judgement.knob, command, judgement.why.to_string()),
        Some(Err(reason)) => {
            let reason = reason.trim_end_matches('.');
            let why = format!("{} Not for an experiment here: {reason}.", judgement.why);
            (None, weigh::MEASURE_BOTH.into(), why.trim().into())
        }
        None => (None, judgement.experiment.into(), judgement.why.into()),
    };
    // A default that moved is seldom anybody's intention, so it is worth looking at before what somebody chose.
    let weight = if origin.is_moved_default {
        judgement.weight * 1.1
    } else {
        judgement.weight
    };
    Difference {
        weight: weight.min(1.0),
        why,
        origin: origin.words,
        knob: knob.map(Into::into),
        experiment,
        ..plain(pair)
    }
}

/// Two words for one choice: what is left to compare is the code behind them.
fn corresponding(pair: &align::Pair<'_>, why: String) -> Difference {
    Difference {
        what: DifferenceWhat::Fact,
        weight: CORRESPONDING_WEIGHT,
        why,
        experiment: weigh::NO_SETTING.into(),
        ..plain(pair)
    }
}

fn plain(pair: &align::Pair<'_>) -> Difference {
    Difference {
        place: pair.place.clone(),
        name: pair.name.clone(),
        what: pair.what,
        a: pair.a.clone(),
        b: pair.b.clone(),
        weight: 0.0,
        why: String::new(),
        origin: String::new(),
        knob: None,
        experiment: String::new(),
        also_in: 0,
    }
}

/// The command that compares the two values on the second side, or why it cannot; none where there are no two values.
fn tried(
    pair: &align::Pair<'_>,
    knob: &'static str,
    target: &str,
    load: &LoadOf<'_>,
) -> Option<Result<String, String>> {
    if pair.what != DifferenceWhat::Setting {
        return None;
    }
    let (there, now) = (pair.a.as_deref()?, pair.b.as_deref()?);
    Some(schedulers::offered(pair, there).and_then(|other| {
        let candidate = Candidate {
            knob,
            place: &pair.place,
            now,
            other,
        };
        Ok(command(target, &load(&candidate)?, &candidate))
    }))
}

/// Changing a setting takes root. What follows `--` is a job in fio's words and comes last.
fn command(target: &str, load: &[String], candidate: &Candidate<'_>) -> String {
    let Candidate {
        knob, now, other, ..
    } = candidate;
    let fio = load.iter().position(|word| word == "--");
    let (own, fio) = load.split_at(fio.unwrap_or(load.len()));
    let mut words = vec!["sudo iodyno tune".to_string()];
    words.push(shell_line([as_target(target)]));
    words.extend(own.iter().map(|word| shell_word(word).into()));
    words.push(format!(
        "--knob {}",
        shell_word(&format!("{knob}={now},{other}"))
    ));
    words.extend(fio.iter().map(|word| shell_word(word).into()));
    words.join(" ")
}

#[cfg(test)]
mod tests;
