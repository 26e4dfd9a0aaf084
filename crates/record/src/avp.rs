//! The two files of AVP's Fixity: the history, six lines about the project and then `DIGEST TAB PATH TAB INODE`; and
//! the report, which has the class of each file and no digests.

use memchr::{memchr, memmem, memrchr};
use pfh_digest::{Algorithm, Digest};

use crate::parse::{Fault, FieldProblem, Found, Line, LineParser};
use crate::{Entry, FixityList, FormatName, Labels};

/// Number of lines before the first file: directories, addresses, schedule, time of the last run, filters, algorithm.
const HEADER_LINES: u64 = 6;
/// The line of the header that has the time of the last run.
const TIME_LINE: u64 = 4;

/// Whether an input begins with the six lines of a history.
pub(crate) fn is_history(start: &[u8]) -> bool {
    let line = |number: u64| {
        let line = start.split(|&byte| byte == b'\n').nth(usize::try_from(number - 1).ok()?)?;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    };
    line(TIME_LINE).is_some_and(is_time) && line(HEADER_LINES).and_then(algorithm).is_some()
}

/// Whether a text is a time like `2026-11-20 14:08:22`, with a fraction or without.
fn is_time(text: &[u8]) -> bool {
    let shape = b"dddd-dd-dd dd:dd:dd";
    let fits = |(byte, form): (&u8, &u8)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form };
    let (time, fraction) = text.split_at(text.len().min(shape.len()));
    let is_fraction = fraction.is_empty() || fraction.starts_with(b".");
    time.len() == shape.len() && time.iter().zip(shape).all(fits) && is_fraction
}

fn algorithm(line: &[u8]) -> Option<Algorithm> {
    let name = str::from_utf8(line.trim_ascii()).ok()?;
    Algorithm::from_name(name).ok()
}

#[derive(Default)]
pub(crate) struct AvpParser {
    algorithm: Option<Algorithm>,
}

impl AvpParser {
    fn not_this(reason: &'static str) -> Fault {
        Fault::not_this_format(FormatName::Fixity(FixityList::Avp), reason)
    }
}

impl LineParser for AvpParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        if line.number == TIME_LINE && !is_time(text) {
            return Err(Self::not_this("its fourth line is not the time of the last run"));
        }
        if line.number == HEADER_LINES {
            let named = algorithm(text).ok_or(Self::not_this("its sixth line does not name an algorithm"))?;
            self.algorithm = Some(named);
            found.header.selection = Some(self.algorithm.into_iter().collect());
        }
        if line.number <= HEADER_LINES || text.is_empty() {
            return Ok(());
        }
        let Some(algorithm) = self.algorithm else {
            return Err(Self::not_this("its sixth line does not name an algorithm"));
        };
        const SHAPE: &str = "a digest, a path and an inode number between tabs";
        // A path may contain a tab; neither of the others can.
        let hex_bytes = memchr(b'\t', text).ok_or(Fault::shape(0, SHAPE))?;
        let path_end = memrchr(b'\t', text).filter(|end| *end > hex_bytes).ok_or(Fault::shape(hex_bytes, SHAPE))?;
        let digest = Digest::from_hex(algorithm, &text[..hex_bytes]).ok_or(Fault::digest(0))?;
        let path = path(&text[hex_bytes + 1..path_end]).map_err(|fault| fault.after(hex_bytes + 1))?;
        found.push(Entry::new(path, vec![digest], line.number));
        Ok(())
    }

    fn end(&mut self, _found: &mut Found) -> Result<(), Fault> {
        if self.algorithm.is_some() { Ok(()) } else { Err(Self::not_this("it ends within its header")) }
    }
}

/// The first line of a report.
const TITLE: &[u8] = b"Fixity report";

/// The words before a file, and its class. The classes are those of the report's own header.
const CLASSES: [(&[u8], &[u8]); 5] = [
    (b"Confirmed File:\t", b"confirmed"),
    (b"Moved or Renamed File:\t", b"moved or renamed"),
    (b"New File:\t", b"new"),
    (b"Changed File:\t", b"changed"),
    (b"Removed File:\t", b"removed"),
];

/// The words between the earlier and the present path of a file.
const MOVED: &[u8] = b"\t changed to\t";

/// Whether an input begins with the title of a report.
pub(crate) fn is_report(start: &[u8]) -> bool {
    start.strip_prefix(TITLE).is_some_and(|rest| matches!(rest.first(), None | Some(b'\n' | b'\r')))
}

#[derive(Default)]
pub(crate) struct AvpReportParser {
    has_title: bool,
    has_files: bool,
}

impl LineParser for AvpReportParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        if !self.has_title {
            self.has_title = text.trim_ascii_end() == TITLE;
            let reason = "its first line is another";
            let not_this = Fault::not_this_format(FormatName::Fixity(FixityList::AvpReport), reason);
            return if self.has_title { Ok(()) } else { Err(not_this) };
        }
        let classed = CLASSES.iter().find_map(|(words, class)| Some((text.strip_prefix(*words)?, *class)));
        let Some((rest, class)) = classed else {
            // The counts come before the files.
            let is_header = !self.has_files || text.is_empty();
            return if is_header { Ok(()) } else { Err(Fault::shape(0, "a class of files, a tab and a path")) };
        };
        self.has_files = true;
        let present = memmem::find(rest, MOVED).map_or(rest, |at| &rest[at + MOVED.len()..]);
        let path = path(present).map_err(|fault| fault.after(text.len() - present.len()))?;
        found.push(Entry { labels: Labels::new(b"", class), ..Entry::new(path, Vec::new(), line.number) });
        Ok(())
    }

    fn end(&mut self, _found: &mut Found) -> Result<(), Fault> {
        let reason = "it is empty";
        let not_this = Fault::not_this_format(FormatName::Fixity(FixityList::AvpReport), reason);
        if self.has_title { Ok(()) } else { Err(not_this) }
    }
}

fn path(text: &[u8]) -> Result<Vec<u8>, Fault> {
    match memchr(0, text) {
        None if text.is_empty() => Err(Fault::field(0, "path", FieldProblem::Missing)),
        None => Ok(text.to_vec()),
        Some(nul) => Err(Fault::field(nul, "path", FieldProblem::Nul)),
    }
}
