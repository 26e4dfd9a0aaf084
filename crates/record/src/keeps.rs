//! Losses of the formats: one table of what each of them keeps, for readers of lists, for the tests and for the
//! documentation.

use crate::{FormatName, Md5deepForm};

/// A part of what is known after a run. What a format does not keep is not there when its list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Size of each file.
    Size,
    /// When each file was last modified, to the nanosecond.
    ModificationTime,
    /// When the inode of each file was last changed.
    ChangeTime,
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
    /// Which families have no digest of a file, and why.
    Unfit,
    /// Digests of pieces.
    Pieces,
    /// In a piecewise run, the digests of the whole files too.
    WholeFiles,
    /// The digests that the run was asked for.
    Selection,
    /// The length of the pieces.
    PieceLength,
    /// Name and version of the program.
    Program,
    /// The command line.
    CommandLine,
    /// The directory that relative paths start from.
    Directory,
    /// When the run began.
    Start,
    /// The counts of the run, and whether it was interrupted.
    Counts,
}

/// Each feature, the words that the documentation has for it, and the formats that keep it.
pub const KEPT: [(Feature, &str, &[&str]); 18] = [
    (Feature::Size, "size", &["hashdeep", "md5deep-z", "csv", "jsonl", "dfxml"]),
    (Feature::ModificationTime, "modification time", &["csv", "jsonl", "dfxml"]),
    (Feature::ChangeTime, "time of the last inode change", &["md5deep-t", "dfxml"]),
    (Feature::Names, "names of algorithms", &["bsd", "hashdeep", "csv", "jsonl", "dfxml"]),
    (Feature::Failures, "files without digests, and why", &["csv", "jsonl", "dfxml"]),
    (Feature::ErrorNumbers, "error numbers", &["jsonl", "dfxml"]),
    (Feature::CollisionMarks, "marks of collision attacks", &["csv", "jsonl", "dfxml"]),
    (Feature::Similarity, "similarity digests", &["csv", "jsonl", "dfxml", "ssdeep", "sdhash", "mrsh-v2", "tlsh"]),
    (Feature::Unfit, "why a file has none of a family", &["jsonl", "dfxml"]),
    (Feature::Pieces, "digests of pieces", &["gnu", "bsd", "hashdeep", "md5deep", "csv", "jsonl", "dfxml"]),
    (Feature::WholeFiles, "the whole file beside its pieces", &["gnu", "bsd", "csv", "jsonl", "dfxml"]),
    (Feature::Selection, "digests of the run", &["hashdeep", "csv", "jsonl", "ssdeep", "sdhash", "mrsh-v2", "tlsh"]),
    (Feature::PieceLength, "length of the pieces", &["jsonl"]),
    (Feature::Program, "program and version", &["sfv", "jsonl", "dfxml"]),
    (Feature::CommandLine, "command line", &["hashdeep", "jsonl", "dfxml"]),
    (Feature::Directory, "directory", &["hashdeep", "jsonl", "dfxml"]),
    (Feature::Start, "start of the run", &["sfv", "jsonl", "dfxml"]),
    (Feature::Counts, "counts of the run", &["jsonl", "dfxml"]),
];

impl FormatName {
    /// Whether what is written in this format has this feature when it is read.
    pub fn keeps(self, feature: Feature) -> bool {
        let keeps = |name: &str| KEPT.iter().any(|(one, _, formats)| *one == feature && formats.contains(&name));
        match self {
            FormatName::Md5deep(Md5deepForm { size, time, .. }) => {
                keeps("md5deep") || (size && keeps("md5deep-z")) || (time && keeps("md5deep-t"))
            }
            format => keeps(format.name()),
        }
    }

    /// The table of what each format keeps, as Markdown.
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
