//! Limits and weights of control groups of version 2: the device's own key is changed and put back, every other key and
//! line stays, also behind a killed tune.

use crate::support::guest_with_iodyno;
use lab::Machine;

/// Seconds that a step may take on a host with much other work.
const LIMIT_S: u64 = 900;

/// Two disks in memory, and a group with limits on both.
const GROUND: &str = "set -e\n\
    export IODYNO_STATE_DIR=/root/state NO_COLOR=1\n\
    modprobe null_blk nr_devices=2 gb=1 queue_mode=2\n\
    one=$(cat /sys/block/nullb0/dev) two=$(cat /sys/block/nullb1/dev)\n\
    cd /sys/fs/cgroup && echo +io >cgroup.subtree_control && mkdir g\n\
    echo \"$two wbps=1048576\" >g/io.max; echo \"$one rbps=2097152\" >g/io.max\n\
    sort g/io.max >/tmp/before; before() { sort g/io.max | diff - /tmp/before; }\n\
    iodyno() { /root/iodyno \"$@\"; }\n";

/// What is checked on that ground, and what the script has to say.
const STEPS: [(&str, &str, &str); 5] = [
    (
        "one key of one device",
        "iodyno set riops@/g=500 /dev/nullb0; cat g/io.max; grep \"$one rbps=2097152 wbps=max riops=500 wiops=max\" g/io.max\n\
         grep \"$two rbps=max wbps=1048576\" g/io.max; iodyno status; iodyno undo --all; before",
        "riops of the control group /g on nullb0  was max, is 500",
    ),
    (
        "a killed tune",
        "sh -c 'echo $$ >g/cgroup.procs && exec /root/iodyno tune /dev/nullb0 --knob rbps@self=max --budget 10m' &\n\
         tune=$!; for i in $(seq 600); do grep -q \"$one\" g/io.max || break; sleep 0.1; done\n\
         kill -9 $tune; wait $tune || true; iodyno status; iodyno undo; before",
        "rbps of the control group /g on nullb0",
    ),
    (
        "a weight under bfq",
        "modprobe bfq; iodyno set bfq_weight@/g=500 /dev/nullb0 2>&1 || true\n\
         echo bfq >/sys/block/nullb0/queue/scheduler; iodyno set bfq_weight@/g=500 /dev/nullb0; cat g/io.bfq.weight\n\
         grep \"$one 500\" g/io.bfq.weight; iodyno undo --all; cat g/io.bfq.weight; ! grep \"$one\" g/io.bfq.weight",
        "such weights act with bfq alone",
    ),
    (
        "a weight under io.cost",
        "iodyno set io_weight@/g=500 /dev/nullb0 2>&1 || true; echo \"$one enable=1\" >io.cost.qos\n\
         iodyno set io_weight@/g=500 /dev/nullb0; cat g/io.weight\n\
         grep \"$one 500\" g/io.weight; iodyno undo --all; cat g/io.weight; ! grep \"$one\" g/io.weight",
        "io.cost is not switched on for the disk",
    ),
    (
        "io.cost itself",
        "iodyno set io_cost@/=1 /dev/nullb0; cat io.cost.qos; grep \"$one enable=1\" io.cost.qos\n\
         iodyno status; iodyno undo --all; cat io.cost.qos; grep \"$one enable=0\" io.cost.qos",
        "io_cost of the control group / on nullb0  was 0, is 1",
    ),
];

#[test]
#[ignore = "lab"]
fn settings_of_a_group_of_version_2_are_put_back_in_a_guest() {
    let Some((mut guest, _turn)) = guest_with_iodyno(Machine::new()) else {
        return;
    };
    // Locks lie in a directory of that name.
    guest.run("mv /run/iodyno /root/iodyno", LIMIT_S).unwrap();
    let undone = "cd /; rmdir /sys/fs/cgroup/g; modprobe -r null_blk";
    for (name, step, told) in STEPS {
        let script = format!("{GROUND}trap '{undone}' EXIT\n{step}");
        let done = guest.run(&script, LIMIT_S).unwrap();
        let said = format!("{name}: {}{}", done.out, done.err);
        assert!(done.status == 0 && done.out.contains(told), "{said}");
    }
}
