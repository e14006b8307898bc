//! `run` with the engines that are not iodyno's own loop: files, stream, fio, and none.

use crate::support::{Dir, Iodyno, Loop, code, signal, text, until};
use std::time::Duration;

#[test]
#[ignore = "live"]
fn fio_is_handed_what_it_alone_knows_and_leaves_nothing_behind() {
    if skip::lacks("fio") {
        return;
    }
    let (iodyno, dir, here) = (Iodyno::new(), Dir::new("handed-on"), Dir::new("here"));
    let target = dir.path().to_str().unwrap();
    let run = |line: &str| {
        let mut arguments = vec!["--json", "run", target, "--engine", "fio", "--"];
        arguments.extend(line.split_whitespace());
        iodyno
            .command(&arguments)
            .current_dir(here.path())
            .output()
            .unwrap()
    };
    let job = "-rw=write -bs=64k -size=16m -filename=x -time_based -runtime=1 -end_fsync=1 -verify=crc32c \
               -zonemode=strided -zonesize=1m -zoneskip=1m -write_hint=short";
    let output = run(job);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let record = &document["record"];
    let handed_on = record["job"]["handed_on"].to_string();
    for wanted in ["zonemode", "zonesize", "zoneskip", "write_hint"] {
        assert!(handed_on.contains(wanted), "{wanted} is not in {handed_on}");
    }
    let load = &record["load"];
    assert!(load["write"]["ios"].as_u64().unwrap() > 0);
    assert_eq!(
        load["read"]["ios"], 0,
        "it ends at its time, and reads nothing back: {load}"
    );
    let left: Vec<_> = std::fs::read_dir(here.path()).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    for (line, wanted) in [
        ("-rw=read -size=1m -ioengine=falloc", "ioengine=falloc"),
        ("-rw=trimwrite -size=1m", "rw=trimwrite"),
        ("-rw=read -size=1m -exec_prerun=true", "exec_prerun=true"),
        ("-rw=read -size=1m --client=host", "--client"),
    ] {
        let output = run(line);
        assert_eq!(code(&output), 2, "{line}: {}", text(&output.stderr));
        assert!(
            text(&output.stderr).contains(wanted),
            "{line}: {}",
            text(&output.stderr)
        );
    }
}

/// The process that this one started, when it has; none where the kernel does not name children.
fn child_of(pid: u32) -> Option<String> {
    let child = || {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten();
        let mut children =
            tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        children.find_map(|text| text.split_whitespace().next().map(str::to_string))
    };
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while std::time::Instant::now() < deadline {
        if let Some(child) = child() {
            return Some(child);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

#[test]
#[ignore = "live"]
fn fio_makes_the_load_and_dies_with_us() {
    if skip::lacks("fio") {
        return;
    }
    let (iodyno, dir) = (Iodyno::new(), Dir::new("fio"));
    let target = dir.path().to_str().unwrap();
    let job = [
        "run",
        target,
        "--ioengine",
        "fio",
        "--size",
        "32m",
        "--direct",
        "0",
        "--runtime",
    ];
    let (document, output) = iodyno.json(&[&job[..], &["2s"]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let load = &document["record"]["load"];
    let pairs = load["read"]["latency"].as_array().unwrap().iter();
    let in_histogram: u64 = pairs.map(|pair| pair[1].as_u64().unwrap()).sum();
    assert_eq!(load["read"]["ios"].as_u64().unwrap(), in_histogram);
    // On a busy machine fio may begin late and end late.
    let elapsed_ms = load["elapsed_ms"].as_f64().unwrap();
    let is_its_time = (0.7..1.6).contains(&(elapsed_ms / 2e3));
    skip::measured(
        skip::Outcome::won_if(is_its_time),
        format!("{elapsed_ms} ms for 2 s"),
    );
    let mut child = iodyno.spawn(&[&job[..], &["60s"]].concat());
    let Some(fio) = child_of(child.id()) else {
        skip::missing(
            "kernel:children",
            "this kernel does not name a process's children",
        );
        signal(child.id(), "INT");
        child.wait().unwrap();
        return;
    };
    std::thread::sleep(Duration::from_millis(800));
    signal(child.id(), "KILL");
    child.wait().unwrap();
    let is_gone = || {
        let state = std::fs::read_to_string(format!("/proc/{fio}/stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    };
    until(&format!("the end of fio, {fio}, that outlived us"), is_gone);
}

#[test]
#[ignore = "live"]
fn none_watches_and_an_idle_device_is_told() {
    let Some(disk) = Loop::new(32) else { return };
    let iodyno = Iodyno::new();
    let watched = |runtime: &str| {
        let words = [
            "run",
            &disk.device,
            "--ioengine",
            "none",
            "--runtime",
            runtime,
        ];
        iodyno.run(&words)
    };
    for runtime in ["1s", "5s"] {
        // Whoever looks at new devices may have looked at this one just now: then it was not idle.
        let output = watched(runtime);
        let said = text(&output.stderr);
        let is_idle = code(&output) == 5;
        skip::measured(skip::Outcome::won_if(is_idle), text(&output.stdout));
        assert!(
            !is_idle || said.contains("there is no load to judge"),
            "{said}"
        );
    }
    let mut load = iodyno.spawn(&["run", &disk.device, "--runtime", "600s", "--iodepth", "4"]);
    let before = disk.reads();
    until("a load to look at", || disk.reads() > before + 500);
    let output = watched("2s");
    signal(load.id(), "INT");
    load.wait().unwrap();
    // While the disk below stalls, there is no load to see.
    let (is_seen, shown) = (code(&output) == 0, text(&output.stdout));
    skip::measured(skip::Outcome::won_if(is_seen), text(&output.stderr));
    if !is_seen {
        return;
    }
    assert!(
        shown.starts_with("the load that is there: ") && !shown.contains("p99"),
        "{shown}"
    );
    assert!(shown.contains("mean time of a read request"), "{shown}");
}
