//! From fio's fields to a job: what depends on several options at once.

use super::Unsupported;
use super::draft::Draft;
use super::error::{Bad, LanguageError};
use super::units::{self, Amount};
use model::job::{
    BlockSize, Buffers, Distribution, Fallocate, LatencyTarget, PerDirection, Position, Rate,
    Section, Sharing, SteadyRule, Verify, VerifyMethod,
};

type Finished = (Section, Vec<Unsupported>, Vec<String>);

/// The section, what it asks that the native engines cannot do, and notes.
pub(super) fn finish(mut draft: Draft, position: &Position) -> Result<Finished, LanguageError> {
    draft.section.job.rw = draft.rw;
    blocks(&mut draft);
    let checks: [(&str, Check); 4] = [
        ("rw", order),
        ("io_size", amounts),
        ("size", size),
        ("rate_iops", rates),
    ];
    for (option, check) in checks {
        check(&mut draft).map_err(|bad| {
            let given = draft.section.option(option);
            let subject = given
                .map(|(value, _)| format!("{option}={value}"))
                .unwrap_or_default();
            bad.at(given.map_or(position, |(_, position)| position), subject)
        })?;
    }
    random(&mut draft);
    content(&mut draft);
    ends(&mut draft);
    files(&mut draft);
    let Draft {
        section,
        mut unsupported,
        notes,
        ..
    } = draft;
    for one in &mut unsupported {
        one.section = section.name.clone();
    }
    Ok((section, unsupported, notes))
}

type Check = fn(&mut Draft) -> Result<(), Bad>;

/// `exitall` matters where there is another job that could go on.
pub(super) fn end_with_others(draft: &mut Draft, is_single: bool) {
    if let Some(position) = draft
        .exitall
        .take()
        .filter(|_| !is_single || draft.section.job.numjobs > 1)
    {
        draft.refuse(
            "exitall",
            "1",
            position,
            "an end of all jobs as soon as one is done",
        );
    }
}

/// The place at which an option was given last.
fn place(draft: &Draft, option: &str) -> (String, Position) {
    let found = draft
        .section
        .option(option)
        .map(|(value, position)| (value.to_string(), position.clone()));
    found.unwrap_or_default()
}

fn refuse(draft: &mut Draft, option: &str, why: &str) {
    let (value, position) = place(draft, option);
    draft.refuse(option, &value, position, why);
}

fn blocks(draft: &mut Draft) {
    let sizes = draft.block_sizes();
    let smallest = sizes
        .read
        .min()
        .min(sizes.write.min())
        .min(sizes.trim.min());
    let is_plain = sizes == PerDirection::all(BlockSize::Fixed(smallest));
    if draft.bs_unaligned
        && [&sizes.read, &sizes.write]
            .iter()
            .any(|size| matches!(size, BlockSize::Range(..)))
    {
        refuse(
            draft,
            "bs_unaligned",
            "sizes of any number of bytes; a range goes in steps of its smallest size",
        );
    }
    let rw = draft.rw;
    let job = draft.job();
    job.bs = smallest;
    job.block_sizes = (!is_plain).then_some(sizes.clone());
    if !rw.is_random() {
        return;
    }
    let used = [
        (rw.reads(), &sizes.read),
        (rw.writes(), &sizes.write),
        (rw.trims(), &sizes.trim),
    ];
    let mut grains: Vec<u64> = Vec::new();
    for (at, (is_used, size)) in used.into_iter().enumerate() {
        if let Some(grain) = draft.ba[at].filter(|grain| is_used && *grain != size.min()) {
            grains.push(grain);
        }
    }
    if grains.windows(2).any(|pair| pair[0] != pair[1]) {
        refuse(draft, "ba", "an alignment of its own for each direction");
    }
    if let Some(grain) = grains.first() {
        draft.job().blockalign = *grain;
        draft.norandommap = true;
    }
}

/// What follows the colon of `rw`: for random I/O a count, for sequential I/O a stride.
fn order(draft: &mut Draft) -> Result<(), Bad> {
    let Some(postfix) = draft.rw_postfix.clone() else {
        return Ok(());
    };
    if draft.rw.is_random() {
        draft.job().rw_every = postfix
            .parse::<u32>()
            .ok()
            .filter(|every| *every < 1 << 31)
            .ok_or_else(|| {
                Bad::value(
                    format!("{postfix} is no count"),
                    "Write how many I/Os are made from one place: randread:8",
                )
            })?;
        return Ok(());
    }
    draft.job().rw_stride = match units::bytes(&postfix, draft.kb_base)? {
        Amount::Bytes(bytes) => bytes,
        _ => {
            return Err(Bad::value(
                format!("{postfix} is no number of bytes"),
                "Write read:16k",
            ));
        }
    };
    Ok(())
}

fn amounts(draft: &mut Draft) -> Result<(), Bad> {
    let percent = draft.io_size_percent;
    if percent > 0 {
        match draft.section.job.size {
            0 => refuse(
                draft,
                "io_size",
                "per cent of a size that is not given in bytes",
            ),
            size => draft.job().io_size = (u128::from(size) * u128::from(percent) / 100) as u64,
        }
    }
    let job = draft.job();
    job.iodepth_batch = job.iodepth_batch.min(job.iodepth);
    job.thinktime.spin_us = job.thinktime.spin_us.min(job.thinktime.us);
    // 1 is what fio takes where nobody says how many.
    if job.thinktime.blocks == 1 {
        job.thinktime.blocks = 0;
    }
    if job.thinktime.us == 0 {
        job.thinktime = Default::default();
    }
    Ok(())
}

fn size(draft: &mut Draft) -> Result<(), Bad> {
    let job = &draft.section.job;
    let smallest = if draft.rw.is_random() || !draft.rw.changes() {
        job.bs
    } else {
        job.sizes().write.min()
    };
    if job.size > 0 && job.size < smallest.min(job.bs) {
        let why = format!("{} bytes are less than one block of {}", job.size, job.bs);
        return Err(Bad::conflict(why, "Write a larger size or a smaller bs"));
    }
    if job.size == 0 && job.size_percent == 0 && job.files.filesize == 0 {
        draft.note(
            "no size: all of a file or device, 1 GiB of scratch in a directory, where fio would refuse",
        );
    }
    Ok(())
}

fn rates(draft: &mut Draft) -> Result<(), Bad> {
    let has = |rates: [u64; 3]| rates.iter().any(|rate| *rate > 0);
    if has(draft.rate) && has(draft.rate_iops) {
        return Err(Bad::conflict(
            "rate and rate_iops exclude each other",
            "Give one of them",
        ));
    }
    let rate = |at: usize| match (draft.rate[at], draft.rate_iops[at]) {
        (0, 0) => Rate::Free,
        (0, iops) => Rate::Iops(iops),
        (bytes, _) => Rate::Bytes(bytes),
    };
    let rates = PerDirection {
        read: rate(0),
        write: rate(1),
        trim: rate(2),
    };
    draft.job().rates = rates;
    if draft.offload {
        match draft.section.job.is_paced() {
            true => {
                draft.job().open_loop = true;
                draft.note(
                    "io_submit_mode=offload with a rate: I/Os arrive by the clock, and latency counts from the \
                     intended start; fio counts it from the real one",
                );
            }
            false => refuse(draft, "io_submit_mode", "submission by threads of its own"),
        }
    }
    Ok(())
}

fn random(draft: &mut Draft) {
    let rw = draft.rw;
    let is_even = draft.section.job.distribution == Distribution::Random;
    draft.job().norandommap = draft.norandommap || !is_even;
    if !rw.is_random() {
        return;
    }
    let used = [rw.reads(), rw.writes(), rw.trims()];
    let shares = draft.percentage_random;
    let shares: Vec<u8> = (0..3).filter(|at| used[*at]).map(|at| shares[at]).collect();
    if shares.windows(2).any(|pair| pair[0] != pair[1]) {
        refuse(
            draft,
            "percentage_random",
            "a share of its own for each direction",
        );
    }
    draft.job().percentage_random = shares.first().copied().unwrap_or(100);
}

fn content(draft: &mut Draft) {
    let buffers = match (draft.zero_buffers, draft.compress) {
        (true, _) | (_, 100) => Buffers::Zeros,
        (_, 0) => Buffers::Random,
        (_, share) => Buffers::Compressible(share),
    };
    let verify = draft.verify.map(|_| Verify {
        method: VerifyMethod::Crc32c,
        interval: draft.verify_interval,
        read_back: draft.do_verify,
        fatal: draft.verify_fatal,
    });
    // fio writes a file in full before it is read or overwritten; only what a job writes first stays as it was made.
    let is_written = draft.rw.reads() || draft.overwrite;
    let fallocate = if is_written {
        Fallocate::Written
    } else {
        draft.fallocate
    };
    let is_shared = !draft.cpus_split && draft.section.job.cpus_allowed.len() > 1;
    let job = draft.job();
    (job.buffers, job.verify, job.fallocate) = (buffers, verify, fallocate);
    job.cold_passes = job.invalidate;
    if is_shared {
        draft.note(
            "cpus_allowed: each job is pinned to one of these CPUs in turn, as with cpus_allowed_policy=split; fio \
             lets every job move among all of them",
        );
    }
}

fn ends(draft: &mut Draft) {
    let (us, window_us, percentile) = draft.latency;
    let steady = draft.steady.clone();
    let job = draft.job();
    job.latency_target = (us > 0).then_some(LatencyTarget {
        us,
        window_us,
        percentile,
    });
    let rule = steady.rule.filter(|_| steady.window_ms > 0);
    job.steadystate = rule.map(|(metric, slope, limit_percent)| SteadyRule {
        metric,
        slope,
        limit_percent,
        window_ms: steady.window_ms,
        ramp_ms: steady.ramp_ms,
    });
    let is_endless = job.time_based && job.runtime_ms == 0;
    job.time_based &= !is_endless;
    if is_endless {
        draft.note("time_based without a runtime has no effect, in fio as here");
    }
    if steady.rule.is_some() && steady.window_ms == 0 {
        draft.note("steadystate without steadystate_duration has no effect, in fio as here");
    }
}

fn files(draft: &mut Draft) {
    let name = draft.section.name.clone();
    let job = draft.job();
    if job.files.names.is_empty() && job.files.nrfiles <= 1 && name.starts_with("/dev/") {
        job.files.names = vec![name];
        draft.note(
            "the job's name is a device, and with no filename the device is what fio works on",
        );
    }
    let job = draft.job();
    job.files.sharing = if job.files.names.is_empty() {
        Sharing::Own
    } else {
        Sharing::Same
    };
    let count = job.files.count();
    if count < 2 {
        return;
    }
    if let Some(position) = draft.file_service.take() {
        let value = place(draft, "file_service_type").0;
        draft.refuse(
            "file_service_type",
            &value,
            position,
            "another order of files than one after the other",
        );
    }
    if draft.openfiles > 0 && draft.openfiles < u64::from(count) {
        refuse(draft, "openfiles", "fewer open files than there are");
    }
}
