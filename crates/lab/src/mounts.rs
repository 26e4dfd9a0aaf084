//! Mounts whose program may be gone, so that nobody answers there any more.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether something is mounted there; also something that does not answer, of which nothing is known.
pub(crate) fn is_mount_point(folder: &Path) -> bool {
    let device = |path: &Path| path.symlink_metadata().map(|about| about.dev());
    match device(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        of_folder => folder.parent().is_some_and(|parent| device(parent).ok() != of_folder.ok()),
    }
}

/// Takes a mount away whose program is gone: as the user who mounted it, or as root.
pub(crate) fn detach(mount_point: &Path) {
    for (program, option) in [("fusermount3", "-uz"), ("umount", "-l")] {
        let mut command = Command::new(program);
        command.arg(option).arg(mount_point).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if command.status().is_ok_and(|status| status.success()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mounts_are_mount_points() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_mount_point(folder.path()));
        assert!(!is_mount_point(&folder.path().join("missing")));
        assert!(is_mount_point(Path::new("/proc")));
    }
}
