//! The fixtures of importers of text, for their tests: reading them, looking into what came of them, and damage.
#![allow(clippy::disallowed_methods, reason = "a test reads its own fixtures")]

use crate::{Import, import};
use model::imported::{Imported, ImportedSeries};
use std::path::PathBuf;

/// Where the fixtures are.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/imports")
}

/// The bytes of `iostat/12.6.1-d.txt`.
pub fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What comes of a fixture.
pub fn imported(name: &str) -> Import {
    import(name, &mut bytes(name).as_slice()).unwrap()
}

/// The one result that a fixture holds.
pub fn only(name: &str) -> Imported {
    let mut import = imported(name);
    assert_eq!(import.results.len(), 1, "{name}: {:?}", import.results);
    import.results.remove(0)
}

/// A series of a result.
pub fn series<'a>(imported: &'a Imported, field: &str, subject: &str) -> &'a ImportedSeries {
    let known = || {
        imported
            .series
            .iter()
            .map(|one| format!("{} of {}", one.field, one.subject))
            .collect::<Vec<_>>()
    };
    imported
        .series
        .iter()
        .find(|one| one.field == field && one.subject == subject)
        .unwrap_or_else(|| panic!("no {field} of {subject}: {:?}", known()))
}

/// Its values.
pub fn values(imported: &Imported, field: &str, subject: &str) -> Vec<Option<f64>> {
    series(imported, field, subject).values.clone()
}
