//! Where the image and the kernels are, and where each guest has its files.

use crate::{Architecture, Error};
use std::path::{Path, PathBuf};

/// The directory that `lab/build` fills.
pub fn dir() -> PathBuf {
    match std::env::var_os("IODYNO_LAB") {
        Some(dir) => dir.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/lab"),
    }
}

/// The directory with everything to boot `kernel`, or why there is none.
pub fn ready(kernel: &str) -> Result<PathBuf, Error> {
    let missing = |why: String| Err(Error::Missing(why));
    let architecture = Architecture::from_kernel(kernel);
    for program in [&architecture.qemu(), "qemu-img", "setpriv"] {
        if !is_installed(program) {
            return missing(format!(
                "{program} is not installed; tools/setup lab installs it"
            ));
        }
    }
    let dir = dir();
    let needed = [architecture.root(&dir), dir.join(kernel).join("stamp")];
    match needed.iter().find(|file| !file.exists()) {
        Some(file) => missing(format!(
            "{} is not there; lab/build {kernel} makes it",
            file.display()
        )),
        None => Ok(dir),
    }
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).exists())
}

/// A new directory for a guest. Those of test programs that were killed are removed first.
pub fn guest_dir() -> Result<PathBuf, Error> {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let guests = dir().join("guests");
    std::fs::create_dir_all(&guests)?;
    for entry in std::fs::read_dir(&guests)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.split('-').next().unwrap_or_default();
        if !Path::new("/proc").join(owner).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let dir = guests.join(format!("{}-{number}", std::process::id()));
    std::fs::create_dir_all(dir.join("share"))?;
    Ok(dir.canonicalize()?)
}
