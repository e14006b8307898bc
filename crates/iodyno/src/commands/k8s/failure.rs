//! What keeps a cluster from answering, as a failure of the command.

use crate::exit::{Exit, Failure};
use host::kube::KubeError;

/// Whether it is no matter of rights what the API forbids.
fn is_of_policy(message: &str) -> bool {
    let words = [
        "exceeded quota",
        "violates PodSecurity",
        "maximum memory usage",
        "maximum cpu usage",
    ];
    words.iter().any(|word| message.contains(word))
}

impl From<KubeError> for Failure {
    fn from(error: KubeError) -> Self {
        let exit = match &error {
            error if is_of_policy(&error.to_string()) => Exit::Refused,
            error if error.is_permission() => Exit::Rights,
            error if error.is_stopped() => Exit::Interrupted,
            KubeError::NotCertain(_) => Exit::Usage,
            KubeError::Other { .. } => Exit::Refused,
            _ => Exit::Failed,
        };
        let failure = Failure::new(exit, error.to_string());
        match exit {
            Exit::Rights => failure.hint(
                "It takes the rights to create, get, list and delete jobs, daemonsets and persistentvolumeclaims, to get, list \
                 and delete pods, and to get pods/log and events in the namespace.",
            ),
            _ => failure,
        }
    }
}
