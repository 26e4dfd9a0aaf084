//! The key and the context of keyed digests.

use super::common_args::KeyArguments;
use super::exit::Failed;
use super::message;
use super::signals::Signals;
use pfh_digest::{Algorithm, Key, KeyError, Keys, Useless, decode_hexadecimal};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;

/// Longest key, in bytes; a longer file is taken for a mistake.
const KEY_BYTES_MAX: usize = 64 << 10;

/// Reads the key and the context that the options name, and checks that each algorithm gets what it needs.
/// `others_read_input`: standard input is already used for something else.
pub(super) fn load(
    arguments: &KeyArguments,
    algorithms: &[Algorithm],
    others_read_input: bool,
) -> Result<Keys, Failed> {
    let key = match &arguments.key_file {
        Some(path) if path == "-" && others_read_input => {
            return Err(Failed::usage(
                "--key-file -: standard input is also read for something else; put the key into a file",
            ));
        }
        Some(path) => Some(read(path, arguments.key_hex)?),
        None => None,
    };
    let keys = Keys { key, context: arguments.derive_key.clone() };
    for algorithm in algorithms {
        algorithm.hasher_with(&keys).map_err(|error| refused(error, arguments.key_hex))?;
    }
    match keys.useless(algorithms) {
        None => Ok(keys),
        Some(Useless::Key) => Err(Failed::usage(
            "--key-file: no algorithm takes a key; ask for one that does, such as `-a hmac-sha256` or `-a keyed-blake3`",
        )),
        Some(Useless::Context) => {
            Err(Failed::usage("--derive-key: no algorithm takes a context; ask for `-a blake3-derive-key`"))
        }
    }
}

fn refused(error: KeyError, key_hex: bool) -> Failed {
    let hint = match error {
        KeyError::NoKey { .. } => "; name its file with --key-file",
        KeyError::NoContext { .. } => "; give it with --derive-key",
        KeyError::KeyLength { .. } if !key_hex => {
            " (all bytes of the file are the key, a line break at its end too; --key-hex reads hexadecimal digits)"
        }
        _ => "",
    };
    Failed::usage(format_args!("{error}{hint}"))
}

fn read(path: &OsStr, key_hex: bool) -> Result<Key, Failed> {
    let name = if path == "-" { "standard input".to_owned() } else { message::quoted(path.as_bytes()).to_string() };
    let refused = |reason: &str| Failed::usage(format_args!("--key-file: {name}: {reason}"));
    // Somebody may have to type the key, or nobody may ever write it to a FIFO.
    let _guard = Signals::listen().guard_if_none();
    let input: io::Result<Box<dyn Read>> = if path == "-" {
        message::standard_input().map(|input| Box::new(input) as _)
    } else {
        File::open(path).map(|file| Box::new(file) as _)
    };
    // There are two digits per byte, and white space.
    let bytes_max = if key_hex { 4 * KEY_BYTES_MAX } else { KEY_BYTES_MAX };
    let mut bytes = Vec::new();
    let read = input.and_then(|input| input.take(bytes_max as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| refused(&error.to_string()))?;
    if bytes.len() > bytes_max {
        return Err(refused(&format!("a key has at most {KEY_BYTES_MAX} bytes")));
    }
    if key_hex {
        bytes.retain(|byte| !byte.is_ascii_whitespace());
        bytes = from_hexadecimal(&bytes)
            .ok_or_else(|| refused("a key in hexadecimal needs two digits for each byte, and nothing else"))?;
    }
    if bytes.is_empty() {
        return Err(refused("the file is empty"));
    }
    Ok(Key::new(bytes))
}

fn from_hexadecimal(digits: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = vec![0; digits.len() / 2];
    decode_hexadecimal(digits, &mut bytes)?;
    Some(bytes)
}
