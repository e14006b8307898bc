//! A device's own `stat` (Documentation/block/stat.rst): the counters of its line in /proc/diskstats, without the lines
//! of all others.

use crate::devices;
use crate::scan::Scan;
use host::{Host, Sampled};

/// What the kernel prints for a line of the whole file, in places of what a file of its own costs: 1.0 against 2.1 µs
/// with 41 devices on Linux 6.18.
const LINES_OF_A_FILE: usize = 3;
/// The whole file is read once in so many readings, to see devices that come or are used for the first time.
const READINGS_OF_A_WHOLE: usize = 5;

/// Whether the devices' own files are the cheaper ones, among so many lines, and it is not the whole file's turn. That
/// has none where nobody `is_awaited`: every device that was named is there.
pub(super) fn is_due(devices: usize, lines: usize, reading: usize, is_awaited: bool) -> bool {
    let is_turn = is_awaited && reading.is_multiple_of(READINGS_OF_A_WHOLE);
    devices * LINES_OF_A_FILE < lines && !is_turn
}

/// The file of a device, held open. A captured machine has only one reading of anything: its table is enough.
pub(super) fn open(host: &Host, name: &str) -> Option<Sampled> {
    let path = || format!("/sys/class/block/{}/stat", devices::directory(name));
    host.is_live().then(|| host.sampled(&path()).ok()).flatten()
}

/// The counters into a row; false where not every cell got one.
pub(super) fn fill(stat: &mut Sampled, cells: &mut [f64]) -> bool {
    let Ok(text) = stat.read() else { return false };
    Scan::new(text).fill(cells);
    cells.iter().all(|cell| !cell.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_among_many_are_read_alone_but_for_every_fifth_time() {
        let readings: Vec<bool> = (0..6).map(|reading| is_due(1, 4, reading, true)).collect();
        assert_eq!(readings, [false, true, true, true, true, false]);
        assert!(
            (0..6).all(|reading| is_due(1, 4, reading, false)),
            "whoever is named and there needs no search"
        );
        let is_cheaper = |devices, lines| is_due(devices, lines, 1, true);
        assert!(
            !is_cheaper(1, 3) && is_cheaper(33, 100) && !is_cheaper(34, 100) && !is_cheaper(0, 0)
        );
    }

    #[test]
    fn a_device_tells_the_same_alone_as_in_the_table() {
        let host = Host::live();
        let table = host.text("/proc/diskstats").unwrap();
        // A device without I/O at the moment tells the same twice.
        let seen = table.lines().find_map(|line| {
            let name = line.split_whitespace().nth(2)?;
            let mut stat = open(&host, name)?;
            let mut alone = vec![f64::NAN; line.split_whitespace().count() - 3];
            assert!(fill(&mut stat, &mut alone), "{name}");
            let listed: Vec<f64> = line
                .split_whitespace()
                .skip(3)
                .map(|number| number.parse().unwrap())
                .collect();
            (listed == alone).then_some(name)
        });
        assert!(
            seen.is_some(),
            "every device here was busy between two readings: {table}"
        );
    }

    #[test]
    fn a_device_that_is_gone_fills_nothing() {
        assert!(open(&Host::live(), "not-there").is_none());
        let dir = host::files::temporary_dir("stat").unwrap();
        let path = dir.path().join("stat");
        host::files::write_atomically(&path, "1 2").unwrap();
        let mut short = Host::live().sampled(&path.to_string_lossy()).unwrap();
        assert!(!fill(&mut short, &mut [f64::NAN; 3]));
    }
}
