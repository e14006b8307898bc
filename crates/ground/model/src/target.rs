//! What a load is to work on, and the machine that makes it: what rules are told beside job and path.

use kernel::release::Release;
use serde::{Deserialize, Serialize};

/// What a job is to work on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TargetFacts {
    /// As the user named it.
    pub name: String,
    /// What it is.
    pub kind: TargetKind,
    /// Size of a file or a device, or of the scratch that was made in a directory, bytes.
    pub bytes: Option<u64>,
    /// What scratch in a directory may take, bytes: free space less the reserve.
    pub free_bytes: Option<u64>,
    /// Whether it lives in memory (tmpfs, ramfs).
    pub is_in_memory: bool,
    /// Share of an existing file that was ever written, 0 to 1; none where the file system cannot tell.
    pub written_share: Option<f64>,
}

/// What a target is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// A directory, in which scratch files are made and written in full.
    #[default]
    Directory,
    /// An existing file.
    File,
    /// A block device.
    Device,
    /// Nothing is there, or nothing that can be loaded.
    Missing,
}

/// The machine that runs the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Machine {
    /// Memory, bytes; of a container, its limit where that is lower.
    pub memory_bytes: Option<u64>,
    /// CPUs that this process may run on.
    pub cpus: Option<u32>,
    /// CPU and NUMA node of each CPU, where there is more than one node.
    pub nodes: Vec<(u32, u32)>,
    /// Version of the kernel.
    #[cfg_attr(feature = "schema", schemars(with = "Option<(u32, u32)>"))]
    pub kernel: Option<Release>,
    /// The kernel's clock source: `tsc`, `kvm-clock`, `hpet` …
    pub clocksource: Option<String>,
    /// `kernel.io_uring_disabled`: 0 free, 1 for the privileged, 2 for nobody.
    pub io_uring_disabled: Option<u8>,
    /// I/O limits of the control groups that this process is in.
    pub cgroup_limits: Vec<CgroupLimit>,
}

/// One limit of a control group on one device (`io.max`, `blkio.throttle.*`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CgroupLimit {
    /// Kernel name of the device.
    pub device: String,
    /// `riops`, `wiops`, `rbps` or `wbps`.
    pub what: String,
    /// I/Os or bytes per second.
    pub limit: u64,
}
