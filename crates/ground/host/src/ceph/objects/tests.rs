//! Removals of objects that are names in memory; those of a cluster are tested in `crates/iodyno/tests/ceph.rs`.

use super::*;
use crate::AskError;
use model::ceph_target::CephTarget;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Objects by name. Removals fail once there have been so many.
struct Memory {
    names: Mutex<BTreeSet<String>>,
    left: Mutex<u64>,
}

impl Memory {
    fn with(indices: impl IntoIterator<Item = u64>) -> Memory {
        let named = indices.into_iter().map(|index| name(&saved(), index));
        Memory {
            names: Mutex::new(named.collect()),
            left: Mutex::new(u64::MAX),
        }
    }

    fn dies_after(&self, removals: u64) {
        *self.left.lock().unwrap() = removals;
    }

    fn count(&self) -> usize {
        self.names.lock().unwrap().len()
    }
}

impl ObjectStore for Memory {
    fn has(&self, name: &str) -> Result<bool, CephError> {
        Ok(self.names.lock().unwrap().contains(name))
    }

    fn remove(&self, names: &[String]) -> Result<(), CephError> {
        for name in names {
            let mut left = self.left.lock().unwrap();
            if *left == 0 {
                let command = "rados rm".into();
                return Err(AskError::Stopped { command }.into());
            }
            if !self.names.lock().unwrap().remove(name) {
                return Err(failed(&format!(
                    "error removing bench>iodyno-7f/{name}: (2) No such file or directory"
                )));
            }
            *left -= 1;
        }
        Ok(())
    }
}

fn failed(said: &str) -> CephError {
    let command = String::new();
    let (status, said) = (Some(1), said.into());
    CephError::Asked(AskError::Failed {
        command,
        status,
        said,
    })
}

fn saved() -> SavedObjects {
    SavedObjects {
        target: CephTarget::parse("rados://bench?conf=/nowhere").unwrap(),
        fsid: String::new(),
        namespace: Some("iodyno-7f".into()),
        prefix: "benchmark_data_vm_42_object".into(),
        most: 1_000_000_000,
        gap: 16,
        also: vec!["iodyno-7f".into()],
    }
}

#[test]
fn all_go_whatever_is_missing_between_them() {
    let holes = [0, 3, 4, 700, 2047, 2048, 4990];
    let memory = Memory::with((0..5000).filter(|index| !holes.contains(index)));
    memory.names.lock().unwrap().insert("iodyno-7f".into());
    assert_eq!(sweep(&memory, &saved(), None).unwrap(), 4994);
    assert_eq!(memory.count(), 0);
    assert_eq!(sweep(&memory, &saved(), None).unwrap(), 0, "again");
}

#[test]
fn what_is_cut_short_is_finished_by_the_next() {
    for dies_after in [1, 45, 159, 160, 161, 599] {
        let memory = Memory::with(0..600);
        memory.dies_after(dies_after);
        assert!(sweep(&memory, &saved(), Some(600)).is_err());
        memory.dies_after(dies_after);
        let _ = sweep(&memory, &saved(), None);
        memory.dies_after(u64::MAX);
        sweep(&memory, &saved(), None).unwrap();
        assert_eq!(memory.count(), 0, "cut short after {dies_after}");
    }
}

#[test]
fn those_whose_first_ones_went_otherwise_are_found() {
    let memory = Memory::with(100..600);
    assert_eq!(sweep(&memory, &saved(), None).unwrap(), 500);
    assert_eq!(memory.count(), 0);
}

#[test]
fn what_cannot_be_removed_is_an_error() {
    struct Stubborn;
    impl ObjectStore for Stubborn {
        fn has(&self, name: &str) -> Result<bool, CephError> {
            Ok(name.ends_with("object0"))
        }
        fn remove(&self, _: &[String]) -> Result<(), CephError> {
            Ok(())
        }
    }
    let error = sweep(&Stubborn, &saved(), Some(1)).unwrap_err();
    assert!(error.to_string().contains("still there"), "{error}");
}

#[test]
fn the_missing_one_is_read_out_of_what_rados_says() {
    let said = "error removing bench>iodyno-7f/benchmark_data_vm_42_object7: (2) No such file or directory";
    assert_eq!(
        missing_index(&failed(said), "benchmark_data_vm_42_object"),
        Some(7)
    );
    assert_eq!(missing_index(&failed(said), "iodyno-7f."), None);
    let other = "error removing bench/iodyno-7f.3: (1) Operation not permitted";
    assert_eq!(missing_index(&failed(other), "iodyno-7f."), None);
    let gone = failed("error opening pool bench: (2) No such file or directory");
    assert!(is_pool_gone(&gone) && !is_pool_gone(&failed(said)));
}
