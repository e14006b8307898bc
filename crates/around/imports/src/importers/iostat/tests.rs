//! Tables of several versions.

use super::*;
use crate::printed::fixtures::{imported, only, series, values};

#[test]
fn the_columns_of_12_with_times() {
    let found = only("iostat/12.6.1-x-t.txt");
    assert_eq!(found.facts["kernel"], "6.18.44-fc-v657");
    assert_eq!(
        (found.facts["cpus"].as_str(), found.lines),
        ("2", Some((1, 24)))
    );
    assert_eq!(
        values(&found, "disk.reads_per_s", "vda"),
        [Some(15732.0), Some(13179.0)]
    );
    assert_eq!(
        series(&found, "disk.reads_per_s", "vda").time_ms,
        [1_000.0, 2_000.0]
    );
    assert_eq!(
        values(&found, "disk.read_bytes_per_s", "vda")[0],
        Some(63316.0 * 1024.0)
    );
    assert_eq!(
        values(&found, "disk.await_read_ms", "vda"),
        [Some(0.06), Some(0.07)]
    );
    assert_eq!(
        values(&found, "disk.await_write_ms", "vda"),
        [None, Some(0.5)],
        "no write, no mean"
    );
    assert_eq!(
        values(&found, "disk.size_discard_bytes", "vda"),
        [None, Some(4096.0)]
    );
    assert_eq!(
        values(&found, "disk.queue_mean_ios", "vda"),
        [Some(0.92), Some(0.94)]
    );
    assert_eq!(series(&found, "disk.busy_percent", "vda").unit, "percent");
    assert_eq!(
        values(&found, "cpu.iowait_percent", "all"),
        [Some(0.0), Some(0.0)]
    );
    assert_eq!(
        values(&found, "iostat.since_boot.disk.reads_per_s", "vda"),
        [Some(7632.42)]
    );
    assert!(
        found.units.iter().any(|unit| unit.contains("1,024")),
        "{:?}",
        found.units
    );
    assert!(
        found.lossy.iter().any(|one| one.contains("since boot")),
        "{:?}",
        found.lossy
    );
}

#[test]
fn iso_times_megabytes_and_no_report_since_boot() {
    // -y stands on the command line, which the file does not hold: the first report is taken for the one since boot.
    let found = only("iostat/12.6.1-iso-m-y.txt");
    assert_eq!(found.measured_unix_ms, Some(1_795_302_587_000));
    assert_eq!(
        values(&found, "disk.write_bytes_per_s", "vda"),
        [Some(25.0 * 1_048_576.0)]
    );
    let text = format!(
        "$ iostat -x -t -m -y 1 2 vda\n{}",
        String::from_utf8(crate::printed::fixtures::bytes("iostat/12.6.1-iso-m-y.txt")).unwrap()
    );
    let found = crate::import("x", &mut text.as_bytes())
        .unwrap()
        .results
        .remove(0);
    assert_eq!(
        values(&found, "disk.write_bytes_per_s", "vda"),
        [Some(24.78 * 1_048_576.0), Some(25.0 * 1_048_576.0)]
    );
    assert_eq!((found.lossy.len(), found.lines), (0, Some((1, 18))));
}

#[test]
fn plain_and_short_and_human_tables() {
    let plain = only("iostat/12.6.1-d.txt");
    assert_eq!(
        values(&plain, "iostat.tps", "vda"),
        [Some(16401.0), Some(17269.0)]
    );
    assert_eq!(
        values(&plain, "disk.read_bytes_per_s", "vda")[0],
        Some(64924.0 * 1024.0)
    );
    assert_eq!(
        values(&plain, "iostat.write_bytes", "vda")[1],
        Some(25600.0 * 1024.0)
    );
    assert!(
        plain.lossy.iter().any(|one| one.contains("a second apart")),
        "{:?}",
        plain.lossy
    );
    let short = only("iostat/12.6.1-s.txt");
    assert_eq!(
        values(&short, "iostat.total_bytes_per_s", "vda"),
        [Some(83164.0 * 1024.0)]
    );
    assert_eq!(
        values(&short, "iostat.request_size_bytes", "vda"),
        [Some(4.9 * 1024.0)]
    );
    let human = only("iostat/12.6.1-h.txt");
    assert_eq!(values(&human, "disk.reads_per_s", "vda"), [Some(15080.2)]);
    assert_eq!(
        values(&human, "disk.read_bytes_per_s", "vda"),
        [Some(59.7 * 1_048_576.0)]
    );
    assert_eq!(
        values(&human, "disk.size_write_bytes", "vda"),
        [Some(128.0 * 1024.0)]
    );
    assert_eq!(values(&human, "disk.busy_percent", "vda"), [Some(62.6)]);
    assert_eq!(values(&human, "iostat.%nice", "all"), [Some(37.8)]);
}

#[test]
fn columns_of_10_between_prose_with_blank_lines() {
    let result = imported("iostat/10.0.5-x-pasted.txt");
    let found = &result.results[0];
    assert_eq!((result.results.len(), found.lines), (1, Some((3, 18))));
    let nobodys: Vec<_> = result.unread.iter().map(|one| one.lines).collect();
    assert_eq!(
        nobodys,
        [Some((1, 1)), Some((20, 20))],
        "the article's own lines"
    );
    assert_eq!(found.facts["command"], "iostat -x sfdv0n1 3");
    assert_eq!(
        values(found, "disk.writes_per_s", "sfdv0n1"),
        [Some(13021.0)]
    );
    assert_eq!(
        values(found, "disk.write_bytes_per_s", "sfdv0n1"),
        [Some(833344.0 * 1024.0)]
    );
    assert_eq!(
        values(found, "iostat.request_size_bytes", "sfdv0n1"),
        [Some(65536.0)]
    );
    assert_eq!(values(found, "iostat.await", "sfdv0n1"), [Some(0.26)]);
    assert_eq!(values(found, "disk.await_read_ms", "sfdv0n1"), [None]);
    assert_eq!(
        values(found, "iostat.since_boot.disk.writes_per_s", "sfdv0n1"),
        [Some(340.1)]
    );
    assert_eq!(
        series(found, "disk.writes_per_s", "sfdv0n1").time_ms,
        [3_000.0]
    );
}

#[test]
fn sectors_decimal_commas_and_broken_lines_of_9() {
    let found = only("iostat/9.0.4-sectors-de.txt");
    assert_eq!(
        values(&found, "disk.read_bytes_per_s", "sda"),
        [Some(9600.0 * 512.0)]
    );
    assert_eq!(values(&found, "iostat.svctm", "sda"), [Some(5.0)]);
    let long = "/dev/mapper/vg_data-lv_with_a_long_name";
    assert_eq!(values(&found, "disk.writes_per_s", long), [Some(43.0)]);
    assert_eq!(values(&found, "iostat.%system", "all"), [Some(1.5)]);
    assert_eq!(
        series(&found, "disk.writes_per_s", long).time_ms,
        [5_000.0],
        "the times are five seconds apart"
    );
    assert!(found.units.iter().any(|unit| unit.contains("512")));
}

#[test]
fn reports_in_one_line_each() {
    let found = only("iostat/11.6.0-m-one-line.txt");
    assert_eq!(
        values(&found, "disk.reads_per_s", "nvme0n1"),
        [Some(25_000.0)]
    );
    assert_eq!(
        values(&found, "disk.read_bytes_per_s", "nvme0n1"),
        [Some(97.66 * 1_048_576.0)]
    );
    assert_eq!(
        values(&found, "iostat.since_boot.disk.await_write_ms", "sda"),
        [Some(8.0)]
    );
    assert_eq!(values(&found, "cpu.iowait_percent", "all"), [Some(30.0)]);
    assert_eq!(found.facts["command"], "iostat -xm 1 2");
}

#[test]
fn heads_that_were_taken_out_and_rows_that_lost_numbers() {
    let text = "Device r/s w/s rkB/s wkB/s await %util\nsda 1 2 3 4 5 6\nsda 2 2 3 4 5 6\nsda 3 2 3 5 6\nsda 4 2 3 4 5 6\n";
    let result = crate::import("x", &mut text.as_bytes()).unwrap();
    let found = &result.results[0];
    assert_eq!(
        values(found, "disk.reads_per_s", "sda"),
        [Some(1.0), Some(2.0), Some(4.0)]
    );
    assert_eq!(result.unread[0].lines, Some((4, 4)));
    assert!(
        found
            .lossy
            .iter()
            .any(|one| one.contains("head of the output is missing"))
    );
    let alone = "avg-cpu: %user %nice %system %iowait %steal %idle |\nand so on\n";
    assert!(
        crate::pieces::found(find, &Text::new(alone)).is_empty(),
        "a head without numbers is no result"
    );
}
