//! One file, a stream, and bytes in memory.

use std::io::Read;
use std::path::Path;

/// Whether a file has this SHA-256. An unreadable file is an error.
pub fn is_sha256(path: &Path, hexadecimal: &str) -> Result<bool, pfh::Error> {
    let record = pfh::hash_file(path, ["sha256"])?;
    Ok(record.digests[0].to_string() == hexadecimal)
}

/// The MD5 of all that a stream has, and its length in bytes.
pub fn md5_and_bytes(stream: impl Read) -> Result<(String, u64), pfh::Error> {
    let record = pfh::hash_reader(stream, ["md5"])?;
    Ok((record.digests[0].to_string(), record.bytes_read))
}

/// The ssdeep digest of a text, if it is long enough to have one.
pub fn ssdeep(text: &str) -> Result<Option<String>, pfh::Error> {
    let record = pfh::hash_bytes(text, ["ssdeep"])?;
    Ok(record.similarities[0].digest.as_ref().ok().map(ToString::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh::Error;
    use pfh::record::ErrorKind;
    use std::fs;

    #[test]
    fn one_file_is_hashed() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("hello.txt");
        fs::write(&path, "hello").unwrap();
        let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        assert!(is_sha256(&path, digest).unwrap());
        fs::write(&path, "other").unwrap();
        assert!(!is_sha256(&path, digest).unwrap());
        let error = is_sha256(&scratch.path().join("missing"), digest).unwrap_err();
        let Error::NotComplete(record) = &error else { panic!("{error}") };
        let pfh::Outcome::Unreadable { error: cause, .. } = &record.outcome else { panic!("{error}") };
        assert_eq!(cause.kind, ErrorKind::NotFound);
        // The text has that of the system's error, so no report of causes has it twice.
        assert!(error.to_string().ends_with("No such file or directory (os error 2)"), "{error}");
        assert!(std::error::Error::source(&error).is_none());
    }

    #[test]
    fn a_stream_is_hashed() {
        let (digest, bytes) = md5_and_bytes("hel".as_bytes().chain("lo".as_bytes())).unwrap();
        assert_eq!((digest.as_str(), bytes), ("5d41402abc4b2a76b9719d911017c592", 5));
    }

    #[test]
    fn a_text_is_hashed() {
        assert_eq!(ssdeep("Hello, world!\n").unwrap().as_deref(), Some("3:a6/G:asG"));
        assert!(matches!(pfh::hash_bytes("", ["sha-0"]), Err(Error::UnknownDigest(_))));
    }
}
