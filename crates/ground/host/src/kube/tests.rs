//! Tests of how kubectl is asked. What clusters answer is tested in `crates/iodyno/tests/k8s.rs`.

use super::*;

fn cluster(kubectl: &str) -> KubeCluster {
    KubeCluster {
        kubectl: kubectl.into(),
        context: Some("my cluster".into()),
        ..KubeCluster::default()
    }
}

#[test]
fn a_command_can_be_typed_as_it_is_shown() {
    assert_eq!(
        command_words(&cluster("/usr/bin/kubectl"), &["get", "pods"]),
        "kubectl --context 'my cluster' get pods"
    );
}

#[test]
fn what_kubectl_says_tells_why() {
    let failed = |said: &str| {
        KubeError::from(AskError::Failed {
            command: String::new(),
            status: Some(1),
            said: said.into(),
        })
    };
    assert!(failed("Error from server (NotFound): jobs.batch \"x\" not found").is_not_found());
    assert!(failed("Error from server (Forbidden): no").is_permission());
    assert!(failed("error: You must be logged in to the server (Unauthorized)").is_permission());
    assert!(failed("Error from server (Conflict): Precondition failed").is_conflict());
    assert!(failed("Unable to connect to the server: dial tcp: connection refused").is_passing());
    let other = failed("error: unknown flag");
    assert!(!other.is_not_found() && !other.is_permission() && !other.is_passing());
}

#[test]
fn it_is_given_its_files_its_context_and_an_end() {
    let cluster = KubeCluster {
        kubeconfig: Some("/a:/b".into()),
        ..cluster("sh")
    };
    // The words are kubectl's, so a shell takes `--context` for an option that it does not know, and says so.
    let error = ask_to_the_end(&cluster, &KubeQuestion::new(&["get"])).unwrap_err();
    assert!(
        matches!(&error, KubeError::Asked(AskError::Failed { .. })),
        "{error}"
    );
    let error = ask(&cluster, &KubeQuestion::new(&["get"]), &|| true).unwrap_err();
    assert!(error.is_stopped(), "{error}");
}

#[test]
fn a_kubectl_that_is_not_there_is_named() {
    let error = find(Some(Path::new("/no/such/kubectl"))).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("/no/such/kubectl") && text.contains("--kubectl PATH"),
        "{text}"
    );
}
