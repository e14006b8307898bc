//! A loop device over a file of its own, for tests. Detached when dropped.

use host::files::{Access, DataFile, TemporaryDir, temporary_dir};
use host::{Target, rights, spawn};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a path stands for, as a command opens it.
pub fn opened(path: &Path) -> Arc<Target> {
    Arc::new(Target::open(path).unwrap())
}

/// How often a busy mount is tried again, 20 ms apart.
const TRIES_WHILE_BUSY: u32 = 250;

fn missing(why: String) -> bool {
    skip::missing("mount", why);
    false
}

pub struct LoopDevice {
    pub path: PathBuf,
    dir: TemporaryDir,
}

impl LoopDevice {
    /// A device of `bytes`; none, with the reason printed, where this machine or this user cannot have one.
    pub fn attach(bytes: u64) -> Option<LoopDevice> {
        if !rights::is_root() {
            skip::missing("root", "only root can attach loop devices");
            return None;
        }
        let dir = temporary_dir("loop").unwrap();
        let image = dir.path().join("image");
        host::files::write_atomically(&image, "").unwrap();
        let file = DataFile::open(
            &image,
            Access {
                write: true,
                ..Access::default()
            },
        )
        .unwrap();
        file.write_at(&[0], bytes - 1).unwrap();
        LoopDevice::over(&image, dir, &[])
    }

    /// A device over a file that is there.
    fn over(image: &Path, dir: TemporaryDir, options: &[&str]) -> Option<LoopDevice> {
        let image = image.to_string_lossy();
        let arguments = [&["--find", "--show"], options, &[&*image]].concat();
        let why = match spawn::run("losetup", &arguments) {
            Ok(done) if done.status == Some(0) => {
                return Some(LoopDevice {
                    path: PathBuf::from(done.stdout.trim()),
                    dir,
                });
            }
            Ok(done) => done.stderr.trim().to_string(),
            Err(error) => error.to_string(),
        };
        skip::missing("loop", why);
        None
    }

    /// A directory of the device's own.
    pub fn scratch_dir(&self) -> &Path {
        self.dir.path()
    }

    /// Runs a program on the device; false, with the reason printed, where it is missing or fails.
    pub fn run(&self, program: &str, arguments: &[&str]) -> bool {
        // A ring's files are given up by a worker, a moment after the ring is closed (Linux io_uring/io_uring.c,
        // io_ring_exit_work): until then a mount is in use.
        for _ in 0..TRIES_WHILE_BUSY {
            match spawn::run(program, arguments) {
                Ok(done) if done.status == Some(0) => return true,
                Ok(done) if done.stderr.contains("busy") => host::clock::sleep_ms(20),
                Ok(done) => return missing(format!("{program}: {}", done.stderr.trim())),
                Err(error) => return missing(error.to_string()),
            }
        }
        missing(format!("{program}: its device stays busy"))
    }

    /// All bytes of the device.
    pub fn content(&self) -> Vec<u8> {
        let device = DataFile::open(&self.path, Access::default()).unwrap();
        let mut bytes = vec![0; device.bytes() as usize];
        let mut done = 0;
        while done < bytes.len() {
            done += device.read_at(&mut bytes[done..], done as u64).unwrap();
        }
        bytes
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = spawn::run("losetup", &["--detach", &self.path.to_string_lossy()]);
    }
}

/// A device that can be made to stall: a loop device over a written file on a file system that can be frozen.
pub struct StallingDevice {
    pub device: Option<LoopDevice>,
    below: LoopDevice,
    point: PathBuf,
}

impl StallingDevice {
    /// None, with the reason printed, where this machine cannot have one.
    pub fn attach(bytes: u64) -> Option<StallingDevice> {
        let below = LoopDevice::attach(bytes * 2 + (64 << 20))?;
        let point = below.scratch_dir().join("mnt");
        host::files::create_dirs(&point).unwrap();
        let (device, mnt) = (
            below.path.to_string_lossy().into_owned(),
            point.to_string_lossy().into_owned(),
        );
        if !below.run("mkfs.ext4", &["-q", &device]) || !below.run("mount", &[&device, &mnt]) {
            return None;
        }
        let mut stalling = StallingDevice {
            device: None,
            below,
            point,
        };
        let image = stalling.point.join("image");
        host::files::write_atomically(&image, "").unwrap();
        let file = DataFile::open(
            &image,
            Access {
                write: true,
                ..Access::default()
            },
        )
        .unwrap();
        super::layout::write_all(&file, bytes, &host::signals::Stop::new(), &mut |_, _| {})
            .unwrap();
        stalling.device =
            LoopDevice::over(&image, temporary_dir("stall").unwrap(), &["--direct-io=on"]);
        stalling.device.is_some().then_some(stalling)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.device.as_ref().unwrap().path
    }

    /// Lets no write through for so many ms. Whether it could.
    pub fn stall_ms(&self, ms: u64) -> bool {
        let mnt = self.point.to_string_lossy();
        let is_frozen = self.below.run("fsfreeze", &["--freeze", &mnt]);
        host::clock::sleep_ns(ms * 1_000_000);
        self.below.run("fsfreeze", &["--unfreeze", &mnt]) && is_frozen
    }
}

impl Drop for StallingDevice {
    fn drop(&mut self) {
        self.device = None;
        let _ = spawn::run("umount", &[&self.point.to_string_lossy()]);
    }
}
