//! Control groups: which groups a process is in (/proc/PID/cgroup, cgroups(7)), where their hierarchies are mounted, and
//! the directory of a group's files. Of version 1, version 2 and both together, also in a container that sees a part of
//! a hierarchy.

use crate::mounts::{Mount, Mounts};

/// The groups of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    lines: Vec<MembershipLine>,
}

/// `4:memory,cpu:/service`, of version 2 `0::/service`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MembershipLine {
    /// None in version 2; `name=systemd` is a hierarchy without a controller.
    controllers: Vec<String>,
    path: String,
}

/// Which versions are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A hierarchy for each controller.
    One,
    /// Controllers of version 1 beside the one hierarchy of version 2.
    Hybrid,
    /// One hierarchy.
    Two,
}

impl Membership {
    /// Of the text of /proc/PID/cgroup; a line of another form is left out.
    pub fn parse(text: &str) -> Self {
        Membership {
            lines: text.lines().filter_map(MembershipLine::parse).collect(),
        }
    }

    /// The group of this path in every hierarchy.
    pub fn everywhere(path: &str) -> Self {
        let path = format!("/{}", path.trim_matches('/'));
        Membership::parse(&format!("1:blkio:{path}\n2:memory:{path}\n0::{path}\n"))
    }

    /// The groups above or of the process whose own name holds a word, such as the id of a container: systemd of a
    /// container makes groups of its own below them. None where no group's does. A group of conmon's, the program of
    /// podman and CRI-O that watches over a container from outside, is not the container's, although its name has the id
    /// (`libpod-conmon-ID.scope`, `crio-conmon-ID.scope`).
    pub fn up_to(&self, word: &str) -> Option<Self> {
        let cut = |line: &MembershipLine| {
            let begin = line.path.find(word)?;
            let name = line.path[..begin].rsplit('/').next().unwrap_or_default();
            if name.contains("conmon") {
                return None;
            }
            let end = line.path[begin..].find('/').map(|length| begin + length);
            Some(MembershipLine {
                path: line.path[..end.unwrap_or(line.path.len())].into(),
                ..line.clone()
            })
        };
        let lines: Vec<MembershipLine> = self.lines.iter().filter_map(cut).collect();
        (!lines.is_empty()).then_some(Membership { lines })
    }

    /// Whether the kernel has no control groups, or the process is gone.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A controller of each hierarchy; of version 2 the empty name.
    pub fn controllers(&self) -> impl Iterator<Item = &str> {
        let lines = self.lines.iter();
        lines.map(|line| line.controllers.first().map_or("", String::as_str))
    }

    /// The process's group in the hierarchy of a controller of version 1; of version 2 with the empty name.
    pub fn path(&self, controller: &str) -> Option<&str> {
        let is_of = |line: &&MembershipLine| match controller {
            "" => line.controllers.is_empty(),
            controller => line.controllers.iter().any(|one| one == controller),
        };
        self.lines.iter().find(is_of).map(|line| line.path.as_str())
    }

    /// Every group of the process, in all hierarchies and without repeats.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.lines.iter().map(|line| line.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Which versions are in use; none without a line.
    pub fn version(&self) -> Option<Version> {
        let has_old = self.lines.iter().any(MembershipLine::has_controller);
        match (self.path(""), has_old) {
            _ if self.is_empty() => None,
            (Some(_), false) => Some(Version::Two),
            (Some(_), true) => Some(Version::Hybrid),
            (None, _) => Some(Version::One),
        }
    }
}

impl MembershipLine {
    fn parse(line: &str) -> Option<MembershipLine> {
        // A colon may be in the path, not before it.
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let controllers = controllers.split(',').filter(|one| !one.is_empty());
        path.starts_with('/').then(|| MembershipLine {
            controllers: controllers.map(str::to_string).collect(),
            path: path.into(),
        })
    }

    fn has_controller(&self) -> bool {
        let is_controller = |one: &String| !one.starts_with("name=");
        self.controllers.iter().any(is_controller)
    }
}

/// A mounted hierarchy, or the part of it that a container sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Where it is mounted.
    mount: String,
    /// The group that is mounted: `/` but in containers.
    root: String,
    /// Of version 1, its controllers among the mount's options; none of version 2.
    controllers: Option<Vec<String>>,
}

impl Tree {
    fn of(mount: &Mount) -> Option<Tree> {
        let controllers = match mount.fstype.as_str() {
            "cgroup2" => None,
            "cgroup" => Some(mount.super_options.clone()),
            _ => return None,
        };
        Some(Tree {
            mount: mount.point.clone(),
            root: mount.root.clone(),
            controllers,
        })
    }

    /// The directory of a group, by its path below the mounted one.
    pub fn directory(&self, below: &str) -> String {
        format!("{}{}", self.mount, below.trim_end_matches('/'))
    }

    /// The whole path of a group by its path below the mounted one, as /proc/PID/cgroup names it.
    pub fn name(&self, below: &str) -> String {
        match (self.root.trim_end_matches('/'), below.trim_end_matches('/')) {
            ("", "") => "/".into(),
            (root, below) => format!("{root}{below}"),
        }
    }

    /// The path below the mounted group of a group that the kernel names; none where it cannot be reached from here.
    pub fn below<'a>(&self, group: &'a str) -> Option<&'a str> {
        let below = match self.root.as_str() {
            "/" => group,
            root => group.strip_prefix(root)?,
        };
        match below {
            "" => Some("/"),
            // `/../x` is outside of the namespace.
            _ if below.starts_with("/..") || !below.starts_with('/') => None,
            _ => Some(below),
        }
    }

    fn has(&self, controller: &str) -> bool {
        match &self.controllers {
            None => controller.is_empty(),
            Some(controllers) => controllers.iter().any(|one| one == controller),
        }
    }
}

/// Every hierarchy that is mounted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hierarchies {
    trees: Vec<Tree>,
}

/// The files of version 1 that limit I/O, and what version 2 calls the same in `io.max`.
pub const THROTTLES: [(&str, &str); 4] = [
    ("blkio.throttle.read_iops_device", "riops"),
    ("blkio.throttle.write_iops_device", "wiops"),
    ("blkio.throttle.read_bps_device", "rbps"),
    ("blkio.throttle.write_bps_device", "wbps"),
];

/// Where every distribution mounts them.
const PLACE: &str = "/sys/fs/cgroup";

impl Hierarchies {
    /// Those of the mount table.
    pub fn mounted(mounts: &Mounts) -> Self {
        Hierarchies {
            trees: mounts.iter().filter_map(Tree::of).collect(),
        }
    }

    /// Those of the mount table; where it has none, as in a capture that left it out, those that a process is in at
    /// their usual places.
    pub fn of(mounts: &Mounts, process: &Membership) -> Self {
        let mounted = Self::mounted(mounts);
        match mounted.is_empty() {
            true => Self::usual(process),
            false => mounted,
        }
    }

    fn usual(process: &Membership) -> Self {
        let unified = match process.version() {
            Some(Version::Hybrid) => format!("{PLACE}/unified"),
            _ => PLACE.into(),
        };
        let tree = |line: &MembershipLine| Tree {
            mount: match line.controllers.is_empty() {
                true => unified.clone(),
                false => format!("{PLACE}/{}", line.controllers.join(",")),
            },
            root: "/".into(),
            controllers: Some(line.controllers.clone()).filter(|all| !all.is_empty()),
        };
        Hierarchies {
            trees: process.lines.iter().map(tree).collect(),
        }
    }

    /// Whether none is mounted.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// Every hierarchy.
    pub fn iter(&self) -> impl Iterator<Item = &Tree> {
        self.trees.iter()
    }

    /// The hierarchy of a controller of version 1, of version 2 with the empty name: the first that is mounted.
    pub fn tree(&self, controller: &str) -> Option<&Tree> {
        self.trees.iter().find(|tree| tree.has(controller))
    }

    /// Where a process's group of a controller can be reached: the hierarchy, and the group's path below what is
    /// mounted of it.
    pub fn group<'a>(&self, process: &'a Membership, controller: &str) -> Option<(&Tree, &'a str)> {
        let path = process.path(controller)?;
        let mut trees = self.trees.iter().filter(|tree| tree.has(controller));
        trees.find_map(|tree| Some((tree, tree.below(path)?)))
    }
}

/// A group's path and those of all above it, the nearest first, `/` last.
pub fn with_those_above(below: &str) -> impl Iterator<Item = &str> {
    let nearest = match below.trim_end_matches('/') {
        "" => "/",
        nearest => nearest,
    };
    std::iter::successors(Some(nearest), |path| above(path))
}

fn above(path: &str) -> Option<&str> {
    match path.rfind('/') {
        _ if path == "/" => None,
        Some(0) | None => Some("/"),
        Some(slash) => path.get(..slash),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HYBRID: &str = "12:blkio:/system.slice/db.service\n\
        7:cpu,cpuacct:/system.slice\n1:name=systemd:/system.slice/db.service\n0::/system.slice/db.service\n";
    const HYBRID_MOUNTS: &str = "\
        30 25 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n\
        31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n\
        32 30 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n\
        33 30 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
        34 30 0:30 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n";

    fn directory(mounts: &str, groups: &str, controller: &str) -> Option<String> {
        let process = Membership::parse(groups);
        let hierarchies = Hierarchies::of(&Mounts::parse(mounts), &process);
        let (tree, below) = hierarchies.group(&process, controller)?;
        Some(tree.directory(below))
    }

    #[test]
    fn a_process_has_a_group_in_each_hierarchy() {
        let process = Membership::parse(HYBRID);
        assert_eq!(process.path("blkio"), Some("/system.slice/db.service"));
        assert_eq!(process.path("cpuacct"), Some("/system.slice"));
        assert_eq!(process.path(""), Some("/system.slice/db.service"));
        assert_eq!((process.path("io"), process.path("name")), (None, None));
        assert_eq!(
            process.paths(),
            ["/system.slice", "/system.slice/db.service"]
        );
        assert_eq!(process.version(), Some(Version::Hybrid));
        let version = |text| Membership::parse(text).version();
        assert_eq!(version("0::/a:b\n"), Some(Version::Two));
        assert_eq!(version("1:name=systemd:/\n0::/\n"), Some(Version::Two));
        assert_eq!(version("4:memory:/\n"), Some(Version::One));
        assert_eq!(version("nonsense\n0::relative\n"), None);
        assert_eq!(Membership::parse("0::/a:b\n").path(""), Some("/a:b"));
    }

    #[test]
    fn a_container_is_the_group_that_has_its_id() {
        let inside = Membership::parse(
            "4:blkio:/docker/4f00aa00bb00/init.scope\n2:cpu:/\n0::/machine/libpod-4f00aa00bb00.scope/x/y\n",
        );
        let container = inside.up_to("4f00aa00bb00").unwrap();
        assert_eq!(container.path("blkio"), Some("/docker/4f00aa00bb00"));
        assert_eq!(
            container.path(""),
            Some("/machine/libpod-4f00aa00bb00.scope")
        );
        assert_eq!(
            (container.path("cpu"), inside.up_to("5f00aa00bb00")),
            (None, None)
        );
        let beside = Membership::parse("0::/machine.slice/libpod-conmon-4f00aa00bb00.scope\n");
        assert_eq!(beside.up_to("4f00aa00bb00"), None);
        let everywhere = Membership::everywhere("system.slice/db.service/");
        assert_eq!(everywhere.paths(), ["/system.slice/db.service"]);
        assert_eq!(everywhere.version(), Some(Version::Hybrid));
    }

    #[test]
    fn files_are_where_the_hierarchy_is_mounted() {
        let at = |controller| directory(HYBRID_MOUNTS, HYBRID, controller);
        let blkio = "/sys/fs/cgroup/blkio/system.slice/db.service";
        assert_eq!(at("blkio").as_deref(), Some(blkio));
        let cpu = "/sys/fs/cgroup/cpu,cpuacct/system.slice";
        assert_eq!(at("cpu").as_deref(), Some(cpu));
        let unified = "/sys/fs/cgroup/unified/system.slice/db.service";
        assert_eq!(at("").as_deref(), Some(unified));
        assert_eq!(at("memory"), None);
        let elsewhere = "31 1 0:27 / /my\\040groups rw - cgroup2 none rw\n";
        let found = directory(elsewhere, "0::/\n", "");
        assert_eq!(found.as_deref(), Some("/my groups"));
    }

    #[test]
    fn a_container_sees_a_part_of_the_hierarchy() {
        let mounts = "31 1 0:27 /docker/4f /sys/fs/cgroup/blkio ro - cgroup cgroup rw,blkio\n";
        let at = |groups| directory(mounts, groups, "blkio");
        let root = Some("/sys/fs/cgroup/blkio".to_string());
        assert_eq!(at("4:blkio:/docker/4f\n"), root);
        let below = Some("/sys/fs/cgroup/blkio/job".to_string());
        assert_eq!(at("4:blkio:/docker/4f/job\n"), below);
        // Another container's, one whose name only begins alike, and one outside of the namespace.
        assert_eq!(at("4:blkio:/docker/50\n"), None);
        assert_eq!(at("4:blkio:/docker/4f0\n"), None);
        assert_eq!(
            directory("31 1 0:27 / /c rw - cgroup2 c rw\n", "0::/../x\n", ""),
            None
        );
        // The first mount may show another part than the one that holds the group.
        let two = "31 1 0:27 /other /a rw - cgroup2 c rw\n32 1 0:27 / /b rw - cgroup2 c rw\n";
        assert_eq!(directory(two, "0::/job\n", "").as_deref(), Some("/b/job"));
    }

    #[test]
    fn without_a_mount_table_the_usual_places_count() {
        assert_eq!(
            directory("", "0::/a\n", "").as_deref(),
            Some("/sys/fs/cgroup/a")
        );
        let at = |controller| directory("", HYBRID, controller).unwrap_or_default();
        assert_eq!(at(""), "/sys/fs/cgroup/unified/system.slice/db.service");
        assert_eq!(at("cpu"), "/sys/fs/cgroup/cpu,cpuacct/system.slice");
        assert_eq!(directory("", "", ""), None);
    }

    #[test]
    fn groups_above_come_after_the_nearest() {
        let above = |path| with_those_above(path).collect::<Vec<_>>();
        assert_eq!(above("/a/b"), ["/a/b", "/a", "/"]);
        assert_eq!(above("/"), ["/"]);
        assert_eq!(above(""), ["/"]);
    }

    proptest! {
        #[test]
        fn a_group_is_found_below_any_root(root in "(/[a-z.@:]{1,8}){0,3}", own in "(/[a-z.@:]{1,8}){0,3}", point in "(/[a-z #]{1,8}){1,3}") {
            prop_assume!(!own.starts_with("/.."));
            let mounted = if root.is_empty() { "/" } else { &root };
            let escaped = crate::octal::escaped(&point);
            let mounts = format!("1 1 0:9 {mounted} {escaped} rw - cgroup2 c rw\n");
            let group = format!("0::{root}{}\n", if own.is_empty() && root.is_empty() { "/" } else { &own });
            prop_assume!(!format!("{root}{own}").starts_with("/.."));
            prop_assert_eq!(directory(&mounts, &group, ""), Some(format!("{point}{own}")));
            let process = Membership::parse(&group);
            let hierarchies = Hierarchies::of(&Mounts::parse(&mounts), &process);
            let (tree, below) = hierarchies.group(&process, "").unwrap();
            prop_assert_eq!(tree.name(below), process.path("").unwrap());
        }

        #[test]
        fn groups_above_end_at_the_root(path in any::<String>()) {
            let above: Vec<&str> = with_those_above(&path).take(path.len() + 2).collect();
            prop_assert_eq!(above.last(), Some(&"/"));
        }

        #[test]
        fn any_text_is_bounded(text in any::<String>(), mounts in any::<String>()) {
            let process = Membership::parse(&text);
            prop_assert!(process.paths().len() <= text.lines().count());
            let _ = Hierarchies::of(&Mounts::parse(&mounts), &process).group(&process, "");
        }
    }
}
