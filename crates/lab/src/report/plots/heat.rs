//! Heat maps of ratios.

use super::{CHARACTER, INK, SMALL_CHARACTER, is_narrow, wrap};
use crate::quantity::number;
use pfh_page::theme;
use pfh_page::{Anchor, Drawing, Plot};

/// Upper ends of the classes: ratios of times to the reference's.
const CLASSES: [f64; 6] = [0.5, 0.8, 0.95, 1.05, 1.25, 2.0];

const LABEL: f64 = 300.0;
const LINE: f64 = 17.0;
const CELL: f64 = 25.0;
/// A line of the columns' names.
const HEAD_LINE: f64 = 14.0;
/// Width of a capital in small text, of which names of algorithms are made.
const SMALL_CAPITAL: f64 = 6.8;

fn class(ratio: f64) -> usize {
    CLASSES.iter().position(|end| ratio <= *end).unwrap_or(CLASSES.len())
}

/// Ratios as coloured cells with their numbers. `None` without any.
pub(crate) fn heat(
    title: String,
    description: String,
    columns: &[String],
    rows: &[(String, Vec<Option<f64>>)],
) -> Option<Plot> {
    let is_empty = rows.is_empty() || columns.is_empty();
    (!is_empty).then(|| Plot::new(title, description, |width| draw(width, columns, rows)))
}

fn draw(width: f64, columns: &[String], rows: &[(String, Vec<Option<f64>>)]) -> Drawing {
    let is_narrow = is_narrow(width);
    // On phones a label has a line of its own above its cells.
    let left = if is_narrow { 0.0 } else { LABEL };
    let step = ((width - left) / columns.len() as f64).min(140.0);
    let label_characters = (if is_narrow { width } else { LABEL - 12.0 } / CHARACTER) as usize;
    let labels: Vec<Vec<String>> = rows.iter().map(|(label, _)| wrap(label, label_characters)).collect();
    // Where names are wider than columns, every other one stands a level higher, with the room of two columns.
    let longest = columns.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let is_staggered = columns.len() > 2 && longest as f64 * SMALL_CAPITAL > step;
    let room = if is_staggered { 2.0 * step / SMALL_CAPITAL } else { step / SMALL_CHARACTER };
    let heads: Vec<Vec<String>> =
        columns.iter().map(|name| wrap(&name.replace('-', "- "), room.max(3.0) as usize)).collect();
    let level = heads.iter().map(Vec::len).max().unwrap_or(1) as f64 * HEAD_LINE;
    let head = if is_staggered { 2.0 * level } else { level } + 8.0;
    let height_of = |label: &Vec<String>| {
        let label = label.len() as f64 * LINE;
        if is_narrow { label + CELL + 4.0 } else { label.max(CELL) }
    };
    let body: f64 = labels.iter().map(height_of).sum();
    let key = if is_narrow { 66.0 } else { 50.0 };
    let mut drawing = Drawing::new(width, head + body + key);
    for (column, lines) in heads.iter().enumerate() {
        // Wide names do not leave the picture.
        let (x, anchor) = match column {
            0 if is_staggered && is_narrow => (left, Anchor::Start),
            _ if is_staggered && column + 1 == heads.len() => (left + step * heads.len() as f64, Anchor::End),
            _ => (left + step * (column as f64 + 0.5), Anchor::Middle),
        };
        let above = if is_staggered && column % 2 == 0 { level } else { 0.0 };
        let first = head - 6.0 - above - lines.len() as f64 * HEAD_LINE;
        for (place, line) in lines.iter().enumerate() {
            let line = line.replace("- ", "-");
            drawing.small((x, first + (place as f64 + 0.5) * HEAD_LINE), anchor, INK, &line);
        }
    }
    let mut top = head;
    for ((_, values), label) in rows.iter().zip(&labels) {
        let height = height_of(label);
        let text = label.len() as f64 * LINE;
        let cells = if is_narrow { top + text } else { top + (height - CELL) / 2.0 };
        let first = if is_narrow { top } else { top + (height - text) / 2.0 };
        for (place, line) in label.iter().enumerate() {
            let (x, anchor) = if is_narrow { (0.0, Anchor::Start) } else { (LABEL - 12.0, Anchor::End) };
            drawing.text((x, first + (place as f64 + 0.5) * LINE), anchor, INK, line);
        }
        for (column, value) in values.iter().enumerate() {
            let x = left + step * column as f64;
            let middle = (x + step / 2.0, cells + CELL / 2.0);
            match value {
                None => drawing.small(middle, Anchor::Middle, INK, "–"),
                Some(ratio) => {
                    drawing.rectangle((x + 1.0, cells + 1.0), (step - 2.0, CELL - 2.0), theme::HEAT[class(*ratio)]);
                    drawing.small(middle, Anchor::Middle, theme::HEAT_INK, &number(*ratio));
                }
            }
        }
        top += height;
    }
    draw_key(&mut drawing, left, (width - left).min(620.0), top + 14.0, is_narrow);
    drawing
}

fn draw_key(drawing: &mut Drawing, left: f64, length: f64, top: f64, is_narrow: bool) {
    let title = "time of the reference ×";
    let top = if is_narrow {
        drawing.small((0.0, top + 4.0), Anchor::Start, INK, title);
        top + 16.0
    } else {
        drawing.text((LABEL - 12.0, top + 12.0), Anchor::End, INK, title);
        top
    };
    let step = length / theme::HEAT.len() as f64;
    for (index, colour) in theme::HEAT.into_iter().enumerate() {
        let x = left + step * index as f64;
        drawing.rectangle((x, top), (step - 2.0, 24.0), colour);
        let text = match index {
            0 => format!("≤ {}", CLASSES[0]),
            _ if index == CLASSES.len() => format!("> {}", CLASSES[index - 1]),
            _ => format!("– {}", CLASSES[index]),
        };
        drawing.small((x + step / 2.0, top + 12.0), Anchor::Middle, theme::HEAT_INK, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_ratios() {
        for (ratio, expected) in [(0.1, 0), (0.5, 0), (0.6, 1), (1.0, 3), (1.05, 3), (1.06, 4), (2.0, 5), (2.1, 6)] {
            assert_eq!(class(ratio), expected, "{ratio}");
        }
        assert!(heat(String::new(), String::new(), &[], &[]).is_none());
    }
}
