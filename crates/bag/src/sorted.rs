//! Fields of records that are sorted or kept in temporary files.

use std::io;

/// Appends fields to a record.
pub(crate) trait Put {
    fn number(&mut self, number: u64);
    fn text(&mut self, bytes: &[u8]);
}

impl Put for Vec<u8> {
    fn number(&mut self, number: u64) {
        self.extend_from_slice(&number.to_be_bytes());
    }

    /// Bytes with their length, which is below 64 KiB.
    fn text(&mut self, bytes: &[u8]) {
        self.extend_from_slice(&(bytes.len() as u16).to_be_bytes());
        self.extend_from_slice(bytes);
    }
}

/// Takes fields from a record.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (field, rest) = self.0.split_at_checked(count).ok_or(io::ErrorKind::InvalidData)?;
        self.0 = rest;
        Ok(field)
    }

    pub(crate) fn byte(&mut self) -> io::Result<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn number(&mut self) -> io::Result<u64> {
        self.take(8).map(pfh_list::be_number)
    }

    pub(crate) fn text(&mut self) -> io::Result<&'a [u8]> {
        let length = self.take(2)?;
        self.take(usize::from(u16::from_be_bytes([length[0], length[1]])))
    }

    /// Takes the key that a NUL ends, which no path contains.
    pub(crate) fn key(&mut self) -> io::Result<&'a [u8]> {
        let end = self.0.iter().position(|&byte| byte == 0).ok_or(io::ErrorKind::InvalidData)?;
        let key = self.take(end)?;
        self.0 = &self.0[1..];
        Ok(key)
    }
}
