//! Surveys, copies and reads of small trees.

use super::*;
use host::data_tree::DataTree;
use host::files::{TemporaryDir, temporary_dir, write_atomically};
use host::signals::Stop;
use host::{Host, Target, clock, find_unfinished};
use model::dataset::{FILE, ReadFailure};
use std::path::Path;

const PLAN: SurveyPlan = SurveyPlan {
    sample_files: 100,
    sample_bytes: 1 << 30,
    huge_bytes: 64 << 20,
    until_ns: u64::MAX,
    seed: 7,
};

/// `count` files of `index` bytes each, in ten directories.
fn grown(count: usize) -> TemporaryDir {
    let dir = temporary_dir("dataset").unwrap();
    for index in 0..count {
        let below = dir.path().join(format!("d{}/deep", index % 10));
        host::files::create_dirs(&below).unwrap();
        write_atomically(&below.join(format!("f{index}")), &"x".repeat(index)).unwrap();
    }
    dir
}

fn opened(dir: &Path) -> (Target, DataTree) {
    let target = Target::open(dir).unwrap();
    let tree = DataTree::open(&target).unwrap();
    (target, tree)
}

fn surveyed(dir: &Path, plan: &SurveyPlan) -> Survey {
    survey(&opened(dir).1, plan, &Stop::new(), &mut |_| ()).unwrap()
}

#[test]
fn a_walk_counts_everything_and_draws_a_sample_that_its_seed_repeats() {
    let dir = grown(300);
    let found = surveyed(dir.path(), &PLAN);
    let shape = &found.shape;
    assert_eq!((shape.files, shape.directories, shape.depth), (300, 21, 2));
    assert_eq!((shape.bytes, shape.is_whole), (299 * 300 / 2, true));
    assert_eq!(
        (shape.files_in_directory, shape.files_in_directory_max),
        (30, 30)
    );
    // Of each file but the empty one a block, and one of each directory.
    assert_eq!(shape.copy_bytes, (299 + 21) * 4096);
    let sizes: Vec<_> = shape
        .sizes
        .iter()
        .map(|size| (size.from_bytes, size.files))
        .collect();
    assert_eq!(sizes, [(0, 1), (1, 9), (10, 90), (100, 200)]);
    assert_eq!(found.sample.len(), 100);
    let mut places: Vec<u64> = found.sample.iter().map(|file| file.index).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 100, "no file twice");
    assert_eq!(found.sample, surveyed(dir.path(), &PLAN).sample);
    let other = SurveyPlan { seed: 8, ..PLAN };
    assert_ne!(found.sample, surveyed(dir.path(), &other).sample);
}

#[test]
fn every_file_is_as_likely_to_be_drawn() {
    let dir = grown(50);
    let mut drawn = [0u32; 50];
    for seed in 0..400 {
        let plan = SurveyPlan {
            sample_files: 10,
            seed,
            ..PLAN
        };
        for file in surveyed(dir.path(), &plan).sample {
            drawn[file.index as usize] += 1;
        }
    }
    // 400 draws of one in five: 80, with a deviation of 8.
    assert!(
        drawn.iter().all(|count| (48..112).contains(count)),
        "{drawn:?}"
    );
}

#[test]
fn a_sample_is_bounded_in_bytes_and_time() {
    let dir = grown(300);
    let few = SurveyPlan {
        sample_bytes: 2000,
        huge_bytes: 250,
        ..PLAN
    };
    let found = surveyed(dir.path(), &few);
    assert!(found.shape.sampled_bytes <= 2000 && !found.sample.is_empty());
    assert_eq!(found.shape.huge, 49);
    let late = SurveyPlan {
        until_ns: clock::monotonic_ns(),
        ..PLAN
    };
    let cut = surveyed(dir.path(), &late);
    assert!(!cut.shape.is_whole && cut.shape.files < 300);
}

#[test]
fn readers_read_every_file_once_and_tell_what_changed() {
    let dir = grown(200);
    let plan = SurveyPlan {
        sample_files: 1000,
        ..PLAN
    };
    let found = surveyed(dir.path(), &plan);
    let place = ReadingPlace::same_names(opened(dir.path()).1, &found.sample);
    let all: Vec<usize> = (0..200).collect();
    let stop = Stop::new();
    for readers in [1, 4] {
        place.drop_pages(&all);
        let lap = place.read(&all, readers, &stop).unwrap();
        assert_eq!((lap.files, lap.bytes), (200, 199 * 200 / 2));
        assert!(lap.operations.iter().all(|one| one.ios == 200));
        let parts: u64 = lap.busy_ns[..FILE].iter().sum();
        assert_eq!(
            parts, lap.busy_ns[FILE],
            "nothing lies between the operations"
        );
        assert!(lap.busy_ns[FILE] <= lap.elapsed_ns * u64::from(readers));
    }
    let named = |index: usize| {
        let path = String::from_utf8_lossy(&found.sample[index].path).into_owned();
        dir.path().join(path)
    };
    host::files::remove(&named(3)).unwrap();
    write_atomically(&named(5), &"y".repeat(999)).unwrap();
    let lap = place.read(&all, 2, &stop).unwrap();
    let mut failed = lap.failed;
    failed.sort_by_key(|(index, _)| *index);
    let wanted = [(3, ReadFailure::Vanished), (5, ReadFailure::Changed)];
    assert_eq!((failed, lap.files), (wanted.to_vec(), 198));
    stop.ask();
    assert_eq!(place.read(&all, 2, &stop).unwrap().files, 0);
}

#[test]
fn a_copy_is_as_long_and_as_deep_and_goes_again() {
    let dir = grown(60);
    let found = surveyed(dir.path(), &PLAN);
    let (there, state) = (
        temporary_dir("there").unwrap(),
        temporary_dir("state").unwrap(),
    );
    let target = Target::open(there.path()).unwrap();
    let stop = Stop::new();
    let host = Host::live();
    let make = || {
        let machine = (&host, state.path());
        ScratchCopy::make(&target, machine, &found.sample, 0, &stop, &mut |_| ())
    };
    let copy = make().unwrap();
    let journals = find_unfinished(&Host::live(), state.path());
    assert_eq!(
        journals.journals.len(),
        1,
        "it is written down while it is there"
    );
    let place = copy.place().unwrap();
    let lap = place.read(&(0..60).collect::<Vec<_>>(), 1, &stop);
    let lap = lap.unwrap();
    assert_eq!((lap.files, lap.bytes), (60, 59 * 60 / 2));
    let again = surveyed(&copy.path(), &PLAN);
    // One more is the marker of the tree.
    assert_eq!((again.shape.files, again.shape.depth), (61, 2));
    copy.remove().unwrap();
    let is_empty = || {
        Host::live()
            .list(&there.path().to_string_lossy())
            .is_empty()
    };
    assert!(is_empty());
    assert!(
        find_unfinished(&Host::live(), state.path())
            .journals
            .is_empty()
    );
    stop.ask();
    assert!(make().is_err());
    assert!(is_empty(), "what a signal cut short is gone");
}

#[test]
fn a_packed_file_is_read_part_by_part_and_leaves_no_name() {
    let dir = temporary_dir("packed").unwrap();
    let target = Target::open(dir.path()).unwrap();
    let mut packed = PackedFile::make(&target, 5 << 20, &Stop::new()).unwrap();
    assert!(Host::live().list(&dir.path().to_string_lossy()).is_empty());
    assert_eq!(packed.next_part(3 << 20), (0, 3 << 20));
    assert_eq!(packed.next_part(2 << 20), (3 << 20, 2 << 20));
    assert_eq!(packed.next_part(1 << 20), (0, 1 << 20));
    packed.drop_pages().unwrap();
    for readers in [1, 3] {
        assert!(packed.read((1, (5 << 20) - 1), readers).unwrap() > 0);
    }
    assert!(packed.read((1, 5 << 20), 2).is_err(), "beyond its end");
    assert!(PackedFile::make(&target, 1 << 60, &Stop::new()).is_err());
}
