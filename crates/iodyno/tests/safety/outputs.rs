//! What iodyno writes for people goes where they said, whoever else may write there.

use super::exchange::nobodys;
use super::exchanger::{Exchanger, NOBODY};
use crate::support::{Dir, Iodyno, code, is_root, text};
use std::os::unix::fs::{chown, lchown, symlink};
use std::path::Path;
use std::process::Output;

/// A way to write: its words, where `OUT` is the directory.
const WAYS: [&[&str]; 7] = [
    &["report", "1", "-o", "OUT/report.html", "--force"],
    &["report", "1", "-o", "OUT/report.md"],
    &[
        "report",
        "1",
        "-o",
        "OUT/report.html",
        "--figures",
        "OUT/figures",
        "--force",
    ],
    &["inspect", "/", "--capture", "OUT/machine.host"],
    &["store", "backup", "OUT/backup.db"],
    &["export", "--all", "--parquet", "OUT/parquet"],
    &["compare", "1", "1", "--markdown=OUT/words.md"],
];

struct Bench {
    iodyno: Iodyno,
    /// Of nobody's.
    theirs: Dir,
    /// Of root's, where nothing may be made or changed.
    roots: Dir,
    /// What lies there.
    precious: &'static [&'static str],
}

const NAMES: [&str; 6] = [
    "report.html",
    "report.md",
    "machine.host",
    "backup.db",
    "backup.db.unfinished",
    "words.md",
];

impl Bench {
    fn new(precious: &'static [&'static str]) -> Option<Bench> {
        if !is_root() {
            skip::missing("root", "only root writes into a directory of somebody else");
            return None;
        }
        let (theirs, roots) = (nobodys("outputs"), Dir::new("roots"));
        let bench = Bench {
            iodyno: Iodyno::new(),
            theirs,
            roots,
            precious,
        };
        let scratch = Dir::new("outputs");
        let words = [
            "run",
            scratch.path().to_str().unwrap(),
            "--runtime=100ms",
            "--size=4m",
            "--direct=0",
        ];
        let made = bench.iodyno.run(&words);
        assert_eq!(code(&made), 0, "{}", text(&made.stderr));
        for name in precious {
            std::fs::write(bench.roots.path().join(name), "precious").unwrap();
        }
        Some(bench)
    }

    fn write(&self, way: &[&str], out: &Path) -> Output {
        let words: Vec<String> = way
            .iter()
            .map(|word| word.replace("OUT", out.to_str().unwrap()))
            .collect();
        self.iodyno
            .run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Nothing came to root's directory, and nothing there changed.
    fn is_whole(&self, what: &str) {
        let mut names: Vec<_> = std::fs::read_dir(self.roots.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let mut wanted = self.precious.to_vec();
        wanted.sort();
        assert_eq!(names, wanted, "{what}");
        for name in self.precious {
            let content = std::fs::read(self.roots.path().join(name)).unwrap();
            assert!(content == b"precious", "{what}: {name} was written");
        }
    }
}

fn give(path: &Path) {
    lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
}

#[test]
fn a_directory_that_is_a_link_of_somebody_else_is_refused() {
    let Some(bench) = Bench::new(&[]) else { return };
    let link = bench.theirs.path().join("link");
    symlink(bench.roots.path(), &link).unwrap();
    give(&link);
    for way in WAYS {
        let output = bench.write(way, &link);
        let said = text(&output.stderr);
        assert_eq!(code(&output), 4, "{way:?}: {said}");
        assert!(said.contains("symbolic link"), "{way:?}: {said}");
        bench.is_whole(&way.join(" "));
    }
}

#[test]
fn names_that_somebody_laid_in_the_way_are_not_followed() {
    let Some(bench) = Bench::new(&NAMES) else {
        return;
    };
    let out = bench.theirs.path().join("out");
    std::fs::create_dir(&out).unwrap();
    chown(&out, Some(NOBODY), Some(NOBODY)).unwrap();
    for name in NAMES {
        symlink(bench.roots.path().join(name), out.join(name)).unwrap();
        give(&out.join(name));
    }
    for way in WAYS {
        let output = bench.write(way, &out);
        assert!(
            [0, 2, 4].contains(&code(&output)),
            "{way:?}: {}",
            text(&output.stderr)
        );
        bench.is_whole(&way.join(" "));
    }
    let mut left: Vec<_> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.retain(|name| name.to_string_lossy().starts_with('.'));
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_directory_that_is_exchanged_meanwhile_leads_nowhere_else() {
    let Some(bench) = Bench::new(&[]) else { return };
    let (out, link) = (
        bench.theirs.path().join("out"),
        bench.theirs.path().join("link"),
    );
    std::fs::create_dir(&out).unwrap();
    symlink(bench.roots.path(), &link).unwrap();
    give(&out);
    give(&link);
    let exchanger = Exchanger::start(&out, &link, 88_172_645_463_325_252);
    for way in WAYS.into_iter().cycle().take(4 * WAYS.len()) {
        let output = bench.write(way, &out);
        assert!(
            [0, 2, 4].contains(&code(&output)),
            "{way:?}: {}",
            text(&output.stderr)
        );
        bench.is_whole(&way.join(" "));
    }
    println!(
        "{} exchanges while {} files were written",
        exchanger.count(),
        4 * WAYS.len()
    );
}
