//! Whole programs as contenders: commands over files on a device, with a cold or a filled page cache.
//!
//! A runner measures itself and speaks a protocol; a program is measured from outside, as a user would run it, with its
//! start, its walk and its output. Its time counts only if what it prints equals what the other programs print.

mod cache;
pub(crate) mod cells;
mod corpus;
mod device;
mod lists;
mod measure;
mod watch;

use crate::quantity::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

pub use measure::{Measured, measure};

use crate::data::Data;
use crate::error::Error;
use crate::experiment::Definition;
use crate::experiment::trials::{CACHE, CORPUS, Cache, CorpusDefinition, DEVICE, HERE, List, MODE, Program};
use crate::measurements::TODAY;
use crate::process::find_program;
use crate::results::{self, FailureKind, Hello, Output, Truth};
use crate::session::Failed;
use cache::Counts;
use cells::ProgramCell;
use device::Device;
use lists::Digests;
use measure::{Meter, Run};
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
    /// The lists by corpus, algorithm and form, and the programs that printed them.
    expected: BTreeMap<(String, String, bool), (Digests, BTreeSet<String>)>,
    /// Whether the programs that were checked went well.
    checked: BTreeMap<String, Result<(), Failed>>,
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
            expected: BTreeMap::new(),
            checked: BTreeMap::new(),
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

    /// The answers on which programs agreed.
    pub(crate) fn truths(&self) -> Vec<Truth> {
        let truth =
            |((corpus, algorithm, _), (digests, programs)): (&(String, String, bool), &(Digests, BTreeSet<_>))| {
                let Counts { files: count, bytes, .. } = self.counts(corpus);
                Truth {
                    mode: MODE.to_owned(),
                    algorithm: algorithm.clone(),
                    bytes,
                    count,
                    variant: 0,
                    answer: format!("{} over `{corpus}`", counted(digests.len(), "entry", "entries")),
                    check: None,
                    witnesses: programs.iter().cloned().collect(),
                }
            };
        self.expected.iter().map(truth).collect()
    }

    /// Lets the program of a cell print its list once, unless it has done so under the same options, and compares the
    /// list with those before it. `None` where the user wants to stop.
    pub(crate) fn check(&mut self, cell: &ProgramCell, cancel: &AtomicBool) -> Option<Result<(), Failed>> {
        let mut dimensions = cell.cell.dimensions.clone();
        dimensions.retain(|name, _| name != DEVICE && name != CACHE);
        let key = format!("{} {} {} {dimensions:?}", cell.cell.runner, cell.cell.profile, cell.cell.algorithm);
        if let Some(known) = self.checked.get(&key) {
            return Some(known.clone());
        }
        let outcome = match self.list(cell, cancel) {
            Ok(None) => return None,
            Ok(Some(digests)) => self.compare(cell, digests),
            Err(failed) => Err(failed),
        };
        self.checked.insert(key, outcome.clone());
        Some(outcome)
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

    fn compare(&mut self, cell: &ProgramCell, digests: Digests) -> Result<(), Failed> {
        let wrong = |message: String| Err(Failed { kind: FailureKind::WrongAnswer, message });
        let Some(list) = self.definition.programs[cell.program].list_of(&cell.cell.algorithm) else { return Ok(()) };
        let files = self.counts(&cell.corpus).files;
        if list.has_every_file() && digests.len() as u64 != files {
            return wrong(format!("lists {} of {}", digests.len(), counted(files, "file", "files")));
        }
        let key = (cell.corpus.clone(), cell.cell.algorithm.clone(), list == List::Pairs);
        let (expected, programs) = self.expected.entry(key).or_insert_with(|| (digests.clone(), BTreeSet::new()));
        if let Some(difference) = lists::difference(expected, &digests) {
            let before = programs.iter().cloned().collect::<Vec<_>>().join(", ");
            return wrong(format!("disagrees with {before}: {difference}"));
        }
        programs.insert(cell.cell.runner.clone());
        Ok(())
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
        self.cached = (cell.cache == Cache::Cached).then_some(here);
        Ok(Some(run.measured))
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

/// SHA-256 of the list of the digests of all files in the directory of a meter; `None` where the user wants to stop.
fn digest(meter: &Meter, scratch: &Path, cancel: &AtomicBool) -> Result<Option<String>, String> {
    let list = scratch.join("corpus.list");
    let output = scratch.join("corpus.digest");
    let variables = [("pfh", meter.program.as_path()), ("list", list.as_path())];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_string_lossy().into_owned()));
    for (command, output) in [("\"$pfh\" hash -a sha256 .", &list), ("\"$pfh\" hash -a sha256 \"$list\"", &output)] {
        let run = meter.run(command, variables.to_vec(), Some(output), cancel);
        match run.map_err(|failed| format!("`{command}` {}", failed.message))? {
            None => return Ok(None),
            Some(Run { measured: Measured { status: 0, .. }, .. }) => {}
            Some(run) => return Err(format!("`{command}` {}", run.ended())),
        }
    }
    let text = fs::read_to_string(&output).map_err(|error| error.to_string())?;
    let digest = text.split(' ').next().filter(|digest| digest.len() == 64);
    digest.map(|digest| Some(digest.to_owned())).ok_or_else(|| format!("`{text}` is no digest"))
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
    let is_late = stuck.source.kind() == io::ErrorKind::TimedOut;
    Failed { kind: if is_late { FailureKind::Timeout } else { FailureKind::Error }, message }
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
