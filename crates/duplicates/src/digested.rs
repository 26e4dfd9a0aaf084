//! Collecting digests.

use crate::DIGEST_BYTES_MAX;
use crate::item::Side;
use crate::record_file::{RecordFile, record};
use pfh_list::ExternalSort;
use std::io;

/// The ranks of whole paths where there is one side. Of files with the same path, one that was found comes first.
pub(crate) const FOUND: u8 = 0;
pub(crate) const LISTED: u8 = 1;

/// The digests that are known so far.
pub(crate) struct Digested {
    /// Digest, identity, number, size, side.
    pub(crate) digests: ExternalSort<{ DIGEST_BYTES_MAX + 33 }>,
    /// Numbers of files that could not be read.
    pub(crate) failed: ExternalSort<8>,
    /// Files that could not be read.
    pub(crate) unread: u64,
    /// Of files whose whole path is known: digest of the path, rank, number. The rank is the side where two are
    /// compared, and otherwise tells whether the file was found or is listed.
    pub(crate) whole_paths: ExternalSort<25>,
    /// Files that were found before by the same path, and are not read again: number, number of the first.
    pub(crate) again: RecordFile<16>,
}

impl Digested {
    pub(crate) fn new(memory_bytes: u64, whole_paths: ExternalSort<25>, again: RecordFile<16>) -> Digested {
        let (digests, failed) = (ExternalSort::new(memory_bytes), ExternalSort::new(memory_bytes));
        Digested { digests, failed, unread: 0, whole_paths, again }
    }

    pub(crate) fn push(
        &mut self,
        item: u64,
        (device, inode): (u64, u64),
        size: u64,
        side: Side,
        digest: &[u8],
    ) -> io::Result<()> {
        let mut padded = [0; DIGEST_BYTES_MAX];
        padded[..digest.len()].copy_from_slice(digest);
        self.digests.push(record(&[
            &padded,
            &device.to_be_bytes(),
            &inode.to_be_bytes(),
            &item.to_be_bytes(),
            &size.to_be_bytes(),
            &[side as u8],
        ]))
    }

    pub(crate) fn fail(&mut self, item: u64) -> io::Result<()> {
        self.unread += 1;
        self.failed.push(item.to_be_bytes())
    }
}
