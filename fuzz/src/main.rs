//! Coverage-guided fuzzing of everything that reads what others wrote. `tools/fuzz` builds and runs it.
//!
//! One binary has all targets, so that there is one thing to build; `IODYNO_FUZZ_TARGET` says which one runs.
#![no_main]

mod targets;

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("IODYNO_FUZZ_TARGET").unwrap_or_default();
    let found = targets::ALL.iter().find(|(known, _)| *known == name);
    let names: Vec<&str> = targets::ALL.iter().map(|(known, _)| *known).collect();
    match found {
        Some((_, target)) => *target,
        None => panic!("IODYNO_FUZZ_TARGET is none of {}", names.join(", ")),
    }
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| TARGET(bytes));
