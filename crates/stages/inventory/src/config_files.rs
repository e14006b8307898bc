//! Configuration files as the programs that read them find them: directories that override each other, lines that go
//! on, and what scripts write into settings.

use host::Host;

/// A file with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfigFile {
    /// Where it is.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The files of a set of directories whose names end like this, in the order of their names. A file of a directory
/// named earlier masks those of its name in later ones (udev(7), sysctl.d(5), modprobe.d(5), tmpfiles.d(5)); an empty
/// one or a link to /dev/null masks and says nothing.
pub(super) fn drop_ins(host: &Host, directories: &[&str], ending: &str) -> Vec<ConfigFile> {
    let mut files: Vec<(String, String)> = Vec::new();
    for directory in directories {
        for name in host
            .list(directory)
            .into_iter()
            .filter(|name| name.ends_with(ending))
        {
            if !files.iter().any(|(known, _)| *known == name) {
                files.push((name.clone(), format!("{directory}/{name}")));
            }
        }
    }
    files.sort();
    let file = |(_, path): (String, String)| {
        let text = host.text(&path).filter(|text| !text.trim().is_empty())?;
        Some(ConfigFile { path, text })
    };
    files.into_iter().filter_map(file).collect()
}

/// Lines that are not comments, with the number of their first line; a backslash at the end joins the next one.
pub(super) fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if !goes_on && (trimmed.starts_with('#') || trimmed.is_empty()) {
            continue;
        }
        let body = trimmed.strip_suffix('\\').unwrap_or(trimmed);
        match lines.last_mut().filter(|_| goes_on) {
            Some((_, whole)) => {
                whole.push(' ');
                whole.push_str(body);
            }
            None => lines.push((index + 1, body.to_string())),
        }
        goes_on = trimmed.ends_with('\\');
    }
    lines
}

/// The sections of an ini file: section, key, value and line number. Keys before the first section have none.
pub(super) fn ini(text: &str) -> Vec<(String, String, String, usize)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = name.trim().to_string();
        } else if let Some((key, value)) = line.split_once('=') {
            found.push((
                section.clone(),
                key.trim().to_string(),
                value.trim().to_string(),
                index + 1,
            ));
        }
    }
    found
}

/// What a shell command writes into settings: path and value. It knows `echo V > PATH`, `sysctl -w K=V` and
/// `blockdev --setra N DEVICE`, whose unit is 512 bytes.
pub(super) fn shell_writes(command: &str) -> Vec<(String, String)> {
    let bare = |word: &str| {
        word.trim_matches(['"', '\'', ';', ')', '`', '&'])
            .to_string()
    };
    let spaced = command.replace(">>", ">").replace('>', " > ");
    let words: Vec<String> = spaced
        .split_whitespace()
        .map(bare)
        .filter(|word| !word.is_empty())
        .collect();
    let mut writes = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = |by: usize| words.get(at + by).cloned().unwrap_or_default();
        let target = next(1);
        if word == ">" && (target.starts_with("/sys/") || target.starts_with("/proc/sys/")) {
            let is_echo =
                |word: &String| word == "echo" || word.ends_with("/echo") || word == "printf";
            let echo = words[..at].iter().rposition(is_echo);
            let value = echo.map(|echo| {
                words[echo + 1..at]
                    .iter()
                    .filter(|word| !matches!(word.as_str(), "-n" | "-e" | "-ne"))
            });
            let value = value.map(|words| words.cloned().collect::<Vec<_>>().join(" "));
            writes.extend(
                value
                    .filter(|value| !value.is_empty())
                    .map(|value| (target, value)),
            );
        } else if word == "--setra" {
            let device = next(2);
            let kib = next(1)
                .parse::<u64>()
                .ok()
                .map(|sectors| (sectors / 2).to_string());
            let name = device
                .strip_prefix("/dev/")
                .map(|name| name.replace('/', "!"));
            let path = name.map(|name| format!("/sys/class/block/{name}/queue/read_ahead_kb"));
            writes.extend(path.zip(kib));
        } else if word.contains('=') && words[..at].iter().any(|word| word.ends_with("sysctl")) {
            let pair = word.split_once('=').filter(|(key, _)| key.contains('.'));
            writes.extend(pair.map(|(key, value)| (sysctl_path(key), value.to_string())));
        }
    }
    writes
}

/// The file of a sysctl: `vm.dirty_ratio` or `vm/dirty_ratio`. The first separator says which one it is (sysctl.d(5)).
pub(super) fn sysctl_path(key: &str) -> String {
    let slashed = match key.find(['.', '/']).map(|at| key.as_bytes()[at]) {
        Some(b'.') => key
            .chars()
            .map(|c| {
                if c == '.' {
                    '/'
                } else if c == '/' {
                    '.'
                } else {
                    c
                }
            })
            .collect::<String>(),
        _ => key.to_string(),
    };
    format!("/proc/sys/{slashed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_directories_mask_later_ones() {
        let text = "iodyno-host 1\npath: /etc/x.d/60-a.rules\nlines: 1\nmine\n\
            path: /etc/x.d/70-off.rules\nlink: /dev/null\npath: /etc/x.d/readme\nlines: 1\nno\n\
            path: /usr/x.d/50-b.rules\nlines: 1\nb\npath: /usr/x.d/60-a.rules\nlines: 1\ntheirs\n\
            path: /usr/x.d/70-off.rules\nlines: 1\nmasked\n";
        let host = Host::from_archive(host::Archive::parse(text).unwrap());
        let files = drop_ins(&host, &["/etc/x.d", "/usr/x.d"], ".rules");
        let found: Vec<(&str, &str)> = files
            .iter()
            .map(|f| (f.path.as_str(), f.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("/usr/x.d/50-b.rules", "b"),
                ("/etc/x.d/60-a.rules", "mine")
            ]
        );
    }

    #[test]
    fn lines_are_joined_and_keep_their_number() {
        assert_eq!(
            logical_lines("# c\na \\\n  b\n\nc\n"),
            [(2, "a  b".to_string()), (5, "c".to_string())]
        );
        let found = ini("[main]\ninclude = x\n# no\n[disk]\nreadahead=>4096\n");
        assert_eq!(
            found[1],
            ("disk".into(), "readahead".into(), ">4096".into(), 5)
        );
    }

    #[test]
    fn commands_that_write_settings_are_understood() {
        let one = |command: &str| shell_writes(command).pop().unwrap_or_default();
        assert_eq!(
            one("/bin/sh -c 'echo none > /sys/block/sda/queue/scheduler'"),
            ("/sys/block/sda/queue/scheduler".into(), "none".into())
        );
        assert_eq!(one("sh -c \"echo -n 5>/proc/sys/vm/swappiness\"").1, "5");
        assert_eq!(
            one("/sbin/blockdev --setra 16384 /dev/sdb"),
            (
                "/sys/class/block/sdb/queue/read_ahead_kb".into(),
                "8192".into()
            )
        );
        assert_eq!(
            one("/sbin/sysctl -q -w vm.dirty_ratio=5"),
            ("/proc/sys/vm/dirty_ratio".into(), "5".into())
        );
        assert!(shell_writes("echo hello > /tmp/x; PATH=/bin ls").is_empty());
    }

    #[test]
    fn sysctls_are_written_both_ways() {
        assert_eq!(sysctl_path("vm.page-cluster"), "/proc/sys/vm/page-cluster");
        assert_eq!(
            sysctl_path("net/ipv4/conf/eth0.5/x"),
            "/proc/sys/net/ipv4/conf/eth0.5/x"
        );
        assert_eq!(
            sysctl_path("net.ipv4.conf.eth0/5.x"),
            "/proc/sys/net/ipv4/conf/eth0.5/x"
        );
    }
}
