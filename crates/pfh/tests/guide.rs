//! The guide to the library quotes the program that is compiled and tested, and names existing items.

use std::fs;
use std::path::Path;

#[test]
fn the_guide_quotes_the_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = fs::read_to_string(root.join("docs/guides/use-the-library.md")).unwrap();
    let mut quotes = 0;
    // Between the fences: text, block, text, block, … text. A block's first line is its language and its file.
    let parts: Vec<&str> = guide.split("```").collect();
    assert_eq!(parts.len() % 2, 1, "a code block is not closed");
    for block in parts.iter().skip(1).step_by(2) {
        let (head, code) = block.split_once('\n').expect("a block has lines");
        let Some((_, path)) = head.split_once(' ') else {
            assert_eq!(head, "toml", "no file is named for the block: {block}");
            continue;
        };
        let source = fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(source.contains(code), "{path} has no such lines:\n{code}");
        quotes += 1;
    }
    assert!(quotes >= 4, "only {quotes} code blocks were found");
}
