//! Ansible's inventory as YAML, in the form that its documentation uses: mappings by indentation. What else YAML can write
//! is named with its line, and not guessed at.

use super::inventory::{Inventory, Variables};
use super::{HOSTS_MAX, HostsError, range};
use model::text::clean_to;

/// Levels of indentation at most.
const DEPTH_MAX: usize = 64;

/// What stands behind a key.
#[derive(Debug, PartialEq)]
enum YamlNode {
    Nothing,
    Word(String),
    /// A list, whose content nobody here needs.
    List(usize),
    Map(Vec<YamlEntry>),
}

#[derive(Debug, PartialEq)]
struct YamlEntry {
    key: String,
    line: usize,
    node: YamlNode,
}

/// A line that says something.
struct YamlLine<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

pub fn read(file: &str, text: &str) -> Result<Inventory, HostsError> {
    let lines = lines(file, text)?;
    let mut reader = YamlReader {
        file,
        lines: &lines,
        at: 0,
    };
    let groups = reader.map(0, 0)?;
    if let Some(line) = lines.get(reader.at) {
        return Err(reader.failed(
            line.number,
            "it is indented otherwise than the lines before it",
        ));
    }
    let mut inventory = Inventory::default();
    for entry in groups {
        group(file, &mut inventory, &entry)?;
    }
    Ok(inventory)
}

fn lines<'a>(file: &str, text: &'a str) -> Result<Vec<YamlLine<'a>>, HostsError> {
    let mut lines = Vec::new();
    for (index, whole) in text.lines().enumerate() {
        let text = super::without_comment(whole).trim_end();
        let content = text.trim_start_matches(' ');
        if content.is_empty() || matches!(text, "---" | "...") {
            continue;
        }
        if content.starts_with('\t') {
            let what = "it is indented with a tab, which YAML does not allow";
            return Err(HostsError::new(file, index + 1, what));
        }
        lines.push(YamlLine {
            number: index + 1,
            indent: text.len() - content.len(),
            text: content,
        });
    }
    Ok(lines)
}

struct YamlReader<'a> {
    file: &'a str,
    lines: &'a [YamlLine<'a>],
    at: usize,
}

impl YamlReader<'_> {
    fn failed(&self, line: usize, what: impl Into<String>) -> HostsError {
        HostsError::new(self.file, line, what)
    }

    /// The keys at one indentation.
    fn map(&mut self, indent: usize, depth: usize) -> Result<Vec<YamlEntry>, HostsError> {
        let mut entries = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent == indent) {
            if depth > DEPTH_MAX {
                return Err(self.failed(line.number, "it is too deep"));
            }
            let number = line.number;
            let (key, value) =
                key_and_value(line.text).map_err(|what| self.failed(number, what))?;
            self.at += 1;
            let node = match value {
                "" => self.below(indent, depth, number)?,
                "{}" | "null" | "~" => YamlNode::Nothing,
                value => word(value).map_err(|what| self.failed(number, what))?,
            };
            entries.push(YamlEntry {
                key,
                line: number,
                node,
            });
        }
        Ok(entries)
    }

    /// What is indented below a key.
    fn below(
        &mut self,
        indent: usize,
        depth: usize,
        number: usize,
    ) -> Result<YamlNode, HostsError> {
        let Some(line) = self.lines.get(self.at) else {
            return Ok(YamlNode::Nothing);
        };
        if line.text.starts_with("- ") || line.text == "-" {
            if line.indent < indent {
                return Ok(YamlNode::Nothing);
            }
            let begin = line.indent;
            let is_of_list = |line: &YamlLine<'_>| {
                line.indent > begin || line.indent == begin && line.text.starts_with('-')
            };
            while self.lines.get(self.at).is_some_and(is_of_list) {
                self.at += 1;
            }
            return Ok(YamlNode::List(number));
        }
        if line.indent <= indent {
            return Ok(YamlNode::Nothing);
        }
        let inner = line.indent;
        let entries = self.map(inner, depth + 1)?;
        match self.lines.get(self.at) {
            Some(line) if line.indent > indent => Err(self.failed(
                line.number,
                "it is indented otherwise than the lines before it",
            )),
            _ => Ok(YamlNode::Map(entries)),
        }
    }
}

/// `key: value`. A range in a key has colons of its own, so the colon counts that ends the line or stands before a space.
fn key_and_value(text: &str) -> Result<(String, &str), String> {
    let shown = clean_to(text, 60);
    let none = || format!("`{shown}` is no `key:` or `key: value`");
    if let Some(mark) = text.chars().next().filter(|c| "-?{[&*!|>%@`".contains(*c)) {
        return Err(format!(
            "`{shown}` begins with `{mark}`: of YAML only mappings by indentation are read here"
        ));
    }
    let (key, value) = match text.chars().next() {
        Some(mark @ ('"' | '\'')) => {
            let (key, rest) = text[1..].split_once(mark).ok_or_else(none)?;
            (key, rest.trim_start().strip_prefix(':').ok_or_else(none)?)
        }
        _ => match text.split_once(": ") {
            Some(both) => both,
            None => (text.strip_suffix(':').ok_or_else(none)?, ""),
        },
    };
    Ok((key.trim().into(), value.trim()))
}

fn word(value: &str) -> Result<YamlNode, String> {
    let shown = clean_to(value, 60);
    let quoted = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    if let Some(inner) = quoted('"').or_else(|| quoted('\'')) {
        return Ok(YamlNode::Word(inner.into()));
    }
    match value.chars().next().filter(|c| "{[&*!|>\"'".contains(*c)) {
        // A list or mapping on one line belongs to a variable that is not ours.
        Some('[') => Ok(YamlNode::List(0)),
        Some(mark) => Err(format!(
            "`{shown}` begins with `{mark}`: of YAML only mappings by indentation are read here"
        )),
        None => Ok(YamlNode::Word(value.into())),
    }
}

/// A group with its hosts, children and variables.
fn group(file: &str, inventory: &mut Inventory, entry: &YamlEntry) -> Result<(), HostsError> {
    let name = entry.key.clone();
    inventory.group(&name);
    let parts = match &entry.node {
        YamlNode::Nothing => return Ok(()),
        YamlNode::Map(parts) => parts,
        _ => {
            let what = format!("`{}` is a group and holds no mapping", clean_to(&name, 60));
            return Err(HostsError::new(file, entry.line, what));
        }
    };
    for part in parts {
        let below = match &part.node {
            YamlNode::Nothing => continue,
            YamlNode::Map(below) => below,
            _ => {
                let key = clean_to(&part.key, 60);
                let what = format!("`{key}` holds names with `:` behind each, and no list or word");
                return Err(HostsError::new(file, part.line, what));
            }
        };
        match part.key.as_str() {
            "hosts" => {
                for host in below {
                    hosts(file, inventory, &name, host)?;
                }
            }
            "children" => {
                for child in below {
                    group(file, inventory, child)?;
                    inventory.child(&name, &child.key);
                }
            }
            "vars" => inventory.group(&name).variables.extend(variables(below)),
            other => {
                let other = clean_to(other, 60);
                let what = format!("`{other}` is no part of a group: hosts, children or vars");
                return Err(HostsError::new(file, part.line, what));
            }
        }
    }
    Ok(())
}

fn hosts(
    file: &str,
    inventory: &mut Inventory,
    group: &str,
    entry: &YamlEntry,
) -> Result<(), HostsError> {
    let failed = |what: String| HostsError::new(file, entry.line, what);
    let own = match &entry.node {
        YamlNode::Map(own) => variables(own),
        _ => Variables::new(),
    };
    for name in range::expanded(&entry.key, HOSTS_MAX).map_err(failed)? {
        let added = inventory.host(group, &name, own.clone(), entry.line);
        added.map_err(failed)?;
    }
    Ok(())
}

fn variables(entries: &[YamlEntry]) -> Variables {
    let word = |entry: &YamlEntry| match &entry.node {
        YamlNode::Word(word) => Some((entry.key.clone(), word.clone())),
        _ => None,
    };
    entries.iter().filter_map(word).collect()
}
