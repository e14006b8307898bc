//! Finding the documents among what else fio prints on the same stream.

use super::Output;
use crate::{Text, json_in_text};

/// What was found.
#[derive(Debug, Default)]
pub struct FoundFioJson {
    /// Whole documents, in their order.
    pub documents: Vec<Output>,
    /// Lines outside of them that are not empty.
    pub text: Vec<String>,
    /// Why what began as a document after the last whole one is none.
    pub damage: Option<String>,
}

/// A document begins with a brace at the start of a line and ends with the brace that closes it.
pub fn documents(printed: &str) -> FoundFioJson {
    let text = Text::new(printed);
    let (mut found, mut at) = (FoundFioJson::default(), 0);
    for document in json_in_text::documents(&text, &[""], super::document) {
        keep(&mut found.text, &text.lines[at..document.lines.start]);
        at = document.lines.end;
        match document.said {
            Ok(output) => {
                found.documents.push(output);
                found.damage = None;
            }
            Err(why) => found.damage = Some(why),
        }
        if !document.is_whole {
            break;
        }
    }
    keep(&mut found.text, &text.lines[at..]);
    found
}

fn keep(text: &mut Vec<String>, lines: &[&str]) {
    for line in lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
    {
        // A damaged document of a million lines is no message.
        if text.len() < 200 {
            text.push(model::text::clean(line).into_owned());
        }
    }
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
        assert_eq!(
            found.text,
            ["fio: file=/dev/x:err=5/file:io_u.c", "note: {x}"]
        );
        assert_eq!(found.damage, None);
    }

    #[test]
    fn a_document_that_is_cut_leaves_the_one_before() {
        let found = documents("{\"jobs\": [1]}\n{\"jobs\": [2");
        assert_eq!((found.documents.len(), found.damage.is_some()), (1, true));
        assert!(
            documents("{\"x\": 1}")
                .damage
                .unwrap()
                .contains("another program")
        );
    }
}
