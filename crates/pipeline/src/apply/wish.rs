//! What is to outlive a reboot, and the file that would make it so.

/// Settings of one device that a record proved.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Kernel name of the device.
    pub device: String,
    /// Knob ids and values, in the order of writing.
    pub values: Vec<(String, String)>,
    /// The record that proved them.
    pub record: i64,
}

/// A file to be written whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersistPlan {
    /// Absolute path.
    pub path: String,
    /// Its content.
    pub content: String,
    /// What to run for it to act before the next boot, for people.
    pub activate: String,
}
