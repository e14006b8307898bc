//! # A share of reads without a mix
//!
//! ## What it finds
//! `rwmixread` or `rwmixwrite` with an `rw` that has one direction only.
//!
//! ## Why it matters
//! fio takes the share and does not use it: `rw=randwrite rwmixread=70` writes, 100 %. Whoever reads the line takes
//! the result for that of a 70/30 mix.
//!
//! ## What to try
//! `rw=randrw` for the mix, or no share.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -bs=4k -direct=1 -rw=randwrite -rwmixread=70 -size=16G -iodepth=64
//! expect: warning says "has no effect" says "randwrite" fix rwmixread
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -bs=4k -direct=1 -rw=randrw -rwmixread=70 -size=16G -iodepth=64
//! ```
//!
//! ## Sources
//! - fio HOWTO, `rwmixread`

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "mix_share_without_mix",
    since: "0.1.0",
    summary: "a share of reads for a job that does not mix",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_plain = |section: &&Section| !(section.job.rw.reads() && section.job.rw.writes());
    block_sections(facts)
        .filter(is_plain)
        .filter_map(one)
        .collect()
}

fn one(section: &Section) -> Option<Finding> {
    let given = |name: &&str| section.option(name).is_some();
    let names: Vec<&str> = ["rwmixread", "rwmixwrite"]
        .into_iter()
        .filter(|name| given(name))
        .collect();
    let first = *names.first()?;
    let (value, _) = section.option(first)?;
    let rw = section.job.rw;
    let claim = format!(
        "{first}={value} has no effect: rw={} is {} alone.",
        rw.word(),
        rw.phrase()
    );
    let finding = warning(&section.name, claim)
        .shows("rw", rw.word())
        .advise("Use rw=randrw or rw=rw for a mix, or leave the share out.")
        .at(section, &[first]);
    Some(
        names
            .iter()
            .fold(finding, |finding, name| finding.drop_option(name)),
    )
}
