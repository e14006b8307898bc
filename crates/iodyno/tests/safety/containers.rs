//! What a container, or whoever looks like one, can lead root to: nothing but what is its own to write.

use super::exchanger::NOBODY;
use crate::support::{Dir, Iodyno, Killed, code, is_root, text, until};
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory of a user's with a file of his, beside a file of root's that nobody else may read.
struct Stand {
    iodyno: Iodyno,
    dir: Dir,
}

static DATA: [u8; 1 << 20] = [0x5a; 1 << 20];

impl Stand {
    fn new() -> Option<Stand> {
        if !is_root() {
            skip::missing("root", "a container of others is root's to look into");
            return None;
        }
        let stand = Stand {
            iodyno: Iodyno::new(),
            dir: Dir::new("containers"),
        };
        std::fs::create_dir(stand.at("his")).unwrap();
        for name in ["secret", "his/data"] {
            std::fs::write(stand.at(name), DATA).unwrap();
        }
        let mode = |mode| PermissionsExt::from_mode(mode);
        std::fs::set_permissions(stand.at("secret"), mode(0o600)).unwrap();
        std::fs::create_dir(stand.at("private")).unwrap();
        std::fs::set_permissions(stand.at("private"), mode(0o700)).unwrap();
        std::fs::create_dir(stand.at("signs")).unwrap();
        for name in ["his", "his/data", "signs"] {
            chown(stand.at(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        Some(stand)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A process of the user's in a namespace of his own, where he is root, after these words of a shell; none where users may not
    /// have such namespaces.
    fn process(&self, words: &str) -> Option<Killed> {
        let ready = self.at("signs/ready");
        let _ = std::fs::remove_file(&ready);
        let script = format!("{words}; touch {}; exec sleep 600", ready.display());
        let user = NOBODY.to_string();
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups"]);
        command.args([
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-ec",
            &script,
        ]);
        let mut child = Killed(command.stderr(Stdio::null()).spawn().unwrap());
        until("the process", || {
            ready.exists() || child.try_wait().unwrap().is_some()
        });
        if child.try_wait().unwrap().is_some() {
            skip::missing("userns", "users may not have namespaces of their own here");
            return None;
        }
        Some(child)
    }

    /// A load that writes is refused with these words, and root's file and directory are as they were.
    fn assert_refused(&self, target: &Path, container: &str, words: &str) {
        let target = target.to_str().unwrap();
        let common = [
            "--container",
            container,
            "--rw",
            "randwrite",
            "--direct",
            "0",
            "--runtime",
            "100ms",
        ];
        for consent in [&["--overwrite", "--here", target][..], &["--size", "1m"]] {
            let output = self
                .iodyno
                .run(&[&["run", target], &common[..], consent].concat());
            let said = text(&output.stderr);
            assert_eq!(code(&output), 4, "{said}");
            assert!(said.contains(words), "{said}");
        }
        assert!(std::fs::read(self.at("secret")).unwrap() == DATA);
        assert_eq!(std::fs::read_dir(self.at("private")).unwrap().count(), 0);
    }
}

#[test]
fn what_a_user_binds_over_his_own_is_not_written_for_his_container() {
    let Some(stand) = Stand::new() else { return };
    let at = |name: &str| stand.at(name).display().to_string();
    let words = format!("mount --bind {} {}", at("secret"), at("his/data"));
    // Root alone may look at its file: what the user binds there is one that he can reach.
    std::fs::set_permissions(stand.at("secret"), PermissionsExt::from_mode(0o644)).unwrap();
    let Some(process) = stand.process(&words) else {
        return;
    };
    let container = process.id().to_string();
    stand.assert_refused(
        &stand.at("his/data"),
        &container,
        "it belongs to the user 0",
    );
    drop(process);
    let words = format!("mount --bind {} {}", at("private"), at("his"));
    let Some(process) = stand.process(&words) else {
        return;
    };
    stand.assert_refused(
        &stand.at("his"),
        &process.id().to_string(),
        "it belongs to the user 0",
    );
}

#[test]
fn a_strangers_link_leads_nowhere_in_a_container_either() {
    let Some(stand) = Stand::new() else { return };
    symlink(stand.at("secret"), stand.at("his/link")).unwrap();
    lchown(stand.at("his/link"), Some(NOBODY), Some(NOBODY)).unwrap();
    let ourselves = std::process::id().to_string();
    stand.assert_refused(
        &stand.at("his/link"),
        &ourselves,
        "is a symbolic link of the user",
    );
}

#[test]
fn what_is_lost_for_a_container_is_named_as_it_is_here() {
    let Some(stand) = Stand::new() else { return };
    let target = stand.at("secret");
    let target = target.to_str().unwrap();
    let ourselves = std::process::id().to_string();
    let words = [
        "run",
        target,
        "--container",
        &ourselves,
        "--overwrite",
        "--rw",
        "randwrite",
        "--direct",
        "0",
    ];
    let words = [&words[..], &["--runtime", "100ms"]].concat();
    let refused = stand.iodyno.run(&words);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 4, "{said}");
    let hint = format!("--here {}", model::text::shell_word(target));
    assert!(said.contains(&hint), "{said}");
    assert!(std::fs::read(target).unwrap() == DATA);
    let other = stand.at("his/data");
    let refused = stand
        .iodyno
        .run(&[&words[..], &["--here", other.to_str().unwrap()]].concat());
    assert_eq!(code(&refused), 4, "another file was named");
    assert!(std::fs::read(target).unwrap() == DATA);
    let words: Vec<&str> = words
        .into_iter()
        .filter(|word| *word != "--container" && *word != ourselves)
        .collect();
    let refused = stand
        .iodyno
        .run(&[&words[..], &["--here", target]].concat());
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 2, "the container was forgotten: {said}");
    assert!(said.contains("no --container is named"), "{said}");
    assert!(std::fs::read(target).unwrap() == DATA);
}

/// The digits of a container's id in the name of a group that was handed down to a user.
#[test]
fn an_id_in_a_group_of_a_users_own_is_no_container() {
    let Some(stand) = Stand::new() else { return };
    let hierarchy = ["/sys/fs/cgroup/blkio", "/sys/fs/cgroup"].map(Path::new);
    let Some(hierarchy) = hierarchy
        .into_iter()
        .find(|it| it.join("cgroup.procs").exists())
    else {
        return skip::missing("cgroup", "no control groups are mounted");
    };
    let id = format!(
        "{:064x}",
        u128::from(std::process::id()) << 64 | 0x1234_5678_9abc_def0
    );
    let id = format!("{}{}", "c0ffee", &id[6..]);
    let own = hierarchy.join(format!("iodyno-test-{}", std::process::id()));
    let Some(process) = stand.process("true") else {
        return;
    };
    let groups = Groups(vec![own.clone(), own.join(format!("docker-{id}.scope"))]);
    for group in &groups.0 {
        std::fs::create_dir(group).unwrap();
        chown(group, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    std::fs::write(groups.0[1].join("cgroup.procs"), process.id().to_string()).unwrap();
    let target = stand.at("his/data");
    let words = [
        "inspect",
        target.to_str().unwrap(),
        "--container",
        &id[..12],
    ];
    let output = stand.iodyno.run(&words);
    let said = text(&output.stderr);
    assert!(
        code(&output) != 0 && said.contains("no such container"),
        "{said}"
    );
    // The same process by its number, which nobody else has.
    let pid = process.id().to_string();
    let output = stand
        .iodyno
        .run(&["inspect", target.to_str().unwrap(), "--container", &pid]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    // Its group is the user's, who could freeze a tune in it.
    let words = [
        "tune",
        target.to_str().unwrap(),
        "--container",
        &pid,
        "--dry-run",
    ];
    let output = stand.iodyno.run(&words);
    let said = text(&output.stderr);
    assert!(
        code(&output) == 4 && said.contains("could freeze"),
        "{said}"
    );
    drop(process);
}

/// Control groups that go when this is dropped, the innermost first.
struct Groups(Vec<PathBuf>);

impl Drop for Groups {
    fn drop(&mut self) {
        for group in self.0.iter().rev() {
            let procs = std::fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
            procs
                .lines()
                .for_each(|pid| crate::support::signal(pid.parse().unwrap(), "KILL"));
            until("an empty group", || {
                std::fs::remove_dir(group).is_ok() || !group.exists()
            });
        }
    }
}
