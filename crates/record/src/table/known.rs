//! The tables that are known by their first line.

use super::Role;
use crate::KnownList;

/// A form of a list of known files.
pub(super) struct KnownTable {
    pub(super) list: KnownList,
    /// The first line, without quotes.
    header: &'static str,
    /// The roles of columns that have one, by number from 1.
    columns: &'static [(usize, &'static str)],
}

/// The MD4 and CRC-32 of NSRL are left out: every file that is looked up would be hashed with them too, and they
/// decide nothing beside MD5 and SHA-1.
const TABLES: [KnownTable; 7] = [
    KnownTable {
        list: KnownList::Nsrl,
        header: "SHA-1,MD5,CRC32,FileName,FileSize,ProductCode,OpSystemCode,SpecialCode",
        columns: &[(1, "sha1"), (2, "md5"), (4, "name"), (5, "size"), (6, "product"), (8, "category")],
    },
    KnownTable {
        list: KnownList::Nsrl,
        header: "SHA-1,FileName,FileSize,ProductCode,OpSystemCode,MD4,MD5,CRC32,SpecialCode",
        columns: &[(1, "sha1"), (2, "name"), (3, "size"), (4, "product"), (7, "md5"), (9, "category")],
    },
    KnownTable {
        list: KnownList::HashKeeper,
        header: "file_id,hashset_id,file_name,directory,hash,file_size,date_modified,time_modified,time_zone,comments,\
                 date_accessed,time_accessed",
        columns: &[(2, "product"), (3, "name"), (5, "md5"), (6, "size")],
    },
    KnownTable {
        list: KnownList::ILook,
        header: "V1Hash,HashType,SetDescription,FileName,FilePath,FileSize",
        columns: &[(1, "md5"), (2, "category"), (3, "product"), (4, "name"), (6, "size")],
    },
    KnownTable {
        list: KnownList::ILook,
        header: "V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512",
        columns: ILOOK_3,
    },
    KnownTable {
        list: KnownList::ILook,
        header: "V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime,ModTime,\
                 LastAccessTime",
        columns: ILOOK_3,
    },
    KnownTable {
        list: KnownList::Icse,
        header: "MD5;SHA1;PhotoDNA;Image ID;Is distributed;Victim identified;Offender identified;Series name;\
                 Number of submissions;File Available;Media Type;Baseline",
        columns: &[(1, "md5"), (2, "sha1"), (8, "product"), (12, "category")],
    },
];

/// The columns of iLook's forms 3 and 4.
const ILOOK_3: &[(usize, &str)] =
    &[(1, "md5"), (2, "sha1"), (3, "name"), (5, "size"), (6, "sha256"), (7, "sha384"), (8, "sha512")];

impl KnownTable {
    /// Returns the table with this first line, in upper or lower case.
    pub(super) fn of(line: &[u8]) -> Option<&'static KnownTable> {
        // Some have all names in quotes, which hold nothing that needs them.
        let unquoted = || line.iter().filter(|&&byte| byte != b'"').map(u8::to_ascii_lowercase);
        TABLES.iter().find(|table| unquoted().eq(table.header.bytes().map(|byte| byte.to_ascii_lowercase())))
    }

    pub(super) fn separator(&self) -> u8 {
        if self.list == KnownList::Icse { b';' } else { b',' }
    }

    /// Returns the number of columns up to the one that may hold separators. iLook puts nothing in quotes, and the
    /// paths in its lists have commas.
    pub(super) fn columns_before_commas(&self) -> usize {
        self.header.split(',').position(|name| name == "FilePath").map_or(0, |path| path + 1)
    }

    /// Returns the role of each column.
    pub(super) fn roles(&self) -> Vec<Role> {
        let count = self.header.bytes().filter(|byte| *byte == self.separator()).count() + 1;
        let mut roles = vec![Role::Other; count];
        for &(number, name) in self.columns {
            roles[number - 1] = Role::of(name).unwrap_or(Role::Other);
        }
        roles
    }
}

/// Returns the list that begins with this line.
pub(crate) fn known_list(first_line: &[u8]) -> Option<KnownList> {
    KnownTable::of(first_line).map(|table| table.list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_its_role() {
        for table in &TABLES {
            let roles = table.roles();
            assert_eq!(roles.iter().filter(|role| **role != Role::Other).count(), table.columns.len());
            assert!(table.columns.iter().all(|(number, name)| Role::of(name) == Some(roles[number - 1])));
            assert_eq!(known_list(table.header.as_bytes()), Some(table.list));
        }
    }
}
