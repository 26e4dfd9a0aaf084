//! The lists that programs print about the same files, and the one on which they agree.

use std::collections::{BTreeMap, BTreeSet};

use super::lists::{self, Digests};
use crate::experiment::trials::Program;
use crate::results::Doubt;
use crate::truth;

/// The different lists about one subject: a corpus, with an algorithm, in one form.
///
/// The right one is that on which programs agreed in an earlier run; else the one that more implementations print than
/// any other, and at least two, this run and earlier ones together. Where there is none, nobody knows which list is
/// wrong.
#[derive(Debug, Default)]
pub(super) struct Poll {
    /// Those of this run, then those that only earlier runs printed.
    lists: Vec<Printed>,
    /// Those of earlier runs, until [`Poll::complete`].
    saved: Vec<Printed>,
    /// SHA-256 of the list on which programs agreed in an earlier run.
    agreed: Option<String>,
    /// Whose code programs run that do not run their own.
    implementations: BTreeMap<String, String>,
}

/// A list, and the programs that print it.
#[derive(Debug)]
pub(super) struct Printed {
    /// `None` of a list that only earlier runs printed.
    digests: Option<Digests>,
    /// As it is saved: the number of its entries, and their corpus.
    pub(super) answer: String,
    /// Those of this run.
    programs: BTreeSet<String>,
    /// Those of earlier runs.
    earlier: BTreeSet<String>,
    /// That of [`crate::results::Listed`]; empty until it is known.
    pub(super) sha256: String,
}

/// A list to be saved, and why nobody knows whether it is right.
pub(super) struct Answer<'a> {
    pub(super) list: &'a Printed,
    pub(super) doubt: Option<Doubt>,
}

impl Poll {
    /// A poll among the programs of an experiment, of which none has printed a list yet.
    pub(super) fn among(programs: &[Program]) -> Poll {
        let runs_other = |program: &Program| Some((program.id.clone(), program.implementation.clone()?));
        Poll { implementations: programs.iter().filter_map(runs_other).collect(), ..Poll::default() }
    }

    /// Takes over a list of earlier runs.
    pub(super) fn remember(&mut self, sha256: &str, answer: &str, programs: &[String], doubt: Option<Doubt>) {
        if doubt.is_none() {
            self.agreed = Some(sha256.to_owned());
        }
        self.saved.push(Printed {
            digests: None,
            answer: answer.to_owned(),
            programs: BTreeSet::new(),
            earlier: programs.iter().cloned().collect(),
            sha256: sha256.to_owned(),
        });
    }

    /// Whether programs agreed in an earlier run.
    pub(super) fn is_settled(&self) -> bool {
        self.agreed.is_some()
    }

    /// Takes a list of a program. Returns its place among the different ones.
    pub(super) fn enter(&mut self, digests: Digests, answer: String, program: &str) -> usize {
        let is_it = |list: &Printed| list.digests.as_ref() == Some(&digests);
        let place = self.lists.iter().position(is_it).unwrap_or(self.lists.len());
        if place == self.lists.len() {
            self.lists.push(Printed {
                digests: Some(digests),
                answer,
                programs: BTreeSet::new(),
                earlier: BTreeSet::new(),
                sha256: String::new(),
            });
        }
        self.lists[place].programs.insert(program.to_owned());
        place
    }

    /// The different lists of this run.
    pub(super) fn printed(&self) -> impl Iterator<Item = &Digests> {
        self.lists.iter().filter_map(|list| list.digests.as_ref())
    }

    /// Completes the lists of this run with their SHA-256, in the order of [`Poll::printed`], and adds those of earlier
    /// runs. Where nobody was asked, nothing is judged.
    pub(super) fn complete(&mut self, sums: Vec<String>) {
        for (list, sha256) in self.lists.iter_mut().zip(sums) {
            list.sha256 = sha256;
        }
        if self.lists.is_empty() {
            return;
        }
        for saved in std::mem::take(&mut self.saved) {
            match self.lists.iter_mut().find(|list| list.sha256 == saved.sha256) {
                Some(list) => list.earlier.extend(saved.earlier),
                None => self.lists.push(saved),
            }
        }
    }

    /// The place of the right list, if it is known.
    fn right(&self) -> Option<usize> {
        match &self.agreed {
            Some(sha256) => self.lists.iter().position(|list| list.sha256 == *sha256),
            None => truth::most(self.lists.iter().map(|list| self.votes(list))),
        }
    }

    /// The number of implementations that print a list: the same code under two programs cannot vouch for itself.
    fn votes(&self, list: &Printed) -> usize {
        let whose = list.witnesses().map(|program| self.implementations.get(program).unwrap_or(program));
        whose.collect::<BTreeSet<_>>().len()
    }

    /// Whether the list at a place may be right.
    ///
    /// # Errors
    /// How it differs from the one on which programs agree.
    pub(super) fn judge(&self, place: usize) -> Result<(), String> {
        match self.right() {
            Some(right) if right != place => Err(format!("disagrees {}", self.difference(right, place))),
            _ => Ok(()),
        }
    }

    /// Whether a program printed nothing in earlier runs that is known to be wrong by now. Where it `was_asked` in this
    /// run, a list that it printed again is no such list: then it is that of other options.
    ///
    /// # Errors
    /// That it did, and who printed the right list.
    pub(super) fn judge_earlier(&self, program: &str, was_asked: bool) -> Result<(), String> {
        let Some(right) = self.right() else { return Ok(()) };
        let is_wrong = |(place, list): (usize, &Printed)| {
            let is_explained = was_asked && list.programs.contains(program);
            place != right && list.earlier.contains(program) && !is_explained
        };
        if self.lists.iter().enumerate().any(is_wrong) {
            return Err(format!("printed another list in an earlier run than {}", self.lists[right].names()));
        }
        Ok(())
    }

    /// How the list at one place differs from that at another, in words.
    fn difference(&self, expected: usize, observed: usize) -> String {
        let [expected, observed] = [expected, observed].map(|place| &self.lists[place]);
        match expected.digests.as_ref().zip(observed.digests.as_ref()) {
            Some((there, here)) => {
                let difference = lists::difference(there, here).unwrap_or_default();
                format!("with {}: {difference}", expected.names())
            }
            None => format!("with what was printed in an earlier run by {}", expected.names()),
        }
    }

    /// How programs disagree where nobody knows which of them are right.
    pub(super) fn dispute(&self) -> Option<String> {
        if self.lists.len() < 2 || self.right().is_some() {
            return None;
        }
        // The first was printed in this run.
        let (expected, observed) = if self.lists[1].digests.is_some() { (0, 1) } else { (1, 0) };
        let list = &self.lists[observed];
        let disagree = if list.witnesses().count() == 1 { "disagrees" } else { "disagree" };
        Some(format!("{} {disagree} {}", list.names(), self.difference(expected, observed)))
    }

    /// The lists to be saved: the right one, or all while nobody knows which that is.
    pub(super) fn answers(&self) -> Vec<Answer<'_>> {
        if let Some(right) = self.right() {
            return vec![Answer { list: &self.lists[right], doubt: None }];
        }
        let doubt = Some(if self.lists.len() == 1 { Doubt::Alone } else { Doubt::Disputed });
        self.lists.iter().map(|list| Answer { list, doubt }).collect()
    }
}

impl Printed {
    /// The programs that print it, in this run or an earlier one, in the order of their names.
    pub(super) fn witnesses(&self) -> impl Iterator<Item = &String> {
        self.programs.union(&self.earlier)
    }

    /// The same, in words.
    fn names(&self) -> String {
        self.witnesses().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(digest: &str) -> Digests {
        Digests::from([(b"a".to_vec(), digest.as_bytes().to_vec())])
    }

    fn sha256(digest: &str) -> String {
        format!("of {:?}", list(digest))
    }

    /// A poll after earlier runs, with the programs of each list that they saved, and this one.
    fn continued(saved: &[(&str, &[&str], Option<Doubt>)], printed: &[(&str, &str)]) -> (Poll, Vec<usize>) {
        let mut poll = Poll::default();
        for (digest, programs, doubt) in saved {
            let programs: Vec<String> = programs.iter().map(|program| (*program).to_owned()).collect();
            poll.remember(&sha256(digest), "1 entry", &programs, *doubt);
        }
        let enter = |(program, digest): &(&str, &str)| poll.enter(list(digest), "1 entry".to_owned(), program);
        let places = printed.iter().map(enter).collect();
        let sums = poll.printed().map(|digests| format!("of {digests:?}")).collect();
        poll.complete(sums);
        (poll, places)
    }

    fn poll(printed: &[(&str, &str)]) -> (Poll, Vec<usize>) {
        continued(&[], printed)
    }

    fn answers(poll: &Poll) -> Vec<(String, Option<Doubt>)> {
        poll.answers().into_iter().map(|answer| (answer.list.names(), answer.doubt)).collect()
    }

    #[test]
    fn the_first_is_not_right_because_it_is_the_first() {
        let (poll, places) = poll(&[("liar", "0"), ("a", "1"), ("b", "1")]);
        assert_eq!(places, [0, 1, 1]);
        let message = poll.judge(0).expect_err("two against one");
        assert_eq!(message, "disagrees with a, b: 1 file missing or with another digest, `a` for one, 0 more files");
        assert_eq!((poll.judge(1), poll.dispute()), (Ok(()), None));
        assert_eq!(answers(&poll), [("a, b".to_owned(), None)]);
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
            let told = if printed.len() == 4 { "b, d disagree with a, c: " } else { "b disagrees with a: " };
            assert!(tie.dispute().is_some_and(|text| text.starts_with(told)), "{printed:?}");
            assert!(tie.answers().iter().all(|answer| answer.doubt == Some(Doubt::Disputed)));
        }
    }

    /// One program under many wrappers is one vote, and does not confirm itself.
    #[test]
    fn the_same_code_does_not_vouch_for_itself() {
        let of_ssdeep = ["ssdeep", "xargs"].map(|program| (program.to_owned(), "ssdeep".to_owned()));
        let poll = |printed: &[(&str, &str)]| {
            let (mut poll, places) = poll(printed);
            poll.implementations = BTreeMap::from(of_ssdeep.clone());
            (poll, places)
        };
        let (alone, _) = poll(&[("ssdeep", "1"), ("xargs", "1")]);
        assert_eq!(answers(&alone), [("ssdeep, xargs".to_owned(), Some(Doubt::Alone))]);
        let (tie, places) = poll(&[("ssdeep", "1"), ("xargs", "1"), ("pfh", "2")]);
        assert!(places.iter().all(|place| tie.judge(*place).is_ok()));
        assert!(tie.dispute().is_some_and(|text| text.starts_with("pfh disagrees with ssdeep, xargs: ")));
        let (confirmed, places) = poll(&[("ssdeep", "1"), ("xargs", "2"), ("pfh", "2")]);
        assert!(confirmed.judge(places[0]).is_err());
        assert_eq!(answers(&confirmed), [("pfh, xargs".to_owned(), None)]);
    }

    #[test]
    fn what_was_agreed_before_stays() {
        let saved: [(&str, &[&str], Option<Doubt>); 1] = [("1", &["a", "b"], None)];
        let (later, _) = continued(&saved, &[("c", "2"), ("d", "2"), ("e", "1")]);
        assert!(later.judge(0).is_err() && later.judge(1).is_ok());
        assert_eq!(answers(&later), [("a, b, e".to_owned(), None)]);
        let (other, _) = continued(&saved, &[("c", "2")]);
        assert_eq!(other.judge(0), Err("disagrees with what was printed in an earlier run by a, b".to_owned()));
        assert_eq!((answers(&other), other.dispute()), (vec![("a, b".to_owned(), None)], None));
        let (silent, _) = continued(&saved, &[]);
        assert!(silent.answers().is_empty() && silent.dispute().is_none());
    }

    #[test]
    fn votes_count_across_runs() {
        let alone: [(&str, &[&str], Option<Doubt>); 1] = [("1", &["a"], Some(Doubt::Alone))];
        let (confirmed, _) = continued(&alone, &[("b", "1")]);
        assert_eq!(answers(&confirmed), [("a, b".to_owned(), None)]);
        let (disputed, _) = continued(&alone, &[("b", "2")]);
        let told = disputed.dispute().expect("one against one");
        assert_eq!(told, "b disagrees with what was printed in an earlier run by a");
        let both = ["b", "a"].map(|program| (program.to_owned(), Some(Doubt::Disputed)));
        assert_eq!(answers(&disputed), both);
        assert_eq!(disputed.judge_earlier("a", false), Ok(()));
        // The same dispute, with one of the two.
        let disputed = Some(Doubt::Disputed);
        let saved: [(&str, &[&str], Option<Doubt>); 3] = [alone[0], ("2", &["b"], disputed), ("1", &["a"], disputed)];
        let (again, _) = continued(&saved, &[("a", "1")]);
        assert_eq!(answers(&again), [("a".to_owned(), disputed), ("b".to_owned(), disputed)]);
        // A third one decides, and what was printed before fails.
        let (decided, places) = continued(&saved, &[("c", "2")]);
        assert_eq!((decided.judge(places[0]), decided.dispute()), (Ok(()), None));
        assert_eq!(answers(&decided), [("b, c".to_owned(), None)]);
        let wrong = "printed another list in an earlier run than b, c".to_owned();
        assert_eq!((decided.judge_earlier("a", false), decided.judge_earlier("b", false)), (Err(wrong), Ok(())));
    }

    #[test]
    fn a_program_that_printed_something_else_before_is_told_from_one_with_other_options() {
        let saved: [(&str, &[&str], Option<Doubt>); 1] = [("1", &["a"], Some(Doubt::Alone))];
        let (changed, _) = continued(&saved, &[("a", "2"), ("b", "2")]);
        assert!(changed.judge(0).is_ok() && changed.judge_earlier("a", true).is_err());
        let (options, places) = continued(&saved, &[("a", "1"), ("a", "2"), ("b", "2")]);
        assert!(options.judge(places[0]).is_err() && options.judge_earlier("a", true).is_ok());
        assert!(options.judge_earlier("a", false).is_err());
    }
}
