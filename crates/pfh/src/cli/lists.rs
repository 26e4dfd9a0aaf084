//! Opening the lists of digests that the command line names, and reporting their unreadable lines.

use super::command::Command;
use super::exit::Failed;
use super::message;
use super::quantity::{Count, plural};
use super::signals::Signals;
use pfh_digest::Algorithm;
use pfh_list::{Contents, Entry, FormatName, Input, List, ListEnd, NothingUseful, OpenError, ReadError, ReadOptions};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;

/// Returns the input of a list; `-` is standard input.
pub(crate) fn input(path: &OsStr) -> Result<Input, Failed> {
    if path == "-" {
        let stdin = message::standard_input().map_err(|error| Failed::usage(format_args!("`-`: {error}")))?;
        Ok(Input::reader("-", stdin))
    } else {
        Ok(Input::path(path))
    }
}

/// Opens a list in any format; `-` is standard input.
pub(crate) fn open(path: &OsStr, options: ReadOptions) -> Result<List, Failed> {
    List::open(input(path)?, options).map_err(Failed::usage)
}

/// The options of reading lists of whole files. Where only names tell which entries are of pieces, these are not taken
/// for files. `algorithm` is that of digests that a list does not name.
pub(crate) fn of_files(algorithm: Option<Algorithm>) -> ReadOptions {
    ReadOptions { algorithm, piecewise: true, ..ReadOptions::default() }
}

/// As [`open`], in the format that `--as` names, or else recognised.
pub(crate) fn open_as(path: &OsStr, format: Option<FormatName>, options: ReadOptions) -> Result<List, Failed> {
    let opened = match format {
        Some(format) => List::open_as(format, input(path)?, options),
        None => List::open(input(path)?, options),
    };
    opened.map_err(|error| match error {
        OpenError::Unknown { .. } => {
            Failed::usage(format_args!("{error}; --as names the format of one that is not recognised"))
        }
        error => Failed::usage(error),
    })
}

/// As [`open_as`]. Of a journal that later runs continued, the latest line of each path counts alone; a signal ends the
/// search for the others.
pub(crate) fn open_latest(path: &OsStr, format: Option<FormatName>, options: ReadOptions) -> Result<List, Failed> {
    let signals = Signals::listen();
    // Somebody may have to type the list, and ends that by Ctrl-C.
    let _guard = signals.guard_if_none();
    let latest = open_as(path, format, options)?.latest(options, &|| signals.came());
    latest.map_err(|error| error.downcast::<OpenError>().map_or_else(Failed::temporary, Failed::usage))
}

/// Returns the words for the end of a list that has not all files of its run; `None` if nothing tells that.
pub(crate) fn missing_end(end: ListEnd) -> Option<&'static str> {
    end.missing()
}

/// Opens lists whose files are asked about or compared, in a format that is given, or else recognised; `algorithm` is
/// that of digests that they do not name.
pub(crate) fn open_all(
    paths: &[OsString],
    format: Option<FormatName>,
    algorithm: Option<Algorithm>,
) -> Result<Vec<List>, Failed> {
    let options = of_files(algorithm);
    paths.iter().map(|path| open_latest(path, format, options)).collect()
}

/// Refuses the format of lists where there is none.
pub(crate) fn refuse_needless_format(format: Option<FormatName>, has_lists: bool) -> Result<(), Failed> {
    match format {
        Some(format) if !has_lists => Err(Failed::usage(format_args!("--as {format} is for lists, and none is given"))),
        _ => Ok(()),
    }
}

/// The error of a list of which no line could be read in this format.
pub(crate) fn none_read(list: &[u8], format: FormatName) -> Failed {
    let null_form = if format.has_null_form() {
        format!(", and if its records end with NUL, `pfh convert --as {format} --read-null -f jsonl` writes it anew")
    } else {
        String::new()
    };
    Failed::usage(format_args!(
        "no line of {} could be read as {format}; if it is another format, name that with --as{null_form}",
        message::quoted(list)
    ))
}

/// Most reported lines of a list; a file that is no list of this format would have one error for each line.
const REPORTED_MAX: u64 = 100;

/// Reports unreadable lines of a list, the first of them one by one, and counts all.
pub(crate) struct BrokenLines {
    list: Vec<u8>,
    quiet: bool,
    pub(crate) count: u64,
}

impl BrokenLines {
    pub(crate) fn new(list: &[u8], quiet: bool) -> BrokenLines {
        BrokenLines { list: list.to_vec(), quiet, count: 0 }
    }

    /// Counts a line, and reports it unless `quiet`.
    pub(crate) fn report(&mut self, error: &dyn Display) {
        self.count += 1;
        let list = message::quoted(&self.list);
        match self.count {
            _ if self.quiet => {}
            ..=REPORTED_MAX => message::error(format_args!("{list}: {error}")),
            count if count == REPORTED_MAX + 1 => {
                message::error(format_args!("{list}: further lines that cannot be read are not reported"))
            }
            _ => {}
        }
    }

    /// Iterates over the entries of the list, and reports lines that cannot be read.
    pub(crate) fn entries(&mut self, list: &mut List) -> impl Iterator<Item = Entry> {
        list.filter_map(|entry| entry.inspect_err(|error| self.report(error)).ok())
    }

    /// Counts and reports the end of a list that has not all files of its run, and returns whether it is such a list.
    /// One that was not read to its end has no trailer.
    pub(crate) fn note_end(&mut self, list: &List) -> bool {
        let Some(missing) = list.trailer().and_then(|trailer| missing_end(trailer.end)) else { return false };
        self.count += 1;
        if !self.quiet {
            message::error(format_args!("{}: {missing}", message::quoted(&self.list)));
        }
        true
    }

    /// Ends a list with these contents. Entries that may be of pieces, and files without a digest by the `wanted`
    /// algorithms, such as those that could not be read, are counted and reported, with what follows from the latter;
    /// of a useless list, the list is.
    pub(crate) fn end(self, contents: Contents, is_useful: bool, files: u64, wanted: &str, result: &str) -> Loaded {
        if !is_useful {
            return Loaded { broken: self.count, useless: Some(contents.instead_of(&self.list, wanted)) };
        }
        let loaded = Loaded { broken: self.count, useless: None };
        let loaded = loaded.with_pieces(contents.may_be_pieces(), &self.list, self.quiet);
        loaded.with_files(files, &self.list, self.quiet, wanted, result)
    }
}

/// How far an entry of a list could be answered.
pub(crate) struct Answer {
    /// Whether it has a digest by a wanted algorithm.
    pub(crate) is_useful: bool,
    /// Whether its digests suffice to tell something about it.
    pub(crate) is_told: bool,
}

/// Answers about a file, which the list of this name has; `None` ends the asking.
pub(crate) type Ask<'a> = dyn FnMut(&mut Command, &[u8], &Entry) -> Result<Option<Answer>, Failed> + 'a;

/// Calls `answer` with each file of the lists and the name of its list, until a signal or an error of writing ends
/// that, or it returns `None`. Reports what of them could not be read or told, as [`BrokenLines::end`] does, and counts
/// it. `only`: nothing else was given, so that at least one list must have wanted digests. Returns whether all was
/// asked.
pub(crate) fn ask(
    command: &mut Command,
    lists: Vec<List>,
    only: bool,
    wanted: &str,
    result: &str,
    answer: &mut Ask<'_>,
) -> Result<bool, Failed> {
    let (quiet, mut loaded) = (command.is_quiet(), Vec::new());
    for mut list in lists {
        let name = list.name().to_vec();
        let mut broken = BrokenLines::new(&name, quiet);
        let (mut contents, mut is_useful, mut not_told) = (Contents::of(&mut list), false, 0);
        for entry in broken.entries(&mut list) {
            if command.cancel().is_cancelled() || !command.is_writing() {
                return Ok(false);
            }
            contents.add(&entry);
            if entry.piece.is_some() || !entry.is_file() {
                continue;
            }
            let Some(answer) = answer(command, &name, &entry)? else { return Ok(false) };
            is_useful |= answer.is_useful;
            not_told += u64::from(!answer.is_told);
        }
        broken.note_end(&list);
        loaded.push(broken.end(contents, is_useful, not_told, wanted, result));
    }
    command.count_lines(unread(&loaded, only, quiet)?);
    Ok(true)
}

/// Loads a list with `load`, which gets the list and a function to call with each line that cannot be read.
pub(crate) fn load<E: Display>(
    mut list: List,
    quiet: bool,
    load: impl FnOnce(&mut List, &mut dyn FnMut(ReadError)) -> Result<Option<NothingUseful>, E>,
) -> Result<Loaded, Failed> {
    let mut broken = BrokenLines::new(list.name(), quiet);
    let useless = load(&mut list, &mut |error| broken.report(&error)).map_err(Failed::usage)?;
    broken.note_end(&list);
    Ok(Loaded { broken: broken.count, useless })
}

/// Returns the message about entries that may be of pieces, and the way to a list of which that is clear.
pub(crate) fn may_be_pieces(pieces: u64, result: &str) -> String {
    format!(
        "names that end with ` offset START-END` may be of pieces, and {result}: {}; `pfh convert -f jsonl` makes a list \
         in which they are files, or with --piecewise pieces",
        Count(pieces)
    )
}

/// The result of loading a list.
pub(crate) struct Loaded {
    /// Lines that could not be read, and a missing end.
    pub(crate) broken: u64,
    /// The report on a list without wanted digests.
    pub(crate) useless: Option<NothingUseful>,
}

impl Loaded {
    /// Counts and reports entries of a list that are left out, because they may be of pieces.
    pub(crate) fn with_pieces(self, pieces: u64, list: &[u8], quiet: bool) -> Loaded {
        if pieces > 0 && !quiet {
            message::error(format_args!("{}: {}", message::quoted(list), may_be_pieces(pieces, "are left out")));
        }
        Loaded { broken: self.broken + pieces, ..self }
    }

    /// Counts and reports files of a list without a digest by the `wanted` algorithms, with what follows from that.
    pub(crate) fn with_files(self, files: u64, list: &[u8], quiet: bool, wanted: &str, result: &str) -> Loaded {
        if files > 0 && !quiet {
            let (list, files) = (message::quoted(list), plural(files, "file"));
            message::error(format_args!("{list}: {files} without a digest by {wanted}{result}"));
        }
        Loaded { broken: self.broken + files, ..self }
    }
}

/// Counts unreadable lines and useless lists, and reports the latter. If only lists were given (`only`) and none has
/// wanted digests, that is an error: the answer "nothing is found" would be wrong.
pub(crate) fn unread(loaded: &[Loaded], only: bool, quiet: bool) -> Result<u64, Failed> {
    let useless: Vec<&NothingUseful> = loaded.iter().filter_map(|loaded| loaded.useless.as_ref()).collect();
    if only && !loaded.is_empty() && useless.len() == loaded.len() {
        let all: Vec<String> = useless.iter().map(ToString::to_string).collect();
        return Err(Failed::usage(all.join("; ")));
    }
    if !quiet {
        useless.iter().for_each(message::error);
    }
    Ok(loaded.iter().map(|loaded| loaded.broken).sum::<u64>() + useless.len() as u64)
}
