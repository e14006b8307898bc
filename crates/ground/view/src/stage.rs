//! The parts of an experiment in words.

use model::verdict::VerdictStage;

/// A stage in a word, for a column.
pub fn word(stage: VerdictStage) -> &'static str {
    match stage {
        VerdictStage::Headroom => "headroom",
        VerdictStage::Settle => "settle",
        VerdictStage::Calibrate => "calibrate",
        VerdictStage::Pairs => "pairs",
        VerdictStage::Race => "race",
        VerdictStage::Audit => "audit",
        VerdictStage::Holdout => "hold-out",
        VerdictStage::Explain => "traced",
    }
}

/// What is being done in a stage, while it runs.
pub fn phrase(stage: VerdictStage) -> &'static str {
    match stage {
        VerdictStage::Headroom => "looking for headroom",
        VerdictStage::Settle => "learning how it settles",
        VerdictStage::Calibrate => "learning the noise",
        VerdictStage::Pairs => "pairs",
        VerdictStage::Race => "race",
        VerdictStage::Audit => "audit for carry-over",
        VerdictStage::Holdout => "hold-out",
        VerdictStage::Explain => "tracing what moved",
    }
}
