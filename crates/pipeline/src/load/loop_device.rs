//! A loop device over a file of its own, for tests. Detached when dropped.

use host::files::{Access, DataFile, TemporaryDir, temporary_dir};
use host::{rights, spawn};
use std::path::{Path, PathBuf};

pub struct LoopDevice {
    pub path: PathBuf,
    dir: TemporaryDir,
}

impl LoopDevice {
    /// A device of `bytes`; none, with the reason printed, where this machine or this user cannot have one.
    pub fn attach(bytes: u64) -> Option<LoopDevice> {
        let skip = |why: &str| {
            println!("skipped: {why}");
            None
        };
        if !rights::is_root() {
            return skip("only root can attach loop devices");
        }
        let dir = temporary_dir("loop").unwrap();
        let image = dir.path().join("image");
        host::files::write_atomically(&image, "").unwrap();
        let file = DataFile::open(&image, Access { write: true, ..Access::default() }).unwrap();
        file.write_at(&[0], bytes - 1).unwrap();
        match spawn::run("losetup", &["--find", "--show", &image.to_string_lossy()]) {
            Ok(done) if done.status == Some(0) => {
                Some(LoopDevice { path: PathBuf::from(done.stdout.trim()), dir })
            }
            Ok(done) => skip(done.stderr.trim()),
            Err(error) => skip(&error.to_string()),
        }
    }

    /// A directory of the device's own.
    pub fn scratch_dir(&self) -> &Path {
        self.dir.path()
    }

    /// Runs a program on the device; false, with the reason printed, where it is missing or fails.
    pub fn run(&self, program: &str, arguments: &[&str]) -> bool {
        match spawn::run(program, arguments) {
            Ok(done) if done.status == Some(0) => true,
            Ok(done) => {
                println!("skipped: {program}: {}", done.stderr.trim());
                false
            }
            Err(error) => {
                println!("skipped: {error}");
                false
            }
        }
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
