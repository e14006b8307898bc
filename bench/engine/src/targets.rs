//! What the contestants read: a file that is in the page cache, and a loop device over a written file.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of incompressible data, removed when dropped.
pub struct DataFile(PathBuf);

impl DataFile {
    /// Writes `bytes` below the temporary directory and waits until they are on the disk.
    pub fn write(label: &str, bytes: usize) -> Result<DataFile, String> {
        let path = std::env::temp_dir().join(format!("iodyno-bench-{label}-{}", std::process::id()));
        let written = || -> std::io::Result<()> {
            let mut file = File::create(&path)?;
            let mut random = File::open("/dev/urandom")?.take(bytes as u64);
            std::io::copy(&mut random, &mut file)?;
            file.flush()?;
            file.sync_all()
        };
        let file = DataFile(path.clone());
        written().map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(file)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Reads all of it, so that the page cache holds it.
    pub fn warm(&self) -> Result<(), String> {
        let read = || std::io::copy(&mut File::open(&self.0)?, &mut std::io::sink());
        read().map(drop).map_err(|error| error.to_string())
    }
}

impl Drop for DataFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A loop device with direct I/O over a file of its own; detached when dropped.
pub struct LoopDevice {
    device: PathBuf,
    _image: DataFile,
}

impl LoopDevice {
    /// Attaches it. An error says why this machine or this user cannot.
    pub fn attach(bytes: usize) -> Result<LoopDevice, String> {
        let image = DataFile::write("image", bytes)?;
        let losetup = Command::new("losetup")
            .args(["--find", "--show", "--read-only", "--direct-io=on"])
            .arg(image.path())
            .output()
            .map_err(|error| format!("losetup: {error}"))?;
        if !losetup.status.success() {
            return Err(String::from_utf8_lossy(&losetup.stderr).trim().to_string());
        }
        let device = PathBuf::from(String::from_utf8_lossy(&losetup.stdout).trim());
        Ok(LoopDevice { device, _image: image })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.device
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.device).status();
    }
}
