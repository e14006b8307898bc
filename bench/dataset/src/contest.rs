//! One tree read whole by each contestant in turns, cold and warm, in rounds of random order.

use crate::grounds::Ground;
use analyse::spread;
use model::curve::Spread;
use model::dataset::DatasetReport;
use stats::dice::Dice;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Lists, then reads every file by the system calls themselves: `open(path).read()` adds up to a tenth of its own. A seed
/// gives the order, 0 that of the listing. Prints s of listing and of reading. Cold: all pages are dropped first, which is
/// not timed.
const PYTHON: &str = r#"
import os, random, sys, time
root, seed, cold = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "cold"
def listed():
    return [os.path.join(d, f) for d, _, fs in os.walk(root) for f in fs if os.path.isfile(os.path.join(d, f)) and not os.path.islink(os.path.join(d, f))]
def read(paths):
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        os.fstat(fd)
        while os.read(fd, 1 << 20):
            pass
        os.close(fd)
if cold:
    for path in listed():
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
else:
    read(listed())
begun = time.monotonic()
paths = listed()
walked = time.monotonic()
if seed:
    random.Random(seed).shuffle(paths)
start = time.monotonic()
read(paths)
print(walked - begun, time.monotonic() - start)
"#;

/// Drops the pages of all files of a tree.
const DROP: &str = r#"
import os, sys
for d, _, fs in os.walk(sys.argv[1]):
    for f in fs:
        path = os.path.join(d, f)
        if os.path.isfile(path) and not os.path.islink(path):
            fd = os.open(path, os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)
"#;

/// A tree and who reads it.
pub struct Contest<'a> {
    binary: &'a str,
    ground: &'a Ground,
    state: std::path::PathBuf,
}

/// Times of one round, s: reading alone in listed and in random order, and listing with reading.
#[derive(Default)]
struct Times {
    /// Of ours: cold and warm.
    ours_listed: [f64; 2],
    ours_random: [f64; 2],
    ours_walk: f64,
    python_listed: [f64; 2],
    python_random: [f64; 2],
    tar: [f64; 2],
}

/// The head of the table.
pub fn head() -> Vec<String> {
    vec![
        "| tree | cache | against | ours, s | theirs, s | ours / theirs |".into(),
        "|---|---|---|---|---|---|".into(),
    ]
}

impl<'a> Contest<'a> {
    /// Of this binary on this tree.
    ///
    /// # Errors
    /// No directory for its records can be made.
    pub fn new(binary: &'a str, ground: &'a Ground) -> Result<Contest<'a>, String> {
        let state =
            std::env::temp_dir().join(format!("iodyno-bench-dataset-{}", std::process::id()));
        std::fs::create_dir_all(&state).map_err(|error| format!("{}: {error}", state.display()))?;
        Ok(Contest {
            binary,
            ground,
            state,
        })
    }

    /// The rows of the table: each a ratio of one round's times, over all rounds.
    ///
    /// # Errors
    /// A contestant failed.
    pub fn rows(&self, rounds: usize) -> Result<Vec<String>, String> {
        let mut dice = Dice::new(7);
        let mut all = Vec::new();
        for round in 0..rounds {
            eprintln!("{}: round {} of {rounds}", self.ground.name, round + 1);
            all.push(self.round(round as u64 + 1, &mut dice)?);
        }
        let mut rows = Vec::new();
        for (state, name) in ["cold", "warm"].into_iter().enumerate() {
            let mut add =
                |against: &str, ours: &dyn Fn(&Times) -> f64, theirs: &dyn Fn(&Times) -> f64| {
                    rows.push(self.row(name, against, &all, ours, theirs));
                };
            add(
                "`tar cf - TREE \\| cat`",
                &|t| t.ours_walk + t.ours_listed[state],
                &|t| t.tar[state],
            );
            add("Python, as listed", &|t| t.ours_listed[state], &|t| {
                t.python_listed[state]
            });
            add("Python, random order", &|t| t.ours_random[state], &|t| {
                t.python_random[state]
            });
        }
        Ok(rows)
    }

    fn row(
        &self,
        state: &str,
        against: &str,
        all: &[Times],
        ours: &dyn Fn(&Times) -> f64,
        theirs: &dyn Fn(&Times) -> f64,
    ) -> String {
        let values =
            |of: &dyn Fn(&Times) -> f64| spread::of(&all.iter().map(of).collect::<Vec<_>>());
        let ratios: Vec<f64> = all
            .iter()
            .map(|times| ours(times) / theirs(times))
            .collect();
        let words = |spread: Spread| match (spread.low, spread.high) {
            (Some(low), Some(high)) => format!("{:.3} ({low:.3}–{high:.3})", spread.mean),
            _ => format!("{:.3}", spread.mean),
        };
        format!(
            "| {} | {state} | {against} | {:.3} | {:.3} | {} |",
            self.ground.name,
            values(ours).mean,
            values(theirs).mean,
            words(spread::of(&ratios))
        )
    }

    /// Everybody once, in random order.
    fn round(&self, seed: u64, dice: &mut Dice) -> Result<Times, String> {
        let mut times = Times::default();
        let mut turns: Vec<usize> = (0..8).collect();
        dice.shuffle(&mut turns);
        for turn in turns {
            let cache = turn % 2;
            match turn {
                0 => (times.ours_listed, times.ours_walk) = self.ours("listed", seed)?,
                1 => times.ours_random = self.ours("random", seed)?.0,
                2 | 3 => times.python_listed[cache] = self.python(0, cache)?,
                4 | 5 => times.python_random[cache] = self.python(seed, cache)?,
                _ => times.tar[cache] = self.tar(cache)?,
            }
        }
        Ok(times)
    }

    /// Cold and warm times of the whole tree, and that of the walk, s.
    fn ours(&self, order: &str, seed: u64) -> Result<([f64; 2], f64), String> {
        let output = Command::new(self.binary)
            .args(["--json", "dataset"])
            .arg(&self.ground.tree)
            .args(["--order", order, "--seed", &seed.to_string()])
            .args([
                "--readers",
                "1",
                "--epochs",
                "1",
                "--sample",
                "1000000",
                "--sample-bytes",
                "1t",
                "--huge",
                "1t",
            ])
            .args(["--budget", "10m"])
            .env("IODYNO_STATE_DIR", &self.state)
            .output()
            .map_err(|error| format!("{}: {error}", self.binary))?;
        let report: DatasetReport = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
        let target = report.targets.first().ok_or("no target was read")?;
        let time = |is_cold| target.pass(is_cold, 1).map(|pass| pass.elapsed_ms / 1e3);
        match (time(true), time(false)) {
            (Some(cold), Some(warm)) => Ok(([cold, warm], report.shape.walk_ms / 1e3)),
            _ => Err(format!(
                "no figures: {}",
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }

    fn python(&self, seed: u64, cache: usize) -> Result<f64, String> {
        let cold = ["cold", "warm"][cache];
        let output = Command::new("python3")
            .args(["-c", PYTHON])
            .arg(&self.ground.tree)
            .args([&seed.to_string(), cold])
            .output()
            .map_err(|error| format!("python3: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let read = text
            .split_whitespace()
            .nth(1)
            .and_then(|word| word.parse().ok());
        read.ok_or_else(|| format!("python3: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Listing and reading, s: through a pipe, since tar reads nothing for /dev/null.
    fn tar(&self, cache: usize) -> Result<f64, String> {
        match cache {
            0 => run(Command::new("python3")
                .args(["-c", DROP])
                .arg(&self.ground.tree))?,
            _ => run(&mut tar_of(&self.ground.tree))?,
        }
        let begun = Instant::now();
        run(&mut tar_of(&self.ground.tree))?;
        Ok(begun.elapsed().as_secs_f64())
    }
}

impl Drop for Contest<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.state);
    }
}

fn tar_of(tree: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", "tar cf - -C \"$1\" . | cat > /dev/null", "sh"])
        .arg(tree);
    command
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}
