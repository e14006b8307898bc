//! Two loop devices, one on the other, over a file in memory.
//!
//! Both have requests and a driver, as a loop device on a disk has them; what is left out is the disk, whose rate wanders
//! by more than tracing costs.

use probe::ProbedDevice;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Detached and removed when dropped.
pub struct Disk {
    image: PathBuf,
    /// The lower one first.
    paths: Vec<PathBuf>,
    devices: Vec<ProbedDevice>,
}

impl Disk {
    /// Writes the file and attaches both devices, the upper one with direct I/O.
    pub fn new(bytes: u64) -> Result<Disk, String> {
        let image = PathBuf::from(format!("/dev/shm/bench-probe-{}", std::process::id()));
        let mut disk = Disk {
            image,
            paths: Vec::new(),
            devices: Vec::new(),
        };
        let written = || -> std::io::Result<()> {
            let mut random = std::io::Read::take(std::fs::File::open("/dev/urandom")?, bytes);
            std::io::copy(&mut random, &mut std::fs::File::create(&disk.image)?)?;
            Ok(())
        };
        written().map_err(|error| format!("{}: {error}", disk.image.display()))?;
        disk.attach(&disk.image.clone(), "off")?;
        disk.attach(&disk.paths[0].clone(), "on")?;
        // From the top down, as the layers are reported.
        disk.devices.reverse();
        Ok(disk)
    }

    fn attach(&mut self, backing: &Path, direct: &str) -> Result<(), String> {
        let mut losetup = Command::new("losetup");
        losetup
            .args(["--find", "--show", &format!("--direct-io={direct}")])
            .arg(backing);
        let output = losetup
            .output()
            .map_err(|error| format!("losetup: {error}"))?;
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        let Some(name) = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
        else {
            return Err(format!(
                "this machine gives no loop device: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            ));
        };
        self.paths.push(path);
        self.devices.push(device(&name)?);
        Ok(())
    }

    /// The device that the load reads.
    pub fn path(&self) -> &Path {
        self.paths.last().map_or(&self.image, |path| path)
    }

    /// Both, from the top down.
    pub fn devices(&self) -> &[ProbedDevice] {
        &self.devices
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        for path in self.paths.iter().rev() {
            let _ = Command::new("losetup").arg("-d").arg(path).status();
        }
        let _ = std::fs::remove_file(&self.image);
    }
}

/// A block device by its kernel name.
pub fn device(name: &str) -> Result<ProbedDevice, String> {
    let path = format!("/sys/block/{name}/dev");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let (major, minor) = text.trim().split_once(':').ok_or("no device number")?;
    let number = |text: &str| text.parse::<u32>().map_err(|error| error.to_string());
    Ok(ProbedDevice {
        major: number(major)?,
        minor: number(minor)?,
        name: name.to_string(),
    })
}
