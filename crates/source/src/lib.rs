//! Sources of bytes: the walk, the identity of devices, opening and reading.
//!
//! [`Source`] and [`SourceFile`] are the traits by which the engine reads from any place that holds files.
//! [`LocalSource`] is the file system of this machine, and the only code of the project that opens a file for its
//! contents. This crate knows no digest and no output format.
//!
//! ```
//! use pfh_source::{Found, LocalSource, Source, WalkOptions};
//!
//! let mut options = WalkOptions::default();
//! options.roots.push(b"src".to_vec());
//! options.include.push("l?b.rs".to_owned());
//! let source = LocalSource::new(options)?;
//! let mut paths = Vec::new();
//! source.walk(&mut |found| {
//!     if let Found::Entry(entry) = found {
//!         paths.push(entry.path());
//!     }
//!     true
//! });
//! assert_eq!(paths, [b"src/lib.rs"]);
//! # Ok::<(), pfh_source::PatternError>(())
//! ```
//!
//! Limits: it runs on Linux only (the walk reads raw directory records). The names of one directory per level of the
//! walk are held in memory, each with about 32 bytes in addition to the name.
#![deny(unsafe_code)]

#[cfg(not(target_os = "linux"))]
compile_error!("pfh-source reads directories and devices through Linux system calls");

mod again;
mod ahead;
#[cfg(test)]
mod deep;
mod descriptor;
mod device;
mod directory;
mod extent;
mod file;
mod filter;
mod limits;
mod listed;
mod listing;
mod local;
mod long_path;
mod map;
mod mounts;
mod options;
mod part;
mod reading;
mod sizes;
mod source;
mod spent;
mod stamp;
mod standard;
mod walk;
mod watch;

pub use again::{FoundFile, FoundFiles, FoundHandle, FoundLocalFile, SharedExtents};
pub use device::{Device, Medium, View, is_remote, view_of};
pub use directory::LocalHandle;
pub use file::{LocalFile, allocated_bytes, metadata_at};
pub use filter::PatternError;
pub use limits::{OpenFiles, TooFewOpenFiles, open_file_limit, raise_open_file_limit};
pub use listed::{Listed, ListedFiles};
pub use local::{LocalSource, Totals};
pub use long_path::{identity_of, is_regular_file};
pub use map::MappedFile;
pub use options::{FileList, IoMethod, WalkOptions};
pub use part::{FilePart, ListedFile, ListedHandle};
pub use pfh_record::{ErrorKind, FileError, FileIdentity, Metadata, Posix, SkipReason, Timestamp};
pub use source::{CachedRead, Entry, EntryKind, Found, Handle, LookAhead, Other, PathHandle, Source, SourceFile};
pub use stamp::{OpenedAt, Proof, Stamp, Version};
pub use standard::{stdin_was_closed, stdout_was_closed};
pub use watch::Watch;
