//! What the contestants work on: a file in the page cache, a RAM device, loop devices, and one that stalls.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a program; its output, or what it complained about.
fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

/// A file of incompressible data, removed when dropped.
pub struct DataFile(PathBuf);

impl DataFile {
    /// Writes `bytes` below the temporary directory and waits until they are on the disk.
    pub fn write(label: &str, bytes: usize) -> Result<DataFile, String> {
        DataFile::write_in(&std::env::temp_dir(), label, bytes)
    }

    fn write_in(dir: &Path, label: &str, bytes: usize) -> Result<DataFile, String> {
        let path = dir.join(format!("iodyno-bench-{label}-{}", std::process::id()));
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
        LoopDevice::over(
            DataFile::write("image", bytes)?,
            &["--read-only", "--direct-io=on"],
        )
    }

    fn over(image: DataFile, options: &[&str]) -> Result<LoopDevice, String> {
        let path = image.path().to_string_lossy().into_owned();
        let device = run(
            "losetup",
            &[&["--find", "--show"], options, &[path.as_str()]].concat(),
        )?;
        Ok(LoopDevice {
            device: PathBuf::from(device.trim()),
            _image: image,
        })
    }

    /// Attaches one over a file in memory: as fast as a loop device gets.
    ///
    /// # Errors
    /// Why this machine or this user cannot.
    pub fn in_memory(bytes: usize) -> Result<LoopDevice, String> {
        LoopDevice::over(
            DataFile::write_in(Path::new("/dev/shm"), "memory", bytes)?,
            &["--read-only"],
        )
    }

    /// The same, to be written: for a file system of its own.
    ///
    /// # Errors
    /// Why this machine or this user cannot.
    pub fn writable_in_memory(bytes: usize) -> Result<LoopDevice, String> {
        LoopDevice::over(
            DataFile::write_in(Path::new("/dev/shm"), "writable", bytes)?,
            &[],
        )
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.device
    }

    /// Its number, as the files of control groups name it.
    ///
    /// # Errors
    /// sysfs does not show it.
    pub fn number(&self) -> Result<String, String> {
        let name = self.device.file_name().unwrap_or_default();
        let path = Path::new("/sys/block").join(name).join("dev");
        let number = std::fs::read_to_string(&path);
        number.map_or_else(
            |error| Err(format!("{}: {error}", path.display())),
            |number| Ok(number.trim().to_string()),
        )
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup")
            .arg("--detach")
            .arg(&self.device)
            .status();
    }
}

/// A zram device of its own, filled with data that does not compress; removed when dropped.
pub struct RamDevice {
    number: u32,
    device: PathBuf,
}

impl RamDevice {
    /// Adds it. An error says why this machine or this user cannot.
    pub fn add(bytes: usize) -> Result<RamDevice, String> {
        let control = "/sys/class/zram-control/hot_add";
        let number =
            std::fs::read_to_string(control).map_err(|error| format!("{control}: {error}"))?;
        let number = number
            .trim()
            .parse()
            .map_err(|_| format!("{control} gave {number:?}"))?;
        let ram = RamDevice {
            number,
            device: format!("/dev/zram{number}").into(),
        };
        let size = format!("/sys/block/zram{number}/disksize");
        std::fs::write(&size, bytes.to_string()).map_err(|error| format!("{size}: {error}"))?;
        let fill = || -> std::io::Result<()> {
            let mut device = std::fs::OpenOptions::new().write(true).open(&ram.device)?;
            std::io::copy(
                &mut File::open("/dev/urandom")?.take(bytes as u64),
                &mut device,
            )?;
            device.sync_all()
        };
        fill().map_err(|error| format!("{}: {error}", ram.device.display()))?;
        Ok(ram)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.device
    }
}

impl Drop for RamDevice {
    fn drop(&mut self) {
        let _ = std::fs::write(format!("/sys/block/zram{}/reset", self.number), "1");
        let _ = std::fs::write(
            "/sys/class/zram-control/hot_remove",
            self.number.to_string(),
        );
    }
}

/// A loop device over a file on a file system that can be frozen: writes then wait until it is thawed.
pub struct StallingDevice {
    device: Option<LoopDevice>,
    below: LoopDevice,
    mount: PathBuf,
}

impl StallingDevice {
    /// Attaches it. An error says why this machine or this user cannot.
    pub fn attach(bytes: usize) -> Result<StallingDevice, String> {
        let below = LoopDevice::over(DataFile::write("below", 2 * bytes + (64 << 20))?, &[])?;
        let device = below.path().to_string_lossy().into_owned();
        run("mkfs.ext4", &["-q", &device])?;
        let mount = std::env::temp_dir().join(format!("iodyno-bench-mount-{}", std::process::id()));
        std::fs::create_dir_all(&mount).map_err(|error| error.to_string())?;
        run("mount", &[&device, &mount.to_string_lossy()])?;
        let mut stalling = StallingDevice {
            device: None,
            below,
            mount,
        };
        let image = DataFile::write_in(&stalling.mount, "image", bytes)?;
        stalling.device = Some(LoopDevice::over(image, &["--direct-io=on"])?);
        Ok(stalling)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.device
            .as_ref()
            .map_or(self.below.path(), LoopDevice::path)
    }

    /// Lets no write through for so long.
    pub fn stall(&self, time: std::time::Duration) -> Result<(), String> {
        let mount = self.mount.to_string_lossy();
        let frozen = run("fsfreeze", &["--freeze", &mount]);
        std::thread::sleep(time);
        run("fsfreeze", &["--unfreeze", &mount])
            .and(frozen)
            .map(drop)
    }
}

impl Drop for StallingDevice {
    fn drop(&mut self) {
        self.device = None;
        let _ = run("umount", &[&self.mount.to_string_lossy()]);
        let _ = std::fs::remove_dir(&self.mount);
    }
}
