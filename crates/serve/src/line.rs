//! Lines of the protocol of nsrlsvr.

/// Fewest and most bytes of a digest.
const DIGEST_BYTES: std::ops::RangeInclusive<usize> = 8..=64;

/// A request of the line protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// `Version: 2.0`, the version that nsrlsvr and its clients speak.
    Version,
    /// `query`: digests in hexadecimal, each of 8 to 64 bytes.
    Query(Vec<&'a [u8]>),
    /// `status`.
    Status,
    /// `upshift` or `downshift`.
    Shift,
    /// `bye`, or an empty line.
    Bye,
    /// A query in which something is not a digest.
    Malformed,
    /// A query of more digests than are allowed.
    TooMany,
    /// Anything else.
    Unknown,
}

impl<'a> Line<'a> {
    /// Reads a line without its end; white space around and between its words, and the case of the verb, do not
    /// matter. A query may have `digests_max` digests.
    pub fn parse(line: &'a [u8], digests_max: usize) -> Line<'a> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(verb) = words.next() else { return Line::Bye };
        let alone = |line| if words.clone().next().is_none() { line } else { Line::Unknown };
        match &verb.to_ascii_lowercase()[..] {
            b"bye" => alone(Line::Bye),
            b"status" => alone(Line::Status),
            b"upshift" | b"downshift" => alone(Line::Shift),
            b"version:" if words.by_ref().eq([b"2.0"]) => Line::Version,
            b"query" => {
                let mut digests = Vec::new();
                for word in words {
                    let is_digest = word.len().is_multiple_of(2)
                        && DIGEST_BYTES.contains(&(word.len() / 2))
                        && word.iter().all(u8::is_ascii_hexdigit);
                    if !is_digest {
                        return Line::Malformed;
                    }
                    if digests.len() == digests_max {
                        return Line::TooMany;
                    }
                    digests.push(word);
                }
                if digests.is_empty() { Line::Malformed } else { Line::Query(digests) }
            }
            _ => Line::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_nsrlsvr_reads_them() {
        let md5 = b"5d41402abc4b2a76b9719d911017c592";
        let both = [&b"QUERY\t"[..], md5, b"  ", md5, b"\r"].concat();
        for (line, expected) in [
            (&b"Version: 2.0\r"[..], Line::Version),
            (b"VERSION: 2.0", Line::Version),
            (b"version: 1.0", Line::Unknown),
            (b"version: 2.0 2.0", Line::Unknown),
            (b"version:", Line::Unknown),
            (&both, Line::Query(vec![md5, md5])),
            (b"query", Line::Malformed),
            (b"query 5d41402abc4b2a76b9719d911017c59", Line::Malformed),
            (b"query 5d41402abc4b2a76b9719d911017c59x", Line::Malformed),
            (b"query 5d41402abc4b2a", Line::Malformed),
            (b"Status", Line::Status),
            (b"status now", Line::Unknown),
            (b"upshift", Line::Shift),
            (b" downShift ", Line::Shift),
            (b"bye\r", Line::Bye),
            (b"", Line::Bye),
            (b" \r", Line::Bye),
            (b"GET / HTTP/1.1", Line::Unknown),
            (b"\xff\x00", Line::Unknown),
        ] {
            assert_eq!(Line::parse(line, 2), expected, "{}", line.escape_ascii());
        }
        assert_eq!(Line::parse(&both, 1), Line::TooMany);
        // The longest digests, and one that is too long.
        let longest = [b'a'; 128];
        assert_eq!(Line::parse(&[b"query ", &longest[..]].concat(), 1), Line::Query(vec![&longest]));
        assert_eq!(Line::parse(&[b"query aa", &longest[..]].concat(), 1), Line::Malformed);
    }
}
