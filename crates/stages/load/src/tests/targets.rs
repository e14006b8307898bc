//! What a load may be made on, and what is refused.

use super::*;

fn refusal(target: &std::path::Path, job: &Job) -> LoadError {
    let ready = host::Target::open(target)
        .map_err(LoadError::from)
        .and_then(|target| {
            prepare(
                &Host::live(),
                &Arc::new(target),
                job,
                &Consent::default(),
                &Stop::new(),
                &mut |_, _| {},
            )
        });
    ready.unwrap_err()
}

/// Jobs that nothing can be made of, and what is said of each.
fn senseless(good: &Job) -> [(Job, &'static str); 11] {
    let with = |set: fn(&mut Job)| {
        let mut job = good.clone();
        set(&mut job);
        job
    };
    [
        (
            with(|job| job.iodepth = 0),
            "--iodepth=0: it must be from 1 to 4096",
        ),
        (with(|job| job.bs = 0), "--bs=0"),
        (with(|job| job.numjobs = 5000), "--numjobs=5000"),
        (
            with(|job| {
                job.numjobs = 1024;
                job.iodepth = 4096;
                job.bs = 1 << 20;
            }),
            "the buffers would take 4.00 TiB",
        ),
        (
            with(|job| job.bs = 16 << 20),
            "a block is larger than the 8.00 MiB to be used",
        ),
        (with(|job| job.bs = 1000), "direct I/O on"),
        (with(|job| job.rwmixread = 101), "--rwmixread=101"),
        (
            with(|job| job.cpus_allowed = vec![9999]),
            "--cpus_allowed=9999",
        ),
        (
            with(|job| job.open_loop = true),
            "--open-loop: without a rate for each direction",
        ),
        (
            with(|job| {
                job.open_loop = true;
                job.ioengine = "psync".into();
            }),
            "--open-loop with --ioengine=psync",
        ),
        (
            with(|job| job.ioengine = "windowsaio".into()),
            "or --engine fio",
        ),
    ]
}

#[test]
fn jobs_that_make_no_sense_are_usage_errors() {
    let dir = temporary_dir("load").unwrap();
    let good = small("io_uring");
    for (job, wanted) in senseless(&good) {
        let error = refusal(dir.path(), &job);
        assert_eq!(error.exit(), Exit::Usage, "{error}");
        assert!(error.to_string().contains(wanted), "{error}");
    }
    let error = refusal(std::path::Path::new("/nowhere/at/all"), &good);
    assert_eq!(error.exit(), Exit::Usage, "{error}");
    assert_eq!(
        refusal(std::path::Path::new("/dev/null"), &good).exit(),
        Exit::Usage
    );
    let job = Job {
        size: 1 << 60,
        ..good
    };
    let error = refusal(dir.path(), &job);
    assert!(
        matches!(error, LoadError::NoSpace { .. }) && error.to_string().contains("--size"),
        "{error}"
    );
}

fn ready_on(target: &std::path::Path, job: &Job, consent: Consent) -> Result<Prepared, LoadError> {
    let target = opened(target);
    let stop = Stop::new();
    prepare(&Host::live(), &target, job, &consent, &stop, &mut |_, _| {})
}

#[test]
fn existing_files_are_read_only_unless_allowed_and_holes_are_named() {
    let dir = temporary_dir("load").unwrap();
    let path = dir.path().join("data");
    host::files::write_atomically(&path, &"x".repeat(1 << 20)).unwrap();
    let read = Job {
        size: 0,
        ..small("io_uring")
    };
    let write = Job {
        rw: Rw::Randrw,
        ..read.clone()
    };
    let error = refusal(&path, &write);
    assert_eq!(error.exit(), Exit::Refused, "{error}");
    let ready = |job: &Job, consent: Consent| ready_on(&path, job, consent);
    let prepared = ready(&read, Consent::default()).unwrap();
    assert_eq!(prepared.bytes(), 1 << 20);
    let error = start(&prepared, &write, 1, Region::WHOLE).unwrap_err();
    assert!(matches!(error, LoadError::ReadOnly { .. }));
    assert!(
        host::files::read_text(&path)
            .unwrap()
            .bytes()
            .all(|byte| byte == b'x')
    );
    assert!(
        ready(
            &write,
            Consent {
                overwrite: true,
                ..Consent::default()
            }
        )
        .is_ok()
    );

    let access = host::files::Access {
        write: true,
        ..Default::default()
    };
    let file = host::files::DataFile::open(&path, access).unwrap();
    file.write_at(&[1], (2 << 20) - 1).unwrap();
    file.sync().unwrap();
    let prepared = ready(&read, Consent::default()).unwrap();
    assert!(
        prepared
            .notes()
            .iter()
            .any(|note| note.contains("never written")),
        "{:?}",
        prepared.notes()
    );
    assert_eq!(
        ready(
            &Job {
                size: 3 << 20,
                ..read.clone()
            },
            Consent::default()
        )
        .unwrap_err()
        .exit(),
        Exit::Usage
    );
}

#[test]
fn memory_file_systems_have_no_direct_io() {
    let shm = std::path::Path::new("/dev/shm");
    if !matches!(host::files::kind(shm), Ok(host::files::FileKind::Directory)) {
        skip::missing("shm", "no /dev/shm");
        return;
    }
    let error = refusal(shm, &small("io_uring"));
    assert_eq!(error.exit(), Exit::Failed);
    assert!(error.to_string().contains("--direct=0"), "{error}");
    let job = Job {
        direct: false,
        ..small("io_uring")
    };
    let prepared = prepare(
        &Host::live(),
        &opened(shm),
        &job,
        &Consent::default(),
        &Stop::new(),
        &mut |_, _| {},
    )
    .unwrap();
    let result = start(&prepared, &job, 1, Region::WHOLE).unwrap().finish();
    assert!(
        result
            .notes
            .iter()
            .any(|note| note.contains("measures memory")),
        "{:?}",
        result.notes
    );
}

#[test]
fn a_full_or_read_only_file_system_is_a_clean_error() {
    let Some(device) = loop_device::LoopDevice::attach(400 << 20) else {
        return;
    };
    let path = device.path.to_string_lossy().into_owned();
    let point = device.scratch_dir().join("mnt");
    host::files::create_dirs(&point).unwrap();
    let mnt = point.to_string_lossy().into_owned();
    if !device.run("mkfs.ext4", &["-q", &path]) || !device.run("mount", &[&path, &mnt]) {
        return;
    }
    let scratch = host::scratch::create(&opened(&point)).unwrap();
    let filled = layout::write_all(&scratch, 1 << 30, &Stop::new(), &mut |_, _| {});
    drop(scratch);
    let too_much = refusal(
        &point,
        &Job {
            size: 300 << 20,
            ..small("io_uring")
        },
    );
    let remounted = device.run("mount", &["-o", "remount,ro", &mnt]);
    let read_only = refusal(&point, &small("io_uring"));
    assert!(device.run("umount", &[&mnt]));
    assert!(
        matches!(&filled, Err(LoadError::Filled { .. })),
        "{filled:?}"
    );
    assert!(matches!(&too_much, LoadError::NoSpace { .. }), "{too_much}");
    assert!(
        !remounted || read_only.to_string().contains("mounted read-only"),
        "{read_only}"
    );
}

#[test]
fn scratch_gives_way_to_what_others_write_meanwhile() {
    let Some(device) = loop_device::LoopDevice::attach(420 << 20) else {
        return;
    };
    let path = device.path.to_string_lossy().into_owned();
    let point = device.scratch_dir().join("mnt");
    host::files::create_dirs(&point).unwrap();
    let mnt = point.to_string_lossy().into_owned();
    if !device.run("mkfs.ext4", &["-q", "-m", "0", &path]) || !device.run("mount", &[&path, &mnt]) {
        return;
    }
    let others = host::scratch::create(&opened(&point)).unwrap();
    let job = Job {
        size: 100 << 20,
        direct: false,
        ..small("psync")
    };
    let mut most = 0;
    let result = prepare(
        &Host::live(),
        &opened(&point),
        &job,
        &Consent::default(),
        &Stop::new(),
        &mut |done, _| {
            if most == 0 {
                others.reserve(120 << 20).unwrap();
            }
            most = done;
        },
    );
    drop(others);
    let result = result.map(drop);
    assert!(device.run("umount", &[&mnt]));
    assert!(
        matches!(&result, Err(LoadError::NoSpace { .. })),
        "{result:?}"
    );
    assert!(most < 64 << 20, "{most} bytes were written first");
}

#[test]
fn a_device_is_read_freely_and_written_with_consent() {
    let Some(device) = loop_device::LoopDevice::attach(16 << 20) else {
        return;
    };
    let read = Job {
        size: 0,
        ..small("io_uring")
    };
    let write = Job {
        rw: Rw::Randwrite,
        ..read.clone()
    };
    assert_eq!(refusal(&device.path, &write).exit(), Exit::Refused);
    let allowed = Consent {
        destroy_data: true,
        ..Consent::default()
    };
    for (job, consent) in [(read, Consent::default()), (write, allowed)] {
        let before = device.content();
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
        until_counted(&running, "a device", |seen| seen.ios > 64);
        assert!(running.finish().iops() > 0.0);
        drop(prepared);
        assert_eq!(before == device.content(), !job.rw.writes());
    }
}
