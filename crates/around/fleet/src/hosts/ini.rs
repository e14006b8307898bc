//! Ansible's inventory as INI: `[group]`, `[group:children]`, `[group:vars]`, hosts with `key=value` behind them.

use super::inventory::{Inventory, Variables};
use super::{HOSTS_MAX, HostsError, range, without_comment};
use model::text::{clean_to, shell_words};

/// What the lines of a section are.
enum IniSection {
    Hosts,
    Children,
    Variables,
}

pub fn read(file: &str, text: &str) -> Result<Inventory, HostsError> {
    let mut inventory = Inventory::default();
    let (mut group, mut section) = (String::from("ungrouped"), IniSection::Hosts);
    for (index, line) in text.lines().enumerate() {
        let failed = |what: String| HostsError::new(file, index + 1, what);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let head =
            line.starts_with('[') && !range::is_range(line.split(' ').next().unwrap_or(line));
        if head && !line.contains("::") {
            (group, section) = head_of(line).map_err(failed)?;
            inventory.group(&group);
            continue;
        }
        match section {
            IniSection::Hosts => {
                hosts(&mut inventory, &group, line, index + 1).map_err(failed)?;
            }
            IniSection::Children => {
                let child = without_comment(line).trim().to_string();
                inventory.child(&group, &child);
            }
            IniSection::Variables => {
                let (name, value) = variable(line).map_err(failed)?;
                inventory.group(&group).variables.insert(name, value);
            }
        }
    }
    Ok(inventory)
}

/// `[web:children]`.
fn head_of(line: &str) -> Result<(String, IniSection), String> {
    let shown = clean_to(line, 60);
    let inner = without_comment(line).trim().strip_prefix('[');
    let inner = inner.and_then(|inner| inner.strip_suffix(']'));
    let inner = inner.ok_or(format!(
        "`{shown}` begins a section and does not end with `]`"
    ))?;
    let (name, section) = match inner.split_once(':') {
        None => (inner, IniSection::Hosts),
        Some((name, "children")) => (name, IniSection::Children),
        Some((name, "vars")) => (name, IniSection::Variables),
        Some(_) => {
            return Err(format!(
                "`{shown}` is no section: [NAME], [NAME:children] or [NAME:vars]"
            ));
        }
    };
    match name.trim() {
        "" => Err(format!("`{shown}` has no name")),
        name => Ok((name.into(), section)),
    }
}

/// A line of hosts: a name or a range, and variables.
fn hosts(inventory: &mut Inventory, group: &str, line: &str, number: usize) -> Result<(), String> {
    let words = shell_words(without_comment(line));
    let Some((pattern, rest)) = words.split_first() else {
        return Ok(());
    };
    let mut variables = Variables::new();
    for word in rest {
        let (name, value) = variable(word)?;
        variables.insert(name, value);
    }
    for name in range::expanded(pattern, HOSTS_MAX)? {
        inventory.host(group, &name, variables.clone(), number)?;
    }
    Ok(())
}

/// `name=value`, or `name = 'value'` on a line of its own.
fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        let shown = clean_to(text, 60);
        format!("`{shown}` is no variable, NAME=VALUE; one host a line")
    })?;
    let value = without_comment(value).trim();
    let quoted = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
    Ok((name.trim().into(), value.into()))
}
