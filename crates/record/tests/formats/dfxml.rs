//! DFXML is well-formed for every name, and documents of other programs are read.

use std::io::Write;
use std::process::{Command, Stdio};

use pfh_record::{Entry, FormatName, Outcome, PieceRange, ReadOptions, SkipReason, WriteOptions};
use quick_xml::events::Event;

use crate::samples::*;
use crate::skip::{Need, skipped};

fn odd_document() -> Vec<u8> {
    let algorithms = algorithms(&["md5", "blake3"]);
    let options = WriteOptions { piecewise: true, ..WriteOptions::default() };
    let mut records: Vec<_> = odd_names().iter().map(|name| in_pieces(name, b"hello", 2, &algorithms)).collect();
    // Every byte, and every byte after a lead byte that it does not fit.
    records.extend((1..=255u8).map(|byte| hello(&[byte], &algorithms)));
    records.extend((1..=255u8).map(|byte| hello(&[b'a', 0xE2, byte, b'z'], &algorithms)));
    records.extend(failures());
    document(FormatName::Dfxml, &algorithms, &options, &records)
}

#[test]
fn well_formed_for_every_name() {
    let document = odd_document();
    let mut reader = quick_xml::Reader::from_reader(&document[..]);
    reader.config_mut().check_comments = true;
    let mut objects = 0;
    loop {
        match reader.read_event_into(&mut Vec::new()).unwrap() {
            Event::Start(element) => {
                element.attributes().for_each(|attribute| drop(attribute.unwrap()));
                objects += usize::from(element.name().as_ref() == "fileobject");
            }
            Event::GeneralRef(reference) if reference.is_char_ref() => {
                assert!(matches!(reference.resolve_char_ref(), Ok(Some('\t' | '\n' | '\r'))));
            }
            Event::Text(text) => {
                assert!(text.chars().all(|c| matches!(c, '\n' | ' '..'\u{FFFE}' | '\u{10000}'..)))
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(objects, odd_names().len() + 510 + 5);
}

/// Checks with expat, which is strict about characters, if there is Python.
#[test]
fn well_formed_for_python() {
    let script = "import sys, xml.dom.minidom as m\n\
                  d = m.parse(sys.stdin.buffer)\n\
                  print(len(d.getElementsByTagName('fileobject')), d.getElementsByTagName('filename')[3].firstChild.data)";
    let python = Command::new("python3").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut python) = python else {
        skipped(Need::Peers, "there is no python3");
        return;
    };
    python.stdin.take().unwrap().write_all(&odd_document()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let expected = format!("{} back\\slash\n", odd_names().len() + 510 + 5);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

fn items(document: &str) -> Vec<Result<Entry, String>> {
    read(FormatName::Dfxml, document.as_bytes(), ReadOptions::default())
}

fn listed(document: &str) -> Vec<Entry> {
    items(document).into_iter().map(|item| item.unwrap()).collect()
}

fn error(document: &str) -> String {
    items(document).into_iter().find_map(Result::err).unwrap()
}

/// A shortened document of hashdeep 4.4 with `-d -p 2`: its runs are outside of `byte_runs`, and it does not escape
/// bytes that are not UTF-8.
#[test]
fn hashdeeps_documents() {
    let document = b"<?xml version='1.0' encoding='UTF-8'?>
<dfxml
  xmlns='http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML'
  xmlns:deep='http://md5deep.sourceforge.net/md5deep/'
  xmlns:dc='http://purl.org/dc/elements/1.1/' version='1.0'>
  <deep:configuration><algorithms><algorithm name='md5' enabled='1'/></algorithms></deep:configuration>
  <metadata><dc:type>Hash List</dc:type></metadata>
  <fileobject>
    <filename>\xFF&amp;\xC3\xA9 \x07 offset</filename>
    <filesize>5</filesize>
    <mtime>2026-11-20T14:08:22Z</mtime>
    <ctime prec='1'>2026-11-20T15:08:22+01:00</ctime>
    <byte_run file_offset='0' len='2'>
      <hashdigest type='MD5'>6f96cfdfe5ccc627cadf24b41725caa4</hashdigest>
      <hashdigest type='SHA1'>AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D</hashdigest>
    </byte_run>
    <byte_run file_offset='2' len='3'><hashdigest type='MD5'>5b54c0a045f179bcbbbc9abcb8b5cd4c</hashdigest></byte_run>
    <hashdigest type='MD5'>5d41402abc4b2a76b9719d911017c592</hashdigest>
    <hashdigest type='TIGER'>2cfd7f6f336288a7f2741b9bf874388a54026639cadb7bf2</hashdigest>
  </fileobject>
  <fileobject><filename>missing</filename><error>No such file or directory</error></fileobject>
  <rusage><clocktime>0.000289</clocktime></rusage>
</dfxml>";
    let listed: Vec<Entry> =
        read(FormatName::Dfxml, document, ReadOptions::default()).into_iter().map(|item| item.unwrap()).collect();
    assert_eq!(listed.len(), 4);
    let whole = &listed[0];
    assert_eq!(whole.path, b"\xFF&\xC3\xA9 \x07 offset");
    assert_eq!((whole.expected.size, whole.line, whole.piece), (Some(5), 8, None));
    assert_eq!(whole.expected.mtime.unwrap().seconds, TIME.seconds);
    assert_eq!(whole.expected.ctime, whole.expected.mtime);
    assert_eq!(whole.digests, algorithms(&["md5", "tiger"]).iter().map(|a| a.digest(b"hello")).collect::<Vec<_>>());
    assert_eq!(listed[1].piece, Some(PieceRange { offset: 0, length: 2 }));
    assert_eq!(listed[1].digests.len(), 2);
    assert_eq!(listed[2].piece, Some(PieceRange { offset: 2, length: 3 }));
    assert_eq!((&listed[3].path[..], &listed[3].digests[..]), (&b"missing"[..], &[][..]));
}

/// Objects of fiwalk 4.11, shortened. It hashes the data of directories and links of an image, too.
#[test]
fn fiwalk_tells_what_is_no_file() {
    let object = |types: &str, hash: &str| {
        let document = format!(
            "<dfxml><fileobject><filename>a</filename>{types}<filesize>5</filesize><mode>493</mode>\
             <hashdigest type='{hash}'>{SHA1}</hashdigest></fileobject></dfxml>"
        );
        listed(&document).remove(0)
    };
    for (types, is_file) in [
        ("<name_type>d</name_type><meta_type>2</meta_type>", false),
        ("<name_type>l</name_type><meta_type>6</meta_type>", false),
        ("<name_type>v</name_type>", false),
        ("<meta_type>2</meta_type>", false),
        // The inode was given to a directory since the name was deleted.
        ("<name_type>r</name_type><meta_type>2</meta_type>", false),
        ("<name_type>r</name_type><meta_type>1</meta_type>", true),
        ("<name_type>-</name_type><meta_type>1</meta_type>", true),
        ("<name_type>r</name_type><meta_type>0</meta_type>", true),
        ("<name_type>-</name_type><meta_type>0</meta_type>", true),
        ("<name_type/>", true),
        ("", true),
    ] {
        let entry = object(types, "sha1");
        let outcome = (!is_file).then_some(Outcome::Skipped(SkipReason::NotRegular));
        assert_eq!((entry.is_file(), entry.outcome), (is_file, outcome), "{types}");
        assert_eq!(entry.digests.len(), usize::from(is_file), "{types}");
    }
    // No digest of a directory is needed.
    assert!(!object("<name_type>d</name_type>", "MD6").is_file());
    // An outcome of pfh's own stands.
    let ours = "<meta_type>2</meta_type><pfh:outcome kind='not-found'>unreadable</pfh:outcome>";
    assert!(object(ours, "sha1").is_file());
}

#[test]
fn other_ways_to_say_it() {
    let document = format!(
        "\u{FEFF}<!DOCTYPE d:dfxml><!-- c --><d:dfxml xmlns:d='x'><d:volume><d:fileobject><d:parent_object><d:inode>1</d:inode>\
         </d:parent_object><d:filename><![CDATA[a<b]]>&#x41;&#66;</d:filename><d:filename>second</d:filename>\
         <d:filesize> 5 </d:filesize><d:later><d:filesize>x</d:filesize></d:later>\
         <d:byte_runs><d:byte_run img_offset='512' len='5'/>\
         <d:byte_run file_offset='18446744073709551615' len='1'/></d:byte_runs>\
         <d:hashdigest type='sha1'>\n  {SHA1}\n</d:hashdigest><d:hashdigest type='OTHER'>00</d:hashdigest></d:fileobject>\
         </d:volume></d:dfxml>"
    );
    let listed = listed(&document);
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0].path[..], listed[0].expected.size), (&b"a<bAB"[..], Some(5)));
    assert_eq!(listed[0].digests, [algorithms(&["sha1"])[0].digest(b"hello")]);
}

#[test]
fn objects_that_cannot_be_read() {
    let object = |content: &str| {
        format!(
            "<dfxml>\n<fileobject>{content}</fileobject>\n<fileobject><filename>next</filename></fileobject></dfxml>"
        )
    };
    for (content, expected) in [
        ("", "filename is missing"),
        ("<filename>x</filename><filesize>five</filesize>", "filesize is not a number"),
        ("<filename>x</filename><mtime>noon</mtime>", "mtime is not a time"),
        ("<filename>x</filename><ctime/>", "ctime is not a time"),
        ("<filename>x&unknown;</filename>", "text has a reference to an entity that is not known"),
        ("<filename>x&#0;</filename>", "text has a reference to an entity that is not known"),
        ("<filename pfh:base64='='>x</filename>", "pfh:base64 is not base64"),
        (
            "<filename>x</filename><hashdigest type='MD6'>00</hashdigest>",
            "there is no algorithm or similarity family `MD6`",
        ),
        (
            "<filename>x</filename><hashdigest type='MD5'>00000000000000000000000000000000</hashdigest>\
             <hashdigest type='md5'>00000000000000000000000000000001</hashdigest>",
            "digests contradict each other",
        ),
        (
            "<filename>x</filename><byte_run file_offset='18446744073709551615' len='1'>\
             <hashdigest type='MD5'>00000000000000000000000000000000</hashdigest></byte_run>",
            "pieces contradict the size of the file",
        ),
        (
            "<filename>x</filename><hashdigest type='MD5'>00</hashdigest>",
            "digest does not have the number of hexadecimal digits of its algorithm",
        ),
    ] {
        let items = items(&object(content));
        assert_eq!(items[0], Err(format!("line 2, byte 20: {expected}")));
        assert_eq!(items[1].as_ref().unwrap().path, b"next");
        assert_eq!(items.len(), 2);
    }
}

#[test]
fn documents_that_are_none() {
    assert_eq!(error(""), "line 1, byte 0: this is not a list in the format `dfxml`: it has no document element");
    assert!(
        error("<html/>").ends_with("this is not a list in the format `dfxml`: its document element is not `dfxml`")
    );
    assert!(error("<dfxml><fileobject>").ends_with("invalid markup: the document ends in the middle"));
    assert!(error("<dfxml></html>").contains("invalid markup: "));
    assert!(error("<dfxml><fileobject").contains("invalid markup: "));
    let utf16: Vec<u8> = "<dfxml/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read(FormatName::Dfxml, &utf16, ReadOptions::default())[0].is_err());
}

/// Entities are not expanded, so no document can grow.
#[test]
fn entities_of_the_document_are_not_expanded() {
    let document = "<!DOCTYPE dfxml [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>\
                    <!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
                    <dfxml><fileobject><filename>&b;&f;</filename></fileobject></dfxml>";
    assert!(error(document).ends_with("text has a reference to an entity that is not known"));
}

#[test]
fn nesting_has_an_end() {
    let document = format!("<dfxml>{}", "<a>".repeat(1_000_000));
    assert!(error(&document).ends_with("invalid markup: nested too deeply"));
}
