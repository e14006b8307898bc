//! The answer of a fleet for people: the table, the line of all, who is different and what goes with it.

use crate::answer::{FleetAnswer, FleetLine, HostAnswer, HostState, StartAnswer};
use crate::goes_with::GoesWith;
use crate::outlier::{Outlier, OutlierMetric};
use crate::settings::{SettingRow, SettingsTable};
use model::text::clean_to;
use model::units;
use report::text::{Paint, aligned, wrap};

/// Hosts that are named in a sentence.
const NAMED_MAX: usize = 8;
/// Rows of a table of settings without `--json`.
const ROWS_MAX: usize = 30;
/// Longest value of a setting in a table, characters.
const VALUE_MAX: usize = 40;

/// All lines.
pub fn lines(answer: &FleetAnswer, width: usize, paint: Paint) -> Vec<String> {
    let mut lines = table(answer, paint);
    lines.extend(answer.hosts.iter().flat_map(|host| trouble(host, width)));
    let sentence = |text: String| wrap(&text, width);
    lines.extend(answer.fleet.iter().flat_map(|line| sentence(fleet(line))));
    lines.extend(answer.start.iter().flat_map(|start| sentence(began(start))));
    if let Some(settings) = &answer.settings {
        lines.extend(settings_lines(settings, width, paint));
    }
    lines.extend(answer.outliers.iter().flat_map(|one| sentence(odd(one))));
    lines.extend(goes_with(&answer.goes_with, width));
    for pending in &answer.pending {
        let verb = clean_to(&pending.verb.join(" "), 60);
        let name = clean_to(&pending.name, 60);
        let why = clean_to(&pending.why, 200);
        lines.extend(sentence(format!(
            "Pending on {name}: `{verb}` was at work when it was lost ({why}); what it changed may still be there."
        )));
    }
    if let Some(next) = &answer.next {
        lines.push(format!("Next: {next}"));
    }
    lines.extend(
        answer
            .notes
            .iter()
            .flat_map(|note| sentence(format!("note: {note}"))),
    );
    lines
}

fn table(answer: &FleetAnswer, paint: Paint) -> Vec<String> {
    let has_load = answer.hosts.iter().any(|host| host.iops.is_some());
    let row = |host: &HostAnswer| {
        let mut row = vec![clean_to(&host.name, 40), host.state.word().to_string()];
        if has_load {
            let or_dash = |value: Option<String>| value.unwrap_or("–".into());
            row.push(or_dash(host.iops.map(units::rate)));
            row.push(or_dash(host.bytes_per_s.map(units::bytes_per_s)));
            row.push(or_dash(host.p99_ns.map(|ns| units::duration_ns(ns as f64))));
        }
        row.push(clean_to(host.finding.as_deref().unwrap_or_default(), 70));
        row
    };
    let mut head = vec!["host", "state"];
    if has_load {
        head.extend(["IOPS", "bandwidth", "p99"]);
    }
    head.push(if has_load { "first finding" } else { "answer" });
    let head: Vec<String> = head.into_iter().map(Into::into).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head)
        .chain(answer.hosts.iter().map(row))
        .collect();
    let last = rows[0].len() - 1;
    let is_words = |at: usize| at < 2 || at == last;
    let mut lines = aligned(rows.iter().map(Vec::as_slice), is_words);
    if let Some(head) = lines.first_mut() {
        *head = paint.strong(head);
    }
    lines
}

/// Why a host has no answer, and what to do.
fn trouble(host: &HostAnswer, width: usize) -> Vec<String> {
    if host.state == HostState::Done {
        return Vec::new();
    }
    let told = host.error.as_ref().map(|error| error.error.as_str());
    let why = host.why.as_deref().or(told).unwrap_or("it did not say why");
    let line = |text: &str| {
        let line = text.lines().next().unwrap_or_default();
        clean_to(line, 400)
    };
    let name = clean_to(&host.name, 40);
    let mut lines = wrap(&format!("{name}: {}", line(why)), width);
    let of_verb = host.error.as_ref().and_then(|error| error.hint.as_deref());
    if let Some(hint) = host.hint.as_deref().or(of_verb) {
        lines.push(format!("  {}", line(hint)));
    }
    lines
}

fn fleet(line: &FleetLine) -> String {
    let time = |ns: Option<u64>| ns.map_or("–".into(), |ns| units::duration_ns(ns as f64));
    let how = match line.is_together {
        true => "together",
        false => "each by itself, added up",
    };
    format!(
        "fleet: {} {how} {} IOPS, {}; of all I/Os p50 {}, p99 {}, p99.9 {}",
        hosts(line.hosts),
        units::rate(line.iops),
        units::bytes_per_s(line.bytes_per_s),
        time(line.p50_ns),
        time(line.p99_ns),
        time(line.p999_ns),
    )
}

fn began(start: &StartAnswer) -> String {
    let time = |ns: u64| units::duration_ns(ns as f64);
    format!(
        "begun together: {} hosts within {} (± {} by their clocks), {} last",
        start.hosts,
        time(start.skew.skew_ns),
        time(start.skew.error_ns),
        clean_to(&start.last, 40)
    )
}

fn odd(one: &Outlier) -> String {
    let (value, median, what) = match one.metric {
        OutlierMetric::Rate => (units::rate(one.value), units::rate(one.median), "IOPS"),
        OutlierMetric::P99 => (
            units::duration_ns(one.value),
            units::duration_ns(one.median),
            "p99",
        ),
    };
    format!(
        "{} is different: {what} {value}, the median of {} is {median}. It is {} robust deviations away; among alike hosts the \
         farthest is beyond {} in 5 of 200 fleets of this size.",
        clean_to(&one.host, 40),
        hosts(one.hosts),
        units::decimals(one.distance.abs(), 1),
        units::decimals(one.bound, 1),
    )
}

fn goes_with(found: &[GoesWith], width: usize) -> Vec<String> {
    let Some(first) = found.first() else {
        return Vec::new();
    };
    let mut lines = vec!["What goes with it, as a hint and no proof:".to_string()];
    for one in found {
        lines.push(format!(
            "  {}: {}, elsewhere {}; {} {} it, by chance alone in {} of draws",
            of_place(&one.name, &one.place),
            value(one.value.as_deref()),
            value(one.elsewhere.as_deref()),
            hosts(one.hosts_with),
            if one.hosts_with == 1 { "has" } else { "have" },
            units::percent(one.by_chance * 100.0),
        ));
    }
    let also = match first.as_well {
        0 => "no other goes with it as well as the first".into(),
        1 => "one other goes with it as well as the first".into(),
        count => format!("{count} others go with it as well as the first"),
    };
    lines.extend(wrap(
        &format!(
            "{} settings and facts were compared, and {also}. Whether it is the reason, `iodyno tune` on that host says.",
            first.compared
        ),
        width,
    ));
    lines
}

fn settings_lines(table: &SettingsTable, width: usize, paint: Paint) -> Vec<String> {
    if table.hosts < 2 {
        return Vec::new();
    }
    let shown: Vec<&SettingRow> = table.weighty().collect();
    let minor = table.rows.len() - shown.len();
    if table.rows.is_empty() {
        let text = format!(
            "No difference: {} and {} settings and facts.",
            hosts(table.hosts),
            table.compared
        );
        return vec![text];
    }
    let usual = clean_to(&table.usual_host, 40);
    let mut lines = vec![String::new()];
    for row in shown.iter().take(ROWS_MAX) {
        let name = of_place(&row.name, &row.place);
        let on = format!(
            "{} on {usual} and every host that is not named",
            value(row.usual.as_deref())
        );
        lines.push(format!("{}: {on}", paint.strong(&name)));
        lines.extend(others(row).into_iter().map(|line| format!("  {line}")));
        if !row.why.is_empty() {
            let why = wrap(&clean_to(&row.why, 300), width.saturating_sub(2));
            lines.extend(why.into_iter().map(|line| format!("  {line}")));
        }
    }
    let beyond = shown.len().saturating_sub(ROWS_MAX);
    if beyond + minor > 0 {
        lines.push(format!(
            "{} more that hardly matter stand in the document (--json).",
            beyond + minor
        ));
    }
    lines
}

/// Hosts with another value, those of one value together.
fn others(row: &SettingRow) -> Vec<String> {
    let mut by_value: Vec<(&Option<String>, Vec<&str>)> = Vec::new();
    for one in &row.others {
        match by_value.iter_mut().find(|(value, _)| **value == one.value) {
            Some((_, names)) => names.push(&one.host),
            None => by_value.push((&one.value, vec![&one.host])),
        }
    }
    let line = |(of, names): (&Option<String>, Vec<&str>)| {
        let named: Vec<String> = names
            .iter()
            .take(NAMED_MAX)
            .map(|name| clean_to(name, 40))
            .collect();
        let more = match names.len() > named.len() {
            true => format!(" and {} more", names.len() - named.len()),
            false => String::new(),
        };
        format!("{} on {}{more}", value(of.as_deref()), named.join(", "))
    };
    by_value.into_iter().map(line).collect()
}

/// A setting with whose it is; a layer is its own.
fn of_place(name: &str, place: &str) -> String {
    let name = clean_to(name, 60);
    match name.starts_with("layer ") {
        true => name,
        false => format!("{name} of the {place}"),
    }
}

fn value(text: Option<&str>) -> String {
    text.map_or("none".into(), |text| clean_to(text, VALUE_MAX))
}

fn hosts(count: usize) -> String {
    match count {
        1 => "1 host".into(),
        count => format!("{count} hosts"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Skew;

    #[test]
    fn the_answer_names_every_host_and_hides_no_trouble() {
        let host = |name: &str, state, iops: Option<f64>| HostAnswer {
            name: name.into(),
            state,
            iops,
            p99_ns: iops.map(|_| 1_250_000),
            ..HostAnswer::default()
        };
        let mut lost = host("h2\u{1b}[2J", HostState::Lost, None);
        lost.why = Some("the connection ended: Connection closed".into());
        let answer = FleetAnswer {
            hosts: vec![host("h1", HostState::Done, Some(12_345.0)), lost],
            start: Some(StartAnswer {
                hosts: 2,
                skew: Skew {
                    skew_ns: 400_000,
                    error_ns: 90_000,
                },
                last: "h1".into(),
            }),
            next: Some("iodyno fleet undo".into()),
            ..FleetAnswer::default()
        };
        let text = lines(&answer, 100, Paint::Plain).join("\n");
        assert!(!text.contains('\u{1b}'), "{text:?}");
        for part in [
            "h1",
            "done",
            "1.25 ms",
            "lost",
            "Connection closed",
            "within 400 µs (± 90.0 µs by their clocks), h1 last",
            "Next: iodyno fleet undo",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
