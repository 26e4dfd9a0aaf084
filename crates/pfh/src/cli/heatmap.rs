//! A matrix of scores as a picture.

use super::digest_list::Named;
use pfh::compare::Found;
use std::fmt::Write as _;

/// More files than this make cells that nobody sees.
pub(crate) const FILES_MAX: usize = 512;

/// Length of a side in pixels, about.
const SIDE: usize = 1024;

/// The picture as SVG: a cell for each pair, the darker the more similar; names and scores are tooltips. `worst` is the score of
/// no similarity, `best` that of equality.
pub(crate) fn svg(named: &Named, found: &[Found], worst: u32, best: u32) -> String {
    let count = named.len();
    let cell = (SIDE / count.max(1)).clamp(2, 48);
    let side = cell * count;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" width=\"{side}\" height=\"{side}\" \
         shape-rendering=\"crispEdges\">\n<rect width=\"100%\" height=\"100%\" fill=\"#f4f4f4\"/>\n"
    );
    let name = |number| escaped(&String::from_utf8_lossy(named.name(number).name));
    let mut rect = |column: u32, row: u32, score: u32, title: &str| {
        let share = f64::from(score.abs_diff(worst).min(worst.abs_diff(best))) / f64::from(worst.abs_diff(best).max(1));
        let lightness = 88.0 - 64.0 * share;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<rect x=\"{}\" y=\"{}\" width=\"{cell}\" height=\"{cell}\" fill=\"hsl(210 70% {lightness:.0}%)\">\
             <title>{title}</title></rect>",
            column as usize * cell,
            row as usize * cell
        );
    };
    for number in 0..count as u32 {
        rect(number, number, best, &name(number));
    }
    for &Found { first, second, score } in found {
        let title = format!("{} – {}: {score}", name(first), name(second));
        rect(first, second, score, &title);
        rect(second, first, score, &title);
    }
    text + "</svg>\n"
}

/// As text of XML; characters that XML has no place for are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            character if character.is_control() => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}
