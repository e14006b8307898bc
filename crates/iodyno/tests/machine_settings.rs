//! Settings that belong to no device: applied, stacked over two devices and two state directories, and put back.

use crate::settings::{PutBack, settings};
use crate::support::{Dir, Iodyno, Loop, code, text};
use crate::undo::store_a_win_on;
use model::subject::{Subject, SubjectKind};
use std::process::Output;

const BYTES: &str = "/proc/sys/vm/dirty_background_bytes";
const RATIO: &str = "/proc/sys/vm/dirty_background_ratio";

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap().trim().to_string()
}

/// Applies a record that proved so many bytes on this disk.
fn apply(iodyno: &Iodyno, disk: &Loop, bytes: &str) -> (Output, Option<String>) {
    let knob = "dirty_background_bytes";
    let id = store_a_win_on(iodyno, &disk.name, knob, Subject::Sysctl, ["0", bytes]);
    let (applied, output) = iodyno.json(&["apply", &id]);
    let journal = applied["journal"].as_str().map(String::from);
    (output, journal)
}

#[test]
fn a_kernel_parameter_is_one_stack_whichever_device_it_was_proved_on() {
    let Some(one) = Loop::in_memory(16) else {
        return;
    };
    let Some(two) = one.beside(16) else { return };
    let found = PutBack::of(&Subject::Sysctl);
    let (first, second) = (Iodyno::new(), Iodyno::new());
    let (output, below) = apply(&first, &one, "67108864");
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(read(BYTES), "67108864");
    let (output, above) = apply(&second, &two, "134217728");
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(read(BYTES), "134217728");
    let status = text(&first.run(&["status"]).stdout);
    assert!(
        status.contains("dirty_background_bytes") && status.contains("was 67108864"),
        "{status}"
    );

    let beneath = first.run(&["undo", &below.clone().unwrap()]);
    assert_eq!(code(&beneath), 4, "{}", text(&beneath.stderr));
    assert_eq!(read(BYTES), "134217728");
    assert_eq!(code(&second.run(&["undo", &above.unwrap()])), 0);
    assert_eq!(read(BYTES), "67108864");
    assert_eq!(code(&first.run(&["undo", &below.unwrap()])), 0);
    assert_eq!(settings(&Subject::Sysctl), found.first);
}

/// What a tune does with each window, without its load: another value, and the one that was found again. Of the two
/// parameters that are one the kernel takes no 0.
#[test]
fn the_value_that_was_found_can_be_set_again_while_another_is_in_place() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let found = PutBack::of(&Subject::Sysctl);
    let (host, state) = (host::Host::live(), Dir::new("state"));
    let lock = host::DeviceLock::take(&host, &disk.name, host::Reach::Machine, "a test").unwrap();
    let knob = apply::Knob::find("vm.dirty_background_bytes").unwrap();
    let files = apply::SubjectFiles::of(&host, Subject::Sysctl).unwrap();
    let mut journal = host::Journal::begin(&host, state.path(), "a test", &lock).unwrap();
    journal
        .checkpoint(&apply::checkpoint_paths(knob, &files))
        .unwrap();
    for _ in 0..3 {
        apply::set(knob, &journal, &files, "67108864").unwrap();
        assert_eq!(
            (read(BYTES).as_str(), read(RATIO).as_str()),
            ("67108864", "0")
        );
        apply::set(knob, &journal, &files, found.first[BYTES].trim()).unwrap();
        assert_eq!(settings(&Subject::Sysctl), found.first);
    }
    let restored = journal.revert().unwrap();
    assert!(restored.iter().all(model::change::Restored::is_whole));
}

#[test]
fn every_parameter_of_the_kernel_is_put_back() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let tried = crate::every_knob::each(&Iodyno::new(), &disk, &[SubjectKind::Sysctl]);
    for id in [
        "dirty_bytes",
        "dirty_ratio",
        "page_cluster",
        "min_free_kbytes",
    ] {
        assert!(tried.contains(&id), "{tried:?}");
    }
}

/// Bytes and a share of memory: whichever was in force comes back, whichever was tried.
#[test]
fn of_two_ways_to_say_a_limit_the_one_that_was_in_force_comes_back() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let _found = PutBack::of(&Subject::Sysctl);
    let iodyno = Iodyno::new();
    std::fs::write(BYTES, "134217728").unwrap();
    let set = |words: &[&str]| {
        let output = iodyno.run(&[&["set"], words, &[disk.device.as_str()]].concat());
        (code(&output), text(&output.stderr))
    };
    assert_eq!(set(&["vm.dirty_background_ratio=3"]).0, 0);
    assert_eq!((read(BYTES).as_str(), read(RATIO).as_str()), ("0", "3"));
    assert_eq!(code(&iodyno.run(&["undo", "--all"])), 0);
    assert_eq!(
        (read(BYTES).as_str(), read(RATIO).as_str()),
        ("134217728", "0")
    );
    let (status, words) = set(&[
        "dirty_background_ratio=3",
        "dirty_background_bytes=67108864",
    ]);
    assert_ne!(status, 0);
    assert!(words.contains("give one"), "{words}");
    assert_eq!(read(BYTES), "134217728");
}

#[test]
fn how_programs_get_huge_pages_is_put_back_and_not_kept_halfway() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let subject = Subject::HugePages;
    if !std::path::Path::new(&subject.directory()).exists() {
        skip::missing(
            "kernel:huge pages",
            "this kernel has no transparent huge pages",
        );
        return;
    }
    let iodyno = Iodyno::new();
    let tried = crate::every_knob::each(&iodyno, &disk, &[SubjectKind::HugePages]);
    assert_eq!(
        tried,
        ["transparent_hugepage", "transparent_hugepage_defrag"]
    );
    let before = settings(&subject);
    let (knob, arms) = ("transparent_hugepage", ["madvise", "never"]);
    let record = store_a_win_on(&iodyno, &disk.name, knob, subject.clone(), arms);
    let refused = iodyno.run(&["apply", &record, "--persist"]);
    assert_ne!(code(&refused), 0);
    let words = text(&refused.stderr);
    assert!(words.contains("tmpfiles.d"), "{words}");
    assert_eq!(settings(&subject), before);
}
