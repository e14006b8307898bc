//! Which target each section works on, made ready once for all sections that share it.

use super::args::RunArgs;
use super::precondition;
use crate::commands::job_args::Workload;
use crate::context::Context;
use crate::exit::Failure;
use crate::live::LiveLine;
use host::Target;
use host::files::{self, FileKind};
use host::signals::Stop;
use load::Prepared;
use model::iopath::IoPath;
use model::job::{Job, Section};
use model::studies::Studies;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was opened so far. Every name is looked up once: what it stands for then is what is judged, read and written.
#[derive(Debug, Default)]
pub struct Opened(Vec<Arc<Target>>);

impl Opened {
    /// What is there to begin with: the target that iodyno gave this process, where it did.
    ///
    /// # Errors
    /// Where something else than iodyno has started this process.
    pub fn begin(args: &RunArgs) -> Result<Opened, Failure> {
        let given = args.target.as_deref().filter(|_| args.given);
        let given = given.map(Target::given).transpose()?;
        Ok(Opened(given.map(Arc::new).into_iter().collect()))
    }

    /// The target that the I/O path is shown of: the one on the command line, else the first that the job names.
    pub fn root(
        &mut self,
        given: Option<&Path>,
        context: &Context,
        workload: &Workload,
    ) -> Result<(Arc<Target>, IoPath), Failure> {
        let Some(section) = workload.sections.first() else {
            return Err(Failure::usage(
                "the job has no section, so there is nothing to run",
            ));
        };
        let named = named(given, section)?;
        let root = match self.of(given, &named) {
            Ok(root) => root,
            Err(error) if error.is_refusal() => return Err(error.into()),
            Err(error) => {
                // The inventory knows more of what is not there.
                inspect(context, &named)?;
                return Err(load::LoadError::from(error).into());
            }
        };
        load::loadable(&root)?;
        let path = inspect(context, root.path())?;
        refuse_exchanged(&root, &path)?;
        Ok((root, path))
    }

    /// What is at a path. fio would make a file that a job names and that is missing; here scratch in its directory takes
    /// its place, so that nothing is left behind.
    fn of(&mut self, given: Option<&Path>, named: &Path) -> host::Result<Arc<Target>> {
        match self.one(named) {
            Err(error) if given.is_none() && is_missing(&error) => match named.parent() {
                Some(parent) if parent.as_os_str().is_empty() => self.one(Path::new(".")),
                Some(parent) => self.one(parent).map_err(|_| error),
                None => Err(error),
            },
            opened => opened,
        }
    }

    fn one(&mut self, path: &Path) -> host::Result<Arc<Target>> {
        if let Some(known) = self.0.iter().find(|target| target.path() == path) {
            return Ok(Arc::clone(known));
        }
        let target = Arc::new(Target::open(path)?);
        self.0.push(Arc::clone(&target));
        Ok(target)
    }
}

/// Opens the one target of a command, and makes sure that the path that was shown is that of the same object.
pub fn opened(named: &Path, path: &IoPath) -> Result<Arc<Target>, Failure> {
    // A bare name of a device is none of a file here.
    let is_bare = Path::new(&path.target) == Path::new("/dev").join(named);
    let named = if is_bare {
        Path::new(&path.target)
    } else {
        named
    };
    let target = Target::open(named).map_err(load::LoadError::from)?;
    refuse_exchanged(&target, path)?;
    Ok(Arc::new(target))
}

/// The inventory goes by names. What it told of another object must not be taken for this one's.
fn refuse_exchanged(target: &Target, path: &IoPath) -> Result<(), Failure> {
    let (judged, shown) = (target.identity(), files::identity(Path::new(&path.target)));
    let is_same = match (target.kind(), shown) {
        (FileKind::BlockDevice { .. }, None) => true,
        (FileKind::BlockDevice { .. }, Some(shown)) => shown.special == judged.special,
        (_, shown) => shown.as_ref() == Some(&judged),
    };
    if is_same {
        return Ok(());
    }
    let why = "it was exchanged for something else while iodyno looked at it. Nothing was written. Use a path that \
               nobody else can change";
    Err(host::Error::refused("use", target.path(), why).into())
}

fn is_missing(error: &host::Error) -> bool {
    matches!(error, host::Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
}

fn inspect(context: &Context, target: &Path) -> Result<IoPath, Failure> {
    let target = target.to_string_lossy();
    Ok(inventory::collect(&context.host, &target)?)
}

/// What the sections work on.
#[derive(Debug)]
pub struct Targets {
    prepared: Vec<Prepared>,
    /// Of each in `prepared` that lies on another device than the root: its target and the device; else empty.
    elsewhere: Vec<String>,
    /// By section: the place in `prepared`.
    of_section: Vec<usize>,
}

impl Targets {
    /// Makes everything ready before anything runs, so that no section waits for another one's layout.
    pub fn prepare(
        args: &RunArgs,
        context: &Context,
        workload: &Workload,
        (root, path): (&Arc<Target>, &IoPath),
        stop: &Stop,
    ) -> Result<(Targets, Studies), Failure> {
        let mut studies = Studies::default();
        let mut opened = Opened(vec![Arc::clone(root)]);
        let mut groups: Vec<(Arc<Target>, String, Vec<usize>)> = Vec::new();
        for (index, section) in workload.sections.iter().enumerate() {
            let given = args.target.as_deref();
            let target = opened
                .of(given, &named(given, section)?)
                .map_err(load::LoadError::from)?;
            let key = sharing_key(&target, section, index);
            match groups
                .iter_mut()
                .find(|(other, name, _)| Arc::ptr_eq(other, &target) && *name == key)
            {
                Some(group) => group.2.push(index),
                None => groups.push((target, key, vec![index])),
            }
        }
        let mut targets = Targets {
            prepared: Vec::new(),
            elsewhere: Vec::new(),
            of_section: vec![0; workload.sections.len()],
        };
        for (target, _, members) in groups {
            let jobs: Vec<&Job> = members
                .iter()
                .map(|index| &workload.sections[*index].job)
                .collect();
            let job = load::covering(&jobs, target.kind() == FileKind::Directory);
            let mut prepared = prepare_one(args, context, &target, &job, stop)?;
            let (device, elsewhere) = device_of(context, (root, path), &target)?;
            prepared.set_device(device);
            targets.elsewhere.push(elsewhere);
            prepared.set_state_dir(context.state_dir.clone());
            members
                .into_iter()
                .for_each(|index| targets.of_section[index] = targets.prepared.len());
            let worn = precondition::if_asked(&args.study, context, &prepared, &job, stop)?;
            studies.precondition = studies.precondition.or(worn.precondition);
            targets.prepared.push(prepared);
        }
        Ok((targets, studies))
    }

    /// A target for each section, in their order.
    pub fn each(prepared: Vec<Prepared>) -> Targets {
        let of_section = (0..prepared.len()).collect();
        Targets {
            elsewhere: vec![String::new(); prepared.len()],
            prepared,
            of_section,
        }
    }

    /// Removes what was made for the load, and gives what there is to say of that.
    pub fn end(self) -> Vec<String> {
        self.prepared
            .iter()
            .flat_map(Prepared::remove_made)
            .collect()
    }

    /// The target of a section.
    pub fn of(&self, section: usize) -> &Prepared {
        &self.prepared[self.of_section[section]]
    }

    /// The target and the device of a section that lies on another device than the root; else empty.
    pub fn elsewhere(&self, section: usize) -> &str {
        &self.elsewhere[self.of_section[section]]
    }
}

/// The queue below one of the targets, and both in words where it is another queue than the root's. Sensors and the lint look at
/// the root's alone, and say so here.
fn device_of(
    context: &Context,
    (root, path): (&Arc<Target>, &IoPath),
    target: &Arc<Target>,
) -> Result<(Option<String>, String), Failure> {
    let name = |path: &IoPath| path.queue_device().map(|layer| layer.name.clone());
    if target.identity() == root.identity() {
        return Ok((name(path), String::new()));
    }
    let other = inspect(context, target.path())?;
    refuse_exchanged(target, &other)?;
    let device = name(&other);
    if device == name(path) {
        return Ok((device, String::new()));
    }
    context.out.note(format!(
        "note: {} lies on another device than {}, which alone the sensors and the lint look at",
        other.target, path.target
    ));
    let shown = device.as_deref().unwrap_or("no block device");
    let elsewhere = format!("{} ({shown})", other.target);
    Ok((device, elsewhere))
}

/// The target on the command line stands in for what the job names.
fn named(given: Option<&Path>, section: &Section) -> Result<PathBuf, Failure> {
    if let Some(target) = given {
        return Ok(target.to_path_buf());
    }
    let set = &section.job.files;
    let directory = set.directory.as_ref().map(PathBuf::from);
    match (&set.names[..], directory) {
        ([name], Some(directory)) => Ok(directory.join(name)),
        ([name], None) => Ok(PathBuf::from(name)),
        (_, Some(directory)) => Ok(directory),
        (_, None) => Err(Failure::usage(format!(
            "section `{}` names no file, so it needs a target. Name one: iodyno run TARGET …",
            section.name
        ))),
    }
}

/// Sections with the same key use the same files. A file or device is one thing for all; in a directory, sections that
/// name the same file share it, and one that names none has its own, as with fio.
fn sharing_key(target: &Target, section: &Section, index: usize) -> String {
    let job = &section.job;
    let needs_files =
        load::Engine::find(&job.ioengine).is_none_or(|engine| engine.needs == load::Needs::Files);
    match (target.kind(), needs_files) {
        (_, false) => format!("#{index}"),
        (FileKind::Directory, _) if job.files.names.is_empty() => format!("#{index}"),
        (FileKind::Directory, _) => job.files.names.join(":"),
        _ => String::new(),
    }
}

fn prepare_one(
    args: &RunArgs,
    context: &Context,
    target: &Arc<Target>,
    job: &Job,
    stop: &Stop,
) -> Result<Prepared, Failure> {
    let line = LiveLine::new();
    let job = &precondition::prepared_for(&args.study, job);
    let mut progress = |done: u64, total: u64| line.layout(done, total);
    let prepared = load::prepare(
        &context.host,
        target,
        job,
        &args.job.consent(),
        stop,
        &mut progress,
    )?;
    line.clear();
    Ok(prepared)
}
