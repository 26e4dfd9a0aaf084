//! The command line of `pfh bag`.

use super::common_args::MessageArguments;
use super::quantity::parse_bytes;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pfh bag create DIR
      DIR becomes a bag: its contents move into DIR/data, and manifests of SHA-512 are written
  pfh bag create -a sha256,md5 --tag Contact-Name='A. B.' --tag External-Identifier=42 DIR
      by two algorithms in one read, and with metadata
  pfh bag create --copy-to BAG DIR
      DIR stays as it is; its contents are copied to BAG/data, and each copy is read back
  pfh bag verify DIR
      whether the bag is valid, and all that is wrong with it
  pfh bag verify --complete BAG…
      of several bags, whether every listed file is there and every file is listed; nothing is hashed
  pfh bag verify --profile profile.json -f jsonl BAG
      also against what an institution demands of its bags, for programs
  pfh bag update DIR
      new manifests after files of the payload or tag files have changed, and which these are

Exit status:
  0    all done; verify: all bags are valid
  1    verify: a bag is not valid
  2    the command line is wrong, the directory is no bag (update) or is one already (create), or it has what a bag
       cannot have: links, devices, names that are not UTF-8; nothing was changed
  3    some file could not be read; create and update have changed nothing
  4    something could not be written
  5    1 and 3 together
  130  interrupted
  141  the reader of standard output closed it before the end";

/// Make, verify and update bags (BagIt, RFC 8493): directories whose contents are listed with digests.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct BagArguments {
    #[command(subcommand)]
    pub(crate) command: BagCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BagCommand {
    /// Make directories bags of version 1.0.
    ///
    /// Its contents move into a directory `data` in it. All files are hashed first; until then nothing is changed. If
    /// the program is killed while it moves them, the same command finishes the work.
    Create(CreateArguments),
    /// Verify bags of versions 0.93 to 1.0, and report everything that is wrong.
    ///
    /// Nothing outside of a bag is read, and nothing is fetched: symbolic links are not followed, and files that
    /// fetch.txt lists and that are not there make the bag incomplete.
    Verify(VerifyArguments),
    /// Write new manifests after files were added, removed or changed.
    ///
    /// Metadata and other tag files are kept. The bag is of version 1.0 afterwards.
    Update(UpdateArguments),
}

#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// The directories, each of which becomes a bag.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    pub(crate) directories: Vec<PathBuf>,

    /// Leave the directory as it is, and make the bag in BAG, with a verified copy of its contents (as by `pfh copy`).
    ///
    /// BAG is made if it is not there. The same command goes on after an interruption.
    #[arg(long, value_name = "BAG", value_hint = ValueHint::DirPath)]
    pub(crate) copy_to: Option<PathBuf>,

    /// Algorithms, separated by commas, or repeated; one read computes them all [default: sha512].
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Write a label and a value into bag-info.txt (repeatable); the order is kept, and a label may be repeated.
    #[arg(long = "tag", value_name = "LABEL=VALUE")]
    pub(crate) tags: Vec<String>,

    #[command(flatten)]
    pub(crate) options: BagOptions,
}

#[derive(Debug, Args)]
pub(crate) struct UpdateArguments {
    /// The bag.
    #[arg(value_name = "BAG", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,

    /// Algorithms of the new manifests [default: those of the old ones]. Manifests by others are removed.
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Set a label in bag-info.txt (repeatable): all of its values are replaced, and an empty one removes it.
    #[arg(long = "tag", value_name = "LABEL=VALUE")]
    pub(crate) tags: Vec<String>,

    #[command(flatten)]
    pub(crate) options: BagOptions,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The bags.
    #[arg(value_name = "BAG", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) bags: Vec<OsString>,

    /// Check everything but digests: nothing is hashed (`bagit.py --completeness-only`).
    #[arg(long, alias = "completeness-only", conflicts_with = "oxum")]
    pub(crate) complete: bool,

    /// Compare only the number and the bytes of the files with Payload-Oxum (`bagit.py --fast`).
    #[arg(long, alias = "fast", conflicts_with = "profile")]
    pub(crate) oxum: bool,

    /// Also check what this profile demands (BagIt Profiles 1.3 and 1.4, JSON).
    ///
    /// A profile that a bag names by its address is not fetched.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) profile: Option<PathBuf>,

    /// Format of the verdicts and findings.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: BagFormat,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) options: BagOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BagFormat {
    /// For people.
    Text,
    /// JSON Lines: a header, bags, each followed by its findings, a summary.
    #[value(alias = "json")]
    Jsonl,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How to read")]
pub(crate) struct BagOptions {
    /// Number of threads [default: one per core].
    #[arg(short, long, visible_short_alias = 'j', alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,

    /// Memory limit for reading and sorting (K, M, G: powers of 1024).
    ///
    /// Records that do not fit wait in temporary files. Results do not depend on it.
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    #[command(flatten)]
    pub(crate) messages: MessageArguments,
}
