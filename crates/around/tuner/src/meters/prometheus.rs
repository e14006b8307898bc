//! # Growth of a counter that Prometheus collects
//!
//! ## What it measures
//! The growth per second of the counters that a selector names (`--query`), added up, by the samples that a Prometheus server
//! (`--prometheus`) has collected of them. A window is as long as four scrapes and 4 s at the least, and only samples that were
//! scraped after the switch count in it.
//!
//! ## When to use it
//! For a service that tells Prometheus how much it gets done (queries, requests, messages), under the load that is there
//! already (`--ioengine none`): nothing has to be installed or started, and the server may be on another machine.
//!
//! ## Limits
//! Give the counter itself, without `rate()` and range: what an expression is worth at a moment mixes what several settings did.
//! Levels (gauges) are refused. Two values need 16 windows at the least and get up to 32: with a scrape every 5 s that takes 7 to 13
//! minutes, with one every 15 s 20 to 40; the plan says how long. Samples have the times of the server's clock, which is asked once. A counter that begins
//! anew (a restart) costs its window; one that ends is waited for in vain, so name what lives. The address begins with
//! `http://`; to a server behind TLS or a log-in make a tunnel with `ssh -L`. A bound of `--stop-if` on `metric` is seen at the end
//! of a window: bound what the device does as well.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --ioengine none --metric prometheus --prometheus http://mon:9090 --query 'http_requests_total{job="web"}' --budget 30m
//! ```

use crate::meter::outside::{Outside, Pace};
use crate::meter::prometheus::Prometheus;
use crate::meter::{AskedCounter, Counts, Meter, MeterOptions, asked};
use model::metric::{ExperimentMetric, PER_S};

/// Scrapes are seconds apart; asking more often than every second would tell nothing earlier.
const PACE: Pace = Pace {
    every_ms: 1_000,
    lag_ms: 0,
};

/// The meter.
pub static METER: Meter = Meter {
    id: "prometheus",
    metric: |_| ExperimentMetric::rate("growth", PER_S),
    counts: Counts::Scrapes,
    least_amount: |_| 0,
    unfit: |_| None,
    options: &["--prometheus", "--query"],
    ask: Some(ask),
    of_load: None,
    open: asked,
};

fn ask(options: &MeterOptions) -> Result<AskedCounter, String> {
    let (Some(url), Some(query)) = (options.prometheus.clone(), options.query.clone()) else {
        return Err(
            "say which server with --prometheus URL, and which counter with --query".into(),
        );
    };
    let (tell, told) = std::sync::mpsc::channel();
    let outside = Outside::ask(move || {
        let (prometheus, scraped) = Prometheus::connect(&url, &query)?;
        // Whoever listens is there until this thread has answered.
        let _ = tell.send(scraped);
        Ok((prometheus, PACE))
    })?;
    let scraped = told.recv().map_err(|_| "the thread that asks ended")?;
    let metric = ExperimentMetric::rate(&scraped.name, PER_S).of_runs(scraped.window_ms());
    Ok(AskedCounter { metric, outside })
}
