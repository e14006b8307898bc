//! `iodyno report`: a record, or several side by side, as a file that can be mailed, printed, or kept beside a ticket.

mod several;

use crate::context::{Context, RecordAnswer};
use crate::exit::{Exit, Failure};
use crate::out::Out;
use host::files;
use model::record::Record;
use page::{About, Figure};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use store::Store;

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Number of the record, as `iodyno list` shows it, or a file that `iodyno show N --json` printed. Several are set side
    /// by side on common axes, against the first; then files of other tools are taken as well.
    #[arg(required = true, value_name = "RECORD")]
    pub records: Vec<String>,
    /// Where to; the ending says what: .html, .md, .json, .csv. `-` is stdout. By default iodyno-N.html here.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What to write, where the ending does not say.
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Also write every figure as an SVG file into this directory.
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Replace files that are there.
    #[arg(long)]
    pub force: bool,
}

/// What a report can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One page with figures, tables and data, that needs no network.
    Html,
    /// Words and tables, for tickets.
    Md,
    /// The whole record.
    Json,
    /// Every sample, one value a line.
    Csv,
    /// A figure.
    #[value(skip)]
    Svg,
}

/// What was written.
#[derive(Serialize)]
struct ReportDocument<'a> {
    schema: &'static str,
    record: Option<i64>,
    /// All of them, of a report of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    records: Vec<i64>,
    summary: &'a str,
    files: Vec<Written>,
    /// Figures that one would expect and that are not there.
    absent: Vec<Absent>,
}

#[derive(Serialize)]
struct Written {
    path: String,
    format: Format,
    bytes: usize,
}

#[derive(Serialize)]
struct Absent {
    id: String,
    why: String,
}

/// A record, and its number, tags and notes, where it has any.
struct ReportSource {
    about: About,
    record: Record,
}

/// What goes into the files.
struct Made {
    id: Option<i64>,
    /// Of a report of several records, their numbers.
    ids: Vec<i64>,
    summary: String,
    figures: Vec<Figure>,
    content: String,
    /// What a file is called that was given no name: `iodyno-7`.
    name: String,
}

/// The document of `show`, as it is read back.
#[derive(Deserialize)]
struct Shown {
    id: Option<i64>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    notes: Vec<Note>,
    record: Record,
}

/// A note in it.
#[derive(Deserialize)]
struct Note {
    text: String,
}

/// Writes the files and says which.
pub fn run(args: &ReportArgs, context: &Context) -> Result<Exit, Failure> {
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    if to_stdout && context.out.is_json() {
        return Err(Failure::usage(
            "`-o -` and --json both want stdout: leave one of them out.",
        ));
    }
    let format = format(args)?;
    let made = match args.records.as_slice() {
        [only] => one(only, format, context)?,
        several => several::make(several, format, context)?,
    };
    let Made {
        figures, content, ..
    } = &made;
    let mut targets: Vec<(PathBuf, Format, String)> = Vec::new();
    if !to_stdout {
        targets.push((output(args, &made.name), format, content.clone()));
    }
    if let Some(dir) = &args.figures {
        let drawn = figures
            .iter()
            .filter_map(|figure| Some((figure, figure.standalone_svg()?)));
        targets.extend(
            drawn.map(|(figure, svg)| (dir.join(format!("{}.svg", figure.id)), Format::Svg, svg)),
        );
    }
    let files = write_all(&targets, args)?;
    // Words for people leave stdout to the report.
    let out = if to_stdout {
        Out::new(true)
    } else {
        context.out
    };
    for file in &files {
        out.say(format!(
            "wrote {}  {}",
            file.path,
            model::units::bytes(file.bytes as f64)
        ));
    }
    let absent = absent(figures);
    for one in &absent {
        out.say(format!("  no figure of {}: {}", one.id, one.why));
    }
    if to_stdout {
        context.out.answer(content.trim_end_matches('\n'));
    }
    context.out.document(&ReportDocument {
        schema: "iodyno.report/1",
        record: made.id,
        records: made.ids,
        summary: &made.summary,
        files,
        absent,
    })?;
    Ok(Exit::Fine)
}

/// A report of one record.
fn one(name: &str, format: Format, context: &Context) -> Result<Made, Failure> {
    let source = open(name, context)?;
    let content = content(&source, format)?;
    let figures = page::figures::figures(&source.record);
    let name = source
        .about
        .id
        .map_or("iodyno-report".to_string(), |id| format!("iodyno-{id}"));
    Ok(Made {
        id: source.about.id,
        ids: Vec::new(),
        summary: source.record.summary,
        figures,
        content,
        name,
    })
}

/// From the ending of the file, unless it is said.
fn format(args: &ReportArgs) -> Result<Format, Failure> {
    let ending = args
        .output
        .as_ref()
        .and_then(|path| path.extension()?.to_str().map(str::to_ascii_lowercase));
    let of_ending = match ending.as_deref() {
        None => Some(Format::Html),
        Some("html" | "htm") => Some(Format::Html),
        Some("md" | "markdown") => Some(Format::Md),
        Some("json") => Some(Format::Json),
        Some("csv") => Some(Format::Csv),
        Some(_) => None,
    };
    args.format.or(of_ending).ok_or_else(|| {
        let ending = ending.unwrap_or_default();
        Failure::usage(format!(
            "`.{ending}` does not say what to write. Use .html, .md, .json or .csv, say --format, or --figures DIR for SVG files."
        ))
    })
}

/// The record of a number, or of a file.
fn open(name: &str, context: &Context) -> Result<ReportSource, Failure> {
    if let Ok(id) = name.parse::<i64>() {
        let store = Store::open_read_only(&context.state_dir)?;
        let record = store.get(id)?;
        let notes = store.notes(id)?.into_iter().map(|note| note.text).collect();
        return Ok(ReportSource {
            about: About {
                id: Some(id),
                tags: store.tags(id)?,
                notes,
            },
            record,
        });
    }
    let text = files::read_text(Path::new(name)).map_err(|error| {
        Failure::usage(format!(
            "`{name}` is neither the number of a record nor a file that can be read: {error}"
        ))
    })?;
    read(&text).map_err(|error| {
        Failure::usage(format!("{name} holds no record of iodyno: {error}."))
            .on(name)
            .why(error.to_string())
            .hint("`iodyno show N --json` prints one.")
    })
}

/// A record alone, or in a document of a verb.
fn read(text: &str) -> serde_json::Result<ReportSource> {
    let around = match serde_json::from_str::<Shown>(text) {
        Ok(shown) => {
            let notes = shown.notes.into_iter().map(|note| note.text).collect();
            return Ok(ReportSource {
                about: About {
                    id: shown.id,
                    tags: shown.tags,
                    notes,
                },
                record: shown.record,
            });
        }
        Err(error) => error,
    };
    let alone = model::json::read_record(text);
    let has_one_inside = serde_json::from_str::<serde_json::Value>(text)
        .is_ok_and(|whole| whole.get("record").is_some());
    match alone {
        Ok(record) => Ok(ReportSource {
            about: About::default(),
            record,
        }),
        Err(_) if has_one_inside => Err(around),
        Err(error) => Err(error),
    }
}

fn content(source: &ReportSource, format: Format) -> Result<String, Failure> {
    let about = &source.about;
    Ok(match format {
        Format::Html | Format::Svg => page::report(&source.record, about),
        Format::Md => page::markdown(&source.record, about),
        Format::Csv => page::series_csv(&source.record),
        Format::Json => {
            let failed =
                |error| Failure::new(Exit::Failed, format!("cannot write the record: {error}"));
            match about.id {
                Some(id) => {
                    let document = RecordAnswer {
                        schema: "iodyno.show/1",
                        id: Some(id),
                        record: &source.record,
                    };
                    serde_json::to_string_pretty(&document).map_err(failed)?
                }
                None => serde_json::to_string_pretty(&source.record).map_err(failed)?,
            }
        }
    })
}

/// The file that was asked for, or one named after the record.
fn output(args: &ReportArgs, name: &str) -> PathBuf {
    let ending = match args.format {
        Some(Format::Md) => "md",
        Some(Format::Json) => "json",
        Some(Format::Csv) => "csv",
        _ => "html",
    };
    args.output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{name}.{ending}")))
}

/// Writes all files or, where one is there already, none.
fn write_all(
    targets: &[(PathBuf, Format, String)],
    args: &ReportArgs,
) -> Result<Vec<Written>, Failure> {
    if let Some((path, _, _)) = existing(targets).next().filter(|_| !args.force) {
        return Err(taken(path, "nothing was written"));
    }
    // Not even --force puts a file in the place of a device or a directory.
    if let Some((path, _, _)) =
        existing(targets).find(|(path, _, _)| files::kind(path).ok() != Some(files::FileKind::File))
    {
        return Err(Failure::new(
            Exit::Refused,
            format!(
                "{} is no regular file; nothing was written.",
                model::text::shown(path)
            ),
        ));
    }
    if let Some(dir) = &args.figures {
        files::create_dirs(dir)?;
    }
    let mut written = Vec::new();
    for (path, format, content) in targets {
        match args.force {
            true => files::write_atomically(path, content)?,
            // One that came since the look above stays as well.
            false => files::write_new(path, content).map_err(|error| match error.is_taken() {
                true => taken(path, "it came a moment ago"),
                false => error.into(),
            })?,
        }
        written.push(Written {
            path: path.display().to_string(),
            format: *format,
            bytes: content.len(),
        });
    }
    Ok(written)
}

fn taken(path: &Path, and: &str) -> Failure {
    let message = format!(
        "{} is there already and was left as it is; {and}.",
        model::text::shown(path)
    );
    Failure::new(Exit::Refused, message).hint("Name another file, or say --force.")
}

/// Those of the files that are there already.
fn existing(
    targets: &[(PathBuf, Format, String)],
) -> impl Iterator<Item = &(PathBuf, Format, String)> {
    targets
        .iter()
        .filter(|(path, _, _)| files::identity(path).is_some())
}

fn absent(figures: &[Figure]) -> Vec<Absent> {
    let one = |figure: &Figure| {
        Some(Absent {
            id: figure.id.clone(),
            why: figure.absent.clone()?,
        })
    };
    figures.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_a_verb_that_nobody_knows_says_which() {
        let shown = include_str!("../../../../testdata/records/run.json");
        assert_eq!(read(shown).unwrap().record.verb(), "run");
        let other = shown.replace("\"verb\":\"run\"", "\"verb\":\"guard\"");
        let whole: serde_json::Value = serde_json::from_str(&other).unwrap();
        for text in [other, whole["record"].to_string()] {
            let why = read(&text).err().unwrap().to_string();
            assert!(
                why.contains("`guard` is no verb that makes records"),
                "{why}"
            );
        }
    }
}
