//! The files that only the built program can write: shell completions, manual pages, and the pages of the commands.

use super::commands::{self, Verb};
use crate::problem::Failure;
use std::path::Path;
use std::process::Command;

/// The folder of the manual pages.
pub const MANUAL: &str = "docs/man";

/// The shells that have completions.
const SHELLS: &[&str] = &["bash", "zsh", "fish"];

/// What the program writes.
pub struct ProgramFiles {
    /// Path and text of every file.
    pub files: Vec<(String, String)>,
    /// Its verbs, each with its `--help` and that of the verbs below it.
    pub verbs: Vec<Verb>,
}

/// What the program prints with these arguments.
pub type Ask<'a> = &'a dyn Fn(&[&str]) -> Result<String, Failure>;

/// Asks the program for everything that it writes.
pub fn read(ask: Ask) -> Result<ProgramFiles, Failure> {
    let mut files = Vec::new();
    for shell in SHELLS {
        let text = ask(&["completions", shell])?;
        files.push((format!("docs/completions/iodyno.{shell}"), text));
    }
    files.push((format!("{MANUAL}/iodyno.1"), ask(&["manual"])?));
    let mut verbs = commands::verbs(&ask(&["manual", "--list"])?)?;
    for verb in &mut verbs {
        let page = ask(&["manual", &verb.name])?;
        files.push((format!("{MANUAL}/iodyno-{}.1", verb.name), page));
        for usage in &mut verb.usages {
            let mut words: Vec<&str> = usage.name.split(' ').collect();
            words.push("--help");
            usage.help = ask(&words)?;
        }
    }
    Ok(ProgramFiles { files, verbs })
}

/// What a built program prints with these arguments; a failure where it ends with one.
pub fn output(program: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let name = format!("{} {}", program.display(), arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        // Help is as wide as whoever asks has room; here it is the same for everybody.
        .env_remove("COLUMNS")
        .output()
        .map_err(|error| Failure::io(&name, &error))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::Broken(format!(
            "{name} failed ({}): {}",
            output.status,
            complaint.trim()
        )));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Failure::Broken(format!("{name} printed something other than text")))
}
