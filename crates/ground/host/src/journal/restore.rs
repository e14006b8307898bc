//! Putting back what a journal has saved, and reading it back.

use super::families;
use crate::asked::Patience;
use crate::ceph::objects;
use crate::ceph::{CephProgram, command_words};
use crate::group_setting::GroupPlace;
use crate::kube;
use crate::mount_setting::MountPlace;
use crate::super_setting::SuperPlace;
use crate::{Host, Whose, files};
use kernel::choice;
use model::change::{
    Attribute, DeviceIdentity, FileContent, Restored, Saved, SavedFile, SavedGroup, SavedObjects,
    SavedTree,
};
use model::kube::{INSTANCE, SavedKube};

/// Passes over all settings until one changes nothing: a write can reset one that was put back before (a scheduler
/// switch resets nr_requests, a limit may reset read-ahead).
const PASSES: u32 = 4;

/// Whom a setting was saved of: of the machine's settings no device.
pub(super) fn whose<'a>(saved: &'a Saved, device: Option<&'a DeviceIdentity>) -> Whose<'a> {
    Whose {
        mark: saved.mark.as_deref(),
        device: device.filter(|_| !families::is_of_machine(&saved.path)),
    }
}

/// Puts settings back in their order, where they are still those of the device and of the subjects that were saved. What it gives was
/// read after the last write.
pub(super) fn settings(
    host: &Host,
    saved: &[Saved],
    device: Option<&DeviceIdentity>,
) -> Vec<Restored> {
    let setting = |saved: &Saved| setting(host, saved, device);
    let mut ordered: Vec<&Saved> = saved.iter().collect();
    ordered.sort_by_key(|saved| saved.order);
    let mut outcome: Vec<Restored> = ordered.iter().map(|saved| setting(saved)).collect();
    for _ in 1..PASSES {
        if !outcome.iter().any(|restored| restored.written) {
            return outcome;
        }
        let again: Vec<Restored> = ordered.iter().map(|saved| setting(saved)).collect();
        let is_settled = again.iter().all(|restored| !restored.written);
        for (first, latest) in outcome.iter_mut().zip(again) {
            *first = Restored {
                written: first.written || latest.written,
                ..latest
            };
        }
        if is_settled {
            return outcome;
        }
    }
    for (restored, saved) in outcome.iter_mut().zip(&ordered) {
        restored.found = selected(&host.attribute(&saved.path));
    }
    outcome
}

fn setting(host: &Host, saved: &Saved, device: Option<&DeviceIdentity>) -> Restored {
    let wanted = selected(&saved.old);
    if let Some(left) = of_another(host, saved, device) {
        return left;
    }
    let found = selected(&host.attribute(&saved.path));
    let mut restored = restored(&saved.path, wanted, found);
    let Some(value) = restored.wanted.value() else {
        return restored;
    };
    if restored.found == restored.wanted {
        return restored;
    }
    restored.written = true;
    restored.error = host
        .write_attribute(&saved.path, value, &whose(saved, device))
        .err()
        .map(|error| error.to_string());
    restored.found = selected(&host.attribute(&saved.path));
    restored
}

/// What becomes of a setting whose subject is not the one it was saved of; none where it is, or cannot be another.
pub(super) fn of_another(
    host: &Host,
    saved: &Saved,
    device: Option<&DeviceIdentity>,
) -> Option<Restored> {
    let device = whose(saved, device).device;
    if let Some((device, why)) = device.and_then(|it| Some((it, host.another_device(it)?))) {
        let has_name = host.device_identity(&device.name).is_some();
        return Some(left_alone(saved, has_name, why));
    }
    let was = saved.mark.as_ref()?;
    let is = super::mark(host, &saved.path).unwrap_or_default();
    // A mount and a group have marks that name themselves, an interrupt has whom it serves.
    let is_mount = MountPlace::of(&saved.path).is_some() || SuperPlace::of(&saved.path).is_some();
    let is_itself = is_mount || GroupPlace::of(&saved.path).is_some();
    let why = match is.as_str() {
        _ if is == *was => return None,
        "" if is_itself => format!("it was set on {was}, which is gone: nothing was written"),
        is if is_itself => {
            format!("it was set on {was}, and {is} is there now: nothing was written")
        }
        "" => format!("it served {was}, which is gone: nothing was written"),
        is => format!("it served {was} and serves {is} now: nothing was written"),
    };
    Some(left_alone(saved, !is.is_empty(), why))
}

/// A setting whose subject is gone, where `has_name` with another that has its name: nothing is read or written.
fn left_alone(saved: &Saved, has_name: bool, why: String) -> Restored {
    let found = match has_name {
        true => Attribute::OfAnother,
        false => Attribute::Absent,
    };
    Restored {
        error: Some(why),
        ..restored(&saved.path, selected(&saved.old), found)
    }
}

/// How settings stand to what was saved; nothing is written.
pub(super) fn compare(host: &Host, saved: &[Saved]) -> Vec<Restored> {
    let one = |saved: &Saved| {
        restored(
            &saved.path,
            selected(&saved.old),
            selected(&host.attribute(&saved.path)),
        )
    };
    saved.iter().map(one).collect()
}

fn restored(path: &str, wanted: Attribute, found: Attribute) -> Restored {
    Restored {
        path: path.to_string(),
        wanted,
        found,
        written: false,
        error: None,
        edited: None,
    }
}

/// Puts files back, the latest written first, so that one written twice ends with its first content.
pub(super) fn files(host: &Host, saved: &[SavedFile]) -> Vec<Restored> {
    saved
        .iter()
        .rev()
        .map(|saved| put_back(host, saved))
        .collect()
}

/// A file, and the directory that was made for it, where nobody else has put anything there since.
fn put_back(host: &Host, saved: &SavedFile) -> Restored {
    let restored = file(host, saved);
    if saved.made_directory && restored.is_whole() {
        crate::config_file::remove_empty_directory_of(&host.place(&saved.path));
    }
    restored
}

/// A file that somebody has edited since iodyno wrote it is left as it is.
fn file(host: &Host, saved: &SavedFile) -> Restored {
    let path = &host.place(&saved.path);
    let as_attribute = |content: Option<&FileContent>| {
        content.map_or(Attribute::Absent, |content| {
            Attribute::Value(content.text())
        })
    };
    let wanted = as_attribute(saved.old.as_ref());
    // Unknown is not absent.
    let unread = |error: &crate::Error| Attribute::Refused(error.errno().unwrap_or(libc::EIO));
    let found = match files::read_whole(path) {
        Ok(found) => found,
        Err(error) => {
            let restored = restored(&saved.path, wanted, unread(&error));
            return Restored {
                error: Some(error.to_string()),
                ..restored
            };
        }
    };
    let mut restored = restored(&saved.path, wanted, as_attribute(found.as_ref()));
    if found == saved.old {
        // Death came while the new content was written beside it.
        let _ = crate::config_file::remove_unborn(path);
        return restored;
    }
    if found.as_ref() != Some(&saved.new) {
        restored.edited = Some(found.as_ref().map(FileContent::text).unwrap_or_default());
        restored.error = Some(match found {
            Some(_) => "it was edited after iodyno wrote it, and stays as it is".into(),
            None => "it was removed after iodyno wrote it, and is not made again".into(),
        });
        return restored;
    }
    let outcome = match &saved.old {
        Some(old) => files::replace(path, old, Some(&saved.new)),
        None => crate::config_file::remove(path),
    };
    restored.written = true;
    restored.error = outcome.err().map(|error| error.to_string());
    restored.found = match files::read_whole(path) {
        Ok(found) => as_attribute(found.as_ref()),
        Err(error) => unread(&error),
    };
    restored
}

/// Removes what a load of small files left.
pub(super) fn tree(saved: &SavedTree) -> Restored {
    let is_own = super::families::is_tree(&saved.path, &saved.id);
    made(&saved.path, is_own, "a tree of files", || {
        crate::tree::remove(saved)
    })
}

/// Removes a control group that a load was in.
pub(super) fn group(saved: &SavedGroup) -> Restored {
    let is_own = crate::group::is_own(&saved.path, &saved.id);
    made(&saved.path, is_own, "a control group", || {
        crate::group::remove(saved)
    })
}

/// Removes the objects of a load from their pool.
pub(super) fn objects(saved: &SavedObjects) -> Restored {
    made(&saved.place(), saved.is_own(), "objects of a load", || {
        let removed = objects::remove(saved, None, &Patience::endless());
        let failed = |error: crate::ceph::CephError| crate::Error::Program {
            program: format!("the objects of {} may still be there", saved.place()),
            why: error.to_string(),
        };
        removed.map(|count| count > 0).map_err(failed)
    })
}

/// How the objects of a load stand that are to be forgotten. Where the cluster does not say, the error has how they are found
/// and removed by hand.
pub(super) fn compare_objects(saved: &SavedObjects) -> Restored {
    let (found, error) = match objects::left(saved) {
        Ok(None) => (Attribute::Absent, None),
        Ok(Some(name)) => (Attribute::Value(format!("there ({name})")), None),
        Err(error) => {
            let command = |words: &[&str]| {
                let words = objects::in_pool(saved, words);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                command_words(CephProgram::Rados, &saved.target.cluster, &words)
            };
            let why = format!(
                "{error}. What is left of them begins with {} and is found by `{}` and removed by `{}`",
                saved.prefix,
                command(&["ls"]),
                command(&["rm", "NAME"])
            );
            (Attribute::Value("not known".into()), Some(why))
        }
    };
    Restored {
        error,
        ..restored(&saved.place(), Attribute::Absent, found)
    }
}

/// Removes an object of ours from its Kubernetes cluster.
pub(super) fn of_kube(saved: &SavedKube) -> Restored {
    made(
        &saved.place(),
        saved.is_own(),
        "an object of a load",
        || {
            kube::objects::remove(saved, &Patience::endless()).map_err(|error| {
                crate::Error::Program {
                    program: format!("{} may still be there", saved.place()),
                    why: error.to_string(),
                }
            })
        },
    )
}

/// How an object in a Kubernetes cluster stands that is to be forgotten. Where the cluster does not say, the error has how it
/// is removed by hand.
pub(super) fn compare_kube(saved: &SavedKube) -> Restored {
    let (found, error) = match kube::objects::is_there(saved) {
        Ok(false) => (Attribute::Absent, None),
        Ok(true) => (Attribute::Value("there".into()), None),
        Err(error) => {
            let (resource, selector) = (saved.kind.resource(), format!("{INSTANCE}={}", saved.run));
            let words = ["--namespace", &saved.namespace, "delete", resource];
            let words: Vec<&str> = words.into_iter().chain(["--selector", &selector]).collect();
            let command = kube::command_words(&saved.cluster, &words);
            let why = format!("{error}. If it is there, this removes it: `{command}`");
            (Attribute::Value("not known".into()), Some(why))
        }
    };
    Restored {
        error,
        ..restored(&saved.place(), Attribute::Absent, found)
    }
}

/// Removes what iodyno has made under a name of its own; says what is left where that fails.
fn made(
    path: &str,
    is_own: bool,
    what: &str,
    remove: impl FnOnce() -> crate::Result<bool>,
) -> Restored {
    let outcome = match is_own {
        true => remove(),
        false => Err(crate::Error::Foreign {
            path: path.into(),
            owner: "a load".into(),
        }),
    };
    Restored {
        path: path.into(),
        wanted: Attribute::Absent,
        found: match outcome.is_ok() {
            true => Attribute::Absent,
            false => Attribute::Value(what.into()),
        },
        written: !matches!(outcome, Ok(false)),
        error: outcome.err().map(|error| error.to_string()),
        edited: None,
    }
}

/// Of a choice attribute (`none [mq-deadline] bfq`) the chosen word; any other value as it is.
fn selected(attribute: &Attribute) -> Attribute {
    match attribute {
        Attribute::Value(text) => {
            Attribute::Value(choice::chosen(text).unwrap_or(text).to_string())
        }
        other => other.clone(),
    }
}
