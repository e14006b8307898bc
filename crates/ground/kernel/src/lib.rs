//! The kernel's text: what /proc and /sys print, and the records of a blktrace, as values. One parser a format, for every part of iodyno: the safety
//! gates, the inventory and the sensors read the same mount table in the same way.
//!
//! Everything here is a pure function of text. Reading the files is `host`'s work; a captured machine gives the same
//! text as a live one. Text that the kernel would not print is no value, and never a panic: files are cut off, bind
//! mounts and containers put other files in their place, captures are edited by hand.

pub mod blktrace;
pub mod cgroups;
pub mod choice;
pub mod counter;
pub mod cpuinfo;
pub mod cpulist;
pub mod device_lines;
pub mod device_settings;
pub mod devno;
pub mod fstab;
pub mod group_io;
pub mod meminfo;
pub mod mounts;
pub mod octal;
pub mod process_stat;
pub mod release;
pub mod stat;
pub mod super_option;
pub mod swaps;
pub mod sync_speed;
pub mod task;
