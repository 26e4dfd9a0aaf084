//! The table of the facts that each format keeps, for readers of lists, for the tests and for the documentation.

use crate::{FormatName, Md5deepForm};

/// A kind of fact about a run. A fact that a format does not keep is missing when its list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// Size of each file.
    Size,
    /// When each file was last modified, to the nanosecond.
    ModificationTime,
    /// When the inode of each file was last changed.
    ChangeTime,
    /// Inode and number of hard links of each file.
    Inode,
    /// Mode, owner and group of each file.
    Mode,
    /// The names of the algorithms, beside the digests or before them.
    Names,
    /// Files that have no digest, and why: unreadable, ended early, changed while read, skipped.
    Failures,
    /// The system's error numbers of unreadable files.
    ErrorNumbers,
    /// The marks of collision attacks.
    CollisionMarks,
    /// Similarity digests beside others.
    Similarity,
    /// The families that have no digest of a file, and why.
    NoDigest,
    /// Facts about contents: runs, zero sectors, entropy.
    Facts,
    /// Digests of pieces.
    Pieces,
    /// In a piecewise run, the digests of the whole files too.
    WholeFiles,
    /// The digests that were requested.
    Selection,
    /// The variants of similarity digests whose texts do not tell them.
    Variants,
    /// The length of the pieces.
    PieceLength,
    /// Whether each entropy is that of all bytes or of a sample, before the first file.
    Counting,
    /// Name and version of the program.
    Program,
    /// The command line.
    CommandLine,
    /// The directory that relative paths start from.
    Directory,
    /// When the run began.
    Start,
    /// The machine of the run.
    Host,
    /// The user of the run.
    User,
    /// The counts of the run, and whether it was interrupted.
    Counts,
    /// The product and the category of known files.
    Labels,
}

/// Each feature, its name in the documentation, and the formats that keep it.
pub const KEPT: [(Feature, &str, &[&str]); 26] = [
    (
        Feature::Size,
        "size",
        &["hashdeep", "md5deep-z", "csv", "jsonl", "dfxml", "nsrl", "hashkeeper", "ilook", "vics", "hashdb"],
    ),
    (Feature::ModificationTime, "modification time", &["csv", "jsonl", "dfxml"]),
    (Feature::ChangeTime, "time of the last inode change", &["md5deep-t", "dfxml"]),
    (Feature::Inode, "inode and number of links", &["dfxml"]),
    (Feature::Mode, "mode, owner and group", &["dfxml"]),
    (
        Feature::Names,
        "names of algorithms",
        &[
            "bsd",
            "hashdeep",
            "csv",
            "jsonl",
            "dfxml",
            "nsrl",
            "hashkeeper",
            "ilook",
            "encase",
            "sleuthkit",
            "vics",
            "icse",
            "ocfl",
            "avp",
            "avp-report",
            "imager",
        ],
    ),
    (Feature::Failures, "files without digests, and why", &["csv", "jsonl", "dfxml"]),
    (Feature::ErrorNumbers, "error numbers", &["jsonl", "dfxml"]),
    (Feature::CollisionMarks, "marks of collision attacks", &["csv", "jsonl", "dfxml"]),
    (Feature::Similarity, "similarity digests", &["csv", "jsonl", "dfxml", "ssdeep", "sdhash", "mrsh-v2", "tlsh"]),
    (Feature::NoDigest, "why a file has none of a family", &["jsonl", "dfxml"]),
    (Feature::Facts, "facts about contents", &["csv", "jsonl", "dfxml"]),
    (Feature::Pieces, "digests of pieces", &["gnu", "bsd", "hashdeep", "md5deep", "csv", "jsonl", "dfxml"]),
    (Feature::WholeFiles, "the whole file beside its pieces", &["gnu", "bsd", "csv", "jsonl", "dfxml"]),
    (
        Feature::Selection,
        "digests of the run",
        &[
            "hashdeep",
            "csv",
            "jsonl",
            "ssdeep",
            "sdhash",
            "mrsh-v2",
            "tlsh",
            "nsrl",
            "hashkeeper",
            "ilook",
            "encase",
            "icse",
            "avp",
        ],
    ),
    (Feature::Variants, "variants of similarity digests", &["jsonl"]),
    (Feature::PieceLength, "length of the pieces", &["jsonl"]),
    (Feature::Counting, "which facts the run has", &["jsonl"]),
    (Feature::Program, "program and version", &["sfv", "jsonl", "dfxml"]),
    (Feature::CommandLine, "command line", &["hashdeep", "jsonl", "dfxml"]),
    (Feature::Directory, "directory", &["hashdeep", "jsonl", "dfxml"]),
    (Feature::Start, "start of the run", &["sfv", "jsonl", "dfxml"]),
    (Feature::Host, "machine", &["jsonl", "dfxml"]),
    (Feature::User, "user", &["jsonl", "dfxml"]),
    (Feature::Counts, "counts of the run", &["jsonl", "dfxml"]),
    (
        Feature::Labels,
        "product and category",
        &["nsrl", "hashkeeper", "ilook", "encase", "vics", "icse", "hashdb", "avp-report"],
    ),
];

impl FormatName {
    /// Whether a list of this format keeps this feature.
    pub fn keeps(self, feature: Feature) -> bool {
        let keeps = |name: &str| KEPT.iter().any(|(one, _, formats)| *one == feature && formats.contains(&name));
        match self {
            FormatName::Md5deep(Md5deepForm { size, time, .. }) => {
                keeps("md5deep") || (size && keeps("md5deep-z")) || (time && keeps("md5deep-t"))
            }
            format => keeps(format.name()),
        }
    }

    /// Whether files without digests (unreadable, changed while read, …) have records in this format. Otherwise the
    /// program must report them.
    pub fn records_failures(self) -> bool {
        self.keeps(Feature::Failures)
    }

    /// Whether the format can state that a file has no similarity digest. Otherwise the program must report it.
    pub fn records_missing_digests(self) -> bool {
        self.keeps(Feature::NoDigest)
    }

    /// Returns the table as Markdown.
    pub fn kept_table() -> String {
        let columns = ["gnu", "bsd", "hashdeep", "md5deep", "sfv", "csv", "jsonl", "dfxml", "families' own"];
        let mut table = format!("| | {} |\n| --- |{}\n", columns.join(" | "), " --- |".repeat(columns.len()));
        for (_, words, formats) in KEPT {
            table += &format!("| {words} |");
            for column in columns {
                let form = formats.iter().find(|format| format.strip_prefix("md5deep-").is_some());
                table += &match (column, form) {
                    ("families' own", _) if formats.contains(&"ssdeep") => " yes |".to_owned(),
                    ("md5deep", Some(form)) => format!(" `{form}` |"),
                    _ if formats.contains(&column) => " yes |".to_owned(),
                    _ => " – |".to_owned(),
                };
            }
            table.push('\n');
        }
        table
    }
}
