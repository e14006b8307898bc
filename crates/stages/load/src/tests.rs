//! Whole loads on real files.

mod handed_over;
mod targets;

use super::loop_device::opened;
use super::patience::{until, until_counted, until_over};
use super::prepare::{LoadTarget, ScratchPlace};
use super::source::Span;
use super::start::start_with;
use super::worker::{Faults, Worker};
use super::*;
use host::Host;
use host::files::{TemporaryDir, temporary_dir};
use host::signals::Stop;
use model::failure::Exit;
use model::job::{Job, Rw};
use std::sync::Arc;

fn made_ready(job: &Job) -> (TemporaryDir, Prepared) {
    let dir = temporary_dir("load").unwrap();
    let prepared = prepare(
        &Host::live(),
        &opened(dir.path()),
        job,
        &Consent::default(),
        &Stop::new(),
        &mut |_, _| {},
    )
    .unwrap();
    (dir, prepared)
}

fn small(ioengine: &str) -> Job {
    Job {
        ioengine: ioengine.into(),
        size: 8 << 20,
        iodepth: 8,
        ..Job::default()
    }
}

const ENGINES: [&str; 6] = ["io_uring", "libaio", "psync", "sync", "pvsync2", "mmap"];

/// Runs a job until all it does was done and for a moment more, and checks what holds for every job.
fn run_briefly(job: &Job, label: &str) -> model::record::LoadResult {
    let (_dir, prepared) = made_ready(job);
    let running =
        start(&prepared, job, 1, Region::WHOLE).unwrap_or_else(|error| panic!("{label}: {error}"));
    let lanes = [
        (job.rw.reads(), lane::READ),
        (job.rw.writes(), lane::WRITE),
        (job.rw.trims(), lane::TRIM),
    ];
    let has_all = |seen: &Snapshot| {
        lanes
            .iter()
            .all(|(is_done, lane)| !is_done || seen.side(*lane).ios() > 0)
    };
    let begun = until_counted(&running, label, has_all);
    assert!(
        running.wait_ms(40, &Stop::new()),
        "{label}: {:?}",
        running.failure()
    );
    // Behind what is in flight now comes an I/O that is submitted and completed later than now.
    let (now, inflight) = (running.snapshot(), u64::from(job.iodepth * job.numjobs));
    until_counted(&running, label, |seen| seen.ios > now.ios + inflight);
    let between_ms = (now.at_ns - begun.at_ns) as f64 / 1e6;
    let result = running.finish();
    assert_eq!(result.read.ios > 0, job.rw.reads(), "{label}");
    assert_eq!(result.write.ios > 0, job.rw.writes(), "{label}");
    assert_eq!(result.trim.ios > 0, job.rw.trims(), "{label}");
    let binned: u64 = result.bins.iter().map(|count| u64::from(*count)).sum();
    assert_eq!(binned, result.ios(), "{label}: syncs are no I/O");
    assert!(result.errors.is_empty(), "{label}: {:?}", result.errors);
    assert!(
        result.elapsed_ms > between_ms * 0.99,
        "{label}: {} of {between_ms} ms",
        result.elapsed_ms
    );
    assert!(
        result.engine.starts_with(&job.ioengine),
        "{label}: {}",
        result.engine
    );
    result
}

#[test]
fn every_engine_does_every_kind_of_job() {
    for engine in ENGINES {
        for rw in Rw::ALL {
            for direct in [true, false] {
                if direct && engine == "mmap" {
                    continue;
                }
                let job = Job {
                    rw,
                    direct,
                    numjobs: 2,
                    size: 4 << 20,
                    ..small(engine)
                };
                let result = run_briefly(&job, &format!("{engine} {rw:?} direct={direct}"));
                assert_eq!(result.read.bytes, result.read.ios * 4096);
                let is_told = result
                    .notes
                    .iter()
                    .any(|note| note.contains("depth 1") || note.contains("depth is 1"));
                let is_single = engine != "io_uring" && (engine != "libaio" || !direct);
                assert_eq!(
                    is_told, is_single,
                    "{engine} direct={direct}: {:?}",
                    result.notes
                );
            }
        }
    }
}

#[test]
fn syncs_go_with_the_writes_and_writes_can_be_durable() {
    for engine in ENGINES {
        let direct = engine != "mmap";
        for (fsync, fdatasync, rw) in [(4, 0, Rw::Randwrite), (0, 4, Rw::Write), (2, 0, Rw::Randrw)]
        {
            let job = Job {
                rw,
                fsync,
                fdatasync,
                direct,
                ..small(engine)
            };
            let result = run_briefly(
                &job,
                &format!("{engine} fsync={fsync} fdatasync={fdatasync}"),
            );
            let every = u64::from(fsync + fdatasync);
            let wanted = result.write.ios / every;
            // What is in flight when the load ends may miss its sync.
            assert!(
                result.sync.ios <= wanted + 1 && result.sync.ios + 8 >= wanted,
                "{engine}: {:?}",
                result.sync.ios
            );
            assert_eq!(result.sync.bytes, 0);
            assert!(result.sync.latency.total() == result.sync.ios);
        }
        for sync in [model::job::SyncMode::Dsync, model::job::SyncMode::Sync] {
            let job = Job {
                rw: Rw::Randwrite,
                sync,
                direct,
                ..small(engine)
            };
            run_briefly(&job, &format!("{engine} {sync:?}"));
        }
    }
}

#[test]
fn a_durable_file_is_opened_so() {
    let job = Job {
        rw: Rw::Randwrite,
        sync: model::job::SyncMode::Dsync,
        ..small("psync")
    };
    let (_dir, prepared) = made_ready(&job);
    let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
    let flags = |fd: &str| {
        host::Host::live()
            .text(&format!("/proc/self/fdinfo/{fd}"))
            .unwrap_or_default()
    };
    let open = host::Host::live().list("/proc/self/fd");
    // O_DSYNC is 010000 in every architecture's fcntl.h that iodyno builds for.
    let is_durable = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("flags:"));
        line.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok())
            .is_some_and(|flags| flags & 0o10000 != 0)
    };
    assert!(open.iter().any(|fd| is_durable(&flags(fd))));
    drop(running);
}

#[test]
fn blocks_of_several_files_are_spread_over_them() {
    for engine in ENGINES {
        let files = model::job::FileSet {
            nrfiles: 3,
            ..Default::default()
        };
        let job = Job {
            rw: Rw::Write,
            files,
            direct: engine != "mmap",
            bs: 8192,
            size: 3 << 20,
            ..small(engine)
        };
        let (_dir, prepared) = made_ready(&job);
        let before: Vec<Vec<u8>> = prepared.files(0).iter().map(content).collect();
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        until_counted(&running, engine, |seen| seen.ios >= 48);
        running.finish();
        for (file, before) in prepared.files(0).iter().zip(before) {
            assert_ne!(content(file), before, "{engine}");
        }
    }
}

fn content(file: &host::files::DataFile) -> Vec<u8> {
    let mut bytes = vec![0; 1 << 20];
    assert_eq!(file.read_at(&mut bytes, 0).unwrap(), bytes.len());
    bytes
}

#[test]
fn a_job_that_has_moved_all_ends_by_itself() {
    for engine in ENGINES {
        let job = Job {
            time_based: false,
            rw: Rw::Read,
            direct: engine != "mmap",
            ..small(engine)
        };
        let (_dir, prepared) = made_ready(&job);
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        until_over(&running);
        assert_eq!(running.finish().read.bytes, 8 << 20, "{engine}");
    }
}

#[test]
fn discards_reach_devices_and_files() {
    let Some(device) = loop_device::LoopDevice::attach(4 << 20) else {
        return;
    };
    let file = host::files::DataFile::open(
        &device.path,
        host::files::Access {
            write: true,
            ..Default::default()
        },
    );
    let file = file.unwrap();
    for engine in ENGINES.into_iter().filter(|engine| *engine != "mmap") {
        file.write_at(&[7; 4 << 20], 0).unwrap();
        file.sync().unwrap();
        let job = Job {
            rw: Rw::Trim,
            bs: 64 << 10,
            time_based: false,
            size: 0,
            ..small(engine)
        };
        let consent = Consent {
            destroy_data: true,
            ..Consent::default()
        };
        let prepared = prepare(
            &Host::live(),
            &opened(&device.path),
            &job,
            &consent,
            &Stop::new(),
            &mut |_, _| {},
        )
        .unwrap();
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        until_over(&running);
        assert!(
            running.failure().is_none(),
            "{engine}: {:?}",
            running.failure()
        );
        let result = running.finish();
        assert_eq!(
            (result.trim.ios, result.trim.bytes),
            (64, 4 << 20),
            "{engine}"
        );
        drop(prepared);
        assert!(
            device.content().iter().all(|byte| *byte == 0),
            "{engine} left data behind"
        );
        let is_told = result
            .notes
            .iter()
            .any(|note| note.contains("trims are done one at a time"));
        assert_eq!(is_told, engine == "libaio", "{:?}", result.notes);
    }
}

#[test]
fn batches_pauses_and_low_marks_are_kept() {
    for engine in ["io_uring", "libaio"] {
        let base = Job {
            iodepth: 16,
            ..small(engine)
        };
        let batches = Job {
            iodepth_batch: 4,
            iodepth_batch_complete_min: 2,
            iodepth_batch_complete_max: 3,
            iodepth_low: 6,
            ..base.clone()
        };
        run_briefly(&batches, &format!("{engine} in batches"));
    }
    for engine in ENGINES {
        let thinktime = model::job::Thinktime {
            us: 10_000,
            spin_us: 2_000,
            blocks: 5,
        };
        // From the cache: a disk may take longer than the pause.
        let job = Job {
            thinktime,
            direct: false,
            ..small(engine)
        };
        let (_dir, prepared) = made_ready(&job);
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        // Five I/Os, then 10 ms: 30 rounds in 300 ms. A busy machine makes fewer, but not always a fifth only.
        let has_paused_only_so_long = until(|| {
            let before = running.snapshot();
            assert!(
                running.wait_ms(300, &Stop::new()),
                "{engine}: {:?}",
                running.failure()
            );
            running.snapshot().since(&before).ios >= 30
        });
        assert!(has_paused_only_so_long, "{engine}");
        // Nothing makes more rounds than there is time for.
        let result = running.finish();
        let most = 5.0 * (result.elapsed_ms / 9.9 + 1.0);
        assert!(
            result.read.ios as f64 <= most,
            "{engine}: {} in {} ms",
            result.read.ios,
            result.elapsed_ms
        );
    }
}

#[test]
fn refused_rings_fall_back_and_say_so() {
    let job = small("io_uring");
    let (_dir, prepared) = made_ready(&job);
    let cases = [
        (
            Faults {
                flags: Some(libc::EINVAL),
                ..Faults::default()
            },
            "io_uring (no flags",
            "SINGLE_ISSUER",
        ),
        (
            Faults {
                buffers: Some(libc::ENOMEM),
                ..Faults::default()
            },
            "io_uring (",
            "RLIMIT_MEMLOCK",
        ),
        (
            Faults {
                ring: Some(libc::EPERM),
                ..Faults::default()
            },
            "libaio",
            "not permitted",
        ),
        (
            Faults {
                ring: Some(libc::ENOSYS),
                ..Faults::default()
            },
            "libaio",
            "no io_uring",
        ),
    ];
    for (faults, engine, note) in cases {
        let running = start_with(&prepared, &job, 1, Region::WHOLE, faults).unwrap();
        until_counted(&running, engine, |seen| seen.ios > 0);
        let result = running.finish();
        assert!(result.engine.starts_with(engine), "{}", result.engine);
        assert!(
            result.notes.iter().any(|text| text.contains(note)),
            "{:?}",
            result.notes
        );
        assert!(result.read.ios > 0);
    }
    let buffered = Job {
        direct: false,
        ..job
    };
    let faults = Faults {
        ring: Some(libc::EPERM),
        ..Faults::default()
    };
    let result = start_with(&prepared, &buffered, 1, Region::WHOLE, faults)
        .unwrap()
        .finish();
    assert!(
        result.engine.starts_with("psync")
            && result.notes.iter().any(|text| text.contains("at depth 1"))
    );
}

/// A worker on a file with this content, as an engine gets it.
pub(super) fn worker_on(content: &[u8]) -> (TemporaryDir, Worker) {
    let dir = temporary_dir("worker").unwrap();
    let path = dir.path().join("data");
    host::files::write_atomically(&path, "").unwrap();
    let access = host::files::Access {
        write: true,
        ..Default::default()
    };
    let file = host::files::DataFile::open(&path, access).unwrap();
    file.write_at(content, 0).unwrap();
    let file = file.reopen(access).unwrap();
    let place = ScratchPlace {
        host: Host::live(),
        target: LoadTarget::Opened(opened(&path)),
        device: None,
        state_dir: None,
    };
    let worker = Worker {
        index: 0,
        span: Span {
            start: 0,
            bytes: content.len() as u64,
        },
        files: vec![file],
        place: Arc::new(place),
        job: Arc::new(Job {
            direct: false,
            rw: Rw::Randrw,
            ..Job::default()
        }),
        seed: 1,
        clock: host::clock::FastClock::calibrate(),
        origin_ns: 0,
        shared: Arc::default(),
        counters: Arc::new(counters::Counters::new(0, false)),
        faults: Faults::default(),
        next_stage: Arc::default(),
    };
    (dir, worker)
}

#[test]
fn scratch_is_written_whole_and_its_writing_can_be_stopped() {
    let job = Job {
        size: (3 << 20) + 1,
        ..small("io_uring")
    };
    let (dir, prepared) = made_ready(&job);
    assert_eq!(prepared.bytes(), (3 << 20) + 4096);
    if let Some(written) = prepared.files(0)[0].written_bytes(prepared.bytes()) {
        assert_eq!(written, prepared.bytes());
    }
    let stop = Stop::new();
    stop.ask();
    let stopped = prepare(
        &Host::live(),
        &opened(dir.path()),
        &job,
        &Consent::default(),
        &stop,
        &mut |_, _| {},
    );
    assert_eq!(stopped.unwrap_err().exit(), Exit::Interrupted);
}

#[test]
fn halves_depth_limit_and_snapshots_are_live() {
    let job = Job {
        rw: Rw::Randwrite,
        iodepth: 16,
        ..small("io_uring")
    };
    let (_dir, prepared) = made_ready(&job);
    let read = Job {
        rw: Rw::Randread,
        ..job
    };
    let before_ns = host::clock::monotonic_ns();
    let running = start(&prepared, &read, 3, Region::half(1)).unwrap();
    let origin_ns = running.origin_ns();
    // The load's own clock may be a moment off the kernel's.
    assert!(
        origin_ns + 2_000_000 > before_ns && origin_ns < host::clock::monotonic_ns() + 2_000_000
    );
    let first = until_counted(&running, "at the start", |seen| seen.ios > 0);
    assert!(
        until(|| running.inflight() > 4),
        "the queue is never filled"
    );
    running.set_depth_limit(4);
    // What was in flight above the limit completes first, however long the disk takes for it.
    assert!(until(|| running.inflight() <= 4), "{}", running.inflight());
    let limited = running.snapshot();
    let second = until_counted(&running, "below the limit", |seen| {
        seen.ios > limited.ios + 64
    });
    assert!(running.inflight() <= 4, "{}", running.inflight());
    assert!(second.ios > first.ios && second.at_ns > first.at_ns);
    // I/Os are counted on while bytes are read: only of a load that has ended the two say the same.
    assert!(second.bytes > limited.bytes && second.bytes.is_multiple_of(4096));
    let bins = (second.at_ns - origin_ns) / running.bin_ns() + 1;
    let binned: u64 = running.bins(0, bins as usize).unwrap().iter().sum();
    // Each completion is counted first and put into its bin then.
    assert!(binned + 16 >= limited.ios, "{binned} of {}", limited.ios);
    drop(running);
    assert!(
        start(
            &prepared,
            &Job {
                bs: 8 << 20,
                ..read
            },
            3,
            Region::half(0)
        )
        .is_err(),
        "half a block"
    );
}

#[test]
fn a_rate_is_kept() {
    for engine in ENGINES {
        let job = Job {
            rates: model::job::PerDirection::all(model::job::Rate::Iops(100)),
            numjobs: 2,
            // From the cache: a disk may be slower than that.
            direct: false,
            ..small(engine)
        };
        let (_dir, prepared) = made_ready(&job);
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        running.wait_ms(500, &Stop::new());
        // A busy machine may hold it below the rate for a while; what is due is not forgotten.
        let is_kept = until(|| {
            let seen = running.snapshot();
            seen.ios as f64 > 0.9 * 200e-9 * seen.at_ns.saturating_sub(running.origin_ns()) as f64
        });
        assert!(is_kept, "{engine}: {}", running.snapshot().ios);
        let result = running.finish();
        // Nothing may push it above. What is due counts from the origin, as the bins do; the first of each job is due
        // at once.
        let ms = result.bins.len() as u64 * result.bin_ms;
        assert!(
            result.read.ios <= ms / 5 + 2,
            "{engine}: {} in {ms} ms",
            result.read.ios
        );
    }
}

#[test]
fn a_failing_io_stops_the_load_and_names_the_place() {
    for engine in ENGINES {
        let dir = temporary_dir("load").unwrap();
        let path = dir.path().join("data");
        host::files::write_atomically(&path, &"x".repeat(1 << 20)).unwrap();
        let job = Job {
            size: 0,
            rw: Rw::Read,
            direct: engine != "mmap",
            ..small(engine)
        };
        let prepared = prepare(
            &Host::live(),
            &opened(&path),
            &job,
            &Consent::default(),
            &Stop::new(),
            &mut |_, _| {},
        )
        .unwrap();
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        assert!(host::spawn::run("truncate", &["-s", "512K", &path.to_string_lossy()]).is_ok());
        assert!(!running.wait_ms(120_000, &Stop::new()), "the load went on");
        let error = running.failure().unwrap();
        assert!(error.to_string().contains("the file ends here"), "{error}");
        assert_eq!(error.exit(), Exit::Failed);
        let result = running.finish();
        assert_eq!(result.errors[0].0, 0);
    }
}

#[test]
fn an_error_of_the_device_ends_the_load_in_every_engine() {
    for engine in ENGINES {
        let Some(device) = loop_device::LoopDevice::attach(8 << 20) else {
            return;
        };
        let job = Job {
            size: 0,
            rw: Rw::Read,
            direct: engine != "mmap",
            ..small(engine)
        };
        let prepared = prepare(
            &Host::live(),
            &opened(&device.path),
            &job,
            &Consent::default(),
            &Stop::new(),
            &mut |_, _| {},
        )
        .unwrap();
        // The device keeps its size and has nothing behind its second half.
        let image = device.scratch_dir().join("image");
        assert!(host::spawn::run("truncate", &["-s", "4M", &image.to_string_lossy()]).is_ok());
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        assert!(
            !running.wait_ms(120_000, &Stop::new()),
            "{engine}: the load went on"
        );
        let error = running.failure().unwrap().to_string();
        assert!(
            error.contains("Input/output error") && error.contains("dmesg"),
            "{engine}: {error}"
        );
        assert_eq!(running.finish().errors[0].0, libc::EIO, "{engine}");
    }
}

#[test]
fn options_of_one_engine_are_checked_by_it() {
    let refused = |job: &Job| {
        let (_dir, prepared) = made_ready(job);
        let error = start(&prepared, job, 1, Region::WHOLE).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage, "{error}");
        error.to_string()
    };
    let hipri = |value: &str, direct| Job {
        engine_options: [("hipri".to_string(), value.to_string())].into(),
        direct,
        ..small("pvsync2")
    };
    assert!(refused(&hipri("2", true)).contains("it is 0 or 1"));
    assert!(refused(&hipri("1", false)).contains("only direct I/O can be polled for"));
    assert!(refused(&small("mmap")).contains("Use --direct=0"));
    let (_dir, prepared) = made_ready(&hipri("1", true));
    let running = start(&prepared, &hipri("1", true), 1, Region::WHOLE).unwrap();
    let ran = running.wait_ms(40, &Stop::new());
    let refusal = running
        .failure()
        .map(|error| error.to_string())
        .unwrap_or_default();
    // A driver without polling may ignore the flag or refuse it, by kernel version.
    assert!(ran || refusal.contains("cannot do this"), "{refusal}");
    assert_eq!(running.finish().engine, "pvsync2 (RWF_HIPRI)");
}

#[test]
fn written_data_lands_inside_the_region_and_nowhere_else() {
    for engine in ENGINES {
        let dir = temporary_dir("load").unwrap();
        let path = dir.path().join("data");
        host::files::write_atomically(&path, &"x".repeat(1 << 20)).unwrap();
        let direct = engine != "mmap";
        let job = Job {
            size: 512 << 10,
            rw: Rw::Randwrite,
            bs: 8192,
            iodepth: 4,
            direct,
            ..small(engine)
        };
        let consent = Consent {
            overwrite: true,
            ..Consent::default()
        };
        let prepared = prepare(
            &Host::live(),
            &opened(&path),
            &job,
            &consent,
            &Stop::new(),
            &mut |_, _| {},
        )
        .unwrap();
        let running = start(&prepared, &job, 1, Region::half(1)).unwrap();
        // All blocks once, and on.
        until_counted(&running, engine, |seen| seen.ios > 32 + 4);
        running.finish();
        let file = host::files::DataFile::open(&path, host::files::Access::default()).unwrap();
        let mut bytes = vec![0; 1 << 20];
        assert_eq!(file.read_at(&mut bytes, 0).unwrap(), 1 << 20);
        let (quarter, half) = (256 << 10, 512 << 10);
        assert!(
            bytes[..quarter]
                .iter()
                .chain(&bytes[half..])
                .all(|byte| *byte == b'x'),
            "{engine} strayed"
        );
        let written: std::collections::HashSet<&[u8]> = bytes[quarter..half].chunks(64).collect();
        assert_eq!(
            written.len(),
            quarter / 64,
            "{engine} wrote the same bytes twice"
        );
    }
}

/// Records and other tools name engines; what `model` knows of them by name is what they say of themselves. `fio` is
/// whatever engine it is given.
#[test]
fn what_is_known_of_engines_by_name_is_true() {
    use model::job::engines::{is_block_io, is_synchronous};
    for engine in engines::ALL.iter().filter(|engine| engine.id != "fio") {
        // Objects of a pool have a size, an order and a depth, as blocks have.
        let issues_blocks = matches!(engine.needs, Needs::Files | Needs::Pool);
        assert_eq!(is_block_io(engine.id), issues_blocks, "{}", engine.id);
        let waits = issues_blocks && !engine.has_depth;
        assert_eq!(is_synchronous(engine.id), waits, "{}", engine.id);
    }
}
