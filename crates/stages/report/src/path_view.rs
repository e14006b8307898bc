//! The I/O path as a tree of text: `iodyno inspect`.

use super::cluster_rows;
use super::path_rows::rows;
use super::text::{Paint, clean, width, wrap};
use super::tree::{Node, TreeRow, draw};
use model::iopath::{IoPath, Layer, LayerKind};
use model::units;

/// What to show, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathOptions {
    /// Every setting, queue and interrupt, not only those that matter most often.
    pub all: bool,
    /// Colour on top of the words.
    pub paint: Paint,
}

/// The path from the target down, one layer below the other, with what could not be seen at the end.
pub fn text(path: &IoPath, options: PathOptions) -> String {
    let mut text = draw(
        &node(&path.root, &Above::default(), options.all),
        options.paint,
    );
    for note in &path.notes {
        text.push_str(&wrap(&format!("note: {}", clean(note)), width() - 6).join("\n      "));
        text.push('\n');
    }
    text
}

/// What a layer's words depend on besides itself.
#[derive(Default)]
struct Above<'a> {
    /// The user named the layer itself, not a path on it.
    is_target: bool,
    /// The device above that reads ahead in this layer's stead.
    reads_enter_at: Option<&'a str>,
}

fn node(layer: &Layer, above: &Above<'_>, all: bool) -> Node {
    let inner = Above {
        is_target: layer.kind == LayerKind::Target && layer.title == "block device",
        reads_enter_at: reads_enter_at(layer, above.reads_enter_at),
    };
    let shown: Vec<&Layer> = match layer.kind {
        LayerKind::Pool if !all => cluster_rows::worst(&layer.below),
        _ => layer.below.iter().collect(),
    };
    let mut below: Vec<Node> = shown
        .into_iter()
        .map(|below| node(below, &inner, all))
        .collect();
    if !all {
        fold_twins(&mut below);
    }
    let (name, what) = head(layer);
    let mut rows = rows(layer, above.is_target, all);
    if let Some(device) = above.reads_enter_at {
        let read_ahead = rows.iter_mut().filter(|row| row.key == "read_ahead_kb");
        read_ahead.for_each(|row| {
            row.meaning = format!("not used: reads come through {}", clean(device))
        });
    }
    Node {
        name: clean(&name).into_owned(),
        what: clean(&what).into_owned(),
        rows,
        below,
    }
}

/// Read-ahead is done once, by the page cache of the device a file system or a program reads. Members of a stacked
/// device get finished requests, and so does the file below a loop device with direct I/O; without direct I/O the file
/// is read through the page cache once more.
fn reads_enter_at<'a>(layer: &'a Layer, above: Option<&'a str>) -> Option<&'a str> {
    let is_direct = layer.facts.get("dio").is_some_and(|dio| dio == "1");
    match layer.kind {
        LayerKind::Loop if !is_direct => None,
        LayerKind::Loop | LayerKind::Stacked => above.or(Some(&layer.name)),
        _ => above,
    }
}

/// The members of an array mostly are set alike: after the first only the differences are worth a line.
fn fold_twins(members: &mut [Node]) {
    let Some((first, others)) = members.split_first_mut() else {
        return;
    };
    for other in others
        .iter_mut()
        .filter(|other| other.below.len() == first.below.len())
    {
        fold(other, first);
    }
}

fn fold(other: &mut Node, first: &Node) {
    let length = other.rows.len();
    // With other rows it is another kind of disk, which deserves its own lines.
    if first
        .rows
        .iter()
        .map(|row| &row.key)
        .eq(other.rows.iter().map(|row| &row.key))
    {
        other.rows.retain(|row| !first.rows.contains(row));
    }
    if other.rows.len() < length {
        let rest = if other.rows.is_empty() {
            "all"
        } else {
            "the rest"
        };
        other.rows.push(TreeRow::plain(
            "settings",
            format!("{rest} as {} above", first.name),
        ));
    }
    for (below, first) in other.below.iter_mut().zip(&first.below) {
        fold(below, first);
    }
}

/// The name a layer goes by and what it is.
fn head(layer: &Layer) -> (String, String) {
    let fact = |name: &str| layer.facts.get(name).map(String::as_str);
    let size = fact("size_bytes")
        .and_then(|bytes| bytes.parse().ok())
        .map(units::bytes);
    let name = layer.name.clone();
    match layer.kind {
        LayerKind::Target => {
            // Links are worth a word, `.` and relative names are not.
            let named =
                fact("named").filter(|named| named.starts_with('/') && *named != layer.name);
            (
                name,
                named
                    .map(|named| format!("given as {named}"))
                    .unwrap_or_default(),
            )
        }
        LayerKind::FileSystem | LayerKind::Unbacked => {
            let source =
                fact("source").filter(|source| source.contains('/') || source.contains(':'));
            let source = source
                .map(|source| format!(" from {source}"))
                .unwrap_or_default();
            match fact("fstype") {
                Some(fstype) => (fstype.into(), format!("mounted on {name}{source}")),
                None => ("file system".into(), "its mount is not listed here".into()),
            }
        }
        LayerKind::Disk => (name, disk(layer, size)),
        LayerKind::Partition => (name, join([Some("partition".into()), size])),
        LayerKind::Osd => (name, cluster_rows::osd(layer)),
        LayerKind::Loop => (
            name,
            join([
                Some("loop device".into()),
                size.filter(|_| fact("backing_file").is_some()),
            ]),
        ),
        _ => (name, join([Some(layer.title.clone()), size])),
    }
}

fn disk(layer: &Layer, size: Option<String>) -> String {
    let fact = |name: &str| layer.facts.get(name).cloned();
    // SCSI disks on ATA give "ATA" as their vendor, which is no maker.
    let vendor = fact("vendor").filter(|vendor| vendor != "ATA");
    let model = fact("model")
        .map(|model| vendor.map_or(model.clone(), |vendor| format!("{vendor} {model}")));
    let driver = fact("driver")
        .filter(|driver| driver != "sd" && driver != "nvme")
        .map(|driver| format!("driver {driver}"));
    let read_only = fact("read_only").map(|_| "read-only".to_string());
    let depth = layer.queues.iter().filter_map(|queue| queue.nr_tags).max();
    let queues = match (layer.queues.len(), depth) {
        (0, _) => None,
        (1, Some(depth)) => Some(format!("1 hardware queue of {depth}")),
        (1, None) => Some("1 hardware queue".to_string()),
        (count, Some(depth)) => Some(format!("{count} hardware queues of {depth}")),
        (count, None) => Some(format!("{count} hardware queues")),
    };
    join([
        Some(model.unwrap_or_else(|| "disk".into())),
        size,
        fact("transport"),
        driver,
        read_only,
        queues,
    ])
}

fn join<const N: usize>(parts: [Option<String>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(name: &str, facts: &[(&str, &str)]) -> Layer {
        let mut disk = Layer::new(LayerKind::Disk, name);
        disk.facts = facts
            .iter()
            .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
            .collect();
        disk
    }

    fn view(members: Vec<Layer>, notes: &[&str]) -> String {
        let mut root = Layer::new(LayerKind::Target, "/dev/md0");
        root.below = members;
        let notes = notes.iter().map(|note| (*note).to_string()).collect();
        text(
            &IoPath {
                notes,
                ..IoPath::new("/dev/md0", root)
            },
            PathOptions::default(),
        )
    }

    #[test]
    fn members_of_another_kind_keep_their_own_lines() {
        let sata = [
            ("controller", "0000:00:17.0"),
            ("controller_driver", "ahci"),
        ];
        let linked = [
            sata[0],
            sata[1],
            ("link_speed", "8.0 GT/s PCIe"),
            ("link_width", "4"),
        ];
        let shown = view(
            vec![
                disk("sda", &sata),
                disk("sdb", &sata),
                disk("nvme0n1", &linked),
            ],
            &[],
        );
        assert_eq!(shown.matches("all as sda above").count(), 1, "{shown}");
        assert_eq!(shown.matches("ahci at").count(), 2, "{shown}");
    }

    #[test]
    fn hostile_names_and_long_notes_stay_in_their_lines() {
        let shown = view(
            vec![disk("sda", &[("model", "x\x1b[2J\ny")])],
            &["word ".repeat(30).trim()],
        );
        assert!(shown.contains("x?[2J?y"), "{shown}");
        assert!(
            shown.lines().all(|line| line.chars().count() <= 80),
            "{shown}"
        );
    }
}
