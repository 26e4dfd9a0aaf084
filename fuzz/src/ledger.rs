//! Properties of time stamps of ledgers.

use pfh_ledger::timestamp::{Answer, parse_request, request};

/// An answer that can be read cannot be cut off or longer, and a request for its digest can be read, too.
pub fn timestamp(input: &[u8]) {
    if let Ok(answer) = Answer::parse(input) {
        assert!(Answer::parse(&input[..input.len() - 1]).is_err());
        assert!(Answer::parse(&[input, &[0]].concat()).is_err());
        assert!(answer.time.is_ascii() && answer.time.ends_with('Z'));
        let made = request(&answer.digest, u64::from(input[input.len() - 1]));
        assert!(parse_request(&made).is_ok_and(|(digest, _)| digest == answer.digest));
    }
    if let Ok((digest, nonce)) = parse_request(input)
        && let Ok(bytes) = <[u8; 8]>::try_from(&nonce[..])
        && bytes[0] & 0x80 == 0
    {
        assert_eq!(parse_request(&request(&digest, u64::from_be_bytes(bytes))).map(|(again, _)| again), Ok(digest));
    }
}
