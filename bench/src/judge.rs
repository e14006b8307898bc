//! A driver for `iodyno judge`: the same simulated disk, on the other side of two pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use experiment::protocol::{Heard, Said};
use experiment::{Class, ExperimentPlan, Window, WindowReport};
use model::verdict::Verdict;

/// Runs one experiment in a process of its own.
pub fn run(
    path: &str,
    plan: &ExperimentPlan,
    mut measure: impl FnMut(&Window) -> WindowReport,
) -> Result<Verdict, String> {
    let mut child = start(path, plan).map_err(|error| format!("{path}: {error}"))?;
    let verdict = converse(&mut child, plan, &mut measure);
    let status = child.wait().map_err(|error| error.to_string())?;
    let verdict = verdict?;
    let wanted = i32::from(experiment::protocol::exit_code(verdict.outcome));
    match status.code() {
        Some(code) if code == wanted => Ok(verdict),
        code => Err(format!(
            "{path} left with {code:?} after {:?}",
            verdict.outcome
        )),
    }
}

fn start(path: &str, plan: &ExperimentPlan) -> std::io::Result<Child> {
    let class = match plan.class {
        Class::Fast => "fast",
        Class::Learned => "learned",
        Class::Slow => "slow",
    };
    let mut command = Command::new(path);
    command.arg("judge");
    plan.arms.iter().for_each(|arm| {
        command.args(["--arm", arm]);
    });
    command.args([
        "--class",
        class,
        "--rope",
        &plan.rope.to_string(),
        "--alpha",
        &plan.alpha.to_string(),
    ]);
    command.args([
        "--budget",
        &format!("{}ms", plan.whole_ms),
        "--memory",
        &format!("{}ms", plan.memory_ms),
        "--seed",
        &plan.seed.to_string(),
    ]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}

fn converse(
    child: &mut Child,
    plan: &ExperimentPlan,
    measure: &mut impl FnMut(&Window) -> WindowReport,
) -> Result<Verdict, String> {
    let mut input = child.stdin.take().ok_or("no standard input")?;
    let output = BufReader::new(child.stdout.take().ok_or("no standard output")?);
    for line in output.lines() {
        let line = line.map_err(|error| error.to_string())?;
        match serde_json::from_str(&line).map_err(|error| format!("{line}: {error}"))? {
            Said::Hello { .. } => {}
            Said::Verdict(verdict) => return Ok(*verdict),
            Said::Window {
                id,
                arm,
                duration_ms,
                discard_ms,
                stage,
                fresh,
                half_depth,
            } => {
                let arm = plan
                    .arms
                    .iter()
                    .position(|name| *name == arm)
                    .ok_or("unknown arm")?;
                let window = Window {
                    id,
                    arm,
                    duration_ms,
                    discard_ms,
                    stage,
                    fresh,
                    half_depth,
                };
                let mut answer = serde_json::to_vec(&heard(measure(&window)))
                    .map_err(|error| error.to_string())?;
                answer.push(b'\n');
                input
                    .write_all(&answer)
                    .map_err(|error| error.to_string())?;
            }
        }
    }
    Err("the process left without a verdict".into())
}

fn heard(told: WindowReport) -> Heard {
    match told {
        WindowReport::Measured {
            id,
            rates,
            latency,
            foreign,
        } => Heard::Result {
            id,
            rates,
            latency,
            foreign_share: foreign.map(|foreign| foreign.share),
            own_rate: foreign.and_then(|foreign| Some(foreign.per_second?.own)),
            foreign_rate: foreign.and_then(|foreign| Some(foreign.per_second?.others)),
        },
        WindowReport::Failed { id, why, .. } => Heard::Failed {
            id,
            why,
            kind: Default::default(),
        },
    }
}
