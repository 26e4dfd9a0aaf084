//! The experiments.

use super::cache::Cache;
use super::compare::Comparison;
use super::contenders::{ALGORITHMS, Contender, FAMILIES, blazehash, coreutils, hashdeep};
use super::corpus::{Corpus, lists};
use super::digests::List;
use super::rate::Yardstick;

/// The comparisons of `--quick`, on corpora of a tenth of the size: the most important figures, in under two minutes.
pub(super) const QUICK: [&str; 7] = [
    "hot/real/md5",
    "hot/real/md5+sha256",
    "hot/large/sha256-on-one-core",
    "hot/tree4k/md5",
    "hot/tree4k/sha256",
    "evicted/tree4k/evicted",
    "memory/tiny",
];

/// Comparisons that share a record.
pub(super) struct Experiment {
    pub(super) name: &'static str,
    /// Its question, for the head of the record.
    pub(super) question: &'static str,
    pub(super) comparisons: Vec<Comparison>,
}

/// The contender that reads everything and hashes nothing.
pub(super) const READ_FLOOR: &str = "read floor";

/// Memory options that are compared, as `-m` takes them and in bytes.
const MEMORY: [(&str, u64); 4] = [("20M", 20 << 20), ("64M", 64 << 20), ("256M", 256 << 20), ("1G", 1 << 30)];

/// Returns all experiments, for a machine that runs `threads` threads at a time.
pub(super) fn all(threads: usize) -> Vec<Experiment> {
    vec![hot(threads), evicted(threads), modes(threads), memory(), balance(threads), rate(threads), similarity(threads)]
}

fn hot(threads: usize) -> Experiment {
    let floor = || Contender::pfh(READ_FLOOR, &format!("-a none -t {threads}"), None);
    let mut comparisons = Vec::new();
    for corpus in [Corpus::Real, Corpus::Large, Corpus::Tree4k] {
        for algorithm in &ALGORITHMS {
            let pfh = Contender::pfh("pfh", &format!("-a {} -t {threads}", algorithm.name), Some(List::Lines));
            let mut contenders = vec![pfh, floor()];
            contenders.extend(algorithm.peers(threads));
            let mut comparison = comparison(&["hot", corpus.name(), algorithm.name], corpus, Cache::Hot, contenders);
            comparison.yardstick = Some(Yardstick::Bound(std::slice::from_ref(&algorithm.name)));
            comparisons.push(comparison);
        }
        let options = format!("-a md5,sha256 -t {threads} -f hashdeep");
        let pfh = Contender::pfh("pfh", &options, Some(List::Hashdeep));
        let contenders = vec![pfh, floor(), hashdeep("md5,sha256", threads), blazehash("md5,sha256")];
        let mut both = comparison(&["hot", corpus.name(), "md5+sha256"], corpus, Cache::Hot, contenders);
        both.yardstick = Some(Yardstick::Bound(&["md5", "sha256"]));
        comparisons.push(both);
    }
    for algorithm in ["md5", "sha1", "sha256"] {
        let pfh = Contender::pfh("pfh, one thread", &format!("-a {algorithm} -t 1"), Some(List::Lines));
        let contenders = vec![pfh, Contender::openssl_on_one_core(algorithm)];
        let name = format!("{algorithm}-on-one-core");
        comparisons.push(comparison(&["hot", Corpus::Large.name(), &name], Corpus::Large, Cache::Hot, contenders));
    }
    Experiment {
        name: "hot",
        question: "How long do pfh and its peers take when everything is in the page cache?",
        comparisons,
    }
}

fn evicted(threads: usize) -> Experiment {
    let comparisons = [Cache::Evicted, Cache::Cold].map(|cache| {
        let contenders = vec![
            Contender::pfh("pfh", &format!("-a md5 -t {threads}"), Some(List::Lines)),
            Contender::pfh("pfh, SMT", &format!("-a md5 --mode smt -t {threads}"), Some(List::Lines)),
            Contender::pfh("pfh, MTP", &format!("-a md5 --mode mtp -t {threads}"), Some(List::Lines)),
            coreutils("md5sum"),
            hashdeep("md5", threads),
        ];
        comparison(&["evicted", Corpus::Tree4k.name(), cache.name()], Corpus::Tree4k, cache, contenders)
    });
    let contenders = vec![
        Contender::pfh("pfh, direct", "-a none --io direct", None),
        Contender::pfh("pfh, buffered", "-a none", None),
        Contender::dd_direct(),
    ];
    let direct = comparison(&["evicted", Corpus::Large.name(), "direct"], Corpus::Large, Cache::Evicted, contenders);
    Experiment {
        name: "evicted",
        question: "How long do files take that are not in the page cache?",
        comparisons: comparisons.into_iter().chain([direct]).collect(),
    }
}

fn modes(threads: usize) -> Experiment {
    let pfh = |options: String| Contender::pfh(&options, &options, Some(List::Lines));
    let mut comparisons = Vec::new();
    for corpus in [Corpus::Real, Corpus::Large, Corpus::Tree4k] {
        for cache in [Cache::Hot, Cache::Cold] {
            let mut add = |what: &str, contenders| {
                comparisons.push(comparison(&["modes", corpus.name(), cache.name(), what], corpus, cache, contenders));
            };
            for algorithm in ["md5", "sha256"] {
                let counts = if threads == 1 { vec![1] } else { vec![threads, 1] };
                let all = counts.iter().flat_map(|count| ["adaptive", "mtp", "smt"].map(|mode| (count, mode)));
                let contenders = all.map(|(count, mode)| pfh(format!("-a {algorithm} --mode {mode} -t {count}")));
                add(&format!("threads-{algorithm}"), contenders.collect());
            }
            for mode in ["adaptive", "mtp"] {
                let contenders = MEMORY.iter().rev().map(|(size, bytes)| {
                    pfh(format!("-a md5 --mode {mode} -t {threads} -m {size}")).with_memory_option(*bytes)
                });
                add(&format!("memory-{mode}"), contenders.collect());
            }
            // In MTP the prefetchers are among the threads, and at least one hashes: two of them need a third thread.
            let more = threads.max(2) + 1;
            let prefetchers = [(threads.max(2), 1), (more, 1), (more, 2)];
            let contenders =
                prefetchers.map(|(count, readers)| pfh(format!("-a md5 --mode mtp -t {count} -p {readers}")));
            add("prefetchers", contenders.into());
        }
    }
    Experiment { name: "modes", question: "What do mode, threads, memory and prefetchers change?", comparisons }
}

fn memory() -> Experiment {
    let mut comparisons = Vec::new();
    for corpus in [Corpus::Tiny, Corpus::Sparse10g] {
        let mut contenders = Vec::new();
        for mode in ["adaptive", "mtp", "smt"] {
            for (size, bytes) in [MEMORY[0], MEMORY[2]] {
                let options = format!("-a md5 --mode {mode} -m {size}");
                contenders.push(Contender::pfh(&options, &options, Some(List::Lines)).with_memory_option(bytes));
            }
        }
        comparisons.push(comparison(&["memory", corpus.name()], corpus, Cache::Hot, contenders));
    }
    Experiment {
        name: "memory",
        question: "Does the peak of memory stay below the option plus a constant, for many files and for a large one?",
        comparisons,
    }
}

fn balance(threads: usize) -> Experiment {
    let comparisons = [Cache::Hot, Cache::Cold].map(|cache| {
        let contenders = ["", " --balance"].map(|balance| {
            let options = format!("-a md5 --mode mtp -t {threads} -m 20M{balance}");
            Contender::pfh(&options, &options, Some(List::Lines))
        });
        comparison(&["balance", Corpus::Real.name(), cache.name()], Corpus::Real, cache, contenders.into())
    });
    Experiment {
        name: "balance",
        question: "What does it bring to choose the order that keeps the memory table used?",
        comparisons: comparisons.into(),
    }
}

fn rate(threads: usize) -> Experiment {
    let comparisons = ["md5", "sha256"].map(|algorithm| {
        let pfh = Contender::pfh("pfh", &format!("-a {algorithm} -t {threads}"), Some(List::Lines));
        let mut comparison =
            comparison(&["rate", Corpus::Large.name(), algorithm], Corpus::Large, Cache::Hot, vec![pfh]);
        comparison.yardstick = Some(Yardstick::Streams(algorithm));
        comparison
    });
    Experiment {
        name: "rate",
        question: "How near do large files come to the rate of the library in memory, per core, times cores?",
        comparisons: comparisons.into(),
    }
}

fn similarity(threads: usize) -> Experiment {
    let mut comparisons = Vec::new();
    for family in &FAMILIES {
        for corpus in [Corpus::Tree4k, Corpus::Files64k, Corpus::Files1m, Corpus::Large256m, Corpus::RealPart] {
            let id = ["similarity", family.name, corpus.name()];
            comparisons.push(comparison(&id, corpus, Cache::Hot, family.contenders()));
        }
    }
    let pfh = |what: String| Contender::pfh_as_is("pfh", format!("pfh compare {what}"), Some(List::Pairs));
    let mut add = |what: &str, contenders| {
        comparisons.push(comparison(&["similarity", what], Corpus::Digests, Cache::Hot, contenders));
    };
    let all = lists::SSDEEP;
    // A real tree has tens of millions of pairs, which take longer to print than to find: groups need all of them and
    // print few lines.
    let groups = format!("pfh compare --clusters --digests {all} -t {threads}");
    add("pairs/ssdeep-all", vec![Contender::pfh_as_is("pfh compare --clusters", groups, None)]);
    let part = lists::SSDEEP_PART;
    let original = Contender::comparing("ssdeep -x", "ssdeep", format!("ssdeep -x {part}"));
    add("pairs/ssdeep-part", vec![pfh(format!("--digests {part} -t 1")), original]);
    for (what, list) in [("pairs/sdhash", lists::SDHASH), ("pairs/sdhash-part", lists::SDHASH_PART)] {
        let original = Contender::comparing("sdhash -c", "sdhash", format!("sdhash -c {list} -p {threads}"));
        add(what, vec![pfh(format!("--digests {list} -t {threads}")), original]);
    }
    let (million, index, query) = (lists::SSDEEP_MILLION, lists::SSDEEP_INDEX, lists::SSDEEP_QUERY);
    let build = format!("pfh compare --digests {million} --build-index {index}.new");
    add("index/build", vec![Contender::pfh_as_is("pfh", build, None)]);
    let start = Contender::pfh_as_is("pfh --version: starting", "pfh --version".to_owned(), None);
    add("index/query", vec![pfh(format!("--digests {query} --index {index}")), start]);
    Experiment {
        name: "similarity",
        question: "How long do similarity digests and their comparison take, on one core (comparison: on all), beside the programs \
                   that the families come from?",
        comparisons,
    }
}

fn comparison(id: &[&str], corpus: Corpus, cache: Cache, contenders: Vec<Contender>) -> Comparison {
    Comparison { id: id.join("/"), corpus, cache, contenders, yardstick: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_begin_with_the_experiment() {
        let experiments = all(2);
        let mut names = HashSet::new();
        for (experiment, comparison) in experiments.iter().flat_map(|e| e.comparisons.iter().map(move |c| (e, c))) {
            assert!(comparison.id.starts_with(&format!("{}/", experiment.name)), "{}", comparison.id);
            assert!(names.insert(comparison.id.as_str()), "{}", comparison.id);
            assert!(!comparison.contenders.is_empty());
        }
    }
}
