//! Loop devices beside what others made: a file with their number, a mount over their point, a file system that is not
//! there. What is not iodyno's stays, and what cannot be looked at stays written down.

use crate::loops::{Ground, devices_over, is_mounted, said};
use crate::support::{code, until};
use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// Runs a program, which has to succeed.
fn done(program: &str, words: &[&str]) {
    let status = Command::new(program).args(words).status().unwrap();
    assert!(status.success(), "{program} {words:?}");
}

fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Takes mount and device away by hand.
fn by_hand(ground: &Ground) {
    done("umount", &[word(&ground.point())]);
    for device in devices_over(&ground.image()) {
        done("losetup", &["--detach", &device]);
    }
    until("it is detached", || {
        devices_over(&ground.image()).is_empty()
    });
}

/// Takes the last line off the journal: then it is one of a creation that died just before its end.
fn forget_the_end(ground: &Ground) {
    let journals = std::fs::read_dir(ground.iodyno.state.path().join("journal")).unwrap();
    let journal = journals.flatten().next().unwrap().path();
    let whole = std::fs::read(&journal).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    std::fs::write(&journal, lines[..lines.len() - 1].concat()).unwrap();
}

#[test]
fn a_device_of_others_over_a_file_that_got_its_number_is_left_alone() {
    let Some(ground) = Ground::new(96) else {
        return;
    };
    let make = || {
        let made = ground.run(&ground.mounted_words("16m", &[]));
        assert_eq!(code(&made), 0, "{}", said(&made));
    };
    make();
    let inode = std::fs::metadata(ground.image()).unwrap().ino();
    by_hand(&ground);
    std::fs::remove_file(ground.image()).unwrap();
    let other = Path::new(ground.below.point()).join("other.img");
    std::fs::write(&other, vec![0; 16 << 20]).unwrap();
    assert_eq!(
        std::fs::metadata(&other).unwrap().ino(),
        inode,
        "ext4 takes the lowest that is free"
    );
    done("mkfs.ext4", &["-q", word(&other)]);
    let point = ground.point();
    done("mount", &["-o", "loop", word(&other), word(&point)]);
    std::fs::write(point.join("theirs"), "data").unwrap();
    let removed = ground.remove(&[]);
    assert_eq!(code(&removed), 0, "{}", said(&removed));
    assert_eq!(
        std::fs::read_to_string(point.join("theirs")).unwrap(),
        "data"
    );
    assert_eq!(devices_over(&other).len(), 1);
    done("umount", &[word(&point)]);
    std::fs::remove_dir(&point).unwrap();
    until("it is detached", || devices_over(&other).is_empty());
    std::fs::remove_file(&other).unwrap();
    ground.assert_nothing_is_left("theirs is gone");

    // Made again under its name: the one that is there is meant, and the other has nothing to take away.
    make();
    let id = |at: usize| ground.list()["loops"][at]["id"].clone();
    let first = id(0);
    by_hand(&ground);
    std::fs::remove_file(ground.image()).unwrap();
    make();
    let (both, removed) = (ground.list(), ground.remove(&[]));
    assert_eq!(both["loops"].as_array().unwrap().len(), 2, "{both:#}");
    assert_eq!(code(&removed), 0, "{}", said(&removed));
    assert!(!ground.image().exists() && !is_mounted(&point));
    assert_eq!((id(0), id(1)), (first, Value::Null));
    assert_eq!(code(&ground.remove(&[])), 0);
    ground.assert_nothing_is_left("both are gone");
}

#[test]
fn what_others_mounted_over_it_is_left_alone() {
    let Some(ground) = Ground::new(64) else {
        return;
    };
    let made = ground.run(&ground.mounted_words("16m", &[]));
    assert_eq!(code(&made), 0, "{}", said(&made));
    let point = ground.point();
    done("mount", &["-t", "tmpfs", "none", word(&point)]);
    std::fs::write(point.join("theirs"), "data").unwrap();
    let is_there = || {
        let content = std::fs::read_to_string(point.join("theirs"));
        assert_eq!(content.unwrap(), "data");
        assert!(ground.image().exists());
    };
    let refused = ground.remove(&[]);
    assert_eq!(code(&refused), 4, "{}", said(&refused));
    let lies_over = "a mount of tmpfs lies over it";
    assert!(said(&refused).contains(lies_over), "{}", said(&refused));
    is_there();
    forget_the_end(&ground);
    let undone = ground.iodyno.run(&["undo"]);
    assert!(
        code(&undone) != 0 && said(&undone).contains(lies_over),
        "{}",
        said(&undone)
    );
    is_there();
    done("umount", &[word(&point)]);
    let undone = ground.iodyno.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    ground.assert_nothing_is_left("undone");
}

#[test]
fn one_whose_file_system_is_not_mounted_stays_written_down() {
    let Some(ground) = Ground::new(64) else {
        return;
    };
    let made = ground.run(&ground.mounted_words("16m", &[]));
    assert_eq!(code(&made), 0, "{}", said(&made));
    by_hand(&ground);
    done("umount", &[ground.below.point()]);
    let listed = ground.list();
    let what = listed["loops"][0]["problems"][0]["what"].to_string();
    assert!(what.contains("is not mounted on"), "{listed:#}");
    let refused = ground.remove(&[]);
    let why = said(&refused);
    assert!(
        code(&refused) != 0 && why.contains("Mount that one first"),
        "{why}"
    );
    forget_the_end(&ground);
    let undone = ground.iodyno.run(&["undo"]);
    let why = said(&undone);
    assert!(
        code(&undone) != 0 && why.contains("Mount that one first"),
        "{why}"
    );
    ground.below.mount("relatime");
    assert!(ground.image().exists());
    let undone = ground.iodyno.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    ground.assert_nothing_is_left("mounted and undone");
}

#[test]
fn one_that_cannot_be_looked_at_hides_no_other() {
    let Some(ground) = Ground::new(64) else {
        return;
    };
    let below = Path::new(ground.below.point()).join("below");
    let aside = below.with_extension("aside");
    std::fs::create_dir(&below).unwrap();
    let hidden = below.join("hidden.img");
    let bare = ["--fs", "none"];
    let mut words = ground.words("4m", &bare);
    for image in [&hidden, &ground.image()] {
        words[2] = word(image).into();
        let made = ground.run(&words);
        assert_eq!(code(&made), 0, "{}", said(&made));
    }
    std::fs::rename(&below, &aside).unwrap();
    std::fs::write(&below, "no directory").unwrap();
    let listed = ground.list();
    let rows = listed["loops"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{listed:#}");
    let what = rows[0]["problems"][0]["what"].to_string();
    assert!(what.contains("cannot be looked at"), "{listed:#}");
    assert_eq!(rows[1]["problems"], serde_json::json!([]), "{listed:#}");
    let id = rows[0]["id"].as_str().unwrap();
    let forgotten = ground.iodyno.run(&["undo", "--forget", id]);
    assert!(code(&forgotten) != 0, "{}", said(&forgotten));
    std::fs::remove_file(&below).unwrap();
    std::fs::rename(&aside, &below).unwrap();
    let removed = ground.iodyno.run(&["loop", "remove", word(&hidden)]);
    assert_eq!(code(&removed), 0, "{}", said(&removed));
    std::fs::remove_dir(&below).unwrap();
    assert_eq!(code(&ground.remove(&[])), 0);
    ground.assert_nothing_is_left("both are removed");
}
