//! What was found, as text for a terminal of 80 columns, for a ticket and for a build server. Nouns in, text out.

pub mod compare;
pub mod guard;
pub mod history;
pub mod junit;
pub mod markdown;
pub mod rank;

use report::text::{clean, columns};

/// Cleaned, and cut in the middle to so many columns: names differ at their ends.
fn short(text: &str, width: usize) -> String {
    view::text::short(&clean(text), width)
}

/// Filled up with blanks at the end to a width in characters.
fn left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Filled up with blanks at the start.
fn right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Broken into lines with a margin, further lines indented by two more.
fn paragraph(text: &str, margin: usize) -> Vec<String> {
    let width = report::text::width() - margin - 2;
    let lines = report::text::wrap(&clean(text), width);
    let one = |(index, line): (usize, &String)| {
        let indent = if index == 0 { margin } else { margin + 2 };
        format!("{}{line}", " ".repeat(indent))
    };
    lines.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(short("nvme-Samsung_980_PRO_1", 11), "nvme-…PRO_1");
        assert_eq!(short("sda\x1b[2J", 20), "sda?[2J");
        assert_eq!(right("µs", 4), "  µs");
    }
}
