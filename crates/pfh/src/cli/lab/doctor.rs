//! `pfh lab doctor`.

use super::{Ending, Error, Failed, catalogue, environment, message};
use crate::cli::command::Command;
use crate::cli::lab_args::DoctorArguments;
use pfh_lab::catalogue::Catalogue;
use pfh_lab::process::find_program;
use pfh_lab::results;
use pfh_lab::roster::{Entrant, Roster};
use pfh_lab::runner::Folder;
use std::path::Path;
use std::process::{self, Stdio};

/// Every group at once.
const ALL: &str = "all";

pub(super) fn run(arguments: &DoctorArguments) -> Result<Ending, Failed> {
    let mut command = Command::printing()?;
    let catalogue = catalogue(&mut command, arguments.runners.as_deref())?;
    if let Some(group) = &arguments.install {
        return install(command, &catalogue, group, arguments.run);
    }
    let groups = catalogue.groups();
    for group in &arguments.groups {
        if !groups.contains_key(group.as_str()) {
            return Err(unknown_group(&catalogue, group).into());
        }
    }
    let is_wanted = |entrant: &Entrant<'_>| {
        let group = &entrant.contestant.folder.definition.group;
        arguments.groups.is_empty() || arguments.groups.contains(group)
    };
    let mut roster = Roster::new(&catalogue, environment::half_of_memory());
    let wanted: Vec<usize> =
        (0..roster.entrants().len()).filter(|index| is_wanted(&roster.entrants()[*index])).collect();
    for (position, index) in wanted.iter().enumerate() {
        let building = |folder: &str| {
            message::error(format_args!(
                "building {folder} ({} of {} runners looked at); compilers may take minutes, the first time only",
                position + 1,
                wanted.len()
            ));
        };
        if roster.ask(*index, command.cancel_flag(), building).is_err() {
            // A signal came, which `finish` reports.
            return command.finish(Ok(()), 0, None);
        }
    }
    let entrants: Vec<Entrant<'_>> = wanted.iter().map(|index| roster.entrants()[*index].clone()).collect();
    let text = if arguments.json { json(&entrants) } else { table(&catalogue, &entrants) };
    command.print(text)
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

/// Shortens a message to the failure, the compiler's name for the error if there is one, and the advice.
fn short(reason: &str) -> String {
    let (reason, advice) = reason
        .rsplit_once("; `pfh lab doctor")
        .map_or((reason, String::new()), |(reason, advice)| (reason, format!("; `pfh lab doctor{advice}")));
    let mut lines = reason.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    let error = rest.iter().find(|line| line.contains("error")).or(rest.last());
    match error {
        Some(error) => format!("{} … {}{advice}", cut(first), cut(error.trim())),
        None => format!("{}{advice}", cut(first)),
    }
}

fn cut(text: &str) -> String {
    const CHARACTERS_MAX: usize = 160;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn unknown_group(catalogue: &Catalogue, group: &str) -> Error {
    let names: Vec<&str> = catalogue.groups().into_keys().collect();
    Error::Input(format!("there is no group `{group}`; there are {} and {ALL}", names.join(", ")))
}

/// A command, and where it is run if that matters.
#[derive(PartialEq, Eq)]
struct Step<'a> {
    directory: Option<&'a Path>,
    shell: String,
    /// Why it is only shown here, as a comment, and not run.
    comment: Option<String>,
}

impl Step<'_> {
    fn line(&self) -> String {
        if let Some(comment) = &self.comment {
            return format!("# {}\n", [comment.as_str(), self.shell.as_str()].join(": ").trim_end_matches(": "));
        }
        match self.directory {
            Some(directory) => format!("cd {} && {}\n", quote(&directory.to_string_lossy()), self.shell),
            None => format!("{}\n", self.shell),
        }
    }
}

fn install(command: Command, catalogue: &Catalogue, group: &str, run: bool) -> Result<Ending, Failed> {
    let groups = catalogue.groups();
    let folders: Vec<&Folder> = match groups.get(group) {
        Some(folders) => folders.clone(),
        None if group == ALL => groups.values().flatten().copied().collect(),
        None => return Err(unknown_group(catalogue, group).into()),
    };
    let mut steps: Vec<Step<'_>> = Vec::new();
    for step in folders.iter().flat_map(|folder| steps_of(catalogue, folder)) {
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    if !run {
        let nothing = format!("# Nothing is to be installed for `{group}`.\n");
        return command.print(if steps.is_empty() { nothing } else { steps.iter().map(Step::line).collect() });
    }
    let mut failures = 0;
    for step in steps {
        if command.cancel().is_cancelled() {
            break;
        }
        if step.comment.is_some() {
            message::error(step.line().trim_end());
            continue;
        }
        let Step { directory, shell, .. } = step;
        message::error(format_args!("running: {shell}"));
        let mut program = process::Command::new("sh");
        // Its output is for people; standard output is reserved for results.
        program.args(["-c", &format!("exec >&2; {shell}")]).stdin(Stdio::null());
        if let Some(directory) = directory {
            program.current_dir(directory);
        }
        let failed = match program.status() {
            Ok(ended) if ended.success() => continue,
            Ok(ended) => ended.to_string(),
            Err(error) => error.to_string(),
        };
        message::error(format_args!("this failed ({failed}): {shell}"));
        failures += 1;
    }
    match failures {
        0 => command.finish(Ok(()), 0, None),
        _ if command.cancel().is_cancelled() => command.finish(Ok(()), 0, None),
        1 => Err(Failed::internal("a command failed")),
        _ => Err(Failed::internal(format_args!("{failures} commands failed"))),
    }
}

fn steps_of<'a>(catalogue: &Catalogue, folder: &'a Folder) -> Vec<Step<'a>> {
    let definition = &folder.definition;
    let braces = folder.braces(&catalogue.program);
    let anywhere = |shell: String| Step { directory: None, shell, comment: None };
    let comment = |comment: String, shell: String| Step { directory: None, shell, comment: Some(comment) };
    if let Some(system) = definition.foreign_system() {
        return vec![comment(format!("{} is for {system}", folder.name), String::new())];
    }
    let install = |command: &String| {
        let shell = braces.fill(command);
        match shell.split(' ').next().filter(|program| find_program(program).is_none() && !is_builtin(program)) {
            Some(program) => {
                comment(format!("`{program}` is not here; with this system's own programs do what is meant by"), shell)
            }
            None => anywhere(shell),
        }
    };
    let mut steps: Vec<Step<'a>> = definition.install.iter().map(install).collect();
    if !definition.advice.is_empty() {
        steps.push(comment(definition.advice.clone(), String::new()));
    }
    if !definition.fetch.is_empty() {
        steps.push(anywhere(format!("mkdir -p {}", quote(&folder.build.to_string_lossy()))));
        let line =
            |words: &Vec<String>| words.iter().map(|word| quote(&braces.fill(word))).collect::<Vec<_>>().join(" ");
        let fetch = definition.fetch.iter().map(line);
        steps.extend(fetch.map(|shell| Step { directory: Some(&folder.source), shell, comment: None }));
    }
    steps
}

/// Whether every shell has this command built in, so that it need not be a program.
fn is_builtin(name: &str) -> bool {
    ["cd", "echo", "exit", "export", "false", "test", "true", "umask"].contains(&name)
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
    fn long_reasons_are_cut_and_advice_is_not() {
        assert_eq!(short("building failed\nmore\n\nerror: x\nadvice of the compiler\n"), "building failed … error: x");
        assert_eq!(short("building failed\nmore\nlast"), "building failed … last");
        assert_eq!(short(&"é".repeat(300)).chars().count(), 161);
        let advice = "; `pfh lab doctor --install c` shows how to install it";
        let header =
            format!("`cc x` ended with status 1: {}\nx.c:1: fatal error: y.h: No such file{advice}", "x".repeat(300));
        let said = short(&header);
        assert!(said.ends_with(&format!("fatal error: y.h: No such file{advice}")), "{said}");
    }
}
