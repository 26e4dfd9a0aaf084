//! `pfh bag create` and `pfh bag update`.
//!
//! Both hash first, then write all tag files into a directory `.pfh-bag` in the bag, and then change the bag only by
//! renaming. While `create` moves the payload, and while the tag files of a copy get their names, a file marks that;
//! the next `create` finishes what was cut off, and hashes what is there.

use super::bag_args::{BagOptions, CreateArguments, UpdateArguments};
use super::bag_files::{self, Hashed, below, fail, root_of, with_tag_file};
use super::command::{Command, Reporting};
use super::copying::{self, Copied, Order, Root};
use super::exit::{self, Ending, Failed};
use super::message;
use super::quantity::{Bytes, Count};
use super::reading;
use pfh_bag::{
    Change, Changes, Declaration, Finding, Info, MOVING, ManifestName, Oxum, PATH_BYTES_MAX, PAYLOAD_OXUM, Tag,
    Version, declaration_text, info_text, manifest_line,
};
use pfh_copy::rename_new;
use pfh_digest::{Algorithm, Digest, Status};
use pfh_list::{AtomicFile, DirectoryLock, TEMPORARY_PREFIX, lock_directory, sync_directory};
use pfh_record::Timestamp;
use pfh_source::{Entry, EntryKind, Found, IoMethod, LocalHandle, LocalSource, Other, SkipReason, WalkOptions};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The algorithm of new bags.
const ALGORITHM: &str = "sha512";

/// The directory for files that are not complete, and for the payload on its way, in the directory of a bag.
const STAGING: &str = ".pfh-bag";

/// The directory of the payload.
const DATA: &str = "data";

/// Kinds of names in the root of a bag that are refused: they would be opened, wherever they lead.
const LINK: &str = "a symbolic link";
const NOT_REGULAR: &str = "a pipe, socket or device";

/// The text of the mark of a bag whose payload is a copy; that of a bag that is made in place is empty.
const COPIED: &str = "copied\n";

/// Why a name in the directory for files that are not complete is refused.
const NOT_OWN: &str = "pfh keeps unfinished files in `.pfh-bag`, and did not write this; move it to another place";

/// Labels that say which program has written a bag, when, and how much is in it.
const AGENT: &str = "Bag-Software-Agent";
const DATE: &str = "Bagging-Date";
const SIZE: &str = "Bag-Size";

/// The files of a bag on disk, which no other run changes meanwhile.
struct Place {
    root: PathBuf,
    #[expect(dead_code, reason = "locked while it is held")]
    lock: Option<DirectoryLock>,
}

/// The way in which a bag was being made that its mark tells of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unfinished {
    /// In place: the payload is being moved, or has been.
    Moved,
    /// With a copy, which is complete: the tag files get their names.
    Copied,
}

/// Makes the failure to write a file.
fn not_written(path: &Path, error: io::Error) -> Failed {
    Failed::internal(format_args!("{} cannot be written: {error}", message::quoted_path(path)))
}

/// Makes the failure to see what is at a path on which the making of a bag depends.
fn not_examined(path: &Path, error: &io::Error) -> Failed {
    let path = message::quoted_path(path);
    Failed::internal(format_args!("{path} cannot be examined: {error}; the same command goes on"))
}

impl Place {
    /// Locks a directory until the end of the run. Where it cannot be locked, that is reported.
    fn new(path: &Path) -> Result<Place, Failed> {
        let failed = |error: io::Error| Failed::usage(format_args!("{}: {error}", message::quoted_path(path)));
        if !fs::metadata(path).map_err(failed)?.is_dir() {
            return Err(failed(io::ErrorKind::NotADirectory.into()));
        }
        let lock = match lock_directory(path) {
            Ok(None) => {
                return Err(Failed::usage(format_args!(
                    "another run of `pfh bag` is at work in {}; try again when it has ended",
                    message::quoted_path(path)
                )));
            }
            Ok(lock) => lock,
            // Network filesystems may have no locks.
            Err(error) => {
                message::error(format_args!(
                    "{} cannot be locked ({error}): take care that no other run of `pfh bag` changes it",
                    message::quoted_path(path)
                ));
                None
            }
        };
        let root = PathBuf::from(std::ffi::OsStr::from_bytes(&root_of(path.as_os_str().as_bytes())));
        Ok(Place { root, lock })
    }

    fn of(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.of(name)).is_ok()
    }

    /// Whether it is a bag, which only a regular file `bagit.txt` makes it.
    fn is_bag(&self) -> bool {
        fs::symlink_metadata(self.of("bagit.txt")).is_ok_and(|found| found.is_file())
    }

    fn staged(&self, name: &str) -> PathBuf {
        self.of(STAGING).join(name)
    }

    /// The payload on its way.
    fn staged_data(&self) -> PathBuf {
        self.staged(DATA)
    }

    /// Returns how the bag is being made, or was when the program was stopped, if its files are changing their places.
    fn unfinished(&self) -> Option<Unfinished> {
        let mark = self.of(MOVING);
        let found = fs::symlink_metadata(&mark).ok()?;
        // The mark of the other way is empty.
        let is_copied = found.is_file() && found.len() > 0;
        Some(if is_copied { Unfinished::Copied } else { Unfinished::Moved })
    }

    /// Refuses an unfinished bag that is not being made in this way.
    fn refuse_unfinished(&self, way: Option<Unfinished>) -> Result<(), Failed> {
        let option = match self.unfinished() {
            found if found.is_none() || found == way => return Ok(()),
            Some(Unfinished::Copied) => " --copy-to",
            _ => "",
        };
        Err(Failed::usage(format_args!(
            "the making of {} was interrupted; `pfh bag create{option}` finishes it",
            message::quoted_path(&self.root)
        )))
    }

    /// Marks the bag as unfinished until its tag files have their names.
    fn mark(&self, text: &str) -> Result<(), Failed> {
        let path = self.of(MOVING);
        let marked = write_whole(&path, text).and_then(|()| sync_directory(&self.of(STAGING)));
        marked.map_err(|error| not_written(&path, error))
    }

    /// Whether the payload is being moved, or was when the program was stopped.
    fn is_moving(&self) -> bool {
        self.unfinished() == Some(Unfinished::Moved)
    }

    /// Makes the directory for files that are not complete, without anything that an earlier run has left in it.
    fn stage(&self) -> Result<(), Failed> {
        let staging = self.of(STAGING);
        let made = self.unstage().and_then(|()| match fs::create_dir(&staging) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && self.has(MOVING) => Ok(()),
            made => made,
        });
        made.map_err(|error| not_written(&staging, error))
    }

    /// Whether pfh itself has made an entry of the directory for files that are not complete. A directory of the
    /// payload that is not empty is the user's, unless the payload is being moved.
    fn is_own(&self, entry: &fs::DirEntry) -> io::Result<bool> {
        let (kind, name) = (entry.file_type()?, entry.file_name());
        if kind.is_dir() && name == DATA {
            return Ok(self.is_moving() || fs::read_dir(entry.path())?.next().is_none());
        }
        Ok(kind.is_file() && is_staged_name(name.as_bytes()))
    }

    /// Refuses a directory for files that are not complete that has something of the user's in it.
    fn refuse_others(&self) -> Result<(), Failed> {
        let staging = self.of(STAGING);
        let failed = |error: io::Error| Failed::usage(format_args!("{}: {error}", message::quoted_path(&staging)));
        let found = match fs::symlink_metadata(&staging) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.map_err(failed)?,
        };
        let mut refused = Refused::default();
        if !found.is_dir() {
            refused.count(staging.as_os_str().as_bytes(), NOT_OWN);
            return refused.none();
        }
        for entry in fs::read_dir(&staging).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if !self.is_own(&entry).map_err(failed)? {
                refused.count(entry.path().as_os_str().as_bytes(), NOT_OWN);
            }
        }
        refused.none()
    }

    /// Removes what is not complete, and nothing that pfh did not write. The payload is never among it: its directory
    /// is removed only if it is empty.
    fn unstage(&self) -> io::Result<()> {
        let missing_is_fine = |done: io::Result<()>| match done {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        };
        let entries = match fs::read_dir(self.of(STAGING)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        let is_marked = self.has(MOVING);
        for entry in entries {
            let entry = entry?;
            if !self.is_own(&entry)? {
                continue;
            }
            if entry.file_type()?.is_dir() {
                missing_is_fine(fs::remove_dir(entry.path()))?;
            } else if self.root.join(MOVING) != entry.path() {
                missing_is_fine(fs::remove_file(entry.path()))?;
            }
        }
        if is_marked { Ok(()) } else { missing_is_fine(fs::remove_dir(self.of(STAGING))) }
    }

    /// Removes what is not complete, after a failure that is reported anyway.
    fn give_up(&self) {
        let _ = self.unstage();
    }

    /// Moves everything in the directory into `data`, as one step that another run can finish: each name is either in
    /// its old place or in `.pfh-bag/data`, which becomes `data` at the end.
    fn move_payload(&self) -> Result<(), Failed> {
        if !self.is_moving() {
            let inner = self.staged_data();
            fs::create_dir(&inner).map_err(|error| not_written(&inner, error))?;
            self.mark("")?;
        }
        match fs::symlink_metadata(self.staged_data()) {
            Ok(_) => {}
            // It is in its place already.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(not_examined(&self.staged_data(), &error)),
        }
        self.move_names(&self.root, &self.staged_data()).map_err(|(path, error)| {
            let moved = self.staged_data().join(path.file_name().unwrap_or_default());
            let path = message::quoted_path(&path);
            if error.kind() == io::ErrorKind::AlreadyExists {
                return Failed::internal(format_args!(
                    "{path} appeared while the files were moved, and {} had its name: move one of them to another place, \
                     and the same command goes on",
                    message::quoted_path(&moved)
                ));
            }
            // A name that cannot move is most often a mount point.
            match self.move_names(&self.staged_data(), &self.root) {
                Ok(()) => {
                    let _ = fs::remove_file(self.of(MOVING));
                    self.give_up();
                    Failed::internal(format_args!("{path} cannot be moved: {error}; everything is in its old place"))
                }
                Err(_) => Failed::internal(format_args!(
                    "{path} cannot be moved: {error}; what was moved is in {}, and the same command goes on",
                    message::quoted_path(&self.staged_data())
                )),
            }
        })?;
        let moved = sync_directory(&self.staged_data())
            .and_then(|()| fs::rename(self.staged_data(), self.of(DATA)))
            .and_then(|()| sync_directory(&self.root));
        moved.map_err(|error| not_written(&self.of(DATA), error))
    }

    /// Moves all names from one directory to another, except the directory for what is not complete. Nothing is
    /// replaced: another program may write a file again that has left its directory.
    fn move_names(&self, from: &Path, to: &Path) -> Result<(), (PathBuf, io::Error)> {
        let of = |error| (from.to_owned(), error);
        // A listing may miss names while others leave the directory.
        loop {
            let mut has_moved = false;
            for entry in fs::read_dir(from).map_err(of)? {
                let name = entry.map_err(of)?.file_name();
                if name == STAGING {
                    continue;
                }
                move_name(&from.join(&name), &to.join(&name)).map_err(|error| (from.join(&name), error))?;
                has_moved = true;
            }
            if !has_moved {
                return Ok(());
            }
        }
    }

    /// Gives the staged tag files their places, bagit.txt last.
    fn publish(&self, names: &[String]) -> Result<(), Failed> {
        for name in names {
            let target = self.of(name);
            fs::rename(self.staged(name), &target).map_err(|error| not_written(&target, error))?;
        }
        let done = sync_directory(&self.root).and_then(|()| match fs::remove_file(self.of(MOVING)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        });
        done.and_then(|()| self.unstage()).map_err(|error| not_written(&self.of(STAGING), error))
    }

    /// Writes a staged file whole.
    fn write(&self, name: &str, text: &str) -> Result<(), Failed> {
        let path = self.staged(name);
        write_whole(&path, text).map_err(|error| not_written(&path, error))
    }
}

/// Writes a file that appears whole or not at all.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.persist()
}

/// Moves a file or a directory to a place where nothing is yet.
fn move_name(from: &Path, to: &Path) -> io::Result<()> {
    let one_of_several = |path: &Path| {
        let found = fs::symlink_metadata(path).ok().filter(|found| found.nlink() > 1)?;
        Some((found.dev(), found.ino()))
    };
    match rename_new(from, to) {
        // A run that was killed between the two steps of a move has left both names of the file.
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists
                && one_of_several(from).is_some_and(|file| one_of_several(to) == Some(file)) =>
        {
            fs::remove_file(from)
        }
        moved => moved,
    }
}

/// Whether pfh writes files of this name into the directory for files that are not complete.
fn is_staged_name(name: &[u8]) -> bool {
    let is_written = |name: ManifestName| {
        name.algorithm.is_some_and(|algorithm| ManifestName::of(algorithm, name.is_tag).file == name.file)
    };
    matches!(name, b"bag-info.txt" | b"bagit.txt" | b"moving")
        || name.starts_with(TEMPORARY_PREFIX.as_bytes())
        || ManifestName::parse(name).is_some_and(is_written)
}

/// Returns the algorithms of these names.
fn algorithms_of(names: &[String]) -> Result<Vec<Algorithm>, Failed> {
    let mut algorithms = Vec::new();
    for name in names {
        let algorithm = Algorithm::from_name(name).map_err(Failed::usage)?;
        let has_name = ManifestName::parse(ManifestName::of(algorithm, false).file.as_bytes())
            .is_some_and(|name| name.algorithm == Some(algorithm));
        if algorithm.status() == Status::Checksum || !has_name {
            return Err(Failed::usage(format_args!(
                "{name} cannot be used for a bag: choose md5, sha1, sha256, sha512 or another digest without key"
            )));
        }
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    Ok(algorithms)
}

/// Returns the labels and values of these options.
fn tags_of(options: &[String]) -> Result<Vec<Tag>, Failed> {
    let tag = |option: &String| {
        let wrong =
            |reason: &str| Failed::usage(format_args!("--tag {}: {reason}", message::quoted(option.as_bytes())));
        let (label, value) = option.split_once('=').ok_or_else(|| wrong("write LABEL=VALUE"))?;
        if label.is_empty() || label.trim() != label || label.contains(|c: char| c == ':' || c.is_control()) {
            return Err(wrong("a label is not empty, and has no colon, no line break and no space at its ends"));
        }
        if label.eq_ignore_ascii_case(PAYLOAD_OXUM) || label.eq_ignore_ascii_case(SIZE) {
            return Err(wrong("pfh itself finds this value"));
        }
        Ok(Tag::new(label, value.trim()))
    };
    options.iter().map(tag).collect()
}

fn today() -> String {
    Timestamp::from(SystemTime::now()).to_seconds_text().chars().take(10).collect()
}

/// Completes metadata by what is known of the payload; `None` if fetch.txt does not state how long its files are.
fn complete_info(info: &mut Info, payload: Option<Oxum>) {
    for (label, value) in [(DATE, today()), (AGENT, super::PROGRAM.to_owned())] {
        if info.value(label).is_none() {
            info.set(label, value);
        }
    }
    match payload {
        Some(payload) => {
            info.set(SIZE, Bytes(payload.bytes).to_string());
            info.set(PAYLOAD_OXUM, payload.to_string());
        }
        None => info.tags.retain(|tag| !tag.is(SIZE) && !tag.is(PAYLOAD_OXUM)),
    }
}

/// Returns why a manifest cannot have a path.
fn not_in_manifests(path: &[u8]) -> Option<&'static str> {
    match std::str::from_utf8(path) {
        Err(_) => Some("the name is not UTF-8, which a manifest must be; rename the file"),
        Ok(_) if path.len() > PATH_BYTES_MAX => Some("the path is longer than 60,000 bytes"),
        Ok(_) => None,
    }
}

/// Returns why a tag manifest cannot have a path: it would not be read back.
fn not_in_tag_manifests(path: &[u8]) -> Option<&'static str> {
    not_in_manifests(path).or(match path.first() {
        Some(b'~') => Some("a path in a tag manifest cannot begin with `~`; rename the file, or move it to a directory"),
        Some(b' ' | b'\t' | b'*') => Some(
            "a path in a tag manifest cannot begin with a space, tab or `*`; rename the file, or move it to a directory",
        ),
        _ => None,
    })
}

/// The number of names that cannot be in a bag.
#[derive(Default)]
struct Refused(u64);

impl Refused {
    /// Counts a name, and reports the first ones.
    fn count(&mut self, path: &[u8], reason: &str) {
        self.0 += 1;
        if self.0 <= 10 {
            message::error(format_args!("{}: {reason}", message::quoted(path)));
        }
    }

    /// Fails if there are some.
    fn none(self) -> Result<(), Failed> {
        let names = match self.0 {
            0 => return Ok(()),
            1 => "1 name".to_owned(),
            count => format!("{} names", Count(count)),
        };
        Err(Failed::usage(format_args!("{names} cannot be in a bag; nothing was changed")))
    }
}

/// Makes the tag files of a bag.
struct Maker<'a> {
    command: &'a mut Command,
    options: &'a BagOptions,
    algorithms: Vec<Algorithm>,
    place: Place,
}

impl Maker<'_> {
    fn is_stopped(&self) -> bool {
        self.command.is_stopped()
    }

    fn failed(&self, what: &str) -> Option<Failed> {
        let unread = self.command.tally.unread;
        let files = if unread == 1 { "1 file".to_owned() } else { format!("{} files", Count(unread)) };
        (unread > 0).then(|| Failed::unread(format_args!("{files} could not be read, so {what}")))
    }

    /// Walks the payload, and refuses what a bag cannot have. Returns its files, and its bytes if `want_size`.
    /// `otherwise`: what it means that a part of it cannot be listed.
    fn survey(&mut self, root: &Path, want_size: bool, otherwise: &str) -> Result<Oxum, Failed> {
        let roots = vec![root.as_os_str().as_bytes().to_vec()];
        let walk = WalkOptions { roots, want_size: Some(want_size), ..WalkOptions::default() };
        let source = bag_files::survey(self.options, walk)?;
        let (mut payload, mut refused, mut unread) = (Oxum::default(), Refused::default(), 0_u64);
        let (own, base) = (self.place.of(STAGING), root.as_os_str().as_bytes());
        let walked = bag_files::walk(self.command, &source, &mut |command, found| {
            let (path, reason) = match found {
                Found::Entry(entry) if entry.kind == EntryKind::Regular => {
                    payload.files += 1;
                    payload.bytes += entry.size_hint.unwrap_or(0);
                    let path = entry.path();
                    let reason = not_in_manifests(below(base, &path));
                    (path, reason)
                }
                Found::Entry(entry) => (entry.path(), Some("only regular files can be in a bag")),
                Found::Skipped(path, SkipReason::NotRegular) => (path, Some("only regular files can be in a bag")),
                Found::Other(path, Other::Link(_)) => {
                    (path, Some("a bag cannot have symbolic links; replace it by what it leads to, or remove it"))
                }
                Found::Failed(path, error) => {
                    unread += 1;
                    fail(command, path, error);
                    return Ok(());
                }
                _ => return Ok(()),
            };
            let is_own = || Path::new(std::ffi::OsStr::from_bytes(&path)).starts_with(&own);
            if let Some(reason) = reason.filter(|_| !is_own()) {
                refused.count(&path, reason);
            }
            Ok(())
        });
        walked.map_err(Failed::temporary)?;
        refused.none()?;
        self.failed(otherwise).map_or(Ok(payload), Err)
    }

    /// Hashes the payload below a directory, whose paths in the bag begin with `data/`, by the algorithms of `changes`.
    fn hash_payload(&mut self, root: &Path, changes: &mut Changes) -> Result<Oxum, Failed> {
        let root = root.as_os_str().as_bytes().to_vec();
        let (source, engine) = bag_files::source(self.options, vec![root.clone()], changes.algorithms())?;
        let mut payload = Oxum::default();
        let mut deliver = |hashed: Hashed| {
            if !hashed.is_complete {
                return Ok(());
            }
            payload.files += 1;
            payload.bytes += hashed.bytes;
            changes.file(&[b"data/", below(&root, &hashed.path)].concat(), &hashed.digests)
        };
        bag_files::hash(self.command, self.options.memory, &engine, &source, &mut deliver)?;
        self.failed("nothing was changed").map_or(Ok(payload), Err)
    }

    /// Writes the staged manifests of the payload, and calls `tell` with each path and how it differs.
    fn manifests(&self, changes: Changes, tell: &mut dyn FnMut(&[u8], Change)) -> Result<Vec<String>, Failed> {
        let names: Vec<_> = self.algorithms.iter().map(|one| ManifestName::of(*one, false).file).collect();
        let create = |name: &String| {
            let path = self.place.staged(name);
            AtomicFile::create(&path).map_err(|error| not_written(&path, error))
        };
        let mut files = names.iter().map(create).collect::<Result<Vec<_>, _>>()?;
        let (mut lacking, mut not_listed) = (None, None);
        let (mut line, mut failed) = (Vec::new(), None);
        let each = &mut |path: &[u8], change: Change, digests: &[Digest]| {
            tell(path, change);
            // Those by old algorithms are for the comparison alone.
            let own = digests.iter().filter(|digest| self.algorithms.contains(&digest.algorithm())).count();
            if matches!(change, Change::NotFetched(_)) && own < files.len() {
                lacking.get_or_insert_with(|| path.to_vec());
            }
            if change == Change::NotListed {
                not_listed.get_or_insert_with(|| path.to_vec());
            }
            for digest in digests {
                let place = self.algorithms.iter().position(|algorithm| *algorithm == digest.algorithm());
                let Some(place) = place else { continue };
                line.clear();
                manifest_line(digest, path, &mut line);
                if let Err(error) = files[place].write_all(&line) {
                    failed = Some((place, error));
                    return Err(io::ErrorKind::Other.into());
                }
            }
            Ok(())
        };
        let written = changes.each(each);
        if let Some((place, error)) = failed {
            return Err(not_written(&self.place.staged(&names[place]), error));
        }
        written.map_err(Failed::temporary)?;
        if let Some(path) = lacking {
            return Err(Failed::usage(format_args!(
                "{} is not fetched yet, so there is no digest of it by another algorithm; nothing was changed",
                message::quoted(&path)
            )));
        }
        if let Some(path) = not_listed {
            return Err(Failed::usage(format_args!(
                "fetch.txt lists {}, which no new manifest would, since no file has exactly this name and its digest \
                 is not known: fetch it, give it this name if it is there under another spelling, or remove the line; \
                 nothing was changed",
                message::quoted(&path)
            )));
        }
        for (file, name) in files.into_iter().zip(&names) {
            file.persist().map_err(|error| not_written(&self.place.staged(name), error))?;
        }
        Ok(names)
    }

    /// Hashes tag files, and writes the staged tag manifests. `staged` are names of staged files, and `others` of files
    /// and directories in the bag.
    fn tag_manifests(&mut self, staged: &[String], others: &[Vec<u8>]) -> Result<Vec<String>, Failed> {
        let staging = self.place.of(STAGING).into_os_string().into_encoded_bytes();
        let root = self.place.root.as_os_str().as_bytes().to_vec();
        let of = |base: &[u8], name: &[u8]| [base, b"/", name].concat();
        let in_staging = of(&staging, b"");
        let mut roots: Vec<_> = staged.iter().map(|name| of(&staging, name.as_bytes())).collect();
        roots.extend(others.iter().map(|name| of(&root, name)));
        let (source, engine) = bag_files::source(self.options, roots, &self.algorithms)?;
        let mut changes = Changes::new(self.algorithms.clone(), self.options.memory / 2);
        let mut refused = Refused::default();
        let mut deliver = |hashed: Hashed| {
            if !hashed.is_complete {
                return Ok(());
            }
            let path = hashed.path.strip_prefix(&in_staging[..]).unwrap_or_else(|| below(&root, &hashed.path));
            if let Some(reason) = not_in_tag_manifests(path) {
                refused.count(path, reason);
                return Ok(());
            }
            changes.file(path, &hashed.digests)
        };
        bag_files::hash(self.command, self.options.memory, &engine, &source, &mut deliver)?;
        if let Some(failed) = self.failed("no tag manifest was written") {
            return Err(failed);
        }
        refused.none()?;
        let names: Vec<_> = self.algorithms.iter().map(|one| ManifestName::of(*one, true).file).collect();
        let mut texts = vec![Vec::new(); names.len()];
        let each = &mut |path: &[u8], _, digests: &[Digest]| {
            for (text, digest) in texts.iter_mut().zip(digests) {
                manifest_line(digest, path, text);
            }
            Ok(())
        };
        changes.each(each).map_err(Failed::temporary)?;
        for (name, text) in names.iter().zip(&texts) {
            self.place.write(name, &String::from_utf8_lossy(text))?;
        }
        Ok(names)
    }

    /// Writes the staged tag files of a new bag. Returns their names; `None` if a signal has stopped that.
    fn tag_files(&mut self, changes: Changes, tags: Vec<Tag>, payload: Oxum) -> Result<Option<Vec<String>>, Failed> {
        self.place.stage()?;
        let mut info = Info { tags, lost: None };
        complete_info(&mut info, Some(payload));
        let mut staged = self.manifests(changes, &mut |_, _| {})?;
        self.place.write("bag-info.txt", &info_text(&info.tags))?;
        self.place.write("bagit.txt", declaration_text())?;
        staged.extend(["bag-info.txt".to_owned(), "bagit.txt".to_owned()]);
        let tag_manifests = self.tag_manifests(&staged, &[])?;
        staged.splice(0..0, tag_manifests);
        if self.is_stopped() {
            return Ok(None);
        }
        sync_directory(&self.place.of(STAGING)).map_err(|error| not_written(&self.place.of(STAGING), error))?;
        Ok(Some(staged))
    }

    /// Returns the names of the tag files of a new bag.
    fn tag_names(&self) -> Vec<String> {
        let manifests = |one: &Algorithm| [true, false].map(|is_tag| ManifestName::of(*one, is_tag).file);
        let others = ["bag-info.txt", "bagit.txt"].map(str::to_owned);
        self.algorithms.iter().flat_map(manifests).chain(others).collect()
    }

    fn names(&self) -> String {
        self.algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(" and ")
    }
}

/// Runs `pfh bag create`.
pub(crate) fn create(arguments: &CreateArguments) -> Result<Ending, Failed> {
    let (mut algorithms, tags) = (algorithms_of(&arguments.algorithms)?, tags_of(&arguments.tags)?);
    if algorithms.is_empty() {
        algorithms = algorithms_of(&[ALGORITHM.to_owned()])?;
    }
    let make = |directory: &PathBuf| create_one(arguments, directory, algorithms.clone(), tags.clone());
    match (&arguments.directories[..], &arguments.copy_to) {
        ([directory], _) => make(directory),
        (_, Some(_)) => Err(Failed::usage("--copy-to makes one bag; name one directory")),
        // One that cannot be a bag does not hold back the others.
        (directories, None) => Ok(exit::one_by_one(directories.iter().map(make))),
    }
}

/// Makes a directory, or a copy of it, a bag.
fn create_one(
    arguments: &CreateArguments,
    directory: &Path,
    algorithms: Vec<Algorithm>,
    tags: Vec<Tag>,
) -> Result<Ending, Failed> {
    let (mut bag, mut is_new) = (directory, false);
    if let Some(copy_to) = &arguments.copy_to {
        (bag, is_new) = (copy_to, !copy_to.exists());
        fs::create_dir_all(bag).map_err(|error| not_written(bag, error))?;
    }
    let place = Place::new(bag)?;
    let way = if arguments.copy_to.is_some() { Unfinished::Copied } else { Unfinished::Moved };
    place.refuse_unfinished(Some(way))?;
    let is_unfinished = place.has(MOVING);
    if place.is_bag() && !is_unfinished {
        // A run that was killed at its end leaves the directory empty.
        let _ = fs::remove_dir(place.of(STAGING));
        return Err(Failed::usage(format_args!(
            "{} is a bag already; `pfh bag update` writes new manifests",
            message::quoted_path(&place.root)
        )));
    }
    place.refuse_others()?;
    pfh_source::raise_open_file_limit();
    let mut command = Command::begin(Reporting::of(arguments.options.messages, true), None);
    command.set_output(reading::open_output(None, [])?);
    let mut maker = Maker { command: &mut command, options: &arguments.options, algorithms, place };
    let made = match &arguments.copy_to {
        Some(_) => copy_with(&mut maker, directory, tags, is_unfinished),
        None => create_with(&mut maker, tags, is_unfinished),
    };
    let is_stopped = maker.is_stopped();
    if !maker.place.has(MOVING) && (made.is_err() || is_stopped) {
        maker.place.give_up();
        if is_new {
            // It stays if it has copies, with which the same command goes on.
            let _ = fs::remove_dir(bag);
        }
    }
    let names = maker.names();
    match made? {
        None => command.finish(Ok(()), 0, None),
        Some(payload) => {
            let files = if payload.files == 1 { "file" } else { "files" };
            let text = format!(
                "{} is a bag now: {} {files} of {} in its directory `data`, by {names}\n",
                message::quoted_path(bag),
                Count(payload.files),
                Bytes(payload.bytes)
            );
            command.write(text.as_bytes());
            command.finish(Ok(()), 1, None)
        }
    }
}

/// Makes a bag of a verified copy of a directory. `is_named`: its tag files may have their names from an earlier run.
/// `None` if a signal has stopped that.
fn copy_with(maker: &mut Maker<'_>, directory: &Path, tags: Vec<Tag>, is_named: bool) -> Result<Option<Oxum>, Failed> {
    let bag = message::quoted_path(&maker.place.root);
    let own = if is_named { maker.tag_names() } else { Vec::new() };
    for entry in fs::read_dir(&maker.place.root).map_err(|error| not_written(&maker.place.root, error))? {
        let name = entry.map_err(|error| not_written(&maker.place.root, error))?.file_name();
        if name != DATA && name != STAGING && own.iter().all(|one| name != one.as_str()) {
            let name = message::quoted(name.as_bytes());
            return Err(Failed::usage(format_args!("{bag} has {name} in it, which would be no part of the bag")));
        }
    }
    maker.place.unstage().map_err(|error| not_written(&maker.place.of(STAGING), error))?;
    let surveyed = maker.survey(directory, false, "nothing was changed")?;
    let data = maker.place.of(DATA);
    let order = Order {
        roots: vec![Root::contents(directory)],
        include: Vec::new(),
        exclude: Vec::new(),
        one_file_system: false,
        algorithms: maker.algorithms.clone(),
        read_back: IoMethod::Direct,
        options: maker.options,
    };
    let destinations = order.destinations(&[&data])?;
    maker.command.saves_by_itself("the same command goes on with the copy".to_owned());
    let Some(mut finished) = copying::copy(maker.command, &order, destinations)? else { return Ok(None) };
    let Copied { files, bytes, missing, left_out, .. } = finished.copied;
    if let Some(failed) = maker.failed("no bag was made") {
        return Err(failed);
    }
    if missing > 0 || maker.command.tally.findings > 0 {
        return Err(Failed::usage(format_args!("{bag} has other files than the directory, so no bag was made")));
    }
    let mut changes = Changes::new(maker.algorithms.clone(), maker.options.memory / 2);
    let listed = finished.each(|record| changes.file(&[b"data/", &record.path[..]].concat(), &record.digests))?;
    listed.map_err(Failed::temporary)?;
    finished.end()?;
    let payload = maker.survey(&data, true, "no bag was made")?;
    if maker.is_stopped() {
        return Ok(None);
    }
    if payload != (Oxum { files, bytes }) || surveyed.files != payload.files + left_out {
        return Err(Failed::usage(format_args!("{bag} has other files than the directory, so no bag was made")));
    }
    let Some(staged) = maker.tag_files(changes, tags, payload)? else { return Ok(None) };
    maker.place.mark(COPIED)?;
    maker.command.go_to_the_end();
    maker.place.publish(&staged)?;
    Ok(Some(payload))
}

/// Makes a bag. `None` if a signal has stopped that before anything was changed.
fn create_with(maker: &mut Maker<'_>, tags: Vec<Tag>, is_moved: bool) -> Result<Option<Oxum>, Failed> {
    if is_moved {
        message::error("an earlier `pfh bag create` was interrupted while it moved the files; this one finishes it");
        maker.place.move_payload()?;
    }
    let root = if is_moved { maker.place.of(DATA) } else { maker.place.root.clone() };
    if !is_moved {
        maker.place.unstage().map_err(|error| not_written(&maker.place.of(STAGING), error))?;
    }
    let surveyed = maker.survey(&root, false, "nothing was changed")?;
    let mut changes = Changes::new(maker.algorithms.clone(), maker.options.memory / 2);
    if maker.is_stopped() {
        return Ok(None);
    }
    let payload = maker.hash_payload(&root, &mut changes)?;
    if maker.is_stopped() {
        return Ok(None);
    }
    let Some(staged) = maker.tag_files(changes, tags, payload)? else { return Ok(None) };
    maker.place.move_payload()?;
    // Only a whole walk can tell whether something changed.
    maker.command.go_to_the_end();
    maker.place.publish(&staged)?;
    let unchecked = "the bag was made, and not compared with what is there now: `pfh bag verify` does that";
    let now = maker.survey(&maker.place.of(DATA), true, unchecked)?;
    if now != payload || surveyed.files != payload.files {
        return Err(Failed::unread(format_args!(
            "{} changed while it was made a bag; `pfh bag update` writes manifests of what is there now",
            message::quoted_path(&maker.place.root)
        )));
    }
    Ok(Some(payload))
}

/// The tag files of an existing bag.
struct Old {
    source: LocalSource,
    /// The files in its root.
    files: Vec<(Vec<u8>, Entry<LocalHandle>)>,
}

impl Old {
    fn find(&self, name: &str) -> Option<&Entry<LocalHandle>> {
        self.files.iter().find(|(one, _)| one == name.as_bytes()).map(|(_, entry)| entry)
    }
}

/// Runs `pfh bag update`.
pub(crate) fn update(arguments: &UpdateArguments) -> Result<Ending, Failed> {
    let (algorithms, tags) = (algorithms_of(&arguments.algorithms)?, tags_of(&arguments.tags)?);
    let place = Place::new(&arguments.directory)?;
    let root = message::quoted_path(&place.root);
    place.refuse_unfinished(None)?;
    if !place.is_bag() {
        return Err(Failed::usage(format_args!(
            "{root} is no bag: it has no file `bagit.txt`; `pfh bag create` makes one"
        )));
    }
    let is_directory = |path: PathBuf| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if !is_directory(place.of(DATA)) {
        return Err(Failed::usage(format_args!("{root} has no directory `data`")));
    }
    place.refuse_others()?;
    pfh_source::raise_open_file_limit();
    let mut command = Command::begin(Reporting::of(arguments.options.messages, true), None);
    command.set_output(reading::open_output(None, [])?);
    let mut maker = Maker { command: &mut command, options: &arguments.options, algorithms, place };
    let made = update_with(&mut maker, tags);
    if made.is_err() || maker.is_stopped() {
        maker.place.give_up();
    }
    made?;
    command.finish(Ok(()), 1, None)
}

fn update_with(maker: &mut Maker<'_>, tags: Vec<Tag>) -> Result<(), Failed> {
    maker.place.unstage().map_err(|error| not_written(&maker.place.of(STAGING), error))?;
    let mut old = open_bag(maker)?;
    if maker.is_stopped() {
        return Ok(());
    }
    old.files.retain(|(name, _)| name != b".pfh-bag");
    let mut refused = Refused::default();
    for (name, _) in &old.files {
        if let Some(reason) = not_in_tag_manifests(name) {
            refused.count(name, reason);
        }
    }
    refused.none()?;
    let mut report = |finding: Finding| {
        message::error(&finding);
        Ok(())
    };
    let declared = match old.find("bagit.txt") {
        Some(entry) => with_tag_file(maker.command, &old.source, entry, |file| Declaration::read(file, &mut report))?,
        None => None,
    };
    let declared = declared.unwrap_or_default();
    let old_names: Vec<_> = old.files.iter().filter_map(|(name, _)| ManifestName::parse(name)).collect();
    if let Some(name) = old_names.iter().find(|name| name.algorithm.is_none()) {
        return Err(Failed::usage(format_args!(
            "the algorithm of {} is not known, so it cannot be updated; remove it first",
            message::quoted(name.file.as_bytes())
        )));
    }
    if maker.algorithms.is_empty() {
        let payload = old_names.iter().filter(|name| !name.is_tag).filter_map(|name| name.algorithm);
        maker.algorithms = payload.collect();
        maker.algorithms.dedup();
    }
    if maker.algorithms.is_empty() {
        maker.algorithms = algorithms_of(&[ALGORITHM.to_owned()])?;
    }
    let has_info = old.find("bag-info.txt").is_some();
    let name = if has_info { "bag-info.txt" } else { "package-info.txt" };
    let mut info = Info::default();
    if let Some(entry) = old.find(name) {
        let read = |file: &mut _| Info::read(name, declared, file, &mut report);
        info = with_tag_file(maker.command, &old.source, entry, read)?.unwrap_or_default();
    }
    if let Some(line) = info.lost {
        let name = message::quoted_path(&maker.place.of(name));
        return Err(Failed::usage(format_args!(
            "{name}: new metadata would lose line {line}, or change it; correct it first. Nothing was changed"
        )));
    }
    // Files of an old manifest are compared by its own algorithm, also if no new one has that: otherwise the new
    // manifests would be those of damaged files, and nobody would know.
    let mut hashed = maker.algorithms.clone();
    for algorithm in old_names.iter().filter(|name| !name.is_tag).filter_map(|name| name.algorithm) {
        if !hashed.contains(&algorithm) {
            hashed.push(algorithm);
        }
    }
    let mut changes = Changes::new(hashed, maker.options.memory / 2);
    for (name, entry) in &old.files {
        let Some(name) = ManifestName::parse(name).filter(|name| !name.is_tag) else { continue };
        let read = |file: &mut _| changes.old(&name, declared, file, &mut report);
        with_tag_file(maker.command, &old.source, entry, read)?;
    }
    if let Some(entry) = old.find("fetch.txt") {
        if declared.version < Version::V1_0 {
            return Err(Failed::usage(
                "fetch.txt of a bag before version 1.0 cannot be kept: fetch its files and remove it first",
            ));
        }
        let read = |file: &mut _| changes.fetch(declared, file, &mut report);
        with_tag_file(maker.command, &old.source, entry, read)?;
    }
    if let Some(failed) = maker.failed("nothing was changed") {
        return Err(failed);
    }
    let data = maker.place.of(DATA);
    maker.survey(&data, false, "nothing was changed")?;
    let payload = maker.hash_payload(&data, &mut changes)?;
    if maker.is_stopped() {
        return Ok(());
    }
    for tag in tags {
        match tag.value.is_empty() {
            true => info.tags.retain(|one| !one.is(&tag.label)),
            false => info.set(&tag.label, tag.value),
        }
    }
    write_update(maker, changes, info, payload, &old_names, declared)
}

/// Reads the names in the root of a bag.
fn open_bag(maker: &mut Maker<'_>) -> Result<Old, Failed> {
    let root = maker.place.root.as_os_str().as_bytes().to_vec();
    let walk = WalkOptions { roots: vec![root.clone()], max_depth: Some(1), ..WalkOptions::default() };
    let source = bag_files::survey(maker.options, walk)?;
    let (mut files, mut refused) = (Vec::new(), None);
    let walked = bag_files::walk(maker.command, &source, &mut |command, found| {
        match found {
            Found::Entry(entry) => files.push((below(&root, &entry.path()).to_vec(), entry)),
            Found::Other(path, Other::Link(_)) => {
                refused.get_or_insert((path, LINK));
            }
            Found::Skipped(path, SkipReason::NotRegular) => {
                refused.get_or_insert((path, NOT_REGULAR));
            }
            Found::Failed(path, error) => fail(command, path, error),
            _ => {}
        }
        Ok(())
    });
    walked.map_err(Failed::temporary)?;
    match refused {
        Some((path, kind)) => Err(not_in_bags(&path, kind)),
        None => Ok(Old { source, files }),
    }
}

/// Returns the failure that a name in the root of a bag is of this kind.
fn not_in_bags(path: &[u8], kind: &str) -> Failed {
    Failed::usage(format_args!("{} is {kind}, which a bag cannot have; nothing was changed", message::quoted(path)))
}

/// Writes the tag files of an updated bag, and says what has changed. `payload` is what is there.
fn write_update(
    maker: &mut Maker<'_>,
    changes: Changes,
    mut info: Info,
    payload: Oxum,
    old_names: &[ManifestName],
    declared: Declaration,
) -> Result<(), Failed> {
    maker.place.stage()?;
    let mut counts = [0_u64; 6];
    let mut not_fetched_bytes = Some(0_u64);
    let mut output = maker.command.output();
    let mut told = Ok(());
    let mut tell = |path: &[u8], change: Change| {
        let (place, word) = match change {
            Change::Added => (0, "added"),
            Change::Removed => (1, "removed"),
            Change::Changed => (2, "changed"),
            Change::Unchanged => (3, ""),
            Change::SpeltOtherwise => (5, "spelt otherwise"),
            Change::NotFetched(bytes) => {
                not_fetched_bytes = not_fetched_bytes.zip(bytes).map(|(sum, bytes)| sum.saturating_add(bytes));
                (4, "")
            }
            // It ends the update.
            Change::NotListed => return,
        };
        counts[place] += 1;
        if !word.is_empty() && told.is_ok() {
            told = output.write_all(format!("{word}: {}\n", message::quoted(path)).as_bytes());
        }
    };
    let mut staged = maker.manifests(changes, &mut tell)?;
    // The payload has the files that are to be fetched, too.
    let whole = not_fetched_bytes.map(|bytes| Oxum {
        bytes: payload.bytes.saturating_add(bytes),
        files: payload.files.saturating_add(counts[4]),
    });
    complete_info(&mut info, whole);
    maker.place.write("bag-info.txt", &info_text(&info.tags))?;
    maker.place.write("bagit.txt", declaration_text())?;
    staged.extend(["bag-info.txt".to_owned(), "bagit.txt".to_owned()]);
    let others = other_tag_files(&maker.place, &staged)?;
    let tag_manifests = maker.tag_manifests(&staged, &others)?;
    staged.splice(0..0, tag_manifests);
    if maker.is_stopped() {
        return Ok(());
    }
    sync_directory(&maker.place.of(STAGING)).map_err(|error| not_written(&maker.place.of(STAGING), error))?;
    maker.command.go_to_the_end();
    maker.place.publish(&staged)?;
    for path in not_rewritten(&maker.place, old_names, &staged) {
        fs::remove_file(&path).map_err(|error| not_written(&path, error))?;
    }
    if let Err(error) = told {
        return Failed::of_output(&error, "").map(drop);
    }
    let [added, removed, changed, unchanged, not_fetched, spelt_otherwise] = counts.map(Count);
    let mut text = format!("{added} added, {removed} removed, {changed} changed, {unchanged} unchanged");
    if counts[4] > 0 {
        text += &format!(", {not_fetched} not fetched");
    }
    if counts[5] > 0 {
        text += &format!(", {spelt_otherwise} spelt otherwise");
    }
    if declared.version != Version::V1_0 {
        text += &format!("; the bag was of version {}, and is of 1.0 now", declared.version);
    }
    maker.command.write(format!("{}: {text}\n", message::quoted_path(&maker.place.root)).as_bytes());
    Ok(())
}

/// Returns the paths of old manifests that were not written anew. Where a filesystem ignores case, an old name may lead
/// to a new file.
fn not_rewritten(place: &Place, old_names: &[ManifestName], written: &[String]) -> Vec<PathBuf> {
    let identity = |name: &str| {
        let metadata = fs::symlink_metadata(place.of(name)).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    let new: Vec<_> = written.iter().filter_map(|name| identity(name)).collect();
    let is_old = |name: &&ManifestName| {
        !written.contains(&name.file) && identity(&name.file).is_none_or(|identity| !new.contains(&identity))
    };
    old_names.iter().filter(is_old).map(|name| place.of(&name.file)).collect()
}

/// Returns the names in the root of a bag that tag manifests list and that are not rewritten. The payload was hashed
/// since [`open_bag`], so that their kinds may be others by now.
fn other_tag_files(place: &Place, staged: &[String]) -> Result<Vec<Vec<u8>>, Failed> {
    let failed = |error: io::Error| not_written(&place.root, error);
    let mut others = Vec::new();
    for entry in fs::read_dir(&place.root).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, kind) = (entry.file_name(), entry.file_type().map_err(failed)?);
        let is_own = name == STAGING || name == DATA || staged.iter().any(|one| name == one.as_str());
        if !is_own && ManifestName::parse(name.as_bytes()).is_none() {
            if !kind.is_file() && !kind.is_dir() {
                let kind = if kind.is_symlink() { LINK } else { NOT_REGULAR };
                return Err(not_in_bags(entry.path().as_os_str().as_bytes(), kind));
            }
            others.push(name.as_bytes().to_vec());
        }
    }
    others.sort();
    Ok(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hard link stands for a filesystem that ignores case.
    #[test]
    fn a_new_manifest_under_an_old_name_is_not_removed() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place { root: directory.path().to_owned(), lock: None };
        fs::write(place.of("manifest-sha256.txt"), "new").unwrap();
        fs::hard_link(place.of("manifest-sha256.txt"), place.of("manifest-SHA256.txt")).unwrap();
        fs::write(place.of("manifest-md5.txt"), "old").unwrap();
        let old = ["manifest-SHA256.txt", "manifest-sha256.txt", "manifest-md5.txt"];
        let old = old.map(|name| ManifestName::parse(name.as_bytes()).unwrap());
        let written = ["manifest-sha256.txt".to_owned()];
        assert_eq!(not_rewritten(&place, &old, &written), [place.of("manifest-md5.txt")]);
    }
}
