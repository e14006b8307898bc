//! The thread that reads all sensors at fixed moments.

use super::track::Track;
use super::{Scope, sensors};
use host::{Host, clock};
use model::sample::SensorLog;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Name of the thread, to be told from load threads in ps and in traces.
const THREAD: &str = "iodyno-sensors";

/// Sensors at work. The first sample is taken before [`Sampler::start`] returns and the last one when it is stopped,
/// so that what happened in between is covered whole.
pub struct Sampler {
    stop: mpsc::Sender<()>,
    thread: Option<JoinHandle<Vec<Track>>>,
    absent: Vec<SensorLog>,
}

impl Sampler {
    /// Opens every sensor and samples each `interval_ms`. Times are ns after `origin_ns` of
    /// [`host::clock::monotonic_ns`]. A sensor that has nothing to read is left out and says why in its log.
    pub fn start(host: &Host, interval_ms: u64, origin_ns: u64, scope: &Scope) -> Sampler {
        let mut absent = Vec::new();
        let mut tracks = Vec::new();
        for sensor in sensors::ALL {
            match Track::open(sensor, host, scope) {
                Ok(track) => tracks.push(track),
                Err(reason) => absent.push(SensorLog::absent(sensor.id, reason)),
            }
        }
        tracks.iter_mut().for_each(|track| track.sample(origin_ns));
        let (stop, stopped) = mpsc::channel();
        let interval_ns = interval_ms.max(1) * 1_000_000;
        let thread = std::thread::Builder::new()
            .name(THREAD.into())
            .spawn(move || run(tracks, &stopped, interval_ns, origin_ns));
        let thread = thread.map_err(|error| absent.extend(all_absent(&error.to_string()))).ok();
        Sampler { stop, thread, absent }
    }

    /// Takes the last sample and gives back what was read, in the order of the sensors' ids.
    pub fn stop(mut self) -> Vec<SensorLog> {
        // The thread may have ended early; then there is nobody to tell.
        let _ = self.stop.send(());
        let mut logs = std::mem::take(&mut self.absent);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(tracks)) => logs.extend(tracks.into_iter().map(Track::finish)),
            Some(Err(_)) => logs = all_absent("the sensor thread broke down").collect(),
            None => {}
        }
        logs.sort_by(|a, b| a.sensor.cmp(&b.sensor));
        logs
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // Without a receiver's answer the thread ends by itself; waiting for it keeps no file open behind our back.
        let _ = self.stop.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn all_absent(reason: &str) -> impl Iterator<Item = SensorLog> {
    sensors::ALL.iter().map(move |sensor| SensorLog::absent(sensor.id, reason))
}

/// Samples at absolute moments, so that lateness does not add up. A late sample keeps its true time; moments that
/// passed meanwhile are skipped, never made up for in a burst.
fn run(mut tracks: Vec<Track>, stopped: &mpsc::Receiver<()>, interval_ns: u64, origin_ns: u64) -> Vec<Track> {
    let start_ns = clock::monotonic_ns();
    let mut tick = 1;
    loop {
        let wait_ns = (start_ns + tick * interval_ns).saturating_sub(clock::monotonic_ns());
        let signal = stopped.recv_timeout(Duration::from_nanos(wait_ns));
        let is_last = signal != Err(RecvTimeoutError::Timeout);
        for track in tracks.iter_mut().filter(|track| is_last || track.is_due(tick)) {
            track.sample(origin_ns);
        }
        if is_last {
            return tracks;
        }
        let passed = (clock::monotonic_ns() - start_ns) / interval_ns;
        tick = passed.max(tick) + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_from_the_first_moment_to_the_last() {
        // A busy machine lets the thread come late: then there are fewer samples, and it gets more time.
        let (mut ms, mut logs) = (75, Vec::<SensorLog>::new());
        while ms < 20_000 && logs.first().is_none_or(|cpu| cpu.time_ns.len() < 4) {
            ms *= 2;
            let sampler = Sampler::start(&Host::live(), 20, clock::monotonic_ns(), &Scope::default());
            clock::sleep_ms(ms);
            logs = sampler.stop();
        }
        let ids: Vec<&str> = logs.iter().map(|log| log.sensor.as_str()).collect();
        assert_eq!(ids, ["cpu", "diskstats", "interrupts", "layers", "memory", "pressure"]);
        let cpu = &logs[0];
        assert!(cpu.time_ns.len() >= 4, "{:?}", cpu.time_ns);
        assert!(cpu.time_ns.is_sorted() && cpu.time_ns[0] >= 0);
        assert!(*cpu.time_ns.last().unwrap() >= ms as i64 * 1_000_000, "the last is that of the stop");
        assert!(cpu.cost_cpu_ns > 0);
        assert!(cpu.series.iter().all(|series| series.values.len() == cpu.time_ns.len()));
    }

    #[test]
    fn stopping_does_not_wait_for_the_next_moment() {
        let before_ns = clock::monotonic_ns();
        let logs = Sampler::start(&Host::live(), 600_000, before_ns, &Scope::default()).stop();
        assert!(clock::monotonic_ns() - before_ns < 300_000_000_000);
        assert_eq!(logs[0].time_ns.len(), 2, "the first and the last");
    }

    #[test]
    fn a_machine_without_sources_has_logs_that_say_why() {
        let archive = host::Archive::parse("iodyno-host 1\n").unwrap();
        let logs = Sampler::start(&Host::from_archive(archive), 10, 0, &Scope::default()).stop();
        assert_eq!(logs.len(), sensors::ALL.len());
        assert!(logs.iter().all(|log| log.no_data.as_ref().is_some_and(|reason| !reason.is_empty())));
    }
}
