//! Where a pool's data may lie: its CRUSH rule, and the OSDs below the buckets that the rule takes.

use super::answers::{Answers, text, whole};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A pool's rule.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    /// Its name.
    pub(super) name: String,
    /// The types of bucket that its steps choose, in their order: `rack`, `host`, `osd`. No two of the last one hold the same data.
    pub(super) chosen: Vec<String>,
    /// Buckets that it takes, each with a device class where it takes only one.
    pub(super) takes: Vec<(String, Option<String>)>,
}

impl Rule {
    /// The rule of this number.
    pub(super) fn of(answers: &Answers, id: i64) -> Option<Rule> {
        let rules = answers.list("osd crush rule dump", "");
        let rule = rules
            .iter()
            .find(|rule| whole(rule, "/rule_id") == Some(id))?;
        let steps = rule.pointer("/steps").and_then(Value::as_array)?;
        let op = |step: &Value| text(step, "/op").unwrap_or_default();
        let takes = steps.iter().filter(|step| op(step) == "take");
        // `default~ssd` is the part of `default` that has this device class.
        let takes = takes.filter_map(|step| {
            let item = text(step, "/item_name")?;
            Some(match item.split_once('~') {
                Some((bucket, class)) => (bucket.to_string(), Some(class.to_string())),
                None => (item, None),
            })
        });
        let chooses = steps.iter().filter(|step| op(step).starts_with("choose"));
        Some(Rule {
            name: text(rule, "/rule_name").unwrap_or_default(),
            chosen: chooses.filter_map(|step| text(step, "/type")).collect(),
            takes: takes.collect(),
        })
    }
}

/// The tree of buckets and OSDs.
pub(super) struct Tree<'a> {
    nodes: BTreeMap<i64, &'a Value>,
    parents: BTreeMap<i64, i64>,
}

impl<'a> Tree<'a> {
    /// Reads it.
    pub(super) fn of(answers: &'a Answers) -> Tree<'a> {
        let mut tree = Tree {
            nodes: BTreeMap::new(),
            parents: BTreeMap::new(),
        };
        for node in answers.tree() {
            let Some(id) = whole(node, "/id") else {
                continue;
            };
            for child in children(node) {
                tree.parents.entry(child).or_insert(id);
            }
            tree.nodes.entry(id).or_insert(node);
        }
        tree
    }

    /// Every OSD, by number.
    pub(super) fn osds(&self) -> impl Iterator<Item = (i64, &'a Value)> {
        let osds = self.nodes.iter().filter(|(id, _)| **id >= 0);
        osds.map(|(id, node)| (*id, *node))
    }

    /// The OSDs that a rule can choose; all of them where the rule is not known.
    pub(super) fn osds_of(&self, rule: Option<&Rule>) -> Vec<(i64, &'a Value)> {
        let Some(rule) = rule.filter(|rule| !rule.takes.is_empty()) else {
            return self.osds().collect();
        };
        let mut chosen = BTreeSet::new();
        for (bucket, class) in &rule.takes {
            let named = |node: &&Value| text(node, "/name").as_ref() == Some(bucket);
            let root = self.nodes.iter().find(|(_, node)| named(node));
            let below = root.map(|(id, _)| self.below(*id)).unwrap_or_default();
            let is_of_class = |id: &i64| {
                let of = |node: &&Value| text(node, "/device_class") == *class;
                class.is_none() || self.nodes.get(id).is_some_and(of)
            };
            chosen.extend(below.into_iter().filter(|id| *id >= 0 && is_of_class(id)));
        }
        self.osds().filter(|(id, _)| chosen.contains(id)).collect()
    }

    /// Everything below a bucket. What a cluster says may be no tree: nothing is visited twice.
    fn below(&self, root: i64) -> BTreeSet<i64> {
        let (mut seen, mut left) = (BTreeSet::new(), vec![root]);
        while let Some(id) = left.pop() {
            if seen.insert(id) {
                left.extend(
                    self.nodes
                        .get(&id)
                        .into_iter()
                        .flat_map(|node| children(node)),
                );
            }
        }
        seen
    }

    /// The name of the bucket of a type that holds an OSD.
    pub(super) fn holder(&self, osd: i64, kind: &str) -> Option<String> {
        let mut id = osd;
        // As deep as Ceph's own types of buckets go, which are eleven, and some more.
        for _ in 0..32 {
            id = *self.parents.get(&id)?;
            let node = self.nodes.get(&id)?;
            if text(node, "/type").as_deref() == Some(kind) {
                return text(node, "/name");
            }
        }
        None
    }
}

fn children(node: &Value) -> impl Iterator<Item = i64> {
    let list = node.pointer("/children").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_i64)
}
