//! Comparing what was found, in the order of a walk, with what was expected.

use crate::class::Class;
use crate::expected::{Expected, OneExpected};
use crate::file::File;
use crate::finding::Findings;
use crate::found::{Found, Look, Presence, State, judge};
use crate::pairing::{COMPOSED_OTHERWISE, Candidate, Pairing, judge_with_note};
use crate::path::{PATH_BYTES_MAX, PathError, push_key};
use crate::paths_below::OtherForms;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io;
use std::iter;

/// A comparison under way.
pub struct Comparison {
    expected: Expected,
    /// Whether there is a next expected file, which then is the one that `expected` went to.
    has_next: bool,
    /// The latest expected file that was found.
    one: OneExpected,
    /// For each expected file that was passed, whether it was found as expected.
    matched: Vec<u64>,
    passed: u64,
    findings: Findings,
    pairing: Pairing,
    /// Why files and directories could not be read, by the keys of their paths.
    unreadable: BTreeMap<Vec<u8>, String>,
    key: Vec<u8>,
    latest_key: Vec<u8>,
    /// The number of expected files whose paths name none below the root.
    not_below: u64,
}

impl Comparison {
    /// Begins. `lists_all` keeps also the findings of files that matched, or were left out on request. Takes at most
    /// `memory_bytes` of memory, or 1 MiB, beside one bit for each expected file and the paths of what could not be
    /// read.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn new(mut expected: Expected, lists_all: bool, memory_bytes: u64) -> io::Result<Comparison> {
        expected.rewind()?;
        let has_next = expected.advance()?;
        let findings = Findings::new(expected.codec().clone(), lists_all, memory_bytes / 4);
        Ok(Comparison {
            expected,
            has_next,
            one: OneExpected::default(),
            matched: Vec::new(),
            passed: 0,
            findings,
            pairing: Pairing::new(memory_bytes / 4),
            unreadable: BTreeMap::new(),
            key: Vec::new(),
            latest_key: Vec::new(),
            not_below: 0,
        })
    }

    /// Returns the longest directory below which all expected files are, as [`Expected::common_directory`] does.
    pub fn common_directory(&self) -> &[u8] {
        self.expected.common_directory()
    }

    /// Takes the next file that was found.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read, or the files do not come in the order of a walk.
    pub fn found(&mut self, found: Found) -> io::Result<()> {
        self.found_as(None, found)
    }

    /// As [`Comparison::found`], of a file that may have been found by another form of the name that the list has.
    ///
    /// # Errors
    /// As [`Comparison::found`]; its order is that of the names that the list has.
    pub fn found_by(&mut self, forms: &OtherForms, found: Found) -> io::Result<()> {
        self.found_as(forms.listed(&found.file.path).as_deref(), found)
    }

    fn found_as(&mut self, listed: Option<&[u8]>, found: Found) -> io::Result<()> {
        self.key.clear();
        push_key(listed.unwrap_or(&found.file.path), &mut self.key);
        if self.key <= self.latest_key {
            let path = String::from_utf8_lossy(&found.file.path).into_owned();
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{path} is out of order")));
        }
        std::mem::swap(&mut self.key, &mut self.latest_key);
        while self.has_next {
            match self.expected.key().cmp(&self.latest_key) {
                Ordering::Less => self.missing()?,
                // A directory is not the file that is expected at its path.
                Ordering::Equal if !matches!(found.state, State::NotListed(_)) => return self.both(&found),
                Ordering::Equal | Ordering::Greater => break,
            }
        }
        let Found { mut file, state } = found;
        if file.path.len() > PATH_BYTES_MAX {
            // No list can expect it, and what is compared has paths of a bounded length.
            file.path.truncate(PATH_BYTES_MAX);
            return match state {
                State::NotListed(reason) => self.findings.add_directory(&file, &reason),
                _ => self.findings.add(Class::Unreadable, [None, Some(&file)], &PathError::TooLong.to_string()),
            };
        }
        if let State::Unreadable(reason) | State::NotListed(reason) = &state {
            self.unreadable.insert(self.latest_key.clone(), reason.clone());
            if file.path.is_empty() {
                // The root itself.
                file.path.push(b'.');
            }
        }
        match state {
            State::Unreadable(reason) => self.findings.add(Class::Unreadable, [None, Some(&file)], &reason),
            State::NotListed(reason) => self.findings.add_directory(&file, &reason),
            State::Hashed | State::NotHashed => self.pairing.push(&Candidate::new(file)),
        }
    }

    /// Takes a file that a list expects and whose path names no file below the root.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn not_below(&mut self, mut file: File, error: PathError) -> io::Result<()> {
        self.not_below += 1;
        file.path.truncate(PATH_BYTES_MAX);
        self.findings.add(Class::NotChecked, [Some(&file), None], &error.to_string())
    }

    /// Goes to the expected file after the next one.
    fn advance(&mut self) -> io::Result<()> {
        if self.passed.is_multiple_of(64) {
            self.matched.push(0);
        }
        self.passed += 1;
        self.has_next = self.expected.advance()?;
        Ok(())
    }

    /// Takes the next expected file, which was not found at its path.
    fn missing(&mut self) -> io::Result<()> {
        let mut one = OneExpected::default();
        self.expected.read(&mut one)?;
        self.pairing.push(&Candidate::missing(one.file))?;
        self.advance()
    }

    /// Takes the next expected file, which was found at its path.
    fn both(&mut self, found: &Found) -> io::Result<()> {
        self.expected.read(&mut self.one)?;
        let (class, reason) = if self.one.file.path == found.file.path {
            judge(&self.one, found)
        } else {
            judge_with_note(&self.one, found, COMPOSED_OTHERWISE)
        };
        self.findings.add(class, [Some(&self.one.file), Some(&found.file)], &reason)?;
        if self.one.contradicts {
            self.findings.count_contradicted();
        }
        let place = self.passed;
        self.advance()?;
        if class == Class::Matched {
            self.matched[(place / 64) as usize] |= 1 << (place % 64);
        }
        Ok(())
    }

    /// Ends: finds out what was moved or copied. `look` tells what is at the path of an expected file that was not
    /// found, and at that of a found one whose name differs from it only in capitals.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    ///
    /// # Panics
    /// If the classes of the expected files do not add up to all of them.
    pub fn finish(mut self, look: Look<'_>) -> io::Result<Findings> {
        while self.has_next {
            self.missing()?;
        }
        let Comparison { mut expected, matched, mut findings, pairing, unreadable, not_below, .. } = self;
        let mut presence = |path: &[u8]| presence(path, &unreadable, look);
        expected.rewind()?;
        let mut place = 0;
        let mut present = || -> io::Result<Option<File>> {
            while let Some(one) = expected.next_file()? {
                place += 1;
                if matched[(place - 1) / 64] >> ((place - 1) % 64) & 1 == 1 {
                    return Ok(Some(one.file));
                }
            }
            Ok(None)
        };
        pairing.finish(&mut findings, &mut presence, &mut present)?;
        assert_eq!(findings.totals().expected.all(), expected.len() + not_below, "each expected file is in one class");
        Ok(findings)
    }
}

/// Returns what is at the path of an expected file that was not found.
fn presence(path: &[u8], unreadable: &BTreeMap<Vec<u8>, String>, look: Look<'_>) -> Presence {
    if !unreadable.is_empty() {
        // A directory that could not be listed, among those above it; the first is the root.
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for place in iter::once(0).chain(slashes.map(|(place, _)| place)) {
            let mut key = Vec::new();
            push_key(&path[..place], &mut key);
            if let Some(reason) = unreadable.get(&key) {
                return Presence::Unknown(reason.clone());
            }
        }
    }
    look(path)
}
