//! `iodyno watch [DEVICE…]`: every sensor live, on a full screen, as lines, as documents, or for Prometheus.

mod args;
mod beats;
mod plain;
mod prometheus;
mod stream;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::tui::{self, run::Setup};
use crate::watching::Watching;
pub use args::WatchArgs;
use observe::Keep;
use std::io::IsTerminal;

/// Watches until told to stop.
pub fn run(args: &WatchArgs, context: &Context) -> Result<Exit, Failure> {
    args.check(context)?;
    let args = &args.with_groups_by_path(&context.host)?;
    let stop = context.stop_on_signals()?;
    if let Some(address) = args.prometheus {
        return prometheus::serve(address, args, context, &stop);
    }
    if context.out.is_json() {
        return stream::run(args, context, &stop);
    }
    if args.plain || !has_screen() {
        return plain::run(args, context, &stop);
    }
    let mut watching = Watching::start(&context.host, &args.wanted(), Keep::HOUR)?;
    let setup = Setup {
        interval_ms: args.interval,
        frames_per_s: args.frames,
        is_ascii: args.ascii,
        stop: &stop,
    };
    tui::run::run(&mut watching, context, &setup)
}

/// Whether stdout is a terminal that can place words on it: one without a name, or that calls itself dumb, cannot.
fn has_screen() -> bool {
    let can_place = host::environment::variable("TERM").is_some_and(|name| name != "dumb");
    std::io::stdout().is_terminal() && can_place
}
