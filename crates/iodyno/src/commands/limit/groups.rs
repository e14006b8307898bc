//! The groups that programs run in: made for the purpose, or there already. Of version 1 one in the hierarchy of I/O and one
//! in that of memory, of version 2 one for both.

use super::ground::{Ground, LimitedDevice};
use crate::exit::{Exit, Failure};
use crate::group_name;
use host::Host;
use host::group::{self, Group};
use kernel::cgroups::{Hierarchies, Membership, THROTTLES, Tree, with_those_above};
use kernel::device_lines;
use kernel::device_settings::{DeviceSetting, NO_LIMIT, forms};
use kernel::devno::Devno;
use kernel::group_io::{self, GroupIo};
use kernel::mounts::Mounts;
use model::limit::Moved;
use model::target::CgroupLimit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

/// What version 2 needs for limits on I/O that write-back counts for: without the controller of memory, all dirty pages
/// are the root's (Documentation/admin-guide/cgroup-v2.rst, Writeback).
const CONTROLLERS: [&str; 2] = ["io", "memory"];

/// Where groups of I/O and of memory are.
#[derive(Debug)]
pub struct GroupHierarchies {
    mounted: Hierarchies,
    /// Directories below which groups are made: of I/O, and of memory where it has a hierarchy of its own.
    parents: (String, Option<String>),
    /// The controller of I/O as [`Hierarchies`] names it: empty for version 2.
    controller: &'static str,
}

impl GroupHierarchies {
    /// Those of this machine. New groups of version 1 come below the own group, so that what limits iodyno limits them; of
    /// version 2, where a group with processes can have none below, below the root.
    pub fn find(host: &Host) -> Result<Self, Failure> {
        let text = |path: &str| host.text(path).unwrap_or_default();
        let mounted = Hierarchies::mounted(&Mounts::parse(&text("/proc/self/mountinfo")));
        let own = Membership::parse(&text("/proc/self/cgroup"));
        let below_own = |controller: &str| {
            let (tree, below) = mounted.group(&own, controller)?;
            Some(tree.directory(below))
        };
        let found = match (below_own("blkio"), mounted.tree("")) {
            (Some(io), _) => Some(((io, below_own("memory")), "blkio")),
            (None, Some(tree)) => Some(((tree.directory("/"), None), "")),
            (None, None) => None,
        };
        match found {
            Some((parents, controller)) => Ok(GroupHierarchies {
                parents,
                controller,
                mounted,
            }),
            None => Err(Failure::new(
                Exit::Failed,
                "no control groups with the controller of I/O are mounted here, so there is nothing that limits I/O",
            )),
        }
    }

    /// Of control groups: 1 or 2.
    pub fn version(&self) -> u8 {
        if self.controller.is_empty() { 2 } else { 1 }
    }
}

/// A group for I/O, and one for memory where that is another.
#[derive(Debug)]
pub struct LimitGroup {
    io: Arc<Group>,
    memory: Option<Arc<Group>>,
    /// Directories whose limits act on it: its own and those above, the nearest first.
    directories: Vec<String>,
    version: u8,
    name: String,
}

impl LimitGroup {
    /// Makes a group, written down first, with a limit on its memory if wanted.
    pub fn make(ground: &mut Ground, memory_bytes: Option<u64>) -> Result<Self, Failure> {
        let version = ground.hierarchies.version();
        let (io_parent, memory_parent) = ground.hierarchies.parents.clone();
        let wanted: &[&str] = if version == 2 { &CONTROLLERS } else { &[] };
        let io = ground.make_group(&group::plan(&io_parent, wanted)?)?;
        let memory = match memory_parent {
            Some(parent) => Some(ground.make_group(&group::plan(&parent, &[])?)?),
            None => None,
        };
        if let Some(bytes) = memory_bytes {
            let (group, file) = match (&memory, version) {
                (Some(memory), _) => (memory, "memory.limit_in_bytes"),
                (None, 2) => (&io, "memory.max"),
                (None, _) => {
                    return Err(Failure::new(
                        Exit::Failed,
                        "the controller of memory is not mounted here, so --memory cannot be set",
                    ));
                }
            };
            group.write(file, &bytes.to_string())?;
        }
        let directories = vec![io.path().to_string()];
        Ok(LimitGroup {
            io,
            memory,
            directories,
            version,
            name: "made for this".into(),
        })
    }

    /// A group that is there: by its path below the hierarchy, by the number of a process in it, or as `self` our own.
    pub fn of_others(
        hierarchies: &GroupHierarchies,
        name: &str,
        host: &Host,
    ) -> Result<Self, Failure> {
        let version = hierarchies.version();
        let missing = |why: String| group_name::missing(name, &why);
        let process = group::named(host, name).ok_or_else(|| missing(group_name::UNSEEN.into()))?;
        let find = |controller: &str| -> Option<(&Tree, String)> {
            let (tree, below) = hierarchies.mounted.group(&process, controller)?;
            Some((tree, below.to_string()))
        };
        let Some((tree, below)) = find(hierarchies.controller) else {
            return Err(missing(
                "it is in no hierarchy with the controller of I/O".into(),
            ));
        };
        let io =
            Group::open(&tree.directory(&below)).map_err(|error| missing(error.to_string()))?;
        let memory = match version {
            2 => None,
            _ => find("memory").and_then(|(tree, below)| Group::open(&tree.directory(&below)).ok()),
        };
        let directories = with_those_above(&below).map(|group| tree.directory(group));
        Ok(LimitGroup {
            directories: directories.collect(),
            io: Arc::new(io),
            memory: memory.map(Arc::new),
            version,
            name: below,
        })
    }

    /// Its name, for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets a limit on a group that was made for this.
    pub fn limit(
        &self,
        device: &LimitedDevice,
        what: &str,
        value: u64,
    ) -> Result<CgroupLimit, Failure> {
        let limit = CgroupLimit {
            device: device.name.clone(),
            what: what.into(),
            limit: value,
            group: String::new(),
            version: self.version,
        };
        self.write(device, &limit, Some(value))?;
        Ok(limit)
    }

    /// Takes a limit of ours away, so that what waits behind it is written; a limit of others stays.
    pub fn lift(&self, device: &LimitedDevice, limit: &CgroupLimit) -> Result<(), Failure> {
        match limit.group.is_empty() {
            true => self.write(device, limit, None),
            false => Ok(()),
        }
    }

    /// Sets it again.
    pub fn set_again(&self, device: &LimitedDevice, limit: &CgroupLimit) -> Result<(), Failure> {
        match limit.group.is_empty() {
            true => self.write(device, limit, Some(limit.limit)),
            false => Ok(()),
        }
    }

    fn write(
        &self,
        device: &LimitedDevice,
        limit: &CgroupLimit,
        value: Option<u64>,
    ) -> Result<(), Failure> {
        let forms = forms(&limit.what);
        let form = if self.version == 2 {
            forms.first()
        } else {
            forms.last()
        };
        let (Some(form), Some(number)) = (form, Devno::parse(&device.number)) else {
            return Err(Failure::new(
                Exit::Failed,
                format!("no limit of the kernel is called {}", limit.what),
            ));
        };
        let value = value.map_or(NO_LIMIT.into(), |value| value.to_string());
        Ok(self.io.write(form.file(), &form.line(number, &value))?)
    }

    /// Writes a file of its group of I/O, which was made for this.
    pub fn write_file(&self, file: &str, text: &str) -> host::Result<()> {
        self.io.write(file, text)
    }

    /// Whether io.cost divides the device among groups. Only the root group of version 2 has the switch.
    pub fn has_cost(&self, device: &LimitedDevice) -> bool {
        let switch = forms("io_cost").first().copied();
        let root = self
            .directories
            .first()
            .and_then(|own| Path::new(own).parent());
        let is_on = |switch: DeviceSetting| {
            let file = root?.join(switch.file());
            let text = Host::live().text(&file.to_string_lossy())?;
            Some(switch.value(&text, Devno::parse(&device.number)?) == "1")
        };
        switch.and_then(is_on).unwrap_or(false)
    }

    /// The limits on a device that act on it, its own and those of the groups above: the lowest of each kind.
    pub fn limits(&self, device: &LimitedDevice) -> Vec<CgroupLimit> {
        let mut limits: Vec<CgroupLimit> = Vec::new();
        for directory in &self.directories {
            let Ok(group) = Group::open(directory) else {
                continue;
            };
            for (what, limit) in limits_in(&group, self.version, &device.number) {
                match limits.iter_mut().find(|one| one.what == what) {
                    Some(known) => known.limit = known.limit.min(limit),
                    None => limits.push(CgroupLimit {
                        device: device.name.clone(),
                        what,
                        limit,
                        group: self.name.clone(),
                        version: self.version,
                    }),
                }
            }
        }
        limits
    }

    /// What it was charged for a device so far, in one direction; none where the kernel does not count that.
    pub fn charged(&self, device: &LimitedDevice, is_read: bool) -> Option<Moved> {
        let text = |file: &str| self.io.read(file).ok();
        let number = Devno::parse(&device.number)?;
        let done = match self.version {
            2 => GroupIo::of_stat(&text(group_io::STAT)?, number),
            _ => {
                let [bytes, ios] = group_io::THROTTLED;
                GroupIo::of_throttled(&text(bytes)?, &text(ios)?, number)?
            }
        };
        let (bytes, ios) = match is_read {
            true => (done.read_bytes, done.read_ios),
            false => (done.write_bytes, done.write_ios),
        };
        Some(Moved { bytes, ios })
    }

    /// Its dirty pages now, bytes; none where its memory is not counted.
    pub fn dirty_bytes(&self) -> Option<u64> {
        let (group, key) = match self.version {
            2 => (&self.io, "file_dirty "),
            _ => (self.memory.as_ref()?, "dirty "),
        };
        let text = group.read("memory.stat").ok()?;
        let number = text.lines().find_map(|line| line.strip_prefix(key))?;
        number.trim().parse().ok()
    }

    /// Where a process enters it.
    pub fn entrances(&self) -> Result<Vec<OwnedFd>, Failure> {
        let groups = std::iter::once(&self.io).chain(&self.memory);
        let entrances = groups.map(|group| group.entrance());
        Ok(entrances.collect::<host::Result<_>>()?)
    }
}

/// The limits that a group itself has on a device.
fn limits_in(group: &Group, version: u8, number: &str) -> Vec<(String, u64)> {
    let Some(number) = Devno::parse(number) else {
        return Vec::new();
    };
    if version == 2 {
        let text = group.read("io.max").unwrap_or_default();
        let words = device_lines::of(&text, number).flat_map(device_lines::keyed);
        let limit = |(what, limit): (&str, &str)| Some((what.to_string(), limit.parse().ok()?));
        return words.filter_map(limit).collect();
    }
    let limit = |(file, what): &(&str, &str)| {
        let text = group.read(file).ok()?;
        let value = device_lines::of(&text, number).next()?.parse().ok()?;
        Some(((*what).to_string(), value))
    };
    THROTTLES.iter().filter_map(limit).collect()
}
