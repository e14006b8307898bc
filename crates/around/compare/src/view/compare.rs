//! A comparison in lines.

use super::{left, paragraph, right, short};
use crate::{sentence, words};
use model::comparison::{
    Basis, Compared, Comparison, ComparisonCell, ComparisonRow, ComparisonSubject, Crossed, Curves,
    SettingsDiffer, Standing,
};
use model::curve::Spread;
use report::text::{Paint, clean};

/// Settings shown for each subject; `iodyno diff` shows all.
const SETTINGS_MAX: usize = 6;
/// Width of a measure's name and of a value.
const NAME: usize = 16;
const VALUE: usize = 12;

/// The whole comparison.
pub fn lines(found: &Comparison, paint: Paint) -> Vec<String> {
    let mut lines = paragraph(&found.sentence, 0);
    lines.push(String::new());
    lines.extend(
        found
            .subjects
            .iter()
            .enumerate()
            .flat_map(|(index, one)| subject(one, index == found.base)),
    );
    for compared in &found.compared {
        lines.push(String::new());
        lines.extend(loads(found, compared, paint));
    }
    for curves in &found.curves {
        lines.push(String::new());
        lines.extend(curve(found, curves, paint));
    }
    lines.extend(proofs(found, paint));
    for settings in &found.settings {
        lines.push(String::new());
        lines.extend(settings_lines(found, settings, paint));
    }
    lines.extend(bounds(found));
    lines
}

/// What is compared: `7  run on /srv (vda QEMU of db-1), iodyno 0.1.0, kernel 6.1`.
fn subject(one: &ComparisonSubject, is_base: bool) -> Vec<String> {
    let mut parts = vec![format!("{} {}", one.verb, one.target)];
    if !one.label.is_empty() && one.label != one.target {
        parts.push(one.label.clone());
    }
    if !one.host.is_empty() {
        parts.push(one.host.clone());
    }
    parts.push(one.source.clone());
    if !one.kernel.is_empty() {
        parts.push(format!("kernel {}", one.kernel));
    }
    let base = if is_base { " (base)" } else { "" };
    let mut lines = paragraph(&format!("{}{base}: {}", one.name, parts.join(", ")), 2);
    for caveat in &one.caveats {
        lines.extend(paragraph(&format!("{}: {}", caveat.mark, caveat.why), 6));
    }
    lines
}

fn loads(found: &Comparison, compared: &Compared, paint: Paint) -> Vec<String> {
    let name = if compared.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", compared.name)
    };
    let mut lines = vec![paint.strong(&clean(&format!("{name}{}", compared.phrase)))];
    lines.extend(match found.subjects.len() {
        2 => pair(found, compared),
        _ => many(found, compared),
    });
    for (index, why) in &compared.unlike {
        let text = format!(
            "{}: no ratio, the jobs are not alike: {why}.",
            found.subjects[*index].name
        );
        lines.extend(paragraph(&text, 2));
    }
    lines.extend(
        compared
            .remarks
            .iter()
            .flat_map(|remark| paragraph(remark, 2)),
    );
    lines.extend(meaning(compared));
    lines
}

/// Two side by side, a row a measure.
fn pair(found: &Comparison, compared: &Compared) -> Vec<String> {
    let other = 1 - found.base;
    let (base, name) = (
        &found.subjects[found.base].name,
        &found.subjects[other].name,
    );
    let head = format!("{} against {}", short(name, VALUE), short(base, VALUE));
    let mut lines = vec![
        format!(
            "  {}{}{}  {head}",
            left("", NAME),
            right(&short(base, VALUE), VALUE + 1),
            right(&short(name, VALUE), VALUE + 1)
        )
        .trim_end()
        .to_string(),
    ];
    for row in &compared.rows {
        let value = |index: usize| {
            row.cells[index]
                .as_ref()
                .map_or("–".into(), |cell: &ComparisonCell| {
                    words::of(&cell.measure)
                })
        };
        let ratio = row.cells[other]
            .as_ref()
            .and_then(|cell| cell.ratio.as_ref());
        let ratio = ratio.map_or(String::new(), |one| {
            format!(
                "  {}{}",
                words::ratio(one.ratio, one.low, one.high),
                mark(row, one.standing)
            )
        });
        let line = format!(
            "  {}{}{}{ratio}",
            left(&words::title(&row.measure), NAME),
            right(&value(found.base), VALUE + 1),
            right(&value(other), VALUE + 1)
        );
        lines.push(line);
    }
    lines
}

/// Where repeats are known, what they make of a ratio.
fn mark(row: &ComparisonRow, standing: Standing) -> &'static str {
    match (standing, &row.repeats) {
        (Standing::Within, Some(_)) => "  within",
        (Standing::Beyond, Some(_)) => "  beyond",
        _ => "",
    }
}

/// More than two: a block a measure, a row a subject.
fn many(found: &Comparison, compared: &Compared) -> Vec<String> {
    let mut lines = Vec::new();
    for row in shown(compared) {
        lines.push(format!("  {}", words::title(&row.measure)));
        for (index, cell) in row.cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let ratio = match &cell.ratio {
                Some(one) => {
                    format!(
                        "  {}{}",
                        words::ratio(one.ratio, one.low, one.high),
                        mark(row, one.standing)
                    )
                }
                None if index == found.base => "  base".into(),
                None => String::new(),
            };
            let name = short(&found.subjects[index].name, 22);
            lines.push(format!(
                "    {}{}{ratio}",
                left(&name, 24),
                right(&words::of(&cell.measure), VALUE)
            ));
        }
    }
    lines
}

/// Of many subjects the measures that people ask for; the rest is in the document.
fn shown(compared: &Compared) -> Vec<&ComparisonRow> {
    let usual = ["iops", "bw", "per_s", "mean", "p50", "p99", "await", "d2c"];
    let is_usual =
        |row: &&ComparisonRow| usual.contains(&row.measure.rsplit('.').next().unwrap_or_default());
    let rows: Vec<&ComparisonRow> = compared.rows.iter().filter(is_usual).collect();
    if rows.is_empty() {
        compared.rows.iter().collect()
    } else {
        rows
    }
}

/// What the parentheses mean, and what they do not.
fn meaning(compared: &Compared) -> Vec<String> {
    let ratios = || {
        compared
            .rows
            .iter()
            .flat_map(|row| &row.cells)
            .flatten()
            .filter_map(|cell| cell.ratio.as_ref())
    };
    if ratios().next().is_none() {
        return Vec::new();
    }
    let has_interval = ratios().any(|ratio| ratio.low.is_some() || ratio.high.is_some());
    let mut lines = match has_interval {
        true => paragraph(
            "In ( ): what chance inside the runs leaves open, 95 %. What differs between runs is not in it.",
            2,
        ),
        false => paragraph("No interval: the sources give one figure each.", 2),
    };
    let samples = compared
        .rows
        .iter()
        .flat_map(|row| &row.cells)
        .flatten()
        .any(|cell| cell.measure.basis == Basis::Samples);
    if samples {
        lines.extend(paragraph(
            "Intervals of imported rates take the samples behind them to be independent, which the source does not tell.",
            2,
        ));
    }
    lines.extend(
        sentence::first_row(compared)
            .and_then(sentence::repeats_line)
            .iter()
            .flat_map(|line| paragraph(line, 2)),
    );
    lines
}

/// Curves over each other: for each load, every subject's rate and tail.
fn curve(found: &Comparison, curves: &Curves, paint: Paint) -> Vec<String> {
    let shared: Vec<String> = curves
        .settings
        .iter()
        .map(|setting| format!("{}={}", setting.option, setting.value))
        .collect();
    let title = format!(
        "Response curves by {}{}",
        curves.option,
        if shared.is_empty() {
            String::new()
        } else {
            format!(", {}", shared.join(" "))
        }
    );
    let mut lines = vec![paint.strong(&title)];
    let head = [
        right(&short(&curves.option, 8), 8),
        left("", 12),
        right("IOPS", 9),
        left("", 26),
        right("p99", 8),
    ];
    lines.push(format!("  {}", head.concat()));
    for (load, cells) in &curves.rows {
        for (index, cell) in cells.iter().enumerate() {
            let name = short(&found.subjects[index].name, 10);
            let first = cells.iter().position(Option::is_some) == Some(index);
            let load = if first { load.as_str() } else { "" };
            let Some(cell) = cell else { continue };
            let rate = cell.iops_ratio.map_or(String::new(), |one: Spread| {
                words::ratio(one.mean, one.low, one.high)
            });
            let tail = cell.p99_ratio.map_or(String::new(), |one: Spread| {
                words::ratio(one.mean, None, None)
            });
            let line = format!(
                "  {}  {}{}  {}{}  {tail}",
                right(load, 8),
                left(&name, 10),
                right(&words::value("/s", cell.iops.mean), 9),
                left(&rate, 24),
                right(&words::value("ns", cell.p99_ns.mean), 8),
            );
            lines.push(line.trim_end().to_string());
        }
    }
    let knee = |(index, knee): (usize, &Option<String>)| {
        let name = &found.subjects[index].name;
        match knee {
            Some(at) => format!("{name} at {} {at}", curves.option),
            None => format!("{name} none"),
        }
    };
    let knees: Vec<String> = curves.knees.iter().enumerate().map(knee).collect();
    lines.extend(paragraph(&format!("knee: {}", knees.join(", ")), 2));
    lines
}

/// What tunes proved, side by side by knob.
fn proofs(found: &Comparison, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    for subject in found
        .subjects
        .iter()
        .filter(|subject| !subject.proofs.is_empty())
    {
        if lines.is_empty() {
            lines.push(String::new());
            lines.push(paint.strong("Proved by pairs of windows inside a tune"));
        }
        for proof in &subject.proofs {
            lines.extend(paragraph(
                &format!("{}, {}: {}", subject.name, proof.device, proof.summary),
                2,
            ));
        }
    }
    lines
}

fn settings_lines(found: &Comparison, differ: &SettingsDiffer, paint: Paint) -> Vec<String> {
    let (base, name) = (&found.subjects[found.base], &found.subjects[differ.subject]);
    if differ.differences.is_empty() {
        let text = format!(
            "Settings: nothing differs between {} and {} that is known to matter ({} are the same).",
            base.name, name.name, differ.same
        );
        return paragraph(&text, 0);
    }
    let mut lines = vec![paint.strong(&format!(
        "What else differs, {} → {}",
        clean(&base.name),
        clean(&name.name)
    ))];
    for one in differ.differences.iter().take(SETTINGS_MAX) {
        let value = |value: &Option<String>| value.clone().unwrap_or("none".into());
        let text = format!(
            "{} of {}: {} → {}",
            one.name,
            one.place,
            value(&one.a),
            value(&one.b)
        );
        lines.extend(paragraph(&text, 2));
    }
    let hidden = differ.differences.len().saturating_sub(SETTINGS_MAX);
    if hidden > 0 {
        lines.push(format!("  and {hidden} more"));
    }
    if let (Some(a), Some(b)) = (base.record, name.record) {
        lines.push(format!("  why each can matter: iodyno diff {a} {b}"));
    }
    lines
}

fn bounds(found: &Comparison) -> Vec<String> {
    if found.bounds.is_empty() {
        return Vec::new();
    }
    let word = |crossed: Crossed| match crossed {
        Crossed::No => "✓",
        Crossed::Perhaps => "!",
        Crossed::Certainly => "✗",
        Crossed::NotJudged => "–",
    };
    let mut lines = vec![String::new(), "Bounds".to_string()];
    for one in &found.bounds {
        let place = if one.part.is_empty() {
            one.subject.clone()
        } else {
            format!("{} {}", one.subject, one.part)
        };
        lines.extend(paragraph(
            &format!(
                "{} {}  {place}: {}",
                word(one.crossed),
                one.bound,
                one.sentence
            ),
            2,
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound;
    use crate::compare::{Named, records};
    use crate::curves::tests::sweep;
    use crate::fixture::{fio_text, run};
    use model::record::Record;
    use report::text::columns;

    fn compare(given: &[(&str, &Record)], bounds: &[&str]) -> Vec<String> {
        let named: Vec<Named<'_>> = given
            .iter()
            .map(|(name, record)| Named {
                name,
                id: name.parse().ok(),
                record,
            })
            .collect();
        let bounds: Vec<bound::Bound> = bounds.iter().map(|text| text.parse().unwrap()).collect();
        lines(&records(&named, 0, &[], &bounds, false), Paint::Plain)
    }

    #[test]
    fn two_runs_fit_eighty_columns_and_say_what_they_are_worth() {
        let (a, mut b) = (run(10_000.0, 0.01, 30), run(11_000.0, 0.01, 30));
        b.provenance.kernel = "6.12.0".into();
        let lines = compare(&[("7", &a), ("9", &b)], &["p99>+5%", "iops<-5%"]);
        assert!(lines.iter().all(|line| columns(line) <= 80), "{lines:#?}");
        let text = lines.join("\n");
        for wanted in [
            "9 against 7: read IOPS +9.6 % (8.9 to 10)",
            "no more than a hint",
            "differs between",
            "  ✓ p99>+5%  9: kept: read p99 −",
            "7 (base): run /srv",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
    }

    #[test]
    fn many_stand_below_each_other_and_long_names_are_cut() {
        let old = fio_text(20_000.0, &[("rw", "read"), ("bs", "4k"), ("iodepth", "64")]);
        let long = "a-file-name-that-is-long-enough-to-be-cut.txt:120";
        let mut ours = run(10_000.0, 0.01, 30);
        ours.job = model::job::Job {
            rw: model::job::Rw::Read,
            iodepth: 64,
            ..Default::default()
        };
        let other = run(9_000.0, 0.01, 30);
        let lines = compare(&[("7", &ours), (long, &old), ("8", &other)], &[]);
        assert!(lines.iter().all(|line| columns(line) <= 80), "{lines:#?}");
        let text = lines.join("\n");
        assert!(
            text.contains("a-file-name…") && text.contains("+100 % (97 to 103)"),
            "{text}"
        );
        assert!(
            text.contains("8: no ratio, the jobs are not alike: rw randread, not read"),
            "{text}"
        );
        assert!(
            text.contains("take the samples behind them to be independent"),
            "{text}"
        );
    }

    #[test]
    fn curves_stand_over_each_other() {
        let lines = compare(
            &[
                ("3", &sweep(&[1, 2, 4, 8, 16], 4.0)),
                ("4", &sweep(&[1, 4, 8, 16, 32], 8.0)),
            ],
            &[],
        );
        assert!(lines.iter().all(|line| columns(line) <= 80), "{lines:#?}");
        let text = lines.join("\n");
        assert!(
            text.contains("Response curves by iodepth")
                && text.contains("knee: 3 at iodepth 4, 4 at iodepth 8"),
            "{text}"
        );
        assert!(
            text.contains("2.0 times (2.0 to 2.1)") || text.contains("2.0 times (1.9 to 2.1)"),
            "{text}"
        );
    }
}
