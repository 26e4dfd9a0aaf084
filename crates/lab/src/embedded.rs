//! The copy of `lab/` in the program, for machines where the source tree is not.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Paths below `lab/`, and contents.
static FILES: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Writes the files below `cache`, unless they are there already, and returns their folder.
///
/// # Errors
/// When they cannot be written.
pub(crate) fn unpack(cache: &Path) -> Result<PathBuf, Error> {
    // Names the folder; another version of the program has another.
    let mut hasher = DefaultHasher::new();
    FILES.hash(&mut hasher);
    let folder = cache.join(format!("source-{:016x}", hasher.finish()));
    if folder.is_dir() {
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
        // Somebody else may have been as fast; the contents are the same.
        fs::rename(unfinished.path(), &folder).or_else(|error| if folder.is_dir() { Ok(()) } else { Err(error) })
    };
    write().map_err(Error::file(&folder))?;
    Ok(folder)
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
}
