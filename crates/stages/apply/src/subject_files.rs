//! A subject on a host: where its settings are, and what they say.

use host::{Host, Reach};
use kernel::mounts::{Mount, Mounts};
use kernel::super_option::SuperOption;
use model::change::Attribute;
use model::iopath::{IoPath, LayerKind};
use model::subject::{Subject, SubjectKind};
use model::text::is_plain_name;

/// The files of a subject.
#[derive(Clone, Debug)]
pub struct SubjectFiles {
    host: Host,
    subject: Subject,
}

impl SubjectFiles {
    /// Of a subject that is there; none where its directory is not, or its device has more than one plain name: it
    /// becomes a part of paths.
    pub fn of(host: &Host, subject: Subject) -> Option<SubjectFiles> {
        if !subject.device().is_none_or(is_plain_name) {
            return None;
        }
        let files = SubjectFiles {
            host: host.clone(),
            subject,
        };
        host.has_subject(&files.subject).then_some(files)
    }

    /// The subject.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The host it is on.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Absolute path of a setting.
    pub fn path(&self, attribute: &str) -> String {
        self.subject.path(attribute)
    }

    /// Names of a subject's settings, or of those in a directory of it; none where they are no files: users' files are
    /// below a mount, and a group's files have lines of other devices too.
    pub fn names(&self, directory: &str) -> Vec<String> {
        if matches!(
            self.subject.kind(),
            SubjectKind::Mount
                | SubjectKind::FileSystem
                | SubjectKind::Group
                | SubjectKind::CpuLatency
        ) {
            return Vec::new();
        }
        self.host.list(self.path(directory).trim_end_matches('/'))
    }

    /// What a setting reads.
    pub fn attribute(&self, name: &str) -> Attribute {
        self.host.attribute(&self.path(name))
    }

    /// A setting as text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.host.text(&self.path(name))
    }

    /// A setting as a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.host.number(&self.path(name))
    }
}

/// What a queue says of itself beside its settings.
impl SubjectFiles {
    /// The chosen word of `scheduler`.
    pub fn scheduler(&self) -> Option<String> {
        Some(crate::ValueReading::Chosen.value(&self.text("scheduler")?))
    }

    /// Tags of the smallest hardware queue, where the device has any.
    pub fn tags(&self) -> Option<u64> {
        let directory = format!("/sys/block/{}/mq", self.subject.device()?);
        let queues = self.host.list(&directory).into_iter();
        let tags = queues.map(|queue| self.host.number(&format!("{directory}/{queue}/nr_tags")));
        tags.flatten().min()
    }
}

/// What a mounted file system says of itself.
impl SubjectFiles {
    /// The mount of a mount or a file system; none of another subject, and where it is gone.
    pub fn mount(&self) -> Option<Mount> {
        let (Subject::Mount { devno, point } | Subject::FileSystem { devno, point }) =
            &self.subject
        else {
            return None;
        };
        let table = Mounts::parse(&self.host.text("/proc/self/mountinfo")?);
        let mount = table.holding(point)?;
        (mount.point == *point && mount.devno.to_string() == *devno).then(|| mount.clone())
    }

    /// The word that gives a mount or a file system this value of a setting among the options of fstab.
    pub fn fstab_word(&self, attribute: &str, value: &str) -> Option<String> {
        match &self.subject {
            Subject::Mount { .. } => Some(value.to_string()),
            Subject::FileSystem { .. } => {
                SuperOption::of(attribute)?.word(&self.mount()?.fstype, value)
            }
            _ => None,
        }
    }
}

/// How far changes of such subjects reach: which lock they need.
pub fn reach(kinds: impl IntoIterator<Item = SubjectKind>) -> Reach {
    // A mount belongs to no one device: it may lie on several, and who uses it need not use this one's queue.
    let is_of_machine = |kind| {
        matches!(
            kind,
            SubjectKind::Sysctl
                | SubjectKind::Interrupt
                | SubjectKind::Mount
                | SubjectKind::FileSystem
                | SubjectKind::HugePages
                | SubjectKind::CpuLatency
        )
    };
    match kinds.into_iter().any(is_of_machine) {
        true => Reach::Machine,
        false => Reach::Device,
    }
}

/// The subjects of a kind that act on the I/O of a device of a path.
pub fn subjects(kind: SubjectKind, path: &IoPath, device: &str) -> Vec<Subject> {
    let device = device.to_string();
    match kind {
        SubjectKind::Queue => vec![Subject::Queue { device }],
        SubjectKind::Scheduler => vec![Subject::Scheduler { device }],
        SubjectKind::Bdi => vec![Subject::Bdi { device }],
        SubjectKind::Scsi => vec![Subject::Scsi { device }],
        SubjectKind::Md => vec![Subject::Md { device }],
        SubjectKind::Loop => vec![Subject::Loop { device }],
        SubjectKind::Sysctl => vec![Subject::Sysctl],
        SubjectKind::CpuLatency => vec![Subject::CpuLatency],
        SubjectKind::HugePages => vec![Subject::HugePages],
        SubjectKind::Mount => mounts(path)
            .map(|(devno, point)| Subject::Mount { devno, point })
            .collect(),
        SubjectKind::FileSystem => mounts(path)
            .map(|(devno, point)| Subject::FileSystem { devno, point })
            .collect(),
        // Any group of the machine may use the device: the user names one.
        SubjectKind::Group => Vec::new(),
        SubjectKind::Interrupt => {
            let layers = path.root.walk().into_iter();
            let lines = layers
                .filter(|layer| layer.name == device)
                .flat_map(|layer| &layer.interrupts);
            lines
                .map(|line| Subject::Interrupt { number: line.irq })
                .collect()
        }
    }
}

/// Device and point of the mount that a path's files lie in; none of a block device, and of a mount whose point no place
/// can name.
fn mounts(path: &IoPath) -> impl Iterator<Item = (String, String)> {
    let layers = path.root.walk().into_iter();
    let mut found = layers.filter(|layer| layer.kind == LayerKind::FileSystem);
    // The first is that of the target; file systems below it hold its images.
    let found = found.next().and_then(|layer| {
        let point = layer.fact("mount_point")?;
        Some((layer.devno.clone()?, point.to_string()))
    });
    let has_place = |(devno, point): &(String, String)| {
        let (devno, point) = (devno.clone(), point.clone());
        Subject::of_path(&Subject::Mount { devno, point }.path("atime")).is_some()
    };
    found.into_iter().filter(has_place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Archive;
    use model::iopath::{Interrupt, Layer};

    #[test]
    fn a_device_that_is_not_there_or_has_no_name_has_no_files() {
        let mut archive = Archive::default();
        archive.insert(
            "/sys/block/sda/queue/scheduler",
            Attribute::Value("none".into()),
        );
        let host = Host::from_archive(archive);
        let of = |device: &str| {
            let device = device.to_string();
            SubjectFiles::of(&host, Subject::Queue { device })
        };
        assert!(of("sda").is_some());
        assert!(of("sdb").is_none() && of("../block/sda").is_none());
    }

    #[test]
    fn the_mount_is_that_of_the_target_and_one_that_a_place_can_name() {
        let of = |point: &str| {
            let mut layer = Layer::new(LayerKind::FileSystem, point);
            layer.devno = Some("7:1".into());
            layer.facts.insert("mount_point".into(), point.into());
            let mut below = Layer::new(LayerKind::FileSystem, "/images");
            below.devno = Some("8:1".into());
            below.facts.insert("mount_point".into(), "/images".into());
            layer.below.push(below);
            subjects(SubjectKind::Mount, &IoPath::new(point, layer), "loop1")
        };
        let (devno, point) = ("7:1".to_string(), "/srv".to_string());
        assert_eq!(of("/srv"), [Subject::Mount { devno, point }]);
        assert!(of("/a\nb").is_empty());
        let disk = IoPath::new("/dev/sda", Layer::new(LayerKind::Disk, "sda"));
        assert!(subjects(SubjectKind::Mount, &disk, "sda").is_empty());
        assert_eq!(
            reach([SubjectKind::Queue, SubjectKind::Mount]),
            Reach::Machine
        );
    }

    #[test]
    fn the_interrupts_are_those_of_the_device() {
        let mut disk = Layer::new(LayerKind::Disk, "nvme0n1");
        disk.interrupts = [30, 31]
            .map(|irq| Interrupt {
                irq,
                name: format!("nvme0q{irq}"),
                allowed_cpus: None,
                effective_cpus: None,
                counts: Vec::new(),
            })
            .into();
        let path = IoPath::new("/srv", disk);
        let found = subjects(SubjectKind::Interrupt, &path, "nvme0n1");
        assert_eq!(found, [30, 31].map(|number| Subject::Interrupt { number }));
        assert!(subjects(SubjectKind::Interrupt, &path, "sda").is_empty());
        assert_eq!(
            subjects(SubjectKind::Sysctl, &path, "sda"),
            [Subject::Sysctl]
        );
    }
}
