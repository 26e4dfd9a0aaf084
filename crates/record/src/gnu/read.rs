//! Reading of the untagged, the tag and the OpenSSL form, line by line as `md5sum --check` reads them.

use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};
use pfh_digest::{Algorithm, Digest};

use super::coreutils;
use crate::parse::{Fault, FieldProblem, Found, Line, LineParser, parse_leading_digest};
use crate::text::{hex_run, is_of_nothing, parse_base64};
use crate::{Entry, ReadOptions};

/// Longest name of an algorithm in any program, in bytes.
const TAG_BYTES_MAX: usize = 32;

/// The parser, with its state from earlier lines.
pub(crate) struct GnuParser {
    options: ReadOptions,
    /// The separator between digest and name in untagged lines, which the first of them decides.
    separator: Option<Separator>,
}

#[derive(Clone, Copy, PartialEq)]
enum Separator {
    /// A space, then a space or `*` as the mark for text or binary.
    Marked,
    /// A single space; the next character belongs to the name (`md5 -r` of the BSD systems).
    Single,
}

impl GnuParser {
    pub(crate) fn new(options: ReadOptions) -> GnuParser {
        GnuParser { options, separator: None }
    }

    /// Parses `ALGORITHM (NAME) = HEX` and its variants. Returns `None` if the line does not have this form.
    fn tagged(&self, text: &[u8]) -> Option<Result<Parts, Fault>> {
        let found = tagged(text);
        let Some(program) = self.options.coreutils else { return found };
        match found {
            Some(Ok(parts)) if !coreutils::knows(parts.digest.algorithm()) => Some(Ok(parts)),
            // An improper line with a tag does not begin with a digest, so it is no untagged one either.
            _ => coreutils::tagged(program, text).map(|(digest, name)| Ok(Parts { digest, guessed: false, name })),
        }
    }

    /// Parses `HEX  NAME` and its variants.
    fn untagged(&mut self, text: &[u8]) -> Result<Parts, Fault> {
        let hex = hex_run(text);
        let mut options = self.options;
        // The number of digits tells `b2sum` the length of the digest.
        let of_length = |algorithm: Algorithm| algorithm.with_digest_bytes(hex / 2).unwrap_or(algorithm);
        if options.coreutils.is_some() {
            options.algorithm = options.algorithm.map(of_length);
        }
        // Base64 is tried only if the algorithm is known, because any word could be base64.
        let base64 = options.algorithm.filter(|_| options.coreutils.is_none()).and_then(|algorithm| {
            let word = memchr2(b' ', b'\t', text).unwrap_or(text.len());
            Some((parse_base64(algorithm, &text[..word]).filter(|_| hex < word)?, word))
        });
        let ((digest, guessed), hex) = match base64 {
            Some((digest, word)) => ((digest, false), word),
            None => (parse_leading_digest(options, &text[..hex], 0)?, hex),
        };
        let [b' ' | b'\t', rest @ ..] = &text[hex..] else {
            return Err(Fault::shape(hex, "a space and a name after the digest"));
        };
        // A line without a name decides nothing for those below it.
        if rest.is_empty() {
            return Err(Fault::field(hex + 1, "name", FieldProblem::Missing));
        }
        // A single character is a name even if it looks like a mark.
        let marked = rest.len() > 1 && matches!(rest[0], b' ' | b'*');
        let separator = *self.separator.get_or_insert(if marked { Separator::Marked } else { Separator::Single });
        let name = match (separator, marked) {
            (Separator::Marked, true) => hex + 2..text.len(),
            (Separator::Single, _) => hex + 1..text.len(),
            (Separator::Marked, false) => {
                return Err(Fault::shape(hex + 1, "a second space or `*` before the name, as on the lines above"));
            }
        };
        Ok(Parts { digest, guessed, name })
    }
}

/// Returns the text after the spaces and tabs at its beginning.
pub(super) fn after_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[blanks..]
}

/// The parts of a line.
struct Parts {
    digest: Digest,
    guessed: bool,
    /// The range of the name.
    name: Range<usize>,
}

/// Parses `ALGORITHM (NAME) = HEX` and its variants (OpenSSL has no space before the parenthesis or the equals sign,
/// RHash several). Returns `None` if the line does not have this form.
fn tagged(text: &[u8]) -> Option<Result<Parts, Fault>> {
    let open = memchr(b'(', text)?;
    let close = memrchr(b')', text).filter(|&close| close > open)?;
    let hex = text[close + 1..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let tag = text[..open].trim_ascii_end();
    let algorithm = str::from_utf8(tag).ok().and_then(|tag| Algorithm::from_name(tag).ok());
    Some(match algorithm {
        // The first word is hexadecimal, so this is an untagged line with a name that looks like the tag form.
        None if hex_run(tag) == tag.len() => return None,
        // No tag contains spaces or is that long, so this is an untagged line too.
        None if tag.len() > TAG_BYTES_MAX || tag.contains(&b' ') => return None,
        None => Err(Fault::unknown_algorithm(0, tag)),
        Some(algorithm) => match tagged_digest(algorithm, tag, hex) {
            Some(digest) => Ok(Parts { digest, guessed: false, name: open + 1..close }),
            None => Err(Fault::digest(text.len() - hex.len())),
        },
    })
}

/// Parses the digest after a tag. If the tag of an extendable-output function states no length, the digits determine
/// it: `openssl dgst` and `b3sum --tag` write only the name.
fn tagged_digest(algorithm: Algorithm, tag: &[u8], text: &[u8]) -> Option<Digest> {
    let other_length = || {
        // `SHAKE-128` is OpenSSL's spelling.
        let letters = tag.iter().filter(|&&byte| byte != b'-').map(u8::to_ascii_lowercase);
        let is_bare = algorithm.is_extendable() && letters.eq(algorithm.name().bytes());
        algorithm.with_digest_bytes(text.len() / 2).filter(|_| is_bare)
    };
    Digest::from_hex(algorithm, text)
        .or_else(|| Digest::from_hex(other_length()?, text))
        .or_else(|| parse_base64(algorithm, text))
}

/// Decodes the escapes of coreutils: `\\`, `
/// `, `\r`.
fn unescape(name: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut path = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(backslash) = memchr(b'\\', rest) {
        path.extend_from_slice(&rest[..backslash]);
        path.push(match rest.get(backslash + 1) {
            Some(b'\\') => b'\\',
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            _ => {
                let at = name.len() - rest.len() + backslash;
                return Err(Fault::field(at, "name", FieldProblem::Escape));
            }
        });
        rest = &rest[backslash + 2..];
    }
    path.extend_from_slice(rest);
    Ok(path)
}

impl LineParser for GnuParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let raw = if self.options.null_terminated { line.bytes } else { line.text() };
        // cfv begins its lists with comments after semicolons, which coreutils count as lines in a wrong form.
        let is_comment = |first: u8| first == b'#' || (first == b';' && self.options.coreutils.is_none());
        if raw.first().copied().is_none_or(is_comment) {
            return Ok(());
        }
        let text = after_blanks(raw);
        let (escaped, text) = match text.strip_prefix(b"\\") {
            Some(text) if !self.options.null_terminated => (true, text),
            _ => (false, text),
        };
        let at = raw.len() - text.len();
        let parts = self.tagged(text).unwrap_or_else(|| self.untagged(text));
        let Parts { digest, guessed, name } = parts.map_err(|fault| fault.after(at))?;
        let (name_at, name) = (at + name.start, &text[name]);
        // To coreutils, an empty name in parentheses is that of a file, which cannot be opened.
        if name.is_empty() && self.options.coreutils.is_none() {
            return Err(Fault::field(name_at, "name", FieldProblem::Missing));
        }
        if let Some(nul) = memchr(0, name) {
            return Err(Fault::field(name_at + nul, "name", FieldProblem::Nul));
        }
        let path = if escaped { unescape(name).map_err(|fault| fault.after(name_at))? } else { name.to_vec() };
        let mut entry = Entry { algorithm_guessed: guessed, ..Entry::new(path, vec![digest], line.number) };
        if self.options.piecewise {
            entry.split_piece(is_of_nothing(&digest));
        }
        found.push(entry);
        Ok(())
    }
}
