//! Where a difference between two arms came from, in words.
//!
//! One thing a line, the weightiest first: what moved, what did not, and what the figures rest on.

use super::text::{width, wrap};
use kernel::cpulist::CpuList;
use model::layers::LayerSide;
use model::moved::{Change, Interrupts, Moved, MovedKind};
use model::record::Trial;
use model::units;
use model::units::{bytes, count, duration_ns};
use model::verdict::Outcome;

/// As many layers, and as many figures of CPUs and of the device, as a reader takes in.
const LAYERS_MAX: usize = 4;
const CPUS_MAX: usize = 3;
const DEVICE_MAX: usize = 2;
/// A figure is called unchanged when it cannot have changed by more than this share of itself.
const UNCHANGED: f64 = 0.1;
/// Below this share of the whole time a layer matters to nobody, whatever it did.
const SMALL: f64 = 0.05;

/// The lines below a verdict; none where arms were not compared.
pub(super) fn lines(trial: &Trial) -> Vec<String> {
    let Some(moved) = &trial.moved else {
        return Vec::new();
    };
    let better = trial
        .verdict
        .as_ref()
        .filter(|verdict| verdict.outcome == Outcome::Better);
    let lost = better.map(|verdict| verdict.arm == moved.from);
    let head = if lost == Some(true) {
        format!("  where {} loses: ", moved.to)
    } else {
        "  where: ".to_string()
    };
    let indent = head.chars().count();
    let broken = sentences(moved, &trial.device, lost)
        .into_iter()
        .flat_map(|sentence| {
            let mut parts = wrap(&sentence, width() - indent);
            // What goes on stands further in than what begins.
            parts
                .iter_mut()
                .skip(1)
                .for_each(|part| part.insert_str(0, "  "));
            parts
        });
    let lead = |index: usize| {
        if index == 0 {
            head.clone()
        } else {
            " ".repeat(indent)
        }
    };
    broken
        .enumerate()
        .map(|(index, line)| format!("{}{line}", lead(index)))
        .collect()
}

/// Every sentence. Whether the second arm lost is known where one of the two was better.
fn sentences(moved: &Moved, tuned: &str, lost: Option<bool>) -> Vec<String> {
    let of =
        |kind: MovedKind, most: usize| moved.moved().filter(move |one| one.kind == kind).take(most);
    let has_sides = sides(moved).len() > 1;
    let layer = |change: &Change| layer_sentence(change, tuned, has_sides);
    // A layer that moved against the result is a part of the picture, but no reason for it.
    let is_against = |change: &&Change| lost.is_some_and(|lost| (change.to > change.from) != lost);
    let (against, with): (Vec<&Change>, Vec<&Change>) =
        of(MovedKind::Layer, usize::MAX).partition(is_against);
    let mut all: Vec<String> = with
        .iter()
        .take(LAYERS_MAX)
        .map(|change| layer(change))
        .collect();
    if with.is_empty() && !against.is_empty() {
        all.push("no layer that moved accounts for it".to_string());
    }
    let room = LAYERS_MAX - with.len().min(LAYERS_MAX);
    let but = if lost == Some(true) {
        "faster, but"
    } else {
        "slower, but"
    };
    let ends = if lost == Some(true) { "loses" } else { "wins" };
    let other_way = |change: &&Change| format!("{but} {} {ends}: {}", moved.to, layer(change));
    all.extend(against.iter().take(room).map(other_way));
    // The whole stands for itself where no part of it tells more.
    if all.is_empty() {
        all.extend(of(MovedKind::Whole, 1).map(layer));
    }
    let is_named = !all.is_empty();
    all.extend(moved.interrupts.as_ref().map(interrupts));
    all.extend(of(MovedKind::Cpu, CPUS_MAX).map(cpu_sentence));
    // Without layers the wait that the device's counters know is all there is.
    let is_told = |change: &&Change| moved.traced.is_none() || !change.name.starts_with("await_");
    all.extend(
        of(MovedKind::Device, usize::MAX)
            .filter(is_told)
            .take(DEVICE_MAX)
            .map(device_sentence),
    );
    if all.is_empty() {
        all.push("nothing changed by more than its own noise".to_string());
    }
    all.extend(stayed(moved, tuned, has_sides, is_named));
    all.extend(foot(moved, tuned));
    all
}

/// Directions that layers were compared in.
fn sides(moved: &Moved) -> Vec<LayerSide> {
    let mut sides: Vec<LayerSide> = moved
        .changes
        .iter()
        .filter_map(|change| change.side)
        .collect();
    sides.sort_unstable();
    sides.dedup();
    sides
}

/// `I2D`, `write I2D`, `vda D2C`: as much as it takes to tell it from the others.
fn name(change: &Change, tuned: &str, has_sides: bool) -> String {
    let device = if change.subject == tuned {
        String::new()
    } else {
        format!("{} ", change.subject)
    };
    let side = change
        .side
        .filter(|_| has_sides)
        .map_or_else(String::new, |side| format!("{} ", side.name()));
    format!("{device}{side}{}", change.name)
}

/// `I2D 410 µs → 3.00 µs (median 390 µs → 2.10 µs), 97 % of the change in Q2C`.
fn layer_sentence(change: &Change, tuned: &str, has_sides: bool) -> String {
    let mut notes: Vec<String> = change.made_of.iter().cloned().collect();
    if let Some((from, to)) = change.medians {
        notes.push(format!(
            "median {} → {}",
            duration_ns(from),
            duration_ns(to)
        ));
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!(" ({})", notes.join("; "))
    };
    let (from, to) = (duration_ns(change.from), duration_ns(change.to));
    format!(
        "{} {from} → {to}{notes}{}",
        name(change, tuned, has_sides),
        share(change, "Q2C")
    )
}

/// A share, where it is one: parts that move against each other explain more than all, or less than nothing.
fn share(change: &Change, of: &str) -> String {
    match change.share {
        Some(share) if (0.05..0.995).contains(&share) => {
            format!(", {} of the change in {of}", units::share(share))
        }
        Some(share) if (0.995..1.1).contains(&share) => format!(", all of the change in {of}"),
        _ => String::new(),
    }
}

fn cpu_sentence(change: &Change) -> String {
    let percent = |value: f64| units::percent_whole(value);
    let (from, to) = (change.from, change.to);
    let spends = |what: &str| {
        format!(
            "CPU {} spends {} {what} in place of {}",
            change.subject,
            percent(to),
            percent(from)
        )
    };
    match change.name.as_str() {
        "us_per_io" => {
            let (from, to) = (duration_ns(from * 1e3), duration_ns(to * 1e3));
            format!(
                "CPU time per I/O {from} → {to}{}",
                share(change, "the rate")
            )
        }
        "softirq_percent" => spends("in softirq"),
        "irq_percent" => spends("in interrupt handlers"),
        "steal_percent" => format!(
            "the hypervisor takes {} of CPU {} in place of {}",
            percent(to),
            change.subject,
            percent(from)
        ),
        _ => format!(
            "CPU {} is {} busy in place of {}",
            change.subject,
            percent(to),
            percent(from)
        ),
    }
}

fn device_sentence(change: &Change) -> String {
    let ms = |value: f64| duration_ns(value * 1e6);
    let (from, to) = (change.from, change.to);
    let arrow = |text: &dyn Fn(f64) -> String| format!("{} → {}", text(from), text(to));
    let on = &change.subject;
    match change.name.as_str() {
        "size_read_bytes" => format!("reads that reach {on} have {}", arrow(&bytes)),
        "size_write_bytes" => format!("writes that reach {on} have {}", arrow(&bytes)),
        "read_merges_per_s" => format!("merged reads on {on} {} in a second", arrow(&count)),
        "write_merges_per_s" => format!("merged writes on {on} {} in a second", arrow(&count)),
        "queue_mean_ios" => format!(
            "in flight on {on} {}",
            arrow(&|value| units::decimals(value, 1))
        ),
        "await_read_ms" => format!("reads on {on} wait {} from queue to completion", arrow(&ms)),
        "await_write_ms" => format!(
            "writes on {on} wait {} from queue to completion",
            arrow(&ms)
        ),
        "await_flush_ms" => format!("flushes on {on} wait {}", arrow(&ms)),
        _ => format!("{} of {on} {}", change.name, arrow(&count)),
    }
}

fn interrupts(moved: &Interrupts) -> String {
    let (from, to) = (cpus(&moved.from), cpus(&moved.to));
    match moved.from.len().cmp(&moved.to.len()) {
        std::cmp::Ordering::Less => format!("interrupts spread from {from} to {to}"),
        std::cmp::Ordering::Equal => format!("interrupts moved from {from} to {to}"),
        std::cmp::Ordering::Greater => format!("interrupts gathered from {from} on {to}"),
    }
}

/// `CPU 1`, `CPUs 0–3, 8`.
fn cpus(cpus: &[u32]) -> String {
    let word = |(first, last): (u32, u32)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}–{last}")
        }
    };
    let list: CpuList = cpus.iter().copied().collect();
    let words: Vec<String> = list.ranges().map(word).collect();
    format!(
        "CPU{} {}",
        if cpus.len() == 1 { "" } else { "s" },
        words.join(", ")
    )
}

/// `unchanged: Q2G 1.20 µs, D2C 88.0 µs`, and apart from it what changed by less than it varies, or is too small.
fn stayed(moved: &Moved, tuned: &str, has_sides: bool, is_named: bool) -> Vec<String> {
    let is_shown = |one: &&Change| match one.kind {
        MovedKind::Layer => one.subject == tuned,
        // The parts say more than the whole, unless nothing moved.
        MovedKind::Whole => one.subject == tuned && !is_named,
        MovedKind::Cpu => one.subject == "all" && !is_named,
        MovedKind::Device => false,
    };
    let (mut same, mut small, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for change in moved.stayed().filter(is_shown) {
        let (what, to_ns) = match change.kind {
            MovedKind::Cpu => ("CPU time per I/O".to_string(), 1e3),
            _ => (name(change, tuned, has_sides), 1.0),
        };
        let (from, to) = (
            duration_ns(change.from * to_ns),
            duration_ns(change.to * to_ns),
        );
        let reach = change
            .noise
            .map(|noise| (change.to - change.from).abs() + noise);
        if reach.is_some_and(|reach| reach <= UNCHANGED * change.from) {
            same.push(format!("{what} {from}"));
        } else if change.from.max(change.to) < SMALL * whole(moved, tuned, change.side) {
            small.push(format!("{what} {from}"));
        } else {
            open.push(format!("{what} {from} → {to}"));
        }
    }
    let said = |words: &str, what: Vec<String>| {
        (!what.is_empty()).then(|| format!("{words}: {}", what.join(", ")))
    };
    let small = said("too short to matter", small);
    said("unchanged", same)
        .into_iter()
        .chain(small)
        .chain(said("not told from noise", open))
        .collect()
}

/// The whole time in a direction under the slower arm, ns; 0 for what has no direction.
fn whole(moved: &Moved, tuned: &str, side: Option<LayerSide>) -> f64 {
    let is_it =
        |one: &&Change| one.kind == MovedKind::Whole && one.subject == tuned && one.side == side;
    moved
        .changes
        .iter()
        .find(is_it)
        .map_or(0.0, |whole| whole.from.max(whole.to))
}

/// What the layers rest on, or why there are none.
fn foot(moved: &Moved, tuned: &str) -> Option<String> {
    match (&moved.traced, &moved.not_traced) {
        (Some(source), _) => {
            let sides: Vec<&str> = sides(moved).into_iter().map(LayerSide::name).collect();
            let what = if sides.is_empty() {
                "I/O".to_string()
            } else {
                sides.join(" and ")
            };
            let windows = moved.traced_windows;
            Some(format!(
                "means of {what} on {tuned}, {source}, {windows} traced windows of each"
            ))
        }
        (None, Some(why)) => Some(format!("layers were not traced: {why}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests;
