//! The thread that reads all sensors at fixed moments.

use super::store::Keep;
use super::track::Track;
use super::{Scope, sensors};
use host::clock::{Participant, outer, recv_until};
use host::{Host, clock, process};
use model::reading::{Reading, ReadingRow, SeriesName};
use model::sample::SensorLog;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Name of the thread, to be told from load threads in ps and in traces.
const THREAD: &str = "iodyno-sensors";

/// Sensors at work. The first sample is taken before [`Sampler::start`] returns and the last one when it is stopped,
/// so that what happened in between is covered whole.
pub struct Sampler {
    orders: mpsc::Sender<Order>,
    thread: Option<(Participant, JoinHandle<()>)>,
    state: Arc<Mutex<SamplerState>>,
    absent: Vec<SensorLog>,
}

/// What the thread is told.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// Take the last sample and end.
    Stop,
    /// Sample so often from now on, ns.
    Every(u64),
}

/// What the thread and those who look share. Both hold it for moments only.
#[derive(Default)]
struct SamplerState {
    tracks: Vec<Track>,
    last_ns: i64,
    late: u64,
    lost: u64,
}

/// How the sampling itself goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Time of the last sample, ns on the sampler's clock.
    pub last_ns: i64,
    /// Time of the earliest sample that is still kept, ns.
    pub first_ns: i64,
    /// Samples that came more than half an interval late.
    pub late: u64,
    /// Moments that passed without a sample, because the one before took too long.
    pub lost: u64,
    /// CPU time that all sensors have taken, ns.
    pub cost_cpu_ns: u64,
    /// By sensor: CPU time, ns.
    pub cost_by_sensor: Vec<(&'static str, u64)>,
    /// Sensors that have nothing to read here, with the reason.
    pub absent: Vec<(String, String)>,
    /// What a reader of the samples must know, by sensor.
    pub notes: Vec<(&'static str, String)>,
}

impl Sampler {
    /// Opens every sensor and samples each `interval_ms`. Times are ns after `origin_ns` of
    /// [`host::clock::monotonic_ns`]. A sensor that has nothing to read is left out and says why in its log.
    pub fn start(host: &Host, interval_ms: u64, origin_ns: u64, scope: &Scope) -> Sampler {
        Sampler::keeping(Keep::Run, host, interval_ms, origin_ns, scope)
    }

    /// The same, for those who only look back so far.
    pub fn keeping(
        keep: Keep,
        host: &Host,
        interval_ms: u64,
        origin_ns: u64,
        scope: &Scope,
    ) -> Sampler {
        let mut absent = Vec::new();
        let mut tracks = Vec::new();
        for sensor in sensors::ALL {
            match Track::open(sensor, host, scope, keep) {
                Ok(track) => tracks.push(track),
                Err(reason) => absent.push(SensorLog::absent(sensor.id, reason)),
            }
        }
        for track in &mut tracks {
            track.ask_every(interval_ms.max(1) * 1_000_000);
            track.sample(origin_ns);
        }
        let last_ns = clock::monotonic_ns().wrapping_sub(origin_ns) as i64;
        let state = Arc::new(Mutex::new(SamplerState {
            tracks,
            last_ns,
            ..SamplerState::default()
        }));
        let (orders, told) = mpsc::channel();
        let interval_ns = interval_ms.max(1) * 1_000_000;
        let (shared, part) = (state.clone(), Participant::enrol());
        let thread = std::thread::Builder::new()
            .name(THREAD.into())
            .spawn(move || {
                let _part = part.begin();
                run(&shared, &told, interval_ns, origin_ns);
            });
        let thread = thread
            .inspect_err(|error| {
                part.leave();
                absent.extend(all_absent(&error.to_string()));
            })
            .map(|thread| (part, thread))
            .ok();
        Sampler {
            orders,
            thread,
            state,
            absent,
        }
    }

    /// A history that has ended: of each sensor its id, its series and its rows, the oldest first. Nothing is sampled; it
    /// is there to be looked at.
    pub fn of_rows(
        histories: impl IntoIterator<Item = (&'static str, Vec<SeriesName>, Vec<ReadingRow>)>,
    ) -> Sampler {
        let tracks: Vec<Track> = histories
            .into_iter()
            .map(|(id, series, rows)| Track::of_rows(id, series, rows))
            .collect();
        let last_ns = tracks.iter().filter_map(Track::last_ns).max().unwrap_or(0);
        let state = Arc::new(Mutex::new(SamplerState {
            tracks,
            last_ns,
            ..SamplerState::default()
        }));
        Sampler {
            orders: mpsc::channel().0,
            thread: None,
            state,
            absent: Vec::new(),
        }
    }

    /// What every sensor read at the end of some time and at its beginning, ns on the sampler's clock.
    pub fn readings(&self, from_ns: i64, to_ns: i64) -> Vec<Reading> {
        locked(&self.state)
            .tracks
            .iter()
            .filter_map(|track| track.reading(from_ns, to_ns))
            .collect()
    }

    /// Up to when something new can be told by one who has told everything up to `told_ns`; none as long as the devices'
    /// counters were not read again. They are left out now and then where reading them is dear, while other sensors go
    /// on, and what is told at such a moment would be told twice.
    pub fn news(&self, told_ns: i64) -> Option<i64> {
        let state = locked(&self.state);
        let devices = state.tracks.iter().find(|track| track.id() == "diskstats");
        // A row behind the last moment belongs to a round of readings that is still under way.
        let read_ns =
            devices.map_or(Some(state.last_ns), |track| track.last_until(state.last_ns))?;
        (read_ns > told_ns).then_some(state.last_ns)
    }

    /// [`Sampler::readings`] of one sensor, for each of `count` equal parts of a time: a curve over it. A part in which the
    /// sensor was not read has nothing.
    pub fn curve(
        &self,
        sensor: &str,
        from_ns: i64,
        to_ns: i64,
        count: usize,
    ) -> Vec<Option<Reading>> {
        let state = locked(&self.state);
        let Some(track) = state.tracks.iter().find(|track| track.id() == sensor) else {
            return vec![None; count];
        };
        let step_ns = (to_ns - from_ns) / count.max(1) as i64;
        let part = |part: usize| {
            let start_ns = from_ns + step_ns * part as i64;
            let reading = track.reading(start_ns, start_ns + step_ns)?;
            (reading.to.time_ns > start_ns).then_some(reading)
        };
        (0..count).map(part).collect()
    }

    /// Samples so often from now on. What was kept stays.
    pub fn set_interval(&self, interval_ms: u64) {
        // A thread that has ended samples no more, however often.
        let _ = self
            .orders
            .send(Order::Every(interval_ms.max(1) * 1_000_000));
    }

    /// The moment so many samples after another, or before it where the count is negative, by the sensor that has most;
    /// the last or first one at the ends.
    pub fn step(&self, time_ns: i64, count: i64) -> i64 {
        let state = locked(&self.state);
        let most = state.tracks.iter().max_by_key(|track| track.len());
        most.and_then(|track| track.step(time_ns, count))
            .unwrap_or(time_ns)
    }

    /// How the sampling goes.
    pub fn status(&self) -> Status {
        let state = locked(&self.state);
        let tracks = &state.tracks;
        Status {
            last_ns: state.last_ns,
            first_ns: tracks
                .iter()
                .filter_map(Track::first_ns)
                .min()
                .unwrap_or(state.last_ns),
            late: state.late,
            lost: state.lost,
            cost_cpu_ns: tracks.iter().map(Track::cost_ns).sum(),
            cost_by_sensor: tracks
                .iter()
                .map(|track| (track.id(), track.cost_ns()))
                .collect(),
            absent: self
                .absent
                .iter()
                .map(|log| (log.sensor.clone(), log.no_data.clone().unwrap_or_default()))
                .collect(),
            notes: tracks
                .iter()
                .flat_map(|track| track.notes().into_iter().map(|note| (track.id(), note)))
                .collect(),
        }
    }

    /// Takes the last sample and gives back what was read, in the order of the sensors' ids.
    pub fn stop(mut self) -> Vec<SensorLog> {
        // The thread may have ended early; then there is nobody to tell.
        let _ = self.orders.send(Order::Stop);
        let mut logs = std::mem::take(&mut self.absent);
        match self.thread.take().map(ended) {
            Some(Ok(())) => {
                let tracks = std::mem::take(&mut locked(&self.state).tracks);
                logs.extend(tracks.into_iter().map(Track::finish));
            }
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
        let _ = self.orders.send(Order::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = ended(thread);
        }
    }
}

/// How long the last reading may take. A file system that is gone can hold a reading for ever: then what was read before
/// is all there is, and the thread is left behind.
const LAST_READING_NS: u64 = 10_000_000_000;

/// Waits for the thread's end, but not for ever.
fn ended((part, thread): (Participant, JoinHandle<()>)) -> std::thread::Result<()> {
    let begun_ns = outer::monotonic_ns();
    part.wait(|| {
        while !thread.is_finished() {
            if outer::monotonic_ns() - begun_ns > LAST_READING_NS {
                return Ok(());
            }
            outer::sleep_ns(500_000);
        }
        thread.join()
    })
}

/// A thread that broke down while it sampled leaves whole rows behind, so what there is can still be read.
fn locked(state: &Mutex<SamplerState>) -> MutexGuard<'_, SamplerState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn all_absent(reason: &str) -> impl Iterator<Item = SensorLog> {
    sensors::ALL
        .iter()
        .map(move |sensor| SensorLog::absent(sensor.id, reason))
}

/// Samples at absolute moments, so that lateness does not add up. A late sample keeps its true time; moments that
/// passed meanwhile are skipped, never made up for in a burst.
fn run(
    state: &Mutex<SamplerState>,
    told: &mpsc::Receiver<Order>,
    mut interval_ns: u64,
    origin_ns: u64,
) {
    let mut start_ns = clock::monotonic_ns();
    let mut tick = 1;
    loop {
        let moment_ns = start_ns + tick * interval_ns;
        let is_last = match recv_until(told, moment_ns) {
            Ok(Order::Every(asked_ns)) => {
                locked(state)
                    .tracks
                    .iter_mut()
                    .for_each(|track| track.ask_every(asked_ns));
                (start_ns, interval_ns, tick) = (clock::monotonic_ns(), asked_ns.max(1), 1);
                continue;
            }
            Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => true,
            Err(RecvTimeoutError::Timeout) => false,
        };
        let is_late = !is_last && clock::monotonic_ns() > moment_ns + interval_ns / 2;
        locked(state).late += u64::from(is_late);
        sample_all(state, (!is_last).then_some(tick), origin_ns);
        if is_last {
            return;
        }
        let passed = (clock::monotonic_ns() - start_ns) / interval_ns;
        locked(state).lost += passed.saturating_sub(tick);
        tick = passed.max(tick) + 1;
    }
}

/// Reads every sensor that is due at a moment, or all of them. Nobody who looks waits for a reading: the state is held to
/// begin and to end one, never in between.
fn sample_all(state: &Mutex<SamplerState>, tick: Option<u64>, origin_ns: u64) {
    let since_origin = || clock::monotonic_ns().wrapping_sub(origin_ns) as i64;
    let count = locked(state).tracks.len();
    let time_ns = since_origin();
    let mut cpu_ns = process::thread_cpu_ns();
    for place in 0..count {
        let begin = |track: &mut Track| match tick {
            Some(tick) if !track.is_due(tick, time_ns) => None,
            _ => track.begin(),
        };
        let away = locked(state).tracks.get_mut(place).and_then(begin);
        if let Some(mut away) = away {
            cpu_ns = away.read(origin_ns, cpu_ns);
            if let Some(track) = locked(state).tracks.get_mut(place) {
                track.end(away);
            }
        }
    }
    // Behind the last row, so that whoever asks for this moment gets every row of it.
    locked(state).last_ns = since_origin();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_from_the_first_moment_to_the_last() {
        // A busy machine lets the thread come late: then there are fewer samples, and it gets more time.
        let (mut ms, mut logs) = (75, Vec::<SensorLog>::new());
        while ms < 20_000
            && logs
                .iter()
                .find(|log| log.sensor == "cpu")
                .is_none_or(|cpu| cpu.time_ns.len() < 4)
        {
            ms *= 2;
            let sampler =
                Sampler::start(&Host::live(), 20, clock::monotonic_ns(), &Scope::default());
            clock::sleep_ms(ms);
            logs = sampler.stop();
        }
        let ids: Vec<&str> = logs.iter().map(|log| log.sensor.as_str()).collect();
        let known: Vec<&str> = sensors::ALL.iter().map(|sensor| sensor.id).collect();
        assert_eq!(ids, known);
        let cpu = logs.iter().find(|log| log.sensor == "cpu").unwrap();
        assert!(cpu.time_ns.len() >= 4, "{:?}", cpu.time_ns);
        assert!(cpu.time_ns.is_sorted() && cpu.time_ns[0] >= 0);
        assert!(
            *cpu.time_ns.last().unwrap() >= ms as i64 * 1_000_000,
            "the last is that of the stop"
        );
        assert!(cpu.cost_cpu_ns > 0);
        assert!(
            cpu.series
                .iter()
                .all(|series| series.values.len() == cpu.time_ns.len())
        );
    }

    #[test]
    fn a_history_is_looked_at_as_if_it_were_live() {
        let name = |name: &str| SeriesName {
            name: name.into(),
            kind: model::sample::MetricKind::Counter,
        };
        let row = |second: i64| ReadingRow {
            time_ns: second * 1_000_000_000,
            cells: vec![second as f64 * 100.0, f64::NAN].into(),
        };
        let series = vec![name("disk.sda.read_ios"), name("disk.sdb.read_ios")];
        let sampler = Sampler::of_rows([("diskstats", series, (0..=60).map(row).collect())]);
        let status = sampler.status();
        assert_eq!((status.first_ns, status.last_ns), (0, 60_000_000_000));
        let readings = sampler.readings(59_000_000_000, 60_000_000_000);
        assert_eq!(
            (readings[0].seconds(), readings[0].to.cells[0]),
            (1.0, 6000.0)
        );
        let curve = sampler.curve("diskstats", 0, 60_000_000_000, 6);
        assert!(
            curve
                .iter()
                .all(|part| part.as_ref().is_some_and(|part| part.seconds() == 10.0))
        );
        assert_eq!(sampler.curve("cpu", 0, 60_000_000_000, 2).len(), 2);
        assert_eq!(sampler.step(30_500_000_000, -1), 29_000_000_000);
    }

    #[test]
    fn what_was_told_of_the_devices_is_no_news() {
        let series = |name: &str| {
            vec![SeriesName {
                name: name.into(),
                kind: model::sample::MetricKind::Counter,
            }]
        };
        let rows = |seconds: &[i64]| -> Vec<ReadingRow> {
            let row = |second: &i64| ReadingRow {
                time_ns: second * 1_000_000_000,
                cells: vec![*second as f64].into(),
            };
            seconds.iter().map(row).collect()
        };
        let disk = || ("diskstats", series("disk.sda.read_ios"), rows(&[0, 1, 2]));
        let cpu = || ("cpu", series("cpu.0.user"), rows(&[0, 1, 2, 3]));
        // At 3 s the counters of the devices were left out.
        let sampler = Sampler::of_rows([cpu(), disk()]);
        assert_eq!(sampler.news(1_500_000_000), Some(3_000_000_000));
        assert_eq!(sampler.news(2_500_000_000), None);
        // Where no device counts, the other sensors are the news.
        let sampler = Sampler::of_rows([cpu()]);
        assert_eq!(sampler.news(2_500_000_000), Some(3_000_000_000));
        assert_eq!(sampler.news(3_000_000_000), None);
    }

    #[test]
    fn stopping_does_not_wait_for_the_next_moment() {
        let before_ns = clock::monotonic_ns();
        let logs = Sampler::start(&Host::live(), 600_000, before_ns, &Scope::default()).stop();
        assert!(clock::monotonic_ns() - before_ns < 300_000_000_000);
        let cpu = logs.iter().find(|log| log.sensor == "cpu").unwrap();
        assert_eq!(cpu.time_ns.len(), 2, "the first and the last");
    }

    #[test]
    fn the_interval_can_be_changed_while_it_goes_on() {
        let sampler = Sampler::start(
            &Host::live(),
            60_000,
            clock::monotonic_ns(),
            &Scope::default(),
        );
        let first_ns = sampler.status().last_ns;
        sampler.set_interval(20);
        // Bounded by the test's own patience only: a busy machine samples late, and still samples.
        let has_sampled = (0..3_000).any(|_| {
            clock::sleep_ms(20);
            sampler.status().last_ns > first_ns
        });
        assert!(has_sampled);
    }

    #[test]
    fn a_machine_without_sources_has_logs_that_say_why() {
        let archive = host::Archive::parse("iodyno-host 1\n").unwrap();
        let logs = Sampler::start(&Host::from_archive(archive), 10, 0, &Scope::default()).stop();
        assert_eq!(logs.len(), sensors::ALL.len());
        assert!(logs.iter().all(|log| {
            log.no_data
                .as_ref()
                .is_some_and(|reason| !reason.is_empty())
        }));
    }
}
