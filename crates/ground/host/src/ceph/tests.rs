//! Tests of how Ceph's programs are started. What they answer is tested on a cluster.

use super::*;
use skip::lacks;

#[test]
fn a_command_can_be_typed_as_it_is_shown() {
    let cluster = CephCluster {
        conf: Some("/etc/ceph/my cluster.conf".into()),
        id: Some("bench".into()),
        name: None,
    };
    assert_eq!(
        command_words(CephProgram::Rados, &cluster, &["-p", "a b", "ls"]),
        "rados --conf '/etc/ceph/my cluster.conf' --id bench -p 'a b' ls"
    );
}

#[test]
fn of_many_names_the_first_are_shown() {
    let names: Vec<String> = (0..200).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let shown = command_words(CephProgram::Rados, &CephCluster::default(), &names);
    assert!(
        shown.ends_with("n10 n11 … and 188 more") && !shown.contains("n12"),
        "{shown}"
    );
}

#[test]
fn only_what_says_so_is_a_lack_of_rights() {
    let failed = |status: i32, said: &str| {
        CephError::from(AskError::Failed {
            command: String::new(),
            status: Some(status),
            said: said.into(),
        })
    };
    let is = |status, said| failed(status, said).is_permission();
    assert!(is(13, "") && is(1, "Error EPERM: no") && is(1, "x: (1) Operation not permitted"));
    assert!(is(1, "error: (13) Permission denied") && is(22, "Error EACCES: access denied"));
    assert!(!is(1, "error calling conf_read_file") && !is(1, "") && !is(22, "Error EINVAL: x"));
    let is_gone = |status, said| failed(status, said).is_not_found();
    assert!(is_gone(
        1,
        "error stat-ing a/b: (2) No such file or directory"
    ));
    assert!(is_gone(2, "Error ENOENT: unrecognized pool 'x'") && !is_gone(2, "usage: rados"));
}

#[test]
fn the_last_line_stands_for_what_was_said() {
    assert_eq!(last_words("first\nlast \u{1b}[2J\n\n"), "last ?[2J");
    assert_eq!(last_words(""), "");
}

#[test]
#[ignore = "live"]
fn a_cluster_that_is_not_there_ends_at_the_deadline() {
    if lacks("rados") {
        return;
    }
    // No monitor listens on the reserved port 1, and rados asks on for five minutes by itself.
    let cluster = CephCluster {
        conf: Some("/dev/null".into()),
        ..CephCluster::default()
    };
    let words = ["-m", "127.0.0.1:1", "--auth-supported", "none", "lspools"];
    let begun_ns = clock::monotonic_ns();
    let error = ask(CephProgram::Rados, &cluster, &words, 1000).unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(
            error,
            CephError::Asked(AskError::NoAnswer { seconds: 1, .. })
        ) && text.contains("does not answer"),
        "{text}"
    );
    assert!(clock::monotonic_ns() - begun_ns < 10_000_000_000);
}

#[test]
#[ignore = "live"]
fn what_a_program_says_when_it_fails_is_told() {
    if lacks("rados") {
        return;
    }
    let cluster = CephCluster::default();
    let error = ask(CephProgram::Rados, &cluster, &["--no-such-option"], 30_000).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("`rados --no-such-option` ended with status"),
        "{text}"
    );
}
