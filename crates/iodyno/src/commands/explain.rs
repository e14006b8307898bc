//! `iodyno explain ID`: the page of one thing in the catalogue.

use super::Context;
use super::catalogue::{Entry, entries};
use crate::exit::{Exit, Failure};
use model::layers::Span;
use observe::{Rung, Step, rung};
use serde::Serialize;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The thing, as `iodyno catalogue` names it.
    pub id: String,
}

/// As many names are suggested.
const NEAR_MAX: usize = 8;

/// A page, with what this machine has to say on it.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    entry: &'a Entry,
    #[serde(skip_serializing_if = "Option::is_none")]
    here: Option<Here>,
}

/// How far this machine lets iodyno look.
#[derive(Serialize)]
struct Here {
    rung: &'static str,
    gives: &'static str,
    why_not_higher: Vec<String>,
    ladder: Vec<HereStep>,
}

/// A rung of the ladder on this machine.
#[derive(Serialize)]
struct HereStep {
    rung: &'static str,
    gives: &'static str,
    taken: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
}

/// Prints the page.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    // The spans of a table of layers are told on one page.
    let is_span = args.id == "outside" || Span::ALL.iter().any(|span| span.name() == args.id);
    let id = if is_span { "layers" } else { args.id.as_str() };
    let found: Vec<Entry> = entries()
        .into_iter()
        .filter(|entry| entry.id == id)
        .collect();
    if found.is_empty() {
        let near: Vec<String> = entries()
            .iter()
            .map(|entry| entry.id.to_string())
            .filter(|id| is_near(id, &args.id))
            .take(NEAR_MAX)
            .collect();
        let hint = if near.is_empty() {
            String::new()
        } else {
            format!(" Did you mean {}?", near.join(", "))
        };
        let message = format!("nothing is called `{}`.{hint}", args.id);
        return Err(Failure::usage(message)
            .on(&args.id)
            .hint("`iodyno catalogue` lists all."));
    }
    for entry in &found {
        context.out.text(entry.page.trim_end());
    }
    // The one page that depends on the machine: the best way to see layers is found by trying it.
    let here = (id == "layers" && context.host.is_live()).then(rung);
    for line in here.iter().flat_map(here_lines) {
        context.out.say(line);
    }
    let here = here.map(
        |Rung {
             name,
             gives,
             why_not_higher,
             ladder,
         }| {
            let step = |Step {
                            name: rung,
                            gives,
                            why_not,
                        }| HereStep {
                rung,
                gives,
                taken: rung == name,
                why_not,
            };
            Here {
                rung: name,
                gives,
                why_not_higher,
                ladder: ladder.into_iter().map(step).collect(),
            }
        },
    );
    context.out.document(&Document {
        entry: &found[0],
        here,
    })?;
    Ok(Exit::Fine)
}

fn here_lines(rung: &Rung) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!(
            "On this machine: {}, which gives {}.",
            rung.name, rung.gives
        ),
    ];
    lines.extend(
        rung.ladder
            .iter()
            .map(|step| format!("  {:<11}{}", step.name, state(rung, step))),
    );
    lines
}

/// Why a rung is taken or not.
fn state(rung: &Rung, step: &Step) -> String {
    match &step.why_not {
        _ if step.name == rung.name => "taken".into(),
        Some(why) => format!("not here: {why}"),
        None if step.name == "diskstats" => "kept beside it, always".into(),
        None => format!("works here too; --layers {} takes it", step.name),
    }
}

fn is_near(id: &str, asked: &str) -> bool {
    let asked = asked.to_lowercase().replace('-', "_");
    asked.len() > 2 && (id.contains(&asked) || asked.contains(id))
}
