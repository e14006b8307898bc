//! Which devices have nothing in flight, as one sensor saw it a moment ago: it spares another to ask for each of them.
//!
//! `/proc/diskstats` says for all devices in one reading how many I/Os they were given and have not completed. Where that
//! is 0, so are the reads and the writes among them (bdev_count_inflight in block/genhd.c counts what sysfs's `inflight`
//! does and more), and the file need not be read. On a machine with a hundred disks most of them have none.

use host::clock;
use std::sync::{Arc, Mutex, PoisonError};

/// What is older has to be read: the sensors of one sample follow each other within less.
const FRESH_NS: u64 = 5_000_000;

/// Shared by the sensors that were opened with one scope.
#[derive(Clone, Debug, Default)]
pub struct Flights(Arc<Mutex<SeenFlights>>);

#[derive(Debug, Default)]
struct SeenFlights {
    time_ns: u64,
    devices: Vec<(String, bool)>,
}

/// Scopes that look at the same are the same, whatever was seen meanwhile.
impl PartialEq for Flights {
    fn eq(&self, _other: &Flights) -> bool {
        true
    }
}

impl Eq for Flights {}

impl Flights {
    /// Notes of each device, in the order in which they are always given, whether it has nothing in flight.
    pub(super) fn note<'a>(&self, devices: impl Iterator<Item = (&'a str, bool)>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = 0;
        for (name, is_idle) in devices {
            match seen.devices.get_mut(count) {
                Some((known, idle)) if known == name => *idle = is_idle,
                Some(other) => *other = (name.to_string(), is_idle),
                None => seen.devices.push((name.to_string(), is_idle)),
            }
            count += 1;
        }
        seen.devices.truncate(count);
        seen.time_ns = clock::monotonic_ns();
    }

    /// Which of some devices were seen with nothing in flight just now.
    pub(super) fn idle<'a>(&self, devices: impl Iterator<Item = &'a str>, idle: &mut Vec<bool>) {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = clock::monotonic_ns().saturating_sub(seen.time_ns) < FRESH_NS;
        idle.clear();
        // Both sensors mostly have the same devices in the same order.
        idle.extend(devices.enumerate().map(|(place, name)| {
            let at_its_place = seen.devices.get(place).filter(|(known, _)| known == name);
            let found =
                at_its_place.or_else(|| seen.devices.iter().find(|(known, _)| known == name));
            is_fresh && found.is_some_and(|(_, is_idle)| *is_idle)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_found_by_name_and_not_for_long() {
        let flights = Flights::default();
        let idle = |names: &[&str]| {
            let mut idle = vec![true; 9];
            flights.idle(names.iter().copied(), &mut idle);
            idle
        };
        assert_eq!(idle(&["sda"]), [false], "nothing was seen yet");
        // A thread that is held up sees what is too old; it looks again then.
        let seen = |devices: &[(&str, bool)], names: &[&str]| {
            (0..1000).find_map(|_| {
                let before_ns = clock::monotonic_ns();
                flights.note(devices.iter().copied());
                let seen = idle(names);
                (clock::monotonic_ns() - before_ns < FRESH_NS).then_some(seen)
            })
        };
        let three = [("sda", true), ("sdb", false), ("sdc", true)];
        assert_eq!(
            seen(&three, &["sdc", "sdb", "sda", "sdd"]),
            Some(vec![true, false, true, false])
        );
        assert_eq!(
            seen(&[("sdb", true)], &["sdc", "sdb"]),
            Some(vec![false, true])
        );
        clock::sleep_ns(2 * FRESH_NS);
        assert_eq!(idle(&["sdb"]), [false]);
    }
}
