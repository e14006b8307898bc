//! `undo` after every way of dying, `apply` and `status`.

use crate::soak::killed::random_moments;
use crate::support::{Iodyno, Loop, code, text, tracing};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
#[ignore = "soak"]
fn killed_while_a_decision_is_explained_undo_puts_everything_back() {
    let Some(disk) = Loop::in_memory(64) else {
        return;
    };
    // Requests of 4 KiB in place of one of 256: a difference that any machine sees.
    disk.set("max_sectors_kb", "4");
    let (before, iodyno) = (disk.settings(), Iodyno::new());
    let load = [
        "--bs",
        "256k",
        "--iodepth",
        "4",
        "--accept-worse-p99",
        "--budget",
        "90s",
    ];
    let knob = ["tune", &disk.device, "--knob", "max_sectors_kb=1280"];
    let mut command = iodyno.command(&[&knob[..], &load[..]].concat());
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    // The windows are half a second long: some moment within the sixteen of them.
    let is_tracing = said.any(|line| line.is_ok_and(|line| line.contains("tracing what moved")));
    if is_tracing {
        std::thread::sleep(std::time::Duration::from_millis(random_moments(7)(4_000)));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if !is_tracing {
        skip::missing(
            tracing(),
            "nothing was traced: no decision, or no right to trace",
        );
        return;
    }
    let undo = iodyno.run(&["undo", "--all"]);
    assert_eq!(code(&undo), 0, "{}", text(&undo.stderr));
    assert_eq!(disk.settings(), before);
    let (status, _) = iodyno.json(&["status"]);
    assert_eq!(status["journals"], json!([]));
}
