//! `pfh known lookup`: digests of the command line or of standard input against sets.
//!
//! Standard input is cut into texts of whole lines. Each thread answers every nth of them, and the answers are written
//! in the order of the input. An input that has nothing more at the moment gets all answers before it is read on, since
//! whoever writes it may wait for them.

use super::command::Command;
use super::exit::{Ending, Failed};
use super::known_args::LookupArguments;
use super::message;
use super::reading;
use super::verdicts::{self, Counts, Verdict, VerdictWriter};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::StartError;
use pfh_known::{BloomFile, Classifier, Found, Known, KnownSet};
use pfh_record::Selection;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::{self, Read};
use std::ops::Range;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Longest line of standard input, in bytes.
const LINE_BYTES_MAX: usize = 4096;

/// A mark with which some editors of Windows begin texts in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Bytes of standard input that are read at once.
const READ_BYTES: usize = 1 << 16;

/// Digests that are looked up together.
const DIGESTS: usize = 1024;

/// Most threads that answer. The one that reads and writes keeps no more of them busy.
const THREADS_MAX: usize = 8;

/// Texts that each thread has or has answered: it answers one while the other is written.
const TEXTS_PER_THREAD: usize = 2;

/// Time between two looks at an input that has nothing, while answers are awaited.
const TICK: Duration = Duration::from_micros(200);

/// Digests of the set that a filter of unknown origin must have.
const PROBES: u32 = 32;

/// Runs `pfh known lookup`.
pub(crate) fn run(arguments: &LookupArguments) -> Result<Ending, Failed> {
    let queries = arguments.digests.is_empty().then_some(OsStr::new("-"));
    let sets: Vec<OsString> = [&arguments.set].into_iter().chain(&arguments.known).cloned().collect();
    reading::one_input(sets.iter().map(|argument| verdicts::split_class(argument).1).chain(queries), None)?;
    let (classifier, unread) = verdicts::open_all(&sets, arguments.check_sets, None, None, 256 << 20, false)?;
    let algorithms: Selection = classifier.sets().iter().flat_map(|one| one.set.algorithms()).collect();
    let lookup = Lookup {
        writer: VerdictWriter::new(arguments.format),
        sets: &sets,
        classifier: &classifier,
        algorithms: algorithms.algorithms().to_vec(),
        filter: arguments.filter.as_deref().map(|path| Filter::open(path, &classifier)).transpose()?,
    };
    let mut command = Command::printing()?;
    command.count_lines(unread);
    let mut queries = Queries::default();
    for text in &arguments.digests {
        let start = queries.text.len();
        queries.text.extend_from_slice(text.as_bytes());
        if !queries.push(start..queries.text.len(), &classifier) {
            let text = message::quoted(text.as_bytes());
            return Err(Failed::usage(format_args!("{text} {}", lookup.no_digest())));
        }
    }
    lookup.answer(&mut queries).map_err(|error| lookup.failed(&error))?;
    let stdin = arguments.digests.is_empty().then(message::standard_input).transpose();
    let stdin = stdin.map_err(|error| Failed::usage(format_args!("`-`: {error}")))?;

    let mut answered = Answered { command, lines: 0, counts: Counts::default(), no_digest: lookup.no_digest() };
    let mut out = Vec::new();
    lookup.writer.header(&lookup.algorithms, &mut out);
    answered.command.write(&out);
    answered.write(&queries);
    if let Some(stdin) = stdin {
        lookup.answer_lines_of(stdin.lock(), &mut answered)?;
    }
    let Answered { mut command, counts, .. } = answered;
    out.clear();
    lookup.writer.summary(counts, command.tally.lines, &mut out);
    command.write(&out);
    command.finish(Ok(()), counts.all(), None)
}

/// A Bloom filter, and the algorithms whose digests it is asked about.
struct Filter {
    path: PathBuf,
    bits: BloomFile,
    algorithms: Vec<Algorithm>,
}

impl Filter {
    fn open(path: &Path, classifier: &Classifier) -> Result<Filter, Failed> {
        let failed = |error: &dyn Display| Failed::usage(format_args!("{}: {error}", message::quoted_path(path)));
        let bits = BloomFile::open(path).map_err(|error| failed(&error))?;
        let algorithms = bits.algorithm().into_iter().collect();
        let mut filter = Filter { path: path.to_owned(), algorithms, bits };
        // The filters of other programs do not name their algorithm: those of hashlookup are of SHA-1, or of SHA-256.
        if filter.algorithms.is_empty() {
            for set in classifier.sets() {
                for algorithm in set.set.algorithms() {
                    if filter.has_first_digests(&set.set, algorithm).map_err(Failed::unread)? {
                        filter.algorithms.push(algorithm);
                    }
                }
            }
        }
        if filter.algorithms.is_empty() {
            message::error(format_args!(
                "{}: the filter lacks digests of the set by each algorithm, so it is not asked",
                message::quoted_path(path)
            ));
        }
        Ok(filter)
    }

    /// Whether the filter may have the first digests of a set by this algorithm. One of another algorithm has not.
    fn has_first_digests(&self, set: &KnownSet, algorithm: Algorithm) -> io::Result<bool> {
        let (mut has_all, mut probes, mut text) = (true, 0, Vec::new());
        let mut is_decided = false;
        let ended = set.each(algorithm, |_, digest| {
            text.clear();
            if let Some(digest) = Digest::new(algorithm, digest) {
                digest.push_hex(&mut text);
            }
            has_all = self.may_have(&text)?;
            probes += 1;
            is_decided = !has_all || probes == PROBES;
            // The error ends the pass.
            if is_decided { Err(io::Error::other("decided")) } else { Ok(()) }
        });
        if is_decided { Ok(has_all) } else { ended.map(|()| has_all) }
    }

    /// Whether one of these digests, whose text is the same, may be known.
    fn lets_pass(&self, text: &[u8], digests: &[Digest]) -> io::Result<bool> {
        let is_asked = |digest: &Digest| self.algorithms.contains(&digest.algorithm());
        if digests.iter().all(is_asked) { self.may_have(text) } else { Ok(true) }
    }

    /// Checks that the filter was not overwritten in place.
    fn check_unchanged(&self) -> io::Result<()> {
        self.bits
            .check_unchanged()
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", message::quoted_path(&self.path))))
    }

    fn may_have(&self, text: &[u8]) -> io::Result<bool> {
        // Filters have digits in upper or in lower case, and do not tell which.
        Ok(self.bits.may_have(&text.to_ascii_uppercase())? || self.bits.may_have(&text.to_ascii_lowercase())?)
    }
}

/// Digests that are looked up together, and their answers.
#[derive(Default)]
struct Queries {
    /// The texts of all queries.
    text: Vec<u8>,
    /// The digests that they may be.
    digests: Vec<Digest>,
    /// Of each query, its part of the texts and of the digests.
    all: Vec<(Range<usize>, Range<usize>)>,
    /// The entries of each digest.
    found: Vec<Found>,
    answers: Vec<u8>,
    counts: Counts,
    /// The number of lines of the text.
    lines: u64,
    /// The lines that are no digests of the set: their numbers in the text, and their parts of it.
    refused: Vec<(u64, Range<usize>)>,
}

impl Queries {
    /// Adds a digest in hexadecimal, which is a part of the texts. Returns `false` if it is by none of the sets'
    /// algorithms.
    fn push(&mut self, text: Range<usize>, classifier: &Classifier) -> bool {
        let before = self.digests.len();
        classifier.push_digests_in_hex(&self.text[text.clone()], &mut self.digests);
        let digests = before..self.digests.len();
        let is_digest = !digests.is_empty();
        if is_digest {
            self.all.push((text, digests));
        }
        is_digest
    }

    /// Removes everything but the text. The digests went with their answers.
    fn begin(&mut self) {
        self.answers.clear();
        self.refused.clear();
        (self.counts, self.lines) = (Counts::default(), 0);
    }
}

/// Texts of whole lines from an input.
struct Texts<R> {
    input: R,
    /// The beginning of a line whose end was not read.
    rest: Vec<u8>,
    is_begun: bool,
}

impl<R: Read + AsFd> Texts<R> {
    /// Whether a read would return something at once. The end of an input is nothing.
    fn is_ready(&self) -> bool {
        rustix::io::ioctl_fionread(&self.input).is_ok_and(|bytes| bytes > 0)
    }

    /// Reads the next text, which is empty if no line has ended yet. Returns whether the input ended.
    fn read(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        text.clear();
        text.append(&mut self.rest);
        let before = text.len();
        let is_end = self.append(text)?;
        // A line that fills a text is too long for a digest: of the rest, only the end is of interest.
        if before == READ_BYTES {
            let end = memchr::memchr(b'\n', &text[before..]).map_or(text.len(), |end| before + end);
            text.drain(before..end);
        }
        if !is_end {
            let end = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
            self.rest.extend_from_slice(&text[end..]);
            self.rest.truncate(READ_BYTES);
            text.truncate(end);
        }
        if !text.is_empty() && !std::mem::replace(&mut self.is_begun, true) && text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(is_end)
    }

    /// Appends what the input has at the moment, or waits for it; not much more than `READ_BYTES`. Returns whether the
    /// input ended.
    fn append(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        let end = text.len() + READ_BYTES;
        loop {
            let start = text.len();
            // As much each time, so that the input reads into the text, and not ahead into a buffer of its own.
            text.resize(start + READ_BYTES, 0);
            let read = self.input.read(&mut text[start..]);
            text.truncate(start + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
                Ok(_) => {}
            }
            if text.len() >= end || !self.is_ready() {
                return Ok(false);
            }
        }
    }
}

/// The output, and what was written to it.
struct Answered {
    command: Command,
    /// The reason against a line.
    no_digest: &'static str,
    lines: u64,
    counts: Counts,
}

impl Answered {
    /// Writes the answers of a text.
    fn write(&mut self, queries: &Queries) {
        for (number, text) in &queries.refused {
            let (number, text) = (self.lines + number, message::quoted(&queries.text[text.clone()]));
            message::error(format_args!("line {number}: {text} {}", self.no_digest));
            self.command.count_lines(1);
        }
        self.lines += queries.lines;
        self.counts += queries.counts;
        self.command.write(&queries.answers);
    }

    fn is_over(&self) -> bool {
        self.command.cancel().is_cancelled() || !self.command.is_writing()
    }
}

/// Look-ups of digests, as all threads make them.
struct Lookup<'a> {
    writer: VerdictWriter,
    /// The sets as the command line names them.
    sets: &'a [OsString],
    classifier: &'a Classifier,
    algorithms: Vec<Algorithm>,
    /// A filter that is asked before the set.
    filter: Option<Filter>,
}

impl Lookup<'_> {
    /// Returns the failure of a set or a filter that can no longer be read.
    fn failed(&self, error: &io::Error) -> Failed {
        verdicts::unread(self.sets, self.classifier, error)
    }

    /// Returns the reason against a text.
    fn no_digest(&self) -> &'static str {
        if self.sets.len() > 1 { "is no digest of these sets" } else { "is no digest of this set" }
    }

    /// Returns the digests of an entry, as far as its set keeps them, without the one that was found.
    fn others(&self, known: &Known, found: &Digest) -> io::Result<Vec<Digest>> {
        let set = &self.classifier.sets()[known.set].set;
        if set.algorithms().nth(1).is_none() {
            return Ok(Vec::new());
        }
        let mut digests = set.digests(known.entry)?;
        digests.retain(|digest| digest.algorithm() != found.algorithm());
        Ok(digests)
    }

    /// Answers the lines of standard input on several threads.
    fn answer_lines_of(&self, stdin: impl Read + AsFd, answered: &mut Answered) -> Result<(), Failed> {
        let mut texts = Texts { input: stdin, rest: Vec::new(), is_begun: false };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        thread::scope(|scope| {
            let start = || {
                let (sender, queries) = mpsc::sync_channel::<Queries>(TEXTS_PER_THREAD);
                let (answers, receiver) = mpsc::sync_channel(TEXTS_PER_THREAD);
                let work = move || {
                    for mut queries in queries {
                        let answer = self.answer_lines(&mut queries).map(|()| queries);
                        if answers.send(answer).is_err() {
                            break;
                        }
                    }
                };
                thread::Builder::new().spawn_scoped(scope, work).ok()?;
                Some((sender, receiver))
            };
            // Those that the system grants.
            let workers: Vec<_> = (0..threads).map_while(|_| start()).collect();
            let threads = workers.len();
            if threads == 0 {
                return Err(Failed::usage(StartError::ThreadsRefused { threads: 1 }));
            }
            let (mut sent, mut received) = (0, 0);
            let (mut spare, mut end) = (Vec::new(), None);
            loop {
                let is_over = end.is_some() || answered.is_over();
                let is_full = sent - received == threads * TEXTS_PER_THREAD;
                let waits = !is_over && !is_full && !texts.is_ready();
                if received < sent && (is_over || is_full || waits) {
                    let answer = match workers[received % threads].1.recv_timeout(TICK) {
                        Ok(answer) => answer,
                        // The input may have gone on.
                        Err(RecvTimeoutError::Timeout) => continue,
                        // The thread has panicked, and the scope panics, too.
                        Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    };
                    received += 1;
                    let queries = answer.map_err(|error| self.failed(&error))?;
                    answered.write(&queries);
                    spare.push(queries);
                } else if is_over {
                    return end.unwrap_or(Ok(()));
                } else {
                    if waits {
                        answered.command.end_group();
                        // The reader may have gone, and the next line may never come.
                        if answered.is_over() {
                            continue;
                        }
                    }
                    let mut queries = spare.pop().unwrap_or_else(Queries::default);
                    match texts.read(&mut queries.text) {
                        Ok(false) => {}
                        Ok(true) => end = Some(Ok(())),
                        Err(error) => {
                            end = Some(Err(Failed::unread(format_args!("standard input: {error}"))));
                            continue;
                        }
                    }
                    if queries.text.is_empty() {
                        spare.push(queries);
                    } else if workers[sent % threads].0.send(queries).is_ok() {
                        sent += 1;
                    }
                }
            }
        })
    }

    /// Answers the lines of a text.
    fn answer_lines(&self, queries: &mut Queries) -> io::Result<()> {
        queries.begin();
        let mut taken = 0;
        while taken < queries.text.len() {
            let rest = &queries.text[taken..];
            let line_bytes = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let text = rest[..line_bytes].trim_ascii_start();
            let start = taken + line_bytes - text.len();
            // So much of a longer line shows that it is no digest.
            let text = start..start + text.trim_ascii_end().len().min(LINE_BYTES_MAX);
            taken += line_bytes;
            queries.lines += 1;
            if text.is_empty() || queries.text[start] == b'#' {
                continue;
            }
            if !queries.push(text.clone(), self.classifier) {
                queries.refused.push((queries.lines, text));
            }
            if queries.all.len() == DIGESTS {
                self.answer(queries)?;
            }
        }
        self.answer(queries)
    }

    /// Looks up queries, appends the answers, and removes the queries.
    fn answer(&self, queries: &mut Queries) -> io::Result<()> {
        self.classifier.find_many(&queries.digests, &mut queries.found)?;
        for (text, digests) in &queries.all {
            let (text, found) = (&queries.text[text.clone()], &queries.found[digests.clone()]);
            let digests = &queries.digests[digests.clone()];
            let is_possible = found.iter().any(|found| *found != Found::Nothing)
                && self.filter.as_ref().map_or(Ok(true), |filter| filter.lets_pass(text, digests))?;
            let (mut shown, mut first, mut entries) = (&digests[0], None, 0);
            let all;
            match found {
                _ if !is_possible => {}
                [Found::One(known)] => (first, entries) = (Some(known), 1),
                // Algorithms of the same length: the one that is known, if any.
                _ => {
                    all = self.classifier.first_known(digests)?;
                    if let Some((digest, all)) = &all {
                        (shown, first, entries) = (digest, all.first(), all.len());
                    }
                }
            }
            let others = first.map_or(Ok(Vec::new()), |first| self.others(first, shown))?;
            let known = match first {
                Some(first) => Some((first.class, self.classifier.facts(first)?)),
                None => None,
            };
            queries.counts.add(known.as_ref().map(|(class, _)| *class));
            let digests = std::slice::from_ref(shown);
            let verdict = Verdict { list: None, name: text, digests, known, entries, others: Some(&others) };
            self.writer.verdict(&verdict, &self.algorithms, &mut queries.answers);
        }
        // Answers of a set that is being overwritten are not printed.
        self.classifier.check_unchanged()?;
        self.filter.as_ref().map_or(Ok(()), Filter::check_unchanged)?;
        queries.digests.clear();
        queries.all.clear();
        Ok(())
    }
}
