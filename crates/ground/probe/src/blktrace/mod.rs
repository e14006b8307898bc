//! Events from blktrace: one trace of each device, for kernels whose trace events cannot be had.

pub(crate) mod record;

use crate::events::pairs::PairEvent;
use crate::events::{Follower, Tap, numbers};
use crate::{ProbeError, ProbedDevice};
use host::blktrace::BlkTrace;
use record::BlktraceIntake;

/// Whole records of a CPU, as many as its buffers hold.
const READ_BYTES: usize = 512 << 10;

/// The traces of all devices.
#[derive(Debug)]
struct Traces {
    traces: Vec<Trace>,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Trace {
    trace: BlkTrace,
    intakes: Vec<BlktraceIntake>,
    /// Events for which there was no room, by the kernel's count.
    dropped: u64,
    /// Those that were half written when they were read.
    torn: u64,
    /// The latest event, ns: what was dropped came after it.
    latest_ns: u64,
}

/// Sets the traces up, begins them and follows them.
pub fn start(devices: &[ProbedDevice]) -> Result<Follower, ProbeError> {
    let traces = devices.iter().map(set_up).collect::<Result<Vec<_>, _>>()?;
    for trace in &traces {
        trace.trace.start().map_err(|error| refused(&error))?;
    }
    let tap = Traces {
        traces,
        buffer: vec![0; READ_BYTES],
    };
    Ok(Follower::start(
        "blktrace",
        devices,
        &numbers(devices),
        Box::new(tap),
    ))
}

/// Whether a trace of this device could be had: it is set up and taken down without being begun.
pub fn try_on(device: &ProbedDevice) -> Result<(), ProbeError> {
    set_up(device).map(drop)
}

fn set_up(device: &ProbedDevice) -> Result<Trace, ProbeError> {
    let trace = BlkTrace::set_up(&device.name).map_err(|error| refused(&error))?;
    let intakes = vec![BlktraceIntake::default(); trace.streams()];
    Ok(Trace {
        trace,
        intakes,
        dropped: 0,
        torn: 0,
        latest_ns: 0,
    })
}

fn refused(error: &host::Error) -> ProbeError {
    ProbeError::NoTrace {
        why: error.to_string(),
    }
}

impl Tap for Traces {
    fn round(&mut self, until_ns: u64, events: &mut Vec<PairEvent>) -> u64 {
        let mut is_more = false;
        for trace in &mut self.traces {
            is_more |= trace.round(&mut self.buffer, events);
        }
        // With more to come nothing is certain: it may be older than what another CPU has written.
        if is_more { 0 } else { until_ns }
    }

    fn lost(&self) -> u64 {
        self.traces
            .iter()
            .map(|trace| trace.dropped + trace.torn)
            .sum()
    }
}

impl Trace {
    /// Takes one reading of each CPU; whether one of them filled the buffer.
    fn round(&mut self, buffer: &mut [u8], events: &mut Vec<PairEvent>) -> bool {
        let mut is_more = false;
        for (stream, intake) in self.intakes.iter_mut().enumerate() {
            // What cannot be read is as good as nothing: what it had is missed as unseen.
            let bytes = self.trace.read(stream, buffer).unwrap_or(0);
            let is_whole = bytes < buffer.len();
            is_more |= !is_whole;
            self.torn += intake.take(&buffer[..bytes], is_whole, events);
            self.latest_ns = self.latest_ns.max(intake.last_ns());
        }
        let dropped = self.trace.dropped();
        if dropped > self.dropped {
            self.dropped = dropped;
            events.push(PairEvent::lost(self.latest_ns));
        }
        is_more
    }
}
