//! fio itself: what it accepts, how it reads the same file, and how much it then moves.

use super::super::draft::GivenOptions;
use super::super::{file, options};
use super::*;

const EXAMPLES: &str = "/usr/share/doc/fio/examples";

/// The fio of this machine, where it is the one that the table was made from.
fn is_here() -> bool {
    let found = host::spawn::run("fio", &["--version"])
        .map(|found| found.stdout)
        .unwrap_or_default();
    if !found.starts_with("fio-3.33") {
        skip::missing(
            "fio",
            format!("fio 3.33 is not installed ({})", found.trim()),
        );
    }
    found.starts_with("fio-3.33")
}

/// A folder for job files.
struct Bench(host::files::TemporaryDir);

impl Bench {
    fn new() -> Bench {
        Bench(host::files::temporary_dir("fio-language").unwrap())
    }

    fn fio(&self, text: &str, arguments: &[&str]) -> host::spawn::Finished {
        let path = self.0.path().join("a.fio");
        host::files::write_atomically(&path, text).unwrap();
        let path = path.to_string_lossy().into_owned();
        let arguments: Vec<&str> = arguments.iter().copied().chain([path.as_str()]).collect();
        host::spawn::run("fio", &arguments).unwrap()
    }

    fn accepts(&self, text: &str) -> Result<(), String> {
        let found = self.fio(text, &["--parse-only"]);
        if found.status == Some(0) {
            Ok(())
        } else {
            Err(found.stdout + &found.stderr)
        }
    }
}

fn env(name: &str) -> Option<String> {
    host::environment::variable(name)
}

/// What `fio --showcmd` has to print for the file: every option by its full name, in the order in which it applies.
fn shown(text: &str) -> String {
    let blocks = file::blocks(text, "a.fio", &mut env, &mut |_| Err("none".into())).unwrap();
    let mut words = vec!["fio".to_string()];
    let mut defaults: Vec<GivenOptions> = Vec::new();
    let mut engine = "psync".to_string();
    for block in blocks {
        let mut options: Vec<GivenOptions> = Vec::new();
        let mut own = Vec::new();
        for one in &block.options {
            match options::find(&one.name) {
                Some(spec) => options.push(GivenOptions {
                    name: spec.name.into(),
                    ..one.clone()
                }),
                None => own.push(one),
            }
        }
        options.sort_by_key(|one| options::priority(&one.name));
        let given = options
            .iter()
            .rev()
            .find(|one| one.name == "ioengine")
            .and_then(|one| one.value.clone());
        let mine = given.unwrap_or_else(|| engine.clone());
        options.extend(own.into_iter().map(|one| {
            let spec = options::of_engine(&mine, &one.name).unwrap();
            GivenOptions {
                name: spec.name.into(),
                ..one.clone()
            }
        }));
        if block.is_global() {
            engine = mine;
            defaults.extend(options);
            options = defaults.clone();
        } else {
            words.push(format!("--name={}", block.name));
        }
        words.extend(
            options
                .iter()
                .map(|one| match (&one.value, one.name.as_str()) {
                    (Some(value), "description") => format!("--{}=\"{value}\"", one.name),
                    _ => format!("--{}", one.text()),
                }),
        );
    }
    words.join(" ")
}

/// Whitespace does not count, and what fio prints into the line about options that it ignores.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let is_remark = words[at] == "Option" && words.get(at + 3) == Some(&"deprecated");
        if !is_remark {
            kept.push(words[at]);
        }
        at += if is_remark { 4 } else { 1 };
    }
    kept.join(" ")
}

/// What came of comparing files.
#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    stricter: usize,
    shown: usize,
    reread: usize,
}

/// Ours and fio's reading of one file. Ours may refuse what fio accepts and misreads, or refuses when the job begins.
fn compare(bench: &Bench, name: &str, text: &str, tally: &mut Tally) -> Result<(), String> {
    let ours = from_file(text, "a.fio", &mut env, &mut |_| Err("none".into()));
    let parsed = match (ours, bench.accepts(text)) {
        (Ok(parsed), Ok(())) => parsed,
        (Err(_), Err(_)) => {
            tally.refused += 1;
            return Ok(());
        }
        (Err(error), Ok(())) => {
            let is_stricter = matches!(error.kind, Mistake::Misleading | Mistake::Conflict);
            if !is_stricter {
                return Err(format!(
                    "{name}: fio accepts what ours refuses: {error}\n{text}"
                ));
            }
            tally.stricter += 1;
            return Ok(());
        }
        (Ok(_), Err(why)) => {
            return Err(format!(
                "{name}: ours accepts what fio refuses: {why}\n{text}"
            ));
        }
    };
    tally.accepted += 1;
    let command = plain(&bench.fio(text, &["--showcmd"]).stdout);
    if command != plain(&shown(text)) {
        return Err(format!(
            "{name}: fio shows\n{command}\nours\n{}\n{text}",
            plain(&shown(text))
        ));
    }
    tally.shown += 1;
    // The printed line says the same again, unless defaults change in the middle of the file.
    let is_simple =
        text.matches("[global").count() <= 1 && !command.contains('"') && !text.contains(" is=");
    if is_simple
        && parsed
            .sections
            .iter()
            .all(|section| !section.name.contains(' '))
    {
        let words: Vec<String> = command.split(' ').skip(1).map(str::to_string).collect();
        if words.iter().all(|word| word.starts_with("--"))
            && !text.contains("name=")
            && !text.contains("kb_base")
        {
            let again =
                from_words(&words).map_err(|error| format!("{name}: {command}: {error}"))?;
            let jobs = |parsed: &Parsed| {
                parsed
                    .sections
                    .iter()
                    .map(|one| one.job.clone())
                    .collect::<Vec<Job>>()
            };
            if jobs(&again) != jobs(&parsed) {
                return Err(format!("{name}: {command} has other jobs than\n{text}"));
            }
            tally.reread += 1;
        }
    }
    Ok(())
}

#[test]
fn fios_own_examples_are_read_as_fio_reads_them() {
    if !is_here() {
        return;
    }
    let names = host::Host::live().list(EXAMPLES);
    let names: Vec<&String> = names.iter().filter(|name| name.ends_with(".fio")).collect();
    if names.is_empty() {
        skip::missing("fio-examples", "the package fio-examples is not installed");
        return;
    }
    let (bench, mut tally, mut not_built, mut wrong) =
        (Bench::new(), Tally::default(), Vec::new(), Vec::new());
    let built = host::spawn::run("fio", &["--enghelp"]).unwrap().stdout;
    for name in names {
        let text = host::files::read_text(&std::path::Path::new(EXAMPLES).join(name)).unwrap();
        let engines = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("ioengine="))
            .map(str::trim);
        let missing = engines
            .filter(|engine| !built.split_whitespace().any(|one| one == *engine))
            .count();
        if missing > 0 && bench.accepts(&text).is_err() {
            // This fio was built without the engine; ours knows its options all the same.
            if let Err(error) = from_file(&text, name, &mut env, &mut |_| Err("none".into())) {
                assert_eq!(error.why, "it needs a value", "{error}");
            }
            not_built.push(name);
            continue;
        }
        wrong.extend(compare(&bench, name, &text, &mut tally).err());
    }
    assert_eq!(wrong, Vec::<String>::new());
    println!("fio's examples: {tally:?}; engines that this fio lacks: {not_built:?}");
    assert!(tally.accepted + not_built.len() >= 70, "{tally:?}");
}

#[test]
fn our_own_files_are_read_as_fio_reads_them() {
    if !is_here() {
        return;
    }
    let (bench, mut tally) = (Bench::new(), Tally::default());
    for name in ["field-reports.fio", "everything.fio"] {
        let text = lines::fixture(name);
        compare(&bench, name, &text, &mut tally).unwrap();
        let parsed = from_file(&text, name, &mut env, &mut |_| Err("none".into())).unwrap();
        assert_eq!(parsed.unsupported, [], "{name}");
        for section in &parsed.sections {
            let words = to_words(section);
            let mut arguments = vec!["--parse-only"];
            arguments.extend(words.iter().map(String::as_str));
            let found = host::spawn::run("fio", &arguments).unwrap();
            assert_eq!(found.status, Some(0), "{words:?}: {}", found.stderr);
        }
    }
    assert_eq!(tally.accepted, 2, "{tally:?}");
}

/// Values that are wrong for some options and right for others.
const ODD: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "100",
    "101",
    "4k",
    "4kb",
    "4KiB",
    "1g",
    "50%",
    "true",
    "",
    "read",
    "none",
    "sync",
    "0x10",
    "1,2",
    ",2",
    "4k,",
    "1:2",
    "4k-8k",
    "10s",
    "5ms",
    "libaio",
    "zipf:1",
    "zipf:0.9",
    "pareto:2",
    "normal:20:0.5",
    "4k/50:8k/50",
    "iops:5%",
    "iops:",
    "99.9:50",
    "200.0",
    "crc32c",
    "split",
    "1000",
    "/tmp/x",
    "random",
    "1024",
];

#[test]
fn drawn_files_are_accepted_and_shown_as_fio_does() {
    if !is_here() {
        return;
    }
    let (bench, mut tally, mut wrong) = (Bench::new(), Tally::default(), Vec::new());
    let names: Vec<&str> = options::all()
        .map(|spec| spec.name)
        .filter(|name| !options::is_newer(name))
        .collect();
    for seed in 0..100 {
        let mut dice = Dice::of(seed);
        let mut text = drawn(&mut dice);
        if seed % 2 == 0 {
            for _ in 0..1 + dice.below(2) {
                text += &format!("{}={}\n", dice.pick(&names), dice.pick(ODD));
            }
        }
        if !text.contains("[job") {
            text += "[last]\n";
        }
        if is_looser(&text) {
            continue;
        }
        wrong.extend(compare(&bench, &format!("seed {seed}"), &text, &mut tally).err());
    }
    assert!(
        wrong.is_empty(),
        "{} files are read otherwise:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n\n")
    );
    println!("drawn files: {tally:?}");
    assert!(tally.accepted > 30 && tally.refused > 5, "{tally:?}");
}

/// What fio checks only when it runs a job, or never.
fn is_looser(text: &str) -> bool {
    text.lines().any(|line| {
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let is_checked_later = matches!(
            name,
            "cpus_allowed"
                | "numa_cpu_nodes"
                | "numa_mem_policy"
                | "ioengine"
                | "ignore_error"
                | "verify_pattern"
                | "buffer_pattern"
        );
        is_checked_later && !POOL.contains(&line) || value.contains("exclude")
    })
}

/// Bytes and I/Os of each job of a file, as fio counts them with an engine that does nothing.
fn moved(bench: &Bench, text: &str) -> Vec<(u64, u64)> {
    let found = bench.fio(text, &["--output-format=json"]);
    let json = &found.stdout[found
        .stdout
        .find('{')
        .unwrap_or_else(|| panic!("{}\n{text}", found.stderr))..];
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    let number = |job: &serde_json::Value, what: &str| {
        ["read", "write", "trim"]
            .iter()
            .map(|way| job[way][what].as_u64().unwrap())
            .sum::<u64>()
    };
    let jobs = json["jobs"].as_array().unwrap();
    jobs.iter()
        .map(|job| (number(job, "io_bytes"), number(job, "total_ios")))
        .collect()
}

/// Sections of a job file whose bytes and I/Os fio tells.
const MOVING: [&str; 27] = [
    "size=64k",
    "size=64KiB\nbs=1000",
    "size=64kb\nbs=8kb",
    "size=0x10000\nbs=0x1000",
    "kb_base=1000\nsize=64k\nbs=4k",
    "kb_base=1000\nsize=64KiB\nbs=4KiB",
    "size=1m\nbs=16k\nrw=write",
    "size=1m\nrw=randrw\nrwmixread=100\nbs=4k,64k",
    "size=1m\nrw=rw\nrwmixwrite=100\nbs=4k,64k",
    "size=1m\nrw=randread\nbs=,8k",
    "size=1m\nio_size=256k",
    "size=256k\nio_size=1m",
    "size=1m\nio_size=50%",
    "size=64k\nloops=3",
    "size=1m\nbs=4k,8k,16k\nrw=trim",
    "size=1m\nbsrange=8k-8k",
    "size=1m\nbs=4k\nbsrange=16k:16k\nrw=randwrite",
    "size=1m\nbssplit=32k/100\nbs=4k\nrw=randread",
    "size=1m\nbssplit=32k/100,64k/\nrw=write",
    "filesize=128k\nnrfiles=2",
    "size=1m\nnrfiles=4\nbs=8k",
    "size=64k\ntime_based",
    "size=2m\nrw=readwrite\nblocksize=4k",
    "size=1m\nrw=randread:4\nnorandommap",
    "size=64k\nname=other\nrandseed=5",
    "io_limit=96k\nsize=1m",
    "size=1m\nblocksize=4k\nblocksize=8k",
];

#[test]
fn jobs_move_as_much_as_fio_moves() {
    if !is_here() {
        return;
    }
    let bench = Bench::new();
    let text = MOVING.iter().enumerate().fold(
        "[global]\nioengine=null\nthread\n".to_string(),
        |text, (at, case)| {
            text + &format!("[job{at}]\n{case}\nfilename=/iodyno-{at}\n").replace(
                "filename=/iodyno",
                if case.contains("nrfiles") {
                    "description=/iodyno"
                } else {
                    "filename=/iodyno"
                },
            )
        },
    );
    let theirs = moved(&bench, &text);
    let parsed = from_file(&text, "a.fio", &mut env, &mut |_| Err("none".into())).unwrap();
    assert_eq!(theirs.len(), MOVING.len());
    for ((case, section), (bytes, ios)) in MOVING.iter().zip(&parsed.sections).zip(theirs) {
        let job = &section.job;
        let range = match (job.size, u64::from(job.files.count()) * job.files.filesize) {
            (0, files) => files,
            (size, _) => size,
        };
        let sizes = job.sizes();
        let block = match (job.rw.reads() && job.rwmixread > 0, job.rw.trims()) {
            (true, _) => sizes.read.max(),
            (_, true) => sizes.trim.max(),
            _ => sizes.write.max(),
        };
        let whole = range / block * block;
        let ours = job
            .bytes_to_move(if job.io_size > 0 { range } else { whole })
            .unwrap();
        assert_eq!(
            (ours, ours.div_ceil(block)),
            (bytes, ios),
            "{case}: {job:?}"
        );
    }
    println!("{} jobs moved as much as fio says", MOVING.len());
}
