//! Runs in a Kubernetes cluster. Its kubectl is a script whose cluster is a directory, and whose pods are processes of this
//! machine: what the API and its controllers say is played, what the pods measure and what is taken away again is real. Where
//! `IODYNO_K8S` names a kubeconfig, `make k8s` does the same on a real cluster.

use crate::support::{Dir, Iodyno, code, signal, text, until};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

/// A short load that takes 8 MiB.
const LOAD: [&str; 6] = [
    "--runtime=500ms",
    "--",
    "-rw=randread",
    "-bs=4k",
    "-iodepth=4",
    "-size=8m",
];

/// A cluster of this test's own. Dropped, its pods are killed.
struct Fake {
    dir: Dir,
    iodyno: Iodyno,
}

impl Fake {
    /// None where there is no Python for the script.
    fn new() -> Option<Fake> {
        if skip::lacks("python3") {
            return None;
        }
        let fake = Fake {
            dir: Dir::new("k8s"),
            iodyno: Iodyno::new(),
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/k8s/kubectl");
        std::os::unix::fs::symlink(script, fake.path("kubectl")).unwrap();
        std::fs::create_dir(fake.path("volumes")).unwrap();
        Some(fake)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.iodyno.command(words);
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", self.dir.path().display()))
            .env("K8S_FAKE", self.dir.path())
            .env("IODYNO_BINARY", env!("CARGO_BIN_EXE_iodyno"))
            .env("KUBECONFIG", self.path("kubeconfig"));
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs with `--json`, and gives the document.
    fn json(&self, words: &[&str]) -> (Value, Output) {
        let output = self.run(&[&["--json"], words].concat());
        let document = serde_json::from_slice(&output.stdout);
        let document = document.unwrap_or_else(|error| panic!("{error}\n{}", said(&output)));
        (document, output)
    }

    fn spawn(&self, words: &[&str]) -> Child {
        let to = std::fs::File::create(self.path("said")).unwrap();
        let mut command = self.command(words);
        command.stdout(std::process::Stdio::null()).stderr(to);
        command.spawn().unwrap()
    }

    /// Whether something goes wrong from now on.
    fn has(&self, trouble: &str, content: Option<&str>) {
        match content {
            Some(content) => std::fs::write(self.path(trouble), content).unwrap(),
            None => std::fs::remove_file(self.path(trouble)).unwrap(),
        }
    }

    /// Names of the objects of a kind, `Job`, that are there.
    fn objects(&self, kind: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("objects"))
            .into_iter()
            .flatten();
        let names = entries.flatten().filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = name.strip_prefix(&format!("{kind}--bench--"))?.to_string();
            name.strip_suffix(".json").map(str::to_string)
        });
        names.collect()
    }

    fn object(&self, kind: &str, name: &str) -> Value {
        let file = self.path(&format!("objects/{kind}--bench--{name}.json"));
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
    }

    /// Puts an object there that is none of iodyno's.
    fn put(&self, kind: &str, name: &str, object: &Value) {
        std::fs::create_dir_all(self.path("objects")).unwrap();
        let file = self.path(&format!("objects/{kind}--bench--{name}.json"));
        std::fs::write(file, object.to_string()).unwrap();
    }

    /// A claim of somebody's with a file in it.
    fn claim_with_data(&self, name: &str, mode: &str) -> PathBuf {
        let claim = serde_json::json!({
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "bench", "uid": format!("uid-of-{name}"), "labels": {}},
            "spec": {"accessModes": [mode], "storageClassName": "fast", "volumeName": format!("pv-of-{name}")},
            "status": {"phase": "Bound"},
        });
        self.put("PersistentVolumeClaim", name, &claim);
        let volume = self.path(&format!("volumes/{name}"));
        std::fs::create_dir_all(&volume).unwrap();
        std::fs::write(volume.join("precious"), vec![7; 1 << 20]).unwrap();
        volume
    }

    fn assert_nothing_is_left(&self) {
        for kind in ["Job", "DaemonSet", "Pod"] {
            assert_eq!(self.objects(kind), [""; 0], "{kind}");
        }
        let claims = self.objects("PersistentVolumeClaim");
        let ours = claims.iter().filter(|name| name.starts_with("iodyno-"));
        assert_eq!(ours.count(), 0, "{claims:?}");
        self.iodyno.assert_nothing_is_changed();
    }

    /// Starts a run that waits for a volume of a class that there is not, and kills it.
    fn killed(&self) {
        let words = ["k8s", "run", "--storage-class", "never", "--wait", "60s"];
        let mut child = self.spawn(&words);
        until("a pod that waits", || !self.objects("Pod").is_empty());
        signal(child.id(), "KILL");
        child.wait().unwrap();
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let pods = std::fs::read_dir(self.path("pods")).into_iter().flatten();
        for pod in pods.flatten() {
            let is_over = pod.path().join("rc").exists();
            if let Ok(pid) = std::fs::read_to_string(pod.path().join("pid"))
                && !is_over
            {
                let kill = format!("kill -KILL -- -{} 2>/dev/null", pid.trim());
                let _ = Command::new("sh").args(["-c", &kill]).status();
            }
        }
    }
}

fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn a_volume_of_a_class_is_loaded_and_goes() {
    let Some(fake) = Fake::new() else { return };
    let words = [&["k8s", "run", "--storage-class", "fast"], &LOAD[..]].concat();
    let (document, output) = fake.json(&words);
    assert_eq!(code(&output), 0, "{}", said(&output));
    assert_eq!(document["schema"], "iodyno.k8s/1");
    let place = &document["places"][0];
    assert_eq!(place["name"], "storage class fast");
    let id = place["records"][0].to_string();
    let (shown, _) = fake.json(&["show", &id]);
    let (record, kube) = (&shown["record"], &shown["record"]["provenance"]["kube"]);
    assert_eq!(kube["storage"]["storage-class"], "fast", "{kube:#}");
    assert_eq!(
        (&kube["context"], &kube["namespace"], &kube["node"]),
        (&"fake".into(), &"bench".into(), &"n1".into())
    );
    assert_eq!(kube["storage_class"], "fast");
    assert!(kube["volume"].as_str().unwrap().starts_with("pv-iodyno-"));
    assert_eq!(record["provenance"]["hostname"], "n1");
    assert_eq!(record["target"], "storage class fast");
    assert!(record["load"]["read"]["ios"].as_u64().unwrap() > 0);
    assert_eq!(record["job"]["rw"], "randread");
    fake.assert_nothing_is_left();
    let told = text(&output.stderr);
    assert!(told.contains("it runs on node n1"), "{told}");
    let deleted = std::fs::read_to_string(fake.path("deleted")).unwrap();
    let run = document["run"].as_str().unwrap();
    for line in deleted.lines() {
        assert!(line.contains(&format!("/iodyno-{run}-")), "{deleted}");
    }
}

#[test]
fn a_node_is_checked_and_so_is_every_node() {
    let Some(fake) = Fake::new() else { return };
    let (document, output) = fake.json(&["k8s", "check", "--node", "n2", "--quick"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let place = &document["places"][0];
    assert_eq!(
        (&place["name"], &place["node"]),
        (&"node n2".into(), &"n2".into())
    );
    let (shown, _) = fake.json(&["show", &place["records"][0].to_string()]);
    assert_eq!(shown["record"]["verb"], "check");
    assert_eq!(shown["record"]["check"]["next"], "");
    let (document, output) = fake.json(&["k8s", "check", "--every-node", "--quick"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let places = document["places"].as_array().unwrap();
    let names: Vec<&str> = places
        .iter()
        .map(|place| place["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["node n1", "node n2"], "{}", said(&output));
    for place in places {
        assert_eq!(place["records"].as_array().unwrap().len(), 1, "{place}");
    }
    fake.assert_nothing_is_left();
}

#[test]
fn two_classes_are_compared_in_rounds() {
    let Some(fake) = Fake::new() else { return };
    let words = [
        "k8s",
        "compare",
        "--storage-class",
        "fast,slow",
        "--rounds",
        "2",
        "--seed",
        "7",
    ];
    let (document, output) = fake.json(&[&words, &LOAD[..]].concat());
    assert_eq!(code(&output), 0, "{}", said(&output));
    let order = document["order"].as_array().unwrap();
    assert_eq!((order.len(), &document["seed"]), (2, &7.into()));
    for round in order {
        let mut places: Vec<u64> = round
            .as_array()
            .unwrap()
            .iter()
            .map(|place| place.as_u64().unwrap())
            .collect();
        places.sort_unstable();
        assert_eq!(places, [0, 1]);
    }
    for place in document["places"].as_array().unwrap() {
        assert_eq!(place["records"].as_array().unwrap().len(), 2, "{place}");
    }
    let measures = document["measures"].as_array().unwrap();
    let iops = measures.iter().find(|row| row["measure"] == "read.iops");
    let ratio = &iops.unwrap()["ratios"][1];
    let bound = |name: &str| ratio[name].as_f64().unwrap();
    assert!(
        bound("low") < bound("mean") && bound("mean") < bound("high"),
        "{ratio}"
    );
    assert!(iops.unwrap()["ratios"][0].is_null());
    let told = text(&output.stderr);
    assert!(
        told.contains("storage class slow against storage class fast: read IOPS"),
        "{told}"
    );
    fake.assert_nothing_is_left();
}

#[test]
fn manifests_are_printed_and_nothing_is_done() {
    let Some(fake) = Fake::new() else { return };
    let words = [
        "k8s",
        "run",
        "--storage-class",
        "fast",
        "-n",
        "team",
        "--print",
    ];
    let output = fake.run(&[&words, &LOAD[..]].concat());
    assert_eq!(code(&output), 0, "{}", said(&output));
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let kinds: Vec<&Value> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            assert_eq!(item["metadata"]["namespace"], "team");
            &item["kind"]
        })
        .collect();
    assert_eq!(kinds, ["PersistentVolumeClaim", "Job"]);
    let claim = &list["items"][0]["metadata"]["name"];
    let spec = &list["items"][1]["spec"]["template"]["spec"];
    assert_eq!(
        &spec["volumes"][0]["persistentVolumeClaim"]["claimName"],
        claim
    );
    let args = spec["containers"][0]["args"].as_array().unwrap();
    assert_eq!(args.last().unwrap(), "-size=8m");
    let set = fake.run(&["k8s", "check", "--every-node", "--print"]);
    let set: Value = serde_json::from_slice(&set.stdout).unwrap();
    assert_eq!(set["items"][0]["kind"], "DaemonSet");
    assert!(!fake.path("calls").exists(), "kubectl was asked");
    fake.assert_nothing_is_left();
}

#[test]
fn what_a_kill_leaves_is_undone() {
    let Some(fake) = Fake::new() else { return };
    fake.killed();
    assert_eq!(fake.objects("Job").len(), 1);
    let status = fake.run(&["status"]);
    assert!(
        said(&status).contains("kubernetes://fake/bench/jobs.batch/iodyno-"),
        "{}",
        said(&status)
    );
    let undone = fake.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    assert!(said(&undone).contains("removed"), "{}", said(&undone));
    fake.assert_nothing_is_left();
}

#[test]
fn pods_go_also_where_nobody_collects_them() {
    let Some(fake) = Fake::new() else { return };
    fake.has("no-gc", Some(""));
    fake.killed();
    let undone = fake.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    fake.assert_nothing_is_left();
}

#[test]
fn a_stop_takes_away_what_is_the_run_s_and_nothing_of_another() {
    let Some(fake) = Fake::new() else { return };
    let words = [
        "k8s",
        "run",
        "--node",
        "n1",
        "--runtime",
        "60s",
        "--",
        "-rw=randread",
        "-size=8m",
    ];
    let mut child = fake.spawn(&words);
    let is_running = || {
        let pods = fake.objects("Pod");
        pods.iter()
            .any(|pod| fake.object("Pod", pod)["status"]["phase"] == "Running")
    };
    until("a pod that runs", is_running);
    let first = fake.objects("Job");
    let second = fake.run(&[&["k8s", "run", "--node", "n2"], &LOAD[..]].concat());
    assert_eq!(code(&second), 0, "{}", said(&second));
    assert_eq!(fake.objects("Job"), first, "the other's job stays");
    assert!(is_running(), "and so does its pod");
    signal(child.id(), "INT");
    let status = child.wait().unwrap();
    let told = std::fs::read_to_string(fake.path("said")).unwrap();
    assert_eq!(status.code(), Some(130), "{told}");
    assert!(
        told.contains("stopped by SIGINT") && told.contains("made in the cluster is gone"),
        "{told}"
    );
    fake.assert_nothing_is_left();
}

#[test]
fn a_claim_that_stays_pending_ends_with_the_reason() {
    let Some(fake) = Fake::new() else { return };
    let words = ["k8s", "run", "--storage-class", "nothing", "--wait", "4s"];
    let output = fake.run(&words);
    assert_eq!(code(&output), 5, "{}", said(&output));
    let told = text(&output.stderr);
    for words in [
        "it has not started after 4.0 s",
        "it is Pending",
        "ProvisioningFailed: storageclass.storage.k8s.io \"nothing\" not found",
        "waiting for claim iodyno-",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    fake.assert_nothing_is_left();
}

#[test]
fn what_never_starts_is_not_waited_for() {
    let Some(fake) = Fake::new() else { return };
    let image = ["k8s", "run", "--node", "n1", "--image", "missing:1"];
    let output = fake.run(&image);
    assert_eq!(code(&output), 5, "{}", said(&output));
    assert!(
        said(&output).contains("will not start") && said(&output).contains("ImagePullBackOff"),
        "{}",
        said(&output)
    );
    let node = ["k8s", "run", "--node", "n9", "--wait", "1s"];
    let output = fake.run(&node);
    assert_eq!(code(&output), 5, "{}", said(&output));
    assert!(
        said(&output).contains("no node takes it (Unschedulable: 0/2 nodes are available"),
        "{}",
        said(&output)
    );
    fake.assert_nothing_is_left();
}

#[test]
fn a_result_that_is_cut_is_told() {
    let Some(fake) = Fake::new() else { return };
    fake.has("cut", Some("1:2"));
    let output = fake.run(&[&["k8s", "run", "--node", "n1"], &LOAD[..]].concat());
    assert_eq!(code(&output), 5, "{}", said(&output));
    assert!(
        said(&output).contains("its result is cut: 1 of"),
        "{}",
        said(&output)
    );
    fake.assert_nothing_is_left();
}

#[test]
fn what_fails_in_the_pod_is_told_as_it_was_there() {
    let Some(fake) = Fake::new() else { return };
    let words = ["k8s", "run", "--node", "n1", "--path", "no/such/place"];
    let output = fake.run(&words);
    assert_eq!(code(&output), 5, "{}", said(&output));
    assert!(
        said(&output).contains("in the pod: ") && said(&output).contains("no/such/place"),
        "{}",
        said(&output)
    );
    let bad = fake.run(&["k8s", "run", "--node", "n1", "--", "-rw=sideways"]);
    assert_eq!(code(&bad), 2, "{}", said(&bad));
    fake.assert_nothing_is_left();
}

#[test]
fn garbage_is_an_error_and_what_it_hides_stays_in_the_journal() {
    let Some(fake) = Fake::new() else { return };
    fake.has("garbage", Some(""));
    let output = fake.run(&["k8s", "run", "--node", "n1"]);
    let told = said(&output);
    assert_eq!(code(&output), 5, "{told}");
    assert!(
        told.contains("what is no answer: it is no JSON") && told.contains("iodyno undo"),
        "{told}"
    );
    assert!(!told.contains("panicked"), "{told}");
    fake.has("garbage", None);
    let undone = fake.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    fake.assert_nothing_is_left();
}

#[test]
fn an_object_of_somebody_else_is_not_deleted() {
    let Some(fake) = Fake::new() else { return };
    fake.killed();
    let name = fake.objects("Job").remove(0);
    let mut job = fake.object("Job", &name);
    job["metadata"]["uid"] = "somebody-else-s".into();
    fake.put("Job", &name, &job);
    let claim = fake.objects("PersistentVolumeClaim").remove(0);
    let mut other = fake.object("PersistentVolumeClaim", &claim);
    other["metadata"]["labels"]["app.kubernetes.io/managed-by"] = "helm".into();
    fake.put("PersistentVolumeClaim", &claim, &other);
    let undone = fake.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    assert_eq!(fake.objects("Job"), [name]);
    assert_eq!(fake.objects("PersistentVolumeClaim"), [claim]);
    assert!(
        !fake.path("deleted").exists() || {
            let deleted = std::fs::read_to_string(fake.path("deleted")).unwrap();
            deleted.lines().all(|line| line.starts_with("pods/"))
        }
    );
    fake.iodyno.assert_nothing_is_changed();
}

#[test]
fn a_cluster_that_is_gone_leaves_the_journal_until_it_answers() {
    let Some(fake) = Fake::new() else { return };
    fake.killed();
    fake.has("down", Some(""));
    let failed = fake.run(&["undo"]);
    assert_eq!(code(&failed), 5, "{}", said(&failed));
    assert!(
        said(&failed).contains("Unable to connect"),
        "{}",
        said(&failed)
    );
    let (status, _) = fake.iodyno.json(&["status"]);
    let id = status["journals"][0]["id"].as_str().unwrap().to_string();
    fake.has("down", None);
    let refused = fake.run(&["undo", "--forget", &id]);
    assert_eq!(code(&refused), 4, "it is there: {}", said(&refused));
    let undone = fake.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    fake.assert_nothing_is_left();
}

#[test]
fn with_a_namespace_went_what_was_in_it() {
    let Some(fake) = Fake::new() else { return };
    fake.killed();
    // Another cluster may answer at the same address, which has no such namespace either.
    fake.has("gone-bench", Some(""));
    fake.has("gone-kube-system", Some(""));
    let failed = fake.run(&["undo"]);
    assert_eq!(code(&failed), 5, "{}", said(&failed));
    assert!(
        said(&failed).contains("iodyno undo --forget"),
        "{}",
        said(&failed)
    );
    fake.has("gone-kube-system", None);
    let undone = fake.run(&["undo"]);
    assert_eq!(code(&undone), 0, "{}", said(&undone));
    fake.iodyno.assert_nothing_is_changed();
}

#[test]
fn names_are_made_only_where_they_go_with_the_volume() {
    let Some(fake) = Fake::new() else { return };
    fake.claim_with_data("data", "ReadWriteOnce");
    let words = ["k8s", "run", "--pvc", "data", "--", "-ioengine=files"];
    let refused = fake.run(&words);
    assert_eq!(code(&refused), 4, "{}", said(&refused));
    assert!(!fake.path("calls").exists(), "kubectl was asked");
}

#[test]
fn a_claim_with_data_keeps_them() {
    let Some(fake) = Fake::new() else { return };
    let volume = fake.claim_with_data("data", "ReadWriteOnce");
    let words = [
        "k8s",
        "run",
        "--pvc",
        "data",
        "--runtime=500ms",
        "--",
        "-rw=randwrite",
        "-size=8m",
    ];
    let output = fake.run(&words);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let left: Vec<_> = std::fs::read_dir(&volume).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "scratch is left: {left:?}");
    assert_eq!(
        std::fs::read(volume.join("precious")).unwrap(),
        vec![7; 1 << 20]
    );
    assert_eq!(fake.objects("PersistentVolumeClaim"), ["data"]);
    let calls = std::fs::read_to_string(fake.path("calls")).unwrap();
    assert!(!calls.contains("namespaces/bench/persistentvolumeclaims"));
    let missing = fake.run(&["k8s", "run", "--pvc", "other"]);
    assert_eq!(code(&missing), 2, "{}", said(&missing));
    fake.assert_nothing_is_left();
}

#[test]
fn a_claim_that_is_only_read_is_only_read() {
    let Some(fake) = Fake::new() else { return };
    fake.claim_with_data("images", "ReadOnlyMany");
    let refused = fake.run(&["k8s", "run", "--pvc", "images"]);
    assert_eq!(code(&refused), 4, "{}", said(&refused));
    assert!(said(&refused).contains("--path FILE"), "{}", said(&refused));
    let words = [
        "k8s",
        "run",
        "--pvc",
        "images",
        "--path",
        "precious",
        "--runtime=500ms",
    ];
    let output = fake.run(&[&words[..], &["--", "-rw=randread", "-bs=4k"]].concat());
    assert_eq!(code(&output), 0, "{}", said(&output));
    fake.assert_nothing_is_left();
}

#[test]
fn missing_rights_are_told_with_what_it_takes() {
    let Some(fake) = Fake::new() else { return };
    fake.has("forbidden", Some(""));
    let output = fake.run(&["k8s", "run", "--node", "n1"]);
    assert_eq!(code(&output), 3, "{}", said(&output));
    assert!(
        said(&output).contains("(Forbidden)") && said(&output).contains("pods/log"),
        "{}",
        said(&output)
    );
    let none = fake.run(&[
        "k8s",
        "run",
        "--node",
        "n1",
        "--kubectl",
        "/no/such/kubectl",
    ]);
    assert!(said(&none).contains("/no/such/kubectl"), "{}", said(&none));
}

#[test]
fn mistakes_cost_no_pod() {
    let Some(fake) = Fake::new() else { return };
    let cases: [&[&str]; 8] = [
        &["k8s", "run"],
        &["k8s", "run", "--storage-class", "a,b"],
        &["k8s", "run", "--host-path", "/srv"],
        &["k8s", "run", "--pvc", "--all"],
        &["k8s", "run", "--node", "n1", "--preset", "no-such"],
        &["k8s", "compare", "--pvc", "a"],
        &["k8s", "compare", "--pvc", "a,a"],
        &["k8s", "check", "--node", "n1", "--path", "../etc"],
    ];
    for words in cases {
        let output = fake.run(words);
        assert_eq!(code(&output), 2, "{words:?}: {}", said(&output));
    }
    assert!(!fake.path("calls").exists(), "kubectl was asked");
}
