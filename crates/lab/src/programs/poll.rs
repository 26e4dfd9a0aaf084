//! The lists that programs print about the same files, and the one on which they agree.

use std::collections::BTreeSet;

use super::lists::{self, Digests};
use crate::results::Doubt;
use crate::truth;

/// The different lists about one subject: a corpus, with an algorithm, in one form.
///
/// The right one is that on which programs agreed in an earlier run; else the one that more programs print than any
/// other, and at least two. Where there is none, nobody knows which list is wrong.
#[derive(Debug, Default)]
pub(super) struct Poll {
    lists: Vec<Printed>,
    earlier: Option<Earlier>,
}

/// A list, and the programs that print it.
#[derive(Debug)]
pub(super) struct Printed {
    pub(super) digests: Digests,
    programs: BTreeSet<String>,
    /// That of [`crate::results::Listed`]; empty until it is known.
    pub(super) sha256: String,
}

/// The list on which programs agreed in an earlier run.
#[derive(Debug)]
struct Earlier {
    sha256: String,
    programs: Vec<String>,
}

/// A list to be saved, the programs that print it, and why nobody knows whether it is right.
pub(super) struct Answer<'a> {
    pub(super) list: &'a Printed,
    pub(super) programs: BTreeSet<String>,
    pub(super) doubt: Option<Doubt>,
}

impl Poll {
    /// Takes over what programs agreed on in an earlier run.
    pub(super) fn remember(&mut self, sha256: &str, programs: &[String]) {
        self.earlier = Some(Earlier { sha256: sha256.to_owned(), programs: programs.to_vec() });
    }

    /// Whether programs agreed in an earlier run.
    pub(super) fn is_settled(&self) -> bool {
        self.earlier.is_some()
    }

    /// Takes a list of a program. Returns its place among the different ones.
    pub(super) fn enter(&mut self, digests: Digests, program: &str) -> usize {
        let place = self.lists.iter().position(|list| list.digests == digests).unwrap_or(self.lists.len());
        if place == self.lists.len() {
            self.lists.push(Printed { digests, programs: BTreeSet::new(), sha256: String::new() });
        }
        self.lists[place].programs.insert(program.to_owned());
        place
    }

    /// The different lists.
    pub(super) fn lists(&self) -> &[Printed] {
        &self.lists
    }

    /// The same, to be completed.
    pub(super) fn lists_mut(&mut self) -> &mut [Printed] {
        &mut self.lists
    }

    /// The place of the right list, if it is known and was printed.
    fn right(&self) -> Option<usize> {
        match &self.earlier {
            Some(Earlier { sha256, .. }) => self.lists.iter().position(|list| list.sha256 == *sha256),
            None => truth::most(self.lists.iter().map(|list| list.programs.len())),
        }
    }

    /// Whether the list at a place may be right.
    ///
    /// # Errors
    /// How it differs from the one on which programs agree.
    pub(super) fn judge(&self, place: usize) -> Result<(), String> {
        match (self.right(), &self.earlier) {
            (Some(right), _) if right != place => Err(self.difference(right, place)),
            (None, Some(Earlier { programs, .. })) => {
                Err(format!("disagrees with what was printed in an earlier run by {}", programs.join(", ")))
            }
            _ => Ok(()),
        }
    }

    /// How the list at one place differs from that at another, in words.
    fn difference(&self, expected: usize, observed: usize) -> String {
        let [expected, observed] = [expected, observed].map(|place| &self.lists[place]);
        let difference = lists::difference(&expected.digests, &observed.digests).unwrap_or_default();
        format!("disagrees with {}: {difference}", expected.names())
    }

    /// How programs disagree where nobody knows which of them are right.
    pub(super) fn dispute(&self) -> Option<String> {
        let is_disputed = self.lists.len() > 1 && !self.is_settled() && self.right().is_none();
        is_disputed.then(|| format!("{} {}", self.lists[1].names(), self.difference(0, 1)))
    }

    /// The lists to be saved: the right one, or all while nobody knows which that is.
    pub(super) fn answers(&self) -> Vec<Answer<'_>> {
        if let Some(list) = self.right().map(|right| &self.lists[right]) {
            let earlier = self.earlier.iter().flat_map(|earlier| &earlier.programs);
            let programs = list.programs.iter().chain(earlier).cloned().collect();
            return vec![Answer { list, programs, doubt: None }];
        }
        if self.is_settled() {
            return Vec::new();
        }
        let doubt = Some(if self.lists.len() == 1 { Doubt::Alone } else { Doubt::Disputed });
        self.lists.iter().map(|list| Answer { list, programs: list.programs.clone(), doubt }).collect()
    }
}

impl Printed {
    /// The programs that print it.
    fn names(&self) -> String {
        self.programs.iter().cloned().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(digest: &str) -> Digests {
        Digests::from([(b"a".to_vec(), digest.as_bytes().to_vec())])
    }

    fn poll(printed: &[(&str, &str)]) -> (Poll, Vec<usize>) {
        let mut poll = Poll::default();
        let places = printed.iter().map(|(program, digest)| poll.enter(list(digest), program)).collect();
        for list in poll.lists_mut() {
            list.sha256 = format!("of {:?}", list.digests);
        }
        (poll, places)
    }

    fn answers(poll: &Poll) -> Vec<(String, Option<Doubt>)> {
        let told = |answer: Answer<'_>| (answer.programs.into_iter().collect::<Vec<_>>().join("+"), answer.doubt);
        poll.answers().into_iter().map(told).collect()
    }

    #[test]
    fn the_first_is_not_right_because_it_is_the_first() {
        let (poll, places) = poll(&[("liar", "0"), ("a", "1"), ("b", "1")]);
        assert_eq!(places, [0, 1, 1]);
        let message = poll.judge(0).expect_err("two against one");
        assert_eq!(message, "disagrees with a, b: 1 file missing or with another digest, `a` for one, 0 more files");
        assert_eq!((poll.judge(1), poll.dispute()), (Ok(()), None));
        assert_eq!(answers(&poll), [("a+b".to_owned(), None)]);
    }

    #[test]
    fn nobody_is_right_alone_and_a_tie_settles_nothing() {
        let (alone, _) = poll(&[("a", "1"), ("a", "1")]);
        assert_eq!((alone.judge(0), alone.dispute()), (Ok(()), None));
        assert_eq!(answers(&alone), [("a".to_owned(), Some(Doubt::Alone))]);
        for printed in [
            &[("a", "1"), ("b", "2")][..],
            &[("a", "1"), ("b", "2"), ("c", "1"), ("d", "2")][..],
            &[("a", "1"), ("b", "2"), ("c", "3")][..],
        ] {
            let (tie, places) = poll(printed);
            assert!(places.iter().all(|place| tie.judge(*place).is_ok()));
            assert!(tie.dispute().is_some_and(|text| text.contains(" disagrees with a")), "{printed:?}");
            assert!(tie.answers().iter().all(|answer| answer.doubt == Some(Doubt::Disputed)));
        }
    }

    #[test]
    fn what_was_agreed_before_stays() {
        let (agreed, _) = poll(&[("a", "1"), ("b", "1")]);
        let sha256 = agreed.lists()[0].sha256.clone();
        let (mut later, _) = poll(&[("c", "2"), ("d", "2"), ("e", "1")]);
        later.remember(&sha256, &["a", "b"].map(str::to_owned));
        assert!(later.judge(0).is_err() && later.judge(1).is_ok());
        assert_eq!(answers(&later), [("a+b+e".to_owned(), None)]);
        let (mut other, _) = poll(&[("c", "2")]);
        other.remember(&sha256, &["a", "b"].map(str::to_owned));
        assert_eq!(other.judge(0), Err("disagrees with what was printed in an earlier run by a, b".to_owned()));
        assert!(other.answers().is_empty() && other.dispute().is_none());
    }
}
