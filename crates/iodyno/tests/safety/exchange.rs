//! Names that their owner exchanges while root loads them: nothing but what was judged is written.

use super::exchanger::{Exchanger, NOBODY};
use crate::support::{Dir, Iodyno, Loop, code, is_root, rounds, text};
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const MIB: usize = 1 << 20;

/// What must stay as it is: a mounted device, and files of root's in a directory of root's.
struct Others {
    mounted: Loop,
    free: Loop,
    dir: Dir,
    point: PathBuf,
}

impl Others {
    fn new() -> Option<Others> {
        let mounted = Loop::new(8)?;
        let free = mounted.beside(8)?;
        let dir = Dir::new("others");
        let point = dir.path().join("mnt");
        std::fs::create_dir(&point).unwrap();
        std::fs::write(dir.path().join("f"), vec![0x5a; 8 * MIB]).unwrap();
        std::fs::write(dir.path().join("linked"), vec![0x5b; 8 * MIB]).unwrap();
        let others = Others {
            mounted,
            free,
            dir,
            point,
        };
        let device = &others.mounted.device;
        // Read-only and made whole at once, so that its own file system writes nothing to it.
        let whole = "lazy_itable_init=0,lazy_journal_init=0";
        let steps = [
            Command::new("mkfs.ext4")
                .args(["-q", "-F", "-O", "^has_journal", "-E", whole, device])
                .status(),
            Command::new("mount")
                .args(["-o", "ro", device])
                .arg(&others.point)
                .status(),
        ];
        if steps
            .into_iter()
            .all(|step| step.is_ok_and(|status| status.success()))
        {
            return Some(others);
        }
        skip::missing(
            "mount",
            "no file system on a loop device can be mounted here",
        );
        None
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("f")
    }

    fn linked(&self) -> PathBuf {
        self.dir.path().join("linked")
    }

    /// All bytes that must stay, with the moment at which anything was made in root's directory.
    fn content(&self) -> (Vec<Vec<u8>>, std::time::SystemTime) {
        let device = std::fs::File::open(&self.mounted.device).unwrap();
        device.sync_all().unwrap();
        let paths = [
            PathBuf::from(&self.mounted.device),
            self.file(),
            self.linked(),
        ];
        let bytes = paths.map(|path| std::fs::read(path).unwrap()).to_vec();
        (
            bytes,
            std::fs::metadata(self.dir.path())
                .unwrap()
                .modified()
                .unwrap(),
        )
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.point).status();
    }
}

/// One pair of names that is exchanged, below a directory of `nobody`'s.
struct Way {
    name: &'static str,
    /// Makes what is exchanged, and gives the two names.
    set: fn(&Others, &Path) -> (PathBuf, PathBuf),
    /// What root loads, below that directory.
    target: &'static str,
    words: &'static [&'static str],
    /// Exit statuses that are right: what was opened was the one or the other.
    fine: &'static [i32],
}

const OVERWRITE: &[&str] = &["--overwrite", "--rw=randwrite", "--size=4m"];
const DESTROY: &[&str] = &[
    "--destroy-data",
    "--force-signature",
    "--rw=randwrite",
    "--size=4m",
];
const TREE: &[&str] = &[
    "--ioengine=files",
    "--engine-option=files=20",
    "--engine-option=depth=0",
];

const WAYS: &[Way] = &[
    Way {
        name: "a file and a link to a mounted device",
        set: |others, dir| {
            (
                theirs(dir),
                link(dir, "l", Path::new(&others.mounted.device), NOBODY),
            )
        },
        target: "f",
        words: OVERWRITE,
        fine: &[0, 4],
    },
    Way {
        name: "a file and a link to root's file",
        set: |others, dir| (theirs(dir), link(dir, "l", &others.file(), NOBODY)),
        target: "f",
        words: OVERWRITE,
        fine: &[0, 4],
    },
    Way {
        name: "a file and another name of root's file",
        set: |others, dir| {
            std::fs::hard_link(others.linked(), dir.join("h")).unwrap();
            (theirs(dir), dir.join("h"))
        },
        target: "f",
        words: OVERWRITE,
        fine: &[0, 4],
    },
    Way {
        name: "a directory on the way and a link to root's",
        set: |others, dir| {
            theirs(&made(dir, "d"));
            (dir.join("d"), link(dir, "l", others.dir.path(), NOBODY))
        },
        target: "d/f",
        words: OVERWRITE,
        fine: &[0, 4],
    },
    Way {
        name: "a free device and a mounted one, by links of nobody's",
        set: |others, dir| {
            let free = link(dir, "e", Path::new(&others.free.device), NOBODY);
            (
                free,
                link(dir, "g", Path::new(&others.mounted.device), NOBODY),
            )
        },
        target: "e",
        words: DESTROY,
        fine: &[4],
    },
    Way {
        name: "a free device and a mounted one, by links of root's",
        set: |others, dir| {
            let free = link(dir, "e", Path::new(&others.free.device), 0);
            (free, link(dir, "g", Path::new(&others.mounted.device), 0))
        },
        target: "e",
        words: DESTROY,
        fine: &[0, 4],
    },
    Way {
        name: "a directory for a tree of files and a link to root's",
        set: |others, dir| (made(dir, "d"), link(dir, "l", others.dir.path(), NOBODY)),
        target: "d",
        words: TREE,
        fine: &[0, 4],
    },
    Way {
        name: "a directory for scratch and a link to root's",
        set: |others, dir| (made(dir, "d"), link(dir, "l", others.dir.path(), NOBODY)),
        target: "d",
        words: &["--rw=randwrite", "--size=4m"],
        fine: &[0, 4],
    },
];

/// A file of nobody's.
fn theirs(dir: &Path) -> PathBuf {
    let path = dir.join("f");
    std::fs::write(&path, vec![1; 8 * MIB]).unwrap();
    chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    path
}

/// A directory of nobody's.
fn made(dir: &Path, name: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::create_dir(&path).unwrap();
    chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    path
}

fn link(dir: &Path, name: &str, to: &Path, owner: u32) -> PathBuf {
    let path = dir.join(name);
    symlink(to, &path).unwrap();
    lchown(&path, Some(owner), Some(owner)).unwrap();
    path
}

/// A directory that `nobody` reaches and owns.
pub fn nobodys(label: &str) -> Dir {
    let dir = Dir::new(label);
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    chown(dir.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    dir
}

/// What came of one way.
#[derive(Default)]
struct Tally {
    runs: u32,
    exchanges: u64,
    statuses: BTreeMap<i32, u32>,
}

/// Loads while the names are exchanged, until there were so many runs and so many exchanges in them; with `words` more.
fn tried(way: &Way, others: &Others, words: &[&str], (runs, exchanges): (u32, u64)) -> Tally {
    let (iodyno, dir) = (Iodyno::new(), nobodys("exchange"));
    let (one, other) = (way.set)(others, dir.path());
    let target = dir.path().join(way.target);
    let arguments = [
        &[
            "run",
            target.to_str().unwrap(),
            "--direct=0",
            "--runtime=100ms",
        ],
        way.words,
        words,
    ]
    .concat();
    let is_lost = way
        .words
        .iter()
        .any(|word| ["--overwrite", "--destroy-data"].contains(word));
    let here = ["--here", target.to_str().unwrap()];
    let arguments = match !words.is_empty() && is_lost {
        true => [&arguments[..], &here].concat(),
        false => arguments,
    };
    let before = others.content();
    let exchanger = Exchanger::start(&one, &other, 0x2545_F491_4F6C_DD1D ^ u64::from(runs));
    let mut tally = Tally::default();
    while tally.runs < runs || tally.exchanges < exchanges {
        let first = exchanger.count();
        let output = iodyno.run(&arguments);
        tally.exchanges += exchanger.count() - first;
        tally.runs += 1;
        *tally.statuses.entry(code(&output)).or_default() += 1;
        let (now, told) = (others.content(), text(&output.stderr));
        let pairs = || before.0.iter().zip(&now.0);
        let changed: usize = pairs()
            .map(|(old, new)| old.iter().zip(new).filter(|(a, b)| a != b).count())
            .sum();
        assert_eq!(
            changed, 0,
            "{}: bytes of others in run {}\n{told}",
            way.name, tally.runs
        );
        assert!(
            before.1 == now.1,
            "{}: something was made in root's directory\n{told}",
            way.name
        );
        assert!(
            way.fine.contains(&code(&output)),
            "{}: status {}\n{told}",
            way.name,
            code(&output)
        );
    }
    tally
}

#[test]
fn exchanged_names_lead_to_no_other_object() {
    let Some(others) = Others::new() else { return };
    all_ways(&others, &[], 3);
}

/// The same for a container: a process of root's, in whose root somebody else exchanges names.
#[test]
fn exchanged_names_in_a_container_lead_to_no_other_object() {
    let Some(others) = Others::new() else { return };
    let ourselves = std::process::id().to_string();
    all_ways(&others, &["--container", &ourselves], 1);
}

fn all_ways(others: &Others, words: &[&str], runs: u32) {
    // The long form counts this many exchanges in all, the short one a few runs of each way.
    let wanted = u64::from(rounds("IODYNO_EXCHANGES", 0));
    let each = wanted.div_ceil(WAYS.len() as u64);
    let mut all = Tally::default();
    for way in WAYS {
        let tally = tried(way, others, words, (runs, each));
        println!(
            "{}: {} exchanges in {} runs, by exit status {:?}",
            way.name, tally.exchanges, tally.runs, tally.statuses
        );
        all.exchanges += tally.exchanges;
        all.runs += tally.runs;
    }
    println!(
        "{} exchanges in {} runs: 0 bytes of any other object changed",
        all.exchanges, all.runs
    );
    assert!(
        all.exchanges >= wanted.max(50),
        "{} exchanges are too few to mean anything",
        all.exchanges
    );
}

#[test]
fn a_link_of_somebody_else_is_refused_and_named() {
    if !is_root() {
        skip::missing("root", "only root can give a link to somebody else");
        return;
    }
    let (iodyno, dir) = (Iodyno::new(), nobodys("foreign-link"));
    let mine = Dir::new("mine");
    let file = mine.path().join("f");
    std::fs::write(&file, vec![7; MIB]).unwrap();
    let theirs = link(dir.path(), "theirs", &file, NOBODY);
    let ours = link(dir.path(), "ours", &file, 0);
    let run = |target: &Path, more: &[&str]| {
        let words = [
            "run",
            target.to_str().unwrap(),
            "--direct=0",
            "--runtime=100ms",
        ];
        let output = iodyno.run(&[&words, more].concat());
        (code(&output), text(&output.stderr))
    };
    for more in [&["--rw=randwrite", "--overwrite"][..], &["--rw=randread"]] {
        let (status, said) = run(&theirs, more);
        assert_eq!(status, 4, "{said}");
        let wanted = format!("{} is a symbolic link of the user 65534", theirs.display());
        assert!(
            said.contains(&wanted) && said.contains("Name the path itself"),
            "{said}"
        );
    }
    assert!(std::fs::read(&file).unwrap() == vec![7; MIB]);
    let (status, said) = run(&ours, &["--rw=randwrite", "--overwrite"]);
    assert_eq!(status, 0, "{said}");
    assert!(std::fs::read(&file).unwrap() != vec![7; MIB]);
}

#[test]
fn a_file_with_names_elsewhere_is_refused_where_others_can_link() {
    if !is_root() {
        skip::missing("root", "only root has a directory of somebody else");
        return;
    }
    let (iodyno, dir, mine) = (Iodyno::new(), nobodys("foreign-name"), Dir::new("mine"));
    let file = mine.path().join("f");
    std::fs::write(&file, vec![7; MIB]).unwrap();
    let linked = dir.path().join("linked");
    std::fs::hard_link(&file, &linked).unwrap();
    let words = [
        "run",
        linked.to_str().unwrap(),
        "--direct=0",
        "--runtime=100ms",
        "--rw=randwrite",
    ];
    let output = iodyno.run(&[&words[..], &["--overwrite"]].concat());
    let said = text(&output.stderr);
    assert_eq!(code(&output), 4, "{said}");
    assert!(
        said.contains("it has 2 names (hard links) and belongs to the user 0"),
        "{said}"
    );
    assert!(std::fs::read(&file).unwrap() == vec![7; MIB]);
}
