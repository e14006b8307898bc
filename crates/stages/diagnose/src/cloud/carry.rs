//! Which types carry a load, each at the smallest size and with the least provisioned that will do.

use super::data::{Data, DiskType};
use super::formula::CloudFormulaGiven;
use super::offer::{Offer, of_type};
use super::prices::Prices;
use super::reach::counted_as;
use model::check::Promise;

/// A load that has to be carried for ever, so that bursts do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// I/Os a second; 0 where only bytes are asked for, however many I/Os of this size that takes.
    pub iops: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// Size of an I/O, bytes.
    pub bs: u64,
    /// Room, GiB; 0 where any size will do.
    pub size_gib: f64,
    /// Only of this provider; empty for all.
    pub provider: String,
}

/// A type that carries a load.
#[derive(Clone, Debug)]
pub struct Carrier<'a> {
    /// How it has to be bought.
    pub offer: Offer<'a>,
    /// Price a month, where prices were given and have it.
    pub price: Option<f64>,
    /// How many times the needed I/Os a second it has.
    pub iops_times: f64,
    /// How many times the needed bytes a second.
    pub bytes_times: f64,
}

/// All of them: with prices the cheapest first, then those without a price; without prices by how little they have
/// beyond what is needed.
pub fn carriers<'a>(data: &'a Data, need: &Need, prices: Option<&Prices>) -> Vec<Carrier<'a>> {
    let is_asked = |kind: &&DiskType| need.provider.is_empty() || kind.provider == need.provider;
    let found = data
        .types
        .iter()
        .filter(is_asked)
        .filter_map(|kind| smallest(kind, need));
    let mut found: Vec<Carrier<'a>> = found.map(|offer| carrier(offer, need, prices)).collect();
    found.sort_by(|one, other| {
        let key = |one: &Carrier<'_>| (one.price.unwrap_or(f64::MAX), one.excess(need));
        let ((price, excess), (other_price, other_excess)) = (key(one), key(other));
        price
            .total_cmp(&other_price)
            .then(excess.total_cmp(&other_excess))
    });
    found
}

impl Need {
    /// I/Os a second as the provider counts them.
    fn counted_iops(&self, promise: &Promise) -> f64 {
        let iops = match self.iops > 0.0 {
            true => self.iops,
            false => self.bytes_per_s / self.bs.max(1) as f64,
        };
        iops * counted_as(promise, self.bs) as f64
    }
}

impl Carrier<'_> {
    /// How much more it is than what was asked, as a sum of logarithms.
    fn excess(&self, need: &Need) -> f64 {
        let room = if need.size_gib > 0.0 {
            self.offer.size_gib / need.size_gib
        } else {
            1.0
        };
        let iops_times = if need.iops > 0.0 {
            self.iops_times
        } else {
            1.0
        };
        iops_times.ln() + self.bytes_times.ln() + room.max(1.0).ln()
    }
}

fn carrier<'a>(offer: Offer<'a>, need: &Need, prices: Option<&Prices>) -> Carrier<'a> {
    let counted = need.counted_iops(&offer.promise);
    let times = |has: Option<f64>, needs: f64| has.unwrap_or(0.0) / needs.max(1.0);
    Carrier {
        price: prices.and_then(|prices| prices.of(&offer)),
        iops_times: times(offer.promise.iops, counted),
        bytes_times: times(offer.promise.bytes_per_s, need.bytes_per_s),
        offer,
    }
}

/// At the smallest size that will do.
fn smallest<'a>(kind: &'a DiskType, need: &Need) -> Option<Offer<'a>> {
    let [least, most] = kind.size_gib;
    let low = need.size_gib.max(least).ceil();
    if low > most {
        return None;
    }
    if let Some(offer) = at(kind, low, need) {
        return Some(offer);
    }
    least_whole(low, most, |size_gib| at(kind, size_gib, need))
}

/// The least whole number above one that does not do, up to one that may; more never does less, so that halving finds it.
fn least_whole<T>(low: f64, most: f64, does: impl Fn(f64) -> Option<T>) -> Option<T> {
    let (mut low, mut high, mut found) = (low, most, does(most)?);
    while high - low > 1.0 {
        let middle = ((low + high) / 2.0).floor();
        match does(middle) {
            Some(better) => (high, found) = (middle, better),
            None => low = middle,
        }
    }
    Some(found)
}

/// With as much provisioned as is needed, where that can be; none where this size does not do.
fn at<'a>(kind: &'a DiskType, size_gib: f64, need: &Need) -> Option<Offer<'a>> {
    let base = of_type(kind, None, size_gib, (None, None)).ok()?;
    let iops = need.counted_iops(&base.promise);
    let mbps = need.bytes_per_s / kind.unit.bytes();
    if carries(&base, iops, need) {
        return Some(base);
    }
    let given = CloudFormulaGiven {
        size_gib,
        ..CloudFormulaGiven::default()
    };
    // Bandwidth often follows from IOPS: where it is short, more IOPS may be what it takes.
    let wanted = |rate: f64| {
        let least = kind.iops_set.as_ref().map(|range| range.at_least.at(given));
        let set_iops = least
            .map(|least| rate.max(least).ceil())
            .filter(|rate| *rate > kind.iops.at(given));
        let given = CloudFormulaGiven {
            size_gib,
            iops: set_iops.unwrap_or_else(|| kind.iops.at(given)),
            ..given
        };
        // Only what goes beyond the base has to be provisioned.
        let set_mbps = kind
            .mbps_set
            .as_ref()
            .map(|_| mbps.ceil())
            .filter(|mbps| *mbps > kind.mbps.at(given));
        of_type(kind, None, size_gib, (set_iops, set_mbps))
            .ok()
            .filter(|offer| carries(offer, iops, need))
    };
    wanted(iops).or_else(|| {
        let (least, most) = base.iops_range()?;
        least_whole(iops.max(least).ceil(), most.floor(), wanted)
    })
}

fn carries(offer: &Offer<'_>, iops: f64, need: &Need) -> bool {
    let has = |value: Option<f64>, needs: f64| value.is_some_and(|value| value >= needs);
    has(offer.promise.iops, iops) && has(offer.promise.bytes_per_s, need.bytes_per_s)
}
