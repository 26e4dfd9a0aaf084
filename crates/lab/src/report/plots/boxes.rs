//! Box plots: how repeats scatter, on a scale in common.

use super::{Axis, CHARACTER, FAINT, INK, RULE, is_narrow, small_width, small_within, wrap};
use pfh_page::{Anchor, Drawing, Plot, Stroke, series_colour};

/// A row: the least value, the quartiles, and the greatest.
#[derive(Clone, Debug)]
pub(crate) struct BoxRow {
    pub(crate) label: String,
    pub(crate) quartiles: [f64; 5],
}

const LINE: f64 = 17.0;
const LABEL: f64 = 300.0;
/// Height of a box, and of a row without its label.
const BOX: f64 = 14.0;
const ROW: f64 = 26.0;
const MARKS: f64 = 24.0;

/// The picture (Tukey 1977, Exploratory Data Analysis, section 2C); `None` if there are no rows.
pub(crate) fn boxes(
    title: impl Into<String>,
    description: impl Into<String>,
    unit: &str,
    rows: Vec<BoxRow>,
) -> Option<Plot> {
    let axis = Axis::linear(rows.iter().flat_map(|row| row.quartiles))?;
    let unit = unit.to_owned();
    Some(Plot::new(title, description, move |width| draw(&axis, &unit, &rows, width)))
}

fn draw(axis: &Axis, unit: &str, rows: &[BoxRow], width: f64) -> Drawing {
    let is_phone = is_narrow(width);
    let (left, length) = if is_phone { (12.0, width - 24.0) } else { (LABEL, width - LABEL - 16.0) };
    let room = if is_phone { width } else { LABEL - 12.0 };
    let label = |row: &BoxRow| wrap(&row.label, (room / CHARACTER) as usize);
    let height = |row: &BoxRow| {
        let lines = label(row).len() as f64 * LINE;
        if is_phone { lines + ROW } else { lines.max(ROW) }
    };
    let all: f64 = rows.iter().map(height).sum();
    let mut drawing = Drawing::new(width, all + 2.0 * MARKS);
    let x = |value: f64| left + length * axis.place(value);
    for (place, text) in axis.texts(length, small_width) {
        if let Some(text) = text {
            small_within(&mut drawing, (left + length * place, all + 10.0), (0.0, width), FAINT, text);
        }
    }
    drawing.small((left + length / 2.0, all + 28.0), Anchor::Middle, FAINT, unit);
    let mut top = 0.0;
    for row in rows {
        let (lines, height) = (label(row), height(row));
        let above = if is_phone { lines.len() as f64 * LINE } else { 0.0 };
        let centre = top + above + (height - above) / 2.0;
        for (value, _) in &axis.marks {
            drawing.line(&[(x(*value), top + above), (x(*value), top + height)], Stroke::new(RULE, 1.0));
        }
        let first = if is_phone { top } else { centre - lines.len() as f64 * LINE / 2.0 };
        for (place, line) in lines.iter().enumerate() {
            let (at, anchor) = if is_phone { (0.0, Anchor::Start) } else { (LABEL - 12.0, Anchor::End) };
            drawing.text((at, first + (place as f64 + 0.5) * LINE), anchor, INK, line);
        }
        let [least, lower, median, upper, greatest] = row.quartiles.map(x);
        let (above, below) = (centre - BOX / 2.0, centre + BOX / 2.0);
        let stroke = Stroke::new(series_colour(0), 2.0);
        for (from, to) in [(least, lower), (upper, greatest)] {
            drawing.line(&[(from, centre), (to, centre)], stroke);
        }
        for end in [least, greatest] {
            drawing.line(&[(end, centre - 4.0), (end, centre + 4.0)], stroke);
        }
        drawing.line(&[(lower, above), (upper, above), (upper, below), (lower, below), (lower, above)], stroke);
        drawing.line(&[(median, above), (median, below)], Stroke::new(INK, 3.0));
        top += height;
    }
    drawing
}
