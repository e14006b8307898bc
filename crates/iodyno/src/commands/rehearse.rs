//! `--rehearse`: the same tune or run on a simulated disk in place of the real one, in time of its own. It shows what would be
//! done and said, in a second, and touches nothing.

use crate::context::Context;
use crate::exit::Failure;
use apply::Knob;
use host::Scene;
use model::iopath::IoPath;
use model::record::RehearsedOn;
use model::units::parse_share;
use simulator::{Disk, Effect, Scenario};

/// What is rehearsed: a kind of disk, and values that change its rate.
#[derive(Clone, Debug)]
pub struct Rehearse {
    scenario: Box<Scenario>,
    effects: Vec<KnobEffect>,
}

#[derive(Clone, Debug)]
struct KnobEffect {
    knob: &'static Knob,
    value: String,
    /// The rate with the value in place, as a part of the rate without it.
    ratio: f64,
}

/// clap's parser: `cloud` or `cloud,scheduler=bfq:+8%`.
pub fn parse(text: &str) -> Result<Rehearse, String> {
    let mut words = text.split(',').map(str::trim);
    let name = words.next().unwrap_or_default();
    let scenario = Scenario::find(name).ok_or_else(|| {
        let all = Scenario::all();
        let names: Vec<&str> = all.iter().map(|scenario| scenario.name).collect();
        format!(
            "there is no simulated disk {name:?}; there are {}",
            names.join(", ")
        )
    })?;
    let effects = words.map(effect).collect::<Result<_, _>>()?;
    Ok(Rehearse {
        scenario: Box::new(scenario),
        effects,
    })
}

fn effect(word: &str) -> Result<KnobEffect, String> {
    let wanted = || {
        format!(
            "{word:?} is no effect of a value; write one as scheduler=bfq:+8% or nr_requests=64:-5%"
        )
    };
    let (knob, rest) = word.split_once('=').ok_or_else(wanted)?;
    let (value, change) = rest.rsplit_once(':').ok_or_else(wanted)?;
    let knob = Knob::find(knob).ok_or_else(|| format!("there is no knob {knob:?}"))?;
    let (sign, share) = match change.strip_prefix('-') {
        Some(share) => (-1.0, share),
        None => (1.0, change.trim_start_matches('+')),
    };
    let share = parse_share(share).map_err(|_| wanted())?;
    Ok(KnobEffect {
        knob,
        value: value.into(),
        ratio: 1.0 + sign * share,
    })
}

impl Rehearse {
    /// The machine with the simulated disk in place of the path's device, and a state directory that lasts as long.
    pub fn begin(&self, context: &Context, path: &IoPath, seed: u64) -> Result<Context, Failure> {
        let device = path.queue_device().map(|layer| layer.name.clone());
        let effects = self.effects.iter().map(|effect| Effect {
            setting: effect.knob.attribute.into(),
            value: effect.value.clone(),
            ln: effect.ratio.ln(),
        });
        let for_tests = ForTests::asked();
        let scene = Scene {
            disk: Disk::new(&self.scenario, effects.collect(), seed),
            on: RehearsedOn {
                disk: self.scenario.name.into(),
                seed,
            },
            device: device.unwrap_or_default(),
            writes_through: for_tests.writes_through,
            strike: for_tests.strike,
        };
        let host = context.host.rehearsing(scene)?;
        let kept = host
            .rehearsal()
            .and_then(|rehearsal| rehearsal.dir())
            .map(|dir| dir.join("state"));
        if host.changes_nothing() {
            context.out.say(format!(
                "Rehearsing on a simulated disk ({}, seed {seed}): {} is neither loaded nor changed, and nothing is kept.",
                self.scenario.name,
                model::text::clean(&path.target)
            ));
        }
        Ok(Context {
            state_dir: kept.unwrap_or_else(|| context.state_dir.clone()),
            ..context.on(host)
        })
    }

    /// The values that are to have an effect, each with its knob.
    pub fn values(&self) -> impl Iterator<Item = (&'static Knob, &str)> {
        let values = self.effects.iter();
        values.map(|effect| (effect.knob, effect.value.as_str()))
    }
}

/// What only tests ask for, of builds for tests: settings that are written to the kernel all the same, and a signal at a sleep.
#[derive(Default)]
struct ForTests {
    writes_through: bool,
    strike: Option<host::clock::Strike>,
}

impl ForTests {
    /// From IODYNO_STAGE: `through`, or `through,137:9` with the sleep and the signal.
    fn asked() -> ForTests {
        let asked = host::environment::variable("IODYNO_STAGE").filter(|_| cfg!(debug_assertions));
        let Some(text) = asked else {
            return ForTests::default();
        };
        let strike = text.split(',').find_map(|word| {
            let (sleep, signal) = word.split_once(':')?;
            Some(host::clock::Strike {
                at_sleep: sleep.parse().ok()?,
                signal: signal.parse().ok()?,
            })
        });
        ForTests {
            writes_through: text.split(',').any(|word| word == "through"),
            strike,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_and_effects_are_read() {
        let told = parse("cloud,scheduler=bfq:+8%, nr_requests=64:-5%").unwrap();
        assert_eq!(told.scenario.name, "cloud");
        let effects: Vec<(&str, &str, i64)> = told
            .effects
            .iter()
            .map(|one| {
                (
                    one.knob.id,
                    one.value.as_str(),
                    (one.ratio * 100.0).round() as i64,
                )
            })
            .collect();
        assert_eq!(
            effects,
            [("scheduler", "bfq", 108), ("nr_requests", "64", 95)]
        );
        assert!(parse("quiet_nvme").unwrap().effects.is_empty());
    }

    #[test]
    fn what_is_none_is_named() {
        let why = |text: &str| parse(text).unwrap_err();
        assert!(why("floppy").contains("no simulated disk \"floppy\"; there are quiet_nvme,"));
        assert!(why("cloud,scheduler").contains("\"scheduler\" is no effect of a value"));
        assert!(why("cloud,scheduler=bfq:many").contains("scheduler=bfq:+8%"));
        assert!(why("cloud,warp=9:+8%").contains("no knob \"warp\""));
    }
}
