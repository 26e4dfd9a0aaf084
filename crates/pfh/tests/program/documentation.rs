//! The documentation shows real output: every command in a `console` block is run, the blocks of one file one after the
//! other in an empty directory, and the output is compared.
//!
//! `$ ` begins a command, `> ` continues it. `…` stands for anything in a line; alone in a line, for any lines.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::fixture::*;

/// Programs beside the usual ones that documented commands use.
const PROGRAMS: [&str; 5] = ["curl", "hashdeep", "jq", "python3", "xmllint"];

/// The directory in which the documentation runs its commands.
const SHOWN_DIRECTORY: &str = "/home/me/demo";

struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// Returns the commands of a Markdown text, and the output that it shows.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_inside = false;
    for (position, line) in text.lines().enumerate() {
        match (is_inside, line) {
            (false, "```console") => is_inside = true,
            (true, "```") => is_inside = false,
            (true, line) => {
                if let Some(command) = line.strip_prefix("$ ") {
                    steps.push(Step { line: position + 1, command: command.to_owned(), expected: Vec::new() });
                    continue;
                }
                let step = steps.last_mut().expect("a block begins with a command");
                match line.strip_prefix("> ") {
                    Some(more) if step.expected.is_empty() => step.command += &format!("\n{more}"),
                    _ => step.expected.push(line.to_owned()),
                }
            }
            (false, _) => {}
        }
    }
    steps
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let Some((before, pattern)) = pattern.split_once('…') else { return pattern == line };
    let Some(rest) = line.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| line_matches(pattern, &rest[at..]))
}

fn matches(patterns: &[String], lines: &[&str]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((any, patterns)) if any == "…" => (0..=lines.len()).any(|count| matches(patterns, &lines[count..])),
        Some((pattern, patterns)) => {
            lines.split_first().is_some_and(|(line, lines)| line_matches(pattern, line) && matches(patterns, lines))
        }
    }
}

/// Runs the commands of one file and returns their number.
fn check(file: &Path, text: &str) -> usize {
    let steps = steps(text);
    // The server is a part that a program may lack.
    if file.ends_with("known-server.md") && !cfg!(feature = "serve") {
        return 0;
    }
    let words = |step: &Step| step.command.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>();
    let used: HashSet<String> = steps.iter().flat_map(words).collect();
    let mut used = PROGRAMS.iter().filter(|program| used.contains(**program));
    if steps.is_empty() || used.any(|program| peer(program, Path::new("/"), ["--version"]).is_none()) {
        return 0;
    }
    let directory = scratch();
    let work = directory.path().join("work");
    fs::create_dir(&work).unwrap();
    if file.ends_with("README.md") {
        // The files that the text presumes.
        fs::create_dir_all(work.join("photos/2025")).unwrap();
        for (name, message) in [("hello.txt", "hello"), ("2025/second.txt", "second"), (".hidden", "hid")] {
            fs::write(work.join("photos").join(name), message).unwrap();
        }
    }
    let mut script = "exec 2>&1\n".to_owned();
    for step in &steps {
        script += &format!("{}\nstatus=$?; printf '\\n\\001\\n'; (exit $status)\n", step.command);
    }
    fs::write(directory.path().join("script"), script).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_pfh")).parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([program].into_iter().chain(env::split_paths(&path))).unwrap();
    let run = Run::new("bash", &work, ["../script"])
        .with(|command| command.env("PATH", path).env("LC_ALL", "C.UTF-8").env("HOME", &work).env("USER", "me"));
    let ended = run.run();
    let shown = work.canonicalize().unwrap();
    let printed =
        String::from_utf8_lossy(&ended.stdout).replace("\r\n", "\n").replace(shown.to_str().unwrap(), SHOWN_DIRECTORY);
    let mut outputs = printed.split("\n\u{1}\n");
    for Step { line, command, expected } in &steps {
        let output = outputs.next().unwrap_or_default().trim_end_matches('\n');
        let lines: Vec<&str> = output.lines().collect();
        // Messages and output are two streams, whose order on a terminal varies.
        let is_message = |line: &&str| line.starts_with("pfh: ");
        let (expected_messages, expected_output): (Vec<_>, Vec<_>) =
            expected.iter().cloned().partition(|line| is_message(&line.as_str()));
        let (messages, others): (Vec<&str>, Vec<&str>) = lines.into_iter().partition(is_message);
        assert!(
            matches(&expected_messages, &messages) && matches(&expected_output, &others),
            "{}:{line}: $ {command}\n--- the documentation shows\n{}\n--- this happened\n{output}\n",
            file.display(),
            expected.join("\n")
        );
    }
    steps.len()
}

/// Returns the Markdown files in a folder and below it.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { pages(&path) } else { vec![path] };
    let mut pages: Vec<PathBuf> = entries.flat_map(below).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages
}

#[test]
fn documented_commands_do_what_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let files: Vec<PathBuf> = pages(&root.join("docs")).into_iter().chain([root.join("README.md")]).collect();
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    let shown: usize = texts.clone().map(|text| steps(&text).len()).sum();
    assert!(shown > 50, "{shown} commands");
    for (file, text) in files.iter().zip(texts) {
        let count = check(file.strip_prefix(&root).unwrap(), &text);
        println!("{}: {count} commands", file.display());
    }
}

#[test]
fn patterns() {
    let lines = |text: &str| -> Vec<String> { text.split('|').map(str::to_owned).collect() };
    for (pattern, text, is_match) in [
        ("a|b", "a|b", true),
        ("a|b", "a", false),
        ("a…c", "abc", true),
        ("a…c", "ac", true),
        ("a…c…", "abcd", true),
        ("a…c", "abcd", false),
        ("a|…|d", "a|b|c|d", true),
        ("…|d", "d", true),
        ("…|d", "c", false),
    ] {
        let text: Vec<&str> = text.split('|').collect();
        assert_eq!(matches(&lines(pattern), &text), is_match, "{pattern} {text:?}");
    }
}
