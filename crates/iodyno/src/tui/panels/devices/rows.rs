//! The rows of the device table: which devices, in what order, with what figures.

use crate::tui::{ScreenLook, curve};
use analyse::fields::Pick;
use model::reading::Reading;
use std::collections::HashMap;

/// The sensor that the table is made of.
const SENSOR: &str = "diskstats";
/// How far back a device must have done something to count as busy, and how long the curves are, ns.
const MINUTE_NS: i64 = 60_000_000_000;

/// Fields of a row.
static FIELDS: &[&str] = &[
    "disk.reads_per_s",
    "disk.writes_per_s",
    "disk.read_bytes_per_s",
    "disk.write_bytes_per_s",
    "disk.size_read_bytes",
    "disk.size_write_bytes",
    "disk.await_read_ms",
    "disk.await_write_ms",
    "disk.read_merges_per_s",
    "disk.write_merges_per_s",
    "disk.queue_mean_ios",
    "disk.busy_percent",
    "disk.flushes_per_s",
    "disk.discards_per_s",
    "disk.inflight",
];

/// What shows that a device did something.
static SIGNS: &[&str] = &[
    "disk.reads_per_s",
    "disk.writes_per_s",
    "disk.discards_per_s",
    "disk.flushes_per_s",
];

/// One device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceRow<'a> {
    /// Kernel name.
    pub name: &'a str,
    values: [Option<f64>; 15],
}

/// What the table shows, and what it leaves out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed<'a> {
    /// From the top down.
    pub rows: Vec<DeviceRow<'a>>,
    /// Devices without I/O for a minute that are not shown.
    pub idle: usize,
    /// Partitions that are not shown.
    pub partitions: usize,
    /// Every device there is, in the kernel's order.
    pub all: Vec<&'a str>,
}

impl DeviceRow<'_> {
    /// Its value of a field.
    pub fn get(&self, field: &str) -> Option<f64> {
        FIELDS
            .iter()
            .position(|one| *one == field)
            .and_then(|place| self.values[place])
    }
}

/// The devices to show, as the keys have chosen.
pub fn listed<'a>(look: &ScreenLook<'a>) -> Listed<'a> {
    let mut rows = every_device(look);
    let all: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let mut listed = Listed {
        all,
        ..Listed::default()
    };
    let choice = look.choice;
    // Before the first sample there is nothing to compare with.
    let from_ns = (look.at_ns - MINUTE_NS).max(look.status.first_ns);
    let minute = look
        .sampler
        .curve(SENSOR, from_ns, look.at_ns, 1)
        .pop()
        .flatten();
    let signs: Vec<_> = SIGNS
        .iter()
        .filter_map(|id| observe::field(id))
        .map(|(_, field)| field)
        .collect();
    let was_busy = |row: &DeviceRow<'_>| {
        let sign = |field: &&'static model::field::Field| {
            let minute = minute.as_ref()?;
            Pick::new(field, row.name, &minute.series)?.value(minute)
        };
        row.get("disk.inflight").is_some_and(|ios| ios > 0.0)
            || signs.iter().filter_map(sign).any(|value| value > 0.0)
    };
    let is_whole = |name: &str| {
        !look
            .known
            .get(name)
            .is_some_and(|device| device.is_partition)
    };
    let has_disks = listed.all.iter().any(|name| is_whole(name));
    let filter = choice.filter.to_lowercase();
    rows.retain(|row| {
        let is_chosen = choice.devices.iter().any(|name| name == row.name);
        let model = look
            .known
            .get(row.name)
            .map_or("", |device| device.model.as_str());
        let fits =
            row.name.to_lowercase().contains(&filter) || model.to_lowercase().contains(&filter);
        if !fits || (!choice.devices.is_empty() && !is_chosen) {
            return false;
        }
        if is_chosen || choice.shows_idle {
            return true;
        }
        let is_partition = has_disks && !is_whole(row.name);
        let is_idle = !is_partition && !was_busy(row);
        listed.partitions += usize::from(is_partition);
        listed.idle += usize::from(is_idle);
        !is_partition && !is_idle
    });
    sort(&mut rows, choice.sort, choice.is_reversed);
    listed.rows = rows;
    listed
}

/// The greatest first; what has no value comes last either way.
fn sort(rows: &mut [DeviceRow<'_>], field: Option<&str>, is_reversed: bool) {
    match field {
        None if is_reversed => rows.reverse(),
        None => {}
        Some(field) => rows.sort_by(|one, other| {
            let (one, other) = (one.get(field), other.get(field));
            let order = |a: f64, b: f64| {
                if is_reversed {
                    a.total_cmp(&b)
                } else {
                    b.total_cmp(&a)
                }
            };
            match (one, other) {
                (Some(one), Some(other)) => order(one, other),
                (one, other) => other.is_some().cmp(&one.is_some()),
            }
        }),
    }
}

/// Every device that any field has a value for, in the sensor's order.
fn every_device<'a>(look: &ScreenLook<'a>) -> Vec<DeviceRow<'a>> {
    let mut rows: Vec<DeviceRow<'a>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    // What is in flight has a value from the first sample on, rates from the second.
    let order = std::iter::once(FIELDS.len() - 1).chain(0..FIELDS.len() - 1);
    for place in order {
        for (name, value) in look.frame.each(FIELDS[place]) {
            let row = *places.entry(name).or_insert_with(|| {
                rows.push(DeviceRow {
                    name,
                    values: [None; 15],
                });
                rows.len() - 1
            });
            rows[row].values[place] = Some(value);
        }
    }
    rows
}

/// The last minute of every device, in as many parts as a curve has characters.
pub struct Curves {
    curves: Vec<Curve>,
}

struct Curve {
    ids: &'static [&'static str],
    fields: Vec<&'static model::field::Field>,
    parts: Vec<Option<Reading>>,
}

impl Curves {
    /// Of fields, each with a number of parts.
    pub fn of(look: &ScreenLook<'_>, wanted: Vec<(&'static [&'static str], usize)>) -> Curves {
        let curve = |(ids, count): (&'static [&'static str], usize)| Curve {
            ids,
            fields: ids
                .iter()
                .filter_map(|id| observe::field(id))
                .map(|(_, field)| field)
                .collect(),
            parts: curve::parts(look.sampler, SENSOR, look.at_ns, MINUTE_NS, count),
        };
        Curves {
            curves: wanted.into_iter().map(curve).collect(),
        }
    }

    /// One device's curve: the sum of those fields that it has.
    pub fn of_device(&self, ids: &[&str], name: &str) -> Vec<Option<f64>> {
        let Some(curve) = self.curves.iter().find(|curve| curve.ids == ids) else {
            return Vec::new();
        };
        let Some(series) = curve.parts.iter().flatten().map(|part| &part.series).next() else {
            return vec![None; curve.parts.len()];
        };
        let picks: Vec<Pick> = curve
            .fields
            .iter()
            .filter_map(|field| Pick::new(field, name, series))
            .collect();
        let value = |part: &Option<Reading>| {
            let part = part.as_ref()?;
            picks
                .iter()
                .filter_map(|pick| pick.value(part))
                .reduce(|sum, value| sum + value)
        };
        curve.parts.iter().map(value).collect()
    }
}
