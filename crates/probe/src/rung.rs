//! How far a machine lets us look, and why not further.

use crate::{Device, Layers, Strength};
use host::Host;

/// What a machine gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rung {
    /// The best there is: `eBPF`, `tracefs`, `diskstats` or `nothing`.
    pub name: &'static str,
    /// What it tells.
    pub gives: &'static str,
    /// Why it is not a higher one, one sentence for each; empty on the highest.
    pub why_not_higher: Vec<String>,
}

/// Finds the best way to see layers on this machine by trying it: the lite program is attached and taken off.
pub fn rung() -> Rung {
    // A device number that no disk has: nothing is counted.
    let nobody = Device { major: 0, minor: 0, name: "none".into() };
    let error = match Layers::attach(std::slice::from_ref(&nobody), Strength::Lite) {
        Ok(_) => {
            return Rung {
                name: "eBPF",
                gives: "Q2G, G2I, I2D or G2D, D2C and Q2C of every I/O, as histograms",
                why_not_higher: Vec::new(),
            };
        }
        Err(error) => error,
    };
    let mut why_not_higher = vec![format!("eBPF: {error}.")];
    match Layers::attach(&[nobody], Strength::Tracefs) {
        Ok(_) => {
            return Rung {
                name: "tracefs",
                gives: "Q2G, G2I, I2D or G2D, D2C and Q2C, paired by device and sector, as histograms; no flushes",
                why_not_higher,
            };
        }
        Err(error) => why_not_higher.push(format!("tracefs: {error}.")),
    }
    if Host::live().exists("/proc/diskstats") {
        let gives = "rates and mean times of each device, not by layer";
        return Rung { name: "diskstats", gives, why_not_higher };
    }
    why_not_higher.push("diskstats: /proc/diskstats is not there.".into());
    Rung { name: "nothing", gives: "no times of devices", why_not_higher }
}
