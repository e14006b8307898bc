//! Which target each section works on, made ready once for all sections that share it.

use super::Args;
use crate::commands::Context;
use crate::commands::job_args::Workload;
use crate::exit::Failure;
use crate::live::Line;
use host::files::{self, Kind};
use host::signals::Stop;
use model::iopath::IoPath;
use model::job::{Job, Rw, Section, Sharing};
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
    ) -> Result<Targets, Failure> {
        let mut groups: Vec<(PathBuf, String, Vec<usize>)> = Vec::new();
        for (index, section) in workload.sections.iter().enumerate() {
            let target = of_section(args.target.as_deref(), section)?;
            let key = sharing_key(&target, section, index);
            match groups.iter_mut().find(|(path, name, _)| *path == target && *name == key) {
                Some(group) => group.2.push(index),
                None => groups.push((target, key, vec![index])),
            }
        }
        let device = path.queue_device().map(|layer| layer.name.clone());
        let mut targets = Targets { prepared: Vec::new(), of_section: vec![0; workload.sections.len()] };
        for (target, _, members) in groups {
            let jobs: Vec<&Job> = members.iter().map(|index| &workload.sections[*index].job).collect();
            let mut prepared = prepare_one(args, context, &target, &union(&jobs), stop)?;
            prepared.set_device(device.clone());
            members.into_iter().for_each(|index| targets.of_section[index] = targets.prepared.len());
            targets.prepared.push(prepared);
        }
        Ok(targets)
    }

    /// The target of a section.
    pub fn of(&self, section: usize) -> &Prepared {
        &self.prepared[self.of_section[section]]
    }
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

/// A job whose needs cover those of all: the largest files, writes if any writes, direct if any is.
fn union(jobs: &[&Job]) -> Job {
    let bytes = |job: &Job| {
        let last = if job.files.sharing == Sharing::Same { u64::from(job.numjobs.max(1)) - 1 } else { 0 };
        job.size.saturating_add(job.offset).saturating_add(job.offset_increment.saturating_mul(last))
    };
    let Some(largest) = jobs.iter().max_by_key(|job| bytes(job)) else { return Job::default() };
    let mut all = Job::clone(largest);
    let reads = jobs.iter().any(|job| job.rw.reads());
    if let Some(changing) = jobs.iter().find(|job| job.rw.changes()) {
        all.rw = if reads { Rw::Randrw } else { changing.rw };
    }
    all.direct = jobs.iter().any(|job| job.direct);
    all.numjobs = jobs.iter().map(|job| job.numjobs).max().unwrap_or(1);
    if jobs.iter().any(|job| job.size == 0) {
        all.size = 0;
    }
    all
}

fn prepare_one(
    args: &Args,
    context: &Context,
    target: &Path,
    job: &Job,
    stop: &Stop,
) -> Result<Prepared, Failure> {
    let line = Line::new();
    let mut progress = |done: u64, total: u64| line.layout(done, total);
    let prepared = load::prepare(&context.host, target, job, &args.job.consent(), stop, &mut progress)?;
    line.clear();
    Ok(prepared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_union_covers_everyone() {
        let reader = Job { size: 4 << 30, direct: true, ..Job::default() };
        let writer = Job {
            rw: Rw::Write,
            size: 1 << 30,
            offset_increment: 2 << 30,
            numjobs: 3,
            direct: false,
            files: model::job::FileSet { sharing: Sharing::Same, ..Default::default() },
            ..Job::default()
        };
        let all = union(&[&reader, &writer]);
        assert!(all.rw.reads() && all.rw.writes() && all.direct);
        assert_eq!((all.size, all.offset_increment, all.numjobs), (1 << 30, 2 << 30, 3));
    }
}
