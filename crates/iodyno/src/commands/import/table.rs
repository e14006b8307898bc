//! What was found, as a table, and what was not, in as few lines as say it.

use super::record::{main_latency, p99_ns};
use super::{File, FoundResults};
use imports::Unread;
use imports::gather::NOBODYS;
use model::imported::SideFigures;
use model::units;
use report::other_series::reading_lines;
use report::text::{aligned, clean};

/// Sentences of what could not be read that are shown without `--verbose`.
const UNREAD_SHOWN: usize = 12;

/// One file's lines.
pub fn lines(file: &File, is_verbose: bool, is_dry: bool) -> Vec<String> {
    let name = clean(&file.file);
    if let Some(error) = &file.error {
        return vec![format!("{name}: {error}")];
    }
    let mut lines = vec![format!("{name}: {}", counted(&file.results))];
    if !file.results.is_empty() {
        lines.extend(table(&file.results, is_dry));
        let series = file.results.iter().map(|found| &found.imported.series);
        lines.extend(series.flat_map(|series| reading_lines(series)));
        lines.extend(remarks(&file.results, is_verbose));
    }
    lines.extend(unread(&file.unread, is_verbose));
    lines
}

/// `6 results of fio, 3 of rados bench`.
fn counted(results: &[FoundResults]) -> String {
    let mut tools: Vec<(&str, usize)> = Vec::new();
    for found in results {
        let tool = found.imported.tool.as_str();
        let tool = if tool.starts_with("fio") { "fio" } else { tool };
        match tools.iter_mut().find(|(name, _)| *name == tool) {
            Some((_, count)) => *count += 1,
            None => tools.push((tool, 1)),
        }
    }
    let known = results.iter().filter(|found| found.known).count();
    let mut text = match tools.as_slice() {
        [] => return "no result that iodyno knows".into(),
        [(tool, 1)] => format!("1 result of {}", clean(tool)),
        tools => {
            let each: Vec<String> = tools
                .iter()
                .map(|(tool, count)| format!("{count} of {}", clean(tool)))
                .collect();
            each.join(", ").replacen(" of ", " results of ", 1)
        }
    };
    match known {
        0 => {}
        known if known == results.len() => text.push_str(", all there already: nothing is added"),
        known => text.push_str(&format!(", {known} there already and not added again")),
    }
    text
}

/// All files.
pub fn total(files: &[File], is_dry: bool) -> String {
    let results = files.iter().map(|file| file.results.len()).sum::<usize>();
    let known = files
        .iter()
        .flat_map(|file| &file.results)
        .filter(|found| found.known)
        .count();
    let end = if is_dry { "; nothing was kept" } else { "" };
    format!(
        "In all: {} files, {results} results, {} new{end}",
        files.len(),
        results - known
    )
}

const HEAD: [&str; 8] = [
    "record",
    "lines",
    "tool",
    "name",
    "what",
    "IOPS",
    "bandwidth",
    "p99",
];

fn table(results: &[FoundResults], is_dry: bool) -> Vec<String> {
    let mut rows: Vec<[String; 8]> = vec![HEAD.map(String::from)];
    for found in results {
        let imported = &found.imported;
        let number = match (found.record, found.known, is_dry) {
            (Some(id), true, _) => format!("={id}"),
            (Some(id), false, _) => id.to_string(),
            (None, true, _) => "again".into(),
            (None, false, _) => "-".into(),
        };
        let lines = imported
            .lines
            .map_or("-".into(), |(first, last)| match first == last {
                true => first.to_string(),
                false => format!("{first}-{last}"),
            });
        let sides: Vec<(&str, &SideFigures)> = imported
            .load
            .iter()
            .flat_map(|load| load.sides())
            .filter(|(side, _)| *side != "sync")
            .collect();
        let mut first = [
            number,
            lines,
            shortened(&imported.tool, 14),
            shortened(&imported.name, 28),
        ];
        if sides.is_empty() {
            let [number, lines, tool, name] = first;
            let what = if imported.series.is_empty() {
                "no rates"
            } else {
                "series"
            };
            rows.push([
                number,
                lines,
                tool,
                name,
                what.into(),
                "-".into(),
                "-".into(),
                "-".into(),
            ]);
            continue;
        }
        for (side, figures) in sides {
            let [number, lines, tool, name] = std::mem::take(&mut first);
            let [what, iops, bytes, p99] =
                of_side(side, figures, imported.facts.get("bs").map(String::as_str));
            rows.push([number, lines, tool, name, what, iops, bytes, p99]);
        }
    }
    aligned(rows.iter().map(|row| &row[..]), |at| matches!(at, 2..=4))
}

fn of_side(side: &str, figures: &SideFigures, block: Option<&str>) -> [String; 4] {
    let what = match (side, block) {
        ("mixed", None) => "all".into(),
        ("mixed", Some(block)) => format!("all {block}"),
        (side, None) => side.into(),
        (side, Some(block)) => format!("{side} {block}"),
    };
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let iops = figures.iops.map(units::rate);
    let mean = || {
        Some(format!(
            "mean {}",
            units::duration_ns(main_latency(figures)?.mean_ns?)
        ))
    };
    let p99 = p99_ns(figures).map(units::duration_ns).or_else(mean);
    [
        shortened(&what, 14),
        or_dash(iops),
        or_dash(figures.bytes_per_s.map(units::bytes_per_s)),
        or_dash(p99),
    ]
}

fn shortened(text: &str, most: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= most {
        return text.into_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{kept}…")
}

/// What was decided and what is lost, each said once with the lines it is of.
fn remarks(results: &[FoundResults], is_verbose: bool) -> Vec<String> {
    let of = |texts: fn(&FoundResults) -> &[String]| {
        let mut said: Vec<(&str, Vec<String>)> = Vec::new();
        for found in results {
            let place = found
                .imported
                .lines
                .map_or("all".into(), |(first, _)| first.to_string());
            for text in texts(found) {
                match said.iter_mut().find(|(other, _)| other == text) {
                    Some((_, places)) => places.push(place.clone()),
                    None => said.push((text.as_str(), vec![place.clone()])),
                }
            }
        }
        said
    };
    let mut lines = Vec::new();
    for (title, said) in [
        ("units", of(|found| &found.imported.units)),
        ("lossy", of(|found| &found.imported.lossy)),
    ] {
        for (text, mut places) in said {
            let count = places.len();
            places.dedup();
            let whom = match places.len() {
                _ if count == results.len() && count > 1 => String::new(),
                lines if lines > 6 && !is_verbose => format!(" ({count} results)"),
                1 if places[0] == "all" => String::new(),
                1 => format!(" (line {})", places[0]),
                _ => format!(" (lines {})", places.join(", ")),
            };
            lines.push(format!("  {title}: {}{whom}", clean(text)));
        }
    }
    lines
}

/// What could not be read: sentences with their lines; lines that are nobody's in one sentence.
fn unread(unread: &[Unread], is_verbose: bool) -> Vec<String> {
    let (nobodys, told): (Vec<&Unread>, Vec<&Unread>) =
        unread.iter().partition(|unread| unread.why == NOBODYS);
    let place = |unread: &Unread| match unread.lines {
        Some((first, last)) if first == last => format!("line {first}: "),
        Some((first, last)) => format!("lines {first}-{last}: "),
        None => String::new(),
    };
    let shown = if is_verbose { told.len() } else { UNREAD_SHOWN };
    let sentence =
        |unread: &&Unread| format!("  not read: {}{}", place(unread), clean(&unread.why));
    let mut lines: Vec<String> = told.iter().take(shown).map(sentence).collect();
    if told.len() > shown {
        lines.push(format!(
            "  not read: {} more; --verbose lists them",
            told.len() - shown
        ));
    }
    if is_verbose {
        lines.extend(
            nobodys
                .iter()
                .map(|unread| format!("  nobody's: {}{}", place(unread), clean(&unread.why))),
        );
    } else if !nobodys.is_empty() {
        let count: u64 = nobodys
            .iter()
            .filter_map(|unread| unread.lines)
            .map(|(first, last)| last - first + 1)
            .sum();
        let runs = nobodys.len();
        let runs = if runs == 1 {
            "one place".into()
        } else {
            format!("{runs} places")
        };
        lines.push(format!(
            "  {count} other lines in {runs} hold nothing that iodyno knows; --verbose lists them"
        ));
    }
    lines
}
