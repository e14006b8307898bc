//! What looks into the block layer: programs in the kernel, or its trace events read from here.

use crate::layers::{Programs, check_devices};
use crate::layout::COUNTERS;
use crate::tracefs::Follower;
use crate::{Device, ProbeError, ProgramCost, Strength};
use model::layers::LayerTimes;

/// An instrument at work, counting. Dropped, it is gone.
#[derive(Debug)]
pub struct Layers {
    strength: Strength,
    instrument: Instrument,
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
    /// 16, or when the kernel takes a program or map not; with tracefs, when there is none or it is locked.
    pub fn attach(devices: &[Device], strength: Strength) -> Result<Layers, ProbeError> {
        let instrument = match strength {
            Strength::Tracefs => {
                check_devices(devices)?;
                Instrument::Events(Follower::start(devices)?)
            }
            _ => Instrument::Programs(Box::new(Programs::attach(devices, strength)?)),
        };
        Ok(Layers { strength, instrument })
    }

    /// The best there is: these programs, or where the kernel has none the trace events.
    ///
    /// # Errors
    /// Why there are no programs, when there are no events either.
    pub fn attach_best(devices: &[Device], strength: Strength) -> Result<Layers, ProbeError> {
        Layers::attach(devices, strength).or_else(|error| match strength {
            Strength::Full => Layers::attach(devices, Strength::Tracefs).map_err(|_| error),
            _ => Err(error),
        })
    }

    /// What is at work.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// The devices looked at.
    pub fn devices(&self) -> &[Device] {
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
