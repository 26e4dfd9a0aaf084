//! The laboratory's runners: installs those that are quickly installed, and holds each that is there against the
//! protocol.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::laboratory;
use crate::need::Need;
use crate::process::{self, find_program};
use crate::setup::{self, Consent};
use crate::summary::{Findings, Outcome};
use crate::workspace::Workspace;

/// Groups that take seconds to install. The others (Go, .NET, Wine) are tested where somebody has installed them.
const SMALL: [&str; 9] = ["c", "c-libraries", "csharp", "java", "node", "perl", "php", "python", "ruby"];

/// A folder of `lab/runners`.
struct Folder {
    name: String,
    group: String,
    variants: Vec<String>,
}

impl Folder {
    fn is_any_of(&self, available: &BTreeSet<String>) -> bool {
        self.variants.iter().any(|id| available.contains(id))
    }
}

/// The program `pfh` with the runners of this source tree.
struct Laboratory<'a> {
    workspace: &'a Workspace,
    pfh: PathBuf,
    /// Where it keeps what it builds and fetches: apart from the user's, and between runs.
    cache: PathBuf,
}

/// Installs, if it may, what is small and missing; then tests every runner that is there.
pub(crate) fn test(workspace: &Workspace, consent: Consent) -> Result<Outcome> {
    let pfh = workspace.built_program()?;
    let laboratory = Laboratory { workspace, pfh, cache: workspace.target_folder()?.join("lab") };
    let folders = folders(workspace)?;
    let mut available = laboratory.available()?;
    if consent == Consent::Ask {
        let is_missing = |folder: &&Folder| !folder.variants.iter().all(|id| available.contains(id));
        let missing: BTreeSet<&str> = folders.iter().filter(is_missing).map(|folder| folder.group.as_str()).collect();
        let small: Vec<&str> = SMALL.into_iter().filter(|group| missing.contains(group)).collect();
        if !small.is_empty() && laboratory.install(&small, consent) {
            available = laboratory.available()?;
        }
    }
    if find_program("python3").is_none() {
        let reason = "there is no python3, which holds runners against the protocol";
        return Ok(Outcome::skipped(Need::Runners, reason));
    }
    let (mut present, mut tested) = (Vec::new(), 0);
    for folder in &folders {
        let (there, absent): (Vec<&String>, Vec<&String>) =
            folder.variants.iter().partition(|id| available.contains(*id));
        absent.iter().for_each(|id| println!("{id}: not there (`pfh lab doctor` says why)"));
        tested += there.len();
        if !there.is_empty() {
            present.push((folder.name.as_str(), there));
        }
    }
    let mut findings = Findings::default();
    for name in laboratory.conform_all(&present) {
        findings.add(format!("lab/runners/{name} does not keep the protocol, see above"));
    }
    let all: usize = folders.iter().map(|folder| folder.variants.len()).sum();
    let lacks_runners =
        |group: &&str| !folders.iter().any(|folder| folder.group == *group && folder.is_any_of(&available));
    let absent: Vec<&str> = SMALL.into_iter().filter(lacks_runners).collect();
    absent.iter().for_each(|group| println!("SKIPPED: no runner of the group {group} is there"));
    match findings.into_result(format!("{tested} of {all} runners are there and keep the protocol"))? {
        Outcome::Passed(note, _) => Ok(Outcome::Passed(note, vec![Need::Runners; absent.len()])),
        skipped => Ok(skipped),
    }
}

fn folders(workspace: &Workspace) -> Result<Vec<Folder>> {
    let is_definition = |path: &PathBuf| path.starts_with("lab/runners") && path.ends_with("runner.toml");
    workspace.files()?.iter().filter(|path| is_definition(path)).map(|path| folder(workspace, path)).collect()
}

fn folder(workspace: &Workspace, path: &Path) -> Result<Folder> {
    let about = || format!("`{}` is no runner", path.display());
    let definition: toml::Value = toml::from_str(&workspace.read(path)?).with_context(about)?;
    let name = path.parent().and_then(Path::file_name).with_context(about)?.to_string_lossy().into_owned();
    let group = definition.get("group").and_then(toml::Value::as_str).with_context(about)?.to_owned();
    let variants = definition.get("variant").and_then(toml::Value::as_array).with_context(about)?;
    let id = |variant: &toml::Value| Some(variant.get("id")?.as_str()?.to_owned());
    Ok(Folder { name, group, variants: variants.iter().filter_map(id).collect() })
}

impl Laboratory<'_> {
    fn lab(&self, arguments: &[&str]) -> Command {
        let mut command = laboratory::command(self.workspace, &self.pfh, arguments);
        command.env("XDG_CACHE_HOME", &self.cache);
        command
    }

    /// Builds what can be built, and returns the ids of the variants that can be started.
    fn available(&self) -> Result<BTreeSet<String>> {
        let printed = process::stdout(&mut self.lab(&["doctor", "--json"]))?;
        let entries = String::from_utf8(printed)?;
        let entries = entries.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
        let there = entries.iter().filter(|entry| entry["profile"] == "today" && !entry["hello"].is_null());
        Ok(there.filter_map(|entry| entry["runner"].as_str().map(str::to_owned)).collect())
    }

    /// Whether anything was tried.
    fn install(&self, groups: &[&str], consent: Consent) -> bool {
        if let Err(reason) = setup::can_install_as_root() {
            println!("not installing runners ({}): {reason}", groups.join(", "));
            return false;
        }
        if !consent.given(setup::APT_GET, &format!("runtimes and libraries of the groups {}", groups.join(", "))) {
            return false;
        }
        for group in groups {
            // A failure is reported, and the runners of the group are then missing.
            if let Err(error) = process::run(&mut self.lab(&["doctor", "--install", group, "--run"])) {
                println!("MISSING: runners of the group {group}: {error:#}");
            }
        }
        true
    }

    /// Holds the variants of folders to the protocol, two folders at a time, and returns those that do not keep it.
    fn conform_all<'a>(&self, folders: &[(&'a str, Vec<&String>)]) -> Vec<&'a str> {
        let (left, broken) = (Mutex::new(folders.iter()), Mutex::new(Vec::new()));
        let next = || left.lock().expect("no thread panics with it").next();
        let work = || {
            while let Some((folder, variants)) = next() {
                match self.conform(folder, variants) {
                    // In one piece: the other thread prints too.
                    Ok(report) => print!("{}", String::from_utf8_lossy(&report)),
                    Err(error) => {
                        println!("{error:#}");
                        broken.lock().expect("no thread panics with it").push(*folder);
                    }
                }
            }
        };
        thread::scope(|scope| {
            let second = scope.spawn(|| {
                work();
                process::cpu_time()
            });
            work();
            process::add_cpu_time(second.join().expect("no thread panics with it"));
        });
        broken.into_inner().expect("no thread panics with it")
    }

    fn conform(&self, folder: &str, variants: &[&String]) -> Result<Vec<u8>> {
        let mut python = self.workspace.command("python3");
        python.arg("lab/runners/conformance.py").arg(Path::new("lab/runners").join(folder)).args(variants);
        python.arg("--no-build").arg("--build").arg(self.cache.join("pfh/lab/build").join(folder));
        python.arg("--pfh").arg(&self.pfh);
        // Names beyond ASCII must reach every runtime.
        python.env("LC_ALL", env::var_os("LC_ALL").unwrap_or_else(|| "C.UTF-8".into()));
        process::stdout(&mut python)
    }
}
