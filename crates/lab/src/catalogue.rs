//! Which runners and experiments there are, and where.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::embedded;
use crate::error::Error;
use crate::process::Launch;
use crate::runner::{FILE, Folder, Profile, TODAY, Variant};

/// Where the laboratory finds things.
#[derive(Clone, Debug)]
pub struct Places {
    /// A folder with `runners` and `experiments`; none for those that come with the program.
    pub lab: Option<PathBuf>,
    /// A folder with further runners.
    pub runners: Option<PathBuf>,
    /// Where things are built.
    pub cache: PathBuf,
    /// The program `pfh` itself.
    pub program: PathBuf,
}

/// The runners and experiments that were found.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Folders of runners, by name.
    pub folders: Vec<Folder>,
    /// Problems of folders that could not be read.
    pub broken: Vec<String>,
    /// The folder of the experiments.
    pub experiments: PathBuf,
    /// The program `pfh` itself.
    pub program: PathBuf,
}

/// A variant under a profile: what is measured.
#[derive(Clone, Copy, Debug)]
pub struct Contestant<'a> {
    /// Its folder.
    pub folder: &'a Folder,
    /// The variant.
    pub variant: &'a Variant,
    /// None for today.
    pub profile: Option<&'a Profile>,
}

impl Catalogue {
    /// Looks.
    ///
    /// # Errors
    /// When a folder cannot be listed, or the copy in the program cannot be unpacked.
    pub fn find(places: &Places) -> Result<Catalogue, Error> {
        let lab = match &places.lab {
            Some(lab) => fs::canonicalize(lab).map_err(Error::file(lab))?,
            None => embedded::unpack(&places.cache)?,
        };
        let mut catalogue = Catalogue {
            folders: Vec::new(),
            broken: Vec::new(),
            experiments: lab.join("experiments"),
            program: places.program.clone(),
        };
        let build = places.cache.join("build");
        catalogue.add(&lab.join("runners"), &build)?;
        if let Some(runners) = &places.runners {
            let runners = fs::canonicalize(runners).map_err(Error::file(runners))?;
            catalogue.add(&runners, &build)?;
        }
        catalogue.folders.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(catalogue)
    }

    /// Adds the runners in a folder, or the one that it is. They take the place of those whose name or ids they have.
    fn add(&mut self, parent: &Path, build: &Path) -> Result<(), Error> {
        let entries = fs::read_dir(parent).map_err(Error::file(parent))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.push(parent.to_owned());
        paths.retain(|path| path.join(FILE).is_file());
        paths.sort();
        for path in paths {
            match Folder::read(&path, build) {
                Ok(folder) => self.insert(Folder { has_neighbours: path != parent, ..folder }),
                Err(error) => self.broken.push(error.to_string()),
            }
        }
        Ok(())
    }

    fn insert(&mut self, folder: Folder) {
        self.folders.retain(|other| other.name != folder.name);
        for other in &mut self.folders {
            other.definition.variants.retain(|old| folder.definition.variants.iter().all(|new| new.id != old.id));
        }
        self.folders.push(folder);
    }

    /// Every variant under every profile that it has; today first.
    #[must_use]
    pub fn contestants(&self) -> Vec<Contestant<'_>> {
        let mut contestants = Vec::new();
        for folder in &self.folders {
            for variant in &folder.definition.variants {
                let profiles = folder.definition.profiles.iter().filter(|profile| profile.applies_to(&variant.id));
                for profile in std::iter::once(None).chain(profiles.map(Some)) {
                    contestants.push(Contestant { folder, variant, profile });
                }
            }
        }
        contestants
    }

    /// The folders of a group, by the groups' names.
    #[must_use]
    pub fn groups(&self) -> BTreeMap<&str, Vec<&Folder>> {
        let mut groups: BTreeMap<&str, Vec<&Folder>> = BTreeMap::new();
        for folder in &self.folders {
            groups.entry(&folder.definition.group).or_default().push(folder);
        }
        groups
    }
}

impl Contestant<'_> {
    /// The profile's id.
    #[must_use]
    pub fn profile_id(&self) -> &str {
        self.profile.map_or(TODAY, |profile| &profile.id)
    }

    /// The variant's label, with the profile's where there is one.
    #[must_use]
    pub fn label(&self) -> String {
        match self.profile {
            None => self.variant.label.clone(),
            Some(profile) => format!("{}, {}", self.variant.label, profile.label),
        }
    }

    /// How it is started.
    #[must_use]
    pub fn launch(&self, program: &Path) -> Launch {
        self.folder.launch(self.variant, self.profile, program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(folder: &Path, name: &str, id: &str) {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).expect("made");
        let text = format!(
            "language = \"sh\"\ngroup = \"g\"\nrun = [\"sh\"]\n[[variant]]\nid = \"{id}\"\nlabel = \"{name}\"\n\
             [[profile]]\nid = \"old\"\nlabel = \"as of old\"\n"
        );
        fs::write(folder.join(FILE), text).expect("written");
    }

    #[test]
    fn a_users_runners_take_the_place_of_ours() {
        let scratch = tempfile::tempdir().expect("a folder");
        let (lab, mine) = (scratch.path().join("lab"), scratch.path().join("mine"));
        runner(&lab.join("runners"), "a", "a");
        runner(&lab.join("runners"), "b", "b");
        runner(&mine, "other", "b");
        fs::create_dir_all(mine.join("broken")).expect("made");
        fs::write(mine.join("broken").join(FILE), "run = 3").expect("written");
        fs::create_dir_all(mine.join("no-runner")).expect("made");
        let places =
            Places { lab: Some(lab), runners: Some(mine), cache: scratch.path().join("cache"), program: "pfh".into() };
        let catalogue = Catalogue::find(&places).expect("found");
        let found: Vec<String> = catalogue
            .contestants()
            .iter()
            .map(|c| format!("{} {} {}", c.variant.id, c.profile_id(), c.label()))
            .collect();
        assert_eq!(found, ["a today a", "a old a, as of old", "b today other", "b old other, as of old"]);
        assert_eq!(catalogue.broken.len(), 1);
        assert!(catalogue.broken[0].contains("broken/runner.toml"), "{}", catalogue.broken[0]);
    }
}
