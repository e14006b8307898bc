//! Options of `fleet`.

use crate::commands::job_args::duration_ms;
use std::path::PathBuf;

/// Arguments of `fleet`.
#[derive(Debug, clap::Args)]
pub struct FleetArgs {
    /// The hosts: a list (db1,root@db2:2222,web[01:10]), a file with one a line, or an Ansible inventory (INI or YAML). Only
    /// `undo` goes without: then it means the hosts that were lost while something was changed there.
    #[arg(long, value_name = "LIST|FILE")]
    pub hosts: Option<String>,
    /// Of an inventory only this group.
    #[arg(long, value_name = "NAME", requires = "hosts")]
    pub group: Option<String>,
    /// How to reach a host in place of ssh: 'ip netns exec {host} {command}', 'podman exec -i {host} {command}', 'kubectl exec
    /// -i {host} -- {command}'.
    #[arg(long, value_name = "TEMPLATE", conflicts_with = "ssh_config")]
    pub via: Option<String>,
    /// Configuration of ssh in place of the user's (ssh -F).
    #[arg(long, value_name = "FILE")]
    pub ssh_config: Option<PathBuf>,
    /// Become root on the hosts by `sudo -n`, which asks nothing: the right must be there without a password.
    #[arg(long)]
    pub sudo: bool,
    /// Hosts that are prepared and asked at once; those of a load that begins together then wait for each other.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub at_once: u32,
    /// The longest that connecting to a host may take.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration_ms)]
    pub connect_timeout: u64,
    /// A host that says nothing for so long is given up; the verb there puts everything back by itself.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration_ms)]
    pub silence: u64,
    /// The longest that one host may take in all [default: no limit].
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    pub timeout: Option<u64>,
    /// When half of the hosts are ready to begin a load, the others get so much longer; twice what the first took, if that is more.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration_ms)]
    pub ready_timeout: u64,
    /// The binary for hosts of another architecture, as `uname -m` calls it: aarch64=PATH.
    #[arg(long, value_name = "ARCH=PATH", value_parser = parse_binary)]
    pub binary: Vec<(String, PathBuf)>,
    /// What to do on each host: inspect, check, run, status, apply or undo with their own words; `diff TARGET` compares the
    /// settings of the hosts; `forget` removes the binary that was sent.
    #[arg(
        value_name = "VERB",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<String>,
}

/// clap's parser for `aarch64=PATH`.
fn parse_binary(text: &str) -> Result<(String, PathBuf), String> {
    let parts = text.split_once('=');
    let parts = parts.filter(|(architecture, path)| !architecture.is_empty() && !path.is_empty());
    let (architecture, path) = parts.ok_or("it is ARCH=PATH, such as aarch64=./iodyno-aarch64")?;
    Ok((architecture.into(), path.into()))
}
