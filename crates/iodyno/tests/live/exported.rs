//! `apply RECORD --as`: what another tool is given does what the record says, there and back.

use crate::exported::{ansible, run, win};
use crate::support::{Dir, text};

#[test]
#[ignore = "live"]
fn tasks_are_read_and_done_by_ansible() {
    let Some(tool) = ansible() else {
        return;
    };
    let tool = tool.as_str();
    let Some((disk, iodyno, record)) = win() else {
        return;
    };
    let (before, dir) = (disk.settings(), Dir::new("ansible"));
    let tasks = text(&iodyno.run(&["apply", &record, "--as", "ansible"]).stdout);
    std::fs::write(dir.path().join("tasks.yml"), tasks).unwrap();
    let play = dir.path().join("play.yml");
    std::fs::write(&play, "- hosts: localhost\n  connection: local\n  gather_facts: false\n  tasks:\n    - ansible.builtin.import_tasks: tasks.yml\n").unwrap();
    let play = play.to_str().unwrap();
    let checked = run(tool, &["--syntax-check", play]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    for changed in ["changed=1", "changed=0"] {
        let done = run(tool, &[play]);
        assert!(
            text(&done.stdout).contains(changed),
            "{}{}",
            text(&done.stdout),
            text(&done.stderr)
        );
        assert!(disk.settings().contains(&"scheduler=mq-deadline".into()));
    }
    disk.set("scheduler", "none");
    assert_eq!(disk.settings()[0], before[0]);
}
