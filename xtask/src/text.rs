//! Small readings of text that several checks share.

/// The line, counted from 1, that holds this byte of the text.
pub fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}

/// True for a byte that can be part of a Rust name.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where a word stands alone in a text, not as a part of a longer name.
pub fn find_word<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = text.as_bytes();
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = at.checked_sub(1).map(|index| bytes[index]);
            let after = bytes.get(at + word.len());
            !before.is_some_and(is_name_byte) && !after.copied().is_some_and(is_name_byte)
        })
}

/// The Rust name that a text begins with; empty if it begins with something else.
pub fn leading_name(text: &str) -> &str {
    let end = text
        .bytes()
        .position(|byte| !is_name_byte(byte))
        .unwrap_or(text.len());
    &text[..end]
}

/// For each line of a Markdown text, whether it belongs to a fenced block, the fences included.
pub fn fenced_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<bool> {
    let mut open: Option<&str> = None;
    let is_fenced = |line: &'a str| match (open, fence_of(line)) {
        (None, fence) => {
            open = fence;
            fence.is_some()
        }
        (Some(start), Some(end)) if end.starts_with(start) && line.trim() == end => {
            open = None;
            true
        }
        (Some(_), _) => true,
    };
    lines.map(is_fenced).collect()
}

/// The run of backticks or tildes that opens or closes a fenced block at this line.
pub fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let end = line.find(|c| c != mark).unwrap_or(line.len());
    (end >= 3).then(|| &line[..end])
}

/// The first sentence of a text, on one line. Abbreviations with a dot do not end it.
pub fn first_sentence(paragraph: &str) -> String {
    let mut sentence: Vec<&str> = Vec::new();
    for word in paragraph.split_whitespace() {
        sentence.push(word);
        let bare = word.trim_start_matches('(');
        if word.ends_with(['.', '?']) && !matches!(bare, "e.g." | "i.e." | "vs." | "cf.") {
            break;
        }
    }
    sentence.join(" ")
}

/// The folder part of a path with forward slashes; empty for a file at the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path that a relative path names when read from a folder; nothing if it leads out of the tree.
pub fn resolve(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole() {
        let found: Vec<usize> = find_word("fn a_fn fn_b (fn)", "fn").collect();
        assert_eq!(found, [0, 14]);
    }

    #[test]
    fn fences_close_only_with_their_own_kind() {
        let text = "a\n````host\n```\n# not a heading\n````\nb";
        assert_eq!(
            fenced_lines(text.lines()),
            [false, true, true, true, true, false]
        );
    }

    #[test]
    fn an_opening_fence_with_a_language_does_not_close_the_block() {
        let text = "```host\n```text\n```\nb";
        assert_eq!(fenced_lines(text.lines()), [true, true, true, false]);
    }

    #[test]
    fn a_sentence_survives_abbreviations_and_line_breaks() {
        assert_eq!(
            first_sentence("The queue, e.g. of\nsda, is full. More."),
            "The queue, e.g. of sda, is full."
        );
        assert_eq!(first_sentence("No dot at all"), "No dot at all");
        assert_eq!(
            first_sentence("Sets vm.dirty_ratio. Then more."),
            "Sets vm.dirty_ratio."
        );
    }

    #[test]
    fn relative_paths_resolve_inside_the_tree_only() {
        assert_eq!(
            resolve("docs/guide", "../README.md").as_deref(),
            Some("docs/README.md")
        );
        assert_eq!(resolve("", "./a//b").as_deref(), Some("a/b"));
        assert_eq!(resolve("docs", "../../x"), None);
    }
}
