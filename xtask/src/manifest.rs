//! The few lines of a Cargo.toml that the rules need. Reads the form that `cargo add` writes, not all of TOML.

use crate::text::parent;

/// A cargo package.
#[derive(Debug, Default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The path of its Cargo.toml.
    pub manifest: String,
    /// What it depends on.
    pub dependencies: Vec<Dependency>,
    /// The source files that targets name with `path =`, relative to the package.
    pub target_paths: Vec<String>,
}

/// One line of a dependency table.
#[derive(Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The package's own name, also when it is renamed here.
    pub name: String,
    /// The line in the manifest.
    pub line: usize,
    /// True when only tests, examples and benchmarks use it.
    pub dev: bool,
}

impl Package {
    /// Reads a manifest; nothing when it declares no package, as a workspace's does not.
    pub fn read(path: &str, text: &str) -> Option<Self> {
        let mut package = Self {
            manifest: path.into(),
            ..Self::default()
        };
        let mut table = String::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                table = header.trim_matches(['[', ']']).to_string();
                package.dependencies.extend(own_table(&table, index + 1));
            } else if !line.starts_with('#') {
                package.take(&table, line, index + 1);
            }
        }
        (!package.name.is_empty()).then_some(package)
    }

    /// The folder of the package, empty at the workspace root.
    pub fn folder(&self) -> &str {
        parent(&self.manifest)
    }

    fn take(&mut self, table: &str, line: &str, number: usize) {
        let Some((key, value)) = line.split_once('=') else {
            return;
        };
        let key = key.trim().split('.').next().unwrap_or("");
        match (table, key) {
            ("package", "name") => self.name = quoted(value).into(),
            ("lib" | "bin" | "test" | "bench" | "example", "path") => {
                self.target_paths.push(quoted(value).into())
            }
            _ if is_dependency_table(table) => {
                let renamed = value.split_once("package =").map(|(_, name)| quoted(name));
                let name = renamed.unwrap_or(key).to_string();
                self.dependencies.push(Dependency {
                    name,
                    line: number,
                    dev: is_dev(table),
                });
            }
            _ => {}
        }
    }
}

/// `[dependencies.host]`, the long form.
fn own_table(table: &str, line: usize) -> Option<Dependency> {
    let (above, name) = table.rsplit_once('.')?;
    is_dependency_table(above).then(|| Dependency {
        name: name.into(),
        line,
        dev: is_dev(above),
    })
}

fn is_dependency_table(table: &str) -> bool {
    table != "workspace.dependencies" && table.ends_with("dependencies")
}

fn is_dev(table: &str) -> bool {
    table.ends_with("dev-dependencies")
}

fn quoted(value: &str) -> &str {
    value.split('"').nth(1).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
[package]
name = \"probe\"
version.workspace = true

[[bin]]
name = \"x\"
path = \"src/x.rs\"

# model = \"1\"
[dependencies]
host.workspace = true
machine = { package = \"model\", path = \"../model\" }

[dependencies.aya]
version = \"0.14\"

[target.'cfg(unix)'.dev-dependencies]
simulator = { path = \"../simulator\" }
";

    #[test]
    fn dependencies_are_read_in_each_of_their_forms() {
        let package = Package::read("crates/ground/probe/Cargo.toml", MANIFEST).unwrap();
        assert_eq!(
            (package.name.as_str(), package.folder()),
            ("probe", "crates/ground/probe")
        );
        assert_eq!(package.target_paths, ["src/x.rs"]);
        let read: Vec<_> = package
            .dependencies
            .iter()
            .map(|d| (d.name.as_str(), d.line, d.dev))
            .collect();
        assert_eq!(
            read,
            [
                ("host", 11, false),
                ("model", 12, false),
                ("aya", 14, false),
                ("simulator", 18, true)
            ]
        );
    }

    #[test]
    fn a_workspace_is_not_a_package() {
        let text = "[workspace]\nmembers = [\"a\"]\n[workspace.dependencies]\nserde = \"1\"\n";
        assert!(Package::read("Cargo.toml", text).is_none());
    }
}
