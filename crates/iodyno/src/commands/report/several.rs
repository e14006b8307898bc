//! A report of several records: what `compare` says, with the records drawn on common axes.

use super::{Format, Made};
use crate::commands::compare::Inputs;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use compare::view;
use lookup::records::{self, GivenRecord};
use model::comparison::Comparison;
use model::record::Record;

/// Sets them side by side, against the first.
pub fn make(names: &[String], format: Format, context: &Context) -> Result<Made, Failure> {
    let inputs = Inputs::open(context)?;
    let given = inputs.all(names)?;
    let found = records::comparison(inputs.store(), &given, 0)?;
    let records: Vec<&Record> = given.iter().map(|one| &one.record).collect();
    let content = match format {
        Format::Html | Format::Svg => page::comparison(&found, &records, &lookup::WORDING),
        Format::Md => view::markdown::text(&found),
        Format::Csv => page::comparison_csv(&found),
        Format::Json => json(&found)?,
    };
    Ok(Made {
        id: None,
        ids: given.iter().filter_map(|one| one.id).collect(),
        summary: found.sentence.clone(),
        figures: page::comparison_figures(&found, &records),
        content,
        name: file_name(&given),
    })
}

fn json(found: &Comparison) -> Result<String, Failure> {
    serde_json::to_string_pretty(found).map_err(|error| {
        Failure::new(
            Exit::Failed,
            format!("cannot write the comparison: {error}"),
        )
    })
}

/// `iodyno-3-7`; of files and of many records, no list of them.
fn file_name(given: &[GivenRecord]) -> String {
    let ids: Vec<String> = given
        .iter()
        .filter_map(|one| one.id)
        .map(|id| id.to_string())
        .collect();
    match ids.len() == given.len() && ids.len() <= 6 {
        true => format!("iodyno-{}", ids.join("-")),
        false => "iodyno-comparison".into(),
    }
}
