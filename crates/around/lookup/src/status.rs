//! What is changed and not yet put back: the journals with each setting as it was and as it is.

use crate::drift::{self, Drift};
use host::{FoundJournals, Host, Unfinished};
use model::change::{Attribute, Saved, SavedObjects};
use model::kube::SavedKube;
use model::subject::Subject;
use serde::Serialize;
use std::path::Path;

/// What is changed: `iodyno.status/1`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Status {
    schema: &'static str,
    /// Where the journals are.
    pub state_dir: String,
    /// Those of this state directory.
    pub journals: Vec<Journal>,
    /// Journals of this boot in other state directories.
    pub elsewhere: Vec<Journal>,
    /// Damaged journals of which nothing more can be put back.
    pub salvaged: Vec<String>,
}

/// A journal.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Journal {
    /// By which it is undone.
    pub id: String,
    /// The command that made the changes.
    pub purpose: String,
    /// Its process.
    pub pid: u32,
    /// When it began, ms since 1970.
    pub unix_ms: u64,
    /// The device whose settings it holds.
    pub device: Option<String>,
    /// Whether its command still runs.
    pub running: bool,
    /// Whether its changes stay until undone.
    pub kept: bool,
    /// Whether its command ended before it put everything back.
    pub pending: bool,
    /// What can be done about it; none while its command runs, and where nothing is left to undo.
    pub way_out: Option<WayOut>,
    /// The first line that is not what was written.
    pub damaged_line: Option<usize>,
    /// The settings that it saved.
    pub settings: Vec<StatusSetting>,
    /// What is not as it was put in place, of changes that were to stay.
    pub drift: Vec<Drift>,
    /// Files that were written.
    pub files: Vec<String>,
    /// Directories that were made.
    pub trees: Vec<String>,
    /// Control groups that were made.
    pub groups: Vec<String>,
    /// The file of the loop device that was made.
    pub loop_file: Option<String>,
    /// Objects that were made in pools of Ceph clusters.
    pub objects: Vec<String>,
    /// Objects that were made in Kubernetes clusters.
    pub kubernetes: Vec<String>,
}

/// What can be done about a journal.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WayOut {
    /// What the command does, after `to`: `put it back`.
    pub aim: &'static str,
    /// The command.
    pub command: String,
    /// The option that `undo` needs for it; none where the journal's id is enough.
    pub option: Option<&'static str>,
}

/// A setting that was saved.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "SavedSetting")
)]
pub struct StatusSetting {
    /// The attribute.
    pub path: String,
    /// Its value before; of a choice the chosen word.
    pub was: String,
    /// Its value when the change was left in place; none where it was not to stay.
    pub set: Option<String>,
    /// Its value now.
    pub is: String,
}

impl StatusSetting {
    /// Whether it differs from what was saved. The tunables of a scheduler go with it and come back with it.
    pub fn is_changed(&self) -> bool {
        let is_gone_with_it = is_of_scheduler(&self.path) && self.is == "absent";
        self.was != self.is && !is_gone_with_it
    }
}

/// The status by journals that were found in a state directory, and in others.
pub fn of(
    host: &Host,
    state_dir: &Path,
    found: &FoundJournals,
    elsewhere: &[Unfinished],
) -> Status {
    let all: Vec<&Unfinished> = found.journals.iter().chain(elsewhere).collect();
    let journals = |found: &[Unfinished]| {
        let told = found.iter().map(|one| journal(host, state_dir, one, &all));
        told.collect()
    };
    let salvaged = found.salvaged.iter();
    Status {
        schema: "iodyno.status/1",
        state_dir: state_dir.display().to_string(),
        journals: journals(&found.journals),
        elsewhere: journals(elsewhere),
        salvaged: salvaged.map(|path| path.display().to_string()).collect(),
    }
}

/// The status of a state directory.
///
/// # Errors
/// The first journal that cannot be read: what is changed is not known then.
pub fn read(host: &Host, state_dir: &Path) -> host::Result<Status> {
    let mut found = host::find_unfinished(host, state_dir);
    if !found.errors.is_empty() {
        return Err(found.errors.swap_remove(0));
    }
    let elsewhere = host::find_elsewhere(host, state_dir);
    Ok(of(host, state_dir, &found, &elsewhere))
}

fn journal(host: &Host, state_dir: &Path, journal: &Unfinished, all: &[&Unfinished]) -> Journal {
    let is_later = |other: &&&Unfinished| {
        other.begin.level > journal.begin.level && other.path != journal.path
    };
    let above: Vec<&Unfinished> = all.iter().filter(is_later).copied().collect();
    let kept = |path: &str| {
        let mut kept = journal.kept.iter().flatten();
        kept.find(|(place, _)| place == path).map(|(_, set)| set)
    };
    let setting = |saved: &Saved| StatusSetting {
        path: saved.path.clone(),
        was: shown(&saved.path, &saved.old),
        set: kept(&saved.path).map(|set| shown(&saved.path, set)),
        is: shown(&saved.path, &host.attribute(&saved.path)),
    };
    let device = journal.begin.device.as_ref();
    let is_left = journal.is_pending() || journal.kept.is_some();
    let way = is_left.then(|| journal.way_out(host, state_dir));
    Journal {
        id: journal.id(),
        purpose: journal.begin.purpose.clone(),
        pid: journal.begin.pid,
        unix_ms: journal.begin.unix_ms,
        device: device.map(|device| device.name.clone()),
        running: journal.running,
        kept: journal.kept.is_some(),
        pending: journal.is_pending(),
        way_out: way.map(|way| WayOut {
            aim: way.aim,
            option: way.option,
            command: way.command,
        }),
        damaged_line: journal.damage.as_ref().map(|damage| damage.line),
        settings: journal.saved.iter().map(setting).collect(),
        drift: drift::of(host, journal, &above),
        files: journal.files.iter().map(|file| file.path.clone()).collect(),
        trees: journal.trees.iter().map(|tree| tree.path.clone()).collect(),
        groups: journal
            .groups
            .iter()
            .map(|group| group.path.clone())
            .collect(),
        loop_file: journal.made_loop.as_ref().map(|made| made.path.clone()),
        objects: journal.objects.iter().map(SavedObjects::place).collect(),
        kubernetes: journal.kube.iter().map(SavedKube::place).collect(),
    }
}

fn is_of_scheduler(path: &str) -> bool {
    matches!(Subject::of_path(path), Some((Subject::Scheduler { .. }, _)))
}

/// A value as its knob reads it: of a choice the chosen word.
pub(crate) fn shown(path: &str, value: &Attribute) -> String {
    let of_path = Subject::of_path(path);
    let knob = of_path.and_then(|(subject, name)| apply::ordering::on(subject.kind(), name));
    let reading = knob.map_or(apply::ValueReading::Whole, |knob| knob.reading);
    let text = value.value().map(|text| reading.value(text));
    text.unwrap_or_else(|| value.to_string())
}
