//! The saved entries of one experiment, read and put in order: [`Measurements`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use pfh_statistics::{Estimate, Line, Repeats, Summary, bootstrap, median};

use crate::environment::{self, Difference};
use crate::error::Error;
use crate::experiment::trials;
use crate::quantity::counted;
use crate::results::{
    Cell, Corpus, Cost, Device, Entry, Failure, FailureKind, Header, KEPT, Output, Runner, Saved, Truth,
};
use crate::store;

/// The profile in which nothing is masked.
pub const TODAY: &str = "today";

/// Version of the format that this reader knows.
const VERSION: u32 = 1;

/// Longest line: the header holds a whole definition, nothing else comes near.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// Most lines, and with the line's length a bound on memory. `algorithms --full` writes some 100,000.
const LINES_MAX: u64 = 2_000_000;

/// Most bytes of kept outputs, all together.
const OUTPUTS_BYTES_MAX: usize = 64 << 20;

/// Most different cells: each is a row of the report.
const CELLS_MAX: usize = 20_000;

/// The measurements of an experiment.
#[derive(Clone, Debug)]
pub struct Measurements {
    /// The experiment, the machine and the time.
    pub header: Header,
    /// The runners, in the order of their ids; a runner that several lines speak of appears as the last says that tells
    /// anything of it.
    pub runners: BTreeMap<(String, String), Runner>,
    /// The devices on which whole programs ran, by name.
    pub devices: BTreeMap<String, Device>,
    /// The files that whole programs got, by name.
    pub corpora: BTreeMap<String, Corpus>,
    /// Outputs of whole programs, by program and name.
    pub outputs: BTreeMap<(String, String), Output>,
    /// The timed series, in the order of runner, profile, mode, algorithm, chunk, dimensions.
    pub series: BTreeMap<SeriesKey, Series>,
    /// Answers on which different implementations or programs agree, and lists of programs that nobody confirms.
    pub truths: Vec<Truth>,
    /// Tasks that gave no samples.
    pub failures: Vec<Failure>,
    /// Seconds of all runs together, without those that were killed; `None` where the experiment did not reach its end.
    pub seconds: Option<f64>,
    /// Notes for the reader about the file of results itself.
    pub notes: Vec<String>,
    /// The clock whose times are compared.
    pub clock: Clock,
}

/// The properties that all points of a series share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesKey {
    /// The variant's id.
    pub runner: String,
    /// The profile's id.
    pub profile: String,
    /// The protocol's mode.
    pub mode: String,
    /// The algorithm.
    pub algorithm: String,
    /// Size of one update in bytes; 0 for a single call.
    pub chunk_bytes: u64,
    /// Further dimensions by name; none for runners.
    pub dimensions: BTreeMap<String, String>,
}

/// One runner's times for one algorithm over several sizes.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// In the order of size.
    pub points: Vec<Point>,
}

/// The repeats of one cell.
#[derive(Clone, Debug)]
pub struct Point {
    /// Size of the data in bytes.
    pub bytes: u64,
    /// Number of strings, messages or derivations; 1 otherwise.
    pub count: u64,
    /// Wall times in nanoseconds.
    pub wall_ns: Repeats,
    /// Processor times in nanoseconds; empty unless every repeat has one.
    pub cpu_ns: Repeats,
    /// Which of the two clocks counts.
    pub clock: Clock,
    /// Summary of the times by that clock.
    pub time: Summary,
    /// Costs of the tasks other than time, each with the sum of the wall times of its repeats in nanoseconds.
    pub costs: Vec<(Cost, f64)>,
}

/// The clock whose times are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Time that passes, which the studies compared; other work on the machine makes it longer.
    #[default]
    Wall,
    /// Time of the processor, which feels other work less. Not every runner tells it, and some tell it in coarse steps.
    Cpu,
}

impl Clock {
    /// As reports print it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Clock::Wall => "wall time",
            Clock::Cpu => "processor time",
        }
    }
}

/// The unit in which the work of a mode is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes: rates are bytes per second.
    Bytes,
    /// Strings or derivations: rates are these per second.
    Items,
}

impl Unit {
    /// The unit of a mode of the protocol.
    #[must_use]
    pub fn of(mode: &str) -> Unit {
        if matches!(mode, "strings" | "password") { Unit::Items } else { Unit::Bytes }
    }
}

impl Point {
    /// The times by the clock that counts, in nanoseconds.
    #[must_use]
    pub fn times_ns(&self) -> &Repeats {
        match self.clock {
            Clock::Wall => &self.wall_ns,
            Clock::Cpu => &self.cpu_ns,
        }
    }

    /// The quantity that times grow with: bytes, of one message in the mode `messages`; or the number of strings or
    /// derivations.
    #[must_use]
    pub fn size(&self, mode: &str) -> u64 {
        match (Unit::of(mode), mode) {
            (Unit::Items, _) => self.count,
            (_, "messages") => self.bytes / self.count.max(1),
            _ => self.bytes,
        }
    }

    /// Nanoseconds for one unit of [`Point::size`]'s thing, of a time of the whole: one message in the mode `messages`,
    /// the whole otherwise.
    fn each_ns(&self, mode: &str, whole_ns: f64) -> f64 {
        if mode == "messages" { whole_ns / self.count.max(1) as f64 } else { whole_ns }
    }

    /// Bytes, strings or derivations per second at the median time; `None` where the clock saw no time pass.
    #[must_use]
    pub fn rate(&self, unit: Unit) -> Option<Estimate> {
        let work = match unit {
            Unit::Bytes => self.bytes,
            Unit::Items => self.count,
        } as f64;
        let is_positive =
            |estimate: &Estimate| estimate.value > 0.0 && estimate.interval.is_none_or(|interval| interval.low > 0.0);
        Some(self.time.estimate()).filter(is_positive).map(|time| time.map(|ns| work / ns * 1e9))
    }
}

impl Series {
    /// The point with the most data.
    #[must_use]
    pub fn largest(&self) -> Option<&Point> {
        self.points.last()
    }

    /// Least squares through the medians: nanoseconds over [`Point::size`]. `None` for fewer than three sizes, through
    /// which any two parameters fit.
    #[must_use]
    pub fn line(&self, mode: &str) -> Option<Line> {
        let points = self.to_fit(mode, self.points.iter().map(|point| point.time.median));
        points.and_then(|points| Line::fit(&points))
    }

    /// Sizes with times there, to fit a line through; `None` for fewer than three.
    fn to_fit(&self, mode: &str, times_ns: impl Iterator<Item = f64>) -> Option<Vec<(f64, f64)>> {
        let pair = |(point, ns): (&Point, f64)| (point.size(mode) as f64, point.each_ns(mode, ns));
        let points: Vec<_> = self.points.iter().zip(times_ns).map(pair).collect();
        (points.len() >= 3).then_some(points)
    }

    /// Nanoseconds at a size that need not have been measured, by the line, with an interval from the repeats of all
    /// sizes.
    #[must_use]
    pub fn project_ns(&self, mode: &str, size: f64) -> Option<Estimate> {
        of_lines(&[(mode, self)], |lines| lines[0].at(size).value)
    }
}

/// A function of the lines of several series, each with its mode, with an interval from resampling the repeats of every
/// size. `None` where a series has fewer than three sizes. The function sees no intervals of resampled lines.
///
/// The residuals of a few medians around a line say little of how uncertain each median is; the repeats do.
pub fn of_lines(series: &[(&str, &Series)], function: impl Fn(&[Line]) -> f64) -> Option<Estimate> {
    let lines: Option<Vec<Line>> = series.iter().map(|(mode, series)| series.line(mode)).collect();
    let value = function(&lines?);
    let sets: Vec<_> = series.iter().flat_map(|(_, series)| &series.points).map(Point::times_ns).collect();
    let interval = bootstrap(&sets, &mut |drawn| {
        let medians: Option<Vec<f64>> = drawn.iter_mut().map(|values| median(values)).collect();
        let mut medians = medians?.into_iter();
        let line = |(mode, series): &(&str, &Series)| Line::without_intervals(&series.to_fit(mode, medians.by_ref())?);
        let lines: Option<Vec<Line>> = series.iter().map(line).collect();
        lines.map(|lines| function(&lines))
    });
    value.is_finite().then_some(Estimate { value, interval })
}

/// Why a file of results cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// It cannot be read.
    Io(io::Error),
    /// It has no line.
    Empty,
    /// A line is not what the format says.
    Line {
        /// From 1.
        line: u64,
        /// The problem.
        message: String,
    },
    /// It is larger than any experiment's.
    TooLarge(&'static str),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => error.fmt(f),
            ReadError::Empty => f.write_str("the file is empty; an experiment writes its header first"),
            ReadError::Line { line, message } => write!(f, "line {line}: {message}"),
            ReadError::TooLarge(what) => write!(f, "more {what} than any experiment writes"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::Io(error)
    }
}

/// Samples and costs of a cell as they come: by the number of the task, which is the round's.
#[derive(Default)]
struct Observations {
    wall_ns: BTreeMap<u64, Vec<f64>>,
    cpu_ns: BTreeMap<u64, Vec<f64>>,
    costs: Vec<Cost>,
}

impl Measurements {
    /// Reads the results in a folder, or in a file named directly.
    ///
    /// # Errors
    /// [`Error::Input`] with the file's name if it cannot be read, or [`Measurements::read`] refuses it.
    pub fn open(path: &Path) -> Result<Measurements, Error> {
        // A file that the user names may be a pipe.
        let (path, is_named) = if path.is_dir() { (path.join(store::FILE), false) } else { (path.to_owned(), true) };
        let named = |error: &dyn fmt::Display| Error::Input(format!("`{}`: {error}", path.display()));
        let opened = if is_named { File::open(&path) } else { store::open_regular(&path, File::options().read(true)) };
        let file = opened.map_err(|error| named(&error))?;
        Measurements::read(BufReader::new(file)).map_err(|error| named(&error))
    }

    /// Reads `results.jsonl`.
    ///
    /// A last line that was cut off (the experiment was killed, the disk was full) is left out and noted; entries of
    /// unknown type are counted and noted.
    ///
    /// # Errors
    /// [`ReadError`] if the file cannot be read, does not begin with a header of version 1, has a damaged line before
    /// the last, or is larger than the limits of this module.
    pub fn read(mut reader: impl BufRead) -> Result<Measurements, ReadError> {
        let mut header = None;
        let mut runners: BTreeMap<(String, String), Runner> = BTreeMap::new();
        // Why one that was measured was not there later.
        let mut gone = BTreeMap::new();
        let mut cells: BTreeMap<Cell, Observations> = BTreeMap::new();
        let mut devices = BTreeMap::new();
        let mut corpora = BTreeMap::new();
        let mut outputs = BTreeMap::new();
        let mut outputs_bytes = 0;
        let mut truths = Vec::new();
        let mut failures = Vec::new();
        let mut seconds = None;
        let mut before = 0.0;
        let mut unknown = 0_u64;
        let mut notes = Vec::new();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                break;
            }
            let failed = |message: String| ReadError::Line { line: number, message };
            let whole = line.ends_with(b"\n");
            if !whole && line.len() as u64 == LINE_BYTES_MAX {
                return Err(failed(format!("longer than {LINE_BYTES_MAX} bytes")));
            }
            if number > LINES_MAX {
                return Err(ReadError::TooLarge("lines"));
            }
            let no_header = "the first line is no header";
            let entry = match Saved::parse(&line) {
                Ok(Saved::Blank) => continue,
                Ok(Saved::Entry(entry)) => *entry,
                Ok(Saved::Unknown) if header.is_none() => return Err(failed(no_header.to_owned())),
                Ok(Saved::Unknown) => {
                    unknown += 1;
                    continue;
                }
                Err(_) if !whole && header.is_some() => {
                    notes.push(format!("The last line ({number}) was cut off and is left out."));
                    break;
                }
                Err(error) => return Err(failed(error.to_string())),
            };
            if header.is_none() && !matches!(entry, Entry::Header(_)) {
                return Err(failed(no_header.to_owned()));
            }
            if matches!(entry, Entry::Sample(_) | Entry::Cost(_) | Entry::Failure(_) | Entry::Stop { .. }) {
                // A run that continues what had reached its end has to reach it anew.
                seconds = None;
            }
            match entry {
                Entry::Header(new) => match &mut header {
                    None if new.version != VERSION => {
                        return Err(failed(format!("version {} of the format; this is for {VERSION}", new.version)));
                    }
                    None => header = Some(new),
                    Some(Header { experiment, definition, rounds, environment, .. })
                        if *experiment == new.experiment && *definition == new.definition =>
                    {
                        // As a run is only continued on its own machine.
                        let differences = environment::differences(environment, &new.environment);
                        if let Some(other) = differences.iter().find(|difference| !difference.is_slight) {
                            let Difference { fact, there, here, .. } = other;
                            return Err(failed(format!(
                                "the header of another machine, whose `{fact}` is {here} instead of {there}; keep a \
                                 file for each, and compare them with `pfh lab compare`"
                            )));
                        }
                        *rounds = new.rounds.or(*rounds);
                        notes.push(format!("Continued on {} (line {number}).", new.started));
                    }
                    Some(_) => return Err(failed("the header of another experiment".to_owned())),
                },
                Entry::Runner(runner) => {
                    let key = (runner.runner.clone(), runner.profile.clone());
                    let was_there = runners.get(&key).is_some_and(|there| there.hello.is_some());
                    if was_there && runner.hello.is_none() {
                        gone.insert(key, runner.unavailable);
                    } else {
                        gone.remove(&key);
                        runners.insert(key, runner);
                    }
                }
                Entry::Device(device) => {
                    devices.insert(device.device.clone(), device);
                }
                Entry::Corpus(corpus) => {
                    corpora.insert(corpus.corpus.clone(), corpus);
                }
                Entry::Output(output) => {
                    outputs_bytes += output.text.len();
                    outputs.insert((output.runner.clone(), output.name.clone()), output);
                }
                Entry::Truth(truth) => truths.push(truth),
                Entry::Sample(sample) => {
                    let cell = cells.entry(sample.cell).or_default();
                    cell.wall_ns.entry(sample.order).or_default().push(sample.wall_ns as f64);
                    cell.cpu_ns.entry(sample.order).or_default().extend(sample.cpu_ns.map(|ns| ns as f64));
                }
                Entry::Cost(cost) => cells.entry(cost.cell.clone()).or_default().costs.push(cost),
                Entry::Failure(failure) => failures.push(failure),
                Entry::Stop { seconds: stop } => before += stop,
                Entry::End { seconds: end } => {
                    before += end;
                    seconds = Some(before);
                }
            }
            let counts = [cells.len(), failures.len(), runners.len(), devices.len(), corpora.len(), truths.len()];
            if counts.iter().any(|count| *count > CELLS_MAX) {
                return Err(ReadError::TooLarge("different cells, runners, devices, corpora, answers or failures"));
            }
            if outputs_bytes > OUTPUTS_BYTES_MAX {
                return Err(ReadError::TooLarge("bytes of what programs printed"));
            }
        }
        let header = header.ok_or(ReadError::Empty)?;
        leave_out_implausible(&mut cells, &failures, &mut notes);
        leave_out_wrong(&mut cells, &failures, &mut notes);
        leave_out_failed_programs(&mut cells, &failures);
        for ((runner, profile), reason) in gone {
            let reason = reason.as_deref().unwrap_or("it did not say why");
            notes.push(format!("{runner} ({profile}) was there, and was not when the run was continued: {reason}."));
        }
        if unknown > 0 {
            notes.push(format!(
                "{} left out.",
                counted(
                    unknown,
                    "entry of a type that this version does not know is",
                    "entries of a type that this version does not know are"
                )
            ));
        }
        if seconds.is_none() {
            notes.push("The experiment did not reach its end; what it has measured is below.".to_owned());
        }
        Ok(Measurements {
            header,
            runners,
            devices,
            corpora,
            outputs,
            series: into_series(cells),
            truths,
            failures,
            clock: Clock::Wall,
            seconds,
            notes,
        })
    }

    /// The same measurements, compared by another clock; what has no times by it is left out and noted.
    #[must_use]
    pub fn by(mut self, clock: Clock) -> Measurements {
        let mut lost = 0;
        for series in self.series.values_mut() {
            let before = series.points.len();
            series.points = std::mem::take(&mut series.points)
                .into_iter()
                .filter_map(|mut point| {
                    point.clock = clock;
                    point.time = Summary::of(point.times_ns())?;
                    Some(point)
                })
                .collect();
            lost += before - series.points.len();
        }
        self.series.retain(|_, series| !series.points.is_empty());
        if lost > 0 {
            let cells = counted(lost, "cell has", "cells have");
            self.notes.push(format!("Left out: {cells} no {}.", clock.name()));
        }
        self.clock = clock;
        self
    }

    /// By how much wall time exceeds processor time where data are in memory, the median over all cells of a
    /// millisecond or more: near 1 on a machine with nothing else to do. `None` where no runner tells its processor
    /// time.
    #[must_use]
    pub fn disturbance(&self) -> Option<f64> {
        let in_memory = self.series.iter().filter(|(key, _)| !key.mode.ends_with("-file") && key.mode != trials::MODE);
        let mut ratios: Vec<f64> = in_memory
            .flat_map(|(_, series)| &series.points)
            .filter_map(|point| {
                let [wall, cpu] =
                    [&point.wall_ns, &point.cpu_ns].map(|times| median(&mut times.values().collect::<Vec<_>>()));
                wall.zip(cpu.filter(|ns| *ns >= 1e6)).map(|(wall, cpu)| wall / cpu)
            })
            .collect();
        median(&mut ratios)
    }

    /// The series of a runner; where it was measured with several chunk sizes, the one with the most sizes, and of
    /// those the one with the largest chunk. A single call is the largest: it takes the whole message.
    #[must_use]
    pub fn series(&self, runner: &str, profile: &str, mode: &str, algorithm: &str) -> Option<&Series> {
        self.series
            .iter()
            .filter(|(key, _)| {
                key.runner == runner && key.profile == profile && key.mode == mode && key.algorithm == algorithm
            })
            .max_by_key(|(key, series)| (series.points.len(), key.chunk_bytes.wrapping_sub(1)))
            .map(|(_, series)| series)
    }

    /// Whether a cell has times.
    #[must_use]
    pub fn has_point(&self, cell: &Cell) -> bool {
        let Cell { runner, profile, mode, algorithm, bytes, count, chunk_bytes, dimensions } = cell.clone();
        let series = self.series.get(&SeriesKey { runner, profile, mode, algorithm, chunk_bytes, dimensions });
        series.is_some_and(|series| series.points.iter().any(|point| (point.bytes, point.count) == (bytes, count)))
    }

    /// Whether a runner was also measured with another chunk size, as far as the rest of a key says.
    #[must_use]
    pub fn has_other_chunks(&self, key: &SeriesKey) -> bool {
        self.series.keys().any(|other| {
            other.chunk_bytes != key.chunk_bytes
                && (&other.runner, &other.profile, &other.mode, &other.algorithm)
                    == (&key.runner, &key.profile, &key.mode, &key.algorithm)
        })
    }

    /// The chunk sizes that [`Measurements::series`] takes where there are several, the smallest first; 0 for a single
    /// call.
    #[must_use]
    pub fn chosen_chunks(&self) -> BTreeSet<u64> {
        let of_runners = self.series.iter().filter(|(key, _)| key.mode != trials::MODE && self.has_other_chunks(key));
        let is_chosen = |(key, series): &(&SeriesKey, &Series)| {
            let chosen = self.series(&key.runner, &key.profile, &key.mode, &key.algorithm);
            chosen.is_some_and(|chosen| std::ptr::eq(chosen, *series))
        };
        of_runners.filter(is_chosen).map(|(key, _)| key.chunk_bytes).collect()
    }

    /// The profiles that have samples, `today` first.
    #[must_use]
    pub fn profiles(&self) -> Vec<&str> {
        let mut profiles: Vec<_> = self.series.keys().map(|key| key.profile.as_str()).collect();
        // From the processor as it is to the oldest.
        let place = |profile: &str| [TODAY, "no-sha"].iter().position(|known| *known == profile).unwrap_or(2);
        profiles.sort_unstable_by_key(|profile| (place(profile), *profile));
        profiles.dedup();
        profiles
    }

    /// Modes and algorithms of runners that have samples, in the order of their names.
    #[must_use]
    pub fn subjects(&self) -> Vec<(&str, &str)> {
        let of_runners = self.series.keys().filter(|key| key.mode != trials::MODE);
        let mut subjects: Vec<_> = of_runners.map(|key| (key.mode.as_str(), key.algorithm.as_str())).collect();
        subjects.sort_unstable_by_key(|(mode, algorithm)| (*mode, family(algorithm)));
        subjects.dedup();
        subjects
    }

    /// Ids of the runners that have samples with a profile.
    #[must_use]
    pub fn runner_ids(&self, profile: &str) -> Vec<&str> {
        let mut ids: Vec<_> =
            self.series.keys().filter(|key| key.profile == profile).map(|key| key.runner.as_str()).collect();
        ids.dedup();
        ids
    }

    /// The name of a runner for people: its label without the profile's, else its id.
    #[must_use]
    pub fn label<'a>(&'a self, runner: &'a str) -> &'a str {
        let named = |profile: &str| self.runners.get(&(runner.to_owned(), profile.to_owned()));
        let label = named(TODAY).map(|runner| runner.label.as_str());
        label.filter(|label| !label.is_empty()).unwrap_or(runner)
    }

    /// A device in words.
    #[must_use]
    pub fn place(&self, device: &str) -> String {
        let there = self.devices.get(device);
        match device {
            trials::HERE if there.is_some_and(|there| there.facts.contains_key(KEPT)) => {
                "the disk of the kept corpora".to_owned()
            }
            trials::HERE => "the disk of the results".to_owned(),
            _ if there.is_some_and(|there| there.simulated) => format!("a simulated device ({device})"),
            _ => format!("the device {device}"),
        }
    }

    /// Whether a runner stands in for another component (Windows under Wine).
    #[must_use]
    pub fn is_stand_in(&self, runner: &str) -> bool {
        let hellos =
            self.runners.iter().filter(|((id, _), _)| id == runner).filter_map(|(_, entry)| entry.hello.as_ref());
        hellos.into_iter().any(|hello| hello.stand_in)
    }
}

/// Sorts `sha512` behind `sha1` and `sha256`: by what stands before the first digit, then by the number.
fn family(algorithm: &str) -> (&str, u64, &str) {
    let end = algorithm.find(|c: char| c.is_ascii_digit()).unwrap_or(algorithm.len());
    let digits: String = algorithm[end..].chars().take_while(char::is_ascii_digit).take(9).collect();
    (&algorithm[..end], digits.parse().unwrap_or(0), algorithm)
}

/// Leaves out the figures of runners of which one was implausible: whoever tells an impossible time once, tells others
/// that are merely hard to disprove.
fn leave_out_implausible(cells: &mut BTreeMap<Cell, Observations>, failures: &[Failure], notes: &mut Vec<String>) {
    let caught = failures.iter().filter(|failure| failure.kind == FailureKind::Implausible);
    let caught: BTreeSet<(&str, &str)> =
        caught.map(|failure| (failure.cell.runner.as_str(), failure.cell.profile.as_str())).collect();
    cells.retain(|cell, _| !caught.contains(&(cell.runner.as_str(), cell.profile.as_str())));
    notes.extend(caught.into_iter().map(|(runner, profile)| {
        format!(
            "The figures of {runner} ({profile}) are left out: it told times that cannot be true. What failed, below, says which."
        )
    }));
}

/// Leaves out the series of runners in which an answer was wrong: one that is wrong at times is not known to have been
/// right before.
fn leave_out_wrong(cells: &mut BTreeMap<Cell, Observations>, failures: &[Failure], notes: &mut Vec<String>) {
    fn key(cell: &Cell) -> (&str, &str, &str, &str, u64) {
        let Cell { runner, profile, mode, algorithm, chunk_bytes, .. } = cell;
        (runner, profile, mode, algorithm, *chunk_bytes)
    }
    let wrong = failures.iter().filter(|failure| failure.kind == FailureKind::WrongAnswer);
    let wrong: BTreeSet<_> =
        wrong.map(|failure| &failure.cell).filter(|cell| cell.mode != trials::MODE).map(key).collect();
    let mut left_out = BTreeSet::new();
    cells.retain(|cell, observations| {
        let is_right = !wrong.contains(&key(cell));
        if !is_right && !observations.wall_ns.is_empty() {
            let Cell { runner, profile, mode, algorithm, .. } = cell;
            left_out.insert(format!(
                "The figures of {runner} ({profile}), {mode} {algorithm}, are left out: an answer was wrong. What failed, \
                 below, says which."
            ));
        }
        is_right
    });
    notes.extend(left_out);
}

/// Leaves out the times of cells of whole programs that failed in a later round: what mended or broke them on the way
/// is not known.
fn leave_out_failed_programs(cells: &mut BTreeMap<Cell, Observations>, failures: &[Failure]) {
    let failed = failures.iter().map(|failure| &failure.cell).filter(|cell| cell.mode == trials::MODE);
    for cell in failed {
        cells.remove(cell);
    }
}

fn into_series(cells: BTreeMap<Cell, Observations>) -> BTreeMap<SeriesKey, Series> {
    let mut series: BTreeMap<SeriesKey, Series> = BTreeMap::new();
    for (cell, Observations { wall_ns, cpu_ns, costs }) in cells {
        let task_ns = |order: u64| wall_ns.get(&order).map_or(0.0, |round| round.iter().sum());
        let costs = costs.into_iter().map(|cost| (task_ns(cost.order), cost)).map(|(ns, cost)| (cost, ns)).collect();
        let [wall_ns, mut cpu_ns] =
            [wall_ns, cpu_ns].map(|rounds| Repeats::from_rounds(rounds.into_values().collect()));
        // A cell that only failed, or only cost something, has no times.
        let Some(time) = Summary::of(&wall_ns) else { continue };
        if cpu_ns.len() != wall_ns.len() {
            cpu_ns = Repeats::default();
        }
        let Cell { runner, profile, mode, algorithm, bytes, count, chunk_bytes, dimensions } = cell;
        let key = SeriesKey { runner, profile, mode, algorithm, chunk_bytes, dimensions };
        series.entry(key).or_default().points.push(Point {
            bytes,
            count,
            wall_ns,
            cpu_ns,
            clock: Clock::Wall,
            time,
            costs,
        });
    }
    for (key, series) in &mut series {
        series.points.sort_by_key(|point| (point.size(&key.mode), point.bytes, point.count));
    }
    series
}
