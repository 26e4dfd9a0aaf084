//! Digital Forensics XML.
//!
//! Source: the DFXML schema of the DFXML working group (`dfxml.xsd`); behaviour of hashdeep 4.4 with `-d`.

mod input;
mod read;
mod write;

pub(crate) use read::DfxmlReader;
pub(crate) use write::Dfxml;

/// Namespace of the elements of DFXML.
const NAMESPACE: &str = "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML";

/// Namespace of Dublin Core, which the schema requires in `metadata`.
const DUBLIN_CORE: &str = "http://purl.org/dc/elements/1.1/";

/// Namespace of pfh's own elements and attributes, for facts that the schema has no place for. Its prefix is `pfh`.
const OURS: &str = "urn:x-pfh:dfxml:1";

/// Version of the schema that the writer follows.
const SCHEMA_VERSION: &str = "1.1.1";

/// Attribute of a `filename` or `directory` with bytes that XML cannot represent: the bytes in base64.
const BASE64_ATTRIBUTE: &str = "pfh:base64";

/// Attribute of `execution_environment`: the directory that relative paths start from.
const DIRECTORY_ATTRIBUTE: &str = "pfh:directory";

/// Attribute of a `hashdigest` that bears the mark of a known collision attack.
const COLLISION_ATTRIBUTE: &str = "pfh:collision";

/// Attribute of a `hashdigest` with the type `OTHER`: the algorithm's name.
const ALGORITHM_ATTRIBUTE: &str = "pfh:algorithm";

/// The algorithms of the schema: pfh's name and the schema's.
const TYPES: [(&str, &str); 6] = [
    ("md5", "MD5"),
    ("sha1", "SHA1"),
    ("sha224", "SHA224"),
    ("sha256", "SHA256"),
    ("sha384", "SHA384"),
    ("sha512", "SHA512"),
];
