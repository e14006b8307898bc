//! `iodyno watch --plain`: a row for each device and one for the machine, in fixed units, so that awk can read them.

use super::text::{clean, width, wrap};
use model::dirty::DirtyShares;
use model::finding::Finding;
use model::frame::Frame;
use model::text::short_group;
use model::units;
use view::calendar::time_of_day;

/// The heading of the rows, to be repeated now and then.
pub const HEADING: &str =
    "UTC      DEVICE        r/s     w/s  rMiB/s  wMiB/s    r-ms    w-ms  queue busy%";

/// One row for each device that did anything in the time of the frame, or for each that is asked for by name; then one
/// for the machine. `is_serial` says of which devices the busy time means something.
pub fn rows(
    unix_ms: u64,
    frame: &Frame,
    named: &[String],
    is_serial: impl Fn(&str) -> bool,
    out: &mut Vec<String>,
) {
    let time = time_of_day(unix_ms);
    let is_wanted = |device: &str| named.is_empty() || named.iter().any(|name| name == device);
    for (device, reads_per_s) in frame.each("disk.reads_per_s") {
        let is_idle = named.is_empty()
            && reads_per_s == 0.0
            && frame.get("disk.writes_per_s", device).unwrap_or(0.0) == 0.0
            && frame.get("disk.inflight", device).unwrap_or(0.0) == 0.0;
        if is_wanted(device) && !is_idle {
            out.push(device_row(&time, frame, device, is_serial(device)));
        }
    }
    out.push(machine_row(&time, frame));
}

/// A row for each of these control groups, by their paths, with the dirty pages at which its own writers wait where its memory
/// is limited.
pub fn group_rows(
    unix_ms: u64,
    frame: &Frame,
    groups: &[String],
    shares: Option<DirtyShares>,
    out: &mut Vec<String>,
) {
    let time = time_of_day(unix_ms);
    let named = groups.iter().map(|group| group.trim_matches('/'));
    out.extend(named.map(|group| group_row(&time, frame, group, shares)));
}

/// A finding, with what to do.
pub fn finding(finding: &Finding) -> Vec<String> {
    let words = format!(
        "{}: {} {}",
        finding.level.word(),
        finding.claim,
        finding.advice
    );
    wrap(&clean(&words), width() - 2)
        .into_iter()
        .map(|line| format!("  {line}"))
        .collect()
}

fn device_row(time: &str, frame: &Frame, device: &str, is_serial: bool) -> String {
    let value = |id: &str, decimals: usize| number(frame.get(id, device), decimals);
    let mib = |id: &str| {
        number(
            frame
                .get(id, device)
                .map(|bytes| bytes / f64::from(1 << 20)),
            1,
        )
    };
    let busy = if is_serial {
        value("disk.busy_percent", 0)
    } else {
        "-".into()
    };
    format!(
        "{time} {:<10}{:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {busy:>5}",
        clean(device),
        value("disk.reads_per_s", 0),
        value("disk.writes_per_s", 0),
        mib("disk.read_bytes_per_s"),
        mib("disk.write_bytes_per_s"),
        await_ms(frame.get("disk.await_read_ms", device)),
        await_ms(frame.get("disk.await_write_ms", device)),
        value("disk.queue_mean_ios", 1),
    )
}

fn group_row(time: &str, frame: &Frame, group: &str, shares: Option<DirtyShares>) -> String {
    let subject = if group.is_empty() { "root" } else { group };
    let of = |id: &str| frame.get(id, subject);
    let mib = |value: Option<f64>| number(value.map(|bytes| bytes / f64::from(1 << 20)), 1);
    let limit = shares.zip(of("cgroup.memory_limit_bytes"));
    format!(
        "{time} group {} r/s {} w/s {} rMiB/s {} wMiB/s {} dirty-MiB {} wait-from-MiB {}",
        clean(&short_group(subject)),
        number(of("cgroup.reads_per_s"), 0),
        number(of("cgroup.writes_per_s"), 0),
        mib(of("cgroup.read_bytes_per_s")),
        mib(of("cgroup.write_bytes_per_s")),
        mib(of("cgroup.dirty_bytes")),
        mib(limit.map(|(shares, limit)| shares.free_run() * limit)),
    )
}

fn machine_row(time: &str, frame: &Frame) -> String {
    let mean = |id: &str| {
        let values: Vec<f64> = frame.each(id).map(|(_, value)| value).collect();
        number((!values.is_empty()).then(|| stats::mean(&values)), 0)
    };
    let mib = |id: &str| number(frame.get(id, "").map(|bytes| bytes / f64::from(1 << 20)), 0);
    let share = |id: &str| number(frame.get(id, "io"), 0);
    format!(
        "{time} machine   cpu% {} si {} wa {} st {} dirty-MiB {} psi-io {}/{}",
        mean("cpu.busy_percent"),
        mean("cpu.softirq_percent"),
        mean("cpu.iowait_percent"),
        mean("cpu.steal_percent"),
        mib("memory.dirty_bytes"),
        share("pressure.some_percent"),
        share("pressure.full_percent"),
    )
}

/// Milliseconds to four characters or so: an NVMe's 0.084 and a stall's 1234 both fit. The kernel tells the time of all requests
/// together in whole milliseconds, so a mean of nothing is one that is not known.
fn await_ms(value: Option<f64>) -> String {
    let value = value.filter(|ms| *ms > 0.0);
    let decimals = match value.unwrap_or(0.0) {
        ms if ms < 10.0 => 3,
        ms if ms < 100.0 => 2,
        ms if ms < 1000.0 => 1,
        _ => 0,
    };
    number(value, decimals)
}

/// A number, or `-` where there is no data.
fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".into(), |value| units::decimals(value, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        Frame::of([
            ("disk.reads_per_s", "sda", 200.0),
            ("disk.reads_per_s", "nvme0n1", 0.0),
            ("disk.await_read_ms", "sda", 0.25),
        ])
    }

    fn said(named: &[&str]) -> Vec<String> {
        let named: Vec<String> = named.iter().map(|name| (*name).into()).collect();
        let mut lines = Vec::new();
        rows(43_421_000, &frame(), &named, |_| false, &mut lines);
        lines
    }

    #[test]
    fn a_group_has_a_row_with_its_own_limit_of_dirty_pages() {
        let mib = f64::from(1 << 20);
        let frame = Frame::of([
            ("cgroup.write_bytes_per_s", "pod/a", 5.0 * mib),
            ("cgroup.dirty_bytes", "pod/a", 12.0 * mib),
            ("cgroup.memory_limit_bytes", "pod/a", 200.0 * mib),
        ]);
        let shares = DirtyShares {
            background: 0.1,
            limit: 0.2,
        };
        let mut lines = Vec::new();
        let groups = ["/pod/a".to_string(), "/".to_string()];
        group_rows(43_421_000, &frame, &groups, Some(shares), &mut lines);
        assert_eq!(
            lines,
            [
                "12:03:41 group pod/a r/s - w/s - rMiB/s - wMiB/s 5.0 dirty-MiB 12.0 wait-from-MiB 30.0",
                "12:03:41 group root r/s - w/s - rMiB/s - wMiB/s - dirty-MiB - wait-from-MiB -",
            ]
        );
    }

    #[test]
    fn columns_stand_below_their_heading() {
        let lines = said(&[]);
        assert_eq!(lines.len(), 2, "the idle device is left out: {lines:?}");
        let words: Vec<&str> = lines[0].split_whitespace().collect();
        assert_eq!(
            words,
            [
                "12:03:41", "sda", "200", "-", "-", "-", "0.250", "-", "-", "-"
            ]
        );
        assert_eq!(lines[0].chars().count(), HEADING.chars().count());
        assert!(HEADING.len() <= 80);
        assert!(
            lines[1].starts_with("12:03:41 machine   cpu% - "),
            "{}",
            lines[1]
        );
    }

    #[test]
    fn a_named_device_is_shown_when_idle() {
        let lines = said(&["nvme0n1"]);
        let words: Vec<&str> = lines[0].split_whitespace().collect();
        assert_eq!(words[1..7], ["nvme0n1", "0", "-", "-", "-", "-"]);
    }
}
