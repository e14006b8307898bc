//! Trees to read: made on a file system of their own in memory, or there already.

use kit::targets::LoopDevice;
use stats::dice::Dice;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Size of a made file system, bytes.
const BYTES: usize = 1 << 30;

/// A tree, and what has to be taken away after it.
pub struct Ground {
    /// The tree.
    pub tree: PathBuf,
    /// What it is, for the table.
    pub name: String,
    _mount: Option<Mount>,
}

/// A mounted loop device; unmounted and detached when dropped.
struct Mount {
    point: PathBuf,
    _device: LoopDevice,
}

impl Ground {
    /// A tree that is there.
    pub fn there(tree: PathBuf, what: &str) -> Ground {
        let name = format!("{} ({what})", tree.display());
        Ground {
            tree,
            name,
            _mount: None,
        }
    }

    /// So many files in a hundred directories, log-normal sizes around 12 KiB, of noise.
    ///
    /// # Errors
    /// Why this machine or this user cannot.
    pub fn made(fstype: &str, files: usize) -> Result<Ground, String> {
        let device = LoopDevice::writable_in_memory(BYTES)?;
        let path = device.path().to_string_lossy().into_owned();
        let force = if fstype == "ext4" { "-F" } else { "-f" };
        run(Command::new(format!("mkfs.{fstype}")).args(["-q", force, &path]))?;
        let point =
            std::env::temp_dir().join(format!("iodyno-bench-{fstype}-{}", std::process::id()));
        std::fs::create_dir_all(&point).map_err(|error| format!("{}: {error}", point.display()))?;
        let mount = Mount {
            point: point.clone(),
            _device: device,
        };
        run(Command::new("mount")
            .args(["-o", "noatime", &path])
            .arg(&point))?;
        let tree = point.join("tree");
        fill(&tree, files).map_err(|error| format!("{}: {error}", tree.display()))?;
        run(&mut Command::new("sync"))?;
        Ok(Ground {
            tree,
            name: format!("{files} files on {fstype}, a loop device in memory"),
            _mount: Some(mount),
        })
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.point).status();
        let _ = std::fs::remove_dir(&self.point);
    }
}

fn fill(tree: &Path, files: usize) -> std::io::Result<()> {
    let mut dice = Dice::new(1);
    let noise: Vec<u8> = (0..1 << 20).map(|_| dice.word() as u8).collect();
    for index in 0..files {
        let below = tree.join(format!("class{:02}", index % 100));
        std::fs::create_dir_all(&below)?;
        let bytes = ((12_000.0 * (0.8 * dice.normal()).exp()) as usize).clamp(1, noise.len() / 2);
        let from = dice.below(noise.len() / 2);
        std::fs::write(
            below.join(format!("{index}.jpg")),
            &noise[from..from + bytes],
        )?;
    }
    Ok(())
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}
