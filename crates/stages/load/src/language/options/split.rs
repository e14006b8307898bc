//! Lists of shares: the block sizes of `bssplit`, the zones of `random_distribution`.

use super::{Value, text};
use crate::language::draft::Draft;
use crate::language::error::Bad;
use crate::language::units::{self, Amount};
use model::job::Distribution;

/// More entries than this fio does not take.
const MOST_SIZES: usize = 64;
const MOST_ZONES: usize = 256;

pub(super) fn bssplit(draft: &mut Draft, value: &Value) -> Result<(), Bad> {
    let parts: Vec<&str> = text(value).trim().split(',').collect();
    if parts.len() > 3 {
        return Err(Bad::value(
            "there are more than three lists",
            "Write one each for reads, writes and trims",
        ));
    }
    for direction in 0..3 {
        let part = parts
            .get(direction)
            .or(parts.last())
            .copied()
            .unwrap_or_default();
        let sizes = sizes(part, draft)?;
        if !sizes.is_empty() {
            draft.bssplit[direction] = sizes;
        }
    }
    Ok(())
}

/// `4k/60:64k/40`. Sizes without a share have what is left in equal parts.
fn sizes(list: &str, draft: &mut Draft) -> Result<Vec<(u64, u8)>, Bad> {
    let mut found = Vec::new();
    for entry in entries(list, MOST_SIZES)? {
        let (size, share) = entry.split_once('/').unwrap_or((entry, ""));
        let bytes = match units::bytes(size, draft.kb_base)? {
            Amount::Bytes(bytes) if bytes > 0 => bytes as u64,
            _ => {
                return Err(Bad::misleading(
                    format!("{size} is no block size"),
                    "Write 4k/60:64k/40",
                ));
            }
        };
        found.push((bytes, share_of(share)?));
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let mut shares: Vec<Option<u8>> = found.iter().map(|(_, share)| *share).collect();
    let given: u32 = shares.iter().flatten().map(|share| u32::from(*share)).sum();
    if given > 100 || (given < 100 && !shares.contains(&None)) {
        let advice = "Make them 100 in all, or leave one share empty for the rest: 4k/60:64k/";
        let kind = if given > 100 {
            Bad::value as fn(String, &'static str) -> Bad
        } else {
            Bad::misleading
        };
        return Err(kind(
            format!("the shares add up to {given} per cent"),
            advice,
        ));
    }
    fill(&mut shares);
    Ok(found
        .iter()
        .zip(shares)
        .map(|((bytes, _), share)| (*bytes, share.unwrap_or(0)))
        .collect())
}

/// What is left of 100, in equal parts to those without a share; the last of them has what does not divide.
fn fill(shares: &mut [Option<u8>]) {
    let given: u32 = shares.iter().flatten().map(|share| u32::from(*share)).sum();
    let open: Vec<usize> = (0..shares.len())
        .filter(|at| shares[*at].is_none())
        .collect();
    let rest = 100u32.saturating_sub(given);
    for (number, at) in open.iter().enumerate() {
        let part = rest / open.len() as u32;
        let extra = if number + 1 == open.len() {
            rest % open.len() as u32
        } else {
            0
        };
        shares[*at] = Some((part + extra) as u8);
    }
}

fn entries(list: &str, most: usize) -> Result<Vec<&str>, Bad> {
    let list = list.trim();
    let entries: Vec<&str> = list.split(':').filter(|entry| !entry.is_empty()).collect();
    match entries.len() > most {
        true => Err(Bad::value(
            format!("there are more than {most} entries"),
            "Leave some out",
        )),
        false => Ok(entries),
    }
}

/// A share in per cent; fio takes 0 for one that was left out.
fn share_of(text: &str) -> Result<Option<u8>, Bad> {
    match text.trim_end_matches('%') {
        "" | "0" => Ok(None),
        digits => match digits.parse::<u8>() {
            Ok(share) if share <= 100 => Ok(Some(share)),
            _ => Err(Bad::value(
                format!("{text} is no share"),
                "Write per cent from 1 to 100",
            )),
        },
    }
}

/// `60/10:30/20:10/70`: shares of the I/O, and of the range each of them goes to.
pub(super) fn zones(list: &str) -> Result<Distribution, Bad> {
    let mut access = Vec::new();
    let mut parts = Vec::new();
    for entry in entries(list, MOST_ZONES)? {
        let (share, part) = entry.split_once('/').unwrap_or((entry, ""));
        access.push(access_share(share)?);
        parts.push(share_of(part)?);
    }
    check_access(&access)?;
    let given: u32 = parts.iter().flatten().map(|part| u32::from(*part)).sum();
    if given > 100 {
        return Err(Bad::value(
            format!("the zones take {given} per cent of the range"),
            "Make them 100 in all",
        ));
    }
    if given < 100 && !parts.contains(&None) {
        let why =
            format!("the zones take {given} per cent of the range and leave the rest to nobody");
        return Err(Bad::misleading(
            why,
            "Make them 100 in all, or leave the last one's part empty",
        ));
    }
    fill(&mut parts);
    Ok(Distribution::Zoned(
        access
            .into_iter()
            .zip(parts.into_iter().flatten())
            .collect(),
    ))
}

/// `60/10g:40/90g`: shares of the I/O, and how large the zone is that each of them goes to.
pub(super) fn zones_abs(list: &str, kb_base: i64) -> Result<Distribution, Bad> {
    let mut zones = Vec::new();
    for entry in entries(list, MOST_ZONES)? {
        let (share, size) = entry.split_once('/').unwrap_or((entry, "0"));
        let bytes = match units::bytes(size, kb_base)? {
            Amount::Bytes(bytes) if bytes >= 0 => bytes as u64,
            _ => {
                return Err(Bad::value(
                    format!("{size} is no size of a zone"),
                    "Write 60/10g:40/90g",
                ));
            }
        };
        zones.push((access_share(share)?, bytes));
    }
    check_access(&zones.iter().map(|zone| zone.0).collect::<Vec<u8>>())?;
    Ok(Distribution::ZonedAbs(zones))
}

fn access_share(text: &str) -> Result<u8, Bad> {
    match text.parse::<u8>() {
        Ok(share) if share <= 100 => Ok(share),
        _ => Err(Bad::value(
            format!("{text} is no share of the I/O"),
            "Write per cent from 0 to 100",
        )),
    }
}

fn check_access(shares: &[u8]) -> Result<(), Bad> {
    match shares.iter().map(|share| u32::from(*share)).sum::<u32>() {
        100 => Ok(()),
        sum => Err(Bad::value(
            format!("the shares of the I/O add up to {sum} per cent"),
            "Make them 100 in all",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_that_are_left_out_have_the_rest() {
        let mut draft = Draft::new();
        bssplit(&mut draft, &Value::Text("4k/50:8k/:16k".into())).unwrap();
        assert_eq!(draft.bssplit[0], [(4096, 50), (8192, 25), (16384, 25)]);
        bssplit(&mut draft, &Value::Text("4k/30:8k/70,1m/100".into())).unwrap();
        assert_eq!(draft.bssplit[0], [(4096, 30), (8192, 70)]);
        assert_eq!(
            (&draft.bssplit[1], &draft.bssplit[2]),
            (&vec![(1 << 20, 100)], &vec![(1 << 20, 100)])
        );
        for wrong in [
            "4k/60:8k/60",
            "4k/20:8k/20",
            "0/100",
            "4k/x",
            "a,b,c,d",
            "4k/300",
        ] {
            assert!(
                bssplit(&mut draft, &Value::Text(wrong.into())).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn zones_cover_everything() {
        assert_eq!(
            zones("60/10:30/20:10/"),
            Ok(Distribution::Zoned(vec![(60, 10), (30, 20), (10, 70)]))
        );
        assert_eq!(
            zones_abs("60/1g:40/2g", 1024),
            Ok(Distribution::ZonedAbs(vec![(60, 1 << 30), (40, 2 << 30)]))
        );
        for wrong in ["60/10:30/20", "50/60:50/60", "50/20:50/20", "", "x/y"] {
            assert!(zones(wrong).is_err(), "{wrong}");
        }
    }
}
