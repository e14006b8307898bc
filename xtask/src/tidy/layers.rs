//! Packages use each other in one direction, `iodyno → around → stages → ground`, and stages do not use each other.
//!
//! A package's manifest says whom it uses, so the compiler keeps the rest: what is not named there cannot be called,
//! and cargo refuses circles.

use crate::manifest::{Dependency, Package};
use crate::problem::Problem;
use crate::tree::Tree;
use std::collections::BTreeSet;

/// The folders of the product from the ground up. A package uses those of its own folder or of one below.
const FOLDERS: &[&str] = &[
    "crates/ground/",
    "crates/stages/",
    "crates/around/",
    "crates/iodyno",
];
const STAGES: &str = "crates/stages/";

/// What a stage may use that the folders forbid: the user, whom it uses, and why.
const ALLOWED: &[(&str, &str)] = &[
    // Causes and rules rest on knees, plateaus and cliffs, which are plain arithmetic.
    ("diagnose", "analyse"),
    // The fio engine reads what its fio prints with the reader of the importer.
    ("load", "imports"),
];

/// Packages that compute from what they are given: whatever they use, no way leads to a machine.
const PURE: &[&str] = &[
    "model",
    "view",
    "stats",
    "simulator",
    "imports",
    "analyse",
    "diagnose",
    "experiment",
    "report",
    "compare",
    "fleet",
    "kube",
    "page",
];
/// The packages through which a machine is reached.
const MACHINE: &[&str] = &["host", "probe"];

/// Dependencies against the direction, on packages that only serve the work on the product (benchmarks, the
/// lab, this one: those may use each other), and of pure packages on a machine.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let packages = tree.packages();
    let find = |name: &str| packages.iter().find(|package| package.name == name);
    let mut problems = Vec::new();
    for package in &packages {
        for dependency in &package.dependencies {
            let what = find(&dependency.name).and_then(|used| direction(package, used, dependency));
            problems
                .extend(what.map(|what| Problem::new(&package.manifest, dependency.line, what)));
        }
        problems.extend(machine(package, &packages));
    }
    problems
}

fn floor(package: &Package) -> Option<usize> {
    let folder = package.folder();
    FOLDERS.iter().position(|floor| folder.starts_with(floor))
}

/// What is wrong with a dependency of a package on another of the workspace.
fn direction(user: &Package, used: &Package, dependency: &Dependency) -> Option<String> {
    let from = floor(user)?;
    let (name, other) = (&user.name, &used.name);
    let is_allowed = dependency.dev || ALLOWED.contains(&(name.as_str(), other.as_str()));
    if is_allowed {
        return None;
    }
    match floor(used) {
        None => Some(format!(
            "{name} depends on {other}, which is no part of the product; only a dev-dependency on it is allowed"
        )),
        Some(to) if to > from => Some(format!(
            "{name} depends on {other}, against the direction iodyno → around → stages → ground; \
             move what both need further down"
        )),
        Some(to) if to == from && user.folder().starts_with(STAGES) => Some(format!(
            "{name} depends on {other}, and stages do not use each other; pass what it needs as a value"
        )),
        Some(_) => None,
    }
}

/// The dependency through which a pure package reaches a machine.
fn machine(package: &Package, packages: &[Package]) -> Option<Problem> {
    if !PURE.contains(&package.name.as_str()) {
        return None;
    }
    let mut seen = BTreeSet::new();
    let dependency =
        product(package).find(|dependency| reaches(&dependency.name, packages, &mut seen))?;
    let what = format!(
        "{} must not reach a machine, and {} does; it computes from what it is given",
        package.name, dependency.name
    );
    Some(Problem::new(&package.manifest, dependency.line, what))
}

/// Whether a package is a way to the machine, or uses one that is.
fn reaches(name: &str, packages: &[Package], seen: &mut BTreeSet<String>) -> bool {
    if MACHINE.contains(&name) {
        return true;
    }
    if !seen.insert(name.into()) {
        return false;
    }
    let package = packages.iter().find(|package| package.name == name);
    package.is_some_and(|package| {
        product(package).any(|dependency| reaches(&dependency.name, packages, seen))
    })
}

/// What the package itself depends on, not its tests.
fn product(package: &Package) -> impl Iterator<Item = &Dependency> {
    package
        .dependencies
        .iter()
        .filter(|dependency| !dependency.dev)
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    /// What is found when the package at `path` has these dependencies.
    fn found(path: &str, dependencies: &str) -> Vec<String> {
        let name = path.rsplit('/').next().unwrap();
        let mut manifests = vec![(path, name, dependencies)];
        let others = [
            ("crates/ground/model", "model", ""),
            ("crates/ground/host", "host", "model"),
            ("crates/stages/analyse", "analyse", "model"),
            ("crates/stages/load", "load", "host"),
            ("crates/around/store", "store", "model host"),
            ("bench/kit", "kit", ""),
        ];
        manifests.extend(others.into_iter().filter(|other| other.0 != path));
        let files: Vec<(String, String)> = manifests.into_iter().map(manifest).collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        printed(super::check, &files)
    }

    fn manifest((path, name, dependencies): (&str, &str, &str)) -> (String, String) {
        let mut text = format!("[package]\nname = \"{name}\"\n");
        let mut table = "";
        for word in dependencies.split_whitespace() {
            let (here, name) = match word.strip_prefix("dev:") {
                Some(name) => ("dev-dependencies", name),
                None => ("dependencies", word),
            };
            if here != table {
                text.push_str(&format!("[{here}]\n"));
                table = here;
            }
            text.push_str(&format!("{name}.workspace = true\n"));
        }
        (format!("{path}/Cargo.toml"), text)
    }

    #[test]
    fn downward_and_foreign_dependencies_are_fine() {
        assert!(
            found(
                "crates/stages/observe",
                "model host serde dev:kit dev:analyse"
            )
            .is_empty()
        );
        assert!(found("crates/around/tuner", "store load analyse").is_empty());
        assert!(found("bench/engine", "load kit").is_empty());
    }

    #[test]
    fn upward_dependencies_are_not() {
        assert_eq!(
            found("crates/ground/model", "analyse"),
            [
                "crates/ground/model/Cargo.toml:4: model depends on analyse, against the direction \
              iodyno → around → stages → ground; move what both need further down"
            ]
        );
        assert_eq!(found("crates/stages/load", "host store").len(), 1);
    }

    #[test]
    fn stages_do_not_use_each_other_but_where_it_is_said() {
        let found_one = found("crates/stages/observe", "analyse");
        assert!(
            found_one[0].contains("stages do not use each other"),
            "{found_one:?}"
        );
        assert!(found("crates/stages/diagnose", "analyse").is_empty());
    }

    #[test]
    fn a_pure_package_reaches_no_machine_on_any_way() {
        let direct = found("crates/stages/report", "host");
        assert!(
            direct[0].contains("report must not reach a machine, and host does"),
            "{direct:?}"
        );
        let round = found("crates/around/compare", "analyse store");
        assert!(
            round[0].contains("compare must not reach a machine, and store does"),
            "{round:?}"
        );
        assert!(found("crates/stages/report", "model dev:host").is_empty());
    }

    #[test]
    fn packages_outside_the_product_serve_tests_only() {
        let found = found("crates/stages/load", "kit");
        assert!(
            found[0].contains("load depends on kit, which is no part of the product"),
            "{found:?}"
        );
    }
}
