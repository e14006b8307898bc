//! A loop device as it is now, and what is wrong with it: for people and for programs.

use super::shell;
use host::files::{Access, DataFile};
use host::loop_device::{self, ImageNow, LoopState};
use host::{Host, scratch};
use model::change::SavedLoop;
use model::text::{clean, shell_word};
use model::units;
use serde::Serialize;
use std::path::Path;

/// What `loop create --dry-run` would make.
#[derive(Serialize)]
pub struct PlanDocument<'a> {
    pub schema: &'static str,
    pub file: &'a str,
    pub bytes: u64,
    pub sector_bytes: u32,
    pub direct_io: bool,
    pub fs: Option<&'a str>,
    pub mount: Option<&'a str>,
    /// The same as commands of a shell.
    pub commands: Vec<String>,
    /// Files for systemd, each with its content.
    pub unit: &'a [(String, String)],
}

/// What `loop create` made.
#[derive(Serialize)]
pub struct CreateDocument {
    pub schema: &'static str,
    pub made: LoopRow,
    pub took_ms: u64,
}

/// What `loop list` shows.
#[derive(Serialize)]
pub struct ListDocument {
    pub schema: &'static str,
    /// Those that iodyno made.
    pub loops: Vec<LoopRow>,
    /// All others of the machine.
    pub others: Vec<OtherLoop>,
}

/// What `loop remove` did.
#[derive(Serialize)]
pub struct RemoveDocument {
    pub schema: &'static str,
    pub file: String,
    pub kept_file: bool,
    /// What is gone.
    pub removed: Vec<String>,
    /// What could not be removed, with the reason.
    pub left: Vec<LeftPart>,
}

/// A part that could not be removed.
#[derive(Serialize)]
pub struct LeftPart {
    pub what: String,
    pub why: String,
}

/// A loop device that somebody else made.
#[derive(Serialize)]
pub struct OtherLoop {
    pub device: String,
    pub file: String,
    pub direct_io: Option<bool>,
    pub mounted_on: Vec<String>,
}

/// Something that is not as it was made, and what mends it.
#[derive(Debug, Serialize)]
pub struct Problem {
    pub what: String,
    pub mend: String,
}

/// A loop device that iodyno made, as it is now.
#[derive(Debug, Serialize)]
pub struct LoopRow {
    /// The journal that holds it.
    pub id: String,
    pub file: String,
    pub bytes: u64,
    /// Whether its creation has ended; `running` while it has not and its process lives.
    pub state: &'static str,
    /// Kernel name of the device; none where it is not attached.
    pub device: Option<String>,
    pub sector_bytes: u32,
    /// Bytes of the file that are there; fewer than its length where it has holes.
    pub allocated_bytes: Option<u64>,
    /// Of these, bytes that were written; the others are reserved. None where the file system cannot tell.
    pub written_bytes: Option<u64>,
    pub direct_io: Option<bool>,
    /// Why there is no direct I/O.
    pub direct_io_why: Option<String>,
    pub fs: Option<String>,
    pub mount: Option<String>,
    pub is_mounted: bool,
    pub free_bytes: Option<u64>,
    pub free_inodes: Option<u64>,
    pub total_inodes: Option<u64>,
    /// Files for systemd.
    pub unit: Vec<String>,
    pub problems: Vec<Problem>,
}

impl LoopRow {
    /// One whose creation has ended, in the boot in which that was.
    pub fn new(
        host: &Host,
        id: &str,
        saved: &SavedLoop,
        unit: Vec<String>,
    ) -> host::Result<LoopRow> {
        LoopRow::of(host, id, saved, unit, true, "made")
    }

    /// Any.
    pub fn of(
        host: &Host,
        id: &str,
        saved: &SavedLoop,
        unit: Vec<String>,
        is_same_boot: bool,
        state: &'static str,
    ) -> host::Result<LoopRow> {
        let found = loop_device::state(host, saved, is_same_boot)?;
        let device = found.devices.first().cloned();
        let file = matches!(found.image, ImageNow::There(_))
            .then(|| DataFile::open(Path::new(&saved.path), Access::default()).ok())
            .flatten();
        let size = host
            .file_size(&saved.path)
            .filter(|_| matches!(found.image, ImageNow::There(_)));
        let point = saved.point.as_ref().map(|point| point.path.clone());
        let is_mounted = found
            .mounts
            .iter()
            .any(|mount| Some(&mount.point) == point.as_ref());
        let space = point
            .as_ref()
            .filter(|_| is_mounted)
            .and_then(|point| host.space(point));
        let direct_io = device
            .as_ref()
            .and_then(|name| host.number(&format!("/sys/class/block/{name}/loop/dio")))
            .map(|dio| dio == 1);
        let why = (direct_io == Some(false)).then(|| why_not_direct(saved, file.as_ref()));
        let mut row = LoopRow {
            bytes: size.map_or(saved.bytes, |size| size.bytes),
            allocated_bytes: size.map(|size| size.allocated_bytes),
            written_bytes: file
                .as_ref()
                .and_then(|file| file.written_bytes(file.bytes())),
            direct_io,
            direct_io_why: why,
            mount: point,
            is_mounted,
            free_bytes: space.map(|space| space.free_bytes),
            free_inodes: space.map(|space| space.free_inodes),
            total_inodes: space.map(|space| space.total_inodes),
            device,
            ..LoopRow::written_down(id, saved, unit, state)
        };
        if state == "made" {
            row.problems = problems(&row, saved, &found, host, size.map(|size| size.bytes));
        }
        Ok(row)
    }

    /// One that cannot be looked at: what was written down, and why.
    pub fn unseen(
        id: &str,
        saved: &SavedLoop,
        unit: Vec<String>,
        state: &'static str,
        error: &host::Error,
    ) -> LoopRow {
        let problem = Problem {
            what: format!("it cannot be looked at ({error})"),
            mend: "once that is mended, `iodyno loop list` says how it is".into(),
        };
        LoopRow {
            problems: vec![problem],
            ..LoopRow::written_down(id, saved, unit, state)
        }
    }

    /// What a journal has of it, and nothing of how it is now.
    fn written_down(
        id: &str,
        saved: &SavedLoop,
        unit: Vec<String>,
        state: &'static str,
    ) -> LoopRow {
        LoopRow {
            id: id.into(),
            file: saved.path.clone(),
            bytes: saved.bytes,
            state,
            device: None,
            sector_bytes: saved.sector_bytes,
            allocated_bytes: None,
            written_bytes: None,
            direct_io: None,
            direct_io_why: None,
            fs: saved.fs.clone(),
            mount: None,
            is_mounted: false,
            free_bytes: None,
            free_inodes: None,
            total_inodes: None,
            unit,
            problems: Vec::new(),
        }
    }

    /// Whether every byte of the file is there and was written.
    fn is_whole(&self) -> bool {
        let is_there = self
            .allocated_bytes
            .is_some_and(|bytes| bytes >= self.bytes);
        is_there && self.written_bytes.is_none_or(|bytes| bytes >= self.bytes)
    }

    /// How the file lies on its disk.
    fn written(&self) -> String {
        let (there, written) = (self.allocated_bytes.unwrap_or(0), self.written_bytes);
        let words = |bytes: u64| units::bytes(bytes as f64);
        match written {
            _ if self.is_whole() => "written in full, no holes".into(),
            _ if there < self.bytes => {
                format!(
                    "with holes: {} of {} are there",
                    words(there),
                    words(self.bytes)
                )
            }
            written => format!(
                "not written in full: {} of {} are only reserved",
                words(self.bytes.saturating_sub(written.unwrap_or(0))),
                words(self.bytes)
            ),
        }
    }

    /// Lines on what it is, below its head.
    pub fn details(&self) -> Vec<String> {
        let direct = match (self.direct_io, &self.direct_io_why) {
            (None, _) => None,
            (Some(true), _) => Some("direct I/O on".to_string()),
            (Some(false), why) => Some(format!(
                "direct I/O off ({})",
                why.clone().unwrap_or_default()
            )),
        };
        let sector = format!("sectors of {} bytes", self.sector_bytes);
        let file = self.allocated_bytes.map(|_| self.written());
        let first: Vec<String> = [file, direct, Some(sector)].into_iter().flatten().collect();
        let mut lines = vec![format!("  {}", first.join(" · "))];
        if let (Some(fs), Some(point)) = (&self.fs, &self.mount) {
            lines.push(match self.is_mounted {
                true => format!("  {fs} on {}{}", clean(point), self.room()),
                false => format!("  {fs}, not mounted on {}", clean(point)),
            });
        } else if let Some(fs) = &self.fs {
            lines.push(format!("  {fs}"));
        }
        if let Some(service) = self.unit.first() {
            lines.push(format!("  attached at boot by {}", clean(service)));
        }
        for problem in &self.problems {
            lines.push(format!("  {}: {}", problem.what, problem.mend));
        }
        lines
    }

    fn room(&self) -> String {
        let free = self
            .free_bytes
            .map(|bytes| format!("{} free", units::bytes(bytes as f64)));
        // File systems that make inodes as they need them may say 0.
        let inodes = self
            .free_inodes
            .filter(|_| self.total_inodes.is_some_and(|all| all > 0));
        let inodes = inodes.map(|count| format!("{} inodes free", units::count(count as f64)));
        [free, inodes]
            .into_iter()
            .flatten()
            .map(|part| format!(" · {part}"))
            .collect()
    }
}

/// Why the device goes through the page cache.
fn why_not_direct(saved: &SavedLoop, file: Option<&DataFile>) -> String {
    match file {
        Some(file) if file.is_in_memory() => "the file lies in memory".into(),
        Some(file) if !scratch::takes_direct(file) => "its file system takes none".into(),
        _ if !saved.direct => "as asked for".into(),
        Some(file)
            if file
                .direct_align_bytes()
                .is_some_and(|bytes| bytes > saved.sector_bytes) =>
        {
            "the disk below has larger sectors than the device".into()
        }
        _ => "somebody switched it off, or the kernel refuses it".into(),
    }
}

/// What is wrong with one that was finished: whether it is there, then how.
fn problems(
    row: &LoopRow,
    saved: &SavedLoop,
    found: &LoopState,
    host: &Host,
    length: Option<u64>,
) -> Vec<Problem> {
    let mut problems = missing(row, saved, found);
    let mut add = |what: String, mend: String| problems.push(Problem { what, mend });
    if let (Some(device), Some(bytes)) = (&row.device, length) {
        let sectors = host.number(&format!("/sys/class/block/{device}/size"));
        // The driver leaves out what fills no sector.
        if sectors.is_some_and(|sectors| sectors != bytes / 512) {
            let now = units::bytes(bytes as f64);
            add(
                format!("the file is {now} long now, and the device takes that by"),
                format!("sudo losetup --set-capacity /dev/{device}"),
            );
        }
    }
    if row.allocated_bytes.is_some() && !row.is_whole() {
        add(
            row.written(),
            "discards (fstrim, mount -o discard) and copies make holes; what is written into one is slower the first time".into(),
        );
    }
    if let (Some(device), Some(false), true) = (&row.device, row.direct_io, saved.direct) {
        add(
            "direct I/O was on and is off".into(),
            format!("sudo losetup --direct-io=on /dev/{device}"),
        );
    }
    if let Some(missing) = row.unit.iter().find(|path| !host.exists(path)) {
        add(
            format!("{missing} is gone, so it is not attached at boot"),
            format!(
                "{} --keep-file, or write it again from what --dry-run --unit shows",
                remove(saved)
            ),
        );
    }
    let inodes = row.free_inodes.zip(row.total_inodes);
    if inodes.is_some_and(|(free, all)| all > 0 && free < all / 100) {
        add(
            "fewer than 1 % of the inodes are free: no file can be made soon, whatever space is left".into(),
            "delete files, or make it anew with more --inodes".into(),
        );
    }
    problems
}

/// What of file, device and mount is not there, or there twice.
fn missing(row: &LoopRow, saved: &SavedLoop, found: &LoopState) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut add = |what: String, mend: String| problems.push(Problem { what, mend });
    match (&found.image, row.device.is_some()) {
        (ImageNow::Gone, true) => add(
            "the file was deleted, and its data go with the device".into(),
            format!("copy what you need out of it, then {}", remove(saved)),
        ),
        (ImageNow::Gone, false) => add("the file is gone".into(), remove(saved)),
        (ImageNow::NotMounted, _) => add(
            format!(
                "the file system with the file is not mounted on {} now",
                clean(&above(saved))
            ),
            format!(
                "mount it there; if it is gone for good: sudo iodyno undo --forget {}",
                row.id
            ),
        ),
        (ImageNow::Another, _) => add(
            "another file has its name now, and stays whatever you do".into(),
            remove(saved),
        ),
        (ImageNow::There(_), false) => {
            add(not_attached(row).into(), shell::bring_back(saved, "sudo "))
        }
        (ImageNow::There(_), true) => {}
    }
    if let [first, second, ..] = found.devices.as_slice() {
        add(
            format!(
                "/dev/{first} and /dev/{second} stand over the same file and do not know of each other"
            ),
            format!(
                "take the one away that nobody uses, such as: sudo losetup --detach /dev/{second}"
            ),
        );
    }
    if let (Some(device), false, Some(mount)) = (&row.device, row.is_mounted, mount(row, saved)) {
        add(format!("/dev/{device} is not mounted"), mount);
    }
    problems
}

/// The directory of the file.
fn above(saved: &SavedLoop) -> String {
    let above = Path::new(&saved.path).parent();
    above.map_or(String::new(), |above| above.to_string_lossy().into_owned())
}

fn remove(saved: &SavedLoop) -> String {
    format!("sudo iodyno loop remove {}", shell_word(&saved.path))
}

fn not_attached(row: &LoopRow) -> &'static str {
    match row.unit.is_empty() {
        true => "not attached, as after a reboot without a unit",
        false => "not attached, though it has a unit; `systemctl status` of it may say why",
    }
}

fn mount(row: &LoopRow, saved: &SavedLoop) -> Option<String> {
    let device = format!("/dev/{}", row.device.as_ref()?);
    Some(format!("sudo {}", shell::mount(saved, &device)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> LoopRow {
        LoopRow {
            id: "1-2".into(),
            file: "/srv/a.img".into(),
            bytes: 1 << 30,
            state: "made",
            device: Some("loop5".into()),
            sector_bytes: 512,
            allocated_bytes: Some(1 << 30),
            written_bytes: None,
            direct_io: Some(true),
            direct_io_why: None,
            fs: Some("ext4".into()),
            mount: Some("/mnt/a".into()),
            is_mounted: true,
            free_bytes: Some(1 << 29),
            free_inodes: Some(65_000),
            total_inodes: Some(65_536),
            unit: Vec::new(),
            problems: Vec::new(),
        }
    }

    #[test]
    fn it_says_how_the_file_lies_and_what_is_free() {
        let lines = row().details();
        assert_eq!(
            lines,
            [
                "  written in full, no holes · direct I/O on · sectors of 512 bytes",
                "  ext4 on /mnt/a · 512 MiB free · 65.0 k inodes free"
            ]
        );
        let holes = LoopRow {
            allocated_bytes: Some(1 << 29),
            ..row()
        };
        assert!(holes.details()[0].contains("with holes: 512 MiB of 1.00 GiB are there"));
        let reserved = LoopRow {
            written_bytes: Some(1 << 29),
            ..row()
        };
        assert!(reserved.details()[0].contains("512 MiB of 1.00 GiB are only reserved"));
    }
}
