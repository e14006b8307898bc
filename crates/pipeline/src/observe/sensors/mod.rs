//! Every sensor.

pub mod cpu;
pub mod diskstats;
pub mod interrupts;
pub mod memory;
pub mod pressure;

/// All of them, sorted by id.
pub static ALL: &[&super::Sensor] =
    &[&cpu::SENSOR, &diskstats::SENSOR, &interrupts::SENSOR, &memory::SENSOR, &pressure::SENSOR];
