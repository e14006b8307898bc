//! The order in which points are visited: a new shuffle of the whole grid for each repeat, from a seed.
//!
//! In order, drift of the device would look like an effect of the option that varies slowest; shuffled anew each time,
//! it becomes noise that the repeats show.

use stats::dice::Dice;

/// Pairs of repeat and point: each repeat has all points, in an order of its own.
pub fn visits(points: usize, repeats: u32, seed: u64) -> Vec<(u32, usize)> {
    let mut dice = Dice::new(seed);
    let one = |repeat| {
        let mut order: Vec<usize> = (0..points).collect();
        dice.shuffle(&mut order);
        order.into_iter().map(move |point| (repeat, point))
    };
    (0..repeats).flat_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_repeat_has_every_point_in_an_order_of_its_own() {
        let order = visits(50, 3, 1);
        assert_eq!(order, visits(50, 3, 1));
        assert_ne!(order, visits(50, 3, 2));
        let of = |repeat| {
            order
                .iter()
                .filter(move |visit| visit.0 == repeat)
                .map(|visit| visit.1)
        };
        for repeat in 0..3 {
            let mut points: Vec<usize> = of(repeat).collect();
            points.sort_unstable();
            assert_eq!(points, (0..50).collect::<Vec<_>>());
        }
        assert!(of(0).ne(of(1)) && of(1).ne(of(2)));
        assert!(
            order[..50].iter().all(|visit| visit.0 == 0),
            "repeats follow each other"
        );
    }

    #[test]
    fn every_place_is_as_likely() {
        let mut firsts = [0; 5];
        (0..5_000).for_each(|seed| firsts[visits(5, 1, seed)[0].1] += 1);
        assert!(
            firsts.iter().all(|count| (900..1_100).contains(count)),
            "{firsts:?}"
        );
    }
}
