//! Opening regular files, and nothing else: a pipe would wait for whoever writes to it, and a device has no end.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file for reading. A symbolic link is followed.
///
/// # Errors
/// Those of the system, and [`io::ErrorKind::InvalidInput`] if something else has the name.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Asked before, because whoever writes to a pipe would notice that it was opened and closed.
    refuse_others(&fs::metadata(path)?)?;
    open(path, OpenOptions::new().read(true), OFlags::empty())
}

/// Opens a file for writing that pfh has beside one that the user named, or makes it. A symbolic link is not followed:
/// whoever can write to the directory would choose the file.
///
/// # Errors
/// Those of the system, and [`io::ErrorKind::InvalidInput`] if a symbolic link or something else has the name.
pub fn open_own(path: &Path) -> io::Result<File> {
    if let Ok(found) = fs::symlink_metadata(path) {
        refuse_others(&found)?;
    }
    open(path, OpenOptions::new().write(true).create(true).truncate(false), OFlags::NOFOLLOW)
}

/// Opens without waiting for a pipe that has got the name meanwhile.
fn open(path: &Path, options: &mut OpenOptions, flags: OFlags) -> io::Result<File> {
    let mut open = |flags: OFlags| options.custom_flags(flags.bits().cast_signed()).open(path);
    let file = match open(flags | OFlags::NONBLOCK) {
        // Somebody has a lease of the file, and was asked to give it up.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => open(flags),
        opened => opened,
    }?;
    refuse_others(&file.metadata()?)?;
    Ok(file)
}

fn refuse_others(found: &Metadata) -> io::Result<()> {
    if found.is_file() { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let [file, pipe, link] = ["file", "pipe", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "1").unwrap();
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        symlink("file", &link).unwrap();
        for (path, kind) in [
            (&*file, None),
            (&*link, None),
            (&*pipe, Some(io::ErrorKind::InvalidInput)),
            (folder.path(), Some(io::ErrorKind::InvalidInput)),
            (&*folder.path().join("none"), Some(io::ErrorKind::NotFound)),
        ] {
            assert_eq!(open_regular(path).err().map(|error| error.kind()), kind, "{path:?}");
        }
    }

    #[test]
    fn own_files_are_made_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [own, other, pipe, link] = ["own", "other", "pipe", "link"].map(|name| folder.path().join(name));
        for _ in 0..2 {
            open_own(&own).unwrap();
        }
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        symlink("other", &link).unwrap();
        for path in [&pipe, &link] {
            assert_eq!(open_own(path).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{path:?}");
        }
        assert!(!other.exists());
        // One that comes in between.
        let opened = open(&link, OpenOptions::new().write(true).create(true).truncate(false), OFlags::NOFOLLOW);
        assert!(opened.is_err() && !other.exists());
        assert!(open(&pipe, OpenOptions::new().read(true), OFlags::empty()).is_err());
    }
}
