//! `iodyno k8s`: loads the storage of a Kubernetes cluster in pods of its own, brings what they measured home, and takes away
//! everything that it made.

mod args;
mod cluster;
mod compare;
mod failure;
mod home;
mod in_pod;
mod nodes;
mod places;
mod plan;
mod single;
mod wait;
mod words;

use crate::context::Context;
use crate::exit::{Exit, Failure};

/// Arguments of `k8s`.
#[derive(Debug, clap::Args)]
pub struct K8sArgs {
    #[command(subcommand)]
    verb: K8sVerb,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
enum K8sVerb {
    /// Load one place of a cluster from a pod, as `iodyno run` does, and keep the measurement as a record.
    Run(args::K8sRunArgs),
    /// Say why the storage of a pod is slow, as `iodyno check` does, at one place or on every node.
    Check(args::K8sCheckArgs),
    /// Load several places in turns, in rounds of random order, and say by how much they differ.
    Compare(args::K8sCompareArgs),
    /// What runs in the pod.
    #[command(hide = true)]
    InPod(in_pod::InPodArgs),
}

/// Does it.
pub fn run(args: &K8sArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.verb {
        K8sVerb::Run(args) => single::run(args, context),
        K8sVerb::Check(args) if args.every_node => nodes::check(args, context),
        K8sVerb::Check(args) => single::check(args, context),
        K8sVerb::Compare(args) => compare::run(args, context),
        K8sVerb::InPod(args) => in_pod::run(args, context),
    }
}
