//! A list of digests: written, read back, and compared with what is there now.

use pfh::list::{AtomicFile, FormatName, Input, List, ReadOptions};
use pfh::record::{Format, WriteOptions};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Writes a list of a tree, in a format that is chosen by its name. The file appears whole or not at all.
pub fn write(directory: &Path, list: &Path, format: &str) -> Result<(), Box<dyn std::error::Error>> {
    let run = pfh::HashRun::new(["sha256"])?.path(directory);
    let facts = run.facts();
    let format: Box<dyn Format> = FormatName::from_name(format)?.writer(&facts.selection, &WriteOptions::default())?;
    let mut file = AtomicFile::create(list)?;
    let mut bytes = Vec::new();
    format.header(&facts, &mut bytes);
    let mut records = run.stream()?;
    for record in &mut records {
        format.record(&record, &mut bytes)?;
        file.write_all(&bytes)?;
        bytes.clear();
    }
    format.footer(&records.finish().summary, &mut bytes);
    file.write_all(&bytes)?;
    file.persist()?;
    Ok(())
}

/// The paths of a list whose files have other contents now, or cannot be read.
pub fn changed(list: impl Into<Input>) -> Result<Vec<Vec<u8>>, Box<dyn std::error::Error>> {
    let mut expected = BTreeMap::new();
    let mut run = pfh::HashRun::new(["sha256"])?;
    for entry in List::open(list, ReadOptions::default())? {
        let entry = entry?;
        run.walk.roots.push(entry.path.clone());
        expected.insert(entry.path, entry.digests);
    }
    let records = run.stream()?;
    Ok(records.filter(|now| expected.get(&now.path) != Some(&now.digests)).map(|now| now.path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh::list::OpenError;
    use pfh::record::{FieldProblem, ReadErrorKind};
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_list_is_written_and_compared() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("tree");
        fs::create_dir(&directory).unwrap();
        for name in ["a", "b", "c"] {
            fs::write(directory.join(name), name).unwrap();
        }
        for format in ["gnu", "jsonl", "csv"] {
            let list = scratch.path().join(format);
            write(&directory, &list, format).unwrap();
            assert!(changed(&list).unwrap().is_empty(), "{format}");
            fs::write(directory.join("b"), "changed").unwrap();
            assert_eq!(changed(&list).unwrap(), [directory.join("b").as_os_str().as_bytes()], "{format}");
            fs::write(directory.join("b"), "b").unwrap();
        }
    }

    #[test]
    fn errors_of_lists_have_kinds() {
        let unknown = List::open(Input::bytes("list", "no list\n"), ReadOptions::default());
        assert!(matches!(unknown.err(), Some(OpenError::Unknown { .. })));
        let text = "size,path,outcome,md5\r\nmany,hello.txt,complete,5d41402abc4b2a76b9719d911017c592\r\n";
        let mut list = List::open_as(FormatName::Csv, Input::bytes("list", text), ReadOptions::default()).unwrap();
        let error = list.next().unwrap().unwrap_err();
        assert!(matches!(error.kind, ReadErrorKind::Field { problem: FieldProblem::NotANumber, .. }), "{error}");
        assert_eq!(error.line, 2);
    }
}
