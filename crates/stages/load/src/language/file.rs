//! The lines of a job file: sections, options, comments, included files.

use super::draft::GivenOptions;
use super::error::{Bad, LanguageError};
use super::expand::{Env, expand};
use model::job::Position;

/// Gives the text of a file by its name.
pub(super) type Include<'a> = &'a mut dyn FnMut(&str) -> Result<String, String>;

/// A section as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub name: String,
    pub position: Position,
    pub options: Vec<GivenOptions>,
}

impl Block {
    /// fio takes every name that begins so for the section of defaults.
    pub fn is_global(&self) -> bool {
        self.name.starts_with("global")
    }
}

/// Files that include files that include files: more is a circle.
const DEPTH: u32 = 16;
/// fio cuts longer lines in two.
const LONGEST: usize = 8190;

/// Reads the sections of a job file.
pub(super) fn blocks(
    text: &str,
    name: &str,
    env: Env,
    include: Include,
) -> Result<Vec<Block>, LanguageError> {
    let mut blocks: Vec<Block> = Vec::new();
    for (line, position) in lines(text, name) {
        if let Some(head) = line.strip_prefix('[') {
            let name = section(head).map_err(|bad| bad.at(&position, line))?;
            blocks.push(Block {
                name,
                position,
                options: Vec::new(),
            });
            continue;
        }
        let Some(block) = blocks.last_mut() else {
            let advice = "Write [global] or the name of a job in brackets above it";
            return Err(
                Bad::form("the option stands before the first section", advice).at(&position, line),
            );
        };
        option(line, &position, &mut block.options, env, include, 0)?;
    }
    Ok(blocks)
}

/// The lines that say something, without comments and the space around them.
fn lines<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, Position)> {
    let numbered = text.lines().enumerate().map(move |(at, line)| {
        let end = line.find([';', '#']).unwrap_or(line.len());
        let is_space = |c: char| c.is_whitespace() || c.is_control();
        let line = line[..end]
            .trim_start_matches(is_space)
            .trim_end_matches(is_space);
        (
            line,
            Position {
                source: name.into(),
                line: at as u32 + 1,
            },
        )
    });
    numbered.filter(|(line, _)| !line.is_empty())
}

fn section(head: &str) -> Result<String, Bad> {
    match head.strip_suffix(']') {
        None => Err(Bad::form(
            "the section's name has no end",
            "Write it as [name], with nothing behind",
        )),
        Some("") => Err(Bad::form("the section has no name", "Write it as [name]")),
        Some(name) if name.len() > 254 => Err(Bad::form(
            "the section's name is too long",
            "Write a shorter one",
        )),
        Some(name) => Ok(name.into()),
    }
}

fn option(
    line: &str,
    position: &Position,
    into: &mut Vec<GivenOptions>,
    env: Env,
    include: Include,
    depth: u32,
) -> Result<(), LanguageError> {
    let wrong = |bad: Bad| bad.at(position, line.chars().take(200).collect::<String>());
    if line.len() > LONGEST {
        return Err(wrong(Bad::form(
            "the line is longer than fio reads",
            "Write a shorter one",
        )));
    }
    if let Some(file) = line
        .strip_prefix("include")
        .filter(|rest| rest.starts_with([' ', '\t', '=']))
    {
        let file = file[1..].trim();
        let (text, name) = included(file, &position.source, include).map_err(wrong)?;
        if depth == DEPTH {
            return Err(wrong(Bad::form(
                "files include each other in a circle",
                "Take one of the lines out",
            )));
        }
        for (line, position) in lines(&text, &name) {
            if line.starts_with('[') {
                let bad = Bad::form(
                    "an included file has sections of its own",
                    "Include options only",
                );
                return Err(bad.at(&position, line));
            }
            option(line, &position, into, env, include, depth + 1)?;
        }
        return Ok(());
    }
    let text = expand(line, env).map_err(wrong)?;
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim_end(), Some(value.to_string())),
        None => (&*text, None),
    };
    into.push(GivenOptions {
        name: name.into(),
        value,
        position: position.clone(),
    });
    Ok(())
}

/// An included file is looked for as it is named, then beside the file that names it.
fn included(file: &str, by: &str, include: Include) -> Result<(String, String), Bad> {
    let first = match include(file) {
        Ok(text) => return Ok((text, file.into())),
        Err(why) => why,
    };
    if let Some((folder, _)) = by.rsplit_once('/') {
        let beside = format!("{folder}/{file}");
        if let Ok(text) = include(&beside) {
            return Ok((text, beside));
        }
    }
    Err(Bad::form(
        format!("{file} cannot be included: {first}"),
        "Check its name; it is looked for beside this file",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Block>, LanguageError> {
        let mut include = |name: &str| match name {
            "dir/common.inc" => Ok("bs=8k ; inner\ninclude more\n".to_string()),
            "more" => Ok("direct=1".to_string()),
            "circle" => Ok("include circle".to_string()),
            "bad" => Ok("bs=4k\n[job]".to_string()),
            _ => Err("there is no such file".to_string()),
        };
        blocks(text, "dir/a.fio", &mut |_| None, &mut include)
    }

    #[test]
    fn sections_comments_and_includes_are_read() {
        let found = read(
            "# top\n\n[global] ; all\n  rw=read # why\r\n[job 1]\ninclude common.inc\nnumjobs = 2\nthread\n",
        );
        let found = found.unwrap();
        assert_eq!(
            (found[0].name.as_str(), found[1].name.as_str()),
            ("global", "job 1")
        );
        let options: Vec<String> = found[1].options.iter().map(GivenOptions::text).collect();
        assert_eq!(options, ["bs=8k", "direct=1", "numjobs= 2", "thread"]);
        assert_eq!(
            found[1].options[0].position.to_string(),
            "dir/common.inc line 1"
        );
        assert_eq!(found[1].options[2].position.to_string(), "dir/a.fio line 7");
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = |text| read(text).unwrap_err().to_string();
        assert!(
            error("bs=4k\n[a]").starts_with("dir/a.fio line 1: bs=4k: the option stands before")
        );
        assert!(
            error("[a]\ninclude gone")
                .starts_with("dir/a.fio line 2: include gone: gone cannot be included")
        );
        assert!(error("[a]\ninclude circle").contains("circle"));
        assert!(error("[a]\n\ninclude bad").starts_with("bad line 2: [job]: an included file"));
        assert!(
            error("[a\nbs=4k").starts_with("dir/a.fio line 1: [a: the section's name has no end")
        );
    }
}
