//! What somebody else has changed since `set` and `apply`: `status` says what was set, what it is, who can have done it, and
//! the commands that bring it back or accept it; those commands do so.

use crate::support::{Iodyno, Loop, code, text};
use serde_json::Value;

/// A file of the machine for the time of a test; the directories that it needs go with it.
pub struct TheirFile {
    path: std::path::PathBuf,
    made: Vec<std::path::PathBuf>,
}

impl TheirFile {
    pub fn new(path: &str, content: &str) -> TheirFile {
        let path = std::path::PathBuf::from(path);
        let parents = path.ancestors().skip(1);
        let made: Vec<_> = parents
            .take_while(|parent| !parent.exists())
            .map(std::path::Path::to_path_buf)
            .collect();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        TheirFile { path, made }
    }
}

impl Drop for TheirFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        self.made
            .iter()
            .for_each(|dir| drop(std::fs::remove_dir(dir)));
    }
}

/// Runs a command of iodyno as it was printed.
fn type_in(iodyno: &Iodyno, command: &Value) {
    let command = command.as_str().unwrap();
    let words: Vec<&str> = command
        .strip_prefix("iodyno ")
        .unwrap()
        .split(' ')
        .collect();
    let output = iodyno.run(&words);
    assert_eq!(code(&output), 0, "{command}: {}", text(&output.stderr));
}

fn drift(iodyno: &Iodyno, journal: usize) -> Value {
    iodyno.json(&["status"]).0["journals"][journal]["drift"].clone()
}

#[test]
fn a_change_behind_its_back_is_told_with_who_asks_for_it() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    disk.set("read_ahead_kb", "128");
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let rule = format!("/etc/udev/rules.d/61-iodyno-test-{}.rules", disk.name);
    let _rule = TheirFile::new(
        &rule,
        &format!(
            "# theirs\nACTION==\"add\", KERNEL==\"{}\", ATTR{{queue/read_ahead_kb}}=\"1024\"\n",
            disk.name
        ),
    );
    let words = ["set", "read_ahead_kb=512", "nomerges=2", &disk.device];
    let done = iodyno.run(&words);
    assert_eq!(code(&done), 0, "{}", text(&done.stderr));
    assert_eq!(drift(&iodyno, 0), serde_json::json!([]));

    disk.set("read_ahead_kb", "1024");
    let told = drift(&iodyno, 0);
    assert_eq!(told.as_array().unwrap().len(), 1, "{told:#}");
    let one = &told[0];
    assert_eq!((&one["set"], &one["is"]), (&"512".into(), &"1024".into()));
    assert_eq!(one["suspects"][0]["place"], format!("{rule}:2"), "{told:#}");
    let said = text(&iodyno.run(&["status"]).stdout);
    assert!(said.contains("drift: set 512, is 1024"), "{said}");
    assert!(said.contains(&format!("{rule}:2 wants 1024")), "{said}");

    type_in(&iodyno, &one["bring_back"]);
    assert!(disk.settings().contains(&"read_ahead_kb=512".into()));
    for journal in 0..2 {
        assert_eq!(drift(&iodyno, journal), serde_json::json!([]));
    }
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert!(disk.settings().contains(&"read_ahead_kb=1024".into()));

    type_in(&iodyno, &drift(&iodyno, 0)[0]["accept"]);
    assert_eq!(drift(&iodyno, 0), serde_json::json!([]));
    disk.set("read_ahead_kb", "2048");
    let hand = drift(&iodyno, 0);
    assert!(
        hand[0]["why"].as_str().unwrap().contains("by hand"),
        "{hand:#}"
    );
    assert_eq!(hand[0]["suspects"], serde_json::json!([]));
    let undone = iodyno.run(&["undo"]);
    let said = text(&undone.stdout);
    assert!(said.contains("iodyno set 1024, and it was 2048"), "{said}");
    assert_eq!(disk.settings(), before);
}

#[test]
fn what_was_not_left_in_place_cannot_be_accepted() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let waits = ["set", "nomerges=2", &disk.device, "--confirm", "10m"];
    let mut child = iodyno
        .command(&waits)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    crate::support::until("the value", || {
        disk.settings().contains(&"nomerges=2".into())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let (status, _) = iodyno.json(&["status"]);
    assert_eq!(status["journals"][0]["drift"], serde_json::json!([]));
    let id = status["journals"][0]["id"].as_str().unwrap();
    let refused = iodyno.run(&["undo", "--accept", id]);
    assert_eq!(code(&refused), 4, "{}", text(&refused.stderr));
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert_eq!(disk.settings(), before);
}
