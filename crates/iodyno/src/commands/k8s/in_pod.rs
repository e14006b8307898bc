//! `iodyno k8s in-pod`: what runs in the pod. It starts the verb, and writes what that measured into the log so that it can be
//! told whether all of it came through.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::signals::Stop;
use host::{Privileges, clock};
use kube::document::{POD_SCHEMA, PodAnswer};
use kube::framed;
use model::failure::ErrorDocument;
use model::record::Record;
use runner::{Runner, RunnerPlace, Verb};
use serde::Deserialize;
use store::Store;

/// The longest document of a verb that is taken, bytes.
const DOCUMENT_MAX: u64 = framed::DOCUMENT_MAX_BYTES;
const LOOK_MS: u64 = 200;
/// Of a disk of the node scratch leaves one in so many bytes free.
const NODE_SHARE: u64 = 5;

/// Arguments of `k8s in-pod`.
#[derive(Debug, clap::Args)]
pub struct InPodArgs {
    /// The run id.
    #[arg(long, value_name = "ID")]
    pub run: String,
    /// Stay at the end, until somebody ends the pod: a set would start it anew.
    #[arg(long)]
    pub stay: bool,
    /// What is loaded is a disk of the node: leave so much of it free that the kubelet evicts nobody.
    #[arg(long)]
    pub node_disk: bool,
    /// The verb with its words.
    #[arg(last = true, allow_hyphen_values = true, required = true)]
    pub words: Vec<String>,
}

/// The document of a verb that keeps a record.
#[derive(Deserialize)]
struct WithId {
    id: Option<i64>,
}

/// Runs the verb, and gives what it measured.
pub fn run(args: &InPodArgs, context: &Context) -> Result<Exit, Failure> {
    let stop = context.stop_on_signals()?;
    if args.stay && has_begun(context)? {
        // A set starts a pod's program anew when that was killed: one load is what was asked for.
        return Ok(stayed(&stop));
    }
    let verb = Verb::new(Privileges::Load, words(args, context));
    let started = Runner::new(RunnerPlace::Here, "/proc/self/exe").start(&verb);
    let answer = started.and_then(|running| running.whole_or_stopped(DOCUMENT_MAX, &stop));
    let pod = match answer {
        Ok(answer) => {
            answer.words.lines().for_each(|line| context.out.note(line));
            let (record, unread) = match record(&answer.document, context) {
                Ok(record) => (record, None),
                Err(failure) => (None, Some(failure.document())),
            };
            PodAnswer {
                exit: answer.exit,
                error: answer.error.or(unread),
                ..pod_answer(record)
            }
        }
        Err(error) => PodAnswer {
            error: Some(ErrorDocument::new(error.to_string())),
            ..pod_answer(None)
        },
    };
    let document = serde_json::to_vec(&pod)
        .map_err(|error| Failure::new(Exit::Failed, format!("no result: {error}")))?;
    for line in framed::frame(&args.run, &document) {
        context.out.raw(&format!("{line}\n"));
    }
    // How the verb ended stands in the result: a pod that fails is one that gave none.
    Ok(match args.stay {
        true => stayed(&stop),
        false => Exit::Fine,
    })
}

fn stayed(stop: &Stop) -> Exit {
    while !stop.is_asked() {
        clock::sleep_ms(LOOK_MS);
    }
    Exit::Fine
}

/// Whether an earlier program of this pod has begun; from now on one has.
fn has_begun(context: &Context) -> Result<bool, Failure> {
    host::durable::ensure(&context.state_dir)?;
    let mark = context.state_dir.join("begun");
    if host::durable::text(&mark)?.is_some() {
        return Ok(true);
    }
    host::private::write_new(&mark, b"")?;
    Ok(false)
}

/// The verb's words. On a disk of the node scratch leaves a fifth: by default a kubelet evicts pods when less than 10 or 15 %
/// is free, whoever filled it.
fn words(args: &InPodArgs, context: &Context) -> Vec<String> {
    let mut words = args.words.clone();
    let space = words.get(1).and_then(|target| context.host.space(target));
    if let Some(space) = space.filter(|_| args.node_disk) {
        words.insert(2, format!("--keep-free={}", space.total_bytes / NODE_SHARE));
    }
    words
}

fn pod_answer(record: Option<Record>) -> PodAnswer {
    PodAnswer {
        schema: POD_SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        exit: None,
        record,
        error: None,
    }
}

/// The record that the verb kept; none where it kept none.
fn record(document: &[u8], context: &Context) -> Result<Option<Record>, Failure> {
    let id = model::json::read_bytes::<WithId>(document);
    let Some(id) = id.ok().and_then(|document| document.id) else {
        return Ok(None);
    };
    Ok(Some(Store::open(&context.state_dir)?.get(id)?))
}
