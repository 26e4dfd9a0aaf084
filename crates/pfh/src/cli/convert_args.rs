//! The command line of `pfh convert`.

use super::common_args::StyleArguments;
use clap::{Args, ValueHint};
use pfh_record::FormatName;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pfh convert -f hashdeep -o known.hashdeep evidence.jsonl
      a list that hashdeep audits
  pfh convert -f gnu -a sha256 evidence.dfxml | sha256sum --check
      one digest of each file, for coreutils
  pfh convert -f jsonl -o all.jsonl disk1.csv disk2.csv
      two lists as one
  pfh convert --join -f jsonl -o both.jsonl SHA256SUMS MD5SUMS
      one entry with both digests for each file
  pfh convert -f csv -a blake3 sums.txt
      a list that does not name its algorithm, which is not the usual one of this length

Exit status:
  0    all done; what the format has no place for is counted on standard error
  2    the command line is wrong, a list cannot be opened, or the format cannot list these digests
  3    some lines could not be read, a list is cut off, an entry cannot be expressed in the format,
       or it contradicts one that it should be joined with
  4    the output could not be written
  130  interrupted
  141  the reader of standard output closed it before the end";

/// Write lists of digests in another format, and tell what that format cannot express.
///
/// Everything that the format has a place for is kept, names byte for byte. The rest is counted on standard error. A
/// name that the format cannot express is refused, with the reason.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct ConvertArguments {
    /// Lists in any format that pfh reads, one after the other; `-` is standard input.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) lists: Vec<OsString>,

    /// Format of the new list: one of `pfh hash`.
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) format: FormatName,

    /// Write to FILE, which appears whole or not at all [default: standard output].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing FILE of -o even if the lists have not a single entry.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// Only these digests, in this order [default: all that the format has a place for].
    ///
    /// The default is taken from the headers of the lists, and from the first 256 entries of those without. If one
    /// algorithm is named, digests in lists that do not name theirs are by it.
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Make one entry of all that the lists state of a file: digests by several algorithms, its size and time.
    ///
    /// Files are recognised by their paths, byte for byte, and come in the order in which the lists first name them.
    /// Entries that state another size, time or digest than an earlier one are reported, and stay apart.
    #[arg(long)]
    pub(crate) join: bool,

    /// Read the lists as this format, instead of recognising it: a format of `pfh hash`, or nsrl, hashkeeper, ilook,
    /// encase, sleuthkit, vics, icse, hashdb, bagit, ocfl, avp, avp-report or imager.
    #[arg(long = "as", value_name = "FORMAT")]
    pub(crate) read_as: Option<FormatName>,

    /// Names in the lists that end with ` offset START-END` are of pieces (gnu, bsd, hashdeep, md5deep).
    #[arg(long)]
    pub(crate) piecewise: bool,

    /// Records of the lists end with NUL, and nothing is escaped (with --as gnu, bsd or md5deep).
    #[arg(long, requires = "read_as")]
    pub(crate) read_null: bool,

    #[command(flatten)]
    pub(crate) style: StyleArguments,

    /// Do not print what the list lacks.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
