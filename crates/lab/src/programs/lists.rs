//! Reads the lists that programs print, so that their digests can be compared.

use crate::quantity::counted;
use std::collections::BTreeMap;

use crate::experiment::trials::List;

/// Digests (joined by commas where there are several) by path.
pub(super) type Digests = BTreeMap<Vec<u8>, Vec<u8>>;

/// Reads a whole list. Names with control characters have an escape only in lists of digests.
///
/// # Errors
/// The line that is none of such a list, or a name that is listed twice.
pub(super) fn parse(list: List, text: &[u8]) -> Result<Digests, String> {
    let mut digests = Digests::new();
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        if list == List::Hashdeep && (line[0] == b'%' || line[0] == b'#') {
            continue;
        }
        let entry = match list {
            List::Digests => parse_line(line),
            List::Hashdeep => parse_hashdeep(line),
            List::Similarity if line.starts_with(b"ssdeep,1.1--") => continue,
            // TLSH of before 4.0 writes no version.
            List::Similarity => Some((line.strip_prefix(b"T1").unwrap_or(line), &b""[..])),
            List::Pairs => {
                let (pair, score) =
                    parse_pair(line).ok_or_else(|| format!("no pair: {:?}", String::from_utf8_lossy(line)))?;
                // Some print each pair in both directions.
                digests.insert(pair, score);
                continue;
            }
        };
        let (path, digest) = entry.ok_or_else(|| format!("not a digest: {:?}", String::from_utf8_lossy(line)))?;
        // coreutils mark a line whose name has escapes.
        let (path, digest) = match digest.strip_prefix(b"\\") {
            Some(digest) => (unescaped(path), digest),
            None => (path.to_vec(), digest),
        };
        let path = path.strip_prefix(b"./").map_or_else(|| path.clone(), <[u8]>::to_vec);
        if digests.insert(path.clone(), digest.to_ascii_lowercase()).is_some() {
            return Err(format!("`{}` is listed twice", String::from_utf8_lossy(&path)));
        }
    }
    Ok(digests)
}

fn parse_line(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|&byte| byte == b' ')?;
    let (digest, rest) = line.split_at(end);
    let path = rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b" *"))?;
    (is_hex(digest.strip_prefix(b"\\").unwrap_or(digest)) && !path.is_empty()).then_some((path, digest))
}

/// A name without the escapes of coreutils: `\\`, `\n` and `\r`.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let (mut plain, mut bytes) = (Vec::with_capacity(name.len()), name.iter());
    while let Some(&byte) = bytes.next() {
        let escaped = match (byte, bytes.as_slice().first()) {
            (b'\\', Some(b'n')) => b'\n',
            (b'\\', Some(b'r')) => b'\r',
            (b'\\', Some(b'\\')) => b'\\',
            _ => {
                plain.push(byte);
                continue;
            }
        };
        plain.push(escaped);
        bytes.next();
    }
    plain
}

/// `size,digest,…,path`: the path may hold commas, digests are long and hexadecimal.
fn parse_hashdeep(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = line.iter().position(|&byte| byte == b',')? + 1;
    let mut end = start;
    while let Some(length) = line[end..].iter().position(|&byte| byte == b',') {
        if !is_hex(&line[end..end + length]) {
            break;
        }
        end += length + 1;
    }
    (end > start && end < line.len()).then(|| (&line[end..], &line[start..end - 1]))
}

/// Two names and a score: the lesser name first, since programs differ in that, and without what `ssdeep -x` puts
/// before a name, the name of its list.
fn parse_pair(line: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let text = str::from_utf8(line).ok()?;
    let (names, score) = match text.strip_suffix(')') {
        Some(text) => text.rsplit_once(" (")?,
        None => text.rsplit_once('|')?,
    };
    let names = names.split_once(" matches ").or_else(|| names.split_once('|'))?;
    let bare = |name: &'_ str| name.split_once(".ssdeep:").map_or(name, |(_, name)| name).to_owned();
    let (a, b) = (bare(names.0), bare(names.1));
    let score: u8 = score.parse().ok()?;
    Some((format!("{}\n{}", a.as_str().min(&b), a.as_str().max(&b)).into_bytes(), score.to_string().into_bytes()))
}

/// At least the length of an MD5.
fn is_hex(text: &[u8]) -> bool {
    text.len() >= 32 && text.iter().all(u8::is_ascii_hexdigit)
}

/// How two lists differ, in words; `None` when they do not.
pub(super) fn difference(expected: &Digests, observed: &Digests) -> Option<String> {
    let differs = |(path, digest): &(&Vec<u8>, &Vec<u8>)| observed.get(*path) != Some(*digest);
    let mut wrong = expected.iter().filter(differs);
    let surplus = observed.keys().filter(|path| !expected.contains_key(*path)).count();
    let example = wrong.next();
    let count = wrong.count() + usize::from(example.is_some());
    let example = example.map(|(path, _)| format!(", `{}` for one", String::from_utf8_lossy(path))).unwrap_or_default();
    (count + surplus > 0).then(|| {
        let wrong = counted(count, "file", "files");
        let surplus = counted(surplus, "more file", "more files");
        format!("{wrong} missing or with another digest{example}, {surplus}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";

    #[test]
    fn lines() {
        for line in [format!("{MD5}  a/b c\n"), format!("{MD5} *./a/b c\n"), format!("{}  a/b c", MD5.to_uppercase())] {
            let digests = parse(List::Digests, line.as_bytes()).expect("valid");
            assert_eq!(digests.get(b"a/b c".as_slice()).map(Vec::as_slice), Some(MD5.as_bytes()), "{line}");
        }
        let escaped = parse(List::Digests, format!("\\{MD5}  ./a\\nb\\\\n\\r\n").as_bytes()).expect("valid");
        assert_eq!(escaped.keys().collect::<Vec<_>>(), [b"a\nb\\n\r"]);
        for wrong in ["x", "abc  a", &format!("{MD5} a"), &format!("{MD5}  "), &format!("{MD5}  a\n{MD5}  a\n")] {
            assert!(parse(List::Digests, wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hashdeep() {
        let text = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,filename\n## $ hashdeep\n##\n0,{MD5},{MD5},a,b\n");
        let digests = parse(List::Hashdeep, text.as_bytes()).expect("valid");
        assert_eq!(digests.get(b"a,b".as_slice()).map(Vec::as_slice), Some(format!("{MD5},{MD5}").as_bytes()));
        for wrong in ["0", "0,abc,a", &format!("0,{MD5}"), &format!("0,{MD5},")] {
            assert!(parse(List::Hashdeep, wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn similarity_digests() {
        let parse = |text: &str| parse(List::Similarity, text.as_bytes()).expect("valid");
        assert_eq!(parse("ssdeep,1.1--blocksize:hash:hash,filename\n3:a:b,\"x\"\n\n"), parse("3:a:b,\"x\"\n"));
        assert_eq!(parse("T1AB\tx\nT1CD\ty\n"), parse("CD\ty\nAB\tx\n"));
        assert_ne!(parse("T1AB\tx\n"), parse("T1AC\tx\n"));
    }

    #[test]
    fn pairs() {
        let parse = |text: &str| parse(List::Pairs, text.as_bytes()).expect("valid");
        let both = "l.ssdeep:a matches l.ssdeep:b (66)\nl.ssdeep:b matches l.ssdeep:a (66)\n";
        assert_eq!(parse("b matches a (66)\n"), parse(both));
        assert_eq!(parse("a|b|034\n"), parse("b|a|34\n"));
        assert_ne!(parse("a|b|034\n"), parse("a|b|35\n"));
        for wrong in ["a b 3", "a|b", "a|b|x", "a matches b 3", "a matches b (x)"] {
            assert!(super::parse(List::Pairs, wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn differences_are_told() {
        let digests = |list: &[(&str, &str)]| -> Digests {
            list.iter().map(|(path, digest)| (path.as_bytes().to_vec(), digest.as_bytes().to_vec())).collect()
        };
        let expected = digests(&[("a", "1"), ("b", "2"), ("c", "3")]);
        assert_eq!(difference(&expected, &expected), None);
        let observed = digests(&[("a", "1"), ("b", "9"), ("d", "4")]);
        let told = difference(&expected, &observed).expect("they differ");
        assert_eq!(told, "2 files missing or with another digest, `b` for one, 1 more file");
    }
}
