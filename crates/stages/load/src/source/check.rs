//! What the stream of a job cannot do, said before anything is touched.

use crate::{LoadError, data};
use model::job::{BlockSize, Distribution, Job};

/// Most files of one owner: an I/O names its file in 16 bits.
const MAX_FILES: u32 = 1 << 16;

/// Checks everything that decides where, how much and what.
pub fn job(job: &Job) -> Result<(), LoadError> {
    sizes(job)?;
    distribution(&job.distribution)?;
    if job.files.count() > MAX_FILES {
        return usage(
            format!("--nrfiles={}", job.files.count()),
            format!("a job can have {MAX_FILES} files"),
            "Use more jobs with fewer files each",
        );
    }
    if job.percentage_random > 100 {
        let what = format!("--percentage_random={}", job.percentage_random);
        return usage(
            what,
            "it is a share in per cent",
            "Choose a value from 0 to 100",
        );
    }
    if job.verify.is_some() && data::interval_bytes(job) < data::LEAST_INTERVAL {
        return usage(
            "--verify=crc32c",
            format!(
                "the block sizes and places have no common multiple of {} bytes, and each such part needs a header",
                data::LEAST_INTERVAL
            ),
            "Use block sizes, a stride and a blockalign that are multiples of 512",
        );
    }
    Ok(())
}

/// What offsets and lengths of the job are all multiples of, bytes: what direct I/O asks about.
pub fn grain(job: &Job) -> u64 {
    data::unit_bytes(job)
}

fn sizes(job: &Job) -> Result<(), LoadError> {
    let sizes = job.sizes();
    for size in [&sizes.read, &sizes.write, &sizes.trim] {
        if size.min() == 0 || size.min() > size.max() {
            return usage(
                format!("--bs of {} to {} bytes", size.min(), size.max()),
                "a block has at least one byte, and a range goes upwards",
                "Give the smaller size first",
            );
        }
        if let BlockSize::Split(parts) = size
            && parts.iter().map(|part| u32::from(part.1)).sum::<u32>() != 100
        {
            return usage(
                "--bssplit",
                "its shares do not add up to 100",
                "Correct the shares",
            );
        }
    }
    Ok(())
}

fn distribution(distribution: &Distribution) -> Result<(), LoadError> {
    let wrong =
        |what: String, why: &str| usage(what, why, "See random_distribution in fio's manual");
    match distribution {
        Distribution::Random => Ok(()),
        Distribution::Zipf(theta) if *theta > 0.0 && theta.is_finite() => Ok(()),
        Distribution::Zipf(theta) => wrong(format!("zipf:{theta}"), "theta must be larger than 0"),
        Distribution::Pareto(h) if *h > 0.0 && *h < 1.0 => Ok(()),
        Distribution::Pareto(h) => {
            wrong(format!("pareto:{h}"), "the power must be between 0 and 1")
        }
        Distribution::Normal(deviation) if *deviation > 0.0 && deviation.is_finite() => Ok(()),
        Distribution::Normal(deviation) => wrong(
            format!("normal:{deviation}"),
            "the deviation must be larger than 0",
        ),
        Distribution::Zoned(zones) => {
            let shares = zones.iter().map(|zone| u32::from(zone.0)).sum::<u32>();
            let places = zones.iter().map(|zone| u32::from(zone.1)).sum::<u32>();
            if shares == 100 && places == 100 {
                return Ok(());
            }
            wrong(
                format!("zoned, {shares} % of the I/O on {places} %"),
                "both must add up to 100",
            )
        }
        Distribution::ZonedAbs(zones) => {
            match zones.iter().map(|zone| u32::from(zone.0)).sum::<u32>() {
                100 => Ok(()),
                shares => wrong(
                    format!("zoned_abs, {shares} % of the I/O"),
                    "the shares must add up to 100",
                ),
            }
        }
    }
}

fn usage<T>(
    what: impl Into<String>,
    why: impl Into<String>,
    advice: impl Into<String>,
) -> Result<T, LoadError> {
    Err(LoadError::usage(what, why, advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::{PerDirection, Verify, VerifyMethod};

    #[test]
    fn nonsense_is_named() {
        let sizes = |size| Job {
            block_sizes: Some(PerDirection::all(size)),
            ..Job::default()
        };
        let random = |distribution| Job {
            distribution,
            ..Job::default()
        };
        let verify = Verify {
            method: VerifyMethod::Crc32c,
            interval: 0,
            read_back: true,
            fatal: false,
        };
        let cases = [
            (sizes(BlockSize::Range(8192, 4096)), "a range goes upwards"),
            (
                sizes(BlockSize::Split(vec![(4096, 50), (8192, 40)])),
                "do not add up to 100",
            ),
            (
                random(Distribution::Zipf(0.0)),
                "theta must be larger than 0",
            ),
            (random(Distribution::Pareto(1.0)), "between 0 and 1"),
            (random(Distribution::Normal(-1.0)), "larger than 0"),
            (
                random(Distribution::Zoned(vec![(60, 10), (30, 90)])),
                "90 % of the I/O on 100 %",
            ),
            (
                random(Distribution::ZonedAbs(vec![(60, 10), (30, 90)])),
                "90 % of the I/O",
            ),
            (
                Job {
                    percentage_random: 101,
                    ..Job::default()
                },
                "a share in per cent",
            ),
            (
                Job {
                    bs: 4096,
                    rw_stride: 17,
                    rw: model::job::Rw::Write,
                    verify: Some(verify),
                    ..Job::default()
                },
                "header",
            ),
        ];
        for (wrong, wanted) in cases {
            let error = job(&wrong).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
        assert!(job(&random(Distribution::Zoned(vec![(60, 10), (40, 90)]))).is_ok());
        assert!(
            job(&Job {
                verify: Some(verify),
                ..Job::default()
            })
            .is_ok()
        );
    }
}
