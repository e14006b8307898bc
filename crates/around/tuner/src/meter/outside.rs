//! Counters that are asked for from outside: of a database through its client.
//!
//! A thread of its own asks, so that a slow answer delays neither a window nor a bound of `--stop-if`. What it got is kept
//! with the time of each answer; the gauge makes values of it once the answers that it needs are there.

use super::MeterError;
use host::clock;
use model::units::span_ms;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A source without an answer for so long is silent, ns.
const PATIENCE_NS: u64 = 10_000_000_000;
/// Readings kept of each series before the window that is measured: more than any window holds.
const KEPT_NS: u64 = 600_000_000_000;

/// How a source is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Between two questions, ms.
    pub every_ms: u64,
    /// How far the count may be behind what it counts, ms: 0 where an answer tells what holds at its moment.
    pub lag_ms: u64,
}

/// Where a counter stood.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Which of several that are added up.
    pub series: String,
    /// When, ns on the monotonic clock.
    pub at_ns: u64,
    /// The counter.
    pub count: f64,
}

/// What is asked. It is made, asked and dropped in one thread.
pub trait Source {
    /// The counters now, in the order of time for each series; readings that were given before may be given again.
    ///
    /// # Errors
    /// What failed, why, and what to do: it is asked no more.
    fn read(&mut self) -> Result<Vec<Reading>, String>;
}

/// A source that is being asked.
#[derive(Debug)]
pub struct Outside {
    /// How it is asked.
    pub pace: Pace,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    heard: Mutex<Heard>,
    wake: Condvar,
}

/// What was answered so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard {
    /// By series.
    pub series: BTreeMap<String, Series>,
    /// When the last answer came, or the first question was asked, ns.
    answered_ns: u64,
    /// Why it is asked no more.
    trouble: Option<String>,
    is_hurried: bool,
    is_over: bool,
}

/// How far a counter grew.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    /// When, and the growth since the first reading.
    pub readings: Vec<(u64, f64)>,
    /// The last count.
    count: f64,
    /// When it began anew, ns.
    pub resets: Vec<u64>,
}

impl Outside {
    /// Makes the source in a thread of its own, and asks it until this is dropped. Comes back with its first answer.
    ///
    /// # Errors
    /// When the source cannot be made, or gives no answer: in its own words.
    pub fn ask<S: Source>(
        make: impl FnOnce() -> Result<(S, Pace), String> + Send + 'static,
    ) -> Result<Outside, String> {
        let shared = Arc::new(Shared::default());
        let asked = Arc::clone(&shared);
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("meter".into());
        let thread = thread.spawn(move || {
            let (mut source, pace) = match make() {
                Ok(made) => made,
                Err(why) => return drop(tell.send(Err(why))),
            };
            asked.heard().answered_ns = clock::monotonic_ns();
            let first = source.read();
            asked.heard().take(first.clone(), clock::monotonic_ns());
            let is_ready = match first {
                Err(why) => Err(why),
                Ok(_) => Ok(pace),
            };
            let goes_on = is_ready.is_ok();
            if tell.send(is_ready).is_ok() && goes_on {
                asked.go_on(&mut source, pace);
            }
        });
        let thread = thread.map_err(|error| format!("no thread could be started: {error}"))?;
        let mut outside = Outside {
            pace: Pace {
                every_ms: 0,
                lag_ms: 0,
            },
            shared,
            thread: Some(thread),
        };
        let told = told.recv();
        outside.pace = told.unwrap_or_else(|_| Err("the thread that asks ended".into()))?;
        Ok(outside)
    }

    /// Asks for a reading at once.
    pub fn hurry(&self) {
        self.shared.heard().is_hurried = true;
        self.shared.wake.notify_all();
    }

    /// What was answered so far.
    ///
    /// # Errors
    /// When the source failed, or has been silent for too long.
    pub(super) fn heard(&self) -> Result<MutexGuard<'_, Heard>, MeterError> {
        let heard = self.shared.heard();
        heard.must_speak(clock::monotonic_ns())?;
        Ok(heard)
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.shared.heard().is_over = true;
        self.shared.wake.notify_all();
        // Every source gives up a question by itself after seconds.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// A panicking thread leaves it in no half-written state, so poisoning says nothing.
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn go_on(&self, source: &mut dyn Source, pace: Pace) {
        loop {
            let heard = self.heard();
            let pause = Duration::from_millis(pace.every_ms);
            let idle = |heard: &mut Heard| !heard.is_over && !heard.is_hurried;
            let waited = self.wake.wait_timeout_while(heard, pause, idle);
            let mut heard = waited.unwrap_or_else(PoisonError::into_inner).0;
            if heard.is_over || heard.trouble.is_some() {
                return;
            }
            heard.is_hurried = false;
            drop(heard);
            let read = source.read();
            self.heard().take(read, clock::monotonic_ns());
        }
    }
}

impl Heard {
    fn take(&mut self, read: Result<Vec<Reading>, String>, now_ns: u64) {
        match read {
            Ok(readings) => {
                readings.into_iter().for_each(|reading| self.add(reading));
                self.answered_ns = now_ns;
                let old_ns = now_ns.saturating_sub(KEPT_NS);
                let all = self.series.values_mut();
                all.for_each(|series| series.forget_before(old_ns));
            }
            Err(trouble) => self.trouble = Some(trouble),
        }
    }

    pub(super) fn add(&mut self, reading: Reading) {
        let Reading {
            series,
            at_ns,
            count,
        } = reading;
        if !count.is_finite() {
            return;
        }
        let series = self.series.entry(series).or_default();
        let grown = match series.readings.last() {
            None => 0.0,
            Some((last_ns, _)) if *last_ns >= at_ns => return,
            Some((_, grown)) => {
                let step = count - series.count;
                if step < 0.0 {
                    series.resets.push(at_ns);
                }
                grown + step.max(0.0)
            }
        };
        series.readings.push((at_ns, grown));
        series.count = count;
    }

    fn must_speak(&self, now_ns: u64) -> Result<(), MeterError> {
        if let Some(why) = &self.trouble {
            return Err(MeterError::Source(why.clone()));
        }
        let silent_ns = now_ns.saturating_sub(self.answered_ns);
        if silent_ns <= PATIENCE_NS {
            return Ok(());
        }
        Err(MeterError::Source(format!(
            "it has been silent for {}. Ask it by hand, and begin again once it answers",
            span_ms(silent_ns / 1_000_000)
        )))
    }
}

impl Series {
    fn forget_before(&mut self, at_ns: u64) {
        let first = self.readings.partition_point(|(at, _)| *at < at_ns);
        self.readings.drain(..first);
        self.resets.retain(|at| *at >= at_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Told(Vec<Result<Vec<Reading>, String>>);

    impl Source for Told {
        fn read(&mut self) -> Result<Vec<Reading>, String> {
            match self.0.len() {
                0 => Ok(Vec::new()),
                _ => self.0.remove(0),
            }
        }
    }

    fn at(at_ns: u64, count: f64) -> Reading {
        Reading {
            series: String::new(),
            at_ns,
            count,
        }
    }

    fn asking(answers: Vec<Result<Vec<Reading>, String>>) -> Result<Outside, String> {
        let pace = Pace {
            every_ms: 1,
            lag_ms: 0,
        };
        Outside::ask(move || Ok((Told(answers), pace)))
    }

    #[test]
    fn the_first_answer_decides_and_later_failures_are_told() {
        let refused = Err("no route".into());
        assert_eq!(asking(vec![refused]).unwrap_err(), "no route");
        let failing = Outside::ask(|| Err::<(Told, Pace), _>("no such program".into()));
        assert_eq!(failing.unwrap_err(), "no such program");
        let dies = Err("the server went away".into());
        let outside = asking(vec![Ok(vec![at(1, 5.0)]), dies]).unwrap();
        let told = loop {
            match outside.heard() {
                Ok(_) => clock::sleep_ms(1),
                Err(error) => break error.to_string(),
            }
        };
        assert!(told.contains("the server went away"), "{told}");
    }

    #[test]
    fn what_is_silent_for_long_is_an_error_and_never_a_zero() {
        let mut heard = Heard::default();
        heard.take(Ok(vec![at(0, 1.0)]), 5);
        assert!(heard.must_speak(PATIENCE_NS).is_ok());
        let silent = heard.must_speak(PATIENCE_NS + 6).unwrap_err().to_string();
        assert!(silent.contains("silent for 10 s"), "{silent}");
    }

    #[test]
    fn growth_is_counted_whatever_the_counter_began_with() {
        let mut heard = Heard::default();
        for (at_ns, count) in [
            (10, 500.0),
            (20, 507.0),
            (20, 999.0),
            (15, 1.0),
            (30, 2.0),
            (40, 4.0),
        ] {
            heard.add(at(at_ns, count));
        }
        heard.add(at(50, f64::NAN));
        let series = &heard.series[""];
        assert_eq!(
            series.readings,
            [(10, 0.0), (20, 7.0), (30, 7.0), (40, 9.0)]
        );
        assert_eq!(series.resets, [30]);
    }
}
