//! # Block device in a network
//!
//! Disks whose medium is on another machine: Ceph's rbd, iSCSI, nbd, DRBD.
//!
//! ## What it reads
//! `/sys/bus/rbd/devices/*/{pool,pool_ns,name,features,cluster_fsid}`; of an iSCSI session `targetname`, `state`, `recovery_tmo`,
//! `first_burst_len`, `max_burst_len`, `initial_r2t`, `immediate_data`, of its connections `persistent_address`,
//! `persistent_port`, `header_digest`, `data_digest`; `pid` of an nbd device and, where the process is `nbd-client`, its
//! command line; `/proc/drbd`. Names and passwords of sessions are not read.
//!
//! ## Fields
//! - `rbd_pool`, `rbd_image`, `rbd_features`
//! - `iscsi_target`, `iscsi_portal`, `iscsi_state`, `iscsi_connections`, `iscsi_first_burst_bytes`,
//!   `iscsi_max_burst_bytes`, `iscsi_initial_r2t`, `iscsi_immediate_data`, `iscsi_digests`; setting `iscsi/recovery_tmo`
//! - `nbd_client`: the process behind the device; `nbd_server`: where it went
//! - `drbd_connection`, `drbd_disks`, `drbd_protocol`: of DRBD up to 8.4; with protocol `C` a write waits for the peer
//!
//! ## Example
//! `rbd0`, `rbd_pool` volumes, `rbd_image` db1.

use crate::{Below, CephClient, Collector, Draft, Survey, device, link};
use host::Host;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "network_block",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/bus/rbd/devices/*/pool",
        "/sys/class/iscsi_session/*/targetname",
        "/sys/class/iscsi_connection/*/persistent_address",
        "/sys/class/block/{}/pid",
        "/proc/drbd",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let name = draft.layer.name.clone();
    if let Some(number) = name
        .strip_prefix("rbd")
        .filter(|_| link::is_numbered(&name, "rbd"))
    {
        rbd(host, draft, number);
    } else if link::is_numbered(&name, "nbd") {
        nbd(host, draft);
    } else if let Some(number) = name
        .strip_prefix("drbd")
        .filter(|_| link::is_numbered(&name, "drbd"))
    {
        let table = host.text("/proc/drbd").unwrap_or_default();
        drbd(&table, draft, number);
    } else {
        iscsi(host, draft);
    }
}

fn rbd(host: &Host, draft: &mut Draft, number: &str) {
    let text = |file: &str| {
        let text = host.text(&format!("/sys/bus/rbd/devices/{number}/{file}"))?;
        Some(text.trim().to_string()).filter(|text| !text.is_empty())
    };
    let namespace = text("pool_ns")
        .map(|namespace| format!("/{namespace}"))
        .unwrap_or_default();
    draft.fact(
        "rbd_pool",
        text("pool").map(|pool| format!("{pool}{namespace}")),
    );
    let cluster = text("pool").map(|pool| CephClient::of_device(&pool, text("cluster_fsid")));
    draft.below.extend(cluster.map(Below::Ceph));
    draft.fact("rbd_image", text("name"));
    draft.fact("rbd_features", text("features"));
}

fn nbd(host: &Host, draft: &mut Draft) {
    let Some(pid) = host.number(&draft.path("pid")) else {
        return;
    };
    let Some(process) = host.text(&format!("/proc/{pid}/comm")) else {
        return;
    };
    // Only of this program is it known that its words hold no secret.
    if process.trim() == "nbd-client" {
        let line = host
            .text(&format!("/proc/{pid}/cmdline"))
            .unwrap_or_default();
        draft.fact("nbd_server", server(&line));
    }
    draft.fact("nbd_client", Some(process.trim()));
}

/// The first word of `nbd-client -N export host 10809 /dev/nbd0` that is neither an option nor its value.
fn server(command_line: &str) -> Option<String> {
    let mut words = command_line
        .split('\0')
        .skip(1)
        .filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            "-N" | "-name" | "-b" | "-block-size" | "-t" | "-timeout" | "-C" | "-connections" => {
                words.next();
            }
            word if word.starts_with('-') || word.starts_with("/dev/") => {}
            host => {
                let port = words
                    .next()
                    .filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
                return Some(port.map_or(host.to_string(), |port| format!("{host}:{port}")));
            }
        }
    }
    None
}

/// ` 0: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----`
fn drbd(table: &str, draft: &mut Draft, number: &str) {
    let start = format!("{number}:");
    let Some(line) = table
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(&start))
    else {
        return;
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = |name: &str| words.iter().find_map(|word| word.strip_prefix(name));
    draft.fact("drbd_connection", named("cs:"));
    draft.fact("drbd_disks", named("ds:"));
    draft.fact(
        "drbd_protocol",
        words
            .iter()
            .find(|word| matches!(**word, "A" | "B" | "C"))
            .copied(),
    );
}

fn iscsi(host: &Host, draft: &mut Draft) {
    let ancestors = device::ancestors(&draft.subject);
    let Some(session) = ancestors
        .iter()
        .find(|path| link::is_numbered(link::base(path), "session"))
    else {
        return;
    };
    let of_session = |file: &str| format!("{session}/iscsi_session/{}/{file}", link::base(session));
    let text =
        |path: String| Some(host.text(&path)?.trim().to_string()).filter(|text| !text.is_empty());
    let facts = [
        ("iscsi_target", "targetname"),
        ("iscsi_state", "state"),
        ("iscsi_first_burst_bytes", "first_burst_len"),
        ("iscsi_max_burst_bytes", "max_burst_len"),
        ("iscsi_initial_r2t", "initial_r2t"),
        ("iscsi_immediate_data", "immediate_data"),
    ];
    for (name, file) in facts {
        draft.fact(name, text(of_session(file)));
    }
    if host.exists(&of_session("recovery_tmo")) {
        draft.setting(host, "iscsi/recovery_tmo", of_session("recovery_tmo"));
    }
    let connections = host
        .list(session)
        .into_iter()
        .filter(|name| name.starts_with("connection"));
    let connections: Vec<String> = connections.collect();
    draft.fact(
        "iscsi_connections",
        (!connections.is_empty()).then(|| connections.len().to_string()),
    );
    let Some(first) = connections.first() else {
        return;
    };
    let of_connection =
        |file: &str| text(format!("{session}/{first}/iscsi_connection/{first}/{file}"));
    let portal = of_connection("persistent_address").zip(of_connection("persistent_port"));
    draft.fact(
        "iscsi_portal",
        portal.map(|(address, port)| format!("{address}:{port}")),
    );
    let digests = ["header_digest", "data_digest"]
        .into_iter()
        .filter(|file| of_connection(file).as_deref() == Some("1"));
    let digests: Vec<&str> = digests
        .map(|file| file.trim_end_matches("_digest"))
        .collect();
    draft.fact(
        "iscsi_digests",
        Some(digests.join(" ")).filter(|digests| !digests.is_empty()),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{collect_on, facts};

    fn device(name: &str, more: &str) -> model::iopath::IoPath {
        collect_on(
            &format!(
                "path: /sys/class/block/{name}\nlink: ../../devices/virtual/block/{name}\n\
                 path: /sys/devices/virtual/block/{name}/size\nlines: 1\n8\n{more}"
            ),
            name,
        )
    }

    #[test]
    fn images_and_servers_are_named() {
        let rbd = device(
            "rbd0",
            "path: /sys/bus/rbd/devices/0/pool\nlines: 1\nvolumes\npath: /sys/bus/rbd/devices/0/name\nlines: 1\ndb1\n\
             path: /sys/bus/rbd/devices/0/pool_ns\nlines: 1\n\n",
        );
        assert_eq!(
            (
                facts(&rbd, "rbd0", "rbd_pool"),
                facts(&rbd, "rbd0", "rbd_image")
            ),
            ("volumes", "db1")
        );
        let nbd = device(
            "nbd0",
            "path: /sys/devices/virtual/block/nbd0/pid\nlines: 1\n77\npath: /proc/77/comm\nlines: 1\nnbd-client\n\
             path: /proc/77/cmdline\nlines: 1\nnbd-client\0-N\0export\0store\x0010809\0/dev/nbd0\0\n",
        );
        assert_eq!(facts(&nbd, "nbd0", "nbd_server"), "store:10809");
        assert_eq!(server("nbd-client\0-l\0"), None);
        let drbd = device(
            "drbd1",
            "path: /proc/drbd\nlines: 2\nversion: 8.4.10\n 1: cs:WFConnection ro:Primary/Unknown ds:UpToDate/DUnknown C r-----\n",
        );
        let fact = |name: &str| facts(&drbd, "drbd1", name);
        assert_eq!(
            (fact("drbd_connection"), fact("drbd_protocol")),
            ("WFConnection", "C")
        );
    }

    #[test]
    fn an_iscsi_session() {
        let session = "/sys/devices/platform/host3/session1";
        let disk = "host3/session1/target3:0:0/3:0:0:1/block/sdc";
        let mut text = format!(
            "path: /sys/class/block/sdc\nlink: ../../devices/platform/{disk}\n\
             path: /sys/devices/platform/{disk}/size\nlines: 1\n8\n"
        );
        let of_session = [
            ("targetname", "iqn.2003-01.org:x"),
            ("state", "LOGGED_IN"),
            ("recovery_tmo", "120"),
            ("password", "hidden"),
        ];
        for (file, value) in of_session {
            text.push_str(&format!(
                "path: {session}/iscsi_session/session1/{file}\nlines: 1\n{value}\n"
            ));
        }
        for (file, value) in [
            ("persistent_address", "10.0.0.5"),
            ("persistent_port", "3260"),
            ("data_digest", "1"),
        ] {
            let connection = format!("{session}/connection1:0/iscsi_connection/connection1:0");
            text.push_str(&format!("path: {connection}/{file}\nlines: 1\n{value}\n"));
        }
        let path = collect_on(&text, "sdc");
        let fact = |name: &str| facts(&path, "sdc", name);
        assert_eq!(
            (fact("iscsi_target"), fact("iscsi_portal")),
            ("iqn.2003-01.org:x", "10.0.0.5:3260")
        );
        assert_eq!(
            (
                fact("iscsi_state"),
                fact("iscsi_digests"),
                fact("transport")
            ),
            ("LOGGED_IN", "data", "iscsi")
        );
        assert!(path.disks()[0].setting("iscsi/recovery_tmo").is_some());
        assert!(!serde_json::to_string(&path).unwrap().contains("hidden"));
    }
}
