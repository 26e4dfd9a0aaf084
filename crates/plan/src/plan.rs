//! A plan: the folder, and what `plan.json` says.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use pfh_digest::hexadecimal;
use pfh_digest::parts::is_part_bytes;
use pfh_list::{AtomicFile, NotDurable, open_regular};
use pfh_record::jsonl::{bytes_of_texts, texts};
use pfh_record::{DigestKind, Selection};
use serde::{Deserialize, Serialize};

use crate::PlanError;
use crate::cut::{SHARDS_MAX, part_bytes};
use crate::list::{Shard, ShardList};

const VERSION: u64 = 1;
const KIND: &str = "pfh-plan";
const FILE_NAME: &str = "plan.json";

/// Most bytes of a `plan.json`. [`SHARDS_MAX`] shards take a third of it.
const PLAN_BYTES_MAX: u64 = 64 << 20;

/// Totals of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanTotals {
    /// Number of entries.
    pub entries: u64,
    /// Number of files among them.
    pub files: u64,
    /// Total size of the files, in bytes.
    pub bytes: u64,
    /// Total weight of the entries.
    pub weight: u64,
}

/// The file with the greatest weight, which no number of shards makes shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongestFile {
    /// Its path in raw bytes.
    pub path: Vec<u8>,
    /// Its size in bytes.
    pub size: u64,
}

/// A directory of the tree, by which machines recognise it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreePlace {
    /// Its path in raw bytes: absolute, or below [`PlanOptions::directory`].
    pub path: Vec<u8>,
    /// Its inode number.
    pub inode: u64,
    /// The time when it was made, where the filesystem states it: microseconds after 1970-01-01T00:00:00Z. They are
    /// rounded down, because some network filesystems keep no nanoseconds. The roots of many filesystems have the same
    /// inode number, and this time never changes.
    pub birth_microseconds: Option<i64>,
}

impl TreePlace {
    /// Takes the marks of a directory.
    pub fn new(path: Vec<u8>, metadata: &fs::Metadata) -> TreePlace {
        let birth = metadata.created().ok().map(|time| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_micros() as i64,
            // Rounded down, too.
            Err(before) => -(before.duration().as_nanos().div_ceil(1000) as i64),
        });
        TreePlace { path, inode: metadata.ino(), birth_microseconds: birth }
    }

    /// Compares another directory with this one, and returns the difference; `None` if it is the same one. Times of
    /// birth are compared if both are known.
    pub fn difference(&self, other: &TreePlace) -> Option<String> {
        if other.inode != self.inode {
            return Some(format!("inode {} instead of {}", other.inode, self.inode));
        }
        let births = self.birth_microseconds.zip(other.birth_microseconds);
        births
            .is_some_and(|(one, another)| one != another)
            .then(|| format!("inode {}, as planned, but it was made at another time", self.inode))
    }
}

/// Variants of similarity digests, in the words of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variants {
    /// Version of sdhash; `None` for the default.
    pub sdhash_profile: Option<String>,
    /// Block size of sdhash in KiB, 0 for none; `None` for automatic.
    pub sdhash_blocks: Option<u32>,
    /// Segment size in lists of sdhash, in MiB; `None` for the default.
    pub sdhash_segments: Option<u32>,
    /// Whether mrsh-v2 digests are made as its build for network packets does.
    pub mrsh_network: bool,
}

/// Everything of a plan that decides about records, beside the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// The digests, in their order.
    pub selection: Selection,
    /// The absolute directory that relative paths start from, in raw bytes.
    pub directory: Vec<u8>,
    /// Directories by which machines recognise the tree.
    pub tree: Vec<TreePlace>,
    /// Files of more bytes than this are listed in parts of this length or a multiple
    /// ([`part_bytes`](crate::part_bytes)); `None` if all files are whole. A power of two, and
    /// [`PART_BYTES_MIN`](pfh_digest::parts::PART_BYTES_MIN) or more.
    pub split_bytes: Option<u64>,
    /// Length of the pieces in bytes, if digests of pieces are wanted.
    pub piece_bytes: Option<u64>,
    /// The word for the bytes that entropies are taken from, if facts about contents are wanted.
    pub facts: Option<String>,
    /// Variants of similarity digests.
    pub variants: Variants,
    /// Whether regular files that symbolic links lead to are read.
    pub follow_files: bool,
}

impl PlanOptions {
    /// Makes options with these digests and this absolute directory.
    pub fn new(selection: Selection, directory: Vec<u8>) -> PlanOptions {
        PlanOptions {
            selection,
            directory,
            tree: Vec::new(),
            split_bytes: None,
            piece_bytes: None,
            facts: None,
            variants: Variants::default(),
            follow_files: false,
        }
    }
}

/// A plan on disk.
#[derive(Clone, Debug)]
pub struct Plan {
    folder: PathBuf,
    options: PlanOptions,
    per_file_bytes: u64,
    totals: PlanTotals,
    longest: Option<LongestFile>,
    /// SHA-256 of all lists joined.
    sha256: [u8; 32],
    shards: Vec<Shard>,
}

/// `plan.json`, but for the shards.
#[derive(Serialize)]
struct HeadFields<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    version: u64,
    program: &'a str,
    program_version: &'a str,
    #[serde(flatten)]
    rest: Fields,
}

/// The fields of `plan.json` that are written and read alike.
#[derive(Serialize, Deserialize)]
struct Fields {
    directory: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    directory_base64: Option<String>,
    tree: Vec<TreeFields>,
    algorithms: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    piece_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sdhash_profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sdhash_blocks: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sdhash_segments: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    mrsh_network: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    follow_files: bool,
    per_file_bytes: u64,
    shards: u32,
    entries: u64,
    files: u64,
    bytes: u64,
    weight: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_file: Option<LongestFields>,
    sha256: String,
}

#[derive(Serialize, Deserialize)]
struct TreeFields {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
    inode: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    birth_microseconds: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct LongestFields {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
    size: u64,
}

#[derive(Serialize, Deserialize)]
struct ShardFields {
    entries: u64,
    files: u64,
    bytes: u64,
    weight: u64,
    sha256: String,
}

/// The fields that every version has.
#[derive(Deserialize)]
struct KindFields {
    #[serde(rename = "type")]
    kind: String,
    version: u64,
}

#[derive(Deserialize)]
struct PlanFields {
    #[serde(flatten)]
    rest: Fields,
    lists: Vec<ShardFields>,
}

fn raw(text: String, base64: Option<String>) -> Result<Vec<u8>, String> {
    bytes_of_texts(text.into(), base64.map(Into::into))
}

fn parse_hexadecimal(text: &str) -> Result<[u8; 32], String> {
    let algorithm = pfh_digest::Algorithm::SHA256;
    let digest = pfh_digest::Digest::from_hex(algorithm, text.as_bytes());
    digest.and_then(|digest| digest.bytes().try_into().ok()).ok_or_else(|| "a SHA-256 has 64 digits".to_owned())
}

impl Plan {
    pub(crate) fn new(
        folder: PathBuf,
        options: PlanOptions,
        per_file_bytes: u64,
        longest: Option<LongestFile>,
        sha256: [u8; 32],
        shards: Vec<Shard>,
    ) -> Plan {
        let totals = sum(&shards);
        Plan { folder, options, per_file_bytes, totals, longest, sha256, shards }
    }

    /// Opens a plan.
    ///
    /// # Errors
    /// [`PlanError`] if the folder has none, or it is of another version or damaged. Lists and results are not
    /// examined.
    pub fn open(folder: &Path) -> Result<Plan, PlanError> {
        let path = folder.join(FILE_NAME);
        let mut bytes = Vec::new();
        let read = open_regular(&path).and_then(|file| file.take(PLAN_BYTES_MAX + 1).read_to_end(&mut bytes));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => {
                return Err(PlanError::NoPlan { folder: folder.to_owned() });
            }
            read => read.map_err(PlanError::io(&path))?,
        };
        let damaged = |reason: String| PlanError::Plan { path: path.clone(), reason };
        if bytes.len() as u64 > PLAN_BYTES_MAX {
            return Err(damaged(format!("it is longer than {PLAN_BYTES_MAX} bytes")));
        }
        Plan::parse(folder, &bytes)
    }

    /// Parses `plan.json` of this folder.
    ///
    /// # Errors
    /// [`PlanError::Version`] and [`PlanError::Plan`].
    pub fn parse(folder: &Path, bytes: &[u8]) -> Result<Plan, PlanError> {
        let path = folder.join(FILE_NAME);
        let damaged = |reason: String| PlanError::Plan { path: path.clone(), reason };
        let kind: KindFields = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        if kind.kind != KIND {
            return Err(damaged(format!("its type is not {KIND:?}")));
        }
        if kind.version != VERSION {
            return Err(PlanError::Version { path, version: kind.version });
        }
        let fields: PlanFields = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        Plan::of_fields(folder, fields).map_err(damaged)
    }

    fn of_fields(folder: &Path, PlanFields { rest, lists }: PlanFields) -> Result<Plan, String> {
        let mut selection = Selection::default();
        for name in &rest.algorithms {
            selection.extend([name.parse::<DigestKind>().map_err(|error| error.to_string())?]);
        }
        let directory = raw(rest.directory, rest.directory_base64)?;
        if !directory.starts_with(b"/") {
            return Err("its directory is not absolute".to_owned());
        }
        let tree = rest.tree.into_iter().map(|TreeFields { path, path_base64, inode, birth_microseconds }| {
            Ok(TreePlace { path: raw(path, path_base64)?, inode, birth_microseconds })
        });
        let shards = lists.into_iter().map(|list| {
            let ShardFields { entries, files, bytes, weight, sha256 } = list;
            Ok(Shard { entries, files, bytes, weight, sha256: parse_hexadecimal(&sha256)? })
        });
        let shards = shards.collect::<Result<Vec<Shard>, String>>()?;
        if shards.len() != rest.shards as usize || !(1..=SHARDS_MAX).contains(&rest.shards) {
            return Err(format!("it has {} lists, and {} shards", shards.len(), rest.shards));
        }
        let totals = PlanTotals { entries: rest.entries, files: rest.files, bytes: rest.bytes, weight: rest.weight };
        if sum(&shards) != totals {
            return Err("its totals are not the sums of its lists".to_owned());
        }
        let longest = rest.longest_file.map(|longest| {
            Ok::<_, String>(LongestFile { path: raw(longest.path, longest.path_base64)?, size: longest.size })
        });
        let split_bytes = rest.split_bytes;
        let is_joinable = rest.piece_bytes.is_none() && rest.facts.is_none() && cannot_be_joined(&selection).is_empty();
        if split_bytes.is_some_and(|bytes| !is_part_bytes(bytes) || !is_joinable) {
            return Err("it splits files into parts whose values cannot be joined".to_owned());
        }
        Ok(Plan {
            folder: folder.to_owned(),
            options: PlanOptions {
                selection,
                directory,
                tree: tree.collect::<Result<_, String>>()?,
                split_bytes,
                piece_bytes: rest.piece_bytes,
                facts: rest.facts,
                variants: Variants {
                    sdhash_profile: rest.sdhash_profile,
                    sdhash_blocks: rest.sdhash_blocks,
                    sdhash_segments: rest.sdhash_segments,
                    mrsh_network: rest.mrsh_network,
                },
                follow_files: rest.follow_files,
            },
            per_file_bytes: rest.per_file_bytes,
            totals,
            longest: longest.transpose()?,
            sha256: parse_hexadecimal(&rest.sha256)?,
            shards,
        })
    }

    /// Writes `plan.json`, whole and last.
    pub(crate) fn write(&self) -> Result<(), PlanError> {
        let path = self.folder.join(FILE_NAME);
        let written = AtomicFile::create_unfollowed(&path).and_then(|mut file| {
            file.write_all(self.json().as_bytes())?;
            file.persist_new()
        });
        let written = written.map_err(|error| {
            if !NotDurable::is(&error) {
                return error;
            }
            // A plan without its lists would keep the folder from another one.
            let _ = fs::remove_file(&path);
            io::Error::new(error.kind(), "its directory could not be written to the disk, so no plan was made")
        });
        match written.map_err(PlanError::io(&path))? {
            true => Ok(()),
            false => Err(PlanError::Exists { folder: self.folder.clone() }),
        }
    }

    /// Returns the text of `plan.json`: all but the lists in the first line, and each list in a line.
    pub fn json(&self) -> String {
        let PlanOptions { selection, directory, tree, split_bytes, piece_bytes, facts, variants, follow_files } =
            &self.options;
        let PlanTotals { entries, files, bytes, weight } = self.totals;
        let (directory, directory_base64) = texts(directory);
        let tree = tree.iter().map(|place| {
            let (path, path_base64) = texts(&place.path);
            TreeFields { path, path_base64, inode: place.inode, birth_microseconds: place.birth_microseconds }
        });
        let longest_file = self.longest.as_ref().map(|longest| {
            let (path, path_base64) = texts(&longest.path);
            LongestFields { path, path_base64, size: longest.size }
        });
        let rest = Fields {
            directory,
            directory_base64,
            tree: tree.collect(),
            algorithms: selection.names().map(str::to_owned).collect(),
            split_bytes: *split_bytes,
            piece_bytes: *piece_bytes,
            facts: facts.clone(),
            sdhash_profile: variants.sdhash_profile.clone(),
            sdhash_blocks: variants.sdhash_blocks,
            sdhash_segments: variants.sdhash_segments,
            mrsh_network: variants.mrsh_network,
            follow_files: *follow_files,
            per_file_bytes: self.per_file_bytes,
            shards: self.shards.len() as u32,
            entries,
            files,
            bytes,
            weight,
            longest_file,
            sha256: hexadecimal(&self.sha256),
        };
        let head = HeadFields {
            kind: KIND,
            version: VERSION,
            program: "pfh",
            program_version: env!("CARGO_PKG_VERSION"),
            rest,
        };
        let lists = self.shards.iter().map(|shard| {
            let Shard { entries, files, bytes, weight, sha256 } = *shard;
            text(&ShardFields { entries, files, bytes, weight, sha256: hexadecimal(&sha256) })
        });
        let lists: Vec<String> = lists.collect();
        let head = text(&head);
        format!("{},\"lists\":[\n{}\n]}}\n", head.trim_end_matches('}'), lists.join(",\n"))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The options that decide about records, beside the listing.
    pub fn options(&self) -> &PlanOptions {
        &self.options
    }

    /// The weight of a file beside its size, in bytes.
    pub fn per_file_bytes(&self) -> u64 {
        self.per_file_bytes
    }

    /// The totals of the listing.
    pub fn totals(&self) -> PlanTotals {
        self.totals
    }

    /// The file with the greatest weight, unless there is no file.
    pub fn longest(&self) -> Option<&LongestFile> {
        self.longest.as_ref()
    }

    /// Returns the most bytes that one task has to read in one piece: the size of the longest file, or of its parts.
    pub fn longest_bytes(&self) -> Option<u64> {
        let size = self.longest.as_ref()?.size;
        Some(self.options.split_bytes.and_then(|split| part_bytes(size, split)).unwrap_or(size))
    }

    /// The shards, by their numbers.
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// Returns the path of the list of a shard.
    pub fn list_path(&self, shard: u32) -> PathBuf {
        self.folder.join(list_name(shard))
    }

    /// Returns the path at which the result of a shard appears.
    pub fn result_path(&self, shard: u32) -> PathBuf {
        self.folder.join(format!("{shard:05}.jsonl"))
    }

    /// Opens the list of a shard, which is checked when it was read to its end.
    ///
    /// # Errors
    /// [`PlanError`] if there is no such shard, or its list cannot be opened.
    pub fn list(&self, shard: u32) -> Result<ShardList, PlanError> {
        let path = self.list_path(shard);
        match self.shards.get(shard as usize) {
            Some(expected) => ShardList::open(&path, expected),
            None => Err(PlanError::Io { path, error: io::ErrorKind::NotFound.into() }),
        }
    }

    /// Checks the list of a shard: whether it is the one that was planned.
    ///
    /// # Errors
    /// As [`Plan::list`], and [`PlanError::List`].
    pub fn verify_list(&self, shard: u32) -> Result<(), PlanError> {
        self.list(shard)?.verify()
    }

    /// Removes what attempts that were killed have left behind. An attempt that still runs is in vain afterwards, so
    /// this is for plans all of whose shards have results.
    ///
    /// # Errors
    /// [`PlanError::Io`].
    pub fn remove_left_overs(&self) -> Result<(), PlanError> {
        for entry in fs::read_dir(&self.folder).map_err(PlanError::io(&self.folder))? {
            let entry = entry.map_err(PlanError::io(&self.folder))?;
            if entry.file_name().as_bytes().starts_with(pfh_list::TEMPORARY_PREFIX.as_bytes()) {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(PlanError::Io { path: entry.path(), error });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// Returns the names of the digests that parts of a file cannot be joined into, each of which needs the whole file.
pub fn cannot_be_joined(selection: &Selection) -> Vec<String> {
    let serial = selection.algorithms().iter().filter(|algorithm| !algorithm.joins_parts()).map(ToString::to_string);
    serial.chain(selection.families().iter().map(ToString::to_string)).collect()
}

/// Returns the name of the list of a shard.
pub(crate) fn list_name(shard: u32) -> String {
    format!("{shard:05}.list")
}

/// Whether a folder has a plan.
pub(crate) fn has_plan(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(FILE_NAME)).is_ok()
}

fn sum(shards: &[Shard]) -> PlanTotals {
    shards.iter().fold(PlanTotals::default(), |sum, shard| PlanTotals {
        entries: sum.entries.saturating_add(shard.entries),
        files: sum.files.saturating_add(shard.files),
        bytes: sum.bytes.saturating_add(shard.bytes),
        weight: sum.weight.saturating_add(shard.weight),
    })
}

fn text(value: &impl Serialize) -> String {
    // Structures of numbers and text can always be written.
    serde_json::to_string(value).unwrap_or_default()
}
