//! Stories of the field reports from the tune to the boots after it, in guests: proved there on their disks, kept for good, seen
//! in `status` after a reboot, and taken back.

use crate::lab::persist::{out, scheduler};
use crate::live::verdicts::judged;
use crate::support::guest_with_iodyno;
use lab::{Bus, Disk, Guest, Machine};
use serde_json::{Value, json};
use skip::Outcome;

/// Seconds that a tune may take on a host with much other work.
const LIMIT_S: u64 = 1_800;

/// What a tune gets, ms: one that is decided ends earlier.
pub const TUNE_MS: u64 = 480_000;

/// What a site keeps from an older system.
const SITE_RULE: &str = r#"ACTION=="add|change", KERNEL=="nvme0n1", ATTR{queue/scheduler}="bfq""#;

/// A look-up service: each query reads a record of 32 KiB, page after page, from a random place, and keeps nothing in memory. It
/// prints its rate once a second. 221 is fadvise64, 4 is POSIX_FADV_DONTNEED.
const LOOK_UPS: &str = r#"
use Fcntl; use Time::HiRes "time"; $| = 1;
sysopen(DISK, $ARGV[0], O_RDONLY) or die "no disk";
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

/// A program that polls on its CPU before anything else, four fifths of the time. 144 is sched_setscheduler, 1 SCHED_FIFO, and
/// interrupts that have threads have priority 50.
const POLLS: &str = r#"
use Time::HiRes qw(time usleep);
my $priority = pack("i", 60);
syscall(144, 0, 1, $priority) == 0 or die "no real-time priority";
while (1) { my $until = time + 0.012; 1 while time < $until; usleep(4000); }
"#;

/// Puts a program into the guest, as `/root/NAME.pl`.
pub fn put(guest: &mut Guest, name: &str, program: &str) {
    guest
        .put_bytes(program.as_bytes(), &format!("{name}.pl"))
        .unwrap();
    out(guest, &format!("cp /mnt/lab/{name}.pl /root/"));
}

/// Tunes the only knob of `words`, notes what came of it where `better` is better in truth, and gives the verdict and the number
/// of its record. None where that value did not win: there is nothing to keep then.
pub fn won(guest: &mut Guest, words: &str, better: &str, ms: u64) -> Option<(Value, i64)> {
    let script = format!(
        "export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n/root/iodyno tune {words} --layers off --budget {ms}ms --json >/mnt/lab/tuned"
    );
    let done = guest.run(&script, LIMIT_S).unwrap();
    let said = format!("{words}: {}{}", done.out, done.err);
    assert!(matches!(done.status, 0 | 6), "{}: {said}", done.status);
    let tuned: Value = serde_json::from_slice(&guest.get("tuned").unwrap()).unwrap();
    let trial = &tuned["record"]["trials"][0];
    let (outcome, figures) = judged(trial, better);
    skip::measured(outcome, figures);
    (outcome == Outcome::Won).then(|| (trial["verdict"].clone(), tuned["id"].as_i64().unwrap()))
}

/// Notes whether a value that won did so by as much as it is known to do.
pub fn gained(verdict: &Value, least: f64) {
    let effect = verdict["effect"].as_f64();
    let figures = format!("{effect:?}, of {least} at the least");
    skip::measured(Outcome::won_if(effect > Some(least)), figures);
}

/// A tune that is judged by a service in `/root/NAME.pl`.
pub fn by_service(target: &str, service: &str, knob: &str) -> String {
    format!("{target} --command '{service}' --metric-regex '(?<qps>[0-9.]+) qps' --knob {knob}")
}

/// Keeps what a record proved over the next boots. An emulated disk on a busy host is noisy: whether a gain lasts may stay
/// open, and keeping it needs a word then.
pub fn keep(guest: &mut Guest, record: i64) {
    let keep = format!("/root/iodyno apply {record} --persist --even-if-it-fades");
    out(guest, &keep);
}

#[test]
#[ignore = "lab"]
fn a_scheduler_read_ahead_and_interrupts_are_proved_and_kept_over_a_reboot_of_a_guest() {
    // The SATA adapter's interrupt is one that may be moved, and is a thread here, as on machines for real-time work.
    let machine = Machine::new()
        .disk(Disk::new(Bus::Nvme, 512).queues(2))
        .disk(Disk::new(Bus::Sata, 512))
        .kernel_arguments("threadirqs");
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

    // The server that got a scheduler with its new system.
    let words = "/dev/nvme0n1 --iodepth 16 --knob scheduler=none";
    let Some((_, record)) = won(guest, words, "none", TUNE_MS) else {
        return;
    };
    keep(guest, record);

    // The service whose queries went up from 27,000 to 34,000 a second: read-ahead reads much that nobody asks for, and without
    // any there are too many requests.
    guest
        .limit(0, &json!({"bps-total": 5_200_000, "iops-total": 600}))
        .unwrap();
    put(guest, "look_ups", LOOK_UPS);
    let words = by_service(
        "/dev/nvme0n1",
        "perl /root/look_ups.pl /dev/nvme0n1",
        "read_ahead_kb=0,16",
    );
    let Some((verdict, record)) = won(guest, &words, "16", TUNE_MS) else {
        return;
    };
    assert_eq!(verdict["metric"]["name"], "qps");
    gained(&verdict, 0.5);
    keep(guest, record);

    // And then to 39,000 with its interrupts on other CPUs.
    if !are_interrupts_moved(guest) {
        return;
    }

    guest.reboot().unwrap();
    assert_eq!(found(guest), ("none".into(), "16".into()));
    assert_eq!(out(guest, INTERRUPTS_CPU), "0");
    let status = out(guest, "/root/iodyno status");
    for told in ["was bfq, is none", "was 128, is 16", "smp_affinity_list"] {
        assert!(status.contains(told), "{status}");
    }
    out(guest, "/root/iodyno undo --all");
    guest.reboot().unwrap();
    assert_eq!(found(guest), ("bfq".into(), "128".into()));
    assert_eq!(out(guest, INTERRUPTS_CPU), "0-1");
    let nothing = out(guest, "/root/iodyno undo --all");
    assert!(nothing.contains("Nothing to undo"), "{nothing}");
}

/// The CPUs of the adapter that the SATA disk hangs on.
const INTERRUPTS_CPU: &str = "cat /proc/irq/*/ahci*00:07*/../smp_affinity_list";

/// Disk interrupts come to the CPU that a poller with real-time priority has, and wait for it; whether the tune saw that.
fn are_interrupts_moved(guest: &mut Guest) -> bool {
    let disk = guest.disk(1).unwrap();
    put(guest, "polls", POLLS);
    let begin = "for file in /proc/irq/*/ahci*00:07*/../smp_affinity_list; do echo 1 >$file; done\n\
                 taskset -c 1 perl /root/polls.pl >/dev/null 2>&1 & echo $! >/root/poller";
    out(guest, begin);
    let service = format!("taskset -c 0 perl /root/look_ups.pl {disk}");
    let words = by_service(&disk, &service, "smp_affinity_list=0");
    let proved = won(guest, &words, "0", TUNE_MS);
    out(guest, "kill $(cat /root/poller)");
    let Some((verdict, record)) = proved else {
        return false;
    };
    gained(&verdict, 1.0);
    keep(guest, record);
    true
}
