//! Copies of a part of this system's files, which looks like the whole.

use std::collections::HashSet;
use std::fs::{self, File, FileTimes, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fastrand::Rng;

use crate::programs::watch::Watch;

/// So much of a file is copied in one step.
const PART_BYTES: u64 = 1 << 20;

/// Where files are taken from, as far as these folders exist.
const ROOTS: [&str; 4] = ["/usr", "/opt", "/etc", "/var/lib"];

/// Copies files within both limits. Files that cannot be read are left out.
///
/// # Errors
/// When the disk is full, or nobody waits any more.
pub(super) fn copy(folder: &Path, files_max: u64, bytes_max: u64, watch: &Watch) -> io::Result<()> {
    for (path, _) in choose(candidates(folder, watch)?, files_max, bytes_max) {
        watch.at(&path)?;
        let to = folder.join(path.strip_prefix("/").unwrap_or(&path));
        match copy_file(&path, &to, watch) {
            Err(error) if error.kind() == io::ErrorKind::StorageFull => return Err(error),
            Err(_) if to.exists() => fs::remove_file(&to)?,
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// With its time of modification, readable for its owner.
fn copy_file(from: &Path, to: &Path, watch: &Watch) -> io::Result<()> {
    let source = File::open(from)?;
    let modified = source.metadata()?.modified()?;
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    let mut copy = File::create(to)?;
    while io::copy(&mut (&source).take(PART_BYTES), &mut copy)? > 0 {
        watch.step()?;
    }
    copy.set_permissions(Permissions::from_mode(0o644))?;
    copy.set_times(FileTimes::new().set_modified(modified))
}

/// Regular files with their sizes: each inode once, no other filesystems, and only names that every program prints as
/// they are.
fn candidates(without: &Path, watch: &Watch) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for root in ROOTS.map(PathBuf::from) {
        let Ok(filesystem) = root.symlink_metadata().map(|about| about.dev()) else { continue };
        let mut folders = vec![root];
        while let Some(folder) = folders.pop() {
            watch.at(&folder)?;
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort_unstable();
            for path in paths.into_iter().filter(|path| is_plain(path) && !path.starts_with(without)) {
                let Ok(about) = path.symlink_metadata() else { continue };
                if about.dev() != filesystem {
                    continue;
                }
                if about.is_dir() {
                    folders.push(path);
                } else if about.is_file() && seen.insert(about.ino()) {
                    found.push((path, about.len()));
                }
            }
        }
        seen.clear();
    }
    Ok(found)
}

/// A name that no form of a list escapes and every program takes.
fn is_plain(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.contains(|character: char| character.is_control() || character == '\\'))
}

/// The part of the candidates within both limits: each file is kept with the same probability, decided by its path, so
/// that the choice does not change between runs.
fn choose(candidates: Vec<(PathBuf, u64)>, files_max: u64, bytes_max: u64) -> Vec<(PathBuf, u64)> {
    let bytes: u64 = candidates.iter().map(|(_, bytes)| bytes).sum();
    let share = |limit: u64, all: u64| limit as f64 / all.max(1) as f64;
    let kept = share(files_max, candidates.len() as u64).min(share(bytes_max, bytes));
    candidates.into_iter().filter(|(path, _)| scatter(path) < kept).collect()
}

/// A number from 0 to 1 that looks random and depends on the path only.
fn scatter(path: &Path) -> f64 {
    let bytes = path.as_os_str().as_encoded_bytes();
    let seed = bytes.iter().fold(0_u64, |seed, &byte| Rng::with_seed(seed ^ u64::from(byte)).u64(..));
    Rng::with_seed(seed).f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_respects_both_limits_and_is_stable() {
        let candidates: Vec<_> = (0..10_000).map(|index| (PathBuf::from(format!("/usr/f{index}")), 100)).collect();
        for (files_max, bytes_max, expected) in
            [(1000, u64::MAX, 1000), (10_000, 50_000, 500), (20_000, u64::MAX, 10_000)]
        {
            let chosen = choose(candidates.clone(), files_max, bytes_max);
            assert!(chosen.len().abs_diff(expected) <= expected / 10, "{} of {expected}", chosen.len());
            assert_eq!(chosen, choose(candidates.clone(), files_max, bytes_max));
        }
    }

    #[test]
    fn names_that_some_program_escapes_are_not_plain() {
        assert!(is_plain(Path::new("/usr/a b,c")));
        assert!(!is_plain(Path::new("/usr/a\nb")));
        assert!(!is_plain(Path::new("/usr/a\\b")));
    }
}
