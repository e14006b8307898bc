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
mod ceph_facts;
mod ceph_fakes;
mod changes;
mod check;
mod cloud;
mod command;
mod compare;
mod dataset;
mod diff;
mod drift;
mod ends;
mod engines;
mod every_knob;
mod exported;
mod failures;
mod faults;
mod field_lines;
mod file_systems;
mod fio_words;
mod fleet;
mod foreign;
mod groups;
mod guard;
mod import;
mod inspect;
mod judge;
mod k8s;
mod keeping;
mod lab;
mod layers;
mod limits;
mod live;
mod loops;
mod loops_beside_others;
mod machine_settings;
mod meters;
mod mounts;
mod pasted;
mod planted;
mod records;
mod rehearse;
mod rehearse_checks;
mod rehearse_runs;
mod report;
mod rights;
mod run;
mod safety;
mod serve;
mod set;
mod settings;
mod shipped;
mod signals;
mod soak;
mod store;
mod store_export;
mod stories;
mod subjects;
mod support;
mod sweep;
mod tune;
mod undo;
mod watch;
mod watch_screen;
