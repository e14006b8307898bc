//! What others take for the same.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Reads the log and makes what we make of it: by direction count, mean, deviation, extremes and percentiles, and by
/// second IOPS, bandwidth, mean and greatest latency. Prints seconds of the reader and of all.
const PANDAS: &str = r"
import sys, time
import pandas as pd
begun = time.process_time()
log = pd.read_csv(sys.argv[1], header=None, usecols=[0, 1, 2, 3], names=['ms', 'value', 'side', 'bytes'],
                  skipinitialspace=True, engine='c', dtype='int64')
read = time.process_time() - begun
percentiles = [.01, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99, .995, .999, .9995, .9999]
sides = log.groupby('side').value.describe(percentiles=percentiles)
seconds = log.groupby(['side', log.ms // 1000]).agg({'value': ['count', 'mean', 'max'], 'bytes': 'sum'})
done = time.process_time() - begun
assert int(sides['count'].sum()) == int(sys.argv[2]) and len(seconds) > 0
print(read, done)
";

/// fio-plot's own reader of logs, its own merging of a job's files, and the four statistics that it prints below a graph.
const FIO_PLOT: &str = r"
import sys
import numpy
from fio_plot.fiolib import dataimport
data = dataimport.readLogData({}, {'filename': sys.argv[1]})
merged = dataimport.mergeSingleDataSet([{'data': data, 'hostname': None}], 'lat')[0]
for side in ('read', 'write'):
    values = list(zip(*merged[side]))[1]
    assert numpy.max(values) + numpy.mean(values) + numpy.std(values) + numpy.percentile(values, 99) > 0
";

/// A script that reads the short log.
pub struct Script {
    /// What it is.
    pub name: &'static str,
    program: PathBuf,
    arguments: Vec<String>,
    directory: PathBuf,
}

/// The Python of a virtual environment that has pandas; made where it is not there.
pub fn python(environment: &Path) -> Option<PathBuf> {
    let python = environment.join("bin/python");
    let has_pandas = |python: &Path| {
        Command::new(python)
            .args(["-c", "import pandas"])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !has_pandas(&python) {
        eprintln!(
            "installing pandas and fio-plot below {}",
            environment.display()
        );
        let made = Command::new("python3")
            .args(["-m", "venv"])
            .arg(environment)
            .status();
        made.ok().filter(|status| status.success())?;
        let pip = environment.join("bin/pip");
        let installed = Command::new(pip)
            .args(["install", "--quiet", "pandas", "fio-plot"])
            .status();
        installed.ok().filter(|status| status.success())?;
    }
    has_pandas(&python).then_some(python)
}

/// pandas on the long log: seconds of its C reader, and with the statistics; without Python's start.
pub fn pandas(python: &Path, log: &Path, lines: u64) -> Result<(f64, f64), String> {
    let output = Command::new(python)
        .args(["-c", PANDAS])
        .arg(log)
        .arg(lines.to_string())
        .output()
        .map_err(|error| format!("{}: {error}", python.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(read)), Some(Ok(all))) => Ok((read, all)),
        _ => Err(format!(
            "pandas failed: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// The scripts that are there.
pub fn scripts(python: Option<&Path>, directory: &Path, missing: &mut Vec<String>) -> Vec<Script> {
    let mut scripts = Vec::new();
    let of = |name, program: &Path, arguments: &[&str]| Script {
        name,
        program: program.into(),
        arguments: arguments
            .iter()
            .map(|argument| argument.to_string())
            .collect(),
        directory: directory.into(),
    };
    match Command::new("fio2gnuplot").arg("-h").output() {
        Ok(_) => scripts.push(of(
            "fio2gnuplot, of fio itself: minimum, maximum, mean, deviation, and points for a graph",
            Path::new("fio2gnuplot"),
            &["-p", "short_lat.1.log", "-d", "plot", "-k"],
        )),
        Err(_) => missing.push("fio2gnuplot is not installed; it comes with fio.".into()),
    }
    match python {
        Some(python) => scripts.push(of(
            "fio-plot: maximum, mean, deviation, one percentile",
            python,
            &["-c", FIO_PLOT, "short_lat.1.log"],
        )),
        None => missing.push("pandas and fio-plot could not be installed.".into()),
    }
    scripts
}

/// Seconds of a script, with the start of its interpreter.
pub fn run(script: &Script, log: &Path) -> Result<f64, String> {
    let begun = children_s();
    let output = Command::new(&script.program)
        .args(&script.arguments)
        .current_dir(&script.directory)
        .output()
        .map_err(|error| format!("{}: {error}", script.name))?;
    let seconds = children_s() - begun;
    if !output.status.success() {
        return Err(format!(
            "{} failed on {}: {}",
            script.name,
            log.display(),
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok(seconds)
}

/// CPU time of all programs that were started and waited for, s. The kernel tells it in hundredths.
fn children_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |at: usize| {
        after_name
            .split_whitespace()
            .nth(at)
            .and_then(|ticks| ticks.parse::<f64>().ok())
    };
    (ticks(13).unwrap_or(0.0) + ticks(14).unwrap_or(0.0)) / 100.0
}
