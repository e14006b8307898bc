//! A command line of fio, read as fio's getopt does.

use super::Parsed;
use super::build::Builder;
use super::draft::GivenOptions;
use super::error::{Bad, LanguageError};
use super::expand::Env;
use super::file::Include;
use super::options;
use super::pasted::{PastedLine, Word};
use std::collections::VecDeque;

mod program;

use program::{Act, Argument};

/// Options that belong together: those before the first name, then those of each name.
#[derive(Debug)]
struct Chunk {
    name: Option<Word>,
    options: Vec<GivenOptions>,
}

/// What the words say besides jobs.
#[derive(Debug, Default)]
struct Rest {
    files: Vec<Word>,
    sections: Vec<String>,
    read_only: Option<Word>,
    others: Vec<(GivenOptions, &'static str)>,
    notes: Vec<String>,
}

/// An option's name as it stands in the words.
enum Named {
    Program(&'static program::Switch),
    Job(&'static str, bool),
}

pub(super) fn read(line: PastedLine, env: Env, include: Include) -> Result<Parsed, LanguageError> {
    let mut chunks = vec![Chunk {
        name: None,
        options: line.given,
    }];
    let mut rest = Rest {
        notes: line.notes,
        ..Rest::default()
    };
    let mut words = VecDeque::from(line.words);
    let mut is_over = false;
    let mut engine = "psync".to_string();
    while let Some(word) = words.pop_front() {
        if is_over || !word.text.starts_with('-') || word.text == "-" {
            rest.files.push(word);
        } else if word.text == "--" {
            is_over = true;
        } else {
            let given = option(&word, &mut words, &engine, &mut rest)?;
            engine = given
                .iter()
                .filter(|one| one.name == "ioengine")
                .fold(engine, |engine, one| one.value.clone().unwrap_or(engine));
            sort(given, &word, &mut chunks);
        }
    }
    assemble(chunks, rest, env, include)
}

/// A name begins a chunk, anything else belongs to the last one.
fn sort(given: Option<GivenOptions>, word: &Word, chunks: &mut Vec<Chunk>) {
    match (given, chunks.last_mut()) {
        (
            Some(GivenOptions {
                name,
                value: Some(value),
                ..
            }),
            _,
        ) if name == "name" => {
            let name = Word {
                text: value,
                number: word.number,
            };
            chunks.push(Chunk {
                name: Some(name),
                options: Vec::new(),
            });
        }
        (Some(given), Some(last)) => last.options.push(given),
        _ => {}
    }
}

/// Reads one option with its value; those that are about fio itself are done with at once.
fn option(
    word: &Word,
    words: &mut VecDeque<Word>,
    engine: &str,
    rest: &mut Rest,
) -> Result<Option<GivenOptions>, LanguageError> {
    let text = word.text.trim_start_matches('-');
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_string())),
        None => (text, None),
    };
    let wrong = |bad: Bad| bad.at(&word.position(), word.text.clone());
    let is_short = !word.text.starts_with("--") && name.chars().count() == 1 && value.is_none();
    let named = resolve(name, engine, is_short).map_err(wrong)?;
    let (full, argument) = match &named {
        Named::Program(switch) => (switch.name, switch.argument),
        Named::Job(name, true) => (*name, Argument::Optional),
        Named::Job(name, false) => (*name, Argument::Required),
    };
    let value = match (argument, value) {
        (Argument::None, Some(_)) => {
            return Err(wrong(Bad::value(
                "it takes no value",
                "Leave the value out",
            )));
        }
        (Argument::Required, None) => match words.pop_front() {
            Some(next) => Some(next.text),
            None => {
                return Err(wrong(Bad::value(
                    "its value is missing",
                    format!("Write --{full}=value"),
                )));
            }
        },
        (_, value) => value,
    };
    if argument == Argument::Required && value.as_deref() == Some("") {
        return Err(wrong(Bad::value(
            "its value is missing",
            format!("Write --{full}=value"),
        )));
    }
    let given = GivenOptions {
        name: full.into(),
        value,
        position: word.position(),
    };
    match named {
        Named::Job(..) => Ok(Some(given)),
        Named::Program(switch) => about_fio(switch, given, word, rest).map(|()| None),
    }
}

fn about_fio(
    switch: &program::Switch,
    given: GivenOptions,
    word: &Word,
    rest: &mut Rest,
) -> Result<(), LanguageError> {
    match switch.act {
        Act::Noted(why) => rest.notes.push(format!("--{}: {why}", switch.name)),
        Act::Other(why) => rest.others.push((given, why)),
        Act::ReadOnly => rest.read_only = Some(word.clone()),
        Act::Section => {
            let section = given.value.unwrap_or_default();
            if section == "global" {
                let bad = Bad::value("defaults alone are no job", "Name a section that is one");
                return Err(bad.at(&word.position(), word.text.clone()));
            }
            rest.sections.push(section);
        }
        Act::Asks => {
            let bad = Bad::form(
                "it asks something of fio and loads nothing",
                "Leave it out, or ask fio",
            );
            return Err(bad.at(&word.position(), word.text.clone()));
        }
    }
    Ok(())
}

/// The option of a name, or of the only one that begins so: getopt takes that for it.
fn resolve(name: &str, engine: &str, is_short: bool) -> Result<Named, Bad> {
    if is_short
        && let Some(switch) = program::SWITCHES
            .iter()
            .find(|switch| name.starts_with(switch.letter))
    {
        return Ok(Named::Program(switch));
    }
    if let Some(named) = exact(name, engine) {
        return Ok(named);
    }
    let mut longer: Vec<&'static str> = program::SWITCHES
        .iter()
        .map(|switch| switch.name)
        .chain(options::all().flat_map(|spec| [spec.name, spec.alias]))
        .chain(options::names_of_engine(engine))
        .filter(|full| !name.is_empty() && full.starts_with(name) && !options::is_newer(full))
        .collect();
    longer.sort_unstable();
    longer.dedup();
    match longer[..] {
        [full] => exact(full, engine).ok_or_else(|| options::unknown(name, engine)),
        [] => Err(options::unknown(name, engine)),
        _ => Err(Bad::value(
            format!(
                "several options begin so: {}",
                longer
                    .iter()
                    .take(6)
                    .copied()
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            "Write the whole name",
        )),
    }
}

fn exact(name: &str, engine: &str) -> Option<Named> {
    if let Some(switch) = program::SWITCHES.iter().find(|switch| switch.name == name) {
        return Some(Named::Program(switch));
    }
    let spec = options::find(name).or_else(|| options::of_engine(engine, name))?;
    Some(Named::Job(spec.name, spec.kind.is_optional()))
}

fn assemble(
    chunks: Vec<Chunk>,
    rest: Rest,
    env: Env,
    include: Include,
) -> Result<Parsed, LanguageError> {
    let mut builder = Builder::new();
    builder.notes = rest.notes;
    let has_job = chunks.iter().any(|chunk| {
        chunk
            .name
            .as_ref()
            .is_some_and(|name| !name.text.starts_with("global"))
    });
    let is_alone = !has_job && rest.files.is_empty();
    for chunk in &chunks {
        match &chunk.name {
            None if is_alone && !chunk.options.is_empty() && chunks.len() == 1 => {
                builder.section("fio", &chunk.options[0].position, &chunk.options, false)?;
            }
            Some(name) if !name.text.starts_with("global") => {
                if rest.sections.is_empty() || rest.sections.contains(&name.text) {
                    builder.section(&name.text, &name.position(), &chunk.options, false)?;
                }
            }
            _ => builder.global(&chunk.options)?,
        }
    }
    for (number, file) in rest.files.iter().enumerate() {
        if number > 0 {
            builder.forget_defaults();
        }
        let text = include(&file.text).map_err(|why| no_file(file, &why))?;
        builder.file(&text, &file.text, &rest.sections, number > 0, env, include)?;
    }
    if !rest.sections.is_empty() && builder.is_empty() {
        return Err(no_section(&rest.sections));
    }
    let mut parsed = builder.finish()?;
    if let Some(word) = rest.read_only
        && let Some(section) = parsed
            .sections
            .iter()
            .find(|section| section.job.rw.changes())
    {
        let why = format!("the job {} writes", section.name);
        return Err(
            Bad::conflict(why, "Leave --readonly out, or read").at(&word.position(), word.text)
        );
    }
    for (given, why) in rest.others {
        parsed.unsupported.push(super::Unsupported {
            option: given.name,
            value: given.value.unwrap_or_default(),
            section: String::new(),
            position: given.position,
            why: why.into(),
        });
    }
    Ok(parsed)
}

fn no_section(names: &[String]) -> LanguageError {
    LanguageError {
        position: None,
        subject: format!("--section={}", names.join(" --section=")),
        why: "no section has this name".into(),
        advice: "Name one that the job file has".into(),
        kind: super::Mistake::Value,
    }
}

/// A word without a dash is the name of a job file to fio.
fn no_file(word: &Word, why: &str) -> LanguageError {
    let name = word.text.split('=').next().unwrap_or_default();
    let advice = match word.text.as_str() {
        "-" => "Give the job file by its name".into(),
        text if options::find(name).is_some() => format!("Write --{text}"),
        _ => "Options begin with one or two dashes; flags such as thread take a value only behind a =".into(),
    };
    Bad::form(
        format!("fio takes this for a job file, and it cannot be read: {why}"),
        advice,
    )
    .at(&word.position(), word.text.clone())
}

#[cfg(test)]
mod tests;
