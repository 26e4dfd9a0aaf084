//! Rows of figures as dots with their intervals, on a scale in common.

use super::{
    Axis, BOLD_CHARACTER, CHARACTER, FAINT, INK, Legend, RULE, SMALL_CHARACTER, is_narrow, small_width, small_within,
    wrap,
};
use pfh_page::{Anchor, Drawing, Plot, Stroke, series_colour};
use pfh_statistics::Estimate;

/// A row: a figure of each series, and what they are compared with.
#[derive(Clone, Debug)]
pub(crate) struct DotRow {
    pub(crate) label: String,
    pub(crate) values: Vec<Option<Estimate>>,
    pub(crate) reference: Option<f64>,
    /// The figures as text, and the same in short, for phones.
    pub(crate) text: String,
    pub(crate) short: String,
}

/// Rows below a heading and a note on all of them, either of which may be empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) heading: String,
    pub(crate) note: String,
    pub(crate) rows: Vec<DotRow>,
}

/// Groups that share a scale.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) axis: Axis,
    pub(crate) unit: String,
    /// A value that figures lie on either side of.
    pub(crate) divide: Option<f64>,
    pub(crate) groups: Vec<Group>,
}

/// The whole picture.
#[derive(Clone, Debug)]
pub(crate) struct Dots {
    pub(crate) legend: Legend,
    pub(crate) blocks: Vec<Block>,
}

const LINE: f64 = 17.0;
/// Room for labels and for the texts of figures beside dots.
const LABEL: f64 = 300.0;
const TEXT: f64 = 215.0;
/// Distance between the dots of a row, where there are several.
const STEP: f64 = 8.0;

/// The parts of a picture of some width.
struct Layout {
    width: f64,
    is_narrow: bool,
    /// Where the scale begins, and how long it is.
    left: f64,
    length: f64,
}

impl Layout {
    fn of(width: f64) -> Layout {
        let is_narrow = is_narrow(width);
        let (left, right) = if is_narrow { (10.0, 10.0) } else { (LABEL, TEXT) };
        Layout { width, is_narrow, left, length: width - left - right }
    }

    fn label(&self, row: &DotRow) -> Vec<String> {
        let room =
            if self.is_narrow { self.width - (row.short.chars().count() + 2) as f64 * CHARACTER } else { LABEL - 12.0 };
        wrap(&row.label, (room / CHARACTER).max(8.0) as usize)
    }

    /// The heading's lines: what it says, and the note.
    fn heading(&self, group: &Group) -> (Vec<String>, Vec<String>) {
        let lines = |text: &str, character: f64| {
            if text.is_empty() { Vec::new() } else { wrap(text, (self.width / character) as usize) }
        };
        (lines(&group.heading, BOLD_CHARACTER), lines(&group.note, CHARACTER))
    }

    fn unit(&self, block: &Block) -> Vec<String> {
        wrap(&block.unit, (self.width / SMALL_CHARACTER) as usize)
    }

    fn dots_height(row: &DotRow) -> f64 {
        row.values.iter().flatten().count().max(1) as f64 * STEP + STEP
    }

    fn row_height(&self, row: &DotRow) -> f64 {
        let (label, dots) = (self.label(row).len() as f64 * LINE, Self::dots_height(row));
        if self.is_narrow { label + dots + 2.0 } else { (label + 3.0).max(dots) }
    }

    fn group_height(&self, group: &Group) -> f64 {
        let (heading, note) = self.heading(group);
        let lines = (heading.len() + note.len()) as f64;
        let above = if lines > 0.0 { lines * LINE + 12.0 } else { 0.0 };
        above + group.rows.iter().map(|row| self.row_height(row)).sum::<f64>()
    }
}

/// Room for the marks' texts above and below a block.
const MARKS: f64 = 22.0;

impl Dots {
    /// The picture; `None` if it has no rows.
    pub(crate) fn plot(&self, title: impl Into<String>, description: impl Into<String>) -> Option<Plot> {
        let has_rows = self.blocks.iter().flat_map(|block| &block.groups).next().is_some();
        has_rows.then(|| Plot::new(title, description, |width| self.draw(width)))
    }

    fn draw(&self, width: f64) -> Drawing {
        let layout = Layout::of(width);
        let legend = self.legend.height(width);
        let block_height =
            |block: &Block| block.groups.iter().map(|group| layout.group_height(group)).sum::<f64>() + 2.0 * MARKS;
        let below = |block: &Block| 24.0 + 14.0 * (layout.unit(block).len() - 1) as f64;
        let heights: Vec<f64> = self.blocks.iter().map(block_height).collect();
        let mut drawing = Drawing::new(
            width,
            legend + 8.0 + heights.iter().zip(&self.blocks).map(|(height, block)| height + below(block)).sum::<f64>(),
        );
        self.legend.draw(&mut drawing, (0.0, 0.0), width);
        let mut top = legend + 8.0;
        for (block, height) in self.blocks.iter().zip(heights) {
            draw_block(&mut drawing, &layout, block, top, height);
            top += height + below(block);
        }
        drawing
    }
}

fn draw_block(drawing: &mut Drawing, layout: &Layout, block: &Block, top: f64, height: f64) {
    let (first, last) = (top + MARKS, top + height - MARKS);
    let marks = block.axis.texts(layout.length, small_width);
    for (place, text) in &marks {
        for y in [first - 9.0, last + 9.0] {
            if let Some(text) = text {
                let x = layout.left + layout.length * place;
                small_within(drawing, (x, y), (0.0, layout.width), FAINT, text);
            }
        }
    }
    for (place, line) in layout.unit(block).iter().enumerate() {
        let at = (layout.left + layout.length / 2.0, last + 24.0 + 14.0 * place as f64);
        small_within(drawing, at, (0.0, layout.width), FAINT, line);
    }
    let mut y = first;
    for group in &block.groups {
        let (heading, note) = layout.heading(group);
        let has_heading = !heading.is_empty() || !note.is_empty();
        if has_heading {
            y += 10.0;
        }
        for line in &heading {
            drawing.heading((0.0, y + LINE / 2.0), Anchor::Start, line);
            y += LINE;
        }
        for line in &note {
            drawing.text((0.0, y + LINE / 2.0), Anchor::Start, FAINT, line);
            y += LINE;
        }
        if has_heading {
            y += 2.0;
        }
        for row in &group.rows {
            draw_row(drawing, layout, block, row, y);
            y += layout.row_height(row);
        }
    }
}

fn draw_row(drawing: &mut Drawing, layout: &Layout, block: &Block, row: &DotRow, top: f64) {
    let x = |value: f64| layout.left + layout.length * block.axis.place(value);
    let (label, height) = (layout.label(row), layout.row_height(row));
    let (centre, label_top) = if layout.is_narrow {
        drawing.text((layout.width, top + LINE / 2.0), Anchor::End, INK, &row.short);
        (top + label.len() as f64 * LINE + Layout::dots_height(row) / 2.0, top)
    } else {
        let centre = top + height / 2.0;
        let fits = row.text.chars().count() as f64 * CHARACTER <= TEXT - 4.0;
        let text = if fits { &row.text } else { &row.short };
        drawing.text((layout.left + layout.length + 12.0, centre), Anchor::Start, INK, text);
        (centre, centre - label.len() as f64 * LINE / 2.0)
    };
    // No line crosses a text.
    let first = if layout.is_narrow { top + label.len() as f64 * LINE } else { top };
    for (value, _) in &block.axis.marks {
        drawing.line(&[(x(*value), first), (x(*value), top + height)], Stroke::new(RULE, 1.0));
    }
    if let Some(value) = block.divide {
        drawing.line(&[(x(value), first), (x(value), top + height)], Stroke::new(FAINT, 1.5).dashed());
    }
    for (place, line) in label.iter().enumerate() {
        let y = label_top + (place as f64 + 0.5) * LINE;
        let (x, anchor) = if layout.is_narrow { (0.0, Anchor::Start) } else { (LABEL - 12.0, Anchor::End) };
        drawing.text((x, y), anchor, INK, line);
    }
    drawing.line(&[(layout.left, centre), (layout.left + layout.length, centre)], Stroke::new(RULE, 0.7));
    let present: Vec<_> =
        row.values.iter().enumerate().filter_map(|(series, value)| Some((series, (*value)?))).collect();
    let first = centre - (present.len().max(1) - 1) as f64 * STEP / 2.0;
    for (place, (series, value)) in present.into_iter().enumerate() {
        let y = first + place as f64 * STEP;
        if let Some(interval) = value.interval {
            let (low, high) = (x(interval.low), x(interval.high));
            let stroke = Stroke::new(series_colour(series), 2.0);
            drawing.line(&[(low, y), (high, y)], stroke);
            for end in [low, high] {
                drawing.line(&[(end, y - 3.0), (end, y + 3.0)], stroke);
            }
        }
        drawing.marker(series, (x(value.value), y));
    }
    if let Some(reference) = row.reference {
        drawing.reference((x(reference), centre));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_rows_there_is_no_picture() {
        assert!(Dots { legend: Legend::default(), blocks: Vec::new() }.plot("", "").is_none());
    }
}
