//! A part of a file, read as if it were a file.

use std::sync::Arc;

use pfh_record::FileError;

use crate::device::Device;
use crate::directory::LocalHandle;
use crate::file::LocalFile;
use crate::source::{CachedRead, Handle, SourceFile};
use crate::stamp::{Proof, Stamp};

/// With direct I/O, reads have whole blocks, also at the end of a part.
const BLOCK_BYTES: u64 = 4096;

/// A part of a file, and the size that the file has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// Offset of the first byte, a multiple of 4096.
    pub offset: u64,
    /// Length in bytes, a multiple of 4096 but at the end of the file.
    pub length: u64,
    /// The size of the whole file in bytes.
    pub file_bytes: u64,
}

impl FilePart {
    /// Appends the part to the path of its file, after a NUL, which no path has. So all parts of a file have different
    /// paths.
    pub fn push(self, path: &mut Vec<u8>) {
        path.push(0);
        path.extend_from_slice(format!("{}+{}/{}", self.offset, self.length, self.file_bytes).as_bytes());
    }

    /// Divides the path of a part into that of its file and the part. `None` for a whole file.
    pub fn of_path(path: &[u8]) -> Option<(&[u8], FilePart)> {
        let nul = path.iter().rposition(|&byte| byte == 0)?;
        let text = std::str::from_utf8(&path[nul + 1..]).ok()?;
        let (offset, rest) = text.split_once('+')?;
        let (length, file_bytes) = rest.split_once('/')?;
        let number = |digits: &str| digits.parse().ok();
        let part = FilePart { offset: number(offset)?, length: number(length)?, file_bytes: number(file_bytes)? };
        Some((&path[..nul], part))
    }

    /// Returns the stamp of the part from that of its file. A file of another size is not the one that was divided. No
    /// other link has the same contents as a part.
    pub(crate) fn stamp(self, mut stamp: Stamp) -> Stamp {
        stamp.links = 1;
        if stamp.metadata.size == self.file_bytes {
            stamp.metadata.size = self.length;
        } else {
            stamp.is_as_listed = false;
        }
        stamp
    }
}

/// A handle of [`ListedFiles`](crate::ListedFiles): a file, or a part of one.
#[derive(Debug)]
pub struct ListedHandle {
    pub(crate) local: LocalHandle,
    pub(crate) part: Option<Box<FilePart>>,
}

impl Handle for ListedHandle {
    fn path(&self) -> Vec<u8> {
        let mut path = self.local.path();
        if let Some(part) = &self.part {
            part.push(&mut path);
        }
        path
    }

    fn path_bytes(&self) -> usize {
        match self.part {
            Some(_) => self.path().len(),
            None => self.local.path_bytes(),
        }
    }

    fn device(&self) -> &Arc<Device> {
        self.local.device()
    }
}

/// An open file of [`ListedFiles`](crate::ListedFiles), of which all is read, or a part.
pub struct ListedFile {
    pub(crate) file: LocalFile,
    pub(crate) part: Option<FilePart>,
}

impl ListedFile {
    /// Returns the offset in the file, and how many bytes of the part there are from it on, in whole blocks.
    fn place(&self, offset: u64) -> (u64, usize) {
        match self.part {
            None => (offset, usize::MAX),
            Some(part) => {
                let left = part.length.saturating_sub(offset).checked_next_multiple_of(BLOCK_BYTES);
                let left = usize::try_from(left.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
                (part.offset.saturating_add(offset), left)
            }
        }
    }
}

impl SourceFile for ListedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        let (place, left) = self.place(offset);
        let room = buffer.len().min(left);
        match room {
            0 => Ok(0),
            room => self.file.read_at(&mut buffer[..room], place),
        }
    }

    fn tells_cached(&self) -> bool {
        self.file.tells_cached()
    }

    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        let (place, left) = self.place(offset);
        let room = buffer.len().min(left);
        match room {
            0 => CachedRead::Ready(0),
            room => self.file.read_cached(&mut buffer[..room], place),
        }
    }

    fn proof(&self) -> Proof {
        self.file.proof()
    }

    fn stamp(&self) -> Result<Stamp, FileError> {
        let stamp = self.file.stamp()?;
        Ok(self.part.map_or(stamp, |part| part.stamp(stamp)))
    }

    fn announce(&self, offset: u64, length: u64) {
        let (place, left) = self.place(offset);
        self.file.announce(place, length.min(left as u64));
    }

    fn release(&self, offset: u64) {
        self.file.release(self.place(offset).0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_by_their_paths() {
        let part = FilePart { offset: 1 << 20, length: 5, file_bytes: u64::MAX };
        let mut path = b"a/\xff 1+2/3".to_vec();
        assert_eq!(FilePart::of_path(&path), None);
        part.push(&mut path);
        assert_eq!(FilePart::of_path(&path), Some((&b"a/\xff 1+2/3"[..], part)));
        for path in [
            &b"a\0"[..],
            b"a\x005",
            b"a\x005+",
            b"a\x005+6",
            b"a\0+6/7",
            b"a\x005+6/x",
            b"a\x005+6/18446744073709551616",
        ] {
            assert_eq!(FilePart::of_path(path), None);
        }
    }
}
