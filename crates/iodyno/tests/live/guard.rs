//! What a visit of `guard` measures, and that it keeps to its budget.

use crate::support::{Dir, Iodyno, code, text, turn};

#[test]
#[ignore = "live"]
fn a_visit_measures_each_of_its_loads_within_its_budget() {
    let _turn = turn();
    let (iodyno, dir) = (Iodyno::new(), Dir::new("guarded"));
    let target = dir.path().to_str().unwrap();
    for budget in ["15s", "60s"] {
        let words = ["guard", target, "--budget", budget, "--busy", "100%"];
        let (visit, output) = iodyno.json(&words);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let levels = visit["levels"].as_array().unwrap();
        for load in [
            "one read at a time",
            "depth 32",
            "4 streams",
            "writes with fsync",
            "random writes",
        ] {
            assert!(
                levels.iter().any(|level| level["load"] == load),
                "{load}: {visit:#}"
            );
        }
        let ms = |name: &str| visit["done"][name].as_u64().unwrap();
        // A third is for loads; what is under way at its end ends.
        assert!(ms("device_ms") <= ms("budget_ms") / 3 + 500, "{visit:#}");
    }
}
