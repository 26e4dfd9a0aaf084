//! Events, and what was seen of a file.

use pfh_digest::{Algorithm, Digest};
use pfh_record::Timestamp;

use crate::Finding;

/// The answer of the filesystem about a file: the stamp by which an unchanged file is recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Size in bytes.
    pub size: u64,
    /// Time of the last modification.
    pub mtime: Timestamp,
    /// Time of the last change of the inode.
    pub ctime: Timestamp,
    /// Inode number.
    pub inode: u64,
}

impl Seen {
    /// Whether size, modification time and inode are the same: as far as the filesystem knows, nobody wrote.
    pub fn is_unwritten_since(&self, earlier: &Seen) -> bool {
        let part = |seen: &Seen| (seen.size, seen.mtime, seen.inode);
        part(self) == part(earlier)
    }

    /// Whether the file may have been written once more after it was read, and have the same stamp: the filesystem
    /// keeps whole seconds, and the last of them may not have been over. `began` is when the run that read it began,
    /// and `written` when it wrote the event, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) fn may_hide_writes(&self, began: i64, written: i64) -> bool {
        // A time to come is no time of writing. Where it is one, by a clock ahead, nothing would ever be unchanged.
        self.has_whole_seconds() && [self.mtime, self.ctime].iter().any(|time| time.may_be_within(began, written))
    }

    /// Whether none of its times has a fraction, as on filesystems that keep none.
    pub(crate) fn has_whole_seconds(&self) -> bool {
        (self.mtime.nanoseconds, self.ctime.nanoseconds) == (0, 0)
    }
}

/// The digests of a file by the algorithms of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    /// The names of the algorithms, separated by commas, in the order of the bytes.
    pub algorithms: String,
    /// The digests, one after the other.
    pub bytes: Vec<u8>,
}

impl Digests {
    /// Joins digests.
    pub fn new(digests: &[Digest]) -> Digests {
        let names: Vec<String> = digests.iter().map(|digest| digest.algorithm().to_string()).collect();
        let bytes = digests.iter().flat_map(|digest| digest.bytes().iter().copied()).collect();
        Digests { algorithms: names.join(","), bytes }
    }

    /// Returns the digests; none if an algorithm is unknown or the bytes do not fit.
    pub fn split(&self) -> Vec<Digest> {
        let mut rest = &self.bytes[..];
        let mut digests = Vec::new();
        for name in self.algorithms.split(',') {
            let Ok(algorithm) = name.parse::<Algorithm>() else { return Vec::new() };
            let Some((bytes, after)) = rest.split_at_checked(algorithm.digest_bytes()) else { return Vec::new() };
            digests.extend(Digest::new(algorithm, bytes));
            rest = after;
        }
        if rest.is_empty() { digests } else { Vec::new() }
    }

    /// Compares with the digests that were expected: whether those by the algorithms of both agree; `None` if they
    /// have no algorithm in common.
    pub fn agree_with(&self, expected: &Digests) -> Option<bool> {
        if self.algorithms == expected.algorithms {
            return Some(self.bytes == expected.bytes);
        }
        let known = expected.split();
        let mut agree = None;
        for digest in self.split() {
            if let Some(known) = known.iter().find(|known| known.algorithm() == digest.algorithm()) {
                agree = Some(agree.unwrap_or(true) && *known == digest);
            }
        }
        agree
    }
}

/// The file that an event is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// Number of the root, from 0.
    pub root: u32,
    /// The path below the root in raw bytes; empty if the root is a file.
    pub path: Vec<u8>,
}

impl Subject {
    /// Returns the root and the path below it for an absolute path: the subject by which a ledger with these roots
    /// knows it; `None` if it is below none of them.
    pub fn below(roots: &[Vec<u8>], path: &[u8]) -> Option<Subject> {
        (0..).zip(roots).find_map(|(number, root)| {
            let below: &[u8] = match path.strip_prefix(&root[..])? {
                [] => &[],
                [b'/', rest @ ..] => rest,
                rest if root.ends_with(b"/") => rest,
                _ => return None,
            };
            Some(Subject { root: number, path: below.to_vec() })
        })
    }

    /// Returns the range in which all paths below this one are, and no others: its begin and, unless all paths of the
    /// root are in it, its end.
    pub(crate) fn range_below(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        match &self.path[..] {
            [] => (Vec::new(), None),
            // The byte after the slash is `0`.
            path => ([path, b"/"].concat(), Some([path, b"0"].concat())),
        }
    }
}

/// An event. It is never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number, from 1 without gaps.
    pub id: i64,
    /// The number of the run; 0 before the first.
    pub run: i64,
    /// Its kind.
    pub finding: Finding,
    /// When it was written, in seconds since 1970-01-01T00:00:00Z, by the clock of the machine.
    pub time: i64,
    /// The file.
    pub subject: Option<Subject>,
    /// The answer of the filesystem about the file; `None` if there is none, or it is the one of an event before.
    pub seen: Option<Seen>,
    /// The digests that were computed; `None` if there are none, or they are the expected ones.
    pub digests: Option<Digests>,
    /// The event that states what was expected.
    pub expected: Option<i64>,
    /// The other file: the one from which, or to which, the contents were moved or copied.
    pub other: Option<Subject>,
    /// Text of the event: JSON; of a root, its path in raw bytes.
    pub note: Option<Vec<u8>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(names: &[&str], message: &[u8]) -> Digests {
        let all: Vec<Digest> = names.iter().map(|name| Algorithm::from_name(name).unwrap().digest(message)).collect();
        Digests::new(&all)
    }

    #[test]
    fn only_paths_below_a_root_have_a_subject() {
        let roots = [b"/a".to_vec(), b"/b/c".to_vec()];
        let below = |path: &str| Subject::below(&roots, path.as_bytes()).map(|at| (at.root, at.path));
        assert_eq!(below("/a"), Some((0, Vec::new())));
        assert_eq!(below("/a/x/y"), Some((0, b"x/y".to_vec())));
        assert_eq!(below("/b/c/x"), Some((1, b"x".to_vec())));
        for path in ["", "x", "a/x", "/ab", "/b", "/b/cx"] {
            assert_eq!(below(path), None, "{path}");
        }
        let whole = Subject { root: 0, path: b"x".to_vec() };
        assert_eq!(Subject::below(&[b"/".to_vec()], b"/x"), Some(whole));
    }

    #[test]
    fn only_recent_times_of_whole_seconds_may_hide_writes() {
        let seen = |seconds, nanoseconds| {
            let time = Timestamp { seconds, nanoseconds };
            Seen { mtime: time, ctime: time, ..Seen::default() }
        };
        for (seconds, nanoseconds, may_hide) in
            [(97, 0, false), (98, 0, true), (98, 1, false), (110, 0, true), (112, 0, true), (113, 0, false)]
        {
            assert_eq!(seen(seconds, nanoseconds).may_hide_writes(100, 110), may_hide, "{seconds} {nanoseconds}");
        }
        // A program can set the one, but not the other.
        let set = Seen { mtime: Timestamp { seconds: 5, nanoseconds: 0 }, ..seen(100, 0) };
        assert!(set.may_hide_writes(100, 110));
        assert!(!Seen { ctime: seen(100, 7).ctime, ..set }.may_hide_writes(100, 110));
    }

    #[test]
    fn digests_come_back_and_compare_by_what_they_share() {
        let both = digests(&["md5", "sha256"], b"hello");
        assert_eq!((both.algorithms.as_str(), both.bytes.len()), ("md5,sha256", 48));
        assert_eq!(Digests::new(&both.split()), both);
        assert_eq!(both.agree_with(&digests(&["sha256"], b"hello")), Some(true));
        assert_eq!(both.agree_with(&digests(&["sha256", "md5"], b"hallo")), Some(false));
        assert_eq!(both.agree_with(&digests(&["sha1"], b"hello")), None);
        for (algorithms, bytes) in [("md5", 15), ("md5", 17), ("nothing", 16), ("", 0)] {
            assert!(Digests { algorithms: algorithms.to_owned(), bytes: vec![0; bytes] }.split().is_empty());
        }
    }
}
