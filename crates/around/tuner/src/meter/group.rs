//! The counters of one control group: what its processes, and those of the groups below it, send to the device.

use super::{Counting, Gauge, GrainSpan, MeterError, MeterScope, Total};
use host::group::{self, Group};
use host::{Host, clock};
use kernel::cgroups::Hierarchies;
use kernel::devno::Devno;
use kernel::group_io::{GroupIo, STAT, THROTTLED};
use kernel::mounts::Mounts;
use load::Running;
use model::text::clean;

/// How long a group may send nothing before there is no load to judge, ns.
pub(super) const IDLE_NS: u64 = 3_000_000_000;
/// The same files with the groups below it, where the kernel has them.
const RECURSIVE: &str = "_recursive";

/// Opens a gauge of an amount in a group's counters.
///
/// # Errors
/// Where there is no such group, or the kernel does not count what it sends to the device: with what makes it count.
pub fn group_counting(
    scope: &MeterScope<'_>,
    amount: fn(&GroupIo) -> f64,
) -> Result<Box<dyn Gauge>, String> {
    let counters = GroupCounters::named(scope)?;
    let idle = format!(
        "{} sent nothing to {} for 3 s. Start the program whose I/O matters in that group, or name another one",
        counters.name, scope.device
    );
    let read = move |_: &Running| {
        let done = counters.read().map_err(MeterError::NoValue)?;
        Ok(Total {
            at_ns: clock::monotonic_ns(),
            amount: amount(&done.unwrap_or_default()),
            ios: 0.0,
        })
    };
    Ok(Box::new(OfGroup {
        counting: Counting::per_second(read.clone()),
        read,
        begun: None,
        idle,
    }))
}

/// A group's counters, with the wait for its first I/O.
struct OfGroup<R> {
    counting: Counting<R>,
    read: R,
    /// When it was first looked at, ns, and what it had sent by then.
    begun: Option<(u64, f64)>,
    idle: String,
}

impl<R> std::fmt::Debug for OfGroup<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OfGroup").finish_non_exhaustive()
    }
}

impl<R: FnMut(&Running) -> Result<Total, MeterError>> Gauge for OfGroup<R> {
    fn is_ready(&mut self, load: &Running) -> Result<bool, MeterError> {
        let amount = (self.read)(load)?.amount;
        let now_ns = clock::monotonic_ns();
        let (since_ns, first) = *self.begun.get_or_insert((now_ns, amount));
        match amount > first {
            true => Ok(true),
            false if now_ns - since_ns > IDLE_NS => Err(MeterError::NoValue(self.idle.clone())),
            false => Ok(false),
        }
    }

    fn look(&mut self, load: &Running) -> Result<(), MeterError> {
        self.counting.look(load)
    }

    fn values(&mut self, load: &Running, span: &GrainSpan) -> Result<Vec<f64>, MeterError> {
        self.counting.values(load, span)
    }
}

/// Where a group's counters of one device are.
#[derive(Clone, Debug)]
pub(super) struct GroupCounters {
    group: std::sync::Arc<Group>,
    name: String,
    device: Devno,
    device_name: String,
    /// The files of version 1, bytes and I/Os; none under version 2.
    throttled: Option<[String; 2]>,
    /// The directory of the root of its hierarchy.
    root: String,
}

impl GroupCounters {
    /// Of the group that the user named, which the kernel counts.
    pub(super) fn named(scope: &MeterScope<'_>) -> Result<GroupCounters, String> {
        let Some(name) = &scope.options.cgroup else {
            return Err("say which group with --cgroup: its path, the number of a process in it, or a container's id or name".into());
        };
        let counters = GroupCounters::open(scope.host, scope.device, name)?;
        counters.must_count(scope.host)?;
        Ok(counters)
    }

    /// Its name, as `/proc/PID/cgroup` has it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Of the groups directly below, those that can be opened.
    pub(super) fn below(&self, host: &Host) -> Vec<GroupCounters> {
        let place = self.group.path();
        let opened = |child: String| {
            let group = Group::open(&format!("{place}/{child}")).ok()?;
            Some(GroupCounters {
                group: std::sync::Arc::new(group),
                name: format!("{}/{child}", self.name.trim_end_matches('/')),
                ..self.clone()
            })
        };
        let mut children = host.list(place);
        children.retain(|child| host.exists(&format!("{place}/{child}/cgroup.procs")));
        children.into_iter().filter_map(opened).collect()
    }

    fn open(host: &Host, device: &str, name: &str) -> Result<GroupCounters, String> {
        let shown = clean(name);
        let groups = group::named(host, name).ok_or_else(|| {
            format!(
                "no control group, process or container {shown} is seen from here. Give a group's path as /proc/PID/cgroup \
                 names it, the number of a process in it, or a container's id or name"
            )
        })?;
        let mounts = Mounts::parse(&host.text("/proc/self/mountinfo").unwrap_or_default());
        let mounted = Hierarchies::mounted(&mounts);
        let found = ["blkio", ""].into_iter().find_map(|controller| {
            let (tree, below) = mounted.group(&groups, controller)?;
            let place = tree.directory(below);
            let has = |file: &str| host.exists(&format!("{place}/{file}"));
            let throttled = THROTTLED.map(|file| match format!("{file}{RECURSIVE}") {
                whole if has(&whole) => whole,
                _ => file.to_string(),
            });
            let is_old = has(&throttled[0]);
            let counts = is_old || has(STAT);
            let root = tree.directory("/");
            counts.then(|| (place, below.to_string(), is_old.then_some(throttled), root))
        });
        let (place, below, throttled, root) = found.ok_or_else(|| {
            format!(
                "{shown} counts no I/O. Under version 2 the group above hands the controller down, with `echo +io > \
                 cgroup.subtree_control` in its directory"
            )
        })?;
        let number = host.text(&format!("/sys/class/block/{device}/dev"));
        let number = number.as_deref().and_then(Devno::parse);
        Ok(GroupCounters {
            group: std::sync::Arc::new(Group::open(&place).map_err(|error| error.to_string())?),
            name: below,
            device: number.ok_or_else(|| format!("{device} has no device number"))?,
            device_name: device.into(),
            throttled,
            root,
        })
    }

    /// None where the group's files tell nothing of the device.
    pub(super) fn read(&self) -> Result<Option<GroupIo>, String> {
        let text = |file: &str| self.group.read(file).map_err(|error| error.to_string());
        match &self.throttled {
            None => Ok(Some(GroupIo::of_stat(&text(STAT)?, self.device))),
            Some([bytes, ios]) => Ok(GroupIo::of_throttled(
                &text(bytes)?,
                &text(ios)?,
                self.device,
            )),
        }
    }

    /// Refuses where the kernel does not fill the counters. Version 1 begins to count a device with the first limit that
    /// any group gets on it (Linux 6.10), and the root of the hierarchy has a line of it from then on.
    fn must_count(&self, host: &Host) -> Result<(), String> {
        let is_told = self.read()?.is_some();
        let Some([bytes, _]) = self.throttled.as_ref().filter(|_| !is_told) else {
            return Ok(());
        };
        let root = host.text(&format!("{}/{bytes}", self.root));
        let mut lines = root.as_deref().unwrap_or_default().lines();
        let number = format!("{} ", self.device);
        if lines.any(|line| line.starts_with(&number)) {
            return Ok(());
        }
        Err(format!(
            "the kernel does not count what groups of version 1 send to {}: since Linux 6.10 it begins with the first limit \
             that a group has on the device, and `echo '{} 1000000000000' > {}/blkio.throttle.read_bps_device` is one that \
             holds nothing back",
            self.device_name,
            self.device,
            self.group.path()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Archive;

    fn told(files: &str, name: &str) -> Result<(), String> {
        let text = format!(
            "iodyno-host 1\n\
             path: /proc/self/mountinfo\nlines: 1\n31 1 0:27 / /c rw - cgroup cgroup rw,blkio\n\
             path: /sys/class/block/sdb/dev\nlines: 1\n8:16\n{files}"
        );
        let host = Host::from_archive(Archive::parse(&text).unwrap());
        GroupCounters::open(&host, "sdb", name).map(drop)
    }

    #[test]
    fn a_group_that_counts_nothing_is_told_with_what_makes_it_count() {
        let why = told("", "db").unwrap_err();
        assert!(
            why.contains("no control group, process or container db"),
            "{why}"
        );
        let why = told("path: /c/db/cgroup.procs\nlines: 0\n", "/db").unwrap_err();
        assert!(
            why.contains("counts no I/O") && why.contains("+io"),
            "{why}"
        );
    }
}
