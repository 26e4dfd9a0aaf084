//! Rust source as a flat list of tokens with line numbers, so that the scans see code and not comments, documentation
//! or the insides of strings.

use std::str::FromStr;

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// One token: a word, a literal, or a single punctuation character (`::` is two).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Literal,
    Punctuation,
}

/// Whether items that exist only under `cfg(test)` are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tests {
    Included,
    Left,
}

/// Splits source text into tokens.
pub(super) fn tokens(source: &str, tests: Tests) -> Result<Vec<Token>> {
    let stream = TokenStream::from_str(source).map_err(|error| anyhow!("not Rust tokens: {error}"))?;
    let mut flat = Vec::new();
    flatten(stream, tests, &mut flat);
    Ok(flat)
}

/// Lines on which a sequence of tokens occurs.
pub(super) fn lines_with(tokens: &[Token], pattern: &[Token]) -> Vec<usize> {
    tokens
        .windows(pattern.len())
        .filter(|window| window.iter().zip(pattern).all(|(token, wanted)| token.text == wanted.text))
        .map(|window| window[0].line)
        .collect()
}

fn flatten(stream: TokenStream, tests: Tests, flat: &mut Vec<Token>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut index = 0;
    while index < trees.len() {
        if let Some((attribute, length)) = attribute_at(&trees[index..]) {
            if is_documentation(attribute) {
                index += length;
                continue;
            }
            if tests == Tests::Left && is_for_tests(attribute) {
                index += length;
                index += item_length(&trees[index..]);
                continue;
            }
        }
        push(&trees[index], tests, flat);
        index += 1;
    }
}

fn push(tree: &TokenTree, tests: Tests, flat: &mut Vec<Token>) {
    let (text, kind, span) = match tree {
        TokenTree::Group(group) => return push_group(group, tests, flat),
        TokenTree::Ident(word) => (word.to_string(), Kind::Word, word.span()),
        TokenTree::Punct(mark) => (mark.as_char().to_string(), Kind::Punctuation, mark.span()),
        TokenTree::Literal(literal) => (literal.to_string(), Kind::Literal, literal.span()),
    };
    flat.push(Token { text, line: span.start().line, kind });
}

fn push_group(group: &Group, tests: Tests, flat: &mut Vec<Token>) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    };
    let mut delimiter = |text: &str, line| flat.push(Token { text: text.to_owned(), line, kind: Kind::Punctuation });
    delimiter(open, group.span_open().start().line);
    flatten(group.stream(), tests, flat);
    flat.push(Token { text: close.to_owned(), line: group.span_close().start().line, kind: Kind::Punctuation });
}

/// The brackets of an attribute that starts here, and how many trees it takes: `#[…]` or `#![…]`.
fn attribute_at(trees: &[TokenTree]) -> Option<(&Group, usize)> {
    if !is_mark(trees.first()?, '#') {
        return None;
    }
    let inner = is_mark(trees.get(1)?, '!');
    match trees.get(1 + usize::from(inner))? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => Some((group, 2 + usize::from(inner))),
        _ => None,
    }
}

fn is_mark(tree: &TokenTree, mark: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == mark)
}

fn words(stream: TokenStream) -> Vec<Ident> {
    let mut found = Vec::new();
    for tree in stream {
        match tree {
            TokenTree::Ident(word) => found.push(word),
            TokenTree::Group(group) => found.extend(words(group.stream())),
            _ => {}
        }
    }
    found
}

fn is_documentation(attribute: &Group) -> bool {
    words(attribute.stream()).first().is_some_and(|word| word == "doc")
}

/// `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, …))]`; not `#[cfg(not(test))]`.
fn is_for_tests(attribute: &Group) -> bool {
    let words = words(attribute.stream());
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    words.first().is_some_and(|word| word == "test" || word == "cfg") && has("test") && !has("not")
}

/// Number of trees of the item that starts here, further attributes included.
fn item_length(trees: &[TokenTree]) -> usize {
    let is_import = trees.iter().take(3).any(|tree| matches!(tree, TokenTree::Ident(word) if word == "use"));
    let ends = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_import,
        tree => is_mark(tree, ';'),
    };
    trees.iter().position(ends).map_or(trees.len(), |position| position + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(source: &str, pattern: &str, tests: Tests) -> Vec<usize> {
        let pattern = tokens(pattern, Tests::Included).expect("tokens");
        lines_with(&tokens(source, tests).expect("tokens"), &pattern)
    }

    #[test]
    fn code_is_seen_wherever_it_stands() {
        let source = "fn f() {\n    let a = [File::open(\"x\")];\n}\n";
        assert_eq!(lines(source, "File::open", Tests::Left), [2]);
        assert_eq!(lines(source, "File :: open", Tests::Left), [2]);
    }

    #[test]
    fn comments_documentation_and_strings_are_not_code() {
        let source = "//! File::open\n/// File::open\nfn f() { /* File::open */ g(\"File::open\", r#\"File::open\"#) }";
        assert_eq!(lines(source, "File::open", Tests::Left), [0; 0]);
    }

    #[test]
    fn a_longer_word_is_another_word() {
        assert_eq!(lines("use std::fs::read_dir;", "fs::read", Tests::Left), [0; 0]);
    }

    #[test]
    fn test_items_can_be_left_out() {
        let source = "#[cfg(test)]\nuse a::{b, File::open};\nfn f() {}\n#[cfg(all(test, unix))]\nmod tests {\n    File::open;\n}\n\
            #[test]\nfn t() { File::open }\n#[cfg(not(test))]\nfn g() { File::open }\n";
        assert_eq!(lines(source, "File::open", Tests::Left), [11]);
        assert_eq!(lines(source, "File::open", Tests::Included), [2, 6, 9, 11]);
    }
}
