//! What the fields of a panel mean and what they cannot tell, from the same catalogue that computes them.

use super::boxed::boxed;
use super::panels::devices;
use super::{ScreenLook, text};
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// One thing to explain.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ExplainedEntry {
    /// Field id, or the letters of a layer.
    id: String,
    unit: &'static str,
    meaning: &'static str,
    cannot_tell: &'static str,
    /// The sensor, and the files it reads.
    source: String,
}

/// The layers' letters are blktrace's.
const LAYERS: [(&str, &str, &str); 7] = [
    (
        "Q2G",
        "waiting for a request: tags, plugging of what came before, throttling",
        "",
    ),
    (
        "G2I",
        "in the submitter's batch (plug), until it reaches the scheduler",
        "absent without a scheduler, which is not zero",
    ),
    (
        "I2D",
        "in the scheduler",
        "absent without a scheduler, which is not zero",
    ),
    (
        "G2D",
        "from the request to the driver where no scheduler is between them",
        "",
    ),
    (
        "D2C",
        "in driver and device",
        "which of the two: a queue in the device counts as device",
    ),
    (
        "Q2C",
        "all of it, bio by bio",
        "waiting in the page cache or in the program, before the block layer",
    ),
    (
        "G2C",
        "all of it from the request on",
        "the wait for a request",
    ),
];

/// How many entries a panel has.
pub fn count(panel: char) -> usize {
    entries(panel).len()
}

fn entries(panel: char) -> Vec<ExplainedEntry> {
    match panel {
        '1' => devices::explained()
            .into_iter()
            .filter_map(|id| observe::field(id))
            .map(entry)
            .collect(),
        '2' | '3' => LAYERS.iter().map(layer).collect(),
        '4' => of(&["memory.", "vm.", "bdi."]),
        '5' => of(&["cpu.", "irq.", "softirq.", "stat."]),
        '6' => of(&["process.", "cgroup."]),
        '8' => of(&["pressure.", "md.", "temperature.", "throttle.", "health."]),
        _ => Vec::new(),
    }
}

/// Fields whose ids begin so.
fn of(prefixes: &[&str]) -> Vec<ExplainedEntry> {
    let all = observe::sensors::ALL
        .iter()
        .flat_map(|sensor| sensor.fields.iter().map(move |field| (*sensor, field)));
    all.filter(|(_, field)| prefixes.iter().any(|prefix| field.name.starts_with(prefix)))
        .map(entry)
        .collect()
}

fn entry(
    (sensor, field): (&'static observe::Sensor, &'static model::field::Field),
) -> ExplainedEntry {
    ExplainedEntry {
        id: field.id(),
        unit: field.unit,
        meaning: field.meaning,
        cannot_tell: field.cannot_tell,
        source: format!("{} (sensor {})", sensor.reads.join(", "), sensor.id),
    }
}

fn layer(
    (letters, meaning, cannot_tell): &(&'static str, &'static str, &'static str),
) -> ExplainedEntry {
    ExplainedEntry {
        id: (*letters).to_string(),
        unit: "ns",
        meaning,
        cannot_tell,
        source: "the block layer's own events (iodyno explain layers)".into(),
    }
}

/// The list on the left, the one under the cursor in words on the right.
pub fn draw(look: &ScreenLook<'_>, panel: char, place: usize, area: Rect, buffer: &mut Buffer) {
    let entries = entries(panel);
    let height = area.height.saturating_sub(6).clamp(10, 24);
    let inner = boxed(
        look,
        " what it means: j k move, Esc closes ",
        100,
        height,
        area,
        buffer,
    );
    let Some(chosen) = entries.get(place.min(entries.len().saturating_sub(1))) else {
        text::left(
            buffer,
            inner,
            0,
            0,
            "This panel has no fields; its findings explain themselves: f",
            Style::new(),
        );
        return;
    };
    let widest = entries
        .iter()
        .map(|entry| entry.id.len())
        .max()
        .unwrap_or(0)
        .min(30);
    let room = usize::from(inner.height);
    let first = (place + 1).saturating_sub(room);
    for ((at, entry), y) in entries.iter().enumerate().skip(first).take(room).zip(0..) {
        let (mark, style) = if at == place {
            ('>', look.theme.strong())
        } else {
            (' ', look.theme.faint())
        };
        text::left(
            buffer,
            inner,
            0,
            y,
            &format!("{mark}{}", text::cut(&entry.id, widest)),
            style,
        );
    }
    let x = widest as u16 + 3;
    let right = Rect {
        x: inner.x + x,
        width: inner.width.saturating_sub(x),
        ..inner
    };
    let lines = words(look, chosen).into_iter().flat_map(|(said, style)| {
        let wrapped = text::wrap(&said, usize::from(right.width.max(1)));
        wrapped
            .into_iter()
            .chain(std::iter::once(String::new()))
            .map(move |line| (line, style))
    });
    for ((line, style), y) in lines.zip(0..right.height) {
        text::left(buffer, right, 0, y, &line, style);
    }
}

fn words(look: &ScreenLook<'_>, entry: &ExplainedEntry) -> Vec<(String, Style)> {
    let mut words = vec![
        (format!("{}, {}", entry.id, entry.unit), look.theme.strong()),
        (sentence(entry.meaning), Style::new()),
    ];
    if !entry.cannot_tell.is_empty() {
        words.push((
            format!("Cannot tell: {}.", entry.cannot_tell.trim_end_matches('.')),
            look.theme.warning(),
        ));
    }
    let known = look
        .known
        .get(look.device)
        .and_then(|device| device.parallel.as_ref());
    if let Some(why) = known.filter(|_| entry.id == "disk.busy_percent") {
        words.push((
            format!(
                "Shown as –: {}, so 100 % would not mean that no more fits.",
                text::clean(why)
            ),
            Style::new(),
        ));
    }
    let of_device = look
        .frame
        .get(&entry.id, look.device)
        .map(|value| (look.device, value));
    let value = of_device.or_else(|| look.frame.get(&entry.id, "").map(|value| ("", value)));
    if let Some((subject, value)) = value {
        let subject = if subject.is_empty() {
            String::new()
        } else {
            format!(" of {}", text::clean(subject))
        };
        words.push((
            format!("Now{subject}: {}.", figure(value, entry.unit)),
            Style::new(),
        ));
    }
    words.push((format!("From {}.", entry.source), look.theme.faint()));
    words
}

/// A value with its unit, as people write it.
fn figure(value: f64, unit: &str) -> String {
    match unit {
        "bytes" => units::bytes(value),
        "bytes/s" => units::bytes_per_s(value),
        "ms" => units::duration_ns(value * 1e6),
        "percent" => format!("{value} %", value = units::decimals(value, 1)),
        "/s" => format!("{}/s", units::count(value)),
        unit => format!("{} {unit}", units::count(value)),
    }
}

/// A half sentence of the catalogue as a whole one.
fn sentence(half: &str) -> String {
    let mut letters = half.chars();
    let whole: String = letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default();
    if whole.ends_with('.') || whole.is_empty() {
        whole
    } else {
        format!("{whole}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_device_table_is_in_the_catalogue() {
        for id in devices::explained() {
            let (_, field) =
                observe::field(id).unwrap_or_else(|| panic!("no sensor declares {id}"));
            assert!(!field.meaning.is_empty(), "{id}");
        }
        assert_eq!(count('1'), devices::explained().len());
        assert_eq!((count('3'), count('7')), (7, 0));
    }

    #[test]
    fn halves_become_sentences() {
        assert_eq!(sentence("reads completed"), "Reads completed.");
        assert_eq!(sentence(""), "");
        assert_eq!(
            [figure(41_234.0, "/s"), figure(0.088, "ms")],
            ["41.2 k/s", "88.0 µs"]
        );
    }
}
