//! Journals, and the offset at which an interrupted run can continue.

use std::io::BufReader;

use pfh_record::jsonl::{BrokenLines, Journal, LineContent};
use pfh_record::{FormatName, Header, Timestamp};

use crate::samples::*;

/// A journal's lines: header, two complete files, one that failed, summary.
fn journal_lines() -> Vec<String> {
    let algorithms = algorithms(&["md5", "sha256"]);
    let mut records = vec![hello(b"a", &algorithms), hello(b"\xFFb", &algorithms)];
    records.push(failures().remove(0));
    let document = document(format("jsonl"), &algorithms, &Default::default(), &records);
    String::from_utf8(document).unwrap().lines().map(|line| format!("{line}\n")).collect()
}

/// The same lines as an earlier version of pfh wrote them.
fn unchecked_lines() -> Vec<String> {
    journal_lines().iter().map(|line| unchecked(line)).collect()
}

type Seen = Vec<(Vec<u8>, Option<u64>, bool, u64, u64)>;

fn read(journal: &[u8]) -> Result<(Journal, Seen), String> {
    let mut seen = Vec::new();
    // The buffer is small, so that lines cross its ends.
    let input = BufReader::with_capacity(7, journal);
    let journal = Journal::read(input, |line| {
        assert!(journal[line.offset as usize..].starts_with(line.bytes));
        if let LineContent::File(entry) = line.content {
            seen.push((entry.path.clone(), entry.expected.size, entry.is_complete(), line.offset, line.number));
            if entry.is_complete() {
                assert_eq!(entry.expected.mtime, Some(TIME));
            }
        }
    });
    journal.map(|journal| (journal, seen)).map_err(|error| error.to_string())
}

/// Returns the number of broken lines, and the errors of the first.
fn broken(journal: &Journal) -> (u64, String) {
    let first = journal.broken.first.first().map_or_else(String::new, ToString::to_string);
    (journal.broken.count, first)
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
    let mut header = Header::new(FormatName::Jsonl);
    header.selection = Some(algorithms(&["md5", "sha256"]).into());
    header.program = Some("pfh".to_owned());
    header.program_version = Some("0.1.0".to_owned());
    header.command_line = Some(b"pfh hash a b".to_vec());
    header.directory = Some(b"/cases/demo".to_vec());
    header.started = Some(Timestamp { nanoseconds: 0, ..TIME });
    header.host = Some(run_facts(&[]).host);
    header.uid = Some(1000);
    assert_eq!(journal.header, Some(header));
    assert_eq!((journal.entries, journal.whole_bytes), (3, offsets[4]));
    assert_eq!(journal.summary_offset, Some(offsets[3]));
    assert_eq!(journal.resume_offset(), offsets[3]);
    assert!(journal.torn.is_none());
    assert_eq!(broken(&journal).0, 0);
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

/// A crash of the machine can leave any number of zeros instead of data that were not on the disk yet.
#[test]
fn zeros_after_the_whole_lines() {
    let lines = journal_lines();
    let good = lines[..3].concat();
    for zeros in [1, 6, 7, 8, 5000] {
        let (journal, seen) = read(&[good.as_bytes(), &vec![0; zeros]].concat()).unwrap();
        assert_eq!((journal.whole_bytes, seen.len(), journal.broken.count), (good.len() as u64, 2, 0));
        let torn = journal.torn.unwrap().to_string();
        assert_eq!(torn, format!("line 4, byte {}: there are zero bytes instead of a line", good.len()));
        // After a part of a line, and without anything else.
        let (journal, seen) = read(&[good.as_bytes(), b"{\"type\":", &vec![0; zeros]].concat()).unwrap();
        assert_eq!((journal.whole_bytes, seen.len(), journal.broken.count), (good.len() as u64, 2, 0));
        assert!(journal.torn.is_some());
        let (journal, _) = read(&vec![0; zeros]).unwrap();
        assert!(journal.header.is_none() && journal.torn.is_some() && journal.whole_bytes == 0);
    }
}

/// Damage that an interruption does not cause makes lines broken; the whole lines beside them count.
#[test]
fn garbage_between_and_after_the_whole_lines() {
    let lines = journal_lines();
    for (garbage, count) in [
        (&b"{\"type\":\"file\",\"pa\n"[..], 1),
        (b"{}\n[]\n", 2),
        (b"\xFF\n\n", 2),
        (b"\0\0\n\0\n", 2),
        (&b"\n".repeat(20), 20),
    ] {
        for after in [2, 3, 5] {
            let (before, behind) = (lines[..after].concat(), lines[after..].concat());
            let (journal, seen) = read(&[before.as_bytes(), garbage, behind.as_bytes()].concat()).unwrap();
            assert_eq!((seen.len(), journal.broken.count), (3, count));
            let first = &journal.broken.first;
            assert_eq!(first.len(), BrokenLines::FIRST_MAX.min(count as usize));
            assert_eq!((first[0].line, first[0].offset as usize >= before.len()), (after as u64 + 1, true));
            assert!(journal.torn.is_none());
        }
    }
    // Zeros replace a part of it and end in the middle of a line.
    let hole = [&lines[0], &lines[1], &*"\0".repeat(4096), &lines[2][40..], &lines[3]].concat();
    let (journal, seen) = read(hole.as_bytes()).unwrap();
    let place = lines[..2].concat().len();
    assert_eq!(broken(&journal), (1, format!("line 3, byte {place}: there are zero bytes instead of a line")));
    assert_eq!(seen.len(), 2);
}

#[test]
fn lists_without_check_values_are_believed() {
    let (lines, older) = (journal_lines(), &unchecked_lines()[..]);
    for mixed in [older.concat(), [&older[..2], &lines[2..]].concat().concat()] {
        let (journal, seen) = read(mixed.as_bytes()).unwrap();
        assert_eq!((seen.len(), journal.broken.count), (3, 0));
        assert!(journal.header.is_some() && journal.summary_offset.is_some());
    }
    // A header with a check value promises one for every line.
    let (journal, seen) = read([&lines[..2], &older[2..3], &lines[3..]].concat().concat().as_bytes()).unwrap();
    assert_eq!(seen.len(), 2);
    let reason = "the line is damaged: it has no check value, and the header has one";
    let place = lines[..2].concat().len();
    assert_eq!(broken(&journal), (1, format!("line 3, byte {place}: {reason}")));
}

/// Whichever bit of a journal flips, no changed line is trusted.
#[test]
fn every_bit_of_a_journal() {
    let document = journal_lines().concat().into_bytes();
    let (_, written) = read(&document).unwrap();
    let content = |seen: &Seen| -> Vec<(Vec<u8>, Option<u64>, bool)> {
        seen.iter().map(|(path, size, complete, ..)| (path.clone(), *size, *complete)).collect()
    };
    let written_lines: Vec<&[u8]> = document.split(|&byte| byte == b'\n').collect();
    let (mut seen_less, mut refused) = (0, 0);
    for bit in 0..document.len() * 8 {
        let mut flipped = document.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let mut believed = Vec::new();
        let journal = Journal::read(&flipped[..], |line| {
            believed.push((line.bytes.to_vec(), line.content == LineContent::Header))
        });
        let Ok(journal) = journal else {
            refused += 1;
            continue;
        };
        for (line, is_header) in &believed {
            // The flip may hit the name of the field in the header, which then looks like one without check values.
            let content = line.rsplitn(2, |&byte| byte == b',').last().unwrap();
            let same = |written: &&[u8]| written.starts_with(content) && (written == line || *is_header);
            assert!(written_lines.iter().any(same), "bit {bit}: {}", line.escape_ascii());
        }
        assert!(journal.broken.count > 0 || journal.torn.is_some() || believed.len() == 5, "bit {bit}");
        let (_, seen) = read(&flipped).unwrap();
        assert!(content(&seen).iter().all(|one| content(&written).contains(one)));
        seen_less += u64::from(seen.len() < 3);
    }
    assert!(seen_less > 4000 && refused > 1000, "{seen_less} {refused}");
}

/// Every reader of the list detects flipped bits in a digest.
#[test]
fn readers_report_lines_that_are_not_as_written() {
    let lines = journal_lines();
    let flipped = lines[1].replacen("5d41402a", "5d41402b", 1);
    let document = [&lines[0][..], &flipped, &lines[2]].concat();
    let read = crate::samples::read(format("jsonl"), document.as_bytes(), Default::default());
    assert_eq!(read.len(), 2);
    assert!(read[0].as_ref().unwrap_err().ends_with("the line is damaged: its check value does not match"), "{read:?}");
    assert_eq!(read[1].as_ref().unwrap().path, b"\xFFb");
    // Another program rewrote it with spaces, so the value belongs to other bytes.
    let spaced = lines[1].replace(",\"", ", \"");
    let read = crate::samples::read(format("jsonl"), spaced.as_bytes(), Default::default());
    assert!(read[0].as_ref().unwrap_err().ends_with("the line is damaged: its check value is not its last field"));
}

/// A line with the outcome `complete` has the digests that the header promises.
#[test]
fn complete_lines_without_their_digests() {
    let lines = unchecked_lines();
    let digests = lines[1].split_once("\"digests\":{").unwrap().1.split_once('}').unwrap().0.to_owned();
    let (md5, sha256) = digests.split_once(',').unwrap();
    let header = |pieces: &str| lines[0].replace("\"arguments\"", &format!("{pieces}\"arguments\""));
    let read_one = |header: &str, line: &str| read([header, line].concat().as_bytes()).unwrap();
    for less in [lines[1].replace(&digests, md5), lines[1].replace(&digests, sha256), lines[1].replace(&digests, "")] {
        let (journal, seen) = read_one(&lines[0], &less);
        assert_eq!(seen.len(), 0);
        assert!(
            broken(&journal).1.ends_with("digests do not include all that the header promises"),
            "{:?}",
            broken(&journal)
        );
    }
    assert_eq!(read_one(&lines[0], &lines[1]).1.len(), 1);
    // Pieces must make up the whole.
    let piece = |offset: u64, length: u64, digests: &str| {
        format!("{{\"offset\":{offset},\"length\":{length},\"digests\":{{{digests}}}}}")
    };
    for (pieces, whole) in [
        (vec![piece(0, 3, &digests), piece(3, 2, &digests)], 1),
        (vec![piece(0, 3, &digests)], 0),
        (vec![piece(0, 3, &digests), piece(4, 1, &digests)], 0),
        (vec![piece(0, 3, &digests), piece(3, 2, md5)], 0),
        (vec![], 0),
    ] {
        let line = lines[1].replace(",\"outcome\"", &format!(",\"pieces\":[{}],\"outcome\"", pieces.join(",")));
        assert_eq!(read_one(&header("\"piece_bytes\":3,"), &line).1.len(), whole, "{line}");
    }
    // Facts about contents.
    let facts = "\"facts\":{\"zero_sectors\":0,\"entropy\":1.9,\"entropy_bytes\":5,\
                 \"longest_run\":{\"byte\":108,\"offset\":2,\"bytes\":2}},\"outcome\"";
    assert_eq!(read_one(&header("\"facts\":\"exact\","), &lines[1]).1.len(), 0);
    assert_eq!(read_one(&header("\"facts\":\"exact\","), &lines[1].replace("\"outcome\"", facts)).1.len(), 1);
    let later = read(header("\"facts\":\"guessed\",").as_bytes()).unwrap_err();
    assert!(later.ends_with("its facts are not known; a newer pfh wrote it"), "{later}");
    // A digest of a family, or the reason why there is none.
    let header = lines[0].replace("\"sha256\"]", "\"sha256\",\"tlsh\"]");
    let no_digest = "\"unfit\":{\"tlsh\":{\"reason\":\"too-short\",\"minimum_bytes\":50}},\"outcome\"";
    assert_eq!(read_one(&header, &lines[1]).1.len(), 0);
    assert_eq!(read_one(&header, &lines[1].replace("\"outcome\"", no_digest)).1.len(), 1);
}

#[test]
fn a_file_that_goes_on_after_its_summary() {
    let lines = journal_lines();
    let (journal, seen) = read([&lines[..], &lines[1..2]].concat().concat().as_bytes()).unwrap();
    assert_eq!((journal.summary_offset, seen.len()), (None, 4));
}

/// A file that is no journal must never be cut, because it belongs to somebody.
#[test]
fn what_is_no_journal_is_refused() {
    let lines = unchecked_lines();
    let no_header = "line 1, byte 0: this is not a list in the format `jsonl`: its first line is not a header";
    let zeros_before = ["\0\0\0", &lines.concat()].concat();
    for alien in
        ["\n", "hello\n", "hello", "{}", "{\"type\":\"file\"}\n", &lines[1], &"x".repeat(1 << 20), &zeros_before, "\0x"]
    {
        assert_eq!(read(alien.as_bytes()).unwrap_err(), no_header);
    }
    let header = &lines[0];
    for (alien, expected) in [
        (header.replace("\"version\":1", "\"version\":2"), "its version is not known; a newer pfh wrote it"),
        (header.replace("sha256", "sha257"), "there is no algorithm or similarity family `sha257`"),
        (header.replace("\"version\":1", "\"version\":"), "expected value"),
        (journal_lines()[0].replace("demo", "dem0"), "the line is damaged: its check value does not match"),
        (
            [header.clone(), header.replace("\"sha256\"", "\"sha1\"")].concat(),
            "it has a second header, of a run with other digests or in another directory",
        ),
    ] {
        let error = read(alien.as_bytes()).unwrap_err();
        assert!(error.ends_with(expected), "{error}");
    }
    assert_eq!(read(b"").unwrap().0.whole_bytes, 0);
}

/// In two lists of the same kind, one after the other, all lines count except the second header.
#[test]
fn two_lists_in_one() {
    let (journal, seen) = read(journal_lines().concat().repeat(2).as_bytes()).unwrap();
    assert_eq!(seen.len(), 6);
    let (count, first) = broken(&journal);
    assert!(count == 1 && first.ends_with("expected one header, and this is the second"), "{first}");
}
