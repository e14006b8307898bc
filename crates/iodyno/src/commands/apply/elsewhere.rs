//! Records that were not measured on this machine: why one counts as such, and what is trusted with it.

use super::ApplyArgs;
use crate::exit::{Exit, Failure};
use apply::SettingWish;
use host::Host;
use model::iopath::{IoPath, Layer};
use model::record::Record;
use model::text::clean_to;
use model::verdict::Verdict;
use store::Origin;
use view::effect::Effect;

/// Longest piece of the record in a line, characters.
const SHOWN: usize = 60;

/// Why a record counts as from elsewhere; none where this machine measured it. The store knows how it came by it; the host
/// name in it can only make it more foreign, never less.
pub fn why(id: i64, record: &Record, origin: &Origin, host: &Host) -> Option<String> {
    let here = host.text("/proc/sys/kernel/hostname").unwrap_or_default();
    let there = &record.provenance.hostname;
    Some(match origin {
        Origin::Merged { from, unix_ms } => {
            format!(
                "record {id} was merged from {} on {}",
                clean_to(from, 200),
                view::calendar::day(*unix_ms)
            )
        }
        Origin::Imported { from, unix_ms } => {
            format!(
                "record {id} was read from {} on {}",
                clean_to(from, 200),
                view::calendar::day(*unix_ms)
            )
        }
        Origin::Unknown => format!(
            "record {id} was kept by an earlier iodyno, which did not note whether a record was measured here or merged"
        ),
        Origin::Here if there != here.trim() => format!(
            "record {id} was measured on {}, and this is {}",
            clean_to(there, SHOWN),
            clean_to(here.trim(), SHOWN)
        ),
        Origin::Here => return None,
    })
}

/// What is said where nothing was said of it.
pub fn refusal(args: &ApplyArgs, why: &str) -> Failure {
    let persist = if args.keep.persist { " --persist" } else { "" };
    Failure::new(
        Exit::Refused,
        format!(
            "{why}. A verdict holds for the machine that it was proved on; nothing was changed."
        ),
    )
    .on(format!("record {}", args.record))
    .why(why)
    .hint(format!(
        "To prove it here: iodyno tune. To see what would be trusted: iodyno apply {} --from-elsewhere --dry-run{persist}",
        args.record
    ))
}

/// What is trusted, in lines: who says it, which disk it was proved on and which one is here, and how sure it was.
pub fn trusted(why: &str, record: &Record, wish: &SettingWish, host: &Host) -> Vec<String> {
    let made = &record.provenance;
    let day = view::calendar::day(i64::try_from(made.started_unix_ms).unwrap_or(i64::MAX));
    let mut lines = vec![
        format!("{why}. What it says is trusted:"),
        format!(
            "  proved on {}, Linux {}, by iodyno {}, {day}, under {}",
            or_unknown(&clean_to(&made.hostname, SHOWN)),
            or_unknown(&clean_to(&made.kernel, SHOWN)),
            or_unknown(&clean_to(&made.iodyno, SHOWN)),
            clean_to(&record.job.phrase(), SHOWN)
        ),
    ];
    let here = inventory::collect(host, &format!("/dev/{}", wish.device())).ok();
    let here = here.as_ref().and_then(|path| layer(path, wish.device()));
    let there = layer(&record.path, wish.device());
    lines.push(format!("  its disk   {}", disk(there)));
    lines.push(format!(
        "  this disk  {}: {}",
        disk(here),
        likeness(there, here)
    ));
    for proven in wish.values() {
        let (knob, value) = (proven.knob, &proven.value);
        let verdict = record
            .trials()
            .iter()
            .filter(|trial| trial.knob == knob.id)
            .find_map(|trial| {
                trial
                    .verdict
                    .as_ref()
                    .filter(|verdict| verdict.arm == *value)
            });
        lines.push(format!(
            "  {}={value}  {}",
            knob.id,
            verdict.map(claim).unwrap_or_default()
        ));
    }
    lines
}

fn layer<'a>(path: &'a IoPath, device: &str) -> Option<&'a Layer> {
    path.root
        .walk()
        .into_iter()
        .find(|layer| layer.name == device)
}

fn disk(layer: Option<&Layer>) -> String {
    let Some(layer) = layer else {
        return "unknown".into();
    };
    let fact = |name: &str| layer.fact(name).map(|value| clean_to(value, SHOWN));
    format!(
        "{}, model {}, serial {}",
        clean_to(&layer.name, SHOWN),
        fact("model").unwrap_or_else(|| "unknown".into()),
        fact("serial_digest").unwrap_or_else(|| "unknown".into())
    )
}

fn likeness(there: Option<&Layer>, here: Option<&Layer>) -> &'static str {
    let same = |name: &str| Some(there?.fact(name)? == here?.fact(name)?);
    match (same("serial_digest"), same("model")) {
        (Some(true), _) => "the same disk, by its serial number",
        (Some(false), Some(true)) => "another disk of the same model",
        (Some(false), _) => "another disk",
        (None, Some(false)) => "another model",
        (None, _) => "whether it is the same cannot be told",
    }
}

/// `+12 % (10 to 14), 46 windows`.
fn claim(verdict: &Verdict) -> String {
    let claim = Effect::of(verdict).map_or("no estimate".into(), |effect| effect.words());
    format!("{claim}, {} windows, as it says", verdict.windows)
}

fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}
