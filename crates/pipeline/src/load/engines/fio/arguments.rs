//! A job in fio's own words: what is handed to the program.

use crate::load::LoadError;
use crate::load::source::Span;
use model::job::{
    Arrivals, BlockSize, Buffers, Distribution, Job, PerDirection, Rate, Sharing, SteadyMetric, SyncMode,
};

/// Longer than any load: fio is told to stop, it does not stop by itself.
const FOREVER_S: u64 = 10 * 365 * 86_400;

/// Where and with what a job runs, beside what the job says.
#[derive(Debug)]
pub struct Setting<'a> {
    /// fio's name of its engine.
    pub ioengine: &'a str,
    /// The files of each owner, as fio is to open them.
    pub files: &'a [Vec<String>],
    /// The bytes of each file to work on.
    pub span: Span,
    /// Seed of offsets and data.
    pub seed: u64,
    /// Whether this fio prints all kinds of latencies with their bins (3.18).
    pub has_lat_percentiles: bool,
}

/// The command line after the program's name. The error says what fio cannot do.
pub fn of(job: &Job, setting: &Setting<'_>) -> Result<Vec<String>, LoadError> {
    if job.open_loop {
        return Err(LoadError::usage(
            "an open loop with the engine fio",
            "fio counts latency from the real submission, not from the intended start",
            "Use io_uring or libaio of iodyno",
        ));
    }
    let mut all = Words::default();
    // Nothing is made, nothing is laid out: the files are there, and of the right size.
    all.flags(&["thread", "group_reporting", "allow_file_create=0", "fallocate=none", "exitall_on_error"]);
    all.flags(&["output-format=json+", "eta=never"]);
    if setting.has_lat_percentiles {
        all.flags(&["lat_percentiles=1", "clat_percentiles=1"]);
    }
    all.add("ioengine", setting.ioengine);
    direction(&mut all, job);
    block_sizes(&mut all, job)?;
    queue(&mut all, job);
    durability(&mut all, job);
    time(&mut all, job);
    pace(&mut all, job);
    order(&mut all, job, setting.seed);
    content(&mut all, job);
    rules(&mut all, job);
    let mut words = all.0;
    words.extend(sections(job, setting));
    Ok(words)
}

#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        self.0.push(format!("--{name}={value}"));
    }

    fn add_if(&mut self, is_set: bool, name: &str, value: impl std::fmt::Display) {
        if is_set {
            self.add(name, value);
        }
    }

    fn flags(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|word| format!("--{word}")));
    }
}

fn direction(all: &mut Words, job: &Job) {
    let word = job.rw.word();
    match (job.rw.is_random(), job.rw_every, job.rw_stride) {
        (true, 2.., _) => all.add("rw", format!("{word}:{}", job.rw_every)),
        (false, _, stride) if stride != 0 => all.add("rw", format!("{word}:{stride}")),
        _ => all.add("rw", word),
    }
    all.add_if(job.rw_identical, "rw_sequencer", "identical");
    all.add_if(job.rw.reads() && job.rw.writes(), "rwmixread", job.rwmixread);
}

fn block_sizes(all: &mut Words, job: &Job) -> Result<(), LoadError> {
    let sizes = job.sizes();
    let three = [&sizes.read, &sizes.write, &sizes.trim];
    let list = |word: &dyn Fn(&BlockSize) -> Option<String>| {
        let words: Option<Vec<String>> = three.iter().map(|size| word(size)).collect();
        words.map(|words| words.join(","))
    };
    let fixed = |size: &BlockSize| matches!(size, BlockSize::Fixed(_)).then(|| size.min().to_string());
    let range = |size: &BlockSize| {
        (!matches!(size, BlockSize::Split(_))).then(|| format!("{}-{}", size.min(), size.max()))
    };
    let split = |size: &BlockSize| match size {
        BlockSize::Fixed(bytes) => Some(format!("{bytes}/100")),
        BlockSize::Range(..) => None,
        BlockSize::Split(parts) => {
            let parts = parts.iter().map(|(bytes, percent)| format!("{bytes}/{percent}"));
            Some(parts.collect::<Vec<_>>().join(":"))
        }
    };
    let found = list(&fixed)
        .map(|words| ("bs", words))
        .or_else(|| list(&range).map(|words| ("bsrange", words)))
        .or_else(|| list(&split).map(|words| ("bssplit", words)));
    let Some((name, words)) = found else {
        return Err(LoadError::usage(
            "bsrange and bssplit in one job",
            "fio takes one of them",
            "Use the same kind for all directions",
        ));
    };
    all.add(name, words);
    all.add_if(job.blockalign > 0, "blockalign", job.blockalign);
    Ok(())
}

fn queue(all: &mut Words, job: &Job) {
    all.add("direct", u8::from(job.direct));
    all.add("iodepth", job.iodepth);
    all.add_if(job.iodepth_batch > 0, "iodepth_batch_submit", job.iodepth_batch);
    let (min, max) = (job.iodepth_batch_complete_min, job.iodepth_batch_complete_max);
    all.add_if(min > 0, "iodepth_batch_complete_min", min);
    all.add_if(max > 0, "iodepth_batch_complete_max", max);
    all.add_if(job.iodepth_low > 0, "iodepth_low", job.iodepth_low);
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    if !job.cpus_allowed.is_empty() {
        all.add("cpus_allowed", list(&job.cpus_allowed));
        all.add("cpus_allowed_policy", "split");
    }
    all.add_if(!job.numa_nodes.is_empty(), "numa_cpu_nodes", list(&job.numa_nodes));
}

fn durability(all: &mut Words, job: &Job) {
    match job.sync {
        SyncMode::None => {}
        SyncMode::Dsync => all.add("sync", "dsync"),
        SyncMode::Sync => all.add("sync", 1),
    }
    all.add_if(job.fsync > 0, "fsync", job.fsync);
    all.add_if(job.fdatasync > 0, "fdatasync", job.fdatasync);
    all.add_if(job.end_fsync, "end_fsync", 1);
}

fn time(all: &mut Words, job: &Job) {
    if job.time_based {
        all.flags(&["time_based"]);
        all.add("runtime", format!("{FOREVER_S}s"));
    } else {
        all.add_if(job.runtime_ms > 0, "runtime", format!("{}ms", job.runtime_ms));
        all.add_if(job.loops > 1, "loops", job.loops);
        all.add_if(job.io_size > 0, "io_size", job.io_size);
    }
    all.add_if(job.ramp_ms > 0, "ramp_time", format!("{}ms", job.ramp_ms));
}

fn pace(all: &mut Words, job: &Job) {
    let PerDirection { read, write, trim } = job.rates;
    let list = |value: &dyn Fn(Rate) -> Option<u64>| {
        let words =
            [read, write, trim].map(|rate| value(rate).map_or(String::new(), |value| value.to_string()));
        let list = words.join(",");
        (list != ",,").then(|| list.trim_end_matches(',').to_string())
    };
    let iops = list(&|rate| if let Rate::Iops(value) = rate { Some(value) } else { None });
    let bytes = list(&|rate| if let Rate::Bytes(value) = rate { Some(value) } else { None });
    iops.into_iter().for_each(|list| all.add("rate_iops", list));
    bytes.into_iter().for_each(|list| all.add("rate", list));
    all.add_if(job.arrivals == Arrivals::Poisson, "rate_process", "poisson");
    all.add_if(job.thinktime.us > 0, "thinktime", format!("{}us", job.thinktime.us));
    all.add_if(job.thinktime.spin_us > 0, "thinktime_spin", format!("{}us", job.thinktime.spin_us));
    all.add_if(job.thinktime.blocks > 1, "thinktime_blocks", job.thinktime.blocks);
}

fn order(all: &mut Words, job: &Job, seed: u64) {
    // fio keeps the sign.
    all.add("randseed", seed >> 1);
    all.add_if(job.norandommap, "norandommap", 1);
    all.add_if(job.percentage_random < 100, "percentage_random", job.percentage_random);
    if let Some(word) = distribution(&job.distribution) {
        all.add("random_distribution", word);
    }
}

fn distribution(distribution: &Distribution) -> Option<String> {
    Some(match distribution {
        Distribution::Random => return None,
        Distribution::Zipf(theta) => format!("zipf:{theta}"),
        Distribution::Pareto(power) => format!("pareto:{power}"),
        Distribution::Normal(deviation) => format!("normal:{deviation}"),
        Distribution::Zoned(zones) => zoned("zoned", zones),
        Distribution::ZonedAbs(zones) => zoned("zoned_abs", zones),
    })
}

fn zoned<T: std::fmt::Display>(name: &str, zones: &[(u8, T)]) -> String {
    let zones: Vec<String> = zones.iter().map(|(share, size)| format!("{share}/{size}")).collect();
    format!("{name}:{}", zones.join(":"))
}

fn content(all: &mut Words, job: &Job) {
    if job.rw.writes() {
        match job.buffers {
            Buffers::Random => all.add("refill_buffers", 1),
            Buffers::Compressible(percent) => {
                all.add("refill_buffers", 1);
                all.add("buffer_compress_percentage", percent);
            }
            Buffers::Zeros => all.add("zero_buffers", 1),
        }
    }
    if let Some(verify) = job.verify {
        all.add("verify", "crc32c");
        all.add("do_verify", u8::from(verify.read_back));
        all.add("verify_fatal", u8::from(verify.fatal));
        all.add_if(verify.interval > 0, "verify_interval", verify.interval);
    }
    all.add("invalidate", u8::from(job.invalidate));
}

fn rules(all: &mut Words, job: &Job) {
    if let Some(target) = job.latency_target {
        all.add("latency_target", format!("{}us", target.us));
        all.add("latency_window", format!("{}us", target.window_us));
        all.add("latency_percentile", target.percentile);
    }
    if let Some(rule) = job.steadystate {
        let metric = match rule.metric {
            SteadyMetric::Iops => "iops",
            SteadyMetric::Bw => "bw",
            SteadyMetric::Lat => "lat",
        };
        let slope = if rule.slope { "_slope" } else { "" };
        all.add("steadystate", format!("{metric}{slope}:{}%", rule.limit_percent));
        all.add("steadystate_duration", format!("{}ms", rule.window_ms));
        all.add_if(rule.ramp_ms > 0, "steadystate_ramp_time", format!("{}ms", rule.ramp_ms));
    }
    if !job.percentile_list.is_empty() {
        let list: Vec<String> = job.percentile_list.iter().map(f64::to_string).collect();
        all.add("percentile_list", list.join(":"));
    }
}

/// One section for each owner of files, or one with all jobs on the same file.
fn sections(job: &Job, setting: &Setting<'_>) -> Vec<String> {
    let mut all = Words::default();
    let jobs = if setting.files.len() > 1 { 1 } else { job.numjobs };
    // Jobs that share a file go over contiguous shares of it, as those of the native engines do.
    let is_shared_out = job.files.sharing == Sharing::Shares && !job.rw.is_random() && jobs > 1;
    let Span { start, bytes } = setting.span;
    let (size, step) = match is_shared_out {
        true => {
            let share = bytes / u64::from(jobs) / job.bs.max(1) * job.bs;
            (share, share)
        }
        false => (bytes, job.offset_increment),
    };
    for (index, files) in setting.files.iter().enumerate() {
        all.add("name", format!("job{index}"));
        all.add("filename", files.join(":"));
        all.add_if(files.len() > 1, "filesize", start + size);
        all.add("offset", start);
        all.add_if(jobs > 1 && step > 0, "offset_increment", step);
        all.add("size", size * files.len() as u64);
        all.add("numjobs", jobs);
    }
    all.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::Rw;

    fn words(job: &Job, files: &[Vec<String>]) -> String {
        let span = Span { start: 0, bytes: 1 << 20 };
        let setting = Setting { ioengine: "libaio", files, span, seed: 14, has_lat_percentiles: true };
        of(job, &setting).unwrap().join(" ")
    }

    fn one() -> Vec<Vec<String>> {
        vec![vec!["/dev/sdx".into()]]
    }

    #[test]
    fn a_job_becomes_what_a_user_would_have_typed() {
        let job = Job {
            rw: Rw::Randrw,
            rwmixread: 70,
            numjobs: 4,
            rates: PerDirection { write: Rate::Bytes(1000), ..PerDirection::default() },
            ..Job::default()
        };
        let words = words(&job, &one());
        for wanted in [
            "--rw=randrw --rwmixread=70",
            "--bs=4096,4096,4096",
            "--direct=1 --iodepth=32",
            "--rate=,1000",
            "--randseed=7",
            "--filename=/dev/sdx --offset=0 --size=1048576 --numjobs=4",
            "--time_based",
            "--refill_buffers=1",
        ] {
            assert!(words.contains(wanted), "{wanted} is not in {words}");
        }
    }

    #[test]
    fn sequential_jobs_on_one_file_have_shares_and_owners_have_sections() {
        let job = Job { rw: Rw::Read, bs: 4096, numjobs: 3, ..Job::default() };
        assert!(words(&job, &one()).contains("--offset_increment=348160 --size=348160 --numjobs=3"));
        let files = vec![vec!["a".to_string(), "b".to_string()], vec!["c".to_string(), "d".to_string()]];
        let words = words(&job, &files);
        assert!(
            words.contains(
                "--name=job0 --filename=a:b --filesize=1048576 --offset=0 --size=2097152 --numjobs=1"
            ),
            "{words}"
        );
        assert!(words.contains("--name=job1 --filename=c:d"), "{words}");
    }

    #[test]
    fn the_rarer_options_have_their_names() {
        let job = Job {
            rw: Rw::Read,
            rw_stride: 16384,
            time_based: false,
            runtime_ms: 1_500,
            loops: 2,
            distribution: Distribution::Zoned(vec![(60, 10), (40, 90)]),
            block_sizes: Some(PerDirection::all(BlockSize::Split(vec![(4096, 60), (65536, 40)]))),
            sync: SyncMode::Dsync,
            ..Job::default()
        };
        let words = words(&job, &one());
        for wanted in [
            "--rw=read:16384",
            "--runtime=1500ms --loops=2",
            "zoned:60/10:40/90",
            "--bssplit=4096/60:65536/40,",
            "--sync=dsync",
        ] {
            assert!(words.contains(wanted), "{wanted} is not in {words}");
        }
        assert!(!words.contains("time_based"));
        let setting = Setting {
            ioengine: "psync",
            files: &one(),
            span: Span { start: 0, bytes: 4096 },
            seed: 1,
            has_lat_percentiles: false,
        };
        assert!(of(&Job { open_loop: true, ..Job::default() }, &setting).is_err());
    }
}
