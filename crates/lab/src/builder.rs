//! Makes runners ready: looks for what they need, and builds them when their sources have changed.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::process::{Fault, Launch, Process, find_program};
use crate::runner::{FILE, Folder, Variant};

/// Compilers of large libraries take their time.
const BUILD_LIMIT: Duration = Duration::from_secs(1800);

/// So much of a source is read at once.
const BUFFER_BYTES: usize = 64 << 10;

/// Servers that a build has started (those of Wine, of Gradle) end by themselves when nobody wants them, and save then.
const REST: Duration = Duration::from_secs(10);

/// Why a runner is not ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReady {
    /// Something is missing or does not work.
    Unavailable(String),
    /// The user wants to stop.
    Cancelled,
}

/// Makes a runner's folder ready. `before_build` is called where something is built.
///
/// # Errors
/// Why it is not ready.
pub fn prepare(
    folder: &Folder,
    program: &Path,
    cancel: &AtomicBool,
    before_build: impl FnOnce(),
) -> Result<(), NotReady> {
    let definition = &folder.definition;
    if let Some(system) = definition.foreign_system() {
        return Err(NotReady::Unavailable(format!("it is for {system}, and this is {}", std::env::consts::OS)));
    }
    let braces = folder.braces(program);
    let needs: Vec<(String, Option<PathBuf>)> =
        definition.needs.iter().map(|name| (name.clone(), find_program(&braces.fill(name)))).collect();
    let missing: Vec<String> =
        needs.iter().filter(|(_, path)| path.is_none()).map(|(name, _)| format!("`{name}`")).collect();
    if !missing.is_empty() {
        let verb = if missing.len() == 1 { "is" } else { "are" };
        return Err(NotReady::Unavailable(format!("{} {verb} not there", missing.join(" and "))));
    }
    if definition.build.is_empty() {
        return Ok(());
    }
    let failed = |error: io::Error| NotReady::Unavailable(format!("`{}`: {error}", folder.build.display()));
    fs::create_dir_all(&folder.build).map_err(failed)?;
    // Beside the folder, so that neither tools nor users take them for something of theirs.
    let lock = File::create(folder.build.with_extension("lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let stamp = folder.build.with_extension("stamp");
    let state = fingerprint(folder, &needs);
    if fs::read_to_string(&stamp).is_ok_and(|built| built == state) {
        return Ok(());
    }
    before_build();
    let _ = fs::remove_file(&stamp);
    for command in &definition.build {
        let words: Vec<String> = command.iter().map(|word| braces.fill(word)).collect();
        execute(&words, &folder.source, BUILD_LIMIT, cancel)?;
    }
    fs::write(&stamp, state).map_err(failed)
}

/// Whether what a variant requires has been fetched.
///
/// # Errors
/// The requirement that is missing.
pub fn check_requirements(folder: &Folder, variant: &Variant) -> Result<(), NotReady> {
    match variant.requires.iter().find(|name| !folder.build.join(name).exists()) {
        None => Ok(()),
        Some(name) => Err(NotReady::Unavailable(format!("`{name}` has not been fetched"))),
    }
}

/// Runs a command to its end, within a time, and ends what it leaves behind.
///
/// # Errors
/// The message of the failed command.
pub fn execute(words: &[String], directory: &Path, limit: Duration, cancel: &AtomicBool) -> Result<(), NotReady> {
    // Everything it says goes to standard error, the end of which is kept; the shell holds standard output until it
    // ends.
    let arguments = ["-c", "\"$@\" >&2; exit $?", "sh"].into_iter().map(str::to_owned).chain(words.iter().cloned());
    let launch = Launch {
        program: "sh".to_owned(),
        arguments: arguments.collect(),
        environment: Vec::new(),
        directory: directory.to_owned(),
    };
    let shown = words.join(" ");
    let fault = match Process::start(&launch, u64::MAX) {
        Err(error) => format!("{error}"),
        Ok(process) => {
            let mut process = process.with_rest(REST);
            process.close_input();
            let fault = match process.receive(Instant::now() + limit, cancel) {
                Err(Fault::Cancelled) => return Err(NotReady::Cancelled),
                Err(Fault::Ended(Some(status))) if status.success() => return Ok(()),
                Err(fault) => fault.to_string(),
                Ok(_) => "wrote to a closed stream".to_owned(),
            };
            let said = process.end();
            if said.is_empty() { fault } else { format!("{fault}: {said}") }
        }
    };
    Err(NotReady::Unavailable(format!("`{shown}` {fault}")))
}

/// Everything that a build depends on: the sources of the folder and, in a folder of runners, of those beside it that
/// are no runners, the commands, the programs, and what was fetched.
fn fingerprint(folder: &Folder, needs: &[(String, Option<PathBuf>)]) -> String {
    let mut hasher = DefaultHasher::new();
    folder.definition.build.hash(&mut hasher);
    hash_contents(&folder.source, &mut hasher);
    let parent = folder.source.parent().filter(|_| folder.has_neighbours);
    let beside = parent.and_then(|parent| fs::read_dir(parent).ok()).into_iter().flatten().flatten();
    let mut shared: Vec<PathBuf> = beside.map(|entry| entry.path()).filter(|path| !path.join(FILE).exists()).collect();
    shared.sort();
    for path in shared {
        hash_source(&path, &mut hasher);
    }
    let required = folder.definition.variants.iter().flat_map(|variant| &variant.requires);
    let required = required.map(|name| folder.build.join(name));
    for path in needs.iter().filter_map(|(_, path)| path.clone()).chain(required) {
        let about = fs::metadata(&path).ok();
        (path, about.map(|about| (about.len(), about.modified().ok()))).hash(&mut hasher);
    }
    format!("{:016x}\n", hasher.finish())
}

/// Adds a file, or all files below a folder. Of a link the target's name counts, not what lies there, and nothing of
/// pipes and devices, whose contents have no end.
fn hash_source(path: &Path, hasher: &mut DefaultHasher) {
    let name = path.file_name().unwrap_or_default();
    if name.as_encoded_bytes().starts_with(b".") || name == "__pycache__" || name == "target" {
        return;
    }
    let Ok(about) = path.symlink_metadata() else { return };
    name.hash(hasher);
    if about.is_dir() {
        hash_contents(path, hasher);
    } else if about.is_file() {
        // A file that cannot be read to its end counts as far as it can.
        let _ = hash_file(path, hasher);
    } else if about.is_symlink() {
        fs::read_link(path).ok().hash(hasher);
    }
}

fn hash_contents(folder: &Path, hasher: &mut DefaultHasher) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().for_each(|path| hash_source(path, hasher));
}

fn hash_file(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut bytes = 0_u64;
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            // So that the end of a file is not the beginning of the next.
            bytes.hash(hasher);
            return Ok(());
        }
        hasher.write(&buffer[..length]);
        bytes += length as u64;
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    /// A runner that is named itself may lie in a home directory, whose other files are no sources of its.
    #[test]
    fn what_lies_beside_a_runner_counts_in_a_folder_of_runners() {
        let scratch = tempfile::tempdir().expect("a folder");
        let source = scratch.path().join("mine");
        fs::create_dir(&source).expect("made");
        let text = "language = \"sh\"\ngroup = \"g\"\nrun = [\"sh\"]\n[[variant]]\nid = \"a\"\nlabel = \"a\"\n";
        fs::write(source.join(FILE), text).expect("written");
        fs::write(source.join("runner.c"), "1").expect("written");
        mknodat(CWD, source.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("made");
        mknodat(CWD, scratch.path().join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("made");
        let alone = Folder::read(&source, scratch.path()).expect("read");
        let among = Folder { has_neighbours: true, ..alone.clone() };
        let states = || [&alone, &among].map(|folder| fingerprint(folder, &[]));
        let [of_alone, of_among] = states();
        assert_eq!(states(), [of_alone.as_str(), of_among.as_str()]);
        fs::write(scratch.path().join("shared.h"), "1").expect("written");
        let [now_alone, now_among] = states();
        assert!(now_alone == of_alone && now_among != of_among);
        fs::write(source.join("runner.c"), "2").expect("written");
        let [then_alone, then_among] = states();
        assert!(then_alone != now_alone && then_among != now_among);
    }
}
