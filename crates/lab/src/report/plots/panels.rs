//! Lines in panels beside each other: small multiples.

use super::{Axis, BOLD_CHARACTER, FAINT, INK, Legend, RULE, is_narrow, small_width, small_within, wrap};
use pfh_page::{Anchor, Drawing, Plot, Stroke, series_colour};
use pfh_statistics::Estimate;

/// A line through points, with its place in the legend.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) series: usize,
    pub(crate) points: Vec<(f64, Estimate)>,
}

/// A panel with its title.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) x_name: String,
    pub(crate) y: Axis,
    pub(crate) y_name: String,
    /// A value of the vertical scale that is marked.
    pub(crate) level: Option<f64>,
    pub(crate) traces: Vec<Trace>,
}

/// The whole picture.
#[derive(Clone, Debug)]
pub(crate) struct Panels {
    pub(crate) legend: Legend,
    pub(crate) panels: Vec<Panel>,
}

/// Points of a line that have a marker; of others only the line is drawn, so that shapes can be told apart.
const MARKERS_MAX: usize = 10;

/// Room for the marks' texts of the vertical scale, at least.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 10.0;
const TITLE: f64 = 46.0;
const BELOW: f64 = 44.0;
const AREA: f64 = 170.0;

impl Panels {
    /// The picture; `None` if it has no panels.
    pub(crate) fn plot(&self, title: impl Into<String>, description: impl Into<String>) -> Option<Plot> {
        (!self.panels.is_empty()).then(|| Plot::new(title, description, |width| self.draw(width)))
    }

    fn draw(&self, width: f64) -> Drawing {
        let columns = match self.panels.len() {
            _ if is_narrow(width) => 1,
            // Panels that come in pairs stay beside each other.
            1 | 2 | 4 => 2,
            _ => 3,
        };
        let rows = self.panels.len().div_ceil(columns);
        let own = width / columns as f64;
        let height = TITLE + AREA + BELOW;
        let legend = self.legend.height(width);
        // A long picture has its legend at both ends.
        let above = if rows > 2 { legend + 8.0 } else { 0.0 };
        let mut drawing = Drawing::new(width, above + rows as f64 * height + legend + 8.0);
        if rows > 2 {
            self.legend.draw(&mut drawing, (0.0, 0.0), width);
        }
        for (place, panel) in self.panels.iter().enumerate() {
            let (left, top) = (own * (place % columns) as f64, above + height * (place / columns) as f64);
            panel.draw(&mut drawing, (left, top), own);
        }
        self.legend.draw(&mut drawing, (0.0, above + rows as f64 * height + 4.0), width);
        drawing
    }
}

impl Panel {
    fn draw(&self, drawing: &mut Drawing, (left, top): (f64, f64), width: f64) {
        let room = self.y.marks.iter().map(|(_, text)| small_width(text) + 8.0).fold(LEFT, f64::max);
        let (title, left, length) = (left, left + room, width - room - RIGHT);
        let (first, last) = (top + TITLE, top + TITLE + AREA);
        let x = |value: f64| left + length * self.x.place(value);
        let y = |value: f64| last - AREA * self.y.place(value);
        for line in wrap(&self.title, (width / BOLD_CHARACTER) as usize).iter().take(1) {
            drawing.heading((title, top + 14.0), Anchor::Start, line);
        }
        drawing.small((title, top + 32.0), Anchor::Start, FAINT, &self.y_name);
        for (place, text) in self.y.texts(AREA, |_| 14.0) {
            let at = last - AREA * place;
            drawing.line(&[(left, at), (left + length, at)], Stroke::new(RULE, 1.0));
            if let Some(text) = text {
                drawing.small((left - 6.0, at), Anchor::End, INK, text);
            }
        }
        for (place, text) in self.x.texts(length, small_width) {
            let at = left + length * place;
            drawing.line(&[(at, first), (at, last)], Stroke::new(RULE, 1.0));
            if let Some(text) = text {
                small_within(drawing, (at, last + 12.0), (title, title + width), INK, text);
            }
        }
        drawing.small((left + length / 2.0, last + 28.0), Anchor::Middle, FAINT, &self.x_name);
        if let Some(level) = self.level {
            drawing.line(&[(left, y(level)), (left + length, y(level))], Stroke::new(FAINT, 1.5).dashed());
        }
        for trace in &self.traces {
            let stroke = Stroke::new(series_colour(trace.series), 2.0);
            let points: Vec<_> = trace.points.iter().map(|(at, value)| (x(*at), y(value.value))).collect();
            drawing.line(&points, stroke);
            let every = trace.points.len().div_ceil(MARKERS_MAX).max(1);
            for (at, value) in trace.points.iter().step_by(every) {
                if let Some(interval) = value.interval {
                    drawing.line(
                        &[(x(*at), y(interval.low)), (x(*at), y(interval.high))],
                        Stroke { width: 1.2, ..stroke },
                    );
                }
                drawing.marker(trace.series, (x(*at), y(value.value)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_panels_there_is_no_picture() {
        assert!(Panels { legend: Legend::default(), panels: Vec::new() }.plot("", "").is_none());
    }
}
