//! What a run in a cluster waits for, in words, and whether it waits in vain.

use crate::look::{ClaimLook, PodLook, Reason};

/// Why a container waits that will never start.
const HOPELESS: &[&str] = &[
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "CrashLoopBackOff",
];
/// Why it waits where nothing is wrong.
const USUAL: &[&str] = &["ContainerCreating", "PodInitializing"];

/// Where a pod is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodState {
    /// It does not run yet.
    Waits(Waiting),
    /// It runs, on this node.
    Runs(String),
    /// It has ended.
    Over,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// In words: `pod p: no node takes it (Unschedulable: 0/3 nodes …)`.
    pub words: String,
    /// Whose events may say more: a kind and a name.
    pub about: Option<(&'static str, String)>,
    /// Whether it will never come.
    pub is_hopeless: bool,
}

impl Waiting {
    fn new(words: impl Into<String>) -> Waiting {
        Waiting {
            words: words.into(),
            about: None,
            is_hopeless: false,
        }
    }

    fn about(self, kind: &'static str, name: &str) -> Waiting {
        Waiting {
            about: Some((kind, name.to_string())),
            ..self
        }
    }

    /// The same with what the cluster told last of it.
    pub fn told(self, event: Option<Reason>) -> Waiting {
        match event {
            Some(event) => Waiting {
                words: format!("{} ({})", self.words, event.words()),
                is_hopeless: self.is_hopeless || is_refused(&event),
                ..self
            },
            None => self,
        }
    }
}

/// Whether the API refuses such a pod for good. One that passes a quota may fit in later.
fn is_refused(event: &Reason) -> bool {
    let words = ["violates PodSecurity", " is invalid"];
    event.reason == "FailedCreate" && words.iter().any(|word| event.message.contains(word))
}

/// Where a pod is that `owner` (a kind and a name) is to make, with the claim that it mounts, where it mounts one.
pub fn state(
    pod: Option<&PodLook>,
    owner: (&'static str, &str),
    claim: Option<(&str, &ClaimLook)>,
) -> PodState {
    let Some(pod) = pod else {
        let words = format!("the pod of {} {}: it is not there yet", owner.0, owner.1);
        return PodState::Waits(Waiting::new(words).about(owner.0, owner.1));
    };
    if pod.terminated.is_some() || matches!(pod.phase.as_str(), "Succeeded" | "Failed") {
        return PodState::Over;
    }
    if let (Some(node), None, "Running") = (&pod.node, &pod.waiting, pod.phase.as_str()) {
        return PodState::Runs(node.clone());
    }
    PodState::Waits(waits(pod, claim))
}

fn waits(pod: &PodLook, claim: Option<(&str, &ClaimLook)>) -> Waiting {
    let name = &pod.name;
    // A claim may wait for the node of its pod, and then what keeps that is the reason.
    let is_by_claim = |why: &Reason| why.message.contains("PersistentVolumeClaim");
    let is_other = pod
        .unscheduled
        .as_ref()
        .is_some_and(|why| !is_by_claim(why));
    if let Some((claim, look)) = claim
        && look.phase != "Bound"
        && !is_other
    {
        return waits_for_claim(claim, look);
    }
    if let Some(why) = &pod.unscheduled {
        return Waiting::new(format!("pod {name}: no node takes it ({})", why.words()));
    }
    match &pod.waiting {
        Some(why) if HOPELESS.contains(&why.reason.as_str()) => Waiting {
            is_hopeless: true,
            ..Waiting::new(format!("pod {name}: {}", why.words()))
        },
        Some(why) if !USUAL.contains(&why.reason.as_str()) => {
            Waiting::new(format!("pod {name}: {}", why.words()))
        }
        _ if pod.node.is_none() => Waiting::new(format!("pod {name}: a node for it")),
        _ => Waiting::new(format!("pod {name}: its volumes and its image")).about("Pod", name),
    }
}

fn waits_for_claim(name: &str, look: &ClaimLook) -> Waiting {
    let phase = match look.phase.as_str() {
        "" => "Pending",
        phase => phase,
    };
    Waiting {
        is_hopeless: phase == "Lost",
        ..Waiting::new(format!("claim {name}: it is {phase}"))
    }
    .about("PersistentVolumeClaim", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: (&str, &str) = ("Job", "iodyno-4f1c-load");

    fn pod() -> PodLook {
        PodLook {
            name: "p".into(),
            phase: "Pending".into(),
            ..PodLook::default()
        }
    }

    fn reason(reason: &str, message: &str) -> Option<Reason> {
        Some(Reason {
            reason: reason.into(),
            message: message.into(),
        })
    }

    fn waits(pod: Option<&PodLook>, claim: Option<&ClaimLook>) -> Waiting {
        match state(pod, JOB, claim.map(|claim| ("c", claim))) {
            PodState::Waits(waiting) => waiting,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn it_is_named_what_is_waited_for() {
        let missing = waits(None, None);
        assert_eq!(missing.about, Some(("Job", JOB.1.to_string())));
        let unscheduled = PodLook {
            unscheduled: reason("Unschedulable", "0/1 nodes are available"),
            ..pod()
        };
        let words = waits(Some(&unscheduled), None).words;
        assert_eq!(
            words,
            "pod p: no node takes it (Unschedulable: 0/1 nodes are available)"
        );
        let pending = ClaimLook {
            phase: "Pending".into(),
            ..ClaimLook::default()
        };
        assert_eq!(waits(Some(&unscheduled), Some(&pending)).words, words);
        let unbound = "pod has unbound immediate PersistentVolumeClaims";
        let by_claim = PodLook {
            unscheduled: reason("Unschedulable", unbound),
            ..pod()
        };
        let claim = waits(Some(&by_claim), Some(&pending));
        assert_eq!(claim.words, "claim c: it is Pending");
        let told = claim.told(reason("ProvisioningFailed", "no such class"));
        assert_eq!(
            told.words,
            "claim c: it is Pending (ProvisioningFailed: no such class)"
        );
    }

    #[test]
    fn what_never_comes_is_told_from_what_may() {
        let waiting = |why: &str| {
            let pod = PodLook {
                node: Some("n1".into()),
                waiting: reason(why, "no such image"),
                ..pod()
            };
            waits(Some(&pod), None)
        };
        assert!(waiting("ImagePullBackOff").is_hopeless);
        assert!(!waiting("ErrImagePull").is_hopeless && !waiting("ContainerCreating").is_hopeless);
        assert_eq!(
            waiting("ImagePullBackOff").words,
            "pod p: ImagePullBackOff: no such image"
        );
        assert_eq!(
            waiting("ContainerCreating").about,
            Some(("Pod", "p".to_string()))
        );
    }

    #[test]
    fn a_pod_that_the_api_refuses_is_not_waited_for() {
        let refused = |message: &str| {
            waits(None, None)
                .told(reason("FailedCreate", message))
                .is_hopeless
        };
        assert!(refused(
            "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": hostPath volumes"
        ));
        assert!(!refused("pods \"p\" is forbidden: exceeded quota: compute"));
    }

    #[test]
    fn a_pod_runs_and_ends() {
        let runs = PodLook {
            node: Some("n1".into()),
            phase: "Running".into(),
            ..pod()
        };
        assert_eq!(state(Some(&runs), JOB, None), PodState::Runs("n1".into()));
        let over = PodLook {
            phase: "Failed".into(),
            ..pod()
        };
        assert_eq!(state(Some(&over), JOB, None), PodState::Over);
    }
}
