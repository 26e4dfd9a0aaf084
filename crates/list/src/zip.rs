//! Lists in zip archives: the directory of the archive, and one file of it as a stream (PKWARE's APPNOTE 6.3).
//!
//! A file is given away as a reader that owns the archive, which crates for zip do not offer, and whatever an archive
//! claims, it takes the memory of a few names and one window.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use pfh_record::quote::quoted;

/// The beginnings of archives: a file, or the end of a directory without any.
const MAGICS: [&[u8; 4]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// Whether a file with this beginning is an archive.
pub(crate) fn is_archive(start: &[u8]) -> bool {
    MAGICS.iter().any(|magic| start == *magic)
}

/// Most files among which the one list of an archive is searched.
const FILES_MAX: usize = 256;

/// Bytes of the end of the directory without its comment, of what locates the end with 64-bit numbers, and of that.
const END_BYTES: usize = 22;
const LOCATOR_BYTES: u64 = 20;
const END_64_BYTES: usize = 56;
const COMMENT_BYTES_MAX: usize = 0xFFFF;

/// Bytes of the header of a file in the directory, and before its contents, without names.
const ENTRY_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;

/// A file in an archive, by the directory.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Vec<u8>,
    flags: u16,
    method: u16,
    crc: u32,
    packed_bytes: u64,
    bytes: u64,
    offset: u64,
}

/// A number of `N` bytes at this place; the place is in the buffer.
fn bytes<const N: usize>(buffer: &[u8], at: usize) -> [u8; N] {
    buffer.get(at..at + N).and_then(|part| part.try_into().ok()).unwrap_or([0; N])
}

fn u16_at(buffer: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes(buffer, at))
}

fn u32_at(buffer: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes(buffer, at))
}

fn u64_at(buffer: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes(buffer, at))
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

fn damaged(offset: u64, what: &str) -> io::Error {
    invalid(format!("the zip archive is cut off or damaged: {what} (byte {offset})"))
}

/// Reads the bytes at an offset.
fn read_at(archive: &mut File, offset: u64, buffer: &mut [u8], what: &str) -> io::Result<()> {
    archive.seek(SeekFrom::Start(offset))?;
    archive.read_exact(buffer).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(offset, what),
        _ => error,
    })
}

/// Finds the directory. Returns its offset, its end and the number of its entries.
fn directory(archive: &mut File) -> io::Result<(u64, u64, u64)> {
    const WHAT: &str = "its directory is not there";
    let length = archive.seek(SeekFrom::End(0))?;
    let tail_at = length.saturating_sub((END_BYTES + COMMENT_BYTES_MAX) as u64);
    let mut tail = vec![0; (length - tail_at) as usize];
    read_at(archive, tail_at, &mut tail, WHAT)?;
    let is_end = |at: &usize| {
        let end = &tail[*at..];
        end.starts_with(b"PK\x05\x06") && END_BYTES + usize::from(u16_at(end, 20)) == end.len()
    };
    let at = (0..=tail.len().saturating_sub(END_BYTES)).rev().find(is_end).ok_or_else(|| damaged(length, WHAT))?;
    let (end, end_at) = (&tail[at..], tail_at + at as u64);
    let mut count = u64::from(u16_at(end, 10));
    let (mut size, mut offset) = (u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
    let mut limit = end_at;
    if count == 0xFFFF || size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF {
        let mut locator = [0; LOCATOR_BYTES as usize];
        let locator_at = end_at.checked_sub(LOCATOR_BYTES).ok_or_else(|| damaged(end_at, WHAT))?;
        read_at(archive, locator_at, &mut locator, WHAT)?;
        if locator.starts_with(b"PK\x06\x07") {
            let end_64_at = u64_at(&locator, 8);
            let mut end_64 = [0; END_64_BYTES];
            read_at(archive, end_64_at, &mut end_64, WHAT)?;
            if !end_64.starts_with(b"PK\x06\x06") {
                return Err(damaged(end_64_at, WHAT));
            }
            (count, size, offset) = (u64_at(&end_64, 32), u64_at(&end_64, 40), u64_at(&end_64, 48));
            limit = end_64_at;
        }
    }
    match offset.checked_add(size) {
        Some(directory_end) if directory_end <= limit => Ok((offset, directory_end, count)),
        _ => Err(damaged(end_at, "its directory does not fit")),
    }
}

/// Calls `visit` with the files of the archive until it returns false. Directories are left out.
fn each_member(archive: &mut File, mut visit: impl FnMut(Member) -> bool) -> io::Result<()> {
    let (offset, end, count) = directory(archive)?;
    archive.seek(SeekFrom::Start(offset))?;
    let mut entries = BufReader::new(archive).take(end - offset);
    let mut at = offset;
    for _ in 0..count {
        let cut = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged(at, "its directory ends early"),
            _ => error,
        };
        let mut header = [0; ENTRY_BYTES];
        entries.read_exact(&mut header).map_err(cut)?;
        if !header.starts_with(b"PK\x01\x02") {
            return Err(damaged(at, "there is no entry of the directory"));
        }
        let lengths = [28, 30, 32].map(|place| usize::from(u16_at(&header, place)));
        let [mut name, mut extra, mut comment] = lengths.map(|length| vec![0; length]);
        for part in [&mut name, &mut extra, &mut comment] {
            entries.read_exact(part).map_err(cut)?;
        }
        at += (ENTRY_BYTES + lengths.iter().sum::<usize>()) as u64;
        let mut member = Member {
            name,
            flags: u16_at(&header, 8),
            method: u16_at(&header, 10),
            crc: u32_at(&header, 16),
            packed_bytes: u32_at(&header, 20).into(),
            bytes: u32_at(&header, 24).into(),
            offset: u32_at(&header, 42).into(),
        };
        member.widen(&extra);
        if !member.name.ends_with(b"/") && !visit(member) {
            break;
        }
    }
    Ok(())
}

impl Member {
    /// Takes the 64-bit numbers from the extra field, which has those that do not fit.
    fn widen(&mut self, mut extra: &[u8]) {
        while let Some((head, rest)) = extra.split_at_checked(4) {
            let length = usize::from(u16_at(head, 2)).min(rest.len());
            let (field, after) = rest.split_at(length);
            if u16_at(head, 0) == 1 {
                let mut numbers = field.as_chunks::<8>().0.iter().map(|number| u64::from_le_bytes(*number));
                for number in [&mut self.bytes, &mut self.packed_bytes, &mut self.offset] {
                    if *number == 0xFFFF_FFFF
                        && let Some(wide) = numbers.next()
                    {
                        *number = wide;
                    }
                }
            }
            extra = after;
        }
    }

    /// Opens the contents.
    fn open(self, mut archive: File) -> io::Result<Contents> {
        let name = quoted(&self.name);
        if self.flags & 1 != 0 {
            return Err(invalid(format!("{name} in the zip archive is encrypted")));
        }
        let mut local = [0; LOCAL_BYTES];
        read_at(&mut archive, self.offset, &mut local, "a file is not where its directory says")?;
        if !local.starts_with(MAGICS[0]) {
            return Err(damaged(self.offset, "a file is not where its directory says"));
        }
        let names = u64::from(u16_at(&local, 26)) + u64::from(u16_at(&local, 28));
        archive.seek(SeekFrom::Start(self.offset + LOCAL_BYTES as u64 + names))?;
        let packed = BufReader::with_capacity(1 << 16, archive.take(self.packed_bytes));
        let packed = match self.method {
            0 => Packed::Stored(packed),
            8 => Packed::Deflated(Box::new(DeflateDecoder::new(packed))),
            method => {
                let reason = "only stored and deflated files can be read";
                return Err(invalid(format!("{name} in the zip archive is packed by method {method}; {reason}")));
            }
        };
        Ok(Contents { member: self, packed, crc: Crc::new(), read: 0 })
    }
}

/// Contents of a file in an archive. Their length and check value are compared at the end, which is an error if they
/// differ.
pub(crate) struct Contents {
    member: Member,
    packed: Packed,
    crc: Crc,
    read: u64,
}

enum Packed {
    Stored(BufReader<Take<File>>),
    Deflated(Box<DeflateDecoder<BufReader<Take<File>>>>),
}

impl Read for Contents {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = match &mut self.packed {
            Packed::Stored(packed) => packed.read(buffer),
            Packed::Deflated(packed) => packed.read(buffer),
        };
        let Member { name, crc, bytes, .. } = &self.member;
        let broken = |what: String| invalid(format!("{} in the zip archive is damaged: {what}", quoted(name)));
        let count = match result {
            Ok(count) => count,
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => {
                return Err(broken(format!("it cannot be unpacked from byte {} on", self.read)));
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(broken(format!("it ends at byte {}", self.read)));
            }
            Err(error) => return Err(error),
        };
        self.crc.update(&buffer[..count]);
        self.read += count as u64;
        let is_end = count == 0 && !buffer.is_empty();
        if self.read > *bytes || (is_end && self.read < *bytes) {
            return Err(broken(format!("it does not have the {bytes} bytes of its directory")));
        }
        if is_end && self.crc.sum() != *crc {
            return Err(broken(format!("its CRC-32 is {:08x}, and should be {crc:08x}", self.crc.sum())));
        }
        Ok(count)
    }
}

/// Opens the file of this name in an archive.
pub(crate) fn open_member(archive: File, name: &[u8]) -> io::Result<Contents> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("the zip archive has no file {}", quoted(name)));
    let (_, contents) = open_wanted(archive, |member| member == name)?.ok_or_else(missing)?;
    Ok(contents)
}

/// Opens the first file in an archive that is wanted by its name, which has folders before it. Also returns its name.
pub(crate) fn open_wanted(
    mut archive: File,
    is_wanted: impl Fn(&[u8]) -> bool,
) -> io::Result<Option<(Vec<u8>, Contents)>> {
    let mut found = None;
    each_member(&mut archive, |member| {
        found = Some(member).filter(|member| is_wanted(&member.name));
        found.is_none()
    })?;
    found.map(|member| Ok((member.name.clone(), member.open(archive)?))).transpose()
}

/// The file in which NSRL states digests of the others in an archive, so that it is no list of known files.
const SIGNATURES: &[u8] = b"signatures.txt";

/// Opens the list in an archive: its only file, or `NSRLFile.txt`, or the only one that `is_list` takes for a list by
/// its beginning. Also returns its name.
///
/// One of several files that cannot be read is an error, since it may be the list.
pub(crate) fn open_only(
    mut archive: File,
    is_list: impl Fn(&mut Contents) -> io::Result<bool>,
) -> io::Result<(Vec<u8>, Contents)> {
    let (mut members, mut nsrl, mut count) = (Vec::new(), Vec::new(), 0_u64);
    each_member(&mut archive, |member| {
        count += 1;
        let name = member.name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        if name.eq_ignore_ascii_case(b"NSRLFile.txt") {
            nsrl.push(member);
        } else if members.len() < FILES_MAX && !name.eq_ignore_ascii_case(SIGNATURES) {
            members.push(member);
        }
        nsrl.len() < 2
    })?;
    let mut lists = match (count, &nsrl[..]) {
        (0, _) => return Err(invalid("the zip archive has no files")),
        (_, [_]) => nsrl,
        (1, []) => members,
        _ if count > FILES_MAX as u64 => {
            return Err(invalid(format!("the zip archive has {count} files; name one, as in ARCHIVE/FILE")));
        }
        _ => {
            members.extend(nsrl);
            let mut lists = Vec::new();
            for member in members {
                let contents = member.clone().open(archive.try_clone()?);
                let is_one = contents.and_then(|contents| is_readable_list(contents, &is_list)).map_err(|error| {
                    let name = quoted(&member.name);
                    let advice = "name the list, as in ARCHIVE/FILE";
                    let reason = format!("the list may be {name}, which cannot be read: {error}; {advice}");
                    io::Error::new(error.kind(), reason)
                })?;
                if is_one {
                    lists.push(member);
                }
            }
            lists
        }
    };
    match lists.pop() {
        Some(list) if lists.is_empty() => Ok((list.name.clone(), list.open(archive)?)),
        None => Err(invalid("the zip archive has several files, and none of them is a list that pfh can read")),
        Some(list) => {
            let names: Vec<String> = lists.iter().chain([&list]).take(8).map(|list| quoted(&list.name)).collect();
            let names = names.join(", ");
            Err(invalid(format!("the zip archive has several lists: {names}; name one, as in ARCHIVE/FILE")))
        }
    }
}

/// Longer files are not read to their end to find damage: an archive may have many of them, of any length.
const CHECKED_BYTES_MAX: u64 = 16 << 20;

/// Whether the contents are a list. Others are read to their end, since damage may be why they do not look like one.
fn is_readable_list(mut contents: Contents, is_list: impl Fn(&mut Contents) -> io::Result<bool>) -> io::Result<bool> {
    let is_one = is_list(&mut contents)?;
    if !is_one && contents.member.bytes <= CHECKED_BYTES_MAX {
        io::copy(&mut contents, &mut io::sink())?;
    }
    Ok(is_one)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::{Path, PathBuf};

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;
    use crate::{Input, List, ReadOptions};

    const LIST: &str = "5d41402abc4b2a76b9719d911017c592  hello.txt\n";

    /// The files of an archive: a name, the contents, and whether they are deflated.
    type Files<'a> = &'a [(&'a str, &'a [u8], bool)];

    /// Writes an archive; with `wide`, its numbers have 64 bits.
    fn archive(files: Files<'_>, wide: bool) -> Vec<u8> {
        let (mut out, mut entries) = (Vec::new(), Vec::new());
        for &(name, contents, is_deflated) in files {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(contents).unwrap();
            let packed = if is_deflated { encoder.finish().unwrap() } else { contents.to_vec() };
            let mut crc = Crc::new();
            crc.update(contents);
            let offset = out.len() as u64;
            let mut common = vec![20, 0, 0, 0, if is_deflated { 8 } else { 0 }, 0, 0, 0, 0, 0];
            common.extend(crc.sum().to_le_bytes());
            let numbers = [packed.len() as u64, contents.len() as u64];
            numbers.iter().for_each(|number| common.extend(if wide { u32::MAX } else { *number as u32 }.to_le_bytes()));
            common.extend((name.len() as u16).to_le_bytes());
            out.extend([b"PK\x03\x04", &common[..], &[0, 0], name.as_bytes(), &packed].concat());
            let mut extra = Vec::new();
            if wide {
                extra.extend([9, 0, 2, 0, 7, 7, 1, 0, 24, 0]);
                [numbers[1], numbers[0], offset].iter().for_each(|number| extra.extend(number.to_le_bytes()));
            }
            entries.extend([b"PK\x01\x02\x14\0", &common[..], &(extra.len() as u16).to_le_bytes(), &[0; 10]].concat());
            entries.extend(if wide { u32::MAX } else { offset as u32 }.to_le_bytes());
            entries.extend([name.as_bytes(), &extra].concat());
        }
        let (at, count) = (out.len() as u64, files.len() as u64);
        out.extend(&entries);
        if wide {
            let end = out.len() as u64;
            out.extend([&b"PK\x06\x06"[..], &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat());
            [count, count, entries.len() as u64, at].iter().for_each(|number| out.extend(number.to_le_bytes()));
            out.extend([&b"PK\x06\x07"[..], &[0; 4], &end.to_le_bytes(), &[1, 0, 0, 0]].concat());
        }
        out.extend(b"PK\x05\x06\0\0\0\0");
        let short = |number: u64| if wide { [0xFF; 2] } else { (number as u16).to_le_bytes() };
        let long = |number: u64| if wide { [0xFF; 4] } else { (number as u32).to_le_bytes() };
        out.extend(
            [&short(count)[..], &short(count), &long(entries.len() as u64), &long(at), &[3, 0], b"a b"].concat(),
        );
        out
    }

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    /// The names in a list, or what is wrong without the name of the file.
    fn names(path: &Path) -> Result<Vec<String>, String> {
        let list = List::open(path, ReadOptions::default()).map_err(|error| error.to_string())?;
        let name = |entry: crate::Entry| String::from_utf8(entry.path).unwrap();
        list.map(|item| item.map(name).map_err(|error| error.to_string())).collect()
    }

    fn error(bytes: &[u8]) -> String {
        let file = file(bytes);
        names(file.path()).unwrap_err().replace(file.path().to_str().unwrap(), "LIST")
    }

    fn within(file: &tempfile::NamedTempFile, name: &str) -> PathBuf {
        file.path().join(name)
    }

    #[test]
    fn the_only_list_is_found() {
        let nsrl = "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n\
                    \"AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D\",\"5D41402ABC4B2A76B9719D911017C592\",\"3610A686\",\
                    \"hello.txt\",5,1,\"362\",\"\"\r\n";
        let list = LIST.as_bytes();
        let cases: [Files<'_>; 4] = [
            &[("anything", list, true)],
            &[("set/", b"", false), ("set/known.md5", list, false)],
            &[("readme.txt", b"nothing of interest", true), ("known", list, true)],
            &[("hashes.txt", list, true), ("rds/NSRLFile.txt", nsrl.as_bytes(), true), ("NSRLOS.txt", b"x", true)],
        ];
        for files in cases {
            for wide in [false, true] {
                assert_eq!(names(file(&archive(files, wide)).path()).unwrap(), ["hello.txt"]);
            }
        }
        let file = file(&archive(cases[3], false));
        let name = |path: &Path| List::open(path, ReadOptions::default()).unwrap().name().to_vec();
        assert!(name(file.path()).ends_with(b"/rds/NSRLFile.txt"));
        assert_eq!(names(&within(&file, "hashes.txt")).unwrap(), ["hello.txt"]);
        assert!(name(&within(&file, "hashes.txt")).ends_with(b"/hashes.txt"));
        assert!(names(&within(&file, "no")).unwrap_err().ends_with("the zip archive has no file `no`"));
    }

    /// A journal is read a second time from an archive, too.
    #[test]
    fn of_a_continued_journal_in_an_archive_the_latest_line_counts() {
        let line = |size: u64| {
            let md5 = "5d41402abc4b2a76b9719d911017c592";
            format!(
                "{{\"type\":\"file\",\"path\":\"a\",\"size\":{size},\"outcome\":\"complete\",\"digests\":{{\"md5\":\"{md5}\"}}}}\n"
            )
        };
        let header = "{\"type\":\"header\",\"version\":1,\"algorithms\":[\"md5\"]}\n";
        let journal = [header, &line(4), &line(5)].concat();
        let file = file(&archive(&[("readme", b"nothing", true), ("journal.jsonl", journal.as_bytes(), true)], false));
        for path in [file.path().to_owned(), within(&file, "journal.jsonl")] {
            let list = List::open(&path, ReadOptions::default()).unwrap();
            let list = list.latest(ReadOptions::default(), &|| false).unwrap();
            assert_eq!(list.superseded(), 1);
            let sizes: Vec<Option<u64>> = list.map(|entry| entry.unwrap().expected.size).collect();
            assert_eq!(sizes, [Some(5)]);
        }
    }

    #[test]
    fn a_real_path_wins() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("a.zip")).unwrap();
        let path = directory.path().join("a.zip/list");
        std::fs::write(&path, LIST).unwrap();
        assert_eq!(names(&path).unwrap(), ["hello.txt"]);
        // Nothing is in a file that is no archive.
        assert!(names(&path.join("list")).unwrap_err().contains("Not a directory"));
    }

    #[test]
    fn archives_without_one_list_are_refused() {
        let list = LIST.as_bytes();
        assert!(error(&archive(&[], false)).ends_with("the zip archive has no files"));
        let error_of = |files: Files<'_>| error(&archive(files, false));
        assert!(
            error_of(&[("a", list, true), ("b", list, true)])
                .ends_with("the zip archive has several lists: `a`, `b`; name one, as in ARCHIVE/FILE")
        );
        assert!(
            error_of(&[("a", b"no list", true), ("b", b"", true)])
                .ends_with("none of them is a list that pfh can read")
        );
        let names: Vec<String> = (0..=FILES_MAX).map(|number| number.to_string()).collect();
        let many: Vec<_> = names.iter().map(|name| (&**name, list, false)).collect();
        assert!(error_of(&many).ends_with("the zip archive has 257 files; name one, as in ARCHIVE/FILE"));
        let piped = Input::bytes("-", archive(&[("a", list, true)], false));
        let refused = List::open(piped, ReadOptions::default()).err().unwrap().to_string();
        assert!(refused.ends_with("a zip archive cannot be read from a pipe; name the file"), "{refused}");
    }

    /// Another list of the archive is no substitute for it.
    #[test]
    fn a_file_that_cannot_be_read_may_be_the_list() {
        // The longer one has its damage within the beginning by which lists are recognised, and its end beyond that.
        for list in [LIST.to_owned(), format!("%%%% HASHDEEP-1.0\n{}", "%%%% size,md5,filename\n".repeat(5000))] {
            let whole = archive(&[("bad", list.as_bytes(), false), ("good", LIST.as_bytes(), true)], false);
            let directory = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
            // The first byte of the list; in the directory, that it is encrypted, its method, length and place.
            for (at, value) in
                [(33, b'u'), (directory + 8, 1), (directory + 10, 12), (directory + 24, 1), (directory + 42, 9)]
            {
                // A long list is recognised before its end, where its length would be wrong.
                if at == directory + 24 && list.len() > LIST.len() {
                    continue;
                }
                let mut damaged = whole.clone();
                damaged[at] = value;
                let file = file(&damaged);
                let refused = error(&damaged);
                assert!(refused.contains("the list may be `bad`, which cannot be read: "), "{at}: {refused}");
                assert!(refused.ends_with("; name the list, as in ARCHIVE/FILE"), "{at}: {refused}");
                assert_eq!(names(&within(&file, "good")).unwrap(), ["hello.txt"]);
            }
        }
    }

    #[test]
    fn damage_is_an_error() {
        let list = LIST.repeat(100);
        let is_damage =
            |error: &str| error.contains("damaged") || error.contains("encrypted") || error.contains("packed");
        for is_deflated in [true, false] {
            let whole = archive(&[("list", list.as_bytes(), is_deflated)], false);
            for cut in 5..whole.len() {
                let error = error(&whole[..cut]);
                assert!(error.contains("the zip archive is cut off or damaged"), "{error}");
            }
            // Contents: from byte 34 on.
            let contents_end = whole.len() - 22 - 3 - 46 - 4;
            // The last byte of what is deflated has bits that mean nothing.
            for at in 34..contents_end - usize::from(is_deflated) {
                let mut damaged = whole.clone();
                damaged[at] ^= 0x10;
                let file = file(&damaged);
                let list = List::open(file.path(), ReadOptions::default());
                let errors: Vec<String> = match list {
                    Ok(list) => list.filter_map(Result::err).map(|error| error.to_string()).collect(),
                    Err(error) => vec![error.to_string()],
                };
                assert!(errors.iter().any(|error| is_damage(error)), "byte {at}: {errors:?}");
            }
        }
        let whole = archive(&[("list", list.as_bytes(), true)], false);
        let directory = whole.len() - 22 - 3 - 46 - 4;
        let with = |at: usize, value: u8| {
            let mut other = whole.clone();
            other[directory + at] = value;
            error(&other)
        };
        assert!(with(8, 1).ends_with("`list` in the zip archive is encrypted"));
        assert!(with(10, 12).contains("`list` in the zip archive is packed by method 12; only stored and deflated"));
        assert!(with(16, !whole[directory + 16]).contains("its CRC-32 is"));
        assert!(with(24, 1).contains("it does not have the"));
        assert!(with(0, 0).contains("there is no entry of the directory"));
        assert!(with(42, 9).contains("a file is not where its directory says"));
        assert!(with(46 + 4 + 16, 0xFE).contains("damaged: its directory"));
    }

    /// A file that unpacks to a thousand times its length is read to its end in the memory of a line.
    #[test]
    fn a_bomb_is_read_as_a_stream() {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        let zeros = vec![b'a'; 1 << 20];
        for _ in 0..64 {
            encoder.write_all(&zeros).unwrap();
        }
        let packed = encoder.finish().unwrap();
        let mut bytes = archive(&[("list", &packed, false)], false);
        // It says that it is deflated, and as long as it is.
        let directory = bytes.len() - 22 - 3 - 46 - 4;
        bytes[directory + 10] = 8;
        bytes[directory + 24..directory + 28].copy_from_slice(&(64_u32 << 20).to_le_bytes());
        let file = file(&bytes);
        let list = List::open_as(crate::FormatName::Gnu, file.path(), ReadOptions::default()).unwrap();
        let errors: Vec<String> = list.map(|item| item.unwrap_err().to_string()).collect();
        assert!(errors.len() == 1 && errors[0].contains("its CRC-32 is"), "{errors:?}");
    }
}
