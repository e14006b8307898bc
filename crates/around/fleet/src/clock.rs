//! How far the clocks of two machines are apart, from questions and their answers, and how far apart loads began.
//!
//! A question is sent, answered with the other clock's reading, and the answer comes back. The reading was taken somewhere
//! between the two, so the middle is wrong by half of the way there and back at the most. Of several questions the one
//! that took least is used (Cristian 1989).

use serde::Serialize;

/// A question and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockRound {
    /// When it was asked, ns of our monotonic clock.
    pub sent_ns: u64,
    /// What the other clock said, ns.
    pub at_ns: u64,
    /// When the answer was here, ns of our monotonic clock.
    pub got_ns: u64,
}

/// How far another clock is ahead of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClockOffset {
    /// The other clock less ours, ns. Monotonic clocks begin somewhere, so it may be days.
    pub offset_ns: i64,
    /// It is within so much of that, ns: half of the way there and back.
    pub error_ns: u64,
}

impl ClockOffset {
    /// By the round that took least; none without rounds, and for a clock that says what no clock can.
    pub fn of(rounds: &[ClockRound]) -> Option<ClockOffset> {
        let took = |round: &&ClockRound| round.got_ns.saturating_sub(round.sent_ns);
        let best = rounds.iter().min_by_key(took)?;
        let half = took(&best).div_ceil(2);
        let middle = i128::from(best.sent_ns) + i128::from(half);
        let offset = i128::from(best.at_ns) - middle;
        // More than a century is no clock's reading.
        let offset_ns = i64::try_from(offset).ok()?;
        (offset_ns.unsigned_abs() < 1 << 62).then_some(ClockOffset {
            offset_ns,
            error_ns: half,
        })
    }

    /// A moment of ours on the other clock, ns.
    pub fn there_ns(self, here_ns: u64) -> u64 {
        here_ns.saturating_add_signed(self.offset_ns)
    }

    /// A moment of the other clock on ours, ns; below 0 for what a host invents.
    pub fn here_ns(self, there_ns: u64) -> i128 {
        i128::from(there_ns) - i128::from(self.offset_ns)
    }
}

/// How far apart things began that should have begun together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Skew {
    /// From the first to the last, ns.
    pub skew_ns: u64,
    /// Within so much of that, ns: what the clocks may be off together.
    pub error_ns: u64,
}

/// The skew of beginnings on our clock, each with what its clock may be off, ns. None for fewer than two.
///
/// The true one lies between what is left when every clock is off to the inside, and what is there when to the outside: a host
/// that is not the first may be it when its clock is worse.
pub fn skew(begun: &[(i128, u64)]) -> Option<Skew> {
    if begun.len() < 2 {
        return None;
    }
    let early = |one: &(i128, u64)| one.0 - i128::from(one.1);
    let late = |one: &(i128, u64)| one.0 + i128::from(one.1);
    let seen = begun.iter().map(|one| one.0).max()? - begun.iter().map(|one| one.0).min()?;
    let most = begun.iter().map(late).max()? - begun.iter().map(early).min()?;
    let least = (begun.iter().map(early).max()? - begun.iter().map(late).min()?).max(0);
    let ns = |span: i128| u64::try_from(span).unwrap_or(u64::MAX);
    Some(Skew {
        skew_ns: ns(seen),
        error_ns: ns((most - seen).max(seen - least)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round(sent_ns: u64, at_ns: u64, got_ns: u64) -> ClockRound {
        ClockRound {
            sent_ns,
            at_ns,
            got_ns,
        }
    }

    #[test]
    fn the_shortest_round_decides() {
        let rounds = [round(100, 5_000, 900), round(1_000, 6_050, 1_100)];
        let offset = ClockOffset::of(&rounds).unwrap();
        assert_eq!((offset.offset_ns, offset.error_ns), (5_000, 50));
        assert_eq!(offset.there_ns(2_000), 7_000);
        assert_eq!(offset.here_ns(7_000), 2_000);
        assert_eq!(ClockOffset::of(&[]), None);
        assert_eq!(ClockOffset::of(&[round(0, u64::MAX, 1)]), None, "no clock");
    }

    #[test]
    fn the_skew_is_from_the_first_to_the_last() {
        let found = skew(&[(5_000, 10), (1_000, 20), (3_000, 900)]).unwrap();
        assert_eq!((found.skew_ns, found.error_ns), (4_000, 30));
        // One that seems to begin a little earlier than the last may have been the last by far.
        let found = skew(&[(0, 10), (4_000, 10), (3_950, 900)]).unwrap();
        assert_eq!((found.skew_ns, found.error_ns), (4_000, 860));
        assert_eq!(skew(&[(1, 1)]), None);
    }

    proptest! {
        #[test]
        fn the_true_offset_is_within_what_is_stated(
            offset in -1_000_000_000_000i64..1_000_000_000_000,
            ways in prop::collection::vec((1u64..10_000_000, 1u64..10_000_000), 1..9),
        ) {
            let begin = 2_000_000_000_000u64;
            let rounds: Vec<ClockRound> = ways
                .iter()
                .map(|(there, back)| round(
                    begin,
                    (begin + there).checked_add_signed(offset).unwrap(),
                    begin + there + back,
                ))
                .collect();
            let found = ClockOffset::of(&rounds).unwrap();
            prop_assert!(found.offset_ns.abs_diff(offset) <= found.error_ns);
        }

        #[test]
        fn the_true_skew_is_within_what_is_stated(
            hosts in prop::collection::vec((0i64..1_000_000, 0u64..50_000, -1.0f64..1.0), 2..9),
        ) {
            let truth: Vec<i64> = hosts.iter().map(|host| host.0).collect();
            let seen: Vec<(i128, u64)> = hosts
                .iter()
                .map(|(at, error, off)| (i128::from(*at) + (*error as f64 * off) as i128, *error))
                .collect();
            let found = skew(&seen).unwrap();
            let true_skew = (truth.iter().max().unwrap() - truth.iter().min().unwrap()) as u64;
            prop_assert!(found.skew_ns.abs_diff(true_skew) <= found.error_ns, "{found:?} {true_skew}");
        }

        #[test]
        fn no_reading_of_a_host_is_a_panic(sent in any::<u64>(), at in any::<u64>(), got in any::<u64>(), then in any::<u64>()) {
            if let Some(offset) = ClockOffset::of(&[round(sent, at, got)]) {
                let _ = (offset.there_ns(then), skew(&[(offset.here_ns(then), u64::MAX), (0, 1)]));
            }
        }
    }
}
