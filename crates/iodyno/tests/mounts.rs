//! A setting of a mount: applied, killed in the middle, and put back, on a file system of the test's own.

use crate::support::{Dir, Iodyno, Loop, code, is_root, text};
use crate::undo::store_a_win_on;
use model::subject::Subject;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A file system on a loop device, mounted with nosuid and relatime; unmounted also when the test fails.
pub struct Mounted {
    pub disk: Loop,
    pub dir: Dir,
}

impl Mounted {
    pub fn new(mib: u64) -> Option<Mounted> {
        Mounted::made(Loop::in_memory(mib)?, "ext4", "nosuid,nodiratime,relatime")
    }

    /// On a second device, in the first one's turn.
    pub fn beside(disk: &Loop, mib: u64) -> Option<Mounted> {
        Mounted::made(disk.beside(mib)?, "ext4", "nosuid,nodiratime,relatime")
    }

    /// A file system of this type with these options, where the machine can make one.
    pub fn with(fstype: &str, options: &str) -> Option<Mounted> {
        // xfs takes no less than 300 MiB.
        let mib = if fstype == "ext4" { 64 } else { 320 };
        if fstype != "ext4" && skip::lacks(&format!("mkfs.{fstype}")) {
            return None;
        }
        Mounted::made(Loop::in_memory(mib)?, fstype, options)
    }

    pub fn made(disk: Loop, fstype: &str, options: &str) -> Option<Mounted> {
        Mounted::formatted(disk, fstype, &[], options)
    }

    /// With these words for mkfs as well.
    pub fn formatted(disk: Loop, fstype: &str, words: &[&str], options: &str) -> Option<Mounted> {
        let mounted = Mounted {
            disk,
            dir: Dir::new("mount"),
        };
        let program = format!("mkfs.{fstype}");
        let force = if fstype == "ext4" { "-F" } else { "-f" };
        let mkfs = Command::new(&program)
            .args(["-q", force])
            .args(words)
            .arg(&mounted.disk.device)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !is_root() || !mkfs.is_ok_and(|status| status.success()) {
            skip::missing(&program, format!("no {fstype} can be made"));
            return None;
        }
        let known = std::fs::read_to_string("/proc/filesystems").unwrap();
        if fstype != "ext4" && !known.lines().any(|line| line.ends_with(fstype)) {
            skip::missing(
                &format!("kernel:{fstype}"),
                "this kernel has it not at hand",
            );
            return None;
        }
        mounted.mount(options);
        Some(mounted)
    }

    /// A second mount of the same file system with flags of its own.
    pub fn bound(&self, flags: &str) -> Bound {
        let dir = Dir::new("bound");
        for arguments in [
            ["--bind", self.point()],
            ["-o", &format!("remount,bind,{flags}")],
        ] {
            let status = Command::new("mount")
                .args(arguments)
                .arg(dir.path())
                .status();
            assert!(status.unwrap().success());
        }
        Bound(dir)
    }

    pub fn mount(&self, options: &str) {
        let options = ["-o", options, &self.disk.device];
        let status = Command::new("mount")
            .args(options)
            .arg(self.dir.path())
            .status();
        assert!(status.unwrap().success());
    }

    pub fn unmount(&self) {
        unmount(&self.dir);
    }

    pub fn point(&self) -> &str {
        self.dir.path().to_str().unwrap()
    }

    /// The options of the mount, and its device.
    pub fn options(&self) -> (String, String) {
        let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let line = table
            .lines()
            .find(|line| line.split(' ').nth(4) == Some(self.point()));
        let fields: Vec<&str> = line.unwrap().split(' ').collect();
        (fields[5].to_string(), fields[2].to_string())
    }

    /// Applies a record that proved noatime here; gives the journal's id.
    pub fn apply(&self, iodyno: &Iodyno) -> String {
        let id = self.proved(iodyno);
        let (applied, output) = iodyno.json(&["apply", &id]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        applied["journal"].as_str().unwrap().to_string()
    }

    pub fn proved(&self, iodyno: &Iodyno) -> String {
        let (devno, point) = (self.options().1, self.point().to_string());
        let subject = Subject::Mount { devno, point };
        store_a_win_on(
            iodyno,
            &self.disk.name,
            "atime",
            subject,
            ["relatime", "noatime"],
        )
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.unmount();
    }
}

/// A mount beside that of a [`Mounted`]; unmounted also when the test fails.
pub struct Bound(Dir);

impl Drop for Bound {
    fn drop(&mut self) {
        unmount(&self.0);
    }
}

fn unmount(dir: &Dir) {
    // A process that was just killed may still let go of its files.
    for _ in 0..100 {
        let status = Command::new("umount").arg(dir.path()).status();
        if status.is_ok_and(|status| status.success()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // Whoever still has a file open there is no matter of the tests that follow.
    let _ = Command::new("umount")
        .arg("--lazy")
        .arg(dir.path())
        .status();
}

pub const FIRST: &str = "rw,nosuid,nodiratime,relatime";

#[test]
fn a_mount_is_changed_in_one_flag_and_put_back() {
    let Some(mounted) = Mounted::new(64) else {
        return;
    };
    let iodyno = Iodyno::new();
    assert_eq!(mounted.options().0, FIRST);
    let journal = mounted.apply(&iodyno);
    assert_eq!(mounted.options().0, "rw,nosuid,noatime,nodiratime");
    let status = text(&iodyno.run(&["status"]).stdout);
    let told = format!("atime of {}  was relatime, is noatime", mounted.point());
    assert!(status.contains(&told), "{status}");
    let undone = iodyno.run(&["undo", &journal]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(mounted.options().0, FIRST);
}

#[test]
fn what_lasts_is_said_and_nothing_is_half_done() {
    let Some(mounted) = Mounted::new(64) else {
        return;
    };
    let iodyno = Iodyno::new();
    let record = mounted.proved(&iodyno);
    let output = iodyno.run(&["apply", &record, "--persist"]);
    assert_ne!(code(&output), 0);
    let words = text(&output.stderr);
    let told = words.contains("/etc/fstab has no line for") && words.contains("Put `noatime` into");
    assert!(told, "{words}");
    assert_eq!(mounted.options().0, FIRST);
}

#[test]
fn a_mount_made_anew_is_left_alone() {
    let Some(mounted) = Mounted::new(64) else {
        return;
    };
    let iodyno = Iodyno::new();
    let journal = mounted.apply(&iodyno);
    mounted.unmount();
    let gone = iodyno.run(&["undo", &journal]);
    assert_ne!(code(&gone), 0);
    assert!(
        text(&gone.stdout).contains("which is gone"),
        "{}",
        text(&gone.stdout)
    );
    mounted.mount("nosuid,nodiratime,relatime");
    let other = iodyno.run(&["undo", &journal]);
    assert_ne!(code(&other), 0);
    assert!(
        text(&other.stdout).contains("is there now: nothing was written"),
        "{}",
        text(&other.stdout)
    );
    assert_eq!(mounted.options().0, FIRST);
    assert_eq!(code(&iodyno.run(&["undo", "--forget", &journal])), 0);
}
