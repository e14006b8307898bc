//! What the sampler costs while it runs as it does in the product.

use host::{Host, clock, process};
use observe::{Keep, Sampler, Scope};

/// One run of all sensors.
pub struct Cost {
    /// Of one CPU, everything this process did meanwhile, in percent.
    pub percent: f64,
    /// CPU time of the process, ns.
    pub cpu_ns: u64,
    /// How often the shortest interval passed.
    pub samples: u64,
    /// By sensor, of one CPU in percent.
    pub by_sensor: Vec<(&'static str, f64)>,
    /// Sensors with nothing to read.
    pub absent: Vec<String>,
}

/// Lets all sensors run on what the scope names, every `interval_ms`. Opening them and their first sample are left out.
pub fn measure(host: &Host, scope: &Scope, interval_ms: u64, seconds: u64) -> Result<Cost, String> {
    let origin_ns = clock::monotonic_ns();
    let sampler = Sampler::keeping(Keep::HOUR, host, interval_ms, origin_ns, scope);
    // The first seconds look at everything for the first time.
    clock::sleep_ms(2_500);
    let (before, status) = (process::cpu_time(), sampler.status());
    let began_ns = clock::monotonic_ns();
    clock::sleep_ms(seconds * 1000);
    let (cpu_ns, later) = (
        process::cpu_time().since(before).total_ns(),
        sampler.status(),
    );
    let wall_ns = clock::monotonic_ns() - began_ns;
    let percent = |ns: u64| 100.0 * ns as f64 / wall_ns as f64;
    let grown = later.cost_by_sensor.iter().zip(&status.cost_by_sensor);
    let by_sensor = grown
        .map(|(later, before)| (later.0, percent(later.1 - before.1)))
        .collect();
    let samples = wall_ns / (interval_ms * 1_000_000) - (later.lost - status.lost);
    if samples == 0 {
        return Err("no sample was taken".into());
    }
    let absent = later.absent.into_iter().map(|(sensor, _)| sensor).collect();
    Ok(Cost {
        percent: percent(cpu_ns),
        cpu_ns,
        samples,
        by_sensor,
        absent,
    })
}

/// What a run on one disk looks at: the one that has read most.
pub fn one_disk(host: &Host) -> Scope {
    let table = host.text("/proc/diskstats").unwrap_or_default();
    let counted = table.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(2);
        Some((words.next()?, words.next()?.parse::<u64>().ok()?))
    });
    let most = counted.max_by_key(|(_, reads)| *reads);
    most.map_or_else(Scope::default, |(name, _)| Scope::devices(&[name]))
}

/// A thread that does nothing but wake as often, of one CPU in percent: what any sampler costs at least on this machine.
pub fn waking(interval_ms: u64, seconds: u64) -> f64 {
    let thread = std::thread::spawn(move || {
        let (began_ns, before_ns) = (clock::monotonic_ns(), process::thread_cpu_ns());
        for tick in 1..=seconds * 1000 / interval_ms {
            clock::sleep_until_ns(began_ns + tick * interval_ms * 1_000_000);
        }
        100.0 * (process::thread_cpu_ns() - before_ns) as f64
            / (clock::monotonic_ns() - began_ns) as f64
    });
    thread.join().unwrap_or(f64::NAN)
}
