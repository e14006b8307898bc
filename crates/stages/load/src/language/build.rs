//! Sections out of blocks: what they inherit, which are wanted, what they ask of each other.

use super::Parsed;
use super::draft::{Draft, GivenOptions};
use super::error::{Bad, LanguageError};
use super::expand::Env;
use super::file::{self, Include};
use super::finish;
use model::job::Position;

/// The sections so far, and what the next ones inherit.
pub(super) struct Builder {
    defaults: Draft,
    drafts: Vec<(Draft, Position)>,
    pub notes: Vec<String>,
}

impl Builder {
    pub fn new() -> Builder {
        Builder {
            defaults: Draft::new(),
            drafts: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Forgets what was inherited so far: fio does so between job files.
    pub fn forget_defaults(&mut self) {
        self.defaults = Draft::new();
    }

    /// Options of `[global]`, or before the first name of a command line.
    pub fn global(&mut self, options: &[GivenOptions]) -> Result<(), LanguageError> {
        self.defaults.apply_all(options)
    }

    /// A job.
    pub fn section(
        &mut self,
        name: &str,
        position: &Position,
        options: &[GivenOptions],
        stonewall: bool,
    ) -> Result<(), LanguageError> {
        let mut draft = self.defaults.clone();
        draft.section.name = name.into();
        draft.section.stonewall |= stonewall;
        draft.apply_all(options)?;
        self.drafts.push((draft, position.clone()));
        Ok(())
    }

    /// A job file; only these sections of it, where any are named. Files after the first wait for those before.
    pub fn file(
        &mut self,
        text: &str,
        name: &str,
        wanted: &[String],
        mut stonewall: bool,
        env: Env,
        include: Include,
    ) -> Result<(), LanguageError> {
        for block in file::blocks(text, name, env, include)? {
            if block.is_global() {
                if block.name != "global" {
                    self.notes.push(format!(
                        "{}: [{}] gives defaults to the sections after it, as every name does that begins with global",
                        block.position, block.name
                    ));
                }
                self.global(&block.options)?;
            } else if wanted.is_empty() || wanted.contains(&block.name) {
                self.section(&block.name, &block.position, &block.options, stonewall)?;
                stonewall = false;
            }
        }
        Ok(())
    }

    /// Whether there is a job yet.
    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// The jobs.
    pub fn finish(self) -> Result<Parsed, LanguageError> {
        if self.drafts.is_empty() {
            return Err(LanguageError {
                position: None,
                subject: String::new(),
                why: "no job is defined".into(),
                advice: "Write a section with a name: [job], or --name=job on a command line"
                    .into(),
                kind: super::Mistake::Form,
            });
        }
        let mut parsed = Parsed {
            notes: self.notes,
            ..Parsed::default()
        };
        let is_single = self.drafts.len() == 1;
        for (mut draft, position) in self.drafts {
            finish::end_with_others(&mut draft, is_single);
            let (section, unsupported, notes) = finish::finish(draft, &position)?;
            wait_for(&section, &parsed.sections, &position)?;
            parsed.sections.push(section);
            parsed.unsupported.extend(unsupported);
            for note in notes {
                if !parsed.notes.contains(&note) {
                    parsed.notes.push(note);
                }
            }
        }
        Ok(parsed)
    }
}

/// A section waits for one that stands before it, and of which there is one.
fn wait_for(
    section: &model::job::Section,
    earlier: &[model::job::Section],
    position: &Position,
) -> Result<(), LanguageError> {
    let Some(other) = &section.wait_for else {
        return Ok(());
    };
    let position = section
        .option("wait_for")
        .map_or(position, |(_, position)| position);
    let why = match earlier.iter().filter(|one| one.name == *other).count() {
        1 => return Ok(()),
        0 if section.name == *other => "a section cannot wait for itself",
        0 => "no section before this one has that name",
        _ => "several sections have that name",
    };
    Err(
        Bad::conflict(why, "Name one section that stands before this one")
            .at(position, format!("wait_for={other}")),
    )
}
