//! `watch --plain`: rows in the manner of iostat, for logs and for terminals too small for more.

use super::args::WatchArgs;
use super::beats::Beats;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::watching::Watching;
use host::Host;
use host::signals::Stop;
use kernel::cgroups::{Membership, Version};
use model::dirty::DirtyShares;
use model::finding::Finding;
use report::watch_lines;

/// Beats between two headings.
const HEADING_EVERY: u64 = 20;

/// Prints rows until told to stop.
pub fn run(args: &WatchArgs, context: &Context, stop: &Stop) -> Result<Exit, Failure> {
    let mut watching = Watching::start(&context.host, &args.wanted(), args.since_the_last_line())?;
    if !watching.devices.note.is_empty() {
        context.out.note(&watching.devices.note);
    }
    let shares = dirty_shares(&context.host);
    let mut beats = Beats::new(args, stop);
    let mut last_ns = watching.sampler.status().last_ns;
    let mut count = 0;
    let (mut lines, mut shown) = (Vec::new(), Vec::new());
    while beats.wait() && !context.out.is_unread() {
        let Some(now_ns) = watching.sampler.news(last_ns) else {
            continue;
        };
        let frame = watching.frame(last_ns, now_ns);
        if count % HEADING_EVERY == 0 {
            context.out.say(watch_lines::HEADING);
        }
        let devices = &watching.devices;
        let unix_ms = host::clock::unix_ms();
        watch_lines::rows(
            unix_ms,
            &frame,
            &devices.named,
            |name| devices.is_serial(name),
            &mut lines,
        );
        watch_lines::group_rows(unix_ms, &frame, &args.cgroup, shares, &mut lines);
        lines.drain(..).for_each(|line| context.out.say(line));
        let findings = watching.findings(now_ns);
        say_new(&findings, &shown, context);
        shown = findings;
        beats.said();
        (last_ns, count) = (now_ns, count + 1);
    }
    end(&watching, context);
    Ok(Exit::Fine)
}

/// What may be dirty of a group's memory: under version 2 alone, in version 1 nothing holds a group back.
fn dirty_shares(host: &Host) -> Option<DirtyShares> {
    let own = Membership::parse(&host.text("/proc/self/cgroup")?);
    if own.version() != Some(Version::Two) {
        return None;
    }
    let memory = host.meminfo_bytes("MemTotal").map(|bytes| bytes as f64);
    let setting = |name: &str| {
        let file = format!("/proc/sys/{}", name.replace('.', "/"));
        host.number(&file).map(|value| value as f64)
    };
    DirtyShares::from(memory, setting)
}

/// A finding is said when it comes up, and again only after it was gone.
fn say_new(found: &[Finding], shown: &[Finding], context: &Context) {
    let is_same =
        |one: &Finding, other: &Finding| one.rule == other.rule && one.section == other.section;
    for finding in found
        .iter()
        .filter(|one| !shown.iter().any(|other| is_same(one, other)))
    {
        watch_lines::finding(finding)
            .into_iter()
            .for_each(|line| context.out.say(line));
    }
}

/// What a reader of the rows must know, after the last of them.
fn end(watching: &Watching, context: &Context) {
    let status = watching.sampler.status();
    status
        .notes
        .iter()
        .for_each(|(sensor, note)| context.out.note(format!("{sensor}: {note}")));
    if status.lost > 0 {
        context.out.note(format!(
            "{} samples were lost: the machine was too busy to take them.",
            status.lost
        ));
    }
}
