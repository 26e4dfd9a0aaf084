//! `--resume`: what a JSON Lines file already records.

use pfh_digest::Algorithm;
use pfh_record::jsonl::Journal;
use pfh_record::{Metadata, Timestamp};
use pfh_similarity::Family;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The state of the file that is to be continued.
pub(crate) struct Recorded {
    /// One fingerprint for each complete record: 16 bytes instead of a path.
    known: HashSet<u128>,
    /// Where writing goes on: behind the last whole record.
    pub(crate) keep_bytes: u64,
    /// The file has its header already.
    pub(crate) has_header: bool,
    /// What was cut off, for the user to know.
    pub(crate) torn: Option<String>,
    fingerprint: Fingerprint,
}

/// XXH3-128 over path, size and time. It only has to tell the user's own files apart.
#[derive(Clone, Copy)]
struct Fingerprint(Algorithm);

impl Fingerprint {
    fn of(self, path: &[u8], size: u64, mtime: Timestamp) -> u128 {
        let mut hasher = self.0.hasher();
        hasher.update(&size.to_le_bytes());
        hasher.update(&mtime.seconds.to_le_bytes());
        hasher.update(&mtime.nanoseconds.to_le_bytes());
        hasher.update(path);
        hasher.finish().bytes().iter().fold(0, |value, byte| value << 8 | u128::from(*byte))
    }
}

impl Recorded {
    /// Reads the file, if there is one. The message of an error says what to do.
    pub(crate) fn load(
        path: &Path,
        algorithms: &[Algorithm],
        families: &[Family],
        piece_bytes: Option<u64>,
    ) -> Result<Recorded, String> {
        let fingerprint = Fingerprint(Algorithm::from_name("xxh3-128").map_err(|error| error.to_string())?);
        let mut recorded =
            Recorded { known: HashSet::new(), keep_bytes: 0, has_header: false, torn: None, fingerprint };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(recorded),
            Err(error) => return Err(format!("`{}`: {error}", path.display())),
        };
        let journal = Journal::read(BufReader::new(file), |entry| {
            if entry.complete
                && let (Some(size), Some(mtime)) = (entry.size, entry.mtime)
            {
                recorded.known.insert(fingerprint.of(entry.path, size, mtime));
            }
        });
        let journal = journal.map_err(|error| {
            format!("`{}` is no JSON Lines file of pfh: {error}. Give -o another name", path.display())
        })?;
        if let Some(header) = &journal.header {
            if header.algorithms != algorithms || header.families != families || header.piece_bytes != piece_bytes {
                let families = header.families.iter().map(|family| family.name());
                let names: Vec<_> =
                    header.algorithms.iter().map(|algorithm| algorithm.name()).chain(families).collect();
                let pieces = header.piece_bytes.map_or(String::new(), |bytes| format!(" --piecewise {bytes}"));
                return Err(format!(
                    "`{}` was begun with `-a {}{pieces}`: continue with the same, or give -o another name",
                    path.display(),
                    names.join(",")
                ));
            }
            let here = std::env::current_dir().ok();
            if let (Some(there), Some(here)) = (&header.directory, &here)
                && there != here.as_os_str().as_bytes()
            {
                return Err(format!(
                    "`{}` was begun in {}, where its relative paths start: continue there, or give -o another name",
                    path.display(),
                    super::message::quoted(there)
                ));
            }
            recorded.has_header = true;
        }
        recorded.keep_bytes = journal.resume_offset();
        recorded.torn = journal.torn.map(|error| error.to_string());
        Ok(recorded)
    }

    /// Whether the file is recorded with this path, size and time.
    pub(crate) fn contains(&self, path: &[u8], metadata: &Metadata) -> bool {
        !self.known.is_empty() && self.known.contains(&self.fingerprint.of(path, metadata.size, metadata.mtime))
    }
}
