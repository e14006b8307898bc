//! Kubernetes: the one way by which a cluster is asked, which is the user's own kubectl. A server that does not answer, or
//! a plug-in that asks for a password, must not hold anybody: every question has an end, and its answer a bound.

pub mod objects;
pub mod scope;

use crate::asked::{self, AskError, Question};
use crate::{Child, Privileges, environment};
use model::kube::KubeCluster;
use model::text::shell_word;
use std::path::Path;

/// The most that an answer may be, bytes: a pod has some KiB, and lists are of one run.
pub const ANSWER_MAX_BYTES: u64 = 16 << 20;
/// How long a question may take, ms, where nothing else is said.
pub const ANSWER_MS: u64 = 30_000;
/// kubectl is told to give up a little earlier, since it then says why.
const EARLIER_MS: u64 = 2_000;

/// A question to a cluster.
#[derive(Clone, Copy, Debug)]
pub struct KubeQuestion<'a> {
    /// The words for kubectl.
    pub words: &'a [&'a str],
    /// What it reads on its standard input.
    pub input: &'a str,
    /// How long it may take, ms.
    pub deadline_ms: u64,
    /// The most that its answer may be, bytes.
    pub most_bytes: u64,
}

impl<'a> KubeQuestion<'a> {
    /// One with the usual bounds.
    pub fn new(words: &'a [&'a str]) -> KubeQuestion<'a> {
        KubeQuestion {
            words,
            input: "",
            deadline_ms: ANSWER_MS,
            most_bytes: ANSWER_MAX_BYTES,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KubeError {
    /// There is no kubectl.
    #[error("{0}")]
    Missing(String),
    /// kubectl did not answer.
    #[error(transparent)]
    Asked(#[from] AskError),
    /// It printed something that is no answer.
    #[error("`{command}` printed what is no answer: {why}")]
    NoSense {
        /// The command, as it can be typed.
        command: String,
        /// Why.
        why: String,
    },
    /// Which cluster or namespace is meant is not certain.
    #[error("{0}")]
    NotCertain(String),
    /// Another cluster answers, or another namespace has the name.
    #[error(
        "{what} that answers is {found}, and not {wanted}. What was in one that is gone for good went with it: `iodyno undo --forget ID` \
         forgets it"
    )]
    Other {
        /// `the API server`, `the namespace bench`.
        what: String,
        /// The one that is meant.
        wanted: String,
        /// The one that answers.
        found: String,
    },
    /// What was deleted is still there.
    #[error("{place} is still there after its removal{why}")]
    StillThere {
        /// What.
        place: String,
        /// Why, where that is known.
        why: String,
    },
}

impl KubeError {
    /// Whether what was asked for is not there.
    pub fn is_not_found(&self) -> bool {
        self.says(&["(NotFound)"])
    }

    /// Whether this user of the cluster may not ask that.
    pub fn is_permission(&self) -> bool {
        self.says(&["(Forbidden)", "(Unauthorized)", "must be logged in"])
    }

    /// Whether the object is another than was meant, or has changed meanwhile.
    pub fn is_conflict(&self) -> bool {
        self.says(&["(Conflict)"])
    }

    /// Whether the server took in what was asked, and did none of it.
    pub fn is_refusal(&self) -> bool {
        let words = [
            "(Invalid)",
            "(AlreadyExists)",
            "(BadRequest)",
            "(NotFound)",
            " is invalid",
        ];
        self.is_permission() || self.says(&words)
    }

    /// Whether its end was asked for.
    pub fn is_stopped(&self) -> bool {
        matches!(self, KubeError::Asked(AskError::Stopped { .. }))
    }

    /// Whether the cluster may answer the next time: the connection is gone, or the server is busy.
    pub fn is_passing(&self) -> bool {
        let words = [
            "Unable to connect",
            "connection refused",
            "connection reset",
            "was refused",
            "timed out",
            "i/o timeout",
            "TLS handshake",
            "no route to host",
            "EOF",
            "(ServiceUnavailable)",
            "(TooManyRequests)",
            "(Timeout)",
            "(ServerTimeout)",
            "(InternalError)",
        ];
        matches!(self, KubeError::Asked(AskError::NoAnswer { .. })) || self.says(&words)
    }

    fn says(&self, words: &[&str]) -> bool {
        matches!(self, KubeError::Asked(error) if error.says(words))
    }
}

/// Asks, and gives what kubectl printed on its standard output: a stranger's text, which whoever shows it cleans.
///
/// # Errors
/// Where there is no answer: [`KubeError`].
pub fn ask(
    cluster: &KubeCluster,
    question: &KubeQuestion<'_>,
    is_over: &dyn Fn() -> bool,
) -> Result<String, KubeError> {
    let command = || command_words(cluster, question.words);
    if is_over() {
        return Err(AskError::Stopped { command: command() }.into());
    }
    let bounds = Question {
        command: &command,
        deadline_ms: question.deadline_ms,
        most_bytes: question.most_bytes,
    };
    let child = start(cluster, question)?;
    Ok(asked::answer(child, &bounds, is_over)?)
}

/// The same for whom nothing ends before its time.
///
/// # Errors
/// As of [`ask`].
pub fn ask_to_the_end(
    cluster: &KubeCluster,
    question: &KubeQuestion<'_>,
) -> Result<String, KubeError> {
    ask(cluster, question, &|| false)
}

fn start(cluster: &KubeCluster, question: &KubeQuestion<'_>) -> Result<Child, AskError> {
    let mut words = all_words(cluster, question.words);
    let seconds = (question.deadline_ms.saturating_sub(EARLIER_MS) / 1000).max(1);
    words.push(format!("--request-timeout={seconds}s"));
    // Whatever the environment says by now.
    let before = match &cluster.kubeconfig {
        None => vec!["-u".to_string(), "KUBECONFIG".into()],
        Some(files) => vec![format!("KUBECONFIG={files}")],
    };
    let kubectl = std::iter::once(cluster.kubectl.clone());
    let words: Vec<String> = before.into_iter().chain(kubectl).chain(words).collect();
    let input = question.input.as_bytes();
    Child::start_given("env", &words, Privileges::Inspect, input).map_err(|error| {
        AskError::NotStarted {
            command: command_words(cluster, question.words),
            why: error.to_string(),
        }
    })
}

/// The absolute path of kubectl: the one that is named, else that of the search path.
///
/// # Errors
/// [`KubeError::Missing`] where there is none.
pub fn find(named: Option<&Path>) -> Result<String, KubeError> {
    let missing = |what: String| {
        KubeError::Missing(format!(
            "{what}. iodyno asks a cluster by kubectl: install it, or name one with --kubectl PATH"
        ))
    };
    let path = match named {
        // As it is named: a link can say what the program behind it is to be.
        Some(path) if path.is_file() => path.to_path_buf(),
        Some(path) => {
            let shown = model::text::shown(path);
            return Err(missing(format!("there is no program {shown}")));
        }
        None => environment::find_program("kubectl")
            .ok_or_else(|| missing("there is no program `kubectl` in the search path".into()))?,
    };
    let path = std::path::absolute(&path).map_err(|error| missing(error.to_string()))?;
    let path = path.to_string_lossy().into_owned();
    match path.contains('=') {
        false => Ok(path),
        true => Err(missing(format!("the path {path} has `=` in it"))),
    }
}

fn all_words(cluster: &KubeCluster, words: &[&str]) -> Vec<String> {
    let context = cluster.context.iter();
    let context = context.flat_map(|context| ["--context".to_string(), context.clone()]);
    let words = words.iter().map(|word| word.to_string());
    context.chain(words).collect()
}

/// The command as a person can type it.
pub fn command_words(cluster: &KubeCluster, words: &[&str]) -> String {
    let all = all_words(cluster, words);
    let all = std::iter::once("kubectl").chain(all.iter().map(String::as_str));
    all.map(shell_word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
