//! The names of the formats.

use std::fmt;
use std::str::FromStr;

use pfh_similarity::Family;

/// The formats of lists. All are read, and all but those of [`KnownList`] and [`FixityList`] are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FormatName {
    /// GNU coreutils, untagged: `DIGEST  NAME`.
    Gnu,
    /// BSD tag form: `ALGORITHM (NAME) = DIGEST`.
    Bsd,
    /// hashdeep 1.0: `SIZE,DIGEST,…,NAME` after a header.
    Hashdeep,
    /// One of the forms of the md5deep family.
    Md5deep(Md5deepForm),
    /// Simple File Verification: `NAME CRC32`.
    Sfv,
    /// Comma-separated values.
    Csv,
    /// JSON Lines.
    Jsonl,
    /// Digital Forensics XML.
    Dfxml,
    /// The list of the family's own program: `ssdeep`, `sdhash`, `mrsh-v2` or `tlsh`.
    Similarity(Family),
    /// A list of known files, only for reading.
    Known(KnownList),
    /// A list of the digests that files are expected to have, only for reading.
    Fixity(FixityList),
}

/// The formats in which archives and imaging programs keep the digests of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FixityList {
    /// A manifest of BagIt (`manifest-ALGORITHM.txt`, `tagmanifest-ALGORITHM.txt`).
    Bagit,
    /// The inventory of an OCFL object (`inventory.json`).
    Ocfl,
    /// The history file of AVP's Fixity.
    Avp,
    /// The report of AVP's Fixity, which has classes of files and no digests.
    AvpReport,
    /// The log of a program that makes images of disks: dc3dd, dcfldd, ewfacquire, FTK Imager, Guymager.
    Imager,
}

impl FixityList {
    fn name(self) -> &'static str {
        match self {
            FixityList::Bagit => "bagit",
            FixityList::Ocfl => "ocfl",
            FixityList::Avp => "avp",
            FixityList::AvpReport => "avp-report",
            FixityList::Imager => "imager",
        }
    }
}

/// The formats in which others publish known files. The forms of one program's lists are one format: their first line
/// tells which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KnownList {
    /// `NSRLFile.txt` of the NSRL, in the forms 1.5 and 2.
    Nsrl,
    /// HashKeeper's table.
    HashKeeper,
    /// iLook's table, in the forms 1, 3 and 4.
    ILook,
    /// The hash set of EnCase 3 to 6 (`.hash`).
    Encase,
    /// The index of the Sleuth Kit over a list (`-md5.idx`, `-sha1.idx`).
    SleuthKit,
    /// The JSON of Project VIC, and of the lists and cases that follow it.
    Vics,
    /// The table of ICSE.
    Icse,
    /// The sources in an export of hashdb 3.
    Hashdb,
}

impl KnownList {
    fn name(self) -> &'static str {
        match self {
            KnownList::Nsrl => "nsrl",
            KnownList::HashKeeper => "hashkeeper",
            KnownList::ILook => "ilook",
            KnownList::Encase => "encase",
            KnownList::SleuthKit => "sleuthkit",
            KnownList::Vics => "vics",
            KnownList::Icse => "icse",
            KnownList::Hashdb => "hashdb",
        }
    }
}

/// The options of md5deep that determine the form of a line. They combine freely.
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

/// The error of an unknown format name. `Display` lists the formats.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownFormat {
    /// The name as given.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no format `{}`; the formats are", self.name)?;
        for (position, format) in FormatName::ALL.iter().enumerate() {
            write!(f, "{} `{}`", if position == 0 { "" } else { "," }, format.name())?;
        }
        f.write_str("; `md5deep` may be followed by a hyphen and any of the letters k, z, c, t")
    }
}

impl std::error::Error for UnknownFormat {}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FormatName {
    type Err = UnknownFormat;

    /// As [`FormatName::from_name`].
    fn from_str(name: &str) -> Result<FormatName, UnknownFormat> {
        FormatName::from_name(name)
    }
}

impl FormatName {
    /// All formats that are written, in the order of help texts; of md5deep's, the plain form.
    pub const ALL: [FormatName; 12] = [
        FormatName::Gnu,
        FormatName::Bsd,
        FormatName::Hashdeep,
        FormatName::Md5deep(Md5deepForm { asterisk: false, size: false, comma: false, time: false }),
        FormatName::Sfv,
        FormatName::Csv,
        FormatName::Jsonl,
        FormatName::Dfxml,
        FormatName::Similarity(Family::Ssdeep),
        FormatName::Similarity(Family::Sdhash),
        FormatName::Similarity(Family::MrshV2),
        FormatName::Similarity(Family::Tlsh),
    ];

    /// The formats that are only read.
    pub const READ_ONLY: [FormatName; 13] = [
        FormatName::Known(KnownList::Nsrl),
        FormatName::Known(KnownList::HashKeeper),
        FormatName::Known(KnownList::ILook),
        FormatName::Known(KnownList::Encase),
        FormatName::Known(KnownList::SleuthKit),
        FormatName::Known(KnownList::Vics),
        FormatName::Known(KnownList::Icse),
        FormatName::Known(KnownList::Hashdb),
        FormatName::Fixity(FixityList::Bagit),
        FormatName::Fixity(FixityList::Ocfl),
        FormatName::Fixity(FixityList::Avp),
        FormatName::Fixity(FixityList::AvpReport),
        FormatName::Fixity(FixityList::Imager),
    ];

    /// Finds a format by its name. After `md5deep` and a hyphen, letters stand for md5deep's options: `md5deep-kz`.
    /// # Errors
    /// [`UnknownFormat`] if there is no such format.
    pub fn from_name(name: &str) -> Result<FormatName, UnknownFormat> {
        FormatName::ALL
            .into_iter()
            .chain(FormatName::READ_ONLY)
            .find(|format| format.name() == name)
            .or_else(|| Md5deepForm::from_name(name).map(FormatName::Md5deep))
            .ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }

    /// Returns the name of the format in options.
    pub fn name(self) -> &'static str {
        match self {
            FormatName::Gnu => "gnu",
            FormatName::Bsd => "bsd",
            FormatName::Hashdeep => "hashdeep",
            FormatName::Md5deep(form) => form.name(),
            FormatName::Sfv => "sfv",
            FormatName::Csv => "csv",
            FormatName::Jsonl => "jsonl",
            FormatName::Dfxml => "dfxml",
            FormatName::Similarity(family) => family.name(),
            FormatName::Known(list) => list.name(),
            FormatName::Fixity(list) => list.name(),
        }
    }

    /// Whether the format has a form whose records end with NUL.
    pub fn has_null_form(self) -> bool {
        matches!(self, FormatName::Gnu | FormatName::Bsd | FormatName::Md5deep(_))
    }

    /// Whether nothing but the end of its name tells that an entry is of a piece
    /// ([`ReadOptions::piecewise`](crate::ReadOptions::piecewise)): a file may have such a name, too.
    pub fn tells_pieces_by_name(self) -> bool {
        matches!(self, FormatName::Gnu | FormatName::Bsd | FormatName::Hashdeep | FormatName::Md5deep(_))
    }
}

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
