//! fio's words for the jobs of examples. Stands in for the load stage's parser, which a pure stage cannot use.

use model::job::{
    Arrivals, BlockSize, Buffers, Distribution, Fallocate, Job, PerDirection, Position, Rate, Rw, Section,
    Sharing, SteadyMetric, SteadyRule, SyncMode, Verify, VerifyMethod,
};
use model::units::{parse_bytes, parse_duration_ms};

/// What fio means where nothing is given.
fn fio_defaults() -> Job {
    let mut job = Job {
        ioengine: "psync".into(),
        rw: Rw::Read,
        iodepth: 1,
        direct: false,
        time_based: false,
        runtime_ms: 0,
        group_reporting: false,
        ..Job::default()
    };
    job.files.sharing = Sharing::Own;
    job
}

/// The section of one line of fio's options.
pub fn section_of(line: &str) -> Section {
    let mut section = Section { job: fio_defaults(), ..Section::default() };
    let words = split(line);
    let mut index = 0;
    while index < words.len() {
        let word = words[index].trim_start_matches('-');
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name.to_string(), value.to_string()),
            // fio takes `-iodepth 1` as well; a flag is followed by another option.
            None if words.get(index + 1).is_some_and(|next| !next.starts_with('-')) => {
                index += 1;
                (word.to_string(), words[index].clone())
            }
            None => (word.to_string(), String::new()),
        };
        set(&mut section, &name, &value);
        let position = Position { source: String::new(), line: index as u32 + 1 };
        section.given.push((name, value, position));
        index += 1;
    }
    section
}

fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty() && word != "fio");
    words
}

fn set(section: &mut Section, name: &str, value: &str) {
    let job = &mut section.job;
    let flag = value.is_empty() || value == "1";
    let number = || value.parse::<u32>().unwrap_or_else(|_| panic!("{name}={value}"));
    let bytes = || parse_bytes(value).unwrap();
    let ms = || parse_duration_ms(value).unwrap();
    match name {
        "name" => section.name = value.into(),
        "stonewall" => section.stonewall = flag,
        "new_group" => section.new_group = flag,
        "wait_for" => section.wait_for = Some(value.into()),
        "ioengine" => job.ioengine = value.into(),
        "rw" | "readwrite" => job.rw = Rw::from_word(value).unwrap(),
        "bs" if value.contains(',') => {
            let sizes: Vec<u64> = value.split(',').map(|size| parse_bytes(size).unwrap()).collect();
            job.bs = *sizes.iter().min().unwrap();
            let fixed = |index: usize| BlockSize::Fixed(*sizes.get(index).unwrap_or(&sizes[0]));
            job.block_sizes = Some(PerDirection { read: fixed(0), write: fixed(1), trim: fixed(2) });
        }
        "bs" => job.bs = bytes(),
        "size" if value.ends_with('%') => job.size_percent = value.trim_end_matches('%').parse().unwrap(),
        "size" => job.size = bytes(),
        "offset" => job.offset = bytes(),
        "offset_increment" => job.offset_increment = bytes(),
        "io_size" => job.io_size = bytes(),
        "loops" => job.loops = number(),
        "numjobs" => job.numjobs = number(),
        "iodepth" => job.iodepth = number(),
        "iodepth_batch_complete_min" => job.iodepth_batch_complete_min = number(),
        "direct" => job.direct = flag,
        "buffered" => job.direct = !flag,
        "runtime" => job.runtime_ms = ms(),
        "time_based" => job.time_based = flag,
        "ramp_time" => job.ramp_ms = ms(),
        "startdelay" => job.startdelay_ms = ms(),
        "rwmixread" => job.rwmixread = value.parse().unwrap(),
        "filename" => {
            job.files.sharing = Sharing::Same;
            job.files.names = value.split(':').map(Into::into).collect();
        }
        "group_reporting" => job.group_reporting = flag,
        "fsync" => job.fsync = number(),
        "fdatasync" => job.fdatasync = number(),
        "end_fsync" => job.end_fsync = flag,
        "sync" => job.sync = if flag { SyncMode::Sync } else { SyncMode::None },
        "invalidate" => job.invalidate = flag,
        _ => set_content(job, name, value),
    }
}

/// Where offsets fall, how fast, what is written, on which CPUs.
fn set_content(job: &mut Job, name: &str, value: &str) {
    let flag = value.is_empty() || value == "1";
    match name {
        "norandommap" => job.norandommap = flag,
        "randrepeat" => job.randrepeat = flag,
        "random_distribution" => job.distribution = distribution(value),
        "rate_iops" => job.rates = PerDirection::all(Rate::Iops(value.parse().unwrap())),
        "rate" => job.rates = PerDirection::all(Rate::Bytes(parse_bytes(value).unwrap())),
        "rate_process" => job.arrivals = Arrivals::Poisson,
        "thinktime" => job.thinktime.us = value.parse().unwrap(),
        "zero_buffers" => job.buffers = Buffers::Zeros,
        "buffer_compress_percentage" => job.buffers = Buffers::Compressible(value.parse().unwrap()),
        "fallocate" => {
            job.fallocate = match value {
                "none" => Fallocate::None,
                "truncate" => Fallocate::Truncate,
                _ => Fallocate::Reserved,
            };
        }
        "verify" => {
            job.verify =
                Some(Verify { method: VerifyMethod::Crc32c, interval: 0, read_back: true, fatal: false });
        }
        "cpus_allowed" => job.cpus_allowed = value.split(',').map(|cpu| cpu.parse().unwrap()).collect(),
        "numa_cpu_nodes" => job.numa_nodes = value.split(',').map(|node| node.parse().unwrap()).collect(),
        "steadystate" => {
            job.steadystate = Some(SteadyRule {
                metric: SteadyMetric::Iops,
                slope: true,
                limit_percent: 5.0,
                window_ms: 0,
                ramp_ms: 0,
            });
        }
        "steadystate_duration" => {
            let window_ms = parse_duration_ms(value).unwrap();
            job.steadystate.as_mut().expect("steadystate first").window_ms = window_ms;
        }
        "thread"
        | "gtod_reduce"
        | "disable_clat"
        | "disable_lat"
        | "ioscheduler"
        | "allow_mounted_write"
        | "write_lat_log"
        | "write_bw_log"
        | "write_iops_log"
        | "log_avg_msec"
        | "rwmixwrite"
        | "refill_buffers" => {}
        _ => panic!("the examples' parser does not know {name}"),
    }
}

fn distribution(value: &str) -> Distribution {
    match value.split_once(':') {
        Some(("zipf", theta)) => Distribution::Zipf(theta.parse().unwrap()),
        Some(("pareto", power)) => Distribution::Pareto(power.parse().unwrap()),
        _ => Distribution::Random,
    }
}
