//! What a run makes in a cluster: everything is in the journal before it is made, and goes at the end, whatever happens.

use super::args::ClusterArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::kube::objects;
use host::kube::scope::{self, KubeScope};
use host::kube::{KubeError, KubeQuestion};
use host::signals::Stop;
use host::{Journal, Patience, clock};
use kube::manifest::Owner;
use model::kube::{KubeKind, SavedKube};
use serde_json::Value;

/// How long taking away one object may go on, ms: then its journal stays for `undo`.
const REMOVAL_MS: u64 = 150_000;
/// How long an object may come late whose making nobody has confirmed, ms: servers work on a request for a minute.
const UNSURE_MS: u64 = 65_000;
/// Between two attempts, ms.
const BETWEEN_MS: u64 = 1_000;

/// A cluster in which a run makes objects.
#[derive(Debug)]
pub struct K8sCluster<'a> {
    pub context: &'a Context,
    pub scope: KubeScope,
    pub stop: Stop,
    journal: Journal,
    made: Vec<SavedKube>,
}

impl<'a> K8sCluster<'a> {
    /// Settles which cluster is meant, and begins the journal.
    pub fn begin(
        args: &ClusterArgs,
        context: &'a Context,
        purpose: &str,
    ) -> Result<K8sCluster<'a>, Failure> {
        let stop = context.stop_on_signals()?;
        let (name, namespace) = (args.context.as_deref(), args.namespace.as_deref());
        let kubectl = args.kubectl.as_deref();
        let scope = scope::settle(kubectl, name, namespace, &|| stop.is_asked())?;
        let journal = Journal::begin_for_files(&context.host, &context.state_dir, purpose)?;
        Ok(K8sCluster {
            context,
            scope,
            stop,
            journal,
            made: Vec::new(),
        })
    }

    /// Makes an object.
    pub fn create(
        &mut self,
        kind: KubeKind,
        owner: &Owner,
        manifest: &Value,
    ) -> Result<SavedKube, Failure> {
        self.must_go_on()?;
        let mut saved = SavedKube {
            cluster: self.scope.cluster.clone(),
            server: self.scope.server.clone(),
            namespace: self.scope.namespace.clone(),
            namespace_uid: self.scope.namespace_uid.clone(),
            cluster_uid: self.scope.cluster_uid.clone(),
            kind,
            name: owner.name(),
            run: owner.run.clone(),
            uid: None,
        };
        self.journal.set_kube(&saved)?;
        self.made.push(saved.clone());
        saved.uid = match objects::create(&self.scope, manifest) {
            Ok(uid) => Some(uid),
            Err(error) => {
                // Nothing was made, and whatever has the name is another's.
                if error.is_refusal() {
                    self.made.pop();
                }
                return Err(error.into());
            }
        };
        self.journal.set_kube(&saved)?;
        if let Some(made) = self.made.last_mut() {
            made.clone_from(&saved);
        }
        Ok(saved)
    }

    /// Takes one away that is not needed any more.
    pub fn remove(&mut self, saved: &SavedKube) -> Result<(), Failure> {
        take_away(saved)?;
        self.made.retain(|made| !made.is_about(saved));
        Ok(())
    }

    /// Takes everything away that is left, the last first, and closes the journal. What cannot be taken away stays in it.
    pub fn end(self) -> Result<(), Failure> {
        let mut failed: Option<(String, KubeError)> = None;
        for saved in self.made.iter().rev() {
            let Err(error) = take_away(saved) else {
                continue;
            };
            // Who does not answer now, or is not waited for, does not answer for the next one either.
            let is_vain = error.is_stopped() || error.is_passing();
            failed.get_or_insert((saved.place(), error));
            if is_vain {
                break;
            }
        }
        let Some((place, error)) = failed else {
            return Ok(self.journal.close()?);
        };
        let command = format!("iodyno undo {}", self.journal.id());
        let failure = Failure::from(error);
        Err(Failure::new(
            failure.exit,
            format!("not everything was taken away: {}", failure.message),
        )
        .on(place)
        .hint(format!("Take it away once the cluster lets you: {command}")))
    }

    /// What kubectl answers, with the usual bounds; given up where a stop was asked for.
    pub fn ask(&self, words: &[&str]) -> Result<String, KubeError> {
        self.ask_for(&KubeQuestion::new(&self.words(words)))
    }

    /// The same with other bounds; its words name no namespace yet.
    pub fn ask_bounded(
        &self,
        words: &[&str],
        (deadline_ms, most_bytes): (u64, u64),
    ) -> Result<String, KubeError> {
        let words = self.words(words);
        self.ask_for(&KubeQuestion {
            deadline_ms,
            most_bytes,
            ..KubeQuestion::new(&words)
        })
    }

    fn words<'b>(&'b self, words: &[&'b str]) -> Vec<&'b str> {
        ["--namespace", &self.scope.namespace]
            .into_iter()
            .chain(words.iter().copied())
            .collect()
    }

    fn ask_for(&self, question: &KubeQuestion<'_>) -> Result<String, KubeError> {
        host::kube::ask(&self.scope.cluster, question, &|| self.stop.is_asked())
    }

    /// Fails where a stop was asked for.
    pub fn must_go_on(&self) -> Result<(), Failure> {
        match self.stop.is_asked() {
            false => Ok(()),
            true => Err(self.stopped()),
        }
    }

    /// The failure of a run that was stopped.
    pub fn stopped(&self) -> Failure {
        stopped_by(self.stop.signal_name())
    }

    /// The error of an answer that makes no sense.
    pub fn no_sense(&self, words: &[&str], why: String) -> KubeError {
        let words = self.words(words);
        let command = host::kube::command_words(&self.scope.cluster, &words);
        KubeError::NoSense { command, why }
    }
}

/// Takes an object away; another signal gives it up. A cluster that does not answer for a while is waited for. One that did not
/// answer when it was to make the object may make it later.
fn take_away(saved: &SavedKube) -> Result<(), KubeError> {
    let patience = Patience::of_ms(REMOVAL_MS);
    let unsure = Patience::of_ms(UNSURE_MS);
    loop {
        match objects::remove(saved, &patience) {
            Err(error) if error.is_passing() && !patience.is_over() => {}
            Ok(false) if saved.uid.is_none() && !unsure.is_over() => {}
            removed => return removed.map(|_| ()),
        }
        clock::sleep_ms(BETWEEN_MS);
    }
}

fn stopped_by(signal: &str) -> Failure {
    Failure::new(Exit::Interrupted, format!("stopped by {signal}"))
}

/// Why a run failed, once its objects are gone; what could not be taken away is said as well. Of a run that was stopped nobody
/// wants to know at which question to the cluster.
pub fn failed(context: &Context, why: Failure, ended: Result<(), Failure>) -> Failure {
    match ended {
        Ok(()) if why.exit == Exit::Interrupted => {
            let signal = context
                .stop_on_signals()
                .map_or("a signal", |stop| stop.signal_name());
            stopped_by(signal).hint("Everything that was made in the cluster is gone.")
        }
        Ok(()) => why,
        Err(left) => {
            context.out.note(format!("iodyno: {}", left.message));
            why
        }
    }
}
