//! What can be said about a job before anything is touched: the usage errors.

use super::{Engine, LoadError, Prepared};
use host::{Host, process};
use model::job::{Arrivals, Job};
use model::units;

/// Largest `iodepth`: twice as many buffers, for a mix, stay below the kernel's limit of 16,384 registered ones.
const MAX_IODEPTH: u32 = 4096;

/// Largest `numjobs`.
const MAX_NUMJOBS: u32 = 1024;

/// Largest block: a registered buffer may have 1 GiB (io_uring/rsrc.c).
const MAX_BS: u64 = 1 << 30;

/// Checks a job by itself and gives its engine.
pub fn job(job: &Job) -> Result<&'static Engine, LoadError> {
    let engine = Engine::find(&job.ioengine).ok_or_else(|| {
        let known: Vec<&str> = super::engines::ALL.iter().map(|engine| engine.id).collect();
        LoadError::usage(
            format!("--ioengine={}", job.ioengine),
            "there is no such native engine",
            format!("Use {}, or --engine fio for fio's own", known.join(", ")),
        )
    })?;
    let limits = [
        ("--bs", job.bs, MAX_BS),
        ("--bs", job.max_bs(), MAX_BS),
        ("--iodepth", job.iodepth.into(), MAX_IODEPTH.into()),
        ("--numjobs", job.numjobs.into(), MAX_NUMJOBS.into()),
    ];
    for (option, value, most) in limits {
        if value == 0 || value > most {
            return Err(LoadError::usage(
                format!("{option}={value}"),
                format!("it must be from 1 to {most}"),
                "Choose a value in between",
            ));
        }
    }
    if job.rwmixread > 100 {
        let what = format!("--rwmixread={}", job.rwmixread);
        return Err(LoadError::usage(
            what,
            "it is a share in per cent",
            "Choose a value from 0 to 100",
        ));
    }
    use super::engines::{fio, rados_bench};
    match engine.id {
        id if id == fio::ENGINE.id => fio::check(job)?,
        id if id == rados_bench::ENGINE.id => rados_bench::check(job)?,
        _ => {}
    }
    super::source::check::job(job)?;
    open_loop(job, engine)?;
    memory(job)?;
    cpus(job)?;
    Ok(engine)
}

/// Arrivals by the clock need a rate to arrive at, and an engine that does not make them wait for each other.
fn open_loop(job: &Job, engine: &Engine) -> Result<(), LoadError> {
    let usage = |what: String, why: &str, advice: &str| Err(LoadError::usage(what, why, advice));
    if job.arrivals == Arrivals::Poisson && !job.is_paced() {
        let why = "without a rate nothing arrives by a schedule";
        return usage(
            "--arrivals=poisson".into(),
            why,
            "Give --rate-iops as well (rate_iops in fio's words)",
        );
    }
    if !job.open_loop {
        return Ok(());
    }
    if !engine.takes_arrivals() {
        let why = "it does one I/O at a time, so that arrivals would wait in the thread and not in the device";
        return usage(
            format!("--open-loop with --ioengine={}", engine.id),
            why,
            "Use --ioengine=io_uring or libaio, with an --iodepth above what the device is to hold",
        );
    }
    let rates = &job.rates;
    let directions = [
        (job.rw.reads(), rates.read),
        (job.rw.writes(), rates.write),
        (job.rw.trims(), rates.trim),
    ];
    if directions
        .iter()
        .any(|(is_used, rate)| *is_used && rate.is_free())
    {
        return usage(
            "--open-loop".into(),
            "without a rate for each direction nothing says when I/Os arrive",
            "Give --rate-iops as well (rate_iops in fio's words)",
        );
    }
    if job.thinktime.us > 0 || job.verify.is_some_and(|verify| verify.read_back) {
        return usage(
            "--open-loop".into(),
            "arrivals do not wait for pauses (thinktime) nor for the end of the writing (verify)",
            "Leave that out, or the open loop",
        );
    }
    Ok(())
}

/// Buffers may take half of the memory that is available; more would make the machine swap under its own test.
fn memory(job: &Job) -> Result<(), LoadError> {
    let mix = if job.rw.reads() && job.rw.writes() {
        2
    } else {
        1
    };
    let wanted = u128::from(job.max_bs()) * u128::from(job.iodepth) * u128::from(job.numjobs) * mix;
    let Some(available) = Host::live().meminfo_bytes("MemAvailable") else {
        return Ok(());
    };
    if wanted <= u128::from(available / 2) {
        return Ok(());
    }
    Err(LoadError::usage(
        format!(
            "--numjobs={} --iodepth={} --bs={}",
            job.numjobs,
            job.iodepth,
            job.max_bs()
        ),
        format!(
            "the buffers would take {}, and of memory {} are available",
            units::bytes(wanted as f64),
            units::bytes(available as f64)
        ),
        "Ask for fewer jobs, less depth or smaller blocks",
    ))
}

/// The CPUs that the job's threads are pinned to, one after the other; none where the kernel is to choose.
pub fn cpus(job: &Job) -> Result<Vec<u32>, LoadError> {
    let allowed = process::allowed_cpus();
    if let Some(cpu) = job.cpus_allowed.iter().find(|cpu| !allowed.contains(cpu)) {
        return Err(LoadError::usage(
            format!("--cpus_allowed={cpu}"),
            "this process may not run on that CPU",
            format!("It may run on {allowed:?}"),
        ));
    }
    if !job.cpus_allowed.is_empty() {
        return Ok(job.cpus_allowed.clone());
    }
    let mut cpus = Vec::new();
    for node in &job.numa_nodes {
        let of_node: Vec<u32> = node_cpus(*node)
            .into_iter()
            .filter(|cpu| allowed.contains(cpu))
            .collect();
        if of_node.is_empty() {
            return Err(LoadError::usage(
                format!("--numa_cpu_nodes={node}"),
                "this machine has no such node, or this process may not run on its CPUs",
                "See `lscpu` for the nodes",
            ));
        }
        cpus.extend(of_node);
    }
    Ok(cpus)
}

/// The CPUs of a NUMA node.
fn node_cpus(node: u32) -> Vec<u32> {
    let list = host::Host::live().node_cpus(node);
    list.unwrap_or_default().iter().collect()
}

/// Checks a job against what was made ready.
pub fn fits(prepared: &Prepared, job: &Job) -> Result<(), LoadError> {
    // Without files there is nothing that could be too small or protected.
    if prepared.owners() == 0 {
        return Ok(());
    }
    if job.rw.changes() && !prepared.is_writable() {
        return Err(LoadError::ReadOnly {
            target: prepared.target().into(),
        });
    }
    if job.files.sharing == model::job::Sharing::Own && (job.numjobs as usize) > prepared.owners() {
        return Err(LoadError::usage(
            format!("--numjobs={}", job.numjobs),
            format!("files were made ready for {} jobs", prepared.owners()),
            "Make the target ready for the largest job first",
        ));
    }
    if job.max_bs() > prepared.file_bytes() {
        return Err(LoadError::usage(
            format!("--bs={}", job.max_bs()),
            format!(
                "a block is larger than the {} to be used",
                units::bytes(prepared.file_bytes() as f64)
            ),
            "Ask for smaller blocks or a larger size",
        ));
    }
    let (align, grain) = (prepared.align_bytes(), super::source::check::grain(job));
    if job.direct && !grain.is_multiple_of(align) {
        let what = match grain == job.bs {
            true => format!("--bs={grain}"),
            false => format!("blocks and places that are multiples of {grain}"),
        };
        return Err(LoadError::usage(
            what,
            format!(
                "direct I/O on {} needs a multiple of {align} bytes",
                prepared.target()
            ),
            format!(
                "Use such a block size, for example --bs={}, or --direct=0",
                grain.next_multiple_of(align)
            ),
        ));
    }
    for (option, bytes) in [
        ("--offset", job.offset),
        ("--offset_increment", job.offset_increment),
    ] {
        if job.direct && !bytes.is_multiple_of(align) {
            return Err(LoadError::usage(
                format!("{option}={bytes}"),
                format!(
                    "direct I/O on {} needs a multiple of {align} bytes",
                    prepared.target()
                ),
                "Round it, or use --direct=0",
            ));
        }
    }
    Ok(())
}
