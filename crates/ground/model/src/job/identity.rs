//! What makes two loads the same job: the one answer that searching, comparing and histories share.
//!
//! An identity is a set of fields with their words. What decides what a device gives belongs to it; how long a job runs, on
//! which file, from which seed and through which system call does not, except that a synchronous engine has one I/O in
//! flight whatever its `iodepth` says. A source that does not tell a field leaves it out.

use super::engines::{is_block_io, is_synchronous};
use super::{Job, Rw};
use crate::units;
use std::collections::BTreeMap;

/// Version of the fields and words below; the first word of every [`Identity::text`]. Whoever changes a field, a word or
/// the order changes it, and stores derive their columns anew.
pub const VERSION: &str = "job/2";

/// A field: its name, and its word in a job that says nothing of it; none where every job has one of its own.
struct IdentityField {
    name: &'static str,
    usual: Option<&'static str>,
}

const fn own(name: &'static str) -> IdentityField {
    IdentityField { name, usual: None }
}

const fn usual(name: &'static str, word: &'static str) -> IdentityField {
    IdentityField {
        name,
        usual: Some(word),
    }
}

/// All fields, in the order in which people ask for them.
const FIELDS: [IdentityField; 26] = [
    own("rw"),
    own("bs"),
    own("direct"),
    own("iodepth"),
    own("numjobs"),
    own("rwmixread"),
    usual("sync", "none"),
    usual("fsync", "0"),
    usual("fdatasync", "0"),
    usual("end_fsync", "0"),
    usual("rate", "free"),
    own("arrivals"),
    usual("distribution", "random"),
    usual("percentage_random", "100"),
    usual("rw_stride", "0"),
    usual("rw_every", "1"),
    usual("rw_identical", "0"),
    usual("thinktime", "0"),
    usual("thinktime_blocks", "1"),
    usual("buffers", "random"),
    usual("verify", "none"),
    usual("iodepth_batch", "1"),
    usual("iodepth_low", "0"),
    usual("options", "none"),
    usual("beside", "none"),
    own("load"),
];

/// The fields that every source of a job tells, and by which results are found.
const CORE: [&str; 5] = ["load", "rw", "bs", "iodepth", "numjobs"];
/// Fields without which nobody knows whether two loads are the same.
const NEEDED: [&str; 5] = ["rw", "bs", "direct", "iodepth", "numjobs"];

/// Names of all fields, in the order in which people ask for them.
pub fn names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|field| field.name)
}

/// Whether a word is what a job has that says nothing of the field.
pub fn is_usual(name: &str, word: &str) -> bool {
    FIELDS
        .iter()
        .any(|field| field.name == name && field.usual == Some(word))
}

/// What is known of what makes a load the job that it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity(BTreeMap<String, String>);

impl Identity {
    /// All of a job of ours.
    pub fn of(job: &Job) -> Identity {
        let mut identity = Identity::default();
        let numjobs = job.numjobs.max(1);
        match job.ioengine.as_str() {
            "none" => identity.put("load", "others"),
            "command" => identity.put("load", "command"),
            "files" => identity.put("load", "small files"),
            "dataset" => identity.put("load", "data set"),
            _ => {}
        }
        identity.put("numjobs", numjobs);
        if is_block_io(&job.ioengine) {
            identity.block_io(job);
        }
        identity.put("options", options(job));
        identity.put("beside", job.beside.as_deref().unwrap_or("none"));
        identity
    }

    fn block_io(&mut self, job: &Job) {
        let is_waiting = is_synchronous(job.effective_engine());
        let depth = if is_waiting { 1 } else { job.iodepth.max(1) };
        self.put("rw", job.rw.word());
        self.put("bs", job.sizes_word());
        self.put("direct", u8::from(job.direct));
        self.put("iodepth", depth);
        if job.rw.reads() && job.rw.writes() {
            self.put("rwmixread", job.rwmixread);
        }
        self.put("sync", job.sync.word());
        self.put("fsync", job.fsync);
        self.put("fdatasync", job.fdatasync);
        self.put("end_fsync", u8::from(job.end_fsync));
        self.put("rate", job.rate_word());
        if job.is_paced() {
            let kind = if job.open_loop { "open" } else { "closed" };
            self.put("arrivals", format!("{kind} {}", job.arrivals.word()));
        }
        self.places(job);
        self.put("thinktime", job.thinktime.us);
        let blocks = match job.thinktime.us {
            0 => 1,
            _ => job.thinktime.blocks.max(1),
        };
        self.put("thinktime_blocks", blocks);
        self.put("buffers", job.buffers.word());
        let verify = job.verify.map_or("none", |_| "crc32c");
        self.put("verify", verify);
        self.put("iodepth_batch", job.iodepth_batch.max(1));
        self.put("iodepth_low", job.iodepth_low);
    }

    /// Where the I/Os of a job go.
    fn places(&mut self, job: &Job) {
        let is_random = job.rw.is_random();
        let distribution = match is_random {
            true => job.distribution.word(),
            false => "random".into(),
        };
        self.put("distribution", distribution);
        self.put("percentage_random", job.percentage_random);
        self.put("rw_stride", job.rw_stride);
        self.put("rw_every", job.rw_every.max(1));
        self.put("rw_identical", u8::from(job.rw_identical));
    }

    /// What a result of another tool tells, by fio's names of options.
    pub fn told(facts: &BTreeMap<String, String>) -> Identity {
        let told = |name: &str| {
            let word = facts.get(name)?.trim().to_lowercase();
            Some(word).filter(|word| !word.is_empty())
        };
        let number = |name: &str| told(name).filter(|word| word.parse::<u32>().is_ok());
        let mut identity = Identity::default();
        let rw = told("rw").or_else(|| told("readwrite"));
        identity.told_rw(rw.as_deref());
        identity.add(
            "bs",
            told("bs").or_else(|| told("blocksize")).map(told_size),
        );
        identity.add("direct", told_direct(facts));
        let is_waiting = told("ioengine").is_some_and(|engine| is_synchronous(&engine));
        let depth = if is_waiting {
            Some("1".into())
        } else {
            number("iodepth")
        };
        identity.add("iodepth", depth);
        let numjobs = number("numjobs").or_else(|| number("jobs"));
        identity.add("numjobs", numjobs);
        let is_mix = matches!(identity.get("rw"), Some("rw" | "randrw"));
        identity.add("rwmixread", told("rwmixread").filter(|_| is_mix));
        identity.add("sync", told("sync").map(told_sync));
        for name in ["fsync", "fdatasync", "end_fsync"] {
            identity.add(name, told(name));
        }
        identity
    }

    /// `readwrite`, `randread:8` and `read:16k` are fio's ways of writing direction, row and stride.
    fn told_rw(&mut self, text: Option<&str>) {
        let Some(text) = text else { return };
        let (word, further) = text
            .split_once(':')
            .map_or((text, None), |(a, b)| (a, Some(b)));
        let rw = Rw::from_word(word);
        self.put("rw", rw.map_or(word, |rw| rw.word()));
        let Some(further) = further else { return };
        match rw.is_some_and(Rw::is_random) {
            true => self.put("rw_every", further),
            false => {
                let stride = units::parse_bytes(further).map(|bytes| bytes.to_string());
                self.put("rw_stride", stride.unwrap_or_else(|_| further.into()));
            }
        }
    }

    fn put(&mut self, name: &str, word: impl ToString) {
        self.0.insert(name.into(), word.to_string());
    }

    fn add(&mut self, name: &str, word: Option<String>) {
        if let Some(word) = word {
            self.put(name, word);
        }
    }

    /// The word of a field, where it is known.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The fields that are known.
    pub fn into_fields(self) -> BTreeMap<String, String> {
        self.0
    }

    /// By what results are found that do not tell everything: `rw=randread bs=4k iodepth=32 numjobs=1`.
    pub fn core(&self) -> String {
        self.listed(CORE.into_iter())
    }

    /// All that makes the job, with its version; the same for the same job whoever tells it. None where a field is
    /// missing without which that is not known.
    pub fn text(&self) -> Option<String> {
        let is_whole = self.0.contains_key("load")
            || NEEDED.iter().all(|name| self.0.contains_key(*name))
                && self.get("rw").and_then(Rw::from_word).is_some();
        let said = names().filter(|name| self.get(name).is_some_and(|word| !is_usual(name, word)));
        is_whole.then(|| format!("{VERSION} {}", self.listed(said)))
    }

    /// Every field that is known, each as `name=word`; of options, each as it was given.
    pub fn words(&self) -> Vec<String> {
        let known = names().filter_map(|name| Some((name, self.get(name)?)));
        let said = known.filter(|(name, word)| !is_usual(name, word));
        said.map(|(name, word)| match name {
            "options" => word.to_string(),
            _ => format!("{name}={word}"),
        })
        .collect()
    }

    fn listed(&self, names: impl Iterator<Item = &'static str>) -> String {
        let words: Vec<String> = names
            .filter_map(|name| Some(format!("{name}={}", self.get(name)?)))
            .collect();
        words.join(" ")
    }
}

/// Options of one engine, and those handed on to fio. Where fio is and which engine it uses changes nothing about what is
/// asked of the disk.
fn options(job: &Job) -> String {
    let native = job.engine_options.iter();
    let handed = job.handed_on.iter().map(|(name, value)| (name, value));
    let words: Vec<String> = native
        .chain(handed)
        .filter(|(name, _)| !matches!(name.as_str(), "ioengine" | "program"))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if words.is_empty() {
        "none".into()
    } else {
        words.join(" ")
    }
}

/// A block size as its source wrote it: `4096B-4096B`, `4K-4K/4K-4K/4K-4K`, `(R) 4096B-4096B` and `4 KiB` are `4k`. What is
/// no single size stays as it is, without blanks.
fn told_size(text: String) -> String {
    let text = text
        .replace(" kib", "k")
        .replace(" mib", "m")
        .replace(" b", "");
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    let numbers = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let sizes: Option<Vec<u64>> = numbers.map(|word| units::parse_bytes(word).ok()).collect();
    match sizes.as_deref() {
        Some([first, rest @ ..]) if rest.iter().all(|one| one == first) => units::size_word(*first),
        _ => text.replace(' ', ""),
    }
}

/// fio's `sync=1` is O_SYNC.
fn told_sync(word: String) -> String {
    match word.as_str() {
        "0" => "none".into(),
        "1" => "sync".into(),
        _ => word,
    }
}

/// fio takes the last of `direct` and `buffered`; where they contradict each other and their order is lost, nobody knows.
fn told_direct(facts: &BTreeMap<String, String>) -> Option<String> {
    let flag = |name: &str| {
        let word = facts.get(name)?.trim().to_lowercase();
        Some(matches!(word.as_str(), "1" | "true" | "yes" | ""))
    };
    let direct = match (flag("direct"), flag("buffered")) {
        (Some(direct), Some(buffered)) if direct == buffered => return None,
        (Some(direct), _) => direct,
        (None, buffered) => !buffered?,
    };
    Some(u8::from(direct).to_string())
}

#[cfg(test)]
mod tests;
