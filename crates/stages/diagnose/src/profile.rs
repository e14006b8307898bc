//! Named sets of kernel parameters, and a machine beside one of them: what differs, and whether it matters for a job.

use super::{profiles, sysctls};
use crate::acts::ActsOn;
use crate::causes_help_queue::DIRTY_PAIRS;
use model::check::{ProfileComparison, ProfileSetting, ProfileState};
use model::job::Job;

/// A setting of the kernel that profiles and lists of recommendations name.
#[derive(Debug)]
pub struct Sysctl {
    /// Name of its file: the kernel's name with `_` for what a module's name cannot have.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// Its name as sysctl(8) has it.
    pub name: &'static str,
    /// What it decides, in half a sentence.
    pub summary: &'static str,
    /// On which loads it acts.
    pub acts: ActsOn,
}

impl Sysctl {
    /// The setting of this name, with dots or with slashes.
    pub fn find(name: &str) -> Option<&'static Sysctl> {
        let name = name.replace('/', ".");
        sysctls::ALL.iter().copied().find(|one| one.name == name)
    }

    /// Whether it acts on one of these jobs; without jobs, on any load.
    fn acts_on_one_of(&self, jobs: &[Job]) -> bool {
        match jobs {
            [] => self.acts != ActsOn::Nothing,
            jobs => jobs.iter().any(|job| self.acts.acts(job)),
        }
    }

    /// Its file.
    pub fn path(&self) -> String {
        format!("/proc/sys/{}", self.name.replace('.', "/"))
    }
}

/// A named set of values.
#[derive(Debug)]
pub struct Profile {
    /// Name of its file; people write it with dashes.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// Whose set it is, in half a sentence.
    pub summary: &'static str,
    /// Where the values come from.
    pub from: &'static str,
    /// The profile whose values hold where this one has none.
    pub includes: Option<&'static Profile>,
    /// Names of sysctl(8) with what the profile wants.
    pub settings: &'static [(&'static str, Wanted)],
}

/// What a profile wants of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// This text, whatever blanks are between its words.
    Is(&'static str),
    /// This or more.
    AtLeast(u64),
    /// From one to the other.
    Between(u64, u64),
    /// A share of the memory in bytes, percent.
    BytesOfMemory(u64),
    /// A share of the memory in pages of 4 KiB, percent.
    PagesOfMemory(u64),
    /// The source names the setting and gives no value.
    Unsaid,
}

/// A share of the memory is met from this side of it on: what firmware and kernel keep is counted differently.
const SHARE_TOLERANCE: f64 = 0.05;

impl Wanted {
    /// The number that a share of the memory is; none for what is no share, or without the memory.
    fn of_memory(self, memory_bytes: Option<f64>) -> Option<f64> {
        let share = |percent: u64| Some(memory_bytes? * percent as f64 / 100.0);
        match self {
            Wanted::BytesOfMemory(percent) => share(percent),
            Wanted::PagesOfMemory(percent) => Some(share(percent)? / 4096.0),
            _ => None,
        }
    }

    /// For people.
    pub fn words(self, memory_bytes: Option<f64>) -> String {
        let number = self
            .of_memory(memory_bytes)
            .map(|number| format!("{} (", number.round()));
        let (start, end) = match number {
            Some(number) => (number, ")"),
            None => (String::new(), ""),
        };
        match self {
            Wanted::Is(text) => text.into(),
            Wanted::AtLeast(least) => format!("at least {least}"),
            Wanted::Between(least, most) => format!("{least} to {most}"),
            Wanted::BytesOfMemory(percent) => format!("{start}{percent} % of the memory{end}"),
            Wanted::PagesOfMemory(percent) => {
                format!("{start}{percent} % of the memory, in pages{end}")
            }
            Wanted::Unsaid => "no value given".into(),
        }
    }

    /// What a value is beside it.
    fn state(self, here: Option<&str>, memory_bytes: Option<f64>) -> ProfileState {
        let Some(here) = here else {
            return ProfileState::Unread;
        };
        let number = here.parse::<u64>().ok();
        let is_met = match self {
            Wanted::Unsaid => return ProfileState::NoValue,
            Wanted::Is(text) => Some(text == here),
            Wanted::AtLeast(least) => number.map(|number| number >= least),
            Wanted::Between(least, most) => number.map(|number| (least..=most).contains(&number)),
            Wanted::BytesOfMemory(_) | Wanted::PagesOfMemory(_) => self
                .of_memory(memory_bytes)
                .zip(number)
                .map(|(wants, number)| (number as f64 / wants - 1.0).abs() <= SHARE_TOLERANCE),
        };
        match is_met {
            Some(true) => ProfileState::Equal,
            Some(false) => ProfileState::Differs,
            None => ProfileState::Unread,
        }
    }
}

impl Profile {
    /// The profile of this name, with dashes or with underscores.
    pub fn find(name: &str) -> Option<&'static Profile> {
        let id = name.replace('-', "_");
        profiles::ALL.iter().copied().find(|one| one.id == id)
    }

    /// Its name as people write it.
    pub fn name(&self) -> String {
        self.id.replace('_', "-")
    }

    /// Its own settings, then those of what it includes which it does not replace. A ratio and its bytes replace each
    /// other, as they do in the kernel.
    pub fn all(&self) -> Vec<(&'static str, Wanted)> {
        let mut all = self.settings.to_vec();
        for (name, wants) in self.includes.map(Profile::all).unwrap_or_default() {
            let is_replaced = |own: &str| own == name || other_half(name) == Some(own);
            if !all.iter().any(|(own, _)| is_replaced(own)) {
                all.push((name, wants));
            }
        }
        all
    }

    /// A machine beside it, by values as the kernel prints them. Without jobs a difference matters that acts on any
    /// load. What matters comes first.
    pub fn compare(
        &self,
        value: &dyn Fn(&Sysctl) -> Option<String>,
        memory_bytes: Option<f64>,
        jobs: &[Job],
    ) -> ProfileComparison {
        let setting = |(name, wants): (&'static str, Wanted)| {
            let known = Sysctl::find(name)?;
            let here = value(known).map(|text| plain(&text));
            let state = wants.state(here.as_deref(), memory_bytes);
            Some(ProfileSetting {
                name: name.into(),
                holds: holding(name, here.as_deref(), value),
                here,
                wants: wants.words(memory_bytes),
                state,
                matters: known.acts_on_one_of(jobs) && state == ProfileState::Differs,
                acts_on: known.acts.phrase().map(Into::into),
                why: known.summary.into(),
            })
        };
        let mut settings: Vec<ProfileSetting> =
            self.all().into_iter().filter_map(setting).collect();
        settings.sort_by_key(|one| (!one.matters, one.state));
        ProfileComparison {
            name: self.name(),
            from: self.from.into(),
            jobs: jobs.iter().map(Job::phrase).collect(),
            settings,
        }
    }
}

/// A value with one blank between its words, as no file of the kernel prints all of them.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The setting that the kernel sets to 0 when this one is written.
fn other_half(name: &str) -> Option<&'static str> {
    DIRTY_PAIRS.iter().find_map(|(ratio, bytes)| match name {
        _ if name == *ratio => Some(*bytes),
        _ if name == *bytes => Some(*ratio),
        _ => None,
    })
}

/// Of a limit that reads 0: the half of the pair that holds in its place.
fn holding(
    name: &str,
    here: Option<&str>,
    value: &dyn Fn(&Sysctl) -> Option<String>,
) -> Option<String> {
    let other = Sysctl::find(other_half(name).filter(|_| here == Some("0"))?)?;
    let holds = value(other).filter(|text| text.trim() != "0")?;
    Some(format!("{} {}", other.name, holds.trim()))
}

#[cfg(test)]
mod tests;
