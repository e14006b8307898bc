//! Links and headings of Markdown pages.

use crate::text::fenced_lines;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The lines of a page that are no code, each with its index.
pub fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let fenced = fenced_lines(text.lines());
    text.lines()
        .enumerate()
        .filter(move |(index, _)| !fenced[*index])
}

/// Where the targets of `[text](target "title")` and of `[name]: target` stand in a line; not those inside code.
pub fn link_targets(line: &str) -> Vec<Range<usize>> {
    let inline = line
        .match_indices("](")
        .filter(|(at, _)| line[..*at].matches('`').count().is_multiple_of(2))
        .filter_map(|(at, _)| target(line, at + 2, line[at + 2..].find(')')?));
    let definition = line
        .starts_with('[')
        .then(|| line.find("]: "))
        .flatten()
        .and_then(|at| target(line, at + 3, line.len() - at - 3));
    inline.chain(definition).collect()
}

/// The first word of a stretch of a line, without angle brackets.
fn target(line: &str, start: usize, length: usize) -> Option<Range<usize>> {
    let stretch = &line[start..start + length];
    let word = stretch.split_whitespace().next()?;
    let bare = word.trim_matches(['<', '>']);
    let start = start + stretch.find(bare)?;
    Some(start..start + bare.len())
}

/// Whether a target names a file of the repository, or a part of the same page.
pub fn is_relative(target: &str) -> bool {
    !target.contains("://")
        && !target.starts_with('/')
        && !target.starts_with("mailto:")
        && !target.is_empty()
}

/// What stands behind `#` in links to the headings of a page, as GitHub and mdBook make it.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose_lines(text).filter_map(|(_, line)| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| heading.strip_prefix(' '))?
    });
    let mut anchor = |heading: &str| {
        let plain = anchor(&without_targets(heading));
        let count = seen.entry(plain.clone()).or_default();
        *count += 1;
        match *count {
            1 => plain,
            count => format!("{plain}-{}", count - 1),
        }
    };
    headings.map(&mut anchor).collect()
}

fn without_targets(heading: &str) -> String {
    let mut heading = heading.to_string();
    for target in link_targets(&heading).into_iter().rev() {
        heading.replace_range(target, "");
    }
    heading
}

fn anchor(heading: &str) -> String {
    let letters = heading.trim().chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        letter => letter.is_alphanumeric().then_some(letter),
    });
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(line: &str) -> Vec<&str> {
        let ranges = link_targets(line).into_iter();
        ranges.map(|range| &line[range]).collect()
    }

    #[test]
    fn targets_stand_where_they_are_written() {
        assert_eq!(
            targets("[x](a.md#b) and ![y](<c.png> \"t\")"),
            ["a.md#b", "c.png"]
        );
        assert_eq!(targets("[r]: d.md"), ["d.md"]);
        assert_eq!(targets("`[x](a.md)` [y](b.md)"), ["b.md"]);
        assert_eq!(targets("[x]( )"), [""; 0]);
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        let text = "# A & B: `c`\n\n## A value, `--x`\n\n```\n# no heading\n```\n## A [link](b.md)\n## A link\n#none\n";
        let found = anchors(text);
        let expected = ["a--b-c", "a-link", "a-link-1", "a-value---x"];
        assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    }
}
