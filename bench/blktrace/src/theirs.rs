//! blkparse and btt, and what they say.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// Sorts the files of all CPUs into one, without printing the events.
pub fn blkparse(folder: &Path, sorted: &Path) -> Result<(), String> {
    let words = [
        "-D".into(),
        folder.into(),
        "-i".into(),
        "big".into(),
        "-O".into(),
        "-d".into(),
        sorted.into(),
    ];
    run("blkparse", &words).map(drop)
}

/// Reads the sorted file: how many bios it saw from their arrival to their end, and its memory at most, bytes.
pub fn btt(sorted: &Path) -> Result<(u64, u64), String> {
    let begin = std::time::Instant::now();
    let folder = sorted.parent().unwrap_or(Path::new("."));
    // Into a file: its tables of seconds are longer than a pipe holds.
    let said = folder.join("btt.txt");
    let file =
        std::fs::File::create(&said).map_err(|error| format!("{}: {error}", said.display()))?;
    let mut child = Command::new("btt")
        .arg("-i")
        .arg(sorted)
        .current_dir(folder)
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("btt cannot be started ({error}); Debian has it in blktrace"))?;
    let mut peak = 0;
    while child
        .try_wait()
        .map_err(|error| error.to_string())?
        .is_none()
    {
        peak = peak.max(peak_bytes(child.id()));
        if begin.elapsed().as_secs() > 3_600 {
            child.kill().map_err(|error| error.to_string())?;
            return Err("btt took more than an hour".into());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let text =
        std::fs::read_to_string(&said).map_err(|error| format!("{}: {error}", said.display()))?;
    let row = text.lines().find(|line| line.starts_with("Q2C"));
    let count = row.and_then(|row| row.split_whitespace().next_back()?.parse().ok());
    Ok((count.ok_or("btt printed no row of Q2C")?, peak))
}

/// What a program prints.
pub fn run(program: &str, words: &[OsString]) -> Result<String, String> {
    let output = Command::new(program)
        .args(words)
        .output()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

/// CPU time of all programs that were started and waited for, s. The kernel tells it in hundredths.
pub fn children_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |at: usize| {
        after_name
            .split_whitespace()
            .nth(at)
            .and_then(|ticks| ticks.parse::<f64>().ok())
    };
    (ticks(13).unwrap_or(0.0) + ticks(14).unwrap_or(0.0)) / 100.0
}

/// The most memory that this process had, bytes.
pub fn own_peak_bytes() -> u64 {
    peak_bytes(std::process::id())
}

fn peak_bytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1_024
}
