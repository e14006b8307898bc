//! Opening the file: what it is is looked at before anything could be written to it.

use crate::error::{self, StoreError, StoreErrorKind};
use crate::programs::{self, Program};
use crate::schema::{APPLICATION, CREATE, SCHEMA};
use crate::{Store, migrations};
use host::files::FileKind;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a writer waits for another: one that imports thousands of records, on a disk that stalls.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a file turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundStore {
    /// None, or an empty one.
    Nothing,
    /// A store of this schema, which this version knows.
    Schema(i64),
}

/// What a look at a file shows.
pub struct Looked {
    /// What it is.
    pub found: FoundStore,
    /// What in it iodyno did not make and SQLite would run.
    pub programs: Vec<Program>,
}

/// Opens for reading and writing.
pub fn to_write(path: &Path) -> Result<Store, StoreError> {
    let Looked { found, programs } = look(path)?;
    programs::refuse(path, &programs)?;
    // SQLite gives the files that it makes beside this one the same mode.
    host::private::ensure(path)?;
    ["-wal", "-shm"]
        .iter()
        .try_for_each(|end| host::private::tighten(&beside(path, end)))?;
    let store = Store {
        connection: connect(path, found).map_err(|error| error::explain(path, &error))?,
        path: path.into(),
    };
    if store
        .connection
        .is_readonly("main")
        .map_err(|error| store.failed(&error))?
    {
        return Err(StoreError::new(
            StoreErrorKind::Rights,
            format!(
                "the store {} cannot be written to; nothing in it was changed.",
                model::text::shown(path)
            ),
        )
        .on(path)
        .hint("Another directory can be set with IODYNO_STATE_DIR."));
    }
    match found {
        FoundStore::Schema(SCHEMA) => Ok(()),
        FoundStore::Schema(_) => migrations::run(&store),
        FoundStore::Nothing => create(&store).map_err(|error| store.failed(&error)),
    }?;
    Ok(store)
}

/// Opens for reading alone.
pub fn to_read(path: &Path) -> Result<Store, StoreError> {
    match look(path)?.found {
        FoundStore::Nothing => empty(path),
        FoundStore::Schema(SCHEMA) => {
            let connection = read_only(path).map_err(|error| error::explain(path, &error))?;
            Ok(Store {
                connection,
                path: path.into(),
            })
        }
        FoundStore::Schema(_) => to_write(path).map_err(|error| match error.kind {
            StoreErrorKind::Rights => StoreError::new(
                StoreErrorKind::Rights,
                format!(
                    "the store {} is of an earlier version and has to be brought up to date first.",
                    model::text::shown(path)
                ),
            )
            .on(path)
            .hint("Run `iodyno list` once as a user who may write to it."),
            _ => error,
        }),
    }
}

/// What stands for a store that is not there yet.
fn empty(path: &Path) -> Result<Store, StoreError> {
    let made = Connection::open_in_memory().and_then(|connection| {
        connection.execute_batch(CREATE)?;
        Ok(connection)
    });
    let connection = made.map_err(|error| error::explain(path, &error))?;
    Ok(Store {
        connection,
        path: path.into(),
    })
}

/// Looks at the file without a way to change it, and refuses what is no store of ours.
pub fn look(path: &Path) -> Result<Looked, StoreError> {
    let nothing = Looked {
        found: FoundStore::Nothing,
        programs: Vec::new(),
    };
    // What is there is asked once for each answer: another process may make the file between two questions.
    match host::files::kind(path) {
        Err(_) => return Ok(nothing),
        Ok(FileKind::File) => {}
        Ok(_) => return Err(error::damaged(path, "it is no regular file")),
    }
    // SQLite makes an empty file before it writes to it.
    if bytes_of(path) == 0 {
        return Ok(nothing);
    }
    let connection = read_only(path).map_err(|error| error::explain(path, &error))?;
    let (application, version, tables) =
        head(&connection).map_err(|error| error::explain(path, &error))?;
    let is_ours = match version {
        // Schema 1 had no number of its own for the application.
        0 => tables.is_empty(),
        1 => application == 0 && tables.iter().any(|table| table == "record"),
        _ => application == APPLICATION,
    };
    if version > SCHEMA && (is_ours || application == 0) {
        return Err(newer(path, version));
    }
    if !is_ours {
        return Err(error::damaged(path, "it is a database of another program"));
    }
    whole(&connection, path)?;
    let found = match version {
        0 => FoundStore::Nothing,
        version => FoundStore::Schema(version),
    };
    let programs = programs::of(&connection).map_err(|error| error::explain(path, &error))?;
    Ok(Looked { found, programs })
}

/// The application, the schema and the tables, all of one moment: another process may be making the store just now, and
/// half of what it made looks like another program's.
fn head(connection: &Connection) -> rusqlite::Result<(i64, i64, Vec<String>)> {
    let moment = connection.unchecked_transaction()?;
    let number = |name: &str| moment.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let mut statement = moment.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let tables = statement
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok((number("application_id")?, number("user_version")?, tables))
}

/// Refuses a file that lost its end. SQLite notices lost pages when it opens, but not half a page; while a log of changes
/// lies beside the file, its length says nothing.
fn whole(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let page_bytes: i64 = connection
        .pragma_query_value(None, "page_size", |row| row.get(0))
        .map_err(|error| error::explain(path, &error))?;
    let bytes = bytes_of(path);
    if page_bytes > 0 && !bytes.is_multiple_of(page_bytes as u64) && log_bytes(path) == 0 {
        return Err(error::damaged(path, "its end is missing"));
    }
    Ok(())
}

/// A file that SQLite makes beside the store.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(end);
    PathBuf::from(name)
}

/// Length of the log of changes that are not yet in the file.
fn log_bytes(path: &Path) -> u64 {
    bytes_of(&beside(path, "-wal"))
}

/// Length of a file; 0 where there is none.
fn bytes_of(path: &Path) -> u64 {
    host::Host::live()
        .file_size(&path.to_string_lossy())
        .map_or(0, |size| size.bytes)
}

fn newer(path: &Path, version: i64) -> StoreError {
    StoreError::new(
        StoreErrorKind::Newer,
        format!(
            "the store {} was written by a newer iodyno (schema {version}, this one knows {SCHEMA}); nothing was \
             changed.",
            model::text::shown(path)
        ),
    )
    .on(path)
    .hint("Use that iodyno, or set IODYNO_STATE_DIR to another directory.")
}

/// A connection that cannot write. Who may not write beside the file cannot make the index of its log either; then
/// the file alone is read, which is all there is as long as nobody has it open.
pub fn read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(usable);
    match opened {
        Err(error) if is_refusal(&error) && log_bytes(path) == 0 => {
            let uri = format!("file:{}?immutable=1", escape(&path.to_string_lossy()));
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI).and_then(usable)
        }
        other => other,
    }
}

/// A connection has looked at nothing until it is asked something.
fn usable(connection: Connection) -> rusqlite::Result<Connection> {
    connection.busy_timeout(PATIENCE)?;
    trust_nothing(&connection)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// The file may be anybody's: what its tables define runs no function that reaches beyond it, and damaged pages are told.
fn trust_nothing(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)
}

fn is_refusal(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

/// A path as part of a URI.
fn escape(path: &str) -> String {
    path.replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}

fn connect(path: &Path, found: FoundStore) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    trust_nothing(&connection)?;
    if found == FoundStore::Nothing {
        // Pages of deleted records can be given back to the file system. Has to be said before there are any.
        connection.pragma_update(None, "auto_vacuum", "incremental")?;
    }
    set_wal(&connection)?;
    // A record that was acknowledged is on the disk, also after a power cut.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Two processes that make a store at the same moment cannot both change its mode, and SQLite does not wait here.
fn set_wal(connection: &Connection) -> rusqlite::Result<()> {
    const PAUSE_MS: u64 = 10;
    let deadline_ns = host::clock::monotonic_ns() + PATIENCE.as_nanos() as u64;
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && host::clock::monotonic_ns() < deadline_ns =>
            {
                host::clock::sleep_ms(PAUSE_MS);
            }
            other => return other,
        }
    }
}

/// Makes the tables, unless another process just did.
fn create(store: &Store) -> rusqlite::Result<()> {
    let transaction =
        rusqlite::Transaction::new_unchecked(&store.connection, TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == 0 {
        transaction.execute_batch(CREATE)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", SCHEMA)?;
    }
    transaction.commit()
}
