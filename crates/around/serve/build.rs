//! Writes the table of the pages' files, which are built ahead into `web/dist`, so that building this needs no Node.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads the source tree"
)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let dist = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
        .join("../../../web/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut names = Vec::new();
    collect(&dist, "", &mut names);
    names.sort();
    let mut text =
        String::from("/// Every file by its name.\nstatic ASSETS: &[(&str, &[u8])] = &[\n");
    for name in names {
        let path = dist.join(&name);
        // Writing into a text cannot fail.
        let _ = writeln!(text, "    ({name:?}, include_bytes!({path:?})),");
    }
    text.push_str("];\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("assets.rs");
    if let Err(error) = std::fs::write(&out, text) {
        println!("cargo::error={}: {error}", out.display());
    }
}

fn collect(directory: &Path, before: &str, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => collect(&entry.path(), &format!("{name}/"), names),
            false => names.push(name),
        }
    }
}
