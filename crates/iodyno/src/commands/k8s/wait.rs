//! Waiting for a pod: what is waited for is said whenever that changes, and nothing is waited for without end.

use super::cluster::K8sCluster;
use crate::exit::{Exit, Failure};
use host::clock;
use host::kube::KubeError;
use kube::look::{self, ClaimLook, PodLook, Reason};
use kube::manifest::{COMPONENT, Owner};
use kube::waiting::{self, PodState, Waiting};
use model::kube::{INSTANCE, KubeKind, SavedKube};
use model::units;
use std::cell::RefCell;

/// How often is looked, ms.
const LOOK_MS: u64 = 500;
/// Events are asked for once something takes so long, ms: most waits are shorter.
const EVENTS_MS: u64 = 2_000;
/// How much longer than the deadline of a pod its end is waited for, ms: the cluster counts by itself.
const BEHIND_MS: u64 = 90_000;

/// What is waited for at one place.
#[derive(Clone, Copy, Debug)]
pub struct Awaited<'a> {
    /// The job.
    pub job: &'a SavedKube,
    /// Whose it is.
    pub owner: &'a Owner,
    /// The claim that its pod mounts.
    pub claim: Option<&'a str>,
    /// How long its pod may take to start, ms.
    pub start_ms: u64,
    /// How long its pod may run, ms.
    pub run_ms: u64,
}

/// Says things that have not just been said.
#[derive(Debug)]
pub struct Told<'a> {
    cluster: &'a K8sCluster<'a>,
    place: String,
    last: RefCell<String>,
}

impl<'a> Told<'a> {
    /// Of a place.
    pub fn new(cluster: &'a K8sCluster<'a>, place: &str) -> Told<'a> {
        Told {
            cluster,
            place: place.to_string(),
            last: RefCell::default(),
        }
    }

    /// Says this, where it is new.
    pub fn say(&self, words: &str) {
        if *self.last.borrow() != words {
            let line = format!("{}: {words}", self.place);
            self.cluster.context.out.note(line);
            self.last.replace(words.to_string());
        }
    }
}

/// Waits for the end of the job's pod.
pub fn until_over(
    cluster: &K8sCluster<'_>,
    awaited: Awaited<'_>,
    told: &Told<'_>,
) -> Result<PodLook, Failure> {
    let begun_ns = clock::monotonic_ns();
    let since_ms = |from_ns: u64| (clock::monotonic_ns() - from_ns) / 1_000_000;
    let mut runs_since_ns = None;
    loop {
        cluster.must_go_on()?;
        let waited_ms = since_ms(begun_ns);
        match looked(cluster, awaited, waited_ms) {
            Ok((Some(pod), PodState::Over)) => return Ok(pod),
            Ok((_, PodState::Over)) => {}
            Ok((_, PodState::Runs(node))) => {
                runs_since_ns.get_or_insert_with(clock::monotonic_ns);
                told.say(&format!("it runs on node {node}"));
            }
            Ok((_, PodState::Waits(waiting))) => {
                told.say(&format!("waiting for {}", waiting.words));
                must_be_worth_it(&waiting, waited_ms, awaited.start_ms)?;
            }
            Err(Look::Passing(error)) => {
                told.say(&format!("waiting for the cluster: {error}"));
                if runs_since_ns.is_none() && waited_ms > awaited.start_ms {
                    return Err(error.into());
                }
            }
            Err(Look::Failed(failure)) => return Err(failure),
        }
        let bound_ms = awaited.run_ms + BEHIND_MS;
        if runs_since_ns.is_some_and(|since_ns| since_ms(since_ns) > bound_ms) {
            let time = units::span_ms(bound_ms);
            return Err(failed(format!("its pod has not ended after {time}")));
        }
        clock::sleep_ms(LOOK_MS);
    }
}

/// Why a look gave nothing.
enum Look {
    /// The cluster may answer the next time.
    Passing(KubeError),
    Failed(Failure),
}

impl From<KubeError> for Look {
    fn from(error: KubeError) -> Look {
        match error.is_passing() {
            true => Look::Passing(error),
            false => Look::Failed(error.into()),
        }
    }
}

impl From<Failure> for Look {
    fn from(failure: Failure) -> Look {
        Look::Failed(failure)
    }
}

fn looked(
    cluster: &K8sCluster<'_>,
    awaited: Awaited<'_>,
    waited_ms: u64,
) -> Result<(Option<PodLook>, PodState), Look> {
    let pod = pods(cluster, awaited.owner, awaited.job)?
        .into_iter()
        .next();
    if pod.is_none() {
        must_be_alive(cluster, awaited.job)?;
    }
    let has_begun = pod.as_ref().is_some_and(|pod| pod.phase != "Pending");
    let claim = match awaited.claim.filter(|_| !has_begun) {
        Some(name) => Some((name, claim(cluster, name)?)),
        None => None,
    };
    let claim = claim.as_ref().map(|(name, look)| (*name, look));
    let job = (KubeKind::Job.kind(), awaited.job.name.as_str());
    let mut state = waiting::state(pod.as_ref(), job, claim);
    if let PodState::Waits(waiting) = state {
        let event = match &waiting.about {
            Some((kind, name)) if waited_ms >= EVENTS_MS => event(cluster, kind, name)?,
            _ => None,
        };
        state = PodState::Waits(waiting.told(event));
    }
    Ok((pod, state))
}

/// A job that failed has deleted its pod, and one that somebody deleted has taken it along.
fn must_be_alive(cluster: &K8sCluster<'_>, job: &SavedKube) -> Result<(), Look> {
    let words = ["get", job.kind.resource(), &job.name, "--output", "json"];
    let answer = match cluster.ask(&words) {
        Err(error) if error.is_not_found() => {
            return Err(failed(format!("somebody has deleted the job {}", job.name)).into());
        }
        answer => answer?,
    };
    let failure = look::job_failure(&answer).map_err(|why| cluster.no_sense(&words, why))?;
    match failure {
        None => Ok(()),
        Some(why) => Err(failed(format!("its job failed: {}", why.words())).into()),
    }
}

/// The pods of one component of a run that this job or set has made: anybody may give a pod these labels.
pub fn pods(
    cluster: &K8sCluster<'_>,
    owner: &Owner,
    made_by: &SavedKube,
) -> Result<Vec<PodLook>, KubeError> {
    let selector = format!("{INSTANCE}={},{COMPONENT}={}", owner.run, owner.component);
    let words = ["get", "pods", "--selector", &selector, "--output", "json"];
    let answer = cluster.ask(&words)?;
    let pods = look::pods(&answer).map_err(|why| cluster.no_sense(&words, why))?;
    let is_made_by = |pod: &PodLook| pod.owner.is_some() && pod.owner == made_by.uid;
    Ok(pods.into_iter().filter(is_made_by).collect())
}

/// What a set waits for that has made no pod yet.
pub fn for_owner(
    cluster: &K8sCluster<'_>,
    made: &SavedKube,
    waited_ms: u64,
) -> Result<String, Failure> {
    let owner = (made.kind.kind(), made.name.as_str());
    let PodState::Waits(waiting) = waiting::state(None, owner, None) else {
        return Ok(String::new());
    };
    let event = match waited_ms >= EVENTS_MS {
        true => unless_passing(event(cluster, owner.0, owner.1))?.flatten(),
        false => None,
    };
    let waiting = waiting.told(event);
    match waiting.is_hopeless {
        true => Err(failed(format!("it will not start: {}", waiting.words))),
        false => Ok(waiting.words),
    }
}

/// What a cluster answers; none while it does not.
pub fn unless_passing<T>(answer: Result<T, KubeError>) -> Result<Option<T>, Failure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_passing() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A claim as it is.
pub fn claim(cluster: &K8sCluster<'_>, name: &str) -> Result<ClaimLook, KubeError> {
    let resource = KubeKind::PersistentVolumeClaim.resource();
    let words = ["get", resource, name, "--output", "json"];
    let answer = cluster.ask(&words)?;
    look::claim(&answer).map_err(|why| cluster.no_sense(&words, why))
}

/// What was told last of an object. Who may not see events is told nothing.
fn event(cluster: &K8sCluster<'_>, kind: &str, name: &str) -> Result<Option<Reason>, KubeError> {
    let selector = format!("involvedObject.kind={kind},involvedObject.name={name}");
    let words = [
        "get",
        "events",
        "--field-selector",
        &selector,
        "--output",
        "json",
    ];
    match cluster.ask(&words) {
        Ok(answer) => Ok(look::last_event(&answer).unwrap_or_default()),
        Err(error) if error.is_permission() => Ok(None),
        Err(error) => Err(error),
    }
}

fn must_be_worth_it(waiting: &Waiting, waited_ms: u64, most_ms: u64) -> Result<(), Failure> {
    if waiting.is_hopeless {
        return Err(failed(format!("it will not start: {}", waiting.words)));
    }
    if waited_ms > most_ms {
        let time = units::span_ms(most_ms);
        let message = format!("it has not started after {time}: {}", waiting.words);
        return Err(failed(message).hint("--wait TIME waits longer."));
    }
    Ok(())
}

fn failed(message: String) -> Failure {
    Failure::new(Exit::Failed, message)
}
