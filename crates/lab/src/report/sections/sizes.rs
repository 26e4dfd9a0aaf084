//! Over size: rates in panels, fits of times, and projections beyond what was measured.

use pfh_statistics::Estimate;

use crate::measurements::{Series, SeriesKey, TODAY, Unit};
use crate::published;
use crate::report::Report;
use crate::report::format::{algorithm, count, counted, duration, estimate, size};
use crate::report::plots::{Axis, Legend, Panel, Panels, Trace};
use crate::report::sections::{REFERENCE, modes, name, profile_name, subject, work};
use pfh_page::{Block, Cell, Plot, Section, Table};

/// Lines that can be told apart in one panel.
const LINES_MAX: usize = 6;
/// Panels that are not folded.
const UNFOLDED_MAX: usize = 6;

const MIB: f64 = 1_048_576.0;

/// Kinds of work whose rates are drawn over size, each with the modes that measure it: single messages are the small
/// sizes of data in memory.
const DRAWN: [(&str, &[&str]); 5] = [
    ("Data in memory", &["messages", "digest"]),
    ("Short strings", &["strings"]),
    ("Encryption of files", &["cipher-file"]),
    ("Digests of files", &["digest-file"]),
    ("Ciphers in memory", &["cipher"]),
];

/// Algorithms that readers look for first.
const FIRST: [&str; 6] = ["sha256", "md5", "sha1", "sha512", "blake3", "sha3-256"];

pub(super) fn plots(report: &Report<'_>) -> Section {
    let mut section = Section::new("sizes", "Rate over size").text(
        "Rates at each size with their 95 % intervals; both axes are logarithmic, and those of one kind of work are alike. A line \
         that rises shows what a call costs before its first byte. With more runners than can be told apart the reference, the \
         fastest, the slowest and some between are drawn; the tables have all.",
    );
    for (work, modes) in DRAWN {
        let mut names: Vec<&str> = report
            .measurements
            .subjects()
            .into_iter()
            .filter_map(|(mode, name)| modes.contains(&mode).then_some(name))
            .collect();
        names.sort_by_key(|name| (FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()), *name));
        names.dedup();
        // The same runners in all panels, so that there is one legend.
        let runners = chosen(report, modes);
        if let Some((first, rest)) = panels(report, work, modes, &names, &runners) {
            section.push(first);
            if let Some(rest) = rest {
                section.push(Block::folded(rest.title().to_owned(), [rest]));
            }
        }
    }
    section
}

/// The rates of a runner with an algorithm over all sizes of some modes.
fn rates(report: &Report<'_>, modes: &[&str], runner: &str, name: &str) -> Vec<(f64, Estimate)> {
    let mut points = Vec::new();
    for mode in modes {
        let Some(series) = report.measurements.series(runner, TODAY, mode, name) else { continue };
        let scale = if Unit::of(mode) == Unit::Bytes { MIB } else { 1e6 };
        for point in &series.points {
            if let Some(rate) = point.rate(Unit::of(mode)) {
                points.push((point.size(mode) as f64, rate.map(|rate| rate / scale)));
            }
        }
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// The runners that are drawn: of all that have three sizes, in the order of their rates over all algorithms.
fn chosen<'a>(report: &'a Report<'_>, modes: &[&str]) -> Vec<&'a str> {
    let subjects = report.measurements.subjects();
    let names: Vec<&str> =
        subjects.into_iter().filter_map(|(mode, name)| modes.contains(&mode).then_some(name)).collect();
    let mut all: Vec<(f64, &str)> = Vec::new();
    for runner in report.measurements.runner_ids(TODAY) {
        let last = |name: &&str| {
            let rates = rates(report, modes, runner, name);
            rates.last().filter(|_| rates.len() >= 3).map(|(_, rate)| rate.value.ln())
        };
        let logarithms: Vec<f64> = names.iter().filter_map(last).collect();
        if !logarithms.is_empty() {
            all.push((logarithms.iter().sum::<f64>() / logarithms.len() as f64, runner));
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let places = choose(&all.iter().map(|(_, runner)| *runner == REFERENCE).collect::<Vec<_>>());
    places.into_iter().map(|place| all[place].1).collect()
}

/// The first panels, and the others, on the same scales.
fn panels(
    report: &Report<'_>,
    work: &str,
    modes: &[&str],
    names: &[&str],
    runners: &[&str],
) -> Option<(Plot, Option<Plot>)> {
    let is_bytes = modes.iter().all(|mode| Unit::of(mode) == Unit::Bytes);
    let traces = |name: &str| -> Vec<Trace> {
        let trace = |(series, runner): (usize, &&str)| {
            let points = rates(report, modes, runner, name);
            (points.len() >= 3).then_some(Trace { series, points })
        };
        runners.iter().enumerate().filter_map(trace).collect()
    };
    let all: Vec<(&str, Vec<Trace>)> =
        names.iter().map(|name| (*name, traces(name))).filter(|(_, traces)| !traces.is_empty()).collect();
    let points = || all.iter().flat_map(|(_, traces)| traces).flat_map(|trace| &trace.points);
    let sizes = points().map(|(size, _)| *size);
    let x =
        if is_bytes { Axis::sizes(sizes)? } else { Axis::logarithmic(sizes)?.with_texts(|value| count(value as u64)) };
    let y = Axis::logarithmic(points().flat_map(|(_, rate)| {
        let ends = rate.interval.map(|interval| [interval.low, interval.high]);
        [rate.value].into_iter().chain(ends.into_iter().flatten())
    }))?;
    let (x_name, y_name) =
        if is_bytes { ("size", "MiB per second") } else { ("number of strings", "million strings per second") };
    let panel = |(name, traces): &(&str, Vec<Trace>)| Panel {
        title: algorithm(name),
        x: x.clone(),
        x_name: x_name.to_owned(),
        y: y.clone(),
        y_name: y_name.to_owned(),
        level: None,
        traces: traces.clone(),
    };
    let label = |(series, runner): (usize, &&str)| (Some(series), report.measurements.label(runner).to_owned());
    let legend = Legend(runners.iter().enumerate().map(label).collect());
    let plot = |title: String, all: &[(&str, Vec<Trace>)]| {
        let names: Vec<String> = all.iter().map(|(name, _)| algorithm(name)).collect();
        let labels: Vec<&str> = runners.iter().map(|runner| report.measurements.label(runner)).collect();
        let description =
            format!("Rates in {y_name} over {x_name} of {}, with {}.", labels.join(", "), names.join(", "));
        Panels { legend: legend.clone(), panels: all.iter().map(panel).collect() }.plot(title, description)
    };
    let (first, rest) = all.split_at(all.len().min(UNFOLDED_MAX));
    let first = plot(work.to_owned(), first)?;
    Some((first, plot(format!("{work}: {}", counted(rest.len(), "more algorithm", "more algorithms")), rest)))
}

fn of<'a>(
    report: &'a Report<'_>,
    profile: &'a str,
    mode: &'a str,
    name: &'a str,
) -> impl Iterator<Item = (&'a SeriesKey, &'a Series)> {
    report
        .measurements
        .series
        .iter()
        .filter(move |(key, _)| key.profile == profile && key.mode == mode && key.algorithm == name)
}

/// Of series in the order of speed: the reference, both ends, and some between at even distances.
fn choose(is_reference: &[bool]) -> Vec<usize> {
    let count = is_reference.len();
    if count <= LINES_MAX {
        return (0..count).collect();
    }
    let mut chosen: Vec<usize> = is_reference.iter().position(|&is| is).into_iter().collect();
    let wanted = LINES_MAX - chosen.len();
    for step in 0..wanted {
        let at = step * (count - 1) / (wanted - 1);
        if !chosen.contains(&at) {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

pub(super) fn fits(report: &Report<'_>) -> Section {
    let mut section = Section::new("fits", "Fits: time = a + b · size").text(
        "Ordinary least squares through the medians, as in the study of 2015, with 95 % intervals by Student's t. a is what \
         a call costs before its first byte.",
    );
    for mode in modes(report) {
        let mode = mode.as_str();
        let (unit, unit_name, time, time_name) = match (Unit::of(mode), mode) {
            (_, "messages") => (1.0, "byte", 1.0, "ns"),
            (Unit::Bytes, _) => (MIB, "MiB", 1e6, "ms"),
            (Unit::Items, _) => (1.0, "string", 1e3, "µs"),
        };
        let mut table = Table::new(
            format!("Fits: {}", work(mode)),
            vec![
                "Runner".to_owned(),
                "Profile".to_owned(),
                format!("a in {time_name}"),
                format!("b in {time_name} per {unit_name}"),
                "R²".to_owned(),
                "Sizes".to_owned(),
            ],
        );
        for (_, algorithm) in report.measurements.subjects().into_iter().filter(|(other, _)| *other == mode) {
            table.group(subject(mode, algorithm));
            for (key, series) in
                report.measurements.series.iter().filter(|(key, _)| key.mode == mode && key.algorithm == algorithm)
            {
                let Some(line) = series.line(mode) else { continue };
                table.push(vec![
                    Cell::text(name(report, key)),
                    Cell::text(profile_name(report, &key.profile)),
                    Cell::number(estimate(&line.intercept.map(|ns| ns / time))),
                    Cell::number(estimate(&line.slope.map(|ns| ns * unit / time))),
                    Cell::number(format!("{:.5}", line.r_squared)),
                    Cell::number(line.points.to_string()),
                ]);
            }
        }
        if !table.is_empty() {
            section.push(Block::folded(format!("{}: {}", work(mode), counted(table.len(), "fit", "fits")), [table]));
        }
    }
    section
}

/// Seconds for a volume by the line of a series; `None` where there is none: the rate of one size has the fixed cost of
/// each message in it.
fn project(series: &Series, volume: f64) -> Option<Estimate> {
    series.project_ns("digest", volume).map(|ns| ns.map(|ns| ns / 1e9))
}

pub(super) fn projections(report: &Report<'_>) -> Section {
    let volume_bytes = report.options.volume_bytes;
    let volume = volume_bytes as f64;
    let mut section = Section::new("projection", format!("Projected to {}", size(volume_bytes))).text(format!(
        "What the lines give for {}, if storage were no limit: a statement about the implementations, not about a disk. \
         The 95 % interval comes from resampling the repeats of every size, and is wide where only small sizes were measured. The \
         last column is what the runner costs beyond the fastest.",
        size(volume_bytes)
    ));
    let study = published::projections();
    for profile in report.measurements.profiles() {
        let caption = format!("Projected to {}, {}", size(volume_bytes), profile_name(report, profile));
        let mut table = Table::new(
            &caption,
            ["Runner", "Time", "95 % interval", "Published for 722 GB (2015)", "Beyond the fastest"],
        );
        for (mode, digest) in report.measurements.subjects().into_iter().filter(|(mode, _)| *mode == "digest") {
            let mut rows: Vec<(&SeriesKey, Estimate)> = of(report, profile, mode, digest)
                .filter_map(|(key, series)| Some((key, project(series, volume)?)))
                .filter(|(_, seconds)| seconds.value > 0.0)
                .collect();
            rows.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
            let Some(fastest) = rows.first().map(|(_, seconds)| seconds.value).filter(|_| rows.len() > 1) else {
                continue;
            };
            table.group(algorithm(digest));
            for (key, seconds) in rows {
                let published = implementation(&key.runner).and_then(|implementation| {
                    study.iter().find(|row| {
                        row.algorithm == algorithm(digest) && row.os == "linux" && row.implementation == implementation
                    })
                });
                let interval = seconds
                    .interval
                    .map(|interval| format!("{} to {}", duration(interval.low.max(0.0)), duration(interval.high)));
                table.push(vec![
                    Cell::text(name(report, key)),
                    Cell::number(duration(seconds.value)),
                    Cell::maybe(interval),
                    Cell::maybe(published.map(|row| duration(row.seconds))),
                    Cell::number(duration(seconds.value - fastest)),
                ]);
            }
        }
        if !table.is_empty() {
            section.push(Block::folded(format!("{caption}: {}", counted(table.len(), "row", "rows")), [table]));
        }
    }
    section
}

/// The study's implementation that a runner stands for.
fn implementation(runner: &str) -> Option<&'static str> {
    match runner {
        "c-openssl" => Some("C"),
        "py-hashlib" => Some("Python"),
        "ruby-openssl" => Some("Ruby"),
        "java-sun" => Some("Java"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_and_the_reference_are_always_drawn() {
        assert_eq!(choose(&[true, false, false]), [0, 1, 2]);
        let mut twenty = [false; 20];
        twenty[7] = true;
        let chosen = choose(&twenty);
        assert!(chosen.len() <= LINES_MAX && [0, 7, 19].iter().all(|index| chosen.contains(index)), "{chosen:?}");
    }
}
