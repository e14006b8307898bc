//! A command on as many lines as it takes, of which a shell makes one again.

use crate::text::columns;
use model::shell_line::pieces;

/// What ends a line that goes on.
const GOES_ON: &str = " \\";

/// The command in lines of this width, the first of them behind `head`, the others behind so many spaces. A piece in quotes stays
/// whole, since a break inside them would be a part of the word; an option and its value stay together.
pub fn command_lines(head: &str, command: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![head.to_string()];
    for (place, piece) in together(&pieces(command)).into_iter().enumerate() {
        let last = lines.len() - 1;
        let taken = columns(&lines[last]) + 1 + columns(&piece) + GOES_ON.len();
        if place > 0 && taken > width {
            lines[last].push_str(GOES_ON);
            lines.push(format!("{:indent$}{piece}", ""));
        } else {
            let space = if place == 0 { "" } else { " " };
            lines[last].push_str(&format!("{space}{piece}"));
        }
    }
    lines
}

/// The pieces, each long option with the value behind it.
fn together(pieces: &[&str]) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    for piece in pieces {
        match units.last_mut() {
            Some(option) if takes(option) && !piece.starts_with('-') => {
                option.push_str(&format!(" {piece}"));
            }
            _ => units.push((*piece).to_string()),
        }
    }
    units
}

/// Whether a value may follow: it is a long option that has none yet.
fn takes(unit: &str) -> bool {
    unit.len() > 2 && unit.starts_with("--") && !unit.contains([' ', '='])
}

/// Whether it is for a shell, where it may be a sentence.
pub fn is_command(line: &str) -> bool {
    line.starts_with("iodyno ") || line.starts_with("sudo ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::text::shell_words;

    #[test]
    fn what_is_pasted_is_the_command() {
        let command =
            "sudo iodyno tune '/srv/a  b' --rw randread --knob 'riops@/x y=400,max' -- -bs=4k";
        for width in [20, 40, 60, 100] {
            let lines = command_lines("Next: ", command, width, 4);
            let pasted = lines.join("\n");
            let pasted = pasted.strip_prefix("Next: ").unwrap();
            assert_eq!(shell_words(pasted), shell_words(command), "{pasted}");
            let is_option = |line: &String| line.trim_end_matches(GOES_ON).ends_with("--knob");
            assert!(!lines.iter().any(is_option), "{lines:#?}");
            let is_narrow = |line: &String| columns(line) <= width || line.contains('\'');
            assert!(width < 40 || lines.iter().all(is_narrow), "{lines:#?}");
        }
    }
}
