//! The answers of `cloud`, and the document that they are printed as.

use analyse::plateau::Pulses;
use diagnose::cloud::{self, Carrier, CloudMachine, Data, Fall, Match, Need, Offer, Reach};
use model::check::Promise;
use serde::Serialize;
use serde_json::{Value, json};

/// One answer.
pub enum Answer<'a> {
    /// What a type and size promise.
    Promise(Box<Offer<'a>>),
    /// What carries a load.
    Carriers {
        /// The load.
        need: Need,
        /// The types, in the order in which they are shown.
        found: Vec<Carrier<'a>>,
        /// Of the prices, where there are some.
        currency: Option<String>,
    },
    /// What measured rates look like.
    Seen(Vec<SeenLoad>),
    /// What this machine is.
    Machine(CloudMachine<'a>),
}

/// A measured load, and what it looks like.
pub struct SeenLoad {
    /// Which load.
    pub what: String,
    /// How many intervals it has.
    pub intervals: usize,
    /// Size of the disk, GiB.
    pub size_gib: Option<f64>,
    /// Block size, bytes.
    pub bs: u64,
    /// Its plateau; none where it has none.
    pub fall: Option<Fall>,
    /// Whether the plateau is no more than the mean of the whole load.
    pub is_mean: bool,
    /// Whether latencies come in two steps.
    pub two_steps: bool,
    /// Tokens that come by the clock, where completions show them.
    pub pulses: Option<Pulses>,
    /// What gives such a rate.
    pub matches: Vec<Match>,
}

impl SeenLoad {
    /// Whether the series itself shows a bucket, and not merely a flat rate.
    pub fn is_capped(&self) -> bool {
        self.two_steps
            || self.pulses.is_some()
            || self.fall.is_some_and(|fall| fall.highest.is_some())
    }
}

/// `iodyno.cloud/1`.
#[derive(Serialize)]
pub struct CloudDocument {
    schema: &'static str,
    /// Which question was answered: `promise`, `carriers`, `recognised`, `machine`.
    about: &'static str,
    /// Date of the data.
    data: String,
    #[serde(flatten)]
    answer: Value,
}

impl CloudDocument {
    /// Of an answer.
    pub fn new(data: &Data, answer: &Answer<'_>) -> CloudDocument {
        let (about, answer) = match answer {
            Answer::Promise(one) => ("promise", json!({ "offer": offer(one) })),
            Answer::Carriers {
                need,
                found,
                currency,
            } => ("carriers", carriers(need, found, currency.as_deref())),
            Answer::Seen(loads) => (
                "recognised",
                json!({ "loads": loads.iter().map(seen).collect::<Vec<_>>() }),
            ),
            Answer::Machine(machine) => ("machine", of_machine(machine)),
        };
        CloudDocument {
            schema: "iodyno.cloud/1",
            about,
            data: data.date.clone(),
            answer,
        }
    }
}

fn offer(offer: &Offer<'_>) -> Value {
    let promise: &Promise = &offer.promise;
    let table: Vec<Reach> = cloud::BLOCK_SIZES
        .iter()
        .filter_map(|bs| cloud::reach(promise, *bs))
        .collect();
    json!({
        "spec": offer.spec(),
        "title": offer.kind.title,
        "size_gib": offer.size_gib,
        "is_smallest": offer.is_smallest,
        "promise": promise,
        "formula": { "iops": offer.iops_formula(), "bandwidth": offer.bandwidth_formula() },
        "latency_us": offer.kind.latency_us,
        "instance_burst_iops": offer.instance.and_then(|one| one.burst_iops),
        "instance_burst_bytes_per_s": offer.instance.and_then(|one| one.burst_mbps).map(|mbps| mbps * 1e6),
        "by_block_size": table,
        "limits": offer.kind.limits,
        "verified": offer.is_verified(),
        "unverified": offer.kind.unverified,
        "source": offer.kind.source,
        "date": offer.kind.date,
    })
}

fn carriers(need: &Need, found: &[Carrier<'_>], currency: Option<&str>) -> Value {
    let asked = |rate: f64| (need.iops > 0.0).then_some(rate);
    let one = |carrier: &Carrier<'_>| {
        json!({
            "spec": carrier.offer.spec(),
            "size_gib": carrier.offer.tier.map_or(carrier.offer.size_gib, |tier| tier.gib),
            "promise": carrier.offer.promise,
            "iops_times": asked(carrier.iops_times),
            "bytes_times": carrier.bytes_times,
            "price_a_month": carrier.price,
            "verified": carrier.offer.is_verified(),
        })
    };
    json!({
        "need": { "iops": asked(need.iops), "bytes_per_s": need.bytes_per_s, "bs": need.bs, "size_gib": need.size_gib },
        "ordered_by": if currency.is_some() { "price" } else { "least beyond the need" },
        "currency": currency,
        "carriers": found.iter().map(one).collect::<Vec<_>>(),
    })
}

fn seen(seen: &SeenLoad) -> Value {
    let fall = seen.fall.map(|fall| {
        json!({
            "settled": fall.settled,
            "highest": fall.highest,
            "lasted_s": fall.lasted_s,
            "credits": fall.credits,
        })
    });
    json!({
        "load": seen.what,
        "bs": seen.bs,
        "size_gib": seen.size_gib,
        "plateau": fall,
        "is_mean": seen.is_mean,
        "pulse_ms": seen.pulses.map(|pulses| pulses.period_ms),
        "pulse_ios": seen.pulses.map(|pulses| pulses.ios),
        "is_capped": seen.is_capped(),
        "matches": seen.matches,
    })
}

fn of_machine(machine: &CloudMachine<'_>) -> Value {
    let disks = machine.disks.iter().map(|disk| {
        json!({
            "name": disk.name,
            "model": disk.model,
            "size_gib": disk.size_gib,
            "could_be": disk.offers.iter().map(offer).collect::<Vec<_>>(),
        })
    });
    json!({
        "provider": machine.provider,
        "evidence": machine.evidence,
        "instance": machine.instance,
        "disks": disks.collect::<Vec<_>>(),
    })
}
