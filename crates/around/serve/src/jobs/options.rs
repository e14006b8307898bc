//! What may be asked of a load from a browser: a closed list, each of its own type, and how it becomes words of a command.
//! Nothing in it can destroy data, start a program, or name a path.

use crate::answer::Fault;
use crate::shape::{Field, Letters, Shape, may, name};
use crate::targets::Target;
use model::text::shell_word;
use serde_json::{Map, Value};

/// The verbs that may be started.
pub const VERBS: &[&str] = &["run", "check", "tune"];

const SIZE: Shape = Shape::Text {
    max: 13,
    of: Letters::Size,
};
const KNOB: Shape = Shape::Text {
    max: 250,
    of: Letters::Knob,
};

/// All options; which verb takes which says [`TAKES`].
pub const OPTIONS: &[Field] = &[
    may(
        "preset",
        name(60),
        "run, tune: a load by its purpose, as the catalogue names it",
    ),
    may(
        "rw",
        Shape::OneOf(&["read", "write", "randread", "randwrite", "rw", "randrw"]),
        "run, tune: what is done; a disk is only read",
    ),
    may("bs", SIZE, "run, tune: block size, such as 4k"),
    may(
        "size",
        SIZE,
        "run, tune: bytes of the target to use, such as 1g",
    ),
    may(
        "iodepth",
        Shape::Int { min: 1, max: 4096 },
        "run, tune: I/Os in flight for each job",
    ),
    may(
        "numjobs",
        Shape::Int { min: 1, max: 256 },
        "run, tune: threads that each run the job",
    ),
    may(
        "direct",
        Shape::Bool,
        "run, tune: past the page cache; true by default",
    ),
    may(
        "rwmixread",
        Shape::Int { min: 0, max: 100 },
        "run, tune: share of reads in a mix, per cent",
    ),
    may(
        "rate_iops",
        Shape::Int {
            min: 1,
            max: 1_000_000_000,
        },
        "run, tune: I/Os per second for each job",
    ),
    may(
        "ioengine",
        Shape::OneOf(&["io_uring", "libaio", "psync"]),
        "run, tune: what produces the load",
    ),
    may(
        "runtime_s",
        Shape::Int {
            min: 1,
            max: 86_400,
        },
        "run: how long, s; 10 by default",
    ),
    may(
        "seed",
        Shape::Int {
            min: 0,
            max: 1 << 48,
        },
        "run, tune: of offsets, data and every random choice",
    ),
    may(
        "knobs",
        Shape::List { of: &KNOB, max: 16 },
        "tune: settings to try, scheduler or scheduler=none,bfq",
    ),
    may(
        "budget_s",
        Shape::Int {
            min: 10,
            max: 86_400,
        },
        "tune: time for all settings together, s; 300 by default",
    ),
    may(
        "metric",
        name(40),
        "tune: what the values are judged by, a meter as the catalogue names it; iops by default",
    ),
    may(
        "accept_worse_p99",
        Shape::Bool,
        "tune: accept a worse p99 in exchange for throughput",
    ),
    may(
        "depth",
        Shape::OneOf(&["quick", "deep"]),
        "check: 10 s, or up to 5 min, in place of half a minute",
    ),
    may(
        "load",
        Shape::Bool,
        "check: false to load nothing and judge the path alone",
    ),
];

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
const TAKES: &[(&str, &[&str])] = &[
    ("run", &["runtime_s"]),
    ("tune", &["knobs", "metric", "budget_s", "accept_worse_p99"]),
    ("check", &["depth", "load"]),
];

fn takes(verb: &str, option: &str) -> bool {
    let own = TAKES
        .iter()
        .any(|(name, own)| *name == verb && own.contains(&option));
    own || (verb != "check" && LOAD.contains(&option))
}

/// The words of the command: one for each option with its value behind `=`, so that no value is taken for another option,
/// and the target last.
///
/// # Errors
/// An option that is not the verb's, or a target that must not be loaded.
pub fn words(
    verb: &str,
    target: &Target,
    wishes: &Map<String, Value>,
) -> Result<Vec<String>, Fault> {
    let is_idle = verb == "check" && wishes.get("load") == Some(&Value::Bool(false));
    if !target.safe_to_load && !is_idle {
        let why = target.why_not.clone().unwrap_or_default();
        return Err(Fault::new(
            409,
            format!("{} is not loaded from here: {why}", target.path),
        ));
    }
    let mut words = vec![verb.to_string()];
    if verb != "check" {
        words.push("--stream".into());
    }
    for (option, value) in wishes {
        if !takes(verb, option) {
            return Err(Fault::asked(format!("{verb} has no option {option}")));
        }
        words.extend(word(option, value)?);
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
        Value::Array(knobs) => {
            return Ok(knobs
                .iter()
                .filter_map(Value::as_str)
                .map(|knob| format!("--knob={knob}"))
                .collect());
        }
        _ => return Err(Fault::defect()),
    };
    let one = match (option, text.as_str()) {
        ("runtime_s", _) => format!("--runtime={text}s"),
        ("budget_s", _) => format!("--budget={text}s"),
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
    use serde_json::json;

    fn target(path: &str) -> Target {
        Target {
            key: "k".into(),
            path: path.into(),
            kind: "directory",
            safe_to_load: true,
            why_not: None,
        }
    }

    fn line(verb: &str, wishes: Value) -> Result<String, u16> {
        Shape::Object(OPTIONS).check("options", &wishes).unwrap();
        let wishes = wishes.as_object().unwrap().clone();
        words(verb, &target("/srv/a b"), &wishes)
            .map(|words| words.join(" "))
            .map_err(|fault| fault.status)
    }

    #[test]
    fn options_become_words() {
        let wishes =
            json!({"rw": "randwrite", "bs": "4k", "iodepth": 8, "direct": false, "runtime_s": 5});
        let run = line("run", wishes).unwrap();
        assert_eq!(
            run,
            "run --stream --bs=4k --direct=0 --iodepth=8 --runtime=5s --rw=randwrite /srv/a b"
        );
        let tune = line(
            "tune",
            json!({"knobs": ["scheduler=none,bfq", "nomerges"], "budget_s": 60.0, "metric": "device_iops"}),
        )
        .unwrap();
        assert_eq!(
            tune,
            "tune --stream --budget=60s --knob=scheduler=none,bfq --knob=nomerges --metric=device_iops /srv/a b"
        );
        assert_eq!(
            line("check", json!({"depth": "quick", "load": false})).unwrap(),
            "check --quick --no-load /srv/a b"
        );
        assert_eq!(line("check", json!({})).unwrap(), "check /srv/a b");
    }

    #[test]
    fn an_option_of_another_verb_is_refused() {
        assert_eq!(line("check", json!({"rw": "read"})), Err(400));
        assert_eq!(line("run", json!({"budget_s": 60})), Err(400));
        assert_eq!(line("tune", json!({"runtime_s": 60})), Err(400));
    }

    #[test]
    fn nothing_that_destroys_or_starts_anything_has_a_name() {
        for option in [
            "destroy_data",
            "overwrite",
            "force_signature",
            "engine_option",
            "job",
            "words",
            "target",
        ] {
            assert!(!OPTIONS.iter().any(|field| field.name == option));
        }
        let shape = Shape::Object(OPTIONS);
        for wrong in [
            json!({"rw": "randread --destroy-data"}),
            json!({"bs": "4k;reboot"}),
            json!({"preset": "--job=/etc/passwd"}),
            json!({"preset": "../x"}),
            json!({"knobs": ["--aa"]}),
            json!({"knobs": ["scheduler=none;x"]}),
            json!({"ioengine": "command"}),
            json!({"iodepth": 0}),
        ] {
            assert!(shape.check("options", &wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_target_that_must_not_be_loaded_is_only_judged() {
        let fixed = Target {
            safe_to_load: false,
            why_not: Some("it is mounted read-only".into()),
            ..target("/mnt")
        };
        assert_eq!(words("run", &fixed, &Map::new()).unwrap_err().status, 409);
        let idle = json!({"load": false}).as_object().unwrap().clone();
        assert!(words("check", &fixed, &idle).is_ok());
    }

    #[test]
    fn a_command_can_be_typed_again() {
        let words: Vec<String> = ["run", "--stream", "--bs=4k", "/srv/it's"]
            .map(str::to_string)
            .to_vec();
        assert_eq!(typed(&words), r"iodyno run --bs=4k '/srv/it'\''s'");
    }
}
