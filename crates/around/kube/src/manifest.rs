//! The objects that a run makes, as the API takes them (batch/v1, apps/v1, v1).
//!
//! Pods ask for as little as they can: they run as somebody who is nobody, without capabilities, without a token of the API,
//! with a root file system that is read-only, and with limits. That is what the profile `restricted` of the Pod Security
//! Standards demands; only a path of the host and the host's network are more than it allows.

use model::kube::{INSTANCE, MANAGED_BY};
use serde_json::{Map, Value, json};

/// Where what is loaded is mounted in a pod.
pub const TARGET: &str = "/target";
/// The container's name.
pub const CONTAINER: &str = "iodyno";
/// The label that tells the objects of one run apart.
pub const COMPONENT: &str = "app.kubernetes.io/component";
/// The label with the program's name.
const PROGRAM: &str = "app.kubernetes.io/name";
/// Where a pod keeps what it measured until it is brought home: an emptyDir, which everybody in the pod may write to, and in
/// it a directory of iodyno's own.
const STATE: &str = "/data";
const STATE_DIR: &str = "/data/state";
/// The most that is kept there, bytes: a record has some MiB.
const STATE_BYTES: u64 = 256 << 20;
/// What a pod asks for at least, thousandths of a CPU and bytes.
const REQUEST: (u64, u64) = (250, 256 << 20);
/// How long a pod may take to end, s: scratch goes at once.
const GRACE_S: u64 = 30;

/// Whose an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The run id.
    pub run: String,
    /// Which of the run's: `claim-1`, `load-1-2`.
    pub component: String,
}

impl Owner {
    /// The object's name: no other run has one like it.
    pub fn name(&self) -> String {
        format!("iodyno-{}-{}", self.run, self.component)
    }

    fn labels(&self) -> Value {
        json!({
            (MANAGED_BY.0): MANAGED_BY.1,
            (PROGRAM): "iodyno",
            (INSTANCE): self.run,
            (COMPONENT): self.component,
        })
    }

    fn metadata(&self) -> Value {
        json!({ "name": self.name(), "labels": self.labels() })
    }
}

/// What is mounted at [`TARGET`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodVolume {
    /// A claim.
    Claim {
        /// Its name.
        name: String,
        /// Whether it can only be read.
        read_only: bool,
        /// Whether it was made for this run, so that nobody's files are in it.
        is_new: bool,
    },
    /// A directory of the node, which has to be there.
    HostPath(String),
    /// The disk on which the node has its pods.
    Empty,
}

/// A taint that a pod bears, as `kubectl taint` writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toleration {
    /// Its key; empty for every taint.
    pub key: String,
    /// Its value; none for any.
    pub value: Option<String>,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`; none for any.
    pub effect: Option<String>,
}

/// What a pod is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodWish {
    /// Its image.
    pub image: String,
    /// The secret by which the image is pulled.
    pub pull_secret: Option<String>,
    /// The words for the image's program.
    pub words: Vec<String>,
    /// What is loaded.
    pub volume: PodVolume,
    /// The node that it must run on.
    pub node: Option<String>,
    /// The taints that it bears.
    pub tolerations: Vec<Toleration>,
    /// Whom it runs as.
    pub user: u32,
    /// Of which group.
    pub group: u32,
    /// The most CPU that it may have, thousandths.
    pub cpu_millis: u64,
    /// The most memory that it may have, bytes.
    pub memory_bytes: u64,
    /// Whether it uses the node's network, for nodes without one for pods.
    pub host_network: bool,
}

/// A claim to a volume of a storage class, for one pod at a time.
pub fn claim(owner: &Owner, class: &str, bytes: u64) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": owner.metadata(),
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "volumeMode": "Filesystem",
            "storageClassName": class,
            "resources": { "requests": { "storage": bytes.to_string() } },
        },
    })
}

/// How long a job may go on, s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobTimes {
    /// Its pod may take so long to start.
    pub start: u64,
    /// And run so long: the kubelet ends it then, and its log stays.
    pub run: u64,
    /// So long after its end the cluster removes it, where nobody else has.
    pub ttl: u64,
}

/// How much longer than its pod a job may go on, s: when the controller ends a job, the log of its pod goes.
const JOB_LONGER_S: u64 = 120;

/// A pod that runs once.
pub fn job(owner: &Owner, pod: &PodWish, times: JobTimes) -> Value {
    let mut template = template(owner, pod, "Never");
    template["spec"]["activeDeadlineSeconds"] = json!(times.run);
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": owner.metadata(),
        "spec": {
            "backoffLimit": 0,
            "completions": 1,
            "parallelism": 1,
            "activeDeadlineSeconds": times.start + times.run + JOB_LONGER_S,
            "ttlSecondsAfterFinished": times.ttl,
            "template": template,
        },
    })
}

/// A pod on each node. Sets have no deadline: their pods stay until somebody deletes them.
pub fn daemon_set(owner: &Owner, pod: &PodWish) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": owner.metadata(),
        "spec": {
            "selector": { "matchLabels": { (INSTANCE): owner.run, (COMPONENT): owner.component } },
            "template": template(owner, pod, "Always"),
        },
    })
}

/// Several manifests as one document for `kubectl apply`; in a namespace where one is named.
pub fn list(mut items: Vec<Value>, namespace: Option<&str>) -> Value {
    for item in &mut items {
        if let Some(namespace) = namespace {
            item["metadata"]["namespace"] = json!(namespace);
        }
    }
    json!({ "apiVersion": "v1", "kind": "List", "items": items })
}

fn template(owner: &Owner, pod: &PodWish, restart: &str) -> Value {
    let mut spec = Map::new();
    let mut set = |name: &str, value: Value| {
        spec.insert(name.into(), value);
    };
    set("restartPolicy", json!(restart));
    set("automountServiceAccountToken", json!(false));
    set("enableServiceLinks", json!(false));
    set("terminationGracePeriodSeconds", json!(GRACE_S));
    set("securityContext", pod_security(pod));
    set("containers", json!([container(pod)]));
    set("volumes", volumes(pod));
    if let Some(node) = &pod.node {
        set("affinity", on_node(node));
    }
    if !pod.tolerations.is_empty() {
        let all: Vec<Value> = pod.tolerations.iter().map(toleration).collect();
        set("tolerations", json!(all));
    }
    if let Some(secret) = &pod.pull_secret {
        set("imagePullSecrets", json!([{ "name": secret }]));
    }
    if pod.host_network {
        set("hostNetwork", json!(true));
    }
    json!({ "metadata": { "labels": owner.labels() }, "spec": spec })
}

/// The group of a volume's files is set only where the volume is new: of others it would change what is in them.
fn pod_security(pod: &PodWish) -> Value {
    let mut security = json!({
        "runAsNonRoot": pod.user != 0,
        "runAsUser": pod.user,
        "runAsGroup": pod.group,
        "seccompProfile": { "type": "RuntimeDefault" },
    });
    if is_new_volume(&pod.volume) {
        security["fsGroup"] = json!(pod.group);
        security["fsGroupChangePolicy"] = json!("OnRootMismatch");
    }
    security
}

fn is_new_volume(volume: &PodVolume) -> bool {
    match volume {
        PodVolume::Claim { is_new, .. } => *is_new,
        PodVolume::HostPath(_) => false,
        PodVolume::Empty => true,
    }
}

/// Of the words the kubelet makes `$` out of `$$`, and a variable's value out of `$(NAME)`.
fn container(pod: &PodWish) -> Value {
    let request = (
        REQUEST.0.min(pod.cpu_millis),
        REQUEST.1.min(pod.memory_bytes),
    );
    let resources = |(millis, bytes): (u64, u64)| json!({ "cpu": format!("{millis}m"), "memory": bytes.to_string() });
    let mut target = json!({ "name": "target", "mountPath": TARGET });
    if let PodVolume::Claim {
        read_only: true, ..
    } = pod.volume
    {
        target["readOnly"] = json!(true);
    }
    json!({
        "name": CONTAINER,
        "image": pod.image,
        "imagePullPolicy": "IfNotPresent",
        "args": pod.words.iter().map(|word| word.replace('$', "$$")).collect::<Vec<_>>(),
        "env": [{ "name": "IODYNO_STATE_DIR", "value": STATE_DIR }],
        "resources": { "requests": resources(request), "limits": resources((pod.cpu_millis, pod.memory_bytes)) },
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"] },
        },
        "volumeMounts": [target, { "name": "state", "mountPath": STATE }, { "name": "state", "mountPath": "/run" }],
    })
}

fn volumes(pod: &PodWish) -> Value {
    let target = match &pod.volume {
        PodVolume::Claim {
            name, read_only, ..
        } => {
            let mut source = json!({ "claimName": name });
            if *read_only {
                source["readOnly"] = json!(true);
            }
            json!({ "name": "target", "persistentVolumeClaim": source })
        }
        PodVolume::HostPath(path) => {
            json!({ "name": "target", "hostPath": { "path": path, "type": "Directory" } })
        }
        PodVolume::Empty => json!({ "name": "target", "emptyDir": {} }),
    };
    let state = json!({ "name": "state", "emptyDir": { "sizeLimit": STATE_BYTES.to_string() } });
    json!([target, state])
}

/// By its name, which a label can differ from.
fn on_node(node: &str) -> Value {
    let term =
        json!({ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": [node] }] });
    json!({
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": [term] },
        },
    })
}

fn toleration(of: &Toleration) -> Value {
    let mut all = Map::new();
    if !of.key.is_empty() {
        all.insert("key".into(), json!(of.key));
    }
    match &of.value {
        Some(value) => {
            all.insert("operator".into(), json!("Equal"));
            all.insert("value".into(), json!(value));
        }
        None => {
            all.insert("operator".into(), json!("Exists"));
        }
    }
    if let Some(effect) = &of.effect {
        all.insert("effect".into(), json!(effect));
    }
    Value::Object(all)
}

/// clap's parser for `KEY`, `KEY=VALUE`, `KEY=VALUE:EFFECT`, `KEY:EFFECT`, and `all` for every taint.
///
/// # Errors
/// What it has to be.
pub fn parse_toleration(text: &str) -> Result<Toleration, String> {
    let (rest, effect) = match text.rsplit_once(':') {
        Some((rest, effect)) => (rest, Some(effect)),
        None => (text, None),
    };
    let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
    if effect.is_some_and(|effect| !effects.contains(&effect)) {
        return Err(format!("the effect of a taint is {}", effects.join(", ")));
    }
    let (key, value) = match rest.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (rest, None),
    };
    if key.is_empty() || key.contains(char::is_whitespace) {
        return Err("it is KEY, KEY=VALUE, KEY=VALUE:EFFECT, or all".into());
    }
    let is_all = key == "all" && value.is_none();
    Ok(Toleration {
        key: if is_all {
            String::new()
        } else {
            key.to_string()
        },
        value: value.map(str::to_string),
        effect: effect.map(str::to_string),
    })
}

#[cfg(test)]
mod tests;
