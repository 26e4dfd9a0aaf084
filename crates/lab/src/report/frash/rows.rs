//! Results of FRASH as lines of CSV, which `pfh frash` writes and reports read.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The result of one setting: a line of CSV, in the order of its columns. [`HEADER`] names them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The experiment.
    pub test: String,
    /// Its variant, where it has several.
    pub mode: String,
    /// The family of similarity digests, or `sha1`.
    pub family: String,
    /// The value of the parameter that was varied.
    pub parameter: u64,
    /// Pairs that were compared, or times that were measured.
    pub runs: u32,
    /// Pairs that matched; `None` where nothing is compared.
    pub matched: Option<u32>,
    /// The mean of the scores, distances, seconds or ratios; `None` where there are none.
    pub value: Option<f64>,
    /// The least of them.
    pub least: Option<f64>,
    /// Their lower quartile.
    pub lower_quartile: Option<f64>,
    /// Their median.
    pub median: Option<f64>,
    /// Their upper quartile.
    pub upper_quartile: Option<f64>,
    /// The greatest of them.
    pub greatest: Option<f64>,
}

/// The first line, without its end.
pub const HEADER: &str =
    "test,mode,family,parameter,runs,matched,value,least,lower_quartile,median,upper_quartile,greatest";

/// Name of the file in a folder of results.
pub const FILE: &str = "frash.csv";

/// Most lines, and the longest: all experiments over a thousand files write some 20,000.
const LINES_MAX: usize = 1_000_000;
const BYTES_MAX: u64 = 256 << 20;

impl Row {
    /// Whether at least half of the pairs matched.
    pub(super) fn matches(&self) -> bool {
        self.matched.is_some_and(|matched| matched * 2 >= self.runs && matched > 0)
    }

    /// The share of pairs that matched.
    pub(super) fn share(&self) -> f64 {
        f64::from(self.matched.unwrap_or(0)) / f64::from(self.runs.max(1))
    }
}

/// Writes the line of a row, with its end.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { test, mode, family, parameter, runs, .. } = self;
        write!(f, "{test},{mode},{family},{parameter},{runs}")?;
        match self.matched {
            Some(matched) => write!(f, ",{matched}")?,
            None => f.write_str(",")?,
        }
        let values = [self.value, self.least, self.lower_quartile, self.median, self.upper_quartile, self.greatest];
        for value in values {
            match value {
                Some(value) => write!(f, ",{value}")?,
                None => f.write_str(",")?,
            }
        }
        f.write_str("\r\n")
    }
}

/// Reads the results of FRASH in a file, or in the file [`FILE`] of a folder that has no results of another experiment.
/// `None` if they are not those of FRASH.
///
/// # Errors
/// [`Error::Input`] with the file's name, if it begins as results of FRASH do and a line cannot be read.
pub fn open(path: &Path) -> Result<Option<Vec<Row>>, Error> {
    let path = match path.is_dir() {
        true if path.join(crate::store::FILE).exists() => return Ok(None),
        true => path.join(FILE),
        false => path.to_owned(),
    };
    // Whoever reads results otherwise says why they cannot be read.
    let Ok(file) = crate::store::open_regular(&path, File::options().read(true)) else { return Ok(None) };
    let mut reader = BufReader::new(file);
    if !begins_as_header(&mut reader).unwrap_or(false) {
        return Ok(None);
    }
    let named = |error: &dyn fmt::Display| Error::Input(format!("`{}`: {error}", path.display()));
    read(reader).map(Some).map_err(|error| named(&error))
}

/// Whether the first line is the header of this version or of an older one.
fn begins_as_header(reader: &mut impl BufRead) -> io::Result<bool> {
    Ok(reader.fill_buf()?.starts_with(b"test,mode,family,parameter,runs,matched,value"))
}

/// Reads lines of CSV with the columns of [`HEADER`]. A last line that was cut off is left out.
///
/// # Errors
/// The error of the first line that is not what [`Row`] says; a column that is missing; more lines than experiments
/// write.
pub fn read(reader: impl Read) -> Result<Vec<Row>, csv::Error> {
    let mut reader = csv::ReaderBuilder::new().from_reader(reader.take(BYTES_MAX));
    let mut rows = Vec::new();
    for row in reader.deserialize() {
        if rows.len() == LINES_MAX {
            return Err(io::Error::other("more lines than FRASH writes").into());
        }
        rows.push(row?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written() {
        let some = |value| Some(value);
        let row = Row {
            test: "common-block".to_owned(),
            mode: "2MiB".to_owned(),
            family: "ssdeep".to_owned(),
            parameter: 4096,
            runs: 5,
            matched: Some(3),
            value: some(0.1 + 0.2),
            least: some(0.0),
            lower_quartile: some(1e-9),
            median: some(2.0),
            upper_quartile: some(3.0),
            greatest: some(4.5),
        };
        let none = Row { matched: None, value: None, median: None, ..row.clone() };
        let text = format!("{HEADER}\r\n{row}{none}");
        assert_eq!(read(text.as_bytes()).expect("well-formed"), [row, none]);
        assert!(read(format!("{HEADER}\r\nnoise,,tlsh,x,1,,,,,,,\r\n").as_bytes()).is_err());
        assert!(read("test,mode,family,parameter,runs,matched,value\r\n".as_bytes()).expect("empty").is_empty());
    }
}
