//! A pool: how many copies it keeps and where, its placement groups, and how full it is.

use super::answers::{Answers, number, text, whole};
use super::crush::{Rule, Tree};
use super::osds;
use crate::Draft;
use model::iopath::{Layer, LayerKind};
use model::osd_trouble::NEARFULL;
use model::units;
use serde_json::Value;

/// `type` of a pool in the cluster's map (Ceph `src/osd/osd_types.h`, `pg_pool_t::TYPE_ERASURE`).
const ERASURE: i64 = 3;

/// What the map says of the pool of this name.
pub(super) fn named<'a>(answers: &'a Answers, name: &str) -> Option<&'a Value> {
    let mut pools = answers.list("osd dump", "/pools").iter();
    pools.find(|pool| pool.pointer("/pool_name").and_then(Value::as_str) == Some(name))
}

/// The name of the pool of this number.
pub(super) fn name_of(answers: &Answers, id: i64) -> Option<String> {
    let mut pools = answers.list("osd dump", "/pools").iter();
    let pool = pools.find(|pool| whole(pool, "/pool") == Some(id))?;
    pool.pointer("/pool_name")?.as_str().map(str::to_string)
}

/// The pool as a layer, with its OSDs below.
pub(super) fn layer(answers: &Answers, tree: &Tree<'_>, pool: &Value, name: &str) -> Layer {
    let mut draft = Draft::of_cluster(LayerKind::Pool, name);
    let count = |pointer: &str| whole(pool, pointer).map(|number| number.to_string());
    let is_erasure = whole(pool, "/type") == Some(ERASURE);
    let kind = if is_erasure {
        "erasure-coded"
    } else {
        "replicated"
    };
    draft.layer.title = format!("{kind} pool");
    draft.fact("pool_type", Some(kind));
    draft.fact("pool_size", count("/size"));
    draft.fact("pool_min_size", count("/min_size"));
    draft.fact(
        "erasure_profile",
        text(pool, "/erasure_code_profile").filter(|_| is_erasure),
    );
    draft.fact("pg_num", count("/pg_num"));
    draft.fact("pg_autoscale_mode", text(pool, "/pg_autoscale_mode"));
    let names = pool
        .pointer("/application_metadata")
        .and_then(Value::as_array);
    let names: Vec<String> = names
        .into_iter()
        .flatten()
        .filter_map(|name| text(name, ""))
        .collect();
    draft.fact(
        "application",
        Some(names.join(" ")).filter(|names| !names.is_empty()),
    );
    let quota = |pointer: &str| {
        number(pool, pointer)
            .filter(|most| *most > 0.0)
            .map(units::whole)
    };
    draft.fact("quota_bytes", quota("/quota_max_bytes"));
    draft.fact("quota_objects", quota("/quota_max_objects"));
    let rule = whole(pool, "/crush_rule").and_then(|id| Rule::of(answers, id));
    if let Some(rule) = &rule {
        draft.fact("crush_rule", Some(&rule.name));
        draft.fact("failure_domain", rule.chosen.last());
        draft.fact(
            "rule_types",
            Some(rule.chosen.join(" ")).filter(|types| !types.is_empty()),
        );
        let classes = rule.takes.iter().filter_map(|(_, class)| class.clone());
        let classes: Vec<String> = classes.collect();
        draft.fact(
            "rule_class",
            Some(classes.join(" ")).filter(|names| !names.is_empty()),
        );
    }
    autoscaler(answers, &mut draft, name);
    space(answers, &mut draft, name);
    let found = osds::read(answers, tree, &tree.osds_of(rule.as_ref()));
    if !found.is_empty() {
        let nearfull = answers.at("osd dump", "/nearfull_ratio");
        let nearfull = nearfull.and_then(|ratio| number(ratio, ""));
        draft.layer.below = osds::describe(&mut draft, &found, nearfull.unwrap_or(NEARFULL));
    }
    draft.layer
}

/// What the cluster's own autoscaler thinks of the number of placement groups.
fn autoscaler(answers: &Answers, draft: &mut Draft, name: &str) {
    let pools = answers.list("osd pool autoscale-status", "").iter();
    let mut same = pools.filter(|pool| text(pool, "/pool_name").as_deref() == Some(name));
    let Some(pool) = same.next() else { return };
    draft.fact(
        "pg_num_wanted",
        whole(pool, "/pg_num_final").map(|number| number.to_string()),
    );
    let adjusts = pool.pointer("/would_adjust").and_then(Value::as_bool);
    draft.fact(
        "pg_num_off",
        adjusts.filter(|adjusts| *adjusts).map(|_| "yes"),
    );
}

fn space(answers: &Answers, draft: &mut Draft, name: &str) {
    let pools = answers.list("df detail", "/pools").iter();
    let mut same = pools.filter(|pool| text(pool, "/name").as_deref() == Some(name));
    let Some(pool) = same.next() else { return };
    let bytes = |pointer: &str| number(pool, pointer).map(units::whole);
    draft.fact("stored_bytes", bytes("/stats/stored"));
    draft.fact("max_avail_bytes", bytes("/stats/max_avail"));
    let share = number(pool, "/stats/percent_used");
    draft.fact(
        "pool_used_share",
        share.map(|share| units::decimals(share, 4)),
    );
}
