//! `iodyno watch [DEVICE…]`: every sensor live, on a full screen, as lines, as documents, or for Prometheus.

mod devices;
mod plain;
mod prometheus;
mod stream;

use super::Context;
use super::layers_arg::{LayersArg, wish_or_lite};
use crate::exit::{Exit, Failure};
use crate::tui::{self, run::Setup};
use analyse::fields::{Fields, Frame};
use devices::Devices;
use host::Host;
use host::signals::Stop;
use model::finding::Finding;
use model::units::{parse_duration_ms, span_ms};
use observe::{Keep, LayerHistory, Sampler, Scope, Tracing};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Arguments of `watch`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Block devices by name (`nvme0n1`, `/dev/sda`), or paths: the devices below them. Every device that does I/O
    /// where none is named.
    pub devices: Vec<String>,
    /// Time between two samples, 10ms to 10s.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = interval_ms)]
    pub interval: u64,
    /// Lines in the manner of iostat.
    #[arg(long, conflicts_with = "prometheus")]
    pub plain: bool,
    /// Pictures a second on the full screen, 1 to 10 [default: 2].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10))]
    pub frames: Option<u64>,
    /// Draw the full screen with nothing but ASCII; so it is anyway where the locale is not UTF-8.
    #[arg(long)]
    pub ascii: bool,
    /// Serve the raw counters to Prometheus at this address; a bare port is served on the loopback address.
    #[arg(long, value_name = "ADDR", value_parser = prometheus::address)]
    pub prometheus: Option<std::net::SocketAddr>,
    /// With --prometheus: a name by which it may be asked besides localhost, the address, and, where others reach it, this
    /// machine's name. Repeat for more.
    #[arg(long, value_name = "NAME", requires = "prometheus")]
    pub allow_host: Vec<String>,
    /// Time between two lines or documents (--plain, --json), not less than --interval [default: 1s].
    #[arg(long, value_name = "TIME", value_parser = every_ms)]
    pub every: Option<u64>,
    /// End after so many lines or documents (--plain, --json).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// How closely the block layer is traced [default: lite, but off for a disk in memory].
    #[arg(long)]
    pub layers: Option<LayersArg>,
    /// With --json: how many I/Os took how long, by bucket, of each device that is traced.
    #[arg(long, conflicts_with_all = ["plain", "prometheus"])]
    pub latencies: bool,
    /// Control groups to watch beside the busiest, as below /sys/fs/cgroup.
    #[arg(long, value_name = "PATH")]
    pub cgroup: Vec<String>,
    /// Files whose share of the page cache to watch.
    #[arg(long, value_name = "FILE")]
    pub file: Vec<PathBuf>,
}

impl Args {
    /// Time between two lines or documents, ms.
    fn every_ms(&self) -> u64 {
        self.every.unwrap_or(1000.max(self.interval))
    }

    /// Refuses what would be ignored or could only be empty.
    fn check(&self, context: &Context) -> Result<(), Failure> {
        if context.out.is_json() && (self.plain || self.prometheus.is_some()) {
            return Err(Failure::usage(
                "--json, --plain and --prometheus are three ways to watch; choose one",
            ));
        }
        if self.every_ms() < self.interval {
            let (every, interval) = (span_ms(self.every_ms()), span_ms(self.interval));
            return Err(Failure::usage(format!(
                "--every {every} is less than --interval {interval}: there would be lines without a sample"
            )));
        }
        let host = &context.host;
        if let Some(file) = self
            .file
            .iter()
            .find(|file| !host.exists(&file.to_string_lossy()))
        {
            return Err(Failure::new(
                Exit::Failed,
                format!("{} is not there to be watched", model::text::shown(file)),
            ));
        }
        match self.cgroup.iter().find(|group| !is_group(host, group)) {
            Some(group) => Err(Failure::new(Exit::Failed, format!("there is no control group {group}"))
                .hint("Give its path below /sys/fs/cgroup, as `systemd-cgls` or /proc/PID/cgroup show it.")),
            None => Ok(()),
        }
    }
}

/// Whether a group is in the unified hierarchy or, as before it, in that of a controller.
fn is_group(host: &Host, group: &str) -> bool {
    let group = group.trim_matches('/');
    let has = |root: &str| host.exists(&format!("{root}/{group}"));
    let roots = host
        .list("/sys/fs/cgroup")
        .into_iter()
        .map(|name| format!("/sys/fs/cgroup/{name}"));
    has("/sys/fs/cgroup") || roots.into_iter().any(|root| has(&root))
}

fn interval_ms(text: &str) -> Result<u64, String> {
    let ms = parse_duration_ms(text).map_err(|error| error.to_string())?;
    match (10..=10_000).contains(&ms) {
        true => Ok(ms),
        false => Err("samples are taken 10 ms to 10 s apart".into()),
    }
}

fn every_ms(text: &str) -> Result<u64, String> {
    let ms = parse_duration_ms(text).map_err(|error| error.to_string())?;
    match ms >= 10 {
        true => Ok(ms),
        false => Err("lines are at least 10 ms apart".into()),
    }
}

/// Sensors at work, and what makes sense of them.
pub struct Watching {
    /// What is looked at.
    pub devices: Devices,
    /// The same, as the sensors take it.
    pub scope: Scope,
    /// The sensors.
    pub sampler: Sampler,
    /// The fields.
    pub fields: Fields,
    /// The programs that trace the devices, or why there are none.
    pub tracing: Tracing,
    /// The layers by the second.
    pub layers: LayerHistory,
}

impl Watching {
    /// Finds the devices and starts the sensors, whose samples are kept for so long. Times are ns after that moment.
    fn start(context: &Context, args: &Args, keep: Keep) -> Result<Watching, Failure> {
        let devices = Devices::find(&context.host, &args.devices)?;
        let tracing = Tracing::start(&devices.traced, wish_or_lite(args.layers));
        let scope = Scope {
            devices: devices.named.clone(),
            cgroups: args.cgroup.clone(),
            files: args.file.clone(),
            tracing: tracing.clone(),
            ..Scope::of(&devices.path)
        };
        let origin_ns = host::clock::monotonic_ns();
        let sampler = Sampler::keeping(keep, &context.host, args.interval, origin_ns, &scope);
        let fields = Fields::new(observe::fields());
        Ok(Watching {
            devices,
            scope,
            sampler,
            fields,
            layers: LayerHistory::new(tracing.clone()),
            tracing,
        })
    }

    /// Every field over the time between two moments.
    pub fn frame(&mut self, from_ns: i64, to_ns: i64) -> Frame {
        self.fields.frame(&self.sampler.readings(from_ns, to_ns))
    }
}

/// What is kept where nobody goes back in time: twice what a line is about or a rule judges, and two minutes for
/// sensors that are read rarely.
fn since_the_last_line(args: &Args) -> Keep {
    let line_ns = i64::try_from(args.every_ms())
        .unwrap_or(i64::MAX)
        .saturating_mul(1_000_000);
    Keep::Last(
        line_ns
            .max(JUDGED_NS)
            .saturating_mul(2)
            .saturating_add(120_000_000_000),
    )
}

/// What the live rules judge: long enough that one sample proves nothing, short enough that it is still true.
const JUDGED_NS: i64 = 5_000_000_000;

impl Watching {
    /// What the live rules find in the seconds before a moment, the worst first.
    pub fn findings(&mut self, at_ns: i64) -> Vec<Finding> {
        diagnose::during(&self.frame(at_ns - JUDGED_NS, at_ns))
    }
}

/// Watches until told to stop.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    args.check(context)?;
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
    let mut watching = Watching::start(context, args, Keep::HOUR)?;
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

/// The moments at which lines or documents are due, until a stop is asked for or there were enough.
struct Beats<'a> {
    stop: &'a Stop,
    start_ns: u64,
    every_ns: u64,
    left: Option<u64>,
    next: u64,
}

impl<'a> Beats<'a> {
    fn new(args: &Args, stop: &'a Stop) -> Self {
        let start_ns = host::clock::monotonic_ns();
        Beats {
            stop,
            start_ns,
            every_ns: args.every_ms() * 1_000_000,
            left: args.count,
            next: 1,
        }
    }

    /// Waits for the next moment; false when it is over. Moments that have passed are skipped.
    fn wait(&mut self) -> bool {
        if self.left == Some(0) {
            return false;
        }
        let due_ns = self.start_ns + self.next * self.every_ns;
        while host::clock::monotonic_ns() < due_ns {
            if self.stop.is_asked() {
                return false;
            }
            let left_ns = due_ns.saturating_sub(host::clock::monotonic_ns());
            host::clock::sleep_ns(left_ns.min(50_000_000));
        }
        let passed = (host::clock::monotonic_ns() - self.start_ns) / self.every_ns;
        self.next = passed.max(self.next) + 1;
        !self.stop.is_asked()
    }

    /// Counts what was said: a moment without a new sample says nothing.
    fn said(&mut self) {
        self.left = self.left.map(|left| left.saturating_sub(1));
    }
}
