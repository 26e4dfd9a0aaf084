//! Similar files.

use pfh::similarity::Family;
use pfh::similarity::all_pairs::{Compare, Digests};
use std::ops::ControlFlow;
use std::path::Path;

/// The pairs of files below a directory that are similar by ssdeep, with their scores, sorted by path.
pub fn similar(directory: &Path, score_min: u32) -> Result<Vec<(Vec<u8>, Vec<u8>, u32)>, pfh::Error> {
    let mut names = Vec::new();
    let mut digests = Digests::new(Family::Ssdeep);
    for mut record in pfh::HashRun::new(["ssdeep"])?.path(directory).stream()? {
        // Short files have no digest; files that could not be read have no entry at all.
        if let Some(Ok(digest)) = record.similarities.pop().map(|made| made.digest)
            && digests.push(digest).is_ok()
        {
            names.push(record.path);
        }
    }
    let mut compare = Compare::new(Family::Ssdeep);
    compare.threshold = score_min;
    let mut pairs = Vec::new();
    compare.all(&digests, &mut |found| {
        let name = |number: u32| names[number as usize].clone();
        pairs.extend(found.iter().map(|pair| (name(pair.first), name(pair.second), pair.score)));
        ControlFlow::Continue(())
    });
    pairs.sort();
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use std::fs;

    #[test]
    fn similar_files_are_found() {
        let scratch = tempfile::tempdir().unwrap();
        let numbers = |end: u32| {
            (1000..end).fold(String::new(), |mut text, number| {
                writeln!(text, "{number}").unwrap();
                text
            })
        };
        fs::write(scratch.path().join("draft"), numbers(8500)).unwrap();
        fs::write(scratch.path().join("report"), numbers(9000)).unwrap();
        fs::write(scratch.path().join("other"), "something else\n".repeat(500)).unwrap();
        fs::write(scratch.path().join("tiny"), "x").unwrap();
        let pairs = similar(scratch.path(), 1).unwrap();
        assert_eq!(pairs.len(), 1, "{pairs:?}");
        let (one, other, score) = &pairs[0];
        assert!(one.ends_with(b"/draft") && other.ends_with(b"/report") && *score > 50);
    }
}
