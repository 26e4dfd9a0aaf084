//! Plots: dots with intervals in rows, panels of lines, heat maps. Each draws itself for wide screens and for phones.
//!
//! Texts are real text, so that they can be searched, copied and read aloud; colours are those of
//! [`theme`](pfh_page::theme). None is told apart by its colour alone.

mod axis;
mod boxes;
mod dots;
mod heat;
mod panels;

pub(super) use axis::Axis;
pub(super) use boxes::{BoxRow, boxes};
pub(super) use dots::{Block, DotRow, Dots, Group};
pub(super) use heat::heat;
pub(super) use panels::{Panel, Panels, Trace};

use pfh_page::theme::{self, Rgb};
use pfh_page::{Anchor, Drawing, Plot};

const INK: Rgb = theme::INK.light;
const FAINT: Rgb = theme::FAINT.light;
const RULE: Rgb = theme::RULE.light;

/// Width of a character of a text, on average, of a bold and of a small one, in the widest of the fonts that readers
/// have (DejaVu Sans).
const CHARACTER: f64 = 7.7;
const BOLD_CHARACTER: f64 = 8.6;
const SMALL_CHARACTER: f64 = 6.6;

fn is_narrow(width: f64) -> bool {
    width <= Plot::NARROW
}

/// Width of a small text on one line, in the widest usual font. Numbers are wider than words.
fn small_width(text: &str) -> f64 {
    let width = |letter: char| match letter {
        '0'..='9' => 7.0,
        '−' | '+' | '%' => 10.4,
        _ => SMALL_CHARACTER,
    };
    text.chars().map(width).sum()
}

/// Writes a small text around a point, or beside it where it would leave its bounds.
fn small_within(drawing: &mut Drawing, (x, y): (f64, f64), (left, right): (f64, f64), colour: Rgb, text: &str) {
    let half = small_width(text) / 2.0;
    let x = x.min(right - half).max(left + half);
    drawing.small((x, y), Anchor::Middle, colour, text);
}

/// Breaks a text into lines of at most this many characters, at blanks where there are some.
fn wrap(text: &str, characters: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        loop {
            let used = line.chars().count();
            let blank = usize::from(used > 0);
            if used + blank + word.len() <= characters {
                line.extend(std::iter::repeat_n(' ', blank).chain(word));
                break;
            }
            if used == 0 {
                let rest = word.split_off(characters.clamp(1, word.len()));
                line.extend(word);
                word = rest;
            }
            lines.push(std::mem::take(&mut line));
        }
    }
    lines.push(line);
    lines
}

/// Entries of a legend, in as many lines as they need: the text and the number of its series, of which `None` is the
/// reference.
#[derive(Clone, Debug, Default)]
pub(super) struct Legend(pub(super) Vec<(Option<usize>, String)>);

impl Legend {
    const LINE: f64 = 20.0;
    const MARKER: f64 = 18.0;
    const GAP: f64 = 16.0;

    /// The place of each line of each entry within a width.
    fn places(&self, width: f64) -> Vec<(f64, f64, Vec<String>)> {
        let (mut x, mut y) = (0.0, 0.0);
        let mut places = Vec::new();
        for (_, text) in &self.0 {
            let lines = wrap(text, ((width - Self::MARKER) / CHARACTER) as usize);
            let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            let own = Self::MARKER + longest as f64 * CHARACTER;
            if x > 0.0 && x + own > width {
                (x, y) = (0.0, y + Self::LINE);
            }
            let below = (lines.len() - 1) as f64 * Self::LINE;
            places.push((x, y, lines));
            x += own + Self::GAP;
            if below > 0.0 {
                (x, y) = (0.0, y + below + Self::LINE);
            }
        }
        places
    }

    fn height(&self, width: f64) -> f64 {
        let bottom = |(_, y, lines): &(f64, f64, Vec<String>)| y + lines.len() as f64 * Self::LINE;
        self.places(width).iter().map(bottom).fold(0.0, f64::max)
    }

    fn draw(&self, drawing: &mut Drawing, (left, top): (f64, f64), width: f64) {
        for ((series, _), (x, y, lines)) in self.0.iter().zip(self.places(width)) {
            let (x, y) = (left + x, top + y + Self::LINE / 2.0);
            match series {
                Some(series) => drawing.marker(*series, (x + 6.0, y)),
                None => drawing.reference((x + 6.0, y)),
            }
            for (place, line) in lines.iter().enumerate() {
                let y = y + place as f64 * Self::LINE;
                drawing.text((x + Self::MARKER, y), Anchor::Start, INK, line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_and_never_cut() {
        assert_eq!(wrap("Mono (not Microsoft's .NET)", 16), ["Mono (not", "Microsoft's", ".NET)"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("ß ß ß", 3), ["ß ß", "ß"]);
    }

    #[test]
    fn legends_stay_within_the_width() {
        let legend = Legend(vec![(Some(0), "a".repeat(30)), (None, "b c ".repeat(30)), (Some(1), "d".to_owned())]);
        for (x, _, lines) in legend.places(360.0) {
            let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(x + Legend::MARKER + longest as f64 * CHARACTER <= 360.0, "{lines:?}");
        }
        assert!(legend.height(360.0) > legend.height(920.0));
    }
}
