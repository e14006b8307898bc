//! A window that is one run of a command: it is over when the command has ended and what it wrote is on the disk.

use super::{DriveError, GrainSpan, Rig, sync_all, untold};
use experiment::{BIN_MS, Window, WindowReport};
use host::clock;
use model::record::WindowRun;
use observe::EdgeReading;

/// Between two looks whether the command has ended, ns.
const LOOK_NS: u64 = 1_000_000;

impl Rig<'_> {
    /// Waits for the end of the run that has begun, and tells it.
    pub(super) fn measure_run(&mut self, window: &Window) -> Result<WindowReport, DriveError> {
        let begin_ns = self
            .running
            .as_ref()
            .map_or_else(clock::monotonic_ns, load::Running::origin_ns);
        let counted_from = self.edge(window, 0.0);
        while self.goes_on()? {
            self.sleep_until(clock::monotonic_ns() + LOOK_NS)?;
        }
        sync_all(self.setup)?;
        let took_ms = ((clock::monotonic_ns() - begin_ns) / 1_000_000).max(BIN_MS);
        match self.value_of_run(window, begin_ns)? {
            Ok(value) => self.told_whole(window, (begin_ns, took_ms), &counted_from, value),
            Err(told) => Ok(told),
        }
    }

    /// A window that has one value, told, with what the counters say of it. It began and took so long.
    pub(super) fn told_whole(
        &mut self,
        window: &Window,
        (begin_ns, took_ms): (u64, u64),
        counted_from: &EdgeReading,
        value: f64,
    ) -> Result<WindowReport, DriveError> {
        let counted_to = self.edge(window, 0.0);
        if let Some(gathered) = self.gathered(window) {
            gathered.add_counters(window.arm, counted_from, &counted_to);
        }
        self.windows.push(WindowRun {
            arm: window.arm,
            stage: window.stage,
            start_ms: begin_ns.saturating_sub(self.setup.origin_ns) / 1_000_000,
            length_ms: took_ms,
            discard_ms: 0,
            rate: value,
            half_depth: false,
        });
        self.must_be_within_metric(took_ms)?;
        Ok(WindowReport::Measured {
            id: window.id,
            rates: vec![value; (took_ms / BIN_MS) as usize],
            latency: None,
            foreign: None,
        })
    }

    /// Whether the command is at work; one that failed ends the experiment.
    fn goes_on(&self) -> Result<bool, DriveError> {
        let running = self
            .running
            .as_ref()
            .ok_or_else(|| DriveError::Defect("no load".into()))?;
        match running.failure() {
            Some(failure) => Err(failure.into()),
            None => Ok(!running.is_over()),
        }
    }

    fn value_of_run(
        &mut self,
        window: &Window,
        begin_ns: u64,
    ) -> Result<Result<f64, WindowReport>, DriveError> {
        let running = self
            .running
            .as_ref()
            .ok_or_else(|| DriveError::Defect("no load".into()))?;
        let span = GrainSpan {
            begin_ns,
            grain_ns: clock::monotonic_ns() - begin_ns,
            count: 1,
        };
        let values = untold(window, self.gauge.values(running, &span))?;
        Ok(values.map(|values| stats::mean(&values)))
    }
}
