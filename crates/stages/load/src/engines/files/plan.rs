//! The shape of a tree: how many files, where, how large, and what is done with them. All of it follows from numbers.

use crate::LoadError;
use crate::options::Options;
use model::job::Job;
use model::units;
use stats::dice::mix64;
use std::fmt::Write;

/// Bytes that even the smallest file or directory takes on most file systems.
const BLOCK_BYTES: u64 = 4096;

/// How large files are, bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum FileSize {
    /// All alike.
    Fixed(u64),
    /// From the first to the last size, all equally likely.
    Range(u64, u64),
    /// The median, and the standard deviation of the logarithm.
    Lognormal(u64, f64),
}

/// A tree and what is to be done with it.
#[derive(Clone, Debug, PartialEq)]
pub struct FilesPlan {
    /// Files of each job.
    pub files: u64,
    /// Directories in each directory.
    pub dirs: u64,
    /// Levels of directories.
    pub depth: u32,
    /// Sizes.
    pub filesize: FileSize,
    /// Phases besides creating.
    pub stat: bool,
    /// Whether files are read.
    pub read: bool,
    /// Whether files are renamed.
    pub rename: bool,
    /// Whether deleting is measured; removed they are in any case.
    pub delete: bool,
    /// Whether each file is made durable.
    pub fsync: bool,
    /// Passes of reading without a runtime.
    pub epochs: u64,
    /// Whether all jobs use the same directories.
    pub shared: bool,
    /// Whether pages are dropped before a file is read.
    pub invalidate: bool,
}

const OPTIONS: [&str; 9] = [
    "files",
    "dirs",
    "depth",
    "filesize",
    "phases",
    "fsync",
    "epochs",
    "shared",
    "invalidate",
];

impl FilesPlan {
    /// From the options of a job.
    pub fn of(job: &Job) -> Result<FilesPlan, LoadError> {
        let options = Options::of(job, "files", &OPTIONS)?;
        let phases = options.text("phases").unwrap_or("create,stat,read,delete");
        let phases: Vec<&str> = phases.split(',').map(str::trim).collect();
        let known = ["create", "stat", "read", "rename", "delete"];
        if let Some(word) = phases.iter().find(|word| !known.contains(word)) {
            let advice = format!("Choose out of {}", known.join(","));
            return Err(options.wrong("phases", word, "there is no such phase", &advice));
        }
        let plan = FilesPlan {
            files: options.number("files", 10_000, 1, 1 << 40)?,
            dirs: options.number("dirs", 100, 1, 1_000_000)?,
            depth: options.number("depth", 1, 0, 8)? as u32,
            filesize: filesize(&options)?,
            stat: phases.contains(&"stat"),
            read: phases.contains(&"read"),
            rename: phases.contains(&"rename"),
            delete: phases.contains(&"delete"),
            fsync: options.flag("fsync", false)?,
            epochs: options.number("epochs", 1, 1, 1 << 32)?,
            shared: options.flag("shared", false)?,
            invalidate: options.flag("invalidate", job.invalidate)?,
        };
        if u128::from(plan.dirs).pow(plan.depth) > 10_000_000 {
            let text = format!("{} with depth={}", plan.dirs, plan.depth);
            return Err(options.wrong(
                "dirs",
                &text,
                "that makes more than 10,000,000 directories",
                "Ask for fewer",
            ));
        }
        Ok(plan)
    }

    /// Directories of the lowest level.
    pub fn leaves(&self) -> u64 {
        self.dirs.pow(self.depth)
    }

    /// All directories of one tree, of each level.
    pub fn directories(&self) -> u64 {
        (1..=self.depth).map(|level| self.dirs.pow(level)).sum()
    }

    /// Writes the path of a directory: the `index`-th of its level.
    pub fn directory(&self, path: &mut String, prefix: &str, level: u32, index: u64) {
        path.clear();
        path.push_str(prefix);
        for above in (0..level).rev() {
            let digit = index / self.dirs.pow(above) % self.dirs;
            separate(path);
            // Writing to a string cannot fail.
            let _ = write!(path, "d{digit:x}");
        }
    }

    /// Writes the path of a file: the `index`-th of `of` in one tree. Neighbours share a directory.
    pub fn file(&self, path: &mut String, prefix: &str, kind: char, index: u64, of: u64) {
        let leaf = (u128::from(index) * u128::from(self.leaves()) / u128::from(of.max(1))) as u64;
        self.directory(path, prefix, self.depth, leaf);
        separate(path);
        let _ = write!(path, "{kind}{index:x}");
    }

    /// Size of a file, bytes; the same for the same number and seed.
    pub fn size_of(&self, index: u64, seed: u64) -> u64 {
        let chance = |salt: u64| mix64(seed ^ mix64(index ^ salt << 56));
        match self.filesize {
            FileSize::Fixed(bytes) => bytes,
            FileSize::Range(least, most) => least + chance(1) % (most - least + 1),
            FileSize::Lognormal(median, sigma) => {
                // Box and Muller: two even numbers make a normal one.
                let even = |salt| (chance(salt) >> 11) as f64 / (1u64 << 53) as f64;
                let radius = (-2.0 * (1.0 - even(1)).ln()).sqrt();
                let normal = radius * (std::f64::consts::TAU * even(2)).cos();
                ((median as f64 * (sigma * normal).exp()) as u64).min(median.saturating_mul(64))
            }
        }
    }

    /// Bytes on disk of a file on average, from a sample: each takes whole blocks.
    pub fn mean_block_bytes(&self, seed: u64) -> f64 {
        let sample = self.files.min(20_000);
        let sum: u128 = (0..sample)
            .map(|index| u128::from(self.size_of(index, seed).next_multiple_of(BLOCK_BYTES)))
            .sum();
        sum as f64 / sample as f64
    }

    /// Bytes and inodes that `jobs` jobs will take.
    pub fn needs(&self, jobs: u64, seed: u64) -> (u64, u64) {
        let trees = if self.shared { 1 } else { jobs };
        let (files, directories) = (self.files * jobs, self.directories() * trees + jobs + 1);
        let bytes = files as f64 * self.mean_block_bytes(seed) + (directories * BLOCK_BYTES) as f64;
        // A directory entry of a short name takes some 32 bytes; extents and indexes are of that size too.
        (bytes as u64 + files * 64, files + directories + 1)
    }

    /// For people.
    pub fn description(&self, jobs: u32) -> String {
        let sizes = match self.filesize {
            FileSize::Fixed(bytes) => units::bytes(bytes as f64),
            FileSize::Range(least, most) => {
                format!(
                    "{} to {}",
                    units::bytes(least as f64),
                    units::bytes(most as f64)
                )
            }
            FileSize::Lognormal(median, sigma) => {
                format!(
                    "{} in the median (lognormal, sigma {sigma})",
                    units::bytes(median as f64)
                )
            }
        };
        let whose = if self.shared || jobs == 1 {
            ""
        } else {
            " for each job"
        };
        format!(
            "files: {} of {sizes} for each of {jobs} job(s), in {} directories{whose}, fsync {}",
            self.files,
            self.leaves(),
            if self.fsync { "each" } else { "none" }
        )
    }
}

fn separate(path: &mut String) {
    if !path.is_empty() {
        path.push('/');
    }
}

fn filesize(options: &Options<'_>) -> Result<FileSize, LoadError> {
    const LARGEST: u64 = 1 << 34;
    let name = "filesize";
    let Some(text) = options.text(name) else {
        return Ok(FileSize::Fixed(4096));
    };
    let wrong = |why: &str| options.wrong(name, text, why, "Give 4k, 1k-64k or lognormal:110k:0.8");
    let size = if let Some(rest) = text.strip_prefix("lognormal:") {
        let (median, sigma) = rest
            .split_once(':')
            .ok_or_else(|| wrong("its sigma is missing"))?;
        let sigma: f64 = sigma.parse().map_err(|_| wrong("sigma is no number"))?;
        if !(0.0..=4.0).contains(&sigma) {
            return Err(wrong("sigma must be from 0 to 4"));
        }
        FileSize::Lognormal(options.bytes(name, median)?, sigma)
    } else if let Some((least, most)) = text.split_once('-') {
        FileSize::Range(options.bytes(name, least)?, options.bytes(name, most)?)
    } else {
        FileSize::Fixed(options.bytes(name, text)?)
    };
    match size {
        FileSize::Range(least, most) if least > most => {
            Err(wrong("the range ends before it begins"))
        }
        FileSize::Fixed(most) | FileSize::Range(_, most) | FileSize::Lognormal(most, _)
            if most > LARGEST =>
        {
            Err(wrong("files of more than 16 GiB are not small"))
        }
        size => Ok(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn plan(options: &[(&str, &str)]) -> Result<FilesPlan, LoadError> {
        let engine_options = options
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        FilesPlan::of(&Job {
            engine_options,
            ..Job::default()
        })
    }

    #[test]
    fn every_file_has_a_name_of_its_own_and_directories_are_filled_evenly() {
        let plan = plan(&[("files", "1000"), ("dirs", "3"), ("depth", "2")]).unwrap();
        assert_eq!((plan.leaves(), plan.directories()), (9, 12));
        let (mut path, mut names, mut used) = (String::new(), HashSet::new(), HashSet::new());
        for index in 0..1000 {
            plan.file(&mut path, "j0", 'f', index, 1000);
            used.insert(path.rsplit_once('/').unwrap().0.to_string());
            assert!(names.insert(path.clone()), "{path} twice");
        }
        assert_eq!(path, "j0/d2/d2/f3e7");
        let made: HashSet<String> = (0..9)
            .map(|index| {
                plan.directory(&mut path, "j0", 2, index);
                path.clone()
            })
            .collect();
        assert_eq!(used, made);
        let flat = super::tests::plan(&[("depth", "0")]).unwrap();
        flat.file(&mut path, "", 'r', 17, 100);
        assert_eq!(path, "r11");
    }

    #[test]
    fn sizes_are_as_asked_for() {
        let range = plan(&[("filesize", "1k-64k")]).unwrap();
        let sizes: Vec<u64> = (0..10_000).map(|index| range.size_of(index, 7)).collect();
        assert!(sizes.iter().all(|size| (1024..=65536).contains(size)));
        let mean = sizes.iter().sum::<u64>() as f64 / 1e4;
        assert!((mean / 33_280.0 - 1.0).abs() < 0.03, "{mean}");
        assert_eq!(
            range.size_of(5, 7),
            sizes[5],
            "the same number has the same size"
        );
        let data = plan(&[("filesize", "lognormal:110k:0.8")]).unwrap();
        let mut sizes: Vec<u64> = (0..10_000).map(|index| data.size_of(index, 7)).collect();
        sizes.sort_unstable();
        let quantile = |share: f64| sizes[(share * 1e4) as usize] as f64;
        assert!(
            (quantile(0.5) / (110.0 * 1024.0) - 1.0).abs() < 0.05,
            "{}",
            quantile(0.5)
        );
        let deviation = (quantile(0.8413) / quantile(0.5)).ln();
        assert!((deviation - 0.8).abs() < 0.05, "{deviation}");
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let said = |name: &str, value: &str| plan(&[(name, value)]).unwrap_err().to_string();
        assert!(said("filesize", "64k-1k").contains("ends before it begins"));
        assert!(said("filesize", "lognormal:1k").contains("sigma is missing"));
        assert!(said("filesize", "1t").contains("not small"));
        assert!(said("phases", "create,chmod").contains("no such phase"));
        assert!(said("depth", "9").contains("from 0 to 8"));
        assert!(
            plan(&[("dirs", "1000"), ("depth", "3")])
                .unwrap_err()
                .to_string()
                .contains("10,000,000")
        );
    }

    #[test]
    fn what_it_takes_is_known_before() {
        let plan = plan(&[("files", "1000"), ("filesize", "5k"), ("dirs", "10")]).unwrap();
        let (bytes, inodes) = plan.needs(2, 1);
        assert_eq!(inodes, 2 * 1000 + 2 * 10 + 2 + 1 + 1);
        assert!(
            (2 * 1000 * 8192..2 * 1000 * 8192 + 400_000).contains(&bytes),
            "{bytes}"
        );
    }
}
