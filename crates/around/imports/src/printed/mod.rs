//! What importers of printed text share: words, numbers, moments, tables with times, series, documents within a text.

pub mod banner;
pub mod columns;
pub mod commands;
#[cfg(test)]
pub mod fixtures;
pub mod json;
pub mod markdown;
pub mod moment;
pub mod number;
pub mod series;
pub mod sysbench;
pub mod tables;
#[cfg(test)]
pub mod wrong_claims;

/// A line as its tool printed it: without what a paste puts around it (`1 | … |`, a quotation mark).
pub fn clean(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("> ").unwrap_or(line);
    let without_number = line.split_once(" | ").and_then(|(number, rest)| {
        let is_number =
            !number.is_empty() && number.len() < 6 && number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| rest.trim_end().trim_end_matches('|'))
    });
    without_number.unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_paste_puts_around_a_line_goes() {
        for line in ["  sda 1 2", "1 | sda 1 2 |", "> sda 1 2", "sda 1 2\r"] {
            assert_eq!(super::clean(line), "sda 1 2");
        }
        assert_eq!(super::clean("a | b"), "a | b");
    }
}
