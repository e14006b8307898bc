//! The page of an item: its documentation block, with a table that says where it comes from.

use super::item::Item;
use super::kinds::ItemKind;

/// The path from a page to the workspace root.
const ROOT: &str = "../../..";

/// The Markdown text of an item's page.
pub fn render(kind: &ItemKind, item: &Item) -> String {
    let source = kind.item_path(&item.id);
    let table = format!(
        "| id | kind | source |\n|---|---|---|\n| `{}` | {} | [{source}]({ROOT}/{source}) |",
        item.id, kind.name
    );
    let body = item.body.join("\n");
    format!("# {}\n\n{table}\n\n{}\n", item.title, body.trim())
}
