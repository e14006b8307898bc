//! Things by the words that the field has for them: people ask for `clat` and `noop`, which are no ids of ours. The glossary
//! of the guide has such words in its columns, and the page of an item in a paragraph `Also: …` below its title.

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

    /// Whether it is the row of a term: one of its words, ours or the field's.
    fn is_of(&self, term: &str) -> bool {
        let mut all = terms(self.ours).chain(terms(self.theirs));
        all.any(|one| one == term)
    }

    /// Whether its meaning quotes a term.
    fn quotes(&self, term: &str) -> bool {
        let mut quoted = self.meaning.split('`').skip(1).step_by(2).map(normal);
        quoted.any(|one| one == term)
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
fn terms(cell: &str) -> impl Iterator<Item = String> {
    let ends = |one: char| ",;():→".contains(one);
    cell.split(ends).flat_map(|part| {
        let term = normal(part);
        // "`inflight` of iostat": the quoted part is a term by itself.
        let quoted = part.split('`').nth(1).map(normal);
        [Some(term), quoted].into_iter().flatten()
    })
}

/// `%util` is `util`, `elevator=` is `elevator`, and a dash is a blank.
fn normal(word: &str) -> String {
    let is_mark = |one: char| "`%=.".contains(one) || one.is_whitespace();
    let word = word.trim_matches(is_mark).to_lowercase().replace('-', " ");
    word.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What else people call an item, as its page says below the title: `Also: cfq, noop.`
fn also(page: &str) -> impl Iterator<Item = String> {
    let head = page.split("\n## ").next().unwrap_or_default();
    let mut paragraphs = head.split("\n\n");
    let words = paragraphs.find_map(|paragraph| paragraph.strip_prefix("Also: "));
    terms(words.unwrap_or_default()).filter(|term| !term.is_empty())
}

fn rows(is_it: impl Fn(&GlossaryRow) -> bool) -> Vec<CatalogueEntry> {
    let rows = GlossaryRow::all().filter(is_it);
    rows.map(|row| row.entry()).collect()
}

/// The rows of a term, and then the items that are called so too.
pub fn called(term: &str, items: &[CatalogueEntry]) -> Vec<CatalogueEntry> {
    let term = normal(term);
    if term.is_empty() {
        return Vec::new();
    }
    let mut found = rows(|row| row.is_of(&term));
    found.extend(rows(|row| !row.is_of(&term) && row.quotes(&term)));
    let named = items
        .iter()
        .filter(|item| also(&item.page).any(|one| one == term));
    found.extend(named.cloned());
    found
}

/// The rows that name a word in passing.
pub fn mentioning(word: &str) -> Vec<CatalogueEntry> {
    let word = normal(word);
    match word.is_empty() {
        true => Vec::new(),
        false => rows(|row| row.mentions(&word)),
    }
}

/// A word that [`called`] finds something by.
pub struct Word {
    /// The word.
    pub word: String,
    /// The kind of what it finds.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
}

/// All of them.
pub fn words(items: &[CatalogueEntry]) -> Vec<Word> {
    let row = |row: GlossaryRow| {
        let id = row.entry().id.into_owned();
        let words = terms(row.ours).chain(terms(row.theirs));
        words.map(move |word| Word {
            word,
            kind: "word",
            id: id.clone(),
        })
    };
    let item = |item: &CatalogueEntry| {
        let (kind, id) = (item.kind, item.id.to_string());
        let word = |word| Word {
            word,
            kind,
            id: id.clone(),
        };
        also(&item.page).map(word).collect::<Vec<Word>>()
    };
    let rows = GlossaryRow::all().flat_map(row);
    rows.chain(items.iter().flat_map(item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(term: &str) -> Vec<String> {
        let found = Some(called(term, &[])).filter(|found| !found.is_empty());
        let found = found.unwrap_or_else(|| mentioning(term));
        found.into_iter().map(|entry| entry.id.into()).collect()
    }

    #[test]
    fn the_fields_words_lead_to_ours() {
        assert_eq!(ids("iodepth"), ["depth"]);
        assert_eq!(ids("QD"), ["depth"]);
        assert_eq!(ids("queue-depth"), ["depth"]);
        assert_eq!(ids("clat"), ["latency"]);
        assert_eq!(ids("%util"), ["busy"]);
        assert_eq!(ids("util"), ["busy"]);
        assert_eq!(ids("aqu-sz"), ["in flight"]);
        assert_eq!(ids("D2C"), ["D2C"]);
        assert_eq!(ids("confidence interval"), ["interval, (3.8 to 6.3)"]);
        assert!(ids("cfq")[0].starts_with("scheduler"));
        assert!(
            ids("nobody's word").is_empty() && ids("").is_empty() && ids("our word").is_empty()
        );
    }

    #[test]
    fn columns_of_fio_iostat_and_btt_are_known() {
        for (word, id) in [
            ("slat", "latency"),
            ("lat", "latency"),
            ("stdev", "standard deviation"),
            ("ctx", "context switches"),
            ("99.00th", "p50, p99, p99.9"),
            ("avgrq-sz", "request size"),
            ("%iowait", "iowait"),
            ("Q2D", "Q2D"),
            ("Q2Q", "Q2Q, D2D"),
            ("data=ordered", "journal mode"),
            ("data=writeback", "journal mode"),
        ] {
            assert_eq!(ids(word)[0], id, "{word}");
        }
    }

    #[test]
    fn an_item_is_called_what_its_page_says() {
        let page = "# Title\n\n| id |\n\nAlso: `cfq`, `elevator=`, no space\nleft.\n\n## What\nAlso: `other`.\n";
        let item = CatalogueEntry {
            kind: "cause",
            id: "it".into(),
            page: page.into(),
        };
        let items = [item];
        for word in ["cfq", "elevator", "elevator=", "No space left"] {
            assert_eq!(
                called(word, &items).last().unwrap().id,
                "it",
                "{word}: {:?}",
                also(page).collect::<Vec<_>>()
            );
        }
        assert!(called("other", &items).iter().all(|one| one.id != "it"));
        assert_eq!(also("# Title\n\n## What\n").count(), 0);
    }

    #[test]
    fn a_row_is_a_page() {
        let entry = &called("await", &[])[0];
        assert_eq!(entry.kind, "word");
        assert!(
            entry.page.starts_with("# await\n\nAlso: `r_await`"),
            "{}",
            entry.page
        );
        assert!(GlossaryRow::all().count() > 80);
    }
}
