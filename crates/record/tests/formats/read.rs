//! The dialects of other programs that readers accept, and the errors for the rest. The behaviour of `md5sum --check`
//! was observed with coreutils 9.1.

use pfh_record::{Coreutils, Entry, PieceRange, ReadOptions, Timestamp};

use crate::samples::*;

/// Reads a list and shows each entry as `path|digests|size|piece`, or the error.
fn shown(name: &str, document: impl AsRef<[u8]>, options: ReadOptions) -> Vec<String> {
    let show = |listed: Entry| {
        let digests: Vec<String> =
            listed.digests.iter().map(|digest| format!("{}:{digest}", digest.algorithm().name())).collect();
        let mut shown = format!("{}|{}", listed.path.escape_ascii(), digests.join(","));
        if let Some(size) = listed.expected.size {
            shown += &format!("|{size}");
        }
        if let Some(PieceRange { offset, length }) = listed.piece {
            shown += &format!("|{offset}+{length}");
        }
        shown
    };
    read(format(name), document.as_ref(), options)
        .into_iter()
        .map(|item| item.map_or_else(|error| error, show))
        .collect()
}

fn plain(name: &str, document: impl AsRef<[u8]>) -> Vec<String> {
    shown(name, document, ReadOptions::default())
}

#[test]
fn lines_that_md5sum_accepts() {
    for (line, name) in [
        (format!("{MD5}  hello.txt"), "hello.txt"),
        (format!("{MD5} *hello.txt"), "hello.txt"),
        (format!("  {MD5}  hello.txt"), "hello.txt"),
        (format!("\t{MD5}  hello.txt"), "hello.txt"),
        (format!("{MD5} hello.txt"), "hello.txt"),
        (format!("{MD5}\thello.txt"), "hello.txt"),
        (format!("{MD5} \thello.txt"), "\\thello.txt"),
        (format!("{MD5}   sp"), " sp"),
        (format!("{MD5} *"), "*"),
        (format!("{MD5}  "), " "),
        (format!("{MD5}   "), " "),
        (format!("{MD5} **"), "*"),
        (format!("{MD5}  \t tab"), "\\t tab"),
        (format!("{MD5}  cr\rx"), "cr\\rx"),
        (format!("{MD5}  crlf\r"), "crlf"),
        (format!("\\{MD5}  back\\\\slash"), "back\\\\slash"),
        (format!("\\{MD5}  cr\\rlf\\n"), "cr\\rlf\\n"),
        (format!(" \\{MD5}  hello.txt"), "hello.txt"),
        (MD5.to_uppercase() + "  hello.txt", "hello.txt"),
        (format!("MD5 (hello.txt) = {MD5}"), "hello.txt"),
        (format!("  MD5 (hello.txt) = {MD5}\r"), "hello.txt"),
        (format!("MD5(hello.txt)= {MD5}"), "hello.txt"),
        (format!("MD5 (hello.txt)= {MD5}"), "hello.txt"),
        (format!("MD5 (hello.txt)={MD5}"), "hello.txt"),
        (format!("MD5 (hello.txt)   =   {MD5}"), "hello.txt"),
        (format!("MD5 (x) = y) = {MD5}"), "x) = y"),
        (format!("MD5 ( sp) = {MD5}"), " sp"),
        (format!("\\MD5 (back\\\\slash) = {MD5}"), "back\\\\slash"),
        // Beyond md5sum: RHash pads the name of the algorithm.
        (format!("MD5   (hello.txt) = {MD5}"), "hello.txt"),
        (format!("md5 (hello.txt) = {MD5}"), "hello.txt"),
        // Untagged lines with names that look like the tag form.
        (format!("{MD5}  MD5 (x) = {MD5}"), &format!("MD5 (x) = {MD5}")),
        (format!("{MD5} (x) = {MD5}"), &format!("(x) = {MD5}")),
    ] {
        assert_eq!(plain("gnu", format!("{line}\n")), [format!("{name}|md5:{MD5}")], "{line}");
        assert_eq!(plain("bsd", line.trim_end_matches('\r')), [format!("{name}|md5:{MD5}")], "{line}");
    }
    assert_eq!(plain("gnu", format!("\n#comment\n\r\n{MD5}  x")), [format!("x|md5:{MD5}")]);
}

#[test]
fn the_first_line_decides_how_names_are_parted() {
    let (single, marked) = (format!("{MD5} a\n"), format!("{MD5}  b\n"));
    assert_eq!(plain("gnu", single.clone() + &marked), [format!("a|md5:{MD5}"), format!(" b|md5:{MD5}")]);
    assert_eq!(
        plain("gnu", marked + &single),
        [
            format!("b|md5:{MD5}"),
            "line 2, byte 69: expected a second space or `*` before the name, as on the lines above".to_owned()
        ]
    );
}

/// Also a line of which nothing but its name is missing.
#[test]
fn a_line_without_a_name_does_not_decide_how_names_are_parted() {
    let list = format!("{MD5} \n{MD5}  a\n{MD5} b\n");
    let expected = [
        "line 1, byte 33: name is missing".to_owned(),
        format!("a|md5:{MD5}"),
        "line 3, byte 103: expected a second space or `*` before the name, as on the lines above".to_owned(),
    ];
    assert_eq!(plain("gnu", list), expected);
}

/// Tags and blanks, as `md5sum --check` and `cksum --check` take them.
#[test]
fn lines_that_coreutils_takes_and_refuses() {
    let (md5sum, cksum) = (Some(Coreutils::Sum), Some(Coreutils::Cksum));
    let digest = |algorithm: &str| algorithms(&[algorithm])[0].digest(b"hello").to_string();
    let (blake2b, short, sm3) = (digest("blake2b"), digest("blake2b-256"), digest("sm3"));
    let is_taken = |line: &str, coreutils| {
        let shown = shown("gnu", format!("{line}\n"), ReadOptions { coreutils, ..ReadOptions::default() });
        shown[0].starts_with("a|")
    };
    for (line, by_md5sum, by_cksum) in [
        (format!("MD5 (a) = {MD5}"), true, true),
        (format!("MD5(a)= {MD5}"), true, true),
        (format!("MD5 (a)\t=\t{MD5}\r"), true, true),
        (format!(" MD5 (a) = {}", MD5.to_uppercase()), true, true),
        (format!("MD5  (a) = {MD5}"), false, true),
        (format!("MD5\t(a) = {MD5}"), false, true),
        (format!("MD5-128 (a) = {MD5}"), false, true),
        (format!("MD5-64 (a) = {MD5}"), false, false),
        (format!("MD5- (a) = {MD5}"), false, false),
        (format!("MD5   (a) = {MD5}"), false, false),
        (format!("MD5x (a) = {MD5}"), false, false),
        (format!("MD5 (a) = {MD5} "), false, false),
        (format!("MD5 (a)\x0b= {MD5}"), false, false),
        ("MD5 (a) = XUFAKrxLKna5cZ2REBfFkg==".to_owned(), false, false),
        (format!("md5 (a) = {MD5}"), false, false),
        (format!("Md5(a)= {MD5}"), false, false),
        (format!("MD-5 (a) = {MD5}"), false, false),
        (format!("\u{FEFF}{MD5}  a"), false, false),
        (format!("SHA256 (a) = {SHA256}"), true, true),
        (format!("SHA-256 (a) = {SHA256}"), false, false),
        (format!("SHA2-256(a)= {SHA256}"), false, false),
        (format!("sha256 (a) = {SHA256}"), false, false),
        (format!("BLAKE2b (a) = {blake2b}"), true, true),
        (format!("BLAKE2b-512 (a) = {blake2b}"), true, true),
        (format!("BLAKE2b-0512 (a) = {blake2b}"), false, false),
        (format!("BLAKE2B (a) = {blake2b}"), false, false),
        (format!("BLAKE2b  (a) = {blake2b}"), true, true),
        (format!("BLAKE2b-256 (a) = {short}"), true, true),
        (format!("BLAKE2b-256\t(a) = {short}"), false, false),
        (format!("BLAKE2b (a) = {short}"), false, false),
        (format!("SM3\t(a) = {sm3}"), true, true),
        // An algorithm that only pfh has, in any of its spellings.
        (format!("sha3-256   (a) = {SHA256}"), true, true),
        (format!("SHA512-256 (a) = {SHA256}"), true, true),
    ] {
        assert_eq!([is_taken(&line, md5sum), is_taken(&line, cksum)], [by_md5sum, by_cksum], "{line:?}");
    }
    let b2sum =
        ReadOptions { algorithm: Some(algorithms(&["blake2b"])[0]), coreutils: md5sum, ..ReadOptions::default() };
    let list = format!("{blake2b}  a\n{short}  b\n");
    assert_eq!(shown("gnu", list, b2sum), [format!("a|blake2b:{blake2b}"), format!("b|blake2b-256:{short}")]);
    // A name in parentheses may be empty, and a mark begins no comment.
    let strict = ReadOptions { coreutils: md5sum, ..ReadOptions::default() };
    assert_eq!(shown("gnu", format!("MD5 () = {MD5}\n"), strict), [format!("|md5:{MD5}")]);
    let list = format!("\u{FEFF}# comment\n{MD5}  a\n");
    let expected =
        ["line 1, byte 0: expected a digest at the beginning of the line".to_owned(), format!("a|md5:{MD5}")];
    assert_eq!(shown("gnu", list, strict), expected);
    let units: Vec<u8> = format!("\u{FEFF}{MD5}  a\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(plain("gnu", &units), [format!("a|md5:{MD5}")]);
    assert!(shown("gnu", &units, strict)[0].starts_with("line 1, byte 0: "));
}

#[test]
fn lines_that_md5sum_refuses() {
    let digest = "digest does not have the number of hexadecimal digits of its algorithm";
    let length = "digest has a length of no usual algorithm; name the algorithm";
    let start = "expected a digest at the beginning of the line";
    let escape = "name has a backslash that is not followed by `\\`, `n` or `r`";
    for (line, expected) in [
        (format!(" #c\n{MD5}  x"), format!("byte 1: {start}")),
        (" ".to_owned(), format!("byte 1: {start}")),
        ("Joe, 20240131".to_owned(), format!("byte 0: {start}")),
        ("Created today".to_owned(), format!("byte 0: {start}")),
        (format!("{MD5}0  x"), format!("byte 0: {length}")),
        (MD5.to_owned(), "byte 32: expected a space and a name after the digest".to_owned()),
        (format!("{MD5} "), "byte 33: name is missing".to_owned()),
        (format!("{MD5}x  y"), "byte 32: expected a space and a name after the digest".to_owned()),
        (format!("\\{MD5}  back\\xslash"), format!("byte 39: {escape}")),
        (format!("\\{MD5}  x\\"), format!("byte 36: {escape}")),
        (format!("\\ {MD5}  x"), format!("byte 1: {start}")),
        (format!("{MD5}  x\0y"), "byte 35: name contains a NUL byte".to_owned()),
        (format!("MD5 (x) = {MD5} "), format!("byte 10: {digest}")),
        (format!("MD5 (x) = {SHA1}"), format!("byte 10: {digest}")),
        (format!("MD5 () = {MD5}"), "byte 5: name is missing".to_owned()),
        (format!("FOO (x) = {MD5}"), "byte 0: there is no algorithm `FOO`".to_owned()),
        (format!("\u{FEFF}{MD5}0  x"), format!("byte 3: {length}")),
    ] {
        assert_eq!(plain("gnu", &line)[0], format!("line 1, {expected}"), "{line:?}");
    }
    // The lines after a bad one are read.
    assert_eq!(plain("gnu", format!("bad\n{MD5}  x"))[1], format!("x|md5:{MD5}"));
}

#[test]
fn digests_without_a_name_for_their_algorithm() {
    for (name, digits) in
        [("crc32", 8), ("md5", 32), ("sha1", 40), ("sha224", 56), ("sha256", 64), ("sha384", 96), ("sha512", 128)]
    {
        let hex = "0".repeat(digits);
        assert_eq!(plain("gnu", format!("{hex}  x")), [format!("x|{name}:{hex}")]);
        assert_eq!(plain("md5deep", format!("{hex}  x")), [format!("x|{name}:{hex}")]);
    }
    let blake3 = ReadOptions { algorithm: Some(algorithms(&["blake3"])[0]), ..ReadOptions::default() };
    let hex = "0".repeat(64);
    assert_eq!(shown("gnu", format!("{hex}  x"), blake3), [format!("x|blake3:{hex}")]);
    assert_eq!(shown("gnu", format!("SHA256 (x) = {hex}"), blake3), [format!("x|sha256:{hex}")]);
    assert_eq!(
        shown("gnu", format!("{MD5}  x"), blake3),
        ["line 1, byte 0: digest does not have the number of hexadecimal digits of its algorithm"]
    );
}

#[test]
fn null_terminated_lists_have_no_escapes_and_any_line_breaks() {
    let options = ReadOptions { null_terminated: true, ..ReadOptions::default() };
    let list = format!("{MD5}  a\nb\r\0{MD5}  back\\slash\0MD5 (c\n) = {MD5}\0");
    let expected = [format!("a\\nb\\r|md5:{MD5}"), format!("back\\\\slash|md5:{MD5}"), format!("c\\n|md5:{MD5}")];
    assert_eq!(shown("gnu", &list, options), expected);
    assert_eq!(
        shown("gnu", format!("\\{MD5}  x\0"), options),
        ["line 1, byte 0: expected a digest at the beginning of the line"]
    );
}

#[test]
fn dialects_of_other_programs() {
    // `openssl dgst -sha256` of OpenSSL 3.0 and 1.1, `xxhsum -H3`, `rhash --bsd`, `b3sum --tag`, `b2sum --tag`.
    let blake2b = algorithms(&["blake2b"])[0].digest(b"hello");
    let blake3 = algorithms(&["blake3"])[0].digest(b"hello");
    for (line, expected) in [
        (format!("SHA2-256(x)= {SHA256}"), format!("sha256:{SHA256}")),
        (format!("SHA256(x)= {SHA256}"), format!("sha256:{SHA256}")),
        ("XXH3 (x) = 9555e8555c62dcfd".to_owned(), "xxh3-64:9555e8555c62dcfd".to_owned()),
        (
            "XXH128 (x) = b5e9c1ad071b3e7fc779cfaa5e523818".to_owned(),
            "xxh3-128:b5e9c1ad071b3e7fc779cfaa5e523818".to_owned(),
        ),
        (format!("SHA1  (x) = {SHA1}"), format!("sha1:{SHA1}")),
        (format!("BLAKE3 (x) = {blake3}"), format!("blake3:{blake3}")),
        (format!("BLAKE2b (x) = {blake2b}"), format!("blake2b:{blake2b}")),
        (format!("SHA256 (x) = {}", SHA256.to_uppercase()), format!("sha256:{SHA256}")),
        ("SHA256 (x) = LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=".to_owned(), format!("sha256:{SHA256}")),
        // OpenSSL's line, whose name states no length.
        (
            "SHAKE-128(x)= 8eb4b6a932f280335ee1a279f8c208a3".to_owned(),
            "shake128-128:8eb4b6a932f280335ee1a279f8c208a3".to_owned(),
        ),
    ] {
        assert_eq!(plain("bsd", &line), [format!("x|{expected}")]);
    }
    // Bits after the end, padding inside, none, too much, and base64 of the hexadecimal's length.
    for wrong in [
        "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCV=",
        "=PJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
        "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ",
        "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=====",
        "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ-",
    ] {
        let read = plain("bsd", format!("SHA256 (x) = {wrong}"));
        assert!(read[0].starts_with("line 1, byte 13: digest"), "{wrong}: {read:?}");
    }
}

#[test]
fn hashdeep() {
    let list = format!(
        "%%%% hashdeep-1.0\r\n%%%% size,sha-1,MD5,filename\r\n## comment\r\n\r\n5,{SHA1},{MD5},a,b \r\n#5,x\n\
         5,{SHA1},x\n5,{SHA1},{MD5},\nfive,{SHA1},{MD5},x\n5,{SHA1},{SHA1},x\n\
         %%%% HASHDEEP-1.0\n%%%% size,md5,filename\n1,{MD5},second list\n"
    );
    assert_eq!(
        plain("hashdeep", list),
        [
            format!("a,b |sha1:{SHA1},md5:{MD5}|5"),
            "line 7, byte 150: expected as many columns as the header names".to_owned(),
            "line 8, byte 271: name is missing".to_owned(),
            "line 9, byte 272: size is not a number".to_owned(),
            "line 10, byte 396: digest does not have the number of hexadecimal digits of its algorithm".to_owned(),
            format!("second list|md5:{MD5}|1"),
        ]
    );
    for (list, reason) in [
        ("", "it ends before its header does"),
        ("%%%% HASHDEEP-1.0\n", "it ends before its header does"),
        ("%%%% HASHDEEP-2.0\n", "the first line is not `%%%% HASHDEEP-1.0`"),
        ("\u{FEFF}%%%% HASHDEEP-1.0\n", "it ends before its header does"),
        ("%%%% HASHDEEP-1.0\nx", "the second line does not begin `%%%% size,`"),
        ("%%%% HASHDEEP-1.0\n%%%% size,md5\n", "the last column is not `filename`"),
        ("%%%% HASHDEEP-1.0\n%%%% size,foo,filename\n", "a column is named after an unknown algorithm"),
        ("%%%% HASHDEEP-1.0\n%%%% size,sha-1,sha1,filename\n", "it has a column twice"),
    ] {
        let read = plain("hashdeep", list);
        assert!(
            read.len() == 1 && read[0].ends_with(&format!("this is not a list in the format `hashdeep`: {reason}")),
            "{read:?}"
        );
    }
}

#[test]
fn md5deep() {
    let options = ReadOptions { piecewise: true, ..ReadOptions::default() };
    for (line, expected) in [
        (format!("{MD5}  /cases/x"), format!("/cases/x|md5:{MD5}")),
        (format!("{MD5} *x"), format!("x|md5:{MD5}")),
        (format!("         5  {MD5}  x"), format!("x|md5:{MD5}|5")),
        (format!("9999999998  {MD5}  x"), format!("x|md5:{MD5}|9999999998")),
        (format!("9999999999  {MD5}  larger"), format!("larger|md5:{MD5}")),
        (format!("         5, {MD5},x,y"), format!("x,y|md5:{MD5}|5")),
        (format!("{MD5} 2026:11:20:14:08:22  x"), format!("x|md5:{MD5}")),
        (format!("{MD5},2026:11:20:14:08:22,x"), format!("2026:11:20:14:08:22,x|md5:{MD5}")),
        (format!("{MD5}  "), format!("|md5:{MD5}")),
        (MD5.to_owned(), format!("|md5:{MD5}")),
        (format!("{MD5}  back\\slash"), format!("back\\\\slash|md5:{MD5}")),
    ] {
        assert_eq!(plain("md5deep", &line), [expected], "{line}");
    }
    let timed = read(format("md5deep-ct"), format!("{MD5},2026:11:20:14:08:22,x").as_bytes(), ReadOptions::default());
    let timed = timed[0].as_ref().unwrap();
    assert_eq!((&timed.path[..], timed.expected.ctime), (&b"x"[..], Some(Timestamp { nanoseconds: 0, ..TIME })));
    assert_eq!(shown("md5deep", format!("{MD5}  x offset 4-9"), options), [format!("x|md5:{MD5}|4+6")]);
    assert_eq!(shown("md5deep", format!("{MD5}  x offset 0-0"), options), [format!("x|md5:{MD5}|0+1")]);
    let nothing = "d41d8cd98f00b204e9800998ecf8427e";
    assert_eq!(shown("md5deep", format!("{nothing}  x offset 0-0"), options), [format!("x|md5:{nothing}|0+0")]);
    // Invalid numbers are part of the name.
    for name in ["x offset 9-4", "x offset 0-18446744073709551615", "x offset -", "x offset 1-2x", "offset 0-1"] {
        assert_eq!(shown("md5deep", format!("{MD5}  {name}"), options), [format!("{name}|md5:{MD5}")]);
    }
    assert_eq!(plain("md5deep", "*".repeat(32)).len(), 1);
    assert_eq!(plain("md5deep", format!("{MD5};x")), ["line 1, byte 32: expected a space or a comma after the digest"]);
}

#[test]
fn sfv() {
    let list =
        "\u{FEFF}; comment\r\n\r\na b  3610A686\r\nlower 3610a686\nnothing\n 3610A686\nx 12345\ntab\t3610A686  \n";
    assert_eq!(
        plain("sfv", list),
        [
            "a b |crc32:3610a686",
            "lower|crc32:3610a686",
            "line 5, byte 46: expected a name, a space and a digest",
            "line 6, byte 54: name is missing",
            "line 7, byte 66: digest does not have the number of hexadecimal digits of its algorithm",
            "tab|crc32:3610a686",
        ]
    );
}

#[test]
fn csv() {
    let list = format!(
        "\u{FEFF}md5,later field,path,size\r\n{MD5},\"a\nb\",\"x,\"\"y\"\"\",5\n,,unread,\n\
         {MD5},,x\n{MD5},,x,5,6\n{MD5},,\"x\"y,5\nfoo,,x,5\n{MD5},,,5\n{MD5},,x,five\n{MD5},,last,"
    );
    assert_eq!(
        plain("csv", list),
        [
            format!("x,\\\"y\\\"|md5:{MD5}|5"),
            "unread|".to_owned(),
            "line 5, byte 126: expected as many fields as the header has".to_owned(),
            "line 6, byte 165: expected as many fields as the header has".to_owned(),
            "line 7, byte 204: expected a separator after the closing quote".to_owned(),
            "line 8, byte 208: digest does not have the number of hexadecimal digits of its algorithm".to_owned(),
            "line 9, byte 217: path is missing".to_owned(),
            "line 10, byte 290: size is not a number".to_owned(),
            format!("last|md5:{MD5}"),
        ]
    );
    // The offset counts the byte-order mark.
    assert_eq!(plain("sfv", "\u{FEFF}x"), ["line 1, byte 3: expected a name, a space and a digest"]);
    assert_eq!(plain("csv", ""), ["line 1, byte 0: this is not a list in the format `csv`: it is empty"]);
    assert_eq!(
        plain("csv", "a,b\n"),
        ["line 1, byte 0: this is not a list in the format `csv`: its first line has no column `path`"]
    );
    assert_eq!(
        plain("csv", format!("path,md5\n\"open,{MD5}\n")),
        [format!("line 2, byte {}: expected a closing quote", 9 + 6 + 32 + 1)]
    );
    assert_eq!(plain("csv", "path,mtime\nx,yesterday\n"), ["line 2, byte 13: mtime is not a time"]);
    // A quote that does not begin a field is a character of it, and each broken line is told by itself.
    assert_eq!(
        plain("csv", "path,size,x\na\"b,5,\nc,5\nd\",6,\ne,7\n"),
        [
            "a\\\"b||5",
            "line 3, byte 22: expected as many fields as the header has",
            "d\\\"||6",
            "line 5, byte 32: expected as many fields as the header has"
        ]
    );
    // The mark is no part of the first field.
    assert_eq!(plain("csv", "\u{FEFF}\"a\nb\",path\nx,y\n"), ["y|"]);
    for header in ["path,md5,crc32,md5\n", "path,size,size\n", "path,path\n"] {
        let read = plain("csv", header);
        assert!(read.len() == 1 && read[0].ends_with("`csv`: it has a column twice"), "{read:?}");
    }
    let piece = |range: &str| plain("csv", format!("path,size,piece_offset,piece_length\nx,5,{range}\nx,,{range}\n"));
    assert_eq!(piece("3,2"), ["x||5|3+2", "x||3+2"]);
    let contradictory = "pieces contradict the size of the file";
    assert_eq!(piece("3,3"), [format!("line 2, byte 36: {contradictory}"), "x||3+3".to_owned()]);
    assert!(piece("1,18446744073709551615").iter().all(|read| read.ends_with(contradictory)));
}

/// A simple reference implementation of quoting.
#[test]
fn csv_is_what_the_csv_crate_reads() {
    let algorithms = algorithms(&["md5", "crc32"]);
    let records: Vec<_> = odd_names().iter().map(|name| hello(name, &algorithms)).chain(failures()).collect();
    let document = document(format("csv"), &algorithms, &Default::default(), &records);
    let mut reader = ::csv::Reader::from_reader(&document[..]);
    assert_eq!(reader.byte_headers().unwrap(), &["path", "size", "mtime", "outcome", "error", "md5", "crc32"][..]);
    let rows: Vec<::csv::ByteRecord> = reader.byte_records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(&records) {
        assert_eq!(&row[0], record.path);
        assert_eq!(&row[3], record.outcome.word().as_bytes());
        assert_eq!(&row[5], record.digests.first().map(ToString::to_string).unwrap_or_default().as_bytes());
    }
}

/// Lines after a second header are read as those after the first only if they mean the same.
#[test]
fn two_lists_of_json_lines_in_one() {
    let header = |algorithms: &str, directory: &str| {
        format!("{{\"type\":\"header\",\"version\":1,\"algorithms\":[{algorithms}],\"directory\":\"{directory}\"}}\n")
    };
    let file = |path: &str| format!("{{\"type\":\"file\",\"path\":\"{path}\",\"outcome\":\"complete\"}}\n");
    let first = header("\"md5\",\"sha1\"", "/a") + &file("x");
    assert_eq!(plain("jsonl", first.repeat(2)), ["x|", "x|"]);
    let other_order = header("\"sha1\",\"md5\"", "/a");
    assert_eq!(plain("jsonl", format!("{first}{other_order}{}", file("y"))), ["x|", "y|"]);

    // From another directory, only absolute paths tell their files, until the first directory comes again.
    let elsewhere = header("\"md5\",\"sha1\"", "/b") + &file("/y");
    let error = format!(
        "line 5, byte {}: expected an absolute path, since the directory is not that of the first header",
        first.len() + elsewhere.len()
    );
    let all = format!("{first}{elsewhere}{}{first}", file("z"));
    assert_eq!(plain("jsonl", all), ["x|", "/y|", &error[..], "x|"]);

    let error = format!(
        "line 3, byte {}: this is not a list in the format `jsonl`: it has a second header, of a run with other \
         digests; give the lists one by one",
        first.len()
    );
    for other in [header("\"md5\"", "/a"), header("\"md5\",\"sha1\",\"sha256\"", "/a")] {
        assert_eq!(plain("jsonl", format!("{first}{other}{}", file("y"))), ["x|", &error[..]]);
    }
}

#[test]
fn json_lines() {
    let file = |fields: &str| format!("{{\"type\":\"file\",{fields}}}\n");
    let complete = format!("\"path\":\"x\",\"outcome\":\"complete\",\"digests\":{{\"md5\":\"{MD5}\"}}");
    let again = |digest: &str| complete.replace("\"}", &format!("\",\"md5\":\"{digest}\"}}"));
    let piece = |offset: &str, length: &str| {
        format!(",\"pieces\":[{{\"offset\":{offset},\"length\":{length},\"digests\":{{}}}}]")
    };
    for (line, expected) in [
        (file(&complete), format!("x|md5:{MD5}")),
        (file(&(complete.clone() + ",\"later\":[{}]")), format!("x|md5:{MD5}")),
        (file(&complete.replace('{', "{\"later\":{\"a\":1},")), format!("x|md5:{MD5}")),
        (file(&complete.replace("\"x\"", "\"\\u0041\\n\"")), format!("A\\n|md5:{MD5}")),
        (file(&complete.replace("\"x\"", "\"?\",\"path_base64\":\"/w==\"")), format!("\\xff|md5:{MD5}")),
        (file("\"path\":\"x\",\"size\":7,\"outcome\":\"unreadable\""), "x||7".to_owned()),
        // The same digest twice is the same, and another one contradicts it.
        (file(&again(MD5)), format!("x|md5:{MD5}")),
        (file(&again(&MD5.replace('5', "6"))), "line 1, byte 0: digests contradict each other".to_owned()),
        (
            file(&(complete.clone() + ",\"size\":5" + &piece("3", "3"))),
            "line 1, byte 0: pieces contradict the size of the file".to_owned(),
        ),
        (
            file(&(complete.clone() + &piece("18446744073709551615", "1"))),
            "line 1, byte 0: pieces contradict the size of the file".to_owned(),
        ),
        // The error of the digest.
        (
            file(&complete.replace("md5", "md6")),
            "line 1, byte 0: there is no algorithm or similarity family `md6`".to_owned(),
        ),
        // An empty argument is listed like any other that cannot be read, and bytes in memory have no name.
        (file(&complete.replace("\"x\"", "\"\"")), format!("|md5:{MD5}")),
        (
            file(&complete.replace("\"x\"", "\"?\",\"path_base64\":\"=\"")),
            "line 1, byte 0: path_base64 is not base64".to_owned(),
        ),
        (file(&(complete.clone() + ",\"mtime\":\"now\"")), "line 1, byte 0: mtime is not a time".to_owned()),
        (file(&complete.replace(MD5, SHA1)), "line 1, byte 110: digest is not 16 bytes in hexadecimal".to_owned()),
        (file("\"path\":\"x\""), "line 1, byte 25: missing field `outcome`".to_owned()),
        ("[\"file\"]\n".to_owned(), "line 1, byte 0: expected an object".to_owned()),
        ("{}\n".to_owned(), "line 1, byte 1: missing field `type`".to_owned()),
    ] {
        let read = plain("jsonl", &line);
        assert_eq!(read.len(), 1, "{line}");
        let words = |text: &str| text.split_once(": ").map(|(_, words)| words.to_owned()).unwrap_or(text.to_owned());
        assert_eq!(words(&read[0]), words(&expected), "{line}");
    }
    for ignored in
        ["\n", "{\"type\":\"summary\"}\n", "{\"type\":\"later\",\"path\":1}\n", "{\"type\":\"header\",\"version\":1}\n"]
    {
        assert!(plain("jsonl", ignored).is_empty(), "{ignored}");
    }
    assert_eq!(
        plain("jsonl", "{\"type\":\"header\",\"version\":2}\n"),
        ["line 1, byte 0: this is not a list in the format `jsonl`: its version is not known; a newer pfh wrote it"]
    );
    let whole = file(&complete);
    let torn = format!("{whole}{}", &whole[..40]);
    assert_eq!(
        plain("jsonl", &torn),
        [format!("x|md5:{MD5}"), format!("line 2, byte {}: the last line is incomplete", whole.len())]
    );
    assert_eq!(plain("jsonl", whole.trim_end()), [format!("x|md5:{MD5}")]);
}

#[test]
fn messages_about_json_name_no_types_of_the_program() {
    for (field, expected) in [
        ("\"host\":\"vm\"", "invalid type: string \"vm\", expected an object"),
        ("\"uid\":-1", "invalid value: integer `-1`, expected an integer from 0 to 4294967295"),
        ("\"algorithms\":1", "invalid type: integer `1`, expected an array"),
        ("\"program\":1", "invalid type: integer `1`, expected a string"),
    ] {
        let read = plain("jsonl", format!("{{\"type\":\"header\",\"version\":1,{field}}}\n"));
        assert!(read.len() == 1 && read[0].ends_with(expected), "{read:?}");
    }
}
