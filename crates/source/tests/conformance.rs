//! The source of this machine's file system satisfies the requirements for every source.

#![expect(clippy::unwrap_used, reason = "a failure is the test's answer")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use pfh_source::{IoMethod, LocalSource, WalkOptions};
use pfh_testing::{SourceUnderTest, source_conformance};
use rustix::fs::{CWD, FileType, Mode, mknodat};

struct Local {
    root: tempfile::TempDir,
    io: IoMethod,
    own_descriptor_tables: bool,
}

impl Local {
    fn path(&self, path: &[u8]) -> PathBuf {
        self.root.path().join(OsStr::from_bytes(path))
    }

    /// Makes a source that lists these as arguments, whatever the order of their names.
    fn listing(&self, paths: &[&[u8]]) -> LocalSource {
        let roots = paths.iter().map(|path| self.shown(path)).collect();
        let own_descriptor_tables = self.own_descriptor_tables;
        let reading_threads = Some(4);
        let walk = WalkOptions { roots, io: self.io, own_descriptor_tables, reading_threads, ..WalkOptions::default() };
        LocalSource::new(walk).unwrap()
    }
}

impl SourceUnderTest for Local {
    type Source = LocalSource;

    fn source(&self, files: &[(&[u8], &[u8])]) -> LocalSource {
        for (path, contents) in files {
            fs::write(self.path(path), contents).unwrap();
        }
        self.listing(&files.iter().map(|(path, _)| *path).collect::<Vec<_>>())
    }

    fn shown(&self, path: &[u8]) -> Vec<u8> {
        self.path(path).into_os_string().into_vec()
    }

    fn rewrite(&self, _: &LocalSource, path: &[u8], contents: &[u8]) -> bool {
        fs::write(self.path(path), contents).unwrap();
        true
    }

    fn replace(&self, _: &LocalSource, path: &[u8], contents: &[u8]) -> bool {
        fs::write(self.path(b".new"), contents).unwrap();
        fs::rename(self.path(b".new"), self.path(path)).unwrap();
        true
    }

    fn remove(&self, _: &LocalSource, path: &[u8]) -> bool {
        fs::remove_file(self.path(path)).unwrap();
        true
    }

    fn link(&self, path: &[u8], contents: &[u8], link: &[u8]) -> Option<LocalSource> {
        fs::write(self.path(path), contents).unwrap();
        fs::hard_link(self.path(path), self.path(link)).unwrap();
        Some(self.listing(&[path, link]))
    }

    fn stream(&self, path: &[u8], contents: &[u8]) -> Option<LocalSource> {
        mknodat(CWD, self.path(path), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let (fifo, contents) = (self.path(path), contents.to_vec());
        std::thread::spawn(move || fs::write(fifo, contents));
        Some(self.listing(&[path]))
    }
}

#[test]
fn files_of_this_machine_conform() {
    for io in [IoMethod::Buffered, IoMethod::Drop, IoMethod::Direct] {
        for own_descriptor_tables in [false, true] {
            let root = || tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            source_conformance(|| Local { root: root(), io, own_descriptor_tables });
        }
    }
}
