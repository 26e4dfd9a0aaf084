//! Reads the lists that contenders print, so that their digests can be compared.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

/// The form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// `digest  path` or `digest *path` as coreutils, md5deep, RHash, b3sum and `openssl dgst -r` print.
    Lines,
    /// hashdeep 1.0: size, digests and path between commas, after lines that begin with `%` or `#`.
    Hashdeep,
}

/// Digests (joined by commas where there are several) by path.
pub(super) type Digests = BTreeMap<Vec<u8>, Vec<u8>>;

/// Reads a whole list. The corpora have no names that any of these forms escapes.
pub(super) fn parse(list: List, text: &[u8]) -> Result<Digests> {
    let mut digests = Digests::new();
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        if list == List::Hashdeep && (line[0] == b'%' || line[0] == b'#') {
            continue;
        }
        let entry = match list {
            List::Lines => parse_line(line),
            List::Hashdeep => parse_hashdeep(line),
        };
        let (path, digest) = entry.with_context(|| format!("not a digest: {:?}", String::from_utf8_lossy(line)))?;
        let path = path.strip_prefix(b"./").unwrap_or(path);
        if digests.insert(path.to_vec(), digest.to_ascii_lowercase()).is_some() {
            bail!("`{}` is listed twice", String::from_utf8_lossy(path));
        }
    }
    Ok(digests)
}

fn parse_line(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|&byte| byte == b' ')?;
    let (digest, rest) = line.split_at(end);
    let path = rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b" *"))?;
    (is_hex(digest) && !path.is_empty()).then_some((path, digest))
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
    (count + surplus > 0)
        .then(|| format!("{count} files missing or with another digest{example}, {surplus} more files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";

    #[test]
    fn lines() {
        for line in [format!("{MD5}  a/b c\n"), format!("{MD5} *./a/b c\n"), format!("{}  a/b c", MD5.to_uppercase())] {
            let digests = parse(List::Lines, line.as_bytes()).expect("valid");
            assert_eq!(digests.get(b"a/b c".as_slice()).map(Vec::as_slice), Some(MD5.as_bytes()), "{line}");
        }
        for wrong in ["x", "abc  a", &format!("{MD5} a"), &format!("{MD5}  "), &format!("{MD5}  a\n{MD5}  a\n")] {
            assert!(parse(List::Lines, wrong.as_bytes()).is_err(), "{wrong}");
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
    fn differences_are_told() {
        let digests = |list: &[(&str, &str)]| -> Digests {
            list.iter().map(|(path, digest)| (path.as_bytes().to_vec(), digest.as_bytes().to_vec())).collect()
        };
        let expected = digests(&[("a", "1"), ("b", "2"), ("c", "3")]);
        assert_eq!(difference(&expected, &expected), None);
        let observed = digests(&[("a", "1"), ("b", "9"), ("d", "4")]);
        let told = difference(&expected, &observed).expect("they differ");
        assert_eq!(told, "2 files missing or with another digest, `b` for one, 1 more files");
    }
}
