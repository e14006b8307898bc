//! The rows that describe one layer of an I/O path.

use super::meaning::{self, MAIN};
use super::text::clean;
use super::tree::TreeRow;
use super::{cluster_rows, fact_rows, link_rows, owner_view, stack_rows};
use model::change::Attribute;
use model::iopath::{Interrupt, Layer, LayerKind};
use model::ownership::SetBy;
use model::units;

/// The settings of a loop device or a stacked one that act above the disk.
const UPPER: &[&str] = &[
    "scheduler",
    "nr_requests",
    "read_ahead_kb",
    "md/stripe_cache_size",
];

/// Everything a reader wants about a layer, or with `all` everything that is known.
pub(super) fn rows(layer: &Layer, is_top: bool, all: bool) -> Vec<TreeRow> {
    let mut rows = match layer.kind {
        LayerKind::FileSystem | LayerKind::Unbacked => file_system(layer, all),
        LayerKind::Partition => partition(layer),
        LayerKind::Loop => loop_device(layer),
        LayerKind::Zram => zram(layer),
        LayerKind::Stacked => stack_rows::rows(layer),
        LayerKind::Cluster | LayerKind::Pool | LayerKind::Osd => cluster_rows::rows(layer),
        LayerKind::Disk | LayerKind::Target | LayerKind::Machine => Vec::new(),
    };
    if is_top || all {
        rows.extend(users(layer));
    }
    rows.extend(settings(layer, all));
    if layer.kind == LayerKind::Disk {
        rows.extend(link_rows::rows(layer));
        rows.extend(interrupts(layer, all));
    }
    if all {
        rows.extend(hardware_queues(layer));
        rows.extend(fact_rows::others(layer));
    }
    rows
}

fn fact<'a>(layer: &'a Layer, name: &str) -> Option<&'a str> {
    layer.facts.get(name).map(String::as_str)
}

fn number(layer: &Layer, name: &str) -> Option<f64> {
    fact(layer, name)?.parse().ok()
}

fn row(key: &str, value: impl Into<String>, meaning: impl Into<String>) -> TreeRow {
    TreeRow {
        key: key.into(),
        value: value.into(),
        meaning: meaning.into(),
    }
}

fn file_system(layer: &Layer, all: bool) -> Vec<TreeRow> {
    let mut rows = Vec::new();
    rows.extend(fact(layer, "reason").map(|reason| TreeRow::plain("below", reason)));
    if let Some((free, total)) = number(layer, "free_bytes").zip(number(layer, "total_bytes")) {
        let share = free / total * 100.0;
        let text = format!(
            "{} of {} ({share})",
            units::bytes(free),
            units::bytes(total),
            share = units::percent_whole(share)
        );
        rows.push(TreeRow::plain("free", text));
    }
    let inodes = number(layer, "free_inodes").zip(number(layer, "total_inodes"));
    if let Some((free, total)) = inodes.filter(|(_, total)| *total > 0.0) {
        rows.push(TreeRow::plain(
            "free inodes",
            format!("{} of {}", units::count(free), units::count(total)),
        ));
    }
    let block = number(layer, "block_bytes").filter(|_| all);
    rows.extend(block.map(|bytes| TreeRow::plain("block size", units::bytes(bytes))));
    rows.extend(fact_rows::network(layer));
    let subdirectory = fact(layer, "subdirectory");
    rows.extend(subdirectory.map(|root| {
        TreeRow::plain(
            "mounted part",
            format!("{} of the file system", clean(root)),
        )
    }));
    rows.extend(
        fact(layer, "options")
            .map(|options| TreeRow::plain("options", shown_options(options, all))),
    );
    rows
}

/// An overlay's directories can be hundreds of characters; what matters of them is the layer below.
fn shown_options(options: &str, all: bool) -> String {
    let is_long = |option: &&str| {
        ["lowerdir", "upperdir", "workdir"]
            .iter()
            .any(|name| option.starts_with(name))
    };
    let shown: Vec<&str> = options
        .split(',')
        .filter(|option| all || !is_long(option))
        .collect();
    clean(&shown.join(",")).into_owned()
}

fn partition(layer: &Layer) -> Vec<TreeRow> {
    let Some(start) = number(layer, "start_bytes").map(units::bytes) else {
        return Vec::new();
    };
    let block = number(layer, "block_bytes")
        .map(units::bytes)
        .unwrap_or_default();
    let row = match fact(layer, "aligned") {
        Some("yes") => row(
            "start",
            start,
            format!("aligned to the disk's {block} blocks"),
        ),
        Some(_) => row(
            "start",
            start,
            format!("not aligned to the disk's {block} blocks: a write of one block touches two"),
        ),
        None => TreeRow::plain("start", start),
    };
    vec![row]
}

fn loop_device(layer: &Layer) -> Vec<TreeRow> {
    let Some(file) = fact(layer, "backing_file") else {
        return vec![TreeRow::plain("state", "not set up: no file behind it")];
    };
    let is_sparse = fact(layer, "backing_sparse") == Some("yes");
    let there = number(layer, "backing_allocated_bytes")
        .filter(|_| is_sparse)
        .map(units::bytes);
    let holes = there
        .map(|there| format!(", with holes: {there} are there"))
        .unwrap_or_default();
    let mut rows = vec![TreeRow::plain("file", format!("{}{holes}", clean(file)))];
    rows.push(match fact(layer, "dio") {
        Some("1") => row(
            "direct I/O",
            "on",
            "I/O to the file bypasses the page cache",
        ),
        Some(_) => row("direct I/O", "off", cached_twice(layer)),
        // Before Linux 4.4 loop devices had no direct I/O.
        None => row(
            "direct I/O",
            "off",
            "this kernel's loop devices always use the page cache",
        ),
    });
    let offset = number(layer, "offset_bytes").filter(|bytes| *bytes > 0.0);
    rows.extend(offset.map(|bytes| {
        let aligned = if bytes % 4096.0 == 0.0 {
            "in the file"
        } else {
            "in the file, not a multiple of 4 KiB"
        };
        row("offset", units::bytes(bytes), aligned)
    }));
    rows
}

fn cached_twice(layer: &Layer) -> String {
    format!(
        "blocks are cached twice, and direct I/O to {0} still ends in the page cache of the file; \
         iodyno set dio=1 /dev/{0} changes it",
        clean(&layer.name)
    )
}

fn zram(layer: &Layer) -> Vec<TreeRow> {
    let mut rows = Vec::new();
    rows.extend(fact(layer, "algorithm").map(|name| TreeRow::plain("compression", clean(name))));
    if let Some((stored, memory)) = number(layer, "stored_bytes").zip(number(layer, "memory_bytes"))
    {
        rows.push(TreeRow::plain(
            "content",
            format!(
                "{} in {} of memory",
                units::bytes(stored),
                units::bytes(memory)
            ),
        ));
    }
    rows.extend(
        fact(layer, "backing_device").map(|device| TreeRow::plain("overflow to", clean(device))),
    );
    rows
}

fn users(layer: &Layer) -> Vec<TreeRow> {
    let mut users = Vec::new();
    users.extend(
        fact(layer, "mounted_on")
            .map(|points| format!("mounted on {}", clean(&points.replace(',', ", ")))),
    );
    users.extend(
        fact(layer, "holders").map(|names| format!("held by {}", clean(&names.replace(',', ", ")))),
    );
    users.extend(fact(layer, "swap").map(|_| "swap".to_string()));
    if users.is_empty() {
        Vec::new()
    } else {
        vec![TreeRow::plain("in use", users.join(", "))]
    }
}

/// The main settings in their own order; with `all` the others follow by name.
fn settings(layer: &Layer, all: bool) -> Vec<TreeRow> {
    let is_shown = |name: &str| match layer.kind {
        LayerKind::Disk => true,
        _ => all || UPPER.contains(&name),
    };
    let main = MAIN
        .iter()
        .filter(|name| is_shown(name))
        .filter_map(|name| layer.setting(name));
    let main = main.filter(|setting| all || setting.value != Attribute::Absent);
    // A bio-based device has no scheduler of its own; "none" with nothing to choose tells nothing.
    let main = main
        .filter(|setting| all || layer.kind != LayerKind::Stacked || !is_bare_scheduler(setting));
    let others = layer
        .settings
        .iter()
        .filter(|setting| all && !MAIN.contains(&setting.name.as_str()));
    main.chain(others)
        .map(|setting| {
            let value = clean(&meaning::value(setting)).into_owned();
            row(
                &clean(&setting.name),
                value,
                with_owner(meaning::meaning(setting, layer), setting),
            )
        })
        .collect()
}

/// What a value does, then who gave it. A setting that only the driver can have set, so that neither a default nor
/// anybody's wish is known, has nothing to add.
fn with_owner(meaning: String, setting: &model::iopath::Setting) -> String {
    // In front, where it stands in a column and is never alone on a line.
    if matches!(setting.set_by(), SetBy::Kernel(_)) && setting.dissenters().is_empty() {
        return format!("[default] {meaning}");
    }
    let default = owner_view::default_words(setting);
    let parts = [Some(meaning), owner_view::owner_words(setting), default];
    let said: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    said.join("; ")
}

fn is_bare_scheduler(setting: &model::iopath::Setting) -> bool {
    setting.name == "scheduler"
        && matches!(
            setting.value.value().map(str::trim),
            Some("none" | "[none]")
        )
}

fn interrupts(layer: &Layer, all: bool) -> Vec<TreeRow> {
    let lines: Vec<&Interrupt> = layer
        .interrupts
        .iter()
        .filter(|line| all || carries_data(line))
        .collect();
    match lines.as_slice() {
        [] => Vec::new(),
        lines if all => lines
            .iter()
            .map(|line| {
                TreeRow::plain(
                    &format!("irq {}", line.irq),
                    format!("{} {}", clean(&line.name), one_line(line)),
                )
            })
            .collect(),
        [line] => vec![TreeRow::plain(
            "interrupts",
            format!("irq {} {}", line.irq, one_line(line)),
        )],
        lines => vec![TreeRow::plain("interrupts", many_lines(lines))],
    }
}

/// Configuration changes and admin commands have lines of their own, which see next to nothing.
fn carries_data(line: &Interrupt) -> bool {
    let admin = line
        .name
        .strip_prefix("nvme")
        .and_then(|rest| rest.strip_suffix("q0"));
    !line.name.ends_with("-config")
        && !admin.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn one_line(line: &Interrupt) -> String {
    let total: u64 = line.counts.iter().sum();
    let (cpu, most) = line
        .counts
        .iter()
        .enumerate()
        .max_by_key(|(_, count)| **count)
        .unwrap_or((0, &0));
    let taken = match (total, most * 100 / total.max(1)) {
        (0, _) => "none since boot".to_string(),
        (_, 100) => format!("all {} went to CPU {cpu}", units::count(total as f64)),
        (_, share) => format!(
            "{share} % of {} went to CPU {cpu}",
            units::count(total as f64)
        ),
    };
    format!("{}; {taken}", destination(line))
}

fn destination(line: &Interrupt) -> String {
    match (line.effective_cpus.as_deref(), line.allowed_cpus.as_deref()) {
        (Some(now), Some(allowed)) if now != allowed => {
            format!("→ {} (of {})", cpus(now), clean(allowed))
        }
        (Some(only), _) | (None, Some(only)) if is_single(only) => format!("→ {} only", cpus(only)),
        (Some(now), _) => format!("→ {}", cpus(now)),
        (None, Some(allowed)) => format!("may go to {}", cpus(allowed)),
        (None, None) => "→ unknown CPU".into(),
    }
}

fn is_single(list: &str) -> bool {
    list.bytes().all(|byte| byte.is_ascii_digit())
}

fn cpus(list: &str) -> String {
    format!(
        "CPU{} {}",
        if is_single(list) { "" } else { "s" },
        clean(list)
    )
}

fn many_lines(lines: &[&Interrupt]) -> String {
    let mut used: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.effective_cpus.as_deref())
        .collect();
    used.sort_unstable();
    used.dedup();
    let count = lines.len();
    match used.as_slice() {
        [] => format!("{count} lines"),
        [one] => format!("{count} lines, all → {}", cpus(one)),
        used => {
            let cpus = lines
                .iter()
                .map(|line| line.counts.len())
                .max()
                .unwrap_or(0);
            match used.len() == count && used.iter().all(|list| is_single(list)) {
                true if count == cpus => format!("{count} lines, one per CPU"),
                true => format!("{count} lines → {count} of {cpus} CPUs"),
                false => format!("{count} lines → {} different sets of CPUs", used.len()),
            }
        }
    }
}

fn hardware_queues(layer: &Layer) -> Vec<TreeRow> {
    let one = |queue: &model::iopath::HardwareQueue| {
        let tags = queue
            .nr_tags
            .map(|tags| format!(", {tags} requests"))
            .unwrap_or_default();
        TreeRow::plain(
            &format!("hw queue {}", queue.index),
            format!("{}{tags}", cpus(&queue.cpu_list)),
        )
    };
    layer.queues.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, allowed: &str, effective: Option<&str>, counts: &[u64]) -> Interrupt {
        Interrupt {
            irq: 36,
            name: name.into(),
            allowed_cpus: Some(allowed.into()),
            effective_cpus: effective.map(str::to_string),
            counts: counts.to_vec(),
        }
    }

    #[test]
    fn an_interrupt_tells_where_it_may_go_and_went() {
        let pinned = line("ahci", "1", Some("1"), &[0, 70_341]);
        assert_eq!(one_line(&pinned), "→ CPU 1 only; all 70.3 k went to CPU 1");
        let wide = line("ahci", "0-1", Some("1"), &[30, 70]);
        assert_eq!(
            one_line(&wide),
            "→ CPU 1 (of 0-1); 70 % of 100 went to CPU 1"
        );
        let old = line("ahci", "0-1", None, &[0, 0]);
        assert_eq!(one_line(&old), "may go to CPUs 0-1; none since boot");
    }

    #[test]
    fn many_interrupts_are_summed_up() {
        let lines = [
            line("nvme0q1", "0", Some("0"), &[9, 0]),
            line("nvme0q2", "1", Some("1"), &[0, 9]),
        ];
        assert_eq!(
            many_lines(&lines.iter().collect::<Vec<_>>()),
            "2 lines, one per CPU"
        );
        let crowded = [
            line("nvme0q1", "0", Some("0"), &[]),
            line("nvme0q2", "1", Some("0"), &[]),
        ];
        assert_eq!(
            many_lines(&crowded.iter().collect::<Vec<_>>()),
            "2 lines, all → CPU 0"
        );
        assert!(!carries_data(&line("nvme0q0", "0", None, &[])));
        assert!(!carries_data(&line("virtio1-config", "0", None, &[])));
        assert!(carries_data(&line("nvme0q10", "0", None, &[])));
    }
}
