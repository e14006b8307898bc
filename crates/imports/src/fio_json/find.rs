//! Finding the documents among what else fio prints on the same stream.

use serde_json::{Map, Value};

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Whole documents, in their order.
    pub documents: Vec<Map<String, Value>>,
    /// Lines outside of them that are not empty.
    pub text: Vec<String>,
    /// Why what began as a document after the last whole one is none.
    pub damage: Option<String>,
}

/// A document begins with a brace at the start of a line and ends with the brace that closes it.
pub fn documents(printed: &str) -> Found {
    let mut found = Found::default();
    let mut rest = printed;
    while !rest.is_empty() {
        let line_end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(line_end);
        if !line.starts_with('{') {
            keep(&mut found.text, line);
            rest = after;
            continue;
        }
        let Some(end) = closing(rest) else {
            found.damage = Some("its last brace is missing".into());
            break;
        };
        match parse(&rest[..end]) {
            Ok(document) => {
                found.documents.push(document);
                found.damage = None;
                rest = &rest[end..];
            }
            Err(why) => {
                found.damage = Some(why);
                // Perhaps it only looked like one: what follows the line may be whole.
                rest = after;
            }
        }
    }
    found
}

fn keep(text: &mut Vec<String>, line: &str) {
    let line = line.trim();
    // A damaged document of a million lines is no message.
    if !line.is_empty() && text.len() < 200 {
        text.push(line.chars().map(|c| if c.is_control() { '?' } else { c }).collect());
    }
}

/// Just after the brace that closes the first one; braces in strings do not count.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The document that a text is.
///
/// # Errors
///
/// Why it is none.
pub fn parse(text: &str) -> Result<Map<String, Value>, String> {
    // Words that are no JSON are rare; looking for them takes longer than reading.
    let document: Value = serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&without_nan(text)))
        .map_err(|error| error.to_string())?;
    let keys = ["fio version", "jobs", "client_stats"];
    match document {
        Value::Object(map) if keys.iter().any(|key| map.contains_key(*key)) => Ok(map),
        _ => Err("it is JSON of another program".into()),
    }
}

/// printf writes `nan` and `inf` for what a division by nothing gives; JSON has no such words.
fn without_nan(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let (mut in_string, mut escaped, mut word) = (false, false, String::new());
    let flush = |clean: &mut String, word: &mut String| {
        let bare = word.trim_start_matches('-').to_ascii_lowercase();
        let is_no_number = ["nan", "inf", "infinity"].contains(&bare.as_str());
        clean.push_str(if is_no_number { "null" } else { word });
        word.clear();
    };
    for c in text.chars() {
        if !in_string
            && (c.is_ascii_alphabetic() || c == '-' || !word.is_empty() && c.is_ascii_alphanumeric())
        {
            word.push(c);
            continue;
        }
        flush(&mut clean, &mut word);
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        clean.push(c);
    }
    flush(&mut clean, &mut word);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_and_between_documents_is_told_apart() {
        let found = documents(
            "fio: file=/dev/x:err=5/file:io_u.c\n{\n\"jobs\": [{\"jobname\": \"a}{\"}]\n}\nnote: {x}\n{\"jobs\": []}\n",
        );
        assert_eq!(found.documents.len(), 2);
        assert_eq!(found.text, ["fio: file=/dev/x:err=5/file:io_u.c", "note: {x}"]);
        assert_eq!(found.damage, None);
    }

    #[test]
    fn words_that_are_no_json_become_nothing() {
        let clean = without_nan("{\"a nan\": nan, \"b\": -nan, \"c\": inf, \"d\": -1.5e-3, \"e\": true}");
        assert_eq!(clean, "{\"a nan\": null, \"b\": null, \"c\": null, \"d\": -1.5e-3, \"e\": true}");
    }

    #[test]
    fn a_document_that_is_cut_leaves_the_one_before() {
        let found = documents("{\"jobs\": [1]}\n{\"jobs\": [2");
        assert_eq!((found.documents.len(), found.damage.is_some()), (1, true));
        assert!(documents("{\"x\": 1}").damage.unwrap().contains("another program"));
    }
}
