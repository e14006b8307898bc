//! The stages of the pipeline use each other only where the loop needs it, and some of them never touch a machine.

use super::modules::{reachable, test_ranges};
use super::tree::Tree;
use crate::problem::Problem;
use crate::rust_source::RustSource;
use crate::text::{find_word, leading_name, line_of};

const PIPELINE: &str = "crates/pipeline/src/";

/// One stage, and what it may use.
struct Stage {
    name: &'static str,
    /// Other stages.
    uses: &'static [&'static str],
    /// Which of its files may use the crates that reach a machine.
    machine: Machine,
}

/// Where in a stage the crates `host` and `probe` may be named.
enum Machine {
    Everywhere,
    /// In these files and nowhere else: the rest computes from what it is given.
    Only(&'static [&'static str]),
}

const STAGES: &[Stage] = &[
    Stage {
        name: "inventory",
        uses: &[],
        machine: Machine::Everywhere,
    },
    Stage {
        name: "load",
        uses: &[],
        machine: Machine::Everywhere,
    },
    Stage {
        name: "observe",
        uses: &[],
        machine: Machine::Everywhere,
    },
    Stage {
        name: "analyse",
        uses: &[],
        machine: Machine::Only(&[]),
    },
    Stage {
        name: "diagnose",
        uses: &["analyse"],
        machine: Machine::Only(&[]),
    },
    Stage {
        name: "experiment",
        uses: &["load", "observe", "analyse", "apply"],
        machine: Machine::Only(&["drive.rs"]),
    },
    Stage {
        name: "apply",
        uses: &[],
        machine: Machine::Everywhere,
    },
    Stage {
        name: "report",
        uses: &[],
        machine: Machine::Only(&[]),
    },
];

/// The crates through which a machine is reached.
const MACHINE_CRATES: &[&str] = &["host", "probe"];

/// Uses of a stage or a crate that the table does not give. What only tests use is not held against a stage.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let reached = reachable(tree);
    let problems = tree.rust().flat_map(|(path, source)| {
        let tests = test_ranges(path, source, &reached);
        let found = stage_of(path)
            .map(|(stage, file)| problems(path, source, stage, file))
            .unwrap_or_default();
        let product = found
            .into_iter()
            .filter(move |(at, _)| !tests.iter().any(|range| range.contains(at)));
        product.map(|(_, problem)| problem)
    });
    problems.collect()
}

/// The stage that a file belongs to, and the file's path inside it.
fn stage_of(path: &str) -> Option<(&'static Stage, &str)> {
    let inside = path.strip_prefix(PIPELINE)?;
    let (first, rest) = inside
        .split_once('/')
        .unwrap_or((inside.trim_end_matches(".rs"), "mod.rs"));
    STAGES
        .iter()
        .find(|stage| stage.name == first)
        .map(|stage| (stage, rest))
}

fn problems(path: &str, source: &RustSource, stage: &Stage, file: &str) -> Vec<(usize, Problem)> {
    let mut found = foreign_stages(&source.code, stage, depth(file));
    if !stage.may_reach_a_machine(file) {
        found.extend(machine_uses(&source.code, stage));
    }
    let problem =
        |(at, what): (usize, String)| (at, Problem::new(path, line_of(&source.text, at), what));
    found.into_iter().map(problem).collect()
}

impl Stage {
    fn may_reach_a_machine(&self, file: &str) -> bool {
        match self.machine {
            Machine::Everywhere => true,
            Machine::Only(files) => files.contains(&file),
        }
    }

    fn complaint(&self, other: &str) -> Option<String> {
        let is_foreign = other != self.name && STAGES.iter().any(|stage| stage.name == other);
        let allowed = if self.uses.is_empty() {
            "no other stage".into()
        } else {
            self.uses.join(", ")
        };
        let what = format!(
            "{} uses {other}, it may use {allowed}; pass what it needs as a value",
            self.name
        );
        (is_foreign && !self.uses.contains(&other)).then_some(what)
    }
}

/// How many `super::` lead from a file of a stage to the root of the crate.
fn depth(file: &str) -> usize {
    let folders = file.matches('/').count();
    if file.ends_with("mod.rs") {
        folders + 1
    } else {
        folders + 2
    }
}

fn foreign_stages(code: &str, stage: &Stage, depth: usize) -> Vec<(usize, String)> {
    let up = "super::".repeat(depth);
    let from_crate =
        find_word(code, "crate").filter_map(|at| Some((at, code[at..].strip_prefix("crate::")?)));
    let from_super = find_word(code, "super").filter(|at| !code[..*at].ends_with("::"));
    let from_super = from_super.filter_map(|at| Some((at, code[at..].strip_prefix(&up)?)));
    let named = from_crate
        .chain(from_super)
        .flat_map(|(at, rest)| leading_names(rest).into_iter().map(move |n| (at, n)));
    named
        .filter_map(|(at, name)| Some((at, stage.complaint(name)?)))
        .collect()
}

/// The names that a path goes on with: one, or the first of each branch of `{a::b, c}`.
fn leading_names(rest: &str) -> Vec<&str> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![leading_name(rest)];
    };
    let (mut names, mut depth, mut start) = (vec![leading_name(group.trim_start())], 1u32, None);
    for (index, byte) in group.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 1 => start = Some(index + 1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        names.extend(
            start
                .take()
                .map(|start| leading_name(group[start..].trim_start())),
        );
    }
    names
}

fn machine_uses(code: &str, stage: &Stage) -> Vec<(usize, String)> {
    let what = |name: &str| {
        format!(
            "{} must not name {name} here, it computes from what it is given",
            stage.name
        )
    };
    let uses = MACHINE_CRATES
        .iter()
        .flat_map(|name| find_word(code, name).map(move |at| (at, *name)));
    let crates = uses.filter(|(at, name)| names_a_crate(&code[..*at], &code[at + name.len()..]));
    crates.map(|(at, name)| (at, what(name))).collect()
}

/// True when a name between these two texts is that of a crate, not of a variable, a field or an inner module.
fn names_a_crate(before: &str, after: &str) -> bool {
    let outside = before.strip_suffix("::").unwrap_or(before);
    let is_first = outside == before
        || !outside.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'));
    is_first && (after.starts_with("::") || outside.trim_end().ends_with("use"))
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn found(file: &str, text: &str) -> Vec<String> {
        printed(
            super::check,
            &[(&format!("crates/pipeline/src/{file}"), text)],
        )
    }

    #[test]
    fn a_stage_may_use_itself_and_what_the_table_gives() {
        assert!(
            found(
                "diagnose/rules/a.rs",
                "use crate::analyse::mean;\nuse crate::diagnose::Rule;"
            )
            .is_empty()
        );
        assert!(found("experiment/trial.rs", "use crate::{apply, load::Engine};").is_empty());
        assert!(found("lib.rs", "pub use crate::report::render; use host::Host;").is_empty());
    }

    #[test]
    fn a_stage_may_not_use_another() {
        let line = "crates/pipeline/src/observe/mod.rs:1: observe uses load, it may use no other stage; \
                    pass what it needs as a value";
        assert_eq!(found("observe/mod.rs", "use crate::load::Engine;"), [line]);
        assert_eq!(
            found(
                "observe/sensors/a.rs",
                "use crate::{observe::{self, x}, load::Engine, apply};"
            )
            .len(),
            2
        );
        assert_eq!(
            found("observe/sensors/a.rs", "use super::super::super::load;").len(),
            1
        );
        assert_eq!(found("observe/mod.rs", "use super::load;").len(), 1);
    }

    #[test]
    fn a_name_inside_the_stage_is_not_another_stage() {
        assert!(
            found(
                "experiment/plan.rs",
                "super::report(); super::super::load::x();"
            )
            .is_empty()
        );
        assert!(
            found(
                "observe/a.rs",
                "// crate::load\nconst A: &str = \"crate::load\";"
            )
            .is_empty()
        );
    }

    #[test]
    fn pure_stages_do_not_reach_a_machine() {
        assert_eq!(found("analyse/mod.rs", "use host::Host;").len(), 1);
        assert_eq!(
            found("report/formats/text.rs", "fn a() { ::host::now() }").len(),
            1
        );
        assert_eq!(found("experiment/plan.rs", "use host;").len(), 1);
        assert!(found("experiment/drive.rs", "use host::Host;").is_empty());
        assert!(found("inventory/mod.rs", "use host::Host;").is_empty());
    }

    #[test]
    fn what_is_only_called_host_is_not_the_crate() {
        assert!(
            found(
                "analyse/mod.rs",
                "use model::host::Name; fn a(host: &str) { record.host.len(); }"
            )
            .is_empty()
        );
    }

    #[test]
    fn tests_may_use_more() {
        assert!(
            found(
                "report/mod.rs",
                "#[cfg(test)]\nmod tests { use crate::load; use host::Host; }"
            )
            .is_empty()
        );
    }
}
