//! `pfh audit init`, `run` and `migrate`.

use super::super::audit_args::{AuditReading, InitArguments, MigrateArguments, RunArguments};
use super::super::command::{Command, Reporting};
use super::super::exit::{self, Ending, Failed};
use super::super::message;
use super::super::reading;
use super::collection::{self, Collection, failed, now, output_file};
use super::deliver::{self, News, deliver};
use super::perform::{self, Manner, Performed, is_gone, perform};
use super::policy::Policy;
use super::{report, reported};
use pfh_digest::{Algorithm, Status};
use pfh_ledger::{Finding, Ledger, Lock, Plan, Run, RunEnd, RunOptions, Settings};
use pfh_list::place_of;
use pfh_source::IoMethod;
use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, Instant};

/// Runs `pfh audit init`.
pub(super) fn init(arguments: &InitArguments) -> Result<Ending, Failed> {
    let started = Instant::now();
    let collection = Collection::of(&arguments.ledger)?;
    let (settings, paths) = match &collection.policy {
        Some(policy) => {
            if !arguments.paths.is_empty() || !arguments.algorithms.is_empty() {
                return Err(Failed::usage("a policy names the roots and the algorithms; leave them out here"));
            }
            (policy.settings.clone(), policy.roots.iter().map(|root| root.clone().into_os_string()).collect())
        }
        None => (settings_of(arguments), arguments.paths.clone()),
    };
    let algorithms = algorithms(&settings.algorithms)?;
    if algorithms.iter().all(|algorithm| algorithm.status() == Status::Checksum) {
        message::error("checksums show accidents only: whoever changes a file can keep them; add sha256");
    }
    let roots = roots(&paths)?;
    outside(&collection.ledger, &roots)?;
    spare(&collection, &arguments.reading, 1..=1, &roots, &settings)?;
    let lock = Lock::take(&collection.ledger, arguments.reading.wait).map_err(|error| collection.not_opened(error))?;
    let command = begin(&arguments.reading)?;
    let settings = Settings { algorithms: names(&algorithms), ..settings };
    let ledger = Ledger::create(&collection.ledger, &roots, &settings).map_err(|error| collection.failed(error))?;
    let work = Work {
        mode: "init",
        plan: Plan::default(),
        algorithms,
        time_box: None,
        allow_empty: true,
        options: Vec::new(),
    };
    go(command, &collection, (lock, ledger), settings, &arguments.reading, work, started)
}

/// Runs `pfh audit run`.
pub(super) fn run(arguments: &RunArguments) -> Result<Ending, Failed> {
    let started = Instant::now();
    let collection = Collection::of(&arguments.ledger)?;
    let (lock, mut ledger) = open(&collection, &arguments.reading)?;
    let settings = settings(&mut ledger, &collection, arguments.allow_empty)?;
    let policy = collection.policy.as_ref();
    let is_full = arguments.full;
    // The command line goes first, and a full run reads all whatever the policy says.
    let of_policy = policy.filter(|_| !is_full);
    let is_chosen = arguments.rolling || arguments.share.is_some() || arguments.interval.is_some();
    let share = arguments.share.or(of_policy.filter(|_| !is_chosen).and_then(|policy| policy.share));
    let interval = arguments.interval.or(of_policy.filter(|_| !is_chosen).and_then(|policy| policy.interval));
    let time_box = arguments.time_box.or(of_policy.and_then(|policy| policy.time_box));
    let bytes_max = arguments.bytes.or(of_policy.and_then(|policy| policy.bytes));
    let is_rolling = arguments.rolling || share.is_some() || interval.is_some();
    let plan = Plan {
        unchanged: is_full || is_rolling,
        verified_before: interval.map(|interval| now() - interval.as_secs().cast_signed()),
        share,
        bytes_max,
    };
    let mode = match (is_full, is_rolling) {
        (true, _) => "full",
        (_, true) => "rolling",
        _ => "incremental",
    };
    let text = |name: &str, value: Option<String>| value.map(|value| format!("{name}={value}"));
    let options = [
        text("share", share.map(|parts| format!("1/{parts}"))),
        text("interval", interval.map(|interval| format!("{}s", interval.as_secs()))),
        text("for", time_box.map(|time| format!("{}s", time.as_secs()))),
        text("bytes", bytes_max.map(|bytes| bytes.to_string())),
    ];
    let work = Work {
        mode,
        plan,
        algorithms: algorithms(&settings.algorithms)?,
        time_box,
        allow_empty: arguments.allow_empty,
        options: options.into_iter().flatten().collect(),
    };
    go(begin(&arguments.reading)?, &collection, (lock, ledger), settings, &arguments.reading, work, started)
}

/// Runs `pfh audit migrate`.
pub(super) fn migrate(arguments: &MigrateArguments) -> Result<Ending, Failed> {
    let started = Instant::now();
    let collection = Collection::of(&arguments.ledger)?;
    let (lock, mut ledger) = open(&collection, &arguments.reading)?;
    let target = Algorithm::from_name(&arguments.to).map_err(Failed::usage)?;
    let mut settings = settings(&mut ledger, &collection, arguments.allow_empty)?;
    let mut all = algorithms(&settings.algorithms)?;
    // The target comes last, where the run looks for it.
    all.retain(|algorithm| *algorithm != target);
    if all.is_empty() {
        return Err(Failed::usage(format_args!("the ledger has digests by {target} alone already")));
    }
    all.push(target);
    settings.algorithms = names(&all);
    let work = Work {
        mode: "migrate",
        plan: Plan::default(),
        algorithms: all,
        time_box: arguments.time_box,
        allow_empty: arguments.allow_empty,
        options: vec![format!("to={target}")],
    };
    go(begin(&arguments.reading)?, &collection, (lock, ledger), settings, &arguments.reading, work, started)
}

/// Opens the ledger for a run, and keeps others off it.
fn open(collection: &Collection, reading: &AuditReading) -> Result<(Lock, Ledger), Failed> {
    let ledger = collection.open()?;
    let last = ledger.head().map_err(|error| collection.failed(error))?.run;
    let roots = ledger.roots().map_err(|error| collection.failed(error))?;
    let settings = collection.settings(&ledger)?;
    drop(ledger);
    // It may go on with the last run.
    spare(collection, reading, last..=last + 1, &roots, &settings)?;
    collection.open_alone(reading.wait)
}

/// Refuses a run whose report, or one of those that a policy wants, would replace the ledger, or whose report would
/// replace a file of the collection. `numbers`: those that it may have.
fn spare(
    collection: &Collection,
    reading: &AuditReading,
    numbers: RangeInclusive<i64>,
    roots: &[Vec<u8>],
    settings: &Settings,
) -> Result<(), Failed> {
    let mut of_policy = Vec::new();
    if let Some(policy) = &collection.policy {
        let of_runs = numbers.flat_map(|number| deliver::files(policy, &collection.ledger, number));
        of_policy.extend(of_runs.map(|file| file.path));
    }
    collection.spare([output_file(reading.output.as_deref())].into_iter().chain(of_policy.iter().cloned()))?;
    collection.stay_outside(roots, settings, reading.output.as_slice(), &of_policy, reading.messages.quiet)
}

/// The work of a run.
struct Work {
    mode: &'static str,
    plan: Plan,
    algorithms: Vec<Algorithm>,
    time_box: Option<Duration>,
    allow_empty: bool,
    /// Further options, for the ledger.
    options: Vec<String>,
}

/// Begins the command of a run, and opens its output.
fn begin(reading: &AuditReading) -> Result<Command, Failed> {
    let reporting = Reporting::of(reading.messages, true);
    let mut command = Command::begin(reporting, None);
    command.saves_by_itself("`pfh audit run` goes on with the run".to_owned());
    command.set_output(reading::open_output(reading.output.as_deref(), [])?);
    Ok(command)
}

/// Does a run and reports it.
fn go(
    mut command: Command,
    collection: &Collection,
    (lock, ledger): (Lock, Ledger),
    settings: Settings,
    reading: &AuditReading,
    mut work: Work,
    started: Instant,
) -> Result<Ending, Failed> {
    let policy = collection.policy.as_ref();
    if reading.idle || policy.is_some_and(|policy| policy.idle) {
        be_idle();
    }
    let io: IoMethod = reading.io.or(policy.and_then(|policy| policy.io)).map_or(IoMethod::Buffered, IoMethod::from);
    let rate = reading.rate.or(policy.and_then(|policy| policy.rate));
    let facts = pfh::HashRun::new(["sha256"]).map_err(Failed::usage)?.facts();
    let options = RunOptions {
        program: super::super::PROGRAM.to_owned(),
        host: facts.host.host,
        user: collection::user(),
        mode: work.mode.to_owned(),
        algorithms: names(&work.algorithms),
        io: format!("{io:?}").to_lowercase(),
        options: std::mem::take(&mut work.options),
    };
    let run = Run::begin(ledger, options, &settings).map_err(|error| collection.failed(error))?;
    let number = run.number();
    if run.is_resumed() && !reading.messages.quiet {
        message::error(format_args!("run {number} was interrupted, and goes on ({})", run.options().mode));
    }
    let mode = run.options().mode.clone();
    let manner = Manner {
        // Those of an interrupted first run, if this is its rest.
        algorithms: algorithms(&run.options().algorithms)?,
        io,
        rate,
        deadline: work.time_box.map(|time| started + time),
        threads: reading.threads,
        memory_bytes: reading.memory,
        allow_empty: work.allow_empty,
    };
    let (end, mut ledger) = match perform(&mut command, run, &settings, &work.plan, &manner)? {
        Performed::Interrupted => return command.finish(Ok(()), 0, None),
        Performed::Ended(end, ledger) => (end, ledger),
    };
    if ledger.clock_went_back() {
        message::error(
            "the clock is earlier than at the last event of the ledger; the order of events is not affected",
        );
    }
    if mode == "migrate" {
        end_migration(&mut ledger, &settings, &work.algorithms).map_err(|error| collection.failed(error))?;
    }
    command.tally.findings = alarms(&settings, &end);
    let written = report::write(&ledger, number, reading.format, &mut command.output());
    let written = report::into_io(written).map_err(|error| collection.failed(error));
    let summary = reported::summary(number, &mode, &end);
    if !reading.messages.quiet {
        message::plain(format_args!("pfh: {summary}"));
    }
    let news = match (command.tally.findings, command.tally.unread) {
        (0, 0) => News::Good,
        (0, _) => News::Incomplete,
        _ => News::Alarm,
    };
    let delivered = policy.map_or_else(Vec::new, |policy| deliver(policy, &ledger, number, &summary, news));
    drop(lock);
    // Neither a report that cannot be written nor a message that cannot be sent holds back the other.
    let finished = written.and_then(|written| command.finish(written, end.files, None));
    Ok(exit::with_others(finished, delivered))
}

/// Returns the number of files with a finding that is an alarm: those that are open, and those of this run.
pub(super) fn alarms(settings: &Settings, end: &RunEnd) -> u64 {
    let wanted = Finding::OF_FILES.into_iter().filter(|finding| settings.is_alarm(*finding));
    wanted
        .map(|finding| {
            let of =
                |counts: &std::collections::BTreeMap<String, u64>| counts.get(finding.word()).copied().unwrap_or(0);
            of(&end.open).max(of(&end.findings))
        })
        .sum()
}

/// Makes the new algorithm that of the ledger. Where files still have digests by the old one only, both stay.
fn end_migration(ledger: &mut Ledger, settings: &Settings, all: &[Algorithm]) -> Result<(), pfh_ledger::Error> {
    let Some(target) = all.last() else { return Ok(()) };
    let left = ledger.without(target.name())?;
    let mut algorithms = vec![target.to_string()];
    if left > 0 {
        algorithms.extend(all.iter().filter(|algorithm| *algorithm != target).map(|algorithm| algorithm.to_string()));
        message::error(format_args!(
            "files without a digest by {target}: {left}. They could not be verified or read; migrate again when they can"
        ));
    }
    if ledger.settings()?.algorithms != algorithms {
        ledger.set_settings(&Settings { algorithms, ..settings.clone() })?;
    }
    Ok(())
}

/// Returns the settings of the ledger, changed to those of the policy. The change is recorded with the run.
fn settings(ledger: &mut Ledger, collection: &Collection, allow_empty: bool) -> Result<Settings, Failed> {
    let kept = ledger.settings().map_err(|error| collection.failed(error))?;
    let Some(policy) = &collection.policy else { return Ok(kept) };
    let Policy { settings, has_algorithms, .. } = policy;
    same_roots(policy, &ledger.roots().map_err(|error| collection.failed(error))?, allow_empty)?;
    let wanted = Settings { algorithms: kept.algorithms.clone(), ..settings.clone() };
    if *has_algorithms && names(&algorithms(&settings.algorithms)?) != kept.algorithms {
        return Err(Failed::usage(format_args!(
            "the policy wants digests by {}, and the ledger has them by {}: `pfh audit migrate` changes the algorithm",
            settings.algorithms.join(","),
            kept.algorithms.join(",")
        )));
    }
    if wanted != kept {
        ledger.prepare_settings(&wanted).map_err(|error| collection.failed(error))?;
    }
    Ok(wanted)
}

/// Refuses a policy with other roots than those of the ledger, unless it names none.
fn same_roots(policy: &Policy, kept: &[Vec<u8>], allow_empty: bool) -> Result<(), Failed> {
    if policy.roots.is_empty() {
        return Ok(());
    }
    let mut wanted = Vec::new();
    for root in &policy.roots {
        wanted.push(match root.canonicalize() {
            Err(error) if !(allow_empty && is_gone(&error)) => return Err(perform::unexamined(root, &error)),
            _ => place_of(root),
        });
    }
    let kept: Vec<PathBuf> = kept
        .iter()
        .map(|root| {
            let root = Path::new(std::ffi::OsStr::from_bytes(root));
            // A root that is gone keeps its name.
            root.canonicalize().unwrap_or_else(|_| root.to_owned())
        })
        .collect();
    let added = wanted.iter().find(|root| !kept.contains(root));
    let left_out = kept.iter().find(|root| !wanted.contains(root));
    let (root, differs) = match (added, left_out) {
        (Some(root), _) => (root, "is a root of the policy and not of the ledger"),
        (None, Some(root)) => (root, "is a root of the ledger and not of the policy"),
        (None, None) => return Ok(()),
    };
    Err(Failed::usage(format_args!(
        "{} {differs}. `pfh audit relocate` records that a root is at another path now; for other files, make \
         another ledger with another policy",
        message::quoted_path(root)
    )))
}

fn settings_of(arguments: &InitArguments) -> Settings {
    let usual = Settings::default();
    Settings {
        algorithms: if arguments.algorithms.is_empty() { usual.algorithms } else { arguments.algorithms.clone() },
        include: arguments.include.clone(),
        exclude: arguments.exclude.clone(),
        size_min: arguments.min_size,
        size_max: arguments.max_size,
        follow_files: arguments.follow_files,
        follow_directories: arguments.follow_directories,
        one_file_system: arguments.one_file_system,
        alarms: usual.alarms,
    }
}

/// Returns algorithms by their names, each once.
pub(super) fn algorithms(names: &[String]) -> Result<Vec<Algorithm>, Failed> {
    reading::unkeyed(names, "needs a key, which a ledger cannot keep")
}

fn names(algorithms: &[Algorithm]) -> Vec<String> {
    algorithms.iter().map(ToString::to_string).collect()
}

/// Returns the roots as absolute paths without links.
fn roots(paths: &[OsString]) -> Result<Vec<Vec<u8>>, Failed> {
    if paths.is_empty() {
        return Err(Failed::usage("no directory of the collection is named"));
    }
    let bytes = |path: &OsString| root(path).map(|root| root.into_os_string().into_vec());
    let roots = paths.iter().map(bytes).collect::<Result<Vec<_>, _>>()?;
    apart(&roots)?;
    Ok(roots)
}

/// Returns a root as an absolute path without links.
pub(super) fn root(path: &OsStr) -> Result<PathBuf, Failed> {
    Path::new(path).canonicalize().map_err(|error| {
        Failed::usage(format_args!("{} cannot be examined: {error}", message::quoted(path.as_bytes())))
    })
}

/// Refuses roots of which one lies in another.
pub(super) fn apart(roots: &[Vec<u8>]) -> Result<(), Failed> {
    let path = |root: &'_ Vec<u8>| Path::new(OsStr::from_bytes(root)).to_owned();
    for (number, root) in roots.iter().map(path).enumerate() {
        if let Some(other) =
            roots[..number].iter().map(path).find(|other| root.starts_with(other) || other.starts_with(&root))
        {
            return Err(Failed::usage(format_args!(
                "{} and {} lie in each other; name only the outer one",
                message::quoted_path(&other),
                message::quoted_path(&root)
            )));
        }
    }
    Ok(())
}

/// Refuses a ledger that lies in the collection: it changes with every run.
pub(super) fn outside(ledger: &Path, roots: &[Vec<u8>]) -> Result<(), Failed> {
    let absolute = std::path::absolute(ledger).unwrap_or_else(|_| ledger.to_owned());
    let directory = absolute.parent().unwrap_or(Path::new("/"));
    let directory = directory
        .canonicalize()
        .map_err(|error| failed(ledger, pfh_ledger::Error::Refused(format!("its directory: {error}"))))?;
    for root in roots {
        let root = Path::new(std::ffi::OsStr::from_bytes(root));
        if directory.starts_with(root) {
            return Err(Failed::usage(format_args!(
                "the ledger {} would lie in {}, which it describes; put it elsewhere, best on another disk",
                message::quoted_path(ledger),
                message::quoted_path(root)
            )));
        }
    }
    Ok(())
}

/// Gives this process the lowest priorities. The threads that it starts inherit them.
fn be_idle() {
    let _ = rustix::process::setpriority_process(None, 19);
    let id = process::id().to_string();
    let ionice = process::Command::new("ionice").args(["-c", "3", "-p", &id]).stdin(process::Stdio::null()).output();
    if !ionice.is_ok_and(|output| output.status.success()) {
        message::error(
            "`ionice` did not set the idle class for disks; `IOSchedulingClass=idle` of systemd does the same",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_are_those_that_are_open_or_new() {
        let mut end = RunEnd::default();
        let settings = Settings::default();
        assert_eq!(alarms(&settings, &end), 0);
        end.findings.insert("new".to_owned(), 5);
        assert_eq!(alarms(&settings, &end), 0);
        end.open.insert("missing".to_owned(), 2);
        end.findings.insert("missing".to_owned(), 1);
        assert_eq!(alarms(&settings, &end), 2);
        let settings = Settings { alarms: vec!["new".to_owned()], ..settings };
        assert_eq!(alarms(&settings, &end), 5);
    }
}
