//! Pictures: shapes and texts in the colours of the theme, as SVG within a page or as a file of its own.

use std::fmt::Write as _;

use pfh_quote::is_unprintable;

use crate::theme::{self, Rgb};

/// The place of a text's given point within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// It lies around it.
    Middle,
    /// It ends there.
    End,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// A light colour of [`theme`].
    pub colour: Rgb,
    /// Width in units of the drawing.
    pub width: f64,
    /// Whether the line has gaps.
    pub is_dashed: bool,
}

impl Stroke {
    /// A line without gaps.
    #[must_use]
    pub fn new(colour: Rgb, width: f64) -> Stroke {
        Stroke { colour, width, is_dashed: false }
    }

    /// The same line with gaps.
    #[must_use]
    pub fn dashed(self) -> Stroke {
        Stroke { is_dashed: true, ..self }
    }
}

/// Shapes and texts on an area, in its own units, from its upper left corner. Colours are the light ones of [`theme`];
/// pages and files exchange them in the dark. Texts are escaped.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) body: String,
}

/// Height of a text in units of a drawing.
pub const FONT: f64 = 13.0;

// Writing to a string cannot fail.
impl Drawing {
    /// An empty area.
    #[must_use]
    pub fn new(width: f64, height: f64) -> Drawing {
        Drawing { width, height, body: String::new() }
    }

    /// Writes a line of text whose middle is at the height of `at`.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, colour: Rgb, text: &str) {
        self.write(at, anchor, colour, "", text);
    }

    /// Writes a line of bold text.
    pub fn heading(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.write(at, anchor, theme::INK.light, " font-weight=\"600\"", text);
    }

    /// Writes a line of small text.
    pub fn small(&mut self, at: (f64, f64), anchor: Anchor, colour: Rgb, text: &str) {
        self.write(at, anchor, colour, " font-size=\"11\"", text);
    }

    fn write(&mut self, (x, y): (f64, f64), anchor: Anchor, colour: Rgb, style: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (fill, text) = (theme::hex(colour), escape(text));
        let _ = write!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" dy=\".35em\"{anchor}{style} fill=\"{fill}\">{text}</text>"
        );
    }

    /// Draws a line through points.
    pub fn line(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let _ = write!(self.body, "<polyline points=\"{}\" fill=\"none\"{}/>", listed(points), stroked(stroke));
    }

    /// Fills an area around points.
    pub fn polygon(&mut self, points: &[(f64, f64)], colour: Rgb) {
        let _ = write!(self.body, "<polygon points=\"{}\" fill=\"{}\"/>", listed(points), theme::hex(colour));
    }

    /// Fills a rectangle, from its upper left corner.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: Rgb) {
        let fill = theme::hex(colour);
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        );
    }

    /// Draws the marker of a series around a point: shapes that are told apart without colour.
    pub fn marker(&mut self, series: usize, (x, y): (f64, f64)) {
        let colour = series_colour(series);
        let (fill, stroke) = (theme::hex(colour), Stroke::new(colour, 2.0));
        match series % theme::SERIES.len() {
            0 => {
                let _ = write!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{fill}\"/>");
            }
            1 => self.polygon(&[(x, y - 5.5), (x + 5.0, y + 4.0), (x - 5.0, y + 4.0)], colour),
            2 => self.rectangle((x - 4.0, y - 4.0), (8.0, 8.0), colour),
            3 => {
                self.line(&[(x - 4.0, y - 4.0), (x + 4.0, y + 4.0)], stroke);
                self.line(&[(x - 4.0, y + 4.0), (x + 4.0, y - 4.0)], stroke);
            }
            4 => self.polygon(&[(x, y + 5.5), (x + 5.0, y - 4.0), (x - 5.0, y - 4.0)], colour),
            _ => {
                let _ =
                    write!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"none\"{}/>", stroked(stroke));
            }
        }
    }

    /// Draws the marker of a figure that others are compared with: an empty diamond in the colour of text.
    pub fn reference(&mut self, (x, y): (f64, f64)) {
        let points = [(x, y - 5.5), (x + 5.5, y), (x, y + 5.5), (x - 5.5, y), (x, y - 5.5)];
        self.line(&points, Stroke::new(theme::INK.light, 1.5));
    }
}

/// Returns the light colour of a series; beyond the colours that there are, they are repeated.
#[must_use]
pub fn series_colour(series: usize) -> Rgb {
    theme::SERIES[series % theme::SERIES.len()].light
}

fn listed(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

fn stroked(Stroke { colour, width, is_dashed }: Stroke) -> String {
    let dashes = if is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    format!(" stroke=\"{}\" stroke-width=\"{width}\"{dashes}", theme::hex(colour))
}

/// Text as XML takes it. Controls have no place there, and nothing invisible is to reorder the rest.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            character if is_unprintable(character) => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}

/// A picture, drawn twice, with the words that replace it.
#[derive(Clone, Debug)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) wide: Drawing,
    pub(crate) narrow: Drawing,
}

impl Plot {
    /// Width of drawings for wide screens and paper, in their own units.
    pub const WIDE: f64 = 920.0;
    /// Width of drawings for phones, in their own units.
    pub const NARROW: f64 = 360.0;

    /// Makes a picture from its caption, a description for those who do not see it, and what draws it in a given width:
    /// [`Self::WIDE`] or [`Self::NARROW`].
    #[must_use]
    pub fn new(title: impl Into<String>, description: impl Into<String>, draw: impl Fn(f64) -> Drawing) -> Plot {
        let (wide, narrow) = (draw(Plot::WIDE), draw(Plot::NARROW));
        Plot { title: title.into(), description: description.into(), wide, narrow }
    }

    /// Returns the caption.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the wide drawing as a file of its own, which is light or dark as its reader prefers.
    #[must_use]
    pub fn svg(&self) -> String {
        let Drawing { width, height, body } = &self.wide;
        let (title, description) = (escape(&self.title), escape(&self.description));
        let top = 2.0 * FONT;
        let mut heading = Drawing::new(*width, top);
        heading.heading((0.0, FONT), Anchor::Start, &self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title description\" \
             viewBox=\"-8 0 {} {}\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"{FONT}\">\n\
             <title id=\"title\">{title}</title>\n<desc id=\"description\">{description}</desc>\n<style>{}</style>\n\
             <rect class=\"paper\" x=\"-8\" width=\"100%\" height=\"100%\"/>\n{}\n<g transform=\"translate(0 {top})\">{body}</g>\n</svg>\n",
            width + 16.0,
            height + top,
            width + 16.0,
            height + top,
            theme::picture_style(),
            heading.body,
        )
    }
}
