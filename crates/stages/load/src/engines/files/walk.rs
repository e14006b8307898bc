//! One job's way through the phases.

use super::at;
use super::forest::Forest;
use super::plan::FilesPlan;
use crate::offsets::{OffsetRange, Offsets};
use crate::pattern::{Blocks, refresh};
use crate::worker::Worker;
use crate::{LoadError, lane};
use host::Error;
use stats::dice::mix64;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes written or read at once.
const CHUNK: usize = 1 << 20;

/// Runs a job to its end and removes what it made.
pub fn drive(worker: &Worker, plan: &FilesPlan, forest: &Forest) {
    let mut walk = Walk::new(worker, plan, forest);
    worker.counters.inflight.store(1, Relaxed);
    if let Err(error) = walk.phases() {
        worker.shared.fail(error.into());
    }
    // From here on nothing hurries it: what was made is removed.
    worker.shared.cleaning.fetch_add(1, Relaxed);
    if let Err(error) = walk.delete() {
        worker.shared.fail(error.into());
    }
    if forest.leave()
        && let Err(error) = forest.cleanup.finish()
    {
        // Who stopped the load no longer asks whether it failed.
        worker.shared.note(unremoved(&error).to_string());
        worker.shared.fail(unremoved(&error));
    }
    worker.shared.cleaning.fetch_sub(1, Relaxed);
    worker.counters.inflight.store(0, Relaxed);
}

fn unremoved(error: &LoadError) -> LoadError {
    LoadError::Engine {
        engine: super::ENGINE.id.into(),
        why: format!("{error}. The rest of the tree stays; `iodyno undo` tries again"),
    }
}

struct Walk<'a> {
    worker: &'a Worker,
    plan: &'a FilesPlan,
    forest: &'a Forest,
    /// Files of this job, `first..first + count`, of `of` in its tree.
    first: u64,
    of: u64,
    prefix: String,
    seed: u64,
    made: u64,
    renamed: u64,
    blocks: Blocks,
    path: String,
    other: String,
}

impl<'a> Walk<'a> {
    fn new(worker: &'a Worker, plan: &'a FilesPlan, forest: &'a Forest) -> Walk<'a> {
        let (index, jobs) = (u64::from(worker.index), u64::from(worker.job.numjobs));
        let (first, of, prefix) = match plan.shared {
            true => (index * plan.files, jobs * plan.files, String::new()),
            false => (0, plan.files, format!("j{index:x}")),
        };
        Walk {
            worker,
            plan,
            forest,
            first,
            of,
            prefix,
            seed: worker.seed,
            made: 0,
            renamed: 0,
            blocks: Blocks::random(2, CHUNK, worker.seed),
            path: String::new(),
            other: String::new(),
        }
    }

    fn phases(&mut self) -> Result<(), Error> {
        self.directories()?;
        if !self.forest.meet(self.worker) {
            return Ok(());
        }
        self.create()?;
        if self.made < self.plan.files {
            self.worker.shared.note(
                "it was stopped before all files were made: what is shown is the beginning of creating them"
                    .into(),
            );
        }
        if !self.forest.meet(self.worker) {
            return Ok(());
        }
        self.write_out()?;
        if !self.forest.meet(self.worker) {
            return Ok(());
        }
        if self.plan.stat {
            self.stat()?;
            self.forest.meet(self.worker);
        }
        if self.plan.read {
            self.epochs()?;
        }
        if self.plan.rename {
            self.rename()?;
            self.forest.meet(self.worker);
        }
        Ok(())
    }

    /// Times one operation and counts it; `untimed_ns` is what of it does not count.
    fn book(&self, lane: usize, bytes: u64, started_ns: u64, untimed_ns: u64) {
        let now_ns = self.worker.clock.now_ns();
        let counters = &self.worker.counters;
        counters.completed(lane, bytes, now_ns.saturating_sub(started_ns + untimed_ns));
        counters.bin(now_ns.saturating_sub(self.worker.origin_ns), 1);
        counters.last_ns.store(now_ns, Relaxed);
    }

    fn now(&self) -> u64 {
        self.worker.clock.now_ns()
    }

    fn spent(&self, lane: usize, begun_ns: u64, untimed_ns: u64) {
        self.worker
            .counters
            .spent(lane, self.now().saturating_sub(begun_ns + untimed_ns));
    }

    fn name(&mut self, kind: char, index: u64) {
        self.plan.file(
            &mut self.path,
            &self.prefix,
            kind,
            self.first + index,
            self.of,
        );
    }

    fn size(&self, index: u64) -> u64 {
        self.plan.size_of(index, self.seed)
    }

    /// Of directories that are shared, the first job makes all.
    fn directories(&mut self) -> Result<(), Error> {
        if self.plan.shared && self.worker.index > 0 {
            return Ok(());
        }
        let begun_ns = self.now();
        if !self.prefix.is_empty() {
            self.path.clone_from(&self.prefix);
            self.mkdir()?;
        }
        for level in 1..=self.plan.depth {
            for index in 0..self.plan.dirs.pow(level) {
                if self.worker.is_stopping() {
                    break;
                }
                self.plan
                    .directory(&mut self.path, &self.prefix, level, index);
                self.mkdir()?;
            }
        }
        self.spent(at::MKDIR, begun_ns, 0);
        Ok(())
    }

    fn mkdir(&self) -> Result<(), Error> {
        let (tree, started_ns) = (self.forest.tree(), self.now());
        tree.mkdir(&self.path)
            .map_err(|error| tree.error("make", &self.path, error))?;
        self.book(at::MKDIR, 0, started_ns, 0);
        Ok(())
    }

    fn create(&mut self) -> Result<(), Error> {
        let begun_ns = self.now();
        while self.made < self.plan.files && !self.worker.is_stopping() {
            self.name('f', self.made);
            let bytes = self.size(self.made);
            let salt = mix64(self.seed ^ self.made);
            // A file that could not be written in full is there all the same, and is to be removed.
            self.made += 1;
            let started_ns = self.now();
            let (tree, fsync) = (self.forest.tree(), self.plan.fsync);
            let write = |block: &mut [u8]| -> std::io::Result<()> {
                let file = tree.create_file(&self.path)?;
                let mut done = 0;
                while done < bytes {
                    let length = (bytes - done).min(CHUNK as u64) as usize;
                    refresh(&mut block[..length.next_multiple_of(8)], salt ^ done);
                    file.write_all(&block[..length])?;
                    done += length as u64;
                }
                if fsync { file.sync() } else { Ok(()) }
            };
            write(self.blocks.get(0)).map_err(|error| tree.error("create", &self.path, error))?;
            self.book(at::CREATE, bytes, started_ns, 0);
        }
        self.spent(at::CREATE, begun_ns, 0);
        Ok(())
    }

    /// Pages that were not written out cannot be dropped; and this time belongs to creating the files.
    fn write_out(&self) -> Result<(), Error> {
        if self.plan.fsync || self.worker.index > 0 {
            return Ok(());
        }
        let (tree, started_ns) = (self.forest.tree(), self.now());
        tree.sync()
            .map_err(|error| tree.error("write out", "", error))?;
        self.worker
            .counters
            .completed(lane::SYNC, 0, self.now().saturating_sub(started_ns));
        Ok(())
    }

    fn stat(&mut self) -> Result<(), Error> {
        let begun_ns = self.now();
        for index in 0..self.made {
            if self.worker.is_stopping() {
                break;
            }
            self.name('f', index);
            let (tree, started_ns) = (self.forest.tree(), self.now());
            let found = tree
                .stat(&self.path)
                .map_err(|error| tree.error("stat", &self.path, error))?;
            self.book(at::STAT, 0, started_ns, 0);
            self.compare(index, found)?;
        }
        self.spent(at::STAT, begun_ns, 0);
        Ok(())
    }

    /// A file that is not as long as it was made is no file to measure.
    fn compare(&self, index: u64, found: u64) -> Result<(), Error> {
        let wanted = self.size(index);
        if found == wanted {
            return Ok(());
        }
        let why = format!("it has {found} bytes, {wanted} were written; something changed it");
        Err(self
            .forest
            .tree()
            .error("trust", &self.path, std::io::Error::other(why)))
    }

    /// All files in a random order, again and again; each epoch has an order of its own.
    fn epochs(&mut self) -> Result<(), Error> {
        let range = OffsetRange {
            first: 0,
            count: self.made.max(1),
        };
        let mut order = Offsets::random(range, mix64(self.seed));
        let mut epoch = 0;
        while (self.worker.job.time_based || epoch < self.plan.epochs) && !self.worker.is_stopping()
        {
            let (begun_ns, mut untimed_ns) = (self.now(), 0);
            for _ in 0..self.made {
                if self.worker.is_stopping() {
                    break;
                }
                untimed_ns += self.read(order.next_block())?;
            }
            self.spent(at::READ, begun_ns, untimed_ns);
            self.forest.meet(self.worker);
            epoch += 1;
        }
        Ok(())
    }

    /// Reads one file; the time that dropping its pages took, which is not the file's.
    fn read(&mut self, index: u64) -> Result<u64, Error> {
        self.name('f', index);
        let (tree, clock) = (self.forest.tree(), &self.worker.clock);
        let invalidate = self.plan.invalidate;
        let started_ns = clock.now_ns();
        let mut untimed_ns = 0;
        let mut read = |block: &mut [u8]| -> std::io::Result<u64> {
            let file = tree.open_file(&self.path)?;
            if invalidate {
                let before_ns = clock.now_ns();
                file.drop_cache()?;
                untimed_ns = clock.now_ns().saturating_sub(before_ns);
            }
            let mut bytes = 0;
            loop {
                match file.read(block)? {
                    0 => return Ok(bytes),
                    read => bytes += read as u64,
                }
            }
        };
        let bytes =
            read(self.blocks.get(1)).map_err(|error| tree.error("read", &self.path, error))?;
        self.book(at::READ, bytes, started_ns, untimed_ns);
        self.compare(index, bytes)?;
        Ok(untimed_ns)
    }

    fn rename(&mut self) -> Result<(), Error> {
        let begun_ns = self.now();
        while self.renamed < self.made && !self.worker.is_stopping() {
            self.name('r', self.renamed);
            std::mem::swap(&mut self.path, &mut self.other);
            self.name('f', self.renamed);
            let (tree, started_ns) = (self.forest.tree(), self.now());
            tree.rename(&self.path, &self.other)
                .map_err(|error| tree.error("rename", &self.path, error))?;
            self.renamed += 1;
            self.book(at::RENAME, 0, started_ns, 0);
        }
        self.spent(at::RENAME, begun_ns, 0);
        Ok(())
    }

    /// Removes the files. Stopping does not stop it.
    fn delete(&mut self) -> Result<(), Error> {
        let begun_ns = self.now();
        for index in 0..self.made {
            self.name(if index < self.renamed { 'r' } else { 'f' }, index);
            let (tree, started_ns) = (self.forest.tree(), self.now());
            match tree.unlink(&self.path) {
                Ok(()) if self.plan.delete => self.book(at::DELETE, 0, started_ns, 0),
                Ok(()) => {}
                // The last one may never have been made.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(tree.error("delete", &self.path, error)),
            }
        }
        if self.plan.delete {
            self.spent(at::DELETE, begun_ns, 0);
        }
        Ok(())
    }
}
