//! The pages in a browser: what a person does with them, and what must be refused. The steps are in web/tests/browser.mjs.

use crate::support::{Dir, Iodyno, Loop, signal, text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server that is told to end when the test does, also when it fails.
struct Served {
    child: Child,
    /// What it said when it was ready: the address with the token.
    document: Value,
}

impl Served {
    fn start(iodyno: &Iodyno, target: &Path) -> Served {
        let target = target.to_str().unwrap();
        let arguments = [
            "--json",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--target",
            target,
        ];
        let mut child = iodyno
            .command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let document = serde_json::Deserializer::from_reader(stdout)
            .into_iter::<Value>()
            .next();
        Served {
            child,
            document: document.expect("it says where it listens").unwrap(),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        signal(self.child.id(), "INT");
        let _ = self.child.wait();
    }
}

/// The first program of these names that is installed.
fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = |name: &&str| {
        std::env::split_paths(&path)
            .map(|dir| dir.join(name))
            .find(|file| file.is_file())
    };
    names.iter().find_map(found)
}

/// Where the pages' own packages are; none, with the reason printed, where this cannot be done.
fn browser() -> Option<(PathBuf, PathBuf, PathBuf)> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../web")
        .canonicalize()
        .unwrap();
    let Some(node) = program(&["node"]) else {
        skip::missing("node", "node is not installed");
        return None;
    };
    let Some(chromium) = program(&["chromium", "chromium-browser", "google-chrome"]) else {
        skip::missing("chromium", "chromium is not installed");
        return None;
    };
    if !web.join("node_modules/playwright-core").is_dir() {
        skip::missing(
            "npm",
            "the packages of web/package-lock.json are not installed",
        );
        return None;
    }
    Some((web, node, chromium))
}

#[test]
#[ignore = "live"]
fn a_person_uses_the_pages_in_a_browser() {
    let Some((web, node, chromium)) = browser() else {
        return;
    };
    let (iodyno, scratch) = (Iodyno::new(), Dir::new("browser"));
    // A disk is only read from a browser; who may have no loop device loads a directory.
    let disk = Loop::new(64);
    let directory = scratch.path().canonicalize().unwrap();
    let served = Served::start(&iodyno, &directory);
    let target = disk
        .as_ref()
        .map_or(directory.to_str().unwrap(), |disk| disk.device.as_str());
    let before = disk.as_ref().map(Loop::settings);
    let given = json!({
        "url": served.document["url"],
        "target": target,
        "tunes": disk.is_some(),
        "import": web.join("../testdata/fio-json/fio-3.36.json"),
        "chromium": chromium,
        "shots": std::env::var("IODYNO_SHOTS").ok(),
    });
    let output = Command::new(node)
        .arg("tests/browser.mjs")
        .arg(given.to_string())
        .current_dir(&web)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    println!("browser: {}", text(&output.stdout).trim());
    drop(served);
    assert_eq!(
        disk.as_ref().map(Loop::settings),
        before,
        "a stopped tune leaves everything as it was"
    );
}
