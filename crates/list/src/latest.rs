//! A compact map from keys to their latest values, for journals of many millions of files.

/// Number of tables, over which the first bits of keys spread them. The tables grow one after the other, so growing
/// takes little extra memory.
const TABLES: usize = 256;

/// A map of evenly distributed keys (fingerprints) of `WORDS` words, in which a later value replaces an earlier one. It
/// takes 8 bytes for each word, 8 for the value, and at most a quarter more for growing.
#[derive(Debug)]
pub(crate) struct Latest<const WORDS: usize> {
    tables: Vec<Vec<Entry<WORDS>>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<const WORDS: usize> {
    key: [u64; WORDS],
    value: u64,
}

impl<const WORDS: usize> Latest<WORDS> {
    pub(crate) fn new() -> Latest<WORDS> {
        Latest { tables: (0..TABLES).map(|_| Vec::new()).collect() }
    }

    fn table(key: [u64; WORDS]) -> usize {
        key.first().map_or(0, |first| (first >> 56) as usize)
    }

    /// Sets the value of a key. It can be found only after [`Latest::settle`].
    pub(crate) fn set(&mut self, key: [u64; WORDS], value: u64) {
        let table = &mut self.tables[Self::table(key)];
        if table.len() == table.capacity() {
            settle(table);
            // If an eighth of the entries were repetitions, their space is enough for now.
            if table.len() + table.capacity() / 8 >= table.capacity() {
                table.reserve_exact((table.len() / 5).max(8));
            }
        }
        table.push(Entry { key, value });
    }

    /// Sorts the entries, so that they can be found.
    pub(crate) fn settle(&mut self) {
        self.tables.iter_mut().for_each(settle);
    }

    /// Returns the latest value of a key.
    pub(crate) fn get(&self, key: [u64; WORDS]) -> Option<u64> {
        let table = &self.tables[Self::table(key)];
        table.binary_search_by_key(&key, |entry| entry.key).ok().map(|place| table[place].value)
    }

    /// Returns the number of keys.
    pub(crate) fn len(&self) -> u64 {
        self.tables.iter().map(|table| table.len() as u64).sum()
    }
}

/// Sorts by key and keeps the latest value of each, which is the last one, since sorting is stable.
fn settle<const WORDS: usize>(table: &mut Vec<Entry<WORDS>>) {
    table.sort_by_key(|entry| entry.key);
    table.dedup_by(|later, kept| {
        let same = later.key == kept.key;
        if same {
            kept.value = later.value;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// SplitMix64, whose values are evenly distributed.
    fn key(number: u64) -> u64 {
        let z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    #[test]
    fn the_latest_value_counts() {
        let (mut latest, mut expected) = (Latest::<2>::new(), BTreeMap::new());
        for step in 0..50_000 {
            let number = key(step) % 3000;
            latest.set([key(number), number], step);
            expected.insert(number, step);
        }
        latest.settle();
        assert_eq!(latest.len(), expected.len() as u64);
        for number in 0..3001 {
            assert_eq!(latest.get([key(number), number]), expected.get(&number).copied());
        }
    }

    /// Returns the memory for each key in bytes, when some keys come several times.
    #[test]
    fn memory_is_bounded() {
        const KEYS: u64 = 400_000;
        for repetitions in [1, 3] {
            let mut latest = Latest::<1>::new();
            for step in 0..KEYS * repetitions {
                latest.set([key(step % KEYS)], step);
                if step % 10_000 == 0 || step + 1 == KEYS * repetitions {
                    let capacity: usize = latest.tables.iter().map(Vec::capacity).sum();
                    let keys = (step + 1).min(KEYS) as usize;
                    // 16 for an entry, a quarter of that for growing, and some for tables with few entries.
                    assert!(16 * capacity <= 20 * keys + TABLES * 16 * 32, "{capacity} {keys} {step}");
                }
            }
            latest.settle();
            assert_eq!(latest.len(), KEYS);
        }
    }
}
