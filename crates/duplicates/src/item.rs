//! The items to compare: files, entries of lists, and the other names of directories.

/// The size of a file whose list states none.
pub(crate) const SIZE_UNKNOWN: u64 = u64::MAX;

/// The side that a file belongs to. Duplicates have one side, A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The files that are to be covered.
    A,
    /// The files that cover them.
    B,
}

/// The argument or the list that an item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number. Places that come later have higher numbers.
    pub number: u32,
    /// Length in bytes of the path of the outermost directory that can be compared, if the place is a directory. The
    /// items of each directory below it come one after the other, in the order of their names.
    pub base_bytes: Option<u32>,
}

/// The kind of an item, and the facts by which it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A regular file, and the device and the number that identify it.
    File {
        /// Size in bytes.
        size: u64,
        /// Device and number, if they are known.
        identity: Option<(u64, u64)>,
    },
    /// A file in a list, whose digest is known.
    Listed {
        /// Size in bytes, if the list states it.
        size: Option<u64>,
        /// Number of the file, if the list states it and the file has several links.
        inode: Option<u64>,
    },
    /// A symbolic link, by a digest of its target.
    Link([u64; 3]),
    /// A directory without names.
    EmptyDirectory,
    /// Something whose contents are not known: it could not be read, was left out, or is no regular file.
    Missing,
}

impl Content {
    pub(crate) fn parts(self) -> (u8, [u64; 3]) {
        match self {
            Content::File { size, identity: None } => (0, [size, 0, 0]),
            Content::File { size, identity: Some((device, number)) } => (1, [size, device, number]),
            Content::Listed { size, inode } => {
                let has_inode = u8::from(inode.is_some());
                (2 + has_inode, [size.unwrap_or(SIZE_UNKNOWN), inode.unwrap_or(0), 0])
            }
            Content::Link(target) => (4, target),
            Content::EmptyDirectory => (5, [0; 3]),
            Content::Missing => (6, [0; 3]),
        }
    }

    pub(crate) fn of_parts(kind: u8, numbers: [u64; 3]) -> Option<Content> {
        let [first, second, third] = numbers;
        let size = Some(first).filter(|&size| size != SIZE_UNKNOWN);
        Some(match kind {
            0 => Content::File { size: first, identity: None },
            1 => Content::File { size: first, identity: Some((second, third)) },
            2 => Content::Listed { size, inode: None },
            3 => Content::Listed { size, inode: Some(second) },
            4 => Content::Link(numbers),
            5 => Content::EmptyDirectory,
            6 => Content::Missing,
            _ => return None,
        })
    }

    /// Returns the size of a file in bytes, if it is known.
    pub fn size(self) -> Option<u64> {
        match self {
            Content::File { size, .. } => Some(size),
            Content::Listed { size, .. } => size,
            _ => None,
        }
    }
}

/// The state of a listed file now, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Nothing is known.
    #[default]
    Unknown,
    /// It is at its path, with the size and the time that the list states.
    Same,
    /// A file of another size or time is at its path.
    Changed,
    /// No file is at its path.
    Gone,
    /// The system does not tell whether a file is at its path.
    Unseen,
}

impl Presence {
    pub(crate) fn of_number(number: u8) -> Presence {
        let all = [Presence::Same, Presence::Changed, Presence::Gone, Presence::Unseen];
        all.into_iter().find(|presence| *presence as u8 == number).unwrap_or_default()
    }
}

/// How many files of a list have digests, and what is known of these now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presences {
    /// All of them.
    pub files: u64,
    /// Those that are [`Presence::Same`].
    pub same: u64,
    /// Those that are [`Presence::Changed`].
    pub changed: u64,
    /// Those that are [`Presence::Gone`].
    pub gone: u64,
    /// Those that are [`Presence::Unseen`].
    pub unseen: u64,
}

impl Presences {
    pub(crate) fn add(&mut self, presence: Presence) {
        self.files += 1;
        self.same += u64::from(presence == Presence::Same);
        self.changed += u64::from(presence == Presence::Changed);
        self.gone += u64::from(presence == Presence::Gone);
        self.unseen += u64::from(presence == Presence::Unseen);
    }

    /// Whether none of its files is known to be there, so that the whole place may be away.
    #[must_use]
    pub fn is_away(&self) -> bool {
        self.same == 0 && self.changed == 0
    }

    /// Whether a file of the list is compared. Those that were not found may be away with their place.
    pub(crate) fn counts(&self, presence: Presence) -> bool {
        match presence {
            Presence::Unknown | Presence::Same => true,
            Presence::Changed => false,
            Presence::Gone | Presence::Unseen => self.is_away(),
        }
    }
}

/// Two numbers that are the same for hard links of one file, and for nothing else.
pub(crate) fn identity(content: Content, place: u32, item: u64) -> (u64, u64) {
    match content {
        Content::File { identity: Some(identity), .. } => identity,
        Content::Listed { inode: Some(inode), .. } => (u64::MAX - 1 - u64::from(place), inode),
        _ => (u64::MAX, item),
    }
}

/// An item that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number, which grows in the order of finding.
    pub number: u64,
    /// The path in raw bytes.
    pub path: Vec<u8>,
    /// Its kind.
    pub content: Content,
    /// The side that it belongs to.
    pub side: Side,
    /// The number of the argument or list that it comes from.
    pub place: u32,
    /// Length of the path of the outermost directory that is compared; `None` if the item belongs to none.
    pub(crate) base_bytes: Option<u32>,
}
