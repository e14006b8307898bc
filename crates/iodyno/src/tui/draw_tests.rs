//! Whole screens from made-up histories, at the sizes that people have.

use super::draw::{Around, Lists, screen};
use super::panels;
use super::state::{OpenOverlay, ScreenState};
use super::theme::{Depth, Theme};
use super::{Choice, Known, ScreenLook, text};
use analyse::fields::{Fields, Frame};
use model::finding::{Evidence, Finding, Level};
use model::reading::{ReadingRow, SeriesName};
use model::sample::MetricKind::{Counter, Gauge};
use observe::{LayerHistory, Sampler, Status, Tracing};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const SECOND_NS: i64 = 1_000_000_000;
/// The end of the history.
const LAST_NS: i64 = 120 * SECOND_NS;
/// A name that would turn a terminal red, and a long one.
const NAUGHTY: &str = "sd\u{1b}[31mx";
const LONG: &str = "vg_mysql-data_production_01";

/// A machine: `nvme0n1` reads 41,200 times and writes 8,100 times a second, 88 µs and 1.2 ms each; the others do a
/// little, `sdz` nothing.
struct Machine {
    sampler: Sampler,
    status: Status,
    layers: LayerHistory,
    frame: Frame,
    choice: Choice,
    theme: Theme,
    known: Known,
    findings: Vec<Finding>,
    at_ns: i64,
}

/// Per second: reads, writes, time of one read and of one write in ms.
const DEVICES: [(&str, f64, f64, f64, f64); 5] = [
    ("nvme0n1", 41_200.0, 8_100.0, 0.088, 1.2),
    ("sda", 0.0, 12.0, 0.0, 6.04),
    (NAUGHTY, 3.0, 0.0, 19.1, 0.0),
    (LONG, 1_100.0, 640.0, 4.1, 19.0),
    ("sdz", 0.0, 0.0, 0.0, 0.0),
];

/// The series of a device, in the order of the cells of [`row`].
fn series_of(device: &str) -> Vec<SeriesName> {
    let counters = [
        "read_ios",
        "read_sectors",
        "read_ms",
        "write_ios",
        "write_sectors",
        "write_ms",
        "io_ticks_ms",
        "queue_ms",
        "read_merges",
        "write_merges",
    ];
    let series = |what: &str, kind| SeriesName {
        name: format!("disk.{device}.{what}"),
        kind,
    };
    let mut all: Vec<SeriesName> = counters.map(|what| series(what, Counter)).into();
    all.push(series("in_flight", Gauge));
    all
}

/// The sample of a tenth of a second.
fn row(tick: i64) -> ReadingRow {
    let seconds = tick as f64 / 10.0;
    let cells = DEVICES
        .iter()
        .flat_map(|(_, reads, writes, read_ms, write_ms)| {
            let (reads, writes) = (reads * seconds, writes * seconds);
            let waited = reads * read_ms + writes * write_ms;
            let busy = if waited > 0.0 { seconds * 40.0 } else { 0.0 };
            let inflight = f64::from(u8::from(waited > 0.0));
            [
                reads,
                reads * 8.0,
                reads * read_ms,
                writes,
                writes * 8.0,
                writes * write_ms,
                busy,
                waited,
                0.0,
                0.0,
                inflight,
            ]
        });
    ReadingRow {
        time_ns: tick * SECOND_NS / 10,
        cells: cells.collect(),
    }
}

impl Machine {
    fn new(depth: Depth, is_ascii: bool) -> Machine {
        Machine::until(LAST_NS, depth, is_ascii)
    }

    fn until(last_ns: i64, depth: Depth, is_ascii: bool) -> Machine {
        let series = DEVICES.iter().flat_map(|(name, ..)| series_of(name));
        let rows = (0..=last_ns / (SECOND_NS / 10)).map(row).collect();
        let sampler = Sampler::of_rows([("diskstats", series.collect(), rows)]);
        let status = sampler.status();
        let frame =
            Fields::new(observe::fields()).frame(&sampler.readings(last_ns - SECOND_NS, last_ns));
        Machine {
            sampler,
            status,
            layers: LayerHistory::new(Tracing::off("nobody asked for it")),
            frame,
            choice: Choice::default(),
            theme: Theme { depth, is_ascii },
            known: Known::default(),
            findings: Vec::new(),
            at_ns: last_ns,
        }
    }

    fn look(&self) -> ScreenLook<'_> {
        ScreenLook {
            frame: &self.frame,
            sampler: &self.sampler,
            status: &self.status,
            layers: &self.layers,
            findings: &self.findings,
            at_ns: self.at_ns,
            span_ns: 60 * SECOND_NS,
            interval_ms: 100,
            known: &self.known,
            device: "nvme0n1",
            choice: &self.choice,
            theme: &self.theme,
        }
    }

    fn draw(&self, state: &ScreenState, width: u16, height: u16) -> Buffer {
        let around = Around {
            hostname: "db-3".into(),
            kernel: "6.1.0-30-amd64".into(),
            origin_unix_ms: 1_700_000_000_000,
            zone: host::clock::TimeZone::UTC,
            cost_percent: Some(0.23),
            recording_ms: None,
        };
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        screen(&self.look(), state, &around, panels::ALL, &mut buffer);
        buffer
    }

    fn lines(&self, state: &ScreenState, width: u16, height: u16) -> Vec<String> {
        text::lines(&self.draw(state, width, height))
    }
}

fn plain() -> Machine {
    Machine::new(Depth::None, false)
}

fn finding() -> Finding {
    Finding {
        rule: "irq_single_cpu".into(),
        level: Level::Warning,
        claim: "nvme0n1: all its interrupts on CPU 4, which is 91 % busy".into(),
        evidence: vec![Evidence {
            name: "irq.device_per_s".into(),
            value: "41 k/s on CPU 4".into(),
        }],
        refuted_by: "CPU 4 is as busy when the device is idle.".into(),
        advice: "Let the interrupts go to several CPUs.".into(),
        ..Finding::default()
    }
}

fn line<'a>(lines: &'a [String], what: &str) -> &'a str {
    lines
        .iter()
        .find(|line| line.contains(what))
        .unwrap_or_else(|| panic!("no {what} in\n{}", lines.join("\n")))
}

#[test]
fn figures_have_their_units_at_every_size() {
    for (width, height) in [(60, 16), (80, 24), (100, 30), (160, 50)] {
        let lines = plain().lines(&ScreenState::new(100), width, height);
        assert_eq!(lines.len(), usize::from(height));
        let row = line(&lines, ">nvme0n1 ");
        for figure in ["41.2k", "8.10k", "161", "31.6", "88.0 µs", "1.20 ms"] {
            assert!(row.contains(figure), "{figure} at {width}: {row}");
        }
        let all = lines.join("\n");
        assert!(line(&lines, "sda ").contains("6.04 ms"), "{all}");
        assert!(
            all.contains("…+1 idle (i shows)") && !all.contains("sdz"),
            "{all}"
        );
        assert!(
            lines[0].contains("iodyno watch") && lines[0].contains("live"),
            "{}",
            lines[0]
        );
        assert!(
            width < 80 || lines[0].contains("samples late 0 lost 0"),
            "{}",
            lines[0]
        );
        assert!(
            lines[0].contains("0.2 % of a CPU") && lines[0].contains("? help"),
            "{}",
            lines[0]
        );
        let footer = lines.last().unwrap();
        assert!(
            footer.contains("[1]dev") && footer.contains("q quit"),
            "{footer}"
        );
        assert!(line(&lines, "kept").contains("2 min kept"), "{all}");
    }
}

#[test]
fn columns_that_do_not_fit_are_counted() {
    let at = |width| plain().lines(&ScreenState::new(100), width, 30);
    assert!(
        line(&at(60), "DEVICE").ends_with("…+11"),
        "{}",
        line(&at(60), "DEVICE")
    );
    assert!(line(&at(80), "DEVICE").ends_with("…+8"));
    let wide = at(160);
    let titles = line(&wide, "DEVICE");
    assert!(
        !titles.contains("…+") && titles.contains("write await 60 s"),
        "{titles}"
    );
}

#[test]
fn names_from_devices_do_no_harm() {
    let lines = plain().lines(&ScreenState::new(100), 80, 24);
    assert!(lines.iter().all(|line| !line.contains('\u{1b}')));
    assert!(line(&lines, "sd?").contains("3"), "{lines:?}");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("vg_") && line.contains("_01") && line.contains('…'))
    );
    let wide = plain().lines(&ScreenState::new(100), 200, 24);
    assert!(line(&wide, "vg_mysql-").contains("uction_01"), "{wide:?}");
}

#[test]
fn the_first_sample_is_no_rate() {
    let mut first = Machine::until(0, Depth::None, false);
    first.choice.shows_idle = true;
    let lines = first.lines(&ScreenState::new(100), 80, 24);
    let row = line(&lines, ">nvme0n1 ");
    assert!(!row.contains('k') && row.matches('–').count() >= 8, "{row}");
    assert!(row.ends_with('╌'), "{row}");
}

#[test]
fn the_minute_before_the_first_sample_is_a_gap() {
    let young = Machine::until(20 * SECOND_NS, Depth::None, false);
    let lines = young.lines(&ScreenState::new(100), 80, 24);
    let row = line(&lines, ">nvme0n1 ");
    let curve = row.rsplit(' ').next().unwrap();
    assert!(curve.starts_with('╌') && curve.ends_with('█'), "{row}");
    assert!(!curve.contains('▁'), "nothing is drawn as zero: {row}");
}

#[test]
fn utilisation_of_what_is_not_known_to_be_one_disk_is_not_shown() {
    let lines = plain().lines(&ScreenState::new(100), 80, 24);
    assert!(!line(&lines, ">nvme0n1 ").contains('%'));
}

#[test]
fn ascii_has_nothing_else() {
    for (width, height) in [(60, 16), (80, 24), (160, 50)] {
        let machine = Machine::new(Depth::None, true);
        for open in [
            OpenOverlay::Nothing,
            OpenOverlay::Help(0),
            OpenOverlay::Explain(0),
            OpenOverlay::Sort(1),
        ] {
            let lines = machine.lines(
                &ScreenState {
                    open,
                    ..ScreenState::new(100)
                },
                width,
                height,
            );
            assert!(
                lines.iter().all(|line| line.is_ascii()),
                "{}",
                lines.join("\n")
            );
        }
        let lines = machine.lines(&ScreenState::new(100), width, height);
        assert!(line(&lines, ">nvme0n1 ").contains("88.0 us"));
    }
}

#[test]
fn without_colour_nothing_is_coloured_and_nothing_is_lost() {
    use ratatui::style::Color;
    let mut machine = plain();
    machine.findings = vec![finding()];
    let bare = machine.draw(&ScreenState::new(100), 160, 50);
    assert!(
        bare.content
            .iter()
            .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
    );
    machine.theme.depth = Depth::True;
    let coloured = machine.draw(&ScreenState::new(100), 160, 50);
    assert!(coloured.content.iter().any(|cell| cell.fg != Color::Reset));
    assert_eq!(
        text::lines(&bare),
        text::lines(&coloured),
        "colour only repeats what words say"
    );
}

#[test]
fn a_finding_comes_first_and_opens() {
    let mut machine = plain();
    machine.findings = vec![finding()];
    let lines = machine.lines(&ScreenState::new(100), 80, 24);
    assert!(
        lines[1].starts_with("! nvme0n1: all its interrupts on CPU 4"),
        "{}",
        lines[1]
    );
    assert!(lines[1].ends_with("f findings (1)"), "{}", lines[1]);
    let open = ScreenState {
        focus: '7',
        is_expanded: true,
        ..ScreenState::new(100)
    };
    let all = machine.lines(&open, 80, 24).join("\n");
    for part in [
        "evidence",
        "41 k/s on CPU 4",
        "refuted by",
        "Let the interrupts go",
        "explain irq_single_cpu",
    ] {
        assert!(all.contains(part), "{part} in\n{all}");
    }
}

#[test]
fn the_past_says_when_it_was() {
    let mut machine = plain();
    machine.at_ns = 60 * SECOND_NS;
    let state = ScreenState {
        paused_ns: Some(machine.at_ns),
        ..ScreenState::new(100)
    };
    for width in [80, 160] {
        let lines = machine.lines(&state, width, 24);
        assert!(
            lines[0].contains("paused") && !lines[0].contains("live"),
            "{}",
            lines[0]
        );
        let timeline = line(&lines, "kept");
        assert!(
            timeline.contains("60 s ago") && timeline.contains('┊'),
            "{timeline}"
        );
        assert!(text::width(timeline) <= usize::from(width));
    }
}

#[test]
fn a_small_terminal_gets_one_true_line() {
    for (width, height) in [(59, 24), (80, 15), (30, 4), (10, 1)] {
        let lines = plain().lines(&ScreenState::new(100), width, height);
        assert!(lines[0].starts_with("nvme0n1"), "{lines:?}");
        if width > 30 {
            assert!(
                lines[0].contains("41.2 k r/s") && lines.join(" ").contains("--plain"),
                "{lines:?}"
            );
        }
    }
}

#[test]
fn rows_are_sorted_filtered_and_chosen() {
    let mut machine = plain();
    machine.choice.sort = Some("disk.await_write_ms");
    let names = |machine: &Machine| Lists::of(&machine.look()).rows;
    assert_eq!(
        names(&machine),
        [LONG, "sda", "nvme0n1", NAUGHTY],
        "no value comes last"
    );
    machine.choice.is_reversed = true;
    assert_eq!(names(&machine), ["nvme0n1", "sda", LONG, NAUGHTY]);
    machine.choice = Choice {
        filter: "SD".into(),
        ..Choice::default()
    };
    assert_eq!(names(&machine), ["sda", NAUGHTY]);
    machine.choice.shows_idle = true;
    assert_eq!(names(&machine), ["sda", NAUGHTY, "sdz"]);
    machine.choice = Choice {
        devices: vec!["sdz".into()],
        ..Choice::default()
    };
    assert_eq!(
        names(&machine),
        ["sdz"],
        "a chosen device is shown though it is idle"
    );
    machine.choice = Choice {
        filter: "xyz".into(),
        ..Choice::default()
    };
    let lines = machine.lines(&ScreenState::new(100), 80, 24);
    assert!(lines.join("\n").contains("no device's name holds `xyz`"));
    assert!(
        !lines.join("\n").contains(":  was"),
        "a sentence lacks its subject: {lines:#?}"
    );
    assert_eq!(Lists::of(&machine.look()).devices.len(), 5);
}

#[test]
fn a_device_that_was_busy_since_the_start_is_no_idle_one() {
    let mut machine = Machine::until(20 * SECOND_NS, Depth::None, false);
    // The last rows say nothing of the seconds before.
    machine.at_ns = 20 * SECOND_NS;
    let lines = machine.lines(&ScreenState::new(100), 80, 24);
    assert!(
        line(&lines, "idle (i shows)").contains("…+1 idle"),
        "{lines:?}"
    );
}

#[test]
fn every_key_has_a_line_of_help_and_every_field_its_limits() {
    let help = plain()
        .lines(
            &ScreenState {
                open: OpenOverlay::Help(0),
                ..ScreenState::new(100)
            },
            100,
            60,
        )
        .join("\n");
    assert!(
        help.contains("stops the picture; sampling goes on")
            && help.contains("every action by its name")
    );
    let small = plain()
        .lines(
            &ScreenState {
                open: OpenOverlay::Help(0),
                ..ScreenState::new(100)
            },
            80,
            24,
        )
        .join("\n");
    for first in [
        "leaves",
        "this list",
        "stops the picture; sampling goes on",
        "one sample back",
        "the next row",
    ] {
        assert!(small.contains(first), "{first} is below the fold:\n{small}");
    }
    let explain = plain()
        .lines(
            &ScreenState {
                open: OpenOverlay::Explain(6),
                ..ScreenState::new(100)
            },
            80,
            24,
        )
        .join("\n");
    assert!(
        explain.contains(">disk.await_read_ms") && explain.contains("Cannot tell"),
        "{explain}"
    );
    assert!(explain.contains("/proc/diskstats"), "{explain}");
    let filter = ScreenState {
        open: OpenOverlay::Filter,
        choice: Choice {
            filter: "nv".into(),
            ..Choice::default()
        },
        ..ScreenState::new(100)
    };
    assert!(
        plain()
            .lines(&filter, 80, 24)
            .iter()
            .any(|line| line.starts_with("/nv_"))
    );
}

#[test]
fn no_size_makes_it_fall() {
    let mut machine = plain();
    machine.findings = vec![finding(), finding()];
    for (width, height) in [
        (1, 1),
        (60, 16),
        (61, 17),
        (139, 16),
        (140, 16),
        (141, 40),
        (300, 100),
    ] {
        for open in [
            OpenOverlay::Nothing,
            OpenOverlay::Help(99),
            OpenOverlay::Explain(99),
            OpenOverlay::Sort(99),
            OpenOverlay::Devices(99),
            OpenOverlay::Palette("q".into(), 99),
        ] {
            for hidden in [vec![], vec!['1'], vec!['1', '7', '8']] {
                let state = ScreenState {
                    open: open.clone(),
                    hidden,
                    ..ScreenState::new(100)
                };
                assert_eq!(machine.draw(&state, width, height).area.width, width);
            }
        }
    }
}
