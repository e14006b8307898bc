//! How a test says that it could not be done here: one line in `target/skipped.txt`, with what it needs and why. And how one
//! that measures says what it found: one line in `target/outcomes.txt`.
//!
//! `cargo test` hides what a passing test prints, so a skip that is only printed is never read. `tools/test` clears the
//! file first and prints it at the end; `IODYNO_REQUIRE` makes skips failures.
#![allow(
    clippy::disallowed_methods,
    reason = "it serves tests, and is no part of the product"
)]

mod outcome;
mod report;
mod require;

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

pub use outcome::{Outcome, file as outcomes, measured};
pub use report::report;
pub use require::check;

/// What a test can need, and where that comes from. A need that starts with one of [`NEVER_REQUIRED`] is not listed here.
pub const NEEDS: &[(&str, &str)] = &[
    ("root", "run the tests as root"),
    ("user", "build where another user may enter every directory"),
    ("loop", "a machine that gives loop devices to root"),
    ("mount", "a machine on which root may mount"),
    ("nodes", "a temporary directory in which device nodes work"),
    ("shm", "a file system in memory at /dev/shm"),
    ("disk", "a temporary directory on a disk"),
    (
        "trace",
        "root's right to trace the kernel, and a kernel with type information",
    ),
    ("guest", "what lab/build makes, and QEMU: lab/README.md"),
    ("fio", "tools/setup test"),
    ("fio-examples", "tools/setup test"),
    ("mkfs.btrfs", "tools/setup test"),
    ("mkfs.ext4", "tools/setup test"),
    ("mkfs.xfs", "tools/setup test"),
    ("setpriv", "tools/setup test"),
    ("losetup", "tools/setup test"),
    ("podman", "tools/setup live"),
    ("runc", "tools/setup live"),
    ("blockdev", "tools/setup test"),
    ("blkdiscard", "tools/setup test"),
    ("script", "tools/setup test"),
    ("strace", "tools/setup live"),
    ("iostat", "tools/setup live"),
    ("tmux", "tools/setup test"),
    ("postgresql", "tools/setup live"),
    ("sysbench", "tools/setup live"),
    ("openssl", "tools/setup test"),
    ("curl", "tools/setup test"),
    ("ssh", "tools/setup test"),
    ("sshd", "tools/setup test"),
    ("cc", "tools/setup test"),
    (
        "clang",
        "tools/setup test, which installs the clang of this distribution",
    ),
    (
        "rustfmt",
        "tools/setup test, or rustup component add rustfmt",
    ),
    (
        "clippy",
        "rustup component add clippy, or Debian's rust-web-clippy",
    ),
    ("node", "tools/setup test"),
    (
        "npm",
        "tools/web, which fetches web/package-lock.json from the npm registry",
    ),
    ("chromium", "tools/setup live"),
    (
        "promtool",
        "tools/setup live, which unpacks Debian's prometheus",
    ),
    (
        "schemathesis",
        "tools/setup live, which fetches it from PyPI",
    ),
    ("python3", "tools/setup test"),
    ("rados", "tools/setup live"),
    ("ceph", "tools/setup lab, whose packages lab/ceph starts"),
    ("duckdb", "tools/setup live, which fetches it from PyPI"),
    (
        "ansible-playbook",
        "tools/setup live, which fetches ansible-core from PyPI",
    ),
];

/// What nobody can install, so that it is listed and never fails: a feature of the kernel (`kernel:bfq`), a property of
/// the machine (`machine:speed`), and long forms that somebody has to ask for (`asked:IODYNO_BUDGET_RUNS`).
pub const NEVER_REQUIRED: &[&str] = &["kernel:", "machine:", "asked:"];

/// Notes that the running test, or a part of it, is not done because `need` is missing. The caller returns after it.
///
/// # Panics
/// When `IODYNO_REQUIRE` names the need, when the need is unknown, and when the note cannot be written.
#[track_caller]
pub fn missing(need: &str, why: impl Display) {
    if let Err(error) = note(need, &running_test(), &why.to_string()) {
        panic!("{error}");
    }
}

/// The name of the running test. One that has the main thread to itself has none; then the line of the source names it.
#[track_caller]
fn running_test() -> String {
    let place = std::panic::Location::caller();
    match std::thread::current().name() {
        Some(name) if name != "main" => name.to_string(),
        _ => format!("{}:{}", place.file(), place.line()),
    }
}

/// Whether a program is not installed, which is then noted as a need of the same name.
#[track_caller]
pub fn lacks(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_here = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !is_here {
        missing(program, format_args!("{program} is not installed"));
    }
    !is_here
}

/// The same for a step that is no test of Rust: `what` is skipped for lack of `need`. The error says that it may not be.
pub fn note(need: &str, what: &str, why: &str) -> Result<(), String> {
    require::known(need)?;
    let why = one_line(why);
    if require::is_required(need, &require::wanted())? {
        return Err(format!(
            "{what} needs {need}, which IODYNO_REQUIRE insists on: {why}"
        ));
    }
    let file = file();
    append(&file, &format!("{need}\t{}\t{why}\n", one_line(what)))
        .map_err(|error| format!("{}: {error}; {what} was skipped: {why}", file.display()))
}

/// Forgets what was skipped and measured so far.
pub fn clear() -> std::io::Result<()> {
    for file in [file(), outcomes()] {
        match std::fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => (),
        }
    }
    Ok(())
}

/// Where skips are noted, in this checkout.
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/skipped.txt")
}

/// Appends a line. One write, so that lines of tests that run at the same time do not mix.
pub fn append(file: &Path, line: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options
        .append(true)
        .create(true)
        .open(file)?
        .write_all(line.as_bytes())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_line_whatever_the_reason_says() {
        let folder = std::env::temp_dir().join(format!("skip-{}", std::process::id()));
        let file = folder.join("skipped.txt");
        append(&file, "root\ta\tb\n").unwrap();
        append(
            &file,
            &format!("loop\tc\t{}\n", one_line("no\tsuch\ndevice\n")),
        )
        .unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(text, "root\ta\tb\nloop\tc\tno such device\n");
    }

    #[test]
    #[should_panic(expected = "`roots` is no need")]
    fn a_need_that_nobody_knows_is_a_mistake_of_the_test() {
        missing("roots", "only root can");
    }

    #[test]
    fn a_program_of_every_machine_is_not_lacking() {
        assert!(!lacks("cc"));
    }
}
