//! A data set in words: what is in the tree, how fast it is read on each target, and which is worth it by how much.

use super::text::{clean, width, wrap};
use model::curve::Spread;
use model::dataset::{
    Dataset, DatasetPass, DatasetReport, DatasetRole, DatasetShape, DatasetTarget, READ, SizeClass,
};
use model::record::Record;
use model::units;

/// Names of powers of ten, bytes.
const DECADES: [&str; 13] = [
    "1 B", "10 B", "100 B", "1 kB", "10 kB", "100 kB", "1 MB", "10 MB", "100 MB", "1 GB", "10 GB",
    "100 GB", "1 TB",
];

/// An interval that reaches farther than this to a side, as a share, hides differences that matter.
const WIDE: f64 = 0.1;

/// The whole answer: the sentence of each target, then what it rests on.
pub fn lines(report: &DatasetReport) -> Vec<String> {
    let mut lines = answer(report);
    lines.extend(shape_lines(&report.tree, &report.shape));
    lines.push(format!(
        "  sample    {}, {}, seed {}",
        files(report.shape.sampled_files),
        units::bytes(report.shape.sampled_bytes as f64),
        report.seed
    ));
    let mut told: Vec<&str> = Vec::new();
    for target in &report.targets {
        lines.extend(target_lines(target));
        // What holds for several is said once.
        let new = target
            .notes
            .iter()
            .filter(|note| !told.contains(&note.as_str()));
        lines.extend(new.flat_map(|note| note_lines(note)));
        told.extend(target.notes.iter().map(String::as_str));
    }
    if report
        .targets
        .iter()
        .any(|target| !target.passes.is_empty())
    {
        lines.extend(indented(
            "a file: open, stat, read to the end and close by one reader, on average. metadata: the part of it that is not \
             reading. packed: how many times faster the same bytes come from one large file, in order.",
        ));
    }
    lines.extend(report.notes.iter().flat_map(|note| note_lines(note)));
    let records = report.targets.iter().filter_map(|target| target.record);
    let records: Vec<String> = records.map(|id| id.to_string()).collect();
    match &records[..] {
        [] => {}
        [one] => lines.push(format!("  record {one}   show it: iodyno show {one}")),
        all => lines.push(format!(
            "  records {}   side by side: iodyno compare {}",
            all.join(", "),
            all.join(" ")
        )),
    }
    lines
}

/// What a record with such a study shows.
pub(super) fn record_lines(record: &Record, dataset: &Dataset) -> Vec<String> {
    let mut lines = wrap(&format!("{}.", record.summary), width());
    lines.extend(shape_lines(&dataset.tree, &dataset.shape));
    lines.extend(target_lines(&dataset.target));
    let notes = dataset.target.notes.iter().chain(&dataset.notes);
    lines.extend(notes.flat_map(|note| note_lines(note)));
    lines
}

/// The sentence of a record, without its full stop.
pub fn sentence(dataset: &Dataset) -> String {
    let target = &dataset.target;
    let Some(pass) = telling(target) else {
        return format!("{}: nothing was read", clean(&dataset.tree));
    };
    let own = format!("data set of small files, {}: {}", pass.words(), speed(pass));
    match (&dataset.against, pass.faster) {
        (Some(first), Some(faster)) => format!("{own}, {}", against(faster, first)),
        _ => own,
    }
}

/// One sentence and more for each target.
fn answer(report: &DatasetReport) -> Vec<String> {
    let Some((first, others)) = report.targets.split_first() else {
        return Vec::new();
    };
    let Some(base) = telling(first) else {
        return vec![format!("Nothing of {} was read.", clean(&report.tree))];
    };
    let mut paragraphs = Vec::new();
    for target in others {
        paragraphs.push(comparison(report, (first, base), target));
    }
    if others.is_empty() {
        let metadata = units::share(base.metadata_share());
        paragraphs.push(format!(
            "{} is read at {}, {}; {metadata} of a file's time is metadata.",
            clean(&first.target),
            speed(base),
            base.words()
        ));
        paragraphs.extend(warm_and_wide(first));
    }
    paragraphs.extend(packed_sentences(report));
    paragraphs
        .iter()
        .flat_map(|text| wrap(text, width()))
        .collect()
}

/// The other states of a target that stands alone.
fn warm_and_wide(target: &DatasetTarget) -> Option<String> {
    let told = telling(target)?;
    let others = target.passes.iter().filter(|pass| *pass != told);
    let words: Vec<String> = others
        .map(|pass| format!("{}: {}", pass.words(), speed(pass)))
        .collect();
    (!words.is_empty()).then(|| format!("{}.", words.join("; ")))
}

/// What one target gives against the first.
fn comparison(
    report: &DatasetReport,
    (first, base): (&DatasetTarget, &DatasetPass),
    target: &DatasetTarget,
) -> String {
    let name = clean(&target.target);
    let Some(pass) = target.pass(base.cold.is_some(), base.readers) else {
        return format!("{name}: nothing was read.");
    };
    let Some(faster) = pass.faster else {
        return format!(
            "{name}: there is no turn in which both read the same files, so nothing is compared."
        );
    };
    let mut text = format!(
        "{name} {}: {}, {} turns each.",
        against(faster, &first.target),
        pass.words(),
        pass.turns
    );
    match pass.metadata_of_difference {
        Some(share) => {
            text += &format!(" {} of the difference is metadata.", units::share(share));
        }
        None if faster.half_width().is_none_or(|half| half > WIDE) => {
            text += " More --epochs narrow the interval.";
        }
        None => {}
    }
    text + &worth(report, (first, base), (target, pass))
}

/// What an epoch of all of it takes on both, and whether it fits.
fn worth(
    report: &DatasetReport,
    (first, base): (&DatasetTarget, &DatasetPass),
    (target, pass): (&DatasetTarget, &DatasetPass),
) -> String {
    let shape = &report.shape;
    // Huge files were not read, and nothing is known of their time.
    let small = shape.files.saturating_sub(shape.huge);
    let (there, here) = (base.time_of(small), pass.time_of(small));
    let span = |ms: f64| units::span_ms(ms as u64);
    let state = pass.state();
    let seen = match (shape.is_whole, shape.huge == 0) {
        (true, true) => "the whole tree",
        (false, true) => "what was seen of the tree",
        (true, false) => "the tree's small files",
        (false, false) => "the small files that were seen of the tree",
    };
    let mut text = format!(
        " An epoch of {seen} takes {} on {} and {} on {}, {state}.",
        span(there),
        clean(&first.target),
        span(here),
        clean(&target.target)
    );
    let is_clear = pass
        .faster
        .is_some_and(|faster| faster.low.is_some_and(|low| low > 1.0));
    let is_told = is_clear && shape.huge == 0 && pass.cold.is_some();
    if is_told && target.role == DatasetRole::Scratch && there > here {
        // Copying reads it once as slowly as before: it pays when n × there > there + n × here.
        let epochs = ((there / (there - here)).floor() + 1.0).max(2.0);
        text += &format!(
            " Copying it takes at least one epoch, so a copy pays from {} cold epochs on.",
            units::whole(epochs)
        );
    }
    for lack in target.lacks(shape) {
        text += &match lack {
            "inodes" => format!(
                " It does not fit: it takes {} inodes and {} are left (mkfs.ext4 -N makes more).",
                units::count(shape.inodes() as f64),
                units::count(target.free_inodes.unwrap_or(0) as f64)
            ),
            _ => format!(
                " It does not fit: in blocks of 4 KiB it takes {} and {} are free.",
                units::bytes(shape.needed_bytes() as f64),
                units::bytes(target.free_bytes.unwrap_or(0) as f64)
            ),
        };
    }
    text
}

/// What one large file would give on each target.
fn packed_sentences(report: &DatasetReport) -> Vec<String> {
    let one = |target: &DatasetTarget| {
        let pass = telling(target)?;
        let faster = pass.packed.as_ref()?.faster;
        Some(format!(
            "Packed into one file, as tar does, it would be read {} times as fast on {}{}: {}.",
            units::times(faster.mean),
            clean(&target.target),
            interval(faster, units::times),
            pass.words()
        ))
    };
    report.targets.iter().filter_map(one).collect()
}

/// The pass that decides: cold where there is one, by the most readers.
fn telling(target: &DatasetTarget) -> Option<&DatasetPass> {
    target
        .passes
        .iter()
        .max_by_key(|pass| (pass.cold.is_some(), pass.readers))
}

/// `reads 6.1 times faster than X (5.8 to 6.4)`.
fn against(faster: Spread, first: &str) -> String {
    let first = clean(first);
    let (low, high) = (
        faster.low.unwrap_or(0.0),
        faster.high.unwrap_or(f64::INFINITY),
    );
    if low > 1.0 {
        return format!(
            "reads {} times as fast as {first}{}",
            units::times(faster.mean),
            interval(faster, units::times)
        );
    }
    if high < 1.0 {
        let slower = Spread {
            mean: 1.0 / faster.mean,
            low: faster.high.map(|high| 1.0 / high),
            high: faster.low.map(|low| 1.0 / low),
        };
        return format!(
            "takes {} times as long as {first}{}",
            units::times(slower.mean),
            interval(slower, units::times)
        );
    }
    format!(
        "shows no clear difference to {first}: {}{}",
        units::percent_signed(faster.mean - 1.0),
        interval(faster, |ratio| units::percent_bare(ratio - 1.0))
    )
}

fn interval(spread: Spread, words: fn(f64) -> String) -> String {
    match (spread.low, spread.high) {
        (Some(low), Some(high)) => format!(" (95 % interval {} to {})", words(low), words(high)),
        _ => String::new(),
    }
}

fn speed(pass: &DatasetPass) -> String {
    format!(
        "{} files/s, {}",
        units::rate(pass.files_per_s.mean),
        units::bytes_per_s(pass.bytes_per_s())
    )
}

fn shape_lines(tree: &str, shape: &DatasetShape) -> Vec<String> {
    let at_least = if shape.is_whole { "" } else { "at least " };
    let head = format!(
        "{}: {at_least}{}, {} in {} directories, {} a file on average",
        clean(tree),
        files(shape.files),
        units::bytes(shape.bytes as f64),
        units::count(shape.directories as f64),
        units::bytes(shape.mean_bytes())
    );
    let mut lines = wrap(&head, width());
    if shape.files > 0 {
        lines.push(format!(
            "  {:<18}{:>10}{:>8}{:>12}{:>8}",
            "size", "files", "", "bytes", ""
        ));
        lines.extend(shape.sizes.iter().map(|class| size_row(class, shape)));
        lines.push(format!(
            "  depth     at most {}; files in a directory: {} (median), at most {}",
            shape.depth,
            units::count(shape.files_in_directory as f64),
            units::count(shape.files_in_directory_max as f64)
        ));
    }
    lines.extend(indented(&format!("listing   {}", listing(shape))));
    let left_out = left_out(shape);
    if !left_out.is_empty() {
        lines.extend(indented(&format!("left out  {}", left_out.join(", "))));
    }
    lines
}

fn size_row(class: &SizeClass, shape: &DatasetShape) -> String {
    let of = |part: u64, all: u64| units::share(part as f64 / all.max(1) as f64);
    format!(
        "  {:<18}{:>10}{:>8}{:>12}{:>8}",
        size_words(class),
        units::count(class.files as f64),
        of(class.files, shape.files),
        units::bytes(class.bytes as f64),
        of(class.bytes, shape.bytes)
    )
}

/// `1 kB to 10 kB`.
fn size_words(class: &SizeClass) -> String {
    let name = |bytes: u64| DECADES.get(bytes.checked_ilog10()? as usize).copied();
    match (name(class.from_bytes), name(class.below_bytes)) {
        (None, _) => "empty".into(),
        (Some(from), Some(below)) if class.below_bytes != u64::MAX => format!("{from} to {below}"),
        (Some(from), _) => format!("{from} and more"),
    }
}

/// `4.1 s: opendir 12 µs and readdir 300 µs a directory, stat 2.9 µs a file`.
fn listing(shape: &DatasetShape) -> String {
    let mean = |name: &str| {
        let one = shape.walk.iter().find(|one| one.name == name)?;
        let ns = one.busy_ms * 1e6 / one.done.ios.max(1) as f64;
        (one.done.ios > 0).then(|| format!("{name} {}", units::duration_ns(ns)))
    };
    let words = ["opendir", "readdir", "stat"].into_iter().filter_map(mean);
    format!(
        "{}; on average {}",
        units::span_ms(shape.walk_ms.round() as u64),
        words.collect::<Vec<_>>().join(", ")
    )
}

fn left_out(shape: &DatasetShape) -> Vec<String> {
    let counts = [
        (shape.links, "symbolic links"),
        (shape.specials, "pipes, sockets or devices"),
        (shape.unreadable, "unreadable"),
        (shape.vanished, "gone while listing"),
        (shape.mounts, "mounts"),
        (shape.too_deep, "directories too deep"),
        (shape.huge, "huge files"),
    ];
    let named = counts.into_iter().filter(|(count, _)| *count > 0);
    named
        .map(|(count, what)| format!("{} {what}", units::count(count as f64)))
        .collect()
}

/// Who it is, and a row for each pass.
fn target_lines(target: &DatasetTarget) -> Vec<String> {
    let mut lines = wrap(&head(target), width());
    if !target.passes.is_empty() {
        lines.push(format!(
            "  {:<16}{:>8}{:>11}{:>9}{:>9}{:>9}{:>9}{:>7}",
            "", "files/s", "data/s", "a file", "open", "read", "metadata", "packed"
        ));
        lines.extend(target.found.iter().map(|found| row("as found", found)));
        lines.extend(target.passes.iter().map(|pass| row(&pass.words(), pass)));
    }
    lines.extend(
        target
            .failed
            .iter()
            .map(|(why, count)| format!("  not read: {}, {}", files(*count), clean(why))),
    );
    lines
}

fn note_lines(note: &str) -> Vec<String> {
    indented(&format!("note: {}.", clean(note)))
}

/// `1 file`, `1.28 M files`.
fn files(count: u64) -> String {
    match count {
        1 => "1 file".into(),
        count => format!("{} files", units::count(count as f64)),
    }
}

fn head(target: &DatasetTarget) -> String {
    let role = match target.role {
        DatasetRole::Tree => "the tree itself",
        DatasetRole::Copy => "a copy of the tree",
        DatasetRole::Scratch => "files like those of the sample, made and removed",
    };
    let fstype = target.fstype.as_deref().unwrap_or("file system not known");
    let device = target.device.as_deref();
    let device = device.map_or(", no block device".into(), |name| {
        format!(" on {}", clean(name))
    });
    let mut parts = vec![role.to_string(), format!("{}{device}", clean(fstype))];
    parts.extend(
        target
            .free_bytes
            .map(|bytes| format!("{} free", units::bytes(bytes as f64))),
    );
    parts.push(match (target.free_inodes, target.total_inodes) {
        (Some(free), Some(total)) => format!(
            "{} of {} inodes left",
            units::count(free as f64),
            units::count(total as f64)
        ),
        _ => "no fixed number of inodes".into(),
    });
    format!("{}: {}", clean(&target.target), parts.join(", "))
}

fn row(name: &str, pass: &DatasetPass) -> String {
    let packed = pass
        .packed
        .as_ref()
        .map(|packed| format!("{}×", units::times(packed.faster.mean)));
    format!(
        "  {:<16}{:>8}{:>11}{:>9}{:>9}{:>9}{:>9}{:>7}",
        name,
        units::rate(pass.files_per_s.mean),
        units::bytes_per_s(pass.bytes_per_s()),
        units::duration_ns(pass.file_ns()),
        units::duration_ns(pass.mean_ns(0)),
        units::duration_ns(pass.mean_ns(READ)),
        units::share(pass.metadata_share()),
        packed.unwrap_or_else(|| "–".into())
    )
}

/// Wrapped, and two columns in.
fn indented(text: &str) -> Vec<String> {
    let lines = wrap(text, width() - 2).into_iter();
    lines.map(|line| format!("  {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::dataset::{ColdBy, PackedPass, READ_OPERATIONS};
    use model::record::{Direction, Operation};

    fn spread(mean: f64) -> Spread {
        Spread {
            mean,
            low: Some(mean * 0.95),
            high: Some(mean * 1.05),
        }
    }

    fn pass(file_us: f64, faster: Option<f64>) -> DatasetPass {
        let operations = READ_OPERATIONS.iter().zip([0.3, 0.05, 0.6, 0.05, 1.0]);
        DatasetPass {
            cold: Some(ColdBy::Files),
            readers: 4,
            turns: 40,
            files: 1000,
            bytes: 110 << 20,
            elapsed_ms: file_us / 4.0,
            operations: operations
                .map(|(name, part)| Operation {
                    name: (*name).into(),
                    busy_ms: file_us * part,
                    done: Direction {
                        ios: 1000,
                        ..Direction::default()
                    },
                })
                .collect(),
            files_per_s: spread(4e6 / file_us),
            faster: faster.map(spread),
            metadata_of_difference: faster.map(|_| 0.38),
            packed: Some(PackedPass {
                bytes: 111 << 20,
                elapsed_ms: 10.0,
                faster: spread(4.0),
            }),
            ..DatasetPass::default()
        }
    }

    fn report() -> DatasetReport {
        let tree = DatasetTarget {
            target: "/mnt/cephfs/imagenet".into(),
            fstype: Some("ceph".into()),
            found: Some(pass(9900.0, None)),
            passes: vec![pass(3200.0, None)],
            ..DatasetTarget::default()
        };
        let stick = DatasetTarget {
            target: "/mnt/usb".into(),
            role: DatasetRole::Scratch,
            device: Some("sdb".into()),
            fstype: Some("ext4".into()),
            record: Some(2),
            free_bytes: Some(1 << 40),
            free_inodes: Some(3_842_037),
            total_inodes: Some(3_842_048),
            found: None,
            passes: vec![pass(520.0, Some(6.1))],
            failed: vec![("gone since the tree was listed".into(), 2)],
            notes: vec!["cold is cold".into()],
        };
        DatasetReport {
            tree: "/mnt/cephfs/imagenet".into(),
            shape: DatasetShape {
                files: 14_200_000,
                directories: 22_000,
                bytes: 150 << 30,
                is_whole: true,
                sizes: vec![SizeClass {
                    from_bytes: 10_000,
                    below_bytes: 100_000,
                    files: 14_200_000,
                    bytes: 150 << 30,
                }],
                links: 3,
                ..DatasetShape::default()
            },
            targets: vec![tree, stick],
            seed: 7,
            ..DatasetReport::default()
        }
    }

    #[test]
    fn the_first_lines_answer_which_is_faster_by_how_much_and_whether_it_fits() {
        let text = lines(&report())
            .join(" ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        for wanted in [
            "/mnt/usb reads 6.1 times as fast as /mnt/cephfs/imagenet (95 % interval 5.8 to 6.4): cold, 4 readers, 40 turns each.",
            "38 % of the difference is metadata.",
            "It does not fit: it takes 14.2 M inodes and 3.84 M are left",
            "a copy pays from 2 cold epochs on",
            "Packed into one file, as tar does, it would be read 4.0 times as fast on /mnt/usb",
            "10 kB to 100 kB",
            "as found",
            "left out 3 symbolic links",
            "not read: 2 files, gone since the tree was listed",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
        assert!(text.starts_with("/mnt/usb reads"), "{text}");
    }

    #[test]
    fn huge_files_are_in_no_epoch_and_a_copy_of_many_small_ones_takes_whole_blocks() {
        let mut report = report();
        report.shape.huge = 14_190_000;
        let free = &mut report.targets[1];
        (free.free_bytes, free.free_inodes) = (Some(40 << 20), Some(1 << 30));
        (report.shape.bytes, report.shape.copy_bytes) = (1 << 20, 52 << 20);
        let text = lines(&report).join(" ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // 10,000 of them, at 800 and 130 ms for 1000.
        let epoch = "An epoch of the tree's small files takes 8.0 s on /mnt/cephfs/imagenet and 1.3 s on /mnt/usb, cold.";
        assert!(text.contains(epoch), "{text}");
        assert!(!text.contains("a copy pays"), "{text}");
        let fits = "It does not fit: in blocks of 4 KiB it takes 52.0 MiB and 40.0 MiB are free.";
        assert!(text.contains(fits), "{text}");
    }

    #[test]
    fn slower_and_alike_are_said_so() {
        assert!(against(spread(0.5), "/a").starts_with("takes 2.0 times as long as /a"));
        let alike = against(spread(1.01), "/a");
        assert!(
            alike.starts_with("shows no clear difference to /a: +1.0 %"),
            "{alike}"
        );
    }

    #[test]
    fn lines_stay_within_the_width() {
        for line in lines(&report()) {
            assert!(line.chars().count() <= width(), "{line}");
        }
    }
}
