//! A rehearsal: the machine as it is, but for one disk, which is simulated, and settings, which are written nowhere but here.
//!
//! What is looked at is real, so that the same knobs, values and words come up as in earnest; time is of our own making.

use crate::clock::{self, Strike};
use crate::output::TemporaryDir;
use crate::{Host, Whose, files};
use kernel::choice;
use kernel::stat::Counters;
use model::record::RehearsedOn;
use model::subject::Subject;
use simulator::{Demand, Disk, STEP_MS, StepDone};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const STEP_NS: u64 = STEP_MS * 1_000_000;
/// The table of the counters of all devices.
const DISKSTATS: &str = "/proc/diskstats";
/// What cuts large I/Os, by name.
const CUTS: &str = "max_sectors_kb";

/// What is rehearsed.
#[derive(Debug)]
pub struct Scene {
    /// What records say of it.
    pub on: RehearsedOn,
    /// Kernel name of the device that is simulated; empty where the target lies on none.
    pub device: String,
    /// The disk in its place.
    pub disk: Disk,
    /// Whether settings are written to the kernel all the same: how tests have a tune killed that has changed something.
    pub writes_through: bool,
    /// Ends the process at some sleep: the same.
    pub strike: Option<Strike>,
}

/// A load on the simulated disk.
pub trait RehearsedLoad: Send {
    /// What it asks of the disk now.
    fn demand(&self) -> Demand;

    /// Takes what the disk did for it in a step that began at a moment of [`clock::monotonic_ns`] and is over.
    fn take(&mut self, begin_ns: u64, done: &StepDone);
}

/// The rehearsal that a machine is looked at for.
pub struct Rehearsal {
    on: RehearsedOn,
    device: String,
    writes_through: bool,
    /// For locks, journals and records; none where the real ones are used.
    dir: Option<TemporaryDir>,
    begin_ns: u64,
    stage: Mutex<Stage>,
}

struct Stage {
    disk: Disk,
    /// The loads at work, each with its number.
    loads: Vec<(u64, Box<dyn RehearsedLoad>)>,
    /// Loads so far.
    begun: u64,
    /// Steps that are over.
    steps: u64,
    /// What was written, by path.
    written: BTreeMap<String, String>,
}

impl std::fmt::Debug for Rehearsal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rehearsal")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

impl Host {
    /// This machine for a rehearsal. From now on this process lives in time of its own.
    ///
    /// # Errors
    /// Where there can be no directory for its locks and journals.
    pub fn rehearsing(&self, scene: Scene) -> crate::Result<Host> {
        clock::live_in_own_time(scene.strike);
        let mut disk = scene.disk;
        let cuts = format!("/sys/block/{}/queue/{CUTS}", scene.device);
        cut(&mut disk, self.text(&cuts).as_deref());
        let dir = (!scene.writes_through).then(|| files::temporary_dir("rehearsal"));
        let rehearsal = Rehearsal {
            on: scene.on,
            device: scene.device,
            writes_through: scene.writes_through,
            dir: dir.transpose()?,
            begin_ns: clock::monotonic_ns(),
            stage: Mutex::new(Stage {
                disk,
                loads: Vec::new(),
                begun: 0,
                steps: 0,
                written: BTreeMap::new(),
            }),
        };
        Ok(Host {
            rehearsal: Some(Arc::new(rehearsal)),
            ..self.clone()
        })
    }

    /// The rehearsal, where this is one.
    pub fn rehearsal(&self) -> Option<&Arc<Rehearsal>> {
        self.rehearsal.as_ref()
    }

    /// What records say of the rehearsal, where this is one.
    pub fn rehearsed_on(&self) -> Option<RehearsedOn> {
        let rehearsal = self.rehearsal.as_ref();
        rehearsal.map(|rehearsal| rehearsal.on.clone())
    }

    /// Whether nothing that is written here changes the machine.
    pub fn changes_nothing(&self) -> bool {
        let rehearsal = self.rehearsal.as_ref();
        rehearsal.is_some_and(|rehearsal| !rehearsal.writes_through)
    }
}

impl Rehearsal {
    /// Where everything lies that is kept for as long as the rehearsal lasts; none where what is written is real.
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_ref().map(TemporaryDir::path)
    }

    /// Begins a load, which ends when what this gives is dropped. Gives the moment at which its first step begins, too.
    pub fn begin(self: &Arc<Self>, load: Box<dyn RehearsedLoad>) -> (LoadOnStage, u64) {
        let mut stage = self.caught_up();
        stage.disk.restart();
        stage.begun += 1;
        let number = stage.begun;
        stage.loads.push((number, load));
        let origin_ns = self.begin_ns + stage.steps * STEP_NS;
        let rehearsal = Arc::clone(self);
        (LoadOnStage { rehearsal, number }, origin_ns)
    }

    /// Lets the disk do what it did until now.
    fn caught_up(&self) -> MutexGuard<'_, Stage> {
        let over = (clock::monotonic_ns() - self.begin_ns) / STEP_NS;
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        while stage.steps < over {
            let begin_ns = self.begin_ns + stage.steps * STEP_NS;
            stage.step(begin_ns);
        }
        stage
    }

    /// What a path holds here and not on the machine.
    pub(crate) fn text(&self, host: &Host, path: &str) -> Option<String> {
        match self.is_counted(path) {
            true => self.counters(host, path),
            false => self.caught_up().written.get(path).cloned(),
        }
    }

    /// Whether a path has counters of the simulated device.
    pub fn is_counted(&self, path: &str) -> bool {
        let device = &self.device;
        path == DISKSTATS
            || path == format!("/sys/class/block/{device}/stat")
            || path == format!("/sys/block/{device}/stat")
    }

    fn counters(&self, host: &Host, path: &str) -> Option<String> {
        let own = print(&self.caught_up().disk);
        if path != DISKSTATS {
            return Some(own);
        }
        // Others have none: what a simulated disk does reaches no disk below it, and one that stood still would say so.
        let is_own = |line: &&str| line.split_whitespace().nth(2) == Some(&self.device);
        let table = host.as_it_is().text(path)?;
        let line = table.lines().find(is_own).map(|line| {
            let names: Vec<&str> = line.split_whitespace().take(3).collect();
            format!("{} {own}", names.join(" "))
        });
        Some(line.unwrap_or_default())
    }

    /// Writes a setting: here, or where it was asked for also to the kernel.
    pub(crate) fn write(
        &self,
        host: &Host,
        (path, value): (&str, &str),
        whose: &Whose<'_>,
    ) -> crate::Result<()> {
        let before = host.text(path);
        match self.writes_through {
            true => host.as_it_is().write_attribute(path, value, whose)?,
            false => {
                let shown = taken(before.as_deref(), value)
                    .map_err(|error| crate::Error::io("write", path, error))?;
                self.caught_up().written.insert(path.into(), shown);
            }
        }
        let name = Subject::of_path(path).map_or(path, |(_, name)| name);
        let before = before.as_deref().map_or("", choice::value);
        let mut stage = self.caught_up();
        stage.disk.set((path, name), (before, choice::value(value)));
        if name == CUTS && path.starts_with(&format!("/sys/block/{}/", self.device)) {
            cut(&mut stage.disk, Some(value));
        }
        Ok(())
    }

    /// Where locks lie.
    pub(crate) fn run_dir(&self) -> Option<PathBuf> {
        self.dir().map(|dir| dir.join("run"))
    }
}

impl Stage {
    fn step(&mut self, begin_ns: u64) {
        let demands: Vec<Demand> = self.loads.iter().map(|(_, load)| load.demand()).collect();
        let done = self.disk.step(&demands);
        self.steps += 1;
        for ((_, load), done) in self.loads.iter_mut().zip(&done) {
            load.take(begin_ns, done);
        }
    }
}

/// A load at work; it ends when this is dropped.
#[derive(Debug)]
pub struct LoadOnStage {
    rehearsal: Arc<Rehearsal>,
    number: u64,
}

impl LoadOnStage {
    /// Lets it do what it did until now.
    pub fn catch_up(&self) {
        drop(self.rehearsal.caught_up());
    }
}

impl Drop for LoadOnStage {
    fn drop(&mut self) {
        let mut stage = self.rehearsal.caught_up();
        stage.loads.retain(|(number, _)| *number != self.number);
    }
}

/// The disk gets no larger request than the setting says from now on.
fn cut(disk: &mut Disk, max_sectors_kb: Option<&str>) {
    if let Some(kib) = max_sectors_kb.and_then(|text| text.trim().parse::<u64>().ok()) {
        disk.cut_at(kib << 10);
    }
}

/// What a setting reads as once a value is written to it; the error is the kernel's for one that it does not know.
fn taken(before: Option<&str>, value: &str) -> std::io::Result<String> {
    let refused = |errno| Err(std::io::Error::from_raw_os_error(errno));
    let Some(before) = before else {
        return refused(libc::ENOENT);
    };
    if choice::chosen(before).is_some() {
        let word = choice::value(value);
        let is_offered = choice::offered(before).any(|offered| offered == word);
        return match is_offered {
            true => Ok(choice::with_chosen(before, word)),
            false => refused(libc::EINVAL),
        };
    }
    let is_number = |text: &str| text.trim().parse::<i64>().is_ok();
    match is_number(before) && !is_number(value) {
        true => refused(libc::EINVAL),
        false => Ok(value.into()),
    }
}

/// The counters as the kernel prints them.
fn print(disk: &Disk) -> String {
    let done = disk.counters();
    let (read_ms, write_ms) = (done.read_ms as u64, done.write_ms as u64);
    Counters {
        read_ios: done.reads,
        read_sectors: done.read_sectors,
        read_ms,
        write_ios: done.writes,
        write_sectors: done.write_sectors,
        write_ms,
        in_flight: done.in_flight,
        io_ticks_ms: done.busy_ms,
        queue_ms: read_ms + write_ms,
        ..Counters::default()
    }
    .print()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_taken_as_the_kernel_would() {
        let taken = |before: &str, value: &str| taken(Some(before), value).ok();
        let schedulers = "[none] mq-deadline bfq";
        assert_eq!(
            taken(schedulers, "bfq").as_deref(),
            Some("none mq-deadline [bfq]")
        );
        assert_eq!(taken(schedulers, "cfq"), None);
        assert_eq!(taken("128", "64").as_deref(), Some("64"));
        assert_eq!(taken("128", "many"), None);
        assert_eq!(taken("relatime", "noatime").as_deref(), Some("noatime"));
    }
}
