//! The corrected job: every fix of every finding made, and the job said again in fio's words.

use model::finding::{Finding, Fix};
use model::job::{Arrivals, Buffers, Section};
use model::units::parse_bytes;

/// The sections with the fixes of the findings made. Where two findings want different values for one option, the
/// first and therefore worse one has its way.
pub fn corrected(sections: &[Section], findings: &[Finding]) -> Vec<Section> {
    let mut sections = sections.to_vec();
    for section in &mut sections {
        let mut done: Vec<String> = Vec::new();
        let here =
            |finding: &&Finding| finding.section.is_empty() || finding.section == section.name;
        let fixes: Vec<&Fix> = findings
            .iter()
            .filter(here)
            .flat_map(|finding| &finding.fixes)
            .collect();
        for fix in fixes {
            if !done.contains(&fix.option) {
                apply(section, fix);
                done.push(fix.option.clone());
            }
        }
    }
    sections
}

/// The options of the sections as words for a command line. Of a job in iodyno's own words there are only the fixes.
pub fn words(sections: &[Section]) -> Vec<String> {
    let of = |section: &Section| -> Vec<String> {
        section
            .given
            .iter()
            .map(|(name, value, _)| word(name, value))
            .collect()
    };
    sections.iter().flat_map(of).collect()
}

/// fio's options without a value are flags.
fn word(name: &str, value: &str) -> String {
    match value {
        "" => format!("-{name}"),
        value if value.contains(' ') => format!("-{name}='{value}'"),
        value => format!("-{name}={value}"),
    }
}

/// Makes one fix; false for an option that nothing here knows, which is a mistake in a rule.
pub(super) fn apply(section: &mut Section, fix: &Fix) -> bool {
    let known = set(section, &fix.option, fix.value.as_deref());
    if known {
        say(section, fix);
    }
    known
}

/// Keeps what is said about the job in step with it: `buffered` is `direct`, said the other way round.
fn say(section: &mut Section, fix: &Fix) {
    let position = section
        .option(&fix.option)
        .map(|(_, position)| position.clone())
        .unwrap_or_default();
    let first = section
        .given
        .iter()
        .position(|(name, ..)| *name == fix.option);
    let is_gone = |name: &str| name == fix.option || (fix.option == "direct" && name == "buffered");
    section.job.handed_on.retain(|(name, _)| !is_gone(name));
    section.given.retain(|(name, ..)| !is_gone(name));
    if let Some(value) = &fix.value {
        let at = first
            .unwrap_or(section.given.len())
            .min(section.given.len());
        section
            .given
            .insert(at, (fix.option.clone(), value.clone(), position));
    }
}

fn set(section: &mut Section, option: &str, value: Option<&str>) -> bool {
    let job = &mut section.job;
    let text = value.unwrap_or_default();
    let flag = text == "1";
    let count = text.parse::<u32>();
    let bytes = parse_bytes(text).unwrap_or(0);
    match option {
        "ioengine" => job.set_effective_engine(text),
        "direct" => job.direct = flag,
        "numjobs" => job.numjobs = count.unwrap_or(1),
        "iodepth" => job.iodepth = count.unwrap_or(1),
        "iodepth_batch_complete_min" => job.iodepth_batch_complete_min = count.unwrap_or(0),
        "bs" => {
            job.bs = bytes;
            job.block_sizes = None;
        }
        "size" => {
            job.size = bytes;
            job.size_percent = 0;
        }
        "offset" => job.offset = bytes,
        "offset_increment" => job.offset_increment = bytes,
        "time_based" => job.time_based = flag,
        "end_fsync" => job.end_fsync = flag,
        "open_loop" => job.open_loop = flag,
        "randrepeat" => job.randrepeat = flag,
        "norandommap" => job.norandommap = flag,
        "invalidate" => job.invalidate = value.is_none() || flag,
        "ramp_time" => job.ramp_ms = model::units::parse_duration_ms(text).unwrap_or(0),
        "runtime" => job.runtime_ms = model::units::parse_duration_ms(text).unwrap_or(0),
        "cpus_allowed" => job.cpus_allowed.clear(),
        "numa_cpu_nodes" => job.numa_nodes = count.into_iter().collect(),
        "zero_buffers" | "buffer_compress_percentage" => job.buffers = Buffers::Random,
        "rate_process" => {
            job.arrivals = if text == "poisson" {
                Arrivals::Poisson
            } else {
                Arrivals::Linear
            }
        }
        "new_group" => section.new_group = flag,
        // Known to other engines, or without a place in the job.
        "gtod_reduce"
        | "disable_clat"
        | "disable_lat"
        | "ioscheduler"
        | "allow_mounted_write"
        | "rwmixread"
        | "rwmixwrite"
        | "log_avg_msec" => {}
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{With, warning, wrong};
    use model::job::{Job, Position};

    fn section() -> Section {
        let given = |name: &str, value: &str, line| {
            (
                name.to_string(),
                value.to_string(),
                Position {
                    source: String::new(),
                    line,
                },
            )
        };
        Section {
            name: "db".into(),
            job: Job {
                direct: false,
                iodepth: 64,
                ..Job::default()
            },
            given: vec![
                given("direct", "1", 1),
                given("buffered", "1", 2),
                given("iodepth", "64", 3),
                given("thread", "", 4),
            ],
            ..Section::default()
        }
    }

    #[test]
    fn job_and_words_change_together() {
        let finding = wrong("db", "x")
            .set("direct", 1)
            .drop_option("gtod_reduce")
            .set("end_fsync", 1);
        let fixed = corrected(&[section()], &[finding]);
        assert!(fixed[0].job.direct && fixed[0].job.end_fsync);
        assert_eq!(
            words(&fixed),
            ["-direct=1", "-iodepth=64", "-thread", "-end_fsync=1"]
        );
    }

    #[test]
    fn the_worse_finding_has_its_way_and_other_sections_are_left() {
        let findings = [
            wrong("db", "x").set("iodepth", 8),
            warning("", "y").set("iodepth", 4),
        ];
        let other = Section {
            name: "log".into(),
            ..section()
        };
        let fixed = corrected(&[section(), other], &findings);
        assert_eq!((fixed[0].job.iodepth, fixed[1].job.iodepth), (8, 4));
    }

    #[test]
    fn behind_fio_it_is_fios_own_engine_that_changes_and_what_is_dropped_is_not_handed_on() {
        let mut section = section();
        section.job.ioengine = "fio".into();
        section
            .job
            .engine_options
            .insert("ioengine".into(), "psync".into());
        section.job.handed_on = vec![
            ("ioscheduler".into(), "bfq".into()),
            ("zonemode".into(), "strided".into()),
        ];
        let finding = wrong("db", "x")
            .set("ioengine", "libaio")
            .drop_option("ioscheduler");
        let fixed = corrected(&[section], &[finding]).remove(0);
        assert_eq!(
            (fixed.job.ioengine.as_str(), fixed.job.effective_engine()),
            ("fio", "libaio")
        );
        assert_eq!(
            fixed.job.handed_on,
            [("zonemode".to_string(), "strided".to_string())]
        );
        assert!(words(&[fixed]).contains(&"-ioengine=libaio".to_string()));
    }

    #[test]
    fn an_unknown_option_changes_nothing() {
        let mut section = section();
        let before = section.clone();
        assert!(!apply(
            &mut section,
            &Fix {
                option: "no_such".into(),
                value: Some("1".into())
            }
        ));
        assert_eq!(section, before);
    }
}
