//! The position of a file's first bytes on its device, by the `FIEMAP` request of Linux
//! (Documentation/filesystems/fiemap.rst).
//!
//! This is one of the files of this crate with `unsafe`.
#![expect(unsafe_code, reason = "no safe wrapper of this ioctl exists")]

use std::os::fd::AsFd;

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

/// `FIEMAP_EXTENT_UNKNOWN`: the position is not known, or not yet decided.
const EXTENT_UNKNOWN: u32 = 2;

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
#[derive(Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

#[repr(C)]
#[derive(Default)]
struct Request {
    head: Head,
    extents: [Extent; 1],
}

const _: () = assert!(size_of::<Head>() == 32 && size_of::<Extent>() == 56 && size_of::<Request>() == 88);

/// Returns the byte address of the first extent on the device; `None` for an empty or inline file, and if the
/// filesystem does not report it.
pub(crate) fn first(file: impl AsFd) -> Option<u64> {
    let mut request = Request::default();
    request.head.length = u64::MAX;
    request.head.extent_count = request.extents.len() as u32;
    // SAFETY: FIEMAP reads a `struct fiemap` and writes to it and to at most `extent_count` extents after it. The
    // request has that layout (sizes asserted above) with room for the one extent requested, every bit pattern is a
    // valid value of its fields, and it is borrowed until the call returns.
    unsafe { ioctl(file, Updater::<FIEMAP, Request>::new(&mut request)) }.ok()?;
    let [extent] = &request.extents;
    (request.head.mapped_extents > 0 && extent.flags & EXTENT_UNKNOWN == 0 && extent.physical > 0)
        .then_some(extent.physical)
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
