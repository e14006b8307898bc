//! A record for each target: its passes as sections, and what was found as a study.

use super::places::Place;
use crate::keep::{self, Kept};
use analyse::dataset::DatasetTally;
use model::dataset::{DATASET_ENGINE, Dataset, DatasetPass, DatasetReport, DatasetTarget, FILE};
use model::iopath::IoPath;
use model::job::{Job, Rw};
use model::record::{
    LoadResult, Operation, Provenance, Record, RecordBody, RunBody, SectionResult,
};
use model::studies::Studies;
use report::studies;
use store::Store;

/// Puts the records of all targets that were read into the store, and their numbers into the report.
pub fn keep(
    store: &Store,
    provenance: Provenance,
    places: &[Place],
    tally: &DatasetTally,
    report: &mut DatasetReport,
) -> Vec<Kept> {
    let mut all = Vec::new();
    for (at, place) in places.iter().enumerate() {
        if report.targets[at].passes.is_empty() {
            continue;
        }
        let sections = sections(&report.targets[at], tally, at, report.seed);
        let against = (at > 0).then(|| places[0].name().to_string());
        let dataset = Dataset {
            tree: report.tree.clone(),
            shape: report.shape.clone(),
            target: report.targets[at].clone(),
            against,
            is_cut: report.is_cut,
            notes: report.notes.clone(),
        };
        let record = record(provenance.clone(), place.path.clone(), sections, dataset);
        let kept = keep::into_store(store, &record);
        report.targets[at].record = kept.id;
        all.push(kept);
    }
    all
}

fn record(
    provenance: Provenance,
    path: IoPath,
    mut sections: Vec<SectionResult>,
    dataset: Dataset,
) -> Record {
    let first = sections.first();
    let job = first.map_or_else(Job::default, |section| section.job.clone());
    let load = first.map(|section| section.load.clone());
    if sections.len() == 1 {
        sections.clear();
    }
    let studies = Studies {
        dataset: Some(dataset),
        ..Studies::default()
    };
    let summary = studies::sentence(&job, &studies);
    let body = RecordBody::Run(RunBody {
        load,
        sections,
        studies,
        ..RunBody::default()
    });
    Record {
        summary,
        job,
        ..Record::of(body, provenance, path)
    }
}

/// A section for each pass, one after the other.
fn sections(
    target: &DatasetTarget,
    tally: &DatasetTally,
    at: usize,
    seed: u64,
) -> Vec<SectionResult> {
    let one = |(stage, pass): (usize, &DatasetPass)| {
        let job = Job {
            ioengine: DATASET_ENGINE.into(),
            rw: Rw::Read,
            numjobs: pass.readers,
            randseed: seed,
            engine_options: [("cache".to_string(), pass.state().to_string())].into(),
            ..Job::default()
        };
        let lap = tally.lap(at, pass.cold.is_some(), pass.readers)?;
        let read = Operation {
            name: "read".into(),
            busy_ms: pass.elapsed_ms,
            done: lap.operations[FILE].clone(),
        };
        let load = LoadResult {
            engine: "whole files: open, stat, read to the end, close".into(),
            depth: pass.readers,
            elapsed_ms: pass.elapsed_ms,
            operations: vec![read],
            ..LoadResult::default()
        };
        Some(SectionResult {
            name: pass.words(),
            stage: stage as u32,
            start_ms: 0,
            elsewhere: String::new(),
            job,
            load,
        })
    };
    target.passes.iter().enumerate().filter_map(one).collect()
}
