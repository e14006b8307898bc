//! Where the time of an I/O went in each load of a check: one strip a load, shared out from the program to the device and back.

use super::layers::segment;
use crate::figure::{Figure, FigureTable};
use crate::frame::{Size, both};
use crate::svg::{Anchor, Picture, Svg};
use model::record::Record;
use model::time_account::{TimeAccount, TimePart, TimePlace};
use model::units;

/// Height of a strip with its head.
const STRIP: f64 = 34.0;

/// The figure of a check whose loads were watched.
pub fn figure(record: &Record) -> Option<Figure> {
    let accounts = &record.check()?.accounts;
    if accounts.is_empty() {
        return None;
    }
    let draw = |size, id: &str| drawn(accounts, size, id);
    let (svg, narrow) = both(accounts.len() as f64 * STRIP, draw, "time-account");
    Some(Figure {
        id: "time-account".into(),
        title: title(accounts),
        caption: "Each strip is the mean time of one I/O, shared out. Time on a CPU, in run queues and by layer is counted; where \
                  threads slept is sampled, and the table has the uncertainty of 95 %."
            .into(),
        description: description(accounts),
        svg,
        narrow,
        table: table(accounts),
        absent: None,
        readings: None,
    })
}

fn largest(account: &TimeAccount) -> Option<&TimePart> {
    let parts = account.parts.iter();
    parts.max_by(|one, other| one.share.total_cmp(&other.share))
}

fn title(accounts: &[TimeAccount]) -> String {
    let first = accounts.first();
    let most = first.and_then(|account| Some((account, largest(account)?)));
    most.map_or("Where the time of an I/O goes".into(), |(account, part)| {
        format!(
            "Where the time of an I/O goes: under {} {} {}",
            account.load,
            units::share(part.share),
            part.place.phrase()
        )
    })
}

fn description(accounts: &[TimeAccount]) -> String {
    let one = |account: &TimeAccount| {
        let part = largest(account)?;
        let (place, share) = (part.place.label(), units::share(part.share));
        Some(format!("{}: {place} {share}", account.load))
    };
    let told: Vec<String> = accounts.iter().filter_map(one).collect();
    told.join("; ") + "."
}

fn table(accounts: &[TimeAccount]) -> FigureTable {
    let mut table = FigureTable::new(&["load", "I/O", "mean time", "place", "share", "±", "in"]);
    for account in accounts {
        for part in &account.parts {
            table.row([
                account.load.clone(),
                account.io.clone(),
                units::duration_ns(account.mean_us * 1e3),
                part.place.label().into(),
                units::percent(part.share * 100.0),
                units::percent(part.uncertainty * 100.0),
                part.function.clone().unwrap_or_else(|| "–".into()),
            ]);
        }
    }
    table.first("parts")
}

fn drawn(accounts: &[TimeAccount], size: Size, id: &str) -> Picture {
    let mut svg = Svg::new();
    for (index, account) in accounts.iter().enumerate() {
        let y = 14.0 + index as f64 * STRIP;
        let time = units::duration_ns(account.mean_us * 1e3);
        let head = format!("{}: {time} for a {}", account.load, account.io);
        svg.text("t2", (1.0, y), Anchor::Start, &head);
        let mut at = 1.0;
        for part in &account.parts {
            let width = part.share * (size.width - 2.0);
            let label = part.place.label();
            segment(
                &mut svg,
                (at, y + 4.0),
                width,
                shade(part.place),
                label,
                part.share,
                size,
            );
            at += width;
        }
    }
    let height = accounts.len() as f64 * STRIP + 6.0;
    svg.finish(id, (size.width, height), &description(accounts))
}

/// Neighbours that belong together have one shade: the program, its waits for a CPU, the file system, the block layer, the device, the
/// way back.
fn shade(place: TimePlace) -> usize {
    match place {
        TimePlace::Program | TimePlace::SystemCall => 0,
        TimePlace::CpuWait | TimePlace::CpuThrottled => 1,
        TimePlace::Memory
        | TimePlace::FileSystem
        | TimePlace::Journal
        | TimePlace::PageCache
        | TimePlace::Writeback => 2,
        TimePlace::Request | TimePlace::Plug | TimePlace::Scheduler | TimePlace::Mapping => 3,
        TimePlace::Device => 4,
        TimePlace::Completion | TimePlace::Unknown => 5,
    }
}
