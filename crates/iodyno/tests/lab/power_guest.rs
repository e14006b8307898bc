//! The power of a guest is cut at random moments of a tune and of an `apply`; what is found after the boot.

use crate::lab::persist::{RULE, out, scheduler, store_wins};
use crate::soak::killed::random_moments;
use crate::support::{guest_with_iodyno, rounds};
use lab::{Bus, Disk, Guest, Machine};
use model::subject::SubjectKind;
use serde_json::{Value, json};
use std::time::Duration;

/// A tune, begun and left to itself; the script ends once it has saved the settings, or at once.
const TUNE: &str =
    "iodyno tune /dev/nvme0n1 --knob scheduler=mq-deadline --rw randread --budget 10m";

fn document(guest: &mut Guest, words: &str) -> Value {
    let text = out(guest, &format!("/root/iodyno {words} --json"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words}: {error}\n{text}"))
}

/// Begins a command in the background; with `until`, waits until that holds.
fn begin(guest: &mut Guest, command: &str, until: Option<&str>) {
    let wait = until.map_or(String::new(), |test| {
        format!("i=0; until {test}; do sleep 0.1; i=$((i + 1)); test $i -lt 3000 || exit 9; done")
    });
    let command =
        format!("setsid sh -c 'PATH=$PATH:/root; {command}' </dev/null >/dev/null 2>&1 &");
    out(guest, &format!("{command}\n{wait}"));
}

/// After the boot: what was left can be read and is undone, and nothing is left of it, also at the next boot.
fn is_back(guest: &mut Guest, label: &str) -> bool {
    let status = document(guest, "status");
    let journals = status["journals"].as_array().unwrap();
    let is_whole = |journal: &Value| journal["damaged_line"].is_null();
    assert!(journals.iter().all(is_whole), "{label}: {status:#}");
    assert_eq!(status["salvaged"], json!([]), "{label}");
    let had_something = !journals.is_empty();
    out(guest, "/root/iodyno undo --all");
    let status = document(guest, "status");
    assert_eq!(status["journals"], json!([]), "{label}");
    out(guest, &format!("test ! -e {RULE}"));
    // What the rule had set at this boot stays until the next one, as undo says.
    out(guest, "echo none >/sys/block/nvme0n1/queue/scheduler");
    had_something
}

#[test]
#[ignore = "lab"]
fn power_cuts_of_a_guest_leave_a_journal_that_can_be_read_and_undone() {
    let machine = Machine::new().disk(Disk::new(Bus::Nvme, 64).queues(2));
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    out(&mut guest, "mv /run/iodyno /root/iodyno; sync");
    assert_eq!(scheduler(&mut guest), "none");
    let wins = [("scheduler", SubjectKind::Queue, ["none", "mq-deadline"])];
    let record = store_wins(&mut guest, &wins);
    out(&mut guest, "sync");
    let apply = format!("while :; do iodyno apply {record} --persist; iodyno undo --all; done");
    let (cuts, seed) = (rounds("IODYNO_POWER_CUTS", 2), 20_261_124);
    let mut moment = random_moments(seed);
    let mut left = 0;
    for cut in 0..cuts {
        let label = format!("cut {cut}, seed {seed}");
        let journal = "ls /root/state/journal/*.journal >/dev/null 2>&1";
        match cut % 2 {
            0 => begin(&mut guest, TUNE, (cut % 4 == 0).then_some(journal)),
            _ => begin(&mut guest, &apply, (cut % 4 == 1).then_some(journal)),
        }
        // Long enough for windows of both values in an emulated machine, and for several turns of apply and undo.
        std::thread::sleep(Duration::from_millis(moment(12_000)));
        guest.cut_power().unwrap();
        left += u32::from(is_back(&mut guest, &label));
        println!("cut {cut}: all back; {left} had something to undo so far");
    }
    guest.reboot().unwrap();
    assert_eq!(scheduler(&mut guest), "none");
    println!(
        "{cuts} of {cuts} power cuts: every journal was read, and everything was back; {left} had something to undo"
    );
    assert!(left > 0, "no cut hit anything");
}
