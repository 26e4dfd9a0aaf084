//! Answers that took long, kept for whoever asks the same again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pfh_digest::Digest;

/// Answers about digests that many entries have, such as that of a placeholder. Otherwise the time to ask about many
/// files with such a digest would grow with the number of files times that of the entries.
#[derive(Debug, Default)]
pub struct Answers<A>(Mutex<HashMap<Vec<Digest>, A>>);

/// Number of entries from which on finding the answer takes longer than keeping it.
const ENTRIES_MIN: u64 = 64;

/// Most answers that are kept.
const ANSWERS_MAX: usize = 4096;

impl<A: Clone> Answers<A> {
    /// Whether an answer is to be kept for which this number of entries has to be gone through.
    pub fn keeps(&self, entries: u64) -> bool {
        entries >= ENTRIES_MIN
    }

    /// Returns the answer about these digests, if it was kept.
    pub fn get(&self, digests: &[Digest]) -> Option<A> {
        self.all().get(digests).cloned()
    }

    /// Keeps the answer about these digests. Those before it may be dropped for it.
    pub fn put(&self, digests: &[Digest], answer: A) {
        let mut all = self.all();
        if all.len() == ANSWERS_MAX {
            all.clear();
        }
        all.insert(digests.to_vec(), answer);
    }

    /// Drops all answers, since others are right from now on.
    pub fn clear(&mut self) {
        self.all().clear();
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Vec<Digest>, A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::Algorithm;

    #[test]
    fn the_latest_answers_are_kept() {
        let mut answers = Answers::default();
        let digest = |number: usize| [Algorithm::SHA256.digest(&number.to_le_bytes())];
        for number in 0..=ANSWERS_MAX {
            answers.put(&digest(number), number);
            assert_eq!(answers.get(&digest(number)), Some(number));
        }
        assert_eq!(answers.all().len(), 1);
        answers.clear();
        assert_eq!(answers.get(&digest(ANSWERS_MAX)), None);
    }
}
