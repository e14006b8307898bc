//! The command line: one verb, one file in `commands/`.

use crate::commands;
use clap::{Parser, Subcommand};

/// A dynamometer for storage: load it, watch the kernel, prove which setting helps, keep it or put everything back.
#[derive(Debug, Parser)]
#[command(
    name = "iodyno",
    version,
    long_version = crate::version::lines(),
    propagate_version = true,
    max_term_width = 100
)]
pub struct Cli {
    /// Print one JSON document on stdout; words for people go to stderr.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show the I/O path below a target with every setting; changes nothing.
    Inspect(commands::inspect::InspectArgs),
    /// What differs between two machines, captures or moments, ranked by how likely it matters; changes nothing.
    Diff(commands::diff::DiffArgs),
    /// Say why a target is slow: its path, short safe loads, all sensors and all rules; changes no setting without --prove.
    Check(commands::check::CheckArgs),
    /// Load a target once and keep the measurement as a record.
    Run(commands::run::RunArgs),
    /// Visit a target again and again, from a timer: say what is slower or set otherwise than it was, and what changed with it.
    Guard(commands::guard::GuardArgs),
    /// Watch every sensor live: devices, layers, CPUs, interrupts, memory, processes.
    Watch(commands::watch::WatchArgs),
    /// Show what a limit of a control group holds and what passes it by, and how groups share a disk.
    Limit(commands::limit::LimitArgs),
    /// Make, list and remove loop devices over files that are really written, with a file system and a unit for systemd.
    Loop(commands::loop_device::LoopArgs),
    /// Read a data set of small files, cold and warm, here and elsewhere in turns, and say which is worth it by how much.
    Dataset(commands::dataset::DatasetArgs),
    /// Load and check the storage of a Kubernetes cluster, by storage class, claim, node or host path.
    #[command(name = "k8s")]
    K8s(commands::k8s::K8sArgs),
    /// Prove by a randomised experiment on the live kernel which setting helps, and put everything back.
    Tune(commands::tune::TuneArgs),
    /// Show how far a plan of boots is that `tune --reboot-plan` has made, or take its next step.
    Boots(commands::boots::BootsArgs),
    /// Put in place what a tune has proved.
    Apply(commands::apply::ApplyArgs),
    /// Put values in place that you choose, without a proof, and keep the old ones for `undo`.
    Set(commands::set::SetArgs),
    /// Make records of what other tools measured: fio, rados bench, iostat and others, also pasted into a page.
    Import(commands::import::ImportArgs),
    /// Put old values back: after a death, or after `apply` or `set`.
    Undo(commands::undo::UndoArgs),
    /// Show what iodyno has changed and not yet put back; changes nothing.
    Status,
    /// Do the same on many hosts at once, over ssh or any command that leads to them, and say which host is different.
    Fleet(commands::fleet::FleetArgs),
    /// Serve the web pages and the interface behind them, to a browser on this machine.
    Serve(commands::serve::ServeArgs),
    /// Let the experiment engine decide for any other system: JSON lines on stdin and stdout.
    Judge(commands::judge::JudgeArgs),
    /// Say what a disk of the cloud promises, which type carries a load, and which one a measured rate looks like.
    Cloud(commands::cloud::CloudArgs),
    /// Put records and other tools' results side by side, rank devices, hold them against bounds; changes nothing.
    Compare(commands::compare::CompareArgs),
    /// Show one device over time, and where it changed for good; changes nothing.
    History(commands::history::HistoryArgs),
    /// List the records: all, or those of a host, device, job, setting, tag, time.
    List(commands::list::ListArgs),
    /// Show one record.
    Show(commands::show::ShowArgs),
    /// Put words of your own on records, to find them by.
    Tag(commands::tag::TagArgs),
    /// Write a sentence of your own on a record.
    Note(commands::note::NoteArgs),
    /// Delete records for good; asks first.
    Delete(commands::delete::DeleteArgs),
    /// Write records for other programs: JSON, CSV, Parquet.
    Export(commands::export::ExportArgs),
    /// Take in the records of another store.
    Merge(commands::merge::MergeArgs),
    /// Say where the records are; check them, or copy them.
    Store(commands::store::StoreArgs),
    /// Write a record as one page with figures, as Markdown, JSON or CSV, and its figures as SVG.
    Report(commands::report::ReportArgs),
    /// Explain a knob, a rule, a sensor, an engine, a kernel parameter (sysctl:vm.dirty_ratio) or a profile of them.
    Explain(commands::explain::ExplainArgs),
    /// List everything that `explain` knows.
    Catalogue,
    /// Say which rights a verb can make use of here, which are missing, and how to grant them; changes nothing.
    Rights(commands::rights::RightsArgs),
    /// Print completions for a shell.
    Completions(commands::completions::CompletionsArgs),
    /// Answer a `fleet` on standard input and output: what it starts on each host.
    #[command(hide = true)]
    Attend,
    /// Print a manual page.
    #[command(hide = true)]
    Manual(commands::manual::ManualArgs),
    /// Listen for a `serve`, without any right: what it starts for itself.
    #[command(hide = true)]
    ServeDoor,
    /// Print the OpenAPI description of what `serve` answers.
    #[command(hide = true)]
    Openapi,
    /// Write a file of noise: what `limit` starts inside a group, whose file it is then.
    #[command(hide = true)]
    Fill(commands::limit::FillArgs),
}
