//! The command line of `pfh copy`.

use super::bag_args::BagOptions;
use super::common_args::{IoWord, Suggested};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};
use pfh_digest::Algorithm;
use pfh_record::FormatName;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pfh copy photos /mnt/archive -o photos.sha256
      /mnt/archive/photos, and a list of what is in it; (cd /mnt/archive && sha256sum -c) reads that
  pfh copy photos/ /mnt/archive/2026
      what is in photos, without its name
  pfh copy -a sha256,blake3 -f jsonl -o receipt.jsonl --to /mnt/a --to /mnt/b card1 card2
      two cards to two disks: each card is read once
  pfh bag create --copy-to /mnt/archive/accession-7 photos
      a bag as the receipt

Exit status:
  0    all was copied, read back and found equal
  1    something else has the name of a file or a directory already, or what was read back differs
  2    the command line is wrong, a destination cannot be used, or the list would replace a file of a source or a
       copy; nothing was copied
  3    some file could not be read, or could not be written under its name
  4    a destination is full or has failed, or the list could not be written; the same command goes on
  5    1 and 3 together
  130  interrupted; the same command goes on";

/// Returns the names of the algorithms that copies can be verified by.
fn algorithm_names() -> Vec<String> {
    Algorithm::all().map(|algorithm| algorithm.to_string()).collect()
}

/// Copy files and directories, and verify each copy by reading it back.
///
/// Each source is read once, and its digests are computed on the way. A file is written under another name, in a
/// directory `.pfh-copy` of the destination; it is read back, past the system's cache where the filesystem permits
/// that; and only if it is equal it gets its name. No file is ever replaced: one that is there already is read and
/// compared. If the copy is interrupted, the same command goes on.
///
/// Times, modes, holes, hard links and symbolic links are kept, owners where the system permits it; extended attributes
/// and access control lists are not. Devices, sockets and pipes are not copied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct CopyArguments {
    /// Files and directories, and last the destination, unless --to names destinations.
    ///
    /// The destination is a directory, which is made if it is not there. A source arrives in it under its own name; of
    /// a directory with a slash at its end, the contents do.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required = true)]
    pub(crate) paths: Vec<OsString>,

    /// A destination (repeatable). All given paths are sources then.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) to: Vec<PathBuf>,

    /// Algorithms, separated by commas, or repeated; one read computes them all.
    #[arg(
        short, long = "algorithm", value_name = "LIST", value_delimiter = ',', default_value = "sha256",
        value_parser = Suggested(NonEmptyStringValueParser::new(), algorithm_names)
    )]
    pub(crate) algorithms: Vec<String>,

    /// Write a list of all copied files to FILE, which appears whole or not at all; `-` is standard output.
    ///
    /// Its paths start at the destinations, so that `pfh verify FILE DESTINATION` reads it. Files that an interrupted
    /// copy has copied are in it.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several].
    #[arg(short, long, value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<FormatName>,

    /// Copy only files that match GLOB (repeatable), as in `pfh hash`.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Leave out files and directories that match GLOB (repeatable), as in `pfh hash`.
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Stay on the filesystem of each source.
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// How copies are read back: around the page cache (`direct`), or after they were dropped from it (`drop`).
    ///
    /// `direct` is like `drop` where the filesystem refuses it. With `buffered`, a copy that the system holds in memory
    /// can hide that the medium lost it.
    #[arg(long, value_name = "METHOD", default_value = "direct")]
    pub(crate) read_back: IoWord,

    #[command(flatten)]
    pub(crate) options: BagOptions,
}
