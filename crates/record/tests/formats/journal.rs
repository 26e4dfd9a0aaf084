//! Where an interrupted run can go on.

use std::io::BufReader;

use pfh_record::jsonl::{Journal, JournalHeader};

use crate::samples::*;

/// A journal's lines: header, two complete files, one that failed, summary.
fn journal_lines() -> Vec<String> {
    let algorithms = algorithms(&["md5", "sha256"]);
    let mut records = vec![hello(b"a", &algorithms), hello(b"\xFFb", &algorithms)];
    records.push(failures().remove(0));
    let document = document(format("jsonl"), &algorithms, &Default::default(), &records);
    String::from_utf8(document).unwrap().lines().map(|line| format!("{line}\n")).collect()
}

type Seen = Vec<(Vec<u8>, Option<u64>, bool, u64, u64)>;

fn read(journal: &[u8]) -> Result<(Journal, Seen), String> {
    let mut seen = Vec::new();
    // A small buffer, so that lines lie across its ends.
    let input = BufReader::with_capacity(7, journal);
    let journal = Journal::read(input, |entry| {
        seen.push((entry.path.to_vec(), entry.size, entry.complete, entry.offset, entry.line));
        if entry.complete {
            assert_eq!(entry.mtime, Some(TIME));
        }
    });
    journal.map(|journal| (journal, seen)).map_err(|error| error.to_string())
}

#[test]
fn a_whole_journal() {
    let lines = journal_lines();
    let offsets: Vec<u64> = lines
        .iter()
        .scan(0, |offset, line| {
            *offset += line.len() as u64;
            Some(*offset)
        })
        .collect();
    let (journal, seen) = read(lines.concat().as_bytes()).unwrap();
    let header = JournalHeader {
        algorithms: algorithms(&["md5", "sha256"]),
        families: Vec::new(),
        piece_bytes: None,
        directory: Some(b"/cases/demo".to_vec()),
    };
    assert_eq!(journal.header, Some(header));
    assert_eq!((journal.entries, journal.whole_bytes), (3, offsets[4]));
    assert_eq!(journal.summary_offset, Some(offsets[3]));
    assert_eq!(journal.resume_offset(), offsets[3]);
    assert!(journal.torn.is_none());
    assert_eq!(
        seen,
        [
            (b"a".to_vec(), Some(5), true, offsets[0], 2),
            (b"\xFFb".to_vec(), Some(5), true, offsets[1], 3),
            (b"denied".to_vec(), None, false, offsets[2], 4),
        ]
    );
}

/// A crash can leave any prefix: the whole lines of it count, and the rest is torn.
#[test]
fn every_prefix_of_a_journal() {
    let document = journal_lines().concat().into_bytes();
    for cut in 0..document.len() {
        let whole = document[..cut].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (journal, seen) = read(&document[..cut]).unwrap();
        assert_eq!(journal.whole_bytes, whole as u64, "{cut}");
        assert_eq!(journal.resume_offset(), whole as u64);
        assert_eq!(journal.torn.is_some(), cut > whole, "{cut}");
        if let Some(torn) = &journal.torn {
            assert_eq!(torn.offset, whole as u64);
            assert!(torn.to_string().ends_with("the last line is incomplete"));
        }
        let lines = document[..whole].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(journal.header.is_some(), lines > 0);
        assert_eq!(seen.len(), lines.saturating_sub(1).min(3));
        assert_eq!(journal.summary_offset, None, "the summary is the last line, and not whole");
    }
}

/// A crash of the machine can leave blocks of zeros, or of something else, behind the whole lines.
#[test]
fn garbage_after_the_whole_lines() {
    let lines = journal_lines();
    let good = lines[..3].concat();
    for garbage in [&b"\0\0\0\0"[..], b"\0\n\0\n\0", b"{\"type\":\"file\",\"pa\n", b"{}\n[]\n", b"\xFF\n\n"] {
        let (journal, seen) = read(&[good.as_bytes(), garbage].concat()).unwrap();
        assert_eq!((journal.whole_bytes, seen.len()), (good.len() as u64, 2));
        assert_eq!(journal.torn.unwrap().line, 4);
    }
}

#[test]
fn a_file_that_goes_on_after_its_summary() {
    let lines = journal_lines();
    let (journal, seen) = read([&lines[..], &lines[1..2]].concat().concat().as_bytes()).unwrap();
    assert_eq!((journal.summary_offset, seen.len()), (None, 4));
}

/// What is no journal must never be cut: it belongs to somebody.
#[test]
fn what_is_no_journal_is_refused() {
    let lines = journal_lines();
    let no_header = "line 1, byte 0: this is no `jsonl` list: its first line is no header";
    for alien in ["\n", "hello\n", "hello", "{}", "{\"type\":\"file\"}\n", &lines[1], &"x".repeat(1 << 20), "\0\0\0"] {
        assert_eq!(read(alien.as_bytes()).unwrap_err(), no_header);
    }
    let header = &lines[0];
    for (alien, expected) in [
        (header.replace("\"version\":1", "\"version\":2"), "its version is not known; a newer pfh wrote it"),
        (header.replace("sha256", "sha257"), "there is no algorithm `sha257`"),
        (header.replace("\"version\":1", "\"version\":"), "expected value"),
        (header.repeat(2), "it has a second header, so it is of several runs"),
    ] {
        let error = read(alien.as_bytes()).unwrap_err();
        assert!(error.ends_with(expected), "{error}");
    }
    assert_eq!(read(b"").unwrap().0.whole_bytes, 0);
}

/// A broken line between good ones is no interruption.
#[test]
fn a_broken_line_in_the_middle_is_refused() {
    let lines = journal_lines();
    let broken = [&lines[0][..], &lines[1], "{\"type\":\"fi\n", &lines[2]].concat();
    let error = read(broken.as_bytes()).unwrap_err();
    assert!(error.starts_with("line 3, byte "), "{error}");
}
