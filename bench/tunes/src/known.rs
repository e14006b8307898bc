//! Limits of a control group: the kernel lets through exactly so many I/Os a second, so that the effect of another limit is
//! known before it is tried.

use crate::kept::{self, Run};
use crate::tune::Asked;
use kit::share::Share;
use kit::targets::LoopDevice;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const TABLE: &str = "known";
/// The limit that is in place, IOPS.
const FOUND: u32 = 20_000;
/// The limits that are tried, IOPS. Equal is a limit that differs by less than an I/O in a slice of the kernel's.
const TRIED: [&str; 6] = ["20001", "20600", "21000", "22000", "26000", "40000"];
/// The effect from which on a tune says better; less is equal.
const ROPE: f64 = 0.02;
/// How near an estimate shall be.
const NEAR: f64 = 0.015;

/// A control group with a limit on reads, removed when dropped.
struct Group {
    dir: PathBuf,
}

impl Group {
    fn new(device: &LoopDevice) -> Result<Group, String> {
        let name = format!("iodyno-bench-{}", std::process::id());
        let group = Group {
            dir: Path::new("/sys/fs/cgroup/blkio").join(name),
        };
        std::fs::create_dir(&group.dir)
            .map_err(|error| format!("{}: {error}", group.dir.display()))?;
        let file = group.dir.join("blkio.throttle.read_iops_device");
        std::fs::write(&file, format!("{} {FOUND}", device.number()?))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(group)
    }

    /// As `tune --knob` names it.
    fn name(&self) -> String {
        let name = self.dir.file_name().unwrap_or_default();
        format!("/{}", name.to_string_lossy())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.dir);
    }
}

/// Measures so many more runs and writes the table of all.
///
/// # Errors
/// The machine has no such groups, or a tune gave no verdict.
pub fn measure(binary: &str, count: usize) -> Result<(), String> {
    let device = LoopDevice::in_memory(256 << 20)?;
    let runs = kept::more(TABLE, &TRIED, count, |tried| {
        let group = Group::new(&device)?;
        let target = device.path().to_string_lossy();
        let knob = format!("riops@{}={tried}", group.name());
        let truth = tried.parse::<f64>().map_err(|error| error.to_string())?;
        let asked = Asked {
            place: [TABLE, tried],
            truth: truth / f64::from(FOUND) - 1.0,
        };
        asked.run(binary, &[&target, "--knob", &knob], Some(&group.dir))
    })?;
    kit::results::publish(TABLE, &text(&runs))
}

fn text(runs: &[Run]) -> String {
    let judged: Vec<&Run> = runs.iter().filter(|run| run.effect.is_some()).collect();
    let mut text = format!(
        "{}, {} to {}, {} runs in turns and random order, each a whole `iodyno tune LOOP --knob riops@GROUP=LIMIT` with its defaults: a loop \
         device over a file in memory, 4 KiB random reads at depth 32 by a group that may do {FOUND} of them a second. Shares \
         in per cent with 95 % Wilson intervals.\n\n| goal | measured |\n|---|---|\n\
         | interval holds the truth, ≥ 93 % | {} |\n| estimate within 1.5 points of the truth | {} |\n| wrong sign, or a difference where there is \
         none | {} |\n\n| limit tried | truth | runs | right | wrong | undecided | estimate: median, extremes | device time s: median, longest |\n\
         |---|---|---|---|---|---|---|---|\n",
        kit::results::machine(),
        runs.first().map_or("", |run| &run.date),
        runs.last().map_or("", |run| &run.date),
        runs.len(),
        Share::of(judged.iter().copied(), holds),
        Share::of(judged.iter().copied(), is_near),
        Share::of(runs, is_wrong),
    );
    for tried in TRIED {
        let of: Vec<&Run> = runs.iter().filter(|run| run.row == tried).collect();
        if let Some(first) = of.first() {
            let _ = writeln!(
                text,
                "| {tried} | {:+.1} % | {} |",
                100.0 * first.truth,
                row(&of)
            );
        }
    }
    text
}

fn row(runs: &[&Run]) -> String {
    let count = |test: fn(&Run) -> bool| runs.iter().filter(|run| test(run)).count();
    let (right, wrong) = (count(is_right), count(is_wrong));
    let spread = |value: fn(&Run) -> Option<f64>| {
        let values: Vec<f64> = runs.iter().filter_map(|run| value(run)).collect();
        stats::FiveNumbers::of(&values)
    };
    let estimate = spread(|run| Some(100.0 * run.effect?)).map_or("–".into(), |five| {
        format!(
            "{:+.1} ({:+.1} to {:+.1})",
            five.median, five.least, five.greatest
        )
    });
    let time = spread(|run| Some(run.device_s)).map_or("–".into(), |five| {
        format!("{:.0}, {:.0}", five.median, five.greatest)
    });
    format!(
        "{} | {right} | {wrong} | {} | {estimate} | {time}",
        runs.len(),
        runs.len() - right - wrong
    )
}

fn is_right(run: &Run) -> bool {
    let wanted = if run.truth > ROPE { "better" } else { "equal" };
    run.outcome == wanted && !is_wrong(run)
}

/// A difference where there is none, none where there is one, or the other sign.
fn is_wrong(run: &Run) -> bool {
    match run.outcome.as_str() {
        "better" => run.truth < ROPE || run.effect.is_none_or(|effect| effect < 0.0),
        "equal" => run.truth > ROPE,
        _ => false,
    }
}

fn holds(run: &Run) -> bool {
    run.low.is_some_and(|low| low <= run.truth) && run.high.is_some_and(|high| high >= run.truth)
}

fn is_near(run: &Run) -> bool {
    run.effect
        .is_some_and(|effect| (effect - run.truth).abs() <= NEAR)
}
