//! The guides quote code that is compiled and tested.

use std::fs;
use std::path::Path;

/// Guides, the least number of their quotes, and the languages of blocks that quote nothing.
const GUIDES: [(&str, usize, &[&str]); 2] = [("use-the-library.md", 4, &["toml"]), ("add-an-algorithm.md", 8, &[])];

#[test]
fn the_guides_quote_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, quotes_least, languages) in GUIDES {
        let guide = fs::read_to_string(root.join("docs/guides").join(name)).unwrap();
        let mut quotes = 0;
        // Between the fences: text, block, text, block, … text. A block's first line is its language and its file.
        let parts: Vec<&str> = guide.split("```").collect();
        assert_eq!(parts.len() % 2, 1, "{name}: a code block is not closed");
        for block in parts.iter().skip(1).step_by(2) {
            let (head, code) = block.split_once('\n').expect("a block has lines");
            let Some((_, path)) = head.split_once(' ') else {
                assert!(languages.contains(&head), "{name}: no file is named for the block: {block}");
                continue;
            };
            let source = fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(source.contains(code), "{name}: {path} has no such lines:\n{code}");
            quotes += 1;
        }
        assert!(quotes >= quotes_least, "{name}: only {quotes} code blocks were found");
    }
}
