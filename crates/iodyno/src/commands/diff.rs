//! `iodyno diff`: what differs between two machines, two captures or two moments; changes nothing.

use super::job_args::{JobArgs, given};
use crate::captured;
use crate::container;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::named_knob;
use apply::{Knob, SubjectFiles, must_take};
use diagnose::difference::{self, Candidate, WEIGHT_MIN};
use host::{Archive, Host};
use model::change::Attribute;
use model::difference::Differences;
use model::iopath::IoPath;
use model::job::Job;
use model::subject::Subject;
use report::diff_view;
use report::text;
use std::path::Path;
use store::Store;

/// Nothing is run: any length and any seed will do.
const LOAD_MS: u64 = 1_000;
const SEED: u64 = 1;
const CPUS_ONLINE: &str = "/sys/devices/system/cpu/online";

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct DiffArgs {
    /// The good side: a capture (FILE.host), a document of inspect, check or run (FILE.json), a record's number, or a
    /// target on this machine.
    pub a: String,
    /// The other side, in the same words; the same target on this machine without it.
    pub b: Option<String>,
    /// Also what hardly matters.
    #[arg(long)]
    pub all: bool,
    /// Target below which to look in a capture that was made of several.
    #[arg(long)]
    pub target: Option<String>,
    #[command(flatten)]
    job: JobArgs,
}

/// Prints the differences.
pub fn run(args: &DiffArgs, context: &Context) -> Result<Exit, Failure> {
    let a = side(&args.a, args, context)?;
    let (name, b) = match &args.b {
        Some(b) => (b.clone(), side(b, args, context)?),
        None => (a.target.clone(), live(&a.target, context)?),
    };
    let job = job(args)?;
    let words = given::words()?;
    let found = found((&a, &args.a), (&b, &name), job.as_ref(), &words);
    let paint = context.out.paint();
    for line in diff_view::lines(&found, WEIGHT_MIN, args.all, paint) {
        context.out.say(line);
    }
    if let Some(told) = destroys(&b, &found, job.as_ref()) {
        for line in text::wrap(&told, text::width()) {
            context.out.say(line);
        }
    }
    context.out.document(&found)?;
    Ok(Exit::Fine)
}

/// The differences of two paths with their names. A job is given with the words that it was typed in.
fn found(
    a: (&IoPath, &str),
    b: (&IoPath, &str),
    job: Option<&Job>,
    words: &[String],
) -> Differences {
    let load = |candidate: &Candidate<'_>| load_of(candidate, b.0, job.map(|job| (job, words)));
    difference::with_experiments(a.0, b.0, [a.1, b.1], job, &load)
}

/// The words of the load under which a knob is tried: those that were typed, else a load under which it acts. Fails where `tune`
/// would refuse it on the second side.
pub(super) fn load_of(
    candidate: &Candidate<'_>,
    path: &IoPath,
    given: Option<(&Job, &[String])>,
) -> Result<Vec<String>, String> {
    let knob = Knob::find(candidate.knob).ok_or("iodyno has no knob for it")?;
    let device = named_knob::device(path).map_err(|failure| failure.message)?;
    if device != candidate.place {
        return Err(format!(
            "below {} a tune sets it on {device}",
            path.as_argument()
        ));
    }
    let words: Vec<String> = match given {
        Some((_, words)) => words.to_vec(),
        None => knob.load.split_whitespace().map(String::from).collect(),
    };
    let job = match given {
        Some((job, _)) => job.clone(),
        None => JobArgs::of_words(&words)
            .and_then(|load| load.single(LOAD_MS, SEED))
            .map_err(|failure| failure.message)?,
    };
    let why_not = queue_of(path, &device).and_then(|queue| {
        named_knob::handed_on(knob, path, &device, queue.host())
            .or_else(|| refused(knob, &queue, candidate, &job))
    });
    why_not.map_or(Ok(words), Err)
}

/// Why `tune` would refuse a knob with these two values under this load.
fn refused(
    knob: &Knob,
    queue: &SubjectFiles,
    candidate: &Candidate<'_>,
    job: &Job,
) -> Option<String> {
    let values = [candidate.now, candidate.other].map(String::from);
    let rejected = |value: &String| {
        let rejection = must_take(knob, queue, value).err();
        rejection.map(|rejection| rejection.to_string())
    };
    let pointless = || (knob.pointless)(queue, job, &values);
    values.iter().find_map(rejected).or_else(pointless)
}

/// What the path knows of the queue of a device, as the knobs read it: the second side may be a capture or a document.
fn queue_of(path: &IoPath, device: &str) -> Option<SubjectFiles> {
    let walk = path.root.walk();
    let layer = walk.into_iter().find(|layer| layer.name == device)?;
    let subject = Subject::Queue {
        device: device.into(),
    };
    let mut archive = Archive::default();
    for setting in &layer.settings {
        archive.insert(&subject.path(&setting.name), setting.value.clone());
    }
    for queue in &layer.queues {
        if let Some(tags) = queue.nr_tags {
            let file = format!("/sys/block/{device}/mq/{}/nr_tags", queue.index);
            archive.insert(&file, Attribute::Value(tags.to_string()));
        }
    }
    if let Some(cpus) = path.machine_fact("cpus_online") {
        archive.insert(CPUS_ONLINE, Attribute::Value(cpus.into()));
    }
    SubjectFiles::of(&Host::from_archive(archive), subject)
}

/// That the experiments write to a disk, which `tune` does only where that is said.
fn destroys(path: &IoPath, found: &Differences, job: Option<&Job>) -> Option<String> {
    let is_tried = found.differences.iter().any(|one| one.knob.is_some());
    let writes = job.is_some_and(|job| job.rw.writes());
    (is_tried && writes && path.target.starts_with("/dev/")).then(|| {
        format!(
            "This job writes to {0}: without --destroy-data, which gives up all that is on {0}, tune refuses. A directory on it \
             needs no such word.",
            model::text::clean(&path.target)
        )
    })
}

/// The job that the differences are ranked for, where one was named.
fn job(args: &DiffArgs) -> Result<Option<Job>, Failure> {
    container::must_name_no_place_here(&args.job)?;
    if !args.job.is_named() {
        return Ok(None);
    }
    let workload = args.job.workload(None, Some(SEED))?;
    Ok(workload
        .sections
        .into_iter()
        .next()
        .map(|section| section.job))
}

fn side(name: &str, args: &DiffArgs, context: &Context) -> Result<IoPath, Failure> {
    if let Ok(record) = name.parse::<i64>() {
        return Ok(Store::open_read_only(&context.state_dir)?.get(record)?.path);
    }
    match Path::new(name).extension().and_then(|end| end.to_str()) {
        Some("host") => of_capture(name, args.target.as_deref()),
        Some("json") => document(name),
        _ => live(name, context),
    }
}

fn live(target: &str, context: &Context) -> Result<IoPath, Failure> {
    Ok(inventory::collect_with_cluster(&context.host, target)?)
}

/// A capture says below which target it was made.
fn of_capture(file: &str, target: Option<&str>) -> Result<IoPath, Failure> {
    let text = host::files::read_text(Path::new(file))?;
    let target = target.or(captured::own_target(&text)).ok_or_else(|| {
        Failure::usage(format!(
            "{file} does not say below which target it was made. Name one with --target."
        ))
    })?;
    let host = Host::open(Path::new(file))?;
    Ok(inventory::collect_with_cluster(&host, target)?)
}

/// The path in a document of iodyno: the document itself, or its `path`, or its record's.
fn document(file: &str) -> Result<IoPath, Failure> {
    let bad = |why: String| Failure::usage(format!("{file} holds no I/O path: {why}"));
    let text = host::files::read_text(Path::new(file))?;
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| bad(format!("it is no JSON document ({error}).")))?;
    let found = [&value, &value["path"], &value["record"]["path"]]
        .into_iter()
        .find(|one| one["root"].is_object());
    let found =
        found.ok_or_else(|| bad("it is no document of inspect, check, run or show.".into()))?;
    model::json::read_value(found).map_err(|error| bad(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Verb};
    use clap::{CommandFactory, FromArgMatches};
    use model::text::shell_words;

    fn capture(name: &str) -> IoPath {
        let hosts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/hosts");
        of_capture(&format!("{hosts}/{name}.host"), None).unwrap()
    }

    /// What `diff` finds between two captures, with a job in its own words or fio's behind `--`.
    fn between(a: &str, b: &str, load: &str) -> (Differences, Option<Job>) {
        let words: Vec<String> = load.split_whitespace().map(String::from).collect();
        let job = (!words.is_empty()).then(|| {
            JobArgs::of_words(&words)
                .unwrap()
                .single(LOAD_MS, SEED)
                .unwrap()
        });
        let (a, b) = (capture(a), capture(b));
        (found((&a, "a"), (&b, "b"), job.as_ref(), &words), job)
    }

    /// The commands of the experiments, each held against the parser of `tune` and the knob that it tries.
    fn commands(found: &Differences, job: Option<&Job>, path: &IoPath) -> Vec<String> {
        let tried = found.differences.iter().filter(|one| one.knob.is_some());
        let commands: Vec<String> = tried.map(|one| one.experiment.clone()).collect();
        for command in &commands {
            let words = shell_words(command);
            assert_eq!(words[..3], ["sudo", "iodyno", "tune"], "{command}");
            let matches = Cli::command().try_get_matches_from(&words[1..]);
            let matches = matches.unwrap_or_else(|error| panic!("{command}: {error}"));
            let Verb::Tune(tune) = Cli::from_arg_matches(&matches).unwrap().verb else {
                panic!("{command}");
            };
            let load = JobArgs::of_words(&given::words_of(&matches).unwrap()).unwrap();
            let own = load.single(LOAD_MS, SEED).unwrap();
            if let Some(job) = job {
                assert_eq!(&own, job, "{command}");
            }
            let named = named_knob::parse(&tune.knobs[0]).unwrap();
            let values = named.values.unwrap();
            assert_eq!(values.len(), 2, "{command}");
            let device = named_knob::device(path).unwrap();
            let queue = queue_of(path, &device).unwrap();
            assert_eq!(
                (named.knob.pointless)(&queue, &own, &values),
                None,
                "{command}"
            );
            for value in &values {
                assert_eq!((named.knob.rejects)(&queue, value), None, "{command}");
            }
        }
        commands
    }

    #[test]
    fn every_experiment_carries_the_job_that_was_given() {
        let load = "-- fio -rw=read -direct=0 -bs=128k";
        let (found, job) = between("azure_readahead", "virtio_ext4", load);
        let commands = commands(&found, job.as_ref(), &capture("virtio_ext4"));
        assert!(commands.len() >= 2, "{commands:#?}");
        assert!(
            commands.contains(
                &"sudo iodyno tune / --knob read_ahead_kb=8192,4096 -- fio -rw=read -direct=0 -bs=128k".to_string()
            ),
            "{commands:#?}"
        );
    }

    #[test]
    fn the_servers_of_the_first_report_are_tried_under_their_job() {
        let load = "-- -ioengine=psync -rw=write -direct=1 -bs=4k -numjobs=50";
        let (found, job) = between("report_000_rhel69_cfq", "report_000_centos7_deadline", load);
        let path = capture("report_000_centos7_deadline");
        let commands = commands(&found, job.as_ref(), &path);
        assert_eq!(
            commands,
            [format!(
                "sudo iodyno tune /dev/sdb --knob scheduler=deadline,cfq {load}"
            )]
        );
        let told = destroys(&path, &found, job.as_ref()).unwrap();
        assert!(
            told.contains("writes to /dev/sdb: without --destroy-data"),
            "{told}"
        );
    }

    #[test]
    fn without_a_job_a_knob_is_tried_under_a_load_on_which_it_acts() {
        let hosts = [
            "azure_readahead",
            "sata_linux_3_10",
            "aws_nitro_gp3",
            "linux_6_1",
            "virtio_ext4",
        ];
        let mut all = Vec::new();
        for (a, b) in hosts.iter().flat_map(|a| hosts.iter().map(move |b| (a, b))) {
            let (found, job) = between(a, b, "");
            all.extend(commands(&found, job.as_ref(), &capture(b)));
        }
        let has = |part: &str| all.iter().any(|command| command.contains(part));
        assert!(
            has(" --direct 0 --rw read --knob read_ahead_kb="),
            "{all:#?}"
        );
        assert!(has(" --rw read --bs 1m --knob max_sectors_kb="), "{all:#?}");
    }

    #[test]
    fn what_a_tune_would_refuse_is_no_command() {
        let (found, job) = between("azure_readahead", "virtio_ext4", "--direct 1 --rw randread");
        let commands = commands(&found, job.as_ref(), &capture("virtio_ext4"));
        assert!(
            commands
                .iter()
                .all(|command| !command.contains("read_ahead_kb")),
            "{commands:#?}"
        );
        let one = found
            .differences
            .iter()
            .find(|one| one.name == "read_ahead_kb");
        let why = &one.unwrap().why;
        assert!(
            why.ends_with("Not for an experiment here: direct I/O does not use it."),
            "{why}"
        );
    }
}
