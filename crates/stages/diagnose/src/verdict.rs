//! Everything that is wrong by a scene, once each and in one order: causes, what the sensors showed under each load, and
//! what is to be doubted about the loads themselves.

use super::facts::{Machine, RuleFacts, TargetFacts};
use super::finding::{UNDER_WHICH, With};
use super::{
    Cause, LiveRule, Rule, Scene, When, after, before, causes, causes_of, during, experiment, live,
    rules,
};
use model::check::{Probe, Role};
use model::finding::{Evidence, Finding, Level};
use model::job::{Job, Section};
use model::record::SectionResult;
use model::sample::SensorLog;
use model::text::shell_word;
use model::time_account::{TimeAccount, TimePlace};

/// What is known beside the scene.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The target.
    pub target: &'a TargetFacts,
    /// The machine.
    pub machine: &'a Machine,
    /// What the sensors counted, on the clock of [`Probe::start_ms`]: the edges of each load suffice.
    pub sensors: &'a [SensorLog],
}

/// With so many loads, what is seen under one of them alone is chance: each lasts a second or two.
const FEW: usize = 5;

/// A finding with how certain it is.
struct Ranked {
    finding: Finding,
    /// Seen in a load or in what the sensors showed, not only in settings.
    is_measured: bool,
}

/// The findings: those that stand, the worst first, then by what they cost, then by likely gain, measured ones before suspected ones;
/// then those that a measurement contradicted, each with the reason.
pub fn verdict(scene: &Scene<'_>, around: &Around<'_>) -> Vec<Finding> {
    let (mut ranked, withdrawn) = causes(scene);
    let loads = ground(scene, around)
        .into_iter()
        .chain(sights(scene))
        .chain(results(scene, around));
    for finding in loads.map(|finding| watched(scene, finding)) {
        // A cause of the same name says more than the sight of it.
        if !ranked
            .iter()
            .any(|one| one.finding.rule == finding.rule && is_same_place(&one.finding, &finding))
        {
            ranked.push(Ranked {
                finding,
                is_measured: true,
            });
        }
    }
    let names: Vec<String> = ranked.iter().map(|one| one.finding.rule.clone()).collect();
    ranked.retain(|one| !is_explained(&one.finding.rule, &names));
    let places = explained_places(&ranked);
    let is_riddle = |place: &TimePlace| !places.contains(place);
    ranked.retain(|one| one.finding.place.as_ref().is_none_or(is_riddle));
    ranked.sort_by(|one, other| {
        // What casts doubt on a load is worth less than what is wrong with the storage.
        let is_doubt = |one: &Ranked| {
            let rule = rule_of(&one.finding.rule);
            rule.is_some_and(|rule| {
                rule.when == When::AfterLoad && rule.in_check == Some(Level::Note)
            })
        };
        let gain = |one: &Ranked| (one.finding.gain * 1000.0) as i64;
        let loss = |one: &Ranked| (one.finding.loss().unwrap_or(0.0) * 1000.0) as i64;
        let key = |one: &Ranked| {
            (
                one.finding.level,
                !is_doubt(one),
                loss(one),
                gain(one),
                one.is_measured,
            )
        };
        key(other).cmp(&key(one))
    });
    ranked
        .into_iter()
        .map(|one| one.finding)
        .chain(withdrawn)
        .collect()
}

/// What was seen while it happened is looked at again while it happens, unless the finding knows an experiment that decides.
fn watched(scene: &Scene<'_>, finding: Finding) -> Finding {
    if finding.tune.is_some() || !finding.experiment.is_empty() {
        return experiment::printed(finding, scene);
    }
    let of = |name: &str| {
        scene
            .queues()
            .any(|layer| layer.name == name)
            .then(|| name.to_string())
    };
    let device =
        of(&finding.section).or_else(|| scene.path.queue_device().map(|layer| layer.name.clone()));
    let experiment = device.map_or_else(
        || "iodyno watch".into(),
        |device| format!("iodyno watch {}", shell_word(&device)),
    );
    Finding {
        experiment,
        ..finding
    }
}

/// The places of an I/O's time that a finding explains.
fn explained_places(ranked: &[Ranked]) -> Vec<TimePlace> {
    let standing = ranked
        .iter()
        .filter(|one| one.finding.level >= Level::Warning);
    let places = standing.flat_map(|one| places_of(&one.finding.rule));
    places.copied().collect()
}

/// The places of an I/O's time that a rule, live rule or cause explains.
fn places_of(id: &str) -> &'static [TimePlace] {
    let of_loads = rule_of(id)
        .map(|rule| rule.explains)
        .or_else(|| Some(live_of(id)?.explains))
        .filter(|places| !places.is_empty());
    let cause = || cause_of(id).map(|cause| cause.explains);
    of_loads.or_else(cause).unwrap_or_default()
}

/// What a finding costs by the accounts of the loads, where it does not say that itself.
fn with_costs(finding: Finding, accounts: &[TimeAccount]) -> Finding {
    let places = places_of(&finding.rule);
    if !finding.costs.is_empty() {
        return finding;
    }
    accounts.iter().fold(finding, |finding, account| {
        let parts = places.iter().filter_map(|place| account.part(*place));
        let certain = parts.filter(|part| part.share > part.uncertainty);
        let share: f64 = certain.map(|part| part.share).sum();
        finding.costs(&account.load, share)
    })
}

/// A finding that was made without knowing the load has the load's name in what it costs.
fn of_load(mut finding: Finding, probe: &Probe) -> Finding {
    let costs = finding.costs.iter_mut();
    costs
        .filter(|cost| cost.load == UNDER_WHICH)
        .for_each(|cost| cost.load = probe.phrase());
    finding
}

/// The account of one load, where there is one.
fn account_of(scene: &Scene<'_>, probe: &Probe) -> Vec<TimeAccount> {
    let accounts = scene.accounts().into_iter();
    accounts
        .filter(|account| account.load == probe.phrase())
        .collect()
}

fn is_same_place(one: &Finding, other: &Finding) -> bool {
    one.section == other.section || one.section.is_empty() || other.section.is_empty()
}

/// Without those beside which another one about the same says more.
pub(crate) fn without_explained(findings: Vec<Finding>) -> Vec<Finding> {
    let is_kept = |finding: &&Finding| {
        let same = findings
            .iter()
            .filter(|other| is_same_place(finding, other));
        let there: Vec<String> = same.map(|other| other.rule.clone()).collect();
        !is_explained(&finding.rule, &there)
    };
    findings.iter().filter(is_kept).cloned().collect()
}

/// Whether something is there that says the same and more.
fn is_explained(rule: &str, there: &[String]) -> bool {
    let own = rule_of(rule).map(|one| one.yields_to);
    let sight = live_of(rule).map(|one| one.yields_to);
    let cause = cause_of(rule).map(|one| one.yields_to);
    let mut better = [own, sight, cause].into_iter().flatten().flatten();
    better.any(|by| there.iter().any(|name| name == by))
}

fn rule_of(id: &str) -> Option<&'static Rule> {
    rules::ALL.iter().copied().find(|rule| rule.id == id)
}

fn live_of(id: &str) -> Option<&'static LiveRule> {
    live::ALL.iter().copied().find(|rule| rule.id == id)
}

fn cause_of(id: &str) -> Option<&'static Cause> {
    causes::ALL.iter().copied().find(|cause| cause.id == id)
}

/// The causes that stand, and those that settings suggest and the loads contradict.
fn causes(scene: &Scene<'_>) -> (Vec<Ranked>, Vec<Finding>) {
    let found = causes_of(scene);
    if scene.probes.is_empty() {
        let ranked = found.into_iter().map(|finding| Ranked {
            finding,
            is_measured: false,
        });
        return (ranked.collect(), Vec::new());
    }
    let suspected = causes_of(&Scene {
        probes: &[],
        ..*scene
    });
    let is_same =
        |one: &Finding, other: &Finding| one.rule == other.rule && one.section == other.section;
    let gone = suspected
        .iter()
        .filter(|one| !found.iter().any(|other| is_same(one, other)));
    let withdrawn = gone
        .map(|one| Finding {
            withdrawn: Some(contradiction(one)),
            ..one.clone()
        })
        .collect();
    let accounts = scene.accounts();
    let ranked = found.into_iter().map(|finding| {
        // What reads the same without the loads rests on settings alone.
        let is_measured = !suspected.contains(&finding);
        Ranked {
            finding: with_costs(finding, &accounts),
            is_measured,
        }
    });
    (ranked.collect(), withdrawn)
}

fn contradiction(finding: &Finding) -> String {
    let what = finding.refuted_by.trim_end_matches('.');
    match what.is_empty() {
        true => "suspected from the settings; the loads did not show it".into(),
        false => format!("suspected from the settings; the loads speak against it: {what}"),
    }
}

/// What the sensors showed, each finding once with the loads under which it was seen.
fn sights(scene: &Scene<'_>) -> Vec<Finding> {
    let seen = scene.probes.iter().flat_map(|probe| {
        let found = during(&probe.frame).into_iter();
        let accounts = account_of(scene, probe);
        found
            .filter(|finding| !is_our_doing(&finding.rule, probe.role))
            .map(move |one| (probe.phrase(), with_costs(of_load(one, probe), &accounts)))
    });
    let seen = merged(seen, scene.probes.len(), is_same_place);
    let is_chance = |finding: &Finding, loads: usize| {
        let is_about_idle_time = our_doing(&finding.rule).is_some();
        loads == 1 && scene.probes.len() >= FEW && !is_about_idle_time
    };
    let weighed = seen
        .into_iter()
        .map(|(finding, loads)| match is_chance(&finding, loads) {
            true => Finding {
                level: Level::Note,
                ..finding
            },
            false => finding,
        });
    weighed.collect()
}

fn is_our_doing(rule: &str, role: Role) -> bool {
    let does = |roles: &[Role]| roles.is_empty() || roles.contains(&role);
    role != Role::Idle && our_doing(rule).is_some_and(does)
}

fn our_doing(rule: &str) -> Option<&'static [Role]> {
    live_of(rule)?.our_doing
}

/// The remarks on each load, each once with the loads that it is about.
fn results(scene: &Scene<'_>, around: &Around<'_>) -> Vec<Finding> {
    let loads = scene.probes.iter().filter(|probe| probe.role != Role::Idle);
    let count = loads.clone().count();
    let seen = loads.flat_map(|probe| {
        let found = remarks(scene, around, probe).into_iter();
        let accounts = account_of(scene, probe);
        found.map(move |one| {
            let finding = Finding {
                section: String::new(),
                ..one
            };
            (probe.phrase(), with_costs(finding, &accounts))
        })
    });
    merged(seen, count, |_, _| true)
        .into_iter()
        .map(|(finding, _)| finding)
        .collect()
}

/// What any direct job would meet on this target.
fn ground(scene: &Scene<'_>, around: &Around<'_>) -> Vec<Finding> {
    let facts = RuleFacts {
        sections: &[Section::of(Job::default())],
        target: around.target.clone(),
        path: Some(scene.path),
        machine: around.machine.clone(),
        load: &[],
        sensors: &[],
    };
    let weighed = before(&facts).into_iter().filter_map(|one| {
        let most = rule_of(&one.rule)?.in_check?;
        Some(Finding {
            section: String::new(),
            level: one.level.min(most),
            fixes: Vec::new(),
            ..one
        })
    });
    weighed.collect()
}

fn remarks(scene: &Scene<'_>, around: &Around<'_>, probe: &Probe) -> Vec<Finding> {
    let section = Section {
        name: probe.phrase(),
        ..Section::of(probe.job.clone())
    };
    let result = SectionResult {
        elsewhere: String::new(),
        name: probe.phrase(),
        stage: 0,
        start_ms: probe.start_ms,
        job: probe.job.clone(),
        load: probe.load.clone(),
    };
    let facts = RuleFacts {
        sections: &[section],
        target: around.target.clone(),
        path: Some(scene.path),
        machine: around.machine.clone(),
        load: &[result],
        sensors: around.sensors,
    };
    let weighed = after(&facts).into_iter().filter_map(|finding| {
        let most = rule_of(&finding.rule)?.in_check?;
        // Buffered loads are meant to be answered by the cache in part.
        let is_meant = finding.rule == "answered_by_cache" && !probe.job.direct;
        (!is_meant).then(|| Finding {
            level: finding.level.min(most),
            fixes: Vec::new(),
            ..finding
        })
    });
    weighed.collect()
}

/// The same finding under several loads as one: the worst, with the loads named, and how many they are.
fn merged(
    seen: impl Iterator<Item = (String, Finding)>,
    loads: usize,
    is_same_place: impl Fn(&Finding, &Finding) -> bool,
) -> Vec<(Finding, usize)> {
    let mut all: Vec<(Vec<String>, Finding)> = Vec::new();
    for (load, finding) in seen {
        let same = all
            .iter_mut()
            .find(|(_, one)| one.rule == finding.rule && is_same_place(one, &finding));
        match same {
            None => all.push((vec![load], finding)),
            Some((under, kept)) => {
                if !under.contains(&load) {
                    under.push(load);
                }
                let costs = [std::mem::take(&mut kept.costs), finding.costs.clone()].concat();
                if finding.level > kept.level {
                    *kept = finding;
                }
                kept.costs = costs;
                kept.costs
                    .sort_by(|one, other| other.share.total_cmp(&one.share));
            }
        }
    }
    let told = all.into_iter().map(|(under, mut finding)| {
        let value = match under.len() {
            all if all == loads && loads > 2 => "every load".to_string(),
            1..=4 => under.join(", "),
            many => format!("{} and {} more", under[..3].join(", "), many - 3),
        };
        finding.evidence.push(Evidence {
            name: "seen under".into(),
            value,
        });
        (finding, under.len())
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene_examples::SceneExample;

    fn judged(text: &str) -> Vec<Finding> {
        let example = SceneExample::parse(text);
        let (target, machine) = (TargetFacts::default(), Machine::default());
        verdict(
            &example.scene(),
            &Around {
                target: &target,
                machine: &machine,
                sensors: &[],
            },
        )
    }

    const LINEAR: &str = "stacked: dm-0 stack=LVM mapping=linear\ndisk: sda transport=sata\ndisk: +sdb transport=sata\n";

    #[test]
    fn what_a_load_contradicts_is_withdrawn_with_the_reason() {
        let even = format!(
            "{LINEAR}probe: depth read=9000@1ms depth=32\nfield: disk.reads_per_s sda 4600\n\
             field: disk.reads_per_s sdb 4400\n"
        );
        let findings = judged(&even);
        let linear = findings
            .iter()
            .find(|one| one.rule == "linear_volume")
            .unwrap();
        let why = linear.withdrawn.as_ref().unwrap();
        assert!(
            why.contains("suspected from the settings") && why.contains("share the work evenly"),
            "{why}"
        );
        let suspected = judged(LINEAR);
        assert!(
            suspected
                .iter()
                .any(|one| one.rule == "linear_volume" && one.withdrawn.is_none())
        );
    }

    /// Few requests on a queue that takes 256, of which nine tenths of the time at depth 32 pass; and read-ahead that costs a third.
    const TWO_LOSSES: &str = "disk: vda transport=virtio\nsetting: nr_requests = 2\nsetting: read_ahead_kb = 4096\n\
        queues: 1 tags=256\nprobe: latency read=5000@200us\nprobe: depth read=9000@3ms depth=32\n\
        span: vda read Q2G 2700us\nspan: vda read Q2C 3ms\nprobe: buffered-random read=3400@290us bs=4k\n\
        field: disk.read_bytes_per_s vda 320000000\n";

    fn place(findings: &[Finding], rule: &str) -> usize {
        let place = findings.iter().position(|one| one.rule == rule);
        place.unwrap_or_else(|| panic!("no {rule} in {findings:?}"))
    }

    #[test]
    fn what_costs_most_stands_first() {
        let findings = judged(TWO_LOSSES);
        let (queue, window) = (
            place(&findings, "requests_run_out"),
            place(&findings, "readahead_too_large"),
        );
        assert!(queue < window, "{findings:?}");
        assert_eq!(findings[queue].costs[0].words(), "90 % of depth 32");
        assert_eq!(
            findings[window].costs[0].words(),
            "32 % of buffered random reads"
        );
    }

    #[test]
    fn what_was_measured_stands_before_what_is_only_likely() {
        let usb = "transport=usb usb_driver=usb-storage uas_capable=yes";
        let text = TWO_LOSSES.replacen("transport=virtio", usb, 1).replacen(
            "read=9000@3ms",
            "read=6000@3ms",
            1,
        );
        let findings = judged(&text);
        let (likely, measured) = (
            place(&findings, "usb_one_command"),
            place(&findings, "readahead_too_large"),
        );
        assert!(measured < likely, "{findings:?}");
        assert_eq!(findings[likely].loss(), None);
    }

    #[test]
    fn a_finding_costs_what_is_spent_at_the_places_that_it_explains() {
        let text = "disk: vda transport=virtio\nprobe: latency read=500@2ms elapsed=1s depth=1\n\
             tasks: run=100ms throttled=600ms\nsleep: 50 10 io_cqring_wait\n";
        let findings = judged(text);
        let quota = &findings[place(&findings, "cpu_quota_holds_load")];
        assert_eq!(quota.costs[0].words(), "60 % of one read at a time");
    }

    #[test]
    fn one_thing_under_many_loads_is_one_finding() {
        let stolen = "field: cpu.steal_percent 0 40\nfield: cpu.steal_percent 1 40\n";
        let text = format!(
            "disk: vda transport=virtio\nprobe: latency read=500@200us\n{stolen}probe: depth read=900@1ms depth=8\n{stolen}"
        );
        let findings = judged(&text);
        let steal: Vec<&Finding> = findings
            .iter()
            .filter(|one| one.rule == "cpu_time_stolen")
            .collect();
        assert_eq!(steal.len(), 1, "{findings:?}");
        let under = steal[0]
            .evidence
            .iter()
            .find(|one| one.name == "seen under")
            .unwrap();
        assert_eq!(under.value, "one read at a time, depth 8");
    }

    #[test]
    fn what_only_one_of_many_loads_shows_is_a_note() {
        let loads: Vec<String> = (1..=6)
            .map(|depth| format!("probe: depth read=900@1ms depth={depth}\n"))
            .collect();
        let stolen = "field: cpu.steal_percent 0 40\n";
        let level = |text: &str| {
            let found = judged(text)
                .into_iter()
                .find(|one| one.rule == "cpu_time_stolen");
            found.map(|finding| finding.level)
        };
        assert_eq!(
            level(&format!(
                "disk: vda transport=virtio\n{}{stolen}",
                loads.concat()
            )),
            Some(Level::Note)
        );
        let always: String = loads.iter().map(|load| format!("{load}{stolen}")).collect();
        assert_eq!(
            level(&format!("disk: vda transport=virtio\n{always}")),
            Some(Level::Warning)
        );
    }

    #[test]
    fn waiting_for_our_own_load_is_no_news_and_waiting_before_it_is() {
        let waits = "field: pressure.full_percent io 60\nfield: pressure.some_percent io 70\n";
        let ours =
            format!("disk: vda transport=virtio\nprobe: depth read=900@1ms depth=8\n{waits}");
        let has = |text: &str| {
            judged(text)
                .iter()
                .any(|one| one.rule == "everything_waits_for_io")
        };
        assert!(!has(&ours));
        assert!(has(&format!("disk: vda transport=virtio\n{waits}")));
    }

    #[test]
    fn what_is_yielded_to_is_there() {
        let of_rules = rules::ALL.iter().map(|rule| (rule.id, rule.yields_to));
        let of_sights = live::ALL.iter().map(|rule| (rule.id, rule.yields_to));
        let of_causes = causes::ALL.iter().map(|cause| (cause.id, cause.yields_to));
        for (id, better) in of_rules.chain(of_sights).chain(of_causes) {
            for name in better {
                let known =
                    rule_of(name).is_some() || live_of(name).is_some() || cause_of(name).is_some();
                assert!(known && *name != id, "{id} yields to {name}");
            }
        }
    }
}
