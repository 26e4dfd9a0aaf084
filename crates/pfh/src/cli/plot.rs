//! Pictures of experiments.

use pfh_similarity::Family;
use pfh_similarity::frash::{Row, Test};
use std::fmt::Write as _;

/// The area of the lines, in pixels: left, top, width, height.
const PANEL: [f64; 4] = [64.0, 40.0, 560.0, 320.0];
const SIZE: [f64; 2] = [780.0, 420.0];

/// Returns the name of a row's picture: an experiment in one of its variants, or in all variants if it has no
/// parameter.
pub(crate) fn name(row: &Row) -> String {
    match (row.test, row.mode) {
        (Test::Needle | Test::Cross, _) => "needle".to_owned(),
        (test, "") => test.name().to_owned(),
        (test, mode) => format!("{}-{mode}", test.name()),
    }
}

/// Returns the picture of the rows of one name, as SVG.
pub(crate) fn svg(name: &str, rows: &[Row]) -> String {
    let [width, height] = SIZE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let measure = match rows.first().map(|row| row.test) {
        Some(Test::Generation | Test::Comparison) => "seconds",
        Some(Test::Compression) => "length of the digest divided by that of the input",
        Some(Test::Needle | Test::Cross) => "share that is found",
        _ => "mean score",
    };
    label(&mut text, PANEL[0], 24.0, "start", &format!("{name}: {measure}"));
    if name == "needle" {
        bars(&mut text, rows)
    } else {
        lines(&mut text, rows)
    }
    text + "</svg>\n"
}

/// Returns a colour; colour-blind people can tell these apart (Okabe and Ito, 2008).
fn colour(family: Option<Family>) -> &'static str {
    match family {
        Some(Family::Ssdeep) => "#0072b2",
        Some(Family::Sdhash) => "#d55e00",
        Some(Family::MrshV2) => "#009e73",
        Some(Family::Tlsh) => "#cc79a7",
        None => "#555555",
    }
}

/// Groups rows by family, in their order; SHA-1 is `None`.
fn series(rows: &[Row]) -> Vec<(Option<Family>, Vec<&Row>)> {
    let mut series: Vec<(Option<Family>, Vec<&Row>)> = Vec::new();
    for row in rows {
        match series.iter_mut().find(|(family, _)| *family == row.family) {
            Some((_, own)) => own.push(row),
            None => series.push((row.family, vec![row])),
        }
    }
    series
}

// Writing to a string cannot fail.

fn label(text: &mut String, x: f64, y: f64, anchor: &str, label: &str) {
    let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{label}</text>");
}

fn rule(text: &mut String, x: [f64; 2], y: [f64; 2]) {
    let _ = writeln!(
        text,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
        x[0], y[0], x[1], y[1]
    );
}

fn legend(text: &mut String, place: usize, family: Option<Family>, note: &str) {
    let (x, y) = (PANEL[0] + PANEL[2] + 16.0, PANEL[1] + 12.0 + 20.0 * place as f64);
    let _ =
        writeln!(text, "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>", y - 10.0, colour(family));
    label(text, x + 18.0, y, "start", &format!("{}{note}", family.map_or("sha1", Family::name)));
}

/// An axis from the least to the greatest value.
struct Axis {
    least: f64,
    greatest: f64,
    is_logarithmic: bool,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, is_logarithmic: bool) -> Axis {
        let values: Vec<f64> = values.filter(|&value| !is_logarithmic || value > 0.0).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match least.is_finite() {
            true => Axis { least, greatest, is_logarithmic },
            false => Axis { least: 1.0, greatest: 1.0, is_logarithmic },
        }
    }

    /// Returns the position of a value, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.is_logarithmic { value.max(self.least).log10() } else { value };
        let length = scale(self.greatest) - scale(self.least);
        if length > 0.0 { (scale(value) - scale(self.least)) / length } else { 0.5 }
    }

    fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let (from, to) = (self.least.log10().ceil() as i32, self.greatest.log10().floor() as i32);
            return (from..=to).map(|power| 10_f64.powi(power)).collect();
        }
        let rough = ((self.greatest - self.least) / 5.0).max(f64::MIN_POSITIVE);
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|&step| step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.least / step).ceil();
        (0..20).map(|tick| (first + f64::from(tick)) * step).take_while(|&tick| tick <= self.greatest).collect()
    }
}

fn tick_text(tick: f64, is_logarithmic: bool) -> String {
    if is_logarithmic && !(1.0..1e6).contains(&tick) {
        format!("{tick:e}")
    } else {
        format!("{}", (tick * 1000.0).round() / 1000.0)
    }
}

fn lines(text: &mut String, rows: &[Row]) {
    let [left, top, width, height] = PANEL;
    let has_scores = rows.iter().any(|row| row.matched.is_some());
    let is_logarithmic = !has_scores;
    // Distances of TLSH are inverted, so that up means similar for all families.
    let height_of = |row: &Row| match row.family {
        Some(Family::Tlsh) if has_scores => row.value.map(|distance| (100.0 - distance).max(0.0)),
        _ => row.value.or(has_scores.then_some(0.0)),
    };
    let by_blocks = rows.first().is_some_and(|row| row.test == Test::CommonBlock);
    let across = Axis::of(rows.iter().map(|row| row.parameter as f64), is_logarithmic || by_blocks);
    let up = match has_scores {
        true => Axis { least: 0.0, greatest: 100.0, is_logarithmic: false },
        false => Axis::of(rows.iter().filter_map(height_of), true),
    };
    for tick in across.ticks() {
        let x = left + width * across.place(tick);
        rule(text, [x, x], [top, top + height]);
        label(text, x, top + height + 18.0, "middle", &tick_text(tick, across.is_logarithmic));
    }
    for tick in up.ticks() {
        let y = top + height * (1.0 - up.place(tick));
        rule(text, [left, left + width], [y, y]);
        label(text, left - 8.0, y + 4.0, "end", &tick_text(tick, up.is_logarithmic));
    }
    label(text, left + width / 2.0, top + height + 40.0, "middle", unit(rows));
    for (place, (family, own)) in series(rows).into_iter().enumerate() {
        let points = own.iter().filter_map(|row| {
            let y = top + height * (1.0 - up.place(height_of(row)?));
            Some(format!("{:.1},{y:.1}", left + width * across.place(row.parameter as f64)))
        });
        let points = points.collect::<Vec<_>>().join(" ");
        let stroke = colour(family);
        let _ = writeln!(text, "<polyline points=\"{points}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2\"/>");
        let is_turned = has_scores && family == Some(Family::Tlsh);
        legend(text, place, family, if is_turned { ": 100 − distance" } else { "" });
    }
}

/// Returns the unit of the parameter.
fn unit(rows: &[Row]) -> &'static str {
    match rows.first().map(|row| row.test) {
        Some(Test::Fragment) => "% cut",
        Some(Test::Alignment) => "% added",
        Some(Test::Noise) => "edits",
        Some(Test::Repetition) => "copies",
        Some(Test::Variety) => "different characters",
        Some(Test::CommonBlock) => "bytes in common",
        _ => "bytes",
    }
}

/// Draws the share of found files, for each variant and family.
fn bars(text: &mut String, rows: &[Row]) {
    let [left, top, width, height] = PANEL;
    let mut modes: Vec<&str> = Vec::new();
    let mode_of = |row: &Row| if row.test == Test::Cross { "cross" } else { row.mode };
    for row in rows {
        if !modes.contains(&mode_of(row)) {
            modes.push(mode_of(row));
        }
    }
    let families = series(rows);
    let group = width / modes.len().max(1) as f64;
    let bar = group * 0.8 / families.len().max(1) as f64;
    for percent in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let y = top + height * (1.0 - percent / 100.0);
        rule(text, [left, left + width], [y, y]);
        label(text, left - 8.0, y + 4.0, "end", &format!("{percent} %"));
    }
    for (place, mode) in modes.iter().enumerate() {
        let (x, y) = (left + group * (place as f64 + 0.5), top + height + 18.0 + 14.0 * (place % 2) as f64);
        label(text, x, y, "middle", mode);
    }
    for (place, (family, own)) in families.into_iter().enumerate() {
        legend(text, place, family, "");
        for row in own {
            let mode = modes.iter().position(|mode| *mode == mode_of(row)).unwrap_or(0);
            let share = f64::from(row.matched.unwrap_or(0)) / f64::from(row.runs.max(1));
            let x = left + group * (mode as f64 + 0.1) + bar * place as f64;
            let _ = writeln!(
                text,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{bar:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                top + height * (1.0 - share),
                height * share,
                colour(family)
            );
        }
    }
}
