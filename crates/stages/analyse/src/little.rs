//! Little's law: the mean number in flight is the rate times the mean time in flight, whatever the device does.
//!
//! A closed loop holds `iodepth` × `numjobs` in flight. Where rate and latency imply fewer, the requests were not
//! there: the engine has no depth, submission could not keep up, or a queue below was full before ours.

use model::curve::Little;
use stats::mean;

/// The check of one point: rate per second and mean latency in ns of each visit, the number asked for, and whether the
/// load was held to a rate, when nothing is expected of the number in flight.
pub fn check(visits: &[(f64, f64)], asked: f64, is_paced: bool) -> Little {
    // By visit: rate and latency of one visit belong together, their means over noisy visits need not.
    let in_flight: Vec<f64> = visits
        .iter()
        .map(|(iops, mean_ns)| Little::in_flight(*iops, *mean_ns))
        .collect();
    let reached = mean(&in_flight);
    Little {
        reached,
        asked,
        holds: is_paced || Little::agrees(reached, asked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_queue_that_was_not_there() {
        assert!(check(&[(32_000.0, 1e6), (8_000.0, 4e6)], 32.0, false).holds);
        let shallow = check(&[(10_000.0, 1e5)], 32.0, false);
        assert!(!shallow.holds && (shallow.reached - 1.0).abs() < 1e-9);
        assert!(
            check(&[(10_000.0, 1e5)], 32.0, true).holds,
            "a fixed rate needs no full queue"
        );
        assert!(!check(&[(0.0, 0.0)], 1.0, false).holds);
    }
}
