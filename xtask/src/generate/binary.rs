//! The files that only the built program can write: shell completions and the manual page.

use crate::problem::Failure;
use std::path::Path;
use std::process::Command;

/// Each file with the arguments that make the program print it.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("docs/completions/iodyno.bash", &["completions", "bash"]),
    ("docs/completions/iodyno.zsh", &["completions", "zsh"]),
    ("docs/completions/iodyno.fish", &["completions", "fish"]),
    ("docs/man/iodyno.1", &["manual"]),
];

/// Path and text of every such file.
pub fn outputs(program: &Path) -> Result<Vec<(String, String)>, Failure> {
    OUTPUTS
        .iter()
        .map(|(path, arguments)| Ok((path.to_string(), output(program, arguments)?)))
        .collect()
}

fn output(program: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let name = format!("{} {}", program.display(), arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
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
