//! Which loads a check makes and for how long.

use model::check::Role;
use model::job::{FileSet, Job, Rw, Sharing};

/// How thorough a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Ten seconds at most.
    Quick,
    /// A minute at most.
    Default,
    /// Five minutes at most.
    Deep,
}

impl Mode {
    /// As the document has it.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Quick => "quick",
            Mode::Default => "default",
            Mode::Deep => "deep",
        }
    }
}

/// One load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckStep {
    /// What it is for.
    pub role: Role,
    /// How long, ms.
    pub ms: u64,
    /// I/Os in flight of each job.
    pub depth: u32,
}

/// All of them, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckPlan {
    /// When whatever is left is left out, ms after the start.
    pub limit_ms: u64,
    /// Time with the sensors alone, ms.
    pub idle_ms: u64,
    /// Time for the writing of scratch, ms.
    pub scratch_ms: u64,
    /// The largest scratch, bytes.
    pub scratch_most: u64,
    /// Whether deeper queues are left out once the response curve has shown its knee.
    pub ends_at_knee: bool,
    /// The loads.
    pub steps: Vec<CheckStep>,
}

/// Depths of the response curve; they end where it has its knee.
const DEPTHS: [u32; 5] = [2, 8, 32, 128, 256];
const DEPTHS_QUICK: [u32; 2] = [8, 64];
const DEPTHS_DEEP: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];

/// Of a visit: the time without load, the most time for its scratch, and its rounds at the most.
const VISIT_IDLE_MS: u64 = 2_000;
const VISIT_SCRATCH_MS: u64 = 4_000;
const VISIT_ROUNDS_MOST: u64 = 8;

/// One round of a visit: one read at a time, many, streams, fsyncs, and writes.
const VISIT_ROUND: [CheckStep; 5] = [
    step(Role::Latency, 400, 1),
    step(Role::Depth, 400, 32),
    step(Role::Streams, 400, 4),
    step(Role::Fsync, 300, 1),
    step(Role::Write, 300, 32),
];

const fn step(role: Role, ms: u64, depth: u32) -> CheckStep {
    CheckStep { role, ms, depth }
}

/// Blocks of a stream, bytes: larger than any request, so that the device sees its largest ones.
const STREAM_BS: u64 = 1 << 20;

/// Streams that run together.
pub const STREAMS: u32 = 4;

/// Range of buffered loads, bytes: what of it is in the page cache is dropped before, and no more than that.
pub const BUFFERED_BYTES: u64 = 1 << 30;

impl CheckPlan {
    /// Of a mode. `observe_ms` is what the user gave for the time without load.
    pub fn of(mode: Mode, observe_ms: Option<u64>) -> CheckPlan {
        let (limit_ms, idle_ms, scratch_ms, scratch_most) = match mode {
            Mode::Quick => (9_000, 500, 1_500, 256 << 20),
            Mode::Default => (56_000, 2_000, 12_000, 1 << 30),
            Mode::Deep => (290_000, 5_000, 40_000, 4 << 30),
        };
        let steps = match mode {
            Mode::Quick => steps(600, (500, &DEPTHS_QUICK), 500, 400),
            Mode::Default => steps(2_500, (2_000, &DEPTHS), 2_000, 2_000),
            Mode::Deep => steps(12_000, (7_000, &DEPTHS_DEEP), 12_000, 15_000),
        };
        let is_kept = |step: &CheckStep| match step.role {
            Role::BufferedWrite | Role::Mixed => mode == Mode::Deep,
            Role::BufferedStream => mode != Mode::Quick,
            _ => true,
        };
        let more_ms = observe_ms.unwrap_or(0).saturating_sub(idle_ms);
        CheckPlan {
            limit_ms: limit_ms + more_ms,
            idle_ms: observe_ms.unwrap_or(idle_ms),
            scratch_ms,
            scratch_most,
            ends_at_knee: true,
            steps: steps.into_iter().filter(is_kept).collect(),
        }
    }

    /// A visit of `guard`: the same few loads in rounds, so that a moment of others' work falls on all of them alike. The scratch
    /// is written and the loads are made within `device_ms`.
    pub fn visit(device_ms: u64) -> CheckPlan {
        let scratch_ms = (device_ms / 5).min(VISIT_SCRATCH_MS);
        let round_ms: u64 = VISIT_ROUND.iter().map(|step| step.ms).sum();
        // A tenth is left for syncs, and for the ends of loads.
        let rounds = (device_ms - scratch_ms) * 9 / 10 / round_ms;
        let rounds = rounds.clamp(1, VISIT_ROUNDS_MOST) as usize;
        CheckPlan {
            limit_ms: VISIT_IDLE_MS + device_ms,
            idle_ms: VISIT_IDLE_MS,
            scratch_ms,
            scratch_most: 256 << 20,
            ends_at_knee: false,
            steps: VISIT_ROUND.repeat(rounds),
        }
    }

    /// How long it is likely to take, ms; `has_scratch` tells whether anything is written.
    pub fn expected_ms(&self, has_scratch: bool) -> u64 {
        let scratch_ms = if has_scratch { self.scratch_ms } else { 0 };
        let made = self
            .steps
            .iter()
            .filter(|step| has_scratch || !writes(step.role));
        (self.idle_ms + scratch_ms + made.map(|step| step.ms).sum::<u64>()).min(self.limit_ms)
    }
}

fn steps(
    latency_ms: u64,
    (depth_ms, depths): (u64, &[u32]),
    read_ms: u64,
    write_ms: u64,
) -> Vec<CheckStep> {
    let mut steps = vec![step(Role::Latency, latency_ms, 1)];
    steps.extend(
        depths
            .iter()
            .map(|depth| step(Role::Depth, depth_ms, *depth)),
    );
    steps.extend([
        step(Role::Stream, read_ms, 4),
        step(Role::Streams, read_ms, 4),
        step(Role::BufferedRandom, read_ms, 1),
        step(Role::BufferedStream, read_ms, 1),
        step(Role::Fsync, write_ms, 1),
        step(Role::Write, write_ms, 32),
        step(Role::WriteStream, write_ms, 4),
        step(Role::BufferedWrite, write_ms, 1),
        step(Role::Mixed, write_ms, 4),
    ]);
    steps
}

/// Whether a load changes its target.
pub fn writes(role: Role) -> bool {
    matches!(
        role,
        Role::Write | Role::WriteStream | Role::BufferedWrite | Role::Fsync | Role::Mixed
    )
}

/// Whether a load goes through the page cache.
pub fn is_buffered(role: Role) -> bool {
    matches!(
        role,
        Role::BufferedRandom | Role::BufferedStream | Role::BufferedWrite | Role::Fsync
    )
}

/// The job of a load on a target of so many bytes.
pub fn job(step: CheckStep, bytes: u64, seed: u64) -> Job {
    let base = Job {
        iodepth: step.depth,
        runtime_ms: step.ms,
        direct: !is_buffered(step.role),
        randseed: seed,
        ..Job::default()
    };
    let stream = Job {
        bs: STREAM_BS,
        ..base.clone()
    };
    let one_by_one = Job {
        ioengine: "psync".into(),
        ..base.clone()
    };
    match step.role {
        Role::Idle => Job {
            ioengine: "none".into(),
            ..Job::default()
        },
        Role::Latency | Role::Depth => base,
        Role::Stream => Job {
            rw: Rw::Read,
            ..stream
        },
        Role::Streams => Job {
            rw: Rw::Read,
            numjobs: STREAMS,
            ..stream
        },
        Role::BufferedRandom => buffered(
            Job {
                bs: 16 << 10,
                ..one_by_one
            },
            bytes,
        ),
        Role::BufferedStream => buffered(
            Job {
                rw: Rw::Read,
                bs: 128 << 10,
                ..one_by_one
            },
            bytes,
        ),
        Role::Write => Job {
            rw: Rw::Randwrite,
            ..base
        },
        Role::WriteStream => Job {
            rw: Rw::Write,
            ..stream
        },
        Role::BufferedWrite => Job {
            rw: Rw::Write,
            bs: 64 << 10,
            ..one_by_one
        },
        Role::Fsync => Job {
            rw: Rw::Write,
            fsync: 1,
            ..one_by_one
        },
        Role::Mixed => base,
    }
}

/// The writes beside the reads of [`Role::Mixed`].
pub fn mixed_writes(step: CheckStep, seed: u64) -> Job {
    let stream = CheckStep {
        role: Role::WriteStream,
        ..step
    };
    job(stream, 0, seed)
}

/// Reads that begin with nothing cached in their range, and find nothing cached when they come round again.
fn buffered(job: Job, bytes: u64) -> Job {
    let files = FileSet {
        sharing: Sharing::Same,
        ..FileSet::default()
    };
    // In the middle of a large target: what the other loads have read lies at its beginning.
    let offset = (bytes / 2).min(bytes.saturating_sub(BUFFERED_BYTES)) & !((1 << 20) - 1);
    let size = BUFFERED_BYTES.min(bytes - offset);
    Job {
        files,
        offset,
        size,
        cold_passes: true,
        ..job
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::check_job;

    #[test]
    fn every_mode_keeps_its_time() {
        for (mode, most_ms) in [
            (Mode::Quick, 10_000),
            (Mode::Default, 60_000),
            (Mode::Deep, 300_000),
        ] {
            let plan = CheckPlan::of(mode, None);
            assert!(
                plan.expected_ms(true) <= plan.limit_ms && plan.limit_ms < most_ms,
                "{mode:?}: {plan:?}"
            );
            let steps: u64 = plan.steps.iter().map(|step| step.ms).sum();
            let all_ms = steps + plan.idle_ms + plan.scratch_ms;
            assert!(all_ms < plan.limit_ms, "{mode:?} takes {all_ms} ms");
        }
        let longer = CheckPlan::of(Mode::Quick, Some(30_000));
        assert_eq!((longer.idle_ms, longer.limit_ms), (30_000, 9_000 + 29_500));
        assert!(
            !CheckPlan::of(Mode::Quick, None)
                .steps
                .iter()
                .any(|step| step.role == Role::Mixed)
        );
    }

    #[test]
    fn a_visit_keeps_to_its_budget_in_whole_rounds() {
        for device_ms in [3_000, 10_000, 20_000, 600_000] {
            let plan = CheckPlan::visit(device_ms);
            let loads_ms: u64 = plan.steps.iter().map(|step| step.ms).sum();
            assert!(plan.scratch_ms + loads_ms <= device_ms, "{plan:?}");
            assert_eq!(plan.steps.len() % VISIT_ROUND.len(), 0);
            assert!(plan.steps.iter().all(|step| step.role != Role::Idle));
        }
        assert_eq!(CheckPlan::visit(20_000).steps.len(), 8 * VISIT_ROUND.len());
    }

    #[test]
    fn every_job_can_be_run_and_only_those_that_say_so_write() {
        for step in CheckPlan::of(Mode::Deep, None).steps {
            let job = job(step, 3 << 30, 1);
            assert!(check_job(&job).is_ok(), "{step:?}");
            assert_eq!(
                job.rw.writes(),
                writes(step.role) && step.role != Role::Mixed,
                "{step:?}"
            );
            assert_eq!(job.direct, !is_buffered(step.role), "{step:?}");
        }
    }

    #[test]
    fn buffered_reads_stay_inside_and_apart() {
        for bytes in [64 << 20, 1 << 30, 3 << 30, 1 << 40] {
            let job = buffered(Job::default(), bytes);
            assert!(
                job.offset + job.size <= bytes && job.size <= BUFFERED_BYTES,
                "{job:?}"
            );
            assert!(job.offset.is_multiple_of(1 << 20));
        }
        assert_eq!(buffered(Job::default(), 1 << 40).offset, 1 << 39);
    }
}
