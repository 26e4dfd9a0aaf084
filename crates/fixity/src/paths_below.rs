//! The paths of expected files that are there, for runs that look for no others.

use crate::expected::Expected;
use crate::kind::{Kind, kind_of};
use crate::root::Root;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use unicode_normalization::UnicodeNormalization;

/// Returns the path with its letters composed, and decomposed, where this differs (UAX #15: forms NFC and NFD).
fn forms_of(path: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let text = std::str::from_utf8(path).ok().filter(|text| !text.is_ascii());
    let forms = text.map(|text| [text.nfc().collect::<String>(), text.nfd().collect()]);
    forms.into_iter().flatten().map(String::into_bytes).filter(move |form| form != path)
}

/// The paths beyond ASCII that were handed over, each with the one that the list has. Files are found in this order,
/// and a form of one listed path may be another listed path.
#[derive(Clone, Debug, Default)]
pub struct OtherForms(Arc<Mutex<VecDeque<[Vec<u8>; 2]>>>);

impl OtherForms {
    fn note(&self, path: &[u8], listed: &[u8]) {
        if !path.is_ascii() {
            self.paths().push_back([path.to_vec(), listed.to_vec()]);
        }
    }

    /// Returns the path that the list has of the next file that was found, if this is another form of its path.
    pub(crate) fn listed(&self, path: &[u8]) -> Option<Vec<u8>> {
        if path.is_ascii() {
            return None;
        }
        let mut paths = self.paths();
        // Those before it were left out, or were gone.
        let place = paths.iter().position(|[own, _]| own == path)?;
        let [own, listed] = paths.drain(..=place).next_back()?;
        (own != listed).then_some(listed)
    }

    fn paths(&self) -> MutexGuard<'_, VecDeque<[Vec<u8>; 2]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The paths of expected files: only those of files that are below the root.
pub struct PathsBelow {
    expected: Expected,
    root: PathBuf,
    canonical: PathBuf,
    /// The directory that has all expected files, without symbolic links: those that lead to it may leave the root.
    top: PathBuf,
    other_forms: OtherForms,
    /// Whether devices are read as files are, as if each had been named.
    takes_devices: bool,
    /// The latest directory, and whether it is below the root.
    directory: PathBuf,
    is_directory_below: bool,
}

impl PathsBelow {
    /// Begins with the first expected file.
    pub fn new(expected: Expected, root: &Root) -> PathsBelow {
        // Below a named root, as in an image that is mounted, a node would lead to a device of this machine.
        let takes_devices = !root.is_named;
        let top = root.top(expected.common_directory()).and_then(|top| fs::canonicalize(&top).map_err(|_| top));
        let (root, canonical) = (root.path.clone(), root.canonical.clone());
        let top = top.unwrap_or_else(|_| canonical.clone());
        PathsBelow {
            expected,
            root,
            canonical,
            top,
            other_forms: OtherForms::default(),
            takes_devices,
            directory: PathBuf::new(),
            is_directory_below: false,
        }
    }

    /// Returns the path of the next expected file that is there, which begins with that of the root.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn next_path(&mut self) -> io::Result<Option<Vec<u8>>> {
        while let Some(one) = self.expected.next_file()? {
            let path = self.root.join(OsStr::from_bytes(&one.file.path));
            if self.is_below(&path) {
                self.other_forms.note(&one.file.path, &one.file.path);
                return Ok(Some(path.into_os_string().into_vec()));
            }
            for form in forms_of(&one.file.path) {
                let path = self.root.join(OsStr::from_bytes(&form));
                if self.is_below(&path) {
                    self.other_forms.note(&form, &one.file.path);
                    return Ok(Some(path.into_os_string().into_vec()));
                }
            }
        }
        Ok(None)
    }

    /// Returns the names of the files that were found by other forms of their names, for the comparison with them.
    pub fn other_forms(&self) -> OtherForms {
        self.other_forms.clone()
    }

    /// Whether a path leads to a file below the root. Symbolic links are followed, as for paths of the command line.
    fn is_below(&mut self, path: &Path) -> bool {
        let takes_devices = self.takes_devices;
        let is_file = |kind: Kind| kind == Kind::File || (takes_devices && kind == Kind::BlockDevice);
        match kind_of(path, false) {
            Ok(kind) if is_file(kind) => {
                let directory = path.parent().unwrap_or(path);
                if self.directory != directory {
                    directory.clone_into(&mut self.directory);
                    self.is_directory_below = self.leads_below(directory);
                }
                self.is_directory_below
            }
            Ok(Kind::Link) => kind_of(path, true).is_ok_and(is_file) && self.leads_below(path),
            _ => false,
        }
    }

    /// Whether a path, with all symbolic links followed, is below the root.
    fn leads_below(&self, path: &Path) -> bool {
        match fs::canonicalize(path) {
            Ok(path) => path.starts_with(&self.canonical) || path.starts_with(&self.top),
            // It is too long for one call of the system. If it has directories only, no link leads out of the root.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                let mut parts = path.ancestors().take_while(|part| *part != self.root);
                parts.all(|part| kind_of(part, false).is_ok_and(|kind| kind == Kind::Directory))
            }
            Err(_) => false,
        }
    }
}
