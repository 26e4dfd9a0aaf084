//! Reading a list: which of its entries are files to expect, and where its paths lead.

use crate::comparison::Comparison;
use crate::expected::{Expectations, Expected};
use crate::file::File;
use crate::path::PathError;
use crate::root::{Nearness, PathForms, Root};
use pfh_list::{Contents, Entry, FileIdentity, List, NothingUseful, ReadError};
use pfh_record::{FormatName, Outcome, SkipReason};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Most files whose paths are not below the root. A list with more is for another root.
const NOT_BELOW_MAX: usize = 10_000;

/// The rules by which a list is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The place that the paths of the list start from.
    pub root: &'a Root,
    /// How the paths are changed before they are looked up.
    pub forms: PathForms<'a>,
    /// Whether names and sizes are enough, so that a list without digests is of use.
    pub structure: bool,
    /// The memory that the files take, in bytes, or 256 KiB if this is less. Further ones are in temporary files.
    pub memory_bytes: u64,
}

/// The files that a list expects.
pub struct Listed {
    /// The files that are below the root.
    pub expected: Expected,
    /// The files whose paths are not, and why.
    pub not_below: Vec<(File, PathError)>,
    /// The root that takes the place of the one that was asked for, if none was named and paths of the list start from
    /// different places.
    pub root: Option<Root>,
}

/// The reason why a list is of no use.
#[derive(Debug)]
pub enum Useless {
    /// It expects no file.
    NoFile,
    /// All of its paths, or too many of them, are not below the root.
    NotBelow {
        /// The number of such paths that were read.
        paths: u64,
        /// The file with the first of them.
        first: File,
        /// The reason for the first of them.
        error: PathError,
    },
    /// The root is a file, and none of several files has its name.
    OtherNames,
    /// The root is a file, and several files have its name, none of which has its path.
    SameNames {
        /// The lines of two of them.
        lines: [u64; 2],
    },
    /// The root is a file whose name cannot be that of an expected one.
    Name(PathError),
    /// No file has a digest.
    NoDigests {
        /// The digests that the list has instead.
        has: NothingUseful,
        /// Whether it states the size of a file.
        states_sizes: bool,
    },
    /// A temporary file cannot be written or read.
    Temporary(io::Error),
}

impl From<io::Error> for Useless {
    fn from(error: io::Error) -> Useless {
        Useless::Temporary(error)
    }
}

impl Reading<'_> {
    /// Reads a list, or the part of it before `stops` returns `true` or `broken` breaks. `broken` takes each line that
    /// cannot be read.
    ///
    /// # Errors
    /// [`Useless`], also for the part.
    pub fn read(
        &self,
        list: &mut List,
        broken: &mut dyn FnMut(ReadError) -> ControlFlow<()>,
        stops: &dyn Fn() -> bool,
    ) -> Result<Listed, Useless> {
        let mut wider: Option<Root> = None;
        // A journal is continued by later runs, and the latest line of a path decides.
        let is_journal = list.header().format == FormatName::Jsonl;
        let begin = || {
            let expectations = Expectations::new(self.memory_bytes);
            if is_journal { expectations.latest_only() } else { expectations }
        };
        let (mut expectations, mut namesakes) = (begin(), Namesakes::default());
        let (mut not_below, mut contents, mut files) = (Vec::new(), Contents::default(), 0_u64);
        let (mut file, mut other, mut states_sizes) = (File::default(), None, false);
        while let Some(entry) = list.next_entry() {
            if stops() {
                break;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => match broken(error) {
                    ControlFlow::Continue(()) => continue,
                    ControlFlow::Break(()) => break,
                },
            };
            contents.add(entry);
            // If it was skipped when the list was made, it is no file to expect.
            if matches!(entry.outcome, Some(Outcome::Skipped(SkipReason::NotRegular | SkipReason::Loop))) {
                continue;
            }
            // The pieces of a file stand in the line of the whole.
            if is_journal && entry.piece.is_some() {
                continue;
            }
            files += 1;
            let mut root = wider.as_ref().unwrap_or(self.root);
            let mut below = root.below(&entry.path, &self.forms);
            if self.forms.strip_prefix.is_none()
                && let Ok(path) = &below
                && let Some((other, directory)) = root.wider(path)
            {
                expectations = expectations.below(&directory, begin())?;
                root = wider.insert(other);
                below = root.below(&entry.path, &self.forms);
            }
            file.path.clear();
            file.path.extend_from_slice(below.as_deref().unwrap_or(&entry.path));
            (file.size, file.line) = (None, entry.line);
            file.digests.clear();
            if is_whole(entry) {
                file.size = entry.expected.size;
                states_sizes |= file.size.is_some();
                file.digests.extend_from_slice(&entry.digests);
            }
            if root.is_file && file.name() != root.name() {
                other.get_or_insert_with(|| file.clone());
                continue;
            }
            if root.is_file && below.is_ok() {
                let place = root.place(&file.path);
                let nearness = root.nearness(&place);
                if nearness < namesakes.nearness {
                    continue;
                }
                if nearness > namesakes.nearness {
                    // Those before it are other files.
                    namesakes = Namesakes { nearness, ..Namesakes::default() };
                    expectations = begin();
                }
                if nearness < Nearness::Path {
                    namesakes.add(place, file.line);
                }
                file.path.clear();
                file.path.extend_from_slice(root.name());
            }
            let pushed = match below {
                Ok(_) => expectations.push(&file)?,
                Err(error) => Err(error),
            };
            if let Err(error) = pushed {
                not_below.push((File { path: entry.path.clone(), ..file.clone() }, error));
            }
            if not_below.len() > NOT_BELOW_MAX {
                break;
            }
        }
        let root = wider.as_ref().unwrap_or(self.root);
        if files == 0 {
            return Err(Useless::NoFile);
        }
        let paths = not_below.len() as u64;
        if paths == files || not_below.len() > NOT_BELOW_MAX {
            let (first, error) = not_below.swap_remove(0);
            return Err(Useless::NotBelow { paths, first, error });
        }
        if let Some(mut other) = other.filter(|_| expectations.is_empty()) {
            if files > 1 {
                return Err(Useless::OtherNames);
            }
            // The only file of the list is meant, whatever its name was.
            other.path = root.name().to_vec();
            expectations.push(&other)?.map_err(Useless::Name)?;
        }
        if let Some(lines) = namesakes.lines() {
            return Err(Useless::SameNames { lines });
        }
        if root.is_file {
            // Those that are left are other files, as those of other names are.
            not_below.clear();
        }
        let expected = expectations.sorted()?;
        if expected.algorithms().is_empty() && !self.structure {
            let has = contents.instead_of(list.name(), "whole files");
            return Err(Useless::NoDigests { has, states_sizes });
        }
        Ok(Listed { expected, not_below, root: wider })
    }
}

/// The files of a list that have the name of the root, which is a file, and are nearest to its path.
#[derive(Default)]
struct Namesakes {
    /// Those that are nearest to its path alone count.
    nearness: Nearness,
    /// The place and the line of the first of the others.
    first: Option<(PathBuf, u64)>,
    /// The line of the first that has another place than that one.
    second_line: Option<u64>,
}

impl Namesakes {
    /// Adds a file that does not have the path of the root.
    fn add(&mut self, place: PathBuf, line: u64) {
        match &self.first {
            None => self.first = Some((place, line)),
            Some((first, _)) if *first != place => {
                self.second_line.get_or_insert(line);
            }
            Some(_) => {}
        }
    }

    /// Returns the lines of two files, either of which may be meant.
    fn lines(&self) -> Option<[u64; 2]> {
        let (_, first_line) = self.first.as_ref()?;
        Some([*first_line, self.second_line?])
    }
}

/// Whether an entry states digests of a whole file.
fn is_whole(entry: &Entry) -> bool {
    entry.piece.is_none() && entry.is_complete()
}

impl Listed {
    /// Begins the comparison with what the list expects, as [`Comparison::new`] does.
    ///
    /// # Errors
    /// If a temporary file cannot be written or read.
    pub fn comparison(self, lists_all: bool, memory_bytes: u64) -> io::Result<Comparison> {
        let mut comparison = Comparison::new(self.expected, lists_all, memory_bytes)?;
        for (file, error) in self.not_below {
            comparison.not_below(file, error)?;
        }
        Ok(comparison)
    }
}

/// Returns the identity of a list, or of the archive that has it, which is no new file.
pub fn identity_of_list(path: &Path) -> Option<FileIdentity> {
    let found = path.ancestors().find_map(|path| fs::metadata(path).ok())?;
    found.is_file().then(|| FileIdentity::new(found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::Algorithm;
    use pfh_list::{Input, ReadOptions};

    /// Reads a list of a directory, up to a line that cannot be read if `is_strict`. Also returns the number of such
    /// lines.
    fn read(name: &str, text: &str, is_strict: bool) -> (Result<Listed, Useless>, u64) {
        let directory = tempfile::tempdir().unwrap();
        read_below(directory.path(), name, text, is_strict)
    }

    fn read_below(root: &Path, name: &str, text: &str, is_strict: bool) -> (Result<Listed, Useless>, u64) {
        let mut list = List::open(Input::bytes(name, text.to_owned()), ReadOptions::default()).unwrap();
        let root = Root::new(Some(root.to_owned()), Path::new(name), &mut list).unwrap();
        let reading = Reading { root: &root, forms: PathForms::default(), structure: false, memory_bytes: 0 };
        let mut lines = 0;
        let mut broken = |_: ReadError| {
            lines += 1;
            if is_strict { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let listed = reading.read(&mut list, &mut broken, &|| false);
        (listed, lines)
    }

    fn digest(text: &str) -> String {
        Algorithm::from_name("sha256").unwrap().digest(text.as_bytes()).to_string()
    }

    fn line(path: &str, text: &str) -> String {
        let digest = digest(text);
        format!(
            "{{\"type\":\"file\",\"path\":\"{path}\",\"outcome\":\"complete\",\"digests\":{{\"sha256\":\"{digest}\"}}}}\n"
        )
    }

    /// Returns the paths, each with its line, and whether the list states different values for it.
    fn told(listed: Listed) -> Vec<(String, u64, bool)> {
        let (mut expected, mut told) = (listed.expected, Vec::new());
        while let Some(one) = expected.next_file().unwrap() {
            told.push((String::from_utf8(one.file.path).unwrap(), one.file.line, one.contradicts));
        }
        told
    }

    #[test]
    fn of_a_journal_the_latest_line_of_a_path_counts() {
        let sorted = [line("a", "1"), line("a", "2"), line("b", "1")].concat();
        let unsorted = [line("b", "1"), line("a", "1"), line("a", "2")].concat();
        for (text, lines) in [(sorted, [2, 3]), (unsorted, [3, 1])] {
            let listed = read("journal", &text, true).0.ok().unwrap();
            assert_eq!(told(listed), [("a".to_owned(), lines[0], false), ("b".to_owned(), lines[1], false)]);
        }
        // In other lists all lines count.
        let text = format!("{}  a\n{}  a\n", digest("1"), digest("2"));
        assert_eq!(told(read("list", &text, true).0.ok().unwrap()), [("a".to_owned(), 1, true)]);
    }

    #[test]
    fn of_several_files_with_its_name_a_root_is_the_one_with_its_path() {
        let directory = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| directory.path().join(name).join("x"));
        for path in [&a, &b, &c] {
            fs::create_dir(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let [of_a, of_b] = [&a, &b].map(|path| path.to_str().unwrap());
        let plain = format!("{}  {of_a}\n{}  {of_b}\n", digest("1"), digest("2"));
        for text in [[line(of_a, "1"), line(of_b, "2")].concat(), plain] {
            let read = |root: &Path| read_below(root, "list", &text, true).0;
            for (root, line) in [(&a, 1), (&b, 2)] {
                assert_eq!(told(read(root).ok().unwrap()), [("x".to_owned(), line, false)]);
            }
            let error = read(&c).err().unwrap();
            assert!(matches!(error, Useless::SameNames { lines: [1, 2] }), "{error:?}");
        }
        // One file is meant, wherever its directory was.
        let text = [line(of_a, "1"), line(of_a, "2")].concat();
        let listed = read_below(&c, "list", &text, true).0.ok().unwrap();
        assert_eq!(told(listed), [("x".to_owned(), 2, false)]);
    }

    #[test]
    fn lines_that_cannot_be_read_are_counted_or_end_the_reading() {
        let good = |path: &str| format!("{}  {path}\n", digest("1"));
        let text = format!("{}nothing\n{}nothing\n", good("a"), good("b"));
        let (listed, lines) = read("list", &text, false);
        assert_eq!((told(listed.ok().unwrap()).len(), lines), (2, 2));
        let (listed, lines) = read("list", &text, true);
        assert_eq!((told(listed.ok().unwrap()).len(), lines), (1, 1));
    }

    #[test]
    fn a_useless_list_is_refused() {
        let useless = |text: &str| read("list", text, false).0.err().unwrap();
        assert!(matches!(useless(""), Useless::NoFile));
        let text = format!("{0}  ../a\n{0}  /b\n", digest("1"));
        let error = useless(&text);
        assert!(
            matches!(&error, Useless::NotBelow { paths: 2, first, error: PathError::Parent } if first.line == 1),
            "{error:?}"
        );
        for (text, states) in [("path,size,sha256\na,1,\n", true), ("path,size,sha256\na,,\n", false)] {
            let Useless::NoDigests { has, states_sizes } = useless(text) else { panic!("{text} has a digest") };
            assert_eq!((states_sizes, has.has_pieces()), (states, false), "{text}");
        }
        // One path that is not below the root is a finding.
        let listed = read("list", &format!("{0}  ../a\n{0}  b\n", digest("1")), false).0.ok().unwrap();
        assert_eq!(
            listed.not_below.iter().map(|(file, error)| (file.line, *error)).collect::<Vec<_>>(),
            [(1, PathError::Parent)]
        );
    }
}
