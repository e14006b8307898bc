//! The native engine as a contestant: random 4 KiB I/O through the same calls that the program makes.

use crate::{Outcome, Work};
use host::signals::Stop;
use host::{Host, Target};
use load::{Consent, Region};
use model::histogram::Histogram;
use model::job::{Arrivals, Job, PerDirection, Rate, Rw};

fn job(work: &Work) -> Job {
    let is_write = work.write_iops > 0;
    Job {
        ioengine: work.ioengine.clone(),
        iodepth: work.iodepth,
        direct: work.direct,
        rw: if is_write {
            Rw::Randwrite
        } else {
            Rw::Randread
        },
        rates: PerDirection::all(if is_write {
            Rate::Iops(work.write_iops)
        } else {
            Rate::Free
        }),
        arrivals: if work.poisson {
            Arrivals::Poisson
        } else {
            Arrivals::Linear
        },
        open_loop: work.open_loop,
        ..Job::default()
    }
}

/// Does the work.
pub fn run(work: &Work) -> Result<Outcome, String> {
    let job = job(work);
    let (host, stop) = (Host::live(), Stop::new());
    let consent = Consent {
        destroy_data: work.write_iops > 0,
        ..Consent::default()
    };
    let target = std::sync::Arc::new(Target::open(&work.path).map_err(|error| error.to_string())?);
    let mut prepared = load::prepare(&host, &target, &job, &consent, &stop, &mut |_, _| {})
        .map_err(|error| error.to_string())?;
    prepared.keep_cache();
    let running =
        load::start(&prepared, &job, 1, Region::WHOLE).map_err(|error| error.to_string())?;
    running.wait_ms(work.runtime_ms, &stop);
    if let Some(error) = running.failure() {
        return Err(error.to_string());
    }
    let result = running.finish();
    let latency = result.latency();
    let quantile = |latency: &Histogram, share| latency.quantile_ns(share).unwrap_or(0) as f64;
    Ok(Outcome {
        ios: result.ios(),
        elapsed_s: result.elapsed_ms / 1e3,
        p50_ns: quantile(&latency, 0.5),
        p99_ns: quantile(&latency, 0.99),
        p999_ns: quantile(&latency, 0.999),
        max_ns: quantile(&latency, 1.0),
        service_p50_ns: result
            .service
            .map_or(0.0, |service| quantile(&service, 0.5)),
        cpu_s: 0.0,
    })
}
