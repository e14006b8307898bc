//! What a load is to work on, and the machine that makes it: what rules are told beside job and path.

use crate::iopath::Layer;
use crate::text::{container_id, short_group};
use crate::units;
use kernel::cgroups::THROTTLES;
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CgroupLimit {
    /// Kernel name of the device.
    pub device: String,
    /// `riops`, `wiops`, `rbps` or `wbps`.
    pub what: String,
    /// I/Os or bytes per second.
    pub limit: u64,
    /// The group that has it, below the root of its hierarchy; empty in records of versions that did not keep it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Of control groups: 1 or 2; 0 where that is not known.
    #[serde(default, skip_serializing_if = "is_unknown")]
    pub version: u8,
}

fn is_unknown(version: &u8) -> bool {
    *version == 0
}

impl CgroupLimit {
    /// Those that bind the process which looked at a machine, as its layer has them: `io_limits`, the group of each in
    /// `io_limits_from`, and `cgroup_version`.
    pub fn of_machine(machine: &Layer) -> Vec<CgroupLimit> {
        let fact = |name: &str| machine.fact(name).unwrap_or_default();
        // Where both versions are mounted, the controller of I/O is one of version 1 on every distribution.
        let version = match fact("cgroup_version") {
            "1" | "hybrid" => 1,
            "2" => 2,
            _ => 0,
        };
        let limit = |(part, group): (&str, &str)| {
            let mut words = part.split_whitespace();
            let (device, what, limit) = (words.next()?, words.next()?, words.next()?);
            Some(CgroupLimit {
                device: device.into(),
                what: what.into(),
                limit: limit.parse().ok().filter(|limit| *limit > 0)?,
                group: group.trim().into(),
                version,
            })
        };
        let groups = fact("io_limits_from").split(';');
        let parts = fact("io_limits").split(';');
        let each = parts.zip(groups.chain(std::iter::repeat("")));
        each.filter_map(limit).collect()
    }

    /// Whether it is on reads; else on writes.
    pub fn is_on_reads(&self) -> bool {
        self.what.starts_with('r')
    }

    /// Whether it counts bytes; else I/Os.
    pub fn is_in_bytes(&self) -> bool {
        self.what.ends_with("bps")
    }

    /// A rate in the words of this limit: `10.0 MiB/s of writes`, `500 reads per second`.
    pub fn rate_words(&self, rate: f64) -> String {
        match (self.is_in_bytes(), self.is_on_reads()) {
            (true, true) => format!("{} of reads", units::bytes_per_s(rate)),
            (true, false) => format!("{} of writes", units::bytes_per_s(rate)),
            (false, true) => format!("{} reads per second", units::count(rate)),
            (false, false) => format!("{} writes per second", units::count(rate)),
        }
    }

    /// The limit itself: `10.0 MiB/s of writes`.
    pub fn words(&self) -> String {
        self.rate_words(self.limit as f64)
    }

    /// Whose it is: `control group /db (version 1)`.
    pub fn owner(&self) -> String {
        let name = match self.group.as_str() {
            "" => String::new(),
            group => format!(" {}", short_group(group)),
        };
        match self.version {
            0 => format!("control group{name}"),
            version => format!("control group{name} (version {version})"),
        }
    }

    /// The knob that sets it, with its group as `set` and `tune` take it: `wbps@/db`.
    pub fn knob(&self) -> String {
        let group = if self.group.is_empty() {
            "self"
        } else {
            &self.group
        };
        format!("{}@{}", self.what, container_id(group).unwrap_or(group))
    }

    /// The file of the group in which it stands.
    pub fn file(&self) -> &'static str {
        let is_it = |(_, what): &&(&str, &str)| *what == self.what;
        let old = THROTTLES.iter().find(is_it);
        match (self.version, old) {
            (1, Some((file, _))) => file,
            _ => "io.max",
        }
    }
}
