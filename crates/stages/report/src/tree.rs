//! A tree of things with aligned rows, drawn for terminals.

use super::text::{Paint, columns, width, wrap};

/// Room for the longest common name, `max_sectors_kb`; a node with longer ones makes more room, up to a bound.
const KEY_COLUMNS: (usize, usize) = (14, 22);
/// A longer value does not push the meanings of its neighbours to the right.
const VALUE_COLUMNS_MAX: usize = 14;

/// A name, what it is, rows about it, and things below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub name: String,
    pub what: String,
    pub rows: Vec<TreeRow>,
    pub below: Vec<Node>,
}

/// One property: its name, its value, and what the value means. Without a meaning the value takes the whole line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TreeRow {
    pub key: String,
    pub value: String,
    pub meaning: String,
}

impl TreeRow {
    /// A property that explains itself.
    pub fn plain(key: &str, value: impl Into<String>) -> Self {
        TreeRow {
            key: key.into(),
            value: value.into(),
            meaning: String::new(),
        }
    }
}

/// Draws the tree.
pub(super) fn draw(node: &Node, paint: Paint) -> String {
    let mut text = String::new();
    head(&mut text, node, "", "", paint);
    inside(&mut text, node, "", paint);
    text
}

fn head(text: &mut String, node: &Node, first: &str, rest: &str, paint: Paint) {
    let indent = if node.what.is_empty() {
        0
    } else {
        columns(&node.name) + 2
    };
    let room = width().saturating_sub(columns(first) + indent).max(20);
    for (index, line) in wrap(&node.what, room).iter().enumerate() {
        let line = match index {
            0 => format!("{first}{}  {line}", paint.strong(&node.name)),
            _ => format!("{rest}{:indent$}{line}", ""),
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

fn inside(text: &mut String, node: &Node, prefix: &str, paint: Paint) {
    let with_meaning = node.rows.iter().filter(|row| !row.meaning.is_empty());
    let widest = with_meaning
        .map(|row| columns(&row.value))
        .filter(|width| *width <= VALUE_COLUMNS_MAX)
        .max();
    let widths = (
        node.rows
            .iter()
            .map(|row| columns(&row.key))
            .max()
            .unwrap_or(0)
            .clamp(KEY_COLUMNS.0, KEY_COLUMNS.1),
        widest.unwrap_or(0),
    );
    let last = node.rows.len() + node.below.len();
    let branch = |index: usize| {
        if index + 1 == last {
            ("└ ", "  ")
        } else {
            ("├ ", "│ ")
        }
    };
    for (index, row) in node.rows.iter().enumerate() {
        let (first, rest) = branch(index);
        draw_row(
            text,
            row,
            (&format!("{prefix}{first}"), &format!("{prefix}{rest}")),
            widths,
            paint,
        );
    }
    for (index, below) in node.below.iter().enumerate() {
        let (first, rest) = branch(node.rows.len() + index);
        let rest = format!("{prefix}{rest}");
        head(text, below, &format!("{prefix}{first}"), &rest, paint);
        inside(text, below, &rest, paint);
    }
}

/// Columns that a meaning needs beside its value.
const TAIL_MIN: usize = 24;

fn draw_row(
    text: &mut String,
    row: &TreeRow,
    (first, rest): (&str, &str),
    (key_columns, value_columns): (usize, usize),
    paint: Paint,
) {
    let key = format!("{:key_columns$}  ", row.key);
    let mut start = columns(first) + columns(&key);
    let mut value = String::new();
    if !row.meaning.is_empty() {
        value = format!("{:value_columns$}  ", row.value);
        start += columns(&value);
    }
    let tail = if row.meaning.is_empty() {
        &row.value
    } else {
        &row.meaning
    };
    let mut head = format!("{first}{key}{value}");
    if !row.meaning.is_empty() && width() < start + TAIL_MIN {
        // No room beside it: below, then.
        text.push_str(head.trim_end());
        text.push('\n');
        head = format!("{rest}  ");
        start = columns(&head);
    }
    for (index, line) in wrap(tail, width().saturating_sub(start).max(TAIL_MIN))
        .iter()
        .enumerate()
    {
        let line = if row.meaning.is_empty() {
            line.clone()
        } else {
            paint.faint(line)
        };
        let line = match index {
            0 => format!("{head}{line}"),
            _ => format!("{rest}{:width$}{line}", "", width = start - columns(first)),
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_long_meanings_wrap() {
        let row = |key: &str, value: &str, meaning: &str| TreeRow {
            key: key.into(),
            value: value.into(),
            meaning: meaning.into(),
        };
        let disk = Node {
            name: "sda".into(),
            what: "disk".into(),
            rows: vec![
                row("scheduler", "none", "one"),
                row("nr_requests", "256", &"word ".repeat(12)),
                TreeRow::plain("options", "rw"),
            ],
            ..Node::default()
        };
        let root = Node {
            name: "/".into(),
            below: vec![disk],
            ..Node::default()
        };
        let expected = "/\n\
            └ sda  disk\n  ├ scheduler       none  one\n  \
            ├ nr_requests     256   word word word word word word word word word word word\n  \
            │                       word\n  \
            └ options         rw\n";
        assert_eq!(draw(&root, Paint::Plain), expected);
    }
}
