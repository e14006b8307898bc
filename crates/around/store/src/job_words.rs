//! A load in words that can be compared: what two loads must have in common to be the same job.

use crate::document::short_hash;
use model::job::identity::Identity;
use model::job::{Job, Rw};
use model::record::{Record, RecordBody, SectionResult};
use std::collections::BTreeMap;

/// What is known of a record's job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobWords {
    /// For people: `4K random read, depth 32, direct`.
    pub phrase: String,
    /// Every word by which it can be found, in lower case, with a blank before and after each.
    pub words: String,
    /// What any source tells: `rw=randread bs=4k iodepth=32 numjobs=1`.
    pub core: String,
    /// Twelve digits made of all that makes a job; none where an imported result does not tell all of it.
    pub print: Option<String>,
}

/// The job of a record; none of one that had no load of its own, and of an import that does not tell it.
pub fn of(record: &Record) -> Option<JobWords> {
    let sections: &[SectionResult] = match &record.body {
        RecordBody::Import(imported) => return of_facts(&imported.facts),
        RecordBody::Run(run) if run.load.is_some() => &run.sections,
        RecordBody::Tune(_) => &[],
        RecordBody::Run(_) | RecordBody::Watch(_) | RecordBody::Check(_) => return None,
    };
    if record.job.ioengine == "none" {
        return None;
    }
    let jobs: Vec<&Job> = match sections {
        [] => vec![&record.job],
        several => several.iter().map(|section| &section.job).collect(),
    };
    Some(of_jobs(&jobs))
}

fn of_jobs(jobs: &[&Job]) -> JobWords {
    let further = jobs.len() - 1;
    let more = if further > 0 {
        format!(" and {further} more")
    } else {
        String::new()
    };
    let phrase = format!("{}{more}", jobs[0].phrase());
    let identities: Vec<Identity> = jobs.iter().map(|job| Identity::of(job)).collect();
    let join = |word: fn(&Identity) -> String| {
        let words: Vec<String> = identities.iter().map(word).collect();
        words.join(" + ")
    };
    let (core, words) = (
        join(Identity::core),
        join(|identity| identity.words().join(" ")),
    );
    let whole: Option<Vec<String>> = identities.iter().map(Identity::text).collect();
    let engines: Vec<String> = jobs
        .iter()
        .map(|job| format!("ioengine={}", job.ioengine))
        .collect();
    JobWords {
        words: findable(&[&phrase, &core, &words, &engines.join(" ")]),
        print: whole.map(|texts| short_hash(&texts.join(" + "))),
        phrase,
        core,
    }
}

/// The job of an import, from the facts that its source tells.
fn of_facts(facts: &BTreeMap<String, String>) -> Option<JobWords> {
    let identity = Identity::told(facts);
    let phrase = phrase(&identity)?;
    let engine = facts.get("ioengine").map(|name| format!("ioengine={name}"));
    let (core, words) = (identity.core(), identity.words().join(" "));
    Some(JobWords {
        words: findable(&[&phrase, &core, &words, &engine.unwrap_or_default()]),
        print: identity.text().map(|text| short_hash(&text)),
        phrase,
        core,
    })
}

/// An import's job for people; none where it does not tell the direction.
fn phrase(identity: &Identity) -> Option<String> {
    let rw = identity.get("rw")?;
    let kind = Rw::from_word(rw).map_or(rw, |rw| rw.phrase());
    let bs = identity.get("bs").map(str::to_uppercase);
    let mut parts = vec![bs.map_or(kind.to_string(), |bs| format!("{bs} {kind}"))];
    let jobs = identity.get("numjobs").filter(|jobs| *jobs != "1");
    parts.extend(jobs.map(|jobs| format!("{jobs} jobs")));
    parts.extend(
        identity
            .get("iodepth")
            .map(|depth| format!("depth {depth}")),
    );
    let cache = |direct| if direct == "1" { "direct" } else { "buffered" };
    parts.extend(
        identity
            .get("direct")
            .map(|direct| cache(direct).to_string()),
    );
    Some(parts.join(", "))
}

/// Words with a blank before and after each, in lower case; of `name=value` the value alone is one too.
fn findable(texts: &[&str]) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in texts.iter().flat_map(|text| tokens(text)) {
        if let Some((_, value)) = word.split_once('=') {
            words.push(value.to_string());
        }
        words.push(word);
    }
    words.sort_unstable();
    words.dedup();
    format!(" {} ", words.join(" "))
}

/// The words of a text, as [`JobWords::words`] has them.
pub fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    words
        .filter(|word| !word.is_empty() && *word != "+")
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(pairs: &[(&str, &str)]) -> Option<JobWords> {
        of_facts(
            &pairs
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
        )
    }

    #[test]
    fn a_job_and_its_import_are_the_same() {
        let own = of_jobs(&[&Job::default()]);
        assert_eq!(own.core, "rw=randread bs=4k iodepth=32 numjobs=1");
        assert_eq!(own.phrase, "4K random read, depth 32, direct");
        let told = [
            ("rw", "randread"),
            ("bs", "4096B-4096B"),
            ("iodepth", "32"),
            ("numjobs", "1"),
        ];
        let short = facts(&told).unwrap();
        assert_eq!(
            (short.core.as_str(), &short.print),
            (own.core.as_str(), &None)
        );
        let whole = facts(&[&told[..], &[("direct", "1")]].concat()).unwrap();
        assert_eq!(whole.print, own.print);
        assert_eq!(whole.phrase, "4K random read, depth 32, direct");
    }

    #[test]
    fn without_a_direction_nothing_is_a_job() {
        assert_eq!(facts(&[("bs", "4k")]), None);
    }

    #[test]
    fn every_word_can_be_found() {
        let words = of_jobs(&[&Job::default()]).words;
        for token in tokens("RW=randread 4k random, iodepth=32 direct=1 io_uring") {
            assert!(words.contains(&format!(" {token} ")), "{token} in {words}");
        }
    }
}
