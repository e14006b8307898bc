//! fio's words for the jobs of examples, as the load stage reads them.

use load::language;
use model::job::Section;

/// The sections of a command line for fio.
pub fn sections_of(line: &str) -> Vec<Section> {
    let parsed =
        language::from_words(&split(line)).unwrap_or_else(|error| panic!("{line}: {error:?}"));
    parsed.sections
}

fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
