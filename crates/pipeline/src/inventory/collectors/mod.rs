//! Every inventory collector.

pub mod disk;
pub mod filesystem;
pub mod hardware_queues;
pub mod interrupts;
pub mod loop_device;
pub mod partition;
pub mod queue;
pub mod stacked;
pub mod usage;
pub mod zram;

/// All of them, sorted by id.
pub static ALL: &[&super::Collector] = &[
    &disk::COLLECTOR,
    &filesystem::COLLECTOR,
    &hardware_queues::COLLECTOR,
    &interrupts::COLLECTOR,
    &loop_device::COLLECTOR,
    &partition::COLLECTOR,
    &queue::COLLECTOR,
    &stacked::COLLECTOR,
    &usage::COLLECTOR,
    &zram::COLLECTOR,
];
