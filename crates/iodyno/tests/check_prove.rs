//! `check --prove`: a suspicion about a setting is put to its experiment, the setting is put back, and the answer is counted.

use crate::support::{Iodyno, Loop, code, text};

#[test]
fn a_suspicion_is_put_to_the_proof_and_counted() {
    let Some(disk) = Loop::new(128) else { return };
    disk.set("nr_requests", "4");
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let (check, output) = iodyno.json(&["check", &disk.device, "--quick", "--prove=90s"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(disk.settings(), before);
    let findings = check["findings"].as_array().unwrap();
    let finding = findings
        .iter()
        .find(|one| one["rule"] == "requests_run_out");
    let finding = finding.unwrap_or_else(|| panic!("not found: {findings:#?}"));
    assert!(
        finding["costs"][0]["share"].as_f64() > Some(0.1),
        "{finding:#}"
    );

    let proof = &finding["proof"];
    let tune = iodyno.json(&["show", &proof["record"].to_string()]).0;
    let trial = &tune["record"]["trials"][0];
    assert_eq!(trial["knob"], "nr_requests", "{proof:#}");
    let word = proof["outcome"].as_str().unwrap();
    match word {
        "confirmed" => {
            let apply = format!("sudo iodyno apply {}", proof["record"]);
            assert_eq!(check["next"], apply.as_str());
            assert_eq!(proof["effect"], trial["verdict"]["effect"]);
        }
        "refuted" => assert!(finding["withdrawn"].is_string(), "{finding:#}"),
        _ => assert!(finding["withdrawn"].is_null(), "{finding:#}"),
    }
    let catalogue = iodyno.json(&["catalogue"]).0;
    let counted = &catalogue["proved"][0];
    assert_eq!(
        (&counted["rule"], &counted[word]),
        (&"requests_run_out".into(), &1.into()),
        "{counted:#}"
    );
}
