//! A load by its purpose: a job file with its reason, one file of `presets/` each.

use super::language;
use super::presets::{ALL, PAGES};
use model::job::Section;

/// A load by its purpose. The job itself stands in the file's documentation, under `## Job`: what a reader sees is what
/// runs.
#[derive(Debug)]
pub struct Preset {
    /// The name on the command line.
    pub id: &'static str,
    /// The version that brought it.
    pub since: &'static str,
    /// One line for lists.
    pub summary: &'static str,
}

impl Preset {
    /// The preset of a name; `-` and `_` are the same.
    pub fn find(name: &str) -> Option<&'static Preset> {
        let name = name.to_lowercase().replace('-', "_");
        ALL.iter().copied().find(|preset| preset.id == name)
    }

    /// The job file.
    pub fn job(&self) -> &'static str {
        let page = PAGES
            .iter()
            .find(|(id, _)| *id == self.id)
            .map_or("", |(_, page)| page);
        let block = page
            .split("## Job")
            .nth(1)
            .and_then(|rest| rest.split("```").nth(1))
            .unwrap_or_default();
        block.split_once('\n').map_or("", |(_, job)| job)
    }

    /// Its sections.
    pub fn sections(&self) -> Vec<Section> {
        let parsed = language::from_file(self.job(), self.id, &mut |_| None, &mut |_| {
            Err("a preset includes nothing".into())
        });
        // A test parses every preset.
        parsed.map(|parsed| parsed.sections).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_job_that_the_engines_know() {
        for preset in ALL {
            let parsed = language::from_file(preset.job(), preset.id, &mut |_| None, &mut |_| {
                Err(String::new())
            })
            .unwrap_or_else(|error| panic!("{}: {error}", preset.id));
            assert!(
                parsed.unsupported.is_empty(),
                "{}: {:?}",
                preset.id,
                parsed.unsupported
            );
            assert!(!parsed.sections.is_empty(), "{}", preset.id);
            for section in parsed.sections {
                assert!(
                    super::super::Engine::find(&section.job.ioengine).is_some(),
                    "{}",
                    preset.id
                );
                assert!(
                    section.job.time_based
                        || section.job.size > 0
                        || section.job.ioengine == "files"
                );
            }
        }
    }
}
