//! The experiments of `bench/experiments`, as far as xtask must know them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::laboratory;
use crate::process;
use crate::workspace::Workspace;

const FOLDER: &str = "bench/experiments";

/// The comparisons of `--quick`: the most important figures, in under two minutes.
pub(super) const QUICK: [&str; 9] = [
    "hot/all/system/md5/cached",
    "hot/both/system/md5,sha256/cached",
    "hot/reading/system/none/cached",
    "hot/one-core/large/sha256/cached",
    "hot/all/small/md5/cached",
    "hot/all/small/sha256/cached",
    "hot/reading/small/none/cached",
    "evicted/files/small/md5/cold",
    "memory/peak/tiny/md5/cached",
];

/// A definition.
pub(super) struct Experiment {
    pub(super) name: String,
    /// Relative to the root of the workspace.
    pub(super) path: PathBuf,
    /// Names of the programs without which some of its programs do not run.
    pub(super) needs: Vec<String>,
    /// The comparisons to measure.
    pub(super) selected: Vec<String>,
    /// Whether these are not all that there are.
    is_part: bool,
}

/// All experiments, by name, with the comparisons that the laboratory lists.
pub(super) fn all(workspace: &Workspace, pfh: &Path) -> Result<Vec<Experiment>> {
    let is_definition = |path: &PathBuf| path.starts_with(FOLDER) && path.extension().is_some_and(|end| end == "toml");
    workspace.files()?.into_iter().filter(is_definition).map(|path| experiment(workspace, pfh, path)).collect()
}

fn experiment(workspace: &Workspace, pfh: &Path, path: PathBuf) -> Result<Experiment> {
    let mut list = laboratory::command(workspace, pfh, &["list"]);
    let listed = String::from_utf8(process::stdout(list.arg(&path))?)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let needs = needs(&workspace.read(&path)?).with_context(|| format!("`{}`", path.display()))?;
    Ok(Experiment { name, path, needs, selected: listed.lines().map(str::to_owned).collect(), is_part: false })
}

/// The programs that those of a definition need.
fn needs(definition: &str) -> Result<Vec<String>> {
    let definition: toml::Table = definition.parse()?;
    let programs = definition.get("program").and_then(toml::Value::as_array).into_iter().flatten();
    let needed = programs.filter_map(|program| program.get("needs")?.as_array()).flatten();
    Ok(needed.filter_map(|name| name.as_str().map(str::to_owned)).collect())
}

impl Experiment {
    /// The name of a comparison, with that of its experiment.
    pub(super) fn full_name(&self, comparison: &str) -> String {
        format!("{}/{comparison}", self.name)
    }

    /// Keeps the comparisons whose full name is wanted. Returns whether others were selected before.
    pub(super) fn select(&mut self, wants: impl Fn(&str) -> bool) -> bool {
        let before = self.selected.len();
        let name = self.name.clone();
        self.selected.retain(|comparison| wants(&format!("{name}/{comparison}")));
        let has_less = self.selected.len() < before;
        self.is_part |= has_less;
        has_less
    }

    /// The options of `pfh lab run` that select these comparisons.
    pub(super) fn arguments(&self) -> Vec<&str> {
        let selected = self.selected.iter().filter(|_| self.is_part);
        selected.flat_map(|comparison| ["--comparison", comparison]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_becomes_options() {
        let selected = ["a/x/md5/cached", "a/x/md5/dropped"].map(str::to_owned).to_vec();
        let mut experiment =
            Experiment { name: "e".to_owned(), path: "e.toml".into(), needs: Vec::new(), selected, is_part: false };
        assert!(!experiment.select(|name| name.starts_with("e/a")) && experiment.arguments().is_empty());
        assert!(experiment.select(|name| !name.ends_with("/dropped")));
        assert_eq!(experiment.arguments(), ["--comparison", "a/x/md5/cached"]);
        assert_eq!(experiment.full_name("a"), "e/a");
    }

    #[test]
    fn what_programs_need_is_found_in_definitions() {
        let text = "[[program]]\nid = \"a\"\nneeds = [\"x\", \"y\"]\n[[program]]\nid = \"b\"\n";
        assert_eq!(needs(text).expect("TOML"), ["x", "y"]);
        let hot = include_str!("../../../bench/experiments/hot.toml");
        assert!(needs(hot).expect("TOML").iter().any(|name| name == "pfh-bench-rate"));
        assert!(needs("not = [toml").is_err());
    }
}
