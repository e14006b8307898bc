//! `iodyno watch [DEVICE…]`: every sensor live, on a full screen, as lines, as documents, or for Prometheus.

use super::Context;
use crate::exit::{Exit, Failure};
use crate::tui::{self, run::Setup};
use pipeline::analyse::fields::Fields;
use pipeline::observe::{self, Keep, LayerHistory, Sampler, Scope, Tracing};
use std::io::IsTerminal;

/// Arguments of `watch`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Block devices by kernel name or path, or paths on them; every device that has seen I/O where none is named.
    pub devices: Vec<String>,
    /// Time between two samples, ms: 10 to 10000.
    #[arg(long, default_value_t = observe::INTERVAL_DEFAULT_MS, value_parser = clap::value_parser!(u64).range(10..=10_000))]
    pub interval_ms: u64,
    /// Pictures a second on the full screen: 1 to 10 [default: 2].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10))]
    pub frames: Option<u64>,
    /// Draw with nothing but ASCII; so it does by itself where the locale is not UTF-8.
    #[arg(long)]
    pub ascii: bool,
}

/// Sensors at work, and what makes sense of them.
pub struct Watching {
    /// The sensors.
    pub sampler: Sampler,
    /// The fields.
    pub fields: Fields,
    /// The layers by the second.
    pub layers: LayerHistory,
}

impl Watching {
    /// Starts the sensors on some devices. Times are ns after now.
    pub fn start(context: &Context, args: &Args, scope: &Scope) -> Watching {
        let origin_ns = host::clock::monotonic_ns();
        let tracing: Tracing = scope.tracing.clone();
        Watching {
            sampler: Sampler::keeping(Keep::Recent, &context.host, args.interval_ms, origin_ns, scope),
            fields: Fields::new(observe::fields()),
            layers: LayerHistory::new(tracing),
        }
    }
}

/// Watches until told to stop.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let names: Vec<&str> = args.devices.iter().map(String::as_str).collect();
    let mut watching = Watching::start(context, args, &Scope::devices(&names));
    if std::io::stdout().is_terminal() && !context.out.is_json() {
        let scope = Scope::devices(&names);
        let setup = Setup {
            scope: &scope,
            interval_ms: args.interval_ms,
            frames_per_s: args.frames,
            is_ascii: args.ascii,
            rules: None,
        };
        return tui::run::run(&mut watching, context, setup);
    }
    let stop = context.stop_on_signals()?;
    while !stop.is_asked() {
        host::clock::sleep_ms(1000);
        let status = watching.sampler.status();
        watching.layers.sample(status.last_ns);
        let readings = watching.sampler.readings(status.last_ns - 1_000_000_000, status.last_ns);
        let frame = watching.fields.frame(&readings);
        frame.all().for_each(|(id, subject, value)| context.out.say(format!("{id} {subject} {value}")));
    }
    Ok(Exit::Fine)
}
