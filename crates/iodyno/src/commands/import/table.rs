//! What was found, as a table, and what was not, in as few lines as say it.

use super::record::{latency_words, main_latency, p99_ns};
use super::{File, FoundResults};
use imports::Unread;
use imports::gather::NOBODYS;
use model::imported::{Imported, OperationFigures, SideFigures};
use model::units;
use report::other_series::reading_lines;
use report::text::{aligned, clean};
use std::borrow::Cow;

/// Sentences of what could not be read that are shown without `--verbose`.
const UNREAD_SHOWN: usize = 12;

/// What is said of a file without a result.
pub const NOTHING: &str = "no result that iodyno knows";

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
        [] => return NOTHING.into(),
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

/// The columns; what is counted by the second is said in each cell where not all of it are I/Os.
fn head(has_operations: bool) -> [&'static str; 8] {
    let rate = if has_operations { "rate" } else { "IOPS" };
    [
        "record",
        "lines",
        "tool",
        "name",
        "what",
        rate,
        "bandwidth",
        "p99",
    ]
}

fn table(results: &[FoundResults], is_dry: bool) -> Vec<String> {
    let mut loads = results
        .iter()
        .filter_map(|found| found.imported.load.as_ref());
    let has_operations = loads.any(|load| !load.operations.is_empty());
    let mut rows: Vec<[String; 8]> = vec![head(has_operations).map(String::from)];
    for found in results {
        let imported = &found.imported;
        let mut first = first_cells(found, is_dry);
        for [what, rate, bytes, p99] in figures(imported, has_operations) {
            let [number, lines, tool, name] = std::mem::take(&mut first);
            rows.push([number, lines, tool, name, what, rate, bytes, p99]);
        }
    }
    aligned(rows.iter().map(|row| &row[..]), |at| matches!(at, 2..=4))
}

/// Number, lines, tool and name of a result.
fn first_cells(found: &FoundResults, is_dry: bool) -> [String; 4] {
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
    [
        number,
        lines,
        shortened(&imported.tool, 14),
        shortened(&imported.name, 28),
    ]
}

/// What was measured, rate, bandwidth and latency: a row a direction and a kind of operation, and one where there is none.
fn figures(imported: &Imported, has_operations: bool) -> Vec<[String; 4]> {
    let block = imported.facts.get("bs").map(|bs| block_word(bs));
    let block = block.as_deref();
    let loads = imported.load.iter();
    let sides = loads
        .clone()
        .flat_map(|load| load.sides())
        .filter(|(side, _)| *side != "sync")
        .map(|(side, figures)| of_side(side, figures, block, has_operations));
    let operations = loads.flat_map(|load| &load.operations).map(of_operation);
    let rows: Vec<_> = sides.chain(operations).collect();
    if !rows.is_empty() {
        return rows;
    }
    let what = match (imported.series.is_empty(), &imported.load) {
        (false, _) => "series",
        (true, None) if !imported.facts.is_empty() => "facts",
        (true, _) => "no rates",
    };
    vec![[what.into(), "-".into(), "-".into(), "-".into()]]
}

/// A block's size as a job says it, `1m`, where a tool told a number of bytes.
fn block_word(bs: &str) -> Cow<'_, str> {
    match bs.parse() {
        Ok(bytes) => Cow::Owned(units::size_word(bytes)),
        Err(_) => Cow::Borrowed(bs),
    }
}

fn of_side(
    side: &str,
    figures: &SideFigures,
    block: Option<&str>,
    has_operations: bool,
) -> [String; 4] {
    let what = match (side, block) {
        ("mixed", None) => "all".into(),
        ("mixed", Some(block)) => format!("all {block}"),
        (side, None) => side.into(),
        (side, Some(block)) => format!("{side} {block}"),
    };
    let unit = if has_operations { " IOPS" } else { "" };
    let iops = figures
        .iops
        .map(|iops| format!("{}{unit}", units::rate(iops)));
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

fn of_operation(operation: &OperationFigures) -> [String; 4] {
    let rate = operation
        .per_s
        .map(|per_s| format!("{}/s", units::rate(per_s)));
    let latency = operation.latency.as_ref();
    let p99 = latency.and_then(|latency| latency.percentile_ns(99.0));
    let words = || latency.and_then(latency_words);
    [
        shortened(&operation.name, 14),
        or_dash(rate),
        "-".into(),
        or_dash(p99.map(units::duration_ns).or_else(words)),
    ]
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".into())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_told_as_jobs_say_it() {
        assert_eq!(
            ["1048576", "4096", "1M", "4k,8k"].map(|bs| block_word(bs).into_owned()),
            ["1m", "4k", "1M", "4k,8k"]
        );
    }
    use model::imported::{LatencyFigures, LoadFigures};

    fn found(load: LoadFigures) -> FoundResults {
        FoundResults {
            record: Some(1),
            known: false,
            summary: String::new(),
            imported: Imported {
                tool: "sysbench 1.0.20".into(),
                load: Some(load),
                ..Imported::default()
            },
        }
    }

    #[test]
    fn transactions_are_not_called_iops_and_beside_them_ios_are() {
        let transactions = OperationFigures {
            name: "transactions".into(),
            count: Some(33_768),
            per_s: Some(1_688.01),
            latency: Some(LatencyFigures {
                mean_ns: Some(9.47e6),
                percentiles: vec![(95.0, 15.27e6)],
                ..LatencyFigures::default()
            }),
        };
        let oltp = found(LoadFigures {
            operations: vec![transactions],
            ..LoadFigures::default()
        });
        let fio = found(LoadFigures {
            read: Some(SideFigures {
                iops: Some(6_550.0),
                ..SideFigures::default()
            }),
            ..LoadFigures::default()
        });
        let alone = table(std::slice::from_ref(&oltp), false).join("\n");
        assert!(!alone.contains("IOPS"), "{alone}");
        assert!(
            alone.contains("transactions  1.69 k/s") && alone.contains("mean 9.47 ms, p95 15.3 ms"),
            "{alone}"
        );
        let both = table(&[oltp, fio], false).join("\n");
        assert!(both.contains("6.55 k IOPS"), "{both}");
    }
}
