//! Why there is no I/O path to show.

use model::ceph_target::CephTargetError;
use model::failure::Parts;

/// Why a target cannot be inspected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InventoryError {
    /// Nothing is there.
    #[error(
        "cannot inspect {target}: nothing is there. Name a directory, a file or a block device, \
         such as /var, ./data or sda."
    )]
    NotFound {
        /// What the user named.
        target: String,
    },
    /// The way to it is closed.
    #[error(
        "cannot inspect {target}: permission denied on the way to it. Run iodyno as root, or name a path that you \
         may enter."
    )]
    NoAccess {
        /// What the user named.
        target: String,
    },
    /// Something is there that stores nothing.
    #[error(
        "cannot inspect {target}: it is {what}, which stores nothing. Name a directory, a file or a block \
         device, such as /var, ./data or sda."
    )]
    NotStorage {
        /// What the user named.
        target: String,
        /// What it is.
        what: &'static str,
    },
    /// A device node whose device the kernel does not list.
    #[error(
        "cannot inspect {target}: the kernel lists no block device {devno}. The device may be gone, or /sys may \
         not be mounted here."
    )]
    NoDevice {
        /// What the user named.
        target: String,
        /// `major:minor` of the node.
        devno: String,
    },
    /// A name that begins like one in a Ceph cluster and is none.
    #[error("cannot inspect {0}")]
    CephTarget(#[from] CephTargetError),
    /// A Ceph cluster that answers and has no such pool.
    #[error(
        "cannot inspect the pool {pool}: the Ceph cluster has none of that name. `ceph osd pool ls` lists its pools."
    )]
    NoPool {
        /// What the user named.
        pool: String,
    },
    /// The mount table cannot be read.
    #[error(
        "cannot inspect {target}: /proc/self/mountinfo cannot be read. Mount /proc, or name a block device."
    )]
    NoMounts {
        /// What the user named.
        target: String,
    },
}

impl InventoryError {
    /// On what it failed, why, and what to do: the end of its message.
    pub fn parts(&self) -> Parts {
        let name = "Name a directory, a file or a block device, such as /var, ./data or sda.";
        match self {
            InventoryError::NotFound { target } => {
                Parts::on(target).why("nothing is there").hint(name)
            }
            InventoryError::NoAccess { target } => Parts::on(target)
                .why("permission denied on the way to it")
                .hint("Run iodyno as root, or name a path that you may enter."),
            InventoryError::NotStorage { target, what } => Parts::on(target)
                .why(format!("it is {what}, which stores nothing"))
                .hint(name),
            InventoryError::NoDevice { target, devno } => Parts::on(target)
                .why(format!("the kernel lists no block device {devno}"))
                .hint("The device may be gone, or /sys may not be mounted here."),
            InventoryError::CephTarget(error) => Parts::on(&error.text)
                .why(error.why.clone())
                .hint(error.advice),
            InventoryError::NoPool { pool } => Parts::on(pool)
                .why("the Ceph cluster has no pool of that name")
                .hint("`ceph osd pool ls` lists its pools."),
            InventoryError::NoMounts { target } => Parts::on(target)
                .why("/proc/self/mountinfo cannot be read")
                .hint("Mount /proc, or name a block device."),
        }
    }

    /// Whether more rights would help.
    pub fn is_permission(&self) -> bool {
        matches!(self, InventoryError::NoAccess { .. })
    }
}
