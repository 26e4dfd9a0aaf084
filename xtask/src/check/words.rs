//! Texts and comments are plain English: they avoid the phrases listed here, and comments fit the width of the code.

use std::iter::repeat_n;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::summary::Findings;
use crate::workspace::Workspace;

/// Phrases to avoid, in lower case, and what to write instead.
const PHRASES: [(&str, &str); 23] = [
    (" is any.", "write `is unspecified`"),
    (" are any.", "write `are unspecified`"),
    (" be any.", "write `is unspecified`"),
    (" is said", "write `is reported`"),
    (" are said", "write `are reported`"),
    ("so many ", "name the number"),
    (" so many.", "name the number"),
    (" so many,", "name the number"),
    (" so many;", "name the number"),
    (" so many)", "name the number"),
    ("behind the last", "write `after`"),
    ("behind the first", "write `after`"),
    ("behind the look", "write `after`"),
    ("behind the read", "write `after`"),
    ("behind the content", "write `after`"),
    ("behind the end", "write `after`"),
    ("is that without any", "write `has none`, or name the default"),
    ("sorted are", "begin with the subject"),
    (" looked at", "write `examined` or `checked`"),
    (" say of ", "write `say about`"),
    (" says of ", "write `says about`"),
    (" in hand", "name the things"),
    ("brings forth", "write `creates`"),
];

/// Folders and files to which the check applies: Markdown in all of them, comments in their Rust sources.
const PLACES: [&str; 15] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "bench/README.md",
    "bench/backends",
    "bench/instructions",
    "bench/kernels",
    "bench/lab/README.md",
    "bench/rate",
    "bench/similarity",
    "crates",
    "docs",
    "fuzz",
    "lab",
    "xtask",
];

/// The widest line of a comment, as `rustfmt.toml` has it for code, which rustfmt does not apply to comments.
const COMMENT_COLUMNS: usize = 120;

/// A run of prose without line breaks: a paragraph, an item of a list, a row of a table.
#[derive(Debug, Default, PartialEq, Eq)]
struct Paragraph {
    text: String,
    /// For each line: its number, and where its text begins.
    lines: Vec<(usize, usize)>,
}

impl Paragraph {
    fn push(&mut self, line: usize, text: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((line, self.text.len()));
        self.text.push_str(text);
    }

    /// The line in which an offset of the text lies.
    fn line(&self, offset: usize) -> usize {
        self.lines.iter().rev().find(|(_, start)| *start <= offset).map_or(0, |(line, _)| *line)
    }
}

/// Adds what is wrong in the given files, and returns how many the check applies to.
pub(super) fn check(workspace: &Workspace, files: &[PathBuf], findings: &mut Findings) -> Result<usize> {
    let applies = |path: &&PathBuf| PLACES.iter().any(|place| path.starts_with(place));
    let mut count = 0;
    for path in files.iter().filter(applies) {
        let paragraphs = match path.extension().and_then(|extension| extension.to_str()) {
            Some("md") => paragraphs(workspace.read(path)?.lines().map(Some)),
            Some("rs") => {
                let source = workspace.read(path)?;
                check_width(path, &source, findings);
                paragraphs(source.lines().map(comment))
            }
            _ => continue,
        };
        count += 1;
        for (line, problem) in paragraphs.iter().flat_map(problems) {
            findings.add(format!("{}:{line}: {problem}", path.display()));
        }
    }
    Ok(count)
}

fn check_width(path: &Path, source: &str, findings: &mut Findings) {
    for (index, line) in source.lines().enumerate() {
        let columns = line.chars().count();
        if columns > COMMENT_COLUMNS && comment(line).is_some() {
            findings.add(format!("{}:{}: a comment of {columns} columns", path.display(), index + 1));
        }
    }
}

/// The text of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.strip_prefix(['/', '!']).unwrap_or(text))
}

/// Joins lines to paragraphs. `None` is a line without prose; code blocks and headings are none either.
fn paragraphs<'a>(lines: impl Iterator<Item = Option<&'a str>>) -> Vec<Paragraph> {
    let mut found = vec![Paragraph::default()];
    let mut is_code = false;
    for (index, line) in lines.enumerate() {
        let text = line.map_or("", str::trim);
        let is_fence = text.starts_with("```");
        is_code = line.is_some() && (is_code ^ is_fence);
        let is_item = ["- ", "* ", "| ", "> "].iter().any(|mark| text.starts_with(mark))
            || text.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
        let is_prose = !is_code && !is_fence && !text.is_empty() && !text.starts_with('#');
        if (!is_prose || is_item) && found.last().is_some_and(|last| !last.lines.is_empty()) {
            found.push(Paragraph::default());
        }
        if let (true, Some(last)) = (is_prose, found.last_mut()) {
            last.push(index + 1, text);
        }
    }
    found
}

/// The problems of a paragraph, with line numbers.
fn problems(paragraph: &Paragraph) -> Vec<(usize, String)> {
    let text = without_code(&paragraph.text);
    let lower = text.to_ascii_lowercase();
    let phrases = PHRASES.iter().flat_map(|(phrase, advice)| {
        lower.match_indices(phrase).map(move |(at, _)| (at, format!("`{}`: {advice}", phrase.trim())))
    });
    let clauses =
        text.match_indices("What ").filter(|(at, _)| begins_sentence(&text, *at) && !is_question(&text[*at..]));
    let clauses = clauses.map(|(at, _)| (at, "a sentence that begins with `What`: name the thing".to_owned()));
    phrases.chain(clauses).map(|(at, problem)| (paragraph.line(at), problem)).collect()
}

fn begins_sentence(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '-', '*', '|', '>', '(']);
    before.is_empty() || before.ends_with(['.', '?', '!', ':'])
}

fn is_question(text: &str) -> bool {
    let end = text.char_indices().find(|(at, mark)| {
        "?.!".contains(*mark) && text[at + 1..].chars().next().is_none_or(|next| " )*\"".contains(next))
    });
    end.is_some_and(|(_, mark)| mark == '?')
}

/// The text with `code spans` blanked out, so that offsets stay.
fn without_code(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find('`') {
        let (before, code) = rest.split_at(start);
        let marks = &code[..code.bytes().take_while(|byte| *byte == b'`').count()];
        let inside = &code[marks.len()..];
        let Some(length) = inside.find(marks) else { break };
        plain.push_str(before);
        plain.extend(repeat_n('`', length + 2 * marks.len()));
        rest = &inside[length + marks.len()..];
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> Vec<(usize, String)> {
        paragraphs(text.lines().map(Some)).iter().flat_map(problems).collect()
    }

    fn lines(found: &[(usize, String)]) -> Vec<usize> {
        found.iter().map(|(line, _)| *line).collect()
    }

    #[test]
    fn phrases_are_found_across_lines_and_named_by_their_first() {
        let found = markdown("A text.\nWhen a file is gone, this is\nsaid at once.\n\n- The rest is any.\n");
        assert_eq!(lines(&found), [2, 5]);
        assert_eq!(found[0].1, "`is said`: write `is reported`");
    }

    #[test]
    fn code_and_headings_are_not_prose() {
        let found = markdown(
            "# What is read is said\n```\nit is said\n```\nThe word `is said` and ``so `is said` many`` is fine.\n",
        );
        assert_eq!(found, []);
    }

    #[test]
    fn clauses_with_what_begin_no_sentence_but_questions_do() {
        assert_eq!(lines(&markdown("What cannot be read is skipped.")), [1]);
        assert_eq!(lines(&markdown("It ends. What\nremains is lost. Really?")), [1]);
        assert_eq!(lines(&markdown("- What is left.\n| What else |")), [1, 2]);
        assert_eq!(markdown("What does it cost? It shows what is left. \"What now?\""), []);
    }

    #[test]
    fn only_comments_of_a_source_are_prose() {
        let source =
            "//! It is said.\nlet text = \"it is said\";\n    /// Results are\n    /// said.\nfn f() {}\n// Fine.\n";
        let found: Vec<_> = paragraphs(source.lines().map(comment)).iter().flat_map(problems).collect();
        assert_eq!(lines(&found), [1, 3]);
    }

    #[test]
    fn comments_fit_the_width() {
        let source = format!("// {}\n// {}\nlet x = \"{}\";\n", "é".repeat(117), "e".repeat(118), "e".repeat(120));
        let mut findings = Findings::default();
        check_width(Path::new("a.rs"), &source, &mut findings);
        assert_eq!(findings.lines(), ["a.rs:2: a comment of 121 columns"]);
    }

    #[test]
    fn a_numbered_item_is_a_paragraph() {
        assert_eq!(paragraphs(["1. one", "   more", "2. two"].into_iter().map(Some)).len(), 2);
    }
}
