//! Options of `watch`.

use crate::commands::layers_arg::{LayersArg, wish_or_lite};
use crate::container::{ContainerArg, ContainerPaths, ContainerUse, ForContainer};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::group_name;
use crate::watching::{JUDGED_NS, Wanted};
use host::Host;
use model::units::{parse_duration_ms, span_ms};
use observe::Keep;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// Arguments of `watch`.
#[derive(Clone, Debug, clap::Args)]
pub struct WatchArgs {
    /// Block devices by name (`nvme0n1`, `/dev/sda`), or paths: the devices below them. Every device that does I/O
    /// where none is named.
    pub devices: Vec<String>,
    /// Time between two samples, 10ms to 10s.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = interval_ms)]
    pub interval: u64,
    /// Lines in the manner of iostat.
    #[arg(long, conflicts_with = "prometheus")]
    pub plain: bool,
    /// Pictures a second on the full screen, 1 to 10 [default: 2].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10))]
    pub frames: Option<u64>,
    /// Draw the full screen with nothing but ASCII; so it is anyway where the locale is not UTF-8.
    #[arg(long)]
    pub ascii: bool,
    /// Serve the raw counters to Prometheus at this address; a bare port is served on the loopback address.
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub prometheus: Option<SocketAddr>,
    /// With --prometheus: a name by which it may be asked besides localhost, the address, and, where others reach it, this
    /// machine's name. Repeat for more.
    #[arg(long, value_name = "NAME", requires = "prometheus")]
    pub allow_host: Vec<String>,
    /// Time between two lines or documents (--plain, --json), not less than --interval [default: 1s].
    #[arg(long, value_name = "TIME", value_parser = every_ms)]
    pub every: Option<u64>,
    /// End after so many lines or documents (--plain, --json).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// How closely the block layer is traced [default: lite, but off for a disk in memory].
    #[arg(long)]
    pub layers: Option<LayersArg>,
    /// With --json: how many I/Os took how long, by bucket, of each device that is traced.
    #[arg(long, conflicts_with_all = ["plain", "prometheus"])]
    pub latencies: bool,
    /// Control groups to watch beside the busiest: as below /sys/fs/cgroup, or by a process in it or a container.
    #[arg(long, value_name = "GROUP|PID|CONTAINER")]
    pub cgroup: Vec<String>,
    /// Files whose share of the page cache to watch.
    #[arg(long, value_name = "FILE")]
    pub file: Vec<PathBuf>,
    #[command(flatten)]
    pub container: ContainerArg,
}

impl ForContainer for WatchArgs {
    fn part(&self) -> ContainerUse {
        ContainerUse::Looks
    }

    fn container(&self) -> &ContainerArg {
        &self.container
    }

    fn translate(&mut self, paths: &mut ContainerPaths<'_>) -> Result<(), Failure> {
        for device in &mut self.devices {
            paths.place_text(device)?;
        }
        self.cgroup.push(paths.group()?);
        Ok(())
    }
}

impl WatchArgs {
    /// Time between two lines or documents, ms.
    pub fn every_ms(&self) -> u64 {
        self.every.unwrap_or(1000.max(self.interval))
    }

    /// What the sensors are to look at.
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted {
            devices: &self.devices,
            cgroups: &self.cgroup,
            files: &self.file,
            tracing: wish_or_lite(self.layers),
            interval_ms: self.interval,
        }
    }

    /// What is kept where nobody goes back in time: twice what a line is about or a rule judges, and two minutes for
    /// sensors that are read rarely.
    pub fn since_the_last_line(&self) -> Keep {
        let line_ns = i64::try_from(self.every_ms())
            .unwrap_or(i64::MAX)
            .saturating_mul(1_000_000);
        Keep::Last(
            line_ns
                .max(JUDGED_NS)
                .saturating_mul(2)
                .saturating_add(120_000_000_000),
        )
    }

    /// Refuses what would be ignored or could only be empty.
    pub fn check(&self, context: &Context) -> Result<(), Failure> {
        if context.out.is_json() && (self.plain || self.prometheus.is_some()) {
            return Err(Failure::usage(
                "--json, --plain and --prometheus are three ways to watch; choose one",
            ));
        }
        if self.every_ms() < self.interval {
            let (every, interval) = (span_ms(self.every_ms()), span_ms(self.interval));
            return Err(Failure::usage(format!(
                "--every {every} is less than --interval {interval}: there would be lines without a sample"
            )));
        }
        let host = &context.host;
        if let Some(file) = self
            .file
            .iter()
            .find(|file| !host.exists(&file.to_string_lossy()))
        {
            return Err(Failure::new(
                Exit::Failed,
                format!("{} is not there to be watched", model::text::shown(file)),
            ));
        }
        Ok(())
    }

    /// The same with every group by its path.
    pub fn with_groups_by_path(&self, host: &Host) -> Result<WatchArgs, Failure> {
        let paths = self.cgroup.iter().map(|name| group_name::path(name, host));
        Ok(WatchArgs {
            cgroup: paths.collect::<Result<_, _>>()?,
            ..self.clone()
        })
    }
}

fn interval_ms(text: &str) -> Result<u64, String> {
    let ms = parse_duration_ms(text).map_err(|error| error.to_string())?;
    match (10..=10_000).contains(&ms) {
        true => Ok(ms),
        false => Err("samples are taken 10 ms to 10 s apart".into()),
    }
}

fn every_ms(text: &str) -> Result<u64, String> {
    let ms = parse_duration_ms(text).map_err(|error| error.to_string())?;
    match ms >= 10 {
        true => Ok(ms),
        false => Err("lines are at least 10 ms apart".into()),
    }
}

/// `9100`, `:9100` or `ADDR:PORT`; without an address the loopback one.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| {
        "an address is a port (9100) or an IP address with a port (0.0.0.0:9100)".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_port_is_served_to_this_machine_only() {
        assert_eq!(address("9100").unwrap().to_string(), "127.0.0.1:9100");
        assert_eq!(address(":9100").unwrap().to_string(), "127.0.0.1:9100");
        assert_eq!(address("0.0.0.0:9100").unwrap().to_string(), "0.0.0.0:9100");
        assert_eq!(address("[::1]:9100").unwrap().to_string(), "[::1]:9100");
        assert!(address("example").unwrap_err().contains("0.0.0.0:9100"));
    }
}
