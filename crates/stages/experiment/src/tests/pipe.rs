//! The protocol, with a driver in a thread of its own on the other side of two real pipes.

use std::io::{BufRead, BufReader, Write};

use super::*;
use crate::protocol::{Heard, ProtocolError, Said, serve};

/// Serves a plan to a driver that answers each line, until the answer is none.
fn converse(
    plan: ExperimentPlan,
    answer: impl FnMut(Said) -> Option<String> + Send,
) -> Result<u8, ProtocolError> {
    let (to_judge, mut from_driver) = std::io::pipe().unwrap();
    let (to_driver, from_judge) = std::io::pipe().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut answer = answer;
            for line in BufReader::new(to_driver).lines().map_while(Result::ok) {
                let said: Said = serde_json::from_str(&line).unwrap();
                if matches!(said, Said::Window { .. }) {
                    let Some(text) = answer(said) else { return };
                    from_driver.write_all(text.as_bytes()).unwrap();
                } else {
                    answer(said);
                }
            }
        });
        serve(plan, BufReader::new(to_judge), from_judge)
    })
}

#[test]
fn a_pipe_changes_nothing() {
    let mut device = Device::new(&scenario("cloud"), &[0.0, 0.1f64.ln_1p()], 9);
    let mut heard = Vec::new();
    let code = converse(plan(2, Class::Fast, 9), |said| {
        heard.push(said.clone());
        let Said::Window {
            id,
            arm,
            duration_ms,
            fresh,
            ..
        } = said
        else {
            return None;
        };
        if fresh {
            device.restart();
        }
        let rates = device.run(usize::from(arm == "B"), duration_ms);
        let result = Heard::Result {
            id,
            rates,
            latency: None,
            foreign_share: None,
            own_rate: None,
            foreign_rate: None,
        };
        Some(format!("{}\n\n", serde_json::to_string(&result).unwrap()))
    });
    assert_eq!(code.unwrap(), 0);
    assert!(
        matches!(&heard[0], Said::Hello { schema, seed: 9, bin_ms: 10 } if schema == "iodyno.judge/1")
    );
    let Some(Said::Verdict(verdict)) = heard.last() else {
        panic!("no verdict")
    };
    assert_eq!(**verdict, run_pair("cloud", 0.1, 9));
}

#[test]
fn lines_read_as_documented() {
    let said = Said::Window {
        id: 1,
        arm: "B".into(),
        duration_ms: 120,
        discard_ms: 40,
        stage: super::super::VerdictStage::Holdout,
        fresh: false,
        half_depth: false,
    };
    let line =
        r#"{"type":"window","id":1,"arm":"B","duration_ms":120,"discard_ms":40,"stage":"holdout"}"#;
    assert_eq!(serde_json::to_string(&said).unwrap(), line);
    let verdict =
        serde_json::to_string(&Said::Verdict(Box::new(run_pair("quiet_nvme", 0.1, 1)))).unwrap();
    assert!(
        verdict
            .starts_with(r#"{"type":"verdict","verdict":"better","arm":"B","reason":"confirmed","#)
    );
}

#[test]
fn a_failed_window_refuses_with_code_six() {
    let code = converse(plan(2, Class::Fast, 1), |said| {
        let Said::Window { id, .. } = said else {
            return None;
        };
        Some(format!(
            "{{\"type\":\"failed\",\"id\":{id},\"why\":\"no\",\"kind\":\"apply-failed\"}}\n"
        ))
    });
    assert_eq!(code.unwrap(), 6);
}

#[test]
fn a_bad_line_is_named_by_its_number() {
    for (line, wanted) in [
        ("{\"type\":\"result\",\"id\":1}\n", "missing field `rates`"),
        ("not json\n", "expected"),
        ("{\"type\":\"hello\"}\n", "unknown variant"),
        (
            "{\"type\":\"result\",\"id\":1,\"rates\":[1,null]}\n",
            "invalid type: null",
        ),
        (
            "{\"type\":\"result\",\"id\":1,\"rates\":[1]}\n",
            "has 1 rates",
        ),
        (
            "{\"type\":\"result\",\"id\":8,\"rates\":[1]}\n",
            "window 8 was not asked for",
        ),
        ("\u{fffd}\n", "expected value"),
    ] {
        let error = converse(plan(2, Class::Fast, 1), |_| Some(format!("\n{line}")))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("line 2: ") && error.contains(wanted),
            "{error}"
        );
    }
}

#[test]
fn an_early_end_is_an_error_and_not_a_wait() {
    let mut answers = 0;
    let error = converse(plan(2, Class::Fast, 1), |said| {
        answers += 1;
        let Said::Window {
            id, duration_ms, ..
        } = said
        else {
            return None;
        };
        let rates = vec![1.0; duration_ms as usize / 10];
        let result = Heard::Result {
            id,
            rates,
            latency: None,
            foreign_share: None,
            own_rate: None,
            foreign_rate: None,
        };
        (answers < 4).then(|| serde_json::to_string(&result).unwrap() + "\n")
    });
    // The driver may leave before or after the next window is announced.
    assert!(matches!(
        error.unwrap_err(),
        ProtocolError::Ended { .. } | ProtocolError::Pipe(_)
    ));
}
