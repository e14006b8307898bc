//! # NVMe
//!
//! The controller behind a namespace: its queues, its state, its power saving, and the other ways to it.
//!
//! ## What it reads
//! Of every controller `state`, `firmware_rev`, `queue_count`, `sqsize`, `numa_node`, `hmb`, `transport`, `address` (of
//! one in a network) and `power/pm_qos_latency_tolerance_us`; `iopolicy` of the subsystem; the parameters of the modules
//! `nvme` and `nvme_core`. Serial numbers and names of hosts and subsystems are not read.
//!
//! ## Fields
//! - `nvme_state`: `live`, or what else; `firmware`: the controller's
//! - `nvme_queues`: queues for I/O, as many as the controller gave; `nvme_queue_entries`: commands each can hold
//! - `nvme_numa`: the controller's node
//! - `nvme_namespaces`: of the controller
//! - `nvme_paths`: controllers that lead to this namespace, where there is more than one
//! - `nvme_hmb`: `yes` where the controller uses the machine's memory as its cache
//! - `nvme_address`: where a controller in a network is
//! - `nvme_apst_us`: the module's limit on how long waking from a power state may take; 0 is no saving
//! - settings `nvme/ps_max_latency_us` (of this controller), `nvme/iopolicy`, `nvme/poll_queues`, `nvme/write_queues`,
//!   `nvme/io_timeout`
//!
//! ## Example
//! `nvme0n1`: live, 8 queues of 1024, `nvme_apst_us` 100000.

use crate::{Collector, Draft, Survey, link};
use host::Host;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "nvme",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/class/nvme/*/*",
        "/sys/module/nvme_core/parameters/*",
        "/sys/module/nvme/parameters/*",
    ],
    collect,
};

const PARAMETERS: [(&str, &str); 3] = [
    (
        "nvme/poll_queues",
        "/sys/module/nvme/parameters/poll_queues",
    ),
    (
        "nvme/write_queues",
        "/sys/module/nvme/parameters/write_queues",
    ),
    (
        "nvme/io_timeout",
        "/sys/module/nvme_core/parameters/io_timeout",
    ),
];

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let controllers = controllers(host, draft);
    let Some(controller) = controllers.first() else {
        return;
    };
    let text = |file: &str| {
        Some(
            host.text(&format!("{controller}/{file}"))?
                .trim()
                .to_string(),
        )
    };
    draft.fact("nvme_state", text("state"));
    draft.fact(
        "firmware",
        text("firmware_rev").filter(|name| !name.is_empty()),
    );
    // The count includes the queue for administration.
    let queues = host
        .number(&format!("{controller}/queue_count"))
        .and_then(|count| count.checked_sub(1));
    draft.fact("nvme_queues", queues.map(|count| count.to_string()));
    let entries = host
        .number(&format!("{controller}/sqsize"))
        .map(|last| last + 1);
    draft.fact(
        "nvme_queue_entries",
        entries.map(|entries| entries.to_string()),
    );
    draft.fact("nvme_numa", text("numa_node").filter(|node| node != "-1"));
    draft.fact(
        "nvme_hmb",
        text("hmb").map(|used| if used == "1" { "yes" } else { "no" }),
    );
    let is_remote = text("transport").is_some_and(|transport| transport != "pcie");
    draft.fact("nvme_address", text("address").filter(|_| is_remote));
    draft.fact(
        "nvme_namespaces",
        Some(namespaces(host, controller))
            .filter(|count| *count > 0)
            .map(|n| n.to_string()),
    );
    draft.fact(
        "nvme_paths",
        (controllers.len() > 1).then(|| controllers.len().to_string()),
    );
    let apst = host.text("/sys/module/nvme_core/parameters/default_ps_max_latency_us");
    draft.fact("nvme_apst_us", apst.map(|us| us.trim().to_string()));
    let own = [
        (
            "nvme/ps_max_latency_us",
            format!("{controller}/power/pm_qos_latency_tolerance_us"),
        ),
        ("nvme/iopolicy", draft.path("device/iopolicy")),
    ];
    let shared = PARAMETERS
        .iter()
        .map(|(name, path)| (*name, (*path).to_string()));
    for (name, path) in own.into_iter().chain(shared) {
        if host.exists(&path) {
            draft.setting(host, name, path);
        }
    }
}

/// The controllers of a namespace. With native multipath it hangs on a virtual subsystem, which links to its controllers
/// (drivers/nvme/host/multipath.c).
pub(super) fn controllers(host: &Host, draft: &Draft) -> Vec<String> {
    if !draft.layer.name.starts_with("nvme") {
        return Vec::new();
    }
    if !draft.subject.contains("/nvme-subsystem/") {
        let above = crate::device::ancestors(&draft.subject);
        return above
            .into_iter()
            .find(|path| link::is_numbered(link::base(path), "nvme"))
            .into_iter()
            .collect();
    }
    let subsystem = draft.path("device");
    let links = host
        .list(&subsystem)
        .into_iter()
        .filter(|name| link::is_numbered(name, "nvme"));
    links
        .filter_map(|name| host.resolve(&format!("{subsystem}/{name}")))
        .collect()
}

/// `nvme0n2`, or `nvme0c0n2` where the namespace itself belongs to the subsystem.
fn namespaces(host: &Host, controller: &str) -> usize {
    let own = link::base(controller).to_string();
    let is_namespace = |name: &String| {
        let rest = name
            .strip_prefix(own.as_str())
            .and_then(|rest| rest.rsplit_once('n'));
        rest.is_some_and(|(path, number)| {
            (path.is_empty() || link::is_numbered(path, "c"))
                && !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    host.list(controller)
        .iter()
        .filter(|name| is_namespace(name))
        .count()
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    const CONTROLLER: &str = "/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0";

    #[test]
    fn what_the_controller_gave() {
        let path = collect_on(
            &format!(
                "path: /sys/class/block/nvme0n1\nlink: ../..{}/nvme0n1\n\
                 path: {CONTROLLER}/nvme0n1/size\nlines: 1\n8\npath: {CONTROLLER}/nvme0n2/size\nlines: 1\n8\n\
                 path: {CONTROLLER}/state\nlines: 1\nlive\npath: {CONTROLLER}/queue_count\nlines: 1\n9\n\
                 path: {CONTROLLER}/sqsize\nlines: 1\n1023\npath: {CONTROLLER}/numa_node\nlines: 1\n-1\n\
                 path: {CONTROLLER}/serial\nlines: 1\nS3CR3T\npath: {CONTROLLER}/firmware_rev\nlines: 1\nGDC5602Q\n\
                 path: {CONTROLLER}/power/pm_qos_latency_tolerance_us\nlines: 1\n100000\n\
                 path: /sys/module/nvme_core/parameters/default_ps_max_latency_us\nlines: 1\n100000\n",
                CONTROLLER.trim_start_matches("/sys")
            ),
            "nvme0n1",
        );
        let fact = |name: &str| facts(&path, "nvme0n1", name);
        assert_eq!(fact("firmware"), "GDC5602Q");
        assert_eq!(
            (
                fact("nvme_queues"),
                fact("nvme_queue_entries"),
                fact("nvme_state")
            ),
            ("8", "1024", "live")
        );
        assert_eq!(
            (
                fact("nvme_namespaces"),
                fact("nvme_numa"),
                fact("nvme_apst_us")
            ),
            ("2", "", "100000")
        );
        assert_eq!(
            path.disks()[0]
                .setting("nvme/ps_max_latency_us")
                .unwrap()
                .number(),
            Some(100_000.0)
        );
        assert!(!serde_json::to_string(&path).unwrap().contains("S3CR3T"));
    }

    #[test]
    fn a_namespace_with_two_ways_to_it() {
        let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
        let mut text = format!(
            "path: /sys/class/block/nvme0n1\nlink: ../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1\n\
             path: {subsystem}/nvme0n1/size\nlines: 1\n8\npath: {subsystem}/nvme0n1/device\nlink: ../../nvme-subsys0\n\
             path: {subsystem}/iopolicy\nlines: 1\nnuma\n"
        );
        for number in 0..2 {
            let controller = format!("/sys/devices/virtual/nvme-fabrics/ctl/nvme{number}");
            text.push_str(&format!(
                "path: {subsystem}/nvme{number}\nlink: {controller}\npath: {controller}/state\nlines: 1\nlive\n\
                 path: {controller}/transport\nlines: 1\ntcp\n\
                 path: {controller}/address\nlines: 1\ntraddr=10.0.0.{number},trsvcid=4420\n"
            ));
        }
        let path = collect_on(&text, "nvme0n1");
        assert_eq!(facts(&path, "nvme0n1", "nvme_paths"), "2");
        assert_eq!(
            facts(&path, "nvme0n1", "transport"),
            "nvme (tcp)",
            "not taken for a disk in this machine"
        );
        assert_eq!(
            facts(&path, "nvme0n1", "nvme_address"),
            "traddr=10.0.0.0,trsvcid=4420"
        );
        assert_eq!(
            path.disks()[0].setting("nvme/iopolicy").unwrap().chosen(),
            Some("numa")
        );
    }
}
