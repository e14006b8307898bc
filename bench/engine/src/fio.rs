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
    /// `Best`, with each I/O given to the kernel's workers at once.
    BestHandedOver,
}

/// The command line.
pub fn command(work: &Work, tuning: Tuning) -> Command {
    let mut command = Command::new("fio");
    command
        .args([
            "--name=bench",
            "--bs=4k",
            "--time_based=1",
            "--invalidate=0",
        ])
        .arg(if work.write_iops > 0 {
            "--rw=randwrite"
        } else {
            "--rw=randread"
        })
        .args([
            "--output-format=json",
            "--lat_percentiles=1",
            "--clat_percentiles=0",
            "--eta=never",
        ])
        .arg(format!("--filename={}", work.path.display()))
        .arg(format!("--ioengine={}", work.ioengine))
        .arg(format!("--iodepth={}", work.iodepth))
        .arg(format!("--direct={}", u8::from(work.direct)))
        .arg(format!("--runtime={}ms", work.runtime_ms.max(1)));
    if work.write_iops > 0 {
        let process = if work.poisson { "poisson" } else { "linear" };
        command
            .arg(format!("--rate_iops={}", work.write_iops))
            .arg(format!("--rate_process={process}"));
        command.arg("--percentile_list=50:99:99.9");
    }
    if tuning != Tuning::Default {
        // The linear feedback register needs no map and repeats no block within a pass. `norandommap` costs the same CPU
        // but repeats blocks, which then come from the CPU's cache: less work than the others do.
        command.args(["--random_generator=lfsr", "--randrepeat=0", "--thread=1"]);
        match work.ioengine.as_str() {
            "io_uring" => _ = command.args(["--fixedbufs=1", "--registerfiles=1"]),
            "libaio" => _ = command.arg("--userspace_reap=1"),
            _ => {}
        }
        if work.iodepth > 1 {
            // Waiting for a full batch would empty the queue of a device; fio's own default of one is fair there.
            let complete = if work.direct { 1 } else { 32 };
            command
                .arg("--iodepth_batch_submit=32")
                .arg(format!("--iodepth_batch_complete_min={complete}"));
            command.arg("--iodepth_batch_complete_max=32");
        }
    }
    match tuning {
        Tuning::BestBlind => _ = command.arg("--gtod_reduce=1"),
        Tuning::BestHandedOver => _ = command.arg("--force_async=1"),
        _ => {}
    }
    command
}

/// Reads fio's JSON. Latency is fio's `lat`: from before submission to completion, which is what the native engine
/// measures too.
pub fn parse(text: &str) -> Result<Outcome, String> {
    let start = text.find('{').ok_or("fio printed no JSON")?;
    let document: serde_json::Value =
        serde_json::from_str(&text[start..]).map_err(|error| error.to_string())?;
    let job = &document["jobs"][0];
    let is_write = job["write"]["total_ios"].as_u64().unwrap_or(0) > 0;
    let read = &job[if is_write { "write" } else { "read" }];
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(0.0);
    let percentile = |name: &str| number(&read["lat_ns"]["percentile"][name]);
    Ok(Outcome {
        ios: number(&read["total_ios"]) as u64,
        elapsed_s: number(&read["runtime"]) / 1e3,
        p50_ns: percentile("50.000000"),
        p99_ns: percentile("99.000000"),
        p999_ns: percentile("99.900000"),
        max_ns: number(&read["lat_ns"]["max"]),
        ..Outcome::default()
    })
}
