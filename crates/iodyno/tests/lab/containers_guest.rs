//! A container under version 2 of control groups, named by its id: its volume, which it alone has under that name, is found
//! outside, and a load stays within its limit. The lab's guests have no podman: a process with mounts and a group like a
//! container's stands for one.

use crate::support::{DISK_IN_MEMORY, guest_with_iodyno};
use lab::Machine;
use serde_json::Value;

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 900;

const ID: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";

/// A disk in memory, a container that has a directory of it at /inner, and two loads of that.
const SCRIPT: &str = "export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n\
    DISK && echo 1 >$nullb/power && mkfs.ext4 -q -F /dev/nullb0 && mkdir -p /t /inner && \
    mount /dev/nullb0 /t && mkdir /t/volume || exit 1\n\
    cd /sys/fs/cgroup && echo '+io +memory' >cgroup.subtree_control && mkdir machine && \
    echo '+io +memory' >machine/cgroup.subtree_control && mkdir machine/libpod-@.scope machine/libpod-conmon-@.scope || exit 1\n\
    echo \"$(cat /sys/block/nullb0/dev) wbps=4194304\" >machine/libpod-@.scope/io.max || exit 1\n\
    sleep 1000 & echo $! >machine/libpod-conmon-@.scope/cgroup.procs\n\
    unshare -m sh -c 'mount --bind /t/volume /inner && exec sleep 1000' & container=$!\n\
    echo $container >machine/libpod-@.scope/cgroup.procs; sleep 1; cd /\n\
    /root/iodyno inspect /inner --container @ --json >/mnt/lab/path.json || exit 1\n\
    /root/iodyno run /inner --container $container --json -- -rw=write -bs=1M -size=64M -direct=1 -runtime=3 -time_based >/mnt/lab/run.json";

#[test]
#[ignore = "lab"]
fn a_container_under_version_2_is_found_by_its_id_and_loaded_within_its_limit() {
    let Some((mut guest, _turn)) = guest_with_iodyno(Machine::new().virtual_time()) else {
        return;
    };
    // Locks lie in a directory of that name.
    guest.run("mv /run/iodyno /root/iodyno", LIMIT_S).unwrap();
    let done = guest
        .run(
            &SCRIPT.replace("DISK", DISK_IN_MEMORY).replace('@', ID),
            LIMIT_S,
        )
        .unwrap();
    assert_eq!(done.status, 0, "{}{}", done.out, done.err);
    let document =
        |name: &str| -> Value { serde_json::from_slice(&guest.get(name).unwrap()).unwrap() };
    let path = document("path.json");
    let facts = &path["machine"]["facts"];
    assert_eq!(path["target"], "/t/volume");
    assert_eq!(facts["io_limits"], "nullb0 wbps 4194304", "{facts:#}");
    let group = format!("/machine/libpod-{ID}.scope");
    assert_eq!(facts["io_limits_from"], group, "{facts:#}");
    let run = document("run.json");
    let written = run["record"]["load"]["write"]["bytes"].as_f64().unwrap() / 3.0;
    let share = written / f64::from(4 << 20);
    // The last request of 1 MiB may be under way: 11 of 12 in three seconds.
    assert!((0.9..1.05).contains(&share), "{share}: {run:#}");
}
