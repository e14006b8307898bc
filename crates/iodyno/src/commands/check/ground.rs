//! What the loads work on: scratch of a size that its time allows, or the target itself, which is then only read.

use super::plan::CheckPlan;
use crate::context::Context;
use crate::live::Teller;
use host::Target;
use host::clock;
use host::signals::Stop;
use load::{Consent, LoadError, Prepared};
use model::job::{Job, Rw};
use model::target::{TargetFacts, TargetKind};
use model::units;
use std::sync::Arc;

/// The first scratch, which tells how fast writing is, bytes. A disk that writes a megabyte a second has it in time, too.
const FIRST: u64 = 8 << 20;

/// The next one is larger by this at most: the rate of a short writing may be that of a cache.
const GROWTH: u64 = 8;

/// A target made ready.
pub struct Ground {
    /// It.
    pub prepared: Prepared,
    /// Whether it is ours, and may be written.
    pub is_scratch: bool,
    /// Whether direct I/O is possible.
    pub has_direct: bool,
}

impl Ground {
    /// Makes the target ready; scratch in a directory, nothing but reads elsewhere.
    pub fn prepare(
        context: &Context,
        (target, facts): (&Arc<Target>, &TargetFacts),
        plan: &CheckPlan,
        stop: &Stop,
        line: &Teller,
    ) -> Result<Ground, LoadError> {
        let with = |has_direct: bool| {
            let maker = Maker {
                context,
                target,
                stop,
                line,
                has_direct,
            };
            match facts.kind {
                TargetKind::Directory => maker.scratch(plan, facts.free_bytes.unwrap_or(u64::MAX)),
                _ => maker.make(Job {
                    direct: has_direct,
                    iodepth: 1,
                    ..Job::default()
                }),
            }
        };
        let (prepared, has_direct) = match with(true) {
            Err(LoadError::NoDirect { .. }) => (with(false)?, false),
            other => (other?, true),
        };
        Ok(Ground {
            prepared,
            is_scratch: facts.kind == TargetKind::Directory,
            has_direct,
        })
    }

    /// Bytes that loads may use.
    pub fn bytes(&self) -> u64 {
        self.prepared.file_bytes()
    }
}

/// What every attempt has in common.
struct Maker<'a> {
    context: &'a Context,
    target: &'a Arc<Target>,
    stop: &'a Stop,
    line: &'a Teller,
    has_direct: bool,
}

impl Maker<'_> {
    /// Scratch as large as its time allows: a small one first, and larger ones by the rate that was seen.
    fn scratch(&self, plan: &CheckPlan, room: u64) -> Result<Prepared, LoadError> {
        let begun_ns = clock::monotonic_ns();
        let most = plan.scratch_most.min(room / 2).max(FIRST);
        let mut size = FIRST;
        loop {
            let start_ns = clock::monotonic_ns();
            let prepared = self.make(scratch_job(size, self.has_direct))?;
            let now_ns = clock::monotonic_ns();
            let left_ms = plan
                .scratch_ms
                .saturating_sub((now_ns - begun_ns) / 1_000_000);
            let next = next_size(size, (now_ns - start_ns) / 1_000_000, left_ms).min(most);
            if next < size * 2 {
                return Ok(prepared);
            }
            // The smaller one is gone before the larger one is written.
            drop(prepared);
            size = next;
        }
    }

    fn make(&self, job: Job) -> Result<Prepared, LoadError> {
        let mut progress = |done: u64, total: u64| {
            let (done, total) = (units::bytes(done as f64), units::bytes(total as f64));
            self.line.say(format!("writing scratch: {done} of {total}"));
        };
        let host = &self.context.host;
        load::prepare(
            host,
            self.target,
            &job,
            &Consent::default(),
            self.stop,
            &mut progress,
        )
    }
}

/// All of it is written before anything is read.
fn scratch_job(size: u64, direct: bool) -> Job {
    Job {
        rw: Rw::Randrw,
        size,
        direct,
        iodepth: 1,
        ..Job::default()
    }
}

/// What can be written in the time that is left, by the rate of the last writing.
fn next_size(size: u64, took_ms: u64, left_ms: u64) -> u64 {
    let possible = u128::from(size) * u128::from(left_ms) / u128::from(took_ms.max(1));
    let possible = u64::try_from(possible).unwrap_or(u64::MAX);
    possible.min(size * GROWTH) & !((1 << 20) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_grows_as_its_time_allows() {
        assert_eq!(
            next_size(32 << 20, 100, 11_900),
            256 << 20,
            "eight times is enough at once"
        );
        assert_eq!(next_size(32 << 20, 1_600, 10_400), 208 << 20);
        assert_eq!(
            next_size(FIRST, 7_000, 5_000),
            5 << 20,
            "what there is has to do"
        );
        assert_eq!(
            next_size(32 << 20, 8_000, 4_000),
            16 << 20,
            "too slow for more"
        );
        assert_eq!(next_size(32 << 20, 20_000, 0), 0);
    }
}
