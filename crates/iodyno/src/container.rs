//! `--container`: a verb's target as a container names it, and its load within what the container may have. Settings,
//! sensors and records stay this machine's.

use crate::commands::job_args::JobArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::Host;
use host::container::{Container, ContainerAccess};
use model::text::{clean, shell_word, shown};
use std::path::{Path, PathBuf};

/// A container in whose place a verb works.
#[derive(Clone, Debug, clap::Args)]
pub struct ContainerArg {
    /// Take the target as this container names it, and do what is done within its limits: the container's name, its id, or
    /// the number of a process in it.
    #[arg(long, value_name = "NAME|ID|PID")]
    pub container: Option<String>,
}

/// What a verb does for a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerUse {
    /// Looks alone, from outside.
    Looks,
    /// Loads its target, in groups that it puts loads into itself.
    Measures,
    /// Loads its target, from within the container's groups.
    Loads,
    /// The same, and changes settings meanwhile.
    Changes,
}

/// A verb that knows `--container`.
pub trait ForContainer {
    /// What it does.
    fn part(&self) -> ContainerUse;

    /// What was asked for.
    fn container(&self) -> &ContainerArg;

    /// The job, where it has one: it says whether the target's data may be lost.
    fn job(&self) -> Option<&JobArgs> {
        None
    }

    /// Puts everything that was named as the container names it as it is named on this machine.
    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure>;
}

/// Finds the container's things on this machine.
#[derive(Debug)]
pub struct ContainerPaths<'a> {
    container: &'a Container,
    context: &'a Context,
    access: ContainerAccess,
    /// The first target, as the container names it.
    target: Option<String>,
    job: Option<&'a JobArgs>,
}

impl ContainerPaths<'_> {
    /// Where a target is here, and a word about it. A device by its bare name is the same everywhere.
    pub fn place(&mut self, target: &Path) -> Result<PathBuf, Failure> {
        let (host, text) = (&self.context.host, target.to_string_lossy());
        if !text.contains('/') && host.exists(&format!("/sys/class/block/{text}")) {
            return Ok(target.into());
        }
        let here = self.container.place(host, &text, self.access);
        let here = here.map_err(not_allowed)?;
        self.target.get_or_insert_with(|| text.into_owned());
        if here != target {
            let (there, name) = (shown(target), clean(self.container.name()));
            let told = format!("{there} of the container {name} is {} here.", shown(&here));
            self.context.out.note(told);
        }
        self.must_be_meant(&here)?;
        Ok(here)
    }

    /// The container decides where its paths lead, so what is to be lost is named by whoever knows this machine.
    fn must_be_meant(&self, here: &Path) -> Result<(), Failure> {
        let losing = self.job.filter(|job| job.overwrite || job.destroy_data);
        if losing.is_none_or(|job| job.here.as_deref() == Some(here)) {
            return Ok(());
        }
        let message = format!(
            "what {} holds would be lost, and a container decides where its paths lead: nothing was written.",
            shown(here)
        );
        let again = shell_word(&here.to_string_lossy()).into_owned();
        Err(Failure::new(Exit::Refused, message)
            .on(here.to_string_lossy())
            .hint(format!("Where it is meant, say so: --here {again}")))
    }

    /// The same for a target that is text.
    pub fn place_text(&mut self, target: &mut String) -> Result<(), Failure> {
        *target = self
            .place(Path::new(target))?
            .to_string_lossy()
            .into_owned();
        Ok(())
    }

    /// Its group of I/O.
    pub fn group(&self) -> Result<String, Failure> {
        self.container.group().map_err(not_allowed)
    }
}

/// The arguments with this machine's names, and the context in which the verb works; both as they are without `--container`.
///
/// # Errors
/// Where there is no such container, it has no such path, or its groups cannot be entered.
pub fn in_container<V: ForContainer>(
    mut args: V,
    context: &Context,
    run: impl FnOnce(&V, &Context) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let Some(name) = args.container().container.clone() else {
        args.job().map_or(Ok(()), must_name_no_place_here)?;
        return run(&args, context);
    };
    let host = &context.host;
    let container = Container::named(host, &name).ok_or_else(|| missing(host, &name))?;
    if Container::is_ambiguous(&name) {
        return Err(ambiguous(&name));
    }
    let (job, part) = (args.job().cloned(), args.part());
    let mut paths = ContainerPaths {
        container: &container,
        context,
        access: match part {
            ContainerUse::Looks => ContainerAccess::Look,
            _ => ContainerAccess::Write,
        },
        target: None,
        job: job.as_ref(),
    };
    args.translate(&mut paths)?;
    let target = paths.target;
    if part == ContainerUse::Changes {
        must_be_left_alone(&container, host)?;
    }
    let is_entered = matches!(part, ContainerUse::Loads | ContainerUse::Changes);
    if is_entered {
        container.enter(host).map_err(not_allowed)?;
    }
    let host = Host::for_container(container, target, is_entered);
    run(&args, &context.on(host))
}

/// Without a container a target has one name only: a second one says that somebody forgot the container.
pub fn must_name_no_place_here(job: &JobArgs) -> Result<(), Failure> {
    if job.here.is_none() {
        return Ok(());
    }
    let message = "--here says which path a container's target is on this machine, and no --container is named.";
    Err(Failure::usage(message).on("--here"))
}

/// Whoever may freeze the groups of a container freezes what is in them, with a setting changed and its lock held.
fn must_be_left_alone(container: &Container, host: &Host) -> Result<(), Failure> {
    if container.is_in_groups_of_root(host).map_err(not_allowed)? {
        return Ok(());
    }
    let message = format!(
        "the control groups of the container {} are not root's alone: who owns them could freeze a tune in the middle of a change.",
        clean(container.name())
    );
    let hint = "Tune the path that it has on this machine, with --container left out: `iodyno inspect` with --container names it.";
    Err(Failure::new(Exit::Refused, message).hint(hint))
}

fn ambiguous(name: &str) -> Failure {
    let message = format!("{}: a process and a container are called so", clean(name));
    Failure::new(Exit::Refused, message)
        .on(name)
        .hint("Name the container by its id, or the process by another one of the same container.")
}

/// A failure of the host; where a right was missing, with whom to be.
fn not_allowed(error: host::Error) -> Failure {
    let failure = Failure::from(error);
    match failure.exit {
        Exit::Rights => failure.hint(
            "Only root may look into another's container and load it: put sudo before iodyno.",
        ),
        _ => failure,
    }
}

fn missing(host: &Host, name: &str) -> Failure {
    let several: Vec<String> = host::pods::named(host, name)
        .iter()
        .map(|one| clean(&one.whole_name()).into_owned())
        .collect();
    match several.is_empty() {
        true => Failure::new(Exit::Failed, format!("{}: no such container is seen from here", clean(name)))
            .on(name)
            .hint("Give the name by which docker, podman, nerdctl, LXC or systemd-nspawn know it, POD/CONTAINER of this Kubernetes node, an id of 12 digits and more, or the number of a process in it. What root runs, root alone may ask for: sudo."),
        false => Failure::new(Exit::Failed, format!("{}: a pod of several containers", clean(name)))
            .on(name)
            .hint(format!("Name one of them: {}", several.join(", "))),
    }
}
