//! The likely columns of a table, found in its beginning.

use std::borrow::Cow;

use pfh_digest::{Algorithm, Status};

use super::COLUMNS_MAX;
use super::columns::likely_separator;
use crate::csv::Fields;
use crate::parse::DIGEST_DIGITS_MIN;
use crate::text::hex_run;

/// The usual digests of tables: their hexadecimal digits, and their algorithms.
const DIGESTS: [(usize, &str); 5] = [(32, "md5"), (40, "sha1"), (64, "sha256"), (96, "sha384"), (128, "sha512")];

/// The name of a column has fewer.
const HEAD_BYTES_MAX: usize = 256;

/// Returns the likely columns of a table, as [`super::Columns`] are written: its first line names columns with digests,
/// and the second has one; or the first has several digests, or one after something else. `None` for other beginnings,
/// such as that of a list of digests and names.
pub(crate) fn likely_columns(start: &[u8]) -> Option<String> {
    let lines = start.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut lines = lines.filter(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    let first = lines.next()?;
    let separator = likely_separator(first);
    let fields = split(first, separator)?;
    let columns = match &digests(&fields)[..] {
        [] => {
            // The names alone could be those of anything.
            let line = lines.next()?;
            let second = split(line, separator)?;
            let found = digests(&second);
            // A heading above digests and names, which are read as such.
            let is_list =
                fields.len() == 2 && second.len() == 2 && separator != b';' && hex_run(line) >= DIGEST_DIGITS_MIN;
            if found.is_empty() || is_list && matches!(found[..], [(0, _)]) {
                return None;
            }
            named(&fields)?
        }
        // A digest and a name, as md5deep writes them, or nothing but a digest.
        [(0, _)] => return None,
        // The first field begins with a digest, too, which a name with separators follows.
        [(1.., _), ..] if hex_run(&fields[0]) >= DIGEST_DIGITS_MIN => return None,
        found => found.iter().map(|(index, role)| (*role, (index + 1).to_string())).collect(),
    };
    let columns: Vec<String> = columns.iter().map(|(role, column)| format!("{role}={column}")).collect();
    Some(columns.join(","))
}

/// Returns the fields of a line; `None` if its quotes are broken.
fn split(line: &[u8], separator: u8) -> Option<Vec<Cow<'_, [u8]>>> {
    Fields::new(line, separator).take(COLUMNS_MAX).map(|field| Some(field.ok()?.1)).collect()
}

/// Returns the fields that are digests, each by another algorithm: their index, and the algorithm.
fn digests(fields: &[Cow<'_, [u8]>]) -> Vec<(usize, &'static str)> {
    let mut found: Vec<(usize, &'static str)> = Vec::new();
    for (index, field) in fields.iter().enumerate().filter(|(_, field)| hex_run(field) == field.len()) {
        let usual = DIGESTS.iter().find(|(digits, _)| *digits == field.len());
        if let Some((_, name)) = usual
            && !found.iter().any(|(_, other)| other == name)
        {
            found.push((index, *name));
        }
    }
    found
}

/// Returns the columns of a header, each with its role; `None` if none of them has digests.
fn named(fields: &[Cow<'_, [u8]>]) -> Option<Vec<(&'static str, String)>> {
    let (mut columns, mut has_digest) = (Vec::<(&'static str, String)>::new(), false);
    for (index, field) in fields.iter().enumerate() {
        let name = field.trim_ascii();
        if name.len() > HEAD_BYTES_MAX {
            continue;
        }
        let Some((role, is_digest)) = str::from_utf8(name).ok().and_then(role_of) else { continue };
        if columns.iter().any(|(other, _)| *other == role) {
            continue;
        }
        has_digest |= is_digest;
        // Others would need quotes.
        let is_plain = name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        let column = if is_plain { String::from_utf8_lossy(name).into_owned() } else { (index + 1).to_string() };
        columns.push((role, column));
    }
    has_digest.then_some(columns)
}

/// Returns the role of a column with this head, and whether it has digests.
fn role_of(head: &str) -> Option<(&'static str, bool)> {
    let letters: String = head.chars().filter(|letter| !matches!(letter, ' ' | '_')).collect();
    let letters = letters.to_ascii_lowercase();
    Some(match &*letters {
        "hash" | "digest" | "hashvalue" => ("digest", true),
        "name" | "filename" | "path" | "filepath" => ("name", false),
        "size" | "filesize" => ("size", false),
        "category" => ("category", false),
        letters => {
            // `MD5 hash`.
            let algorithm = Algorithm::from_name(letters.strip_suffix("hash").unwrap_or(letters)).ok()?;
            (algorithm.status() != Status::Checksum).then_some((algorithm.name(), true))?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Columns;

    const MD5: &str = "5d41402abc4b2a76b9719d911017c592";
    const SHA1: &str = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";
    const SHA256: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    #[test]
    fn columns_are_found() {
        for (text, expected) in [
            (
                format!("MD5,SHA1,FileName,Size,Category\r\n{MD5},{SHA1},\"bad, really.jpg\",7428,1\r\n"),
                "md5=MD5,sha1=SHA1,name=FileName,size=Size,category=Category",
            ),
            (format!("MD5;Filename;Size;Category\n{MD5};a;1;1\n"), "md5=MD5,name=Filename,size=Size,category=Category"),
            (format!("\"SHA-256\",\"File Name\"\n\"{SHA256}\",\"a\"\n"), "sha256=SHA-256,name=2"),
            (format!("Id\tMD5 Hash\tfile_path\n1\t{MD5}\ta\n"), "md5=2,name=file_path"),
            (format!("# made by hand\n\nmd5;sha1;name\n{MD5};{SHA1};a\n"), "md5=md5,sha1=sha1,name=name"),
            (format!("hash\n{MD5}\n"), "digest=hash"),
            (format!("{MD5},{SHA1},{SHA256}\n"), "md5=1,sha1=2,sha256=3"),
            (format!("{MD5}\t{SHA1}\ta\n"), "md5=1,sha1=2"),
            (format!("\"{SHA1}\",\"{MD5}\"\n"), "sha1=1,md5=2"),
            (format!("a.jpg;{MD5}\n"), "md5=2"),
        ] {
            assert_eq!(likely_columns(text.as_bytes()).as_deref(), Some(expected), "{text}");
            // They are columns of the table.
            let columns: Columns = expected.parse().unwrap();
            let first = text.lines().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap();
            assert!(columns.roles(first.as_bytes()).is_some(), "{text}");
        }
    }

    #[test]
    fn lists_are_no_tables() {
        for text in [
            String::new(),
            format!("{MD5}\n{MD5}\n"),
            format!("{MD5}  a\n"),
            format!("{MD5}  a,{SHA1}\n"),
            format!("{MD5},a\n"),
            format!("{MD5},{MD5}\n"),
            format!("{MD5},a;{SHA1};b\n"),
            format!("MD5 (a) = {MD5}\n"),
            format!("MD5\n{MD5}  a\n"),
            format!("md5,filename\n{MD5},a\n"),
            format!("hash\tpath\n{MD5}\ta\n"),
            "MD5,SHA1,name\n".to_owned(),
            "MD5,SHA1,name\nx,y,z\n".to_owned(),
            format!("id,size\n{MD5},1\n"),
            format!("crc32,size\n{MD5},1\n"),
        ] {
            assert_eq!(likely_columns(text.as_bytes()), None, "{text}");
        }
    }
}
