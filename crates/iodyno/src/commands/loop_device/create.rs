//! `iodyno loop create`: every step is written down before it is taken, so that whatever happens in between, all of it goes.

use super::document::{CreateDocument, LoopRow};
use super::plan::LoopPlan;
use super::{file_system, shell};
use crate::commands::scratch_arg::ScratchArg;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::live::LiveLine;
use host::files::{Access, DataFile};
use host::loop_device::{self, MountPoint};
use host::signals::Stop;
use host::{Journal, clock};
use load::LoadError;
use model::change::Restored;
use model::units::{self, parse_bytes};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Arguments of `loop create`.
#[derive(Debug, clap::Args)]
pub struct CreateArgs {
    /// The file to make. Nothing may have its name: what exists is never overwritten.
    pub file: PathBuf,
    /// Its size, such as 200g; every byte of it is written.
    #[arg(long, value_parser = parse_bytes)]
    pub size: u64,
    /// The file system to make on the device.
    #[arg(long, value_name = "KIND", default_value = "ext4", value_parser = ["ext4", "xfs", "none"])]
    pub fs: String,
    /// Mount it on this empty directory, which is made where it is missing.
    #[arg(long, value_name = "DIRECTORY")]
    pub mount: Option<PathBuf>,
    /// How many files ext4 shall have room for, for many small ones; xfs makes inodes as they are needed.
    #[arg(long, value_name = "N")]
    pub inodes: Option<u64>,
    /// Whether the device does direct I/O to its file: where the file system allows it, in any case, or not.
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "yes", "no"])]
    pub direct_io: String,
    /// Size of a logical sector of the device, bytes [default: what direct I/O to the file needs, 512 or more].
    #[arg(long, value_name = "BYTES", value_parser = sector_bytes)]
    pub sector: Option<u32>,
    /// Write a unit for systemd that attaches and mounts it at boot.
    #[arg(long)]
    pub unit: bool,
    #[command(flatten)]
    pub keep: ScratchArg,
    /// Show the commands that do the same, and the unit; make nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// The driver takes powers of two from 512 bytes to a page.
fn sector_bytes(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bytes @ (512 | 1024 | 2048 | 4096)) => Ok(bytes),
        _ => Err("a sector has 512, 1024, 2048 or 4096 bytes".into()),
    }
}

/// Makes it, or shows how it would be made.
pub fn run(args: &CreateArgs, context: &Context) -> Result<Exit, Failure> {
    crate::unfinished::warn(context);
    args.keep.put_in_place();
    let mut plan = LoopPlan::of(args, context)?;
    if args.dry_run {
        context.out.text(shell::script(&plan).join("\n"));
        context.out.document(&plan.document())?;
        return Ok(Exit::Fine);
    }
    plan.must_be_possible(args)?;
    let stop = context.stop_on_signals()?;
    let mut journal = Journal::begin_for_files(&context.host, &context.state_dir, &plan.purpose())?;
    let begun_ns = clock::monotonic_ns();
    let made = make(&mut plan, &mut journal, &stop, context)
        .and_then(|device| Ok((device, journal.keep()?)));
    let (device, id) = match made {
        Ok(made) => made,
        Err(failure) => return Err(taken_back(journal, failure)),
    };
    let took_ms = (clock::monotonic_ns() - begun_ns) / 1_000_000;
    let row = LoopRow::new(&context.host, &id, &plan.saved, plan.unit_paths())?;
    say(&plan, &row, &device, took_ms, context);
    context.out.document(&CreateDocument {
        schema: "iodyno.loop-create/1",
        made: row,
        took_ms,
    })?;
    Ok(Exit::Fine)
}

/// All steps in order; gives the device's kernel name.
fn make(
    plan: &mut LoopPlan,
    journal: &mut Journal,
    stop: &Stop,
    context: &Context,
) -> Result<String, Failure> {
    let host = &context.host;
    journal.set_loop(&plan.saved)?;
    let point = mount_point(plan, journal, context)?;
    let (file, image) = plan.place.create(&plan.saved.id)?;
    plan.saved.image = Some(image);
    journal.set_loop(&plan.saved)?;
    plan.place.name(&plan.saved.id)?;
    allocate(&file, plan)?;
    file_system::try_options(plan, stop)?;
    must_go_on(stop)?;
    write(plan, &file, stop)?;
    must_go_on(stop)?;
    let device = loop_device::attach(&file, plan.saved.sector_bytes, plan.saved.direct)?;
    plan.must_be_direct(host, &device)?;
    file_system::make(plan, &device, stop)?;
    must_go_on(stop)?;
    write_over(plan, &file, stop)?;
    if let (Some(point), Some(fs)) = (point, &plan.saved.fs) {
        point.mount(host, &format!("/dev/{device}"), fs)?;
    }
    for (path, content) in &plan.unit {
        journal.write_file(path, content)?;
    }
    must_go_on(stop)?;
    Ok(device)
}

/// Opens the directory to mount on, and makes it where it is missing.
fn mount_point(
    plan: &mut LoopPlan,
    journal: &mut Journal,
    context: &Context,
) -> Result<Option<MountPoint>, Failure> {
    let Some(planned) = &plan.point else {
        return Ok(None);
    };
    match planned.open(&context.host) {
        Err(error) if error.is_taken() => {
            let why = "another program has just made it, and may be about to use it. Name another directory";
            let refused = host::Error::refused("mount on", planned.path(), why);
            // It is not ours to remove.
            if let Some(point) = &mut plan.saved.point {
                point.made = false;
            }
            journal.set_loop(&plan.saved)?;
            Err(refused.into())
        }
        opened => Ok(Some(opened?)),
    }
}

fn must_go_on(stop: &Stop) -> Result<(), Failure> {
    match stop.is_asked() {
        true => Err(Failure::new(
            Exit::Interrupted,
            format!("stopped by {}.", stop.signal_name()),
        )),
        false => Ok(()),
    }
}

/// Reserves the space first where the file system can: a full disk shows now, and the file lies in few pieces. The
/// reserved extents count as unwritten until they are written.
fn allocate(file: &DataFile, plan: &mut LoopPlan) -> Result<(), Failure> {
    match file.reserve(plan.saved.bytes) {
        Ok(()) => plan.is_reserved = true,
        Err(error) if error.is_unsupported() => file.extend(plan.saved.bytes)?,
        Err(error) => return Err(plan.no_room(&error.to_string())),
    }
    Ok(())
}

/// Writes all of it, past the page cache where the file system allows that.
fn write(plan: &LoopPlan, file: &DataFile, stop: &Stop) -> Result<(), Failure> {
    let writer = writer(plan, file)?;
    let mut progress = WriteProgress::new(&plan.saved.path);
    let is_short = || plan.eaten();
    let mut told = |done, total| progress.show(done, total);
    let written = load::write_whole(&writer, plan.saved.bytes, stop, &is_short, &mut told);
    progress.line.clear();
    written.map_err(|error| stopped(error, plan))?;
    // What went through the page cache keeps others' pages out of it.
    Ok(file.drop_cache(0, plan.saved.bytes)?)
}

/// What mkfs zeroes it has the device zero, which the kernel does by extents of the file that count as unwritten again
/// (`REQ_OP_WRITE_ZEROES` of drivers/block/loop.c). They hold zeros, and are written as such; nobody uses the device yet.
fn write_over(plan: &LoopPlan, file: &DataFile, stop: &Stop) -> Result<(), Failure> {
    file.sync()?;
    let ranges = file.unwritten_ranges(plan.saved.bytes).unwrap_or_default();
    if ranges.is_empty() {
        return Ok(());
    }
    let writer = writer(plan, file)?;
    for range in ranges {
        load::write_zeros(&writer, range, stop).map_err(|error| stopped(error, plan))?;
    }
    Ok(writer.sync()?)
}

/// The same file, opened to write past the page cache where the file system allows that.
fn writer(plan: &LoopPlan, file: &DataFile) -> host::Result<DataFile> {
    file.reopen(Access {
        direct: plan.takes_direct,
        write: true,
        ..Access::default()
    })
}

/// Why the writing ended.
fn stopped(error: LoadError, plan: &LoopPlan) -> Failure {
    match error {
        LoadError::Stopped { signal, .. } => {
            Failure::new(Exit::Interrupted, format!("stopped by {signal}."))
        }
        LoadError::NoSpace { .. } => plan.no_room(&error.to_string()),
        LoadError::Filled { reason, .. } => plan.no_room(&reason),
        error => error.into(),
    }
}

/// How far the writing is, with the time left: redrawn on a terminal, elsewhere a line every ten seconds.
struct WriteProgress<'a> {
    path: &'a str,
    line: LiveLine,
    is_terminal: bool,
    begun_ns: u64,
    next_ns: u64,
}

impl WriteProgress<'_> {
    fn new(path: &str) -> WriteProgress<'_> {
        let is_terminal = std::io::stderr().is_terminal();
        let now_ns = clock::monotonic_ns();
        WriteProgress {
            path,
            line: LiveLine::new(),
            is_terminal,
            begun_ns: now_ns,
            next_ns: now_ns + Self::pause_ns(is_terminal),
        }
    }

    fn pause_ns(is_terminal: bool) -> u64 {
        if is_terminal {
            200_000_000
        } else {
            10_000_000_000
        }
    }

    fn show(&mut self, done: u64, total: u64) {
        let now_ns = clock::monotonic_ns();
        if now_ns < self.next_ns {
            return;
        }
        self.next_ns = now_ns + Self::pause_ns(self.is_terminal);
        let rate = done as f64 / ((now_ns - self.begun_ns) as f64 / 1e9);
        let left_ms = ((total - done) as f64 / rate.max(1.0) * 1e3) as u64;
        let text = format!(
            "writing {}: {} of {}, {}, {} left",
            model::text::clean(self.path),
            units::bytes(done as f64),
            units::bytes(total as f64),
            units::bytes_per_s(rate),
            units::span_ms(left_ms)
        );
        match self.is_terminal {
            true => self.line.say(text),
            false => crate::out::Out::new(false).note(text),
        }
    }
}

/// Takes everything back after a failure, and says whether it is gone.
fn taken_back(journal: Journal, failure: Failure) -> Failure {
    let id = journal.id();
    let again = format!("To take it away: iodyno undo {id}");
    match journal.revert() {
        Ok(removed) if removed.iter().all(Restored::is_whole) => {
            failure.hint("Nothing of it is left.")
        }
        Ok(removed) => {
            let left = removed.iter().filter(|one| !one.is_whole());
            let left: Vec<String> = left
                .map(|one| format!("{}: {}", one.path, one.error.clone().unwrap_or_default()))
                .collect();
            failure.hint(format!("Still there: {}. {again}", left.join("; ")))
        }
        Err(error) => failure.hint(format!("Not all of it is gone: {error}. {again}")),
    }
}

fn say(plan: &LoopPlan, row: &LoopRow, device: &str, took_ms: u64, context: &Context) {
    let out = context.out;
    out.say(format!(
        "/dev/{device} over {}, {} written in full, in {}.",
        model::text::clean(&plan.saved.path),
        units::bytes(plan.saved.bytes as f64),
        units::span_ms(took_ms)
    ));
    row.details().into_iter().for_each(|line| out.say(line));
    if plan.place.is_in_memory() {
        out.say("Its file lies in memory (tmpfs): a reboot takes it with all that is in it.");
    } else if !plan.unit.is_empty() {
        out.say("Attached and mounted at boot from now on, once systemd knows: sudo systemctl daemon-reload");
    } else {
        out.say("After a reboot it is not attached: `iodyno loop list` prints the commands; --unit would have written a unit for that.");
    }
    let target = model::text::shell_word(&plan.saved.path);
    out.say(format!(
        "Take it away with its file: sudo iodyno loop remove {target}"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_one_that_the_driver_takes() {
        assert_eq!(sector_bytes("4096"), Ok(4096));
        for none in ["0", "513", "8192", "4k", ""] {
            assert!(sector_bytes(none).is_err(), "{none}");
        }
    }
}
