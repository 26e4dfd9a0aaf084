//! Whole programs as contenders: commands over files on a device, with a cold or a filled page cache.
//!
//! A runner measures itself and speaks a protocol; a program is measured from outside, as a user would run it, with its
//! start, its walk and its output. Its time does not count if it prints another list than most
//! implementations do.

mod cache;
pub(crate) mod cells;
mod corpus;
mod device;
mod lists;
mod measure;
mod poll;
mod watch;

use crate::quantity::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

pub use measure::{Measured, end_with, measure};

use crate::data::Data;
use crate::error::Error;
use crate::experiment::Definition;
use crate::experiment::trials::{CACHE, CORPUS, Cache, CorpusDefinition, DEVICE, HERE, List, MODE, Program};
use crate::measurements::TODAY;
use crate::process::find_program;
use crate::results::{self, Cell, FailureKind, Hello, Listed, Output, Truth};
use crate::session::Failed;
use cache::Counts;
use cells::ProgramCell;
use device::Device;
use lists::Digests;
use measure::{Meter, Run};
use poll::{Answer, Poll};
use watch::{Stuck, watched};

/// The user's own places: folders on devices by name, and a folder in the place of every corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// A folder on each device that is neither [`HERE`] nor simulated.
    pub devices: BTreeMap<String, PathBuf>,
    /// The user's descriptions of devices, of whatever kind, by name.
    pub notes: BTreeMap<String, String>,
    /// Files of the user's, in the place of every corpus; read, never written.
    pub corpus: Option<PathBuf>,
    /// The folder in which corpora stay, for later runs to find them.
    pub kept: Option<PathBuf>,
}

/// Corpora that are kept are the same whatever the seed of a run.
const KEPT_SEED: u64 = 0;

/// So much of what a program prints is kept in the results.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// The common properties of lists that must be equal: the corpus, the algorithm, and whether they are of pairs.
pub(crate) type Subject = (String, String, bool);

/// Everything that programs need to run: corpora on devices, and what each must print.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    definition: &'a Definition,
    /// Where programs write their lists.
    scratch: Data,
    meter: Meter,
    devices: Vec<Device>,
    /// Why a device is not there.
    absent: BTreeMap<String, String>,
    /// The user's descriptions of devices.
    notes: BTreeMap<String, String>,
    /// The corpora by name.
    corpora: BTreeMap<String, Made>,
    /// Outputs of programs whose definition keeps them.
    outputs: Vec<Output>,
    /// The lists that programs print.
    polls: BTreeMap<Subject, Poll>,
    /// The result of each program that was asked: the place of its list in the poll, if it prints one.
    asked: BTreeMap<String, Result<Option<usize>, Failed>>,
    /// Device and corpus whose contents the page cache holds.
    cached: Option<(String, String)>,
}

/// The files of a corpus, as they were found on the device of the results.
#[derive(Clone, Debug)]
struct Made {
    /// Their folder, relative to that of a device.
    folder: String,
    counts: Counts,
    /// SHA-256 of the list of their digests.
    sha256: String,
}

/// Where a stage is set up.
pub(crate) struct Setting<'a> {
    /// The folder of the results.
    pub(crate) folder: &'a Path,
    pub(crate) places: &'a Places,
    /// The program `pfh`.
    pub(crate) program: &'a Path,
    pub(crate) seed: u64,
    pub(crate) memory_bytes: u64,
}

impl<'a> Stage<'a> {
    /// Makes the corpora that the cells need, where they need them. `None` where the user wants to stop.
    ///
    /// # Errors
    /// When a corpus cannot be made or read on the device of the results, has no files, or would hold its own copy.
    /// Other devices may be absent.
    pub(crate) fn new(
        definition: &'a Definition,
        cells: &[ProgramCell],
        setting: &Setting<'_>,
        cancel: &AtomicBool,
    ) -> Result<Option<Stage<'a>>, Error> {
        check_places(cells, setting)?;
        let wanted: BTreeSet<&str> = cells.iter().map(|cell| cell.corpus.as_str()).collect();
        let corpora: Vec<&CorpusDefinition> =
            definition.corpora.iter().filter(|corpus| wanted.contains(corpus.name.as_str())).collect();
        let limit = definition.task_limit();
        let mut meter = meter(definition, setting.folder, setting.program, setting.memory_bytes);
        let here = match &setting.places.kept {
            Some(folder) => {
                let Some(folder) = keep(folder, &corpora, &meter, cancel)? else { return Ok(None) };
                Device::kept(HERE, folder)
            }
            None => {
                let data = Data::new(setting.folder, setting.seed)?;
                if fill(data.folder(), &corpora, setting, &meter, cancel)?.is_none() {
                    return Ok(None);
                }
                Device::folder(HERE, data)
            }
        };
        let source = here.path().to_owned();
        let scratch = Data::new(setting.folder, setting.seed)?;
        let mut made = BTreeMap::new();
        for corpus in &corpora {
            let name = folder_name(corpus, setting.places);
            let folder = source.join(&name);
            let counted = folder.clone();
            let counts = watched(limit, cancel, move |watch| cache::count(&counted, watch));
            let Some(counts) = counts? else { return Ok(None) };
            if counts.files == 0 {
                let whence = setting.places.corpus.as_ref();
                let whence = whence.map_or_else(String::new, |given| format!(": `{}` holds none", given.display()));
                return Err(Error::input(format!("the corpus `{}` has no files{whence}", corpus.name)));
            }
            meter.directory.clone_from(&folder);
            let unread =
                |reason: String| Error::input(format!("the corpus `{}` cannot be read: {reason}", corpus.name));
            let Some(sha256) = digest(&meter, scratch.folder(), cancel).map_err(unread)? else { return Ok(None) };
            made.insert(corpus.name.clone(), Made { folder: name, counts, sha256 });
        }
        meter.directory.clone_from(&source);
        let mut stage = Stage {
            definition,
            scratch,
            meter,
            devices: vec![here],
            absent: BTreeMap::new(),
            notes: setting.places.notes.clone(),
            corpora: made,
            outputs: Vec::new(),
            polls: BTreeMap::new(),
            asked: BTreeMap::new(),
            cached: None,
        };
        let names: BTreeSet<&str> =
            cells.iter().map(|cell| cell.device.as_str()).filter(|name| *name != HERE).collect();
        for name in names {
            let device = match setting.places.devices.get(name) {
                Some(folder) => Data::new(folder, setting.seed).and_then(|data| {
                    fill(data.folder(), &corpora, setting, &stage.meter, cancel)?;
                    Ok(Device::folder(name, data))
                }),
                None => Device::simulated(name, &source, setting.program, cancel),
            };
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            match device {
                Ok(device) => stage.devices.push(device),
                Err(error) => {
                    stage.absent.insert(name.to_owned(), error.to_string());
                }
            }
        }
        // Pages that wait for being written cannot be forgotten.
        rustix::fs::sync();
        Ok(Some(stage))
    }

    /// The numbers of a corpus.
    pub(crate) fn counts(&self, corpus: &str) -> Counts {
        self.corpora.get(corpus).map(|made| made.counts).unwrap_or_default()
    }

    /// The folder of a corpus, relative to that of a device.
    fn folder_of(&self, corpus: &str) -> &str {
        self.corpora.get(corpus).map(|made| made.folder.as_str()).unwrap_or_default()
    }

    /// The corpora, as they are saved.
    pub(crate) fn corpus_entries(&self) -> Vec<results::Corpus> {
        let entry = |(corpus, made): (&String, &Made)| {
            let Counts { files, bytes, longest_bytes } = made.counts;
            results::Corpus { corpus: corpus.clone(), files, bytes, longest_bytes, sha256: Some(made.sha256.clone()) }
        };
        self.corpora.iter().map(entry).collect()
    }

    /// Outputs of programs whose definition keeps them, each once.
    pub(crate) fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }

    /// The devices, as they are saved.
    pub(crate) fn device_entries(&self) -> Vec<results::Device> {
        let entry = |device: &Device| {
            let mut entry = device.to_entry();
            let note = self.notes.get(device.name());
            entry.facts.extend(note.map(|note| (results::NOTE.to_owned(), note.clone())));
            entry
        };
        self.devices.iter().map(entry).collect()
    }

    /// The subject of the list of a cell's program; `None` where it prints none.
    pub(crate) fn subject(&self, cell: &Cell) -> Option<Subject> {
        let program = self.definition.programs.iter().find(|program| program.id == cell.runner)?;
        let list = program.list_of(&cell.algorithm)?;
        Some((cell.dimensions.get(CORPUS)?.clone(), cell.algorithm.clone(), list == List::Pairs))
    }

    /// Takes over the lists that programs printed in earlier runs.
    pub(crate) fn remember(&mut self, answers: &[Truth]) {
        for Truth { algorithm, answer, witnesses, list, .. } in answers {
            if let Some(Listed { corpus, pairs, sha256, doubt }) = list {
                let poll = self.poll((corpus.clone(), algorithm.clone(), *pairs));
                poll.remember(sha256, answer, witnesses, *doubt);
            }
        }
    }

    /// The poll about a subject.
    fn poll(&mut self, subject: Subject) -> &mut Poll {
        let programs = &self.definition.programs;
        self.polls.entry(subject).or_insert_with(|| Poll::among(programs))
    }

    /// Whether programs agreed on a list in an earlier run.
    pub(crate) fn is_settled(&self, subject: &Subject) -> bool {
        self.polls.get(subject).is_some_and(Poll::is_settled)
    }

    /// Lets the program of a cell print its list once, unless it has done so under the same options. `None` where the
    /// user wants to stop.
    pub(crate) fn ask(&mut self, cell: &ProgramCell, cancel: &AtomicBool) -> Option<()> {
        let options = options(&cell.cell);
        if self.asked.contains_key(&options) {
            return Some(());
        }
        let outcome = match self.list(cell, cancel) {
            Ok(digests) => self.enter(cell, digests?),
            Err(failed) => Err(failed),
        };
        self.asked.insert(options, outcome);
        Some(())
    }

    /// Takes the list of a program. Returns its place in the poll, if it prints one.
    fn enter(&mut self, cell: &ProgramCell, digests: Digests) -> Result<Option<usize>, Failed> {
        let list = self.definition.programs[cell.program].list_of(&cell.cell.algorithm);
        let Some((list, subject)) = list.zip(self.subject(&cell.cell)) else { return Ok(None) };
        let files = self.counts(&cell.corpus).files;
        if list.has_every_file() && digests.len() as u64 != files {
            let message = format!("lists {} of {}", digests.len(), counted(files, "file", "files"));
            return Err(Failed { kind: FailureKind::WrongAnswer, message });
        }
        let answer = format!("{} over `{}`", counted(digests.len(), "entry", "entries"), cell.corpus);
        Ok(Some(self.poll(subject).enter(digests, answer, &cell.cell.runner)))
    }

    /// Completes the lists when all programs have printed theirs. `None` where the user wants to stop.
    ///
    /// # Errors
    /// When their digests cannot be computed.
    pub(crate) fn settle(&mut self, cancel: &AtomicBool) -> Result<Option<()>, Error> {
        let mut sums = Vec::new();
        for ((corpus, ..), poll) in &self.polls {
            let mut of_poll = Vec::new();
            for digests in poll.printed() {
                let Some(sha256) = self.fingerprint(corpus, digests, cancel)? else { return Ok(None) };
                of_poll.push(sha256);
            }
            sums.push(of_poll);
        }
        for (poll, sums) in self.polls.values_mut().zip(sums) {
            poll.complete(sums);
        }
        Ok(Some(()))
    }

    /// SHA-256 of a list, as it is saved; `None` where the user wants to stop.
    fn fingerprint(&self, corpus: &str, digests: &Digests, cancel: &AtomicBool) -> Result<Option<String>, Error> {
        let mut text = Vec::new();
        for part in digests.iter().flat_map(|(name, digest)| [name, digest]) {
            text.extend_from_slice(part);
            text.push(0);
        }
        // The folder has another name where corpora are kept, and its parent one for each run.
        let folder = self.folder_of(corpus);
        let absolute = self.devices[0].path().join(folder);
        let text = String::from_utf8_lossy(&text).replace(&format!("{}/", absolute.display()), "");
        let text = text.replace(&format!("{folder}/"), "");
        let scratch = self.scratch.folder();
        let list = scratch.join("list.sorted");
        fs::write(&list, text).map_err(Error::file(&list))?;
        let meter = Meter { directory: scratch.to_owned(), ..self.meter.clone() };
        let failed = |reason: String| Error::input(format!("the lists of programs cannot be compared: {reason}"));
        digest_of(&meter, &list, scratch, cancel).map_err(failed)
    }

    /// Whether the program of a cell went well when it was asked, and printed no list that is known to be wrong.
    pub(crate) fn verdict(&self, cell: &Cell) -> Result<(), Failed> {
        let place = match self.asked.get(&options(cell)) {
            Some(Ok(Some(place))) => *place,
            Some(Err(failed)) => return Err(failed.clone()),
            Some(Ok(None)) | None => return Ok(()),
        };
        let poll = self.subject(cell).and_then(|subject| self.polls.get(&subject));
        let judged = poll.map_or(Ok(()), |poll| poll.judge(place));
        judged.map_err(|message| Failed { kind: FailureKind::WrongAnswer, message })
    }

    /// Whether the program of a cell that was measured in earlier runs printed no list in them that is known to be
    /// wrong by now.
    pub(crate) fn verdict_of_earlier(&self, cell: &Cell) -> Result<(), Failed> {
        let poll = self.subject(cell).and_then(|subject| self.polls.get(&subject));
        let was_asked = self.asked.contains_key(&options(cell));
        let judged = poll.map_or(Ok(()), |poll| poll.judge_earlier(&cell.runner, was_asked));
        judged.map_err(|message| Failed { kind: FailureKind::WrongAnswer, message })
    }

    /// The subjects of which nobody knows the right list, since programs disagree.
    pub(crate) fn disputes(&self) -> Vec<String> {
        let told = |((corpus, algorithm, _), poll): (&Subject, &Poll)| {
            let dispute = poll.dispute()?;
            Some(format!(
                "{algorithm} over `{corpus}`: {dispute}; no list is printed by two implementations and by more than \
                 any other, so nobody knows which is right, and the times of all are kept"
            ))
        };
        self.polls.iter().filter_map(told).collect()
    }

    /// The lists on which programs agree, and those of which nobody knows whether they are right.
    pub(crate) fn truths(&self) -> Vec<Truth> {
        let mut truths = Vec::new();
        for ((corpus, algorithm, pairs), poll) in &self.polls {
            let Counts { files: count, bytes, .. } = self.counts(corpus);
            truths.extend(poll.answers().into_iter().map(|Answer { list, doubt }| Truth {
                mode: MODE.to_owned(),
                algorithm: algorithm.clone(),
                bytes,
                count,
                variant: 0,
                answer: list.answer.clone(),
                check: None,
                witnesses: list.witnesses().cloned().collect(),
                list: Some(Listed { corpus: corpus.clone(), pairs: *pairs, sha256: list.sha256.clone(), doubt }),
            }));
        }
        truths
    }

    /// The list that a program prints; empty where it prints none.
    fn list(&mut self, cell: &ProgramCell, cancel: &AtomicBool) -> Result<Option<Digests>, Failed> {
        let error = |message: String| Failed { kind: FailureKind::Error, message };
        self.meter.directory = self.devices[0].path().to_owned();
        let output = self.scratch.folder().join("list");
        let program = &self.definition.programs[cell.program];
        let environment = self.environment(cell);
        self.cached = None;
        let Some(run) = self.meter.run(&program.command, environment, Some(&output), cancel)? else {
            return Ok(None);
        };
        judge_status(program, &run)?;
        let list = program.list_of(&cell.cell.algorithm);
        if list.is_none() && program.keep.is_none() {
            return Ok(Some(Digests::new()));
        }
        let text = fs::read(&output).map_err(|reason| error(reason.to_string()))?;
        if let Some(name) = &program.keep {
            let text = String::from_utf8_lossy(&text[..text.len().min(OUTPUT_BYTES_MAX)]).into_owned();
            self.outputs.push(Output { runner: program.id.clone(), name: name.clone(), text });
        }
        let Some(list) = list else { return Ok(Some(Digests::new())) };
        let digests = lists::parse(list, &text);
        Ok(Some(digests.map_err(|message| Failed { kind: FailureKind::WrongAnswer, message })?))
    }

    /// Runs a cell once, on its device and with its cache. `None` where the user wants to stop.
    pub(crate) fn measure(&mut self, cell: &ProgramCell, cancel: &AtomicBool) -> Result<Option<Measured>, Failed> {
        let error = |message: String| Failed { kind: FailureKind::Error, message };
        if let Some(reason) = self.absent.get(&cell.device) {
            return Err(error(reason.clone()));
        }
        let place = self.devices.iter().position(|device| device.name() == cell.device);
        let place = place.ok_or_else(|| error(format!("there is no device `{}`", cell.device)))?;
        let program = self.meter.program.clone();
        let here = (cell.device.clone(), cell.corpus.clone());
        if self.check(cell, place, cancel)?.is_none() {
            return Ok(None);
        }
        let folder = self.devices[place].path().join(self.folder_of(&cell.corpus));
        let device = &mut self.devices[place];
        // Whatever fails from here on, nobody knows afterwards what the page cache holds.
        let cached = self.cached.take();
        match cell.cache {
            Cache::Cold if device.is_simulated() => device.renew(&program, cancel).map_err(error)?,
            Cache::Cold => {
                let evicted = watched(self.meter.limit, cancel, move |watch| cache::evict(&folder, watch));
                if evicted.map_err(|stuck| unprepared(&stuck, device, "emptied of"))?.is_none() {
                    return Ok(None);
                }
            }
            Cache::Dropped => {
                device.attach(&program, cancel).map_err(error)?;
                cache::drop_all().map_err(|reason| error(format!("the page cache could not be dropped: {reason}")))?;
            }
            Cache::Cached => {
                // One that is mounted anew is cold, whatever was read before.
                let is_new = device.attach(&program, cancel).map_err(error)?;
                if is_new || cached.as_ref() != Some(&here) {
                    let filled = watched(self.meter.limit, cancel, move |watch| cache::fill(&folder, watch));
                    match filled {
                        Ok(Some(())) => {}
                        Ok(None) => return Ok(None),
                        Err(stuck) => {
                            let failed = unprepared(&stuck, device, "filled from");
                            // A read that hangs ends with the mount.
                            device.release();
                            return Err(failed);
                        }
                    }
                }
            }
        }
        self.meter.directory = self.devices[place].path().to_owned();
        let definition = &self.definition.programs[cell.program];
        let run = self.meter.run(&definition.command, self.environment(cell), None, cancel);
        if cell.cache == Cache::Cold {
            self.devices[place].release();
        }
        let Some(run) = run? else { return Ok(None) };
        judge_status(definition, &run)?;
        // The time of a program that changes its own corpus is that of other work.
        if self.check(cell, place, cancel)?.is_none() {
            return Ok(None);
        }
        self.cached = (cell.cache == Cache::Cached).then_some(here);
        Ok(Some(run.measured))
    }

    /// Refuses a corpus that has other numbers than are saved of it: somebody has changed it, and the time would be
    /// that of other work. `None` where the user wants to stop.
    fn check(&self, cell: &ProgramCell, place: usize, cancel: &AtomicBool) -> Result<Option<()>, Failed> {
        let device = &self.devices[place];
        // Not through a simulated device, which would be slow, and know the names afterwards.
        let folder = device.origin().join(self.folder_of(&cell.corpus));
        let failed = |kind: FailureKind, how: String| {
            let (corpus, place) = (&cell.corpus, device.name());
            Failed { kind, message: format!("the corpus `{corpus}` on the device `{place}` {how}") }
        };
        let found = match watched(self.meter.limit, cancel, move |watch| cache::count(&folder, watch)) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(None),
            Err(stuck) => {
                let path = stuck.path.strip_prefix(device.origin()).unwrap_or(&stuck.path).display();
                return Err(failed(kind_of(&stuck), format!("cannot be counted: `{path}`: {}", stuck.source)));
            }
        };
        let saved = self.counts(&cell.corpus);
        if (found.files, found.bytes) == (saved.files, saved.bytes) {
            return Ok(Some(()));
        }
        let words = |Counts { files, bytes, .. }: Counts| {
            format!("{} with {}", counted(files, "file", "files"), counted(bytes, "byte", "bytes"))
        };
        let how = format!("was changed: it has {}, and its record says {}", words(found), words(saved));
        Err(failed(FailureKind::Error, how))
    }

    fn environment(&self, cell: &ProgramCell) -> Vec<(String, String)> {
        let program = &self.definition.programs[cell.program];
        let algorithm = program.algorithms.get(&cell.cell.algorithm).unwrap_or(&cell.cell.algorithm);
        let mut variables: Vec<(String, String)> = cell.cell.dimensions.clone().into_iter().collect();
        let Counts { files, bytes, longest_bytes } = self.counts(&cell.corpus);
        let more = [
            (CORPUS, self.folder_of(&cell.corpus).to_owned()),
            ("algorithm", algorithm.clone()),
            ("files", files.to_string()),
            ("bytes", bytes.to_string()),
            ("longest_bytes", longest_bytes.to_string()),
            ("pfh", self.meter.program.to_string_lossy().into_owned()),
            ("LC_ALL", "C".to_owned()),
        ];
        variables.extend(more.map(|(name, value)| (name.to_owned(), value)));
        let profile = program.profiles.get(&cell.cell.profile).into_iter().flatten();
        variables.extend(profile.map(|(name, value)| (name.clone(), value.clone())));
        variables
    }
}

/// Measures below a folder, within the limits of an experiment.
pub(crate) fn meter(definition: &Definition, folder: &Path, program: &Path, memory_bytes: u64) -> Meter {
    let (program, directory) = (program.to_owned(), folder.to_owned());
    Meter { program, directory, limit: definition.task_limit(), memory_bytes }
}

/// The options on which the list of a cell's program depends.
fn options(cell: &Cell) -> String {
    let mut dimensions = cell.dimensions.clone();
    dimensions.retain(|name, _| name != DEVICE && name != CACHE);
    format!("{} {} {} {dimensions:?}", cell.runner, cell.profile, cell.algorithm)
}

/// SHA-256 of the list of the digests of all files in the directory of a meter; `None` where the user wants to stop.
fn digest(meter: &Meter, scratch: &Path, cancel: &AtomicBool) -> Result<Option<String>, String> {
    let list = scratch.join("corpus.list");
    match hash(meter, ".", &list, cancel)? {
        Some(()) => digest_of(meter, &list, scratch, cancel),
        None => Ok(None),
    }
}

/// SHA-256 of a file; `None` where the user wants to stop.
fn digest_of(meter: &Meter, file: &Path, scratch: &Path, cancel: &AtomicBool) -> Result<Option<String>, String> {
    let output = scratch.join("file.digest");
    let Some(()) = hash(meter, &file.to_string_lossy(), &output, cancel)? else { return Ok(None) };
    let text = fs::read_to_string(&output).map_err(|error| error.to_string())?;
    let digest = text.split(' ').next().filter(|digest| digest.len() == 64);
    digest.map(|digest| Some(digest.to_owned())).ok_or_else(|| format!("`{text}` is no digest"))
}

/// Lets pfh list what is at a path. `None` where the user wants to stop.
fn hash(meter: &Meter, path: &str, output: &Path, cancel: &AtomicBool) -> Result<Option<()>, String> {
    let command = "\"$pfh\" hash -a sha256 \"$path\"";
    let variables = [("pfh", meter.program.to_string_lossy().into_owned()), ("path", path.to_owned())];
    let variables = variables.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let failed = |how: String| format!("`pfh hash -a sha256 {path}` {how}");
    match meter.run(command, variables, Some(output), cancel).map_err(|reason| failed(reason.message))? {
        None => Ok(None),
        Some(Run { measured: Measured { status: 0, .. }, .. }) => Ok(Some(())),
        Some(run) => Err(failed(run.ended())),
    }
}

/// Whether a program is there, under a profile: as it is saved.
pub(crate) fn enter(program: &Program, profile: &str, meter: &Meter, cancel: &AtomicBool) -> results::Runner {
    let missing = program.needs.iter().find(|name| find_program(name).is_none());
    let unavailable = missing.map(|name| format!("`{name}` is not installed"));
    let hello = unavailable.is_none().then(|| Hello {
        library: program.label.clone(),
        library_version: version(program, meter, cancel).unwrap_or_default(),
        language: "program".to_owned(),
        ..Hello::default()
    });
    let label = if profile == TODAY { program.label.clone() } else { format!("{}, {profile}", program.label) };
    results::Runner {
        runner: program.id.clone(),
        profile: profile.to_owned(),
        label,
        language: "program".to_owned(),
        hello,
        unavailable,
    }
}

/// The first line that the command of the version prints.
fn version(program: &Program, meter: &Meter, cancel: &AtomicBool) -> Option<String> {
    if program.version.is_empty() {
        return None;
    }
    let output = tempfile::NamedTempFile::new().ok()?;
    let command = format!("{{ {}; }} 2>&1", program.version);
    let environment = vec![("pfh".to_owned(), meter.program.to_string_lossy().into_owned())];
    meter.run(&command, environment, Some(output.path()), cancel).ok()?;
    let text = fs::read(output.path()).ok()?;
    Some(String::from_utf8_lossy(&text).lines().next()?.trim().to_owned())
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        // Before the folder that they show is removed.
        self.devices.iter_mut().for_each(Device::release);
    }
}

fn judge_status(program: &Program, run: &Run) -> Result<(), Failed> {
    if program.statuses.contains(&run.measured.status) {
        return Ok(());
    }
    Err(Failed { kind: FailureKind::Error, message: run.ended() })
}

/// The page cache could not be made as a cell wants it: at a file below the folder of its device.
fn unprepared(stuck: &Stuck, device: &Device, what: &str) -> Failed {
    let path = stuck.path.strip_prefix(device.path()).unwrap_or(&stuck.path);
    let message = format!("the page cache cannot be {what} `{}`: {}", path.display(), stuck.source);
    Failed { kind: kind_of(stuck), message }
}

/// The kind of failure that a place without an answer is.
fn kind_of(stuck: &Stuck) -> FailureKind {
    if stuck.source.kind() == io::ErrorKind::TimedOut { FailureKind::Timeout } else { FailureKind::Error }
}

/// The name of a corpus's folder.
fn folder_name(corpus: &CorpusDefinition, places: &Places) -> String {
    if places.kept.is_some() { corpus::kept_name(corpus) } else { corpus.name.clone() }
}

/// Makes the corpora that are not there yet, and returns the absolute path of their folder; `None` where the user wants
/// to stop. A corpus appears when it is complete.
fn keep(
    folder: &Path,
    corpora: &[&CorpusDefinition],
    meter: &Meter,
    cancel: &AtomicBool,
) -> Result<Option<PathBuf>, Error> {
    fs::create_dir_all(folder).map_err(Error::file(folder))?;
    let folder = fs::canonicalize(folder).map_err(Error::file(folder))?;
    for corpus in corpora {
        let path = folder.join(corpus::kept_name(corpus));
        if path.is_dir() {
            continue;
        }
        let data = Data::new(&folder, KEPT_SEED)?;
        let partial = data.folder().join("corpus");
        let make = || -> io::Result<Option<()>> {
            fs::create_dir(&partial)?;
            match corpus::make(corpus, &partial, KEPT_SEED, meter, cancel)? {
                Some(()) => fs::rename(&partial, &path).map(Some),
                None => Ok(None),
            }
        };
        match make() {
            Ok(Some(())) => {}
            // The part that was made goes with its folder.
            Ok(None) => return Ok(None),
            // Another run was faster.
            Err(_) if path.is_dir() => {}
            Err(error) => return Err(Error::file(&path)(error)),
        }
    }
    Ok(Some(folder))
}

/// Refuses files of the user's among which copies of them would be made: each copy would be copied again.
fn check_places(cells: &[ProgramCell], setting: &Setting<'_>) -> Result<(), Error> {
    let Some(given) = &setting.places.corpus else { return Ok(()) };
    // A folder that is not there is reported where it is used.
    let Ok(corpus) = fs::canonicalize(given) else { return Ok(()) };
    let is_within = |folder: &Path| fs::canonicalize(folder).is_ok_and(|folder| folder.starts_with(&corpus));
    let devices = cells.iter().filter_map(|cell| setting.places.devices.get(&cell.device));
    let mut folders = devices.map(PathBuf::as_path).chain([setting.folder]);
    match folders.find(|folder| is_within(folder)) {
        None => Ok(()),
        Some(folder) => Err(Error::input(format!(
            "`{}` lies in the folder of `--corpus`, `{}`, and a copy of that would be made in it; name another folder",
            folder.display(),
            given.display()
        ))),
    }
}

/// Makes corpora in a folder, or copies of the user's. `None` where the user wants to stop.
fn fill(
    folder: &Path,
    corpora: &[&CorpusDefinition],
    setting: &Setting<'_>,
    meter: &Meter,
    cancel: &AtomicBool,
) -> Result<Option<()>, Error> {
    for corpus in corpora {
        let path = folder.join(folder_name(corpus, setting.places));
        fs::create_dir(&path).map_err(Error::file(&path))?;
        match &setting.places.corpus {
            Some(given) => {
                let from = given.clone();
                let copied = watched(meter.limit, cancel, move |watch| cache::copy(&from, &path, watch));
                let uncopied = |stuck: Stuck| {
                    Error::input(format!(
                        "the corpus cannot be copied: {}; every file below `{}` is needed, so mend or remove this one, \
                         or name another folder with `--corpus`",
                        Error::from(stuck),
                        given.display()
                    ))
                };
                if copied.map_err(uncopied)?.is_none() {
                    return Ok(None);
                }
            }
            None => {
                let seed = if setting.places.kept.is_some() { KEPT_SEED } else { setting.seed };
                let made = corpus::make(corpus, &path, seed, meter, cancel).map_err(Error::file(&path))?;
                if made.is_none() {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(()))
}
