//! The file system on the device, made by its own program: without discards, which would punch holes into the file, and
//! with nothing left to write in the background.

use super::plan::LoopPlan;
use crate::exit::{Exit, Failure};
use host::signals::Stop;
use host::{Child, Privileges, clock};

/// How often the program is looked at, ms.
const PAUSE_MS: u64 = 20;
/// Lines of what it says that are told at most.
const LINES: usize = 4;

/// A program, its package, and its options but the device.
pub struct MakeFileSystem {
    pub program: &'static str,
    package: &'static str,
    pub options: Vec<String>,
    /// Options with which it only checks the others, on a file.
    check: &'static [&'static str],
}

/// What makes the file system; none for a bare device.
pub fn of(plan: &LoopPlan) -> Option<MakeFileSystem> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_string()).collect();
    let mut made = match plan.saved.fs.as_deref()? {
        "xfs" => MakeFileSystem {
            program: "mkfs.xfs",
            package: "xfsprogs",
            // -K: no discard. -f: what is on the device is noise of iodyno's own, whatever it looks like.
            options: words(&["-q", "-K", "-f"]),
            check: &["-N"],
        },
        _ => MakeFileSystem {
            program: "mkfs.ext4",
            package: "e2fsprogs",
            // Not lazy: else the kernel writes inode tables for minutes after the mount, beside whatever is measured.
            options: words(&[
                "-q",
                "-F",
                "-E",
                "nodiscard,lazy_itable_init=0,lazy_journal_init=0",
            ]),
            check: &["-n"],
        },
    };
    if let Some(inodes) = plan.inodes {
        made.options.extend(["-N".to_string(), inodes.to_string()]);
    }
    Some(made)
}

/// Fails where the program is not here.
pub fn must_be_installed(plan: &LoopPlan) -> Result<(), Failure> {
    let Some(made) = of(plan) else {
        return Ok(());
    };
    let started = host::spawn::run(made.program, &["-V"]);
    started.map(drop).map_err(|error| {
        Failure::from(error).hint(format!(
            "Install it with the package {}, or use another --fs.",
            made.package
        ))
    })
}

/// Has the program check its options against the size, before so much is written in vain.
pub fn try_options(plan: &LoopPlan, stop: &Stop) -> Result<(), Failure> {
    let Some(made) = of(plan) else {
        return Ok(());
    };
    let check = made.check.iter().map(|option| (*option).to_string());
    let options = check.chain(made.options.clone());
    run(made.program, options.collect(), &plan.saved.path, stop)
}

/// Makes it.
pub fn make(plan: &LoopPlan, device: &str, stop: &Stop) -> Result<(), Failure> {
    match of(plan) {
        Some(made) => run(made.program, made.options, &format!("/dev/{device}"), stop),
        None => Ok(()),
    }
}

/// Runs the program to its end, or kills it where a signal asks to stop.
fn run(program: &str, mut options: Vec<String>, on: &str, stop: &Stop) -> Result<(), Failure> {
    options.push(on.to_string());
    let mut child = Child::start(program, &options, Privileges::Generate)?;
    while !child.has_ended() {
        if stop.is_asked() {
            let message = format!("stopped by {} during {program}.", stop.signal_name());
            return Err(Failure::new(Exit::Interrupted, message));
        }
        clock::sleep_ms(PAUSE_MS);
    }
    if child.status() == Some(0) {
        return Ok(());
    }
    let said = said(&child.printed().1);
    let message = format!("{program} {} failed: {said}", options.join(" "));
    Err(Failure::new(Exit::Failed, message).on(on).why(said))
}

/// What it says of the failure: its version and its usage are none of it.
fn said(stderr: &str) -> String {
    let lines = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with("mke2fs "));
    let lines = lines.take_while(|line| !line.starts_with("Usage"));
    let said: Vec<&str> = lines.take(LINES).collect();
    model::text::clean_to(&said.join(" "), 500)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_is_told_without_its_usage() {
        let ext4 =
            "mke2fs 1.47.0 (5-Feb-2023)\nmkfs.ext4: too big for a\n\tfilesystem with 4 blocks.\n\n";
        assert_eq!(
            said(ext4),
            "mkfs.ext4: too big for a filesystem with 4 blocks."
        );
        assert_eq!(
            said("size is too small\nUsage: mkfs.xfs\n/* x */"),
            "size is too small"
        );
        assert_eq!(said(""), "");
    }
}
