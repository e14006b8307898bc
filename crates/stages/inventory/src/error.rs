//! Why there is no I/O path to show.

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
    /// Whether more rights would help.
    pub fn is_permission(&self) -> bool {
        matches!(self, InventoryError::NoAccess { .. })
    }
}
