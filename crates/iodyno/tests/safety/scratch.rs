//! Scratch: it leaves room for others, and every way of ending takes it away.

use crate::support::{Dir, Iodyno, code, is_root, text, turn, until};
use std::path::Path;
use std::process::Command;
use std::sync::MutexGuard;

/// An ext4 of its own, so that nobody else's files count, over a sparse file. Unmounted and removed when dropped.
pub struct FileSystem {
    pub dir: Dir,
    /// None for one that takes no loop device.
    _turn: Option<MutexGuard<'static, ()>>,
}

impl FileSystem {
    pub fn new(mib: u64) -> Option<FileSystem> {
        if !is_root() {
            skip::missing("root", "mounting needs root");
            return None;
        }
        let dir = Dir::new("scratch");
        let steps = format!(
            "truncate -s {mib}M image && mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 image && \
             mkdir mnt && mount -o loop image mnt && rmdir mnt/lost+found"
        );
        let fs = FileSystem {
            dir,
            _turn: Some(turn()),
        };
        let done = fs.shell(&steps);
        if done.is_none() {
            skip::missing("mount", "no file system over a loop device can be had here");
        }
        done.map(|_| fs)
    }

    /// A tmpfs.
    pub fn in_memory(mib: u64) -> Option<FileSystem> {
        if !is_root() {
            skip::missing("root", "mounting needs root");
            return None;
        }
        let fs = FileSystem {
            dir: Dir::new("scratch"),
            _turn: None,
        };
        let done = fs.shell(&format!(
            "mkdir mnt && mount -t tmpfs -o size={mib}m none mnt"
        ));
        if done.is_none() {
            skip::missing("mount", "no tmpfs can be mounted here");
        }
        done.map(|_| fs)
    }

    pub fn shell(&self, steps: &str) -> Option<String> {
        let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap());
        let done = Command::new("sh")
            .args(["-c", steps])
            .current_dir(self.dir.path())
            .env("PATH", path)
            .output();
        let done = done.unwrap();
        done.status
            .success()
            .then(|| text(&done.stdout).trim().to_string())
    }

    pub fn target(&self) -> String {
        self.dir.path().join("mnt").to_str().unwrap().into()
    }

    /// What is used, KiB.
    pub fn used(&self) -> u64 {
        self.shell("sync -f mnt; df --output=used -k mnt | tail -n 1")
            .unwrap()
            .parse()
            .unwrap()
    }

    /// The directory is empty at once; its space comes back a moment after the end of the process, because the kernel
    /// takes an io_uring down in the background.
    pub fn is_as_before(&self, used: u64, what: &str) {
        assert_eq!(
            std::fs::read_dir(Path::new(&self.target()))
                .unwrap()
                .count(),
            0,
            "{what}"
        );
        until(&format!("{what}: its space"), || self.used() == used);
    }
}

impl Drop for FileSystem {
    fn drop(&mut self) {
        self.shell("umount mnt");
    }
}

#[test]
fn scratch_leaves_the_reserve_to_others() {
    // Of 420 MiB, 256 are kept for others.
    let Some(fs) = FileSystem::new(420) else {
        return;
    };
    let (before, target) = (fs.used(), fs.target());
    for (size, wanted) in [("300m", 5), ("200m", 5), ("32m", 0)] {
        let arguments = ["run", &target, "--runtime=100ms", "--size", size];
        let output = Iodyno::new().run(&arguments);
        let said = text(&output.stderr);
        assert_eq!(code(&output), wanted, "{size}: {said}");
        assert_eq!(
            said.contains("stay reserved for others"),
            wanted == 5,
            "{said}"
        );
        fs.is_as_before(before, size);
    }
}

#[test]
fn where_there_is_no_room_nothing_is_made() {
    // Of 300 MiB, 256 are kept for others.
    let Some(fs) = FileSystem::in_memory(300) else {
        return;
    };
    let (before, target) = (fs.used(), fs.target());
    let tree = ["--ioengine=files", "--engine-option=filesize=1m"];
    let cases: [(&[&str], i32); 6] = [
        (&["--size=100m"], 5),
        (&["--size=100t"], 5),
        (&["--size=16m", "--numjobs=4", "--ioengine=stream"], 5),
        (&[tree[0], tree[1], "--engine-option=files=60"], 5),
        (
            &[
                tree[0],
                tree[1],
                "--engine-option=files=20",
                "--engine-option=dirs=2",
            ],
            0,
        ),
        (&["--size=32m"], 0),
    ];
    for (more, wanted) in cases {
        let arguments = [
            &[
                "run",
                &target,
                "--direct=0",
                "--runtime=100ms",
                "--rw=randwrite",
            ],
            more,
        ]
        .concat();
        let output = Iodyno::new().run(&arguments);
        let said = text(&output.stderr);
        assert_eq!(code(&output), wanted, "{more:?}: {said}");
        let is_told = said.contains("reserved for others");
        assert_eq!(is_told, wanted == 5, "{more:?}: {said}");
        fs.is_as_before(before, &more.join(" "));
    }
}

/// The usual reserve is more than a small volume has; its owner may give less.
#[test]
fn a_small_volume_is_loaded_where_its_owner_says_what_stays_free() {
    let Some(fs) = FileSystem::in_memory(64) else {
        return;
    };
    let (before, target) = (fs.used(), fs.target());
    let run = [
        "run",
        &target,
        "--runtime=100ms",
        "--size=16m",
        "--direct=0",
    ];
    let refused = Iodyno::new().run(&run);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 5, "{said}");
    assert!(said.contains("--keep-free 16M"), "{said}");
    for (free, wanted) in [("--keep-free=16M", 0), ("--keep-free=60M", 5)] {
        let output = Iodyno::new().run(&[&run[..], &[free]].concat());
        assert_eq!(code(&output), wanted, "{}", text(&output.stderr));
    }
    let (check, output) = Iodyno::new().json(&["check", &target, "--quick", "--keep-free=16M"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    // The time without load, and one at the least.
    assert!(check["probes"].as_array().unwrap().len() > 1, "{check:#}");
    fs.is_as_before(before, "a small volume");
}
