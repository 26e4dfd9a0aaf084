//! `pfh lab survey`: walks a directory for `pfh lab advise`, and draws samples. It is a process of its own, since a
//! walk may hang in the system, and only another process can give it up.

use super::{Ending, Failed};
use crate::cli::command::Command;
use crate::cli::ended::lock;
use crate::cli::lab_args::SurveyArguments;
use crate::cli::message;
use pfh::HashRun;
use pfh_engine::Options;
use pfh_lab::advice::{Sampled, Survey, Surveyor};
use pfh_record::Selection;
use pfh_source::{EntryKind, Found, LocalHandle, Medium, Source as _, WalkOptions};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Time after the limit in which an answer of the system may come, before the walk is given up.
const PATIENCE: Duration = Duration::from_secs(2);

/// Up to this many files all are asked for their sizes: what is known of the names by then disturbs little.
const SIZED_FILES: u64 = 1024;

/// Most runs that wait for being asked for their sizes after the walk.
const LATER_MAX: usize = 512;

/// A line of the answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Line {
    /// A file of a run of neighbours.
    Run { run: usize, place: u64, path: Name },
    /// A file drawn by its size.
    Long { place: u64, path: Name },
    /// The end.
    End { survey: Survey, device: String, medium: String, error: Option<String> },
}

/// A path in raw bytes; as text where it is text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Name {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Vec<u8>> for Name {
    fn from(path: Vec<u8>) -> Name {
        String::from_utf8(path).map_or_else(|error| Name::Bytes(error.into_bytes()), Name::Text)
    }
}

impl From<Name> for OsString {
    fn from(name: Name) -> OsString {
        match name {
            Name::Text(text) => text.into(),
            Name::Bytes(bytes) => OsString::from_vec(bytes),
        }
    }
}

/// The findings so far.
struct State {
    surveyor: Surveyor,
    survey: Survey,
    device: Option<(String, &'static str)>,
    error: Option<String>,
}

/// The work of the thread that may hang.
type Walk = dyn FnOnce(&Mutex<State>) + Send;

pub(super) fn run(arguments: &SurveyArguments) -> Result<Ending, Failed> {
    let command = Command::printing()?;
    let limit = Duration::try_from_secs_f64(arguments.seconds).map_err(Failed::usage)?;
    let until = Instant::now() + limit;
    let state = State { surveyor: Surveyor::new(1), survey: Survey::default(), device: None, error: None };
    let state = Arc::new(Mutex::new(state));
    let (sender, ended) = channel();
    let walk: Box<Walk> = match (&arguments.list, &arguments.walk) {
        (Some(list), _) => {
            let paths = paths_in(list)?;
            Box::new(move |state| ask_all(&paths, until, state))
        }
        (None, Some(walked)) => {
            let options = WalkOptions { roots: paths_in(walked)?, one_file_system: true, ..WalkOptions::default() };
            Box::new(move |state| walk(options, until, state))
        }
        (None, None) => return Err(Failed::usage("neither a path nor a list is named")),
    };
    let its_state = Arc::clone(&state);
    thread::spawn(move || {
        walk(&its_state);
        let _ = sender.send(());
    });
    // A walk that hangs is given up; what it found counts.
    let _ = ended.recv_timeout(limit + PATIENCE);
    let state = lock(&state);
    let mut text = String::new();
    let mut say = |line: &Line| {
        text += &serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
    };
    let (runs, long) = state.surveyor.samples();
    for (run, files) in runs.into_iter().enumerate() {
        files.into_iter().for_each(|file| say(&Line::Run { run, place: file.place, path: file.path.into() }));
    }
    long.into_iter().for_each(|file| say(&Line::Long { place: file.place, path: file.path.into() }));
    let (device, medium) = state.device.clone().unwrap_or_default();
    let (survey, error) = (state.survey, state.error.clone());
    say(&Line::End { survey, device, medium: medium.to_owned(), error });
    drop(state);
    command.print(text)
}

/// Reads a list of paths, each of which NUL terminates.
pub(super) fn paths_in(list: &Path) -> Result<Vec<Vec<u8>>, Failed> {
    let bytes =
        fs::read(list).map_err(|error| Failed::unread(format_args!("{}: {error}", message::quoted_path(list))))?;
    Ok(bytes.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect())
}

/// Asks for the sizes of all files.
fn ask_all(paths: &[Vec<u8>], until: Instant, state: &Mutex<State>) {
    let mut is_complete = true;
    for path in paths {
        if Instant::now() >= until {
            is_complete = false;
            break;
        }
        let size = size(path);
        let survey = &mut lock(state).survey;
        survey.files += 1;
        survey.sized_files += u64::from(size.is_some());
        survey.sized_bytes += size.unwrap_or(0);
        survey.longest_bytes = survey.longest_bytes.max(size.unwrap_or(0));
    }
    lock(state).survey.is_complete = is_complete;
}

fn size(path: &[u8]) -> Option<u64> {
    fs::symlink_metadata(Path::new(OsStr::from_bytes(path))).ok().map(|metadata| metadata.len())
}

fn walk(options: WalkOptions, until: Instant, state: &Mutex<State>) {
    let run = HashRun { walk: options, engine: Options::new(Selection::default()) };
    let source = match run.into_parts() {
        Ok((source, _)) => source,
        Err(error) => {
            lock(state).error = Some(error.to_string());
            return;
        }
    };
    let started = Instant::now();
    let mut asking = Duration::ZERO;
    let mut is_complete = true;
    let ask = |files: Vec<Sampled>, asking: &mut Duration| {
        let began = Instant::now();
        for file in files.into_iter().take_while(|_| Instant::now() < until) {
            // Not under the lock, since it may hang.
            let size = size(&file.path);
            let mut state = lock(state);
            if let Some(size) = size {
                state.survey.sized_files += 1;
                state.survey.sized_bytes += size;
                state.survey.longest_bytes = state.survey.longest_bytes.max(size);
                state.surveyor.sized(file, size);
            }
        }
        *asking += began.elapsed();
    };
    // Asking for sizes may take longer than listing names. It gets half of the time, and what is left after the walk.
    let mut later = Vec::new();
    let mut replaced = 0;
    let mut ask_in_time = |files: Vec<Sampled>, asking: &mut Duration| match () {
        () if files.is_empty() => {}
        () if *asking <= started.elapsed() / 2 => ask(files, asking),
        () if later.len() < LATER_MAX => later.push(files),
        () => {
            later[replaced % LATER_MAX] = files;
            replaced += 7;
        }
    };
    source.walk(&mut |found: Found<LocalHandle>| {
        match found {
            Found::Entry(entry) if entry.kind == EntryKind::Regular => {
                let files = {
                    let mut state = lock(state);
                    if state.device.is_none() {
                        let device = entry.device();
                        state.device = Some((device.name.clone(), word(device.medium)));
                    }
                    state.survey.files += 1;
                    state.surveyor.push(entry.path())
                };
                ask_in_time(files, &mut asking);
            }
            Found::Failed(path, error) => {
                let mut state = lock(state);
                state.survey.failed += 1;
                state.error.get_or_insert_with(|| format!("{}: {error}", message::quoted(&path)));
            }
            _ => {}
        }
        is_complete = Instant::now() < until;
        is_complete
    });
    let files = lock(state).surveyor.close();
    ask_in_time(files, &mut asking);
    let list_seconds = started.elapsed().saturating_sub(asking).as_secs_f64();
    later.into_iter().for_each(|files| ask(files, &mut asking));
    let rest = {
        let state = lock(state);
        if state.survey.files <= SIZED_FILES { state.surveyor.samples().0 } else { Vec::new() }
    };
    rest.into_iter().for_each(|files| ask(files, &mut asking));
    let mut state = lock(state);
    state.survey.is_complete = is_complete;
    state.survey.list_seconds = list_seconds;
}

/// The word of the command line.
fn word(medium: Medium) -> &'static str {
    match medium {
        Medium::Rotating => "rotating",
        Medium::Network => "network",
        Medium::Memory => "memory",
        _ => "solid-state",
    }
}
