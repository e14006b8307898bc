//! Where random I/O goes, and whether a run can be repeated.

use super::{Spec, Value, ValueKind, WIDE, directions, flag, noted, number, sets, split, text};
use crate::language::draft::Draft;
use crate::language::error::Bad;
use model::job::Distribution;

pub(super) static GROUP: &[Spec] = &[
    sets("randrepeat", "", ValueKind::Bool, |draft, value| {
        draft.job().randrepeat = flag(value);
        Ok(())
    }),
    sets("allrandrepeat", "", ValueKind::Bool, |draft, value| {
        draft.job().randrepeat |= flag(value);
        Ok(())
    }),
    sets("randseed", "", WIDE, |draft, value| {
        draft.job().randseed = number(value);
        Ok(())
    }),
    sets("norandommap", "", ValueKind::Set, |draft, value| {
        draft.norandommap = flag(value);
        Ok(())
    }),
    noted(
        "softrandommap",
        "",
        ValueKind::Bool,
        "iodyno's order without repeats needs no memory for a map",
    ),
    noted(
        "random_generator",
        "",
        ValueKind::Word(&["tausworthe", "lfsr", "tausworthe64"]),
        "iodyno has one generator, good for any range, whose order without repeats needs no map",
    ),
    sets(
        "random_distribution",
        "",
        ValueKind::Word(&["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"]),
        distribution,
    ),
    sets(
        "percentage_random",
        "",
        ValueKind::PerDirection(0, 100),
        |draft, value| {
            let mut shares = draft.percentage_random.map(u64::from);
            directions(value, &mut shares);
            draft.percentage_random = shares.map(|share| share as u8);
            Ok(())
        },
    ),
    sets("percentage_sequential", "", ValueKind::Gone, |_, _| Ok(())),
];

fn distribution(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    let (word, rest) = text(value).split_once(':').unwrap_or((text(value), ""));
    let parameter = |default: f64| match rest.split(':').next().map(str::trim) {
        None | Some("") => Ok(default),
        Some(number) => number
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .ok_or_else(|| {
                Bad::value(
                    format!("{number} is no number"),
                    "Write zipf:1.2, pareto:0.3 or normal:20",
                )
            }),
    };
    let found = match word {
        "zipf" => Distribution::Zipf(within(
            parameter(1.1)?,
            |theta| theta > 0.0 && theta != 1.0,
            "theta must be positive and not 1",
            "Write zipf:1.1 or zipf:0.9",
        )?),
        "pareto" => Distribution::Pareto(within(
            parameter(0.2)?,
            |power| power > 0.0 && power < 1.0,
            "the power must lie between 0 and 1",
            "Write pareto:0.2",
        )?),
        "normal" => Distribution::Normal(within(
            parameter(0.0)?,
            |deviation| (0.0..100.0).contains(&deviation),
            "the deviation is in per cent of the range, below 100",
            "Write normal:20",
        )?),
        "zoned" => split::zones(rest)?,
        "zoned_abs" => split::zones_abs(rest, draft.kb_base)?,
        _ => Distribution::Random,
    };
    let has_centre = !word.starts_with("zoned") && rest.contains(':');
    if has_centre {
        draft.cannot("a distribution around another centre than its own");
    }
    draft.job().distribution = found;
    Ok(())
}

fn within(value: f64, is_good: fn(f64) -> bool, why: &str, advice: &str) -> Result<f64, Bad> {
    if is_good(value) {
        Ok(value)
    } else {
        Err(Bad::value(why, advice))
    }
}
