//! Pairing files that are gone with files that are new: other forms of a name, moves and copies.

use crate::class::Class;
use crate::expected::OneExpected;
use crate::file::{Agreement, Codec, File, compare, damaged, take};
use crate::finding::Findings;
use crate::found::{Found, Presence, State, judge};
use crate::path::push_key;
use pfh_digest::{Algorithm, Digest};
use pfh_list::{ByteSort, Spool};
use std::io;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The part of a file in a pairing. Among equal keys they come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It was expected, and found at its path: copies are made of it.
    Present,
    /// It was expected, and not found.
    Missing,
    /// It was found, and not expected.
    New,
}

/// A file that may be paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    role: Role,
    file: File,
}

impl Candidate {
    pub(crate) fn missing(file: File) -> Candidate {
        Candidate { role: Role::Missing, file }
    }

    pub(crate) fn new(file: File) -> Candidate {
        Candidate { role: Role::New, file }
    }

    fn write(&self, codec: &mut Codec, out: &mut Vec<u8>) {
        out.push(self.role as u8);
        push_key(&self.file.path, out);
        codec.write(&self.file, out);
    }

    fn read(codec: &Codec, mut bytes: &[u8]) -> io::Result<Candidate> {
        let [role] = take(&mut bytes)?;
        let role = *[Role::Present, Role::Missing, Role::New].get(usize::from(role)).ok_or_else(damaged)?;
        let mut file = File::default();
        codec.read_with_key(&mut file, bytes)?;
        Ok(Candidate { role, file })
    }
}

/// Files that may be paired, in temporary files.
#[derive(Default)]
struct Candidates {
    spool: Spool,
    missing: u64,
    new: u64,
}

impl Candidates {
    fn push(&mut self, candidate: &Candidate, codec: &mut Codec, record: &mut Vec<u8>) -> io::Result<()> {
        match candidate.role {
            Role::Present => {}
            Role::Missing => self.missing += 1,
            Role::New => self.new += 1,
        }
        record.clear();
        candidate.write(codec, record);
        self.spool.push(record)
    }
}

/// The rule by which two files are a pair: they have this in common.
#[derive(Clone, Copy)]
enum Rule {
    /// The path, but for the form in which its letters are composed (Unicode normalization forms, UAX #15).
    Name,
    /// The path, but for capitals, if both lead to the same file, as on FAT.
    Case,
    /// The contents by this algorithm, and the name without its directory.
    ContentsAndName(Algorithm),
    /// The contents by this algorithm.
    Contents(Algorithm),
}

impl Rule {
    /// Appends what must be in common; returns `false` for files that this rule leaves alone.
    fn push_key(self, file: &File, out: &mut Vec<u8>) -> bool {
        let contents = |algorithm: Algorithm| file.digest(algorithm).map(Digest::bytes).filter(|_| !file.is_empty());
        match self {
            Rule::Name => match std::str::from_utf8(&file.path) {
                Ok(path) if !path.is_ascii() => {
                    out.extend(path.nfc().collect::<String>().into_bytes());
                    true
                }
                _ => false,
            },
            Rule::Case => {
                match std::str::from_utf8(&file.path) {
                    Ok(path) => out.extend(path.to_lowercase().into_bytes()),
                    Err(_) => out.extend(file.path.to_ascii_lowercase()),
                }
                true
            }
            Rule::ContentsAndName(algorithm) => contents(algorithm).is_some_and(|digest| {
                out.extend_from_slice(digest);
                out.extend_from_slice(file.name());
                true
            }),
            Rule::Contents(algorithm) => contents(algorithm).is_some_and(|digest| {
                out.extend_from_slice(digest);
                true
            }),
        }
    }
}

/// Collects files that may be paired, and pairs them one to one.
pub(crate) struct Pairing {
    candidates: Candidates,
    codec: Codec,
    record: Vec<u8>,
    memory_bytes: u64,
    has_other_forms: bool,
}

impl Pairing {
    pub(crate) fn new(memory_bytes: u64) -> Pairing {
        let (candidates, codec) = (Candidates::default(), Codec::default());
        Pairing { candidates, codec, record: Vec::new(), memory_bytes, has_other_forms: false }
    }

    pub(crate) fn push(&mut self, candidate: &Candidate) -> io::Result<()> {
        self.has_other_forms |= std::str::from_utf8(&candidate.file.path).is_ok_and(|path| !is_nfc(path));
        self.candidates.push(candidate, &mut self.codec, &mut self.record)
    }

    /// Pairs the files and reports all of them. `presence` returns what is at a path; `present` returns the files that
    /// were found as expected, one after the other.
    pub(crate) fn finish(
        mut self,
        findings: &mut Findings,
        presence: &mut dyn FnMut(&[u8]) -> Presence,
        present: &mut dyn FnMut() -> io::Result<Option<File>>,
    ) -> io::Result<()> {
        if self.has_other_forms && self.candidates.missing > 0 && self.candidates.new > 0 {
            self.pair(Rule::Name, findings, presence)?;
        }
        let may_have_case = self.candidates.new > 0;
        if self.drop_what_is_not_gone(findings, presence, may_have_case)? {
            self.pair(Rule::Case, findings, presence)?;
            self.drop_what_is_not_gone(findings, presence, false)?;
        }
        // Strong digests first.
        let mut algorithms: Vec<Algorithm> = findings.codec.algorithms().to_vec();
        algorithms.sort_by_key(|algorithm| std::cmp::Reverse(algorithm.digest_bytes()));
        for algorithm in &algorithms {
            if self.candidates.missing > 0 && self.candidates.new > 0 {
                self.pair(Rule::ContentsAndName(*algorithm), findings, presence)?;
            }
        }
        if self.candidates.new > 0 {
            self.add_present(&algorithms, present)?;
            for algorithm in &algorithms {
                self.pair(Rule::Contents(*algorithm), findings, presence)?;
            }
        }
        let (codec, candidates) = (self.codec, self.candidates);
        candidates.spool.into_each(|bytes| {
            let Candidate { role, file } = Candidate::read(&codec, bytes)?;
            let (class, expected, found) = match role {
                Role::Present => return Ok(()),
                Role::Missing => (Class::Missing, Some(file), None),
                Role::New => (Class::New, None, Some(file)),
            };
            findings.add(class, [expected.as_ref(), found.as_ref()], "")
        })
    }

    /// Reports files that were not found and are not gone. With `keeps_files`, those at whose paths there are files
    /// remain; returns whether there are such.
    fn drop_what_is_not_gone(
        &mut self,
        findings: &mut Findings,
        presence: &mut dyn FnMut(&[u8]) -> Presence,
        keeps_files: bool,
    ) -> io::Result<bool> {
        if self.candidates.missing == 0 {
            return Ok(false);
        }
        let (mut kept, mut has_files) = (Candidates::default(), false);
        std::mem::take(&mut self.candidates).spool.into_each(|bytes| {
            let candidate = Candidate::read(&self.codec, bytes)?;
            if candidate.role == Role::Missing {
                let there = presence(&candidate.file.path);
                if keeps_files && matches!(there, Presence::File { .. }) {
                    has_files = true;
                } else if let Some((class, reason)) = not_gone(there) {
                    return findings.add(class, [Some(&candidate.file), None], &reason);
                }
            }
            kept.push(&candidate, &mut self.codec, &mut self.record)
        })?;
        self.candidates = kept;
        Ok(has_files)
    }

    /// Adds the files that were found as expected and have the contents of a new file, as far as a filter can tell.
    fn add_present(
        &mut self,
        algorithms: &[Algorithm],
        present: &mut dyn FnMut() -> io::Result<Option<File>>,
    ) -> io::Result<()> {
        let mut filter = Filter::new(algorithms);
        let mut kept = Candidates::default();
        std::mem::take(&mut self.candidates).spool.into_each(|bytes| {
            let candidate = Candidate::read(&self.codec, bytes)?;
            if candidate.role == Role::New {
                filter.add(&candidate.file);
            }
            kept.push(&candidate, &mut self.codec, &mut self.record)
        })?;
        while let Some(file) = present()? {
            if !file.is_empty() && filter.may_have(&file) {
                kept.push(&Candidate { role: Role::Present, file }, &mut self.codec, &mut self.record)?;
            }
        }
        self.candidates = kept;
        Ok(())
    }

    /// Pairs what is missing with what is new, one to one by their order, and reports the pairs, and copies of what is
    /// present. The others are candidates for the next rule.
    fn pair(
        &mut self,
        rule: Rule,
        findings: &mut Findings,
        presence: &mut dyn FnMut(&[u8]) -> Presence,
    ) -> io::Result<()> {
        let mut kept = Candidates::default();
        // Files with the same key, by their roles and paths: each gets its number among those of its role.
        let mut sort = ByteSort::new(self.memory_bytes / 2);
        let mut key = Vec::new();
        std::mem::take(&mut self.candidates).spool.into_each(|bytes| {
            let candidate = Candidate::read(&self.codec, bytes)?;
            key.clear();
            if !rule.push_key(&candidate.file, &mut key) {
                return kept.push(&candidate, &mut self.codec, &mut self.record);
            }
            self.record.clear();
            self.record.extend_from_slice(&(key.len() as u16).to_be_bytes());
            self.record.extend_from_slice(&key);
            self.record.extend_from_slice(bytes);
            sort.push(&self.record)
        })?;
        // By that number, so that the pairs lie side by side, however many files have the same key.
        let mut numbered = ByteSort::new(self.memory_bytes / 2);
        let (mut same, mut number): (Option<(Vec<u8>, u8)>, u64) = (None, 0);
        let mut record = Vec::new();
        sort.into_each(|bytes| {
            let (key, candidate) = split(bytes)?;
            let role = *candidate.first().ok_or_else(damaged)?;
            if same.as_ref().is_some_and(|same| same.0 == key && same.1 == role) {
                number += 1;
            } else {
                (same, number) = (Some((key.to_vec(), role)), 0);
            }
            // One original is enough to tell copies.
            if role == Role::Present as u8 && number > 0 {
                return Ok(());
            }
            record.clear();
            record.extend_from_slice(&bytes[..2 + key.len()]);
            record.extend_from_slice(&number.to_be_bytes());
            record.extend_from_slice(candidate);
            numbered.push(&record)
        })?;
        let mut group = Group { key: Vec::new(), original: None, missing: None };
        numbered.into_each(|bytes| {
            let (key, mut rest) = split(bytes)?;
            let number = u64::from_be_bytes(take(&mut rest)?);
            let candidate = Candidate::read(&self.codec, rest)?;
            let unpaired = group.take(key, number, candidate, rule, findings, presence)?;
            unpaired.into_iter().flatten().try_for_each(|candidate| kept.push(&candidate, &mut self.codec, &mut record))
        })?;
        if let Some((_, file)) = group.missing {
            kept.push(&Candidate::missing(file), &mut self.codec, &mut record)?;
        }
        self.candidates = kept;
        Ok(())
    }
}

/// Splits a record after its key.
fn split(mut bytes: &[u8]) -> io::Result<(&[u8], &[u8])> {
    let length = u16::from_be_bytes(take(&mut bytes)?);
    bytes.split_at_checked(length.into()).ok_or_else(damaged)
}

/// The files with one key, while they pass.
struct Group {
    key: Vec<u8>,
    /// A file that is there and has these contents.
    original: Option<File>,
    /// The latest file that is gone, and its number.
    missing: Option<(u64, File)>,
}

impl Group {
    /// Takes the next file, by numbers and roles. Reports pairs and copies, and returns what has no partner.
    fn take(
        &mut self,
        key: &[u8],
        number: u64,
        candidate: Candidate,
        rule: Rule,
        findings: &mut Findings,
        presence: &mut dyn FnMut(&[u8]) -> Presence,
    ) -> io::Result<[Option<Candidate>; 2]> {
        let mut waiting = None;
        if self.key != key {
            waiting = self.missing.take();
            *self = Group { key: key.to_vec(), original: None, missing: None };
        } else if self.missing.as_ref().is_some_and(|missing| missing.0 != number) {
            waiting = self.missing.take();
        }
        let waiting = waiting.map(|(_, file)| Candidate::missing(file));
        let Candidate { role, file } = candidate;
        match role {
            // It is needed for the next algorithm, too.
            Role::Present => {
                self.original = Some(file.clone());
                return Ok([waiting, Some(Candidate { role, file })]);
            }
            Role::Missing => {
                self.missing = Some((number, file));
                return Ok([waiting, None]);
            }
            Role::New => {}
        }
        let unpaired = |file| [waiting.clone(), Some(Candidate::new(file))];
        match (rule, self.missing.take(), &self.original) {
            (Rule::Name, Some((_, expected)), _) => add_other_form(findings, expected, file, COMPOSED_OTHERWISE)?,
            (Rule::Case, Some((_, expected)), _) if are_one([&expected.path, &file.path], presence) => {
                add_other_form(findings, expected, file, "the list has its name with other capitals")?;
            }
            (Rule::ContentsAndName(_) | Rule::Contents(_), Some((_, expected)), _)
                if compare(&expected, &file) == Agreement::Same =>
            {
                self.original.get_or_insert_with(|| file.clone());
                let moved = Candidate { role: Role::Present, file: file.clone() };
                findings.add(Class::Moved, [Some(&expected), Some(&file)], "")?;
                // Further files with its contents are copies of it.
                return Ok([waiting, Some(moved)]);
            }
            (_, missing @ Some(_), _) => {
                // Equal by this algorithm, and not by another one; or by their names, and not the same file.
                let missing = missing.map(|(_, file)| Candidate::missing(file));
                return Ok([missing, Some(Candidate::new(file))]);
            }
            (Rule::Contents(_), None, Some(original)) if compare(original, &file) == Agreement::Same => {
                findings.add(Class::Copied, [Some(original), Some(&file)], "")?;
            }
            _ => return Ok(unpaired(file)),
        }
        Ok([waiting, None])
    }
}

/// The note about a name that has the same letters.
pub(crate) const COMPOSED_OTHERWISE: &str = "the list composes letters of its name otherwise";

/// Returns the class of a file that was not found and is not gone, and why.
fn not_gone(presence: Presence) -> Option<(Class, String)> {
    match presence {
        Presence::Gone => None,
        Presence::LeftOut => Some((Class::NotChecked, String::new())),
        Presence::NoFile(reason) => Some((Class::Changed, reason)),
        Presence::File { is_left_out: true, .. } => Some((Class::NotChecked, String::new())),
        Presence::File { .. } => Some((Class::Unreadable, "it is there now, and was not found before".to_owned())),
        Presence::NotFollowed(reason) => Some((Class::NotChecked, reason)),
        Presence::Unknown(reason) => Some((Class::Unreadable, reason)),
    }
}

/// Whether two paths lead to the same file.
fn are_one(paths: [&[u8]; 2], presence: &mut dyn FnMut(&[u8]) -> Presence) -> bool {
    let [one, other] = paths.map(|path| match presence(path) {
        Presence::File { identity, .. } => Some(identity),
        _ => None,
    });
    one.is_some() && one == other
}

/// Adds the finding of a file whose name is another form of the expected one, of which `note` tells.
fn add_other_form(findings: &mut Findings, expected: File, found: File, note: &str) -> io::Result<()> {
    let state = if found.digests.is_empty() { State::NotHashed } else { State::Hashed };
    let (one, found) = (OneExpected { file: expected, contradicts: false }, Found { file: found, state });
    let (class, reason) = judge_with_note(&one, &found, note);
    findings.add(class, [Some(&one.file), Some(&found.file)], &reason)
}

/// Judges a file whose name is another form of the expected one, of which `note` tells.
pub(crate) fn judge_with_note(one: &OneExpected, found: &Found, note: &str) -> (Class, String) {
    let (class, mut reason) = judge(one, found);
    // A file that was not read on request has no reason, by which it is told from those that could not be compared.
    if class != Class::NotChecked || !reason.is_empty() {
        let and = if reason.is_empty() { "" } else { ", and " };
        reason = format!("{reason}{and}{note}");
    }
    (class, reason)
}

/// Which digests files may have: a bit for each value of their first bits.
struct Filter<'a> {
    algorithms: &'a [Algorithm],
    bits: Vec<u64>,
}

impl<'a> Filter<'a> {
    const BITS: u32 = 22;

    fn new(algorithms: &'a [Algorithm]) -> Filter<'a> {
        Filter { algorithms, bits: vec![0; (1 << Filter::BITS) / 64] }
    }

    fn places(&self, file: &File) -> impl Iterator<Item = usize> {
        let digests = self.algorithms.iter().filter_map(|algorithm| file.digest(*algorithm));
        digests.map(|digest| {
            let mut first = [0; 4];
            let count = digest.bytes().len().min(4);
            first[..count].copy_from_slice(&digest.bytes()[..count]);
            (u32::from_be_bytes(first) >> (32 - Filter::BITS)) as usize
        })
    }

    fn add(&mut self, file: &File) {
        let places: Vec<usize> = self.places(file).collect();
        places.into_iter().for_each(|place| self.bits[place / 64] |= 1 << (place % 64));
    }

    fn may_have(&self, file: &File) -> bool {
        self.places(file).any(|place| self.bits[place / 64] >> (place % 64) & 1 == 1)
    }
}
