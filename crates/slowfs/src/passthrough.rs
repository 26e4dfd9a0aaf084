//! Parts of a FUSE filesystem that shows files as they are: attributes and full reads.

use fuser::{FileAttr, FileType, INodeNo};
use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};
use std::fs::{File, FileType as RealType, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns the attributes of a file, with another inode number.
pub fn attributes(metadata: &Metadata, node: INodeNo) -> FileAttr {
    FileAttr {
        ino: node,
        size: metadata.len(),
        blocks: metadata.blocks(),
        atime: time(metadata.atime(), metadata.atime_nsec()),
        mtime: time(metadata.mtime(), metadata.mtime_nsec()),
        ctime: time(metadata.ctime(), metadata.ctime_nsec()),
        crtime: UNIX_EPOCH,
        kind: kind(metadata.file_type()),
        perm: (metadata.mode() & 0o7777) as u16,
        nlink: u32::try_from(metadata.nlink()).unwrap_or(u32::MAX),
        uid: metadata.uid(),
        gid: metadata.gid(),
        rdev: metadata.rdev() as u32,
        blksize: 4096,
        flags: 0,
    }
}

/// Returns a time of a file, which may be before 1970: then the nanoseconds count forward from the second.
fn time(seconds: i64, nanoseconds: i64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let second = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    let rest = Duration::from_nanos(nanoseconds.unsigned_abs());
    second.and_then(|second| second.checked_add(rest)).unwrap_or(UNIX_EPOCH)
}

/// Returns what FUSE calls a kind of file.
pub fn kind(kind: RealType) -> FileType {
    match () {
        () if kind.is_dir() => FileType::Directory,
        () if kind.is_symlink() => FileType::Symlink,
        () if kind.is_fifo() => FileType::NamedPipe,
        () if kind.is_socket() => FileType::Socket,
        () if kind.is_block_device() => FileType::BlockDevice,
        () if kind.is_char_device() => FileType::CharDevice,
        () => FileType::RegularFile,
    }
}

/// Reads this many bytes, or as many as there are before the file ends. The memory is not zeroed first: that was a
/// twelfth of the time that a mount takes from the programs measured on it.
/// # Errors
/// The error of the read.
pub fn read_full(file: &File, length: usize, offset: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        let from = offset + bytes.len() as u64;
        match pread(file, spare_capacity(&mut bytes), from) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // The allocation may be longer than asked for.
    bytes.truncate(length);
    Ok(bytes)
}

/// Returns the error of a name that does not exist.
pub fn no_entry() -> io::Error {
    io::Error::from_raw_os_error(fuser::Errno::ENOENT.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_count_forward() {
        assert_eq!(time(-1, 250_000_000), UNIX_EPOCH - Duration::from_millis(750));
        assert_eq!(time(1, 250_000_000), UNIX_EPOCH + Duration::from_millis(1250));
    }
}
