//! A line for a shell as iodyno writes it: a command, and behind a `#` words about it. Pasted whole, it runs.

use crate::text::{PRINTF, PRINTF_END};

/// The pieces between spaces that stand outside of quotes, each as it is written.
///
/// ```
/// assert_eq!(model::shell_line::pieces("ls '/a b'  -l"), ["ls", "'/a b'", "-l"]);
/// ```
pub fn pieces(line: &str) -> Vec<&str> {
    let (mut pieces, mut begin, mut quote, mut is_dollar) = (Vec::new(), None, None, false);
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        if quote.is_none() && letter.is_whitespace() {
            pieces.extend(begin.take().map(|begin: usize| &line[begin..at]));
            is_dollar = false;
            continue;
        }
        begin.get_or_insert(at);
        match (quote, letter) {
            // `$'…'` has escapes, as `"…"` has; `'…'` has none.
            (None | Some(('"', _) | ('\'', true)), '\\') => {
                letters.next();
            }
            (Some((end, _)), letter) if letter == end => quote = None,
            (None, '"' | '\'') => quote = Some((letter, is_dollar)),
            _ => {}
        }
        is_dollar = quote.is_none() && letter == '$';
    }
    pieces.extend(begin.map(|begin| &line[begin..]));
    pieces
}

/// What a shell makes of one piece; nothing of one that is empty, as of the `\` at the end of a line that goes on.
pub fn unquoted(piece: &str) -> Option<String> {
    let (mut word, mut is_quoted) = (Vec::new(), false);
    let mut letters = piece.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => put(&mut word, letters.next().filter(|next| *next != '\n')),
            '"' => {
                is_quoted = true;
                in_double_quotes(&mut letters, &mut word);
            }
            '\'' => {
                is_quoted = true;
                put(
                    &mut word,
                    letters.by_ref().take_while(|letter| *letter != '\''),
                );
            }
            '$' if letters.next_if_eq(&'\'').is_some() => {
                is_quoted = true;
                in_dollar_quotes(&mut letters, &mut word);
            }
            letter => put(&mut word, [letter]),
        }
    }
    (is_quoted || !word.is_empty()).then(|| String::from_utf8_lossy(&word).into_owned())
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// The rest of `"…"`: text with escapes, or the `printf` of [`crate::text::shell_word`], the one command whose words are known.
fn in_double_quotes(letters: &mut Letters, word: &mut Vec<u8>) {
    let mut inner = String::new();
    while let Some(letter) = letters.next().filter(|letter| *letter != '"') {
        inner.push(letter);
        inner.extend(letters.next_if(|_| letter == '\\'));
    }
    let format = inner.strip_prefix(&PRINTF[1..]);
    let format = format.and_then(|rest| rest.strip_suffix(&PRINTF_END[..PRINTF_END.len() - 1]));
    match format.filter(|format| !format.contains('\'')) {
        Some(format) => printed(format, word),
        None => {
            let mut letters = inner.chars();
            while let Some(letter) = letters.next() {
                match letter {
                    '\\' => put(word, letters.next().filter(|next| *next != '\n')),
                    letter => put(word, [letter]),
                }
            }
        }
    }
}

/// What `printf` makes of a format of octal bytes and `%%`.
fn printed(format: &str, word: &mut Vec<u8>) {
    let mut letters = format.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let digit = || letters.next_if(|c| matches!(c, '0'..='7'))?.to_digit(8);
                let digits = std::iter::from_fn(digit).take(3);
                // Three octal digits may be more than a byte: printf keeps the low one.
                word.push(digits.fold(0, |byte, digit| byte * 8 + digit) as u8);
            }
            '%' => put(word, [letters.next_if_eq(&'%').unwrap_or('%')]),
            letter => put(word, [letter]),
        }
    }
}

/// The rest of `$'…'`.
fn in_dollar_quotes(letters: &mut Letters, word: &mut Vec<u8>) {
    while let Some(letter) = letters.next().filter(|letter| *letter != '\'') {
        match letter {
            '\\' => escaped(letters, word),
            letter => put(word, [letter]),
        }
    }
}

/// What bash makes of the `\` in `$'…'` and of what stands behind it.
fn escaped(letters: &mut Letters, word: &mut Vec<u8>) {
    match letters.next() {
        Some('n') => word.push(b'\n'),
        Some('t') => word.push(b'\t'),
        Some('r') => word.push(b'\r'),
        Some('x') => {
            let digit = || letters.next_if(char::is_ascii_hexdigit)?.to_digit(16);
            let digits = std::iter::from_fn(digit).take(2);
            // Two digits make one byte at the most.
            word.push(digits.fold(0, |byte, digit| byte * 16 + digit as u8));
        }
        other => put(word, other),
    }
}

fn put(word: &mut Vec<u8>, letters: impl IntoIterator<Item = char>) {
    for letter in letters {
        word.extend(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// The command of a line, and the words behind its `#`. Either may be empty.
///
/// ```
/// use model::shell_line::command_and_words;
/// assert_eq!(command_and_words("lsusb -t # then another port"), ("lsusb -t", "then another port"));
/// assert_eq!(command_and_words("# look at the cable"), ("", "look at the cable"));
/// ```
pub fn command_and_words(line: &str) -> (&str, &str) {
    let is_mark = |piece: &&str| piece.starts_with('#');
    let Some(mark) = pieces(line).into_iter().find(is_mark) else {
        return (line.trim(), "");
    };
    let at = mark.as_ptr() as usize - line.as_ptr() as usize;
    (line[..at].trim(), line[at + 1..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{shell_word, shell_words};
    use proptest::prelude::*;

    #[test]
    fn a_mark_in_quotes_or_in_a_word_is_none() {
        for line in ["ls '/a # b'", "ls \"# b\"", "ls a#b", "ls \\# b"] {
            assert_eq!(command_and_words(line), (line, ""), "{line}");
        }
        assert_eq!(command_and_words("ls '/a # b' # c # d").1, "c # d");
    }

    /// What bash 5.2 makes of each: `printf '[%s]' …`.
    #[test]
    fn a_piece_is_read_as_bash_reads_it() {
        for (piece, word) in [
            (r"$'\'\''' '", "'' "),
            (r"\$'x\'", r"$x\"),
            (r#"a"b c"'d'\ e"#, "ab cd e"),
            (r"$'\x1b[2J\n\xc3\xa9'", "\x1b[2J\né"),
            ("''", ""),
        ] {
            assert_eq!(shell_words(piece), [word], "{piece}");
        }
        assert_eq!(shell_words("a \\\n  b"), ["a", "b"]);
    }

    proptest! {
        #[test]
        fn what_is_quoted_for_a_shell_stays_one_piece(words in prop::collection::vec("\\PC{1,9}|[ '\"\\\\#$\n%!`=-]{0,6}|[\u{1}-\u{ff}\u{200b}\u{202e}]{0,9}", 1..5)) {
            let quoted: Vec<String> = words.iter().map(|word| shell_word(word).into_owned()).collect();
            let line = quoted.join(" ");
            prop_assert_eq!(pieces(&line), quoted);
            prop_assert_eq!(shell_words(&line), words);
        }

        #[test]
        fn pieces_hold_all_but_the_spaces(line in "[ab '\"\\\\#$é]{0,20}") {
            let told: String = pieces(&line).concat();
            let kept = |text: &str| text.replace(' ', "");
            prop_assert_eq!(kept(&told), kept(&line));
            prop_assert!(shell_words(&line).len() <= pieces(&line).len());
            let (command, words) = command_and_words(&line);
            prop_assert!(command.len() + words.len() <= line.len());
        }
    }
}
