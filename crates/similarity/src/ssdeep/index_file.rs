//! Index files of ssdeep.
//!
//! | section | contents |
//! | --- | --- |
//! | buckets | for each bucket, and once more, the number of its first posting (8 bytes) |
//! | postings | for each key of each digest: 16 bits of the key's hash, number of the digest (32 bits) |
//! | starts | for each record, and once more, where it begins among the records (8 bytes) |
//! | records | for each digest: level, lengths of its parts (1 byte each), their characters, name |
//!
//! A key's bucket is named by the highest bits of its hash; the next 16 are in the posting. Within a bucket postings
//! are sorted. The header's numbers: digests, postings, bits of a bucket's name. Keys are those of [`super::grams`].

use std::io::{self, Read, Seek, Write};
use std::ops::{ControlFlow, Range};

use super::compare::Part;
use super::grams::for_each_hash;
use super::{Comparer, Digest};
use crate::index_file::{IndexError, PageReader, PageWriter, Records, check_name, corrupt, section_starts};
use crate::{Family, ParseError};

/// As in memory.
const POSTINGS_PER_BUCKET: u64 = 8;

const POSTING_BYTES: usize = 6;

/// Postings that are sorted at a time while an index is written: this many, or this many for each digest, so that the
/// digests are not passed over more often where there are more of them.
const SLICE_POSTINGS_MIN: usize = 10_000_000;
const SLICE_POSTINGS_PER_DIGEST: usize = 8;

/// One digest that matches, from an index file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMatch {
    /// Its name, raw bytes.
    pub name: Vec<u8>,
    /// The digest.
    pub digest: Digest,
    /// The score, 1 to 100.
    pub score: u8,
}

fn bucket_bits(postings: u64) -> u32 {
    (postings / POSTINGS_PER_BUCKET).max(1).ilog2().min(31)
}

/// Bucket and tag of a hash.
fn place(hash: u64, bits: u32) -> (u64, u16) {
    ((hash >> 1) >> (63 - bits), (hash << bits >> 48) as u16)
}

fn hashes(digest: &Digest, each: impl FnMut(u64)) {
    let (first, second) = (Part::new(digest.first()), Part::new(digest.second()));
    for_each_hash(digest.level(), first.values(), second.values(), each);
}

/// Where the slice of buckets that begins with `start` ends: before it has more postings than this, or more buckets
/// than this many postings have on average, but not before it has one bucket.
fn slice_end(sizes: &[u32], start: usize, postings_max: usize) -> usize {
    let mut postings = 0;
    let fits = |size: &&u32| {
        postings += **size as usize;
        postings <= postings_max
    };
    let buckets_max = postings_max / POSTINGS_PER_BUCKET as usize;
    start + sizes[start..].iter().take(buckets_max).take_while(fits).count().max(1)
}

/// Collects digests and writes an index. Memory: the digests and names, some 30 bytes for each digest, and for sorting
/// 90 MB, or 72 bytes for each digest if that is more.
#[derive(Clone, Debug, Default)]
pub struct IndexFileBuilder {
    digests: Vec<Digest>,
    names: Vec<u8>,
    /// Where each name ends.
    name_ends: Vec<usize>,
}

impl IndexFileBuilder {
    /// Returns a builder without digests.
    pub fn new() -> IndexFileBuilder {
        IndexFileBuilder::default()
    }

    /// Appends a digest.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the name has nearly a mebibyte, or there are 2³² digests.
    pub fn push(&mut self, digest: Digest, name: &[u8]) -> io::Result<()> {
        check_name(name)?;
        if self.digests.len() >= u32::MAX as usize {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an index cannot hold so many digests"));
        }
        self.digests.push(digest);
        self.names.extend_from_slice(name);
        self.name_ends.push(self.names.len());
        Ok(())
    }

    /// Writes the index, from its first byte to its last.
    ///
    /// # Errors
    /// Errors of writing to `output`.
    pub fn write<W: Write>(self, output: W) -> io::Result<W> {
        let slice_postings = SLICE_POSTINGS_MIN.max(SLICE_POSTINGS_PER_DIGEST * self.digests.len());
        self.write_in_slices(output, slice_postings)
    }

    fn write_in_slices<W: Write>(self, output: W, slice_postings: usize) -> io::Result<W> {
        let mut count = 0;
        self.digests.iter().for_each(|digest| hashes(digest, |_| count += 1));
        let bits = bucket_bits(count);
        let mut pages = PageWriter::new(output, Family::Ssdeep, [self.digests.len() as u64, count, bits.into()])?;
        let mut sizes = vec![0_u32; 1 << bits];
        for digest in &self.digests {
            hashes(digest, |hash| sizes[place(hash, bits).0 as usize] += 1);
        }
        let mut first = 0_u64;
        for size in &sizes {
            pages.write(&first.to_le_bytes())?;
            first += u64::from(*size);
        }
        pages.write(&first.to_le_bytes())?;
        let mut start = 0;
        while start < sizes.len() {
            let end = slice_end(&sizes, start, slice_postings);
            self.write_postings(start..end, &sizes[start..end], bits, &mut pages)?;
            start = end;
        }
        let mut start = 0_u64;
        for number in 0..=self.digests.len() {
            pages.write(&start.to_le_bytes())?;
            if let Some(digest) = self.digests.get(number) {
                start += (3 + digest.first().len() + digest.second().len() + self.name(number).len()) as u64;
            }
        }
        for (number, digest) in self.digests.iter().enumerate() {
            let (first, second) = (digest.first(), digest.second());
            pages.write(&[digest.level(), first.len() as u8, second.len() as u8])?;
            pages.write(first)?;
            pages.write(second)?;
            pages.write(self.name(number))?;
        }
        pages.finish()
    }

    fn name(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.name_ends[before]);
        &self.names[start..self.name_ends[number]]
    }

    /// Writes the postings of a slice of the buckets, which have these sizes.
    fn write_postings<W: Write>(
        &self,
        slice: Range<usize>,
        sizes: &[u32],
        bits: u32,
        pages: &mut PageWriter<W>,
    ) -> io::Result<()> {
        let mut free = Vec::with_capacity(sizes.len());
        let mut filled = 0;
        for &size in sizes {
            free.push(filled);
            filled += size as usize;
        }
        let mut postings = vec![0_u64; filled];
        for (number, digest) in self.digests.iter().enumerate() {
            hashes(digest, |hash| {
                let (bucket, tag) = place(hash, bits);
                if slice.contains(&(bucket as usize)) {
                    let free = &mut free[bucket as usize - slice.start];
                    postings[*free] = u64::from(tag) << 32 | number as u64;
                    *free += 1;
                }
            });
        }
        let mut rest = &mut postings[..];
        for &size in sizes {
            let (bucket, after) = rest.split_at_mut(size as usize);
            bucket.sort_unstable();
            for posting in bucket {
                pages.write(&posting.to_le_bytes()[..POSTING_BYTES])?;
            }
            rest = after;
        }
        Ok(())
    }
}

/// An index in a file, read where it is needed. The same matches as comparing with every digest.
///
/// Memory: one page, and the numbers of the candidates.
pub struct IndexFile<R> {
    pages: PageReader<R>,
    bits: u32,
    postings_count: u64,
    buckets: u64,
    postings: u64,
    records: Records,
}

impl<R: Read + Seek> IndexFile<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`IndexError`] if it cannot be read, is no index of this family and version, or is too short for what its header
    /// says.
    pub fn open(input: R) -> Result<IndexFile<R>, IndexError> {
        let (pages, [count, postings_count, bits]) = PageReader::new(input, Family::Ssdeep)?;
        if bits != u64::from(bucket_bits(postings_count)) || count > u64::from(u32::MAX) {
            return Err(corrupt("the numbers of its header cannot be"));
        }
        let sections = [((1 << bits) + 1, 8), (postings_count, POSTING_BYTES as u64), (count + 1, 8), (0, 0)];
        let [buckets, postings, starts, records] = section_starts(sections)
            .filter(|starts| starts[3] <= pages.content_bytes())
            .ok_or(corrupt("it is shorter than its header says"))?;
        let records = Records { starts, count, records };
        Ok(IndexFile { pages, bits: bits as u32, postings_count, buckets, postings, records })
    }

    /// Number of digests.
    pub fn len(&self) -> u64 {
        self.records.count
    }

    /// True if there are no digests.
    pub fn is_empty(&self) -> bool {
        self.records.count == 0
    }

    /// Calls `found` with all digests that score at least `threshold` with `digest`, in the order in which they were
    /// indexed, until it breaks. A threshold of 0 means 1.
    ///
    /// # Errors
    /// [`IndexError`] if what is needed cannot be read or is damaged.
    pub fn matches<B>(
        &mut self,
        digest: &Digest,
        threshold: u8,
        mut found: impl FnMut(FileMatch) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, IndexError> {
        let mut keys = Vec::new();
        hashes(digest, |hash| keys.push(place(hash, self.bits)));
        keys.sort_unstable();
        keys.dedup();
        let mut candidates = Vec::new();
        for (bucket, tag) in keys {
            self.collect(bucket, tag, &mut candidates)?;
            candidates.sort_unstable();
            candidates.dedup();
        }
        let comparer = Comparer::new(digest);
        for number in candidates {
            let record = self.records.read(&mut self.pages, number)?;
            let (digest, name) = parse_record(&record).map_err(|_| corrupt("a digest in it is none"))?;
            let score = comparer.compare(&digest);
            if score >= threshold.max(1)
                && let ControlFlow::Break(broken) = found(FileMatch { name: name.to_vec(), digest, score })
            {
                return Ok(ControlFlow::Break(broken));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Appends the digests of a bucket that have a tag.
    fn collect(&mut self, bucket: u64, tag: u16, candidates: &mut Vec<u64>) -> Result<(), IndexError> {
        let [start, end] = self.pages.numbers(self.buckets + 8 * bucket)?;
        if start > end || end > self.postings_count {
            return Err(corrupt("a bucket lies beyond its end"));
        }
        for posting in start..end {
            let mut bytes = [0; 8];
            self.pages.read(self.postings + posting * POSTING_BYTES as u64, &mut bytes[..POSTING_BYTES])?;
            let posting = u64::from_le_bytes(bytes);
            let found = (posting >> 32) as u16;
            if found == tag && candidates.last() != Some(&(posting & 0xFFFF_FFFF)) {
                candidates.push(posting & 0xFFFF_FFFF);
            }
            if found > tag {
                break;
            }
        }
        Ok(())
    }
}

/// Digest and name of a record.
fn parse_record(record: &[u8]) -> Result<(Digest, &[u8]), ParseError> {
    let short = ParseError::new(record.len(), "record", "is too short");
    let ([level, first, second], rest) = record.split_first_chunk().ok_or(short)?;
    let (first, rest) = rest.split_at_checked(usize::from(*first)).ok_or(short)?;
    let (second, name) = rest.split_at_checked(usize::from(*second)).ok_or(short)?;
    Ok((Digest::from_checked_parts(*level, first, second)?, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digests of few different characters, which share keys, and of many, which share none.
    fn builder() -> IndexFileBuilder {
        let mut builder = IndexFileBuilder::new();
        let mut state = 1_u64;
        for number in 0..300 {
            let mut part = |characters: usize| -> String {
                let kinds = if number % 4 == 0 { 2 } else { 64 };
                let character = |_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    char::from(super::super::ALPHABET[(state >> 33) as usize % kinds])
                };
                (0..characters).map(character).collect()
            };
            let text = format!("{}:{}:{}", 3 << (number % 3), part(number % 60), part(number % 30));
            builder.push(text.parse().unwrap(), number.to_string().as_bytes()).unwrap();
        }
        builder
    }

    #[test]
    fn slices_do_not_change_an_index() {
        let write = |slice_postings| -> Vec<u8> { builder().write_in_slices(Vec::new(), slice_postings).unwrap() };
        let whole = write(SLICE_POSTINGS_MIN);
        for slice_postings in [1, 100, 5_000] {
            assert!(write(slice_postings) == whole, "{slice_postings}");
        }
    }

    /// Only a single bucket can have more postings than a slice should have.
    #[test]
    fn slices_are_bounded() {
        let end = |sizes: &[u32], start| slice_end(sizes, start, 80);
        assert_eq!([0, 1, 2, 4].map(|start| end(&[70, 90, 40, 40, 1], start)), [1, 2, 4, 5]);
        assert_eq!((end(&[0; 30], 0), end(&[8; 30], 3), end(&[8; 30], 25)), (10, 13, 30));
    }
}
