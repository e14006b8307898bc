//! A simulated disk as a machine has one: settings that have effects, a load that comes and goes, counters of all that was done.

use crate::{Device, Scenario};
use std::collections::BTreeMap;

/// Time between two moments of a disk, ms.
pub const STEP_MS: u64 = 10;
const STEP_S: f64 = STEP_MS as f64 / 1e3;
const SECTOR_BYTES: u64 = 512;

/// What a value of a setting does to the disk's rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The setting's name, as its file has it.
    pub setting: String,
    /// The value.
    pub value: String,
    /// By what the logarithm of the rate changes while it is in place.
    pub ln: f64,
}

/// What a load asks of a disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// I/Os per second that a quiet disk does of it with the settings that were found, where it is the only one.
    pub iops: f64,
    /// I/Os per second that it wants at the most; none where it takes what it gets.
    pub most_iops: Option<f64>,
    /// I/Os in flight.
    pub depth: u32,
    /// What one of them takes where no other is there, s.
    pub alone_s: f64,
    /// Share of reads among them, 0 to 1.
    pub reads: f64,
    /// Bytes of one.
    pub bytes: u64,
}

/// What a disk did in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepDone {
    /// Reads of the load.
    pub reads: u64,
    /// Its writes.
    pub writes: u64,
    /// Mean time of one of them, ns; 0 where there was none.
    pub latency_ns: f64,
}

/// The disk's counters since its beginning, as /sys/block/DISK/stat has them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiskCounters {
    /// Completed reads.
    pub reads: u64,
    /// Their sectors.
    pub read_sectors: u64,
    /// Time of all of them together, ms.
    pub read_ms: f64,
    /// Completed writes.
    pub writes: u64,
    /// Their sectors.
    pub write_sectors: u64,
    /// Time of all of them together, ms.
    pub write_ms: f64,
    /// Requests in flight.
    pub in_flight: u64,
    /// Time with any in flight, ms.
    pub busy_ms: u64,
}

/// The values that differ from those found, by place, each with its setting's name.
type InPlace = BTreeMap<String, (String, String)>;

/// A disk.
#[derive(Clone, Debug)]
pub struct Disk {
    device: Device,
    effects: Vec<Effect>,
    /// What was found, of the places that were ever written.
    found: BTreeMap<String, String>,
    in_place: InPlace,
    /// Every combination that was ever in place; its index is the device's arm.
    arms: Vec<InPlace>,
    /// What is left over of an I/O, by load: its reads, its writes, those of the neighbour.
    rest: Vec<[f64; 3]>,
    /// A larger I/O is cut into requests of this size, bytes.
    request_bytes_max: u64,
    counters: DiskCounters,
}

impl Disk {
    /// A disk of a kind, on which some values have effects.
    pub fn new(scenario: &Scenario, effects: Vec<Effect>, seed: u64) -> Disk {
        Disk {
            device: Device::new(scenario, &[0.0], seed),
            effects,
            found: BTreeMap::new(),
            in_place: InPlace::new(),
            arms: vec![InPlace::new()],
            rest: Vec::new(),
            request_bytes_max: u64::MAX,
            counters: DiskCounters::default(),
        }
    }

    /// The value of a setting is another one from now on. Its place tells it from others of its name; `before` is what it was.
    pub fn set(&mut self, (place, name): (&str, &str), (before, value): (&str, &str)) {
        let found = self.found.entry(place.into());
        let is_found = found.or_insert_with(|| before.into()) == value;
        match is_found {
            true => self.in_place.remove(place),
            false => self
                .in_place
                .insert(place.into(), (name.into(), value.into())),
        };
    }

    /// An I/O that is larger than this is cut from now on, as the kernel cuts it, and its pieces are what is counted. That
    /// costs nothing by itself: whether it does is an effect like others.
    pub fn cut_at(&mut self, request_bytes_max: u64) {
        self.request_bytes_max = request_bytes_max.max(SECTOR_BYTES);
    }

    /// A load begins, somewhere on the disk.
    pub fn restart(&mut self) {
        self.device.restart();
    }

    /// Goes on by a step under loads, which share it by their depths; without one it rests, and so does its neighbour.
    pub fn step(&mut self, demands: &[Demand]) -> Vec<StepDone> {
        self.counters.in_flight = demands.iter().map(|demand| u64::from(demand.depth)).sum();
        if demands.is_empty() {
            return Vec::new();
        }
        self.counters.busy_ms += STEP_MS;
        let arm = self.arm();
        let rate = self.device.run(arm, STEP_MS).into_iter().sum::<f64>();
        let others: f64 = self.device.foreign().iter().sum();
        let depths: f64 = demands.iter().map(|demand| f64::from(demand.depth)).sum();
        self.rest.resize(demands.len(), [0.0; 3]);
        let each = demands.iter().enumerate().map(|(place, demand)| {
            let share = f64::from(demand.depth) / depths;
            (place, demand, (rate * share, others * share))
        });
        let each: Vec<_> = each.collect();
        each.into_iter()
            .map(|(place, demand, rates)| self.serve(place, demand, rates))
            .collect()
    }

    /// What a load gets at these rates of its own and of a neighbour, as parts of what the quiet disk would give it.
    fn serve(&mut self, place: usize, demand: &Demand, (own, others): (f64, f64)) -> StepDone {
        let able = own * demand.iops;
        let iops = demand.most_iops.map_or(able, |most| most.min(able));
        // One that wants less than it could get has fewer in flight, and waits the less for them (M/M/1).
        let most_s = f64::from(demand.depth) / able;
        let waited_s = demand.alone_s / (1.0 - iops / able).max(f64::EPSILON);
        let latency_ns = match able > 0.0 {
            true => most_s.min(waited_s) * 1e9,
            false => 0.0,
        };
        let ios = iops * STEP_S;
        let shares = [
            ios * demand.reads,
            ios * (1.0 - demand.reads),
            others * demand.iops * STEP_S,
        ];
        let [reads, writes, foreign] = self.whole(place, shares);
        self.count(demand, [reads, writes, foreign], latency_ns);
        StepDone {
            reads,
            writes,
            latency_ns: if reads + writes > 0 { latency_ns } else { 0.0 },
        }
    }

    /// What was done so far, by whomever.
    pub fn counters(&self) -> &DiskCounters {
        &self.counters
    }

    /// Whole I/Os; what is left over is done in a later step.
    fn whole(&mut self, place: usize, shares: [f64; 3]) -> [u64; 3] {
        let mut done = [0; 3];
        let rests = self.rest[place].iter_mut();
        for ((rest, share), done) in rests.zip(shares).zip(&mut done) {
            *rest += share;
            *done = rest.floor() as u64;
            *rest -= rest.floor();
        }
        done
    }

    /// A neighbour reads, in blocks as large as the load's.
    fn count(&mut self, demand: &Demand, [reads, writes, foreign]: [u64; 3], latency_ns: f64) {
        let pieces = demand.bytes.div_ceil(self.request_bytes_max).max(1);
        let sectors = demand.bytes / SECTOR_BYTES;
        let (read, written) = ((reads + foreign) * pieces, writes * pieces);
        let counters = &mut self.counters;
        counters.reads += read;
        counters.read_sectors += (reads + foreign) * sectors;
        counters.read_ms += read as f64 * latency_ns / 1e6;
        counters.writes += written;
        counters.write_sectors += writes * sectors;
        counters.write_ms += written as f64 * latency_ns / 1e6;
    }

    fn arm(&mut self) -> usize {
        let known = self.arms.iter().position(|arm| *arm == self.in_place);
        known.unwrap_or_else(|| {
            self.arms.push(self.in_place.clone());
            self.device.add_arm(self.effect_ln())
        })
    }

    fn effect_ln(&self) -> f64 {
        let acts = |effect: &&Effect| {
            let mut values = self.in_place.values();
            values.any(|(name, value)| *name == effect.setting && *value == effect.value)
        };
        self.effects
            .iter()
            .filter(acts)
            .map(|effect| effect.ln)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEMAND: Demand = Demand {
        iops: 10_000.0,
        most_iops: None,
        depth: 32,
        alone_s: 100e-6,
        reads: 0.7,
        bytes: 4096,
    };
    const PLACE: (&str, &str) = ("/sys/block/loop0/queue/scheduler", "scheduler");

    fn disk(scenario: &Scenario) -> Disk {
        let effect = Effect {
            setting: "scheduler".into(),
            value: "bfq".into(),
            ln: 0.2,
        };
        Disk::new(scenario, vec![effect], 7)
    }

    fn ios(disk: &mut Disk, steps: u64) -> u64 {
        let done = (0..steps).flat_map(|_| disk.step(&[DEMAND]));
        done.map(|done| done.reads + done.writes).sum()
    }

    #[test]
    fn a_value_has_its_effect_as_long_as_it_is_in_place() {
        let mut disk = disk(&Scenario::plain("still"));
        let found = ios(&mut disk, 500) as f64;
        disk.set(PLACE, ("none", "bfq"));
        let better = ios(&mut disk, 500) as f64;
        disk.set(PLACE, ("bfq", "none"));
        let again = ios(&mut disk, 500) as f64;
        assert!(
            ((better / found).ln() - 0.2).abs() < 0.02,
            "{found} {better}"
        );
        assert!((again / found - 1.0).abs() < 0.02, "{found} {again}");
        assert_eq!(disk.arms.len(), 2, "what was found is the first arm again");
    }

    #[test]
    fn counters_have_the_load_and_its_neighbour() {
        let alone = Scenario::plain("still");
        let steady = Scenario::find("steady").unwrap();
        for (scenario, has_neighbour) in [(alone, false), (steady, true)] {
            let mut disk = disk(&scenario);
            let own = ios(&mut disk, 1_000);
            let counters = *disk.counters();
            let all = counters.reads + counters.writes;
            assert_eq!(all > own, has_neighbour, "{all} {own}");
            assert!((counters.writes as f64 / own as f64 - 0.3).abs() < 0.01);
            assert_eq!(counters.write_sectors, counters.writes * 8);
            assert_eq!((counters.busy_ms, counters.in_flight), (10_000, 32));
            disk.step(&[]);
            assert_eq!(
                (disk.counters().in_flight, disk.counters().reads),
                (0, counters.reads)
            );
        }
    }

    #[test]
    fn large_ios_are_counted_in_the_pieces_that_the_kernel_makes_of_them() {
        let large = Demand {
            bytes: 1 << 20,
            reads: 1.0,
            ..DEMAND
        };
        for (cut_at, pieces) in [(u64::MAX, 1), (1 << 20, 1), (64 << 10, 16), (0, 2048)] {
            let mut disk = disk(&Scenario::plain("still"));
            disk.cut_at(cut_at);
            let ios: u64 = (0..100).map(|_| disk.step(&[large])[0].reads).sum();
            let counters = disk.counters();
            assert_eq!(counters.reads, ios * pieces, "{cut_at}");
            assert_eq!(counters.read_sectors, ios * 2048, "{cut_at}");
        }
    }

    #[test]
    fn two_loads_share_it_by_depth_and_one_that_wants_little_waits_little() {
        let mut disk = disk(&Scenario::plain("still"));
        let deep = Demand {
            depth: 96,
            ..DEMAND
        };
        let mut ios = [0; 2];
        for _ in 0..500 {
            let done = disk.step(&[DEMAND, deep]);
            ios.iter_mut()
                .zip(&done)
                .for_each(|(sum, done)| *sum += done.reads + done.writes);
            assert!((done[0].latency_ns / done[1].latency_ns - 1.0).abs() < 1e-9);
        }
        assert!(
            (ios[1] as f64 / ios[0] as f64 - 3.0).abs() < 0.01,
            "{ios:?}"
        );
        let paced = Demand {
            most_iops: Some(1_000.0),
            ..DEMAND
        };
        let done: Vec<StepDone> = (0..500).flat_map(|_| disk.step(&[paced])).collect();
        let all: u64 = done.iter().map(|done| done.reads + done.writes).sum();
        assert!((4_999..=5_000).contains(&all), "{all}");
        let slowest_ns = done.iter().map(|done| done.latency_ns).fold(0.0, f64::max);
        assert!((100_000.0..200_000.0).contains(&slowest_ns), "{slowest_ns}");
    }
}
