//! Which target each section works on, made ready once for all sections that share it.

use super::{Args, inspect, precondition};
use crate::commands::Context;
use crate::commands::job_args::Workload;
use crate::exit::Failure;
use crate::live::Line;
use host::files::{self, Kind};
use host::signals::Stop;
use model::iopath::IoPath;
use model::job::{Job, Section};
use model::studies::Studies;
use pipeline::load::{self, Prepared};
use std::path::{Path, PathBuf};

/// What the sections work on.
#[derive(Debug)]
pub struct Targets {
    prepared: Vec<Prepared>,
    /// By section: the place in `prepared`.
    of_section: Vec<usize>,
}

impl Targets {
    /// Makes everything ready before anything runs, so that no section waits for another one's layout.
    pub fn prepare(
        args: &Args,
        context: &Context,
        workload: &Workload,
        path: &IoPath,
        stop: &Stop,
    ) -> Result<(Targets, Studies), Failure> {
        let mut studies = Studies::default();
        let mut groups: Vec<(PathBuf, String, Vec<usize>)> = Vec::new();
        for (index, section) in workload.sections.iter().enumerate() {
            let target = of_section(args.target.as_deref(), section)?;
            let key = sharing_key(&target, section, index);
            match groups.iter_mut().find(|(path, name, _)| *path == target && *name == key) {
                Some(group) => group.2.push(index),
                None => groups.push((target, key, vec![index])),
            }
        }
        let root = PathBuf::from(&path.target);
        let mut targets = Targets { prepared: Vec::new(), of_section: vec![0; workload.sections.len()] };
        for (target, _, members) in groups {
            let jobs: Vec<&Job> = members.iter().map(|index| &workload.sections[*index].job).collect();
            let is_directory = matches!(files::kind(&target), Ok(Kind::Directory));
            let job = load::covering(&jobs, is_directory);
            let mut prepared = prepare_one(args, context, &target, &job, stop)?;
            prepared.set_device(device_of(context, &root, path, &target)?);
            prepared.set_state_dir(context.state_dir.clone());
            members.into_iter().for_each(|index| targets.of_section[index] = targets.prepared.len());
            let worn = precondition::if_asked(&args.study, context, &prepared, &job, stop)?;
            studies.precondition = studies.precondition.or(worn.precondition);
            targets.prepared.push(prepared);
        }
        Ok((targets, studies))
    }

    /// The target of a section.
    pub fn of(&self, section: usize) -> &Prepared {
        &self.prepared[self.of_section[section]]
    }
}

/// The queue below one of the targets. Sensors and the lint look at the first target alone, and say so here.
fn device_of(
    context: &Context,
    root: &Path,
    path: &IoPath,
    target: &Path,
) -> Result<Option<String>, Failure> {
    let name = |path: &IoPath| path.queue_device().map(|layer| layer.name.clone());
    let is_root = target == root || files::canonical(target).ok() == files::canonical(root).ok();
    if is_root {
        return Ok(name(path));
    }
    let other = inspect(context, target)?;
    if name(&other) != name(path) {
        context.out.note(format!(
            "note: {} lies on another device than {}, which alone the sensors and the lint look at",
            other.target, path.target
        ));
    }
    Ok(name(&other))
}

/// The target that the I/O path is shown of: the one on the command line, else the first that the job names.
pub fn root(given: Option<&Path>, workload: &Workload) -> Result<PathBuf, Failure> {
    match workload.sections.first() {
        Some(section) => of_section(given, section),
        None => Err(Failure::usage("the job has no section, so there is nothing to run")),
    }
}

/// The target on the command line stands in for what the job names.
fn of_section(given: Option<&Path>, section: &Section) -> Result<PathBuf, Failure> {
    if let Some(target) = given {
        return Ok(target.to_path_buf());
    }
    let set = &section.job.files;
    let directory = set.directory.as_ref().map(PathBuf::from);
    let named = match (&set.names[..], directory) {
        ([name], Some(directory)) => directory.join(name),
        ([name], None) => PathBuf::from(name),
        (_, Some(directory)) => directory,
        (_, None) => {
            return Err(Failure::usage(format!(
                "section `{}` names no file, so it needs a target. Name one: iodyno run TARGET …",
                section.name
            )));
        }
    };
    // fio would make the file; here scratch takes its place, so that nothing is left behind.
    match (files::kind(&named), named.parent()) {
        (Err(_), Some(parent)) if parent.as_os_str().is_empty() => Ok(PathBuf::from(".")),
        (Err(_), Some(parent)) if files::kind(parent).is_ok() => Ok(parent.to_path_buf()),
        _ => Ok(named),
    }
}

/// Sections with the same key use the same files. A file or device is one thing for all; in a directory, sections that
/// name the same file share it, and one that names none has its own, as with fio.
fn sharing_key(target: &Path, section: &Section, index: usize) -> String {
    let job = &section.job;
    let needs_files =
        load::Engine::find(&job.ioengine).is_none_or(|engine| engine.needs == load::Needs::Files);
    match (files::kind(target), needs_files) {
        (_, false) => format!("#{index}"),
        (Ok(Kind::Directory), _) if job.files.names.is_empty() => format!("#{index}"),
        (Ok(Kind::Directory), _) => job.files.names.join(":"),
        _ => String::new(),
    }
}

fn prepare_one(
    args: &Args,
    context: &Context,
    target: &Path,
    job: &Job,
    stop: &Stop,
) -> Result<Prepared, Failure> {
    let line = Line::new();
    let job = &precondition::prepared_for(&args.study, job);
    let mut progress = |done: u64, total: u64| line.layout(done, total);
    let prepared = load::prepare(&context.host, target, job, &args.job.consent(), stop, &mut progress)?;
    line.clear();
    Ok(prepared)
}
