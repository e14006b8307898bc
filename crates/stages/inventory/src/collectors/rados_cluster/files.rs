//! CephFS: which pools a file system lies in, and its metadata servers.

use super::answers::{Answers, number, text, whole};
use super::pools;
use crate::Draft;
use model::units;
use serde_json::Value;

/// Writes what is known of a file system, and gives its pools, that of the metadata first. Without a name it is the one that
/// the cluster mounts where nobody names one: the first.
pub(super) fn describe(answers: &Answers, draft: &mut Draft, name: Option<&str>) -> Vec<String> {
    let all = answers.list("fs dump", "/filesystems");
    let is_it = |system: &&Value| {
        name.is_none() || system.pointer("/mdsmap/fs_name").and_then(Value::as_str) == name
    };
    let Some(system) = all.iter().find(is_it) else {
        return Vec::new();
    };
    let called = text(system, "/mdsmap/fs_name").unwrap_or_default();
    let pool = |id: Option<i64>| id.and_then(|id| pools::name_of(answers, id));
    let metadata = pool(whole(system, "/mdsmap/metadata_pool"));
    let data = system
        .pointer("/mdsmap/data_pools")
        .and_then(Value::as_array);
    let data: Vec<String> = data
        .into_iter()
        .flatten()
        .filter_map(|id| pool(id.as_i64()))
        .collect();
    draft.fact("cephfs", Some(&called));
    draft.fact("file_systems", Some(all.len().to_string()));
    draft.fact("metadata_pool", metadata.as_deref());
    draft.fact(
        "data_pools",
        Some(data.join(" ")).filter(|names| !names.is_empty()),
    );
    draft.fact(
        "mds_wanted",
        whole(system, "/mdsmap/max_mds").map(|count| count.to_string()),
    );
    servers(answers, draft, whole(system, "/id"));
    of_manager(answers, draft, &called);
    metadata.into_iter().chain(data).collect()
}

/// The servers by rank, with what the monitors think of them: `a up:active`, `b up:replay(laggy or crashed)`.
fn servers(answers: &Answers, draft: &mut Draft, system: Option<i64>) {
    let ranks = answers.list("status", "/fsmap/by_rank").iter();
    let mine = ranks.filter(|rank| whole(rank, "/filesystem_id") == system);
    let mine: Vec<(String, String)> = mine
        .filter_map(|rank| Some((text(rank, "/name")?, text(rank, "/status")?)))
        .collect();
    let told: Vec<String> = mine
        .iter()
        .map(|(name, status)| format!("{name} {status}"))
        .collect();
    draft.fact("mds", Some(told.join(", ")).filter(|told| !told.is_empty()));
    let count =
        |is_it: &dyn Fn(&str) -> bool| mine.iter().filter(|(_, status)| is_it(status)).count();
    draft.fact(
        "mds_active",
        Some(count(&|status| status.starts_with("up:active")).to_string()),
    );
    let laggy = count(&|status| status.contains("laggy"));
    draft.fact("mds_laggy", (laggy > 0).then(|| laggy.to_string()));
    let standby = answers
        .at("status", "/fsmap/up:standby")
        .and_then(Value::as_i64);
    draft.fact("mds_standbys", standby.map(|count| count.to_string()));
}

/// What the servers hold in their caches, which the manager knows. It names the clients by file system; of the servers it lists
/// those of all, which is the same where there is one file system.
fn of_manager(answers: &Answers, draft: &mut Draft, called: &str) {
    let clients = answers.list("fs status", "/clients").iter();
    let mut mine = clients.filter(|one| text(one, "/fs").as_deref() == Some(called));
    let count = mine.next().and_then(|one| number(one, "/clients"));
    draft.fact("mds_clients", count.map(units::whole));
    if answers.list("fs dump", "/filesystems").len() > 1 {
        return;
    }
    let servers = answers.list("fs status", "/mdsmap");
    let sum = |pointer: &str| {
        let values: Vec<f64> = servers
            .iter()
            .filter_map(|one| number(one, pointer))
            .collect();
        (!values.is_empty()).then(|| units::whole(values.iter().sum()))
    };
    draft.fact("mds_caps", sum("/caps"));
    draft.fact("mds_dentries", sum("/dns"));
    draft.fact("mds_requests_per_s", sum("/rate"));
}
