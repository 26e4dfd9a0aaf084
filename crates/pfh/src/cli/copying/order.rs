//! What is to be copied, where to, and how.

use super::super::bag_args::BagOptions;
use super::super::bag_files::{below, root_of};
use super::super::exit::Failed;
use super::super::message;
use super::targets::{Destinations, Target};
use pfh::HashRun;
use pfh_copy::Destination;
use pfh_digest::Algorithm;
use pfh_engine::Options;
use pfh_record::{Format, FormatName, RunFacts, Selection, WriteOptions};
use pfh_source::{IoMethod, WalkOptions};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

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
        let has_name = !path.ends_with(b"/") && !path.ends_with(b"/.") && !path.ends_with(b"..") && path != b".";
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

    /// Returns the name under which it arrives; empty if its contents do.
    pub(crate) fn name(&self) -> &[u8] {
        &self.prefix
    }

    /// Returns the path below the destinations.
    pub(super) fn below(&self, walked: &[u8]) -> Vec<u8> {
        join(&self.prefix, below(&self.path, walked))
    }

    /// Returns the path of the source from that below the destinations.
    pub(super) fn source(&self, path: &[u8]) -> Vec<u8> {
        join(&self.path, below(&self.prefix, path))
    }
}

pub(super) fn path_of(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

fn join(one: &[u8], other: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if one.is_empty() || other.is_empty() || one.ends_with(b"/") { b"" } else { b"/" };
    [one, slash, other].concat()
}

/// What to copy, and how.
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
        let mut engine = Options::new(self.selection());
        if let Some(threads) = self.options.threads {
            engine.threads = usize::from(threads);
        }
        engine.memory_bytes = memory_bytes;
        HashRun { walk, engine }
    }

    /// Returns the facts of this run, for lists of what is at a destination.
    pub(crate) fn facts(&self, destination: &Path) -> RunFacts {
        let mut facts = self.run(WalkOptions::default(), 0).facts();
        facts.directory = fs::canonicalize(destination).unwrap_or_default().into_os_string().into_encoded_bytes();
        facts
    }

    /// Opens the destinations. Refuses those that contain a source under its own name, or that are in one.
    pub(crate) fn destinations(&self, paths: &[&Path]) -> Result<Destinations, Failed> {
        let resolved = |path: &Path| fs::canonicalize(path).ok();
        let sources: Vec<_> = self.roots.iter().map(|root| resolved(root.path())).collect();
        for (place, (root, source)) in self.roots.iter().zip(&sources).enumerate() {
            let Some(source) = source else { continue };
            let quoted = message::quoted(&root.path);
            let earlier = sources[..place].iter().flatten().zip(&self.roots);
            for (other, other_root) in earlier {
                if source.starts_with(other) || other.starts_with(source) {
                    return Err(Failed::usage(format_args!(
                        "{quoted} and {} have files in common; name them once",
                        message::quoted(&other_root.path)
                    )));
                }
                if !root.prefix.is_empty() && root.prefix == other_root.prefix {
                    return Err(Failed::usage(format_args!(
                        "{quoted} and {} have the same name at the destination; copy them to different ones",
                        message::quoted(&other_root.path)
                    )));
                }
            }
        }
        let mut opened: Vec<Target> = Vec::new();
        for path in paths {
            // It may not be there yet: then what is above it counts.
            let there = path
                .ancestors()
                .find_map(|above| resolved(if above == Path::new("") { Path::new(".") } else { above }));
            for (root, source) in self.roots.iter().zip(&sources) {
                let (Some(source), Some(there)) = (source, &there) else { continue };
                let arrives = resolved(path).map(|path| path.join(path_of(&root.prefix)));
                if there.starts_with(source) || arrives.as_ref() == Some(source) {
                    return Err(Failed::usage(format_args!(
                        "{} cannot be copied to {}, which is in it or contains it under the same name",
                        message::quoted(&root.path),
                        message::quoted_path(path)
                    )));
                }
            }
            if opened
                .iter()
                .any(|other| resolved(other.destination.path()) == resolved(path) && resolved(path).is_some())
            {
                return Err(Failed::usage(format_args!("{} is named twice", message::quoted_path(path))));
            }
            let mut header = Vec::new();
            journal_format(&self.selection())?.header(&self.facts(path), &mut header);
            let destination = Destination::open(path, &self.selection(), &header).map_err(Failed::usage)?;
            opened.push(Target::new(destination));
        }
        Ok(Destinations::new(opened))
    }
}

/// Makes the format of journals.
pub(super) fn journal_format(selection: &Selection) -> Result<Box<dyn Format>, Failed> {
    FormatName::Jsonl.writer(selection, &WriteOptions::default()).map_err(Failed::usage)
}
