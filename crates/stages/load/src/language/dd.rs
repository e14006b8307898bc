//! Lines of dd and cp: one stream, through the page cache unless it says otherwise.

use super::draft::GivenOptions;
use super::error::{Bad, LanguageError};
use super::pasted::{PastedLine, Word};
use super::{Parsed, Unsupported};
use model::job::{Buffers, Fallocate, FileSet, Job, Rw, Section, Sharing, SyncMode};

/// cp of coreutils 8 to 9.3 moves this much at once; later ones twice that.
const CP_BYTES: u64 = 128 << 10;

/// The job that dd and cp do: one stream without depth, seed or cold cache, over when all is moved.
fn stream(rw: Rw) -> Job {
    Job {
        ioengine: "stream".into(),
        rw,
        bs: 512,
        iodepth: 1,
        direct: false,
        time_based: false,
        runtime_ms: 0,
        invalidate: false,
        cold_passes: false,
        fallocate: Fallocate::None,
        files: FileSet {
            sharing: Sharing::Same,
            ..FileSet::default()
        },
        ..Job::default()
    }
}

/// What a line of dd says.
#[derive(Default)]
struct Dd {
    input: Option<Word>,
    output: Option<Word>,
    bs: Option<u64>,
    ibs: Option<u64>,
    obs: Option<u64>,
    count: Option<u64>,
    count_is_bytes: bool,
    seek: u64,
    skip: u64,
    flags: Vec<String>,
    given: Vec<GivenOptions>,
    notes: Vec<String>,
    unsupported: Vec<Unsupported>,
}

/// Reads a line of dd.
pub(super) fn dd(line: PastedLine) -> Result<Parsed, LanguageError> {
    let mut dd = Dd {
        notes: line.notes,
        given: line.given,
        ..Dd::default()
    };
    for word in &line.words {
        dd.operand(word)
            .map_err(|bad| bad.at(&word.position(), word.text.clone()))?;
    }
    dd.finish()
}

impl Dd {
    fn operand(&mut self, word: &Word) -> Result<(), Bad> {
        let (name, value) = word.text.split_once('=').ok_or_else(|| {
            Bad::form(
                "dd takes operands only",
                "Write them as if=/dev/zero of=FILE bs=1M count=1024",
            )
        })?;
        match name {
            "if" => {
                self.input = Some(Word {
                    text: value.into(),
                    ..word.clone()
                })
            }
            "of" => {
                self.output = Some(Word {
                    text: value.into(),
                    ..word.clone()
                });
                if value != "/dev/null" {
                    self.give("filename", value, word);
                }
            }
            "bs" => {
                self.bs = Some(block(value)?);
                self.give("bs", value, word);
            }
            "ibs" => self.ibs = Some(block(value)?),
            "obs" => self.obs = Some(block(value)?),
            "count" => {
                self.count_is_bytes |= value.ends_with('B');
                self.count = Some(number(value)?);
            }
            "seek" | "oseek" => self.seek = number(value)?,
            "skip" | "iseek" => self.skip = number(value)?,
            "conv" => self.conversions(value, word)?,
            "iflag" => self.flags_of(value, "iflag", word)?,
            "oflag" => self.flags_of(value, "oflag", word)?,
            "status" => {}
            "cbs" => return Err(Bad::value("records are not made here", "Leave it out")),
            name => {
                let names = [
                    "if", "of", "bs", "ibs", "obs", "count", "seek", "skip", "conv", "iflag",
                    "oflag",
                ];
                let near = super::options::similar(name, names.into_iter());
                let advice = near.map_or("See `man dd`".into(), |near| {
                    format!("Did you mean {near}?")
                });
                return Err(Bad {
                    kind: super::Mistake::Unknown,
                    ..Bad::value("dd has no such operand", advice)
                });
            }
        }
        Ok(())
    }

    fn give(&mut self, name: &str, value: &str, word: &Word) {
        self.given.push(GivenOptions {
            name: name.into(),
            value: Some(value.into()),
            position: word.position(),
        });
    }

    fn conversions(&mut self, list: &str, word: &Word) -> Result<(), Bad> {
        for one in list.split(',') {
            match one {
                "fsync" | "fdatasync" => {
                    self.flags.push("end".into());
                    self.give("end_fsync", "1", word);
                    if one == "fdatasync" {
                        self.notes.push(
                            "conv=fdatasync: run as conv=fsync, which writes the inode as well"
                                .into(),
                        );
                    }
                }
                "notrunc" | "noerror" | "nocreat" | "excl" => {}
                "sparse" => self.cannot("conv", one, word, "holes in place of zeros"),
                _ => {
                    return Err(Bad::value(
                        format!("{one} changes the data, and is not done here"),
                        "Leave it out",
                    ));
                }
            }
        }
        Ok(())
    }

    fn flags_of(&mut self, list: &str, side: &str, word: &Word) -> Result<(), Bad> {
        for one in list.split(',') {
            match one {
                "direct" | "dsync" | "sync" => {
                    self.flags.push(format!("{side}={one}"));
                    let (name, value) = if one == "direct" {
                        ("direct", "1")
                    } else {
                        ("sync", one)
                    };
                    self.give(name, value, word);
                }
                "count_bytes" => self.count_is_bytes = true,
                "fullblock" | "nonblock" | "noatime" | "nofollow" | "noctty" => {}
                "nocache" => self.cannot(side, one, word, "dropping the cache behind the stream"),
                "append" => self.cannot(side, one, word, "writing at the end of the file"),
                _ => {
                    return Err(Bad::value(
                        format!("dd has no flag {one} here"),
                        "See `man dd`",
                    ));
                }
            }
        }
        Ok(())
    }

    fn cannot(&mut self, option: &str, value: &str, word: &Word, why: &str) {
        self.unsupported.push(Unsupported {
            option: option.into(),
            value: value.into(),
            section: "dd".into(),
            position: word.position(),
            why: why.into(),
        });
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|one| one == flag)
    }

    fn finish(mut self) -> Result<Parsed, LanguageError> {
        let text = |word: &Option<Word>| word.as_ref().map(|word| word.text.clone());
        let (input, output) = (text(&self.input), text(&self.output));
        let reads = matches!(output.as_deref(), None | Some("/dev/null"));
        let source = input.as_deref().unwrap_or_default();
        let makes_data = matches!(source, "/dev/zero" | "/dev/urandom" | "/dev/random");
        if reads && (makes_data || source.is_empty()) {
            let position = self
                .output
                .as_ref()
                .or(self.input.as_ref())
                .map(Word::position);
            return Err(LanguageError {
                position,
                subject: "dd".into(),
                why: "it moves nothing to or from a disk".into(),
                advice: "Name a file with of= to write, or with if= and of=/dev/null to read"
                    .into(),
                kind: super::Mistake::Conflict,
            });
        }
        let mut job = stream(if reads { Rw::Read } else { Rw::Write });
        let side = if reads { self.ibs } else { self.obs };
        job.bs = self.bs.or(side).unwrap_or(512);
        let input_block = self.bs.or(self.ibs).unwrap_or(512);
        job.size = match (self.count, self.count_is_bytes) {
            (Some(count), true) => count,
            (Some(count), false) => count.saturating_mul(input_block),
            (None, _) => 0,
        };
        job.offset = if reads { self.skip } else { self.seek }.saturating_mul(job.bs);
        let side = if reads { "iflag" } else { "oflag" };
        job.direct = self.has(&format!("{side}=direct"));
        job.sync = match (
            self.has(&format!("{side}=sync")),
            self.has(&format!("{side}=dsync")),
        ) {
            (true, _) => SyncMode::Sync,
            (_, true) => SyncMode::Dsync,
            _ => SyncMode::None,
        };
        job.end_fsync = self.has("end") && !reads;
        self.data(&mut job, source, reads);
        job.files.names = if reads { input } else { output }.into_iter().collect();
        if job.size == 0 {
            self.notes
                .push("dd without count ends when the file or device does".into());
        }
        parsed(job, "dd", self.given, self.notes, self.unsupported)
    }

    fn data(&mut self, job: &mut Job, source: &str, reads: bool) {
        job.buffers = if source == "/dev/zero" {
            Buffers::Zeros
        } else {
            Buffers::Random
        };
        match source {
            _ if reads => {}
            "/dev/zero" => self.notes.push(
                "if=/dev/zero: zeros are written; devices and file systems that compress hardly store them".into(),
            ),
            "/dev/urandom" | "/dev/random" => self.notes.push(format!(
                "if={source}: random data is written without the kernel's generator, which limited the original"
            )),
            "" => {}
            source => self.notes.push(format!("if={source}: what is written is random data; the source is not read")),
        }
    }
}

fn parsed(
    mut job: Job,
    name: &str,
    given: Vec<GivenOptions>,
    notes: Vec<String>,
    unsupported: Vec<Unsupported>,
) -> Result<Parsed, LanguageError> {
    let mut options = Vec::new();
    let mut wrappers = super::draft::Draft::new();
    for one in given {
        // What wrappers ask for is fio's; dd's own words have been read already.
        if matches!(
            one.name.as_str(),
            "cpus_allowed" | "numa_cpu_nodes" | "numa_mem_policy"
        ) {
            wrappers.apply_all(std::slice::from_ref(&one))?;
        }
        options.push((one.name, one.value.unwrap_or_default(), one.position));
    }
    job.cpus_allowed = wrappers.section.job.cpus_allowed;
    job.numa_nodes = wrappers.section.job.numa_nodes;
    let section = Section {
        name: name.into(),
        job,
        given: options,
        ..Section::default()
    };
    let unsupported = unsupported
        .into_iter()
        .chain(wrappers.unsupported)
        .collect();
    Ok(Parsed {
        sections: vec![section],
        unsupported,
        notes,
    })
}

/// `1M`, `4k`, `2x512`: dd's sizes, which are 1024 with one letter and 1000 with `B` behind it.
fn number(text: &str) -> Result<u64, Bad> {
    let bad = || Bad::value("this is no number of dd's", "Write 512, 4K, 1M or 1G");
    let mut product = 1u64;
    for factor in text.split('x') {
        let end = factor
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(factor.len());
        let (digits, unit) = factor.split_at(end);
        let digits: u64 = digits.parse().map_err(|_| bad())?;
        let unit = match unit {
            "" | "c" | "B" => 1,
            "w" => 2,
            "b" => 512,
            unit => {
                let power = 1 + "kmgtp"
                    .find(&unit[..1].to_ascii_lowercase())
                    .ok_or_else(bad)? as u32;
                match &unit[1..] {
                    "" | "iB" => 1u64 << (10 * power),
                    "B" => 1000u64.pow(power),
                    _ => return Err(bad()),
                }
            }
        };
        product = digits
            .checked_mul(unit)
            .and_then(|value| product.checked_mul(value))
            .ok_or_else(bad)?;
    }
    Ok(product)
}

fn block(text: &str) -> Result<u64, Bad> {
    match number(text)? {
        0 => Err(Bad::value("a block has at least one byte", "Write 1M")),
        bytes => Ok(bytes),
    }
}

/// Reads a line of cp; `size_of` knows how large a file is.
pub(super) fn cp(
    line: PastedLine,
    size_of: &mut dyn FnMut(&str) -> Option<u64>,
) -> Result<Parsed, LanguageError> {
    let mut notes = line.notes;
    let mut names = Vec::new();
    for word in &line.words {
        let is_tree = word.text.starts_with('-')
            && (word.text == "--recursive"
                || (!word.text.starts_with("--") && word.text.contains(['r', 'R', 'a'])));
        if is_tree {
            let advice = "Copy one file, or load a tree of files with the engine `files`";
            return Err(Bad::value("a tree is not copied here", advice)
                .at(&word.position(), word.text.clone()));
        }
        if !word.text.starts_with('-') {
            names.push(word);
        }
    }
    let [source, target] = names[..] else {
        let position = names
            .last()
            .or(line.words.last().as_ref())
            .map(|word| word.position())
            .unwrap_or_default();
        let bad = Bad::form(
            "cp needs one file and where to copy it",
            "Write cp FILE TARGET",
        );
        return Err(bad.at(&position, "cp"));
    };
    let mut job = stream(Rw::Write);
    job.bs = CP_BYTES;
    job.files.names = vec![target.text.clone()];
    match size_of(&source.text) {
        Some(bytes) if bytes > 0 => job.size = bytes,
        _ => notes.push(format!(
            "the size of {} is not known here: give one with --size",
            source.text
        )),
    }
    notes.push(format!(
        "cp: {} KiB at a time into the page cache without fsync, so that much of it is not on the device when cp \
         ends; what is written is random data, and {} is not read",
        CP_BYTES >> 10,
        source.text
    ));
    let mut given = line.given;
    given.push(GivenOptions {
        name: "filename".into(),
        value: Some(target.text.clone()),
        position: target.position(),
    });
    parsed(job, "cp", given, notes, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::super::from_words;
    use super::*;

    fn read(line: &str) -> Result<Parsed, LanguageError> {
        from_words(&line.split(' ').map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_line_of_dd_is_a_stream() {
        let found =
            read("# time taskset -c 0 dd if=/dev/zero of=./t bs=1M count=40240 conv=fsync &")
                .unwrap();
        let job = &found.sections[0].job;
        assert_eq!(
            (job.ioengine.as_str(), job.rw, job.bs, job.size),
            ("stream", Rw::Write, 1 << 20, 40_240 << 20)
        );
        assert_eq!(
            (job.end_fsync, job.direct, job.time_based, job.buffers),
            (true, false, false, Buffers::Zeros)
        );
        assert_eq!(
            (&job.cpus_allowed[..], &job.files.names[..]),
            (&[0][..], &["./t".to_string()][..])
        );
        assert_eq!(found.sections[0].option("bs").unwrap().1.line, 9);
        let found =
            read("dd if=/dev/sda of=/dev/null bs=64k count=16 iflag=direct skip=2").unwrap();
        let job = &found.sections[0].job;
        assert_eq!(
            (job.rw, job.direct, job.offset, job.size),
            (Rw::Read, true, 128 << 10, 1 << 20)
        );
        let found = read("dd if=/dev/urandom of=x oflag=dsync,direct").unwrap();
        let job = &found.sections[0].job;
        assert_eq!(
            (job.bs, job.sync, job.direct, job.buffers),
            (512, SyncMode::Dsync, true, Buffers::Random)
        );
        assert!(found.notes.iter().any(|note| note.contains("generator")));
    }

    #[test]
    fn wrong_operands_are_named() {
        for (line, part) in [
            (
                "dd if=/dev/zero off=x",
                "word 3 of the command line: off=x: dd has no such operand. Did you mean of?",
            ),
            ("dd if=/dev/zero of=/dev/null", "moves nothing"),
            ("dd if=a of=b bs=1Q", "bs=1Q: this is no number"),
            ("dd if=a of=b bs=0", "at least one byte"),
            ("dd if=a of=b conv=ucase", "changes the data"),
            ("cp -r a b", "a tree is not copied"),
            ("cp a", "cp needs one file"),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn sizes_are_dds() {
        assert_eq!(number("2x512"), Ok(1024));
        assert_eq!(
            (number("1kB"), number("1K"), number("1MiB"), number("3b")),
            (Ok(1000), Ok(1024), Ok(1 << 20), Ok(1536))
        );
        for text in ["", "x", "1q", "99999999999G", "é"] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_line_of_cp_writes_what_the_source_has() {
        let line = super::super::pasted::read(&["cp /swap.img .".to_string()]).unwrap();
        let found = cp(line, &mut |_| Some(8 << 30)).unwrap();
        let job = &found.sections[0].job;
        assert_eq!(
            (job.rw, job.bs, job.size, job.end_fsync),
            (Rw::Write, 128 << 10, 8 << 30, false)
        );
    }
}
