//! The events of a run as PREMIS 3 (Library of Congress, namespace `http://www.loc.gov/premis/v3`).
//!
//! Paths become `file:` URIs (RFC 8089), in which every byte has its place; the identifier of an event is a UUID made
//! of its hash in the ledger (RFC 9562, version 8), so it is the same in every report.

use super::collection::{full_path, time};
use super::describe::{expected, found, found_bytes};
use super::reported::Reported;
use pfh_digest::Digest;
use pfh_ledger::{Error, Event, Finding, Ledger};
use std::fmt::Write as _;
use std::io::Write;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<premis xmlns=\"http://www.loc.gov/premis/v3\" \
    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" version=\"3.0\">\n";

/// Writes the objects, the events and the agent: in the order that the schema wants.
pub(super) fn write(reported: &Reported<'_>, output: &mut dyn Write) -> Result<(), Error> {
    output.write_all(HEAD.as_bytes())?;
    // The schema wants an object, also of a run that read nothing: the collection.
    for root in &reported.roots {
        let root = uri(root);
        write!(
            output,
            "  <object xsi:type=\"intellectualEntity\">\n    <objectIdentifier>\n      \
             <objectIdentifierType>URI</objectIdentifierType>\n      \
             <objectIdentifierValue>{root}</objectIdentifierValue>\n    </objectIdentifier>\n  </object>\n"
        )?;
    }
    reported.each(&mut |event| {
        if let Some(object) = object(reported, event)? {
            output.write_all(object.as_bytes())?;
        }
        Ok(())
    })?;
    let (from, to) = reported.info.events;
    let agent = &reported.info.options.program;
    reported.ledger.each_event(from, to.unwrap_or(i64::MAX), &mut |event, hash| {
        if event.subject.is_some() && !matches!(event.finding, Finding::Accepted | Finding::Forgotten) {
            output.write_all(self::event(reported, &event, &hash, agent)?.as_bytes())?;
        }
        Ok(())
    })?;
    let agent = escaped(agent);
    write!(
        output,
        "  <agent>\n    <agentIdentifier>\n      <agentIdentifierType>local</agentIdentifierType>\n      \
         <agentIdentifierValue>{agent}</agentIdentifierValue>\n    </agentIdentifier>\n    \
         <agentName>{agent}</agentName>\n    <agentType>software</agentType>\n  </agent>\n</premis>\n"
    )?;
    Ok(())
}

/// Returns the object of an event that tells the digests of a file.
fn object(reported: &Reported<'_>, event: &Event) -> Result<Option<String>, Error> {
    let Some(subject) = &event.subject else { return Ok(None) };
    let digests = found(reported.ledger, event)?.split();
    let mut text = String::new();
    let uri = uri(&full_path(&reported.roots, subject));
    let _ = write!(
        text,
        "  <object xsi:type=\"file\">\n    <objectIdentifier>\n      <objectIdentifierType>URI</objectIdentifierType>\n      \
         <objectIdentifierValue>{uri}</objectIdentifierValue>\n    </objectIdentifier>\n    <objectCharacteristics>\n"
    );
    for digest in &digests {
        let _ = write!(
            text,
            "      <fixity>\n        <messageDigestAlgorithm>{}</messageDigestAlgorithm>\n        \
             <messageDigest>{digest}</messageDigest>\n      </fixity>\n",
            algorithm(digest)
        );
    }
    if let Some(bytes) = found_bytes(reported.ledger, event)? {
        let _ = writeln!(text, "      <size>{bytes}</size>");
    }
    // The schema wants a format, which an audit of fixity does not know.
    text += "      <format>\n        <formatDesignation>\n          <formatName>unknown</formatName>\n        \
             </formatDesignation>\n      </format>\n    </objectCharacteristics>\n  </object>\n";
    Ok(Some(text))
}

/// Returns an event.
fn event(reported: &Reported<'_>, event: &Event, hash: &[u8; 32], agent: &str) -> Result<String, Error> {
    let (kind, outcome) = match event.finding {
        Finding::First | Finding::New | Finding::Moved | Finding::Copied => ("message digest calculation", "success"),
        Finding::Matched | Finding::Back | Finding::Migrated => ("fixity check", "success"),
        Finding::MovedAway => ("fixity check", "warning"),
        _ => ("fixity check", "fail"),
    };
    let list = |digests: &[Digest]| {
        digests.iter().map(|digest| format!("{} {digest}", algorithm(digest))).collect::<Vec<_>>().join(", ")
    };
    let mut note = format!("finding={}", event.finding);
    for (name, digests) in
        [("expected", expected(reported.ledger, event)?.split()), ("computed", found(reported.ledger, event)?.split())]
    {
        if !digests.is_empty() {
            let _ = write!(note, "; {name}={}", list(&digests));
        }
    }
    if let Some(other) = &event.other {
        let _ = write!(note, "; other={}", uri(&full_path(&reported.roots, other)));
    }
    if let Some((offset, error)) = event.note.as_deref().and_then(Ledger::failure) {
        let _ = write!(note, "; offset={offset}; error={error}");
    }
    let detail = format!(
        "run={}; mode={}; algorithms={}",
        event.run,
        reported.info.options.mode,
        reported.info.options.algorithms.join(" ")
    );
    let path = event.subject.as_ref().map_or(Vec::new(), |subject| full_path(&reported.roots, subject));
    Ok(format!(
        "  <event>\n    <eventIdentifier>\n      <eventIdentifierType>UUID</eventIdentifierType>\n      \
         <eventIdentifierValue>{}</eventIdentifierValue>\n    </eventIdentifier>\n    <eventType>{kind}</eventType>\n    \
         <eventDateTime>{}</eventDateTime>\n    <eventDetailInformation>\n      <eventDetail>{}</eventDetail>\n    \
         </eventDetailInformation>\n    <eventOutcomeInformation>\n      <eventOutcome>{outcome}</eventOutcome>\n      \
         <eventOutcomeDetail>\n        <eventOutcomeDetailNote>{}</eventOutcomeDetailNote>\n      \
         </eventOutcomeDetail>\n    </eventOutcomeInformation>\n    <linkingAgentIdentifier>\n      \
         <linkingAgentIdentifierType>local</linkingAgentIdentifierType>\n      \
         <linkingAgentIdentifierValue>{}</linkingAgentIdentifierValue>\n    </linkingAgentIdentifier>\n    \
         <linkingObjectIdentifier>\n      <linkingObjectIdentifierType>URI</linkingObjectIdentifierType>\n      \
         <linkingObjectIdentifierValue>{}</linkingObjectIdentifierValue>\n    </linkingObjectIdentifier>\n  </event>\n",
        uuid(hash),
        time(event.time),
        escaped(&detail),
        escaped(&note),
        escaped(agent),
        uri(&path)
    ))
}

/// Returns a UUID of version 8 made of the first bytes of a hash.
fn uuid(hash: &[u8; 32]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    bytes[6] = 0x80 | bytes[6] & 0x0f;
    bytes[8] = 0x80 | bytes[8] & 0x3f;
    let text = pfh_digest::hexadecimal(&bytes);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// Returns the URI of an absolute path.
fn uri(path: &[u8]) -> String {
    let mut text = "file://".to_owned();
    for &byte in path {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

/// Returns the name of an algorithm in the vocabulary of the Library of Congress, or its own.
fn algorithm(digest: &Digest) -> String {
    let name = digest.algorithm().to_string();
    match name.as_str() {
        "md5" => "MD5".to_owned(),
        "sha1" => "SHA-1".to_owned(),
        "sha224" => "SHA-224".to_owned(),
        "sha256" => "SHA-256".to_owned(),
        "sha384" => "SHA-384".to_owned(),
        "sha512" => "SHA-512".to_owned(),
        "crc32" => "CRC32".to_owned(),
        "adler32" => "Adler-32".to_owned(),
        "tiger" => "TIGER".to_owned(),
        "whirlpool" => "WHIRLPOOL".to_owned(),
        _ => name,
    }
}

/// Returns a text for XML 1.0. Characters that it cannot hold are escaped as in messages.
fn escaped(text: &str) -> String {
    let printable = pfh_record::quote::escaped_lines(text);
    printable.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_path_and_of_a_hash_has_its_place() {
        assert_eq!(uri(b"/a b/\xff%~\n"), "file:///a%20b/%FF%25~%0A");
        assert_eq!(uuid(&[0xff; 32]), "ffffffff-ffff-8fff-bfff-ffffffffffff");
        assert_eq!(escaped("a<b>&\u{1}"), "a&lt;b&gt;&amp;\\u{1}");
    }
}
