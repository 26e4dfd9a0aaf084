//! Files that are being written and have no name yet.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, fchown};

use pfh_record::{Metadata, Timestamp};
use rustix::fs::{Advice, Timespec, Timestamps, UTIME_OMIT, fadvise, futimens};

/// Bytes after which the system is asked to begin writing them to the disk, so that little is left for the end.
const WRITE_OUT_BYTES: u64 = 8 << 20;

/// The unit of holes.
const BLOCK_BYTES: usize = 4096;

/// Whether an error of writing means that nothing further can be written to this destination.
pub fn ends_destination(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let ends = [
        Errno::NOSPC,
        Errno::DQUOT,
        Errno::ROFS,
        Errno::IO,
        Errno::NODEV,
        Errno::NXIO,
        Errno::STALE,
        Errno::NOTCONN,
        Errno::HOSTDOWN,
        Errno::TIMEDOUT,
    ];
    Errno::from_io_error(error).is_some_and(|error| ends.contains(&error))
}

/// A file that is being written to a destination, from its beginning to its end.
#[derive(Debug)]
pub struct StagedFile {
    file: File,
    offset: u64,
    /// Where the part begins that the system was not asked to write out.
    asked: u64,
    has_holes: bool,
}

impl StagedFile {
    /// `has_holes`: blocks of zeros become holes.
    pub(crate) fn new(file: File, has_holes: bool) -> StagedFile {
        StagedFile { file, offset: 0, asked: 0, has_holes }
    }

    /// Appends the next bytes.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while self.has_holes && !bytes.is_empty() {
            let to_block = BLOCK_BYTES - (self.offset % BLOCK_BYTES as u64) as usize;
            let (zeros, count) = run(bytes, to_block);
            let (part, rest) = bytes.split_at(count);
            if !zeros {
                self.file.write_all_at(part, self.offset)?;
            }
            self.offset += count as u64;
            bytes = rest;
        }
        self.file.write_all_at(bytes, self.offset)?;
        self.offset += bytes.len() as u64;
        if self.offset - self.asked >= WRITE_OUT_BYTES {
            // This begins to write what is not written, and drops what is.
            let _ = fadvise(&self.file, 0, self.offset.try_into().ok(), Advice::DontNeed);
            self.asked = self.offset;
        }
        Ok(())
    }

    /// Ends the file: gives it its length, and the owner, the mode and the time of the source, as far as the
    /// filesystem permits.
    ///
    /// # Errors
    /// If the length cannot be set.
    pub fn end(self, metadata: &Metadata) -> io::Result<()> {
        if self.has_holes {
            self.file.set_len(self.offset)?;
        }
        keep_attributes(&self.file, metadata);
        Ok(())
    }
}

/// Returns whether the first block is zeros, and how many bytes from the start are in blocks of the same kind. The
/// first block has `first` bytes.
fn run(bytes: &[u8], first: usize) -> (bool, usize) {
    let is_zero = |block: &[u8]| block.iter().all(|&byte| byte == 0);
    let (head, rest) = bytes.split_at(first.min(bytes.len()));
    let zeros = is_zero(head);
    let same = rest.chunks(BLOCK_BYTES).take_while(|block| is_zero(block) == zeros);
    (zeros, head.len() + same.map(<[u8]>::len).sum::<usize>())
}

/// Gives an open file or directory owner, mode and time. Not every filesystem has them, and only the system's
/// administrator can give a file away, so what is not permitted is left as it is.
pub(crate) fn keep_attributes(file: &File, metadata: &Metadata) {
    if let Some(posix) = metadata.posix {
        let own = file.metadata().map(|own| (own.uid(), own.gid())).ok();
        let mut mode = posix.mode & 0o7777;
        if own != Some((posix.uid, posix.gid)) && fchown(file, Some(posix.uid), Some(posix.gid)).is_err() {
            let group = fchown(file, None, Some(posix.gid));
            // A program must not run with the rights of another user than in the source.
            mode &= if group.is_ok() { 0o3777 } else { 0o1777 };
        }
        let _ = file.set_permissions(std::fs::Permissions::from_mode(mode));
    }
    if let Some(mtime) = metadata.mtime {
        let _ = futimens(file, &times(mtime));
    }
}

/// Makes the times for calls that set them: the time of the last access stays as it is.
pub(crate) fn times(mtime: Timestamp) -> Timestamps {
    let last_modification = Timespec { tv_sec: mtime.seconds, tv_nsec: mtime.nanoseconds.into() };
    Timestamps { last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT }, last_modification }
}

/// Opens a directory or file for [`keep_attributes`], also if its mode forbids reading.
pub(crate) fn as_file(descriptor: impl AsFd) -> io::Result<File> {
    Ok(descriptor.as_fd().try_clone_to_owned()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn zeros_become_holes_whatever_the_parts() {
        let folder = tempfile::tempdir().unwrap();
        let mut contents = vec![0_u8; 1 << 20];
        contents[5] = 1;
        contents[300_000..310_000].fill(7);
        contents[700_001] = 1;
        for (number, part_bytes) in [1 << 20, 65_536, 5000, 4096, 777].into_iter().enumerate() {
            for has_holes in [true, false] {
                let path = folder.path().join(format!("{number}-{has_holes}"));
                let mut staged = StagedFile::new(File::create(&path).unwrap(), has_holes);
                contents.chunks(part_bytes).try_for_each(|part| staged.write(part)).unwrap();
                let mtime = Some(Timestamp { seconds: 1_000_000, nanoseconds: 7 });
                staged.end(&Metadata::new(contents.len() as u64, mtime)).unwrap();
                assert_eq!(fs::read(&path).unwrap(), contents);
                let metadata = fs::metadata(&path).unwrap();
                assert_eq!((metadata.mtime(), metadata.mtime_nsec()), (1_000_000, 7));
                let allocated = metadata.blocks() * 512;
                assert_eq!(allocated < 200_000, has_holes, "{allocated} {part_bytes}");
            }
        }
    }

    #[test]
    fn errors_of_the_medium_end_a_destination() {
        let of = |errno: rustix::io::Errno| ends_destination(&errno.into());
        assert!(of(rustix::io::Errno::NOSPC) && of(rustix::io::Errno::IO) && of(rustix::io::Errno::ROFS));
        assert!(!of(rustix::io::Errno::INVAL) && !of(rustix::io::Errno::EXIST) && !of(rustix::io::Errno::FBIG));
    }
}
