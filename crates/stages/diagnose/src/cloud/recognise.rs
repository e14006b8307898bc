//! Which types give a measured rate, and at what size.

use super::data::{Data, DiskType, Instance};
use super::formula::{CloudFormulaGiven, CloudFormulaLine};
use super::offer::of_type;
use super::{NEAR, is_near};
use serde::Serialize;

/// A settled rate, and what else is known of the disk.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// I/Os a second that it settled at, as the provider counts them.
    pub iops: Option<f64>,
    /// Bytes a second that it settled at.
    pub bytes_per_s: Option<f64>,
    /// Size of the disk, GiB.
    pub size_gib: Option<f64>,
    /// Whose it is; empty where that is not known.
    pub provider: String,
    /// The instance.
    pub instance: Option<String>,
}

/// How much a match says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// The disk's own size gives the figure.
    Size,
    /// The limit of the instance.
    Instance,
    /// Some size gives it, and the disk's is not known.
    SomeSize,
    /// The most that the type gives, whatever the size.
    Most,
    /// It could have been provisioned so: any figure could.
    Provisioned,
}

/// A type that gives the figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Match {
    /// Whose.
    pub provider: String,
    /// Type, tier or instance.
    pub kind: String,
    /// How much that says.
    pub strength: Strength,
    /// The figure that it promises.
    pub promised: f64,
    /// `IOPS` or `bytes/s`.
    pub figure: &'static str,
    /// Whether that lasts only as long as credits.
    pub is_burst: bool,
    /// What it falls to when they are used up.
    pub falls_to: Option<f64>,
    /// How long full credits last, s.
    pub burst_s: Option<f64>,
    /// What the figure follows from: `min(1800 + 50 × GiB, 50000)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The sizes that give the figure: the one in the middle, and those at its tolerance, GiB.
    pub size_gib: Option<[f64; 3]>,
    /// Whether every figure of the type was read at its source.
    pub verified: bool,
}

/// Every type that fits, the strongest first.
pub fn recognise(data: &Data, measured: &Measured) -> Vec<Match> {
    let is_asked = |provider: &str| measured.provider.is_empty() || provider == measured.provider;
    let mut found: Vec<Match> = Vec::new();
    for kind in data.types.iter().filter(|kind| is_asked(&kind.provider)) {
        found.extend(best_of(kind, measured));
    }
    let instance = measured
        .instance
        .as_deref()
        .and_then(|name| data.instance(name));
    found.extend(
        instance
            .filter(|one| is_asked(&one.provider))
            .and_then(|one| of_instance(one, measured)),
    );
    found.sort_by_key(|one| (one.strength, !one.verified));
    found
}

/// The strongest match of a type.
fn best_of(kind: &DiskType, measured: &Measured) -> Option<Match> {
    let mut found: Vec<Match> = Vec::new();
    if let Some(size) = measured.size_gib {
        found.extend(at_size(kind, size, measured));
    } else {
        found.extend(at_some_size(kind, measured));
    }
    found.extend(provisioned(kind, measured));
    found
        .into_iter()
        .min_by_key(|one| (one.strength, one.is_burst))
}

fn blank(kind: &DiskType, strength: Strength) -> Match {
    Match {
        provider: kind.provider.clone(),
        kind: kind.kind.clone(),
        strength,
        promised: 0.0,
        figure: "IOPS",
        is_burst: false,
        falls_to: None,
        burst_s: None,
        formula: None,
        size_gib: None,
        verified: kind.verified == super::data::YesNo::Yes,
    }
}

/// What a disk of this size promises, compared with what was measured. A rate that it cannot have rules it out.
fn at_size(kind: &DiskType, size: f64, measured: &Measured) -> Vec<Match> {
    // Sizes are sold as whole GiB; the device's may be a fraction below. None is sold with less than one.
    let Ok(offer) = of_type(kind, None, size.round(), (None, None)) else {
        return Vec::new();
    };
    let (promise, sold) = (&offer.promise, offer.tier.map_or(size, |tier| tier.gib));
    let formula = |figure| match figure {
        "IOPS" => offer.iops_formula(),
        _ => offer.bandwidth_formula(),
    };
    let (iops, bytes) = (measured.iops, measured.bytes_per_s);
    let highest =
        |base: Option<f64>, burst: Option<f64>| burst.or(base).unwrap_or(0.0) * (1.0 + NEAR);
    let can = |value: Option<f64>, most: f64| value.is_none_or(|value| value <= most);
    if !can(iops, highest(promise.iops, promise.burst_iops))
        || !can(
            bytes,
            highest(promise.bytes_per_s, promise.burst_bytes_per_s),
        )
    {
        return Vec::new();
    }
    let of = |value: Option<f64>, promised: Option<f64>, base: Option<f64>, figure, is_burst| {
        let (value, promised) = (value?, promised?);
        is_near(value, promised).then(|| Match {
            kind: offer.name().into(),
            promised,
            figure,
            is_burst,
            falls_to: is_burst.then_some(base).flatten(),
            burst_s: if is_burst { promise.burst_s } else { None },
            formula: formula(figure).filter(|_| !is_burst),
            size_gib: Some([sold; 3]),
            ..blank(kind, Strength::Size)
        })
    };
    let all = [
        of(iops, promise.iops, None, "IOPS", false),
        of(bytes, promise.bytes_per_s, None, "bytes/s", false),
        of(iops, promise.burst_iops, promise.iops, "IOPS", true),
        of(
            bytes,
            promise.burst_bytes_per_s,
            promise.bytes_per_s,
            "bytes/s",
            true,
        ),
    ];
    all.into_iter().flatten().collect()
}

/// The size that would give the figure, or the most that the type gives.
fn at_some_size(kind: &DiskType, measured: &Measured) -> Vec<Match> {
    let unit = kind.unit.bytes();
    let figures = [
        (measured.iops, &kind.iops, 1.0, "IOPS"),
        (measured.bytes_per_s, &kind.mbps, unit, "bytes/s"),
    ];
    let lines = figures
        .into_iter()
        .filter_map(|(value, line, unit, figure)| Some((value?, line, unit, figure)));
    let mut found: Vec<Match> = lines
        .filter_map(|(value, line, unit, figure)| by_line(kind, line, value / unit, unit, figure))
        .collect();
    if let Some(burst) = kind.burst.as_ref().and_then(|burst| burst.iops.as_ref())
        && let Some(iops) = measured.iops
        && burst.per_gib == 0.0
        && is_near(iops, burst.base)
    {
        found.push(Match {
            promised: burst.base,
            is_burst: true,
            ..blank(kind, Strength::Most)
        });
    }
    for tier in &kind.tiers {
        let is_it = measured.iops.is_some_and(|iops| is_near(iops, tier.iops))
            || measured
                .bytes_per_s
                .is_some_and(|bytes| is_near(bytes, tier.mbps * unit));
        if is_it {
            let (kind_name, size) = (tier.name.clone(), Some([tier.gib; 3]));
            let known = blank(kind, Strength::SomeSize);
            let (promised, figure) = match measured.iops {
                Some(iops) if is_near(iops, tier.iops) => (tier.iops, "IOPS"),
                _ => (tier.mbps * unit, "bytes/s"),
            };
            found.push(Match {
                kind: kind_name,
                size_gib: size,
                promised,
                figure,
                ..known
            });
        }
    }
    found.retain(|one| allows(kind, one, measured));
    found
}

fn by_line(
    kind: &DiskType,
    line: &CloudFormulaLine,
    value: f64,
    unit: f64,
    figure: &'static str,
) -> Option<Match> {
    let [least, most] = kind.size_gib;
    let is_sold = |size: &f64| *size >= least && *size <= most;
    let formula = || match figure {
        "IOPS" => kind.iops_formula(),
        _ => kind.bandwidth_formula(),
    };
    if let Some(size) = line.size_for(value).filter(is_sold) {
        let reach = line.per_gib.recip() * value * NEAR;
        let sizes = [size, (size - reach).max(least), (size + reach).min(most)];
        return Some(Match {
            promised: value * unit,
            figure,
            formula: formula(),
            size_gib: Some(sizes),
            ..blank(kind, Strength::SomeSize)
        });
    }
    let bound = line.at_most.filter(|bound| is_near(value, *bound))?;
    let from = line.size_of_bound().unwrap_or(least).max(least);
    let sizes = (from <= most).then_some([from, from, most])?;
    Some(Match {
        promised: bound * unit,
        figure,
        size_gib: Some(sizes),
        ..blank(kind, Strength::Most)
    })
}

/// Whether the other figure, where it was measured too, is possible at that size.
fn allows(kind: &DiskType, found: &Match, measured: &Measured) -> bool {
    let Some([_, _, largest]) = found.size_gib else {
        return true;
    };
    let given = CloudFormulaGiven {
        size_gib: largest,
        ..CloudFormulaGiven::default()
    };
    let tier = kind.tier_of(largest);
    let most_iops = tier.map_or_else(|| kind.iops.at(given), |tier| tier.iops);
    let most_bytes = tier.map_or_else(|| kind.mbps.at(given), |tier| tier.mbps) * kind.unit.bytes();
    let fits =
        |value: Option<f64>, most: f64| value.is_none_or(|value| value <= most * (1.0 + NEAR));
    fits(measured.iops, most_iops) && fits(measured.bytes_per_s, most_bytes)
}

/// Whether somebody could have provisioned it so: round figures alone, since any other would match everything.
fn provisioned(kind: &DiskType, measured: &Measured) -> Option<Match> {
    let range = kind.iops_set.as_ref()?;
    let iops = measured.iops?;
    let set = (iops / 500.0).round() * 500.0;
    let size_gib = measured.size_gib.unwrap_or(kind.size_gib[1]);
    let given = CloudFormulaGiven {
        size_gib,
        ..CloudFormulaGiven::default()
    };
    let is_sold = size_gib >= kind.size_gib[0] && size_gib <= kind.size_gib[1];
    let can = set >= range.at_least.at(given) && set <= range.at_most.at(given);
    let is_it = is_sold && can && (iops / set - 1.0).abs() <= NEAR / 3.0;
    is_it.then(|| Match {
        promised: set,
        ..blank(kind, Strength::Provisioned)
    })
}

fn of_instance(instance: &Instance, measured: &Measured) -> Option<Match> {
    let figures = [
        (measured.iops, Some(instance.iops), "IOPS", None),
        (
            measured.bytes_per_s,
            Some(instance.mbps * 1e6),
            "bytes/s",
            None,
        ),
        (
            measured.iops,
            instance.burst_iops,
            "IOPS",
            Some(instance.iops),
        ),
        (
            measured.bytes_per_s,
            instance.burst_mbps.map(|mbps| mbps * 1e6),
            "bytes/s",
            Some(instance.mbps * 1e6),
        ),
    ];
    figures
        .into_iter()
        .find_map(|(value, promised, figure, falls_to)| {
            let (value, promised) = (value?, promised?);
            is_near(value, promised).then(|| Match {
                provider: instance.provider.clone(),
                kind: instance.name.clone(),
                strength: Strength::Instance,
                promised,
                figure,
                is_burst: falls_to.is_some(),
                falls_to,
                burst_s: None,
                formula: None,
                size_gib: None,
                verified: true,
            })
        })
}
