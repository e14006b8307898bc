//! Where the time of an I/O went: one bar a load.

use super::super::text::{clean, width};
use model::time_account::{TimeAccount, TimePart};
use model::units;

/// Cells of a bar.
const BAR: usize = 12;
/// The shades of the largest part, the next ones, and of all the rest.
const SHADES: [char; 4] = ['█', '▓', '▒', '░'];
/// Parts that are named: those of at least this share.
const NAMED: f64 = 0.03;
/// So many at most, unless everything is asked for.
const NAMED_MOST: usize = 2;
/// Room for the load, its time and the bar.
const HEAD: usize = 2 + LOAD + 9 + 2 + BAR + 2;
const LOAD: usize = 22;

/// The lines; none without an account. `all` names the kernel's functions as well.
pub fn lines(accounts: &[TimeAccount], all: bool) -> Vec<String> {
    if accounts.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["Where the time of an I/O goes, the largest part first:".into()];
    lines.extend(accounts.iter().flat_map(|account| one(account, all)));
    lines
}

fn one(account: &TimeAccount, all: bool) -> Vec<String> {
    let parts = by_size(account);
    let named = parts
        .iter()
        .take(if all { parts.len() } else { NAMED_MOST });
    let words: Vec<String> = named
        .filter(|part| part.share >= NAMED)
        .map(|part| words(part, account, all))
        .collect();
    let head = format!(
        "  {:<LOAD$}{:>9}  {}  ",
        account.load,
        units::duration_ns(account.mean_us * 1e3),
        bar(&parts)
    );
    let room = width().saturating_sub(HEAD).max(20);
    let rows = filled(&words, room);
    let rows = rows.into_iter().enumerate().map(|(row, words)| match row {
        0 => format!("{head}{words}"),
        _ => format!("{:HEAD$}{words}", ""),
    });
    rows.map(|row| row.trim_end().to_string()).collect()
}

/// Parts in rows, none of them broken.
fn filled(parts: &[String], room: usize) -> Vec<String> {
    let mut rows: Vec<String> = vec![String::new()];
    for (place, part) in parts.iter().enumerate() {
        let is_last = place + 1 == parts.len();
        let part = format!("{}{}", clean(part), if is_last { "" } else { "," });
        match rows.last_mut() {
            Some(row) if row.is_empty() => *row = part,
            Some(row) if row.chars().count() + 1 + part.chars().count() <= room => {
                row.push(' ');
                row.push_str(&part);
            }
            _ => rows.push(part),
        }
    }
    rows
}

fn by_size(account: &TimeAccount) -> Vec<&TimePart> {
    let mut parts: Vec<&TimePart> = account.parts.iter().collect();
    parts.sort_by(|one, other| other.share.total_cmp(&one.share));
    parts
}

fn words(part: &TimePart, account: &TimeAccount, all: bool) -> String {
    use model::time_account::TimePlace::Device;
    let place = match (part.place, account.is_traced) {
        (Device, false) => "block layer and device",
        (place, _) => place.label(),
    };
    let function = part.function.as_ref().filter(|_| all);
    let function = function.map_or(String::new(), |name| format!(" ({name})"));
    format!("{place} {}{function}", units::share(part.share))
}

/// Cells in proportion; what is rounded off goes to the first part.
fn bar(parts: &[&TimePart]) -> String {
    let cells = |share: f64| (share * BAR as f64).round() as usize;
    let mut counts = [0; SHADES.len()];
    for (place, part) in parts.iter().enumerate().skip(1) {
        counts[place.min(SHADES.len() - 1)] += cells(part.share);
    }
    counts[0] = BAR.saturating_sub(counts.iter().sum());
    let shades = SHADES.iter().zip(counts);
    let bar: String = shades
        .flat_map(|(shade, count)| std::iter::repeat_n(*shade, count))
        .collect();
    bar.chars().take(BAR).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time_account::TimePlace;

    fn account(parts: &[(TimePlace, f64)]) -> TimeAccount {
        let part = |(place, share): &(TimePlace, f64)| TimePart {
            place: *place,
            share: *share,
            uncertainty: 0.02,
            function: None,
        };
        TimeAccount {
            load: "writes with fsync".into(),
            io: "write and its fsync".into(),
            mean_us: 400.0,
            parts: parts.iter().map(part).collect(),
            is_traced: true,
            off: 0.0,
        }
    }

    #[test]
    fn the_largest_part_comes_first_in_bar_and_words() {
        let account = account(&[
            (TimePlace::SystemCall, 0.15),
            (TimePlace::Journal, 0.5),
            (TimePlace::Device, 0.33),
            (TimePlace::Completion, 0.02),
        ]);
        let told = lines(&[account], false);
        assert_eq!(
            told[1..],
            ["  writes with fsync        400 µs  ██████▓▓▓▓▒▒  journal 50 %, device 33 %"]
        );
        assert!(lines(&[], false).is_empty());
    }

    #[test]
    fn a_bar_has_its_length_whatever_is_rounded() {
        for shares in [
            &[1.0][..],
            &[0.34, 0.33, 0.33],
            &[0.2, 0.2, 0.2, 0.2, 0.2],
            &[0.28, 0.125, 0.125, 0.125, 0.125, 0.125, 0.095],
        ] {
            let parts: Vec<(TimePlace, f64)> = TimePlace::ALL
                .into_iter()
                .zip(shares.iter().copied())
                .collect();
            let account = account(&parts);
            assert_eq!(bar(&by_size(&account)).chars().count(), BAR, "{shares:?}");
        }
    }

    #[test]
    fn without_layers_the_block_layer_is_in_it() {
        let account = TimeAccount {
            is_traced: false,
            ..account(&[(TimePlace::Device, 1.0)])
        };
        assert!(lines(&[account], false).join("\n").contains("block layer"));
    }
}
