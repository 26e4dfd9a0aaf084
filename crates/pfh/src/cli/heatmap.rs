//! A matrix of scores as a picture.

use super::message;
use pfh_list::NamedDigests;
use pfh_similarity::all_pairs::SimilarPair;
use std::fmt::Write as _;

/// Most files in a picture; with more, the cells would be too small to see.
pub(crate) const FILES_MAX: usize = 512;

/// Approximate length of a side, in pixels.
const SIDE: usize = 1024;

/// Smallest side of cells whose file is named beside the row, in pixels.
const NAMED_CELL: usize = 10;

/// Number of characters of a name that are shown, and the width of each in pixels.
const NAME_CHARACTERS: usize = 44;
const CHARACTER_PIXELS: usize = 7;

/// Height of the key above the matrix, and its least width, in pixels.
const KEY_HEIGHT: usize = 36;
const KEY_WIDTH: usize = 260;

/// Number of steps of the key.
const KEY_STEPS: u32 = 5;

/// Returns the picture as SVG: a cell for each pair, darker for more similar ones, with a key. Names and scores are
/// tooltips, and names are also beside the rows if there is room. `worst` is the score of no similarity, `best` that of
/// equality.
pub(crate) fn svg(named: &NamedDigests, found: &[SimilarPair], worst: u32, best: u32) -> String {
    let count = named.len();
    let cell = (SIDE / count.max(1)).clamp(2, 48);
    let side = cell * count;
    let numbers = 0..count as u32;
    let name = |number| message::escaped(named.name(number).name);
    let labels: Vec<String> =
        if cell >= NAMED_CELL { numbers.clone().map(|number| shortened(&name(number))).collect() } else { Vec::new() };
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let (width, height) = ((side + longest * CHARACTER_PIXELS + 8).max(KEY_WIDTH), KEY_HEIGHT + side);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         shape-rendering=\"crispEdges\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <rect y=\"{KEY_HEIGHT}\" width=\"{side}\" height=\"{side}\" fill=\"#f4f4f4\"/>\n"
    );
    let color = |score: u32| {
        let share = f64::from(score.abs_diff(worst).min(worst.abs_diff(best))) / f64::from(worst.abs_diff(best).max(1));
        format!("hsl(210 70% {:.0}%)", 88.0 - 64.0 * share)
    };
    // Writing to a string cannot fail.
    for step in 0..=KEY_STEPS {
        let (far, near) = (u64::from(worst) * u64::from(KEY_STEPS - step), u64::from(best) * u64::from(step));
        let (score, x) = (((far + near) / u64::from(KEY_STEPS)) as u32, 4 + 42 * step);
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"4\" width=\"40\" height=\"12\" fill=\"{}\"/><text x=\"{x}\" y=\"28\">{score}</text>",
            color(score)
        );
    }
    let mut rect = |column: u32, row: u32, score: u32, title: &str| {
        let _ = writeln!(
            text,
            "<rect x=\"{}\" y=\"{}\" width=\"{cell}\" height=\"{cell}\" fill=\"{}\"><title>{title}</title></rect>",
            column as usize * cell,
            KEY_HEIGHT + row as usize * cell,
            color(score)
        );
    };
    for number in numbers {
        rect(number, number, best, &escaped(&name(number)));
    }
    for &SimilarPair { first, second, score } in found {
        let title = format!("{} – {}: {score}", escaped(&name(first)), escaped(&name(second)));
        rect(first, second, score, &title);
        rect(second, first, score, &title);
    }
    for (row, label) in labels.iter().enumerate() {
        let (x, y) = (side + 5, KEY_HEIGHT + row * cell + cell / 2 + 4);
        let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(label));
    }
    text + "</svg>\n"
}

/// Shortens a long name to its end, which says more than its beginning.
fn shortened(name: &str) -> String {
    match name.chars().count().checked_sub(NAME_CHARACTERS) {
        None | Some(0) => name.to_owned(),
        Some(more) => format!("…{}", name.chars().skip(more + 1).collect::<String>()),
    }
}

/// Escapes text for XML, and replaces characters that XML does not allow.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}
