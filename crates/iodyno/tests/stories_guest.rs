//! Two stories of the field reports from the tune to the boots after it, in a guest: proved there on its disk, kept for good, seen
//! in `status` after a reboot, and taken back.

use crate::persist::{out, scheduler};
use crate::support::{guest_with_iodyno, with_more_time};
use lab::{Bus, Disk, Guest, Machine};
use serde_json::{Value, json};

/// Seconds that a tune may take on a host with much other work.
const LIMIT_S: u64 = 1_800;

/// What a site keeps from an older system.
const SITE_RULE: &str = r#"ACTION=="add|change", KERNEL=="nvme0n1", ATTR{queue/scheduler}="bfq""#;

/// A look-up service: each query reads a record of 32 KiB, page after page, from a random place, and keeps nothing in memory. It
/// prints its rate once a second. 221 is fadvise64, 4 is POSIX_FADV_DONTNEED.
const LOOK_UPS: &str = r#"
use Fcntl; use Time::HiRes "time"; $| = 1;
sysopen(DISK, "/dev/nvme0n1", O_RDONLY) or die "no disk";
my ($queries, $since) = (0, time);
while (1) {
    syscall(221, fileno(DISK), 0, 0, 4);
    my $record = int(rand(15000)) * 32768;
    for my $page (0 .. 7) {
        sysseek(DISK, $record + $page * 4096, 0);
        sysread(DISK, my $bytes, 4096) == 4096 or die "no page";
    }
    $queries++;
    my $now = time;
    if ($now - $since >= 1) { printf "%.1f qps\n", $queries / ($now - $since); ($queries, $since) = (0, $now); }
}
"#;

/// A tune's verdict on its first knob, which must have won, and the number of its record.
fn tuned(guest: &mut Guest, words: &str) -> (Value, i64) {
    let said = with_more_time(600_000, |budget_ms| {
        let script = format!(
            "export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n/root/iodyno tune /dev/nvme0n1 {words} --budget {budget_ms}ms --json >/mnt/lab/tuned"
        );
        let done = guest.run(&script, LIMIT_S).unwrap();
        let said = format!("{}{}", done.out, done.err);
        match done.status {
            0 => Ok(said),
            6 => Err(said),
            status => panic!("{words}: {status}: {said}"),
        }
    });
    let tuned: Value = serde_json::from_slice(&guest.get("tuned").unwrap()).unwrap();
    let verdict = tuned["record"]["trials"][0]["verdict"].clone();
    assert_eq!(verdict["verdict"], "better", "{words}: {said}");
    (verdict, tuned["id"].as_i64().unwrap())
}

#[test]
fn a_scheduler_and_read_ahead_are_proved_and_kept_over_a_reboot_of_a_guest() {
    let machine = Machine::new().disk(Disk::new(Bus::Nvme, 512).queues(2));
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let guest = &mut guest;
    // Locks lie in a directory of that name.
    out(guest, "mv /run/iodyno /root/iodyno");
    out(
        guest,
        &format!("echo '{SITE_RULE}' >/etc/udev/rules.d/60-site.rules"),
    );
    guest.reboot().unwrap();
    let read_ahead = "cat /sys/block/nvme0n1/queue/read_ahead_kb";
    let found = |guest: &mut Guest| (scheduler(guest), out(guest, read_ahead));
    assert_eq!(found(guest), ("bfq".into(), "128".into()));

    // An emulated disk on a busy host is noisy: whether a gain lasts may stay open, and keeping it needs a word then.
    // The server that got a scheduler with its new system.
    let words = "--iodepth 16 --knob scheduler=none --layers off";
    let (verdict, record) = tuned(guest, words);
    assert_eq!(verdict["arm"], "none");
    out(
        guest,
        &format!("/root/iodyno apply {record} --persist --even-if-it-fades"),
    );

    // The service whose queries went up from 27,000 to 34,000 a second: read-ahead reads much that nobody asks for, and without
    // any there are too many requests.
    guest
        .limit(0, &json!({"bps-total": 5_200_000, "iops-total": 600}))
        .unwrap();
    guest.put_bytes(LOOK_UPS.as_bytes(), "look_ups.pl").unwrap();
    out(guest, "cp /mnt/lab/look_ups.pl /root/");
    let words = "--command 'perl /root/look_ups.pl' --metric-regex '(?<qps>[0-9.]+) qps' \
                 --knob read_ahead_kb=0,16 --layers off";
    let (verdict, record) = tuned(guest, words);
    assert_eq!(verdict["arm"], "16", "{verdict:#}");
    assert_eq!(verdict["metric"]["name"], "qps");
    assert!(verdict["effect"].as_f64().unwrap() > 0.5, "{verdict:#}");
    out(
        guest,
        &format!("/root/iodyno apply {record} --persist --even-if-it-fades"),
    );

    guest.reboot().unwrap();
    assert_eq!(found(guest), ("none".into(), "16".into()));
    let status = out(guest, "/root/iodyno status");
    for told in ["was bfq, is none", "was 128, is 16"] {
        assert!(status.contains(told), "{status}");
    }
    out(guest, "/root/iodyno undo --all");
    guest.reboot().unwrap();
    assert_eq!(found(guest), ("bfq".into(), "128".into()));
    let nothing = out(guest, "/root/iodyno undo --all");
    assert!(nothing.contains("Nothing to undo"), "{nothing}");
}
