//! How often each byte occurs, of those that are counted.

use crate::Entropy;
use crate::counting::{Counting, GROUP_BYTES, HEAD_BYTES, LINE_BYTES, place};

/// How often each byte occurs. Several tables, since an increment that follows one of the same place waits for it; of
/// small counts, since most files are short and each begins with tables of zeros.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    tables: [[u16; 256]; TABLES],
    /// Bytes in the tables: at most [`TALLY_BYTES_MAX`].
    table_bytes: usize,
    /// Counts that were taken out of the tables.
    sums: [u64; 256],
    is_summed: bool,
}

const TABLES: usize = 4;

/// Bytes that the tables can count, if all have the same value.
const TALLY_BYTES_MAX: usize = u16::MAX as usize;

impl Tally {
    const NONE: Tally = Tally { tables: [[0; 256]; TABLES], table_bytes: 0, sums: [0; 256], is_summed: false };

    fn count(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(TALLY_BYTES_MAX) {
            if self.table_bytes + part.len() > TALLY_BYTES_MAX {
                self.sum_up();
            }
            self.table_bytes += part.len();
            self.count_in_tables(part);
        }
    }

    fn count_in_tables(&mut self, bytes: &[u8]) {
        let [one, two, three, four] = &mut self.tables;
        let (lines, rest) = bytes.as_chunks::<{ LINE_BYTES as usize }>();
        for line in lines {
            let words: [u64; LINE_BYTES as usize / 8] =
                std::array::from_fn(|at| u64::from_le_bytes(std::array::from_fn(|byte| line[8 * at + byte])));
            // Long runs are frequent, and take the longest.
            if words[0] == words[0].rotate_left(8) && words.iter().all(|word| *word == words[0]) {
                one[usize::from(line[0])] += LINE_BYTES as u16;
                continue;
            }
            for word in words {
                for half in [word, word >> 32] {
                    one[usize::from(half as u8)] += 1;
                    two[usize::from((half >> 8) as u8)] += 1;
                    three[usize::from((half >> 16) as u8)] += 1;
                    four[usize::from((half >> 24) as u8)] += 1;
                }
            }
        }
        for &byte in rest {
            one[usize::from(byte)] += 1;
        }
    }

    /// Empties the tables into the sums.
    fn sum_up(&mut self) {
        self.sums = self.counts();
        self.tables = Tally::NONE.tables;
        (self.table_bytes, self.is_summed) = (0, true);
    }

    fn add(&mut self, other: &Tally) {
        self.sum_up();
        for (sum, count) in self.sums.iter_mut().zip(other.counts()) {
            *sum += count;
        }
    }

    fn counts(&self) -> [u64; 256] {
        let counted = self.table_counts();
        std::array::from_fn(|byte| self.sums[byte] + u64::from(counted[byte].cast_unsigned()))
    }

    /// The counts that are in the tables; signed, since vector instructions make floating-point numbers of such ones.
    fn table_counts(&self) -> [i32; 256] {
        std::array::from_fn(|byte| self.tables.iter().map(|table| i32::from(table[byte])).sum())
    }

    fn weights(&self) -> [f64; 256] {
        if self.is_summed { self.counts().map(|count| count as f64) } else { self.table_counts().map(f64::from) }
    }

    /// Forgets all counts.
    fn reset(&mut self) {
        if self.table_bytes > 0 {
            self.tables = Tally::NONE.tables;
            self.table_bytes = 0;
        }
        if self.is_summed {
            self.sums = Tally::NONE.sums;
            self.is_summed = false;
        }
    }
}

/// The frequencies of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Frequencies {
    counting: Counting,
    /// Counts that stand for themselves.
    whole: Tally,
    /// Counts that stand for the others of their groups.
    lines: Tally,
    /// Number of bytes in `whole`.
    whole_bytes: u64,
    /// Number of bytes in `lines`.
    line_bytes: u64,
}

impl Frequencies {
    pub(crate) fn new(counting: Counting) -> Frequencies {
        Frequencies { counting, whole: Tally::NONE, lines: Tally::NONE, whole_bytes: 0, line_bytes: 0 }
    }

    /// Counts the bytes from this offset on.
    pub(crate) fn update(&mut self, offset: u64, bytes: &[u8]) {
        let head = match self.counting {
            Counting::Exact => bytes.len(),
            Counting::Sampled => usize::try_from(HEAD_BYTES.saturating_sub(offset)).unwrap_or(0).min(bytes.len()),
        };
        let (head, rest) = bytes.split_at(head);
        self.whole.count(head);
        self.whole_bytes += head.len() as u64;
        if rest.is_empty() {
            return;
        }
        let start = offset + head.len() as u64;
        let end = start + rest.len() as u64;
        for group in (start - HEAD_BYTES) / GROUP_BYTES..(end - HEAD_BYTES).div_ceil(GROUP_BYTES) {
            let line = HEAD_BYTES + group * GROUP_BYTES + place(group) * LINE_BYTES;
            let inside = |offset: u64| (offset.clamp(start, end) - start) as usize;
            let line = &rest[inside(line)..inside(line + LINE_BYTES)];
            self.lines.count(line);
            self.line_bytes += line.len() as u64;
        }
    }

    /// Adds the counts of other parts of the message.
    pub(crate) fn add(&mut self, other: &Frequencies) {
        self.whole.add(&other.whole);
        self.lines.add(&other.lines);
        self.whole_bytes += other.whole_bytes;
        self.line_bytes += other.line_bytes;
    }

    /// Returns the number of bytes that were counted.
    pub(crate) fn counted_bytes(&self) -> u64 {
        self.whole_bytes + self.line_bytes
    }

    /// Returns the entropy of a message of this many bytes. Counts of lines stand for the bytes that were not counted,
    /// too.
    ///
    /// The entropy of a sample is too low by half of the sum of `variance / (n · weight)`, because the sample lacks
    /// some of the variety (G. A. Miller, "Note on the bias of information estimates", 1955; here for a sample of
    /// a finite number of bytes). That is added.
    pub(crate) fn entropy(&self, bytes: u64) -> Entropy {
        if bytes <= HEAD_BYTES && !self.whole.is_summed {
            return Entropy::of_counts(&self.whole.table_counts(), bytes);
        }
        let line_bytes = self.line_bytes.max(1) as f64;
        let scale = (bytes - self.whole_bytes) as f64 / line_bytes;
        let (whole, lines) = (self.whole.weights(), self.lines.weights());
        let weights = std::array::from_fn(|byte| whole[byte] + scale * lines[byte]);
        let variances =
            std::array::from_fn(|byte| scale * (scale - 1.0) * lines[byte] * (1.0 - lines[byte] / line_bytes));
        Entropy::of(&weights, &variances)
    }

    /// Forgets all counts.
    pub(crate) fn reset(&mut self) {
        self.whole.reset();
        self.lines.reset();
        (self.whole_bytes, self.line_bytes) = (0, 0);
    }
}
