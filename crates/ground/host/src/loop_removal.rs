//! What is there of a loop device that was written down, and its removal: mount, device, file, directory. A step that
//! fails ends it, so that nothing below what is still used is taken away.

use crate::files::Identity;
use crate::loop_image::{self, ImageNow};
use crate::{Host, Result, loop_device, mount_point};
use kernel::devno::Devno;
use kernel::mounts::Mount;
use model::change::{Attribute, ImageFile, Restored, SavedLoop};
use model::text::{clean, shell_word};
use std::path::Path;

/// What is there of it now.
#[derive(Clone, Debug)]
pub struct LoopState {
    /// The file.
    pub image: ImageNow,
    /// Kernel names of the loop devices over it.
    pub devices: Vec<String>,
    /// The mounts of those, in the order of mounting.
    pub mounts: Vec<Mount>,
}

impl LoopState {
    /// Whether nothing of it is there, as far as its file system is.
    pub fn is_gone(&self) -> bool {
        self.devices.is_empty() && !matches!(self.image, ImageNow::There(_))
    }
}

/// Looks what is there. `is_same_boot` says that devices have the numbers that were written down.
///
/// # Errors
/// Where the path of the file cannot be looked at.
pub fn state(host: &Host, saved: &SavedLoop, is_same_boot: bool) -> Result<LoopState> {
    let mut image = loop_image::now(saved, is_same_boot)?;
    let mut devices = identity(saved, &image, is_same_boot)
        .map_or(Vec::new(), |identity| loop_device::over(host, &identity));
    let own = devices.iter().filter(|name| holds(host, name, saved));
    let own: Vec<String> = own.cloned().collect();
    match image {
        // Its number is its own.
        ImageNow::There(_) => {}
        // Nothing is taken away then, so that a device may be shown that only may be its.
        ImageNow::NotMounted if own.is_empty() => {}
        ImageNow::NotMounted => (image, devices) = (ImageNow::Gone, own),
        ImageNow::Gone | ImageNow::Another => devices = own,
    }
    let numbers: Vec<Devno> = devices
        .iter()
        .filter_map(|name| Devno::parse(&host.text(&format!("/sys/class/block/{name}/dev"))?))
        .collect();
    let mut mounts = mount_point::all(host);
    mounts.retain(|mount| numbers.contains(&mount.devno));
    Ok(LoopState {
        image,
        devices,
        mounts,
    })
}

/// Whether a loop device over a file of the same number holds the very file, which is not at its path any more. What a
/// device holds keeps its number; after that another file can get it, and another device stand over that.
fn holds(host: &Host, name: &str, saved: &SavedLoop) -> bool {
    let file = host.text(&format!("/sys/class/block/{name}/loop/backing_file"));
    let file = file.unwrap_or_default();
    let file = file.trim_end_matches('\n');
    if let Some(path) = file.strip_suffix(" (deleted)") {
        return path == saved.path;
    }
    // It was renamed: its time of birth tells.
    let has_birth = |image: &ImageFile| image.birth_ns.is_some();
    let moved = SavedLoop {
        path: file.into(),
        ..saved.clone()
    };
    saved.image.as_ref().is_some_and(has_birth)
        && matches!(loop_image::now(&moved, true), Ok(ImageNow::There(_)))
}

/// The file as loop devices name it. One that is gone keeps its number in the boot in which it was written down, while a
/// loop device holds it; in a later boot another file can have that number.
fn identity(saved: &SavedLoop, image: &ImageNow, is_same_boot: bool) -> Option<Identity> {
    let image = match image {
        ImageNow::There(found) => found,
        _ => saved.image.as_ref().filter(|_| is_same_boot)?,
    };
    Some(Identity {
        device: image.device.clone(),
        inode: image.inode,
        special: "0:0".into(),
    })
}

/// Removes it step by step; the file stays where it is to be kept. The last of what it gives is what could not be removed,
/// where something could not.
pub(crate) fn remove(
    host: &Host,
    saved: &SavedLoop,
    is_same_boot: bool,
    keeps_file: bool,
) -> Vec<Restored> {
    let mut done = Vec::new();
    if let Err((what, error)) = steps(host, saved, is_same_boot, keeps_file, &mut done) {
        done.push(Restored {
            error: Some(error),
            found: Attribute::Value("still there".into()),
            ..removed(what)
        });
    }
    if done.is_empty() {
        done.push(Restored {
            written: false,
            ..removed(saved.path.clone())
        });
    }
    done
}

/// What could not be removed, and why.
type Left = (String, String);

fn steps(
    host: &Host,
    saved: &SavedLoop,
    is_same_boot: bool,
    keeps_file: bool,
    done: &mut Vec<Restored>,
) -> std::result::Result<(), Left> {
    let of_file = |error: crate::Error| (saved.path.clone(), error.to_string());
    let look = || {
        let found = state(host, saved, is_same_boot)?;
        found.image.must_be_mounted(saved).map(|()| found)
    };
    unmount(host, saved, &look().map_err(of_file)?, done)?;
    // What the mount has hidden shows only now.
    let found = look().map_err(of_file)?;
    if let Some(identity) = identity(saved, &found.image, is_same_boot) {
        for name in &found.devices {
            let path = format!("/dev/{name}");
            loop_device::detach(name, &identity)
                .map_err(|error| (path.clone(), error.to_string()))?;
            done.push(removed(path));
        }
    }
    if loop_image::remove(saved, is_same_boot, keeps_file).map_err(of_file)? {
        done.push(removed(saved.path.clone()));
    }
    if let Some(point) = saved.point.as_ref().filter(|point| point.made) {
        let gone = mount_point::remove(Path::new(&point.path));
        if gone.map_err(|error| (point.path.clone(), error.to_string()))? {
            done.push(removed(point.path.clone()));
        }
    }
    Ok(())
}

/// Takes the mount away that was made. Where the device is mounted elsewhere too, or something else is mounted over it,
/// nothing is taken away.
fn unmount(
    host: &Host,
    saved: &SavedLoop,
    found: &LoopState,
    done: &mut Vec<Restored>,
) -> std::result::Result<(), Left> {
    let point = saved.point.as_ref().map(|point| point.path.as_str());
    let is_own = |mount: &&Mount| Some(mount.point.as_str()) == point;
    let other = found.mounts.iter().find(|mount| !is_own(mount));
    if let Some(other) = other {
        let word = shell_word(&other.point);
        let why = format!("iodyno did not make this mount; take it away first: umount {word}");
        return Err((mount_words(&other.point), why));
    }
    for mount in found.mounts.iter().filter(is_own) {
        let words = mount_words(&mount.point);
        let top = mount_point::top(host, &mount.point);
        if let Some(top) = top.filter(|top| top.devno != mount.devno) {
            let (fstype, word) = (clean(&top.fstype), shell_word(&top.point));
            let why =
                format!("a mount of {fstype} lies over it; take that away first: umount {word}");
            return Err((words, why));
        }
        if let Err(error) = mount_point::unmount(Path::new(&mount.point)) {
            let who = format!(
                ". `iodyno loop remove {}` names who uses it",
                shell_word(&saved.path)
            );
            let is_busy = error.errno() == Some(libc::EBUSY);
            let who = if is_busy { who } else { String::new() };
            return Err((words, format!("{error}{who}")));
        }
        done.push(removed(words));
    }
    Ok(())
}

fn mount_words(point: &str) -> String {
    format!("the mount on {point}")
}

fn removed(what: String) -> Restored {
    Restored {
        path: what,
        wanted: Attribute::Absent,
        found: Attribute::Absent,
        written: true,
        error: None,
        edited: None,
    }
}

/// Whether what a journal names can be a loop device that iodyno makes.
pub(crate) fn is_own(saved: &SavedLoop) -> bool {
    let is_path = |path: &str| {
        path.starts_with('/') && path.len() > 1 && !path.split('/').any(|part| part == "..")
    };
    is_path(&saved.path)
        && saved
            .point
            .as_ref()
            .is_none_or(|point| is_path(&point.path))
        && !saved.id.is_empty()
        && saved.id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_image::ImagePlace;

    #[test]
    fn what_is_gone_or_another_is_left_alone() {
        let dir = crate::files::temporary_dir("removal").unwrap();
        let place = ImagePlace::open(&dir.path().join("a.img")).unwrap();
        let mut saved = SavedLoop {
            path: place.path().to_str().unwrap().into(),
            id: "1a".into(),
            ..SavedLoop::default()
        };
        let host = Host::live();
        let none = remove(&host, &saved, true, false);
        assert!(none.len() == 1 && none[0].is_whole() && !none[0].written);
        let (_, image) = place.create("1a").unwrap();
        saved.image = Some(image);
        place.name("1a").unwrap();
        assert!(!state(&host, &saved, true).unwrap().is_gone());
        let kept = remove(&host, &saved, true, true);
        assert!(kept[0].is_whole() && place.path().exists());
        std::fs::remove_file(place.path()).unwrap();
        std::fs::write(place.path(), "theirs").unwrap();
        // The number may be used again: then the time of birth tells, where there is one.
        if state(&host, &saved, true).unwrap().image == ImageNow::Another {
            assert!(remove(&host, &saved, true, false)[0].is_whole());
            assert!(place.path().exists());
        }
        assert!(is_own(&saved));
        saved.path = "/a/../b".into();
        assert!(!is_own(&saved));
    }
}
