//! The report of FRASH: how similarity digests behave. [`document`] makes it of the rows that `pfh frash` writes.

mod rows;

pub use rows::{FILE, HEADER, Row, open, read};

use super::format::{count, counted, duration, number, percent, size};
use super::plots::{self, Axis, DotRow, Dots, Group, Legend, Panel, Panels, Trace};
use pfh_page::{Block, Cell, Document, Plot, Section, Table};
use pfh_statistics::{Estimate, Interval};

/// Distances up to which TLSH's digests count as similar, by its authors' rule of thumb.
const DISTANCE_MAX: f64 = 100.0;

/// Makes the report.
#[must_use]
pub fn document(rows: &[Row]) -> Document {
    Document::new("FRASH: how similarity digests behave")
        .question(
            "How small may a common part be, and how much may be cut, added or changed, until a family finds nothing?",
        )
        .sentences(answer(rows))
        .fact("Families", families(rows).join(", "))
        .fact("Settings", count(rows.len() as u64))
        .sections(sections(rows))
}

/// The sections of the report, which may be part of another.
pub(super) fn sections(rows: &[Row]) -> Vec<Section> {
    let families = families(rows);
    let mut sections = vec![summary(rows, &families), thresholds(rows, &families)];
    for (id, heading, text, folded) in PLOTTED {
        let mut section = Section::new(*id, *heading).text(*text);
        let plots = of_section(rows, &families, id).into_iter().map(|(_, plot)| Block::Plot(plot));
        let plots: Vec<Block> = plots.collect();
        if *folded && !plots.is_empty() {
            section.push(Block::folded("Plots", plots));
        } else {
            plots.into_iter().for_each(|plot| section.push(plot));
        }
        sections.push(section);
    }
    sections.push(all_rows(rows));
    sections.retain(Section::has_matter);
    sections.push(method());
    sections
}

/// All pictures, each with a name for its file.
#[must_use]
pub fn plots(rows: &[Row]) -> Vec<(String, Plot)> {
    let families = families(rows);
    let all = PLOTTED.iter().flat_map(|(id, ..)| of_section(rows, &families, id));
    all.chain(threshold_plot(rows, &families).map(|plot| ("threshold".to_owned(), plot))).collect()
}

/// Sections with plots: anchor, heading, text, and whether the plots are folded because there is little in them.
const PLOTTED: &[(&str, &str, &str, bool)] = &[
    (
        "common-block",
        "Blocks in common",
        "Two unrelated inputs are given the same block, each at a random place. Lines are medians, bars the quartiles; distances \
         have a panel of their own with the similar above, and the broken line is the greatest distance that counts as a match.",
        false,
    ),
    (
        "fragment",
        "Fragments",
        "An input with what is left of it after cutting at its end, or at either end by chance.",
        false,
    ),
    ("alignment", "Additions", "An input with itself after (head) or before (tail) random bytes.", false),
    ("noise", "Noise", "An input with itself after random edits of one byte each, as a share of its length.", false),
    (
        "needle",
        "Changed files among others",
        "A changed file is looked up among all files. It is found if its original matches and no other file is more similar. Bars \
         are Wilson's 95 % intervals.",
        false,
    ),
    (
        "times",
        "Times and lengths",
        "Seconds to make a digest and to compare two, and the length of a digest as a share of its input's. Both axes are \
         logarithmic.",
        false,
    ),
    (
        "repetition",
        "Repetition and variety",
        "One copy of 5000 bytes with several of them, and a text of few different characters with itself. Most lines lie at an end \
         of the scale; the summary above has what they show.",
        true,
    ),
];

/// A family's name, in the order of the rows.
fn families(rows: &[Row]) -> Vec<String> {
    let mut families: Vec<String> = Vec::new();
    for row in rows {
        if row.family != "sha1" && !families.contains(&row.family) {
            families.push(row.family.clone());
        }
    }
    families
}

fn is_distance(family: &str) -> bool {
    family == "tlsh"
}

fn of<'r, 'k>(
    rows: &'r [Row],
    test: &'k str,
    mode: &'k str,
    family: &'k str,
) -> impl Iterator<Item = &'r Row> + use<'r, 'k> {
    rows.iter().filter(move |row| row.test == test && row.mode == mode && row.family == family)
}

/// The row of a family in an experiment that has no parameter.
fn one_of<'r>(rows: &'r [Row], (test, mode): (&str, &str), family: &str) -> Option<&'r Row> {
    of(rows, test, mode, family).next()
}

/// The variants of an experiment, in the order of the rows.
fn modes<'a>(rows: &'a [Row], test: &str) -> Vec<&'a str> {
    let mut modes: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.test == test) {
        if !modes.contains(&row.mode.as_str()) {
            modes.push(&row.mode);
        }
    }
    modes
}

/// The parameter from which on, in the order in which it gets harder, a family does not match any more.
fn last_match<'a>(in_order: impl Iterator<Item = &'a Row>) -> Option<u64> {
    in_order.take_while(|row| row.matches()).last().map(|row| row.parameter)
}

/// The limit of each experiment with a limit: name, mode, and how a parameter is read.
type Limit = (&'static str, String, String, fn(u64) -> String);

fn limits(rows: &[Row]) -> Vec<Limit> {
    let mut limits: Vec<Limit> = Vec::new();
    for mode in modes(rows, "common-block") {
        let of_length = if mode.is_empty() { String::new() } else { format!(", inputs of {}", spaced(mode)) };
        limits.push(("common-block", mode.to_owned(), format!("Smallest block in common{of_length}"), size));
    }
    let hundred = |parameter: u64| format!("{parameter} %");
    for (mode, name) in [("end", "Largest cut at the end"), ("random", "Largest cut at either end")] {
        limits.push(("fragment", mode.to_owned(), name.to_owned(), hundred));
    }
    for (mode, name) in [("head", "Most added before"), ("tail", "Most added after")] {
        limits.push(("alignment", mode.to_owned(), name.to_owned(), hundred));
    }
    let share = |parameter: u64| percent(parameter as f64 / 100.0);
    limits.push(("noise", String::new(), "Most noise, of the length".to_owned(), share));
    let copies = |parameter: u64| format!("{parameter} copies");
    limits.push(("repetition", String::new(), "Most repetition".to_owned(), copies));
    limits
}

fn spaced(mode: &str) -> String {
    mode.replace("KiB", " KiB").replace("MiB", " MiB")
}

/// The hardest setting of an experiment that a family passes, and whether it passes all.
fn limit(rows: &[Row], test: &str, mode: &str, family: &str) -> Option<(u64, bool)> {
    let all: Vec<&Row> = of(rows, test, mode, family).collect();
    let reached = last_match(all.iter().copied())?;
    Some((reached, all.last().is_some_and(|row| row.parameter == reached)))
}

fn summary(rows: &[Row], families: &[String]) -> Section {
    let mut section = Section::new("summary", "Summary").text(
        "How far each family gets: the hardest setting up to which at least half of the pairs match, counted from the easiest. \
         With tlsh a distance of at most 100 is a match, with the others a score above 0.",
    );
    let head = ["Measure".to_owned()].into_iter().chain(families.iter().cloned());
    let mut table = Table::new("How far each family gets", head);
    for (test, mode, name, text) in limits(rows) {
        if of(rows, test, &mode, families.first().map_or("", String::as_str)).next().is_none() {
            continue;
        }
        let cell = |family: &String| match limit(rows, test, &mode, family) {
            None => Cell::number("nothing"),
            Some((reached, true)) if test != "common-block" => Cell::number(format!("{} and more", text(reached))),
            Some((reached, _)) => Cell::number(text(reached)),
        };
        table.push([Cell::text(name)].into_iter().chain(families.iter().map(cell)).collect::<Vec<_>>());
    }
    let mut share = |name: &str, tests: &[&str]| {
        let cell = |family: &String| {
            let own = || rows.iter().filter(|row| tests.contains(&row.test.as_str()) && row.family == *family);
            let (runs, matched) =
                own().fold((0, 0), |(runs, matched), row| (runs + row.runs, matched + row.matched.unwrap_or(0)));
            if runs == 0 { Cell::number("–") } else { Cell::number(format!("{matched} of {runs}")) }
        };
        if rows.iter().any(|row| tests.contains(&row.test.as_str())) {
            table.push([Cell::text(name)].into_iter().chain(families.iter().map(cell)).collect::<Vec<_>>());
        }
    };
    share("Changed files found among others", &["needle"]);
    share("Files with a common block found", &["cross"]);
    // At the largest input.
    let largest = |test: &str, family: &str| {
        of(rows, test, "", family).filter(|row| row.median.is_some()).max_by_key(|row| row.parameter).cloned()
    };
    let mut last = |name: &str, test: &str, text: &dyn Fn(&Row) -> String| {
        let cells: Vec<Cell> =
            families.iter().map(|family| Cell::maybe(largest(test, family).map(|row| text(&row)))).collect();
        if rows.iter().any(|row| row.test == test) {
            table.push([Cell::text(name)].into_iter().chain(cells).collect::<Vec<_>>());
        }
    };
    let median = |row: &Row| row.median.unwrap_or_default();
    last("Digests made, MiB per second", "generation", &|row| number(row.parameter as f64 / 1_048_576.0 / median(row)));
    last("Time to compare two digests", "comparison", &|row| duration(median(row)));
    last("Length of a digest, of its input", "compression", &|row| percent(median(row) * 100.0));
    if !table.is_empty() {
        section.push(table);
    }
    section
}

/// The best of the families in the experiments that people ask for first.
pub(super) fn answer(rows: &[Row]) -> Vec<String> {
    let families = families(rows);
    let mut sentences = Vec::new();
    let mut say = |test: &str, mode: &str, is_small: bool, sentence: &dyn Fn(&str, &str) -> String| {
        let reached = families.iter().filter_map(|family| Some((limit(rows, test, mode, family)?.0, family)));
        let best = if is_small { reached.min() } else { reached.max() };
        let Some((best, _)) = best else { return };
        // Several may be equally good.
        let names: Vec<&str> = families
            .iter()
            .filter(|family| limit(rows, test, mode, family).is_some_and(|(reached, _)| reached == best))
            .map(String::as_str)
            .collect();
        let text =
            limits(rows).into_iter().find(|limit| limit.0 == test).map_or_else(String::new, |limit| limit.3(best));
        sentences.push(sentence(&names.join(" and "), &text));
    };
    if let Some(mode) = modes(rows, "common-block").last() {
        let inputs = if mode.is_empty() { String::new() } else { format!(" of {}", spaced(mode)) };
        say("common-block", mode, true, &|families, text| {
            format!("The smallest common block of two inputs{inputs} is found by {families}: {text}.")
        });
    }
    say("fragment", "end", false, &|families, text| {
        format!("The largest cut at the end is borne by {families}: {text}.")
    });
    say("noise", "", false, &|families, text| format!("The most noise is borne by {families}: {text} of the length."));
    if sentences.is_empty() {
        sentences.push("None of the experiments with a limit was done.".to_owned());
    }
    sentences
}

/// Precision and recall of each family over its thresholds.
fn thresholds(rows: &[Row], families: &[String]) -> Section {
    let mut section = Section::new("thresholds", "Thresholds: precision and recall").text(
        "Changed files are compared with their originals, which are to be found (recall: the share that is), and with all other files, \
         which are not (false positives: the share that is anyway). Precision is the share of the originals among all pairs that \
         match; it depends on how many other files there are, here as many as the table says.",
    );
    let mut table = Table::new(
        "Pairs that match at some thresholds",
        ["Threshold", "Recall", "False positives", "Precision", "Related pairs", "Unrelated pairs"],
    );
    for family in families {
        table.group(family);
        let chosen: [u64; 5] = if is_distance(family) { [30, 50, 100, 150, 200] } else { [1, 10, 20, 40, 60] };
        for threshold in chosen {
            let at = |mode| of(rows, "threshold", mode, family).find(|row| row.parameter == threshold);
            let Some((related, unrelated)) = at("related").zip(at("unrelated")) else { continue };
            let (found, wrong) = (f64::from(related.matched.unwrap_or(0)), f64::from(unrelated.matched.unwrap_or(0)));
            let precision = (found + wrong > 0.0).then(|| percent(found / (found + wrong) * 100.0));
            let name = if is_distance(family) {
                format!("distance ≤ {threshold}")
            } else {
                format!("score ≥ {threshold}")
            };
            table.push([
                Cell::text(name),
                Cell::number(percent(related.share() * 100.0)),
                Cell::number(percent(unrelated.share() * 100.0)),
                Cell::maybe(precision),
                Cell::number(related.runs.to_string()),
                Cell::number(unrelated.runs.to_string()),
            ]);
        }
    }
    if let Some(plot) = threshold_plot(rows, families) {
        section.push(plot);
    }
    if !table.is_empty() {
        section.push(table);
    }
    section
}

fn threshold_plot(rows: &[Row], families: &[String]) -> Option<Plot> {
    let panels = families.iter().filter_map(|family| {
        let trace = |series: usize, mode: &str| {
            let points: Vec<(f64, Estimate)> = of(rows, "threshold", mode, family)
                .map(|row| (row.parameter as f64, Estimate { value: row.share() * 100.0, interval: None }))
                .collect();
            (!points.is_empty()).then_some(Trace { series, points })
        };
        let traces: Vec<Trace> = [trace(0, "related"), trace(1, "unrelated")].into_iter().flatten().collect();
        let x = Axis::linear(traces.iter().flat_map(|trace| &trace.points).map(|(x, _)| *x).chain([0.0]))?;
        let x_name = if is_distance(family) { "greatest distance" } else { "least score" };
        let y = Axis::linear([0.0, 100.0])?;
        (!traces.is_empty()).then(|| Panel {
            title: family.clone(),
            x,
            x_name: x_name.to_owned(),
            y,
            y_name: "percent of pairs that match".to_owned(),
            level: None,
            traces,
        })
    });
    let legend = ["related pairs (recall)", "unrelated pairs (false positives)"];
    let legend = Legend(legend.into_iter().enumerate().map(|(series, name)| (Some(series), name.to_owned())).collect());
    let description =
        format!("Shares of related and of unrelated pairs that match, over the threshold, by {}.", families.join(", "));
    Panels { legend, panels: panels.collect() }.plot("Pairs that match, over the threshold", description)
}

/// The plots of a section, each with a name for its file.
fn of_section(rows: &[Row], families: &[String], id: &str) -> Vec<(String, Plot)> {
    let share = |parameter: f64| parameter / 100.0;
    let same = |parameter: f64| parameter;
    let all = match id {
        "common-block" => vec![scores(rows, families, "common-block", "block in common", Scale::Bytes, same)],
        "fragment" => vec![scores(rows, families, "fragment", "% cut", Scale::Linear, same)],
        "alignment" => vec![scores(rows, families, "alignment", "% added", Scale::Linear, same)],
        "noise" => vec![scores(rows, families, "noise", "edits, % of the length", Scale::Logarithmic, share)],
        "repetition" => vec![
            scores(rows, families, "repetition", "copies", Scale::Linear, same),
            scores(rows, families, "variety", "different characters", Scale::Linear, same),
        ],
        "needle" => vec![needles(rows, families)],
        _ => vec![
            amounts(rows, families, "generation", "seconds", "Time to make a digest"),
            amounts(rows, families, "comparison", "seconds", "Time to compare two digests"),
            amounts(rows, families, "compression", "share of the input", "Length of digests"),
        ],
    };
    all.into_iter().flatten().collect()
}

/// The scale of a parameter.
#[derive(Clone, Copy)]
enum Scale {
    Bytes,
    Linear,
    Logarithmic,
}

impl Scale {
    fn axis(self, values: impl Iterator<Item = f64>) -> Option<Axis> {
        match self {
            Scale::Bytes => Axis::sizes(values),
            Scale::Linear => Axis::linear(values),
            Scale::Logarithmic => Axis::logarithmic(values),
        }
    }
}

/// The median of a row with its quartiles.
fn middle(row: &Row) -> Option<Estimate> {
    let (low, high) = row.lower_quartile.zip(row.upper_quartile)?;
    Some(Estimate { value: row.median?, interval: Some(Interval { low, high }) })
}

/// Scores over the parameter, a panel for each variant, and one for its distances.
fn scores(
    rows: &[Row],
    families: &[String],
    test: &str,
    x_name: &str,
    scale: Scale,
    x_of: impl Fn(f64) -> f64,
) -> Option<(String, Plot)> {
    let mut panels = Vec::new();
    for mode in modes(rows, test) {
        let x = scale.axis(
            rows.iter().filter(|row| row.test == test && row.mode == mode).map(|row| x_of(row.parameter as f64)),
        )?;
        for of_distances in [false, true] {
            let traces: Vec<Trace> = families
                .iter()
                .enumerate()
                .filter(|(_, family)| is_distance(family) == of_distances)
                .filter_map(|(series, family)| {
                    let mut points: Vec<(f64, Estimate)> = of(rows, test, mode, family)
                        .filter_map(|row| Some((x_of(row.parameter as f64), middle(row)?)))
                        .collect();
                    points.sort_by(|a, b| a.0.total_cmp(&b.0));
                    (!points.is_empty()).then_some(Trace { series, points })
                })
                .collect();
            if traces.is_empty() {
                continue;
            }
            let ends = traces.iter().flat_map(|trace| &trace.points).filter_map(|(_, value)| value.interval);
            let (y, y_name) = match of_distances {
                // Up is similar, as of scores, and no distance is cut off.
                true => (Axis::linear(ends.map(|ends| ends.high).chain([0.0, DISTANCE_MAX]))?.reversed(), "distance"),
                false => (Axis::linear([0.0, 100.0])?, "score"),
            };
            let variant = if mode.is_empty() { String::new() } else { format!("{}, ", spaced(mode)) };
            panels.push(Panel {
                title: format!("{variant}{y_name}s"),
                x: x.clone(),
                x_name: x_name.to_owned(),
                y,
                y_name: format!("{y_name}, median and quartiles"),
                level: of_distances.then_some(DISTANCE_MAX),
                traces,
            });
        }
    }
    let title = super::format::sentence(&test.replace('-', " "));
    let description =
        format!("Scores and distances of {} over {x_name}; the summary has the limits.", families.join(", "));
    let plot = Panels { legend: legend(families), panels }.plot(title, description)?;
    Some((test.to_owned(), plot))
}

fn legend(families: &[String]) -> Legend {
    Legend(families.iter().enumerate().map(|(series, family)| (Some(series), family.clone())).collect())
}

/// Times or lengths over the size of the input, of families and of SHA-1.
fn amounts(rows: &[Row], families: &[String], test: &str, y_name: &str, title: &str) -> Option<(String, Plot)> {
    let mut names = families.to_vec();
    if rows.iter().any(|row| row.test == test && row.family == "sha1") {
        names.push("sha1".to_owned());
    }
    let traces: Vec<Trace> = names
        .iter()
        .enumerate()
        .filter_map(|(series, family)| {
            let mut points: Vec<(f64, Estimate)> =
                of(rows, test, "", family).filter_map(|row| Some((row.parameter as f64, middle(row)?))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            (!points.is_empty()).then_some(Trace { series, points })
        })
        .collect();
    let points = || traces.iter().flat_map(|trace| &trace.points);
    let x = Axis::logarithmic(points().map(|(x, _)| *x))?.with_texts(|bytes| count(bytes as u64));
    let y = Axis::logarithmic(points().flat_map(|(_, value)| {
        let ends = value.interval.map(|interval| [interval.low, interval.high]);
        [value.value].into_iter().chain(ends.into_iter().flatten())
    }))?;
    // Marks are round.
    let short = |text: String| text.replace(".00 ", " ").replace(".0 ", " ");
    let y = y.with_texts(|value| short(if y_name == "seconds" { duration(value) } else { percent(value * 100.0) }));
    let y_name = if y_name == "seconds" { "time" } else { y_name };
    let panel = Panel {
        title: title.to_owned(),
        x,
        x_name: "bytes of the input".to_owned(),
        y,
        y_name: format!("{y_name}, median and quartiles"),
        level: None,
        traces,
    };
    let names: Vec<String> =
        names.iter().map(|name| if name == "sha1" { "SHA-1".to_owned() } else { name.clone() }).collect();
    let description = format!("{title} over the size of the input, of {}.", names.join(", "));
    let plot = Panels { legend: legend(&names), panels: vec![panel] }.plot(title, description)?;
    Some((test.to_owned(), plot))
}

/// Shares of changed files that were found, by manipulation.
fn needles(rows: &[Row], families: &[String]) -> Option<(String, Plot)> {
    let mut settings: Vec<(&str, &str)> = Vec::new();
    for row in rows.iter().filter(|row| row.test == "needle" || row.test == "cross") {
        let setting = (row.test.as_str(), row.mode.as_str());
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    let dots = settings.into_iter().map(|(test, mode)| {
        let own: Vec<Option<&Row>> = families.iter().map(|family| one_of(rows, (test, mode), family)).collect();
        let values: Vec<Option<Estimate>> = own.iter().map(|row| row.map(wilson)).collect();
        let shares: Vec<String> = own.iter().flatten().map(|row| row.matched.unwrap_or(0).to_string()).collect();
        let runs = own.iter().flatten().map(|row| row.runs).max().unwrap_or(0);
        let text = format!("{} of {runs}", shares.join(", "));
        let label = match test {
            "cross" => "common block in two files".to_owned(),
            _ => mode.replace('-', " "),
        };
        DotRow { label, values, reference: None, short: text.clone(), text }
    });
    let rows: Vec<DotRow> = dots.collect();
    if rows.is_empty() {
        return None;
    }
    let block = plots::Block {
        axis: Axis::linear([0.0, 100.0])?,
        unit: format!("percent that are found; at the right the counts of {}", families.join(", ")),
        divide: None,
        groups: vec![Group { rows, ..Group::default() }],
    };
    let description =
        format!("Shares of changed files that {} find among others, by the kind of change.", families.join(", "));
    let plot =
        Dots { legend: legend(families), blocks: vec![block] }.plot("Changed files that are found", description)?;
    Some(("needle".to_owned(), plot))
}

/// A share in percent with the interval of Wilson (1927) for a binomial share.
fn wilson(row: &Row) -> Estimate {
    const Z: f64 = 1.96;
    let (share, runs) = (row.share(), f64::from(row.runs.max(1)));
    let centre = (share + Z * Z / (2.0 * runs)) / (1.0 + Z * Z / runs);
    let half = Z / (1.0 + Z * Z / runs) * (share * (1.0 - share) / runs + Z * Z / (4.0 * runs * runs)).sqrt();
    let (low, high) = ((centre - half).max(0.0) * 100.0, (centre + half).min(1.0) * 100.0);
    Estimate { value: share * 100.0, interval: Some(Interval { low, high }) }
}

/// Every row that has a spread, folded.
fn all_rows(rows: &[Row]) -> Section {
    let mut section = Section::new("rows", "All results");
    let head =
        ["Parameter", "Family", "Runs", "Matched", "Mean", "Least", "Quartile", "Median", "Quartile", "Greatest"];
    let mut settings: Vec<(&str, &str)> = Vec::new();
    for row in rows.iter().filter(|row| row.test != "threshold") {
        let setting = (row.test.as_str(), row.mode.as_str());
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    for (test, mode) in settings {
        let name = if mode.is_empty() { test.to_owned() } else { format!("{test}, {}", spaced(mode)) };
        let mut table = Table::new(name.clone(), head);
        for row in rows.iter().filter(|row| row.test == test && row.mode == mode) {
            let values = [row.value, row.least, row.lower_quartile, row.median, row.upper_quartile, row.greatest];
            let first = [
                Cell::number(row.parameter.to_string()),
                Cell::text(&row.family),
                Cell::number(row.runs.to_string()),
                Cell::maybe(row.matched.map(|matched| matched.to_string())),
            ];
            table.push(first.into_iter().chain(values.map(|value| Cell::maybe(value.map(number)))).collect::<Vec<_>>());
        }
        section.push(Block::folded(format!("{name}: {}", counted(table.len(), "row", "rows")), [table]));
    }
    section
}

fn method() -> Section {
    Section::new("frash", "Method of FRASH").with(Block::List(
        [
            "The experiments are those of FRASH (Breitinger, Stivaktakis, Baier, 2013) with the numbers of FRASHER (Göbel, Uhlig, Baier, \
             Breitinger, 2022); thresholds are an addition. The figures of these papers are not beside the ones here, because no \
             machine-readable source of them is part of pfh.",
            "Without files of your own the inputs are random bytes of a seeded generator. These have no structure in common: false positives \
             and thresholds say something of your files only if they are measured on them.",
            "Families: Scores of ssdeep, sdhash and mrsh-v2 go from 0 to 100. Distances of tlsh begin at 0, where digests are equal, and \
             have no end; unrelated random bytes lie at some 200 to 400.",
            "A few runs make wide quartiles: --runs repeats each setting with other random bytes and places.",
        ]
        .map(str::to_owned)
        .into(),
    ))
}
