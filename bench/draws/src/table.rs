//! The table of all draws.

use crate::family::Family;
use crate::judged::Judged;
use kit::share::Share;
use std::fmt::Write;

/// Section of `bench/RESULTS.md`.
pub fn text(kept: &[Judged], families: &[Family]) -> String {
    let of = |count: usize| move |one: &&Judged| one.faults().len() == count;
    let healthy: Vec<&Judged> = kept.iter().filter(of(0)).collect();
    let singles: Vec<&Judged> = kept.iter().filter(of(1)).collect();
    let several: Vec<&Judged> = kept.iter().filter(|one| one.faults().len() > 1).collect();
    let within = |most: usize| move |place: &usize| (1..=most).contains(place);
    let places: Vec<usize> = singles.iter().map(|one| one.faults()[0].1).collect();
    let all = |one: &&&Judged| one.faults().iter().all(|(_, place)| within(5)(place));
    let any = |one: &&&Judged| one.faults().iter().any(|(_, place)| *place == 1);
    let mut text = format!(
        "{}, {} draws of `check --quick` on ext4 or XFS over a loop device, {} to {}. Faults, their number and strength, the file system \
         with its options and four settings of the queue are drawn by seed. Shares in per cent with 95 % Wilson intervals.\n\n\
         | draws | number | first | among three |\n|---|---|---|---|\n",
        kit::results::machine(),
        kept.len(),
        kept.first().map_or("", |one| &one.date),
        kept.last().map_or("", |one| &one.date),
    );
    let _ = writeln!(
        text,
        "| one fault | {} | {} | {} |",
        places.len(),
        Share::of(&places, |place| within(1)(place)),
        Share::of(&places, |place| within(3)(place))
    );
    for family in families {
        let own: Vec<usize> = singles
            .iter()
            .flat_map(|one| one.faults())
            .filter(|(name, _)| *name == family.name)
            .map(|(_, place)| place)
            .collect();
        let count = |most| own.iter().filter(|place| within(most)(place)).count();
        let name = &family.name;
        let _ = writeln!(
            text,
            "| `{name}` | {} | {} | {} |",
            own.len(),
            count(1),
            count(3)
        );
    }
    let _ = writeln!(
        text,
        "\nOf {} draws of two or three faults one of them was first in {}, and all were among five in {}. Of {} healthy stacks {} had a \
         warning.\n",
        several.len(),
        Share::of(several.iter(), |one| any(&one)),
        Share::of(several.iter(), |one| all(&one)),
        healthy.len(),
        healthy
            .iter()
            .filter(|one| !one.warnings.is_empty())
            .count()
    );
    text += &times(kept);
    for family in families {
        let _ = writeln!(
            text,
            "- `{}`: {}. Right: {}.",
            family.name,
            family.what,
            family.rules.join(", ")
        );
    }
    text
}

/// How long the checks took, and how far the accounts of their loads were off.
fn times(kept: &[Judged]) -> String {
    let of =
        |value: fn(&Judged) -> Option<f64>| -> Vec<f64> { kept.iter().filter_map(value).collect() };
    let spread = |values: &[f64]| {
        let at = |share| stats::quantile(values, share).unwrap_or_default();
        format!(
            "{:.1} (90 % below {:.1}, at most {:.1})",
            at(0.5),
            at(0.9),
            at(1.0)
        )
    };
    format!(
        "A check took {} s. The account of a load's time, asleep as counted against asleep as seen, was off by {} per cent of it in the \
         median load of a draw, and by {} in the worst.\n\n",
        spread(&of(|one| Some(one.seconds))),
        spread(&of(|one| one.off_median_percent)),
        spread(&of(|one| one.off_percent))
    )
}
