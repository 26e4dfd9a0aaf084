//! Paths that are too long for one system call (`PATH_MAX`, 4096 bytes with the NUL), resolved piece by piece.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use pfh_record::FileIdentity;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::{Errno, retry_on_intr};

/// Longest path in one system call.
const PIECE_BYTES_MAX: usize = 4095;

/// The last piece of a path, and the directory that it is relative to.
pub(crate) struct Resolved<'a> {
    start: Start<'a>,
    pub(crate) rest: &'a [u8],
}

enum Start<'a> {
    Given(BorrowedFd<'a>),
    Opened(OwnedFd),
}

impl AsFd for Resolved<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.start {
            Start::Given(start) => *start,
            Start::Opened(start) => start.as_fd(),
        }
    }
}

/// Shortens `path` until the rest fits one system call, by opening directories. Paths of usual length cost nothing.
pub(crate) fn resolve<'a>(start: BorrowedFd<'a>, path: &'a [u8]) -> Result<Resolved<'a>, Errno> {
    let mut resolved = Resolved { start: Start::Given(start), rest: path };
    while resolved.rest.len() > PIECE_BYTES_MAX {
        let window = &resolved.rest[..=PIECE_BYTES_MAX];
        let slash = window.iter().rposition(|&byte| byte == b'/').ok_or(Errno::NAMETOOLONG)?;
        let piece = &resolved.rest[..slash.max(1)];
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = retry_on_intr(|| openat(&resolved, piece, flags, Mode::empty()))?;
        let rest = &resolved.rest[slash..];
        let name = rest.iter().position(|&byte| byte != b'/').unwrap_or(rest.len());
        // A path that ends with slashes names the directory itself.
        resolved =
            Resolved { start: Start::Opened(opened), rest: if name == rest.len() { b"." } else { &rest[name..] } };
    }
    Ok(resolved)
}

/// Examines what a path of any length leads to.
pub(crate) fn stat(path: &[u8], flags: AtFlags) -> Result<Stat, Errno> {
    let resolved = resolve(CWD, path)?;
    retry_on_intr(|| statat(&resolved, resolved.rest, flags))
}

/// Whether a path of any length leads to a regular file; with `follow`, also by a symbolic link at its end.
///
/// # Errors
/// If there is nothing, or it cannot be examined.
pub fn is_regular_file(path: &[u8], follow: bool) -> io::Result<bool> {
    let stat = stat(path, following(follow))?;
    Ok(FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
}

/// Returns the flags of a look-up; with `follow`, of one that follows a symbolic link at the end.
pub(crate) fn following(follow: bool) -> AtFlags {
    if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW }
}

/// Returns the identity of the file that a path of any length leads to, also by symbolic links.
///
/// # Errors
/// If there is none, or it cannot be examined.
pub fn identity_of(path: &[u8]) -> io::Result<FileIdentity> {
    let stat = stat(path, AtFlags::empty())?;
    Ok(FileIdentity::new(stat.st_dev, stat.st_ino))
}
