//! Whole programs: a table and a plot for each trial, the readers and slots that suffice, and projections.

use std::collections::{BTreeMap, BTreeSet};

use pfh_statistics::{Estimate, Repeats, Summary, median, of_medians, ratio_of_medians};

use crate::experiment::Definition;
use crate::experiment::Experiment;
use crate::experiment::trials::{self, CACHE, CORPUS, Cache, DEVICE, Limit, Program, Trial};
use crate::measurements::{Measurements, Point, Series, SeriesKey, TODAY};
use crate::published;
use crate::report::Report;
use crate::report::format::{algorithm, count, counted, duration, estimate, number, sentence, size, time};
use crate::report::frash;
use crate::report::plots::{self, Axis, BoxRow, DotRow, Dots, Group, Legend};
use crate::report::sections::answer::undecided;
use crate::report::sections::profile_name;
use crate::results::{KEPT, NOTE, Output};
use crate::size::Size;
use pfh_page::{Block, Cell, Plot, Section, Table};

/// Rows of one plot.
const ROWS_MAX: usize = 40;
/// Fewer runs than this have no quartiles worth a picture.
const BOX_RUNS_LEAST: usize = 8;

/// More readers, or longer slots, bring nothing if all of them together bring less than this.
const KNEE: f64 = 0.05;

/// Types of filesystems whose reads come from no block device of this machine, beside `fuse.…`.
const WITHOUT_BLOCKS: [&str; 16] = [
    "fuse", "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "coda", "lustre", "beegfs",
    "gpfs", "ncpfs", "pvfs2",
];

/// Plots of a trial with a candidate that are not folded.
const CANDIDATE_PLOTS: usize = 3;

/// Volumes to which a fixity check is projected: TB and files of the study's mean size.
const VOLUMES_TB: [f64; 3] = [1.0, 25.0, 100.0];

/// The workstations of table X of Breitinger and Petrov 2013: name, the volume that rows of table XI name, bytes and
/// files.
const WORKSTATIONS: [(&str, &str, f64, f64); 2] = [
    ("Mac OS X, 100.92 GB, 322 531 files", "100.92 GB", 100.92e9, 322_531.0),
    ("Windows 7, 36.55 GB, 139 303 files", "36.55 GB", 36.55e9, 139_303.0),
];

/// A cell of a trial: its key and its only point.
pub(super) type Measured<'a> = (&'a SeriesKey, &'a Point);

/// The definition of the results, if this version understands it.
pub(in crate::report) fn definition(measurements: &Measurements) -> Option<Definition> {
    let header = &measurements.header;
    let experiment = Experiment::parse(&header.experiment, header.definition.clone(), header.full);
    experiment.ok().map(|experiment| experiment.definition)
}

pub(super) fn cells(measurements: &Measurements) -> impl Iterator<Item = Measured<'_>> {
    let of_programs = measurements.series.iter().filter(|(key, _)| key.mode == trials::MODE);
    of_programs.filter_map(|(key, series): (_, &Series)| Some((key, series.largest()?)))
}

/// Whether a cell belongs to a trial.
pub(super) fn is_of(trial: &Trial, programs: &[Program], key: &SeriesKey) -> bool {
    let Some(program) = programs.iter().find(|program| program.id == key.runner) else { return false };
    let dimension = |name: &str| key.dimensions.get(name).cloned().unwrap_or_default();
    let taken = || trial.dimensions.iter().filter(|(name, _)| program.takes.contains(name));
    trial.programs.contains(&program.id)
        && trial.algorithms.contains(&key.algorithm)
        && trial.corpus.contains(&dimension(CORPUS))
        && trial.device.contains(&dimension(DEVICE))
        && trial.cache.iter().any(|cache| cache.name() == dimension(CACHE))
        && key.dimensions.len() == 3 + taken().count()
        && taken().all(|(name, values)| values.contains(&dimension(name)))
}

pub(super) fn trials(report: &Report<'_>) -> Section {
    let mut section = Section::new("programs", "Whole programs").text(
        "Seconds from the start of a program to its end, with start, walk and output, as a user waits for them. A time counts only \
         if the list that the program prints equals that of the others. Cold: the contents were not in the page cache. Share: \
         processor time in real time; above 100 % several cores worked. Published: seconds of the study, \
         for its files on its machine; quick sizes are a part of them. Times: the median as a multiple of that of the first program \
         of the trial, with the first values of its dimensions, over the same files. Peak: resident memory of the largest process, \
         at most.",
    );
    let measurements = report.measurements;
    for device in measurements.devices.values() {
        let kind = if device.simulated { "simulated: a filesystem that is as slow as such a device" } else { "real" };
        let fact = |name: &str| device.facts.get(name).filter(|text| !text.is_empty());
        let behaviour = fact("behaviour").map(|text| format!(", with {text}")).unwrap_or_default();
        let lies = fact("filesystem").map(|text| format!("; {text}")).unwrap_or_default();
        let kept = fact(KEPT).map(|folder| format!("; kept in {folder}")).unwrap_or_default();
        let note = fact(NOTE).map(|text| format!(" Described as: {}.", text.trim_end_matches('.'))).unwrap_or_default();
        section.push(Block::Text(format!("Device {}: {kind}{behaviour}{lies}{kept}.{note}", device.device)));
    }
    for corpus in measurements.corpora.values() {
        let (bytes, longest) = (size(corpus.bytes), size(corpus.longest_bytes));
        let files = count(corpus.files);
        let digest = corpus.sha256.as_ref().map(|digest| format!(" SHA-256 of the list of their digests: {digest}."));
        section.push(Block::Text(format!(
            "Files {}: {files}, {bytes}; the longest has {longest}.{}",
            corpus.corpus,
            digest.unwrap_or_default()
        )));
    }
    let Some(definition) = definition(measurements) else { return section };
    for trial in &definition.trials {
        let mut of: Vec<Measured<'_>> =
            cells(measurements).filter(|(key, _)| is_of(trial, &definition.programs, key)).collect();
        of.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        if of.is_empty() {
            continue;
        }
        section.push(Block::folded(
            format!("Figures of {}: {}{}", counted(of.len(), "cell", "cells"), trial.title, common(&of)),
            [table(report, &definition, trial, &of)],
        ));
        let notes: Vec<String> =
            bounds(report, &definition, trial, &of).into_iter().chain(caches(report, &of)).collect();
        if !notes.is_empty() {
            section.push(Block::List(notes));
        }
        let mut plots = plots_of(report, trial, &of).into_iter().map(Block::Plot);
        // The table of a candidate has the answer already.
        let shown = if trial.candidate.is_some() { CANDIDATE_PLOTS } else { usize::MAX };
        plots.by_ref().take(shown).for_each(|plot| section.push(plot));
        let rest: Vec<Block> = plots.collect();
        if !rest.is_empty() {
            let more = counted(rest.len(), "more plot", "more plots");
            section.push(Block::folded(format!("{}: {more}", trial.title), rest));
        }
        let knees = knees(&of);
        if !knees.is_empty() {
            section.push(Block::List(knees));
        }
    }
    section
}

/// The results of FRASH, if a program printed them.
pub(super) fn frash(report: &Report<'_>) -> Option<Vec<frash::Row>> {
    report.measurements.outputs.values().find_map(rows_of)
}

fn rows_of(output: &Output) -> Option<Vec<frash::Row>> {
    let is_frash = output.name == frash::FILE && output.text.starts_with(frash::HEADER);
    is_frash.then(|| frash::read(output.text.as_bytes()).ok())?
}

/// Outputs of programs whose definition keeps them, as they are where nothing else is known of them.
pub(super) fn outputs(report: &Report<'_>) -> Section {
    let mut section = Section::new("outputs", "What programs printed");
    for output in report.measurements.outputs.values().filter(|output| rows_of(output).is_none()) {
        let summary = format!("{}: {}", report.measurements.label(&output.runner), output.name);
        section.push(Block::folded(summary, [Block::Verbatim(output.text.clone())]));
    }
    section
}

/// By files, device, cache, algorithm and profile, the fastest first.
pub(super) fn order<'a>((key, point): &Measured<'a>) -> (Vec<&'a str>, f64) {
    let dimension = |name: &str| key.dimensions.get(name).map_or("", String::as_str);
    let of = vec![dimension(CORPUS), dimension(DEVICE), dimension(CACHE), &key.algorithm, profile_rank(&key.profile)];
    (of, point.time.median)
}

/// Sorts today first.
fn profile_rank(profile: &str) -> &str {
    if profile == TODAY { "" } else { profile }
}

/// Conditions that are wanted, such as those that differ within a trial, in words: `cold, hdd, 2 threads`.
pub(in crate::report) fn conditions(key: &SeriesKey, is_wanted: impl Fn(&str) -> bool) -> String {
    let told = key.dimensions.iter().filter(|(name, _)| is_wanted(name));
    told.map(|(name, value)| condition(name, value)).collect::<Vec<_>>().join(", ")
}

/// The value of a dimension in words: `2 threads`.
pub(super) fn condition(name: &str, value: &str) -> String {
    match name {
        CACHE | DEVICE | CORPUS => value.to_owned(),
        "mode" if value != "adaptive" => value.to_uppercase(),
        "mode" => value.to_owned(),
        name => {
            let name = if value == "1" { name.strip_suffix('s').unwrap_or(name) } else { name };
            format!("{value} {}", name.replace('_', " "))
        }
    }
}

/// The files and the cache that all cells of a trial share, in words: `, files: large, cached`.
fn common(of: &[Measured<'_>]) -> String {
    let varying = varying(of);
    let Some((key, _)) = of.first() else { return String::new() };
    let shared = |name: &str| key.dimensions.get(name).filter(|_| !varying.contains(name));
    let files = shared(CORPUS).map(|corpus| format!(", files: {corpus}"));
    let cache = shared(CACHE).map(|cache| format!(", {cache}"));
    files.into_iter().chain(cache).collect()
}

/// The dimensions that have several values among these cells.
pub(super) fn varying<'a>(of: &[Measured<'a>]) -> BTreeSet<&'a str> {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (key, _) in of {
        for (name, value) in &key.dimensions {
            values.entry(name).or_default().insert(value);
        }
    }
    // A dimension that only some programs take tells these apart from the others.
    let is_partial = |name: &str| of.iter().any(|(key, _)| !key.dimensions.contains_key(name));
    values.into_iter().filter(|(name, values)| values.len() > 1 || is_partial(name)).map(|(name, _)| name).collect()
}

fn table(report: &Report<'_>, definition: &Definition, trial: &Trial, of: &[Measured<'_>]) -> Table {
    let bounds: Vec<Option<Bound<'_>>> =
        of.iter().map(|(key, _)| Bound::of(report.measurements, definition, trial, key)).collect();
    let has_bounds = bounds.iter().any(Option::is_some);
    let has_parts = of.iter().any(|(_, point)| system_ns(point).is_some());
    let is_real = |key: &SeriesKey| has_blocks(report.measurements, key);
    let has_device = of.iter().any(|(key, _)| is_real(key) && !is_cached(key));
    let published: Vec<Option<f64>> = of.iter().map(|(key, _)| published_seconds(report, trial, key)).collect();
    let has_published = published.iter().any(Option::is_some);
    let mut head = vec!["Program", "Conditions", "Algorithm", "Profile", "Seconds"];
    head.extend(has_published.then_some("Published, s"));
    // Of a few runs, quartiles say nothing.
    let has_quartiles = of.iter().any(|(_, point)| point.time.count >= BOX_RUNS_LEAST);
    head.extend(has_quartiles.then_some("Quartiles"));
    head.push("Times");
    head.extend(has_bounds.then_some("Of the bound"));
    head.push("Share");
    head.extend(match (has_parts, has_quartiles) {
        (true, _) => Some("User + system, s"),
        (false, true) => Some("Processor, s"),
        (false, false) => None,
    });
    head.push("MB/s");
    // Of the same files, both rates say the same.
    let varying = varying(of);
    let has_file_rate = varying.contains(CORPUS);
    head.extend(has_file_rate.then_some("Files/s"));
    head.push("Peak");
    head.extend(has_device.then_some("From the device"));
    let mut table = Table::new(trial.title.clone(), head).sortable();
    for (((key, point), bound), published) in of.iter().zip(&bounds).zip(&published) {
        let share = of_medians(&[&point.cpu_ns, &point.wall_ns], &|medians| medians[0] / medians[1]);
        let median = point.time.median / 1e9;
        let maybe =
            |text: Option<(String, f64)>| text.map_or(Cell::maybe(None), |(text, value)| Cell::quantity(text, value));
        let percent = |share: f64| (format!("{} %", number(share * 100.0)), share);
        let times = reference(definition, trial, of, key).map(|reference| point.time.median / reference.time.median);
        let mut row = vec![
            Cell::text(report.measurements.label(&key.runner)),
            Cell::text(conditions(key, |name| varying.contains(name))),
            Cell::text(algorithm(&key.algorithm)),
            Cell::text(profile_name(report, &key.profile)),
            Cell::quantity(estimate(&point.time.estimate().map(|ns| ns / 1e9)), median),
        ];
        if has_published {
            row.push(maybe(published.map(|seconds| (format!("{seconds}"), seconds))));
        }
        if has_quartiles {
            let times = [("real", &point.wall_ns), ("CPU", &point.cpu_ns)];
            let line = |(name, times): (&str, &Repeats)| {
                let Summary { lower_quartile, upper_quartile, .. } = Summary::of(times)?;
                Some(format!("{name} {} to {}", number(lower_quartile / 1e9), number(upper_quartile / 1e9)))
            };
            row.push(Cell::Lines(times.into_iter().filter_map(line).collect()));
        }
        row.push(maybe(times.filter(|times| times.is_finite()).map(|times| (number(times), times))));
        if has_bounds {
            row.push(maybe(bound.as_ref().map(|bound| percent(bound.seconds() / median))));
        }
        row.push(maybe(share.map(|share| percent(share.value))));
        if has_parts {
            row.push(maybe(parts(point)));
        } else if has_quartiles {
            let cpu = Summary::of(&point.cpu_ns).map(|cpu| cpu.median / 1e9);
            row.push(maybe(cpu.map(|seconds| (number(seconds), seconds))));
        }
        let (bytes, files) = work_of(report.measurements, definition, key, point);
        let rate = |work: Option<f64>| maybe(work.map(|work| (number(work / median), work / median)));
        row.push(rate(bytes.map(|bytes| bytes / 1e6)));
        if has_file_rate {
            row.push(rate(files));
        }
        row.push(maybe(peak(key, point)));
        if has_device {
            row.push(maybe(device_bytes(point).filter(|_| is_real(key)).map(|bytes| (size(bytes as u64), bytes))));
        }
        table.push(row);
    }
    table
}

/// The time that the study of 2013 printed of a cell, over its own files.
fn published_seconds(report: &Report<'_>, trial: &Trial, key: &SeriesKey) -> Option<f64> {
    let is_tree = report.measurements.header.experiment == "tree";
    is_tree.then(|| published::tree_cell_seconds(&trial.title, &key.runner, &key.algorithm, &key.dimensions))?
}

/// The cell that others of a trial are compared with: of the trial's first program, with the first values of its
/// dimensions, over the same files in the same state.
fn reference<'a>(definition: &Definition, trial: &Trial, of: &[Measured<'a>], key: &SeriesKey) -> Option<&'a Point> {
    let first = trial.programs.first()?;
    let program = definition.programs.iter().find(|program| program.id == *first)?;
    let is_first = |other: &SeriesKey| {
        let mut taken = trial.dimensions.iter().filter(|(name, _)| program.takes.contains(name));
        other.runner == *first
            && other.profile == key.profile
            && taken.all(|(name, values)| other.dimensions.get(name) == values.first())
            && is_beside(other, key)
            && other.algorithm == key.algorithm
    };
    of.iter().find(|(other, _)| is_first(other)).map(|(_, point)| *point)
}

/// Whether two cells have the same files on the same device with the same cache.
pub(super) fn is_beside(one: &SeriesKey, other: &SeriesKey) -> bool {
    [CORPUS, DEVICE, CACHE].iter().all(|name| one.dimensions.get(*name) == other.dimensions.get(*name))
}

fn is_cached(key: &SeriesKey) -> bool {
    key.dimensions.get(CACHE).is_none_or(|cache| cache == Cache::Cached.name())
}

/// Whether the system counts what a program reads from the device of a cell: over a network, by FUSE and on simulated
/// devices it sees no blocks.
fn has_blocks(measurements: &Measurements, key: &SeriesKey) -> bool {
    let device = key.dimensions.get(DEVICE).and_then(|device| measurements.devices.get(device));
    device.is_none_or(|device| {
        let kind = device.facts.get("filesystem").and_then(|text| text.split(' ').next()).unwrap_or_default();
        !device.simulated && !kind.starts_with("fuse.") && !WITHOUT_BLOCKS.contains(&kind)
    })
}

/// Bytes and files that a program has worked on, as far as it has.
pub(in crate::report) fn work_of(
    measurements: &Measurements,
    definition: &Definition,
    key: &SeriesKey,
    point: &Point,
) -> (Option<f64>, Option<f64>) {
    let corpus = key.dimensions.get(CORPUS).and_then(|corpus| measurements.corpora.get(corpus));
    match limit(definition, key) {
        Some(Limit::Longest) => (corpus.map(|corpus| corpus.longest_bytes as f64), None),
        Some(Limit::Hashing) => (Some(point.bytes as f64), None),
        Some(Limit::Reading) | None => (Some(point.bytes as f64), Some(point.count as f64)),
    }
}

pub(super) fn limit(definition: &Definition, key: &SeriesKey) -> Option<Limit> {
    definition.programs.iter().find(|program| program.id == key.runner)?.limit
}

/// The least time in which this machine can hash some files: reading all of them and then hashing as many bytes, or
/// hashing the longest one as one message, if that takes longer.
struct Bound<'a> {
    reading: &'a Point,
    hashing: &'a Point,
    longest: &'a Point,
}

impl<'a> Bound<'a> {
    /// The bound of a cell, where all parts of it were measured, and its trial is about it.
    fn of(
        measurements: &'a Measurements,
        definition: &Definition,
        trial: &Trial,
        key: &SeriesKey,
    ) -> Option<Bound<'a>> {
        let is_hashing = |program: &&Program| program.limit == Some(Limit::Hashing);
        let of_trial = definition.programs.iter().filter(|program| trial.programs.contains(&program.id));
        if of_trial.filter(is_hashing).count() == 0 || limit(definition, key).is_some() {
            return None;
        }
        let part = |wanted: Limit| {
            let is_it = |other: &SeriesKey| {
                limit(definition, other) == Some(wanted)
                    && other.profile == TODAY
                    && is_beside(other, key)
                    && (wanted == Limit::Reading || other.algorithm == key.algorithm)
            };
            cells(measurements).find(|(other, _)| is_it(other)).map(|(_, point)| point)
        };
        Some(Bound { reading: part(Limit::Reading)?, hashing: part(Limit::Hashing)?, longest: part(Limit::Longest)? })
    }

    fn seconds(&self) -> f64 {
        let [reading, hashing, longest] = self.parts_s();
        (reading + hashing).max(longest)
    }

    /// Medians in seconds: reading, hashing, the longest file.
    fn parts_s(&self) -> [f64; 3] {
        [self.reading, self.hashing, self.longest].map(|point| point.time.median / 1e9)
    }

    /// The bound as a share of a time.
    fn share(&self, point: &Point) -> Option<Estimate> {
        let times = [self.reading, self.hashing, self.longest, point].map(Point::times_ns);
        of_medians(&times, &|medians| (medians[0] + medians[1]).max(medians[2]) / medians[3])
    }
}

/// The bounds of a trial, and how near its first program comes to them and to reading alone, in sentences.
fn bounds(report: &Report<'_>, definition: &Definition, trial: &Trial, of: &[Measured<'_>]) -> Vec<String> {
    let firsts = of.iter().filter(|(key, _)| trial.programs.first() == Some(&key.runner) && key.profile == TODAY);
    let sentence = |(key, point): &Measured<'_>| {
        let bound = Bound::of(report.measurements, definition, trial, key)?;
        let share = bound.share(point)?.map(|share| share * 100.0);
        let of_reading = bound.reading.time.median / point.time.median;
        let [reading, hashing, longest] = bound.parts_s().map(duration);
        let dimension = |name: &str| key.dimensions.get(name).map_or("", String::as_str);
        Some(format!(
            "{}, files {}, {}: the bound is {}: reading {reading} and hashing {hashing}, or the longest file as one message \
             {longest}. {} reaches {} % of it, and {} % of the speed of reading alone.",
            algorithm(&key.algorithm),
            dimension(CORPUS),
            dimension(CACHE),
            duration(bound.seconds()),
            report.measurements.label(&key.runner),
            estimate(&share),
            number(of_reading * 100.0),
        ))
    };
    firsts.filter_map(sentence).collect()
}

/// Cells whose page cache was not in the state that they name, by what came from the device.
fn caches(report: &Report<'_>, of: &[Measured<'_>]) -> Vec<String> {
    let note = |(key, point): &Measured<'_>| {
        let bytes = device_bytes(point).filter(|_| has_blocks(report.measurements, key))?;
        let all = point.bytes as f64;
        let label = report.measurements.label(&key.runner);
        let cell = format!(
            "{label}, {}, {}",
            algorithm(&key.algorithm),
            conditions(key, |name| [CORPUS, CACHE].contains(&name))
        );
        if is_cached(key) {
            // Programs and libraries are read too: a few MB say nothing.
            let is_much = bytes > 0.01 * all + 20e6;
            return is_much.then(|| format!("Not cached: {cell}: {} came from the device.", size(bytes as u64)));
        }
        let is_little = bytes < 0.5 * all;
        let found = format!("{} of {}", size(bytes as u64), size(point.bytes));
        is_little.then(|| format!("Not out of the page cache: {cell}: only {found} came from the device."))
    };
    of.iter().filter_map(note).collect()
}

/// The median of what came from a block device, in bytes.
fn device_bytes(point: &Point) -> Option<f64> {
    let costs = point.costs.iter();
    median(&mut costs.filter_map(|(cost, _)| Some(cost.device_bytes? as f64)).collect::<Vec<_>>())
}

/// The median of the system's part of the processor time, in nanoseconds.
fn system_ns(point: &Point) -> Option<f64> {
    median(&mut point.costs.iter().filter_map(|(cost, _)| Some(cost.system_ns? as f64)).collect::<Vec<_>>())
}

/// Medians of the user's and the system's part of the processor time, and their sum in seconds.
fn parts(point: &Point) -> Option<(String, f64)> {
    let system = system_ns(point)? / 1e9;
    let all = median(&mut point.cpu_ns.values().collect::<Vec<_>>())? / 1e9;
    Some((format!("{} + {}", number((all - system).max(0.0)), number(system)), all))
}

/// The peak of memory, and how far it is above the memory option, where the cell has one.
fn peak(key: &SeriesKey, point: &Point) -> Option<(String, f64)> {
    let peak = point.costs.iter().filter_map(|(cost, _)| cost.peak_bytes).max()?;
    let option = key.dimensions.get("memory").and_then(|text| Size::parse(text));
    let above = option.and_then(|Size(option)| peak.checked_sub(option));
    let above = above.map(|above| format!(" ({} above the option)", size(above)));
    Some((format!("{}{}", size(peak), above.unwrap_or_default()), peak as f64))
}

/// A row for each cell, in seconds: a plot for each kind of files and algorithm, with the profiles beside each other.
/// Where there are enough runs, further plots show how they scatter.
fn plots_of(report: &Report<'_>, trial: &Trial, of: &[Measured<'_>]) -> Vec<Plot> {
    let varying = varying(of);
    let profiles = report.measurements.profiles();
    let mut groups: BTreeMap<(&str, &str), BTreeMap<String, Vec<&Measured<'_>>>> = BTreeMap::new();
    for measured in of {
        let (key, _) = measured;
        let corpus = key.dimensions.get(CORPUS).map_or("", String::as_str);
        let conditions = conditions(key, |name| varying.contains(name));
        let label = report.measurements.label(&key.runner);
        let label = if conditions.is_empty() { label.to_owned() } else { format!("{label}: {conditions}") };
        groups.entry((corpus, &key.algorithm)).or_default().entry(label).or_default().push(measured);
    }
    let is_several = varying.contains(CORPUS);
    let mut plots = Vec::new();
    for ((corpus, name), rows) in groups {
        let several = if is_several { format!(", files: {corpus}") } else { String::new() };
        let title = format!("{}: {}{several}", trial.title, algorithm(name));
        plots.extend(dots(report, &profiles, &title, &rows));
    }
    boxes_of(report, trial, of, &mut plots);
    plots
}

/// How the runs scatter: for each kind of files on each device a plot of real and one of processor time, with all
/// programs and algorithms on one scale, so that it shows which boxes overlap.
fn boxes_of(report: &Report<'_>, trial: &Trial, of: &[Measured<'_>], all: &mut Vec<Plot>) {
    // A trial that has more runs than the others has them for its medians.
    if trial.rounds.is_some() {
        return;
    }
    let mut varying = varying(of);
    let is_several = [CORPUS, DEVICE].map(|name| varying.remove(name));
    let mut groups: BTreeMap<[&str; 2], Vec<(String, &Point)>> = BTreeMap::new();
    for (key, point) in of.iter().filter(|(key, point)| key.profile == TODAY && point.time.count >= BOX_RUNS_LEAST) {
        let conditions = conditions(key, |name| varying.contains(name));
        let conditions = if conditions.is_empty() { conditions } else { format!(", {conditions}") };
        let label = report.measurements.label(&key.runner);
        let label = format!("{label}: {}{conditions}", algorithm(&key.algorithm));
        let place = [CORPUS, DEVICE].map(|name| key.dimensions.get(name).map_or("", String::as_str));
        groups.entry(place).or_default().push((label, point));
    }
    for (place, mut rows) in groups {
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let names = ["files", "device"].into_iter().zip(place).zip(is_several).filter(|(_, is_several)| *is_several);
        let place: String = names.map(|((name, value), _)| format!(", {name}: {value}")).collect();
        for (clock, times) in [
            ("Real time", (|point| &point.wall_ns) as fn(&Point) -> &Repeats),
            ("Processor time", |point| &point.cpu_ns),
        ] {
            let boxes: Vec<BoxRow> = rows
                .iter()
                .filter_map(|(label, point)| {
                    let Summary { least, lower_quartile, median, upper_quartile, greatest, .. } =
                        Summary::of(times(point))?;
                    let quartiles = [least, lower_quartile, median, upper_quartile, greatest].map(|ns| ns / 1e9);
                    Some(BoxRow { label: label.clone(), quartiles })
                })
                .collect();
            if boxes.len() < 2 {
                continue;
            }
            let description = "Boxes reach from the lower to the upper quartile, with the median as a line in them; the lines beside \
                               them end at the shortest and the longest run. The table has the figures.";
            let title = format!("{clock} of all runs: {}{place}", trial.title);
            all.extend(plots::boxes(title, description, "seconds", boxes));
        }
    }
}

fn dots(
    report: &Report<'_>,
    profiles: &[&str],
    title: &str,
    rows: &BTreeMap<String, Vec<&Measured<'_>>>,
) -> Option<Plot> {
    let mut sorted: Vec<(f64, DotRow)> = Vec::new();
    for (label, of) in rows {
        let seconds = |profile: &&str| {
            let (_, point) = of.iter().find(|(key, _)| key.profile == **profile)?;
            Some(point.time.estimate().map(|ns| ns / 1e9))
        };
        let values: Vec<Option<Estimate>> = profiles.iter().map(seconds).collect();
        let Some(first) = values.iter().flatten().next().copied() else { continue };
        let row = DotRow {
            label: label.clone(),
            values,
            reference: None,
            text: estimate(&first),
            short: number(first.value),
        };
        sorted.push((first.value, row));
    }
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rows: Vec<DotRow> = sorted.into_iter().take(ROWS_MAX).map(|(_, row)| row).collect();
    if rows.len() < 2 {
        return None;
    }
    let all = rows.iter().flat_map(|row| row.values.iter().flatten());
    let ends = all.flat_map(|value| value.interval.map_or([value.value; 2], |interval| [interval.low, interval.high]));
    let axis = Axis::linear(ends.chain([0.0]))?;
    let names = profiles.iter().enumerate().map(|(series, profile)| (Some(series), profile_name(report, profile)));
    let legend = if profiles.len() > 1 { Legend(names.collect()) } else { Legend::default() };
    let description =
        format!("{} of seconds, the fastest first. The table has the figures.", counted(rows.len(), "row", "rows"));
    let group = Group { rows, ..Group::default() };
    let block = plots::Block { axis, unit: "seconds".to_owned(), divide: None, groups: vec![group] };
    Dots { legend, blocks: vec![block] }.plot(title, description)
}

/// A dimension of numbers, of which more may bring nothing from some on.
struct Ladder {
    dimension: &'static str,
    /// The question, as a clause.
    question: &'static str,
    /// The value with its noun; and alone, after another one.
    name: fn(&str) -> String,
    short: fn(&str) -> String,
}

const LADDERS: [Ladder; 2] = [
    Ladder {
        dimension: "prefetchers",
        question: "from which number of prefetchers on more of them bring",
        name: |value| format!("{value} {}", if value == "1" { "prefetcher" } else { "prefetchers" }),
        short: str::to_owned,
    },
    Ladder {
        dimension: "slot",
        question: "from which size of slots on longer ones bring",
        name: |value| format!("slots of {value}"),
        short: |value| format!("those of {value}"),
    },
];

/// A value of a ladder, by which it is sorted, as text, and its times.
type Rung<'a> = (u64, &'a str, &'a Point);

/// From which number of readers, and from which size of slots, on more bring nothing, for every kind of files on every
/// device.
fn knees(of: &[Measured<'_>]) -> Vec<String> {
    LADDERS.iter().flat_map(|ladder| ladder.knees(of)).collect()
}

impl Ladder {
    fn knees(&self, of: &[Measured<'_>]) -> Vec<String> {
        let mut groups: BTreeMap<BTreeMap<&str, &str>, Vec<Rung<'_>>> = BTreeMap::new();
        for (key, point) in of.iter().filter(|(key, _)| key.profile == TODAY) {
            let Some(value) = key.dimensions.get(self.dimension) else { continue };
            let Some(Size(number)) = Size::parse(value) else { continue };
            let others = key.dimensions.iter().filter(|(name, _)| *name != self.dimension);
            let others = others.map(|(name, value)| (name.as_str(), value.as_str())).collect();
            groups.entry(others).or_default().push((number, value, point));
        }
        let names: BTreeSet<&str> = groups.keys().flat_map(|dimensions| dimensions.keys().copied()).collect();
        let differs = |name: &&str| {
            let values: BTreeSet<_> = groups.keys().map(|dimensions| dimensions.get(name)).collect();
            values.len() > 1
        };
        let varying: BTreeSet<&str> = names.into_iter().filter(differs).collect();
        let sentence = |(dimensions, mut rungs): (BTreeMap<&str, &str>, Vec<Rung<'_>>)| {
            rungs.sort_by_key(|(number, ..)| *number);
            let of = |name: &str| dimensions.get(name).copied().unwrap_or_default();
            let others = dimensions.iter().filter(|(name, _)| ![CORPUS, DEVICE].contains(name));
            // Those that differ tell the sentences apart.
            let others = others.filter(|(name, _)| **name == "io" || varying.contains(*name));
            let others: String = others.map(|(name, value)| format!(", {}", condition(name, value))).collect();
            Some(format!("Files: {}{others}, {}: {}.", of(CORPUS), of(DEVICE), self.knee(&rungs)?))
        };
        groups.into_iter().filter_map(sentence).collect()
    }

    /// From which value on more bring nothing, in words; undecided where the intervals leave more than one. Values come
    /// in ascending order.
    fn knee(&self, rungs: &[Rung<'_>]) -> Option<String> {
        let ratio = |a: &Point, b: &Point| ratio_of_medians(a.times_ns(), b.times_ns());
        let (&first, &last) = (rungs.first()?, rungs.last()?);
        if rungs.len() < 2 {
            return None;
        }
        let is_shorter = |a: &&Rung<'_>, b: &&Rung<'_>| a.2.time.median.total_cmp(&b.2.time.median);
        let best = rungs.iter().min_by(is_shorter)?;
        // How much longer each takes than the best, at least and at most.
        let longer = |(number, _, point): &Rung<'_>| {
            if *number == best.0 {
                return Some((1.0, 1.0));
            }
            ratio(point, best.2)?.interval.map(|interval| (interval.low, interval.high))
        };
        let longer: Option<Vec<(f64, f64)>> = rungs.iter().map(longer).collect();
        let Some(longer) = longer else {
            return Some(format!("{} nothing is undecided: too few runs", self.question));
        };
        // Below the one, every value is too small; from the other on, one is enough.
        let possible = longer.iter().position(|(low, _)| *low <= 1.0 + KNEE)?;
        let certain = longer.iter().position(|(_, high)| *high <= 1.0 + KNEE)?;
        let knee = rungs[certain];
        let speed = |(_, value, point): Rung<'_>| {
            let times = ratio(first.2, point).map(|times| estimate(&times)).unwrap_or_default();
            let read = if value == "1" { "reads" } else { "read" };
            format!("{} {read} {times} times as fast as {}", (self.name)(value), (self.short)(first.1))
        };
        if possible < certain {
            let (least, most) = ((self.short)(rungs[possible].1), (self.short)(knee.1));
            return Some(format!(
                "{} less than 5 % is undecided, between {least} and {most}; {}",
                self.question,
                speed(knee)
            ));
        }
        let after = match longer[longer.len() - 1] {
            _ if last.0 == knee.0 => "more were not tried".to_owned(),
            (low, _) if low > 1.0 + KNEE => {
                let times = ratio(last.2, knee.2).map(|times| estimate(&times)).unwrap_or_default();
                format!("{} take {times} times as long", (self.short)(last.1))
            }
            (_, high) if high <= 1.0 + KNEE => format!("up to {} bring less than 5 % more", (self.short)(last.1)),
            _ => format!("whether {} are slower is undecided", (self.short)(last.1)),
        };
        Some(if knee.0 == first.0 {
            format!("{} {} enough; {after}", (self.name)(first.1), if first.1 == "1" { "is" } else { "are" })
        } else {
            format!("{}; {after}", speed(knee))
        })
    }
}

/// The time that the user waits, in sentences: for each kind of files on each device the fastest and the slowest. Where
/// a trial has a candidate, that is the answer.
pub(super) fn sentences(measurements: &Measurements) -> Vec<String> {
    let mut groups: BTreeMap<(&str, &str, &str, &str), Vec<Measured<'_>>> = BTreeMap::new();
    let definition = definition(measurements);
    let is_left_out = |key: &SeriesKey| {
        let Some(definition) = &definition else { return false };
        let mut trials = definition.trials.iter().filter(|trial| trial.candidate.is_some());
        limit(definition, key).is_some() || trials.any(|trial| is_of(trial, &definition.programs, key))
    };
    for (key, point) in cells(measurements).filter(|(key, _)| key.profile == TODAY && !is_left_out(key)) {
        let of = |name: &str| key.dimensions.get(name).map_or("", String::as_str);
        groups.entry((of(CORPUS), of(DEVICE), of(CACHE), &key.algorithm)).or_default().push((key, point));
    }
    let mut sentences = Vec::new();
    for ((corpus, device, cache, name), mut of) in groups {
        of.sort_by(|a, b| a.1.time.median.total_cmp(&b.1.time.median));
        let (Some(first), Some(last)) = (of.first(), of.last()) else { continue };
        let [shortest, longest] = [first, last].map(|(_, point)| point.time.estimate());
        if of.len() < 2 || shortest.interval.is_none() || longest.interval.is_none() {
            continue;
        }
        let place = measurements.place(device);
        // Other names keep their spelling at the start of a sentence, too: ssdeep.
        let work = if name == "none" { sentence(&algorithm(name)) } else { algorithm(name) };
        let task = format!(
            "{work}, {} ({corpus}, {}), {cache}, from {place}",
            counted(first.1.count, "file", "files"),
            size(first.1.bytes),
        );
        if !shortest.differs_from(&longest) {
            sentences.push(format!(
                "{task}: which of the {} that were measured is the fastest is undecided, because they differ by no more than \
                 their own uncertainty.",
                of.len()
            ));
            continue;
        }
        let Some(times) = ratio_of_medians(last.1.times_ns(), first.1.times_ns()) else { continue };
        let all: Vec<Estimate> = of.iter().map(|(_, point)| point.time.estimate()).collect();
        let conditions_of = varying(&of);
        let label = |(key, _): &Measured<'_>, ns: &Estimate| {
            let conditions = conditions(key, |name| conditions_of.contains(name));
            let conditions = if conditions.is_empty() { String::new() } else { format!(" ({conditions})") };
            let seconds = time(&ns.map(|ns| ns / 1e9));
            let doubt = undecided(ns, all.iter());
            format!("{}{conditions} with {seconds}{doubt}", measurements.label(&key.runner))
        };
        sentences.push(format!(
            "{task}: the fastest is {}, the slowest {}, {} times as long.",
            label(first, &shortest),
            label(last, &longest),
            estimate(&times),
        ));
    }
    sentences
}

/// Times of whole collections, from those measured: by bytes, and by files, between which the truth lies.
pub(super) fn projections(report: &Report<'_>) -> Section {
    let mut section = Section::new("collections", "Projections").text(
        "The measured time, as much longer as the collection has more bytes, and as much longer as it has more files: where files \
         are as large as the measured ones, both are the same.",
    );
    let measurements = report.measurements;
    let head = || ["Program", "Conditions", "Algorithm", "Collection", "By bytes", "By files"];
    let row = |(key, point): &Measured<'_>, all: &BTreeSet<&str>, name: String, bytes: f64, files: f64| {
        let times = |factor: f64| {
            let seconds: Estimate = point.time.estimate().map(|ns| ns / 1e9 * factor);
            Cell::quantity(time(&seconds), seconds.value)
        };
        vec![
            Cell::text(measurements.label(&key.runner)),
            Cell::text(conditions(key, |name| all.contains(name))),
            Cell::text(algorithm(&key.algorithm)),
            Cell::text(name),
            times(bytes / point.bytes.max(1) as f64),
            times(files / point.count.max(1) as f64),
        ]
    };
    let cold = |corpus: &str| -> Vec<Measured<'_>> {
        let is_cold = |key: &SeriesKey| {
            let has = |name: &str, value: &str| key.dimensions.get(name).is_some_and(|one| one == value);
            key.profile == TODAY && has(CACHE, "cold") && has(CORPUS, corpus)
        };
        cells(measurements).filter(|(key, _)| is_cold(key)).collect()
    };
    match measurements.header.experiment.as_str() {
        "fixity" => {
            let of = cold("collection");
            let all = varying(&of);
            let mut table =
                Table::new("Collections of 1, 25 and 100 TB, with the files of the study's mean size", head());
            for measured in &of {
                for volume in VOLUMES_TB {
                    let files = volume * 1e12 / 123e9 * 131_870.0;
                    table.push(row(measured, &all, format!("{volume} TB"), volume * 1e12, files));
                }
            }
            if !table.is_empty() {
                section.push(table.sortable());
            }
        }
        "tree" => {
            let mut of = cold("documents");
            of.retain(|(key, _)| {
                key.algorithm == "ssdeep" && key.runner != "pfh-pairs" && key.runner != "ssdeep-pairs"
            });
            let all = varying(&of);
            let head = head().into_iter().chain(["Published"]);
            let mut table = Table::new("Table XI: the two workstations of table X", head);
            for measured in &of {
                // The study projects from its table III, of two threads.
                let dimension = |name: &str| measured.0.dimensions.get(name).map(String::as_str);
                let variant = match (measured.0.runner.as_str(), dimension("mode"), dimension("threads")) {
                    ("ssdeep", ..) => Some("stand-alone"),
                    ("pfh-family", Some("smt"), Some("2")) => Some("SMT"),
                    ("pfh-family", Some("mtp"), Some("2")) => Some("MTP"),
                    _ => None,
                };
                for (name, volume, bytes, files) in WORKSTATIONS {
                    let published = variant.and_then(|variant| published::tree_projection_seconds(volume, variant));
                    let mut row = row(measured, &all, name.to_owned(), bytes, files);
                    row.push(published.map_or(Cell::maybe(None), |seconds| Cell::quantity(duration(seconds), seconds)));
                    table.push(row);
                }
            }
            if !table.is_empty() {
                section.push(table.sortable());
            }
        }
        _ => {}
    }
    section
}
