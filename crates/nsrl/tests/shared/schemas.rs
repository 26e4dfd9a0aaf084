//! The tables of databases as they are published.
#![allow(dead_code, reason = "not every test needs all of them")]

pub(crate) const MINIMAL: &str = "
CREATE TABLE FILE (sha256 VARCHAR NOT NULL, sha1 VARCHAR NOT NULL, md5 VARCHAR NOT NULL, crc32 VARCHAR NOT NULL,
    file_name VARCHAR NOT NULL, file_size INTEGER NOT NULL, package_id INTEGER NOT NULL,
    CONSTRAINT PK_FILE PRIMARY KEY (sha256, sha1, md5, crc32, file_name, file_size, package_id));
CREATE TABLE MFG (manufacturer_id INTEGER NOT NULL, name VARCHAR NOT NULL,
    CONSTRAINT PK_MFG PRIMARY KEY (manufacturer_id));
CREATE TABLE OS (operating_system_id INTEGER NOT NULL, name VARCHAR NOT NULL, version VARCHAR NOT NULL,
    manufacturer_id INTEGER NOT NULL, CONSTRAINT PK_OS PRIMARY KEY (operating_system_id, manufacturer_id));
CREATE TABLE PKG (package_id INTEGER NOT NULL, name VARCHAR NOT NULL, version VARCHAR NOT NULL,
    operating_system_id INTEGER NOT NULL, manufacturer_id INTEGER NOT NULL, language VARCHAR NOT NULL,
    application_type VARCHAR NOT NULL, CONSTRAINT PK_PKG
    PRIMARY KEY (package_id, operating_system_id, manufacturer_id, language, application_type));
CREATE TABLE VERSION (version VARCHAR UNIQUE NOT NULL, build_set VARCHAR,
    build_date TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, release_date TIMESTAMP, description VARCHAR,
    CONSTRAINT PK_VERSION PRIMARY KEY (version));
CREATE VIEW DISTINCT_HASH AS SELECT DISTINCT sha256, sha1, md5, crc32 FROM FILE;
";

pub(crate) const FULL: &str = "
CREATE TABLE METADATA (metadata_id NUMERIC NOT NULL, object_id NUMERIC NOT NULL, key_hash VARCHAR, image_hash VARCHAR,
    path VARCHAR, path_b64 VARCHAR, path_coding VARCHAR, file_name VARCHAR, file_name_b64 VARCHAR,
    file_name_coding VARCHAR, extension VARCHAR, extension_b64 VARCHAR, extension_coding VARCHAR, bytes NUMERIC,
    mtime VARCHAR, used_in_rds VARCHAR, update_date VARCHAR, recursion_level INTEGER, extractee_id INTEGER,
    crc32 VARCHAR, md5 VARCHAR, sha1 VARCHAR, sha256 VARCHAR, PRIMARY KEY (metadata_id));
CREATE TABLE PACKAGE_OBJECT (package_object_id NUMERIC PRIMARY KEY, package_id NUMERIC, object_id NUMERIC);
CREATE TABLE APPLICATION (application_id NUMERIC PRIMARY KEY, package_id NUMERIC, name VARCHAR, name_b64 VARCHAR,
    name_coding VARCHAR, version VARCHAR, poe VARCHAR, build VARCHAR, latest_copyright VARCHAR, other VARCHAR);
CREATE TABLE MANUFACTURER (manufacturer_id NUMERIC PRIMARY KEY, name VARCHAR);
CREATE VIEW FILE AS SELECT UPPER(md.sha256) AS sha256, UPPER(md.sha1) AS sha1, UPPER(md.md5) AS md5,
    CASE md.extension WHEN '' THEN md.file_name ELSE md.file_name || '.' || md.extension END AS file_name,
    md.bytes AS file_size, po.package_id FROM METADATA AS md, PACKAGE_OBJECT AS po WHERE md.object_id = po.object_id;
CREATE VIEW PKG AS SELECT package_id, name, version FROM APPLICATION;
CREATE VIEW MFG AS SELECT manufacturer_id, name FROM MANUFACTURER;
";

pub(crate) const KDB: &str = "
CREATE TABLE db_properties (name TEXT NOT NULL, value TEXT);
INSERT INTO db_properties VALUES ('Schema Version', '1');
CREATE TABLE hashes (id INTEGER PRIMARY KEY AUTOINCREMENT, md5 BINARY(16) UNIQUE, sha1 BINARY(20), sha2_256 BINARY(32));
CREATE TABLE file_names (name TEXT NOT NULL, hash_id INTEGER NOT NULL, PRIMARY KEY (name, hash_id));
CREATE TABLE comments (comment TEXT NOT NULL, hash_id INTEGER NOT NULL, PRIMARY KEY (comment, hash_id));
CREATE INDEX md5_index ON hashes (md5);
";

pub(crate) const IPED: &str = "
CREATE TABLE HASHES (HASH_ID INTEGER, MD5 BLOB, SHA1 BLOB, SHA256 BLOB, SHA512 BLOB, EDONKEY BLOB,
    PRIMARY KEY (HASH_ID));
CREATE UNIQUE INDEX IDX_MD5 ON HASHES (MD5);
CREATE TABLE PROPERTIES (PROPERTY_ID INTEGER, PROPERTY_NAME TEXT NOT NULL, PRIMARY KEY (PROPERTY_ID));
CREATE TABLE HASHES_PROPERTIES (HASH_ID INTEGER, PROPERTY_ID INTEGER, VALUE TEXT NOT NULL,
    PRIMARY KEY (HASH_ID, PROPERTY_ID));
";
