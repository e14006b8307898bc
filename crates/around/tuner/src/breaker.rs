//! The circuit breaker of a tune beside production: bounds on what the device does to everybody, looked at every 10 ms, and
//! on the metric, looked at as soon as it is told.
//! When one is crossed, everything is put back at once, and the experiment ends with that as its answer.

use host::disk_counters::DeviceCounters;
use host::{Host, clock};
use kernel::stat::{Counters, SECTOR_BYTES};
use model::metric::{BYTES_PER_S, ExperimentMetric, NS};
use model::units;
use std::collections::VecDeque;

/// Between two looks, ns.
pub const LOOK_NS: u64 = 10_000_000;
/// Over how long a value is formed, ns: one slow request is no crossing, and a stall is told before users call.
const SPAN_NS: u64 = 250_000_000;
/// From when on a device that holds requests and completes none is judged by how long it has done so, ns. Its mean would
/// stand as it was until the last completion has left the span.
const STALL_NS: u64 = 80_000_000;

/// What of the device can be bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounded {
    /// Mean time of its requests, ns, as iostat's await.
    Await,
    /// Requests completed per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// What the tune judges by, in its unit.
    Metric,
}

/// Whose requests count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundedSide {
    /// Reads and writes.
    Both,
    /// Reads alone.
    Reads,
    /// Writes alone.
    Writes,
}

/// A bound that ends a tune when it is crossed.
#[derive(Clone, Debug, PartialEq)]
pub struct StopBound {
    /// As the user wrote it: `await>20ms`, `read.iops<5000`.
    pub text: String,
    /// What is bounded.
    pub what: Bounded,
    /// Of which requests.
    pub side: BoundedSide,
    /// Whether more than the limit is too much; else less is.
    pub is_above: bool,
    /// The limit, in ns, requests per second or bytes per second, or in the metric's unit.
    pub limit: f64,
}

impl StopBound {
    /// The measure of a bound by its name, `await`, `write.bw` or `metric`; none where a device tells no such thing in 250 ms.
    pub fn measure(name: &str) -> Option<(Bounded, BoundedSide)> {
        if name == "metric" {
            return Some((Bounded::Metric, BoundedSide::Both));
        }
        let (side, name) = match name.split_once('.') {
            None => (BoundedSide::Both, name),
            Some(("read", name)) => (BoundedSide::Reads, name),
            Some(("write", name)) => (BoundedSide::Writes, name),
            Some(_) => return None,
        };
        let what = match name {
            "await" => Bounded::Await,
            "iops" => Bounded::Iops,
            "bw" => Bounded::Bandwidth,
            _ => return None,
        };
        Some((what, side))
    }

    fn shown(&self, value: f64) -> String {
        match self.what {
            Bounded::Await => units::duration_ns(value),
            Bounded::Iops => format!("{}/s", units::rate(value)),
            Bounded::Bandwidth => units::bytes_per_s(value),
            Bounded::Metric => units::rate(value),
        }
    }

    fn phrase(&self) -> String {
        let what = match self.what {
            Bounded::Await => "mean latency",
            Bounded::Iops => "rate",
            Bounded::Bandwidth => "bandwidth",
            Bounded::Metric => "metric",
        };
        let side = match self.side {
            BoundedSide::Both => "",
            BoundedSide::Reads => " of reads",
            BoundedSide::Writes => " of writes",
        };
        format!("{what}{side}")
    }

    /// The value over a span; none where nothing happened that has one.
    fn value(&self, from: &Moment, to: &Moment) -> Option<f64> {
        let done = to.counters.since(&from.counters);
        let (reads, writes) = match self.side {
            BoundedSide::Both => (1, 1),
            BoundedSide::Reads => (1, 0),
            BoundedSide::Writes => (0, 1),
        };
        let sum = |read: u64, write: u64| (reads * read + writes * write) as f64;
        let ios = sum(done.read_ios, done.write_ios);
        let span_s = (to.at_ns - from.at_ns) as f64 / 1e9;
        match self.what {
            Bounded::Await => (ios > 0.0).then(|| sum(done.read_ms, done.write_ms) * 1e6 / ios),
            Bounded::Iops => Some(ios / span_s),
            Bounded::Bandwidth => {
                let sectors = sum(done.read_sectors, done.write_sectors);
                Some(sectors * SECTOR_BYTES as f64 / span_s)
            }
            Bounded::Metric => None,
        }
    }

    fn is_crossed(&self, value: f64) -> bool {
        if self.is_above {
            value > self.limit
        } else {
            value < self.limit
        }
    }
}

/// The counters of a moment.
#[derive(Clone, Copy, Debug)]
struct Moment {
    at_ns: u64,
    counters: Counters,
}

/// Bounds, and what the device did of late.
#[derive(Debug)]
pub struct Breaker {
    bounds: Vec<StopBound>,
    counters: DeviceCounters,
    recent: VecDeque<Moment>,
    /// Since when the device holds requests and completes none, ns; 0 where it does not.
    stalled_since_ns: u64,
    /// What the metric was told to be of late: values, each with the time that it stands for, ns.
    told: VecDeque<(u64, f64)>,
}

impl Breaker {
    /// Watches a device by its kernel name; none where there is no bound.
    pub fn open(
        host: &Host,
        device: &str,
        bounds: &[StopBound],
    ) -> Result<Option<Breaker>, String> {
        if bounds.is_empty() {
            return Ok(None);
        }
        let counters = DeviceCounters::open(host, device).map_err(|error| error.to_string())?;
        Ok(Some(Breaker {
            bounds: bounds.to_vec(),
            counters,
            recent: VecDeque::new(),
            stalled_since_ns: 0,
            told: VecDeque::new(),
        }))
    }

    /// Whether the metric is bounded.
    pub fn bounds_metric(&self) -> bool {
        self.bounds
            .iter()
            .any(|bound| bound.what == Bounded::Metric)
    }

    /// Takes in a value of the metric and the time that it stands for, ns. A clause on what was crossed by the mean over the
    /// last quarter of a second, or over this one value where it stands for longer.
    pub fn tell(
        &mut self,
        metric: &ExperimentMetric,
        (span_ns, value): (u64, f64),
    ) -> Option<String> {
        self.told.push_back((span_ns, value));
        let all_ns =
            |told: &VecDeque<(u64, f64)>| told.iter().map(|(span_ns, _)| span_ns).sum::<u64>();
        while all_ns(&self.told) - self.told[0].0 >= SPAN_NS {
            self.told.pop_front();
        }
        let over_ns = all_ns(&self.told);
        if over_ns < SPAN_NS {
            return None;
        }
        let sum: f64 = self
            .told
            .iter()
            .map(|(span_ns, value)| *span_ns as f64 * value)
            .sum();
        let mean = sum / over_ns as f64;
        let mut bounds = self.bounds.iter();
        let crossed =
            bounds.find(|bound| bound.what == Bounded::Metric && bound.is_crossed(mean))?;
        Some(format!(
            "{} was {} over {} (--stop-if '{}')",
            metric.name,
            in_words(metric, mean),
            units::duration_ns(over_ns as f64),
            crossed.text
        ))
    }

    /// Looks once. A clause on what was crossed; none while all is within its bounds, or not known yet. Counters that
    /// cannot be read are a crossing: nobody would see the next one.
    pub fn crossed(&mut self) -> Option<String> {
        match self.counters.read() {
            Ok(counters) => self.judge(Moment {
                at_ns: clock::monotonic_ns(),
                counters,
            }),
            Err(error) => Some(format!(
                "the device's counters cannot be read any more ({error})"
            )),
        }
    }

    /// Forgets what was seen: the load was started anew, and what it does not do yet crosses no bound.
    pub fn forget(&mut self) {
        self.recent.clear();
        self.told.clear();
        self.stalled_since_ns = 0;
    }

    fn judge(&mut self, now: Moment) -> Option<String> {
        self.note_stall(&now);
        self.recent.push_back(now);
        while self.recent.len() > 1 && now.at_ns - self.recent[1].at_ns >= SPAN_NS {
            self.recent.pop_front();
        }
        let from = *self.recent.front()?;
        if let Some(why) = self.stall(&now) {
            return Some(why);
        }
        if now.at_ns - from.at_ns < SPAN_NS {
            return None;
        }
        self.bounds.iter().find_map(|bound| {
            let value = bound
                .value(&from, &now)
                .filter(|value| bound.is_crossed(*value))?;
            Some(format!(
                "the device's {} was {} over {} (--stop-if '{}')",
                bound.phrase(),
                bound.shown(value),
                units::duration_ns((now.at_ns - from.at_ns) as f64),
                bound.text
            ))
        })
    }

    /// A device that holds requests and completes none has a latency of at least that time, whatever it did before.
    fn stall(&self, now: &Moment) -> Option<String> {
        let stalled_ns = match self.stalled_since_ns {
            0 => 0,
            since_ns => now.at_ns - since_ns,
        };
        let mut bounds = self.bounds.iter();
        let crossed = bounds.find(|bound| {
            bound.what == Bounded::Await
                && stalled_ns >= STALL_NS
                && bound.is_crossed(stalled_ns as f64)
        })?;
        Some(format!(
            "the device held requests and completed none for {} (--stop-if '{}')",
            units::duration_ns(stalled_ns as f64),
            crossed.text
        ))
    }

    fn note_stall(&mut self, now: &Moment) {
        let is_still = self.recent.back().is_some_and(|last| {
            let done = now.counters.since(&last.counters);
            done.read_ios + done.write_ios == 0 && now.counters.in_flight > 0
        });
        self.stalled_since_ns = match (is_still, self.stalled_since_ns) {
            (false, _) => 0,
            (true, 0) => self.recent.back().map_or(now.at_ns, |last| last.at_ns),
            (true, since_ns) => since_ns,
        };
    }
}

/// A value with its unit.
fn in_words(metric: &ExperimentMetric, value: f64) -> String {
    match metric.unit.as_str() {
        NS => units::duration_ns(value),
        BYTES_PER_S => units::bytes_per_s(value),
        unit => format!("{}{unit}", units::rate(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metric_is_bounded_by_what_it_is_told_to_be() {
        let mut breaker = breaker(&[bound("metric", false, 500.0)]);
        let metric = ExperimentMetric::rate("printed rate", model::metric::PER_S);
        assert!(breaker.bounds_metric());
        let mut tell = |ms: u64, value| breaker.tell(&metric, (ms * 1_000_000, value));
        assert_eq!(tell(1_000, 700.0), None);
        let why = tell(1_000, 400.0).unwrap();
        assert_eq!(
            why,
            "printed rate was 400/s over 1.00 s (--stop-if 'metric')"
        );
        assert_eq!(tell(1_000, 501.0), None);
        breaker.forget();
        // Windows of a tenth of a second say nothing by themselves.
        let mut tell = |value| breaker.tell(&metric, (120_000_000, value));
        assert_eq!((tell(0.0), tell(900.0)), (None, None));
        assert_eq!(tell(900.0), None);
        assert!(tell(0.0).is_none() && tell(0.0).is_some());
    }

    fn bound(name: &str, is_above: bool, limit: f64) -> StopBound {
        let (what, side) = StopBound::measure(name).unwrap();
        StopBound {
            text: name.into(),
            what,
            side,
            is_above,
            limit,
        }
    }

    fn breaker(bounds: &[StopBound]) -> Breaker {
        let text =
            "iodyno-host 1\npath: /sys/class/block/sda/stat\nlines: 1\n0 0 0 0 0 0 0 0 0 0 0\n";
        let host = Host::from_archive(host::Archive::parse(text).unwrap());
        Breaker::open(&host, "sda", bounds).unwrap().unwrap()
    }

    /// 10 ms after 10 ms of a device that completes so many reads in each, of so many ms each.
    fn fed(
        breaker: &mut Breaker,
        from: u64,
        steps: u64,
        (ios, ms): (u64, u64),
    ) -> Option<(u64, String)> {
        let last = breaker.recent.back().map(|last| last.counters);
        let mut counters = last.unwrap_or_default();
        (0..steps).find_map(|step| {
            counters.read_ios += ios;
            counters.read_sectors += ios * 8;
            counters.read_ms += ios * ms;
            counters.in_flight = 4;
            let at_ns = (from + step) * LOOK_NS + 1;
            breaker
                .judge(Moment { at_ns, counters })
                .map(|why| (step, why))
        })
    }

    #[test]
    fn a_latency_beyond_its_bound_is_told_once_a_quarter_of_a_second_shows_it() {
        let mut breaker = breaker(&[bound("await", true, 20e6)]);
        assert_eq!(fed(&mut breaker, 0, 100, (10, 5)), None);
        let (step, why) = fed(&mut breaker, 100, 100, (10, 40)).unwrap();
        assert!(
            (8..=15).contains(&step),
            "two fifths of the span are slow: {step}"
        );
        assert!(why.starts_with("the device's mean latency was 2"), "{why}");
        assert!(
            why.ends_with(" ms over 250 ms (--stop-if 'await')"),
            "{why}"
        );
    }

    #[test]
    fn a_device_that_completes_nothing_any_more_has_a_latency_too() {
        let mut breaker = breaker(&[bound("await", true, 300e6)]);
        assert_eq!(fed(&mut breaker, 0, 50, (10, 1)), None);
        let (step, why) = fed(&mut breaker, 50, 100, (0, 0)).unwrap();
        assert!((29..=32).contains(&step), "{step}: {why}");
        assert!(
            why.starts_with("the device held requests and completed none for 3"),
            "{why}"
        );
    }

    #[test]
    fn a_stall_is_told_by_its_own_time_also_before_there_is_a_span_and_a_slow_request_is_none() {
        let mut seen = breaker(&[bound("await", true, 20e6)]);
        assert_eq!(fed(&mut seen, 0, 50, (10, 1)), None);
        let (step, why) = fed(&mut seen, 50, 100, (0, 0)).unwrap();
        assert!((7..=9).contains(&step), "{step}: {why}");
        let mut new = breaker(&[bound("await", true, 20e6)]);
        let (step, _) = fed(&mut new, 0, 100, (0, 0)).unwrap();
        assert!((8..=10).contains(&step), "{step}");
        let mut slow = breaker(&[bound("await", true, 20e6)]);
        assert_eq!(fed(&mut slow, 0, 50, (10, 1)), None);
        assert_eq!(fed(&mut slow, 50, 6, (0, 0)), None);
        assert_eq!(fed(&mut slow, 56, 50, (10, 1)), None);
    }

    #[test]
    fn a_rate_is_bounded_from_below_and_reads_by_themselves() {
        let bounds = [bound("read.iops", false, 500.0), bound("bw", false, 1e5)];
        let mut of_reads = breaker(&bounds);
        assert_eq!(fed(&mut of_reads, 0, 50, (6, 1)), None);
        let (_, why) = fed(&mut of_reads, 50, 50, (1, 1)).unwrap();
        assert!(why.starts_with("the device's rate of reads was 4"), "{why}");
        let mut of_writes = breaker(&[bound("write.iops", false, 1.0)]);
        assert!(
            fed(&mut of_writes, 0, 50, (6, 1)).is_some(),
            "no write is a rate of nothing"
        );
    }

    #[test]
    fn nothing_is_told_before_enough_was_seen_and_after_a_new_start() {
        let mut breaker = breaker(&[bound("iops", false, 500.0)]);
        assert_eq!(fed(&mut breaker, 0, 20, (0, 0)), None);
        breaker.forget();
        assert_eq!(fed(&mut breaker, 20, 20, (0, 0)), None);
        assert!(fed(&mut breaker, 40, 20, (0, 0)).is_some());
    }

    #[test]
    fn only_what_a_device_tells_in_time_can_be_bounded() {
        assert_eq!(
            StopBound::measure("write.bw"),
            Some((Bounded::Bandwidth, BoundedSide::Writes))
        );
        for name in ["p99", "trim.iops", "read.p99", "cpu_per_io", ""] {
            assert_eq!(StopBound::measure(name), None, "{name}");
        }
    }
}
