//! Profiles beside machines of given values, and the pages beside what they describe.

use super::*;
use apply::Knob;
use model::job::Rw;
use stats::dice::mix64;

/// A machine with these values.
fn machine<'a>(values: &'a [(&str, &str)]) -> impl Fn(&Sysctl) -> Option<String> + 'a {
    move |setting| {
        let found = values.iter().find(|(name, _)| *name == setting.name);
        found.map(|(_, value)| (*value).to_string())
    }
}

fn writes(direct: bool) -> Job {
    Job {
        direct,
        rw: Rw::Write,
        ..Job::default()
    }
}

fn of<'a>(compared: &'a ProfileComparison, name: &str) -> &'a ProfileSetting {
    let mut all = compared.settings.iter();
    all.find(|one| one.name == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn dirty_limits_matter_for_buffered_writes_alone() {
    let here = machine(&[("vm.dirty_ratio", "20"), ("net.core.somaxconn", "128")]);
    let profile = Profile::find("throughput-performance").unwrap();
    for (jobs, matters) in [
        (vec![], true),
        (vec![writes(false)], true),
        (vec![writes(true)], false),
        (vec![writes(true), writes(false)], true),
    ] {
        let compared = profile.compare(&here, None, &jobs);
        assert_eq!(of(&compared, "vm.dirty_ratio").matters, matters, "{jobs:?}");
        let network = of(&compared, "net.core.somaxconn");
        assert_eq!(
            (network.state, network.matters),
            (ProfileState::Differs, false)
        );
        assert_eq!(of(&compared, "vm.swappiness").state, ProfileState::Unread);
    }
}

#[test]
fn blanks_ranges_and_shares_are_read_as_meant() {
    let here = machine(&[
        ("kernel.sem", "250\t32000\t100\t128"),
        ("vm.dirty_ratio", "40"),
        ("kernel.shmmax", "6871947673"),
        ("kernel.shmall", "18446744073692774399"),
        ("fs.file-max", "9223372036854775807"),
    ]);
    let profile = Profile::find("container_host").unwrap();
    let compared = profile.compare(&here, Some(8.0 * 1073741824.0), &[]);
    let state = |name: &str| of(&compared, name).state;
    assert_eq!(state("kernel.sem"), ProfileState::Equal);
    assert_eq!(state("vm.dirty_ratio"), ProfileState::Equal);
    assert_eq!(state("kernel.shmmax"), ProfileState::Equal);
    assert_eq!(state("kernel.shmall"), ProfileState::Differs);
    assert_eq!(state("fs.file-max"), ProfileState::NoValue);
    assert_eq!(
        of(&compared, "kernel.shmall").wants,
        "1677722 (80 % of the memory, in pages)"
    );
    let unknown = profile.compare(&here, None, &[]);
    assert_eq!(of(&unknown, "kernel.shmmax").state, ProfileState::Unread);
}

#[test]
fn a_limit_that_reads_0_names_the_half_that_holds() {
    let here = machine(&[("vm.dirty_ratio", "0"), ("vm.dirty_bytes", "536870912")]);
    let compared = Profile::find("mssql").unwrap().compare(&here, None, &[]);
    let ratio = of(&compared, "vm.dirty_ratio");
    assert_eq!(ratio.holds.as_deref(), Some("vm.dirty_bytes 536870912"));
    assert!(ratio.matters);
}

#[test]
fn bytes_of_a_profile_replace_the_ratio_of_what_it_includes() {
    let names: Vec<&str> = Profile::find("postgresql")
        .unwrap()
        .all()
        .iter()
        .map(|(name, _)| *name)
        .collect();
    assert!(names.contains(&"vm.dirty_bytes") && names.contains(&"net.core.somaxconn"));
    assert!(!names.contains(&"vm.dirty_ratio"), "{names:?}");
}

#[test]
fn each_setting_of_a_profile_is_explained_and_each_explained_one_is_of_a_profile() {
    for profile in profiles::ALL {
        let all = profile.all();
        for (place, (name, _)) in all.iter().enumerate() {
            assert!(Sysctl::find(name).is_some(), "{}: {name}", profile.id);
            let rest = &all[place + 1..];
            let is_again =
                |(other, _): &(&str, Wanted)| other == name || other_half(name) == Some(*other);
            assert!(!rest.iter().any(is_again), "{}: {name} twice", profile.id);
        }
    }
    for setting in sysctls::ALL {
        let is_named = |profile: &&&Profile| {
            profile
                .settings
                .iter()
                .any(|(name, _)| *name == setting.name)
        };
        assert!(
            profiles::ALL.iter().find(is_named).is_some(),
            "{}",
            setting.name
        );
        let plain = setting.name.replace(['.', '-'], "_");
        assert_eq!(setting.id, plain, "its file");
    }
}

#[test]
fn a_page_lists_the_settings_of_its_profile() {
    for (id, page) in profiles::PAGES {
        let profile = Profile::find(id).unwrap();
        let block = page.split("```text\n").nth(1).unwrap();
        let listed: Vec<&str> = block.split("\n```").next().unwrap().lines().collect();
        let line = |(name, wants): &(&str, Wanted)| format!("{name} = {}", wants.words(None));
        let own: Vec<String> = profile.settings.iter().map(line).collect();
        assert_eq!(listed, own, "{id}");
        assert!(
            page.contains(&format!("--profile {}", profile.name())),
            "{id}"
        );
    }
}

#[test]
fn what_is_a_knob_is_told_by_the_knob() {
    for (id, page) in sysctls::PAGES {
        let setting = sysctls::ALL.iter().find(|one| one.id == *id).unwrap();
        let reference = Knob::find(setting.name)
            .map(|knob| format!("a knob: `iodyno explain {}` says what it does", knob.id));
        let start = page.split("## Unit and default").next().unwrap();
        let words = start.split_whitespace().collect::<Vec<_>>().join(" ");
        match reference {
            Some(reference) => assert!(words.contains(&reference), "{id}: {words}"),
            None => assert!(!words.contains(", a knob: "), "{id}: {words}"),
        }
    }
}

/// Whatever a machine prints, each setting has one state, nothing that is equal matters, and nothing of the network
/// matters for any job.
#[test]
fn arbitrary_values_have_one_state_and_equal_ones_do_not_matter() {
    let texts = [
        "",
        "0",
        "20",
        "-1",
        "a b",
        "40",
        "18446744073692774399",
        "9 9 9 9",
    ];
    for seed in 0..2000 {
        let dice = |salt: u64| mix64(seed * 31 + salt) as usize;
        let value = |setting: &Sysctl| {
            let salt = setting.name.bytes().map(u64::from).sum();
            texts
                .get(dice(salt) % (texts.len() + 1))
                .map(|text| (*text).to_string())
        };
        let profile = profiles::ALL[dice(1) % profiles::ALL.len()];
        let memory = [None, Some(0.0), Some(8e9)][dice(2) % 3];
        let jobs = [vec![], vec![writes(true)], vec![writes(false)]];
        let compared = profile.compare(&value, memory, &jobs[dice(3) % 3]);
        assert_eq!(compared.settings.len(), profile.all().len());
        for one in &compared.settings {
            assert!(
                !one.matters || one.state == ProfileState::Differs,
                "{one:?}"
            );
            assert!(!one.matters || !one.name.starts_with("net."), "{one:?}");
            assert!(
                one.here.is_some() || one.state == ProfileState::Unread,
                "{one:?}"
            );
        }
    }
}
