//! `tune --reboot-plan` in a guest that is really booted: systemd starts the plan's unit at each boot, which measures it and
//! says how the next one is to be booted.

use crate::lab::persist::out;
use crate::support::{guest_with_iodyno, rounds};
use lab::{Bus, Disk, Guest, Machine};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What the lab puts before a machine's own words.
const BEFORE: &str = "init=/sbin/init ";
/// Boots that every test run does; the long form goes on to the verdict.
const BOOTS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(300);

/// Makes the plan; the command that would boot leaves the command line to the lab, which boots. On a busy machine the unit may have
/// measured before the lab's directory is mounted: what is written then would lie below the mount, where nobody sees it.
const PLAN: &str = r#"/root/iodyno tune /dev/nvme0n1 --iodepth 16 --reboot-plan nvme.io_queue_depth=64 --plan-dir /root/plan \
    --settle 10s --budget 48s --seed 1 \
    --next-boot 'until grep -q " /mnt/lab " /proc/mounts; do sleep 0.1; done; printf %s "$IODYNO_COMMAND_LINE" >/mnt/lab/next.new && mv /mnt/lab/next.new /mnt/lab/next'"#;

/// Waits for the command line that the next boot is to have: the lab's own words are not in it.
fn next(guest: &mut Guest) -> String {
    let begun = Instant::now();
    let line = loop {
        if let Ok(line) = guest.get("next") {
            break String::from_utf8(line).unwrap();
        }
        if begun.elapsed() > PATIENCE {
            panic!(
                "{}",
                out(
                    guest,
                    "journalctl -u iodyno-boots --no-pager; cat /root/plan/plan.json"
                )
            );
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    out(guest, "rm /mnt/lab/next");
    line.split_once(BEFORE).unwrap().1.to_string()
}

fn plan(guest: &mut Guest) -> Value {
    serde_json::from_str(&out(guest, "/root/iodyno boots /root/plan --json")).unwrap()
}

fn measured(plan: &Value) -> usize {
    plan["boots"].as_array().unwrap().len()
}

fn await_more_than(guest: &mut Guest, boots: usize) {
    let begun = Instant::now();
    while measured(&plan(guest)) == boots {
        assert!(
            begun.elapsed() < PATIENCE,
            "{}",
            out(guest, "journalctl -u iodyno-boots --no-pager")
        );
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[test]
#[ignore = "lab"]
fn an_argument_of_the_kernel_is_tried_in_boots_of_a_guest() {
    let machine = Machine::new()
        .disk(Disk::new(Bus::Nvme, 64))
        .systemd()
        .kernel_arguments("nvme.io_queue_depth=2");
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let guest = &mut guest;
    out(guest, "mv /run/iodyno /root/iodyno");
    let said = out(guest, &format!("{PLAN} 2>&1"));
    let enable = said
        .lines()
        .find(|line| line.contains("systemctl enable --now"));
    out(guest, enable.unwrap_or_else(|| panic!("{said}")));
    let goes_on = rounds("IODYNO_LONG_STORIES", 0) > 0;
    let mut strays = 1;
    while goes_on || measured(&plan(guest)) < BOOTS {
        let wanted = next(guest);
        let before = measured(&plan(guest));
        // Once, somebody boots with something else: that boot is not measured, and asked for again.
        let words = match std::mem::take(&mut strays) {
            0 => wanted.clone(),
            _ => format!("{wanted} iodyno_stray=1"),
        };
        guest.reboot_with(&words).unwrap();
        if words != wanted {
            assert_eq!(next(guest), wanted);
            let plan = plan(guest);
            assert_eq!((measured(&plan), &plan["strays"]), (before, &1.into()));
            guest.reboot_with(&wanted).unwrap();
        }
        await_more_than(guest, before);
        if !plan(guest)["verdict"].is_null() {
            break;
        }
    }
    let plan = plan(guest);
    let values = |arm: u64| -> Vec<f64> {
        let boots = plan["boots"].as_array().unwrap().iter();
        let own = boots.filter(|boot| boot["arm"] == arm);
        own.map(|boot| boot["value"].as_f64().unwrap()).collect()
    };
    let (found, tried) = (values(0), values(1));
    assert!(
        tried
            .iter()
            .all(|tried| found.iter().all(|found| tried > found)),
        "{found:?} {tried:?}"
    );
    if goes_on {
        let verdict = &plan["verdict"];
        assert_eq!(
            (&verdict["verdict"], &verdict["arm"]),
            (&"better".into(), &"nvme.io_queue_depth=64".into())
        );
        // For whoever reads the story (`--nocapture`).
        let told = out(guest, "/root/iodyno boots /root/plan");
        println!("{said}\n{told}");
        assert!(
            told.contains("as found → nvme.io_queue_depth=64: +"),
            "{told}"
        );
    }
}
