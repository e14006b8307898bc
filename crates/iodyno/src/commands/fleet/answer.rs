//! From what came of each host to the answer of all.

use super::args::FleetArgs;
use super::crew::FleetPlan;
use super::outcome::HostOutcome;
use super::verbs::FleetVerbKind;
use fleet::{
    FLEET_SCHEMA, FleetAnswer, FleetLine, GoesWith, HostFigures, HostState, Outlier, OutlierMetric,
    SettingsTable, StartAnswer, at_common_depth, going_with, outliers, skew,
};
use model::iopath::IoPath;
use model::text::shell_word;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Makes it.
pub fn of(plan: &FleetPlan, args: &FleetArgs, outcomes: &mut [HostOutcome]) -> FleetAnswer {
    side_by_side(outcomes);
    let done = outcomes
        .iter()
        .filter(|one| one.answer.state == HostState::Done);
    let figures = done.map(|one| &one.figures);
    let mut answer = FleetAnswer {
        schema: FLEET_SCHEMA,
        verb: plan.verb.words.clone(),
        fleet: FleetLine::of(plan.verb.is_together(), figures),
        hosts: outcomes
            .iter()
            .map(|outcome| outcome.answer.clone())
            .collect(),
        ..FleetAnswer::default()
    };
    begin(&mut answer, outcomes);
    compare(&mut answer, plan, outcomes);
    for (host, outcome) in answer.hosts.iter_mut().zip(outcomes.iter_mut()) {
        let document = outcome.document.take();
        host.document = document.filter(|_| outcome.figures.iops.is_none());
    }
    answer.notes.extend(same_machines(outcomes));
    answer.next = next(&answer, plan, args);
    answer
}

/// Has hosts that made several loads show one that all of them made.
fn side_by_side(outcomes: &mut [HostOutcome]) {
    let done = outcomes
        .iter_mut()
        .filter(|one| one.answer.state == HostState::Done);
    let mut figures: Vec<&mut HostFigures> = done.map(|one| &mut one.figures).collect();
    at_common_depth(&mut figures);
    outcomes.iter_mut().for_each(HostOutcome::show_figures);
}

/// Hosts that are one machine under several names: they shared what they measured.
fn same_machines(outcomes: &[HostOutcome]) -> Vec<String> {
    let mut names: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for answer in outcomes.iter().map(|one| &one.answer) {
        if let Some(host) = answer.host.as_ref().filter(|host| !host.boot.is_empty()) {
            let machine = (host.hostname.as_str(), host.boot.as_str());
            let name = model::text::clean_to(&answer.name, 40);
            names.entry(machine).or_default().push(name);
        }
    }
    let several = names.into_values().filter(|names| names.len() > 1);
    let note = |names: Vec<String>| {
        let shown: Vec<String> = names.iter().take(5).cloned().collect();
        let shown = shown.join(", ");
        format!(
            "{} of these are one machine by its name and boot: {shown}",
            names.len()
        )
    };
    several.map(note).collect()
}

/// How far apart they began.
fn begin(answer: &mut FleetAnswer, outcomes: &[HostOutcome]) {
    let begun: Vec<(i128, u64)> = outcomes.iter().filter_map(|one| one.began).collect();
    let Some(skew) = skew(&begun) else {
        return;
    };
    let first_ns = begun.iter().map(|one| one.0).min().unwrap_or(0);
    for (host, outcome) in answer.hosts.iter_mut().zip(outcomes) {
        let after = outcome.began.map(|(at_ns, _)| at_ns - first_ns);
        host.began_after_ns = after.and_then(|after| u64::try_from(after).ok());
    }
    let last = answer.hosts.iter().max_by_key(|host| host.began_after_ns);
    answer.start = Some(StartAnswer {
        hosts: begun.len(),
        skew,
        last: last.map(|host| host.name.clone()).unwrap_or_default(),
    });
}

/// Who is different, what goes with it, and what differs at all.
fn compare(answer: &mut FleetAnswer, plan: &FleetPlan, outcomes: &[HostOutcome]) {
    let done = || {
        let all = outcomes.iter().enumerate();
        all.filter(|(_, one)| one.answer.state == HostState::Done)
    };
    let values = |value: fn(&HostOutcome) -> Option<f64>| -> Vec<(usize, &str, f64)> {
        done()
            .filter_map(|(at, one)| Some((at, one.answer.name.as_str(), value(one)?)))
            .collect()
    };
    let rates = values(|one| one.answer.iops);
    let latencies = values(|one| one.answer.p99_ns.map(|ns| ns as f64));
    answer.outliers = outliers(OutlierMetric::Rate, &rates);
    answer
        .outliers
        .extend(outliers(OutlierMetric::P99, &latencies));
    let paths: Vec<(usize, &str, &IoPath)> = done()
        .filter_map(|(at, one)| Some((at, one.answer.name.as_str(), one.path.as_ref()?)))
        .collect();
    let is_diff = plan.verb.kind == FleetVerbKind::Diff;
    if !is_diff && answer.outliers.is_empty() {
        return;
    }
    // Paths come from hosts: a defect that one of them finds costs the comparison alone.
    let compared = catch_unwind(AssertUnwindSafe(|| {
        let table = SettingsTable::of(&paths);
        let goes_with = going(&answer.outliers, &table);
        (table, goes_with)
    }));
    match compared {
        Ok((table, goes_with)) => {
            answer.goes_with = goes_with;
            answer.settings = is_diff.then_some(table);
        }
        Err(_) => answer
            .notes
            .push("the settings of these hosts could not be compared".into()),
    }
}

/// What goes with being worse; where nobody is, with being different.
fn going(outliers: &[Outlier], table: &SettingsTable) -> Vec<GoesWith> {
    let worse: BTreeSet<usize> = outliers
        .iter()
        .filter(|one| one.is_worse())
        .map(|one| one.at)
        .collect();
    match worse.is_empty() {
        true => going_with(&outliers.iter().map(|one| one.at).collect(), table),
        false => going_with(&worse, table),
    }
}

/// The command to run next.
fn next(answer: &FleetAnswer, plan: &FleetPlan, args: &FleetArgs) -> Option<String> {
    let odd = answer.outliers.iter().find(|one| one.is_worse())?;
    let FleetVerbKind::Run { target, .. } = &plan.verb.kind else {
        return None;
    };
    Some({
        let mut words = vec!["iodyno".to_string(), "fleet".into(), "--hosts".into()];
        words.push(answer.hosts[odd.at].address.clone());
        words.extend(way(args));
        words.extend(["check".into(), target.clone()]);
        let words: Vec<String> = words.iter().map(|word| shell_word(word).into()).collect();
        words.join(" ")
    })
}

/// The options that lead to the same host again.
fn way(args: &FleetArgs) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(via) = &args.via {
        words.extend(["--via".to_string(), via.clone()]);
    }
    if let Some(config) = &args.ssh_config {
        words.extend([
            "--ssh-config".to_string(),
            config.to_string_lossy().into_owned(),
        ]);
    }
    if args.sudo {
        words.push("--sudo".into());
    }
    words
}
