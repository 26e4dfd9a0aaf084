//! The sources of a copy, its destinations and its manner.

use super::super::bag_args::BagOptions;
use super::super::bag_files::{self, below, root_of};
use super::super::exit::Failed;
use super::super::message;
use super::super::output::Output;
use super::super::reading;
use super::targets::{Destinations, Target, path_of};
use pfh::HashRun;
use pfh_copy::{Destination, STAGING};
use pfh_digest::Algorithm;
use pfh_list::place_of;
use pfh_record::{Format, FormatName, RunFacts, Selection, WriteOptions};
use pfh_source::{IoMethod, WalkOptions};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A source.
#[derive(Clone)]
pub(crate) struct Root {
    /// Its path, as a walk takes it.
    pub(super) path: Vec<u8>,
    /// The name under which it arrives; empty if its contents arrive without it.
    pub(super) prefix: Vec<u8>,
}

impl Root {
    /// Takes an argument: of a directory with a slash at its end, the contents are copied.
    pub(crate) fn new(argument: &OsStr) -> Root {
        let path = argument.as_bytes();
        let last = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let has_name = !matches!(last, b"" | b"." | b"..");
        let root = root_of(path);
        let start = root.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let prefix = if has_name { root[start..].to_vec() } else { Vec::new() };
        Root { path: root, prefix }
    }

    /// The contents of a directory.
    pub(crate) fn contents(directory: &Path) -> Root {
        Root { path: root_of(directory.as_os_str().as_bytes()), prefix: Vec::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        path_of(&self.path)
    }

    /// Returns the path below this source.
    pub(super) fn inside<'p>(&self, walked: &'p [u8]) -> &'p [u8] {
        below(&self.path, walked)
    }

    /// Returns the path below the destinations.
    pub(super) fn below(&self, walked: &[u8]) -> Vec<u8> {
        join(&self.prefix, self.inside(walked))
    }

    /// Returns the path of the source from that below the destinations.
    pub(super) fn source(&self, path: &[u8]) -> Vec<u8> {
        join(&self.path, below(&self.prefix, path))
    }

    /// Whether this source has something that arrives under this path below the destinations.
    fn has(&self, path: &[u8]) -> bool {
        let rest = path.strip_prefix(&self.prefix[..]);
        let is_below = rest.is_some_and(|rest| self.prefix.is_empty() || rest.is_empty() || rest[0] == b'/');
        is_below && path_of(&self.source(path)).symlink_metadata().is_ok()
    }
}

/// Whether a path is that of a directory for staged files, or in it.
pub(super) fn is_staging(path: &[u8]) -> bool {
    path.strip_prefix(STAGING.as_bytes()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

fn join(one: &[u8], other: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if one.is_empty() || other.is_empty() || one.ends_with(b"/") { b"" } else { b"/" };
    [one, slash, other].concat()
}

/// The sources, and how they are copied.
pub(crate) struct Order<'a> {
    pub(crate) roots: Vec<Root>,
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) one_file_system: bool,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) read_back: IoMethod,
    pub(crate) options: &'a BagOptions,
}

impl Order<'_> {
    pub(super) fn selection(&self) -> Selection {
        Selection::from_iter(self.algorithms.iter().copied())
    }

    pub(super) fn run(&self, walk: WalkOptions, memory_bytes: u64) -> HashRun {
        HashRun { walk, engine: bag_files::engine(self.options, &self.algorithms, memory_bytes) }
    }

    /// Returns the facts of this run, for lists of what is at a destination.
    pub(crate) fn facts(&self, destination: &Path) -> RunFacts {
        let mut facts = self.run(WalkOptions::default(), 0).facts();
        facts.directory = fs::canonicalize(destination).unwrap_or_default().into_os_string().into_encoded_bytes();
        facts
    }

    /// Opens the destinations. Refuses those that contain a source under its own name, or that are in one.
    pub(crate) fn destinations(&self, paths: &[&Path]) -> Result<Destinations, Failed> {
        refuse_common_sources(&self.roots, resolved)?;
        for (place, path) in paths.iter().enumerate() {
            reading::refuse_file(path)?;
            self.refuse_circles(path)?;
            if paths[..place].iter().any(|other| is_same(other, path)) {
                return Err(Failed::usage(format_args!("{} is named twice", message::quoted_path(path))));
            }
        }
        let mut opened: Vec<Target> = Vec::new();
        for path in paths {
            let mut header = Vec::new();
            journal_format(&self.selection())?.header(&self.facts(path), &mut header);
            match Destination::open(path, &self.selection(), &header) {
                Ok(destination) => opened.push(Target::new(destination, self.has_own_paths(), header)),
                Err(error) => {
                    Destinations::new(opened).abandon();
                    return Err(Failed::usage(error));
                }
            }
        }
        Ok(Destinations::new(opened))
    }

    /// Whether no two sources can have files that arrive under the same path. Of several whose contents arrive without
    /// their names, nobody knows before all is listed.
    pub(super) fn has_own_paths(&self) -> bool {
        self.roots.len() == 1 || self.roots.iter().all(|root| !root.prefix.is_empty())
    }

    /// Refuses a list that would replace a file of a source, or one that is copied.
    pub(crate) fn refuse_list(&self, list: &Output, destinations: &[&Path]) -> Result<(), Failed> {
        for root in &self.roots {
            let is_in_source = list.replaced().is_some() && list.below(root.path()).is_some();
            if list.is(root.path()) || is_in_source {
                return Err(Failed::usage(format_args!(
                    "the list would replace a file of the source {}: name another file with -o",
                    message::quoted(&root.path)
                )));
            }
        }
        for destination in destinations {
            let Some(path) = list.below(destination) else { continue };
            let path = path.as_os_str().as_bytes();
            if is_staging(path) || self.roots.iter().any(|root| root.has(path)) {
                return Err(Failed::usage(format_args!(
                    "the list would replace something that is copied to {}: name another file with -o",
                    message::quoted_path(destination)
                )));
            }
        }
        Ok(())
    }

    /// Refuses a destination that is in a source, or at which a source would arrive where it is.
    fn refuse_circles(&self, path: &Path) -> Result<(), Failed> {
        let there = place_of(path);
        for root in &self.roots {
            let Some(source) = resolved(root.path()) else { continue };
            if there.starts_with(&source) || there.join(path_of(&root.prefix)) == source {
                return Err(Failed::usage(format_args!(
                    "{} cannot be copied to {}, which is in it or contains it under the same name",
                    message::quoted(&root.path),
                    message::quoted_path(path)
                )));
            }
        }
        Ok(())
    }
}

/// Refuses sources that contain each other, arrive under the same name, or under that of the directory for staged
/// files. `resolve` is called once for each, and returns its path without symbolic links, if it is there.
fn refuse_common_sources(roots: &[Root], mut resolve: impl FnMut(&Path) -> Option<PathBuf>) -> Result<(), Failed> {
    let mut names = HashMap::new();
    // Sorted by components, a path stands right before what is below it. Of those here, none is below another.
    let mut paths: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (place, root) in roots.iter().enumerate() {
        if root.prefix == STAGING.as_bytes() {
            return Err(Failed::usage(format_args!(
                "{} cannot keep its name, under which pfh keeps unfinished copies; for its contents, write a slash at its end",
                message::quoted(&root.path)
            )));
        }
        let named = if root.prefix.is_empty() { None } else { names.insert(&root.prefix[..], place) };
        let path = resolve(root.path());
        let common = path.as_ref().and_then(|path| {
            let before = paths.range::<PathBuf, _>(..=path).next_back();
            let above = before.filter(|(other, _)| path.starts_with(other));
            let below = paths.range::<PathBuf, _>(path..).take_while(|(other, _)| other.starts_with(path));
            above.into_iter().chain(below).map(|(_, &other)| other).min()
        });
        let quoted = |place: usize| message::quoted(&roots[place].path);
        if let Some(other) = named.filter(|&named| common.is_none_or(|common| named <= common)) {
            return Err(Failed::usage(format_args!(
                "{} and {} have the same name at the destination; copy them to different ones",
                quoted(place),
                quoted(other)
            )));
        }
        if let Some(other) = common {
            return Err(Failed::usage(format_args!(
                "{} and {} have files in common; name them once",
                quoted(place),
                quoted(other)
            )));
        }
        paths.extend(path.map(|path| (path, place)));
    }
    Ok(())
}

/// Returns a path without symbolic links, if it is there.
fn resolved(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Whether two paths lead to the same directory, or will do so when it is made.
fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => place_of(one) == place_of(other),
    }
}

/// Makes the format of journals.
pub(super) fn journal_format(selection: &Selection) -> Result<Box<dyn Format>, Failed> {
    FormatName::Jsonl.writer(selection, &WriteOptions::default()).map_err(Failed::usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Vec<Root> {
        arguments.into_iter().map(|argument| Root::new(OsStr::new(argument))).collect()
    }

    #[test]
    fn each_source_is_resolved_once() {
        let names: Vec<_> = (0..1000).map(|number| format!("s/{number}")).collect();
        let roots = roots(names.iter().map(String::as_str));
        let mut calls = 0;
        let resolve = |path: &Path| {
            calls += 1;
            Some(Path::new("/").join(path))
        };
        refuse_common_sources(&roots, resolve).unwrap();
        assert_eq!(calls, roots.len());
    }

    #[test]
    fn the_first_source_that_has_something_in_common_is_named_with_the_first_of_the_others() {
        let refused = |arguments: &[&str]| {
            let resolve = |path: &Path| (!path.starts_with("none")).then(|| Path::new("/").join(path));
            refuse_common_sources(&roots(arguments.iter().copied()), resolve).err()
        };
        // As text, `a-b` stands between `a` and `a/x`, but not by components.
        for arguments in [&["a", "ab", "a-b", "b/c", "b/ca"][..], &["a-b/c/", "a/", "a-b/d/"], &["none/a", "none/b"]] {
            assert!(refused(arguments).is_none(), "{arguments:?}");
        }
        for (arguments, text) in [
            (&["a", "a-b", "a/x", "a"][..], "`a/x` and `a` have files in common"),
            (&["a/x", "a-b", "a"], "`a` and `a/x` have files in common"),
            (&["b", "a/y", "a-b", "a/x", "a"], "`a` and `a/y` have files in common"),
            (&["a/", "b", "a/"], "`a` and `a` have files in common"),
            (&["x/n", "y/n", "x"], "`y/n` and `x/n` have the same name"),
            (&["none/n", "n"], "`n` and `none/n` have the same name"),
            (&["n", "n"], "`n` and `n` have the same name"),
            (&["a/", "b/n", "a/n"], "`a/n` and `a` have files in common"),
            (&["b/n", "a/", "a/n"], "`a/n` and `b/n` have the same name"),
            (&["a", "b/.pfh-copy", "a"], "`b/.pfh-copy` cannot keep its name"),
        ] {
            let said = format!("{:?}", refused(arguments));
            assert!(said.contains(text), "{arguments:?} {said}");
        }
    }
}
