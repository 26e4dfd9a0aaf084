//! Indexes of digests on disk.

use super::exit::Failed;
use super::named_digests::NamedDigests;
use super::pairs::{PairWriter, Relation};
use super::{Ending, message};
use pfh::compare::Digests;
use pfh_list::Name;
use pfh_similarity::{Family, IndexError, ssdeep, tlsh};
use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Refuses families that have no index.
pub(crate) fn check(family: Family) -> Result<(), Failed> {
    match family {
        Family::Ssdeep | Family::Tlsh => Ok(()),
        Family::Sdhash | Family::MrshV2 => Err(Failed::usage("there are indexes of ssdeep and tlsh only")),
    }
}

/// The family of an index; ssdeep where it is none.
pub(crate) fn family(path: &Path) -> Result<Family, Failed> {
    let file = File::open(path).map_err(|error| failed(Ending::USAGE, path, error))?;
    Ok(if tlsh::IndexFile::open(file).is_ok() { Family::Tlsh } else { Family::Ssdeep })
}

/// Writes an index of the digests.
pub(crate) fn write(named: &NamedDigests, output: &mut impl Write) -> io::Result<()> {
    let names = (0..).map(|number| named.name(number).name);
    match &named.digests {
        Digests::Ssdeep(digests) => {
            let mut builder = ssdeep::IndexFileBuilder::new();
            digests.iter().zip(names).try_for_each(|(digest, name)| builder.push(digest.clone(), name))?;
            builder.write(output)?;
        }
        Digests::Tlsh(digests) => {
            let mut builder = tlsh::IndexFileBuilder::new();
            digests.iter().zip(names).try_for_each(|(digest, name)| builder.push(*digest, name))?;
            builder.write(output)?;
        }
        Digests::Sdhash(_) | Digests::MrshV2(_) => {}
    }
    Ok(())
}

/// An index.
pub(crate) struct IndexFile<'a> {
    path: &'a Path,
    opened: Opened,
}

enum Opened {
    Ssdeep(ssdeep::IndexFile<File>),
    Tlsh(tlsh::IndexFile<File>),
}

fn failed(ending: Ending, path: &Path, error: impl std::fmt::Display) -> Failed {
    Failed::new(ending, format!("{}: {error}", message::quoted(path.as_os_str().as_bytes())))
}

impl IndexFile<'_> {
    /// Opens an index of digests of a family.
    pub(crate) fn open(path: &Path, family: Family) -> Result<IndexFile<'_>, Failed> {
        check(family)?;
        let file = File::open(path).map_err(|error| failed(Ending::USAGE, path, error))?;
        let opened = match family {
            Family::Tlsh => tlsh::IndexFile::open(file).map(Opened::Tlsh),
            _ => ssdeep::IndexFile::open(file).map(Opened::Ssdeep),
        };
        let opened = opened.map_err(|error| failed(Ending::USAGE, path, error))?;
        Ok(IndexFile { path, opened })
    }

    /// Names and scores of what is similar to a digest: the closest first (ssdeep: in the order of the index).
    fn matches(
        &mut self,
        named: &NamedDigests,
        number: usize,
        threshold: u32,
    ) -> Result<Vec<(Vec<u8>, u32)>, IndexError> {
        let mut found = Vec::new();
        let _: ControlFlow<()> = match (&mut self.opened, &named.digests) {
            (Opened::Ssdeep(index), Digests::Ssdeep(digests)) => {
                let threshold = u8::try_from(threshold).unwrap_or(u8::MAX);
                index.matches(&digests[number], threshold, |one| {
                    found.push((one.name, one.score.into()));
                    ControlFlow::Continue(())
                })?
            }
            (Opened::Tlsh(index), Digests::Tlsh(digests)) => index.matches(&digests[number], threshold, |one| {
                found.push((one.name, one.distance));
                ControlFlow::Continue(())
            })?,
            _ => ControlFlow::Continue(()),
        };
        if matches!(named.digests, Digests::Tlsh(_)) {
            found.sort_unstable_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
        }
        Ok(found)
    }

    /// Looks every digest up, and prints what is similar.
    pub(crate) fn look_up(
        &mut self,
        named: &NamedDigests,
        threshold: u32,
        writer: &mut PairWriter,
    ) -> Result<io::Result<()>, Failed> {
        for number in 0..named.len() {
            let found = self.matches(named, number, threshold);
            let found = found.map_err(|error| failed(Ending::UNREAD, self.path, error))?;
            let name = named.name(number as u32);
            let printed = found
                .iter()
                .try_for_each(|(known, score)| {
                    writer.pair(name, Name { list: None, name: known }, Relation::Similar(*score))
                })
                .and_then(|()| if found.is_empty() { Ok(()) } else { writer.end_group() });
            if printed.is_err() {
                return Ok(printed);
            }
        }
        Ok(Ok(()))
    }
}
