//! `--disk-spec`: the figures that storage is sold with.

use model::check::Promise;
use model::units::parse_bytes;

/// clap's parser of `iops=3000,bytes_per_s=125m`: figures alone, in any order.
pub fn parse(text: &str) -> Result<Promise, String> {
    let mut promise = Promise { source: "--disk-spec".into(), ..Promise::default() };
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is not NAME=VALUE"))?;
        let value = value.trim().trim_end_matches("/s");
        let number = value.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
        let number = number.or_else(|| parse_bytes(value).ok().map(|bytes| bytes as f64));
        let number = Some(number.ok_or_else(|| format!("`{value}` is no figure"))?);
        match name.trim() {
            "iops" => promise.iops = number,
            "bytes_per_s" => promise.bytes_per_s = number,
            "burst_iops" => promise.burst_iops = number,
            "burst_bytes_per_s" => promise.burst_bytes_per_s = number,
            "instance_iops" => promise.instance_iops = number,
            "instance_bytes_per_s" => promise.instance_bytes_per_s = number,
            other => {
                return Err(format!(
                    "`{other}` is no figure of a disk; use iops, bytes_per_s, burst_iops, …"
                ));
            }
        }
    }
    let is_empty = promise == Promise { source: "--disk-spec".into(), ..Promise::default() };
    if is_empty { Err("it holds no figure".into()) } else { Ok(promise) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read() {
        let promise = parse("iops=3000, bytes_per_s=125m").unwrap();
        assert_eq!((promise.iops, promise.bytes_per_s), (Some(3000.0), Some(125.0 * 1048576.0)));
        for text in ["", "iops", "iops=x", "colour=3", "iops=-1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
