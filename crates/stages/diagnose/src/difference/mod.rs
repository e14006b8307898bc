//! What differs between two paths, ranked by how likely it matters for a job.
//!
//! [`align`] lays one path over the other, layer by layer, and gives everything that is not the same; [`weigh`] says how
//! likely each matters, and why; [`origin`] says where two values come from.

mod align;
mod origin;
mod weigh;

use kernel::choice;
use model::difference::{DIFF_SCHEMA, Difference, DifferenceSide, DifferenceWhat, Differences};
use model::iopath::IoPath;
use model::job::Job;
use model::text::shell_word;

/// From this weight on a difference is worth a reader's time without being asked for. A proposal of this project.
pub const WEIGHT_MIN: f64 = 0.2;

/// What differs. `names` are what the user called the two; without a job every kind of load counts alike.
pub fn differences(a: &IoPath, b: &IoPath, names: [&str; 2], job: Option<&Job>) -> Differences {
    let side = |path: &IoPath, name: &str| DifferenceSide {
        name: name.into(),
        target: path.target.clone(),
        kernel: path.machine_fact("kernel").map(Into::into),
    };
    let sides = [side(a, names[0]), side(b, names[1])];
    let aligned = align::all(a, b);
    let mut differences: Vec<Difference> = Vec::new();
    for pair in aligned.pairs {
        let found = judged(&pair, &sides, job);
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

fn judged(pair: &align::Pair<'_>, sides: &[DifferenceSide; 2], job: Option<&Job>) -> Difference {
    let judgement = weigh::judge(pair, job);
    let origin = origin::of(pair, sides);
    let knob = judgement
        .knob
        .filter(|_| pair.what == DifferenceWhat::Setting && pair.a.is_some() && pair.b.is_some());
    let experiment = match (knob, offered(pair), &pair.b) {
        (Some(knob), Some(a), Some(b)) if a != b => {
            format!(
                "iodyno tune {} --knob {knob}={b},{a}",
                shell_word(&sides[1].target)
            )
        }
        _ => judgement.experiment.to_string(),
    };
    // A default that moved is seldom anybody's intention, so it is worth looking at before what somebody chose.
    let weight = if origin.is_moved_default {
        judgement.weight * 1.1
    } else {
        judgement.weight
    };
    Difference {
        place: pair.place.clone(),
        name: pair.name.clone(),
        what: pair.what,
        a: pair.a.clone(),
        b: pair.b.clone(),
        weight: weight.min(1.0),
        why: judgement.why.into(),
        origin: origin.words,
        knob: knob.map(Into::into),
        experiment,
        also_in: 0,
    }
}

/// The first side's value as the second side's kernel has it. Schedulers of the old block layer are gone since 5.0; each
/// has a successor in blk-mq.
fn offered<'a>(pair: &'a align::Pair<'_>) -> Option<&'a str> {
    let value = pair.a.as_deref()?;
    let choices = pair
        .settings
        .and_then(|(_, here)| here.value.value())
        .filter(|text| choice::chosen(text).is_some());
    let has = |word: &str| choices.is_none_or(|text| choice::offered(text).any(|one| one == word));
    let successor = match value {
        "cfq" => "bfq",
        "deadline" => "mq-deadline",
        "noop" => "none",
        other => other,
    };
    [value, successor].into_iter().find(|word| has(word))
}

#[cfg(test)]
mod tests;
