//! What a pod measured, brought home through its log and kept.

use super::cluster::K8sCluster;
use super::places::Place;
use super::plan::RunPlan;
use crate::exit::{Exit, Failure};
use crate::keep::{self, Kept};
use host::clock;
use kube::document::{POD_SCHEMA, PodAnswer};
use kube::framed::{self, FrameError};
use kube::look::{ClaimLook, PodLook};
use kube::manifest::CONTAINER;
use model::kube::KubePlace;
use model::record::{Record, RecordBody};
use model::text::clean_to;
use store::Store;

/// The longest log that is taken, bytes: a document is packed in it.
const LOG_MAX_BYTES: u64 = 48 << 20;
/// How long a log may take to come, ms.
const LOG_MS: u64 = 120_000;
/// How often a log is asked for that is not whole: its last lines may be on their way.
const TRIES: u32 = 4;
const BETWEEN_MS: u64 = 500;
/// How long a cluster may not answer before its results are lost, ms.
const LOST_MS: u64 = 120_000;
/// So many lines of a log without a result are told.
const LINES_TOLD: usize = 5;
/// Of each so many characters.
const LINE_MAX: usize = 300;

/// What a pod gave. Of one that gave nothing, why.
pub fn answer(cluster: &K8sCluster<'_>, run: &str, pod: &PodLook) -> Result<PodAnswer, Failure> {
    let mut tries = TRIES;
    loop {
        let log = match log(cluster, pod) {
            // Of a pod that was evicted there is no log, and why it ended says more than that.
            Err(why) if has_failed(pod) && why.exit != Exit::Interrupted => {
                return Err(without(pod, &FrameError::Absent, ""));
            }
            log => log?,
        };
        match framed::unframe(run, &log) {
            Ok(document) => return read(&document, pod),
            Err(error @ FrameError::Damaged(_)) => return Err(without(pod, &error, &log)),
            Err(error) if tries == 1 => return Err(without(pod, &error, &log)),
            Err(_) => {}
        }
        tries -= 1;
        cluster.must_go_on()?;
        clock::sleep_ms(BETWEEN_MS);
    }
}

/// Whether a pod that stays has given all that it will. A log that is not there yet has not.
pub fn is_at_end(cluster: &K8sCluster<'_>, run: &str, pod: &PodLook) -> Result<bool, Failure> {
    let words = ["logs", &pod.name, "--container", CONTAINER, "--tail", "3"];
    match cluster.ask(&words) {
        Ok(log) => Ok(framed::is_at_end(run, &log)),
        Err(error) if error.is_permission() || error.is_stopped() => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// The log; a connection that is lost for a while loses no result.
fn log(cluster: &K8sCluster<'_>, pod: &PodLook) -> Result<String, Failure> {
    let words = ["logs", &pod.name, "--container", CONTAINER];
    let until_ns = clock::monotonic_ns() + LOST_MS * 1_000_000;
    loop {
        match cluster.ask_bounded(&words, (LOG_MS, LOG_MAX_BYTES)) {
            Err(error) if error.is_passing() && clock::monotonic_ns() < until_ns => {}
            log => return Ok(log?),
        }
        cluster.must_go_on()?;
        clock::sleep_ms(BETWEEN_MS);
    }
}

fn read(document: &[u8], pod: &PodLook) -> Result<PodAnswer, Failure> {
    let bad = |why: String| {
        let why = clean_to(&why, 200);
        failed(format!("pod {} gave what is no result: {why}", pod.name))
    };
    let answer: PodAnswer =
        model::json::read_bytes(document).map_err(|error| bad(error.to_string()))?;
    match answer.schema == POD_SCHEMA {
        true => Ok(answer),
        false => {
            let (schema, version) = (&answer.schema, &answer.version);
            let why = format!("{schema} of iodyno {version}, and {POD_SCHEMA} is read");
            Err(bad(why).hint("Use an image of this version: make image makes it."))
        }
    }
}

fn has_failed(pod: &PodLook) -> bool {
    let is_bad = pod.terminated.as_ref().is_some_and(|over| over.exit != 0);
    is_bad || pod.failed.is_some()
}

/// Why there is no result: how the container ended, what its log lacks, and the last of what it said.
fn without(pod: &PodLook, error: &FrameError, log: &str) -> Failure {
    let over = pod.terminated.as_ref().or(pod.ended_before.as_ref());
    let ended = match (over, &pod.failed) {
        (_, Some(why)) => format!(" failed ({}), and", why.words()),
        (Some(over), _) if over.exit != 0 => {
            format!(
                " ended with exit code {} ({}), and",
                over.exit,
                over.why.words()
            )
        }
        _ => ":".to_string(),
    };
    let mut message = format!("pod {}{ended} of its log: {error}", pod.name);
    for line in framed::other_lines(log, LINES_TOLD) {
        message.push_str(&format!("\n  {}", clean_to(line, LINE_MAX)));
    }
    failed(message)
}

/// The record of an answer, as it is kept: with the place where it was made. Where there is none, why.
pub fn record(
    cluster: &K8sCluster<'_>,
    (plan, place): (&RunPlan<'_>, &Place),
    pod: &PodLook,
    claim: Option<(String, ClaimLook)>,
    mut answer: PodAnswer,
) -> Result<Record, Failure> {
    let Some(mut record) = answer.record.take() else {
        return Err(failure_inside(&answer));
    };
    if answer.version != env!("CARGO_PKG_VERSION") {
        let (image, version) = (&plan.pod.image, clean_to(&answer.version, 40));
        let note = format!(
            "note: the image {image} has iodyno {version}, which may measure in another way"
        );
        cluster.context.out.note(note);
    }
    let node = pod.node.clone().unwrap_or_default();
    let (claim, look) = claim.unzip();
    record.target = place.name();
    record.provenance.hostname.clone_from(&node);
    record.provenance.command = crate::provenance::of(&cluster.context.host).command;
    record.provenance.kube = Some(KubePlace {
        context: cluster.scope.cluster.name().to_string(),
        namespace: cluster.scope.namespace.clone(),
        node,
        pod: pod.name.clone(),
        image: plan.pod.image.clone(),
        storage: place.storage.clone(),
        claim,
        volume: look.as_ref().and_then(|look| look.volume.clone()),
        storage_class: look.and_then(|look| look.class),
    });
    if let RecordBody::Check(check) = &mut record.body {
        // It names the target as the pod has it, which nobody can paste here.
        check.next.clear();
    }
    Ok(record)
}

/// Keeps it.
pub fn keep(store: &Store, record: &Record) -> Kept {
    keep::into_store(store, record)
}

/// The failure of the verb in the pod, with its exit code.
pub fn failure_inside(answer: &PodAnswer) -> Failure {
    let exit = match answer.exit {
        Some(2) => Exit::Usage,
        Some(3) => Exit::Rights,
        Some(4) => Exit::Refused,
        _ => Exit::Failed,
    };
    match &answer.error {
        None => Failure::new(
            exit,
            "the pod ended without a result and without saying why",
        ),
        Some(error) => {
            let clean = |text: &str| clean_to(text, 1_000);
            let failure = Failure::new(exit, format!("in the pod: {}", clean(&error.error)));
            match &error.hint {
                Some(hint) => failure.hint(format!("There: {}", clean(hint))),
                None => failure,
            }
        }
    }
}

fn failed(message: String) -> Failure {
    Failure::new(Exit::Failed, message)
}
