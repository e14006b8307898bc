//! Text that somebody else chose: names of disks and files, words of records and of imported files. How it may be shown
//! on a terminal, typed into a shell and put into a cell of a table.

use crate::shell_line::{pieces, unquoted};
use std::borrow::Cow;
use std::path::Path;

/// A piece of foreign text as it may stand in a line: what could move the cursor, change colours, end the line, hide
/// letters or reverse the direction of writing becomes `?`.
pub fn clean(text: &str) -> Cow<'_, str> {
    replaced(text, is_unsafe)
}

/// A path as it may stand in a message.
pub fn shown(path: &Path) -> String {
    clean(&path.to_string_lossy()).into_owned()
}

/// Several lines at once: the same, but line feeds and tabs stay. For text whose line ends are our own, or that is data
/// with lines.
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |c| is_unsafe(c) && !matches!(c, '\n' | '\t'))
}

/// A JSON text as it may stand on a terminal: the same document, with letters that could drive one as their numbers. They stand in
/// strings alone, and line ends between values stay.
pub fn json_shown(json: &str) -> Cow<'_, str> {
    let is_bad = |c: char| is_unsafe(c) && c != '\n';
    if !json.chars().any(is_bad) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        match is_bad(c) {
            true => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| shown.push_str(&format!("\\u{unit:04x}"))),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// [`clean`], and at most so many characters, the last of them `…` where more were there.
pub fn clean_to(text: &str, most: usize) -> String {
    let is_long = text.chars().nth(most).is_some();
    let kept: String = text
        .chars()
        .take(if is_long {
            most.saturating_sub(1)
        } else {
            most
        })
        .collect();
    let kept = clean(&kept);
    if is_long {
        format!("{kept}…")
    } else {
        kept.into_owned()
    }
}

/// Whether a character can drive a terminal, or make one text look like another: controls of ASCII and of Latin 1
/// (ESC, CSI, line ends, tabs), Unicode's direction controls, line separators, marks that take no room and letters that are blank.
pub fn is_unsafe(c: char) -> bool {
    let misleads = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || misleads
}

fn replaced(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().any(&is_bad) {
        Cow::Owned(
            text.chars()
                .map(|c| if is_bad(c) { '?' } else { c })
                .collect(),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// Digits of a container's id that its programs take for all of it.
const ID_DIGITS: usize = 12;

/// A path of a control group for people: of an id of 64 digits the first twelve.
pub fn short_group(path: &str) -> Cow<'_, str> {
    match whole_id(path) {
        None => Cow::Borrowed(path),
        Some(id) => Cow::Owned(path.replacen(id, &format!("{}…", &id[..ID_DIGITS]), 1)),
    }
}

/// The digits by which the container of a control group is found, where the group's own name has its id.
pub fn container_id(path: &str) -> Option<&str> {
    let id = whole_id(path)?;
    let is_below = path.split(id).nth(1).is_some_and(|rest| rest.contains('/'));
    (!is_below).then_some(&id[..ID_DIGITS])
}

fn whole_id(path: &str) -> Option<&str> {
    let is_hexadecimal = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut words = path.split(|c: char| !c.is_ascii_alphanumeric());
    words.find(|word| word.len() > 2 * ID_DIGITS && is_hexadecimal(word))
}

/// A word for a person to paste: as it is where that is safe, else in quotes, in a form that every shell reads the same (dash,
/// bash, zsh, ksh, busybox). What must not reach a terminal is given as its bytes to the shell's own `printf`. Only for eyes:
/// what iodyno itself runs is never read back from it.
///
/// ```
/// use model::text::shell_word;
/// assert_eq!(shell_word("/my data"), "'/my data'");
/// assert_eq!(shell_word("a\u{200b}b"), "\"$(printf 'a\\342\\200\\213b')\"");
/// ```
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| (c.is_alphanumeric() || "/._-+:@%,=".contains(c)) && !is_unsafe(c);
    // zsh takes `=ls` for the path of that command.
    let is_path_of_command = word.starts_with('=');
    if !word.is_empty() && !is_path_of_command && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    if !word.chars().any(is_unsafe) {
        return Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")));
    }
    // A shell drops the line ends at the end of what a command prints.
    let printed = word.trim_end_matches('\n');
    let ends = &word[printed.len()..];
    let ends = if ends.is_empty() {
        String::new()
    } else {
        format!("'{ends}'")
    };
    Cow::Owned(format!(
        "{PRINTF}{}{PRINTF_END}{ends}",
        printf_format(printed)
    ))
}

/// What stands around the format of [`shell_word`]'s `printf`.
pub(crate) const PRINTF: &str = "\"$(printf '";
pub(crate) const PRINTF_END: &str = "')\"";

/// The format with which POSIX' `printf` prints this text. Quotes, what an interactive shell looks for within `"…"`, and a dash
/// that would begin an option are bytes, too.
fn printf_format(text: &str) -> String {
    let mut format = String::new();
    for (at, c) in text.char_indices() {
        match c {
            '%' => format.push_str("%%"),
            c if is_unsafe(c) || "'\"\\!`$".contains(c) || (at == 0 && c == '-') => {
                let mut bytes = [0; 4];
                let bytes = c.encode_utf8(&mut bytes).bytes();
                format.extend(bytes.map(|byte| format!("\\{byte:03o}")));
            }
            c => format.push(c),
        }
    }
    format
}

/// A command of these words, for a person to paste.
///
/// ```
/// assert_eq!(model::text::shell_line(["ls", "/my data"]), "ls '/my data'");
/// ```
pub fn shell_line<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let quoted = words
        .into_iter()
        .map(|word| shell_word(word.as_ref()).into_owned());
    quoted.collect::<Vec<_>>().join(" ")
}

/// A path as a word that no program takes for an option.
///
/// ```
/// assert_eq!(model::text::as_target("-rf"), "./-rf");
/// ```
pub fn as_target(path: &str) -> String {
    match path.starts_with('-') {
        true => format!("./{path}"),
        false => path.into(),
    }
}

/// Words as a shell would split them.
pub fn shell_words(line: &str) -> Vec<String> {
    let pieces = pieces(line).into_iter();
    pieces.filter_map(unquoted).collect()
}

/// Text for a cell of a table that a spreadsheet may open: one that it would take for a formula gets `'` in front, unless
/// it is a number.
pub fn spreadsheet_cell(text: &str) -> Cow<'_, str> {
    let is_formula =
        text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    if is_formula {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a text is one plain component of a path in sysfs, as the kernel names devices and attributes: letters, digits
/// and `-_.:,+!`, and neither `.` nor `..`.
pub fn is_plain_name(name: &str) -> bool {
    is_word(name, "-_.:,+!") && !matches!(name, "." | "..")
}

/// Whether a text is a value of a setting that no program takes for more than a word: letters, digits and `-_.:,+`.
pub fn is_plain_value(value: &str) -> bool {
    is_word(value, "-_.:,+")
}

/// Whether a text is the name of a unit of systemd, which becomes a part of a path: letters, digits and `-_.:@\`, and an
/// ending.
pub fn is_unit_name(name: &str) -> bool {
    let has_both = |(stem, ending): (&str, &str)| !stem.is_empty() && !ending.is_empty();
    is_word(name, "-_.:@\\") && name.rsplit_once('.').is_some_and(has_both)
}

/// Longest name or value that is plain, bytes; the kernel's own names of devices stay far below it.
const PLAIN_MAX: usize = 128;

fn is_word(text: &str, marks: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || marks.contains(c);
    !text.is_empty() && text.len() <= PLAIN_MAX && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_drive_the_terminal() {
        assert_eq!(clean("disk\x1b[2J\r\n"), "disk?[2J??");
        assert_eq!(clean("\x1b]0;x\x07\u{9b}31m\t"), "?]0;x??31m?");
        assert_eq!(
            clean("a\u{202e}b\u{2066}c\u{200d}d\u{2028}e\u{feff}"),
            "a?b?c?d?e?"
        );
        assert!(matches!(clean("Größe µs – 日本"), Cow::Borrowed(_)));
        assert_eq!(clean_lines("a\tb\nc\x1b[0m\r"), "a\tb\nc?[0m?");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        assert_eq!(clean_to("abc", 3), "abc");
        assert_eq!(clean_to("ab\x1bd", 3), "ab…");
        assert_eq!(clean_to("a\x1bcd", 3), "a?…");
    }

    #[test]
    fn a_shell_takes_a_word_for_a_word() {
        assert_eq!(shell_word("/dev/sda"), "/dev/sda");
        let id = "cfd7b18aad823f41c42e38044c45f6178b0b0ed0367e005bc0898eea06fd44f7";
        assert_eq!(
            short_group(&format!("/pod/libpod-{id}/x")),
            "/pod/libpod-cfd7b18aad82…/x"
        );
        assert_eq!(
            container_id(&format!("/pod/libpod-{id}.scope")),
            Some("cfd7b18aad82")
        );
        assert_eq!(container_id(&format!("/pod/libpod-{id}/x")), None);
        assert_eq!(
            short_group("/system.slice/db.service"),
            "/system.slice/db.service"
        );
        assert_eq!(shell_word("/my data;$(x)"), "'/my data;$(x)'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("~root"), "'~root'");
        assert_eq!(shell_word("=ls"), "'=ls'");
        assert_eq!(
            shell_word("-%!\t\n"),
            "\"$(printf '\\055%%\\041\\011')\"'\n'"
        );
        assert_eq!(
            shell_word("a\x1b[2J'\n\u{202e}"),
            r#""$(printf 'a\033[2J\047\012\342\200\256')""#
        );
    }

    #[test]
    fn a_document_says_the_same_and_drives_no_terminal() {
        let text = "{\n  \"name\": \"a\u{9b}2J\u{202e}\u{e0041}\u{e9}\u{ad}\\n\"\n}";
        let shown = json_shown(text);
        assert!(
            !shown.contains(|c: char| is_unsafe(c) && c != '\n'),
            "{shown}"
        );
        assert!(
            shown.contains("\\u009b2J\\u202e\\udb40\\udc41\u{e9}\\u00ad"),
            "{shown}"
        );
        assert!(matches!(json_shown("{\"a\": \"b\"}"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_cell_is_no_formula_and_numbers_stay_numbers() {
        for (text, cell) in [
            ("disk.sda.read", "disk.sda.read"),
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("@SUM(1,2)", "'@SUM(1,2)"),
            ("+1-1", "'+1-1"),
            ("-x", "'-x"),
            ("\tx", "'\tx"),
            ("-3.5", "-3.5"),
            ("+7", "+7"),
            ("-1e-9", "-1e-9"),
            ("", ""),
        ] {
            assert_eq!(spreadsheet_cell(text), cell);
        }
    }

    #[test]
    fn plain_names_are_one_component() {
        for name in ["sda", "nvme0n1", "cciss!c0d0", "dm-0"] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in [
            "", ".", "..", "../x", "a/b", "a b", "a\n", "a\"b", "a$b", "a%b", "\u{430}",
        ] {
            assert!(!is_plain_name(name), "{name:?}");
        }
        assert!(
            is_plain_value("mq-deadline") && !is_plain_value("none\"") && !is_plain_value("x{y}")
        );
        assert!(!is_plain_value(&"9".repeat(200)));
    }
}
