//! `iodyno apply`: puts in place what a tune has proved, and keeps the journal so that `undo` can take it back.

mod elsewhere;

use crate::commands::job_args::duration_ms;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::in_place::{self, Change};
use apply::proven::{self, NotProven};
use apply::{PersistPlan, SettingWish};
use lookup::documents::{Applied, AppliedValue};
use model::record::Record;
use store::{Origin, Store};

/// Arguments of `apply`.
#[derive(Debug, clap::Args)]
pub struct ApplyArgs {
    /// Number of the tune's record, as `iodyno list` shows it.
    pub record: i64,
    /// Make the settings outlive a reboot, the way this distribution does it.
    #[arg(long)]
    pub persist: bool,
    /// Put everything back unless `keep` is typed within this time: after Ctrl-C, a lost connection or silence too.
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub confirm: Option<u64>,
    /// Show what would be written; do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Apply a record that was not measured on this machine; shows first what of it is trusted.
    #[arg(long)]
    pub from_elsewhere: bool,
}

/// Writes the proven values in their order, each read back; on any error everything is put back.
pub fn run(args: &ApplyArgs, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    let (record, origin) = (store.get(args.record)?, store.origin(args.record)?);
    let wish = wish(args, &record, &origin, context)?;
    let persist = if args.persist {
        plan_persist(context, &wish)?
    } else {
        Vec::new()
    };
    wish.values()
        .iter()
        .for_each(|value| context.out.say(in_place::line(value)));
    for plan in &persist {
        context.out.say(&plan.path);
        plan.content.lines().for_each(|line| context.out.say(line));
    }
    let journal = if args.dry_run {
        None
    } else {
        let change = Change {
            purpose: format!("apply {}", args.record),
            device: wish.device(),
            values: wish.values(),
            files: &persist,
            confirm_ms: args.confirm,
        };
        Some(in_place::put(&change, context)?)
    };
    let persisted = persist.into_iter().map(|plan| plan.path).collect();
    let device = wish.device().to_string();
    let values = wish
        .values()
        .iter()
        .map(|proven| AppliedValue {
            knob: proven.knob.id.into(),
            subject: proven.files.subject().clone(),
            value: proven.value.clone(),
        })
        .collect();
    context.out.document(&Applied {
        schema: "iodyno.apply/2".into(),
        device,
        values,
        origin,
        persisted,
        journal,
    })?;
    Ok(Exit::Fine)
}

/// The values that the record proved to be better, checked word by word; of a record from elsewhere only where that is
/// said to be meant.
fn wish(
    args: &ApplyArgs,
    record: &Record,
    origin: &Origin,
    context: &Context,
) -> Result<SettingWish, Failure> {
    let id = args.record;
    let found = proven::wish(id, record, &context.host);
    if let Err(NotProven::Nothing) = found {
        return Err(Failure::usage(format!(
            "record {id}: {}.",
            NotProven::Nothing
        )));
    }
    let elsewhere = elsewhere::why(id, record, origin, &context.host);
    if let (Some(why), false) = (&elsewhere, args.from_elsewhere) {
        return Err(elsewhere::refusal(args, why));
    }
    let wish = found.map_err(|why| refused(id, &why))?;
    if let Some(why) = elsewhere {
        elsewhere::trusted(&why, record, &wish, &context.host)
            .into_iter()
            .for_each(|line| context.out.say(line));
    }
    Ok(wish)
}

/// What is not here is the machine's matter; what is wrong with the record is refused.
fn refused(id: i64, why: &NotProven) -> Failure {
    let exit = if matches!(why, NotProven::NoDevice(_)) {
        Exit::Failed
    } else {
        Exit::Refused
    };
    Failure::new(exit, format!("record {id}: {why}. Nothing was changed."))
        .on(format!("record {id}"))
        .why(why.to_string())
}

fn plan_persist(context: &Context, wish: &SettingWish) -> Result<Vec<PersistPlan>, Failure> {
    apply::plans(&context.host, wish).map_err(|reasons| {
        let reasons: Vec<String> = reasons.iter().map(|why| format!("  {why}")).collect();
        let message = format!(
            "no way to make this permanent here:\n{}",
            reasons.join("\n")
        );
        Failure::new(Exit::Failed, message).hint("Without --persist it holds until the next boot.")
    })
}
