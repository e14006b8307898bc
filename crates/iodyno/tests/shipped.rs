//! What is shipped beside the binary for those who install it on many machines and run it in builds: the role for Ansible, the
//! snippet for cloud-init, and the action for builds do what they say, and refuse what they should.

use crate::compare::even;
use crate::support::{Dir, Iodyno, code, text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../packages")
        .join(name)
}

pub fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub fn sh(script: &str, words: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", script, "sh"])
        .args(words)
        .output()
        .unwrap()
}

/// An archive as `tools/packages` lays it out, and its checksum. The program in it is a line that starts the one under test, with
/// this state directory: packing that one takes minutes.
pub fn archive(iodyno: &Iodyno, dir: &Dir) -> (PathBuf, String) {
    let tree = dir.path().join("iodyno-1-linux");
    let program = format!(
        "#!/bin/sh\nIODYNO_STATE_DIR='{}' exec '{}' \"$@\"\n",
        word(iodyno.state.path()),
        env!("CARGO_BIN_EXE_iodyno")
    );
    let unit = std::fs::read_to_string(shipped("monitoring/iodyno-watch.service")).unwrap();
    let files = [
        ("bin/iodyno", program.as_str(), 0o755),
        ("share/man/man1/iodyno.1.gz", "a page", 0o644),
        ("share/bash-completion/completions/iodyno", "words", 0o644),
        ("lib/systemd/system/iodyno-watch.service", &unit, 0o644),
    ];
    for (name, content, mode) in files {
        let file = tree.join("usr").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, content).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&file, mode).unwrap();
    }
    let packed = dir.path().join("iodyno-1-linux.tar.xz");
    let made = sh(
        "tar -C \"$1\" -cJf \"$2\" iodyno-1-linux && sha256sum <\"$2\"",
        &[word(dir.path()), word(&packed)],
    );
    assert!(made.status.success(), "{}", text(&made.stderr));
    let sum = text(&made.stdout);
    (packed, sum.split(' ').next().unwrap().to_string())
}

/// The action's step, as a runner starts it: inputs are variables, answers are lines in files.
struct Step {
    dir: Dir,
    inputs: Vec<(&'static str, String)>,
}

impl Step {
    fn run(&self, more: &[(&str, &str)]) -> (Output, String, String) {
        let (answers, summary) = (self.dir.path().join("out"), self.dir.path().join("summary"));
        std::fs::write(&answers, "").unwrap();
        std::fs::write(&summary, "").unwrap();
        let output = Command::new("sh")
            .arg(shipped("github-action/run"))
            .env("RUNNER_TEMP", self.dir.path())
            .env("GITHUB_OUTPUT", &answers)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .envs(self.inputs.iter().map(|(name, value)| (*name, value)))
            .envs(more.iter().copied())
            .output()
            .unwrap();
        let read = |path| std::fs::read_to_string(path).unwrap();
        (output, read(&answers), read(&summary))
    }
}

/// What the step answered under a name.
fn answer(answers: &str, name: &str) -> String {
    let line = answers
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {name} in {answers}"))
        .to_string()
}

#[test]
fn the_action_fails_a_build_whose_storage_got_slower() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("action"));
    let (packed, sum) = archive(&iodyno, &dir);
    let action = std::fs::read_to_string(shipped("github-action/action.yml")).unwrap();
    let inputs = vec![
        ("IODYNO_ARCHIVE", word(&packed).to_string()),
        ("IODYNO_SHA256", sum),
        ("IODYNO_BINARY", String::new()),
        ("IODYNO_TARGET", word(dir.path()).to_string()),
        ("IODYNO_JOB", "--runtime 300ms --size 8m".into()),
        ("IODYNO_RUNS", "2".into()),
        ("IODYNO_BASELINE", String::new()),
        ("IODYNO_FAIL_IF", String::new()),
    ];
    for (name, _) in &inputs {
        assert!(
            action.contains(&format!("{name}: ${{{{ inputs.")),
            "{name} is no input"
        );
    }
    let step = Step { dir, inputs };
    let (refused, _, _) = step.run(&[("IODYNO_SHA256", &"0".repeat(64))]);
    assert_eq!(code(&refused), 2);
    assert!(text(&refused.stdout).starts_with("::error title=iodyno::the checksum of "));
    let (first, answers, _) = step.run(&[]);
    assert_eq!(
        code(&first),
        0,
        "{}{}",
        text(&first.stdout),
        text(&first.stderr)
    );
    let baseline = answer(&answers, "result");
    let bounds = "iops<-99%\n\np99>1000s\n";
    let (kept, answers, summary) =
        step.run(&[("IODYNO_BASELINE", &baseline), ("IODYNO_FAIL_IF", bounds)]);
    assert_eq!(
        code(&kept),
        0,
        "{}{}",
        text(&kept.stdout),
        text(&kept.stderr)
    );
    let junit = std::fs::read_to_string(answer(&answers, "junit")).unwrap();
    assert!(
        junit.contains("failures=\"0\"") && junit.contains("p99&gt;1000s"),
        "{junit}"
    );
    assert!(summary.contains("kept"), "{summary}");
    // A baseline of a disk that did the same in a fraction of the time.
    let first: Value = serde_json::from_slice(&std::fs::read(&baseline).unwrap()).unwrap();
    let faster = step.dir.path().join("faster.json");
    std::fs::write(&faster, even(&first, 1_000.0).to_string()).unwrap();
    let (crossed, answers, summary) = step.run(&[
        ("IODYNO_BASELINE", word(&faster)),
        ("IODYNO_FAIL_IF", "iops<-50%"),
    ]);
    assert_eq!(code(&crossed), 1, "{}", text(&crossed.stdout));
    assert!(summary.contains("**crossed**"), "{summary}");
    let junit = std::fs::read_to_string(answer(&answers, "junit")).unwrap();
    assert!(junit.contains("failures=\"1\""), "{junit}");
    let (unknown, _, _) = step.run(&[
        ("IODYNO_BASELINE", &baseline),
        ("IODYNO_FAIL_IF", "write.iops<-5%"),
    ]);
    assert_eq!(code(&unknown), 6, "{}", text(&unknown.stdout));
}
