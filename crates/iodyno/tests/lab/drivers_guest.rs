//! Settings that a device has of its driver, and arrays: tried, kept and put back in a guest that has such devices.

use crate::lab::stories_guest::{TUNE_MS, keep, won};
use crate::support::guest_with_iodyno;
use lab::{Bus, Disk, Guest, Machine};

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 900;

fn run(guest: &mut Guest, script: &str) -> (i32, String) {
    let script = format!("export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n{script}");
    let done = guest.run(&script, LIMIT_S).unwrap();
    (done.status, format!("{}{}", done.out, done.err))
}

fn out(guest: &mut Guest, script: &str) -> String {
    let (status, said) = run(guest, script);
    assert_eq!(status, 0, "{script}: {said}");
    said.trim().to_string()
}

fn refused(guest: &mut Guest, script: &str, words: &str) {
    let (status, said) = run(guest, script);
    assert!(status != 0 && said.contains(words), "{script}: {said}");
}

#[test]
#[ignore = "lab"]
fn a_disk_s_depth_and_an_array_s_memory_are_tried_kept_and_put_back() {
    let buses = [Bus::Scsi, Bus::Uas];
    let machine = buses.iter().fold(Machine::new(), |machine, bus| {
        machine.disk(Disk::new(*bus, 64))
    });
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    // Locks lie in a directory of that name.
    out(&mut guest, "mv /run/iodyno /root/iodyno");
    let named = |guest: &mut Guest, depth: &str| {
        let files = "grep -lx {} /sys/block/sd*/device/queue_depth | cut -d/ -f4";
        out(guest, &files.replace("{}", depth))
    };
    let (disk, stick) = (named(&mut guest, "128"), named(&mut guest, "14"));
    the_depth_is_found_and_kept(&mut guest, &disk);
    let words = "this disk's driver lets nobody change it";
    refused(
        &mut guest,
        &format!("/root/iodyno set queue_depth=2 /dev/{stick}"),
        words,
    );
    let status = out(&mut guest, "/root/iodyno status");
    assert!(status.contains("Nothing is changed"), "{status}");
    an_array_has_settings_of_its_own(&mut guest);
}

/// A disk at 1, as after libata.force=noncq: the tune finds 32, udev keeps it, undo puts 1 back.
fn the_depth_is_found_and_kept(guest: &mut Guest, disk: &str) {
    let file = format!("/sys/block/{disk}/device/queue_depth");
    let depth = format!("cat {file}");
    out(guest, &format!("echo 1 >{file}"));
    let words = format!("/dev/{disk} --iodepth 32 --numjobs 1 --knob queue_depth=1,32");
    let proved = won(guest, &words, "32", TUNE_MS);
    assert_eq!(out(guest, &depth), "1");
    let Some((_, record)) = proved else { return };
    keep(guest, record);
    let rules = out(guest, "cat /etc/udev/rules.d/99-iodyno-*.rules");
    assert!(rules.contains("ATTR{device/queue_depth}=\"32\""), "{rules}");
    let again = format!(
        "echo 1 >{file}; udevadm control --reload; udevadm trigger --action=change /sys/block/{disk}; udevadm settle"
    );
    out(guest, &again);
    assert_eq!(
        out(guest, &depth),
        "32",
        "udev sets it when the disk appears"
    );
    out(guest, "/root/iodyno undo --all");
    assert_eq!(out(guest, &depth), "1");
    refused(
        guest,
        &format!("/root/iodyno set queue_depth=257 /dev/{disk}"),
        "from 1 to 256",
    );
}

fn an_array_has_settings_of_its_own(guest: &mut Guest) {
    let make = "modprobe brd rd_nr=3 rd_size=32768 && modprobe raid456 && \
                mdadm -C /dev/md0 -l5 -n3 -c64 --assume-clean --run --force /dev/ram0 /dev/ram1 /dev/ram2 </dev/null";
    out(guest, make);
    let all = "cd /sys/block/md0/md; grep . stripe_cache_size group_thread_cnt preread_bypass_threshold skip_copy";
    let before = out(guest, all);
    let set = "/root/iodyno set stripe_cache_size=1024 group_thread_cnt=2 skip_copy=1 /dev/md0";
    out(guest, set);
    out(
        guest,
        "/root/iodyno set preread_bypass_threshold=16 /dev/md0",
    );
    assert_eq!(
        out(guest, all),
        "stripe_cache_size:1024\ngroup_thread_cnt:2\npreread_bypass_threshold:16\nskip_copy:1"
    );
    out(guest, "/root/iodyno undo --all");
    assert_eq!(out(guest, all), before);
    // The kernel prints whose limit it is, and takes a number or `system`.
    let limits = "cd /sys/block/md0/md; grep . sync_speed_max sync_speed_min";
    let found = out(guest, limits);
    assert_eq!(found.matches("(system)").count(), 2, "{found}");
    out(guest, "echo 7000 >/sys/block/md0/md/sync_speed_min");
    out(
        guest,
        "/root/iodyno set sync_speed_max=5000 sync_speed_min=system /dev/md0",
    );
    let set = "sync_speed_max:5000 (local)\nsync_speed_min:1000 (system)";
    assert_eq!(out(guest, limits), set);
    out(guest, "/root/iodyno undo --all");
    let back = found.replace("1000 (system)", "7000 (local)");
    assert_eq!(out(guest, limits), back);
    refused(
        guest,
        "/root/iodyno set preread_bypass_threshold=257 /dev/md0",
        "from 0 to 256",
    );
    // Its members' queues act, not its own; what it has itself can be tried.
    refused(
        guest,
        "/root/iodyno set scheduler=none /dev/md0",
        "md0 spreads over ram0, ram1, ram2",
    );
    let words = "--rw randwrite --destroy-data --dry-run";
    let plan = out(guest, &format!("/root/iodyno tune /dev/md0 {words}"));
    assert!(plan.contains("256 against 1024, 4096"), "{plan}");
    assert!(
        plan.contains("scheduler, ") && plan.contains("not tried: md0 spreads over ram0"),
        "{plan}"
    );
}
