//! Files to compare by their contents: from paths, of which only those are read that can have equals, and from lists.

use super::args::ContentArguments;
use super::command::{Command, Item};
use super::common_args::WalkArguments;
use super::ended::lock;
use super::exit::Failed;
use super::gather;
use super::lists::{self, BrokenLines, Loaded};
use super::message;
use super::output::OwnFiles;
use super::quantity::Count;
use super::reading;
use pfh::HashRun;
use pfh_digest::{Algorithm, Status};
use pfh_duplicates::{
    BEGINNING_BYTES, Catalogue, Content, DIGEST_BYTES_MAX, Digests, Listed, Needed, NeededFiles, Place, Presence,
    Presences, Side, link_content,
};
use pfh_engine::Options;
use pfh_list::{Contents, List};
use pfh_record::{DigestKind, Expected, ListEnd, Metadata, Outcome, Record};
use pfh_source::{
    EntryKind, ErrorKind, FileError, FileIdentity, Found, FoundFile, FoundFiles, Other, SharedExtents, Source as _,
    Totals, WalkOptions,
};
use rustix::fs::FileType;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::{Arc, Mutex};

/// Why devices, pipes and files of filesystems such as sysfs are not compared.
const NOT_STORED: &str = "only stored files can be compared: this is a device, a pipe, or a file whose contents the \
    system makes when it is read";

/// Collects files, and reads them as far as necessary.
pub(crate) struct Gatherer<'a> {
    pub(crate) command: &'a mut Command,
    options: &'a ContentArguments,
    algorithm: Algorithm,
    catalogue: Catalogue,
    /// The lists by the number of their place; places of paths have no name.
    names: Vec<Option<Vec<u8>>>,
    own_files: OwnFiles,
    two_sides: bool,
    /// The directory that paths of the command line start from, if a list or another path may have the same files.
    directory: Option<Vec<u8>>,
    follow_files: bool,
    preserve_access_time: bool,
}

/// The gathered digests.
pub(crate) struct Gathered {
    pub(crate) digests: Digests,
    /// The lists by the number of their place.
    pub(crate) names: Vec<Option<Vec<u8>>>,
    /// The number of listed files that are not compared, since they have changed or cannot be looked up.
    pub(crate) doubtful: u64,
}

/// Opens the lists, and returns them with the algorithm to compare by.
pub(crate) fn open_lists(
    options: &ContentArguments,
    paths: [&[OsString]; 2],
) -> Result<(Algorithm, [Vec<List>; 2]), Failed> {
    let wanted = options.algorithm.as_deref().map(str::parse::<DigestKind>).transpose().map_err(Failed::usage)?;
    let wanted = match wanted {
        Some(DigestKind::Family(family)) => {
            return Err(Failed::usage(format_args!(
                "{family} finds similar files; equal ones need a cryptographic digest, such as `-a blake3`"
            )));
        }
        Some(DigestKind::Algorithm(algorithm)) => Some(algorithm),
        None => None,
    };
    lists::refuse_needless_format(options.read_as, paths.iter().any(|paths| !paths.is_empty()))?;
    let read = lists::of_files(wanted);
    let open_one = |path: &OsString| lists::open_as(path, options.read_as, read);
    let open = |paths: &[OsString]| paths.iter().map(open_one).collect::<Result<Vec<_>, _>>();
    let mut lists = [open(paths[0])?, open(paths[1])?];
    let first = lists.iter_mut().flatten().find_map(|list| match list.first_kind() {
        Some(DigestKind::Algorithm(algorithm)) => Some(algorithm),
        _ => None,
    });
    let algorithm = wanted.or(first).unwrap_or(Algorithm::BLAKE3);
    if algorithm.status() == Status::Checksum {
        return Err(Failed::usage(format_args!(
            "{algorithm} is a checksum: different files can have the same; compare by a cryptographic digest, such as \
             `-a blake3`"
        )));
    }
    if algorithm.is_keyed() || algorithm.digest_bytes() > DIGEST_BYTES_MAX {
        return Err(Failed::usage(format_args!(
            "{algorithm} cannot be used here: digests without key of at most {DIGEST_BYTES_MAX} bytes are compared"
        )));
    }
    Ok((algorithm, lists))
}

impl<'a> Gatherer<'a> {
    /// Begins to gather. `with_empty`: files without contents are compared, too. `two_sides`: files are compared with
    /// those of the other side only.
    pub(crate) fn new(
        command: &'a mut Command,
        options: &'a ContentArguments,
        algorithm: Algorithm,
        with_empty: bool,
        two_sides: bool,
    ) -> Gatherer<'a> {
        pfh_source::raise_open_file_limit();
        let own_files = command.output().own_files();
        let catalogue = Catalogue::new(options.memory / 2, with_empty, two_sides);
        Gatherer {
            command,
            options,
            algorithm,
            catalogue,
            names: Vec::new(),
            own_files,
            two_sides,
            directory: None,
            follow_files: false,
            preserve_access_time: false,
        }
    }

    fn place(&mut self, list: Option<Vec<u8>>) -> u32 {
        self.names.push(list);
        (self.names.len() - 1) as u32
    }

    /// Adds everything below the paths, and the files that lists of paths name.
    pub(crate) fn walk(&mut self, paths: &[OsString], walk: &WalkArguments, side: Side) -> Result<(), Failed> {
        let files_from = reading::file_list(walk)?;
        self.command.look_at(paths, walk)?;
        // Below one path, every file has a path of its own.
        if self.directory.is_none() && (paths.len() > 1 || files_from.is_some()) {
            self.directory = current_directory();
        }
        (self.follow_files, self.preserve_access_time) = (walk.follow_files, walk.preserve_access_time);
        // Each argument is walked on its own, so that the end of its directories is known.
        for path in paths {
            let options = reading::walk_options(std::slice::from_ref(path), walk, None);
            let base = match path.as_bytes().iter().rposition(|&byte| byte != b'/') {
                Some(last) => last + 1,
                None => 1,
            };
            self.walk_one(options, u32::try_from(base).ok(), side)?;
        }
        if files_from.is_some() {
            self.walk_one(reading::walk_options(&[], walk, files_from), None, side)?;
        }
        Ok(())
    }

    fn walk_one(&mut self, options: WalkOptions, base_bytes: Option<u32>, side: Side) -> Result<(), Failed> {
        let follows = options.follow_directories;
        let options = WalkOptions { want_size: Some(true), want_others: true, ..options };
        let run = HashRun { walk: options, engine: Options::new(self.algorithm) };
        let (source, _) = run.into_parts().map_err(Failed::usage)?;
        // Where links to directories are followed, a directory can be below itself.
        let base_bytes = base_bytes.filter(|_| !follows);
        let place = Place { number: self.place(None), base_bytes };
        let mut failed = Ok(());
        source.walk(&mut |found| {
            failed = self.found(found, side, place);
            failed.is_ok() && !self.command.cancel().is_cancelled()
        });
        failed.map_err(Failed::temporary)
    }

    /// Adds a finding of a walk.
    fn found(&mut self, found: Found<pfh_source::LocalHandle>, side: Side, place: Place) -> io::Result<()> {
        let (path, content) = match found {
            Found::Entry(entry)
                if entry.identity_hint.is_some_and(|identity| self.own_files.has(identity, || entry.path())) =>
            {
                (entry.path(), Content::Missing)
            }
            Found::Entry(entry) if entry.kind == EntryKind::Regular => {
                let identity = entry.identity_hint.map(|identity| (identity.device, identity.number));
                (entry.path(), Content::File { size: entry.size_hint.unwrap_or(0), identity })
            }
            Found::Entry(entry) => {
                let error = FileError::new(ErrorKind::Other, NOT_STORED);
                self.fail(entry.path(), Outcome::Unreadable { offset: 0, error });
                (entry.path(), Content::Missing)
            }
            Found::Skipped(path, reason) => {
                self.fail(path.clone(), Outcome::Skipped(reason));
                // The directory that a loop leads to is compared where it is.
                (path, Content::Missing)
            }
            Found::Failed(path, error) => {
                self.fail(path.clone(), Outcome::Unreadable { offset: 0, error });
                (path, Content::Missing)
            }
            Found::Other(path, Other::Link(target)) => (path, link_content(&target)),
            Found::Other(path, Other::EmptyDirectory) => (path, Content::EmptyDirectory),
            Found::Other(path, Other::LeftOut) => (path, Content::Missing),
            Found::Pause => return Ok(()),
        };
        let whole_path = self.directory.as_deref().and_then(|directory| whole_path(Some(directory), &path));
        let whole_path = whole_path.as_deref().map(without_dots);
        self.catalogue.push(&path, content, side, place, whole_path.as_deref())
    }

    /// Counts and reports a file that is not compared.
    fn fail(&mut self, path: Vec<u8>, outcome: Outcome) {
        self.command.count(&Item::new(&Record::new(path, outcome), ()));
    }

    /// Adds the files of lists. `only`: nothing else was given, so that at least one list must have digests.
    pub(crate) fn lists(&mut self, lists: Vec<List>, side: Side, only: bool) -> Result<(), Failed> {
        let mut loaded = Vec::new();
        // Where files come from one list alone, no other place has the same.
        let tells_places = self.two_sides || lists.len() > 1 || !only;
        // Files that are to be covered may be gone, but those that cover may not.
        let must_be_there = !self.two_sides || side == Side::B;
        if !self.two_sides && !only && !lists.is_empty() {
            self.directory = current_directory();
        }
        let current = if tells_places { current_directory() } else { None };
        for mut list in lists {
            let name = list.name().to_vec();
            let place = self.place(Some(name.clone()));
            let mut broken = BrokenLines::new(&name, self.options.messages.quiet);
            let (mut contents, mut is_empty, mut is_useless) = (Contents::of(&mut list), true, true);
            let mut unread = 0_u64;
            let (mut has_unknown_places, mut has_guessed_places) = (false, false);
            while let Some(entry) = list.next() {
                if self.command.cancel().is_cancelled() {
                    break;
                }
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        broken.report(&error);
                        continue;
                    }
                };
                contents.add(&entry);
                if !entry.is_file() {
                    continue;
                }
                is_empty = false;
                if entry.piece.is_some() {
                    continue;
                }
                let digest = entry.digests.iter().find(|digest| digest.algorithm() == self.algorithm);
                let digest = digest.filter(|_| entry.is_complete());
                is_useless &= digest.is_none();
                unread += u64::from(digest.is_none());
                let links = entry.expected.links.unwrap_or(1);
                let directory = list.header().directory.as_deref();
                let stated = if tells_places { whole_path(directory, &entry.path) } else { None };
                // A list that does not tell may be of the very files that are here.
                let is_guess = tells_places && stated.is_none();
                let guess = if is_guess { whole_path(current.as_deref(), &entry.path) } else { None };
                let look = |path: Vec<u8>| (pfh_source::metadata_at(&path, true), path);
                let is_file = |now: &Metadata| type_of(now) == Some(FileType::RegularFile);
                let found = stated.or(guess).map(look);
                let found = found.filter(|(now, _)| !is_guess || now.as_ref().is_ok_and(is_file));
                has_unknown_places |= is_guess && found.is_none();
                has_guessed_places |= is_guess && found.is_some();
                let (now, whole_path) = found.unzip();
                let presence = now.as_ref().filter(|_| must_be_there).map(|now| presence(&entry.expected, now));
                let identity = now.and_then(Result::ok).and_then(|now| now.posix);
                let whole_path = whole_path.as_deref().map(without_dots);
                let listed = Listed {
                    path: &entry.path,
                    size: entry.expected.size,
                    inode: entry.expected.inode.filter(|_| links > 1),
                    identity: identity.map(|posix| (posix.device, posix.inode)),
                    presence: presence.unwrap_or_default(),
                    whole_path: whole_path.as_deref(),
                    digest: digest.map(pfh_digest::Digest::bytes),
                };
                self.catalogue.push_listed(listed, side, place).map_err(Failed::temporary)?;
            }
            let end = list.trailer().map(|trailer| trailer.end);
            let is_whole = broken.count == 0 && end == Some(ListEnd::Complete);
            if is_empty && is_whole {
                // A list of no files lacks no digest.
                is_useless = false;
            }
            let incomplete = end.and_then(lists::missing_end);
            let mut pieces = contents.may_be_pieces();
            if is_useless {
                // Of a useless list, the list is counted.
                (unread, pieces, has_unknown_places, has_guessed_places) = (0, 0, false, false);
            }
            let algorithm = self.algorithm;
            let others = if self.two_sides { "the other side" } else { "paths and other lists" };
            let mut messages = Vec::new();
            if unread > 0 {
                messages.push(format!("files without a digest of {algorithm} are not compared"));
            }
            if pieces > 0 {
                messages.push(lists::may_be_pieces(pieces, "are not compared"));
            }
            if has_unknown_places {
                messages.push(format!(
                    "its paths are relative, and it does not tell to which directory: its files are taken for others \
                     than those of {others}"
                ));
            }
            if has_guessed_places {
                messages.push(
                    "its paths are relative, and it does not tell to which directory: where they lead from here to \
                     files, it is taken for a list of these; if it is of others, work in another directory"
                        .to_owned(),
                );
            }
            messages.extend(incomplete.map(str::to_owned));
            if !self.options.messages.quiet {
                messages.iter().for_each(|text| message::error(format_args!("{}: {text}", message::quoted(&name))));
            }
            self.command.tally.unread += unread + pieces + u64::from(incomplete.is_some());
            let useless = is_useless.then(|| contents.instead_of(&name, algorithm.name()));
            loaded.push(Loaded { broken: broken.count, useless });
        }
        let lines: u64 = loaded.iter().map(|loaded| loaded.broken).sum();
        let all = lists::unread(&loaded, only, self.options.messages.quiet)?;
        self.command.count_lines(lines);
        self.command.tally.unread += all - lines;
        Ok(())
    }

    /// Reads what is necessary.
    pub(crate) fn read(self) -> Result<Gathered, Failed> {
        let Gatherer { command, options, algorithm, catalogue, names, follow_files, preserve_access_time, .. } = self;
        let reader = Reader { options, algorithm, follow_files, preserve_access_time };
        let mut sifted = catalogue.sift().map_err(Failed::temporary)?;
        let mut doubtful = 0;
        if !command.cancel().is_cancelled() {
            for (&place, list) in sifted.presences() {
                let name = names.get(place as usize).and_then(Option::as_deref).unwrap_or_default();
                doubtful += list.changed + if list.is_away() { 0 } else { list.unseen };
                if !options.messages.quiet {
                    tell_presences(name, list);
                }
            }
        }
        if !sifted.is_empty() {
            let needed = sifted.needed();
            let complete = command.summary().complete;
            let totals = Totals::new(sifted.len(), sifted.len() * BEGINNING_BYTES);
            let mut push = |file: &Needed, digest: Option<&[u8]>| sifted.push_beginning(file, digest);
            reader.run(command, needed, Some(BEGINNING_BYTES), totals, &mut push)?;
            // Files of which only the beginning was read are not complete.
            let mut summary = command.summary();
            summary.complete = complete;
            command.set_summary(summary);
        }
        let mut agreeing = sifted.agree().map_err(Failed::temporary)?;
        if !agreeing.is_empty() && !command.cancel().is_cancelled() {
            let needed = agreeing.needed();
            let totals = Totals::new(agreeing.len(), 0);
            let mut push = |file: &Needed, digest: Option<&[u8]>| agreeing.push(file, digest);
            reader.run(command, needed, None, totals, &mut push)?;
        }
        Ok(Gathered { digests: agreeing.finish(), names, doubtful })
    }
}

/// Takes a file and its digest; `None` if it could not be read.
type Push<'a> = &'a mut (dyn FnMut(&Needed, Option<&[u8]>) -> io::Result<()> + Send);

/// How files are read.
struct Reader<'a> {
    options: &'a ContentArguments,
    algorithm: Algorithm,
    follow_files: bool,
    preserve_access_time: bool,
}

/// The files on their way through the engine, which delivers them in the same order, and the error that ended them.
#[derive(Default)]
struct OnTheirWay {
    files: VecDeque<Needed>,
    error: Option<io::Error>,
}

impl Reader<'_> {
    /// Reads files, or their beginnings, and calls `push` with each and its digest.
    fn run(
        &self,
        command: &mut Command,
        needed: NeededFiles,
        bytes_max: Option<u64>,
        totals: Totals,
        push: Push<'_>,
    ) -> Result<(), Failed> {
        let engine = reading::engine(self.algorithm, self.options.threads, self.options.memory / 2);
        let (follow_files, preserve_access_time) = (self.follow_files, self.preserve_access_time);
        let walk = WalkOptions { follow_files, preserve_access_time, ..WalkOptions::default() };
        let (local, engine) = HashRun { walk, engine }.into_parts().map_err(Failed::usage)?;
        let on_their_way = Arc::new(Mutex::new(OnTheirWay::default()));
        let files = {
            let on_their_way = Arc::clone(&on_their_way);
            needed.map_while(move |file| {
                let mut lock = lock(&on_their_way);
                match file {
                    Ok(mut file) => {
                        let path = std::mem::take(&mut file.path);
                        let identity = file.identity.map(|(device, number)| FileIdentity::new(device, number));
                        let found = FoundFile { path, size: file.size, identity };
                        lock.files.push_back(file);
                        Some(found)
                    }
                    Err(error) => {
                        lock.error = Some(error);
                        None
                    }
                }
            })
        };
        let source = FoundFiles::new(local, files, bytes_max, totals);
        let mut result = Ok(());
        let prepare = |record: Record| {
            let item = Item::new(&record, ());
            item.map(|()| record.digests.first().copied())
        };
        let mut deliver = |digest: Option<pfh_digest::Digest>| {
            let file = lock(&on_their_way).files.pop_front();
            result = match file {
                Some(file) => push(&file, digest.as_ref().map(pfh_digest::Digest::bytes)),
                None => Err(io::ErrorKind::InvalidData.into()),
            };
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let report = command.hash(&engine, &source, None, &prepare, &mut deliver);
        report.map_err(|error| gather::start_error_of(error, self.options.memory))?;
        let failed = lock(&on_their_way).error.take();
        result.and(failed.map_or(Ok(()), Err)).map_err(Failed::temporary)
    }
}

/// Returns the directory that relative paths of the command line start from, if the system tells it.
fn current_directory() -> Option<Vec<u8>> {
    std::env::current_dir().ok().map(|directory| directory.into_os_string().into_vec())
}

/// Returns the path of a file from the root, if the directory that it starts from is known.
fn whole_path(directory: Option<&[u8]>, path: &[u8]) -> Option<Vec<u8>> {
    let is_whole = |path: &&[u8]| path.starts_with(b"/");
    match Some(path).filter(is_whole) {
        Some(path) => Some(path.to_vec()),
        None => directory.filter(is_whole).map(|directory| [directory, b"/", path].concat()),
    }
}

fn type_of(now: &Metadata) -> Option<FileType> {
    now.posix.map(|posix| FileType::from_raw_mode(posix.mode))
}

/// Compares a listed file with the answer of the system about its path.
fn presence(expected: &Expected, now: &io::Result<Metadata>) -> Presence {
    let now = match now {
        Ok(now) => now,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Presence::Gone;
        }
        Err(_) => return Presence::Unseen,
    };
    match type_of(now) {
        Some(FileType::RegularFile) => {}
        Some(FileType::Directory) => return Presence::Gone,
        _ => return Presence::Unknown,
    }
    let is_same_size = expected.size.is_none_or(|size| size == now.size);
    // Not every list, and not every filesystem, has fractions of seconds.
    let is_same_time = expected.mtime.zip(now.mtime).is_none_or(|(listed, now)| {
        let has_fractions = listed.nanoseconds != 0 && now.nanoseconds != 0;
        listed.seconds == now.seconds && (!has_fractions || listed == now)
    });
    if is_same_size && is_same_time { Presence::Same } else { Presence::Changed }
}

/// Reports the files of a list that are not as it says.
fn tell_presences(list: &[u8], presences: &Presences) {
    let Presences { files, changed, gone, unseen, .. } = *presences;
    let (list, files) = (message::quoted(list), Count(files));
    if changed > 0 {
        message::error(format_args!(
            "{list}: {} of {files} files have another size or time now, and do not count: make or continue the list anew",
            Count(changed)
        ));
    }
    if !presences.is_away() {
        for (count, text) in [(gone, "are not there any more"), (unseen, "cannot be looked up where it says")] {
            if count > 0 {
                message::error(format_args!("{list}: {} of {files} files {text}, and do not count", Count(count)));
            }
        }
    } else if gone + unseen > 0 {
        let what = if unseen == 0 { "is" } else { "can be found" };
        message::error(format_args!(
            "{list}: none of its files {what} where it says, so it is taken for the list of a disk that is away, and \
             they count"
        ));
    }
}

/// Returns a path from the root without needless slashes, `.` and `..`.
fn without_dots(path: &[u8]) -> Vec<u8> {
    let mut names = Vec::new();
    for name in path.split(|&byte| byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    [&b"/"[..], &names.join(&b'/')].concat()
}

/// Returns a value that two files have in common if one is a copy that shares all of the other's room (reflinks).
pub(crate) fn shared_room(extents: &mut SharedExtents, file: &pfh_duplicates::Item) -> Option<Vec<u8>> {
    let device = match file.content {
        Content::File { identity, .. } => identity.map(|(device, _)| device),
        _ => None,
    };
    // A file that cannot be opened any more shares nothing that is known.
    extents.of(&file.path, device).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_paths_have_no_dots() {
        for (path, expected) in [
            (&b"/a/b"[..], &b"/a/b"[..]),
            (b"/a//./b/", b"/a/b"),
            (b"/a/../../b/c/..", b"/b"),
            (b"/", b"/"),
            (b"/..a/...", b"/..a/..."),
        ] {
            assert_eq!(without_dots(path), expected);
        }
    }
}
