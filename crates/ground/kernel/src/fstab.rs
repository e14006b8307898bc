//! `/etc/fstab`: its lines, and how the options of one are changed without touching anything else.

use crate::octal::unescaped;

/// A line that mounts something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FstabLine<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// What is mounted, as written.
    pub source: &'a str,
    /// Where, escapes resolved.
    pub point: String,
    /// The type of file system, as written.
    pub kind: &'a str,
    /// The options, as written; `defaults` where the line has none.
    pub options: &'a str,
}

/// The lines that are no comments; what has fewer fields than a mount needs is in the second list, by number (fstab(5)).
pub fn lines(text: &str) -> (Vec<FstabLine<'_>>, Vec<usize>) {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let number = index + 1;
        match fields.as_slice() {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            [source, point, kind, rest @ ..] if rest.len() <= 3 && are_numbers(rest) => {
                found.push(FstabLine {
                    number,
                    source,
                    point: unescaped(point),
                    kind,
                    options: rest.first().copied().unwrap_or("defaults"),
                });
            }
            _ => unread.push(number),
        }
    }
    (found, unread)
}

/// The dump and pass fields, where they are there.
fn are_numbers(fields: &[&str]) -> bool {
    fields
        .iter()
        .skip(1)
        .all(|field| field.parse::<u32>().is_ok())
}

/// The text with other options in one line, whose spaces and the rest of it stay; none where there is no such line, or
/// the options would end the field.
pub fn with_options(text: &str, number: usize, options: &str) -> Option<String> {
    let is_field =
        !options.is_empty() && !options.contains(|c: char| c.is_whitespace() || c == '#');
    let (read, _) = lines(text);
    let line = read
        .iter()
        .find(|line| line.number == number)
        .filter(|_| is_field)?;
    let mut new = String::with_capacity(text.len() + options.len());
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        if index + 1 != number {
            new.push_str(whole);
            continue;
        }
        let ends = field_ends(whole);
        // Without options the line ends with the type, and nothing can follow it.
        let (from, to) = match (ends.get(3), ends.get(2)) {
            (Some((from, to)), _) => (*from, *to),
            (None, Some((_, end))) => (*end, *end),
            _ => return None,
        };
        new.push_str(&whole[..from]);
        if from == to {
            new.push(' ');
        }
        new.push_str(options);
        new.push_str(&whole[to..]);
    }
    let (again, _) = lines(&new);
    let is_one = again
        .iter()
        .any(|it| it.number == number && it.options == options && it.point == line.point);
    is_one.then_some(new)
}

/// Where the fields of a line begin and end, bytes.
fn field_ends(line: &str) -> Vec<(usize, usize)> {
    let mut fields = Vec::new();
    let mut begun: Option<usize> = None;
    for (at, letter) in line.char_indices() {
        match (letter.is_ascii_whitespace(), begun) {
            (false, None) => begun = Some(at),
            (true, Some(from)) => {
                fields.push((from, at));
                begun = None;
            }
            _ => {}
        }
    }
    fields.extend(begun.map(|from| (from, line.len())));
    fields
}

/// Options with a word in place of those that it contradicts: the same option with another value, or its opposite.
pub fn options_with(options: &str, word: &str) -> String {
    const ATIME: [&str; 6] = [
        "atime",
        "noatime",
        "relatime",
        "norelatime",
        "strictatime",
        "nostrictatime",
    ];
    let base = |option: &str| {
        let name = option.split('=').next().unwrap_or_default().to_string();
        name.strip_prefix("no").map(String::from).unwrap_or(name)
    };
    let contradicts = |option: &&str| match ATIME.contains(&word) {
        true => ATIME.contains(option),
        false => base(option) == base(word),
    };
    let kept = options.split(',').filter(|option| !contradicts(option));
    let kept: Vec<&str> = kept
        .filter(|option| !option.is_empty() && *option != "defaults")
        .collect();
    let all: Vec<&str> = kept.into_iter().chain([word]).collect();
    all.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# c\nUUID=1 / ext4 errors=remount-ro 0 1\n/dev/sdb1\t/my\\040data\txfs\tdefaults\t0 2\nnone /x tmpfs\n";

    #[test]
    fn lines_are_read_as_mount_reads_them() {
        let (read, unread) = lines(TEXT);
        assert_eq!(unread, Vec::<usize>::new());
        let said: Vec<_> = read
            .iter()
            .map(|it| (it.number, it.point.as_str(), it.options))
            .collect();
        assert_eq!(
            said,
            [
                (2, "/", "errors=remount-ro"),
                (3, "/my data", "defaults"),
                (4, "/x", "defaults")
            ]
        );
        assert_eq!(lines("/dev/sda1 /\n/dev/x /y ext4 ro 0 x\n").1, [1, 2]);
    }

    #[test]
    fn only_the_options_of_the_one_line_change() {
        let new = with_options(TEXT, 3, "noatime").unwrap();
        assert_eq!(new, TEXT.replace("defaults\t0 2", "noatime\t0 2"));
        let new = with_options(TEXT, 4, "noatime").unwrap();
        assert!(new.ends_with("none /x tmpfs noatime\n"));
        for bad in ["", "a b", "a\nb", "a#"] {
            assert_eq!(with_options(TEXT, 3, bad), None, "{bad:?}");
        }
        assert_eq!(with_options(TEXT, 1, "noatime"), None, "a comment");
    }

    #[test]
    fn a_word_takes_the_place_of_what_it_contradicts() {
        for (options, word, all) in [
            ("defaults", "noatime", "noatime"),
            ("rw,relatime,discard", "noatime", "rw,discard,noatime"),
            ("commit=5,noatime", "commit=30", "noatime,commit=30"),
            ("discard=async", "nodiscard", "nodiscard"),
            ("nolazytime", "lazytime", "lazytime"),
            (
                "nofail,x-systemd.automount",
                "noatime",
                "nofail,x-systemd.automount,noatime",
            ),
        ] {
            assert_eq!(options_with(options, word), all);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_keeps_all_but_one_field(text in "([a-z0-9/# \\t\\\\,=]{0,30}\n){0,5}", number in 1..6usize) {
            if let Some(new) = with_options(&text, number, "noatime") {
                let others = |text: &str| {
                    let lines = text.lines().enumerate();
                    lines.filter(|(index, _)| index + 1 != number).map(|(_, line)| line.to_string()).collect::<Vec<_>>()
                };
                proptest::prop_assert_eq!(others(&new), others(&text));
                proptest::prop_assert_eq!(lines(&new).1, lines(&text).1);
            }
        }
    }
}
