//! `--sweep OPTION=VALUES`: reading the lists, and the grid of jobs they span.

use crate::exit::Failure;
use model::curve::{Axis, CurveSetting};
use model::job::{Job, PerDirection, Rate, Rw, Section};
use model::units::parse_bytes;

/// Most points of a grid: more cannot be visited often enough to say anything.
const MOST_POINTS: usize = 10_000;

/// An option that can be swept.
struct Swept {
    option: &'static str,
    wanted: &'static str,
    /// Reads a value as a number, for options that can have a range.
    number: Option<fn(&str) -> Option<u64>>,
    /// Puts the value into the job; the value in fio's spelling, or none when it is not one.
    put: fn(&mut Job, &str) -> Option<String>,
}

const OPTIONS: &[Swept] = &[
    Swept {
        option: "iodepth",
        wanted: "a number from 1 on",
        number: Some(whole),
        put: iodepth,
    },
    Swept {
        option: "bs",
        wanted: "a size such as 4k or 1m",
        number: Some(size),
        put: bs,
    },
    Swept {
        option: "numjobs",
        wanted: "a number from 1 on",
        number: Some(whole),
        put: numjobs,
    },
    Swept {
        option: "rw",
        wanted: "read, write, randread, randwrite, rw or randrw",
        number: None,
        put: rw,
    },
    Swept {
        option: "rwmixread",
        wanted: "a share from 0 to 100",
        number: None,
        put: rwmixread,
    },
    Swept {
        option: "rate_iops",
        wanted: "I/Os per second, from 1 on",
        number: Some(whole),
        put: rate_iops,
    },
    Swept {
        option: "ioengine",
        wanted: "an engine that `iodyno catalogue` lists",
        number: None,
        put: ioengine,
    },
    Swept {
        option: "direct",
        wanted: "0 or 1",
        number: None,
        put: direct,
    },
];

fn whole(text: &str) -> Option<u64> {
    text.parse()
        .ok()
        .filter(|number| (1..=u64::from(u32::MAX)).contains(number))
}

fn size(text: &str) -> Option<u64> {
    parse_bytes(text).ok().filter(|bytes| *bytes > 0)
}

fn iodepth(job: &mut Job, text: &str) -> Option<String> {
    job.iodepth = whole(text)? as u32;
    Some(job.iodepth.to_string())
}

fn numjobs(job: &mut Job, text: &str) -> Option<String> {
    job.numjobs = whole(text)? as u32;
    Some(job.numjobs.to_string())
}

fn bs(job: &mut Job, text: &str) -> Option<String> {
    job.bs = size(text)?;
    job.block_sizes = None;
    Some(size_text(job.bs))
}

fn size_text(bytes: u64) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{}m", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{}k", bytes >> 10),
        _ => bytes.to_string(),
    }
}

fn rw(job: &mut Job, text: &str) -> Option<String> {
    job.rw = Rw::from_word(text).filter(|rw| !rw.trims())?;
    Some(job.rw.word().into())
}

fn rwmixread(job: &mut Job, text: &str) -> Option<String> {
    job.rwmixread = text.parse().ok().filter(|share| *share <= 100)?;
    Some(job.rwmixread.to_string())
}

fn rate_iops(job: &mut Job, text: &str) -> Option<String> {
    job.rates = PerDirection::all(Rate::Iops(whole(text)?));
    Some(text.into())
}

fn ioengine(job: &mut Job, text: &str) -> Option<String> {
    job.ioengine = load::Engine::find(text)?.id.into();
    Some(text.into())
}

fn direct(job: &mut Job, text: &str) -> Option<String> {
    job.direct = match text {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    Some(text.into())
}

/// The grid of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// What is varied.
    pub axes: Vec<Axis>,
    /// All points, the last axis varying fastest.
    pub points: Vec<GridPoint>,
}

/// One point: its place on the axes, and its job.
#[derive(Clone, Debug, PartialEq)]
pub struct GridPoint {
    /// A value for each axis.
    pub settings: Vec<CurveSetting>,
    /// The job.
    pub job: Job,
}

impl Grid {
    /// From the texts of all `--sweep` options.
    pub fn parse(texts: &[String], job: &Job) -> Result<Grid, Failure> {
        let mut grid = Grid {
            axes: Vec::new(),
            points: vec![GridPoint {
                settings: vec![],
                job: job.clone(),
            }],
        };
        for text in texts {
            grid.vary(text)
                .map_err(|why| Failure::usage(format!("--sweep {text}: {why}")))?;
        }
        Ok(grid)
    }

    fn vary(&mut self, text: &str) -> Result<(), String> {
        let (option, list) = text
            .split_once('=')
            .ok_or("it is OPTION=VALUES, for example iodepth=1,4,16")?;
        let option = option.trim().trim_start_matches('-');
        let swept = OPTIONS
            .iter()
            .find(|swept| swept.option == option)
            .ok_or_else(|| {
                let known: Vec<&str> = OPTIONS.iter().map(|swept| swept.option).collect();
                format!(
                    "`{option}` cannot be swept; these can: {}",
                    known.join(", ")
                )
            })?;
        if self.axes.iter().any(|axis| axis.option == option) {
            return Err(format!(
                "{option} is swept already; give all its values in one list"
            ));
        }
        let mut values: Vec<String> = Vec::new();
        for word in words(list, swept)? {
            let value = (swept.put)(&mut self.points[0].job.clone(), &word)
                .ok_or_else(|| format!("`{word}` is not {}", swept.wanted))?;
            if values.contains(&value) {
                return Err(format!("{value} is given twice"));
            }
            values.push(value);
        }
        if values.len() * self.points.len() > MOST_POINTS {
            return Err(format!(
                "the grid has more than {MOST_POINTS} points; give fewer values"
            ));
        }
        self.points = self
            .points
            .iter()
            .flat_map(|point| spread(point, swept, &values))
            .collect();
        self.axes.push(Axis {
            option: option.into(),
            values,
        });
        Ok(())
    }

    /// The points as sections of a job, each named by its values: `numjobs=50`.
    pub fn sections(&self, of: &Section) -> Vec<Section> {
        let section = |point: &GridPoint| {
            let mut section = Section {
                job: point.job.clone(),
                ..of.clone()
            };
            let values = point.settings.iter();
            let values: Vec<String> = values
                .map(|one| format!("{}={}", one.option, one.value))
                .collect();
            section.name = values.join(" ");
            section
        };
        self.points.iter().map(section).collect()
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }
}

/// A point for each value.
fn spread(point: &GridPoint, swept: &Swept, values: &[String]) -> Vec<GridPoint> {
    let one = |value: &String| {
        let mut point = point.clone();
        // The value was read once already, so that it is one is known.
        (swept.put)(&mut point.job, value);
        point.settings.push(CurveSetting {
            option: swept.option.into(),
            value: value.clone(),
        });
        point
    };
    values.iter().map(one).collect()
}

/// The words of a list: `1,4,16`, `1..256` in doublings, `1,2,4,…,256`.
fn words(list: &str, swept: &Swept) -> Result<Vec<String>, String> {
    let parts: Vec<&str> = list.split(',').map(str::trim).collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Err("a value is empty; give them as 1,4,16".into());
    }
    let mut words: Vec<String> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if matches!(*part, "…" | "...") {
            let neighbours = (words.last().cloned(), parts.get(index + 1));
            let (Some(first), Some(last)) = neighbours else {
                return Err(format!(
                    "`{part}` stands between two values, as in 1,2,…,256"
                ));
            };
            let between = doublings(&first, last, swept)?;
            words.extend(between[1..between.len() - 1].iter().cloned());
        } else if let Some((first, last)) = part.split_once("..") {
            words.extend(doublings(first, last, swept)?);
        } else {
            words.push(part.to_string());
        }
    }
    Ok(words)
}

/// From the first to the last in doublings; the last is there even where doubling passes it by.
fn doublings(first: &str, last: &str, swept: &Swept) -> Result<Vec<String>, String> {
    let number = swept.number.ok_or_else(|| {
        format!(
            "{} has no range; list its values ({})",
            swept.option, swept.wanted
        )
    })?;
    let read = |text: &str| number(text).ok_or_else(|| format!("`{text}` is not {}", swept.wanted));
    let (from, to) = (read(first)?, read(last)?);
    if from >= to {
        return Err(format!("the range {first}..{last} does not rise"));
    }
    let steps = std::iter::successors(Some(from), |value| value.checked_mul(2))
        .take_while(|value| *value < to);
    Ok(steps.chain([to]).map(|value| value.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        Grid::parse(&[text.into()], &Job::default())
            .unwrap()
            .axes
            .remove(0)
            .values
    }

    fn refusal(texts: &[&str]) -> String {
        let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
        Grid::parse(&texts, &Job::default()).unwrap_err().message
    }

    #[test]
    fn lists_ranges_and_dots() {
        assert_eq!(values("iodepth=1,4,16"), ["1", "4", "16"]);
        assert_eq!(values("iodepth=1..16"), ["1", "2", "4", "8", "16"]);
        assert_eq!(
            values("iodepth=1,2,4,…,32"),
            ["1", "2", "4", "8", "16", "32"]
        );
        assert_eq!(
            values("numjobs=1,...,6"),
            ["1", "2", "4", "6"],
            "the last is always there"
        );
        assert_eq!(values("bs=4k..64k"), ["4k", "8k", "16k", "32k", "64k"]);
        assert_eq!(values("bs=512,1m, 3k"), ["512", "1m", "3k"]);
        assert_eq!(values("--rw=randread,randwrite"), ["randread", "randwrite"]);
        assert_eq!(values("iodepth=1..4,100"), ["1", "2", "4", "100"]);
    }

    #[test]
    fn a_grid_has_every_combination_and_its_job() {
        let texts = [
            "iodepth=1,8",
            "bs=4k,16k",
            "rate_iops=500",
            "direct=0",
            "rwmixread=70",
            "rw=randrw",
        ];
        let grid = Grid::parse(&texts.map(String::from), &Job::default()).unwrap();
        assert_eq!(grid.len(), 4);
        let of = |point: &GridPoint| (point.job.iodepth, point.job.bs);
        assert_eq!(
            grid.points.iter().map(of).collect::<Vec<_>>(),
            [(1, 4096), (1, 16384), (8, 4096), (8, 16384)]
        );
        let job = &grid.points[3].job;
        assert_eq!(job.rates.read, Rate::Iops(500));
        assert!(!job.direct && job.rwmixread == 70 && job.rw == Rw::Randrw);
        assert_eq!(
            grid.points[3].settings[1],
            CurveSetting {
                option: "bs".into(),
                value: "16k".into()
            }
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (texts, words) in [
            (&["iodepth"][..], &["OPTION=VALUES"][..]),
            (&["iodepth="], &["empty"]),
            (&["iodepth=1,,4"], &["empty"]),
            (&["iodepth=0"], &["`0`", "from 1 on"]),
            (&["iodepth=deep"], &["deep"]),
            (&["iodepth=8..2"], &["8..2", "rise"]),
            (&["iodepth=..8"], &["``"]),
            (&["iodepth=…,8"], &["stands between"]),
            (&["iodepth=1,1"], &["twice"]),
            (&["iodepth=1", "iodepth=2"], &["already"]),
            (&["scheduler=none"], &["scheduler", "iodepth, bs, numjobs"]),
            (&["size=1g"], &["size"]),
            (&["rw=sideways"], &["sideways", "randread"]),
            (&["rw=read..write"], &["no range"]),
            (&["ioengine=warp"], &["warp", "catalogue"]),
            (&["direct=2"], &["0 or 1"]),
            (&["rwmixread=101"], &["100"]),
            (&["bs=4x"], &["4x"]),
        ] {
            let message = refusal(texts);
            for word in words {
                assert!(message.contains(word), "{texts:?}: {message}");
            }
        }
        let many: Vec<String> = (1..200).map(|depth| depth.to_string()).collect();
        let many = many.join(",");
        assert!(
            refusal(&[&format!("iodepth={many}"), &format!("numjobs={many}")]).contains("10000")
        );
    }
}
