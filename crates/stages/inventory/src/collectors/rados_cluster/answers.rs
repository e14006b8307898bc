//! What `ceph -f json` answers: asked in order under a deadline, cut to the members that are read, and kept in a capture so.
//!
//! What a cluster says is a stranger's text: a member that is missing or of another kind is no data, and a string is cleaned
//! before it becomes a fact.

use host::ceph::{CephProgram, ask};
use host::{Answered, Host, clock};
use model::ceph_target::CephCluster;
use model::text::clean_to;
use serde_json::Value;
use std::collections::BTreeMap;

/// Asked of every cluster. The first is the one without which there is no use in asking more: a cluster that does not answer,
/// or lets nobody in, would take the whole time of each further question.
const QUESTIONS: &[&str] = &[
    "status",
    "health detail",
    "osd dump",
    TREE,
    "osd perf",
    "osd crush rule dump",
    "osd metadata",
    "df detail",
    "osd pool autoscale-status",
];
/// The same tree without figures, which the monitors tell: asked where a manager lets nobody in, or none is there.
const TREE_ALONE: &str = "osd tree";
/// What [`TREE_ALONE`] is asked in place of.
const TREE: &str = "osd df tree";
/// Asked too where a file system lies in the pools.
const OF_FILE_SYSTEMS: &[&str] = &["fs dump", "fs status"];

/// One question takes this long at the most, ms: the program itself needs 0.3 s to start.
const QUESTION_MS: u64 = 10_000;
/// All of them together, ms.
const ALL_MS: u64 = 30_000;
/// A longer answer is not read, bytes: of three thousand OSDs the longest has 8 MiB.
const ANSWER_MAX: usize = 32 << 20;
/// Longest text that becomes a fact, characters.
const TEXT_MAX: usize = 400;

/// The members that are read; others, among them serial numbers and addresses, are neither looked at nor captured. Names in
/// capitals are health checks, and are kept too.
const KEPT: &[&str] = &[
    "active",
    "apply_latency_ns",
    "application_metadata",
    "backfillfull_ratio",
    "bluefs_db_rotational",
    "bluefs_dedicated_db",
    "bluestore_bdev_rotational",
    "by_rank",
    "caps",
    "ceph_version_short",
    "checks",
    "children",
    "clients",
    "commit_latency_ns",
    "count",
    "crush_rule",
    "data_pools",
    "default_device_class",
    "degraded_objects",
    "degraded_ratio",
    "device_class",
    "devices",
    "dns",
    "erasure_code_profile",
    "filesystem_id",
    "filesystems",
    "flags",
    "fs",
    "fs_name",
    "fsid",
    "fsmap",
    "full_ratio",
    "health",
    "hostname",
    "id",
    "in",
    "item_name",
    "kb",
    "kb_avail",
    "kb_used",
    "max_avail",
    "max_mds",
    "mdsmap",
    "message",
    "metadata_pool",
    "mgrmap",
    "available",
    "misplaced_objects",
    "misplaced_ratio",
    "monmap",
    "muted",
    "mutes",
    "name",
    "nearfull_ratio",
    "nodes",
    "num",
    "num_in_osds",
    "num_mons",
    "num_osds",
    "num_pgs",
    "num_standbys",
    "num_up_osds",
    "op",
    "osd_objectstore",
    "osd_perf_infos",
    "osdmap",
    "osdstats",
    "percent_used",
    "perf_stats",
    "pg_autoscale_mode",
    "pg_num",
    "pg_num_final",
    "pgmap",
    "pgs",
    "pgs_by_state",
    "pool",
    "pool_name",
    "pools",
    "quorum_names",
    "rate",
    "read_bytes_sec",
    "read_op_per_sec",
    "recovering_bytes_per_sec",
    "recovering_objects_per_sec",
    "reweight",
    "rotational",
    "rule_id",
    "rule_name",
    "severity",
    "size",
    "min_size",
    "state",
    "state_name",
    "stats",
    "status",
    "steps",
    "stored",
    "stray",
    "summary",
    "type",
    "total_avail_bytes",
    "total_bytes",
    "total_used_raw_bytes",
    "total_used_raw_ratio",
    "up:standby",
    "utilization",
    "would_adjust",
    "write_bytes_sec",
    "write_op_per_sec",
    "quota_bytes",
    "quota_objects",
    "quota_max_bytes",
    "bulk",
];

/// The answers by question, and why some are missing.
pub(super) struct Answers {
    values: BTreeMap<&'static str, Value>,
    /// `osd perf: why`, in the order of the questions.
    pub(super) refusals: Vec<String>,
}

impl Answers {
    /// Asks the cluster; none where a captured machine has nothing of one.
    pub(super) fn of(host: &Host, cluster: &CephCluster, has_files: bool) -> Option<Answers> {
        let begun_ns = clock::monotonic_ns();
        let mut answers = Answers {
            values: BTreeMap::new(),
            refusals: Vec::new(),
        };
        let more = if has_files { OF_FILE_SYSTEMS } else { &[] };
        for question in QUESTIONS.iter().chain(more) {
            let is_first = answers.is_empty();
            let is_answered = answers.ask(host, cluster, question, begun_ns);
            match is_answered {
                None if is_first => return None,
                Some(false) if is_first => break,
                Some(false) if *question == TREE => {
                    answers.ask(host, cluster, TREE_ALONE, begun_ns);
                }
                _ => {}
            }
        }
        Some(answers)
    }

    /// Asks one question, and keeps the answer or why there is none. Whether there is one; none where a captured machine has
    /// neither.
    fn ask(
        &mut self,
        host: &Host,
        cluster: &CephCluster,
        question: &'static str,
        begun_ns: u64,
    ) -> Option<bool> {
        let left_ms = ALL_MS.saturating_sub((clock::monotonic_ns() - begun_ns) / 1_000_000);
        let place = format!("/usr/bin/ceph/{question}");
        let answered = host.answered(&place, || told(cluster, question, left_ms))?;
        match answered.and_then(|text| value(&text)) {
            Ok(value) => {
                self.values.insert(question, value);
                Some(true)
            }
            Err(why) => {
                let why = clean_to(&why, TEXT_MAX);
                self.refusals.push(format!("{question}: {why}"));
                Some(false)
            }
        }
    }

    /// The nodes of the tree of buckets and OSDs.
    pub(super) fn tree(&self) -> impl Iterator<Item = &Value> {
        let question = match self.values.contains_key(TREE) {
            true => TREE,
            false => TREE_ALONE,
        };
        let lists = ["/nodes", "/stray"].map(|list| self.list(question, list));
        lists.into_iter().flatten()
    }

    /// Whether nothing was answered.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The answer to a question, or a part of it: `at("status", "/pgmap/num_pgs")`.
    pub(super) fn at(&self, question: &str, pointer: &str) -> Option<&Value> {
        self.values.get(question)?.pointer(pointer)
    }

    /// The elements of a list in an answer; none where there is no list.
    pub(super) fn list(&self, question: &str, pointer: &str) -> &[Value] {
        let list = self.at(question, pointer).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }
}

/// What the program prints, cut to what is read.
fn told(cluster: &CephCluster, question: &str, left_ms: u64) -> Answered {
    if left_ms == 0 {
        return Err("not asked: the questions before it took too long".into());
    }
    let words: Vec<&str> = ["-f", "json", "--connect-timeout", "8"]
        .into_iter()
        .chain(question.split(' '))
        .collect();
    let text = ask(CephProgram::Ceph, cluster, &words, left_ms.min(QUESTION_MS))
        .map_err(|error| error.to_string())?;
    Ok(cut(value(&text)?).to_string())
}

fn value(text: &str) -> Result<Value, String> {
    if text.len() > ANSWER_MAX {
        return Err(format!(
            "the answer has {} bytes, more than is read",
            text.len()
        ));
    }
    serde_json::from_str(text).map_err(|error| format!("the answer is no JSON: {error}"))
}

/// Without the members that nobody reads.
fn cut(value: Value) -> Value {
    let is_kept = |name: &str| {
        KEPT.contains(&name)
            || name.bytes().any(|byte| byte.is_ascii_uppercase())
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    match value {
        Value::Array(values) => Value::Array(values.into_iter().map(cut).collect()),
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(name, _)| is_kept(name));
            let kept = kept.map(|(name, value)| {
                let value = match value {
                    // Its members are the names of applications.
                    Value::Object(names) if name == "application_metadata" => {
                        let names = names.into_iter().map(|(name, _)| Value::String(name));
                        Value::Array(names.collect())
                    }
                    value => cut(value),
                };
                (name, value)
            });
            Value::Object(kept.collect())
        }
        plain => plain,
    }
}

/// A member that is text, fit for a fact; none where it is empty.
pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    let text = value.pointer(pointer)?.as_str()?.trim();
    Some(clean_to(text, TEXT_MAX)).filter(|text| !text.is_empty())
}

/// A member that is a number.
pub(super) fn number(value: &Value, pointer: &str) -> Option<f64> {
    value
        .pointer(pointer)?
        .as_f64()
        .filter(|number| number.is_finite())
}

/// A member that is a whole number.
pub(super) fn whole(value: &Value, pointer: &str) -> Option<i64> {
    value.pointer(pointer)?.as_i64()
}

/// The names of hosts in an answer, as a capture has it: of the buckets of that type, of the hosts of OSDs, and of monitors and
/// metadata servers, which are mostly called after their hosts. Short ones could be part of anything.
pub(crate) fn host_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    if let Ok(value) = value(text) {
        collect_names(&value, &mut names);
    }
    names.retain(|name| name.len() > 3);
    names
}

fn collect_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect_names(value, names)),
        Value::Object(members) => {
            let word = |name: &str| members.get(name).and_then(Value::as_str);
            let is_host = word("type") == Some("host") || members.contains_key("filesystem_id");
            names.extend(word("name").filter(|_| is_host).map(str::to_string));
            names.extend(word("hostname").map(str::to_string));
            let quorum = members.get("quorum_names").and_then(Value::as_array);
            let quorum = quorum.into_iter().flatten().filter_map(Value::as_str);
            names.extend(quorum.map(str::to_string));
            members
                .values()
                .for_each(|value| collect_names(value, names));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_read_is_kept() {
        let text = r#"{"fsid":"a","health":{"checks":{"OSD_NEARFULL":{"summary":{"message":"1"}}}},
            "device_ids":"sda=SERIAL","pools":[{"pool_name":"p","application_metadata":{"rbd":{"key":"x"}}}]}"#;
        let kept = cut(value(text).unwrap());
        let wanted = r#"{"fsid":"a","health":{"checks":{"OSD_NEARFULL":{"summary":{"message":"1"}}}},
            "pools":[{"pool_name":"p","application_metadata":["rbd"]}]}"#;
        assert_eq!(kept, value(wanted).unwrap());
    }

    #[test]
    fn what_health_tells_of_single_machines_is_not_kept() {
        let text = r#"{"checks":{"OSD_SLOW_PING_TIME_BACK":{"severity":"HEALTH_WARN","summary":{"message":"Slow OSD heartbeats","count":1},
            "detail":[{"message":"Slow OSD heartbeats on back from osd.0 [10.9.8.7:6800] to osd.1 [10.9.8.6:6800] 1015 msec"}],"muted":false},
            "DEVICE_HEALTH":{"summary":{"message":"1 device(s) expected to fail soon"},
            "detail":[{"message":"SAMSUNG_MZ7LH_S45PNA0M520238 (osd.7); daemons osd.7; on host store-secret-3"}]}}}"#;
        let kept = cut(value(text).unwrap()).to_string();
        for word in ["10.9.8.7", "S45PNA0M520238", "store-secret-3", "detail"] {
            assert!(!kept.contains(word), "{word} in {kept}");
        }
        assert!(
            kept.contains("Slow OSD heartbeats") && kept.contains("muted"),
            "{kept}"
        );
    }

    #[test]
    fn hosts_are_found_wherever_they_stand() {
        let text = r#"{"quorum_names":["store1","a"],"nodes":[{"type":"host","name":"store2"},{"type":"osd","name":"osd.0"}],
            "fsmap":{"by_rank":[{"filesystem_id":1,"name":"store3"}]},"x":[{"hostname":"store4"}]}"#;
        assert_eq!(host_names(text), ["store1", "store3", "store2", "store4"]);
        assert!(host_names("failed: no").is_empty());
    }

    #[test]
    fn what_is_of_another_kind_is_no_data() {
        let odd = value(r#"{"a":"1","b":2.5,"c":"x\u001b[2J","d":1e400}"#);
        assert!(odd.is_err_and(|why| why.contains("no JSON")));
        let odd = value(r#"{"a":"1","b":2.5,"c":"x\u001b[2J","d":{}}"#).unwrap();
        assert_eq!(
            (number(&odd, "/a"), number(&odd, "/b"), whole(&odd, "/b")),
            (None, Some(2.5), None)
        );
        assert_eq!(
            (text(&odd, "/c").as_deref(), text(&odd, "/d")),
            (Some("x?[2J"), None)
        );
    }
}
