//! How soon `tune --stop-if` has everything back: stalls of a real device at random moments of a tune, beside programs
//! that write to it. What crossed and when is worked out here, from counters that are read every millisecond.

use crate::report;
use kit::targets::StallingDevice;
use std::collections::VecDeque;
use std::fmt::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Over what `--stop-if` forms a mean.
const SPAN: Duration = Duration::from_millis(250);
/// From when on a device that completes nothing crosses a bound, whatever the bound: one slow request is no stall.
const STALL: Duration = Duration::from_millis(80);
/// A crossing that is over before the next look but one is nobody's.
const SEEN_AFTER: Duration = Duration::from_millis(20);
const WRITERS: usize = 4;

/// A way to trouble the device, and what a tune turns meanwhile.
struct Case {
    what: &'static str,
    /// Scheduler that the device begins with.
    scheduler: &'static str,
    knob: &'static str,
    /// The file that shows the knob's value, below the queue's directory, and the values found and tried.
    file: &'static str,
    values: [&'static str; 2],
    limit: Duration,
    /// Times of standing still and of working, and how often.
    still: Duration,
    working: Duration,
    times: u32,
}

const CASES: [Case; 3] = [
    Case {
        what: "`fifo_batch`, which the kernel writes at once; the device stands still for 500 ms",
        scheduler: "mq-deadline",
        knob: "fifo_batch=1",
        file: "iosched/fifo_batch",
        values: ["16", "1"],
        limit: Duration::from_millis(100),
        still: Duration::from_millis(500),
        working: Duration::ZERO,
        times: 1,
    },
    Case {
        what: "`scheduler`; the device is slow: it stands still for 40 ms, 30 times over",
        scheduler: "none",
        knob: "scheduler=mq-deadline",
        file: "scheduler",
        values: ["none", "mq-deadline"],
        limit: Duration::from_millis(15),
        still: Duration::from_millis(40),
        working: Duration::from_millis(1),
        times: 30,
    },
    Case {
        what: "`scheduler`; the device stands still for 500 ms, and the kernel lets nobody switch until its requests are done",
        scheduler: "none",
        knob: "scheduler=mq-deadline",
        file: "scheduler",
        values: ["none", "mq-deadline"],
        limit: Duration::from_millis(100),
        still: Duration::from_millis(500),
        working: Duration::ZERO,
        times: 1,
    },
];

/// What the device had done at a moment.
#[derive(Clone, Copy)]
struct Sample {
    at: Instant,
    ios: u64,
    ticks_ms: u64,
    in_flight: u64,
}

/// What was seen while one tune ran.
#[derive(Default)]
struct Seen {
    samples: Vec<Sample>,
    /// The knob's value whenever it was another than before.
    values: Vec<(Instant, String)>,
}

/// One injection: from the crossing, and from when the device worked again, until all was back; none where the value found
/// was in place.
struct Outcome {
    from_crossing: Option<Duration>,
    from_working: Option<Duration>,
}

/// Runs all cases with a binary and writes the section.
pub fn all(binary: &str, rounds: usize) -> Result<(), String> {
    let device = StallingDevice::attach(64 << 20)?;
    let mut text = String::new();
    for case in &CASES {
        let row = row(case, binary, &device, rounds)?;
        println!("{row}");
        text += &row;
    }
    let section = format!(
        "{}. Device: a loop device with direct I/O on a file system that is frozen and thawed; {WRITERS} threads write to it all the \
         time, and `tune --ioengine none` switches windows of 120 ms and more. Stalls begin at random \
         moments of a window with the other value or of the switch after it, a third of them within 20 ms of the one before. ms from the moment at which the bound was crossed, by counters read every millisecond, until the \
         setting read as it was found. Where the value found was in place there was nothing to put back.\n\n\
         | turned, and what happens | stalls | with the other value in place | median | p99 | longest | after the device works again: \
         median, longest |\n|---|---|---|---|---|---|---|\n{text}",
        report::machine(),
    );
    kit::results::publish("breaker", &section)
}

fn row(
    case: &Case,
    binary: &str,
    device: &StallingDevice,
    rounds: usize,
) -> Result<String, String> {
    let (mut all, mut random) = (Vec::<Outcome>::new(), u64::from(std::process::id()) | 1);
    let (mut misses, mut counted) = (0, 0);
    while counted < rounds {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        match inject(case, binary, device, random)? {
            Ok(outcome) => {
                counted += usize::from(outcome.from_crossing.is_some());
                all.push(outcome);
            }
            Err(why) => {
                misses += 1;
                eprintln!("\nagain: {why}");
                if misses > rounds + 5 {
                    return Err(format!("{}: {why}", case.what));
                }
            }
        }
        eprint!("\r{counted} of {rounds}");
    }
    eprintln!();
    let ms = |of: fn(&Outcome) -> Option<Duration>| {
        let mut times: Vec<f64> = all
            .iter()
            .filter_map(of)
            .map(|time| time.as_secs_f64() * 1e3)
            .collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let (back, after) = (ms(|one| one.from_crossing), ms(|one| one.from_working));
    let at = |times: &[f64], share: f64| {
        let index = (times.len() as f64 * share).ceil() as usize;
        times
            .get(index.saturating_sub(1))
            .copied()
            .unwrap_or(f64::NAN)
    };
    let mut text = String::new();
    let _ = writeln!(
        text,
        "| {} | {} | {} | {:.0} | {:.0} | {:.0} | {:.0}, {:.0} |",
        case.what,
        all.len(),
        back.len(),
        at(&back, 0.5),
        at(&back, 0.99),
        at(&back, 1.0),
        at(&after, 0.5),
        at(&after, 1.0)
    );
    Ok(text)
}

/// Runs one tune and stalls its device; the inner error says why this one tells nothing.
fn inject(
    case: &Case,
    binary: &str,
    device: &StallingDevice,
    random: u64,
) -> Result<Result<Outcome, String>, String> {
    let name = device
        .path()
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let queue = format!("/sys/block/{name}/queue");
    let failed = |error: std::io::Error| error.to_string();
    std::fs::write(format!("{queue}/scheduler"), case.scheduler).map_err(failed)?;
    let (is_over, seen) = (AtomicBool::new(false), Mutex::new(Seen::default()));
    let state = std::env::temp_dir().join(format!("iodyno-bench-breaker-{}", std::process::id()));
    let told = std::thread::scope(|scope| {
        for number in 0..WRITERS {
            let is_over = &is_over;
            scope.spawn(move || write_on(device.path(), number as u64, is_over));
        }
        scope.spawn(|| sample(&name, &is_over, &seen));
        scope.spawn(|| read_value(&format!("{queue}/{}", case.file), &is_over, &seen));
        let told = disturb(case, binary, device, &state, &seen, random);
        is_over.store(true, Relaxed);
        told
    });
    let _ = std::fs::remove_dir_all(&state);
    let (working, said) = told?;
    let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(judge(case, &seen, working).map_err(|why| format!("{why}: {said}")))
}

/// Starts the tune and stalls the device; when it worked again for good, and what the tune said.
fn disturb(
    case: &Case,
    binary: &str,
    device: &StallingDevice,
    state: &Path,
    seen: &Mutex<Seen>,
    random: u64,
) -> Result<(Instant, String), String> {
    let bound = format!("await>{}ms", case.limit.as_millis());
    let mut child = Command::new(binary)
        .arg("tune")
        .arg(device.path())
        .args([
            "--ioengine",
            "none",
            "--knob",
            case.knob,
            "--stop-if",
            &bound,
        ])
        .args(["--budget", "3m", "--layers", "off"])
        .env("IODYNO_STATE_DIR", state)
        .env("NO_COLOR", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{binary}: {error}"))?;
    let is_tried = |value: &str| value == case.values[1];
    wait_for(&mut child, || is_in_place(seen, is_tried));
    wait(&mut child, Duration::from_millis((random >> 8) % 3_000));
    // At a random moment of a window with the value that is tried, or of the switch that follows; a third just after one.
    wait_for(&mut child, || is_in_place(seen, is_tried));
    let most_ms = if random.is_multiple_of(3) { 20 } else { 160 };
    wait(&mut child, Duration::from_millis((random >> 24) % most_ms));
    for _ in 0..case.times {
        device.stall(case.still)?;
        if case.times > 1 {
            std::thread::sleep(case.working);
        }
    }
    let working = Instant::now();
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    // One more look at the value.
    std::thread::sleep(Duration::from_millis(5));
    match said.contains("--stop-if") && output.status.code() == Some(6) {
        true => Ok((working, said)),
        false => Err(format!("{}: {said}", output.status)),
    }
}

fn lock(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_in_place(seen: &Mutex<Seen>, is_it: impl Fn(&str) -> bool) -> bool {
    lock(seen)
        .values
        .last()
        .is_some_and(|(_, value)| is_it(value))
}

/// Waits until something holds or the tune has ended.
fn wait_for(child: &mut Child, holds: impl Fn() -> bool) {
    while !holds() && !has_ended(child) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn wait(child: &mut Child, time: Duration) {
    let begun = Instant::now();
    wait_for(child, || begun.elapsed() >= time);
}

fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// What the tune did, by what was seen.
fn judge(case: &Case, seen: &Seen, working: Instant) -> Result<Outcome, String> {
    let crossing = crossing(&seen.samples, case.limit).ok_or("no crossing was seen")?;
    let before = seen.values.iter().rev().find(|(at, _)| *at <= crossing);
    let nothing = Outcome {
        from_crossing: None,
        from_working: None,
    };
    if before.is_none_or(|(_, value)| value != case.values[1]) {
        return Ok(nothing);
    }
    let back = seen
        .values
        .iter()
        .find(|(at, value)| *at > crossing && value == case.values[0]);
    let (back, _) = back.ok_or("the value found was not seen again")?;
    Ok(Outcome {
        from_crossing: Some(*back - crossing),
        from_working: Some(back.saturating_duration_since(working)),
    })
}

/// The first moment from which on the bound was crossed, as the guide says it, for so long that a look had to see it.
fn crossing(samples: &[Sample], limit: Duration) -> Option<Instant> {
    let limit_ms = limit.as_secs_f64() * 1e3;
    let (mut span, mut last_done, mut since) = (VecDeque::new(), None::<Sample>, None);
    for sample in samples {
        span.push_back(*sample);
        while span.len() > 1 && sample.at - span[1].at >= SPAN {
            span.pop_front();
        }
        let first = span[0];
        let ios = sample.ios - first.ios;
        let is_slow = sample.at - first.at >= SPAN
            && ios > 0
            && (sample.ticks_ms - first.ticks_ms) as f64 / ios as f64 > limit_ms;
        if last_done.is_none_or(|last| last.ios != sample.ios || sample.in_flight == 0) {
            last_done = Some(*sample);
        }
        let stalled = last_done.map_or(Duration::ZERO, |last| sample.at - last.at);
        match (is_slow || stalled > limit.max(STALL), since) {
            (true, None) => since = Some(sample.at),
            (true, Some(at)) if sample.at - at >= SEEN_AFTER => return Some(at),
            (true, Some(_)) => {}
            (false, _) => since = None,
        }
    }
    None
}

fn sample(name: &str, is_over: &AtomicBool, seen: &Mutex<Seen>) {
    while !is_over.load(Relaxed) {
        let text = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap_or_default();
        let fields: Vec<u64> = text
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        if let [reads, _, _, read_ms, writes, _, _, write_ms, in_flight, ..] = fields[..] {
            lock(seen).samples.push(Sample {
                at: Instant::now(),
                ios: reads + writes,
                ticks_ms: read_ms + write_ms,
                in_flight,
            });
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Looks at the knob's value: a read that the kernel keeps waiting counts when it is answered.
fn read_value(path: &str, is_over: &AtomicBool, seen: &Mutex<Seen>) {
    while !is_over.load(Relaxed) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let chosen = text
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'));
        let value = chosen.map_or(text.trim(), |(word, _)| word);
        let mut seen = lock(seen);
        if seen.values.last().is_none_or(|(_, last)| last != value) {
            seen.values.push((Instant::now(), value.to_string()));
        }
        drop(seen);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Writes blocks at random places, about a thousand a second.
fn write_on(path: &Path, seed: u64, is_over: &AtomicBool) {
    let file = std::fs::OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_DIRECT)
        .open(path);
    let Ok(file) = file else { return };
    let storage = vec![7u8; 8192];
    let start = storage.as_ptr().align_offset(4096);
    let mut state = 0x9E37_79B9_7F4A_7C15 ^ (seed + 1);
    while !is_over.load(Relaxed) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let offset = state % (48 << 20) / 4096 * 4096;
        let _ = file.write_at(&storage[start..start + 4096], offset);
        std::thread::sleep(Duration::from_micros(500));
    }
}
