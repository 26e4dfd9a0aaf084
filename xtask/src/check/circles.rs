//! Finds modules of a crate that import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::tokens::{Kind, Tests, Token, tokens};
use crate::summary::Findings;
use crate::workspace::Workspace;

/// Folders of the crates whose modules must not import each other in a circle.
const ORDERED: [&str; 2] = ["crates/engine/src/", "crates/source/src/"];

/// The modules right below the root of a crate, with what each imports. A module's own children are part of it.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Reports circles, and returns how many modules were looked at.
pub(super) fn check(workspace: &Workspace, findings: &mut Findings) -> Result<usize> {
    let files = workspace.files()?;
    let mut modules = 0;
    for folder in ORDERED {
        let mut sources = BTreeMap::new();
        for path in files.iter().filter_map(|path| path.to_str()) {
            if let Some(inner) = path.strip_prefix(folder).filter(|inner| inner.ends_with(".rs")) {
                sources.insert(inner.to_owned(), workspace.read(path)?);
            }
        }
        let imports = imports(&sources)?;
        modules += imports.len();
        for circle in circles(&imports) {
            findings.add(format!("{folder}: the modules {} import each other in a circle", circle.join(", ")));
        }
    }
    Ok(modules)
}

/// `sources`: texts of a crate's files by their paths below `src`.
fn imports(sources: &BTreeMap<String, String>) -> Result<Imports> {
    let mut imports = Imports::new();
    let mut exported = BTreeMap::new();
    for source in sources.iter().filter(|(path, _)| is_root(path)).map(|(_, source)| source) {
        exported.append(&mut exports(&tokens(source, Tests::Left)?));
    }
    for (path, source) in sources.iter().filter(|(path, _)| !is_root(path)) {
        let module = module_of(path);
        let named = names_in_crate(&tokens(source, Tests::Left)?);
        let targets = named.into_iter().map(|name| exported.get(&name).cloned().unwrap_or(name));
        let own = imports.entry(module.clone()).or_default();
        own.extend(targets.filter(|target| *target != module));
    }
    let modules: BTreeSet<String> = imports.keys().cloned().collect();
    imports.values_mut().for_each(|targets| targets.retain(|target| modules.contains(target)));
    Ok(imports)
}

fn is_root(path: &str) -> bool {
    path == "lib.rs" || path == "main.rs"
}

fn module_of(path: &str) -> String {
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

/// First names of all paths that begin with `crate`.
fn names_in_crate(tokens: &[Token]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for place in 0..tokens.len() {
        let separated = |at: usize| tokens[at..].iter().take(2).all(|token| token.text == ":" || token.text == "::");
        if tokens[place].text != "crate" || !separated(place + 1) {
            continue;
        }
        let mut rest = tokens[place + 1..].iter().skip_while(|token| token.text.starts_with(':'));
        match rest.next() {
            Some(first) if first.kind == Kind::Word => drop(names.insert(first.text.clone())),
            Some(first) if first.text == "{" => {
                let (mut depth, mut is_first) = (1, true);
                for token in rest {
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
    names
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

    fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let sources = files.iter().map(|(path, source)| ((*path).to_owned(), (*source).to_owned())).collect();
        circles(&imports(&sources).expect("Rust"))
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
        for import in ["use crate::a::A;", "use crate::{b, a::{A, B}};", "fn f() { crate::a::f() }", "use crate::A;"] {
            let files = [
                ("lib.rs", "pub use a::{A, B};"),
                ("a.rs", "use crate::c::C;"),
                ("b.rs", import),
                ("c/d.rs", "use crate::b;"),
            ];
            assert_eq!(found(&files), [["a", "b", "c"]], "{import}");
        }
    }
}
