//! Whole loads on real files.

use super::start::start_with;
use super::worker::Faults;
use super::*;
use host::Host;
use host::files::{TemporaryDir, temporary_dir};
use host::signals::Stop;
use model::job::{Job, Rw};

fn made_ready(job: &Job) -> (TemporaryDir, Prepared) {
    let dir = temporary_dir("load").unwrap();
    let prepared =
        prepare(&Host::live(), dir.path(), job, &Consent::default(), &Stop::new(), &mut |_, _| {}).unwrap();
    (dir, prepared)
}

fn small(ioengine: &str) -> Job {
    Job { ioengine: ioengine.into(), size: 8 << 20, iodepth: 8, ..Job::default() }
}

#[test]
fn both_engines_do_every_kind_of_job() {
    for engine in ["io_uring", "psync"] {
        for rw in Rw::ALL {
            for direct in [true, false] {
                let job = Job { rw, direct, numjobs: 2, ..small(engine) };
                let (_dir, prepared) = made_ready(&job);
                let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
                assert!(running.wait_ms(60, &Stop::new()), "{:?}", running.failure());
                let result = running.finish();
                let label = format!("{engine} {rw:?} direct={direct}");
                assert_eq!(result.read.ios > 0, rw.reads(), "{label}");
                assert_eq!(result.write.ios > 0, rw.writes(), "{label}");
                assert_eq!(result.read.bytes, result.read.ios * 4096);
                let binned: u64 = result.bins.iter().map(|count| u64::from(*count)).sum();
                assert_eq!(binned, result.read.ios + result.write.ios, "{label}");
                assert!(
                    result.errors.is_empty() && result.elapsed_ms > 50.0,
                    "{label}: {}",
                    result.elapsed_ms
                );
                assert!(result.engine.starts_with(engine), "{}", result.engine);
            }
        }
    }
}

#[test]
fn refused_rings_fall_back_and_say_so() {
    let job = small("io_uring");
    let (_dir, prepared) = made_ready(&job);
    let cases = [
        (Faults { flags: Some(libc::EINVAL), ..Faults::default() }, "io_uring (no flags", "SINGLE_ISSUER"),
        (Faults { buffers: Some(libc::ENOMEM), ..Faults::default() }, "io_uring (", "RLIMIT_MEMLOCK"),
        (Faults { ring: Some(libc::EPERM), ..Faults::default() }, "psync", "not permitted"),
        (Faults { ring: Some(libc::ENOSYS), ..Faults::default() }, "psync", "no io_uring"),
    ];
    for (faults, engine, note) in cases {
        let running = start_with(&prepared, &job, 1, Region::WHOLE, faults).unwrap();
        assert!(running.wait_ms(30, &Stop::new()));
        let result = running.finish();
        assert!(result.engine.starts_with(engine), "{}", result.engine);
        assert!(result.notes.iter().any(|text| text.contains(note)), "{:?}", result.notes);
        assert!(result.read.ios > 0);
    }
}
