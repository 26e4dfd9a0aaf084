//! The command line of `pfh verify`.

use super::common_args::{EngineArguments, KeyArguments, Suggested, digest_names};
use super::progress::When;
use clap::builder::StringValueParser;
use clap::{ArgAction, Args, ValueEnum, ValueHint};
use pfh_fixity::{NoShare, Sample};
use pfh_record::FormatName;
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pfh verify photos.sha256
      are all files as the list says, and are there others beside them?
  pfh verify received.csv /mnt/copy --strip-prefix /srv/originals
      the copy of what was listed elsewhere
  ssh archive cat list.jsonl | pfh verify - /mnt/archive --sample 5
      a twentieth of the files, by a list that comes through a pipe
  pfh verify --compat gnu SHA256SUMS
      for scripts: what `sha256sum --check` prints

Exit status:
  0    all files are as the list says, as far as was asked
  1    files differ from the list
  2    the command line is wrong, or the run could not begin
  3    nothing differs, but some files or lines of the list could not be read, or files not
       compared, its end is missing, or nothing was verified
  4    the output could not be written
  5    files differ from the list, and some input could not be read or compared
  130  interrupted, without a verdict
  141  the reader of standard output closed it before the end";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct VerifyArguments {
    /// The list: any format that pfh reads, also in a zip archive; `-` is standard input.
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) list: OsString,

    /// The directory that the paths of LIST start from, or the one file that it is about.
    ///
    /// Nothing outside is read, and every file below it is compared. Without ROOT, paths start from the current
    /// directory, absolute ones from `/`, and those of manifests of BagIt and inventories of OCFL from the directory of
    /// LIST; compared is the deepest directory that has all files of LIST, and nothing if it is not there.
    #[arg(value_name = "ROOT", value_hint = ValueHint::AnyPath)]
    pub(crate) root: Option<OsString>,

    /// The algorithm of digests for which LIST names none [default: by their length].
    #[arg(short, long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(StringValueParser::new(), digest_names))]
    pub(crate) algorithm: Option<String>,

    /// Read LIST as this format, instead of recognising it: a format of `pfh hash`, or one that is only read.
    #[arg(long = "as", value_name = "FORMAT", conflicts_with = "compat")]
    pub(crate) read_as: Option<FormatName>,

    /// Do not look for files that LIST does not have; then moved files are missing.
    #[arg(long)]
    pub(crate) ignore_new: bool,

    /// Files that are missing are no finding.
    #[arg(long)]
    pub(crate) ignore_missing: bool,

    /// Compare names and sizes only; no contents are read.
    #[arg(long, conflicts_with_all = ["sample", "size_first"])]
    pub(crate) structure: bool,

    /// Compare names and sizes of all files before any is read, and do not read files whose size differs.
    #[arg(long)]
    pub(crate) size_first: bool,

    /// Read only this share of the files, chosen at random.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(crate) sample: Option<f64>,

    /// The number that decides the choice of --sample [default: another one each time, which is printed].
    #[arg(long, value_name = "N", requires = "sample")]
    pub(crate) seed: Option<u64>,

    /// Remove PREFIX from the paths of LIST; other paths are not below ROOT.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) strip_prefix: Option<OsString>,

    /// The paths of LIST have backslashes between their components, as on Windows.
    #[arg(long)]
    pub(crate) backslashes: bool,

    /// Names in LIST that end with ` offset START-END` are of pieces, which are not compared (gnu, bsd).
    #[arg(long, conflicts_with = "compat")]
    pub(crate) piecewise: bool,

    /// Print files that match, too.
    #[arg(long)]
    pub(crate) all: bool,

    /// Format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "text", conflicts_with = "compat")]
    pub(crate) format: ReportFormat,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Print, and exit with, what another program does, so that scripts move over; see the guides.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) compat: Option<Compat>,

    /// Show progress on standard error.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,

    /// Print the verdict only. With --compat gnu: no line for files that match.
    #[arg(short, long, overrides_with_all = ["status", "warn"])]
    pub(crate) quiet: bool,

    /// With --compat gnu: print nothing for files; the exit status tells.
    #[arg(long, requires = "compat", overrides_with_all = ["quiet", "warn"])]
    pub(crate) status: bool,

    /// With --compat gnu: also exit with 1 if lines of the list are improperly formatted.
    #[arg(long, requires = "compat")]
    pub(crate) strict: bool,

    /// With --compat gnu: warn about each line that is improperly formatted.
    #[arg(short, long, requires = "compat", overrides_with_all = ["quiet", "status"])]
    pub(crate) warn: bool,

    /// With --compat hashdeep: print the counts; twice: also each file that does not match; three times: also those
    /// that do.
    #[arg(short, long, action = ArgAction::Count, requires = "compat")]
    pub(crate) verbose: u8,

    #[command(flatten)]
    pub(crate) walk: VerifyWalkArguments,

    #[command(flatten)]
    pub(crate) engine: EngineArguments,

    #[command(flatten)]
    pub(crate) keys: KeyArguments,
}

/// The files to read: as for other commands, without lists of paths and limits to sizes.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to read")]
pub(crate) struct VerifyWalkArguments {
    /// Check only files that match GLOB (repeatable: any one suffices). Quote it for the shell.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only.
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Stay on the filesystem of ROOT.
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Read files that symbolic links point to.
    #[arg(long)]
    pub(crate) follow_files: bool,

    /// Walk directories that symbolic links point to; loops are detected.
    #[arg(long)]
    pub(crate) follow_directories: bool,

    /// Preserve access times where the system permits it.
    #[arg(long)]
    pub(crate) preserve_access_time: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// The verdict, the counts, and a line for each finding.
    Text,
    /// JSON Lines: a header, the verdict, findings, a summary.
    #[value(alias = "json")]
    Jsonl,
    /// A page for people, which needs nothing else.
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// `sha256sum --check` and its kin (GNU coreutils 9.1).
    Gnu,
    /// `hashdeep -r -a` (4.4), with its faults.
    Hashdeep,
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    match number.parse::<f64>() {
        Ok(percent) => Sample::new(percent, Some(0)).map(|_| percent).map_err(|error| error.to_string()),
        Err(_) => Err(NoShare.to_string()),
    }
}
