//! `iodyno k8s run` and `check` at one place.

use super::args::{K8sCheckArgs, K8sRunArgs};
use super::cluster::{self, K8sCluster};
use super::home;
use super::places::{self, Place};
use super::plan::RunPlan;
use super::wait::{self, Awaited, Told};
use super::words;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use kube::document::{K8S_SCHEMA, K8sDocument, PlaceDone};
use kube::look::{ClaimLook, PodLook};
use model::kube::{KubeKind, KubeStorage};
use model::record::Record;
use store::Store;

/// What came of one pod.
#[derive(Debug)]
pub struct PodDone {
    pub record: Record,
    /// Whether the verb in the pod did all that it was asked.
    pub failure: Option<Failure>,
}

/// Loads one place.
pub fn run(args: &K8sRunArgs, context: &Context) -> Result<Exit, Failure> {
    let place = places::one(&args.storage)?;
    let plan = RunPlan::of_load(&args.load, (&args.storage, &args.pod, &args.cluster))?;
    at_one(&plan, &place, context)
}

/// Checks one place.
pub fn check(args: &K8sCheckArgs, context: &Context) -> Result<Exit, Failure> {
    let place = places::one(&args.storage)?;
    at_one(&RunPlan::of_check(args)?, &place, context)
}

fn at_one(plan: &RunPlan<'_>, place: &Place, context: &Context) -> Result<Exit, Failure> {
    if plan.cluster.print {
        return plan.print(plan.manifests(std::slice::from_ref(place)), context);
    }
    let store = Store::open(&context.state_dir)?;
    let purpose = format!("k8s {} on {}", plan.verb[0], place.name());
    let mut made = K8sCluster::begin(plan.cluster, context, &purpose)?;
    // It is kept before anything else can go wrong.
    let measured =
        measure(plan, place, &mut made).map(|done| (home::keep(&store, &done.record), done));
    let scope = made.scope.clone();
    let ended = made.end();
    let (kept, done) = match measured {
        Ok(measured) => measured,
        Err(why) => return Err(cluster::failed(context, why, ended)),
    };
    words::of_record(kept.id, &done.record, context);
    context.out.document(&K8sDocument {
        schema: K8S_SCHEMA,
        run: plan.run.clone(),
        context: scope.cluster.name().to_string(),
        namespace: scope.namespace,
        places: vec![PlaceDone {
            name: place.name(),
            storage: place.storage.clone(),
            node: Some(done.record.provenance.hostname.clone()),
            records: kept.id.into_iter().collect(),
            summary: Some(done.record.summary.clone()),
            error: done.failure.as_ref().map(|why| why.message.clone()),
        }],
        ..K8sDocument::default()
    })?;
    kept.must_be_stored()?;
    ended?;
    done.failure.map_or(Ok(Exit::Fine), Err)
}

fn measure(
    plan: &RunPlan<'_>,
    place: &Place,
    cluster: &mut K8sCluster<'_>,
) -> Result<PodDone, Failure> {
    let is_read_only = must_be_usable(plan, place, cluster)?;
    make_claim(plan, (1, place), cluster)?;
    in_a_pod(plan, (1, place), ("load-1", is_read_only), cluster)
}

/// Makes the claim of a place, where it has none.
pub fn make_claim(
    plan: &RunPlan<'_>,
    (number, place): (usize, &Place),
    cluster: &mut K8sCluster<'_>,
) -> Result<(), Failure> {
    if let Some((owner, manifest)) = plan.claim(number, place) {
        cluster.create(KubeKind::PersistentVolumeClaim, &owner, &manifest)?;
    }
    Ok(())
}

/// Whether a claim that is there can only be read; refused where it cannot be used.
pub fn must_be_usable(
    plan: &RunPlan<'_>,
    place: &Place,
    cluster: &K8sCluster<'_>,
) -> Result<bool, Failure> {
    let KubeStorage::Claim(name) = &place.storage else {
        return Ok(false);
    };
    let look = match wait::claim(cluster, name) {
        Err(error) if error.is_not_found() => {
            let namespace = &cluster.scope.namespace;
            return Err(Failure::usage(format!(
                "there is no claim {name} in namespace {namespace}"
            )));
        }
        look => look?,
    };
    let refused = |why: &str| Failure::new(Exit::Refused, format!("claim {name} {why}"));
    if look.is_block {
        return Err(refused(
            "is a block device without a file system: only claims with one are loaded",
        ));
    }
    if look.is_going {
        return Err(refused("is being deleted"));
    }
    if look.phase == "Lost" {
        return Err(refused("has lost its volume"));
    }
    if look.is_read_only() && plan.verb[0] == "run" && plan.storage.path.is_none() {
        return Err(
            refused("can only be read (ReadOnlyMany), and scratch would be written")
                .hint("Name a file in it, which is only read: --path FILE."),
        );
    }
    Ok(look.is_read_only())
}

/// Runs one pod at a place, and takes it away.
pub fn in_a_pod(
    plan: &RunPlan<'_>,
    (number, place): (usize, &Place),
    (component, is_read_only): (&str, bool),
    cluster: &mut K8sCluster<'_>,
) -> Result<PodDone, Failure> {
    let owner = plan.owner(component);
    let volume = plan.volume(number, place, is_read_only);
    let claim = match &volume {
        kube::manifest::PodVolume::Claim { name, .. } => Some(name.clone()),
        _ => None,
    };
    let manifest = plan.job(&owner, volume, place);
    let job = cluster.create(KubeKind::Job, &owner, &manifest)?;
    let told = Told::new(cluster, &place.name());
    let awaited = Awaited {
        job: &job,
        owner: &owner,
        claim: claim.as_deref(),
        start_ms: plan.cluster.wait,
        run_ms: plan.cluster.deadline,
    };
    let pod = wait::until_over(cluster, awaited, &told)?;
    told.say("it has ended; its result comes home");
    let done = bring_home(plan, place, (&pod, claim), cluster)?;
    // What cannot be taken away now is tried again at the end: the result is home.
    if let Err(why) = cluster.remove(&job) {
        cluster.context.out.note(format!("iodyno: {}", why.message));
    }
    Ok(done)
}

fn bring_home(
    plan: &RunPlan<'_>,
    place: &Place,
    (pod, claim): (&PodLook, Option<String>),
    cluster: &K8sCluster<'_>,
) -> Result<PodDone, Failure> {
    let answer = home::answer(cluster, &plan.run, pod)?;
    // Where it cannot be looked at just now, its volume and its class are not known, and the result is whole all the same.
    let look = |name: String| {
        let look = wait::claim(cluster, &name).unwrap_or_default();
        (name, look)
    };
    let claim: Option<(String, ClaimLook)> = claim.map(look);
    let failure = answer.error.as_ref().map(|_| home::failure_inside(&answer));
    let record = home::record(cluster, (plan, place), pod, claim, answer)?;
    Ok(PodDone { record, failure })
}
