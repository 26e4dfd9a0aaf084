//! Finds modules of a crate that import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use super::tokens::{Kind, Tests, Token, tokens};
use crate::summary::Findings;
use crate::workspace::Workspace;

/// The modules right below the root of a folder, with what each imports. A module's own children are part of it.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Reports circles among the modules of each folder, and returns the number of examined modules.
pub(super) fn check(workspace: &Workspace, folders: &[String], findings: &mut Findings) -> Result<usize> {
    let files = workspace.files()?;
    let mut modules = 0;
    for folder in folders {
        let mut sources = BTreeMap::new();
        for path in files.iter().filter_map(|path| path.to_str()) {
            if let Some(inner) = path.strip_prefix(folder.as_str()).filter(|inner| inner.ends_with(".rs")) {
                sources.insert(inner.to_owned(), workspace.read(path)?);
            }
        }
        ensure!(!sources.is_empty(), "{folder} has no sources; xtask/src/check/layering.rs names it");
        let imports = imports(folder, &sources)?;
        modules += imports.len();
        for circle in circles(&imports) {
            findings.add(format!("{folder}: the modules {} import each other in a circle", circle.join(", ")));
        }
    }
    Ok(modules)
}

/// `sources`: texts of a folder's files by their paths below it.
fn imports(folder: &str, sources: &BTreeMap<String, String>) -> Result<Imports> {
    // The modules that the folder itself lies in, from the root of its crate on.
    let (_, inner) = folder.split_once("/src/").unwrap_or_default();
    let outer: Vec<&str> = inner.split('/').filter(|name| !name.is_empty()).collect();
    let mut imports = Imports::new();
    let mut exported = BTreeMap::new();
    for source in sources.iter().filter(|(path, _)| is_root(path)).map(|(_, source)| source) {
        exported.append(&mut exports(&tokens(source, Tests::Left)?));
    }
    for (path, source) in sources.iter().filter(|(path, _)| !is_root(path)) {
        let module = module_of(path);
        let named = names_below(&outer, path, &tokens(source, Tests::Left)?);
        let targets = named.into_iter().map(|name| exported.get(&name).cloned().unwrap_or(name));
        let own = imports.entry(module.clone()).or_default();
        own.extend(targets.filter(|target| *target != module));
    }
    let modules: BTreeSet<String> = imports.keys().cloned().collect();
    imports.values_mut().for_each(|targets| targets.retain(|target| modules.contains(target)));
    Ok(imports)
}

fn is_root(path: &str) -> bool {
    ["lib.rs", "main.rs", "mod.rs"].contains(&path)
}

/// The module right below the root of a folder that a file of this path in it belongs to.
pub(super) fn module_of(path: &str) -> String {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs").to_owned()
}

/// The names that a root exports, each with the module that it comes from.
fn exports(tokens: &[Token]) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for place in (0..tokens.len()).filter(|&place| tokens[place].text == "use") {
        let path = &tokens[place + 1..];
        let end = path.iter().position(|token| token.text == ";").unwrap_or(path.len());
        let words = path[..end].iter().filter(|token| token.kind == Kind::Word);
        let mut words = words.map(|token| &token.text).skip_while(|word| *word == "crate" || *word == "self");
        if let Some(module) = words.next() {
            exports.extend(words.map(|name| (name.clone(), module.clone())));
        }
    }
    exports
}

/// First names below the folder of all paths that lead to it: by `crate` and its outer modules, or by `super` from the
/// file at `path`.
pub(super) fn names_below(outer: &[&str], path: &str, tokens: &[Token]) -> BTreeSet<String> {
    let depth = path.split('/').filter(|&name| name != "mod.rs").count();
    let mut names = BTreeSet::new();
    for place in 0..tokens.len() {
        let is_inner = place > 0 && tokens[place - 1].text.ends_with(':');
        let mut rest = &tokens[place..];
        let leads_here = match tokens[place].text.as_str() {
            "crate" => {
                rest = &rest[1..];
                outer.iter().all(|name| step(&mut rest).is_some_and(|text| text == *name))
            }
            "super" if !is_inner => {
                let mut steps = 1;
                rest = &rest[1..];
                while rest.get(2).is_some_and(|token| token.text == "super") && is_separator(rest) {
                    steps += 1;
                    rest = &rest[3..];
                }
                steps == depth
            }
            _ => false,
        };
        if leads_here && is_separator(rest) {
            push_first_names(&rest[2..], &mut names);
        }
    }
    names
}

/// Whether `::` is next.
fn is_separator(tokens: &[Token]) -> bool {
    tokens.len() > 2 && tokens[..2].iter().all(|token| token.text == ":")
}

/// Takes the next name of a path.
fn step<'t>(rest: &mut &'t [Token]) -> Option<&'t str> {
    if !is_separator(rest) {
        return None;
    }
    let name = &rest[2].text;
    *rest = &rest[3..];
    Some(name)
}

/// The name with which a path goes on, or the first name of each path in its braces.
fn push_first_names(path: &[Token], names: &mut BTreeSet<String>) {
    match path.first() {
        Some(first) if first.kind == Kind::Word => drop(names.insert(first.text.clone())),
        Some(first) if first.text == "{" => {
            let (mut depth, mut is_first) = (1, true);
            for token in &path[1..] {
                match token.text.as_str() {
                    "{" => depth += 1,
                    "}" if depth == 1 => break,
                    "}" => depth -= 1,
                    "," if depth == 1 => is_first = true,
                    name if depth == 1 && is_first => {
                        names.insert(name.to_owned());
                        is_first = false;
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Every module that `from` imports, or that what it imports does.
fn reached<'i>(imports: &'i Imports, from: &'i str) -> BTreeSet<&'i str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        let targets = imports.get(module).into_iter().flatten().map(String::as_str);
        open.extend(targets.filter(|&target| reached.insert(target)));
    }
    reached
}

/// Groups of modules of which each reaches all others of its group.
fn circles(imports: &Imports) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|module| (module.as_str(), reached(imports, module))).collect();
    let mut circles = BTreeSet::new();
    for (module, targets) in &reach {
        let circle: Vec<String> = targets
            .iter()
            .filter(|target| targets.contains(module) && reach[*target].contains(module))
            .map(|target| (*target).to_owned())
            .collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_in(folder: &str, files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let sources = files.iter().map(|(path, source)| ((*path).to_owned(), (*source).to_owned())).collect();
        circles(&imports(folder, &sources).expect("Rust"))
    }

    fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        found_in("crates/x/src/", files)
    }

    #[test]
    fn what_goes_one_way_is_no_circle() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "use crate::b::B; // crate::c::C"),
            ("b.rs", "#[cfg(test)] mod tests { use crate::a::A; }"),
            ("b/inner.rs", "use crate::b::B;"),
        ];
        assert!(found(&files).is_empty());
    }

    #[test]
    fn circles_are_found_however_they_are_written() {
        for import in [
            "use crate::a::A;",
            "use crate::{b, a::{A, B}};",
            "fn f() { crate::a::f() }",
            "use crate::A;",
            "use super::a::A;",
            "fn f() { super::a::f() }",
        ] {
            let files = [
                ("lib.rs", "pub use a::{A, B};"),
                ("a.rs", "use crate::c::C;"),
                ("b.rs", import),
                ("c/d.rs", "use crate::b;"),
            ];
            assert_eq!(found(&files), [["a", "b", "c"]], "{import}");
        }
    }
    #[test]
    fn a_folder_within_a_crate_is_looked_at_as_a_crate_is() {
        let files = |a: &'static str, b: &'static str| [("mod.rs", "mod a; mod b;"), ("a/deep.rs", a), ("b.rs", b)];
        let found = |a, b| found_in("crates/x/src/cli/", &files(a, b));
        let circle = [["a".to_owned(), "b".to_owned()]];
        assert_eq!(found("use super::super::b;", "use super::a::A;"), circle);
        assert_eq!(found("use crate::cli::b::B;", "use crate::cli::{a, c};"), circle);
        // Other modules of these names: a child of `a`, and one beside the folder.
        assert!(found("use super::b;", "use super::a;").is_empty());
        assert!(found("use crate::b;", "use super::a;").is_empty());
    }
}
