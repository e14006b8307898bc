//! Whether two loads can be compared: what makes a job ([`model::job::identity`]), and what results of other tools tell of it.
//!
//! What a source does not tell counts as alike, and is said.

use model::comparison::JobFacts;
use model::imported::Imported;
use model::job::Job;
use model::job::engines::is_synchronous;
use model::job::identity::{self, Identity};
use model::units;

/// What is known of a result of another tool that does not tell its job.
const OF_TOOLS: [&str; 3] = ["direction", "tool", "engine"];

/// What decides of a job of ours.
pub fn facts(job: &Job) -> JobFacts {
    Identity::of(job).into_fields()
}

/// What may differ and is told.
pub fn beside(job: &Job) -> JobFacts {
    let mut facts = JobFacts::new();
    facts.insert("ioengine".into(), job.effective_engine().into());
    if job.size > 0 {
        facts.insert("size".into(), units::size_word(job.size));
    }
    facts.insert("runtime".into(), format!("{}ms", job.runtime_ms));
    facts
}

/// What decides of a result of another tool, as far as it tells.
pub fn imported_facts(imported: &Imported) -> JobFacts {
    let mut facts = Identity::told(&imported.facts).into_fields();
    let tool = tool(imported);
    if !facts.contains_key("bs")
        && tool == "fio"
        && let Some(bs) = block(imported)
    {
        facts.insert("bs".into(), bs);
    }
    let (has_rw, has_bs) = (facts.contains_key("rw"), facts.contains_key("bs"));
    // Whatever else than fio tells no block size measures in its own way, and so does what tells no direction.
    if !has_rw || tool != "fio" && !has_bs {
        if !has_rw {
            facts.extend(direction(imported).map(|direction| ("direction".to_string(), direction)));
        }
        facts.insert("tool".into(), own_way(imported, tool));
        facts.extend(own_mode(imported).map(|mode| ("options".to_string(), mode)));
    }
    if !facts.contains_key("iodepth") || is_waiting(imported) {
        facts.extend(engine(imported).map(|engine| ("engine".to_string(), engine)));
    }
    facts
}

/// The tool without its version: `fio` of `fio-3.33`.
fn tool(imported: &Imported) -> String {
    match imported.tool.split(['-', ' ']).next() {
        Some("") | None => "other".into(),
        // `rados bench` and `rbd bench` are known by both words, and each test of sysbench measures something else.
        Some("rados" | "rbd") => imported.tool.to_lowercase(),
        Some("sysbench") => imported.importer.replace('_', " "),
        Some(word) => word.to_lowercase(),
    }
}

/// Which of a tool's own tests it was, where that makes another job: `seq` and `rand` of rados bench read in another order.
fn own_mode(imported: &Imported) -> Option<String> {
    let mode = imported.facts.get("mode")?;
    let is_own = mode == "seq" || mode == "rand" || imported.importer == "sysbench_oltp";
    is_own.then(|| mode.clone())
}

/// Whether its engine is told, and has one I/O in flight whatever `iodepth` says.
fn is_waiting(imported: &Imported) -> bool {
    let told = imported.facts.get("ioengine");
    told.is_some_and(|engine| is_synchronous(engine.trim()))
}

/// How its engine submits, which decides where the depth of the other is not told: one that waits cannot be taken for one
/// that queues.
fn engine(imported: &Imported) -> Option<String> {
    imported.facts.get("ioengine")?;
    let word = if is_waiting(imported) {
        "waits"
    } else {
        "queues"
    };
    Some(word.into())
}

/// What a tool measured that has ways of its own: cached reads of hdparm are no reads of a disk.
fn own_way(imported: &Imported, tool: String) -> String {
    let name = imported.name.to_lowercase();
    if tool == "hdparm" && name.contains("cached") {
        format!("{tool}, cached")
    } else {
        tool
    }
}

/// The directions that it has figures of; none where it does not tell them apart.
fn direction(imported: &Imported) -> Option<String> {
    let load = imported.load.as_ref()?;
    let words = [
        (&load.read, "reads"),
        (&load.write, "writes"),
        (&load.trim, "trims"),
    ];
    let found: Vec<&str> = words
        .iter()
        .filter(|(side, _)| side.is_some())
        .map(|(_, word)| *word)
        .collect();
    let of_load = (!found.is_empty() && load.mixed.is_none()).then(|| found.join(" and "));
    of_load.or_else(|| imported.facts.get("direction").cloned())
}

/// The block size that bandwidth by IOPS is, where it is one: sizes are powers of two, and rates have three digits.
fn block(imported: &Imported) -> Option<String> {
    let sides = imported
        .load
        .iter()
        .flat_map(|load| load.sides())
        .filter(|(name, _)| *name != "sync");
    let sizes: Option<Vec<u64>> = sides
        .map(|(_, side)| {
            let size = side.bytes_per_s? / side.iops.filter(|iops| *iops > 0.0)?;
            let nearest = size.log2().round().exp2();
            ((size / nearest - 1.0).abs() < 0.012 && (512.0..=1e9).contains(&nearest))
                .then_some(nearest as u64)
        })
        .collect();
    let sizes = sizes?;
    let first = *sizes.first()?;
    sizes
        .iter()
        .all(|size| *size == first)
        .then(|| units::size_word(first))
}

/// What may differ and is told.
pub fn imported_beside(imported: &Imported) -> JobFacts {
    let names = ["ioengine", "size", "runtime"];
    let told = |name: &str| {
        Some((
            name.to_string(),
            imported.facts.get(name)?.trim().to_lowercase(),
        ))
    };
    names.into_iter().filter_map(told).collect()
}

/// The job for people, from what is told. Where direction or pattern is not, that is said, and whose figures they are:
/// `dd, 1M writes`, `fio, 4K reads, pattern not stated`.
pub fn phrase(facts: &JobFacts) -> String {
    let get = |name: &str| facts.get(name).map(String::as_str);
    if let Some(load) = get("load") {
        return load.to_string();
    }
    let rw = get("rw")
        .and_then(model::job::Rw::from_word)
        .map(|rw| rw.phrase());
    let tool = get("tool");
    let of_sysbench = tool.is_some_and(|tool| tool.starts_with("sysbench"));
    let bs = get("bs").map(str::to_uppercase);
    let direction = rw.or_else(|| get("direction"));
    let what = match (&bs, direction) {
        (Some(bs), Some(direction)) => Some(format!("{bs} {direction}")),
        (Some(bs), None) => Some(format!("{bs} I/Os")),
        (None, direction) => direction.map(String::from),
    };
    let name = tool.map(|tool| match get("options") {
        Some(mode) if of_sysbench => format!("sysbench {mode}"),
        Some(mode) => format!("{tool} {mode}"),
        None => tool.to_string(),
    });
    let mut parts: Vec<String> = name.into_iter().chain(what).collect();
    if let Some(jobs) = get("numjobs").filter(|jobs| *jobs != "1") {
        let word = if of_sysbench { "threads" } else { "jobs" };
        parts.push(format!("{jobs} {word}"));
    }
    parts.extend(get("iodepth").map(|depth| format!("depth {depth}")));
    parts.extend(
        get("direct").map(|direct| if direct == "1" { "direct" } else { "buffered" }.to_string()),
    );
    match tool {
        Some("fio") if direction.is_none() && parts.len() > 1 => {
            parts.push("direction not stated".into())
        }
        Some("fio") if rw.is_none() && parts.len() > 1 => parts.push("pattern not stated".into()),
        // Its table and its JSON are the same for `seq` and `rand`.
        Some("rados bench") if direction == Some("reads") && get("options").is_none() => {
            parts.push("seq or rand not stated".into())
        }
        Some(_) if parts.len() == 1 => parts.push("job not stated".into()),
        _ => {}
    }
    if parts.is_empty() {
        "an unknown load".into()
    } else {
        parts.join(", ")
    }
}

/// The direction of a job, as what tells no pattern has it.
fn direction_of(facts: &JobFacts) -> Option<&str> {
    let rw = facts.get("rw").and_then(|rw| model::job::Rw::from_word(rw));
    let of = |rw: model::job::Rw| match (rw.reads(), rw.writes()) {
        (true, true) => "reads and writes",
        (true, false) => "reads",
        (false, true) => "writes",
        (false, false) => "trims",
    };
    facts.get("direction").map(String::as_str).or(rw.map(of))
}

/// What differs between two jobs in what decides: name, first, second. Empty where they are alike.
pub fn differs<'a>(a: &'a JobFacts, b: &'a JobFacts) -> Vec<(&'static str, &'a str, &'a str)> {
    let name = |name: &'static str| {
        let (a, b) = (a.get(name)?.as_str(), b.get(name)?.as_str());
        (a != b).then_some((name, a, b))
    };
    let mut found: Vec<(&str, &str, &str)> =
        identity::names().chain(OF_TOOLS).filter_map(name).collect();
    if !(a.contains_key("rw") && b.contains_key("rw"))
        && let (Some(a), Some(b)) = (direction_of(a), direction_of(b))
        && a != b
    {
        found.push(("direction", a, b));
    }
    let load = |facts: &'a JobFacts| {
        let told = facts.get("load").or_else(|| facts.get("tool"));
        told.map_or("a fio job", String::as_str)
    };
    let has_own = |facts: &JobFacts| facts.get("tool").is_some_and(|tool| tool != "fio");
    let is_common = |name: &str| a.contains_key(name) && b.contains_key(name);
    let is_known = ["rw", "bs", "tool", "load"].into_iter().any(is_common);
    // Results of which nothing common is known are not alike for want of words, nor are those that a tool of its own way
    // measured and those of a stated job.
    if found.is_empty() && (!is_known || has_own(a) != has_own(b)) {
        found.push(("load", load(a), load(b)));
    }
    found
}

/// Facts that one of two tells and the other does not.
pub fn untold(a: &JobFacts, b: &JobFacts) -> Vec<&'static str> {
    // Options that hardly anybody sets are taken to be at their defaults without a word.
    let names = ["rw", "bs", "direct", "iodepth", "numjobs"];
    names
        .into_iter()
        .filter(|name| a.contains_key(*name) != b.contains_key(*name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::imported::{LoadFigures, SideFigures};
    use model::job::Rw;

    fn imported(facts: &[(&str, &str)]) -> Imported {
        let facts = facts
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        Imported {
            tool: "fio-3.7".into(),
            facts,
            ..Imported::default()
        }
    }

    #[test]
    fn a_job_of_ours_and_fios_text_of_it_are_alike() {
        let job = Job {
            rw: Rw::Randwrite,
            bs: 4096,
            iodepth: 64,
            ioengine: "libaio".into(),
            ..Job::default()
        };
        let text = imported(&[
            ("rw", "randwrite"),
            ("bs", "(R) 4096B-4096B, (W) 4096B-4096B"),
            ("ioengine", "libaio"),
            ("iodepth", "64"),
        ]);
        let (ours, theirs) = (facts(&job), imported_facts(&text));
        assert_eq!(differs(&ours, &theirs), []);
        assert_eq!(untold(&ours, &theirs), ["direct", "numjobs"]);
        assert_eq!(phrase(&theirs), "4K random write, depth 64");
        let other = imported_facts(&imported(&[
            ("rw", "randread"),
            ("bs", "4k"),
            ("direct", "0"),
        ]));
        assert_eq!(
            differs(&ours, &other),
            [("rw", "randwrite", "randread"), ("direct", "1", "0")]
        );
    }

    #[test]
    fn a_synchronous_engine_has_depth_one_whatever_is_asked() {
        let job = |engine: &str, iodepth| Job {
            ioengine: engine.into(),
            iodepth,
            ..Job::default()
        };
        assert_eq!(
            differs(&facts(&job("psync", 64)), &facts(&job("io_uring", 1))),
            []
        );
        assert_eq!(
            differs(&facts(&job("psync", 64)), &facts(&job("io_uring", 64))),
            [("iodepth", "1", "64")]
        );
        let text = imported_facts(&imported(&[
            ("rw", "read"),
            ("ioengine", "psync"),
            ("iodepth", "64"),
        ]));
        assert_eq!(text["iodepth"], "1");
    }

    #[test]
    fn tools_that_tell_no_job_are_alike_among_themselves_only() {
        let dd = imported_facts(&Imported {
            tool: "dd".into(),
            ..Imported::default()
        });
        assert_eq!(differs(&dd, &dd.clone()), []);
        assert_eq!(
            differs(&dd, &facts(&Job::default())),
            [("load", "dd", "a fio job")]
        );
        assert_eq!(phrase(&dd), "dd, job not stated");
    }

    /// A result with these rates: side, IOPS, bytes a second.
    fn rates(tool: &str, sides: &[(&str, Option<f64>, f64)], told: &[(&str, &str)]) -> JobFacts {
        let side = |wanted: &str| {
            let found = sides.iter().find(|(name, ..)| *name == wanted)?;
            Some(SideFigures {
                iops: found.1,
                bytes_per_s: Some(found.2),
                ..SideFigures::default()
            })
        };
        let load = LoadFigures {
            read: side("read"),
            write: side("write"),
            mixed: side("mixed"),
            ..LoadFigures::default()
        };
        imported_facts(&Imported {
            tool: tool.into(),
            load: Some(load),
            ..imported(told)
        })
    }

    #[test]
    fn what_is_known_of_a_job_that_is_not_stated_stands_in_its_name() {
        let dd = rates("dd", &[("write", None, 1e9)], &[("bs", "1M")]);
        assert_eq!(phrase(&dd), "dd, 1M writes");
        // 20.1 k IOPS and 78.7 MiB/s, as fio rounds them.
        let read = [("read", Some(20_100.0), 78.7 * 1_048_576.0)];
        let fio = rates("fio-3.7", &read, &[("iodepth", "64")]);
        assert_eq!(phrase(&fio), "fio, 4K reads, depth 64, pattern not stated");
        let mixed = rates(
            "fio",
            &[("mixed", Some(100.0), 1e5)],
            &[("bs", "4k"), ("direct", "1")],
        );
        assert_eq!(phrase(&mixed), "fio, 4K I/Os, direct, direction not stated");
        let odd = rates(
            "fio",
            &[("read", Some(100.0), 3e5), ("write", Some(100.0), 1e5)],
            &[],
        );
        assert_eq!(phrase(&odd), "fio, reads and writes, pattern not stated");
        assert_eq!(
            phrase(&imported_facts(&imported(&[]))),
            "fio, job not stated"
        );
        let cached = Imported {
            tool: "hdparm".into(),
            name: "cached reads".into(),
            ..imported(&[("rw", "read")])
        };
        assert_eq!(
            phrase(&imported_facts(&cached)),
            "hdparm, cached, sequential read"
        );
    }

    #[test]
    fn an_engine_that_waits_is_not_one_that_queues_nobody_knows_how_deep() {
        let of = |engine: &str, more: &[(&str, &str)]| {
            let all = [("bs", "4k"), ("direct", "1"), ("ioengine", engine)];
            imported_facts(&imported(&[&all[..], more].concat()))
        };
        let (queues, waits) = (of("libaio", &[]), of("psync", &[]));
        assert_eq!(differs(&queues, &waits), [("engine", "queues", "waits")]);
        assert_eq!(differs(&queues, &of("io_uring", &[])), []);
        assert_eq!(differs(&of("libaio", &[("iodepth", "1")]), &waits), []);
        let deep = of("libaio", &[("iodepth", "64")]);
        assert_eq!(differs(&deep, &queues), []);
        assert_eq!(differs(&deep, &waits), [("iodepth", "64", "1")]);
    }

    #[test]
    fn seq_and_rand_of_rados_bench_are_jobs_of_their_own_where_they_are_told() {
        let of = |told: &[(&str, &str)]| {
            let all = [("bs", "4M")];
            let read = [("read", Some(12.0), 48e6)];
            rates("rados bench", &read, &[&all[..], told].concat())
        };
        let (seq, rand, open) = (of(&[("mode", "seq")]), of(&[("mode", "rand")]), of(&[]));
        assert_eq!(differs(&seq, &rand), [("options", "seq", "rand")]);
        assert_eq!(differs(&seq, &open), []);
        assert_eq!(phrase(&rand), "rados bench rand, 4M reads");
        assert_eq!(
            phrase(&open),
            "rados bench, 4M reads, seq or rand not stated"
        );
    }

    #[test]
    fn a_known_direction_keeps_unlike_results_apart() {
        let reads = rates("fio", &[("read", Some(1_000.0), 4_096_000.0)], &[]);
        let job = |rw| {
            facts(&Job {
                rw,
                bs: 4096,
                ..Job::default()
            })
        };
        assert_eq!(differs(&reads, &job(Rw::Randread)), []);
        assert_eq!(
            differs(&reads, &job(Rw::Write)),
            [("direction", "reads", "writes")]
        );
        let dd = rates("dd", &[("write", None, 1e9)], &[("bs", "1M")]);
        let ours = facts(&Job {
            rw: Rw::Write,
            bs: 1 << 20,
            ..Job::default()
        });
        assert_eq!(
            differs(&dd, &ours),
            [("load", "dd", "a fio job")],
            "dd waits for nothing but its own copy"
        );
    }

    #[test]
    fn the_mix_matters_in_a_mix_alone() {
        let mixed = |share| {
            facts(&Job {
                rw: Rw::Randrw,
                rwmixread: share,
                ..Job::default()
            })
        };
        assert_eq!(differs(&mixed(70), &mixed(50)), [("rwmixread", "70", "50")]);
        let read = imported_facts(&imported(&[
            ("rw", "randread"),
            ("bs", "4k"),
            ("rwmixread", "70"),
        ]));
        assert!(!read.contains_key("rwmixread"));
        let both = |buffered| {
            imported_facts(&imported(&[
                ("rw", "read"),
                ("direct", "1"),
                ("buffered", buffered),
            ]))
        };
        assert_eq!(
            (
                both("0").get("direct").map(String::as_str),
                both("1").get("direct")
            ),
            (Some("1"), None)
        );
    }
}
