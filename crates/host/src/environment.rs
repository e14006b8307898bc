//! The process's environment and where iodyno keeps its state.

use std::path::PathBuf;

/// An environment variable, where it is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Where records, journals and locks live: `$IODYNO_STATE_DIR`, else `/var/lib/iodyno` for root, else
/// `$XDG_STATE_HOME/iodyno` or `~/.local/state/iodyno`.
pub fn state_dir() -> PathBuf {
    if let Some(dir) = variable("IODYNO_STATE_DIR") {
        return PathBuf::from(dir);
    }
    if crate::rights::is_root() {
        return PathBuf::from("/var/lib/iodyno");
    }
    let base = variable("XDG_STATE_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".local/state")));
    base.unwrap_or_else(|| PathBuf::from("/tmp")).join("iodyno")
}

/// The command line as given.
pub fn arguments() -> Vec<String> {
    std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect()
}
