//! What looks into the block layer: programs in the kernel, or its events read from here.

use crate::events::Follower;
use crate::layers::{Programs, check_devices};
use crate::layout::COUNTERS;
use crate::{ProbeError, ProbedDevice, ProgramCost, Strength, blktrace, perf, tracefs};
use model::layers::LayerTimes;

/// An instrument at work, counting. Dropped, it is gone.
#[derive(Debug)]
pub struct Layers {
    strength: Strength,
    instrument: Instrument,
    /// Why it is not a better one, where one was tried.
    why_not_better: Vec<String>,
}

#[derive(Debug)]
enum Instrument {
    Programs(Box<Programs>),
    Events(Follower),
}

impl Layers {
    /// Attaches to these devices: 20 to 50 ms for the lite strength, up to a second for the full one on a busy machine.
    ///
    /// # Errors
    /// Without type information of the kernel (BTF), without CAP_BPF and CAP_PERFMON, without devices, with more than
    /// 16, or when the kernel refuses a program or map; without programs, when there are no events or they are locked.
    pub fn attach(devices: &[ProbedDevice], strength: Strength) -> Result<Layers, ProbeError> {
        check_devices(devices)?;
        let instrument = match strength {
            Strength::Lite | Strength::Full => {
                Instrument::Programs(Box::new(Programs::attach(devices, strength)?))
            }
            Strength::Perf => Instrument::Events(perf::start(devices)?),
            Strength::Tracefs => Instrument::Events(tracefs::start(devices)?),
            Strength::Blktrace => Instrument::Events(blktrace::start(devices)?),
        };
        Ok(Layers {
            strength,
            instrument,
            why_not_better: Vec::new(),
        })
    }

    /// The best there is of those that see every event, for the full strength: programs, perf, tracefs, blktrace. For
    /// another strength that one or nothing.
    ///
    /// # Errors
    /// Why there is none of them.
    pub fn attach_best(devices: &[ProbedDevice], strength: Strength) -> Result<Layers, ProbeError> {
        check_devices(devices)?;
        if strength != Strength::Full {
            return Layers::attach(devices, strength);
        }
        let mut why_not_better = Vec::new();
        for strength in Strength::EVERY_EVENT {
            let attached = match strength {
                // Who asks for it by name gets it; as one of several it has to be sound.
                Strength::Perf => perf::check().and_then(|()| Layers::attach(devices, strength)),
                _ => Layers::attach(devices, strength),
            };
            match attached {
                Ok(layers) => {
                    return Ok(Layers {
                        why_not_better,
                        ..layers
                    });
                }
                Err(error) => why_not_better.push(format!("{}: {error}", strength.rung())),
            }
        }
        Err(ProbeError::NoRung {
            reasons: why_not_better.join("; "),
        })
    }

    /// Why it is not a better one, a sentence for each that was tried before it.
    pub fn why_not_better(&self) -> &[String] {
        &self.why_not_better
    }

    /// What is at work.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// The devices looked at.
    pub fn devices(&self) -> &[ProbedDevice] {
        match &self.instrument {
            Instrument::Programs(programs) => programs.devices(),
            Instrument::Events(follower) => follower.devices(),
        }
    }

    /// Everything counted since attaching. Costs a system call for each direction, layer and device: some tens of µs.
    pub fn read(&self) -> Result<LayerTimes, ProbeError> {
        match &self.instrument {
            Instrument::Programs(programs) => programs.read(),
            Instrument::Events(follower) => Ok(follower.read()),
        }
    }

    /// The counters of a device, in the order of [`Layers::counter_names`]; cheap enough for ten times a second.
    pub fn counters(&self, slot: usize) -> Result<[u64; COUNTERS.len()], ProbeError> {
        match &self.instrument {
            Instrument::Programs(programs) => programs.counters(slot),
            Instrument::Events(follower) => Ok(follower.counters(slot)),
        }
    }

    /// Names of the counters.
    pub fn counter_names() -> &'static [&'static str] {
        &COUNTERS
    }

    /// What each program has cost and missed; nothing without programs.
    pub fn cost(&self) -> Vec<ProgramCost> {
        match &self.instrument {
            Instrument::Programs(programs) => programs.cost(),
            Instrument::Events(_) => Vec::new(),
        }
    }

    /// Attaches one program more that does nothing, to each issue: what [`Layers::cost`] then says of `nothing` is what
    /// measuring costs by itself, for each run of every program.
    ///
    /// # Errors
    /// When the kernel does not take it.
    pub fn calibrate(&mut self) -> Result<(), ProbeError> {
        match &mut self.instrument {
            Instrument::Programs(programs) => programs.calibrate(),
            Instrument::Events(_) => Ok(()),
        }
    }
}
