//! What one disk of a type and size promises.

use super::data::{Data, DiskType, Instance, Tier, YesNo};
use super::error::CloudError;
use super::formula::CloudFormulaGiven;
use model::check::Promise;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfferWish {
    /// Type: `gp3`, `aws:gp3`, `P30`.
    pub kind: String,
    /// Size, GiB; none for a tier, which has its own.
    pub size_gib: Option<f64>,
    /// Provisioned IOPS.
    pub iops: Option<f64>,
    /// Provisioned bandwidth, in the type's own unit.
    pub mbps: Option<f64>,
    /// The instance that it is attached to.
    pub instance: Option<String>,
}

/// What is promised, with all that is known about it.
#[derive(Clone, Debug)]
pub struct Offer<'a> {
    /// The type.
    pub kind: &'a DiskType,
    /// The tier, where the type has tiers.
    pub tier: Option<&'a Tier>,
    /// Size as it was asked for, GiB; a tier's own is in the tier.
    pub size_gib: f64,
    /// The instance, where one was named.
    pub instance: Option<&'a Instance>,
    /// The figures.
    pub promise: Promise,
    /// IOPS and bandwidth that were provisioned beyond what it has anyway.
    pub provisioned: (Option<f64>, Option<f64>),
    /// Whether no size was asked for, so that it is the smallest that is sold.
    pub is_smallest: bool,
}

impl Offer<'_> {
    /// As [`super::promise_of_spec`] reads it: `aws:gp3:100GiB:iops=6000`.
    pub fn spec(&self) -> String {
        let provider = &self.kind.provider;
        let mut spec = match self.tier {
            Some(tier) => format!("{provider}:{}", tier.name),
            None => format!("{provider}:{}:{}GiB", self.kind.kind, self.size_gib),
        };
        let (iops, mbps) = self.provisioned;
        spec.extend(iops.map(|iops| format!(":iops={iops}")));
        spec.extend(mbps.map(|mbps| format!(":mbps={mbps}")));
        spec.extend(self.instance.map(|one| format!(":instance={}", one.name)));
        spec
    }

    /// `gp3`, or `P30`.
    pub fn name(&self) -> &str {
        self.tier.map_or(&self.kind.kind, |tier| &tier.name)
    }

    /// Whether every figure was read at its source.
    pub fn is_verified(&self) -> bool {
        self.kind.verified == YesNo::Yes
    }

    /// What the IOPS follow from; none of a tier, of what was provisioned and of a figure that is always the same.
    pub fn iops_formula(&self) -> Option<String> {
        let follows = self.tier.is_none() && self.provisioned.0.is_none();
        follows.then(|| self.kind.iops_formula()).flatten()
    }

    /// What the bandwidth follows from, in the same way.
    pub fn bandwidth_formula(&self) -> Option<String> {
        let follows = self.tier.is_none() && self.provisioned.1.is_none();
        follows.then(|| self.kind.bandwidth_formula()).flatten()
    }

    /// From which to which IOPS it can be provisioned at its size.
    pub fn iops_range(&self) -> Option<(f64, f64)> {
        let range = self.kind.iops_set.as_ref()?;
        let given = CloudFormulaGiven {
            size_gib: self.size_gib,
            ..CloudFormulaGiven::default()
        };
        Some((range.at_least.at(given), range.at_most.at(given)))
    }

    /// Whether it has no IOPS until some are provisioned.
    pub fn is_unprovisioned(&self) -> bool {
        self.kind.iops_set.is_some() && self.promise.iops.is_some_and(|iops| iops <= 0.0)
    }
}

/// The figures alone.
///
/// # Errors
/// As [`offer`].
pub fn promise(data: &Data, wish: &OfferWish) -> Result<Promise, CloudError> {
    offer(data, wish).map(|offer| offer.promise)
}

/// What a wish gets.
///
/// # Errors
/// A type or an instance that the data does not have, a size or a rate that the type is not sold with.
pub fn offer<'a>(data: &'a Data, wish: &OfferWish) -> Result<Offer<'a>, CloudError> {
    let (kind, tier) = data.find(&wish.kind)?;
    let instance = wish.instance.as_deref().map(|name| {
        data.instance(name)
            .ok_or_else(|| CloudError::NoSuchInstance(name.into()))
    });
    let instance = instance.transpose()?;
    let size_gib = match (wish.size_gib, tier) {
        (Some(size), _) => size,
        (None, Some(tier)) => tier.gib,
        (None, None) => kind.size_gib[0],
    };
    let mut offer = of_type(kind, tier, size_gib, (wish.iops, wish.mbps))?;
    must_be_provisioned(&offer)?;
    offer.is_smallest = wish.size_gib.is_none() && tier.is_none();
    offer.promise.source = format!("{} ({})", kind.source, kind.date);
    if let Some(instance) = instance {
        offer.promise.instance_iops = Some(instance.iops);
        offer.promise.instance_bytes_per_s = Some(instance.mbps * 1e6);
        offer.instance = Some(instance);
    }
    Ok(offer)
}

/// The same for a type that is found already.
pub(super) fn of_type<'a>(
    kind: &'a DiskType,
    tier: Option<&'a Tier>,
    size_gib: f64,
    (iops, mbps): (Option<f64>, Option<f64>),
) -> Result<Offer<'a>, CloudError> {
    let [least, most] = kind.size_gib;
    let room = tier.map_or(most, |tier| tier.gib);
    if size_gib.is_nan() || size_gib < least.min(room) || size_gib > room {
        return Err(CloudError::Size {
            kind: kind.kind.clone(),
            size: size_gib,
            least,
            most: room,
        });
    }
    let tier = tier.or_else(|| kind.tier_of(size_gib));
    let promise = match tier {
        Some(tier) => of_tier(kind, tier, iops, mbps)?,
        None => of_formula(kind, size_gib, iops, mbps)?,
    };
    Ok(Offer {
        kind,
        tier,
        size_gib,
        instance: None,
        promise,
        provisioned: (iops, mbps),
        is_smallest: false,
    })
}

fn empty(kind: &DiskType) -> Promise {
    Promise {
        provider: kind.provider.clone(),
        kind: kind.kind.clone(),
        io_unit_bytes: kind.io_unit_bytes,
        ..Promise::default()
    }
}

fn of_tier(
    kind: &DiskType,
    tier: &Tier,
    iops: Option<f64>,
    mbps: Option<f64>,
) -> Result<Promise, CloudError> {
    for (wish, what) in [(iops, "IOPS"), (mbps, "MB/s")] {
        if wish.is_some() {
            return Err(CloudError::NotProvisioned {
                kind: tier.name.clone(),
                what,
            });
        }
    }
    let bytes = |mbps: f64| mbps * kind.unit.bytes();
    Ok(Promise {
        kind: tier.name.clone(),
        iops: Some(tier.iops),
        bytes_per_s: Some(bytes(tier.mbps)),
        burst_iops: tier.burst_iops,
        burst_bytes_per_s: tier.burst_mbps.map(bytes),
        burst_s: tier.burst_s,
        ..empty(kind)
    })
}

fn of_formula(
    kind: &DiskType,
    size_gib: f64,
    iops: Option<f64>,
    mbps: Option<f64>,
) -> Result<Promise, CloudError> {
    let mut given = CloudFormulaGiven {
        size_gib,
        ..CloudFormulaGiven::default()
    };
    // IOPS that follow from the bandwidth come after it, all others before.
    if kind.iops.per_mbps > 0.0 {
        given.mbps = bandwidth(kind, given, mbps)?;
        given.iops = rate(kind, given, iops)?;
    } else {
        given.iops = rate(kind, given, iops)?;
        given.extra_iops = (given.iops - kind.iops.at(given)).max(0.0);
        given.mbps = bandwidth(kind, given, mbps)?;
    }
    let mut promise = Promise {
        iops: Some(given.iops),
        bytes_per_s: Some(given.mbps * kind.unit.bytes()),
        ..empty(kind)
    };
    add_burst(kind, given, &mut promise);
    Ok(promise)
}

/// Refuses a disk that has no IOPS until some are provisioned.
fn must_be_provisioned(offer: &Offer<'_>) -> Result<(), CloudError> {
    match offer.iops_range().filter(|_| offer.is_unprovisioned()) {
        None => Ok(()),
        Some((least, most)) => Err(CloudError::Unprovisioned {
            kind: offer.kind.kind.clone(),
            size: offer.size_gib,
            least,
            most,
        }),
    }
}

fn rate(kind: &DiskType, given: CloudFormulaGiven, wish: Option<f64>) -> Result<f64, CloudError> {
    let Some(wish) = wish else {
        return Ok(kind.iops.at(given));
    };
    chosen(kind, given, wish, kind.iops_set.as_ref(), "IOPS")
}

fn bandwidth(
    kind: &DiskType,
    given: CloudFormulaGiven,
    wish: Option<f64>,
) -> Result<f64, CloudError> {
    let Some(wish) = wish else {
        return Ok(kind.mbps.at(given));
    };
    chosen(kind, given, wish, kind.mbps_set.as_ref(), kind.unit.word())
}

fn chosen(
    kind: &DiskType,
    given: CloudFormulaGiven,
    wish: f64,
    range: Option<&super::data::DataRange>,
    what: &'static str,
) -> Result<f64, CloudError> {
    let Some(range) = range else {
        return Err(CloudError::NotProvisioned {
            kind: kind.kind.clone(),
            what,
        });
    };
    let (least, most) = (range.at_least.at(given), range.at_most.at(given));
    if wish >= least && wish <= most {
        return Ok(wish);
    }
    let (kind, size) = (kind.kind.clone(), given.size_gib);
    Err(CloudError::Rate {
        kind,
        size,
        what: what.into(),
        wish,
        least,
        most,
    })
}

/// Burst figures, where they are above the base; and how long a full bucket lasts while it is refilled at the base.
fn add_burst(kind: &DiskType, given: CloudFormulaGiven, promise: &mut Promise) {
    let Some(burst) = &kind.burst else { return };
    let unit = kind.unit.bytes();
    let above = |line: &Option<super::formula::CloudFormulaLine>, base: f64| {
        line.as_ref()
            .map(|line| line.at(given))
            .filter(|value| *value > base)
    };
    promise.burst_iops = above(&burst.iops, given.iops);
    promise.burst_bytes_per_s = above(&burst.mbps, given.mbps).map(|mbps| mbps * unit);
    let by_ios = burst
        .ios
        .zip(promise.burst_iops)
        .map(|(ios, rate)| ios / (rate - given.iops));
    let by_bytes = burst
        .bytes_per_gib
        .zip(promise.burst_bytes_per_s)
        .map(|(bytes, rate)| bytes * given.size_gib / (rate - given.mbps * unit));
    promise.burst_s = by_ios.or(by_bytes);
}
