//! Loop devices made, listed and removed, on a file system of the test's own; and that nothing stays after any death.

use crate::mounts::Mounted;
use crate::support::{Dir, Iodyno, Killed, code, signal, text, until};
use serde_json::Value;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A file system to make images on, and a directory to mount them on.
pub struct Ground {
    pub below: Mounted,
    points: Dir,
    pub iodyno: Iodyno,
}

impl Ground {
    pub fn new(mib: u64) -> Option<Ground> {
        if skip::lacks("mkfs.ext4") || skip::lacks("losetup") {
            return None;
        }
        Some(Ground {
            below: Mounted::new(mib)?,
            points: Dir::new("points"),
            iodyno: Iodyno::new(),
        })
    }

    pub fn image(&self) -> PathBuf {
        Path::new(self.below.point()).join("data.img")
    }

    pub fn point(&self) -> PathBuf {
        self.points.path().join("data")
    }

    pub fn words(&self, size: &str, more: &[&str]) -> Vec<String> {
        let image = self.image().to_str().unwrap().to_string();
        let words = [
            "loop",
            "create",
            &image,
            "--size",
            size,
            "--keep-free",
            "1m",
        ];
        let words = words.iter().chain(more);
        words.map(|word| (*word).to_string()).collect()
    }

    pub fn mounted_words(&self, size: &str, more: &[&str]) -> Vec<String> {
        let point = self.point().to_str().unwrap().to_string();
        let mut words = self.words(size, more);
        words.extend(["--mount".to_string(), point]);
        words
    }

    pub fn run(&self, words: &[String]) -> Output {
        self.iodyno.run(&strs(words))
    }

    fn json(&self, words: &[String]) -> (Value, Output) {
        self.iodyno.json(&strs(words))
    }

    pub fn remove(&self, more: &[&str]) -> Output {
        let image = self.image();
        let words = [&["loop", "remove", image.to_str().unwrap()], more].concat();
        self.iodyno.run(&words)
    }

    pub fn list(&self) -> Value {
        self.iodyno.json(&["loop", "list"]).0
    }

    /// No loop device over the file, no mount, no file under either name, no directory that was made, no journal.
    pub fn assert_nothing_is_left(&self, when: &str) {
        assert_eq!(devices_over(&self.image()), Vec::<String>::new(), "{when}");
        assert!(!is_mounted(&self.point()), "{when}: still mounted");
        assert!(
            !self.point().exists(),
            "{when}: the directory is still there"
        );
        let names = std::fs::read_dir(self.below.point()).unwrap();
        let names: Vec<_> = names.map(|name| name.unwrap().file_name()).collect();
        assert!(
            names.iter().all(|name| name == "lost+found"),
            "{when}: {names:?}"
        );
        self.iodyno.assert_nothing_is_changed();
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // Of a test that failed.
        let _ = Command::new("umount")
            .arg(self.point())
            .stderr(Stdio::null())
            .status();
        for device in devices_over(&self.image()) {
            let _ = Command::new("losetup").args(["-d", &device]).status();
        }
    }
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

pub fn devices_over(image: &Path) -> Vec<String> {
    let names = std::fs::read_dir("/sys/class/block").unwrap();
    let names = names.map(|name| name.unwrap().file_name().into_string().unwrap());
    let is_over = |name: &String| {
        let file = std::fs::read_to_string(format!("/sys/class/block/{name}/loop/backing_file"));
        file.is_ok_and(|file| Path::new(file.trim_end().trim_end_matches(" (deleted)")) == image)
    };
    names
        .filter(is_over)
        .map(|name| format!("/dev/{name}"))
        .collect()
}

pub fn is_mounted(point: &Path) -> bool {
    let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let is_it = |line: &str| line.split(' ').nth(4) == point.to_str();
    table.lines().any(is_it)
}

pub fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

fn has_no_holes(image: &Path) {
    let metadata = std::fs::metadata(image).unwrap();
    assert!(
        metadata.blocks() * 512 >= metadata.len(),
        "{} of {}",
        metadata.blocks() * 512,
        metadata.len()
    );
    let file = std::fs::File::open(image).unwrap();
    let hole = rustix::fs::seek(&file, rustix::fs::SeekFrom::Hole(0)).unwrap();
    assert_eq!(hole, metadata.len(), "a hole");
    // Not zeros of reserved blocks: what was written is noise, but for what the file system has put there.
    let mut block = [0; 4096];
    let blocks = metadata.len() / 4096;
    let is_zero = |at: u64, block: &mut [u8; 4096]| {
        file.read_exact_at(block, at * 4096).unwrap();
        block.iter().all(|byte| *byte == 0)
    };
    let zeros = (0..blocks).filter(|at| is_zero(*at, &mut block)).count() as u64;
    assert!(zeros < blocks / 2, "{zeros} of {blocks} blocks are zero");
}

#[test]
fn a_device_is_made_written_mounted_listed_and_removed() {
    let Some(ground) = Ground::new(96) else {
        return;
    };
    let (made, output) = ground.json(&ground.mounted_words("32m", &["--inodes", "20000"]));
    assert_eq!(code(&output), 0, "{}", said(&output));
    let row = &made["made"];
    let device = format!("/dev/{}", row["device"].as_str().unwrap());
    assert_eq!(devices_over(&ground.image()), std::slice::from_ref(&device));
    assert!(is_mounted(&ground.point()));
    has_no_holes(&ground.image());
    assert_eq!(row["direct_io"], true, "{row:#}");
    assert_eq!(row["problems"], serde_json::json!([]), "{row:#}");
    assert!(row["total_inodes"].as_u64().unwrap() >= 20_000, "{row:#}");
    assert_eq!(
        std::fs::metadata(ground.image()).unwrap().mode() & 0o777,
        0o600
    );
    std::fs::write(ground.point().join("a"), "data").unwrap();
    let listed = ground.list();
    assert_eq!(listed["loops"][0]["is_mounted"], true, "{listed:#}");
    let others = listed["others"].as_array().unwrap();
    assert!(
        others
            .iter()
            .any(|other| other["device"] == ground.below.disk.name),
        "{listed:#}"
    );
    let status = text(&ground.iodyno.run(&["status"]).stdout);
    assert!(
        status.contains("a loop device; stays until it is removed"),
        "{status}"
    );

    // Data are the user's: undo takes none of it away.
    let undone = said(&ground.iodyno.run(&["undo", "--all"]));
    assert!(
        undone.contains("Not touched") && undone.contains("iodyno loop remove"),
        "{undone}"
    );
    let id = listed["loops"][0]["id"].as_str().unwrap();
    let undone = ground.iodyno.run(&["undo", id]);
    assert_eq!(code(&undone), 4, "{}", said(&undone));
    assert!(is_mounted(&ground.point()) && ground.image().exists());

    // By its mount point, and its file stays.
    let point = ground.point();
    let words = ["loop", "remove", point.to_str().unwrap(), "--keep-file"];
    let removed = ground.iodyno.run(&words);
    assert_eq!(code(&removed), 0, "{}", said(&removed));
    assert!(ground.image().exists() && !is_mounted(&point) && !point.exists());
    std::fs::remove_file(ground.image()).unwrap();
    ground.assert_nothing_is_left("removed");
}

#[test]
fn xfs_and_a_bare_device_by_its_name() {
    let Some(ground) = Ground::new(480) else {
        return;
    };
    if !skip::lacks("mkfs.xfs") {
        let (made, output) = ground.json(&ground.mounted_words("320m", &["--fs", "xfs"]));
        assert_eq!(code(&output), 0, "{}", said(&output));
        assert_eq!(made["made"]["problems"], serde_json::json!([]), "{made:#}");
        has_no_holes(&ground.image());
        let device = devices_over(&ground.image()).remove(0);
        let removed = ground.iodyno.run(&["loop", "remove", &device]);
        assert_eq!(code(&removed), 0, "{}", said(&removed));
        ground.assert_nothing_is_left("xfs");
    }
    let words = ground.words(
        "16m",
        &["--fs", "none", "--direct-io", "no", "--sector", "4096"],
    );
    let (made, output) = ground.json(&words);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let row = &made["made"];
    assert_eq!(
        (&row["direct_io"], &row["sector_bytes"]),
        (&false.into(), &4096.into())
    );
    let name = row["device"].as_str().unwrap();
    let sector = std::fs::read_to_string(format!("/sys/block/{name}/queue/logical_block_size"));
    assert_eq!(sector.unwrap().trim(), "4096");
    assert_eq!(row["direct_io_why"], "as asked for");

    // Somebody has it open: he is named, and nothing is removed.
    let device = format!("/dev/{name}");
    let sleeper = Command::new("sh")
        .args(["-c", "exec sleep 60 <$0", &device])
        .spawn();
    let sleeper = Killed(sleeper.unwrap());
    let is_open = || ground.remove(&[]).status.code() == Some(4);
    until("the program opens it", is_open);
    let refused = said(&ground.remove(&[]));
    assert!(
        refused.contains(&format!("process {}", sleeper.0.id())),
        "{refused}"
    );
    assert!(ground.image().exists());
    drop(sleeper);
    assert_eq!(code(&ground.remove(&[])), 0);
    ground.assert_nothing_is_left("bare");
}

#[test]
fn what_exists_and_what_has_no_room_is_refused_and_nothing_stays() {
    let Some(ground) = Ground::new(64) else {
        return;
    };
    let refused = |words: &[String], why: &str| {
        let output = ground.run(words);
        let said = said(&output);
        assert!(code(&output) != 0 && said.contains(why), "{why}: {said}");
    };
    std::fs::write(ground.image(), "theirs").unwrap();
    refused(&ground.words("8m", &[]), "a file of that name is there");
    assert_eq!(std::fs::read_to_string(ground.image()).unwrap(), "theirs");
    std::fs::remove_file(ground.image()).unwrap();
    std::os::unix::fs::symlink("/nowhere", ground.image()).unwrap();
    refused(&ground.words("8m", &[]), "a symbolic link");
    std::fs::remove_file(ground.image()).unwrap();
    refused(&ground.words("1g", &[]), "no room for");
    refused(&ground.words("8m", &["--inodes", "10000000"]), "mkfs.ext4");
    refused(&ground.words("4k", &[]), "--size is 1m at the least");
    let most = u64::MAX.to_string();
    refused(&ground.words(&most, &[]), "more than a file can have");
    let above = ["--mount", ground.below.point()];
    refused(&ground.words("8m", &above), "the mount would hide it");
    refused(
        &ground.words("8m", &["--fs", "xfs", "--inodes", "9"]),
        "leave it out",
    );
    std::fs::create_dir_all(ground.point().join("full")).unwrap();
    refused(&ground.mounted_words("8m", &[]), "it is not empty");
    std::fs::remove_dir_all(ground.point()).unwrap();
    std::fs::write(ground.point(), "file").unwrap();
    refused(&ground.mounted_words("8m", &[]), "it is no directory");
    std::fs::remove_file(ground.point()).unwrap();
    if !Path::new("/run/systemd/system").exists() {
        refused(
            &ground.mounted_words("8m", &["--unit"]),
            "systemd does not run this machine",
        );
    }
    ground.assert_nothing_is_left("refused");
    let dry = ground.run(&ground.mounted_words("8m", &["--dry-run"]));
    let shown = text(&dry.stdout);
    assert!(
        [
            "install --mode=600",
            "losetup --find --show --direct-io=on",
            "mkfs.ext4"
        ]
        .iter()
        .all(|word| shown.contains(word)),
        "{shown}"
    );
    ground.assert_nothing_is_left("shown");
}

#[test]
fn a_busy_mount_is_told_by_name_and_nothing_is_half_removed() {
    let Some(ground) = Ground::new(64) else {
        return;
    };
    let made = ground.run(&ground.mounted_words("16m", &[]));
    assert_eq!(code(&made), 0, "{}", said(&made));
    let worker = Command::new("sleep")
        .arg("60")
        .current_dir(ground.point())
        .spawn();
    let worker = Killed(worker.unwrap());
    let refused = ground.remove(&[]);
    let why = said(&refused);
    assert_eq!(code(&refused), 4, "{why}");
    let named = format!(
        "process {} (sleep) works in {}",
        worker.0.id(),
        ground.point().display()
    );
    assert!(why.contains(&named), "{why}");
    assert!(is_mounted(&ground.point()) && ground.image().exists());
    assert_eq!(devices_over(&ground.image()).len(), 1);
    drop(worker);
    let bound = Dir::new("bound");
    let bind = |words: &[&str]| {
        let status = Command::new("mount").args(words).arg(bound.path()).status();
        assert!(status.unwrap().success());
    };
    bind(&["--bind", ground.point().to_str().unwrap()]);
    let refused = said(&ground.remove(&[]));
    assert!(refused.contains("it is also mounted on"), "{refused}");
    assert!(is_mounted(&ground.point()));
    assert!(
        Command::new("umount")
            .arg(bound.path())
            .status()
            .unwrap()
            .success()
    );
    let removed = ground.remove(&[]);
    assert_eq!(code(&removed), 0, "{}", said(&removed));
    ground.assert_nothing_is_left("not busy any more");
}

#[test]
fn what_became_of_it_is_told_with_what_mends_it() {
    let Some(ground) = Ground::new(64) else {
        return;
    };
    let made = ground.run(&ground.mounted_words("16m", &[]));
    assert_eq!(code(&made), 0, "{}", said(&made));
    std::fs::write(ground.point().join("a"), "data").unwrap();
    let problems = || {
        let listed = ground.list();
        let problems = listed["loops"][0]["problems"].as_array().unwrap().clone();
        problems
            .iter()
            .map(|one| format!("{}: {}", one["what"], one["mend"]))
            .collect::<Vec<_>>()
    };
    let paste = |command: &str| {
        // This machine may have no sudo, and the test is root.
        let command = command.replace("sudo ", "");
        let done = Command::new("sh").args(["-c", &command]).output().unwrap();
        assert!(done.status.success(), "{command}: {}", text(&done.stderr));
    };
    let mend = || {
        let listed = ground.list();
        listed["loops"][0]["problems"][0]["mend"]
            .as_str()
            .unwrap()
            .to_string()
    };
    let device = devices_over(&ground.image()).remove(0);
    paste(&format!("losetup --direct-io=off {device}"));
    assert!(
        mend().contains("losetup --direct-io=on"),
        "{:?}",
        problems()
    );
    paste(&mend());
    assert_eq!(problems(), Vec::<String>::new());
    // As after a reboot.
    paste(&format!("umount {}", ground.point().display()));
    assert!(problems()[0].contains("is not mounted"), "{:?}", problems());
    paste(&format!("losetup --detach {device}"));
    until("it is detached", || {
        devices_over(&ground.image()).is_empty()
    });
    assert!(problems()[0].contains("not attached"), "{:?}", problems());
    paste(&mend());
    assert_eq!(problems(), Vec::<String>::new());
    assert_eq!(
        std::fs::read_to_string(ground.point().join("a")).unwrap(),
        "data"
    );
    // Deleted while it is in use, and another file in its place.
    std::fs::remove_file(ground.image()).unwrap();
    assert!(problems()[0].contains("was deleted"), "{:?}", problems());
    std::fs::write(ground.image(), "theirs").unwrap();
    assert!(problems()[0].contains("another file"), "{:?}", problems());
    let removed = ground.remove(&[]);
    assert_eq!(code(&removed), 0, "{}", said(&removed));
    assert_eq!(std::fs::read_to_string(ground.image()).unwrap(), "theirs");
    std::fs::remove_file(ground.image()).unwrap();
    until("the device goes", || {
        devices_over(&ground.image()).is_empty()
    });
    ground.assert_nothing_is_left("mended");
}

/// A step of a creation, and whether it is seen.
type StepSeen<'a> = (&'static str, Box<dyn Fn() -> bool + 'a>);

/// How far a creation is, from outside.
fn stages(ground: &Ground) -> [StepSeen<'_>; 5] {
    let journals = || std::fs::read_dir(ground.iodyno.state.path().join("journal"));
    [
        (
            "a journal",
            Box::new(move || journals().is_ok_and(|mut entries| entries.next().is_some())),
        ),
        ("a directory", Box::new(|| ground.point().exists())),
        ("a file", Box::new(|| ground.image().exists())),
        (
            "a device",
            Box::new(|| !devices_over(&ground.image()).is_empty()),
        ),
        ("a mount", Box::new(|| is_mounted(&ground.point()))),
    ]
}

#[test]
fn a_kill_at_any_step_leaves_what_undo_and_remove_take_away() {
    let Some(ground) = Ground::new(96) else {
        return;
    };
    let words = ground.mounted_words("48m", &[]);
    let clean_up = |round: usize, when: &str| {
        let found = ground.list();
        if found["loops"].as_array().unwrap().is_empty() {
            // Killed before it had written anything down; what is left is an empty journal at the most.
            assert_eq!(code(&ground.iodyno.run(&["undo"])), 0, "{when}");
        } else if found["loops"][0]["state"] == "made" || round.is_multiple_of(2) {
            let removed = ground.remove(&[]);
            assert_eq!(code(&removed), 0, "{when}: {}", said(&removed));
        } else {
            let status = text(&ground.iodyno.run(&["status"]).stdout);
            assert!(status.contains("data.img"), "{when}: {status}");
            let undone = ground.iodyno.run(&["undo"]);
            assert_eq!(code(&undone), 0, "{when}: {}", said(&undone));
        }
        ground.assert_nothing_is_left(when);
    };
    for (round, (when, is_reached)) in stages(&ground).into_iter().enumerate() {
        for side in [0, 1] {
            let child = ground.iodyno.spawn(&strs(&words));
            until(when, &is_reached);
            signal(child.0.id(), "KILL");
            drop(child);
            clean_up(round + side, when);
        }
    }
    let begun = Instant::now();
    assert_eq!(code(&ground.run(&words)), 0);
    let whole = begun.elapsed();
    assert_eq!(code(&ground.remove(&[])), 0);
    let rounds = crate::support::rounds("IODYNO_LOOP_KILLS", 8);
    for round in 0..rounds {
        let child = ground.iodyno.spawn(&strs(&words));
        let after = whole.mul_f64(f64::from(round) / f64::from(rounds));
        std::thread::sleep(after);
        drop(child);
        clean_up(round as usize, &format!("after {} ms", after.as_millis()));
    }
}

#[test]
fn ctrl_c_removes_what_was_made() {
    let Some(ground) = Ground::new(96) else {
        return;
    };
    for (when, is_reached) in stages(&ground).into_iter().take(4) {
        let mut child = ground
            .iodyno
            .spawn(&strs(&ground.mounted_words("64m", &[])));
        until(when, &is_reached);
        signal(child.0.id(), "INT");
        let status = child.0.wait().unwrap();
        // One that came after the last look has ended well.
        if status.code() == Some(0) {
            assert_eq!(code(&ground.remove(&[])), 0, "{when}");
        } else {
            assert_eq!(status.code(), Some(130), "{when}");
        }
        ground.assert_nothing_is_left(when);
    }
}

#[test]
fn two_at_once_do_not_fight() {
    let Some(ground) = Ground::new(96) else {
        return;
    };
    // The same file, and another file on the same directory: of each two, one is made.
    let words = ground.mounted_words("24m", &[]);
    let mut other = words.clone();
    other[2] = Path::new(ground.below.point())
        .join("other.img")
        .to_str()
        .unwrap()
        .into();
    for second in [&words, &other] {
        let mut children: Vec<Killed> = [&words, second]
            .into_iter()
            .map(|words| ground.iodyno.spawn(&strs(words)))
            .collect();
        let codes: Vec<Option<i32>> = children
            .iter_mut()
            .map(|child| child.0.wait().unwrap().code())
            .collect();
        let made = codes.iter().filter(|code| **code == Some(0)).count();
        assert_eq!(made, 1, "{codes:?}");
        let listed = ground.list();
        let loops = listed["loops"].as_array().unwrap();
        assert_eq!(loops.len(), 1, "{listed:#}");
        assert_eq!(loops[0]["problems"], serde_json::json!([]), "{listed:#}");
        let file = loops[0]["file"].as_str().unwrap();
        // Two removals: one does it, and the other finds it gone or at work.
        let removals: Vec<_> = (0..2)
            .map(|_| {
                ground
                    .iodyno
                    .command(&["loop", "remove", file])
                    .stderr(Stdio::null())
                    .stdout(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let codes: Vec<Option<i32>> = removals
            .into_iter()
            .map(|mut child| child.wait().unwrap().code())
            .collect();
        assert!(codes.contains(&Some(0)), "{codes:?}");
        ground.assert_nothing_is_left("both are over");
    }
    // One that is being made is not removed.
    let child = ground
        .iodyno
        .spawn(&strs(&ground.mounted_words("64m", &[])));
    until("a file", || ground.image().exists());
    let refused = ground.remove(&[]);
    if !is_mounted(&ground.point()) {
        assert!(
            said(&refused).contains("in use by another iodyno"),
            "{}",
            said(&refused)
        );
    }
    drop(child);
    let removed = ground.remove(&[]);
    assert!(matches!(code(&removed), 0 | 4), "{}", said(&removed));
    ground.assert_nothing_is_left("killed");
}

#[test]
fn a_damaged_journal_never_takes_data_away_unasked() {
    let Some(ground) = Ground::new(64) else {
        return;
    };
    let made = ground.run(&ground.mounted_words("16m", &[]));
    assert_eq!(code(&made), 0, "{}", said(&made));
    let journals = std::fs::read_dir(ground.iodyno.state.path().join("journal")).unwrap();
    let journal = journals.flatten().next().unwrap().path();
    let whole = std::fs::read(&journal).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    // The line that says that it is finished: without it nobody knows.
    let mut damaged = whole.clone();
    let last = whole.len() - lines.last().unwrap().len();
    damaged[last + 40] ^= 1;
    std::fs::write(&journal, &damaged).unwrap();
    let id = journal.file_stem().unwrap().to_str().unwrap().to_string();
    for words in [
        vec!["undo"],
        vec!["undo", &id],
        vec!["undo", "--salvage", &id],
    ] {
        let output = ground.iodyno.run(&words);
        assert!(
            ground.image().exists() && is_mounted(&ground.point()),
            "{words:?}: {}",
            said(&output)
        );
    }
    let status = text(&ground.iodyno.run(&["status"]).stdout);
    assert!(
        status.contains("iodyno loop remove --keep-file"),
        "{status}"
    );
    let removed = ground.remove(&[]);
    assert_eq!(code(&removed), 0, "{}", said(&removed));
    ground.assert_nothing_is_left("asked for by name");
}

#[test]
fn a_unit_is_written_where_it_is_asked_for_and_goes_with_the_device() {
    let Some(ground) = Ground::new(64) else {
        return;
    };
    // A place that looks like a machine of systemd's, in a mount namespace of its own, where only root may write above
    // the file and the mount point.
    let image = "/run/below/data.img";
    let point = "/run/data";
    let binary = env!("CARGO_BIN_EXE_iodyno");
    let script = format!(
        "set -e; mount -t tmpfs -o mode=755 tmpfs /run; mkdir -p /run/systemd/system /etc/systemd/system
         mount -t tmpfs tmpfs /etc/systemd/system
         mkdir -m 755 /run/below /run/open /run/open/below; mount --bind {below} /run/below; chmod 755 /run/below
         chmod 777 /run/open
         {binary} loop create {image} --size 16m --mount /run/open/below/data --unit && exit 1
         mount --bind {below} /run/open/below
         {binary} loop create /run/open/below/data.img --size 16m --mount {point} --unit && exit 1
         umount /run/open/below
         {binary} loop create {image} --size 16m --keep-free 1m --mount {point} --unit
         cat /etc/systemd/system/iodyno-loop-*.service /etc/systemd/system/local-fs.target.d/*.conf
         umount {point}; losetup -d $(losetup -n -O NAME -j {image})
         start=$(sed -n \"s/^ExecStart=.bin.sh -c '\\(.*\\)'$/\\1/p\" /etc/systemd/system/iodyno-loop-*.service | sed 's/[$][$]/$/g')
         sh -c \"$start\"; sh -c \"$start\"; mountpoint {point}; echo as at boot
         {binary} loop list
         stop=$(sed -n \"s/^ExecStop=.bin.sh -c '\\(.*\\)'$/\\1/p\" /etc/systemd/system/iodyno-loop-*.service | sed 's/[$][$]/$/g')
         sh -c \"$stop\"; echo stopped; losetup -j {image}
         {binary} loop remove {image}
         ls -A /etc/systemd/system | wc -l",
        below = ground.below.point(),
    );
    let output = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c", &script])
        .env("IODYNO_STATE_DIR", ground.iodyno.state.path())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let told = said(&output);
    assert!(output.status.success(), "{told}");
    for file in [image, "/run/open/below/data.img"] {
        let refused = format!("no unit for {file}: users other than root may write to /run/open,");
        assert!(told.contains(&refused), "{refused}\n{told}");
    }
    for line in [
        "Before=local-fs.target umount.target",
        "Wants=iodyno-loop-",
        "as at boot",
        "attached at boot by /etc/systemd/system/iodyno-loop-",
        "sudo systemctl daemon-reload",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    let after_stop = told.split("stopped\n").nth(1).unwrap();
    assert!(!after_stop.starts_with("/dev/loop"), "{told}");
    assert!(text(&output.stdout).trim_end().ends_with('0'), "{told}");
    std::thread::sleep(Duration::from_millis(50));
    ground.assert_nothing_is_left("removed with its unit");
}
