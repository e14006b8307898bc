//! The answers of `cloud` in words.

use super::documents::{Answer, SeenLoad};
use diagnose::cloud::{
    self, Burst, Carrier, CloudDisk, CloudFormulaLine, CloudMachine, DataRange, Instance, Match,
    Need, Offer, Reach, Strength,
};
use model::units;

/// As many matches of a rate are shown.
const MATCHES_MAX: usize = 8;

/// The lines for people.
pub fn lines(answer: &Answer<'_>) -> Vec<String> {
    match answer {
        Answer::Promise(one) => offer(one),
        Answer::Carriers {
            need,
            found,
            currency,
        } => carriers(need, found, currency.as_deref()),
        Answer::Seen(loads) => loads.iter().flat_map(seen).collect(),
        Answer::Machine(machine) => of_machine(machine),
    }
}

fn count(rate: f64) -> String {
    units::count(rate.round())
}

fn size(gib: f64) -> String {
    units::bytes(gib * (1u64 << 30) as f64)
}

fn offer(offer: &Offer<'_>) -> Vec<String> {
    let mut lines = vec![format!("{}  {}", offer.spec(), offer.kind.title)];
    let row = |(name, value): (&str, String)| format!("  {name:<11} {value}");
    lines.extend(promised(offer).into_iter().map(row));
    lines.push(String::new());
    lines.push("  block size        IOPS    bandwidth  what binds".into());
    let reaches = cloud::BLOCK_SIZES
        .iter()
        .filter_map(|bs| cloud::reach(&offer.promise, *bs));
    lines.extend(reaches.map(|one| reach(&one)));
    lines.push(String::new());
    lines.extend(offer.kind.limits.iter().map(|limit| format!("  {limit}")));
    lines.push(format!(
        "  source: {} ({})",
        offer.kind.source, offer.kind.date
    ));
    lines.extend(
        offer
            .kind
            .unverified
            .iter()
            .map(|what| format!("  not verified there: {what}")),
    );
    lines
}

/// What the provider says of the disk, by name.
fn promised(offer: &Offer<'_>) -> Vec<(&'static str, String)> {
    let promise = &offer.promise;
    let figure = |words: Option<String>, formula: Option<String>| {
        let words = words.unwrap_or_else(|| "not said".into());
        format!("{words}{}", follows(formula))
    };
    let mut rows = vec![
        ("size", sold_size(offer)),
        (
            "IOPS",
            figure(promise.iops.map(count), offer.iops_formula()),
        ),
        (
            "bandwidth",
            figure(
                promise.bytes_per_s.map(units::bytes_per_s),
                offer.bandwidth_formula(),
            ),
        ),
    ];
    rows.extend(settable(offer).map(|range| ("can be set", range)));
    rows.extend(offer.kind.latency_us.map(|us| ("latency", latency(us))));
    rows.extend(burst(offer).map(|burst| ("burst", burst)));
    rows.extend(credits(offer).map(|credits| ("credits", credits)));
    rows.extend(promise.io_unit_bytes.map(|unit| {
        let unit = units::bytes(unit as f64);
        let words = format!("{unit}: a larger I/O counts as several");
        ("counted in", words)
    }));
    rows.extend(offer.instance.map(|one| ("instance", instance(one))));
    rows
}

/// ` = min(1800 + 50 × GiB, 50000)`, where a figure follows from something.
fn follows(formula: Option<String>) -> String {
    formula.map_or_else(String::new, |formula| format!(" = {formula}"))
}

/// What --iops and --mbps may be.
fn settable(offer: &Offer<'_>) -> Option<String> {
    let range =
        |range: &DataRange| format!("{} to {}", range.at_least.words(), range.at_most.words());
    let (kind, of_iops) = (offer.kind, offer.kind.iops_set.as_ref());
    let iops = of_iops.map(|of| format!("IOPS from {}", range(of)));
    let of_bytes = kind.mbps_set.as_ref();
    let bytes = of_bytes.map(|of| format!("{} from {}", kind.unit.word(), range(of)));
    let all: Vec<String> = iops.into_iter().chain(bytes).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// What a full bucket holds.
fn credits(offer: &Offer<'_>) -> Option<String> {
    offer.promise.burst_s?;
    let burst = offer.kind.burst.as_ref()?;
    let ios = || burst.ios.map(|ios| format!("{} I/Os", units::whole(ios)));
    let bytes = || {
        let bytes = burst.bytes_per_gib?;
        Some(format!("{} for each GiB", units::bytes(bytes)))
    };
    let held = ios().or_else(bytes)?;
    Some(format!("{held} when full; they come back at the base rate"))
}

fn sold_size(offer: &Offer<'_>) -> String {
    let tier = offer.tier.filter(|tier| tier.gib > offer.size_gib);
    let tier = tier.map(|tier| format!(", sold and run as {} of {}", tier.name, size(tier.gib)));
    let smallest = match offer.is_smallest {
        true => ", the smallest that is sold: no SIZE was given",
        false => "",
    };
    format!(
        "{}{}{smallest}",
        size(offer.size_gib),
        tier.unwrap_or_default()
    )
}

fn latency([low, high]: [f64; 2]) -> String {
    let time = |us: f64| units::duration_ns(us * 1e3);
    let range = if low == high {
        time(low)
    } else {
        format!("{} to {}", time(low), time(high))
    };
    format!("{range} for a small I/O")
}

fn instance(instance: &Instance) -> String {
    let for_a_while = instance
        .burst_iops
        .map(|iops| format!("; for half an hour {} IOPS", count(iops)));
    let (iops, bytes) = (
        count(instance.iops),
        units::bytes_per_s(instance.mbps * 1e6),
    );
    format!(
        "{}: {iops} IOPS, {bytes} for all disks together{}",
        instance.name,
        for_a_while.unwrap_or_default()
    )
}

/// The line of a block size.
fn reach(reach: &Reach) -> String {
    let bs = units::bytes(reach.bs as f64);
    let (iops, bytes) = (
        units::count(reach.iops),
        units::bytes_per_s(reach.bytes_per_s),
    );
    let counted = if reach.counted_as > 1 {
        format!(" (counts as {})", reach.counted_as)
    } else {
        String::new()
    };
    format!(
        "  {bs:>10} {iops:>11} {bytes:>12}  {}{counted}",
        reach.binds.phrase()
    )
}

fn burst(offer: &Offer<'_>) -> Option<String> {
    let promise = &offer.promise;
    let line = |of: fn(&Burst) -> Option<&CloudFormulaLine>| {
        let line = offer.kind.burst.as_ref().and_then(of);
        line.filter(|line| !line.is_constant())
    };
    let (of_iops, of_bytes) = (
        line(|burst| burst.iops.as_ref()).map(CloudFormulaLine::words),
        line(|burst| burst.mbps.as_ref())
            .map(|line| format!("{} {}", line.words(), offer.kind.unit.word())),
    );
    let figures: Vec<String> = [
        promise
            .burst_iops
            .map(|iops| format!("{} IOPS{}", count(iops), follows(of_iops))),
        promise
            .burst_bytes_per_s
            .map(|bytes| format!("{}{}", units::bytes_per_s(bytes), follows(of_bytes))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let lasts = match promise.burst_s {
        Some(s) => format!(
            ", for {} with full credits",
            units::span_ms((s * 1e3) as u64)
        ),
        None => String::new(),
    };
    (!figures.is_empty()).then(|| format!("{}{lasts}", figures.join(", ")))
}

fn carriers(need: &Need, found: &[Carrier<'_>], currency: Option<&str>) -> Vec<String> {
    let room = if need.size_gib > 0.0 {
        format!(", {} and more", size(need.size_gib))
    } else {
        String::new()
    };
    let (bs, bytes) = (
        units::bytes(need.bs as f64),
        units::bytes_per_s(need.bytes_per_s),
    );
    let are_bytes_alone = need.iops <= 0.0;
    let mut lines = vec![match are_bytes_alone {
        true => {
            format!("{bytes} in I/Os of {bs} (--bs names another size){room}; bursts do not count")
        }
        false => format!(
            "{} I/Os a second of {bs} ({bytes}){room}; bursts do not count",
            count(need.iops)
        ),
    }];
    let width = found
        .iter()
        .map(|one| one.offer.spec().len())
        .max()
        .unwrap_or(0);
    for one in found {
        let promise = &one.offer.promise;
        let (iops, bytes) = (
            count(promise.iops.unwrap_or(0.0)),
            units::bytes_per_s(promise.bytes_per_s.unwrap_or(0.0)),
        );
        let (iops_times, bytes_times) = (
            units::decimals(one.iops_times, 1),
            units::decimals(one.bytes_times, 1),
        );
        let beyond = match are_bytes_alone {
            true => format!("{bytes_times} times the need"),
            false => format!("{iops_times} and {bytes_times} times the need"),
        };
        let price = match (one.price, currency) {
            (Some(price), Some(currency)) => format!(
                "  {price} {currency} a month",
                price = units::decimals(price, 2)
            ),
            (None, Some(_)) => "  no price given".into(),
            _ => String::new(),
        };
        let mark = if one.offer.is_verified() {
            ""
        } else {
            "  (not all figures verified)"
        };
        lines.push(format!(
            "  {:<width$}  {iops:>7} IOPS  {bytes:>10}  {beyond}{price}{mark}",
            one.offer.spec()
        ));
    }
    lines.push(match currency {
        Some(_) => "Cheapest first, by the prices that were given.".into(),
        None => {
            "Without prices (--prices FILE) they are ordered by how little they have beyond the need.".into()
        }
    });
    lines
        .push("The instance has limits of its own: iodyno cloud TYPE SIZE --instance NAME.".into());
    lines
}

fn seen(seen: &SeenLoad) -> Vec<String> {
    let Some(fall) = seen.fall else {
        let why = if seen.intervals < 20 {
            "too short to tell"
        } else {
            "not flat"
        };
        return vec![format!(
            "{}: {why}; no cap can be seen in it ({} intervals).",
            seen.what, seen.intervals
        )];
    };
    let mut lines = Vec::new();
    let settled = format!(
        "{} IOPS ({})",
        count(fall.settled),
        units::bytes_per_s(fall.settled * seen.bs as f64)
    );
    lines.push(match fall.highest {
        Some(highest) => format!(
            "{}: {} IOPS for {}, then flat at {settled}: a stock of {} I/Os was used up.",
            seen.what,
            count(highest),
            units::span_ms((fall.lasted_s * 1e3) as u64),
            count(fall.credits)
        ),
        None if seen.is_mean => format!(
            "{}: {settled} on average. There are too few rates over time to tell whether it is capped.",
            seen.what
        ),
        None => match (seen.pulses, seen.two_steps) {
            (Some(pulses), _) => {
                let (ios, period) = (pulses.ios, units::span_ms(pulses.period_ms.round() as u64));
                format!(
                    "{}: {settled}, in pulses of {ios} I/Os every {period}: a token bucket.",
                    seen.what,
                    ios = units::whole(ios)
                )
            }
            (None, true) => {
                format!("{}: flat at {settled}, with latencies in two steps: a token bucket.", seen.what)
            }
            (None, false) => {
                format!(
                    "{}: flat at {settled}. Of a rate alone it cannot be told whether it is capped.",
                    seen.what
                )
            }
        },
    });
    if seen.matches.is_empty() {
        lines.push("  No type in the data gives that.".into());
    }
    lines.extend(
        seen.matches
            .iter()
            .take(MATCHES_MAX)
            .map(|one| format!("  {}", fits(one, seen))),
    );
    let left = seen.matches.len().saturating_sub(MATCHES_MAX);
    if left > 0 {
        lines.push(format!("  and {left} weaker ones (--json has all)"));
    }
    if seen.size_gib.is_none() && !seen.matches.is_empty() {
        lines.push("  With the size of the disk (--size) most of them fall away.".into());
    }
    lines
}

fn fits(one: &Match, seen: &SeenLoad) -> String {
    let figure = |value: f64| match one.figure {
        "IOPS" => format!("{} IOPS", count(value)),
        _ => units::bytes_per_s(value),
    };
    let name = format!("{}:{}", one.provider, one.kind);
    let promised = figure(one.promised);
    let what = match (one.strength, one.size_gib) {
        (Strength::Size, sold) => {
            // A size between two tiers is sold as the larger one.
            let sold = sold.map(|[gib, ..]| gib).or(seen.size_gib);
            format!(
                "{name} of {} is sold with {promised}",
                sold.map(size).unwrap_or_default()
            )
        }
        (Strength::Instance, _) => {
            format!("{name}, the instance, allows {promised} for all disks together")
        }
        (Strength::SomeSize, Some([middle, low, high])) if high - low > 0.5 => {
            format!(
                "{name} of {middle} GiB ({low} to {high}) is sold with {promised}",
                middle = units::whole(middle),
                low = units::whole(low),
                high = units::whole(high)
            )
        }
        (Strength::SomeSize, Some([middle, ..])) => {
            format!(
                "{name} of {middle} GiB is sold with {promised}",
                middle = units::whole(middle)
            )
        }
        (Strength::Most, Some([from, ..])) => {
            format!(
                "{name} gives {promised} at most, from {from} GiB on",
                from = units::whole(from)
            )
        }
        (Strength::SomeSize | Strength::Most, _) => format!("{name} gives {promised} at most"),
        (Strength::Provisioned, _) => format!("{name} could have been provisioned with {promised}"),
    };
    let until = match (one.is_burst, one.falls_to, one.burst_s) {
        (true, Some(base), Some(s)) => format!(
            " in a burst: it falls to {} after {} at the latest",
            figure(base),
            units::span_ms((s * 1e3) as u64)
        ),
        (true, Some(base), None) => format!(" in a burst: it falls to {}", figure(base)),
        (true, ..) => " in a burst".into(),
        (false, ..) => String::new(),
    };
    let mark = if one.verified {
        ""
    } else {
        " (not all figures verified)"
    };
    let formula = one.formula.as_ref();
    let formula = formula.map_or_else(String::new, |formula| format!(" ({formula})"));
    format!("{what}{until}{formula}.{mark}")
}

fn of_machine(machine: &CloudMachine<'_>) -> Vec<String> {
    let mut lines = match &machine.provider {
        Some(provider) => {
            let instance = machine
                .instance
                .as_ref()
                .map(|name| format!(", instance {name}"));
            vec![format!(
                "A machine of {provider}{}: {}.",
                instance.unwrap_or_default(),
                machine.evidence
            )]
        }
        None => vec![format!("No cloud that is known: {}.", machine.evidence)],
    };
    lines.extend(machine.disks.iter().flat_map(disk));
    if machine.provider.is_none() {
        lines.push(
            "If it is one, say what its disk is: iodyno cloud TYPE SIZE, or --disk-spec for check."
                .into(),
        );
    }
    lines
}

fn disk(disk: &CloudDisk<'_>) -> Vec<String> {
    let gib = disk
        .size_gib
        .map(size)
        .unwrap_or_else(|| "of unknown size".into());
    let model = if disk.model.is_empty() {
        String::new()
    } else {
        format!(", {}", disk.model)
    };
    let mut lines = vec![format!("  {}  {gib}{model}", disk.name)];
    if !disk.is_remote {
        lines
            .push("    a disk of this machine itself: no provider promises anything for it".into());
    }
    lines.extend(disk.offers.iter().map(could_be));
    if !disk.offers.is_empty() {
        lines.push(
            "    Which one it is only a measurement or its owner can say; provisioned rates come on top."
                .into(),
        );
    }
    lines
}

/// What a disk promises if it is of this type.
fn could_be(offer: &Offer<'_>) -> String {
    let name = offer.name();
    if let Some((least, most)) = offer.iops_range().filter(|_| offer.is_unprovisioned()) {
        let (least, most) = (units::whole(least), units::whole(most));
        return format!("    as {name:<22} only what is provisioned, from {least} to {most} IOPS");
    }
    let promise = &offer.promise;
    let burst = burst(offer)
        .map(|burst| format!("; burst {burst}"))
        .unwrap_or_default();
    let (iops, bytes) = (
        count(promise.iops.unwrap_or(0.0)),
        units::bytes_per_s(promise.bytes_per_s.unwrap_or(0.0)),
    );
    let (of_iops, of_bytes) = (
        follows(offer.iops_formula()),
        follows(offer.bandwidth_formula()),
    );
    format!("    as {name:<22} {iops:>7} IOPS{of_iops}  {bytes:>10}{of_bytes}{burst}")
}
