//! The words of safe change: what a setting was, what it was made, and whether it came back.

use crate::ceph_target::CephTarget;
use crate::text::clean;
use serde::{Deserialize, Serialize};

/// What reading a kernel attribute gave. A refusal is a value too: `wbt_lat_usec` answers EINVAL where
/// writeback throttling is not set up (Linux `blk-sysfs.c`, `queue_wb_lat_show`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Attribute {
    /// The text, without its final newline.
    Value(String),
    /// The kernel has no such attribute.
    Absent,
    /// The kernel refused the read with this errno.
    Refused(i32),
    /// It was not read: another device, or another whom it serves, has the name now.
    OfAnother,
}

impl Attribute {
    /// The text, where there is one.
    pub fn value(&self) -> Option<&str> {
        match self {
            Attribute::Value(text) => Some(text),
            _ => None,
        }
    }
}

impl std::fmt::Display for Attribute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Attribute::Value(text) => f.write_str(text),
            Attribute::Absent => f.write_str("absent"),
            Attribute::OfAnother => f.write_str("of another now"),
            Attribute::Refused(22) => f.write_str("not set up (EINVAL)"),
            Attribute::Refused(errno) => write!(f, "unreadable (errno {errno})"),
        }
    }
}

/// One attribute as it was before iodyno touched it, and where it stands in the order of restoring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Saved {
    /// Absolute path of the attribute.
    pub path: String,
    /// Its value before the first write.
    pub old: Attribute,
    /// Restored from the lowest to the highest: a scheduler switch resets others, read-ahead is reset by limits.
    pub order: u8,
    /// What tells its subject from another that has the path later: of an interrupt, who is served by it. None where the
    /// device's identity tells, or nothing has to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

/// One file as it was before iodyno wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedFile {
    /// Absolute path.
    pub path: String,
    /// What was there; none where there was no file.
    pub old: Option<FileContent>,
    /// What iodyno wrote: if something else is there later, somebody edited it since.
    pub new: FileContent,
    /// Whether iodyno made the directory that it is in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub made_directory: bool,
}

/// A small file whole: what it holds, and who may do what with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileContent {
    /// Its bytes, each as one character of the same number (ISO 8859-1): text stays readable, and no byte is lost.
    pub latin1: String,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

impl FileContent {
    /// Of these bytes.
    pub fn new(bytes: &[u8], mode: u32, (uid, gid): (u32, u32)) -> FileContent {
        FileContent {
            latin1: bytes.iter().copied().map(char::from).collect(),
            mode,
            uid,
            gid,
        }
    }

    /// Its bytes. A character that is no byte, which only a damaged journal can hold, gives none.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        self.latin1
            .chars()
            .map(|character| u8::try_from(u32::from(character)).ok())
            .collect()
    }

    /// Its bytes as text for people.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes().unwrap_or_default()).into_owned()
    }
}

/// What tells a block device from another that has its name later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceIdentity {
    /// Kernel name: `sda`.
    pub name: String,
    /// `major:minor`.
    pub number: String,
    /// The kernel's sequence number of disks, which no two have in one boot (`diskseq`, Linux 5.15). A loop device gets
    /// a new one with each backing file.
    pub diskseq: Option<u64>,
    /// Digest of its serial number, where it has one.
    pub serial_digest: Option<String>,
    /// Size, units of 512 bytes.
    pub sectors: u64,
}

impl DeviceIdentity {
    /// Whether the device that has this name now is the one that was written down, or why not.
    pub fn is_still(&self, now: &DeviceIdentity) -> Result<(), String> {
        let differs = |what: &str, was: &dyn std::fmt::Display, is: &dyn std::fmt::Display| {
            Err(format!("its {what} is {is}, and was {was}"))
        };
        match (self.diskseq, now.diskseq) {
            (Some(was), Some(is)) if was == is => return Ok(()),
            (Some(was), Some(is)) => return differs("disk sequence number", &was, &is),
            _ => {}
        }
        match (&self.serial_digest, &now.serial_digest) {
            (Some(was), Some(is)) if was == is => return Ok(()),
            (Some(was), Some(is)) => return differs("serial number's digest", was, is),
            _ => {}
        }
        match () {
            () if self.number != now.number => differs("device number", &self.number, &now.number),
            () if self.sectors != now.sectors => {
                differs("size in sectors", &self.sectors, &now.sectors)
            }
            () => Ok(()),
        }
    }
}

/// A directory of iodyno's own below a user's, full of files that a load makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedTree {
    /// Absolute path.
    pub path: String,
    /// What its marker file must say before anything in it is removed.
    pub id: String,
}

/// Objects of iodyno's own in a pool of a Ceph cluster, made for a load: their names are a beginning and a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedObjects {
    /// The pool, and how its cluster is reached, whatever the environment says.
    pub target: CephTarget,
    /// The cluster's id: where another one answers, none of these are there.
    pub fsid: String,
    /// The namespace in it that they are in; none for the one without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What their names begin with; a number from 0 follows.
    pub prefix: String,
    /// How many there are at most.
    pub most: u64,
    /// So many in a row can be missing before one that is there: those that were on their way when a load died.
    pub gap: u32,
    /// Names of further objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
}

impl SavedObjects {
    /// Where they are, for people: `rados://bench/iodyno-7f, objects benchmark_data_db1_4711_object…`.
    pub fn place(&self) -> String {
        let in_namespace = CephTarget {
            namespace: self.namespace.clone(),
            ..self.target.clone()
        };
        clean(&format!("{in_namespace}, objects {}…", self.prefix)).into_owned()
    }

    /// Whether these are names that iodyno gives, or that rados bench gives where iodyno starts it.
    pub fn is_own(&self) -> bool {
        let is_ours = |name: &str| name.starts_with(Self::OURS);
        let is_bench =
            self.prefix.starts_with("benchmark_data_") && self.prefix.ends_with("_object");
        (is_ours(&self.prefix) || is_bench) && self.also.iter().all(|name| is_ours(name))
    }

    /// What names of iodyno's own begin with.
    pub const OURS: &str = "iodyno-";
}

/// A control group of iodyno's own, made for a load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedGroup {
    /// Absolute path of its directory.
    pub path: String,
    /// The end of its name, which nobody can guess.
    pub id: String,
    /// Controllers that its parent hands down for it and did not before: `io`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handed: Vec<String>,
}

/// A loop device over a file of iodyno's own, with the file system on it: what `iodyno loop create` makes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedLoop {
    /// Absolute path of the file.
    pub path: String,
    /// The end of the name that the file has while it is made, which nobody can guess.
    pub id: String,
    /// Size of the file, bytes.
    pub bytes: u64,
    /// Size of a logical sector of the device, bytes.
    pub sector_bytes: u32,
    /// Whether direct I/O to the file is wanted.
    pub direct: bool,
    /// The kind of file system: `ext4`, `xfs`; none for a bare device.
    pub fs: Option<String>,
    /// Where it is mounted, where it is to be.
    pub point: Option<SavedPoint>,
    /// Which file it is: known before the file has its own name, and so none while no such file is iodyno's.
    pub image: Option<ImageFile>,
    /// The file system that the file lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system: Option<SavedFileSystem>,
}

/// What tells a file system from another that is mounted in its place later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedFileSystem {
    /// `major:minor` as its files show it, which another boot may number in another way.
    pub device: String,
    /// Its id (`f_fsid` of statvfs(3)): from its UUID on ext4 and btrfs, from its device's number on xfs; 0 where it has none.
    pub id: u64,
}

/// A directory on which a loop device is mounted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedPoint {
    /// Absolute path.
    pub path: String,
    /// Whether iodyno made the directory.
    pub made: bool,
}

/// What tells a file from another that has its path later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageFile {
    /// `major:minor` of its file system, which another boot may number in another way.
    pub device: String,
    /// Inode number.
    pub inode: u64,
    /// When it was made, ns since 1970, where the file system keeps that: numbers of inodes are used again.
    pub birth_ns: Option<u64>,
}

/// What became of one attribute or file when it was put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Restored {
    /// Absolute path of the attribute.
    pub path: String,
    /// The value wanted.
    pub wanted: Attribute,
    /// The value read back afterwards.
    pub found: Attribute,
    /// Whether it had to be written.
    pub written: bool,
    /// The error of the write, where there was one.
    pub error: Option<String>,
    /// What somebody else wrote into the file since iodyno did; it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
}

impl Restored {
    /// Whether it is as it was. An attribute that the kernel had not set up at first cannot be compared and counts as
    /// whole; one that could not be read back does not.
    pub fn is_whole(&self) -> bool {
        let is_back = self.wanted == self.found || matches!(self.wanted, Attribute::Refused(_));
        is_back && self.edited.is_none()
    }
}

/// How long a switch of a knob keeps acting on what is measured afterwards: the experiment's design follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Memoryless once the queue has drained: windows of a fraction of a second.
    Fast,
    /// Cached or learned state: files are opened anew and windows last seconds.
    Learned,
    /// Debt that is paid back later, such as dirty pages: windows close their books.
    Slow,
}

/// What a knob can cost, told before it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// Performance only, and back at once.
    Safe,
    /// May raise somebody's latency while it is set.
    CostsLatency,
    /// Safe when its documentation has been read.
    NeedsCare,
    /// Can lose data: never applied by `tune`.
    Danger,
}

impl Risk {
    /// For people.
    pub fn phrase(self) -> &'static str {
        match self {
            Risk::Safe => "safe",
            Risk::CostsLatency => "may cost latency",
            Risk::NeedsCare => "needs care",
            Risk::Danger => "can lose data",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loop0() -> DeviceIdentity {
        DeviceIdentity {
            name: "loop0".into(),
            number: "7:0".into(),
            diskseq: Some(9),
            serial_digest: None,
            sectors: 2048,
        }
    }

    #[test]
    fn a_device_of_the_same_name_is_told_from_the_one_that_was_changed() {
        let was = loop0();
        assert_eq!(
            was.is_still(&DeviceIdentity {
                sectors: 4096,
                ..loop0()
            }),
            Ok(()),
            "it grew"
        );
        let why = was
            .is_still(&DeviceIdentity {
                diskseq: Some(10),
                ..loop0()
            })
            .unwrap_err();
        assert_eq!(why, "its disk sequence number is 10, and was 9");
        let old = |serial: Option<&str>, sectors| DeviceIdentity {
            diskseq: None,
            serial_digest: serial.map(str::to_string),
            sectors,
            ..loop0()
        };
        assert_eq!(old(Some("a"), 1).is_still(&old(Some("a"), 2)), Ok(()));
        assert!(
            old(Some("a"), 1)
                .is_still(&old(Some("b"), 1))
                .unwrap_err()
                .contains("serial")
        );
        assert!(
            old(None, 1)
                .is_still(&old(None, 2))
                .unwrap_err()
                .contains("size")
        );
        assert_eq!(
            old(None, 1).is_still(&loop0()).unwrap_err(),
            "its size in sectors is 2048, and was 1"
        );
    }

    #[test]
    fn no_byte_of_a_file_is_lost() {
        let bytes: Vec<u8> = (0..=255).collect();
        let content = FileContent::new(&bytes, 0o600, (1000, 4));
        let json = serde_json::to_string(&content).unwrap();
        let again: FileContent = serde_json::from_str(&json).unwrap();
        assert_eq!(again.bytes().unwrap(), bytes);
    }
}
