//! The command line of `pfh lab`.

use crate::cli::args::When;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  pfh lab doctor
      which runners are there, and what the others lack
  pfh lab doctor --install java
      the commands that install what the runners in Java need
  pfh lab run languages -o results
      the study of 2015 in a few minutes; `--full` takes its sizes, and hours
  pfh lab run languages -o results --resume
      continues what was interrupted
  pfh lab run strings --runner pfh-lanes --runner c-openssl
      two runners only
  pfh lab run ./mine.toml --runners ./my-runners
      an experiment and runners of your own

Exit status:
  0    all done
  1    a runner gave a wrong answer, hung, crashed or broke the protocol
  2    the command line or a definition is wrong, or the run could not begin
  3    the definition of a runner could not be read
  4    results could not be written, or a command of --run failed
  130  interrupted; `--resume` continues

Environment:
  PFH_LAB         a folder with `runners` and `experiments`, in the place of those that come with pfh
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
    /// Show which runners are there, build them, and say how to install what is missing.
    Doctor(DoctorArguments),
    /// Run an experiment and save its results.
    Run(Box<RunArguments>),
    /// Be a runner: answer tasks on standard input (docs/reference/runner-protocol.md).
    Runner(RunnerArguments),
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
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

    /// Take the sizes of the published study, which takes hours.
    #[arg(long)]
    pub(crate) full: bool,

    /// Measure only this runner (repeatable). Others may still be asked for the right answers.
    #[arg(long = "runner", value_name = "ID")]
    pub(crate) only: Vec<String>,

    /// Measure only this algorithm of the experiment (repeatable).
    #[arg(short, long = "algorithm", value_name = "NAME")]
    pub(crate) algorithms: Vec<String>,

    /// Measure only under this profile (repeatable); `today` is that without any.
    #[arg(long = "profile", value_name = "ID")]
    pub(crate) profiles: Vec<String>,

    /// Continue the results in the folder of -o.
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,

    /// Also look for runners in DIR.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) runners: Option<PathBuf>,

    /// Seed of the data and of the order [default: another one each time; it is saved].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// What the processes of one runner may take together (K, M, G: powers of 1024) [default: half of the memory].
    #[arg(long, value_name = "SIZE", value_parser = crate::cli::quantity::parse_bytes)]
    pub(crate) memory: Option<u64>,

    /// Show progress on standard error.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}

#[derive(Debug, Args)]
pub(crate) struct RunnerArguments {
    /// Hash many messages at once; only algorithms that have lanes, only modes with many messages.
    #[arg(long)]
    pub(crate) lanes: bool,
}
