//! Records in words: the sentence first, then what it rests on, then what to do next.

use super::lint::doubt_lines;
use model::job::Job;
use model::record::{Direction, LoadResult, Record, Trial};
use model::units;
use model::verdict::{Guard, Outcome, P99, Reason, Verdict};

/// What a load gave: `4K random read, depth 32, direct: 64.9 k IOPS, 254 MiB/s, p50 449 µs, p99 750 µs`.
pub fn load_sentence(job: &Job, load: &LoadResult) -> String {
    let latency = load.latency();
    let quantile = |share: f64| {
        latency.quantile_ns(share).map_or_else(|| "–".into(), |ns| units::duration_ns(ns as f64))
    };
    format!(
        "{}: {} IOPS, {}, p50 {}, p99 {}",
        job.phrase(),
        units::count(load.iops().round()),
        units::bytes_per_s(load.bytes_per_s()),
        quantile(0.5),
        quantile(0.99)
    )
}

/// What an experiment found about one knob.
pub fn verdict_sentence(knob: &str, values: &[String], verdict: &Verdict) -> String {
    let found = values.first().map_or("?", String::as_str);
    let within = units::percent_signed(verdict.rope).replace('+', "");
    match (verdict.outcome, verdict.reason) {
        (Outcome::Better, _) if verdict.arm != found => {
            format!("{knob}: {found} → {}: {}{}", verdict.arm, effect(verdict), p99(verdict.p99.as_ref()))
        }
        (Outcome::Better | Outcome::Equal, Reason::WithinRope) if values.len() == 2 => {
            format!("{knob}: {} equals {found} within {within}", values[1])
        }
        (Outcome::Better | Outcome::Equal, Reason::WithinRope) => {
            format!("{knob}: no setting helps, all are within {within} of {found}")
        }
        (Outcome::Better | Outcome::Equal, _) => format!("{knob}: nothing beats {found}{}", losers(verdict)),
        (Outcome::Inconclusive | Outcome::Refused, _) => format!("{knob}: no verdict. {}", verdict.sentence),
    }
}

/// `+59 % IOPS (57 to 61)`.
fn effect(verdict: &Verdict) -> String {
    let (Some(effect), Some(low), Some(high)) = (verdict.effect, verdict.low, verdict.high) else {
        return "no estimate".into();
    };
    format!("{} IOPS ({} to {})", units::percent_signed(effect), bare(low), bare(high))
}

/// A bound without sign and unit where it is positive: `57`, `−1.2`.
fn bare(value: f64) -> String {
    units::percent_signed(value).trim_start_matches('+').trim_end_matches(" %").to_string()
}

fn p99(p99: Option<&P99>) -> String {
    match p99 {
        Some(p99) if p99.guard != Guard::NotJudged => {
            format!(", p99 {}", units::percent_signed(p99.ratio - 1.0))
        }
        _ => String::new(),
    }
}

/// The other arms with their distance, for a default that nothing beats.
fn losers(verdict: &Verdict) -> String {
    let one =
        |arm: &model::verdict::ArmResult| Some(format!("{} {}", arm.arm, units::percent_signed(arm.effect?)));
    let all: Vec<String> = verdict.arms.iter().filter_map(one).collect();
    if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) }
}

/// The sentence of a whole tune: the wins, or that there was none.
pub fn tune_sentence(trials: &[Trial]) -> String {
    let tried: Vec<&Trial> = trials.iter().filter(|trial| trial.verdict.is_some()).collect();
    let wins: Vec<&str> =
        tried.iter().filter(|trial| is_win(trial)).map(|trial| trial.summary.as_str()).collect();
    match (wins.is_empty(), tried.is_empty()) {
        (false, _) => wins.join("; "),
        (true, false) => {
            tried.iter().map(|trial| trial.summary.trim_end_matches('.')).collect::<Vec<_>>().join("; ")
        }
        (true, true) => "no knob was tried".to_string(),
    }
}

fn is_win(trial: &Trial) -> bool {
    let verdict = trial.verdict.as_ref();
    verdict.is_some_and(|v| v.outcome == Outcome::Better && Some(&v.arm) != trial.arms.first())
}

/// A record in lines.
pub fn record(id: i64, record: &Record) -> Vec<String> {
    let mut lines = match &record.load {
        Some(load) => run_lines(record, load),
        None => tune_lines(id, record),
    };
    lines.push(format!("  record {id}   show it: iodyno show {id} --json"));
    lines
}

fn run_lines(record: &Record, load: &LoadResult) -> Vec<String> {
    let mut lines = vec![load_sentence(&record.job, load)];
    let device = record.path.queue_device().map_or("no block device", |layer| layer.name.as_str());
    let span = units::span_ms(load.elapsed_ms.round() as u64);
    lines.push(format!("  on {} ({device}), {span}, seed {}", record.target, record.job.randseed));
    lines.push(format!("  engine {}", load.engine));
    for (name, direction) in [("read", &load.read), ("write", &load.write)] {
        lines.extend(direction_line(name, direction, load.elapsed_ms));
    }
    lines.push(cpu_line(load));
    lines.extend(load.errors.iter().map(|(errno, count)| format!("  errors: {count} with errno {errno}")));
    lines.extend(load.notes.iter().map(|note| format!("  note: {note}")));
    lines.extend(doubt_lines(&record.findings));
    lines
}

fn direction_line(name: &str, direction: &Direction, elapsed_ms: f64) -> Option<String> {
    if direction.ios == 0 {
        return None;
    }
    let rate = units::count((direction.ios as f64 / elapsed_ms * 1e3).round());
    let quantiles = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9"), (1.0, "max")].map(|(share, name)| {
        let value = direction.latency.quantile_ns(share).unwrap_or(0);
        format!("{name} {}", units::duration_ns(value as f64))
    });
    Some(format!("  {name:<5} {rate:>7} IOPS   {}", quantiles.join("  ")))
}

/// CPU per I/O, and a warning where the generator may be what was measured.
fn cpu_line(load: &LoadResult) -> String {
    let ios = load.ios().max(1) as f64;
    let total_ms = load.cpu_user_ms + load.cpu_system_ms;
    let per_io = units::duration_ns(total_ms * 1e6 / ios);
    let share = total_ms / load.elapsed_ms.max(1.0) * 100.0;
    format!("  CPU   {per_io} per I/O, {share:.0} % of one CPU, kernel workers included")
}

fn tune_lines(id: i64, record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for trial in &record.trials {
        lines.push(match &trial.skipped {
            Some(why) => format!("{}: not tried, {why}.", trial.knob),
            None => format!("{}.", trial.summary.trim_end_matches('.')),
        });
        lines.extend(trial.verdict.as_ref().and_then(proof_line));
    }
    let device = record.trials.first().map_or("the device", |trial| trial.device.as_str());
    lines.push(format!("  holds for this load ({}) on {device}; not for others", record.job.phrase()));
    lines.push("Everything is back as it was.".to_string());
    if record.trials.iter().any(|trial| is_win(trial) && !trial.aa) {
        lines.push(format!(
            "  keep it: sudo iodyno apply {id}    keep it for good: sudo iodyno apply {id} --persist"
        ));
    }
    lines
}

/// What the verdict rests on.
fn proof_line(verdict: &Verdict) -> Option<String> {
    let stage = verdict.estimated_in?;
    let pairs = verdict.pairs.iter().filter(|pair| pair.stage == stage).count();
    let fresh = if stage == model::verdict::Stage::Holdout {
        " fresh pairs after the choice was made"
    } else {
        " pairs"
    };
    Some(format!(
        "  {pairs}{fresh}, seed {}, {} of device time; {}",
        verdict.seed,
        units::span_ms(verdict.device_ms),
        horizon(verdict.horizon_ms)
    ))
}

/// How far the audit could see. Under a second it saw nothing but noise, and says so.
fn horizon(horizon_ms: u64) -> String {
    match horizon_ms {
        0..1_000 => "too noisy to exclude that the effect fades".to_string(),
        _ => format!("no fading seen up to {}", units::span_ms(horizon_ms)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::verdict::ArmResult;

    fn verdict(outcome: Outcome, reason: Reason, arm: &str) -> Verdict {
        Verdict {
            outcome,
            arm: arm.into(),
            reason,
            sentence: "The noise is too large.".into(),
            effect: Some(0.59),
            low: Some(0.57),
            high: Some(0.61),
            estimated_in: None,
            compared: None,
            windows: 0,
            device_ms: 0,
            seed: 7,
            alpha: 0.05,
            rope: 0.02,
            window_ms: 120,
            washout_ms: 40,
            horizon_ms: 0,
            raw_effect: None,
            lives_in_tail: false,
            smallest_detectable: None,
            p99: Some(P99 { ratio: 0.62, low: Some(0.6), high: Some(0.65), guard: Guard::Passed }),
            arms: vec![ArmResult {
                arm: "none".into(),
                effect: Some(-0.12),
                low: None,
                high: None,
                dropped: true,
            }],
            stages: vec![],
            pairs: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn a_win_names_both_values_the_interval_and_the_tail() {
        let values = ["bfq".to_string(), "none".to_string()];
        let won = verdict(Outcome::Better, Reason::Confirmed, "none");
        assert_eq!(
            verdict_sentence("scheduler", &values, &won),
            "scheduler: bfq → none: +59 % IOPS (57 to 61), p99 −38 %"
        );
        let equal = verdict(Outcome::Equal, Reason::WithinRope, "bfq");
        assert_eq!(verdict_sentence("scheduler", &values, &equal), "scheduler: none equals bfq within 2.0 %");
        let lost = verdict(Outcome::Better, Reason::DefaultWins, "bfq");
        assert_eq!(verdict_sentence("scheduler", &values, &lost), "scheduler: nothing beats bfq: none −12 %");
        let refused = verdict(Outcome::Refused, Reason::TooNoisy, "bfq");
        assert_eq!(
            verdict_sentence("scheduler", &values, &refused),
            "scheduler: no verdict. The noise is too large."
        );
    }
}
