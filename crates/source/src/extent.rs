//! The positions of a file's bytes on its device, by the `FIEMAP` request of Linux
//! (Documentation/filesystems/fiemap.rst).
//!
//! This is one of the files of this crate with `unsafe`.
#![expect(unsafe_code, reason = "no safe wrapper of this ioctl exists")]

use std::os::fd::AsFd;

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

/// `FIEMAP_EXTENT_UNKNOWN`: the position is not known, or not yet decided.
const EXTENT_UNKNOWN: u32 = 2;

/// `FIEMAP_EXTENT_LAST`: the file has no further extents.
const EXTENT_LAST: u32 = 1;

/// `FIEMAP_EXTENT_SHARED`: other files have the same bytes on the device.
const EXTENT_SHARED: u32 = 0x2000;

/// `FIEMAP_FLAG_SYNC`: what was written lately gets its position first.
const SYNC: u32 = 1;

/// Extents of one request.
const EXTENTS: usize = 64;

/// Most extents of a file that are examined; a file in more pieces counts as not shared.
const EXTENTS_MAX: usize = 1 << 16;

/// `_IOWR('f', 11, struct fiemap)`, whose number contains the size of the head only.
const FIEMAP: Opcode = opcode::read_write::<Head>(b'f', 11);

/// `struct fiemap` without its extents.
#[repr(C)]
#[derive(Default)]
struct Head {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
}

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

#[repr(C)]
struct Request<const N: usize> {
    head: Head,
    extents: [Extent; N],
}

const _: () = assert!(size_of::<Head>() == 32 && size_of::<Extent>() == 56 && size_of::<Request<1>>() == 88);

impl<const N: usize> Request<N> {
    /// Asks for the extents from `start` on. Returns those that there are, at most `N`.
    fn ask(file: impl AsFd, start: u64, flags: u32) -> Option<Request<N>> {
        let head = Head { start, length: u64::MAX - start, flags, extent_count: N as u32, ..Head::default() };
        let mut request = Request { head, extents: [Extent::default(); N] };
        // SAFETY: FIEMAP reads a `struct fiemap` and writes to it and to at most `extent_count` extents after it. The
        // request has that layout (sizes asserted above) with room for the `N` extents requested, every bit pattern is
        // a valid value of its fields, and it is borrowed until the call returns.
        unsafe { ioctl(file, Updater::<FIEMAP, Request<N>>::new(&mut request)) }.ok()?;
        Some(request)
    }

    fn mapped(&self) -> &[Extent] {
        &self.extents[..N.min(self.head.mapped_extents as usize)]
    }
}

/// Returns the byte address of the first extent on the device; `None` for an empty or inline file, and if the
/// filesystem does not report it.
pub(crate) fn first(file: impl AsFd) -> Option<u64> {
    let request = Request::<1>::ask(file, 0, 0)?;
    let [extent] = request.mapped() else { return None };
    (extent.flags & EXTENT_UNKNOWN == 0 && extent.physical > 0).then_some(extent.physical)
}

/// Returns the positions of all extents of a file if each is shared with another file; `None` for an empty file, and if
/// the filesystem does not report it.
pub(crate) fn shared(file: impl AsFd) -> Option<Vec<u8>> {
    let (mut positions, mut start) = (Vec::new(), 0);
    for request in 0..EXTENTS_MAX / EXTENTS {
        let answer = Request::<EXTENTS>::ask(&file, start, if request == 0 { SYNC } else { 0 })?;
        for extent in answer.mapped() {
            if extent.flags & EXTENT_SHARED == 0 || extent.flags & EXTENT_UNKNOWN != 0 {
                return None;
            }
            for number in [extent.logical, extent.physical, extent.length] {
                positions.extend_from_slice(&number.to_be_bytes());
            }
            start = extent.logical.checked_add(extent.length)?;
        }
        match answer.mapped().last() {
            Some(last) if last.flags & EXTENT_LAST == 0 => {}
            _ => return (!positions.is_empty()).then_some(positions),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_written_file_lies_somewhere_else_than_another_and_a_pseudo_file_nowhere() {
        // Next to the sources, because the scratch directory may be a tmpfs, which has no positions.
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let write = |name: &str| {
            let mut file = File::create(directory.path().join(name)).unwrap();
            file.write_all(&[1; 10_000]).unwrap();
            file.sync_all().unwrap();
            first(&file)
        };
        let (one, other) = (write("one"), write("other"));
        // Both or neither, since a filesystem may not report positions.
        assert_eq!(one.is_some(), other.is_some());
        assert!(one.is_none() || one != other);
        assert_eq!(first(File::create(directory.path().join("empty")).unwrap()), None);
        assert_eq!(first(File::open("/proc/self/status").unwrap()), None);
    }
}
