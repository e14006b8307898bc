//! What tells the subject of a setting from another that has its name later.

use crate::Host;
use crate::group_setting::{GroupPlace, NAMES};
use crate::mount_setting::MountPlace;
use model::subject::Subject;

/// Files of the kernel's own in an interrupt's directory (Linux 2.6 to 6.18, `kernel/irq/proc.c`).
const IRQ_FILES: [&str; 7] = [
    "affinity_hint",
    "effective_affinity",
    "effective_affinity_list",
    "node",
    "smp_affinity",
    "smp_affinity_list",
    "spurious",
];

impl Host {
    /// Who an interrupt serves, as `nvme0q1` or `virtio1-req.0`; several names, by commas, where it is shared. Of a
    /// mount, of a file system by its mount, and of a control group which one it is, since another can have its name later. None for
    /// subjects that are told by their device's identity, or are one of a kind.
    pub fn subject_mark(&self, subject: &Subject) -> Option<String> {
        if let Subject::Mount { devno, point } | Subject::FileSystem { devno, point } = subject {
            return Some(self.mount_mark(devno, point));
        }
        if let Subject::Group { .. } = subject {
            return self.group_mark(subject);
        }
        let Subject::Interrupt { .. } = subject else {
            return None;
        };
        // Whoever is served has a directory of its name beside the kernel's own files.
        let names = self.list(&subject.directory());
        let served: Vec<String> = names
            .into_iter()
            .filter(|name| !IRQ_FILES.contains(&name.as_str()))
            .collect();
        Some(served.join(","))
    }

    fn group_mark(&self, subject: &Subject) -> Option<String> {
        #[cfg(test)]
        if let Some(machine) = self.simulated() {
            return Some(machine.grouped());
        }
        Some(GroupPlace::of(&subject.path(NAMES[0]))?.mark(self))
    }

    fn mount_mark(&self, devno: &str, point: &str) -> String {
        #[cfg(test)]
        if let Some(machine) = self.simulated() {
            return machine.mounted();
        }
        MountPlace::at(devno.into(), point.into()).mark(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::simulated::Simulated;
    use model::subject::Subject;

    #[test]
    fn an_interrupt_is_known_by_whom_it_serves() {
        let host = Simulated::new().host();
        let mark = |number| host.subject_mark(&Subject::Interrupt { number });
        assert_eq!(mark(24).as_deref(), Some("loop-req.0"));
        assert_eq!(mark(25).as_deref(), Some(""));
        assert_eq!(host.subject_mark(&Subject::Sysctl), None);
    }
}
