//! The queue of one block device: where its settings are, and what it is.

use host::Host;
use model::change::Attribute;

/// A block device's queue directory on a host.
#[derive(Clone, Debug)]
pub struct Queue {
    host: Host,
    device: String,
}

impl Queue {
    /// The queue of a whole device by kernel name (`sda`, `loop0`); none where it has no queue directory, or the name is
    /// more than one: it becomes a part of paths.
    pub fn of(host: &Host, device: &str) -> Option<Queue> {
        if !model::text::is_plain_name(device) {
            return None;
        }
        let queue = Queue {
            host: host.clone(),
            device: device.to_string(),
        };
        host.exists(&queue.path("")).then_some(queue)
    }

    /// The device's kernel name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The host it is on.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Absolute path of an attribute below the queue directory.
    pub fn path(&self, attribute: &str) -> String {
        // Kernel names may hold `!` for `/` (cciss!c0d0), which sysfs keeps as it is.
        format!("/sys/block/{}/queue/{attribute}", self.device)
            .trim_end_matches('/')
            .to_string()
    }

    /// What an attribute reads.
    pub fn attribute(&self, name: &str) -> Attribute {
        self.host.attribute(&self.path(name))
    }

    /// An attribute as text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.host.text(&self.path(name))
    }

    /// An attribute as a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.host.number(&self.path(name))
    }

    /// The chosen word of `scheduler`.
    pub fn scheduler(&self) -> Option<String> {
        let text = self.text("scheduler")?;
        Some(super::shown("scheduler", &text))
    }

    /// Tags of the smallest hardware queue, where the device has any.
    pub fn tags(&self) -> Option<u64> {
        let dir = format!("/sys/block/{}/mq", self.device);
        let tags = self
            .host
            .list(&dir)
            .into_iter()
            .map(|queue| self.host.number(&format!("{dir}/{queue}/nr_tags")));
        tags.flatten().min()
    }
}
