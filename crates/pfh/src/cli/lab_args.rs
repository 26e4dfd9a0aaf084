//! The command line of `pfh lab`.

use super::common_args::EngineArguments;
use super::progress::When;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use pfh_lab::measurements::Clock;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  pfh lab doctor
      which runners are available, and what the others lack
  pfh lab doctor c java
      the same for two groups only, so that nothing else is built
  pfh lab doctor --install java
      the commands that install what the runners in Java need
  pfh lab run languages -o results
      the study of 2015 in a few minutes; `--full` takes its sizes, and hours
  pfh lab run languages -o results --resume
      continues an interrupted run
  pfh lab run strings --runner pfh-lanes --runner c-openssl
      two runners only
  pfh lab run ./mine.toml --runners ./my-runners
      an experiment and runners of your own
  pfh lab report results
      the findings, as results/report.html, and beside it as CSV, JSON Lines and Markdown
  pfh lab compare results other-machine/results
      the results of two machines side by side
  pfh lab claims
      the claims of the studies, and where each is judged
  pfh lab advise /archive --volume 25TB --files 1.2M --deadline 8h
      measures storage and processor for a minute, and tells what limits a run, how long it takes and which options to
      use

Exit status:
  0    all done
  1    a runner gave a wrong answer, reported impossible times, hung, crashed or broke the protocol
  2    the command line, a definition or a file of results is wrong, or the run could not begin
  3    the definition of a runner could not be read, or there are not enough data to advise
  4    results or a report could not be written, or a command of --run failed
  5    1 and 3 together
  130  interrupted; `--resume` continues
  141  the reader of standard output closed it before the end

Environment:
  PFH_LAB         a folder whose `runners` and `experiments` replace those of pfh
  XDG_CACHE_HOME  runners are built below its folder `pfh/lab` [default: ~/.cache]";

/// Measure hash and cipher implementations of many languages, and check their answers.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct LabArguments {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// List the experiments, or the comparisons of whole programs of one.
    List(ListArguments),
    /// Show which runners are available, build them, and tell how to install what they lack.
    Doctor(DoctorArguments),
    /// Run an experiment and save its results.
    Run(Box<RunArguments>),
    /// Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it.
    Report(ReportArguments),
    /// Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of
    /// results on them.
    Claims(ClaimsArguments),
    /// Compare two results: of two machines, systems or versions.
    Compare(CompareArguments),
    /// Run a shell command once and print what it cost, as JSON; experiments start this.
    #[command(hide = true)]
    Measure(MeasureArguments),
    /// Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md).
    Mount(MountArguments),
    /// Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use.
    Advise(AdviseArguments),
    /// Find samples for `pfh lab advise`.
    #[command(hide = true)]
    Survey(SurveyArguments),
    /// Read a sample for `pfh lab advise`.
    #[command(hide = true)]
    Sample(SampleArguments),
    /// Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md).
    Runner(RunnerArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print the names of the comparisons of this experiment: a name that `pfh lab list` prints, or the path of a
    /// definition.
    #[arg(value_name = "NAME", value_hint = ValueHint::FilePath)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Look only at the runners of these groups [default: all].
    #[arg(value_name = "GROUP", conflicts_with = "install")]
    pub(crate) groups: Vec<String>,

    /// Print the commands that install what GROUP needs; `all` for every group.
    #[arg(long, value_name = "GROUP")]
    pub(crate) install: Option<String>,

    /// With --install: run the commands.
    #[arg(long, requires = "install")]
    pub(crate) run: bool,

    /// Also look for runners in DIR.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) runners: Option<PathBuf>,

    /// Print JSON Lines instead of a table.
    #[arg(long, conflicts_with = "install")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimsArguments {
    /// Print a table of the verdicts of these results: the folders of `pfh lab run`, or their files.
    #[arg(value_name = "RESULTS", value_hint = ValueHint::AnyPath)]
    pub(crate) results: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureArguments {
    /// Write the output of the command to FILE [default: nowhere].
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// End as soon as standard input is closed, as it is when the program that holds it ends, and the command with it.
    #[arg(long)]
    pub(crate) until_closed: bool,

    /// The command, for `sh -c`.
    #[arg(value_name = "COMMAND")]
    pub(crate) command: String,
}

/// A device by its name, and the folder that lies on it.
fn parse_device(text: &str) -> Result<(String, Option<PathBuf>), String> {
    let (name, folder) = text.split_once('=').map_or((text, None), |(name, folder)| (name, Some(folder)));
    if name.is_empty() || folder.is_some_and(str::is_empty) {
        return Err("write NAME or NAME=DIR".to_owned());
    }
    Ok((name.to_owned(), folder.map(PathBuf::from)))
}

/// A device by its name, and a description of it.
fn parse_device_note(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(name, note)| (name, note.trim()));
    match parts.filter(|(name, note)| !name.is_empty() && !note.is_empty()) {
        None => Err("write NAME=TEXT".to_owned()),
        Some((_, note)) if note.contains(char::is_control) => Err("the text must be one line".to_owned()),
        Some((name, note)) => Ok((name.to_owned(), note.to_owned())),
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The experiment: a name that `pfh lab list` prints, or the path of a definition.
    #[arg(value_name = "NAME", value_hint = ValueHint::FilePath)]
    pub(crate) name: String,

    /// Save the results in DIR [default: a new folder with the experiment's name and the time].
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,

    /// Use the sizes of the published study, which takes hours.
    #[arg(long)]
    pub(crate) full: bool,

    /// Measure only this runner (repeatable). Others may still be asked for the right answers.
    #[arg(long = "runner", value_name = "ID")]
    pub(crate) only: Vec<String>,

    /// Measure only this algorithm of the experiment (repeatable).
    #[arg(short, long = "algorithm", value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,

    /// Measure only under this profile (repeatable); `today` is the default profile, without changes.
    #[arg(long = "profile", value_name = "ID")]
    pub(crate) profiles: Vec<String>,

    /// Measure whole programs only on this device of the experiment (repeatable): `here` is the disk of -o, or of
    /// --keep-corpora. With =DIR, in the folder DIR in its place: a device of your own that the experiment names needs
    /// it, and a simulated one can be replaced by it.
    #[arg(long = "device", value_name = "NAME[=DIR]", value_parser = parse_device)]
    pub(crate) devices: Vec<(String, Option<PathBuf>)>,

    /// Describe the device NAME (repeatable), for example by the speed of its network, which no system tells: the
    /// results keep TEXT, and reports print it.
    #[arg(long = "device-note", value_name = "NAME=TEXT", value_parser = parse_device_note)]
    pub(crate) device_notes: Vec<(String, String)>,

    /// Measure only this comparison of whole programs (repeatable): a name that `pfh lab list NAME` prints.
    #[arg(long = "comparison", value_name = "NAME")]
    pub(crate) comparisons: Vec<String>,

    /// Measure N rounds, in the place of the experiment's number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: Option<u32>,

    /// Give whole programs a copy of the files in DIR, in the place of every corpus of the experiment.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) corpus: Option<PathBuf>,

    /// Make corpora in DIR and leave them there, and use those that are there already. They do not depend on the seed.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "corpus")]
    pub(crate) keep_corpora: Option<PathBuf>,

    /// Continue the results in the folder of -o.
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,

    /// Also look for runners in DIR.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) runners: Option<PathBuf>,

    /// Seed of the data and of the order [default: a new one each time; it is saved].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Memory limit for all processes of one runner together (K, M, G: powers of 1024) [default: half of the memory].
    #[arg(long, value_name = "SIZE", value_parser = crate::cli::quantity::parse_bytes)]
    pub(crate) memory: Option<u64>,

    /// Show progress on standard error.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}

/// The names of simulated devices; a test compares them with those of `pfh-slowfs`, which a program may lack.
pub(crate) const SIMULATED: [&str; 4] = ["hdd", "ssd", "nas", "dying"];

/// The devices of `pfh-slowfs`, which a program may lack; a test compares both.
pub(crate) const DEVICES: &str = "\
Devices:
  hdd    a hard disk: 150 MB/s, 8 ms for each seek, one request at a time
  ssd    a solid-state disk behind SATA: 500 MB/s, 0.1 ms for each read, 32 requests at once
  nas    a network storage behind gigabit Ethernet: 118 MB/s, about 0.7 ms for each operation, 16 at once
  dying  a hard disk that dies: a bad sector in one file of a hundred, each tried for 2 s, and one stall of 10 s

Examples:
  pfh lab mount documents /mnt/slow --device hdd
      shows documents at /mnt/slow, as a hard disk would; in another terminal: pfh hash /mnt/slow
  pfh lab mount documents /mnt/slow --device mine.toml
      the same with a device of your own";

#[derive(Debug, Args)]
#[command(after_help = DEVICES, after_long_help = DEVICES)]
pub(crate) struct MountArguments {
    /// The directory to show; nothing in it is changed.
    #[arg(value_name = "DIRECTORY", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,

    /// An empty directory outside of it.
    #[arg(value_name = "MOUNT_POINT", value_hint = ValueHint::DirPath)]
    pub(crate) mount_point: PathBuf,

    /// The device: a name (see below), or the path of a description that ends in `.toml`.
    #[arg(long, value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) device: PathBuf,

    /// End as soon as standard input is closed, as it is when the program that holds it ends.
    #[arg(long)]
    pub(crate) until_closed: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// The directory to be hashed, or a part of it that is like the whole.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required_unless_present = "from", conflicts_with = "from")]
    pub(crate) path: Option<PathBuf>,

    /// Advise for a volume of SIZE, such as 25TB [default: what PATH holds].
    #[arg(long, value_name = "SIZE", value_parser = crate::cli::quantity::parse_bytes)]
    pub(crate) volume: Option<u64>,

    /// Advise for N files, such as 1.2M [default: those of PATH, in proportion to --volume].
    #[arg(long, value_name = "N", value_parser = crate::cli::quantity::parse_count)]
    pub(crate) files: Option<u64>,

    /// Time that there is each night, such as 8h, at most 24h: tells how many nights a full cycle takes.
    #[arg(long, value_name = "TIME", value_parser = crate::cli::quantity::parse_duration)]
    pub(crate) deadline: Option<Duration>,

    /// Algorithms to compare, separated by commas, or repeated; the first is the one that is planned [default:
    /// sha256,md5,sha1,sha512,blake3; with --from, those that were measured].
    #[arg(short, long = "algorithms", alias = "algorithm", value_name = "LIST", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,

    /// Measure for about N seconds.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(5..=86_400))]
    pub(crate) seconds: u32,

    /// Do not measure, but take the measurements that --save wrote.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,

    /// Save the measurements and the options to use in FILE, for --from and for `pfh hash --profile`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) save: Option<PathBuf>,

    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print a page in HTML instead of text.
    #[arg(long, conflicts_with = "json")]
    pub(crate) html: bool,

    /// Write the advice to FILE [default: standard output].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Show progress on standard error.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}

#[derive(Debug, Args)]
pub(crate) struct SurveyArguments {
    /// Walk the path that FILE holds, terminated by NUL.
    #[arg(long, value_name = "FILE")]
    pub(crate) walk: Option<PathBuf>,

    /// Only ask for the sizes of the files in FILE, each path terminated by NUL.
    #[arg(long, value_name = "FILE", conflicts_with = "walk", required_unless_present = "walk")]
    pub(crate) list: Option<PathBuf>,

    /// Stop after N seconds.
    #[arg(long, value_name = "N")]
    pub(crate) seconds: f64,
}

#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// Read all files below the path that FILE holds, terminated by NUL.
    #[arg(long, value_name = "FILE")]
    pub(crate) walk: Option<PathBuf>,

    /// Read the files in FILE, each path terminated by NUL.
    #[arg(long, value_name = "FILE", conflicts_with = "walk", required_unless_present = "walk")]
    pub(crate) list: Option<PathBuf>,

    /// Read at most SIZE of each file.
    #[arg(long, value_name = "SIZE", value_parser = crate::cli::quantity::parse_bytes)]
    pub(crate) bytes_max: Option<u64>,

    /// Stop after N seconds.
    #[arg(long, value_name = "N")]
    pub(crate) seconds: f64,

    /// The algorithm, or `none`.
    #[arg(short, long, value_name = "NAME", default_value = "none")]
    pub(crate) algorithm: String,

    /// Begin with N readers for places that answer late.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) readers: usize,

    #[command(flatten)]
    pub(crate) engine: EngineArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RunnerArguments {
    /// Hash many messages at once; offers only algorithms that have lanes, and modes with many messages.
    #[arg(long)]
    pub(crate) lanes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The folder that `pfh lab run` wrote, or its results.jsonl; or what `pfh frash -o frash.csv` wrote.
    #[arg(value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) results: PathBuf,

    /// Write the HTML to FILE, and the other forms beside it with other extensions [default: report.html in DIR].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Project times to a volume of SIZE (K, M, G: powers of 1024) [default: the 722G of the study of 2015].
    #[arg(long, value_name = "SIZE", value_parser = crate::cli::quantity::parse_bytes)]
    pub(crate) volume: Option<u64>,

    /// The clock whose times are compared; on a busy machine processor time is less disturbed.
    #[arg(long, value_name = "CLOCK", default_value = "wall")]
    pub(crate) clock: ClockWord,

    /// Project how long N keys last: a number, or symbols^length [default: 95^8, eight printable characters].
    #[arg(long, value_name = "N", value_parser = parse_key_space)]
    pub(crate) key_space: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The results to compare with.
    #[arg(value_name = "A", value_hint = ValueHint::AnyPath)]
    pub(crate) a: PathBuf,

    /// The other results.
    #[arg(value_name = "B", value_hint = ValueHint::AnyPath)]
    pub(crate) b: PathBuf,

    /// The clock whose times are compared.
    #[arg(long, value_name = "CLOCK", default_value = "wall")]
    pub(crate) clock: ClockWord,

    /// Write HTML to FILE [default: Markdown on standard output].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockWord {
    /// Elapsed time, which the studies compared.
    Wall,
    /// Processor time, where the runner reports it.
    Cpu,
}

impl From<ClockWord> for Clock {
    fn from(word: ClockWord) -> Clock {
        match word {
            ClockWord::Wall => Clock::Wall,
            ClockWord::Cpu => Clock::Cpu,
        }
    }
}

/// `1e12`, `6634204312890625`, `95^8`.
fn parse_key_space(text: &str) -> Result<f64, String> {
    let value = match text.split_once('^') {
        Some((symbols, length)) => {
            symbols.parse::<f64>().ok().zip(length.parse().ok()).map(|(s, n): (f64, i32)| s.powi(n))
        }
        None => text.parse().ok(),
    };
    value
        .filter(|value| value.is_finite() && *value >= 1.0)
        .ok_or_else(|| format!("`{text}` is no number of keys; write for example 1e12 or 95^8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_spaces() {
        assert_eq!(parse_key_space("95^8"), Ok(6_634_204_312_890_625.0));
        assert_eq!(parse_key_space("1e12"), Ok(1e12));
        for text in ["", "x", "0", "-5", "NaN", "inf", "9^999", "95^", "^8", "95^8^2"] {
            assert!(parse_key_space(text).is_err(), "{text}");
        }
    }
}
