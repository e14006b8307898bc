//! The list of hosts that were lost while something was changed there, in the state directory: read, and changed by one
//! iodyno at a time.

use crate::exit::{Exit, Failure};
use fleet::PendingList;
use host::clock;
use std::path::{Path, PathBuf};

/// How often another iodyno is waited for, and how long each time, ms.
const TRIES: u32 = 100;
const WAIT_MS: u64 = 50;

fn folder(state_dir: &Path) -> PathBuf {
    state_dir.join("fleet")
}

fn file(state_dir: &Path) -> PathBuf {
    folder(state_dir).join("pending.json")
}

/// The list; empty where there is none.
///
/// # Errors
/// When it cannot be read, or somebody else may have written it.
pub fn read(state_dir: &Path) -> Result<PendingList, Failure> {
    let path = file(state_dir);
    let Some(text) = host::durable::text(&path)? else {
        return Ok(PendingList::default());
    };
    serde_json::from_str(&text).map_err(|error| {
        let path = model::text::shown(&path);
        Failure::new(Exit::Failed, format!("{path} cannot be read: {error}."))
            .on(path.clone())
            .hint("It names hosts on which something may still be changed: look into it, then remove it.")
    })
}

/// Changes the list. Nothing is written where nothing changes.
///
/// # Errors
/// When it can be neither read nor written, or another iodyno holds it for ever.
pub fn change(
    state_dir: &Path,
    change: impl FnOnce(&mut PendingList),
) -> Result<PendingList, Failure> {
    let folder = folder(state_dir);
    host::durable::ensure(state_dir)?;
    host::durable::ensure(&folder)?;
    let mut lock = host::durable::lock_dir(&folder)?;
    for _ in 0..TRIES {
        if lock.is_some() {
            break;
        }
        clock::sleep_ms(WAIT_MS);
        lock = host::durable::lock_dir(&folder)?;
    }
    if lock.is_none() {
        let folder = model::text::shown(&folder);
        let what = format!("another iodyno holds {folder}; the list of lost hosts is not changed.");
        return Err(Failure::new(Exit::Failed, what).on(folder));
    }
    let before = read(state_dir)?;
    let mut list = before.clone();
    change(&mut list);
    if list != before {
        let text = serde_json::to_string_pretty(&list).map_err(|error| {
            Failure::new(
                Exit::Failed,
                format!("cannot write the list of lost hosts: {error}"),
            )
        })?;
        host::files::write_atomically(&file(state_dir), &text)?;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleet::Pending;

    #[test]
    fn the_list_is_kept_and_changed() {
        let dir = host::files::temporary_dir("pending").unwrap();
        let state = dir.path().join("state");
        assert_eq!(read(&state).unwrap(), PendingList::default());
        let pending = Pending {
            fleet: "a1".into(),
            name: "h1".into(),
            address: "root@h1:22".into(),
            via: None,
            ssh_config: None,
            sudo: true,
            hostname: None,
            verb: vec!["apply".into()],
            begun_unix_ms: 7,
            why: "lost".into(),
        };
        change(&state, |list| list.put(pending.clone())).unwrap();
        assert_eq!(read(&state).unwrap().hosts, std::slice::from_ref(&pending));
        change(&state, |list| list.clear(&pending)).unwrap();
        assert!(read(&state).unwrap().hosts.is_empty());
    }
}
