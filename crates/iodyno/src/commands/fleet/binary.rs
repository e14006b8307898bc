//! Which binary a host is sent: this one, or for another architecture one that was named.

use crate::exit::{Exit, Failure};
use fleet::Executable;
use model::text::shown;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A binary to send.
#[derive(Clone, Debug)]
pub struct Binary {
    /// What it is.
    pub executable: Executable,
    /// SHA-256 of its content: a part of its name on the hosts.
    pub hash: String,
    /// Its content.
    pub bytes: Arc<Vec<u8>>,
}

/// The binaries that are at hand: those that were named, and this one.
///
/// # Errors
/// When one cannot be read, or is for another architecture than it was named for.
pub fn all(named: &[(String, PathBuf)]) -> Result<Vec<Binary>, Failure> {
    let others = named.iter().map(|(architecture, path)| {
        let binary = read(path)?;
        let found = binary.executable.architecture;
        match found == architecture {
            true => Ok(binary),
            false => {
                let path = shown(path);
                let what = format!("{path} is for {found} and not for {architecture}.");
                Err(Failure::usage(what))
            }
        }
    });
    // One that is named for this architecture too stands in for this program: what was built for other distributions.
    let mut all = others.collect::<Result<Vec<Binary>, Failure>>()?;
    let own = read(Path::new("/proc/self/exe"))?;
    let is_known = |one: &Binary| one.executable.architecture == own.executable.architecture;
    if !all.iter().any(is_known) {
        all.push(own);
    }
    Ok(all)
}

fn read(path: &Path) -> Result<Binary, Failure> {
    let bytes = host::files::read_bytes(path)?;
    let executable = Executable::of(&bytes).ok_or_else(|| {
        let what = format!("{} is no executable of Linux on 64 bits.", shown(path));
        Failure::new(Exit::Usage, what)
    })?;
    Ok(Binary {
        executable,
        hash: host::digest::sha256(&bytes),
        bytes: Arc::new(bytes),
    })
}

/// The one for an architecture.
pub fn of<'a>(all: &'a [Binary], architecture: &str) -> Option<&'a Binary> {
    let is_it = |one: &&Binary| one.executable.architecture == architecture;
    all.iter().find(is_it)
}
