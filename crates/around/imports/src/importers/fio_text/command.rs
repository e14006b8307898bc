//! Command lines of fio that stand near their results, and the banner in which fio repeats its jobs.

use super::marks::Mark;
use super::values::after;
use std::collections::BTreeMap;

/// Facts by name.
pub type CommandFacts = BTreeMap<String, String>;

/// Options that are kept as facts, with the name they are kept by.
const KEPT: [(&str, &str); 20] = [
    ("rw", "rw"),
    ("readwrite", "rw"),
    ("bs", "bs"),
    ("blocksize", "bs"),
    ("iodepth", "iodepth"),
    ("numjobs", "numjobs"),
    ("direct", "direct"),
    ("buffered", "buffered"),
    ("ioengine", "ioengine"),
    ("filename", "filename"),
    ("directory", "directory"),
    ("size", "size"),
    ("runtime", "runtime"),
    ("rwmixread", "rwmixread"),
    ("rwmixwrite", "rwmixwrite"),
    ("fsync", "fsync"),
    ("sync", "sync"),
    ("pool", "pool"),
    ("rbdname", "rbdname"),
    ("name", "name"),
];

/// Options without a value; a word after them is none of theirs.
const FLAGS: [&str; 8] = [
    "thread",
    "group_reporting",
    "time_based",
    "minimal",
    "norandommap",
    "end_fsync",
    "invalidate",
    "randrepeat",
];

/// The longest command line that is kept as a fact, bytes.
const COMMAND_MAX: usize = 2_000;

/// What a command line says. `text` begins at `fio` or before it and may go on with anything.
pub fn facts(text: &str) -> CommandFacts {
    let mut facts = CommandFacts::new();
    let Some(at) = text.find("fio ") else {
        return facts;
    };
    let words = words(&text[at + 4..]);
    let mut used = 0;
    let mut index = 0;
    while let Some((word, end)) = words.get(index) {
        index += 1;
        let Some(option) = word.strip_prefix('-') else {
            break;
        };
        let option = option.trim_start_matches('-');
        used = *end;
        let (name, mut value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (option, None),
        };
        if value.is_none()
            && !FLAGS.contains(&name)
            && let Some((next, end)) = words.get(index).filter(|(next, _)| !next.starts_with('-'))
        {
            (value, used) = (Some(next.clone()), *end);
            index += 1;
        }
        let kept = KEPT
            .iter()
            .find(|(option, _)| *option == name)
            .map(|(_, fact)| *fact);
        if let (Some(fact), Some(value)) = (kept, value) {
            keep(&mut facts, fact, &value);
        }
    }
    if used > 0 {
        let command = &text[at..at + 4 + used];
        facts.insert(
            "command".into(),
            command.chars().take(COMMAND_MAX).collect(),
        );
    }
    facts
}

fn keep(facts: &mut CommandFacts, fact: &str, value: &str) {
    // What is not ASCII here is the sentence that the page goes on with.
    let end = value
        .find(|c: char| !c.is_ascii() || c.is_control())
        .unwrap_or(value.len());
    let value = value[..end].trim_end_matches([',', ';']).to_string();
    if value.is_empty() {
        return;
    }
    if fact == "filename" && value.starts_with("/dev/") {
        facts.insert("device".into(), value.clone());
    }
    facts.insert(fact.into(), value);
}

/// Words with the place of their ends; quotes hold words together and are taken away.
fn words(text: &str) -> Vec<(String, usize)> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ' | '|', None) => {
                if !word.is_empty() {
                    words.push((std::mem::take(&mut word), at));
                }
                if c == '|' {
                    return words;
                }
            }
            (c, _) => word.push(c),
        }
        if words.len() > 200 || word.len() > COMMAND_MAX {
            return words;
        }
    }
    if !word.is_empty() {
        words.push((word, text.len()));
    }
    words
}

/// `[root@web1 ~]# fio …`, `me@web1:~$ sudo fio …`: the host.
pub fn host(before: &str) -> Option<String> {
    let (user, rest) = before.rsplit_once('@')?;
    let is_user = user.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let is_name = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = rest.chars().take_while(is_name).collect();
    (is_user && !name.is_empty() && name.len() < 100).then_some(name)
}

/// A job as fio's first lines repeat it.
#[derive(Clone, Debug, Default)]
pub struct Banner {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: Option<u32>,
    /// What it says.
    pub facts: CommandFacts,
}

impl Banner {
    /// From `: (g=0): rw=read, bs=(R) 4096B-4096B, (W) …, ioengine=libaio, iodepth=64`.
    pub fn read(mark: &Mark, name: String) -> Banner {
        let mut facts = CommandFacts::new();
        for key in ["rw", "ioengine", "iodepth"] {
            let value = after(&mark.text, key)
                .map(|value| value.split([',', ' ']).next().unwrap_or_default());
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                facts.insert(key.into(), value.into());
            }
        }
        if let Some(size) = after(&mark.text, "bs").and_then(block_size) {
            facts.insert("bs".into(), size);
        }
        let group = mark
            .text
            .split_once("(g=")
            .and_then(|(_, rest)| rest.split_once(')')?.0.parse().ok());
        Banner { name, group, facts }
    }
}

/// `(R) 4096B-4096B, (W) 4096B-4096B, …` and the older `4K-4K/4K-4K/4K-4K`: one size where all are the same, else as
/// printed.
fn block_size(text: &str) -> Option<String> {
    let text = text.split(", ioengine").next()?;
    let is_size = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let sizes: Vec<&str> = text
        .split(|c: char| !is_size(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    let first = sizes.first()?;
    if sizes.iter().all(|size| size == first) {
        return model::units::parse_bytes(first)
            .ok()
            .map(model::units::size_word);
    }
    Some(text.trim().chars().take(80).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_ends_where_its_options_end() {
        let text = "$ sudo fio -filename=/dev/sda1 -direct=1 -iodepth 1 -thread -rw=read -bs=16k -size=20G \
                    -group_reporting -name=gemfieldtest gemfieldtest: (g=0): rw=read";
        let facts = facts(text);
        let is =
            |name: &str, value: &str| assert_eq!(facts.get(name).map(String::as_str), Some(value));
        is("device", "/dev/sda1");
        is("iodepth", "1");
        is("rw", "read");
        is("name", "gemfieldtest");
        assert!(
            facts["command"].ends_with("-name=gemfieldtest"),
            "{}",
            facts["command"]
        );
    }

    #[test]
    fn quotes_hold_a_name_together_and_a_sentence_ends_it() {
        let name = |text: &str| facts(text).get("name").cloned();
        assert_eq!(
            name("1 | fio -bs=4k -name=\"EBS 4K randwrite test\" -iodepth=64 |").unwrap(),
            "EBS 4K randwrite test"
        );
        assert_eq!(
            name("fio -bs=4k -name=test2,\u{6e96}\u{5099}U").unwrap(),
            "test2"
        );
        assert_eq!(name("fio is a tool"), None);
    }

    #[test]
    fn a_prompt_names_the_host() {
        assert_eq!(host("[root@web1 testio]# ").as_deref(), Some("web1"));
        assert_eq!(
            host("(base) me@ThinkPad-X1C:~$ sudo").as_deref(),
            Some("ThinkPad-X1C")
        );
        assert_eq!(host("write to @nobody"), None);
    }

    #[test]
    fn block_sizes_of_old_and_new_banners() {
        assert_eq!(
            block_size("(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=x").as_deref(),
            Some("4k")
        );
        assert_eq!(
            block_size("4K-4K/4K-4K/4K-4K, ioengine=x").as_deref(),
            Some("4k")
        );
        assert_eq!(
            block_size("(R) 16.0KiB-16.0KiB, (W) 16.0KiB-16.0KiB").as_deref(),
            Some("16k")
        );
        assert_eq!(
            block_size("4K-64K/4K-4K, ioengine=x").as_deref(),
            Some("4K-64K/4K-4K")
        );
    }
}
