//! Events in words, for people and for programs.

use super::super::message;
use super::super::quantity::Bytes;
use super::collection::{full_path, one_line, time};
use pfh_ledger::{Digests, Error, Event, Finding, Ledger};
use pfh_record::Timestamp;
use pfh_record::jsonl::{end_line, push_bytes_field, push_string};
use std::io::Write;

/// Returns what an event says beside its kind, its file and its time.
pub(super) fn describe(ledger: &Ledger, roots: &[Vec<u8>], event: &Event) -> Result<String, Error> {
    let other = || {
        let Some(other) = &event.other else { return String::new() };
        let name = message::quoted(&full_path(roots, other));
        // Both look the same.
        let composes_otherwise = event.subject.as_ref().is_some_and(|subject| {
            subject.root == other.root && pfh_fixity::composes_otherwise(&subject.path, &other.path)
        });
        if composes_otherwise { format!("{name}, which composes letters of its name otherwise") } else { name }
    };
    Ok(match event.finding {
        Finding::Changed | Finding::BitRot => {
            let (expected, found) = (expected(ledger, event)?, event.digests.clone().unwrap_or_default());
            let mut text = changed_digest(&expected, &found);
            let before = event.expected.map(|id| size(ledger, id)).transpose()?.flatten();
            if let (Some(before), Some(seen)) = (before, event.seen)
                && before != seen.size
            {
                text += &format!(", {} before, now {}", Bytes(before), Bytes(seen.size));
            }
            if event.finding == Finding::BitRot {
                text += ", size, modification time and inode as before";
            }
            text
        }
        Finding::Moved => format!("from {}", other()),
        Finding::MovedAway => format!("to {}", other()),
        Finding::Copied => format!("of {}", other()),
        Finding::Unreadable | Finding::Changing => match event.note.as_deref().and_then(Ledger::failure) {
            Some((0, error)) => one_line(&error),
            Some((offset, error)) => format!("from byte {offset} on: {}", one_line(&error)),
            None => String::new(),
        },
        Finding::Accepted | Finding::Forgotten => match event.note.as_deref().and_then(Ledger::decision) {
            Some((by, why)) => format!("by {}: {}", one_line(&by), one_line(&why)),
            None => String::new(),
        },
        Finding::First | Finding::New | Finding::Migrated => {
            event.digests.iter().flat_map(Digests::split).map(|digest| hex(&digest)).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    })
}

/// Returns the digests that an event says were expected.
pub(super) fn expected(ledger: &Ledger, event: &Event) -> Result<Digests, Error> {
    Ok(match event.expected {
        Some(id) => ledger.digests(id)?.unwrap_or_default(),
        None => Digests::default(),
    })
}

/// Returns the digests that were found: those of the event, or the expected ones where it says that they agree.
pub(super) fn found(ledger: &Ledger, event: &Event) -> Result<Digests, Error> {
    match (&event.digests, event.finding) {
        (Some(digests), _) => Ok(digests.clone()),
        (None, Finding::Matched | Finding::Back) => expected(ledger, event),
        (None, _) => Ok(Digests::default()),
    }
}

/// Returns the size that was found: that of the event, or the expected one where it says that the digests agree.
pub(super) fn found_bytes(ledger: &Ledger, event: &Event) -> Result<Option<u64>, Error> {
    match (event.seen, event.expected, event.finding) {
        (Some(seen), ..) => Ok(Some(seen.size)),
        (None, Some(id), Finding::Matched | Finding::Back) => size(ledger, id),
        _ => Ok(None),
    }
}

/// Returns the size that an event states.
fn size(ledger: &Ledger, id: i64) -> Result<Option<u64>, Error> {
    Ok(ledger.seen(id)?.map(|seen| seen.size))
}

/// Returns a digest with the name of its algorithm, as `sha256:2cf2…`.
pub(super) fn hex(digest: &pfh_digest::Digest) -> String {
    format!("{}:{digest}", digest.algorithm())
}

/// Returns the first digest that differs, before and after.
fn changed_digest(expected: &Digests, found: &Digests) -> String {
    let (expected, found) = (expected.split(), found.split());
    let pairs = found.iter().filter_map(|found| {
        let expected = expected.iter().find(|expected| expected.algorithm() == found.algorithm())?;
        (expected != found).then(|| format!("expected {}, found {found}", hex(expected)))
    });
    pairs.take(1).collect()
}

/// Returns a time in seconds since 1970-01-01T00:00:00Z, with all digits.
fn decimal(time: Timestamp) -> String {
    const NANOSECONDS: u128 = 1_000_000_000;
    // The nanoseconds count forward from the second, also before 1970.
    let all = i128::from(time.seconds) * NANOSECONDS.cast_signed() + i128::from(time.nanoseconds);
    let sign = if all < 0 { "-" } else { "" };
    let all = all.unsigned_abs();
    format!("{sign}{}.{:09}", all / NANOSECONDS, all % NANOSECONDS)
}

/// Appends an event as a line of JSON Lines.
pub(super) fn event_json(ledger: &Ledger, roots: &[Vec<u8>], event: &Event, out: &mut Vec<u8>) -> Result<(), Error> {
    let start = out.len();
    write!(
        out,
        "{{\"type\":\"event\",\"event\":{},\"run\":{},\"time\":\"{}\",\"finding\":\"{}\"",
        event.id,
        event.run,
        time(event.time),
        event.finding
    )?;
    if let Some(subject) = &event.subject {
        push_bytes_field("path", "path_base64", &full_path(roots, subject), out);
    }
    if let Some(bytes) = found_bytes(ledger, event)? {
        write!(out, ",\"bytes\":{bytes}")?;
    }
    if let Some(seen) = &event.seen {
        write!(out, ",\"mtime\":{},\"inode\":{}", decimal(seen.mtime), seen.inode)?;
    }
    let mut push_digests = |name: &str, digests: &Digests| {
        let digests = digests.split();
        if digests.is_empty() {
            return;
        }
        out.extend_from_slice(format!(",\"{name}\":{{").as_bytes());
        for (place, digest) in digests.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            out.extend_from_slice(format!("{comma}\"{}\":\"{digest}\"", digest.algorithm()).as_bytes());
        }
        out.push(b'}');
    };
    push_digests("expected", &expected(ledger, event)?);
    push_digests("digests", &found(ledger, event)?);
    if let Some(other) = &event.other {
        push_bytes_field("other", "other_base64", &full_path(roots, other), out);
    }
    let mut push_text = |name: &str, text: &str| {
        out.extend_from_slice(format!(",\"{name}\":").as_bytes());
        push_string(text, out);
    };
    if let Some((by, why)) = event.note.as_deref().and_then(Ledger::decision) {
        push_text("by", &by);
        push_text("why", &why);
    } else if let Some((offset, error)) = event.note.as_deref().and_then(Ledger::failure) {
        push_text("error", &error);
        write!(out, ",\"offset\":{offset}")?;
    }
    end_line(start, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_are_negative() {
        let text = |seconds, nanoseconds| decimal(Timestamp { seconds, nanoseconds });
        assert_eq!(text(1, 5), "1.000000005");
        assert_eq!(text(0, 0), "0.000000000");
        assert_eq!(text(-1, 500_000_000), "-0.500000000");
        assert_eq!(text(-2, 0), "-2.000000000");
        assert_eq!(text(-2, 1), "-1.999999999");
        assert_eq!(text(i64::MIN, 0), "-9223372036854775808.000000000");
    }
}
