//! That a record is none of anything measured, in words.

use model::record::{Provenance, RehearsedOn};

/// Said wherever such a record is shown; none of one that was measured.
pub fn sentence(provenance: &Provenance) -> Option<String> {
    let RehearsedOn { disk, seed } = provenance.rehearsed.as_ref()?;
    Some(format!(
        "Rehearsed on a simulated disk ({}, seed {seed}): no figure here was measured.",
        model::text::clean(disk)
    ))
}
