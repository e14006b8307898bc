//! `--container`: a verb's target as a container names it, and its load within what the container may have. Settings,
//! sensors and records stay this machine's.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::Host;
use host::container::Container;
use model::text::{clean, shown};
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
    /// Loads its target, from within the container's groups.
    Loads,
}

/// A verb that knows `--container`.
pub trait ForContainer {
    /// What it does.
    const PART: ContainerUse;

    /// What was asked for.
    fn container(&self) -> &ContainerArg;

    /// Puts everything that was named as the container names it as it is named on this machine.
    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure>;
}

/// Finds the container's things on this machine.
#[derive(Debug)]
pub struct ContainerPaths<'a> {
    container: &'a Container,
    context: &'a Context,
    /// The first target, as the container names it.
    target: Option<String>,
}

impl ContainerPaths<'_> {
    /// Where a target is here, and a word about it. A device by its bare name is the same everywhere.
    pub fn place(&mut self, target: &Path) -> Result<PathBuf, Failure> {
        let (host, text) = (&self.context.host, target.to_string_lossy());
        if !text.contains('/') && host.exists(&format!("/sys/class/block/{text}")) {
            return Ok(target.into());
        }
        let here = self.container.place(host, &text).map_err(not_allowed)?;
        self.target.get_or_insert_with(|| text.into_owned());
        if here != target {
            let (there, name) = (shown(target), clean(self.container.name()));
            let told = format!("{there} of the container {name} is {} here.", shown(&here));
            self.context.out.note(told);
        }
        Ok(here)
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
        return run(&args, context);
    };
    let host = &context.host;
    let container = Container::named(host, &name).ok_or_else(|| missing(host, &name))?;
    let mut paths = ContainerPaths {
        container: &container,
        context,
        target: None,
    };
    args.translate(&mut paths)?;
    let target = paths.target;
    let is_entered = V::PART == ContainerUse::Loads;
    if is_entered {
        container.enter(host).map_err(not_allowed)?;
    }
    let host = Host::for_container(container, target, is_entered);
    run(&args, &context.on(host))
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
