//! `iodyno dataset`: what a tree of small files holds, and how fast it is read here and elsewhere, cold and warm.

mod args;
mod places;
mod records;
mod turns;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::live::Teller;
pub use args::DatasetArgs;
use args::{ColdArg, OrderArg};
use host::data_tree::DataTree;
use host::files::FileKind;
use host::signals::Stop;
use host::{Target, clock, data_tree};
use load::dataset::{Survey, SurveyPlan};
use model::dataset::{DATASET_SCHEMA, DatasetReport};
use model::text::shown;
use model::units;
use places::{Place, Places};
use report::dataset_view;
use store::Store;

/// The share of the budget that walking may take.
const WALK_SHARE: u64 = 4;

/// Looks, makes what is to be read elsewhere, reads in turns, and says which is worth it.
pub fn run(args: &DatasetArgs, context: &Context) -> Result<Exit, Failure> {
    args.keep_free.put_in_place();
    let store = Store::open(&context.state_dir)?;
    if args.cold == ColdArg::Machine {
        // Asked at once: after a long walk it would be a pity.
        data_tree::must_be_allowed_to_drop_caches().map_err(not_root)?;
    }
    must_be_text(args)?;
    let stop = context.stop_on_signals()?;
    let target = Target::open(&args.tree)?;
    if target.kind() != FileKind::Directory {
        return Err(Failure::usage(format!(
            "{} is no directory: a data set is a tree of files",
            shown(&args.tree)
        )));
    }
    let seed = args
        .seed
        .unwrap_or_else(crate::commands::job_args::fresh_seed);
    let provenance = crate::provenance::of(&context.host);
    let teller = Teller::new(context.out);
    let (survey, walked_ms) = walk(args, &target, seed, &stop, &teller)?;
    let mut places = Places::prepare(args, context, target, &survey, (&stop, &teller))?;
    let budget_ms = args.budget.saturating_sub(walked_ms);
    let read = turns::read(
        args,
        &mut places,
        &survey.sample,
        (seed, budget_ms),
        (&stop, &teller),
    );
    teller.clear();
    // Whatever went wrong, what was made goes first.
    let removed = places.remove();
    let done = read?;
    let mut report = DatasetReport {
        schema: DATASET_SCHEMA.into(),
        tree: shown(&args.tree),
        shape: survey.shape,
        seed,
        is_cut: done.is_cut,
        ..DatasetReport::default()
    };
    report.targets = places
        .all
        .iter()
        .enumerate()
        .map(|(at, place)| place.told(&done.tally, at))
        .collect();
    tell_notes(context, &places.all, &done, &mut report);
    let kept = records::keep(&store, provenance, &places.all, &done.tally, &mut report);
    if stop.is_asked() {
        let signal = stop.signal_name();
        context.out.note(format!(
            "iodyno: stopped by {signal}; what was measured until then follows."
        ));
    }
    for line in dataset_view::lines(&report) {
        context.out.say(line);
    }
    context.out.document(&report)?;
    kept.into_iter()
        .try_for_each(crate::keep::Kept::must_be_stored)?;
    // What was measured is told first.
    removed?;
    Ok(match stop.is_asked() {
        true => Exit::Interrupted,
        false => Exit::Fine,
    })
}

/// What lies below a place is looked up by its path as text.
fn must_be_text(args: &DatasetArgs) -> Result<(), Failure> {
    let mut places = std::iter::once(&args.tree).chain(&args.against);
    match places.find(|path| path.to_str().is_none()) {
        None => Ok(()),
        Some(path) => Err(Failure::usage(format!(
            "the path {} is not UTF-8, so the device below it cannot be looked up",
            shown(path)
        ))
        .hint("Rename it, or mount it under another name: mount --bind.")),
    }
}

fn not_root(error: host::Error) -> Failure {
    let failure = Failure::from(error);
    match failure.exit {
        Exit::Rights => failure.hint(
            "Only root may drop the caches of the machine: put sudo before iodyno, or use --cold files, which needs no rights.",
        ),
        _ => failure,
    }
}

/// The walk, and how long it took, ms.
fn walk(
    args: &DatasetArgs,
    target: &Target,
    seed: u64,
    stop: &Stop,
    teller: &Teller,
) -> Result<(Survey, u64), Failure> {
    let tree = DataTree::open(target)?;
    let begun_ns = clock::monotonic_ns();
    let plan = SurveyPlan {
        sample_files: args.sample as usize,
        sample_bytes: args.sample_bytes,
        huge_bytes: args.huge,
        until_ns: begun_ns + args.budget / WALK_SHARE * 1_000_000,
        seed,
    };
    let mut tell = |files: u64| {
        teller.say(format!(
            "walking {}: {} files",
            shown(&args.tree),
            units::count(files as f64)
        ));
    };
    let mut survey = load::dataset::survey(&tree, &plan, stop, &mut tell)?;
    if args.order == OrderArg::Listed {
        survey.sample.sort_by_key(|file| file.index);
    }
    if survey.sample.is_empty() && !stop.is_asked() {
        return Err(nothing_to_read(args, &survey));
    }
    let walked_ms = (clock::monotonic_ns() - begun_ns) / 1_000_000;
    Ok((survey, walked_ms))
}

fn nothing_to_read(args: &DatasetArgs, survey: &Survey) -> Failure {
    let shape = &survey.shape;
    let tree = shown(&args.tree);
    if shape.huge > 0 {
        let most = units::size_word(args.huge);
        return Failure::usage(format!(
            "no file in {tree} is small: all {} have more than {most} bytes",
            shape.huge
        ))
        .hint("Name a larger --huge, or measure large files with iodyno run.");
    }
    if shape.unreadable > 0 {
        return Failure::new(
            Exit::Rights,
            format!(
                "nothing in {tree} can be read: {} entries are not readable for this user",
                shape.unreadable
            ),
        );
    }
    Failure::usage(format!("there is no regular file in {tree}"))
        .hint("Is its file system mounted?")
}

fn tell_notes(
    context: &Context,
    places: &[Place],
    done: &turns::ReadingDone,
    report: &mut DatasetReport,
) {
    for (at, place) in places.iter().enumerate() {
        let notes =
            diagnose::dataset::notes_on(report, &report.targets[at], &place.facts(places.first()));
        report.targets[at].notes = notes;
    }
    report.notes = diagnose::dataset::notes(report, context.host.meminfo_bytes("MemTotal"));
    report.notes.extend(done.notes.iter().cloned());
}
