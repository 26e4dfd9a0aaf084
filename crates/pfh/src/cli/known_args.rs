//! The command line of `pfh known`.

use super::quantity::parse_bytes;
use super::serve_args::ServeArguments;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use pfh_known::Class;
use pfh_record::{Columns, FormatName};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pfh known build nsrl.pfhk --class good NSRLFile.txt
      a set of the national reference list, for `pfh match --known nsrl.pfhk`
  pfh known check RDS_2026.03.1_modern_minimal.zip
      whether an archive of NSRL is what NIST published
  pfh known build nsrl.pfhk --class good RDS_2026.03.1_modern_minimal.zip RDS_2026.06.1_modern_minimal_delta.zip
      a set of a database of NSRL with its delta
  pfh known build case.pfhk --class bad --keep name,category project-vic.json
      a set that also tells names and categories
  pfh known build both.pfhk nsrl.pfhk case.pfhk
      two sets as one; each file keeps its class
  pfh known build new.pfhk --class good --except nsrl.pfhk list.csv
      what of a list is not in another set
  pfh known build case.pfhk --blocks 4096 --class bad DIR
      a set of the blocks of all files below DIR, whose fragments `pfh match --blocks 4096` finds in disk images
  pfh known info --verify nsrl.pfhk
      what is in a set and where it comes from, and whether it is intact
  pfh known lookup nsrl.pfhk 5d41402abc4b2a76b9719d911017c592
      whether a digest is known
  pfh known export nsrl.pfhk -a md5 --only good -o good.txt
      the digests as a list for other programs
  pfh known serve nsrl.pfhk bad=case.pfhk
      a server for other programs, at http://127.0.0.1:9180

Exit status:
  0    all done
  1    the set is damaged (info --verify), or an archive is not what was published (check)
  2    the command line is wrong, a set cannot be opened, or no source has a digest
  3    some lines of a source could not be read, a part of an archive could not be checked (check), or an
       entry cannot be expressed in the format (export)
  4    the set could not be written
  130  interrupted; no set was written
  141  the reader of standard output closed it before the end";

/// Build sets of known files, and look digests up in them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct KnownArguments {
    #[command(subcommand)]
    pub(crate) command: KnownCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KnownCommand {
    /// Build a set from lists, and from other sets.
    Build(Box<BuildArguments>),
    /// Compare a downloaded archive of NSRL with the check values that NIST publishes beside it.
    Check(CheckArguments),
    /// Show what is in a set, and where it comes from.
    Info(InfoArguments),
    /// Look digests up in sets.
    Lookup(LookupArguments),
    /// Write a set as a list, or as a Bloom filter.
    Export(Box<ExportArguments>),
    /// Answer other programs about sets, by HTTP and by the protocol of nsrlsvr.
    Serve(Box<ServeArguments>),
}

#[derive(Debug, Args)]
pub(crate) struct BuildArguments {
    /// Write the set to SET, which appears whole or not at all.
    #[arg(value_name = "SET", value_hint = ValueHint::FilePath)]
    pub(crate) set: PathBuf,

    /// Lists of digests in any format that pfh reads, and other sets; `-` is a list on standard input.
    ///
    /// Formats are recognised: databases of NSRL (RDSv3), the Sleuth Kit and IPED, NSRL's deltas (`*_delta.sql`, after
    /// their database and in order) and NSRLFile.txt, HashKeeper, iLook, EnCase, Project VIC, Sleuth Kit indexes, and
    /// all that `pfh hash` writes. Any of them may lie in a zip archive.
    #[arg(value_name = "SOURCE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) sources: Vec<OsString>,

    /// Build a set of the blocks of files, for `pfh match --blocks`: the sources are files and directories, and each
    /// whole block of SIZE bytes is hashed.
    ///
    /// A block is a multiple of 512 bytes; 4096 is the length of a cluster in most file systems, and 512 finds
    /// fragments anywhere. The rest of a file after its last whole block is left out, and so are blocks of one byte
    /// value and others that occur in files that have nothing to do with each other. The digests are SHA-256 unless
    /// -a says otherwise.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, conflicts_with_all = ["format", "columns", "keep", "except", "common"])]
    pub(crate) blocks: Option<u64>,

    /// Class of the files in the lists: good, bad or other. Sets keep their own classes.
    #[arg(long, value_name = "CLASS", default_value = "other")]
    pub(crate) class: ClassArgument,

    /// Read the lists as this format, instead of recognising it: a format of `pfh hash`, or nsrl, hashkeeper, ilook,
    /// encase, sleuthkit, vics, icse, hashdb, bagit, ocfl, avp or imager.
    #[arg(long = "as", value_name = "FORMAT", conflicts_with = "columns")]
    pub(crate) format: Option<FormatName>,

    /// Read the lists as tables with these columns, by name or number: `md5=Hash,name="File Name",size=3`. Also sha1,
    /// sha256 …, product and category.
    #[arg(long, value_name = "MAPPING")]
    pub(crate) columns: Option<Columns>,

    /// Take only digests by these algorithms [default: md5, sha1, sha224, sha256, sha384, sha512, sha3-256, sha3-512,
    /// blake2b, blake3, tiger, whirlpool, as far as the lists have them].
    ///
    /// It is also assumed where a list names no algorithm, if only one is given.
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Keep beside digests, as far as the sources tell: size, name, product, category of each file; `digests` keeps the
    /// way from one digest to the others of the file.
    ///
    /// Of several lines with the same digests, one is kept.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) keep: Vec<KeepArgument>,

    /// The release of the lists, to be shown with each match.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) release: String,

    /// A note about the lists, to be kept in the set.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,

    /// Leave out files that are in this set (repeatable).
    #[arg(long, value_name = "SET", value_hint = ValueHint::FilePath)]
    pub(crate) except: Vec<PathBuf>,

    /// Take only files that are in this set, too (repeatable).
    #[arg(long, value_name = "SET", value_hint = ValueHint::FilePath)]
    pub(crate) common: Vec<PathBuf>,

    /// Leave out lines and rows that cannot be read, and sources without wanted digests, instead of making no set; with
    /// --blocks, files that cannot be read.
    ///
    /// They are counted in the set (`pfh known info`), and the exit status is 3.
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// Replace an existing SET even with a set that has not a single file.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// Memory limit for sorting (K, M, G: powers of 1024); temporary files take the rest.
    #[arg(short, long, value_name = "SIZE", default_value = "1G", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    /// Do not print warnings about single lines (the totals at the end and the exit status still count them).
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The archive, such as RDS_2026.03.1_modern_minimal.zip.
    ///
    /// Compared are its SHA-1 with ARCHIVE.sha, SHA-256 of its files with its signatures.txt, and `dbhash` of its
    /// databases with dbhashes.txt, which lies beside it. A part without a published value is told to be unchecked.
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    pub(crate) archive: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// The set.
    #[arg(value_name = "SET", value_hint = ValueHint::FilePath)]
    pub(crate) set: PathBuf,

    /// Read the whole set and check that it is as it was written.
    #[arg(long)]
    pub(crate) verify: bool,

    /// Print a JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LookupArguments {
    /// The set, or CLASS=SET to give its files another class: good, bad or other.
    #[arg(value_name = "SET", value_hint = ValueHint::FilePath)]
    pub(crate) set: OsString,

    /// Look in this set, too (repeatable); also CLASS=SET.
    ///
    /// Bad beats other, and other beats good; of the same class, the order of the sets counts.
    #[arg(long, value_name = "SET", conflicts_with = "filter", value_hint = ValueHint::FilePath)]
    pub(crate) known: Vec<OsString>,

    /// Read each set whole before anything else, and refuse one of which a byte is not as it was written.
    ///
    /// Sets of up to 64 MiB always are. Of a larger one, only the end is checked without this option, so that it is
    /// opened at once: a damaged digest is not found then.
    #[arg(long)]
    pub(crate) check_sets: bool,

    /// Digests in hexadecimal, whose length tells the algorithm [default: the lines of standard input].
    #[arg(value_name = "DIGEST")]
    pub(crate) digests: Vec<String>,

    /// Ask this Bloom filter first: digests that it does not have are unknown, and the set is not asked for them.
    ///
    /// The filter decides nothing else, and is asked only about digests of the algorithm that it was made of; where it
    /// does not tell which, about those of which the set's first ones are all in it. It must have been made of this
    /// set, or of more: `pfh known export --format bloom`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) filter: Option<PathBuf>,

    /// Format of the answers.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: VerdictFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The set.
    #[arg(value_name = "SET", value_hint = ValueHint::FilePath)]
    pub(crate) set: PathBuf,

    /// A format of `pfh hash`; `digests`, a line for each digest of one algorithm; or `bloom`, a Bloom filter in the
    /// format of DCSO, which hashlookup uses.
    ///
    /// At the end, the facts that the format cannot hold are counted on standard error.
    #[arg(short, long, value_name = "FORMAT", default_value = "digests", value_parser = ExportFormat::parse)]
    pub(crate) format: ExportFormat,

    /// Only digests by these algorithms [default: all of the set; for `bloom` sha1].
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Only files of these classes.
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    pub(crate) only: Vec<ClassArgument>,

    /// Write the digits of digests in lower or upper case [default: upper for `bloom`, otherwise lower].
    #[arg(long, value_name = "CASE")]
    pub(crate) letters: Option<LetterCase>,

    /// For `bloom`: the chance that the filter says "maybe" of a digest that the set does not have.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0001)]
    pub(crate) probability: f64,

    /// Write to FILE, which appears whole or not at all [default: standard output].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing FILE even if no entry is written.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// Memory limit (K, M, G: powers of 1024).
    #[arg(short, long, value_name = "SIZE", default_value = "1G", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    /// Do not print what the list lacks.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The form in which a set is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    Digests,
    Bloom,
    List(FormatName),
}

impl ExportFormat {
    fn parse(name: &str) -> Result<ExportFormat, String> {
        match name {
            "digests" => Ok(ExportFormat::Digests),
            "bloom" => Ok(ExportFormat::Bloom),
            name => FormatName::from_name(name)
                .map(ExportFormat::List)
                .map_err(|error| format!("{error}; also digests, bloom")),
        }
    }
}

/// The letters of hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LetterCase {
    Lower,
    Upper,
}

/// The form of answers about files and digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictFormat {
    /// Lines of class, name and what the set tells.
    Text,
    /// Comma-separated values with a header.
    Csv,
    /// JSON Lines: a header, files, a summary.
    #[value(alias = "json")]
    Jsonl,
}

/// A class on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClassArgument {
    /// Known files that may be left out of the view.
    Good,
    /// Known files that are looked for.
    Bad,
    /// Known files from which nothing follows.
    Other,
}

impl From<ClassArgument> for Class {
    fn from(class: ClassArgument) -> Class {
        match class {
            ClassArgument::Good => Class::Good,
            ClassArgument::Bad => Class::Bad,
            ClassArgument::Other => Class::Other,
        }
    }
}

/// A fact that a set may keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeepArgument {
    Size,
    Name,
    Product,
    Category,
    Digests,
}

/// A class of files, or several, on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictClass {
    Good,
    Bad,
    Other,
    /// Good, bad or other.
    Known,
    Unknown,
    /// No file.
    None,
}

impl VerdictClass {
    /// Whether a file of this class is meant; `None` is an unknown one.
    pub(crate) fn has(self, class: Option<Class>) -> bool {
        match self {
            VerdictClass::Good => class == Some(Class::Good),
            VerdictClass::Bad => class == Some(Class::Bad),
            VerdictClass::Other => class == Some(Class::Other),
            VerdictClass::Known => class.is_some(),
            VerdictClass::Unknown => class.is_none(),
            VerdictClass::None => false,
        }
    }
}
