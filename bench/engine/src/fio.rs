//! fio as a contestant: the same work in its own words.

use crate::{Outcome, Work};
use std::process::Command;

/// How fio is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuning {
    /// As a plain job file gets it.
    Default,
    /// With every option that saves CPU, latency still measured.
    Best,
    /// The same without latency.
    BestBlind,
}

/// The command line.
pub fn command(work: &Work, tuning: Tuning) -> Command {
    let mut command = Command::new("fio");
    command
        .args(["--name=bench", "--rw=randread", "--bs=4k", "--time_based=1", "--invalidate=0"])
        .args(["--output-format=json", "--lat_percentiles=1", "--clat_percentiles=0", "--eta=never"])
        .arg(format!("--filename={}", work.path.display()))
        .arg(format!("--ioengine={}", work.ioengine))
        .arg(format!("--iodepth={}", work.iodepth))
        .arg(format!("--direct={}", u8::from(work.direct)))
        .arg(format!("--runtime={}ms", work.runtime_ms.max(1)));
    if tuning != Tuning::Default {
        // The linear feedback register needs no map and repeats no block within a pass. `norandommap` costs the same CPU
        // but repeats blocks, which then come from the CPU's cache: less work than the others do.
        command.args(["--random_generator=lfsr", "--randrepeat=0", "--thread=1"]);
        if work.ioengine == "io_uring" {
            command.args(["--fixedbufs=1", "--registerfiles=1"]);
            // Waiting for a full batch would empty the queue of a device; fio's own default of one is fair there.
            let complete = if work.direct { 1 } else { 32 };
            command.arg("--iodepth_batch_submit=32").arg(format!("--iodepth_batch_complete_min={complete}"));
            command.arg("--iodepth_batch_complete_max=32");
        }
    }
    if tuning == Tuning::BestBlind {
        command.arg("--gtod_reduce=1");
    }
    command
}

/// Reads fio's JSON. Latency is fio's `lat`: from before submission to completion, which is what the native engine
/// measures too.
pub fn parse(text: &str) -> Result<Outcome, String> {
    let start = text.find('{').ok_or("fio printed no JSON")?;
    let document: serde_json::Value =
        serde_json::from_str(&text[start..]).map_err(|error| error.to_string())?;
    let read = &document["jobs"][0]["read"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(0.0);
    let percentile = |name: &str| number(&read["lat_ns"]["percentile"][name]);
    Ok(Outcome {
        ios: number(&read["total_ios"]) as u64,
        elapsed_s: number(&read["runtime"]) / 1e3,
        p50_ns: percentile("50.000000"),
        p99_ns: percentile("99.000000"),
        cpu_s: 0.0,
    })
}
