//! Relative links in Markdown files and their anchors exist.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::summary::{Findings, Outcome};
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace) -> Result<Outcome> {
    let mut findings = Findings::default();
    let mut count = 0;
    for path in workspace.files()?.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        let folder = workspace.root.join(path.parent().unwrap_or(Path::new("")));
        for (line, target) in links(&workspace.read(path)?) {
            let Some((file, anchor)) = local(&target) else { continue };
            count += 1;
            let place = if file.is_empty() { workspace.root.join(path) } else { folder.join(file) };
            let exists =
                place.exists() && (anchor.is_empty() || anchors(&fs::read_to_string(&place)?).contains(anchor));
            if !exists {
                findings.add(format!("{}:{line}: `{target}` does not exist", path.display()));
            }
        }
    }
    findings.into_result(format!("{count} relative links"))
}

/// The file and the anchor that a link target names, each possibly empty; `None` for other sites.
fn local(target: &str) -> Option<(&str, &str)> {
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
    (!is_elsewhere).then(|| target.split_once('#').unwrap_or((target, "")))
}

/// The anchors that GitHub gives to the headings of a text.
fn anchors(markdown: &str) -> HashSet<String> {
    let anchor = |heading: &str| -> String {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    let headings = outside_fences(markdown).filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
}

/// Targets of `[text](target)` and `[label]: target` with their lines, outside code.
fn links(markdown: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in outside_fences(markdown) {
        let text = without_code(line);
        let inline = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
        let label = text.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        let definition = label.and_then(|(_, target)| target.split_whitespace().next());
        found.extend(inline.chain(definition).map(|target| (number, target.trim_matches(['<', '>']).to_owned())));
    }
    found
}

/// The lines outside blocks of code, numbered from 1.
fn outside_fences(markdown: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    markdown.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        (fence.is_none() && mark.is_none()).then_some((index + 1, line))
    })
}

/// The line without its `code spans`.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_outside_code_are_found() {
        let markdown =
            "See [a](x/y.md#z) and [b](<u v>).\n```\n[no](n.md)\n```\n`[no](m.md)` [c]: w.md\n[d]: d.md \"title\"\n";
        assert_eq!(links(markdown), [(1, "x/y.md#z".to_owned()), (1, "u".to_owned()), (6, "d.md".to_owned())]);
    }

    #[test]
    fn only_places_of_the_project_are_looked_up() {
        assert_eq!(local("x/y.md#z"), Some(("x/y.md", "z")));
        assert_eq!(local("#z"), Some(("", "z")));
        assert_eq!(local("x.md"), Some(("x.md", "")));
        assert_eq!(local("https://example.org/x.md"), None);
    }

    #[test]
    fn headings_have_anchors() {
        let found = anchors("# One, two: `three`!\n```\n# no\n```\n## A-b c_d é\n");
        assert_eq!(found, HashSet::from(["one-two-three".to_owned(), "a-b-c_d-é".to_owned()]));
    }
}
