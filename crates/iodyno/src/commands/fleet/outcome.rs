//! What came of one host, as it is gathered while its verb runs.

use super::host_run::{PlannedHost, Trouble};
use fleet::{HostAnswer, HostFigures};
use model::failure::ErrorDocument;
use model::iopath::IoPath;
use serde_json::Value;

/// Lines of words that are kept, the first ones.
const SAID_MAX: usize = 20;

/// What came of a host.
#[derive(Clone, Debug, Default)]
pub struct HostOutcome {
    /// As it stands in the answer.
    pub answer: HostAnswer,
    /// Its document, until it is read.
    pub document: Option<Value>,
    /// Its record, until it is kept.
    pub record: Option<Value>,
    /// What the verb said.
    pub said: Vec<String>,
    /// When its load began, ns of our clock, and what that may be off.
    pub began: Option<(i128, u64)>,
    /// Whether a verb was at work that can change something, and its end is not known.
    pub is_lost_at_work: bool,
    /// Whether it says itself that something is unfinished there.
    pub is_changed: bool,
    /// The figures of its load.
    pub figures: HostFigures,
    /// The path below its target.
    pub path: Option<IoPath>,
}

impl HostOutcome {
    /// Nothing yet.
    pub fn of(host: &PlannedHost) -> HostOutcome {
        HostOutcome {
            answer: HostAnswer {
                name: host.name.clone(),
                address: host.address.clone(),
                ..HostAnswer::default()
            },
            ..HostOutcome::default()
        }
    }

    /// Hears a line of the verb.
    pub fn hears(&mut self, line: &str) {
        let is_answer = !line.starts_with("note: ") && !line.trim().is_empty();
        if is_answer && self.said.len() < SAID_MAX {
            self.said.push(line.trim().into());
        }
    }

    /// Its verb has ended.
    pub fn ended(&mut self, exit: Option<i32>, error: Option<ErrorDocument>) {
        self.answer.exit = exit;
        self.answer.error = error;
        self.answer.state = super::host_run::state_of(exit, false);
        if let Err(why) = self.read() {
            self.troubled(Trouble::garbage(why));
        }
    }

    /// It has no answer.
    pub fn troubled(&mut self, trouble: Trouble) {
        self.answer.state = trouble.state;
        self.answer.exit = trouble.exit.or(self.answer.exit);
        self.answer.why = Some(trouble.why);
        self.answer.hint = trouble.hint;
        self.record = None;
    }

    /// Reads what it sent: its record, which a run has in its document, and the path.
    fn read(&mut self) -> Result<(), String> {
        if let Some(record) = self.document.as_mut().and_then(|one| one.get_mut("record")) {
            self.record = Some(record.take());
        }
        if let Some(record) = &self.record {
            let record = fleet::record(record)?;
            self.figures = HostFigures::of(&record);
            self.path = Some(record.path);
        } else if let Some(document) = &self.document
            && document.get("root").is_some()
        {
            let path = model::json::read_value(document);
            let path: IoPath = path.map_err(|error| {
                let why = model::text::clean_to(&error.to_string(), 160);
                format!("its path cannot be read: {why}")
            })?;
            self.said = vec![disks(&path)];
            self.path = Some(path);
        }
        self.show_figures();
        let answer = &mut self.answer;
        let said = self.said.first().filter(|_| answer.iops.is_none());
        let finding = self.figures.finding.clone().or_else(|| said.cloned());
        answer.finding = answer.finding.take().or(finding);
        Ok(())
    }

    /// Puts its figures into the answer.
    pub fn show_figures(&mut self) {
        let answer = &mut self.answer;
        answer.iops = self.figures.iops;
        answer.bytes_per_s = self.figures.bytes_per_s;
        answer.p99_ns = self.figures.p99_ns();
        answer.figures_of = self.figures.of.clone();
    }
}

/// The disks of a path in a few words: `sda (INTEL SSDSC2KB480G8)`.
fn disks(path: &IoPath) -> String {
    let disks = path.disks();
    let name = |disk: &&model::iopath::Layer| match disk.fact("model") {
        Some(model) => format!("{} ({})", disk.name, model.trim()),
        None => disk.name.clone(),
    };
    match disks.len() {
        0 => path
            .queue_device()
            .map_or("no disk".into(), |layer| layer.name.clone()),
        1..=3 => disks.iter().map(name).collect::<Vec<_>>().join(", "),
        count => format!("{count} disks"),
    }
}
