//! Determines the right answers.
//!
//! The laboratory links no hash implementation, so the right answer comes from other programs: it is the one on which
//! runners over *different implementations* agree, and on which more of them agree than on any other. A runner's answer
//! is thus believed only if somebody else's code gave the same. Where only one implementation has an algorithm, or no
//! two agree, the answer is not known, and no speed is reported.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::VARIANTS_MAX;
use crate::experiment::trials;
use crate::protocol::Mode;
use crate::results::{Doubt, Hello, Truth};

/// A question with a single right answer, for all runners.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// The mode, with the data in memory.
    pub mode: Mode,
    /// The algorithm, with synonyms resolved.
    pub algorithm: String,
    /// Size of the data.
    pub bytes: u64,
    /// Number of strings, messages or derivations.
    pub count: u64,
    /// Number of the repeat whose data it is of, from 1; 0 for those of the check.
    pub variant: u32,
}

impl Question {
    /// The same of the data of a repeat.
    #[must_use]
    pub fn of_repeat(&self, repeat: u32) -> Question {
        Question { variant: repeat % VARIANTS_MAX + 1, ..self.clone() }
    }
}

/// The answers of one runner.
#[derive(Clone, Debug)]
pub struct Vote {
    /// The runner.
    pub witness: String,
    /// Whose code it runs.
    pub implementation: String,
    /// Its answer before the warm-up.
    pub check: String,
    /// Its answer to a repeat.
    pub answer: String,
}

/// Whose code a runner runs: what its definition says, else OpenSSL where the runner mentions it, else its library.
///
/// Bindings of one library are one implementation: they cannot vouch for each other.
#[must_use]
pub fn implementation(defined: Option<&str>, hello: &Hello) -> String {
    if let Some(defined) = defined {
        return defined.to_ascii_lowercase();
    }
    let texts = [&hello.library, &hello.library_version, &hello.provider].map(|text| text.to_ascii_lowercase());
    if texts.iter().any(|text| text.contains("openssl")) { "openssl".to_owned() } else { texts[0].clone() }
}

/// The answer on which different implementations agree; none where there is none.
#[must_use]
pub fn settle(question: &Question, votes: &[Vote]) -> Option<Truth> {
    let is_cipher = question.mode == Mode::Cipher;
    // The last block of CBC depends on all before it: it settles a cipher by itself, and two forms of check may differ.
    let answer = agreed(votes, |vote| (vote.answer.as_str(), if is_cipher { "" } else { vote.check.as_str() }))?;
    let agreeing = votes.iter().filter(|vote| vote.answer == answer.0 && (is_cipher || vote.check == answer.1));
    let check = if is_cipher {
        let whole: Vec<Vote> = agreeing.clone().filter(|vote| vote.check != vote.answer).cloned().collect();
        agreed(&whole, |vote| vote.check.as_str()).map(str::to_owned)
    } else {
        Some(answer.1.to_owned()).filter(|check| check != answer.0)
    };
    Some(Truth {
        mode: question.mode.name().to_owned(),
        algorithm: question.algorithm.clone(),
        bytes: question.bytes,
        count: question.count,
        variant: question.variant,
        answer: answer.0.to_owned(),
        check,
        witnesses: agreeing.map(|vote| format!("{} ({})", vote.witness, vote.implementation)).collect(),
        list: None,
    })
}

/// The value that at least two implementations gave, and more than gave any other.
fn agreed<'a, T: Ord + Copy>(votes: &'a [Vote], value: impl Fn(&'a Vote) -> T) -> Option<T> {
    let mut by_value: BTreeMap<T, BTreeSet<&str>> = BTreeMap::new();
    for vote in votes {
        by_value.entry(value(vote)).or_default().insert(&vote.implementation);
    }
    let winner = most(by_value.values().map(BTreeSet::len))?;
    by_value.into_keys().nth(winner)
}

/// The place of the number that is larger than all others, and at least two.
pub(crate) fn most(numbers: impl Iterator<Item = usize> + Clone) -> Option<usize> {
    let most = numbers.clone().max().filter(|most| *most >= 2)?;
    let mut places = numbers.enumerate().filter(|(_, number)| *number == most);
    let (place, _) = places.next()?;
    places.next().is_none().then_some(place)
}

/// Whether somebody else gave the same answer. Older results call the list of a single program a truth.
pub(crate) fn is_confirmed(truth: &Truth) -> bool {
    match &truth.list {
        Some(list) => list.doubt.is_none(),
        None => truth.mode != trials::MODE || truth.witnesses.len() > 1,
    }
}

/// The question of an answer.
fn subject(truth: &Truth) -> (&str, &str, u64, u64, Option<(&str, bool)>) {
    let list = truth.list.as_ref().map(|list| (list.corpus.as_str(), list.pairs));
    (&truth.mode, &truth.algorithm, truth.bytes, truth.count, list)
}

/// The answers that nobody has confirmed, each once, as the latest run saved it, without those in whose place a run
/// found a confirmed one.
#[must_use]
pub fn unconfirmed(truths: &[Truth]) -> Vec<&Truth> {
    let confirmed: BTreeSet<_> = truths.iter().filter(|truth| is_confirmed(truth)).map(subject).collect();
    let is_open = |truth: &&Truth| !is_confirmed(truth) && !confirmed.contains(&subject(truth));
    let mut latest = BTreeMap::new();
    for truth in truths.iter().filter(is_open) {
        let sha256 = truth.list.as_ref().map(|list| &list.sha256);
        latest.insert((subject(truth), &truth.answer, sha256), truth);
    }
    latest.into_values().collect()
}

/// The number of lists of which programs print different ones, with nobody to tell which is right.
#[must_use]
pub fn disagreements(truths: &[Truth]) -> u64 {
    let is_disputed = |truth: &&Truth| truth.list.as_ref().is_some_and(|list| list.doubt == Some(Doubt::Disputed));
    let disputed: BTreeSet<_> = unconfirmed(truths).into_iter().filter(is_disputed).map(subject).collect();
    disputed.len() as u64
}

/// The answer where bytes are only counted, which the laboratory knows by itself.
#[must_use]
pub fn of_size(mode: Mode, bytes: u64) -> Truth {
    Truth {
        mode: mode.name().to_owned(),
        algorithm: "none".to_owned(),
        bytes,
        count: 1,
        variant: 0,
        answer: bytes.to_string(),
        check: None,
        witnesses: Vec::new(),
        list: None,
    }
}

/// Why nothing is settled. `missing` names runners that are not there and have the algorithm.
#[must_use]
pub fn explain(votes: &[Vote], missing: &[String]) -> String {
    const BYTES_MAX: usize = 24;
    let say = |vote: &Vote| {
        let answer: String = vote.answer.chars().take(BYTES_MAX).collect();
        format!("{} ({}) says {answer}", vote.witness, vote.implementation)
    };
    let reason = match votes {
        [] => "no runner that could vouch for the answer gave one".to_owned(),
        votes => {
            let said = votes.iter().map(say).collect::<Vec<_>>().join(", ");
            format!("no two different implementations agree: {said}")
        }
    };
    let is_one_opinion = votes.iter().all(|vote| vote.implementation == votes[0].implementation);
    let advice = match missing {
        // Implementations that disagree are not reconciled by another one.
        _ if !is_one_opinion => String::new(),
        [] if votes.is_empty() => String::new(),
        [] => "; a runner over another implementation would settle it, and `pfh lab doctor` tells which are missing"
            .to_owned(),
        missing => format!("; {} would be a witness", missing.join(" or ")),
    };
    reason + &advice
}

/// Whether a check's answer is right.
#[must_use]
pub fn is_right_check(truth: &Truth, answer: &str) -> bool {
    if truth.mode == Mode::Cipher.name() && answer != truth.answer {
        // Without a second SHA-256 of the whole ciphertext, the last blocks of all repeats decide.
        const SHA256_DIGITS: usize = 64;
        return truth.check.as_deref().map_or(answer.len() == SHA256_DIGITS, |check| check == answer);
    }
    truth.mode == Mode::Cipher.name() || truth.check.as_ref().unwrap_or(&truth.answer) == answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Listed;

    fn question(mode: Mode) -> Question {
        Question { mode, algorithm: "md5".to_owned(), bytes: 16, count: 1, variant: 0 }
    }

    fn vote(witness: &str, implementation: &str, check: &str, answer: &str) -> Vote {
        let text = str::to_owned;
        Vote { witness: text(witness), implementation: text(implementation), check: text(check), answer: text(answer) }
    }

    #[test]
    fn bindings_of_one_library_do_not_vouch_for_each_other() {
        let mut votes = vec![vote("c", "openssl", "aa", "aa"), vote("py", "openssl", "aa", "aa")];
        assert_eq!(settle(&question(Mode::Digest), &votes), None);
        votes.push(vote("pfh", "rustcrypto", "aa", "aa"));
        let truth = settle(&question(Mode::Digest), &votes).expect("two implementations");
        assert_eq!((truth.answer.as_str(), truth.check.as_deref()), ("aa", None));
        assert_eq!(truth.witnesses, ["c (openssl)", "py (openssl)", "pfh (rustcrypto)"]);
    }

    #[test]
    fn the_most_implementations_win_and_a_tie_settles_nothing() {
        let mut votes = vec![vote("liar", "a", "bad", "bad"), vote("b", "b", "ok", "ok")];
        assert_eq!(settle(&question(Mode::Digest), &votes), None);
        votes.push(vote("liar-2", "c", "bad", "bad"));
        votes.push(vote("d", "d", "ok", "ok"));
        assert_eq!(settle(&question(Mode::Digest), &votes), None);
        votes.push(vote("e", "e", "ok", "ok"));
        assert_eq!(settle(&question(Mode::Digest), &votes).expect("three against two").answer, "ok");
        let disagreement = explain(&votes, &["f".to_owned()]);
        assert!(disagreement.contains("liar-2 (c) says bad") && !disagreement.contains("witness"), "{disagreement}");
        let alone = [vote("pfh", "blake3", "ok", "ok"), vote("rs-blake3", "blake3", "ok", "ok")];
        assert!(explain(&alone, &[]).contains("; a runner over another implementation would settle it"));
        assert!(
            explain(&alone, &["java-bc", "x"].map(str::to_owned)).contains("says ok; java-bc or x would be a witness")
        );
    }

    #[test]
    fn the_check_of_strings_must_agree_too() {
        let votes = vec![vote("a", "a", "all", "last"), vote("b", "b", "other", "last")];
        assert_eq!(settle(&question(Mode::Strings), &votes), None);
        let votes = vec![vote("a", "a", "all", "last"), vote("b", "b", "all", "last")];
        let truth = settle(&question(Mode::Strings), &votes).expect("agreement");
        assert_eq!(truth.check.as_deref(), Some("all"));
        assert!(is_right_check(&truth, "all") && !is_right_check(&truth, "last"));
    }

    #[test]
    fn the_check_of_a_cipher_has_two_forms() {
        let sha = "5".repeat(64);
        let last_only = vec![vote("a", "a", &sha, "last"), vote("b", "b", "last", "last")];
        let truth = settle(&question(Mode::Cipher), &last_only).expect("the last block agrees");
        assert!(is_right_check(&truth, &sha) && is_right_check(&truth, "last") && !is_right_check(&truth, "lost"));
        let both = [last_only, vec![vote("c", "c", &sha, "last")]].concat();
        let truth = settle(&question(Mode::Cipher), &both).expect("the last block agrees");
        assert!(is_right_check(&truth, &sha) && !is_right_check(&truth, &"6".repeat(64)));
    }

    /// A list that was alone at first, and then disputed, is told once.
    #[test]
    fn the_latest_doubt_counts() {
        let printed = |sha256: &str, doubt: Option<Doubt>| Truth {
            mode: "program".to_owned(),
            list: Some(Listed { corpus: "c".to_owned(), pairs: false, sha256: sha256.to_owned(), doubt }),
            ..of_size(Mode::ReadFile, 1)
        };
        let disputed = ["1", "2"].map(|sha256| printed(sha256, Some(Doubt::Disputed)));
        let truths = [&[printed("1", Some(Doubt::Alone))][..], &disputed].concat();
        assert_eq!(unconfirmed(&truths), disputed.iter().collect::<Vec<_>>());
        assert_eq!(disagreements(&truths), 1);
        let truths = [&truths[..], &[printed("2", None)]].concat();
        assert_eq!((unconfirmed(&truths).len(), disagreements(&truths)), (0, 0));
    }

    #[test]
    fn whose_code_it_is() {
        let hello = |library: &str, version: &str| Hello {
            library: library.to_owned(),
            library_version: version.to_owned(),
            ..Hello::default()
        };
        assert_eq!(implementation(None, &hello("hashlib", "OpenSSL 3.0.22")), "openssl");
        assert_eq!(implementation(None, &hello("Bouncy Castle", "1.86")), "bouncy castle");
        assert_eq!(implementation(Some("RustCrypto"), &hello("pfh", "1")), "rustcrypto");
    }
}
