//! The devices: nine with the noise that real disks show, and those whose knob leaves something behind.

use crate::neighbour::{Kind, Neighbour};

/// Parameters of a simulated device. Amplitudes are standard deviations or steps of the logarithm of the rate.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Name in tables.
    pub name: &'static str,
    /// Counting noise of a 10 ms bin.
    pub white: f64,
    /// Degrees of freedom of the counting noise; 0 is normal.
    pub freedom: u32,
    /// Amplitude of the fast correlated part.
    pub fast: f64,
    /// Its time constant, in seconds.
    pub fast_s: f64,
    /// Amplitude of the slow correlated part: neighbours, temperature.
    pub slow: f64,
    /// Its time constant, in seconds.
    pub slow_s: f64,
    /// Random walk, per square root of a second.
    pub walk: f64,
    /// Level lost exponentially since the start.
    pub trend: f64,
    /// Time constant of that loss, in seconds.
    pub trend_s: f64,
    /// Step of the second regime: garbage collection, a noisy neighbour. 0 for none.
    pub regime: f64,
    /// Mean dwell in the first regime, in seconds.
    pub regime_up_s: f64,
    /// Mean dwell in the second regime, in seconds.
    pub regime_down_s: f64,
    /// Stalls per second.
    pub stalls_per_s: f64,
    /// Mean length of a stall, in bins of 10 ms.
    pub stall_bins: f64,
    /// Step during a stall.
    pub stall: f64,
    /// Level change at a restart of the load: another region, another layout.
    pub restart: f64,
    /// Period of a regular dip, in seconds; 0 for none.
    pub period_s: f64,
    /// Length of the dip, in seconds.
    pub dip_s: f64,
    /// Step during the dip.
    pub dip: f64,
    /// Hole after a switch to the default, in milliseconds.
    pub drain_ms: f64,
    /// Hole after a switch to any other arm, in milliseconds.
    pub drain_other_ms: f64,
    /// Time constant with which an arm's effect builds up, in seconds; 0 at once.
    pub relax_s: f64,
    /// Gain that any arm but the default borrows and pays back; its lasting effect is nil.
    pub debt: f64,
    /// Time constant of the payback, in seconds.
    pub debt_s: f64,
    /// Mean length of a burst at full rate before the token bucket is empty, in seconds; 0 for no bucket.
    pub bucket_s: f64,
    /// Rate of an empty bucket, as a share of the full rate.
    pub bucket_floor: f64,
    /// Another program on the disk.
    pub neighbour: Option<Neighbour>,
}

impl Scenario {
    /// Every kind of disk that has a name of its own.
    pub fn all() -> Vec<Scenario> {
        let is_half = |scenario: &Scenario| {
            let neighbour = scenario.neighbour;
            neighbour.is_none_or(|neighbour| neighbour.share == 0.5)
        };
        let all = [public(), carry(), shared(), robbed()]
            .into_iter()
            .flatten();
        all.filter(is_half).collect()
    }

    /// The kind of disk of a name; of those with a neighbour the one that it takes half of.
    pub fn find(name: &str) -> Option<Scenario> {
        let mut all = Scenario::all().into_iter();
        all.find(|scenario| scenario.name == name)
    }

    /// The lasting effect on the own rate of an arm that changes what the disk does by `effect_ln`.
    pub fn lasting_ln(&self, effect_ln: f64) -> f64 {
        match &self.neighbour {
            Some(neighbour) => neighbour.lasting_ln(effect_ln),
            None => effect_ln,
        }
    }

    /// A plain solid-state disk with a 20 ms hole after a switch; the others differ from it.
    pub const fn plain(name: &'static str) -> Self {
        Scenario {
            name,
            white: 0.03,
            freedom: 0,
            fast: 0.02,
            fast_s: 0.1,
            slow: 0.0,
            slow_s: 10.0,
            walk: 0.0,
            trend: 0.0,
            trend_s: 60.0,
            regime: 0.0,
            regime_up_s: 5.0,
            regime_down_s: 1.0,
            stalls_per_s: 0.0,
            stall_bins: 6.0,
            stall: -2.3,
            restart: 0.01,
            period_s: 0.0,
            dip_s: 0.1,
            dip: -0.4,
            drain_ms: 20.0,
            drain_other_ms: 20.0,
            relax_s: 0.0,
            debt: 0.0,
            debt_s: 3.0,
            bucket_s: 0.0,
            bucket_floor: 0.33,
            neighbour: None,
        }
    }
}

/// The nine devices with ordinary noise and no carry-over beyond a short drain.
pub fn public() -> Vec<Scenario> {
    let plain = Scenario::plain;
    vec![
        Scenario {
            white: 0.02,
            fast: 0.01,
            fast_s: 0.05,
            restart: 0.005,
            ..plain("quiet_nvme")
        },
        Scenario {
            fast: 0.03,
            fast_s: 0.2,
            slow: 0.03,
            slow_s: 5.0,
            ..plain("ar_ssd")
        },
        Scenario {
            trend: 0.4,
            ..plain("drift")
        },
        Scenario {
            regime: -0.5,
            regime_up_s: 4.0,
            ..plain("gc_regime")
        },
        Scenario {
            white: 0.04,
            freedom: 3,
            fast: 0.03,
            fast_s: 0.3,
            slow: 0.08,
            slow_s: 20.0,
            regime: -0.25,
            regime_up_s: 25.0,
            regime_down_s: 10.0,
            walk: 0.005,
            ..plain("cloud")
        },
        Scenario {
            stalls_per_s: 0.8,
            ..plain("stalls")
        },
        Scenario {
            white: 0.35,
            fast: 0.03,
            fast_s: 0.5,
            slow: 0.02,
            ..plain("hdd_low")
        },
        Scenario {
            period_s: 0.8,
            ..plain("periodic")
        },
        Scenario {
            bucket_s: 50.0,
            ..plain("burst")
        },
    ]
}

/// The devices whose switch drains slowly or unevenly, whose effect builds up, or whose gain is borrowed.
pub fn carry() -> Vec<Scenario> {
    let plain = Scenario::plain;
    vec![
        Scenario {
            relax_s: 0.15,
            ..plain("relax_150ms")
        },
        Scenario {
            relax_s: 0.6,
            ..plain("relax_600ms")
        },
        Scenario {
            drain_ms: 100.0,
            drain_other_ms: 100.0,
            ..plain("drain_100ms")
        },
        Scenario {
            drain_other_ms: 150.0,
            ..plain("drain_20_150ms")
        },
        Scenario {
            drain_other_ms: 400.0,
            ..plain("drain_20_400ms")
        },
        Scenario {
            debt: 0.15,
            debt_s: 1.0,
            ..plain("debt_1s")
        },
        Scenario {
            debt: 0.15,
            debt_s: 3.0,
            ..plain("debt_3s")
        },
        Scenario {
            debt: 0.15,
            debt_s: 10.0,
            ..plain("debt_10s")
        },
        Scenario {
            debt: 0.15,
            debt_s: 30.0,
            ..plain("debt_30s")
        },
    ]
}

/// A plain disk beside each kind of neighbour that leaves what an arm gains, at a fifth, half and four fifths of its I/O.
pub fn shared() -> Vec<Scenario> {
    let mut devices = Vec::new();
    for (name, kind) in [
        ("steady", Kind::Steady),
        ("fixed", Kind::Fixed),
        ("bursty", Kind::Bursty),
        ("reacting", Kind::Reacting),
    ] {
        devices.extend([0.2, 0.5, 0.8].map(|share| beside(name, kind, share)));
    }
    devices
}

/// A plain disk whose arms take from a neighbour what they gain.
pub fn robbed() -> Vec<Scenario> {
    [0.2, 0.5, 0.8]
        .map(|share| beside("robbed", Kind::Robbed, share))
        .to_vec()
}

fn beside(name: &'static str, kind: Kind, share: f64) -> Scenario {
    Scenario {
        neighbour: Some(Neighbour { kind, share }),
        ..Scenario::plain(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_name_of_its_own() {
        let mut names: Vec<&str> = Scenario::all().iter().map(|one| one.name).collect();
        assert!(names.len() > 20);
        names.sort_unstable();
        assert!(names.windows(2).all(|two| two[0] != two[1]), "{names:?}");
        assert!(Scenario::find("cloud").is_some_and(|cloud| cloud.freedom == 3));
        assert!(Scenario::find("no such disk").is_none());
    }
}
