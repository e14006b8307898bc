//! A run of `rados bench`: started, read while it goes on, and given up where the cluster does not answer.

use super::{CephPlace, LOOK_AT, failed};
use crate::LoadError;
use host::ceph::{self, CephProgram, last_words};
use host::{Child, Privileges, clock};
use imports::importers::rados_bench::{self, RadosBenchRow};
use model::change::SavedObjects;
use model::failure::Exit;
use model::imported::Imported;

/// The most that a run prints, bytes: a row a second is a week.
const PRINTED_MAX: u64 = 64 << 20;

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchMode {
    /// Writes new objects.
    Write,
    /// Reads those of the last writing, in their order.
    Seq,
    /// Reads them in random order.
    Rand,
}

impl BenchMode {
    fn word(self) -> &'static str {
        match self {
            BenchMode::Write => "write",
            BenchMode::Seq => "seq",
            BenchMode::Rand => "rand",
        }
    }
}

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub struct BenchWish {
    /// What it does.
    pub mode: BenchMode,
    /// How long, whole seconds.
    pub seconds: u64,
    /// I/Os in flight.
    pub concurrent: u32,
    /// Bytes of an I/O and of an object.
    pub block_bytes: u64,
    /// Objects that it writes at the most.
    pub most_objects: u64,
    /// How long the cluster may complete nothing, ns.
    pub patience_ns: u64,
}

/// A run.
#[derive(Debug)]
pub struct Bench {
    child: Child,
    patience_ns: u64,
    printed_bytes: u64,
    rows: usize,
    finished: f64,
    /// What it makes, until one of them was seen.
    unseen: Option<SavedObjects>,
    /// Why it is not to go on.
    wrong: Option<String>,
    /// When something was completed last, or it began, ns of the monotonic clock.
    lively_ns: u64,
}

/// How a run ended.
#[derive(Debug)]
pub enum BenchEnd {
    /// It ended by itself, with its sums.
    Whole(Box<Imported>),
    /// It was given up, or ended before its sums; the reason is a sentence.
    BrokenOff(String),
}

impl Bench {
    /// Starts it. What it is going to make is written down before it may begin.
    ///
    /// # Errors
    /// When rados is not there, or the journal cannot be written.
    pub fn start(place: &CephPlace, wish: &BenchWish) -> Result<Bench, LoadError> {
        let words = words(place, wish);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let cluster = &place.target.cluster;
        let held = ceph::start_held(CephProgram::Rados, cluster, &words, Privileges::Generate);
        let held = held.map_err(|error| failed(place, &error))?;
        let mut unseen = None;
        if wish.mode == BenchMode::Write {
            let saved = objects(place, wish, held.id());
            let first = format!("{}0", saved.prefix);
            // In a namespace of others somebody's bench can have had this number on a machine of this name.
            if place.target.namespace.is_some()
                && ceph::objects::is_there(&saved, &first).map_err(|error| failed(place, &error))?
            {
                let why =
                    format!("an object of others has the name {first} that this run would give");
                return Err(place.error(
                    why,
                    "Run it again: the name has the number of a process in it",
                    Exit::Refused,
                ));
            }
            unseen = Some(saved.clone());
            place.write_down(saved)?;
        }
        let child = held.go_on().map_err(|error| failed(place, &error))?;
        Ok(Bench {
            child,
            patience_ns: wish.patience_ns,
            printed_bytes: 0,
            rows: 0,
            finished: 0.0,
            unseen,
            wrong: None,
            lively_ns: clock::monotonic_ns(),
        })
    }

    /// The rows that were printed since the last look.
    pub fn look(&mut self) -> Vec<RadosBenchRow> {
        let printed_bytes = self.child.printed_bytes();
        if printed_bytes == self.printed_bytes || printed_bytes > PRINTED_MAX {
            return Vec::new();
        }
        self.printed_bytes = printed_bytes;
        let mut rows = rados_bench::rows_so_far(&self.child.printed().0);
        let new = rows.split_off(self.rows.min(rows.len()));
        self.rows += new.len();
        if let Some(last) = new.last()
            && last.finished > self.finished
        {
            (self.finished, self.lively_ns) = (last.finished, clock::monotonic_ns());
            self.must_have_made();
        }
        new
    }

    /// Makes certain that what it makes has the names that were written down: a `rados` that starts another one elsewhere, in a
    /// container or a pod, gives others, which nobody would remove.
    fn must_have_made(&mut self) {
        let Some(saved) = self.unseen.take() else {
            return;
        };
        let first = ceph::objects::is_there(&saved, &format!("{}0", saved.prefix));
        // With several in flight the first one may come late.
        let is_there = first.and_then(|is_first| match is_first {
            true => Ok(true),
            false => ceph::objects::left(&saved).map(|left| left.is_some()),
        });
        match is_there {
            Ok(true) => {}
            Ok(false) => self.wrong = Some(other_names(&saved)),
            // A cluster that does not answer is seen otherwise.
            Err(_) => self.unseen = Some(saved),
        }
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.has_ended()
    }

    /// Why it has to be given up, where it has to be.
    pub fn is_stuck(&self) -> Option<String> {
        let silent_ns = clock::monotonic_ns().saturating_sub(self.lively_ns);
        if self.wrong.is_some() {
            return self.wrong.clone();
        }
        if self.child.printed_bytes() > PRINTED_MAX {
            return Some("rados bench printed more than its tables can be".into());
        }
        (silent_ns > self.patience_ns).then(|| {
            format!(
                "the cluster stopped answering: nothing was completed for {} s. {LOOK_AT}",
                silent_ns / 1_000_000_000
            )
        })
    }

    /// What it printed on its standard output so far.
    pub fn text(&self) -> String {
        match self.child.printed_bytes() > PRINTED_MAX {
            true => String::new(),
            false => self.child.printed().0,
        }
    }

    /// What became of one that has ended.
    pub fn end(&self) -> BenchEnd {
        let (stdout, stderr) = self.child.printed();
        match rados_bench::sums(&stdout) {
            Some(sums) if self.child.status() == Some(0) => BenchEnd::Whole(Box::new(sums)),
            _ => {
                let how = match self.child.status() {
                    Some(status) => {
                        format!("rados bench ended with status {status} and without its sums")
                    }
                    None => "a signal ended rados bench".into(),
                };
                // What went wrong first stands first; the last line only repeats its number.
                let said = stderr.lines().map(str::trim).find(|line| !line.is_empty());
                let said = said.map(last_words).unwrap_or_default();
                BenchEnd::BrokenOff(match said.is_empty() {
                    true => how,
                    false => format!("{how}: {said}"),
                })
            }
        }
    }
}

/// That rados bench gave other names than those that were written down.
pub(super) fn other_names(saved: &SavedObjects) -> String {
    let namespace = saved.namespace.as_deref().unwrap_or_default();
    let words = ["--pool", &saved.target.pool, "--namespace", namespace, "ls"];
    let command = ceph::command_words(CephProgram::Rados, &saved.target.cluster, &words);
    format!(
        "what `rados bench` writes has not the names that were written down ({}…): the `rados` of the search path is another \
         one, or starts another one elsewhere. Its objects are still in the pool, and `{command}` shows them",
        saved.prefix
    )
}

/// The objects that a writing run makes; `pid` is that of its process.
fn objects(place: &CephPlace, wish: &BenchWish, pid: u32) -> SavedObjects {
    SavedObjects {
        target: place.target.clone(),
        fsid: place.fsid.clone(),
        namespace: Some(place.namespace()),
        prefix: format!("benchmark_data_{}_{pid}_object", place.hostname()),
        // Those in flight when the last is counted come on top.
        most: wish.most_objects + u64::from(wish.concurrent),
        gap: wish.concurrent,
        also: vec![place.name.clone()],
    }
}

fn words(place: &CephPlace, wish: &BenchWish) -> Vec<String> {
    let mut words = place.pool_words();
    let mut add = |new: &[&str]| words.extend(new.iter().map(|word| word.to_string()));
    add(&["bench", &wish.seconds.to_string(), wish.mode.word()]);
    add(&[
        "--concurrent-ios",
        &wish.concurrent.to_string(),
        "--run-name",
        &place.name,
    ]);
    if wish.mode == BenchMode::Write {
        let (bytes, objects) = (wish.block_bytes.to_string(), wish.most_objects.to_string());
        add(&["-b", &bytes, "--max-objects", &objects, "--no-cleanup"]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Host;
    use model::ceph_target::CephTarget;

    #[test]
    fn a_writing_run_is_bounded_and_keeps_to_names_of_its_own() {
        let target = CephTarget::parse("rados://bench").unwrap();
        let place =
            CephPlace::new(&target, &Host::live(), std::path::Path::new("/nowhere")).unwrap();
        let wish = BenchWish {
            mode: BenchMode::Write,
            seconds: 10,
            concurrent: 16,
            block_bytes: 4 << 20,
            most_objects: 256,
            patience_ns: 1,
        };
        let line = words(&place, &wish).join(" ");
        let name = &place.name;
        assert_eq!(
            line,
            format!(
                "--pool bench --namespace {name} bench 10 write --concurrent-ios 16 --run-name {name} -b 4194304 \
                 --max-objects 256 --no-cleanup"
            )
        );
        let saved = objects(&place, &wish, 4711);
        assert!(saved.is_own() && saved.most == 272, "{saved:?}");
        assert!(saved.prefix.ends_with("_4711_object"), "{saved:?}");
        let rand = BenchWish {
            mode: BenchMode::Rand,
            ..wish
        };
        assert!(words(&place, &rand).join(" ").ends_with(&format!(
            "bench 10 rand --concurrent-ios 16 --run-name {name}"
        )));
    }
}
