//! Answers about digests, as JSON.

use pfh_digest::{Algorithm, Digest};
use pfh_known::{Class, Classifier};
use serde_json::{Map, Value, json};
use std::io;

/// The names of algorithms in the interface of hashlookup, with ours.
const HASHLOOKUP_NAMES: [(&str, &str); 4] =
    [("md5", "MD5"), ("sha1", "SHA-1"), ("sha256", "SHA-256"), ("sha512", "SHA-512")];

/// Returns the name of an algorithm in the interface of hashlookup.
pub(crate) fn hashlookup_name(algorithm: Algorithm) -> Option<&'static str> {
    HASHLOOKUP_NAMES.iter().find(|(ours, _)| *ours == algorithm.name()).map(|(_, name)| *name)
}

/// Whether a set has digests by an algorithm, so that one of them can be known.
pub(crate) fn has_digests(classifier: &Classifier, algorithm: Algorithm) -> bool {
    classifier.sets().iter().any(|one| one.set.len(algorithm) > 0)
}

fn text(bytes: &[u8]) -> Value {
    String::from_utf8_lossy(bytes).into()
}

/// Returns the object of hashlookup about a digest; `None` if it is not known.
pub(crate) fn hashlookup(classifier: &Classifier, digest: &Digest) -> io::Result<Option<Value>> {
    let found = classifier.classify(&[*digest])?;
    let Some(known) = found.first() else { return Ok(None) };
    let facts = classifier.facts(known)?;
    let set = &classifier.sets()[known.set].set;
    let mut object = Map::new();
    for digest in set.digests(known.entry)?.iter().chain([digest]) {
        if let Some(name) = hashlookup_name(digest.algorithm()) {
            object.insert(name.to_owned(), digest.to_string().to_uppercase().into());
        }
    }
    if !facts.name.is_empty() {
        object.insert("FileName".to_owned(), text(&facts.name));
    }
    if let Some(size) = facts.size {
        object.insert("FileSize".to_owned(), size.to_string().into());
    }
    if !facts.product.is_empty() {
        // The text sets of NSRL tell the number of the product, its databases the name.
        let is_code = facts.product.iter().all(u8::is_ascii_digit);
        let key = if is_code { "ProductCode" } else { "ProductName" };
        object.insert("ProductCode".to_owned(), json!({ key: text(&facts.product) }));
    }
    object.insert("db".to_owned(), text(facts.set));
    let source = facts.origin.map(|origin| &*origin.name).filter(|name| !name.is_empty());
    if let Some(source) = source {
        object.insert("source".to_owned(), source.into());
    }
    if known.class == Class::Bad {
        let malicious = source.map_or_else(|| text(facts.set), Value::from);
        object.insert("KnownMalicious".to_owned(), malicious);
    }
    Ok(Some(object.into()))
}

/// Returns the answer to a digest in hexadecimal in a batch, and whether it is known.
pub(crate) fn batch(classifier: &Classifier, digits: Option<&str>) -> io::Result<(Value, bool)> {
    let Some(digits) = digits else {
        return Ok((json!({ "digest": null, "error": "not a text" }), false));
    };
    // The longest digest has 64 bytes.
    if digits.len() > 128 {
        return Ok((json!({ "digest": null, "error": "longer than any digest" }), false));
    }
    let digests = classifier.digests_in_hex(digits.as_bytes());
    let Some(first) = digests.first() else {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let error = if is_hex { "no set has digests of this length" } else { "not hexadecimal" };
        return Ok((json!({ "digest": digits, "error": error }), false));
    };
    let found = classifier.first_known(&digests)?;
    let found = found.as_ref().and_then(|(digest, all)| Some((digest, all, all.first()?)));
    let Some((digest, all, known)) = found else {
        return Ok((json!({ "digest": digits, "algorithm": first.algorithm().name(), "class": "unknown" }), false));
    };
    let facts = classifier.facts(known)?;
    let (source, release) = facts.origin.map_or(("", ""), |origin| (&*origin.name, &*origin.release));
    let answer = json!({
        "digest": digits,
        "algorithm": digest.algorithm().name(),
        "class": known.class.name(),
        "set": text(facts.set),
        "source": source,
        "release": release,
        "product": text(&facts.product),
        "category": text(&facts.category),
        "name": text(&facts.name),
        "size": facts.size,
        "entries": all.len(),
    });
    Ok((answer, true))
}

/// Says for each word in hexadecimal whether it is a digest that is known, as a file of one of these classes.
pub(crate) fn are_known(classifier: &Classifier, classes: &[Class], words: &[Vec<u8>]) -> io::Result<Vec<bool>> {
    let (mut digests, mut owners) = (Vec::new(), Vec::new());
    for (word, digits) in words.iter().enumerate() {
        for digest in classifier.digests_in_hex(digits) {
            digests.push(digest);
            owners.push(word);
        }
    }
    let mut known = vec![false; words.len()];
    if Class::ALL.iter().all(|class| classes.contains(class)) {
        for one in classifier.sets() {
            let mut owners = owners.iter();
            one.set.find_many(&digests, |_, found| {
                if let Some(owner) = owners.next() {
                    known[*owner] |= found.is_some();
                }
            })?;
        }
    } else {
        for (digest, owner) in digests.iter().zip(owners) {
            // The first one decides.
            let found = classifier.classify(&[*digest])?;
            known[owner] |= found.first().is_some_and(|first| classes.contains(&first.class));
        }
    }
    Ok(known)
}
