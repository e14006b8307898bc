//! The index of the catalogue: every item with its title and its first sentence, by kind.

use super::item::Item;
use super::kinds::ItemKind;

const HEAD: &str = "\
# Catalogue

<!-- commands: explain, catalogue -->

Every knob, way to persist, rule, sensor, engine, preset, importer, collector, sysctl and profile has a page here. `cargo xtask gen`
writes the pages and this index from the files they name; edit those files. `iodyno explain ID` shows the same text.
";

/// The Markdown text of the index.
pub fn render(catalogue: &[(&ItemKind, Vec<Item>)]) -> String {
    let mut text = HEAD.to_string();
    for (kind, items) in catalogue {
        text += &format!("\n## {}\n\n", kind.plural);
        items.iter().for_each(|item| text += &entry(kind, item));
    }
    text
}

fn entry(kind: &ItemKind, item: &Item) -> String {
    let title = item.title.trim_end_matches('.');
    format!(
        "- [`{0}`]({1}/{0}.md) {title}. {2}\n",
        item.id,
        kind.name,
        item.summary()
    )
}
