//! Files of which another process has a lease.

#![expect(unsafe_code, reason = "leases have no safe form")]

use pfh_source::{Found, LocalSource, Source, SourceFile, WalkOptions};
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::thread;
use std::time::Duration;

/// Chooses the signal about a lease. The crate `libc` lacks it.
const F_SETSIG: libc::c_int = 10;

/// A file server has a lease of each file that a client of it writes to.
#[test]
fn a_file_is_opened_when_its_lease_is_given_up() {
    let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = directory.path().join("file");
    fs::write(&path, b"0123456789").unwrap();
    let holder = File::options().read(true).write(true).open(&path).unwrap();
    let ask = |command, value: libc::c_int| {
        // SAFETY: these commands take a number, and the descriptor is open.
        unsafe { libc::fcntl(holder.as_raw_fd(), command, value) }
    };
    // The usual signal about a lease would end the process, and this one does nothing.
    let begun = ask(F_SETSIG, libc::SIGURG) == 0 && ask(libc::F_SETLEASE, libc::F_WRLCK) == 0;
    if !begun {
        // This filesystem has no leases.
        return;
    }
    let read = || {
        let roots = vec![path.as_os_str().as_bytes().to_vec()];
        let source = LocalSource::new(WalkOptions { roots, ..WalkOptions::default() }).unwrap();
        let mut buffer = [0; 10];
        let mut length = None;
        source.walk(&mut |found| {
            if let Found::Entry(entry) = found {
                length = Some(source.open(&entry).unwrap().read_at(&mut buffer, 0).unwrap());
            }
            true
        });
        (length, buffer)
    };
    thread::scope(|scope| {
        let reader = scope.spawn(read);
        while ask(libc::F_GETLEASE, 0) == libc::F_WRLCK && !reader.is_finished() {
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(50));
        assert!(!reader.is_finished(), "it did not wait");
        assert_eq!(ask(libc::F_SETLEASE, libc::F_UNLCK), 0);
        assert_eq!(reader.join().unwrap(), (Some(10), *b"0123456789"));
    });
}
