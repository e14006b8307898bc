//! A loop device over a written file, and the disk below it.

use probe::Device;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Detached and removed when dropped.
pub struct Disk {
    path: PathBuf,
    image: PathBuf,
    devices: Vec<Device>,
}

impl Disk {
    /// Writes the file and attaches the device with direct I/O.
    pub fn new(bytes: u64) -> Result<Disk, String> {
        let image = PathBuf::from("target").join(format!("bench-probe-{}", std::process::id()));
        let written = || -> std::io::Result<u64> {
            let mut random = std::io::Read::take(std::fs::File::open("/dev/urandom")?, bytes);
            let mut file = std::fs::File::create(&image)?;
            let copied = std::io::copy(&mut random, &mut file)?;
            file.sync_all()?;
            Ok(copied)
        };
        written().map_err(|error| format!("{}: {error}", image.display()))?;
        let losetup =
            Command::new("losetup").args(["--find", "--show", "--direct-io=on"]).arg(&image).output();
        let output = losetup.map_err(|error| format!("losetup: {error}"))?;
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        let mut disk = Disk { path, image, devices: Vec::new() };
        let Some(name) = disk.path.file_name() else {
            return Err("this machine gives no loop device".into());
        };
        disk.devices.push(device(&format!("/sys/block/{}", name.to_string_lossy()))?);
        let below = std::fs::metadata(&disk.image).map_err(|error| error.to_string())?;
        let number = std::os::unix::fs::MetadataExt::dev(&below);
        let (major, minor) = ((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00));
        let link = std::fs::canonicalize(format!("/sys/dev/block/{major}:{minor}"))
            .map_err(|error| error.to_string())?;
        let whole = if link.join("partition").exists() { link.join("..") } else { link };
        disk.devices.push(device(&whole.to_string_lossy())?);
        Ok(disk)
    }

    /// The loop device.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The loop device and the disk below it.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.path).status();
        let _ = std::fs::remove_file(&self.image);
    }
}

fn device(folder: &str) -> Result<Device, String> {
    let folder = std::fs::canonicalize(folder).map_err(|error| format!("{folder}: {error}"))?;
    let text = std::fs::read_to_string(folder.join("dev")).map_err(|error| error.to_string())?;
    let (major, minor) = text.trim().split_once(':').ok_or("no device number")?;
    let number = |text: &str| text.parse::<u32>().map_err(|error| error.to_string());
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Device { major: number(major)?, minor: number(minor)?, name })
}
