//! A section while it is read: fio's fields with fio's defaults, until they become a job.

use super::Unsupported;
use super::error::{Bad, LanguageError};
use super::options::{self, Meaning, Spec};
use model::job::{
    BlockSize, Distribution, Fallocate, Job, PerDirection, Position, Rw, Section, SyncMode,
};

/// One option as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GivenOptions {
    /// The name as written, or fio's full one.
    pub name: String,
    /// What follows the `=`.
    pub value: Option<String>,
    pub position: Position,
}

impl GivenOptions {
    /// `bs=4k`.
    pub fn text(&self) -> String {
        match &self.value {
            Some(value) => format!("{}={value}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A section while it is read.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub section: Section,
    /// What a `k` stands for.
    pub kb_base: i64,
    pub rw: Rw,
    /// What follows the colon of `rw`.
    pub rw_postfix: Option<String>,
    pub bs: [u64; 3],
    pub bsrange: [Option<(u64, u64)>; 3],
    pub bssplit: [Vec<(u64, u8)>; 3],
    pub ba: [Option<u64>; 3],
    pub bs_unaligned: bool,
    pub percentage_random: [u8; 3],
    pub io_size_percent: u64,
    pub rate: [u64; 3],
    pub rate_iops: [u64; 3],
    pub offload: bool,
    pub zero_buffers: bool,
    pub compress: u8,
    pub verify: Option<bool>,
    pub verify_interval: u64,
    pub do_verify: bool,
    pub verify_fatal: bool,
    pub cpus_split: bool,
    pub fallocate: Fallocate,
    pub overwrite: bool,
    pub latency: (u64, u64, f64),
    pub steady: super::options::SteadyDraft,
    pub exitall: Option<Position>,
    pub file_service: Option<Position>,
    pub openfiles: u64,
    pub norandommap: bool,
    pub unsupported: Vec<Unsupported>,
    pub notes: Vec<String>,
    /// The option that is being applied.
    current: GivenOptions,
}

impl Draft {
    /// fio's defaults.
    pub fn new() -> Draft {
        let job = Job {
            ioengine: "psync".into(),
            rw: Rw::Read,
            iodepth: 1,
            direct: false,
            time_based: false,
            runtime_ms: 0,
            group_reporting: false,
            randseed: 0x89,
            files: model::job::FileSet {
                sharing: model::job::Sharing::Own,
                ..Default::default()
            },
            sync: SyncMode::None,
            distribution: Distribution::Random,
            ..Job::default()
        };
        Draft {
            section: Section {
                job,
                ..Section::default()
            },
            kb_base: 1024,
            rw: Rw::Read,
            rw_postfix: None,
            bs: [4096; 3],
            bsrange: [None; 3],
            bssplit: Default::default(),
            ba: [None; 3],
            bs_unaligned: false,
            percentage_random: [100; 3],
            io_size_percent: 0,
            rate: [0; 3],
            rate_iops: [0; 3],
            offload: false,
            zero_buffers: false,
            compress: 0,
            verify: None,
            verify_interval: 0,
            do_verify: true,
            verify_fatal: false,
            cpus_split: false,
            fallocate: Fallocate::Reserved,
            overwrite: false,
            latency: (0, 0, 100.0),
            steady: Default::default(),
            exitall: None,
            file_service: None,
            openfiles: 0,
            norandommap: false,
            unsupported: Vec::new(),
            notes: Vec::new(),
            current: GivenOptions {
                name: String::new(),
                value: None,
                position: Position::default(),
            },
        }
    }

    /// The job, for the options that are nothing but a field of it.
    pub fn job(&mut self) -> &mut Job {
        &mut self.section.job
    }

    /// The place of the option that is being applied.
    pub fn position(&self) -> Position {
        self.current.position.clone()
    }

    /// The engine cannot do what the current option asks.
    pub fn cannot(&mut self, why: &str) {
        let GivenOptions {
            name,
            value,
            position,
        } = self.current.clone();
        let value = value.unwrap_or_default();
        self.refuse(&name, &value, position, why);
    }

    /// Names an option that the native engines cannot do. Once is enough for one option.
    pub fn refuse(&mut self, name: &str, value: &str, position: Position, why: &str) {
        self.unsupported.retain(|one| one.option != name);
        self.unsupported.push(Unsupported {
            option: name.into(),
            value: value.into(),
            section: String::new(),
            position,
            why: why.into(),
        });
    }

    /// What somebody who knows fio may not expect.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Applies options as fio does: a few before all others, `filename` after them, the rest in their order; options
    /// of an engine when it is known which one it is.
    pub fn apply_all(&mut self, given: &[GivenOptions]) -> Result<(), LanguageError> {
        let mut known: Vec<(&Spec, GivenOptions)> = Vec::new();
        let mut others = Vec::new();
        for one in given {
            match options::find(&one.name) {
                Some(spec) => known.push((
                    spec,
                    GivenOptions {
                        name: spec.name.into(),
                        ..one.clone()
                    },
                )),
                None => others.push(one),
            }
        }
        let kept = known.iter().map(|(_, one)| one.clone());
        self.section.given.extend(kept.map(|one| {
            let value = one.value.unwrap_or_else(|| "1".into());
            (one.name, value, one.position)
        }));
        known.sort_by_key(|(spec, _)| options::priority(spec.name));
        for (spec, one) in known {
            self.apply(spec, one)?;
        }
        for one in others {
            self.apply_engines(one)?;
        }
        Ok(())
    }

    /// Applies one option, whatever its place among the others.
    pub fn apply(&mut self, spec: &Spec, given: GivenOptions) -> Result<(), LanguageError> {
        let wrong = |bad: Bad| bad.at(&given.position, given.text());
        let value = spec
            .kind
            .read(given.value.as_deref(), self.kb_base)
            .map_err(wrong)?;
        self.unsupported.retain(|one| one.option != spec.name);
        self.current = given.clone();
        match spec.meaning {
            Meaning::Apply(apply) => apply(self, &value).map_err(wrong)?,
            Meaning::Noted(why) => self.note(format!("{}: {why}", spec.name)),
            Meaning::Other(default, why) => {
                let given = given.value.as_deref().unwrap_or("1");
                if default != given {
                    self.cannot(why);
                }
            }
        }
        if given.value.as_deref().is_some_and(super::units::is_swapped) && spec.kind.is_size() {
            self.note(format!(
                "{}: KiB is 1000 and KB is 1024 to fio, unless kb_base=1000",
                given.text()
            ));
        }
        Ok(())
    }

    /// An option that only some engines have.
    fn apply_engines(&mut self, given: &GivenOptions) -> Result<(), LanguageError> {
        let engine = self.section.job.ioengine.clone();
        let Some(spec) = options::of_engine(&engine, &given.name) else {
            return Err(options::unknown(&given.name, &engine).at(&given.position, given.text()));
        };
        let value = given.value.clone().unwrap_or_else(|| "1".into());
        self.section
            .given
            .push((spec.name.into(), value, given.position.clone()));
        self.apply(
            spec,
            GivenOptions {
                name: spec.name.into(),
                ..given.clone()
            },
        )
    }

    /// Block sizes of the directions: a split goes before a range, a range before one size.
    pub fn block_sizes(&self) -> PerDirection<BlockSize> {
        let size = |at: usize| match (&self.bssplit[at][..], self.bsrange[at]) {
            ([], None) => BlockSize::Fixed(self.bs[at]),
            ([], Some((low, high))) if low == high => BlockSize::Fixed(low),
            ([], Some((low, high))) => BlockSize::Range(low, high),
            ([(bytes, _)], _) => BlockSize::Fixed(*bytes),
            (split, _) => BlockSize::Split(split.to_vec()),
        };
        PerDirection {
            read: size(0),
            write: size(1),
            trim: size(2),
        }
    }
}
