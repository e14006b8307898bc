//! The same beside blktrace, in a guest of the lab: many kernels of virtual machines let nobody open its files.

use lab::{Guest, Machine};
use std::process::ExitCode;

/// What one way of tracing did to the time of an I/O, round by round: times that without.
pub struct Beside {
    /// In the table.
    pub label: &'static str,
    /// One for each round.
    pub ratios: Vec<f64>,
}

/// Reads of one run, one at a time.
const READS: u32 = 100_000;
const LIMIT_S: u64 = 300;
/// The ways, and how each is started; `hold` is this very program.
const WAYS: [(&str, &str); 4] = [
    ("nothing", "true"),
    ("nothing, once more", "true"),
    (
        "ours, full",
        "/run/bench-probe --hold full nullb0 > /run/held & tracer=$!; wait_for held",
    ),
    (
        "`blktrace`",
        "blktrace -d /dev/nullb0 -o - > /run/traced 2>/run/said & tracer=$!; sleep 3",
    ),
];

/// Boots a guest and runs the ways in turns; the error says why there is none.
pub fn measure(rounds: usize) -> Result<(String, Vec<Beside>), String> {
    let mut guest = Machine::new().boot().map_err(|error| error.to_string())?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    guest
        .put(&own, "bench-probe")
        .map_err(|error| error.to_string())?;
    said(
        &mut guest,
        "cp /mnt/lab/bench-probe /run/ && /run/bench-probe --hold && modprobe null_blk nr_devices=1 gb=1 irqmode=0 && \
         { mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug; }",
    )?;
    let mut seconds: Vec<Vec<f64>> = WAYS.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        // Every second round backwards, so that no way always follows the same one.
        let mut order: Vec<usize> = (0..WAYS.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for way in order {
            seconds[way].push(run(&mut guest, WAYS[way].1)?);
        }
        eprint!("\rin a guest: round {} of {rounds}", round + 1);
    }
    eprintln!();
    let ratios = |way: usize| {
        seconds[way]
            .iter()
            .zip(&seconds[0])
            .map(|(one, off)| one / off)
            .collect()
    };
    let ways = WAYS.iter().enumerate().skip(1);
    let ways = ways
        .map(|(way, (label, _))| Beside {
            label,
            ratios: ratios(way),
        })
        .collect();
    Ok((guest.uname().trim().to_string(), ways))
}

/// Seconds that the reads took.
fn run(guest: &mut Guest, start: &str) -> Result<f64, String> {
    let script = format!(
        "tracer=; wait_for() {{ n=0; until [ -s /run/$1 ]; do n=$((n+1)); [ $n -lt 600 ] || exit 1; sleep 0.1; done; }}\n\
         rm -f /run/held /run/said /run/traced\n{start}\n\
         dd if=/dev/nullb0 of=/dev/null bs=4k count={READS} iflag=direct 2>&1 | tail -n 1\n\
         [ -z \"$tracer\" ] || {{ kill -0 $tracer && kill $tracer; wait $tracer; }} 2>&1\n\
         [ ! -e /run/traced ] || [ -s /run/traced ] || {{ cat /run/said >&2; exit 1; }}"
    );
    let text = said(guest, &script)?;
    // `16384000 bytes (16 MB, 16 MiB) copied, 1.20485 s, 13.6 MB/s`
    let seconds = text
        .split("copied, ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok());
    seconds
        .filter(|seconds| *seconds > 0.0)
        .ok_or(format!("dd said nothing of its time: {text}"))
}

fn said(guest: &mut Guest, script: &str) -> Result<String, String> {
    let done = guest
        .run(script, LIMIT_S)
        .map_err(|error| error.to_string())?;
    match done.status {
        0 => Ok(done.out),
        _ => Err(format!(
            "in the guest: {} {}",
            done.out.trim(),
            done.err.trim()
        )),
    }
}

/// In the guest: attaches to a device, says so, and stays until it is ended. Without a device, nothing: whether this
/// program starts there at all.
pub fn hold(words: &[&str]) -> ExitCode {
    let [_, name] = words else {
        return ExitCode::SUCCESS;
    };
    let devices = crate::disk::device(name).map(|device| vec![device]);
    let layers = devices.and_then(|devices| {
        probe::Layers::attach(&devices, probe::Strength::Full).map_err(|error| error.to_string())
    });
    match layers {
        Ok(_layers) => {
            println!("attached");
            loop {
                host::clock::sleep_ms(1_000);
            }
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
