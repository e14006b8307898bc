//! A load in words that can be compared: what two loads must have in common to be the same job.

use crate::document::short_hash;
use model::job::{BlockSize, Distribution, Job, Rw, SyncMode};
use model::record::Record;
use model::units;
use std::collections::BTreeMap;
use std::fmt::Write;

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
    if let Some(imported) = &record.imported {
        return of_facts(&imported.facts);
    }
    let has_load = record.load.is_some() || record.verb == "tune";
    if !has_load || record.job.ioengine == "none" {
        return None;
    }
    let jobs: Vec<&Job> = match record.sections.is_empty() {
        true => vec![&record.job],
        false => record.sections.iter().map(|section| &section.job).collect(),
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
    let join = |words: fn(&Job) -> String| {
        jobs.iter()
            .map(|job| words(job))
            .collect::<Vec<_>>()
            .join(" + ")
    };
    let (core, whole) = (join(core), join(whole));
    let engines = join(|job| format!("ioengine={}", job.ioengine));
    JobWords {
        words: findable(&[&phrase, &core, &whole, &engines]),
        print: Some(short_hash(&whole)),
        phrase,
        core,
    }
}

/// The depth that counts: an engine that waits for each I/O has one in flight.
fn depth(job: &Job) -> u32 {
    let waits = matches!(
        job.effective_engine(),
        "psync" | "sync" | "vsync" | "pvsync" | "pvsync2" | "mmap" | "splice" | "stream"
    );
    if waits { 1 } else { job.iodepth.max(1) }
}

fn core(job: &Job) -> String {
    let numjobs = job.numjobs.max(1);
    match job.ioengine.as_str() {
        engine @ ("files" | "stream") => format!("{engine} numjobs={numjobs}"),
        _ => {
            let (rw, bs) = (job.rw.word(), sizes(job));
            format!("rw={rw} bs={bs} iodepth={} numjobs={numjobs}", depth(job))
        }
    }
}

/// Block sizes, alike whatever way they were given in.
fn sizes(job: &Job) -> String {
    let one = |size: &BlockSize| match size {
        BlockSize::Fixed(bytes) => units::size_word(*bytes),
        BlockSize::Range(from, to) => {
            format!("{}-{}", units::size_word(*from), units::size_word(*to))
        }
        BlockSize::Split(parts) => {
            let words = parts
                .iter()
                .map(|(bytes, share)| format!("{}/{share}", units::size_word(*bytes)));
            words.collect::<Vec<_>>().join(":")
        }
    };
    let all = job.sizes();
    let used = [
        (job.rw.reads(), all.read),
        (job.rw.writes(), all.write),
        (job.rw.trims(), all.trim),
    ];
    let mut words: Vec<String> = used
        .iter()
        .filter(|(used, _)| *used)
        .map(|(_, size)| one(size))
        .collect();
    words.dedup();
    words.join(",")
}

/// The core, and everything else that makes a load another one. The engine, the runtime, the size of the file and the
/// seed do not: the same job may be run longer, on another file, or through another system call.
fn whole(job: &Job) -> String {
    let mut words = format!("{} direct={}", core(job), u8::from(job.direct));
    let further = [pattern(job), order(job), pace(job), rest(job)];
    for word in further.into_iter().flatten().flatten() {
        // Writing to a string cannot fail.
        let _ = write!(words, " {word}");
    }
    let native = job.engine_options.iter();
    let handed = job.handed_on.iter().map(|(name, value)| (name, value));
    // Where fio is and which engine it uses changes nothing about what is asked of the disk.
    for (name, value) in native
        .chain(handed)
        .filter(|(name, _)| !matches!(name.as_str(), "ioengine" | "program"))
    {
        let _ = write!(words, " {name}={value}");
    }
    words
}

/// Words that are said of some jobs, in their order.
type Words = Vec<Option<String>>;

fn when(is_said: bool, word: String) -> Option<String> {
    is_said.then_some(word)
}

/// Reads against writes, and what is flushed when.
fn pattern(job: &Job) -> Words {
    vec![
        when(
            job.rw.reads() && job.rw.writes(),
            format!("rwmixread={}", job.rwmixread),
        ),
        when(
            job.sync != SyncMode::None,
            format!("sync={:?}", job.sync).to_lowercase(),
        ),
        when(job.fsync > 0, format!("fsync={}", job.fsync)),
        when(job.fdatasync > 0, format!("fdatasync={}", job.fdatasync)),
        when(job.end_fsync, "end_fsync=1".into()),
    ]
}

/// Which offsets follow each other.
fn order(job: &Job) -> Words {
    let is_uneven = job.rw.is_random() && job.distribution != Distribution::Random;
    vec![
        when(
            is_uneven,
            format!("random_distribution={:?}", job.distribution)
                .to_lowercase()
                .replace(' ', ""),
        ),
        when(
            job.percentage_random != 100,
            format!("percentage_random={}", job.percentage_random),
        ),
        when(job.rw_stride != 0, format!("stride={}", job.rw_stride)),
        when(job.rw_every > 1, format!("every={}", job.rw_every)),
        when(job.rw_identical, "rw_sequencer=identical".into()),
    ]
}

/// When the I/Os are asked for.
fn pace(job: &Job) -> Words {
    let usual = Job::default();
    vec![
        when(
            job.is_paced(),
            format!("rates={:?}", job.rates)
                .to_lowercase()
                .replace(' ', ""),
        ),
        when(
            job.arrivals != usual.arrivals,
            "rate_process=poisson".into(),
        ),
        when(job.open_loop, "open_loop=1".into()),
        when(
            job.thinktime != usual.thinktime,
            format!("thinktime={}", job.thinktime.us),
        ),
    ]
}

/// What is written, and how I/Os are handed over.
fn rest(job: &Job) -> Words {
    vec![
        when(
            job.buffers != Job::default().buffers,
            format!("buffers={:?}", job.buffers).to_lowercase(),
        ),
        when(job.verify.is_some(), "verify=1".into()),
        when(
            job.iodepth_batch > 1,
            format!("iodepth_batch={}", job.iodepth_batch),
        ),
        when(
            job.iodepth_low > 0,
            format!("iodepth_low={}", job.iodepth_low),
        ),
    ]
}

/// What an import tells of its job.
struct ImportedJob<'a> {
    facts: &'a BTreeMap<String, String>,
    rw: String,
    bs: Option<String>,
    iodepth: Option<u32>,
    numjobs: Option<u32>,
    direct: Option<u8>,
}

/// The job of an import, from the facts that its source tells.
fn of_facts(facts: &BTreeMap<String, String>) -> Option<JobWords> {
    let job = ImportedJob::of(facts)?;
    let (phrase, core) = (job.phrase(), job.core());
    let others: Vec<String> = facts
        .iter()
        .filter(|(name, _)| {
            matches!(name.as_str(), "ioengine" | "direct") || FURTHER.contains(&name.as_str())
        })
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    Some(JobWords {
        words: findable(&[&phrase, &core, &others.join(" ")]),
        print: job.print(&core),
        phrase,
        core,
    })
}

impl ImportedJob<'_> {
    fn of(facts: &BTreeMap<String, String>) -> Option<ImportedJob<'_>> {
        let number = |name: &str| fact(facts, name).and_then(|text| text.parse::<u32>().ok());
        let is_on = |text: &str| u8::from(!matches!(text, "0" | "false" | "no"));
        Some(ImportedJob {
            facts,
            rw: fact(facts, "rw").map(str::to_lowercase)?,
            bs: fact(facts, "bs").map(size),
            iodepth: number("iodepth"),
            numjobs: number("numjobs"),
            direct: fact(facts, "direct").map(is_on),
        })
    }

    fn core(&self) -> String {
        let job = Job {
            ioengine: fact(self.facts, "ioengine").unwrap_or("libaio").into(),
            iodepth: self.iodepth.unwrap_or(1),
            rw: Rw::from_word(&self.rw).unwrap_or(Rw::Randread),
            ..Job::default()
        };
        let words = [
            ("bs", self.bs.clone()),
            ("iodepth", self.iodepth.map(|_| depth(&job).to_string())),
            ("numjobs", self.numjobs.map(|jobs| jobs.max(1).to_string())),
        ];
        let mut core = format!("rw={}", self.rw);
        for (name, value) in words {
            if let Some(value) = value {
                let _ = write!(core, " {name}={value}");
            }
        }
        core
    }

    /// None where something that makes a job is not told.
    fn print(&self, core: &str) -> Option<String> {
        let is_whole = self.bs.is_some() && self.iodepth.is_some() && self.numjobs.is_some();
        if !is_whole || Rw::from_word(&self.rw).is_none() {
            return None;
        }
        let mut words = format!("{core} direct={}", self.direct?);
        for name in FURTHER {
            if let Some(value) =
                fact(self.facts, name).filter(|value| !matches!(*value, "0" | "none"))
            {
                let _ = write!(words, " {name}={value}");
            }
        }
        Some(short_hash(&words))
    }

    fn phrase(&self) -> String {
        let kind = Rw::from_word(&self.rw).map_or(self.rw.as_str(), |rw| rw.phrase());
        let mut phrase = match &self.bs {
            Some(bs) => format!("{} {kind}", bs.to_uppercase()),
            None => kind.to_string(),
        };
        let jobs = self.numjobs.filter(|jobs| *jobs > 1);
        let direct = |direct| if direct == 1 { "direct" } else { "buffered" }.to_string();
        let more = [
            jobs.map(|jobs| format!("{jobs} jobs")),
            self.iodepth.map(|depth| format!("depth {depth}")),
            self.direct.map(direct),
        ];
        for text in more.iter().flatten() {
            let _ = write!(phrase, ", {text}");
        }
        phrase
    }
}

/// A fact that says something.
fn fact<'a>(facts: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    facts
        .get(name)
        .map(|value| value.trim())
        .filter(|value| !value.is_empty())
}

/// Facts beyond the core that make an imported job another one, in the order and by the names of [`whole`].
const FURTHER: [&str; 5] = ["rwmixread", "sync", "fsync", "fdatasync", "end_fsync"];

/// A block size as its source wrote it, in our words: `4096B-4096B`, `4K-4K/4K-4K/4K-4K` and `4 KiB` are `4k`.
fn size(text: &str) -> String {
    let text = text
        .replace(" KiB", "k")
        .replace(" MiB", "m")
        .replace(" B", "");
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    let numbers = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let sizes: Option<Vec<u64>> = numbers.map(|word| units::parse_bytes(word).ok()).collect();
    match sizes.as_deref() {
        Some([first, rest @ ..]) if rest.iter().all(|one| one == first) => units::size_word(*first),
        _ => text.to_lowercase().replace(' ', ""),
    }
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
    fn what_changes_the_load_changes_the_print() {
        let print = |job: Job| of_jobs(&[&job]).print.unwrap();
        let usual = print(Job::default());
        let others = [
            Job {
                direct: false,
                ..Job::default()
            },
            Job {
                fsync: 1,
                ..Job::default()
            },
            Job {
                bs: 8192,
                ..Job::default()
            },
            Job {
                sync: SyncMode::Dsync,
                ..Job::default()
            },
            Job {
                distribution: Distribution::Zipf(1.2),
                ..Job::default()
            },
            Job {
                ioengine: "psync".into(),
                ..Job::default()
            },
        ];
        for job in others {
            assert_ne!(print(job.clone()), usual, "{}", whole(&job));
        }
        let same = Job {
            runtime_ms: 1,
            randseed: 7,
            ioengine: "libaio".into(),
            size: 1 << 30,
            ..Job::default()
        };
        assert_eq!(print(same), usual);
        let deep = Job {
            ioengine: "psync".into(),
            iodepth: 64,
            ..Job::default()
        };
        assert_eq!(
            print(deep),
            print(Job {
                ioengine: "psync".into(),
                iodepth: 1,
                ..Job::default()
            })
        );
    }

    #[test]
    fn sizes_of_other_tools_are_ours() {
        let found = [
            "4096B-4096B",
            "4K-4K/4K-4K/4K-4K",
            "4 KiB",
            "(R) 4096B-4096B, (W) 4096B-4096B",
            "4k",
        ]
        .map(size);
        assert_eq!(found, ["4k"; 5]);
        assert_eq!(size("4k-64k"), "4k-64k");
        assert_eq!(facts(&[("bs", "4k")]), None, "without rw nothing is a job");
    }

    #[test]
    fn every_word_can_be_found() {
        let words = of_jobs(&[&Job::default()]).words;
        for token in tokens("RW=randread 4k random, iodepth=32 direct=1 io_uring") {
            assert!(words.contains(&format!(" {token} ")), "{token} in {words}");
        }
    }
}
