//! Changes of files that belong to somebody else: one argument in a line of shell assignments, everything else stays.

use host::Host;
use model::text::clean_to;

/// A file as it is, to its last byte.
///
/// # Errors
/// For one that is no text: a changed copy would not be the same elsewhere.
pub fn whole(host: &Host, path: &str) -> Result<String, String> {
    // A captured machine has texts without their last line end.
    let bytes = if host.is_live() {
        host.bytes(path)
    } else {
        None
    };
    match bytes.map(String::from_utf8) {
        Some(Ok(text)) => Ok(text),
        Some(Err(_)) => Err(format!(
            "{path} holds bytes that are no UTF-8; it is not touched"
        )),
        None => host
            .text(path)
            .map(|text| text + "\n")
            .ok_or_else(|| format!("{path} cannot be read")),
    }
}

/// The text with an argument among those of an assignment (`KEY="a b"`), in place of those of the same name
/// (`elevator=cfq`); a line more where nothing assigns the key.
///
/// # Errors
/// Where the assignment is more than plain words in quotes: it is the shell's to say then what it means.
pub fn with_argument(text: &str, key: &str, argument: &str) -> Result<String, String> {
    let assigns = |line: &&str| value_of(line, key).is_some();
    let Some(line) = text.lines().rfind(assigns) else {
        let end = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        return Ok(format!("{text}{end}{key}=\"{argument}\"\n"));
    };
    let value = value_of(line, key).unwrap_or_default().trim();
    let inner = unquoted(value).ok_or_else(|| {
        format!(
            "`{}` is more than plain words: add `{argument}` to it by hand",
            clean_to(line, 80)
        )
    })?;
    let new = format!("{key}=\"{}\"", words_with(inner, argument));
    // The last assignment counts. Its place is its own: the same words may stand in a comment, too.
    let at = line.as_ptr() as usize - text.as_ptr() as usize;
    Ok(format!("{}{new}{}", &text[..at], &text[at + line.len()..]))
}

/// Words with one among them, in place of those of the same name; a word that may be there several times (`--banirq=7`)
/// only takes the place of itself.
pub fn words_with(words: &str, argument: &str) -> String {
    let name = argument.split_once('=').map_or(argument, |(name, _)| name);
    let is_same = |word: &str| {
        word == argument
            || (!name.starts_with('-') && word.split_once('=').is_some_and(|(it, _)| it == name))
    };
    let kept = words.split_whitespace().filter(|word| !is_same(word));
    kept.chain([argument]).collect::<Vec<_>>().join(" ")
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix('=')
}

/// What stands between quotes, or without any, where no shell would make something else of it.
fn unquoted(value: &str) -> Option<&str> {
    let inner = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    let inner = inner.unwrap_or(value);
    let is_bare = inner.len() == value.len();
    let is_plain = !inner.contains(['"', '\'', '$', '`', '\\']);
    (is_plain && !(is_bare && inner.contains([' ', '\t', '#', ';', '&', '|', '<', '>', '(', ')'])))
        .then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_argument_comes_and_the_rest_stays() {
        let text = "# c\nGRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX=\"quiet elevator=cfq\"\nX=1\n";
        let new = with_argument(text, "GRUB_CMDLINE_LINUX", "elevator=deadline").unwrap();
        assert_eq!(
            new,
            text.replace("quiet elevator=cfq", "quiet elevator=deadline")
        );
        assert_eq!(
            with_argument(&new, "GRUB_CMDLINE_LINUX", "elevator=deadline").unwrap(),
            new
        );
        for (text, with) in [
            ("A=''\n", "A=\"--banirq=7\"\n"),
            ("A=--oneshot", "A=\"--oneshot --banirq=7\""),
            ("A=\"--banirq=6\"\n", "A=\"--banirq=6 --banirq=7\"\n"),
            ("#A=x\n", "#A=x\nA=\"--banirq=7\"\n"),
            ("A=x\n# was:\n#A=x\n", "A=\"x --banirq=7\"\n# was:\n#A=x\n"),
            (
                "A=x\nB=1 A=x\r\nA=x\r\n",
                "A=x\nB=1 A=x\r\nA=\"x --banirq=7\"\r\n",
            ),
            ("AB=x", "AB=x\nA=\"--banirq=7\"\n"),
            ("", "A=\"--banirq=7\"\n"),
        ] {
            assert_eq!(
                with_argument(text, "A", "--banirq=7").unwrap(),
                with,
                "{text}"
            );
        }
    }

    #[test]
    fn what_a_shell_would_work_out_is_left_alone() {
        for value in ["\"$B c\"", "`id`", "\"a", "'it'\\''s'", "a b", "x #y"] {
            assert!(
                with_argument(&format!("A={value}\n"), "A", "b").is_err(),
                "{value}"
            );
        }
    }
}
