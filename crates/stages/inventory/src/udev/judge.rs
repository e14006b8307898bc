//! Whether a rule applies to a device: yes, no, or maybe, with what the answer depends on.

use super::parse::{Operator, Rule, Token};
use crate::claims::Scene;
use crate::{device, glob};
use std::collections::BTreeMap;

/// More devices above one than any bus has.
const PARENTS_MAX: usize = 32;

/// A device that udev handles: a block device of the path, or one that it hangs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JudgeSubject {
    /// Its directory in /sys.
    pub directory: String,
    /// Its subsystem.
    pub subsystem: String,
    /// What udev stored of it: `E:` lines; none where udev did not handle it.
    stored: Option<BTreeMap<String, String>>,
    tags: Vec<String>,
}

/// How a rule stands to a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Yes,
    No,
    /// What decides it.
    Maybe(String),
}

impl JudgeSubject {
    /// Its kernel name.
    pub fn name(&self) -> &str {
        self.directory.rsplit('/').next().unwrap_or_default()
    }

    /// A value with the substitutions that are known without running udev; none where others are in it.
    pub fn expand(&self, value: &str) -> Option<String> {
        let name = self.name().replace('!', "/");
        let number: String = {
            let digits = name.chars().rev().take_while(char::is_ascii_digit).count();
            name[name.len() - digits..].to_string()
        };
        let known: [(&str, &str); 10] = [
            ("$kernel", name.as_str()),
            ("%k", &name),
            ("$devnode", &format!("/dev/{name}")),
            ("%N", &format!("/dev/{name}")),
            ("$number", &number),
            ("%n", &number),
            ("$sys", "/sys"),
            ("%S", "/sys"),
            (
                "$devpath",
                self.directory
                    .strip_prefix("/sys")
                    .unwrap_or(&self.directory),
            ),
            (
                "%p",
                self.directory
                    .strip_prefix("/sys")
                    .unwrap_or(&self.directory),
            ),
        ];
        let expanded = known.iter().fold(value.to_string(), |text, (sign, with)| {
            text.replace(sign, with)
        });
        let plain = expanded.replace("%%", "").replace("$$", "");
        (!plain.contains(['%', '$'])).then_some(expanded)
    }
}

/// The devices of the path, what they hang on and their backing device infos, each once.
pub(crate) fn subjects(scene: &Scene<'_>) -> Vec<JudgeSubject> {
    let mut subjects: Vec<JudgeSubject> = Vec::new();
    let mut add = |subject: JudgeSubject| {
        if !subjects
            .iter()
            .any(|known| known.directory == subject.directory)
        {
            subjects.push(subject);
        }
    };
    for device in &scene.devices {
        add(subject(
            scene,
            &device.directory,
            "block",
            Some(&device.devno),
        ));
        for parent in parents(&device.directory).skip(1) {
            if let Some(subsystem) = subsystem(scene, &parent) {
                add(subject(scene, &parent, &subsystem, None));
                // The SCSI host is a class device below the host; link power management is its attribute.
                let host = parent.rsplit('/').next().unwrap_or_default();
                let class = format!("{parent}/scsi_host/{host}");
                if host.starts_with("host") && scene.host.exists(&class) {
                    add(subject(scene, &class, "scsi_host", None));
                }
            }
        }
    }
    let infos = scene
        .path
        .root
        .walk()
        .into_iter()
        .flat_map(|layer| &layer.settings);
    let infos = infos.filter_map(|setting| {
        setting
            .path
            .strip_prefix("/sys/class/bdi/")?
            .split('/')
            .next()
    });
    for info in infos {
        let class = format!("/sys/class/bdi/{info}");
        let directory = scene.host.resolve(&class).unwrap_or(class);
        add(subject(scene, &directory, "bdi", None));
    }
    subjects
}

fn subject(
    scene: &Scene<'_>,
    directory: &str,
    subsystem: &str,
    devno: Option<&str>,
) -> JudgeSubject {
    let stored = devno.and_then(|devno| scene.text(&format!("/run/udev/data/b{devno}")));
    let properties = |text: &str| {
        let property = |line: &str| line.strip_prefix("E:")?.split_once('=').map(owned);
        text.lines()
            .filter_map(property)
            .collect::<BTreeMap<_, _>>()
    };
    let tags = stored
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.strip_prefix("G:"));
    let tags = tags.map(str::to_string).collect();
    let mut stored = stored.as_deref().map(properties);
    let uevent = scene
        .text(&format!("{directory}/uevent"))
        .unwrap_or_default();
    if let Some(stored) = &mut stored {
        stored.extend(
            uevent
                .lines()
                .filter_map(|line| line.split_once('=').map(owned)),
        );
    }
    JudgeSubject {
        directory: directory.to_string(),
        subsystem: subsystem.to_string(),
        stored,
        tags,
    }
}

fn owned((key, value): (&str, &str)) -> (String, String) {
    (key.to_string(), value.to_string())
}

/// A directory and those above it, down to the bus.
fn parents(directory: &str) -> impl Iterator<Item = String> + use<> {
    let above = |path: &String| {
        let parent = path.rsplit_once('/')?.0;
        (parent.matches('/').count() > 2).then(|| parent.to_string())
    };
    std::iter::successors(Some(directory.to_string()), above).take(PARENTS_MAX)
}

fn subsystem(scene: &Scene<'_>, directory: &str) -> Option<String> {
    device::link_name(scene.host, &format!("{directory}/subsystem"))
}

/// Judges the rules of a file in their order for one device.
pub(super) struct Judge<'a> {
    scene: &'a Scene<'a>,
    subject: &'a JudgeSubject,
    /// Properties that rules before have set.
    set: BTreeMap<String, String>,
}

impl<'a> Judge<'a> {
    pub fn new(scene: &'a Scene<'a>, subject: &'a JudgeSubject) -> Self {
        Judge {
            scene,
            subject,
            set: BTreeMap::new(),
        }
    }

    /// Takes over what a rule that applies sets.
    pub fn remember(&mut self, rule: &Rule) {
        for token in rule
            .tokens
            .iter()
            .filter(|token| token.key == "ENV" && token.operator.assigns())
        {
            if let (Some(name), Some(value)) = (&token.attribute, self.subject.expand(&token.value))
            {
                self.set.insert(name.clone(), value);
            }
        }
    }

    /// How a rule stands to the device.
    pub fn rule(&self, rule: &Rule) -> Verdict {
        let mut doubt: Option<String> = None;
        let (of_parents, own): (Vec<&Token>, Vec<&Token>) = rule
            .tokens
            .iter()
            .filter(|token| {
                !token.operator.assigns() || token.key == "PROGRAM" || token.key == "IMPORT"
            })
            .partition(|token| {
                matches!(
                    token.key.as_str(),
                    "KERNELS" | "SUBSYSTEMS" | "DRIVERS" | "ATTRS" | "TAGS"
                )
            });
        for token in own {
            match self.token(token) {
                Some(true) => {}
                Some(false) => return Verdict::No,
                None => doubt = doubt.or_else(|| Some(name(token))),
            }
        }
        if !of_parents.is_empty() {
            match self.parents(&of_parents) {
                Some(true) => {}
                Some(false) => return Verdict::No,
                None => doubt = doubt.or_else(|| Some(name(of_parents[0]))),
            }
        }
        doubt.map_or(Verdict::Yes, Verdict::Maybe)
    }

    fn token(&self, token: &Token) -> Option<bool> {
        let compare = |text: &str| {
            let matched = glob::matches_any(&token.value, text);
            matched == (token.operator == Operator::Equal)
        };
        let attribute = token.attribute.as_deref();
        match token.key.as_str() {
            // Whatever happens to a device that is there, it appeared or changed.
            "ACTION" => Some(compare("add") || compare("change")),
            "KERNEL" => Some(compare(self.subject.name())),
            "SUBSYSTEM" => Some(compare(&self.subject.subsystem)),
            "DEVPATH" => Some(compare(
                self.subject
                    .directory
                    .strip_prefix("/sys")
                    .unwrap_or_default(),
            )),
            "DRIVER" => Some(compare(&self.driver(&self.subject.directory))),
            "ATTR" => self
                .attribute(&self.subject.directory, attribute?)
                .map(|text| text.is_some_and(|t| compare(&t))),
            "ENV" => self.property(attribute?).map(|text| compare(&text)),
            "TAG" => self.subject.stored.as_ref().map(|_| {
                let found = self
                    .subject
                    .tags
                    .iter()
                    .any(|tag| glob::matches_any(&token.value, tag));
                found == (token.operator == Operator::Equal)
            }),
            "TEST" => Some(self.exists(&token.value) == (token.operator == Operator::Equal)),
            // What it imports is in what udev stored; that it succeeds is the rule.
            "IMPORT" => Some(true),
            _ => None,
        }
    }

    /// An attribute whose file is not there never matches, whatever it is compared with; outside is that it cannot be
    /// read or is part of another device.
    fn attribute(&self, directory: &str, file: &str) -> Option<Option<String>> {
        if file.starts_with('[') || file.contains(['$', '%']) {
            return None;
        }
        Some(
            self.scene
                .text(&format!("{directory}/{file}"))
                .map(|text| text.trim_end().to_string()),
        )
    }

    fn property(&self, name: &str) -> Option<String> {
        if let Some(value) = self.set.get(name) {
            return Some(value.clone());
        }
        let stored = self.subject.stored.as_ref()?;
        match name {
            "SUBSYSTEM" => Some(self.subject.subsystem.clone()),
            "ACTION" => None,
            // A dot says that udev does not store it.
            name if name.starts_with('.') => None,
            name => Some(stored.get(name).cloned().unwrap_or_default()),
        }
    }

    fn exists(&self, path: &str) -> bool {
        match path.starts_with('/') {
            true => self.scene.host.exists(path),
            false => self
                .scene
                .host
                .exists(&format!("{}/{path}", self.subject.directory)),
        }
    }

    fn driver(&self, directory: &str) -> String {
        device::link_name(self.scene.host, &format!("{directory}/driver")).unwrap_or_default()
    }

    /// All keys about parents have to match one and the same device, which may be the device itself.
    fn parents(&self, tokens: &[&Token]) -> Option<bool> {
        let mut undecided = false;
        for directory in parents(&self.subject.directory) {
            let all: Vec<Option<bool>> = tokens
                .iter()
                .map(|token| self.parent(&directory, token))
                .collect();
            if all.iter().all(|one| *one == Some(true)) {
                return Some(true);
            }
            undecided |= all.iter().all(|one| *one != Some(false));
        }
        if undecided { None } else { Some(false) }
    }

    fn parent(&self, directory: &str, token: &Token) -> Option<bool> {
        let compare = |text: &str| {
            let matched = glob::matches_any(&token.value, text);
            matched == (token.operator == Operator::Equal)
        };
        match token.key.as_str() {
            "KERNELS" => Some(compare(directory.rsplit('/').next().unwrap_or_default())),
            "SUBSYSTEMS" => Some(compare(&subsystem(self.scene, directory)?)),
            "DRIVERS" => Some(compare(&self.driver(directory))),
            "ATTRS" => {
                let text = self.attribute(directory, token.attribute.as_deref()?)?;
                Some(text.is_some_and(|text| compare(&text)))
            }
            _ => None,
        }
    }
}

/// A condition as it stands in the rule.
fn name(token: &Token) -> String {
    let attribute = token
        .attribute
        .as_ref()
        .map(|name| format!("{{{name}}}"))
        .unwrap_or_default();
    format!("{}{attribute}", token.key)
}
