//! More stories of the field reports from the tune to the boots after it: a web server's file system, whose reads write access
//! times, a container host whose limits of dirty pages are tiny, and one whose scheduler idles.

use crate::lab::persist::out;
use crate::lab::stories_guest::{TUNE_MS, gained, keep, put, won};
use crate::support::{guest_with_iodyno, rounds};
use lab::{Bus, Disk, Guest, Machine};
use serde_json::json;

/// A file system of the site's own at /srv, which is mounted at each boot with these options.
fn make_srv(guest: &mut Guest, options: &str) {
    let disk = guest.disk(0).unwrap();
    out(
        guest,
        &format!(
            "mv /run/iodyno /root/iodyno; mkfs.ext4 -q -L site {disk}\n\
             echo 'LABEL=site /srv ext4 {options} 0 2' >>/etc/fstab"
        ),
    );
}

/// A visit reads forty pages, which memory holds, and writes a line of a log that must be safe. A run is a few visits.
const VISITS: &str = r#"
use IO::Handle;
open(LOG, ">>", "/srv/log") or die "no log";
for (1 .. 6) {
    for (1 .. 40) {
        my $page = int(rand(800));
        open(PAGE, "<", "/srv/pages/$page") or die "no page";
        read(PAGE, my $text, 4096);
        close(PAGE);
    }
    syswrite(LOG, "a visit\n");
    LOG->sync or die "no sync";
}
"#;

/// The settings that the story is about, as the site has them.
const FOUND: &str = "cat /sys/block/sda/queue/rq_affinity\n\
                     findmnt -no OPTIONS /srv | grep -o 'relatime\\|noatime' || echo strictatime";

#[test]
#[ignore = "lab"]
fn access_times_are_proved_and_kept_over_a_reboot_of_a_guest() {
    let machine = Machine::new().disk(Disk::new(Bus::Sata, 512)).systemd();
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let guest = &mut guest;
    make_srv(guest, "strictatime");
    guest.reboot().unwrap();
    assert_eq!(out(guest, FOUND), "1\nstrictatime");

    // The report's first run saw a gain, and its later ones none: there is none.
    completion_makes_no_difference(guest);

    // Each visit makes forty inodes dirty, and its log line waits for all of them.
    put(guest, "visits", VISITS);
    out(
        guest,
        "mkdir /srv/pages; for page in $(seq 0 799); do echo page $page >/srv/pages/$page; done; sync",
    );
    guest
        .limit(0, &json!({"bps-total": 1_500_000, "iops-total": 2_000}))
        .unwrap();
    let words =
        "/srv --command 'perl /root/visits.pl' --run-again --metric duration --knob atime=noatime";
    let Some((verdict, record)) = won(guest, words, "noatime", TUNE_MS) else {
        return;
    };
    assert_eq!(verdict["metric"]["name"], "duration");
    guest.limit(0, &json!({})).unwrap();
    out(
        guest,
        &format!("/root/iodyno apply {record} --persist --write-proposal --even-if-it-fades"),
    );

    guest.reboot().unwrap();
    assert_eq!(out(guest, FOUND), "1\nnoatime");
    let status = out(guest, "/root/iodyno status");
    assert!(status.contains("was strictatime, is noatime"), "{status}");
    out(guest, "/root/iodyno undo --all");
    guest.reboot().unwrap();
    assert_eq!(out(guest, FOUND), "1\nstrictatime");
}

/// Two ways to complete a request are the same, to a tenth.
fn completion_makes_no_difference(guest: &mut Guest) {
    let words = "/dev/sda --iodepth 16 --rope 10% --knob rq_affinity=2";
    won(guest, words, "1", TUNE_MS);
}

/// A setting that goes on acting for a minute needs nine of them to be proved: the long form alone (`make stories`) has it.
#[test]
#[ignore = "lab"]
fn tiny_limits_of_dirty_pages_are_proved_and_kept_over_a_reboot_of_a_guest() {
    if rounds("IODYNO_LONG_STORIES", 0) == 0 {
        return;
    }
    let machine = Machine::new().disk(Disk::new(Bus::Sata, 512)).systemd();
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let guest = &mut guest;
    make_srv(guest, "defaults");
    let site = "vm.dirty_background_bytes = 524288\nvm.dirty_bytes = 1048576";
    out(guest, &format!("echo '{site}' >/etc/sysctl.d/60-site.conf"));
    guest.reboot().unwrap();
    let found = "sysctl -n vm.dirty_background_bytes vm.dirty_bytes";
    assert_eq!(out(guest, found), "524288\n1048576");

    // A container writes the same pages again and again, and is slowed down to the disk's speed each time.
    guest.limit(0, &json!({"iops-total": 500})).unwrap();
    let words =
        "/srv --rw randwrite --direct 0 --size 4m --iodepth 1 --knob vm.dirty_bytes=67108864";
    let Some((verdict, record)) = won(guest, words, "67108864", TUNE_MS) else {
        return;
    };
    gained(&verdict, 0.5);
    guest.limit(0, &json!({})).unwrap();
    keep(guest, record);

    guest.reboot().unwrap();
    assert_eq!(out(guest, found), "524288\n67108864");
    let status = out(guest, "/root/iodyno status");
    assert!(status.contains("was 1048576, is 67108864"), "{status}");
    out(guest, "/root/iodyno undo --all");
    guest.reboot().unwrap();
    assert_eq!(out(guest, found), "524288\n1048576");
    let nothing = out(guest, "/root/iodyno undo --all");
    assert!(nothing.contains("Nothing to undo"), "{nothing}");
}

/// Two containers that read the disk, each in a group of its own, for as long as the file is there.
const CONTAINERS: &str = "cd /sys/fs/cgroup; echo +io >cgroup.subtree_control; touch /root/reading\n\
    for name in service backup; do mkdir $name; (\n\
        echo $BASHPID >$name/cgroup.procs\n\
        while [ -e /root/reading ]; do dd if=/dev/sda of=/dev/null bs=4k iflag=direct; done\n\
    ) >/dev/null 2>&1 & done";

/// What idling costs is the time that a container takes until it asks again, in which the disk could have served the other. It shows
/// only while the guest's CPUs, emulated as they are, have more to give than the disk, so an I/O takes 1 ms there, and the next one
/// waits for it: what a disk does at once, bfq sends to it all the same.
#[test]
#[ignore = "lab"]
fn idling_between_containers_is_proved_and_kept_over_a_reboot_of_a_guest() {
    if rounds("IODYNO_LONG_STORIES", 0) == 0 {
        return;
    }
    let machine = Machine::new()
        .disk(Disk::new(Bus::Sata, 512).latency_us(1000))
        .systemd();
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let guest = &mut guest;
    let rule = r#"ACTION=="add|change", KERNEL=="sda", ATTR{device/queue_depth}="1", ATTR{queue/scheduler}="bfq", ATTR{queue/iosched/low_latency}="0""#;
    out(
        guest,
        &format!("mv /run/iodyno /root/iodyno; echo '{rule}' >/etc/udev/rules.d/60-site.rules"),
    );
    guest.reboot().unwrap();
    let found = "cat /sys/block/sda/queue/iosched/slice_idle_us";
    assert_eq!(out(guest, found), "8000");

    // A service in one container and a backup in another: bfq waits for the next request of the one, although the other has
    // some, on flash too. Nothing but them is measured.
    out(guest, CONTAINERS);
    let words = "/dev/sda --ioengine none --metric device_iops --knob slice_idle_us=0";
    let Some((verdict, record)) = won(guest, words, "0", TUNE_MS) else {
        return;
    };
    gained(&verdict, 0.1);
    out(guest, "rm /root/reading; pkill dd");
    keep(guest, record);

    guest.reboot().unwrap();
    assert_eq!(out(guest, found), "0");
    let status = out(guest, "/root/iodyno status");
    assert!(status.contains("was 8000, is 0"), "{status}");
    out(guest, "/root/iodyno undo --all");
    guest.reboot().unwrap();
    assert_eq!(out(guest, found), "8000");
}
