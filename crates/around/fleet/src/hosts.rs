//! Which hosts: a list on the command line, a file with one a line, or an inventory of Ansible.

mod address;
mod ini;
mod inventory;
mod range;
mod yaml;

pub use address::HostAddress;

/// Hosts at most. A proposal of this project: beyond it a cluster's own scheduler starts commands better.
pub const HOSTS_MAX: usize = 10_000;
/// The longest file that is read, bytes.
pub const FILE_MAX: usize = 16 << 20;

/// A host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetHost {
    /// As the user calls it.
    pub name: String,
    /// Where it is.
    pub address: HostAddress,
}

/// The hosts that were named, each once and in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundHosts {
    /// The hosts.
    pub hosts: Vec<FleetHost>,
    /// What was left out and why, each a sentence.
    pub notes: Vec<String>,
}

/// What is wrong with a list of hosts, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct HostsError {
    /// `hosts.ini line 3`.
    pub place: String,
    /// What is wrong there, and what to do.
    pub what: String,
}

impl HostsError {
    fn new(file: &str, line: usize, what: impl Into<String>) -> HostsError {
        HostsError {
            place: format!("{} line {line}", model::text::clean_to(file, 200)),
            what: what.into(),
        }
    }
}

/// Hosts of a list on the command line: `db1,root@db2:2222,web[01:10]`.
///
/// # Errors
/// When one of them is none.
pub fn of_list(list: &str) -> Result<FoundHosts, HostsError> {
    let failed = |what: String| HostsError {
        place: "--hosts".into(),
        what,
    };
    let mut found = FoundHosts::default();
    let words = list.split(',').map(str::trim);
    for word in words.filter(|word| !word.is_empty()) {
        for name in range::expanded(word, HOSTS_MAX).map_err(failed)? {
            let address = address::parse(&name).map_err(failed)?;
            found.hosts.push(FleetHost { name, address });
        }
    }
    finished(found).map_err(failed)
}

/// Hosts of a file: one a line, or an inventory of Ansible in INI or YAML; of an inventory, those of one group.
///
/// # Errors
/// With file and line: when a line is no host, and when there are none.
pub fn of_file(file: &str, text: &str, group: Option<&str>) -> Result<FoundHosts, HostsError> {
    let whole = |what: String| HostsError {
        place: model::text::clean_to(file, 200),
        what,
    };
    let found = match kind(file, text) {
        FileForm::Yaml => yaml::read(file, text)?.select(file, group)?,
        FileForm::Ini => ini::read(file, text)?.select(file, group)?,
        FileForm::Lines if group.is_some() => {
            let what = "it has no groups: it is a list of hosts and no inventory";
            return Err(whole(what.into()));
        }
        FileForm::Lines => of_lines(file, text)?,
    };
    finished(found).map_err(whole)
}

/// What a file of hosts is.
enum FileForm {
    Lines,
    Ini,
    Yaml,
}

/// By its name where that says it, else by its lines: only an inventory has `[group]` or `all:`.
fn kind(file: &str, text: &str) -> FileForm {
    if file.ends_with(".yml") || file.ends_with(".yaml") {
        return FileForm::Yaml;
    }
    let mut lines = text.lines().map(str::trim);
    let is_ini = |line: &str| line.starts_with('[') && line.ends_with(']') && !line.contains("::");
    let is_variable = |line: &str| line.contains(" ansible_");
    if file.ends_with(".ini")
        || lines
            .clone()
            .any(|line| is_ini(line) && !range::is_range(line) || is_variable(line))
    {
        return FileForm::Ini;
    }
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    match first {
        Some("---" | "all:") => FileForm::Yaml,
        _ => FileForm::Lines,
    }
}

/// One host a line; `#` begins a comment.
fn of_lines(file: &str, text: &str) -> Result<FoundHosts, HostsError> {
    let mut found = FoundHosts::default();
    for (index, line) in text.lines().enumerate() {
        let failed = |what: String| HostsError::new(file, index + 1, what);
        let words = without_comment(line).trim();
        if words.is_empty() {
            continue;
        }
        if words.contains(char::is_whitespace) {
            let shown = model::text::clean_to(words, 60);
            return Err(failed(format!("`{shown}` is more than a host; one a line")));
        }
        for name in range::expanded(words, HOSTS_MAX).map_err(failed)? {
            let address = address::parse(&name).map_err(failed)?;
            found.hosts.push(FleetHost { name, address });
        }
        bounded(found.hosts.len()).map_err(failed)?;
    }
    Ok(found)
}

/// A line up to a `#` that begins a word.
fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        if letter == '#' && before.is_whitespace() {
            return &line[..at];
        }
        before = letter;
    }
    line
}

fn bounded(count: usize) -> Result<(), String> {
    match count > HOSTS_MAX {
        true => Err(format!("more than {HOSTS_MAX} hosts")),
        false => Ok(()),
    }
}

/// Each host once, the others told once.
fn finished(mut found: FoundHosts) -> Result<FoundHosts, String> {
    bounded(found.hosts.len())?;
    let mut seen = std::collections::BTreeSet::new();
    let mut again = Vec::new();
    let hosts = std::mem::take(&mut found.hosts);
    for host in hosts {
        match seen.insert(host.address.clone()) {
            true => found.hosts.push(host),
            false => again.push(host.name),
        }
    }
    if found.hosts.is_empty() {
        return Err("there is no host in it".into());
    }
    if !again.is_empty() {
        again.dedup();
        let count = again.len();
        let named: Vec<String> = again.into_iter().take(5).collect();
        let more = match count > named.len() {
            true => format!(" and {} more", count - named.len()),
            false => String::new(),
        };
        let names = named.join(", ");
        let note = format!("named more than once, and used once: {names}{more}");
        found.notes.push(note);
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
