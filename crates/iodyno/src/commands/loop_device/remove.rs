//! `iodyno loop remove`: takes a loop device away that iodyno made. Who uses it is named before anything is touched.

use super::document::{LeftPart, RemoveDocument};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::loop_device::{self, ImageNow, LoopState};
use host::{Unfinished, files, rights};
use kernel::mounts::Mounts;
use model::change::{Restored, SavedLoop};
use model::text::{shell_word, shown};
use std::path::{Path, PathBuf};

/// Arguments of `loop remove`.
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Its file, its device (/dev/loop7) or the directory it is mounted on.
    pub what: PathBuf,
    /// Keep the file with the data in it.
    #[arg(long)]
    pub keep_file: bool,
}

/// Who is named of those that use it at the most.
const MOST_NAMED: usize = 12;

/// Removes it.
pub fn run(args: &RemoveArgs, context: &Context) -> Result<Exit, Failure> {
    let found = host::find_unfinished(&context.host, &context.state_dir);
    for error in &found.errors {
        context.out.note(format!("iodyno: {error}"));
    }
    let wanted = wanted(&args.what, context);
    let mut meant = found.journals;
    meant.retain(|journal| is_meant(journal, &wanted, context));
    // A file that went may have been made again under its name: the one that is there is meant.
    let standing = meant.iter().position(|journal| has_file(journal, context));
    if meant.is_empty() {
        return Err(not_made_here(&args.what, &wanted));
    }
    let journal = meant.swap_remove(standing.unwrap_or(0));
    let Some(saved) = journal.made_loop.clone() else {
        return Err(not_made_here(&args.what, &wanted));
    };
    if !rights::is_root() {
        let message = format!(
            "cannot remove {}: that needs root.",
            shown(Path::new(&saved.path))
        );
        return Err(Failure::new(Exit::Rights, message).hint(format!(
            "sudo iodyno loop remove {}",
            shell_word(&args.what.to_string_lossy())
        )));
    }
    let is_same_boot = !journal.is_of_an_earlier_boot;
    let state = loop_device::state(&context.host, &saved, is_same_boot)?;
    // What is still being made has its owner's lock, and is told by that.
    if !journal.running || journal.kept.is_some() {
        must_be_unused(&saved, &state, context)?;
    }
    let has_unit = !journal.files.is_empty();
    let id = journal.id();
    let parts = journal.remove_loop(&context.host, args.keep_file)?;
    told(args, &id, &saved, &state, &parts, has_unit, context)
}

/// What was named: a path, and where it is a loop device or a mount point, the device's file.
struct Wanted {
    path: String,
    device: Option<String>,
}

fn wanted(what: &Path, context: &Context) -> Wanted {
    // What is gone has no resolved path, and may still be written down as it was named.
    let absolute = std::path::absolute(what).unwrap_or_else(|_| what.to_path_buf());
    let path = files::canonical(what).unwrap_or(absolute);
    let path = path.to_string_lossy().into_owned();
    let mounts = Mounts::parse(
        &context
            .host
            .text("/proc/self/mountinfo")
            .unwrap_or_default(),
    );
    let mounted = mounts.iter().rev().find(|mount| mount.point == path);
    let of_mount = mounted.and_then(|mount| context.host.block_name(&mount.devno.to_string()));
    let device = path.strip_prefix("/dev/").map(str::to_string).or(of_mount);
    Wanted { path, device }
}

fn is_meant(journal: &Unfinished, wanted: &Wanted, context: &Context) -> bool {
    let Some(saved) = &journal.made_loop else {
        return false;
    };
    let point = saved.point.as_ref().map(|point| point.path.as_str());
    if saved.path == wanted.path || point == Some(wanted.path.as_str()) {
        return true;
    }
    let Some(device) = &wanted.device else {
        return false;
    };
    let state = loop_device::state(&context.host, saved, !journal.is_of_an_earlier_boot);
    state.is_ok_and(|state| state.devices.contains(device))
}

fn has_file(journal: &Unfinished, context: &Context) -> bool {
    let is_there = |saved| {
        let state = loop_device::state(&context.host, saved, !journal.is_of_an_earlier_boot);
        state.is_ok_and(|state| matches!(state.image, ImageNow::There(_)))
    };
    journal.made_loop.as_ref().is_some_and(is_there)
}

/// That no journal knows it, and how it goes without iodyno.
fn not_made_here(what: &Path, wanted: &Wanted) -> Failure {
    let message = format!(
        "{} is no loop device that iodyno made: nothing was touched.",
        shown(what)
    );
    let device = wanted
        .device
        .as_ref()
        .filter(|name| name.starts_with("loop"));
    let failure = Failure::new(Exit::Refused, message).on(shown(what));
    match device {
        Some(device) => failure.hint(format!(
            "Whoever made it takes it away, or you: sudo umount /dev/{device}; sudo losetup --detach /dev/{device}"
        )),
        None => failure.hint("`iodyno loop list` shows those that it made."),
    }
}

/// Names who uses it, before anything is touched.
fn must_be_unused(saved: &SavedLoop, state: &LoopState, context: &Context) -> Result<(), Failure> {
    let point = saved.point.as_ref().map(|point| point.path.as_str());
    let is_on_point = state
        .mounts
        .iter()
        .any(|mount| Some(mount.point.as_str()) == point);
    let point = point.filter(|_| is_on_point);
    let mut uses = Vec::new();
    let mut unseen = None;
    for name in &state.devices {
        let keepers = load::keepers(&context.host, name, point);
        uses.extend(keepers.uses);
        unseen = unseen.or(keepers.unseen);
    }
    if uses.is_empty() {
        return Ok(());
    }
    let more = uses.len().saturating_sub(MOST_NAMED);
    uses.truncate(MOST_NAMED);
    let mut lines: Vec<String> = uses.iter().map(|clause| format!("  {clause}")).collect();
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines.extend(unseen.map(|unseen| format!("  {unseen}")));
    let message = format!(
        "{} is in use, and nothing of it was removed:\n{}",
        shown(Path::new(&saved.path)),
        lines.join("\n")
    );
    Err(Failure::new(Exit::Refused, message)
        .on(&saved.path)
        .why(uses.join("; "))
        .hint("End these, and remove it again."))
}

/// Says what is gone and what is left.
fn told(
    args: &RemoveArgs,
    id: &str,
    saved: &SavedLoop,
    state: &LoopState,
    parts: &[Restored],
    has_unit: bool,
    context: &Context,
) -> Result<Exit, Failure> {
    let out = context.out;
    let (gone, left): (Vec<&Restored>, Vec<&Restored>) =
        parts.iter().partition(|part| part.is_whole());
    let removed: Vec<String> = gone
        .iter()
        .filter(|part| part.written)
        .map(|part| part.path.clone())
        .collect();
    removed
        .iter()
        .for_each(|path| out.say(format!("{path}  removed")));
    if state.image == ImageNow::Another {
        out.say(format!(
            "{}  another file has this name now, and stays",
            saved.path
        ));
    } else if args.keep_file && matches!(state.image, ImageNow::There(_)) {
        out.say(format!("{}  kept", saved.path));
    } else if removed.is_empty() && left.is_empty() {
        out.say(format!("{}: nothing of it was there any more.", saved.path));
    }
    if has_unit && left.is_empty() {
        out.say("Until systemd reads its units again it remembers this one: sudo systemctl daemon-reload");
    }
    let why = |part: &&Restored| LeftPart {
        what: part.path.clone(),
        why: part.error.clone().unwrap_or_default(),
    };
    let left: Vec<LeftPart> = left.iter().map(why).collect();
    let failure = not_whole(&left, id, args);
    out.document(&RemoveDocument {
        schema: "iodyno.loop-remove/1",
        file: saved.path.clone(),
        kept_file: args.keep_file,
        removed,
        left,
    })?;
    failure.map_or(Ok(Exit::Fine), Err)
}

/// What is left, and how to go on.
fn not_whole(left: &[LeftPart], id: &str, args: &RemoveArgs) -> Option<Failure> {
    let first = left.first()?;
    let lines: Vec<String> = left
        .iter()
        .map(|part| format!("  {}: {}", part.what, part.why))
        .collect();
    let message = format!("not all of it could be removed:\n{}", lines.join("\n"));
    let keep = if args.keep_file { " --keep-file" } else { "" };
    let again = shell_word(&args.what.to_string_lossy()).into_owned();
    Some(
        Failure::new(Exit::Failed, message)
            .on(&first.what)
            .why(&first.why)
            .hint(format!(
                "Once that is mended: sudo iodyno loop remove{keep} {again}. A file that you have edited stays; iodyno forgets it with: sudo iodyno undo --forget {id}"
            )),
    )
}
