//! The tables. Documents lie apart from the columns that are searched, so that a list reads none of them.

/// Version of the tables and of what their columns hold; `PRAGMA user_version` of the file. Schema 4 has the tables of
/// schema 3, and words and fingerprints of jobs as [`model::job::identity::VERSION`] has them.
pub const SCHEMA: i64 = 5;

/// `PRAGMA application_id` of the file from schema 2 on: `iody`.
pub const APPLICATION: i64 = 0x696f_6479;

/// Makes the tables of [`SCHEMA`]. All columns of `record` but `id` and `hash` are derived from the document.
pub const CREATE: &str = "
    CREATE TABLE record (
        id             INTEGER PRIMARY KEY AUTOINCREMENT,
        hash           BLOB NOT NULL,
        document_bytes INTEGER NOT NULL,
        unix_ms        INTEGER NOT NULL,
        verb           TEXT NOT NULL,
        target         TEXT NOT NULL,
        path           TEXT NOT NULL,
        device         TEXT,
        serial         TEXT,
        model          TEXT,
        host           TEXT NOT NULL,
        kernel         TEXT NOT NULL,
        job            TEXT,
        job_words      TEXT,
        job_core       TEXT,
        job_print      TEXT,
        summary        TEXT NOT NULL,
        elapsed_ms     REAL,
        iops           REAL,
        bytes_per_s    REAL,
        mean_ns        REAL,
        p50_ns         REAL,
        p99_ns         REAL,
        p999_ns        REAL,
        samples        INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX record_by_hash ON record (hash);
    CREATE INDEX record_by_time ON record (unix_ms);
    CREATE INDEX record_by_host ON record (host, unix_ms);
    CREATE INDEX record_by_job ON record (job_core);

    CREATE TABLE document (
        record INTEGER PRIMARY KEY REFERENCES record (id) ON DELETE CASCADE,
        body   BLOB NOT NULL
    ) STRICT;

    CREATE TABLE device (
        record INTEGER NOT NULL REFERENCES record (id) ON DELETE CASCADE,
        name   TEXT NOT NULL,
        serial TEXT,
        model  TEXT,
        PRIMARY KEY (record, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX device_by_name ON device (name, record);
    CREATE INDEX device_by_serial ON device (serial, record) WHERE serial IS NOT NULL;

    CREATE TABLE setting (
        id    INTEGER PRIMARY KEY,
        name  TEXT NOT NULL,
        value TEXT NOT NULL,
        UNIQUE (name, value)
    ) STRICT;
    CREATE TABLE record_setting (
        record  INTEGER NOT NULL REFERENCES record (id) ON DELETE CASCADE,
        setting INTEGER NOT NULL REFERENCES setting (id),
        PRIMARY KEY (record, setting)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX record_by_setting ON record_setting (setting, record);

    CREATE TABLE tag (
        record INTEGER NOT NULL REFERENCES record (id) ON DELETE CASCADE,
        name   TEXT NOT NULL,
        PRIMARY KEY (record, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX record_by_tag ON tag (name, record);

    CREATE TABLE note (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        record  INTEGER NOT NULL REFERENCES record (id) ON DELETE CASCADE,
        unix_ms INTEGER NOT NULL,
        text    TEXT NOT NULL
    ) STRICT;
    CREATE INDEX note_by_record ON note (record);

    CREATE TABLE origin (
        record  INTEGER PRIMARY KEY REFERENCES record (id) ON DELETE CASCADE,
        how     TEXT NOT NULL,
        source  TEXT NOT NULL,
        unix_ms INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE proof (
        record  INTEGER NOT NULL REFERENCES record (id) ON DELETE CASCADE,
        rule    TEXT NOT NULL,
        outcome TEXT NOT NULL
    ) STRICT;
    CREATE INDEX proof_by_record ON proof (record);";

/// What schema 5 added to schema 4: what became of suspicions. No record of before has any.
pub const FROM_4: &str = "
    CREATE TABLE proof (
        record  INTEGER NOT NULL REFERENCES record (id) ON DELETE CASCADE,
        rule    TEXT NOT NULL,
        outcome TEXT NOT NULL
    ) STRICT;
    CREATE INDEX proof_by_record ON proof (record);";

/// What schema 3 added to schema 2: where records come from. Those that are there get no mark, because nobody knows.
pub const FROM_2: &str = "
    CREATE TABLE origin (
        record  INTEGER PRIMARY KEY REFERENCES record (id) ON DELETE CASCADE,
        how     TEXT NOT NULL,
        source  TEXT NOT NULL,
        unix_ms INTEGER NOT NULL
    ) STRICT;";
