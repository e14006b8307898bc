//! Limits of control groups of version 2, on file systems that account for write-back and on one that does not.

use crate::support::{DISK_IN_MEMORY, guest_with_iodyno};
use lab::Machine;
use serde_json::Value;

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 900;

/// A disk in memory with a file system on it, and what a limit does there.
const SCRIPT: &str = "export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n\
    DISK && echo 1 >$nullb/power && mkfs.FS OPTIONS /dev/nullb0 >/dev/null && \
    mkdir -p /t && mount -t FS /dev/nullb0 /t && \
    /root/iodyno limit /t --write-bps 4m --runtime 2s --json >/mnt/lab/limit.json\n\
    status=$?; umount /t; rmdir $nullb; modprobe -r null_blk; exit $status";

fn effects(guest: &mut lab::Guest, fs: &str, options: &str) -> (Value, Vec<(String, String)>) {
    let script = SCRIPT
        .replace("DISK", DISK_IN_MEMORY)
        .replace("OPTIONS", options)
        .replace("FS", fs);
    let done = guest.run(&script, LIMIT_S).unwrap();
    assert_eq!(done.status, 0, "{fs}: {}{}", done.out, done.err);
    let report: Value = serde_json::from_slice(&guest.get("limit.json").unwrap()).unwrap();
    let ways = report["limits"][0]["ways"].as_array().unwrap();
    let word = |way: &Value, key: &str| way[key].as_str().unwrap().to_string();
    let effects = ways
        .iter()
        .map(|way| (word(way, "way"), word(way, "effect")))
        .collect();
    (report, effects)
}

#[test]
#[ignore = "lab"]
fn version_2_holds_write_back_where_the_file_system_takes_part() {
    let Some((mut guest, _turn)) = guest_with_iodyno(Machine::new().virtual_time()) else {
        return;
    };
    // Locks lie in a directory of that name.
    guest.run("mv /run/iodyno /root/iodyno", LIMIT_S).unwrap();
    let wanted = |buffered: &str| {
        let each = [
            ("direct", "held"),
            ("buffered", buffered),
            ("fsync", "held"),
            ("mmap", buffered),
            ("foreign", "passed-by"),
        ];
        each.map(|(way, effect)| (way.to_string(), effect.to_string()))
            .to_vec()
    };
    let each = [
        ("ext4", "-q -F", "behind-cache"),
        ("xfs", "-q -f", "behind-cache"),
        ("btrfs", "-q -f", "behind-cache"),
        ("vfat", "", "passed-by"),
    ];
    for (fs, options, buffered) in each {
        let (report, found) = effects(&mut guest, fs, options);
        assert_eq!(found, wanted(buffered), "{fs}: {report:#}");
        assert_eq!(report["version"], 2);
    }
    let left = "cat /sys/fs/cgroup/cgroup.subtree_control; ls -d /sys/fs/cgroup/iodyno-group-* 2>/dev/null";
    let left = guest.run(left, LIMIT_S).unwrap();
    assert!(!left.out.contains("iodyno"), "{}", left.out);
    assert!(
        !left.out.contains("io"),
        "what was handed down is taken back: {}",
        left.out
    );
}

/// Two groups whose weights are as one to four, under bfq and then under io.cost, on a disk that does one I/O at a time. Of
/// the two requests that its scheduler would have, bfq could not choose: both groups got half. An emulated CPU with little
/// of the host completes 400 I/Os a second, and then nobody waits for the disk: it does 125.
const WEIGHTS: &str = "export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n\
    DISK && echo 2 >$nullb/irqmode && echo 8000000 >$nullb/completion_nsec && echo 1 >$nullb/hw_queue_depth || exit 1\n\
    echo 1 >$nullb/power && mkfs.ext4 -q -F /dev/nullb0 500m && mkdir -p /t && mount /dev/nullb0 /t && modprobe bfq || exit 1\n\
    share() { /root/iodyno limit /t --containers 2 --weights 100,400 --runtime 8s --json >/mnt/lab/$1.json; }\n\
    cd /sys/block/nullb0/queue && echo bfq >scheduler && echo 64 >nr_requests && share bfq && echo none >scheduler || exit 1\n\
    disk=$(cat /sys/block/nullb0/dev); iops='rseqiops=60 rrandiops=60 wseqiops=60 wrandiops=60'\n\
    echo \"$disk ctrl=user model=linear rbps=9000000 wbps=9000000 $iops\" >/sys/fs/cgroup/io.cost.model || exit 1\n\
    /root/iodyno set io_cost@/=1 /t && share cost && /root/iodyno undo || exit 1\n\
    grep -v enable=1 /sys/fs/cgroup/io.cost.qos";

#[test]
#[ignore = "lab"]
fn weights_of_version_2_are_kept_by_bfq_and_by_io_cost_in_a_guest() {
    let Some((mut guest, _turn)) = guest_with_iodyno(Machine::new().virtual_time()) else {
        return;
    };
    guest.run("mv /run/iodyno /root/iodyno", LIMIT_S).unwrap();
    let script = WEIGHTS.replace("DISK", DISK_IN_MEMORY);
    let done = guest.run(&script, LIMIT_S).unwrap();
    assert_eq!(done.status, 0, "{}{}", done.out, done.err);
    for (name, by) in [("bfq", "bfq"), ("cost", "io-cost")] {
        let text = guest.get(&format!("{name}.json")).unwrap();
        let report: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(report["weights_by"], by, "{report:#}");
        let shares = report["at_once"][0]["shares"].as_array().unwrap();
        let bytes = |index: usize| shares[index]["moved"]["bytes"].as_f64().unwrap();
        let heavy = bytes(1) / (bytes(0) + bytes(1));
        assert!((heavy - 0.8).abs() < 0.1, "{heavy}: {report:#}");
    }
}
