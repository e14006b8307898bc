//! `run --sweep`: every point of a grid, visited again and again in random order on one prepared target.

use super::grid::{Grid, GridPoint};
use super::series::{FoundSeries, Outcome, Progress, SeriesSubject, Window, keep_notes};
use crate::exit::Failure;
use analyse::{curve, order};
use load::{Prepared, Region};
use model::curve::{Point, Sweep, Visit};
use model::job::Job;
use model::studies::Studies;
use model::units::{count, span_ms, span_word};

/// Time for all visits where nobody says otherwise, ms; a large grid takes longer.
const BUDGET_MS: u64 = 120_000;

/// Repeats where nobody says otherwise: the fewest from which an interval can be told.
const REPEATS: u32 = 3;

/// What starting and ending a load costs beside its windows, ms.
const CHANGE_MS: u64 = 50;

/// Shortest measured window, ms.
const WINDOW_LEAST_MS: u64 = 150;

/// A visit with fewer I/Os has no 99th percentile worth the name.
const FEW_IOS: u64 = 300;

/// How long each visit is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dwell {
    warmup_ms: u64,
    window_ms: u64,
}

impl Dwell {
    /// Shares the budget among all visits. An asked-for budget that is too short is refused, a default one grows.
    fn of(budget_ms: Option<u64>, visits: u64) -> Result<Dwell, Failure> {
        let least_ms = visits * (CHANGE_MS + WINDOW_LEAST_MS * 4 / 3);
        let whole_ms = match budget_ms {
            Some(budget_ms) if budget_ms < least_ms => {
                return Err(Failure::usage(format!(
                    "--budget: {visits} visits in {} leave too little for each; give at least --budget {}, fewer \
                     values or fewer --repeats",
                    span_ms(budget_ms),
                    span_word(least_ms)
                )));
            }
            Some(budget_ms) => budget_ms,
            None => BUDGET_MS.max(least_ms * 3 / 2),
        };
        let each_ms = whole_ms / visits - CHANGE_MS;
        let warmup_ms = (each_ms / 4).min(1_000);
        Ok(Dwell {
            warmup_ms,
            window_ms: each_ms - warmup_ms,
        })
    }

    fn whole_ms(self) -> u64 {
        self.warmup_ms + self.window_ms + CHANGE_MS
    }
}

/// Visits all points and says what their curves are.
pub fn run(subject: &SeriesSubject, grid: &Grid) -> Outcome {
    let repeats = subject.args.repeats.unwrap_or(REPEATS);
    let dwell = Dwell::of(subject.args.budget, grid.len() as u64 * u64::from(repeats))?;
    let jobs: Vec<Job> = grid.points.iter().map(|point| point.job.clone()).collect();
    let (prepared, worn) = subject.prepare(&jobs)?;
    let seed = subject.job.randseed;
    let whole_ms = dwell.whole_ms() * grid.len() as u64 * u64::from(repeats);
    subject.context.out.note(format!(
        "{} points, {repeats} visits each of {} after {} of warm-up, in random order: about {}",
        grid.len(),
        span_ms(dwell.window_ms),
        span_ms(dwell.warmup_ms),
        span_ms(whole_ms)
    ));
    let sampler = subject.sensors();
    let visited = visit_all(subject, grid, &prepared, (repeats, dwell), whole_ms);
    let sensors = sampler.stop();
    let (visits, notes) = visited?;
    let points: Vec<Point> = grid
        .points
        .iter()
        .zip(visits)
        .map(|(point, visits)| finished(point, visits))
        .collect();
    let sweep = Sweep {
        axes: grid.axes.clone(),
        seed,
        repeats,
        warmup_ms: dwell.warmup_ms,
        window_ms: dwell.window_ms,
        curves: curve::curves(&grid.axes, &points, seed),
        notes: notes.into_iter().chain(doubts(&points)).collect(),
        points,
    };
    Ok((
        FoundSeries {
            studies: Studies {
                sweep: Some(sweep),
                ..worn
            },
            load: None,
        },
        sensors,
    ))
}

fn finished(point: &GridPoint, visits: Vec<Visit>) -> Point {
    let asked = f64::from(point.job.iodepth) * f64::from(point.job.numjobs);
    curve::point(point.settings.clone(), visits, asked, point.job.is_paced())
}

/// The visits of each point, and what the loads noted.
fn visit_all(
    subject: &SeriesSubject,
    grid: &Grid,
    prepared: &Prepared,
    (repeats, dwell): (u32, Dwell),
    whole_ms: u64,
) -> Result<(Vec<Vec<Visit>>, Vec<String>), Failure> {
    let mut visits: Vec<Vec<Visit>> = vec![Vec::new(); grid.len()];
    let mut notes: Vec<String> = Vec::new();
    let progress = Progress::new(subject, whole_ms);
    for (place, (repeat, index)) in order::visits(grid.len(), repeats, subject.job.randseed)
        .into_iter()
        .enumerate()
    {
        let point = &grid.points[index];
        let seed = subject.job.randseed.wrapping_add(place as u64);
        let Some(window) = visit(subject, prepared, &point.job, (seed, dwell), &mut notes)? else {
            break;
        };
        progress.say(&format!(
            "repeat {} of {repeats}, visit {} of {}: {} IOPS",
            repeat + 1,
            place + 1,
            grid.len() * repeats as usize,
            count(window.iops().round())
        ));
        visits[index].push(Visit {
            place: place as u32,
            repeat,
            window_ms: window.ms,
            ios: window.done.ios,
            iops: window.iops(),
            bytes_per_s: window.bytes_per_s(),
            mean_ns: window.latency.mean_ns().unwrap_or(0.0),
            p50_ns: window.quantile_ns(0.5),
            p99_ns: window.quantile_ns(0.99),
            p999_ns: window.quantile_ns(0.999),
        });
    }
    progress.clear();
    Ok((visits, notes))
}

/// One visit: the load begins, warms up, is measured and ends. No window when a stop was asked for.
fn visit(
    subject: &SeriesSubject,
    prepared: &Prepared,
    job: &Job,
    (seed, dwell): (u64, Dwell),
    notes: &mut Vec<String>,
) -> Result<Option<Window>, Failure> {
    let running = load::start(prepared, job, seed, Region::WHOLE)?;
    keep_notes(notes, &running, prepared);
    running.wait_ms(dwell.warmup_ms, subject.stop);
    let window = subject.window(&running, dwell.window_ms)?;
    running.finish();
    if job.rw.changes() && !job.direct {
        // What a buffered writer leaves dirty would be written during the next visit.
        prepared.sync()?;
    }
    Ok(window)
}

/// What a reader has to know about the points.
fn doubts(points: &[Point]) -> Vec<String> {
    let mut doubts = Vec::new();
    let few = points
        .iter()
        .filter(|point| point.visits.iter().any(|visit| visit.ios < FEW_IOS))
        .count();
    if few > 0 {
        doubts.push(format!(
            "{few} of {} points had visits of fewer than {FEW_IOS} I/Os: p99 there is hardly more than the slowest; a \
             longer --budget helps",
            points.len()
        ));
    }
    let unseen = points
        .iter()
        .filter(|point| point.visits.is_empty())
        .count();
    if unseen > 0 {
        doubts.push(format!(
            "{unseen} of {} points were not visited: the sweep was cut short",
            points.len()
        ));
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_budget_can_be_pasted() {
        let message = Dwell::of(Some(10_000), 9_720).unwrap_err().message;
        let word = message
            .split("--budget ")
            .nth(1)
            .and_then(|rest| rest.split(',').next());
        let word = word.unwrap();
        assert!(word.contains('m'), "minutes are told as such: {message}");
        let least_ms = crate::commands::job_args::duration_ms(word).unwrap();
        assert!(Dwell::of(Some(least_ms), 9_720).is_ok(), "{message}");
    }

    #[test]
    fn the_budget_is_shared_out() {
        let dwell = Dwell::of(None, 27).unwrap();
        assert!(
            dwell.whole_ms() * 27 <= BUDGET_MS && dwell.whole_ms() * 27 > BUDGET_MS - 100,
            "{dwell:?}"
        );
        assert_eq!(
            dwell.warmup_ms, 1_000,
            "a long visit needs no longer warm-up"
        );
        let many = Dwell::of(None, 2_430).unwrap();
        assert!(
            many.window_ms >= WINDOW_LEAST_MS && many.whole_ms() * 2_430 > BUDGET_MS,
            "a default grows"
        );
        let failure = Dwell::of(Some(10_000), 243).unwrap_err();
        assert_eq!(failure.exit, crate::exit::Exit::Usage);
        assert!(
            failure.message.contains("--budget 61s"),
            "{}",
            failure.message
        );
        let least = Dwell::of(Some(61_000), 243).unwrap();
        assert!(least.window_ms >= WINDOW_LEAST_MS - 1, "{least:?}");
    }
}
