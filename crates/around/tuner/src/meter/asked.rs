//! The gauge of a counter that is asked for from outside.
//!
//! Only answers that came after the switch tell a window, so no value mixes what two settings did. Where the count is
//! behind what it counts, the window's end is told later, while its setting is still in place, and the count at a moment is
//! the mean of those told over the time that it may be behind: each event is told at an even chance somewhere in it.

use super::outside::{Heard, Outside, Series};
use super::{Gauge, GrainSpan, MeterError};
use load::Running;
use std::sync::Arc;

/// Readings without which a window has no slope.
const READINGS_LEAST: usize = 2;
/// Places over which the mean count is taken: a step of the count then moves the mean by little.
const PLACES: u64 = 40;

/// Makes values of what a source answers.
#[derive(Debug)]
pub struct Asked {
    outside: Arc<Outside>,
}

impl Asked {
    /// Of this source.
    pub fn of(outside: &Arc<Outside>) -> Asked {
        Asked {
            outside: Arc::clone(outside),
        }
    }

    fn view(&self, span: &GrainSpan) -> View {
        let pace = self.outside.pace;
        let lag_ns = pace.lag_ms * 1_000_000;
        View {
            lag_ns,
            // What the grain that is dropped at least does not outlast.
            shift_ns: lag_ns * 3 / 4 - (lag_ns * 3 / 4).min(span.grain_ns),
        }
    }
}

impl Gauge for Asked {
    fn looks_at_grains(&self) -> bool {
        false
    }

    fn is_ready(&mut self, _: &Running) -> Result<bool, MeterError> {
        let heard = self.outside.heard()?;
        Ok(!heard.series.is_empty())
    }

    fn look(&mut self, _: &Running) -> Result<(), MeterError> {
        self.outside.hurry();
        Ok(())
    }

    fn is_told(&mut self, _: &Running, span: &GrainSpan) -> Result<bool, MeterError> {
        Ok(self.view(span).is_told(&*self.outside.heard()?, span))
    }

    fn values(&mut self, _: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        self.view(span).values(&*self.outside.heard()?, span)
    }
}

/// How a count is seen.
#[derive(Clone, Copy, Debug)]
struct View {
    /// How far the count may be behind, ns.
    lag_ns: u64,
    /// How much later than a moment the mean that stands for it begins, ns.
    shift_ns: u64,
}

impl View {
    fn is_told(&self, heard: &Heard, span: &GrainSpan) -> bool {
        let until_ns = span.end_ns() + self.shift_ns + self.lag_ns;
        let mut all = heard.series.values();
        !heard.series.is_empty()
            && all.all(|series| {
                let own = own(series, span);
                let last_ns = own.last().map_or(0, |(at_ns, _)| *at_ns);
                own.len() >= READINGS_LEAST && last_ns >= until_ns
            })
    }

    fn values(&self, heard: &Heard, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        let mut sum = vec![0.0; span.count];
        for (name, series) in &heard.series {
            if series.resets.iter().any(|at_ns| *at_ns >= span.begin_ns) {
                return Err(MeterError::NoValue(format!("the counter {name} was reset")));
            }
            let own = own(series, span);
            let edges = (0..=span.count as u64)
                .map(|edge| self.count_at(own, span.begin_ns + edge * span.grain_ns));
            let edges: Option<Vec<f64>> = edges.collect();
            let edges = edges.ok_or_else(|| {
                MeterError::NoValue("the counter was told less than twice".into())
            })?;
            let per_s = 1e9 / span.grain_ns as f64;
            for (value, two) in sum.iter_mut().zip(edges.windows(2)) {
                *value += (two[1] - two[0]).max(0.0) * per_s;
            }
        }
        Ok(sum)
    }

    /// What was counted at a moment.
    fn count_at(&self, own: &[(u64, f64)], at_ns: u64) -> Option<f64> {
        if self.lag_ns == 0 {
            return between(own, at_ns as f64);
        }
        let begin_ns = (at_ns + self.shift_ns) as f64;
        let place_ns = self.lag_ns as f64 / PLACES as f64;
        let counts =
            (0..PLACES).map(|place| between(own, begin_ns + (place as f64 + 0.5) * place_ns));
        let counts: Option<Vec<f64>> = counts.collect();
        counts.map(|counts| stats::mean(&counts))
    }
}

/// The readings since the window began.
fn own<'a>(series: &'a Series, span: &GrainSpan) -> &'a [(u64, f64)] {
    let first = series
        .readings
        .partition_point(|(at_ns, _)| *at_ns < span.begin_ns);
    &series.readings[first..]
}

/// The count between two readings grows evenly; before the first and behind the last it goes on as beside them.
fn between(readings: &[(u64, f64)], at_ns: f64) -> Option<f64> {
    let after = readings.partition_point(|(reading_ns, _)| *reading_ns as f64 <= at_ns);
    let right = after.clamp(1, readings.len().saturating_sub(1).max(1));
    let (from, to) = (readings.get(right - 1)?, readings.get(right)?);
    let slope = (to.1 - from.1) / (to.0 - from.0).max(1) as f64;
    Some(from.1 + slope * (at_ns - from.0 as f64))
}

#[cfg(test)]
mod tests {
    use super::super::outside::Reading;
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;
    const S: u64 = 1_000 * MS;
    const FRESH: View = View {
        lag_ns: 0,
        shift_ns: 0,
    };

    fn heard(readings: impl IntoIterator<Item = (u64, f64)>) -> Heard {
        let mut heard = Heard::default();
        for (at_ns, count) in readings {
            heard.add(Reading {
                series: "all".into(),
                at_ns,
                count,
            });
        }
        heard
    }

    fn span(begin_ns: u64, grain_ns: u64, count: usize) -> GrainSpan {
        GrainSpan {
            begin_ns,
            grain_ns,
            count,
        }
    }

    #[test]
    fn what_came_before_the_switch_tells_nothing() {
        // A hundred a second before 10 s, ten a second from then on; the answers straddle the switch.
        let at = |ms: u64| {
            let s = ms as f64 / 1e3;
            (
                ms * MS,
                if s < 10.0 {
                    100.0 * s
                } else {
                    1_000.0 + 10.0 * (s - 10.0)
                },
            )
        };
        let all = heard((0..60).map(|step| at(9_000 + 70 * step)));
        let values = FRESH.values(&all, &span(10 * S, 500 * MS, 4)).unwrap();
        assert!(
            values.iter().all(|value| (value - 10.0).abs() < 1e-6),
            "{values:?}"
        );
    }

    #[test]
    fn a_window_is_told_once_the_answers_reach_its_end() {
        let window = span(10 * S, 500 * MS, 4);
        let until = |end_ms: u64| heard((10_000..=end_ms).step_by(250).map(|ms| (ms * MS, 0.0)));
        assert!(!FRESH.is_told(&until(11_750), &window) && FRESH.is_told(&until(12_000), &window));
        let late = View {
            lag_ns: S,
            shift_ns: 250 * MS,
        };
        assert!(!late.is_told(&until(13_000), &window) && late.is_told(&until(13_250), &window));
        assert!(!FRESH.is_told(&Heard::default(), &window));
    }

    #[test]
    fn a_reset_and_a_silent_counter_are_no_value() {
        let window = span(10 * S, S, 2);
        let reset = heard([(10 * S, 50.0), (11 * S, 60.0), (12 * S, 3.0)]);
        let why = FRESH.values(&reset, &window).unwrap_err().to_string();
        assert!(why.contains("was reset"), "{why}");
        assert!(FRESH.values(&heard([(10 * S, 50.0)]), &window).is_err());
        let earlier = heard([(8 * S, 9.0), (9 * S, 3.0), (10 * S, 5.0), (13 * S, 8.0)]);
        assert_eq!(FRESH.values(&earlier, &window).unwrap(), [1.0, 1.0]);
    }

    /// Backends that publish what they did once a second, at their own moments.
    fn published(backends: &[u64], rate: impl Fn(u64) -> f64, until_ms: u64) -> Heard {
        let mut done = vec![0.0];
        (0..until_ms).for_each(|ms| done.push(done[ms as usize] + rate(ms) / 1e3));
        heard((0..=until_ms).step_by(250).map(|ms| {
            let published = backends.iter().map(|phase| {
                let at = (ms + 1_000 - phase) / 1_000 * 1_000 + phase;
                done[at.saturating_sub(1_000).min(until_ms) as usize]
            });
            (ms * MS, published.sum())
        }))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Whenever the backends publish, a switch that halves the rate is seen as one, and not before its time.
        #[test]
        fn a_late_count_tells_what_its_window_did(
            backends in proptest::collection::vec(0u64..1_000, 1..12),
            to in prop_oneof![Just(50.0), Just(100.0), Just(200.0)],
        ) {
            let all = published(&backends, |ms| if ms < 5_000 { 100.0 } else { to }, 9_000);
            let late = View { lag_ns: S, shift_ns: 500 * MS };
            let values = late.values(&all, &span(5 * S, 250 * MS, 4)).unwrap();
            let kept = stats::mean(&values[1..]) / backends.len() as f64;
            prop_assert!((kept / to - 1.0).abs() < 0.12, "{kept} in place of {to}: {values:?}");
        }

        /// Whatever the answers, there are values or a reason.
        #[test]
        fn no_answers_break_it(
            answers in proptest::collection::vec((0u64..20_000, any::<f64>()), 0..60),
            lag_ms in 0u64..2_000,
            count in 0usize..20,
        ) {
            let all = heard(answers.into_iter().map(|(ms, count)| (ms * MS, count)));
            let view = View { lag_ns: lag_ms * MS, shift_ns: lag_ms * MS / 2 };
            let window = span(3 * S, 250 * MS, count);
            view.is_told(&all, &window);
            if let Ok(values) = view.values(&all, &window) {
                prop_assert!(values.len() == count && values.iter().all(|value| *value >= 0.0));
            }
        }
    }
}
