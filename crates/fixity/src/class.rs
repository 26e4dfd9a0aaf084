//! The classes of files, and their numbers.

use std::fmt;

/// The fate of a file. Each expected and each found file is in exactly one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// At its path, and all that was expected of it agrees.
    Matched,
    /// At its path, with another size or another digest.
    Changed,
    /// Its contents are at another path, where no file was expected, and nothing is at its own.
    Moved,
    /// No file was expected at its path; its contents are those of an expected file that is still there.
    Copied,
    /// No file was expected at its path, and none with its contents.
    New,
    /// Nothing is at its path, and its contents were not found elsewhere.
    Missing,
    /// It is there, and could not be read to its end.
    Unreadable,
    /// It was not hashed, or nothing that could be compared was expected of it.
    NotChecked,
}

impl Class {
    /// All classes, in the order in which they are listed.
    pub const ALL: [Class; 8] = [
        Class::Matched,
        Class::Changed,
        Class::Moved,
        Class::Copied,
        Class::New,
        Class::Missing,
        Class::Unreadable,
        Class::NotChecked,
    ];

    /// Returns the word for the class, such as `not-checked`.
    pub fn word(self) -> &'static str {
        match self {
            Class::Matched => "matched",
            Class::Changed => "changed",
            Class::Moved => "moved",
            Class::Copied => "copied",
            Class::New => "new",
            Class::Missing => "missing",
            Class::Unreadable => "unreadable",
            Class::NotChecked => "not-checked",
        }
    }

    /// Returns the class of a word.
    pub fn from_word(word: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.word() == word)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The numbers of files by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; Class::ALL.len()]);

impl Counts {
    /// Counts a file.
    pub fn add(&mut self, class: Class) {
        self.0[class as usize] += 1;
    }

    /// Returns the number of files of a class.
    pub fn of(&self, class: Class) -> u64 {
        self.0[class as usize]
    }

    /// Returns the number of all files.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_counts() {
        let mut counts = Counts::default();
        for (place, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!((class as usize, Class::from_word(class.word())), (place, Some(class)));
            (0..=place).for_each(|_| counts.add(class));
        }
        assert_eq!(Class::ALL.map(|class| counts.of(class)), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((counts.all(), Class::from_word("lost")), (36, None));
        assert_eq!(format!("{:<12}|", Class::NotChecked), "not-checked |");
    }
}
