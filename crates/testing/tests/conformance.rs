//! The scripted source does what is asked of every source.

use std::time::Duration;

use pfh_source::Medium;
use pfh_testing::{Change, ScriptedSource, SourceUnderTest, source_conformance};

/// Files in memory, or behind a network where nothing changes.
struct Scripted {
    medium: Medium,
    is_behind_a_network: bool,
}

impl Scripted {
    fn empty(&self) -> ScriptedSource {
        let source = ScriptedSource::new().medium(self.medium);
        match self.is_behind_a_network {
            true => source.behind_a_network(Duration::from_millis(50), 10_000, 8, 1),
            false => source,
        }
    }

    fn change(&self, source: &ScriptedSource, path: &[u8], change: Change) -> bool {
        if !self.is_behind_a_network {
            source.change(path, change);
        }
        !self.is_behind_a_network
    }
}

impl SourceUnderTest for Scripted {
    type Source = ScriptedSource;

    fn source(&self, files: &[(&[u8], &[u8])]) -> ScriptedSource {
        files.iter().fold(self.empty(), |source, (path, contents)| source.file(path, *contents))
    }

    fn rewrite(&self, source: &ScriptedSource, path: &[u8], contents: &[u8]) -> bool {
        self.change(source, path, Change::Rewrite(contents.to_vec()))
    }

    fn replace(&self, source: &ScriptedSource, path: &[u8], contents: &[u8]) -> bool {
        self.change(source, path, Change::Replace(contents.to_vec()))
    }

    fn remove(&self, source: &ScriptedSource, path: &[u8]) -> bool {
        self.change(source, path, Change::Remove)
    }

    fn link(&self, path: &[u8], contents: &[u8], link: &[u8]) -> Option<ScriptedSource> {
        Some(self.empty().file(path, contents).hard_link(link, path))
    }

    fn stream(&self, path: &[u8], contents: &[u8]) -> Option<ScriptedSource> {
        (!self.is_behind_a_network).then(|| self.empty().stream(path, contents))
    }
}

#[test]
fn scripted_files_conform() {
    for medium in [Medium::SolidState, Medium::Network] {
        source_conformance(|| Scripted { medium, is_behind_a_network: false });
    }
}

#[test]
fn files_behind_a_simulated_network_conform() {
    source_conformance(|| Scripted { medium: Medium::Network, is_behind_a_network: true });
}
