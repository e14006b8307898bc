//! The installed fio at work.

use super::ENGINE;
use crate::loop_device::{LoopDevice, opened};
use crate::patience::{until, until_over, with_more_time};
use crate::{Consent, LoadError, Prepared, Region, prepare, start};
use host::files::temporary_dir;
use host::signals::Stop;
use host::{Host, spawn};
use model::histogram::{Histogram, bucket_of};
use model::job::{FileSet, Job, Rw, Sharing, Verify, VerifyMethod};
use model::record::LoadResult;
use std::path::Path;

/// Whether a percentile that fio printed is the histogram's, within one bucket. Where the rank is a whole number fio's
/// rounding takes the sample after it at times.
fn agrees(bins: &Histogram, per_cent: f64, value_ns: f64) -> bool {
    let bucket = |quantile: f64| bucket_of(bins.quantile_ns(quantile).unwrap());
    let (least, most) = (
        bucket(per_cent / 100.0 - 1e-9),
        bucket(per_cent / 100.0 + 1e-9),
    );
    (least.saturating_sub(1)..=most + 1).contains(&bucket_of(value_ns as u64))
}

fn is_missing() -> bool {
    skip::lacks("fio")
}

fn ready(target: &Path, job: &Job) -> Prepared {
    let consent = Consent {
        destroy_data: true,
        ..Consent::default()
    };
    prepare(
        &Host::live(),
        &opened(target),
        job,
        &consent,
        &Stop::new(),
        &mut |_, _| {},
    )
    .unwrap()
}

fn job() -> Job {
    Job {
        ioengine: ENGINE.id.into(),
        size: 16 << 20,
        iodepth: 4,
        direct: false,
        ..Job::default()
    }
}

fn run(prepared: &Prepared, job: &Job, ms: u64) -> Result<LoadResult, LoadError> {
    let running = start(prepared, job, 1, Region::WHOLE)?;
    running.wait_ms(ms, &Stop::new());
    let failure = running.failure();
    let result = running.finish();
    failure.map_or(Ok(result), Err)
}

#[test]
fn a_scratch_file_without_a_name_is_loaded() {
    if is_missing() {
        return;
    }
    let dir = temporary_dir("fio").unwrap();
    for (rw, direct) in [(Rw::Randrw, true), (Rw::Write, false)] {
        let job = Job {
            rw,
            direct,
            numjobs: 2,
            fsync: 32,
            ..job()
        };
        let prepared = ready(dir.path(), &job);
        let begun_ns = host::clock::monotonic_ns();
        // Until the disk let fio do something of each kind in some of its time.
        let result = with_more_time(|ms| {
            let result = run(&prepared, &job, ms).unwrap();
            let has_all =
                (!rw.reads() || result.read.ios > 0) && result.write.ios > 0 && result.sync.ios > 0;
            (has_all && result.elapsed_ms > 0.25 * ms as f64)
                .then_some(result)
                .ok_or(format!("{rw:?}"))
        });
        let most_ms = (host::clock::monotonic_ns() - begun_ns) as f64 / 1e6;
        let label = format!("{rw:?} direct={direct}: {:?}", result.notes);
        assert_eq!(result.read.ios > 0, rw.reads(), "{label}");
        assert!(result.write.ios > 0 && result.sync.ios > 0, "{label}");
        assert_eq!(result.write.bytes, result.write.ios * 4096, "{label}");
        assert_eq!(
            result.write.latency.total(),
            result.write.ios,
            "all latencies are there; {label}"
        );
        assert!(
            result.elapsed_ms <= most_ms,
            "{} of {most_ms} ms; {label}",
            result.elapsed_ms
        );
        assert!(result.cpu_user_ms + result.cpu_system_ms > 1.0, "{label}");
        assert!(result.engine.starts_with("fio-"), "{}", result.engine);
    }
    assert_eq!(
        Host::live().list(&dir.path().to_string_lossy()),
        [""; 0],
        "nothing is left"
    );
}

#[test]
fn jobs_with_files_of_their_own_each_get_them() {
    if is_missing() {
        return;
    }
    let dir = temporary_dir("fio").unwrap();
    let files = FileSet {
        sharing: Sharing::Own,
        nrfiles: 2,
        ..FileSet::default()
    };
    let job = Job {
        rw: Rw::Read,
        files,
        numjobs: 3,
        size: 2 << 20,
        time_based: false,
        runtime_ms: 0,
        ..job()
    };
    let running = start(&ready(dir.path(), &job), &job, 1, Region::WHOLE).unwrap();
    until_over(&running);
    let failure = running.failure();
    assert_eq!(running.finish().read.bytes, 6 << 20, "{failure:?}");
}

#[test]
fn a_load_of_fewer_jobs_uses_their_files_alone() {
    if is_missing() {
        return;
    }
    let dir = temporary_dir("fio").unwrap();
    let files = FileSet {
        sharing: Sharing::Own,
        nrfiles: 2,
        ..FileSet::default()
    };
    let most = Job {
        rw: Rw::Read,
        files,
        numjobs: 3,
        size: 2 << 20,
        time_based: false,
        runtime_ms: 0,
        ..job()
    };
    let prepared = ready(dir.path(), &most);
    for numjobs in 1..=3 {
        let job = Job {
            numjobs,
            ..most.clone()
        };
        let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
        until_over(&running);
        let failure = running.failure();
        assert_eq!(
            running.finish().read.bytes,
            u64::from(numjobs) * (2 << 20),
            "{numjobs}: {failure:?}"
        );
    }
}

#[test]
#[ignore = "live"]
fn a_writer_that_ends_by_time_ends_at_its_time() {
    if is_missing() {
        return;
    }
    let dir = temporary_dir("fio").unwrap();
    let verify = Verify {
        method: VerifyMethod::Crc32c,
        interval: 0,
        read_back: true,
        fatal: true,
    };
    for verify in [None, Some(verify)] {
        let job = Job {
            rw: Rw::Write,
            end_fsync: true,
            verify,
            ..job()
        };
        let prepared = ready(dir.path(), &job);
        with_more_time(|ms| {
            let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
            running.wait_ms(ms, &Stop::new());
            assert!(
                !running.wind_down(&job),
                "there is nothing to wait for: {verify:?}"
            );
            let failure = running.failure();
            let result = running.finish();
            assert!(
                failure.is_none() && result.read.ios == 0,
                "{verify:?} {failure:?}: {:?}",
                result.notes
            );
            (result.write.ios > 0)
                .then_some(())
                .ok_or("fio wrote nothing".into())
        });
    }
    let left = Host::live().list(".");
    assert!(
        !left.iter().any(|name| name.ends_with("verify.state")),
        "{left:?}"
    );
}

#[test]
#[ignore = "live"]
fn what_is_handed_on_reaches_fio() {
    if is_missing() {
        return;
    }
    let dir = temporary_dir("fio").unwrap();
    let job = Job {
        rw: Rw::Read,
        time_based: false,
        runtime_ms: 0,
        handed_on: vec![("number_ios".into(), "100".into())],
        ..job()
    };
    let running = start(&ready(dir.path(), &job), &job, 1, Region::WHOLE).unwrap();
    until_over(&running);
    let failure = running.failure();
    assert_eq!(running.finish().read.ios, 100, "{failure:?}");
}

/// A program that says what a fixture says.
fn stand_in(dir: &Path, fixture: &str, besides: &str) -> String {
    let output = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata/fio-json")
        .join(fixture);
    let path = dir.join("fio");
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo fio-2.21; exit; fi\n{besides}\ncat {}\n",
        output.display()
    );
    host::files::write_atomically(&path, &script).unwrap();
    let path = path.to_string_lossy().into_owned();
    spawn::run("chmod", &["+x", &path]).unwrap();
    // A test beside this one may have forked while the file was open for writing; until its child is another program,
    // the kernel runs no text that is written ("Text file busy").
    assert!(
        until(|| spawn::run(&path, &["--version"]).is_ok()),
        "{path}"
    );
    path
}

#[test]
fn an_old_fio_is_understood_and_its_error_is_the_loads() {
    let dir = temporary_dir("fio").unwrap();
    let mut job = job();
    let prepared = ready(dir.path(), &job);
    job.engine_options
        .insert("fio_path".into(), stand_in(dir.path(), "fio-2.21.json", ""));
    let result = run(&prepared, &job, 100).unwrap();
    assert_eq!((result.read.ios, result.write.ios), (254, 258));
    assert_eq!(
        (result.read.bytes, result.read.latency.total()),
        (1_040_384, 254)
    );
    assert!(result.engine.starts_with("fio-2.21"), "{}", result.engine);
    let json = "{\n\\\"jobs\\\": [{\\\"jobname\\\": \\\"job0\\\", \\\"error\\\": 5}]}";
    let besides = format!(
        "echo 'fio: io_u error on file x: err=5'; echo gone >&2; printf \"{json}\"; exit 1"
    );
    job.engine_options.insert(
        "fio_path".into(),
        stand_in(dir.path(), "fio-2.21.json", &besides),
    );
    let error = run(&prepared, &job, 100).unwrap_err().to_string();
    for wanted in [
        "Input/output error",
        "io_u error on file x",
        "on standard error: gone",
    ] {
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
#[ignore = "live"]
fn our_percentiles_are_fios() {
    if is_missing() {
        return;
    }
    let dir = temporary_dir("fio").unwrap();
    let image = dir.path().join("data");
    let words = [
        "--name=a",
        "--rw=randread",
        "--bs=4k",
        "--size=8m",
        "--output-format=json+",
        "--lat_percentiles=1",
        &format!("--filename={}", image.display()),
    ]
    .map(String::from);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = imports::fio_json::read(&spawn::run("fio", &words).unwrap().stdout).unwrap();
    let read = &output.jobs[0].read;
    assert_eq!((read.ios, read.bytes), (2_048, 8 << 20));
    for latency in [read.clat.as_ref().unwrap(), read.lat.as_ref().unwrap()] {
        let bins = latency.bins.as_ref().unwrap();
        assert_eq!((bins.total(), latency.samples), (2_048, Some(2_048)));
        assert!(latency.percentiles.len() > 10);
        for (per_cent, value_ns) in &latency.percentiles {
            assert!(
                agrees(bins, *per_cent, *value_ns),
                "p{per_cent}: {value_ns}"
            );
        }
        let mean = bins.mean_ns().unwrap();
        assert!(
            (mean / latency.mean_ns - 1.0).abs() < 0.02,
            "{mean} for {}",
            latency.mean_ns
        );
    }
}

#[test]
fn a_job_that_ends_by_itself_moves_what_it_was_asked_to() {
    if is_missing() {
        return;
    }
    let dir = temporary_dir("fio").unwrap();
    let job = Job {
        rw: Rw::Read,
        time_based: false,
        runtime_ms: 0,
        numjobs: 2,
        ..job()
    };
    let running = start(&ready(dir.path(), &job), &job, 1, Region::WHOLE).unwrap();
    until_over(&running);
    let result = running.finish();
    assert_eq!(
        result.read.bytes,
        16 << 20,
        "each job has its share: {:?}",
        result.notes
    );
}

#[test]
#[ignore = "live"]
fn the_rate_over_time_is_the_devices() {
    if is_missing() {
        return;
    }
    let Some(disk) = LoopDevice::attach(32 << 20) else {
        return;
    };
    let job = Job {
        rw: Rw::Randwrite,
        direct: true,
        ..job()
    };
    let mut prepared = ready(&disk.path, &job);
    prepared.set_device(
        disk.path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned()),
    );
    // What fio did before the first look and after the last is in no bin: the less, the longer it ran.
    let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
    assert!(
        running.wait_ms(2_000, &Stop::new()),
        "{:?}",
        running.failure()
    );
    let live = running.snapshot().ios;
    let result = running.finish();
    let binned: u64 = result.bins.iter().map(|count| u64::from(*count)).sum();
    assert!(
        live <= binned,
        "{live} were seen while it ran, {binned} in all"
    );
    let has_most = live > 0 && binned as f64 > 0.5 * result.write.ios as f64;
    skip::measured(
        skip::Outcome::won_if(has_most),
        format!("{live} live, {binned} in bins, {} in all", result.write.ios),
    );
    assert_eq!(
        result.write.ios,
        result.write.latency.total(),
        "nothing is counted twice"
    );
    assert_eq!(result.write.bytes, result.write.ios * 4096);
}

#[test]
fn what_fio_says_when_it_fails_is_told() {
    if is_missing() {
        return;
    }
    let dir = temporary_dir("fio").unwrap();
    let mut job = job();
    let prepared = ready(dir.path(), &job);
    job.handed_on = vec![("nonesuch".into(), "1".into())];
    let error = run(&prepared, &job, 200).unwrap_err().to_string();
    assert!(
        error.contains("the engine fio cannot be used") && error.contains("nonesuch"),
        "{error}"
    );
    job.handed_on.clear();
    job.engine_options
        .insert("ioengine".into(), "falloc".into());
    let error = run(&prepared, &job, 200).unwrap_err().to_string();
    assert!(
        error.contains("ioengine=falloc") && error.contains("posixaio"),
        "{error}"
    );
    job.engine_options = [("fio_path".to_string(), "/nowhere/fio".to_string())].into();
    let error = run(&prepared, &job, 200).unwrap_err().to_string();
    assert!(
        error.contains("/nowhere/fio: No such file") && error.contains("Install it"),
        "{error}"
    );
    job.engine_options = [("fio_path".to_string(), "true".to_string())].into();
    let error = run(&prepared, &job, 200).unwrap_err().to_string();
    assert!(error.contains("does not say a version"), "{error}");
    job.engine_options = [("depth".to_string(), "1".to_string())].into();
    assert!(
        run(&prepared, &job, 200)
            .unwrap_err()
            .to_string()
            .contains("no such option")
    );
}
