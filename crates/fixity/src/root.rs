//! The place that the paths of a list start from, and what is there.

use crate::expected::Expected;
use crate::file::File;
use crate::found::{Found, Presence, State};
use crate::kind::{Kind, kind_of};
use crate::path::PathError;
use pfh_list::List;
use pfh_record::quote::quoted_path;
use pfh_record::{ErrorKind, FixityList, FormatName, Outcome, Record, SkipReason};
use pfh_source::{LocalSource, PatternError, WalkOptions};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Longest name of a file on the filesystems of Linux.
const NAME_BYTES_MAX: usize = 255;

/// The place that paths of a list start from.
#[derive(Debug)]
pub struct Root {
    /// The path as it was named, or found.
    pub path: PathBuf,
    /// The same without symbolic links.
    pub canonical: PathBuf,
    /// Whether the caller named it.
    pub is_named: bool,
    /// Whether it is a file, which then is the only one.
    pub is_file: bool,
    /// The path as it was named, from `/` on.
    absolute: PathBuf,
    /// The place that relative paths of the list start from if no root is named, without symbolic links.
    start: PathBuf,
    /// Whether neither the caller nor the format names a root, so that each path starts by itself: absolute ones from
    /// `/`, others from the current directory, and `..` leaves nothing.
    is_free: bool,
    /// In an object of OCFL, the name of the directories that have the contents of versions; nothing else is listed.
    content_directory: Option<Vec<u8>>,
}

/// How near a listed file with the name of the root is to its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nearness {
    /// Only the names are the same.
    #[default]
    Name,
    /// The path of the root ends with the listed one, which has a directory.
    End,
    /// The listed path leads to the root.
    Path,
}

/// The files that a run leaves out: see [`Root::left_out`].
pub struct Left<'a> {
    /// The directory or the file at which the walk begins.
    top: PathBuf,
    /// The number of components that lead to the directory of all expected files.
    leading: usize,
    /// The name patterns, if there are some.
    patterns: Option<LocalSource>,
    /// Whether each file is named to the run, so that patterns see its name alone and not the directories above it.
    names_each: bool,
    has_left_out: &'a (dyn Fn(&Path) -> bool + Sync),
}

/// How paths of a list are changed before they are looked up below the root.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathForms<'a> {
    /// Whether backslashes separate names.
    pub backslashes: bool,
    /// The directory that all paths begin with, and that the root stands for.
    pub strip_prefix: Option<&'a [u8]>,
}

impl Root {
    /// Returns the named root of a list, or without one the place where its first path starts.
    ///
    /// # Errors
    /// The path of the root, and the system's error, if the root cannot be examined.
    pub fn new(named: Option<PathBuf>, list_path: &Path, list: &mut List) -> Result<Root, (PathBuf, io::Error)> {
        let is_named = named.is_some();
        let by_format = start_by_format(list_path, list);
        let is_free = !is_named && by_format.is_none();
        // Without it, no relative path is known to be that of the root.
        let start = fs::canonicalize(by_format.as_deref().unwrap_or(Path::new("."))).unwrap_or_default();
        let path = named.or(by_format).unwrap_or_else(|| start_of_first(list));
        let examined = fs::canonicalize(&path).and_then(|canonical| Ok((canonical, fs::metadata(&path)?)));
        let (canonical, metadata) = match examined {
            Ok(examined) => examined,
            Err(error) => return Err((path, error)),
        };
        let content_directory = match list.header().format {
            FormatName::Fixity(FixityList::Ocfl) => list.first_path(),
            _ => None,
        };
        let content_directory = content_directory.and_then(|path| component(&path, 1).map(<[u8]>::to_vec));
        let absolute = std::path::absolute(&path).unwrap_or_default();
        // Without a known start, relative paths have no place below `/`.
        let is_free = is_free && !start.as_os_str().is_empty();
        let is_file = !metadata.is_dir();
        Ok(Root { is_named, is_file, path, canonical, absolute, start, is_free, content_directory })
    }

    /// Returns the root `/` for a list whose paths start by themselves, if a path that [`Root::below`] returned is not
    /// below this root, and the directory of this root below that one.
    pub(crate) fn wider(&self, below: &[u8]) -> Option<(Root, Vec<u8>)> {
        if !self.is_free || below.first() != Some(&b'/') || self.path == Path::new("/") {
            return None;
        }
        let path = || PathBuf::from("/");
        let (start, content_directory) = (self.start.clone(), self.content_directory.clone());
        let root = Root {
            path: path(),
            canonical: path(),
            absolute: path(),
            is_named: false,
            is_file: false,
            start,
            is_free: true,
            content_directory,
        };
        Some((root, self.canonical.as_os_str().as_bytes()[1..].to_vec()))
    }

    /// Returns the place of a path that has components `..`, without them. Those after a symbolic link lead to the
    /// directory above its target, as for the system.
    fn without_parents(&self, path: &[u8]) -> Vec<u8> {
        let mut place = self.start.clone();
        for component in Path::new(OsStr::from_bytes(path)).components() {
            match component {
                Component::ParentDir => {
                    place = fs::canonicalize(&place).unwrap_or(place);
                    place.pop();
                }
                component => place.push(component),
            }
        }
        place.into_os_string().into_vec()
    }

    /// Returns the name of the file that is the root.
    pub fn name(&self) -> &[u8] {
        self.path.file_name().map_or(b"", OsStrExt::as_bytes)
    }

    /// Returns where a path of the list leads if no root is named. The path is as [`Root::below`] returns it.
    pub(crate) fn place(&self, path: &[u8]) -> PathBuf {
        // No part of the start is a symbolic link.
        let (mut start, mut rest) = (self.start.as_path(), Path::new(OsStr::from_bytes(path)));
        while let Ok(after) = rest.strip_prefix("..") {
            (start, rest) = (start.parent().unwrap_or(start), after);
        }
        start.join(rest)
    }

    /// Returns how near a place with the name of the root is to it, by its path alone: nothing outside the root is
    /// examined.
    pub(crate) fn nearness(&self, place: &Path) -> Nearness {
        let own = [&self.canonical, &self.absolute];
        // The name alone says nothing.
        let is_end = |rest: &Path| rest.components().nth(1).is_some() && own.iter().any(|own| own.ends_with(rest));
        if own.into_iter().any(|own| own == place) {
            Nearness::Path
        } else if place.strip_prefix(&self.start).is_ok_and(is_end) {
            Nearness::End
        } else {
            Nearness::Name
        }
    }

    /// Whether no root is named, and all expected files are block devices. A list of devices is about these, and not
    /// about what else is in their directory.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn are_devices(&self, expected: &mut Expected) -> io::Result<bool> {
        if self.is_named || expected.is_empty() {
            return Ok(false);
        }
        expected.rewind()?;
        let mut are_devices = true;
        while are_devices && let Some(one) = expected.next_file()? {
            let path = self.path.join(OsStr::from_bytes(&one.file.path));
            are_devices = kind_of(&path, true).is_ok_and(|kind| kind == Kind::BlockDevice);
        }
        expected.rewind()?;
        Ok(are_devices)
    }

    /// Returns the path of a list as one below the root, as far as it is; if the root is a file, with the directories
    /// above it.
    ///
    /// # Errors
    /// [`PathError::OtherPrefix`] if it does not begin with the prefix that is to be removed.
    pub fn below<'a>(&self, path: &'a [u8], forms: &PathForms<'_>) -> Result<Cow<'a, [u8]>, PathError> {
        let slashed = |path: &[u8]| path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
        let path = if forms.backslashes { Cow::Owned(slashed(path)) } else { Cow::Borrowed(path) };
        if let Some(prefix) = forms.strip_prefix {
            let prefix = if forms.backslashes { &slashed(prefix) } else { prefix };
            let bytes = strip_directory(&path, prefix).ok_or(PathError::OtherPrefix)?.len();
            return Ok(suffix(path, bytes));
        }
        let path = if self.is_free && has_parents(&path) {
            Cow::Owned(self.without_parents(&path))
        } else if self.is_free && path.first() != Some(&b'/') && self.path == Path::new("/") {
            Cow::Owned([self.start.as_os_str().as_bytes(), b"/", &path].concat())
        } else {
            path
        };
        if path.first() == Some(&b'/') && !self.is_file {
            for root in [&self.path, &self.canonical] {
                if let Some(rest) = strip_directory(&path, root.as_os_str().as_bytes()) {
                    let slashes = rest.iter().take_while(|byte| self.is_free && **byte == b'/').count();
                    let bytes = rest.len() - slashes;
                    return Ok(suffix(path, bytes));
                }
            }
        }
        Ok(path)
    }

    /// Returns the directory, or the file, whose files are compared: the root, or if none was named, the deepest
    /// directory that has all expected files, which is at or below their common one.
    ///
    /// # Errors
    /// The path of that directory, if it does not exist: what has all its ancestors' files may be all of a machine's.
    pub fn top(&self, common_directory: &[u8]) -> Result<PathBuf, PathBuf> {
        let mut top = if self.path == Path::new(".") { PathBuf::new() } else { self.path.clone() };
        if !self.is_named {
            let mut components = Path::new(OsStr::from_bytes(common_directory)).components();
            while let Some(component) = components.next() {
                let below = top.join(component);
                // All files of the list are on this way, so a link on it was named, as those that `hash` follows.
                let examined = if self.is_free { fs::metadata(&below) } else { fs::symlink_metadata(&below) };
                match examined {
                    Ok(metadata) if metadata.is_dir() => top = below,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        return Err(components.fold(below, |path, component| path.join(component)));
                    }
                    // A symbolic link could lead elsewhere, and what is there is not below the root.
                    _ => break,
                }
            }
        }
        Ok(if top.as_os_str().is_empty() { PathBuf::from(".") } else { top })
    }

    /// Returns the path of a record as one below the root.
    pub fn of_record<'a>(&self, path: &'a [u8]) -> &'a [u8] {
        if self.is_file {
            return path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        }
        strip_directory(path, self.path.as_os_str().as_bytes()).unwrap_or(path)
    }

    /// Returns which files a run leaves out, for [`Root::look`]. `common_directory` is that of all expected files,
    /// `patterns` are those of names to include and to exclude; and `ignores_new`: listed files are looked for, and
    /// directories not walked. `has_left_out` tells of a file that is there whether the run may have left it out for
    /// another reason than its name.
    ///
    /// # Errors
    /// If a pattern is invalid.
    pub fn left_out<'a>(
        &self,
        common_directory: &[u8],
        [include, exclude]: [&[String]; 2],
        ignores_new: bool,
        has_left_out: &'a (dyn Fn(&Path) -> bool + Sync),
    ) -> Result<Left<'a>, PatternError> {
        let names = WalkOptions { include: include.to_vec(), exclude: exclude.to_vec(), ..WalkOptions::default() };
        let has_patterns = !include.is_empty() || !exclude.is_empty();
        Ok(Left {
            top: self.top(common_directory).unwrap_or_else(|top| top),
            leading: common_directory.iter().filter(|byte| **byte == b'/').count(),
            patterns: if has_patterns { Some(LocalSource::new(names)?) } else { None },
            names_each: ignores_new && !self.is_file,
            has_left_out,
        })
    }

    /// Whether the name patterns of a run let it come to an expected file, if that is there.
    fn is_wanted(&self, path: &[u8], left: &Left<'_>) -> bool {
        let Some(patterns) = &left.patterns else { return true };
        let (dot, top) = (Path::new("."), &left.top);
        let place = if self.path == dot { PathBuf::new() } else { self.path.clone() }.join(OsStr::from_bytes(path));
        let below = if top == dot { Ok(place.as_path()) } else { place.strip_prefix(top) };
        match below {
            Ok(below) if !left.names_each => {
                patterns.wants_below(top.as_os_str().as_bytes(), below.as_os_str().as_bytes())
            }
            _ => patterns.wants_below(place.as_os_str().as_bytes(), b""),
        }
    }

    /// Returns what is at the path of an expected file that was not found. `left` tells what the run may have left out.
    pub fn look(&self, path: &[u8], left: &Left<'_>) -> Presence {
        match self.examine(path, left) {
            Presence::Gone if !self.is_wanted(path, left) => Presence::LeftOut,
            presence => presence,
        }
    }

    fn examine(&self, path: &[u8], left: &Left<'_>) -> Presence {
        let mut place = self.path.clone();
        let components: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        for (number, component) in components.iter().enumerate() {
            place.push(OsStr::from_bytes(component));
            let is_last = number + 1 == components.len();
            let kind = match kind_of(&place, false) {
                Ok(kind) => kind,
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    return Presence::Gone;
                }
                // No file can have such a name.
                Err(error) if error.kind() == io::ErrorKind::InvalidFilename && component.len() > NAME_BYTES_MAX => {
                    return Presence::Gone;
                }
                Err(error) => return Presence::Unknown(error.to_string()),
            };
            match kind {
                Kind::Link if is_last => {
                    return Presence::NotFollowed("it is a symbolic link; --follow-files reads it".to_owned());
                }
                // The walk began below it.
                Kind::Link if self.is_free && number < left.leading => {}
                Kind::Link => {
                    return Presence::NotFollowed(format!(
                        "{} is a symbolic link; --follow-directories follows it",
                        quoted_path(&place)
                    ));
                }
                _ if !is_last => {}
                Kind::Directory => return Presence::NoFile("it is a directory now".to_owned()),
                Kind::Fifo => return Presence::NoFile("it is a FIFO now".to_owned()),
                Kind::Socket => return Presence::NoFile("it is a socket now".to_owned()),
                // It may have been one when it was listed: a device that is named is read.
                Kind::CharacterDevice | Kind::BlockDevice => {
                    return Presence::NotFollowed("a device; name it as ROOT to compare it".to_owned());
                }
                Kind::File => {
                    return match pfh_source::identity_of(place.as_os_str().as_bytes()) {
                        Ok(identity) => {
                            let is_left_out = left.patterns.is_some() || (left.has_left_out)(&place);
                            Presence::File { identity, is_left_out }
                        }
                        Err(error) => Presence::Unknown(error.to_string()),
                    };
                }
            }
        }
        Presence::Gone
    }

    /// Returns what a record tells of a file; `None` if it is no file, or was gone before it could be opened.
    pub fn found(&self, record: Record) -> Option<Found> {
        // Neither a directory nor a file that cannot be opened has metadata.
        let is_directory = matches!(record.outcome, Outcome::Unreadable { .. })
            && record.metadata.is_none()
            && kind_of(Path::new(OsStr::from_bytes(&record.path)), true).is_ok_and(|kind| kind == Kind::Directory);
        let mut path = record.path;
        path.drain(..path.len() - self.of_record(&path).len());
        let mut file = File::new(path);
        if let Some(name) = &self.content_directory
            && component(&file.path, 1) != Some(name)
        {
            return None;
        }
        file.size = record.metadata.map(|metadata| metadata.size);
        let state = match &record.outcome {
            Outcome::Complete => State::Hashed,
            Outcome::Skipped(SkipReason::NotWanted) => State::NotHashed,
            Outcome::Skipped(SkipReason::NotRegular | SkipReason::Loop) => return None,
            Outcome::Unreadable { error, .. } if error.kind == ErrorKind::NotFound => return None,
            outcome if is_directory => State::NotListed(outcome.to_string()),
            outcome => State::Unreadable(outcome.to_string()),
        };
        file.digests = record.digests;
        Some(Found { file, state })
    }
}

/// Returns where all paths of a list start by the definition of its format: those of manifests of BagIt and of
/// inventories of OCFL, where these lie.
fn start_by_format(path: &Path, list: &mut List) -> Option<PathBuf> {
    let FormatName::Fixity(format @ (FixityList::Bagit | FixityList::Ocfl)) = list.header().format else {
        return None;
    };
    let beside = parent(path);
    // Each version of an object has an inventory of its own, whose paths start at the object, too.
    let above = if beside.file_name().is_some() { parent(&beside) } else { beside.join("..") };
    let is_of_version = format == FixityList::Ocfl && !is_object(&beside) && is_object(&above);
    Some(if is_of_version { above } else { beside })
}

/// Returns where the first path of a list starts.
fn start_of_first(list: &mut List) -> PathBuf {
    let is_absolute = list.first_path().is_some_and(|path| path.first() == Some(&b'/'));
    PathBuf::from(if is_absolute { "/" } else { "." })
}

fn parent(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

/// Whether a directory is the root of an object of OCFL, by the file that declares it (OCFL 1.1, section 3.3).
fn is_object(directory: &Path) -> bool {
    let is_declaration = |name: &OsStr| name.as_bytes().starts_with(b"0=ocfl_object_");
    fs::read_dir(directory).is_ok_and(|names| names.flatten().any(|entry| is_declaration(&entry.file_name())))
}

/// Whether a path has a component `..`.
fn has_parents(path: &[u8]) -> bool {
    // Few paths have two dots, so most need not be split.
    memchr::memmem::find(path, b"..").is_some() && path.split(|byte| *byte == b'/').any(|part| part == b"..")
}

/// Returns the last `bytes` of a path.
fn suffix(path: Cow<'_, [u8]>, bytes: usize) -> Cow<'_, [u8]> {
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(&path[path.len() - bytes..]),
        Cow::Owned(mut path) => {
            path.drain(..path.len() - bytes);
            Cow::Owned(path)
        }
    }
}

fn component(path: &[u8], number: usize) -> Option<&[u8]> {
    path.split(|byte| *byte == b'/').nth(number)
}

/// Removes a directory from the beginning of a path.
fn strip_directory<'a>(path: &'a [u8], directory: &[u8]) -> Option<&'a [u8]> {
    let directory = directory.strip_suffix(b"/").unwrap_or(directory);
    let rest = path.strip_prefix(directory)?;
    match rest.first() {
        Some(b'/') => Some(&rest[1..]),
        None => Some(rest),
        Some(_) if directory.is_empty() => Some(rest),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_list::{Input, ReadOptions};

    #[test]
    fn a_device_is_no_change() {
        let mut list = List::open(Input::bytes("list", ""), ReadOptions::default()).unwrap();
        let root = Root::new(Some("/dev".into()), Path::new("list"), &mut list).unwrap();
        let left = root.left_out(b"", [&[], &[]], false, &|_| false).unwrap();
        let reason = "a device; name it as ROOT to compare it".to_owned();
        assert_eq!(root.look(b"null", &left), Presence::NotFollowed(reason));
    }
}
