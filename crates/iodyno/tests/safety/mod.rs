//! Data safety: what is in use or holds something is refused, and not a byte of it changes.

mod attributes;
mod containers;
mod exchange;
mod exchanger;
mod files;
mod held;
mod outputs;
pub mod rights;
pub mod scratch;
pub mod ways;

use crate::support::{Dir, Iodyno, Loop, text};
use std::process::Command;

#[test]
fn every_way_that_a_loop_device_can_be_in_use_is_refused() {
    let iodyno = Iodyno::new();
    let mut wrong = Vec::new();
    for way in ways::ON_LOOPS.iter().chain(held::WAYS) {
        let (Some(disk), dir) = (Loop::new(16), Dir::new("safety")) else {
            return;
        };
        let place = ways::Place {
            device: disk.device.clone(),
            device2: String::new(),
            nvme: String::new(),
            dir: dir.path().to_string_lossy().into_owned(),
            iodyno: env!("CARGO_BIN_EXE_iodyno").into(),
            state: iodyno.state.path().to_string_lossy().into_owned(),
        };
        let output = Command::new("sh")
            .args(["-c", &ways::script(way, &place)])
            .output()
            .unwrap();
        let told = text(&output.stdout);
        if told.contains("setup failed") {
            let why = format!("{}: {}", way.name, text(&output.stderr).trim());
            skip::missing("machine:stack", why);
            continue;
        }
        println!("{}: {told}", way.name);
        let found = ways::wrong(way, &told);
        if !found.is_empty() {
            wrong.push(format!("{}\n{}", found.join("\n"), text(&output.stderr)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
