//! `pfh convert`.

use super::command::{Command, Reporting};
use super::convert_args::ConvertArguments;
use super::exit::{Ending, Failed};
use super::lists::{self, BrokenLines};
use super::output::interrupted;
use super::quantity::{Bytes, Count};
use super::written_list::{
    DIGESTS, Losses, MODIFIED, NOT_EXPRESSED, REASONS_MAX, SIZE, WITHOUT, WrittenList, selected,
};
use super::{message, reading, written_list};
use pfh_digest::Digest;
use pfh_list::{Entry, Grouping, Header, Input, List, ReadError, ReadOptions};
use pfh_record::{
    DigestKind, Expected, Feature, Format, FormatName, Labels, ListEnd, Metadata, NotExpressible, Outcome, Piece,
    Record, RunFacts, Selection, Summary, WriteOptions,
};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read as _};

/// Writes lists in another format.
pub(crate) fn run(arguments: &ConvertArguments) -> Result<Ending, Failed> {
    let wanted = wanted(&arguments.algorithms)?;
    let algorithm = match wanted.as_ref().map(Selection::algorithms) {
        Some([one]) => Some(*one),
        _ => None,
    };
    let options = ReadOptions {
        algorithm,
        null_terminated: arguments.read_null,
        piecewise: arguments.piecewise,
        ..ReadOptions::default()
    };
    // From here on, a signal ends the waiting for a list.
    let mut command = Command::begin(
        Reporting { quiet: arguments.quiet, allow_empty: arguments.allow_empty, ..Reporting::DEFAULT },
        None,
    );
    command.without_totals();
    let mut sources = Vec::new();
    for path in &arguments.lists {
        let source = lists::open_latest(path, arguments.read_as, options).map(Source::new);
        if command.cancel().is_cancelled() {
            return command.finish(Ok(()), 0, None);
        }
        sources.push(source?);
    }
    let format = arguments.format;
    let has_pieces = sources.iter().any(Source::has_pieces) && format.keeps(Feature::Pieces);
    let has_facts = sources.iter().any(Source::has_facts) && format.keeps(Feature::Facts);
    let options = WriteOptions {
        null_terminated: arguments.style.null,
        encoding: arguments.style.encoding(),
        piecewise: has_pieces,
        facts: has_facts,
        ..WriteOptions::default()
    };
    let selection = selection(&sources, wanted, format, &options)?;
    let headers: Vec<&Header> = sources.iter().map(|source| &source.header).collect();
    let mut merged = Merged::of(&headers)?;
    merged.facts.variants.retain(|family, _| selection.families().contains(family));
    merged.facts.selection = selection;
    let inputs = arguments.lists.iter().map(OsString::as_os_str);
    command.set_output(reading::open_output(arguments.output.as_deref(), inputs)?);
    let list = WrittenList::begin(format, &merged.facts, &options, command.output()).map_err(Failed::usage)?;
    let headers_lost = merged.lost(format);
    let mut conversion = Converter {
        format,
        selection: merged.facts.selection.clone(),
        list,
        joined: None,
        has_pieces,
        has_facts,
        losses: Losses::new(LOST),
        written: 0,
        without: 0,
        quiet: arguments.quiet,
    };
    let superseded: u64 = sources.iter().map(|source| source.list.superseded()).sum();
    let mut unread = 0;
    let mut trailers = Some(Summary::default());
    let each_of = |conversion: &mut Converter| {
        sources.into_iter().try_for_each(|source| {
            let end = conversion.convert(source, &command, &mut unread)?;
            match (&mut trailers, end) {
                (Some(all), Some(of_list)) => all.add(&of_list),
                (trailers, _) => *trailers = None,
            }
            Ok(())
        })
    };
    let written = match arguments.join {
        false => each_of(&mut conversion),
        true => conversion.join(&merged.facts, &command, each_of)?,
    };
    let Converter { mut list, losses, written: count, without, .. } = conversion;
    if let Some(all) = trailers {
        (list.summary.bytes, list.summary.elapsed) = (all.bytes, all.elapsed);
    }
    let written = written.and_then(|()| list.end());
    // An interruption is told once, by the end.
    if !arguments.quiet && written.is_ok() {
        message::error(format_args!("written: {}", Count(count)));
        headers_lost.iter().for_each(message::error);
        if superseded > 0 {
            let superseded = Count(superseded);
            message::error(format_args!(
                "lines: {superseded} are superseded by later lines about the same paths, and left out"
            ));
        }
        losses.report();
        if without > 0 && !arguments.join {
            message::error("entries of one file that do not follow each other are joined by --join");
        }
    }
    let apart = losses.count(LATE) + losses.count(NOT_EXPRESSED) + losses.count(CONTRADICTING);
    command.count_lines(unread + without + apart);
    command.finish(written, count, None)
}

/// Returns the digests that the command line names.
fn wanted(names: &[String]) -> Result<Option<Selection>, Failed> {
    let kinds = names.iter().map(|name| name.trim().parse::<DigestKind>());
    let selection: Selection = kinds.collect::<Result<_, _>>().map_err(Failed::usage)?;
    Ok((!selection.is_empty()).then_some(selection))
}

/// Number of entries of a list without a header that are examined to find its digests.
const FIRST_ENTRIES: usize = 256;

/// A list that is converted, with what was read of it already.
struct Source {
    list: List,
    header: Header,
    first: VecDeque<Result<Entry, ReadError>>,
}

impl Source {
    fn new(mut list: List) -> Source {
        let header = list.header().clone();
        let first = list.by_ref().take(FIRST_ENTRIES).collect();
        Source { list, header, first }
    }

    fn first(&self) -> impl Iterator<Item = &Entry> {
        self.first.iter().flatten()
    }

    fn has_pieces(&self) -> bool {
        self.header.piece_bytes.is_some() || self.first().any(|entry| entry.piece.is_some())
    }

    fn has_facts(&self) -> bool {
        self.header.facts.is_some() || self.first().any(|entry| entry.facts.is_some())
    }

    /// Returns the digests that the header names, or those of the first entries.
    fn selection(&self) -> Selection {
        if let Some(selection) = &self.header.selection {
            return selection.clone();
        }
        let mut selection = Selection::default();
        for entry in self.first() {
            selection.extend(entry.digests.iter().map(Digest::algorithm));
            selection.extend(entry.similarities.iter().map(|one| one.family));
        }
        selection
    }
}

/// Returns the digests of the new list: those that are wanted, or all of the lists that the format has a place for.
fn selection(
    sources: &[Source],
    wanted: Option<Selection>,
    format: FormatName,
    options: &WriteOptions,
) -> Result<Selection, Failed> {
    if let Some(wanted) = wanted {
        return Ok(wanted);
    }
    let mut selection = Selection::default();
    for source in sources {
        let one = source.selection();
        selection.extend(one.algorithms().iter().copied());
        selection.extend(one.families().iter().copied());
    }
    if selection.is_empty() && !format.records_failures() {
        for source in sources {
            let mut broken = BrokenLines::new(source.list.name(), false);
            source.first.iter().filter_map(|entry| entry.as_ref().err()).for_each(|error| broken.report(error));
        }
        return Err(Failed::usage(format_args!(
            "there are no digests at the beginning of the lists, and format `{format}` lists nothing else; name their algorithms with -a"
        )));
    }
    written_list::fitting(selection, format, options).map_err(Failed::usage)
}

/// The facts of a header and their words in reports.
type HeaderFact = (Feature, &'static str, fn(&Header, &Header) -> bool, fn(&Header) -> bool);

const HEADER_FACTS: [HeaderFact; 9] = [
    (
        Feature::Program,
        "the program",
        |a, b| (&a.program, &a.program_version) == (&b.program, &b.program_version),
        |header| header.program.is_some(),
    ),
    (
        Feature::CommandLine,
        "its command line",
        |a, b| a.command_line == b.command_line,
        |header| header.command_line.is_some(),
    ),
    (Feature::Directory, "the directory", |a, b| a.directory == b.directory, |header| header.directory.is_some()),
    (Feature::Start, "the start of the run", |a, b| a.started == b.started, |header| header.started.is_some()),
    (Feature::Host, "the machine", |a, b| a.host == b.host, |header| header.host.is_some()),
    (Feature::User, "the user", |a, b| a.uid == b.uid, |header| header.uid.is_some()),
    (
        Feature::PieceLength,
        "the length of the pieces",
        |a, b| a.piece_bytes == b.piece_bytes,
        |header| header.piece_bytes.is_some(),
    ),
    (
        Feature::Variants,
        "the variants of its similarity digests",
        |a, b| a.variants == b.variants,
        |header| !header.variants.is_empty(),
    ),
    (Feature::Counting, "which facts the run has", |a, b| a.facts == b.facts, |header| header.facts.is_some()),
];

/// The headers of all lists as one: it has the facts in which all agree.
struct Merged {
    facts: RunFacts,
    /// The facts that the new header has.
    header: Header,
    /// The facts in which the lists differ.
    differing: Vec<&'static str>,
}

impl Merged {
    fn of(headers: &[&Header]) -> Result<Merged, Failed> {
        let conversion = written_list::conversion()?;
        let mut header = headers.first().map_or(Header::new(FormatName::Jsonl), |header| (*header).clone());
        let differs = |same: fn(&Header, &Header) -> bool| headers.iter().any(|other| !same(headers[0], other));
        let mut differing = Vec::new();
        for (feature, words, same, _) in HEADER_FACTS {
            if !differs(same) {
                continue;
            }
            differing.push(words);
            match feature {
                Feature::Program => (header.program, header.program_version) = (None, None),
                Feature::CommandLine => header.command_line = None,
                Feature::Directory => header.directory = None,
                Feature::Start => header.started = None,
                Feature::Host => header.host = None,
                Feature::User => header.uid = None,
                Feature::PieceLength => header.piece_bytes = None,
                Feature::Variants => header.variants.clear(),
                _ => header.facts = None,
            }
        }
        let facts = RunFacts {
            selection: Selection::default(),
            variants: header.variants.clone(),
            program: header.program.clone().unwrap_or_default(),
            program_version: header.program_version.clone().unwrap_or_default(),
            // It comes back as it was, for its parts were joined.
            command_line: header.command_line.clone().into_iter().collect(),
            directory: header.directory.clone().unwrap_or_default(),
            started: header.started.unwrap_or_default(),
            host: header.host.clone().unwrap_or_default(),
            uid: header.uid,
            piece_bytes: header.piece_bytes,
            facts: header.facts,
            conversion: Some(conversion),
        };
        Ok(Merged { facts, header, differing })
    }

    /// Returns reports on the facts that the new header lacks.
    fn lost(&self, format: FormatName) -> Vec<String> {
        let lacking = HEADER_FACTS.iter().filter(|(feature, _, _, has)| has(&self.header) && !format.keeps(*feature));
        let lacking: Vec<&str> = lacking.map(|(_, words, ..)| *words).collect();
        let told = [
            (lacking, "the list has no place for"),
            (self.differing.clone(), "the lists differ in, and the new one lacks,"),
        ];
        let told = told.into_iter().filter(|(facts, _)| !facts.is_empty());
        told.map(|(facts, words)| format!("header: {words} {}", facts.join(", "))).collect()
    }
}

const SIMILARITIES: &str = "have similarity digests, which the list lacks";
const NO_DIGEST: &str = "have a reason for a missing similarity digest, which the list lacks";
const CHANGED: &str = "have a time of the last inode change, which the list lacks";
const INODE: &str = "have an inode or a number of links, which the list lacks";
const MODE: &str = "have a mode, an owner or a group, which the list lacks";
const FAILURES: &str = "were not read to their end, which the list cannot tell; they are left out";
const ERROR_NUMBERS: &str = "have an error number, which the list lacks";
const COLLISIONS: &str = "have a mark of a collision attack, which the list lacks";
const FACTS: &str = "have facts about contents, which the list lacks";
const PIECES: &str = "have digests of pieces, which the list lacks";
const WHOLE: &str = "have digests of the whole file beside those of pieces, which the list lacks";
const LATE: &str = "have pieces or facts about contents that the beginnings of the lists did not show, and that the list has \
    no columns for; format `jsonl` keeps them";
const PRODUCTS: &str = "have a product, which the list lacks";
const CATEGORIES: &str = "have a category, which the list lacks";
const STANDARD_INPUT: &str = "are standard input, which this format names in its own way";
const UNNAMED: &str = "have no name; their digest stands for it";
const GUESSED: &str = "have digests whose algorithm is taken from their length";
const CONTRADICTING: &str = "contradict an earlier entry of the file, and stay apart from it";

const LOST: &[&str] = &[
    DIGESTS,
    SIMILARITIES,
    NO_DIGEST,
    SIZE,
    MODIFIED,
    CHANGED,
    INODE,
    MODE,
    FAILURES,
    ERROR_NUMBERS,
    COLLISIONS,
    FACTS,
    PIECES,
    WHOLE,
    LATE,
    PRODUCTS,
    CATEGORIES,
    STANDARD_INPUT,
    UNNAMED,
    GUESSED,
    WITHOUT,
    CONTRADICTING,
    NOT_EXPRESSED,
];

/// Memory for joining entries of several lists.
const JOIN_BYTES: u64 = 64 << 20;

/// Most pieces of a file. They are held until all were read, since in some formats they are parts of one object.
const PIECES_MAX: usize = 1 << 19;

/// A file on its way: its entries follow each other in the list.
struct File {
    record: Record,
    expected: Expected,
    labels: Labels,
    is_guessed: bool,
    has_too_many_pieces: bool,
}

impl File {
    fn of(mut entry: Entry) -> File {
        let (expected, labels) = (entry.expected, std::mem::take(&mut entry.labels));
        let (is_guessed, piece) = (entry.algorithm_guessed, entry.piece.take());
        let mut record = entry.into_record();
        if let Some(piece) = piece {
            let digests = std::mem::take(&mut record.digests);
            record.pieces.push(Piece::new(piece.offset, piece.length, digests));
        }
        File { record, expected, labels, is_guessed, has_too_many_pieces: false }
    }

    /// Adds a piece of the same file, which most formats have after it. Gives the entry back if it is none.
    fn add(&mut self, entry: Entry) -> Option<Entry> {
        let record = &mut self.record;
        let is_same = entry.path == record.path
            && !entry.path.is_empty()
            && record.outcome == Outcome::Complete
            && entry.is_complete()
            && entry.similarities.is_empty()
            && entry.facts.is_none();
        let is_behind = |offset: u64| record.pieces.last().is_none_or(|last| last.offset < offset);
        let Some(piece) = entry.piece.filter(|piece| is_same && is_behind(piece.offset)) else { return Some(entry) };
        if record.pieces.len() < PIECES_MAX {
            record.pieces.push(Piece::new(piece.offset, piece.length, entry.digests));
        } else {
            self.has_too_many_pieces = true;
        }
        self.is_guessed |= entry.algorithm_guessed;
        None
    }

    /// Adds what another list states of the same file. Gives the entry back with the reason if it contradicts, and
    /// without one if it is of another file.
    fn join(&mut self, mut entry: Entry) -> Option<(Entry, Option<String>)> {
        let record = &mut self.record;
        let is_whole = record.outcome == Outcome::Complete && entry.is_complete();
        if entry.path != record.path || !is_whole {
            return Some((entry, None));
        }
        let none = Vec::new();
        let place = entry.piece.map(|piece| record.pieces.binary_search_by_key(&piece.offset, |one| one.offset));
        let digests = match (place, entry.piece) {
            (None, _) => &record.digests,
            (Some(Ok(at)), Some(piece)) if record.pieces[at].length == piece.length => &record.pieces[at].digests,
            (Some(Ok(_)), _) => return Some((entry, Some("a piece of another length".to_owned()))),
            (Some(Err(at)), _) if at < record.pieces.len() => {
                return Some((entry, Some("a piece at another offset".to_owned())));
            }
            (Some(Err(_)), _) => &none,
        };
        let (old, new) = (self.expected, entry.expected);
        let differ = |digest: &&Digest| {
            let same = digests.iter().find(|one| one.algorithm() == digest.algorithm());
            same.is_some_and(|same| same != *digest)
        };
        let known = |family| record.similarities.iter().find(|one| one.family == family);
        let reason = if let (Some(old), Some(new)) = (old.size, new.size)
            && old != new
        {
            Some(format!("a size of {} instead of {}", Bytes(new), Bytes(old)))
        } else if old.mtime.is_some() && new.mtime.is_some() && old.mtime != new.mtime {
            Some("another time of modification".to_owned())
        } else if let Some(digest) = entry.digests.iter().find(differ) {
            Some(format!("another {}", digest.algorithm()))
        } else if let Some(one) = entry.similarities.iter().find(|one| known(one.family).is_some_and(|old| old != *one))
        {
            Some(format!("another {}", one.family))
        } else if record.facts.is_some() && entry.facts.is_some() && record.facts != entry.facts {
            Some("other facts about its contents".to_owned())
        } else {
            None
        };
        if reason.is_some() {
            return Some((entry, reason));
        }
        let has = |digests: &[Digest], other: &Digest| digests.iter().any(|one| one.algorithm() == other.algorithm());
        entry.digests.retain(|digest| !has(digests, digest));
        match (place, entry.piece) {
            (Some(Ok(at)), _) => record.pieces[at].digests.extend(entry.digests),
            (Some(Err(_)), Some(_)) if record.pieces.len() == PIECES_MAX => self.has_too_many_pieces = true,
            (Some(Err(_)), Some(piece)) => {
                record.pieces.push(Piece::new(piece.offset, piece.length, entry.digests));
            }
            _ => record.digests.extend(entry.digests),
        }
        entry.similarities.retain(|one| record.similarities.iter().all(|old| old.family != one.family));
        record.similarities.extend(entry.similarities);
        record.facts = record.facts.take().or(entry.facts);
        self.expected.size = old.size.or(new.size);
        self.expected.mtime = old.mtime.or(new.mtime);
        if self.expected != old {
            let size = self.expected.size.unwrap_or_default();
            record.metadata = Some(Metadata::new(size, self.expected.mtime));
            (record.bytes_read, record.is_size_known) = (size, self.expected.size.is_some());
        }
        None
    }
}

/// The new list, and the account of what it lacks.
struct Converter {
    format: FormatName,
    selection: Selection,
    list: WrittenList,
    /// The entries on their way to be joined.
    joined: Option<Joined>,
    /// Whether the new list was begun with columns for pieces, and for facts about contents, if its format has columns.
    has_pieces: bool,
    has_facts: bool,
    losses: Losses,
    /// Files that were written.
    written: u64,
    /// Files that are left out because they have none of the digests, although no reason tells that they cannot.
    without: u64,
    quiet: bool,
}

/// The entries of all lists as lines of JSON Lines, those of a file together.
struct Joined {
    lines: Grouping,
    writer: Box<dyn Format>,
    line: Vec<u8>,
}

impl Joined {
    fn push(&mut self, record: &Record) -> io::Result<Result<(), NotExpressible>> {
        self.line.clear();
        match self.writer.record(record, &mut self.line) {
            Ok(()) => self.lines.push(&record.path, &self.line).map(Ok),
            Err(reason) => Ok(Err(reason)),
        }
    }
}

impl Converter {
    /// Converts the lists as one in which the entries of each file follow each other. `each_of` converts them one by
    /// one; here that goes to temporary files. The outer error is one of these files.
    fn join(
        &mut self,
        facts: &RunFacts,
        command: &Command,
        each_of: impl FnOnce(&mut Converter) -> io::Result<()>,
    ) -> Result<io::Result<()>, Failed> {
        let options = WriteOptions { facts: true, ..WriteOptions::default() };
        let writer = FormatName::Jsonl.writer(&self.selection, &options).map_err(Failed::internal)?;
        let lines = Grouping::new(JOIN_BYTES).map_err(Failed::temporary)?;
        self.joined = Some(Joined { lines, writer, line: Vec::new() });
        let format = std::mem::replace(&mut self.format, FormatName::Jsonl);
        let written = each_of(self);
        self.format = format;
        if command.cancel().is_cancelled() {
            return Ok(Err(interrupted()));
        }
        written.map_err(Failed::temporary)?;
        let Some(Joined { lines, writer, .. }) = self.joined.take() else { return Ok(Ok(())) };
        let (mut header, mut footer) = (Vec::new(), Vec::new());
        writer.header(facts, &mut header);
        writer.footer(&Summary::default(), &mut footer);
        let lines = lines.into_file().map_err(Failed::temporary)?;
        let text = io::Cursor::new(header).chain(lines).chain(io::Cursor::new(footer));
        let list = List::open_as(FormatName::Jsonl, Input::reader("the joined lists", text), ReadOptions::default());
        let (mut file, mut contradicting): (Option<File>, u64) = (None, 0);
        for entry in list.map_err(Failed::internal)? {
            if command.cancel().is_cancelled() {
                return Ok(Err(interrupted()));
            }
            let entry = entry.map_err(Failed::internal)?;
            let other = match &mut file {
                Some(file) => file.join(entry),
                None => Some((entry, None)),
            };
            let Some((other, reason)) = other else { continue };
            if let Some(reason) = reason {
                self.losses.note_example(CONTRADICTING, true, Some(&other.path));
                contradicting += 1;
                if !self.quiet && contradicting <= REASONS_MAX {
                    message::error(format_args!("{}: an entry states {reason}", message::quoted(&other.path)));
                }
            }
            if let Some(Err(error)) = file.replace(File::of(other)).map(|whole| self.write(whole)) {
                return Ok(Err(error));
            }
        }
        Ok(file.map_or(Ok(()), |whole| self.write(whole)))
    }

    /// Converts one list. Returns the counts at its end, if it has them.
    fn convert(&mut self, source: Source, command: &Command, unread: &mut u64) -> io::Result<Option<Summary>> {
        let Source { mut list, first, .. } = source;
        let mut broken = BrokenLines::new(list.name(), self.quiet);
        let mut file: Option<File> = None;
        for entry in first.into_iter().chain(list.by_ref()) {
            if command.cancel().is_cancelled() {
                return Err(interrupted());
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    broken.report(&error);
                    continue;
                }
            };
            let other = match &mut file {
                Some(file) => file.add(entry),
                None => Some(entry),
            };
            if let Some(other) = other
                && let Some(whole) = file.replace(File::of(other))
            {
                self.write(whole)?;
            }
        }
        if let Some(whole) = file {
            self.write(whole)?;
        }
        *unread += broken.count;
        let Some(trailer) = list.trailer() else { return Ok(None) };
        let missing = lists::missing_end(trailer.end);
        self.list.summary.interrupted |= missing.is_some();
        *unread += u64::from(trailer.end == ListEnd::CutOff);
        if let Some(missing) = missing.filter(|_| !self.quiet) {
            message::error(format_args!("{}: {missing}", message::quoted(list.name())));
        }
        Ok(trailer.summary)
    }

    /// Writes a file with all its entries.
    fn write(&mut self, file: File) -> io::Result<()> {
        let File { mut record, expected, labels, is_guessed, has_too_many_pieces } = file;
        let keeps = |feature| self.format.keeps(feature);
        let losses = &mut self.losses;
        let name = record.path.clone();
        let is_named = !name.is_empty();
        if let (false, Some(digest)) = (is_named, record.digests.first()) {
            record.path = digest.to_string().into_bytes();
        }
        let mut note = |kind, is_lost| losses.note_example(kind, is_lost, is_named.then_some(&name[..]));
        if record.outcome != Outcome::Complete && !keeps(Feature::Failures) {
            note(FAILURES, true);
            return Ok(());
        }
        let has_pieces = !record.pieces.is_empty();
        let is_other = |digests: &[Digest]| digests.iter().any(|one| !self.selection.contains(one.algorithm()));
        note(DIGESTS, is_other(&record.digests) || record.pieces.iter().any(|piece| is_other(&piece.digests)));
        let wanted = self.selection.algorithms();
        record.digests = selected(wanted, &record.digests);
        for piece in &mut record.pieces {
            piece.digests = selected(wanted, &piece.digests);
        }
        let families = self.selection.families();
        note(SIMILARITIES, record.similarities.iter().any(|one| !families.contains(&one.family)));
        record.similarities.retain(|one| families.contains(&one.family));
        note(NO_DIGEST, record.similarities.iter().any(|one| one.digest.is_err()) && !keeps(Feature::NoDigest));
        let Expected { size, mtime, ctime, inode, links, mode, uid, gid, .. } = expected;
        note(SIZE, size.is_some() && !keeps(Feature::Size));
        note(MODIFIED, mtime.is_some() && !keeps(Feature::ModificationTime));
        // Where one of them is not stated, the format would state it as 0.
        let is_whole = [inode, links].iter().all(Option::is_some) && [mode, uid, gid].iter().all(Option::is_some);
        if !is_whole && keeps(Feature::Inode) {
            record.metadata = record.metadata.map(|metadata| Metadata::new(metadata.size, metadata.mtime));
        }
        let keeps_posix = is_whole || !keeps(Feature::Inode);
        note(CHANGED, ctime.is_some() && !(keeps(Feature::ChangeTime) && keeps_posix));
        note(INODE, (inode.is_some() || links.is_some()) && !(keeps(Feature::Inode) && keeps_posix));
        let has_mode = mode.is_some() || uid.is_some() || gid.is_some();
        note(MODE, has_mode && !(keeps(Feature::Mode) && keeps_posix));
        let errno = match &record.outcome {
            Outcome::Unreadable { error, .. } => error.errno,
            _ => None,
        };
        note(ERROR_NUMBERS, errno.is_some() && !keeps(Feature::ErrorNumbers));
        note(COLLISIONS, record.collision_detected() && !keeps(Feature::CollisionMarks));
        note(FACTS, record.facts.is_some() && !keeps(Feature::Facts));
        note(PIECES, has_pieces && !keeps(Feature::Pieces));
        if !keeps(Feature::Pieces) {
            record.pieces.clear();
        }
        let is_late = (!record.pieces.is_empty() && !self.has_pieces) || (record.facts.is_some() && !self.has_facts);
        note(LATE, self.format == FormatName::Csv && is_late);
        let has_both = !record.pieces.is_empty() && !record.digests.is_empty();
        note(WHOLE, has_both && !keeps(Feature::WholeFiles));
        note(PRODUCTS, !labels.product().is_empty());
        note(CATEGORIES, !labels.category().is_empty());
        let names_input = matches!(self.format, FormatName::Hashdeep | FormatName::Md5deep(_));
        note(STANDARD_INPUT, record.path == b"-" && names_input);
        note(UNNAMED, !is_named);
        note(GUESSED, is_guessed);
        let is_empty = record.digests.is_empty()
            && record.similarities.iter().all(|one| one.digest.is_err())
            && record.pieces.iter().all(|piece| piece.digests.is_empty());
        if is_empty && !keeps(Feature::Failures) {
            note(WITHOUT, true);
            // Those of the chosen families that are left state why there is no digest.
            self.without += u64::from(record.similarities.is_empty());
            return Ok(());
        }
        let written = match has_too_many_pieces {
            true => Err(format!("it has more than {PIECES_MAX} pieces")),
            false => {
                let written = match &mut self.joined {
                    Some(joined) => joined.push(&record)?,
                    None => self.list.record(&record)?,
                };
                written.map_err(|reason: NotExpressible| reason.to_string())
            }
        };
        match written {
            Ok(()) => self.written += u64::from(self.joined.is_none()),
            Err(reason) => self.losses.refuse(&record.path, &reason, self.quiet),
        }
        Ok(())
    }
}
