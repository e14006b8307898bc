//! Without the right to see who has a target open: a device is refused, of a file it is said.

use crate::support::{Loop, code, copy_binary, is_root, text};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NOBODY: u32 = 65_534;

/// A directory of a user without rights, with a copy of the binary that this user reaches.
pub struct Nobody(PathBuf);

impl Nobody {
    /// None, with the reason printed, where nobody else can be.
    pub fn new(label: &str) -> Option<Nobody> {
        if !is_root() {
            skip::missing("root", "this test drops root's rights, which needs root");
            return None;
        }
        if skip::lacks("setpriv") {
            return None;
        }
        let home = std::env::temp_dir().join(format!("iodyno-{label}-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o755)).unwrap();
        copy_binary(&home.join("iodyno"));
        chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
        Some(Nobody(home))
    }

    /// Where the copy is, as `iodyno`.
    pub fn home(&self) -> &Path {
        &self.0
    }

    fn write(&self, target: &Path, more: &[&str]) -> Output {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(self.0.join("iodyno"));
        command.args(["--json", "run"]).arg(target).args([
            "--rw=write",
            "--bs=64k",
            "--runtime=100ms",
        ]);
        command
            .args(["--direct=0"])
            .args(more)
            .env("IODYNO_STATE_DIR", self.0.join("state"));
        command.output().unwrap()
    }
}

impl Drop for Nobody {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_device_whose_users_cannot_be_seen_is_refused() {
    let Some(disk) = Loop::new(16) else { return };
    let Some(nobody) = Nobody::new("unseen-device") else {
        return;
    };
    // A node of this user's own, as membership in the group of disks gives one: only the look at others is missing.
    let node = nobody.0.join("node");
    let number = disk.name.trim_start_matches("loop");
    let made = Command::new("mknod")
        .arg(&node)
        .args(["b", "7", number])
        .status()
        .unwrap();
    assert!(made.success());
    chown(&node, Some(NOBODY), Some(NOBODY)).unwrap();
    if Command::new("setpriv")
        .args([
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "head",
            "-c1",
        ])
        .arg(&node)
        .output()
        .is_ok_and(|read| !read.status.success())
    {
        skip::missing(
            "nodes",
            "device nodes in the temporary directory do not work",
        );
        return;
    }
    let before = std::fs::read(&disk.device).unwrap();
    let output = nobody.write(&node, &["--destroy-data", "--force-signature"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 3, "{said}");
    assert!(
        said.contains("one of them may have it open. Run as root"),
        "{said}"
    );
    assert!(
        before == std::fs::read(&disk.device).unwrap(),
        "the refusal changed the device"
    );
}

#[test]
fn a_file_whose_users_cannot_be_seen_is_written_with_a_note() {
    let Some(nobody) = Nobody::new("unseen-file") else {
        return;
    };
    let file = nobody.0.join("data");
    std::fs::write(&file, [7; 1 << 20]).unwrap();
    chown(&file, Some(NOBODY), Some(NOBODY)).unwrap();
    let output = nobody.write(&file, &["--overwrite"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let document = text(&output.stdout);
    let note = format!("one of them may have {} open for writing", file.display());
    assert!(document.contains(&note), "{document}");
}
