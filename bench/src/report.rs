//! The tables, as Markdown.

use std::fmt::Write;

use crate::cell::{Arms, Kind, Table};
use crate::pool::Measured;
use crate::tally;
use crate::trial::Trial;
use kit::share::Share;

/// What the figures were measured on.
pub struct Heading {
    /// Processor and kernel.
    pub machine: String,
    /// Day, in UTC.
    pub date: String,
    /// Runs of each row.
    pub runs: u64,
    /// Wall-clock time of all, in seconds.
    pub elapsed_s: u64,
    /// Whether every run went through a process of its own.
    pub over_pipes: bool,
}

/// The whole report.
pub fn text(heading: &Heading, rows: &[Measured]) -> String {
    let mut text = String::new();
    let way = if heading.over_pipes {
        "through `iodyno judge` over pipes"
    } else {
        "in process"
    };
    let _ = writeln!(
        text,
        "{} · {} · R = {} per row, {way}, {} s in all. Shares in per cent with 95 % Wilson intervals; seconds are \
         device seconds, everything included.\n",
        heading.date, heading.machine, heading.runs, heading.elapsed_s
    );
    summary(&mut text, rows);
    for (table, title, right) in [
        (Table::Null, "No arm differs: every win is wrong", "equal"),
        (Table::Power, "One arm differs", "right winner"),
        (
            Table::Shared,
            "Another program does so much of the I/O: one arm differs, or none",
            "right winner or equal",
        ),
        (
            Table::Robbed,
            "What the arm gains another program loses: every win is wrong",
            "refused as that",
        ),
        (
            Table::Debt,
            "Debt within the memory that the knob declares: every win is wrong",
            "equal",
        ),
        (
            Table::Beyond,
            "The same debt where the knob declares a second: every win is wrong, and none is promised",
            "equal",
        ),
        (
            Table::Carry,
            "One arm is 10 % faster, on devices with carry-over",
            "right winner",
        ),
        (Table::Slow, "Debt declared as class slow", "right"),
        (
            Table::Race,
            "Many arms: the arm named is within 2 % of the best",
            "right",
        ),
    ] {
        section(&mut text, rows, table, title, right);
    }
    text
}

fn section(text: &mut String, rows: &[Measured], table: Table, title: &str, right: &str) {
    let rows: Vec<&Measured> = rows.iter().filter(|row| row.cell.table == table).collect();
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n### {title}\n");
    let _ = writeln!(
        text,
        "| device | wrong wins | {right} | lasting not known | s: median, p90 | interval holds truth | \
         carry-over excluded to, s | reasons, % |"
    );
    let _ = writeln!(text, "|---|---|---|---|---|---|---|---|");
    for row in rows {
        let trials = &row.trials;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.1} | {:.0}, {:.0} | {} | {} | {} |",
            row.cell.label(),
            Share::of(trials, |trial| trial.is_wrong_win),
            Share::of(trials, |trial| trial.is_right),
            100.0 * Share::of(trials, Trial::is_open).value(),
            tally::seconds(trials, 0.5),
            tally::seconds(trials, 0.9),
            covered(trials),
            horizon(trials),
            tally::reasons(trials)
        );
    }
}

fn covered(trials: &[Trial]) -> String {
    let claims: Vec<&Trial> = trials
        .iter()
        .filter(|trial| trial.covers.is_some())
        .collect();
    match claims.len() {
        0..10 => "–".into(),
        _ => format!(
            "{:.0}",
            100.0 * Share::of(claims, |trial| trial.covers == Some(true)).value()
        ),
    }
}

fn horizon(trials: &[Trial]) -> String {
    let median_s = tally::horizon_s(trials, 0.5);
    if median_s.is_nan() {
        "–".into()
    } else {
        format!("{median_s:.1}")
    }
}

/// The figures that goals are set for.
fn summary(text: &mut String, rows: &[Measured]) {
    let _ = writeln!(text, "| goal | measured |\n|---|---|");
    wrong_wins(text, rows);
    right_winners(text, rows);
    estimates(text, rows);
    beside_others(text, rows);
    for arms in [6, 12] {
        race(text, rows, arms);
    }
}

fn line(text: &mut String, goal: &str, measured: &str) {
    let _ = writeln!(text, "| {goal} | {measured} |");
}

/// The trials of the rows that are wanted.
fn pool(rows: &[Measured], wanted: impl Fn(&Measured) -> bool) -> Vec<Trial> {
    rows.iter()
        .filter(|row| wanted(row))
        .flat_map(|row| row.trials.clone())
        .collect()
}

fn wrong_wins(text: &mut String, rows: &[Measured]) {
    let null = pool(rows, |row| row.cell.table == Table::Null);
    line(
        text,
        "wrong wins, all devices without a difference, ≤ 1 %",
        &Share::of(&null, |t| t.is_wrong_win).to_string(),
    );
    line(
        text,
        "wrong wins on the worst of them, ≤ 5 %",
        &worst_wrong(rows),
    );
}

fn right_winners(text: &mut String, rows: &[Measured]) {
    let main = ["quiet_nvme", "ar_ssd", "drift", "gc_regime", "cloud"];
    let sizeable =
        |row: &Measured| matches!(row.cell.arms, Arms::Two(effect) if effect.abs() >= 0.05);
    let power = pool(rows, |row| {
        row.cell.table == Table::Power && main.contains(&row.cell.scenario.name) && sizeable(row)
    });
    line(
        text,
        "right winner shown to last from 5 % up, five main devices, ≥ 95 %",
        &Share::of(&power, |t| t.is_right).to_string(),
    );
    line(
        text,
        "median device time of those, ≤ 45 s",
        &format!("{:.0} s", tally::seconds(&power, 0.5)),
    );
    let stalls = pool(rows, |row| {
        row.cell.table == Table::Power && row.cell.scenario.name == "stalls" && sizeable(row)
    });
    line(
        text,
        "right winner shown to last from 5 % up, stalls, ≥ 90 %",
        &Share::of(&stalls, |t| t.is_right).to_string(),
    );
}

/// What another program on the device costs.
fn beside_others(text: &mut String, rows: &[Measured]) {
    let is_null = |row: &Measured| matches!(row.cell.arms, Arms::Two(0.0));
    let null = pool(rows, |row| row.cell.table == Table::Shared && is_null(row));
    line(
        text,
        "wrong wins beside others at 20, 50 and 80 % of the I/O, ≤ 1 %",
        &Share::of(&null, |t| t.is_wrong_win).to_string(),
    );
    let power = pool(rows, |row| row.cell.table == Table::Shared && !is_null(row));
    line(
        text,
        "right winner shown to last from 10 % up beside others within 5 minutes, ≥ 90 %",
        &Share::of(&power, |t| t.is_right && t.device_ms <= 300_000).to_string(),
    );
}

/// How far the estimates of winners are from the truth.
fn estimates(text: &mut String, rows: &[Measured]) {
    let win = pool(rows, |row| row.cell.table == Table::Power);
    line(
        text,
        "wrong sign, all devices",
        &Share::of(&win, |t| t.is_wrong_win).to_string(),
    );
    let claims = win.iter().filter(|trial| trial.covers.is_some());
    line(
        text,
        "a winner's interval holds the truth, ≥ 93 %",
        &Share::of(claims, |t| t.covers == Some(true)).to_string(),
    );
    let bias: Vec<f64> = win.iter().filter_map(|trial| trial.bias_ln).collect();
    let mean_bias = bias.iter().sum::<f64>() / bias.len().max(1) as f64;
    line(
        text,
        "mean bias of a winner's estimate, ≤ 0.3 points",
        &format!("{:+.2} points", mean_bias * 100.0),
    );
}

/// An experiment with many arms, against measuring each of them on its own.
fn race(text: &mut String, rows: &[Measured], arms: usize) {
    let raced = pool(
        rows,
        |row| matches!(row.cell.arms, Arms::Drawn(count, kind) if count == arms && kind != Kind::Equal),
    );
    let seconds = raced
        .iter()
        .map(|trial| trial.device_ms as f64 / 1e3)
        .sum::<f64>()
        / raced.len().max(1) as f64;
    let ratio = arms as f64 * 180.0 / seconds;
    let right = Share::of(&raced, |trial| trial.is_right);
    line(
        text,
        &format!("{arms} arms: within 2 % of the best ≥ 95 %, 10 times cheaper than 3 × 60 s each"),
        &format!("{right}; mean {seconds:.0} s, {ratio:.0} times cheaper"),
    );
}

fn worst_wrong(rows: &[Measured]) -> String {
    let null = rows.iter().filter(|row| row.cell.table == Table::Null);
    let wrong = null.map(|row| {
        (
            Share::of(&row.trials, |trial| trial.is_wrong_win),
            row.cell.label(),
        )
    });
    let worst = wrong.max_by(|a, b| a.0.value().total_cmp(&b.0.value()));
    worst.map_or("–".into(), |(share, label)| format!("{share} on {label}"))
}
