//! What limits and weights of control groups have in common: which values they take, and why they cannot matter for a load.

use crate::{Knob, SubjectFiles, values};
use host::Host;
use host::files::FileKind;
use kernel::cgroups::{Hierarchies, Membership};
use kernel::device_settings::{NO_LIMIT, NO_WEIGHT};
use kernel::mounts::Mounts;
use model::change::Attribute;
use model::group_hold::{Hold, hold};
use model::job::Job;
use model::subject::Subject;
use model::target::CgroupLimit;

/// The highest limit of I/Os: the next number is no limit to the kernel (Linux 6.18, `block/blk-throttle.c`).
pub const IOPS_MAX: u64 = u32::MAX as u64 - 1;
/// The highest limit of bytes, likewise.
pub const BPS_MAX: u64 = u64::MAX - 1;

/// What a knob that takes a load's own group tries by itself: nothing that would have to be known of the load.
pub fn limit_choices(knob: &Knob, group: &SubjectFiles) -> Vec<String> {
    values::choices(knob, group, &[NO_LIMIT])
}

/// Why a value is no limit, if so.
pub fn no_limit(value: &str, most: u64, unit: &str) -> Option<String> {
    let why = values::outside(value, 1..=most, unit)?;
    (value != NO_LIMIT).then(|| format!("{why}, or {NO_LIMIT} for no limit"))
}

/// Why a limit cannot matter for a load, if so.
pub fn limit_pointless(knob: &Knob, group: &SubjectFiles, job: &Job) -> Option<String> {
    let directory = group.subject().directory();
    let is_of_2 = group.host().exists(&format!("{directory}/io.max"));
    let limit = CgroupLimit {
        what: knob.attribute.into(),
        version: if is_of_2 { 2 } else { 1 },
        ..CgroupLimit::default()
    };
    if !is_of_own(group) {
        return Some(format!(
            "this load is not in {}, and the limit acts on it only by what that group leaves of the disk",
            group.subject()
        ));
    }
    match (limit.is_on_reads(), job.rw.reads(), job.rw.writes()) {
        (true, false, _) => Some("it acts on reads only, which --rw randread makes".into()),
        (false, _, false) => Some("it acts on writes only, which --rw randwrite makes".into()),
        // Of what file system the target is nobody says here: version 2 has it charged on nearly all.
        _ if hold(&limit, job, None) == Hold::PassedBy => Some(
            "buffered writes pass it by: version 1 of control groups charges who submits an I/O, and the kernel's \
             write-back belongs to the root group"
                .into(),
        ),
        _ => None,
    }
}

/// Why a value is no weight, if so.
pub fn no_weight(value: &str, most: u64) -> Option<String> {
    let why = values::outside(value, 1..=most, "shares")?;
    (value != NO_WEIGHT).then(|| format!("{why}, or {NO_WEIGHT} for the group's own"))
}

/// The scheduler of the device.
pub fn scheduler(group: &SubjectFiles) -> Option<String> {
    let device = group.subject().device()?.to_string();
    SubjectFiles::of(group.host(), Subject::Queue { device })?.scheduler()
}

/// The name of the weight that bfq gives, and the name under which a setting of a queue disturbs that of every group.
pub const BFQ_WEIGHT: &str = "bfq_weight";
pub const ALL_BFQ_WEIGHTS: &str = "group:bfq_weight";

/// As many groups are looked at: a machine with more has other troubles.
const GROUPS_MAX: usize = 20_000;

/// The places of the weights that groups have on a device under bfq. A group without one has nothing to lose.
pub fn weights(host: &Host, device: &str) -> Vec<String> {
    let place = |directory: String| {
        let device = device.to_string();
        Subject::Group { device, directory }.path(BFQ_WEIGHT)
    };
    let has_own = |place: &String| {
        let own = |text: &str| text != NO_WEIGHT;
        matches!(host.attribute(place), Attribute::Value(text) if own(&text))
    };
    let all = directories(host).into_iter().map(place);
    all.filter(has_own).collect()
}

/// Whether a place is such a weight of a device.
pub fn is_weight_on(place: &str, device: Option<&str>) -> bool {
    let found = Subject::of_path(place);
    found.is_some_and(|(subject, name)| {
        matches!(subject, Subject::Group { .. }) && subject.device() == device && name == BFQ_WEIGHT
    })
}

/// The directories of all groups of the hierarchies that can limit I/O.
fn directories(host: &Host) -> Vec<String> {
    let table = host.text("/proc/self/mountinfo").unwrap_or_default();
    let mounted = Hierarchies::mounted(&Mounts::parse(&table));
    let trees = ["blkio", ""].into_iter();
    let roots = trees.filter_map(|controller| Some(mounted.tree(controller)?.directory("/")));
    let mut found: Vec<String> = roots.collect();
    let mut next = 0;
    while let Some(directory) = found.get(next).cloned() {
        let below = host.list(&directory).into_iter();
        let below = below.map(|name| format!("{directory}/{name}"));
        found.extend(below.filter(|path| host.kind(path) == Some(FileKind::Directory)));
        found.truncate(GROUPS_MAX);
        next += 1;
    }
    found
}

/// Why a weight cannot matter for a load, if so.
pub fn weight_pointless(group: &SubjectFiles) -> Option<String> {
    (!is_of_own(group)).then(|| {
        format!(
            "this load is not in {}, and the weight acts on it only by what that group leaves of the disk",
            group.subject()
        )
    })
}

/// Whether this process, and with it a load of its own, is in the group or in one below it.
fn is_of_own(group: &SubjectFiles) -> bool {
    let text = |path: &str| group.host().text(path).unwrap_or_default();
    let process = Membership::parse(&text("/proc/self/cgroup"));
    let mounted = Hierarchies::of(&Mounts::parse(&text("/proc/self/mountinfo")), &process);
    let directory = group.subject().directory();
    let directory = directory.trim_end_matches('/');
    ["blkio", ""].into_iter().any(|controller| {
        let own = mounted.group(&process, controller);
        let own = own.map(|(tree, below)| tree.directory(below));
        let below = own.as_deref().and_then(|own| own.strip_prefix(directory));
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::group;
    use host::Archive;
    use model::job::Rw;

    /// The group /db of version 1, and this process in a group.
    fn group_beside(own: &str, file: &str) -> SubjectFiles {
        let mut archive = Archive::default();
        let directory = "/sys/fs/cgroup/blkio/db";
        for (path, text) in [
            ("/sys/block/sda/dev".to_string(), "8:0".to_string()),
            ("/proc/self/cgroup".into(), format!("7:blkio:{own}\n")),
            (format!("{directory}/{file}"), "8:0 500".into()),
        ] {
            archive.insert(&path, Attribute::Value(text));
        }
        SubjectFiles::of(&Host::from_archive(archive), group("sda")).unwrap()
    }

    const READS: &str = "blkio.throttle.read_iops_device";

    fn why(own: &str, id: &str, job: &Job) -> Option<String> {
        let knob = Knob::find(id).unwrap();
        (knob.pointless)(&group_beside(own, READS), job, &[])
    }

    #[test]
    fn a_load_of_another_group_hardly_feels_it() {
        for inside in ["/db", "/db/worker"] {
            assert_eq!(why(inside, "riops", &Job::default()), None);
        }
        for outside in ["/", "/db2", "/web/db"] {
            let why = why(outside, "riops", &Job::default()).unwrap();
            assert!(why.contains("not in the control group /db"), "{why}");
        }
        assert!(why("/web", "bfq_weight", &Job::default()).is_some());
        assert_eq!(why("/db", "bfq_weight", &Job::default()), None);
    }

    #[test]
    fn a_limit_acts_in_its_direction_and_on_what_is_charged() {
        let job = |rw, direct| Job {
            rw,
            direct,
            ..Job::default()
        };
        let of = |id: &str, job: &Job| why("/db", id, job).unwrap_or_default();
        assert_eq!(
            of("riops", &job(Rw::Write, true)),
            "it acts on reads only, which --rw randread makes"
        );
        assert_eq!(
            of("wbps", &job(Rw::Read, true)),
            "it acts on writes only, which --rw randwrite makes"
        );
        assert_eq!(of("wbps", &job(Rw::Write, true)), "");
        assert!(of("wbps", &job(Rw::Write, false)).contains("write-back belongs to the root"));
        let charged = group_beside("/db", "io.max");
        let knob = Knob::find("wbps").unwrap();
        assert_eq!(
            (knob.pointless)(&charged, &job(Rw::Write, false), &[]),
            None
        );
    }

    #[test]
    fn the_weights_on_a_device_are_those_of_all_groups_that_have_one() {
        let mut archive = Archive::default();
        let table = "34 30 0:30 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n";
        for (path, text) in [
            ("/sys/block/sda/dev", "8:0"),
            ("/proc/self/mountinfo", table),
            (
                "/sys/fs/cgroup/blkio/a/blkio.bfq.weight_device",
                "default 100",
            ),
            (
                "/sys/fs/cgroup/blkio/a/b/blkio.bfq.weight_device",
                "default 100\n8:0 500",
            ),
            (
                "/sys/fs/cgroup/blkio/c/blkio.bfq.weight_device",
                "default 100\n8:16 500",
            ),
        ] {
            archive.insert(path, Attribute::Value(text.into()));
        }
        let found = weights(&Host::from_archive(archive), "sda");
        assert_eq!(found, ["group:bfq_weight:sda:/sys/fs/cgroup/blkio/a/b"]);
        assert!(is_weight_on(&found[0], Some("sda")) && !is_weight_on(&found[0], Some("sdb")));
        assert!(!is_weight_on(
            "group:riops:sda:/sys/fs/cgroup/a",
            Some("sda")
        ));
    }

    #[test]
    fn a_limit_is_a_number_or_none() {
        let group = group_beside("/db", READS);
        let knob = Knob::find("riops").unwrap();
        assert_eq!((knob.choices)(&group), ["500", "max"]);
        for taken in ["1", "4294967294", "max"] {
            assert_eq!((knob.rejects)(&group, taken), None, "{taken}");
        }
        // The kernel takes 0 for no limit, and of the others the lower 32 bits, without an error.
        for refused in [
            "0",
            "4294967295",
            "4294967296",
            "-1",
            "1k",
            "500 rbps=1",
            "",
        ] {
            let why = (knob.rejects)(&group, refused).unwrap();
            assert!(why.contains("or max for no limit"), "{refused}: {why}");
        }
    }
}
