//! The ways to see what a load's threads do.

use host::signals::Stop;
use host::{Host, Target};
use kit::targets::LoopDevice;
use load::{Consent, Region};
use model::check::{Probe, Role};
use model::job::{Job, Rw};
use model::time_account::TaskTimes;
use observe::LoadTasks;
use probe::{Layers, LoadSleeps, ProbedDevice, Strength, measure_cost};
use std::sync::Arc;

/// Length of a run.
pub const RUN_MS: u64 = 1_000;

/// What is done beside the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Nothing,
    Again,
    /// Every few ms each thread is looked at.
    Looks,
    /// That, and programs at every switch and wake-up.
    Programs,
    /// That, and the block layer is traced: all that `check` does.
    Everything,
}

/// What a run gave.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub iops: f64,
    /// Time of the programs at switches and wake-ups for each I/O, ns, with what measuring it costs; none without them.
    pub programs_ns: Option<f64>,
    /// By how much the account's sources differ, as a share; none without an account.
    pub off: Option<f64>,
}

impl Way {
    pub const ALL: [Way; 5] = [
        Way::Nothing,
        Way::Again,
        Way::Looks,
        Way::Programs,
        Way::Everything,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Way::Nothing => "nothing",
            Way::Again => "nothing, once more",
            Way::Looks => "looked at",
            Way::Programs => "looked at, and followed by programs",
            Way::Everything => "that, and the block layer traced",
        }
    }

    /// One load on the device.
    pub fn run(self, device: &LoopDevice, depth: u32) -> Result<Outcome, String> {
        let (host, stop) = (Host::live(), Stop::new());
        let job = Job {
            rw: Rw::Randread,
            iodepth: depth,
            ..Job::default()
        };
        let name = device.path().file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let layers = self.has(Way::Everything).then(|| traced(device, &name));
        let layers = layers.transpose()?;
        let mut programs = match self.has(Way::Programs) {
            true => Some(LoadSleeps::attach().map_err(said)?),
            false => None,
        };
        let target = Arc::new(Target::open(device.path()).map_err(said)?);
        let prepared = load::prepare(
            &host,
            &target,
            &job,
            &Consent::default(),
            &stop,
            &mut |_, _| {},
        )
        .map_err(said)?;
        let _statistics = programs
            .is_some()
            .then(measure_cost)
            .transpose()
            .map_err(said)?;
        let before = programs.as_ref().map(LoadSleeps::read);
        let before = before.transpose().map_err(said)?;
        let running = load::start(&prepared, &job, 1, Region::WHOLE).map_err(said)?;
        let tasks = self
            .has(Way::Looks)
            .then(|| LoadTasks::start(&host, std::slice::from_ref(&name)));
        running.wait_ms(RUN_MS, &stop);
        let mut probe = Probe::of(Role::Depth, job);
        probe.load = running.finish();
        probe.load.depth = depth;
        probe.tasks = tasks.and_then(LoadTasks::finish);
        let costs = programs.as_ref().map(LoadSleeps::cost);
        let programs_ns = costs.map(|costs| {
            let all_ns: u64 = costs.iter().map(|cost| cost.time_ns).sum();
            all_ns as f64 / probe.load.ios().max(1) as f64
        });
        if let Some((programs, before)) = programs.as_mut().zip(before) {
            let off_cpu = programs.since(&before).map_err(said)?;
            probe.tasks = probe.tasks.map(|tasks| TaskTimes { off_cpu, ..tasks });
        }
        let times = layers.map(|layers| layers.read());
        probe.layers = times.transpose().map_err(said)?;
        let account = analyse::time_account::account(&probe, &[&name]);
        Ok(Outcome {
            programs_ns,
            iops: probe.load.ios() as f64 / probe.load.elapsed_ms * 1e3,
            off: account.map(|account| account.off),
        })
    }

    /// Whether it does what that way adds.
    fn has(self, way: Way) -> bool {
        self as u8 >= way as u8
    }
}

fn traced(device: &LoopDevice, name: &str) -> Result<Layers, String> {
    let number = device.number()?;
    let (major, minor) = number.split_once(':').unwrap_or_default();
    let probed = ProbedDevice {
        major: major.parse().map_err(said)?,
        minor: minor.parse().map_err(said)?,
        name: name.into(),
    };
    Layers::attach(&[probed], Strength::Full).map_err(said)
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
