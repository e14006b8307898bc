//! What is drawn: none to three families with their strengths, and benign settings below them.

use crate::family::Family;
use stats::dice::Dice;

/// A draw; the same seed gives the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Family and strength of each fault.
    pub faults: Vec<(String, String)>,
    /// The file system of the stack, and the options it is mounted with.
    pub file_system: &'static str,
    pub options: &'static str,
    /// Files of the device's queue, and what they are set to.
    pub settings: Vec<(&'static str, &'static str)>,
}

/// What nobody would call a fault on a loop device.
const FILE_SYSTEMS: [&str; 3] = ["ext4", "ext4", "xfs"];
const OPTIONS: [&str; 3] = ["defaults", "noatime", "lazytime"];
const SETTINGS: [(&str, &[&str]); 4] = [
    ("scheduler", &["none", "mq-deadline", "kyber"]),
    ("read_ahead_kb", &["128", "256", "1024"]),
    ("nr_requests", &["96", "128"]),
    ("rq_affinity", &["1", "2"]),
];
/// What mounts anew or freezes what is mounted does not go together with other faults of the same file system.
const ALONE: [&str; 2] = ["slow_journal", "freezes"];

impl Draw {
    /// Draws.
    pub fn of(seed: u64, families: &[Family]) -> Draw {
        let mut dice = Dice::new(seed);
        let count = match dice.below(10) {
            0..=4 => 1,
            5 | 6 => 2,
            7 => 3,
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
        let mut one_of = |words: &[&'static str]| words[dice.below(words.len())];
        Draw {
            faults,
            file_system: one_of(&FILE_SYSTEMS),
            options: one_of(&OPTIONS),
            settings: SETTINGS.map(|(file, words)| (file, one_of(words))).into(),
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
        for count in 0..4 {
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
