//! `--persist` of `apply` and `set`: the files that keep values for the next boot, who else sets the same settings, and what
//! somebody has to consent to before anything is written.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use apply::{CheckedValue, PersistPlan, SettingWish};
use lookup::rivals::{self, Rival};
use model::subject::SubjectKind;

/// What is asked for beyond the next boot.
#[derive(Debug, clap::Args)]
pub struct PersistArgs {
    /// Make the settings outlive a reboot, the way this distribution does it.
    #[arg(long)]
    pub persist: bool,
    /// With --persist: where a file of somebody else would have the last word, write one whose name sorts after it.
    #[arg(long, requires = "persist")]
    pub outrank: bool,
    /// With --persist: also where somebody else keeps the last word, such as TuneD.
    #[arg(long, requires = "persist")]
    pub despite_owners: bool,
    /// With --persist: make the change of /etc/fstab or of another file that was shown.
    #[arg(long, requires = "persist")]
    pub write_proposal: bool,
}

impl PersistArgs {
    /// The options as they are typed, each with a space in front.
    pub fn words(&self) -> String {
        let all = [
            (self.persist, " --persist"),
            (self.outrank, " --outrank"),
            (self.despite_owners, " --despite-owners"),
            (self.write_proposal, " --write-proposal"),
        ];
        all.into_iter()
            .filter_map(|(is_given, word)| is_given.then_some(word))
            .collect()
    }
}

/// The files to write for a wish; none where nothing is to outlive a reboot. What would be written is shown, and who
/// else sets the same.
///
/// # Errors
/// Where nothing can keep the values; where somebody else has the last word and nobody consented; where a file of
/// somebody else's would have to be changed and that was not asked for.
pub fn files(
    args: &PersistArgs,
    wish: &SettingWish,
    is_dry: bool,
    context: &Context,
) -> Result<Vec<PersistPlan>, Failure> {
    if !args.persist {
        return Ok(Vec::new());
    }
    let kept = apply::plans(&context.host, wish).map_err(|reasons| no_way(&reasons))?;
    let beside = kept.beside;
    let mut files = kept.needed;
    if args.write_proposal {
        files.extend(beside.iter().cloned());
    }
    let rivals = match args.outrank {
        true => outranked(&mut files, wish, context),
        false => rivals::of(&context.host, wish.device(), wish.values(), &files),
    };
    files.iter().for_each(|file| show(file, context));
    let (over, under): (Vec<Rival>, Vec<Rival>) =
        rivals.into_iter().partition(|rival| rival.has_last_word);
    for rival in under {
        let word = if rival.owner.is_certain() {
            "Acts before this"
        } else {
            "May act too"
        };
        context.out.say(format!("{word}: {}", rival.words()));
    }
    let bans: Vec<&PersistPlan> = beside.iter().filter(|_| !args.write_proposal).collect();
    let refused = match over.as_slice() {
        [] => None,
        over if args.despite_owners => {
            let words = over.iter().map(|rival| rival.words());
            words.for_each(|words| {
                context
                    .out
                    .say(format!("Has the last word all the same: {words}"))
            });
            None
        }
        over => {
            bans.iter().for_each(|file| show(file, context));
            let can_outrank = !args.outrank && files.iter().any(|file| file.later.is_some());
            Some(refusal(over, can_outrank, !bans.is_empty(), wish))
        }
    };
    match refused.or_else(|| not_asked_for(args, &files)) {
        Some(refusal) if is_dry => context.out.text(refusal.message),
        Some(refusal) => return Err(refusal),
        None => {}
    }
    Ok(files)
}

/// Gives the files names that sort after those of others, where others would have the last word; who else sets the same.
fn outranked(files: &mut [PersistPlan], wish: &SettingWish, context: &Context) -> Vec<Rival> {
    let rivals = rivals::of(&context.host, wish.device(), wish.values(), files);
    if !rivals.iter().any(|rival| rival.has_last_word) {
        return rivals;
    }
    for file in files.iter_mut() {
        if let Some(later) = file.later.take() {
            file.activate = file.activate.replace(&file.path, &later);
            file.path = later;
        }
    }
    rivals::of(&context.host, wish.device(), wish.values(), files)
}

/// That a file of somebody else's would be changed, which nobody has asked for.
fn not_asked_for(args: &PersistArgs, files: &[PersistPlan]) -> Option<Failure> {
    let mut files = files.iter().filter(|_| !args.write_proposal);
    let file = files.find(|file| file.before.is_some())?;
    let message = format!(
        "{} belongs to you, and is changed only where that was asked for. Nothing was changed.",
        file.path
    );
    Some(Failure::new(Exit::Refused, message).on(&file.path).hint(
        "To make the change that is shown: --write-proposal. Without --persist the values hold until the next boot.",
    ))
}

/// What is not written for good but right now meets irqbalance all the same: said, since it acts within seconds.
pub fn warn_of_cycles(wish: &SettingWish, context: &Context) {
    let interrupts: Vec<CheckedValue> = wish
        .values()
        .iter()
        .filter(|value| value.knob.on == SubjectKind::Interrupt)
        .cloned()
        .collect();
    if interrupts.is_empty() {
        return;
    }
    for rival in rivals::of(&context.host, wish.device(), &interrupts, &[]) {
        context.out.say(format!(
            "It will not stay: {}. --persist shows how to keep it.",
            rival.words()
        ));
    }
}

/// A file as it would be, or of somebody else's the change.
fn show(file: &PersistPlan, context: &Context) {
    match &file.before {
        Some(before) => {
            let diff = view::unified::unified(&file.path, before, &file.content);
            context.out.text(diff.join("\n"));
        }
        None => {
            context.out.say(&file.path);
            file.content.lines().for_each(|line| context.out.say(line));
        }
    }
}

fn no_way(reasons: &[String]) -> Failure {
    let reasons: Vec<String> = reasons.iter().map(|why| format!("  {why}")).collect();
    let message = format!(
        "no way to make this permanent here:\n{}",
        reasons.join("\n")
    );
    Failure::new(Exit::Failed, message).hint("Without --persist it holds until the next boot.")
}

fn refusal(over: &[Rival], can_outrank: bool, can_ban: bool, wish: &SettingWish) -> Failure {
    let lines: Vec<String> = over
        .iter()
        .map(|rival| format!("  {}", rival.words()))
        .collect();
    let message = format!(
        "somebody else would have the last word at the next boot:\n{}\nNothing was changed.",
        lines.join("\n")
    );
    let mut ways = vec!["take that out".to_string()];
    let is_tuned = over.iter().any(|rival| rival.owner.kind == "tuned");
    if let (true, apply::Proof::Record(id)) = (is_tuned, wish.proof()) {
        ways.push(format!("have TuneD set it (iodyno apply {id} --as tuned)"));
    }
    if can_outrank && !is_tuned {
        ways.push("write a file whose name sorts after it (--outrank)".into());
    }
    if can_ban {
        ways.push("keep irqbalance from it by the change above (--write-proposal)".into());
    }
    ways.push("write it all the same (--despite-owners)".into());
    let places: Vec<&str> = over
        .iter()
        .map(|rival| rival.owner.place.as_str())
        .collect();
    Failure::new(Exit::Refused, message)
        .on(places.join(", "))
        .why("it acts later and wants another value")
        .hint(format!("Ways out: {}.", ways.join("; ")))
}
