//! Who does it: processes and control groups by I/O, counted at the process and not at the device.

use crate::tui::{Panel, ScreenLook, text};
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Columns of a figure.
const CELL: usize = 9;
/// Below this a line says more than a table.
const TABLE_MIN: u16 = 50;
const MIB: f64 = 1024.0 * 1024.0;
/// What the figures are of, in the fewest words that are true.
const CAVEAT: &str = "counted at the process, not the device";
const CAVEAT_SHORT: &str = "counted at the process";
/// What the sensor's note says of processes that it may not look at; their number comes first.
const REFUSED: &str = "may not be looked at";
/// How that note ends where more rights would help.
const ROOT_MAY: &str = "root may.";
/// More than this is a list to read, no answer.
const ROWS_MAX: u16 = 14;

/// Processes and control groups.
pub static PANEL: Panel = Panel {
    key: '6',
    name: "who",
    rows,
    draw,
};

/// Names of a kind's fields: bytes and counts, read and written.
struct WhoKind {
    title: &'static str,
    sensor: &'static str,
    read_bytes: &'static str,
    write_bytes: &'static str,
    reads: &'static str,
    writes: &'static str,
}

static PROCESSES: WhoKind = WhoKind {
    title: "WHO",
    sensor: "process",
    read_bytes: "process.read_bytes_per_s",
    write_bytes: "process.write_bytes_per_s",
    reads: "process.reads_per_s",
    writes: "process.writes_per_s",
};

static CGROUPS: WhoKind = WhoKind {
    title: "CGROUP",
    sensor: "cgroup",
    read_bytes: "cgroup.read_bytes_per_s",
    write_bytes: "cgroup.write_bytes_per_s",
    reads: "cgroup.reads_per_s",
    writes: "cgroup.writes_per_s",
};

/// One process or control group.
#[derive(Clone, Debug, Default, PartialEq)]
struct ProcessRow {
    subject: String,
    read_bytes: Option<f64>,
    write_bytes: Option<f64>,
    reads: Option<f64>,
    writes: Option<f64>,
}

impl ProcessRow {
    fn bytes(&self) -> f64 {
        self.read_bytes.unwrap_or(0.0) + self.write_bytes.unwrap_or(0.0)
    }

    /// Nothing but system calls that the page cache answers is still something.
    fn is_idle(&self) -> bool {
        self.bytes() <= 0.0 && self.reads.unwrap_or(0.0) + self.writes.unwrap_or(0.0) <= 0.0
    }
}

fn rows(look: &ScreenLook<'_>, width: u16) -> (u16, u16) {
    let all = busy(look, &PROCESSES).0.len() + busy(look, &CGROUPS).0.len();
    if all == 0 || width < TABLE_MIN {
        (1, 1)
    } else {
        (1, (all as u16).saturating_add(3).min(ROWS_MAX))
    }
}

fn draw(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    let (processes, idle) = busy(look, &PROCESSES);
    let (groups, idle_groups) = busy(look, &CGROUPS);
    if area.height < 4 || area.width < TABLE_MIN {
        line(look, &processes, area, buffer);
        return;
    }
    let room = usize::from(area.height) - 2;
    // Processes first; control groups have the rest, two rows at least where there are any.
    let for_groups = if groups.is_empty() || room < 5 {
        0
    } else {
        1 + groups.len().min(room / 3)
    };
    let for_processes = room - for_groups;
    let mut row = table(look, &PROCESSES, &processes, for_processes, area, buffer);
    if for_groups > 0 {
        let below = Rect {
            y: area.y + row,
            height: area.height - row,
            ..area
        };
        row += table(look, &CGROUPS, &groups, for_groups - 1, below, buffer);
    }
    let hidden = processes.len().saturating_sub(for_processes)
        + groups.len().saturating_sub(for_groups.max(1) - 1);
    let idle = idle + idle_groups;
    let more = if hidden > 0 {
        format!("…+{hidden} more, ")
    } else {
        String::new()
    };
    let idle = if idle > 0 {
        format!("{idle} idle, ")
    } else {
        String::new()
    };
    let unseen = refused(look).map_or(String::new(), |unseen| {
        format!("{} not seen ({}), ", unseen.count, unseen.whom())
    });
    let words = [
        format!("{more}{idle}{unseen}{CAVEAT}"),
        format!("{more}{unseen}{CAVEAT_SHORT}"),
    ];
    let fits = |words: &&String| text::width(words) <= usize::from(area.width);
    let words = words.iter().find(fits).unwrap_or(&words[1]);
    text::left(buffer, area, 0, row, words, look.theme.faint());
}

/// Processes that the sensor may not look at, as it says itself.
struct Unseen<'a> {
    count: &'a str,
    is_for_root: bool,
}

impl Unseen<'_> {
    fn whom(&self) -> &'static str {
        if self.is_for_root {
            "root may"
        } else {
            "nor may root"
        }
    }
}

fn refused<'a>(look: &ScreenLook<'a>) -> Option<Unseen<'a>> {
    let notes = look
        .status
        .notes
        .iter()
        .filter(|(sensor, _)| *sensor == PROCESSES.sensor);
    let refused = |(_, note): &'_ &(_, String)| note.contains(REFUSED);
    let (_, note) = notes.into_iter().find(refused)?;
    Some(Unseen {
        count: note.split_whitespace().next()?,
        is_for_root: note.ends_with(ROOT_MAY),
    })
}

/// Those that do anything, the most bytes first; only those whose names hold what is looked for, where any does; and how many do nothing.
fn busy(look: &ScreenLook<'_>, kind: &WhoKind) -> (Vec<ProcessRow>, usize) {
    let filter = look.choice.filter.to_lowercase();
    let holds = |row: &ProcessRow| row.subject.to_lowercase().contains(&filter);
    let (mut rows, idle): (Vec<ProcessRow>, Vec<ProcessRow>) =
        all(look, kind).into_iter().partition(|row| !row.is_idle());
    // Who looks for a device does not want everybody who uses it to vanish.
    if rows.iter().any(holds) {
        rows.retain(holds);
    }
    let calls = |row: &ProcessRow| row.reads.unwrap_or(0.0) + row.writes.unwrap_or(0.0);
    rows.sort_by(|a, b| {
        let by_calls = || calls(b).total_cmp(&calls(a));
        b.bytes()
            .total_cmp(&a.bytes())
            .then_with(by_calls)
            .then_with(|| a.subject.cmp(&b.subject))
    });
    (rows, idle.len())
}

/// The place of a figure in a row.
type ProcessCell = fn(&mut ProcessRow) -> &mut Option<f64>;

fn all(look: &ScreenLook<'_>, kind: &WhoKind) -> Vec<ProcessRow> {
    let mut rows = std::collections::BTreeMap::<&str, ProcessRow>::new();
    let fields: [(&str, ProcessCell); 4] = [
        (kind.read_bytes, |row| &mut row.read_bytes),
        (kind.write_bytes, |row| &mut row.write_bytes),
        (kind.reads, |row| &mut row.reads),
        (kind.writes, |row| &mut row.writes),
    ];
    for (id, cell) in fields {
        for (subject, value) in look.frame.each(id) {
            let row = rows.entry(subject).or_default();
            row.subject = subject.to_string();
            *cell(row) = Some(value);
        }
    }
    rows.into_values().collect()
}

/// The name of a process without its number: `mysqld` of `mysqld.2211`.
fn short(subject: &str) -> &str {
    match subject.rsplit_once('.') {
        Some((name, pid)) if !name.is_empty() && pid.bytes().all(|c| c.is_ascii_digit()) => name,
        _ => subject,
    }
}

/// `mysqld r 161 w 31.6 MiB/s`: the directions in which it does anything, in the unit of the greater.
fn entry(row: &ProcessRow) -> String {
    let name = text::cut(short(&row.subject), 15);
    let (read, write) = (
        row.read_bytes.unwrap_or(0.0),
        row.write_bytes.unwrap_or(0.0),
    );
    if row.bytes() <= 0.0 {
        let calls = row.reads.unwrap_or(0.0) + row.writes.unwrap_or(0.0);
        return format!("{name} {} calls/s", whole(calls));
    }
    let parts = [("r", read), ("w", write)]
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0.0);
    let words = parts.map(|(letter, bytes)| format!("{letter} {}", units::bytes_per_s(bytes)));
    format!("{name} {}", words.collect::<Vec<_>>().join(" "))
}

fn whole(rate: f64) -> String {
    units::count(if rate >= 10.0 { rate.round() } else { rate })
}

/// As many as fit in a line; how many do not is said.
fn line(look: &ScreenLook<'_>, processes: &[ProcessRow], area: Rect, buffer: &mut Buffer) {
    text::left(buffer, area, 0, 0, "WHO", look.theme.strong());
    let room = usize::from(area.width.saturating_sub(7));
    if processes.is_empty() {
        text::left(
            buffer,
            area,
            7,
            0,
            &nobody(look, &PROCESSES, room),
            look.theme.faint(),
        );
        return;
    }
    let caveat = match refused(look) {
        Some(unseen) => format!("({} not seen)", unseen.count),
        None => "(at the process)".into(),
    };
    let mut line = String::new();
    let mut shown = 0;
    for row in processes {
        let word = entry(row);
        let between = if line.is_empty() { "" } else { " · " };
        // Room for the count of the others and for the caveat.
        if text::width(&line) + text::width(&word) + 3 + 6 + caveat.len() + 1 > room && shown > 0 {
            break;
        }
        line = format!("{line}{between}{word}");
        shown += 1;
    }
    if shown < processes.len() {
        line = format!("{line} …+{}", processes.len() - shown);
    }
    text::left(buffer, area, 7, 0, &line, Style::new());
    if text::width(&line) + 1 + caveat.len() <= room {
        text::right(buffer, area, 0, &caveat, look.theme.faint());
    }
}

/// Why there are no rows: nobody does anything, nothing is known, or not all may be looked at.
fn nobody(look: &ScreenLook<'_>, kind: &WhoKind, room: usize) -> String {
    let absent = look
        .status
        .absent
        .iter()
        .find(|(sensor, _)| sensor == kind.sensor);
    let refused = refused(look).filter(|_| kind.sensor == PROCESSES.sensor);
    match (absent, refused) {
        (Some((_, reason)), _) => format!("absent: {reason}"),
        (None, Some(unseen)) => {
            let (count, whom) = (unseen.count, unseen.whom());
            let processes = if count == "1" { "process" } else { "processes" };
            let unseen = format!("{count} {processes} {REFUSED} ({whom})");
            let long = format!("{unseen}; the others do no I/O");
            if text::width(&long) <= room {
                long
            } else {
                unseen
            }
        }
        (None, None)
            if look.frame.each(kind.reads).next().is_none()
                && look.frame.each(kind.read_bytes).next().is_none() =>
        {
            "–".into()
        }
        (None, None) => "no process does I/O".into(),
    }
}

/// A head and so many rows; gives back how many lines that took.
fn table(
    look: &ScreenLook<'_>,
    kind: &WhoKind,
    rows: &[ProcessRow],
    most: usize,
    area: Rect,
    buffer: &mut Buffer,
) -> u16 {
    let name = usize::from(area.width).saturating_sub(4 * CELL).min(60);
    let heads = ["calls r/s", "w/s", "rMiB/s", "wMiB/s"];
    let heads: String = heads.iter().map(|head| format!("{head:>CELL$}")).collect();
    text::left(
        buffer,
        area,
        0,
        0,
        &format!("{:<name$}{heads}", kind.title),
        look.theme.strong(),
    );
    if rows.is_empty() {
        text::left(
            buffer,
            area,
            0,
            1,
            &nobody(look, kind, area.width.into()),
            look.theme.faint(),
        );
        return 2;
    }
    let mut at = 1;
    for row in rows.iter().take(most) {
        let mib = |bytes: Option<f64>| bytes.map_or("–".into(), mib_word);
        let calls = |rate: Option<f64>| rate.map_or("–".into(), whole);
        let cells = [
            calls(row.reads),
            calls(row.writes),
            mib(row.read_bytes),
            mib(row.write_bytes),
        ];
        let cells: String = cells.iter().map(|cell| format!("{cell:>CELL$}")).collect();
        let subject = text::cut(&label(&row.subject), name.saturating_sub(1));
        text::left(
            buffer,
            area,
            0,
            at,
            &format!("{subject:<name$}{cells}"),
            Style::new(),
        );
        at += 1;
    }
    at
}

/// `mysqld 2211`.
fn label(subject: &str) -> String {
    let name = short(subject);
    match subject
        .strip_prefix(name)
        .and_then(|pid| pid.strip_prefix('.'))
    {
        Some(pid) => format!("{name} {pid}"),
        None => subject.to_string(),
    }
}

/// MiB/s with three digits; little is not nothing.
fn mib_word(bytes: f64) -> String {
    match bytes / MIB {
        mib if mib <= 0.0 => "0".into(),
        mib if mib < 0.005 => "<0.01".into(),
        mib if mib < 9.995 => units::decimals(mib, 2),
        mib if mib < 99.95 => units::decimals(mib, 1),
        mib => units::whole(mib),
    }
}

#[cfg(test)]
mod tests;
