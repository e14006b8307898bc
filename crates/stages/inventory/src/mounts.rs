//! The mount table, and which mount holds a path.

use host::Host;

/// One line of /proc/self/mountinfo (Documentation/filesystems/proc.rst, 3.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Mount id.
    pub id: u32,
    /// Id of the mount it is mounted on.
    pub parent: u32,
    /// `major:minor` of its files; major 0 where there is no block device, and on btrfs.
    pub devno: String,
    /// The part of the file system that is mounted; not `/` on a bind mount.
    pub root: String,
    /// Where.
    pub point: String,
    /// Options of the mount, then those of the file system.
    pub options: String,
    /// Options of the file system alone, which all of its mounts share.
    pub super_options: String,
    /// File system type.
    pub fstype: String,
    /// What was mounted.
    pub source: String,
}

/// Every mount, in the order of mounting.
#[derive(Clone, Debug, Default)]
pub struct Mounts(Vec<Mount>);

impl Mounts {
    /// Reads the mounts this process sees.
    pub fn read(host: &Host) -> Self {
        Self::parse(&host.text("/proc/self/mountinfo").unwrap_or_default())
    }

    /// Parses the table; a line of another form is left out.
    pub fn parse(text: &str) -> Self {
        Mounts(text.lines().filter_map(parse_line).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every mount.
    pub fn iter(&self) -> impl Iterator<Item = &Mount> {
        self.0.iter()
    }

    /// The mount that holds an absolute path without links. Mounts are followed as the kernel walks a path, from the
    /// root down, because a mount on `/a` hides an earlier one on `/a/b` although the latter's prefix is longer.
    pub fn holding(&self, path: &str) -> Option<&Mount> {
        let Some(mut current) = self.root() else {
            return self.longest_prefix(path);
        };
        // Each step goes to a mount of its own; the bound only guards against a table that loops.
        for _ in 0..self.0.len() {
            let on_the_way = self.0.iter().filter(|mount| {
                mount.parent == current.id && mount.id != current.id && covers(&mount.point, path)
            });
            // `min_by_key` gives the first of equals and the last mounted is on top: so backwards.
            match on_the_way.rev().min_by_key(|mount| mount.point.len()) {
                Some(next) => current = next,
                None => break,
            }
        }
        Some(current)
    }

    /// In a chroot to a plain directory no mount is the root: then only the prefixes are known.
    fn root(&self) -> Option<&Mount> {
        let is_known = |id: u32| self.0.iter().any(|mount| mount.id == id);
        self.0.iter().find(|mount| {
            mount.point == "/" && (mount.parent == mount.id || !is_known(mount.parent))
        })
    }

    fn longest_prefix(&self, path: &str) -> Option<&Mount> {
        self.0
            .iter()
            .filter(|mount| covers(&mount.point, path))
            .max_by_key(|mount| mount.point.len())
    }
}

impl Mount {
    /// The value of `name=value` among the options.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options
            .split(',')
            .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }
}

fn covers(point: &str, path: &str) -> bool {
    point == "/"
        || path
            .strip_prefix(point)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn parse_line(line: &str) -> Option<Mount> {
    // Optional fields end at a lone dash, so the line is split there first.
    let (before, after) = line.split_once(" - ")?;
    let before: Vec<&str> = before.split(' ').collect();
    let after: Vec<&str> = after.split(' ').collect();
    let mut options: Vec<&str> = before.get(5)?.split(',').collect();
    for option in after.get(2).unwrap_or(&"").split(',') {
        if !option.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    }
    Some(Mount {
        id: before.first()?.parse().ok()?,
        parent: before.get(1)?.parse().ok()?,
        devno: before.get(2)?.to_string(),
        root: unescape(before.get(3)?),
        point: unescape(before.get(4)?),
        options: unescape(&options.join(",")),
        super_options: unescape(after.get(2).unwrap_or(&"")),
        fstype: after.first()?.to_string(),
        source: unescape(after.get(1)?),
    })
}

/// Space, tab, newline and backslash are octal in the table (fs/proc_namespace.c, `mangle`).
pub(super) fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let octal = tail
            .get(..3)
            .filter(|digits| digits.iter().all(|digit| (b'0'..b'8').contains(digit)));
        match octal {
            Some(digits) if first == b'\\' => {
                let value = digits
                    .iter()
                    .fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                bytes.push(value as u8);
                rest = &tail[3..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
        1 1 8:1 / / rw - ext4 /dev/sda1 rw,errors=remount-ro\n\
        2 1 8:2 / /data rw,noatime shared:5 master:2 - xfs /dev/sda2 rw,attr2\n\
        3 2 8:3 / /data/deep rw - ext4 /dev/sda3 rw\n\
        4 1 0:44 /sub /with\\040space rw - btrfs /dev/sdb rw,subvol=/sub\n\
        5 1 8:4 / /old/below rw - ext4 /dev/sda4 rw\n\
        6 1 8:5 / /old rw - ext4 /dev/sda5 rw\n\
        7 6 8:6 / /old rw - ext4 /dev/sda6 rw\n";

    fn source(path: &str) -> String {
        Mounts::parse(TABLE).holding(path).unwrap().source.clone()
    }

    #[test]
    fn the_longest_prefix_holds_a_path() {
        assert_eq!(source("/"), "/dev/sda1");
        assert_eq!(source("/database"), "/dev/sda1", "a prefix ends at a slash");
        assert_eq!(source("/data/x"), "/dev/sda2");
        assert_eq!(source("/data/deep/er"), "/dev/sda3");
        assert_eq!(source("/with space/x"), "/dev/sdb");
    }

    #[test]
    fn later_mounts_hide_earlier_ones() {
        assert_eq!(source("/old"), "/dev/sda6", "the top of a stack");
        assert_eq!(
            source("/old/below/x"),
            "/dev/sda6",
            "a longer prefix, hidden"
        );
    }

    #[test]
    fn without_a_root_the_prefix_decides() {
        let chrooted = Mounts::parse("8 1 8:2 / /data rw - xfs /dev/sda2 rw\n");
        assert_eq!(chrooted.holding("/data/x").unwrap().fstype, "xfs");
        assert_eq!(chrooted.holding("/x"), None);
    }

    #[test]
    fn options_are_merged_and_found() {
        let mounts = Mounts::parse(TABLE);
        assert_eq!(mounts.holding("/data").unwrap().options, "rw,noatime,attr2");
        assert_eq!(
            mounts.holding("/with space").unwrap().option("subvol"),
            Some("/sub")
        );
    }

    #[test]
    fn odd_lines_are_left_out() {
        assert!(Mounts::parse("nonsense\n1 2 - x\n\n").is_empty());
        assert_eq!(unescape("a\\040b\\134\\08"), "a b\\\\08");
    }
}
