//! udev's rules: read as udev finds them, and judged against the devices of a path as far as that is possible without
//! running them.

mod judge;
mod parse;

use super::claims::{Claim, Phase, Scene};
use super::config_files::{ConfigFile, drop_ins, shell_writes, sysctl_path};
use host::Host;
use judge::{Judge, JudgeSubject, Verdict, subjects};
use parse::{Rule, Token, parse};

/// Where rules are, the strongest first (udev(7)).
const DIRECTORIES: &[&str] = &[
    "/etc/udev/rules.d",
    "/run/udev/rules.d",
    "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d",
    "/lib/udev/rules.d",
];

/// What several claimants ask for: read once.
pub(super) struct Rules {
    files: Vec<ConfigFile>,
    subjects: Vec<JudgeSubject>,
}

/// The files that set attributes or run what might; all others cannot claim anything.
fn files(host: &Host) -> Vec<ConfigFile> {
    drop_ins(host, DIRECTORIES, ".rules")
        .into_iter()
        .filter(|file| may_claim(&file.text))
        .collect()
}

/// Whether any line of a file could set a setting of storage. Most files of a distribution only name devices.
pub(super) fn may_claim(text: &str) -> bool {
    text.lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .any(|line| {
            let sets = line.contains("ATTR{") && assigns(line);
            sets || line.contains("SYSCTL{")
                || line.contains("--setra")
                || line.contains("/sys/") && line.contains("RUN")
        })
}

/// Whether an `ATTR{…}` is followed by an assignment rather than a comparison.
fn assigns(line: &str) -> bool {
    line.match_indices("ATTR{").any(|(at, _)| {
        let rest = line[at..]
            .split_once('}')
            .map_or("", |(_, rest)| rest.trim_start());
        rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with(":=")
    })
}

/// The claims that the rules of some files have on the devices of the path.
pub(super) fn claims(scene: &Scene<'_>, wanted: impl Fn(&ConfigFile) -> bool) -> Vec<Claim> {
    let read = || Rules {
        files: files(scene.host),
        subjects: subjects(scene),
    };
    let all = scene.rules.get_or_init(read);
    let mut claims: Vec<Claim> = Vec::new();
    for (number, file) in all
        .files
        .iter()
        .enumerate()
        .filter(|(_, file)| wanted(file))
    {
        let rules = parse(&file.text);
        for subject in &all.subjects {
            // Lines of a file keep their order, and files the order of their names.
            claims.extend(of_file(scene, file, &rules, subject, number << 16));
        }
    }
    claims
}

fn of_file(
    scene: &Scene<'_>,
    file: &ConfigFile,
    rules: &[Rule],
    subject: &JudgeSubject,
    first: usize,
) -> Vec<Claim> {
    let mut judge = Judge::new(scene, subject);
    let mut claims = Vec::new();
    let mut at = 0;
    // A jump that may be taken makes what it jumps over a maybe.
    let mut doubtful_until: Option<String> = None;
    while let Some(rule) = rules.get(at) {
        at += 1;
        if doubtful_until.is_some() && rule.label() == doubtful_until.as_deref() {
            doubtful_until = None;
        }
        let verdict = judge.rule(rule);
        if verdict == Verdict::No {
            continue;
        }
        let doubt = match (&verdict, &doubtful_until) {
            (Verdict::Maybe(why), _) => Some(why.clone()),
            (_, Some(label)) => Some(format!("a jump to {label} before it")),
            _ => None,
        };
        let mut claim = |path: &str, value: &str| {
            for on in scene.settings_at(path) {
                claims.push(Claim {
                    on,
                    phase: Phase::Device,
                    sequence: first + rule.line,
                    place: format!("{}:{}", file.path, rule.line),
                    wants: subject.expand(value),
                    acts: acts(rule, doubt.as_deref()),
                });
            }
        };
        for token in &rule.tokens {
            assigned(token, subject)
                .iter()
                .for_each(|(path, value)| claim(path, value));
        }
        if doubt.is_none() {
            judge.remember(rule);
        }
        if let Some(label) = rule.jump() {
            match doubt {
                None => {
                    at += rules[at..]
                        .iter()
                        .position(|rule| rule.label() == Some(label))
                        .unwrap_or(0)
                }
                Some(_) => doubtful_until = Some(label.to_string()),
            }
        }
    }
    claims
}

/// What an assignment writes: paths and values.
fn assigned(token: &Token, subject: &JudgeSubject) -> Vec<(String, String)> {
    if !token.operator.assigns() {
        return Vec::new();
    }
    match (token.key.as_str(), token.attribute.as_deref()) {
        ("ATTR", Some(file)) => {
            vec![(format!("{}/{file}", subject.directory), token.value.clone())]
        }
        ("SYSCTL", Some(name)) => vec![(sysctl_path(name), token.value.clone())],
        ("RUN", _) => subject
            .expand(&token.value)
            .map(|command| shell_writes(&command))
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn acts(rule: &Rule, doubt: Option<&str>) -> String {
    let when = match rule.action() {
        Some(action) if !action.contains("change") => "when the device appears",
        Some(action) if !action.contains("add") && !action.contains('*') => {
            "when the device reports a change"
        }
        _ => "when the device appears or reports a change",
    };
    match doubt {
        Some(why) => format!("maybe {when}: depends on {why}"),
        None => when.to_string(),
    }
}

#[cfg(test)]
mod tests;
