//! Reading any list ends, in bounded memory and without a panic.

use std::io::{self, BufReader, Read};

use pfh_record::{FixityList, FormatName, KnownList, ReadOptions, Reader};
use pfh_similarity::Family;

use crate::known::known_lists;
use crate::samples::*;
use crate::skip::{Need, skipped};

/// A list of every format, and how to read it.
fn lists() -> impl Iterator<Item = (FormatName, ReadOptions, Vec<u8>)> {
    let known = known_lists().into_iter().map(|(format, _, list)| (format, ReadOptions::default(), list));
    documents().into_iter().chain(known)
}

#[test]
fn every_truncation_of_every_format() {
    for (format, options, document) in lists() {
        let document = &document[..document.len().min(3000)];
        let whole = read(format, document, options);
        for cut in 0..document.len() {
            let part = read(format, &document[..cut], options);
            // All entries except the last equal those of the whole list; the last may have a shorter name or be an
            // error.
            // In the log of an imaging program, the entry comes after the lines that tell its digests.
            let last = if format == FormatName::Fixity(FixityList::Imager) { 2 } else { 1 };
            let same = part.len().saturating_sub(last);
            assert!(part.len() <= whole.len() + 1, "{format:?} cut at {cut}");
            assert_eq!(part[..same], whole[..same], "{format:?} cut at {cut}");
        }
    }
}

#[test]
fn every_damaged_byte_of_every_format() {
    for (format, options, document) in lists() {
        let mut document = document[..document.len().min(1200)].to_vec();
        for at in 0..document.len() {
            let original = document[at];
            for damaged in [0, b'\n', b'"', b'<', b'9', 0xFF, original ^ 1] {
                document[at] = damaged;
                let count = read(format, &document, options).len();
                assert!(count <= document.len());
            }
            document[at] = original;
        }
    }
}

/// Returns the highest memory use of this process so far, in bytes.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

#[track_caller]
fn peak_is_bounded() {
    match peak_bytes() {
        Some(peak) => assert!(peak < 768 << 20, "{peak}"),
        None => skipped(Need::Proc, "there is no /proc/self/status"),
    }
}

/// A line of 1 GiB takes no more memory than the longest accepted one.
#[test]
fn endless_lines() {
    let endless = |start: &'static [u8]| BufReader::new(start.chain(io::repeat(b'a').take(1 << 30)));
    for format in FormatName::ALL.into_iter().chain(FormatName::READ_ONLY) {
        let start: &'static [u8] = match format {
            // Its records have one length.
            FormatName::Known(KnownList::Encase) => continue,
            FormatName::Fixity(FixityList::Ocfl) => b"{\"manifest\":{\"",
            FormatName::Fixity(FixityList::AvpReport) => b"Fixity report\n",
            FormatName::Fixity(FixityList::Avp) => b"\n\n\n2026-11-20 14:08:22\n\nmd5\n",
            FormatName::Known(KnownList::Vics) => b"{\"value\":[{\"Series\":\"",
            FormatName::Known(KnownList::Nsrl) => {
                b"SHA-1,MD5,CRC32,FileName,FileSize,ProductCode,OpSystemCode,SpecialCode\n\""
            }
            FormatName::Known(KnownList::HashKeeper | KnownList::ILook | KnownList::Icse) => continue,
            FormatName::Hashdeep => b"%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n",
            FormatName::Csv => b"path,md5\r\n",
            FormatName::Dfxml => b"<dfxml><fileobject><filename>",
            FormatName::Similarity(Family::Ssdeep) => b"ssdeep,1.1--blocksize:hash:hash,filename\n",
            _ => b"",
        };
        let errors: Vec<_> = Reader::new(format, endless(start), ReadOptions::default()).collect();
        assert_eq!(errors.len(), 1, "{format:?}");
        let error = errors[0].as_ref().unwrap_err().to_string();
        // A text that is too long is not kept; the error is that the document ends in it.
        if matches!(format, FormatName::Known(KnownList::Vics) | FormatName::Fixity(FixityList::Ocfl)) {
            assert!(error.ends_with("the document is cut off within a string"), "{error}");
            continue;
        }
        let limit = match format {
            FormatName::Csv | FormatName::Jsonl | FormatName::Dfxml => 64 << 20,
            FormatName::Similarity(Family::Sdhash | Family::MrshV2) | FormatName::Known(KnownList::Hashdb) => 64 << 20,
            _ => 1 << 20,
        };
        assert!(error.ends_with(&format!("longer than {limit} bytes")), "{format:?}: {error}");
    }
    // An endless tag and an endless comment.
    for start in [&b"<dfxml><fileobject a='"[..], b"<dfxml><!--", b"<!DOCTYPE dfxml ["] {
        let errors: Vec<_> = Reader::new(FormatName::Dfxml, endless(start), ReadOptions::default()).collect();
        assert!(errors.len() == 1 && errors[0].is_err());
    }
    peak_is_bounded();
}

/// The path of a file is not held for each of its pieces.
#[test]
fn many_pieces_of_a_long_path() {
    const PIECES: usize = 15_000;
    let path = "a".repeat(100_000);
    let pieces = vec!["{\"offset\":0,\"length\":1,\"digests\":{}}"; PIECES].join(",");
    let line = format!("{{\"type\":\"file\",\"path\":\"{path}\",\"outcome\":\"complete\",\"pieces\":[{pieces}]}}\n");
    let run = |offset| {
        let digest = format!("<hashdigest type='MD5'>{MD5}</hashdigest>");
        format!("<byte_run file_offset='{offset}' len='1'>{digest}</byte_run>")
    };
    let runs: String = (0..PIECES).map(run).collect();
    let object = format!("<dfxml><fileobject><filename>{path}</filename>{runs}</fileobject></dfxml>");
    for (format, list) in [(FormatName::Jsonl, line), (FormatName::Dfxml, object)] {
        let mut reader = Reader::new(format, list.as_bytes(), ReadOptions::default());
        let (mut count, mut pieces) = (0, 0);
        while let Some(entry) = reader.next_entry() {
            let entry = entry.unwrap();
            assert_eq!(entry.path.len(), path.len());
            count += 1;
            pieces += usize::from(entry.piece.is_some());
        }
        assert_eq!((count, pieces), (1 + PIECES, PIECES));
    }
    peak_is_bounded();
}

#[test]
fn the_line_limit_is_exact_and_the_next_line_is_read() {
    let options = ReadOptions { line_bytes_max: Some(40), ..ReadOptions::default() };
    let fits = format!("{MD5}  123456\n");
    let longer = format!("{MD5}  1234567\n");
    let read = read(FormatName::Gnu, [&fits[..], &longer, &fits].concat().as_bytes(), options);
    assert!(read[0].is_ok() && read[2].is_ok());
    assert_eq!(read[1], Err("line 2, byte 41: the line is longer than 40 bytes".to_owned()));
}

#[test]
fn counts_are_claims() {
    let columns = "md5,".repeat(100_000);
    let header = format!("%%%% HASHDEEP-1.0\n%%%% size,{columns}filename\n");
    assert!(read(FormatName::Hashdeep, header.as_bytes(), ReadOptions::default())[0].is_err());
    let header = "path,".to_owned() + &"md5,".repeat(100_000);
    assert!(read(FormatName::Csv, header.as_bytes(), ReadOptions::default())[0].is_err());
    let size = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n18446744073709551616,{MD5},x\n");
    assert_eq!(
        read(FormatName::Hashdeep, size.as_bytes(), ReadOptions::default()),
        [Err("line 3, byte 41: size is not a number".to_owned())]
    );
    let nested = "[".repeat(1_000_000);
    assert!(read(FormatName::Jsonl, nested.as_bytes(), ReadOptions::default())[0].is_err());
    let nested = format!("{{\"type\":\"file\",\"later\":{nested}");
    assert!(read(FormatName::Jsonl, nested.as_bytes(), ReadOptions::default())[0].is_err());
}

/// A reader that fails at a certain byte, and is interrupted before every earlier read.
struct Failing<'a> {
    rest: &'a [u8],
    interrupted: bool,
}

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.rest.is_empty() {
            return Err(io::Error::other("the disk is gone"));
        }
        self.rest.read(buffer)
    }
}

#[test]
fn errors_of_the_input_end_the_reading() {
    for (format, options, document) in documents() {
        let rest = &document[..document.len() / 2];
        let input = BufReader::with_capacity(64, Failing { rest, interrupted: false });
        let items: Vec<_> = Reader::new(format, input, options).collect();
        let (last, others) = items.split_last().unwrap();
        assert!(others.iter().all(Result::is_ok), "{format:?}");
        let error = last.as_ref().unwrap_err();
        assert!(error.is_fatal());
        assert!(error.to_string().ends_with("cannot read: the disk is gone"), "{error}");
    }
}
