//! Random places that are not all alike: zipf, pareto, normal and zoned, each draw independent of those before.
//!
//! All take constant memory and constant time for each draw, whatever the number of blocks. zipf and pareto give ranks;
//! a fixed permutation turns ranks into blocks, so that the hot blocks are spread over the range.
//!
//! ## How this differs from fio's
//! fio sums zipf's shares over the first ten million ranks, and turns ranks into blocks with a multiplicative hash modulo
//! the number of blocks. Unless that is a power of two, several ranks share a block and others have none: of 16,128 blocks
//! fio 3.33 reaches 9,591 at theta 0.8. Here each rank has a block of its own and the shares are those of the law. fio's
//! `normal` adds up twelve uniform numbers; here it is the normal law with the deviation asked for, and what falls outside
//! the range is drawn again. Which blocks are hot depends on the seed, in both.

use super::{Permutation, zipf::Zipf};
use model::job::Distribution;
use stats::dice::{Random, mix64};

/// Where random I/O goes among `count` places, with repeats.
#[derive(Clone, Debug)]
pub enum Skew {
    /// Every place alike.
    Even {
        /// Places.
        count: u64,
    },
    /// Zipf's law, spread.
    Zipf {
        /// Ranks.
        law: Zipf,
        /// From ranks to places.
        spread: Permutation,
    },
    /// A share `h` of the places takes `1 − h` of the draws, and so on inside that share; spread.
    Pareto {
        /// Places.
        count: u64,
        /// `log h / log (1 − h)`.
        power: f64,
        /// From ranks to places.
        spread: Permutation,
    },
    /// A bell around the middle.
    Normal {
        /// Places.
        count: u64,
        /// Standard deviation, places.
        deviation: f64,
    },
    /// Zones in order.
    Zoned {
        /// Each with the sum of the weights up to its end, its first place and its number of places.
        zones: Vec<(u64, u64, u64)>,
    },
}

impl Skew {
    /// A distribution over `count` places of `grain` bytes, of which zones in bytes are made.
    pub fn new(distribution: &Distribution, count: u64, grain: u64, seed: u64) -> Skew {
        let spread = || Permutation::new(count, mix64(seed ^ 0x5ca7));
        match distribution {
            Distribution::Random => Skew::Even { count },
            Distribution::Zipf(theta) => Skew::Zipf {
                law: Zipf::new(count, *theta),
                spread: spread(),
            },
            Distribution::Pareto(h) => Skew::Pareto {
                count,
                power: h.ln() / (1.0 - h).ln(),
                spread: spread(),
            },
            Distribution::Normal(percent) => Skew::Normal {
                count,
                deviation: percent / 100.0 * count as f64,
            },
            Distribution::Zoned(zones) => {
                let mut percent = 0;
                let ends = zones.iter().map(|(weight, size)| {
                    percent += u64::from(*size);
                    (
                        u64::from(*weight),
                        (u128::from(count) * u128::from(percent.min(100)) / 100) as u64,
                    )
                });
                zoned(ends, count)
            }
            Distribution::ZonedAbs(zones) => {
                let mut bytes = 0u64;
                let ends = zones.iter().map(|(weight, size)| {
                    bytes = bytes.saturating_add(*size);
                    (u64::from(*weight), (bytes / grain.max(1)).min(count))
                });
                zoned(ends, count)
            }
        }
    }

    /// A place.
    pub fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Skew::Even { count } => random.below(*count),
            Skew::Zipf { law, spread } => spread.at(law.draw(random)),
            Skew::Pareto {
                count,
                power,
                spread,
            } => {
                let rank = (*count as f64 * random.unit().powf(*power)) as u64;
                spread.at(rank.min(count - 1))
            }
            Skew::Normal { count, deviation } => normal(*count, *deviation, random),
            Skew::Zoned { zones } => {
                let all = zones.last().map_or(1, |zone| zone.0);
                let drawn = random.below(all);
                let zone = zones.partition_point(|zone| zone.0 <= drawn);
                zones
                    .get(zone)
                    .map_or(0, |(_, first, places)| first + random.below(*places))
            }
        }
    }
}

/// Zones from their weights and ends. One without a place or a weight is left out; the others share its draws.
fn zoned(ends: impl Iterator<Item = (u64, u64)>, count: u64) -> Skew {
    let (mut zones, mut sum, mut first) = (Vec::new(), 0, 0);
    for (weight, end) in ends {
        if weight > 0 && end > first {
            sum += weight;
            zones.push((sum, first, end - first));
        }
        first = first.max(end);
    }
    if zones.is_empty() {
        Skew::Even { count }
    } else {
        Skew::Zoned { zones }
    }
}

/// The normal law; draws outside the range are drawn again. A bell as wide as the range has a
/// third of its draws inside, so that few are needed.
fn normal(count: u64, deviation: f64, random: &mut Random) -> u64 {
    // Wider than this the bell is flat over the range to a per cent, and most draws would be thrown away.
    let deviation = deviation.min(count as f64 * 4.0);
    let middle = count as f64 / 2.0;
    loop {
        let place = middle + deviation * random.normal();
        if place >= 0.0 && place < count as f64 {
            return place as u64;
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Fails when draws of these shares would be as far off by chance once in a million tests. Neighbouring cells are
    /// put together until ten draws are expected in each.
    pub fn chi_square_fits(label: &str, shares: &[f64], draws: &[usize]) {
        let mut counts = vec![0u64; shares.len()];
        draws.iter().for_each(|draw| counts[*draw] += 1);
        let (mut sum, mut cells, mut wanted, mut found) = (0.0, 0u32, 0.0, 0.0);
        let mut close = |wanted: &mut f64, found: &mut f64| {
            sum += (*found - *wanted).powi(2) / *wanted;
            cells += 1;
            (*wanted, *found) = (0.0, 0.0);
        };
        for (index, share) in shares.iter().enumerate() {
            wanted += share * draws.len() as f64;
            found += counts[index] as f64;
            let rest: f64 = shares[index + 1..].iter().take(2000).sum::<f64>() * draws.len() as f64;
            if wanted >= 10.0 && (rest >= 10.0 || index + 1 == shares.len()) {
                close(&mut wanted, &mut found);
            }
        }
        if wanted > 0.0 {
            close(&mut wanted, &mut found);
        }
        if cells < 2 {
            return;
        }
        let chance = stats::chi_square_tail(sum, f64::from(cells - 1));
        assert!(
            chance > 1e-6,
            "{label}: χ² {sum:.1} over {cells} cells, chance {chance:e}"
        );
    }

    /// Largest distance of the draws' distribution from `cdf`, as a multiple of what chance gives (Kolmogorov): 2.4 comes
    /// once in 50,000 tests.
    fn kolmogorov(draws: &mut [f64], cdf: impl Fn(f64) -> f64) -> f64 {
        draws.sort_by(f64::total_cmp);
        let n = draws.len() as f64;
        let distance = |(index, draw): (usize, &f64)| {
            let wanted = cdf(*draw);
            (wanted - index as f64 / n)
                .abs()
                .max((wanted - (index + 1) as f64 / n).abs())
        };
        draws.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
    }

    fn unspread(spread: &Permutation, count: u64) -> Vec<u64> {
        let mut ranks = vec![0; count as usize];
        (0..count).for_each(|rank| ranks[spread.at(rank) as usize] = rank);
        ranks
    }

    #[test]
    fn pareto_follows_its_law_and_is_spread() {
        let count = 100_000;
        for h in [0.1, 0.2, 0.5, 0.8] {
            let skew = Skew::new(&Distribution::Pareto(h), count, 4096, 3);
            let Skew::Pareto { spread, power, .. } = &skew else {
                panic!()
            };
            let ranks = unspread(spread, count);
            let mut random = Random::new(8);
            let places: Vec<u64> = (0..200_000).map(|_| skew.draw(&mut random)).collect();
            let inside = places
                .iter()
                .filter(|place| ranks[**place as usize] < (h * count as f64) as u64)
                .count();
            let share = inside as f64 / places.len() as f64;
            assert!((share - (1.0 - h)).abs() < 0.006, "{h}: {share}");
            let cell = |end: u64| (end as f64 / count as f64).powf(1.0 / power);
            let shares: Vec<f64> = (0..100)
                .map(|i| cell((i + 1) * 1000) - cell(i * 1000))
                .collect();
            let cells: Vec<usize> = places
                .iter()
                .map(|place| ranks[*place as usize] as usize / 1000)
                .collect();
            chi_square_fits(&format!("pareto {h}"), &shares, &cells);
        }
    }

    #[test]
    fn hot_blocks_are_spread_over_the_range() {
        let count = 1u64 << 30;
        let skew = Skew::new(&Distribution::Zipf(1.2), count, 4096, 3);
        let Skew::Zipf { spread, .. } = &skew else {
            panic!()
        };
        let mut eighths = [0; 8];
        (0..800).for_each(|rank| eighths[(spread.at(rank) * 8 / count) as usize] += 1);
        assert!(eighths.iter().all(|n| (60..140).contains(n)), "{eighths:?}");
        let mut random = Random::new(4);
        let draws: Vec<u64> = (0..10_000).map(|_| skew.draw(&mut random)).collect();
        let hottest = draws.iter().filter(|place| **place == spread.at(0)).count();
        // zeta(1.2) is 5.59.
        assert!((1600..2000).contains(&hottest), "{hottest}");
    }

    #[test]
    fn every_block_can_be_reached() {
        for count in [16_384, 16_128] {
            let skew = Skew::new(&Distribution::Zipf(0.8), count, 4096, 3);
            let mut random = Random::new(2);
            let reached: std::collections::HashSet<u64> =
                (0..524_288).map(|_| skew.draw(&mut random)).collect();
            assert!(
                reached.len() as u64 > count - 100,
                "{} of {count}",
                reached.len()
            );
        }
    }

    #[test]
    fn normal_is_a_bell_around_the_middle() {
        let count = 1u64 << 40;
        for percent in [1.0, 10.0, 50.0, 1000.0] {
            let skew = Skew::new(&Distribution::Normal(percent), count, 4096, 3);
            let mut random = Random::new(6);
            let mut draws: Vec<f64> = (0..100_000)
                .map(|_| skew.draw(&mut random) as f64 / count as f64)
                .collect();
            let sigma = (percent / 100.0).min(4.0);
            let bell = |x: f64| stats::normal_cdf((x - 0.5) / sigma);
            let (low, high) = (bell(0.0), bell(1.0));
            let off = kolmogorov(&mut draws, |x| (bell(x) - low) / (high - low));
            assert!(off < 2.4, "{percent} %: {off}");
        }
    }

    #[test]
    fn even_is_even_at_any_size() {
        for count in [3, 1000, 1u64 << 40, u64::MAX / 4096] {
            let skew = Skew::new(&Distribution::Random, count, 4096, 3);
            let mut random = Random::new(count);
            let mut draws: Vec<f64> = (0..100_000)
                .map(|_| (skew.draw(&mut random) as f64 + (random.unit())) / count as f64)
                .collect();
            assert!(kolmogorov(&mut draws, |x| x) < 2.4);
        }
    }

    #[test]
    fn zones_get_their_shares() {
        let count = 10_000;
        let per_cent = Distribution::Zoned(vec![(50, 5), (30, 15), (20, 20), (0, 60)]);
        let bytes =
            Distribution::ZonedAbs(vec![(50, 500 << 12), (30, 1500 << 12), (20, 2000 << 12)]);
        for (label, distribution) in [("zoned", per_cent), ("zoned_abs", bytes)] {
            let skew = Skew::new(&distribution, count, 4096, 3);
            let mut random = Random::new(9);
            let draws: Vec<usize> = (0..300_000)
                .map(|_| skew.draw(&mut random) as usize)
                .collect();
            let share = |place: usize| match place {
                0..500 => 0.5 / 500.0,
                500..2000 => 0.3 / 1500.0,
                2000..4000 => 0.2 / 2000.0,
                _ => 0.0,
            };
            assert!(draws.iter().all(|place| *place < 4000));
            chi_square_fits(label, &(0..4000).map(share).collect::<Vec<_>>(), &draws);
        }
        // Zones beyond the end have no place; what is left shares their draws.
        let beyond = Skew::new(
            &Distribution::ZonedAbs(vec![(1, 4096), (99, 1 << 40)]),
            1,
            4096,
            3,
        );
        assert_eq!(beyond.draw(&mut Random::new(1)), 0);
    }
}
