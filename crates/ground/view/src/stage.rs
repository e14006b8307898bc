//! The parts of an experiment in words.

use model::verdict::Stage;

/// A stage in a word, for a column.
pub fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Headroom => "headroom",
        Stage::Settle => "settle",
        Stage::Calibrate => "calibrate",
        Stage::Pairs => "pairs",
        Stage::Race => "race",
        Stage::Audit => "audit",
        Stage::Holdout => "hold-out",
        Stage::Explain => "traced",
    }
}

/// What is being done in a stage, while it runs.
pub fn phrase(stage: Stage) -> &'static str {
    match stage {
        Stage::Headroom => "looking for headroom",
        Stage::Settle => "learning how it settles",
        Stage::Calibrate => "learning the noise",
        Stage::Pairs => "pairs",
        Stage::Race => "race",
        Stage::Audit => "audit for carry-over",
        Stage::Holdout => "hold-out",
        Stage::Explain => "tracing what moved",
    }
}
