//! The files to be hashed, with the digests that manifests expect, in a temporary file.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use pfh_digest::Digest;

use crate::finding::{Finding, Report, Rule};
use crate::manifest::ManifestName;
use crate::sorted::{Fields, Put};

const BUFFER_BYTES: usize = 1 << 16;

/// A digest that a manifest expects.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The place of the manifest in [`Plan::manifests`].
    pub manifest: usize,
    /// The line, counted from 1.
    pub line: u64,
    /// The digest.
    pub digest: Digest,
}

/// A file to be hashed.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The path in the bag.
    pub path: Vec<u8>,
    /// Size in bytes.
    pub bytes: u64,
    /// The numbers of the device and of the file there, if they are known.
    pub identity: Option<(u64, u64)>,
    /// The expected digests; there is at least one.
    pub expected: Vec<Expected>,
}

/// Writes a plan.
pub(crate) struct PlanWriter {
    writer: BufWriter<File>,
    record: Vec<u8>,
    files: u64,
    bytes: u64,
}

impl PlanWriter {
    pub(crate) fn new() -> io::Result<PlanWriter> {
        let writer = BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile()?);
        Ok(PlanWriter { writer, record: Vec::new(), files: 0, bytes: 0 })
    }

    pub(crate) fn push(&mut self, file: &Planned) -> io::Result<()> {
        let record = &mut self.record;
        record.clear();
        record.text(&file.path);
        record.number(file.bytes);
        record.push(u8::from(file.identity.is_some()));
        let (device, number) = file.identity.unwrap_or_default();
        record.number(device);
        record.number(number);
        record.push(file.expected.len() as u8);
        for expected in &file.expected {
            record.push(expected.manifest as u8);
            record.number(expected.line);
            record.text(expected.digest.bytes());
        }
        self.files += 1;
        self.bytes += file.bytes;
        self.writer.write_all(&(record.len() as u32).to_be_bytes())?;
        self.writer.write_all(record)
    }

    pub(crate) fn finish(self, manifests: Vec<ManifestName>) -> io::Result<Plan> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Plan { file: Arc::new(file), manifests: manifests.into(), files: self.files, bytes: self.bytes })
    }
}

/// The files to be hashed, in the order of their paths.
#[derive(Debug)]
pub struct Plan {
    file: Arc<File>,
    manifests: Arc<[ManifestName]>,
    files: u64,
    bytes: u64,
}

impl Plan {
    /// Number of files.
    pub fn files(&self) -> u64 {
        self.files
    }

    /// Size of all files in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the manifests that expect digests.
    pub fn manifests(&self) -> &[ManifestName] {
        &self.manifests
    }

    /// Reads the plan from its beginning; several readers have positions of their own.
    pub fn read(&self) -> PlannedFiles {
        let at = At { file: Arc::clone(&self.file), offset: 0 };
        let reader = BufReader::with_capacity(BUFFER_BYTES, at);
        PlannedFiles { reader, manifests: Arc::clone(&self.manifests), left: self.files, record: Vec::new() }
    }

    /// Compares the digests of a file with those that manifests expect, and reports each that differs.
    ///
    /// # Errors
    /// The errors of `report`.
    pub fn compare(&self, file: &Planned, digests: &[Digest], report: Report<'_>) -> io::Result<()> {
        for expected in &file.expected {
            let found = digests.iter().find(|digest| digest.algorithm() == expected.digest.algorithm());
            let Some(found) = found.filter(|found| found.bytes() != expected.digest.bytes()) else { continue };
            let algorithm = found.algorithm();
            let text = format!("the file has another digest: {algorithm} {found} instead of {}", expected.digest);
            let finding = Finding::error(Rule::Digest, text).about(&file.path);
            report(finding.at(&self.manifests[expected.manifest].file, expected.line))?;
        }
        Ok(())
    }
}

/// Reads a shared file from an offset of its own.
struct At {
    file: Arc<File>,
    offset: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// The files of a [`Plan`].
pub struct PlannedFiles {
    reader: BufReader<At>,
    manifests: Arc<[ManifestName]>,
    left: u64,
    record: Vec<u8>,
}

impl PlannedFiles {
    fn next_file(&mut self) -> io::Result<Planned> {
        let mut length = [0; 4];
        self.reader.read_exact(&mut length)?;
        self.record.resize(u32::from_be_bytes(length) as usize, 0);
        self.reader.read_exact(&mut self.record)?;
        let mut fields = Fields(&self.record);
        let (path, bytes) = (fields.text()?.to_vec(), fields.number()?);
        let is_known = fields.byte()? > 0;
        let identity = (fields.number()?, fields.number()?);
        let count = fields.byte()?;
        let mut expected = Vec::with_capacity(count.into());
        for _ in 0..count {
            let (manifest, line) = (usize::from(fields.byte()?), fields.number()?);
            let algorithm = self.manifests.get(manifest).and_then(|name| name.algorithm);
            let digest = algorithm.zip(Some(fields.text()?)).and_then(|(one, bytes)| Digest::new(one, bytes));
            expected.push(Expected { manifest, line, digest: digest.ok_or(io::ErrorKind::InvalidData)? });
        }
        Ok(Planned { path, bytes, identity: is_known.then_some(identity), expected })
    }
}

impl Iterator for PlannedFiles {
    type Item = io::Result<Planned>;

    fn next(&mut self) -> Option<io::Result<Planned>> {
        self.left = self.left.checked_sub(1)?;
        Some(self.next_file().inspect_err(|_| self.left = 0))
    }
}
