//! Pools and images of a real Ceph cluster, which `lab/ceph/cluster` starts on this machine: figures against what Ceph's own
//! programs print, the gates, and what is left behind, whatever happens.

use crate::support::{Dir, Iodyno, ceph_port, code, signal, text, until};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the cluster is made of.
const PROGRAMS: [&str; 6] = ["ceph-mon", "ceph-mgr", "ceph-osd", "ceph", "rados", "rbd"];

/// A cluster of this test's own. Dropped, it is stopped and removed.
struct Cluster {
    dir: PathBuf,
    conf: PathBuf,
}

impl Cluster {
    /// None where the programs are missing; the tests of two clusters at once take different ports.
    fn start(port: u16, osds: u32) -> Option<Cluster> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let has =
            |program: &&str| std::env::split_paths(&path).any(|dir| dir.join(program).is_file());
        if let Some(program) = PROGRAMS.iter().find(|program| !has(program)) {
            skip::missing("ceph", format_args!("{program} is not installed"));
            return None;
        }
        let dir = PathBuf::from(format!(
            "/dev/shm/iodyno-ceph-{}-{port}",
            std::process::id()
        ));
        let cluster = Cluster {
            conf: dir.join("ceph.conf"),
            dir,
        };
        let started = cluster.lab("start", &[&osds.to_string()], port);
        assert!(started.status.success(), "{}", text(&started.stderr));
        let pool = cluster.lab("pool", &["bench"], port);
        assert!(pool.status.success(), "{}", text(&pool.stderr));
        Some(cluster)
    }

    fn lab(&self, verb: &str, words: &[&str], port: u16) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/ceph/cluster");
        Command::new(script)
            .arg(verb)
            .arg(&self.dir)
            .args(words)
            .env("CEPH_PORT", port.to_string())
            .output()
            .unwrap()
    }

    /// A target with the way to this cluster.
    fn target(&self, name: &str) -> String {
        format!("{name}?conf={}", self.conf.display())
    }

    /// What one of Ceph's programs prints.
    fn ask(&self, words: &[&str]) -> String {
        let done = Command::new("timeout")
            .args(["-k", "1", "30"])
            .args(words)
            .env("CEPH_CONF", &self.conf)
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}: {}", text(&done.stderr));
        text(&done.stdout)
    }

    /// Objects that a load made, in all namespaces.
    fn objects_of_loads(&self) -> Vec<String> {
        let all = self.ask(&["rados", "--pool", "bench", "--all", "ls"]);
        let is_ours = |line: &&str| line.contains("iodyno-") || line.contains("benchmark_data");
        all.lines().filter(is_ours).map(str::to_string).collect()
    }

    fn osds(&self) -> Vec<u32> {
        let files = std::fs::read_dir(self.dir.join("run")).unwrap().flatten();
        let osds = files.filter(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            name.starts_with("osd.") && name.ends_with(".pid")
        });
        let pid = |file: std::fs::DirEntry| std::fs::read_to_string(file.path()).unwrap();
        osds.map(|file| pid(file).trim().parse().unwrap()).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.lab("stop", &[], 0);
    }
}

/// A sum of rados bench's own text.
fn sum(printed: &str, name: &str) -> f64 {
    let line = printed.lines().find(|line| line.starts_with(name));
    let line = line.unwrap_or_else(|| panic!("no {name} in {printed}"));
    line.rsplit(':').next().unwrap().trim().parse().unwrap()
}

/// Six digits are printed.
fn agree(what: &str, ours: f64, theirs: f64) {
    let most = theirs.abs() * 1e-4 + 1e-9;
    assert!(
        (ours - theirs).abs() <= most,
        "{what}: {ours}, and rados bench says {theirs}"
    );
}

fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("no {path} in {value:#}"))
}

#[test]
#[ignore = "lab"]
fn a_pool_and_an_image_are_loaded_and_left_as_they_were() {
    let Some(cluster) = Cluster::start(ceph_port(0), 2) else {
        return;
    };
    let iodyno = Iodyno::new();
    figures_are_those_of_rados_bench(&iodyno, &cluster);
    reads_have_objects_that_go_again(&iodyno, &cluster);
    fio_gives_percentiles(&iodyno, &cluster);
    what_is_killed_is_undone(&iodyno, &cluster);
    an_image_in_use_is_not_written(&iodyno, &cluster);
    what_is_not_there_is_said(&iodyno, &cluster);
    a_silent_cluster_ends_the_load(&iodyno, &cluster);
    iodyno.assert_nothing_is_changed();
}

fn figures_are_those_of_rados_bench(iodyno: &Iodyno, cluster: &Cluster) {
    let dir = Dir::new("rados-bench");
    let file = dir.path().join("printed.txt");
    let kept = format!("text={}", file.display());
    let target = cluster.target("rados://bench");
    let words = [
        "run",
        &target,
        "--rw",
        "write",
        "--bs",
        "64k",
        "--iodepth",
        "4",
        "--runtime",
        "3s",
    ];
    let (run, output) = iodyno.json(&[&words[..], &["--engine-option", &kept]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let printed = std::fs::read_to_string(&file).unwrap();
    let load = &run["record"]["load"];
    let seconds = number(load, "/elapsed_ms") / 1e3;
    agree("time", seconds, sum(&printed, "Total time run"));
    assert_eq!(
        number(load, "/write/ios"),
        sum(&printed, "Total writes made")
    );
    let mib_per_s = number(load, "/write/bytes") / seconds / 1_048_576.0;
    agree("bandwidth", mib_per_s, sum(&printed, "Bandwidth (MB/sec)"));
    let latency = |name: &str| number(load, &format!("/told/latencies/0/{name}")) / 1e9;
    agree(
        "mean",
        latency("mean_ns"),
        sum(&printed, "Average Latency(s)"),
    );
    agree("least", latency("min_ns"), sum(&printed, "Min latency(s)"));
    agree(
        "greatest",
        latency("max_ns"),
        sum(&printed, "Max latency(s)"),
    );
    assert!(
        !load["bins"].as_array().unwrap().is_empty(),
        "a rate over time"
    );
    let binned: f64 = load["bins"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_f64)
        .sum();
    assert!(
        binned > 0.3 * number(load, "/write/ios"),
        "{binned} in bins"
    );
    assert!(
        load["notes"].to_string().contains("--engine fio"),
        "{load:#}"
    );
    assert_eq!(run["record"]["target"], target);
    assert_eq!(cluster.objects_of_loads(), Vec::<String>::new());
}

fn reads_have_objects_that_go_again(iodyno: &Iodyno, cluster: &Cluster) {
    let target = cluster.target("rados://bench");
    for rw in ["randread", "read"] {
        let words = [
            "run",
            &target,
            "--rw",
            rw,
            "--bs",
            "64k",
            "--size",
            "16m",
            "--runtime",
            "2s",
        ];
        let (run, output) = iodyno.json(&words);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 0, "{said}");
        assert!(
            said.contains("256 objects (16.0 MiB) to be read are written"),
            "{said}"
        );
        assert!(number(&run, "/record/load/read/ios") >= 256.0, "{run:#}");
        assert_eq!(
            number(&run, "/record/load/read/bytes"),
            number(&run, "/record/load/read/ios") * 65536.0
        );
    }
    assert_eq!(cluster.objects_of_loads(), Vec::<String>::new());
}

fn fio_gives_percentiles(iodyno: &Iodyno, cluster: &Cluster) {
    if skip::lacks("fio") {
        return;
    }
    let target = cluster.target("rados://bench");
    let words = [
        "run",
        &target,
        "--engine",
        "fio",
        "--rw",
        "randrw",
        "--bs",
        "4k",
        "--iodepth",
        "8",
    ];
    let (run, output) = iodyno.json(&[&words[..], &["--size", "16m", "--runtime", "2s"]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    for side in ["read", "write"] {
        let counts = run["record"]["load"][side]["latency"].to_string();
        assert!(
            number(&run, &format!("/record/load/{side}/ios")) > 0.0 && counts.len() > 20,
            "{side}: {counts}"
        );
    }
    let said = text(&iodyno.run(&["show", &run["id"].to_string()]).stdout);
    assert!(said.contains("p99"), "{said}");
    assert_eq!(cluster.objects_of_loads(), Vec::<String>::new());
}

fn what_is_killed_is_undone(iodyno: &Iodyno, cluster: &Cluster) {
    let target = cluster.target("rados://bench");
    let words = [
        "run",
        &target,
        "--rw",
        "write",
        "--bs",
        "64k",
        "--runtime",
        "60s",
    ];
    let mut child = iodyno.spawn(&words);
    iodyno.wait_for_journal(&mut child);
    until("objects", || !cluster.objects_of_loads().is_empty());
    signal(child.id(), "KILL");
    child.wait().unwrap();
    let status = text(&iodyno.run(&["status"]).stdout);
    assert!(
        status.contains("benchmark_data_") && status.contains("made by iodyno for a load"),
        "{status}"
    );
    let undone = iodyno.run(&["undo"]);
    assert_eq!(
        code(&undone),
        0,
        "{}{}",
        text(&undone.stdout),
        text(&undone.stderr)
    );
    assert_eq!(cluster.objects_of_loads(), Vec::<String>::new());
    iodyno.assert_nothing_is_changed();
}

fn an_image_in_use_is_not_written(iodyno: &Iodyno, cluster: &Cluster) {
    if skip::lacks("fio") {
        return;
    }
    cluster.ask(&["rbd", "create", "bench/img", "--size", "32M"]);
    let target = cluster.target("rbd://bench/img");
    let write = [
        "run",
        &target,
        "--rw",
        "randwrite",
        "--bs",
        "4k",
        "--iodepth",
        "4",
        "--runtime",
        "1s",
    ];
    let (run, output) = iodyno.json(&write);
    assert_eq!(code(&output), 0, "an empty image: {}", text(&output.stderr));
    assert!(number(&run, "/record/load/write/ios") > 0.0, "{run:#}");
    let refused = iodyno.run(&write);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 4, "{said}");
    assert!(
        said.contains("it holds data (") && said.contains("--destroy-data"),
        "{said}"
    );
    let mut reader = iodyno.spawn(&[
        "run",
        &target,
        "--rw",
        "randread",
        "--bs",
        "4k",
        "--runtime",
        "20s",
    ]);
    until("a watcher", || {
        cluster
            .ask(&["rbd", "status", "bench/img"])
            .contains("watcher=")
    });
    let refused = iodyno.run(&write);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 4, "{said}");
    assert!(
        said.contains("it is open elsewhere (watcher client."),
        "{said}"
    );
    let given = [&write[..], &["--destroy-data"]].concat();
    let refused = iodyno.run(&given);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 4, "whatever may be lost: {said}");
    signal(reader.id(), "INT");
    reader.wait().unwrap();
    until("no watcher", || {
        !cluster
            .ask(&["rbd", "status", "bench/img"])
            .contains("watcher=")
    });
    let given = iodyno.run(&given);
    assert_eq!(code(&given), 0, "{}", text(&given.stderr));
    a_pasted_line_names_its_image(iodyno, cluster);
}

fn a_pasted_line_names_its_image(iodyno: &Iodyno, cluster: &Cluster) {
    let pasted = [
        "run",
        "--",
        "-ioengine=rbd",
        "-pool=bench",
        "-rbdname=img",
        "-rw=randread",
        "-bs=4k",
    ];
    let pasted = [
        &pasted[..],
        &["-iodepth=4", "-runtime=1", "-time_based", "-name=a"],
    ]
    .concat();
    let mut command = iodyno.command(&pasted);
    let done = command.env("CEPH_CONF", &cluster.conf).output().unwrap();
    assert_eq!(code(&done), 0, "{}", text(&done.stderr));
    assert!(
        text(&done.stdout).contains("on rbd://bench/img"),
        "{}",
        text(&done.stdout)
    );
}

fn what_is_not_there_is_said(iodyno: &Iodyno, cluster: &Cluster) {
    let short = ["--rw", "write", "--runtime", "1s"];
    let run = |target: &str| iodyno.run(&[&["run", target][..], &short].concat());
    let missing = run(&cluster.target("rados://nonesuch"));
    let said = text(&missing.stderr);
    assert_eq!(code(&missing), 2, "{said}");
    assert!(
        said.contains("no such pool; it has: ballast, ") && said.contains(", bench."),
        "{said}"
    );
    let missing = run(&cluster.target("rbd://bench/nonesuch"));
    let said = text(&missing.stderr);
    assert_eq!(code(&missing), 2, "{said}");
    assert!(said.contains("No such file or directory"), "{said}");
    let mut command = iodyno.command(&["run", &cluster.target("rados://bench")]);
    let done = command.env("PATH", "/nowhere").output().unwrap();
    let said = text(&done.stderr);
    assert_eq!(code(&done), 5, "{said}");
    assert!(
        said.contains("no program `ceph`") && said.contains("ceph-common"),
        "{said}"
    );
}

fn a_silent_cluster_ends_the_load(iodyno: &Iodyno, cluster: &Cluster) {
    let target = cluster.target("rados://bench");
    let words = [
        "run",
        &target,
        "--rw",
        "write",
        "--bs",
        "64k",
        "--runtime",
        "30s",
    ];
    let mut child = iodyno.command(&[&words[..], &["--engine-option", "deadline=3"]].concat());
    let child = child
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    until("objects", || !cluster.objects_of_loads().is_empty());
    std::thread::sleep(std::time::Duration::from_millis(2500));
    let begun = std::time::Instant::now();
    cluster
        .osds()
        .into_iter()
        .for_each(|pid| signal(pid, "STOP"));
    let resumed = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| child.wait_with_output().unwrap());
        // Its objects can go again while it still tries to remove them.
        std::thread::sleep(std::time::Duration::from_secs(8));
        cluster
            .osds()
            .into_iter()
            .for_each(|pid| signal(pid, "CONT"));
        waiting.join().unwrap()
    });
    let said = text(&resumed.stderr);
    assert_eq!(code(&resumed), 5, "{said}");
    assert!(
        said.contains("the cluster stopped answering: nothing was completed for"),
        "{said}"
    );
    assert!(begun.elapsed().as_secs() < 60, "{said}");
    let (listed, _) = iodyno.json(&["list"]);
    assert!(listed.to_string().contains("rados://bench"), "{listed:#}");
    let _ = iodyno.run(&["undo"]);
    assert_eq!(cluster.objects_of_loads(), Vec::<String>::new());
}

/// The long form: a pool that fills up, and how its load ends.
#[test]
#[ignore = "lab"]
fn a_full_pool_is_refused_and_one_that_fills_up_ends_the_load() {
    if std::env::var_os("IODYNO_CEPH").is_none() {
        skip::missing("asked:IODYNO_CEPH", "make ceph asks for it");
        return;
    }
    let Some(cluster) = Cluster::start(ceph_port(1), 2) else {
        return;
    };
    let iodyno = Iodyno::new();
    let target = cluster.target("rados://bench");
    let words = [
        "run",
        &target,
        "--rw",
        "write",
        "--bs",
        "1m",
        "--runtime",
        "60s",
        "--size",
        "2g",
    ];
    let mut child = iodyno.command(&[&words[..], &["--engine-option", "deadline=5"]].concat());
    let child = child
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    until("objects", || !cluster.objects_of_loads().is_empty());
    // A quota that was there before would have been seen.
    let quota = ["ceph", "osd", "pool", "set-quota", "bench", "max_bytes"];
    cluster.ask(&[&quota[..], &["67108864"]].concat());
    let filled = child.wait_with_output().unwrap();
    let said = text(&filled.stderr);
    assert_eq!(code(&filled), 5, "{said}");
    assert!(said.contains("the cluster stopped answering"), "{said}");
    let _ = iodyno.run(&["undo"]);
    until("no objects", || cluster.objects_of_loads().is_empty());
    iodyno.assert_nothing_is_changed();
    // What fills it now is another's.
    for number in 0..20 {
        let name = format!("other-{number}");
        let file = cluster.conf.with_file_name("block");
        std::fs::write(&file, vec![1; 4 << 20]).unwrap();
        let put = Command::new("timeout")
            .args(["-k", "1", "5", "rados", "--pool", "bench", "put", &name])
            .arg(&file)
            .env("CEPH_CONF", &cluster.conf)
            .status()
            .unwrap();
        if !put.success() {
            break;
        }
    }
    until("a full pool", || {
        cluster
            .ask(&["ceph", "osd", "pool", "ls", "detail"])
            .contains("full")
    });
    let refused = iodyno.run(&words);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 4, "{said}");
    assert!(
        said.contains("is full") || said.contains("quota is used up"),
        "{said}"
    );
}
