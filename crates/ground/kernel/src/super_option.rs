//! Options of a mounted file system (of its superblock, which all of its mounts share) that a remount changes: how the
//! kernel prints them, and which word sets them.
//!
//! Tried on Linux 6.18 with ext4, btrfs and xfs, by `fsconfig(FSCONFIG_CMD_RECONFIGURE)` with one option at a time. The
//! kernel takes some that it then ignores (`discard` on xfs, `commit=0`), and refuses others (`nodelalloc` on ext4), so
//! what is no option here is not offered.

use crate::mounts::Mount;

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuperOption {
    /// Seconds between commits of the journal (ext3, ext4) or of the tree (btrfs).
    Commit,
    /// Whether freed blocks are discarded at once: `on` or `off`, on btrfs `async` or `sync` for `on`.
    Discard,
    /// Blocks of inode tables that are read ahead (ext4).
    InodeReadaheadBlks,
    /// Whether times of files stay in memory: `on` or `off`.
    Lazytime,
    /// Most microseconds that a commit waits for further ones to join it (ext4).
    MaxBatchTime,
}

/// Each with its name, which is the kernel's word before a `=`.
const NAMES: [(&str, SuperOption); 5] = [
    ("commit", SuperOption::Commit),
    ("discard", SuperOption::Discard),
    ("inode_readahead_blks", SuperOption::InodeReadaheadBlks),
    ("lazytime", SuperOption::Lazytime),
    ("max_batch_time", SuperOption::MaxBatchTime),
];

/// What btrfs prints no `commit=` for, s (Linux `fs/btrfs/fs.h`, `BTRFS_DEFAULT_COMMIT_INTERVAL`).
const BTRFS_COMMIT_S: &str = "30";

impl SuperOption {
    /// The option of this name.
    pub fn of(name: &str) -> Option<SuperOption> {
        NAMES
            .iter()
            .find_map(|(own, option)| (*own == name).then_some(*option))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        // Every option stands in the list, so the empty name is never given.
        NAMES
            .iter()
            .find_map(|(name, option)| (*option == self).then_some(*name))
            .unwrap_or_default()
    }

    /// The value that a mounted file system has; none where it has no such option, or none that a remount changes.
    ///
    /// `ext4_options` is what `/proc/fs/ext4/DEVICE/options` says: the mount table leaves out what equals the defaults in
    /// the superblock, so after `tune2fs -o discard` it does not show that blocks are discarded.
    pub fn value(self, mount: &Mount, ext4_options: Option<&str>) -> Option<String> {
        let has = |word: &str| mount.super_options.iter().any(|option| option == word);
        let on_or_off = |is_on: bool| Some(if is_on { "on" } else { "off" }.to_string());
        match (self, mount.fstype.as_str()) {
            (SuperOption::Lazytime, "ext4" | "xfs" | "btrfs") => on_or_off(has("lazytime")),
            (SuperOption::Discard, "btrfs") if has("discard=async") => Some("async".into()),
            (SuperOption::Discard, "btrfs") if has("discard") => Some("sync".into()),
            (SuperOption::Discard, "btrfs") => Some("off".into()),
            (SuperOption::Commit, "btrfs") => {
                let told = mount.super_options.iter();
                let told = told
                    .filter_map(|option| option.strip_prefix("commit="))
                    .next();
                Some(told.unwrap_or(BTRFS_COMMIT_S).to_string())
            }
            (_, "ext3" | "ext4") => self.of_ext4(ext4_options?),
            _ => None,
        }
    }

    fn of_ext4(self, options: &str) -> Option<String> {
        let has = |word: &str| options.lines().any(|line| line == word);
        let number = || {
            let beginning = format!("{}=", self.name());
            let mut lines = options.lines();
            lines
                .find_map(|line| line.strip_prefix(&beginning))
                .map(str::to_string)
        };
        // Without a journal there is nothing to commit; how its data is ordered is told where there is one.
        let has_journal = options.lines().any(|line| line.starts_with("data="));
        match self {
            SuperOption::Lazytime => None,
            SuperOption::Discard if has("discard") => Some("on".into()),
            SuperOption::Discard => has("nodiscard").then(|| "off".into()),
            SuperOption::Commit | SuperOption::MaxBatchTime => number().filter(|_| has_journal),
            SuperOption::InodeReadaheadBlks => number(),
        }
    }

    /// The word that gives a file system of this type the value, as fstab and mount(8) have it; none for what is no value
    /// of it.
    pub fn word(self, fstype: &str, value: &str) -> Option<String> {
        let number = || {
            value
                .parse::<u32>()
                .ok()
                .filter(|number| number.to_string() == value)
        };
        match (self, value) {
            (SuperOption::Lazytime, "on") => Some("lazytime".into()),
            (SuperOption::Lazytime, "off") => Some("nolazytime".into()),
            (SuperOption::Discard, "off") => Some("nodiscard".into()),
            (SuperOption::Discard, "on") if fstype != "btrfs" => Some("discard".into()),
            (SuperOption::Discard, "async" | "sync") if fstype == "btrfs" => {
                Some(format!("discard={value}"))
            }
            (SuperOption::Lazytime | SuperOption::Discard, _) => None,
            // 0 is the kernel's way to write its default.
            (SuperOption::Commit, "0") => None,
            (
                SuperOption::Commit | SuperOption::InodeReadaheadBlks | SuperOption::MaxBatchTime,
                _,
            ) => number().map(|number| format!("{}={number}", self.name())),
        }
    }

    /// Whether one of the words that the kernel prints says this option's value.
    pub fn is_told_by(self, word: &str) -> bool {
        let name = self.name();
        let word = word
            .strip_prefix("no")
            .filter(|rest| *rest == name)
            .unwrap_or(word);
        word.split('=').next() == Some(name)
    }
}

/// Words that have to be given again with any other, since a remount without them takes them away. Seen on Linux 6.18:
/// ext4 and btrfs become writable without `ro`, btrfs gets its access lists back without `noacl`, and xfs gives inodes
/// numbers of 64 bits again without `inode32`.
pub fn said_again(mount: &Mount) -> Vec<&str> {
    let words = mount.super_options.iter().map(String::as_str);
    let is_lost = |word: &&str| {
        matches!(
            (mount.fstype.as_str(), *word),
            (_, "ro") | ("btrfs", "noacl") | ("xfs", "inode32")
        )
    };
    words.filter(is_lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(fstype: &str, options: &str) -> Mount {
        let line = format!("42 27 7:0 / /srv rw,relatime - {fstype} /dev/loop0 {options}");
        Mount::parse(&line).unwrap()
    }

    fn value(name: &str, fstype: &str, options: &str, ext4: Option<&str>) -> Option<String> {
        let option = SuperOption::of(name).unwrap();
        option.value(&mount(fstype, options), ext4)
    }

    /// As Linux 6.18 prints it, shortened.
    const EXT4: &str = "rw\ndiscard\ndelalloc\nbarrier\ncommit=5\nmin_batch_time=0\nmax_batch_time=15000\nstripe=0\n\
        data=ordered\ninode_readahead_blks=32\n";

    #[test]
    fn ext4_tells_its_defaults_in_a_file_of_its_own() {
        let of = |name, ext4| value(name, "ext4", "rw", Some(ext4));
        assert_eq!(of("commit", EXT4).as_deref(), Some("5"));
        assert_eq!(
            of("discard", EXT4).as_deref(),
            Some("on"),
            "by tune2fs -o discard"
        );
        assert_eq!(of("discard", "rw\nnodiscard\n").as_deref(), Some("off"));
        assert_eq!(of("inode_readahead_blks", EXT4).as_deref(), Some("32"));
        assert_eq!(of("max_batch_time", EXT4).as_deref(), Some("15000"));
        assert_eq!(
            value("commit", "ext4", "rw,commit=9", None),
            None,
            "what is not known is not guessed"
        );
        let without_journal = EXT4.replace("data=ordered\n", "");
        assert_eq!(of("commit", &without_journal), None);
    }

    #[test]
    fn each_file_system_has_options_of_its_own() {
        let of = |name, fstype, options| value(name, fstype, options, None);
        assert_eq!(of("lazytime", "ext4", "rw,lazytime").as_deref(), Some("on"));
        assert_eq!(of("lazytime", "xfs", "rw,inode64").as_deref(), Some("off"));
        assert_eq!(
            of("discard", "btrfs", "rw,discard=async").as_deref(),
            Some("async")
        );
        assert_eq!(
            of("discard", "btrfs", "rw,discard").as_deref(),
            Some("sync")
        );
        assert_eq!(of("discard", "btrfs", "rw").as_deref(), Some("off"));
        assert_eq!(of("commit", "btrfs", "rw").as_deref(), Some("30"));
        assert_eq!(
            of("commit", "btrfs", "rw,commit=120").as_deref(),
            Some("120")
        );
        for (name, fstype) in [
            ("commit", "xfs"),
            ("discard", "xfs"),
            ("lazytime", "tmpfs"),
            ("discard", "vfat"),
        ] {
            assert_eq!(of(name, fstype, "rw,discard"), None, "{name} {fstype}");
        }
    }

    #[test]
    fn the_word_is_that_of_fstab() {
        let word = |name: &str, fstype, value| SuperOption::of(name).unwrap().word(fstype, value);
        assert_eq!(word("commit", "ext4", "30").as_deref(), Some("commit=30"));
        assert_eq!(
            word("lazytime", "xfs", "off").as_deref(),
            Some("nolazytime")
        );
        assert_eq!(word("discard", "ext4", "on").as_deref(), Some("discard"));
        assert_eq!(
            word("discard", "btrfs", "async").as_deref(),
            Some("discard=async")
        );
        assert_eq!(
            word("discard", "btrfs", "off").as_deref(),
            Some("nodiscard")
        );
        for (name, fstype, value) in [
            ("commit", "ext4", "0"),
            ("commit", "ext4", "05"),
            ("commit", "ext4", "5,ro"),
            ("discard", "ext4", "async"),
            ("discard", "btrfs", "on"),
            ("lazytime", "ext4", "lazytime"),
        ] {
            assert_eq!(word(name, fstype, value), None, "{name} {fstype} {value}");
        }
    }

    #[test]
    fn what_a_remount_takes_away_is_said_again() {
        assert_eq!(said_again(&mount("ext4", "ro,commit=9")), ["ro"]);
        assert_eq!(said_again(&mount("btrfs", "rw,noacl,subvol=/")), ["noacl"]);
        assert_eq!(said_again(&mount("xfs", "rw,inode32")), ["inode32"]);
        assert!(said_again(&mount("xfs", "rw,inode64,noquota")).is_empty());
    }

    #[test]
    fn its_own_words_are_known() {
        let told = |name: &str, word| SuperOption::of(name).unwrap().is_told_by(word);
        assert!(
            told("discard", "nodiscard")
                && told("discard", "discard=async")
                && told("commit", "commit=5")
        );
        assert!(
            !told("discard", "nodelalloc")
                && !told("commit", "compress=zstd")
                && !told("lazytime", "noatime")
        );
    }
}
