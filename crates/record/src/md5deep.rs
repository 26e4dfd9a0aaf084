//! The forms of the md5deep family (md5deep, sha1deep, sha256deep, tigerdeep, whirlpooldeep).
//!
//! Source: the manual page md5deep(1); behaviour of md5deep 4.4.

mod read;
mod write;

pub(crate) use read::{Md5deepParser, take_size};
pub(crate) use write::Md5deep;

/// Which of md5deep's options shape the line. They combine freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Md5deepForm {
    /// `-k`: an asterisk before the name. No effect with `comma`.
    pub asterisk: bool,
    /// `-z`: the size before the digest.
    pub size: bool,
    /// `-c`: commas between the fields.
    pub comma: bool,
    /// `-t`: the time of the last inode change after the digest.
    pub time: bool,
}

/// Largest size that the column shows; larger ones are shown as this.
const SIZE_MAX: u64 = 9_999_999_999;

/// Width of the size column.
const SIZE_COLUMNS: usize = 10;

/// All names: `md5deep`, and with options in the order k, z, c, t.
const NAMES: [&str; 16] = [
    "md5deep",
    "md5deep-k",
    "md5deep-z",
    "md5deep-kz",
    "md5deep-c",
    "md5deep-kc",
    "md5deep-zc",
    "md5deep-kzc",
    "md5deep-t",
    "md5deep-kt",
    "md5deep-zt",
    "md5deep-kzt",
    "md5deep-ct",
    "md5deep-kct",
    "md5deep-zct",
    "md5deep-kzct",
];

impl Md5deepForm {
    pub(crate) fn from_name(name: &str) -> Option<Md5deepForm> {
        let letters = match name.strip_prefix("md5deep")? {
            "" => "",
            letters => letters.strip_prefix('-').filter(|letters| !letters.is_empty())?,
        };
        let mut form = Md5deepForm::default();
        for letter in letters.chars() {
            *match letter {
                'k' => &mut form.asterisk,
                'z' => &mut form.size,
                'c' => &mut form.comma,
                't' => &mut form.time,
                _ => return None,
            } = true;
        }
        Some(form)
    }

    pub(crate) fn name(self) -> &'static str {
        let bit = |set, place: u32| usize::from(set) << place;
        NAMES[bit(self.asterisk, 0) | bit(self.size, 1) | bit(self.comma, 2) | bit(self.time, 3)]
    }
}
