//! The I/O path as one stack from the file down to the interrupts, with the settings that act on it and who set them.

use super::ranking::shortened;
use crate::figure::{Figure, FigureTable};
use crate::frame::{Size, both, text_width};
use crate::svg::{Anchor, Picture, Svg};
use model::iopath::{IoPath, Layer, LayerKind, Setting};
use model::ownership::SetBy;
use model::units;

/// Of more members side by side, those that are alike are drawn once.
const MOST_SIBLINGS: usize = 4;
const MOST_BOXES: usize = 40;
const LINE: f64 = 17.0;
/// In a narrower box a setting takes two lines, so that its name is whole.
const TWO_LINES_BELOW: f64 = 420.0;

/// Settings that are worth a line even where nobody touched them.
const SHOWN: [&str; 8] = [
    "scheduler",
    "nr_requests",
    "read_ahead_kb",
    "rq_affinity",
    "nomerges",
    "wbt_lat_usec",
    "max_sectors_kb",
    "write_cache",
];

/// The path below a target; none where there is none, as in an import.
pub fn figure(target: &str, path: &IoPath) -> Option<Figure> {
    let root = &path.root;
    if root.below.is_empty() && root.settings.is_empty() && root.facts.is_empty() {
        return None;
    }
    let layers = root.walk();
    if layers.len() > 4 * MOST_BOXES {
        let why = format!(
            "The path has {} layers: the table lists them.",
            layers.len()
        );
        return Some(Figure {
            table: table(path),
            ..Figure::absent("path", "The I/O path", why)
        });
    }
    let diagram = Diagram { path };
    let (svg, narrow) = both(0.0, |size, id| diagram.draw(size, id), "path");
    let unusual = changed(path).len();
    Some(Figure {
        id: "path".into(),
        title: match unusual {
            0 if has_unknown(path) => format!("The path of {target}: no setting is known to be changed"),
            0 => format!("The path of {target}: every setting shown is the kernel's own"),
            1 => format!("The path of {target}: one setting is not the kernel's own"),
            n => format!("The path of {target}: {n} settings are not the kernel's own"),
        },
        caption: "From what was named down to the disk, as it was at the start. Behind each setting: who set it; a bar marks \
                  what is not the kernel's default, two names a setting that is contested."
            .into(),
        description: layers.iter().map(|layer| layer_words(layer)).collect::<Vec<_>>().join("; below it ") + ".",
        svg,
        narrow,
        table: table(path),
        absent: None,
            readings: None,
    })
}

/// Whether what the kernel would give is not known for any of the settings shown.
fn has_unknown(path: &IoPath) -> bool {
    let layers = path.root.walk();
    layers
        .iter()
        .flat_map(|layer| shown(layer))
        .any(|setting| setting.set_by() == SetBy::Unknown)
}

/// Settings of the path that are not what the kernel gives by itself.
pub fn changed(path: &IoPath) -> Vec<(&Layer, &Setting)> {
    let layers = path.root.walk();
    let of_layer = |layer: &&'_ Layer| -> Vec<usize> {
        let is_changed =
            |setting: &Setting| matches!(setting.set_by(), SetBy::Owner(_) | SetBy::Hand);
        layer
            .settings
            .iter()
            .enumerate()
            .filter(|(_, setting)| is_changed(setting))
            .map(|(index, _)| index)
            .collect()
    };
    layers
        .into_iter()
        .flat_map(|layer| {
            of_layer(&layer)
                .into_iter()
                .map(move |index| (layer, &layer.settings[index]))
        })
        .collect()
}

/// Who set it, in a word or two.
pub fn owner_word(setting: &Setting) -> String {
    let contested = setting
        .dissenters()
        .into_iter()
        .filter(|owner| owner.is_certain())
        .map(|owner| owner.kind.clone())
        .next();
    let word = match setting.set_by() {
        SetBy::Owner(owner) => match owner.place.is_empty() {
            true => owner.kind.clone(),
            false => owner.place.clone(),
        },
        SetBy::Kernel(_) => "kernel".into(),
        SetBy::Hand => "by hand".into(),
        SetBy::Unknown => "default not known".into(),
    };
    match contested {
        Some(other) if setting.is_contested() => format!("{word}, against {other}"),
        _ => word,
    }
}

fn layer_words(layer: &Layer) -> String {
    match layer.title.is_empty() {
        true => format!("{} ({})", layer.name, kind_word(layer.kind)),
        false => format!("{} ({})", layer.name, layer.title),
    }
}

/// A kind of layer in a word.
fn kind_word(kind: LayerKind) -> &'static str {
    match kind {
        LayerKind::Target => "target",
        LayerKind::FileSystem => "file system",
        LayerKind::Partition => "partition",
        LayerKind::Loop => "loop device",
        LayerKind::Zram => "compressed memory",
        LayerKind::Stacked => "stacked device",
        LayerKind::Disk => "disk",
        LayerKind::Unbacked => "no block device",
        LayerKind::Cluster => "Ceph cluster",
        LayerKind::Pool => "pool",
        LayerKind::Osd => "OSD",
        LayerKind::Machine => "machine",
    }
}

fn table(path: &IoPath) -> FigureTable {
    let mut table = FigureTable::new(&["layer", "setting", "value", "set by", "kernel default"]);
    for layer in path.root.walk() {
        for setting in shown(layer) {
            table.row([
                layer.name.clone(),
                setting.name.clone(),
                setting.value.to_string(),
                owner_word(setting),
                setting
                    .default
                    .as_ref()
                    .map_or("not known".into(), |default| default.value.clone()),
            ]);
        }
    }
    table.first("settings")
}

/// The settings of a layer that have a line: those that somebody changed, and those that people ask for.
fn shown(layer: &Layer) -> Vec<&Setting> {
    let is_shown = |setting: &&Setting| {
        let is_named = SHOWN.contains(&setting.name.as_str()) && setting.value.value().is_some();
        let is_changed = matches!(setting.set_by(), SetBy::Owner(_) | SetBy::Hand);
        is_named || is_changed || setting.is_contested()
    };
    layer.settings.iter().filter(is_shown).collect()
}

struct Diagram<'a> {
    path: &'a IoPath,
}

impl Diagram<'_> {
    fn draw(&self, size: Size, id: &str) -> Picture {
        let mut svg = Svg::new();
        let mut boxes = 0;
        let bottom = self.layer(
            &mut svg,
            &self.path.root,
            (1.0, 4.0),
            size.width - 2.0,
            size,
            &mut boxes,
        );
        let layers: Vec<String> = self
            .path
            .root
            .walk()
            .iter()
            .map(|layer| layer_words(layer))
            .collect();
        svg.finish(
            id,
            (size.width, bottom + 4.0),
            &format!("The path from the top: {}", layers.join(", ")),
        )
    }

    /// Draws a layer and what is below it, and gives the bottom.
    fn layer(
        &self,
        svg: &mut Svg,
        layer: &Layer,
        (x, y): (f64, f64),
        width: f64,
        size: Size,
        boxes: &mut usize,
    ) -> f64 {
        *boxes += 1;
        let bottom = draw_box(svg, layer, (x, y), width, size);
        if layer.below.is_empty() || *boxes > MOST_BOXES {
            return bottom;
        }
        let groups = grouped(&layer.below);
        let side_by_side = groups.len() > 1 && groups.len() <= MOST_SIBLINGS && !size.is_narrow();
        let gap = 10.0;
        let member_width = match side_by_side {
            true => (width - gap * (groups.len() - 1) as f64) / groups.len() as f64,
            false => width - if groups.len() > 1 { 12.0 } else { 0.0 },
        };
        let (mut at_x, mut at_y, mut lowest) = (x, bottom + 14.0, bottom);
        for (member, count) in groups {
            let from_x = at_x
                + if side_by_side || layer.below.len() == 1 {
                    0.0
                } else {
                    12.0
                };
            let middle = from_x + member_width.min(60.0) / 2.0;
            svg.path(
                "arrow",
                &arrow(
                    middle,
                    if side_by_side { bottom } else { at_y - 14.0 },
                    at_y,
                ),
            );
            if count > 1 {
                let names: Vec<&str> = layer.below.iter().map(|one| one.name.as_str()).collect();
                let text = format!("{count} × alike: {}", names.join(" "));
                svg.text(
                    "t2",
                    (middle + 10.0, at_y - 3.0),
                    Anchor::Start,
                    &shortened(&text, (width / 7.0) as usize),
                );
            }
            let end = self.layer(svg, member, (from_x, at_y), member_width, size, boxes);
            lowest = lowest.max(end);
            if side_by_side {
                at_x += member_width + gap;
            } else {
                at_y = end + 14.0;
            }
        }
        lowest
    }
}

fn arrow(x: f64, from: f64, to: f64) -> String {
    let n = crate::svg::number;
    format!(
        "M{} {}V{}M{} {}L{} {}L{} {}",
        n(x),
        n(from),
        n(to),
        n(x - 3.0),
        n(to - 4.0),
        n(x),
        n(to),
        n(x + 3.0),
        n(to - 4.0)
    )
}

/// Members that differ in nothing but their name are one, with their number.
fn grouped(below: &[Layer]) -> Vec<(&Layer, usize)> {
    let mut groups: Vec<(&Layer, usize)> = Vec::new();
    let is_alike = |one: &Layer, other: &Layer| {
        let settings = |layer: &Layer| {
            shown(layer)
                .iter()
                .map(|s| (s.name.clone(), s.value.to_string()))
                .collect::<Vec<_>>()
        };
        one.kind == other.kind
            && one.title == other.title
            && settings(one) == settings(other)
            && one.below.len() == other.below.len()
    };
    for layer in below {
        match groups
            .iter_mut()
            .find(|(first, _)| below.len() > MOST_SIBLINGS && is_alike(first, layer))
        {
            Some((_, count)) => *count += 1,
            None => groups.push((layer, 1)),
        }
    }
    groups
}

fn draw_box(svg: &mut Svg, layer: &Layer, (x, y): (f64, f64), width: f64, size: Size) -> f64 {
    let columns = (width / 6.9) as usize;
    let head = match layer.title.is_empty() {
        true => String::new(),
        false => layer.title.clone(),
    };
    let settings = shown(layer);
    let facts = facts(layer);
    let name_room = text_width(&layer.name) * 1.06 + 22.0;
    let title_below = name_room + text_width(&head) > width - 8.0;
    let title_lines = if head.is_empty() || !title_below {
        Vec::new()
    } else {
        wrapped(&head, columns.saturating_sub(3).max(8))
    };
    let fact_lines: Vec<String> = facts
        .iter()
        .flat_map(|fact| wrapped(fact, columns.saturating_sub(3).max(8)))
        .collect();
    let rows = 1
        + title_lines.len()
        + fact_lines.len()
        + settings.len() * if width < TWO_LINES_BELOW { 2 } else { 1 };
    let height = rows as f64 * LINE + 12.0;
    svg.rect("box", (x, y), (width, height));
    let mut at = y + LINE;
    svg.text(
        "t strong",
        (x + 10.0, at),
        Anchor::Start,
        &shortened(&layer.name, columns.saturating_sub(2).max(4)),
    );
    if title_lines.is_empty() && !head.is_empty() {
        svg.text("t2", (x + name_room, at), Anchor::Start, &head);
    }
    for line in title_lines.iter().chain(&fact_lines) {
        at += LINE;
        svg.text("t2", (x + 10.0, at), Anchor::Start, line);
    }
    for setting in settings {
        at += LINE;
        at = draw_setting(svg, setting, (x, at), width, size);
    }
    y + height
}

/// One line: name, value, owner; a bar in front where it is not the kernel's own.
fn draw_setting(
    svg: &mut Svg,
    setting: &Setting,
    (x, y): (f64, f64),
    width: f64,
    size: Size,
) -> f64 {
    let is_changed =
        matches!(setting.set_by(), SetBy::Owner(_) | SetBy::Hand) || setting.is_contested();
    if is_changed {
        svg.rect("unusual", (x + 4.0, y - 12.0), (3.0, 15.0));
    }
    let value = setting
        .chosen()
        .map_or_else(|| setting.value.to_string(), str::to_string);
    let owner = owner_word(setting);
    let class = if is_changed { "t strong" } else { "t" };
    if width < TWO_LINES_BELOW {
        let named = ((width * 0.62) / 6.7) as usize;
        svg.text(
            "t2",
            (x + 12.0, y),
            Anchor::Start,
            &shortened(&setting.name, named),
        );
        svg.text(
            class,
            (x + width - 10.0, y),
            Anchor::End,
            &shortened(&value, (width / 14.0) as usize),
        );
        let room = ((width - 30.0) / 6.7) as usize;
        svg.text(
            "t3",
            (x + 24.0, y + LINE - 3.0),
            Anchor::Start,
            &shortened(&owner, room.max(6)),
        );
        return y + LINE - 3.0;
    }
    let (value_at, owner_at) = (
        x + width * 0.30,
        x + width * if size.is_narrow() { 0.62 } else { 0.48 },
    );
    let room = |from: f64, to: f64| (((to - from) / 6.9) as usize).max(4);
    svg.text(
        "t2",
        (x + 12.0, y),
        Anchor::Start,
        &shortened(&setting.name, room(x + 12.0, value_at)),
    );
    svg.text(
        class,
        (value_at, y),
        Anchor::Start,
        &shortened(&value, room(value_at, owner_at)),
    );
    svg.text(
        "chip",
        (owner_at, y),
        Anchor::Start,
        &shortened(&owner, room(owner_at, x + width - 8.0)),
    );
    y
}

/// Facts worth a line: size, model, mount options, link, interrupts.
fn facts(layer: &Layer) -> Vec<String> {
    let mut facts = Vec::new();
    let mut parts = Vec::new();
    if let Some(size) = layer.number("size_bytes") {
        parts.push(units::bytes(size));
    }
    for name in ["model", "fstype", "options", "level", "link", "driver"] {
        if let Some(text) = layer
            .fact(name)
            .filter(|text| !text.is_empty() && !layer.title.contains(*text))
        {
            parts.push(text.to_string());
        }
    }
    if !layer.queues.is_empty() {
        let queues = layer.queues.len();
        parts.push(format!(
            "{queues} hardware queue{}",
            if queues == 1 { "" } else { "s" }
        ));
    }
    if !parts.is_empty() {
        facts.push(parts.join(" · "));
    }
    if !layer.interrupts.is_empty() {
        let line = |irq: &model::iopath::Interrupt| match &irq.effective_cpus {
            Some(cpus) => format!("{} → CPU {cpus}", irq.irq),
            None => irq.irq.to_string(),
        };
        let shown: Vec<String> = layer.interrupts.iter().take(4).map(line).collect();
        let more = layer.interrupts.len().saturating_sub(4);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        facts.push(format!("interrupts {}{more}", shown.join(", ")));
    }
    facts
}

/// Lines of at most so many characters, broken at spaces and after commas where there are any.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive([' ', ',']) {
        if line.chars().count() + word.trim_end().chars().count() > most && !line.is_empty() {
            lines.push(std::mem::take(&mut line).trim_end().to_string());
        }
        line.push_str(word);
        while line.chars().count() > most + 1 {
            lines.push(line.chars().take(most).collect());
            line = line.chars().skip(most).collect();
        }
    }
    if !line.trim().is_empty() {
        lines.push(line.trim_end().to_string());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_wraps_and_loses_nothing() {
        let text = "rw,relatime,errors=remount-ro and-one-word-that-is-far-too-long-for-a-line end";
        let lines = wrapped(text, 20);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 21),
            "{lines:?}"
        );
        let plain = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
        assert_eq!(plain(&lines.concat()), plain(text));
    }

    #[test]
    fn members_that_are_alike_are_drawn_once() {
        let disk = |name: &str| Layer::new(LayerKind::Disk, name);
        let members: Vec<Layer> = (0..8).map(|index| disk(&format!("sd{index}"))).collect();
        assert_eq!(grouped(&members).len(), 1);
        assert_eq!(grouped(&members)[0].1, 8);
        assert_eq!(grouped(&members[..3]).len(), 3, "a few are drawn each");
    }
}
