//! The JSON of Project VIC (VICS 1.3 and 2.0), of the lists of NIST that follow its form 1.2, and of cases.
//!
//! Lists have tens of millions of items in one document, so it is read token by token.

mod read;

pub(crate) use read::VicsReader;

/// The first keys of such documents, by version.
pub(crate) const FIRST_KEYS: [&[u8]; 2] = [b"\"odata.metadata\"", b"\"@odata.context\""];
