//! `iodyno inspect`: the I/O path below a target, layer by layer; changes nothing.

use crate::captured;
use crate::container::{ContainerArg, ContainerPaths, ContainerUse, ForContainer};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use diagnose::sysctls;
use inventory::Masking;
use report::machine_view;
use report::path_view::{self, PathOptions};
use std::path::{Path, PathBuf};

/// Arguments of `inspect`.
#[derive(Debug, clap::Args)]
pub struct InspectArgs {
    /// A directory, a file, a block device, a Ceph pool (rados://POOL) or image (rbd://POOL/IMAGE); without it the working
    /// directory, or of a captured machine the target for which it was captured.
    #[arg(default_value = ".")]
    pub target: String,
    /// Every setting, not only those that people change.
    #[arg(long)]
    pub all: bool,
    /// Read a captured machine in place of this one.
    #[arg(long, value_name = "FILE.host", conflicts_with = "container")]
    pub root: Option<PathBuf>,
    /// Save what was read about the target, to look at it elsewhere with --root.
    #[arg(long, value_name = "FILE.host", conflicts_with_all = ["root", "container"])]
    pub capture: Option<PathBuf>,
    /// Also replace identifiers, host names, addresses and unit names in what is saved; serial numbers and secrets never
    /// are in it.
    #[arg(long, requires = "capture")]
    pub mask: bool,
    /// Replace a capture that is there.
    #[arg(long, requires = "capture")]
    pub force: bool,
    #[command(flatten)]
    pub container: ContainerArg,
}

impl ForContainer for InspectArgs {
    fn part(&self) -> ContainerUse {
        ContainerUse::Looks
    }

    fn container(&self) -> &ContainerArg {
        &self.container
    }

    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure> {
        paths.place_text(&mut self.target)
    }
}

/// Writes a capture; one that is there may be the only trace of a machine as it was.
fn save(file: &Path, text: &str, force: bool) -> Result<(), Failure> {
    if force {
        return Ok(host::files::write_atomically(file, text)?);
    }
    host::files::write_new(file, text).map_err(|error| match error.is_taken() {
        true => {
            let file = model::text::shown(file);
            let message = format!("{file} is there already and was left as it is.");
            Failure::new(Exit::Refused, message).hint("Name another file, or say --force.")
        }
        false => error.into(),
    })
}

/// Prints the tree.
pub fn run(args: &InspectArgs, context: &Context) -> Result<Exit, Failure> {
    let host = match &args.root {
        Some(file) => host::Host::open(file)?,
        None => context.host.clone(),
    };
    let target = match &args.root {
        Some(file) => captured::target(file, &args.target, context),
        None => args.target.clone(),
    };
    let path = inventory::collect_with_cluster(&host, &target)?;
    if let Some(file) = &args.capture {
        let masking = if args.mask {
            Masking::Names
        } else {
            Masking::Serials
        };
        // `check --root FILE --profile NAME` compares them elsewhere.
        let parameters: Vec<String> = sysctls::ALL.iter().map(|one| one.path()).collect();
        let captured = inventory::capture(&path.target, masking, &parameters)?.print();
        let named = captured.replacen('\n', &format!("\n# target: {}\n", path.target), 1);
        save(file, &named, args.force)?;
        context
            .out
            .note(format!("saved to {}", model::text::shown(file)));
    }
    let paint = context.out.paint();
    let text = path_view::text(
        &path,
        PathOptions {
            all: args.all,
            paint,
        },
    );
    context.out.text(text.trim_end());
    for line in machine_view::lines(&path, args.all) {
        context.out.say(line);
    }
    context.out.document(&path)?;
    Ok(Exit::Fine)
}
