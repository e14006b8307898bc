//! What a setting is a setting of: a block device's queue, its part of the page cache or what its driver has of it, the
//! kernel as a whole, its huge pages, one interrupt, one mount, a mounted file system, what a control group gives to a device,
//! how fast CPUs wake up.
//!
//! Every setting has a place, which is one text. Most subjects have a directory in which their settings are files, and
//! the place is the file's path. A mount has none: its place is `mount:OPTION:MAJOR:MINOR:POINT`, which no path can be
//! taken for, since a path begins with a slash. A file system's is `fs:OPTION:MAJOR:MINOR:POINT`, where the point is
//! that of the mount by which it is found: the option is of all its mounts. Both ways between a place and its subject stand here, so that what writes
//! a setting, what puts it back and what checks a journal agree on whose it is. A request that a process holds open has
//! none either: its place is `held:NAME`. What a control group gives to a device is a part of a file that other devices
//! have lines in too: its place is `group:NAME:DEVICE:DIRECTORY`.

use crate::text::{is_plain_name, short_group};
use serde::{Deserialize, Serialize};

/// Whose setting it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Subject {
    /// The queue of a whole block device: `/sys/block/NAME/queue`.
    Queue {
        /// Kernel name: `sda`.
        device: String,
    },
    /// The scheduler that a queue has chosen: `/sys/block/NAME/queue/iosched`. Its files go when another is chosen.
    Scheduler {
        /// Kernel name of the block device.
        device: String,
    },
    /// A block device's share of the page cache (its backing device, bdi): `/sys/block/NAME/bdi`.
    Bdi {
        /// Kernel name of the block device.
        device: String,
    },
    /// A disk as its SCSI driver has it, SATA, SAS and USB disks among them: `/sys/block/NAME/device`.
    Scsi {
        /// Kernel name of the block device.
        device: String,
    },
    /// An array of Linux software RAID: `/sys/block/NAME/md`.
    Md {
        /// Kernel name of the block device: `md0`.
        device: String,
    },
    /// A loop device: `/sys/block/NAME/loop`.
    Loop {
        /// Kernel name of the block device: `loop0`.
        device: String,
    },
    /// The kernel's parameters: `/proc/sys`. They act on the whole machine.
    Sysctl,
    /// One interrupt: `/proc/irq/NUMBER`.
    Interrupt {
        /// Its number, which ends with the boot and with the device.
        number: u32,
    },
    /// One mount of a file system. Its settings are flags of the mount, not of the file system, which may have other
    /// mounts.
    Mount {
        /// Of its files, `major:minor`, as the mount table has it.
        devno: String,
        /// Where it is mounted: an absolute path without links, `..` and control characters.
        point: String,
    },
    /// A mounted file system. Its settings are options that all of its mounts share.
    FileSystem {
        /// Of its files, `major:minor`, as the mount table has it.
        devno: String,
        /// Where the mount is by which it is found, in the form of [`Subject::Mount`].
        point: String,
    },
    /// How programs get huge pages: `/sys/kernel/mm/transparent_hugepage`. It acts on the whole machine.
    HugePages,
    /// What a control group gives to one block device: limits and weights of I/O.
    Group {
        /// Kernel name of the block device.
        device: String,
        /// The group's directory: an absolute path without links, `..` and control characters.
        directory: String,
    },
    /// How fast CPUs must wake up. It is asked for by holding a descriptor open, acts on the whole machine, and ends with
    /// the process that asked.
    CpuLatency,
}

/// The kinds of subject, each with directories of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// [`Subject::Queue`].
    Queue,
    /// [`Subject::Scheduler`].
    Scheduler,
    /// [`Subject::Bdi`].
    Bdi,
    /// [`Subject::Scsi`].
    Scsi,
    /// [`Subject::Md`].
    Md,
    /// [`Subject::Loop`].
    Loop,
    /// [`Subject::Sysctl`].
    Sysctl,
    /// [`Subject::Interrupt`].
    Interrupt,
    /// [`Subject::Mount`].
    Mount,
    /// [`Subject::FileSystem`].
    FileSystem,
    /// [`Subject::HugePages`].
    HugePages,
    /// [`Subject::Group`].
    Group,
    /// [`Subject::CpuLatency`].
    CpuLatency,
}

/// Directories of block devices and of interrupts.
const BLOCK: &str = "/sys/block/";
const SYSCTL: &str = "/proc/sys/";
const IRQ: &str = "/proc/irq/";
/// How the place of a mount's setting begins.
const MOUNT: &str = "mount:";
/// How the place of a file system's setting begins.
const FILE_SYSTEM: &str = "fs:";
const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/";
/// How the place of what a control group gives to a device begins.
const GROUP: &str = "group:";
/// How the place of a request that a process holds open begins.
const HELD: &str = "held:";

impl Subject {
    /// The directory of its settings, without a final slash; of a mount and a file system, whose settings are no files,
    /// where it is mounted, and of a request that a process holds open the directory of the device that takes it.
    pub fn directory(&self) -> String {
        match self {
            Subject::Queue { device } => format!("{BLOCK}{device}/queue"),
            Subject::Scheduler { device } => format!("{BLOCK}{device}/queue/iosched"),
            Subject::Bdi { device } => format!("{BLOCK}{device}/bdi"),
            Subject::Scsi { device } => format!("{BLOCK}{device}/device"),
            Subject::Md { device } => format!("{BLOCK}{device}/md"),
            Subject::Loop { device } => format!("{BLOCK}{device}/loop"),
            Subject::Sysctl => SYSCTL.trim_end_matches('/').into(),
            Subject::Interrupt { number } => format!("{IRQ}{number}"),
            Subject::Mount { point, .. } | Subject::FileSystem { point, .. } => point.clone(),
            Subject::HugePages => HUGE_PAGES.trim_end_matches('/').into(),
            Subject::Group { directory, .. } => directory.clone(),
            Subject::CpuLatency => "/dev".into(),
        }
    }

    /// The place of a setting, which has a plain name, of the kernel's parameters one below a directory
    /// (`vm/dirty_bytes`): the path of its file, of a mount and a file system the text that names device, point and option.
    pub fn path(&self, attribute: &str) -> String {
        match self {
            Subject::Mount { devno, point } => format!("{MOUNT}{attribute}:{devno}:{point}"),
            Subject::FileSystem { devno, point } => {
                format!("{FILE_SYSTEM}{attribute}:{devno}:{point}")
            }
            Subject::Group { device, directory } => {
                format!("{GROUP}{attribute}:{device}:{directory}")
            }
            Subject::CpuLatency => format!("{HELD}{attribute}"),
            _ => format!("{}/{attribute}", self.directory()),
        }
    }

    /// The subject of a path with the name of its setting; none for a path that is no subject's setting, also not with
    /// `..` or a link's name in it.
    pub fn of_path(path: &str) -> Option<(Subject, &str)> {
        if let Some(rest) = path.strip_prefix(MOUNT) {
            let (devno, point, name) = of_mount(rest)?;
            return Some((Subject::Mount { devno, point }, name));
        }
        if let Some(rest) = path.strip_prefix(FILE_SYSTEM) {
            let (devno, point, name) = of_mount(rest)?;
            return Some((Subject::FileSystem { devno, point }, name));
        }
        if let Some(name) = path.strip_prefix(HUGE_PAGES) {
            return is_plain_name(name).then_some((Subject::HugePages, name));
        }
        if let Some(rest) = path.strip_prefix(GROUP) {
            return of_group(rest);
        }
        if let Some(name) = path.strip_prefix(HELD) {
            return is_plain_name(name).then_some((Subject::CpuLatency, name));
        }
        if let Some(name) = path.strip_prefix(SYSCTL) {
            let (table, parameter) = name.split_once('/')?;
            return (is_plain_name(table) && is_plain_name(parameter))
                .then_some((Subject::Sysctl, name));
        }
        if let Some(rest) = path.strip_prefix(IRQ) {
            let (number, name) = rest.split_once('/')?;
            let number = number
                .parse()
                .ok()
                .filter(|parsed: &u32| parsed.to_string() == number)?;
            return is_plain_name(name).then_some((Subject::Interrupt { number }, name));
        }
        let (device, rest) = path.strip_prefix(BLOCK)?.split_once('/')?;
        let device = is_plain_name(device).then(|| device.to_string())?;
        let (directory, name) = rest.rsplit_once('/')?;
        let subject = match directory {
            "queue" => Subject::Queue { device },
            "queue/iosched" => Subject::Scheduler { device },
            "bdi" => Subject::Bdi { device },
            "device" => Subject::Scsi { device },
            "md" => Subject::Md { device },
            "loop" => Subject::Loop { device },
            _ => return None,
        };
        is_plain_name(name).then_some((subject, name))
    }

    /// What kind it is of.
    pub fn kind(&self) -> SubjectKind {
        match self {
            Subject::Queue { .. } => SubjectKind::Queue,
            Subject::Scheduler { .. } => SubjectKind::Scheduler,
            Subject::Bdi { .. } => SubjectKind::Bdi,
            Subject::Scsi { .. } => SubjectKind::Scsi,
            Subject::Md { .. } => SubjectKind::Md,
            Subject::Loop { .. } => SubjectKind::Loop,
            Subject::Sysctl => SubjectKind::Sysctl,
            Subject::Interrupt { .. } => SubjectKind::Interrupt,
            Subject::Mount { .. } => SubjectKind::Mount,
            Subject::FileSystem { .. } => SubjectKind::FileSystem,
            Subject::HugePages => SubjectKind::HugePages,
            Subject::Group { .. } => SubjectKind::Group,
            Subject::CpuLatency => SubjectKind::CpuLatency,
        }
    }

    /// Kernel name of the block device that it belongs to; none for what belongs to the whole machine, and for a mount and
    /// a file system, which may lie on several devices and have users of their own.
    pub fn device(&self) -> Option<&str> {
        match self {
            Subject::Queue { device }
            | Subject::Scheduler { device }
            | Subject::Bdi { device }
            | Subject::Scsi { device }
            | Subject::Md { device }
            | Subject::Loop { device }
            | Subject::Group { device, .. } => Some(device),
            Subject::Sysctl
            | Subject::Interrupt { .. }
            | Subject::Mount { .. }
            | Subject::FileSystem { .. }
            | Subject::HugePages
            | Subject::CpuLatency => None,
        }
    }

    /// Who can hold its settings where they end with the process that sets them, so that `apply` cannot keep them.
    pub fn held_by(&self) -> Option<&'static str> {
        match self {
            Subject::CpuLatency => Some(
                "it lasts only while a process holds /dev/cpu_dma_latency open. Let tuned do so: force_latency= in the \
                 [cpu] section of its profile",
            ),
            _ => None,
        }
    }

    /// What tells it from others of its kind below one device, as a command line names it; none where there are none.
    pub fn key(&self) -> Option<String> {
        match self {
            Subject::Interrupt { number } => Some(number.to_string()),
            Subject::Group { directory, .. } => Some(group_name(directory).into()),
            _ => None,
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subject::Queue { device }
            | Subject::Scsi { device }
            | Subject::Md { device }
            | Subject::Loop { device } => f.write_str(device),
            Subject::Scheduler { device } => write!(f, "the scheduler of {device}"),
            Subject::Bdi { device } => write!(f, "the page cache of {device}"),
            Subject::Sysctl => f.write_str("the kernel"),
            Subject::Interrupt { number } => write!(f, "interrupt {number}"),
            Subject::Mount { point, .. } => f.write_str(point),
            Subject::FileSystem { point, .. } => write!(f, "the file system at {point}"),
            Subject::HugePages => f.write_str("the kernel"),
            Subject::Group { directory, .. } => {
                write!(
                    f,
                    "the control group {}",
                    short_group(group_name(directory))
                )
            }
            Subject::CpuLatency => f.write_str("the processor"),
        }
    }
}

/// Where distributions mount the hierarchies that limit I/O: of version 1, and of version 2 with and without it beside.
const HIERARCHIES: [&str; 3] = [
    "/sys/fs/cgroup/blkio",
    "/sys/fs/cgroup/unified",
    "/sys/fs/cgroup",
];

/// A group by its path below the hierarchy, as /proc/PID/cgroup and people name it; the whole directory where it is
/// mounted elsewhere.
fn group_name(directory: &str) -> &str {
    let below = |mounted: &&str| {
        let below = directory.strip_prefix(mounted)?;
        (below.is_empty() || below.starts_with('/')).then_some(below)
    };
    match HIERARCHIES.iter().find_map(below) {
        Some("") => "/",
        Some(below) => below,
        None => directory,
    }
}

/// A place for people: `atime of /srv` for a setting that is no file, the path of any other.
pub fn place_in_words(place: &str) -> String {
    match Subject::of_path(place) {
        Some((subject @ Subject::Group { .. }, name)) => {
            let device = subject.device().unwrap_or_default();
            format!("{name} of {subject} on {device}")
        }
        Some((
            subject @ (Subject::Mount { .. } | Subject::FileSystem { .. } | Subject::CpuLatency),
            name,
        )) => {
            format!("{name} of {subject}")
        }
        _ => place.to_string(),
    }
}

/// Device, point and option of `OPTION:MAJOR:MINOR:POINT`, in the only form in which [`Subject::path`] writes it.
fn of_mount(text: &str) -> Option<(String, String, &str)> {
    let mut parts = text.splitn(4, ':');
    let (name, major, minor) = (parts.next()?, parts.next()?, parts.next()?);
    let point = parts.next()?;
    let is_number = |text: &str| {
        text.parse()
            .is_ok_and(|parsed: u32| parsed.to_string() == text)
    };
    (is_plain_name(name) && is_number(major) && is_number(minor) && is_straight(point))
        .then(|| (format!("{major}:{minor}"), point.to_string(), name))
}

/// The subject and the setting of `NAME:DEVICE:DIRECTORY`, in the only form in which [`Subject::path`] writes it. A
/// device's name may have a colon, and no slash.
fn of_group(text: &str) -> Option<(Subject, &str)> {
    let (name, rest) = text.split_once(':')?;
    let device = rest.split(":/").next()?;
    let directory = rest.strip_prefix(device)?.strip_prefix(':')?;
    let subject = Subject::Group {
        device: device.to_string(),
        directory: directory.to_string(),
    };
    (is_plain_name(name) && is_plain_name(device) && is_straight(directory))
        .then_some((subject, name))
}

/// Whether a path is absolute and names what it leads to: without empty parts, `.`, `..` and control characters.
fn is_straight(path: &str) -> bool {
    let is_name = |part: &str| !["", ".", ".."].contains(&part);
    path.starts_with('/')
        && !path.chars().any(char::is_control)
        && (path == "/" || path[1..].split('/').all(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sda() -> String {
        "sda".into()
    }

    fn mount(point: &str) -> Subject {
        Subject::Mount {
            devno: "7:1".into(),
            point: point.into(),
        }
    }

    fn group(directory: &str) -> Subject {
        Subject::Group {
            device: "sda".into(),
            directory: directory.into(),
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_no_place_or_the_one_that_its_subject_writes(
            place in "((mount|fs):[a-z:]{0,6}:[0-9]{0,3}:[0-9]{1,2}|group:[a-z:]{0,6}:[a-z!:.]{0,6}):[/a-z:. ]{0,12}"
        ) {
            if let Some((subject, name)) = Subject::of_path(&place) {
                proptest::prop_assert_eq!(subject.path(name), place);
            }
        }

        #[test]
        fn every_mount_point_has_a_place(parts in proptest::collection::vec("[a-z: \\\\é]{1,8}", 0..4)) {
            let subject = mount(&format!("/{}", parts.join("/")));
            let place = subject.path("atime");
            proptest::prop_assert_eq!(Subject::of_path(&place), Some((subject, "atime")));
            let subject = group(&format!("/{}", parts.join("/")));
            let place = subject.path("riops");
            proptest::prop_assert_eq!(Subject::of_path(&place), Some((subject, "riops")));
        }
    }

    #[test]
    fn a_group_is_told_as_the_kernel_names_it() {
        let told = |directory: &str| group(directory).key().unwrap();
        assert_eq!(told("/sys/fs/cgroup/blkio/docker/4f"), "/docker/4f");
        assert_eq!(told("/sys/fs/cgroup/system.slice"), "/system.slice");
        assert_eq!(told("/sys/fs/cgroup/blkio"), "/");
        assert_eq!(told("/sys/fs/cgroup/blkio2/a"), "/blkio2/a");
        assert_eq!(told("/mnt/cg/a"), "/mnt/cg/a");
        assert_eq!(
            place_in_words(&group("/sys/fs/cgroup/db").path("riops")),
            "riops of the control group /db on sda"
        );
    }

    #[test]
    fn a_mount_is_told_as_people_name_it() {
        assert_eq!(
            place_in_words(&mount("/srv").path("atime")),
            "atime of /srv"
        );
        assert_eq!(
            place_in_words("/proc/sys/vm/dirty_bytes"),
            "/proc/sys/vm/dirty_bytes"
        );
    }

    #[test]
    fn a_file_system_is_not_its_mount() {
        let subject = Subject::FileSystem {
            devno: "7:1".into(),
            point: "/srv".into(),
        };
        let place = subject.path("commit");
        assert_eq!(place, "fs:commit:7:1:/srv");
        assert_eq!(place_in_words(&place), "commit of the file system at /srv");
        assert_eq!(Subject::of_path(&place), Some((subject, "commit")));
    }

    #[test]
    fn a_path_and_its_subject_say_the_same() {
        let all = [
            (
                Subject::Queue {
                    device: "cciss!c0d0".into(),
                },
                "nomerges",
            ),
            (Subject::Scheduler { device: sda() }, "slice_idle"),
            (Subject::Sysctl, "vm/dirty_bytes"),
            (Subject::Interrupt { number: 24 }, "smp_affinity_list"),
            (Subject::Bdi { device: sda() }, "max_ratio"),
            (Subject::Scsi { device: sda() }, "queue_depth"),
            (
                Subject::Md {
                    device: "md0".into(),
                },
                "stripe_cache_size",
            ),
            (
                Subject::Loop {
                    device: "loop0".into(),
                },
                "dio",
            ),
            (group("/sys/fs/cgroup/user@1.service/a:b"), "riops"),
            (Subject::CpuLatency, "cpu_latency_us"),
            (Subject::HugePages, "enabled"),
        ];
        for (subject, name) in all {
            let path = subject.path(name);
            assert_eq!(Subject::of_path(&path), Some((subject, name)), "{path}");
        }
    }

    #[test]
    fn what_is_no_subjects_setting_has_none() {
        for path in [
            "/sys/block/sda/queue/../../../../etc/passwd",
            "/sys/block/sda/queue/iosched/../scheduler",
            "/sys/block/sda/queue/iosched/..",
            "/sys/block/sda/queue/",
            "/sys/block/sda/queue",
            "/sys/block/sda/size",
            "/sys/block/sda/device/../device/queue_depth",
            "/sys/block/sda/device/driver/unbind",
            "/sys/block/../queue/scheduler",
            "/sys/block/../../tmp/x/queue/scheduler",
            "/proc/sys/vm",
            "/proc/sys/vm/",
            "/proc/sys/../irq/24/smp_affinity_list",
            "/proc/sys/kernel/../vm/dirty_bytes",
            "/proc/irq/024/smp_affinity_list",
            "/proc/irq/x/smp_affinity_list",
            "/proc/irq/24/../25/smp_affinity_list",
            "mount:atime:7:1:srv",
            "mount:atime:7:1:/srv/../etc",
            "mount:atime:7:1:/srv/",
            "mount:atime:7:1:/srv\n/x",
            "mount:atime:07:1:/srv",
            "mount:atime:7:/srv",
            "mount:../x:7:1:/srv",
            "fs:commit:7:1:/srv/../etc",
            "fs:../x:7:1:/srv",
            "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag",
            "/sys/kernel/mm/transparent_hugepage/..",
            "group:riops:sda:sys/fs/cgroup",
            "group:riops:sda:/sys/fs/cgroup/../../etc",
            "group:riops:sda:/sys/fs/cgroup/",
            "group:riops:../sda:/sys/fs/cgroup",
            "group:riops:/sys/fs/cgroup",
            "group:../riops:sda:/sys/fs/cgroup",
            "held:../cpu_latency_us",
            "held:",
            "/sys/block/sda/bdi/../queue/scheduler",
            "/etc/passwd",
            "",
        ] {
            assert_eq!(Subject::of_path(path), None, "{path}");
        }
    }

    #[test]
    fn its_form_on_disk_is_named() {
        let json = serde_json::to_string(&Subject::Interrupt { number: 24 }).unwrap();
        assert_eq!(json, r#"{"kind":"interrupt","number":24}"#);
        let json = serde_json::to_string(&Subject::Queue { device: sda() }).unwrap();
        assert_eq!(json, r#"{"kind":"queue","device":"sda"}"#);
    }
}
