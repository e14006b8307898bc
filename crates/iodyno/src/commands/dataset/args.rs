//! Options of `dataset`.

use crate::commands::job_args::duration_ms;
use crate::commands::scratch_arg::ScratchArg;
use crate::container::{ContainerArg, ContainerPaths, ContainerUse, ForContainer};
use crate::exit::Failure;
use model::dataset::ColdBy;
use model::units::parse_bytes;
use std::path::PathBuf;

/// Arguments of `dataset`.
#[derive(Debug, clap::Args)]
pub struct DatasetArgs {
    /// The tree of files: it is only read, and what it holds is never changed.
    pub tree: PathBuf,
    /// Read the same elsewhere in turns: a copy of the tree, or a directory in which files of the same sizes and depths
    /// are made and removed. Repeat for more.
    #[arg(long, value_name = "DIRECTORY")]
    pub against: Vec<PathBuf>,
    /// A directory on the tree's own file system for a packed file without a name, to say what packing would give there.
    #[arg(long, value_name = "DIRECTORY")]
    pub scratch: Option<PathBuf>,
    /// How many threads read at once, each number by itself: 1,4.
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "1,4",
          value_parser = clap::value_parser!(u32).range(1..=256))]
    pub readers: Vec<u32>,
    /// How often the sample is read, each time in an order of its own.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub epochs: u32,
    /// Files that are drawn at random to be read.
    #[arg(long, value_name = "FILES", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub sample: u32,
    /// Bytes of these files at most: so much is written where a copy or a packed file is made.
    #[arg(long, value_name = "BYTES", default_value = "1g", value_parser = parse_bytes)]
    pub sample_bytes: u64,
    /// A file of more bytes is none of the small ones: it is counted and not read.
    #[arg(long, value_name = "BYTES", default_value = "64m", value_parser = parse_bytes)]
    pub huge: u64,
    /// Time for walking and reading; making copies comes on top.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration_ms)]
    pub budget: u64,
    /// The order of files: random, another one each epoch, or as the directories list them, as tar reads.
    #[arg(long, value_enum, default_value_t)]
    pub order: OrderArg,
    /// How caches are emptied for the cold figures: each file's pages, or, as root, everything that this machine has cached,
    /// which slows down all that runs here.
    #[arg(long, value_enum, default_value_t)]
    pub cold: ColdArg,
    /// Seed of the sample and of all orders [default: from the clock].
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub keep_free: ScratchArg,
    #[command(flatten)]
    pub container: ContainerArg,
}

/// The order in which files are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OrderArg {
    /// At random, as training reads.
    #[default]
    Random,
    /// As the directories list them, as tar and rsync read.
    Listed,
}

/// What is done before a cold read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColdArg {
    /// Each file's pages are dropped.
    #[default]
    Files,
    /// All clean caches of the machine are dropped (/proc/sys/vm/drop_caches).
    Machine,
    /// Nothing: only warm figures.
    No,
}

impl ColdArg {
    /// How the figures say it.
    pub fn by(self) -> Option<ColdBy> {
        match self {
            ColdArg::Files => Some(ColdBy::Files),
            ColdArg::Machine => Some(ColdBy::Machine),
            ColdArg::No => None,
        }
    }
}

impl DatasetArgs {
    /// The numbers of readers, each once, the fewest first.
    pub fn readers(&self) -> Vec<u32> {
        let mut readers = self.readers.clone();
        readers.sort_unstable();
        readers.dedup();
        readers
    }
}

impl ForContainer for DatasetArgs {
    fn part(&self) -> ContainerUse {
        ContainerUse::Loads
    }

    fn container(&self) -> &ContainerArg {
        &self.container
    }

    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure> {
        self.tree = paths.place(&self.tree)?;
        let others = self.against.iter_mut().chain(&mut self.scratch);
        others.into_iter().try_for_each(|path| {
            *path = paths.place(path)?;
            Ok(())
        })
    }
}
