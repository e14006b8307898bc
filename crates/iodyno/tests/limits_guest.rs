//! Limits of control groups of version 2, on file systems that account for write-back and on one that does not.

use crate::support::guest_with_iodyno;
use lab::Machine;
use serde_json::Value;

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 900;

/// A disk in memory with a file system on it, and what a limit does there.
const SCRIPT: &str = "export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n\
    modprobe null_blk gb=2 memory_backed=1 queue_mode=2 && mkfs.FS OPTIONS /dev/nullb0 >/dev/null && \
    mkdir -p /t && mount -t FS /dev/nullb0 /t && \
    /root/iodyno limit /t --write-bps 4m --runtime 2s --json >/mnt/lab/limit.json\n\
    status=$?; umount /t; modprobe -r null_blk; exit $status";

fn effects(guest: &mut lab::Guest, fs: &str, options: &str) -> (Value, Vec<(String, String)>) {
    let script = SCRIPT.replace("OPTIONS", options).replace("FS", fs);
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
fn version_2_holds_write_back_where_the_file_system_takes_part() {
    let Some((mut guest, _turn)) = guest_with_iodyno(Machine::new()) else {
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
    for (fs, options, buffered) in [("ext4", "-q -F", "behind-cache"), ("vfat", "", "passed-by")] {
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
