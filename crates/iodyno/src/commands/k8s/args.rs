//! Options of `k8s run`, `check` and `compare`.

use crate::commands::job_args::duration_ms;
use kube::manifest::{Toleration, parse_toleration};
use model::kube::{is_label, is_name};
use model::units::parse_bytes;
use std::path::PathBuf;

/// Arguments of `k8s run`.
#[derive(Debug, clap::Args)]
pub struct K8sRunArgs {
    #[command(flatten)]
    pub storage: StorageArgs,
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub pod: PodArgs,
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// Arguments of `k8s check`.
#[derive(Debug, clap::Args)]
pub struct K8sCheckArgs {
    #[command(flatten)]
    pub storage: StorageArgs,
    /// Check on every node at once, by a DaemonSet: the disk on which each has its pods, or --host-path.
    #[arg(long, conflicts_with_all = ["storage_class", "pvc", "node"])]
    pub every_node: bool,
    /// At most 10 s.
    #[arg(long, conflicts_with = "deep")]
    pub quick: bool,
    /// Up to 5 min: longer loads, more depths, buffered writes, reads beside writes.
    #[arg(long)]
    pub deep: bool,
    /// What the storage is sold as: aws:gp3:100GiB:iops=6000, or figures alone: iops=3000:bandwidth=125m.
    #[arg(long, value_name = "SPEC")]
    pub disk_spec: Option<String>,
    #[command(flatten)]
    pub pod: PodArgs,
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// Arguments of `k8s compare`.
#[derive(Debug, clap::Args)]
pub struct K8sCompareArgs {
    #[command(flatten)]
    pub storage: StorageArgs,
    /// How often each place is loaded.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// Seed of the orders [default: from the clock].
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub pod: PodArgs,
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// What is loaded.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Storage")]
pub struct StorageArgs {
    /// A new volume of this storage class, which goes at the end. `compare` takes several: fast,slow.
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = name)]
    pub storage_class: Vec<String>,
    /// A claim that is there. What it holds stays as it is: scratch has no name and goes at the end.
    #[arg(long, value_name = "CLAIM", value_delimiter = ',', value_parser = name)]
    pub pvc: Vec<String>,
    /// A directory of a node.
    #[arg(long, value_name = "DIRECTORY", value_parser = host_path)]
    pub host_path: Option<String>,
    /// Run on this node; without other storage, load the disk on which it has its pods. `compare` takes several.
    #[arg(long, value_name = "NODE", value_delimiter = ',', value_parser = name)]
    pub node: Vec<String>,
    /// Size of a volume that is made for --storage-class.
    #[arg(long, value_name = "SIZE", default_value = "10g", value_parser = |text: &str| at_least(text, 1 << 20))]
    pub claim_size: u64,
    /// A directory or a file inside of the storage [default: all of it]; a file is only read.
    #[arg(long, value_name = "PATH", value_parser = inner_path)]
    pub path: Option<String>,
}

/// The load.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Load")]
pub struct LoadArgs {
    /// A load by its purpose, such as oltp, wal or backup; `iodyno catalogue` lists them.
    #[arg(long)]
    pub preset: Option<String>,
    /// How long to run [default: 10s].
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub runtime: Option<u64>,
    /// The job in fio's words: `-- -rw=randread -bs=4k -iodepth=32`.
    #[arg(
        last = true,
        allow_hyphen_values = true,
        value_name = "FIO",
        conflicts_with = "preset"
    )]
    pub words: Vec<String>,
}

/// How pods are.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Pods")]
pub struct PodArgs {
    /// The image, which `make image` makes and which your registry, or each node, has.
    #[arg(long, default_value = concat!("iodyno:", env!("CARGO_PKG_VERSION")), value_parser = image)]
    pub image: String,
    /// The secret by which the image is pulled.
    #[arg(long, value_name = "SECRET", value_parser = name)]
    pub image_pull_secret: Option<String>,
    /// The most CPU that a pod may have: 4, 500m.
    #[arg(long, value_name = "CPUS", default_value = "4", value_parser = cpu_millis)]
    pub cpu: u64,
    /// The most memory that a pod may have.
    #[arg(long, value_name = "BYTES", default_value = "1g", value_parser = |text: &str| at_least(text, 64 << 20))]
    pub memory: u64,
    /// Bear a taint: KEY, KEY=VALUE, KEY=VALUE:EFFECT, or all.
    #[arg(long, value_name = "TAINT", value_parser = parse_toleration)]
    pub toleration: Vec<Toleration>,
    /// Whom the load runs as, for directories that others may not write to: UID or UID:GID. Root, 0, has no capabilities
    /// all the same.
    #[arg(long, value_name = "UID[:GID]", default_value = "65534:65534", value_parser = user)]
    pub as_user: (u32, u32),
    /// Use the nodes' network, where there is none for pods.
    #[arg(long)]
    pub host_network: bool,
}

/// Which cluster, and how long it may take.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterArgs {
    /// The context of your kubeconfig [default: the current one].
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// The namespace [default: that of the context].
    #[arg(long, short = 'n', value_name = "NAME", value_parser = label)]
    pub namespace: Option<String>,
    /// The kubectl that asks the cluster [default: the one in the search path].
    #[arg(long, value_name = "PATH")]
    pub kubectl: Option<PathBuf>,
    /// How long to wait for a volume, a node, an image and the start of a pod.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration_ms)]
    pub wait: u64,
    /// How long a pod may run; the cluster ends it then.
    #[arg(long, value_name = "TIME", default_value = "20m", value_parser = duration_ms)]
    pub deadline: u64,
    /// Print the manifests, for `kubectl apply -f -`, and do nothing.
    #[arg(long)]
    pub print: bool,
}

fn name(text: &str) -> Result<String, String> {
    match is_name(text) {
        true => Ok(text.into()),
        false => Err(
            "names in Kubernetes have small letters, digits, `-` and `.`, and begin and end with a letter or a digit".into(),
        ),
    }
}

fn label(text: &str) -> Result<String, String> {
    match is_label(text) {
        true => Ok(text.into()),
        false => Err(
            "a namespace has small letters, digits and `-`, and begins and ends with a letter or a digit".into(),
        ),
    }
}

fn image(text: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
    match text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(is_word) {
        true => Ok(text.into()),
        false => Err("it is an image such as registry.example/iodyno:0.1.0".into()),
    }
}

fn host_path(text: &str) -> Result<String, String> {
    let is_plain = text.starts_with('/') && !text.split('/').any(|part| part == "..");
    match is_plain && !text.chars().any(model::text::is_unsafe) {
        true => Ok(text.into()),
        false => Err("it is an absolute path without `..`".into()),
    }
}

/// Below where the storage is mounted, and nowhere else.
fn inner_path(text: &str) -> Result<String, String> {
    let text = text.trim_matches('/');
    let is_below = !text.split('/').any(|part| matches!(part, "" | "." | ".."));
    match is_below && !text.chars().any(model::text::is_unsafe) {
        true => Ok(text.into()),
        false => Err("it is a path inside of the storage, without `..`".into()),
    }
}

fn cpu_millis(text: &str) -> Result<u64, String> {
    let millis = match text.strip_suffix('m') {
        Some(millis) => millis.parse().ok(),
        None => text.parse::<f64>().ok().map(|cpus| (cpus * 1e3) as u64),
    };
    millis
        .filter(|millis| (10..=1_000_000).contains(millis))
        .ok_or_else(|| "it is a number of CPUs such as 4, 0.5 or 500m".into())
}

fn at_least(text: &str, least: u64) -> Result<u64, String> {
    let bytes = parse_bytes(text).map_err(|error| error.to_string())?;
    match bytes >= least {
        true => Ok(bytes),
        false => Err(format!(
            "it is {} at the least",
            model::units::size_word(least)
        )),
    }
}

fn user(text: &str) -> Result<(u32, u32), String> {
    let bad = || "it is UID or UID:GID".to_string();
    // The API takes no others.
    let number = |text: &str| {
        text.parse()
            .ok()
            .filter(|id| *id <= i32::MAX as u32)
            .ok_or_else(bad)
    };
    match text.split_once(':') {
        Some((user, group)) => Ok((number(user)?, number(group)?)),
        None => Ok((number(text)?, number(text)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_kubectl_would_take_for_an_option_is_no_name() {
        assert!(name("--all").is_err() && name("fast").is_ok());
        assert!(label("a.b").is_err() && label("bench").is_ok());
        assert!(image("-x").is_err() && image("r.example:5000/iodyno@sha256:0a").is_ok());
    }

    #[test]
    fn paths_stay_where_they_belong() {
        assert!(host_path("/srv/../etc").is_err() && host_path("srv").is_err());
        assert_eq!(host_path("/srv").as_deref(), Ok("/srv"));
        assert_eq!(inner_path("/a/b/").as_deref(), Ok("a/b"));
        for bad in ["..", "a/../..", "", "/", "a//b", "a\u{1b}"] {
            assert!(inner_path(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn cpus_and_users_are_read() {
        assert_eq!((cpu_millis("4"), cpu_millis("500m")), (Ok(4000), Ok(500)));
        assert!(cpu_millis("0").is_err() && cpu_millis("x").is_err() && cpu_millis("-1").is_err());
        assert_eq!((user("0"), user("7:8")), (Ok((0, 0)), Ok((7, 8))));
        assert!(user("4294967295").is_err() && at_least("0", 1).is_err());
        assert!(user("root").is_err() && user("1:").is_err());
    }
}
