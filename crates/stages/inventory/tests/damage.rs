//! Damaged captures: whatever is in the file, reading it ends in a path or in an error, never in a panic or a hang.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads its own fixtures"
)]

use host::{Archive, Host};
use std::path::Path;

/// A small generator; the seed is in the failure's message.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// One line lost, doubled, swapped, cut, or given another character.
fn damage(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for _ in 0..=dice.below(4) {
        let (at, other) = (dice.below(lines.len()), dice.below(lines.len()));
        match dice.below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[other].clone()),
            2 => lines.swap(at, other),
            3 => lines[at] = lines[at].chars().take(dice.below(12)).collect(),
            4 => lines[at] = lines[at].replace(char::is_numeric, "99999999999999999999"),
            _ => lines[at].push_str(["\u{1b}[31m", "/", "..", "-", "\u{0}", " 0x"][dice.below(6)]),
        }
    }
    lines.join("\n")
}

#[test]
fn a_damaged_capture_gives_a_path_or_an_error() {
    let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/hosts");
    let mut understood = 0;
    for entry in std::fs::read_dir(hosts).unwrap().flatten() {
        // `NAME.later` is only what had changed when the machine was read again.
        if entry.path().extension().is_none_or(|end| end != "host") {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let target = text
            .lines()
            .find_map(|line| line.strip_prefix("# target: "))
            .unwrap()
            .to_string();
        for seed in 1..=150 {
            let mut dice = Dice(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed));
            let Ok(archive) = Archive::parse(&damage(&text, &mut dice)) else {
                continue;
            };
            assert_eq!(
                Archive::parse(&archive.print()).as_ref(),
                Ok(&archive),
                "{:?}, seed {seed}",
                entry.path()
            );
            if let Ok(path) = inventory::collect(&Host::from_archive(archive), &target) {
                let shown = report::path_view::text(&path, Default::default());
                assert!(
                    !shown.contains('\u{1b}'),
                    "{:?}, seed {seed}: an escape reached the terminal",
                    entry.path()
                );
                understood += 1;
            }
        }
    }
    assert!(
        understood > 100,
        "{understood} damaged captures were still understood"
    );
}
