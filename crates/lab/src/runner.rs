//! A runner's folder: what `runner.toml` says, and how its variants are started.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;
use crate::process::Launch;

/// The file that makes a folder a runner.
pub const FILE: &str = "runner.toml";

/// The profile in which nothing is masked.
pub const TODAY: &str = "today";

/// The contents of `runner.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The language, as reports print it.
    pub language: String,
    /// The group that is installed together.
    pub group: String,
    /// Programs that must be found.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Shell commands that install what is needed.
    #[serde(default)]
    pub install: Vec<String>,
    /// Advice if no command can install it: a version that systems do not package, and where it is to be had.
    #[serde(default)]
    pub advice: String,
    /// The system without which there is nothing to install or build (`windows`); absent for all.
    #[serde(default)]
    pub system: Option<String>,
    /// Commands that fetch libraries into `{build}`; run only by `--install`.
    #[serde(default)]
    pub fetch: Vec<Vec<String>>,
    /// Commands that build into `{build}`.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The command that runs it.
    pub run: Vec<String>,
    /// At least one: each is a runner of its own.
    #[serde(rename = "variant")]
    pub variants: Vec<Variant>,
    /// The same with instructions masked.
    #[serde(default, rename = "profile")]
    pub profiles: Vec<Profile>,
}

/// A runner of its own in every table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Unique, lower case.
    pub id: String,
    /// As reports print it.
    pub label: String,
    /// Appended to `run`.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Files or folders in `{build}` without which it is unavailable.
    #[serde(default)]
    pub requires: Vec<String>,
    /// Variables of the environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Whether the component stands in for another.
    #[serde(default)]
    pub stand_in: bool,
    /// The origin of the code that hashes, if the component's own statement does not show it.
    #[serde(default)]
    pub implementation: Option<String>,
    /// The same of single algorithms whose code is another's.
    #[serde(default)]
    pub implementations: BTreeMap<String, String>,
    /// Algorithms that few runners have: where no two implementations agree on one, this runner is named as a witness.
    #[serde(default)]
    pub witness_for: Vec<String>,
}

/// The same runner with instructions of the processor masked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Unique among those of a variant, lower case; not `today`.
    pub id: String,
    /// As reports print it.
    pub label: String,
    /// Only these variants have it; absent: all.
    #[serde(default)]
    pub variants: Option<Vec<String>>,
    /// Takes the place of the runner's `run`, where the profile needs another build.
    #[serde(default)]
    pub run: Option<Vec<String>>,
    /// Variables of the environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Placed after the program's name in `run`.
    #[serde(default)]
    pub arguments_before: Vec<String>,
}

impl Profile {
    /// Whether a variant has it.
    #[must_use]
    pub fn applies_to(&self, variant: &str) -> bool {
        self.variants.as_ref().is_none_or(|variants| variants.iter().any(|id| id == variant))
    }
}

/// A runner's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Its name.
    pub name: String,
    /// Where it is: `{source}`.
    pub source: PathBuf,
    /// Where it is built: `{build}`.
    pub build: PathBuf,
    /// The contents of `runner.toml`.
    pub definition: Definition,
    /// Whether it lies in a folder of runners, whose other folders may hold sources that runners share.
    pub has_neighbours: bool,
}

/// The values that replace braces in commands.
#[derive(Clone, Copy, Debug)]
pub struct Braces<'a> {
    /// `{source}`.
    pub source: &'a Path,
    /// `{build}`.
    pub build: &'a Path,
    /// `{pfh}`: the program itself.
    pub program: &'a Path,
}

impl Braces<'_> {
    /// Replaces what stands in braces; other braces are literal.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let known = [("{source}", self.source), ("{build}", self.build), ("{pfh}", self.program)];
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        // In one pass, so that a brace in a path is not taken for one of ours.
        while let Some(at) = rest.find('{') {
            filled += &rest[..at];
            rest = &rest[at..];
            match known.iter().find(|(name, _)| rest.starts_with(name)) {
                Some((name, value)) => {
                    filled += &path(value);
                    rest = &rest[name.len()..];
                }
                None => {
                    filled.push('{');
                    rest = &rest[1..];
                }
            }
        }
        filled + rest
    }
}

impl Definition {
    /// The system that this runner is for, where it is another than this one.
    #[must_use]
    pub fn foreign_system(&self) -> Option<&str> {
        self.system.as_deref().filter(|system| *system != std::env::consts::OS)
    }

    /// Parses `runner.toml`.
    ///
    /// # Errors
    /// The part that cannot be parsed, with its line.
    pub fn parse(text: &str) -> Result<Definition, String> {
        let definition: Definition = toml::from_str(text).map_err(|error| error.to_string())?;
        definition.validate()?;
        Ok(definition)
    }

    fn validate(&self) -> Result<(), String> {
        let mut runs = self.profiles.iter().filter_map(|profile| profile.run.as_ref()).chain([&self.run]);
        if runs.any(Vec::is_empty) {
            return Err("`run` is empty".to_owned());
        }
        if self.variants.is_empty() {
            return Err("there is no [[variant]]".to_owned());
        }
        if self.fetch.iter().chain(&self.build).any(Vec::is_empty) {
            return Err("a command of `fetch` or `build` is empty".to_owned());
        }
        let profiles = self.profiles.iter().map(|profile| &profile.id);
        for id in self.variants.iter().map(|variant| &variant.id).chain(profiles) {
            if id.is_empty() || !id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
                return Err(format!("`{id}` is no id; use lower-case letters, digits and hyphens"));
            }
        }
        for (position, Variant { id, .. }) in self.variants.iter().enumerate() {
            if self.variants[..position].iter().any(|variant| variant.id == *id) {
                return Err(format!("the variant `{id}` is there twice"));
            }
            let mut own = vec![TODAY];
            for profile in self.profiles.iter().filter(|profile| profile.applies_to(id)) {
                if own.contains(&profile.id.as_str()) {
                    return Err(format!("the profile `{}` is there twice for `{id}`", profile.id));
                }
                own.push(&profile.id);
            }
        }
        let is_variant = |id: &&String| self.variants.iter().any(|variant| variant.id == **id);
        let mut named = self.profiles.iter().flat_map(|profile| profile.variants.iter().flatten());
        if let Some(id) = named.find(|id| !is_variant(id)) {
            return Err(format!("a profile names the variant `{id}`, which is not there"));
        }
        Ok(())
    }
}

impl Folder {
    /// Reads the runner in a folder.
    ///
    /// # Errors
    /// When `runner.toml` cannot be read or understood.
    pub fn read(source: &Path, cache: &Path) -> Result<Folder, Error> {
        let file = source.join(FILE);
        let text = fs::read_to_string(&file).map_err(Error::file(&file))?;
        let definition =
            Definition::parse(&text).map_err(|error| Error::input(format!("`{}`: {error}", file.display())))?;
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (build, source) = (cache.join(&name), source.to_owned());
        Ok(Folder { build, name, source, definition, has_neighbours: false })
    }

    /// The values that replace braces in the commands of this runner.
    #[must_use]
    pub fn braces<'a>(&'a self, program: &'a Path) -> Braces<'a> {
        Braces { source: &self.source, build: &self.build, program }
    }

    /// How a variant is started under a profile (`None`: today).
    #[must_use]
    pub fn launch(&self, variant: &Variant, profile: Option<&Profile>, program: &Path) -> Launch {
        let braces = self.braces(program);
        let before = profile.map_or(&[][..], |profile| &profile.arguments_before);
        let run = profile.and_then(|profile| profile.run.as_ref()).unwrap_or(&self.definition.run);
        let arguments = before.iter().chain(&run[1..]).chain(&variant.arguments).map(|word| braces.fill(word));
        let variables = variant.environment.iter().chain(profile.into_iter().flat_map(|profile| &profile.environment));
        Launch {
            program: braces.fill(&run[0]),
            arguments: arguments.collect(),
            environment: variables.map(|(name, value)| (name.clone(), braces.fill(value))).collect(),
            directory: self.source.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JAVA: &str = r#"
language = "Java"
group = "java"
needs = ["java", "javac"]
build = [["javac", "-d", "{build}", "Runner.java"]]
run = ["java", "-cp", "{build}:{build}/*", "Runner"]

[[variant]]
id = "java-sun"
label = "OpenJDK"
arguments = ["sun"]

[[profile]]
id = "no-sha"
label = "no SHA instructions"
environment = { X = "{build}" }
arguments_before = ["-XX:-UseSHA"]
"#;

    fn folder(text: &str) -> Folder {
        let definition = Definition::parse(text).expect("well-formed");
        let (source, build) = ("/lab/java".into(), "/cache/java".into());
        Folder { name: "java".to_owned(), source, build, definition, has_neighbours: true }
    }

    #[test]
    fn a_variant_is_started_as_its_definition_says() {
        let folder = folder(JAVA);
        let definition = &folder.definition;
        let launch = folder.launch(&definition.variants[0], definition.profiles.first(), Path::new("/bin/pfh"));
        assert_eq!(launch.program, "java");
        assert_eq!(launch.arguments, ["-XX:-UseSHA", "-cp", "/cache/java:/cache/java/*", "Runner", "sun"]);
        assert_eq!(launch.environment, [("X".to_owned(), "/cache/java".to_owned())]);
        assert_eq!(launch.directory, Path::new("/lab/java"));
        let today = folder.launch(&definition.variants[0], None, Path::new("/bin/pfh"));
        assert_eq!(today.arguments[0], "-cp");
        assert!(today.environment.is_empty());
    }

    #[test]
    fn other_braces_are_literal() {
        let braces = Braces { source: Path::new("/s"), build: Path::new("/{source}"), program: Path::new("/p") };
        assert_eq!(braces.fill("{build}{x}{{pfh}"), "/{source}{x}{/p");
    }

    #[test]
    fn bad_definitions_are_named() {
        let replaced = |from: &str, to: &str| Definition::parse(&JAVA.replacen(from, to, 1)).expect_err(to);
        assert!(replaced("run = [", "runs = [").contains("runs"));
        assert!(replaced("\"java-sun\"", "\"Java Sun\"").contains("is no id"));
        assert!(replaced("\"no-sha\"", "\"today\"").contains("the profile `today` is there twice"));
        let again = "[[variant]]\nid = \"java-sun\"\nlabel = \"again\"\n[[profile]]";
        assert!(replaced("[[profile]]", again).contains("the variant `java-sun` is there twice"));
        assert!(replaced("[\"java\", \"-cp\", \"{build}:{build}/*\", \"Runner\"]", "[]").contains("`run` is empty"));
        assert!(replaced("language = \"Java\"", "language = 3").contains("line 2"));
    }
}
