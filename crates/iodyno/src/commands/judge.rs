//! `iodyno judge`: the experiment engine on stdin and stdout.
use super::Context;
use crate::exit::{Exit, Failure};
/// Arguments of `judge`.
#[derive(Debug, clap::Args)]
pub struct Args {}
/// t
pub fn run(_: &Args, _: &Context) -> Result<Exit, Failure> {
    Ok(Exit::Fine)
}
