//! How evenly control groups share a disk, as the metric of a tune.

use crate::groups::TestGroup;
use crate::live::verdicts::judged;
use crate::support::{Iodyno, Loop, code, text};
use skip::Outcome;
use std::process::{Child, Stdio};

/// Reads a disk in a group until it is dropped. Reads always wait, so that it gets what its limit lets it, however busy the CPUs are.
struct Reader(Child);

impl Reader {
    fn new(group: &TestGroup, disk: &Loop) -> Reader {
        let script = format!(
            "echo $$ >{}/cgroup.procs && exec fio \"$@\"",
            group.path().display()
        );
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script, "fio", "--name=reader", "--thread"]);
        command.args(["--rw=randread", "--bs=4k", "--direct=1", "--readonly"]);
        command.args(["--ioengine=libaio", "--iodepth=8"]);
        command.args(["--time_based", "--runtime=600", "--eta=never"]);
        command.arg(format!("--filename={}", disk.device));
        Reader(command.stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "live"]
fn a_limit_on_the_greedy_one_makes_two_containers_equal() {
    let Some(disk) = Loop::in_memory(64).filter(|_| !skip::lacks("fio")) else {
        return;
    };
    let Some(above) = TestGroup::new() else {
        return;
    };
    let iodyno = Iodyno::new();
    let number = std::fs::read_to_string(format!("/sys/block/{}/dev", disk.name)).unwrap();
    let limited = |name: &str, iops: u32| {
        let group = above.below(name);
        group.limit(&format!("{} {iops}", number.trim()));
        group
    };
    let (greedy, modest) = (limited("greedy", 4000), limited("modest", 1000));
    let knob = format!("riops@{}=1000", greedy.name);
    let fairness = ["--metric", "fairness", "--cgroup", &above.name];
    let words = [
        "tune",
        &disk.device,
        "--ioengine",
        "none",
        "--knob",
        &knob,
        "--budget",
        "4m",
    ];
    let words = [&words[..], &fairness].concat();

    let alone = {
        let _modest = Reader::new(&modest, &disk);
        iodyno.run(&words)
    };
    let said = text(&alone.stderr);
    assert!(
        code(&alone) == 5 && said.contains("fewer than two of the control groups"),
        "{said}"
    );

    let _readers = [&greedy, &modest].map(|group| Reader::new(group, &disk));
    let (tuned, output) = iodyno.json(&words);
    let said = text(&output.stderr);
    assert!([0, 6].contains(&code(&output)), "{said}");
    let trial = &tuned["record"]["trials"][0];
    let (outcome, figures) = judged(trial, "1000");
    // Of 4000 and 1000 the index is 0.735, and of equal shares 1.
    let effect = trial["verdict"]["effect"].as_f64();
    let is_true = outcome != Outcome::Won || effect.is_some_and(|it| (0.3..0.4).contains(&it));
    skip::measured(outcome.max(Outcome::right_if(is_true)), figures);
    assert_eq!(greedy.limits(), [format!("{} 4000", number.trim())]);
}
