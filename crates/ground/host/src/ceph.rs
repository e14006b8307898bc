//! Ceph's own programs: the one way by which they are started. A cluster that does not answer holds its clients for ever
//! (a full OSD, monitors that cannot be reached), so every question here has an end, and what was said until then is kept.

pub mod cluster;
pub mod objects;

use crate::asked::{self, AskError, Question};
use crate::{Child, Privileges, clock, environment};
use kernel::process_stat::ProcessStat;
use model::ceph_target::CephCluster;

pub use crate::asked::last_words;

/// The most that an answer may be, bytes: a listing of all placement groups of a large cluster has some tens of MiB.
pub const ANSWER_MAX_BYTES: u64 = 128 << 20;
/// So many words of a command are shown; behind them stand names of objects.
const WORDS_SHOWN: usize = 12;

/// One of Ceph's programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CephProgram {
    /// Questions to the cluster.
    Ceph,
    /// Objects and pools.
    Rados,
    /// Images.
    Rbd,
}

impl CephError {
    /// Whether the cluster was waited for in vain, so that what was to be done may be done yet.
    pub fn is_no_answer(&self) -> bool {
        matches!(self, CephError::Asked(AskError::NoAnswer { .. }))
    }

    /// Whether what was asked for is not there. Their words alone say that: many programs end with status 2 for other reasons.
    pub fn is_not_found(&self) -> bool {
        self.says(&["(2) No such file or directory", "ENOENT"])
    }

    /// Whether this user of the cluster may not ask that. The number of EPERM is 1, with which programs end for any reason.
    pub fn is_permission(&self) -> bool {
        let words = ["EACCES", "EPERM", "(13)", "(1) Operation not permitted"];
        let has_status = match self {
            CephError::Asked(AskError::Failed { status, .. }) => *status == Some(libc::EACCES),
            _ => false,
        };
        has_status || self.says(&words)
    }

    fn says(&self, words: &[&str]) -> bool {
        matches!(self, CephError::Asked(error) if error.says(words))
    }

    /// What a program said that ended badly.
    pub fn said(&self) -> Option<&str> {
        match self {
            CephError::Asked(error) => error.said(),
            _ => None,
        }
    }
}

impl CephProgram {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CephProgram::Ceph => "ceph",
            CephProgram::Rados => "rados",
            CephProgram::Rbd => "rbd",
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CephError {
    /// The program is not there.
    #[error("there is no program `{program}` in the search path. The package ceph-common has it")]
    Missing {
        /// Its name.
        program: &'static str,
    },
    /// The program did not answer.
    #[error(transparent)]
    Asked(#[from] AskError),
    /// Several programs could take different clusters for the one that is meant.
    #[error("which cluster is meant is not certain: {why}")]
    NotCertain {
        /// Why, and what to do.
        why: String,
    },
    /// Another cluster answers.
    #[error(
        "the cluster that answers is {found}, and not {wanted}: its configuration file is another's by now, or was changed"
    )]
    OtherCluster {
        /// The id of the one that is meant.
        wanted: String,
        /// The id of the one that answers.
        found: String,
    },
    /// An object was removed without an error and is there.
    #[error("the object {name} is still there after its removal")]
    StillThere {
        /// Its name.
        name: String,
    },
}

/// Asks a question that a program answers within `deadline_ms`, and gives what it printed on its standard output. That is
/// a stranger's text: [`ANSWER_MAX_BYTES`] bound it, and whoever shows it cleans it.
///
/// # Errors
/// Where there is no answer: [`CephError`].
pub fn ask(
    program: CephProgram,
    cluster: &CephCluster,
    arguments: &[&str],
    deadline_ms: u64,
) -> Result<String, CephError> {
    ask_unless(program, cluster, arguments, deadline_ms, &|| false)
}

/// The same, given up as soon as `is_over` says so.
///
/// # Errors
/// As of [`ask`], and [`AskError::Stopped`].
pub fn ask_unless(
    program: CephProgram,
    cluster: &CephCluster,
    arguments: &[&str],
    deadline_ms: u64,
    is_over: &dyn Fn() -> bool,
) -> Result<String, CephError> {
    let command = || command_words(program, cluster, arguments);
    if is_over() {
        return Err(AskError::Stopped { command: command() }.into());
    }
    let question = Question {
        command: &command,
        deadline_ms,
        most_bytes: ANSWER_MAX_BYTES,
    };
    let child = start(program, cluster, arguments, Privileges::Inspect)?;
    Ok(asked::answer(child, &question, is_over)?)
}

/// Starts a program that goes on for long, as a load does. Whoever starts it keeps its deadline and bounds what it
/// prints; dropped, or when this process dies, it is killed.
///
/// # Errors
/// When it is not there or cannot be started.
pub fn start(
    program: CephProgram,
    cluster: &CephCluster,
    arguments: &[&str],
    privileges: Privileges,
) -> Result<Child, CephError> {
    let path = find(program)?.to_string_lossy().into_owned();
    let words = all_words(cluster, arguments);
    let started = match cluster.conf {
        None => Child::start(&path, &words, privileges),
        // `ceph` takes what CEPH_ARGS says over its own words, `rados` and `rbd` the other way round.
        Some(_) => {
            let before = ["-u", "CEPH_ARGS", &path].map(str::to_string);
            let words: Vec<String> = before.into_iter().chain(words).collect();
            Child::start("env", &words, privileges)
        }
    };
    Ok(started.map_err(|error| AskError::NotStarted {
        command: command_words(program, cluster, arguments),
        why: error.to_string(),
    })?)
}

/// How long a program may take to be held, ms.
const HELD_MS: u64 = 5_000;

/// The same of a program that waits before its first instruction: what it will make can be written down by its process id,
/// which is a part of the names that `rados bench` gives. [`Held::go_on`] lets it run.
///
/// # Errors
/// When it is not there or cannot be started.
pub fn start_held(
    program: CephProgram,
    cluster: &CephCluster,
    arguments: &[&str],
    privileges: Privileges,
) -> Result<Held, CephError> {
    let path = find(program)?.to_string_lossy().into_owned();
    let command = command_words(program, cluster, arguments);
    let failed = |why: String| AskError::NotStarted {
        command: command.clone(),
        why,
    };
    let script = match cluster.conf {
        None => "kill -STOP \"$$\"; exec \"$@\"",
        Some(_) => "kill -STOP \"$$\"; unset CEPH_ARGS; exec \"$@\"",
    };
    let held = ["-c", script, "sh", &path];
    let words = held.into_iter().map(str::to_string);
    let words: Vec<String> = words.chain(all_words(cluster, arguments)).collect();
    let mut child =
        Child::start("sh", &words, privileges).map_err(|error| failed(error.to_string()))?;
    let end_ns = clock::outer::monotonic_ns() + HELD_MS * 1_000_000;
    while !is_stopped(child.id()) {
        if child.has_ended() || clock::outer::monotonic_ns() > end_ns {
            return Err(failed("it does not wait for its turn".into()).into());
        }
        clock::outer::sleep_ms(1);
    }
    Ok(Held { child, command })
}

/// A program that waits.
#[derive(Debug)]
pub struct Held {
    child: Child,
    command: String,
}

impl Held {
    /// The process id that it has now and will have.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets it run.
    ///
    /// # Errors
    /// When the kernel refuses the signal.
    pub fn go_on(mut self) -> Result<Child, CephError> {
        let sent = self.child.go_on();
        sent.map_err(|error| AskError::NotStarted {
            command: self.command,
            why: error.to_string(),
        })?;
        Ok(self.child)
    }
}

/// Whether a process stands still by a signal.
fn is_stopped(pid: u32) -> bool {
    let stat = crate::Host::live().text(&format!("/proc/{pid}/stat"));
    let stat = stat.as_deref().and_then(ProcessStat::parse);
    stat.is_some_and(|stat| stat.state == "T")
}

fn find(program: CephProgram) -> Result<std::path::PathBuf, CephError> {
    let name = program.name();
    environment::find_program(name).ok_or(CephError::Missing { program: name })
}

fn all_words(cluster: &CephCluster, arguments: &[&str]) -> Vec<String> {
    let arguments = arguments.iter().map(|word| word.to_string());
    cluster.words().into_iter().chain(arguments).collect()
}

/// The command as a person can type it; of one with many names the first.
pub fn command_words(program: CephProgram, cluster: &CephCluster, arguments: &[&str]) -> String {
    let cluster = cluster.words();
    let words = [program.name()]
        .into_iter()
        .chain(cluster.iter().map(String::as_str))
        .chain(arguments.iter().copied().take(WORDS_SHOWN));
    let words: Vec<_> = words.map(model::text::shell_word).collect();
    match arguments.len().saturating_sub(WORDS_SHOWN) {
        0 => words.join(" "),
        more => format!("{} … and {more} more", words.join(" ")),
    }
}

#[cfg(test)]
mod tests;
