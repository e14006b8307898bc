//! One `iodyno tune`, from outside, as a user would run it.

use crate::kept::Run;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// What a run is about.
pub struct Asked<'a> {
    /// Table and row that it belongs to.
    pub place: [&'a str; 2],
    /// What the change does in truth, ratio minus one.
    pub truth: f64,
}

impl Asked<'_> {
    /// Runs a tune with a state of its own, in a control group if the directory of one is given.
    ///
    /// # Errors
    /// It does not start, or gives no verdict at all.
    pub fn run(&self, binary: &str, words: &[&str], group: Option<&Path>) -> Result<Run, String> {
        Ok(self.whole(binary, words, group)?.0)
    }

    /// The same, with the value that the tune says to use.
    ///
    /// # Errors
    /// As of [`Asked::run`].
    pub fn chosen(&self, binary: &str, words: &[&str]) -> Result<(Run, String), String> {
        let (run, verdict) = self.whole(binary, words, None)?;
        let arm = verdict["arm"]
            .as_str()
            .ok_or("the verdict names no value")?;
        Ok((run, arm.to_string()))
    }

    fn whole(
        &self,
        binary: &str,
        words: &[&str],
        group: Option<&Path>,
    ) -> Result<(Run, Value), String> {
        let state = std::env::temp_dir().join(format!("bench-tunes-{}", std::process::id()));
        let enter = group.map_or(String::new(), |group| {
            format!("echo $$ >{}/cgroup.procs && ", group.display())
        });
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{enter}exec \"$0\" \"$@\""), binary, "tune"]);
        command
            .args(words)
            .arg("--json")
            .env("IODYNO_STATE_DIR", &state);
        command.stdin(std::process::Stdio::null());
        let begun = Instant::now();
        let output = command.output();
        let elapsed_s = begun.elapsed().as_secs_f64();
        let _ = std::fs::remove_dir_all(&state);
        let output = output.map_err(|error| format!("{binary}: {error}"))?;
        self.answered(&output.stdout, elapsed_s).ok_or_else(|| {
            let said = String::from_utf8_lossy(&output.stderr);
            format!("tune {}: no verdict: {}", words.join(" "), said.trim())
        })
    }

    /// The run whose document this is, and its verdict; none where it has no verdict.
    pub fn answered(&self, json: &[u8], elapsed_s: f64) -> Option<(Run, Value)> {
        let document: Value = serde_json::from_slice(json).ok()?;
        let verdict = &document["record"]["trials"][0]["verdict"];
        let word = |name: &str| Some(verdict[name].as_str()?.to_string());
        let run = Run {
            date: kit::results::date(),
            table: self.place[0].into(),
            row: self.place[1].into(),
            truth: self.truth,
            outcome: word("verdict")?,
            reason: word("reason")?,
            effect: verdict["effect"].as_f64(),
            low: verdict["low"].as_f64(),
            high: verdict["high"].as_f64(),
            device_s: verdict["device_ms"].as_f64()? / 1e3,
            elapsed_s,
        };
        Some((run, verdict.clone()))
    }
}
