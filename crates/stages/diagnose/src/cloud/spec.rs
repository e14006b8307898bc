//! `aws:gp3:100GiB:iops=6000`: what a disk was sold as, in one word.

use super::data::builtin;
use super::error::CloudError;
use super::offer::{OfferWish, promise};
use model::check::Promise;
use model::units::parse_bytes;

const GIB: f64 = (1u64 << 30) as f64;

/// What a specification promises: `aws:gp3:100GiB`, `gp3:100GiB:iops=6000:mbps=250`, `azure:P30`,
/// `pl1:366GiB:instance=m5.large`, or plain figures: `iops=5000:bandwidth=200MB`. Sizes are taken as powers of two.
///
/// # Errors
/// A sentence: what is wrong in it and what could stand there.
pub fn promise_of_spec(spec: &str) -> Result<Promise, String> {
    read(spec).map_err(|error| error.to_string())
}

fn read(spec: &str) -> Result<Promise, CloudError> {
    let wrong = |part: &str, why: &str| CloudError::Spec {
        spec: spec.into(),
        part: part.into(),
        why: why.into(),
    };
    let (mut names, mut wish, mut bandwidth) = (Vec::new(), OfferWish::default(), None);
    for part in spec
        .split(':')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let Some((name, value)) = part.split_once('=') else {
            match size_gib(part) {
                Some(size) if !names.is_empty() => wish.size_gib = Some(size),
                _ => names.push(part),
            }
            continue;
        };
        match name {
            "iops" | "mbps" => {
                let number = value
                    .replace(',', "")
                    .parse::<f64>()
                    .ok()
                    .filter(|number| *number > 0.0);
                let number = number.ok_or_else(|| wrong(part, "this is not a number above 0"))?;
                if name == "iops" {
                    wish.iops = Some(number)
                } else {
                    wish.mbps = Some(number)
                }
            }
            "bandwidth" => {
                bandwidth =
                    Some(parse_bytes(value).map_err(|_| wrong(part, "this is not a size"))? as f64);
            }
            "instance" => wish.instance = Some(value.into()),
            _ => {
                return Err(wrong(
                    part,
                    "it must be iops=, mbps=, bandwidth= or instance=",
                ));
            }
        }
    }
    match names[..] {
        [] => figures(spec, &wish, bandwidth),
        _ if bandwidth.is_some() => Err(wrong(
            "bandwidth",
            "a type takes mbps=, in its provider's own unit",
        )),
        _ => {
            wish.kind = names.join(":");
            promise(builtin(), &wish)
        }
    }
}

/// Figures without a type.
fn figures(spec: &str, wish: &OfferWish, bandwidth: Option<f64>) -> Result<Promise, CloudError> {
    let bytes_per_s = bandwidth.or(wish.mbps.map(|mbps| mbps * 1e6));
    if wish.iops.is_none() && bytes_per_s.is_none() {
        let why =
            "name a type and a size (aws:gp3:100GiB) or figures (iops=5000:bandwidth=200m)".into();
        return Err(CloudError::Spec {
            spec: spec.into(),
            part: spec.into(),
            why,
        });
    }
    let source = "as it was given on the command line".into();
    Ok(Promise {
        iops: wish.iops,
        bytes_per_s,
        source,
        ..Promise::default()
    })
}

/// A part that is a size: a number with a unit of bytes.
fn size_gib(part: &str) -> Option<f64> {
    let is_size = part.starts_with(|c: char| c.is_ascii_digit())
        && part.ends_with(|c: char| c.is_ascii_alphabetic());
    let bytes = is_size.then(|| parse_bytes(part).ok()).flatten()?;
    Some(bytes as f64 / GIB)
}
