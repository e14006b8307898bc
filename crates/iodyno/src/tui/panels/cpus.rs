//! Is a CPU the limit: how busy each one is, and which of them take the interrupts of the disks.

use crate::tui::{Panel, ScreenLook, heat, text};
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

mod groups;

use groups::Groups;

/// More columns than this are folded into groups.
const CPUS_MAX: usize = 24;
/// Columns of the rows' names.
const NAME: u16 = 16;
/// Columns to the right that say what the row comes to, where there is room.
const NOTE: u16 = 24;
/// The interrupts of the chosen device where they are known by CPU, else those of all devices looked at.
const TARGET: &str = "irq.cpu.target_per_s";
/// Eighths for shares.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// CPUs and interrupts.
pub static PANEL: Panel = Panel {
    key: '5',
    name: "cpu",
    rows,
    draw,
};

/// A row of the map: its name, its field, whether that is a share of time, and the unit it is said in.
struct CpuTimeKind {
    name: &'static str,
    id: &'static str,
    is_percent: bool,
}

const fn kind(name: &'static str, id: &'static str, is_percent: bool) -> CpuTimeKind {
    CpuTimeKind {
        name,
        id,
        is_percent,
    }
}

static KINDS: &[CpuTimeKind] = &[
    kind("busy %", "cpu.busy_percent", true),
    kind("disk irq /s", TARGET, false),
    kind("all irq /s", "irq.cpu.all_per_s", false),
    kind("BLOCK softirq /s", "softirq.cpu.block_per_s", false),
    kind("softirq %", "cpu.softirq_percent", true),
    kind("irq %", "cpu.irq_percent", true),
    kind("system %", "cpu.system_percent", true),
    kind("iowait %", "cpu.iowait_percent", true),
    kind("steal %", "cpu.steal_percent", true),
];

fn rows(look: &ScreenLook<'_>, width: u16) -> (u16, u16) {
    let cpus = cpus(look);
    if cpus.is_empty() || width < 48 {
        (1, 1)
    } else {
        (1, 2 + KINDS.len() as u16)
    }
}

fn draw(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    let cpus = cpus(look);
    if cpus.is_empty() {
        let end = text::left(buffer, area, 0, 0, "CPU ", look.theme.strong());
        let reason = look
            .status
            .absent
            .iter()
            .find(|(sensor, _)| sensor == "cpu");
        let words = reason.map_or("–".to_string(), |(_, reason)| format!("absent: {reason}"));
        text::left(buffer, area, end, 0, &words, look.theme.faint());
        return;
    }
    match area.height < 4 || area.width < 48 {
        true => line(look, &cpus, area, buffer),
        false => map(look, &cpus, area, buffer),
    }
}

/// The CPUs that anything is known of, in the order of their numbers.
fn cpus(look: &ScreenLook<'_>) -> Vec<u32> {
    let ids = ["cpu.busy_percent", "irq.cpu.all_per_s"];
    let mut cpus: Vec<u32> = ids
        .iter()
        .flat_map(|id| look.frame.each(id))
        .filter_map(|(cpu, _)| cpu.parse().ok())
        .collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// A field by CPU, in their order.
fn values(look: &ScreenLook<'_>, id: &str, cpus: &[u32]) -> Vec<Option<f64>> {
    if id == TARGET
        && let Some(own) = own_irqs(look, cpus)
    {
        return own;
    }
    let mut values = vec![None; cpus.len()];
    for (cpu, value) in look.frame.each(id) {
        if let Some(place) = cpu
            .parse()
            .ok()
            .and_then(|cpu: u32| cpus.binary_search(&cpu).ok())
        {
            values[place] = Some(value);
        }
    }
    values
}

/// The interrupts of the chosen device by CPU; a CPU that never took one has no series, and none.
fn own_irqs(look: &ScreenLook<'_>, cpus: &[u32]) -> Option<Vec<Option<f64>>> {
    look.frame.get("irq.device.per_s", look.device)?;
    let mut values = vec![None; cpus.len()];
    for (pair, rate) in look.frame.each("irq.device_cpu.per_s") {
        let Some(cpu) = pair
            .strip_prefix(look.device)
            .and_then(|rest| rest.strip_prefix('@'))
        else {
            continue;
        };
        if let Some(place) = cpu
            .parse()
            .ok()
            .and_then(|cpu: u32| cpus.binary_search(&cpu).ok())
        {
            values[place] = Some(rate);
        }
    }
    let is_known = values.iter().any(Option::is_some);
    is_known.then(|| {
        values
            .into_iter()
            .map(|value| value.or(Some(0.0)))
            .collect()
    })
}

/// The CPU with the most of something, what that is, and its share of the sum.
fn top(values: &[Option<f64>], cpus: &[u32]) -> Option<(u32, f64, f64)> {
    let sum: f64 = values.iter().flatten().sum();
    let known = cpus
        .iter()
        .zip(values)
        .filter_map(|(cpu, value)| Some((*cpu, (*value)?)));
    let (cpu, value) = known.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    Some((cpu, value, if sum > 0.0 { value / sum } else { 0.0 }))
}

/// `0–7`, or how many where some are missing between.
fn range_word(cpus: &[u32]) -> String {
    match (cpus.first(), cpus.last()) {
        (Some(first), Some(last)) if first == last => first.to_string(),
        (Some(first), Some(last)) if (last - first) as usize + 1 == cpus.len() => {
            format!("{first}–{last}")
        }
        _ => format!("{} of them", cpus.len()),
    }
}

/// Whose interrupts they are.
fn irq_owner(look: &ScreenLook<'_>, cpus: &[u32]) -> String {
    match own_irqs(look, cpus) {
        Some(_) => text::cut(look.device, 12),
        None => "of disks".into(),
    }
}

/// `irq vda → CPU 4 96 %`.
fn irq_word(look: &ScreenLook<'_>, cpus: &[u32]) -> String {
    let values = values(look, TARGET, cpus);
    let owner = irq_owner(look, cpus);
    match top(&values, cpus) {
        Some((cpu, rate, share)) if rate > 0.0 => {
            format!("irq {owner} → CPU {cpu} {}", units::share(share))
        }
        Some(_) => format!("irq {owner} 0"),
        None => format!("irq {owner} –"),
    }
}

/// `softirq max 31 % (CPU 4)`: of the CPU that has most of it, which is left out where there is no room.
fn most_word(look: &ScreenLook<'_>, name: &str, id: &str, cpus: &[u32], is_short: bool) -> String {
    match top(&values(look, id, cpus), cpus) {
        Some((_, value, _)) if value < 0.5 => format!("{name} 0"),
        Some((_, value, _)) if is_short => {
            format!("{name} {value}", value = units::percent_whole(value))
        }
        Some((cpu, value, _)) => format!(
            "{name} {value} (CPU {cpu})",
            value = units::percent_whole(value)
        ),
        None => format!("{name} –"),
    }
}

fn count_word(look: &ScreenLook<'_>, name: &str, id: &str) -> String {
    let value = look.frame.get(id, "").map_or("–".into(), units::count);
    format!("{name} {value}")
}

/// Everything in one line; what does not fit is left out from the end, and said to be.
fn line(look: &ScreenLook<'_>, cpus: &[u32], area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let long = words(look, cpus, false).join("  ");
    let line = if text::width(&long) <= width {
        long
    } else {
        shortened(&words(look, cpus, true), width)
    };
    text::left(buffer, area, 0, 0, &line, Style::new());
    text::left(buffer, area, 0, 0, "CPU", look.theme.strong());
}

/// The parts of the line, the most telling first.
fn words(look: &ScreenLook<'_>, cpus: &[u32], is_short: bool) -> [String; 5] {
    let groups = Groups::of(cpus, CPUS_MAX);
    let busy = values(look, "cpu.busy_percent", cpus);
    let strip: String = groups.most(&busy).into_iter().map(share_letter).collect();
    let fold = if groups.size > 1 {
        format!(" by {}", groups.size)
    } else {
        String::new()
    };
    let most = |name, id| most_word(look, name, id, cpus, is_short);
    [
        format!(
            "CPU {}{fold} {strip} {}",
            range_word(cpus),
            most("max", "cpu.busy_percent")
        ),
        irq_word(look, cpus),
        most("softirq max", "cpu.softirq_percent"),
        count_word(look, "blocked", "stat.blocked_tasks"),
        most("steal", "cpu.steal_percent"),
    ]
}

/// As many as fit, and how many do not.
fn shortened(words: &[String], width: usize) -> String {
    let mut line = words[0].clone();
    for (place, word) in words.iter().enumerate().skip(1) {
        let mark = if place + 1 < words.len() { 4 } else { 0 };
        if text::width(&line) + 2 + text::width(word) + mark > width {
            return format!("{line} …+{}", words.len() - place);
        }
        line = format!("{line}  {word}");
    }
    line
}

/// A share of a CPU's time as an eighth of a row; a gap is told from idleness.
fn share_letter(percent: Option<f64>) -> char {
    percent.map_or('╌', |percent| {
        BARS[((percent / 100.0 * 8.0).ceil() as usize).clamp(1, 8) - 1]
    })
}

fn map(look: &ScreenLook<'_>, cpus: &[u32], area: Rect, buffer: &mut Buffer) {
    let note = if area.width >= 90 { NOTE } else { 0 };
    let room = usize::from(area.width.saturating_sub(NAME + note));
    // Numbers take four columns; where the CPUs do not have them, marks take two.
    let cell = if cpus.len().min(CPUS_MAX) * 4 <= room {
        4
    } else {
        2
    };
    let groups = Groups::of(cpus, CPUS_MAX.min(room / cell).max(1));
    let cell = if groups.count() * 4 <= room { 4 } else { cell };
    header(look, &groups, cell, area, buffer);
    let mut row = 1;
    for kind in KINDS
        .iter()
        .take(usize::from(area.height.saturating_sub(1)))
    {
        map_row(
            look,
            kind,
            cpus,
            &groups,
            cell,
            Rect {
                y: area.y + row,
                height: 1,
                ..area
            },
            buffer,
        );
        row += 1;
    }
    if row < area.height {
        let words = [
            lines_word(look),
            count_word(look, "tasks blocked", "stat.blocked_tasks"),
            count_word(look, "running", "stat.running_tasks"),
        ];
        let words = words
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("   ");
        text::left(buffer, area, 0, row, &words, look.theme.faint());
    }
}

fn header(look: &ScreenLook<'_>, groups: &Groups, cell: usize, area: Rect, buffer: &mut Buffer) {
    text::left(buffer, area, 0, 0, "CPU × INTERRUPT", look.theme.strong());
    let every = groups.header_every(cell);
    for (place, first) in groups
        .firsts()
        .enumerate()
        .filter(|(place, _)| place % every == 0)
    {
        let end = usize::from(NAME) + (place + 1) * cell;
        let word = first.to_string();
        text::left(
            buffer,
            area,
            (end - word.len()) as u16,
            0,
            &word,
            look.theme.faint(),
        );
    }
    if groups.size > 1 {
        let words = format!("groups of {}, the most of each", groups.size);
        let end = usize::from(NAME) + groups.count() * cell;
        if end + 2 + text::width(&words) <= usize::from(area.width) {
            text::right(buffer, area, 0, &words, look.theme.faint());
        }
    }
}

fn map_row(
    look: &ScreenLook<'_>,
    kind: &CpuTimeKind,
    cpus: &[u32],
    groups: &Groups,
    cell: usize,
    area: Rect,
    buffer: &mut Buffer,
) {
    let name = match kind.id == TARGET && own_irqs(look, cpus).is_some() {
        true => format!("{} irq /s", text::cut(look.device, 8)),
        false => kind.name.to_string(),
    };
    text::left(buffer, area, 0, 0, &name, Style::new());
    let all = values(look, kind.id, cpus);
    if all.iter().all(Option::is_none) {
        text::left(buffer, area, NAME + 1, 0, "–", look.theme.faint());
        return;
    }
    let shown = groups.most(&all);
    let most = shown.iter().flatten().copied().fold(0.0, f64::max);
    for (place, value) in shown.iter().enumerate() {
        let word = match (value, kind.is_percent && cell >= 4) {
            (None, _) => "╌".to_string(),
            (Some(percent), true) => units::whole(*percent),
            (Some(_), false) if kind.is_percent => share_letter(*value).to_string(),
            (Some(rate), false) => rate_letter(*rate, most, look.theme.is_ascii).to_string(),
        };
        let start = usize::from(NAME) + (place + 1) * cell;
        let style = if value.is_some_and(|value| value > 0.0) {
            Style::new()
        } else {
            look.theme.faint()
        };
        text::left(
            buffer,
            area,
            start.saturating_sub(text::width(&word)) as u16,
            0,
            &word,
            style,
        );
    }
    let end = usize::from(NAME) + groups.count() * cell;
    let words = note_word(kind, &all, cpus);
    if end + 2 + text::width(&words) <= usize::from(area.width) {
        text::left(buffer, area, end as u16 + 2, 0, &words, look.theme.faint());
    }
}

/// Rates by a root, so that few are seen beside many; none at all is a point.
fn rate_letter(rate: f64, most: f64, is_ascii: bool) -> char {
    match heat::level(rate, most) {
        0 => '·',
        // Heights of bars have no good ASCII; the map's shades have.
        level if is_ascii => heat::shade(level.max(2)),
        level => BARS[level - 1],
    }
}

fn note_word(kind: &CpuTimeKind, values: &[Option<f64>], cpus: &[u32]) -> String {
    let Some((cpu, most, share)) = top(values, cpus) else {
        return String::new();
    };
    let sum: f64 = values.iter().flatten().sum();
    match (kind.is_percent, most > 0.0) {
        (_, false) => String::new(),
        (true, _) if most < 0.5 => String::new(),
        (true, _) => format!("{most} on CPU {cpu}", most = units::percent_whole(most)),
        (false, _) => {
            let sum = if sum >= 10.0 { sum.round() } else { sum };
            format!(
                "{}, {} on CPU {cpu}",
                units::count(sum),
                units::share(share)
            )
        }
    }
}

/// The busiest lines: `irq 24 41.2 k/s`.
fn lines_word(look: &ScreenLook<'_>) -> String {
    let mut lines: Vec<(&str, f64)> = look
        .frame
        .each("irq.line.per_s")
        .filter(|(_, rate)| *rate > 0.0)
        .collect();
    lines.sort_by(|a, b| b.1.total_cmp(&a.1));
    let shown = lines.iter().take(3).map(|(line, rate)| {
        let rate = if *rate >= 10.0 { rate.round() } else { *rate };
        format!("irq {} {}/s", text::cut(line, 8), units::count(rate))
    });
    let words = shown.collect::<Vec<_>>().join(", ");
    match lines.len() {
        0..=3 => words,
        all => format!("{words} …+{}", all - 3),
    }
}

#[cfg(test)]
mod tests;
