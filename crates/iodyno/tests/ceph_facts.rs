//! What `inspect` and `check` say of a real Ceph cluster: as it is, and with troubles that are made on purpose.

use crate::support::{Iodyno, ceph_port, code, is_root, signal, text, until};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A cluster of three OSDs on this machine, each on a loop device of its own: so that one can be slow. Dropped, it is stopped and
/// removed.
pub struct Cluster {
    pub dir: PathBuf,
    pub loops: Vec<String>,
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lab/ceph/cluster");

/// A group of version 1 for the slow OSD.
const GROUP: &str = "/sys/fs/cgroup/blkio/iodyno-ceph-facts";

const OSDS: usize = 3;

impl Cluster {
    pub fn new() -> Option<Cluster> {
        if skip::lacks("ceph") || skip::lacks("losetup") {
            return None;
        }
        if !is_root() {
            skip::missing("root", "the cluster's disks are loop devices");
            return None;
        }
        if !Path::new(SCRIPT).is_file() {
            skip::missing("ceph", "lab/ceph/cluster is not there");
            return None;
        }
        // Memory, because three OSDs on one disk would be judged by that disk; a short path, because sockets lie in it.
        let dir = PathBuf::from(format!("/dev/shm/iodyno-cf-{}", std::process::id()));
        let mut cluster = Cluster {
            dir,
            loops: Vec::new(),
        };
        for number in 0..OSDS {
            let osd = cluster.dir.join(format!("osd.{number}"));
            std::fs::create_dir_all(&osd).unwrap();
            let file = cluster.dir.join(format!("disk.{number}"));
            std::fs::File::create(&file)
                .unwrap()
                .set_len(2 << 30)
                .unwrap();
            let made = run(Command::new("losetup").args(["-f", "--show"]).arg(&file));
            let device = text(&made.stdout).trim().to_string();
            if device.is_empty() {
                skip::missing("loop", "this machine gives no loop device");
                return None;
            }
            std::os::unix::fs::symlink(&device, osd.join("block")).unwrap();
            cluster.loops.push(device);
        }
        let started = cluster.script(&["start", "3"]);
        assert!(started.status.success(), "{}", text(&started.stderr));
        let pool = cluster.script(&["pool", "bench"]);
        assert!(pool.status.success(), "{}", text(&pool.stderr));
        Some(cluster)
    }

    pub fn script(&self, words: &[&str]) -> Output {
        let mut command = Command::new("bash");
        command
            .arg(SCRIPT)
            .arg(words[0])
            .arg(&self.dir)
            .args(&words[1..]);
        command
            .env("CEPH_STORE", "bluestore")
            .env("CEPH_OSD_BYTES", "2147483648")
            .env("CEPH_PORT", ceph_port(2).to_string());
        run(&mut command)
    }

    pub fn conf(&self) -> PathBuf {
        self.dir.join("ceph.conf")
    }

    pub fn ceph(&self, words: &str) -> String {
        let mut command = Command::new("timeout");
        command
            .arg("60")
            .arg("ceph")
            .args(words.split(' '))
            .env("CEPH_CONF", self.conf());
        let output = run(&mut command);
        assert!(
            output.status.success(),
            "ceph {words}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    pub fn status(&self) -> String {
        self.ceph("status -f json")
    }

    pub fn wait_until_clean(&self) {
        until("all placement groups are clean", || {
            let status: Value = serde_json::from_str(&self.status()).unwrap();
            let states = status["pgmap"]["pgs_by_state"].as_array().unwrap();
            states.len() == 1 && states[0]["state_name"] == "active+clean"
        });
    }

    /// Small writes for so long, in the background.
    pub fn writes(&self, seconds: u32) -> std::process::Child {
        let words = format!(
            "{} rados -p bench bench {seconds} write -t 4 -b 4096 --no-cleanup",
            seconds + 20
        );
        let mut command = Command::new("timeout");
        command.args(words.split(' ')).env("CEPH_CONF", self.conf());
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    pub fn pid_of_osd(&self, number: usize) -> String {
        let file = self.dir.join(format!("run/osd.{number}.pid"));
        std::fs::read_to_string(file).unwrap().trim().to_string()
    }

    pub fn target(&self, pool: &str) -> String {
        format!("rados://{pool}?conf={}", self.conf().display())
    }

    /// Holds what one OSD writes to 20 I/Os a second.
    pub fn slow_down(&self, number: usize) {
        let name = self.loops[number].trim_start_matches("/dev/");
        let devno = std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap();
        std::fs::create_dir_all(GROUP).unwrap();
        let limit = format!("{} 20", devno.trim());
        std::fs::write(format!("{GROUP}/blkio.throttle.write_iops_device"), limit).unwrap();
        std::fs::write(format!("{GROUP}/cgroup.procs"), self.pid_of_osd(number)).unwrap();
    }

    pub fn let_go(&self, number: usize) {
        std::fs::write("/sys/fs/cgroup/blkio/cgroup.procs", self.pid_of_osd(number)).unwrap();
        // A group is busy for a moment after its last process has left.
        until("the group is empty", || std::fs::remove_dir(GROUP).is_ok());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if Path::new(GROUP).is_dir() && self.dir.join("run/osd.2.pid").is_file() {
            let _ = std::fs::write("/sys/fs/cgroup/blkio/cgroup.procs", self.pid_of_osd(2));
        }
        self.script(&["stop"]);
        let _ = std::fs::remove_dir(GROUP);
        for device in &self.loops {
            let _ = run(Command::new("losetup").args(["-d", device]));
        }
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

/// Rules of the standing findings in their order, each with its level.
fn findings(document: &Value) -> Vec<(String, String)> {
    let all = document["findings"].as_array().unwrap().iter();
    let standing = all.filter(|finding| finding["withdrawn"].is_null());
    let word = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_string();
    standing
        .map(|finding| (word(finding, "rule"), word(finding, "level")))
        .collect()
}

fn checked(iodyno: &Iodyno, target: &str) -> (Value, Vec<(String, String)>) {
    let (document, output) = iodyno.json(&["check", target, "--no-load"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let found = findings(&document);
    (document, found)
}

/// A trouble is named among the first three.
fn assert_named(found: &[(String, String)], rule: &str) {
    let first = found.iter().take(3);
    assert!(
        first.clone().any(|(name, _)| name == rule),
        "{rule}: {found:?}"
    );
}

/// Captures of clusters, and what stands first in each; a healthy one has nothing but its single host.
const CAPTURED: &[(&str, &str)] = &[
    ("healthy", "copies_on_one_host"),
    ("few_placement_groups", "few_placement_groups"),
    ("single_copy", "pool_without_copies"),
    ("near_full", "osd_near_full"),
    ("scrub", "scrub_running"),
    ("recovery", "recovery_running"),
    ("slow_osd", "osd_slower_than_others"),
    ("osd_down", "placement_groups_degraded"),
    ("few_rights", "copies_on_one_host"),
    ("no_answer", "cluster_does_not_answer"),
    ("no_keyring", "cluster_does_not_answer"),
    ("cephfs", "copies_on_one_host"),
];

#[test]
fn captured_clusters_are_judged_where_no_cluster_is() {
    let iodyno = Iodyno::new();
    for (name, rule) in CAPTURED {
        let file = format!("../../testdata/ceph/{name}.host");
        let (document, output) = iodyno.json(&["check", "--root", &file, "--no-load"]);
        assert_eq!(code(&output), 0, "{name}: {}", text(&output.stderr));
        let found = findings(&document);
        assert_named(&found, rule);
        let shown = iodyno.run(&["inspect", "--root", &file, "--all"]);
        assert_eq!(code(&shown), 0, "{name}: {}", text(&shown.stderr));
        if *name == "healthy" {
            let warnings = found.iter().filter(|(_, level)| level != "note");
            assert_eq!(warnings.count(), 1, "{found:?}");
        }
    }
    let of = |name: &str| format!("../../testdata/ceph/{name}.host");
    let (differences, _) = iodyno.json(&["diff", &of("healthy"), &of("recovery")]);
    let first = &differences["differences"][0]["name"];
    assert_eq!(first, "pgs_recovering", "{differences:#}");
}

pub fn healthy(iodyno: &Iodyno, cluster: &Cluster, target: &str) {
    cluster.wait_until_clean();
    let (document, found) = checked(iodyno, target);
    let warnings: Vec<&str> = found
        .iter()
        .filter(|(_, level)| level != "note")
        .map(|(rule, _)| rule.as_str())
        .collect();
    // This cluster has one host, which is true.
    assert_eq!(warnings, ["copies_on_one_host"], "{document:#}");
    let shown = iodyno.run(&["inspect", target]);
    let shown = text(&shown.stdout);
    for words in ["HEALTH_", "3 of 3 OSDs up", "osd.2", "no two on one osd"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let error = iodyno.run(&["inspect", &cluster.target("nosuch")]);
    assert_eq!(code(&error), 2, "{}", text(&error.stderr));
    assert!(
        text(&error.stderr).contains("has none of that name"),
        "{}",
        text(&error.stderr)
    );
}

pub fn few_placement_groups(iodyno: &Iodyno, cluster: &Cluster) {
    cluster.ceph("osd pool create one 1 1");
    let target = cluster.target("one");
    let (_, found) = checked(iodyno, &target);
    assert_named(&found, "few_placement_groups");
    // A capture says the same where no cluster is.
    let file = iodyno.state.path().join("one.host");
    let file = file.to_str().unwrap();
    let saved = iodyno.run(&["inspect", &target, "--capture", file]);
    assert_eq!(code(&saved), 0, "{}", text(&saved.stderr));
    let elsewhere = iodyno
        .command(&["--json", "check", "--root", file, "--no-load"])
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&elsewhere.stdout).unwrap();
    assert_named(&findings(&document), "few_placement_groups");
    let kept = std::fs::read_to_string(file).unwrap();
    assert!(kept.contains("path: /usr/bin/ceph/osd dump"));
    assert!(!kept.contains("127.0.0.1"), "no address is captured");
    let (differences, _) = iodyno.json(&["diff", file, file]);
    assert_eq!(differences["differences"], serde_json::json!([]));
}

pub fn near_full(iodyno: &Iodyno, cluster: &Cluster, target: &str) {
    cluster.ceph("osd set-nearfull-ratio 0.02");
    let (_, found) = checked(iodyno, target);
    assert_named(&found, "osd_near_full");
    cluster.ceph("osd set-nearfull-ratio 0.85");
}

pub fn scrub(iodyno: &Iodyno, cluster: &Cluster, target: &str) {
    cluster.ceph("config set osd osd_scrub_sleep 3");
    // One that has no turn yet forgets that it was asked, and a small one may be over before anybody looks.
    until("a scrub is named among the first three", || {
        cluster.ceph("osd deep-scrub all");
        if !cluster.status().contains("scrubbing+deep") {
            return false;
        }
        let (_, found) = checked(iodyno, target);
        found
            .iter()
            .take(3)
            .any(|(name, _)| name == "scrub_running")
    });
    cluster.ceph("config rm osd osd_scrub_sleep");
    cluster.ceph("osd set noscrub");
    cluster.ceph("osd set nodeep-scrub");
    until("no placement group is scrubbed", || {
        !cluster.status().contains("scrubbing")
    });
}

pub fn recovery(iodyno: &Iodyno, cluster: &Cluster, target: &str) {
    for kind in ["hdd", "ssd", "hybrid"] {
        cluster.ceph(&format!("config set osd osd_recovery_sleep_{kind} 0.5"));
    }
    cluster.ceph("osd out 2");
    let is_moving =
        |status: String| status.contains("recovering+") || status.contains("backfilling");
    until("placement groups are recovered", || {
        is_moving(cluster.status())
    });
    let (_, found) = checked(iodyno, target);
    cluster.ceph("osd in 2");
    for kind in ["hdd", "ssd", "hybrid"] {
        cluster.ceph(&format!("config rm osd osd_recovery_sleep_{kind}"));
    }
    assert_named(&found, "recovery_running");
    cluster.wait_until_clean();
}

pub fn slow_osd(iodyno: &Iodyno, cluster: &Cluster, target: &str) {
    if !Path::new("/sys/fs/cgroup/blkio").is_dir() {
        return skip::missing("cgroup", "no control groups of version 1 that limit I/O");
    }
    cluster.slow_down(2);
    let mut load = cluster.writes(40);
    // Each OSD reports its mean every few seconds.
    until("an OSD says how long it commits", || {
        let perf: Value = serde_json::from_str(&cluster.ceph("osd perf -f json")).unwrap();
        let all = perf["osdstats"]["osd_perf_infos"]
            .as_array()
            .unwrap()
            .iter();
        let mut of = all.filter(|osd| osd["id"] == 2);
        of.next()
            .is_some_and(|osd| osd["perf_stats"]["commit_latency_ms"].as_f64() > Some(100.0))
    });
    let (document, found) = checked(iodyno, target);
    // It passes that on to the load, which a kill would leave behind.
    signal(load.id(), "TERM");
    let _ = load.wait();
    cluster.let_go(2);
    assert_named(&found, "osd_slower_than_others");
    let name = cluster.loops[2].trim_start_matches("/dev/");
    let claim = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|finding| {
            let is_it = finding["rule"] == "osd_slower_than_others";
            finding["claim"].as_str().filter(|_| is_it)
        });
    assert!(
        claim.is_some_and(|claim| claim.contains("osd.2") && claim.contains(name)),
        "{claim:?}"
    );
}
