//! A database, opened so that nothing of its own runs.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::archive::{Archive, is_database};
use crate::error::{Error, in_table};
use crate::release::Release;
use crate::row::{Counts, Options, RefusedRow, Row};
use crate::table::{Table, each_row, is_table, kind_of_table, select};
use crate::{columns, dbhash, full, iped, minimal, sleuth_kit};

/// The kind of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// RDSv3 with the table FILE.
    Minimal,
    /// RDSv3 with the table METADATA: the full and the curated sets.
    Full,
    /// The Sleuth Kit's `.kdb`.
    SleuthKit,
    /// IPED's database of digests.
    Iped,
}

/// An open database.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    kind: Kind,
    release: Option<Release>,
    /// The file that was opened, to tell whether it changed.
    file: File,
    opened: Metadata,
}

impl Database {
    /// Opens a database. It may take 256 MiB of memory, whatever is in it; most take less than 16.
    ///
    /// # Errors
    /// [`Error`]: if it is no database of a known kind, is damaged as far as can be seen at once, or is in use.
    pub fn open(path: &Path) -> Result<Database, Error> {
        for ending in ["-wal", "-journal"] {
            let mut beside = path.as_os_str().to_owned();
            beside.push(ending);
            if fs::metadata(beside).is_ok_and(|metadata| metadata.len() > 0) {
                return Err(Error::InUse(ending));
            }
        }
        // Looked at before it is opened: opening a pipe would wait.
        if !fs::metadata(path)?.is_file() {
            return Err(Error::NotADatabase);
        }
        let file = File::open(path)?;
        let opened = file.metadata()?;
        judge_header(&file, opened.len())?;
        let connection = connect(path).map_err(in_table("sqlite_schema", None))?;
        let kind = kind(&connection)?;
        let release = if matches!(kind, Kind::Minimal | Kind::Full) { release(&connection)? } else { None };
        Ok(Database { connection, kind, release, file, opened })
    }

    /// Opens the only database (`.db`) of a zip, of which it makes a temporary copy of at most `bytes_max` bytes. Calls
    /// `progress` with the number of bytes that were written since the last call.
    ///
    /// # Errors
    /// As [`Database::open`]; and [`Error::Archive`] if there is not one database, or it is longer; [`Error::Stopped`]
    /// has an error of `progress`.
    pub fn open_zip(
        path: &Path,
        bytes_max: u64,
        progress: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Result<Database, Error> {
        let mut archive = Archive::open(path)?;
        let index = archive.find(is_database).ok_or_else(|| Error::Archive("it has no database".to_owned()))?;
        if archive.names().iter().filter(|name| is_database(name)).count() > 1 {
            return Err(Error::Archive("it has several databases".to_owned()));
        }
        Database::extract(&mut archive, index, bytes_max, progress)
    }

    /// Whether a file is a zip with a member that is named like a database, in whatever state that is.
    pub fn is_in_archive(path: &Path) -> bool {
        Archive::open(path).is_ok_and(|archive| archive.find(is_database).is_some())
    }

    /// Opens a temporary copy of a member.
    pub(crate) fn extract(
        archive: &mut Archive,
        index: usize,
        bytes_max: u64,
        progress: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Result<Database, Error> {
        let file = archive.extract(index, bytes_max, progress)?;
        let database = Database::open(&file)?;
        // The open database needs no name, so nothing remains of it, however the program ends.
        file.close()?;
        Ok(database)
    }

    /// Returns what kind of database it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the release that it says it is: the latest, where deltas were applied.
    pub fn release(&self) -> Option<&Release> {
        self.release.as_ref()
    }

    /// Calls `each` with every row, in the order of the file, and `refused` with the rows that have no digests that
    /// can be used. A file that is in several packages, or has several names, has as many rows.
    ///
    /// # Errors
    /// [`Error`]; [`Error::Stopped`] has an error of one of the functions.
    pub fn each(
        &mut self,
        options: &Options,
        each: &mut dyn FnMut(Row<'_>) -> io::Result<()>,
        refused: &mut dyn FnMut(RefusedRow) -> io::Result<()>,
    ) -> Result<Counts, Error> {
        let read = match self.kind {
            Kind::Minimal => minimal::each(&self.connection, options, each, refused),
            Kind::Full => full::each(&self.connection, options, each, refused),
            Kind::SleuthKit => sleuth_kit::each(&self.connection, each, refused),
            Kind::Iped => iped::each(&self.connection, each, refused),
        };
        self.judge_unchanged()?;
        read
    }

    /// Returns SHA-1 over all values of all tables and over the schema, as SQLite's program `dbhash` does. Calls
    /// `progress` with the number of rows since the last call.
    ///
    /// # Errors
    /// [`Error`]; [`Error::Stopped`] has an error of `progress`.
    pub fn dbhash(&self, progress: &mut dyn FnMut(u64) -> io::Result<()>) -> Result<pfh_digest::Digest, Error> {
        let digest = dbhash::digest(&self.connection, self.opened.len(), progress)?;
        self.judge_unchanged()?;
        Ok(digest)
    }

    fn judge_unchanged(&self) -> Result<(), Error> {
        let stamp = |metadata: &Metadata| (metadata.len(), metadata.mtime(), metadata.mtime_nsec());
        if stamp(&self.file.metadata()?) == stamp(&self.opened) { Ok(()) } else { Err(Error::Changed) }
    }
}

/// Checks the first bytes, since SQLite does not say what is wrong with them.
fn judge_header(file: &File, file_bytes: u64) -> Result<(), Error> {
    const HEADER_BYTES: u64 = 100;
    let mut header = Vec::new();
    file.take(HEADER_BYTES).read_to_end(&mut header)?;
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(Error::NotADatabase);
    }
    let truncated = |expected_bytes| Err(Error::Truncated { expected_bytes, found_bytes: file_bytes });
    if file_bytes < HEADER_BYTES {
        return truncated(HEADER_BYTES);
    }
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let page_bytes = match word(16) >> 16 {
        1 => 1 << 16,
        bytes => u64::from(bytes),
    };
    // The number of pages counts only if whoever wrote it wrote the change counter too.
    let expected_bytes = u64::from(word(28)) * page_bytes;
    if word(24) == word(92) && expected_bytes > file_bytes { truncated(expected_bytes) } else { Ok(()) }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        uri.push_str(&format!("%{byte:02x}"));
    }
    // Immutable: no locks, and nothing is created beside it, also on media that are read-only.
    uri.push_str("?mode=ro&immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    for (config, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    ] {
        connection.set_db_config(config, value)?;
    }
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, 16 << 20),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (Limit::SQLITE_LIMIT_COLUMN, 256),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 16),
        (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 32),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 16),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    // The limit of the heap is that of the process. The other user of SQLite is the ledger, and no command opens both.
    for pragma in [
        "hard_heap_limit = 268435456",
        "query_only = ON",
        "cell_size_check = ON",
        "mmap_size = 0",
        "cache_size = -8192",
        "temp_store = FILE",
    ] {
        let mut statement = connection.prepare(&format!("PRAGMA {pragma}"))?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
    }
    Ok(connection)
}

/// Tells the kind by the tables; a view is none.
fn kind(connection: &Connection) -> Result<Kind, Error> {
    let has = |name| kind_of_table(connection, name);
    let is_table = |name| Ok::<_, Error>(has(name)? == Some(Table::Ordinary));
    if is_table(full::TABLE)? {
        return Ok(Kind::Full);
    }
    match has(minimal::TABLE)? {
        Some(Table::Ordinary) => return Ok(Kind::Minimal),
        Some(Table::Other) => {
            return Err(Error::Schema("FILE is not an ordinary table, and there is no table METADATA".to_owned()));
        }
        None => {}
    }
    if is_table(iped::TABLE)? && is_table("HASHES_PROPERTIES")? && is_table("PROPERTIES")? {
        return Ok(Kind::Iped);
    }
    if is_table(sleuth_kit::TABLE)? && is_table("file_names")? {
        return Ok(Kind::SleuthKit);
    }
    Err(Error::Schema("it has the tables neither of NSRL nor of the Sleuth Kit nor of IPED".to_owned()))
}

fn release(connection: &Connection) -> Result<Option<Release>, Error> {
    const TABLE: &str = "VERSION";
    if !is_table(connection, TABLE)? {
        return Ok(None);
    }
    let sql = select(connection, TABLE, &["version"], &["version", "build_set", "release_date", "description"])?;
    let text = |row: &rusqlite::Row<'_>, index| String::from_utf8_lossy(columns::bytes(row, index)).into_owned();
    let mut latest: Option<Release> = None;
    each_row(connection, TABLE, &sql, |_, row| {
        let version = text(row, 1);
        if latest.as_ref().is_none_or(|latest| version >= latest.version) {
            latest = Some(Release { version, set: text(row, 2), date: text(row, 3), description: text(row, 4) });
        }
        Ok(())
    })?;
    Ok(latest)
}
