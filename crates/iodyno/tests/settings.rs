//! The settings of a subject as the kernel shows them, and putting them back whatever a test does.

use apply::knobs;
use model::subject::{Subject, SubjectKind};
use std::collections::BTreeMap;

/// What a subject's settings read, also those that no knob names; of one that cannot be read nothing.
pub fn settings(subject: &Subject) -> BTreeMap<String, String> {
    let read = |path: String| Some((path.clone(), std::fs::read_to_string(path).ok()?));
    names(subject)
        .into_iter()
        .filter_map(|name| read(subject.path(&name)))
        .collect()
}

/// Names of a subject's settings; of the kernel's those that knobs set or disturb.
fn names(subject: &Subject) -> Vec<String> {
    if *subject == Subject::Sysctl {
        let knobs = knobs::ALL
            .iter()
            .filter(|knob| knob.on == SubjectKind::Sysctl);
        let names = knobs.flat_map(|knob| knob.disturbs.iter().chain([&knob.attribute]));
        return names.map(|name| name.to_string()).collect();
    }
    if let Subject::FileSystem { .. } = subject {
        // They are no files: its test looks at the whole mount table.
        return Vec::new();
    }
    let entries = std::fs::read_dir(subject.directory()).unwrap();
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    // Of memory that is free just then.
    names
        .filter(|name| !["max_bytes", "min_bytes"].contains(&name.as_str()))
        .collect()
}

/// Puts settings back also when the test fails. Of bytes that a ratio stands for the kernel takes no 0.
pub struct PutBack {
    /// What they read when this was made.
    pub first: BTreeMap<String, String>,
}

impl PutBack {
    pub fn of(subject: &Subject) -> PutBack {
        PutBack {
            first: settings(subject),
        }
    }
}

impl Drop for PutBack {
    fn drop(&mut self) {
        for (path, text) in &self.first {
            let is_changed = std::fs::read_to_string(path).is_ok_and(|now| now != *text);
            let is_refused = text.trim() == "0" && path.ends_with("_bytes");
            if is_changed && !is_refused {
                let _ = std::fs::write(path, kernel::choice::value(text));
            }
        }
    }
}
