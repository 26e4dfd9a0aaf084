//! Properties of the tag files of bags.

use pfh_bag::{Declaration, Info, ManifestName, Profile, info_text, manifest_line, read_fetch, read_manifest};
use std::io;

/// The declarations under which other tag files are read.
fn declarations() -> [Declaration; 3] {
    [
        "1.0\nTag-File-Character-Encoding: UTF-8",
        "0.97\nTag-File-Character-Encoding: UTF-8",
        "0.96\nTag-File-Character-Encoding: ISO-8859-1",
    ]
    .map(|text| {
        let text = format!("BagIt-Version: {text}\n");
        Declaration::read(text.as_bytes(), &mut |_| Ok(())).expect("memory can be read")
    })
}

/// Whether a path of a bag stays in it.
fn is_safe(path: &[u8]) -> bool {
    path.first().is_some_and(|byte| *byte != b'/')
        && !path.contains(&0)
        && path.split(|byte| *byte == b'/').all(|name| name != b"..")
}

/// No entry leads out of the bag, and what is written of it is read back.
pub fn manifest(input: &[u8]) {
    for name in ["manifest-md5.txt", "tagmanifest-sha256.txt"] {
        let Some(name) = ManifestName::parse(name.as_bytes()) else { panic!("a name of a manifest") };
        for declared in declarations() {
            let mut entries = Vec::new();
            let mut each = |entry| {
                entries.push(entry);
                Ok(())
            };
            read_manifest(&name, declared, input, &mut each, &mut |_| Ok(())).expect("memory can be read");
            let mut written = Vec::new();
            for entry in &entries {
                assert!(is_safe(&entry.path), "{:?}", entry.path);
                manifest_line(&entry.digest, &entry.path, &mut written);
            }
            let mut place = 0;
            let mut again = |entry: pfh_bag::ManifestEntry| {
                assert_eq!((&entry.path, entry.digest), (&entries[place].path, entries[place].digest));
                place += 1;
                Ok::<(), io::Error>(())
            };
            read_manifest(&name, declarations()[0], &*written, &mut again, &mut |_| Ok(()))
                .expect("memory can be read");
            assert_eq!(place, entries.len());
        }
    }
}

/// bagit.txt, fetch.txt and bag-info.txt are read to their end, and the text of the last one is read back.
pub fn tags(input: &[u8]) {
    let declared = Declaration::read(input, &mut |_| Ok(())).expect("memory can be read");
    for declared in declarations().into_iter().chain([declared]) {
        let mut each = |line: pfh_bag::FetchLine| {
            assert!(is_safe(&line.path) && line.path.starts_with(b"data/"), "{:?}", line.path);
            Ok(())
        };
        read_fetch(declared, input, &mut each, &mut |_| Ok(())).expect("memory can be read");
        let info = Info::read("bag-info.txt", declared, input, &mut |_| Ok(())).expect("memory can be read");
        let text = info_text(&info.tags);
        let again = Info::read("bag-info.txt", declarations()[0], text.as_bytes(), &mut |_| Ok(()));
        let again = again.expect("memory can be read");
        assert_eq!(again.tags.len(), info.tags.len());
        for (tag, again) in info.tags.iter().zip(&again.tags) {
            // Continued lines may have spaces that mean nothing.
            let words = |tag: &pfh_bag::Tag| tag.text().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!((&again.label, words(again)), (&tag.label, words(tag)));
        }
    }
}

/// A profile is read or refused.
pub fn profile(input: &[u8]) {
    let _ = Profile::parse(input);
}
