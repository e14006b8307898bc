//! `iodyno loop list`: the loop devices that iodyno made, with what is wrong with each, and those of others.

use super::document::{ListDocument, LoopRow, OtherLoop};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::unfinished;
use host::{Host, Unfinished, loop_device};
use kernel::devno::Devno;
use kernel::mounts::Mounts;
use model::text::clean;
use model::units;

/// Lists them.
pub fn run(context: &Context) -> Result<Exit, Failure> {
    let found = host::find_unfinished(&context.host, &context.state_dir);
    for error in &found.errors {
        context.out.note(format!("iodyno: {error}"));
    }
    let rows = found
        .journals
        .iter()
        .filter_map(|journal| row(&context.host, journal));
    let loops: Vec<LoopRow> = rows.collect();
    let own: Vec<&String> = loops.iter().filter_map(|row| row.device.as_ref()).collect();
    let others = loop_device::all(&context.host);
    let others: Vec<OtherLoop> = others
        .iter()
        .filter(|name| !own.contains(name))
        .map(|name| other(&context.host, name))
        .collect();
    loops.iter().for_each(|row| say(row, context));
    if loops.is_empty() {
        context
            .out
            .say("iodyno has made no loop device here. `iodyno loop create --help` says how.");
    }
    others.iter().for_each(|other| say_other(other, context));
    context.out.document(&ListDocument {
        schema: "iodyno.loop-list/1",
        loops,
        others,
    })?;
    unfinished::must_be_read(found.errors)?;
    Ok(Exit::Fine)
}

/// The loop device that a journal holds; none where it holds none.
fn row(host: &Host, journal: &Unfinished) -> Option<LoopRow> {
    let saved = journal.made_loop.as_ref()?;
    let state = match (journal.running, journal.kept.is_some()) {
        (true, false) => "running",
        (_, true) => "made",
        (false, false) => "unfinished",
    };
    let unit: Vec<String> = journal.files.iter().map(|file| file.path.clone()).collect();
    let (id, is_same_boot) = (journal.id(), !journal.is_of_an_earlier_boot);
    let row = LoopRow::of(host, &id, saved, unit.clone(), is_same_boot, state);
    // One that cannot be looked at hides none of the others.
    Some(row.unwrap_or_else(|error| LoopRow::unseen(&id, saved, unit, state, &error)))
}

fn say(row: &LoopRow, context: &Context) {
    let device = row.device.as_ref().map(|name| format!("/dev/{name}  "));
    context.out.say(format!(
        "{}  {}{}",
        clean(&row.file),
        device.unwrap_or_default(),
        units::bytes(row.bytes as f64)
    ));
    row.details()
        .into_iter()
        .for_each(|line| context.out.say(line));
    let file = model::text::shell_word(&row.file);
    match row.state {
        "running" => context.out.say("  being made right now"),
        "unfinished" => context.out.say(format!(
            "  its creation did not end; take away what is there: sudo iodyno loop remove {file}"
        )),
        _ => {}
    }
}

fn other(host: &Host, name: &str) -> OtherLoop {
    let text = |attribute: &str| host.text(&format!("/sys/class/block/{name}/{attribute}"));
    let number = text("dev").and_then(|text| Devno::parse(&text));
    let mounts = Mounts::parse(&host.text("/proc/self/mountinfo").unwrap_or_default());
    let points = mounts
        .into_iter()
        .filter(|mount| Some(mount.devno) == number);
    OtherLoop {
        device: name.into(),
        file: text("loop/backing_file").unwrap_or_default(),
        direct_io: text("loop/dio").map(|dio| dio.trim() == "1"),
        mounted_on: points.map(|mount| mount.point).collect(),
    }
}

fn say_other(other: &OtherLoop, context: &Context) {
    let direct = match other.direct_io {
        Some(true) => "  direct I/O on",
        Some(false) => "  direct I/O off",
        None => "",
    };
    let mounted = match other.mounted_on.is_empty() {
        true => String::new(),
        false => format!("  on {}", other.mounted_on.join(", ")),
    };
    context.out.say(format!(
        "/dev/{}  {}{direct}{}  made by others",
        clean(&other.device),
        clean(&other.file),
        clean(&mounted)
    ));
}
