//! The entries of a profile, with those of the profiles it includes.

use crate::config_files::ini;
use host::Host;
use std::collections::BTreeMap;

/// Where profiles are, the strongest first; newer versions keep them one level deeper.
const DIRECTORIES: &[&str] = &[
    "/etc/tuned",
    "/etc/tuned/profiles",
    "/usr/lib/tuned",
    "/usr/lib/tuned/profiles",
];

/// Profiles include each other in fewer levels than this.
const DEPTH_MAX: usize = 8;

/// One line of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProfileEntry {
    /// The plugin that acts on it.
    pub plugin: String,
    /// The devices it is for, as the profile says; empty for all.
    pub devices: String,
    /// Its name and value.
    pub key: String,
    pub value: String,
    /// Where it stands.
    pub file: String,
    pub line: usize,
}

/// What a profile says in the end: an entry of the including profile replaces that of the included one.
pub(super) fn entries(host: &Host, profile: &str) -> Vec<ProfileEntry> {
    let mut found: Vec<(String, ProfileEntry)> = Vec::new();
    read(host, profile, 0, &mut found);
    let types = attributes(&found, "type");
    let devices = attributes(&found, "devices");
    let is_setting = |entry: &&(String, ProfileEntry)| {
        !matches!(
            entry.1.key.as_str(),
            "type" | "devices" | "include" | "replace"
        )
    };
    let whole = |(section, entry): &(String, ProfileEntry)| ProfileEntry {
        plugin: types
            .get(section)
            .cloned()
            .unwrap_or_else(|| section.clone()),
        devices: devices.get(section).cloned().unwrap_or_default(),
        ..entry.clone()
    };
    found.iter().filter(is_setting).map(whole).collect()
}

fn attributes(found: &[(String, ProfileEntry)], key: &str) -> BTreeMap<String, String> {
    let entries = found.iter().filter(|(_, entry)| entry.key == key);
    entries
        .map(|(section, entry)| (section.clone(), entry.value.clone()))
        .collect()
}

fn read(host: &Host, profile: &str, depth: usize, found: &mut Vec<(String, ProfileEntry)>) {
    if depth > DEPTH_MAX || profile.contains('/') || profile.starts_with('.') {
        return;
    }
    let paths = DIRECTORIES
        .iter()
        .map(|directory| format!("{directory}/{profile}/tuned.conf"));
    let Some((file, text)) = paths
        .into_iter()
        .find_map(|path| Some((path.clone(), host.text(&path)?)))
    else {
        return;
    };
    let lines = ini(&text);
    let includes = lines
        .iter()
        .filter(|(section, key, ..)| section == "main" && key == "include");
    for (.., value, _) in includes {
        for included in value.split([',', ' ']).filter(|name| !name.is_empty()) {
            // A dash says that it may be missing.
            read(host, included.trim_start_matches('-'), depth + 1, found);
        }
    }
    for (section, key, value, line) in lines.into_iter().filter(|(section, ..)| section != "main") {
        let (plugin, devices) = (String::new(), String::new());
        let entry = ProfileEntry {
            plugin,
            devices,
            key,
            value,
            file: file.clone(),
            line,
        };
        found.retain(|(known, old)| !(*known == section && old.key == entry.key));
        found.push((section, entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_types_and_devices_and_loops_end() {
        let text = "iodyno-host 1\npath: /etc/tuned/a/tuned.conf\nlines: 7\n[main]\ninclude=b\n[fast]\ntype=disk\n\
            devices=nvme*\nelevator=none\nreplace=1\n\
            path: /usr/lib/tuned/profiles/b/tuned.conf\nlines: 4\n[main]\ninclude=a\n[sysctl]\nx.y=1\n";
        let host = Host::from_archive(host::Archive::parse(text).unwrap());
        let found = entries(&host, "a");
        let told: Vec<(&str, &str, &str)> = found
            .iter()
            .map(|e| (e.plugin.as_str(), e.devices.as_str(), e.key.as_str()))
            .collect();
        assert!(
            told.contains(&("disk", "nvme*", "elevator")) && told.contains(&("sysctl", "", "x.y")),
            "{told:?}"
        );
        assert_eq!(told.len(), 2);
    }
}
