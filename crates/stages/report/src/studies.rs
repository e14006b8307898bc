//! Series of loads in words: the sentence of a sweep, a search, a matrix or a settling, and the lines below it.

use super::text::{width, wrap};
use super::{curve_view, dataset_view, matrix_view};
use model::curve::{CurveSetting, Spread, Sweep};
use model::interference::Matrix;
use model::job::{Job, SteadyMetric};
use model::record::Record;
use model::search::{Level, Lever, Search};
use model::steady::{Criterion, Precondition, Steadiness};
use model::studies::Studies;
use model::units;

/// What a series found, one sentence without its full stop.
pub fn sentence(job: &Job, studies: &Studies) -> String {
    if let Some(sweep) = &studies.sweep {
        sweep_sentence(job, sweep)
    } else if let Some(search) = &studies.search {
        search_sentence(job, search)
    } else if let Some(matrix) = &studies.interference {
        matrix_sentence(matrix)
    } else if let Some(dataset) = &studies.dataset {
        dataset_view::sentence(dataset)
    } else if let Some(steady) = &studies.steady {
        format!("{}: {}", job.phrase(), steady_sentence(steady))
    } else {
        job.phrase()
    }
}

/// All that a person is told about a record with a series; none for other records.
pub(super) fn lines(record: &Record) -> Option<Vec<String>> {
    let studies = record.studies();
    if let Some(dataset) = &studies.dataset {
        let mut lines = dataset_view::record_lines(record, dataset);
        lines.push(origin(record));
        return Some(lines);
    }
    let body = if let Some(sweep) = &studies.sweep {
        curve_view::lines(sweep)
    } else if let Some(search) = &studies.search {
        search_lines(search)
    } else if let Some(matrix) = &studies.interference {
        matrix_view::lines(matrix)
    } else {
        steady_lines(studies.steady.as_ref()?, studies.precondition.is_some())
    };
    let mut lines = wrap(&format!("{}.", record.summary), width());
    lines.extend(body);
    lines.push(origin(record));
    Some(lines)
}

/// On what, of which base load, from which seed.
fn origin(record: &Record) -> String {
    let device = record
        .path
        .queue_device()
        .map_or("no block device", |layer| layer.name.as_str());
    format!(
        "  on {} ({device}), seed {}",
        record.target, record.job.randseed
    )
}

/// How the target was worn in, or that it was not; for a load that wrote, and for any that asked for it.
pub(super) fn precondition_lines(record: &Record) -> Vec<String> {
    match &record.studies().precondition {
        Some(worn) => indented(&format!("preconditioned: {}", precondition_words(worn))),
        None if record.studies().steady.is_some() && record.job.rw.changes() => {
            vec!["  preconditioned: no, the target was taken as it was".into()]
        }
        None => Vec::new(),
    }
}

fn precondition_words(worn: &Precondition) -> String {
    let passes: Vec<String> = worn
        .passes_bytes_per_s
        .iter()
        .map(|rate| units::bytes_per_s(*rate))
        .collect();
    let cut = if worn.complete { "" } else { ", cut short" };
    let rates = if passes.is_empty() {
        String::new()
    } else {
        format!(" at {}", passes.join(", then "))
    };
    let range = if worn.whole_device {
        ""
    } else {
        "; its own range only, not the whole drive"
    };
    format!(
        "{} {}{rates}{cut}{range}",
        units::bytes(worn.range_bytes as f64),
        worn.how
    )
}

/// `4.2 to 5.1`, or nothing with too few repeats.
fn between(spread: &Spread, text: fn(f64) -> String) -> String {
    match (spread.low, spread.high) {
        (Some(low), Some(high)) => format!(" ({} to {})", text(low), text(high)),
        _ => String::new(),
    }
}

fn rate(value: f64) -> String {
    units::count(value.round())
}

/// `bs=4k numjobs=3`.
pub(super) fn settings_text(settings: &[CurveSetting]) -> String {
    let one = |setting: &CurveSetting| format!("{}={}", setting.option, setting.value);
    settings.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn sweep_sentence(job: &Job, sweep: &Sweep) -> String {
    let axes: Vec<&str> = sweep.axes.iter().map(|axis| axis.option.as_str()).collect();
    let (base, axes, count) = (
        base_phrase(job, &axes),
        axes.join(" × "),
        sweep.points.len(),
    );
    let head = format!("{base}, {axes} swept ({count} points)");
    let fastest = sweep
        .points
        .iter()
        .max_by(|a, b| a.iops.mean.total_cmp(&b.iops.mean));
    match (sweep.curves.as_slice(), fastest) {
        ([curve], _) if curve.knee.is_some() || curve.no_knee.is_some() => {
            format!("{head}: {}", curve_view::knee_words(sweep, curve))
        }
        (_, Some(point)) => {
            let knees = sweep
                .curves
                .iter()
                .filter(|curve| curve.knee.is_some())
                .count();
            let knees = match sweep.curves.len() {
                0 => String::new(),
                all => format!(", {knees} of {all} curves have a knee"),
            };
            let (most, where_) = (rate(point.iops.mean), settings_text(&point.settings));
            format!("{head}: at most {most} IOPS, with {where_}{knees}")
        }
        (_, None) => head,
    }
}

fn level(search: &Search, level: f64) -> String {
    match search.lever {
        Lever::Iodepth => format!("iodepth {level}"),
        Lever::Rate => format!("{} arrivals/s", rate(level)),
    }
}

fn search_sentence(job: &Job, search: &Search) -> String {
    let goal = format!(
        "{} within {}",
        search.goal.statistic.name(),
        units::duration_ns(search.goal.limit_ns as f64)
    );
    let base = base_phrase(job, &["iodepth"]);
    match (&search.best, &search.above) {
        (Some(best), above) => {
            let end = match above {
                Some(_) => "",
                None if best.level >= search.ceiling => ", the most that was tried",
                None => " and perhaps at more: the time was up before one was sure to miss it",
            };
            format!(
                "{base}: {} IOPS{} keep {goal}, at {}{end}",
                rate(best.iops.mean),
                between(&best.iops, rate),
                level(search, best.level)
            )
        }
        (None, Some(above)) => {
            // The windows may have disagreed until the patience was over, with lighter loads left.
            let is_lightest = search.trials.iter().all(|trial| trial.level >= above.level);
            let (what, already) = if is_lightest {
                ("nothing keeps", " already")
            } else {
                ("no load was sure to keep", "")
            };
            format!(
                "{base}: {what} {goal}: at {}{already} it is {}",
                level(search, above.level),
                units::duration_ns(above.latency_ns.mean)
            )
        }
        (None, None) => format!("{base}: the search for {goal} was cut short"),
    }
}

/// The job without the options that were varied.
fn base_phrase(job: &Job, varied: &[&str]) -> String {
    let is_fixed = |option: &str| !varied.contains(&option);
    let phrase = job.phrase();
    let (size, _) = phrase.split_once(job.rw.phrase()).unwrap_or_default();
    let size = if is_fixed("bs") { size } else { "" };
    let mut parts = vec![if is_fixed("rw") {
        format!("{size}{}", job.rw.phrase())
    } else {
        size.trim().to_string()
    }];
    parts.extend((is_fixed("numjobs") && job.numjobs > 1).then(|| format!("{} jobs", job.numjobs)));
    parts.extend(is_fixed("iodepth").then(|| format!("depth {}", job.iodepth)));
    parts.extend(
        is_fixed("direct").then(|| if job.direct { "direct" } else { "buffered" }.to_string()),
    );
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

fn search_lines(search: &Search) -> Vec<String> {
    let mut lines = Vec::new();
    let name = search.goal.statistic.name();
    let one = |found: &Level, bytes: &str| {
        let at = format!("at {}", level(search, found.level));
        let iops = rate(found.iops.mean);
        let latency = units::duration_ns(found.latency_ns.mean);
        let range = between(&found.latency_ns, units::duration_ns);
        format!("  {at:<14} {iops:>7} IOPS,{bytes} {name} {latency}{range}")
    };
    if let Some(best) = &search.best {
        lines.push(one(
            best,
            &format!(" {},", units::bytes_per_s(best.bytes_per_s)),
        ));
    }
    lines.extend(
        search
            .above
            .as_ref()
            .map(|above| format!("{}: missed", one(above, ""))),
    );
    let mut notes = Vec::new();
    let limit = units::duration_ns(search.goal.limit_ns as f64);
    if search.best.is_some_and(|best| {
        best.latency_ns
            .high
            .is_some_and(|high| high > search.goal.limit_ns as f64)
    }) {
        notes.push(format!(
            "the interval of {name} reaches beyond {limit}: kept on average, not in every window"
        ));
    }
    if let (Some(enough), Some(_)) = (search.enough, &search.best) {
        notes.push(format!(
            "{} gave the same rate within 2 %: what is deeper only waits",
            level(search, enough)
        ));
    }
    notes.push(match (search.lever, search.open_loop) {
        (Lever::Iodepth, _) => "closed loop: waits before submission are not counted".into(),
        (Lever::Rate, true) => "open loop: random arrivals, latency counted from the intended start".into(),
        (Lever::Rate, false) => {
            "random arrivals, but the engine counted from submission: waits for a free slot are missing"
                .into()
        }
    });
    let tried_ms: f64 = search.trials.iter().map(|trial| trial.window_ms).sum();
    notes.push(format!(
        "{} windows, {} of measuring",
        search.trials.len(),
        units::span_ms(tried_ms as u64)
    ));
    notes.extend(search.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(notes.iter().flat_map(|note| indented(note)));
    lines
}

/// Wrapped, and two columns in.
fn indented(text: &str) -> Vec<String> {
    wrap(text, width() - 2)
        .into_iter()
        .map(|line| format!("  {line}"))
        .collect()
}

fn matrix_sentence(matrix: &Matrix) -> String {
    let most = format!(
        "{} reads/s without writes, {} without reads",
        rate(matrix.max_read_iops),
        units::bytes_per_s(matrix.max_write_bytes_per_s)
    );
    let Some(read) = telling_read_step(matrix) else {
        return match matrix.cells.iter().all(|cell| cell.visits == 0) {
            true => format!("{most}. The matrix was cut short"),
            false => {
                format!(
                    "{most}, but no step of it was reached again: too unsteady to say what writes do"
                )
            }
        };
    };
    let reads = rate(matrix.read_steps[read]);
    match matrix.doubles_from.get(read).copied().flatten() {
        Some(write) => format!(
            "{most}. At {reads} reads/s their p99 doubles from {} of writes on",
            units::bytes_per_s(matrix.write_steps[write])
        ),
        None => format!("{most}. At {reads} reads/s writes never double their p99"),
    }
}

/// The middle read step, or the one nearest to it that was reached without writes: low ones hardly queue, the highest
/// is overrun by itself, and a step that was not reached alone says nothing about writes.
fn telling_read_step(matrix: &Matrix) -> Option<usize> {
    let middle = matrix.read_steps.len().saturating_sub(1) / 2;
    let is_reached = |read: &usize| {
        matrix
            .cell(0, *read)
            .is_some_and(|cell| cell.visits > 0 && cell.reached)
    };
    (0..matrix.read_steps.len())
        .filter(is_reached)
        .min_by_key(|read| read.abs_diff(middle))
}

fn metric_text(metric: SteadyMetric, value: f64) -> String {
    match metric {
        SteadyMetric::Iops => format!("{} IOPS", rate(value)),
        SteadyMetric::Bw => units::bytes_per_s(value),
        SteadyMetric::Lat => format!("{} mean latency", units::duration_ns(value)),
    }
}

fn steady_sentence(steady: &Steadiness) -> String {
    let metric = steady.metric();
    let sustained = metric_text(metric, steady.sustained);
    match (steady.attained_ms, steady.window) {
        (Some(ms), _) => format!("steady after {}: {sustained} sustained", units::span_ms(ms)),
        (None, Some(_)) => {
            format!("not steady when the load ended; {sustained} in the last window")
        }
        (None, None) => {
            format!("not steady: the load ended before there was a window; {sustained} so far")
        }
    }
}

/// The rule in words.
fn rule_words(criterion: &Criterion) -> String {
    match criterion {
        Criterion::Snia { round_ms, .. } => format!(
            "SNIA: over 5 rounds of {} a range of at most 20 % and a line within 10 %",
            units::span_ms(*round_ms)
        ),
        Criterion::Fio(rule) => {
            let what = if rule.slope {
                "a line that moves less per second than"
            } else {
                "no second farther off the mean than"
            };
            format!(
                "fio: over {} {what} {} %",
                units::span_ms(rule.window_ms),
                rule.limit_percent
            )
        }
    }
}

fn steady_lines(steady: &Steadiness, is_worn_in: bool) -> Vec<String> {
    let metric = steady.metric();
    let text = |value| metric_text(metric, value);
    let mut lines = Vec::new();
    match &steady.cliff {
        Some(cliff) => {
            let share = units::percent_signed(cliff.after / cliff.burst - 1.0);
            lines.push(format!(
                "  burst     {} until the cliff after {} and {}; then {share}",
                text(steady.burst),
                units::span_ms(cliff.at_ms),
                units::bytes(cliff.bytes as f64)
            ));
        }
        None => lines.push(format!(
            "  burst     {} at the beginning; no cliff was seen",
            text(steady.burst)
        )),
    }
    lines.push(format!("  sustained {}", text(steady.sustained)));
    if let Some(window) = &steady.window {
        lines.push(format!(
            "  window    range {} %, the line moves by {}   {} rounds in all",
            units::decimals(window.range * 100.0, 1),
            units::percent_signed(window.slope),
            steady.rounds.len()
        ));
    }
    lines.extend(indented(&format!(
        "rule      {}",
        rule_words(&steady.criterion)
    )));
    if !steady.attained {
        lines.extend(indented(&unsteady(steady, is_worn_in)));
    }
    lines
}

/// A line that moves by more than this over the window goes somewhere; below, the values only fluctuate.
const MOVING: f64 = 0.10;

/// What an unsteady end means and what to do.
fn unsteady(steady: &Steadiness, is_worn_in: bool) -> String {
    let advice = match is_worn_in {
        true => "Give it longer (--steady-limit).",
        false => "Give it longer (--steady-limit), or wear it in first (--precondition).",
    };
    match &steady.window {
        Some(window) if window.mean <= 0.0 => {
            "Nothing completed in the last window: the device stalled.".into()
        }
        Some(window) if window.slope.abs() > MOVING => format!(
            "The figures are of a device in transition, not of one that has settled: over the last window the line \
             still moves by {}. {advice}",
            units::percent_signed(window.slope)
        ),
        Some(window) => format!(
            "The figures do not settle, they fluctuate: over the last window they range over {} without going \
             anywhere. Other load on the device or its own housekeeping does that; longer rounds (--round) average \
             over it.",
            units::share(window.range)
        ),
        None => {
            format!("There was no whole window, so nothing is known about what lasts. {advice}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::search::{Goal, Statistic};
    use model::steady::{Cliff, Verdict};

    fn exactly(mean: f64) -> Spread {
        Spread {
            mean,
            low: Some(mean * 0.98),
            high: Some(mean * 1.02),
        }
    }

    fn found(level: f64, iops: f64, ns: f64) -> Level {
        Level {
            level,
            iops: exactly(iops),
            bytes_per_s: iops * 4096.0,
            latency_ns: exactly(ns),
        }
    }

    fn search() -> Search {
        Search {
            goal: Goal {
                statistic: Statistic::Percentile(99.0),
                limit_ns: 2_000_000,
            },
            lever: Lever::Iodepth,
            open_loop: false,
            ceiling: 256.0,
            best: Some(found(40.0, 64_900.0, 1.9e6)),
            above: Some(found(42.0, 65_000.0, 2.1e6)),
            enough: Some(16.0),
            trials: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn a_search_says_the_rate_the_depth_and_what_comes_next() {
        let job = Job::default();
        assert_eq!(
            search_sentence(&job, &search()),
            "4K random read, direct: 64.9 k IOPS (63.6 k to 66.2 k) keep p99 within 2.00 ms, at iodepth 40"
        );
        let lines = search_lines(&search()).join("\n");
        for word in [
            "at iodepth 42",
            "2.10 ms",
            "missed",
            "iodepth 16 gave the same rate",
            "closed loop",
        ] {
            assert!(lines.contains(word), "{lines}");
        }
        let open = Search {
            above: None,
            ..search()
        };
        assert!(search_sentence(&job, &open).contains("perhaps at more"));
        let all = Search {
            above: None,
            ceiling: 40.0,
            ..search()
        };
        assert!(search_sentence(&job, &all).ends_with("the most that was tried"));
        let none = Search {
            best: None,
            above: Some(found(1.0, 900.0, 3e6)),
            ..search()
        };
        assert!(
            search_sentence(&job, &none)
                .contains("nothing keeps p99 within 2.00 ms: at iodepth 1 already")
        );
    }

    #[test]
    fn a_matrix_is_judged_at_a_step_that_was_reached() {
        let cell = |write, read, reached| model::interference::InterferenceCell {
            write,
            read,
            visits: 2,
            reached,
            ..model::interference::InterferenceCell::default()
        };
        let mut matrix = Matrix {
            max_read_iops: 9_000.0,
            max_write_bytes_per_s: f64::from(1 << 20) * 100.0,
            write_bs: 131_072,
            open_loop: true,
            read_steps: vec![3_000.0, 6_000.0, 9_000.0],
            write_steps: vec![0.0, f64::from(1 << 20) * 100.0],
            seed: 1,
            warmup_ms: 1,
            window_ms: 1,
            cells: (0..3)
                .flat_map(|read| [cell(0, read, true), cell(1, read, false)])
                .collect(),
            doubles_from: vec![None, Some(1), None],
            notes: vec![],
        };
        let sentence = matrix_sentence(&matrix);
        assert!(
            sentence.ends_with("At 6.00 k reads/s their p99 doubles from 100 MiB/s of writes on"),
            "{sentence}"
        );
        matrix.cells[2].reached = false;
        assert!(matrix_sentence(&matrix).contains("At 3.00 k reads/s writes never double"));
        matrix
            .cells
            .iter_mut()
            .for_each(|cell| cell.reached = false);
        assert!(matrix_sentence(&matrix).contains("too unsteady"));
        matrix.cells.clear();
        assert!(matrix_sentence(&matrix).contains("cut short"));
    }

    #[test]
    fn what_was_varied_is_no_part_of_the_base() {
        let job = Job {
            numjobs: 4,
            ..Job::default()
        };
        assert_eq!(
            base_phrase(&job, &["iodepth"]),
            "4K random read, 4 jobs, direct"
        );
        assert_eq!(
            base_phrase(&job, &["bs", "numjobs", "direct"]),
            "random read, depth 32"
        );
        assert_eq!(base_phrase(&job, &["rw"]), "4K, 4 jobs, depth 32, direct");
    }

    #[test]
    fn an_unsteady_load_says_so() {
        let seen = Verdict {
            mean: 8e3,
            range: 0.3,
            slope: -0.22,
            deviation: 0.2,
            holds: false,
        };
        let unsteady = Steadiness {
            attained: false,
            attained_ms: None,
            cliff: None,
            window: Some(seen),
            ..steady()
        };
        assert!(steady_sentence(&unsteady).starts_with("not steady when the load ended"));
        let lines = steady_lines(&unsteady, false).join("\n");
        assert!(
            lines.contains("in transition") && lines.contains("−22 %"),
            "{lines}"
        );
        assert!(lines.contains("--precondition"), "{lines}");
        assert!(
            !steady_lines(&unsteady, true)
                .join("\n")
                .contains("--precondition"),
            "it was done already"
        );
        let restless = Steadiness {
            window: Some(Verdict {
                slope: 0.01,
                ..seen
            }),
            ..unsteady.clone()
        };
        assert!(
            steady_lines(&restless, false)
                .join("\n")
                .contains("fluctuate")
        );
        assert!(
            lines.lines().all(|line| line.chars().count() <= width()),
            "{lines}"
        );
    }

    #[test]
    fn a_cliff_before_the_steady_state_is_said() {
        assert_eq!(
            steady_sentence(&steady()),
            "steady after 90 s: 8.00 k IOPS sustained"
        );
        let lines = steady_lines(&steady(), false).join("\n");
        assert!(
            lines.contains("50.0 k IOPS until the cliff after 33 s and 6.00 GiB; then −84 %"),
            "{lines}"
        );
        assert!(!lines.contains("transition"));
    }

    /// Steady after a cliff.
    fn steady() -> Steadiness {
        Steadiness {
            criterion: Criterion::Snia {
                metric: SteadyMetric::Iops,
                round_ms: 10_000,
            },
            attained: true,
            attained_ms: Some(90_000),
            limit_ms: 900_000,
            window: Some(Verdict {
                mean: 8e3,
                range: 0.04,
                slope: -0.01,
                deviation: 0.02,
                holds: true,
            }),
            rounds: vec![8e3; 9],
            samples: vec![],
            sample_ms: 1_000,
            burst: 5e4,
            sustained: 8e3,
            cliff: Some(Cliff {
                at_ms: 33_000,
                bytes: 6 << 30,
                burst: 5e4,
                after: 8e3,
            }),
        }
    }
}
