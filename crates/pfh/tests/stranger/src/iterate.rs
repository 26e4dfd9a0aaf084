//! A tree, file by file.

use std::path::Path;

/// Prints a line for each file below a directory, and returns the number of those that could not be read.
pub fn iterate(directory: &Path) -> Result<u64, pfh::Error> {
    let mut records = pfh::HashRun::new(["sha256", "blake3"])?.path(directory).stream()?;
    for record in &mut records {
        match &record.outcome {
            pfh::Outcome::Complete => println!("{}  {}", record.digests[0], record.as_path().display()),
            failed => eprintln!("{}: {failed}", record.as_path().display()),
        }
    }
    let summary = records.finish().summary;
    Ok(summary.files() - summary.complete - summary.skipped)
}

/// The files that a run with options of its own reads: two threads, 64 MiB of memory, names that end in `.txt`.
pub fn with_options(directory: &Path) -> Result<Vec<pfh::Record>, pfh::Error> {
    let mut run = pfh::HashRun::new(["md5"])?.path(directory);
    run.walk.include.push("*.txt".to_owned());
    run.engine.threads = 2;
    run.engine.memory_bytes = 64 << 20;
    run.records()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_tree_is_iterated_over() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("hello.txt"), "hello").unwrap();
        fs::write(scratch.path().join("other"), "other").unwrap();
        assert_eq!(iterate(scratch.path()).unwrap(), 0);
        let paths = [scratch.path().join("missing"), scratch.path().to_owned()];
        let run = paths.iter().fold(pfh::HashRun::new(["md5"]).unwrap(), |run, path| run.path(path));
        let outcomes: Vec<bool> = run.stream().unwrap().map(|record| record.outcome.is_failure()).collect();
        assert_eq!(outcomes, [true, false, false]);
        symlink("nowhere", scratch.path().join("link")).unwrap();
        let records = with_options(scratch.path()).unwrap();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].digests[0].to_string(), "5d41402abc4b2a76b9719d911017c592");
    }
}
