//! The check values that NSRL publishes with a release, compared one by one.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pfh_digest::{Algorithm, Digest};

use crate::archive::{Archive, base_name, digest, is_database};
use crate::columns::algorithm;
use crate::database::Database;
use crate::error::Error;

/// Longest file with check values, in bytes: those of NSRL have some kilobytes.
const TEXT_BYTES_MAX: u64 = 1 << 20;

const SIGNATURES: &str = "signatures.txt";

/// Where the check values are, and a limit.
#[derive(Clone, Debug)]
pub struct ChainOptions {
    /// The file with SHA-1 of the archive; `None` for the archive's name with `.sha` after it.
    pub archive_sha: Option<PathBuf>,
    /// The file with the digests of the databases; `None` for `dbhashes.txt` beside the archive.
    pub database_hashes: Option<PathBuf>,
    /// Most bytes of a database, which is extracted to a temporary file.
    pub database_bytes_max: u64,
}

impl Default for ChainOptions {
    /// The files beside the archive, and 1 TiB.
    fn default() -> ChainOptions {
        ChainOptions { archive_sha: None, database_hashes: None, database_bytes_max: 1 << 40 }
    }
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The archive's name, or that of a member.
    pub name: String,
    /// Which value was compared: `SHA-1 of the archive`, `SHA-256 of a member`, `dbhash of a database`.
    pub value: &'static str,
    /// The result.
    pub verdict: Verdict,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The value is the one that is published.
    Agrees,
    /// It is not.
    Differs {
        /// The published value.
        expected: Digest,
        /// The one that was computed.
        found: Digest,
    },
    /// Nothing is known about it; the reason.
    CannotBeChecked(String),
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.name.escape_debug(), self.value)?;
        match &self.verdict {
            Verdict::Agrees => f.write_str("agrees"),
            Verdict::Differs { expected, found } => write!(f, "differs: published is {expected}, found {found}"),
            Verdict::CannotBeChecked(reason) => write!(f, "cannot be checked: {reason}"),
        }
    }
}

/// Compares an archive of NSRL with its check values: SHA-1 of the archive, SHA-256 of its members, and `dbhash` of its
/// databases. Calls `progress` with the number of bytes or rows since the last call.
///
/// Who made the check values is not examined: they say that nothing was lost, not that nobody replaced them too.
///
/// # Errors
/// [`Error`] if the archive cannot be opened or a temporary file cannot be written; [`Error::Stopped`] has an error of
/// `progress`. A member that cannot be read is a link that cannot be checked.
pub fn verify_chain(
    archive: &Path,
    options: &ChainOptions,
    progress: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<Vec<Link>, Error> {
    let mut members = Archive::open(archive)?;
    let mut links = vec![archive_link(archive, options, progress)?];
    member_links(&mut members, &mut links, progress)?;
    database_links(archive, &mut members, options, &mut links, progress)?;
    Ok(links)
}

const ARCHIVE: &str = "SHA-1 of the archive";
const MEMBER: &str = "SHA-256 of a member";
const DATABASE: &str = "dbhash of a database";

fn archive_link(
    archive: &Path,
    options: &ChainOptions,
    progress: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<Link, Error> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let sha_path = options.archive_sha.clone().unwrap_or_else(|| {
        let mut path = OsString::from(archive);
        path.push(".sha");
        path.into()
    });
    let sha1 = algorithm("sha1");
    let verdict = match text_of(&sha_path) {
        Err(reason) => Verdict::CannotBeChecked(reason),
        Ok(text) => match published(&text, &name, sha1) {
            None => Verdict::CannotBeChecked("its file of check values has no SHA-1 for it".to_owned()),
            Some(expected) => judge(expected, digest(&mut File::open(archive)?, sha1, progress, Error::Io)?),
        },
    };
    Ok(Link { name, value: ARCHIVE, verdict })
}

fn member_links(
    archive: &mut Archive,
    links: &mut Vec<Link>,
    progress: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<(), Error> {
    let sha256 = algorithm("sha256");
    let signatures = archive.find(|name| name.eq_ignore_ascii_case(SIGNATURES));
    let signatures = match signatures.map(|index| archive.text(index, TEXT_BYTES_MAX)).transpose() {
        // Some editors of Windows begin a text with a mark.
        Ok(Some(text)) => Ok(text.strip_prefix(b"\xEF\xBB\xBF").map_or(text.clone(), <[u8]>::to_vec)),
        Ok(None) => Err(format!("the archive has no {SIGNATURES}")),
        Err(error @ Error::Archive(_)) => Err(error.to_string()),
        Err(error) => return Err(error),
    };
    for (index, name) in archive.names().to_vec().into_iter().enumerate() {
        let base = base_name(&name);
        // A folder, or the list itself.
        if base.is_empty() || base.eq_ignore_ascii_case(SIGNATURES) {
            continue;
        }
        let expected = signatures
            .as_ref()
            .map_err(String::clone)
            .and_then(|text| published(text, base, sha256).ok_or_else(|| format!("{SIGNATURES} does not name it")));
        let verdict = match expected {
            Err(reason) => Verdict::CannotBeChecked(reason),
            Ok(expected) => match archive.digest(index, sha256, progress) {
                Ok(found) => judge(expected, found),
                Err(error @ Error::Archive(_)) => Verdict::CannotBeChecked(error.to_string()),
                Err(error) => return Err(error),
            },
        };
        links.push(Link { name, value: MEMBER, verdict });
    }
    for line in signatures.as_deref().unwrap_or_default().split(|&byte| byte == b'\n') {
        let Some((name, _)) = check_value(line, sha256).filter(|(name, _)| !name.is_empty()) else { continue };
        let name = String::from_utf8_lossy(name).into_owned();
        if archive.find(|member| member == base_name(&name)).is_none() {
            let verdict = Verdict::CannotBeChecked("the archive has no such member".to_owned());
            links.push(Link { name, value: MEMBER, verdict });
        }
    }
    Ok(())
}

fn database_links(
    path: &Path,
    archive: &mut Archive,
    options: &ChainOptions,
    links: &mut Vec<Link>,
    progress: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<(), Error> {
    let beside = || path.parent().unwrap_or(Path::new("")).join("dbhashes.txt");
    let hashes = text_of(&options.database_hashes.clone().unwrap_or_else(beside));
    for (index, name) in archive.names().to_vec().into_iter().enumerate() {
        let base = base_name(&name);
        if !is_database(base) {
            continue;
        }
        let expected = hashes.as_ref().map_err(String::clone).and_then(|text| {
            published(text, base, algorithm("sha1")).ok_or_else(|| "the list of databases does not name it".to_owned())
        });
        let verdict = match expected {
            Err(reason) => Verdict::CannotBeChecked(reason),
            Ok(expected) => match dbhash(archive, index, options, progress) {
                Ok(found) => judge(expected, found),
                Err(error @ (Error::Io(_) | Error::Temporary(_) | Error::Stopped(_))) => return Err(error),
                Err(error) => Verdict::CannotBeChecked(error.to_string()),
            },
        };
        links.push(Link { name, value: DATABASE, verdict });
    }
    Ok(())
}

fn dbhash(
    archive: &mut Archive,
    index: usize,
    options: &ChainOptions,
    progress: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<Digest, Error> {
    Database::extract(archive, index, options.database_bytes_max, progress)?.dbhash(progress)
}

fn judge(expected: Digest, found: Digest) -> Verdict {
    if expected == found { Verdict::Agrees } else { Verdict::Differs { expected, found } }
}

/// Reads a file with check values. A failure is a reason, since the chain goes on without it.
fn text_of(path: &Path) -> Result<Vec<u8>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut text));
    match read {
        Err(error) => Err(format!("{}: {error}", name.escape_debug())),
        Ok(_) if text.len() as u64 > TEXT_BYTES_MAX => Err(format!("{} is too long", name.escape_debug())),
        Ok(_) => Ok(text),
    }
}

/// Returns the check value of a file: of a line that names it, or of the only line, which need not.
fn published(text: &[u8], name: &str, algorithm: Algorithm) -> Option<Digest> {
    let lines: Vec<_> = text.split(|&byte| byte == b'\n').filter_map(|line| check_value(line, algorithm)).collect();
    let base = |name: &[u8]| base_name(&String::from_utf8_lossy(name)).to_owned();
    let of_name = lines.iter().find(|(of, _)| !of.is_empty() && base(of) == name);
    let only = (lines.len() == 1).then(|| &lines[0]).filter(|(of, _)| of.is_empty());
    of_name.or(only).map(|(_, digest)| *digest)
}

/// Reads `HEX  NAME`, `HEX`, or `ALGORITHM(NAME)= HEX`; other lines have no check value.
fn check_value(line: &[u8], algorithm: Algorithm) -> Option<(&[u8], Digest)> {
    let line = line.trim_ascii_end();
    let digits = 2 * algorithm.digest_bytes();
    let digest = |hex: &[u8]| Digest::from_hex(algorithm, hex);
    let (start, rest) = line.split_at_checked(digits).unwrap_or((line, b""));
    if let Some(digest) = digest(start) {
        let is_apart = rest.first().is_none_or(|byte| byte.is_ascii_whitespace());
        let name = rest.trim_ascii_start();
        return is_apart.then(|| (name.strip_prefix(b"*").unwrap_or(name), digest));
    }
    let (before, hex) = line.split_at_checked(line.iter().rposition(|&byte| byte == b'=')?)?;
    let open = before.iter().position(|&byte| byte == b'(')?;
    let tag = before[..open].trim_ascii();
    let is_algorithm = std::str::from_utf8(tag).is_ok_and(|tag| Algorithm::from_name(tag) == Ok(algorithm));
    let name = before[open + 1..].trim_ascii_end().strip_suffix(b")")?;
    is_algorithm.then_some(())?;
    Some((name, digest(hex[1..].trim_ascii())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_check_values() {
        let sha1 = algorithm("sha1");
        let digest = sha1.digest(b"a");
        let hex = digest.to_string();
        let of = |line: &str| check_value(line.as_bytes(), sha1).map(|(name, digest)| (name.to_vec(), digest));
        for (line, name) in [
            (hex.to_uppercase(), ""),
            (format!("{hex}  a b.zip\r"), "a b.zip"),
            (format!("{hex} *a.zip"), "a.zip"),
            (format!("SHA1(a(1).zip)= {hex}"), "a(1).zip"),
            (format!("SHA-1 (a=b) = {hex}"), "a=b"),
        ] {
            assert_eq!(of(&line), Some((name.as_bytes().to_vec(), digest)), "{line}");
        }
        let long = format!("{hex}0");
        for line in ["", "1. take", "SHA1(a)=", "(", "=", &hex[1..], &long, &format!("MD5(a)= {hex}")] {
            assert_eq!(of(line), None, "{line}");
        }
        let text = format!("{hex}  one.db\n   1. take two.db\n{}  two.db\n", sha1.digest(b"b"));
        assert_eq!(published(text.as_bytes(), "two.db", sha1), Some(sha1.digest(b"b")));
        assert_eq!(published(text.as_bytes(), "three.db", sha1), None);
        assert_eq!(published(format!("{hex}  other.zip").as_bytes(), "a.zip", sha1), None);
        assert_eq!(published(hex.as_bytes(), "a.zip", sha1), Some(digest));
    }
}
