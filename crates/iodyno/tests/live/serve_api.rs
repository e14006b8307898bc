//! The documents over HTTP: the same as the verbs', as the description says, and nothing a checker can break.

use crate::serve::api::served;
use crate::support::{Dir, text};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[test]
#[ignore = "live"]
fn a_checker_of_interfaces_finds_nothing() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../target/tools/schemathesis/bin/schemathesis");
    let Ok(program) = tools.canonicalize() else {
        skip::missing("schemathesis", "schemathesis is not installed");
        return;
    };
    for more in [&["--read-only"][..], &[]] {
        let (_iodyno, _dir, _server, visitor) = served(more);
        let schema = visitor.get("/api/v1/openapi.json").fine();
        let dir = Dir::new("openapi");
        let file = dir.path().join("openapi.json");
        std::fs::write(&file, serde_json::to_vec(&without_endless(schema)).unwrap()).unwrap();
        let base = format!("http://{}", visitor.host);
        let mut command = Command::new(&program);
        command.arg("run").arg(&file).args([
            "--url",
            &base,
            "--no-color",
            "--max-examples",
            "25",
            "--seed",
            "7",
        ]);
        command.args(["--phases", "examples,coverage,fuzzing", "--checks"]);
        command.arg(
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        );
        for (name, value) in visitor
            .headers("POST")
            .iter()
            .filter(|(name, _)| name != "Host" && name != "Content-Type")
        {
            command.args(["-H", &format!("{name}: {value}")]);
        }
        let output = command
            .current_dir(dir.path())
            .env("HYPOTHESIS_STORAGE_DIRECTORY", dir.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{more:?}\n{}\n{}",
            text(&output.stdout),
            text(&output.stderr)
        );
        assert_eq!(
            visitor.get("/api/v1/session").status,
            200,
            "it still answers"
        );
    }
}

/// Without what never ends, and what would end the checker's own session.
fn without_endless(mut schema: Value) -> Value {
    let paths = schema["paths"].as_object_mut().unwrap();
    for path in ["/api/v1/events", "/api/v1/login", "/api/v1/logout"] {
        assert!(paths.remove(path).is_some(), "{path}");
    }
    schema
}
