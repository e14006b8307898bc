//! The binary as its users meet it: one test program, one file a subject.
#![allow(
    clippy::disallowed_methods,
    reason = "tests stand outside the one door, to see what came through it"
)]
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "long tests say how far they are"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on must stop"
)]

mod bad_input;
mod boots;
mod boots_guest;
mod browser;
mod ceph;
mod ceph_facts;
mod ceph_fakes;
mod changes;
mod check;
mod check_prove;
mod cloud;
mod cloud_guest;
mod command;
mod compare;
mod containers;
mod containers_guest;
mod databases;
mod dataset;
mod diff;
mod disk_sensors;
mod drift;
mod drivers_guest;
mod engines;
mod every_knob;
mod exported;
mod failures;
mod fairness;
mod faults;
mod field_lines;
mod file_systems;
mod fio_words;
mod fleet;
mod foreign;
mod groups;
mod groups_guest;
mod histories;
mod import;
mod inspect;
mod inspect_guest;
mod judge;
mod k8s;
mod k8s_cluster;
mod keeping;
mod killed;
mod layers;
mod layers_guest;
mod limits;
mod limits_guest;
mod loops;
mod loops_beside_others;
mod machine_settings;
mod meters;
mod mounts;
mod owners_guest;
mod persist;
mod planted;
mod power_guest;
mod prometheus;
mod records;
mod report;
mod rights;
mod run;
mod safety;
mod serve;
mod set;
mod settings;
mod shipped;
mod signals;
mod store;
mod store_export;
mod stories;
mod stories_guest;
mod stories_of_files_guest;
mod subjects;
mod support;
mod sweep;
mod time_account;
mod tune;
mod undo;
mod watch;
mod watch_screen;
