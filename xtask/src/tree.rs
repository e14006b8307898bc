//! The files of the repository, as rules and the book see them.

use crate::manifest::Package;
use crate::problem::Failure;
use crate::rust_source::RustSource;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Every file that git tracks or would track, by its path from the workspace root.
pub struct Tree {
    /// Nothing for a file that is not text.
    texts: BTreeMap<String, Option<String>>,
    /// The Rust files, read.
    rust: BTreeMap<String, RustSource>,
}

impl Tree {
    /// Asks git for the files of a checkout and reads them.
    pub fn read(root: &Path) -> Result<Self, Failure> {
        let paths = git_files(root)?;
        let present = paths.into_iter().filter(|path| root.join(path).is_file());
        let texts = present.map(|path| match std::fs::read(root.join(&path)) {
            Ok(bytes) => Ok((path, String::from_utf8(bytes).ok())),
            Err(error) => Err(Failure::io(path, &error)),
        });
        Ok(Self::new(texts.collect::<Result<_, _>>()?))
    }

    /// A tree of the files given in a test.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        Self::new(
            files
                .iter()
                .map(|(path, text)| (path.to_string(), Some(text.to_string())))
                .collect(),
        )
    }

    fn new(texts: BTreeMap<String, Option<String>>) -> Self {
        let rust = texts.iter().filter(|(path, _)| path.ends_with(".rs"));
        let rust = rust
            .filter_map(|(path, text)| Some((path.clone(), RustSource::new(text.as_ref()?))))
            .collect();
        Self { texts, rust }
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Every path, of text or not.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// Every file that is text.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts
            .iter()
            .filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// The text of one file; nothing for one that is absent or no text.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path)?.as_deref()
    }

    /// The Markdown files.
    pub fn markdown(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(|(path, _)| path.ends_with(".md"))
    }

    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &RustSource)> {
        self.rust
            .iter()
            .map(|(path, source)| (path.as_str(), source))
    }

    /// One Rust file.
    pub fn rust_file(&self, path: &str) -> Option<&RustSource> {
        self.rust.get(path)
    }

    /// True for a file, and for a folder that holds one.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.texts.contains_key(path)
            || self.paths().any(|file| file.starts_with(&folder))
    }

    /// The cargo packages, by their manifests.
    pub fn packages(&self) -> Vec<Package> {
        let manifests = self
            .texts()
            .filter(|(path, _)| *path == "Cargo.toml" || path.ends_with("/Cargo.toml"));
        manifests
            .filter_map(|(path, text)| Package::read(path, text))
            .collect()
    }
}

fn git_files(root: &Path) -> Result<Vec<String>, Failure> {
    let arguments = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output();
    let output =
        output.map_err(|error| Failure::io("cannot run git, which lists the files", &error))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::Broken(format!(
            "git ls-files in {}: {}",
            root.display(),
            complaint.trim()
        )));
    }
    let listed = String::from_utf8_lossy(&output.stdout);
    Ok(listed
        .split('\0')
        .filter(|path| !path.is_empty())
        .map(String::from)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_exist_by_what_they_hold() {
        let tree = Tree::of(&[("docs/guide/start.md", "")]);
        assert!(
            tree.has("docs")
                && tree.has("docs/guide")
                && tree.has("docs/guide/start.md")
                && tree.has("")
        );
        assert!(!tree.has("docs/gui"));
    }

    #[test]
    fn git_lists_what_is_tracked_and_what_would_be() {
        let root = std::env::temp_dir().join(format!("xtask-tree-{}", std::process::id()));
        std::fs::create_dir_all(root.join("target")).unwrap();
        for (path, text) in [
            (".gitignore", "/target/\n"),
            ("new.rs", "//! New.\n"),
            ("target/built.rs", ""),
        ] {
            std::fs::write(root.join(path), text).unwrap();
        }
        std::fs::write(root.join("image.png"), [0xff, 0xfe]).unwrap();
        let started = Command::new("git")
            .args(["init", "--quiet"])
            .arg(&root)
            .status()
            .unwrap();
        let tree = Tree::read(&root).unwrap();
        std::fs::remove_dir_all(root).unwrap();
        assert!(started.success());
        assert_eq!(
            tree.paths().collect::<Vec<_>>(),
            [".gitignore", "image.png", "new.rs"]
        );
        assert_eq!(tree.texts().count(), 2);
    }
}
