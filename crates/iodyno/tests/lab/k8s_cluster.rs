//! Runs in a real Kubernetes cluster of one node, which `make k8s` starts: the API takes the manifests, controllers bind and
//! schedule, a kubelet runs the pods, and nothing of it is left.

use crate::support::{Dir, Iodyno, code, signal, text, until};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// What the pods of this cluster need: its image, and a node without a network for pods.
const PODS: [&str; 5] = [
    "--image",
    "iodyno:lab",
    "--host-network",
    "--toleration",
    "all",
];
const LOAD: [&str; 5] = ["--runtime=1s", "--", "-rw=randread", "-bs=4k", "-size=16m"];
/// Volumes of each class: a claim that goes leaves its volume behind.
const VOLUMES: usize = 4;

struct Cluster {
    kubeconfig: PathBuf,
    /// Where its volumes are.
    dir: Dir,
    iodyno: Iodyno,
}

impl Cluster {
    fn new() -> Option<Cluster> {
        let Some(kubeconfig) = std::env::var_os("IODYNO_K8S") else {
            skip::missing("asked:IODYNO_K8S", "make k8s starts a cluster for it");
            return None;
        };
        let cluster = Cluster {
            kubeconfig: kubeconfig.into(),
            dir: Dir::new("k8s-volumes"),
            iodyno: Iodyno::new(),
        };
        for class in ["lab-fast", "lab-slow"] {
            for number in 0..VOLUMES {
                cluster.make_volume(&format!("{class}-{number}"), class);
            }
        }
        Some(cluster)
    }

    fn make_volume(&self, name: &str, class: &str) {
        let path = self.dir.path().join(name);
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
        let volume = json!({
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": name, "labels": {"test": "iodyno"}},
            "spec": {
                "capacity": {"storage": "20Gi"},
                "accessModes": ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": class,
                "hostPath": {"path": path},
            },
        });
        self.kubectl(&["create", "-f", "-"], &volume.to_string());
    }

    fn kubectl(&self, words: &[&str], input: &str) -> String {
        let mut child = Command::new("kubectl")
            .args(words)
            .env("KUBECONFIG", &self.kubeconfig)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        text(&output.stdout)
    }

    fn command(&self, words: &[&str]) -> Command {
        let at = words.iter().position(|word| *word == "--");
        let (before, behind) = words.split_at(at.unwrap_or(words.len()));
        let mut command = self.iodyno.command(&[before, &PODS[..], behind].concat());
        command.env("KUBECONFIG", &self.kubeconfig);
        command
    }

    fn json(&self, words: &[&str]) -> (Value, Output) {
        let output = self
            .command(&[&["--json"], words].concat())
            .output()
            .unwrap();
        let document = serde_json::from_slice(&output.stdout);
        let document = document.unwrap_or_else(|error| panic!("{error}\n{}", said(&output)));
        (document, output)
    }

    fn spawn(&self, words: &[&str]) -> Child {
        let mut command = self.command(words);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    fn undo(&self) -> Output {
        let mut command = self.iodyno.command(&["undo"]);
        command.env("KUBECONFIG", &self.kubeconfig);
        command.output().unwrap()
    }

    /// Names of what iodyno made.
    fn ours(&self) -> Vec<String> {
        let kinds = "jobs,daemonsets,pods,persistentvolumeclaims";
        let selector = "app.kubernetes.io/managed-by=iodyno";
        let names = self.kubectl(&["get", kinds, "-l", selector, "-o", "name"], "");
        names.lines().map(str::to_string).collect()
    }

    fn assert_nothing_is_left(&self) {
        assert_eq!(self.ours(), [""; 0]);
        self.iodyno.assert_nothing_is_changed();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let words = [
            "delete",
            "persistentvolumes",
            "-l",
            "test=iodyno",
            "--wait=false",
        ];
        let _ = Command::new("kubectl")
            .args(words)
            .env("KUBECONFIG", &self.kubeconfig)
            .output();
    }
}

fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
#[ignore = "lab"]
fn a_real_cluster_is_loaded_and_left_as_it_was() {
    let Some(cluster) = Cluster::new() else {
        return;
    };
    the_api_takes_the_manifests(&cluster);
    a_volume_is_loaded(&cluster);
    nodes_are_checked(&cluster);
    classes_are_compared(&cluster);
    what_does_not_start_is_told(&cluster);
    what_is_killed_is_undone(&cluster);
    a_stop_takes_everything_away(&cluster);
    a_claim_keeps_its_data(&cluster);
    cluster.assert_nothing_is_left();
}

fn the_api_takes_the_manifests(cluster: &Cluster) {
    let all: [&[&str]; 3] = [
        &["k8s", "run", "--storage-class", "lab-fast", "--print"],
        &[
            "k8s",
            "run",
            "--node",
            "localhost",
            "--host-path",
            "/srv",
            "--print",
        ],
        &["k8s", "check", "--every-node", "--print"],
    ];
    for words in all {
        let printed = cluster.command(words).output().unwrap();
        let apply = ["apply", "--dry-run=server", "--validate=true", "-f", "-"];
        let applied = cluster.kubectl(&apply, &text(&printed.stdout));
        assert!(applied.contains("created (server dry run)"), "{applied}");
    }
    assert_eq!(cluster.ours(), [""; 0]);
}

fn a_volume_is_loaded(cluster: &Cluster) {
    let words = [&["k8s", "run", "--storage-class", "lab-fast"], &LOAD[..]].concat();
    let (document, output) = cluster.json(&words);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let id = document["places"][0]["records"][0].to_string();
    let (shown, _) = cluster.iodyno.json(&["show", &id]);
    let kube = &shown["record"]["provenance"]["kube"];
    assert_eq!(
        (&kube["node"], &kube["storage_class"]),
        (&"localhost".into(), &"lab-fast".into()),
        "{kube:#}"
    );
    assert!(shown["record"]["load"]["read"]["ios"].as_u64().unwrap() > 0);
    cluster.assert_nothing_is_left();
}

fn nodes_are_checked(cluster: &Cluster) {
    for words in [
        &["k8s", "check", "--node", "localhost", "--quick"][..],
        &["k8s", "check", "--every-node", "--quick"],
    ] {
        let (document, output) = cluster.json(words);
        assert_eq!(code(&output), 0, "{}", said(&output));
        assert_eq!(document["places"][0]["name"], "node localhost");
        cluster.assert_nothing_is_left();
    }
}

fn classes_are_compared(cluster: &Cluster) {
    let words = [
        "k8s",
        "compare",
        "--storage-class",
        "lab-fast,lab-slow",
        "--rounds",
        "2",
    ];
    let (document, output) = cluster.json(&[&words, &LOAD[..]].concat());
    assert_eq!(code(&output), 0, "{}", said(&output));
    let measures = document["measures"].as_array().unwrap();
    let iops = measures.iter().find(|row| row["measure"] == "read.iops");
    assert!(iops.unwrap()["ratios"][1]["mean"].as_f64().unwrap() > 0.0);
    cluster.assert_nothing_is_left();
}

fn what_does_not_start_is_told(cluster: &Cluster) {
    let words = ["k8s", "run", "--storage-class", "never", "--wait", "10s"];
    let output = cluster.command(&words).output().unwrap();
    let told = said(&output);
    assert_eq!(code(&output), 5, "{told}");
    assert!(
        told.contains(
            "it is Pending (ProvisioningFailed: storageclass.storage.k8s.io \"never\" not found"
        ),
        "{told}"
    );
    cluster.assert_nothing_is_left();
}

fn what_is_killed_is_undone(cluster: &Cluster) {
    let killed = || {
        let words = ["k8s", "run", "--storage-class", "never", "--wait", "60s"];
        let mut child = cluster.spawn(&words);
        until("a pod", || {
            cluster.ours().iter().any(|name| name.starts_with("pod/"))
        });
        signal(child.id(), "KILL");
        child.wait().unwrap();
    };
    killed();
    let undone = cluster.undo();
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    cluster.assert_nothing_is_left();
    // A job of somebody else that has the name by now stays.
    killed();
    let ours = cluster.ours();
    let job = ours.iter().find(|name| name.starts_with("job"));
    let name = job.unwrap().rsplit('/').next().unwrap().to_string();
    cluster.kubectl(&["delete", "job", &name], "");
    let create = ["create", "job", &name, "--image", "iodyno:lab"];
    cluster.kubectl(&create, "");
    let undone = cluster.undo();
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    let left = cluster.kubectl(&["get", "job", &name, "-o", "name"], "");
    assert!(left.contains(&name));
    cluster.kubectl(&["delete", "job", &name], "");
    cluster.assert_nothing_is_left();
}

fn a_stop_takes_everything_away(cluster: &Cluster) {
    let words = [
        "k8s",
        "run",
        "--node",
        "localhost",
        "--runtime=60s",
        "--",
        "-rw=randread",
        "-size=16m",
    ];
    let mut child = cluster.spawn(&words);
    until("a pod that runs", || {
        let selector = "app.kubernetes.io/managed-by=iodyno";
        let path = "jsonpath={.items[*].status.phase}";
        let phases = cluster.kubectl(&["get", "pods", "-l", selector, "-o", path], "");
        phases == "Running"
    });
    signal(child.id(), "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    cluster.assert_nothing_is_left();
}

fn a_claim_keeps_its_data(cluster: &Cluster) {
    cluster.make_volume("lab-data", "lab-data");
    let precious = cluster.dir.path().join("lab-data/precious");
    std::fs::write(&precious, vec![7; 1 << 20]).unwrap();
    let claim = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "lab-data", "resources": {"requests": {"storage": "1Gi"}}},
    });
    cluster.kubectl(&["create", "-f", "-"], &claim.to_string());
    let words = [
        "k8s",
        "run",
        "--pvc",
        "data",
        "--runtime=1s",
        "--",
        "-rw=randwrite",
        "-size=16m",
    ];
    let (_, output) = cluster.json(&words);
    assert_eq!(code(&output), 0, "{}", said(&output));
    assert_eq!(std::fs::read(&precious).unwrap(), vec![7; 1 << 20]);
    let left = std::fs::read_dir(precious.parent().unwrap()).unwrap();
    assert_eq!(left.count(), 1, "scratch is left");
    cluster.kubectl(&["delete", "pvc", "data"], "");
}
