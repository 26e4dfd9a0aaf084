//! Filters of the files to read: name patterns and size limits.

use globset::{Candidate, Glob, GlobBuilder, GlobMatcher};

use crate::options::WalkOptions;

/// The error of an invalid glob pattern.
#[derive(Debug)]
pub struct PatternError {
    pattern: String,
    reason: globset::ErrorKind,
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

/// Patterns for names, and patterns for displayed paths. Each has its own automaton: there are few of them, and the
/// shortcuts of `GlobSet` (by extension, by last component) do not accept names that end in a dot.
#[derive(Debug, Default)]
struct Patterns {
    names: Vec<GlobMatcher>,
    paths: Vec<GlobMatcher>,
}

impl Patterns {
    fn compile<'a>(patterns: impl Iterator<Item = &'a str>) -> Result<Self, PatternError> {
        let mut compiled = Self::default();
        for pattern in patterns {
            let list = if pattern.contains('/') { &mut compiled.paths } else { &mut compiled.names };
            list.push(compile(without_here(pattern))?.compile_matcher());
        }
        Ok(compiled)
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

fn any(patterns: &[GlobMatcher], text: &[u8]) -> bool {
    !patterns.is_empty() && {
        let candidate = Candidate::from_bytes(text);
        patterns.iter().any(|pattern| pattern.is_match_candidate(&candidate))
    }
}

fn without_here(pattern: &str) -> &str {
    pattern.strip_prefix("./").unwrap_or(pattern)
}

fn compile(pattern: &str) -> Result<Glob, PatternError> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| PatternError { pattern: pattern.to_owned(), reason: error.kind().clone() })
}
