//! Properties of the paths that lists expect files at.

use std::collections::BTreeSet;
use std::env;
use std::path::Path;

use pfh_fixity::{Expectations, File, PATH_BYTES_MAX, PathForms, Root, below_root};
use pfh_list::{Input, List, ReadOptions};

/// The first byte chooses how paths are changed, the first line is the prefix that is removed then, and each other line
/// is a path of a list. No path leads out of the root, and files are expected once each, in the order of a walk.
pub fn paths(input: &[u8]) {
    let [flags, input @ ..] = input else { return };
    let mut lines = input.split(|byte| *byte == b'\n');
    let prefix = lines.next().unwrap_or_default();
    let forms = PathForms { backslashes: flags & 1 != 0, strip_prefix: (flags & 2 != 0).then_some(prefix) };
    let named = if flags & 4 != 0 { env::temp_dir() } else { "/".into() };
    let mut list = List::open(Input::bytes("list", ""), ReadOptions::default()).expect("an empty list");
    let root = Root::new(Some(named), Path::new("list"), &mut list).expect("a directory");
    let mut expectations = Expectations::new(1);
    let mut expected = BTreeSet::new();
    for line in lines {
        let Ok(path) = root.below(line, &forms) else { continue };
        let below = below_root(&path);
        let pushed = expectations.push(&File::new(&*path)).expect("temporary files can be written");
        assert_eq!(pushed, below.clone().map(drop));
        let Ok(below) = below else { continue };
        assert!(below.len() <= PATH_BYTES_MAX && !below.contains(&0));
        let components: Vec<Vec<u8>> = below.split(|byte| *byte == b'/').map(<[u8]>::to_vec).collect();
        assert!(components.iter().all(|name| !matches!(&name[..], b"" | b"." | b"..")), "{below:?}");
        expected.insert(components);
    }
    let mut sorted = expectations.sorted().expect("temporary files can be read");
    let common = sorted.common_directory().to_vec();
    assert!(common.is_empty() || common.ends_with(b"/"));
    for components in &expected {
        let path = components.join(&b'/');
        assert!(path.starts_with(&common), "{path:?}");
        assert_eq!(sorted.next_file().expect("a file").expect("one more").file.path, path);
    }
    assert!(sorted.next_file().expect("the end").is_none() && sorted.len() == expected.len() as u64);
}
