//! A window of a metric that something else collects every few seconds: it is over when several samples have come after the
//! switch.

use super::{DriveError, GrainSpan, MeterError, Rig, untold};
use experiment::{BIN_MS, Window, WindowReport};
use host::clock;

/// Between two looks whether the samples have come, ns.
const LOOK_NS: u64 = 50_000_000;
/// Samples that do not come are waited for so many windows long,
const PATIENCE: u64 = 3;
/// and no shorter, ns: longer than the meter waits for a server that is away, so that its words are the ones that are told.
const PATIENCE_MIN_NS: u64 = 90_000_000_000;

impl Rig<'_> {
    /// Waits for the samples of a window that has begun with its switch, and tells their growth.
    pub(super) fn measure_scrapes(&mut self, window: &Window) -> Result<WindowReport, DriveError> {
        let begin_ns = clock::monotonic_ns();
        let counted_from = self.edge(window, 0.0);
        let span = GrainSpan {
            begin_ns,
            grain_ns: self.grain_ms * 1_000_000,
            count: 1,
        };
        let last_ns = span.begin_ns + (PATIENCE * span.grain_ns).max(PATIENCE_MIN_NS);
        let value = loop {
            self.sleep_until(clock::monotonic_ns() + LOOK_NS)?;
            let told = match self.is_told(&span) {
                Ok(false) if clock::monotonic_ns() > last_ns => Err(MeterError::NoValue(
                    "no samples of it came any more. Look whether it is still scraped".into(),
                )),
                Ok(false) => continue,
                Ok(true) => self.values_of(&span),
                Err(error) => Err(error),
            };
            match untold(window, told)? {
                Ok(values) => break stats::mean(&values),
                Err(told) => return Ok(told),
            }
        };
        self.must_have_company()?;
        let took_ms = ((clock::monotonic_ns() - begin_ns) / 1_000_000).max(BIN_MS);
        self.told_whole(window, (begin_ns, took_ms), &counted_from, value)
    }

    fn is_told(&mut self, span: &GrainSpan) -> Result<bool, MeterError> {
        match &self.running {
            Some(running) => self.gauge.is_told(running, span),
            None => Err(MeterError::NoValue("no load is running".into())),
        }
    }

    fn values_of(&mut self, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        match &self.running {
            Some(running) => self.gauge.values(running, span),
            None => Err(MeterError::NoValue("no load is running".into())),
        }
    }
}
