//! Kubernetes: how a cluster is reached, what iodyno has made in one, and where in one a record was made.

use crate::text::clean;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The label that says who made an object, and its value for iodyno's.
pub const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "iodyno");
/// The label that says by which command an object was made: its run id.
pub const INSTANCE: &str = "app.kubernetes.io/instance";
/// Longest name of an object, characters (RFC 1123 subdomain).
const NAME_MAX: usize = 253;
/// Longest part of a name between dots, and longest label, characters.
const LABEL_MAX: usize = 63;

/// How a cluster is reached, whatever the environment says later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KubeCluster {
    /// Absolute path of kubectl.
    pub kubectl: String,
    /// The files that say how, as `KUBECONFIG` takes them; none inside a pod, where its service account says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<String>,
    /// The context in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

impl KubeCluster {
    /// The context for people.
    pub fn name(&self) -> &str {
        self.context.as_deref().unwrap_or("in-cluster")
    }
}

/// A kind of object that iodyno makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KubeKind {
    /// A pod that runs once.
    Job,
    /// A pod on each node.
    DaemonSet,
    /// A claim to a volume.
    PersistentVolumeClaim,
    /// A pod, which one of the first two made.
    Pod,
}

impl KubeKind {
    /// As kubectl takes it, with its group where it has one.
    pub fn resource(self) -> &'static str {
        match self {
            KubeKind::Job => "jobs.batch",
            KubeKind::DaemonSet => "daemonsets.apps",
            KubeKind::PersistentVolumeClaim => "persistentvolumeclaims",
            KubeKind::Pod => "pods",
        }
    }

    /// As manifests and owners name it.
    pub fn kind(self) -> &'static str {
        match self {
            KubeKind::Job => "Job",
            KubeKind::DaemonSet => "DaemonSet",
            KubeKind::PersistentVolumeClaim => "PersistentVolumeClaim",
            KubeKind::Pod => "Pod",
        }
    }

    /// Where the server has those of a namespace.
    pub fn path(self, namespace: &str) -> String {
        let (group, plural) = match self {
            KubeKind::Job => ("apis/batch/v1", "jobs"),
            KubeKind::DaemonSet => ("apis/apps/v1", "daemonsets"),
            KubeKind::PersistentVolumeClaim => ("api/v1", "persistentvolumeclaims"),
            KubeKind::Pod => ("api/v1", "pods"),
        };
        format!("/{group}/namespaces/{namespace}/{plural}")
    }

    /// Whether it makes pods.
    pub fn makes_pods(self) -> bool {
        matches!(self, KubeKind::Job | KubeKind::DaemonSet)
    }
}

/// An object of iodyno's own in a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedKube {
    /// How its cluster is reached.
    pub cluster: KubeCluster,
    /// The address of the API server: behind another one, none of these is known.
    pub server: String,
    /// The namespace that it is in.
    pub namespace: String,
    /// What tells the namespace from another of its name, where this user may ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_uid: Option<String>,
    /// What tells the cluster from another behind the same address (the uid of `kube-system`), where this user may ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_uid: Option<String>,
    /// What it is.
    pub kind: KubeKind,
    /// Its name, which has the run id in it.
    pub name: String,
    /// The run id: the value of the label [`INSTANCE`].
    pub run: String,
    /// What tells it from another of its name; none while it is about to be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
}

impl SavedKube {
    /// What names of iodyno's own begin with.
    pub const OURS: &str = "iodyno-";

    /// Where it is, for people: `kubernetes://prod/bench/jobs.batch/iodyno-4f1c-run`.
    pub fn place(&self) -> String {
        let (cluster, namespace) = (self.cluster.name(), &self.namespace);
        let place = format!(
            "kubernetes://{cluster}/{namespace}/{}/{}",
            self.kind.resource(),
            self.name
        );
        clean(&place).into_owned()
    }

    /// Whether these are names that iodyno gives.
    pub fn is_own(&self) -> bool {
        let has_run = self
            .name
            .strip_prefix(Self::OURS)
            .is_some_and(|rest| rest.starts_with(&self.run));
        // It is executed.
        let is_absolute = self.cluster.kubectl.starts_with('/');
        has_run
            && is_absolute
            && is_label(&self.run)
            && is_name(&self.name)
            && is_label(&self.namespace)
    }

    /// Whether both are words about one object.
    pub fn is_about(&self, other: &SavedKube) -> bool {
        (&self.server, &self.namespace, self.kind, &self.name)
            == (&other.server, &other.namespace, other.kind, &other.name)
    }
}

/// What was loaded in a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KubeStorage {
    /// A volume of this storage class, made for the load.
    StorageClass(String),
    /// A claim that was there.
    Claim(String),
    /// A directory of the node.
    HostPath(String),
    /// The disk on which the node has its pods (an emptyDir).
    Node,
}

impl fmt::Display for KubeStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KubeStorage::StorageClass(name) => write!(f, "storage class {name}"),
            KubeStorage::Claim(name) => write!(f, "claim {name}"),
            KubeStorage::HostPath(path) => write!(f, "host path {path}"),
            KubeStorage::Node => f.write_str("the node's own disk"),
        }
    }
}

/// Where in a cluster a record was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KubePlace {
    /// The context by which the cluster was reached.
    pub context: String,
    /// The namespace.
    pub namespace: String,
    /// The node on which the pod ran.
    pub node: String,
    /// The pod.
    pub pod: String,
    /// The image of the pod.
    pub image: String,
    /// What was loaded.
    pub storage: KubeStorage,
    /// The claim that was mounted, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The volume behind the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// The claim's storage class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_class: Option<String>,
}

/// Whether a text is a name of an object: an RFC 1123 subdomain.
pub fn is_name(text: &str) -> bool {
    text.len() <= NAME_MAX && text.split('.').all(is_label)
}

/// Whether a text is the name of a namespace, or a part of another name: an RFC 1123 label.
pub fn is_label(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    text.len() <= LABEL_MAX
        && ends
            .into_iter()
            .all(|end| end.is_some_and(|byte| is_plain(*byte)))
        && bytes.iter().all(|byte| is_plain(*byte) || *byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_kubernetes_takes() {
        for name in ["a", "fast-ssd", "csi.example.com", "n1", &"a".repeat(63)] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "",
            "-a",
            "a-",
            "A",
            "a_b",
            "a..b",
            ".a",
            "a b",
            "--all",
            &"a".repeat(64),
        ] {
            assert!(!is_name(name), "{name}");
        }
        assert!(!is_label("a.b"));
    }

    #[test]
    fn only_names_with_the_run_in_them_are_ours() {
        let saved = |name: &str, run: &str| SavedKube {
            cluster: KubeCluster {
                kubectl: "/usr/bin/kubectl".into(),
                context: Some("prod".into()),
                ..KubeCluster::default()
            },
            server: "https://10.0.0.1:6443".into(),
            namespace: "bench".into(),
            namespace_uid: None,
            cluster_uid: None,
            kind: KubeKind::Job,
            name: name.into(),
            run: run.into(),
            uid: None,
        };
        assert!(saved("iodyno-4f1c-run", "4f1c").is_own());
        assert_eq!(
            saved("iodyno-4f1c-run", "4f1c").place(),
            "kubernetes://prod/bench/jobs.batch/iodyno-4f1c-run"
        );
        for (name, run) in [
            ("web", "4f1c"),
            ("iodyno-web", "4f1c"),
            ("iodyno-", ""),
            ("iodyno-4f1c/../x", "4f1c"),
        ] {
            assert!(!saved(name, run).is_own(), "{name}");
        }
    }
}
