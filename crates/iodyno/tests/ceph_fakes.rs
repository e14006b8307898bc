//! Loads on a Ceph cluster whose programs are scripts: what a real one does only once in a while, and which cluster each program
//! is sent to. A cluster is a configuration file with its id; its objects are files beside that.

use crate::support::{Dir, Iodyno, code, signal, text, until};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const ID: [&str; 2] = [
    "11111111-1111-4111-8111-111111111111",
    "22222222-2222-4222-8222-222222222222",
];

/// In front of each script: `$conf` as the program finds it, `$dir` with the objects of its cluster, `$here` for notes.
const HEAD: &str = r#"#!/bin/sh
here=HERE conf=${CEPH_CONF:-none} pool= ns=
[ -n "$CEPH_ARGS" ] && conf=$here/of-arguments.conf
while [ $# -gt 0 ]; do
    case $1 in
    --conf) conf=$2; shift 2 ;;
    --id | --cluster) shift 2 ;;
    --pool) pool=$2; shift 2 ;;
    --namespace) ns=$2; shift 2 ;;
    *) break ;;
    esac
done
dir=$conf.objects/$ns
"#;

const CEPH: &str = r#"
case "$1 $2" in
"fsid "*) sed -n 's/^fsid = //p' "$conf" | grep . || exit 1 ;;
"osd dump") echo '{"flags":"","pools":[{"pool_name":"bench","flags_names":"","quota_max_bytes":0,"quota_max_objects":0}]}' ;;
"df "*) echo '{"pools":[{"name":"bench","stats":{"max_avail":1099511627776,"stored":0,"objects":0}}]}' ;;
*) exit 22 ;;
esac
"#;

const RADOS: &str = r#"
mkdir -p "$dir"
missing() { echo "$1: (2) No such file or directory" >&2; exit 1; }
case $1 in
stat) [ -e "$dir/$2" ] || missing " error stat-ing $pool/$2" ;;
create) : >"$dir/$2" ;;
rm)
    shift 2
    for name; do rm "$dir/$name" 2>/dev/null || missing "error removing $pool>$ns/$name"; done
    ;;
bench)
    prefix=benchmark_data_$(cut -c1-29 /proc/sys/kernel/hostname)_$$_object
    for number in $(seq 0 599); do : >"$dir/$prefix$number"; done
    : >"$dir/$ns"
    exec sleep 60
    ;;
esac
"#;

const RBD: &str = r#"
case $1 in
info) echo '{"name":"img","size":33554432}' ;;
children) echo '[]' ;;
du) echo '{"images":[{"name":"img","provisioned_size":33554432,"used_size":4194304}]}' ;;
status)
    echo asked >>"$here/status"
    if [ "$(wc -l <"$here/status")" -ge "$(cat "$here/opened")" ]; then
        echo '{"watchers":[{"address":"10.0.0.7:0/1","client":4200,"cookie":1}]}'
    else
        echo '{"watchers":[]}'
    fi
    ;;
esac
"#;

const FIO: &str = r#"
case "$1" in
--version) echo fio-3.33 ;;
--enghelp=*) echo pool ;;
*) echo "CEPH_CONF=$CEPH_CONF $*" >>"$here/started"; exit 1 ;;
esac
"#;

struct Fakes {
    dir: Dir,
}

impl Fakes {
    fn new() -> Fakes {
        let fakes = Fakes {
            dir: Dir::new("ceph-fakes"),
        };
        let scripts = [("ceph", CEPH), ("rados", RADOS), ("rbd", RBD), ("fio", FIO)];
        for (name, body) in scripts {
            let head = HEAD.replace("HERE", &fakes.path("").to_string_lossy());
            // fio's options are its own.
            let head = match name {
                "fio" => head.split("while").next().unwrap().to_string(),
                _ => head,
            };
            let path = fakes.path(name);
            std::fs::write(&path, head + body).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        for (name, id) in ["a.conf", "b.conf"].iter().zip(ID) {
            fakes.is_cluster(name, id);
        }
        fakes
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn is_cluster(&self, name: &str, id: &str) {
        std::fs::write(self.path(name), format!("[global]\nfsid = {id}\n")).unwrap();
    }

    /// The command with these programs first, in an environment that names a cluster.
    fn command(&self, iodyno: &Iodyno, words: &[&str], conf: &str) -> Command {
        let mut command = iodyno.command(words);
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", self.dir.path().display()))
            .env("CEPH_CONF", self.path(conf))
            .env_remove("CEPH_ARGS");
        command
    }

    /// Files below a cluster's objects.
    fn objects(&self, conf: &str) -> usize {
        fn below(dir: &Path) -> usize {
            let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
            entries
                .map(|entry| match entry.path().is_dir() {
                    true => below(&entry.path()),
                    false => 1,
                })
                .sum()
        }
        below(&self.path(&format!("{conf}.objects")))
    }

    /// Kills a load that has made all of its objects in the cluster `a`.
    fn killed(&self, iodyno: &Iodyno) {
        let words = ["run", "rados://bench", "--rw", "write", "--runtime", "60s"];
        let mut child = self.command(iodyno, &words, "a.conf").spawn().unwrap();
        until("objects", || self.objects("a.conf") == 601);
        signal(child.id(), "KILL");
        child.wait().unwrap();
    }
}

#[test]
fn undo_goes_to_the_cluster_of_the_load_and_to_no_other() {
    let (fakes, iodyno) = (Fakes::new(), Iodyno::new());
    fakes.killed(&iodyno);
    let undo = || {
        // What the environment says by then is of no matter.
        let mut command = fakes.command(&iodyno, &["undo"], "b.conf");
        command
            .env("CEPH_ARGS", "--conf /elsewhere")
            .output()
            .unwrap()
    };
    fakes.is_cluster("a.conf", ID[1]);
    let refused = undo();
    let said = text(&refused.stdout) + &text(&refused.stderr);
    assert_eq!(code(&refused), 5, "{said}");
    assert!(
        said.contains(&format!(
            "the cluster that answers is {}, and not {}",
            ID[1], ID[0]
        )),
        "{said}"
    );
    assert_eq!(fakes.objects("a.conf"), 601, "{said}");
    fakes.is_cluster("a.conf", ID[0]);
    let done = undo();
    let said = text(&done.stdout) + &text(&done.stderr);
    assert_eq!((code(&done), fakes.objects("a.conf")), (0, 0), "{said}");
    iodyno.assert_nothing_is_changed();
}

#[test]
fn an_undo_that_is_killed_is_finished_by_the_next() {
    let (fakes, iodyno) = (Fakes::new(), Iodyno::new());
    fakes.killed(&iodyno);
    let mut child = fakes.command(&iodyno, &["undo"], "a.conf").spawn().unwrap();
    until("some are gone", || fakes.objects("a.conf") < 560);
    signal(child.id(), "KILL");
    child.wait().unwrap();
    assert!(fakes.objects("a.conf") > 0, "it was killed too late");
    let done = fakes
        .command(&iodyno, &["undo"], "a.conf")
        .output()
        .unwrap();
    let said = text(&done.stdout) + &text(&done.stderr);
    assert_eq!((code(&done), fakes.objects("a.conf")), (0, 0), "{said}");
    iodyno.assert_nothing_is_changed();
}

#[test]
fn objects_are_forgotten_only_where_nobody_can_remove_them() {
    let (fakes, iodyno) = (Fakes::new(), Iodyno::new());
    fakes.killed(&iodyno);
    let (status, _) = iodyno.json(&["status"]);
    let id = status["journals"][0]["id"].as_str().unwrap().to_string();
    let forget = || {
        let words = ["undo", "--forget", &id];
        fakes.command(&iodyno, &words, "a.conf").output().unwrap()
    };
    let refused = forget();
    let said = text(&refused.stdout) + &text(&refused.stderr);
    assert_eq!(code(&refused), 4, "{said}");
    assert!(said.contains("is there (benchmark_data_"), "{said}");
    std::fs::write(fakes.path("a.conf"), "").unwrap();
    let forgotten = forget();
    let said = text(&forgotten.stdout) + &text(&forgotten.stderr);
    assert_eq!(code(&forgotten), 0, "{said}");
    assert!(
        said.contains("ls` and removed by `rados --conf") && said.contains("rm NAME"),
        "{said}"
    );
    iodyno.assert_nothing_is_changed();
}

#[test]
fn fio_is_sent_to_the_cluster_that_was_asked() {
    let (fakes, iodyno) = (Fakes::new(), Iodyno::new());
    let words = ["--engine", "fio", "--rw", "randwrite", "--size", "8m"];
    let words = [&["run", "rados://bench"][..], &words].concat();
    let mut command = fakes.command(&iodyno, &words, "b.conf");
    let done = command.output().unwrap();
    let told = std::fs::read_to_string(fakes.path("started")).unwrap_or_default();
    let conf = fakes.path("b.conf");
    assert!(
        told.contains(&format!("--conf={}", conf.display())),
        "{told}{}",
        text(&done.stderr)
    );
    std::fs::remove_file(fakes.path("started")).unwrap();
    for target in ["rados://bench", "rbd://bench/img"] {
        let words = ["run", target, "--engine", "fio", "--rw", "randwrite"];
        let mut command = fakes.command(&iodyno, &words, "b.conf");
        let refused = command
            .env("CEPH_ARGS", "--conf /elsewhere")
            .output()
            .unwrap();
        let said = text(&refused.stderr);
        assert_eq!(code(&refused), 2, "{said}");
        assert!(
            said.contains("CEPH_ARGS is set (`--conf /elsewhere`)"),
            "{said}"
        );
        let mut command = fakes.command(&iodyno, &words, "nowhere.conf");
        let refused = command.output().unwrap();
        let said = text(&refused.stderr);
        assert_eq!(code(&refused), 2, "{said}");
        assert!(said.contains("no configuration file"), "{said}");
    }
    assert!(!fakes.path("started").exists(), "fio was started");
    iodyno.assert_nothing_is_changed();
}

#[test]
fn an_image_that_is_opened_meanwhile_is_not_written() {
    // Seen by the first question, and by the one directly before fio starts.
    for opened in ["1", "2"] {
        let (fakes, iodyno) = (Fakes::new(), Iodyno::new());
        std::fs::write(fakes.path("opened"), opened).unwrap();
        let words = [
            "run",
            "rbd://bench/img",
            "--rw",
            "randwrite",
            "--destroy-data",
        ];
        let refused = fakes.command(&iodyno, &words, "a.conf").output().unwrap();
        let said = text(&refused.stderr);
        assert_eq!(code(&refused), 4, "{opened}: {said}");
        assert!(
            said.contains("it is open elsewhere (watcher client.4200"),
            "{said}"
        );
        let asked = std::fs::read_to_string(fakes.path("status")).unwrap();
        assert_eq!(asked.lines().count().to_string(), opened);
        assert!(!fakes.path("started").exists(), "{opened}: fio was started");
    }
}
