//! `iodyno k8s check --every-node`: a check on each node at once, by a DaemonSet whose pods stay until their results are home.

use super::args::K8sCheckArgs;
use super::cluster::{self, K8sCluster};
use super::home;
use super::places::Place;
use super::plan::RunPlan;
use super::wait::{self, Told};
use super::words;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::keep::Kept;
use host::clock;
use kube::document::{K8S_SCHEMA, K8sDocument, PlaceDone};
use kube::look::{self, PodLook};
use kube::manifest::Owner;
use kube::waiting::{self, PodState};
use model::kube::{KubeKind, KubeStorage, SavedKube};
use model::record::Record;
use model::units;
use std::collections::BTreeMap;
use store::Store;

/// How often is looked, ms.
const LOOK_MS: u64 = 1_000;
/// What the set is called among the run's objects.
const COMPONENT: &str = "nodes";

/// What stands for the nodes that gave nothing and are not known by name; no node can have it.
const OTHERS: &str = "(others)";

/// A node, by its name, and what came of it.
type Nodes = BTreeMap<String, Result<Record, Failure>>;

/// Checks every node.
pub fn check(args: &K8sCheckArgs, context: &Context) -> Result<Exit, Failure> {
    let plan = RunPlan::of_check(args)?;
    let storage = match &args.storage.host_path {
        Some(path) => KubeStorage::HostPath(path.clone()),
        None => KubeStorage::Node,
    };
    let place = Place {
        storage,
        node: None,
    };
    let owner = plan.owner(COMPONENT);
    let manifest = plan.set(&owner, plan.volume(1, &place, false));
    if plan.cluster.print {
        return plan.print(vec![manifest], context);
    }
    let store = Store::open(&context.state_dir)?;
    let mut made = K8sCluster::begin(plan.cluster, context, "k8s check on every node")?;
    let measured = made
        .create(KubeKind::DaemonSet, &owner, &manifest)
        .and_then(|set| {
            let gathering = Gathering {
                plan: &plan,
                place: &place,
                set: &set,
                owner: &owner,
                cluster: &made,
                nodes: Nodes::new(),
                at_work: 0,
            };
            gathering.all()
        });
    // What is home is kept before anything else can go wrong.
    let told = measured.map(|nodes| (told(&nodes, &place, &store, context), nodes));
    let scope = made.scope.clone();
    let ended = made.end();
    let ((places, kept), nodes) = match told {
        Ok(told) => told,
        Err(why) => return Err(cluster::failed(context, why, ended)),
    };
    let failed = nodes.into_values().find_map(Result::err);
    let is_cut = failed
        .as_ref()
        .is_some_and(|why| why.exit == Exit::Interrupted);
    context.out.document(&K8sDocument {
        schema: K8S_SCHEMA,
        run: plan.run.clone(),
        context: scope.cluster.name().to_string(),
        namespace: scope.namespace,
        places,
        is_cut,
        ..K8sDocument::default()
    })?;
    kept.into_iter().try_for_each(Kept::must_be_stored)?;
    ended?;
    failed.map_or(Ok(Exit::Fine), |why| Err(why.told()))
}

/// Results on their way.
struct Gathering<'a> {
    plan: &'a RunPlan<'a>,
    place: &'a Place,
    set: &'a SavedKube,
    owner: &'a Owner,
    cluster: &'a K8sCluster<'a>,
    nodes: Nodes,
    /// Pods at the last look that had begun and given nothing yet.
    at_work: usize,
}

impl Gathering<'_> {
    /// Waits for the result of each node that the set wants a pod on. A node without one in time has the reason instead.
    fn all(mut self) -> Result<Nodes, Failure> {
        let told = Told::new(self.cluster, "every node");
        let begun_ns = clock::monotonic_ns();
        let limits = self.plan.cluster;
        loop {
            if self.cluster.stop.is_asked() {
                self.nodes
                    .insert(OTHERS.into(), Err(self.cluster.stopped()));
                return Ok(self.nodes);
            }
            let waited_ms = (clock::monotonic_ns() - begun_ns) / 1_000_000;
            let looked = self.look(waited_ms);
            let looked = looked.and_then(|waits| Ok((waits, wanted(self.cluster, self.set)?)));
            let (waits, wanted) = match looked {
                Err(why) if why.exit == Exit::Interrupted => continue,
                // What is home stays.
                Err(why) => {
                    self.nodes.insert(OTHERS.into(), Err(why));
                    return Ok(self.nodes);
                }
                Ok(looked) => looked,
            };
            told.say(&self.words(wanted, waits.as_deref()));
            let is_all = wanted.is_some_and(|all| all > 0 && self.nodes.len() as u64 >= all);
            let is_late = waited_ms > limits.wait && self.at_work == 0;
            if is_all {
                return Ok(self.nodes);
            }
            if is_late || waited_ms > limits.wait + limits.deadline {
                self.give_up(wanted, waits, waited_ms);
                return Ok(self.nodes);
            }
            clock::sleep_ms(LOOK_MS);
        }
    }

    /// Looks at each pod whose node has given nothing yet. Gives what one of them waits for.
    fn look(&mut self, waited_ms: u64) -> Result<Option<String>, Failure> {
        let is_late = waited_ms > self.plan.cluster.wait;
        let pods = wait::pods(self.cluster, self.owner, self.set);
        let pods = wait::unless_passing(pods)?;
        let Some(pods) = pods else {
            return Ok(Some("the cluster, which does not answer".into()));
        };
        let of_set = (KubeKind::DaemonSet.kind(), self.set.name.as_str());
        let mut waits = None;
        self.at_work = 0;
        if pods.is_empty() {
            return wait::for_owner(self.cluster, self.set, waited_ms).map(Some);
        }
        for pod in &pods {
            let node = pod.node.clone().unwrap_or_default();
            if self.nodes.contains_key(&node) {
                continue;
            }
            match waiting::state(Some(pod), of_set, None) {
                PodState::Waits(waiting)
                    if !node.is_empty() && (waiting.is_hopeless || is_late) =>
                {
                    let message = format!("{}: {}", self.named(&node).name(), waiting.words);
                    let failure = Failure::new(Exit::Failed, message);
                    self.nodes.insert(node, Err(failure));
                }
                PodState::Waits(waiting) => waits = Some(waiting.words),
                _ => match self.of_pod(pod, &node)? {
                    Some(done) => drop(self.nodes.insert(node, done)),
                    None => self.at_work += 1,
                },
            }
        }
        Ok(waits)
    }

    /// What a pod gave; none while it is at it.
    fn of_pod(
        &self,
        pod: &PodLook,
        node: &str,
    ) -> Result<Option<Result<Record, Failure>>, Failure> {
        let is_over = pod.terminated.is_some();
        if !is_over && !home::is_at_end(self.cluster, &self.plan.run, pod)? {
            return Ok(None);
        }
        let place = self.named(node);
        let answer = home::answer(self.cluster, &self.plan.run, pod);
        let record = answer
            .and_then(|answer| home::record(self.cluster, (self.plan, &place), pod, None, answer));
        match record {
            Err(why) if why.exit == Exit::Interrupted => Ok(None),
            record => Ok(Some(record.map_err(|why| Failure {
                message: format!("{}: {}", place.name(), why.message),
                ..why
            }))),
        }
    }

    fn named(&self, node: &str) -> Place {
        Place {
            node: Some(node.to_string()),
            ..self.place.clone()
        }
    }

    fn words(&self, wanted: Option<u64>, waits: Option<&str>) -> String {
        let have = self.nodes.values().filter(|one| one.is_ok()).count();
        let of = wanted.map_or("nodes".into(), |wanted| format!("of {wanted} nodes"));
        match waits {
            Some(words) => format!("{have} {of} have given their results; waiting for {words}"),
            None => format!("{have} {of} have given their results"),
        }
    }

    /// Nodes that nobody has heard of stand together under one name.
    fn give_up(&mut self, wanted: Option<u64>, waits: Option<String>, waited_ms: u64) {
        let time = units::span_ms(waited_ms);
        let why = waits.map_or(String::new(), |words| format!(": {words}"));
        let failure = match wanted {
            Some(0) | None => {
                Failure::new(Exit::Failed, format!("no node takes a pod of the set{why}"))
                    .hint("Nodes with taints take it with --toleration all.")
            }
            Some(wanted) => {
                let missing = wanted.saturating_sub(self.nodes.len() as u64);
                let message = format!("{missing} nodes have given no result after {time}{why}");
                Failure::new(Exit::Failed, message)
            }
        };
        self.nodes.insert(OTHERS.into(), Err(failure));
    }
}

/// How many nodes shall have a pod; none while nobody has counted.
fn wanted(cluster: &K8sCluster<'_>, set: &SavedKube) -> Result<Option<u64>, Failure> {
    let words = ["get", set.kind.resource(), &set.name, "--output", "json"];
    let Some(answer) = wait::unless_passing(cluster.ask(&words))? else {
        return Ok(None);
    };
    let look = look::set(&answer).map_err(|why| cluster.no_sense(&words, why))?;
    Ok(look.wanted)
}

/// Keeps and says what each node gave.
fn told(
    nodes: &Nodes,
    place: &Place,
    store: &Store,
    context: &Context,
) -> (Vec<PlaceDone>, Vec<Kept>) {
    let (mut places, mut all) = (Vec::new(), Vec::new());
    for (node, done) in nodes {
        let name = Place {
            node: Some(node.clone()),
            ..place.clone()
        };
        let mut one = PlaceDone {
            name: name.name(),
            storage: place.storage.clone(),
            node: Some(node.clone()),
            records: Vec::new(),
            summary: None,
            error: None,
        };
        match done {
            Ok(record) => {
                let kept = home::keep(store, record);
                words::of_record(kept.id, record, context);
                one.records.extend(kept.id);
                one.summary = Some(record.summary.clone());
                all.push(kept);
            }
            Err(why) => {
                context.out.say(&why.message);
                one.error = Some(why.message.clone());
            }
        }
        places.push(one);
    }
    (places, all)
}
