//! One item file: its documentation taken apart, and what is wrong with it.

use super::kinds::ItemKind;
use crate::problem::Problem;
use crate::rust_source::RustSource;
use crate::text::{fence_of, fenced_lines, find_word, first_sentence, line_of};

/// Longer names would break the generated lines in other places than rustfmt does.
const LONGEST_ID: usize = 40;

/// Names that a module cannot have without `r#`, among those that an item might want.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// One item file.
pub struct Item {
    /// The name of the file without its ending, which is the name of the item everywhere.
    pub id: String,
    /// The `# Title` line, without its mark.
    pub title: String,
    /// Everything of the documentation after the title.
    pub body: Vec<String>,
    sections: Vec<Section>,
    source: RustSource,
}

struct Section {
    heading: String,
    line: usize,
    body: Vec<String>,
}

impl Item {
    /// Takes a file apart. What is missing shows in `problems`.
    pub fn read(id: &str, text: &str) -> Self {
        let block = text.lines().map_while(|line| line.strip_prefix("//!"));
        let lines: Vec<&str> = block
            .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
            .collect();
        let title = lines
            .first()
            .and_then(|line| line.strip_prefix("# "))
            .unwrap_or("")
            .trim();
        Self {
            id: id.into(),
            title: title.into(),
            body: lines.iter().skip(1).map(|line| line.to_string()).collect(),
            sections: sections(&lines),
            source: RustSource::new(text),
        }
    }

    /// The first sentence of the first section, for the index.
    pub fn summary(&self) -> String {
        let Some(section) = self.sections.first() else {
            return String::new();
        };
        let lines = section.body.iter().skip_while(|line| line.is_empty());
        let paragraph: Vec<&str> = lines
            .take_while(|line| !line.is_empty())
            .map(String::as_str)
            .collect();
        first_sentence(&paragraph.join(" "))
    }

    /// What keeps this file from being an item of its kind.
    pub fn problems(&self, kind: &ItemKind) -> Vec<Problem> {
        let at =
            |(line, what): (usize, String)| Problem::new(&kind.item_path(&self.id), line, what);
        let complaints = [
            self.name_complaint(),
            self.title_complaint(),
            self.heading_complaint(kind),
        ];
        let all = complaints
            .into_iter()
            .flatten()
            .chain(self.body_complaints(kind))
            .chain(self.static_complaint(kind));
        all.map(at).collect()
    }

    fn name_complaint(&self) -> Option<(usize, String)> {
        let starts_well = self.id.starts_with(|c: char| c.is_ascii_lowercase());
        let all_well = self
            .id
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let what = if !(starts_well && all_well) {
            "the file name is not lower_snake_case; rename it".to_string()
        } else if KEYWORDS.contains(&self.id.as_str()) {
            format!(
                "`{0}` is a word of Rust; name the file after the thing more fully, as in `{0}_device.rs`",
                self.id
            )
        } else if self.id.len() > LONGEST_ID {
            format!("the file name is longer than {LONGEST_ID} characters; find a shorter one")
        } else {
            return None;
        };
        Some((1, what))
    }

    fn title_complaint(&self) -> Option<(usize, String)> {
        self.title.is_empty().then(|| {
            (
                1,
                "the file does not begin with `//! # Title`; give it a title".into(),
            )
        })
    }

    /// The sections that the kind asks for. An item may have more, anywhere between them.
    fn required<'a>(&'a self, kind: &'a ItemKind) -> impl Iterator<Item = &'a Section> {
        self.sections
            .iter()
            .filter(|section| kind.headings.contains(&section.heading.as_str()))
    }

    /// The first heading that is missing, doubled or out of its place; one at a time, since the rest follow from it.
    fn heading_complaint(&self, kind: &ItemKind) -> Option<(usize, String)> {
        let missing = kind
            .headings
            .iter()
            .find(|wanted| !self.sections.iter().any(|s| s.heading == **wanted));
        if let Some(heading) = missing {
            let order = kind.headings.join(", ");
            let what =
                format!("`## {heading}` is missing; the headings are, in this order: {order}");
            return Some((self.body.len() + 1, what));
        }
        let wanted = kind
            .headings
            .iter()
            .map(Some)
            .chain(std::iter::repeat(None));
        let (section, wanted) = self
            .required(kind)
            .zip(wanted)
            .find(|(s, wanted)| *wanted != Some(&s.heading.as_str()))?;
        let expected = wanted.map_or("the end of the block".into(), |heading| {
            format!("`## {heading}`")
        });
        Some((
            section.line,
            format!(
                "`## {}` stands where {expected} belongs; reorder",
                section.heading
            ),
        ))
    }

    fn body_complaints(&self, kind: &ItemKind) -> Vec<(usize, String)> {
        let empty = self
            .required(kind)
            .filter(|section| section.body.iter().all(String::is_empty));
        let empty = empty.map(|section| {
            (
                section.line,
                format!("`## {}` is empty; write it", section.heading),
            )
        });
        empty.chain(self.fence_complaints()).collect()
    }

    /// Rustdoc would compile a block without a language as Rust.
    fn fence_complaints(&self) -> impl Iterator<Item = (usize, String)> {
        let fenced = fenced_lines(self.body.iter().map(String::as_str));
        let opens = (0..fenced.len()).filter(move |index| {
            let was_fenced = index.checked_sub(1).is_some_and(|before| fenced[before]);
            fenced[*index] && !was_fenced
        });
        let bare = opens.filter(|index| {
            fence_of(&self.body[*index]).is_some_and(|f| f == self.body[*index].trim())
        });
        bare.map(|index| {
            (
                index + 2,
                "this block names no language; write ```text, ```console or another".into(),
            )
        })
    }

    fn static_complaint(&self, kind: &ItemKind) -> Option<(usize, String)> {
        let declaration = format!("pub static {}: ", kind.item);
        let Some(at) = self.source.code.find(&declaration) else {
            let what = format!(
                "`{declaration}{0}` is missing; declare the item, see `{0}`",
                kind.type_name
            );
            return Some((1, what));
        };
        let line = line_of(&self.source.text, at);
        match self.declared_id(at) {
            Some(declared) if declared == self.id => None,
            Some(declared) => {
                let what = format!(
                    "the id is \"{declared}\", the file is {}.rs; make them equal",
                    self.id
                );
                Some((line, what))
            }
            None => Some((
                line,
                format!(
                    "{} has no `id: \"{}\"`; give it as a literal",
                    kind.item, self.id
                ),
            )),
        }
    }

    /// The literal behind the first `id:` of the static.
    fn declared_id(&self, declaration: usize) -> Option<&str> {
        let code = &self.source.code;
        let field = find_word(code, "id")
            .find(|at| *at > declaration && code[at + 2..].starts_with(':'))?;
        let value = self.source.text[field + 3..]
            .trim_start()
            .strip_prefix('"')?;
        value.split('"').next()
    }
}

fn sections(lines: &[&str]) -> Vec<Section> {
    let fenced = fenced_lines(lines.iter().copied());
    let mut sections: Vec<Section> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        match line.strip_prefix("## ") {
            Some(heading) if !fenced[index] => {
                sections.push(Section {
                    heading: heading.trim().into(),
                    line: index + 1,
                    body: Vec::new(),
                });
            }
            _ => sections
                .last_mut()
                .into_iter()
                .for_each(|section| section.body.push(line.to_string())),
        }
    }
    sections
}
