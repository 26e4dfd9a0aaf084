//! Filters of the files to read: name patterns and size limits.

use globset::{Candidate, Glob, GlobBuilder, GlobSet};

use crate::options::WalkOptions;

/// The error of an invalid glob pattern.
#[derive(Debug)]
pub struct PatternError {
    pattern: String,
    reason: globset::ErrorKind,
}

impl PatternError {
    fn new(pattern: &str, error: &globset::Error) -> Self {
        Self { pattern: pattern.to_owned(), reason: error.kind().clone() }
    }
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the pattern `{}` is invalid: {}", self.pattern, self.reason)
    }
}

impl std::error::Error for PatternError {}

/// The compiled filters of one walk.
#[derive(Debug)]
pub(crate) struct Filter {
    include: Patterns,
    exclude: Patterns,
    exclude_directories: Patterns,
    size_min: u64,
    size_max: u64,
}

impl Filter {
    pub(crate) fn new(options: &WalkOptions) -> Result<Self, PatternError> {
        // A pattern with a trailing slash matches only directories.
        let directories = options.exclude.iter().map(|pattern| pattern.trim_end_matches('/'));
        Ok(Self {
            include: Patterns::compile(options.include.iter().map(String::as_str))?,
            exclude: Patterns::compile(
                options.exclude.iter().map(String::as_str).filter(|pattern| !pattern.ends_with('/')),
            )?,
            exclude_directories: Patterns::compile(directories)?,
            size_min: options.size_min.unwrap_or(0),
            size_max: options.size_max.unwrap_or(u64::MAX),
        })
    }

    /// Whether the patterns accept a file of this name. `path` assembles the displayed path.
    pub(crate) fn wants_file(&self, name: &[u8], path: impl Fn() -> Vec<u8>) -> bool {
        (self.include.is_empty() || self.include.matches(name, &path)) && !self.exclude.matches(name, &path)
    }

    /// Whether to descend into a directory of this name.
    pub(crate) fn wants_directory(&self, name: &[u8], path: impl Fn() -> Vec<u8>) -> bool {
        !self.exclude_directories.matches(name, &path)
    }

    /// Whether the patterns accept a file of this path below a root, and the directories above it. Without a path, the
    /// root is the file.
    pub(crate) fn wants_below(&self, root: &[u8], path: &[u8]) -> bool {
        if path.is_empty() {
            let name = root.rsplit(|&byte| byte == b'/').next().unwrap_or(root);
            return self.wants_file(name, || root.to_vec());
        }
        let mut displayed = root.to_vec();
        let mut names = path.split(|&byte| byte == b'/').peekable();
        while let Some(name) = names.next() {
            if !displayed.ends_with(b"/") {
                displayed.push(b'/');
            }
            displayed.extend_from_slice(name);
            let path = || displayed.clone();
            let is_wanted =
                if names.peek().is_some() { self.wants_directory(name, path) } else { self.wants_file(name, path) };
            if !is_wanted {
                return false;
            }
        }
        true
    }

    /// Whether the size of each file must be known.
    pub(crate) fn needs_size(&self) -> bool {
        self.size_min > 0 || self.size_max < u64::MAX
    }

    pub(crate) fn wants_size(&self, size: u64) -> bool {
        (self.size_min..=self.size_max).contains(&size)
    }
}

/// Most patterns in one set. Those that need an automaton share one. It makes its states as names need them, and begins
/// anew when they become too many for its memory, which few patterns bring about.
const SET_PATTERNS_MAX: usize = 64;

/// Patterns for names, and patterns for displayed paths, in sets that need one pass for all of their patterns.
#[derive(Debug, Default)]
struct Patterns {
    names: Vec<GlobSet>,
    paths: Vec<GlobSet>,
}

impl Patterns {
    fn compile<'a>(patterns: impl Iterator<Item = &'a str>) -> Result<Self, PatternError> {
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let list = if pattern.contains('/') { &mut paths } else { &mut names };
            list.push(compile(without_here(pattern))?);
        }
        Ok(Self { names: sets(&names)?, paths: sets(&paths)? })
    }

    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    fn matches(&self, name: &[u8], path: impl Fn() -> Vec<u8>) -> bool {
        any(&self.names, name)
            || (!self.paths.is_empty() && {
                let path = path();
                any(&self.paths, path.strip_prefix(b"./").unwrap_or(&path))
            })
    }
}

fn sets(patterns: &[Glob]) -> Result<Vec<GlobSet>, PatternError> {
    let mut sets = Vec::new();
    for several in patterns.chunks(SET_PATTERNS_MAX) {
        if let Ok(set) = GlobSet::new(several) {
            sets.push(set);
            continue;
        }
        // Together, very long patterns can be too much for one automaton.
        for pattern in several {
            sets.push(GlobSet::new([pattern]).map_err(|error| PatternError::new(pattern.glob(), &error))?);
        }
    }
    Ok(sets)
}

fn any(sets: &[GlobSet], text: &[u8]) -> bool {
    !sets.is_empty() && {
        let candidate = Candidate::from_bytes(text);
        sets.iter().any(|set| set.is_match_candidate(&candidate))
    }
}

fn without_here(pattern: &str) -> &str {
    pattern.strip_prefix("./").unwrap_or(pattern)
}

fn compile(pattern: &str) -> Result<Glob, PatternError> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built.map_err(|error| PatternError::new(pattern, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(patterns: impl IntoIterator<Item: AsRef<str>>) -> Vec<Glob> {
        patterns.into_iter().map(|pattern| compile(pattern.as_ref()).unwrap()).collect()
    }

    /// Sets answer some patterns without their automata.
    #[test]
    fn a_pattern_in_a_set_matches_as_alone() {
        let patterns = "* ? ** a *.b *. *.. *.b.c .* dot. [ab] [!a] [!a].b [é] é* ?.txt {a,b}* {a,*.c} *a a* *-* **b \
            *.{txt,é} \\{a\\} **/b **/*.b **/*. **/dot. **/* a/* a/** **/a/b **/a/** **/[ab] **/?.txt \
            a/**/b **/a/**/b */b /a/* a/*.b a/b";
        let texts = "a a.b a.b.c .b ..b dot. ... ..c a.txt {a} é é.é ab b-a a/b a/b.c /a/b b/a/b a/b/c/dot. a/é.txt \
            a/.b a//b x/a/y/b";
        let odd: [&[u8]; 6] = [b"", b"a\nb.txt", b"\xff", b"\xff.txt", b"a/\xff.b", b"\xc3"];
        for glob in globs(patterns.split(' ').chain([""])) {
            let (alone, set) = (glob.compile_matcher(), sets(std::slice::from_ref(&glob)).unwrap());
            for text in texts.split(' ').map(str::as_bytes).chain(odd) {
                let expected = alone.is_match_candidate(&Candidate::from_bytes(text));
                assert_eq!(any(&set, text), expected, "{glob} {}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn many_patterns_are_in_few_sets() {
        let patterns = (0..1000).flat_map(|number| [format!("name-{number}"), format!("*-{number}-*")]);
        let sets = sets(&globs(patterns)).unwrap();
        assert_eq!(sets.len(), 32);
        for (name, expected) in [("name-0", true), ("name-999", true), ("name-1000", false), ("none", false)] {
            assert_eq!(any(&sets, name.as_bytes()), expected, "{name}");
            assert_eq!(any(&sets, format!("a{name}-b").as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn patterns_that_are_too_long_for_one_set_have_their_own() {
        let long = |start: &str, number: usize| format!("{start}{number}{}", "a".repeat(100_000));
        let sets = sets(&globs((0..5).map(|number| long("?", number)))).unwrap();
        assert_eq!(sets.len(), 5);
        assert!(any(&sets, long("x", 4).as_bytes()) && !any(&sets, long("x", 5).as_bytes()));
    }
}
