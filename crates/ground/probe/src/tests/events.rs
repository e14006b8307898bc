//! Where there are no programs: what the events of the kernel give of the same I/Os.

use super::*;
use skip::Outcome;

/// Keeps every CPU from being idle, with the least claim on it that there is, until it is dropped: perf leaves out events
/// of interrupts of an idle CPU on some kernels (see `perf/idle.rs`), and what is tested here is our reading of them.
struct NeverIdle(Vec<std::process::Child>);

impl NeverIdle {
    fn new() -> NeverIdle {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = |cpu: usize| {
            let (cpu, forever) = (cpu.to_string(), "while :; do :; done");
            Command::new("taskset")
                .args(["-c", &cpu, "nice", "-n", "19", "sh", "-c", forever])
                .spawn()
                .ok()
        };
        let spinning = NeverIdle((0..cpus).filter_map(spin).collect());
        // Each has to be at work, not only started: some ticks of its time are counted.
        let is_at_work = |child: &std::process::Child| {
            let stat =
                std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
            let after_name = stat
                .rsplit_once(')')
                .map(|(_, rest)| rest)
                .unwrap_or_default();
            let ticks = after_name
                .split_whitespace()
                .nth(11)
                .and_then(|ticks| ticks.parse::<u64>().ok());
            ticks.is_some_and(|ticks| ticks > 2)
        };
        for _ in 0..3_000 {
            if spinning.0.iter().all(is_at_work) {
                break;
            }
            host::clock::sleep_ms(10);
        }
        spinning
    }
}

impl Drop for NeverIdle {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What events gave, beside what programs gave of the same I/Os.
fn check_events(scheduler: &str, one: &DeviceLayers, programs: Option<&DeviceLayers>) {
    assert_eq!(
        (one.counter("queued"), one.counter("lost_events")),
        (4_000, 0),
        "{scheduler}"
    );
    // Two reads of one block at once cannot be told apart.
    let seen =
        total(one, LayerSide::Read, Span::Q2C) + one.counter("unseen") + one.counter("dropped");
    assert_eq!(seen, 4_000, "{scheduler}: {:?}", one.counters);
    note_unseen(scheduler, one);
    let lacks = |span| one.times(LayerSide::Read, span).is_none();
    assert_eq!(
        (lacks(Span::G2D), lacks(Span::I2D)),
        (scheduler != "none", scheduler == "none")
    );
    let Some(same) = programs else { return };
    for span in [Span::D2C, Span::Q2C] {
        note_means(one, same, span);
    }
}

/// Whether of 4,000 I/Os no more than a tenth were missed, all of which are owned up to.
fn note_unseen(label: &str, one: &DeviceLayers) {
    let missed = one.counter("dropped") + one.counter("unseen");
    skip::measured(
        Outcome::right_if(missed < 400),
        format!("{label}: {:?}", one.counters),
    );
}

/// Whether both say the same of a span; the one sees an event a moment before the other.
fn note_means(one: &DeviceLayers, same: &DeviceLayers, span: Span) {
    let [ours, theirs] = [one, same].map(|layers| mean(layers, LayerSide::Read, span));
    skip::measured(
        Outcome::right_if((ours - theirs).abs() < 0.05 * theirs + 5_000.0),
        format!("{span:?}: {ours:.0} and {theirs:.0} ns"),
    );
}

#[test]
#[ignore = "live"]
fn events_tell_what_the_programs_tell() {
    for (strength, scheduler) in [
        (Strength::Tracefs, "none"),
        (Strength::Tracefs, "mq-deadline"),
        (Strength::Perf, "none"),
        (Strength::Perf, "mq-deadline"),
    ] {
        let Some(disk) = Loop::new(scheduler) else {
            return;
        };
        let _never_idle = (strength == Strength::Perf).then(NeverIdle::new);
        let devices = std::slice::from_ref(&disk.device);
        let events = match Layers::attach(devices, strength) {
            Ok(events) => events,
            Err(error) => {
                cannot_trace(&error);
                continue;
            }
        };
        let programs = attach(devices, Strength::Full);
        disk.read_blocks(4, 1_000);
        let read = settled(&events);
        assert_eq!(read.source, strength.name());
        let same = programs.as_ref().map(settled);
        check_events(
            scheduler,
            &read.devices[0],
            same.as_ref().map(|same| &same.devices[0]),
        );
    }
}

#[test]
#[ignore = "live"]
fn a_clock_of_its_own_keeps_the_events_in_order() {
    let Some(disk) = Loop::new("none") else {
        return;
    };
    let devices = std::slice::from_ref(&disk.device);
    let _never_idle = NeverIdle::new();
    let events = match crate::perf::tests::start_by_its_own_clock(devices) {
        Ok(events) => events,
        Err(error) => return cannot_trace(&error),
    };
    let programs = attach(devices, Strength::Full);
    disk.read_blocks(4, 1_000);
    let same = programs.as_ref().map(settled);
    // What the disk under the file did last is known with its next event.
    disk.read_blocks(1, 1);
    host::clock::sleep_ms(100);
    let mut one = events.read().devices.remove(0);
    let ended =
        |one: &DeviceLayers| total(one, LayerSide::Read, Span::Q2C) + one.counter("dropped");
    for _ in 0..100 {
        if ended(&one) >= 4_001 {
            break;
        }
        host::clock::sleep_ms(20);
        one = events.read().devices.remove(0);
    }
    // An end that is taken before its beginning finds nothing to end. Ends that perf left out on a CPU that was held
    // back from spinning (a quota, a hypervisor) are another matter.
    assert_eq!(
        (
            one.counter("queued"),
            ended(&one) + one.counter("unseen"),
            one.counter("unmatched")
        ),
        (4_001, 4_001, 0),
        "{:?}",
        one.counters
    );
    note_unseen("by its own clock", &one);
    let Some(same) = same else { return };
    note_means(&one, &same.devices[0], Span::Q2C);
}

#[test]
#[ignore = "live"]
fn merges_and_splits_seen_in_events_are_those_of_the_programs() {
    let Some(disk) = Loop::new("mq-deadline") else {
        return;
    };
    let devices = std::slice::from_ref(&disk.device);
    let _never_idle = NeverIdle::new();
    let events = match Layers::attach(devices, Strength::Perf) {
        Ok(events) => events,
        Err(error) => return cannot_trace(&error),
    };
    let Some(programs) = attach(devices, Strength::Full) else {
        return;
    };
    let file = disk.open(0);
    let data = vec![0x33; MIB as usize];
    (0..16).for_each(|index| file.write_all_at(&data, index * MIB).unwrap());
    file.sync_all().unwrap();
    let (read, same) = (settled(&events), settled(&programs));
    let (ours, theirs) = (&read.devices[0], &same.devices[0]);
    let whole = |one: &DeviceLayers| {
        total(one, LayerSide::Write, Span::Q2C) + one.counter("unseen") + one.counter("dropped")
    };
    assert_eq!(
        whole(ours),
        whole(theirs),
        "{:?} and {:?}",
        ours.counters,
        theirs.counters
    );
    let slack = theirs.counter("unseen") + theirs.counter("dropped") + ours.counter("dropped");
    for name in ["merged", "split"] {
        assert!(
            ours.counter(name).abs_diff(theirs.counter(name)) <= slack,
            "{name}: {:?} and {:?}",
            ours.counters,
            theirs.counters
        );
    }
    let requests = |one: &DeviceLayers| total(one, LayerSide::Write, Span::D2C);
    assert!(
        requests(ours).abs_diff(requests(theirs)) <= slack,
        "{} and {}",
        requests(ours),
        requests(theirs)
    );
}

#[test]
fn a_trace_of_a_disk_is_had_or_refused_with_the_reason() {
    let Some(disk) = Loop::new("none") else {
        return;
    };
    let devices = std::slice::from_ref(&disk.device);
    let trace = match Layers::attach(devices, Strength::Blktrace) {
        Ok(trace) => trace,
        Err(error) => {
            assert!(
                error
                    .to_string()
                    .starts_with("there is no blktrace to be had: cannot "),
                "{error}"
            );
            // What was set up before the refusal is taken down.
            let state =
                std::fs::read_to_string(format!("/sys/block/{}/trace/end_lba", disk.device.name));
            assert!(state.is_err() || state.is_ok_and(|text| text.trim().parse::<u64>().is_err()));
            return cannot_trace(&error);
        }
    };
    let second = Layers::attach(devices, Strength::Blktrace)
        .unwrap_err()
        .to_string();
    assert!(second.contains("one trace at a time"), "{second}");
    disk.read_blocks(4, 1_000);
    let read = settled(&trace);
    check_events("none", &read.devices[0], None);
}
