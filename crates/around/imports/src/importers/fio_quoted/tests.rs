//! Tables and sentences.

use crate::import;
use model::imported::Imported;

fn read(text: &str) -> Vec<Imported> {
    import("x", &mut text.as_bytes()).unwrap().results
}

/// Direction, IOPS and bytes per second of each side.
fn sides(found: &Imported) -> Vec<(&'static str, Option<f64>, Option<f64>)> {
    let load = found.load.as_ref().unwrap();
    load.sides()
        .map(|(name, side)| (name, side.iops, side.bytes_per_s))
        .collect()
}

#[test]
fn a_table_of_devices_by_command_lines() {
    let text = "Old disks against new:\n\n| | sdb (HDD) | nvme0n1 |\n|---|---|---|\n\
                | fio -bs=4k -rw=randread -direct=1 | IOPS=180, BW=720KiB/s | IOPS=250k, BW=977MiB/s |\n\
                | fio -bs=8k -rw=randwrite | BW=1440KiB/s, IOPS=180 | not run |\n";
    let found = read(text);
    assert_eq!(found.len(), 3);
    assert_eq!(
        sides(&found[0]),
        [("read", Some(180.0), Some(720.0 * 1024.0))]
    );
    assert_eq!(
        sides(&found[1]),
        [("read", Some(250_000.0), Some(977.0 * 1_048_576.0))]
    );
    assert_eq!(
        sides(&found[2]),
        [("write", Some(180.0), Some(1440.0 * 1024.0))]
    );
    assert_eq!(
        (
            found[1].facts["model"].as_str(),
            found[1].facts["direct"].as_str()
        ),
        ("nvme0n1", "1")
    );
    assert_eq!(
        (found[2].facts["bs"].as_str(), found[2].lines),
        ("8k", Some((6, 6)))
    );
}

#[test]
fn kb_is_decided_by_the_block_size_and_said() {
    let table = |cell: &str| format!("|  | disk |\n|---|---|\n| fio -bs=4k -rw=read | {cell} |\n");
    let kib = &read(&table("bw=36636KB/s, iops=9159"))[0];
    assert_eq!(
        sides(kib),
        [("read", Some(9_159.0), Some(36_636.0 * 1024.0))]
    );
    assert!(kib.units[0].starts_with("KB/s is KiB/s"), "{:?}", kib.units);
    let kb = &read(&table("bw=37515KB/s, iops=9159"))[0];
    assert_eq!(sides(kb)[0].2, Some(37_515_000.0));
    assert!(kb.units[0].contains("1000 bytes/s"), "{:?}", kb.units);
    let open = &read(&table("bw=37515KB/s"))[0];
    assert!(open.units[0].contains("2.4 % more"), "{:?}", open.units);
}

#[test]
fn sentences_with_figures_and_options() {
    let text = "We ran fio again with numjobs=4 and got IOPS=45.2k, BW=177MiB/s; with numjobs=50 only IOPS=8104,BW=31.7MiB/s.\n\
                write: IOPS=1059, read:IOPS=2482 on the other one.\n";
    let found = read(text);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert_eq!(
        sides(&found[0]),
        [("mixed", Some(45_200.0), Some(177.0 * 1_048_576.0))]
    );
    assert_eq!(
        (
            found[0].facts["numjobs"].as_str(),
            found[1].facts["numjobs"].as_str()
        ),
        ("4", "50")
    );
    assert_eq!(
        sides(&found[2]),
        [
            ("read", Some(2_482.0), None),
            ("write", Some(1_059.0), None)
        ]
    );
    assert!(
        found[0]
            .lossy
            .iter()
            .any(|why| why.contains("whether it read or wrote"))
    );
}

#[test]
fn the_only_command_line_lends_its_direction_and_says_so() {
    let text =
        "fio -rw=randwrite -bs=16k -ioengine=libaio -name=x\nThe result: IOPS=8104, BW=126MiB/s\n";
    let found = read(text);
    assert_eq!((found.len(), sides(&found[0])[0].0), (1, "write"));
    assert!(
        found[0].lossy.iter().any(|why| why.contains("line 1")),
        "{:?}",
        found[0].lossy
    );
    // With two of them nobody knows whose the figure is.
    let found = read(&format!("fio -rw=read -bs=4k -name=y\n{text}"));
    assert_eq!(sides(&found[0])[0].0, "mixed");
}

#[test]
fn promises_limits_and_other_programs_are_left_alone() {
    for text in [
        "fio is fine. The vendor promises up to 100,000 IOPS and 350 MB/s.\n",
        "fio: if IOPS were 1000 the latency would be 1 ms\n",
        "| type | IOPS | MB/s |\n|---|---|---|\n| ssd | 25,000 | 300 |\n",
        "max_iops=5 and R=3 in our configuration of fio\n",
        "iops=500\n",
    ] {
        assert_eq!(read(text), [], "{text}");
    }
}

#[test]
fn what_is_told_twice_is_one_result() {
    let text =
        "fio says IOPS=8104, BW=31.7MiB/s.\nAs said, IOPS=8104, BW=31.7MiB/s with numjobs=50.\n";
    let found = read(text);
    assert_eq!((found.len(), found[0].facts["numjobs"].as_str()), (1, "50"));
    assert!(
        found[0]
            .lossy
            .iter()
            .any(|why| why == "told again on line 2")
    );
}

#[test]
fn a_command_line_without_an_engine_has_fios_default_where_others_name_theirs() {
    let text = "|  | disk |\n|---|---|\n| fio -ioengine=libaio -bs=4k -direct=1 | IOPS=300 |\n\
                | fio -bs=4k -direct=1 | IOPS=200 |\n";
    let found = read(text);
    let engines: Vec<&str> = found
        .iter()
        .map(|one| one.facts["ioengine"].as_str())
        .collect();
    assert_eq!(engines, ["libaio", "psync"]);
    assert!(
        found[1].lossy.iter().any(|why| why.contains("psync")),
        "{:?}",
        found[1].lossy
    );
    let alone = read("|  | disk |\n|---|---|\n| fio -bs=4k -direct=1 | IOPS=200 |\n");
    assert!(!alone[0].facts.contains_key("ioengine"), "nothing tells");
}
