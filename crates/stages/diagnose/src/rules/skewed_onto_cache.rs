//! # A skew that ends in the cache
//!
//! ## What it finds
//! `random_distribution=zipf` or `pareto` under which half of the I/O falls on less than 256 MiB.
//!
//! ## Why it matters
//! A skewed load is right for a test of caches. As a test of the medium it is not: the disk's or the array's cache
//! takes the hot part, and the figure is a mix of the two. fio's own zipf has been found to touch far fewer blocks
//! than the name promises.
//!
//! ## What to try
//! A smaller theta, a larger range, or plain `random`; or say in the result what the hot part was.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -size=100G -random_distribution=zipf:1.2
//! expect: warning says "half of the I/O"
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -size=10G -random_distribution=pareto:0.2
//! expect: warning says "half of the I/O"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -size=100G -random_distribution=zipf:0.6
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -size=100G -random_distribution=pareto:0.4
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -size=1G
//! ```
//!
//! ## Sources
//! - fio `lib/zipf.c`; fio issue 1991. Shares from the distributions' own sums, not from fio's generator.

use crate::Medium;
use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::medium::DEVICE_CACHE_BYTES;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Distribution, Section};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "skewed_onto_cache",
    since: "0.1.0",
    summary: "a skew so steep that a cache serves most of it",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    if facts.medium() == Some(Medium::Memory) {
        return Vec::new();
    }
    block_sections(facts)
        .filter_map(|section| one(facts, section))
        .collect()
}

fn one(facts: &RuleFacts<'_>, section: &Section) -> Option<Finding> {
    let job = &section.job;
    let range = facts.range_bytes(job)?;
    let blocks = range as f64 / job.bs.max(1) as f64;
    let (name, hot) = match job.distribution {
        Distribution::Zipf(theta) => (format!("zipf:{theta}"), zipf_half(theta, blocks)),
        Distribution::Pareto(power) => (format!("pareto:{power}"), pareto_half(power)),
        _ => return None,
    };
    let hot_bytes = (hot * range as f64).max(job.bs as f64);
    if !job.rw.is_random() || hot_bytes >= DEVICE_CACHE_BYTES as f64 {
        return None;
    }
    let words = units::bytes(hot_bytes);
    let claim = format!(
        "{name} on {}: half of the I/O falls on {words}, which a cache of the device can hold.",
        units::bytes(range as f64)
    );
    let finding = warning(&section.name, claim)
        .shows("hot half", words)
        .refuted_by("The latency has one step, not two: no part is faster than the medium.")
        .advise("Use a larger range or a flatter distribution to reach the medium.")
        .at(section, &["random_distribution"]);
    Some(finding)
}

/// Share of the blocks that takes half of the accesses: the k with H(k) = H(n)/2, sums taken as integrals.
fn zipf_half(theta: f64, blocks: f64) -> f64 {
    let power = 1.0 - theta;
    let is_log = power.abs() < 1e-6;
    let sum = |n: f64| {
        1.0 + if is_log {
            n.ln()
        } else {
            (n.powf(power) - 1.0) / power
        }
    };
    let half = (sum(blocks) / 2.0 - 1.0).max(0.0);
    let hot = if is_log {
        half.exp()
    } else {
        (half * power + 1.0).powf(1.0 / power)
    };
    (hot / blocks).clamp(0.0, 1.0)
}

/// Half of the accesses go to this share of the blocks: fio draws offset = n · u^(log h / log(1−h)).
fn pareto_half(power: f64) -> f64 {
    0.5_f64.powf(power.ln() / (1.0 - power).ln())
}
