//! The copy of `lab/` in the program, for machines where the source tree is not.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Paths below `lab/`, and contents.
static FILES: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Writes the files below `cache`, unless they are there already and as they should be, and returns their folder. A
/// folder in which a file was changed, lost or added is replaced: its programs are run.
///
/// # Errors
/// When they cannot be written.
pub(crate) fn unpack(cache: &Path) -> Result<PathBuf, Error> {
    // Names the folder; another version of the program has another.
    let mut hasher = DefaultHasher::new();
    FILES.hash(&mut hasher);
    let folder = cache.join(format!("source-{:016x}", hasher.finish()));
    if is_whole(&folder) {
        return Ok(folder);
    }
    let write = || {
        fs::create_dir_all(cache)?;
        let unfinished = tempfile::Builder::new().prefix("source-").tempdir_in(cache)?;
        for (name, contents) in FILES {
            let path = unfinished.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(path, contents)?;
        }
        // The old folder is moved away rather than emptied, so that nobody finds half of it.
        let old = tempfile::Builder::new().prefix("source-").tempdir_in(cache)?;
        match fs::rename(&folder, old.path().join("old")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Somebody else may have been as fast; the contents are the same.
        fs::rename(unfinished.path(), &folder).or_else(|error| if is_whole(&folder) { Ok(()) } else { Err(error) })
    };
    write().map_err(Error::file(&folder))?;
    Ok(folder)
}

/// Whether a folder holds the files of the program and nothing else.
fn is_whole(folder: &Path) -> bool {
    let is_alike = |(name, contents): &(&str, &[u8])| {
        let path = folder.join(name);
        // A link may lead to another file tomorrow.
        path.symlink_metadata().is_ok_and(|about| about.is_file())
            && fs::read(path).is_ok_and(|found| found == *contents)
    };
    FILES.iter().all(is_alike) && count(folder).is_some_and(|count| count == FILES.len())
}

/// Files below a folder; none where it cannot be listed.
fn count(folder: &Path) -> Option<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        count += if entry.file_type().ok()?.is_dir() { self::count(&entry.path())? } else { 1 };
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_is_whole() {
        let cache = tempfile::tempdir().expect("a folder");
        let folder = unpack(cache.path()).expect("written");
        for experiment in ["languages", "strings", "ciphers", "algorithms"] {
            assert!(folder.join(format!("experiments/{experiment}.toml")).is_file(), "{experiment}");
        }
        assert!(folder.join("runners/pfh/runner.toml").is_file());
        assert_eq!(unpack(cache.path()).expect("there"), folder);
        assert_eq!(fs::read_dir(cache.path()).expect("listed").count(), 1);
    }

    #[test]
    fn a_copy_that_was_changed_is_replaced() {
        let cache = tempfile::tempdir().expect("a folder");
        let folder = unpack(cache.path()).expect("written");
        let runner = folder.join("runners/python/runner.py");
        let added = folder.join("runners/python/json.py");
        let honest = fs::read(&runner).expect("there");
        let changes: [&dyn Fn(); 4] = [
            &|| fs::write(&runner, [&honest[..], b"\nprint('changed')\n"].concat()).expect("written"),
            &|| fs::remove_file(&runner).expect("removed"),
            &|| fs::write(&added, "raise SystemExit").expect("written"),
            &|| {
                let elsewhere = cache.path().join("elsewhere.py");
                fs::rename(&runner, &elsewhere).expect("moved");
                std::os::unix::fs::symlink(elsewhere, &runner).expect("linked");
            },
        ];
        for change in changes {
            change();
            assert_eq!(unpack(cache.path()).expect("written anew"), folder);
            assert!(!added.exists() && !runner.is_symlink());
            assert_eq!(fs::read(&runner).expect("there"), honest);
        }
    }
}
