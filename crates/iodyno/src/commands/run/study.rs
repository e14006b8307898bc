//! Series of loads that `run` makes in place of one: which of them is asked for, and what is kept of it.

use super::args::StudyArgs;
use super::ended::ended;
use super::series::SeriesSubject;
use super::{find_max, grid, matrix, steady, sweep};
use crate::context::RecordAnswer;
use crate::exit::{Exit, Failure};
use crate::keep;
use ::report::{studies as report, words};
use model::job::Job;
use model::record::{Record, RecordBody, RunBody};
use store::Store;

/// One series.
#[derive(Clone, Debug)]
pub enum Study {
    /// A grid of options.
    Sweep(grid::Grid),
    /// The highest load that keeps a latency.
    FindMax(find_max::FindMaxWish),
    /// Reads against writes.
    Interference,
    /// Until settled.
    Steady(model::steady::Criterion, u64),
}

impl Study {
    /// What the options, or fio's own in the job (`latency_target`, `steadystate`), ask for; none for a plain load.
    pub fn of(args: &StudyArgs, job: &Job) -> Result<Option<Study>, Failure> {
        if !args.sweep.is_empty() {
            let grid = grid::Grid::parse(&args.sweep, &by_own_clock(job))?;
            return Ok(Some(Study::Sweep(grid)));
        }
        if let Some(wish) = find_max::FindMaxWish::of(args, job) {
            return Ok(Some(Study::FindMax(wish)));
        }
        if args.interference {
            return Ok(Some(Study::Interference));
        }
        Ok(steady::criterion(args, job)?
            .map(|(criterion, limit_ms)| Study::Steady(criterion, limit_ms)))
    }
}

impl Study {
    /// What the loads of the series are for, behind "in a series ".
    pub fn purpose(&self) -> &'static str {
        match self {
            Study::Sweep(_) => "that visits all of them again and again",
            Study::FindMax(_) => "that looks for the highest rate within the limit",
            Study::Interference => "of reads against writes",
            Study::Steady(..) => "until the rate is steady",
        }
    }
}

/// A series ends by its own clock, never because a pass is over.
fn by_own_clock(job: &Job) -> Job {
    Job {
        time_based: true,
        ramp_ms: 0,
        ..job.clone()
    }
}

/// Makes the series, keeps its record and says what was found.
pub fn run(study: Study, mut subject: SeriesSubject) -> Result<Exit, Failure> {
    let store = Store::open(&subject.context.state_dir)?;
    // The search for a rate sets the arrivals of each try itself.
    let open_loop = subject.job.open_loop && !matches!(study, Study::FindMax(_));
    subject.job = Job {
        open_loop,
        ..by_own_clock(&subject.job)
    };
    let provenance = crate::provenance::of(&subject.context.host);
    let (found, sensors) = match &study {
        Study::Sweep(grid) => sweep::run(&subject, grid),
        Study::FindMax(wish) => find_max::run(&subject, wish),
        Study::Interference => matrix::run(&subject),
        Study::Steady(criterion, limit_ms) => steady::run(&subject, *criterion, *limit_ms),
    }?;
    let context = subject.context;
    model::secret::cut_job(&mut subject.job);
    let summary = report::sentence(&subject.job, &found.studies);
    let body = RecordBody::Run(RunBody {
        load: found.load,
        studies: found.studies,
        ..RunBody::default()
    });
    let record = Record {
        summary,
        job: subject.job,
        findings: subject.findings,
        sensors,
        ..Record::of(body, provenance, subject.path)
    };
    let kept = keep::into_store(&store, &record);
    let shown = Record {
        findings: Vec::new(),
        ..record.clone()
    };
    for line in words::record(kept.id, &shown) {
        context.out.say(line);
    }
    let was_cut = subject.stop.is_asked();
    if was_cut {
        let signal = subject.stop.signal_name();
        context.out.note(format!(
            "iodyno: stopped by {signal}; the record holds what ran until then."
        ));
    }
    context.out.document(&RecordAnswer {
        schema: "iodyno.run/1",
        id: kept.id,
        record: &record,
    })?;
    kept.must_be_stored()?;
    ended(&record, was_cut)
}
