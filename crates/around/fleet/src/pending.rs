//! Hosts on which something may still be changed: what is to be done there, and how to get there again.
//!
//! A host is on the list before a verb begins there that can change something, and comes off when its end is known. What was
//! left on it by such a verb is found by the mark of the fleet, which the verb's journal carries, and by nothing else: changes
//! that anybody made before or after stay.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Schema of the list in the state directory.
pub const PENDING_SCHEMA: &str = "iodyno.fleet-pending/1";

/// A host on which something may still be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The mark of the fleet that began it.
    pub fleet: String,
    /// As the user calls it.
    pub name: String,
    /// Where it is.
    pub address: String,
    /// The template that leads there; none for ssh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The configuration of ssh, where it is not the user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssh_config: Option<String>,
    /// Whether the verb ran by sudo.
    #[serde(default)]
    pub sudo: bool,
    /// What the host called itself; none where it never said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// The verb that was at work, with its words.
    pub verb: Vec<String>,
    /// When it began, ms since 1970.
    pub begun_unix_ms: u64,
    /// What became of the host, a sentence.
    pub why: String,
}

/// What stands in the way of taking back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StillThere {
    /// A verb runs there.
    #[error("`{0}` still runs there, and puts everything back when it ends")]
    Running(String),
    /// What the host says is no answer.
    #[error("it does not say what is changed there")]
    Unknown,
}

impl Pending {
    /// Whether two are the same way to the same host, with the same rights there.
    pub fn has_way_of(&self, other: &Pending) -> bool {
        let way = |one: &Pending| {
            let (via, config) = (one.via.clone(), one.ssh_config.clone());
            (one.address.clone(), via, config, one.sudo)
        };
        way(self) == way(other)
    }

    /// What a journal's purpose ends with that a fleet began: a comment for a shell, since a purpose can be pasted.
    pub fn mark(fleet: &str) -> String {
        format!("# fleet {fleet}")
    }
}

/// The journals to undo on a host, by a document of `status` there, the latest first: what ended unfinished, and what verbs
/// of these fleets left in place.
///
/// # Errors
/// While a verb runs there, and where the document is none: then nothing is known.
pub fn to_undo(fleets: &[&str], status: &Value) -> Result<Vec<String>, StillThere> {
    let journals = status.get("journals").and_then(Value::as_array);
    let marks: Vec<String> = fleets.iter().map(|fleet| Pending::mark(fleet)).collect();
    let mut found = Vec::new();
    for journal in journals.ok_or(StillThere::Unknown)? {
        let text = |name: &str| journal.get(name).and_then(Value::as_str);
        let is = |name: &str| journal.get(name).and_then(Value::as_bool).unwrap_or(false);
        let (id, purpose) = text("id").zip(text("purpose")).ok_or(StillThere::Unknown)?;
        if is("running") && !is("kept") {
            let purpose = model::text::clean_to(purpose, 80);
            return Err(StillThere::Running(purpose));
        }
        let is_left = is("kept") && marks.iter().any(|mark| purpose.ends_with(mark.as_str()));
        if is("pending") || is_left {
            // It becomes a word of a command there.
            if id.is_empty() || id.starts_with('-') || id.len() > 200 {
                return Err(StillThere::Unknown);
            }
            let unix_ms = journal.get("unix_ms").and_then(Value::as_u64);
            found.push((unix_ms.unwrap_or(0), id.to_string()));
        }
    }
    found.sort_by(|one, other| other.cmp(one));
    Ok(found.into_iter().map(|(_, id)| id).collect())
}

/// The list of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingList {
    /// [`PENDING_SCHEMA`].
    pub schema: String,
    /// The hosts; one may stand there for several fleets.
    pub hosts: Vec<Pending>,
}

impl Default for PendingList {
    fn default() -> PendingList {
        PendingList {
            schema: PENDING_SCHEMA.into(),
            hosts: Vec::new(),
        }
    }
}

impl PendingList {
    /// Notes a host, or what became of it since it was noted.
    pub fn put(&mut self, pending: Pending) {
        self.clear(&pending);
        self.hosts.push(pending);
    }

    /// Takes off what one fleet may have left on one host; other fleets' and other ways stay.
    pub fn clear(&mut self, done: &Pending) {
        let is_done = |one: &Pending| one.fleet == done.fleet && one.has_way_of(done);
        self.hosts.retain(|one| !is_done(one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lost(fleet: &str, sudo: bool) -> Pending {
        Pending {
            fleet: fleet.into(),
            name: "h1".into(),
            address: "h1".into(),
            via: None,
            ssh_config: None,
            sudo,
            hostname: None,
            verb: vec!["apply".into()],
            begun_unix_ms: 1,
            why: "the connection was lost".into(),
        }
    }

    fn journal(id: &str, purpose: &str, flags: &[&str]) -> Value {
        let is = |flag: &str| flags.contains(&flag);
        json!({"id": id, "purpose": purpose, "unix_ms": id.len(), "running": is("running"), "pending": is("pending"),
               "kept": is("kept")})
    }

    #[test]
    fn what_others_changed_before_and_later_stays() {
        let status = json!({"journals": [
            journal("1", "apply 7", &["kept"]),
            journal("22", "apply 7 # fleet a1", &["kept"]),
            journal("333", "tune /srv", &["pending"]),
            journal("4444", "apply 7 # fleet b2", &["kept"]),
        ]});
        assert_eq!(to_undo(&["a1"], &status).unwrap(), ["333", "22"]);
        assert_eq!(to_undo(&["c3"], &status).unwrap(), ["333"]);
        assert_eq!(
            to_undo(&["a1", "b2"], &status).unwrap(),
            ["4444", "333", "22"]
        );
    }

    #[test]
    fn nothing_is_known_while_a_verb_runs_or_the_answer_is_none() {
        let runs = json!({"journals": [journal("1", "apply 7 # fleet a1", &["running"])]});
        let why = to_undo(&["a1"], &runs).unwrap_err().to_string();
        assert!(why.contains("still runs there"), "{why}");
        for status in [
            Value::Null,
            json!({"journals": 3}),
            json!({"journals": [{}]}),
            json!({"journals": [journal("-x", "tune", &["pending"])]}),
        ] {
            assert_eq!(
                to_undo(&["a1"], &status),
                Err(StillThere::Unknown),
                "{status}"
            );
        }
        assert_eq!(to_undo(&["a1"], &json!({"journals": []})), Ok(Vec::new()));
    }

    #[test]
    fn only_what_was_done_comes_off_the_list() {
        let mut list = PendingList::default();
        for pending in [lost("a1", false), lost("a1", true), lost("b2", false)] {
            list.put(pending);
        }
        list.put(Pending {
            why: "it said nothing".into(),
            ..lost("a1", false)
        });
        assert_eq!(list.hosts.len(), 3);
        list.clear(&lost("a1", false));
        assert_eq!(list.hosts, [lost("a1", true), lost("b2", false)]);
    }
}
