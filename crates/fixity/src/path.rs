//! Paths below a root, and their order.

use std::borrow::Cow;
use std::fmt;

use unicode_normalization::UnicodeNormalization;

/// The longest path that is compared, in bytes. Linux takes 4,096 in a call; deeper files can be reached step by step.
pub const PATH_BYTES_MAX: usize = 16 << 10;

/// The reason why a path of a list names no file below a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// It is empty.
    Empty,
    /// It begins with `/`.
    Absolute,
    /// It does not begin with the prefix that is to be removed.
    OtherPrefix,
    /// It has a component `..`, which could lead out of the root.
    Parent,
    /// It has a NUL byte, which no path of the system has.
    Nul,
    /// It is longer than [`PATH_BYTES_MAX`].
    TooLong,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PathError::Empty => "there is no path",
            PathError::Absolute => "the path is absolute and not below the root",
            PathError::OtherPrefix => "the path does not begin with the prefix that is to be removed",
            PathError::Parent => "the path has a component `..`, which could lead out of the root",
            PathError::Nul => "the path has a NUL byte",
            PathError::TooLong => return write!(f, "the path is longer than {PATH_BYTES_MAX} bytes"),
        })
    }
}

impl std::error::Error for PathError {}

/// Whether two paths have the same letters, and compose some of them otherwise (Unicode normalization forms, UAX #15).
pub fn composes_otherwise(path: &[u8], other: &[u8]) -> bool {
    match (std::str::from_utf8(path), std::str::from_utf8(other)) {
        (Ok(path), Ok(other)) => path != other && path.nfc().eq(other.nfc()),
        _ => false,
    }
}

/// Returns the path without components that mean nothing: `.` and empty ones.
///
/// # Errors
/// [`PathError`].
pub fn below_root(path: &[u8]) -> Result<Cow<'_, [u8]>, PathError> {
    if path.first() == Some(&b'/') {
        return Err(PathError::Absolute);
    }
    if memchr::memchr(0, path).is_some() {
        return Err(PathError::Nul);
    }
    // Most paths of lists have nothing to leave out but this.
    let path = path.strip_prefix(b"./").unwrap_or(path);
    let components = || path.split(|byte| *byte == b'/');
    if components().all(|component| !matches!(component, b"" | b"." | b"..")) {
        return if path.len() > PATH_BYTES_MAX { Err(PathError::TooLong) } else { Ok(Cow::Borrowed(path)) };
    }
    let mut below = Vec::with_capacity(path.len().min(PATH_BYTES_MAX));
    for component in components() {
        match component {
            b"" | b"." => continue,
            b".." => return Err(PathError::Parent),
            _ => {}
        }
        if !below.is_empty() {
            below.push(b'/');
        }
        below.extend_from_slice(component);
        if below.len() > PATH_BYTES_MAX {
            return Err(PathError::TooLong);
        }
    }
    if below.is_empty() { Err(PathError::Empty) } else { Ok(Cow::Owned(below)) }
}

/// Appends a key whose order by bytes is that of a walk: names sorted by bytes, and what a directory contains at the
/// place of its name. So `/` comes before all other bytes. No key is the beginning of another.
pub(crate) fn push_key(path: &[u8], out: &mut Vec<u8>) {
    out.extend(path.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }));
    out.extend_from_slice(&[0, 0]);
}

/// Splits bytes after the key that they begin with.
pub(crate) fn split_key(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut end = 0;
    // Searching for two bytes at once takes longer than looking at the few names of a path.
    loop {
        end += memchr::memchr(0, &bytes[end..])? + 1;
        if *bytes.get(end)? == 0 {
            return bytes.split_at_checked(end + 1);
        }
    }
}

/// Appends the path of a key.
pub(crate) fn push_path(key: &[u8], out: &mut Vec<u8>) {
    let path = key.strip_suffix(&[0, 0]).unwrap_or(key);
    out.extend(path.iter().map(|byte| if *byte == 0 { b'/' } else { *byte }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_root() {
        for (path, below) in
            [("a", "a"), ("./a", "a"), ("./a//b/./c/", "a/b/c"), ("...", "..."), (" a", " a"), ("a\\..\\b", "a\\..\\b")]
        {
            assert_eq!(below_root(path.as_bytes()).as_deref(), Ok(below.as_bytes()), "{path}");
        }
        for (path, error) in [
            ("", PathError::Empty),
            ("./", PathError::Empty),
            ("./.", PathError::Empty),
            ("/a", PathError::Absolute),
            ("..", PathError::Parent),
            ("a/../../b", PathError::Parent),
            ("a\0b", PathError::Nul),
        ] {
            assert_eq!(below_root(path.as_bytes()), Err(error), "{path:?}");
        }
        assert_eq!(below_root(&b"a/".repeat(1_000_000)), Err(PathError::TooLong));
        assert_eq!(below_root(&[b'a'; PATH_BYTES_MAX]).map(|path| path.len()), Ok(PATH_BYTES_MAX));
    }

    #[test]
    fn keys_have_the_order_of_a_walk() {
        let walked = ["a", "a/b", "a/b/c", "a/b-c", "a/bc", "a b", "a-b", "a.txt", "ab", "b"];
        let keys: Vec<Vec<u8>> = walked
            .iter()
            .map(|path| {
                let mut key = Vec::new();
                push_key(path.as_bytes(), &mut key);
                key.push(7);
                let (own, rest) = split_key(&key).unwrap();
                let mut read = Vec::new();
                push_path(own, &mut read);
                assert_eq!((&read[..], rest), (path.as_bytes(), &[7][..]));
                key
            })
            .collect();
        assert!(keys.is_sorted());
    }
}
