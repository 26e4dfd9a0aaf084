//! The logs of programs that make images of disks: the digests of whole images, as dc3dd, dcfldd, ewfacquire, FTK
//! Imager and Guymager write them between other lines.

use memchr::memmem;
use pfh_digest::{Algorithm, Digest};

use crate::Entry;
use crate::parse::{Fault, Found, Line, LineParser};
use crate::text::{hex_run, parse_decimal, split_once};

/// A line that tells something of an image.
enum Fact<'a> {
    /// A digest of the whole image.
    Digest(Digest),
    /// A digest, or what should be one, of another length than its algorithm's.
    NotADigest,
    /// The name of the image.
    Name(&'a [u8]),
    /// dc3dd's name of what was read: a file or a device.
    Read(&'a [u8]),
    /// dc3dd's name of an image that was written.
    Written(&'a [u8]),
    /// dc3dd's name of an image in several files, none of which has its digests.
    WrittenInParts,
    /// Another run begins in the same log.
    Begin,
    /// dcfldd's digest of a part of the image.
    Part,
}

/// Whether a line of the beginning has a digest as these programs write them.
pub(crate) fn is_log(start: &[u8]) -> bool {
    let mut is_after_results = false;
    start.split(|&byte| byte == b'\n').any(|line| {
        match fact(line.strip_suffix(b"\r").unwrap_or(line), is_after_results) {
            Some(Fact::Digest(_) | Fact::Part) => return true,
            Some(Fact::Read(_)) => is_after_results = true,
            _ => {}
        }
        false
    })
}

/// Reads a line. `is_after_results` is whether dc3dd's results of what was read come before it.
fn fact(line: &[u8], is_after_results: bool) -> Option<Fact<'_>> {
    let line = line.trim_ascii_end();
    if let Some(at) = memmem::find(line, b" results for ") {
        let what = &line[at + b" results for ".len()..];
        let (kind, rest) = split_once(what, b' ')?;
        let name = rest.strip_prefix(b"`")?.strip_suffix(b"':")?;
        return match (&line[..at], kind) {
            (b"input", _) => Some(Fact::Read(name)),
            (b"output", b"files") => Some(Fact::WrittenInParts),
            (b"output", _) => Some(Fact::Written(name)),
            _ => None,
        };
    }
    if line.starts_with(b"dc3dd ") && memmem::find(line, b" started at ").is_some() {
        return Some(Fact::Begin);
    }
    if is_after_results && line.starts_with(b"   ") {
        let text = line.trim_ascii_start();
        let hex = hex_run(text);
        let name = text[hex..].strip_prefix(b" (").and_then(|rest| rest.strip_suffix(b")"));
        return name.and_then(named).map(|algorithm| digest(algorithm, &text[..hex]));
    }
    for key in [&b"Image path and filename:"[..], b"Image path and file name", b"Information for "] {
        let Some(rest) = line.strip_prefix(key) else { continue };
        let name = rest.trim_ascii_start();
        let name = match key {
            b"Information for " => name.strip_suffix(b":")?,
            b"Image path and file name" => name.strip_prefix(b":")?.trim_ascii_start(),
            _ => name,
        };
        return (!name.is_empty()).then_some(Fact::Name(name));
    }
    if let Some(rest) = line.strip_prefix(b"Total (") {
        let at = memmem::find(rest, b"): ")?;
        return Some(digest(named(&rest[..at])?, &rest[at + 3..]));
    }
    if let Some(at) = memmem::find(line, b" hash calculated over data:") {
        let hex = line[at + b" hash calculated over data:".len()..].trim_ascii_start();
        return Some(digest(named(&line[..at])?, hex));
    }
    if let Some(at) = memmem::find(line, b" checksum:") {
        let text = line[at + b" checksum:".len()..].trim_ascii_start();
        let (hex, verdict) = text.split_at(hex_run(text));
        let is_known = matches!(verdict.trim_ascii(), b"" | b": verified");
        return is_known.then_some(digest(named(line[..at].trim_ascii_start())?, hex));
    }
    if let Some(at) = memmem::find(line, b" hash ") {
        let hex = line[at + b" hash ".len()..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        // Two hyphens stand for a digest that was not asked for.
        return (hex != b"--").then_some(digest(named(&line[..at])?, hex));
    }
    let (start, rest) = split_once(line, b' ')?;
    let (end, hex) = split_once(rest.strip_prefix(b"- ")?, b':')?;
    let (start, end) = (parse_decimal(start)?, parse_decimal(end)?);
    let hex = hex.strip_prefix(b" ")?;
    (start < end && hex.len() >= 32 && hex_run(hex) == hex.len()).then_some(Fact::Part)
}

fn digest(algorithm: Algorithm, hex: &[u8]) -> Fact<'static> {
    Digest::from_hex(algorithm, hex).map_or(Fact::NotADigest, Fact::Digest)
}

fn named(name: &[u8]) -> Option<Algorithm> {
    str::from_utf8(name).ok().and_then(|name| Algorithm::from_name(name).ok())
}

/// Memory: one name, and a digest for each algorithm.
#[derive(Default)]
pub(crate) struct ImagerParser {
    run: Run,
}

/// One run of a program, of which a log may have several.
#[derive(Default)]
struct Run {
    name: Vec<u8>,
    digests: Vec<Digest>,
    /// The line of the first digest.
    line: u64,
    /// Whether dc3dd tells its results.
    has_results: bool,
    /// Whether dc3dd names an image that was written.
    has_image: bool,
}

impl Run {
    /// Takes a digest of the whole image, which verification may repeat.
    fn take(&mut self, digest: Digest, line: u64) -> Result<(), Fault> {
        match self.digests.iter().find(|known| known.algorithm() == digest.algorithm()) {
            Some(known) if *known == digest => Ok(()),
            Some(_) => Err(Fault::shape(0, "the digest that the log has above")),
            None => {
                self.line = if self.digests.is_empty() { line } else { self.line };
                self.digests.push(digest);
                Ok(())
            }
        }
    }

    fn finish(self, found: &mut Found) {
        if !self.digests.is_empty() && !self.has_image {
            found.push(Entry::new(self.name, self.digests, self.line));
        }
    }
}

impl LineParser for ImagerParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        match fact(line.text(), self.run.has_results) {
            // Below an image that was written are the digests of what was read back.
            Some(Fact::Digest(digest)) => return self.run.take(digest, line.number),
            Some(Fact::NotADigest) => return Err(Fault::digest(0)),
            Some(Fact::Name(name)) => self.run.name = name.to_vec(),
            Some(Fact::Read(name)) => {
                std::mem::take(&mut self.run).finish(found);
                self.run = Run { name: name.to_vec(), has_results: true, ..Run::default() };
            }
            Some(Fact::Written(name)) if !self.run.digests.is_empty() => {
                self.run.has_image = true;
                found.push(Entry::new(name.to_vec(), self.run.digests.clone(), self.run.line));
            }
            Some(Fact::Begin) => std::mem::take(&mut self.run).finish(found),
            Some(Fact::Written(_) | Fact::WrittenInParts | Fact::Part) | None => {}
        }
        Ok(())
    }

    fn end(&mut self, found: &mut Found) -> Result<(), Fault> {
        std::mem::take(&mut self.run).finish(found);
        Ok(())
    }
}
