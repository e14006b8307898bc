//! Whole trees on a real file system.

use super::ENGINE;
use crate::loop_device::{LoopDevice, opened};
use crate::patience::{until, until_counted, until_over};
use crate::{
    Consent, LoadError, Prepared, Region, Running, Snapshot, defaults, lane, prepare, start,
};
use host::Host;
use host::files::{TemporaryDir, temporary_dir};
use host::signals::Stop;
use model::job::Job;
use model::record::{LoadResult, Operation};
use std::path::Path;

fn job(jobs: u32, options: &[(&str, &str)]) -> Job {
    let engine_options = options
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    Job {
        numjobs: jobs,
        engine_options,
        ..defaults::of(ENGINE.id)
    }
}

fn ready(target: &Path, job: &Job, state_dir: Option<&Path>) -> Prepared {
    let mut prepared = prepare(
        &Host::live(),
        &opened(target),
        job,
        &Consent::default(),
        &Stop::new(),
        &mut |_, _| {},
    )
    .unwrap();
    if let Some(dir) = state_dir {
        prepared.set_state_dir(dir.into());
    }
    prepared
}

fn begin(job: &Job) -> (TemporaryDir, Result<Running, LoadError>) {
    let dir = temporary_dir("files").unwrap();
    let running = start(&ready(dir.path(), job, None), job, 1, Region::WHOLE);
    (dir, running)
}

/// Runs a job to its own end; nothing may be left.
fn whole(job: &Job) -> LoadResult {
    let (dir, running) = begin(job);
    let running = running.unwrap();
    until_over(&running);
    let failure = running.failure();
    let result = running.finish();
    assert!(failure.is_none(), "{failure:?}");
    assert_eq!(names(dir.path()), [""; 0], "nothing is left");
    result
}

fn names(dir: &Path) -> Vec<String> {
    Host::live().list(&dir.to_string_lossy())
}

/// How often the running load did one of its operations.
fn times(seen: &Snapshot, name: &str) -> u64 {
    let index = ENGINE
        .operations
        .iter()
        .position(|one| *one == name)
        .unwrap();
    seen.side(lane::COUNT + index).ios()
}

fn operation<'a>(result: &'a LoadResult, name: &str) -> &'a Operation {
    result
        .operations
        .iter()
        .find(|operation| operation.name == name)
        .unwrap()
}

#[test]
fn every_phase_is_done_to_every_file() {
    for shared in ["0", "1"] {
        let options = [
            ("files", "300"),
            ("dirs", "4"),
            ("depth", "2"),
            ("filesize", "1k-9k"),
            ("phases", "create,stat,read,rename,delete"),
            ("epochs", "2"),
            ("shared", shared),
        ];
        let result = whole(&job(3, &options));
        let counts: Vec<(&str, u64)> = result
            .operations
            .iter()
            .map(|one| (one.name.as_str(), one.done.ios))
            .collect();
        let directories = if shared == "1" { 20 } else { 3 * 21 };
        let wanted = [
            ("mkdir", directories),
            ("create", 900),
            ("stat", 900),
            ("read", 1_800),
            ("rename", 900),
            ("delete", 900),
        ];
        assert_eq!(counts, wanted, "shared={shared}");
        let (create, read) = (operation(&result, "create"), operation(&result, "read"));
        assert_eq!(
            read.done.bytes,
            2 * create.done.bytes,
            "what was written is what is read"
        );
        assert!((900 * 1024..900 * 9 * 1024).contains(&create.done.bytes));
        assert!(
            result
                .operations
                .iter()
                .all(|one| one.busy_ms > 0.0 && one.per_s() > 0.0)
        );
        assert_eq!(
            result.sync.ios, 1,
            "what the cache held was written out once"
        );
        let binned: u64 = result.bins.iter().map(|count| u64::from(*count)).sum();
        assert_eq!(binned, result.ios());
    }
}

#[test]
fn with_a_runtime_the_epochs_repeat_until_it_is_over() {
    let job = Job {
        time_based: true,
        runtime_ms: 400,
        ..job(2, &[("files", "50"), ("dirs", "2")])
    };
    let (dir, running) = begin(&job);
    let running = running.unwrap();
    until_counted(&running, "more than two epochs", |seen| {
        times(seen, "read") > 200
    });
    let result = running.finish();
    assert!(
        operation(&result, "read").done.ios > 200,
        "{:?}",
        operation(&result, "read").done.ios
    );
    assert_eq!(operation(&result, "delete").done.ios, 100);
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn stopped_while_it_creates_it_removes_what_there_is() {
    let (dir, running) = begin(&job(
        2,
        &[("files", "1000000"), ("filesize", "100"), ("depth", "0")],
    ));
    let running = match running {
        Ok(running) => running,
        // A small disk has no room for that many.
        Err(error) => {
            skip::missing("machine:space", error);
            return;
        }
    };
    until_counted(&running, "files are made", |seen| {
        times(seen, "create") > 100
    });
    assert_eq!(
        names(dir.path()).len(),
        1,
        "the tree is there while it runs"
    );
    let result = running.finish();
    let (made, removed) = (
        operation(&result, "create").done.ios,
        operation(&result, "delete").done.ios,
    );
    assert!(
        made > 100 && made == removed,
        "{made} were made, {removed} removed"
    );
    assert!(
        result
            .notes
            .iter()
            .any(|note| note.contains("stopped before all files were made"))
    );
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn the_journal_names_the_tree_as_long_as_it_is_there() {
    let (dir, state) = (
        temporary_dir("files").unwrap(),
        temporary_dir("state").unwrap(),
    );
    let job = Job {
        time_based: true,
        ..job(1, &[("files", "20")])
    };
    let running = start(
        &ready(dir.path(), &job, Some(state.path())),
        &job,
        1,
        Region::WHOLE,
    )
    .unwrap();
    let journals = || host::find_unfinished(&Host::live(), state.path()).journals;
    let found = journals();
    assert!(found[0].running);
    let tree = &found[0].trees[0];
    assert!(
        tree.path.starts_with(
            &host::files::canonical(dir.path())
                .unwrap()
                .to_string_lossy()
                .into_owned()
        )
    );
    running.finish();
    assert!(journals().is_empty());
    // Something foreign keeps the tree, the journal and a failure.
    let running = start(
        &ready(dir.path(), &job, Some(state.path())),
        &job,
        1,
        Region::WHOLE,
    )
    .unwrap();
    let mine = dir.path().join(&names(dir.path())[0]).join("mine");
    host::files::write_atomically(&mine, "mine").unwrap();
    let result = running.finish();
    assert!(
        result
            .notes
            .iter()
            .any(|note| note.contains("`mine`") && note.contains("iodyno undo")),
        "{:?}",
        result.notes
    );
    assert_eq!(host::files::read_text(&mine).unwrap(), "mine");
    host::files::remove(&mine).unwrap();
    let left = journals().remove(0);
    assert!(left.undo(&Host::live(), state.path()).unwrap()[0].is_whole());
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_made() {
    let (dir, running) = begin(&job(1000, &[("files", "100000000"), ("filesize", "1m")]));
    let error = running.unwrap_err().to_string();
    assert!(
        error.contains("has too little space for the tree"),
        "{error}"
    );
    assert_eq!(names(dir.path()), [""; 0]);
    let file = dir.path().join("file");
    host::files::write_atomically(&file, "x").unwrap();
    let job = job(1, &[]);
    let error = start(&ready(&file, &job, None), &job, 1, Region::WHOLE)
        .unwrap_err()
        .to_string();
    assert!(error.contains("needs a directory"), "{error}");
}

#[test]
fn too_few_inodes_are_told_before() {
    let Some(disk) = LoopDevice::attach(400 << 20) else {
        return;
    };
    let device = disk.path.to_string_lossy().into_owned();
    let mounted = disk.scratch_dir().join("mounted");
    host::files::create_dirs(&mounted).unwrap();
    let directory = mounted.to_string_lossy().into_owned();
    if !disk.run("mkfs.ext4", &["-q", "-N", "2000", &device])
        || !disk.run("mount", &[&device, &directory])
    {
        return;
    }
    let job = job(2, &[("files", "2000"), ("filesize", "100"), ("dirs", "2")]);
    let refused = start(&ready(&mounted, &job, None), &job, 1, Region::WHOLE).map(|_| ());
    let left = names(&mounted);
    assert!(disk.run("umount", &[&directory]));
    let error = refused.unwrap_err().to_string();
    assert!(
        error.contains("has too few inodes for the tree: it would take 4008 inodes"),
        "{error}"
    );
    assert_eq!(left, ["lost+found"]);
}

#[test]
fn a_file_that_changed_is_found() {
    let job = Job {
        time_based: true,
        ..job(1, &[("files", "3"), ("depth", "0")])
    };
    let (dir, running) = begin(&job);
    let running = running.unwrap();
    until_counted(&running, "all files are there", |seen| {
        times(seen, "read") > 0
    });
    let tree = dir.path().join(&names(dir.path())[0]).join("j0/f1");
    // Not the atomic way: that would bring a foreign name.
    let file = host::files::DataFile::open(
        &tree,
        host::files::Access {
            write: true,
            ..Default::default()
        },
    )
    .unwrap();
    file.write_at(b"longer", 4096).unwrap();
    assert!(until(|| running.failure().is_some()), "the load went on");
    let failure = running.failure().unwrap().to_string();
    assert!(
        failure.contains("4102 bytes, 4096 were written"),
        "{failure}"
    );
    running.finish();
    assert_eq!(names(dir.path()), [""; 0]);
}
