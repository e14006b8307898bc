//! Command lines as people write them.

use super::super::from_words;
use model::job::Rw;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_string).collect()
}

#[test]
fn dashes_and_separate_values_are_getopts() {
    for line in [
        "-name=a -rw=randread -iodepth 64 -direct=1 -thread",
        "--name=a --rw=randread --iodepth=64 --direct 1 --thread",
        "–name=a —rw=randread −iodepth=64 --direct=1 --thread=1",
        "-name a -readwrite randread -iodepth 64 -buffered 0",
    ] {
        let parsed = from_words(&words(line)).unwrap();
        let job = &parsed.sections[0].job;
        assert_eq!(
            (job.rw, job.iodepth, job.direct),
            (Rw::Randread, 64, true),
            "{line}"
        );
        assert_eq!(
            (job.ioengine.as_str(), job.bs, job.time_based),
            ("psync", 4096, false),
            "{line}"
        );
        assert_eq!(parsed.unsupported, [], "{line}");
    }
}

#[test]
fn options_before_the_first_name_are_for_all() {
    let parsed = from_words(&words(
        "-bs=8k --name=a -rw=write --name=b --name=global -bs=1m --name=c",
    ))
    .unwrap();
    let seen: Vec<(&str, u64, Rw)> = parsed
        .sections
        .iter()
        .map(|one| (one.name.as_str(), one.job.bs, one.job.rw))
        .collect();
    assert_eq!(
        seen,
        [
            ("a", 8192, Rw::Write),
            ("b", 8192, Rw::Read),
            ("c", 1 << 20, Rw::Read)
        ]
    );
    assert_eq!(
        from_words(&words("-bs=8k -rw=read")).unwrap().sections[0].name,
        "fio"
    );
}

#[test]
fn the_beginning_of_a_name_is_enough_where_it_is_the_only_one() {
    assert_eq!(
        from_words(&words("--name=a --runt=5")).unwrap().sections[0]
            .job
            .runtime_ms,
        5000
    );
    let error = from_words(&words("--name=a --iodept=5"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("word 2 of the command line: --iodept=5: several options begin so: iodepth"),
        "{error}"
    );
}

#[test]
fn mistakes_name_the_word_and_the_remedy() {
    for (line, part) in [
        (
            "--name=a --rw=sideways",
            "word 2 of the command line: rw=sideways: fio does not know this value",
        ),
        (
            "--name=a --iodepht=4",
            "--iodepht=4: fio has no option of this name. Did you mean iodepth?",
        ),
        (
            "--name=a --bs",
            "--bs: its value is missing. Write --bs=value",
        ),
        (
            "--name=a rw=read",
            "rw=read: fio takes this for a job file, and it cannot be read",
        ),
        (
            "--name=a --size=10.5g",
            "size=10.5g: fio knows no fractions and reads this as 10 bytes",
        ),
        (
            "--name=a --rate=1m --rate_iops=5",
            "rate_iops=5: rate and rate_iops exclude each other",
        ),
        (
            "--name=a --size=1k",
            "size=1k: 1024 bytes are less than one block of 4096",
        ),
        ("--name=a --ioengine=io_urign", "Did you mean io_uring?"),
        (
            "--name=a --hipri",
            "the engine psync has no such option. Leave it out, or use ioengine=io_uring",
        ),
        (
            "--name=a --readonly --rw=write",
            "--readonly: the job a writes",
        ),
        (
            "--name=a --wait_for=b",
            "wait_for=b: no section before this one has that name",
        ),
        (
            "--name=global --rw=read --section=x",
            "--section=x: no section has this name",
        ),
        ("--version", "it asks something of fio and loads nothing"),
        ("--minimal=1", "it takes no value"),
        ("", "no job is defined"),
    ] {
        let error = from_words(&words(line)).unwrap_err().to_string();
        assert!(error.contains(part), "{line}: {error}");
    }
}

#[test]
fn options_about_fios_output_are_taken_with_a_note() {
    let line =
        "fio --output=x -o y --eta always --minimal --bandwidth-log --name=a --write_bw_log=z";
    let parsed = from_words(&words(line)).unwrap();
    assert_eq!(parsed.unsupported, []);
    for name in [
        "--output:",
        "--eta:",
        "--minimal:",
        "--bandwidth-log:",
        "write_bw_log:",
    ] {
        assert!(
            parsed.notes.iter().any(|note| note.starts_with(name)),
            "{name} in {:?}",
            parsed.notes
        );
    }
}

#[test]
fn a_job_file_can_stand_among_the_words() {
    let folder = host::files::temporary_dir("language").unwrap();
    let path = folder.path().join("two.fio");
    host::files::write_atomically(&path, "[global]\nbs=8k\n[a]\nrw=read\n[b]\nrw=write\n").unwrap();
    let path = path.to_string_lossy().into_owned();
    let parsed = from_words(&[path.clone(), "--section=b".into(), "--direct=1".into()]).unwrap();
    assert_eq!(parsed.sections.len(), 1);
    let section = &parsed.sections[0];
    assert_eq!(
        (section.name.as_str(), section.job.bs, section.job.direct),
        ("b", 8192, true)
    );
    assert_eq!(
        section.option("bs").unwrap().1.to_string(),
        format!("{path} line 2")
    );
    let twice = from_words(&[path.clone(), path]).unwrap();
    let walls: Vec<bool> = twice
        .sections
        .iter()
        .map(|section| section.stonewall)
        .collect();
    assert_eq!(walls, [false, false, true, false]);
}
