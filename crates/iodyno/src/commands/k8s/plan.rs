//! From options to manifests: what is made at a place, under names that no other run has.

use super::args::{ClusterArgs, K8sCheckArgs, LoadArgs, PodArgs, StorageArgs};
use super::places::Place;
use crate::commands::check::profile;
use crate::commands::job_args;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use kube::manifest::{self, JobTimes, Owner, PodVolume, PodWish, TARGET};
use model::job::Job;
use model::kube::KubeStorage;
use serde_json::Value;

/// How long after its end the cluster removes a job that nobody has removed, s.
const TTL_S: u64 = 3600;

/// What the pods of a run are, wherever they run.
#[derive(Debug)]
pub struct RunPlan<'a> {
    /// The run id.
    pub run: String,
    /// The words for `iodyno` in the pod: `run /target …`.
    pub verb: Vec<String>,
    pub storage: &'a StorageArgs,
    pub pod: &'a PodArgs,
    pub cluster: &'a ClusterArgs,
}

impl<'a> RunPlan<'a> {
    /// Of a load; its words are read here already, so that a mistake costs no pod.
    pub fn of_load(
        load: &LoadArgs,
        (storage, pod, cluster): (&'a StorageArgs, &'a PodArgs, &'a ClusterArgs),
    ) -> Result<RunPlan<'a>, Failure> {
        let mut jobs = profile::jobs(&load.words)?;
        if let Some(name) = &load.preset {
            let sections = job_args::preset(name)?.sections();
            jobs.extend(sections.into_iter().map(|section| section.job));
        }
        must_leave_no_names(storage, &jobs)?;
        let longest_ms = jobs.iter().map(|job| job.runtime_ms).max();
        if load.runtime.max(longest_ms) >= Some(cluster.deadline) {
            return Err(Failure::usage(
                "the load runs as long as --deadline, when the pod is ended",
            )
            .hint("Give it more: --deadline TIME."));
        }
        let mut verb = vec!["run".to_string(), target(storage)];
        if let Some(preset) = &load.preset {
            verb.push(format!("--preset={preset}"));
        }
        if let Some(runtime_ms) = load.runtime {
            verb.push(format!("--runtime={runtime_ms}ms"));
        }
        if !load.words.is_empty() {
            verb.push("--".into());
            verb.extend(load.words.iter().cloned());
        }
        RunPlan::of(verb, (storage, pod, cluster))
    }

    /// Of a check.
    pub fn of_check(args: &'a K8sCheckArgs) -> Result<RunPlan<'a>, Failure> {
        if let Some(spec) = &args.disk_spec {
            diagnose::cloud::promise_of_spec(spec)
                .map_err(|error| Failure::usage(format!("--disk-spec {spec}: {error}")))?;
        }
        let mut verb = vec!["check".to_string(), target(&args.storage)];
        verb.extend(args.quick.then(|| "--quick".to_string()));
        verb.extend(args.deep.then(|| "--deep".to_string()));
        verb.extend(
            args.disk_spec
                .iter()
                .map(|spec| format!("--disk-spec={spec}")),
        );
        RunPlan::of(verb, (&args.storage, &args.pod, &args.cluster))
    }

    fn of(
        verb: Vec<String>,
        (storage, pod, cluster): (&'a StorageArgs, &'a PodArgs, &'a ClusterArgs),
    ) -> Result<RunPlan<'a>, Failure> {
        let run = host::random::bytes::<5>()?;
        Ok(RunPlan {
            run: run.iter().map(|byte| format!("{byte:02x}")).collect(),
            verb,
            storage,
            pod,
            cluster,
        })
    }

    /// Whose an object is.
    pub fn owner(&self, component: impl Into<String>) -> Owner {
        Owner {
            run: self.run.clone(),
            component: component.into(),
        }
    }

    /// The claim that is made at a place; none where its storage is there.
    pub fn claim(&self, number: usize, place: &Place) -> Option<(Owner, Value)> {
        let KubeStorage::StorageClass(class) = &place.storage else {
            return None;
        };
        let owner = self.owner(format!("claim-{number}"));
        let manifest = manifest::claim(&owner, class, self.storage.claim_size);
        Some((owner, manifest))
    }

    /// The volume of a pod at a place.
    pub fn volume(&self, number: usize, place: &Place, is_read_only: bool) -> PodVolume {
        match &place.storage {
            KubeStorage::StorageClass(_) => PodVolume::Claim {
                name: self.owner(format!("claim-{number}")).name(),
                read_only: false,
                is_new: true,
            },
            KubeStorage::Claim(name) => PodVolume::Claim {
                name: name.clone(),
                read_only: is_read_only,
                is_new: false,
            },
            KubeStorage::HostPath(path) => PodVolume::HostPath(path.clone()),
            KubeStorage::Node => PodVolume::Empty,
        }
    }

    /// The job at a place.
    pub fn job(&self, owner: &Owner, volume: PodVolume, place: &Place) -> Value {
        let wish = self.wish(volume, place.node.clone(), false);
        let times = JobTimes {
            start: self.cluster.wait.div_ceil(1000),
            run: self.cluster.deadline.div_ceil(1000).max(1),
            ttl: TTL_S,
        };
        manifest::job(owner, &wish, times)
    }

    /// The set of pods, one on each node.
    pub fn set(&self, owner: &Owner, volume: PodVolume) -> Value {
        manifest::daemon_set(owner, &self.wish(volume, None, true))
    }

    fn wish(&self, volume: PodVolume, node: Option<String>, stays: bool) -> PodWish {
        let own = ["k8s", "in-pod", "--run", &self.run];
        let is_of_node = matches!(volume, PodVolume::HostPath(_) | PodVolume::Empty);
        let words = own
            .into_iter()
            .chain(stays.then_some("--stay"))
            .chain(is_of_node.then_some("--node-disk"))
            .chain(["--"]);
        let words = words.map(str::to_string).chain(self.verb.iter().cloned());
        let (user, group) = self.pod.as_user;
        PodWish {
            image: self.pod.image.clone(),
            pull_secret: self.pod.image_pull_secret.clone(),
            words: words.collect(),
            volume,
            node,
            tolerations: self.pod.toleration.clone(),
            user,
            group,
            cpu_millis: self.pod.cpu,
            memory_bytes: self.pod.memory,
            host_network: self.pod.host_network,
        }
    }

    /// Everything that a run at these places makes, as one document: of a claim that is there nothing is asked.
    pub fn manifests(&self, places: &[Place]) -> Vec<Value> {
        let mut all = Vec::new();
        for (at, place) in places.iter().enumerate() {
            let number = at + 1;
            all.extend(self.claim(number, place).map(|(_, manifest)| manifest));
            let owner = self.owner(format!("load-{number}"));
            let volume = self.volume(number, place, false);
            all.push(self.job(&owner, volume, place));
        }
        all
    }

    /// Prints manifests for kubectl.
    pub fn print(&self, manifests: Vec<Value>, context: &Context) -> Result<Exit, Failure> {
        let list = manifest::list(manifests, self.cluster.namespace.as_deref());
        if context.out.is_json() {
            context.out.document(&list)?;
            return Ok(Exit::Fine);
        }
        let text = serde_json::to_string_pretty(&list).map_err(|error| {
            Failure::new(
                Exit::Failed,
                format!("the manifests cannot be written: {error}"),
            )
        })?;
        context.out.raw(&format!("{text}\n"));
        Ok(Exit::Fine)
    }
}

/// A pod that is killed takes its journal along, and with it the names of what it made: where the storage stays, nothing with
/// a name is made.
fn must_leave_no_names(storage: &StorageArgs, jobs: &[Job]) -> Result<(), Failure> {
    let stays = !storage.pvc.is_empty() || storage.host_path.is_some();
    let names = |job: &Job| job.ioengine == load::engines::files::ENGINE.id;
    match stays && jobs.iter().any(names) {
        false => Ok(()),
        true => Err(Failure::new(
            Exit::Refused,
            "the engine `files` makes files with names, and nobody would remove what a killed pod leaves of them",
        )
        .hint("Give it a volume of its own, --storage-class CLASS, or the node's own disk, --node NODE.")),
    }
}

/// What is loaded in the pod.
fn target(storage: &StorageArgs) -> String {
    match &storage.path {
        Some(path) => format!("{TARGET}/{path}"),
        None => TARGET.to_string(),
    }
}
