//! From the words of the command line to hosts with ways to them.

use super::args::FleetArgs;
use super::host_run::PlannedHost;
use super::pending_file;
use super::verbs::{FleetVerb, FleetVerbKind};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use fleet::Pending;
use fleet::hosts::{self, FILE_MAX, FleetHost, FoundHosts, HostAddress};
use host::files::{self, FileKind};
use runner::{RunnerPlace, SshPlace, TemplatePlace};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The hosts of the command line; for `undo` without any, those that were lost.
///
/// # Errors
/// When there are none, or one of them cannot be reached by what it is.
pub fn hosts(
    args: &FleetArgs,
    verb: &FleetVerb,
    context: &Context,
) -> Result<Vec<PlannedHost>, Failure> {
    let Some(named) = &args.hosts else {
        return match verb.kind {
            FleetVerbKind::Undo if args.via.is_some() || args.ssh_config.is_some() || args.sudo => {
                Err(Failure::usage(
                    "without --hosts `undo` goes the way by which each host was reached: leave --via, --ssh-config and --sudo out",
                ))
            }
            FleetVerbKind::Undo if verb.words.len() == 1 => pending(context),
            FleetVerbKind::Undo => Err(Failure::usage(
                "without --hosts `undo` takes back what was lost, and takes no words of its own",
            )),
            _ => Err(Failure::usage(
                "which hosts? --hosts db1,db2 or --hosts FILE, with one host a line or an Ansible inventory",
            )),
        };
    };
    let found = found(named, args.group.as_deref())?;
    for note in &found.notes {
        context.out.note(format!("note: {note}"));
    }
    if let Some(template) = &args.via
        && found.hosts.len() > 1
        && !TemplatePlace::names_the_host(template)
    {
        return Err(Failure::usage(
            "--via leads every host to the same place: put {host} where the host stands",
        ));
    }
    let planned = found.hosts.iter().map(|host| planned(host, args));
    planned.collect()
}

/// A list or a file.
fn found(named: &str, group: Option<&str>) -> Result<FoundHosts, Failure> {
    let path = Path::new(named);
    let is_file = matches!(files::kind(path), Ok(FileKind::File | FileKind::Other));
    let found = match is_file {
        true => {
            let mut text = String::new();
            let opened = host::foreign::open(path)?;
            let read = opened.take(FILE_MAX as u64 + 1).read_to_string(&mut text);
            read.map_err(|error| host::Error::io("read", path, error))?;
            if text.len() > FILE_MAX {
                let most = model::units::bytes(FILE_MAX as f64);
                return Err(Failure::usage(format!(
                    "{} is longer than {most}, which no list of hosts is",
                    model::text::shown(path)
                )));
            }
            hosts::of_file(named, &text, group)
        }
        false if named.contains('/') => {
            let named = model::text::clean_to(named, 200);
            let what = format!("there is no file {named}, and a host has no `/` in its name");
            return Err(Failure::new(Exit::Usage, what).on(named));
        }
        false if group.is_some() => {
            return Err(Failure::usage("--group needs an inventory: --hosts FILE"));
        }
        false => hosts::of_list(named),
    };
    found.map_err(|error| Failure::usage(error.to_string()).on(error.place))
}

fn planned(host: &FleetHost, args: &FleetArgs) -> Result<PlannedHost, Failure> {
    let place = place(
        &host.address,
        args.via.as_deref(),
        args.ssh_config.clone(),
        args.connect_timeout,
    )?;
    Ok(PlannedHost {
        name: host.name.clone(),
        address: host.address.text(),
        place,
        is_sudo: args.sudo,
        pending: Vec::new(),
    })
}

fn place(
    address: &HostAddress,
    via: Option<&str>,
    ssh_config: Option<PathBuf>,
    connect_ms: u64,
) -> Result<RunnerPlace, Failure> {
    let place = match via {
        Some(template) => TemplatePlace::new(template, &address.text()).map(RunnerPlace::Template),
        None => {
            let seconds = u32::try_from(connect_ms.div_ceil(1_000)).unwrap_or(u32::MAX);
            SshPlace::new(&address.host, address.user.as_deref(), address.port)
                .map(|place| place.with_config(ssh_config).within_s(seconds))
                .map(RunnerPlace::Ssh)
        }
    };
    place.map_err(|error| Failure::usage(error.to_string()).on(address.text()))
}

/// Hosts on which something may still be changed, each once with the way that it was reached by. An entry that leads nowhere is
/// named, and stays on the list.
fn pending(context: &Context) -> Result<Vec<PlannedHost>, Failure> {
    let list = pending_file::read(&context.state_dir)?;
    let mut hosts: Vec<PlannedHost> = Vec::new();
    for one in list.hosts {
        let known = hosts
            .iter_mut()
            .find(|host| host.pending[0].has_way_of(&one));
        match (known, of_pending(&one)) {
            (Some(host), _) => host.pending.push(one),
            (None, Ok(host)) => hosts.push(host),
            (None, Err(failure)) => {
                let name = model::text::clean_to(&one.name, 60);
                let why = failure.message;
                context
                    .out
                    .note(format!("iodyno: {name} stays pending: {why}"));
            }
        }
    }
    match hosts.is_empty() {
        false => Ok(hosts),
        true => Err(Failure::usage(
            "no host was lost while something was changed there. Which hosts? --hosts db1,db2",
        )),
    }
}

fn of_pending(host: &Pending) -> Result<PlannedHost, Failure> {
    // The address was written by us; it is read as one of a list is.
    let found = hosts::of_list(&host.address).map_err(|error| Failure::usage(error.what))?;
    let address = &found.hosts[0].address;
    let config = host.ssh_config.as_ref().map(PathBuf::from);
    Ok(PlannedHost {
        name: host.name.clone(),
        address: host.address.clone(),
        place: place(address, host.via.as_deref(), config, 10_000)?,
        is_sudo: host.sudo,
        pending: vec![host.clone()],
    })
}
