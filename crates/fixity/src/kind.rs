//! The kind of thing that is at a path of any length.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The kinds of things that have a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    CharacterDevice,
    BlockDevice,
}

/// Returns the kind of what a path leads to; with `follow`, also by a symbolic link at its end.
///
/// # Errors
/// If there is nothing, or it cannot be examined.
pub(crate) fn kind_of(path: &Path, follow: bool) -> io::Result<Kind> {
    let posix = pfh_source::metadata_at(path.as_os_str().as_bytes(), follow)?.posix.unwrap_or_default();
    // The bits of the type in a mode: inode(7).
    Ok(match posix.mode & 0o170_000 {
        0o040_000 => Kind::Directory,
        0o120_000 => Kind::Link,
        0o010_000 => Kind::Fifo,
        0o140_000 => Kind::Socket,
        0o020_000 => Kind::CharacterDevice,
        0o060_000 => Kind::BlockDevice,
        _ => Kind::File,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    #[test]
    fn kinds_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        fs::write(place("file"), "").unwrap();
        symlink("file", place("link")).unwrap();
        let _socket = UnixListener::bind(place("socket")).unwrap();
        let kind = |name: &str, follow| kind_of(&place(name), follow).unwrap();
        assert_eq!(
            [kind("file", false), kind("link", false), kind("link", true)],
            [Kind::File, Kind::Link, Kind::File]
        );
        assert_eq!([kind("socket", false), kind(".", false)], [Kind::Socket, Kind::Directory]);
        assert_eq!(kind_of(Path::new("/dev/null"), false).unwrap(), Kind::CharacterDevice);
        assert_eq!(kind_of(&place("none"), false).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
