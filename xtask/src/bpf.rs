//! `cargo xtask bpf`: compiles the programs that run in the kernel, or compares the objects that are checked in.
//!
//! They are in the repository so that nobody needs clang to build iodyno. The same clang gives the same bytes:
//! no path and no debugging section is in it. Another clang gives other code, so then nothing is compared.

use crate::problem::Failure;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FOLDER: &str = "crates/ground/probe/bpf";
/// Each is made of NAME.bpf.c and is NAME.bpf.o.
const OBJECTS: [&str; 2] = ["layers", "sleeps"];
/// The version of clang that made the objects.
const VERSION: &str = "objects.clang";

/// Writes the objects and the compiler's version, or with `check` says whether the objects are what the sources give.
pub fn run(root: &Path, check: bool) -> Result<String, Failure> {
    let folder = root.join(FOLDER);
    let Some(clang) = version_of_clang() else {
        return match check {
            true => skipped("clang", "clang and llvm-strip are not installed"),
            false => Err(Failure::Broken(
                "clang and llvm-strip are needed: apt-get install clang llvm".into(),
            )),
        };
    };
    let recorded = std::fs::read_to_string(folder.join(VERSION)).unwrap_or_default();
    if check && recorded.trim() != clang {
        let why = format!(
            "the objects were made by {}, here is {clang}",
            recorded.trim()
        );
        return skipped("machine:clang-version", &why);
    }
    let told: Vec<String> = OBJECTS
        .iter()
        .map(|name| one(&folder, name, check))
        .collect::<Result<_, _>>()?;
    if !check {
        write(folder.join(VERSION), format!("{clang}\n").as_bytes())?;
    }
    Ok(format!("bpf: {} ({clang})", told.join(", ")))
}

/// Writes or compares one object, and says what was done.
fn one(folder: &Path, name: &str, check: bool) -> Result<String, Failure> {
    let built = compile(folder, name)?;
    let object = folder.join(format!("{name}.bpf.o"));
    if !check {
        let told = format!("{name}: {} bytes", built.len());
        return write(object, &built).map(|()| told);
    }
    let present = std::fs::read(&object).unwrap_or_default();
    match present == built {
        true => Ok(format!("{name} is what its source gives")),
        false => Err(Failure::Broken(format!(
            "{FOLDER}/{name}.bpf.o is not what its sources give; run `cargo xtask bpf` and commit it"
        ))),
    }
}

fn write(path: PathBuf, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(&path, bytes).map_err(|error| Failure::io(path.display(), &error))
}

fn skipped(need: &str, why: &str) -> Result<String, Failure> {
    skip::note(need, "xtask bpf --check", why).map_err(Failure::Broken)?;
    Ok(format!("bpf: skipped: {why}"))
}

/// `clang version 14.0.6`, without the distributor's name; none without clang and its strip.
fn version_of_clang() -> Option<String> {
    let text = |program: &str| {
        let output = Command::new(program).arg("--version").output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    text("llvm-strip")?;
    version_in(&text("clang")?)
}

fn version_in(text: &str) -> Option<String> {
    let (_, rest) = text.lines().next()?.split_once("clang version ")?;
    Some(format!("clang version {}", rest.split_whitespace().next()?))
}

fn compile(folder: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let source = format!("{name}.bpf.c");
    let object = std::env::temp_dir().join(format!("xtask-{name}-{}.o", std::process::id()));
    // -g gives the type information; what else it gives is stripped. The third instruction set is that of Linux 5.1.
    let flags = [
        "-target",
        "bpf",
        "-mcpu=v3",
        "-O2",
        "-g",
        "-Wall",
        "-Werror",
        "-fdebug-compilation-dir=.",
    ];
    let mut clang = Command::new("clang");
    clang
        .current_dir(folder)
        .args(flags)
        .args(["-c", &source, "-o"])
        .arg(&object);
    let mut strip = Command::new("llvm-strip");
    strip.arg("-g").arg(&object);
    let done = finish(&mut clang).and_then(|()| finish(&mut strip));
    let built = done.and_then(|()| {
        std::fs::read(&object).map_err(|error| Failure::io(object.display(), &error))
    });
    let _ = std::fs::remove_file(&object);
    built
}

fn finish(command: &mut Command) -> Result<(), Failure> {
    let Output { status, stderr, .. } = command
        .output()
        .map_err(|error| Failure::io(format!("{command:?}"), &error))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::Broken(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&stderr)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distributors_name_is_no_part_of_the_version() {
        let debian = "Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu\n";
        assert_eq!(version_in(debian).unwrap(), "clang version 14.0.6");
        assert_eq!(
            version_in("clang version 19.1.7 (rhel)\n").unwrap(),
            "clang version 19.1.7"
        );
        assert_eq!(version_in("gcc 12"), None);
    }

    #[test]
    fn the_objects_are_what_their_sources_give() {
        let root = crate::workspace_root();
        match run(&root, true) {
            Ok(message) => println!("{message}"),
            Err(failure) => panic!("{failure}"),
        }
    }
}
