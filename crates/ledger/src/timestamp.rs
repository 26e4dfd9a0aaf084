//! Requests for time stamps, and their answers (RFC 3161), in DER (X.690).
//!
//! [`request`] makes the request for a digest, and [`Answer::parse`] reads the answer: what it says, not whether it is
//! signed by somebody whom one trusts. The latter needs certificates, and is the work of `openssl ts -verify`.

use std::fmt;

/// SHA-256 as an `AlgorithmIdentifier`: its object identifier (2.16.840.1.101.3.4.2.1) and no parameters (RFC 5754,
/// section 2).
const SHA256: [u8; 13] = [0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];

/// The object identifier of SHA-256, with its tag and length.
const SHA256_OID: &[u8] = SHA256.split_at(2).1;

/// The object identifier of signed data (RFC 5652, section 5.1), 1.2.840.113549.1.7.2.
const SIGNED_DATA: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];

/// The object identifier of the information of a time stamp (RFC 3161, section 2.4.2), 1.2.840.113549.1.9.16.1.4.
const TST_INFO: [u8; 11] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04];

const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const CONTEXT_0: u8 = 0xa0;

/// Returns a `TimeStampReq` for a SHA-256 digest, which asks for the certificate of the signer, too.
pub fn request(digest: &[u8; 32], nonce: u64) -> Vec<u8> {
    // A leading zero keeps the number positive; DER wants no more of them.
    let nonce = [&[0][..], &nonce.to_be_bytes()].concat();
    let zeros = nonce.iter().take_while(|&&byte| byte == 0).count();
    let keeps_zero = nonce.get(zeros).is_none_or(|byte| byte & 0x80 != 0);
    let nonce = &nonce[(zeros - usize::from(keeps_zero)).min(nonce.len() - 1)..];
    let imprint = element(SEQUENCE, &[&SHA256[..], &element(OCTET_STRING, digest)].concat());
    let certificate = element(0x01, &[0xff]);
    element(SEQUENCE, &[&element(INTEGER, &[1])[..], &imprint, &element(INTEGER, nonce), &certificate].concat())
}

/// Returns the digest and the nonce of a request that [`request`] made.
///
/// # Errors
/// [`NotAnAnswer`] if it is none.
pub fn parse_request(request: &[u8]) -> Result<([u8; 32], Vec<u8>), NotAnAnswer> {
    let mut rest = Reader(Reader(request).expect(SEQUENCE, "a request")?);
    rest.expect(INTEGER, "the version of the request")?;
    let digest = imprint(&mut rest)?;
    let nonce = rest.expect(INTEGER, "the nonce of the request")?;
    Ok((digest, nonce.to_vec()))
}

/// Encodes an element of fewer than 128 bytes, as all of a request are.
fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    [&[tag, contents.len() as u8][..], contents].concat()
}

/// The contents of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The digest that was stamped.
    pub digest: [u8; 32],
    /// The time, as `20261120140822Z`, perhaps with a fraction.
    pub time: String,
    /// The nonce of the request, if it had one.
    pub nonce: Option<Vec<u8>>,
}

/// The reason why bytes are no time stamp of SHA-256.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnAnswer(String);

impl fmt::Display for NotAnAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAnAnswer {}

impl Answer {
    /// Reads a `TimeStampResp`.
    ///
    /// # Errors
    /// [`NotAnAnswer`] if it is none, the stamp was not granted, or it is of another digest than SHA-256.
    pub fn parse(answer: &[u8]) -> Result<Answer, NotAnAnswer> {
        let mut whole = Reader(answer);
        let mut response = Reader(whole.expect(SEQUENCE, "an answer")?);
        whole.end("the answer")?;
        let status = Reader(response.expect(SEQUENCE, "a status")?).expect(INTEGER, "a status")?;
        // 0 is granted, 1 is granted with modifications.
        if !matches!(status, [0 | 1]) {
            return Err(NotAnAnswer(format!("the time stamp was not granted: status {status:?}")));
        }
        let mut token = Reader(response.expect(SEQUENCE, "a time stamp")?);
        token.expect_oid(&SIGNED_DATA, "signed data")?;
        let mut signed = Reader(Reader(token.expect(CONTEXT_0, "signed data")?).expect(SEQUENCE, "signed data")?);
        signed.expect(INTEGER, "the version of signed data")?;
        signed.next("the algorithms of signed data")?;
        let mut contents = Reader(signed.expect(SEQUENCE, "the contents of signed data")?);
        contents.expect_oid(&TST_INFO, "the information of a time stamp")?;
        let octets = Reader(contents.expect(CONTEXT_0, "the contents")?).expect(OCTET_STRING, "the contents")?;
        let mut info = Reader(Reader(octets).expect(SEQUENCE, "the information")?);
        info.expect(INTEGER, "the version of the information")?;
        info.expect(OBJECT_IDENTIFIER, "the policy")?;
        let digest = imprint(&mut info)?;
        info.expect(INTEGER, "the serial number")?;
        let time = info.expect(GENERALIZED_TIME, "the time")?;
        let time = str::from_utf8(time).ok().filter(|text| is_time(text));
        let time = time.ok_or_else(|| NotAnAnswer("the time is not one".to_owned()))?.to_owned();
        let mut nonce = None;
        // Accuracy and ordering may come before the nonce.
        while !info.0.is_empty() {
            let (tag, contents) = info.next("the rest of the information")?;
            if tag == INTEGER {
                nonce = Some(contents.to_vec());
            }
        }
        Ok(Answer { digest, time, nonce })
    }
}

/// Whether a text is a time as RFC 3161 has it (section 2.4.2): `YYYYMMDDhhmmss[.s...]Z`.
fn is_time(text: &str) -> bool {
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(text) = text.strip_suffix('Z') else { return false };
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    seconds.len() == 14 && are_digits(seconds) && are_digits(fraction)
}

/// Reads a message imprint of SHA-256.
fn imprint(reader: &mut Reader<'_>) -> Result<[u8; 32], NotAnAnswer> {
    let mut imprint = Reader(reader.expect(SEQUENCE, "the imprint")?);
    let algorithm = imprint.expect(SEQUENCE, "the algorithm of the imprint")?;
    if !algorithm.starts_with(SHA256_OID) {
        return Err(NotAnAnswer("the imprint is of another algorithm than SHA-256".to_owned()));
    }
    let digest = imprint.expect(OCTET_STRING, "the digest of the imprint")?;
    digest.try_into().map_err(|_| NotAnAnswer("the digest of the imprint has not 32 bytes".to_owned()))
}

/// Reads elements, one after the other.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads the next element: its tag and its contents.
    fn next(&mut self, what: &str) -> Result<(u8, &'a [u8]), NotAnAnswer> {
        let short = || NotAnAnswer(format!("{what} is cut off"));
        let (&[tag, first], mut rest) = self.0.split_first_chunk::<2>().ok_or_else(short)?;
        let length = if first < 0x80 {
            usize::from(first)
        } else {
            // DER has definite lengths only, and no element of a time stamp has more than 4 GiB.
            let count = usize::from(first & 0x7f);
            if !(1..=4).contains(&count) {
                return Err(NotAnAnswer(format!("{what} has a length that is not DER")));
            }
            let (bytes, after) = rest.split_at_checked(count).ok_or_else(short)?;
            rest = after;
            bytes.iter().fold(0, |length, &byte| length << 8 | usize::from(byte))
        };
        let (contents, rest) = rest.split_at_checked(length).ok_or_else(short)?;
        self.0 = rest;
        Ok((tag, contents))
    }

    /// Reads the next element, which has this tag.
    fn expect(&mut self, tag: u8, what: &str) -> Result<&'a [u8], NotAnAnswer> {
        match self.next(what)? {
            (found, contents) if found == tag => Ok(contents),
            (found, _) => Err(NotAnAnswer(format!("{what} is expected, and there is an element with the tag {found}"))),
        }
    }

    fn expect_oid(&mut self, oid: &[u8], what: &str) -> Result<(), NotAnAnswer> {
        if self.expect(OBJECT_IDENTIFIER, what)? == oid {
            return Ok(());
        }
        Err(NotAnAnswer(format!("it is not {what}")))
    }

    fn end(&self, what: &str) -> Result<(), NotAnAnswer> {
        if self.0.is_empty() { Ok(()) } else { Err(NotAnAnswer(format!("something follows {what}"))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (The tests of the program let OpenSSL answer requests.)
    #[test]
    fn a_request_is_der_and_comes_back() {
        let digest: [u8; 32] = std::array::from_fn(|place| place as u8);
        for (nonce, bytes) in
            [(0, &[0][..]), (1, &[1]), (0x80, &[0, 0x80]), (u64::MAX, &[0, 255, 255, 255, 255, 255, 255, 255, 255])]
        {
            let request = request(&digest, nonce);
            assert_eq!(usize::from(request[1]) + 2, request.len());
            assert_eq!(parse_request(&request), Ok((digest, bytes.to_vec())));
            assert!(request.ends_with(&[1, 1, 0xff]));
        }
    }

    /// An answer without signature: what follows the information is not read.
    fn answer(digest: &[u8], nonce: &[u8]) -> Vec<u8> {
        let imprint = element(SEQUENCE, &[&SHA256[..], &element(OCTET_STRING, digest)].concat());
        let info = [
            &element(INTEGER, &[1])[..],
            &element(OBJECT_IDENTIFIER, &[0x2a, 3, 4]),
            &imprint,
            &element(INTEGER, &[9]),
            &element(GENERALIZED_TIME, b"20261120140822Z"),
            &element(SEQUENCE, &element(INTEGER, &[5])),
            &element(INTEGER, nonce),
        ];
        let octets = element(OCTET_STRING, &element(SEQUENCE, &info.concat()));
        let contents = [&element(OBJECT_IDENTIFIER, &TST_INFO)[..], &long(CONTEXT_0, &octets)].concat();
        let signed = [&element(INTEGER, &[3])[..], &element(0x31, &SHA256), &long(SEQUENCE, &contents)].concat();
        let token =
            [&element(OBJECT_IDENTIFIER, &SIGNED_DATA)[..], &long(CONTEXT_0, &long(SEQUENCE, &signed))].concat();
        let status = element(SEQUENCE, &element(INTEGER, &[0]));
        long(SEQUENCE, &[&status[..], &long(SEQUENCE, &token)].concat())
    }

    /// Encodes an element with a length in two bytes.
    fn long(tag: u8, contents: &[u8]) -> Vec<u8> {
        [&[tag, 0x82, (contents.len() >> 8) as u8, contents.len() as u8][..], contents].concat()
    }

    #[test]
    fn an_answer_tells_digest_time_and_nonce() {
        let expected = Answer { digest: [7; 32], time: "20261120140822Z".to_owned(), nonce: Some(vec![1, 2]) };
        assert_eq!(Answer::parse(&answer(&[7; 32], &[1, 2])), Ok(expected));
        assert!(Answer::parse(&answer(&[7; 31], &[1])).is_err());
        let refused = element(SEQUENCE, &element(SEQUENCE, &element(INTEGER, &[2])));
        assert_eq!(Answer::parse(&refused).unwrap_err().to_string(), "the time stamp was not granted: status [2]");
    }

    /// A time is shown on terminals, so it has no other characters.
    #[test]
    fn a_time_has_digits_only() {
        for time in ["20261120140822Z", "20261120140822.5Z", "20261120140822.123456Z"] {
            assert!(is_time(time), "{time}");
        }
        for text in
            ["20261120140822", "2026112014082Z", "20261120140822.Z", "20261120140822.\x1b[2JZ", "202611201408225Z"]
        {
            assert!(!is_time(text), "{text:?}");
        }
    }

    /// Whatever is cut off or changed, there is an error or another answer, and no panic.
    #[test]
    fn damaged_answers_are_refused() {
        let whole = answer(&[7; 32], &[1, 2]);
        for end in 0..whole.len() {
            assert!(Answer::parse(&whole[..end]).is_err(), "{end}");
        }
        assert!(Answer::parse(&[&whole[..], &[0]].concat()).is_err());
        for place in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[place] ^= 1 << bit;
                let _ = Answer::parse(&damaged);
            }
        }
    }
}
