//! Objects of iodyno's own in a cluster: made so that nothing of that name can have been there, and deleted by their uid, after
//! a look at their labels. Nothing else in a cluster is ever deleted.

use super::scope::{self, KubeScope};
use super::{KubeError, KubeQuestion, ask, ask_to_the_end, command_words};
use crate::asked::Patience;
use crate::clock;
use model::kube::{INSTANCE, KubeCluster, KubeKind, MANAGED_BY, SavedKube};
use model::text::clean_to;
use serde_json::Value;

/// How long an object is waited for to be gone, ms: a pod has 30 s to end, and its volume goes after it.
const GONE_MS: u64 = 120_000;
/// How often is looked, ms.
const LOOK_MS: u64 = 300;

/// Makes an object, and gives its uid. Where one of that name is there, nothing is changed.
///
/// # Errors
/// Where the cluster does not make it.
pub fn create(scope: &KubeScope, manifest: &Value) -> Result<String, KubeError> {
    let words = ["create", "--filename", "-", "--output", "json"];
    let words: Vec<&str> = ["--namespace", &scope.namespace]
        .into_iter()
        .chain(words)
        .collect();
    let input = manifest.to_string();
    let question = KubeQuestion {
        input: &input,
        ..KubeQuestion::new(&words)
    };
    let answer = ask_to_the_end(&scope.cluster, &question)?;
    let made = parsed(&scope.cluster, &words, &answer)?;
    uid(&made).ok_or_else(|| KubeError::NoSense {
        command: command_words(&scope.cluster, &words),
        why: "what was made has no uid".into(),
    })
}

/// Deletes it, and what it made, and waits until they are gone. Gives whether it was there. Another object of its name is left
/// alone.
///
/// # Errors
/// Where another cluster answers, or none, or it does not let this user delete: then it is still there.
pub fn remove(saved: &SavedKube, patience: &Patience) -> Result<bool, KubeError> {
    let is_over = || patience.is_over();
    if !scope::is_namespace_there(saved, &is_over)? {
        return Ok(false);
    }
    let until_ns = patience
        .until_ns
        .min(clock::outer::monotonic_ns() + GONE_MS * 1_000_000);
    let bound = Patience {
        until_ns,
        stop: patience.stop.clone(),
    };
    let was_there = remove_one(saved, &bound)?;
    if saved.kind.makes_pods() {
        for pod in pods(saved, &is_over)? {
            remove_one(&pod, &bound)?;
        }
    }
    Ok(was_there)
}

/// Whether it, or a pod that it made, is still there.
///
/// # Errors
/// As of [`remove`].
pub fn is_there(saved: &SavedKube) -> Result<bool, KubeError> {
    let never = || false;
    if !scope::is_namespace_there(saved, &never)? {
        return Ok(false);
    }
    let is_there = own(saved, &never)?.is_some();
    Ok(is_there || (saved.kind.makes_pods() && !pods(saved, &never)?.is_empty()))
}

fn remove_one(saved: &SavedKube, patience: &Patience) -> Result<bool, KubeError> {
    let is_stopped = || patience.stop.is_asked();
    let Some(found) = own(saved, &is_stopped)? else {
        return Ok(false);
    };
    let known = SavedKube {
        uid: uid(&found),
        ..saved.clone()
    };
    match delete(&known, &is_stopped) {
        Ok(()) => {}
        // It went by itself, or another has its name since.
        Err(error) if error.is_not_found() || error.is_conflict() => {
            return match own(&known, &is_stopped)? {
                None => Ok(true),
                Some(_) => Err(error),
            };
        }
        Err(error) => return Err(error),
    }
    while let Some(left) = own(&known, &is_stopped)? {
        if patience.is_over() {
            return Err(KubeError::StillThere {
                place: saved.place(),
                why: why_left(&left),
            });
        }
        clock::outer::sleep_ms(LOOK_MS);
    }
    Ok(true)
}

/// Deletes what has this uid, and nothing else: the server compares.
fn delete(known: &SavedKube, is_over: &dyn Fn() -> bool) -> Result<(), KubeError> {
    let path = format!(
        "{}{}/{}",
        server_path(&known.server),
        known.kind.path(&known.namespace),
        known.name
    );
    let words = ["delete", "--raw", &path, "--filename", "-"];
    let options = serde_json::json!({
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "propagationPolicy": "Background",
        "preconditions": { "uid": known.uid },
    });
    let input = options.to_string();
    let question = KubeQuestion {
        input: &input,
        ..KubeQuestion::new(&words)
    };
    ask(&known.cluster, &question, is_over).map(|_| ())
}

/// What stands behind the host in the address of an API server, which kubectl leaves out of what it is given raw.
fn server_path(server: &str) -> &str {
    let rest = server.split_once("://").map_or(server, |(_, rest)| rest);
    rest.find('/')
        .map_or("", |at| rest[at..].trim_end_matches('/'))
}

/// The object as it is now, where it is the one that is meant: by its labels, and by its uid once that is known.
fn own(saved: &SavedKube, is_over: &dyn Fn() -> bool) -> Result<Option<Value>, KubeError> {
    let words = [
        "--namespace",
        &saved.namespace,
        "get",
        saved.kind.resource(),
        &saved.name,
        "--ignore-not-found",
        "--output",
        "json",
    ];
    let answer = ask(&saved.cluster, &KubeQuestion::new(&words), is_over)?;
    if answer.trim().is_empty() {
        return Ok(None);
    }
    let found = parsed(&saved.cluster, &words, &answer)?;
    Ok(Some(found).filter(|found| is_meant(found, saved)))
}

fn is_meant(found: &Value, saved: &SavedKube) -> bool {
    let label = |name: &str| found["metadata"]["labels"][name].as_str();
    let is_ours = label(MANAGED_BY.0) == Some(MANAGED_BY.1);
    let has_uid = saved.uid.is_none() || uid(found) == saved.uid;
    is_ours && label(INSTANCE) == Some(saved.run.as_str()) && has_uid && uid(found).is_some()
}

/// The pods of the run that a job or a set made.
fn pods(owner: &SavedKube, is_over: &dyn Fn() -> bool) -> Result<Vec<SavedKube>, KubeError> {
    let selector = format!("{}={},{INSTANCE}={}", MANAGED_BY.0, MANAGED_BY.1, owner.run);
    let words = [
        "--namespace",
        &owner.namespace,
        "get",
        "pods",
        "--selector",
        &selector,
        "--output",
        "json",
    ];
    let answer = ask(&owner.cluster, &KubeQuestion::new(&words), is_over)?;
    let found = parsed(&owner.cluster, &words, &answer)?;
    let items = found["items"].as_array().cloned().unwrap_or_default();
    let is_made_by = |pod: &&Value| {
        let owners = pod["metadata"]["ownerReferences"].as_array();
        owners.into_iter().flatten().any(|one| {
            let is_same = one["kind"] == owner.kind.kind() && one["name"] == owner.name.as_str();
            let has_uid = owner.uid.is_none() || one["uid"].as_str() == owner.uid.as_deref();
            is_same && has_uid
        })
    };
    let pod = |pod: &Value| {
        let name = pod["metadata"]["name"].as_str()?;
        model::kube::is_name(name).then(|| SavedKube {
            kind: KubeKind::Pod,
            name: name.to_string(),
            uid: uid(pod),
            ..owner.clone()
        })
    };
    Ok(items.iter().filter(is_made_by).filter_map(pod).collect())
}

fn why_left(left: &Value) -> String {
    let finalizers = left["metadata"]["finalizers"].as_array();
    let finalizers: Vec<&str> = finalizers
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let is_going = left["metadata"]["deletionTimestamp"].is_string();
    match (is_going, finalizers.is_empty()) {
        (true, false) => {
            let names = clean_to(&finalizers.join(", "), 200);
            format!(": it is being deleted, and waits for {names}")
        }
        (true, true) => ": it is being deleted".into(),
        (false, _) => String::new(),
    }
}

fn uid(object: &Value) -> Option<String> {
    let uid = object["metadata"]["uid"].as_str()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_uid = !uid.is_empty() && uid.len() <= 64 && uid.bytes().all(is_plain);
    is_uid.then(|| uid.to_string())
}

fn parsed(cluster: &KubeCluster, words: &[&str], answer: &str) -> Result<Value, KubeError> {
    serde_json::from_str(answer).map_err(|_| KubeError::NoSense {
        command: command_words(cluster, words),
        why: format!("it is no JSON: {}", clean_to(answer.trim(), 80)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn saved(uid: Option<&str>) -> SavedKube {
        SavedKube {
            cluster: KubeCluster::default(),
            server: String::new(),
            namespace: "default".into(),
            namespace_uid: None,
            cluster_uid: None,
            kind: KubeKind::Job,
            name: "iodyno-4f1c-run".into(),
            run: "4f1c".into(),
            uid: uid.map(str::to_string),
        }
    }

    #[test]
    fn only_what_has_our_labels_and_the_known_uid_is_meant() {
        let object = |manager: &str, run: &str, uid: &str| json!({"metadata": {"uid": uid, "labels": {MANAGED_BY.0: manager, INSTANCE: run}}});
        let is = |object: Value, uid| is_meant(&object, &saved(uid));
        assert!(is(object("iodyno", "4f1c", "u-1"), None));
        assert!(is(object("iodyno", "4f1c", "u-1"), Some("u-1")));
        assert!(!is(object("iodyno", "4f1c", "u-2"), Some("u-1")));
        assert!(!is(object("helm", "4f1c", "u-1"), Some("u-1")));
        assert!(!is(object("iodyno", "4f1d", "u-1"), Some("u-1")));
        assert!(!is(object("iodyno", "4f1c", ""), None));
        for odd in [
            json!(null),
            json!([]),
            json!({"metadata": 7}),
            json!({"metadata": {"labels": []}}),
        ] {
            assert!(!is(odd, None));
        }
    }

    #[test]
    fn an_api_server_may_lie_below_a_path() {
        let front = "/k8s/clusters/c-1";
        let server = "https://rancher.example:8443/k8s/clusters/c-1/";
        assert_eq!(server_path(server), front);
        assert_eq!(server_path("https://10.0.0.1:6443"), "");
        assert_eq!(server_path("https://10.0.0.1/"), "");
        assert_eq!(server_path("10.96.0.1"), "");
    }

    #[test]
    fn what_keeps_an_object_is_told() {
        let left = json!({"metadata": {"deletionTimestamp": "x", "finalizers": ["kubernetes.io/pvc-protection"]}});
        assert_eq!(
            why_left(&left),
            ": it is being deleted, and waits for kubernetes.io/pvc-protection"
        );
        assert_eq!(why_left(&json!({"metadata": {}})), "");
    }
}
