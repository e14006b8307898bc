//! `run --find-max`: the highest rate that keeps a latency, by depth (closed loop) or by rate of arrivals (open loop).

use super::args::StudyArgs;
use super::series::{FoundSeries, Outcome, Progress, SeriesSubject, Window, keep_notes};
use crate::exit::Failure;
use analyse::search::{Ladder, Next};
use analyse::spread;
use load::{Engine, Prepared, Region, Running};
use model::job::{Arrivals, Job, PerDirection, Rate};
use model::search::{Goal, Level, Lever, Search, SearchStep, Statistic, Trial};
use model::studies::Studies;
use model::units::{count, duration_ns, span_ms};
use stats::dice::Dice;

/// Time for the search where nobody says otherwise, ms.
const BUDGET_MS: u64 = 60_000;

/// Windows that a search takes or so: up, down, and two confirmations.
const WINDOWS: u64 = 32;

/// Windows at each load that is confirmed.
const CONFIRMATIONS: usize = 5;

/// Below this share of the offered rate an open loop is overrun, whatever its latency so far.
const OFFERED: f64 = 0.97;

/// I/Os beyond the percentile that a window should have; it is prolonged for them, up to [`LONGER`] times.
const BEYOND: f64 = 20.0;

const LONGER: u32 = 4;

/// What is to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FindMaxWish {
    /// What must hold.
    pub goal: Goal,
    /// What is turned.
    pub lever: Lever,
    /// Deepest queue of each job.
    pub max_depth: u32,
    /// Length of a window, ms; none leaves it to the budget.
    pub window_ms: Option<u64>,
}

impl FindMaxWish {
    /// From the options, or from fio's `latency_target` in the job.
    pub fn of(args: &StudyArgs, job: &Job) -> Option<FindMaxWish> {
        let lever = if job.open_loop {
            Lever::Rate
        } else {
            Lever::Iodepth
        };
        if let Some(goal) = args.latency_target.filter(|_| args.find_max) {
            return Some(FindMaxWish {
                goal,
                lever,
                max_depth: args.max_depth,
                window_ms: None,
            });
        }
        let target = job.latency_target?;
        let goal = Goal {
            statistic: Statistic::Percentile(target.percentile),
            limit_ns: target.us * 1_000,
        };
        let window_ms = Some((target.window_us / 1_000).max(10)).filter(|_| target.window_us > 0);
        Some(FindMaxWish {
            goal,
            lever: Lever::Iodepth,
            max_depth: job.iodepth,
            window_ms,
        })
    }
}

/// A search at work.
struct Hunt<'a> {
    subject: &'a SeriesSubject<'a>,
    prepared: &'a Prepared,
    wish: FindMaxWish,
    window_ms: u64,
    /// Closed loop: one load whose depth is turned.
    closed: Option<Running>,
    trials: Vec<Trial>,
    seen: Vec<(f64, f64, f64)>,
    starts: u64,
    notes: Vec<String>,
    end_ns: u64,
    is_open: bool,
    progress: Progress,
}

/// Searches, confirms and tells.
pub fn run(subject: &SeriesSubject, wish: &FindMaxWish) -> Outcome {
    let engine = load::check_job(&subject.job)?;
    refuse_flat(engine, wish)?;
    let deepest = Job {
        iodepth: wish.max_depth,
        ..subject.job.clone()
    };
    let (prepared, worn) = subject.prepare(std::slice::from_ref(&deepest))?;
    let budget_ms = subject.args.budget.unwrap_or(BUDGET_MS);
    // A quarter of each window goes before it, for settling.
    let window_ms = wish
        .window_ms
        .unwrap_or((budget_ms * 4 / 5 / WINDOWS).clamp(50, 10_000));
    let expected_ms = window_ms * WINDOWS * 5 / 4;
    subject.context.out.note(format!(
        "windows of {}: about {}",
        span_ms(window_ms),
        span_ms(expected_ms)
    ));
    let sampler = subject.sensors();
    let mut hunt = Hunt {
        subject,
        prepared: &prepared,
        wish: *wish,
        window_ms,
        closed: None,
        trials: Vec::new(),
        seen: Vec::new(),
        starts: 0,
        notes: Vec::new(),
        end_ns: host::clock::monotonic_ns() + expected_ms * 1_000_000,
        is_open: false,
        progress: Progress::new(subject, expected_ms),
    };
    let searched = hunt.search();
    hunt.progress.clear();
    let sensors = sampler.stop();
    let search = searched?;
    Ok((
        FoundSeries {
            studies: Studies {
                search: Some(search),
                ..worn
            },
            load: None,
        },
        sensors,
    ))
}

fn refuse_flat(engine: &Engine, wish: &FindMaxWish) -> Result<(), Failure> {
    if engine.has_depth {
        return Ok(());
    }
    let what = if wish.lever == Lever::Rate {
        "an open loop"
    } else {
        "a search of the depth"
    };
    Err(Failure::usage(format!(
        "--find-max: {what} needs a queue, and {} has one I/O in flight for each job.",
        engine.id
    ))
    .on("--find-max")
    .hint("Use --ioengine io_uring, or --sweep numjobs=1..64 for a curve over jobs."))
}

impl Hunt<'_> {
    fn search(&mut self) -> Result<Search, Failure> {
        let (floor, ceiling) = match self.wish.lever {
            Lever::Iodepth => (1.0, f64::from(self.wish.max_depth)),
            Lever::Rate => self.rates()?,
        };
        let mut ladder = Ladder::new(self.wish.lever, floor, ceiling);
        let mut confirmed = (None, None);
        loop {
            match ladder.next() {
                Next::Done => break,
                Next::Window(step, level) => match self.trial(step, level)? {
                    Some(kept) => ladder.tell(level, kept),
                    None => break,
                },
                Next::Confirm { best, above } => {
                    let Some((low, high)) = self.confirm(best, above)? else {
                        break;
                    };
                    ladder.confirmed(low.map(|one| one.0), high.map(|one| one.0));
                    confirmed = (low, high);
                    // The time is up: an answer that holds is not refined any further.
                    if self.is_late() && low.is_some_and(|one| one.0) {
                        break;
                    }
                }
            }
        }
        let (best, above) = answer(confirmed);
        Ok(Search {
            goal: self.wish.goal,
            lever: self.wish.lever,
            open_loop: self.is_open,
            ceiling,
            enough: best.and_then(|best| self.enough(&best)),
            best,
            above,
            trials: std::mem::take(&mut self.trials),
            notes: std::mem::take(&mut self.notes),
        })
    }

    /// The range of rates worth trying: up to what a full queue gives.
    fn rates(&mut self) -> Result<(f64, f64), Failure> {
        let depth = f64::from(self.wish.max_depth.min(64));
        let most = match self.closed_window(depth)? {
            Some(window) => window.iops().max(1.0),
            None => 1.0,
        };
        self.closed = None;
        Ok(((most / 64.0).max(1.0), most))
    }

    /// One window; whether it kept the goal. None when a stop was asked for.
    fn trial(&mut self, step: SearchStep, level: f64) -> Result<Option<bool>, Failure> {
        Ok(self.measure(step, level)?.map(|(trial, _)| trial.kept))
    }

    fn measure(
        &mut self,
        step: SearchStep,
        level: f64,
    ) -> Result<Option<(Trial, Window)>, Failure> {
        let window = match self.wish.lever {
            Lever::Iodepth => self.closed_window(level)?,
            Lever::Rate => self.open_window(level)?,
        };
        let Some(window) = window else {
            return Ok(None);
        };
        let latency_ns = self.wish.goal.statistic.of(&window.latency).unwrap_or(0.0);
        let offered = match self.wish.lever {
            // Arrivals at random differ by the root of their number for no reason.
            Lever::Rate => level * (OFFERED - 2.0 / (level * window.ms / 1e3).max(1.0).sqrt()),
            Lever::Iodepth => 0.0,
        };
        let iops = window.iops();
        let kept =
            window.done.ios > 0 && latency_ns <= self.wish.goal.limit_ns as f64 && iops >= offered;
        let trial = Trial {
            step,
            level,
            window_ms: window.ms,
            iops,
            latency_ns,
            kept,
        };
        self.trials.push(trial);
        self.seen.push((level, iops, latency_ns));
        self.progress.say(&format!(
            "{}: {} IOPS, {} {}",
            level_text(self.wish.lever, level),
            count(iops.round()),
            self.wish.goal.statistic.name(),
            duration_ns(latency_ns)
        ));
        Ok(Some((trial, window)))
    }

    /// A window of the one closed load at this depth, after it has settled there.
    fn closed_window(&mut self, depth: f64) -> Result<Option<Window>, Failure> {
        if self.closed.is_none() {
            let job = Job {
                iodepth: self.wish.max_depth,
                open_loop: false,
                ..self.subject.job.clone()
            };
            let running = load::start(self.prepared, &job, job.randseed, Region::WHOLE)?;
            keep_notes(&mut self.notes, &running, self.prepared);
            self.closed = Some(running);
        }
        let Some(running) = &self.closed else {
            return Ok(None);
        };
        running.set_depth_limit(depth as u32);
        running.wait_ms((self.window_ms / 4).clamp(20, 500), self.subject.stop);
        self.long_enough(running)
    }

    /// A window of a load of its own with this rate of arrivals.
    fn open_window(&mut self, iops: f64) -> Result<Option<Window>, Failure> {
        self.starts += 1;
        let job = open_job(&self.subject.job, iops, self.wish.max_depth);
        let running = load::start(
            self.prepared,
            &job,
            job.randseed.wrapping_add(self.starts),
            Region::WHOLE,
        )?;
        keep_notes(&mut self.notes, &running, self.prepared);
        running.wait_ms((self.window_ms / 4).clamp(20, 500), self.subject.stop);
        let window = self.long_enough(&running)?;
        self.is_open = window.as_ref().is_some_and(|window| {
            window
                .done
                .service
                .as_ref()
                .is_some_and(|service| service.total() > 0)
        });
        running.finish();
        Ok(window)
    }

    fn is_late(&self) -> bool {
        host::clock::monotonic_ns() >= self.end_ns
    }

    /// A window, prolonged until the percentile rests on enough I/Os.
    fn long_enough(&self, running: &Running) -> Result<Option<Window>, Failure> {
        let enough = match self.wish.goal.statistic {
            Statistic::Mean => 100.0,
            Statistic::Percentile(percent) => BEYOND / (1.0 - percent / 100.0).max(1e-6),
        };
        let before = running.snapshot();
        for _ in 0..LONGER {
            if self.subject.window(running, self.window_ms)?.is_none() {
                return Ok(None);
            }
            if self.is_late() || (running.snapshot().ios - before.ios) as f64 >= enough {
                break;
            }
        }
        Ok(Some(Window::between(&before, &running.snapshot())))
    }

    /// Several windows at each load of the pair, in random order: whether it keeps the goal, and what it gives.
    fn confirm(
        &mut self,
        best: Option<f64>,
        above: Option<f64>,
    ) -> Result<Option<(Confirmed, Confirmed)>, Failure> {
        let levels: Vec<f64> = best.into_iter().chain(above).collect();
        let mut order: Vec<usize> = (0..CONFIRMATIONS * levels.len())
            .map(|place| place % levels.len())
            .collect();
        Dice::new(
            self.subject
                .job
                .randseed
                .wrapping_add(self.trials.len() as u64),
        )
        .shuffle(&mut order);
        let mut windows: Vec<Vec<(Trial, f64)>> = vec![Vec::new(); levels.len()];
        for index in order {
            let Some((trial, window)) = self.measure(SearchStep::Confirm, levels[index])? else {
                return Ok(None);
            };
            windows[index].push((trial, window.bytes_per_s()));
        }
        let mut sides = levels
            .iter()
            .zip(windows)
            .map(|(level, windows)| self.summed_up(*level, &windows));
        let low = best.and_then(|_| sides.next());
        Ok(Some((low, above.and_then(|_| sides.next()))))
    }

    fn summed_up(&self, level: f64, windows: &[(Trial, f64)]) -> (bool, Level) {
        let over = |value: fn(&(Trial, f64)) -> f64| {
            spread::of(&windows.iter().map(value).collect::<Vec<f64>>())
        };
        let found = Level {
            level,
            iops: over(|window| window.0.iops),
            bytes_per_s: over(|window| window.1).mean,
            latency_ns: over(|window| window.0.latency_ns),
        };
        let offered = if self.wish.lever == Lever::Rate {
            level * OFFERED
        } else {
            0.0
        };
        let kept =
            found.latency_ns.mean <= self.wish.goal.limit_ns as f64 && found.iops.mean >= offered;
        (kept && found.iops.mean > 0.0, found)
    }

    /// A clearly lighter load that was seen to give the same rate.
    fn enough(&self, best: &Level) -> Option<f64> {
        let same = self.seen.iter().filter(|(level, iops, _)| {
            *level <= best.level * 0.75 && *iops >= best.iops.mean * 0.98
        });
        same.map(|(level, _, _)| *level).reduce(f64::min)
    }
}

/// A load with what its windows gave, and whether it kept the goal.
type Confirmed = Option<(bool, Level)>;

/// The highest load of a confirmed pair that kept the goal, and the one above it that did not. Time or patience may
/// have ended while both kept it, or neither: then one side is open.
fn answer(pair: (Confirmed, Confirmed)) -> (Option<Level>, Option<Level>) {
    match pair {
        (_, Some((true, high))) => (Some(high), None),
        (Some((true, low)), high) => (Some(low), high.map(|one| one.1)),
        (Some((false, low)), _) => (None, Some(low)),
        (None, high) => (None, high.map(|one| one.1)),
    }
}

/// The job with this rate in all: shared by the jobs, and in a mix by the directions.
fn open_job(job: &Job, iops: f64, max_depth: u32) -> Job {
    let each = iops / f64::from(job.numjobs.max(1));
    let part = |share: f64| Rate::Iops((each * share).round().max(1.0) as u64);
    let reads = f64::from(job.rwmixread) / 100.0;
    let rates = match (job.rw.reads(), job.rw.writes()) {
        (true, true) => PerDirection {
            read: part(reads),
            write: part(1.0 - reads),
            trim: part(1.0),
        },
        _ => PerDirection::all(part(1.0)),
    };
    Job {
        open_loop: true,
        arrivals: Arrivals::Poisson,
        rates,
        iodepth: max_depth,
        ..job.clone()
    }
}

fn level_text(lever: Lever, level: f64) -> String {
    match lever {
        Lever::Iodepth => format!("depth {level}"),
        Lever::Rate => format!("{} arrivals/s", count(level.round())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_highest_load_that_kept_the_goal() {
        let one = |level, kept| {
            Some((
                kept,
                Level {
                    level,
                    ..Level::default()
                },
            ))
        };
        let levels = |pair| {
            let (best, above) = answer(pair);
            (best.map(|best| best.level), above.map(|above| above.level))
        };
        assert_eq!(
            levels((one(8.0, true), one(9.0, false))),
            (Some(8.0), Some(9.0))
        );
        assert_eq!(
            levels((one(8.0, true), one(9.0, true))),
            (Some(9.0), None),
            "the time was up"
        );
        assert_eq!(
            levels((one(8.0, false), one(9.0, false))),
            (None, Some(8.0))
        );
        assert_eq!(levels((one(256.0, true), None)), (Some(256.0), None));
        assert_eq!(levels((None, one(1.0, false))), (None, Some(1.0)));
    }

    #[test]
    fn fios_target_is_a_wish_of_its_own() {
        let target = model::job::LatencyTarget {
            us: 1_500,
            window_us: 5_000_000,
            percentile: 99.5,
        };
        let job = Job {
            latency_target: Some(target),
            iodepth: 64,
            ..Job::default()
        };
        let wish = FindMaxWish::of(&StudyArgs::default(), &job).unwrap();
        assert_eq!(
            wish.goal,
            Goal {
                statistic: Statistic::Percentile(99.5),
                limit_ns: 1_500_000
            }
        );
        assert_eq!(
            (wish.lever, wish.max_depth, wish.window_ms),
            (Lever::Iodepth, 64, Some(5_000))
        );
        assert_eq!(
            FindMaxWish::of(&StudyArgs::default(), &Job::default()),
            None
        );
    }

    #[test]
    fn a_rate_is_shared_by_jobs_and_directions() {
        let job = Job {
            numjobs: 4,
            rw: model::job::Rw::Randrw,
            rwmixread: 75,
            ..Job::default()
        };
        let open = open_job(&job, 4_000.0, 128);
        assert_eq!(
            (open.rates.read, open.rates.write),
            (Rate::Iops(750), Rate::Iops(250))
        );
        assert!(open.open_loop && open.iodepth == 128 && open.arrivals == Arrivals::Poisson);
    }
}
