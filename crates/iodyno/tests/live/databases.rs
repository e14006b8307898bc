//! `tune --metric postgresql` on a real server: a setting that was planted below its log is found by its commits.

use crate::live::verdicts::tuned;
use crate::support::{Dir, Iodyno, Killed, Loop, code, text, until};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A commit of half a megabyte: 125 requests of 4 KiB, or one of many.
const COMMIT: &str = "select pg_logical_emit_message(true, 'x', repeat('x', 500000));\n";

/// A server with its data on a loop device, which goes with it.
struct Server {
    programs: PathBuf,
    place: Dir,
    disk: Loop,
}

impl Server {
    fn start() -> Option<Server> {
        let programs = programs()?;
        if ["mkfs.ext4", "setpriv"].into_iter().any(skip::lacks) {
            return None;
        }
        let disk = Loop::new(768)?;
        let server = Server {
            programs,
            place: Dir::new("postgresql"),
            disk,
        };
        server.begin();
        Some(server)
    }

    fn begin(&self) {
        let mount = self.mount();
        std::fs::create_dir(&mount).unwrap();
        done(Command::new("mkfs.ext4").args(["-q", "-O", "^has_journal", &self.disk.device]));
        done(Command::new("mount").arg(&self.disk.device).arg(&mount));
        let data = self.data();
        std::fs::create_dir(&data).unwrap();
        for place in [&data, &self.sockets()] {
            std::fs::create_dir_all(place).unwrap();
            done(Command::new("chown").arg("nobody").arg(place));
        }
        let made = self
            .program("initdb")
            .args(["-N", "-A", "trust", "-U", "postgres", "-D"])
            .arg(&data)
            .output();
        let made = made.unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        let options = format!(
            "-k {} -c listen_addresses= -c max_wal_size=256MB -c shared_buffers=32MB",
            self.sockets().display()
        );
        let log = self.sockets().join("log");
        let control = self
            .program("pg_ctl")
            .args(["-w", "-t", "60", "-o", &options, "-l"])
            .arg(&log)
            .arg("-D")
            .arg(&data)
            .arg("start")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let said = || std::fs::read_to_string(&log).unwrap_or_default();
        assert!(control.unwrap().success(), "{}", said());
    }

    /// A program of the server's, as a user who may own one: root may not.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=nobody", "--clear-groups"]);
        command.arg(self.programs.join(name)).current_dir("/");
        command
    }

    fn mount(&self) -> PathBuf {
        self.place.path().join("mount")
    }

    fn data(&self) -> PathBuf {
        self.mount().join("data")
    }

    /// In /tmp: a socket's path is short, and everybody may reach it.
    fn sockets(&self) -> PathBuf {
        PathBuf::from(format!("/tmp/iodyno-pg-{}", std::process::id()))
    }

    fn client(&self) -> String {
        format!(
            "{} -h {} -U postgres",
            self.programs.join("psql").display(),
            self.sockets().display()
        )
    }

    /// Clients who commit until this is dropped.
    fn load(&self) -> Killed {
        let child = Command::new("sh")
            .args(["-c", &format!("exec {}", self.pgbench(""))])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Killed(child.unwrap())
    }

    /// The command of clients who commit for ten minutes, with further words.
    fn pgbench(&self, words: &str) -> String {
        let script = self.sockets().join("commit.sql");
        std::fs::write(&script, COMMIT).unwrap();
        let (program, sockets) = (self.programs.join("pgbench"), self.sockets());
        format!(
            "setpriv --reuid=nobody --clear-groups {} -n {words} -c 4 -T 600 -U postgres -h {} -f {} postgres",
            program.display(),
            sockets.display(),
            script.display()
        )
    }

    /// As the server counts them, by a connection of its own.
    fn commits(&self) -> u64 {
        let words = [
            "-X",
            "-A",
            "-t",
            "-c",
            "select sum(xact_commit)::bigint from pg_stat_database",
        ];
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("{} \"$@\"", self.client()))
            .arg("sh")
            .args(words)
            .output();
        text(&output.unwrap().stdout).trim().parse().unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let stop = self
            .program("pg_ctl")
            .args(["-w", "-m", "immediate", "stop", "-D"])
            .arg(self.data())
            .output();
        assert!(stop.is_ok() || std::thread::panicking());
        let _ = Command::new("umount").arg("-l").arg(self.mount()).status();
        let _ = std::fs::remove_dir_all(self.sockets());
    }
}

fn done(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        text(&output.stderr)
    );
}

#[test]
#[ignore = "live"]
fn a_planted_setting_is_found_by_the_commits_of_a_database() {
    let Some(server) = Server::start() else {
        return;
    };
    let load = server.load();
    let begun = server.commits();
    until("commits", || server.commits() > begun + 20);
    // Requests of 4 KiB, four at a time: a commit takes several times as long.
    server.disk.set("nr_requests", "4");
    server.disk.set("max_sectors_kb", "4");
    let words = ["--ioengine", "none", "--metric", "postgresql"];
    let rest = [
        "--knob",
        "max_sectors_kb=1280",
        "--budget",
        "4m",
        "--sql-client",
    ];
    let client = server.client();
    let trial = tuned(
        &server.disk,
        "1280",
        &[&words[..], &rest[..], &[&client]].concat(),
    );
    drop(load);
    let metric = &trial["verdict"]["metric"];
    assert_eq!(
        (&metric["name"], &metric["unit"]),
        (&"commits".into(), &"/s".into()),
        "{trial:#}"
    );
}

#[test]
#[ignore = "live"]
fn a_planted_setting_is_found_by_what_pgbench_prints() {
    let Some(server) = Server::start() else {
        return;
    };
    server.disk.set("nr_requests", "4");
    server.disk.set("max_sectors_kb", "4");
    let command = server.pgbench("-P 1");
    let words = [
        "--command",
        &command,
        "--knob",
        "max_sectors_kb=1280",
        "--budget",
        "4m",
    ];
    let trial = tuned(&server.disk, "1280", &words);
    assert_eq!(
        trial["verdict"]["metric"]["name"], "printed rate",
        "{trial:#}"
    );
}

/// Where a distribution keeps the server's programs, which are not in the path of everybody.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let folders = versions.flatten().map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let is_whole = |folder: &PathBuf| {
        ["initdb", "pg_ctl", "postgres", "pgbench", "psql"]
            .iter()
            .all(|program| folder.join(program).is_file())
    };
    let found = folders.chain(path).find(is_whole);
    if found.is_none() {
        skip::missing("postgresql", "there is no PostgreSQL server");
    }
    found
}

#[test]
#[ignore = "live"]
fn a_server_that_nobody_reaches_is_told_before_anything_is_touched() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if programs().is_none() {
        return;
    }
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let tune = |client: &str| {
        let words = [
            "tune",
            &disk.device,
            "--ioengine",
            "none",
            "--metric",
            "postgresql",
            "--knob",
            "nr_requests=64",
        ];
        let output = iodyno.run(&[&words[..], &["--sql-client", client]].concat());
        (code(&output), text(&output.stderr))
    };
    let (exit, said) = tune("psql -h /nonexistent -p 1");
    assert_eq!(exit, 5, "{said}");
    assert!(
        said.contains("No such file or directory") && said.contains("Say with --sql-client"),
        "{said}"
    );
    let (exit, said) = tune("psql postgresql://me:hunter2@localhost/db");
    assert_eq!(exit, 5, "{said}");
    assert!(
        said.contains("holds a password") && !said.contains("hunter2"),
        "{said}"
    );
    assert_eq!(disk.settings(), before);
    assert!(!Path::new(&iodyno.state.path().join("journal")).exists());
    iodyno.assert_nothing_is_changed();
}
