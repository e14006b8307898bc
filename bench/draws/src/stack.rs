//! The stack that faults are made on: a file system on a loop device of its own, gone with the value.

use crate::draw::Draw;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A mounted file system.
pub struct Stack {
    directory: PathBuf,
    device: String,
    mount: String,
}

impl Stack {
    /// Makes it.
    ///
    /// # Errors
    /// Why this machine or this user cannot.
    pub fn make() -> Result<Stack, String> {
        let directory = std::env::temp_dir().join(format!("iodyno-draws-{}", std::process::id()));
        let mut stack = Stack {
            directory,
            device: String::new(),
            mount: String::new(),
        };
        let made = stack.shell("stack.sh", &["make", &stack.directory.to_string_lossy()])?;
        let text = String::from_utf8_lossy(&made.stdout).trim().to_string();
        let (device, mount) = text.split_once(' ').ok_or("the stack was not made")?;
        (stack.device, stack.mount) = (device.into(), mount.into());
        Ok(stack)
    }

    /// The document of a check with a draw's faults in place, and how long the check took, s.
    ///
    /// # Errors
    /// A fault cannot be made here, or there is no document.
    pub fn checked(&self, binary: &str, draw: &Draw) -> Result<(serde_json::Value, f64), String> {
        let (system, options) = (draw.file_system, draw.options);
        self.shell(
            "stack.sh",
            &["format", &self.device, &self.mount, system, options],
        )?;
        let name = self.device.trim_start_matches("/dev/");
        for (file, value) in &draw.settings {
            let path = format!("/sys/block/{name}/queue/{file}");
            std::fs::write(&path, value).map_err(|error| format!("{path}: {error}"))?;
        }
        let directory = self.directory.to_string_lossy();
        let words = draw.words();
        let mut arguments = vec![binary, &directory, &self.device, &self.mount];
        arguments.extend(words.iter().map(String::as_str));
        let output = self.shell("draw.sh", &arguments)?;
        let document = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{}: no document: {error}", draw.name()))?;
        let path = self.directory.join("seconds");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let seconds = text.trim().parse();
        let seconds = seconds.map_err(|_| format!("{}: {text}: no number", path.display()))?;
        Ok((document, seconds))
    }

    fn shell(&self, script: &str, arguments: &[&str]) -> Result<Output, String> {
        let output = Command::new("sh")
            .arg(crate::home().join(script))
            .args(arguments)
            .env("IODYNO_STATE_DIR", self.directory.join("state"))
            .output()
            .map_err(|error| format!("sh: {error}"))?;
        match output.status.success() {
            true => Ok(output),
            false => Err(format!(
                "{script} {}: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr).trim()
            )),
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let directory = self.directory.to_string_lossy();
        // Nothing better can be done at the end of a benchmark.
        let _ = self.shell("stack.sh", &["unmake", &directory]);
    }
}
