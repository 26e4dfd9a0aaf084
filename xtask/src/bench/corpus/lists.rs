//! Lists of similarity digests, which are compared without their files.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Counts, Noise};
use crate::bench::runner;

/// ssdeep digests of `real`.
pub(in crate::bench) const SSDEEP: &str = "digests/real.ssdeep";
/// A tenth of them: what the original compares in minutes.
pub(in crate::bench) const SSDEEP_PART: &str = "digests/part.ssdeep";
/// A million of them, varied.
pub(in crate::bench) const SSDEEP_MILLION: &str = "digests/million.ssdeep";
/// pfh's index of these.
pub(in crate::bench) const SSDEEP_INDEX: &str = "digests/million.index";
/// One of them.
pub(in crate::bench) const SSDEEP_QUERY: &str = "digests/one.ssdeep";
/// sdhash digests of `real-part`.
pub(in crate::bench) const SDHASH: &str = "digests/real-part.sdbf";
/// A quarter of them.
pub(in crate::bench) const SDHASH_PART: &str = "digests/part.sdbf";

/// Makes the lists in `to`, which becomes the folder `digests` of the store. pfh lies on `path`.
pub(super) fn make(store: &Path, to: &Path, path: &OsStr, [real, part]: [&str; 2], million: u64) -> Result<Counts> {
    let mut counts = Counts { files: 0, bytes: 0 };
    let mut write = |name: &str, text: &[u8]| -> Result<()> {
        counts = Counts { files: counts.files + 1, bytes: counts.bytes + text.len() as u64 };
        let name = Path::new(name).file_name().context("a list has a name")?;
        Ok(fs::write(to.join(name), text)?)
    };
    let ssdeep = runner::output(&format!("pfh hash -a ssdeep {real}"), store, path)?;
    let (header, digests) =
        lines(&ssdeep).split_first().map(|(header, digests)| (*header, digests.to_vec())).context("no list")?;
    write(SSDEEP, &ssdeep)?;
    write(SSDEEP_PART, &list(header, digests.iter().step_by(10)))?;
    let mut noise = Noise(11);
    let million: Vec<Vec<u8>> =
        (0..million).map(|index| vary(digests[index as usize % digests.len()], &mut noise)).collect();
    write(SSDEEP_QUERY, &list(header, million.iter().skip(million.len() / 2).take(1)))?;
    write(SSDEEP_MILLION, &list(header, &million))?;
    // The original ends when it reads a name with a colon.
    let sdhash = runner::output(&format!("pfh hash -a sdhash --exclude '*:*' {part}"), store, path)?;
    write(SDHASH, &sdhash)?;
    write(SDHASH_PART, &list(b"", lines(&sdhash).iter().step_by(4)))?;
    let name = |list: &str| to.join(Path::new(list).file_name().unwrap_or_default());
    let build = format!(
        "pfh compare --digests {} --build-index {}",
        name(SSDEEP_MILLION).display(),
        name(SSDEEP_INDEX).display()
    );
    runner::output(&build, store, path)?;
    Ok(counts)
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect()
}

fn list(header: &[u8], digests: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<u8> {
    let mut text = Vec::new();
    for line in std::iter::once(header).filter(|header| !header.is_empty()) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    for line in digests {
        text.extend_from_slice(line.as_ref());
        text.push(b'\n');
    }
    text
}

/// A line of ssdeep with a fourth of the digest's characters changed, as if so much of the file was.
fn vary(line: &[u8], noise: &mut Noise) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let start = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
    let end = line.iter().position(|&byte| byte == b',').unwrap_or(line.len());
    let mut line = line.to_vec();
    for character in line[start..end].iter_mut().filter(|character| **character != b':') {
        let number = noise.next();
        if number.is_multiple_of(4) {
            *character = ALPHABET[(number >> 58) as usize];
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varied_digest_keeps_its_form() {
        let line = b"96:TGCh+KK9tYKf+FPX:a99tF+FMT,\"a:b,c\"";
        let varied = vary(line, &mut Noise(1));
        assert_ne!(varied, line);
        assert_eq!(varied.len(), line.len());
        for (place, byte) in
            line.iter().enumerate().filter(|&(place, byte)| *byte == b':' || !(2..=30).contains(&place))
        {
            assert_eq!(varied[place], *byte, "{place}");
        }
    }
}
