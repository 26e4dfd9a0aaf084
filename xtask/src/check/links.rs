//! Relative links in Markdown files lead somewhere.

use std::path::Path;

use anyhow::Result;

use crate::summary::Findings;
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace) -> Result<String> {
    let mut findings = Findings::default();
    let mut count = 0;
    for path in workspace.files()?.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        let folder = workspace.root.join(path.parent().unwrap_or(Path::new("")));
        for (line, target) in links(&workspace.read(path)?) {
            let Some(file) = local_file(&target) else { continue };
            count += 1;
            if !folder.join(file).exists() {
                findings.add(format!("{}:{line}: `{target}` does not exist", path.display()));
            }
        }
    }
    findings.into_result(format!("{count} relative links"))
}

/// The file that a link target names; `None` for other sites and for places in the same document.
fn local_file(target: &str) -> Option<&str> {
    let file = target.split('#').next()?;
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
    (!file.is_empty() && !is_elsewhere).then_some(file)
}

/// Targets of `[text](target)` and `[label]: target` with their lines, outside code.
fn links(markdown: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in markdown.lines().enumerate() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() {
            continue;
        }
        let text = without_code(line);
        let inline = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
        let label = text.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        let definition = label.and_then(|(_, target)| target.split_whitespace().next());
        found.extend(inline.chain(definition).map(|target| (index + 1, target.trim_matches(['<', '>']).to_owned())));
    }
    found
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
    fn only_files_of_the_project_are_looked_up() {
        assert_eq!(local_file("x/y.md#z"), Some("x/y.md"));
        assert_eq!(local_file("#z"), None);
        assert_eq!(local_file("https://example.org/x.md"), None);
    }
}
