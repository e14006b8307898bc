//! What kubectl says of pods, claims, jobs, sets and events, as JSON. It is a stranger's: what is missing, of another type or
//! endless is left out, cleaned or cut, and never more than an error.

use crate::manifest::CONTAINER;
use model::text::clean_to;
use serde_json::Value;

/// Longest message that is kept, characters.
const MESSAGE_MAX: usize = 400;
/// Longest word that is kept: a name, a phase, a reason.
const WORD_MAX: usize = 260;
/// The most objects of a list that are looked at.
const ITEMS_MAX: usize = 10_000;

/// Why something is as it is: a word for programs, and a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// `Unschedulable`, `ImagePullBackOff`.
    pub reason: String,
    /// The sentence.
    pub message: String,
}

impl Reason {
    /// Both, as far as they are there.
    pub fn words(&self) -> String {
        match (self.reason.is_empty(), self.message.is_empty()) {
            (_, true) => self.reason.clone(),
            (true, false) => self.message.clone(),
            (false, false) => format!("{}: {}", self.reason, self.message),
        }
    }
}

/// How a container ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terminated {
    /// Its exit code.
    pub exit: i64,
    /// Why: `OOMKilled`, `Error`, `Completed`.
    pub why: Reason,
}

/// A pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodLook {
    /// Its name.
    pub name: String,
    /// The uid of what made it.
    pub owner: Option<String>,
    /// Its node, once it has one.
    pub node: Option<String>,
    /// `Pending`, `Running`, `Succeeded`, `Failed`.
    pub phase: String,
    /// Why its container does not run yet.
    pub waiting: Option<Reason>,
    /// How its container ended.
    pub terminated: Option<Terminated>,
    /// How it ended before it was started anew.
    pub ended_before: Option<Terminated>,
    /// Why no node takes it.
    pub unscheduled: Option<Reason>,
    /// Why the pod as a whole failed: `Evicted`, `DeadlineExceeded`.
    pub failed: Option<Reason>,
}

/// A claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimLook {
    /// `Pending`, `Bound`, `Lost`.
    pub phase: String,
    /// The volume behind it.
    pub volume: Option<String>,
    /// Its storage class.
    pub class: Option<String>,
    /// What it may be used for: `ReadWriteOnce`, `ReadOnlyMany`.
    pub modes: Vec<String>,
    /// Whether it is a block device and no file system.
    pub is_block: bool,
    /// Whether it is being deleted.
    pub is_going: bool,
}

impl ClaimLook {
    /// Whether nobody may write to it.
    pub fn is_read_only(&self) -> bool {
        !self.modes.is_empty() && self.modes.iter().all(|mode| mode == "ReadOnlyMany")
    }
}

/// A set of pods, one on each node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetLook {
    /// How many nodes shall have one; none while nobody has counted.
    pub wanted: Option<u64>,
}

/// Pods of a list.
///
/// # Errors
/// Where this is no list of objects.
pub fn pods(text: &str) -> Result<Vec<PodLook>, String> {
    Ok(items(text)?.iter().filter_map(pod).collect())
}

/// A claim.
///
/// # Errors
/// Where this is no claim.
pub fn claim(text: &str) -> Result<ClaimLook, String> {
    let value = object(text, "PersistentVolumeClaim")?;
    let (spec, status) = (&value["spec"], &value["status"]);
    let modes = spec["accessModes"].as_array();
    Ok(ClaimLook {
        phase: word(&status["phase"]).unwrap_or_default(),
        volume: word(&spec["volumeName"]),
        class: word(&spec["storageClassName"]),
        modes: modes.into_iter().flatten().filter_map(word).collect(),
        is_block: spec["volumeMode"] == "Block",
        is_going: value["metadata"]["deletionTimestamp"].is_string(),
    })
}

/// Why a job failed; none where it did not, or not yet.
///
/// # Errors
/// Where this is no job.
pub fn job_failure(text: &str) -> Result<Option<Reason>, String> {
    let value = object(text, "Job")?;
    Ok(condition(&value, "Failed", "True"))
}

/// A set.
///
/// # Errors
/// Where this is no set.
pub fn set(text: &str) -> Result<SetLook, String> {
    let value = object(text, "DaemonSet")?;
    let status = &value["status"];
    // Before the controller has looked, it is 0 of a generation that nobody has seen.
    let is_counted = status["observedGeneration"].as_u64().is_some();
    let wanted = status["desiredNumberScheduled"].as_u64();
    Ok(SetLook {
        wanted: wanted.filter(|_| is_counted),
    })
}

/// What was told last of an object: warnings before others. None where nothing was.
///
/// # Errors
/// Where this is no list of objects.
pub fn last_event(text: &str) -> Result<Option<Reason>, String> {
    let items = items(text)?;
    let moment = |event: &Value| {
        let times = ["lastTimestamp", "eventTime", "firstTimestamp"];
        let mut times = times.iter().filter_map(|name| word(&event[*name]));
        times.next().unwrap_or_default()
    };
    let rank = |event: &&Value| (event["type"] == "Warning", moment(event));
    let last = items.iter().max_by_key(rank);
    Ok(last.map(|event| Reason {
        reason: word(&event["reason"]).unwrap_or_default(),
        message: message(&event["message"]),
    }))
}

fn pod(value: &Value) -> Option<PodLook> {
    let status = &value["status"];
    let all = status["containerStatuses"].as_array();
    let own = all
        .into_iter()
        .flatten()
        .find(|one| one["name"] == CONTAINER);
    let container = own.unwrap_or(&Value::Null);
    let state = |name: &str| {
        let state = &container["state"][name];
        state.is_object().then(|| (state, reason(state)))
    };
    let ended = |(state, why): (&Value, Reason)| Terminated {
        exit: state["exitCode"].as_i64().unwrap_or(-1),
        why,
    };
    let last = &container["lastState"]["terminated"];
    let failed = reason(status);
    Some(PodLook {
        name: word(&value["metadata"]["name"]).filter(|name| model::kube::is_name(name))?,
        owner: word(&value["metadata"]["ownerReferences"][0]["uid"]),
        node: word(&value["spec"]["nodeName"]),
        phase: word(&status["phase"]).unwrap_or_default(),
        waiting: state("waiting").map(|(_, why)| why),
        terminated: state("terminated").map(ended),
        ended_before: last.is_object().then(|| ended((last, reason(last)))),
        unscheduled: condition(value, "PodScheduled", "False"),
        failed: (failed != Reason::default()).then_some(failed),
    })
}

fn condition(value: &Value, kind: &str, status: &str) -> Option<Reason> {
    let all = value["status"]["conditions"].as_array()?;
    let found = all
        .iter()
        .find(|one| one["type"] == kind && one["status"] == status);
    found.map(reason)
}

fn reason(value: &Value) -> Reason {
    Reason {
        reason: word(&value["reason"]).unwrap_or_default(),
        message: message(&value["message"]),
    }
}

fn word(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    Some(clean_to(text, WORD_MAX))
}

fn message(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    let one_line: Vec<&str> = text.split_whitespace().collect();
    clean_to(&one_line.join(" "), MESSAGE_MAX)
}

fn object(text: &str, kind: &str) -> Result<Value, String> {
    let value = parsed(text)?;
    match value["kind"] == kind {
        true => Ok(value),
        false => Err(format!("it is no {kind}")),
    }
}

fn items(text: &str) -> Result<Vec<Value>, String> {
    let mut value = parsed(text)?;
    match value["items"].take() {
        Value::Array(mut items) => {
            items.truncate(ITEMS_MAX);
            Ok(items)
        }
        _ => Err("it is no list".into()),
    }
}

fn parsed(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("it is no JSON: {}", clean_to(&error.to_string(), 80)))?;
    match value.is_object() {
        true => Ok(value),
        false => Err("it is no object".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn list(items: Value) -> String {
        json!({ "kind": "List", "items": items }).to_string()
    }

    #[test]
    fn a_pod_that_no_node_takes_says_why() {
        let pod = json!({"metadata": {"name": "p"}, "status": {"phase": "Pending", "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available:\n3 Insufficient cpu."}]}});
        let found = &pods(&list(json!([pod]))).unwrap()[0];
        assert_eq!(
            found.unscheduled.as_ref().unwrap().words(),
            "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu."
        );
    }

    #[test]
    fn a_container_is_waiting_or_over() {
        let pod = |state: Value| {
            json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n1"},
                "status": {"phase": "Running", "containerStatuses": [
                    {"name": "a-sidecar", "state": {"running": {}}}, {"name": CONTAINER, "state": state}]}})
        };
        let text = list(json!([
            pod(json!({"waiting": {"reason": "ErrImagePull", "message": "no such image"}})),
            pod(json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}})),
            pod(json!({"running": {}})),
        ]));
        let found = pods(&text).unwrap();
        assert_eq!(found[0].waiting.as_ref().unwrap().reason, "ErrImagePull");
        let over = found[1].terminated.as_ref().unwrap();
        assert_eq!((over.exit, over.why.words()), (137, "OOMKilled".into()));
        assert!(found[2].waiting.is_none() && found[2].terminated.is_none());
        assert_eq!(found[2].node.as_deref(), Some("n1"));
    }

    #[test]
    fn a_claim_that_is_only_read_is_told_from_others() {
        let claim = |modes: Value| {
            let text = json!({"kind": "PersistentVolumeClaim", "spec": {"accessModes": modes}, "status": {"phase": "Bound"}});
            claim(&text.to_string()).unwrap()
        };
        assert!(claim(json!(["ReadOnlyMany"])).is_read_only());
        assert!(!claim(json!(["ReadOnlyMany", "ReadWriteOnce"])).is_read_only());
        assert!(!claim(json!([])).is_read_only());
    }

    #[test]
    fn the_last_warning_stands_for_the_events() {
        let event = |kind: &str, reason: &str, at: &str| json!({"type": kind, "reason": reason, "message": "m", "lastTimestamp": at});
        let text = list(json!([
            event("Normal", "ExternalProvisioning", "2026-01-03T00:00:00Z"),
            event("Warning", "ProvisioningFailed", "2026-01-02T00:00:00Z"),
            event("Warning", "Older", "2026-01-01T00:00:00Z"),
        ]));
        assert_eq!(
            last_event(&text).unwrap().unwrap().reason,
            "ProvisioningFailed"
        );
        assert_eq!(last_event(&list(json!([]))).unwrap(), None);
    }

    #[test]
    fn what_failed_and_what_is_wanted_is_read() {
        let job = json!({"kind": "Job", "status": {"conditions": [
            {"type": "Failed", "status": "True", "reason": "DeadlineExceeded", "message": "Job was active longer than specified deadline"}]}});
        let failure = job_failure(&job.to_string()).unwrap().unwrap();
        assert_eq!(failure.reason, "DeadlineExceeded");
        let unseen = json!({"kind": "DaemonSet", "status": {"desiredNumberScheduled": 0}});
        assert_eq!(set(&unseen.to_string()).unwrap().wanted, None);
        let seen = json!({"kind": "DaemonSet", "status": {"observedGeneration": 1, "desiredNumberScheduled": 3}});
        assert_eq!(set(&seen.to_string()).unwrap().wanted, Some(3));
    }

    #[test]
    fn what_could_drive_a_terminal_is_cleaned_and_cut() {
        let long = "x".repeat(100_000);
        let pod = json!({"metadata": {"name": "p"}, "status": {"phase": "Fail\u{1b}[2J", "reason": "a", "message": long}});
        let found = &pods(&list(json!([pod]))).unwrap()[0];
        assert_eq!(found.phase, "Fail?[2J");
        assert!(found.failed.as_ref().unwrap().message.chars().count() <= MESSAGE_MAX);
        let odd = json!({"metadata": {"name": "--all"}});
        assert!(pods(&list(json!([odd]))).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_something_or_an_error(text in "\\PC{0,60}") {
            let _ = (pods(&text), claim(&text), job_failure(&text), set(&text), last_event(&text));
        }

        #[test]
        fn any_value_in_any_place_is_something_or_an_error(
            value in prop_oneof![Just(json!(null)), Just(json!(7)), Just(json!("x")), Just(json!([])), Just(json!([1])), Just(json!({})), Just(json!([[]]))],
            at in 0..6usize,
        ) {
            let mut pod = json!({"metadata": {"name": "p"}, "spec": {}, "status": {"conditions": [{}], "containerStatuses": [{"name": CONTAINER, "state": {}}]}});
            match at {
                0 => pod["metadata"] = value,
                1 => pod["status"] = value,
                2 => pod["status"]["conditions"] = value,
                3 => pod["status"]["containerStatuses"] = value,
                4 => pod["status"]["containerStatuses"][0]["state"] = value,
                _ => pod["metadata"]["name"] = value,
            }
            let _ = pods(&list(json!([pod])));
        }
    }
}
