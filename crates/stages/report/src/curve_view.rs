//! Response curves as text: a table for each, and a chart of latency over throughput with the knee marked.

use super::studies::settings_text;
use super::text::{width, wrap};
use model::curve::{Curve, Point, Spread, Sweep};
use model::units;

/// Charts are drawn for this many curves; of more, the tables say enough.
const MOST_CHARTS: usize = 3;

const CHART_COLUMNS: usize = 62;
const CHART_ROWS: usize = 10;

/// In place of a width that says nothing more.
const WIDE: &str = ">×2";

/// The mark of the knee.
const KNEE: char = '◆';

/// Everything below the sentence of a sweep.
pub(super) fn lines(sweep: &Sweep) -> Vec<String> {
    let mut lines = Vec::new();
    if sweep.curves.is_empty() {
        lines.extend(table(
            sweep,
            &(0..sweep.points.len()).collect::<Vec<_>>(),
            None,
        ));
    }
    for curve in &sweep.curves {
        lines.extend(curve_lines(sweep, curve));
    }
    if sweep
        .points
        .iter()
        .any(|point| !point.little.holds && !point.visits.is_empty())
    {
        let text = "! in flight is not iodepth × numjobs (Little's law): the requests were not there, so this point \
                    is not what its settings say";
        lines.extend(
            wrap(text, width() - 2)
                .into_iter()
                .map(|line| format!("  {line}")),
        );
    }
    for note in &sweep.notes {
        lines.extend(
            wrap(&format!("note: {note}"), width() - 2)
                .into_iter()
                .map(|line| format!("  {line}")),
        );
    }
    let repeats = match sweep.repeats {
        1 => "one visit each, so no intervals".to_string(),
        n => format!("{n} visits each in random order, ± is the 95 % interval over them"),
    };
    let is_wide = |point: &Point| {
        [&point.iops, &point.p99_ns]
            .into_iter()
            .any(|spread| half(spread) == WIDE)
    };
    let wide = if sweep.points.iter().any(is_wide) {
        "; >×2: it spans more than a factor of four"
    } else {
        ""
    };
    lines.extend(
        wrap(&format!("{repeats}{wide}"), width() - 2)
            .into_iter()
            .map(|line| format!("  {line}")),
    );
    lines
}

fn curve_lines(sweep: &Sweep, curve: &Curve) -> Vec<String> {
    let mut lines = Vec::new();
    if !curve.settings.is_empty() {
        lines.push(format!("{}:", settings_text(&curve.settings)));
    }
    lines.extend(table(sweep, &curve.points, Some(curve)));
    if sweep.curves.len() > 1 {
        lines.extend(
            wrap(&format!("{}.", knee_words(sweep, curve)), width() - 2)
                .iter()
                .map(|line| format!("  {line}")),
        );
    }
    if sweep.curves.len() <= MOST_CHARTS {
        lines.extend(chart(sweep, curve));
    }
    lines
}

/// Where the knee is, or why there is none.
pub(super) fn knee_words(sweep: &Sweep, curve: &Curve) -> String {
    let load = |index: usize| value(&sweep.points[index], &curve.option);
    let Some(knee) = &curve.knee else {
        return format!(
            "no knee ({})",
            curve.no_knee.as_deref().unwrap_or("the curve is not whole")
        );
    };
    let point = &sweep.points[knee.point];
    let range = match knee.low == knee.high {
        true => String::new(),
        false => format!(" ({} to {})", load(knee.low), load(knee.high)),
    };
    let kneedle = match knee.kneedle {
        Some(other) if other != knee.point => format!("; by Kneedle at {}", load(other)),
        _ => String::new(),
    };
    format!(
        "the knee is at {} {}{range}: {} IOPS, p99 {}{kneedle}",
        curve.option,
        load(knee.point),
        units::count(point.iops.mean.round()),
        units::duration_ns(point.p99_ns.mean)
    )
}

fn value(point: &Point, option: &str) -> String {
    let setting = point
        .settings
        .iter()
        .find(|setting| setting.option == option);
    setting.map_or_else(String::new, |setting| setting.value.clone())
}

/// The letter of a point in its curve; points beyond the alphabet share the last.
fn letter(place: usize) -> char {
    char::from(b'a' + place.min(25) as u8)
}

fn table(sweep: &Sweep, indices: &[usize], curve: Option<&Curve>) -> Vec<String> {
    let label = |point: &Point| match curve {
        Some(curve) => value(point, &curve.option),
        None => settings_text(&point.settings),
    };
    let head = curve.map_or("", |curve| curve.option.as_str());
    let widest = indices
        .iter()
        .map(|index| label(&sweep.points[*index]).chars().count())
        .max()
        .unwrap_or(0);
    let width = widest.max(head.len()).max(7);
    let knee = curve
        .and_then(|curve| curve.knee.as_ref())
        .map(|knee| knee.point);
    let mut lines = vec![format!(
        "    {head:>width$}    IOPS     ±         rate       p50       p99     ±  in flight"
    )];
    for (place, index) in indices.iter().enumerate() {
        let point = &sweep.points[*index];
        let mark = if knee == Some(*index) { KNEE } else { ' ' };
        let letter = if curve.is_some() { letter(place) } else { ' ' };
        lines.push(
            format!(
                "{mark} {letter} {:>width$} {}",
                label(point),
                numbers(point)
            )
            .trim_end()
            .to_string(),
        );
    }
    lines
}

fn numbers(point: &Point) -> String {
    if point.visits.is_empty() {
        return "not visited".into();
    }
    let doubt = if point.little.holds { "" } else { " !" };
    format!(
        "{:>7} {:>5} {:>12} {:>9} {:>9} {:>5} {:>6}{doubt}",
        units::count(point.iops.mean.round()),
        half(&point.iops),
        units::bytes_per_s(point.bytes_per_s.mean),
        units::duration_ns(point.p50_ns.mean),
        units::duration_ns(point.p99_ns.mean),
        half(&point.p99_ns),
        units::decimals(point.little.reached, 1)
    )
}

/// Half the interval in per cent; beyond a factor of two the repeats say nothing more.
fn half(spread: &Spread) -> String {
    match spread.half_width() {
        None => "–".into(),
        Some(share) if share >= 1.0 => WIDE.into(),
        Some(share) => units::share(share),
    }
}

/// p99 (log) over throughput (linear from 0), each point by its letter.
fn chart(sweep: &Sweep, curve: &Curve) -> Vec<String> {
    let visited: Vec<(usize, &Point)> = curve
        .points
        .iter()
        .enumerate()
        .map(|(place, index)| (place, &sweep.points[*index]))
        .filter(|(_, point)| point.iops.mean > 0.0 && point.p99_ns.mean > 0.0)
        .collect();
    let most = visited
        .iter()
        .map(|(_, point)| point.iops.mean)
        .fold(0.0, f64::max);
    let logs = || visited.iter().map(|(_, point)| point.p99_ns.mean.ln());
    let (low, high) = (
        logs().fold(f64::MAX, f64::min),
        logs().fold(f64::MIN, f64::max),
    );
    if visited.len() < 3 || high <= low {
        return Vec::new();
    }
    let mut cells = vec![vec![' '; CHART_COLUMNS]; CHART_ROWS];
    let knee = curve.knee.as_ref().map(|knee| knee.point);
    let place_of = |point: &Point| {
        let column = (point.iops.mean / most * (CHART_COLUMNS - 1) as f64).round() as usize;
        let row = ((high - point.p99_ns.mean.ln()) / (high - low) * (CHART_ROWS - 1) as f64).round()
            as usize;
        (row.min(CHART_ROWS - 1), column.min(CHART_COLUMNS - 1))
    };
    for (place, point) in &visited {
        let (row, column) = place_of(point);
        cells[row][column] = letter(*place);
    }
    // The knee goes last: where letters fall together it must not be hidden.
    if let Some(point) = knee.map(|index| &sweep.points[index]) {
        let (row, column) = place_of(point);
        cells[row][column] = KNEE;
    }
    let label = |row: usize| match row {
        0 => units::duration_ns(high.exp()),
        row if row == CHART_ROWS / 2 => {
            units::duration_ns((high - (high - low) * row as f64 / (CHART_ROWS - 1) as f64).exp())
        }
        row if row + 1 == CHART_ROWS => units::duration_ns(low.exp()),
        _ => String::new(),
    };
    let drawn = cells.iter().enumerate().map(|(row, cells)| {
        let text: String = cells.iter().collect();
        format!("  {:>9} │{}", label(row), text.trim_end())
    });
    let mut lines = vec![format!("  {:>9}", "p99")];
    lines.extend(drawn);
    lines.push(format!("  {:>9} └{}", "", "─".repeat(CHART_COLUMNS)));
    let end = format!("{} IOPS", units::count(most.round()));
    let mark = if knee.is_some() {
        format!("{KNEE} knee")
    } else {
        String::new()
    };
    lines.push(format!(
        "  {:>9}  0{mark:^width$}{end}",
        "",
        width = CHART_COLUMNS - 1 - end.chars().count()
    ));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::curve::{Axis, CurveSetting, Knee, Little, Visit};

    fn sweep() -> Sweep {
        let spread = |mean: f64| Spread {
            mean,
            low: Some(mean / 1.02),
            high: Some(mean * 1.02),
        };
        let point = |depth: u32, iops: f64, p99_ns: f64| Point {
            settings: vec![CurveSetting {
                option: "iodepth".into(),
                value: depth.to_string(),
            }],
            visits: vec![Visit::default(); 3],
            iops: spread(iops),
            bytes_per_s: spread(iops * 4096.0),
            mean_ns: spread(f64::from(depth) / iops * 1e9),
            p50_ns: spread(p99_ns / 2.0),
            p99_ns: spread(p99_ns),
            p999_ns: spread(p99_ns * 2.0),
            little: Little {
                reached: f64::from(depth),
                asked: f64::from(depth),
                holds: depth != 64,
            },
        };
        let points = vec![
            point(1, 9_000.0, 2e5),
            point(4, 34_000.0, 2.4e5),
            point(8, 60_000.0, 3e5),
            point(16, 64_000.0, 7e5),
            point(64, 64_900.0, 4.1e6),
        ];
        let knee = Knee {
            point: 2,
            low: 2,
            high: 3,
            kneedle: Some(3),
        };
        let curve = Curve {
            option: "iodepth".into(),
            settings: vec![],
            points: vec![0, 1, 2, 3, 4],
            knee: Some(knee),
            no_knee: None,
        };
        Sweep {
            axes: vec![Axis {
                option: "iodepth".into(),
                values: vec![],
            }],
            seed: 1,
            repeats: 3,
            warmup_ms: 100,
            window_ms: 500,
            points,
            curves: vec![curve],
            notes: vec!["3 of 5 points had visits of fewer than 300 I/Os".into()],
        }
    }

    #[test]
    fn a_curve_is_a_table_and_a_chart_of_80_columns() {
        let sweep = sweep();
        let text = lines(&sweep).join("\n");
        assert!(
            text.lines().all(|line| line.chars().count() <= width()),
            "{text}"
        );
        assert!(
            text.contains(
                "◆ c       8  60.0 k   2 %    234 MiB/s    150 µs    300 µs   2 %    8.0"
            ),
            "{text}"
        );
        assert!(
            text.contains("64.0 !") && text.contains("Little's law"),
            "{text}"
        );
        let chart: Vec<&str> = text.lines().filter(|line| line.contains('│')).collect();
        assert_eq!(chart.len(), CHART_ROWS);
        assert!(
            chart[0].ends_with('e') && chart[0].contains("4.10 ms"),
            "{text}"
        );
        assert!(chart.iter().any(|line| line.contains('◆')) && text.contains("◆ knee"));
        assert_eq!(
            knee_words(&sweep, &sweep.curves[0]),
            "the knee is at iodepth 8 (8 to 16): 60.0 k IOPS, p99 300 µs; by Kneedle at 16"
        );
    }

    #[test]
    fn without_a_knee_or_a_curve_nothing_is_made_up() {
        let mut sweep = sweep();
        sweep.curves[0].knee = None;
        sweep.curves[0].no_knee = Some("a knee needs 4 points or more".into());
        let text = lines(&sweep).join("\n");
        assert!(!text.contains('◆'), "{text}");
        assert!(knee_words(&sweep, &sweep.curves[0]).contains("no knee (a knee needs"));
        sweep.curves.clear();
        sweep.points[1].visits.clear();
        let text = lines(&sweep).join("\n");
        assert!(
            text.contains("iodepth=16") && text.contains("not visited") && !text.contains('│'),
            "{text}"
        );
    }
}
