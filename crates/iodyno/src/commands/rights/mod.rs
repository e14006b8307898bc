//! `iodyno rights`: which rights a verb can make use of on this kernel, which of them this process has, and how to grant the rest.
//! Changes nothing.

mod answer;
mod grants;
mod verbs;
mod words;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use answer::{Asked, RightsDocument};
use std::path::PathBuf;
use verbs::{VERBS, VerbRights};

/// Arguments of `rights`.
#[derive(Debug, clap::Args)]
pub struct RightsArgs {
    /// Say it of this verb, with the commands that grant what is missing; without one, of all in short.
    pub verb: Option<String>,
    /// On this directory, file or block device.
    #[arg(requires = "verb")]
    pub target: Option<PathBuf>,
}

/// Says it, and never fails for what is missing: that is its answer.
pub fn run(args: &RightsArgs, context: &Context) -> Result<Exit, Failure> {
    let user = answer::user(&context.host)?;
    let target = args.target.as_deref();
    let asked = Asked {
        host: &context.host,
        user: &user,
        target: target
            .map(|path| Ok::<_, Failure>((path, host::rights::target_access(path)?)))
            .transpose()?,
    };
    let wanted: Vec<&'static VerbRights> = match &args.verb {
        Some(verb) => vec![verbs::of(verb).ok_or_else(|| unknown(verb))?],
        None => VERBS.iter().collect(),
    };
    let answers = wanted.iter().map(|verb| asked.verb(verb));
    let answers = answers.collect::<host::Result<Vec<_>>>()?;
    let lines = match (&args.verb, answers.first()) {
        (Some(_), Some(one)) => words::of_verb(one, &user),
        _ => words::of_all(&answers, &user),
    };
    for line in lines {
        context.out.say(line);
    }
    context.out.document(&RightsDocument {
        schema: "iodyno.rights/1",
        user,
        verbs: answers,
    })?;
    Ok(Exit::Fine)
}

fn unknown(verb: &str) -> Failure {
    let verb = model::text::clean(verb);
    Failure::usage(format!("there is no verb `{verb}`"))
        .on(verb.as_ref())
        .hint("`iodyno rights` lists them all.")
}
