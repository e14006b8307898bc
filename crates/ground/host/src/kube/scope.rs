//! Which cluster and which namespace are meant: settled once, so that what is done later goes where the beginning was, whatever
//! the user chooses meanwhile (`kubectl config use-context`).

use super::{KubeError, KubeQuestion, ask, command_words, find};
use crate::{AskError, environment};
use model::kube::{KubeCluster, SavedKube, is_label};
use model::text::clean_to;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where commands of one run go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeScope {
    /// How the cluster is reached.
    pub cluster: KubeCluster,
    /// The address of its API server.
    pub server: String,
    /// The namespace.
    pub namespace: String,
    /// What tells the namespace from another of its name, where this user may ask.
    pub namespace_uid: Option<String>,
    /// What tells the cluster from another behind the same address, where this user may ask.
    pub cluster_uid: Option<String>,
}

/// The namespace that every cluster has, and whose uid stands for the cluster.
const SYSTEM: &str = "kube-system";

/// The scope of a command: the context and the namespace that are named, else those of the user's kubeconfig.
///
/// # Errors
/// Where there is no kubectl, no context, no such namespace, or no answer.
pub fn settle(
    kubectl: Option<&Path>,
    context: Option<&str>,
    namespace: Option<&str>,
    is_over: &dyn Fn() -> bool,
) -> Result<KubeScope, KubeError> {
    let cluster = KubeCluster {
        kubectl: find(kubectl)?,
        kubeconfig: kubeconfig(environment::variable),
        context: context.map(str::to_string),
    };
    let view = view(&cluster, is_over)?;
    let namespace = namespace.map_or_else(|| view.namespace.clone(), str::to_string);
    if !is_label(&namespace) {
        return Err(KubeError::NotCertain(format!(
            "`{}` is no name of a namespace",
            clean_to(&namespace, 80)
        )));
    }
    let cluster = KubeCluster {
        context: view.context.or(cluster.context),
        ..cluster
    };
    let namespace_uid = match uid_of(&cluster, &namespace, is_over)? {
        Found::Uid(uid) => Some(uid),
        Found::Secret => None,
        Found::Absent => {
            return Err(KubeError::NotCertain(format!(
                "the cluster has no namespace {namespace}"
            )));
        }
    };
    let cluster_uid = match uid_of(&cluster, SYSTEM, is_over)? {
        Found::Uid(uid) => Some(uid),
        Found::Secret | Found::Absent => None,
    };
    Ok(KubeScope {
        cluster,
        server: view.server,
        namespace,
        namespace_uid,
        cluster_uid,
    })
}

/// Whether the namespace is still there in which something was made, in the cluster where it was made: with it went what was
/// in it.
///
/// # Errors
/// [`KubeError::Other`] where another cluster answers, or that is not certain; where none answers, why.
pub(super) fn is_namespace_there(
    saved: &SavedKube,
    is_over: &dyn Fn() -> bool,
) -> Result<bool, KubeError> {
    let cluster = &saved.cluster;
    let found = view(cluster, is_over)?.server;
    let other = |what: String, wanted: &str, found: String| KubeError::Other {
        what,
        wanted: wanted.to_string(),
        found,
    };
    if found != saved.server {
        return Err(other("the API server".into(), &saved.server, found));
    }
    // Behind one address there may be one cluster after the other, as behind a tunnel.
    let mut is_certain = false;
    if let Some(wanted) = &saved.cluster_uid
        && let Found::Uid(found) = uid_of(cluster, SYSTEM, is_over)?
    {
        if found != *wanted {
            return Err(other("the cluster".into(), wanted, found));
        }
        is_certain = true;
    }
    let what = || format!("the namespace {}", saved.namespace);
    match (
        uid_of(cluster, &saved.namespace, is_over)?,
        &saved.namespace_uid,
    ) {
        (Found::Absent, _) if is_certain => Ok(false),
        (Found::Uid(found), Some(wanted)) if found != *wanted => match is_certain {
            true => Ok(false),
            false => Err(other(what(), wanted, found)),
        },
        (Found::Absent, wanted) => {
            let wanted = wanted.as_deref().unwrap_or("the one that was there");
            Err(other(what(), wanted, "absent".into()))
        }
        _ => Ok(true),
    }
}

/// The files in which clusters are described, by absolute paths; none where there are none, as in a pod.
fn kubeconfig(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(list) = variable("KUBECONFIG") {
        let files = list.split(':').filter(|file| !file.is_empty());
        let files = files.filter_map(|file| std::path::absolute(file).ok());
        let files: Vec<String> = files
            .map(|file| file.to_string_lossy().into_owned())
            .collect();
        return (!files.is_empty()).then(|| files.join(":"));
    }
    let usual = PathBuf::from(variable("HOME")?).join(".kube/config");
    usual
        .is_file()
        .then(|| usual.to_string_lossy().into_owned())
}

/// What the kubeconfig says of a context.
struct ConfigView {
    context: Option<String>,
    server: String,
    namespace: String,
}

fn view(cluster: &KubeCluster, is_over: &dyn Fn() -> bool) -> Result<ConfigView, KubeError> {
    let words = ["config", "view", "--minify", "--output", "json"];
    let in_pod = || environment::variable("KUBERNETES_SERVICE_HOST");
    let answer = match ask(cluster, &KubeQuestion::new(&words), is_over) {
        Ok(answer) => answer,
        Err(KubeError::Asked(AskError::Failed { said, .. })) => {
            return match (in_pod(), &cluster.context) {
                (Some(host), None) => Ok(ConfigView {
                    context: None,
                    server: host,
                    namespace: own_namespace(),
                }),
                _ => Err(no_context(&said)),
            };
        }
        Err(error) => return Err(error),
    };
    let no_sense = |why: &str| KubeError::NoSense {
        command: command_words(cluster, &words),
        why: why.into(),
    };
    let view: Value = serde_json::from_str(&answer).map_err(|_| no_sense("it is no JSON"))?;
    let text = |path: &str| {
        let found = view.pointer(path).and_then(Value::as_str);
        found
            .filter(|text| !text.is_empty())
            .map(|text| clean_to(text, 300))
    };
    let server = text("/clusters/0/cluster/server");
    Ok(ConfigView {
        context: text("/current-context").or_else(|| text("/contexts/0/name")),
        server: server.ok_or_else(|| no_sense("it names no server"))?,
        namespace: text("/contexts/0/context/namespace").unwrap_or_else(|| "default".into()),
    })
}

/// The namespace of the pod that this runs in.
fn own_namespace() -> String {
    let file = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
    let text = crate::Host::live().text(file).unwrap_or_default();
    match is_label(text.trim()) {
        true => text.trim().to_string(),
        false => "default".into(),
    }
}

fn no_context(said: &str) -> KubeError {
    KubeError::NotCertain(format!(
        "which cluster is meant is not known; kubectl says: {said}. `kubectl config get-contexts` shows what there is: \
         `kubectl config use-context NAME` chooses one, as does --context NAME of `iodyno k8s`"
    ))
}

/// What is known of a namespace.
enum Found {
    Uid(String),
    Absent,
    /// Who has rights in a namespace alone may not look at it.
    Secret,
}

fn uid_of(
    cluster: &KubeCluster,
    namespace: &str,
    is_over: &dyn Fn() -> bool,
) -> Result<Found, KubeError> {
    let words = ["get", "namespace", namespace, "--output", "json"];
    let answer = match ask(cluster, &KubeQuestion::new(&words), is_over) {
        Ok(answer) => answer,
        Err(error) if error.is_permission() => return Ok(Found::Secret),
        Err(error) if error.is_not_found() => return Ok(Found::Absent),
        Err(error) => return Err(error),
    };
    let found: Option<Value> = serde_json::from_str(&answer).ok();
    let uid = found
        .as_ref()
        .and_then(|found| found.pointer("/metadata/uid")?.as_str());
    match uid {
        Some(uid) => Ok(Found::Uid(clean_to(uid, 80))),
        None => Err(KubeError::NoSense {
            command: command_words(cluster, &words),
            why: "it is no object with a uid".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_those_of_the_variable_then_the_usual_one() {
        let dir = crate::files::temporary_dir("kubeconfig").unwrap();
        let home = dir.path().to_string_lossy().into_owned();
        let of = |variables: &[(&str, &str)]| {
            kubeconfig(|name| {
                let found = variables.iter().find(|(one, _)| *one == name);
                found.map(|(_, value)| value.to_string())
            })
        };
        assert_eq!(of(&[("HOME", &home)]), None);
        std::fs::create_dir(dir.path().join(".kube")).unwrap();
        std::fs::write(dir.path().join(".kube/config"), "").unwrap();
        assert_eq!(of(&[("HOME", &home)]), Some(format!("{home}/.kube/config")));
        assert_eq!(
            of(&[("KUBECONFIG", "/a:/b:"), ("HOME", &home)]).as_deref(),
            Some("/a:/b")
        );
        let relative = of(&[("KUBECONFIG", "mine")]).unwrap();
        assert!(
            relative.starts_with('/') && relative.ends_with("/mine"),
            "{relative}"
        );
    }
}
