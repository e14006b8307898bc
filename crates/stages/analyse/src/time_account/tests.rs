//! Loads whose parts are known by hand.

use super::*;
use model::histogram::Histogram;
use model::job::{Job, Rw};
use model::layers::{DeviceLayers, LayerTimes, Span, SpanTimes};
use model::time_account::{OffCpu, SleepSight, TimedSleep};
use proptest::prelude::*;

fn times(ns: u64, count: u64) -> Histogram {
    let mut times = Histogram::new();
    (0..count).for_each(|_| times.record(ns));
    times
}

fn device(name: &str, spans: &[(LayerSide, Span, u64, u64)]) -> DeviceLayers {
    let spans = spans.iter().map(|(side, span, ns, count)| SpanTimes {
        side: *side,
        span: *span,
        times: times(*ns, *count),
    });
    DeviceLayers {
        device: name.into(),
        devno: "8:0".into(),
        spans: spans.collect(),
        counters: BTreeMap::new(),
    }
}

fn layers(devices: Vec<DeviceLayers>) -> Option<LayerTimes> {
    Some(LayerTimes {
        source: "eBPF full".into(),
        devices,
        outside: Vec::new(),
    })
}

fn sight(functions: &[&str], busy: u64, idle: u64) -> SleepSight {
    SleepSight {
        functions: functions.iter().map(|name| (*name).to_string()).collect(),
        busy,
        idle,
    }
}

/// A load of a second with one thread; CPU time half the program's, half the kernel's.
fn probe(role: Role, rw: Rw, (depth, ios, us): (u32, u64, u64), run_ms: f64) -> Probe {
    let job = Job {
        rw,
        ..Job::default()
    };
    let mut probe = Probe::of(role, job);
    probe.load.depth = depth;
    probe.load.elapsed_ms = 1e3;
    (probe.load.cpu_user_ms, probe.load.cpu_system_ms) = (run_ms / 2.0, run_ms / 2.0);
    let side = match rw {
        Rw::Write | Rw::Randwrite => &mut probe.load.write,
        _ => &mut probe.load.read,
    };
    side.ios = ios;
    side.latency = times(us * 1_000, ios);
    probe.tasks = Some(TaskTimes {
        threads: 1,
        alive_ms: 1e3,
        run_ms,
        looks: 200,
        asleep: ((1e3 - run_ms) / 5.0) as u64,
        ..TaskTimes::default()
    });
    probe
}

fn tasks(probe: &mut Probe) -> &mut TaskTimes {
    probe.tasks.as_mut().expect("made with them")
}

fn told(account: &TimeAccount) -> Vec<(TimePlace, i64)> {
    let percent = |part: &TimePart| (part.place, (part.share * 100.0).round() as i64);
    account.parts.iter().map(percent).collect()
}

#[test]
fn one_read_at_a_time_is_the_device_the_cpu_and_the_way_back() {
    let mut probe = probe(Role::Latency, Rw::Randread, (1, 10_000, 100), 100.0);
    tasks(&mut probe).sleeps = vec![sight(
        &["io_cqring_wait", "__do_sys_io_uring_enter"],
        160,
        20,
    )];
    use LayerSide::Read;
    probe.layers = layers(vec![device(
        "sda",
        &[
            (Read, Span::Q2G, 8_000, 10_000),
            (Read, Span::D2C, 72_000, 10_000),
            (Read, Span::Q2C, 80_000, 10_000),
        ],
    )]);
    let account = account(&probe, &["sda"]).unwrap();
    assert_eq!(
        told(&account),
        [
            (TimePlace::Program, 5),
            (TimePlace::SystemCall, 5),
            (TimePlace::Request, 8),
            (TimePlace::Device, 72),
            (TimePlace::Completion, 10)
        ]
    );
    assert_eq!((account.io.as_str(), account.mean_us), ("read", 100.0));
    assert!(account.off < 0.01, "{account:?}");
}

#[test]
fn what_a_limit_holds_is_held_also_while_others_keep_the_disk_busy() {
    for (depth, ios, us) in [(64, 100, 640_000), (1, 100, 10_000)] {
        let role = if depth == 1 {
            Role::Latency
        } else {
            Role::Depth
        };
        let mut probe = probe(role, Rw::Randread, (depth, ios, us), 1.0);
        tasks(&mut probe).sleeps = vec![sight(&["read_events", "do_io_getevents"], 199, 0)];
        use LayerSide::Read;
        let spans = [
            (Read, Span::D2C, 900_000, 100),
            (Read, Span::Q2C, 900_000, 100),
        ];
        probe.layers = layers(vec![device("sda", &spans)]);
        let account = account(&probe, &["sda"]).unwrap();
        let held = account
            .part(TimePlace::Request)
            .map_or(0.0, |part| part.share);
        assert!(held > 0.85, "depth {depth}: {account:?}");
    }
}

#[test]
fn a_slow_commit_is_the_journals_and_not_the_disks() {
    let mut probe = probe(Role::Fsync, Rw::Write, (1, 100, 10_000), 20.0);
    let commit = &["jbd2_log_wait_commit", "ext4_fsync_journal", "do_fsync"];
    tasks(&mut probe).sleeps = vec![sight(commit, 30, 160)];
    use LayerSide::{Flush, Write};
    probe.layers = layers(vec![device(
        "sda",
        &[
            (Write, Span::Q2C, 500_000, 200),
            (Write, Span::D2C, 500_000, 200),
            (Flush, Span::Q2C, 1_000_000, 100),
            (Flush, Span::D2C, 1_000_000, 100),
        ],
    )]);
    let account = account(&probe, &["sda"]).unwrap();
    assert_eq!(account.io, "write and its fsync");
    assert_eq!(
        told(&account)[2..],
        [(TimePlace::Journal, 78), (TimePlace::Device, 20)],
        "200 ms of the second were the disk's"
    );
    let journal = account.part(TimePlace::Journal).unwrap();
    assert_eq!(journal.function.as_deref(), Some("jbd2_log_wait_commit"));
    assert!(journal.uncertainty > 0.05 && journal.uncertainty < 0.08);
}

#[test]
fn others_that_have_the_cpus_and_a_quota_are_told_apart() {
    let mut probe = probe(Role::BufferedRandom, Rw::Randread, (1, 1_000, 1_000), 200.0);
    let tasks = tasks(&mut probe);
    (tasks.delay_ms, tasks.asleep) = (500.0, 60);
    tasks.sleeps = vec![sight(
        &["folio_wait_bit_common", "filemap_get_pages"],
        60,
        0,
    )];
    let parts = told(&account(&probe, &["sda"]).unwrap());
    assert!(parts.contains(&(TimePlace::CpuWait, 50)), "{parts:?}");
    assert!(
        parts.contains(&(TimePlace::Device, 30)),
        "no layers, and the disk at work: {parts:?}"
    );

    // Linux 6.18 takes a throttled task out of its queue: neither on a CPU, nor waiting for one, nor asleep.
    let mut held = probe.clone();
    let tasks = held.tasks.as_mut().unwrap();
    (tasks.delay_ms, tasks.throttled_ms) = (0.0, Some(480.0));
    let account = account(&held, &["sda"]).unwrap();
    let parts = told(&account);
    assert!(parts.contains(&(TimePlace::CpuThrottled, 48)), "{parts:?}");
    assert!(account.off < 0.03, "{account:?}");
}

#[test]
fn many_in_flight_are_accounted_by_the_layers() {
    // The thread is busy all the time, and the device answers in a tenth of the latency.
    let mut probe = probe(Role::Depth, Rw::Randread, (64, 100_000, 640), 1_000.0);
    use LayerSide::Read;
    probe.layers = layers(vec![device(
        "nvme0n1",
        &[
            (Read, Span::D2C, 64_000, 100_000),
            (Read, Span::Q2C, 64_000, 100_000),
        ],
    )]);
    let account = account(&probe, &["nvme0n1"]).unwrap();
    assert_eq!(
        told(&account),
        [
            (TimePlace::Program, 45),
            (TimePlace::SystemCall, 45),
            (TimePlace::Device, 10)
        ]
    );
    assert!((account.mean_us - 640.0).abs() < 0.01 * 640.0);
}

#[test]
fn what_a_limit_holds_back_is_before_the_block_layer() {
    let mut probe = probe(Role::Depth, Rw::Randread, (8, 300, 26_000), 10.0);
    tasks(&mut probe).sleeps = vec![sight(&["io_cqring_wait"], 4, 190)];
    use LayerSide::Read;
    probe.layers = layers(vec![device(
        "sda",
        &[
            (Read, Span::D2C, 130_000, 300),
            (Read, Span::Q2C, 130_000, 300),
        ],
    )]);
    let parts = told(&account(&probe, &["sda"]).unwrap());
    assert!(parts.contains(&(TimePlace::Request, 99)), "{parts:?}");
    // One I/O at a time, in the same group.
    (probe.load.depth, probe.role) = (1, Role::Latency);
    let parts = told(&account(&probe, &["sda"]).unwrap());
    let held = parts.iter().find(|(place, _)| *place == TimePlace::Request);
    assert!(held.is_some_and(|(_, share)| *share > 90), "{parts:?}");
}

#[test]
fn a_mapped_device_gives_each_level_its_own() {
    let mut probe = probe(Role::Depth, Rw::Randread, (8, 10_000, 800), 50.0);
    tasks(&mut probe).sleeps = vec![sight(&["io_cqring_wait"], 190, 0)];
    use LayerSide::Read;
    probe.layers = layers(vec![
        device("dm-0", &[(Read, Span::Q2C, 760_000, 10_000)]),
        device(
            "sda",
            &[
                (Read, Span::I2D, 80_000, 10_000),
                (Read, Span::D2C, 320_000, 10_000),
                (Read, Span::Q2C, 400_000, 10_000),
            ],
        ),
    ]);
    let parts = told(&account(&probe, &["sda"]).unwrap());
    for part in [
        (TimePlace::Scheduler, 10),
        (TimePlace::Device, 40),
        (TimePlace::Mapping, 45),
    ] {
        assert!(parts.contains(&part), "{parts:?}");
    }
}

fn timed(functions: &[&str], ms: f64) -> TimedSleep {
    TimedSleep {
        functions: functions.iter().map(|name| (*name).to_string()).collect(),
        ms,
    }
}

/// Looks meet threads awake too often where they are on the CPU that an interrupt wakes.
#[test]
fn sleep_that_is_timed_counts_before_looks() {
    let mut probe = probe(Role::Fsync, Rw::Write, (1, 1_000, 1_000), 100.0);
    tasks(&mut probe).asleep = 120;
    tasks(&mut probe).sleeps = vec![
        sight(&["jbd2_log_wait_commit"], 80, 0),
        sight(&["folio_wait_bit"], 10, 30),
    ];
    assert!(account(&probe, &["sda"]).unwrap().off > 0.29);
    tasks(&mut probe).off_cpu = Some(OffCpu {
        followed_ms: 1e3,
        slept_ms: 890.0,
        sleeps: 2_000,
        places: vec![
            timed(&["balance_dirty_pages", "generic_perform_write"], 400.0),
            timed(&["folio_wait_bit"], 240.0),
            timed(&["jbd2_log_wait_commit"], 160.0),
        ],
    });
    let account = account(&probe, &["sda"]).unwrap();
    assert!((account.off - 0.01).abs() < 1e-9, "{account:?}");
    // Of 900 ms half, three tenths and two tenths; of the second the device had I/O in a quarter.
    let parts = told(&account);
    assert!(parts.contains(&(TimePlace::Writeback, 45)), "{parts:?}");
    assert!(parts.contains(&(TimePlace::PageCache, 20)), "{parts:?}");
    assert!(parts.contains(&(TimePlace::Device, 25)), "{parts:?}");
}

/// A compiler may make the wait for a completion a part of the call; what else a submission waits for stands below it.
#[test]
fn a_call_of_io_uring_is_the_wait_for_its_completion_where_nothing_else_is() {
    let place = |functions: &[&str]| {
        let mut probe = probe(Role::Latency, Rw::Randread, (1, 1_000, 1_000), 100.0);
        tasks(&mut probe).sleeps = vec![sight(functions, 0, 180)];
        told(&account(&probe, &["sda"]).unwrap())
    };
    for call in [
        ["__do_sys_io_uring_enter", "do_syscall_64"],
        ["__arm64_sys_io_uring_enter", "invoke_syscall"],
    ] {
        let waits = place(&call);
        assert!(
            !waits.iter().any(|(place, _)| *place == TimePlace::Unknown),
            "{waits:?}"
        );
    }
    let reads = place(&[
        "folio_wait_bit_common",
        "filemap_read",
        "__do_sys_io_uring_enter",
    ]);
    assert!(reads.contains(&(TimePlace::PageCache, 90)), "{reads:?}");
}

/// Stacks without names are no places.
#[test]
fn timed_sleep_without_places_leaves_those_that_were_looked_at() {
    let mut probe = probe(Role::Latency, Rw::Randread, (1, 1_000, 1_000), 100.0);
    tasks(&mut probe).sleeps = vec![sight(&["balance_dirty_pages"], 0, 180)];
    tasks(&mut probe).off_cpu = Some(OffCpu {
        followed_ms: 1e3,
        slept_ms: 900.0,
        sleeps: 2_000,
        places: vec![timed(&[], 900.0)],
    });
    let parts = told(&account(&probe, &["sda"]).unwrap());
    assert!(parts.contains(&(TimePlace::Writeback, 90)), "{parts:?}");
}

#[test]
fn without_layers_the_disks_counters_tell_what_lay_below() {
    let mut probe = probe(Role::Depth, Rw::Randread, (32, 10_000, 1_000), 100.0);
    tasks(&mut probe).sleeps = vec![sight(&["io_cqring_wait"], 180, 0)];
    probe
        .frame
        .push("disk.await_read_ms".into(), "sda".into(), 0.9);
    let account = account(&probe, &["sda"]).unwrap();
    assert!(!account.is_traced);
    assert!(
        told(&account).contains(&(TimePlace::Device, 90)),
        "{account:?}"
    );
}

#[test]
fn what_was_not_watched_has_no_account() {
    let mut idle = probe(Role::Idle, Rw::Randread, (1, 10, 10), 1.0);
    assert_eq!(account(&idle, &["sda"]), None);
    idle.role = Role::Latency;
    assert!(account(&idle, &["sda"]).is_some());
    idle.tasks = None;
    assert_eq!(account(&idle, &["sda"]), None);
}

proptest! {
    #[test]
    fn every_account_adds_up(
        depth in prop_oneof![Just(1u32), Just(32)],
        (run, delay, held) in (0.0..1500.0, 0.0..1500.0, prop::option::of(0.0..2000.0)),
        (d2c, q2g) in (0u64..2_000_000, 0u64..2_000_000),
        sights in prop::collection::vec((0usize..6, 0u64..100, 0u64..100), 0..5),
        off_cpu in prop::option::of((0.0..2000.0, 0.0..2000.0, prop::collection::vec((0usize..6, 0.0..500.0), 0..5))),
    ) {
        let names = ["io_cqring_wait", "jbd2_log_wait_commit", "balance_dirty_pages", "folio_wait_bit", "blk_mq_get_tag", "a_new_one"];
        let mut probe = probe(Role::Latency, Rw::Randread, (depth, 1_000, 1_000), run);
        let seen = tasks(&mut probe);
        (seen.delay_ms, seen.throttled_ms) = (delay, held);
        seen.asleep = seen.asleep.min(seen.looks);
        seen.sleeps = sights.iter().map(|(name, busy, idle)| sight(&[names[*name]], *busy, *idle)).collect();
        seen.off_cpu = off_cpu.map(|(followed_ms, slept_ms, places)| OffCpu {
            followed_ms,
            slept_ms,
            sleeps: 10,
            places: places.iter().map(|(name, ms)| timed(&[names[*name]], *ms)).collect(),
        });
        use LayerSide::Read;
        probe.layers = layers(vec![device("sda", &[
            (Read, Span::Q2G, q2g, 1_000), (Read, Span::D2C, d2c, 1_000), (Read, Span::Q2C, q2g + d2c, 1_000),
        ])]);
        let account = account(&probe, &["sda"]).unwrap();
        let sum: f64 = account.parts.iter().map(|part| part.share).sum();
        prop_assert!((sum - 1.0).abs() < 1e-9, "{:?}", account);
        prop_assert!(account.parts.iter().all(|part| part.share >= 0.0 && part.uncertainty.is_finite()));
        prop_assert!(account.parts.is_sorted_by_key(|part| part.place));
    }
}
