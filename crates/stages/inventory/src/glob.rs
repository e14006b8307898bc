//! Shell patterns, as udev, systemd and TuneD match names: `*`, `?`, `[a-c!x]`, and alternatives between bars.

/// Whether a text matches one of the alternatives of a pattern (`sd*|vd[a-c]`).
pub(super) fn matches_any(pattern: &str, text: &str) -> bool {
    pattern.split('|').any(|one| matches(one, text))
}

/// Whether a text matches a pattern whole. A star also matches slashes.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    // Most patterns differ from most texts in their first letters, and many have no wildcard at all.
    let plain = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
    let Some(text) = text.strip_prefix(&pattern[..plain]) else {
        return false;
    };
    let pattern = &pattern[plain..];
    if pattern.is_empty() || pattern == "*" {
        return !pattern.is_empty() || text.is_empty();
    }
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where to go on when a star has to take one character more.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            retry = Some((p, t));
            p += 1;
            continue;
        }
        match one(&pattern[p..], text[t]) {
            Some(length) => (p, t) = (p + length, t + 1),
            None => match retry {
                Some((star, taken)) => {
                    retry = Some((star, taken + 1));
                    (p, t) = (star + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// How much of the pattern matches this character; none when it does not.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '\\' if pattern.len() > 1 => (pattern[1] == c).then_some(2),
        '[' => class(pattern, c).unwrap_or_else(|| (c == '[').then_some(1)),
        first => (*first == c).then_some(1),
    }
}

/// A class in brackets: none outside when the bracket never closes, none inside when the character is not in it.
fn class(pattern: &[char], c: char) -> Option<Option<usize>> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|c| *c == ']')?;
    let members = &pattern[start..end];
    let mut found = false;
    let mut at = 0;
    while at < members.len() {
        if members.get(at + 1) == Some(&'-') && at + 2 < members.len() {
            found |= (members[at]..=members[at + 2]).contains(&c);
            at += 3;
        } else {
            found |= members[at] == c;
            at += 1;
        }
    }
    Some((found != negated).then_some(end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_as_a_shell_does() {
        assert!(matches("sd*[!0-9]", "sda") && !matches("sd*[!0-9]", "sda1"));
        assert!(matches("nvme[0-9]*n[0-9]*", "nvme10n1") && !matches("nvme?n1", "nvme10n1"));
        assert!(matches("*", "") && matches("a*b*c", "axbyc") && !matches("a*b", "axc"));
        assert!(matches_any("vd?|sd[a-c]", "sdb") && !matches_any("vd?|sd[a-c]", "sdd"));
        assert!(
            matches_any("|x", ""),
            "an empty alternative is the empty text"
        );
        assert!(
            matches("[", "[") && !matches("[", "x"),
            "a bracket that never closes is itself"
        );
        assert!(matches("a\\*", "a*") && !matches("a\\*", "ab"));
    }

    #[test]
    fn many_stars_do_not_take_long() {
        assert!(!matches(&"*a".repeat(40), &"a".repeat(39)));
    }
}
