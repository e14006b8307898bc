//! The store as a user meets it.

use crate::support::{Dir, Iodyno, code};

#[test]
#[ignore = "soak"]
fn killed_while_writing_the_store_stays_whole() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("kill-store"));
    let target = dir.path().to_str().unwrap();
    for round in 0..10u64 {
        let mut child = iodyno.spawn(&["run", target, "--runtime", "50ms", "--size", "4m"]);
        std::thread::sleep(std::time::Duration::from_millis(80 + round * 13));
        let _ = child.kill();
        let _ = child.wait();
    }
    let (list, output) = iodyno.json(&["list"]);
    assert_eq!(code(&output), 0);
    for row in list["records"].as_array().unwrap() {
        let (shown, _) = iodyno.json(&["show", &row["id"].to_string()]);
        assert_eq!(shown["record"]["schema"], "iodyno.record/1");
    }
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        0,
        "no scratch file is left"
    );
}
