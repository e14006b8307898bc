//! The tools that people trace with, run as they run them.

use crate::disk::Disk;
use std::process::{Child, Command, Stdio};

/// A tool at work.
pub struct Tool {
    child: Child,
}

/// The events of a request, as the full strength takes them.
const EVENTS: &str = "block:block_bio_queue,block:block_getrq,block:block_rq_insert,block:block_rq_issue,block:block_rq_complete";

/// biolatency.bt of bpftrace in its present form, by tracepoints; Debian 12's takes kprobes, which this kernel may not have.
const BIOLATENCY: &str = "tracepoint:block:block_bio_queue { @start[args->sector] = nsecs; } \
    tracepoint:block:block_rq_complete, tracepoint:block:block_bio_complete /@start[args->sector]/ \
    { @usecs = hist((nsecs - @start[args->sector]) / 1000); delete(@start[args->sector]); } END { clear(@start); }";

/// Mounts what the tools need in a mount namespace of their own, so that it does not stay.
const MOUNTED: &str = "mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing; \
    mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug; exec \"$@\"";

/// Longer than any of them takes to attach.
const READY_MS: u64 = 2_000;

/// `perf trace` of every block event, as text.
pub fn perf_trace() -> Result<Tool, String> {
    start(&["perf", "trace", "-a", "-e", "block:*", "-o", "/dev/null"])
}

/// `perf record` of the five events of a request, on every device.
pub fn perf_record() -> Result<Tool, String> {
    start(&[
        "perf",
        "record",
        "-a",
        "-q",
        "-m",
        "1024",
        "-e",
        EVENTS,
        "-o",
        "/dev/null",
    ])
}

/// bpftrace's biolatency.
pub fn biolatency() -> Result<Tool, String> {
    start(&["bpftrace", "-e", BIOLATENCY])
}

/// blktrace of both devices, read and thrown away.
pub fn blktrace(disk: &Disk) -> Result<Tool, String> {
    let path = |name: &str| format!("/dev/{name}");
    let paths: Vec<String> = disk
        .devices()
        .iter()
        .map(|device| path(&device.name))
        .collect();
    let mut words = vec!["blktrace", "-o", "-"];
    paths.iter().for_each(|path| words.extend(["-d", path]));
    start(&words)
}

/// Starts one; the error says why it does not run.
fn start(words: &[&str]) -> Result<Tool, String> {
    let said = std::env::temp_dir().join(format!("bench-probe-said-{}", std::process::id()));
    let errors = std::fs::File::create(&said).map_err(|error| error.to_string())?;
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", MOUNTED, "sh"]).args(words);
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn();
    let mut child = child.map_err(|error| format!("unshare: {error}"))?;
    host::clock::sleep_ms(READY_MS);
    let ended = child.try_wait().map_err(|error| error.to_string())?;
    let text = std::fs::read_to_string(&said).unwrap_or_default();
    let _ = std::fs::remove_file(&said);
    // blktrace that may not open its files says so and waits for ever.
    if ended.is_none() && !text.contains("FAILED") {
        return Ok(Tool { child });
    }
    drop(Tool { child });
    Err(why(words[0], &text))
}

/// The first thing a tool said that is a reason, else what it said at all.
fn why(tool: &str, said: &str) -> String {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let reason = lines().find(|line| {
        ["not", "fail", "rror", "nvalid"]
            .iter()
            .any(|word| line.contains(word))
    });
    reason
        .or_else(|| lines().next())
        .map_or_else(|| format!("{tool} ended at once"), str::to_string)
}

impl Drop for Tool {
    /// SIGINT makes all of them write what they have and end.
    fn drop(&mut self) {
        let _ = Command::new("sh")
            .args(["-c", &format!("kill -INT {}", self.child.id())])
            .status();
        for _ in 0..600 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            host::clock::sleep_ms(50);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
