//! The loop device that a journal holds: what was finished is the user's, and goes only when it is named.

use super::{Unfinished, WayOut};
use crate::{Error, Host, Result};
use model::change::{Restored, SavedLoop};
use model::text::shell_word;
use std::path::Path;

impl Unfinished {
    /// The loop device that may hold data: `undo` never takes it away. A damaged journal may have lost the line that says
    /// that it was finished.
    pub fn finished_loop(&self) -> Option<&SavedLoop> {
        let made = self.made_loop.as_ref()?;
        let is_finished = self.kept.is_some() || (self.damage.is_some() && made.image.is_some());
        is_finished.then_some(made)
    }

    /// Removes the loop device that it holds, finished or not, with its units, and its file unless that is to be kept; then
    /// the journal, also a damaged one whose line of the device is whole.
    ///
    /// # Errors
    /// [`Error::Locked`] while its owner runs.
    pub fn remove_loop(self, host: &Host, keeps_file: bool) -> Result<Vec<Restored>> {
        let Some((journal, _lock)) = self.lock(host, "loop remove")? else {
            return Ok(Vec::new());
        };
        journal.must_know_its_file()?;
        let restored = journal.restore(host, keeps_file)?;
        if restored.iter().all(Restored::is_whole) {
            journal.finish()?;
        }
        Ok(restored)
    }

    /// Where the line is damaged that says which file it is, nobody can tell whether that is what has its path.
    fn must_know_its_file(&self) -> Result<()> {
        let made = self.made_loop.as_ref();
        let unknown = made.filter(|made| self.damage.is_some() && made.image.is_none());
        let Some(made) = unknown.filter(|made| Path::new(&made.path).exists()) else {
            return Ok(());
        };
        let (file, point) = (shell_word(&made.path), made.point.as_ref());
        let unmount = point.map(|point| format!("umount {}; ", shell_word(&point.path)));
        let why = format!(
            "the journal's line that says which file it is is damaged, and nothing was touched. Look what is there, and take \
             it away by hand, as root: {}losetup --noheadings --output NAME --associated {file} | xargs -r losetup \
             --detach; rm {file}. Then this command removes the journal",
            unmount.unwrap_or_default()
        );
        Err(Error::refused("remove", &made.path, why))
    }

    /// What a finished loop device holds is the user's: it goes by a command of its own.
    pub(super) fn must_hold_no_data(&self) -> Result<()> {
        let Some(made) = self.finished_loop() else {
            return Ok(());
        };
        let way = self.way_out_of_loop(made, self.state_dir());
        let why = format!(
            "it is a finished loop device and may hold data, which `undo` never removes. To {}: {}",
            way.aim, way.command
        );
        Err(Error::refused("undo", &made.path, why))
    }

    /// How a finished one is taken away.
    pub(super) fn way_out_of_loop(&self, made: &SavedLoop, state_dir: &Path) -> WayOut {
        // Of a damaged one nobody knows whether somebody has data in it by now.
        let (aim, keep) = match self.damage.is_some() {
            true => ("take it away and keep its file", "--keep-file "),
            false => ("remove it with its file", ""),
        };
        let remove = format!("iodyno loop remove {keep}{}", shell_word(&made.path));
        WayOut {
            aim,
            option: None,
            command: self.with_state_dir(remove, state_dir),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::journal::{Journal, find_unfinished};
    use crate::loop_device::ImagePlace;
    use crate::simulated::Simulated;
    use crate::{Host, files};
    use model::change::{Restored, SavedLoop};
    use std::path::{Path, PathBuf};

    /// A file where a loop device is made, up to a step.
    struct Made {
        host: Host,
        state: PathBuf,
        path: PathBuf,
        _dir: files::TemporaryDir,
    }

    fn made(steps: u32) -> Made {
        let machine = Simulated::new();
        let dir = files::temporary_dir("made-loop").unwrap();
        let place = ImagePlace::open(&dir.path().join("a.img")).unwrap();
        let (host, state) = (machine.host(), machine.state_dir(0));
        let path = place.path().to_path_buf();
        let mut saved = SavedLoop {
            path: path.to_str().unwrap().into(),
            id: ImagePlace::id().unwrap(),
            file_system: place.file_system(),
            ..SavedLoop::default()
        };
        let mut journal = Journal::begin_for_files(&host, &state, "loop create a.img").unwrap();
        journal.set_loop(&saved).unwrap();
        if steps > 0 {
            let (_, image) = place.create(&saved.id).unwrap();
            saved.image = Some(image);
        }
        if steps > 1 {
            journal.set_loop(&saved).unwrap();
        }
        if steps > 2 {
            place.name(&saved.id).unwrap();
        }
        if steps > 3 {
            journal.keep().unwrap();
        }
        Made {
            host,
            state,
            path,
            _dir: dir,
        }
    }

    fn names(dir: &Path) -> usize {
        std::fs::read_dir(dir).unwrap().count()
    }

    #[test]
    fn one_that_died_on_the_way_is_removed_by_undo_from_every_step() {
        for steps in 0..=3 {
            let made = made(steps);
            let mut found = find_unfinished(&made.host, &made.state).journals;
            assert!(found[0].is_pending() && found[0].finished_loop().is_none());
            let undone = found.remove(0).undo(&made.host, &made.state).unwrap();
            assert!(undone.iter().all(Restored::is_whole), "{steps}: {undone:?}");
            assert_eq!(names(made.path.parent().unwrap()), 0, "{steps}");
            assert!(find_unfinished(&made.host, &made.state).journals.is_empty());
        }
    }

    #[test]
    fn one_that_was_finished_goes_only_when_it_is_named() {
        for keeps_file in [true, false] {
            let made = made(4);
            let find = || find_unfinished(&made.host, &made.state).journals.remove(0);
            assert!(!find().is_pending());
            let way = find().way_out(&made.host, &made.state).command;
            assert!(way.starts_with("iodyno loop remove /"), "{way}");
            assert!(
                find()
                    .undo(&made.host, &made.state)
                    .unwrap_err()
                    .is_refusal()
            );
            assert!(
                find()
                    .forget(&made.host)
                    .unwrap_err()
                    .to_string()
                    .contains("still there")
            );
            assert!(made.path.exists());
            let removed = find().remove_loop(&made.host, keeps_file).unwrap();
            assert!(removed.iter().all(Restored::is_whole), "{removed:?}");
            assert_eq!(made.path.exists(), keeps_file);
            assert!(find_unfinished(&made.host, &made.state).journals.is_empty());
        }
    }

    #[test]
    fn one_whose_directory_is_not_there_stays_written_down() {
        for steps in [1, 3, 4] {
            let made = made(steps);
            let find = || find_unfinished(&made.host, &made.state).journals.remove(0);
            let take = || match steps {
                4 => find().remove_loop(&made.host, false).unwrap(),
                _ => find().undo(&made.host, &made.state).unwrap(),
            };
            let dir = made.path.parent().unwrap();
            let aside = dir.with_extension("aside");
            std::fs::rename(dir, &aside).unwrap();
            let left = take();
            let why = left.last().unwrap().error.clone().unwrap();
            assert!(why.contains("Mount that one first"), "{why}");
            // Something else in its place: nobody can look, and so nobody can tell.
            std::fs::write(dir, "no directory").unwrap();
            let refused = find().forget(&made.host).unwrap_err().to_string();
            assert!(refused.contains("nobody knows"), "{refused}");
            std::fs::remove_file(dir).unwrap();
            std::fs::rename(&aside, dir).unwrap();
            assert!(take().iter().all(Restored::is_whole), "{steps}");
            assert_eq!(names(dir), 0, "{steps}");
            assert!(find_unfinished(&made.host, &made.state).journals.is_empty());
        }
    }

    #[test]
    fn one_whose_file_system_is_gone_for_good_can_be_forgotten() {
        let made = made(4);
        let find = || find_unfinished(&made.host, &made.state).journals.remove(0);
        let dir = made.path.parent().unwrap();
        let aside = dir.with_extension("aside");
        std::fs::rename(dir, &aside).unwrap();
        find().forget(&made.host).unwrap();
        assert!(find_unfinished(&made.host, &made.state).journals.is_empty());
        std::fs::rename(&aside, dir).unwrap();
        assert!(made.path.exists());
    }

    #[test]
    fn a_damaged_journal_gives_no_file_up_that_may_hold_data() {
        let made = made(4);
        let find = || find_unfinished(&made.host, &made.state).journals.remove(0);
        let path = find().path;
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() - 20;
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(find().damage.is_some() && find().kept.is_none());
        assert!(find().undo(&made.host, &made.state).is_err());
        assert!(
            find()
                .salvage(&made.host, &made.state)
                .unwrap_err()
                .is_refusal()
        );
        assert!(made.path.exists());
        let way = find().way_out(&made.host, &made.state).command;
        assert!(way.contains("--keep-file"), "{way}");
        let removed = find().remove_loop(&made.host, false).unwrap();
        assert!(removed.iter().all(Restored::is_whole) && !made.path.exists());

        // Without the line that says which file it is, nothing is touched.
        let made = self::made(4);
        let find = || find_unfinished(&made.host, &made.state).journals.remove(0);
        let text = String::from_utf8(std::fs::read(find().path).unwrap()).unwrap();
        let with_birth = text.replacen("\"inode\":", "\"inodf\":", 1);
        assert_ne!(with_birth, text);
        std::fs::write(find().path, with_birth).unwrap();
        let refused = find()
            .remove_loop(&made.host, false)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("losetup --noheadings") && made.path.exists(),
            "{refused}"
        );
        std::fs::remove_file(&made.path).unwrap();
        assert!(find().remove_loop(&made.host, false).unwrap()[0].is_whole());
    }
}
