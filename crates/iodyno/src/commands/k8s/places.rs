//! The places that were named: each storage, on each node.

use super::args::StorageArgs;
use crate::exit::Failure;
use model::kube::KubeStorage;

/// What is loaded, and where its pod runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The storage.
    pub storage: KubeStorage,
    /// The node, where one was named.
    pub node: Option<String>,
}

impl Place {
    /// For people: `storage class fast on node n1`.
    pub fn name(&self) -> String {
        match (&self.storage, &self.node) {
            (KubeStorage::Node, Some(node)) => format!("node {node}"),
            (storage, Some(node)) => format!("{storage} on node {node}"),
            (storage, None) => storage.to_string(),
        }
    }
}

/// All of them: storage by storage.
pub fn all(args: &StorageArgs) -> Result<Vec<Place>, Failure> {
    let classes = args.storage_class.iter().cloned();
    let claims = args.pvc.iter().cloned();
    let paths = args.host_path.iter().cloned();
    let mut storage: Vec<KubeStorage> = classes
        .map(KubeStorage::StorageClass)
        .chain(claims.map(KubeStorage::Claim))
        .chain(paths.map(KubeStorage::HostPath))
        .collect();
    if storage.is_empty() && !args.node.is_empty() {
        storage.push(KubeStorage::Node);
    }
    if storage.is_empty() {
        return Err(Failure::usage("nothing says what to load")
            .hint("Name it: --storage-class CLASS, --pvc CLAIM, --node NODE, or --host-path DIRECTORY --node NODE."));
    }
    if args.host_path.is_some() && args.node.is_empty() {
        return Err(Failure::usage("--host-path is a directory of a node")
            .hint("Name the node as well: --node NODE; `kubectl get nodes` lists them."));
    }
    let nodes: Vec<Option<String>> = match args.node.is_empty() {
        true => vec![None],
        false => args.node.iter().cloned().map(Some).collect(),
    };
    let mut places = Vec::new();
    for storage in &storage {
        for node in &nodes {
            let place = Place {
                storage: storage.clone(),
                node: node.clone(),
            };
            if places.contains(&place) {
                return Err(Failure::usage(format!("{} is named twice", place.name())));
            }
            places.push(place);
        }
    }
    Ok(places)
}

/// The one that was named.
pub fn one(args: &StorageArgs) -> Result<Place, Failure> {
    match all(args)?.as_slice() {
        [one] => Ok(one.clone()),
        many => Err(Failure::usage(format!(
            "{} places are named, and one is loaded",
            many.len()
        ))
        .hint("iodyno k8s compare loads several in turns.")),
    }
}

/// Several.
pub fn several(args: &StorageArgs) -> Result<Vec<Place>, Failure> {
    let places = all(args)?;
    match places.len() {
        0 | 1 => Err(Failure::usage("one place alone cannot be compared")
            .hint("Name several: --storage-class fast,slow, --pvc a,b, or --node n1,n2.")),
        _ => Ok(places),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(classes: &[&str], nodes: &[&str], host_path: Option<&str>) -> StorageArgs {
        let strings = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
        StorageArgs {
            storage_class: strings(classes),
            pvc: Vec::new(),
            host_path: host_path.map(str::to_string),
            node: strings(nodes),
            claim_size: 1,
            path: None,
        }
    }

    fn names(args: &StorageArgs) -> Vec<String> {
        all(args).unwrap().iter().map(Place::name).collect()
    }

    #[test]
    fn each_storage_stands_on_each_node() {
        assert_eq!(
            names(&args(&["fast", "slow"], &["n1", "n2"], None)),
            [
                "storage class fast on node n1",
                "storage class fast on node n2",
                "storage class slow on node n1",
                "storage class slow on node n2"
            ]
        );
        assert_eq!(names(&args(&[], &["n1"], None)), ["node n1"]);
        assert_eq!(
            names(&args(&[], &["n1"], Some("/srv"))),
            ["host path /srv on node n1"]
        );
    }

    #[test]
    fn what_is_not_enough_is_refused() {
        assert!(all(&args(&[], &[], None)).is_err());
        assert!(all(&args(&[], &[], Some("/srv"))).is_err());
        assert!(all(&args(&["fast", "fast"], &[], None)).is_err());
        assert!(one(&args(&["fast", "slow"], &[], None)).is_err());
        assert!(several(&args(&["fast"], &[], None)).is_err());
    }
}
