//! The table of all formats that can be written, and the check which of them a run can use.

use std::fmt;

use pfh_digest::Algorithm;
use pfh_similarity::Family;

use crate::csv::Csv;
use crate::dfxml::Dfxml;
use crate::gnu::{Bsd, Gnu};
use crate::hashdeep::{self, Hashdeep};
use crate::jsonl::Jsonl;
use crate::md5deep::Md5deep;
use crate::sfv::{self, Sfv};
use crate::similarity::SimilarityList;
use crate::{Encoding, Format, FormatName, Selection, WriteOptions};

/// The reason why a format cannot be used for a run. `Display` says why and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The format is only read.
    ReadOnly {
        /// The format.
        format: FormatName,
    },
    /// The format has one digest per line and does not name its algorithm.
    OneAlgorithm {
        /// The format.
        format: FormatName,
        /// Number of algorithms that were requested.
        given: usize,
    },
    /// The format has no place for this algorithm.
    Algorithm {
        /// The format.
        format: FormatName,
        /// The algorithm.
        algorithm: Algorithm,
        /// The algorithms that the format can represent.
        possible: &'static [&'static str],
    },
    /// No algorithm was requested, and the format lists only digests.
    NoAlgorithm {
        /// The format.
        format: FormatName,
    },
    /// The format has no NUL-terminated form.
    NoNullForm {
        /// The format.
        format: FormatName,
    },
    /// The format does not have this encoding of digests.
    NoEncoding {
        /// The format.
        format: FormatName,
        /// The encoding.
        encoding: Encoding,
    },
    /// The format does not name the algorithm, so a digest with a key would pass for one without.
    Keyed {
        /// The format.
        format: FormatName,
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// The format has no place for pieces.
    NoPieces {
        /// The format.
        format: FormatName,
    },
    /// The format has no place for similarity digests.
    NoSimilarity {
        /// The format.
        format: FormatName,
        /// The first family that was requested.
        family: Family,
    },
    /// The format lists only digests of its family.
    OneFamily {
        /// The family of the format.
        family: Family,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::ReadOnly { format } => {
                write!(f, "format `{format}` is read and never written; use format `jsonl`, `csv` or `hashdeep`")
            }
            FormatError::OneAlgorithm { format, given } => write!(
                f,
                "format `{format}` takes exactly one algorithm, since its lines do not name it, but {given} were asked \
                 for; use format `bsd` or `jsonl`"
            ),
            FormatError::Algorithm { format, algorithm, possible } => write!(
                f,
                "format `{format}` has no place for {}, only for {}; use format `bsd` or `jsonl`",
                algorithm.name(),
                possible.join(", ")
            ),
            FormatError::NoAlgorithm { format } => write!(
                f,
                "format `{format}` lists digests, and no algorithm was asked for; use format `csv`, `jsonl` or `dfxml`, \
                 which list sizes too"
            ),
            FormatError::NoNullForm { format } => write!(
                f,
                "format `{format}` has no NUL-terminated form; use format `gnu`, `bsd` or `md5deep`, or leave the option out"
            ),
            FormatError::NoEncoding { format, encoding: Encoding::Base64 } => {
                write!(f, "format `{format}` has hexadecimal digests, not base64; use format `gnu` or `bsd`")
            }
            FormatError::NoEncoding { format, .. } => {
                write!(f, "format `{format}` has lower-case digests; use format `gnu`, `bsd` or `sfv`")
            }
            FormatError::Keyed { format, algorithm } => write!(
                f,
                "format `{format}` does not name the algorithm, and its digests of {algorithm} would pass for digests without \
                 a key; use format `bsd` or `jsonl`"
            ),
            FormatError::NoPieces { format } => {
                write!(f, "format `{format}` has no place for the digests of pieces; use format `hashdeep` or `jsonl`")
            }
            FormatError::NoSimilarity { format, family } => write!(
                f,
                "format `{format}` has no place for {family} digests; use format `jsonl`, `csv` or `dfxml`, or `{family}` \
                 for a list of nothing else"
            ),
            FormatError::OneFamily { family } => write!(
                f,
                "format `{family}` lists {family} digests and nothing else; ask for `{family}` alone, or use format `jsonl`, \
                 `csv` or `dfxml`"
            ),
        }
    }
}

impl std::error::Error for FormatError {}

impl FormatName {
    /// Checks that the format can be used for a run with these digests and options.
    /// # Errors
    /// [`FormatError`] if it cannot.
    pub fn check(self, selection: &Selection, options: &WriteOptions) -> Result<(), FormatError> {
        let (algorithms, families) = (selection.algorithms(), selection.families());
        let format = self;
        match (self, families.first()) {
            (FormatName::Known(_) | FormatName::Fixity(_), _) => return Err(FormatError::ReadOnly { format }),
            (FormatName::Similarity(family), _) if !algorithms.is_empty() || families != [family] => {
                return Err(FormatError::OneFamily { family });
            }
            (FormatName::Similarity(_), _) if options.piecewise => return Err(FormatError::NoPieces { format }),
            (FormatName::Similarity(_), _) if options.null_terminated => {
                return Err(FormatError::NoNullForm { format });
            }
            (FormatName::Similarity(_), _) if options.encoding != Encoding::default() => {
                return Err(FormatError::NoEncoding { format, encoding: options.encoding });
            }
            (FormatName::Similarity(_), _) => return Ok(()),
            (_, Some(&family)) if !self.records_failures() => {
                return Err(FormatError::NoSimilarity { format, family });
            }
            _ => {}
        }
        let possible: Option<&'static [&'static str]> = match self {
            FormatName::Hashdeep => Some(&hashdeep::ALGORITHMS),
            FormatName::Sfv => Some(&[sfv::ALGORITHM]),
            _ => None,
        };
        let one = matches!(self, FormatName::Gnu | FormatName::Md5deep(_) | FormatName::Sfv);
        if algorithms.is_empty() && !self.records_failures() {
            return Err(FormatError::NoAlgorithm { format });
        }
        if let Some(possible) = possible
            && let Some(&algorithm) = algorithms.iter().find(|algorithm| !possible.contains(&algorithm.name()))
        {
            return Err(FormatError::Algorithm { format, algorithm, possible });
        }
        if one && algorithms.len() != 1 {
            return Err(FormatError::OneAlgorithm { format, given: algorithms.len() });
        }
        if options.null_terminated && !self.has_null_form() {
            return Err(FormatError::NoNullForm { format });
        }
        if options.piecewise && self == FormatName::Sfv {
            return Err(FormatError::NoPieces { format });
        }
        let is_written = match options.encoding {
            Encoding::Hexadecimal => true,
            Encoding::UpperHexadecimal => matches!(self, FormatName::Gnu | FormatName::Bsd | FormatName::Sfv),
            Encoding::Base64 => matches!(self, FormatName::Gnu | FormatName::Bsd),
        };
        if !is_written {
            return Err(FormatError::NoEncoding { format, encoding: options.encoding });
        }
        if let (true, Some(&algorithm)) = (one, algorithms.iter().find(|algorithm| algorithm.is_keyed())) {
            return Err(FormatError::Keyed { format, algorithm });
        }
        Ok(())
    }

    /// Returns the writer of this format for a run with these digests.
    /// # Errors
    /// As [`FormatName::check`].
    pub fn writer(self, selection: &Selection, options: &WriteOptions) -> Result<Box<dyn Format>, FormatError> {
        self.check(selection, options)?;
        Ok(match self {
            FormatName::Gnu => Box::new(Gnu::new(options.null_terminated, options.encoding)),
            FormatName::Bsd => Box::new(Bsd::new(selection.algorithms(), options.null_terminated, options.encoding)),
            FormatName::Hashdeep => Box::new(Hashdeep::new(selection.algorithms())),
            FormatName::Md5deep(form) => Box::new(Md5deep::new(form, options.null_terminated)),
            FormatName::Sfv => Box::new(Sfv),
            FormatName::Csv => Box::new(Csv::new(selection.clone(), options.piecewise, options.facts)),
            FormatName::Jsonl => Box::new(Jsonl { posix: options.posix }),
            FormatName::Dfxml => Box::new(Dfxml),
            FormatName::Similarity(family) => {
                Box::new(SimilarityList { family, sdhash_segment: options.sdhash_segment })
            }
            FormatName::Known(_) | FormatName::Fixity(_) => return Err(FormatError::ReadOnly { format: self }),
        })
    }
}
