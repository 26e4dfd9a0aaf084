//! The archives in which NSRL publishes.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use pfh_digest::{Algorithm, Digest};
use tempfile::{NamedTempFile, TempPath};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::Error;

/// Most members: an archive of NSRL has less than ten.
const MEMBERS_MAX: usize = 1000;
const BUFFER_BYTES: usize = 1 << 18;

/// An open archive.
pub(crate) struct Archive {
    zip: ZipArchive<BufReader<File>>,
    names: Vec<String>,
}

fn failed(error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => Error::Archive(error.to_string()),
        error => Error::Archive(error.to_string()),
    }
}

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Archive, Error> {
        // Looked at before it is opened: opening a pipe would wait.
        if !path.metadata()?.is_file() {
            return Err(Error::Archive("it is not a regular file".to_owned()));
        }
        let mut zip = ZipArchive::new(BufReader::new(File::open(path)?)).map_err(failed)?;
        if zip.len() > MEMBERS_MAX {
            return Err(Error::Archive(format!("it has {} members", zip.len())));
        }
        let mut names = Vec::new();
        for index in 0..zip.len() {
            names.push(zip.by_index_raw(index).map_err(failed)?.name().map_err(failed)?.into_owned());
        }
        Ok(Archive { zip, names })
    }

    /// The names of the members, in the order of the archive.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the member of this name, which lies in whatever folder.
    pub(crate) fn find(&self, is: impl Fn(&str) -> bool) -> Option<usize> {
        self.names.iter().position(|name| is(base_name(name)))
    }

    /// Reads a member that is not longer than this.
    pub(crate) fn text(&mut self, index: usize, bytes_max: u64) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        let member = self.zip.by_index(index).map_err(failed)?;
        member.take(bytes_max + 1).read_to_end(&mut text).map_err(|error| failed(error.into()))?;
        if text.len() as u64 > bytes_max {
            return Err(Error::Archive(format!("{} has more than {bytes_max} bytes", self.names[index])));
        }
        Ok(text)
    }

    /// Returns the digest of a member. Calls `progress` with the number of bytes since the last call.
    pub(crate) fn digest(
        &mut self,
        index: usize,
        algorithm: Algorithm,
        progress: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Result<Digest, Error> {
        let mut member = self.zip.by_index(index).map_err(failed)?;
        digest(&mut member, algorithm, progress, |error| failed(error.into()))
    }

    /// Writes a member to a temporary file of at most `bytes_max` bytes, which is removed with the result. It lies in
    /// the system's folder for these.
    pub(crate) fn extract(
        &mut self,
        index: usize,
        bytes_max: u64,
        progress: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Result<TempPath, Error> {
        let too_long = format!("{} has more than {bytes_max} bytes", self.names[index]);
        let mut member = self.zip.by_index(index).map_err(failed)?;
        let mut file = NamedTempFile::new().map_err(Error::Temporary)?;
        let mut written = 0;
        each_part(&mut member, |error| failed(error.into()), &mut |part| {
            written += part.len() as u64;
            if written > bytes_max {
                return Err(Error::Archive(too_long.clone()));
            }
            file.write_all(part).map_err(Error::Temporary)?;
            progress(part.len() as u64).map_err(Error::Stopped)
        })?;
        Ok(file.into_temp_path())
    }
}

/// Whether a member's name is that of a database.
pub(crate) fn is_database(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("db"))
}

/// The part of a name after its folders.
pub(crate) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Returns the digest of everything that can be read.
pub(crate) fn digest(
    input: &mut dyn Read,
    algorithm: Algorithm,
    progress: &mut dyn FnMut(u64) -> io::Result<()>,
    failed: impl Fn(io::Error) -> Error,
) -> Result<Digest, Error> {
    let mut hasher = algorithm.hasher();
    each_part(input, failed, &mut |part| {
        hasher.update(part);
        progress(part.len() as u64).map_err(Error::Stopped)
    })?;
    Ok(hasher.finish())
}

fn each_part(
    input: &mut dyn Read,
    failed: impl Fn(io::Error) -> Error,
    each: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(bytes) => each(&buffer[..bytes])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
}
