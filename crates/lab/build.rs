//! Embeds the runners and the experiments, so that the program works wherever it is installed.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let lab = crate_folder.join("../../lab").canonicalize()?;
    let mut files = Vec::new();
    for folder in ["experiments", "runners"] {
        println!("cargo::rerun-if-changed={}", lab.join(folder).display());
        collect(&lab.join(folder), &mut files)?;
    }
    files.sort();
    let mut list = "[\n".to_owned();
    for path in files {
        let name = path.strip_prefix(&lab).map_err(io::Error::other)?;
        let _ = writeln!(list, "({name:?}, include_bytes!({path:?})),");
    }
    fs::write(out.join("embedded.rs"), list + "]")
}

/// The files below a folder, without what builds leave there.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || ["target", "__pycache__", "node_modules"].contains(&&*name) {
            continue;
        }
        if path.is_dir() { collect(&path, files)? } else { files.push(path.clone()) }
    }
    Ok(())
}
