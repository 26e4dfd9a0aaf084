//! Committed generated files equal those that the program generates now.

use anyhow::Result;

use crate::generate::{self, COMPLETIONS_FOLDER, Files, MAN_FOLDER};
use crate::python::REFERENCE;
use crate::summary::{Findings, Outcome};
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace) -> Result<Outcome> {
    let generated = generate::generate(workspace)?;
    let mut findings = Findings::default();
    for (folder, files) in [(MAN_FOLDER, &generated.man), (COMPLETIONS_FOLDER, &generated.completions)] {
        let committed = generate::read_folder(&workspace.root.join(folder))?;
        compare(folder, &committed, files, &mut findings);
    }
    if let Some(page) = &generated.python_reference
        && workspace.read(REFERENCE).ok().as_ref().map(String::as_bytes) != Some(&page[..])
    {
        findings.add(format!("{REFERENCE} is out of date; run `cargo xtask generate`"));
    }
    findings.into_result(format!("{} man pages, {} completions", generated.man.len(), generated.completions.len()))
}

fn compare(folder: &str, committed: &Files, generated: &Files, findings: &mut Findings) {
    let names = committed.keys().chain(generated.keys().filter(|name| !committed.contains_key(*name)));
    for name in names {
        let problem = match (committed.get(name), generated.get(name)) {
            (Some(old), Some(new)) if old == new => continue,
            (Some(_), Some(_)) => "is out of date",
            (None, _) => "is missing",
            (_, None) => "is no longer generated",
        };
        findings.add(format!("{folder}/{} {problem}; run `cargo xtask generate`", name.to_string_lossy()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_drift_is_found() {
        let files = |list: &[(&str, &str)]| -> Files {
            list.iter().map(|(name, text)| (name.into(), text.as_bytes().to_vec())).collect()
        };
        let committed = files(&[("same", "x"), ("old", "x"), ("gone", "x")]);
        let generated = files(&[("same", "x"), ("old", "y"), ("new", "x")]);
        let mut findings = Findings::default();
        compare("docs", &committed, &generated, &mut findings);
        assert_eq!(findings.lines().len(), 3);
    }
}
