//! Tables as Parquet, in the layout that Hive began: `samples/date=2026-11-21/part-0.parquet`. The day is that of the
//! record in UTC, and stands in the path alone.

use super::tables::{ExportCell, ExportSubject, ExportTable, Holds, TABLES};
use crate::error::{StoreError, StoreErrorKind};
use host::files::Folder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lines of a row group: what a reader takes in one piece and a writer holds in memory.
const GROUP: usize = 1 << 18;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Records.
    pub records: u64,
    /// The tables.
    pub tables: Vec<ExportedTable>,
}

/// A table that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExportedTable {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// Lines.
    pub rows: u64,
    /// Files, one for each day that has lines.
    pub files: u64,
}

/// Writes records one after the other, those of one day together.
pub struct Writer {
    to: PathBuf,
    folder: Folder,
    records: u64,
    day: String,
    open: Vec<OpenParquet>,
}

impl Writer {
    pub fn new(to: &Path) -> Result<Writer, StoreError> {
        let folder = Folder::make(to)?;
        let open = TABLES.iter().map(OpenParquet::new).collect();
        Ok(Writer {
            to: to.into(),
            folder,
            records: 0,
            day: String::new(),
            open,
        })
    }

    /// Adds a record that is not older than the one before it.
    pub fn add(&mut self, subject: &ExportSubject) -> Result<(), StoreError> {
        let day = view::calendar::day(subject.row.unix_ms);
        if day != self.day {
            self.close()?;
            self.day = day;
        }
        for open in &mut self.open {
            let done = open.add(subject, &self.folder, &self.day);
            done.map_err(|error| failure(&self.to, open.table, &error))?;
        }
        self.records += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), StoreError> {
        for open in &mut self.open {
            open.close()
                .map_err(|error| failure(&self.to, open.table, &error))?;
        }
        Ok(())
    }

    /// Writes what is left, and `_SUCCESS` beside the tables: without that the export is not whole.
    pub fn finish(mut self) -> Result<Exported, StoreError> {
        self.close()?;
        let written = self.folder.create_new("_SUCCESS")?.sync_all();
        written.map_err(|error| host::Error::io("write", self.to.join("_SUCCESS"), error))?;
        Ok(Exported {
            records: self.records,
            tables: self.open.into_iter().map(|open| open.done).collect(),
        })
    }
}

fn failure(to: &Path, table: &ExportTable, error: &ParquetError) -> StoreError {
    let (shown, name) = (model::text::shown(to), table.name);
    // The directory was empty when it began: what is there now is another's.
    let is_anothers = match error {
        ParquetError::External(inner) => inner
            .downcast_ref::<host::Error>()
            .is_some_and(host::Error::is_taken),
        _ => false,
    };
    let (kind, hint) = match is_anothers {
        true => (
            StoreErrorKind::Refused,
            format!("Something else writes to {shown} too: name a directory of your own."),
        ),
        false => (
            StoreErrorKind::Failed,
            format!("The export is not whole: delete {shown}."),
        ),
    };
    StoreError::new(kind, format!("cannot write {name} below {shown}: {error}."))
        .on(to)
        .why(error.to_string())
        .hint(hint)
}

/// A table with the file that is being written.
struct OpenParquet {
    table: &'static ExportTable,
    columns: Vec<ParquetColumn>,
    lines: usize,
    file: Option<SerializedFileWriter<File>>,
    done: ExportedTable,
}

impl OpenParquet {
    fn new(table: &'static ExportTable) -> OpenParquet {
        let columns = table
            .fields
            .iter()
            .map(|field| ParquetColumn::new(field.holds))
            .collect();
        let done = ExportedTable {
            name: table.name,
            ..ExportedTable::default()
        };
        OpenParquet {
            table,
            columns,
            lines: 0,
            file: None,
            done,
        }
    }

    fn add(&mut self, subject: &ExportSubject, to: &Folder, day: &str) -> Result<(), ParquetError> {
        let mut failed = None;
        (self.table.lines)(subject, &mut |cells| {
            self.columns
                .iter_mut()
                .zip(cells)
                .for_each(|(column, cell)| column.push(cell));
            self.lines += 1;
            if self.lines == GROUP && failed.is_none() {
                failed = group(&mut self.file, self.table, &mut self.columns, to, day).err();
                (self.done.rows, self.lines) = (self.done.rows + GROUP as u64, 0);
            }
        });
        if self.lines > 0 && self.file.is_none() && failed.is_none() {
            self.file = Some(create(self.table, to, day)?);
        }
        failed.map_or(Ok(()), Err)
    }

    fn close(&mut self) -> Result<(), ParquetError> {
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        if self.lines > 0 {
            put(&mut file, &mut self.columns)?;
            (self.done.rows, self.lines) = (self.done.rows + self.lines as u64, 0);
        }
        file.into_inner()?.sync_all()?;
        self.done.files += 1;
        Ok(())
    }
}

fn group(
    file: &mut Option<SerializedFileWriter<File>>,
    table: &'static ExportTable,
    columns: &mut [ParquetColumn],
    to: &Folder,
    day: &str,
) -> Result<(), ParquetError> {
    if file.is_none() {
        *file = Some(create(table, to, day)?);
    }
    file.as_mut().map_or(Ok(()), |file| put(file, columns))
}

fn create(
    table: &ExportTable,
    to: &Folder,
    day: &str,
) -> Result<SerializedFileWriter<File>, ParquetError> {
    let outside = |error: host::Error| ParquetError::External(Box::new(error));
    let folder = to
        .below(table.name)
        .and_then(|folder| folder.below(&format!("date={day}")));
    let file = folder
        .and_then(|folder| folder.create_new("part-0.parquet"))
        .map_err(outside)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(format!("iodyno {}", env!("CARGO_PKG_VERSION")));
    SerializedFileWriter::new(
        file,
        Arc::new(parse_message_type(&schema(table))?),
        Arc::new(properties.build()),
    )
}

/// The table in Parquet's own words.
fn schema(table: &ExportTable) -> String {
    let field = |field: &super::tables::ExportField| {
        let (kind, means) = match field.holds {
            Holds::Int => ("int64", ""),
            Holds::Float => ("double", ""),
            Holds::Text => ("binary", " (UTF8)"),
            Holds::Moment => ("int64", " (TIMESTAMP(MILLIS,true))"),
        };
        format!("optional {kind} {}{means};", field.name)
    };
    let fields: Vec<String> = table.fields.iter().map(field).collect();
    format!("message {} {{ {} }}", table.name, fields.join(" "))
}

fn put(
    file: &mut SerializedFileWriter<File>,
    columns: &mut [ParquetColumn],
) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for column in columns {
        let Some(mut writer) = group.next_column()? else {
            break;
        };
        let levels = Some(&column.levels[..]);
        match &column.values {
            Values::Int(values) => writer
                .typed::<Int64Type>()
                .write_batch(values, levels, None)?,
            Values::Float(values) => writer
                .typed::<DoubleType>()
                .write_batch(values, levels, None)?,
            Values::Text(values) => writer
                .typed::<ByteArrayType>()
                .write_batch(values, levels, None)?,
        };
        writer.close()?;
        column.clear();
    }
    group.close().map(drop)
}

/// The values of a row group in one column: those that there are, and for each line whether there is one.
struct ParquetColumn {
    values: Values,
    levels: Vec<i16>,
    /// The last text as both sides have it: most lines repeat it.
    last: Option<(Arc<str>, ByteArray)>,
}

enum Values {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Text(Vec<ByteArray>),
}

impl ParquetColumn {
    fn new(holds: Holds) -> ParquetColumn {
        let values = match holds {
            Holds::Int | Holds::Moment => Values::Int(Vec::new()),
            Holds::Float => Values::Float(Vec::new()),
            Holds::Text => Values::Text(Vec::new()),
        };
        ParquetColumn {
            values,
            levels: Vec::new(),
            last: None,
        }
    }

    fn push(&mut self, cell: &ExportCell) {
        let is_there = match (&mut self.values, cell) {
            (Values::Int(values), ExportCell::Int(value)) => {
                values.push(*value);
                true
            }
            (Values::Float(values), ExportCell::Float(value)) => {
                values.push(*value);
                true
            }
            (Values::Text(values), ExportCell::Text(value)) => {
                if !self
                    .last
                    .as_ref()
                    .is_some_and(|(last, _)| Arc::ptr_eq(last, value))
                {
                    self.last = Some((value.clone(), ByteArray::from(&**value)));
                }
                values.extend(self.last.as_ref().map(|(_, bytes)| bytes.clone()));
                true
            }
            _ => false,
        };
        self.levels.push(i16::from(is_there));
    }

    fn clear(&mut self) {
        self.levels.clear();
        match &mut self.values {
            Values::Int(values) => values.clear(),
            Values::Float(values) => values.clear(),
            Values::Text(values) => values.clear(),
        }
    }
}
