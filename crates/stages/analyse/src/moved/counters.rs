//! What the kernel's counters of the device, of the CPUs and of interrupts say.

use super::{Arms, Candidate, MovedSample, judged, noise};
use model::figures::{ArmFigures, ArmValue};
use model::moved::{Change, Interrupts, MovedKind};

/// Shares of a CPU that differ by less than this many points do not matter.
const POINTS: f64 = 5.0;
/// The same for waits and for the CPU time of an I/O, by their size;
const TIMES: f64 = 0.05;
/// for sizes of requests and for what is in flight;
const SIZES: f64 = 0.1;
/// and for merges, by the I/Os of the device.
const MERGES: f64 = 0.05;
/// From here on a CPU has nothing left to give.
const SATURATED_PERCENT: f64 = 90.0;
/// A CPU that takes this share of the target's interrupts counts among those that serve it,
const TAKES: f64 = 0.1;
/// when there are this many in a second at all.
const INTERRUPTS_LEAST: f64 = 100.0;

/// Changes of the device's and the CPUs' figures. Of single CPUs only those that moved are kept: there may be hundreds.
pub(super) fn changes(arms: &Arms<'_>) -> Vec<Change> {
    let candidates = arms
        .figures
        .iter()
        .filter_map(|figure| candidate(arms, figure));
    let mut changes = judged(candidates.collect());
    changes.retain(|change| {
        change.moved || change.kind == MovedKind::Device || change.subject == "all"
    });
    let share = share_of_rate(arms);
    for change in changes
        .iter_mut()
        .filter(|change| change.moved && change.subject == "all")
    {
        change.share = share;
    }
    // Of many CPUs that moved, the one that moved most comes first.
    changes.sort_by(|a, b| size(b).total_cmp(&size(a)));
    changes
}

/// The CPU time of an I/O is about all CPUs, and stands before any of them.
fn size(change: &Change) -> f64 {
    if change.subject == "all" {
        f64::INFINITY
    } else {
        (change.to - change.from).abs()
    }
}

fn candidate(arms: &Arms<'_>, figure: &ArmFigures) -> Option<Candidate> {
    let (kind, subject, name) = parse(&figure.name)?;
    let (from, to) = (figure.of(arms.from)?, figure.of(arms.to)?);
    let least = match kind {
        MovedKind::Device if subject != arms.device => return None,
        _ => least(arms, name, from.value.max(to.value))?,
    };
    let change = Change {
        kind,
        name: name.to_string(),
        subject: subject.to_string(),
        side: None,
        unit: figure.unit.clone(),
        from: from.value,
        to: to.value,
        medians: None,
        noise: None,
        moved: false,
        share: None,
        made_of: None,
    };
    Some(Candidate {
        change,
        samples: [sample(from), sample(to)],
        least,
    })
}

/// `disk.vda.await_read_ms` is `await_read_ms` of vda. Device names may have dots, figures have none.
fn parse(name: &str) -> Option<(MovedKind, &str, &str)> {
    let (kind, rest) = match name.split_once('.')? {
        ("disk", rest) => (MovedKind::Device, rest),
        ("cpu", rest) => (MovedKind::Cpu, rest),
        _ => return None,
    };
    let (subject, name) = rest.rsplit_once('.')?;
    Some((kind, subject, name))
}

/// The least change that matters of a figure of this size; none for what is no cause: the rate is what was to be
/// explained, and waiting for I/O is idling.
fn least(arms: &Arms<'_>, name: &str, size: f64) -> Option<f64> {
    match name {
        "busy_percent" | "softirq_percent" | "irq_percent" | "steal_percent" => Some(POINTS),
        "us_per_io" | "await_read_ms" | "await_write_ms" | "await_flush_ms" => Some(TIMES * size),
        "size_read_bytes" | "size_write_bytes" | "queue_mean_ios" => Some(SIZES * size),
        "read_merges_per_s" | "write_merges_per_s" => Some(MERGES * rate(arms, arms.to)?.max(1.0)),
        _ => None,
    }
}

fn sample(value: &ArmValue) -> MovedSample {
    MovedSample {
        mean: value.value,
        spread: value.spread,
        windows: value.windows,
    }
}

fn value(arms: &Arms<'_>, name: &str, arm: &str) -> Option<f64> {
    let figure = arms.figures.iter().find(|figure| figure.name == name)?;
    figure.of(arm).map(|value| value.value)
}

/// I/Os of the tuned device in a second.
fn rate(arms: &Arms<'_>, arm: &str) -> Option<f64> {
    let of = |side: &str| value(arms, &format!("disk.{}.{side}s_per_s", arms.device), arm);
    Some(of("read")? + of("write")?)
}

/// Where a CPU has nothing left to give under the first arm, an I/O that costs less of it is a higher rate: the share
/// of the rate's change that this is, on the logarithmic scale.
fn share_of_rate(arms: &Arms<'_>) -> Option<f64> {
    let is_busy = |figure: &&ArmFigures| {
        parse(&figure.name)
            .is_some_and(|(kind, _, name)| kind == MovedKind::Cpu && name == "busy_percent")
    };
    let busy = arms
        .figures
        .iter()
        .filter(is_busy)
        .filter_map(|figure| Some(figure.of(arms.from)?.value));
    let busiest = busy.fold(0.0, f64::max);
    let cost = |arm: &str| value(arms, "cpu.all.us_per_io", arm);
    let (cost_from, cost_to) = (cost(arms.from)?, cost(arms.to)?);
    let load = |arm: &str| value(arms, "load.per_s", arm);
    let (rate_from, rate_to) = (load(arms.from)?, load(arms.to)?);
    let (cost_ln, rate_ln) = ((cost_from / cost_to).ln(), (rate_to / rate_from).ln());
    let share = cost_ln / rate_ln;
    (busiest >= SATURATED_PERCENT && rate_ln.abs() > 0.02 && share.is_finite()).then_some(share)
}

/// The CPUs that take the target's interrupts, where the arms differ in them by more than noise.
pub(super) fn interrupts(arms: &Arms<'_>) -> Option<Interrupts> {
    let cpus: Vec<(u32, &ArmValue, &ArmValue)> = arms
        .figures
        .iter()
        .filter_map(|figure| taken(arms, figure))
        .collect();
    let total = |of: &dyn Fn(&(u32, &ArmValue, &ArmValue)) -> f64| cpus.iter().map(of).sum::<f64>();
    let (from_total, to_total) = (total(&|cpu| cpu.1.value), total(&|cpu| cpu.2.value));
    if from_total < INTERRUPTS_LEAST || to_total < INTERRUPTS_LEAST {
        return None;
    }
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for (cpu, under_from, under_to) in &cpus {
        let (was, is) = (under_from.value / from_total, under_to.value / to_total);
        let noise = noise(&sample(under_from), &sample(under_to), cpus.len());
        let is_noise = noise.is_none_or(|noise| (under_to.value - under_from.value).abs() <= noise);
        // A CPU at the border, or one that only seems to have come or gone, counts as it did before.
        let is_same = is_noise || (is - was).abs() < TAKES;
        let (was, is) = (
            was >= TAKES,
            if is_same { was >= TAKES } else { is >= TAKES },
        );
        from.extend(was.then_some(*cpu));
        to.extend(is.then_some(*cpu));
    }
    (from != to).then_some(Interrupts { from, to })
}

fn taken<'a>(arms: &Arms<'a>, figure: &'a ArmFigures) -> Option<(u32, &'a ArmValue, &'a ArmValue)> {
    let cpu = figure
        .name
        .strip_prefix("irq.cpu")?
        .strip_suffix(".target_per_s")?
        .parse()
        .ok()?;
    Some((cpu, figure.of(arms.from)?, figure.of(arms.to)?))
}
