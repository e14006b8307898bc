//! `run` in fio's language: pasted lines, job files, presets, the stream, and data that is read back.

use crate::support::{Dir, Iodyno, code, text};

#[test]
#[ignore = "live"]
fn sections_run_in_stages_and_end_by_size() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("stages"));
    let target = dir.path().to_str().unwrap();
    let file = dir.path().join("two.fio");
    let job = "[global]\nbs=64k\nsize=8m\nfilename=data\n[fill]\nrw=write\n[look]\nstonewall\nrw=read\nloops=2\n\
               [beside]\nrw=randread\n";
    std::fs::write(&file, job).unwrap();
    let (document, output) = iodyno.json(&["run", target, "--job", file.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let sections = document["record"]["sections"].as_array().unwrap();
    let of = |key: &str| {
        sections
            .iter()
            .map(|one| one[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("name"), ["fill", "look", "beside"]);
    assert_eq!(of("stage"), [0, 1, 1]);
    let ios = |place: usize, way: &str| sections[place]["load"][way]["ios"].as_u64().unwrap();
    assert_eq!(
        (ios(0, "write"), ios(1, "read"), ios(2, "read")),
        (128, 256, 128),
        "size, loops × size, size"
    );
}
