//! From the command line to the sections that are to run.

use super::{JobArgs, fresh_seed};
use crate::exit::Failure;
use load::language::{self, Parsed};
use load::{Preset, defaults, presets};
use model::ceph_target::CephTarget;
use model::job::{Job, Section};
use std::path::{Path, PathBuf};

/// What is to run.
#[derive(Debug)]
pub struct Workload {
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// What the reader of the job should know: options that have no meaning here.
    pub notes: Vec<String>,
    /// Whether the job is in fio's words, whose defaults are fio's.
    pub is_fio: bool,
    /// The part of a Ceph cluster that a job in fio's words names.
    pub ceph: Option<CephTarget>,
}

impl JobArgs {
    /// The workload. `runtime_ms` is that of a job in iodyno's own words; `seed` is the one the user chose.
    pub fn workload(
        &self,
        runtime_ms: Option<u64>,
        seed: Option<u64>,
    ) -> Result<Workload, Failure> {
        self.workload_with("io_uring", runtime_ms, seed)
    }

    /// The same with this engine where none was asked for.
    pub fn workload_with(
        &self,
        usual_engine: &str,
        runtime_ms: Option<u64>,
        seed: Option<u64>,
    ) -> Result<Workload, Failure> {
        if runtime_ms == Some(0) {
            return Err(Failure::usage(
                "--runtime 0s: a load of no length measures nothing. Give at least 10ms",
            ));
        }
        let mut workload = self.language(usual_engine)?;
        if workload.is_fio {
            workload.notes.extend(self.instead(runtime_ms));
        }
        for section in &mut workload.sections {
            let job = &mut section.job;
            if let Some(runtime_ms) = runtime_ms {
                (job.runtime_ms, job.time_based) = (runtime_ms, true);
            }
            self.apply_own(job)?;
            // fio's jobs repeat their offsets in every run, unless they say otherwise (`randrepeat`).
            match seed {
                Some(seed) => job.randseed = seed,
                None if !workload.is_fio || !job.randrepeat => job.randseed = fresh_seed(),
                None => {}
            }
            self.scale(job);
            self.choose_engine(job);
            if !workload.is_fio && self.preset.is_none() {
                section.name = match &self.command {
                    Some(_) => load::engines::command::ENGINE.id.into(),
                    None => section.job.rw.word().into(),
                };
            }
        }
        Ok(workload)
    }

    /// The only section, for commands that work with one load.
    pub fn single(&self, runtime_ms: u64, seed: u64) -> Result<Job, Failure> {
        let mut sections = self.workload(None, Some(seed))?.sections;
        if sections.len() != 1 {
            return Err(Failure::usage(format!(
                "the job has {} sections, and one load is needed. Choose one with --section NAME",
                sections.len()
            )));
        }
        let job = sections.remove(0).job;
        Ok(Job {
            runtime_ms,
            time_based: true,
            ..job
        })
    }

    fn language(&self, usual_engine: &str) -> Result<Workload, Failure> {
        let of = |sections| Workload {
            sections,
            notes: Vec::new(),
            is_fio: false,
            ceph: None,
        };
        if let Some(file) = &self.job_file {
            return self.job_file(file);
        }
        if !self.words.is_empty() {
            let parsed = language::from_words(&self.words);
            return self.accepted(
                parsed.map_err(|error| Failure::usage(self.misplaced(error.to_string())))?,
            );
        }
        match &self.preset {
            None => Ok(of(vec![Section::of(defaults::of(
                self.asked_engine().unwrap_or(usual_engine),
            ))])),
            Some(name) => Ok(of(preset(name)?.sections())),
        }
    }

    /// Says as well that an option of iodyno's own stands behind `--`, where every word is fio's.
    fn misplaced(&self, error: String) -> String {
        const OWN: [&str; 7] = [
            "--json",
            "--strict",
            "--corrected",
            "--stream",
            "--destroy-data",
            "--overwrite",
            "--max-size",
        ];
        let is_own = |word: &&String| OWN.iter().any(|own| word.split('=').next() == Some(own));
        match self.words.iter().find(is_own) {
            Some(word) => {
                format!("{error}. {word} is an option of iodyno's own: put it before the `--`")
            }
            None => error,
        }
    }

    fn job_file(&self, file: &Path) -> Result<Workload, Failure> {
        let read = |path: &Path| host::files::read_text(path).map_err(|error| error.to_string());
        let text = read(file).map_err(Failure::usage)?;
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let mut environment = |name: &str| host::environment::variable(name);
        let mut include = |name: &str| read(&folder.join(name));
        let parsed = language::from_file(
            &text,
            &file.to_string_lossy(),
            &mut environment,
            &mut include,
        )
        .map_err(|error| Failure::usage(error.to_string()))?;
        let mut workload = self.accepted(parsed)?;
        if !self.section.is_empty() {
            let known: Vec<String> = workload
                .sections
                .iter()
                .map(|section| section.name.clone())
                .collect();
            if let Some(missing) = self.section.iter().find(|name| !known.contains(name)) {
                return Err(Failure::usage(format!(
                    "{} has no section `{missing}`. It has: {}",
                    model::text::shown(file),
                    known.join(", ")
                )));
            }
            workload
                .sections
                .retain(|section| self.section.contains(&section.name));
        }
        Ok(workload)
    }

    /// Refuses what the native engines do not do, by name and place; fio itself may be asked to, and is handed it.
    fn accepted(&self, mut parsed: Parsed) -> Result<Workload, Failure> {
        let ceph = super::ceph::take(&mut parsed)?;
        if self.engine != "fio" && !parsed.unsupported.is_empty() {
            let lines: Vec<String> = parsed
                .unsupported
                .iter()
                .map(|one| {
                    format!(
                        "  {}={} ({}): {}",
                        one.option, one.value, one.position, one.why
                    )
                })
                .collect();
            return Err(Failure::usage(format!(
                "iodyno's own engines do not know all of this job:\n{}",
                lines.join("\n")
            ))
            .hint(
                "Add --engine fio to let the fio that is installed here run it, or leave the options out.",
            ));
        }
        if self.engine == "fio" {
            for section in &mut parsed.sections {
                section.job.handed_on = language::handed_on(section);
            }
            // Options of the program belong to no section, and iodyno starts the program in its own way.
            let is_handed_on = |option: &str| {
                let mut all = parsed
                    .sections
                    .iter()
                    .flat_map(|section| &section.job.handed_on);
                option == "ioengine" || all.any(|(name, _)| name == option)
            };
            if let Some(one) = parsed
                .unsupported
                .iter()
                .find(|one| !is_handed_on(&one.option))
            {
                return Err(Failure::usage(format!(
                    "--{} ({}): {}, which --engine fio cannot hand on. Leave it out",
                    one.option, one.position, one.why
                )));
            }
        }
        Ok(Workload {
            sections: parsed.sections,
            notes: parsed.notes,
            is_fio: true,
            ceph,
        })
    }

    /// That options before a job in fio's words stand in place of what it says.
    fn instead(&self, runtime_ms: Option<u64>) -> Option<String> {
        let mut own = self.own_options();
        own.extend(runtime_ms.map(|_| "--runtime"));
        let verb = if own.len() == 1 { "stands" } else { "stand" };
        (!own.is_empty()).then(|| {
            format!(
                "{} before the job {verb} in place of what the job says, in each of its sections",
                own.join(", ")
            )
        })
    }

    fn scale(&self, job: &mut Job) {
        if let Some(most) = self.max_size {
            // Ranges of several processes that lie behind each other share the room.
            let sharers = match job.offset_increment {
                0 => 1,
                _ => u64::from(job.numjobs.max(1)),
            };
            // Whole blocks, so that ranges begin where blocks do; less than one is refused later, as a block too large.
            let share = most / sharers;
            let most = match share.checked_rem(job.bs) {
                Some(rest) if sharers > 1 && share > job.bs => share - rest,
                _ => share,
            };
            let whole = job.size == 0 || job.size > most;
            if whole {
                (job.size, job.size_percent) = (most, 0);
            }
            job.io_size = job.io_size.min(most);
            // What lies between the jobs' ranges has to be there as well.
            job.offset_increment = job.offset_increment.min(most);
            job.offset = job.offset.min(most);
            let files = u64::from(job.files.count());
            job.files.filesize = job.files.filesize.min((most / files).max(job.bs));
        }
        if let Some(most_ms) = self.max_runtime {
            let is_endless = job.runtime_ms == 0;
            if is_endless || job.runtime_ms > most_ms {
                job.runtime_ms = most_ms;
            }
            job.ramp_ms = job.ramp_ms.min(most_ms / 2);
            job.startdelay_ms = job.startdelay_ms.min(most_ms);
        }
    }

    fn choose_engine(&self, job: &mut Job) {
        if self.engine == "fio" && job.ioengine != "fio" {
            let inner = std::mem::replace(&mut job.ioengine, "fio".into());
            job.engine_options.entry("ioengine".into()).or_insert(inner);
        }
    }
}
/// The preset of a name.
pub fn preset(name: &str) -> Result<&'static Preset, Failure> {
    Preset::find(name).ok_or_else(|| {
        let names: Vec<&str> = presets::ALL.iter().map(|preset| preset.id).collect();
        Failure::usage(format!(
            "no preset is called `{name}`. There are: {}",
            names.join(", ")
        ))
    })
}
