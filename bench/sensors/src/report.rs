//! The section of `bench/RESULTS.md`.

use crate::Results;
use crate::cost::Cost;
use crate::day::{Day, HOURS};
use crate::tools::Round;
use stats::FiveNumbers;
use std::fmt::Write;

/// `1.23 (1.20–1.27, all 1.10–1.30)`: median, quartiles, extremes.
fn spread(values: impl Iterator<Item = f64>) -> String {
    let five = FiveNumbers::of(&values.collect::<Vec<_>>());
    five.map_or("–".into(), |five| {
        format!(
            "{:.3} ({:.3}–{:.3}, all {:.3}–{:.3})",
            five.median, five.lower_quartile, five.upper_quartile, five.least, five.greatest
        )
    })
}

/// Prints the tables and puts them between their marks.
pub fn write(results: &Results) -> Result<(), String> {
    let text = text(results);
    kit::results::publish("sensors", &text)
}

fn text(results: &Results) -> String {
    let host = host::Host::live();
    let kernel = host.text("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = host.text("/proc/loadavg").unwrap_or_default();
    let processes = host
        .list("/proc")
        .iter()
        .filter(|name| name.parse::<u32>().is_ok())
        .count();
    let mut text = format!(
        "Linux {kernel}, {} CPUs, {processes} processes, load average {} at the end. Medians over rounds, in brackets \
         the quartiles and the extremes.\n\n",
        host.list("/sys/devices/system/cpu")
            .iter()
            .filter(|name| is_cpu(name))
            .count(),
        load.split(' ').next().unwrap_or("?"),
    );
    text += &costs("All sensors at 100 ms, this machine", "0.3", &results.here);
    let _ = writeln!(
        text,
        "On the busiest disk alone, in turns with the above: {} %, of which diskstats {}.\n",
        spread(results.one_disk.iter().map(|round| round.percent)),
        spread(
            results
                .one_disk
                .iter()
                .filter_map(|round| share(round, "diskstats"))
        ),
    );
    let _ = writeln!(
        text,
        "A thread that does nothing but wake ten times a second takes {} % here: that is in the sum above, and in no \
         sensor's share.\n",
        spread(results.waking.iter().copied())
    );
    text += &costs(
        "All sensors at 100 ms, 100 disks and 64 CPUs",
        "1",
        &results.wide,
    );
    text += "The wide machine's files are in memory: reading and keeping them is measured, the kernel's time for \
             writing them is not. What a file costs there is that of copying it instead.\n\n";
    text += &beside(&results.rounds);
    text += &days(&results.days);
    text
}

fn is_cpu(name: &str) -> bool {
    name.strip_prefix("cpu")
        .is_some_and(|number| number.parse::<u32>().is_ok())
}

fn share(round: &Cost, sensor: &str) -> Option<f64> {
    round
        .by_sensor
        .iter()
        .find(|(id, _)| *id == sensor)
        .map(|(_, percent)| *percent)
}

fn costs(title: &str, goal: &str, rounds: &[Cost]) -> String {
    let total = spread(rounds.iter().map(|round| round.percent));
    let mut text = format!(
        "### {title}\n\n{total} % of a core, the whole process; the goal is {goal} %. By sensor, in percent of a core:\n\n\
         | sensor | % |\n|---|---|\n"
    );
    for (place, (sensor, _)) in rounds[0].by_sensor.iter().enumerate() {
        let _ = writeln!(
            text,
            "| {sensor} | {} |",
            spread(rounds.iter().map(|round| round.by_sensor[place].1))
        );
    }
    if !rounds[0].absent.is_empty() {
        let _ = writeln!(
            text,
            "\nNothing to read for {}.",
            rounds[0].absent.join(", ")
        );
    }
    text + "\n"
}

fn beside(rounds: &[Round]) -> String {
    let sum = |round: &Round| round.tools_ms.iter().sum::<f64>();
    let ratio = |theirs: fn(&Round) -> f64| {
        spread(rounds.iter().map(|round| round.ours_ms / theirs(round)))
    };
    let with_cat = ratio(|round| round.tools_ms.iter().sum::<f64>() + round.cat_ms);
    let without = ratio(|round| round.tools_ms.iter().sum::<f64>());
    let tool = |place: usize| spread(rounds.iter().map(|round| round.tools_ms[place]));
    format!(
        "### Beside other tools, one sample a second\n\nUser and system time of the whole process for a sample, ms; \
         starting is taken off, but for `cat`, which starts each time. {} rounds in turns.\n\n\
         | what | ms a sample | all sensors ÷ it |\n|---|---|---|\n\
         | all sensors | {} | |\n| `iostat -x 1` | {} | |\n| `mpstat -P ALL -I ALL 1` | {} | |\n\
         | `pidstat -d 1` | {} | |\n| those three | {} | {without} |\n\
         | `cat /proc/pressure/io` | {} | |\n| all four | {} | {with_cat} |\n\n",
        rounds.len(),
        spread(rounds.iter().map(|round| round.ours_ms)),
        tool(0),
        tool(1),
        tool(2),
        spread(rounds.iter().map(sum)),
        spread(rounds.iter().map(|round| round.cat_ms)),
        spread(rounds.iter().map(|round| sum(round) + round.cat_ms)),
    )
}

fn days(days: &[(&str, Day)]) -> String {
    let mut text = String::from(
        "### Memory over a day\n\nWhat the last hour's history holds after so many hours of ten samples a second, in \
         MiB; in brackets the resident memory of the benchmark's process, which has all of its machines in it.\n\n\
         | machine | series |",
    );
    HOURS
        .iter()
        .for_each(|hours| text.push_str(&format!(" {hours} h |")));
    text += "\n|---|---|---|---|---|\n";
    let mib = |bytes: f64| bytes / f64::from(1 << 20);
    for (machine, day) in days {
        let _ = write!(text, "| {machine} | {} |", day.series);
        for (held, resident) in &day.bytes {
            let _ = write!(
                text,
                " {:.2} ({:.1}) |",
                mib(*held as f64),
                mib(*resident as f64)
            );
        }
        text.push('\n');
    }
    text
}
