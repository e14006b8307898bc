//! The loads of a check or a visit on their target, and whether they may be made.

use super::ground::Ground;
use super::loads::{Loads, LoadsDone};
use super::plan::CheckPlan;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::live::Teller;
use host::signals::Stop;
use host::{DeviceLock, DeviceShare, Reach, Target};
use model::iopath::IoPath;
use model::target::TargetFacts;
use model::units;
use observe::TracingWish;
use std::sync::Arc;

/// Whether anything is loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoadsWish {
    /// No: others are watched.
    None,
    /// Yes.
    Always,
    /// Yes, unless others keep a device of the path busy for more than so many per cent of the time.
    UnlessBusy(f64),
}

/// What was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing was, for this reason.
    Loads(String),
    /// The target takes no direct I/O.
    DirectLoads,
}

impl Refusal {
    /// As a check says what it could not see.
    pub fn sentence(&self) -> String {
        match self {
            Refusal::Loads(why) => format!("Loads: {why}."),
            Refusal::DirectLoads => "Direct loads: this target takes no direct I/O.".into(),
        }
    }
}

/// What measuring gave.
pub struct Measured {
    /// The loads.
    pub done: LoadsDone,
    /// Why none was made, or some were not.
    pub refusal: Option<Refusal>,
    /// Why the target failed in the middle of one.
    pub failure: Option<Failure>,
}

impl Measured {
    fn of(done: LoadsDone) -> Measured {
        Measured {
            done,
            refusal: None,
            failure: None,
        }
    }

    fn refused(done: LoadsDone, why: String) -> Measured {
        Measured {
            refusal: Some(Refusal::Loads(why)),
            ..Measured::of(done)
        }
    }
}

/// A device that is kept for the loads.
enum Hold {
    Shared(#[expect(dead_code, reason = "held until it is dropped")] DeviceShare),
    Alone(#[expect(dead_code, reason = "held until it is dropped")] DeviceLock),
}

/// What is measured, and how.
pub struct Measuring<'a> {
    /// Where words go.
    pub context: &'a Context,
    /// The path of the target.
    pub path: &'a IoPath,
    /// The loads.
    pub plan: &'a CheckPlan,
    /// How closely the block layer is traced beside them.
    pub wish: TracingWish,
    /// Whether they are made.
    pub loads: LoadsWish,
}

impl Measuring<'_> {
    /// Watches, then loads. `facts` gets the size of a scratch file that was made.
    ///
    /// # Errors
    /// Another iodyno changes settings of the device, or the target cannot be made ready for a reason that no rule knows.
    pub fn measure(
        &self,
        facts: &mut TargetFacts,
        target: Result<Arc<Target>, Failure>,
        stop: &Stop,
    ) -> Result<Measured, Failure> {
        let (context, plan) = (self.context, self.plan);
        let hold = self.hold();
        let line = Teller::new(context.out);
        let origin_ns = host::clock::monotonic_ns();
        let around = (context, self.path);
        let mut loads = Loads::start(around, plan, self.wish, (stop, &line), origin_ns);
        let _hold = match (hold, self.loads) {
            (Err(error @ host::Error::Locked { .. }), LoadsWish::UnlessBusy(_)) => {
                return Ok(Measured::refused(loads.finish(), error.to_string()));
            }
            (hold, _) => hold?,
        };
        loads.idle();
        if self.loads == LoadsWish::None {
            let why = "none was made (--no-load)".into();
            return Ok(Measured::refused(loads.finish(), why));
        }
        if stop.is_asked() {
            return Ok(Measured::of(loads.finish()));
        }
        if let Some((device, percent)) = self.busy(&loads) {
            let busy = units::percent_whole(percent);
            let why = format!("others keep {device} busy for {busy} of the time");
            return Ok(Measured::refused(loads.finish(), why));
        }
        let target = match target {
            Ok(target) => target,
            Err(failure) => {
                let why = failure.message.trim_end_matches('.').into();
                return Ok(Measured::refused(loads.finish(), why));
            }
        };
        let ground = match Ground::prepare(context, (&target, facts), plan, stop, &line) {
            Ok(ground) => ground,
            Err(error) if error.exit() == Exit::Interrupted => {
                return Ok(Measured::of(loads.finish()));
            }
            Err(error) if error.exit() == Exit::Failed && is_broken(&error) => {
                return Ok(Measured {
                    failure: Some(error.into()),
                    ..Measured::of(loads.finish())
                });
            }
            Err(error) => {
                return Ok(Measured::refused(loads.finish(), error.to_string()));
            }
        };
        if ground.is_scratch {
            facts.bytes = Some(ground.bytes());
        }
        let failure = loads.run(&ground).err();
        Ok(Measured {
            refusal: (!ground.has_direct).then_some(Refusal::DirectLoads),
            failure,
            ..Measured::of(loads.finish())
        })
    }

    /// Keeps others off the device while it is loaded; of a visit, which is held against others, also those who load.
    fn hold(&self) -> host::Result<Option<Hold>> {
        let device = self.path.queue_device();
        match (self.loads, device) {
            (LoadsWish::None, _) | (_, None) => Ok(None),
            (LoadsWish::Always, _) => Ok(shared_lock(self.context, self.path)?.map(Hold::Shared)),
            (LoadsWish::UnlessBusy(_), Some(device)) => {
                let (host, purpose) = (&self.context.host, format!("guard {}", self.path.target));
                let lock = DeviceLock::take(host, &device.name, Reach::Device, &purpose);
                Ok(held(lock)?.map(Hold::Alone))
            }
        }
    }

    /// The device of the path that others keep too busy for a load, with its share of the time, %.
    fn busy(&self, loads: &Loads<'_>) -> Option<(String, f64)> {
        let LoadsWish::UnlessBusy(most) = self.loads else {
            return None;
        };
        let frame = loads.idle_frame()?;
        let devices = frame.each("disk.busy_percent");
        let busy = devices.filter(|(device, percent)| {
            *percent > most
                && self
                    .path
                    .root
                    .walk()
                    .iter()
                    .any(|layer| layer.name == *device)
        });
        let busiest = busy.max_by(|one, other| one.1.total_cmp(&other.1));
        busiest.map(|(device, percent)| (device.to_string(), percent))
    }
}

/// Keeps tunes off the device while it is loaded: they would take our loads for their own disturbance. Where no lock can be had,
/// nothing is changed all the same.
///
/// # Errors
/// [`host::Error::Locked`] while another process changes its settings.
pub(super) fn shared_lock(context: &Context, path: &IoPath) -> host::Result<Option<DeviceShare>> {
    match path.queue_device() {
        Some(device) => held(DeviceLock::share(&context.host, &device.name)),
        None => Ok(None),
    }
}

/// The lock; none where none can be had for another reason than that somebody has it.
fn held<T>(lock: host::Result<T>) -> host::Result<Option<T>> {
    match lock {
        Err(error @ host::Error::Locked { .. }) => Err(error),
        lock => Ok(lock.ok()),
    }
}

/// No room or no inodes left; a file system that is mounted read-only (include/uapi/asm-generic/errno-base.h).
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;

/// Whether a target broke, and does not only lack room, inodes or data to read, or takes no writes: that is a matter for
/// the rules, which see it in the path.
fn is_broken(error: &load::LoadError) -> bool {
    use load::LoadError;
    let is_known = matches!(
        error,
        LoadError::NoSpace { .. }
            | LoadError::NoDirect { .. }
            | LoadError::NothingWritten { .. }
            | LoadError::Filled { .. }
    );
    let errno = match error {
        LoadError::Host { source } => source.errno(),
        _ => None,
    };
    !is_known && !matches!(errno, Some(ENOSPC | EROFS))
}
