//! Packages use each other in one direction: `iodyno → serve → page → store → compare → pipeline → imports → probe → host → model`.

use super::manifest::{Dependency, Package};
use super::tree::Tree;
use crate::problem::Problem;

/// The layers from the top down. Each may use any that stands further on.
const LAYERS: &[&str] = &[
    "iodyno", "serve", "page", "store", "compare", "pipeline", "imports", "probe", "host", "model",
];

/// Dependencies of a layer on one above it, and dependencies on a package that only serves the
/// work on the product: benchmarks, the simulator, this one. Those may use each other.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let packages = tree.packages();
    let is_ours = |dependency: &&Dependency| {
        packages
            .iter()
            .any(|package| package.name == dependency.name)
    };
    let problems = packages.iter().flat_map(|package| {
        let ours = package.dependencies.iter().filter(is_ours);
        ours.filter_map(|dependency| problem(package, dependency))
    });
    problems.collect()
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == name)
}

fn problem(package: &Package, dependency: &Dependency) -> Option<Problem> {
    let what = match (layer(&package.name), layer(&dependency.name)) {
        (Some(_), None) if !dependency.dev => format!(
            "{} depends on {}, which is no part of the product; only a dev-dependency on it is allowed",
            package.name, dependency.name
        ),
        (Some(user), Some(used)) if used <= user => format!(
            "{} depends on {}, against the direction {}; move what both need further down",
            package.name,
            dependency.name,
            LAYERS.join(" → ")
        ),
        _ => return None,
    };
    Some(Problem::new(&package.manifest, dependency.line, what))
}

#[cfg(test)]
mod tests {
    use super::super::printed;

    fn manifest(name: &str, rest: &str) -> String {
        format!("[package]\nname = \"{name}\"\n{rest}\n")
    }

    fn problems(pipeline: &str, model: &str) -> Vec<String> {
        let files = [
            ("crates/pipeline/Cargo.toml", manifest("pipeline", pipeline)),
            ("crates/model/Cargo.toml", manifest("model", model)),
            (
                "bench/Cargo.toml",
                manifest(
                    "bench",
                    "[dependencies]\npipeline.workspace = true\nsimulator.workspace = true",
                ),
            ),
            ("simulator/Cargo.toml", manifest("simulator", "")),
        ];
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        printed(super::check, &files)
    }

    #[test]
    fn downward_and_foreign_dependencies_are_fine() {
        let down = "[dependencies]\nmodel.workspace = true\nserde = \"1\"\n[dev-dependencies]\nbench.workspace = true";
        assert!(problems(down, "").is_empty());
    }

    #[test]
    fn upward_dependencies_are_not() {
        let found = problems("", "[dependencies]\npipeline.workspace = true");
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("crates/model/Cargo.toml:4: model depends on pipeline, against"),
            "{found:?}"
        );
    }

    #[test]
    fn packages_outside_the_layers_serve_tests_only() {
        let found = problems("[dependencies]\nbench.workspace = true", "");
        assert!(
            found[0].contains("pipeline depends on bench, which is no part of the product"),
            "{found:?}"
        );
    }
}
