//! The paths of everything that was found, in a temporary file, in the order of finding. Its offset is an item's
//! number.

use crate::item::{Content, Item, Place, Side};
use crate::record_file::{Shared, Window, number, temporary, written};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

/// Bytes before the path: kind, side, place, length of the directory, three numbers, length of the path.
const HEAD_BYTES: usize = 1 + 1 + 4 + 4 + 24 + 4;

pub(crate) struct PathWriter {
    writer: BufWriter<File>,
    length: u64,
}

impl PathWriter {
    pub(crate) fn new() -> io::Result<PathWriter> {
        Ok(PathWriter { writer: temporary()?, length: 0 })
    }

    /// Appends an item and returns its number.
    pub(crate) fn push(&mut self, path: &[u8], content: Content, side: Side, place: Place) -> io::Result<u64> {
        let number = self.length;
        let too_long = |_| io::Error::new(io::ErrorKind::InvalidInput, "a path is longer than 4 GiB");
        let path_bytes = u32::try_from(path.len()).map_err(too_long)?;
        let (kind, numbers) = content.parts();
        self.writer.write_all(&[kind, side as u8])?;
        self.writer.write_all(&place.number.to_be_bytes())?;
        self.writer.write_all(&place.base_bytes.unwrap_or(u32::MAX).to_be_bytes())?;
        for number in numbers {
            self.writer.write_all(&number.to_be_bytes())?;
        }
        self.writer.write_all(&path_bytes.to_be_bytes())?;
        self.writer.write_all(path)?;
        self.length += (HEAD_BYTES + path.len()) as u64;
        Ok(number)
    }

    pub(crate) fn finish(self) -> io::Result<Paths> {
        Ok(Paths(written(self.writer)?))
    }
}

/// All items that were found.
#[derive(Clone)]
pub(crate) struct Paths(Shared);

fn head(bytes: &[u8; HEAD_BYTES], item_number: u64) -> io::Result<(Item, usize)> {
    let small = |offset: usize| bytes[offset..].first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
    let numbers = [10, 18, 26].map(|offset| number(bytes, offset));
    let content = Content::of_parts(bytes[0], numbers).ok_or(io::ErrorKind::InvalidData)?;
    let base_bytes = Some(small(6)).filter(|&bytes| bytes < u32::MAX);
    let side = if bytes[1] == Side::B as u8 { Side::B } else { Side::A };
    let item = Item { number: item_number, path: Vec::new(), content, side, place: small(2), base_bytes };
    Ok((item, small(34) as usize))
}

impl Paths {
    /// Returns a reader of single items.
    pub(crate) fn reader(&self) -> PathReader {
        PathReader(self.0.window())
    }

    /// Reads all items in order.
    pub(crate) fn scan(&self) -> PathScan {
        PathScan { reader: self.0.at(0), number: 0 }
    }
}

/// A reader of single items, best in their order.
pub(crate) struct PathReader(Window);

impl PathReader {
    /// Returns the item with this number.
    pub(crate) fn get(&mut self, number: u64) -> io::Result<Item> {
        let bytes = self.0.get(number, HEAD_BYTES)?;
        let (mut item, length) = head(bytes.first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?, number)?;
        let path = self.0.get(number + HEAD_BYTES as u64, length)?;
        if path.len() < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        item.path = path.to_vec();
        Ok(item)
    }
}

pub(crate) struct PathScan {
    reader: BufReader<Shared>,
    number: u64,
}

impl Iterator for PathScan {
    type Item = io::Result<Item>;

    fn next(&mut self) -> Option<io::Result<Item>> {
        match self.reader.fill_buf() {
            Ok([]) => None,
            Ok(_) => Some(self.item()),
            Err(error) => Some(Err(error)),
        }
    }
}

impl PathScan {
    fn item(&mut self) -> io::Result<Item> {
        let mut bytes = [0; HEAD_BYTES];
        self.reader.read_exact(&mut bytes)?;
        let (mut item, length) = head(&bytes, self.number)?;
        item.path = vec![0; length];
        self.reader.read_exact(&mut item.path)?;
        self.number += (HEAD_BYTES + length) as u64;
        Ok(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_in_order_and_by_number() {
        let long = vec![b'x'; 5000];
        let mut writer = PathWriter::new().unwrap();
        let file = |identity| Content::File { size: 7, identity };
        let place = Place { number: 3, base_bytes: Some(2) };
        let items = [
            (&b"a/\xff\n"[..], file(Some((1, 2))), Side::A),
            (&b""[..], Content::Missing, Side::B),
            (&long, file(None), Side::B),
            (&b"z"[..], Content::Link([1, 2, 3]), Side::A),
        ];
        for (path, content, side) in &items {
            writer.push(path, *content, *side, place).unwrap();
        }
        let paths = writer.finish().unwrap();
        let scanned: Vec<Item> = paths.scan().map(Result::unwrap).collect();
        assert_eq!(scanned.len(), items.len());
        for (item, (path, content, side)) in scanned.iter().zip(&items) {
            assert_eq!((&item.path[..], item.content, item.side), (*path, *content, *side));
            assert_eq!((item.place, item.base_bytes), (3, Some(2)));
            assert_eq!(paths.reader().get(item.number).unwrap(), *item);
        }
        let mut reader = paths.reader();
        for item in scanned.iter().rev().chain(&scanned) {
            assert_eq!(reader.get(item.number).unwrap(), *item);
        }
        assert!(reader.get(1 << 40).is_err());
    }
}
