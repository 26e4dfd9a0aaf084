//! Plots as SVG: lines with fits, bars with intervals, heat maps.
//!
//! Texts are real text, so that they can be searched, copied and read aloud; colours are the light ones of [`theme`],
//! which the style sheet exchanges. Nothing here can fail but a defect of the drawing library: then there is no plot,
//! and the table beside it has the figures.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::format::{number, shorten};
use crate::statistics::{Estimate, Line};
use pfh_page::Plot;
use pfh_page::theme::{self, Rgb};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

const WIDTH: u32 = 920;
const FONT: &str = "sans-serif";
const FONT_PIXELS: i32 = 14;
/// Room for the labels of bars, lines and heat maps, and how many characters fit.
const LABEL_PIXELS: i32 = 250;
const LABEL_CHARACTERS: usize = 32;

fn rgb((red, green, blue): Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

fn ink() -> RGBColor {
    rgb(theme::INK.light)
}

fn series_colour(index: usize) -> RGBColor {
    rgb(theme::SERIES[index % theme::SERIES.len()].light)
}

fn text_style(horizontal: HPos, colour: RGBColor) -> TextStyle<'static> {
    let mut style = TextStyle::from((FONT, FONT_PIXELS).into_font()).pos(Pos::new(horizontal, VPos::Center));
    style.color = colour.to_backend_color();
    style
}

fn write(area: &Area<'_>, text: &str, horizontal: HPos, at: (i32, i32)) -> Drawn {
    Ok(area.draw_text(text, &text_style(horizontal, ink()), at)?)
}

/// Draws, and keeps what lies within the outer element.
fn plot(title: String, description: String, height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Option<Plot> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        draw(&area).ok()?;
        area.present().ok()?;
    }
    let begin = svg.find("<svg").and_then(|at| Some(at + svg[at..].find('>')? + 1))?;
    let end = svg.rfind("</svg>")?;
    let drawing = svg.get(begin..end)?.trim().to_owned();
    Some(Plot { title, description, drawing, width: WIDTH, height })
}

/// Points of a runner, and the line through them.
pub(super) struct Curve {
    pub(super) label: String,
    pub(super) points: Vec<(f64, Estimate)>,
    /// In the units of the points.
    pub(super) fit: Option<Line>,
}

/// Shapes that are told apart without colour, drawn around a point.
fn marker(area: &Area<'_>, index: usize, (x, y): (i32, i32)) -> Drawn {
    let colour = series_colour(index);
    let (filled, line) = (colour.filled(), colour.stroke_width(2));
    match index % 6 {
        0 => area.draw(&Circle::new((x, y), 5, filled))?,
        1 => area.draw(&Polygon::new([(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)], filled))?,
        2 => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 5, y + 5)], filled))?,
        3 => area.draw(&Polygon::new([(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)], filled))?,
        4 => {
            area.draw(&PathElement::new([(x - 5, y - 5), (x + 5, y + 5)], line))?;
            area.draw(&PathElement::new([(x - 5, y + 5), (x + 5, y - 5)], line))?;
        }
        _ => area.draw(&Circle::new((x, y), 5, line))?,
    }
    Ok(())
}

/// Time over size, on linear axes from zero: a fit with an intercept is a straight line on no others.
pub(super) fn curves(
    title: String,
    description: String,
    (x_name, y_name): (&str, &str),
    curves: &[Curve],
) -> Option<Plot> {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let x_max = all().map(|(x, _)| *x).fold(0.0, f64::max);
    let top = |estimate: &Estimate| estimate.interval.map_or(estimate.value, |interval| interval.high);
    let y_max = all().map(|(_, y)| top(y)).fold(0.0, f64::max);
    if !(x_max > 0.0 && x_max.is_finite() && y_max > 0.0 && y_max.is_finite()) {
        return None;
    }
    // The legend is sorted as the lines end, so that it reads like labels at their ends.
    let mut order: Vec<usize> = (0..curves.len()).collect();
    let last = |curve: &Curve| curve.points.last().map_or(0.0, |(_, y)| y.value);
    order.sort_by(|&a, &b| last(&curves[b]).total_cmp(&last(&curves[a])));
    plot(title, description, 440, |root| {
        let (area, legend) = root.split_horizontally(WIDTH as i32 - LABEL_PIXELS);
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(78)
            .build_cartesian_2d(0.0..x_max * 1.03, 0.0..y_max * 1.05)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(rgb(theme::RULE.light))
            .light_line_style(rgb(theme::RULE.light))
            .max_light_lines(0)
            .axis_style(rgb(theme::FAINT.light))
            .label_style(text_style(HPos::Center, ink()))
            .x_labels(8)
            .y_labels(6)
            .x_label_formatter(&|value| tick(*value))
            .y_label_formatter(&|value| tick(*value))
            .x_desc(x_name)
            .y_desc(y_name)
            .axis_desc_style(text_style(HPos::Center, ink()))
            .draw()?;
        for (index, curve) in curves.iter().enumerate() {
            let style = series_colour(index).stroke_width(2);
            if let Some(fit) = &curve.fit {
                let ends = clipped(fit, x_max, y_max);
                chart.draw_series(std::iter::once(PathElement::new(ends, style)))?;
            }
            for (x, y) in &curve.points {
                if let Some(interval) = y.interval {
                    let whisker = vec![(*x, interval.low), (*x, interval.high)];
                    chart.draw_series(std::iter::once(PathElement::new(whisker, style)))?;
                }
                marker(root, index, chart.backend_coord(&(*x, y.value)))?;
            }
        }
        let left = WIDTH as i32 - LABEL_PIXELS;
        drop(legend);
        for (place, &index) in order.iter().enumerate() {
            let y = 30 + 26 * place as i32;
            marker(root, index, (left + 10, y))?;
            write(root, &shorten(&curves[index].label, LABEL_CHARACTERS), HPos::Left, (left + 26, y))?;
        }
        Ok(())
    })
}

/// Both ends of a line within a plot from zero.
fn clipped(line: &Line, x_max: f64, y_max: f64) -> Vec<(f64, f64)> {
    let (a, b) = (line.intercept.value, line.slope.value);
    let first = if a < 0.0 && b > 0.0 { (-a / b).min(x_max) } else { 0.0 };
    let last = if b > 0.0 { ((y_max * 1.05 - a) / b).clamp(first, x_max) } else { x_max };
    [first, last].map(|x| (x, (a + b * x).max(0.0))).to_vec()
}

fn tick(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = number(value);
    if text.contains('.') && !text.contains('×') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A labelled row with a bar for each group; `None` where a group has no value.
pub(super) struct Row {
    pub(super) label: String,
    pub(super) values: Vec<Option<Estimate>>,
}

/// Rows of bars from zero, with intervals, and the value as text.
pub(super) fn bars(title: String, description: String, unit: &str, groups: &[String], rows: &[Row]) -> Option<Plot> {
    const BAR: i32 = 15;
    const GAP: i32 = 9;
    const VALUE_PIXELS: i32 = 110;
    let values = || rows.iter().flat_map(|row| &row.values).flatten();
    let greatest =
        values().map(|value| value.interval.map_or(value.value, |interval| interval.high)).fold(0.0, f64::max);
    if rows.is_empty() || !(greatest > 0.0 && greatest.is_finite()) {
        return None;
    }
    let bars_of = |row: &Row| row.values.iter().flatten().count().max(1) as i32;
    let row_height = |row: &Row| BAR * bars_of(row) + GAP;
    let top = if groups.len() > 1 { 34 } else { 10 };
    let base = top + rows.iter().map(row_height).sum::<i32>();
    let height = base + 30;
    plot(title, description, height.unsigned_abs(), |root| {
        let room = f64::from(WIDTH as i32 - LABEL_PIXELS - VALUE_PIXELS);
        let x = |value: f64| LABEL_PIXELS + (value / greatest * room) as i32;
        if groups.len() > 1 {
            let mut left = LABEL_PIXELS;
            for (index, group) in groups.iter().enumerate() {
                root.draw(&Rectangle::new([(left, 10), (left + 14, 22)], series_colour(index).filled()))?;
                write(root, group, HPos::Left, (left + 20, 16))?;
                left += 40 + 7 * group.chars().count() as i32;
            }
        }
        let mut above = top;
        for row in rows {
            let middle = above + BAR * bars_of(row) / 2;
            write(root, &shorten(&row.label, LABEL_CHARACTERS), HPos::Right, (LABEL_PIXELS - 10, middle))?;
            let present = row.values.iter().enumerate().filter_map(|(index, value)| Some((index, value.as_ref()?)));
            for (place, (index, value)) in present.enumerate() {
                let (y, end) = (above + BAR * place as i32, x(value.value));
                root.draw(&Rectangle::new([(LABEL_PIXELS, y + 1), (end, y + BAR - 1)], series_colour(index).filled()))?;
                let mut text_at = end;
                if let Some(interval) = value.interval {
                    let (low, high) = (x(interval.low.max(0.0)), x(interval.high));
                    let centre = y + BAR / 2;
                    for line in [
                        [(low, centre), (high, centre)],
                        [(low, centre - 4), (low, centre + 4)],
                        [(high, centre - 4), (high, centre + 4)],
                    ] {
                        root.draw(&PathElement::new(line, ink().stroke_width(1)))?;
                    }
                    text_at = high;
                }
                write(root, &number(value.value), HPos::Left, (text_at + 8, y + BAR / 2))?;
            }
            above += row_height(row);
        }
        write(root, unit, HPos::Left, (LABEL_PIXELS, base + 12))
    })
}

/// Upper ends of the classes of a heat map: ratios of times to the reference's.
pub(super) const CLASSES: [f64; 6] = [0.5, 0.8, 0.95, 1.05, 1.25, 2.0];

fn class(ratio: f64) -> usize {
    CLASSES.iter().position(|end| ratio <= *end).unwrap_or(CLASSES.len())
}

/// Ratios as coloured cells with their numbers.
pub(super) fn heat(
    title: String,
    description: String,
    columns: &[String],
    rows: &[(String, Vec<Option<f64>>)],
) -> Option<Plot> {
    const CELL: i32 = 28;
    const TOP: i32 = 34;
    if rows.is_empty() || columns.is_empty() {
        return None;
    }
    let height = TOP + CELL * rows.len() as i32 + 54;
    let width = (WIDTH as i32 - LABEL_PIXELS) / columns.len().max(4) as i32;
    plot(title, description, height.unsigned_abs(), |root| {
        let dark = rgb(theme::HEAT_INK);
        for (column, name) in columns.iter().enumerate() {
            let x = LABEL_PIXELS + width * column as i32 + width / 2;
            write(root, &shorten(name, (width / 8).max(2) as usize), HPos::Center, (x, TOP / 2))?;
        }
        for (place, (label, values)) in rows.iter().enumerate() {
            let y = TOP + CELL * place as i32;
            write(root, &shorten(label, LABEL_CHARACTERS), HPos::Right, (LABEL_PIXELS - 10, y + CELL / 2))?;
            for (column, value) in values.iter().enumerate() {
                let x = LABEL_PIXELS + width * column as i32;
                let middle = (x + width / 2, y + CELL / 2);
                match value {
                    None => write(root, "–", HPos::Center, middle)?,
                    Some(ratio) => {
                        let colour = rgb(theme::HEAT[class(*ratio)]).filled();
                        root.draw(&Rectangle::new([(x + 1, y + 1), (x + width - 1, y + CELL - 1)], colour))?;
                        root.draw_text(&number(*ratio), &text_style(HPos::Center, dark), middle)?;
                    }
                }
            }
        }
        let y = TOP + CELL * rows.len() as i32 + 16;
        let step = (WIDTH as i32 - LABEL_PIXELS) / theme::HEAT.len() as i32;
        for (index, colour) in theme::HEAT.into_iter().enumerate() {
            let x = LABEL_PIXELS + step * index as i32;
            root.draw(&Rectangle::new([(x, y), (x + step - 2, y + 24)], rgb(colour).filled()))?;
            let text = match index {
                0 => format!("≤ {}", CLASSES[0]),
                _ if index == CLASSES.len() => format!("> {}", CLASSES[index - 1]),
                _ => format!("– {}", CLASSES[index]),
            };
            root.draw_text(&text, &text_style(HPos::Center, dark), (x + step / 2, y + 12))?;
        }
        write(root, "time of the reference ×", HPos::Right, (LABEL_PIXELS - 10, y + 12))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_ratios() {
        for (ratio, expected) in [(0.1, 0), (0.5, 0), (0.6, 1), (1.0, 3), (1.05, 3), (1.06, 4), (2.0, 5), (2.1, 6)] {
            assert_eq!(class(ratio), expected, "{ratio}");
        }
    }

    #[test]
    fn a_line_is_drawn_within_the_plot() {
        let line = |points: &[(f64, f64)]| Line::fit(points).expect("points");
        assert_eq!(clipped(&line(&[(0.0, 1.0), (10.0, 11.0)]), 10.0, 11.0), [(0.0, 1.0), (10.0, 11.0)]);
        assert_eq!(clipped(&line(&[(5.0, 0.0), (10.0, 5.0)]), 10.0, 5.0), [(5.0, 0.0), (10.0, 5.0)]);
        assert_eq!(clipped(&line(&[(0.0, 5.0), (10.0, 5.0)]), 10.0, 5.0), [(0.0, 5.0), (10.0, 5.0)]);
    }

    #[test]
    fn what_has_no_extent_is_not_drawn() {
        assert!(curves(String::new(), String::new(), ("", ""), &[]).is_none());
        assert!(bars(String::new(), String::new(), "", &[], &[]).is_none());
        assert!(heat(String::new(), String::new(), &[], &[]).is_none());
    }
}
