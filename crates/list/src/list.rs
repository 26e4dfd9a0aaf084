//! Opening lists in any format: from a file, a pipe or memory.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pfh_digest::{Algorithm, Digest};
use pfh_record::quote::quoted;
use pfh_record::{
    Columns, DigestKind, Entry, FixityList, FormatName, Header, OBJECT_BYTES_MAX, ReadError, ReadOptions, Reader,
    Summary, Trailer, detect, is_null_terminated, other_file, table_columns, unnamed_digits,
};
use pfh_similarity::Family;

use crate::superseded::{LinesByPath, Superseded, line_feeds};
use crate::zip;

/// The input from which a list is read.
pub struct Input {
    name: Vec<u8>,
    open: Open,
}

/// The bytes of an opened input.
type Stream = Box<dyn Read + Send>;

enum Open {
    Path,
    Reader(Stream),
}

impl Input {
    /// Makes the input of a file or a named pipe. Of a zip archive, the list in it is read: its only file,
    /// `NSRLFile.txt`, or the only one that is a list. `archive.zip/NAME` names another, where no such path exists.
    pub fn path(path: impl AsRef<Path>) -> Input {
        Input { name: path.as_ref().as_os_str().as_bytes().to_vec(), open: Open::Path }
    }

    /// Makes the input of any reader, such as standard input. `name` is used in messages, and may reveal the algorithm.
    pub fn reader(name: impl Into<Vec<u8>>, reader: impl Read + Send + 'static) -> Input {
        Input { name: name.into(), open: Open::Reader(Box::new(reader)) }
    }

    /// Makes the input of a list in memory.
    pub fn bytes(name: impl Into<Vec<u8>>, bytes: impl AsRef<[u8]> + Send + 'static) -> Input {
        Input::reader(name, io::Cursor::new(bytes))
    }
}

impl<P: AsRef<Path>> From<P> for Input {
    fn from(path: P) -> Input {
        Input::path(path)
    }
}

/// The reason why a list cannot be opened. `Display` names the list.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The list cannot be read.
    Io {
        /// Name of the list.
        name: Vec<u8>,
        /// The error of the system.
        error: io::Error,
    },
    /// The beginning does not match any format.
    Unknown {
        /// Name of the list.
        name: Vec<u8>,
    },
    /// It is no list, or one that cannot be read, and known as such.
    OtherFile {
        /// Name of the file.
        name: Vec<u8>,
        /// Its kind, and what to do with it, for display.
        kind: &'static str,
    },
    /// It is a table, whose columns have to be named.
    Table {
        /// Name of the table.
        name: Vec<u8>,
        /// Its likely columns, as [`Columns`] are written.
        columns: String,
        /// The format that takes the rest of each line after the first digest for a name.
        format: Option<FormatName>,
    },
    /// The digests at the beginning have a length of no usual algorithm, or not of the requested one.
    UnknownLength {
        /// Name of the list.
        name: Vec<u8>,
        /// Number of hexadecimal digits of its digests.
        digits: usize,
        /// The algorithm that was requested.
        algorithm: Option<Algorithm>,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io { name, error } if error.kind() == io::ErrorKind::IsADirectory => {
                write!(f, "{} is a directory, and no list of digests", quoted(name))
            }
            OpenError::Io { name, error } => write!(f, "{}: {error}", quoted(name)),
            OpenError::Unknown { name } => write!(f, "{} is not a list of digests that pfh can read", quoted(name)),
            OpenError::OtherFile { name, kind } => write!(f, "{} is {kind}", quoted(name)),
            OpenError::Table { name, columns, format } => {
                let name = quoted(name);
                let command = format_args!("`pfh known build --columns {columns} SET LIST`");
                write!(f, "{name} is a table, of which {command} makes a known set")?;
                match format {
                    Some(format) => write!(f, "; if its lines are digests and names, `--as {format}` reads it"),
                    None => Ok(()),
                }
            }
            OpenError::UnknownLength { name, digits, algorithm } => {
                write!(f, "{}: its digests have {digits} digits, ", quoted(name))?;
                let names = names_of_length(*digits);
                match algorithm {
                    Some(algorithm) => write!(f, "and those of {algorithm} have {}", 2 * algorithm.digest_bytes())?,
                    None if names.is_empty() => f.write_str("and no algorithm has digests of this length")?,
                    None => f.write_str("which no usual algorithm has")?,
                }
                match &names[..] {
                    [] => Ok(()),
                    names => write!(f, "; name the algorithm with `-a`: {}", names.join(", ")),
                }
            }
        }
    }
}

/// The text has those of the errors beneath.
impl std::error::Error for OpenError {}

/// A list that can be read, but not without being told how its records end, and the way to that.
const NULL_TERMINATED: &str = "a list whose records end with NUL: `pfh convert --as gnu --read-null -f jsonl LIST` \
    writes one that every command reads";

/// Number of bytes that are examined to detect the format; more if the first line is longer.
const START_BYTES: usize = 1 << 16;

/// Number of entries that are examined to find the kind of digest: the first files may have none.
const FIRST_ENTRIES: usize = 256;

/// Most lines that cannot be read between two entries of one file.
const BETWEEN_MAX: usize = 16;

/// A list of digests in any format: header, entries, trailer.
///
/// Entries of one file that follow each other are one, if no algorithm comes twice and they state the same metadata:
/// some lists have a line for each algorithm. [`List::unjoined`] leaves them apart. In JSON Lines and lists of known
/// files they always are.
///
/// Memory: two lines and their entries, and up to 256 entries for [`List::first_kind`] and [`List::family`].
///
/// ```
/// use pfh_list::{Input, List, ReadOptions};
///
/// let text = "size,path,outcome,md5\r\n5,hello.txt,complete,5d41402abc4b2a76b9719d911017c592\r\n";
/// let mut list = List::open_as(pfh_list::FormatName::Csv, Input::bytes("known.csv", text), ReadOptions::default())?;
/// assert_eq!(list.header().selection.as_ref().map(|digests| digests.names().collect()), Some(vec!["md5"]));
/// for entry in list.by_ref() {
///     let entry = entry?;
///     assert_eq!((&entry.path[..], entry.expected.size), (&b"hello.txt"[..], Some(5)));
/// }
/// assert!(list.trailer().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct List {
    name: Vec<u8>,
    /// Whether the name is the path of the list, or that of one in an archive.
    is_path: bool,
    /// The name of entries without one, in logs of imaging programs.
    stem: Option<Vec<u8>>,
    /// Entries that were examined and not yet returned.
    first: VecDeque<Result<Entry, ReadError>>,
    /// The last entry that was lent, unless the reader has it.
    lent: Option<Entry>,
    /// Whether entries of one file that follow each other are one.
    joins: bool,
    /// Read after the latest entry, to see what follows it: lines that cannot be read, and then at most one entry.
    ahead: VecDeque<Result<Entry, ReadError>>,
    rest: Reader<BufReader<Stream>>,
    /// The lines that are left out.
    superseded: Superseded,
}

impl List {
    /// Opens a list and detects its format. `options` may name the algorithm of digests that the list does not name;
    /// otherwise the name of the list may reveal it (`SHA256SUMS`).
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(input: impl Into<Input>, options: ReadOptions) -> Result<List, OpenError> {
        let (name, is_path, mut reader, options) = open_input(input.into(), options)?;
        let failed = |error| OpenError::Io { name: name.clone(), error };
        // A pipe may deliver small parts, so the beginning is collected first.
        let mut start = Vec::new();
        let mut read = usize::MAX;
        while read > 0 && start.len() < OBJECT_BYTES_MAX && (start.len() < START_BYTES || !start.contains(&b'\n')) {
            read = reader.by_ref().take(START_BYTES as u64).read_to_end(&mut start).map_err(failed)?;
        }
        let detected = detect(&start, options);
        // These formats have a name where a table has its second column.
        if matches!(detected, None | Some(FormatName::Gnu | FormatName::Md5deep(_)))
            && other_file(&start).is_none()
            && let Some(columns) = table_columns(&start)
        {
            let format = detected.filter(|_| unnamed_digits(&start).is_some());
            return Err(OpenError::Table { name, columns, format });
        }
        let format = match detected {
            Some(FormatName::Gnu | FormatName::Bsd) if is_null_terminated(&start, options) => {
                return Err(OpenError::OtherFile { name, kind: NULL_TERMINATED });
            }
            Some(FormatName::Gnu) if is_bagit(&name, &start) => FormatName::Fixity(FixityList::Bagit),
            Some(format) => format,
            // Lines that are recognised only with a given algorithm, such as base64.
            None if options.algorithm.is_some()
                && matches!(Reader::new(FormatName::Gnu, &*start, options).next(), Some(Ok(_))) =>
            {
                FormatName::Gnu
            }
            // The list is empty.
            None if start.is_empty() => FormatName::Gnu,
            None => {
                let algorithm = options.algorithm;
                return Err(match (other_file(&start), unnamed_digits(&start)) {
                    (Some(kind), _) => OpenError::OtherFile { name, kind },
                    (None, Some(digits)) => OpenError::UnknownLength { name, digits, algorithm },
                    (None, None) => OpenError::Unknown { name },
                });
            }
        };
        Ok(List::new(name, is_path, format, Box::new(io::Cursor::new(start).chain(reader)), options))
    }

    /// Opens a list whose format is known.
    ///
    /// # Errors
    /// [`OpenError::Io`]. If the format does not match, the iteration returns an error.
    pub fn open_as(format: FormatName, input: impl Into<Input>, options: ReadOptions) -> Result<List, OpenError> {
        let (name, is_path, reader, options) = open_input(input.into(), options)?;
        Ok(List::new(name, is_path, format, reader, options))
    }

    /// Opens a table whose columns are given.
    ///
    /// # Errors
    /// [`OpenError::Io`]. If the table does not have the columns, the iteration returns an error.
    pub fn open_with_columns(
        columns: Columns,
        input: impl Into<Input>,
        options: ReadOptions,
    ) -> Result<List, OpenError> {
        let (name, is_path, reader, options) = open_input(input.into(), options)?;
        let rest = Reader::with_columns(columns, BufReader::with_capacity(START_BYTES, reader), options);
        Ok(List::of_reader(name, is_path, rest))
    }

    fn new(name: Vec<u8>, is_path: bool, format: FormatName, input: Stream, options: ReadOptions) -> List {
        let rest = Reader::new(format, BufReader::with_capacity(START_BYTES, input), options);
        let stem = (format == FormatName::Fixity(FixityList::Imager)).then(|| stem(&name).to_vec());
        // In a journal a later line supersedes the earlier ones, and files of one name may be different known files.
        let joins = !matches!(format, FormatName::Jsonl | FormatName::Known(_));
        List { stem, joins, ..List::of_reader(name, is_path, rest) }
    }

    fn of_reader(name: Vec<u8>, is_path: bool, rest: Reader<BufReader<Stream>>) -> List {
        List {
            name,
            is_path,
            stem: None,
            first: VecDeque::new(),
            lent: None,
            joins: false,
            ahead: VecDeque::new(),
            rest,
            superseded: Superseded::default(),
        }
    }

    /// Leaves entries of one file apart, also where they follow each other.
    #[must_use]
    pub fn unjoined(self) -> List {
        List { joins: false, ..self }
    }

    /// Leaves out the lines of a JSON Lines journal that later lines about the same paths supersede: a run that
    /// continued it wrote these. Reads the list once more for that, unless its counts tell that there are none; lists
    /// that are neither regular files nor in an archive stay as they are. `options` are those with which the list was
    /// opened. Ends early when `is_cancelled`. Memory: 64 MiB; the rest is in temporary files.
    ///
    /// # Errors
    /// If the list cannot be read again, which is an [`OpenError`] in this one, or a temporary file cannot be used.
    pub fn latest(mut self, options: ReadOptions, is_cancelled: &dyn Fn() -> bool) -> io::Result<List> {
        if self.header().format != FormatName::Jsonl {
            return Ok(self);
        }
        if !self.can_be_read_again() {
            return Ok(self);
        }
        let name = self.name.clone();
        let unread = |error| io::Error::other(OpenError::Io { name: name.clone(), error });
        if let Some(summary) = self.ends(options).map_err(unread)?.and_then(List::into_counts)
            && self.has_lines_of(&summary).map_err(unread)?
        {
            return Ok(self);
        }
        let again = List::open_as(FormatName::Jsonl, Input::path(OsStr::from_bytes(&self.name)), options);
        let mut again = again.map_err(io::Error::other)?;
        let mut lines = LinesByPath::new();
        while let Some(entry) = again.next_entry()
            && !is_cancelled()
        {
            // The iteration reports the lines that cannot be read.
            if let Ok(entry) = entry {
                lines.push(&entry.path, entry.line)?;
            }
        }
        self.superseded = lines.superseded()?;
        Ok(self)
    }

    /// Whether a JSON Lines list in a file has other lines of files than those that its run counted: superseded ones,
    /// or of files that the run did not find. `None` if the run was interrupted, or the end of the list is missing.
    /// `options` are those with which the list was opened.
    ///
    /// # Errors
    /// If the list cannot be read again.
    pub fn has_earlier_lines(mut self, options: ReadOptions) -> io::Result<Option<bool>> {
        if self.header().format != FormatName::Jsonl {
            return Ok(Some(false));
        }
        let counts = match self.ends(options)? {
            Some(ends) => ends.into_counts(),
            None => List::open_as(FormatName::Jsonl, Input::path(OsStr::from_bytes(&self.name)), options)
                .map_err(io::Error::other)?
                .into_counts(),
        };
        counts.map(|summary| self.has_lines_of(&summary).map(|are_all| !are_all)).transpose()
    }

    /// Returns the counts at the end of the list, unless its run was interrupted.
    fn into_counts(mut self) -> Option<Summary> {
        self.by_ref().for_each(drop);
        self.trailer()?.summary.filter(|summary| !summary.interrupted)
    }

    /// Whether the file of a JSON Lines list has the lines of these counts alone.
    fn has_lines_of(&self, summary: &Summary) -> io::Result<bool> {
        let Some(file) = self.file() else { return Ok(false) };
        // Beside the lines of files there are the header and the summary, which counts each file once.
        Ok(line_feeds(file)? == summary.files().saturating_add(2))
    }

    /// Returns the number of lines that [`List::latest`] leaves out.
    pub fn superseded(&self) -> u64 {
        self.superseded.count()
    }

    /// Whether the list is a regular file, or in one that is an archive: no path goes through other files.
    fn can_be_read_again(&self) -> bool {
        self.is_path
            && match std::fs::metadata(OsStr::from_bytes(&self.name)) {
                Ok(metadata) => metadata.is_file(),
                Err(error) => error.kind() == io::ErrorKind::NotADirectory,
            }
    }

    /// Opens the file of the list once more, if it is one.
    fn file(&self) -> Option<File> {
        if self.is_path { open_file(OsStr::from_bytes(&self.name)).ok()? } else { None }
    }

    /// Returns the name of the list: its path, or the given name of the input.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the header: the format, and the facts about the run that wrote the list. Reads up to the first entry.
    pub fn header(&mut self) -> &Header {
        self.rest.header()
    }

    /// Returns the trailer, once the iteration has ended.
    pub fn trailer(&self) -> Option<&Trailer> {
        if self.first.is_empty() && self.ahead.is_empty() { self.rest.trailer() } else { None }
    }

    /// Returns the kind of the first digest, for lists without a header. Examines up to 256 entries.
    pub fn first_kind(&mut self) -> Option<DigestKind> {
        self.first(|entry| match entry.digests.first() {
            Some(digest) => Some(digest.algorithm().into()),
            None => entry.similarity_digests().next().map(|digest| digest.family().into()),
        })
    }

    /// Whether the algorithm of the first digest is taken from its length alone. Examines up to 256 entries.
    pub fn guesses_algorithm(&mut self) -> bool {
        let is_guess = |entry: &Entry| (!entry.digests.is_empty()).then_some(entry.algorithm_guessed);
        self.first(is_guess).unwrap_or(false)
    }

    /// Returns the family of the first similarity digest. Examines up to 256 entries.
    pub fn family(&mut self) -> Option<Family> {
        self.first(|entry| entry.similarity_digests().next().map(pfh_similarity::Digest::family))
    }

    /// Returns the path of the first entry.
    pub fn first_path(&mut self) -> Option<Vec<u8>> {
        self.first(|entry| Some(entry.path.clone()))
    }

    /// Opens a list of the first and the last lines of this one: what they agree in is likely to hold for those in
    /// between. `None` if this is no file, or short. Where lines do not stand alone, as in XML, it has errors.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn ends(&mut self, options: ReadOptions) -> io::Result<Option<List>> {
        let format = self.header().format;
        let Some(mut file) = self.file() else { return Ok(None) };
        if file.metadata()?.len() <= 2 * START_BYTES as u64 {
            return Ok(None);
        }
        let (mut start, mut end) = (vec![0; START_BYTES], vec![0; START_BYTES]);
        file.read_exact(&mut start)?;
        file.seek(io::SeekFrom::End(-(START_BYTES as i64)))?;
        file.read_exact(&mut end)?;
        let is_break = |byte: &u8| *byte == b'\n';
        let (Some(first), Some(last)) = (start.iter().rposition(is_break), end.iter().position(is_break)) else {
            return Ok(None);
        };
        let lines = [&start[..=first], &end[last + 1..]].concat();
        List::open_as(format, Input::bytes(&self.name[..], lines), options).map(Some).map_err(io::Error::other)
    }

    /// Lends the next entry or error of the iteration. An entry is large, so this is faster for callers who keep little
    /// of it.
    pub fn next_entry(&mut self) -> Option<Result<&mut Entry, ReadError>> {
        if !self.first.is_empty() || self.joins || self.superseded.count() > 0 {
            return Some(self.next()?.map(|entry| self.lent.insert(entry)));
        }
        let mut next = self.rest.next_entry()?;
        if let Ok(entry) = &mut next {
            name_after(self.stem.as_deref(), entry);
        }
        Some(next)
    }

    fn read(&mut self) -> Option<Result<Entry, ReadError>> {
        let mut entry = match self.ahead.pop_front().or_else(|| self.read_one())? {
            Ok(entry) => entry,
            error => return Some(error),
        };
        // An entry is the last of what was read ahead, so nothing of that is left.
        while self.joins && can_be_joined(&entry) && self.ahead.len() < BETWEEN_MAX {
            match self.read_one() {
                None => break,
                Some(Err(error)) => self.ahead.push_back(Err(error)),
                Some(Ok(next)) => {
                    if let Some(other) = join(&mut entry, next) {
                        self.ahead.push_back(Ok(other));
                        break;
                    }
                }
            }
        }
        Some(Ok(entry))
    }

    fn read_one(&mut self) -> Option<Result<Entry, ReadError>> {
        let mut next = self.rest.next()?;
        if let Ok(entry) = &mut next {
            name_after(self.stem.as_deref(), entry);
        }
        Some(next)
    }

    /// Returns the first result of `find` among the first entries.
    fn first<T>(&mut self, find: impl Fn(&Entry) -> Option<T>) -> Option<T> {
        loop {
            if let Some(found) = self.first.iter().flatten().find_map(&find) {
                return Some(found);
            }
            if self.first.len() >= FIRST_ENTRIES {
                return None;
            }
            let next = self.read()?;
            self.first.push_back(next);
        }
    }
}

impl Iterator for List {
    type Item = Result<Entry, ReadError>;

    /// Returns the next entry. After a line that cannot be read, the next call continues with the line after it, unless
    /// [`ReadError::is_fatal`].
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let next = self.first.pop_front().or_else(|| self.read())?;
            let Ok(entry) = &next else { return Some(next) };
            match self.superseded.has(entry.line) {
                Ok(true) => {}
                Ok(false) => return Some(next),
                Err(error) => return Some(Err(ReadError::unreadable(error, entry.line))),
            }
        }
    }
}

/// Whether more digests of the same file may follow. Lists whose lines name no algorithm often have the names of kinds
/// of files, such as those of malware.
fn can_be_joined(entry: &Entry) -> bool {
    !entry.path.is_empty() && !entry.algorithm_guessed
}

/// Adds the digests of the next entry to those of the same file, or piece of it. Gives it back if it is of another one,
/// or does not only have digests by other algorithms.
fn join(entry: &mut Entry, next: Entry) -> Option<Entry> {
    let is_same = next.path == entry.path
        && can_be_joined(&next)
        && (next.piece, next.expected) == (entry.piece, entry.expected)
        && entry.is_complete()
        && next.is_complete()
        && next.similarities.is_empty()
        && next.facts.is_none();
    let has = |other: &Digest| entry.digests.iter().any(|own| own.algorithm() == other.algorithm());
    if !is_same || entry.digests.is_empty() || next.digests.is_empty() || next.digests.iter().any(has) {
        return Some(next);
    }
    entry.digests.extend(next.digests);
    None
}

/// Gives an entry the name of the log if it has none.
fn name_after(stem: Option<&[u8]>, entry: &mut Entry) {
    if entry.path.is_empty() {
        entry.path.extend_from_slice(stem.unwrap_or_default());
    }
}

/// Opens an input. Returns its name, to which the name of a file in an archive is added, whether it is a path, what is
/// read, and the options with the algorithm that the name may reveal.
fn open_input(
    Input { name, open }: Input,
    options: ReadOptions,
) -> Result<(Vec<u8>, bool, Stream, ReadOptions), OpenError> {
    let is_path = matches!(open, Open::Path);
    let opened = match open {
        Open::Path => open_path(&name, options),
        Open::Reader(reader) => plain(reader).map(|reader| (None, reader)),
    };
    let (name, reader) = match opened {
        Ok((None, reader)) => (name, reader),
        Ok((Some(member), reader)) => ([&name[..], b"/", &member].concat(), reader),
        Err(error) => return Err(OpenError::Io { name, error }),
    };
    let options = ReadOptions { likely_algorithm: algorithm_in_name(&name), ..options };
    Ok((name, is_path, reader, options))
}

/// An opened input, and the name of the file in an archive if it does not stand in the path.
type Opened = (Option<Vec<u8>>, Stream);

fn open_path(name: &[u8], options: ReadOptions) -> io::Result<Opened> {
    let file = match File::open(OsStr::from_bytes(name)) {
        Ok(file) => file,
        // No path goes through a file, so this may be one into an archive.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let slashes = (0..name.len()).rev().filter(|&at| name[at] == b'/');
            let archives = slashes.filter_map(|slash| {
                let archive = open_file(OsStr::from_bytes(&name[..slash])).ok()??;
                Some((archive_of(archive).ok()??, &name[slash + 1..]))
            });
            return match { archives }.next() {
                Some((archive, member)) => Ok((None, Box::new(zip::open_member(archive, member)?))),
                None => Err(error),
            };
        }
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Ok((None, plain(file)?));
    }
    if let Some(archive) = archive_of(file.try_clone()?)? {
        let is_list = |contents: &mut zip::Contents| -> io::Result<bool> {
            let mut start = Vec::new();
            contents.take(START_BYTES as u64).read_to_end(&mut start)?;
            Ok(detect(&start, options).is_some())
        };
        let (member, contents) = zip::open_only(archive, is_list)?;
        return Ok((Some(member), Box::new(contents)));
    }
    Ok((None, Box::new(file)))
}

/// Opens a file that is wanted by its name, or the first such file in a zip archive. Also returns the name, with the
/// folders before it. `None` if neither is wanted. Damage in an archive is an error where it is read.
///
/// # Errors
/// If the file or the archive cannot be opened.
pub fn open_wanted(
    path: &Path,
    is_wanted: fn(&[u8]) -> bool,
) -> io::Result<Option<(Vec<u8>, impl Read + Send + use<>)>> {
    let name = path.as_os_str().as_bytes();
    if is_wanted(name) {
        return Ok(Some((name.to_vec(), Box::new(File::open(path)?) as Stream)));
    }
    let Some(file) = open_file(path.as_os_str())? else { return Ok(None) };
    let Some(archive) = archive_of(file)? else { return Ok(None) };
    let found = zip::open_wanted(archive, is_wanted)?;
    Ok(found.map(|(name, contents)| (name, Box::new(contents) as Stream)))
}

/// Opens a regular file to look at it. Whoever writes to a pipe would notice that it was opened and closed, so nothing
/// else is opened.
fn open_file(path: &OsStr) -> io::Result<Option<File>> {
    if std::fs::metadata(path)?.is_file() { File::open(path).map(Some) } else { Ok(None) }
}

/// Returns the file, at its beginning, if it is an archive.
fn archive_of(mut file: File) -> io::Result<Option<File>> {
    let is_archive = file.metadata()?.is_file() && {
        let mut start = Vec::new();
        file.by_ref().take(4).read_to_end(&mut start)?;
        file.rewind()?;
        zip::is_archive(&start)
    };
    Ok(is_archive.then_some(file))
}

/// Returns an input that cannot be read at any place, unless it is an archive, whose directory is at its end.
fn plain(mut reader: impl Read + Send + 'static) -> io::Result<Stream> {
    let mut start = Vec::new();
    reader.by_ref().take(4).read_to_end(&mut start)?;
    if zip::is_archive(&start) {
        let reason = "a zip archive cannot be read from a pipe; name the file";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    Ok(Box::new(io::Cursor::new(start).chain(reader)))
}

/// Returns the names of the algorithms whose digests have this number of hexadecimal digits.
pub(crate) fn names_of_length(digits: usize) -> Vec<&'static str> {
    let fitting = Algorithm::all().filter(|algorithm| 2 * algorithm.digest_bytes() == digits);
    // Its digests are those of SHA-1, with a check for collision attacks.
    fitting.map(Algorithm::name).filter(|name| *name != "sha1dc").collect()
}

/// Returns the last part of a path.
fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}

/// Returns the name of a log without its directory and its last extension: of `images/disk.dd.log`, `disk.dd`.
fn stem(path: &[u8]) -> &[u8] {
    let name = last_part(path);
    let dot = name.iter().rposition(|&byte| byte == b'.').filter(|dot| *dot > 0);
    &name[..dot.unwrap_or(name.len())]
}

/// Whether a list of lines like GNU's is a manifest of BagIt: its name is `manifest-ALGORITHM.txt` and its paths begin
/// with `data/`, or `tagmanifest-ALGORITHM.txt`. A line with escapes is GNU's own.
fn is_bagit(path: &[u8], start: &[u8]) -> bool {
    let Ok(name) = str::from_utf8(last_part(path)) else { return false };
    let Some(rest) = name.strip_suffix(".txt") else { return false };
    let (of_tags, rest) = match rest.strip_prefix("tag") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let is_named = rest.strip_prefix("manifest-").is_some_and(|name| Algorithm::from_name(name).is_ok());
    let digits = start.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let path = &start[digits..];
    let path = &path[path.iter().take_while(|byte| is_blank(byte)).count()..];
    let path = path.strip_prefix(b"*").unwrap_or(path);
    let path = path.strip_prefix(b"./").unwrap_or(path);
    is_named && digits > 0 && (of_tags || path.starts_with(b"data/"))
}

/// Returns the algorithm in the name of a list: `SHA256SUMS`, `photos.md5`, `known-sha3-256.txt`. `None` if the name
/// has two.
fn algorithm_in_name(path: &[u8]) -> Option<Algorithm> {
    let name = str::from_utf8(last_part(path)).ok()?;
    let mut found = None;
    for part in name.split(['.', '_', ' ']) {
        // The longest sequence of words that is a name counts: `known-sha3-256-old` has `sha3-256`.
        let words: Vec<&str> = part.split('-').collect();
        let mut first = 0;
        while first < words.len() {
            let named = (first + 1..=words.len()).rev().find_map(|end| {
                let text = words[first..end].join("-").to_ascii_lowercase();
                let bare = text.strip_suffix("sums").or_else(|| text.strip_suffix("sum"));
                // Short names (`b2`) count only if there is nothing else in the name.
                let is_sure = bare.is_some() || text.len() > 2 || (first, end) == (0, words.len());
                Algorithm::from_name(bare.unwrap_or(&text)).ok().filter(|_| is_sure).map(|algorithm| (algorithm, end))
            });
            let Some((algorithm, end)) = named else {
                first += 1;
                continue;
            };
            if found.is_some_and(|other| other != algorithm) {
                return None;
            }
            found = Some(algorithm);
            first = end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_record::{FieldProblem, ListEnd, Md5deepForm, ReadErrorKind};
    use std::io::Write;

    const MD5: &str = "5d41402abc4b2a76b9719d911017c592";
    const SHA1: &str = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";

    /// A reader that delivers one byte at a time, like a pipe.
    struct Slow(io::Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let one = out.len().min(1);
            self.0.read(&mut out[..one])
        }
    }

    #[test]
    fn a_list_is_the_same_from_a_file_a_pipe_and_memory() {
        let text = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n## Invoked from: /cases\n5,{MD5},a\n5,bad,b\n");
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let inputs = [
            Input::path(file.path()),
            Input::reader("pipe", Slow(io::Cursor::new(text.clone().into_bytes()))),
            Input::bytes("memory", text),
        ];
        for input in inputs {
            let mut list = List::open(input, ReadOptions::default()).unwrap();
            assert_eq!(list.first_kind(), Some(Algorithm::from_name("md5").unwrap().into()));
            assert_eq!(
                (list.header().format, list.header().directory.as_deref()),
                (FormatName::Hashdeep, Some(&b"/cases"[..]))
            );
            assert_eq!(list.trailer(), None);
            assert_eq!(list.next().unwrap().unwrap().path, b"a");
            let error = list.next().unwrap().unwrap_err();
            assert!(
                matches!(error.kind, ReadErrorKind::Field { field: "digest", problem: FieldProblem::DigestLength }),
                "{error}"
            );
            assert!(list.next().is_none());
            assert_eq!(list.trailer().unwrap().end, ListEnd::Unstated);
        }
    }

    /// The path of an entry, the number of its digests, and its line; only the line of what cannot be read.
    fn told(item: Result<Entry, ReadError>) -> (String, usize, u64) {
        match item {
            Ok(entry) => (String::from_utf8(entry.path).unwrap(), entry.digests.len(), entry.line),
            Err(error) => (String::new(), 0, error.line),
        }
    }

    #[test]
    fn entries_of_a_file_that_follow_each_other_are_one() {
        let md5 = |name: &str| format!("MD5 ({name}) = {MD5}\n");
        let sha1 = |name: &str| format!("SHA1 ({name}) = {SHA1}\n");
        let object = |name: &str, digest: &str| {
            let digests = format!("{{\"{name}\":\"{digest}\"}}");
            format!("{{\"type\":\"file\",\"path\":\"a\",\"outcome\":\"complete\",\"digests\":{digests}}}\n")
        };
        let broken = || "broken\n".to_owned();
        let (bsd, md5deep) = (FormatName::Bsd, FormatName::Md5deep(Md5deepForm::default()));
        /// A list, and the paths, numbers of digests and lines of its entries.
        type Case = (FormatName, String, &'static [(&'static str, usize, u64)]);
        let cases: [Case; 8] = [
            (bsd, [md5("a"), sha1("a"), md5("b"), sha1("b")].concat(), &[("a", 2, 1), ("b", 2, 3)]),
            (
                bsd,
                [md5("a"), md5("b"), sha1("a"), sha1("b")].concat(),
                &[("a", 1, 1), ("b", 1, 2), ("a", 1, 3), ("b", 1, 4)],
            ),
            // No algorithm comes twice.
            (bsd, [md5("a"), md5("a"), sha1("a"), sha1("a")].concat(), &[("a", 1, 1), ("a", 2, 2), ("a", 1, 4)]),
            (
                bsd,
                [md5("a"), broken(), sha1("a"), broken(), md5("b")].concat(),
                &[("a", 2, 1), ("", 0, 2), ("", 0, 4), ("b", 1, 5)],
            ),
            // Different files may have the same name.
            (FormatName::Gnu, format!("{MD5}  a\n{SHA1}  a\n"), &[("a", 1, 1), ("a", 1, 2)]),
            (md5deep, format!("{MD5}\n{SHA1}\n"), &[("", 1, 1), ("", 1, 2)]),
            // Another size is that of another file.
            (
                FormatName::Csv,
                format!("path,size,md5,sha1\na,5,{MD5},\na,5,,{SHA1}\nb,5,{MD5},\nb,6,,{SHA1}\n"),
                &[("a", 2, 2), ("b", 1, 4), ("b", 1, 5)],
            ),
            (FormatName::Jsonl, [object("md5", MD5), object("sha1", SHA1)].concat(), &[("a", 1, 1), ("a", 1, 2)]),
        ];
        for (format, text, expected) in cases {
            let expected: Vec<_> =
                expected.iter().map(|(path, digests, line)| ((*path).to_owned(), *digests, *line)).collect();
            let open = || List::open_as(format, Input::bytes("list", text.clone()), ReadOptions::default()).unwrap();
            assert_eq!(open().map(told).collect::<Vec<_>>(), expected, "{text}");
            let mut examined = open();
            assert_eq!(examined.family(), None);
            assert_eq!(examined.map(told).collect::<Vec<_>>(), expected, "{text}");
            let (mut list, mut lent) = (open(), Vec::new());
            while let Some(item) = list.next_entry() {
                lent.push(told(item.cloned()));
            }
            assert_eq!(lent, expected, "{text}");
            assert!(list.trailer().is_some(), "{text}");
            let lines = text.lines().filter(|line| !line.starts_with("path,")).count();
            assert_eq!(open().unjoined().count(), lines, "{text}");
        }
        // The pieces of a file are not the file.
        let pieces = ["a", "a offset 0-1", "a offset 2-3"].map(|name| md5(name) + &sha1(name)).concat();
        let options = ReadOptions { piecewise: true, ..ReadOptions::default() };
        let list = List::open_as(bsd, Input::bytes("list", pieces), options).unwrap();
        let found: Vec<_> = list.map(told).collect();
        assert_eq!(found, [1, 3, 5].map(|line| ("a".to_owned(), 2, line)));
        // Lines that cannot be read do not fill the memory.
        for (lines, digests) in [(BETWEEN_MAX - 1, 2), (BETWEEN_MAX, 1)] {
            let text = [md5("a"), broken().repeat(lines), sha1("a")].concat();
            let mut list = List::open_as(bsd, Input::bytes("list", text), ReadOptions::default()).unwrap();
            assert_eq!(list.next().unwrap().unwrap().digests.len(), digests);
            assert_eq!(list.trailer(), None);
            assert_eq!(list.by_ref().filter(Result::is_err).count(), lines);
            assert!(list.trailer().is_some());
        }
    }

    #[test]
    fn the_ends_of_a_list_are_its_first_and_last_lines() {
        let line = |number: usize| format!("{number},{MD5},{number:010}\n");
        let header = "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n";
        let text = |lines: usize| header.to_owned() + &(0..lines).map(line).collect::<String>();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("list");
        let ends = |lines: usize| {
            std::fs::write(&path, text(lines)).unwrap();
            let mut list = List::open(&path, ReadOptions::default()).unwrap();
            let ends = list.ends(ReadOptions::default()).unwrap()?;
            // The list itself is where it was.
            assert_eq!(list.count(), lines);
            let paths = ends.map(|entry| String::from_utf8(entry.unwrap().path).unwrap().parse::<usize>().unwrap());
            Some(paths.collect::<Vec<_>>())
        };
        let (short, long) = (2 * START_BYTES / line(1000).len(), 10_000);
        assert_eq!(ends(short), None);
        let found = ends(long).unwrap();
        let middle = found.iter().zip(0..).take_while(|(number, place)| *number == place).count();
        assert!(found[middle..].iter().copied().eq(long - (found.len() - middle)..long));
        // Whole lines of 64 KiB each.
        let bytes = found.iter().map(|number| line(*number).len()).sum::<usize>() + header.len();
        assert!((2 * START_BYTES - 2 * line(long).len()..=2 * START_BYTES).contains(&bytes), "{bytes}");
        let mut list = List::open(Input::bytes("list", text(long)), ReadOptions::default()).unwrap();
        assert!(list.ends(ReadOptions::default()).unwrap().is_none());
    }

    /// A journal whose lines have no check values.
    fn journal(lines: impl Iterator<Item = (usize, &'static str)>, summary: Option<usize>) -> String {
        let mut text = "{\"type\":\"header\",\"version\":1,\"algorithms\":[\"md5\"]}\n".to_owned();
        for (number, rest) in lines {
            text += &format!("{{\"type\":\"file\",\"path\":\"{number}\",{rest}}}\n");
        }
        if let Some(files) = summary {
            text += &format!(
                "{{\"type\":\"summary\",\"files\":{files},\"complete\":{files},\"changed_while_reading\":0,\"short\":0,\
                 \"unreadable\":0,\"skipped\":0,\"bytes\":5,\"elapsed_seconds\":0.1,\"interrupted\":false}}\n"
            );
        }
        text
    }

    const COMPLETE: &str = r#""size":5,"outcome":"complete","digests":{"md5":"5d41402abc4b2a76b9719d911017c592"}"#;
    const FAILED: &str = r#""outcome":"unreadable","error":{"kind":"not-found"}"#;
    const PIECES: &str = r#""size":5,"outcome":"complete","digests":{"md5":"5d41402abc4b2a76b9719d911017c592"},"pieces":[{"offset":0,"length":5,"digests":{"md5":"5d41402abc4b2a76b9719d911017c592"}}]"#;

    /// The paths and lines of the entries that count, once read as owned entries and once as lent ones, and the number
    /// of lines that do not.
    fn latest(path: &Path) -> (Vec<(String, u64)>, u64) {
        let open = || List::open(path, ReadOptions::default()).unwrap();
        let mut list = open().latest(ReadOptions::default(), &|| false).unwrap();
        let key = |entry: &Entry| (String::from_utf8(entry.path.clone()).unwrap(), entry.line);
        let mut lent = Vec::new();
        while let Some(entry) = list.next_entry() {
            lent.push(key(entry.unwrap()));
        }
        // Entries may have been examined before.
        let mut examined = open();
        examined.first_kind().unwrap();
        let owned = examined.latest(ReadOptions::default(), &|| false).unwrap();
        assert_eq!(owned.superseded(), list.superseded());
        assert!(owned.map(|entry| key(&entry.unwrap())).eq(lent.iter().cloned()));
        assert!(list.trailer().is_some());
        (lent, list.superseded())
    }

    #[test]
    fn of_a_continued_journal_the_latest_lines_count() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let lines = [(1, COMPLETE), (2, FAILED), (3, PIECES), (2, FAILED), (1, COMPLETE), (2, PIECES), (4, FAILED)];
        let expected = [("3", 4), ("3", 4), ("1", 6), ("2", 7), ("2", 7), ("4", 8)];
        let expected: Vec<(String, u64)> = expected.map(|(path, line)| (path.to_owned(), line)).to_vec();
        for summary in [None, Some(4)] {
            let text = journal(lines.into_iter(), summary);
            std::fs::write(&path, &text).unwrap();
            assert_eq!(latest(&path), (expected.clone(), 3), "{summary:?}");
            // A pipe cannot be read twice.
            let piped = List::open(Input::bytes(path.as_os_str().as_bytes(), text), ReadOptions::default()).unwrap();
            let piped = piped.latest(ReadOptions::default(), &|| false).unwrap();
            assert_eq!((piped.superseded(), piped.count()), (0, 9));
        }
        let cancelled = List::open(&path, ReadOptions::default()).unwrap().latest(ReadOptions::default(), &|| true);
        assert_eq!(cancelled.unwrap().superseded(), 0);
        // Other lists can have several lines of a file.
        let text = format!("MD5 (a) = {MD5}\nMD5 (a) = {MD5}\n");
        std::fs::write(&path, text).unwrap();
        let other = List::open(&path, ReadOptions::default()).unwrap().latest(ReadOptions::default(), &|| false);
        assert_eq!(other.unwrap().count(), 2);
    }

    /// A long journal is read twice only if its counts do not tell that no path has two lines.
    #[test]
    fn counts_tell_that_no_line_is_superseded() {
        const FILES: usize = 3000;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let numbers = |more: &'static [usize]| (0..FILES).chain(more.iter().copied()).map(|number| (number, COMPLETE));
        for (more, summary, superseded) in
            [(&[][..], Some(FILES), 0), (&[], None, 0), (&[7, 2999, 7], Some(FILES), 3), (&[7], None, 1)]
        {
            let text = journal(numbers(more), summary);
            assert!(text.len() > 2 * START_BYTES);
            std::fs::write(&path, text).unwrap();
            let (entries, found) = latest(&path);
            assert_eq!((entries.len(), found), (FILES, superseded), "{more:?}, {summary:?}");
            let list = List::open(&path, ReadOptions::default()).unwrap();
            let has_earlier = list.has_earlier_lines(ReadOptions::default()).unwrap();
            assert_eq!(has_earlier, summary.map(|_| superseded > 0), "{more:?}, {summary:?}");
        }
        // Where the counts tell it, the lines are not compared: these are wrong on purpose.
        std::fs::write(&path, journal(numbers(&[7]), Some(FILES + 1))).unwrap();
        assert_eq!(latest(&path).1, 0);
    }

    #[test]
    fn what_is_no_list_is_refused_by_name() {
        let refused = |text: &'static str, algorithm: Option<&str>| {
            let algorithm = algorithm.map(|name| Algorithm::from_name(name).unwrap());
            let opened = List::open(Input::bytes("x\n", text), ReadOptions { algorithm, ..ReadOptions::default() });
            opened.map(|list| list.name).unwrap_err().to_string()
        };
        assert_eq!(refused("hello\n", None), "`x\\n` is not a list of digests that pfh can read");
        let text = "0123456789  a\n";
        assert_eq!(
            refused(text, None),
            "`x\\n`: its digests have 10 digits, and no algorithm has digests of this length"
        );
        assert!(refused(text, Some("md5")).ends_with("its digests have 10 digits, and those of md5 have 32"));
        assert!(refused("1234567890 5 a\n", None).starts_with("`x\\n` is a list of `cksum` without `-a`, "));
        let text = "5d41402abc4b2a76b9719d911017c592  a\x005d41402abc4b2a76b9719d911017c592  b\0";
        assert!(refused(text, None).starts_with("`x\\n` is a list whose records end with NUL: `pfh convert "));
        let options = ReadOptions { null_terminated: true, ..ReadOptions::default() };
        assert_eq!(List::open(Input::bytes("x", text), options).unwrap().count(), 2);
        let missing = List::open("/nonexistent/list", ReadOptions::default()).map(|list| list.name);
        assert_eq!(missing.unwrap_err().to_string(), "`/nonexistent/list`: No such file or directory (os error 2)");
    }

    /// The second digest of a line is no name of a file.
    #[test]
    fn tables_are_refused_with_their_columns() {
        let refused = |text: String, algorithm: Option<&str>| {
            let algorithm = algorithm.map(|name| Algorithm::from_name(name).unwrap());
            let opened = List::open(Input::bytes("t", text), ReadOptions { algorithm, ..ReadOptions::default() });
            opened.map(|list| list.name).unwrap_err().to_string()
        };
        let sha1 = "0a".repeat(20);
        let is_table = |columns: &str| {
            format!("`t` is a table, of which `pfh known build --columns {columns} SET LIST` makes a known set")
        };
        for algorithm in [None, Some("md5")] {
            let text = format!("\u{FEFF}MD5,SHA1,FileName\r\n{MD5},{sha1},\"a, b\"\r\n");
            assert_eq!(refused(text, algorithm), is_table("md5=MD5,sha1=SHA1,name=FileName"));
            assert_eq!(refused(format!("hash\n{MD5}\n"), algorithm), is_table("digest=hash"));
            for (separator, format) in [(',', "md5deep-c"), ('\t', "gnu")] {
                let hint = format!("; if its lines are digests and names, `--as {format}` reads it");
                let text = format!("{MD5}{separator}{sha1}\n");
                assert_eq!(refused(text, algorithm), is_table("md5=1,sha1=2") + &hint);
            }
        }
        for text in [format!("{MD5},a\n{MD5},{sha1}\n"), format!("MD5\n{MD5}  a\n"), format!("{MD5}\ta\n")] {
            assert!(List::open(Input::bytes("t", text), ReadOptions::default()).is_ok());
        }
        let named = format!("{MD5},{sha1}\n");
        let form = FormatName::from_name("md5deep-c").unwrap();
        let mut list = List::open_as(form, Input::bytes("t", named), ReadOptions::default()).unwrap();
        assert_eq!(list.next().unwrap().unwrap().path, sha1.as_bytes());
    }

    #[test]
    fn a_guess_of_the_algorithm_is_told() {
        let guesses = |name: &str, text: String, algorithm: Option<Algorithm>| {
            let options = ReadOptions { algorithm, ..ReadOptions::default() };
            let mut list = List::open(Input::bytes(name, text), options).unwrap();
            let is_guess = list.guesses_algorithm();
            assert_eq!(list.count(), 1);
            is_guess
        };
        let line = format!("{MD5}  a\n");
        let md5 = Algorithm::from_name("md5").ok();
        assert!(guesses("list", line.clone(), None));
        assert!(!guesses("list", line.clone(), md5) && !guesses("MD5SUMS", line, None));
        assert!(!guesses("list", format!("MD5 (a) = {MD5}\n"), None));
        assert!(!guesses("list", "path,size,md5\na,1,\n".to_owned(), None));
    }

    #[test]
    fn manifests_of_bags_are_told_by_their_names() {
        let opened = |name: &str, text: String| {
            let mut list = List::open(Input::bytes(name, text), ReadOptions::default()).unwrap();
            let format = list.header().format.name();
            let entry = list.next().unwrap().unwrap();
            (
                format,
                String::from_utf8(entry.path).unwrap(),
                entry.digests[0].algorithm().name(),
                entry.algorithm_guessed,
            )
        };
        let line = |path: &str| format!("{MD5}  {path}\n");
        let percent = "data/100%25 %0d.txt";
        let decoded = "data/100% \r.txt".to_owned();
        assert_eq!(opened("b/manifest-md5.txt", line(percent)), ("bagit", decoded, "md5", false));
        assert_eq!(opened("tagmanifest-md5.txt", line("bagit.txt")), ("bagit", "bagit.txt".to_owned(), "md5", false));
        // Others' lists are not decoded: another name, another algorithm, another place of the files.
        for (name, path) in [
            ("md5.txt", percent),
            ("manifest-2026.txt", percent),
            ("manifest-md5.txt", "100%25.txt"),
            ("manifest-md5.md5", percent),
        ] {
            assert_eq!(opened(name, line(path)).0, "gnu", "{name}");
            assert_eq!(opened(name, line(path)).1, path, "{name}");
        }
        let escaped = format!("\\{MD5}  data/a\\\\b\n");
        assert_eq!(opened("manifest-md5.txt", escaped), ("gnu", "data/a\\b".to_owned(), "md5", false));
        let sha3 = format!("{}  data/a\n", "0a".repeat(32));
        assert_eq!(opened("manifest-sha3256.txt", sha3).2, "sha3-256");
    }

    #[test]
    fn an_image_without_a_name_has_that_of_its_log() {
        for (name, expected) in [("images/disk.dd.log", "disk.dd"), ("disk", "disk"), ("a/.log", ".log")] {
            let text = format!("\nTotal (md5): {MD5}\n");
            let mut list = List::open(Input::bytes(name, text), ReadOptions::default()).unwrap();
            assert_eq!(list.first_kind(), Some(Algorithm::from_name("md5").unwrap().into()));
            assert_eq!(list.next().unwrap().unwrap().path, expected.as_bytes());
        }
        let text = format!("Image path and filename:\t\tx.E01\nMD5 hash calculated over data:\t\t{MD5}\n");
        let mut list = List::open(Input::bytes("disk.log", text), ReadOptions::default()).unwrap();
        assert_eq!(list.next().unwrap().unwrap().path, b"x.E01");
    }

    #[test]
    fn names_of_lists_tell_algorithms() {
        for (name, expected) in [
            ("SHA256SUMS", Some("sha256")),
            ("/mnt/b/sha512sum.txt", Some("sha512")),
            ("B3SUMS", Some("blake3")),
            ("photos.md5", Some("md5")),
            ("photos.b2", Some("blake2b")),
            ("known-sha3-256-old.txt", Some("sha3-256")),
            ("list_BLAKE3.txt", Some("blake3")),
            ("sha256.sha256", Some("sha256")),
            ("md5-and-sha1.txt", None),
            ("backup-b2-2026", None),
            ("known", None),
            ("2026", None),
            ("blake3/list", None),
        ] {
            let found = algorithm_in_name(name.as_bytes()).map(|algorithm| algorithm.to_string());
            assert_eq!(found.as_deref(), expected, "{name}");
        }
        assert_eq!(algorithm_in_name(b"\xff.md5"), None);
    }
}
