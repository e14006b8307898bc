//! Where control groups are mounted, and which of them this process is in.

use host::Host;

/// One mounted hierarchy, or the part of it that a container sees.
#[derive(Debug, PartialEq)]
pub(super) struct Tree {
    mount: String,
    /// The group that is mounted: `/` but in containers.
    root: String,
    /// The group of this process, as the kernel tells it.
    own: Option<String>,
}

/// The hierarchies that matter to storage.
#[derive(Debug, Default)]
pub(super) struct Hierarchies {
    /// Version 2.
    pub unified: Option<Tree>,
    /// Version 1 with the controller of I/O.
    pub blkio: Option<Tree>,
    /// Version 1 with the controller of memory.
    pub memory: Option<Tree>,
}

impl Tree {
    /// The directory of a group, whose path counts from the mounted one.
    pub fn directory(&self, path: &str) -> String {
        format!("{}{}", self.mount, if path == "/" { "" } else { path })
    }

    /// The own group's path, where it can be reached from here.
    fn own(&self) -> Option<String> {
        let own = self.own.as_deref()?;
        let below = if self.root == "/" {
            own
        } else {
            own.strip_prefix(self.root.as_str())?
        };
        match below {
            "" => Some("/".into()),
            // `/../x` is outside of the namespace.
            _ if below.starts_with("/..") || !below.starts_with('/') => None,
            _ => Some(below.into()),
        }
    }
}

impl Hierarchies {
    pub fn find(host: &Host) -> Self {
        let mounts = host.text("/proc/self/mountinfo").unwrap_or_default();
        let groups = host.text("/proc/self/cgroup").unwrap_or_default();
        let mut found = Hierarchies::default();
        for line in mounts.lines() {
            let Some((kind, options, mount, root)) = mounted(line) else {
                continue;
            };
            let has = |controller: &str| {
                kind == "cgroup" && options.split(',').any(|one| one == controller)
            };
            let tree = |controller: &str| Tree {
                mount: unescaped(mount),
                root: unescaped(root),
                own: own_of(&groups, controller),
            };
            if kind == "cgroup2" && found.unified.is_none() {
                found.unified = Some(tree(""));
            }
            if has("blkio") && found.blkio.is_none() {
                found.blkio = Some(tree("blkio"));
            }
            if has("memory") && found.memory.is_none() {
                found.memory = Some(tree("memory"));
            }
        }
        found
    }

    pub fn is_empty(&self) -> bool {
        self.unified.is_none() && self.blkio.is_none() && self.memory.is_none()
    }

    /// The own group; two where version 1 has another for memory than for I/O.
    pub fn own(&self) -> Vec<String> {
        let trees = [&self.blkio, &self.unified, &self.memory]
            .into_iter()
            .flatten();
        let mut own: Vec<String> = trees.filter_map(Tree::own).collect();
        // A hierarchy without I/O where everything is in the root says nothing about the group.
        if own.len() > 1 && own.iter().any(|path| path != "/") {
            own.retain(|path| path != "/");
        }
        own.sort();
        own.dedup();
        own
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
            && host.kind(&format!("{directory}/{name}")) == Some(host::files::Kind::Directory)
    };
    let names = host.list(&directory).into_iter().filter(is_group);
    names
        .map(|name| format!("{}/{name}", path.trim_end_matches('/')))
        .collect()
}

/// File system, its options, the mount point and what is mounted there: proc(5), the fields around the dash.
fn mounted(line: &str) -> Option<(&str, &str, &str, &str)> {
    let (place, kind) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, mount) = (place.next()?, place.next()?);
    let mut kind = kind.split(' ');
    Some((kind.next()?, kind.nth(1)?, mount, root))
}

/// The path in the line of a controller; version 2 has the line without any.
fn own_of(groups: &str, controller: &str) -> Option<String> {
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        controllers
            .split(',')
            .any(|one| one == controller)
            .then(|| path.to_string())
    })
}

/// Blanks and the like stand in octal.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut clear = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part
            .get(..3)
            .and_then(|digits| u8::from_str_radix(digits, 8).ok())
        {
            Some(letter) => {
                clear.push(char::from(letter));
                clear.push_str(&part[3..]);
            }
            None => clear.push_str(part),
        }
    }
    clear
}
