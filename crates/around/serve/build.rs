//! Packs what the program carries for its pages: the files of `web/dist`, which are built ahead so that building this needs no Node, and
//! the description of the interface.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads the source tree"
)]

use std::fmt::Write as _;
use std::io::{Result, Write as _};
use std::path::{Path, PathBuf};

fn main() {
    let directory = |name| PathBuf::from(std::env::var_os(name).unwrap_or_default());
    let root = directory("CARGO_MANIFEST_DIR").join("../../..");
    let out = directory("OUT_DIR");
    let made = assets(&root.join("web/dist"), &out).and_then(|()| {
        pack(
            &root.join("docs/openapi.json"),
            &out.join("openapi.json.zlib"),
        )
    });
    if let Err(error) = made {
        println!("cargo::error={}: {error}", out.display());
    }
}

/// Packs a file to a fifth of its size, or a tenth.
fn pack(from: &Path, to: &Path) -> Result<()> {
    println!("cargo::rerun-if-changed={}", from.display());
    let file = std::fs::File::create(to)?;
    let mut packed = flate2::write::ZlibEncoder::new(file, flate2::Compression::best());
    packed.write_all(&std::fs::read(from)?)?;
    packed.finish().map(drop)
}

/// Packs the files, and writes their table.
fn assets(dist: &Path, out: &Path) -> Result<()> {
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut names = Vec::new();
    collect(dist, "", &mut names);
    names.sort();
    let mut text = String::from(
        "/// Every file by its name, packed.\nstatic PACKED_ASSETS: &[(&str, &[u8])] = &[\n",
    );
    for (number, name) in names.iter().enumerate() {
        let packed = out.join(format!("asset-{number}.zlib"));
        pack(&dist.join(name), &packed)?;
        // Writing into a text cannot fail.
        let _ = writeln!(text, "    ({name:?}, include_bytes!({packed:?})),");
    }
    text.push_str("];\n");
    std::fs::write(out.join("assets.rs"), text)
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
