//! The first line of sysstat's tools: `Linux 6.1.0-18-amd64 (host) 11/21/26 _x86_64_ (2 CPU)`, with tabs.

use super::clean;
use std::collections::BTreeMap;

/// What it says, as facts: kernel, host, date, arch, cpus; none where the line is no such one.
pub fn banner(line: &str) -> Option<BTreeMap<String, String>> {
    let line = clean(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, kernel, host, rest @ ..] = words.as_slice() else {
        return None;
    };
    let is_system =
        ["Linux", "GNU/Linux"].contains(name) && kernel.starts_with(|c: char| c.is_ascii_digit());
    let host = host.strip_prefix('(')?.strip_suffix(')')?;
    if !is_system || rest.is_empty() {
        return None;
    }
    let mut facts = BTreeMap::from([
        ("kernel".to_string(), kernel.to_string()),
        ("host".into(), host.into()),
    ]);
    for word in rest {
        if let Some(arch) = word
            .strip_prefix('_')
            .and_then(|word| word.strip_suffix('_'))
        {
            facts.insert("arch".into(), arch.into());
        } else if let Some(count) = word.strip_prefix('(') {
            facts.insert("cpus".into(), count.into());
        } else if word.starts_with(|c: char| c.is_ascii_digit()) && !facts.contains_key("date") {
            facts.insert("date".into(), word.to_string());
        }
    }
    Some(facts)
}

#[cfg(test)]
mod tests {
    use super::banner;

    #[test]
    fn banners_of_old_and_new_versions() {
        let facts =
            banner("Linux 3.10.0-693.el7.x86_64 (db1) \t11/21/26 \t_x86_64_\t(32 CPU)").unwrap();
        let found: Vec<(&str, &str)> = facts
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        let wanted = [
            ("arch", "x86_64"),
            ("cpus", "32"),
            ("date", "11/21/26"),
            ("host", "db1"),
            ("kernel", "3.10.0-693.el7.x86_64"),
        ];
        assert_eq!(found, wanted);
        assert!(banner("Linux 2.6.18-8.el5 (db1) 11/21/2009").is_some());
        assert!(banner("Linux g1-net-test-04 3.10.0-693.17.1.el7.x86_64 #1 SMP").is_none());
    }
}
