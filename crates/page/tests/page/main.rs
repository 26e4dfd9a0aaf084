//! Pages as they are printed: well-formed, sorted in a browser, and made of text that stays text.

mod browser;
/// One text for all crates: what measures prints with this one, and imports none of them.
#[path = "../../../testing/src/chromium.rs"]
mod chromium;
mod printed;
/// One text for all crates.
#[path = "../../../testing/src/skip.rs"]
mod skip;
