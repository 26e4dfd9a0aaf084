//! `pfh lab doctor`.

use super::args::DoctorArguments;
use super::{Ending, Error, catalogue, done, environment, message};
use pfh_lab::catalogue::Catalogue;
use pfh_lab::results;
use pfh_lab::roster::{Entrant, Roster};
use pfh_lab::runner::Folder;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

/// Every group at once.
const ALL: &str = "all";

pub(super) fn run(arguments: &DoctorArguments) -> Result<Ending, Error> {
    let catalogue = catalogue(arguments.runners.as_deref())?;
    if let Some(group) = &arguments.install {
        return install(&catalogue, group, arguments.run);
    }
    let cancel = AtomicBool::new(false);
    let mut roster = Roster::new(&catalogue, environment::half_of_memory());
    for index in 0..roster.entrants().len() {
        // Ctrl-C ends the program as it does any other: there is nothing to be saved.
        let _ = roster.ask(index, &cancel, |folder| message::error(format_args!("building {folder}")));
    }
    let text = if arguments.json { json(roster.entrants()) } else { table(&catalogue, roster.entrants()) };
    Ok(message::print(text).and(done(&catalogue)))
}

fn json(entrants: &[Entrant<'_>]) -> String {
    let entries = entrants.iter().map(|entrant| results::Entry::Runner(entrant.to_entry()));
    entries.filter_map(|entry| Some(serde_json::to_string(&entry).ok()? + "\n")).collect()
}

/// One line for each variant, with the profiles under which it is there, and one for each that is not.
fn table(catalogue: &Catalogue, entrants: &[Entrant<'_>]) -> String {
    let mut text = format!("{:<17} {:<10} {:<46} {}\n", "runner", "group", "library", "");
    let mut rest = entrants;
    while let Some(first) = rest.first() {
        let id = &first.contestant.variant.id;
        let count = rest.iter().take_while(|entrant| entrant.contestant.variant.id == *id).count();
        let (own, others) = rest.split_at(count);
        rest = others;
        let group = &first.contestant.folder.definition.group;
        let there: Vec<&Entrant<'_>> = own.iter().filter(|entrant| entrant.hello().is_some()).collect();
        if let Some(hello) = there.first().and_then(|entrant| entrant.hello()) {
            let library = format!("{} {}", hello.library, hello.library_version);
            let profiles: Vec<&str> = there.iter().map(|entrant| entrant.contestant.profile_id()).collect();
            let stand_in = if hello.stand_in { " (a stand-in, not the real component)" } else { "" };
            text += &format!("{id:<17} {group:<10} {library:<46} available: {}{stand_in}\n", profiles.join(", "));
        }
        let mut reasons: Vec<String> = Vec::new();
        for entrant in own {
            if let Some(reason) = entrant.to_entry().unavailable {
                let under = if there.is_empty() { "" } else { entrant.contestant.profile_id() };
                let reason = format!("{id:<17} {group:<10} {under:<46} unavailable: {}\n", short(&reason));
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        text += &reasons.concat();
    }
    let groups: Vec<&str> = catalogue.groups().into_keys().collect();
    text + &format!("\nGroups for `--install`: {}. `--json` prints all that is known.\n", groups.join(", "))
}

/// The first line, and the last where that says more: builds end with what was wrong.
fn short(reason: &str) -> String {
    const CHARACTERS_MAX: usize = 240;
    let mut lines = reason.lines().filter(|line| !line.trim().is_empty());
    let (first, last) = (lines.next().unwrap_or_default(), lines.next_back());
    let text = last.map_or(first.to_owned(), |last| format!("{first} … {last}"));
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A command, and where it is run if that matters.
#[derive(PartialEq, Eq)]
struct Step<'a> {
    directory: Option<&'a Path>,
    shell: String,
}

impl Step<'_> {
    fn line(&self) -> String {
        match self.directory {
            Some(directory) => format!("cd {} && {}\n", quote(&directory.to_string_lossy()), self.shell),
            None => format!("{}\n", self.shell),
        }
    }
}

fn install(catalogue: &Catalogue, group: &str, run: bool) -> Result<Ending, Error> {
    let groups = catalogue.groups();
    let folders: Vec<&Folder> = match groups.get(group) {
        Some(folders) => folders.clone(),
        None if group == ALL => groups.values().flatten().copied().collect(),
        None => {
            let names: Vec<&str> = groups.into_keys().collect();
            return Err(Error::Input(format!("there is no group `{group}`; there are {} and {ALL}", names.join(", "))));
        }
    };
    let mut steps: Vec<Step<'_>> = Vec::new();
    for step in folders.iter().flat_map(|folder| steps_of(catalogue, folder)) {
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    if !run {
        let nothing = format!("# Nothing is to be installed for `{group}`.\n");
        return Ok(message::print(if steps.is_empty() { nothing } else { steps.iter().map(Step::line).collect() }));
    }
    let mut ending = done(catalogue);
    for Step { directory, shell } in steps {
        message::error(format_args!("running: {shell}"));
        let mut command = Command::new("sh");
        // What it prints is for people; standard output is kept for results.
        command.args(["-c", &format!("exec >&2; {shell}")]).stdin(Stdio::null());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        let failed = match command.status() {
            Ok(ended) if ended.success() => continue,
            Ok(ended) => ended.to_string(),
            Err(error) => error.to_string(),
        };
        message::error(format_args!("this failed ({failed}): {shell}"));
        ending = ending.and(Ending::INTERNAL);
    }
    Ok(ending)
}

fn steps_of<'a>(catalogue: &Catalogue, folder: &'a Folder) -> Vec<Step<'a>> {
    let definition = &folder.definition;
    let braces = folder.braces(&catalogue.program);
    let anywhere = |shell: String| Step { directory: None, shell };
    let mut steps: Vec<Step<'a>> = definition.install.iter().map(|command| anywhere(braces.fill(command))).collect();
    if !definition.fetch.is_empty() {
        steps.push(anywhere(format!("mkdir -p {}", quote(&folder.build.to_string_lossy()))));
        let line =
            |words: &Vec<String>| words.iter().map(|word| quote(&braces.fill(word))).collect::<Vec<_>>().join(" ");
        let fetch = definition.fetch.iter().map(line);
        steps.extend(fetch.map(|shell| Step { directory: Some(&folder.source), shell }));
    }
    steps
}

/// A word as a shell takes it.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quote("-Dartifact=a:b:1.0"), "-Dartifact=a:b:1.0");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), "'it'\\''s'");
        assert_eq!(quote(""), "''");
    }

    #[test]
    fn long_reasons_are_cut() {
        assert_eq!(short("building failed\nmore\n\nerror: x\n"), "building failed … error: x");
        assert_eq!(short(&"é".repeat(300)).chars().count(), 241);
    }
}
