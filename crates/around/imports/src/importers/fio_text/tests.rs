//! Texts as fio prints them and as pages mangle them.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use crate::{Import, import};
use model::imported::{Imported, SideFigures};

fn read(text: &str) -> Import {
    import("x", &mut text.as_bytes()).unwrap()
}

fn fixture(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata/imports/fio_text")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

fn reads(imported: &Imported) -> &SideFigures {
    imported.load.as_ref().unwrap().read.as_ref().unwrap()
}

#[test]
fn a_whole_output_of_3_33() {
    let import = read(&fixture("fio-3.33.normal.txt"));
    assert_eq!(import.results.len(), 1, "{:?}", import.unread);
    assert!(import.unread.is_empty(), "{:?}", import.unread);
    let a = &import.results[0];
    assert_eq!(
        (a.tool.as_str(), a.name.as_str(), a.lines),
        ("fio-3.33", "a", Some((1, 40)))
    );
    assert_eq!(a.facts["rw"], "randrw");
    assert_eq!(a.facts["bs"], "4k");
    assert_eq!(a.facts["description"], "hello");
    assert_eq!(a.measured_unix_ms, Some(1_795_245_830_000));
    let read = reads(a);
    assert_eq!((read.ios, read.bytes), (Some(29), Some(118_784.0)));
    assert_eq!(
        (read.iops, read.bytes_per_s),
        (Some(29_000.0), Some(118_784_000.0))
    );
    let clat = read.latency("clat").unwrap();
    assert_eq!(
        (clat.min_ns, clat.max_ns, clat.mean_ns),
        (Some(43.0), Some(8_667.0), Some(365.52))
    );
    assert_eq!(clat.percentiles.len(), 17);
    assert_eq!(clat.percentiles[12], (99.0, 8_640.0));
    assert_eq!(
        read.bytes_per_s_samples.unwrap().max,
        93_023.0 * 1_048_576.0
    );
    assert_eq!(
        a.load.as_ref().unwrap().write.as_ref().unwrap().ios,
        Some(35)
    );
}

#[test]
fn the_old_text_says_kb_and_means_kib() {
    let text = "a: (groupid=0, jobs=1): err= 0: pid=7: Mon Mar  2 10:00:00 2015\n\
                \x20 read : io=1024.0MB, bw=17476KB/s, iops=4369, runt= 60001msec\n\
                \x20   clat (usec): min=90, max=1503.0K, avg=228.01, stdev= 9.10\n\
                \x20   clat percentiles (usec):\n\
                \x20    | 99.00th=[  310], 99.99th=[ 1020]\n\
                \x20   bw (KB  /s): min=16000, max=18000, per=100.00%, avg=17480.00, stdev=200.00\n\
                \x20    issued    : total=r=262144/w=0/d=0, short=r=0/w=0/d=0\n\n\
                Run status group 0 (all jobs):\n\
                \x20  READ: io=1024.0MB, aggrb=17476KB/s, minb=17476KB/s, maxb=17476KB/s, mint=60001msec, maxt=60001msec\n";
    let import = read(text);
    let read = reads(&import.results[0]);
    assert_eq!(read.bytes, Some(1024.0 * 1_048_576.0));
    assert!((read.bytes_per_s.unwrap() / (17_476.0 * 1024.0) - 1.0).abs() < 1e-3);
    assert_eq!(read.ios, Some(262_144));
    assert!(
        (read.iops.unwrap() - 262_144.0 / 60.001).abs() < 1e-9,
        "{:?}",
        read.iops
    );
    assert_eq!(read.latency("clat").unwrap().max_ns, Some(1.503e9));
    assert_eq!(read.bytes_per_s_samples.unwrap().mean, 17_480.0 * 1024.0);
    assert!(
        import.results[0]
            .units
            .iter()
            .any(|unit| unit.contains("KiB")),
        "{:?}",
        import.results[0].units
    );
}

#[test]
fn a_group_alone_and_a_head_alone_are_results() {
    let group = "Run status group 0 (all jobs):\n  WRITE: bw=22.2MiB/s (23.3MB/s), 22.2MiB/s-22.2MiB/s (23.3MB/s-23.3MB/s), \
                 io=1024MiB (1074MB), run=46102-46102msec\n";
    let import = read(group);
    let load = import.results[0].load.as_ref().unwrap();
    let write = load.write.as_ref().unwrap();
    assert_eq!(
        (load.elapsed_ms, write.bytes, write.iops),
        (Some(46_102.0), Some(1024.0 * 1_048_576.0), None)
    );
    assert_eq!(write.bytes_per_s, Some(22.2 * 1_048_576.0));
    assert!(import.results[0].lossy[0].starts_with("only fio's sum of the group"));
    let import =
        read("job 1: (groupid=0, jobs=4): err=28 (file:x): pid=7: Mon Mar  2 10:00:00 2015\n");
    let head = &import.results[0];
    assert_eq!(
        (head.name.as_str(), head.facts["jobs"].as_str()),
        ("job 1", "4")
    );
    assert_eq!(head.load.as_ref().unwrap().errors, Some(1));
    assert!(
        head.lossy
            .iter()
            .any(|why| why.starts_with("only the head")),
        "{:?}",
        head.lossy
    );
}

#[test]
fn two_jobs_of_one_run_stay_two() {
    let import = read(&fixture("fio-3.33.json_and_normal.txt"));
    let names: Vec<&str> = import
        .results
        .iter()
        .map(|result| result.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["a", "b"],
        "the text repeats what the JSON says, so it is no result of its own"
    );
    assert!(
        import
            .results
            .iter()
            .all(|result| result.importer == "fio_json")
    );
}

#[test]
fn lost_numbers_are_said_with_their_line() {
    let text = "x: (groupid=0, jobs=1): err= 0: pid=: Thu Aug 17 06:17:20 2023\n\n\
                read: IOPS=20.1k, BW=78.7MiB/s (82.5MB/s)(10.0GiB/msec)\n\n\
                bw ( KiB/s): min=76672, max=, per=100.00%, avg=80606.35, stdev=10317.80, samples=260\n\n\
                issued rwts: total=,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n";
    let import = read(text);
    let read = reads(&import.results[0]);
    assert_eq!(
        (read.iops, read.bytes_per_s_samples, read.ios),
        (Some(20_100.0), None, None)
    );
    let lines: Vec<_> = import
        .unread
        .iter()
        .map(|unread| unread.lines.unwrap().0)
        .collect();
    assert_eq!(lines, [3, 5, 7], "{:?}", import.unread);
}

#[test]
fn a_running_line_and_a_command_are_no_results() {
    let import = read(
        "$ fio -rw=read -bs=4k -name=x\nJobs: 1 (f=1): [R(1)][50.0%][r=76.0MiB/s][r=19.7k IOPS][eta 00m:30s]\n",
    );
    assert!(import.results.is_empty());
    let import =
        read("slat (usec): min=4, max=6154, avg=48.82, stdev=56.38: what you will see first\n");
    assert!(import.results.is_empty());
}

#[test]
fn cpu_time_of_a_group_is_that_of_all_its_jobs() {
    let of = |jobs: u32| {
        format!(
            "x: (groupid=0, jobs={jobs}): err= 0: pid=100: Sat Nov 21 07:23:50 2026\n\
             \x20 read: IOPS=97.8k, BW=382MiB/s (401MB/s)(382MiB/1000msec)\n\
             \x20 cpu          : usr=0.98%, sys=17.15%, ctx=97000, majf=0, minf=47\n\
             \x20    issued rwts: total=97846,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
        )
    };
    for (jobs, user, system) in [(4, 3.92, 68.6), (1, 0.98, 17.15)] {
        let load = read(&of(jobs)).results.remove(0).load.unwrap();
        let (found_user, found_system) = (load.cpu_user_pct.unwrap(), load.cpu_system_pct.unwrap());
        assert!((found_user - user).abs() < 1e-9, "{found_user}");
        assert!((found_system - system).abs() < 1e-9, "{found_system}");
        assert_eq!(load.read.unwrap().ios, Some(97_846));
    }
}
