//! The native engine as a contestant: random 4 KiB reads through the same calls that the program makes.

use crate::{Outcome, Work};
use host::Host;
use host::signals::Stop;
use model::job::Job;
use pipeline::load::{self, Consent, Region};

/// Does the work.
pub fn run(work: &Work) -> Result<Outcome, String> {
    let job =
        Job { ioengine: work.ioengine.clone(), iodepth: work.iodepth, direct: work.direct, ..Job::default() };
    let (host, stop) = (Host::live(), Stop::new());
    let mut prepared = load::prepare(&host, &work.path, &job, &Consent::default(), &stop, &mut |_, _| {})
        .map_err(|error| error.to_string())?;
    prepared.keep_cache();
    let running = load::start(&prepared, &job, 1, Region::WHOLE).map_err(|error| error.to_string())?;
    running.wait_ms(work.runtime_ms, &stop);
    if let Some(error) = running.failure() {
        return Err(error.to_string());
    }
    let result = running.finish();
    let quantile = |share| result.read.latency.quantile_ns(share).unwrap_or(0) as f64;
    Ok(Outcome {
        ios: result.read.ios,
        elapsed_s: result.elapsed_ms / 1e3,
        p50_ns: quantile(0.5),
        p99_ns: quantile(0.99),
        cpu_s: 0.0,
    })
}
