//! iodyno's own words: options that change a job, each only where it was given.

use super::JobArgs;
use crate::exit::Failure;
use model::job::{Job, PerDirection, Rate};

impl JobArgs {
    /// Whether a load was described at all.
    pub fn is_named(&self) -> bool {
        self.preset.is_some()
            || self.job_file.is_some()
            || self.command.is_some()
            || !self.words.is_empty()
            || !self.own_options().is_empty()
    }

    /// The names of the job's options that were given in iodyno's own words.
    pub(super) fn own_options(&self) -> Vec<&'static str> {
        let given = [
            ("--rw", self.rw.is_some()),
            ("--bs", self.bs.is_some()),
            ("--iodepth", self.iodepth.is_some()),
            ("--numjobs", self.numjobs.is_some()),
            ("--direct", self.direct.is_some()),
            ("--size", self.size.is_some()),
            ("--ioengine", self.ioengine.is_some()),
            ("--rwmixread", self.rwmixread.is_some()),
            ("--rate-iops", self.rate_iops.is_some()),
            ("--fsync", self.fsync.is_some()),
            ("--cpus-allowed", !self.cpus_allowed.is_empty()),
        ];
        given
            .into_iter()
            .filter(|(_, is_given)| *is_given)
            .map(|(name, _)| name)
            .collect()
    }

    /// Puts the options that were given over a job.
    pub(super) fn apply_own(&self, job: &mut Job) -> Result<(), Failure> {
        fn set<T: Clone>(field: &mut T, given: &Option<T>) {
            if let Some(value) = given {
                *field = value.clone();
            }
        }
        set(&mut job.rw, &self.rw);
        set(&mut job.iodepth, &self.iodepth);
        set(&mut job.numjobs, &self.numjobs);
        set(&mut job.ioengine, &self.ioengine);
        set(&mut job.rwmixread, &self.rwmixread);
        set(&mut job.fsync, &self.fsync);
        if let Some(bs) = self.bs {
            (job.bs, job.block_sizes) = (bs, None);
        }
        if let Some(size) = self.size {
            (job.size, job.size_percent) = (size, 0);
        }
        if let Some(direct) = self.direct {
            job.direct = direct == 1;
        }
        if let Some(iops) = self.rate_iops {
            job.rates = PerDirection::all(Rate::Iops(iops));
        }
        if !self.cpus_allowed.is_empty() {
            job.cpus_allowed.clone_from(&self.cpus_allowed);
        }
        self.apply_loop(job)?;
        let of_command = [
            ("command", &self.command),
            ("regex", &self.metric_regex),
            ("better", &self.metric_better),
        ];
        for (name, given) in of_command {
            if let Some(value) = given {
                job.engine_options.insert(name.into(), value.clone());
            }
        }
        for option in &self.engine_option {
            let (name, value) = option.split_once('=').ok_or_else(|| {
                Failure::usage(format!(
                    "--engine-option {option}: it is NAME=VALUE. Write --engine-option {option}=…"
                ))
            })?;
            job.engine_options.insert(name.into(), value.into());
        }
        Ok(())
    }

    /// The open loop and its arrivals, which may stand beside fio's words: fio has no option for the former.
    fn apply_loop(&self, job: &mut Job) -> Result<(), Failure> {
        if let Some(arrivals) = self.arrivals {
            job.arrivals = arrivals;
        }
        job.open_loop |= self.open_loop;
        Ok(())
    }
}
