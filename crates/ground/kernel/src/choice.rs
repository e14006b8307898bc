//! Attributes that offer words and have one of them chosen: `none [mq-deadline] kyber bfq`.

/// The word in brackets; none where no word is.
pub fn chosen(text: &str) -> Option<&str> {
    text.split_whitespace().find_map(in_brackets)
}

/// What the attribute's value is: the chosen word, or the whole text where it offers nothing to choose.
pub fn value(text: &str) -> &str {
    chosen(text).unwrap_or(text.trim())
}

/// Every word that can be written, the chosen one as well.
pub fn offered(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|word| in_brackets(word).unwrap_or(word))
}

/// The text as if another of its words were chosen.
pub fn with_chosen(text: &str, chosen: &str) -> String {
    let words: Vec<String> = offered(text)
        .map(|word| match word == chosen {
            true => format!("[{word}]"),
            false => word.to_string(),
        })
        .collect();
    words.join(" ")
}

fn in_brackets(word: &str) -> Option<&str> {
    word.strip_prefix('[')?.strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_word_in_brackets_is_chosen() {
        let text = "none [mq-deadline] kyber bfq\n";
        assert_eq!(chosen(text), Some("mq-deadline"));
        assert_eq!(value(text), "mq-deadline");
        let words: Vec<&str> = offered(text).collect();
        assert_eq!(words, ["none", "mq-deadline", "kyber", "bfq"]);
        assert_eq!(with_chosen(text, "bfq"), "none mq-deadline kyber [bfq]");
        assert_eq!(value("[none]"), "none");
    }

    #[test]
    fn text_without_a_choice_is_its_own_value() {
        assert_eq!((chosen("none\n"), value("none\n")), (None, "none"));
        assert_eq!((chosen(""), value("")), (None, ""));
        // Brackets inside of a word are a part of it.
        assert_eq!(value("disk[3]"), "disk[3]");
        assert_eq!(value("a [b"), "a [b");
    }

    proptest! {
        #[test]
        fn what_is_chosen_is_found(words in prop::collection::btree_set("[a-z][a-z0-9_-]{0,12}", 1..8), at in any::<prop::sample::Index>()) {
            let words: Vec<String> = words.into_iter().collect();
            let word = at.get(&words);
            let text = with_chosen(&words.join(" "), word);
            prop_assert_eq!(chosen(&text), Some(word.as_str()));
            prop_assert_eq!(offered(&text).collect::<Vec<_>>(), words);
        }

        #[test]
        fn any_text_has_a_value_of_its_own(text in any::<String>()) {
            prop_assert!(text.contains(value(&text)));
            prop_assert!(offered(&text).all(|word| text.contains(word)));
        }
    }
}
