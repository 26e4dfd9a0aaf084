//! The command line. Doc comments are the help: first line short, the rest for `--help`.

use super::quantity::parse_bytes;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};
use pfh_digest::lanes::{Backend, BackendError};
use pfh_engine::{Mode, Order};
use pfh_record::FormatName;
use std::ffi::OsString;
use std::path::PathBuf;

/// Parallel framework for hashing: digests of everything, at the speed of the hardware.
///
/// `pfh hash PATH` hashes every file below PATH. A digest is printed only if every byte of the file was read.
#[derive(Debug, Parser)]
#[command(name = "pfh", version, max_term_width = 100, propagate_version = true, subcommand_required = true)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print digests of files, directories, devices and standard input.
    Hash(Box<HashArguments>),
    /// List the algorithms: names, digest length, how far to trust them, code path on this CPU.
    Algorithms(AlgorithmsArguments),
    /// Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm.
    Cpu(CpuArguments),
    /// Print completions for a shell.
    ///
    /// For bash: `pfh completions bash > /etc/bash_completion.d/pfh`.
    Completions(CompletionsArguments),
    /// Write the man pages into a directory.
    #[command(hide = true)]
    Man(ManArguments),
}

const HASH_EXAMPLES: &str = "\
Examples:
  pfh hash DIR
      SHA-256 of every file below DIR, as `sha256sum` prints it
  pfh hash -a md5 -o sums DIR && md5sum -c sums
      a list that coreutils checks
  pfh hash -f hashdeep -o known DIR && hashdeep -rlak known DIR
      a list that hashdeep audits (-l: the list has relative paths)
  pfh hash -a ssdeep -o known.ssdeep DIR && ssdeep -m known.ssdeep FILE
      a list in which ssdeep finds what is similar to FILE
  pfh hash -o archive.jsonl --resume /archive
      a journal that an interrupted run continues
  find . -name '*.jpg' -print0 | pfh hash --files-from0 -
      files that another program chooses
  tar c DIR | pfh hash -a blake3 -
      digest of a stream
  pfh hash --piecewise 1M disk.img
      digest of the whole and of each MiB

Exit status:
  0    all done
  1    a file bears the marks of a collision attack (-a sha1dc)
  2    the command line is wrong, or the run could not begin
  3    some input could not be read, or not be expressed in the format
  4    the output could not be written
  130  interrupted";

#[derive(Debug, Args)]
#[command(after_help = HASH_EXAMPLES, after_long_help = HASH_EXAMPLES)]
pub(crate) struct HashArguments {
    /// Files, directories (walked, hidden files included), block devices; `-` is standard input.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present_any = ["files_from", "files_from0"])]
    pub(crate) paths: Vec<OsString>,

    /// Algorithms, separated by commas, or repeated; all are made in one read. `pfh algorithms` lists them.
    ///
    /// Among them ssdeep, sdhash, mrsh-v2 and tlsh, whose digests tell how similar files are. A file that is too small for
    /// one of these has no such digest, which is said and is no error.
    ///
    /// `none` reads everything and hashes nothing: the floor that any hashing is measured against. With `-f csv`, `jsonl`
    /// or `dfxml` it lists what can be read.
    #[arg(short, long = "algorithm", value_name = "LIST", value_delimiter = ',', default_value = "sha256")]
    pub(crate) algorithms: Vec<String>,

    #[command(flatten)]
    pub(crate) output: OutputArguments,

    #[command(flatten)]
    pub(crate) walk: WalkArguments,

    #[command(flatten)]
    pub(crate) engine: EngineArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh
    /// [default: gnu for one algorithm, bsd for several, jsonl with --resume].
    ///
    /// Similarity digests: with `-a ssdeep`, `sdhash`, `mrsh-v2` or `tlsh` alone the default is the list that the program of
    /// this name writes (these formats take nothing else), and jsonl beside other digests; csv and dfxml take them too.
    ///
    /// Only csv, jsonl and dfxml list files that could not be read. `md5deep-` and any of the letters k, z, c, t mean
    /// md5deep's options of these names.
    #[arg(short, long, value_name = "FORMAT", value_parser = parse_format, hide_possible_values = false)]
    pub(crate) format: Option<FormatName>,

    /// Write to FILE, which appears whole or not at all [default: standard output].
    ///
    /// An interrupted run leaves what it had in FILE.partial.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep).
    #[arg(short = '0', long)]
    pub(crate) null: bool,

    /// Continue the JSON Lines file given with -o: skip what it records with the same path, size and modification time.
    ///
    /// The file is written as the run goes, in the order in which files finish, so that a crash loses only the files in
    /// flight. Files that failed are tried again; where a path is recorded twice, the later line counts.
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,

    /// Print records as they finish rather than in the order of the walk.
    #[arg(long)]
    pub(crate) unordered: bool,

    /// Also print the digest of every piece of SIZE bytes (K, M, G: powers of 1024).
    #[arg(long, value_name = "SIZE", value_parser = parse_piece)]
    pub(crate) piecewise: Option<u64>,

    /// Print where the time went, on standard error.
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) stats: Option<StatsForm>,

    /// Show progress on standard error.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,

    /// Do not print warnings about single files (the exit status still tells).
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What to read")]
pub(crate) struct WalkArguments {
    /// Accepted for the habit: directories are always walked.
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(crate) recursive: bool,

    /// Read paths from FILE as well, one a line; `-` is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "files_from0")]
    pub(crate) files_from: Option<PathBuf>,

    /// Read paths from FILE as well, each ended by NUL (as `find -print0` writes them); `-` is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from0: Option<PathBuf>,

    /// Read only files that match GLOB (repeatable: one of them). Quote it for the shell.
    ///
    /// Without `/` it is matched with the name, with `/` with the whole path as printed. `*` and `?` do not match `/`, `**`
    /// does; `[a-z]` and `{jpg,png}` work; a leading dot is nothing special. Files named as arguments are filtered too.
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

    /// Descend at most N levels below the paths given; 1 is the files directly in a directory.
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<usize>,

    /// Stay on the filesystem of each path given.
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Read files that symbolic links lead to. (Links among the paths given are always followed.)
    #[arg(long)]
    pub(crate) follow_files: bool,

    /// Walk directories that symbolic links lead to; loops are detected.
    #[arg(long)]
    pub(crate) follow_directories: bool,

    /// Leave access times as they are, where the system permits.
    #[arg(long)]
    pub(crate) preserve_access_time: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How to read")]
pub(crate) struct EngineArguments {
    /// Threads [default: one for each core].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,

    /// Readers per device, where reading is a role of its own (--mode mtp, --io direct, rotating disks).
    ///
    /// With --mode mtp they are among the threads, with --io direct beside them.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) prefetchers: u16,

    /// Ceiling over all buffers (K, M, G: powers of 1024).
    #[arg(short, long, value_name = "SIZE", default_value = "256M", value_parser = parse_bytes)]
    pub(crate) memory: u64,

    /// How threads share reading and hashing.
    #[arg(long, value_name = "MODE", default_value = "adaptive")]
    pub(crate) mode: ModeWord,

    /// The order in which files are read; the output is always in the order of the walk.
    ///
    /// Sorted are as many files at a time as may wait within the memory option.
    #[arg(long, value_name = "ORDER", default_value = "auto")]
    pub(crate) order: OrderWord,

    /// With --mode mtp: prefer files that fit the free part of the memory table.
    #[arg(long)]
    pub(crate) balance: bool,

    /// Instructions that hash many files at once, instead of the best that this CPU has; `pfh cpu` lists the names.
    ///
    /// The environment variable PFH_BACKEND says the same for a whole session. Digests are the same with all, and what is
    /// hashed as a single stream (checksums, BLAKE3, --mode smt and mtp) is not affected.
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    pub(crate) backend: Option<Backend>,

    /// How contents pass the page cache.
    #[arg(long, value_name = "METHOD", default_value = "buffered")]
    pub(crate) io: IoWord,

    /// What the files lie on, where the system does not know or is wrong.
    #[arg(long, value_name = "MEDIUM")]
    pub(crate) medium: Option<MediumWord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsForm {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// When standard error is a terminal.
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeWord {
    /// Every worker reads and hashes; look-ahead where reads wait; idle workers help with large files.
    Adaptive,
    /// Published: prefetchers only read, the other threads only hash.
    Mtp,
    /// Published: every thread reads and hashes its own file.
    Smt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderWord {
    /// By path; by physical place on rotating disks.
    Auto,
    Path,
    Inode,
    /// By place on the medium, where the filesystem tells it.
    Physical,
    /// Largest first.
    Size,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IoWord {
    /// Through the page cache.
    Buffered,
    /// Through it, but cached pages are dropped before and behind the reading.
    Drop,
    /// Around it (O_DIRECT); as drop where the filesystem refuses, which --stats counts.
    Direct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MediumWord {
    Rotating,
    SolidState,
    Network,
    Memory,
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Mode {
        match word {
            ModeWord::Adaptive => Mode::Adaptive,
            ModeWord::Mtp => Mode::Mtp,
            ModeWord::Smt => Mode::Smt,
        }
    }
}

impl From<OrderWord> for Order {
    fn from(word: OrderWord) -> Order {
        match word {
            OrderWord::Auto => Order::Auto,
            OrderWord::Path => Order::Path,
            OrderWord::Inode => Order::Inode,
            OrderWord::Physical => Order::Physical,
            OrderWord::Size => Order::Size,
        }
    }
}

impl From<IoWord> for pfh_source::IoMethod {
    fn from(word: IoWord) -> Self {
        match word {
            IoWord::Buffered => Self::Buffered,
            IoWord::Drop => Self::Drop,
            IoWord::Direct => Self::Direct,
        }
    }
}

impl From<MediumWord> for pfh_source::Medium {
    fn from(word: MediumWord) -> Self {
        match word {
            MediumWord::Rotating => Self::Rotating,
            MediumWord::SolidState => Self::SolidState,
            MediumWord::Network => Self::Network,
            MediumWord::Memory => Self::Memory,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct AlgorithmsArguments {
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CpuArguments {
    /// Print one JSON object instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Where to write the pages.
    pub(crate) directory: PathBuf,
}

fn parse_format(name: &str) -> Result<FormatName, String> {
    FormatName::from_name(name).map_err(|error| error.to_string())
}

fn parse_backend(name: &str) -> Result<Backend, BackendError> {
    Backend::from_name(name)
}

fn parse_piece(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        0 => Err("a piece has at least one byte".to_owned()),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_option_has_a_text() {
        for command in Arguments::command().get_subcommands() {
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
            }
        }
    }
}
