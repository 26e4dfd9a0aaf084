//! The command line of `pfh lab`.

use super::progress::When;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use pfh_lab::measurements::Clock;
use std::path::PathBuf;

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

Exit status:
  0    all done
  1    a runner gave a wrong answer, reported impossible times, hung, crashed or broke the protocol
  2    the command line, a definition or a file of results is wrong, or the run could not begin
  3    the definition of a runner could not be read
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
    /// List the experiments.
    List,
    /// Show which runners are available, build them, and tell how to install what they lack.
    Doctor(DoctorArguments),
    /// Run an experiment and save its results.
    Run(Box<RunArguments>),
    /// Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it.
    Report(ReportArguments),
    /// Print all claims of the studies and where each is judged, and recompute their published fits.
    Claims,
    /// Compare two results: of two machines, systems or versions.
    Compare(CompareArguments),
    /// Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md).
    Runner(RunnerArguments),
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

#[derive(Debug, Args)]
pub(crate) struct RunnerArguments {
    /// Hash many messages at once; offers only algorithms that have lanes, and modes with many messages.
    #[arg(long)]
    pub(crate) lanes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The folder that `pfh lab run` wrote, or its results.jsonl.
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
