//! Makes runners ready: looks for what they need, and builds them when their sources have changed.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::process::{Fault, Launch, Process, find_program};
use crate::runner::{FILE, Folder, Variant};

/// Compilers of large libraries take their time.
const BUILD_LIMIT: Duration = Duration::from_secs(1800);

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
    let failed = |error: std::io::Error| NotReady::Unavailable(format!("`{}`: {error}", folder.build.display()));
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

/// Everything that a build depends on: the sources of the folder and of those beside it that are no runners, the
/// commands, the programs, and what was fetched.
fn fingerprint(folder: &Folder, needs: &[(String, Option<PathBuf>)]) -> String {
    let mut hasher = DefaultHasher::new();
    folder.definition.build.hash(&mut hasher);
    hash_folder(&folder.source, &mut hasher);
    let beside = folder.source.parent().and_then(|parent| fs::read_dir(parent).ok()).into_iter().flatten().flatten();
    let mut shared: Vec<PathBuf> = beside.map(|entry| entry.path()).filter(|path| !path.join(FILE).exists()).collect();
    shared.sort();
    for path in shared {
        hash_folder(&path, &mut hasher);
    }
    let required = folder.definition.variants.iter().flat_map(|variant| &variant.requires);
    let required = required.map(|name| folder.build.join(name));
    for path in needs.iter().filter_map(|(_, path)| path.clone()).chain(required) {
        let about = fs::metadata(&path).ok();
        (path, about.map(|about| (about.len(), about.modified().ok()))).hash(&mut hasher);
    }
    format!("{:016x}\n", hasher.finish())
}

fn hash_folder(path: &Path, hasher: &mut DefaultHasher) {
    let name = path.file_name().unwrap_or_default();
    if name.as_encoded_bytes().starts_with(b".") || name == "__pycache__" || name == "target" {
        return;
    }
    name.hash(hasher);
    if let Ok(entries) = fs::read_dir(path) {
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| hash_folder(path, hasher));
    } else {
        fs::read(path).ok().hash(hasher);
    }
}
