//! Memory over a simulated day: what the store keeps of 864,000 moments, ten a second.

use host::Host;
use model::reading::ReadingRow;
use observe::{Keep, Scope, Store, sensors};

const TICKS: i64 = 864_000;
const TICK_NS: i64 = 100_000_000;
/// Hours after which memory is looked at.
pub const HOURS: [i64; 3] = [1, 6, 24];

/// What was kept.
pub struct Day {
    /// Series of all sensors.
    pub series: usize,
    /// At each of [`HOURS`]: bytes the stores hold, and the resident memory of this process.
    pub bytes: Vec<(usize, u64)>,
}

/// Fills one store for each sensor that this host has, as wide as its rows and as often as it is read.
pub fn simulate(host: &Host) -> Day {
    let mut stores = Vec::new();
    for sensor in sensors::ALL {
        if let Ok(source) = (sensor.open)(host, &Scope::default()) {
            let ticks = (sensor.every_ms as i64 / 100).max(1);
            stores.push((source.columns().len(), ticks, Store::new(Keep::HOUR)));
        }
    }
    let mut day = Day {
        series: stores.iter().map(|(width, ..)| width).sum(),
        bytes: Vec::new(),
    };
    for tick in 0..=TICKS {
        for (width, ticks, store) in &mut stores {
            if tick % *ticks == 0 {
                store.push(ReadingRow {
                    time_ns: tick * TICK_NS,
                    cells: vec![tick as f64; *width].into(),
                });
            }
        }
        if HOURS.iter().any(|hours| tick == hours * 36_000) {
            day.bytes.push((
                stores.iter().map(|(.., store)| store.bytes()).sum(),
                resident_bytes(),
            ));
        }
    }
    day
}

fn resident_bytes() -> u64 {
    let statm = Host::live().text("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(0);
    pages * host::rights::page_bytes()
}
