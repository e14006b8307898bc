//! What a limit of a control group holds, and how groups share a disk, as text.

use super::text::{clean, width, wrap};
use model::limit::{
    GroupsAtOnce, IoWay, LimitEffect, LimitMeasured, LimitReport, LimitedWay, Moved,
};
use model::target::CgroupLimit;
use model::text::{shell_word, short_group};
use model::units;

/// What is about to be measured.
pub fn head(report: &LimitReport) -> String {
    let of = match &report.group {
        Some(group) => format!("the limits of control group {}", short_group(&clean(group))),
        None => "limits of control groups made for this".into(),
    };
    let fstype = report.fstype.as_deref().unwrap_or("no known file system");
    format!(
        "iodyno: {of} (version {}) on {}, below {} ({fstype})",
        report.version,
        report.device,
        clean(&report.target)
    )
}

/// A way that has just been measured.
pub fn progress(way: &LimitedWay, limit: &CgroupLimit) -> String {
    format!(
        "  {}: {}, {}",
        way.way.words(),
        rate(limit, way.program, way.program_ms),
        effect_words(way.effect)
    )
}

/// The whole answer: for each limit one sentence on what it does and does not do, with the figures below it.
pub fn lines(report: &LimitReport) -> Vec<String> {
    let mut lines = Vec::new();
    for measured in report.limits.iter().filter(|one| !one.ways.is_empty()) {
        lines.extend(wrap(&sentence(report, measured), width()));
        lines.extend(table(measured));
        lines.extend(remarks(measured));
    }
    if !report.at_once.is_empty() {
        lines.extend(at_once(report));
    }
    lines
}

/// One line on what the limit does and does not do here.
fn sentence(report: &LimitReport, measured: &LimitMeasured) -> String {
    let limit = &measured.limit;
    let verb = if limit.is_on_reads() {
        "reads"
    } else {
        "writes"
    };
    let of = |effect: LimitEffect| -> String {
        let ways = measured.ways.iter().filter(|way| way.effect == effect);
        and(&ways.map(|way| phrase(way.way, verb)).collect::<Vec<_>>())
    };
    let mut parts = Vec::new();
    let mut add = |effect: LimitEffect, words: &dyn Fn(&str) -> String| {
        let ways = of(effect);
        if !ways.is_empty() {
            parts.push(words(&ways));
        }
    };
    add(LimitEffect::Held, &|ways| format!("holds {ways}"));
    add(LimitEffect::BehindCache, &|ways| {
        format!("holds {ways} on the device only, behind the page cache")
    });
    add(LimitEffect::PassedBy, &|ways| {
        format!("does not hold {ways}")
    });
    add(LimitEffect::NotReached, &|ways| {
        format!("was not reached by {ways}")
    });
    let why = match (of(LimitEffect::PassedBy).is_empty(), limit.is_on_reads()) {
        (false, false) if limit.version == 1 => {
            ": version 1 charges who submits an I/O, and the kernel's write-back belongs to the root group"
        }
        (false, false) => ": their write-back is not charged to the group",
        _ => "",
    };
    format!(
        "The limit of {} on {} {}{why}.",
        limit.words(),
        report.device,
        parts.join("; it ")
    )
}

/// A way as the object of a sentence.
fn phrase(way: IoWay, verb: &str) -> String {
    match way {
        IoWay::Direct | IoWay::Buffered | IoWay::Mmap => format!("{} {verb}", way.words()),
        IoWay::Fsync => format!("{verb} with fsync"),
        IoWay::Foreign => format!("buffered {verb} into a file that another group made"),
    }
}

fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn effect_words(effect: LimitEffect) -> &'static str {
    match effect {
        LimitEffect::Held => "held",
        LimitEffect::BehindCache => "held behind the page cache",
        LimitEffect::PassedBy => "passes it by",
        LimitEffect::NotReached => "below the limit",
    }
}

/// An amount in so long, in the unit of the limit.
fn rate(limit: &CgroupLimit, moved: Moved, ms: f64) -> String {
    let per_s = moved.of(limit) as f64 / (ms / 1e3).max(1e-3);
    match limit.is_in_bytes() {
        true => units::bytes_per_s(per_s),
        false => format!("{} /s", units::count(per_s.round())),
    }
}

fn table(measured: &LimitMeasured) -> Vec<String> {
    let limit = &measured.limit;
    let mut lines = vec![format!(
        "  {:<20}{:>12}{:>12}{:>12}{:>11}  {}",
        "", "program", "device", "charged", "dirty", "the limit"
    )];
    for way in &measured.ways {
        let charged = way
            .charged
            .map(|charged| rate(limit, charged, way.device_ms));
        let dirty = way.dirty_peak_bytes.map(|bytes| units::bytes(bytes as f64));
        let unknown = || "-".to_string();
        lines.push(format!(
            "  {:<20}{:>12}{:>12}{:>12}{:>11}  {}",
            way.way.words(),
            rate(limit, way.program, way.program_ms),
            rate(limit, way.device, way.device_ms),
            charged.unwrap_or_else(unknown),
            dirty.unwrap_or_else(unknown),
            effect_words(way.effect)
        ));
    }
    lines
}

/// What the columns mean, and what else was seen.
fn remarks(measured: &LimitMeasured) -> Vec<String> {
    let mut lines = wrap(
        "device and charged: until all was written back; the device's own figure has the I/O of others in it. dirty: the \
         most dirty pages that the group had.",
        width() - 2,
    );
    for way in &measured.ways {
        if !way.is_written_back {
            lines.push(format!(
                "{}: not all was written back after {}.",
                way.way.words(),
                units::span_ms(way.device_ms as u64)
            ));
        }
    }
    let longest = measured
        .ways
        .iter()
        .max_by(|one, other| one.longest_ms.total_cmp(&other.longest_ms));
    if let Some(way) = longest.filter(|way| way.longest_ms >= 1000.0) {
        let what = if way.way == IoWay::Fsync {
            "one fsync"
        } else {
            "one I/O"
        };
        lines.push(format!(
            "{}: {what} took {}.",
            way.way.words(),
            units::span_ms(way.longest_ms as u64)
        ));
    }
    let records: Vec<String> = measured
        .ways
        .iter()
        .filter_map(|way| way.record.map(|id| id.to_string()))
        .collect();
    if let Some(first) = records.first() {
        lines.push(format!(
            "records {}   show one: iodyno show {first}",
            records.join(", ")
        ));
    }
    lines.into_iter().map(|line| format!("  {line}")).collect()
}

/// Groups at once: the answer, and a row for each number of them.
fn at_once(report: &LimitReport) -> Vec<String> {
    let limit = report
        .limits
        .first()
        .map(|one| format!(", each limited to {}", one.limit.words()));
    let job = report.job.as_deref().unwrap_or("one job");
    let mut lines = wrap(
        &format!(
            "Groups at once on {}{}: {job} in each.",
            report.device,
            limit.unwrap_or_default()
        ),
        width(),
    );
    lines.extend(weights(report));
    lines.push(format!(
        "  {:<12}{:>12}{:>9}{:>12}  {:<13}{:>6}  {}",
        "", "together", "IOPS", "device", "share", "Jain", "p99"
    ));
    lines.extend(report.at_once.iter().map(row));
    lines.push(
        "  Jain: fairness, 1 where all got the same. The device's own figure has the I/O of others in it."
            .into(),
    );
    lines
}

/// Whether weights were kept, of the most groups at once, and who would act on them.
fn weights(report: &LimitReport) -> Vec<String> {
    let most = report.at_once.iter().rfind(|groups| !groups.is_host);
    let Some((dues, is_kept)) = most.and_then(|most| most.dues().zip(most.keeps_weights())) else {
        return Vec::new();
    };
    let list = |of: fn(&(f64, f64)) -> f64| {
        and(&dues
            .iter()
            .map(|one| units::share(of(one)))
            .collect::<Vec<_>>())
    };
    let weights: Vec<String> = report.weights.iter().map(u32::to_string).collect();
    let what = match (is_kept, report.weights_by) {
        (true, Some(by)) => format!("kept, by {}", by.words()),
        (true, None) => "as if they were kept, though nothing here acts on weights".into(),
        (false, Some(by)) => format!(
            "not kept, though {} acts on weights here: the groups do not all wait for the disk, or nr_requests leaves the scheduler too few to choose from",
            by.words()
        ),
        (false, None) => "not kept, for nothing here acts on weights".into(),
    };
    let text = format!(
        "Weights by turns {}: {what}. By weight they are due {}; they got {}.",
        weights.join(", "),
        list(|one| one.0),
        list(|one| one.1)
    );
    let mut lines = wrap(&text, width());
    if report.weights_by.is_none() {
        lines.extend(who_would(report));
    }
    lines
}

/// The commands that put somebody there who acts on weights, whole, to be pasted.
fn who_would(report: &LimitReport) -> Vec<String> {
    let target = shell_word(&report.target);
    let mut lines = vec![format!(
        "  bfq would: sudo iodyno set scheduler=bfq {target}"
    )];
    if report.version == 2 {
        lines.push(format!(
            "  io.cost would: sudo iodyno set io_cost@/=1 {target}"
        ));
    }
    lines
}

/// A number of groups that has just been measured.
pub fn round(groups: &GroupsAtOnce) -> String {
    let seconds = (groups.span_ms / 1e3).max(1e-3);
    let together = units::bytes_per_s(groups.sum().bytes as f64 / seconds);
    format!("  {}: {together} together", round_name(groups))
}

fn round_name(groups: &GroupsAtOnce) -> String {
    match (groups.is_host, groups.count) {
        (true, 1) => "no group".into(),
        (true, count) => format!("no group, {count}"),
        (false, 1) => "1 group".into(),
        (false, count) => format!("{count} groups"),
    }
}

/// One number of groups.
fn row(groups: &GroupsAtOnce) -> String {
    let seconds = (groups.span_ms / 1e3).max(1e-3);
    let sum = groups.sum();
    let per_s = |bytes: u64| units::bytes_per_s(bytes as f64 / seconds);
    let shares = groups
        .shares
        .iter()
        .map(|share| share.moved.bytes as f64 / sum.bytes.max(1) as f64);
    let p99 = groups.shares.iter().filter_map(|share| share.p99_ns);
    let fairness = groups.fairness().filter(|_| groups.count > 1);
    format!(
        "  {:<12}{:>12}{:>9}{:>12}  {:<13}{:>6}  {}",
        round_name(groups),
        per_s(sum.bytes),
        units::count((sum.ios as f64 / seconds).round()),
        per_s(groups.device.bytes),
        if groups.count > 1 {
            span(shares, units::share)
        } else {
            String::new()
        },
        fairness.map_or_else(String::new, |index| units::decimals(index, 3)),
        span(p99.map(|ns| ns as f64), units::duration_ns),
    )
}

/// The least and the most of several values, in words; one where they read the same.
fn span(values: impl Iterator<Item = f64> + Clone, words: fn(f64) -> String) -> String {
    let least = values.clone().min_by(f64::total_cmp).map(words);
    match (least, values.max_by(f64::total_cmp).map(words)) {
        (Some(least), Some(most)) if least == most => most,
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::limit::{GroupShare, WeightsBy};

    fn measured() -> LimitMeasured {
        let way = |way, program: u64, effect| LimitedWay {
            way,
            file_bytes: 1 << 20,
            program: Moved {
                bytes: program << 20,
                ios: 1,
            },
            program_ms: 5000.0,
            device: Moved {
                bytes: program << 20,
                ios: 1,
            },
            charged: Some(Moved::default()),
            device_ms: 5000.0,
            is_written_back: true,
            dirty_peak_bytes: Some(1 << 20),
            longest_ms: 1.0,
            effect,
            record: Some(3),
        };
        LimitMeasured {
            limit: CgroupLimit {
                what: "wbps".into(),
                limit: 10 << 20,
                version: 1,
                ..CgroupLimit::default()
            },
            ways: vec![
                way(IoWay::Direct, 50, LimitEffect::Held),
                way(IoWay::Fsync, 50, LimitEffect::Held),
                way(IoWay::Buffered, 5000, LimitEffect::PassedBy),
            ],
        }
    }

    #[test]
    fn one_sentence_says_what_the_limit_does_and_does_not_do() {
        let report = LimitReport {
            device: "vda".into(),
            limits: vec![measured()],
            ..LimitReport::default()
        };
        let text = lines(&report).join("\n");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let wanted = "The limit of 10.0 MiB/s of writes on vda holds direct writes and writes with fsync; it does not hold \
                      buffered writes: version 1 charges who submits an I/O";
        assert!(flat.contains(wanted), "{flat}");
        assert!(
            flat.contains("buffered 1000 MiB/s 1000 MiB/s 0 B/s 1.00 MiB passes it by"),
            "{flat}"
        );
        assert!(flat.contains("iodyno show 3"), "{flat}");
    }

    #[test]
    fn weights_are_told_kept_or_with_who_would_keep_them() {
        let of = |each: [u64; 2], by: Option<WeightsBy>| {
            let share = |(weight, bytes): (u32, u64)| GroupShare {
                weight: Some(weight),
                moved: Moved { bytes, ios: 1 },
                ..GroupShare::default()
            };
            let report = LimitReport {
                device: "sda".into(),
                target: "/srv".into(),
                version: 1,
                weights: vec![100, 300],
                weights_by: by,
                at_once: vec![GroupsAtOnce {
                    count: 2,
                    shares: [100, 300].into_iter().zip(each).map(share).collect(),
                    ..GroupsAtOnce::default()
                }],
                ..LimitReport::default()
            };
            weights(&report).join(" ")
        };
        assert_eq!(
            of([2, 8], Some(WeightsBy::Bfq)),
            "Weights by turns 100, 300: kept, by bfq. By weight they are due 25 % and 75 %; they got 20 % and 80 %."
        );
        let free = of([5, 5], None);
        assert!(free.contains("nothing here acts on weights"), "{free}");
        assert!(
            free.ends_with("  bfq would: sudo iodyno set scheduler=bfq /srv"),
            "{free}"
        );
        let idle = of([5, 5], Some(WeightsBy::Bfq));
        assert!(idle.contains("do not all wait"), "{idle}");
    }

    #[test]
    fn groups_at_once_have_a_row_each() {
        let share = |bytes| GroupShare {
            moved: Moved { bytes, ios: 100 },
            p99_ns: Some(1_000_000),
            ..GroupShare::default()
        };
        let groups = GroupsAtOnce {
            count: 2,
            span_ms: 1000.0,
            shares: vec![share(3 << 20), share(1 << 20)],
            ..GroupsAtOnce::default()
        };
        let row = row(&groups);
        assert!(
            row.contains("25 % to 75 %") && row.contains("0.800"),
            "{row}"
        );
    }
}
