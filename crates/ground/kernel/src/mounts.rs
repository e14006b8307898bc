//! The mount table: /proc/PID/mountinfo (Documentation/filesystems/proc.rst, 3.5), and which mount holds a path.

use crate::devno::Devno;
use crate::octal::unescaped;

/// One line of the table: `36 35 98:0 /part /mnt rw,noatime master:1 - ext3 /dev/root rw`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Mount id.
    pub id: u32,
    /// Id of the mount it is mounted on.
    pub parent: u32,
    /// Of its files; major 0 where there is no block device, and on btrfs.
    pub devno: Devno,
    /// The part of the file system that is mounted; not `/` on a bind mount.
    pub root: String,
    /// Where.
    pub point: String,
    /// Options of the mount, then those of the file system that are others.
    pub options: Vec<String>,
    /// Options of the file system alone, which all of its mounts share.
    pub super_options: Vec<String>,
    /// File system type.
    pub fstype: String,
    /// What was mounted.
    pub source: String,
}

/// Every mount, in the order of mounting.
#[derive(Clone, Debug, Default)]
pub struct Mounts(Vec<Mount>);

impl Mounts {
    /// Parses the table; a line of another form is left out.
    pub fn parse(text: &str) -> Self {
        Mounts(text.lines().filter_map(Mount::parse).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every mount.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Mount> {
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

impl IntoIterator for Mounts {
    type Item = Mount;
    type IntoIter = std::vec::IntoIter<Mount>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Mount {
    /// Reads a line.
    pub fn parse(line: &str) -> Option<Mount> {
        // Optional fields end at a lone dash, so the line is split there first.
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ');
        // Some file systems print spaces among their options, which are the last field.
        let mut right = right.splitn(3, ' ');
        let (id, parent) = (left.next()?.parse().ok()?, left.next()?.parse().ok()?);
        let devno = Devno::parse(left.next()?)?;
        let (root, point) = (unescaped(left.next()?), unescaped(left.next()?));
        let mut options = self::options(left.next()?);
        let (fstype, source) = (unescaped(right.next()?), unescaped(right.next()?));
        let super_options = self::options(right.next().unwrap_or_default());
        let others = super_options.iter().filter(|one| !options.contains(one));
        let others: Vec<String> = others.cloned().collect();
        options.extend(others);
        Some(Mount {
            id,
            parent,
            devno,
            root,
            point,
            options,
            super_options,
            fstype,
            source,
        })
    }

    /// The value of `name=value` among the options.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }

    /// Whether an option is set.
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|one| one == option)
    }

    /// Whether nothing can be written here, because of the mount or of the whole file system.
    pub fn is_read_only(&self) -> bool {
        self.has("ro")
    }
}

/// A comma that is part of an option is octal, so the list is cut first.
fn options(field: &str) -> Vec<String> {
    let options = field.split(',').filter(|option| !option.is_empty());
    options.map(unescaped).collect()
}

fn covers(point: &str, path: &str) -> bool {
    point == "/"
        || path
            .strip_prefix(point)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::octal::escaped;
    use proptest::prelude::*;

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
        let data = mounts.holding("/data").unwrap();
        assert_eq!(data.options, ["rw", "noatime", "attr2"]);
        assert_eq!(
            mounts.holding("/with space").unwrap().option("subvol"),
            Some("/sub")
        );
        let line = "9 1 0:7 / /o rw - overlay o ro,lowerdir=/a\\054b:/c,upperdir=/u p,x";
        let odd = Mount::parse(line).unwrap();
        assert_eq!(odd.option("lowerdir"), Some("/a,b:/c"));
        assert_eq!(odd.option("upperdir"), Some("/u p"));
        assert!(odd.is_read_only() && !data.is_read_only());
    }

    #[test]
    fn fields_are_decoded_whatever_the_kernel_escapes() {
        let line = "9 1 8:3 /a\\043b /m\\043\\303\\244 rw - fuse.my\\040fs /dev/\\043x rw";
        let mount = Mount::parse(line).unwrap();
        assert_eq!(
            (mount.root.as_str(), mount.point.as_str()),
            ("/a#b", "/m#\u{e4}")
        );
        assert_eq!(
            (mount.fstype.as_str(), mount.source.as_str()),
            ("fuse.my fs", "/dev/#x")
        );
    }

    #[test]
    fn odd_lines_are_left_out() {
        let odd = "nonsense\n1 2 - x\n\n1 1 8:x / / rw - ext4 /dev/sda rw\n1 1 8:1 / / rw - ext4\n";
        assert!(Mounts::parse(odd).is_empty());
        // The kernel writes an empty field for a source without a name, and options may be missing.
        let bare = Mount::parse("1 1 0:4 / /t rw - tmpfs  ").unwrap();
        assert_eq!((bare.source.as_str(), bare.super_options.len()), ("", 0));
    }

    proptest! {
        #[test]
        fn any_path_and_source_come_back(point in "/\\PC{0,30}", source in "\\PC{1,20}", root in "/[ -~]{0,20}", optional in 0..3usize) {
            let line = format!(
                "12 11 259:7 {} {} rw,noatime{} - ext4 {} rw",
                escaped(&root), escaped(&point), " shared:7".repeat(optional), escaped(&source)
            );
            let mount = Mount::parse(&line).unwrap();
            prop_assert_eq!((mount.root, mount.point, mount.source), (root, point, source));
            prop_assert_eq!((mount.id, mount.parent, mount.devno), (12, 11, Devno { major: 259, minor: 7 }));
        }

        #[test]
        fn any_table_is_bounded(
            lines in prop::collection::vec("[0-9] [0-9] 8:[0-9] / (/|/a|/a/b) rw - x y z|\\PC{0,40}", 0..40),
            path in "/[ab/]{0,8}",
        ) {
            let mounts = Mounts::parse(&lines.join("\n"));
            prop_assert!(mounts.iter().count() <= lines.len());
            if let Some(mount) = mounts.holding(&path) {
                prop_assert!(mounts.iter().any(|one| one == mount));
            }
        }
    }
}
