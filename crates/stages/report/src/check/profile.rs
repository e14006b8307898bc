//! The kernel parameters of a machine beside a named set: what differs, one line each, and whether it matters.

use super::super::text::{clean, width, wrap};
use super::hanging;
use model::check::{ProfileComparison, ProfileSetting, ProfileState};

/// The lines of a comparison; none where none was asked for.
pub fn lines(profile: Option<&ProfileComparison>) -> Vec<String> {
    profile.map(section).unwrap_or_default()
}

fn section(profile: &ProfileComparison) -> Vec<String> {
    let differing = profile
        .settings
        .iter()
        .filter(|one| one.state == ProfileState::Differs);
    let mut lines = wrap(&clean(&head(profile)), width());
    lines.extend(differing.flat_map(|one| difference(one, profile)));
    lines.extend(names(
        profile,
        ProfileState::Unread,
        "unread",
        "not to be read here",
    ));
    let unsaid = "the source gives no value";
    lines.extend(names(profile, ProfileState::NoValue, "open", unsaid));
    let name = &profile.name;
    let more = format!("iodyno explain {name}, iodyno explain sysctl:NAME");
    lines.extend(hanging("see", &more));
    lines
}

/// `Profile mssql: 9 of 12 settings differ, 2 are equal; 3 matter for this job (…).`
fn head(profile: &ProfileComparison) -> String {
    let all = &profile.settings;
    let count = |state| all.iter().filter(|one| one.state == state).count();
    let load = match profile.jobs.as_slice() {
        [] => "for some loads".into(),
        [job] => format!("for this job ({job})"),
        jobs => format!("for one of these jobs ({})", jobs.join("; ")),
    };
    let differ = match count(ProfileState::Differs) {
        0 => "no".into(),
        number => format!("{number} of {}", all.len()),
    };
    let equal = match count(ProfileState::Equal) {
        1 => "1 is equal".into(),
        number => format!("{number} are equal"),
    };
    let matter = match all.iter().filter(|one| one.matters).count() {
        0 => "none matters".into(),
        1 => "1 matters".into(),
        number => format!("{number} matter"),
    };
    let name = &profile.name;
    format!("Profile {name}: {differ} settings differ, {equal}; {matter} {load}.")
}

fn difference(one: &ProfileSetting, profile: &ProfileComparison) -> Vec<String> {
    let holds = one.holds.as_ref();
    let holds = holds.map_or(String::new(), |holds| format!(" ({holds} holds)"));
    let here = one.here.as_deref().unwrap_or_default();
    let (word, why) = match (&one.acts_on, one.matters) {
        (Some(loads), true) if profile.jobs.is_empty() => {
            ("matters", format!("{} ({loads})", one.why))
        }
        (_, true) => ("matters", one.why.clone()),
        (Some(loads), false) => ("no", format!("acts on {loads} alone")),
        (None, false) => ("no", format!("{}, not storage", one.why)),
    };
    let values = format!("{} {here}{holds}, profile {}", one.name, one.wants);
    hanging(word, &format!("{values}: {why}"))
}

/// The settings of a state on one line.
fn names(profile: &ProfileComparison, state: ProfileState, word: &str, why: &str) -> Vec<String> {
    let of_state = profile.settings.iter().filter(|one| one.state == state);
    let names: Vec<&str> = of_state.map(|one| one.name.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    hanging(word, &format!("{}: {why}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(name: &str, state: ProfileState, matters: bool) -> ProfileSetting {
        ProfileSetting {
            name: name.into(),
            here: Some("20".into()),
            holds: None,
            wants: "40".into(),
            state,
            matters,
            acts_on: Some("buffered writes".into()),
            why: "writers wait".into(),
        }
    }

    fn profile(jobs: &[&str], settings: Vec<ProfileSetting>) -> ProfileComparison {
        ProfileComparison {
            name: "mssql".into(),
            from: "TuneD".into(),
            jobs: jobs.iter().map(|job| (*job).to_string()).collect(),
            settings,
        }
    }

    #[test]
    fn what_matters_is_told_from_what_does_not() {
        use ProfileState::{Differs, Equal, Unread};
        let settings = || {
            vec![
                setting("vm.dirty_ratio", Differs, true),
                setting("fs.file-max", Differs, false),
                setting("kernel.sem", Equal, false),
                setting("net.core.somaxconn", Unread, false),
            ]
        };
        let text = lines(Some(&profile(&["4K write"], settings()))).join("\n");
        for part in [
            "2 of 4 settings differ, 1 is equal; 1 matters for this job (4K",
            "matters  vm.dirty_ratio 20, profile 40: writers wait",
            "no       fs.file-max 20, profile 40: acts on buffered writes alone",
            "unread   net.core.somaxconn: not to be read here",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let text = lines(Some(&profile(&[], settings()))).join("\n");
        assert!(
            text.contains("40: writers wait (buffered writes)"),
            "{text}"
        );
        assert!(lines(None).is_empty());
    }

    #[test]
    fn a_machine_like_the_profile_is_told_so() {
        let equal = vec![setting("vm.dirty_ratio", ProfileState::Equal, false)];
        let text = lines(Some(&profile(&[], equal))).join("\n");
        assert!(text.contains("no settings differ, 1 is equal"), "{text}");
    }
}
