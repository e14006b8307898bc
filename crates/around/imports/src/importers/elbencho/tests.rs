//! The table and the CSV file.

use crate::printed::fixtures::imported;

#[test]
fn phases_of_a_table() {
    let result = imported("elbencho/3.0-table.txt");
    let [mixed, read] = &result.results[..] else {
        panic!("{:?}", result.results)
    };
    let load = mixed.load.as_ref().unwrap();
    let (write, beside) = (load.write.as_ref().unwrap(), load.read.as_ref().unwrap());
    assert_eq!(
        (mixed.name.as_str(), load.elapsed_ms),
        ("RWMIX30", Some(65_755.0))
    );
    assert_eq!((write.iops, beside.iops), (Some(69_000.0), Some(29_600.0)));
    assert_eq!(write.bytes_per_s, Some(269.0 * 1_048_576.0));
    assert_eq!(
        (write.latencies[0].mean_ns, write.latencies[0].max_ns),
        (Some(81e3), Some(4.52e6))
    );
    assert_eq!(write.latencies[0].percentiles[3], (99.0, 181e3));
    assert_eq!(beside.latencies[0].max_ns, Some(12.1e6));
    assert_eq!(mixed.facts["first_done.IOPS write"], "70000");
    assert!(mixed.facts["command"].starts_with("elbencho -w -r"));
    let load = read.load.as_ref().unwrap();
    assert_eq!(
        (load.elapsed_ms, load.read.as_ref().unwrap().iops),
        (Some(900.0), Some(300_000.0))
    );
    assert!(
        mixed.lossy.iter().any(|one| one.contains("quarter"))
            && !read.lossy.iter().any(|one| one.contains("quarter"))
    );
}

#[test]
fn rows_of_a_csv_file() {
    let result = imported("elbencho/3.0.csv");
    let [write, mixed] = &result.results[..] else {
        panic!("{:?}", result.results)
    };
    let side = write.load.as_ref().unwrap().write.as_ref().unwrap();
    assert_eq!(
        (side.iops, side.bytes),
        (Some(49_500.0), Some(1024.0 * 1_048_576.0))
    );
    assert_eq!(side.latencies[0].mean_ns, Some(81e3));
    assert_eq!(
        (
            write.facts["label"].as_str(),
            write.facts["iodepth"].as_str()
        ),
        ("a, b", "16")
    );
    assert_eq!(
        (write.tool.as_str(), write.measured_unix_ms),
        ("elbencho 3.0-26", Some(1_795_301_101_000))
    );
    let load = mixed.load.as_ref().unwrap();
    assert_eq!(load.read.as_ref().unwrap().iops, Some(20_900.0));
    assert_eq!(load.elapsed_ms, Some(2_200.0));
}
