//! What the causes know: the path with its machine, the short loads of a check, and what the sensors saw meanwhile.

use super::causes;
use super::experiment::{self, Experiment};
use super::medium::Medium;
use analyse::time_account;
use kernel::release::Release;
use model::check::{Probe, Promise, Role};
use model::finding::Finding;
use model::frame::Frame;
use model::iopath::{IoPath, Layer, LayerKind};
use model::time_account::TimeAccount;

/// All that is known. What is not known is none or empty, and a cause that needs it stays silent.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The path, with the machine around it and the kernel's log.
    pub path: &'a IoPath,
    /// The short loads; empty where nothing was loaded.
    pub probes: &'a [Probe],
    /// What the storage is sold as, where that is known.
    pub promise: Option<&'a Promise>,
}

impl<'a> Scene<'a> {
    /// The load of a role, the first of several.
    pub fn probe(&self, role: Role) -> Option<&'a Probe> {
        self.probes.iter().find(|probe| probe.role == role)
    }

    /// The loads of a role in their order.
    pub fn all(&self, role: Role) -> impl Iterator<Item = &'a Probe> {
        self.probes.iter().filter(move |probe| probe.role == role)
    }

    /// The steps of the response curve: depth and load, by depth.
    pub fn curve(&self) -> Vec<(u32, &'a Probe)> {
        let mut steps: Vec<_> = self
            .all(Role::Depth)
            .map(|probe| (probe.load.depth.max(1), probe))
            .collect();
        steps.sort_by_key(|(depth, _)| *depth);
        steps
    }

    /// The most I/Os a second that any random read of the check reached.
    pub fn iops_best(&self) -> Option<f64> {
        let reads = self
            .probes
            .iter()
            .filter(|probe| matches!(probe.role, Role::Depth | Role::Latency));
        reads.map(Probe::iops).max_by(f64::total_cmp)
    }

    /// Where the time of an I/O went, load by load; only of loads whose threads were watched.
    pub fn accounts(&self) -> Vec<TimeAccount> {
        let disks = self.bottoms();
        let accounts = self.probes.iter();
        accounts
            .filter_map(|probe| time_account::account(probe, &disks))
            .collect()
    }

    /// Where the time of an I/O went in the load of a role, the first of several.
    pub fn account(&self, role: Role) -> Option<TimeAccount> {
        time_account::account(self.probe(role)?, &self.bottoms())
    }

    /// Names of the queues that have none below them.
    fn bottoms(&self) -> Vec<&'a str> {
        let is_queue = |layer: &Layer| {
            use LayerKind::{Disk, Loop, Stacked, Zram};
            matches!(layer.kind, Disk | Loop | Stacked | Zram)
        };
        let bottoms = self
            .queues()
            .filter(|layer| !layer.walk().into_iter().skip(1).any(is_queue));
        bottoms.map(|layer| layer.name.as_str()).collect()
    }

    /// What others did before anything was loaded; under a production load that is the production.
    pub fn idle(&self) -> Option<&'a Frame> {
        self.probe(Role::Idle).map(|probe| &probe.frame)
    }

    /// The fields over every load, idle time included.
    pub fn frames(&self) -> impl Iterator<Item = (Role, &'a Frame)> {
        self.probes.iter().map(|probe| (probe.role, &probe.frame))
    }

    /// All layers, from the target down.
    pub fn layers(&self) -> Vec<&'a Layer> {
        self.path.root.walk()
    }

    /// The layers of a kind.
    pub fn of_kind(&self, kind: LayerKind) -> impl Iterator<Item = &'a Layer> {
        self.layers()
            .into_iter()
            .filter(move |layer| layer.kind == kind)
    }

    /// The disks at the bottom.
    pub fn disks(&self) -> Vec<&'a Layer> {
        self.of_kind(LayerKind::Disk).collect()
    }

    /// Everything with a request queue that can be tuned: disks, loop devices, zram, mapped devices and arrays.
    pub fn queues(&self) -> impl Iterator<Item = &'a Layer> {
        use LayerKind::{Disk, Loop, Stacked, Zram};
        self.layers()
            .into_iter()
            .filter(|layer| matches!(layer.kind, Disk | Loop | Stacked | Zram))
    }

    /// The file system nearest the target.
    pub fn file_system(&self) -> Option<&'a Layer> {
        self.of_kind(LayerKind::FileSystem).next()
    }

    /// What answers at the bottom of the path.
    pub fn medium(&self) -> Option<Medium> {
        Medium::of(self.path)
    }

    /// What answers at one disk.
    pub fn medium_of(&self, disk: &Layer) -> Option<Medium> {
        Medium::of_layer(disk)
    }

    /// The kernel's version.
    pub fn kernel(&self) -> Option<Release> {
        Release::parse(self.path.machine_fact("kernel")?)
    }

    /// Memory of the machine, bytes.
    pub fn memory_bytes(&self) -> Option<f64> {
        self.path.machine_fact("memory_bytes")?.parse().ok()
    }

    /// Lines of the kernel's log that hold one of these words, as they stand.
    pub fn log_with(&self, words: &[&str]) -> Vec<&'a str> {
        let has = |text: &str| words.iter().any(|word| text.contains(word));
        self.path
            .log
            .iter()
            .map(|line| line.text.as_str())
            .filter(|text| has(text))
            .collect()
    }
}

/// Every cause that the scene shows, by how much its cure is likely to help, the worst level first among equals.
pub fn causes_of(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for cause in causes::ALL {
        found.extend(
            (cause.judge)(scene)
                .into_iter()
                .map(|finding| complete(finding, cause, scene)),
        );
    }
    let gain = |finding: &Finding| (finding.gain * 1000.0) as i64;
    found.sort_by_key(|finding| {
        (
            std::cmp::Reverse(finding.level),
            std::cmp::Reverse(gain(finding)),
        )
    });
    found
}

/// What every finding of a cause shares is written once, in the cause.
fn complete(mut finding: Finding, cause: &super::Cause, scene: &Scene<'_>) -> Finding {
    finding.rule = cause.id.into();
    if finding.competing.is_empty() {
        finding.competing = cause
            .competing
            .iter()
            .map(|one| (*one).to_string())
            .collect();
    }
    let has_own = finding.tune.is_some() || !finding.experiment.is_empty();
    match cause.experiment {
        _ if has_own => {}
        Experiment::Tune(tune) => finding.tune = Some(tune()),
        Experiment::Line(line) => {
            finding.experiment = experiment::with_names(line, scene, &finding.section);
        }
    }
    finding = experiment::printed(finding, scene);
    finding.risk = finding.risk.or(Some(cause.risk));
    finding.knob = finding.knob.or(cause.knob.map(Into::into));
    finding
}
