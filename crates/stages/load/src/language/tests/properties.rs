//! A job that goes to fio's words and comes back is the same job, whatever the options; what breaks that is shrunk to
//! the options that do.

use super::*;
use proptest::prelude::*;

/// An option of a job file: one that somebody thought of, or one with a number that nobody did.
fn option() -> impl Strategy<Value = String> {
    let bytes = prop_oneof![
        any::<u32>().prop_map(|bytes| bytes.to_string()),
        (0..5000u32, prop::sample::select(vec!["k", "m", "g", "KiB"]))
            .prop_map(|(n, unit)| format!("{n}{unit}")),
    ];
    let sized = prop::sample::select(vec![
        "bs",
        "size",
        "io_size",
        "filesize",
        "offset",
        "offset_increment",
        "rate",
        "ba",
    ]);
    let counted = prop::sample::select(vec![
        "iodepth",
        "numjobs",
        "nrfiles",
        "fsync",
        "fdatasync",
        "loops",
        "rwmixread",
        "rate_iops",
        "percentage_random",
        "thinktime",
        "thinktime_blocks",
        "randseed",
        "iodepth_batch",
        "number_ios",
        "buffer_compress_percentage",
    ]);
    let timed = prop::sample::select(vec![
        "runtime",
        "ramp_time",
        "startdelay",
        "thinktime",
        "latency_target",
    ]);
    let time = (
        0..100_000u32,
        prop::sample::select(vec!["", "s", "ms", "us", "m"]),
    );
    prop_oneof![
        4 => prop::sample::select(POOL).prop_map(String::from),
        1 => (sized, bytes).prop_map(|(name, bytes)| format!("{name}={bytes}")),
        1 => (counted, 0..200u32).prop_map(|(name, count)| format!("{name}={count}")),
        1 => (timed, time).prop_map(|(name, (number, unit))| format!("{name}={number}{unit}")),
        1 => (1..100u32, 1..100u32, 0..=100u32).prop_map(|(a, b, share)| {
            format!("bssplit={a}k/{share}:{b}k/{}", 100 - share)
        }),
    ]
}

fn sections() -> impl Strategy<Value = Vec<Vec<String>>> {
    prop::collection::vec(prop::collection::vec(option(), 0..12), 1..4)
}

/// What only fio can do, by name; `exitall` speaks of all sections.
fn handed(parsed: &Parsed, section: &str) -> Vec<String> {
    let of_section = parsed
        .unsupported
        .iter()
        .filter(|one| one.section == section && one.option != "exitall");
    let mut names: Vec<String> = of_section.map(|one| one.option.clone()).collect();
    names.sort();
    names
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_global_rejects: 40_000, ..ProptestConfig::default() })]

    #[test]
    fn the_way_back_gives_the_same_jobs(options in sections()) {
        let mut text = String::new();
        for (number, options) in options.iter().enumerate() {
            text += &format!("[{}]\n{}\n", if number == 0 { "global".into() } else { format!("job{number}") }, options.join("\n"));
        }
        text += "[last]\n";
        let Ok(parsed) = file(&text) else { return Err(TestCaseError::reject("fio would refuse it too")) };
        for section in &parsed.sections {
            let words = to_words(section);
            let again = from_words(&words).map_err(|error| TestCaseError::fail(format!("{words:?}: {error}")))?;
            prop_assert_eq!(&again.sections[0].job, &section.job, "{:?}", words);
            prop_assert_eq!(&again.sections[0].name, &section.name, "{:?}", words);
            prop_assert_eq!(handed(&again, &section.name), handed(&parsed, &section.name), "{:?}", words);
        }
    }
}
