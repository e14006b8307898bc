//! Settings of an interrupt, a mount or a control group that is another one by now: nothing is written, and their journals can be
//! settled.

use super::*;

const ATIME: &str = "mount:atime:7:9:/srv";
const RIOPS: &str = "group:riops:loop0:/sys/fs/cgroup/db";

#[test]
fn the_journal_of_an_interrupt_that_serves_another_now_can_be_forgotten() {
    let stand = Stand::new();
    let lock = stand.machine_lock("loop0");
    let mut journal = Journal::begin(&stand.host, &stand.state, "apply", &lock).unwrap();
    journal.checkpoint(&[(AFFINITY.to_string(), 30)]).unwrap();
    journal.write(AFFINITY, "1").unwrap();
    let id = journal.keep().unwrap();
    drop((journal, lock));
    let way = |stand: &Stand| stand.found()[0].way_out(&stand.host, &stand.state).command;
    assert_eq!(way(&stand), format!("iodyno undo {id}"));
    stand.machine.serve("nvme0q1");
    assert_eq!(way(&stand), format!("iodyno undo --forget {id}"));
    let restored = stand.undo(&id).unwrap();
    assert_eq!(restored[0].found, Attribute::OfAnother);
    stand.found().remove(0).forget(&stand.host).unwrap();
    assert_eq!(stand.of_machine(AFFINITY), "1", "nothing was written");
    assert!(stand.found().is_empty());
}

#[test]
fn an_interrupt_that_serves_another_device_now_is_left_alone() {
    let stand = Stand::new();
    let saved = [Saved {
        path: AFFINITY.into(),
        old: Attribute::Value("0".into()),
        order: 1,
        mark: Some("nvme0q1".into()),
    }];
    let restored = restore::settings(&stand.host, &saved, None);
    assert!(!restored[0].is_whole() && !restored[0].written);
    assert!(
        restored[0]
            .error
            .as_ref()
            .unwrap()
            .contains("serves loop-req.0 now")
    );
    assert_eq!(stand.of_machine(AFFINITY), "0-1");
}

/// Neither `--salvage` nor `--forget` would ever have let go of it.
#[test]
fn a_damaged_journal_with_nothing_left_to_put_back_is_set_aside() {
    for is_edited in [false, true] {
        let stand = Stand::new();
        let lock = stand.machine_lock("loop0");
        let mut journal = Journal::begin(&stand.host, &stand.state, "apply", &lock).unwrap();
        journal.checkpoint(&[(ATIME.to_string(), 30)]).unwrap();
        journal.write(ATIME, "noatime").unwrap();
        journal.write_file(RULE, "ours\n").unwrap();
        let id = journal.keep().unwrap();
        drop((journal, lock));
        let path = stand.state.join(format!("journal/{id}.journal"));
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], b"rubbish\n"].concat()).unwrap();
        match is_edited {
            true => std::fs::write(stand.machine.place(RULE), "somebody's\n").unwrap(),
            false => stand.machine.mount_anew(),
        }
        let damaged = stand.found().remove(0);
        assert!(damaged.damage.is_some());
        let restored = damaged.salvage(&stand.host, &stand.state).unwrap();
        assert!(!restored.iter().all(Restored::is_whole), "{restored:?}");
        let found = find_unfinished(&stand.host, &stand.state);
        assert!(
            found.journals.is_empty() && found.salvaged.len() == 1,
            "{found:?}"
        );
        assert_eq!(stand.of_machine(ATIME), "relatime");
        let rule = std::fs::read_to_string(stand.machine.place(RULE)).ok();
        assert_eq!(rule.as_deref(), is_edited.then_some("somebody's\n"));
    }
}

/// An edit that is not settled keeps it, as with any undo: it is no damage.
#[test]
fn salvage_of_a_journal_that_is_whole_is_an_undo() {
    for is_edited in [false, true] {
        let stand = Stand::new();
        let lock = stand.lock("apply");
        let mut journal = Journal::begin(&stand.host, &stand.state, "apply", &lock).unwrap();
        journal.checkpoint(&[(DEPTH.to_string(), 40)]).unwrap();
        journal.write(DEPTH, "64").unwrap();
        journal.write_file(RULE, "ours\n").unwrap();
        journal.keep().unwrap();
        drop((journal, lock));
        if is_edited {
            std::fs::write(stand.machine.place(RULE), "somebody's\n").unwrap();
        }
        let whole = stand.found().remove(0);
        whole.salvage(&stand.host, &stand.state).unwrap();
        assert_eq!(stand.value("nr_requests"), "128");
        let found = find_unfinished(&stand.host, &stand.state);
        assert!(found.salvaged.is_empty(), "{found:?}");
        assert_eq!(found.journals.len(), usize::from(is_edited));
    }
}

/// A living command compares at each write what `undo` compares before it puts back.
#[test]
fn what_is_another_subject_by_now_is_not_written_by_a_living_command() {
    type Exchange = fn(&crate::simulated::Simulated);
    let cases: [(&str, &str, Exchange); 3] = [
        (AFFINITY, "1", |machine| machine.serve_anew()),
        (ATIME, "noatime", |machine| machine.mount_anew()),
        (RIOPS, "500", |machine| machine.group_anew()),
    ];
    for (path, value, exchange) in cases {
        let stand = Stand::new();
        let lock = stand.machine_lock("loop0");
        let mut journal = Journal::begin(&stand.host, &stand.state, "tune", &lock).unwrap();
        journal.checkpoint(&[(path.to_string(), 30)]).unwrap();
        let found = stand.host.attribute(path);
        exchange(&stand.machine);
        let refused = journal.write(path, value).unwrap_err();
        assert!(refused.to_string().contains("another subject"), "{refused}");
        assert_eq!(stand.host.attribute(path), found);
    }
}

#[test]
fn another_mount_at_the_point_is_left_alone_and_its_journal_can_be_forgotten() {
    let stand = Stand::new();
    let lock = stand.machine_lock("loop0");
    let mut journal = Journal::begin(&stand.host, &stand.state, "apply", &lock).unwrap();
    journal.checkpoint(&[(ATIME.to_string(), 30)]).unwrap();
    journal.write(ATIME, "noatime").unwrap();
    let id = journal.keep().unwrap();
    drop((journal, lock));
    stand.machine.mount_anew();
    stand.machine.set(ATIME, "strictatime");
    let restored = stand.undo(&id).unwrap();
    assert!(!restored[0].is_whole() && !restored[0].written);
    let why = restored[0].error.as_ref().unwrap();
    assert!(why.contains("mount 67 is there now"), "{why}");
    assert_eq!(
        stand.of_machine(ATIME),
        "strictatime",
        "nothing was written"
    );
    stand.found().remove(0).forget(&stand.host).unwrap();
    assert!(stand.found().is_empty());
}

#[test]
fn a_control_group_made_anew_is_left_alone_and_its_journal_can_be_forgotten() {
    let stand = Stand::new();
    let lock = stand.lock("apply");
    let mut journal = Journal::begin(&stand.host, &stand.state, "apply", &lock).unwrap();
    let of_another = "group:riops:loop1:/sys/fs/cgroup/db".to_string();
    let refused = journal.checkpoint(&[(of_another, 30)]).unwrap_err();
    assert!(matches!(refused, Error::Foreign { .. }), "{refused}");
    journal.checkpoint(&[(RIOPS.to_string(), 30)]).unwrap();
    journal.write(RIOPS, "500").unwrap();
    let id = journal.keep().unwrap();
    drop((journal, lock));
    stand.machine.group_anew();
    stand.machine.set(RIOPS, "7");
    let restored = stand.undo(&id).unwrap();
    assert!(!restored[0].is_whole() && !restored[0].written);
    let why = restored[0].error.as_ref().unwrap();
    assert!(why.contains("control group 22 is there now"), "{why}");
    let now = stand.host.attribute(RIOPS);
    assert_eq!(now.value(), Some("7"), "nothing was written");
    stand.found().remove(0).forget(&stand.host).unwrap();
    assert!(stand.found().is_empty());
}
