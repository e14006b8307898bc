//! `--layers`, shared by the verbs that load a device.

use host::Host;
use model::iopath::IoPath;
use observe::{Strength, Tracing, TracingWish};

/// How closely the block layer is traced beside the load.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum LayersArg {
    /// Not at all.
    Off,
    /// Full, but off for a disk in memory, where tracing would be most of what is measured.
    Auto,
    /// Completions only, with the kernel's own time stamps.
    Lite,
    /// Every event of every I/O: by eBPF, or by the next of the others here that this machine has.
    Full,
    /// The same without eBPF, from perf's rings.
    Perf,
    /// The same without eBPF, from buffers of tracefs.
    Tracefs,
    /// The same from blktrace, one trace a device.
    Blktrace,
}

/// What was asked for. Nothing is traced unless asked: it costs about a microsecond and a half for each I/O.
pub fn wish(asked: Option<LayersArg>) -> TracingWish {
    match asked {
        None | Some(LayersArg::Off) => TracingWish::Off,
        Some(LayersArg::Auto) => TracingWish::Auto(Strength::Full),
        Some(LayersArg::Lite) => TracingWish::Strength(Strength::Lite),
        Some(LayersArg::Full) => TracingWish::Strength(Strength::Full),
        Some(LayersArg::Perf) => TracingWish::Strength(Strength::Perf),
        Some(LayersArg::Tracefs) => TracingWish::Strength(Strength::Tracefs),
        Some(LayersArg::Blktrace) => TracingWish::Strength(Strength::Blktrace),
    }
}

/// The same for those who only look: completions, whose cost is a fifth of the full strength's.
pub fn wish_or_lite(asked: Option<LayersArg>) -> TracingWish {
    match asked {
        None | Some(LayersArg::Auto) => TracingWish::Auto(Strength::Lite),
        Some(_) => wish(asked),
    }
}

/// Traces the devices of a path as was wished; in a rehearsal there is nothing to trace.
pub fn start(host: &Host, path: &IoPath, wish: TracingWish) -> Tracing {
    match host.rehearsal() {
        Some(_) => Tracing::off("a rehearsal does no I/O that could be traced"),
        None => Tracing::start(path, wish),
    }
}
