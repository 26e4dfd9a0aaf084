//! Properties of opening lists.

use std::{env, fs, process};

use pfh_list::{List, ReadOptions};

/// A file with this contents, an archive or not, is a list or none, and reading it ends.
pub fn zip(input: &[u8]) {
    let path = env::temp_dir().join(format!("pfh-fuzz-{}.zip", process::id()));
    fs::write(&path, input).expect("a file for the archive");
    if let Ok(list) = List::open(&path, ReadOptions::default()) {
        // Deflating makes at most a thousandth of something.
        assert!(list.count() <= 1100 * (input.len() + 1), "more items than bytes");
    }
    fs::remove_file(&path).expect("the file of the archive");
}
