//! The scripts do what they say: otherwise tests built on them prove nothing.

use std::time::Duration;

use pfh_source::{CachedRead, Entry, ErrorKind, Found, PathHandle, SkipReason, Source, SourceFile};
use pfh_testing::{Change, Fault, Gate, ScriptedSource, odd_tree};

const EIO: i32 = 5;

fn entries(source: &ScriptedSource) -> Vec<Entry<PathHandle>> {
    let mut entries = Vec::new();
    source.walk(&mut |found| {
        if let Found::Entry(entry) = found {
            entries.push(entry);
        }
        true
    });
    entries
}

#[test]
fn the_walk_yields_the_script_in_order_and_stops_when_told() {
    let source = ScriptedSource::new()
        .file("a/one", b"1")
        .file("a/two", b"2")
        .skipped("a/fifo", SkipReason::NotRegular)
        .failed("b", 13)
        .file("/root", b"3");
    let mut seen = Vec::new();
    source.walk(&mut |found| {
        seen.push(match found {
            Found::Entry(entry) => entry.path(),
            Found::Skipped(path, _) | Found::Other(path, _) => path,
            Found::Failed(path, error) => [&path[..], error.errno.unwrap().to_string().as_bytes()].concat(),
            Found::Pause => panic!("the script has none"),
        });
        true
    });
    assert_eq!(seen, [&b"a/one"[..], b"a/two", b"a/fifo", b"b13", b"/root"]);
    let mut count = 0;
    source.walk(&mut |_| {
        count += 1;
        count < 2
    });
    assert_eq!(count, 2);
}

#[test]
fn faults_come_at_their_call_and_only_once() {
    let source = ScriptedSource::new()
        .file("f", b"0123456789")
        .fault_at_call(2, Fault::Interrupt)
        .fault_at_call(3, Fault::Shorten(3))
        .fault_at_call(5, Fault::Fail(EIO));
    let file = source.open(&entries(&source)[0]).unwrap();
    let mut buffer = [0; 10];
    assert_eq!(file.read_at(&mut buffer, 0).unwrap(), 3);
    assert_eq!(file.read_at(&mut buffer, 3).unwrap(), 7);
    assert_eq!(file.stamp().unwrap_err().errno, Some(EIO));
    assert_eq!(file.stamp().unwrap().metadata.size, 10);
    assert_eq!((source.calls(), source.read_bytes()), (6, 10));
}

#[test]
fn bad_bytes_fail_each_time_and_reads_before_them_end_there() {
    let source = ScriptedSource::new().file("f", b"0123456789").bad_bytes("f", 4, 2, EIO);
    let file = source.open(&entries(&source)[0]).unwrap();
    let mut buffer = [0; 10];
    assert_eq!(file.read_at(&mut buffer, 0).unwrap(), 4);
    for offset in [4, 5, 4] {
        assert_eq!(file.read_at(&mut buffer, offset).unwrap_err().errno, Some(EIO));
    }
    assert_eq!(file.read_at(&mut buffer, 6).unwrap(), 4);
}

#[test]
fn files_change_under_the_reader() {
    let source = ScriptedSource::new()
        .file("grows", b"ab")
        .change_after_reads("grows", 1, Change::Grow(b"cd".to_vec()))
        .file("shrinks", b"abcd")
        .change_after_reads("shrinks", 1, Change::Shrink(1))
        .file("replaced", b"old")
        .change_after_reads("replaced", 1, Change::Replace(b"newer".to_vec()))
        .file("removed", b"gone")
        .change_after_reads("removed", 1, Change::Remove);
    let entries = entries(&source);
    let mut buffer = [0; 8];
    let mut sizes = Vec::new();
    for entry in &entries {
        let file = source.open(entry).unwrap();
        let before = file.stamp().unwrap();
        file.read_at(&mut buffer, 0).unwrap();
        let after = file.stamp().unwrap();
        assert!(before.is_settled && !after.is_settled && !before.is_same_content(&after));
        sizes.push((before.metadata.size, after.metadata.size, after.links));
    }
    assert_eq!(sizes, [(2, 4, 1), (4, 1, 1), (3, 3, 0), (4, 4, 0)]);
    assert_eq!(source.stamp(&entries[2]).unwrap().metadata.size, 5);
    assert_eq!(source.open(&entries[3]).unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn a_stalled_call_waits_for_its_gate() {
    let gate = Gate::new();
    let source = ScriptedSource::new().stream("-", b"ab").fault_at_call(2, Fault::Stall(gate.clone()));
    let entries = entries(&source);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let file = source.open(&entries[0]).unwrap();
            let mut buffer = [0; 1];
            let first = file.read_at(&mut buffer, 0).unwrap();
            (first, buffer[0], file.read_at(&mut buffer, 0).unwrap(), buffer[0], file.read_at(&mut buffer, 0).unwrap())
        });
        assert!(gate.reached_by(1, Duration::from_secs(10)));
        assert_eq!((source.calls(), source.read_bytes(), source.open_files()), (2, 0, 1));
        gate.open();
        // A stream goes on where it was, whatever the offset.
        assert_eq!(reader.join().unwrap(), (1, b'a', 1, b'b', 0));
    });
    assert_eq!((source.open_files(), source.open_files_max()), (0, 1));
    assert_eq!(source.opened(), [b"-"]);
}

#[test]
fn the_odd_tree_can_be_built_and_holds_what_it_states() {
    let root = tempfile::tempdir().unwrap();
    let files = odd_tree(root.path()).unwrap();
    assert!(files.iter().any(|file| file.path.len() > 4096));
    assert!(files.iter().any(|file| std::str::from_utf8(&file.path).is_err()));
    for file in files.iter().filter(|file| file.path.len() < 4000) {
        use std::os::unix::ffi::OsStrExt;
        let path = root.path().join(std::ffi::OsStr::from_bytes(&file.path));
        assert_eq!(std::fs::read(path).unwrap(), file.contents);
    }
}

#[test]
fn simulated_time_goes_on_by_what_is_waited_for() {
    let latency = Duration::from_millis(50);
    let source = ScriptedSource::new().file("a", [1; 25]).file("b", [2; 10]).behind_a_network(latency, 10, 4, 1);
    let entries = entries(&source);
    let files: Vec<_> = entries.iter().map(|entry| source.open(entry).unwrap()).collect();
    let mut buffer = [0; 10];
    assert_eq!(files[0].read_cached(&mut buffer, 0), CachedRead::WouldBlock);
    files[0].announce(0, 25);
    files[1].announce(0, 10);
    assert_eq!((source.requests(), source.requests_at_once_max()), (4, 4));
    assert_eq!((files[0].read_at(&mut buffer, 0), source.simulated_time()), (Ok(10), latency));
    // Ranges that were asked for at the same time arrive at the same time.
    assert_eq!(files[1].read_cached(&mut buffer, 0), CachedRead::Ready(10));
    assert_eq!((files[0].read_at(&mut buffer, 15), files[0].read_at(&mut buffer, 20)), (Ok(5), Ok(5)));
    assert_eq!((source.requests(), source.simulated_time()), (4, latency));
    // A range that was read to its end is asked for again.
    assert_eq!((files[1].read_at(&mut buffer, 0), source.simulated_time()), (Ok(10), 2 * latency));
    assert_eq!((source.requests(), source.look_ahead().requests_max), (5, 4));
}
