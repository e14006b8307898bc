//! Events from an own instance of tracefs, with buffers, clock and filters of its own.

pub(crate) mod intake;
mod page;

use crate::events::decode::{Decoder, decoders};
use crate::events::pairs::PairEvent;
use crate::events::{Follower, Tap, filter, numbers, refused};
use crate::{ProbeError, ProbedDevice};
use host::trace::TraceInstance;
use intake::TracefsIntake;

/// Of each CPU: 16 million bytes are some 200,000 events, a tenth of a second of the fastest devices.
const BUFFER_KIB: &str = "16384";
const WHAT: &str = "an instance of tracefs";

/// The buffers of an instance.
#[derive(Debug)]
struct Instance {
    /// Dropped before the instance, which the kernel does not remove while a buffer is open.
    intakes: Vec<TracefsIntake>,
    instance: TraceInstance,
    decoders: Vec<Decoder>,
    /// Pages before which events were lost.
    gaps: u64,
    page: Vec<u8>,
}

/// Turns the events on and follows them.
pub fn start(devices: &[ProbedDevice]) -> Result<Follower, ProbeError> {
    let numbers = numbers(devices);
    let instance = TraceInstance::create().map_err(|error| refused(WHAT, &error))?;
    let decoders = set_up(&instance, &filter(&numbers))?;
    let buffers = instance.buffers().map_err(|error| refused(WHAT, &error))?;
    let intakes = buffers.into_iter().map(TracefsIntake::new).collect();
    let page = vec![0; host::rights::page_bytes() as usize];
    let tap = Instance {
        intakes,
        instance,
        decoders,
        gaps: 0,
        page,
    };
    Ok(Follower::start("tracefs", devices, &numbers, Box::new(tap)))
}

impl Tap for Instance {
    fn round(&mut self, until_ns: u64, events: &mut Vec<PairEvent>) -> u64 {
        let mut sure_ns = until_ns;
        for intake in &mut self.intakes {
            let decoders = &self.decoders;
            let taken = intake.take(until_ns, &mut self.page, events, |at_ns, event| {
                decoders
                    .iter()
                    .find_map(|decoder| decoder.decode(at_ns, event))
            });
            self.gaps += taken.gaps;
            // Events later than the last one taken may have others before them that are still in this buffer.
            sure_ns = sure_ns.min(taken.more_after_ns.unwrap_or(until_ns));
        }
        sure_ns
    }

    fn lost(&self) -> u64 {
        self.instance.overrun().max(self.gaps)
    }
}

/// Clock, buffers, filters; the events are on when it returns, in the order of [`crate::events::decode::EVENTS`].
fn set_up(instance: &TraceInstance, filter: &str) -> Result<Vec<Decoder>, ProbeError> {
    let write = |file: &str, text: &str| {
        instance
            .write(file, text)
            .map_err(|error| refused(WHAT, &error))
    };
    write("trace_clock", "mono")?;
    write("buffer_size_kb", BUFFER_KIB)?;
    let named = decoders(|name| instance.read(&format!("events/block/{name}/format")).ok())?;
    for (name, _) in &named {
        write(&format!("events/block/{name}/filter"), filter)?;
        write(&format!("events/block/{name}/enable"), "1")?;
    }
    write("tracing_on", "1")?;
    Ok(named.into_iter().map(|(_, decoder)| decoder).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instance_is_gone_after_the_follower() {
        let (watch, instance) = match (TraceInstance::create(), TraceInstance::create()) {
            (Ok(watch), Ok(instance)) => (watch, instance),
            (Err(error), _) | (_, Err(error)) => {
                let is_root = host::rights::is_root();
                return skip::missing(if is_root { "kernel:tracefs" } else { "root" }, error);
            }
        };
        let name = instance.folder().file_name().unwrap().to_os_string();
        let file = format!("../{}/tracing_on", name.to_string_lossy());
        let decoders = set_up(&instance, "dev == 0").unwrap();
        let intakes = instance
            .buffers()
            .unwrap()
            .into_iter()
            .map(TracefsIntake::new)
            .collect();
        let tap = Instance {
            intakes,
            instance,
            decoders,
            gaps: 0,
            page: vec![0; 4096],
        };
        let nobody = ProbedDevice {
            major: 0,
            minor: 0,
            name: "none".into(),
        };
        let follower = Follower::start("tracefs", &[nobody], &[], Box::new(tap));
        assert_eq!(watch.read(&file).unwrap().trim(), "1");
        drop(follower);
        assert!(watch.read(&file).is_err(), "{file} is still there");
    }
}
