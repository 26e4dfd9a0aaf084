//! Lists of digests that the command line names: opened, and what could not be read of them reported.

use super::exit::Failed;
use super::message;
use pfh_list::{Entry, Input, KnownDigests, List, NothingUseful, ReadError, ReadOptions};
use std::ffi::{OsStr, OsString};

/// Opens a list in any format; `-` is standard input.
pub(crate) fn open(path: &OsStr, options: ReadOptions) -> Result<List, Failed> {
    let input = if path == "-" {
        let stdin = message::standard_input();
        Input::reader("-", stdin.map_err(|error| Failed::usage(format_args!("{}: {error}", message::quoted(b"-"))))?)
    } else {
        Input::path(path)
    };
    List::open(input, options).map_err(Failed::usage)
}

/// Opens lists of similarity digests.
pub(crate) fn open_all(paths: &[OsString]) -> Result<Vec<List>, Failed> {
    paths.iter().map(|path| open(path, ReadOptions::default())).collect()
}

/// A file that is no list, or another one than it seems, has one for each of its lines.
const REPORTED_MAX: u64 = 100;

/// Reports the lines of a list that cannot be read, the first of them one by one, and counts all.
pub(crate) struct BrokenLines {
    list: Vec<u8>,
    quiet: bool,
    pub(crate) count: u64,
}

impl BrokenLines {
    pub(crate) fn new(list: &[u8], quiet: bool) -> BrokenLines {
        BrokenLines { list: list.to_vec(), quiet, count: 0 }
    }

    /// Counts a line, and reports it unless this is to be quiet.
    pub(crate) fn report(&mut self, error: &ReadError) {
        self.count += 1;
        let list = message::quoted(&self.list);
        match self.count {
            _ if self.quiet => {}
            ..=REPORTED_MAX => message::error(format_args!("{list}: {error}")),
            count if count == REPORTED_MAX + 1 => message::error(format_args!("{list}: more lines cannot be read")),
            _ => {}
        }
    }

    /// The entries of the list; lines that cannot be read are reported on the way.
    pub(crate) fn entries(&mut self, list: List) -> impl Iterator<Item = Entry> {
        list.filter_map(|entry| entry.inspect_err(|error| self.report(error)).ok())
    }
}

/// Adds a list to known digests.
pub(crate) fn load(known: &mut KnownDigests, list: List, quiet: bool) -> Result<Loaded, Failed> {
    let mut broken = BrokenLines::new(list.name(), quiet);
    let useless = known.load(list, &mut |error| broken.report(&error)).map_err(Failed::usage)?;
    Ok(Loaded { broken: broken.count, useless })
}

/// The result of loading a list.
pub(crate) struct Loaded {
    /// Lines that could not be read.
    pub(crate) broken: u64,
    /// The report on a list that had nothing of use.
    pub(crate) useless: Option<NothingUseful>,
}

/// How many lines, and lists that had nothing to use, could not be read. That no list had anything is an error where
/// nothing but lists was given (`only`): the answer "nothing is found" would be wrong.
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
