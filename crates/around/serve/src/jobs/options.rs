//! What may be asked of a load from a browser: a closed list, each of its own type, and how it becomes words of a command.
//! Nothing in it can destroy data, start a program, or name a path.

use crate::answer::Fault;
use crate::shape::{Bound, Group, Knob, List, Name, Size, Text, Whole};
use crate::targets::Target;
use model::text::shell_word;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A verb that may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", schemars(rename = "JobVerb"))]
pub enum Verb {
    Run,
    Check,
    Tune,
}

impl Verb {
    /// All of them.
    #[cfg(fuzzing)]
    pub const ALL: [Verb; 3] = [Verb::Run, Verb::Check, Verb::Tune];

    /// As one types it.
    pub fn word(self) -> &'static str {
        match self {
            Verb::Run => "run",
            Verb::Check => "check",
            Verb::Tune => "tune",
        }
    }
}

/// What a load does; a disk is only read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LoadMode {
    Read,
    Write,
    RandRead,
    RandWrite,
    Rw,
    RandRw,
}

/// An engine that needs nothing but a target; `none` starts nothing and judges what others do.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    IoUring,
    Libaio,
    Psync,
    None,
}

/// What a tune may be judged by: the meters of the catalogue that need no command and no address typed on the machine. A database is asked
/// through its usual client.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobMeter {
    Iops,
    Bandwidth,
    Latency,
    P99,
    P999,
    P99Read,
    P99Write,
    CpuPerIo,
    DeviceIops,
    DeviceBandwidth,
    GroupIops,
    GroupBandwidth,
    Fairness,
    Postgresql,
    Mysql,
}

/// How thorough a check is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Depth {
    Quick,
    Deep,
}

/// All options; which verb takes which says [`TAKES`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct JobOptions {
    /// run, tune: a load by its purpose, as the catalogue names it
    preset: Option<Text<Name, 60>>,
    /// run, tune: what is done; a disk is only read
    rw: Option<LoadMode>,
    /// run, tune: block size, such as 4k
    bs: Option<Text<Size, 13>>,
    /// run, tune: bytes of the target to use, such as 1g
    size: Option<Text<Size, 13>>,
    /// run, tune: I/Os in flight for each job
    iodepth: Option<Whole<1, 4096>>,
    /// run, tune: threads that each run the job
    numjobs: Option<Whole<1, 256>>,
    /// run, tune: past the page cache; true by default
    direct: Option<bool>,
    /// run, tune: share of reads in a mix, per cent
    rwmixread: Option<Whole<0, 100>>,
    /// run, tune: I/Os per second for each job
    rate_iops: Option<Whole<1, 1_000_000_000>>,
    /// run, tune: what produces the load
    ioengine: Option<Engine>,
    /// run: how long, s; 10 by default
    runtime_s: Option<Whole<1, 86_400>>,
    /// run, tune: of offsets, data and every random choice
    seed: Option<Whole<0, { 1 << 48 }>>,
    /// tune: settings to try, scheduler or scheduler=none,bfq
    knobs: Option<List<Text<Knob, 250>, 16>>,
    /// tune: time for all settings together, s; 300 by default
    budget_s: Option<Whole<10, 86_400>>,
    /// tune: what the values are judged by; iops by default
    metric: Option<JobMeter>,
    /// tune: the control group whose I/O the metrics of a group count
    cgroup: Option<Text<Group, 250>>,
    /// tune: bounds of what the device does, such as await>20ms: where one is crossed everything is put back at once
    stop_if: Option<List<Text<Bound, 60>, 8>>,
    /// tune: how long to wait until others leave the device alone, s
    wait_quiet_s: Option<Whole<1, 86_400>>,
    /// tune: accept a worse p99 in exchange for throughput
    accept_worse_p99: Option<bool>,
    /// check: 10 s, or up to 5 min, in place of half a minute
    depth: Option<Depth>,
    /// check: false to load nothing and judge the path alone
    load: Option<bool>,
}

impl JobOptions {
    /// Those that were given, by name.
    fn given(&self) -> Result<Map<String, Value>, Fault> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut all)) => {
                all.retain(|_, value| !value.is_null());
                Ok(all)
            }
            _ => Err(Fault::defect()),
        }
    }
}

/// Options of a load, which `run` and `tune` share.
const LOAD: &[&str] = &[
    "preset",
    "rw",
    "bs",
    "size",
    "iodepth",
    "numjobs",
    "direct",
    "rwmixread",
    "rate_iops",
    "ioengine",
    "seed",
];

/// Which verb takes which besides.
const TAKES: &[(Verb, &[&str])] = &[
    (Verb::Run, &["runtime_s"]),
    (
        Verb::Tune,
        &[
            "knobs",
            "metric",
            "cgroup",
            "budget_s",
            "stop_if",
            "wait_quiet_s",
            "accept_worse_p99",
        ],
    ),
    (Verb::Check, &["depth", "load"]),
];

fn takes(verb: Verb, option: &str) -> bool {
    let own = TAKES
        .iter()
        .any(|(of, own)| *of == verb && own.contains(&option));
    own || (verb != Verb::Check && LOAD.contains(&option))
}

/// The words of the command: one for each option with its value behind `=`, so that no value is taken for another option,
/// and the target last.
///
/// # Errors
/// An option that is not the verb's, or a target that must not be loaded.
pub fn words(verb: Verb, target: &Target, wishes: &JobOptions) -> Result<Vec<String>, Fault> {
    let is_idle = verb == Verb::Check && wishes.load == Some(false);
    if !target.safe_to_load && !is_idle {
        let why = target.why_not.clone().unwrap_or_default();
        return Err(Fault::new(
            409,
            format!("{} is not loaded from here: {why}", target.path),
        ));
    }
    let mut words = vec![verb.word().to_string()];
    if verb != Verb::Check {
        words.push("--stream".into());
    }
    for (option, value) in wishes.given()? {
        if !takes(verb, &option) {
            let verb = verb.word();
            return Err(Fault::asked(format!("{verb} has no option {option}")));
        }
        words.extend(word(&option, &value)?);
    }
    words.push(target.path.clone());
    Ok(words)
}

fn word(option: &str, value: &Value) -> Result<Vec<String>, Fault> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number
            .as_f64()
            .map(model::units::whole)
            .ok_or_else(Fault::defect)?,
        Value::Bool(flag) => u8::from(*flag).to_string(),
        Value::Array(items) => {
            let option = match option {
                "knobs" => "knob".into(),
                _ => option.replace('_', "-"),
            };
            let items = items.iter().filter_map(Value::as_str);
            return Ok(items.map(|item| format!("--{option}={item}")).collect());
        }
        _ => return Err(Fault::defect()),
    };
    let one = match (option, text.as_str()) {
        ("runtime_s", _) => format!("--runtime={text}s"),
        ("budget_s", _) => format!("--budget={text}s"),
        ("wait_quiet_s", _) => format!("--wait-quiet={text}s"),
        ("depth", depth) => format!("--{depth}"),
        ("load", "0") => "--no-load".into(),
        ("accept_worse_p99", "1") => "--accept-worse-p99".into(),
        ("load" | "accept_worse_p99", _) => return Ok(Vec::new()),
        _ => format!("--{}={text}", option.replace('_', "-")),
    };
    Ok(vec![one])
}

/// The command as one would type it, for people: nothing runs this text.
pub fn typed(words: &[String]) -> String {
    let shown = words.iter().filter(|word| *word != "--stream");
    let words: Vec<_> = shown.map(|word| shell_word(word)).collect();
    format!("iodyno {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::Kind;
    use serde_json::json;

    fn target(path: &str) -> Target {
        Target {
            key: "k".into(),
            path: path.into(),
            kind: Kind::Directory,
            safe_to_load: true,
            why_not: None,
        }
    }

    fn line(verb: Verb, wishes: Value) -> Result<String, u16> {
        let wishes: JobOptions = serde_json::from_value(wishes).unwrap();
        words(verb, &target("/srv/a b"), &wishes)
            .map(|words| words.join(" "))
            .map_err(|fault| fault.status)
    }

    #[test]
    fn options_become_words() {
        let wishes =
            json!({"rw": "randwrite", "bs": "4k", "iodepth": 8, "direct": false, "runtime_s": 5});
        let run = line(Verb::Run, wishes).unwrap();
        assert_eq!(
            run,
            "run --stream --bs=4k --direct=0 --iodepth=8 --runtime=5s --rw=randwrite /srv/a b"
        );
        let tune = line(
            Verb::Tune,
            json!({"knobs": ["scheduler=none,bfq", "nomerges"], "budget_s": 60.0, "metric": "device_iops"}),
        )
        .unwrap();
        assert_eq!(
            tune,
            "tune --stream --budget=60s --knob=scheduler=none,bfq --knob=nomerges --metric=device_iops /srv/a b"
        );
        let theirs = json!({"ioengine": "none", "stop_if": ["await>20ms", "read.iops<1k"], "wait_quiet_s": 60});
        assert_eq!(
            line(Verb::Tune, theirs).unwrap(),
            "tune --stream --ioengine=none --stop-if=await>20ms --stop-if=read.iops<1k --wait-quiet=60s /srv/a b"
        );
        assert_eq!(
            line(Verb::Check, json!({"depth": "quick", "load": false})).unwrap(),
            "check --quick --no-load /srv/a b"
        );
        assert_eq!(line(Verb::Check, json!({})).unwrap(), "check /srv/a b");
    }

    #[test]
    fn an_option_of_another_verb_is_refused() {
        assert_eq!(line(Verb::Check, json!({"rw": "read"})), Err(400));
        assert_eq!(line(Verb::Run, json!({"budget_s": 60})), Err(400));
        assert_eq!(line(Verb::Tune, json!({"runtime_s": 60})), Err(400));
    }

    #[test]
    fn nothing_that_destroys_or_starts_anything_has_a_name() {
        for option in [
            "destroy_data",
            "overwrite",
            "force_signature",
            "engine_option",
            "sql_client",
            "job",
            "words",
            "target",
        ] {
            let wish = json!({option: "x"});
            let refused = serde_json::from_value::<JobOptions>(wish).unwrap_err();
            let why = refused.to_string();
            assert!(why.starts_with("unknown field"), "{why}");
        }
        for wrong in [
            json!({"rw": "randread --destroy-data"}),
            json!({"bs": "4k;reboot"}),
            json!({"preset": "--job=/etc/passwd"}),
            json!({"preset": "../x"}),
            json!({"knobs": ["--aa"]}),
            json!({"knobs": ["scheduler=none;x"]}),
            json!({"ioengine": "command"}),
            json!({"metric": "printed"}),
            json!({"metric": "no-such-meter"}),
            json!({"iodepth": 0}),
            json!({"stop_if": ["--aa"]}),
            json!({"stop_if": ["await>1ms; reboot"]}),
        ] {
            let taken = serde_json::from_value::<JobOptions>(wrong.clone());
            assert!(taken.is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_meter_but_those_of_typed_commands_and_addresses_can_be_named() {
        for meter in tuner::meters::ALL {
            let taken = serde_json::from_value::<JobOptions>(json!({"metric": meter.id}));
            let needs_command = (meter.unfit)(&model::job::Job::default())
                .is_some_and(|why| why.contains("--command"));
            // Nobody makes this machine ask another one from a browser.
            let is_typed = needs_command || meter.options.contains(&"--prometheus");
            assert_eq!(taken.is_ok(), !is_typed, "{}", meter.id);
        }
    }

    #[test]
    fn every_knob_can_be_named_with_the_subject_and_the_values_that_it_takes() {
        let takes = |knob: String| {
            serde_json::from_value::<JobOptions>(json!({"knobs": [knob.clone()]})).is_ok()
        };
        let all = lookup::catalogue::entries();
        let knobs: Vec<_> = all.iter().filter(|entry| entry.kind == "knob").collect();
        assert!(knobs.len() > 60);
        for entry in knobs {
            let id = &entry.id;
            assert!(takes(id.to_string()) && takes(format!("{id}=1,2")), "{id}");
        }
        assert!(takes(
            r"rbps@/system.slice/dev-\x2dsda.slice=50m,max".into()
        ));
        assert!(takes("smp_affinity_list@24=0:1".into()));
        for wrong in [
            "rbps@../x=1",
            "rbps@/a/../b=1",
            "rbps@/a/.b=1",
            "rbps@=1",
            "a b",
            "rbps@/a =1",
        ] {
            assert!(!takes(wrong.into()), "{wrong}");
        }
    }

    #[test]
    fn a_group_is_named_and_no_other_path() {
        let of = |group: &str| line(Verb::Tune, json!({"metric": "group_iops", "cgroup": group}));
        assert_eq!(
            of("system.slice/postgresql@15-main.service").unwrap(),
            "tune --stream --cgroup=system.slice/postgresql@15-main.service --metric=group_iops /srv/a b"
        );
        for wrong in ["", "..", "../../etc", "/a/../b", "a b", "$(reboot)", "/"] {
            let taken = serde_json::from_value::<JobOptions>(json!({"cgroup": wrong}));
            assert!(taken.is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_target_that_must_not_be_loaded_is_only_judged() {
        let fixed = Target {
            safe_to_load: false,
            why_not: Some("it is mounted read-only".into()),
            ..target("/mnt")
        };
        assert_eq!(
            words(Verb::Run, &fixed, &JobOptions::default())
                .unwrap_err()
                .status,
            409
        );
        let idle = JobOptions {
            load: Some(false),
            ..JobOptions::default()
        };
        assert!(words(Verb::Check, &fixed, &idle).is_ok());
    }

    #[test]
    fn a_command_can_be_typed_again() {
        let words: Vec<String> = ["run", "--stream", "--bs=4k", "/srv/it's"]
            .map(str::to_string)
            .to_vec();
        assert_eq!(typed(&words), r"iodyno run --bs=4k '/srv/it'\''s'");
    }
}
