//! The binary for arm64 on a server of arm64: loads, layers, a tune, its proof applied and taken back, also after `kill -9`.

use crate::lab::persist::out;
use crate::live::verdicts::judged;
use crate::support::guest_with_iodyno;
use lab::{Guest, Machine};
use model::layers::{LayerSide, Span};
use model::record::RecordDocument;
use serde_json::Value;

/// A disk whose I/Os take 10 ms each, so that its rate is what is in flight at once, and how much that may be.
const DISK: &str = "modprobe null_blk nr_devices=1 gb=1 queue_mode=2 irqmode=2 completion_nsec=10000000 hw_queue_depth=64 && \
     udevadm settle && echo 4 >/sys/block/nullb0/queue/nr_requests && cat /sys/block/nullb0/queue/nr_requests";

fn requests(guest: &mut Guest) -> String {
    out(guest, "cat /sys/block/nullb0/queue/nr_requests")
}

fn document(guest: &mut Guest, words: &str) -> Value {
    out(
        guest,
        &format!("/root/iodyno {words} --json >/mnt/lab/said"),
    );
    serde_json::from_slice(&guest.get("said").unwrap()).unwrap()
}

#[test]
#[ignore = "lab"]
fn a_guest_of_arm64_loads_tunes_applies_and_takes_back() {
    let Some((mut guest, _turn)) = guest_with_iodyno(Machine::new().arm64()) else {
        return;
    };
    let guest = &mut guest;
    out(guest, "mv /run/iodyno /root/iodyno");
    assert_eq!(out(guest, "uname -m"), "aarch64");
    assert_eq!(out(guest, DISK), "4");
    // No DMI and no flag of the CPU: a device tree alone says that it is virtual.
    let inspected = document(guest, "inspect /dev/nullb0");
    let facts = &inspected["machine"]["facts"];
    assert_eq!(facts["cpu_model"], "Arm Neoverse-N1");
    assert_eq!(facts["hypervisor"], "unknown");
    loads_by_each_engine(guest);
    layers_are_timed_by_ebpf(guest);
    a_tune_is_applied_and_taken_back(guest);
    a_killed_tune_is_taken_back(guest);
    let status = out(guest, "/root/iodyno status");
    assert!(status.contains("Nothing is changed"), "{status}");
}

fn record(document: &Value) -> RecordDocument<'static> {
    serde_json::from_value(document["record"].clone()).unwrap()
}

fn loads_by_each_engine(guest: &mut Guest) {
    for engine in ["psync", "libaio", "io_uring"] {
        let words =
            format!("run /dev/nullb0 --ioengine {engine} --rw randread --iodepth 1 --runtime 2s");
        let record = record(&document(guest, &words));
        let load = record.load.unwrap();
        assert!(load.engine.starts_with(engine), "{}", load.engine);
        assert!(load.read.ios > 0 && load.errors.is_empty(), "{engine}");
        // The disk waits for 10 ms whatever the host does; buckets are 3 % wide.
        let least_ns = load.read.latency.quantile_ns(0.0);
        assert!(least_ns > Some(9_500_000), "{engine}: {least_ns:?} ns");
        assert_eq!(record.provenance.cpu, "2 × Arm Neoverse-N1");
    }
}

/// By the program for the kernel, which is the same for every architecture, and the types of this kernel.
fn layers_are_timed_by_ebpf(guest: &mut Guest) {
    let words = "run /dev/nullb0 --rw randread --iodepth 4 --runtime 2s --layers full";
    let layers = record(&document(guest, words)).layers.unwrap();
    assert_eq!(layers.devices[0].device, "nullb0");
    let times = layers.devices[0].times(LayerSide::Read, Span::D2C);
    assert!(times.is_some_and(|times| times.total() > 0), "{layers:?}");
}

fn a_tune_is_applied_and_taken_back(guest: &mut Guest) {
    let tuned = document(
        guest,
        "tune /dev/nullb0 --rw randread --iodepth 32 --numjobs 1 --knob nr_requests=4,64 --layers off --budget 240s",
    );
    let (outcome, figures) = judged(&tuned["record"]["trials"][0], "64");
    skip::measured(outcome, figures);
    assert_eq!(requests(guest), "4", "a tune puts back what it tried");
    if outcome == skip::Outcome::Won {
        out(guest, &format!("/root/iodyno apply {}", tuned["id"]));
        assert_eq!(requests(guest), "64");
        out(guest, "/root/iodyno undo --all");
    }
    assert_eq!(requests(guest), "4");
}

fn a_killed_tune_is_taken_back(guest: &mut Guest) {
    out(
        guest,
        "setsid /root/iodyno tune /dev/nullb0 --rw randread --knob nr_requests=4,64 --layers off --budget 10m </dev/null >/dev/null 2>&1 &
         tune=$!; until [ \"$(cat /sys/block/nullb0/queue/nr_requests)\" = 64 ]; do sleep 0.1; done
         kill -KILL $tune",
    );
    out(guest, "/root/iodyno undo --all");
    assert_eq!(requests(guest), "4");
}
