//! A section as a command line for fio: only what differs from fio's defaults.

use super::draft::{Draft, GivenOptions};
use super::options::{self, Meaning};
use model::job::{
    Arrivals, BlockSize, Buffers, Distribution, Fallocate, Job, PerDirection, Rate, Section,
    Sharing, SteadyMetric, SyncMode,
};

/// The options that give fio the same job. iodyno's own words that fio lacks come as near as fio allows: contiguous
/// shares of a file as an `offset_increment`, the engine `stream` as `psync`. Options of the section that only fio
/// follows are handed on as they were given.
pub fn to_words(section: &Section) -> Vec<String> {
    let job = &section.job;
    let mut out = Out { words: Vec::new() };
    if !section.name.is_empty() {
        out.put("name", &section.name);
    }
    if let Some((text, _)) = section.option("description") {
        out.put("description", text);
    }
    out.unless(
        "ioengine",
        if job.ioengine == "stream" {
            "psync"
        } else {
            &job.ioengine
        },
        "psync",
    );
    direction(job, &mut out);
    blocks(job, &mut out);
    range(job, &mut out);
    files(job, &mut out);
    depth(job, &mut out);
    durability(job, &mut out);
    time(job, &mut out);
    random(job, &mut out);
    content(job, &mut out);
    ends(job, &mut out);
    out.flag("stonewall", section.stonewall);
    out.flag("new_group", section.new_group);
    if let Some(other) = &section.wait_for {
        out.put("wait_for", other);
    }
    for (name, value) in handed_on(section).iter().chain(&job.handed_on) {
        out.replace(name, value);
    }
    out.words
}

struct Out {
    words: Vec<String>,
}

impl Out {
    fn put(&mut self, name: &str, value: impl std::fmt::Display) {
        self.words.push(format!("--{name}={value}"));
    }

    fn unless<T: PartialEq + std::fmt::Display>(&mut self, name: &str, value: T, default: T) {
        if value != default {
            self.put(name, value);
        }
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.words.push(format!("--{name}"));
        }
    }

    /// In place of what stands there for the option. fio takes no empty values.
    fn replace(&mut self, name: &str, value: &str) {
        self.words
            .retain(|word| word.trim_start_matches('-').split('=').next() != Some(name));
        match value {
            "" => self.flag(name, true),
            value => self.put(name, value),
        }
    }

    fn bytes(&mut self, name: &str, value: u64) {
        if value > 0 {
            self.put(name, size(value));
        }
    }

    fn ms(&mut self, name: &str, value: u64) {
        match value {
            0 => {}
            value if value.is_multiple_of(1000) => self.put(name, value / 1000),
            value => self.put(name, format!("{value}ms")),
        }
    }
}

/// `64k`, `10g`, `1536`.
fn size(bytes: u64) -> String {
    for (shift, letter) in [(40, 't'), (30, 'g'), (20, 'm'), (10, 'k')] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{letter}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// One value for all directions, or one for each.
fn list(values: PerDirection<String>) -> String {
    match values.read == values.write && values.write == values.trim {
        true => values.read,
        false => format!("{},{},{}", values.read, values.write, values.trim),
    }
}

fn direction(job: &Job, out: &mut Out) {
    let postfix = match job.rw.is_random() {
        true if job.rw_every > 1 => format!(":{}", job.rw_every),
        false if job.rw_stride != 0 => {
            let sign = if job.rw_stride < 0 { "-" } else { "" };
            format!(":{sign}{}", size(job.rw_stride.unsigned_abs()))
        }
        _ => String::new(),
    };
    out.unless("rw", format!("{}{postfix}", job.rw.word()), "read".into());
    if job.rw_identical {
        out.put("rw_sequencer", "identical");
    }
    out.unless("rwmixread", job.rwmixread, 50);
}

fn blocks(job: &Job, out: &mut Out) {
    let sizes = job.sizes();
    let all = [&sizes.read, &sizes.write, &sizes.trim];
    let fixed = |one: &BlockSize| match one {
        BlockSize::Fixed(bytes) => size(*bytes),
        other => size(other.min()),
    };
    if all.iter().all(|one| matches!(one, BlockSize::Fixed(_))) {
        let sizes = PerDirection {
            read: fixed(all[0]),
            write: fixed(all[1]),
            trim: fixed(all[2]),
        };
        out.unless("bs", list(sizes), "4k".into());
    } else if all.iter().any(|one| matches!(one, BlockSize::Split(_))) {
        let split = |one: &BlockSize| match one {
            BlockSize::Split(parts) => {
                let parts = parts
                    .iter()
                    .map(|(bytes, share)| format!("{}/{share}", size(*bytes)));
                parts.collect::<Vec<String>>().join(":")
            }
            other => format!("{}/100", fixed(other)),
        };
        let sizes = PerDirection {
            read: split(all[0]),
            write: split(all[1]),
            trim: split(all[2]),
        };
        out.put("bssplit", list(sizes));
    } else {
        let range = |one: &BlockSize| format!("{}-{}", size(one.min()), size(one.max()));
        let sizes = PerDirection {
            read: range(all[0]),
            write: range(all[1]),
            trim: range(all[2]),
        };
        out.put("bsrange", list(sizes));
    }
    out.bytes("blockalign", job.blockalign);
}

fn range(job: &Job, out: &mut Out) {
    let parts = u64::from(job.numjobs.max(1));
    let is_divided = job.files.sharing == Sharing::Shares && parts > 1 && !job.rw.is_random();
    match (is_divided, job.size, job.size_percent) {
        (true, size_bytes, _) if size_bytes > 0 => {
            let share = size_bytes / parts / job.bs.max(1) * job.bs;
            out.bytes("size", share);
            out.bytes("offset_increment", share);
        }
        (true, _, percent) => {
            let share = u64::from(if percent == 0 { 100 } else { percent }) / parts;
            out.put("size", format!("{share}%"));
            out.put("offset_increment", format!("{share}%"));
        }
        (false, size_bytes, percent) => {
            out.bytes("size", size_bytes);
            if percent > 0 && size_bytes == 0 {
                out.put("size", format!("{percent}%"));
            }
            out.bytes("offset_increment", job.offset_increment);
        }
    }
    out.bytes("offset", job.offset);
    out.bytes("io_size", job.io_size);
    out.unless("loops", job.loops.max(1), 1);
}

fn files(job: &Job, out: &mut Out) {
    if !job.files.names.is_empty() {
        let names: Vec<String> = job
            .files
            .names
            .iter()
            .map(|name| name.replace(':', "\\:"))
            .collect();
        out.put("filename", names.join(":"));
    }
    if let Some(directory) = &job.files.directory {
        out.put("directory", directory);
    }
    if job.files.nrfiles > 0 {
        out.put("nrfiles", job.files.nrfiles);
    }
    out.bytes("filesize", job.files.filesize);
    match job.fallocate {
        _ if job.rw.reads() => {}
        Fallocate::Written => out.put("overwrite", 1),
        Fallocate::Reserved => {}
        Fallocate::None => out.put("fallocate", "none"),
        Fallocate::Truncate => out.put("fallocate", "truncate"),
    }
}

fn depth(job: &Job, out: &mut Out) {
    out.unless("iodepth", job.iodepth, 1);
    out.unless("iodepth_batch", job.iodepth_batch, 0);
    out.unless(
        "iodepth_batch_complete_min",
        job.iodepth_batch_complete_min,
        0,
    );
    out.unless(
        "iodepth_batch_complete_max",
        job.iodepth_batch_complete_max,
        0,
    );
    out.unless("iodepth_low", job.iodepth_low, 0);
    out.unless("numjobs", job.numjobs, 1);
    out.flag("group_reporting", job.group_reporting);
    let join = |numbers: &[u32]| {
        numbers
            .iter()
            .map(u32::to_string)
            .collect::<Vec<String>>()
            .join(",")
    };
    if !job.cpus_allowed.is_empty() {
        out.put("cpus_allowed", join(&job.cpus_allowed));
        if job.cpus_allowed.len() > 1 {
            out.put("cpus_allowed_policy", "split");
        }
    }
    if !job.numa_nodes.is_empty() {
        out.put("numa_cpu_nodes", join(&job.numa_nodes));
    }
}

fn durability(job: &Job, out: &mut Out) {
    if job.direct {
        out.put("direct", 1);
    }
    match job.sync {
        SyncMode::None => {}
        SyncMode::Dsync => out.put("sync", "dsync"),
        // The word is younger than the number.
        SyncMode::Sync => out.put("sync", 1),
    }
    out.unless("fsync", job.fsync, 0);
    out.unless("fdatasync", job.fdatasync, 0);
    if job.end_fsync {
        out.put("end_fsync", 1);
    }
    if !job.invalidate {
        out.put("invalidate", 0);
    }
}

fn time(job: &Job, out: &mut Out) {
    out.flag("time_based", job.time_based);
    out.ms("runtime", job.runtime_ms);
    out.ms("ramp_time", job.ramp_ms);
    out.ms("startdelay", job.startdelay_ms);
    let PerDirection { read, write, trim } = job.rates;
    let bytes = |rate: Rate| {
        if let Rate::Bytes(bytes) = rate {
            size(bytes)
        } else {
            "0".into()
        }
    };
    let iops = |rate: Rate| {
        if let Rate::Iops(iops) = rate {
            iops.to_string()
        } else {
            "0".into()
        }
    };
    let rate = PerDirection {
        read: bytes(read),
        write: bytes(write),
        trim: bytes(trim),
    };
    out.unless("rate", list(rate), "0".into());
    let rate = PerDirection {
        read: iops(read),
        write: iops(write),
        trim: iops(trim),
    };
    out.unless("rate_iops", list(rate), "0".into());
    if job.arrivals == Arrivals::Poisson {
        out.put("rate_process", "poisson");
    }
    if job.open_loop {
        out.put("io_submit_mode", "offload");
    }
    let think = job.thinktime;
    if think.us > 0 {
        out.put("thinktime", format!("{}us", think.us));
        if think.spin_us > 0 {
            out.put("thinktime_spin", format!("{}us", think.spin_us));
        }
        if think.blocks > 1 {
            out.put("thinktime_blocks", think.blocks);
        }
    }
}

fn random(job: &Job, out: &mut Out) {
    let pairs = |pairs: Vec<String>| pairs.join(":");
    let is_implied = job.distribution != Distribution::Random || job.blockalign > 0;
    match &job.distribution {
        Distribution::Random => {}
        Distribution::Zipf(theta) => out.put("random_distribution", format!("zipf:{theta}")),
        Distribution::Pareto(power) => out.put("random_distribution", format!("pareto:{power}")),
        Distribution::Normal(deviation) => {
            out.put("random_distribution", format!("normal:{deviation}"))
        }
        Distribution::Zoned(zones) => {
            let zones = zones
                .iter()
                .map(|(share, part)| format!("{share}/{part}"))
                .collect();
            out.put("random_distribution", format!("zoned:{}", pairs(zones)));
        }
        Distribution::ZonedAbs(zones) => {
            let zones = zones
                .iter()
                .map(|(share, bytes)| format!("{share}/{}", size(*bytes)))
                .collect();
            out.put("random_distribution", format!("zoned_abs:{}", pairs(zones)));
        }
    }
    out.flag("norandommap", job.norandommap && !is_implied);
    out.unless("percentage_random", job.percentage_random, 100);
    if !job.randrepeat {
        out.put("randrepeat", 0);
    }
    out.unless("randseed", job.randseed, 0x89);
}

fn content(job: &Job, out: &mut Out) {
    match job.buffers {
        Buffers::Random => out.flag("refill_buffers", job.rw.writes() && job.verify.is_none()),
        Buffers::Zeros => out.flag("zero_buffers", true),
        Buffers::Compressible(share) => out.put("buffer_compress_percentage", share),
    }
    if let Some(verify) = job.verify {
        out.put("verify", "crc32c");
        out.bytes("verify_interval", verify.interval);
        if !verify.read_back {
            out.put("do_verify", 0);
        }
        if verify.fatal {
            out.put("verify_fatal", 1);
        }
    }
}

fn ends(job: &Job, out: &mut Out) {
    if let Some(target) = job.latency_target {
        out.put("latency_target", format!("{}us", target.us));
        if target.window_us > 0 {
            out.put("latency_window", format!("{}us", target.window_us));
        }
        out.unless("latency_percentile", target.percentile, 100.0);
    }
    if let Some(rule) = job.steadystate {
        let metric = match rule.metric {
            SteadyMetric::Bw => "bw",
            // fio has no rule for latency; with a fixed depth the rate settles with it.
            SteadyMetric::Iops | SteadyMetric::Lat => "iops",
        };
        let slope = if rule.slope { "_slope" } else { "" };
        out.put(
            "steadystate",
            format!("{metric}{slope}:{}%", rule.limit_percent),
        );
        out.ms("steadystate_duration", rule.window_ms);
        out.ms("steadystate_ramp_time", rule.ramp_ms);
    }
    if !job.percentile_list.is_empty() {
        let list: Vec<String> = job.percentile_list.iter().map(f64::to_string).collect();
        out.put("percentile_list", list.join(":"));
    }
}

/// What the section's job cannot hold: options that fio alone follows, and those that belong to them, as they were
/// given. Those that only say what is logged are left out.
pub fn handed_on(section: &Section) -> Vec<(String, String)> {
    let engine = &section.job.ioengine;
    let given = section
        .given
        .iter()
        .map(|(name, value, position)| GivenOptions {
            name: name.clone(),
            value: Some(value.clone()),
            position: position.clone(),
        });
    let given: Vec<GivenOptions> = given
        .filter(|one| {
            options::find(&one.name)
                .or(options::of_engine(engine, &one.name))
                .is_some()
        })
        .collect();
    // The options were read before, so they can be read again; of a section whose options cannot, nothing is handed on.
    let mut draft = Draft::new();
    if draft.apply_all(&given).is_err() {
        return Vec::new();
    }
    super::finish::end_with_others(&mut draft, false);
    let Ok((_, unsupported, _)) = super::finish::finish(draft, &Default::default()) else {
        return Vec::new();
    };
    let others = unsupported
        .into_iter()
        .filter(|one| one.option != "ioengine");
    let mut all: Vec<(String, String)> = others.map(|one| (one.option, one.value)).collect();
    for one in given {
        let spec = options::find(&one.name).or_else(|| options::of_engine(engine, &one.name));
        let is_companion = match spec.map(|spec| spec.meaning) {
            Some(Meaning::Noted(why)) => one.name == "thread" || why.starts_with("it belongs to"),
            _ => false,
        };
        if is_companion {
            all.retain(|(name, _)| *name != one.name);
            all.push((one.name, one.value.unwrap_or_default()));
        }
    }
    all
}
