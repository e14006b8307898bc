//! Limits of a control group: put in place, tried, killed in the middle and put back, in a group of the test's own and on a
//! loop device of its own. Lines of other devices in the same file stay as they are.

use crate::groups::ground;
use crate::support::{Iodyno, code, signal, text, until};

#[test]
#[ignore = "soak"]
fn a_limit_that_was_there_comes_back_after_a_killed_tune() {
    let Some((group, [disk, _other], [own, others])) = ground() else {
        return;
    };
    group.limit(&format!("{own} 900"));
    let before = group.limits();
    let iodyno = Iodyno::new();
    let knob = format!("riops@{}=max", group.name);
    let words = ["tune", &disk.device, "--knob", &knob, "--budget", "10m"];
    let mut child = group.inside(&iodyno, &words).spawn().unwrap();
    iodyno.wait_for_journal(&mut child);
    until("the other value", || group.limits() == [others.as_str()]);
    signal(child.id(), "KILL");
    child.wait().unwrap();
    until("an end in the other value", || {
        group.limits() == [others.as_str()] || group.limits() == before
    });
    let undone = iodyno.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(group.limits(), before);
}
