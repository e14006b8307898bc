//! `--layers`, shared by the verbs that load a device.

use pipeline::observe::{Strength, Wish};

/// How closely the block layer is traced beside the load.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum LayersArg {
    /// Not at all.
    Off,
    /// Completions only, with the kernel's own time stamps.
    Lite,
    /// Every event of every I/O.
    Full,
}

/// What was asked for, or the verb's own choice.
pub fn wish(asked: Option<LayersArg>, default: Strength) -> Wish {
    match asked {
        None => Wish::Auto(default),
        Some(LayersArg::Off) => Wish::Off,
        Some(LayersArg::Lite) => Wish::Strength(Strength::Lite),
        Some(LayersArg::Full) => Wish::Strength(Strength::Full),
    }
}
