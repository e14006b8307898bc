//! Times by layer on what this machine has not: NVMe, device mapper, arrays, other kernels; and beside blktrace.

use crate::support::guest_with_iodyno;
use lab::{Bus, Disk, Guest, Machine};
use model::layers::{DeviceLayers, LayerSide, LayerTimes, Span};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 300;
/// Layers of requests with and without a scheduler, and of a driver without requests.
const SCHEDULED: &[Span] = &[Span::Q2G, Span::G2I, Span::I2D, Span::D2C, Span::Q2C];
const DIRECT: &[Span] = &[Span::Q2G, Span::G2D, Span::D2C, Span::Q2C];
const BIOS_ONLY: &[Span] = &[Span::Q2C];

/// Runs a script that must succeed: what it printed.
fn out(guest: &mut Guest, script: &str) -> String {
    let script = format!("export PATH=$PATH:/run IODYNO_STATE_DIR=/run/state NO_COLOR=1\n{script}");
    let done = guest.run(&script, LIMIT_S).unwrap();
    assert_eq!(done.status, 0, "{script}: {done:?}");
    done.out
}

/// A traced run: I/Os of the load, its layers, and the devices' names from the top down.
struct Ran {
    ios: u64,
    layers: LayerTimes,
}

/// `set_up` makes the device and prints its path last.
fn ran(guest: &mut Guest, set_up: &str, options: &str) -> Ran {
    ran_by(guest, "full", set_up, options)
}

/// The same with layers of a rung.
fn ran_by(guest: &mut Guest, rung: &str, set_up: &str, options: &str) -> Ran {
    let run = format!(
        "iodyno run \"$device\" {options} --layers {rung} --json > /mnt/lab/ran 2>/run/said || {{ cat /run/said >&2; exit 1; }}"
    );
    out(
        guest,
        &format!("device=$({{ {set_up}; }} | tail -n 1)\n{run}"),
    );
    let document: Value = serde_json::from_slice(&guest.get("ran").unwrap()).unwrap();
    let record = &document["record"];
    let ios = |side: &str| record["load"][side]["ios"].as_u64().unwrap_or(0);
    let layers = serde_json::from_value(record["layers"].clone()).unwrap();
    Ran {
        ios: ios("read") + ios("write"),
        layers,
    }
}

/// Checks a run, and runs it anew when that fails, three times in all: an emulated CPU of a busy host stands still for
/// whole moments in the midst of an event. What a defect causes comes every time.
fn checked(
    guest: &mut Guest,
    run: impl Fn(&mut Guest) -> Ran,
    check: impl Fn(&Guest, &Ran),
    after: &str,
) {
    for attempt in 1..=3 {
        let ran = run(guest);
        let found = catch_unwind(AssertUnwindSafe(|| check(guest, &ran)));
        // udev and a loop device that is being let go of may hold on to a device for a while.
        let patiently = format!(
            "n=0; until {{ {after}; }}; do n=$((n+1)); [ $n -lt 300 ] || exit 1; sleep 0.1; done"
        );
        out(guest, &patiently);
        match found {
            Ok(()) => return,
            Err(panic) if attempt == 3 => resume_unwind(panic),
            Err(_) => println!("attempt {attempt} of 3 failed"),
        }
    }
}

fn spans(device: &DeviceLayers, side: LayerSide) -> Vec<Span> {
    device
        .spans
        .iter()
        .filter(|one| one.side == side)
        .map(|one| one.span)
        .collect()
}

fn names(devices: &[DeviceLayers]) -> Vec<&str> {
    devices
        .iter()
        .map(|device| device.device.as_str())
        .collect()
}

fn done(device: &DeviceLayers, side: LayerSide) -> u64 {
    device
        .times(side, Span::Q2C)
        .map_or(0, |times| times.total())
}

/// Every I/O of the load was seen on this device, or is owned up to; udev may add some of its own.
fn check_all_seen(name: &str, ran: &Ran, device: &DeviceLayers, side: LayerSide) {
    let (seen, unseen) = (done(device, side), device.counter("unseen"));
    assert!(
        seen + unseen >= ran.ios && seen <= ran.ios + 64,
        "{name}: {seen} of {}: {:?}",
        ran.ios,
        device.counters
    );
    assert!(unseen * 10 <= ran.ios, "{name}: {:?}", device.counters);
    assert_eq!(
        (device.counter("dropped"), device.counter("unmatched")),
        (0, 0),
        "{name}"
    );
}

const READ: &str = "--rw=randread --bs=4k --iodepth=4 --runtime=300ms";

/// A stack: its name, how it is made and taken down, and the layers of its devices from the top down.
struct Stack {
    name: &'static str,
    make: &'static str,
    take_down: &'static str,
    devices: &'static [&'static [Span]],
}

static STACKS: [Stack; 7] = [
    Stack {
        name: "NVMe without a scheduler",
        make: "echo none > /sys/block/nvme0n1/queue/scheduler; echo /dev/nvme0n1",
        take_down: "true",
        devices: &[DIRECT],
    },
    Stack {
        name: "NVMe with mq-deadline",
        make: "echo mq-deadline > /sys/block/nvme0n1/queue/scheduler; echo /dev/nvme0n1",
        take_down: "echo none > /sys/block/nvme0n1/queue/scheduler",
        devices: &[SCHEDULED],
    },
    Stack {
        name: "dm linear",
        make: "echo 0 65536 linear /dev/nvme0n1 0 | dmsetup create lin; echo /dev/mapper/lin",
        take_down: "dmsetup remove lin",
        devices: &[BIOS_ONLY, DIRECT],
    },
    Stack {
        name: "a loop device over dm linear",
        make: "echo 0 65536 linear /dev/nvme0n1 0 | dmsetup create lin; losetup -f --show --direct-io=on /dev/mapper/lin",
        take_down: "losetup -D; dmsetup remove lin",
        devices: &[DIRECT, BIOS_ONLY, DIRECT],
    },
    Stack {
        name: "dm striped",
        make: "echo 0 131072 striped 2 128 /dev/nvme0n1 0 /dev/nvme1n1 0 | dmsetup create str; echo /dev/mapper/str",
        take_down: "dmsetup remove str",
        devices: &[BIOS_ONLY, DIRECT, DIRECT],
    },
    Stack {
        name: "md raid0",
        make: "yes | mdadm --create /dev/md7 --level=0 --raid-devices=2 --force /dev/nvme0n1 /dev/nvme1n1 >&2; echo /dev/md7",
        take_down: "mdadm --stop /dev/md7; mdadm --zero-superblock /dev/nvme0n1 /dev/nvme1n1",
        devices: &[BIOS_ONLY, DIRECT, DIRECT],
    },
    Stack {
        name: "md raid1",
        make: "yes | mdadm --create /dev/md7 --level=1 --raid-devices=2 --assume-clean --force /dev/nvme0n1 /dev/nvme1n1 >&2; echo /dev/md7",
        take_down: "mdadm --stop /dev/md7; mdadm --zero-superblock /dev/nvme0n1 /dev/nvme1n1",
        devices: &[BIOS_ONLY, DIRECT, DIRECT],
    },
];

#[test]
#[ignore = "lab"]
fn a_guests_stacks_are_traced_layer_by_layer_on_every_rung() {
    let machine = Machine::new()
        .disk(Disk::new(Bus::Nvme, 64).queues(2))
        .disk(Disk::new(Bus::Nvme, 64).queues(2));
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    each_device_has_the_layers_of_its_driver(&mut guest);
    each_rung_counts_every_io(&mut guest);
    the_sleep_of_a_loads_threads_is_timed(&mut guest);
}

#[test]
#[ignore = "lab"]
fn a_guests_disk_is_traced_as_blktrace_does() {
    // The host has its part in how long the disk takes, and none in how long an event does.
    let machine = Machine::new().disk(Disk::new(Bus::Nvme, 64)).virtual_time();
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    layers_are_those_of_blktrace(&mut guest);
    a_disk_is_traced_after_a_killed_trace_and_not_beside_anothers(&mut guest);
    splits_and_requeues_are_counted(&mut guest);
    // The last one: the guest has no type information from there on.
    without_type_information_the_next_rung_is_taken(&mut guest);
}

fn each_device_has_the_layers_of_its_driver(guest: &mut Guest) {
    out(
        guest,
        "for module in dm_mod raid0 raid1 loop; do modprobe $module; done",
    );
    out(
        guest,
        "echo none | tee /sys/block/nvme*/queue/scheduler; iodyno explain layers | grep 'this machine: eBPF'",
    );
    for stack in &STACKS {
        let run = |guest: &mut Guest| ran(guest, stack.make, READ);
        checked(
            guest,
            run,
            |_, ran| check_stack(stack, ran),
            stack.take_down,
        );
    }
}

fn check_stack(stack: &Stack, ran: &Ran) {
    let devices = &ran.layers.devices;
    assert_eq!(
        devices.len(),
        stack.devices.len(),
        "{}: {:?}",
        stack.name,
        names(devices)
    );
    check_all_seen(stack.name, ran, &devices[0], LayerSide::Read);
    for (device, wanted) in devices.iter().zip(stack.devices) {
        // An array may read from one member only.
        let found = spans(device, LayerSide::Read);
        assert!(
            found == *wanted || done(device, LayerSide::Read) == 0,
            "{} {}: {found:?}",
            stack.name,
            device.device
        );
    }
    check_levels(stack, ran);
}

/// What the top got went down whole, and took longer there than below.
fn check_levels(stack: &Stack, ran: &Ran) {
    let devices = &ran.layers.devices;
    let members = devices
        .iter()
        .rev()
        .take_while(|device| device.device.starts_with("nvme"));
    let (mut below, mut time_below) = (0, 0.0);
    for member in members {
        let times = member.times(LayerSide::Read, Span::Q2C);
        below += times.map_or(0, |times| times.total()) + member.counter("unseen");
        time_below += times
            .and_then(|times| Some(times.mean_ns()? * times.total() as f64))
            .unwrap_or(0.0);
    }
    // Bios that joined another one's request above go down as a part of it.
    let joined: u64 = devices
        .iter()
        .filter(|device| !device.device.starts_with("nvme"))
        .map(|device| device.counter("merged"))
        .sum();
    let counters: Vec<_> = devices
        .iter()
        .map(|device| (&device.device, &device.counters))
        .collect();
    let is_whole = below + joined >= ran.ios && below <= ran.ios + 64;
    assert!(
        is_whole,
        "{}: {below} of {}: {counters:?}",
        stack.name, ran.ios
    );
    let top = devices[0]
        .times(LayerSide::Read, Span::Q2C)
        .unwrap()
        .mean_ns()
        .unwrap();
    assert!(
        time_below / below as f64 <= top * 1.02,
        "{}: the top's time holds what is below",
        stack.name
    );
}

/// The events of switches and wake-ups, and the names of a task's fields, are not the same on all kernels.
fn the_sleep_of_a_loads_threads_is_timed(guest: &mut Guest) {
    out(
        guest,
        "iodyno check /dev/nvme0n1 --quick --json > /mnt/lab/checked",
    );
    let check: Value = serde_json::from_slice(&guest.get("checked").unwrap()).unwrap();
    let probes = check["probes"].as_array().unwrap();
    let one = probes.iter().find(|probe| probe["role"] == "latency");
    let tasks = &one.expect("one read at a time")["tasks"];
    let off_cpu = &tasks["off_cpu"];
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    assert!(number(off_cpu, "sleeps") >= 10.0, "{tasks:#}");
    let counted =
        1.0 - (number(tasks, "run_ms") + number(tasks, "delay_ms")) / number(tasks, "alive_ms");
    let timed = number(off_cpu, "slept_ms") / number(off_cpu, "followed_ms");
    assert!(
        (counted - timed).abs() < 0.1,
        "{counted} and {timed}: {tasks:#}"
    );
    // By its name where the compiler has left it one.
    let innermost = off_cpu["places"][0]["functions"][0].as_str().unwrap();
    let known = [
        "io_cqring_wait",
        "__do_sys_io_uring_enter",
        "__arm64_sys_io_uring_enter",
    ];
    let is_known = known.contains(&innermost);
    assert!(is_known, "{off_cpu:#}");
}

fn splits_and_requeues_are_counted(guest: &mut Guest) {
    // A device mapper's split is of its own kind: the whole goes on, and its parts are the I/Os of the disk below.
    let make = "echo 64 > /sys/block/nvme0n1/queue/max_sectors_kb; modprobe dm_mod; echo 0 65536 linear /dev/nvme0n1 0 | dmsetup create lin; echo /dev/mapper/lin";
    let split = ran(
        guest,
        make,
        "--rw=read --bs=512k --iodepth=2 --runtime=300ms",
    );
    check_all_seen("split", &split, &split.layers.devices[0], LayerSide::Read);
    let below = &split.layers.devices[1];
    let parts = below.counter("queued") + below.counter("split");
    let ended = done(below, LayerSide::Read) + below.counter("unseen");
    assert_eq!(
        ended + below.counter("again"),
        parts,
        "{:?}",
        below.counters
    );
    assert!(ended >= 8 * split.ios, "{ended} parts of {}", split.ios);
    out(guest, "udevadm settle; dmsetup remove --retry lin");
    // Every twentieth command finds the host busy, and its request goes back.
    let make = "modprobe scsi_debug dev_size_mb=32 every_nth=20 opts=0x8000 && udevadm settle; name=$(ls /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block); echo /dev/$name";
    let requeued = ran(guest, make, READ);
    check_all_seen(
        "requeue",
        &requeued,
        &requeued.layers.devices[0],
        LayerSide::Read,
    );
    let counters = &requeued.layers.devices[0];
    assert!(counters.counter("requeued") > 0, "{:?}", counters.counters);
}

/// blktrace and our programs see the same events of the same run, so they have to say the same.
fn layers_are_those_of_blktrace(guest: &mut Guest) {
    // The last of them stays for the tests that follow.
    for scheduler in ["mq-deadline", "none"] {
        // blktrace is ready when its files are there, and has all events when it has ended.
        let make = format!(
            "echo {scheduler} > /sys/block/nvme0n1/queue/scheduler
            mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
            cd /run; rm -f trace.*; setsid blktrace -d /dev/nvme0n1 -o trace -b 1024 -n 8 > traced 2>&1 & echo $! > /run/pid
            while ! ls /run/trace.blktrace.* > /run/files 2>&1; do sleep 0.1; done; sleep 1
            echo /dev/nvme0n1"
        );
        let run = |guest: &mut Guest| {
            let ran = ran(guest, &make, READ);
            out(
                guest,
                "cd /run; kill -INT $(cat pid); while kill -0 $(cat pid) 2>/run/files; do sleep 0.1; done
                blkparse -q -i trace -d trace.bin -f '%a %S %T %t\n' -o /mnt/lab/events; btt -i trace.bin > /mnt/lab/btt",
            );
            ran
        };
        checked(
            guest,
            run,
            |guest, ran| check_against_blktrace(scheduler, guest, ran),
            "true",
        );
    }
}

fn check_against_blktrace(scheduler: &str, guest: &Guest, ran: &Ran) {
    let text = |name: &str| String::from_utf8(guest.get(name).unwrap()).unwrap();
    let (events, btt) = (text("events"), text("btt"));
    let ours = &ran.layers.devices[0];
    for (span, from) in [(Span::D2C, "D"), (Span::Q2C, "Q")] {
        let times = ours.times(LayerSide::Read, span).unwrap();
        let (mean, median) = (
            times.mean_ns().unwrap(),
            times.quantile_ns(0.5).unwrap() as f64,
        );
        let theirs = blktraces(&events, from);
        let (mean_theirs, median_theirs) =
            (btts(&btt, span.name()), theirs[theirs.len() / 2] as f64);
        println!(
            "{scheduler} {}: mean {mean:.0} and {mean_theirs:.0} ns, median {median:.0} and {median_theirs:.0} ns, {} and {} I/Os",
            span.name(),
            times.total(),
            theirs.len()
        );
        let counts_differ_by = times.total().abs_diff(theirs.len() as u64);
        assert!(
            counts_differ_by <= 64 + ours.counter("unseen"),
            "{scheduler}"
        );
        assert!(
            (mean / mean_theirs - 1.0).abs() < 0.01,
            "{scheduler}: {mean} and {mean_theirs} ns"
        );
        assert!(
            (median / median_theirs - 1.0).abs() < 0.02,
            "{scheduler}: {median} and {median_theirs} ns"
        );
    }
}

/// The average that btt gives for all devices, ns.
fn btts(text: &str, span: &str) -> f64 {
    let line = text
        .lines()
        .find(|line| line.split_whitespace().next() == Some(span))
        .unwrap();
    line.split_whitespace()
        .nth(2)
        .unwrap()
        .parse::<f64>()
        .unwrap()
        * 1e9
}

/// Times from an event to the completion of the same sector, sorted, ns; the lines are in the order of time.
fn blktraces(events: &str, from: &str) -> Vec<u64> {
    let mut begun = std::collections::HashMap::new();
    let mut times = Vec::new();
    for line in events.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [action, sector, seconds, ns] = words[..] else {
            continue;
        };
        let at = seconds.parse::<u64>().unwrap() * 1_000_000_000 + ns.parse::<u64>().unwrap();
        if action == from {
            begun.insert(sector.to_string(), at);
        } else if action == "C" {
            times.extend(begun.remove(sector).map(|start| at - start));
        }
    }
    times.sort_unstable();
    times
}

/// The stacks that every rung is tried on: a scheduler's and no scheduler's requests, clones, and bios handed down.
const EVENTS_OF: [&str; 4] = [
    "NVMe without a scheduler",
    "NVMe with mq-deadline",
    "dm linear",
    "md raid0",
];

fn each_rung_counts_every_io(guest: &mut Guest) {
    out(
        guest,
        "for module in dm_mod raid0; do modprobe $module; done",
    );
    let page = out(guest, "iodyno explain layers");
    for rung in ["perf", "tracefs", "blktrace"] {
        let line = page
            .lines()
            .find(|line| line.split_whitespace().next() == Some(rung))
            .unwrap();
        assert!(line.contains("works here too"), "{page}");
        for stack in STACKS
            .iter()
            .filter(|stack| EVENTS_OF.contains(&stack.name))
        {
            let run = |guest: &mut Guest| {
                let set_up = format!(
                    "echo none > /sys/block/nvme0n1/queue/scheduler; {}",
                    stack.make
                );
                ran_by(guest, rung, &set_up, READ)
            };
            checked(
                guest,
                run,
                |_, ran| check_rung(rung, stack, ran),
                stack.take_down,
            );
        }
    }
}

fn check_rung(rung: &str, stack: &Stack, ran: &Ran) {
    let devices = &ran.layers.devices;
    let name = format!("{rung}, {}", stack.name);
    let counters: Vec<_> = devices
        .iter()
        .map(|device| (&device.device, &device.counters))
        .collect();
    println!("{name}: {} I/Os, {counters:?}", ran.ios);
    assert_eq!(
        (ran.layers.source.as_str(), devices.len()),
        (rung, stack.devices.len()),
        "{name}"
    );
    let top = &devices[0];
    // Two reads of one block at once are one to those who go by the sector.
    let (seen, owned) = (
        done(top, LayerSide::Read),
        top.counter("unseen") + top.counter("dropped"),
    );
    assert!(
        seen + owned >= ran.ios && seen <= ran.ios + 64,
        "{name}: {seen} of {}: {counters:?}",
        ran.ios
    );
    assert!(
        owned * 10 <= ran.ios && top.counter("lost_events") == 0,
        "{name}: {counters:?}"
    );
    for (device, wanted) in devices.iter().zip(stack.devices) {
        assert_eq!(
            spans(device, LayerSide::Read),
            *wanted,
            "{name}, {}",
            device.device
        );
    }
    let below: u64 = devices[1..]
        .iter()
        .map(|device| done(device, LayerSide::Read))
        .sum();
    let owned: u64 = devices
        .iter()
        .map(|device| device.counter("unseen") + device.counter("dropped"))
        .sum();
    assert!(
        devices.len() == 1 || below + owned >= ran.ios,
        "{name}: {below} of {}: {counters:?}",
        ran.ios
    );
}

fn without_type_information_the_next_rung_is_taken(guest: &mut Guest) {
    out(
        guest,
        ": > /run/nothing; mount --bind /run/nothing /sys/kernel/btf/vmlinux",
    );
    let page = out(guest, "iodyno explain layers");
    assert!(page.contains("On this machine: perf"), "{page}");
    assert!(
        page.contains("eBPF       not here: this kernel has no type information"),
        "{page}"
    );
    let ran = ran(guest, "echo /dev/nvme0n1", READ);
    assert_eq!(ran.layers.source, "perf");
    let document: Value = serde_json::from_slice(&guest.get("ran").unwrap()).unwrap();
    let sensors = document["record"]["sensors"].as_array().unwrap();
    let notes = &sensors
        .iter()
        .find(|log| log["sensor"] == "layers")
        .unwrap()["notes"];
    assert!(
        notes
            .to_string()
            .contains("not from eBPF: this kernel has no type information"),
        "{notes}"
    );
}

/// A disk has one trace at a time: a stranger's is left alone, and that of a killed iodyno is not.
fn a_disk_is_traced_after_a_killed_trace_and_not_beside_anothers(guest: &mut Guest) {
    // Older kernels answer while the disk is open only.
    let end = "{ cat /sys/block/nvme0n1/trace/end_lba; } 3</dev/nvme0n1";
    let begin = format!(
        "mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
        setsid iodyno run /dev/nvme0n1 --rw=randread --iodepth=4 --runtime=600s --layers blktrace > /run/said 2>&1 & echo $! > /run/pid
        until [ \"$({end})\" -gt 1000000000000 ] 2>/run/why; do sleep 0.1; kill -0 $(cat /run/pid) || exit 1; done"
    );
    out(guest, &begin);
    let busy = "iodyno run /dev/nvme0n1 --rw=randread --runtime=200ms --layers blktrace --json";
    // The lock of a device is for tunes; two loads may share it, two traces may not.
    let said = out(guest, &format!("{busy} || true"));
    assert!(said.contains("one trace at a time"), "{said}");
    out(
        guest,
        "kill -9 $(cat /run/pid); while kill -0 $(cat /run/pid) 2>/run/why; do sleep 0.1; done",
    );
    let left = out(guest, end);
    assert!(
        left.trim()
            .parse::<u64>()
            .is_ok_and(|sector| sector > 1 << 60),
        "it goes on: {left}"
    );
    let ran = ran_by(guest, "blktrace", "echo /dev/nvme0n1", READ);
    assert_eq!(ran.layers.source, "blktrace");
    assert!(
        done(&ran.layers.devices[0], LayerSide::Read) * 10 >= ran.ios * 9,
        "{:?}",
        ran.layers.devices[0].counters
    );
    // Without a trace there is nothing to read, on some kernels not even that.
    let gone = out(guest, &format!("{end} || true"));
    assert!(gone.trim().parse::<u64>().is_err(), "taken down: {gone}");
    out(
        guest,
        "cd /run; setsid blktrace -d /dev/nvme0n1 -o stranger > traced 2>&1 & echo $! > /run/pid
        while ! ls /run/stranger.blktrace.* > /run/files 2>&1; do sleep 0.1; done",
    );
    let said = out(guest, busy);
    assert!(said.contains("another blktrace"), "{said}");
    out(guest, "kill -0 $(cat /run/pid); kill -INT $(cat /run/pid)");
}
