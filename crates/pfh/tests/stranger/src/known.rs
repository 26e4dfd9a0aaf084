//! Which files are known.

use pfh::list::{Input, KnownDigests, List, ReadOptions};
use std::path::Path;

/// The files below a directory whose contents a list of known digests has, each with a name that the list gives it.
pub fn known(directory: &Path, list: impl Into<Input>) -> Result<Vec<(Vec<u8>, Vec<u8>)>, Box<dyn std::error::Error>> {
    let mut known = KnownDigests::new(64 << 20, None, false);
    let useless = known.load(&mut List::open(list, ReadOptions::default())?, &mut |line| eprintln!("{line}"))?;
    if let Some(useless) = useless {
        return Err(useless.to_string().into());
    }
    let names: Vec<&str> = known.algorithms().iter().map(|algorithm| algorithm.name()).collect();
    let mut found = Vec::new();
    for record in pfh::HashRun::new(names)?.path(directory).stream()? {
        for hit in known.matches(&record.digests) {
            found.push((record.path.clone(), known.name(hit.entry).name.to_vec()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn known_files_are_found() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("mine"), "hello").unwrap();
        fs::write(scratch.path().join("other"), "other").unwrap();
        let list = Input::bytes("MD5SUMS", "5d41402abc4b2a76b9719d911017c592  greeting\n");
        let found = known(scratch.path(), list).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].0.ends_with(b"/mine") && found[0].1 == b"greeting");
        assert!(known(scratch.path(), Input::bytes("empty", "")).is_err());
    }
}
