//! A disk that somebody throttles: the causes and `iodyno cloud` on what was measured there.

use crate::support::guest_with_iodyno;
use diagnose::{Scene, causes_of};
use lab::{Bus, Disk, Guest, Machine};
use model::check::{Probe, Role};
use model::frame::Frame;
use model::record::Record;
use serde_json::Value;

const LIMIT_S: u64 = 300;

/// A random read load of some seconds on the guest's disk, and the number of its record.
fn measured(guest: &mut Guest, disk: &str, depth: u32) -> (Record, i64) {
    let run = format!(
        "export IODYNO_STATE_DIR=/run/state NO_COLOR=1\n\
         /run/iodyno run {disk} --layers off --json -- -rw=randread -bs=4k -direct=1 -ioengine=libaio -iodepth={depth} \
         -time_based -runtime=6 > /mnt/lab/ran"
    );
    let done = guest.run(&run, LIMIT_S).unwrap();
    assert_eq!(done.status, 0, "{done:?}");
    let document: Value = serde_json::from_slice(&guest.get("ran").unwrap()).unwrap();
    (
        serde_json::from_value(document["record"].clone()).unwrap(),
        document["id"].as_i64().unwrap(),
    )
}

fn probe(record: &Record) -> Probe {
    let load = record.load().cloned().unwrap();
    Probe {
        role: Role::Depth,
        job: record.job.clone(),
        load,
        frame: Frame::default(),
        layers: None,
        tasks: None,
        start_ms: 0,
    }
}

#[test]
#[ignore = "lab"]
fn a_throttled_disk_is_seen_to_be_capped_and_a_free_one_is_not() {
    let machine = Machine::new()
        .disk(Disk::new(Bus::Virtio, 256).iops(400))
        .disk(Disk::new(Bus::Virtio, 256));
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let found = |guest: &mut Guest, number: usize| {
        let disk = guest.disk(number).unwrap();
        let loads = [8, 32].map(|depth| measured(guest, &disk, depth));
        let probes = [probe(&loads[0].0), probe(&loads[1].0)];
        let scene = Scene {
            path: &loads[1].0.path,
            probes: &probes,
            promise: None,
        };
        let found = causes_of(&scene)
            .into_iter()
            .any(|finding| finding.rule == "rate_capped_outside");
        (found, loads[1].0.load().unwrap().iops(), loads[1].1)
    };
    // An emulated CPU of a busy host stands still for whole moments, and the rate is not flat then.
    let attempt = |guest: &mut Guest| {
        let (is_found, iops, id) = found(guest, 0);
        println!("{iops:.1} IOPS, found: {is_found}");
        let show = format!("IODYNO_STATE_DIR=/run/state /run/iodyno cloud --record {id}");
        let done = guest.run(&show, LIMIT_S).unwrap();
        assert_eq!(done.status, 0, "{done:?}");
        (is_found && done.out.contains(" IOPS (")).then_some(iops)
    };
    let capped = (0..5).find_map(|_| attempt(&mut guest));
    let iops = capped.expect("the cap was not seen in five attempts");
    assert!(iops < 600.0, "{iops}");
    let is_free = (0..5)
        .map(|_| found(&mut guest, 1))
        .any(|(is_found, ..)| !is_found);
    assert!(
        is_free,
        "a disk without a limit was taken for capped five times"
    );
}
