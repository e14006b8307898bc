//! Options of a file system: one is changed and no other, killed in the middle, put back, and left alone where the file
//! system was mounted anew.

use crate::file_systems::lines;
use crate::mounts::Mounted;
use crate::support::{Iodyno, code, signal, until};

#[test]
#[ignore = "soak"]
fn a_killed_tune_of_a_file_system_is_put_back() {
    // A scratch file leaves 256 MiB of a file system free.
    let Some(mounted) = Mounted::new(400) else {
        return;
    };
    let (iodyno, before) = (Iodyno::new(), lines(&mounted));
    let words = ["--rw", "randwrite", "--size", "16m", "--budget", "20m"];
    let tune = [
        &["tune", mounted.point(), "--knob", "lazytime=on"],
        &words[..],
    ]
    .concat();
    let mut child = iodyno.spawn(&tune);
    iodyno.wait_for_journal(&mut child);
    let is_lazy = || lines(&mounted)[0].contains("lazytime");
    until("the other value", is_lazy);
    signal(child.id(), "KILL");
    child.wait().unwrap();
    assert!(is_lazy());
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert_eq!(lines(&mounted), before);
}
