//! Queues of captured machines for the tests of the knobs.

use super::Queue;
use host::{Archive, Host};
use model::change::Attribute;

/// A queue `sda` whose attributes have these values. A name may start with `../` to reach the device's directory.
pub fn queue(values: &[(&str, &str)]) -> Queue {
    let attributes: Vec<_> = values
        .iter()
        .map(|(name, text)| (*name, Attribute::Value(text.to_string())))
        .collect();
    queue_with(&attributes)
}

/// The same with refusals too.
pub fn queue_with(values: &[(&str, Attribute)]) -> Queue {
    let mut archive = Archive::default();
    archive.insert(
        "/sys/block/sda/queue/logical_block_size",
        Attribute::Value("512".into()),
    );
    for (name, value) in values {
        let path = match name.strip_prefix("../") {
            Some(name) => format!("/sys/block/sda/{name}"),
            None => format!("/sys/block/sda/queue/{name}"),
        };
        archive.insert(&path, value.clone());
    }
    Queue::of(&Host::from_archive(archive), "sda").expect("the queue directory is in the archive")
}
