//! The process's environment and where iodyno keeps its state.

use std::path::PathBuf;

/// An environment variable, where it is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether text may be more than ASCII. `None` where no variable of the locale is set, as in containers and services: POSIX
/// takes ASCII then, and the terminals of today do not.
pub fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> Option<bool> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set)?;
    let locale = locale.to_lowercase();
    Some(locale.contains("utf-8") || locale.contains("utf8"))
}

/// Where records and journals live: `$IODYNO_STATE_DIR`, else `/var/lib/iodyno` for root, else
/// `$XDG_STATE_HOME/iodyno` or `~/.local/state/iodyno`. Empty where none of them is known: nothing of ours is ever kept
/// in a directory that others share.
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
    base.map(|base| base.join("iodyno")).unwrap_or_default()
}

/// Where locks lie that end with the boot, as settings do.
pub(crate) fn run_dir() -> PathBuf {
    if crate::rights::is_root() {
        return PathBuf::from("/run/iodyno");
    }
    let of_user = PathBuf::from(format!("/run/user/{}", rustix::process::geteuid().as_raw()));
    let base = variable("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .or_else(|| of_user.is_dir().then_some(of_user));
    base.map_or_else(|| state_dir().join("locks"), |base| base.join("iodyno"))
}

/// The program of a name in the search path, where there is one that may be executed.
pub fn find_program(name: &str) -> Option<PathBuf> {
    use rustix::fs::{Access, access};
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|directory| directory.join(name));
    places.find(|place| place.is_file() && access(place, Access::EXEC_OK).is_ok())
}

/// The command line as given.
pub fn arguments() -> Vec<String> {
    std::env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect()
}
