//! Bags: directories whose contents are listed with digests (BagIt, RFC 8493).
//!
//! This crate reads and writes tag files, and judges a bag. It opens and hashes no files: it is told what is there, is
//! given the tag files as readers, says which files are to be hashed, and takes their digests.
//!
//! - [`Judge`] takes the tag files and the found files, and says what is wrong: [`Finding`]s.
//! - [`Plan`] has the files to be hashed, with the digests that the manifests expect.
//! - [`Changes`] are the differences between the manifests of a bag and its payload, and the lines of new manifests.
//! - [`Profile`] is what an institution demands of its bags (BagIt Profiles 1.4).
//!
//! Memory is bounded: entries of manifests meet the found files by external sorting.
#![forbid(unsafe_code)]

mod changes;
mod declaration;
mod fetch;
mod finding;
mod info;
mod judge;
mod lines;
mod manifest;
mod path;
mod plan;
mod profile;
mod sorted;

pub use changes::{Change, Changes, EachFile};
pub use declaration::{Declaration, Version, declaration_text};
pub use fetch::{FetchLine, read_fetch};
pub use finding::{Finding, Report, Rule, Severity};
pub use info::{Info, Oxum, PAYLOAD_OXUM, Tag, date_is_plausible, info_text};
pub use judge::{FoundKind, Judge, Judged, MOVING, Wanted};
pub use lines::LINE_BYTES_MAX;
pub use manifest::{ManifestEntry, ManifestName, manifest_line, read_manifest};
pub use path::{PATH_BYTES_MAX, encode_path};
pub use plan::{Expected, Plan, Planned, PlannedFiles};
pub use profile::{Profile, ProfileError};
