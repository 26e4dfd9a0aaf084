//! Renaming that never replaces anything.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, RenameFlags, linkat, renameat, renameat_with, statat, unlinkat};
use rustix::io::Errno;

/// Gives a file or a directory another name, which nothing has yet.
///
/// Some filesystems cannot do that in one step. There, a program that is killed meanwhile may leave both names of a
/// file.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if something has the name already, and the errors of the system.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    Ok(rename_new_at((CWD, from.as_os_str().as_bytes()), (CWD, to.as_os_str().as_bytes()))?)
}

/// The same for names in open directories.
pub(crate) fn rename_new_at((from, old): (impl AsFd, &[u8]), (to, new): (impl AsFd, &[u8])) -> Result<(), Errno> {
    match renameat_with(&from, old, &to, new, RenameFlags::NOREPLACE) {
        // Some filesystems cannot rename in this way, but most of those have hard links.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rename_in_steps((from, old), (to, new)),
        renamed => renamed,
    }
}

fn rename_in_steps((from, old): (impl AsFd, &[u8]), (to, new): (impl AsFd, &[u8])) -> Result<(), Errno> {
    match linkat(&from, old, &to, new, AtFlags::empty()) {
        Ok(()) => return unlinkat(&from, old, AtFlags::empty()),
        Err(Errno::EXIST) => return Err(Errno::EXIST),
        Err(_) => {}
    }
    match statat(&to, new, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => renameat(&from, old, &to, new),
        Ok(_) => Err(Errno::EXIST),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn nothing_is_replaced_whatever_the_filesystem_can_do() {
        let in_steps = |from: &Path, to: &Path| {
            let (from, to) = (from.as_os_str().as_bytes(), to.as_os_str().as_bytes());
            rename_in_steps((CWD, from), (CWD, to)).map_err(io::Error::from)
        };
        for rename in [rename_new as fn(&Path, &Path) -> io::Result<()>, in_steps] {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::write(at("old"), "old").unwrap();
            fs::write(at("taken"), "taken").unwrap();
            fs::create_dir(at("directory")).unwrap();
            fs::create_dir(at("empty")).unwrap();
            for (from, to) in [("old", "taken"), ("old", "empty"), ("directory", "empty"), ("directory", "taken")] {
                let error = rename(&at(from), &at(to)).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{from} {to}");
            }
            assert_eq!(fs::read(at("taken")).unwrap(), b"taken");
            rename(&at("old"), &at("new")).unwrap();
            rename(&at("directory"), &at("moved")).unwrap();
            assert_eq!(fs::read(at("new")).unwrap(), b"old");
            assert!(at("moved").is_dir() && !at("old").exists() && !at("directory").exists());
        }
    }
}
