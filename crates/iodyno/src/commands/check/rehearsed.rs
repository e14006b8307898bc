//! A check on a simulated disk, and the experiments of its findings with it.

use super::CheckArgs;
use crate::context::Context;
use crate::exit::Failure;
use host::Host;

/// Of every rehearsal: a check takes no seed, so each of them is the same.
const SEED: u64 = 1;

/// The machine with a simulated disk, where a rehearsal was asked for.
///
/// # Errors
/// An effect of a value that nothing would try, or the path cannot be looked at.
pub fn begin(args: &CheckArgs, context: &Context) -> Result<Option<Context>, Failure> {
    let Some(rehearse) = &args.rehearse else {
        return Ok(None);
    };
    if let (None, Some((knob, value))) = (args.prove, rehearse.values().next()) {
        return Err(Failure::usage(format!(
            "a check without --prove changes no setting, so {}={value} can have no effect. Name the disk alone, or add --prove.",
            knob.id
        ))
        .on("--rehearse"));
    }
    let path = inventory::collect(&context.host, &args.target)?;
    rehearse.begin(context, &path, SEED).map(Some)
}

/// The seed of what is rehearsed; none where it is done in earnest.
pub fn seed(host: &Host) -> Option<u64> {
    host.rehearsed_on().map(|on| on.seed)
}

/// The same, or another one in earnest.
pub fn seed_or(host: &Host, fresh: impl FnOnce() -> u64) -> u64 {
    seed(host).unwrap_or_else(fresh)
}
