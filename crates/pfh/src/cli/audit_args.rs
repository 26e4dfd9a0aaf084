//! The command line of `pfh audit`.

use super::common_args::{IoWord, MessageArguments};
use super::quantity::{parse_bytes, parse_duration, parse_share};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use pfh_record::FormatName;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  pfh audit init photos.pfhl /srv/photos
      a ledger of all files below a directory; it lies elsewhere
  pfh audit run photos.pfhl
      what changed since: new, changed, moved and missing files
  pfh audit run photos.pfhl --share 1/30 --io direct
      also a thirtieth of all bytes, those verified longest ago, from the disk and not from the cache
  pfh audit run photos.pfhl --full
      every file is read again
  pfh audit status photos.pfhl
      how the collection stands: what is open, and when all of it was last verified
  pfh audit history photos.pfhl /srv/photos/2025/tree.tif
      all that ever was found of a file
  pfh audit accept photos.pfhl /srv/photos/2025/tree.tif --why 'retouched'
      a change was intended
  pfh audit relocate photos.pfhl /srv/photos /mnt/new/photos --why 'new server'
      the collection is at another path now, with all its history
  pfh audit report photos.pfhl -f html -o report.html
      the last run as a page
  pfh audit export photos.pfhl -o SHA256SUMS
      the digests that the ledger expects, for somebody else, or for a check of a backup by `pfh verify`
  pfh audit migrate photos.pfhl --to sha256
      other digests, after a check by the old ones in the same reading
  pfh audit head photos.pfhl -o head.txt
  pfh audit verify-ledger photos.pfhl --head head.txt
      the end of the chain of events, to be kept elsewhere, and whether nothing before it was changed

Exit status:
  0    all done, and no alarm is open
  1    an alarm is open: bit rot, a changed, missing or unreadable file; or the ledger is damaged (verify-ledger)
  2    the command line is wrong, or the run could not begin
  3    some input could not be read, or an expected file cannot be listed (export)
  4    the ledger or the output could not be written
  5    1 and 3 together
  130  interrupted; the next run goes on
  141  the reader of standard output closed it before the end";

/// Verify collections over the years: what changed, moved, went missing or rotted, with a history that cannot be
/// rewritten unseen.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct AuditArguments {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Make a ledger, and read all files for the first time.
    Init(Box<InitArguments>),
    /// Compare the collection with the ledger.
    Run(Box<RunArguments>),
    /// Show how the collection stands.
    Status(StatusArguments),
    /// Show all that was found of a file.
    History(HistoryArguments),
    /// Write the report of a run.
    Report(ReportArguments),
    /// Write a list of the expected files with the digests that the ledger expects, without reading them.
    Export(ExportArguments),
    /// Accept open findings: what was seen is expected from now on.
    Accept(DecideArguments),
    /// Expect a file, or all files below a directory, no longer.
    Forget(DecideArguments),
    /// Record that the collection, or a part of it, is at another path now.
    Relocate(RelocateArguments),
    /// Change the algorithm: verify by the old digests and compute new ones in the same reading.
    Migrate(Box<MigrateArguments>),
    /// Print the end of the chain of events, to be kept elsewhere.
    Head(HeadArguments),
    /// Check that no event was changed or lost, and that the tables follow from the events.
    VerifyLedger(VerifyArguments),
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The ledger to make, which must not lie in the collection; or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// The directories and files of the collection; of a policy, its roots.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Algorithms, separated by commas [default: sha256].
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Keep only files that match GLOB (repeatable), as for `pfh hash`.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only.
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Leave out files smaller than SIZE.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) min_size: Option<u64>,

    /// Leave out files larger than SIZE.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) max_size: Option<u64>,

    /// Stay on the filesystem of each path.
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Keep files that symbolic links point to; otherwise links are left out.
    #[arg(long)]
    pub(crate) follow_files: bool,

    /// Walk directories that symbolic links point to.
    #[arg(long)]
    pub(crate) follow_directories: bool,

    #[command(flatten)]
    pub(crate) reading: AuditReading,
}

/// How an audit reads files, and reports.
#[derive(Debug, Args)]
pub(crate) struct AuditReading {
    /// How reading uses the page cache. With `direct`, the medium is read and not the cache.
    #[arg(long, value_name = "METHOD")]
    pub(crate) io: Option<IoWord>,

    /// Read at most SIZE bytes a second on average, waiting between files.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) rate: Option<u64>,

    /// Let everything else on this machine go first: the lowest priority for the processor, and the idle class for
    /// disks (by `ionice`).
    #[arg(long)]
    pub(crate) idle: bool,

    /// Wait until another run on the ledger has ended, instead of refusing to run.
    #[arg(long)]
    pub(crate) wait: bool,

    /// Number of threads [default: one per core].
    #[arg(short, long, visible_short_alias = 'j', alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,

    /// Memory limit for reading and sorting (K, M, G: powers of 1024).
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    /// Format of the report on standard output or in FILE of -o.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    /// Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) messages: MessageArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// Read every file, also those whose size, times and inode did not change.
    #[arg(long, conflicts_with_all = ["share", "interval"])]
    pub(crate) full: bool,

    /// Also read unchanged files, those first that were verified longest ago, as far as the limits allow.
    #[arg(long, conflicts_with = "full")]
    pub(crate) rolling: bool,

    /// Of the unchanged files read only this share of all bytes, such as 1/30 (implies --rolling).
    #[arg(long, value_name = "1/N", value_parser = parse_share)]
    pub(crate) share: Option<u64>,

    /// Of the unchanged files read those that were not read for this time, such as 90d (implies --rolling).
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) interval: Option<Duration>,

    /// Begin no more files after this time, such as 2h or 90m. Files that are left come first in the next run.
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_box: Option<Duration>,

    /// Begin no more files after this number of bytes.
    ///
    /// They are counted from the beginning of this command, also where it goes on with a run that was interrupted.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) bytes: Option<u64>,

    /// Run even if a directory of the collection is empty: otherwise it is taken for one where nothing is mounted.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    #[command(flatten)]
    pub(crate) reading: AuditReading,
}

#[derive(Debug, Args)]
pub(crate) struct MigrateArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// The new algorithm.
    #[arg(long, value_name = "NAME", required = true)]
    pub(crate) to: String,

    /// Begin no more files after this time, such as 2h; the next migration goes on.
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_box: Option<Duration>,

    /// Run even if a directory of the collection is empty.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    #[command(flatten)]
    pub(crate) reading: AuditReading,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// Count files that were not read for this time, such as 90d [default: the interval of the policy].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) interval: Option<Duration>,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// The file, which need not exist any more.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) path: OsString,

    /// Print JSON Lines.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people: the findings and the totals.
    Text,
    /// Every event of the run as JSON Lines.
    Jsonl,
    /// Every event of the run as CSV, with expected and found digests.
    Csv,
    /// Every event of the run as PREMIS 3.
    Premis,
    /// Metrics for the textfile collector of Prometheus.
    Prometheus,
    /// A page for people that needs nothing else.
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// The number of the run [default: the last one that ended].
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,

    /// Format of the report.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several].
    ///
    /// At the end, the facts that the format cannot hold are counted on standard error.
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) format: Option<FormatName>,

    /// Only these digests, in this order [default: all of the ledger's algorithms that the format has a place for].
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing FILE of -o even if no file is expected.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// Do not print what the list lacks.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// Files, or directories whose files are all meant.
    #[arg(value_name = "PATH", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// The reason, which the ledger keeps.
    #[arg(long, value_name = "TEXT", required = true)]
    pub(crate) why: String,

    /// Who decides, which the ledger keeps [default: the user].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,

    /// Wait until another run on the ledger has ended, instead of refusing.
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RelocateArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// The directory or file of the collection as the ledger has it: see `pfh audit status`.
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub(crate) old: PathBuf,

    /// Where it is now.
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub(crate) new: PathBuf,

    /// The reason, which the ledger keeps.
    #[arg(long, value_name = "TEXT", required = true)]
    pub(crate) why: String,

    /// Who says so, which the ledger keeps [default: the user].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,

    /// Go on even if none of the expected files is at the new path.
    #[arg(long)]
    pub(crate) allow_empty: bool,

    /// Wait until another run on the ledger has ended, instead of refusing.
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HeadArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// Write to FILE, which appears whole or not at all; `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Sign the file of -o with this SSH key, by `ssh-keygen -Y sign -n pfh-ledger`: the signature is in FILE.sig.
    #[arg(long, value_name = "KEY", value_hint = ValueHint::FilePath, requires = "output")]
    pub(crate) sign: Option<PathBuf>,

    /// Also write a request for a time stamp of the file of -o (RFC 3161), to be sent to an authority.
    ///
    /// pfh opens no connection: `curl -H 'Content-Type: application/timestamp-query' --data-binary @REQUEST -o ANSWER
    /// URL` sends it. `pfh audit verify-ledger --head FILE --timestamp ANSWER` checks the answer.
    #[arg(long, value_name = "REQUEST", value_hint = ValueHint::FilePath, requires = "output")]
    pub(crate) timestamp_request: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The ledger, or a policy (`.toml`) that names it.
    #[arg(value_name = "LEDGER", value_hint = ValueHint::FilePath)]
    pub(crate) ledger: PathBuf,

    /// Also check that the ledger still has the end of the chain in FILE, which `pfh audit head` wrote.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) head: Option<PathBuf>,
    /// Also check that ANSWER is a time stamp of the file of --head (RFC 3161): that it was granted, and is of this
    /// file.
    ///
    /// Its signature is checked if --timestamp-ca names the certificates that are trusted, by `openssl ts -verify`.
    #[arg(long, value_name = "ANSWER", value_hint = ValueHint::FilePath, requires = "head")]
    pub(crate) timestamp: Option<PathBuf>,

    /// Also check that the time stamp answers this request.
    #[arg(long, value_name = "REQUEST", value_hint = ValueHint::FilePath, requires = "timestamp")]
    pub(crate) timestamp_request: Option<PathBuf>,

    /// Check the signature of the time stamp with the certificates in FILE (PEM).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "timestamp")]
    pub(crate) timestamp_ca: Option<PathBuf>,
}
