//! `watch --prometheus ADDR`: the raw counters over HTTP, on the same way in as `serve`.

use super::args::WatchArgs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::watching::Watching;
use host::signals::Stop;
use report::exposition;
use serve::Metrics;
use std::net::SocketAddr;

/// Serves until told to stop.
pub fn serve(
    address: SocketAddr,
    args: &WatchArgs,
    context: &Context,
    stop: &Stop,
) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(
            Exit::Failed,
            format!("cannot serve metrics at {address}: {error}"),
        )
        .hint("Choose another port, or an address of this machine.")
    };
    let server = Metrics::bind(address, &args.allow_host).map_err(failed)?;
    let bound = server.address().map_err(failed)?;
    let watching = Watching::start(&context.host, &args.wanted(), args.since_the_last_line())?;
    context.out.say(format!("serving http://{bound}/metrics"));
    if !bound.ip().is_loopback() {
        context.out.note(
            "Everybody who reaches this address can read which devices and processes do I/O here.",
        );
    }
    server
        .run(stop, &mut || metrics(&watching))
        .map_err(failed)?;
    Ok(Exit::Fine)
}

fn metrics(watching: &Watching) -> String {
    let status = watching.sampler.status();
    let readings = watching.sampler.readings(status.last_ns, status.last_ns);
    let mut text = exposition::text(&observe::metrics(), &readings);
    if let Some(layers) = watching.tracing.read() {
        text.push_str(&exposition::layers(&layers));
    }
    text
}
