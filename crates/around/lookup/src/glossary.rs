//! The glossary of the guide, by every word in it: people ask for `clat` and `iodepth`, which are no ids of ours.

use crate::catalogue::CatalogueEntry;

const GLOSSARY: &str = include_str!("../../../../docs/guide/glossary.md");

/// A row of the glossary.
struct GlossaryRow {
    ours: &'static str,
    theirs: &'static str,
    meaning: &'static str,
}

impl GlossaryRow {
    fn all() -> impl Iterator<Item = GlossaryRow> {
        GLOSSARY.lines().filter_map(GlossaryRow::read)
    }

    /// `| our word | the field's word | meaning |`; none of a head and its rule.
    fn read(line: &'static str) -> Option<GlossaryRow> {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let mut cells = cells.splitn(3, " | ");
        let row = GlossaryRow {
            ours: cells.next()?,
            theirs: cells.next()?,
            meaning: cells.next()?,
        };
        (row.ours != "our word").then_some(row)
    }

    /// Whether it is the row of a term: one of its words, ours or the field's, or what its meaning quotes.
    fn is_of(&self, term: &str) -> bool {
        let quoted = self.meaning.split('`').skip(1).step_by(2);
        terms(self.ours)
            .chain(terms(self.theirs))
            .any(|one| one == term)
            || quoted.into_iter().any(|one| one == term)
    }

    /// Whether its meaning names a word in passing.
    fn mentions(&self, word: &str) -> bool {
        let is_inside = |one: char| one.is_alphanumeric() || "_.%".contains(one);
        let mut words = self.meaning.split(|one| !is_inside(one));
        words.any(|one| one.trim_end_matches('.') == word)
    }

    fn entry(&self) -> CatalogueEntry {
        let plain = |cell: &str| cell.replace('`', "");
        let known = match self.theirs {
            "the same" | "–" => String::new(),
            theirs => format!("Also: {theirs}.\n\n"),
        };
        let page = format!("# {}\n\n{known}{}.\n", plain(self.ours), self.meaning);
        CatalogueEntry {
            kind: "word",
            id: plain(self.ours).into(),
            page: page.into(),
        }
    }
}

/// The terms of a cell: `depth`, `queue depth`, `qd`, `iodepth` of "queue depth (QD), `iodepth`".
fn terms(cell: &'static str) -> impl Iterator<Item = String> {
    let ends = |one: char| ",;():→".contains(one);
    cell.split(ends).flat_map(|part| {
        let term = normal(part);
        // "`inflight` of iostat": the quoted part is a term by itself.
        let quoted = part.split('`').nth(1).map(normal);
        [Some(term), quoted].into_iter().flatten()
    })
}

fn normal(word: &str) -> String {
    word.trim()
        .trim_matches('`')
        .to_lowercase()
        .replace('-', " ")
}

/// The rows of a term, else those that name it in passing.
pub fn of(term: &str) -> Vec<CatalogueEntry> {
    let term = normal(term);
    let rows = |is_it: &dyn Fn(&GlossaryRow) -> bool| -> Vec<CatalogueEntry> {
        let rows = GlossaryRow::all().filter(|row| is_it(row));
        rows.map(|row| row.entry()).collect()
    };
    if term.is_empty() {
        return Vec::new();
    }
    let found = rows(&|row| row.is_of(&term));
    match found.is_empty() {
        true => rows(&|row| row.mentions(&term)),
        false => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(term: &str) -> Vec<String> {
        of(term).into_iter().map(|entry| entry.id.into()).collect()
    }

    #[test]
    fn the_fields_words_lead_to_ours() {
        assert_eq!(ids("iodepth"), ["depth"]);
        assert_eq!(ids("QD"), ["depth"]);
        assert_eq!(ids("queue-depth"), ["depth"]);
        assert_eq!(ids("clat"), ["latency"]);
        assert_eq!(ids("%util"), ["busy"]);
        assert_eq!(ids("D2C"), ["D2C"]);
        assert_eq!(ids("confidence interval"), ["interval, (3.8 to 6.3)"]);
        assert!(ids("cfq")[0].starts_with("scheduler"));
        assert!(
            ids("nobody's word").is_empty() && ids("").is_empty() && ids("our word").is_empty()
        );
    }

    #[test]
    fn a_row_is_a_page() {
        let entry = &of("await")[0];
        assert_eq!(entry.kind, "word");
        assert!(
            entry.page.starts_with("# await\n\nAlso: `r_await`"),
            "{}",
            entry.page
        );
        assert!(GlossaryRow::all().count() > 80);
    }
}
