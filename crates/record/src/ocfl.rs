//! The inventory of an OCFL object (OCFL 1.0 and 1.1, section 3.5): the digests of its contents, in the blocks
//! `manifest` and `fixity`. An inventory of many versions is long, so it is read token by token.

use std::io::Read;

use pfh_digest::{Algorithm, Digest};

use crate::parse::{Fault, FieldProblem, Found, ReadError};
use crate::tokens::{Token, Tokens};
use crate::{Entry, FixityList, FormatName, ListEnd, Trailer};

/// The keys of an inventory.
const KEYS: [&[u8]; 8] =
    [b"id", b"type", b"digestAlgorithm", b"head", b"contentDirectory", b"manifest", b"versions", b"fixity"];

/// Whether an input, without white space before it, is an inventory: its first key is one of an inventory's, and it has
/// a key that nothing else has, or a type. Quotes within strings have a backslash before them, and a colon follows keys
/// alone, so no name of a file passes for a key.
pub(crate) fn is_inventory(start: &[u8]) -> bool {
    let Some(rest) = start.strip_prefix(b"{") else { return false };
    let rest = rest.trim_ascii_start();
    let is_first = |key: &&[u8]| {
        let quoted = rest.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(*key));
        quoted.is_some_and(|rest| rest.starts_with(b"\""))
    };
    let has = |key: &[u8], value: &[u8]| {
        memchr::memmem::find_iter(start, key).any(|at| {
            let after = start[at + key.len()..].trim_ascii_start().strip_prefix(b":");
            after.is_some_and(|after| after.trim_ascii_start().starts_with(value))
        })
    };
    match KEYS.iter().find(|key| is_first(key)) {
        None => false,
        // Its first digests may fill the beginning.
        Some(&b"manifest" | &b"fixity") => true,
        Some(_) => has(b"\"digestAlgorithm\"", b"") || has(b"\"type\"", b"\"https://ocfl.io/1."),
    }
}

/// Memory: one text.
pub(crate) struct OcflReader<R> {
    tokens: Tokens<R>,
    /// Number of open objects and arrays.
    depth: usize,
    /// The key of the document whose value is being read.
    block: Block,
    /// The algorithm of the manifest, once the inventory names it.
    algorithm: Option<Algorithm>,
    /// The algorithm of the part of `fixity` that is being read; `None` if it is not in the registry.
    fixity: Option<Algorithm>,
    /// The digest of the paths that follow.
    digest: Option<Digest>,
    has_manifest: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Block {
    DigestAlgorithm,
    Manifest,
    Fixity,
    Other,
}

impl<R: Read> OcflReader<R> {
    pub(crate) fn new(input: R, limit_bytes: usize) -> OcflReader<R> {
        OcflReader {
            tokens: Tokens::new(input, limit_bytes),
            depth: 0,
            block: Block::Other,
            algorithm: None,
            fixity: None,
            digest: None,
            has_manifest: false,
        }
    }

    /// Reads one token. Returns `Ok(false)` at the end.
    pub(crate) fn next(&mut self, found: &mut Found) -> Result<bool, ReadError> {
        let token = self.tokens.next()?;
        match token {
            Token::Object | Token::Array => {
                if self.depth == 0 && token == Token::Array {
                    return Err(self.not_this("it is not a JSON object"));
                }
                self.depth += 1;
                self.has_manifest |= (self.depth, self.block) == (2, Block::Manifest);
            }
            Token::ObjectEnd | Token::ArrayEnd => self.depth -= 1,
            Token::Key => self.key()?,
            Token::Value => self.value(found)?,
            Token::Null => {}
            Token::End if self.has_manifest => {
                found.trailer = Trailer::new(ListEnd::Complete);
                return Ok(false);
            }
            Token::End => return Err(self.not_this("it has no `manifest`")),
        }
        Ok(true)
    }

    fn key(&mut self) -> Result<(), ReadError> {
        let text = self.tokens.text();
        match (self.depth, self.block) {
            (1, _) => {
                self.block = match text {
                    Some(b"digestAlgorithm") => Block::DigestAlgorithm,
                    Some(b"manifest") => Block::Manifest,
                    Some(b"fixity") => Block::Fixity,
                    _ => Block::Other,
                };
            }
            (2, Block::Fixity) => self.fixity = text.and_then(named),
            (2, Block::Manifest) => {
                self.digest = None;
                let hex = text.unwrap_or_default();
                // The only two that a manifest may have are told apart by their lengths.
                let by_length = || named(if hex.len() == 64 { b"sha256" } else { b"sha512" });
                self.digest = self.algorithm.or_else(by_length).and_then(|algorithm| Digest::from_hex(algorithm, hex));
                return if self.digest.is_some() { Ok(()) } else { Err(self.error(Fault::digest(0))) };
            }
            (3, Block::Fixity) => {
                self.digest = None;
                let Some(algorithm) = self.fixity else { return Ok(()) };
                self.digest = text.and_then(|hex| Digest::from_hex(algorithm, hex));
                return if self.digest.is_some() { Ok(()) } else { Err(self.error(Fault::digest(0))) };
            }
            _ => {}
        }
        Ok(())
    }

    fn value(&mut self, found: &mut Found) -> Result<(), ReadError> {
        if self.depth == 0 {
            return Err(self.not_this("it is not a JSON object"));
        }
        match (self.depth, self.block, self.digest) {
            (1, Block::DigestAlgorithm, _) => {
                let Some(algorithm) = self.tokens.text().and_then(named) else {
                    let name = self.tokens.text().unwrap_or_default();
                    return Err(self.error(Fault::unknown_algorithm(0, name)));
                };
                self.algorithm = Some(algorithm);
            }
            (3, Block::Manifest, Some(digest)) | (4, Block::Fixity, Some(digest)) => {
                let problem = match self.tokens.text() {
                    None => FieldProblem::Missing,
                    Some(b"") => FieldProblem::Empty,
                    Some(path) if path.contains(&0) => FieldProblem::Nul,
                    Some(path) => {
                        found.push(Entry::new(path.to_vec(), vec![digest], self.tokens.line));
                        return Ok(());
                    }
                };
                return Err(self.error(Fault::field(0, "path", problem)));
            }
            _ => {}
        }
        Ok(())
    }

    fn not_this(&self, reason: &'static str) -> ReadError {
        self.error(Fault::not_this_format(FormatName::Fixity(FixityList::Ocfl), reason))
    }

    /// Returns the error for a fault of the latest token.
    fn error(&self, fault: Fault) -> ReadError {
        ReadError { kind: fault.kind, line: self.tokens.line, offset: self.tokens.offset }
    }
}

fn named(name: &[u8]) -> Option<Algorithm> {
    str::from_utf8(name).ok().and_then(|name| Algorithm::from_name(name).ok())
}
