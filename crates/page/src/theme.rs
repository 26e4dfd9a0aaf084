//! Colours, in pairs for light and dark, and the style sheet made of them.
//!
//! Plots are drawn in the light colours; in the dark scheme the style sheet replaces each by its partner. So a plot
//! looks right in a page of either scheme, and as a file of its own.

use std::fmt::Write as _;

use crate::tone::Tone;

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// A colour in both schemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// On a light page.
    pub light: Rgb,
    /// On a dark page.
    pub dark: Rgb,
}

const fn colour(light: Rgb, dark: Rgb) -> Colour {
    Colour { light, dark }
}

/// The page.
pub const PAPER: Colour = colour((255, 255, 255), (20, 22, 26));
/// Text and axes.
pub const INK: Colour = colour((28, 30, 34), (232, 234, 238));
/// Text of less weight.
pub const FAINT: Colour = colour((85, 90, 100), (168, 174, 184));
/// Lines of a grid and borders; they carry no meaning of their own.
pub const RULE: Colour = colour((221, 224, 229), (58, 62, 70));
/// The edge of a region that goes on beyond it.
pub const SHADE: Colour = colour((150, 156, 166), (120, 128, 140));
/// Links, and the ring around what has the focus.
pub const LINK: Colour = colour((10, 84, 160), (122, 184, 245));

/// Lines and bars. Chosen to be told apart with the common kinds of colour blindness; markers and dashes tell them
/// apart without colour.
pub const SERIES: [Colour; 6] = [
    colour((0, 96, 163), (86, 170, 236)),
    colour((176, 72, 0), (240, 146, 72)),
    colour((0, 114, 84), (52, 186, 146)),
    colour((150, 60, 122), (226, 138, 196)),
    colour((112, 92, 0), (204, 178, 50)),
    colour((92, 92, 100), (176, 178, 188)),
];

/// Cells of heat maps, from "much faster" to "much slower", the same in both schemes, with [`HEAT_INK`] on them.
pub const HEAT: [Rgb; 7] = [
    (116, 173, 226),
    (166, 205, 240),
    (212, 231, 249),
    (244, 244, 244),
    (253, 226, 196),
    (249, 190, 132),
    (240, 150, 92),
];

/// Text on heat maps.
pub const HEAT_INK: Rgb = (29, 31, 35);

/// Returns background and text of a mark.
#[must_use]
pub fn mark(tone: Tone) -> (Colour, Colour) {
    match tone {
        Tone::Good => (colour((218, 241, 224), (24, 66, 40)), colour((12, 84, 40), (160, 228, 180))),
        Tone::Caution => (colour((255, 240, 204), (76, 58, 14)), colour((110, 72, 0), (246, 210, 120))),
        Tone::Bad => (colour((253, 224, 220), (88, 30, 26)), colour((146, 24, 16), (255, 180, 170))),
        Tone::Neutral => (colour((230, 232, 238), (52, 56, 64)), colour((62, 68, 80), (206, 210, 220))),
        Tone::Faint => (PAPER, FAINT),
    }
}

/// Returns the contrast of two colours as WCAG 2.2 defines it: 1 to 21. Text needs 4.5 (AA), what is drawn 3.
#[must_use]
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance((red, green, blue): Rgb) -> f64 {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

pub(crate) fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// Shapes and sizes; colours come from the variables that [`style_sheet`] puts before it.
const SHAPES: &str = include_str!("style.css");

/// Returns the style sheet of a page.
pub(crate) fn style_sheet() -> String {
    let mut light = String::new();
    let mut dark = String::new();
    let mut define = |name: &str, colour: Colour| {
        let _ = write!(light, "--{name}:{};", hex(colour.light));
        let _ = write!(dark, "--{name}:{};", hex(colour.dark));
    };
    for (name, colour) in
        [("paper", PAPER), ("ink", INK), ("faint", FAINT), ("rule", RULE), ("shade", SHADE), ("link", LINK)]
    {
        define(name, colour);
    }
    let mut classes = String::new();
    for tone in Tone::ALL {
        let (background, text) = mark(tone);
        let class = tone.name();
        define(&format!("{class}-paper"), background);
        define(&format!("{class}-ink"), text);
        let _ = writeln!(classes, ".mark.{class}{{background:var(--{class}-paper);color:var(--{class}-ink)}}");
    }
    let plots = darkened();
    format!(
        ":root{{color-scheme:light dark;{light}}}\n@media screen and (prefers-color-scheme:dark){{\n:root{{{dark}}}\n{plots}}}\n{classes}{SHAPES}"
    )
}

/// Rules that exchange the light colours of a picture for the dark ones.
fn darkened() -> String {
    let mut rules = String::new();
    for colour in [INK, FAINT, RULE].iter().chain(&SERIES) {
        for property in ["fill", "stroke"] {
            let _ = writeln!(rules, "svg [{property}=\"{}\"]{{{property}:{}}}", hex(colour.light), hex(colour.dark));
        }
    }
    rules
}

/// Returns the style sheet of a picture that is a file of its own.
pub(crate) fn picture_style() -> String {
    let (light, dark) = (hex(PAPER.light), hex(PAPER.dark));
    format!(".paper{{fill:{light}}}\n@media (prefers-color-scheme:dark){{\n.paper{{fill:{dark}}}\n{}}}\n", darkened())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_the_guideline() {
        assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
        // WCAG's own well-known edge: #767676 on white just passes.
        assert!(contrast((0x76, 0x76, 0x76), (255, 255, 255)) >= 4.5);
        assert!(contrast((0x77, 0x77, 0x77), (255, 255, 255)) < 4.5);
    }

    #[test]
    fn everything_can_be_read_in_both_schemes() {
        let schemes: [fn(Colour) -> Rgb; 2] = [|colour| colour.light, |colour| colour.dark];
        for of in schemes {
            for text in [INK, FAINT, LINK] {
                assert!(contrast(of(text), of(PAPER)) >= 4.5, "{text:?}");
            }
            for line in SERIES {
                assert!(contrast(of(line), of(PAPER)) >= 3.0, "{line:?}");
            }
            for tone in Tone::ALL {
                let (background, text) = mark(tone);
                assert!(contrast(of(text), of(background)) >= 4.5, "{tone:?}");
            }
        }
        for cell in HEAT {
            assert!(contrast(HEAT_INK, cell) >= 4.5, "{cell:?}");
        }
    }

    /// A light colour that stood for two things would be replaced wrongly in the dark scheme.
    #[test]
    fn light_colours_are_told_apart() {
        let mut all: Vec<Rgb> = [INK, FAINT, RULE].iter().chain(&SERIES).map(|colour| colour.light).collect();
        all.extend(HEAT);
        all.push(HEAT_INK);
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
