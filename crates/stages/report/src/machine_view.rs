//! The machine around a path: the lines under the tree of `iodyno inspect`.

use super::owner_view::{default_words, owner_words};
use super::text::{clean, width, wrap};
use model::iopath::{FOR_CONTAINER, IoPath, Layer, Setting};
use model::ownership::SetBy;
use model::target::CgroupLimit;
use model::text::short_group;
use model::units;

/// Where the text of a row begins.
const INDENT: usize = 18;
/// As many lines of the kernel's log are shown.
const LOG_MAX: usize = 5;

/// What lines about trouble say, in small letters; a healthy disk is named in the log as well when it appears.
const TROUBLE: &[&str] = &[
    "error",
    "fail",
    "timeout",
    "timed out",
    "timing out",
    "abort",
    "reset",
    "read-only",
    "offline",
    "slow",
    "limit",
    "corrupt",
    "is down",
    "blocked for",
    "not responding",
    "shut down",
    "any effect",
    "degraded",
];

/// The block: the lines that matter most often; with `all` every fact, every setting and the whole of the log that was
/// kept. Empty where nothing is known of the machine.
pub fn lines(path: &IoPath, all: bool) -> Vec<String> {
    let Some(machine) = &path.machine else {
        return Vec::new();
    };
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut add = |key: &str, text: Option<String>| {
        rows.extend(
            text.filter(|text| !text.is_empty())
                .map(|text| (key.to_string(), text)),
        );
    };
    if all {
        machine
            .facts
            .iter()
            .for_each(|(name, value)| add(name, Some(value.clone())));
        machine
            .settings
            .iter()
            .for_each(|one| add(&one.name, Some(setting(one, true))));
    } else {
        add("kernel", kernel(machine));
        add("machine", computer(machine));
        add("cpus", cpus(machine));
        add("limits", limits(machine));
        add("writeback", writeback(machine));
        add("daemons", daemons(machine));
        for one in machine.settings.iter().filter(|one| is_notable(one)) {
            add(&one.name, Some(setting(one, false)));
        }
    }
    add("kernel log", log(path, all));
    if rows.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["machine".to_string()];
    for (key, text) in rows {
        lines.extend(row(&key, &text));
    }
    lines
}

/// A row, wrapped at the width of the view; a long name takes a line of its own.
fn row(key: &str, text: &str) -> Vec<String> {
    let (text, key) = (clean_lines(text), clean(key).into_owned());
    let wrapped: Vec<String> = text
        .iter()
        .flat_map(|line| wrap(line, width() - INDENT))
        .collect();
    let mut lines = Vec::new();
    let mut first = format!("  {key}");
    if first.chars().count() >= INDENT {
        lines.push(std::mem::take(&mut first));
    }
    for part in wrapped {
        lines.push(
            format!("{:<INDENT$}{part}", std::mem::take(&mut first))
                .trim_end()
                .to_string(),
        );
    }
    lines
}

fn clean_lines(text: &str) -> Vec<String> {
    text.split('\n')
        .map(|line| clean(line).into_owned())
        .collect()
}

fn fact(machine: &Layer, name: &str) -> Option<String> {
    machine.fact(name).map(str::to_string)
}

fn join(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn kernel(machine: &Layer) -> Option<String> {
    join([fact(machine, "kernel"), fact(machine, "distribution")])
}

fn computer(machine: &Layer) -> Option<String> {
    let hypervisor = match (machine.fact("hypervisor"), machine.fact("provider")) {
        (Some("unknown"), _) => Some("virtual, by an unknown hypervisor".to_string()),
        (Some(hypervisor), None) => Some(format!("virtual ({hypervisor})")),
        (_, Some(provider)) => Some(format!("a machine of {provider}")),
        (None, None) => fact(machine, "product"),
    };
    let memory = machine
        .number("memory_bytes")
        .map(|bytes| format!("{} of memory", units::bytes(bytes)));
    let nodes = machine
        .fact("numa_nodes")
        .filter(|nodes| *nodes != "1")
        .map(|nodes| format!("{nodes} NUMA nodes"));
    let container = container(machine);
    join([
        hypervisor,
        fact(machine, "instance"),
        memory,
        nodes,
        container,
    ])
}

/// The container that iodyno is in, or that it looked for from outside.
fn container(machine: &Layer) -> Option<String> {
    let kind = machine.fact("container").map(|kind| format!(" ({kind})"));
    match (machine.fact(FOR_CONTAINER), kind) {
        (Some(name), kind) => Some(format!(
            "seen for the container {}{}",
            clean(name),
            kind.unwrap_or_default()
        )),
        (None, Some(kind)) => Some(format!("inside a container{kind}")),
        (None, None) => None,
    }
}

fn cpus(machine: &Layer) -> Option<String> {
    let online = machine
        .fact("cpus_online")
        .map(|list| format!("{list} online"));
    let governor = machine
        .fact("cpu_governor")
        .map(|name| format!("governor {name}"));
    let deepest = machine
        .fact("cpuidle_deepest")
        .zip(machine.fact("cpuidle_deepest_us"));
    let idle = deepest.map(|(name, us)| format!("sleeps down to {name}, {us} µs to wake"));
    let wish = machine
        .fact("pm_qos_cpu_dma_latency_us")
        .map(|us| format!("a program asks for at most {us} µs"));
    join([online, governor, idle, wish])
}

fn limits(machine: &Layer) -> Option<String> {
    let group = machine.fact("cgroup").unwrap_or("/");
    let memory = machine.number("memory_limit_bytes").map(|bytes| {
        let owner = machine.fact("memory_limit_from").unwrap_or(group);
        let owner = short_group(owner);
        format!("memory {} (control group {owner})", units::bytes(bytes))
    });
    let limits = CgroupLimit::of_machine(machine);
    let with_owner =
        |limit: &CgroupLimit| format!("{} on {} ({})", limit.words(), limit.device, limit.owner());
    let io = limits.iter().map(with_owner).collect::<Vec<_>>().join(", ");
    let io = Some(io).filter(|text| !text.is_empty());
    let cpus = machine.fact("cpu_limit").map(|cpus| {
        let owner = short_group(machine.fact("cpu_limit_from").unwrap_or(group));
        format!("CPU quota {cpus} (control group {owner})")
    });
    let limits = join([io, memory, cpus])?;
    let owners: Vec<String> = ["io_limits", "memory_limit_bytes", "cpu_limit"]
        .iter()
        .filter_map(|name| Some(machine.owners.get(*name)?.last()?.place.clone()))
        .collect();
    Some(match owners.is_empty() {
        true => limits,
        false => format!("{limits}, set by {}", owners.join(" and ")),
    })
}

/// Of a ratio and its number of bytes the one that counts.
fn writeback(machine: &Layer) -> Option<String> {
    let number = |name: &str| machine.setting(name)?.number();
    let part = |ratio: &str, bytes: &str| match number(bytes) {
        Some(bytes) if bytes > 0.0 => Some(units::bytes(bytes)),
        _ => number(ratio).map(|percent| format!("{percent} %")),
    };
    let background = part("vm.dirty_background_ratio", "vm.dirty_background_bytes")?;
    let hard = part("vm.dirty_ratio", "vm.dirty_bytes")?;
    let age = number("vm.dirty_expire_centisecs")
        .map(|cs| format!(", or after {} s", cs / 100.0))
        .unwrap_or_default();
    Some(format!(
        "dirty pages are written from {background}{age}; writers wait at {hard}"
    ))
}

fn daemons(machine: &Layer) -> Option<String> {
    let balancer = machine
        .fact("irqbalance")
        .filter(|state| *state == "running")
        .map(|_| "irqbalance runs".to_string());
    let tuned = machine
        .fact("tuned_profile")
        .map(|profile| match machine.fact("tuned") {
            Some("running") => format!("TuneD profile {profile}"),
            _ => format!("TuneD profile {profile} (TuneD does not run)"),
        });
    join([balancer, tuned])
}

/// Worth a line: set by somebody, or claimed by somebody.
fn is_notable(setting: &Setting) -> bool {
    setting.is_contested()
        || matches!(setting.set_by(), SetBy::Owner(_) | SetBy::Hand)
        || !setting.dissenters().is_empty()
}

fn setting(setting: &Setting, all: bool) -> String {
    let value = setting
        .chosen()
        .map_or_else(|| setting.value.to_string(), str::to_string);
    let words = [owner_words(setting), default_words(setting).filter(|_| all)];
    let words: Vec<String> = words.into_iter().flatten().collect();
    if words.is_empty() {
        value
    } else {
        format!("{value}  {}", words.join("; "))
    }
}

fn log(path: &IoPath, all: bool) -> Option<String> {
    let is_trouble = |text: &str| {
        let text = text.to_lowercase();
        TROUBLE.iter().any(|word| text.contains(word))
    };
    let wanted: Vec<_> = path
        .log
        .iter()
        .filter(|line| all || is_trouble(&line.text))
        .collect();
    let hidden = if all {
        0
    } else {
        wanted.len().saturating_sub(LOG_MAX)
    };
    let mut lines: Vec<String> = Vec::new();
    if hidden > 0 {
        lines.push(format!(
            "{hidden} earlier lines of this kind are shown by --all"
        ));
    }
    let told = |line: &&model::iopath::LogLine| {
        format!(
            "[{}] {}",
            units::decimals(line.uptime_s, 3),
            line.text.replace('\n', " ")
        )
    };
    lines.extend(wanted[hidden..].iter().map(told));
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::change::Attribute;
    use model::iopath::{KernelDefault, LayerKind, LogLine, Owner};

    fn path() -> IoPath {
        let mut machine = Layer::new(LayerKind::Machine, "machine");
        for (name, value) in [
            ("kernel", "6.1.0"),
            ("hypervisor", "kvm"),
            ("memory_bytes", "8589934592"),
            ("cpuidle_deepest", "C6"),
            ("cpuidle_deepest_us", "133"),
            ("io_limits", "vda riops 1000"),
            ("cgroup", "/db"),
            ("io_limits_from", "/db"),
        ] {
            machine.facts.insert(name.into(), value.into());
        }
        let mut add = |name: &str, value: &str, default: &str, owners: Vec<Owner>| {
            let mut setting = Setting::new(name, name, Attribute::Value(value.into()), true);
            setting.default = Some(KernelDefault {
                value: default.into(),
                because: String::new(),
            });
            setting.owners = owners;
            machine.settings.push(setting);
        };
        let owner = |place: &str, wants: &str| Owner {
            kind: "sysctl_file".into(),
            place: place.into(),
            wants: Some(wants.into()),
            acts: "at boot".into(),
        };
        add("vm.dirty_ratio", "20", "20", vec![]);
        add("vm.dirty_background_ratio", "0", "10", vec![]);
        add(
            "vm.dirty_background_bytes",
            "67108864",
            "0",
            vec![owner("/etc/sysctl.d/9.conf:1", "67108864")],
        );
        add(
            "vm.swappiness",
            "1",
            "60",
            vec![owner("/etc/sysctl.d/9.conf:2", "10")],
        );
        let line = |n: u32| LogLine {
            uptime_s: f64::from(n),
            text: format!("sda: error {n}\x1b[2J"),
        };
        let mut log: Vec<LogLine> = (1..8).map(line).collect();
        log.push(LogLine {
            uptime_s: 9.0,
            text: "sda: Attached SCSI disk".into(),
        });
        IoPath {
            machine: Some(machine),
            log,
            ..IoPath::new("/", Layer::new(LayerKind::Target, "/"))
        }
    }

    #[test]
    fn a_few_lines_say_what_matters() {
        let shown = lines(&path(), false).join("\n");
        for part in [
            "machine\n  kernel          6.1.0",
            "virtual (kvm), 8.00 GiB of memory",
            "sleeps down to C6, 133 µs to wake",
            "1.00 k reads per second on vda (control group /db)",
            "dirty pages are written from 64.0 MiB; writers wait at 20 %",
            "67108864  /etc/sysctl.d/9.conf:1",
            "/etc/sysctl.d/9.conf:2 wants 10",
            "2 earlier lines of this kind are shown by --all",
            "[7.000] sda: error 7?[2J",
        ] {
            assert!(shown.contains(part), "{part}:\n{shown}");
        }
        assert!(
            !shown.contains("\n  vm.dirty_ratio") && !shown.contains("Attached"),
            "{shown}"
        );
        assert!(
            shown.lines().all(|line| line.chars().count() <= 80),
            "{shown}"
        );
    }

    #[test]
    fn all_shows_every_fact_and_setting() {
        let shown = lines(&path(), true).join("\n");
        assert!(
            shown.contains("[kernel default]") && shown.contains("the kernel's default is 60"),
            "{shown}"
        );
        assert!(
            shown.contains("[1.000] sda") && shown.contains("cpuidle_deepest_us"),
            "{shown}"
        );
        let bare = IoPath::new("/", Layer::new(LayerKind::Target, "/"));
        assert!(lines(&bare, true).is_empty());
    }
}
