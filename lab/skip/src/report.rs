//! What was not tested, grouped by what was missing.

use crate::NEEDS;
use std::collections::{BTreeMap, BTreeSet};

/// The skips that were noted since the last [`clear`](crate::clear), for people.
pub fn report() -> std::io::Result<String> {
    match std::fs::read_to_string(crate::file()) {
        Ok(text) => Ok(words(&text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(words("")),
        Err(error) => Err(error),
    }
}

/// One paragraph a need: what gives it, then each test with its reason. The same skip of the same test is one.
fn words(text: &str) -> String {
    let mut needs: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, '\t');
        if let (Some(need), Some(test), Some(why)) = (parts.next(), parts.next(), parts.next()) {
            needs.entry(need).or_default().insert((test, why));
        }
    }
    let count: usize = needs.values().map(BTreeSet::len).sum();
    if count == 0 {
        return "Nothing was skipped.".into();
    }
    let mut lines = vec![format!("Skipped: {count}, by what was missing")];
    for (need, tests) in needs {
        let source = NEEDS.iter().find(|(name, _)| *name == need);
        let source = source.map_or(String::new(), |(_, source)| {
            format!(" (comes with: {source})")
        });
        lines.push(format!("  {need}: {}{source}", tests.len()));
        lines.extend(
            tests
                .into_iter()
                .map(|(test, why)| format!("    {test}: {why}")),
        );
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn skips_are_grouped_and_counted() {
        let text = "root\ttree::a\tonly root can\nkernel:bfq\ttune::b\tthis kernel has no bfq\nroot\ttree::c\tonly root can\n\
                    root\ttree::a\tonly root can\n";
        assert_eq!(
            words(text),
            "Skipped: 3, by what was missing\n  kernel:bfq: 1\n    tune::b: this kernel has no bfq\n  \
             root: 2 (comes with: run the tests as root)\n    tree::a: only root can\n    tree::c: only root can"
        );
    }

    #[test]
    fn a_full_run_says_so() {
        assert_eq!(words(""), "Nothing was skipped.");
    }
}
