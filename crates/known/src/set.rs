//! Looking up digests in a set.

use pfh_digest::{Algorithm, Digest};
use pfh_vector::prefetch;

use crate::index::{Index, prefix};
use crate::layout::{FOOTER_BYTES, Footer, Kind, MAGIC, OpenError, Section, blake3};

/// An open set over its bytes.
#[derive(Debug)]
pub struct KnownSet<B> {
    bytes: B,
    footer: Footer,
    /// For each algorithm, its digests and their index.
    tables: Vec<Table>,
}

#[derive(Debug)]
struct Table {
    algorithm: Algorithm,
    digests: Section,
    index: Section,
}

impl<B: AsRef<[u8]>> KnownSet<B> {
    /// Opens a set. Reads its end only; [`KnownSet::is_intact`] reads the rest.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn new(bytes: B) -> Result<KnownSet<B>, OpenError> {
        let all = bytes.as_ref();
        let footer_at = all.len().checked_sub(FOOTER_BYTES + MAGIC.len());
        let footer = footer_at.map_or(&all[..0], |at| &all[at + MAGIC.len()..]);
        let footer = Footer::read(all, footer, all.len() as u64)?;
        let of = |kind, algorithm| {
            let found = footer.sections.iter().find(|one| (one.kind, one.algorithm) == (kind, Some(algorithm)));
            found.cloned().ok_or(OpenError::Damaged)
        };
        let mut tables = Vec::new();
        for digests in footer.sections.iter().filter(|section| section.kind == Kind::Digests) {
            let Some(algorithm) = digests.algorithm else { return Err(OpenError::Damaged) };
            tables.push(Table { algorithm, digests: digests.clone(), index: of(Kind::Index, algorithm)? });
        }
        Ok(KnownSet { bytes, footer, tables })
    }

    /// Returns the algorithms of which the set has digests.
    pub fn algorithms(&self) -> impl Iterator<Item = Algorithm> + '_ {
        self.tables.iter().map(|table| table.algorithm)
    }

    /// Returns the number of digests of an algorithm.
    pub fn len(&self, algorithm: Algorithm) -> u64 {
        self.table(algorithm).map_or(0, |table| table.digests.records)
    }

    /// Whether the set has no digest.
    pub fn is_empty(&self) -> bool {
        self.tables.iter().all(|table| table.digests.records == 0)
    }

    /// Returns the text about the set.
    pub fn about(&self) -> &str {
        let about = self.footer.sections.iter().find(|section| section.kind == Kind::About);
        about.and_then(|section| std::str::from_utf8(self.section(section)).ok()).unwrap_or_default()
    }

    /// Whether all bytes are those that were written.
    pub fn is_intact(&self) -> bool {
        let all = self.bytes.as_ref();
        blake3().digest(&all[..all.len() - FOOTER_BYTES]).bytes() == self.footer.contents
    }

    /// Returns the number of a digest among those of its algorithm, in order; `None` if the set does not have it.
    pub fn find(&self, digest: &Digest) -> Option<u64> {
        let mut number = None;
        self.find_many(std::slice::from_ref(digest), |_, found| number = found);
        number
    }

    /// Calls `found` for each digest, in their order, with its number as [`KnownSet::find`] returns it. Several
    /// look-ups are under way at a time, so that they wait for memory together.
    pub fn find_many(&self, digests: &[Digest], mut found: impl FnMut(&Digest, Option<u64>)) {
        for same in digests.chunk_by(|one, other| one.algorithm() == other.algorithm()) {
            let Some(table) = same.first().and_then(|digest| self.table(digest.algorithm())) else {
                same.iter().for_each(|digest| found(digest, None));
                continue;
            };
            let (records, index) = (self.section(&table.digests), self.index(table));
            match table.digests.record_bytes {
                16 => find_in::<16>(records, index, same, &mut found),
                20 => find_in::<20>(records, index, same, &mut found),
                32 => find_in::<32>(records, index, same, &mut found),
                64 => find_in::<64>(records, index, same, &mut found),
                _ => find_any(records, index, same, &mut found),
            }
        }
    }

    fn table(&self, algorithm: Algorithm) -> Option<&Table> {
        self.tables.iter().find(|table| table.algorithm == algorithm)
    }

    fn index(&self, table: &Table) -> Index<'_> {
        Index {
            differences: self.section(&table.index),
            width_bytes: table.index.record_bytes as usize,
            bits: table.index.prefix_bits,
            records: table.digests.records,
        }
    }

    fn section(&self, section: &Section) -> &[u8] {
        let start = section.offset as usize;
        &self.bytes.as_ref()[start..start + (section.records * u64::from(section.record_bytes)) as usize]
    }
}

/// Look-ups that are under way at a time: as many as a core has loads in flight, or a few more.
const BATCH: usize = 32;

/// Finds digests of `W` bytes.
fn find_in<const W: usize>(
    records: &[u8],
    index: Index<'_>,
    digests: &[Digest],
    found: &mut impl FnMut(&Digest, Option<u64>),
) {
    let records = records.as_chunks::<W>().0;
    for batch in digests.chunks(BATCH) {
        let mut prefixes = [0; BATCH];
        for (prefix, digest) in prefixes.iter_mut().zip(batch) {
            *prefix = self::prefix(digest.bytes(), index.bits);
            index.prefetch(*prefix);
        }
        let mut ranges = [(0, 0); BATCH];
        for (range, prefix) in ranges.iter_mut().zip(prefixes).take(batch.len()) {
            let of_prefix = index.range(prefix);
            let (start, end) = (of_prefix.start as usize, of_prefix.end as usize);
            prefetch(records, start);
            prefetch(records, end.wrapping_sub(1));
            *range = (start, end);
        }
        for ((start, end), digest) in ranges.into_iter().zip(batch) {
            let place = place_among(&records[start..end], digest.bytes());
            found(digest, place.map(|place| (start + place) as u64));
        }
    }
}

/// Returns the place of a record among a few, which are in order.
fn place_among<const W: usize>(records: &[[u8; W]], searched: &[u8]) -> Option<usize> {
    const FEW: usize = 32;
    if records.len() > FEW {
        return records.binary_search_by(|record| record[..].cmp(searched)).ok();
    }
    // Counting has no branch that could be guessed wrong. The first 8 bytes tell nearly all apart.
    let first = |record: &[u8]| record.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    let wanted = first(searched);
    let less = records.iter().map(|record| usize::from(first(record) < wanted)).sum();
    let same = records[less..].iter().take_while(|record| first(&record[..]) == wanted);
    same.zip(less..).find_map(|(record, place)| (record[..] == *searched).then_some(place))
}

/// Finds digests of any length.
fn find_any(records: &[u8], index: Index<'_>, digests: &[Digest], found: &mut impl FnMut(&Digest, Option<u64>)) {
    for digest in digests {
        let searched = digest.bytes();
        let record = |number: u64| &records[number as usize * searched.len()..][..searched.len()];
        let mut range = index.range(prefix(searched, index.bits));
        while range.end - range.start > 1 {
            let middle = range.start + (range.end - range.start) / 2;
            if record(middle) <= searched { range.start = middle } else { range.end = middle }
        }
        found(digest, range.into_iter().find(|&number| record(number) == searched));
    }
}
