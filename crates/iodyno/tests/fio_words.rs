//! `run` in fio's language: pasted lines, job files, presets, the stream, and data that is read back.

use crate::support::{Dir, Iodyno, code, text};
use serde_json::Value;
use std::os::unix::fs::FileExt;

/// Runs with these arguments before `--` and this line behind it.
fn pasted(iodyno: &Iodyno, target: &str, line: &str) -> (Value, std::process::Output) {
    let mut arguments = vec![
        "run",
        target,
        "--max-size",
        "16m",
        "--max-runtime",
        "300ms",
        "--",
    ];
    arguments.extend(line.split_whitespace());
    iodyno.json(&arguments)
}

#[test]
fn a_pasted_line_runs_as_fio_would_run_it() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("pasted"));
    let target = dir.path().to_str().unwrap();
    let line = "$ sudo fio -filename=/dev/sda -direct=1 -iodepth 1 -thread -rw=write -ioengine=psync -bs=4k \
                -size=1000G -numjobs=3 -runtime=180 -group_reporting -name=sqe_100write_4k";
    let (document, output) = pasted(&iodyno, target, line);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let (job, load) = (&document["record"]["job"], &document["record"]["load"]);
    assert_eq!(
        (&job["ioengine"], &job["numjobs"], &job["direct"]),
        (&"psync".into(), &3.into(), &true.into())
    );
    assert_eq!(job["size"], 16 << 20, "--max-size holds");
    assert!(load["write"]["ios"].as_u64().unwrap() > 0 && load["read"]["ios"] == 0);
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        0,
        "/dev/sda was not touched, nor is scratch left"
    );
}

#[test]
fn options_before_a_pasted_line_stand_in_place_of_its_own() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("both"));
    let target = dir.path().to_str().unwrap();
    let line = "fio -name=a -rw=read -bs=4k -size=50% -runtime=600 -ioengine=psync -direct=1";
    let mut words = vec!["run", target, "--json", "--bs", "8k", "--runtime", "200ms"];
    words.extend(["--size", "1m", "--numjobs", "2", "--"]);
    words.extend(line.split(' '));
    let output = iodyno.run(&words);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains(
            "--bs, --numjobs, --size, --runtime before the job stand in place of what the job says"
        ),
        "{}",
        text(&output.stderr)
    );
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let (job, load) = (&document["record"]["job"], &document["record"]["load"]);
    let is = |name: &str, value: u64| assert_eq!(job[name], value, "{name}");
    is("bs", 8192);
    is("numjobs", 2);
    is("size", 1 << 20);
    is("runtime_ms", 200);
    let read = &load["read"];
    assert_eq!(
        read["bytes"].as_u64().unwrap(),
        8192 * read["ios"].as_u64().unwrap()
    );
    assert_eq!(job["rw"], "read", "what no option replaces stays");
}

#[test]
fn what_is_not_known_is_named_with_its_place_and_fio_runs_it() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("unknown"));
    let target = dir.path().to_str().unwrap();
    let file = dir.path().join("odd.fio");
    std::fs::write(
        &file,
        "[a]\nrw=randread\nsize=4m\nruntime=1\ntime_based\nexperimental_verify=1\n",
    )
    .unwrap();
    let output = iodyno.run(&["run", target, "--job", file.to_str().unwrap()]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 2, "{said}");
    assert!(
        said.contains("experimental_verify=1") && said.contains("odd.fio line 6"),
        "{said}"
    );
    assert!(said.contains("--engine fio"), "{said}");
}

#[test]
fn a_preset_runs_and_takes_own_words() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("preset"));
    let target = dir.path().to_str().unwrap();
    let preset = ["run", target, "--preset", "mixed-70-30"];
    let own = ["--bs=8k", "--size=16m", "--runtime=1s"];
    let (document, output) = iodyno.json(&[&preset[..], &own].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let job = &document["record"]["job"];
    assert_eq!((&job["bs"], &job["rwmixread"]), (&8192.into(), &70.into()));
    let output = iodyno.run(&["run", target, "--preset", "olpt"]);
    assert_eq!(code(&output), 2);
    assert!(
        text(&output.stderr).contains("oltp"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn the_stream_adds_up_to_the_record() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("stream"));
    let target = dir.path().to_str().unwrap();
    let arguments = [
        "run",
        target,
        "--size",
        "16m",
        "--runtime",
        "1s",
        "--stream",
        "--interval",
        "100ms",
        "--rw",
        "randrw",
    ];
    let output = iodyno.run(&arguments);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (record, intervals) = lines.split_last().unwrap();
    assert_eq!(record["schema"], "iodyno.run/1");
    assert!(
        intervals
            .iter()
            .all(|line| line["schema"] == "iodyno.interval/1")
    );
    // A late look makes an interval longer; none may be left out, and none is shorter than a quarter.
    let of = |line: &Value, key: &str| line["interval"][key].as_u64().unwrap();
    let mut end_ms = 0;
    for line in intervals {
        let (start_ms, length_ms) = (of(line, "start_ms"), of(line, "length_ms"));
        assert!(
            start_ms.abs_diff(end_ms) <= 1 && length_ms >= 25,
            "{line} after {end_ms} ms"
        );
        end_ms = start_ms + length_ms;
    }
    assert!(end_ms >= 900, "the intervals end at {end_ms} ms");
    let sum = |way: &str| {
        intervals
            .iter()
            .map(|one| one["interval"][way]["ios"].as_u64().unwrap())
            .sum::<u64>()
    };
    let all = |way: &str| record["record"]["load"][way]["ios"].as_u64().unwrap();
    // The last look comes before the load has ended: what was completed after it is in the record alone, and its bins
    // say how much that was.
    assert!(sum("read") <= all("read") && sum("write") <= all("write"));
    let load = &record["record"]["load"];
    let first = (end_ms / load["bin_ms"].as_u64().unwrap()) as usize;
    let later: u64 = load["bins"]
        .as_array()
        .unwrap()
        .iter()
        .skip(first)
        .map(|bin| bin.as_u64().unwrap())
        .sum();
    let missing = all("read") + all("write") - sum("read") - sum("write");
    assert!(
        missing <= later,
        "{missing} are in no interval, {later} came after {end_ms} ms"
    );
}

#[test]
fn damaged_data_is_found_where_it_is() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("damage"));
    let path = dir.path().join("data");
    std::fs::write(&path, vec![0u8; 4 << 20]).unwrap();
    let target = path.to_str().unwrap();
    let write = [
        "run",
        target,
        "--overwrite",
        "--",
        "-rw=randwrite",
        "-bs=16k",
        "-size=4m",
        "-verify=crc32c",
    ];
    let (document, output) = iodyno.json(&write);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let verified = &document["record"]["load"]["verified"];
    assert_eq!(
        (&verified["blocks"], &verified["bad"]),
        (&256.into(), &0.into()),
        "{verified}"
    );

    let at = 1_234_567;
    std::fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .write_all_at(b"!", at)
        .unwrap();
    let read = [
        "run",
        target,
        "--",
        "-rw=read",
        "-bs=16k",
        "-size=4m",
        "-verify=crc32c",
    ];
    let (document, output) = iodyno.json(&read);
    assert_eq!(code(&output), 5, "{}", text(&output.stderr));
    let verified = &document["record"]["load"]["verified"];
    assert_eq!(verified["bad"], 1, "{verified}");
    let said = verified["first_bad"][0].as_str().unwrap();
    let block = at / 16384 * 16384;
    assert!(
        said.contains(&block.to_string()),
        "{said} names the block at byte {block}"
    );
}
