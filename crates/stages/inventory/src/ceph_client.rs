//! Who asks a Ceph cluster, and about what: a target in the cluster, a device or a mount of this machine.

use super::{Below, InventoryError};
use model::ceph_target::{CephCluster, CephTarget};
use model::iopath::{Layer, LayerKind};
use model::text::clean_to;

/// What is asked about a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CephClient {
    /// What lies in the cluster.
    pub wanted: CephWanted,
    /// How the cluster is reached.
    pub cluster: CephCluster,
    /// The cluster's identifier, where the client knows it: another cluster's answers are not taken for its.
    pub fsid: Option<String>,
}

/// What lies in a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CephWanted {
    /// A pool.
    Pool(String),
    /// The pools of the file system of this name, or of the cluster's own.
    Files(Option<String>),
}

impl CephClient {
    /// Of a target's text.
    pub(super) fn of_target(target: &CephTarget) -> CephClient {
        CephClient {
            wanted: CephWanted::Pool(target.pool.clone()),
            cluster: target.cluster.clone(),
            fsid: None,
        }
    }

    /// Of an rbd device: the kernel's client is asked about with the configuration that Ceph's programs find by themselves.
    pub(super) fn of_device(pool: &str, fsid: Option<String>) -> CephClient {
        CephClient {
            wanted: CephWanted::Pool(pool.to_string()),
            cluster: CephCluster::default(),
            fsid: fsid.filter(|fsid| !fsid.is_empty()),
        }
    }

    /// Of a mounted CephFS. From Linux 5.17 on the source is `USER@FSID.NAME=/PATH`, before that the name is an option.
    pub(super) fn of_mount(source: &str, named: Option<String>) -> CephClient {
        let device = source.split_once("=/").map(|(device, _)| device);
        let parts = device.and_then(|device| device.split_once('@')?.1.split_once('.'));
        CephClient {
            wanted: CephWanted::Files(parts.map(|(_, name)| name.to_string()).or(named)),
            cluster: CephCluster::default(),
            fsid: parts
                .map(|(fsid, _)| fsid.to_string())
                .filter(|fsid| !fsid.is_empty()),
        }
    }
}

/// A pool that was named and is not there is a mistake of whoever named it; a cluster that cannot be asked is none.
pub(super) fn check(below: &Below, root: &Layer) -> Result<(), InventoryError> {
    let Below::Ceph(CephClient {
        wanted: CephWanted::Pool(pool),
        ..
    }) = below
    else {
        return Ok(());
    };
    let layers = root.walk();
    let cluster = layers.iter().find(|layer| layer.kind == LayerKind::Cluster);
    let why = cluster
        .and_then(|cluster| cluster.fact("unanswered"))
        .unwrap_or_default();
    match why.contains("the cluster has no pool ") {
        true => Err(InventoryError::NoPool {
            pool: clean_to(pool, 100),
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_mount_says_of_its_cluster() {
        let new = CephClient::of_mount("admin@07fe3187-00d9-42a3-814b-72a4d5e7d5be.tank=/a", None);
        assert_eq!(new.wanted, CephWanted::Files(Some("tank".into())));
        assert_eq!(
            new.fsid.as_deref(),
            Some("07fe3187-00d9-42a3-814b-72a4d5e7d5be")
        );
        let old = CephClient::of_mount("10.0.0.1:6789:/", Some("tank".into()));
        assert_eq!(
            (old.wanted, old.fsid),
            (CephWanted::Files(Some("tank".into())), None)
        );
        let fuse = CephClient::of_mount("ceph-fuse", None);
        assert_eq!((fuse.wanted, fuse.fsid), (CephWanted::Files(None), None));
        let unsaid = CephClient::of_mount("admin@.tank=/", None);
        assert_eq!(
            (unsaid.wanted, unsaid.fsid),
            (CephWanted::Files(Some("tank".into())), None)
        );
    }
}
