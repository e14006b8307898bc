//! What a journal promises, on a simulated kernel: deaths, damage, strangers, exchanged devices.

mod other_subjects;

use super::*;
use crate::simulated::Simulated;
use crate::tree;

const SCHEDULER: &str = "/sys/block/loop0/queue/scheduler";
const DEPTH: &str = "/sys/block/loop0/queue/nr_requests";
const RULE: &str = "/etc/udev/rules.d/99-iodyno-loop0.rules";

struct Stand {
    machine: Simulated,
    host: Host,
    state: PathBuf,
}

impl Stand {
    fn new() -> Stand {
        let machine = Simulated::new();
        let (host, state) = (machine.host(), machine.state_dir(0));
        Stand {
            machine,
            host,
            state,
        }
    }

    fn value(&self, name: &str) -> String {
        self.machine.settings("loop0").unwrap().1[name].clone()
    }

    fn lock(&self, purpose: &str) -> DeviceLock {
        DeviceLock::take(&self.host, "loop0", Reach::Device, purpose).unwrap()
    }

    /// An `apply` of a scheduler that ends well.
    fn apply(&self, scheduler: &str) -> String {
        let lock = self.lock("apply");
        let purpose = format!("apply {scheduler}");
        let mut journal = Journal::begin(&self.host, &self.state, &purpose, &lock).unwrap();
        journal
            .checkpoint(&[(SCHEDULER.into(), 10), (DEPTH.into(), 40)])
            .unwrap();
        journal.write(SCHEDULER, scheduler).unwrap();
        journal.keep().unwrap()
    }

    /// A tune that dies with this scheduler set; its journal's file.
    fn dead_tune(&self, scheduler: &str) -> PathBuf {
        let lock = self.lock("tune");
        let mut journal = Journal::begin(&self.host, &self.state, "tune loop0", &lock).unwrap();
        journal
            .checkpoint(&[(SCHEDULER.into(), 10), (DEPTH.into(), 40)])
            .unwrap();
        journal.write(SCHEDULER, scheduler).unwrap();
        journal.path.clone()
    }

    fn found(&self) -> Vec<Unfinished> {
        let found = find_unfinished(&self.host, &self.state);
        assert!(found.errors.is_empty(), "{:?}", found.errors);
        found.journals
    }

    fn undo(&self, id: &str) -> Result<Vec<Restored>> {
        let journal = self
            .found()
            .into_iter()
            .find(|journal| journal.id() == id)
            .unwrap();
        journal.undo(&self.host, &self.state)
    }

    fn undo_only(&self) -> Result<Vec<Restored>> {
        let mut found = self.found();
        assert_eq!(found.len(), 1);
        found.remove(0).undo(&self.host, &self.state)
    }
}

fn is_whole(restored: &[Restored]) -> bool {
    restored.iter().all(Restored::is_whole)
}

#[test]
fn writes_only_what_was_saved_and_puts_it_back() {
    let stand = Stand::new();
    stand.machine.set(DEPTH, "77");
    let lock = stand.lock("tune");
    let mut journal = Journal::begin(&stand.host, &stand.state, "tune loop0", &lock).unwrap();
    journal
        .checkpoint(&[(SCHEDULER.into(), 10), (DEPTH.into(), 40)])
        .unwrap();
    assert!(matches!(
        journal.write("/sys/block/loop0/queue/nomerges", "2"),
        Err(Error::NotJournalled { .. })
    ));
    for foreign in [
        "/sys/block/loop1/queue/nomerges",
        "/etc/passwd",
        "/sys/block/loop0/queue/../../x",
    ] {
        assert!(
            matches!(
                journal.checkpoint(&[(foreign.into(), 1)]),
                Err(Error::Foreign { .. })
            ),
            "{foreign}"
        );
    }
    journal.write(SCHEDULER, "bfq").unwrap();
    assert_eq!(stand.value("nr_requests"), "256", "a switch resets it");
    let restored = journal.revert().unwrap();
    assert!(is_whole(&restored));
    assert_eq!(
        (
            stand.value("scheduler").as_str(),
            stand.value("nr_requests").as_str()
        ),
        ("none", "77")
    );
    assert!(stand.found().is_empty());
}

#[test]
fn what_had_no_value_that_could_be_put_back_is_not_written() {
    const BATCH: &str = "/sys/block/loop0/queue/iosched/fifo_batch";
    let stand = Stand::new();
    let lock = stand.lock("tune");
    let mut journal = Journal::begin(&stand.host, &stand.state, "tune loop0", &lock).unwrap();
    journal
        .checkpoint(&[(SCHEDULER.into(), 10), (BATCH.into(), 40)])
        .unwrap();
    // It comes with the scheduler: by then it could be written.
    journal.write(SCHEDULER, "mq-deadline").unwrap();
    let before = stand.value("iosched/fifo_batch");
    assert!(matches!(
        journal.write(BATCH, "1"),
        Err(Error::NotJournalled { .. })
    ));
    assert_eq!(stand.value("iosched/fifo_batch"), before);
    assert!(is_whole(&journal.revert().unwrap()));
}

#[test]
fn the_old_value_is_on_disk_before_the_write_and_its_owner_is_named() {
    let stand = Stand::new();
    let lock = stand.lock("tune");
    let mut journal = Journal::begin(&stand.host, &stand.state, "tune loop0", &lock).unwrap();
    let gone = "/sys/block/loop0/queue/iosched/gone";
    journal
        .checkpoint(&[(DEPTH.into(), 1), (gone.into(), 2)])
        .unwrap();
    let found = stand.found().remove(0);
    assert!(found.running && !found.is_pending(), "the owner lives");
    assert_eq!(found.saved[0].old, Attribute::Value("128".into()));
    assert_eq!(found.saved[1].old, Attribute::Absent);
    let error = found.undo(&stand.host, &stand.state).unwrap_err();
    assert!(
        error.to_string().contains(&std::process::id().to_string()),
        "{error}"
    );
    journal.write(DEPTH, "999").unwrap();
    drop((journal, lock));
    assert!(stand.found()[0].is_pending());
    assert!(is_whole(&stand.undo_only().unwrap()));
    assert_eq!(stand.value("nr_requests"), "128");
    assert!(stand.found().is_empty());
}

#[test]
fn changes_are_taken_back_from_the_last_one_on() {
    let stand = Stand::new();
    let (first, second) = (stand.apply("mq-deadline"), stand.apply("bfq"));
    let error = stand.undo(&first).unwrap_err();
    assert!(matches!(error, Error::Beneath { .. }), "{error}");
    let words = error.to_string();
    assert!(
        words.contains(&format!("iodyno undo --with-later {first}")) && words.contains(&second),
        "{words}"
    );
    assert_eq!(stand.value("scheduler"), "bfq", "nothing was written");
    stand.undo(&second).unwrap();
    assert_eq!(stand.value("scheduler"), "mq-deadline");
    stand.undo(&first).unwrap();
    assert_eq!(stand.value("scheduler"), "none");
    assert!(stand.found().is_empty());
}

#[test]
fn no_change_is_made_over_one_that_ended_unfinished() {
    let stand = Stand::new();
    let left = id_of(&stand.dead_tune("mq-deadline"));
    for state in [0, 1] {
        let (lock, state) = (stand.lock("tune"), stand.machine.state_dir(state));
        let error = Journal::begin(&stand.host, &state, "tune loop0", &lock).unwrap_err();
        let words = error.to_string();
        assert!(words.contains(&format!("iodyno undo {left}")), "{words}");
        assert_eq!(
            words.contains("IODYNO_STATE_DIR="),
            state != stand.state,
            "{words}"
        );
    }
    stand.undo_only().unwrap();
    assert_eq!(stand.value("scheduler"), "none");
}

/// A living process is held to the same as `undo`.
#[test]
fn a_device_that_takes_the_name_under_a_living_journal_is_not_written() {
    let stand = Stand::new();
    let lock = stand.lock("tune");
    let mut journal = Journal::begin(&stand.host, &stand.state, "tune loop0", &lock).unwrap();
    journal.checkpoint(&[(DEPTH.into(), 40)]).unwrap();
    journal.write(DEPTH, "64").unwrap();
    stand.machine.attach("loop0");
    stand.machine.set(DEPTH, "999");
    assert!(journal.write(DEPTH, "32").is_err());
    let restored = journal.revert().unwrap();
    assert!(!is_whole(&restored) && !restored[0].written, "{restored:?}");
    assert_eq!(stand.value("nr_requests"), "999");
    assert_eq!(stand.found().len(), 1, "the journal stays");
}

#[test]
fn another_device_of_the_same_name_is_not_written() {
    let stand = Stand::new();
    let id = stand.apply("bfq");
    stand.machine.attach("loop0");
    stand.machine.set(DEPTH, "999");
    let restored = stand.undo(&id).unwrap();
    assert!(!is_whole(&restored));
    assert!(
        restored[0]
            .error
            .as_ref()
            .unwrap()
            .contains("another device now"),
        "{restored:?}"
    );
    assert_eq!(restored[0].found, Attribute::OfAnother);
    assert_eq!(
        (
            stand.value("nr_requests").as_str(),
            stand.value("scheduler").as_str()
        ),
        ("999", "none")
    );
    stand.machine.detach("loop0");
    let restored = stand.undo(&id).unwrap();
    assert!(
        restored[0]
            .error
            .as_ref()
            .unwrap()
            .contains("is not there now"),
        "{restored:?}"
    );
    assert_eq!(restored[0].found, Attribute::Absent);
    stand.found().remove(0).forget(&stand.host).unwrap();
    assert!(stand.found().is_empty());
}

#[test]
fn only_what_is_out_of_place_for_good_is_forgotten() {
    let stand = Stand::new();
    stand.apply("bfq");
    let error = stand.found().remove(0).forget(&stand.host).unwrap_err();
    assert!(error.to_string().contains("is bfq and was none"), "{error}");
    assert_eq!(stand.found().len(), 1);
}

#[test]
fn every_flipped_bit_keeps_the_journal_and_nothing_is_said_to_be_back() {
    let stand = Stand::new();
    let path = stand.dead_tune("mq-deadline");
    let whole = std::fs::read(&path).unwrap();
    let upper_or_lower = |flipped: &[u8]| flipped.eq_ignore_ascii_case(&whole);
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &flipped).unwrap();
        let found = find_unfinished(&stand.host, &stand.state);
        match (found.journals.into_iter().next(), found.errors.first()) {
            (None, Some(Error::JournalVersion { .. })) => {}
            (Some(journal), None) if upper_or_lower(&flipped) && journal.damage.is_none() => {}
            (Some(journal), None) => {
                assert!(journal.is_pending(), "bit {bit}");
                let error = journal.undo(&stand.host, &stand.state).unwrap_err();
                assert!(matches!(error, Error::Journal { .. }), "bit {bit}: {error}");
            }
            other => panic!("bit {bit}: {other:?}"),
        }
        assert!(
            path.exists() && stand.value("scheduler") == "mq-deadline",
            "bit {bit}"
        );
    }
}

#[test]
fn of_a_damaged_journal_the_whole_lines_can_be_put_back() {
    let stand = Stand::new();
    let path = stand.dead_tune("mq-deadline");
    let mut text = std::fs::read(&path).unwrap();
    text.extend_from_slice(b"00000010 rubbish\n");
    std::fs::write(&path, &text).unwrap();
    let error = stand.undo_only().unwrap_err().to_string();
    for word in [
        "line 3",
        "scheduler was [none]",
        "rubbish",
        "iodyno undo --salvage",
    ] {
        assert!(error.contains(word), "{word}: {error}");
    }
    let restored = stand
        .found()
        .remove(0)
        .salvage(&stand.host, &stand.state)
        .unwrap();
    assert!(is_whole(&restored));
    assert_eq!(stand.value("scheduler"), "none");
    assert!(
        stand.found().is_empty() && path.with_extension("damaged").exists(),
        "the file is kept"
    );
}

#[test]
fn files_of_a_strange_kind_or_version_are_named_and_nobody_waits() {
    let stand = Stand::new();
    stand.dead_tune("bfq");
    let dir = stand.state.join("journal");
    let fifo = dir.join("1-1.journal");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR).unwrap();
    for (name, text) in [
        (
            "2-2.journal",
            "7 {\"entry\":\"begin\",\"version\":1,\"pid\":1}\n",
        ),
        (
            "3-3.journal",
            "0000000f 0123456789abcdef {\"entry\":\"begin\",\"version\":99}\n",
        ),
    ] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    std::fs::write(dir.join("4-4.journal"), [0; 4096]).unwrap();
    let found = find_unfinished(&stand.host, &stand.state);
    let words: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 3, "{words:?}");
    assert!(
        words[0].contains("no regular file")
            && words[1].contains("form 1")
            && words[2].contains("form 99")
    );
    assert_eq!(
        found
            .journals
            .iter()
            .filter(|journal| journal.damage.is_some())
            .count(),
        1,
        "the zeros"
    );
    let lock = stand.lock("tune");
    assert!(
        Journal::begin(&stand.host, &stand.state, "tune", &lock).is_err(),
        "one of them may be about loop0"
    );
    drop(lock);
    let found = find_unfinished(&stand.host, &stand.state)
        .journals
        .into_iter();
    let mut whole = found.filter(|journal| journal.damage.is_none());
    assert!(is_whole(
        &whole
            .next()
            .unwrap()
            .undo(&stand.host, &stand.state)
            .unwrap()
    ));
    assert_eq!(
        stand.value("scheduler"),
        "none",
        "it is taken back all the same"
    );
}

#[test]
fn what_others_could_have_planted_is_not_put_back() {
    use std::os::unix::fs::PermissionsExt;
    let stand = Stand::new();
    let path = stand.dead_tune("bfq");
    let open = |path: &Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap()
    };
    let is_untrusted = || {
        let found = find_unfinished(&stand.host, &stand.state);
        found.journals.is_empty() && matches!(found.errors[..], [Error::Untrusted { .. }])
    };
    for (path, own) in [
        (&path, 0o600),
        (&stand.state.join("journal"), 0o700),
        (&stand.state, 0o700),
    ] {
        open(path, 0o777);
        assert!(is_untrusted(), "{path:?}");
        open(path, own);
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let begin = text.lines().next().unwrap();
    let stray = Saved {
        path: "/etc/passwd".into(),
        old: Attribute::Value("x".into()),
        order: 1,
        mark: None,
    };
    let sum = lines::read(format!("{begin}\n").as_bytes()).sum;
    let (line, _) = lines::line(&JournalEntry::Saved { saved: vec![stray] }, sum).unwrap();
    std::fs::write(&path, format!("{begin}\n{line}")).unwrap();
    let error = stand.undo_only().unwrap_err();
    assert!(matches!(error, Error::Foreign { .. }), "{error}");
}

#[test]
fn files_come_back_with_bytes_owner_and_mode_or_go() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let stand = Stand::new();
    let rule = stand.machine.place(RULE);
    std::fs::write(&rule, b"\xff mine\n").unwrap();
    std::fs::set_permissions(&rule, PermissionsExt::from_mode(0o600)).unwrap();
    let keep = || {
        let lock = stand.lock("apply");
        let mut journal = Journal::begin(&stand.host, &stand.state, "apply 7", &lock).unwrap();
        assert!(matches!(
            journal.write_file("/etc/passwd", "x"),
            Err(Error::Foreign { .. })
        ));
        journal.write_file(RULE, "ours\n").unwrap();
        journal.write_file(RULE, "ours again\n").unwrap();
        journal.keep().unwrap()
    };
    stand.undo(&keep()).unwrap();
    assert_eq!(std::fs::read(&rule).unwrap(), b"\xff mine\n");
    assert_eq!(std::fs::metadata(&rule).unwrap().mode() & 0o777, 0o600);
    std::fs::remove_file(&rule).unwrap();
    let id = keep();
    assert_eq!(std::fs::metadata(&rule).unwrap().mode() & 0o777, 0o644);
    stand.undo(&id).unwrap();
    assert!(!rule.exists() && stand.found().is_empty());
}

#[test]
fn an_edit_that_came_later_stays_and_is_shown() {
    let stand = Stand::new();
    let rule = stand.machine.place(RULE);
    std::fs::write(&rule, "before\n").unwrap();
    let lock = stand.lock("apply");
    let mut journal = Journal::begin(&stand.host, &stand.state, "apply 7", &lock).unwrap();
    journal.write_file(RULE, "ours\n").unwrap();
    journal.keep().unwrap();
    drop((journal, lock));
    std::fs::write(&rule, "ours\nand mine\n").unwrap();
    let restored = stand.undo_only().unwrap();
    assert_eq!(restored[0].edited.as_deref(), Some("ours\nand mine\n"));
    assert_eq!(restored[0].wanted, Attribute::Value("before\n".into()));
    assert!(!is_whole(&restored) && stand.found().len() == 1);
    assert_eq!(std::fs::read_to_string(&rule).unwrap(), "ours\nand mine\n");
    stand.found().remove(0).forget(&stand.host).unwrap();
    assert!(stand.found().is_empty());
}

#[test]
fn a_file_of_others_changes_only_while_it_is_what_was_shown_and_comes_back() {
    const FSTAB: &str = "/etc/fstab";
    let stand = Stand::new();
    let fstab = stand.machine.place(FSTAB);
    let lock = stand.lock("set");
    let mut journal = Journal::begin(&stand.host, &stand.state, "set atime", &lock).unwrap();
    let gone = journal.edit_file(FSTAB, "", "x\n").unwrap_err();
    assert!(gone.to_string().contains("has changed since"), "{gone}");
    std::fs::write(&fstab, "before\n").unwrap();
    assert!(journal.edit_file(FSTAB, "other\n", "x\n").is_err());
    let no_family = journal.edit_file("/etc/passwd", "before\n", "x\n");
    assert!(matches!(no_family, Err(Error::Foreign { .. })));
    assert!(matches!(
        journal.write_file(FSTAB, "x\n"),
        Err(Error::Foreign { .. })
    ));
    assert_eq!(std::fs::read_to_string(&fstab).unwrap(), "before\n");
    journal.edit_file(FSTAB, "before\n", "after\n").unwrap();
    assert_eq!(std::fs::read_to_string(&fstab).unwrap(), "after\n");
    // The next one dies while it writes.
    drop((journal, lock));
    std::fs::write(fstab.with_extension("iodyno-new"), "half").unwrap();
    assert!(is_whole(&stand.undo_only().unwrap()));
    assert_eq!(std::fs::read_to_string(&fstab).unwrap(), "before\n");
    assert!(stand.found().is_empty());
}

#[test]
fn what_is_there_now_can_be_accepted_and_undo_still_puts_the_old_value_back() {
    let stand = Stand::new();
    let before = stand.value("nr_requests");
    let lock = stand.lock("set");
    let mut journal =
        Journal::begin(&stand.host, &stand.state, "set nr_requests=64", &lock).unwrap();
    journal.checkpoint(&[(DEPTH.into(), 1)]).unwrap();
    journal.write(DEPTH, "64").unwrap();
    drop((journal.keep().unwrap(), journal, lock));
    stand.machine.set(DEPTH, "33");
    stand.found().remove(0).accept(&stand.host).unwrap();
    let kept = stand.found().remove(0).kept.unwrap();
    assert_eq!(kept, [(DEPTH.to_string(), Attribute::Value("33".into()))]);
    assert!(is_whole(&stand.undo_only().unwrap()));
    assert_eq!(stand.value("nr_requests"), before);
    let dead = stand.dead_tune("none");
    let refused = stand.found().remove(0).accept(&stand.host);
    assert!(matches!(refused, Err(Error::NotAccepted { .. })) && dead.exists());
}

#[test]
fn a_reboot_gives_the_kernel_its_own_values_and_files_are_still_put_back() {
    let stand = Stand::new();
    let lock = stand.lock("apply");
    let mut journal = Journal::begin(&stand.host, &stand.state, "apply 7", &lock).unwrap();
    journal.checkpoint(&[(DEPTH.into(), 1)]).unwrap();
    journal.write(DEPTH, "64").unwrap();
    journal.write_file(RULE, "ours\n").unwrap();
    drop((journal, lock));
    stand.machine.reboot();
    stand.machine.set(DEPTH, "33");
    assert!(stand.found()[0].is_pending(), "its file is still there");
    stand.undo_only().unwrap();
    assert_eq!(stand.value("nr_requests"), "33");
    assert!(!stand.machine.place(RULE).exists() && stand.found().is_empty());
}

#[test]
fn a_tree_of_a_load_that_died_is_removed_also_after_a_reboot() {
    let stand = Stand::new();
    let dir = files::temporary_dir("journal").unwrap();
    let parent = crate::Target::open(dir.path()).unwrap();
    let saved = tree::plan(&parent).unwrap();
    let mut journal = Journal::begin_for_files(&stand.host, &stand.state, "run files").unwrap();
    journal.add_tree(&saved).unwrap();
    let made = tree::Tree::create(&parent, &saved).unwrap();
    made.create_file("f0").unwrap();
    drop(journal);
    stand.machine.reboot();
    assert_eq!(stand.found()[0].trees.first(), Some(&saved));
    let restored = stand.undo_only().unwrap();
    assert!(
        restored[0].is_whole() && restored[0].written,
        "{restored:?}"
    );
    assert!(!Path::new(&saved.path).exists() && stand.found().is_empty());
}

const BYTES: &str = "/proc/sys/vm/dirty_background_bytes";
const RATIO: &str = "/proc/sys/vm/dirty_background_ratio";
const AFFINITY: &str = "/proc/irq/24/smp_affinity_list";

impl Stand {
    fn machine_lock(&self, device: &str) -> DeviceLock {
        DeviceLock::take(&self.host, device, Reach::Machine, "tune").unwrap()
    }

    fn of_machine(&self, path: &str) -> String {
        self.machine.settings("machine").unwrap().1[path].clone()
    }
}

#[test]
fn two_settings_that_are_one_come_back_whichever_was_set() {
    for (found, value) in [(RATIO, "10"), (BYTES, "1048576")] {
        let stand = Stand::new();
        stand.machine.set(found, value);
        let before = stand.machine.settings("machine");
        let lock = stand.machine_lock("loop0");
        let mut journal = Journal::begin(&stand.host, &stand.state, "tune", &lock).unwrap();
        let both = [(BYTES.to_string(), 20), (RATIO.to_string(), 21)];
        journal.checkpoint(&both).unwrap();
        journal.write(BYTES, "8388608").unwrap();
        let restored = journal.revert().unwrap();
        assert!(restored.iter().all(Restored::is_whole), "{restored:?}");
        assert_eq!(stand.machine.settings("machine"), before);
    }
}

#[test]
fn the_machines_settings_come_back_when_the_device_is_gone() {
    let stand = Stand::new();
    let lock = stand.machine_lock("loop0");
    let mut journal = Journal::begin(&stand.host, &stand.state, "apply", &lock).unwrap();
    journal
        .checkpoint(&[(AFFINITY.to_string(), 30), (DEPTH.to_string(), 40)])
        .unwrap();
    journal.write(AFFINITY, "1").unwrap();
    journal.keep().unwrap();
    drop((journal, lock));
    stand.machine.attach("loop0");
    let restored = stand.undo_only().unwrap();
    assert_eq!(stand.of_machine(AFFINITY), "0-1");
    let depth = restored.iter().find(|one| one.path == DEPTH).unwrap();
    assert!(!depth.is_whole() && depth.error.as_ref().unwrap().contains("another device"));
}

#[test]
fn changes_of_the_machine_form_one_stack_over_all_devices() {
    let stand = Stand::new();
    let mut ids = Vec::new();
    for (device, cpu) in [("loop0", "0"), ("loop1", "1")] {
        let lock = stand.machine_lock(device);
        let mut journal = Journal::begin(&stand.host, &stand.state, "apply", &lock).unwrap();
        journal.checkpoint(&[(AFFINITY.to_string(), 30)]).unwrap();
        journal.write(AFFINITY, cpu).unwrap();
        ids.push(journal.keep().unwrap());
    }
    let undo = |id: &str| {
        let journals = find_unfinished(&stand.host, &stand.state).journals;
        let journal = journals.into_iter().find(|journal| journal.id() == id);
        journal.unwrap().undo(&stand.host, &stand.state)
    };
    assert!(matches!(undo(&ids[0]), Err(Error::Beneath { .. })));
    undo(&ids[1]).unwrap();
    assert_eq!(stand.of_machine(AFFINITY), "0");
    undo(&ids[0]).unwrap();
    assert_eq!(stand.of_machine(AFFINITY), "0-1");
}

#[test]
fn an_unfinished_change_of_the_machine_is_in_the_way_of_another_devices() {
    let stand = Stand::new();
    {
        let lock = stand.machine_lock("loop0");
        let mut journal = Journal::begin(&stand.host, &stand.state, "tune", &lock).unwrap();
        journal.checkpoint(&[(AFFINITY.to_string(), 30)]).unwrap();
        journal.write(AFFINITY, "1").unwrap();
    }
    let begin = |reach| {
        let lock = DeviceLock::take(&stand.host, "loop1", reach, "tune").unwrap();
        Journal::begin(&stand.host, &stand.state, "tune", &lock)
    };
    assert!(matches!(
        begin(Reach::Machine),
        Err(Error::Unfinished { .. })
    ));
    assert!(
        begin(Reach::Device).is_ok(),
        "it changes nothing of the machine"
    );
}

#[test]
fn what_is_in_the_way_is_forgotten_when_its_device_is_gone() {
    let stand = Stand::new();
    {
        let lock = stand.machine_lock("loop0");
        let mut journal = Journal::begin(&stand.host, &stand.state, "tune", &lock).unwrap();
        journal
            .checkpoint(&[(AFFINITY.to_string(), 30), (DEPTH.to_string(), 40)])
            .unwrap();
        journal.write(AFFINITY, "1").unwrap();
    }
    stand.machine.detach("loop0");
    let in_the_way = || {
        let lock = stand.machine_lock("loop1");
        Journal::must_be_free(&stand.host, &stand.state, &lock)
            .unwrap_err()
            .to_string()
    };
    let id = stand.found()[0].id();
    let words = in_the_way();
    let undo = format!("First put it back: iodyno undo {id}");
    assert!(words.contains(&undo), "the interrupt is there: {words}");
    assert!(!is_whole(&stand.undo(&id).unwrap()));
    assert_eq!(stand.of_machine(AFFINITY), "0-1");
    let words = in_the_way();
    let forget = format!("went with the device): iodyno undo --forget {id}");
    assert!(words.contains(&forget), "{words}");
    stand.found().remove(0).forget(&stand.host).unwrap();
    let lock = stand.machine_lock("loop1");
    assert!(Journal::must_be_free(&stand.host, &stand.state, &lock).is_ok());
}
