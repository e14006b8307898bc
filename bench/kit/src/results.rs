//! `bench/RESULTS.md`: every benchmark writes one section of it, between marks of its own.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Prints a report and puts it between the marks of its section.
///
/// # Errors
/// The file cannot be read or written, or has no such section or two: a heading and the marks are written by hand once.
pub fn publish(section: &str, report: &str) -> Result<(), String> {
    println!("{report}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../RESULTS.md");
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let before = std::fs::read_to_string(&path).map_err(failed)?;
    let after = spliced(&before, section, report)
        .ok_or_else(|| format!("{}: not one section {section}", path.display()))?;
    std::fs::write(&path, after).map_err(failed)
}

fn spliced(before: &str, section: &str, report: &str) -> Option<String> {
    let (begin, end) = (
        format!("<!-- {section}:begin -->"),
        format!("<!-- {section}:end -->"),
    );
    let (head, rest) = before.split_once(&begin)?;
    let (_, tail) = rest.split_once(&end)?;
    if tail.contains(&begin) {
        return None;
    }
    Some(format!("{head}{begin}\n{}\n{end}{tail}", report.trim_end()))
}

/// Processor model and count, and the kernel's release.
pub fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, model)| model);
    // Of the machine: a benchmark that is pinned may use fewer.
    let processors = cpuinfo.lines().filter(|line| line.starts_with("processor"));
    format!("{} × {model}, Linux {}", processors.count(), kernel())
}

/// The kernel's release.
pub fn kernel() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    release.trim().to_string()
}

/// The load average over a minute.
pub fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("?").to_string()
}

/// Today as year-month-day, in UTC.
pub fn date() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_secs());
    view::calendar::day(seconds as i64 * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marked_section_changes() {
        let old = "# Results\n\ntext\n<!-- a:begin -->\none\n<!-- a:end -->\nmore\n";
        let new = spliced(old, "a", "two\n").unwrap();
        assert_eq!(new, old.replace("one", "two"));
        assert_eq!(spliced(&old.repeat(2), "a", "two\n"), None);
        assert_eq!(spliced(old, "b", "two"), None);
    }
}
