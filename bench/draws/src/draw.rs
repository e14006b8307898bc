//! What is drawn: none, one or two families with their strengths, and benign settings below them.

use crate::family::Family;
use stats::dice::Dice;

/// A draw; the same seed gives the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Family and strength of each fault.
    pub faults: Vec<(String, String)>,
    /// The scheduler of the stack's device: none of them is a fault on it.
    pub scheduler: &'static str,
}

const SCHEDULERS: [&str; 3] = ["none", "mq-deadline", "kyber"];
/// Remounting with another journal and freezing what is mounted do not go together with other faults of the same file system.
const ALONE: [&str; 2] = ["slow_journal", "freezes"];

impl Draw {
    /// Draws.
    pub fn of(seed: u64, families: &[Family]) -> Draw {
        let mut dice = Dice::new(seed);
        let count = match dice.below(10) {
            0..=5 => 1,
            6 | 7 => 2,
            _ => 0,
        };
        let mut faults: Vec<(String, String)> = Vec::new();
        while faults.len() < count {
            let family = &families[dice.below(families.len())];
            let strength = dice.below(family.strengths.len());
            let is_there = faults.iter().any(|(name, _)| *name == family.name);
            let is_alone = count > 1 && ALONE.contains(&family.name.as_str());
            if !is_there && !is_alone {
                faults.push((family.name.clone(), family.strengths[strength].clone()));
            }
        }
        Draw {
            faults,
            scheduler: SCHEDULERS[dice.below(SCHEDULERS.len())],
        }
    }

    /// `few_requests=4 cpu_quota=10000`, or `healthy`.
    pub fn name(&self) -> String {
        let words = self.words();
        match words.is_empty() {
            true => "healthy".into(),
            false => words.join(" "),
        }
    }

    /// The faults as words of `draw.sh`.
    pub fn words(&self) -> Vec<String> {
        let one = |(name, strength): &(String, String)| format!("{name}={strength}");
        self.faults.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_draw_and_all_kinds_come() {
        let families = crate::family::all().unwrap();
        let draws: Vec<Draw> = (0..100).map(|seed| Draw::of(seed, &families)).collect();
        assert_eq!(draws[7], Draw::of(7, &families));
        for count in 0..3 {
            assert!(
                draws.iter().any(|draw| draw.faults.len() == count),
                "{count}"
            );
        }
        for family in families {
            let is_drawn = |draw: &Draw| draw.faults.iter().any(|(name, _)| *name == family.name);
            assert!(draws.iter().any(is_drawn), "{}", family.name);
        }
    }
}
