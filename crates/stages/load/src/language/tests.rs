//! The language as a whole: what jobs come of job files, the way back, and files that are damaged.

use super::*;
use model::job::{
    Arrivals, BlockSize, Buffers, Distribution, Fallocate, Job, PerDirection, Rate, Rw, Sharing,
    SyncMode,
};

mod fio;
mod lines;
mod properties;

/// A small generator; the seed is in the failure's message.
pub(super) struct Dice(u64);

impl Dice {
    pub fn of(seed: u64) -> Dice {
        Dice(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed + 1))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

fn file(text: &str) -> Result<Parsed, LanguageError> {
    from_file(text, "a.fio", &mut |_| None, &mut |_| {
        Err("there are no files".into())
    })
}

/// The job of these options.
fn job(options: &str) -> Job {
    let parsed = file(&format!("[j]\n{options}")).unwrap();
    assert_eq!(parsed.unsupported, [], "{options}");
    parsed.sections[0].job.clone()
}

#[test]
fn defaults_are_fios() {
    let job = job("size=1m");
    assert_eq!(
        (
            job.ioengine.as_str(),
            job.rw,
            job.bs,
            job.iodepth,
            job.numjobs
        ),
        ("psync", Rw::Read, 4096, 1, 1)
    );
    assert_eq!(
        (job.direct, job.time_based, job.runtime_ms, job.loops),
        (false, false, 0, 1)
    );
    assert_eq!(
        (job.files.sharing, job.group_reporting, job.invalidate),
        (Sharing::Own, false, true)
    );
    assert_eq!(
        (job.randrepeat, job.randseed, job.norandommap),
        (true, 0x89, false)
    );
}

#[test]
fn sizes_directions_and_offsets_are_understood() {
    let sizes = job("bs=4k,64k,1m").block_sizes.unwrap();
    assert_eq!(sizes.trim, BlockSize::Fixed(1 << 20));
    assert_eq!(
        job("bsrange=1k-4k").block_sizes.unwrap().read,
        BlockSize::Range(1024, 4096)
    );
    assert_eq!(
        job("bssplit=4k/60:64k/40").sizes().write,
        BlockSize::Split(vec![(4096, 60), (65536, 40)])
    );
    assert_eq!(job("rw=read:16k").rw_stride, 16 << 10);
    assert_eq!(job("rw=read:-8k").rw_stride, -8192);
    let every = job("rw=randread:8\nrw_sequencer=identical");
    assert_eq!((every.rw_every, every.rw_identical), (8, true));
    assert_eq!(job("rwmixwrite=30").rwmixread, 70);
    assert_eq!(job("size=50%").size_percent, 50);
    assert_eq!(job("size=1g\nio_size=50%").io_size, 512 << 20);
    assert!(!job("direct=1\nbuffered=1").direct);
    assert!(job("buffered=1\ndirect=1").direct);
    assert_eq!(
        job("rw=randread\nrandom_distribution=zipf:1.2").distribution,
        Distribution::Zipf(1.2)
    );
    assert!(job("rw=randread\nrandom_distribution=pareto").norandommap);
    assert_eq!(
        job("rw=randread\npercentage_random=30").percentage_random,
        30
    );
    let aligned = job("rw=randread\nbs=8k\nblockalign=512");
    assert_eq!((aligned.blockalign, aligned.norandommap), (512, true));
}

#[test]
fn rates_pauses_and_ends_are_understood() {
    assert_eq!(job("sync=dsync").sync, SyncMode::Dsync);
    assert_eq!(job("rate=1m,500k").rates.write, Rate::Bytes(500 << 10));
    let paced = job("rate_iops=100,,50\nrate_process=poisson");
    assert_eq!(
        (paced.rates, paced.arrivals),
        (
            PerDirection {
                read: Rate::Iops(100),
                write: Rate::Free,
                trim: Rate::Iops(50)
            },
            Arrivals::Poisson
        )
    );
    assert!(job("rate_iops=100\nio_submit_mode=offload").open_loop);
    let think = job("thinktime=5ms\nthinktime_spin=7\nthinktime_blocks=4").thinktime;
    assert_eq!((think.us, think.spin_us, think.blocks), (5000, 7, 4));
    assert_eq!(job("runtime=2m").runtime_ms, 120_000);
    assert_eq!(job("runtime=500us").runtime_ms, 1);
    let target = job("latency_target=2ms\nlatency_window=1s\nlatency_percentile=99.9")
        .latency_target
        .unwrap();
    assert_eq!(
        (target.us, target.window_us, target.percentile),
        (2000, 1_000_000, 99.9)
    );
    let steady = job("ss=bw_slope:0.3%\nss_dur=10\nss_ramp=2")
        .steadystate
        .unwrap();
    assert_eq!(
        (
            steady.slope,
            steady.limit_percent,
            steady.window_ms,
            steady.ramp_ms
        ),
        (true, 0.3, 10_000, 2000)
    );
}

#[test]
fn data_files_and_placement_are_understood() {
    let verify = job("rw=write\nverify=crc32c\nverify_interval=512\ndo_verify=0")
        .verify
        .unwrap();
    assert_eq!(
        (verify.interval, verify.read_back, verify.fatal),
        (512, false, false)
    );
    assert_eq!(
        job("buffer_compress_percentage=100").buffers,
        Buffers::Zeros
    );
    assert_eq!(
        job("buffer_compress_percentage=60").buffers,
        Buffers::Compressible(60)
    );
    assert_eq!(
        job("cpus_allowed=0-2,5\ncpus_allowed_policy=split").cpus_allowed,
        [0, 1, 2, 5]
    );
    assert_eq!(job("numa_cpu_nodes=1").numa_nodes, [1]);
    assert_eq!(job("rw=write").fallocate, Fallocate::Reserved);
    assert_eq!(job("rw=write\nfallocate=none").fallocate, Fallocate::None);
    assert_eq!(
        job("rw=randrw\nfallocate=none").fallocate,
        Fallocate::Written
    );
    assert_eq!(job("percentile_list=50:99.9").percentile_list, [50.0, 99.9]);
    let files = job("filename=/dev/sda:/dev/sdb\nnumjobs=4").files;
    assert_eq!((files.sharing, files.count()), (Sharing::Same, 2));
    let files = job("nrfiles=3\nfilesize=4k\ndirectory=/srv").files;
    assert_eq!(
        (files.sharing, files.count(), files.filesize),
        (Sharing::Own, 3, 4096)
    );
}

#[test]
fn sections_inherit_and_wait() {
    let text = "[global]\nbs=8k\nioengine=libaio\n[a]\nstonewall\n[global]\nbs=1m\n[b]\nwait_for=a\nname=bee\n[c]\nwait_for=bee";
    let parsed = file(text).unwrap();
    let seen: Vec<(&str, u64, bool)> = parsed
        .sections
        .iter()
        .map(|one| (one.name.as_str(), one.job.bs, one.stonewall))
        .collect();
    assert_eq!(
        seen,
        [
            ("a", 8192, true),
            ("bee", 1 << 20, false),
            ("c", 1 << 20, false)
        ]
    );
    let given: Vec<String> = parsed.sections[1]
        .given
        .iter()
        .map(|(name, value, at)| format!("{name}={value} {}", at.line))
        .collect();
    assert_eq!(
        given,
        [
            "bs=8k 2",
            "ioengine=libaio 3",
            "bs=1m 7",
            "wait_for=a 9",
            "name=bee 10"
        ]
    );
}

#[test]
fn what_the_native_engines_lack_is_named_with_its_place() {
    let parsed = file(
        "[global]\nunlink_each_loop=1\n[a]\nioengine=rbd\nrbdname=x\n[b]\nunlink_each_loop=0\n",
    )
    .unwrap();
    let named: Vec<String> = parsed
        .unsupported
        .iter()
        .map(|one| format!("{} in {}", one, one.section))
        .collect();
    assert_eq!(
        named,
        [
            "a.fio line 2: unlink_each_loop=1: files that are made anew for each pass in a",
            "a.fio line 4: ioengine=rbd: an engine that fio alone has in a",
            "a.fio line 5: rbdname=x: an option of an engine that fio alone has in a",
        ]
    );
}

#[test]
fn kb_base_goes_before_all_others() {
    assert_eq!(job("bs=4k\nkb_base=1000").bs, 4000);
}

/// Options whose order or value is drawn; every one of them fio understands.
pub(super) const POOL: &[&str] = &[
    "rw=read",
    "rw=write",
    "rw=randread",
    "rw=randwrite",
    "rw=randrw",
    "rw=rw",
    "rw=randread:8",
    "rw=read:16k",
    "rw=trim",
    "rw=randtrim",
    "rw_sequencer=identical",
    "rwmixread=70",
    "rwmixwrite=20",
    "bs=8k",
    "bs=4k,64k",
    "bs=512,1k,2k",
    "bsrange=1k-4k",
    "bsrange=1k-4k,8k-16k",
    "bssplit=4k/50:8k/50",
    "bssplit=4k/30:8k/:1m/20,64k/100",
    "ba=512",
    "size=64m",
    "size=1g",
    "size=100%",
    "size=0x100000",
    "io_size=2g",
    "filesize=4m",
    "nrfiles=4",
    "directory=/srv",
    "filename=/tmp/x",
    "filename=/tmp/x:/tmp/y",
    "offset=1m",
    "offset_increment=64k",
    "numjobs=3",
    "thread",
    "thread=0",
    "iodepth=16",
    "iodepth_batch=4",
    "iodepth_batch_submit=2",
    "iodepth_batch_complete=2",
    "iodepth_batch_complete_max=8",
    "iodepth_low=2",
    "direct=1",
    "direct=0",
    "buffered=1",
    "buffered=0",
    "sync=1",
    "sync=none",
    "sync=dsync",
    "fsync=32",
    "fdatasync=16",
    "end_fsync=1",
    "ioengine=io_uring",
    "ioengine=libaio",
    "ioengine=sync",
    "ioengine=psync",
    "ioengine=mmap",
    "ioengine=pvsync2",
    "time_based",
    "runtime=10",
    "runtime=1500ms",
    "timeout=2m",
    "ramp_time=3",
    "loops=2",
    "rate=1m",
    "rate=1m,500k,2m",
    "rate_iops=100",
    "rate_process=poisson",
    "thinktime=100",
    "thinktime=5ms",
    "thinktime_spin=7",
    "thinktime_blocks=4",
    "randrepeat=0",
    "allrandrepeat=1",
    "randseed=42",
    "norandommap",
    "random_distribution=zipf:1.2",
    "random_distribution=pareto:0.3",
    "random_distribution=normal:20",
    "random_distribution=zoned:60/10:40/90",
    "random_distribution=zoned_abs:60/1m:40/2m",
    "percentage_random=50",
    "verify=crc32c",
    "do_verify=0",
    "verify_fatal=1",
    "verify_interval=512",
    "refill_buffers",
    "scramble_buffers=0",
    "zero_buffers",
    "buffer_compress_percentage=40",
    "group_reporting",
    "cpus_allowed=0",
    "cpus_allowed_policy=split",
    "invalidate=0",
    "fallocate=none",
    "fallocate=truncate",
    "overwrite=1",
    "latency_target=2ms",
    "latency_window=1s",
    "latency_percentile=99",
    "steadystate=iops:5%",
    "ss_dur=5",
    "ss_ramp=1",
    "percentile_list=50:99:99.9",
    "clat_percentiles=0",
    "stonewall",
    "new_group",
    "startdelay=2",
    "write_bw_log=x",
    "description=some words",
    "serialize_overlap=1",
    "unlink_each_loop=1",
    "verify=md5",
    "zonemode=strided",
    "zonesize=1m",
    "nice=-5",
    "openfiles=1",
    "file_service_type=random",
    "exitall",
    "number_ios=5",
    "log_avg_msec=1000",
    "gtod_reduce=1",
];

/// A job file of a seed.
pub(super) fn drawn(dice: &mut Dice) -> String {
    let mut text = String::from("[global]\n");
    for section in 0..=1 + dice.below(3) {
        if section > 0 {
            text += &format!("[job{section}]\n");
        }
        for _ in 0..dice.below(12) {
            text += &format!("{}\n", dice.pick(POOL));
        }
    }
    text
}

#[test]
fn iodynos_own_words_become_fios() {
    let own = Section::of(Job {
        numjobs: 4,
        rw: Rw::Write,
        size: 1 << 30,
        bs: 1 << 20,
        ..Job::default()
    });
    let words = to_words(&own).join(" ");
    assert_eq!(
        words,
        "--name=write --ioengine=io_uring --rw=write --bs=1m --size=256m --offset_increment=256m --overwrite=1 \
         --iodepth=32 --numjobs=4 --group_reporting --direct=1 --time_based --runtime=10 --randseed=1 --refill_buffers"
    );
    assert_eq!(
        to_words(&Section {
            job: job("size=1m"),
            name: "j".into(),
            ..Section::default()
        }),
        ["--name=j", "--size=1m"]
    );
}

/// One line lost, doubled, swapped, cut, or given something strange.
fn damage(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for _ in 0..=dice.below(4) {
        if lines.is_empty() {
            break;
        }
        let (at, other) = (dice.below(lines.len()), dice.below(lines.len()));
        match dice.below(8) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[other].clone()),
            2 => lines.swap(at, other),
            3 => lines[at] = lines[at].chars().take(dice.below(12)).collect(),
            4 => lines[at] = lines[at].replace(char::is_numeric, "99999999999999999999"),
            5 => lines[at] = lines[at].replace('=', dice.pick(&["", "==", " = ", "=-", "=(", ":"])),
            6 => {
                let end = (0..=lines[at].len())
                    .filter(|end| lines[at].is_char_boundary(*end))
                    .nth(dice.below(9));
                let end = end.unwrap_or(0);
                lines[at].insert_str(
                    end,
                    dice.pick(&[
                        "é",
                        "\u{0}",
                        "[",
                        "]",
                        "#",
                        "${",
                        "%",
                        ",",
                        "\u{1b}[31m",
                        "€",
                    ]),
                );
            }
            _ => lines[at].push_str(dice.pick(&[
                "\u{1b}[31m",
                "/",
                ":",
                "-",
                "\u{0}",
                "z",
                ",,,,",
                "%",
                "(",
                "k",
                "5é",
            ])),
        }
    }
    lines.join("\n")
}

#[test]
fn a_damaged_file_gives_jobs_or_an_error_with_its_line() {
    let (mut understood, mut refused) = (0, 0);
    for seed in 0..5000 {
        let mut dice = Dice::of(seed);
        let text = drawn(&mut dice);
        let text = damage(&text, &mut dice);
        match file(&text) {
            Ok(parsed) => {
                for section in &parsed.sections {
                    to_words(section);
                }
                understood += 1;
            }
            Err(error) => {
                let place = error
                    .position
                    .as_ref()
                    .map(|position| position.line as usize);
                let is_whole = error.why == "no job is defined";
                assert!(
                    is_whole || place.is_some_and(|line| line >= 1 && line <= text.lines().count()),
                    "seed {seed}: {error}\n{text}"
                );
                assert!(
                    !error.to_string().contains('\u{1b}'),
                    "seed {seed}: an escape reached the terminal"
                );
                refused += 1;
            }
        }
        let words: Vec<String> = text
            .lines()
            .skip(1)
            .map(|line| format!("--{line}"))
            .collect();
        let _ = from_words(&words);
        let _ = from_words(&[text.replace('\n', " -")]);
    }
    assert!(
        understood > 500 && refused > 500,
        "{understood} understood, {refused} refused"
    );
}
