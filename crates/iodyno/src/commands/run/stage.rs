//! Runs the sections: those of a stage together, stage after stage, on one time line.

use super::args::RunArgs;
use super::hold;
use super::intervals::Intervals;
use super::targets::Targets;
use crate::commands::job_args::Workload;
use crate::commands::layers_arg::{self, wish};
use crate::context::Context;
use crate::exit::Failure;
use crate::live::{Progress, View};
use host::clock;
use host::signals::Stop;
use load::{Region, Running};
use model::iopath::IoPath;
use model::job::{Section, stages};
use model::layers::LayerTimes;
use model::record::SectionResult;
use model::sample::SensorLog;
use observe::{INTERVAL_DEFAULT_MS, Sampler, Scope};

/// How often a load is looked at, ns.
const LOOK_NS: u64 = 20_000_000;

/// What the run gave.
#[derive(Debug)]
pub struct StageDone {
    /// By section, in the order of the job.
    pub sections: Vec<SectionResult>,
    /// What the sensors read beside them.
    pub sensors: Vec<SensorLog>,
    /// Where I/Os spent their time, where that was asked for.
    pub layers: Option<LayerTimes>,
}

/// Runs everything, until it is done or a stop is asked for.
pub fn run_all(
    args: &RunArgs,
    context: &Context,
    workload: &Workload,
    targets: &Targets,
    path: &IoPath,
    stop: &Stop,
) -> Result<StageDone, Failure> {
    let origin_ns = clock::monotonic_ns();
    let tracing = layers_arg::start(&context.host, path, wish(args.layers));
    let layers_before = tracing.read();
    let scope = Scope {
        tracing,
        ..Scope::of(path)
    };
    let sampler = Sampler::start(&context.host, INTERVAL_DEFAULT_MS, origin_ns, &scope);
    if args.hold {
        hold::wait(context, stop);
    }
    let mut sections = Vec::new();
    let mut index = 0;
    for (number, members) in stages(&workload.sections).into_iter().enumerate() {
        if stop.is_asked() {
            break;
        }
        let mut stage = RunStage {
            args,
            context,
            targets,
            number: number as u32,
            origin_ns,
            first: index,
        };
        index += members.len();
        sections.extend(stage.run(&members, stop)?);
    }
    let layers = scope.tracing.since(layers_before.as_ref());
    Ok(StageDone {
        sections,
        sensors: sampler.stop(),
        layers,
    })
}

/// Sections that run together.
struct RunStage<'a> {
    args: &'a RunArgs,
    context: &'a Context,
    targets: &'a Targets,
    number: u32,
    /// Start of the run, ns.
    origin_ns: u64,
    /// The number of its first section.
    first: usize,
}

/// A section at work.
struct Active<'a> {
    section: &'a Section,
    /// As [`SectionResult::elsewhere`].
    elsewhere: String,
    running: Running,
    intervals: Intervals,
    started_ns: u64,
    /// When its time is over, ns; never for one that ends by itself alone.
    end_ns: u64,
    /// When what it does begins to count, ns; 0 when it does.
    ramp_end_ns: u64,
}

impl RunStage<'_> {
    fn run(&mut self, members: &[&Section], stop: &Stop) -> Result<Vec<SectionResult>, Failure> {
        let begin_ns = clock::monotonic_ns();
        let mut slots: Vec<Slot<'_>> = members
            .iter()
            .map(|section| Slot::Waiting(section))
            .collect();
        let mut progress = Progress::new(self.context.out);
        while !slots.iter().all(|slot| matches!(slot, Slot::Over(_))) {
            let now_ns = clock::monotonic_ns();
            for (index, slot) in slots.iter_mut().enumerate() {
                self.step(index, slot, begin_ns, now_ns, stop)?;
            }
            progress.show(
                &slots
                    .iter()
                    .filter_map(Slot::active)
                    .map(Active::view)
                    .collect::<Vec<_>>(),
            );
            clock::sleep_until_ns(now_ns + LOOK_NS);
        }
        progress.clear();
        Ok(slots.into_iter().filter_map(Slot::result).collect())
    }

    /// Begins a section whose time has come, ends one whose time is over.
    fn step<'a>(
        &self,
        index: usize,
        slot: &mut Slot<'a>,
        begin_ns: u64,
        now_ns: u64,
        stop: &Stop,
    ) -> Result<(), Failure> {
        match slot {
            Slot::Waiting(section) => {
                let section: &'a Section = section;
                if stop.is_asked() {
                    *slot = Slot::Over(None);
                } else if now_ns >= begin_ns + section.job.startdelay_ms * 1_000_000 {
                    *slot = Slot::Active(Box::new(self.begin(index, section)?));
                }
            }
            Slot::Active(active) => {
                active.look(self.context, now_ns, self.args.stream);
                if let Some(failure) = active.running.failure() {
                    return Err(failure.into());
                }
                let is_time_up = now_ns >= active.end_ns;
                if is_time_up && active.running.wind_down(&active.section.job) && !stop.is_asked() {
                    // It syncs or reads back what it wrote, and ends by itself.
                    active.end_ns = u64::MAX;
                } else if (is_time_up || active.running.is_over() || stop.is_asked())
                    && let Slot::Active(active) = std::mem::replace(slot, Slot::Over(None))
                {
                    *slot = Slot::Over(Some(Box::new(self.end(*active)?)));
                }
            }
            Slot::Over(_) => {}
        }
        Ok(())
    }

    fn begin<'a>(&self, index: usize, section: &'a Section) -> Result<Active<'a>, Failure> {
        let job = &section.job;
        let running = load::start(
            self.targets.of(self.first + index),
            job,
            job.randseed,
            Region::WHOLE,
        )?;
        let started_ns = running.origin_ns();
        if self.args.hold && self.first + index == 0 {
            hold::began(self.context, started_ns);
        }
        let whole_ms = job.ramp_ms + job.runtime_ms;
        Ok(Active {
            section,
            elsewhere: self.targets.elsewhere(self.first + index).into(),
            intervals: Intervals::new(&section.name, started_ns, self.args.interval),
            started_ns,
            end_ns: if job.runtime_ms == 0 {
                u64::MAX
            } else {
                started_ns + whole_ms * 1_000_000
            },
            ramp_end_ns: if job.ramp_ms == 0 {
                0
            } else {
                started_ns + job.ramp_ms * 1_000_000
            },
            running,
        })
    }

    fn end(&self, active: Active<'_>) -> Result<SectionResult, Failure> {
        let Active {
            section,
            elsewhere,
            mut running,
            mut intervals,
            started_ns,
            ..
        } = active;
        intervals.look(&running, clock::monotonic_ns());
        // What fails only at the end, such as another program's report, shows once everything stands still.
        running.stop();
        if let Some(failure) = running.failure() {
            return Err(failure.into());
        }
        let mut load = running.finish();
        (load.intervals, load.latency_map) = intervals.into_all();
        Ok(SectionResult {
            name: section.name.clone(),
            stage: self.number,
            start_ms: started_ns.saturating_sub(self.origin_ns) / 1_000_000,
            elsewhere,
            job: section.job.clone(),
            load,
        })
    }
}

/// Where a section stands.
enum Slot<'a> {
    Waiting(&'a Section),
    Active(Box<Active<'a>>),
    Over(Option<Box<SectionResult>>),
}

impl<'a> Slot<'a> {
    fn active(&self) -> Option<&Active<'a>> {
        match self {
            Slot::Active(active) => Some(active),
            _ => None,
        }
    }

    fn result(self) -> Option<SectionResult> {
        match self {
            Slot::Over(result) => result.map(|result| *result),
            _ => None,
        }
    }
}

impl Active<'_> {
    fn look(&mut self, context: &Context, now_ns: u64, is_streaming: bool) {
        if self.ramp_end_ns != 0 && now_ns >= self.ramp_end_ns {
            self.running.begin_measuring();
            self.ramp_end_ns = 0;
        }
        self.running.poll();
        if self.intervals.is_due(now_ns)
            && let Some(line) = self.intervals.look(&self.running, now_ns)
            && is_streaming
        {
            context.out.line(&line);
        }
    }

    fn view(&self) -> View<'_> {
        View {
            name: &self.section.name,
            last: self.intervals.last(),
            rates: self.intervals.rates(),
            elapsed_ms: clock::monotonic_ns().saturating_sub(self.started_ns) / 1_000_000,
            whole_ms: (self.end_ns != u64::MAX)
                .then(|| (self.end_ns - self.started_ns) / 1_000_000),
        }
    }
}
