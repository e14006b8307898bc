//! `run --interference`: reads at a rate against writes at a bandwidth, on every cell of a grid.

use super::series::{FoundSeries, Outcome, Progress, SeriesSubject, Window, keep_notes};
use crate::exit::Failure;
use analyse::{interference, order};
use load::{Engine, Prepared, Region, lane};
use model::histogram::Histogram;
use model::interference::{InterferenceCell, Matrix};
use model::job::{Arrivals, Job, PerDirection, Rate, Rw, Thinktime};
use model::studies::Studies;
use model::units::{bytes_per_s, count, span_ms, span_word};

/// Time for all cells where nobody says otherwise, ms.
const BUDGET_MS: u64 = 170_000;

/// Visits of each cell where nobody says otherwise: two show whether a cell can be trusted.
const VISITS: u32 = 2;

/// Parts of the budget for each of the two highest rates; a cell takes one part for all its visits.
const PARTS_FOR_MAXIMUM: u64 = 1;

/// What starting and ending two loads costs beside the window, ms.
const CHANGE_MS: u64 = 90;

/// Shortest measured window, ms.
const WINDOW_LEAST_MS: u64 = 150;

/// Requests in flight of the writer.
const WRITE_DEPTH: u32 = 16;

/// How many times the reader's own depth an open loop may have in flight before it is overrun.
const OPEN_DEPTH_FACTOR: u32 = 4;

/// Finds the two highest rates, then visits all cells in random order.
pub fn run(subject: &SeriesSubject) -> Outcome {
    let reader = reader(&subject.job)?;
    // Rather now than after minutes: what can be said against the paced loads does not depend on the rate.
    load::check_job(&paced_reader(&reader, 1.0))?;
    let writer = writer(subject);
    let (steps, visits) = (subject.args.steps, subject.args.repeats.unwrap_or(VISITS));
    let (warmup_ms, window_ms) = dwell(subject.args.budget, steps, visits)?;
    let (prepared, worn) = subject.prepare(&[reader.clone(), writer.clone()])?;
    let whole_ms = (warmup_ms + window_ms + CHANGE_MS) * u64::from(steps * steps * visits + 2);
    let context = subject.context;
    context.out.note(format!(
        "{steps} × {steps} cells, {visits} visits each of {} after {} of warm-up, in random order: about {}",
        span_ms(window_ms),
        span_ms(warmup_ms),
        span_ms(whole_ms)
    ));
    let progress = Progress::new(subject, whole_ms);
    let sampler = subject.sensors();
    let mut grid = Matrix {
        max_read_iops: 0.0,
        max_write_bytes_per_s: 0.0,
        write_bs: writer.bs,
        open_loop: false,
        read_steps: Vec::new(),
        write_steps: Vec::new(),
        seed: subject.job.randseed,
        warmup_ms,
        window_ms,
        cells: Vec::new(),
        doubles_from: Vec::new(),
        notes: Vec::new(),
    };
    let pair = Pair {
        subject,
        prepared: &prepared,
        reader,
        writer,
    };
    let filled = pair.fill(&mut grid, steps, visits, &progress);
    progress.clear();
    let sensors = sampler.stop();
    filled?;
    grid.doubles_from = interference::doubles_from(&grid);
    Ok((
        FoundSeries {
            studies: Studies {
                interference: Some(grid),
                ..worn
            },
            load: None,
        },
        sensors,
    ))
}

fn reader(job: &Job) -> Result<Job, Failure> {
    if !matches!(job.rw, Rw::Read | Rw::Randread) {
        return Err(Failure::usage(format!(
            "--interference: --rw {} is not for reading; it names how the reader reads (read or randread), the writes \
             come by themselves.",
            job.rw.word()
        )));
    }
    Ok(unpaced(job))
}

/// The job as fast as it goes: the matrix sets the rates, and neither pauses nor checks may slow what it compares.
fn unpaced(job: &Job) -> Job {
    Job {
        rates: PerDirection::default(),
        arrivals: Arrivals::default(),
        open_loop: false,
        thinktime: Thinktime::default(),
        verify: None,
        ..job.clone()
    }
}

/// Sequential writes, as compaction, backups and checkpoints write.
fn writer(subject: &SeriesSubject) -> Job {
    Job {
        rw: Rw::Write,
        bs: subject.args.write_bs,
        block_sizes: None,
        iodepth: WRITE_DEPTH,
        numjobs: 1,
        ..unpaced(&subject.job)
    }
}

/// Warm-up and window of each visit, ms.
fn dwell(budget_ms: Option<u64>, steps: u32, visits: u32) -> Result<(u64, u64), Failure> {
    let count = u64::from(steps * steps * visits) + 2 * PARTS_FOR_MAXIMUM;
    let least_ms = count * (CHANGE_MS + WINDOW_LEAST_MS * 4 / 3);
    let whole_ms = match budget_ms {
        Some(budget_ms) if budget_ms < least_ms => {
            return Err(Failure::usage(format!(
                "--budget: {count} visits in {} leave too little for each; give at least --budget {} or fewer --steps",
                span_ms(budget_ms),
                span_word(least_ms)
            )));
        }
        Some(budget_ms) => budget_ms,
        None => BUDGET_MS.max(least_ms * 3 / 2),
    };
    let each_ms = whole_ms / count - CHANGE_MS;
    let warmup_ms = (each_ms / 4).min(1_000);
    Ok((warmup_ms, each_ms - warmup_ms))
}

/// The two loads on the one target.
struct Pair<'a> {
    subject: &'a SeriesSubject<'a>,
    prepared: &'a Prepared,
    reader: Job,
    writer: Job,
}

/// What one visit gave: the reads, the bytes written per second, and whether reads arrived in an open loop.
struct Visit {
    reads: Histogram,
    read_iops: f64,
    write_bytes_per_s: f64,
    is_open: bool,
}

impl Pair<'_> {
    fn fill(
        &self,
        grid: &mut Matrix,
        steps: u32,
        visits: u32,
        progress: &Progress,
    ) -> Result<(), Failure> {
        progress.say("highest read rate");
        let Some(reads) = self.alone(&self.reader, Region::half(0), grid)? else {
            return Ok(());
        };
        progress.say("highest write bandwidth");
        let Some(writes) = self.alone(&self.writer, Region::half(1), grid)? else {
            return Ok(());
        };
        grid.max_read_iops = reads.iops();
        grid.max_write_bytes_per_s = writes.bytes_per_s();
        grid.read_steps = interference::read_steps(grid.max_read_iops, steps);
        grid.write_steps = interference::write_steps(grid.max_write_bytes_per_s, steps);
        let (rows, columns) = (grid.write_steps.len(), grid.read_steps.len());
        grid.cells = (0..rows * columns)
            .map(|index| InterferenceCell {
                write: index / columns,
                read: index % columns,
                ..InterferenceCell::default()
            })
            .collect();
        let mut latencies = vec![Histogram::new(); grid.cells.len()];
        let order = order::visits(grid.cells.len(), visits, grid.seed);
        for (place, (_, index)) in order.iter().copied().enumerate() {
            let (write, read) = (
                grid.write_steps[index / columns],
                grid.read_steps[index % columns],
            );
            progress.say(&format!(
                "visit {} of {}: {} reads/s, {} written",
                place + 1,
                order.len(),
                count(read),
                bytes_per_s(write)
            ));
            let Some(visit) = self.visit(grid, (read, write), place as u64)? else {
                break;
            };
            latencies[index].merge(&visit.reads);
            grid.open_loop = visit.is_open;
            add(&mut grid.cells[index], &visit, &latencies[index]);
        }
        for index in 0..grid.cells.len() {
            grid.cells[index].reached = interference::reached(&grid.cells[index], grid);
        }
        Ok(())
    }

    /// One of the loads without the other, as fast as it goes.
    fn alone(
        &self,
        job: &Job,
        region: Region,
        grid: &mut Matrix,
    ) -> Result<Option<Window>, Failure> {
        let running = load::start(self.prepared, job, job.randseed, region)?;
        keep_notes(&mut grid.notes, &running, self.prepared);
        running.wait_ms(grid.warmup_ms, self.subject.stop);
        let window = self.subject.window(&running, grid.window_ms)?;
        running.finish();
        self.settle()?;
        Ok(window)
    }

    /// What a buffered writer leaves dirty would be written during the next visit.
    fn settle(&self) -> Result<(), Failure> {
        if !self.writer.direct {
            self.prepared.sync()?;
        }
        Ok(())
    }

    fn visit(
        &self,
        grid: &Matrix,
        (read, write): (f64, f64),
        place: u64,
    ) -> Result<Option<Visit>, Failure> {
        let stop = self.subject.stop;
        let reader = paced_reader(&self.reader, read);
        let seed = grid.seed.wrapping_add(place);
        let writing = if write > 0.0 {
            let rates = PerDirection::all(Rate::Bytes(write as u64));
            let writer = Job {
                rates,
                ..self.writer.clone()
            };
            Some(load::start(self.prepared, &writer, seed, Region::half(1))?)
        } else {
            None
        };
        let reading = load::start(self.prepared, &reader, seed, Region::half(0))?;
        reading.wait_ms(grid.warmup_ms, stop);
        let written = writing.as_ref().map(|writing| writing.snapshot());
        let Some(window) = self.subject.window(&reading, grid.window_ms)? else {
            return Ok(None);
        };
        let written = writing.as_ref().zip(written);
        let written =
            written.map(|(writing, before)| Window::between(&before, &writing.snapshot()));
        if let Some(failure) = writing.as_ref().and_then(|writing| writing.failure()) {
            return Err(failure.into());
        }
        reading.finish();
        drop(writing);
        self.settle()?;
        Ok(Some(Visit {
            reads: window.done.side(lane::READ).latency,
            read_iops: window.iops(),
            write_bytes_per_s: written.map_or(0.0, |window| window.bytes_per_s()),
            is_open: window
                .done
                .service
                .as_ref()
                .is_some_and(|service| service.total() > 0),
        }))
    }
}

/// The reader at a rate of all its jobs together, open where the engine has a queue.
fn paced_reader(reader: &Job, iops: f64) -> Job {
    let has_depth = Engine::find(&reader.ioengine).is_some_and(Engine::takes_arrivals);
    let each = (iops / f64::from(reader.numjobs.max(1))).round().max(1.0) as u64;
    let deepest = reader.iodepth.saturating_mul(OPEN_DEPTH_FACTOR).min(4_096);
    Job {
        rates: PerDirection::all(Rate::Iops(each)),
        arrivals: Arrivals::Poisson,
        open_loop: has_depth,
        iodepth: if has_depth { deepest } else { reader.iodepth },
        ..reader.clone()
    }
}

/// Adds a visit to its cell; rates are means over visits, percentiles are those of all reads.
fn add(cell: &mut InterferenceCell, visit: &Visit, latency: &Histogram) {
    let before = f64::from(cell.visits);
    let mean = |old: f64, new: f64| (old * before + new) / (before + 1.0);
    cell.read_iops = mean(cell.read_iops, visit.read_iops);
    cell.write_bytes_per_s = mean(cell.write_bytes_per_s, visit.write_bytes_per_s);
    cell.visits += 1;
    let quantile = |share| latency.quantile_ns(share).unwrap_or(0);
    (cell.p50_ns, cell.p95_ns, cell.p99_ns) = (quantile(0.5), quantile(0.95), quantile(0.99));
    cell.visits_p99_ns
        .push(visit.reads.quantile_ns(0.99).unwrap_or(0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::{Verify, VerifyMethod};

    #[test]
    fn the_default_ends_in_three_minutes() {
        let (warmup_ms, window_ms) = dwell(None, 5, VISITS).unwrap();
        let whole_ms = (warmup_ms + window_ms + CHANGE_MS) * 52;
        assert!((160_000..=180_000).contains(&whole_ms), "{whole_ms}");
        assert!(
            dwell(Some(5_000), 5, 2)
                .unwrap_err()
                .message
                .contains("--steps")
        );
    }

    #[test]
    fn the_probe_goes_as_fast_as_it_can_and_the_paced_reader_can_be_run() {
        let verify = Verify {
            method: VerifyMethod::Crc32c,
            interval: 0,
            read_back: true,
            fatal: true,
        };
        let job = Job {
            rw: Rw::Randread,
            rates: PerDirection::all(Rate::Iops(100)),
            arrivals: Arrivals::Poisson,
            thinktime: Thinktime {
                us: 50,
                ..Thinktime::default()
            },
            verify: Some(verify),
            ..Job::default()
        };
        let probe = reader(&job).unwrap();
        assert!(
            !probe.is_paced() && probe.thinktime.us == 0 && probe.verify.is_none(),
            "{probe:?}"
        );
        assert!(load::check_job(&probe).is_ok());
        for ioengine in ["io_uring", "libaio", "psync"] {
            let paced = paced_reader(
                &Job {
                    ioengine: ioengine.into(),
                    ..probe.clone()
                },
                1.0,
            );
            assert_eq!(paced.open_loop, ioengine != "psync");
            assert!(load::check_job(&paced).is_ok(), "{ioengine}");
        }
    }

    #[test]
    fn visits_of_a_cell_add_up() {
        let visit = |iops, ns: u64| {
            let mut reads = Histogram::new();
            (0..100).for_each(|_| reads.record(ns));
            Visit {
                reads,
                read_iops: iops,
                write_bytes_per_s: 10.0,
                is_open: false,
            }
        };
        let (mut cell, mut all) = (InterferenceCell::default(), Histogram::new());
        for one in [visit(100.0, 1_000), visit(200.0, 9_000)] {
            all.merge(&one.reads);
            add(&mut cell, &one, &all);
        }
        assert_eq!(
            (cell.visits, cell.read_iops, cell.write_bytes_per_s),
            (2, 150.0, 10.0)
        );
        assert!(cell.p50_ns < 1_100 && cell.p99_ns > 8_900);
        assert!(cell.visits_p99_ns[0] < 1_100 && cell.visits_p99_ns[1] > 8_900);
    }
}
