//! `\040`: how the kernel writes what would end a field (`mangle_path` of fs/seq_file.c).

/// Most digits behind the backslash.
const DIGITS: usize = 3;

/// The text that was meant. Which characters are written in octal differs by file and by kernel (`#` only in newer
/// ones, `,` in some options), so every `\ooo` counts. Bytes that are no UTF-8 become U+FFFD.
pub fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        match (first, tail.get(..DIGITS).and_then(byte)) {
            (b'\\', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[DIGITS..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The byte of three octal digits; none where they are none, or are more than a byte.
fn byte(digits: &[u8]) -> Option<u8> {
    digits.iter().try_fold(0u8, |value, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
        value.checked_mul(8)?.checked_add(digit)
    })
}

/// The text as the kernel writes it into a field that a space ends.
#[cfg(test)]
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            ' ' | '\t' | '\n' | '\\' | '#' => {
                escaped.push_str(&format!("\\{:03o}", u32::from(letter)));
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_code_counts_and_nothing_else_changes() {
        let cases = [
            ("/with\\040space", "/with space"),
            ("/tab\\011and\\012line", "/tab\tand\nline"),
            ("a\\134040b", "a\\040b"),
            ("/a\\043b", "/a#b"),
            ("/sp\\303\\244t", "/sp\u{e4}t"),
            ("/\\377", "/\u{fffd}"),
            ("/\\400 \\08 \\1", "/\\400 \\08 \\1"),
            ("\\", "\\"),
        ];
        for (written, meant) in cases {
            assert_eq!(unescaped(written), meant, "{written}");
        }
    }

    proptest! {
        #[test]
        fn what_is_escaped_comes_back(text in any::<String>()) {
            prop_assert_eq!(unescaped(&escaped(&text)), text);
        }

        #[test]
        fn an_escaped_field_has_no_end_in_it(text in any::<String>()) {
            prop_assert!(!escaped(&text).contains([' ', '\t', '\n']));
        }

        #[test]
        fn no_text_grows(text in any::<String>()) {
            // A byte that is no UTF-8 takes four as `\377` and three as U+FFFD.
            prop_assert!(unescaped(&text).len() <= text.len());
        }
    }
}
