//! Drift: what an `apply` or `set` left in place and what is there now are not the same. Who can have changed it, and
//! the commands that bring it back or accept it.

use crate::status::shown;
use host::{Host, Unfinished};
use inventory::{InventoryError, collect};
use model::change::{Attribute, DeviceIdentity, SavedFile};
use model::iopath::{IoPath, Layer, LayerKind, Owner, Setting};
use model::ownership::{SetBy, is_same};
use model::subject::Subject;
use model::text::shell_word;
use serde::Serialize;
use std::path::Path;

/// A setting or a file that is not what was put in place.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Drift {
    /// The attribute, or the file.
    pub path: String,
    /// What was put in place.
    pub set: String,
    /// What is there now.
    pub is: String,
    /// Who asks for what is there now, or may have written it without saying what.
    pub suspects: Vec<Owner>,
    /// Who can have done it, in a sentence.
    pub why: String,
    /// The command that puts the value in place again; none where there is no one command.
    pub bring_back: Option<String>,
    /// The command that takes what is there now for what was put in place.
    pub accept: Option<String>,
}

/// What differs of a journal that was kept; `above` are the later ones, whose settings are theirs.
pub fn of(host: &Host, journal: &Unfinished, above: &[&Unfinished]) -> Vec<Drift> {
    let Some(kept) = journal.kept.as_ref().filter(|_| !journal.running) else {
        return Vec::new();
    };
    let mut machine = Machine::new(host, journal);
    let mut drift: Vec<Drift> = match journal.is_of_an_earlier_boot {
        true => machine.since_boot(journal, above),
        false => kept
            .iter()
            .filter(|(path, _)| !is_of_another(host, journal, path))
            .filter(|(path, _)| !above.iter().any(|later| holds(later, path)))
            .filter_map(|(path, set)| machine.setting(path, set))
            .collect(),
    };
    let own = |file: &&SavedFile| !above.iter().any(|later| writes(later, &file.path));
    let files = latest(&journal.files).into_iter().filter(own);
    drift.extend(files.filter_map(|file| edited(file, journal)));
    drift
}

fn holds(journal: &Unfinished, path: &str) -> bool {
    let is_of_now = !journal.is_of_an_earlier_boot;
    is_of_now && journal.saved.iter().any(|saved| saved.path == path)
}

fn writes(journal: &Unfinished, path: &str) -> bool {
    journal.files.iter().any(|file| file.path == path)
}

/// Of a file that was written twice the last time.
fn latest(files: &[SavedFile]) -> Vec<&SavedFile> {
    let is_last = |(index, file): &(usize, &SavedFile)| {
        !files[index + 1..]
            .iter()
            .any(|later| later.path == file.path)
    };
    let last = files.iter().enumerate().filter(is_last);
    last.map(|(_, file)| file).collect()
}

/// Whether a setting's subject is not the one that was changed: nothing is known of that one then.
fn is_of_another(host: &Host, journal: &Unfinished, path: &str) -> bool {
    let subject = Subject::of_path(path).map(|(subject, _)| subject);
    let is_of_device = subject.as_ref().is_some_and(|it| it.device().is_some());
    let saved = journal.saved.iter().find(|saved| saved.path == path);
    let mark = saved.and_then(|saved| saved.mark.as_ref());
    let is_marked_otherwise =
        || mark.is_some() && subject.and_then(|it| host.subject_mark(&it)).as_ref() != mark;
    (is_of_device && journal.another_device(host).is_some()) || is_marked_otherwise()
}

/// The machine as the inventory sees it, looked at once something differs.
struct Machine<'a> {
    host: &'a Host,
    id: String,
    device: Option<String>,
    paths: Vec<(String, Result<IoPath, InventoryError>)>,
}

impl<'a> Machine<'a> {
    fn new(host: &'a Host, journal: &Unfinished) -> Machine<'a> {
        let device = journal.begin.device.as_ref();
        Machine {
            host,
            id: journal.id(),
            device: device.map(|device| device.name.clone()),
            paths: Vec::new(),
        }
    }

    /// How one setting differs from what was left in place.
    fn setting(&mut self, path: &str, set: &Attribute) -> Option<Drift> {
        let now = self.host.attribute(path);
        let (set, is) = (shown(path, set), shown(path, &now));
        let (subject, name) = Subject::of_path(path)?;
        // Whose files went with it is told by the scheduler itself.
        let went = matches!(subject, Subject::Scheduler { .. }) && now == Attribute::Absent;
        if is_same(&set, &is) || went {
            return None;
        }
        Some(self.drift(path, &subject, name, set, is))
    }

    fn drift(
        &mut self,
        path: &str,
        subject: &Subject,
        name: &str,
        set: String,
        is: String,
    ) -> Drift {
        let (host, target) = (self.host, target(subject, self.device.as_deref()));
        let (suspects, why) = match target.as_deref().and_then(|it| self.path(it)) {
            Some(found) => suspects(host, found, path, subject, &is),
            None => (Vec::new(), "who sets it is not known".to_string()),
        };
        let knob = apply::ordering::on(subject.kind(), name);
        let bring_back = knob.zip(target).map(|(knob, target)| {
            let key = subject.key().map(|key| format!("@{key}"));
            let word = format!("{}{}={set}", knob.id, key.unwrap_or_default());
            format!("iodyno set {} {}", shell_word(&word), shell_word(&target))
        });
        Drift {
            path: path.to_string(),
            set,
            is,
            suspects,
            why,
            bring_back,
            accept: Some(format!("iodyno undo --accept {}", self.id)),
        }
    }

    fn path(&mut self, target: &str) -> Option<&IoPath> {
        if !self.paths.iter().any(|(known, _)| known == target) {
            let found = collect(self.host, target);
            self.paths.push((target.to_string(), found));
        }
        let found = self.paths.iter().find(|(known, _)| known == target);
        found.and_then(|(_, path)| path.as_ref().ok())
    }

    /// After a boot what its files ask for should be there; what they say is what the inventory reads in them.
    fn since_boot(&mut self, journal: &Unfinished, above: &[&Unfinished]) -> Vec<Drift> {
        let files: Vec<String> = latest(&journal.files)
            .into_iter()
            .filter(|file| !above.iter().any(|later| writes(later, &file.path)))
            .map(|file| format!("{}:", file.path))
            .collect();
        if files.is_empty() {
            return Vec::new();
        }
        let was = journal.begin.device.as_ref();
        let is_here = was.is_some_and(|was| {
            let now = self.host.device_identity(&was.name);
            now.is_some_and(|now| is_same_disk(was, &now))
        });
        let device = self
            .device
            .clone()
            .filter(|_| is_here)
            .map(|name| format!("/dev/{name}"));
        let asked = |setting: &Setting| {
            let mut owners = setting.owners.iter().rev();
            let owner =
                owners.find(|owner| files.iter().any(|file| owner.place.starts_with(file)))?;
            let (wants, now) = (owner.wants.clone()?, setting.chosen()?.to_string());
            (!is_same(&wants, &now)).then(|| (setting.path.clone(), wants, now))
        };
        let Some(path) = device.and_then(|it| self.path(&it)) else {
            return Vec::new();
        };
        let layers = path.root.walk().into_iter().chain(path.machine.as_ref());
        let found: Vec<_> = layers
            .flat_map(|layer| {
                layer
                    .settings
                    .iter()
                    .filter_map(asked)
                    .map(|it| (layer.name.clone(), it))
            })
            .collect();
        let drift = found.into_iter().filter_map(|(layer, (path, set, is))| {
            let place = place(&layer, &path);
            if above.iter().any(|later| holds(later, &place)) {
                return None;
            }
            let (subject, name) = Subject::of_path(&place)?;
            let drift = self.drift(&place, &subject, name, set, is);
            // What this boot shows was never kept: there is nothing to exchange for it.
            Some(Drift {
                accept: None,
                ..drift
            })
        });
        drift.collect()
    }
}

/// The place of a setting that the inventory read by the device's directory, as journals name it.
fn place(layer: &str, path: &str) -> String {
    let end = path
        .split_once(&format!("/block/{layer}/"))
        .map(|(_, end)| end);
    end.map_or_else(
        || path.to_string(),
        |end| format!("/sys/block/{layer}/{end}"),
    )
}

/// What an inventory looks at for a subject, and `set` takes as its target.
pub(crate) fn target(subject: &Subject, device: Option<&str>) -> Option<String> {
    match subject {
        Subject::Mount { point, .. } | Subject::FileSystem { point, .. } => Some(point.clone()),
        _ => subject
            .device()
            .or(device)
            .map(|name| format!("/dev/{name}")),
    }
}

/// Who asks for what is there now, and a sentence on it.
fn suspects(
    host: &Host,
    path: &IoPath,
    place: &str,
    subject: &Subject,
    is: &str,
) -> (Vec<Owner>, String) {
    let silent = |owner: &&Owner| owner.wants.is_none();
    match subject {
        Subject::Interrupt { number } => {
            let layers = path.root.walk().into_iter();
            let serves = |layer: &&Layer| layer.interrupts.iter().any(|line| line.irq == *number);
            let owners = layers
                .filter(serves)
                .filter_map(|layer| layer.owners.get("interrupts"));
            told(owners.flatten().filter(silent).cloned().collect(), false)
        }
        Subject::Mount { point, .. } => {
            let layers = path.root.walk().into_iter();
            let mut layers =
                layers.filter(|it| it.kind == LayerKind::FileSystem && it.name == *point);
            let owners = layers.next().and_then(|layer| layer.owners.get("options"));
            told(owners.cloned().unwrap_or_default(), false)
        }
        _ => {
            let Some(setting) = setting(host, path, place) else {
                return (Vec::new(), "who sets it is not known".into());
            };
            let asks = |owner: &&Owner| owner.wants.as_deref().is_none_or(|it| is_same(it, is));
            let owners = setting.owners.iter().rev().filter(asks).cloned().collect();
            let is_default = matches!(setting.set_by(), SetBy::Kernel(_));
            told(owners, is_default)
        }
    }
}

fn told(owners: Vec<Owner>, is_default: bool) -> (Vec<Owner>, String) {
    let why = match (owners.as_slice(), is_default) {
        ([], true) => {
            "it is the kernel's own value: the device was set up anew, or somebody wrote it back"
                .into()
        }
        ([], false) => {
            "no file of this machine asks for it: it was written by hand, or by a program \
                        that leaves no file"
                .into()
        }
        (owners, _) => {
            let one = |owner: &Owner| match &owner.wants {
                Some(wants) => format!("{} wants {wants}, {}", owner.place, owner.acts),
                None => format!("{} writes it, {}", owner.place, owner.acts),
            };
            owners.iter().map(one).collect::<Vec<_>>().join("; ")
        }
    };
    (owners, why)
}

/// The setting of this place among those that the inventory found.
pub(crate) fn setting<'a>(host: &Host, path: &'a IoPath, place: &str) -> Option<&'a Setting> {
    let real = host.resolve(place);
    let layers = path.root.walk().into_iter().chain(path.machine.as_ref());
    let mut settings = layers.flat_map(|layer| &layer.settings);
    settings.find(|setting| {
        setting.path == place || (real.is_some() && host.resolve(&setting.path) == real)
    })
}

/// A file that is not as it was written.
fn edited(file: &SavedFile, journal: &Unfinished) -> Option<Drift> {
    let is = match host::files::read_whole(Path::new(&file.path)) {
        Ok(Some(now)) if now == file.new => return None,
        Ok(Some(now)) if now.latin1 == file.new.latin1 => "of another owner or mode",
        Ok(Some(_)) => "edited",
        Ok(None) => "removed",
        Err(_) => "unreadable",
    };
    let purpose = &journal.begin.purpose;
    let writes_files = purpose.split(' ').any(|word| word == "--persist");
    Some(Drift {
        path: file.path.clone(),
        set: "as iodyno wrote it".into(),
        is: is.into(),
        suspects: Vec::new(),
        why: "somebody changed it by hand or with another program; `undo` leaves it as it is"
            .into(),
        bring_back: writes_files.then(|| format!("iodyno {purpose}")),
        accept: None,
    })
}

/// Whether a disk is the one of an earlier boot: sequence numbers end with their boot.
fn is_same_disk(was: &DeviceIdentity, now: &DeviceIdentity) -> bool {
    let without = |one: &DeviceIdentity| DeviceIdentity {
        diskseq: None,
        ..one.clone()
    };
    without(was).is_still(&without(now)).is_ok()
}
