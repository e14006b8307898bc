//! Where control groups are mounted, and which of them this process is in.

use host::Host;
use kernel::cgroups::{self, Membership, Tree};
use kernel::mounts::Mounts;

/// The hierarchies that matter to storage.
#[derive(Debug, Default)]
pub(super) struct Hierarchies {
    /// Version 2.
    pub unified: Option<Tree>,
    /// Version 1 with the controller of I/O.
    pub blkio: Option<Tree>,
    /// Version 1 with the controller of memory.
    pub memory: Option<Tree>,
    /// The group of this process in each of them, where it can be reached from here.
    own: Vec<String>,
}

impl Hierarchies {
    pub fn find(host: &Host) -> Self {
        let text = |path: &str| host.text(path).unwrap_or_default();
        let mounted = cgroups::Hierarchies::mounted(&Mounts::parse(&text("/proc/self/mountinfo")));
        let process = Membership::parse(&text("/proc/self/cgroup"));
        let mut own = Vec::new();
        let mut tree = |controller: &str| match mounted.group(&process, controller) {
            Some((tree, below)) => {
                own.push(below.to_string());
                Some(tree.clone())
            }
            None => mounted.tree(controller).cloned(),
        };
        Hierarchies {
            blkio: tree("blkio"),
            unified: tree(""),
            memory: tree("memory"),
            own,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.unified.is_none() && self.blkio.is_none() && self.memory.is_none()
    }

    /// The own group; two where version 1 has another for memory than for I/O.
    pub fn own(&self) -> Vec<String> {
        let mut own = self.own.clone();
        // A hierarchy without I/O where everything is in the root says nothing about the group.
        if own.len() > 1 && own.iter().any(|path| path != "/") {
            own.retain(|path| path != "/");
        }
        own.sort();
        own.dedup();
        own
    }

    /// The file in which the root of version 1 counts I/O by disk; none where version 2 counts it.
    pub fn root_counters(&self, host: &Host) -> Option<String> {
        let is_unified = |tree: &Tree| host.exists(&format!("{}/io.stat", tree.directory("/")));
        if self.unified.as_ref().is_some_and(is_unified) {
            return None;
        }
        let blkio = self.blkio.as_ref()?;
        Some(format!(
            "{}/blkio.throttle.io_service_bytes",
            blkio.directory("/")
        ))
    }

    /// Groups of the first two levels where I/O is accounted.
    pub fn below_root(&self, host: &Host) -> Vec<String> {
        let Some(tree) = self.blkio.as_ref().or(self.unified.as_ref()) else {
            return Vec::new();
        };
        let first = children(host, tree, "/");
        let second: Vec<String> = first
            .iter()
            .flat_map(|path| children(host, tree, path))
            .collect();
        first.into_iter().chain(second).collect()
    }
}

/// Control files, of which a group has dozens, are told by the name of their controller.
const CONTROLLERS: [&str; 14] = [
    "cgroup.", "cpu.", "cpuacct.", "cpuset.", "io.", "memory.", "blkio.", "pids.", "hugetlb.",
    "rdma.", "misc.", "irq.", "dmem.", "tasks",
];

fn children(host: &Host, tree: &Tree, path: &str) -> Vec<String> {
    let directory = tree.directory(path);
    let is_group = |name: &String| {
        !CONTROLLERS
            .iter()
            .any(|controller| name.starts_with(controller))
            && host.kind(&format!("{directory}/{name}")) == Some(host::files::FileKind::Directory)
    };
    let names = host.list(&directory).into_iter().filter(is_group);
    names
        .map(|name| format!("{}/{name}", path.trim_end_matches('/')))
        .collect()
}
