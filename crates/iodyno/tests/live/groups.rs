//! Limits of a control group: put in place, tried, killed in the middle and put back, in a group of the test's own and on a
//! loop device of its own. Lines of other devices in the same file stay as they are.

use crate::groups::{around, ground};
use crate::live::verdicts::judged;
use crate::support::{Iodyno, Loop, code, text};
use skip::Outcome;
use std::process::Command;

#[test]
#[ignore = "live"]
fn a_tune_inside_the_group_proves_what_the_limit_costs() {
    let Some((group, [disk, _other], [own, others])) = ground() else {
        return;
    };
    // So low that the limiter decides also where other work takes the CPUs.
    group.limit(&format!("{own} 400"));
    let before = group.limits();
    let iodyno = Iodyno::new();
    let knob = ["--knob", "riops@self=800", "--budget", "5m"];
    let words = [&["--json", "tune", &disk.device][..], &knob].concat();
    let output = group.inside(&iodyno, &words).output().unwrap();
    let said = text(&output.stderr);
    assert!([0, 6].contains(&code(&output)), "{said}");
    assert!(!said.contains("expect no difference"), "{said}");
    assert_eq!(group.limits(), before);
    let tuned: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let trial = &tuned["record"]["trials"][0];
    // A limiter lets what a slice of 100 ms may do through at once: a window of less than a slice counts that or nothing.
    let (outcome, figures) = judged(trial, "800");
    let effect = trial["verdict"]["effect"].as_f64();
    let is_true = outcome != Outcome::Won || effect.is_some_and(|it| (0.9..1.1).contains(&it));
    skip::measured(outcome.max(Outcome::right_if(is_true)), figures);
    if outcome != Outcome::Won {
        return;
    }
    let (applied, output) = iodyno.json(&["apply", &tuned["id"].to_string()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(group.limits(), [format!("{own} 800"), others]);
    let undone = iodyno.run(&["undo", applied["journal"].as_str().unwrap()]);
    assert_eq!(code(&undone), 0, "{}", text(&undone.stderr));
    assert_eq!(group.limits(), before);
}

/// A reader beside a bulk writer of its disk, as an import is to a database: what a limit on the writer is worth to the
/// reader, and what it costs the writer. Both wait for the disk below.
#[test]
#[ignore = "live"]
fn a_limit_on_a_bulk_writer_is_judged_by_the_reader_beside_it() {
    let Some((group, [disk, _other], [own, others])) = Loop::new(64).and_then(around) else {
        return;
    };
    let iodyno = Iodyno::new();
    let mark = format!("of={}", disk.device);
    let writer = format!(
        "echo $$ >{}/cgroup.procs; while :; do dd if=/dev/zero {mark} bs=1M oflag=direct conv=notrunc; done",
        group.path().display()
    );
    let knob = format!("wbps@{}=4194304", group.name);
    let (tuned, output) = iodyno.json(&[
        "tune",
        &disk.device,
        "--iodepth",
        "1",
        "--metric",
        "latency",
        "--knob",
        &knob,
        "--beside",
        &writer,
        "--budget",
        "6m",
    ]);
    let said = text(&output.stderr);
    assert!([0, 6].contains(&code(&output)), "{said}");
    let record = &tuned["record"];
    assert_eq!(record["job"]["beside"], writer.as_str(), "{said}");
    let trial = &record["trials"][0];
    let (outcome, figures) = judged(trial, "4194304");
    let taken = trial["verdict"]["foreign"][1]["change"].as_f64();
    let is_taken = outcome != Outcome::Won || taken < Some(-0.5);
    let outcome = outcome.max(Outcome::right_if(is_taken));
    skip::measured(outcome, format!("{figures}; theirs: {taken:?}"));
    assert!(
        outcome != Outcome::Won || said.contains("theirs changed by −"),
        "{said}"
    );
    assert!(said.contains("beside `echo $$"), "{said}");
    assert_eq!(group.limits(), [others]);
    let limits = std::fs::read_to_string(group.path().join("blkio.throttle.write_bps_device"));
    assert!(!limits.unwrap().contains(&own));
    let left = Command::new("pgrep").args(["-f", &mark]).output().unwrap();
    assert_eq!(text(&left.stdout), "", "a writer is left");
}
